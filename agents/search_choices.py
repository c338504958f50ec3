"""What `search` compares: the actions that could be right, and what `heuristic` thinks of each.

The base policy's own choice is the first. `prior` is how many tai more a hand each other action is expected to be worth,
before anything is played out. The factors were fitted to about 2,000 decisions of `heuristic`, each played out
750 times or more with every action.
"""

from __future__ import annotations

import numpy as np

from mjsim.actions import (
    CHOW_LOW,
    DISCARD,
    EXCHANGE,
    KONG,
    OTHER,
    OWN_KONG,
    PASS,
    READY,
    START,
    W_DISCARD,
    W_KONG,
    W_OTHER,
    W_READY,
)
from mjsim.agents.heuristic import N_FORMS, best_gifts, special_is_nearer, worth_of_claims
from mjsim.agents.heuristic_danger import fear
from mjsim.agents.heuristic_sight import fill_hits, load, sight
from mjsim.agents.heuristic_value import worth_of_discards
from mjsim.agents.racing import HIGH_MINIMUM
from mjsim.agents.search_worlds import by_ukeire
from mjsim.flow.engine import is_legal
from mjsim.flow.lacking import nearest_discards, ukeire_of_discards
from mjsim.flow.moves import bit, has
from mjsim.flow.visible import unseen_by
from mjsim.hand_record import CHOICE, TURN
from mjsim.jit import kernel, lowest_bit
from mjsim.shapes.kernels import distance_keys, tables_at

#: Most actions, and most sets of tiles to give, that are compared.
MAX_ACTIONS = 24
#: Tai for each tai of `heuristic`'s own estimate, at a turn and at a claim, and for each accepting copy of its worth of a gift.
TURN_FACTOR, CLAIM_FACTOR, GIFT_FACTOR = 0.55, 0.7, 0.005
#: What is expected of an action that `heuristic` has no estimate of.
UNKNOWN = -0.1
#: An estimate tells no more than that the action is so much worse.
WORST = -4.0


@kernel
def _add(actions, prior, n, action, value):
    """Append an action that is not yet listed; returns how many there are."""
    for i in range(n):
        if actions[i, 0] == action:
            return n
    if n < MAX_ACTIONS:
        actions[n, 0] = action
        prior[n] = max(WORST, value)
        return n + 1
    return n


@kernel
def _by_ukeire(h, r, s, base, width, actions, prior):
    """Where `heuristic` estimates nothing: the discards that leave the hand nearest, those with most ukeire; all claims."""
    n = _add(actions, prior, 0, base, 0.0)
    if h.phase != TURN:
        word = h.legal[W_OTHER]
        while word:
            n = _add(actions, prior, n, OTHER + lowest_bit(word), UNKNOWN)
            word &= word - np.uint64(1)
        return n
    unseen = np.empty(34, np.int8)
    unseen_by(h, r, s, unseen)
    lowest, ties = nearest_discards(h, r, s, h.legal[W_DISCARD])
    ukeire = np.empty(34, np.int64)
    ukeire_of_discards(h, r, s, ties, lowest - 1, unseen, ukeire)
    for _ in range(width):
        best = np.int64(-1)
        rest = ties
        while rest:
            k = lowest_bit(rest)
            rest &= rest - np.uint64(1)
            if best < 0 or ukeire[k] >= ukeire[best]:
                best = k
        if best < 0:
            break
        ties &= ~bit(best)
        n = _add(actions, prior, n, DISCARD + best, UNKNOWN)
    return n


@kernel
def _discards(h, r, s, base, width, c, me, actions, prior):
    """The discards worth most, with and without declaring."""
    worth = np.empty(34, np.float64)
    cost = np.empty(34, np.float64)
    worth_of_discards(h, r, s, c, me, h.legal[W_DISCARD], h.legal[W_READY], worth)
    fear(h, r, s, c, cost)
    for k in range(34):
        worth[k] -= cost[k]
    n = _add(actions, prior, 0, base, 0.0)
    of_base = 0.0
    rest = h.legal[W_DISCARD]
    if base < OWN_KONG:
        k = base - READY if base >= READY else base - DISCARD
        of_base = worth[k]
        if base >= READY:
            n = _add(actions, prior, n, DISCARD + k, UNKNOWN)
        elif has(h.legal[W_READY], k):
            n = _add(actions, prior, n, READY + k, UNKNOWN)
    else:
        best = lowest_bit(rest)
        for k in range(34):
            if has(rest, k) and worth[k] >= worth[best]:
                best = k
        of_base = worth[best]
    for _ in range(width):
        if rest == np.uint64(0):
            break
        best = lowest_bit(rest)
        for k in range(34):
            if has(rest, k) and worth[k] >= worth[best]:
                best = k
        rest &= ~bit(best)
        action = (READY if has(h.legal[W_READY], best) else DISCARD) + best
        n = _add(actions, prior, n, action, TURN_FACTOR * (worth[best] - of_base))
    return n


@kernel
def _claims(h, r, s, base, c, me, actions, prior):
    worth = np.empty(N_FORMS, np.float64)
    without = worth_of_claims(h, r, s, c, me, worth)
    of_base = without if base == PASS else worth[base - CHOW_LOW]
    n = _add(actions, prior, 0, base, 0.0)
    n = _add(actions, prior, n, PASS, CLAIM_FACTOR * (without - of_base))
    for form in range(CHOW_LOW, KONG + 1):
        if is_legal(h, form):
            n = _add(actions, prior, n, form, CLAIM_FACTOR * (worth[form - CHOW_LOW] - of_base))
    return n


@kernel
def _estimated(h, r, s, base, width, values, actions, prior, tables, seats):
    """A turn or a claim. TABLE[1] and SEAT[1] are scratch; the caller keeps them alive."""
    c = tables[0]
    me = seats[0]
    sight(h, r, s, values, c)
    if c.minimum >= HIGH_MINIMUM or (r.specials != 0 and special_is_nearer(h, r, s)):
        return _by_ukeire(h, r, s, base, width, actions, prior)
    load(h, s, me)
    fill_hits(c, distance_keys(tables_at(r.tables), h.keys[s], 5 - h.n_melds[s]))
    if h.phase == TURN:
        return _discards(h, r, s, base, width, c, me, actions, prior)
    return _claims(h, r, s, base, c, me, actions, prior)


@kernel
def plausible(h, r, s, base, width, values, actions, prior, tables, seats):
    """What is compared at a turn, a claim or the dealer's decision, and how many actions those are.

    Fills the first column of int64[MAX_ACTIONS, 3] `actions`, and float64[MAX_ACTIONS] `prior`. `values` are the parameters
    of `heuristic`; TABLE[1] and SEAT[1] are scratch.
    """
    if h.phase == CHOICE:
        n = _add(actions, prior, 0, base, 0.0)
        n = _add(actions, prior, n, START, 0.0)
        return _add(actions, prior, n, EXCHANGE, 0.0)
    n = _estimated(h, r, s, base, width, values, actions, prior, tables, seats)
    if h.phase == TURN:
        if READY <= base < OWN_KONG:
            n = _add(actions, prior, n, DISCARD + base - READY, UNKNOWN)
        kongs = h.legal[W_KONG]
        while kongs:
            n = _add(actions, prior, n, OWN_KONG + lowest_bit(kongs), UNKNOWN)
            kongs &= kongs - np.uint64(1)
    return n


@kernel
def plausible_gifts(h, r, s, width, values, gifts, prior, tables, seats):
    """Fill int64[MAX_ACTIONS, 3] `gifts` with sets of three to give and `prior`; returns how many, `width` at most.

    The better half are those of `heuristic`, which keeps honors; the others those that leave the fewest shanten and then the most
    ukeire, whatever comes back. TABLE[1] and SEAT[1] are scratch.
    """
    c = tables[0]
    me = seats[0]
    sight(h, r, s, values, c)
    load(h, s, me)
    n = best_gifts(tables_at(r.tables), c, me, 3, (width + 1) // 2, gifts, prior)
    best = prior[0]
    for i in range(n):
        prior[i] = max(WORST, GIFT_FACTOR * (prior[i] - best))
    plain = np.empty((MAX_ACTIONS, 3), np.int64)
    worth = np.empty(MAX_ACTIONS, np.float64)
    by_ukeire(c)
    found = best_gifts(tables_at(r.tables), c, me, 3, width, plain, worth)
    for i in range(found):
        known = False
        for j in range(n):
            if gifts[j, 0] == plain[i, 0] and gifts[j, 1] == plain[i, 1] and gifts[j, 2] == plain[i, 2]:
                known = True
        if not known and n < width:
            for j in range(3):
                gifts[n, j] = plain[i, j]
            prior[n] = max(WORST, GIFT_FACTOR * (worth[i] - worth[0]))
            n += 1
    return n
