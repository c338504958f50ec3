"""From an observation back to a hand: a HAND record as the seat that is asked may know it.

The inverse of `observe`, so that a compiled policy can answer to what an environment shows. The observer is seat 0 of the
record, the others follow in turn order. All that the seat sees stands in the record as in the true one; what is hidden (others'
tiles, hidden kongs, the wall, others' answers) is dealt from the tiles that are left, always in the same way, so that sizes and
counts add up and the engine can play on from it. What the observation does not tell is listed in docs/observation.md.
"""

from __future__ import annotations

import numpy as np
from numba import carray, types

from mjsim.actions import KONG, N_ACTIONS, OTHER, PUNG, W_OTHER, WIN
from mjsim.flow.claims import PASS_BIT
from mjsim.flow.lacking import lack_of
from mjsim.flow.moves import add_meld, add_tile, bit
from mjsim.flow.opening import clear
from mjsim.hand_record import (
    CLAIM,
    DECLARE,
    FLOWER,
    GIVE,
    HAND_TYPE,
    ROB,
    TURN,
)
from mjsim.jit import address_as_bytes, kernel, pointer, popcount
from mjsim.melds import CHOW, KONG_ADDED, KONG_CONCEALED, KONG_EXPOSED, MELD_PUNG
from mjsim.observe import (
    BARRED,
    BARRED_CLAIMS,
    CHOWS,
    CLAIMED,
    CONCEALED,
    COUNTS,
    DICE,
    DRAWN,
    FLOWERS,
    GAVE,
    KONGS,
    N_ROWS,
    OWN,
    POOLS,
    PUNGS,
    QUESTION,
    RULES_ROW,
    STATES,
    TABLE,
    TAKEN,
    TOOK,
    rules_values,
)
from mjsim.ruleset.record import FLOWERS_ON_REPLACEMENT, RULES_TYPE
from mjsim.unobserve_hidden import deal_hidden, find_hidden_kongs, place_drawn
from mjsim.unobserve_order import find_declarations, lay_discards, one_of, put_in_order

#: Answers of `rebuild`.
REBUILT, NOT_ASKED, OTHER_RULES, CONTRADICTORY = range(4)

_NOBODY = -1


@kernel
def _which(row, first, n):
    """Which of n single values is set, -1 for none."""
    for i in range(n):
        if row[first + i]:
            return i
    return -1


@kernel
def _standing(h, seen):
    """Dealer, winds, streak, pool, dice; False when a value is missing."""
    dealer = _which(seen[TABLE], 13, 4)
    wind = _which(seen[TABLE], 17, 4)
    prevailing = _which(seen[TABLE], 21, 4)
    turn = _which(seen[TABLE], 9, 4)
    if dealer < 0 or wind < 0 or prevailing < 0 or turn < 0:
        return False
    h.dealer = dealer
    h.east = (4 - wind) % 4
    h.prevailing = prevailing
    h.streak = 0
    for i in range(18):
        h.streak += seen[COUNTS, i]
    h.pool = 0
    for i in range(len(POOLS)):
        if seen[RULES_ROW, 11 + i]:
            h.pool = POOLS[i]
    for i in range(3):
        die = _which(seen[DICE], 6 * i, 6)
        if die < 0:
            return False
        h.dice[i] = die + 1
    clear(h)
    h.turn = turn
    h.seat = 0
    return True


@kernel
def _made_under(h, r, seen):
    """Whether the observation fits the rules."""
    wanted = np.zeros((N_ROWS, 34), np.int8)
    rules_values(h, r, wanted)
    for i in range(1, 11):
        if seen[RULES_ROW, i] != wanted[RULES_ROW, i]:
            return False
    for i in range(16, 28):
        if seen[RULES_ROW, i] != wanted[RULES_ROW, i]:
            return False
    return (seen[DICE, 23] != 0) == r.dice_bonus and (seen[DICE, 24] != 0) == r.exchange


@kernel
def _phase_of(seen):
    """What is asked, -1 when nothing is."""
    if not seen[TABLE, 8]:
        return -1
    return DECLARE if seen[RULES_ROW, 0] else _which(seen[TABLE], 0, 6)


@kernel
def _flowers(h, r, seen):
    for s in range(4):
        for f in range(8):
            if seen[FLOWERS, 8 * s + f]:
                h.flowers[s] |= np.uint8(1 << f)
                h.n_flowers += 1
                h.flower_time[f] = h.n_flowers
        blue, red = np.int64(h.flowers[s]) & 15, np.int64(h.flowers[s]) >> 4
        if r.instant_payments:
            if blue | red == 15 and blue and red:
                h.bouquets[s] |= 1
            if blue == 15:
                h.bouquets[s] |= 2
            if red == 15:
                h.bouquets[s] |= 4
    if r.flower_wins == FLOWERS_ON_REPLACEMENT and h.n_flowers == 8:
        for s in range(4):
            if popcount(np.uint64(h.flowers[s])) == 7:
                h.flower_due = s


@kernel
def _source(seen, s, k):
    """Whose discard made the pung or kong of k of seat s. A later chow of the same kind hides the mark: what was taken tells."""
    mark = seen[CLAIMED + s, k]
    if mark == 3 and k < 27:
        for low in range(max(k - 2, k // 9 * 9), k + 1):
            if seen[CHOWS + s, low]:
                for d in range(1, 3):
                    if seen[TAKEN + (s + d) % 4, k]:
                        return (s + d) % 4
    return (s + mark) % 4


@kernel
def _claimed_of_chows(seen, s, lows, n, claimed):
    """Fill int64[n] `claimed` with the claimed kind of each chow of seat s, as the marked kinds and the taken discards fit."""
    before = (s + 3) % 4
    free = np.zeros(34, np.int8)
    for k in range(34):
        free[k] = seen[TAKEN + before, k]
    marked = np.zeros(34, np.int8)
    for k in range(34):
        marked[k] = seen[CLAIMED + s, k] == 3
        for other in range(4):
            called = seen[PUNGS + other, k] or seen[KONGS + other, k]
            if called and _source(seen, other, k) == before:
                free[k] -= 1
                if other == s:
                    marked[k] = 0
    fewest = 99
    best = 0
    used = np.empty(34, np.int8)
    for combination in range(3**n):
        for k in range(34):
            used[k] = 0
        rest = combination
        for i in range(n):
            used[lows[i] + rest % 3] += 1
            rest //= 3
        wrong = 0
        for k in range(27):
            if used[k] > free[k]:
                wrong += used[k] - free[k]
            if marked[k] and not used[k]:
                wrong += 1
            if used[k] and seen[CLAIMED + s, k] == 0:
                wrong += 1
        if wrong < fewest:
            fewest = wrong
            best = combination
    for i in range(n):
        claimed[i] = lows[i] + best % 3
        best //= 3


@kernel
def _melds(h, r, seen):
    """All melds that are seen; returns False where a seat would have more than five."""
    lows = np.empty(5, np.int64)
    claimed = np.empty(5, np.int64)
    for s in range(4):
        n = 0
        for k in range(27):
            for _ in range(seen[CHOWS + s, k]):
                if n >= 5:
                    return False
                lows[n] = k
                n += 1
        if n:
            _claimed_of_chows(seen, s, lows, n, claimed)
        # Chows first: where a seat claimed a kind twice the pung's mark is the one that shows.
        for i in range(n):
            add_meld(h, s, CHOW, lows[i], claimed[i], (s + 3) % 4)
        for k in range(34):
            if not (seen[PUNGS + s, k] or seen[KONGS + s, k] or seen[CONCEALED + s, k]):
                continue
            if h.n_melds[s] >= 5:
                return False
            if seen[CONCEALED + s, k]:
                add_meld(h, s, KONG_CONCEALED, k, -1, -1)
                if not r.concealed_kong_hidden:
                    h.shown[k] += 4
            else:
                source = _source(seen, s, k)
                added = source == (s + 3) % 4 and not r.exposed_kong_from_previous
                kong = KONG_ADDED if added else KONG_EXPOSED
                add_meld(h, s, MELD_PUNG if seen[PUNGS + s, k] else kong, k, k, source)
    h.any_claim = seen[STATES, 12]
    return True


@kernel
def _question(h, seen):
    """What is asked on a discard or an added kong; for an Original Call, after whom."""
    if h.phase == DECLARE:
        h.stage = (0 - h.dealer) % 4
    if h.phase != CLAIM and h.phase != ROB:
        return True
    k = one_of(seen[QUESTION])
    source = _which(seen[TABLE], 25, 4)
    if k < 0 or source < 0:
        return False
    h.claim_tile = k
    h.claim_from = source
    options = h.legal[W_OTHER] & ~PASS_BIT
    h.options[0] = options
    calls = np.uint64(1) << np.uint64(PUNG - OTHER) | np.uint64(1) << np.uint64(KONG - OTHER)
    wins = np.uint64(1) << np.uint64(WIN - OTHER)
    h.stage = 1 if options & wins else (2 if options & calls else 3)
    return True


@kernel
def _own(h, r, seen, legal):
    """The observer's own tiles, marks and legal actions."""
    for k in range(34):
        for i in range(4):
            if seen[OWN + i, k]:
                add_tile(h, 0, k)
        if seen[BARRED, k]:
            h.barred |= bit(k)
        if seen[BARRED_CLAIMS, k]:
            if r.passed_kind:
                h.passed[0] |= bit(k)
            else:
                h.skipped_pung[0] |= bit(k)
    for a in range(N_ACTIONS):
        if legal[a]:
            w = min(a // 34, W_OTHER)
            h.legal[w] |= bit(a - w * 34)
            h.n_legal += 1
    h.skipped_win[0] = seen[STATES, 8]
    h.case_one = 0 if seen[STATES, 13] else -1
    h.drawn = one_of(seen[DRAWN])
    h.kong_ban = seen[STATES, 9]
    h.claim_turn = seen[STATES, 10]
    h.replacement = seen[STATES, 11]
    h.turn_kongs = seen[RULES_ROW, 28] + seen[RULES_ROW, 29]


@kernel
def _exchanged(h, seen):
    """The exchanges: one's own three given and got; from and to whom is not known."""
    h.round = max(0, _which(seen[TABLE], 29, 3))
    h.n_given = seen[TABLE, 32] + seen[TABLE, 33]
    for e in range(2):
        for s in range(4):
            h.pairings[e, s] = (s + 1) % 4
        given = 0
        taken = 0
        for k in range(34):
            for _ in range(seen[GAVE + e, k]):
                if given < 3:
                    h.gives[e, 0, given] = k
                    given += 1
            for _ in range(seen[TOOK + e, k]):
                if taken < 3:
                    h.takes[e, 0, taken] = k
                    taken += 1
        if e < h.round:
            for i in range(3):
                h.gives[e, 3, i] = h.takes[e, 0, i]
                h.takes[e, 1, i] = h.gives[e, 0, i]


@kernel
def _own_size(h, r):
    """How many concealed tiles the observer must have."""
    size = 16 - 3 * np.int64(h.n_melds[0])
    if h.phase == TURN:
        return size + 1
    if h.dealer == 0 and not r.dealer_draws_first and h.n_discards == 0 and h.phase not in (CLAIM, ROB):
        if h.phase != FLOWER or h.resume < 0:
            size += 1
    return size - h.n_given if h.phase == GIVE else size


@pointer(types.int64(HAND_TYPE, RULES_TYPE, types.int64, types.int64))
def rebuild(h, r, observation, mask):
    """Fill the record from int8[N_ROWS, 34] at address `observation` and int8[147] at address `mask`.

    The random streams of the record are left as they are. Returns REBUILT, NOT_ASKED (nothing is asked of the observer),
    OTHER_RULES, or CONTRADICTORY (what no hand under these rules shows).
    """
    seen = carray(address_as_bytes(observation), (N_ROWS, 34))
    legal = carray(address_as_bytes(mask), (N_ACTIONS,))
    phase = _phase_of(seen)
    asked = False
    for a in range(N_ACTIONS):
        asked = asked or legal[a] != 0
    if phase < 0 or not asked:
        return NOT_ASKED
    if not _standing(h, seen):
        return CONTRADICTORY
    if not _made_under(h, r, seen):
        return OTHER_RULES
    h.seed = 0
    h.match = 0
    h.hand = 1
    h.own_streams = 0
    h.phase = phase
    _own(h, r, seen, legal)
    _flowers(h, r, seen)
    _exchanged(h, seen)
    if not (_melds(h, r, seen) and lay_discards(h, seen) and _question(h, seen)):
        return CONTRADICTORY
    if h.phase == FLOWER:
        # Before anything was exchanged, konged or discarded it is asked about the opening flowers.
        in_opening = h.round == 0 and h.n_discards == 0 and h.any_claim == 0 and not r.dealer_draws_first
        h.resume = _NOBODY if in_opening else h.turn
    if not find_hidden_kongs(h, r, seen):
        return CONTRADICTORY
    held = 0
    for k in range(34):
        held += h.counts[0, k]
    if held != _own_size(h, r) or not deal_hidden(h, r):
        return CONTRADICTORY
    place_drawn(h, seen[RULES_ROW, 30] != 0)
    put_in_order(h)
    find_declarations(h, seen)
    for s in range(4):
        h.distance[s] = lack_of(h, r, s)
    if h.phase == TURN:
        h.lacks = h.distance[0]
        h.win_legal = 1 if legal[WIN] else 0
    return REBUILT
