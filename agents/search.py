"""`search`: plays the rest of the hand out in worlds that agree with what its seat has seen, and takes the best mean.

At a turn, a claim, a gift or the dealer's decision the plausible actions (`search_choices`; what `heuristic` would do is one) are
played out in the same worlds (`search_worlds`) by `greedy`, which is about as good a judge of a difference as `heuristic` and
fifteen times as fast. By sequential halving the worse half of the actions is given up after each part of the worlds.

One hand's score tells little: the difference of two actions in one world has a standard deviation of 7 to 10 tai, where the actions
differ by half a tai. So what is played out is weighed against what `heuristic` thinks of the action: a normal prior
with that mean, and the spread by which its estimates were found to miss. The action with the best mean after that is chosen.

The budget goes where it decides. An action is played out in `rollouts` worlds on average, times `turn`, `claim`, `exchange` (a
gift) or `choice` (the dealer's decision): a gift, made once or twice a hand, is worth more than all turns. 0 searches
nothing.

It is deterministic for a seed: worlds are drawn from the seat's own stream and what the decision is. It reads only what its
seat may see. Wins are always taken; Original Call, and what is frozen, is the base policy's.
"""

from __future__ import annotations

import numpy as np
from numba import carray

from mjsim.actions import FLOWER_WIN, GIVE, W_GIVE, WIN
from mjsim.agents.heuristic_sight import N_PARAMETERS, SEAT, TABLE
from mjsim.agents.registry import Agent, make
from mjsim.agents.search_choices import MAX_ACTIONS, plausible, plausible_gifts
from mjsim.agents.search_worlds import begin_exchange, deal_world, fill_gifts, give_all
from mjsim.errors import UsageError
from mjsim.flow import engine
from mjsim.flow.engine import POLICY, is_legal
from mjsim.flow.luck import mix
from mjsim.flow.moves import add_tile
from mjsim.hand_record import CHOICE, CLAIM, HAND, OVER, TURN
from mjsim.hand_record import GIVE as GIVE_PHASE
from mjsim.jit import Pointer, address_as_pointer, call, kernel, pointer

#: Parameters and their defaults, in the order the policy reads them.
PARAMETERS = {
    "rollouts": 64.0,  # worlds for each action, on average
    "turn": 2.0,  # so many times as many at a turn
    "claim": 8.0,  # at a claim
    "exchange": 8.0,  # for a gift
    "choice": 8.0,  # for the dealer's decision
    "width": 4.0,  # discards compared
    "gifts": 8.0,  # sets of three tiles compared
    "margin": 0.15,  # tai by which another action, but a gift, has to be better than the base policy's
    "others": 1.0,  # in worlds the others give as `heuristic`, which keeps honors; 0: by shanten and ukeire alone
}
#: Greatest values; 0 is the least of each.
MOST = {
    "rollouts": 1_000_000,
    "turn": 1000,
    "claim": 1000,
    "exchange": 1000,
    "choice": 1000,
    "width": 17,
    "gifts": MAX_ACTIONS,
    "margin": 1000,
    "others": 1,
}
ROLLOUTS, TURN_TIMES, CLAIM_TIMES, EXCHANGE_TIMES, CHOICE_TIMES, WIDTH, GIFTS, MARGIN, OTHERS = range(len(PARAMETERS))

#: What follows the parameters, as int64: addresses of the engine, the base policy and its parameters, those that play out, and the
#: parameters of `heuristic` by which actions are chosen for comparison.
ADDRESSES = ("apply", "base", "base parameters", "fast", "fast parameters", "estimates")
APPLY, BASE, BASE_PARAMETERS, FAST, FAST_PARAMETERS, ESTIMATES = range(len(ADDRESSES))
#: Then the gift chosen last, so that its second and third tile are not searched again: what it was chosen for, and three kinds.
#: A first tile is always searched: other rules or dice ask the same seat with the same tiles for another gift.
MEMORY = 4
N_VALUES = len(PARAMETERS)
AT_MEMORY = N_VALUES + len(ADDRESSES)
SIZE = AT_MEMORY + MEMORY

#: By how much (tai, standard deviation) an estimate of `heuristic` misses, at a turn, a claim, a gift, the dealer's decision.
MISSES_TURN, MISSES_CLAIM, MISSES_GIFT, MISSES_CHOICE = 0.4, 0.8, 0.5, 0.6
#: Least variance of a difference in one world, so that a few equal outcomes prove nothing.
LEAST_VARIANCE = 10.0


class Search(Agent):
    """`search`, with the engine and the agents it plays out with in its parameters.

    Attributes:
        base: the agent whose choice it improves on.
        fast: the agent that plays worlds to their end.
    """

    piece = 16

    def __init__(self, name: str, policy: Pointer, parameters: dict[str, float]) -> None:
        for key, most in MOST.items():
            if not 0 <= parameters[key] <= most:
                raise UsageError(f"agent {name!r}: {key} {parameters[key]:g} is outside 0-{most}")
        super().__init__(name, policy, parameters)
        self.base = self._estimates = make("heuristic")
        self.fast = make("greedy")
        self._buffer = np.zeros(SIZE, np.float64)
        self._buffer[:N_VALUES] = self.parameters
        self.parameters = self._buffer

    def addresses(self) -> np.ndarray:
        """int64[6], what ADDRESSES names."""
        listed = (
            engine.apply.address,
            self.base.address,
            self.base.parameters_address,
            self.fast.address,
            self.fast.parameters_address,
            self._estimates.parameters_address,
        )
        return np.array(listed, np.int64)

    @property
    def parameters_address(self) -> int:
        self._buffer.view(np.int64)[N_VALUES:AT_MEMORY] = self.addresses()
        return self._buffer.ctypes.data


@kernel
def play_out(w, r, s, addresses, values, plain, tables, seats):
    """Play a world to its end: exchanges as `heuristic` has them, all else by the fast policy. False when that broke the rules."""
    gifts = np.empty((4, 3), np.int64)
    while w.phase != OVER:
        before = w.n_decisions
        if w.phase == GIVE_PHASE:
            fill_gifts(w, r, values, plain, gifts, s, False, tables, seats)
            give_all(w, r, addresses[APPLY], gifts)
        elif w.phase == CHOICE:
            call(addresses[APPLY], (w, r, call(addresses[BASE], (w, r, addresses[BASE_PARAMETERS]))))
        else:
            call(addresses[APPLY], (w, r, call(addresses[FAST], (w, r, addresses[FAST_PARAMETERS]))))
        if w.n_decisions == before:
            return False
    return True


@kernel
def _best(h, r, s, addresses, values, plain, actions, prior, n, rollouts, misses, margin, rng, tables, seats):
    """The place among n actions of the one with the best mean: sequential halving in the same worlds, prior included.

    int64[n, 3] `actions` are three kinds in an exchange, else an action and no more. Place 0 is the base policy's, to which
    all others are compared. TABLE[1] and SEAT[1] are scratch.
    """
    giving = h.phase == GIVE_PHASE
    worlds = np.empty(2, HAND)
    total = np.zeros(MAX_ACTIONS, np.float64)  # of the differences to place 0
    squares = np.zeros(MAX_ACTIONS, np.float64)
    mean = np.zeros(MAX_ACTIONS, np.float64)
    order = np.arange(MAX_ACTIONS)
    given = np.empty((4, 3), np.int64)
    alive = n - 1  # places 1.. of `order`
    rounds = 1
    while 1 << rounds < n:
        rounds += 1
    played = 0
    for part in range(rounds):
        for _ in range(max(1, rollouts * n // (rounds * (alive + 1)))):
            worlds[0] = h
            if not deal_world(h, r, s, rng, worlds[0]):
                return 0
            if giving:
                begin_exchange(worlds[0])
                fill_gifts(worlds[0], r, values, plain, given, s, True, tables, seats)
            first = 0.0
            for i in range(alive + 1):
                a = order[i]
                worlds[1] = worlds[0]
                if giving:
                    for j in range(3):
                        given[s, j] = actions[a, j]
                    give_all(worlds[1], r, addresses[APPLY], given)
                else:
                    call(addresses[APPLY], (worlds[1], r, actions[a, 0]))
                if not play_out(worlds[1], r, s, addresses, values, plain, tables, seats):
                    return 0  # a world that cannot be played shows a fault of ours, which must not hang: the base policy decides
                value = np.float64(worlds[1].scores[s])
                if i == 0:
                    first = value
                else:
                    total[a] += value - first
                    squares[a] += (value - first) ** 2
            played += 1
        for i in range(1, alive + 1):
            a = order[i]
            seen = total[a] / played
            error = (max(squares[a] / played - seen * seen, 0.0) + LEAST_VARIANCE) / played
            mean[a] = (seen * misses * misses + prior[a] * error) / (misses * misses + error)
            j = i
            while j > 1 and mean[order[j]] > mean[order[j - 1]]:
                order[j], order[j - 1] = order[j - 1], order[j]
                j -= 1
        if part < rounds - 1:
            alive = max(1, (alive + 1) // 2)
    return order[1] if mean[order[1]] > margin else 0


@kernel
def _searched_gift(h, r, s, values, estimates, addresses, memory, starts, tables, seats):
    """The next tile of the best gift. The whole gift is chosen as of the begin of the exchange.

    HAND[1], TABLE[1] and SEAT[1] are scratch; the caller keeps them alive.
    """
    width = np.int64(values[GIFTS])
    if width == 0:
        return np.int64(-1)
    starts[0] = h
    given = np.int64(h.n_given)
    for i in range(given):
        add_tile(starts[0], s, np.int64(h.gives[h.round, s, i]))
        starts[0].gives[h.round, s, i] = -1
    starts[0].n_given = 0
    starts[0].legal[W_GIVE] = starts[0].have[s]
    rng = np.empty(1, np.uint64)
    rng[0] = mix(h.rng[s] ^ np.uint64(1 + h.round))
    key = rng[0]
    for i in range(4):
        key = mix(key ^ np.uint64(starts[0].keys[s, i]))
    gift = np.empty(3, np.int64)
    if given > 0 and np.uint64(memory[0]) == key:
        for j in range(3):
            gift[j] = memory[1 + j]
    else:
        gifts = np.empty((MAX_ACTIONS, 3), np.int64)
        prior = np.empty(MAX_ACTIONS, np.float64)
        n = plausible_gifts(starts[0], r, s, width, estimates, gifts, prior, tables, seats)
        rollouts = np.int64(values[ROLLOUTS] * values[EXCHANGE_TIMES])
        a = 0
        if n > 1 and rollouts > 0:
            a = _best(
                starts[0],
                r,
                s,
                addresses,
                estimates,
                values[OTHERS] == 0,
                gifts,
                prior,
                n,
                rollouts,
                MISSES_GIFT,
                0.0,
                rng,
                tables,
                seats,
            )
        memory[0] = np.int64(key)
        for j in range(3):
            gift[j] = gifts[a, j]
            memory[1 + j] = gift[j]
    # A tile of the gift that has not been given yet; nothing else was given unless somebody else began this gift.
    for i in range(given):
        found = False
        for j in range(3):
            if gift[j] == h.gives[h.round, s, i]:
                gift[j] = -1
                found = True
                break
        if not found:
            return np.int64(-1)
    for j in range(3):
        if gift[j] >= 0:
            return GIVE + gift[j]
    return np.int64(-1)


@pointer(POLICY)
def policy(h, r, parameters):
    """The searched choice of h.seat."""
    s = np.int64(h.seat)
    values = carray(address_as_pointer(parameters), SIZE)
    words = values.view(np.int64)
    addresses = words[N_VALUES:AT_MEMORY]
    base = call(addresses[BASE], (h, r, addresses[BASE_PARAMETERS]))
    if is_legal(h, WIN) or base == FLOWER_WIN or h.declared[s] or values[ROLLOUTS] <= 0:
        return base
    estimates = carray(address_as_pointer(addresses[ESTIMATES]), N_PARAMETERS)
    # Scratch is named here: a record does not keep its array alive.
    tables = np.empty(1, TABLE)
    seats = np.empty(1, SEAT)
    starts = np.empty(1, HAND)
    if h.phase == GIVE_PHASE:
        action = _searched_gift(h, r, s, values, estimates, addresses, words[AT_MEMORY:SIZE], starts, tables, seats)
        return action if action >= 0 else base
    if h.phase == TURN:
        times, misses = values[TURN_TIMES], MISSES_TURN
    elif h.phase == CLAIM:
        times, misses = values[CLAIM_TIMES], MISSES_CLAIM
    elif h.phase == CHOICE:
        times, misses = values[CHOICE_TIMES], MISSES_CHOICE
    else:
        return base
    actions = np.empty((MAX_ACTIONS, 3), np.int64)
    prior = np.empty(MAX_ACTIONS, np.float64)
    n = plausible(h, r, s, base, np.int64(values[WIDTH]), estimates, actions, prior, tables, seats)
    if n == 1:
        return base
    rng = np.empty(1, np.uint64)
    rng[0] = mix(h.rng[s] ^ np.uint64((np.int64(h.n_discards) * 16 + h.n_melds[s]) * 8 + h.phase))
    rollouts = np.int64(values[ROLLOUTS] * times)
    if rollouts == 0:
        return base
    plain, margin = values[OTHERS] == 0, values[MARGIN]
    a = _best(h, r, s, addresses, estimates, plain, actions, prior, n, rollouts, misses, margin, rng, tables, seats)
    return actions[a, 0]
