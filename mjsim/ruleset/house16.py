"""The scorer of the `house16` table: the points of a complete hand, exclusions and best reading included.

Owns scoring alone: whether the hand may win here and now, and what a win ends, is the flow's business.
"""

from __future__ import annotations

import numpy as np

from mjsim.jit import kernel, pointer, popcount
from mjsim.ruleset.house16_items import NUMBER
from mjsim.ruleset.payments import conclude
from mjsim.ruleset.reading import (
    CLOSED,
    IN_PAIR,
    IN_PUNG,
    MAX_SPLITS,
    N_PLACES,
    SPLIT,
    TWO_SIDED,
    clear_score,
    has_straight,
    honor_sets,
    is_regular,
    keep_better,
    list_splits,
    melds_of,
    of_one_suit,
    place_at,
    put_concealed_pungs,
    special_hands,
    suits_in,
    waits_before,
)
from mjsim.ruleset.record import NO_SHAPE, SCORER, SELF_DRAW
from mjsim.shapes.kernels import tables_at
from mjsim.shapes.special import SEVEN_PAIRS

BASE_WIN = NUMBER["base_win"]
SELF_DRAWN = NUMBER["self_drawn"]
FLOWER = NUMBER["flower"]
FOUR_FLOWERS = NUMBER["four_flowers"]
FOUR_SEASONS = NUMBER["four_seasons"]
SINGLE_WAIT = NUMBER["single_wait"]
CONCEALED_HAND = NUMBER["concealed_hand"]
MELDED_HAND = NUMBER["melded_hand"]
ALL_CHOWS = NUMBER["all_chows"]
ALL_PUNGS = NUMBER["all_pungs"]
HALF_FLUSH = NUMBER["half_flush"]
FULL_FLUSH = NUMBER["full_flush"]
ALL_HONORS = NUMBER["all_honors"]
THREE_CONCEALED_PUNGS = NUMBER["three_concealed_pungs"]
FOUR_CONCEALED_PUNGS = NUMBER["four_concealed_pungs"]
FIVE_CONCEALED_PUNGS = NUMBER["five_concealed_pungs"]
DRAGON_PUNG = NUMBER["dragon_pung"]
LITTLE_THREE_DRAGONS = NUMBER["little_three_dragons"]
BIG_THREE_DRAGONS = NUMBER["big_three_dragons"]
PREVALENT_WIND = NUMBER["prevalent_wind"]
SEAT_WIND = NUMBER["seat_wind"]
LITTLE_FOUR_WINDS = NUMBER["little_four_winds"]
BIG_FOUR_WINDS = NUMBER["big_four_winds"]
STRAIGHT = NUMBER["straight"]
SEVEN_PAIRS_ITEM = NUMBER["seven_pairs"]

#: Items that differ between readings, in the order of the table; all others are the same in every reading.
BY_READING = np.array(
    [
        SINGLE_WAIT, CONCEALED_HAND, ALL_CHOWS, ALL_PUNGS,
        THREE_CONCEALED_PUNGS, FOUR_CONCEALED_PUNGS, FIVE_CONCEALED_PUNGS,
        DRAGON_PUNG, LITTLE_THREE_DRAGONS, BIG_THREE_DRAGONS,
        PREVALENT_WIND, SEAT_WIND, LITTLE_FOUR_WINDS, BIG_FOUR_WINDS, STRAIGHT, SEVEN_PAIRS_ITEM,
    ]
)  # fmt: skip
_N_NOW = int(BY_READING.max()) + 1


@kernel
def _in_every_reading(r, p, s, suits, exposed):
    """Base, self-draw, flower, suit and melded-hand items."""
    s.items[BASE_WIN] = r.items[BASE_WIN, 0]
    if p.how == SELF_DRAW:
        s.items[SELF_DRAWN] = r.items[SELF_DRAWN, 0]
    elif exposed == 5:
        s.items[MELDED_HAND] = r.items[MELDED_HAND, 0]
    mask = np.int64(p.flowers)
    s.items[FLOWER] = popcount(np.uint64(mask)) * r.items[FLOWER, 0]
    if mask & 15 == 15:
        s.items[FOUR_SEASONS] = r.items[FOUR_SEASONS, 0]
    if mask >> 4 == 15:
        s.items[FOUR_FLOWERS] = r.items[FOUR_FLOWERS, 0]
    if of_one_suit(suits):
        item = HALF_FLUSH if suits & 8 else FULL_FLUSH
        s.items[item] = r.items[item, 0]
    elif suits == 8:
        s.items[ALL_HONORS] = r.items[ALL_HONORS, 0]


@kernel
def _honors(r, p, now):
    """Items of wind and dragon pungs, the same in every split."""
    pungs = np.empty(7, np.int64)
    pairs = np.empty(7, np.int64)
    honor_sets(p, pungs, pairs)
    dragons = pungs[4] + pungs[5] + pungs[6]
    award = -1
    if dragons == 3:
        award = BIG_THREE_DRAGONS
    elif dragons == 2 and pairs[4] + pairs[5] + pairs[6] > 0:
        award = LITTLE_THREE_DRAGONS
    if award >= 0 and r.items[award, 0]:
        now[award] = r.items[award, 0]
    else:
        now[DRAGON_PUNG] = dragons * r.items[DRAGON_PUNG, 0]
    winds = pungs[0] + pungs[1] + pungs[2] + pungs[3]
    award = -1
    if winds == 4:
        award = BIG_FOUR_WINDS
    elif winds == 3 and pairs[0] + pairs[1] + pairs[2] + pairs[3] > 0:
        award = LITTLE_FOUR_WINDS
    if award >= 0 and r.items[award, 0]:
        now[award] = r.items[award, 0]
    else:
        if pungs[p.prevailing]:
            now[PREVALENT_WIND] = r.items[PREVALENT_WIND, 0]
        if pungs[(p.seat - p.east) % 4]:
            now[SEAT_WIND] = r.items[SEAT_WIND, 0]


@kernel
def _best_split(t, r, p, s, now, suits, melded, chow_melds, concealed_kongs):
    """Keep the best of the readings as five sets and a pair."""
    splits = np.empty(MAX_SPLITS, SPLIT)
    drawn = p.how == SELF_DRAW
    may_be_all_chows = not drawn and p.flowers == 0 and suits & 8 == 0
    single = -1  # not asked yet
    _honors(r, p, now)
    if p.n_melds == concealed_kongs:
        now[CONCEALED_HAND] = r.items[CONCEALED_HAND, 0]
    for i in range(list_splits(p.counts, 5 - p.n_melds, splits)):
        split = splits[i]
        chows = split.n_chows + chow_melds
        now[ALL_PUNGS] = r.items[ALL_PUNGS, 0] if chows == 0 and s.items[ALL_HONORS] == 0 else 0
        now[STRAIGHT] = r.items[STRAIGHT, 0] if chows >= 3 and has_straight(split, melded, -1) else 0
        for choice in range(N_PLACES):
            place = place_at(split, p.win_tile, choice)
            if place < 0:
                continue
            concealed = concealed_kongs + split.n_pungs - (1 if place == IN_PUNG and not drawn else 0)
            put_concealed_pungs(r, now, THREE_CONCEALED_PUNGS, 3, concealed)
            now[ALL_CHOWS] = r.items[ALL_CHOWS, 0] if may_be_all_chows and chows == 5 and place == TWO_SIDED else 0
            now[SINGLE_WAIT] = 0
            if place == CLOSED or place == IN_PAIR:
                if single < 0:
                    single = 1 if popcount(waits_before(t, p, r.specials)) == 1 else 0
                if single:
                    now[SINGLE_WAIT] = r.items[SINGLE_WAIT, 0]
            keep_better(now, s.items, BY_READING)


@kernel
def _special(r, s, now, special):
    """Keep the reading as a special hand where it is better: a structure of its own, without any item of sets."""
    for i in range(_N_NOW):
        now[i] = 0
    if special & SEVEN_PAIRS:
        now[SEVEN_PAIRS_ITEM] = r.items[SEVEN_PAIRS_ITEM, 0]
    keep_better(now, s.items, BY_READING)


@pointer(SCORER)
def score(p, r, s):
    """Score a position under the `house16` table; see SCORER."""
    t = tables_at(r.tables)
    clear_score(s)
    s.status = NO_SHAPE
    regular = is_regular(t, p)
    special = special_hands(r.specials, p)
    if not regular and special == 0:
        return NO_SHAPE
    melded, chow_melds, _, concealed_kongs = melds_of(p)
    suits = suits_in(p)
    _in_every_reading(r, p, s, suits, p.n_melds - concealed_kongs)
    now = np.zeros(_N_NOW, np.int16)
    if regular:
        _best_split(t, r, p, s, now, suits, melded, chow_melds, concealed_kongs)
    if special:
        _special(r, s, now, special)
    return conclude(p, r, s)
