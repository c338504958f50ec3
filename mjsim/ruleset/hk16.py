"""The scorer of `hk16`: the points of a complete hand, best reading included.

Owns what holds in every reading: how the hand was won, Flowers, Gongs, Honours and suits. The readings are in
`hk16_readings`, the grouping of Sheungs in `hk16_sheungs`. `r12` and the like are rulings of the rules page.
"""

from __future__ import annotations

import numpy as np

from mjsim.jit import kernel, pointer, popcount
from mjsim.melds import CHOW, KONG_CONCEALED, MELD_PUNG
from mjsim.ruleset.hk16_items import (
    BIG_DRAGONS,
    CHICKEN_HAND,
    CLOSED_HAND,
    CONCEALED_DISCARD,
    CONCEALED_GONGS,
    CONCEALED_SELF_DRAW,
    DEALER_DISCARDED,
    DEALER_STREAK,
    DEALER_WINS,
    DIAMOND_HAND,
    DRAGON_PONGS,
    EARTHLY_HAND,
    FALSE_SINGLE_WAIT,
    FIVE_SUIT,
    FLOWER_WALL,
    FLOWERS,
    GONG_AFTER_GONG,
    HEAVENLY_HAND,
    JADE_HAND,
    LAST_MAN_STANDING,
    LITTLE_DRAGONS,
    LITTLE_THREE_WINDS,
    MAHJONG,
    NO_FLOWERS,
    NO_HONOURS,
    NO_TERMINALS,
    OPEN_GONGS,
    PURE_HONOUR,
    PURE_SUIT,
    ROBBING_GONG,
    ROUND_WIND,
    RUBY_HAND,
    SEABED,
    SEAT_FLOWER,
    SEAT_WIND,
    SEMI_PURE,
    TRUE_SINGLE_WAIT,
    TWO_SUIT,
    WIND_PONGS,
    WITHIN_SEVEN,
)
from mjsim.ruleset.hk16_items import SELF_DRAW as SELF_DRAWN
from mjsim.ruleset.hk16_readings import FACTS, special_reading, standard_readings
from mjsim.ruleset.hk16_rows import N_ROWS
from mjsim.ruleset.payments import conclude
from mjsim.ruleset.reading import clear_score, held_in_melds, is_regular, waits_before
from mjsim.ruleset.record import (
    F_CLOSED,
    F_EARTHLY,
    F_FLOWER_WALL,
    F_HEAVENLY,
    F_KONG_ON_KONG,
    F_LAST_TILE,
    NO_SHAPE,
    ROB_KONG,
    SCORER,
    SELF_DRAW,
)
from mjsim.shapes.kernels import tables_at
from mjsim.shapes.special import (
    HONORS,
    ORPHANS,
    SEVEN_PAIRS,
    SIXTEEN_ORPHANS,
    THIRTEEN_ORPHANS,
    bits_of,
    pairs_lack,
    sixteen_lack,
    thirteen_lack,
)

#: The Jewel of a suit of Characters, Circles, Bamboo, and its Dragon.
_JEWELS = np.array([RUBY_HAND, DIAMOND_HAND, JADE_HAND], dtype=np.int64)
_JEWEL_DRAGON = np.array([33, 31, 32], dtype=np.int64)

_ONE = np.uint64(1)
_NONE = np.uint64(0)
_SUIT = np.uint64(0x1FF)
_SUITED = np.uint64((1 << 27) - 1)
_WINDS = np.uint64(0xF << 27)
_DRAGONS = np.uint64(0x7 << 31)


@kernel
def _meld_facts(r, p, facts, s):
    """Fill what FACTS[1] has of the melds, and write the rows of Gongs and of five exposed melds."""
    f = facts[0]
    tai = r.items
    items = s.items
    drawn = p.how == SELF_DRAW
    held = np.zeros(34, np.int8)
    for k in range(34):
        held[k] = p.counts[k]
    held_in_melds(p, held)
    for k in range(len(f.meld_sheungs)):
        f.meld_sheungs[k] = 0
    pongs = _NONE
    gongs = _NONE
    n_closed = 0
    for i in range(p.n_melds):
        tile = p.meld_tile[i]
        kind = p.meld_type[i]
        if kind == CHOW:
            f.meld_sheungs[tile] += 1
            continue
        pongs |= _ONE << np.uint64(tile)
        if kind != MELD_PUNG:
            gongs |= _ONE << np.uint64(tile)
        if kind == KONG_CONCEALED:
            n_closed += 1
    present = _NONE
    fours = _NONE
    for k in range(len(held)):
        present |= np.uint64(held[k] > 0) << np.uint64(k)
        fours |= np.uint64(held[k] == 4) << np.uint64(k)
    n_gongs = popcount(gongs)
    f.present = present
    f.fours = fours & ~gongs & _SUITED
    f.meld_pongs = pongs
    f.n_gongs = n_gongs
    f.n_open_gongs = n_gongs - n_closed
    f.concealed_row = CONCEALED_SELF_DRAW if drawn else CONCEALED_DISCARD
    f.concealed = tai[f.concealed_row, 0] if n_gongs == p.n_melds else 0
    items[OPEN_GONGS] = (n_gongs - n_closed) * tai[OPEN_GONGS, 0]
    items[CONCEALED_GONGS] = n_closed * tai[CONCEALED_GONGS, 0]
    if p.n_melds == 5 and n_closed == 0:
        items[LAST_MAN_STANDING] = tai[LAST_MAN_STANDING, 1 if drawn else 0]


@kernel
def _win_rows(r, p, s, n_waits):
    """How and when the hand was won, and by whom."""
    tai = r.items
    items = s.items
    flags = p.flags
    items[MAHJONG] = tai[MAHJONG, 0]
    if flags & F_CLOSED:
        items[CLOSED_HAND] = tai[CLOSED_HAND, 0]
    if n_waits == 1:
        items[TRUE_SINGLE_WAIT] = tai[TRUE_SINGLE_WAIT, 0]
    elif n_waits >= 3:
        items[FALSE_SINGLE_WAIT] = tai[FALSE_SINGLE_WAIT, 0]
    if p.seat == p.dealer:
        items[DEALER_WINS] = tai[DEALER_WINS, 0]
        if p.streak > 0:
            items[DEALER_STREAK] = tai[DEALER_STREAK, 0 if p.streak == 1 else 1]
    elif p.payer == p.dealer:
        items[DEALER_DISCARDED] = tai[DEALER_DISCARDED, 0]
    if p.how == SELF_DRAW:
        items[SELF_DRAWN] = tai[SELF_DRAWN, 0]
        if flags & F_LAST_TILE:
            items[SEABED] = tai[SEABED, 0]
        elif flags & F_FLOWER_WALL:
            items[FLOWER_WALL] = tai[FLOWER_WALL, 0]
        if flags & F_KONG_ON_KONG:
            items[GONG_AFTER_GONG] = tai[GONG_AFTER_GONG, 0]
    elif p.how == ROB_KONG:
        items[ROBBING_GONG] = tai[ROBBING_GONG, 0]
    if p.discards >= 0 and p.discards <= 7:
        items[WITHIN_SEVEN] = tai[WITHIN_SEVEN, 0]
    if flags & F_HEAVENLY:
        items[HEAVENLY_HAND] = tai[HEAVENLY_HAND, 0]
    if flags & F_EARTHLY:
        items[EARTHLY_HAND] = tai[EARTHLY_HAND, 0]


@kernel
def _honour_rows(r, p, meld_pongs, s, thirteen):
    """Pongs of Winds and Dragons and what they make, the same in every reading of the hand; returns the Pongs' bits.

    Three copies in hand are a Pong, in Nico Nico too, where four are two pairs. In 13 Orphans a Pong is four copies.
    """
    tai = r.items
    items = s.items
    pongs = meld_pongs & HONORS
    pairs = _NONE
    for k in range(27, 34):
        n = p.counts[k]
        pongs |= np.uint64(n == 3 or (n == 4 and thirteen)) << np.uint64(k)
        pairs |= np.uint64(n == 2) << np.uint64(k)
    if pongs == _NONE:
        return pongs
    winds = popcount(pongs & _WINDS)
    dragons = popcount(pongs & _DRAGONS)
    items[WIND_PONGS] = winds * tai[WIND_PONGS, 0]
    items[DRAGON_PONGS] = dragons * tai[DRAGON_PONGS, 0]
    if pongs >> np.uint64(27 + (p.seat - p.east) % 4) & _ONE:
        items[SEAT_WIND] = tai[SEAT_WIND, 0]
    if pongs >> np.uint64(27 + p.prevailing) & _ONE:
        items[ROUND_WIND] = tai[ROUND_WIND, 0]
    # r30: the highest of the four rows. They follow each other in the table, and a pair takes the hand up by one.
    height = 2 * winds + (pairs & _WINDS != _NONE)
    if height >= 5:
        row = LITTLE_THREE_WINDS + height - 5
        items[row] = tai[row, 0]
    if dragons == 3:
        items[BIG_DRAGONS] = tai[BIG_DRAGONS, 0]
    elif dragons == 2 and pairs & _DRAGONS:
        items[LITTLE_DRAGONS] = tai[LITTLE_DRAGONS, 0]
    return pongs


@kernel
def _tile_rows(r, p, facts, s, thirteen):
    """Flowers, suits, Honours or none, Jewels: what the tiles make without regard to sets."""
    f = facts[0]
    pongs = _honour_rows(r, p, f.meld_pongs, s, thirteen)
    tai = r.items
    items = s.items
    mask = np.uint64(p.flowers)
    wind = np.uint64((p.seat - p.east) % 4)
    items[FLOWERS] = popcount(mask) * tai[FLOWERS, 0]
    items[SEAT_FLOWER] = popcount(mask >> wind & np.uint64(0x11)) * tai[SEAT_FLOWER, 0]
    honours = f.present & HONORS
    n_suits = 0
    suit = 0
    for i in range(3):
        if f.present >> np.uint64(9 * i) & _SUIT:
            n_suits += 1
            suit = i
    f.honours = honours != _NONE
    f.clean = mask == _NONE and not f.honours
    f.unsaid = f.clean and n_suits != 2
    if n_suits == 0:
        items[PURE_HONOUR] = tai[PURE_HONOUR, 0]
    elif n_suits == 1:
        row = SEMI_PURE if f.honours else PURE_SUIT
        items[row] = tai[row, 0]
        dragon = _ONE << np.uint64(_JEWEL_DRAGON[suit])
        if honours == dragon and pongs == dragon:
            items[_JEWELS[suit]] = tai[_JEWELS[suit], 0]
    elif n_suits == 2 and not f.honours:
        items[TWO_SUIT] = tai[TWO_SUIT, 1 if f.clean else 0]
    elif n_suits == 3 and honours & _WINDS and honours & _DRAGONS:
        items[FIVE_SUIT] = tai[FIVE_SUIT, 0]
    no_terminals = f.present & ORPHANS == _NONE
    if no_terminals:
        items[NO_TERMINALS] = tai[NO_TERMINALS, 0]
    # r31: without both `no_flowers_honours` stands in for the two, or another row holds it.
    if f.honours:
        if mask == _NONE:
            items[NO_FLOWERS] = tai[NO_FLOWERS, 0]
    elif mask and not no_terminals:
        items[NO_HONOURS] = tai[NO_HONOURS, 0]


@pointer(SCORER)
def score(p, r, s):
    """Score a position under the `hk16` table; see SCORER."""
    t = tables_at(r.tables)
    clear_score(s)
    s.status = NO_SHAPE
    specials = np.int64(r.specials) if p.n_melds == 0 else 0
    if p.flags & F_CLOSED:
        specials &= THIRTEEN_ORPHANS  # r25
    regular = is_regular(t, p)
    special = 0
    three, four = _NONE, _NONE
    if specials:
        one, two, three, four = bits_of(p.counts)
        if one == two:
            if specials & SEVEN_PAIRS and pairs_lack(one, two, three, four) == 0:
                special = SEVEN_PAIRS
        elif HONORS & ~one == _NONE:
            if specials & THIRTEEN_ORPHANS and thirteen_lack(one, two, three, four) == 0:
                special = THIRTEEN_ORPHANS
            elif specials & SIXTEEN_ORPHANS and sixteen_lack(one, two) == 0:
                special = SIXTEEN_ORPHANS
    if not regular and special == 0:
        return NO_SHAPE
    facts = np.empty(1, FACTS)  # passed as an array: a record alone does not keep its memory
    _meld_facts(r, p, facts, s)
    waits = waits_before(t, p, specials)
    _win_rows(r, p, s, popcount(waits))
    _tile_rows(r, p, facts, s, special == THIRTEEN_ORPHANS)
    rows = np.empty(N_ROWS, np.int64)
    best = np.empty(N_ROWS, np.int64)
    for i in range(len(best)):
        best[i] = -1
    if regular:
        standard_readings(r, p, facts, waits, rows, best)
    if special:
        special_reading(r, p, facts, special, three, four, rows, best)
    items = s.items
    for i in range(len(best)):
        items[i] += best[i]
    total = 0
    for i in range(len(items)):
        total += items[i]
    if total - items[MAHJONG] == 1:  # r44
        items[CHICKEN_HAND] = r.items[CHICKEN_HAND, 0]
    return conclude(p, r, s)
