"""Compiled look-ups in the shape tables: keys, distance, waits, accepting draws.

*Distance* is the number of tiles a hand lacks for `need` melds and a pair: 0 is complete, 1 ready by shape,
shanten is distance - 1. The four keys of a hand are the base-5 numbers of its Characters, Dots, Bamboo and honors.
"""

from __future__ import annotations

import numpy as np

from mjsim.jit import kernel, lowest_bit, record_at
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
def _own_suit(t, first, key, need, partner, other, is_left, target, unseen):
    """Copies of one number suit's draws that reach `target`; the suit's key lacks the tile given up.

    `partner` is the number of the suit that it is joined with, `other` that of the other pair of suits.
    """
    total = 0
    for i in range(9):
        if unseen[first + i] > 0:
            number = t.suit[key + POWER[i]]
            if is_left:
                d = t.distance[need, t.join_ss[number, partner], other]
            else:
                d = t.distance[need, other, t.join_sz[number, partner]]
            if d <= target:
                total += unseen[first + i]
    return total


@kernel
def ukeire_after(t, keys, need, target, discards, unseen, out):
    """For each of the bits `discards`: unseen copies that bring the hand without that tile to `target` or below.

    Fills out[34] at those kinds. What a draw makes of its own suit is looked up once for all discards of other suits.
    """
    m, p, s, z = np.int64(keys[0]), np.int64(keys[1]), np.int64(keys[2]), np.int64(keys[3])
    im, ip, js, iz = t.suit[m], t.suit[p], t.suit[s], t.honor[z]
    a, b = t.join_ss[im, ip], t.join_sz[js, iz]
    made = np.zeros(27, np.int64)  # number of the suit with one tile more
    joined = np.zeros(34, np.int64)  # and of its pair of suits
    # Only kinds with an unseen copy are looked up: with four in hand there is no key for a fifth.
    for i in range(9):
        if unseen[i] > 0:
            made[i] = t.suit[m + POWER[i]]
            joined[i] = t.join_ss[made[i], ip]
        if unseen[9 + i] > 0:
            made[9 + i] = t.suit[p + POWER[i]]
            joined[9 + i] = t.join_ss[im, made[9 + i]]
        if unseen[18 + i] > 0:
            made[18 + i] = t.suit[s + POWER[i]]
            joined[18 + i] = t.join_sz[made[18 + i], iz]
    for i in range(7):
        if unseen[27 + i] > 0:
            joined[27 + i] = t.join_sz[js, t.honor[z + POWER[27 + i]]]
    while discards:
        k = lowest_bit(discards)
        discards &= discards - np.uint64(1)
        total = 0
        if k < 18:
            # The joined number of Characters and Dots changes; draws of Bamboo and honors keep theirs.
            if k < 9:
                number = t.suit[m - POWER[k]]
                left = t.join_ss[number, ip]
                total += _own_suit(t, 0, m - POWER[k], need, ip, b, True, target, unseen)
                for i in range(9, 18):
                    if unseen[i] > 0 and t.distance[need, t.join_ss[number, made[i]], b] <= target:
                        total += unseen[i]
            else:
                number = t.suit[p - POWER[k]]
                left = t.join_ss[im, number]
                # join_ss is symmetric, so the suit's place in it does not matter.
                total += _own_suit(t, 9, p - POWER[k], need, im, b, True, target, unseen)
                for i in range(9):
                    if unseen[i] > 0 and t.distance[need, t.join_ss[made[i], number], b] <= target:
                        total += unseen[i]
            for i in range(18, 34):
                if unseen[i] > 0 and t.distance[need, left, joined[i]] <= target:
                    total += unseen[i]
        else:
            if k < 27:
                number = t.suit[s - POWER[k]]
                right = t.join_sz[number, iz]
                total += _own_suit(t, 18, s - POWER[k], need, iz, a, False, target, unseen)
                for i in range(27, 34):
                    if unseen[i] > 0:
                        honors = t.honor[z + POWER[i]]
                        if t.distance[need, a, t.join_sz[number, honors]] <= target:
                            total += unseen[i]
            else:
                honor = z - POWER[k]
                right = t.join_sz[js, t.honor[honor]]
                for i in range(27, 34):
                    if unseen[i] > 0 and t.distance[need, a, t.join_sz[js, t.honor[honor + POWER[i]]]] <= target:
                        total += unseen[i]
                for i in range(18, 27):
                    if unseen[i] > 0 and t.distance[need, a, t.join_sz[made[i], t.honor[honor]]] <= target:
                        total += unseen[i]
            for i in range(18):
                if unseen[i] > 0 and t.distance[need, joined[i], right] <= target:
                    total += unseen[i]
        out[k] = total
