"""The published rule sets as flags: a base and the differences from it."""

from __future__ import annotations

from typing import Any, NamedTuple


class Preset(NamedTuple):
    name: str
    family: str  # which scorer
    source: str  # the rule text it follows
    summary: str
    flags: dict[str, Any]
    #: Items that the flow settles by itself: field of RULES without `_item` -> item of the family.
    flow_items: dict[str, str]
    #: Numbers that a flag is offered with, where they are not a range.
    offered: dict[str, tuple[int, ...]]


#: What most tables play; a preset names what it does otherwise.
_COMMON: dict[str, Any] = {
    "exchange": False,
    "opening_flowers": "passes",
    "dealer_draws_first": False,
    "last_dealt_wins": False,
    "east_from_dice": False,
    "kept_back": 16,
    "claim_min_drawable": 0,
    "winners": "all",
    "exposed_kong_from_previous": True,
    "kong_after_claim": False,
    "discard_claimed_tile": True,
    "claim_back": True,
    "skipped_pung": False,
    "skipped_win": False,
    "passed_kind": False,
    "win_after_exposed_kong": True,
    "concealed_kong_hidden": False,
    "declare_ready": False,
    "migi": False,
    "closing": False,
    "original_call": False,
    "declare_min_drawable": 0,
    "declared_kong": False,
    "seven_pairs": True,
    "thirteen_orphans": False,
    "sixteen_orphans": False,
    "min_tai": 0,
    "min_tai_step": 0,
    "heavenly_unasked": False,
    "early_wins": "first_discard",
    "flower_wins": "off",
    "dice_bonus": False,
    "base_tai": 0,
    "dealer_tai": False,
    "dealer_self_draw_tai": 0,
    "instant_payments": False,
    "chase_payments": False,
    "draw_pool": False,
    "dealer_keeps_draw": True,
    "dealer_keeps_shared": True,
    "streak_cap": 30_000,
    "match_ends": False,
}

_DOUQUE = _COMMON | {
    "base_tai": 3,
    "dealer_tai": True,
    "streak_cap": 18,
    "east_from_dice": True,
    "winners": "three_or_nearest",
    "claim_min_drawable": 4,
    "exposed_kong_from_previous": False,
    "discard_claimed_tile": False,
    "claim_back": False,
    "skipped_pung": True,
    "skipped_win": True,
    "win_after_exposed_kong": False,
    "concealed_kong_hidden": True,
    "declare_ready": True,
    "migi": True,
    "declare_min_drawable": 1,
    "declared_kong": True,
    "seven_pairs": False,
    "heavenly_unasked": True,
    "early_wins": "go_around",
    "flower_wins": "on_turn",
}
_DOUQUE_ITEMS = {name: name for name in ("dice_bonus", "eight_immortals", "seven_robs_one")}
_DOUQUE_OFFERED = {"min_tai": (0, 2, 3, 5)}

PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "douque-american",
            "douque",
            "American Mahjong (Douque), 16 tiles",
            "Douque Taiwanese with Three-Tile Exchange, Dice Bonus and a minimum of 3 tai",
            _DOUQUE | {"exchange": True, "dice_bonus": True, "min_tai": 3},
            _DOUQUE_ITEMS,
            _DOUQUE_OFFERED,
        ),
        Preset(
            "douque-taiwanese",
            "douque",
            "Taiwanese 16-Tile Mahjong (Douque)",
            "the same base without the three additions",
            _DOUQUE,
            _DOUQUE_ITEMS,
            _DOUQUE_OFFERED,
        ),
        Preset(
            "four-winds",
            "four_winds",
            "Taiwanese mahjong rules (the Four Winds table)",
            "additive tai table with seven pairs and Original Call; all winners are paid, no dealer part",
            _COMMON | {"original_call": True, "flower_wins": "on_exposure", "match_ends": True},
            {name: name for name in ("eight_immortals", "seven_robs_one")},
            {},
        ),
        Preset(
            "hk16",
            "hk16",
            "Taiwanese 16-Tile Mahjong rules and scoring (Hong Kong style points)",
            "68 items and a minimum of 20 to 26 points by round; instant payments, Closing, Orphans",
            _COMMON
            | {
                "opening_flowers": "seats",
                "last_dealt_wins": True,
                "kept_back": 0,
                "claim_min_drawable": 1,
                "passed_kind": True,
                "closing": True,
                "thirteen_orphans": True,
                "sixteen_orphans": True,
                "min_tai": 20,
                "min_tai_step": 2,
                "early_wins": "first_discard_after_kong",
                "flower_wins": "seven_or_eight",
                "dealer_self_draw_tai": 1,
                "instant_payments": True,
                "chase_payments": True,
                "draw_pool": True,
                "dealer_keeps_draw": False,
                "dealer_keeps_shared": False,
                "streak_cap": 2,
            },
            {
                name: name
                for name in (
                    "seven_flowers", "eight_flowers", "dice_triple", "mixed_bouquet", "pure_bouquet",
                    "concealed_gong_declared", "chasing", "drawn_hand", "drawn_pool",
                )
            },
            {},
        ),
        Preset(
            "house16",
            "house16",
            "A seat at the table (home-table Taiwanese, 16 tiles)",
            "one winner, one tai is one point; Li Gu Li Gu and an automatic Seven Rob One",
            _COMMON
            | {
                "opening_flowers": "seats",
                "dealer_draws_first": True,
                "winners": "nearest",
                "flower_wins": "on_replacement",
                "dealer_tai": True,
            },
            {"seven_robs_one": "seven_robs_one", "flower_base": "base_win"},
            {},
        ),
    )
}  # fmt: skip
