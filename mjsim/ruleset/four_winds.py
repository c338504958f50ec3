"""The scorer of the `four-winds` table: the tai of a complete hand, exclusions and best reading included.

Owns scoring alone: whether the hand may win here and now, and what a win ends, is the flow's business.
"""

from __future__ import annotations

import numpy as np

from mjsim.jit import kernel, pointer, popcount
from mjsim.ruleset.four_winds_items import NUMBER
from mjsim.ruleset.payments import conclude
from mjsim.ruleset.reading import (
    CLOSED,
    IN_PAIR,
    IN_PUNG,
    MAX_SPLITS,
    N_PLACES,
    NOWHERE,
    SPLIT,
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
)
from mjsim.ruleset.record import (
    BY_DISCARD,
    F_EARTHLY,
    F_HEAVENLY,
    F_LAST_TILE,
    F_ORIGINAL_CALL,
    NO_SHAPE,
    ROB_KONG,
    SCORER,
    SELF_DRAW,
)
from mjsim.shapes.kernels import tables_at
from mjsim.shapes.special import SEVEN_PAIRS

WINNING_HAND = NUMBER["winning_hand"]
FLOWER = NUMBER["flower"]
NO_FLOWERS = NUMBER["no_flowers"]
HONOR_PUNG = NUMBER["honor_pung"]
EXPOSED_KONG = NUMBER["exposed_kong"]
CONCEALED_KONG = NUMBER["concealed_kong"]
STRAIGHT = NUMBER["straight"]
CONCEALED_STRAIGHT = NUMBER["concealed_straight"]
TWO_CONCEALED_PUNGS = NUMBER["two_concealed_pungs"]
THREE_CONCEALED_PUNGS = NUMBER["three_concealed_pungs"]
FOUR_CONCEALED_PUNGS = NUMBER["four_concealed_pungs"]
FIVE_CONCEALED_PUNGS = NUMBER["five_concealed_pungs"]
LITTLE_THREE_DRAGONS = NUMBER["little_three_dragons"]
BIG_THREE_DRAGONS = NUMBER["big_three_dragons"]
LITTLE_THREE_WINDS = NUMBER["little_three_winds"]
BIG_THREE_WINDS = NUMBER["big_three_winds"]
LITTLE_FOUR_WINDS = NUMBER["little_four_winds"]
BIG_FOUR_WINDS = NUMBER["big_four_winds"]
MELDED_HAND = NUMBER["melded_hand"]
CONCEALED_HAND = NUMBER["concealed_hand"]
FULLY_CONCEALED = NUMBER["fully_concealed"]
SELF_DRAWN = NUMBER["self_drawn"]
ALL_CHOWS = NUMBER["all_chows"]
PLAIN_CHOWS = NUMBER["all_chows_no_honors_no_flowers"]
ALL_PUNGS = NUMBER["all_pungs"]
NO_HONORS = NUMBER["no_honors"]
NO_HONORS_NO_FLOWERS = NUMBER["no_honors_no_flowers"]
HALF_FLUSH = NUMBER["half_flush"]
FULL_FLUSH = NUMBER["full_flush"]
EDGE_CLOSED_WAIT = NUMBER["edge_closed_wait"]
PAIR_WAIT = NUMBER["pair_wait"]
LAST_TILE_DRAW = NUMBER["last_tile_draw"]
ROBBING_THE_KONG = NUMBER["robbing_the_kong"]
FIVE_DISCARDS = NUMBER["five_discards"]
NINE_DISCARDS = NUMBER["nine_discards"]
ORIGINAL_CALL = NUMBER["original_call"]
SEVEN_PAIRS_ITEM = NUMBER["seven_pairs"]
HEAVENLY_HAND = NUMBER["heavenly_hand"]
EARTHLY_HAND = NUMBER["earthly_hand"]

#: Items that differ between readings, in the order of the table; all others are the same in every reading.
BY_READING = np.array(
    [
        NO_FLOWERS, HONOR_PUNG, STRAIGHT, CONCEALED_STRAIGHT,
        TWO_CONCEALED_PUNGS, THREE_CONCEALED_PUNGS, FOUR_CONCEALED_PUNGS, FIVE_CONCEALED_PUNGS,
        LITTLE_THREE_DRAGONS, BIG_THREE_DRAGONS, LITTLE_THREE_WINDS, BIG_THREE_WINDS, LITTLE_FOUR_WINDS, BIG_FOUR_WINDS,
        ALL_CHOWS, PLAIN_CHOWS, ALL_PUNGS, NO_HONORS, NO_HONORS_NO_FLOWERS, EDGE_CLOSED_WAIT, PAIR_WAIT,
        SEVEN_PAIRS_ITEM,
    ]
)  # fmt: skip
_N_NOW = int(BY_READING.max()) + 1


@kernel
def _how_won(r, p, s, exposed, heavenly):
    """Items of the way and the time of winning, the same in every reading."""
    s.items[WINNING_HAND] = r.items[WINNING_HAND, 0]
    drawn = p.how == SELF_DRAW
    if exposed == 0:
        item = FULLY_CONCEALED if drawn else CONCEALED_HAND
        s.items[item] = r.items[item, 0]
    elif drawn:
        s.items[SELF_DRAWN] = r.items[SELF_DRAWN, 0]
    if exposed == 5:
        s.items[MELDED_HAND] = r.items[MELDED_HAND, 0]
    if drawn and p.flags & F_LAST_TILE:
        s.items[LAST_TILE_DRAW] = r.items[LAST_TILE_DRAW, 0]
    if p.how == ROB_KONG:
        s.items[ROBBING_THE_KONG] = r.items[ROBBING_THE_KONG, 0]
    if p.flags & F_ORIGINAL_CALL:
        s.items[ORIGINAL_CALL] = r.items[ORIGINAL_CALL, 0]
    if heavenly:
        s.items[HEAVENLY_HAND] = r.items[HEAVENLY_HAND, 0]
    elif p.how == BY_DISCARD and p.flags & F_EARTHLY:
        s.items[EARTHLY_HAND] = r.items[EARTHLY_HAND, 0]
    if s.items[HEAVENLY_HAND] == 0 and s.items[EARTHLY_HAND] == 0 and 0 <= p.discards <= 9:
        item = FIVE_DISCARDS if p.discards <= 5 else NINE_DISCARDS
        s.items[item] = r.items[item, 0]


@kernel
def _tiles(r, p, s, suits, exposed_kongs, concealed_kongs):
    """Flowers, kongs and flushes, the same in every reading."""
    s.items[FLOWER] = popcount(np.uint64(p.flowers)) * r.items[FLOWER, 0]
    s.items[EXPOSED_KONG] = exposed_kongs * r.items[EXPOSED_KONG, 0]
    s.items[CONCEALED_KONG] = concealed_kongs * r.items[CONCEALED_KONG, 0]
    if of_one_suit(suits):
        item = HALF_FLUSH if suits & 8 else FULL_FLUSH
        s.items[item] = r.items[item, 0]


@kernel
def _honors(r, p, now):
    """Items of wind and dragon pungs, the same in every split."""
    pungs = np.empty(7, np.int64)
    pairs = np.empty(7, np.int64)
    honor_sets(p, pungs, pairs)
    winds = pungs[0] + pungs[1] + pungs[2] + pungs[3]
    wind_pair = pairs[0] + pairs[1] + pairs[2] + pairs[3] > 0
    dragons = pungs[4] + pungs[5] + pungs[6]
    award = -1
    if winds == 4:
        award = BIG_FOUR_WINDS
    elif winds == 3:
        award = LITTLE_FOUR_WINDS if wind_pair else BIG_THREE_WINDS
    elif winds == 2 and wind_pair:
        award = LITTLE_THREE_WINDS
    if award >= 0 and r.items[award, 0]:
        now[award] = r.items[award, 0]
        winds = 0
    award = -1
    if dragons == 3:
        award = BIG_THREE_DRAGONS
    elif dragons == 2 and pairs[4] + pairs[5] + pairs[6] > 0:
        award = LITTLE_THREE_DRAGONS
    if award >= 0 and r.items[award, 0]:
        now[award] = r.items[award, 0]
        dragons = 0
    now[HONOR_PUNG] = (winds + dragons) * r.items[HONOR_PUNG, 0]


@kernel
def _lacks(r, p, now, suits):
    """No honors, no flowers, or both in one item, the same in every reading without the award of plain chows."""
    no_honors = suits & 8 == 0
    no_flowers = p.flowers == 0
    both = r.items[NO_HONORS_NO_FLOWERS, 0] if no_honors and no_flowers else 0
    now[NO_HONORS_NO_FLOWERS] = both
    now[NO_HONORS] = r.items[NO_HONORS, 0] if no_honors and not both else 0
    now[NO_FLOWERS] = r.items[NO_FLOWERS, 0] if no_flowers and not both else 0


@kernel
def _best_split(r, p, s, now, suits, no_place, melded, chow_melds, concealed_kongs):
    """Keep the best of the readings as five sets and a pair."""
    splits = np.empty(MAX_SPLITS, SPLIT)
    drawn = p.how == SELF_DRAW
    plain = suits & 8 == 0 and p.flowers == 0 and r.items[PLAIN_CHOWS, 0] > 0
    _honors(r, p, now)
    for i in range(list_splits(p.counts, 5 - p.n_melds, splits)):
        split = splits[i]
        chows = split.n_chows + chow_melds
        _lacks(r, p, now, suits)
        now[ALL_CHOWS] = 0
        now[PLAIN_CHOWS] = 0
        if chows == 5 and plain:
            now[PLAIN_CHOWS] = r.items[PLAIN_CHOWS, 0]
            now[NO_HONORS] = 0
            now[NO_FLOWERS] = 0
            now[NO_HONORS_NO_FLOWERS] = 0
        elif chows == 5:
            now[ALL_CHOWS] = r.items[ALL_CHOWS, 0]
        now[ALL_PUNGS] = r.items[ALL_PUNGS, 0] if chows == 0 else 0
        straight = chows >= 3 and has_straight(split, melded, -1)
        for choice in range(1 if no_place else N_PLACES):
            place = NOWHERE
            if not no_place:
                place = place_at(split, p.win_tile, choice)
                if place < 0:
                    continue
            concealed = concealed_kongs + split.n_pungs - (1 if place == IN_PUNG and not drawn else 0)
            put_concealed_pungs(r, now, TWO_CONCEALED_PUNGS, 2, concealed)
            now[STRAIGHT] = 0
            now[CONCEALED_STRAIGHT] = 0
            if straight:
                # The chow that another player's tile completes is not concealed.
                completed = p.win_tile - (choice - 2) if choice >= 2 and not drawn else -1
                if r.items[CONCEALED_STRAIGHT, 0] and has_straight(split, np.uint64(0), completed):
                    now[CONCEALED_STRAIGHT] = r.items[CONCEALED_STRAIGHT, 0]
                else:
                    now[STRAIGHT] = r.items[STRAIGHT, 0]
            now[EDGE_CLOSED_WAIT] = r.items[EDGE_CLOSED_WAIT, 0] if place == CLOSED else 0
            now[PAIR_WAIT] = r.items[PAIR_WAIT, 0] if place == IN_PAIR and s.items[MELDED_HAND] == 0 else 0
            keep_better(now, s.items, BY_READING)


@kernel
def _special(r, p, s, now, suits, special, no_place):
    """Keep the reading as a special hand where it is better: of its sets only the triplet of seven pairs counts."""
    for i in range(_N_NOW):
        now[i] = 0
    _lacks(r, p, now, suits)
    if special & SEVEN_PAIRS:
        now[SEVEN_PAIRS_ITEM] = r.items[SEVEN_PAIRS_ITEM, 0]
        for k in range(27, 34):
            if p.counts[k] == 3:
                now[HONOR_PUNG] = r.items[HONOR_PUNG, 0]
        if not no_place and p.counts[p.win_tile] != 3:
            now[PAIR_WAIT] = r.items[PAIR_WAIT, 0]
    keep_better(now, s.items, BY_READING)


@pointer(SCORER)
def score(p, r, s):
    """Score a position under the Four Winds tai table; see SCORER."""
    t = tables_at(r.tables)
    clear_score(s)
    s.status = NO_SHAPE
    regular = is_regular(t, p)
    special = special_hands(r.specials, p)
    if not regular and special == 0:
        return NO_SHAPE
    melded, chow_melds, exposed_kongs, concealed_kongs = melds_of(p)
    heavenly = p.how == SELF_DRAW and p.flags & F_HEAVENLY != 0
    suits = suits_in(p)
    _how_won(r, p, s, p.n_melds - concealed_kongs, heavenly)
    _tiles(r, p, s, suits, exposed_kongs, concealed_kongs)
    now = np.zeros(_N_NOW, np.int16)
    if regular:
        _best_split(r, p, s, now, suits, heavenly, melded, chow_melds, concealed_kongs)
    if special:
        _special(r, p, s, now, suits, special, heavenly)
    return conclude(p, r, s)
