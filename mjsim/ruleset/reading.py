"""What all scorers read off a position: its splits, waits, suits and honors. Knows no item.

A *split* is one way to part the concealed tiles (the winning tile among them) into melds and a pair.
"""

from __future__ import annotations

import numpy as np

from mjsim.jit import kernel
from mjsim.melds import CHOW, KONG_CONCEALED, MELD_PUNG
from mjsim.shapes.kernels import distance_keys, keys_of, reaching
from mjsim.shapes.special import (
    SEVEN_PAIRS,
    SIXTEEN_ORPHANS,
    THIRTEEN_ORPHANS,
    bits_of,
    special_lack,
    special_reaching,
)

#: More splits than 17 tiles have (`test_splits` counts them).
MAX_SPLITS = 64

#: Where the winning tile stands in a split: in a pung, in the pair, in a chow (two-sided, or closed and edge), nowhere.
IN_PUNG, IN_PAIR, TWO_SIDED, CLOSED, NOWHERE = range(5)
#: Choices that `place_at` knows for a winning tile in a split.
N_PLACES = 5

SPLIT = np.dtype(
    [
        ("pungs", np.uint64),  # bits of the kinds of concealed pungs
        ("pair", np.int8),
        ("n_pungs", np.int8),
        ("n_chows", np.int8),
        ("chows", np.int8, 27),  # how many chows begin at each kind
    ],
    align=True,
)


@kernel
def list_splits(counts, need, splits):
    """Fill SPLIT[MAX_SPLITS] with every split of counts[34] into `need` melds and a pair; returns how many."""
    heavy = np.empty(6, np.int64)  # kinds that may be a pung
    n_heavy = 0
    pair_suit = 3
    weight = 0
    always = 0  # three honors are a pung in every split
    for suit in range(4):
        total = 0
        ranks = 0
        for k in range(suit * 9, min(suit * 9 + 9, 34)):
            total += counts[k]
            ranks += counts[k] * k
        if total % 3 == 2:
            pair_suit = suit
            weight = ranks
    for k in range(34):
        if counts[k] >= 3:
            if k >= 27:
                always |= 1 << n_heavy
            heavy[n_heavy] = k
            n_heavy += 1
    n = 0
    rest = np.empty(34, np.int8)
    for pair in range(pair_suit * 9, min(pair_suit * 9 + 9, 34)):
        # The ranks of a pung or chow sum to a multiple of three; those of the pair are what is left over.
        if counts[pair] < 2 or (pair_suit < 3 and (weight - 2 * pair) % 3 != 0):
            continue
        for subset in range(always, 1 << n_heavy):
            if subset & always != always:
                continue
            for k in range(34):
                rest[k] = counts[k]
            rest[pair] -= 2
            pungs = 0
            bits = np.uint64(0)
            fits = True
            for i in range(n_heavy):
                if subset >> i & 1:
                    rest[heavy[i]] -= 3
                    pungs += 1
                    bits |= np.uint64(1) << np.uint64(heavy[i])
                    if rest[heavy[i]] < 0:
                        fits = False
            if not fits:
                continue
            split = splits[n]
            chows = 0
            for k in range(27):
                more = rest[k]
                split.chows[k] = more
                if more:
                    if more < 0 or k % 9 > 6:
                        fits = False
                        break
                    rest[k + 1] -= more
                    rest[k + 2] -= more
                    chows += more
            if not fits:
                continue
            for k in range(27, 34):
                if rest[k]:
                    fits = False
            if not fits or pungs + chows != need:
                continue
            split.pair = pair
            split.pungs = bits
            split.n_pungs = pungs
            split.n_chows = chows
            n += 1
    return n


@kernel
def place_in_chow(low, tile):
    """Wait of a chow beginning at `low` that `tile` completes: two-sided, or closed or edge (by shape)."""
    if tile == low + 1:
        return CLOSED
    if tile == low:
        return CLOSED if low % 9 == 6 else TWO_SIDED  # 89 waiting on 7
    return CLOSED if low % 9 == 0 else TWO_SIDED  # 12 waiting on 3


@kernel
def chow_holds(split, low, tile):
    """Whether the split has a chow beginning at `low` (any number, also none that can be) that holds `tile`."""
    if tile >= 27 or low < 0 or low // 9 != tile // 9 or low % 9 > 6 or tile - low > 2:
        return False
    return split.chows[low] > 0


@kernel
def place_at(split, tile, choice):
    """Where `tile` stands by choice 0-4 (pung, pair, lowest, middle, highest of a chow); -1 where the split has no such."""
    if choice == 0:
        return IN_PUNG if split.pungs >> np.uint64(tile) & np.uint64(1) else -1
    if choice == 1:
        return IN_PAIR if split.pair == tile else -1
    low = tile - (choice - 2)
    return place_in_chow(low, tile) if chow_holds(split, low, tile) else -1


@kernel
def has_straight(split, melded, without):
    """Whether 123, 456 and 789 of one suit are chows, of the split or beginning at the bits `melded`.

    One chow that begins at `without` (-1 for none) is left out.
    """
    for first in range(0, 27, 9):
        found = True
        for low in range(first, first + 9, 3):
            own = split.chows[low] - (1 if low == without else 0)
            if own <= 0 and not melded >> np.uint64(low) & np.uint64(1):
                found = False
        if found:
            return True
    return False


@kernel
def melds_of(p):
    """Of the melds: bits of the kinds at which a chow begins, chows, exposed kongs, concealed kongs."""
    bits = np.uint64(0)
    chows = 0
    exposed_kongs = 0
    concealed_kongs = 0
    for i in range(p.n_melds):
        if p.meld_type[i] == CHOW:
            bits |= np.uint64(1) << np.uint64(p.meld_tile[i])
            chows += 1
        elif p.meld_type[i] == KONG_CONCEALED:
            concealed_kongs += 1
        elif p.meld_type[i] != MELD_PUNG:
            exposed_kongs += 1
    return bits, chows, exposed_kongs, concealed_kongs


@kernel
def held_in_melds(p, held):
    """Add the tiles of the melds to held[34]."""
    for i in range(p.n_melds):
        tile = p.meld_tile[i]
        if p.meld_type[i] == CHOW:
            held[tile] += 1
            held[tile + 1] += 1
            held[tile + 2] += 1
        else:
            held[tile] += 3 if p.meld_type[i] == MELD_PUNG else 4


@kernel
def waits_before(t, p, specials):
    """Bits of the kinds that complete the hand without its winning tile and of which the player does not hold all four.

    `specials` are the special hands that the wait may complete (none with a meld).
    """
    counts = np.empty(34, np.int8)
    held = np.zeros(34, np.int8)
    for k in range(34):
        counts[k] = p.counts[k]
    counts[p.win_tile] -= 1
    held_in_melds(p, held)
    keys = np.empty(4, np.int32)
    keys_of(counts, keys)
    bits = reaching(t, counts, keys, 5 - p.n_melds, 0)
    if specials and p.n_melds == 0:
        one, two, three, four = bits_of(counts)
        if special_lack(specials, one, two, three, four) <= 1:
            bits |= special_reaching(specials, one, two, three, four, 0)
    for k in range(34):
        if counts[k] + held[k] >= 4:
            bits &= ~(np.uint64(1) << np.uint64(k))
    return bits


@kernel
def is_regular(t, p):
    """Whether the position is complete as five melds and a pair."""
    keys = np.empty(4, np.int32)
    keys_of(p.counts, keys)
    return distance_keys(t, keys, 5 - p.n_melds) == 0


@kernel
def special_hands(specials, p):
    """Which of the special hands `specials` the position completes, as bits of `mjsim.shapes.special`."""
    found = 0
    if specials and p.n_melds == 0:
        one, two, three, four = bits_of(p.counts)
        for special in (SEVEN_PAIRS, THIRTEEN_ORPHANS, SIXTEEN_ORPHANS):
            if specials & special and special_lack(special, one, two, three, four) == 0:
                found |= special
    return found


@kernel
def suits_in(p):
    """Bits of the suits in hand and melds: 1 Characters, 2 Dots, 4 Bamboo, 8 honors."""
    bits = 0
    for k in range(34):
        if p.counts[k]:
            bits |= 1 << (k // 9)
    for i in range(p.n_melds):
        bits |= 1 << (p.meld_tile[i] // 9)
    return bits


@kernel
def of_one_suit(suits):
    """Whether the number tiles among `suits_in` are of exactly one suit."""
    numbers = suits & 7
    return numbers != 0 and numbers & (numbers - 1) == 0


@kernel
def honor_sets(p, pungs, pairs):
    """Fill int64[7] with 1 for each honor that is a pung or kong, and for each that is a pair (the same in every split)."""
    for i in range(7):
        n = p.counts[27 + i]
        pungs[i] = 1 if n >= 3 else 0
        pairs[i] = 1 if n == 2 else 0
    for i in range(p.n_melds):
        if p.meld_tile[i] >= 27:
            pungs[p.meld_tile[i] - 27] = 1


@kernel
def put_concealed_pungs(r, now, item, fewest, n):
    """Write the item of n concealed pungs, of the items from `item` on that stand for `fewest` to five of them."""
    for i in range(fewest, 6):
        now[item + i - fewest] = r.items[item + i - fewest, 0] if i == n else 0


@kernel
def keep_better(now, best, by_reading):
    """Copy the items `by_reading` (numbers, in order) to `best` where they are more, or as many and more at the first
    that differs. Both hold tai by item; a `best` of zeros stands for no reading yet.
    """
    more = 0
    first = 0
    for i in range(len(by_reading)):
        difference = np.int64(now[by_reading[i]]) - np.int64(best[by_reading[i]])
        more += difference
        if first == 0:
            first = difference
    if more > 0 or (more == 0 and first > 0):
        for i in range(len(by_reading)):
            best[by_reading[i]] = now[by_reading[i]]


@kernel
def clear_score(s):
    """Set every field of a score to zero."""
    for i in range(len(s.items)):
        s.items[i] = 0
    for i in range(4):
        s.payments[i] = 0
    s.tai = 0
    s.judged = 0
