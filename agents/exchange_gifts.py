"""What to give in the Three-Tile Exchange by named criteria: all sets of three are compared as a whole.

Criteria look at the tiles that stay, or at the three that go. They come as a list: the second decides between sets that are
equal by the first, and so on; what is still equal is drawn by lot. Owns no policy (see `exchange`).
"""

from __future__ import annotations

import numpy as np

from mjsim.flow.lacking import specials_of
from mjsim.flow.luck import below, mix
from mjsim.flow.visible import unseen_by
from mjsim.jit import kernel, lowest_bit
from mjsim.shapes.kernels import POWER, distance_keys, reaching, tables_at
from mjsim.shapes.special import bits_of, special_lack_below, special_reaching

#: What a criterion prefers, in the words of the command line.
CRITERIA = {
    "shanten": "fewest shanten in what stays",
    "ukeire": "most unseen tiles that bring what stays nearer",
    "suit": "most tiles of one suit in what stays",
    "honors": "most honors given",
    "terminals": "most terminals given",
    "pungs": "most tiles standing in pairs and pungs in what stays",
}
SHANTEN, UKEIRE, SUIT, HONOR, TERMINAL, PUNGS = range(len(CRITERIA))
MAX_CRITERIA = len(CRITERIA)

#: More than the ways to take three tiles of at most 17 kinds.
MAX_SETS = 1024
#: 1 for the kinds that are so.
HONORS = np.array([k >= 27 for k in range(34)], dtype=np.int8)
TERMINALS = np.array([k < 27 and k % 9 in (0, 8) for k in range(34)], dtype=np.int8)
#: The lots of gifts come from the seat's stream without moving it on, so that a gift changes no later draw of the seat.
_LOT = np.uint64(0xD1B54A32D192ED03)

#: A hand from which tiles are given in thought.
HELD = np.dtype(
    [
        ("counts", np.int8, 34),
        ("keys", np.int32, 4),
        ("need", np.int64),  # melds to make
        ("specials", np.int64),
        ("unseen", np.int8, 34),  # copies of each kind neither held before the gift nor open
    ],
    align=True,
)

#: The different kinds of a hand in order, and the best sets of their places so far; place n stands for no tile.
PLACES = np.dtype(
    [
        ("n", np.int64),
        ("kind", np.int64, 18),
        ("copies", np.int64, 18),
        ("n_sets", np.int64),
        ("a", np.int8, MAX_SETS),
        ("b", np.int8, MAX_SETS),
        ("c", np.int8, MAX_SETS),
        ("value", np.int16, MAX_SETS),
    ],
    align=True,
)


@kernel
def lot(h, s, number, n):
    """A number of 0..n-1 for the `number`-th lot of seat s in this hand; the stream stays as it is."""
    rng = np.empty(1, np.uint64)
    rng[0] = mix(h.rng[s] + _LOT * np.uint64(number + 1))
    return below(rng, 0, n)


@kernel
def hold(h, r, s, held):
    """Fill HELD with the tiles of seat s."""
    for k in range(34):
        held.counts[k] = h.counts[s, k]
    for i in range(4):
        held.keys[i] = h.keys[s, i]
    held.need = 5 - h.n_melds[s]
    held.specials = specials_of(h, r, s)
    unseen_by(h, r, s, held.unseen)
    # A tile already given in this exchange was in the hand that the gift is taken from.
    for i in range(h.n_given):
        held.unseen[h.gives[h.round, s, i]] -= 1


@kernel
def _list_sets(held, left, low, x):
    """Fill PLACES with all sets of `left` tiles of kind `low` or higher, in ascending order."""
    n = 0
    for k in range(low, 34):
        if held.counts[k] and n < 17:
            x.kind[n] = k
            x.copies[n] = held.counts[k]
            n += 1
    x.n = n
    x.kind[n] = 0
    x.copies[n] = 0
    found = 0
    for i in range(n):
        for j in range(i if left > 1 else n, n if left > 1 else n + 1):
            if i == j and x.copies[i] < 2:
                continue
            for m in range(j if left > 2 else n, n if left > 2 else n + 1):
                if j == m and j < n and x.copies[j] < (3 if i == j else 2):
                    continue
                x.a[found] = i
                x.b[found] = j
                x.c[found] = m
                found += 1
    x.n_sets = found


@kernel
def _keep_best(x):
    """Keep the sets of the highest value."""
    best = x.value[0]
    for i in range(1, x.n_sets):
        best = max(best, x.value[i])
    kept = 0
    for i in range(x.n_sets):
        if x.value[i] == best:
            x.a[kept] = x.a[i]
            x.b[kept] = x.b[i]
            x.c[kept] = x.c[i]
            kept += 1
    x.n_sets = kept


@kernel
def _change(held, x, place, n):
    """Give n copies of the kind at a place in thought (take them back where n is negative)."""
    if place < x.n:
        k = x.kind[place]
        held.counts[k] -= n
        held.keys[k // 9] -= n * POWER[k]


@kernel
def _value_shanten(t, held, x):
    """Minus the tiles lacking without each set."""
    need = held.need
    before = np.int64(-1)
    m = p = s = z = mp = sz = np.int64(0)
    power = np.zeros(18, np.int64)
    suit = np.full(18, 3)
    for i in range(x.n):
        power[i] = POWER[x.kind[i]]
        suit[i] = x.kind[i] // 9
    keys = np.empty(4, np.int64)
    for i in range(x.n_sets):
        a, b, c = np.int64(x.a[i]), np.int64(x.b[i]), np.int64(x.c[i])
        if a * 18 + b != before:
            # Sets come in order: what the first two leave is looked up once for all third ones.
            before = a * 18 + b
            for j in range(4):
                keys[j] = held.keys[j]
            keys[suit[a]] -= power[a]
            keys[suit[b]] -= power[b]
            m, p, s, z = (
                np.int64(t.suit[keys[0]]),
                np.int64(t.suit[keys[1]]),
                np.int64(t.suit[keys[2]]),
                np.int64(t.honor[keys[3]]),
            )
            mp, sz = np.int64(t.join_ss[m, p]), np.int64(t.join_sz[s, z])
        key = keys[suit[c]] - power[c]
        if suit[c] == 0:
            lack = t.distance[need, t.join_ss[t.suit[key], p], sz]
        elif suit[c] == 1:
            lack = t.distance[need, t.join_ss[m, t.suit[key]], sz]
        elif suit[c] == 2:
            lack = t.distance[need, mp, t.join_sz[t.suit[key], z]]
        else:
            lack = t.distance[need, mp, t.join_sz[s, t.honor[key]]]
        if held.specials:
            _change(held, x, a, 1)
            _change(held, x, b, 1)
            _change(held, x, c, 1)
            one, two, three, four = bits_of(held.counts)
            lack = special_lack_below(held.specials, one, two, three, four, np.int64(lack))
            _change(held, x, a, -1)
            _change(held, x, b, -1)
            _change(held, x, c, -1)
        x.value[i] = -lack


@kernel
def _ukeire(t, held):
    """Unseen tiles that bring the hand nearer."""
    target = distance_keys(t, held.keys, held.need) - 1
    if held.specials:
        one, two, three, four = bits_of(held.counts)
        target = special_lack_below(held.specials, one, two, three, four, target + 1) - 1
        bits = special_reaching(held.specials, one, two, three, four, target)
        bits |= reaching(t, held.counts, held.keys, held.need, target)
    else:
        bits = reaching(t, held.counts, held.keys, held.need, target)
    total = 0
    while bits:
        total += held.unseen[lowest_bit(bits)]
        bits &= bits - np.uint64(1)
    return total


@kernel
def value_ukeire(t, held, x):
    """Fill the values of the sets with the unseen tiles that bring the hand nearer without each."""
    for i in range(x.n_sets):
        a, b, c = np.int64(x.a[i]), np.int64(x.b[i]), np.int64(x.c[i])
        _change(held, x, a, 1)
        _change(held, x, b, 1)
        _change(held, x, c, 1)
        x.value[i] = _ukeire(t, held)
        _change(held, x, a, -1)
        _change(held, x, b, -1)
        _change(held, x, c, -1)


@kernel
def _value_given(x, marks):
    """How many tiles of each set are of the kinds marked 1 in int8[34]."""
    of = np.zeros(18, np.int16)
    for i in range(x.n):
        of[i] = marks[x.kind[i]]
    for i in range(x.n_sets):
        x.value[i] = of[x.a[i]] + of[x.b[i]] + of[x.c[i]]


@kernel
def _value_suit(held, x):
    """Tiles of the longest suit without each set."""
    length = np.zeros(4, np.int64)
    for k in range(27):
        length[k // 9] += held.counts[k]
    suit = np.full(18, 3)
    for i in range(x.n):
        suit[i] = x.kind[i] // 9
    for i in range(x.n_sets):
        a, b, c = suit[x.a[i]], suit[x.b[i]], suit[x.c[i]]
        longest = np.int64(0)
        for j in range(3):
            longest = max(longest, length[j] - (a == j) - (b == j) - (c == j))
        x.value[i] = longest


@kernel
def _broken(copies, given):
    """How many tiles in pairs and pungs fewer there are after so many copies of a kind are given."""
    before = copies if copies >= 2 else 0
    after = copies - given if copies - given >= 2 else 0
    return before - after


@kernel
def _value_pungs(x):
    """Minus the tiles in pairs and pungs that each set breaks up."""
    copies = x.copies  # none at the place that stands for no tile
    for i in range(x.n_sets):
        a, b, c = np.int64(x.a[i]), np.int64(x.b[i]), np.int64(x.c[i])
        if a == c:
            broken = _broken(copies[a], 3)
        elif a == b:
            broken = _broken(copies[a], 2) + _broken(copies[c], 1)
        elif b == c:
            broken = _broken(copies[a], 1) + _broken(copies[b], 2)
        else:
            broken = _broken(copies[a], 1) + _broken(copies[b], 1) + _broken(copies[c], 1)
        x.value[i] = -broken


@kernel
def best_sets(t, held, criteria, left, low, x):
    """Fill PLACES `x` with the best sets of `left` (1-3) tiles of kind `low` or higher."""
    _list_sets(held, left, low, x)
    for rank in range(len(criteria)):
        if x.n_sets < 2:
            return
        criterion = criteria[rank]
        if criterion == SHANTEN:
            _value_shanten(t, held, x)
        elif criterion == UKEIRE:
            value_ukeire(t, held, x)
        elif criterion == HONOR:
            _value_given(x, HONORS)
        elif criterion == TERMINAL:
            _value_given(x, TERMINALS)
        elif criterion == SUIT:
            _value_suit(held, x)
        else:
            _value_pungs(x)
        _keep_best(x)


@kernel
def set_at(x, i):
    """The i-th set of three kinds a <= b <= c as the number (a * 34 + b) * 34 + c."""
    return (x.kind[x.a[i]] * 34 + x.kind[x.b[i]]) * 34 + x.kind[x.c[i]]


@kernel
def next_gift(h, r, s, criteria, memory, places):
    """The next tile of the gift, lowest kind first, so that each of the best sets has the same chance.

    The lot of the first tile takes one of the best sets and gives its lowest kind; the next one chooses among the best sets
    that begin so. HELD[1] `memory` and PLACES[1] `places` are scratch that the caller keeps alive.
    """
    held, x = memory[0], places[0]
    hold(h, r, s, held)
    t = tables_at(r.tables)
    given = np.int64(h.n_given)
    low = np.int64(h.gives[h.round, s, given - 1]) if given else 0
    best_sets(t, held, criteria, 3 - given, low, x)
    if x.n_sets == 0:  # somebody else chose the first tiles, and not from the lowest up
        best_sets(t, held, criteria, 3 - given, 0, x)
    return x.kind[x.a[lot(h, s, 3 * h.round + given, x.n_sets)]]
