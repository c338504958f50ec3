"""The order of the discards, as far as an observation tells it, and who declared with which of them.

Owns the search for turns that fit every claim; a part of `unobserve`.
"""

from __future__ import annotations

import numpy as np

from mjsim.hand_record import CLAIM, DECLARED_MIGI, DECLARED_READY, MAX_DISCARDS, N_RECENT, TURN
from mjsim.jit import kernel
from mjsim.observe import DECLARED_WITH, DISCARDED, N_LATEST, OWN_LAST, RECENT, STATES, TAKEN

#: Claims of one hand: five melds of each seat.
_MAX_CLAIMS = 20
#: Steps of the search for the order of discards, far beyond what hands of play need.
_MAX_STEPS = 20_000


@kernel
def one_of(row):
    """The kind that is set in a row, -1 for none."""
    for k in range(34):
        if row[k]:
            return k
    return -1


@kernel
def lay_discards(h, seen):
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
            k = one_of(seen[RECENT + s * N_LATEST + i])
            if k < 0:
                return False
            h.recent[s, (n - 1 - i) & (N_RECENT - 1)] = k
        h.last_discard[s] = one_of(seen[RECENT + s * N_LATEST])
    h.last_discard[0] = one_of(seen[OWN_LAST])
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
def put_in_order(h):
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
def find_declarations(h, seen):
    """Who has declared, and with which discard: the first of its kind after the seat's claims, a declared hand makes none.

    Where the seat has discarded the kind again since, or before, that is a guess (right in two of three such cases).
    """
    for s in range(4):
        if not (seen[STATES, s] or seen[STATES, 4 + s]):
            continue
        h.declared[s] = DECLARED_READY if seen[STATES, s] else DECLARED_MIGI
        k = one_of(seen[DECLARED_WITH + s])
        if k < 0:
            continue
        for t in range(h.n_discards):
            if h.discard_taken[t] == s:
                h.declared_at[s] = -1
            elif h.discarder[t] == s and h.discards[t] == k and h.declared_at[s] < 0:
                h.declared_at[s] = t
