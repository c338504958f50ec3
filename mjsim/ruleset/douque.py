"""The scorer of the Douque family: the tai of a complete hand, exclusions and best split included.

Owns scoring alone: whether the hand may win here and now, and what a win ends, is the flow's business.
"""

from __future__ import annotations

import numpy as np

from mjsim.jit import kernel, pointer, popcount
from mjsim.melds import CHOW, KONG_CONCEALED
from mjsim.ruleset.dice import dice_tai
from mjsim.ruleset.douque_items import ALL_HONORS_MERGE, NUMBER
from mjsim.ruleset.payments import conclude
from mjsim.ruleset.reading import (
    CLOSED,
    IN_PAIR,
    IN_PUNG,
    MAX_SPLITS,
    NOWHERE,
    SPLIT,
    TWO_SIDED,
    chow_holds,
    clear_score,
    honor_sets,
    is_regular,
    list_splits,
    place_in_chow,
    suits_in,
    waits_before,
)
from mjsim.ruleset.record import (
    F_EARTHLY,
    F_HEAVENLY,
    F_HUMAN,
    F_LAST_TILE,
    F_MIGI,
    F_READY,
    F_REPLACEMENT,
    NO_SHAPE,
    ROB_KONG,
    SCORER,
    SELF_DRAW,
)
from mjsim.shapes.kernels import tables_at

CONCEALED_HAND = NUMBER["concealed_hand"]
SELF_DRAWN = NUMBER["self_drawn"]
FULLY_CONCEALED = NUMBER["fully_concealed"]
PREVALENT_WIND = NUMBER["prevalent_wind"]
SEAT_WIND = NUMBER["seat_wind"]
DRAGON_PUNG = NUMBER["dragon_pung"]
SEAT_FLOWER = NUMBER["seat_flower"]
FLOWER_KONG = NUMBER["flower_kong"]
SINGLE_WAIT = NUMBER["single_wait"]
MELDED_HAND = NUMBER["melded_hand"]
ROBBING_THE_KONG = NUMBER["robbing_the_kong"]
REPLACEMENT_TILE = NUMBER["replacement_tile"]
LAST_TILE_DRAW = NUMBER["last_tile_draw"]
DECLARE_READY = NUMBER["declare_ready"]
DICE_BONUS = NUMBER["dice_bonus"]
ALL_CHOWS = NUMBER["all_chows"]
THREE_CONCEALED_PUNGS = NUMBER["three_concealed_pungs"]
FOUR_CONCEALED_PUNGS = NUMBER["four_concealed_pungs"]
FIVE_CONCEALED_PUNGS = NUMBER["five_concealed_pungs"]
ALL_PUNGS = NUMBER["all_pungs"]
LITTLE_THREE_DRAGONS = NUMBER["little_three_dragons"]
BIG_THREE_DRAGONS = NUMBER["big_three_dragons"]
LITTLE_FOUR_WINDS = NUMBER["little_four_winds"]
BIG_FOUR_WINDS = NUMBER["big_four_winds"]
HALF_FLUSH = NUMBER["half_flush"]
FULL_FLUSH = NUMBER["full_flush"]
ALL_HONORS = NUMBER["all_honors"]
HUMAN_HAND = NUMBER["human_hand"]
EARTHLY_HAND = NUMBER["earthly_hand"]
HEAVENLY_HAND = NUMBER["heavenly_hand"]
MIGI = NUMBER["migi"]


@kernel
def _best_split(t, r, p, s, drawn, no_place, chow_melds, pung_melds, concealed_kongs, exposed, may_be_all_chows):
    """Choose split and place of the winning tile for the highest tai and write the items that depend on them."""
    splits = np.empty(MAX_SPLITS, SPLIT)
    single = -1  # not asked yet
    best = -1
    best_items = np.zeros(6, np.int64)
    for i in range(list_splits(p.counts, 5 - p.n_melds, splits)):
        split = splits[i]
        # Every place of the winning tile in this split; with Heavenly Hand it has none.
        for choice in range(1 if no_place else 5):
            place = NOWHERE
            if no_place:
                pass
            elif choice == 0:
                if not split.pungs >> np.uint64(p.win_tile) & np.uint64(1):
                    continue
                place = IN_PUNG
            elif choice == 1:
                if split.pair != p.win_tile:
                    continue
                place = IN_PAIR
            else:
                low = p.win_tile - (choice - 2)
                if not chow_holds(split, low, p.win_tile):
                    continue
                place = place_in_chow(low, p.win_tile)
            concealed = concealed_kongs + split.n_pungs - (1 if place == IN_PUNG and not drawn else 0)
            i_pungs = 0
            if concealed == 3:
                i_pungs = r.items[THREE_CONCEALED_PUNGS, 0]
            elif concealed == 4:
                i_pungs = r.items[FOUR_CONCEALED_PUNGS, 0]
            elif concealed == 5:
                i_pungs = r.items[FIVE_CONCEALED_PUNGS, 0]
            only_pungs = split.n_pungs + pung_melds == 5 and s.items[ALL_HONORS] == 0
            i_all_pungs = r.items[ALL_PUNGS, 0] if only_pungs else 0
            all_chows = may_be_all_chows and split.n_chows + chow_melds == 5 and place == TWO_SIDED and split.pair < 27
            i_chows = r.items[ALL_CHOWS, 0] if all_chows else 0
            i_single = 0
            if place == IN_PAIR or place == CLOSED:
                if single < 0:
                    single = 1 if popcount(waits_before(t, p, 0)) == 1 else 0
                if single:
                    i_single = r.items[SINGLE_WAIT, 0]
            i_melded = r.items[MELDED_HAND, 0] if exposed == 5 and place == IN_PAIR and not drawn else 0
            total = i_pungs + i_all_pungs + i_chows + i_single + i_melded
            # Equal totals: all_chows is listed (Waits and shapes 4).
            if total > best or (total == best and i_chows > best_items[2]):
                best = total
                best_items[0] = i_pungs
                best_items[1] = i_all_pungs
                best_items[2] = i_chows
                best_items[3] = i_single
                best_items[4] = i_melded
                best_items[5] = concealed
    if best < 0:
        return
    if best_items[5] == 3:
        s.items[THREE_CONCEALED_PUNGS] = best_items[0]
    elif best_items[5] == 4:
        s.items[FOUR_CONCEALED_PUNGS] = best_items[0]
    elif best_items[5] == 5:
        s.items[FIVE_CONCEALED_PUNGS] = best_items[0]
    s.items[ALL_PUNGS] = best_items[1]
    s.items[ALL_CHOWS] = best_items[2]
    s.items[SINGLE_WAIT] = best_items[3]
    s.items[MELDED_HAND] = best_items[4]


@kernel
def _honors(r, p, s, suits):
    """Dragon, wind and All Honors items, from the pungs and the pair of honors (fixed in every split)."""
    pung = np.empty(7, np.int64)
    pairs = np.empty(7, np.int64)
    honor_sets(p, pung, pairs)
    only_honors = suits == 8
    dragons = pung[4] + pung[5] + pung[6]
    winds = pung[0] + pung[1] + pung[2] + pung[3]
    combination = 0
    if dragons == 3:
        combination = BIG_THREE_DRAGONS
    elif dragons == 2 and pairs[4] + pairs[5] + pairs[6] == 1:
        combination = LITTLE_THREE_DRAGONS
    big_winds = winds == 4
    little_winds = winds == 3 and pairs[0] + pairs[1] + pairs[2] + pairs[3] == 1
    wind_hand = BIG_FOUR_WINDS if big_winds else (LITTLE_FOUR_WINDS if little_winds else 0)
    if only_honors and r.items[ALL_HONORS, 0]:
        total = r.items[ALL_HONORS, 0]
        # A dragons and a winds hand cannot stand together: five melds hold at most one of the two.
        if combination and r.items[combination, 0]:
            total += r.items[combination, 0] - ALL_HONORS_MERGE
        elif wind_hand and r.items[wind_hand, 0]:
            total += r.items[wind_hand, 0] - ALL_HONORS_MERGE
        s.items[ALL_HONORS] = total
        return
    if combination:
        s.items[combination] = r.items[combination, 0]
    else:
        s.items[DRAGON_PUNG] = dragons * r.items[DRAGON_PUNG, 0]
    if wind_hand:
        s.items[wind_hand] = r.items[wind_hand, 0]
    else:
        if pung[p.prevailing]:
            s.items[PREVALENT_WIND] = r.items[PREVALENT_WIND, 0]
        if pung[(p.seat - p.east) % 4]:
            s.items[SEAT_WIND] = r.items[SEAT_WIND, 0]


@kernel
def _flush(r, s, suits):
    """Half Flush and Full Flush: number tiles of one suit, with or without honors."""
    numbers = suits & 7
    if numbers and numbers & (numbers - 1) == 0:
        if suits & 8:
            s.items[HALF_FLUSH] = r.items[HALF_FLUSH, 0]
        else:
            s.items[FULL_FLUSH] = r.items[FULL_FLUSH, 0]


@kernel
def _flowers(r, p, s):
    """Seat Flower and Flower Kong."""
    wind = (p.seat - p.east) % 4
    mask = np.int64(p.flowers)
    s.items[SEAT_FLOWER] = ((mask >> wind & 1) + (mask >> (wind + 4) & 1)) * r.items[SEAT_FLOWER, 0]
    s.items[FLOWER_KONG] = ((mask & 15 == 15) + (mask >> 4 == 15)) * r.items[FLOWER_KONG, 0]


@pointer(SCORER)
def score(p, r, s):
    """Score a position under the Douque tai table; see SCORER."""
    t = tables_at(r.tables)
    clear_score(s)
    s.status = NO_SHAPE
    if not is_regular(t, p):
        return NO_SHAPE
    chow_melds = 0
    concealed_kongs = 0
    for i in range(p.n_melds):
        if p.meld_type[i] == CHOW:
            chow_melds += 1
        elif p.meld_type[i] == KONG_CONCEALED:
            concealed_kongs += 1
    exposed = p.n_melds - concealed_kongs
    concealed = exposed == 0
    flags = p.flags
    heavenly = flags & F_HEAVENLY != 0
    earthly = flags & F_EARTHLY != 0
    human = flags & F_HUMAN != 0
    migi = flags & F_MIGI != 0
    self_drawn = p.how == SELF_DRAW
    # The regular win of Seven Robs One case 2 is paid like a discard, but its tile was drawn (ruling 32).
    robbed_flower = p.how != SELF_DRAW and flags & F_REPLACEMENT != 0
    if concealed and not (heavenly or earthly or human or migi):
        s.items[CONCEALED_HAND] = r.items[CONCEALED_HAND, 0]
    if self_drawn:
        if not (heavenly or earthly):
            s.items[SELF_DRAWN] = r.items[SELF_DRAWN, 0]
            if concealed and not migi:
                s.items[FULLY_CONCEALED] = r.items[FULLY_CONCEALED, 0]
        if flags & F_LAST_TILE:
            s.items[LAST_TILE_DRAW] = r.items[LAST_TILE_DRAW, 0]
    if p.how == ROB_KONG:
        s.items[ROBBING_THE_KONG] = r.items[ROBBING_THE_KONG, 0]
    if flags & F_REPLACEMENT and not heavenly:
        s.items[REPLACEMENT_TILE] = r.items[REPLACEMENT_TILE, 0]
    if migi:
        s.items[MIGI] = r.items[MIGI, 0]
    elif flags & F_READY:
        s.items[DECLARE_READY] = r.items[DECLARE_READY, 0]
    if heavenly:
        s.items[HEAVENLY_HAND] = r.items[HEAVENLY_HAND, 0]
    if earthly:
        s.items[EARTHLY_HAND] = r.items[EARTHLY_HAND, 0]
    if human:
        s.items[HUMAN_HAND] = r.items[HUMAN_HAND, 0]
    s.items[DICE_BONUS] = dice_tai(r, p.dice)
    suits = suits_in(p)
    _honors(r, p, s, suits)
    _flush(r, s, suits)
    _flowers(r, p, s)
    _best_split(
        t,
        r,
        p,
        s,
        self_drawn or robbed_flower,
        heavenly,
        chow_melds,
        p.n_melds - chow_melds,
        concealed_kongs,
        exposed,
        not self_drawn and not robbed_flower and not concealed and p.flowers == 0,
    )
    return conclude(p, r, s)
