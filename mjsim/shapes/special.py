"""Tiles lacking for the complete hands that are not five melds and a pair: seven pairs and a triplet, 13 and 16 Orphans.

All are read off four words of bits: the kinds with at least one, two, three, four copies. They exist only without any
meld. As elsewhere *lacking* is the fewest tiles to add so that the hand holds the 17 of a complete one.
"""

from __future__ import annotations

import numpy as np

from mjsim.jit import kernel, lowest_bit, popcount

#: Bits of a set of special hands.
SEVEN_PAIRS, THIRTEEN_ORPHANS, SIXTEEN_ORPHANS = 1, 2, 4

_TERMINALS = sum(1 << kind for kind in (0, 8, 9, 17, 18, 26))
_HONORS = 0x7F << 27
ORPHANS = np.uint64(_TERMINALS | _HONORS)
HONORS = np.uint64(_HONORS)
#: Kinds of which a chow begins.
_LOWEST = np.uint64(sum(0x7F << first for first in (0, 9, 18)))
#: Kinds with a neighbour above, and with one two above, in their suit.
_HAS_NEXT = np.uint64(sum(0xFF << first for first in (0, 9, 18)))
_ONE = np.uint64(1)
_ALL = np.uint64(2**34 - 1)
NEVER = 99  # lacking where the rules have no such hand

#: Three ranks of a suit, each at least three apart, as bits (16 Orphans: spread tiles).
SPREADS = np.array(
    [1 << a | 1 << b | 1 << c for a in range(9) for b in range(a + 3, 9) for c in range(b + 3, 9)], dtype=np.uint64
)

#: By the nine bits of a suit's kinds: the fewest tiles missing of any such three.
SPREAD_MISSING = np.array(
    [min(3 - (held & int(s)).bit_count() for s in SPREADS) for held in range(512)], dtype=np.int64
)

#: By the same bits: the kinds in those threes that lack the fewest.
SPREAD_TILES = np.array(
    [
        sum(
            {1 << i for s in SPREADS for i in range(9) if int(s) >> i & 1 and 3 - (held & int(s)).bit_count() == fewest}
        )
        for held, fewest in enumerate(SPREAD_MISSING.tolist())
    ],
    dtype=np.uint64,
)


@kernel
def bits_of(counts):
    """Bits of the kinds with at least one, two, three and four of counts[34]."""
    one = np.uint64(0)
    two = np.uint64(0)
    three = np.uint64(0)
    four = np.uint64(0)
    for k in range(34):
        bit = _ONE << np.uint64(k)
        n = counts[k]
        if n >= 1:
            one |= bit
        if n >= 2:
            two |= bit
        if n >= 3:
            three |= bit
        if n >= 4:
            four |= bit
    return one, two, three, four


@kernel
def _pairs_kept(pairs, odd):
    """Tiles of the best seven pairs, from whole pairs and from kinds with a tile left over."""
    whole = min(7, pairs)
    return 2 * whole + min(7 - whole, odd)


@kernel
def pairs_lack(one, two, three, four):
    """Seven pairs and a triplet; four of a kind are two pairs."""
    n1, n2, n3, n4 = popcount(one), popcount(two), popcount(three), popcount(four)
    pairs = n2 + n4
    odd = (n1 - n2) + (n3 - n4)
    kept = _pairs_kept(pairs, odd)  # a triplet of a kind not held
    if n1 > n2:
        kept = max(kept, 1 + _pairs_kept(pairs, odd - 1))
    if n2 > n3:
        kept = max(kept, 2 + _pairs_kept(pairs - 1, odd))
    if n3 > n4:
        kept = max(kept, 3 + _pairs_kept(pairs - 1, odd - 1))
    if n4 > 0:
        kept = max(kept, 3 + _pairs_kept(pairs - 2, odd))
    return 17 - kept


@kernel
def _set_kept(one, two, three, barred):
    """Tiles of the best pung or chow among bits of at least one, two, three copies; no pung of the kinds `barred`."""
    if three & ~barred:
        return 3
    above = one >> _ONE
    after = one >> np.uint64(2)
    if one & above & after & _LOWEST:
        return 3
    if two & ~barred or one & above & _HAS_NEXT or one & after & _LOWEST:
        return 2
    # A single tile of a kind barred to pungs serves a chow, unless it is an honor.
    return 1 if one & ~(barred & HONORS) else 0


@kernel
def thirteen_lack(one, two, three, four):
    """13 Orphans: one of each terminal and honor, a second of any of them, and a pung or chow of any kind."""
    missing = 13 - popcount(one & ORPHANS)
    rest1 = (one & ~ORPHANS) | (two & ORPHANS)
    rest2 = (two & ~ORPHANS) | (three & ORPHANS)
    rest3 = (three & ~ORPHANS) | (four & ORPHANS)
    best = 1 + 3 - _set_kept(rest1, rest2, rest3, np.uint64(0))
    pairs = rest1 & ORPHANS
    while pairs:
        pair = pairs & (~pairs + _ONE)
        pairs &= ~pair
        # With two copies spent on single and pair a pung of the kind would need a fifth.
        left = (rest1 & ~pair) | (rest2 & pair)
        best = min(best, 3 - _set_kept(left, rest2 & ~pair, rest3 & ~pair, pair))
    return missing + best


@kernel
def sixteen_missing(one):
    """Tiles missing of the sixteen different ones of 16 Orphans, before the second copy of one."""
    mask = np.uint64(0x1FF)
    return (
        7
        - popcount(one & HONORS)
        + SPREAD_MISSING[one & mask]
        + SPREAD_MISSING[one >> np.uint64(9) & mask]
        + SPREAD_MISSING[one >> np.uint64(18) & mask]
    )


@kernel
def sixteen_lack(one, two):
    """16 Orphans: three tiles at least 3 apart in every suit, one of each honor, and a second of any of these."""
    missing = sixteen_missing(one)
    if two & HONORS:
        return missing
    for suit in range(3):
        held = one >> np.uint64(9 * suit) & np.uint64(0x1FF)
        if two >> np.uint64(9 * suit) & SPREAD_TILES[held]:
            return missing
    return missing + 1


@kernel
def special_lack_below(specials, one, two, three, four, limit):
    """Fewest tiles lacking for any special hand of the bits `specials` where they are fewer than `limit`, else `limit`."""
    best = limit
    if specials & SEVEN_PAIRS:
        best = min(best, pairs_lack(one, two, three, four))
    # What is missing of the different tiles tells most hands at once that they are far from these.
    if specials & THIRTEEN_ORPHANS and 13 - popcount(one & ORPHANS) < best:
        best = min(best, thirteen_lack(one, two, three, four))
    if specials & SIXTEEN_ORPHANS and sixteen_missing(one) < best:
        best = min(best, sixteen_lack(one, two))
    return best


@kernel
def special_lack(specials, one, two, three, four):
    """Fewest tiles lacking for any special hand of the bits `specials`, NEVER without one."""
    return special_lack_below(specials, one, two, three, four, NEVER)


@kernel
def special_lack_changed(specials, one, two, three, four, k, change, limit):
    """`special_lack_below` after one tile of kind k is added (change 1) or removed (-1)."""
    bit = _ONE << np.uint64(k)
    if change > 0:
        if three & bit:
            four |= bit
        elif two & bit:
            three |= bit
        elif one & bit:
            two |= bit
        else:
            one |= bit
    else:
        if four & bit:
            four &= ~bit
        elif three & bit:
            three &= ~bit
        elif two & bit:
            two &= ~bit
        else:
            one &= ~bit
    return special_lack_below(specials, one, two, three, four, limit)


@kernel
def special_reaching(specials, one, two, three, four, target):
    """Bits of the kinds (fewer than four held) whose addition brings the lack of a special hand to `target` or below."""
    found = np.uint64(0)
    near = 0  # those that one tile can bring there
    for special in (SEVEN_PAIRS, THIRTEEN_ORPHANS, SIXTEEN_ORPHANS):
        if specials & special and special_lack_below(special, one, two, three, four, target + 2) <= target + 1:
            near |= special
    if near & SEVEN_PAIRS:
        # What a tile does for pairs depends on nothing but the copies held of its kind.
        for held in (_ALL & ~one, one & ~two, two & ~three, three & ~four):
            if held:
                k = lowest_bit(held)
                if special_lack_changed(SEVEN_PAIRS, one, two, three, four, k, 1, target + 1) <= target:
                    found |= held
        near &= ~SEVEN_PAIRS
    if near == 0:
        return found
    for k in range(34):
        bit = _ONE << np.uint64(k)
        if not four & bit and special_lack_changed(near, one, two, three, four, k, 1, target + 1) <= target:
            found |= bit
    return found
