"""The compiled loop of improvement: decisions of an agent, and by how much each other plausible action would have ended better.

A decision is made again with every plausible action and the hand is played to its end, with the hands as they truly are and the
rest of the wall shuffled. What comes out is noise about a mean that a network can learn; no belief about hidden tiles is needed.
"""

from __future__ import annotations

import numpy as np
from numba import carray

from mjsim.actions import BEGIN, DISCARD, FLOWER_WIN, GIVE, N_ACTIONS, W_DISCARD, W_GIVE, WIN
from mjsim.agents.heuristic import best_gifts
from mjsim.agents.heuristic_sight import N_PARAMETERS, SEAT, TABLE, load, lose, sight
from mjsim.agents.search import play_out
from mjsim.agents.search_choices import MAX_ACTIONS, plausible
from mjsim.agents.search_worlds import begin_exchange, by_ukeire, quick_gift
from mjsim.flow.engine import is_legal
from mjsim.flow.luck import PAIRINGS_TABLE, below, draw_standing, stream
from mjsim.flow.moves import add_tile, bit
from mjsim.hand_record import CHOICE, CLAIM, HAND, OVER, TURN
from mjsim.hand_record import GIVE as GIVE_PHASE
from mjsim.jit import address_as_pointer, call, entry, kernel, lowest_bit, popcount
from mjsim.observe import N_ROWS
from mjsim.play import ILLEGAL, MAX_DECISIONS
from mjsim.shapes.kernels import tables_at
from mjsim.tiles import N_TILES

#: Purposes of random streams: which decisions are kept, the worlds, and those of seat s that an agent draws from.
KEEP, WORLDS, POLICY_STREAM = 104, 105, 108

#: Most actions of a decision that are compared; the agent's own is the first.
MOST_COMPARED = 8

#: Addresses in `engine`, in this order.
APPLY, LAY, OBSERVE, HIDDEN, MASK = range(5)

N_PAIRINGS = len(PAIRINGS_TABLE)


@kernel
def _other_of(mask, rng, known, n):
    """One of the kinds in `mask` that are not among the first n actions' kinds in `known`, or -1."""
    for i in range(n):
        mask &= ~bit(known[i])
    left = popcount(mask)
    if left == 0:
        return np.int64(-1)
    for _ in range(below(rng, 0, left)):
        mask &= mask - np.uint64(1)
    return np.int64(lowest_bit(mask))


@kernel
def _gifts(h, r, s, base, values, rng, actions, sets, tables, seats):
    """Kinds to give next: that of the agent, those of the best gifts, and one of the others by lot; returns how many.

    Fills int64[MOST_COMPARED, 3] `sets` with the whole gift of each: what was given, the kind, and the best rest.
    """
    c = tables[0]
    me = seats[0]
    left = 3 - np.int64(h.n_given)
    kinds = np.empty(MOST_COMPARED, np.int64)
    kinds[0] = base - GIVE
    n = 1
    best = np.empty((MOST_COMPARED, 3), np.int64)
    worth = np.empty(MOST_COMPARED, np.float64)
    sight(h, r, s, values, c)
    load(h, s, me)
    for by_speed in range(2):
        if by_speed:
            by_ukeire(c)
        found = best_gifts(tables_at(r.tables), c, me, left, 4, best, worth)
        for i in range(found):
            for j in range(left):
                known = False
                for other in range(n):
                    known |= kinds[other] == best[i, j]
                if not known and n < MOST_COMPARED - 1:
                    kinds[n] = best[i, j]
                    n += 1
    other = _other_of(h.legal[W_GIVE], rng, kinds, n)
    if other >= 0:
        kinds[n] = other
        n += 1
    sight(h, r, s, values, c)
    for i in range(n):
        actions[i] = GIVE + kinds[i]
        given = 3 - left
        for j in range(given):
            sets[i, j] = h.gives[h.round, s, j]
        sets[i, given] = kinds[i]
        if left > 1:
            lose(me, kinds[i], 1)
            best_gifts(tables_at(r.tables), c, me, left - 1, 1, best, worth)
            lose(me, kinds[i], -1)
            for j in range(left - 1):
                sets[i, given + 1 + j] = best[0, j]
    return n


@kernel
def _actions(h, r, s, base, width, values, rng, actions, listed, prior, tables, seats):
    """What is compared at a turn, a claim or the dealer's decision: the agent's, plausible ones, and at a turn a discard by lot."""
    found = plausible(h, r, s, base, width, values, listed, prior, tables, seats)
    n = min(found, MOST_COMPARED)
    known = np.zeros(MOST_COMPARED, np.int64)
    shown = 0
    for i in range(n):
        actions[i] = listed[i, 0]
        if DISCARD <= actions[i] < DISCARD + 34:
            known[shown] = actions[i] - DISCARD
            shown += 1
    if h.phase == TURN and 1 < n < MOST_COMPARED:
        other = _other_of(h.legal[W_DISCARD], rng, known, shown)
        if other >= 0:
            actions[n] = DISCARD + other
            n += 1
    return n


@kernel
def _shuffle_unseen(w, rng):
    """Another order of the wall and other pairings to come: nobody has seen either. Every seat draws from tiles of its own."""
    for i in range(np.int64(w.tail) - 1, np.int64(w.head), -1):
        j = w.head + below(rng, 0, i + 1 - np.int64(w.head))
        w.wall[i], w.wall[j] = w.wall[j], w.wall[i]
    w.own_streams = 1
    for i in range(N_TILES):
        w.stream_of[i] = i & 3
    for e in range(w.round, 2):
        j = below(rng, 0, N_PAIRINGS)
        for s in range(4):
            w.pairings[e, s] = PAIRINGS_TABLE[j, s]


@kernel
def _compare(h, r, s, base, search, estimates, width, n_worlds, rng, actions, gains, scratch, tables, seats):
    """Fill `actions` and float32 `gains`, tai more than the agent's own action brings on average; returns how many."""
    chosen = np.empty(MOST_COMPARED, np.int64)
    sets = np.zeros((MOST_COMPARED, 3), np.int64)
    listed = np.empty((MAX_ACTIONS, 3), np.int64)
    prior = np.empty(MAX_ACTIONS, np.float64)
    gifts = np.empty((4, 3), np.int64)
    giving = h.phase == GIVE_PHASE
    scratch[0] = h
    if giving:
        n = _gifts(h, r, s, base, estimates, rng, chosen, sets, tables, seats)
        for seat in range(4):
            for j in range(3):
                if h.gives[h.round, seat, j] >= 0:
                    add_tile(scratch[0], seat, np.int64(h.gives[h.round, seat, j]))
        begin_exchange(scratch[0])
        for seat in range(4):
            if seat != s:
                quick_gift(scratch[0], r, seat, estimates, False, gifts[seat], tables, seats)
    else:
        n = _actions(h, r, s, base, width, estimates, rng, chosen, listed, prior, tables, seats)
    for i in range(n):
        actions[i] = chosen[i]
        gains[i] = 0.0
    if n < 2:
        return n
    for _ in range(n_worlds):
        scratch[1] = scratch[0]
        _shuffle_unseen(scratch[1], rng)
        first = 0.0
        for i in range(n):
            scratch[2] = scratch[1]
            if giving:
                for j in range(3):
                    gifts[s, j] = sets[i, j]
                for turn in range(4):
                    seat = (np.int64(h.dealer) + turn) % 4
                    for j in range(3):
                        call(search[0], (scratch[2], r, GIVE + gifts[seat, j]))
            else:
                call(search[0], (scratch[2], r, chosen[i]))
            if not play_out(scratch[2], r, s, search, estimates, False, tables, seats):
                return 1
            value = np.float64(scratch[2].scores[s])
            if i == 0:
                first = value
            gains[i] += (value - first) / n_worlds
    return n


@entry
def compare(
    hands, rules, engine, agent, search, seed, match, n_hands, streak_below, rates, width, n_worlds,
    observations, masks, actions, gains, compared, phases, numbers,
):  # fmt: skip
    """Play hands match, match + 1, ... with one agent in all seats and write decisions with what other actions bring.

    Of the decisions of the exchange, of turns and of claims one in `rates[0]`, `rates[1]`, `rates[2]` is written, drawn by
    chance, and of the dealer's decisions one in `rates[3]`. int64 `agent` is (address of the policy, of its parameters), int64
    `search` the addresses that `search` has, and `observations` and `masks` addresses of int8[n, N_ROWS, 34] and int8[n,
    N_ACTIONS]. Fills int16[n, MOST_COMPARED] `actions`, float32[n, MOST_COMPARED] `gains` (tai; 0 for the agent's own, the first),
    int8[n] `compared` (how many; 1 where nothing was played out), int8[n] `phases` and int32[n] `numbers` (of the hand in this
    call). Ends after `n_hands`, or before a hand that might not find room. Returns (rows, hands), or (ILLEGAL, seat).
    """
    h = hands[0]
    r = rules[0]
    estimates = carray(address_as_pointer(search[5]), N_PARAMETERS)
    scratch = np.zeros(3, HAND)
    tables = np.zeros(1, TABLE)
    seats = np.zeros(1, SEAT)
    rng = np.empty(1, np.uint64)
    worlds = np.empty(1, np.uint64)
    n = 0
    for i in range(n_hands):
        if len(actions) - n < MAX_DECISIONS:
            return n, i
        h.pool = 0
        draw_standing(h, r, engine[LAY], seed, match + i, streak_below)
        call(engine[APPLY], (h, r, BEGIN))
        rng[0] = stream(seed, match + i, 0, KEEP)
        worlds[0] = stream(seed, match + i, 0, WORLDS)
        for s in range(4):
            h.rng[s] = stream(seed, match + i, 0, POLICY_STREAM + s)
        while h.phase != OVER:
            me = np.int64(h.seat)
            action = np.int64(call(agent[0], (h, r, agent[1])))
            rate = rates[0]
            if h.phase == TURN:
                rate = rates[1]
            elif h.phase == CLAIM:
                rate = rates[2]
            elif h.phase == CHOICE:
                rate = rates[3]
            if below(rng, 0, rate) == 0:
                call(engine[OBSERVE], (h, r, me, observations + n * N_ROWS * 34, 1))
                call(engine[MASK], (h, me, masks + n * N_ACTIONS))
                actions[n, 0] = action
                gains[n, 0] = 0.0
                compared[n] = 1
                known = h.phase == TURN or h.phase == CLAIM or h.phase == CHOICE or h.phase == GIVE_PHASE
                if known and not (is_legal(h, WIN) or action == FLOWER_WIN or h.declared[me]):
                    compared[n] = _compare(
                        h, r, me, action, search, estimates, width, n_worlds, worlds, actions[n], gains[n], scratch,
                        tables, seats,
                    )  # fmt: skip
                for j in range(compared[n], MOST_COMPARED):
                    actions[n, j] = -1
                    gains[n, j] = 0.0
                phases[n] = h.phase
                numbers[n] = i
                n += 1
            if action < 0 or call(engine[APPLY], (h, r, action)) != 0:
                return np.int64(ILLEGAL), me
    return n, np.int64(n_hands)
