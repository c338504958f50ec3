"""Tiles that a seat lacks for a complete hand, special hands included where rules and state allow them."""

from __future__ import annotations

import numpy as np

from mjsim.hand_record import DECLARED_READY
from mjsim.jit import kernel, lowest_bit
from mjsim.shapes.kernels import POWER, distance_changed, distance_keys, reaching, tables_at, ukeire_after
from mjsim.shapes.special import (
    NEVER,
    THIRTEEN_ORPHANS,
    bits_of,
    special_lack_below,
    special_lack_changed,
    special_reaching,
)


@kernel
def specials_of(h, r, s):
    """Special hands that seat s may still have: none with a meld; a closed hand has 13 Orphans alone (hk16 r25)."""
    if h.n_melds[s] > 0:
        return 0
    if r.closing and h.declared[s] == DECLARED_READY:
        return r.specials & THIRTEEN_ORPHANS
    return np.int64(r.specials)


@kernel
def lack_of(h, r, s):
    """Tiles that seat s lacks with the tiles it holds now."""
    lack = distance_keys(tables_at(r.tables), h.keys[s], 5 - h.n_melds[s])
    if r.specials and lack > 0:
        specials = specials_of(h, r, s)
        if specials:
            return special_lack_below(specials, h.have[s], h.twos[s], h.threes[s], h.quads[s], lack)
    return lack


@kernel
def lack_changed(h, r, s, k, change):
    """`lack_of` after one tile of kind k is added (change 1) or removed (-1)."""
    lack = distance_changed(tables_at(r.tables), h.keys[s], 5 - h.n_melds[s], k, change)
    if r.specials and lack > 0:
        specials = specials_of(h, r, s)
        if specials:
            return special_lack_changed(specials, h.have[s], h.twos[s], h.threes[s], h.quads[s], k, change, lack)
    return lack


@kernel
def wait_bits(h, r, s, specials):
    """Bits of the kinds that complete the tiles of seat s, of which it does not hold all four (hand and melds)."""
    bits = reaching(tables_at(r.tables), h.counts[s], h.keys[s], 5 - h.n_melds[s], 0)
    if specials and special_lack_below(specials, h.have[s], h.twos[s], h.threes[s], h.quads[s], 2) <= 1:
        bits |= special_reaching(specials, h.have[s], h.twos[s], h.threes[s], h.quads[s], 0)
    if bits and h.n_melds[s] > 0:
        for k in range(34):
            if h.counts[s, k] + h.melded[s, k] >= 4:
                bits &= ~(np.uint64(1) << np.uint64(k))
    return bits


@kernel
def _ukeire_without(t, h, s, k, need, specials, target, unseen):
    """Unseen copies that bring the tiles of seat s without one of kind k to `target` or below, special hands included."""
    counts = np.empty(34, np.int8)
    for i in range(34):
        counts[i] = h.counts[s, i]
    counts[k] -= 1
    keys = np.empty(4, np.int32)
    for i in range(4):
        keys[i] = h.keys[s, i]
    keys[k // 9] -= POWER[k]
    bits = reaching(t, counts, keys, need, target)
    one, two, three, four = bits_of(counts)
    bits |= special_reaching(specials, one, two, three, four, target)
    total = 0
    while bits:
        total += unseen[lowest_bit(bits)]
        bits &= bits - np.uint64(1)
    return total


@kernel
def nearest_discards(h, r, s, allowed):
    """(fewest tiles lacking after losing one of the kinds `allowed`, bits of the kinds that leave so few)."""
    t = tables_at(r.tables)
    need = 5 - h.n_melds[s]
    specials = specials_of(h, r, s)
    one, two, three, four = h.have[s], h.twos[s], h.threes[s], h.quads[s]
    # Losing a tile brings no hand nearer: most hands are told from special ones at once.
    special_now = special_lack_below(specials, one, two, three, four, NEVER) if specials else NEVER
    lowest = NEVER
    ties = np.uint64(0)
    while allowed:
        k = lowest_bit(allowed)
        allowed &= allowed - np.uint64(1)
        lack = distance_changed(t, h.keys[s], need, k, -1)
        if special_now < lack:
            lack = special_lack_changed(specials, one, two, three, four, k, -1, lack)
        if lack < lowest:
            lowest = lack
            ties = np.uint64(0)
        if lack == lowest:
            ties |= np.uint64(1) << np.uint64(k)
    return lowest, ties


@kernel
def ukeire_of_discards(h, r, s, discards, target, unseen, out):
    """For each of the bits `discards`: unseen copies that bring the hand without that tile to `target` or below.

    Fills out[34] at those kinds. `target` is one less than what each of the discards leaves.
    """
    t = tables_at(r.tables)
    need = 5 - h.n_melds[s]
    specials = specials_of(h, r, s)
    near = False
    if specials:
        one, two, three, four = h.have[s], h.twos[s], h.threes[s], h.quads[s]
        rest = discards
        if special_lack_below(specials, one, two, three, four, target + 2) > target + 1:
            rest = np.uint64(0)
        while rest and not near:
            k = lowest_bit(rest)
            rest &= rest - np.uint64(1)
            near = special_lack_changed(specials, one, two, three, four, k, -1, target + 2) <= target + 1
    if not near:
        ukeire_after(t, h.keys[s], need, target, discards, unseen, out)
        return
    while discards:
        k = lowest_bit(discards)
        discards &= discards - np.uint64(1)
        out[k] = _ukeire_without(t, h, s, k, need, specials, target, unseen)
