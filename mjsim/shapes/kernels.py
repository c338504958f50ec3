"""Compiled look-ups in the shape tables: keys, distance, waits, accepting draws.

*Distance* is the number of tiles a hand lacks for `need` melds and a pair: 0 is complete, 1 ready by shape,
shanten is distance - 1. The four keys of a hand are the base-5 numbers of its Characters, Dots, Bamboo and honors.
"""

from __future__ import annotations

import numpy as np

from mjsim.jit import kernel, record_at
from mjsim.shapes.tables import TABLES

tables_at = record_at(TABLES)

#: Weight of each kind in the key of its suit.
POWER = np.array([5 ** (kind % 9 if kind < 27 else kind - 27) for kind in range(34)], dtype=np.int32)


@kernel
def keys_of(counts, keys):
    """Fill int32[4] `keys` from counts[34]."""
    for suit in range(3):
        key = 0
        for i in range(8, -1, -1):
            key = key * 5 + counts[suit * 9 + i]
        keys[suit] = key
    key = 0
    for i in range(6, -1, -1):
        key = key * 5 + counts[27 + i]
    keys[3] = key


@kernel
def distance(t, m, p, s, z, need):
    """Tiles lacking for `need` melds and a pair, from the four keys."""
    a = t.join_ss[t.suit[m], t.suit[p]]
    b = t.join_sz[t.suit[s], t.honor[z]]
    return np.int64(t.distance[need, a, b])


@kernel
def distance_keys(t, keys, need):
    """`distance` of an int32[4] of keys."""
    return distance(t, keys[0], keys[1], keys[2], keys[3], need)


@kernel
def distance_changed(t, keys, need, kind, change):
    """`distance` after `change` copies of `kind` are added."""
    m, p, s, z = keys[0], keys[1], keys[2], keys[3]
    step = change * POWER[kind]
    if kind < 9:
        m += step
    elif kind < 18:
        p += step
    elif kind < 27:
        s += step
    else:
        z += step
    return distance(t, m, p, s, z, need)


@kernel
def reaching(t, counts, keys, need, target):
    """Bits of the kinds (fewer than four in hand) whose addition brings the distance to `target` or below."""
    found = np.uint64(0)
    one = np.uint64(1)
    im, ip, iz = t.suit[keys[0]], t.suit[keys[1]], t.honor[keys[3]]
    js = t.suit[keys[2]]
    a = t.join_ss[im, ip]
    b = t.join_sz[js, iz]
    for i in range(9):
        if counts[i] < 4 and t.distance[need, t.join_ss[t.suit[keys[0] + POWER[i]], ip], b] <= target:
            found |= one << np.uint64(i)
    for i in range(9):
        if counts[9 + i] < 4 and t.distance[need, t.join_ss[im, t.suit[keys[1] + POWER[i]]], b] <= target:
            found |= one << np.uint64(9 + i)
    for i in range(9):
        if counts[18 + i] < 4 and t.distance[need, a, t.join_sz[t.suit[keys[2] + POWER[i]], iz]] <= target:
            found |= one << np.uint64(18 + i)
    for i in range(7):
        if counts[27 + i] < 4 and t.distance[need, a, t.join_sz[js, t.honor[keys[3] + POWER[27 + i]]]] <= target:
            found |= one << np.uint64(27 + i)
    return found


@kernel
def accepting(t, m, p, s, z, need, target, unseen):
    """Copies of the kinds that bring the hand of these keys to distance `target`, among the unseen ones."""
    total = 0
    im, ip, js, iz = t.suit[m], t.suit[p], t.suit[s], t.honor[z]
    a = t.join_ss[im, ip]
    b = t.join_sz[js, iz]
    for i in range(9):
        if unseen[i] > 0 and t.distance[need, t.join_ss[t.suit[m + POWER[i]], ip], b] <= target:
            total += unseen[i]
        if unseen[9 + i] > 0 and t.distance[need, t.join_ss[im, t.suit[p + POWER[i]]], b] <= target:
            total += unseen[9 + i]
        if unseen[18 + i] > 0 and t.distance[need, a, t.join_sz[t.suit[s + POWER[i]], iz]] <= target:
            total += unseen[18 + i]
    for i in range(7):
        if unseen[27 + i] > 0 and t.distance[need, a, t.join_sz[js, t.honor[z + POWER[27 + i]]]] <= target:
            total += unseen[27 + i]
    return total
