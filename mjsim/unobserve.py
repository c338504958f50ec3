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
from mjsim.flow.luck import below
from mjsim.flow.moves import add_meld, add_tile, bit
from mjsim.flow.opening import clear
from mjsim.hand_record import (
    CLAIM,
    DECLARE,
    DECLARED_MIGI,
    DECLARED_READY,
    FLOWER,
    GIVE,
    HAND_TYPE,
    MAX_DISCARDS,
    N_RECENT,
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
    DECLARED_WITH,
    DICE,
    DISCARDED,
    DRAWN,
    FLOWERS,
    GAVE,
    KONGS,
    N_LATEST,
    N_ROWS,
    OWN,
    OWN_LAST,
    POOLS,
    PUNGS,
    QUESTION,
    RECENT,
    RULES_ROW,
    STATES,
    TABLE,
    TAKEN,
    TOOK,
    WALL,
    rules_values,
)
from mjsim.ruleset.record import FLOWERS_ON_REPLACEMENT, RULES_TYPE
from mjsim.tiles import FULL_SET, N_TILES

#: Answers of `rebuild`.
REBUILT, NOT_ASKED, OTHER_RULES, CONTRADICTORY = range(4)

#: Claims of one hand: five melds of each seat.
_MAX_CLAIMS = 20
#: Steps of the search for the order of discards, far beyond what hands of play need.
_MAX_STEPS = 20_000
_NOBODY = -1


@kernel
def _which(row, first, n):
    """Which of n single values is set, -1 for none."""
    for i in range(n):
        if row[first + i]:
            return i
    return -1


@kernel
def _one_of(row):
    """The kind that is set in a row, -1 for none."""
    for k in range(34):
        if row[k]:
            return k
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
def _discards(h, seen):
    """Discards by seat, without their order over seats."""
    for s in range(4):
        n = 0
        for k in range(34):
            h.discarded[s, k] = seen[DISCARDED + s, k]
            h.taken[s, k] = seen[TAKEN + s, k]
            h.shown[k] += h.discarded[s, k] - h.taken[s, k]
            n += h.discarded[s, k]
        h.n_discards_of[s] = n
        h.n_discards += n
        for i in range(min(n, N_LATEST)):
            k = _one_of(seen[RECENT + s * N_LATEST + i])
            if k < 0:
                return False
            h.recent[s, (n - 1 - i) & (N_RECENT - 1)] = k
        h.last_discard[s] = _one_of(seen[RECENT + s * N_LATEST])
    h.last_discard[0] = _one_of(seen[OWN_LAST])
    return h.n_discards <= MAX_DISCARDS


@kernel
def _kind_at(h, s, j):
    """Kind of the j-th discard of seat s, -1 where only the latest ones are known in order."""
    n = np.int64(h.n_discards_of[s])
    return np.int64(h.recent[s, j & (N_RECENT - 1)]) if j >= n - N_LATEST else np.int64(-1)


@kernel
def _order(h, source, kind, taker, n_claims, seats, took):
    """Find whose discard each was: a path of turns that every claim fits. Fills seats[n + 1] and took[n] (claim or -1).

    From the dealer on, the turn goes to the next seat or to who claimed the discard. A depth-first search; returns
    whether it found a path.
    """
    n = np.int64(h.n_discards)
    tries = np.zeros(n + 1, np.int64)
    visits = np.zeros(4, np.int64)
    older = np.zeros((4, 34), np.int64)  # copies among the discards whose order is not known
    for s in range(4):
        for k in range(34):
            older[s, k] = h.discarded[s, k]
        for j in range(max(0, np.int64(h.n_discards_of[s]) - N_LATEST), np.int64(h.n_discards_of[s])):
            older[s, _kind_at(h, s, j)] -= 1
    used = np.int64(0)
    everything = (np.int64(1) << n_claims) - 1
    seats[0] = h.dealer
    t = np.int64(0)
    for _ in range(_MAX_STEPS):
        s = seats[t]
        moved = False
        if t == n:
            if h.phase == CLAIM:
                fits = n > 0 and seats[n - 1] == h.claim_from and took[n - 1] < 0
            else:
                fits = s == h.turn
                if h.phase == TURN and n > 0 and h.turn_kongs == 0:
                    fits = fits and (took[n - 1] >= 0) == (h.claim_turn != 0)
            if fits and used == everything:
                return True
        elif visits[s] < h.n_discards_of[s]:
            k = _kind_at(h, s, visits[s])
            while tries[t] <= n_claims and not moved:
                c = tries[t]
                tries[t] += 1
                if c < n_claims:
                    if used >> c & 1 or source[c] != s or (kind[c] != k and (k >= 0 or older[s, kind[c]] <= 0)):
                        continue
                    used |= np.int64(1) << c
                    if k < 0:
                        older[s, kind[c]] -= 1
                    took[t] = c
                    seats[t + 1] = taker[c]
                else:
                    if k >= 0:
                        # Claims of this kind that are still to come need as many later copies.
                        due = 0
                        for other in range(n_claims):
                            if source[other] == s and kind[other] == k and not used >> other & 1:
                                due += 1
                        later = 0
                        for j in range(visits[s] + 1, np.int64(h.n_discards_of[s])):
                            if _kind_at(h, s, j) == k:
                                later += 1
                        if due > later:
                            continue
                    took[t] = -1
                    seats[t + 1] = (s + 1) % 4
                visits[s] += 1
                moved = True
        if moved:
            t += 1
            tries[t] = 0
            continue
        t -= 1
        if t < 0:
            return False
        s = seats[t]
        visits[s] -= 1
        if took[t] >= 0:
            used &= ~(np.int64(1) << took[t])
            if _kind_at(h, s, visits[s]) < 0:
                older[s, kind[took[t]]] += 1
    return False


@kernel
def _in_order(h):
    """Put the discards of all seats in order of time, as far as turns and claims tell it."""
    source = np.empty(_MAX_CLAIMS, np.int64)
    kind = np.empty(_MAX_CLAIMS, np.int64)
    taker = np.empty(_MAX_CLAIMS, np.int64)
    n_claims = 0
    for s in range(4):
        for i in range(h.n_melds[s]):
            if h.meld_from[s, i] >= 0:
                source[n_claims], kind[n_claims], taker[n_claims] = h.meld_from[s, i], h.meld_claimed[s, i], s
                n_claims += 1
    n = np.int64(h.n_discards)
    seats = np.empty(n + 1, np.int64)
    took = np.empty(n + 1, np.int64)
    if not _order(h, source, kind, taker, n_claims, seats, took):
        # A contradiction, or a hand too long to tell: round the table, the nearest guess.
        placed = np.zeros(4, np.int64)
        s = np.int64(h.dealer)
        for t in range(n):
            while placed[s] >= h.n_discards_of[s]:
                s = (s + 1) % 4
            seats[t], took[t] = s, -1
            placed[s] += 1
            s = (s + 1) % 4
    unplaced = np.zeros((4, 34), np.int64)
    for s in range(4):
        for k in range(34):
            unplaced[s, k] = h.discarded[s, k]
        for j in range(max(0, np.int64(h.n_discards_of[s]) - N_LATEST), np.int64(h.n_discards_of[s])):
            unplaced[s, _kind_at(h, s, j)] -= 1
    visits = np.zeros(4, np.int64)
    for t in range(n):
        s = seats[t]
        k = _kind_at(h, s, visits[s])
        if k < 0 and took[t] >= 0:
            unplaced[s, kind[took[t]]] -= 1
        visits[s] += 1
    visits[:] = 0
    for t in range(n):
        s = seats[t]
        k = _kind_at(h, s, visits[s])
        if k < 0:
            if took[t] >= 0:
                k = kind[took[t]]
            else:
                k = np.int64(0)
                while k < 33 and unplaced[s, k] <= 0:
                    k += 1
                unplaced[s, k] -= 1
        visits[s] += 1
        h.discards[t] = k
        h.discarder[t] = s
        h.discard_taken[t] = taker[took[t]] if took[t] >= 0 else -1


@kernel
def _declarations(h, seen):
    """Who has declared, and with which discard: the first of its kind after the seat's claims, a declared hand makes none.

    Where the seat has discarded the kind again since, or before, that is a guess (right in two of three such cases).
    """
    for s in range(4):
        if not (seen[STATES, s] or seen[STATES, 4 + s]):
            continue
        h.declared[s] = DECLARED_READY if seen[STATES, s] else DECLARED_MIGI
        k = _one_of(seen[DECLARED_WITH + s])
        if k < 0:
            continue
        for t in range(h.n_discards):
            if h.discard_taken[t] == s:
                h.declared_at[s] = -1
            elif h.discarder[t] == s and h.discards[t] == k and h.declared_at[s] < 0:
                h.declared_at[s] = t


@kernel
def _question(h, seen):
    """What is asked on a discard or an added kong; for an Original Call, after whom."""
    if h.phase == DECLARE:
        h.stage = (0 - h.dealer) % 4
    if h.phase != CLAIM and h.phase != ROB:
        return True
    k = _one_of(seen[QUESTION])
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
    h.drawn = _one_of(seen[DRAWN])
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
def _add_hidden_kong(h, s):
    """A concealed kong of seat s of which only that it is there is known."""
    i = h.n_melds[s]
    h.meld_type[s, i] = KONG_CONCEALED
    h.meld_tile[s, i] = -1
    h.meld_claimed[s, i] = -1
    h.meld_from[s, i] = -1
    h.n_melds[s] = i + 1


@kernel
def _held_by(h, r, s):
    """Concealed tiles of another seat, those that it gives in this exchange included."""
    # The dealer has one tile more until its first discard, unless it draws it as its first turn.
    opening = h.phase == GIVE or h.phase == DECLARE or (h.phase == FLOWER and h.resume < 0)
    extra = 1 if opening and s == h.dealer and not r.dealer_draws_first else 0
    return 16 - 3 * np.int64(h.n_melds[s]) + extra


@kernel
def _hidden_kongs(h, r, seen):
    """Kongs that only show that they are there. Two of a seat are counted; more are told by the tiles left alone."""
    for s in range(1, 4):
        kongs = seen[STATES, 14 + s] + seen[STATES, 18 + s]
        for _ in range(kongs - (h.n_melds[s] - h.n_exposed[s])):
            if h.n_melds[s] >= 5:
                return False
            _add_hidden_kong(h, s)
    left = 8 - np.int64(h.n_flowers) - np.int64(r.kept_back)
    unseen = np.empty(34, np.int64)
    _unseen(h, r, unseen)
    for k in range(34):
        left += unseen[k]
    for s in range(1, 4):
        left -= _held_by(h, r, s)
        for i in range(h.n_melds[s]):
            if h.meld_tile[s, i] < 0:
                left -= 4
    for s in range(1, 4):
        while seen[STATES, 18 + s] and h.n_melds[s] < 5 and r.concealed_kong_hidden and not _fits(seen, left):
            _add_hidden_kong(h, s)
            left -= 1
    return True


@kernel
def _fits(seen, left):
    """Whether so many drawable tiles show as the observation has it."""
    for i in range(34):
        if (seen[WALL, i] != 0) != (left > i if i < 6 else left >= 2 * i - 4):
            return False
    return True


@kernel
def _unseen(h, r, unseen):
    """Copies of each kind that the observer does not see."""
    for k in range(34):
        unseen[k] = 4 - h.shown[k] - h.counts[0, k]
        if h.phase == ROB and k == h.claim_tile:
            unseen[k] -= 1
    for i in range(h.n_melds[0]):
        if h.meld_type[0, i] == KONG_CONCEALED and r.concealed_kong_hidden:
            unseen[h.meld_tile[0, i]] -= 4
    if h.phase == GIVE:
        for i in range(h.n_given):
            unseen[h.gives[h.round, 0, i]] -= 1


@kernel
def _deal_hidden(h, r):
    """Deal what the observer does not see: others' kongs and tiles, gives of this exchange, the wall. False if it cannot be."""
    rng = np.zeros(1, np.uint64)
    unseen = np.empty(34, np.int64)
    _unseen(h, r, unseen)
    for s in range(1, 4):
        for i in range(h.n_melds[s]):
            if h.meld_tile[s, i] < 0:  # a kong that is known to be there
                kinds = 0
                for k in range(34):
                    kinds += unseen[k] == 4
                if kinds == 0:
                    return False
                left = below(rng, 0, kinds)
                for k in range(34):
                    if unseen[k] == 4:
                        if left == 0:
                            h.meld_tile[s, i] = k
                            h.melded[s, k] += 4
                            unseen[k] = 0
                            break
                        left -= 1
    pool = np.empty(N_TILES, np.int64)
    n = 0
    for k in range(34):
        if unseen[k] < 0:
            return False
        for _ in range(unseen[k]):
            pool[n] = k
            n += 1
    for i in range(n - 1, 0, -1):
        j = below(rng, 0, i + 1)
        pool[i], pool[j] = pool[j], pool[i]
    for s in range(1, 4):
        held = _held_by(h, r, s)
        asked_before = (s - h.dealer) % 4 < (0 - h.dealer) % 4
        gives = 3 if h.phase == GIVE and asked_before else 0
        if n < held or held < gives:
            return False
        for i in range(held):
            n -= 1
            if i < gives:
                h.gives[h.round, s, i] = pool[n]
            else:
                add_tile(h, s, pool[n])
    for f in range(8):
        lies_open = False
        for s in range(4):
            if h.flowers[s] >> f & 1:
                lies_open = True
        if not lies_open:
            pool[n] = 34 + f
            n += 1
    for i in range(n - 1, 0, -1):
        j = below(rng, 0, i + 1)
        pool[i], pool[j] = pool[j], pool[i]
    replaced = np.int64(h.n_flowers)
    if h.phase == FLOWER and h.resume >= 0:
        replaced -= 1
    for s in range(4):
        for i in range(h.n_melds[s]):
            if h.meld_type[s, i] >= KONG_EXPOSED:
                replaced += 1
    h.tail = N_TILES - replaced
    h.head = h.tail - n
    if h.head < 64:
        return False
    _fill_wall(h, pool, n)
    return True


@kernel
def _fill_wall(h, undealt, n):
    """The undealt tiles from head to tail, those that were drawn around them; the tile drawn last where it was drawn."""
    left = np.zeros(42, np.int64)
    for i in range(N_TILES):
        left[FULL_SET[i]] += 1
    for i in range(n):
        h.wall[h.head + i] = undealt[i]
        left[undealt[i]] -= 1
    place = np.int64(0)
    for k in range(42):
        for _ in range(left[k]):
            if place == h.head:
                place = np.int64(h.tail)
            h.wall[place] = k
            place += 1


@kernel
def _place_drawn(h, late):
    """Where in the wall the tile drawn last lay; `late` when it was of the last sixteen."""
    h.drawn_at = -1
    if h.drawn < 0:
        return
    h.drawn_at = h.tail if h.tail < N_TILES and (h.replacement or late) else h.head - 1
    for place in range(N_TILES):
        if (place < h.head or place >= h.tail) and h.wall[place] == h.drawn:
            h.wall[place] = h.wall[h.drawn_at]
            h.wall[h.drawn_at] = h.drawn
            return


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
    if not (_melds(h, r, seen) and _discards(h, seen) and _question(h, seen)):
        return CONTRADICTORY
    if h.phase == FLOWER:
        # Before anything was exchanged, konged or discarded it is asked about the opening flowers.
        in_opening = h.round == 0 and h.n_discards == 0 and h.any_claim == 0 and not r.dealer_draws_first
        h.resume = _NOBODY if in_opening else h.turn
    if not _hidden_kongs(h, r, seen):
        return CONTRADICTORY
    held = 0
    for k in range(34):
        held += h.counts[0, k]
    if held != _own_size(h, r) or not _deal_hidden(h, r):
        return CONTRADICTORY
    _place_drawn(h, seen[RULES_ROW, 30] != 0)
    _in_order(h)
    _declarations(h, seen)
    for s in range(4):
        h.distance[s] = lack_of(h, r, s)
    if h.phase == TURN:
        h.lacks = h.distance[0]
        h.win_legal = 1 if legal[WIN] else 0
    return REBUILT
