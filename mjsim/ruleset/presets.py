"""The published rule sets as flags: a base and the differences from it."""

from __future__ import annotations

from typing import Any, NamedTuple


class Preset(NamedTuple):
    name: str
    family: str  # which scorer
    source: str  # the rule text it follows
    summary: str
    flags: dict[str, Any]


_DOUQUE: dict[str, Any] = {
    "exchange": False,
    "dice_bonus": False,
    "min_tai": 0,
    "kept_back": 16,
    "base_tai": 3,
    "dealer_tai": True,
    "streak_cap": 18,
    "east_from_dice": True,
    "winners": "three_or_nearest",
    "claim_min_drawable": 4,
    "exposed_kong_from_previous": False,
    "kong_after_claim": False,
    "discard_claimed_tile": False,
    "claim_back": False,
    "skipped_pung": True,
    "skipped_win": True,
    "win_after_exposed_kong": False,
    "declare_ready": True,
    "migi": True,
    "flower_wins": True,
    "concealed_kong_hidden": True,
}

PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "douque-american",
            "douque",
            "American Mahjong (Douque), 16 tiles",
            "Douque Taiwanese with Three-Tile Exchange, Dice Bonus and a minimum of 3 tai",
            _DOUQUE | {"exchange": True, "dice_bonus": True, "min_tai": 3},
        ),
        Preset(
            "douque-taiwanese",
            "douque",
            "Taiwanese 16-Tile Mahjong (Douque)",
            "the same base without the three additions",
            _DOUQUE,
        ),
    )
}
