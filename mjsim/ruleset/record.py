"""The records that rules and scorers work on: RULES, POSITION, SCORE, and the one signature of scorers.

Owns the layout. What the flags mean is in `flags`, their values for each rule set in `presets`.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import types

from mjsim.jit import record_at

#: Room for the items of the largest table (hk16: 68 and 6 instant payments) and for the grades of one item.
N_ITEMS = 80
N_GRADES = 6

#: How a hand is won.
SELF_DRAW, BY_DISCARD, ROB_KONG = range(3)
#: What a settlement is for.
S_WIN, S_FLOWER, S_INSTANT = range(3)

#: Flags of a position, bits of POSITION.flags; the names are FORMATS.md's.
POSITION_FLAGS = (
    "ready", "migi", "replacement", "last_tile", "heavenly", "earthly", "human", "original_call", "closed",
    "flower_wall", "kong_on_kong",
)  # fmt: skip
(F_READY, F_MIGI, F_REPLACEMENT, F_LAST_TILE, F_HEAVENLY, F_EARTHLY, F_HUMAN, F_ORIGINAL_CALL, F_CLOSED,
 F_FLOWER_WALL, F_KONG_ON_KONG) = (1 << i for i in range(11))  # fmt: skip

#: Answers of a scorer.
WIN_LEGAL, NO_SHAPE, BELOW_MINIMUM = range(3)

#: Who wins when several may: the nearest alone, all, or all only when they are three (triple win on one discard).
NEAREST, ALL, THREE_OR_NEAREST = range(3)
WINNERS = ("nearest", "all", "three_or_nearest")

#: How the opening flowers are exposed: in passes round the table, or seat by seat until each has none.
IN_PASSES, SEAT_BY_SEAT = range(2)
OPENING_FLOWERS = ("passes", "seats")

#: Wins by flowers; what the words mean is in `flags`.
NO_FLOWER_WINS, FLOWERS_ON_TURN, FLOWERS_ON_EXPOSURE, FLOWERS_ON_REPLACEMENT, SEVEN_OR_EIGHT = range(5)
FLOWER_WINS = ("off", "on_turn", "on_exposure", "on_replacement", "seven_or_eight")

#: When a win counts as heavenly, earthly, human.
GO_AROUND, FIRST_DISCARD, FIRST_DISCARD_AFTER_KONG = range(3)
EARLY_WINS = ("go_around", "first_discard", "first_discard_after_kong")

#: Items that the flow settles by itself, each a field `<name>_item` of RULES; -1 where the rules have none.
FLOW_ITEMS = (
    "dice_bonus", "eight_immortals", "seven_robs_one", "flower_base", "seven_flowers", "eight_flowers",
    "dice_triple", "mixed_bouquet", "pure_bouquet", "concealed_gong_declared", "chasing", "drawn_hand", "drawn_pool",
)  # fmt: skip

RULES = np.dtype(
    [
        ("tables", np.int64),  # address of the shape tables in this process
        ("scorer", np.int64),  # address of the family's scorer in this process
        ("kept_back", np.int16),
        ("min_tai", np.int16),
        ("min_tai_step", np.int16),
        ("base_tai", np.int16),
        ("dealer_self_draw_tai", np.int16),
        ("streak_cap", np.int16),
        ("claim_min_drawable", np.int16),
        ("declare_min_drawable", np.int16),
        ("winners", np.int8),
        ("opening_flowers", np.int8),
        ("flower_wins", np.int8),
        ("early_wins", np.int8),
        ("declaration", np.int16),  # bit of POSITION_FLAGS that a declared hand has
        ("specials", np.int8),  # special hands that the flags allow: bits of mjsim.shapes.special
        ("exchange", np.bool_),
        ("dice_bonus", np.bool_),
        ("dealer_tai", np.bool_),
        ("dealer_keeps_draw", np.bool_),
        ("dealer_keeps_shared", np.bool_),
        ("match_ends", np.bool_),
        ("heavenly_unasked", np.bool_),
        ("east_from_dice", np.bool_),
        ("dealer_draws_first", np.bool_),
        ("last_dealt_wins", np.bool_),
        ("seven_pairs", np.bool_),
        ("thirteen_orphans", np.bool_),
        ("sixteen_orphans", np.bool_),
        ("exposed_kong_from_previous", np.bool_),
        ("kong_after_claim", np.bool_),
        ("discard_claimed_tile", np.bool_),
        ("claim_back", np.bool_),
        ("skipped_pung", np.bool_),
        ("skipped_win", np.bool_),
        ("passed_kind", np.bool_),
        ("win_after_exposed_kong", np.bool_),
        ("declare_ready", np.bool_),
        ("migi", np.bool_),
        ("closing", np.bool_),
        ("original_call", np.bool_),
        ("declared_kong", np.bool_),
        ("concealed_kong_hidden", np.bool_),
        ("instant_payments", np.bool_),
        ("chase_payments", np.bool_),
        ("draw_pool", np.bool_),
        *((f"{name}_item", np.int16) for name in FLOW_ITEMS),
        ("items", np.int16, (N_ITEMS, N_GRADES)),  # tai of each item, by grade
    ],
    align=True,
)

#: A hand to be scored: what `mjsim.score_batch` takes.
POSITION = np.dtype(
    [
        ("counts", np.int8, 34),  # concealed tiles, the winning tile included
        ("n_melds", np.int8),
        ("meld_type", np.int8, 5),  # mjsim.melds
        ("meld_tile", np.int8, 5),  # lowest kind
        ("win_tile", np.int8),
        ("how", np.int8),  # SELF_DRAW, BY_DISCARD, ROB_KONG
        ("seat", np.int8),
        ("payer", np.int8),  # the seat that pays alone, -1 when all three do
        ("dealer", np.int8),
        ("east", np.int8),
        ("prevailing", np.int8),  # 0 East - 3 North
        ("dice", np.int8, 3),
        ("flowers", np.uint8),  # bit 0 is 1f
        ("streak", np.int16),
        ("discards", np.int16),  # at the table so far, the one won on included; -1 where unknown
        ("flags", np.int32),  # bits of POSITION_FLAGS
    ],
    align=True,
)

#: The answer: what `mjsim.score_batch` returns.
SCORE = np.dtype(
    [
        ("status", np.int8),  # WIN_LEGAL, NO_SHAPE, BELOW_MINIMUM
        ("tai", np.int16),  # sum of the items
        ("judged", np.int32),  # tai that the judged payer owes, dealer tai included
        ("items", np.int16, N_ITEMS),  # tai of each item, by its number in the family's table
        ("payments", np.int32, 4),  # by seat, base included; zero unless the win is legal
    ],
    align=True,
)

RULES_TYPE = numba.from_dtype(RULES)
POSITION_TYPE = numba.from_dtype(POSITION)
SCORE_TYPE = numba.from_dtype(SCORE)

#: score(position, rules, score) -> status; fills `score` whole.
SCORER = types.int64(POSITION_TYPE, RULES_TYPE, SCORE_TYPE)

rules_at = record_at(RULES)
