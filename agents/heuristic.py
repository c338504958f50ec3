"""`heuristic`: what a strong club player knows, as one estimate: the expected tai of every choice.

* a hand is worth its chance to win (tiles lacking, tiles really left that bring it nearer, who can be claimed from, turns left,
  others' declarations) times what the win pays at this table: dice bonus, flowers, dealer tai, honors, concealed, a flush or
  all pungs where those are worth more, and whether that meets the minimum (`heuristic_value`). Two lacking it looks
  at every accepting tile and the waits after it; a waiting hand is scored wait by wait with the rules' own scorer;
* discard: what is left of that after the expected cost of dealing in (`heuristic_danger`), so that a hopeless hand folds;
* claim: when the best hand after it is worth more than going on without;
* declare when the hand that stays can be won; kong when that takes it no further off;
* give in the exchange what leaves the hand nearest, counting that mostly honors come back: it keeps them, those that pay above all;
* exchange again, as dealer, when far from ready; always win.

Where the minimum is HIGH_MINIMUM or more (hk16) it follows the plans of `greedy`, and folds when far from ready against a
declared hand; a special hand that is nearer than a regular one is played as `greedy` plays it.

It reads only what its seat may see (`test_agents_see_only_their_own`).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numba import carray

from mjsim.actions import (
    CHOW_LOW,
    DECLARE,
    DISCARD,
    EXCHANGE,
    FLOWER_WIN,
    GIVE,
    KONG,
    OWN_KONG,
    PASS,
    PUNG,
    READY,
    START,
    W_DISCARD,
    W_GIVE,
    W_KONG,
    W_READY,
    WIN,
)
from mjsim.agents.greedy import PARAMETERS as GREEDY
from mjsim.agents.heuristic_danger import fear
from mjsim.agents.heuristic_sight import (
    CLAIM_BIAS,
    EXCHANGE_AGAIN,
    GIVE_FAR,
    GIVE_HONORS,
    GIVE_VALUE,
    MAX_TURNS,
    N_PARAMETERS,
    SEAT,
    TABLE,
    fill_hits,
    load,
    lose,
    meld,
    sight,
)
from mjsim.agents.heuristic_value import worth_of_discards, worth_without_discard
from mjsim.agents.racing import (
    ANY_HAND,
    HIGH_MINIMUM,
    best_tile_to_lose,
    may_freeze,
    plan_of,
    racing_claim,
    racing_discard,
    racing_kong,
)
from mjsim.flow.claims import barred_after_chow
from mjsim.flow.engine import POLICY, is_legal, nth_legal
from mjsim.flow.lacking import lack_of, specials_of
from mjsim.flow.moves import bit, drawable, has
from mjsim.hand_record import CHOICE, CLAIM, TURN
from mjsim.hand_record import DECLARE as DECLARE_PHASE
from mjsim.hand_record import GIVE as GIVE_PHASE
from mjsim.jit import address_as_pointer, kernel, lowest_bit, pointer
from mjsim.melds import CHOW, KONG_EXPOSED, MELD_PUNG
from mjsim.shapes.kernels import distance_keys, reaching, tables_at
from mjsim.shapes.special import special_lack_below


@dataclass(frozen=True)
class HeuristicParameters:
    """Parameters of `heuristic`, in the order the policy reads them; defaults tuned in `douque-american` against `greedy`."""

    #: As dealer exchange again with a shanten of this or more.
    exchange: float = 2.0
    #: Exchange: an unseen honor that helps counts as so many more copies, since honors are what others give.
    give_honors: float = 12.0
    #: Exchange: accepting copies that a held honor is worth for each tai of its pung (three times that as a pair).
    give_value: float = 20.0
    #: Exchange: accepting copies that one tile lacking is worth.
    give_far: float = 150.0
    #: Winning discards from each other seat for every winning tile that the seat itself draws.
    live: float = 0.88
    #: Chance to come nearer in a turn, for each weighed accepting copy among the unseen ones.
    pace: float = 0.92
    #: Chance that a declared seat ends the hand in a turn.
    hazard: float = 0.088
    #: Accepting copies of a suited pair count this much more for each other seat, that may discard them.
    call_pung: float = 0.8
    #: The same of a pair of honors.
    call_honor: float = 1.5
    #: Other suited accepting copies count this much more, for the seat that may discard them to a chow.
    call_chow: float = 0.5
    #: 1: with two lacking look at the waits after every accepting tile; 0: count the accepting tiles.
    two_step: float = 1.0
    #: Chance that a hand expected one tai below the minimum wins on a discard all the same.
    one_short: float = 0.55
    #: The same, up to two tai below.
    two_short: float = 0.3
    #: The same, further below.
    far_short: float = 0.15
    #: Tai that a win is worth beyond its payments: what others' wins cost otherwise.
    avoid: float = 4.0
    #: Chance that a pair of honors becomes a pung.
    pairs: float = 0.4
    #: Factor on the worth of going for a flush; 0 never does.
    flush: float = 1.0
    #: Factor on the worth of going for all pungs; 0 never does.
    pungs: float = 1.0
    #: A claim has to be worth more than this times going on without.
    claim: float = 1.0
    #: Factor on the expected cost of dealing in; 0 never defends.
    defence: float = 1.0
    #: How much a seat with three melds is feared without a declaration, twice that with four.
    melded: float = 0.3


#: Parameters and their defaults, in the order the policy reads them.
PARAMETERS = asdict(HeuristicParameters())

#: Forms of a claim: CHOW_LOW to KONG.
N_FORMS = KONG - CHOW_LOW + 1

#: With a high minimum: tiles lacking from which on a hand folds against a declared one.
FOLD = 3
_FLUSH = GREEDY["flush"]
_ALL_KINDS = np.uint64(2**34 - 1)


@kernel
def special_is_nearer(h, r, s):
    """Whether a special hand is at least as near as a regular one."""
    specials = specials_of(h, r, s)
    if specials == 0:
        return False
    lack = distance_keys(tables_at(r.tables), h.keys[s], 5 - h.n_melds[s])
    return special_lack_below(specials, h.have[s], h.twos[s], h.threes[s], h.quads[s], lack + 1) <= lack


@kernel
def _safest(allowed, cost):
    """The cheapest of the bits `allowed`."""
    choice = lowest_bit(allowed)
    while allowed:
        k = lowest_bit(allowed)
        allowed &= allowed - np.uint64(1)
        if cost[k] <= cost[choice]:
            choice = k
    return choice


@kernel
def _turn(h, r, s, c, me):
    """The discard, declaring where that pays."""
    allowed = h.legal[W_DISCARD]
    ready = h.legal[W_READY]
    worth = np.empty(34, np.float64)
    cost = np.empty(34, np.float64)
    worth_of_discards(h, r, s, c, me, allowed, ready, worth)
    fear(h, r, s, c, cost)
    choice = np.int64(-1)
    while allowed:
        k = lowest_bit(allowed)
        allowed &= allowed - np.uint64(1)
        if choice < 0 or worth[k] - cost[k] >= worth[choice] - cost[choice]:
            choice = k
    return READY + choice if has(ready, choice) and worth[choice] > 0 else DISCARD + choice


@kernel
def _after_claim(h, r, s, k, form, me):
    """Make a chow or pung of k in thought; returns the bits of the kinds that may be discarded then."""
    barred = np.uint64(0)
    if form == PUNG:
        lose(me, k, 2)
        meld(me, MELD_PUNG, k)
        if not r.discard_claimed_tile:
            barred = bit(k)
    else:
        low = k - (form - CHOW_LOW)
        for tile in range(low, low + 3):
            if tile != k:
                lose(me, tile, 1)
        meld(me, CHOW, low)
        barred = barred_after_chow(r, form, k)
    allowed = np.uint64(0)
    for tile in range(34):
        if me.counts[tile]:
            allowed |= bit(tile)
    return allowed & ~barred


@kernel
def worth_of_claims(h, r, s, c, me, out):
    """Fill float64[N_FORMS] `out` by form from CHOW_LOW with the expected tai after each legal claim, 0 elsewhere.

    Returns the expected tai of going on without one.
    """
    k = np.int64(h.claim_tile)
    later = (s - h.claim_from) % 4 - 1  # draws of others before its own
    turns = min(MAX_TURNS - 2, max(1, (drawable(h, r) + 6 - later) // 4))
    without = worth_without_discard(h, r, s, c, me, turns)
    ready = _ALL_KINDS if r.declare_ready else np.uint64(0)
    worth = np.empty(34, np.float64)
    for form in range(CHOW_LOW, KONG + 1):
        after = 0.0
        if is_legal(h, form):
            load(h, s, me)
            if form == KONG:
                lose(me, k, 3)
                meld(me, KONG_EXPOSED, k)
                after = worth_without_discard(h, r, s, c, me, c.turns)
            else:
                worth_of_discards(h, r, s, c, me, _after_claim(h, r, s, k, form, me), ready, worth)
                for tile in range(34):
                    after = max(after, worth[tile])
        out[form - CHOW_LOW] = after
    return without


@kernel
def _claim(h, r, s, c, me):
    """The claim after which the hand is worth most, if that is more than going on without."""
    worth = np.empty(N_FORMS, np.float64)
    best = c.p[CLAIM_BIAS] * worth_of_claims(h, r, s, c, me, worth)
    choice = PASS
    for form in range(CHOW_LOW, KONG + 1):
        if worth[form - CHOW_LOW] > best:
            best = worth[form - CHOW_LOW]
            choice = form
    return choice


@kernel
def _worth_of_gift(c, t, me, best):
    """What is left after a gift, in accepting copies; less than `best` when it lacks too much to be more."""
    d = distance_keys(t, me.keys, me.need)
    far = c.p[GIVE_FAR] * d
    if 6.0 * c.p[GIVE_FAR] - far < best:
        return best - 1.0
    total = 0.0
    accepted = reaching(t, me.counts, me.keys, me.need, d - 1)
    while accepted:
        k = lowest_bit(accepted)
        accepted &= accepted - np.uint64(1)
        total += c.unseen[k] * (1.0 + (c.p[GIVE_HONORS] if k >= 27 else 0.0))
    for i in range(7):
        held = me.counts[27 + i]
        if held:
            total += c.p[GIVE_VALUE] * c.honor[i] * (3.0 if held >= 2 else 1.0)
    return total - far


@kernel
def best_gifts(t, c, me, left, keep, gifts, worths):
    """Fill int64[keep, 3] `gifts` with the best sets of `left` kinds to give, lowest kind first, the best set first.

    All sets are tried. Fills float64[keep] `worths` too (accepting copies) and returns how many sets there are. Of equals the
    one with higher kinds is better.
    """
    kinds = np.empty(17, np.int64)
    n = 0
    for k in range(34):
        if me.counts[k]:
            kinds[n] = k
            n += 1
    found = 0
    # Places a <= b <= g; those that are not needed stay at the last kind and take nothing.
    for a in range(n):
        lose(me, kinds[a], 1)
        for b in range(a if left > 1 else n - 1, n):
            if left > 1 and me.counts[kinds[b]] == 0:
                continue
            lose(me, kinds[b], 1 if left > 1 else 0)
            for g in range(b if left > 2 else n - 1, n):
                if left > 2 and me.counts[kinds[g]] == 0:
                    continue
                lose(me, kinds[g], 1 if left > 2 else 0)
                worst = worths[keep - 1] if found == keep else -1e9
                worth = _worth_of_gift(c, t, me, worst)
                if worth >= worst:
                    i = min(found, keep - 1)
                    while i > 0 and worths[i - 1] <= worth:
                        worths[i] = worths[i - 1]
                        for j in range(3):
                            gifts[i, j] = gifts[i - 1, j]
                        i -= 1
                    worths[i] = worth
                    gifts[i, 0], gifts[i, 1], gifts[i, 2] = kinds[a], kinds[b], kinds[g]
                    found = min(found + 1, keep)
                lose(me, kinds[g], -1 if left > 2 else 0)
            lose(me, kinds[b], -1 if left > 1 else 0)
        lose(me, kinds[a], -1)
    return found


@kernel
def _give(h, r, c, me):
    """The next tile of the best gift, the highest kind of it first."""
    left = 3 - np.int64(h.n_given)
    gift = np.empty((1, 3), np.int64)
    best_gifts(tables_at(r.tables), c, me, left, 1, gift, np.empty(1, np.float64))
    return gift[0, left - 1]


@kernel
def _high_minimum(h, r, s, c):
    """Turn or claim by the plans of `greedy`, folding far from ready against a declared hand."""
    plan = plan_of(h, r, s, _FLUSH)
    if h.phase == CLAIM:
        return racing_claim(h, r, s, plan)
    ready = may_freeze(h, s, h.legal[W_READY], plan)
    if ready:
        return READY + racing_discard(h, r, s, ready, plan)
    allowed = h.legal[W_DISCARD]
    cost = np.empty(34, np.float64)
    if fear(h, r, s, c, cost) and lack_of(h, r, s) >= FOLD:
        return DISCARD + _safest(allowed, cost)
    return DISCARD + racing_discard(h, r, s, allowed, plan)


@kernel
def _choose(h, r, s, values, tables, seats):
    """A gift, claim or move of one's own turn. TABLE[1] and SEAT[1] are scratch; the caller keeps them alive."""
    c = tables[0]
    me = seats[0]
    sight(h, r, s, values, c)
    load(h, s, me)
    high = c.minimum >= HIGH_MINIMUM
    special = r.specials != 0 and special_is_nearer(h, r, s)
    if h.phase == GIVE_PHASE:
        if high or special:
            return GIVE + best_tile_to_lose(h, r, s, h.legal[W_GIVE])
        return GIVE + _give(h, r, c, me)
    if h.phase == TURN and h.legal[W_KONG]:
        k = racing_kong(h, r, s)
        if k >= 0:
            return OWN_KONG + k
    if high:
        return _high_minimum(h, r, s, c)
    if special:
        if h.phase == CLAIM:
            return racing_claim(h, r, s, ANY_HAND)
        if h.legal[W_READY]:
            return READY + best_tile_to_lose(h, r, s, h.legal[W_READY])
        return DISCARD + best_tile_to_lose(h, r, s, h.legal[W_DISCARD])
    fill_hits(c, distance_keys(tables_at(r.tables), h.keys[s], 5 - h.n_melds[s]))
    if h.phase == TURN:
        return _turn(h, r, s, c, me)
    return _claim(h, r, s, c, me)


@pointer(POLICY)
def policy(h, r, parameters):
    """The heuristic choice of h.seat."""
    s = np.int64(h.seat)
    if is_legal(h, WIN):
        return WIN
    if is_legal(h, FLOWER_WIN):
        return FLOWER_WIN
    values = carray(address_as_pointer(parameters), N_PARAMETERS)
    if h.phase == CHOICE:
        return EXCHANGE if lack_of(h, r, s) - 1 >= values[EXCHANGE_AGAIN] else START
    if h.phase == DECLARE_PHASE:
        return DECLARE
    if h.phase != TURN and h.phase != CLAIM and h.phase != GIVE_PHASE:
        return PASS
    if h.declared[s]:
        return nth_legal(h, 0)  # plays by itself
    return _choose(h, r, s, values, np.empty(1, TABLE), np.empty(1, SEAT))
