"""Every value of every flag in every rule set: the options that set it, and the item that a rule set lacks for it.

Written from the tables of the rules pages, apart from what `mjsim.ruleset` checks.
"""

from __future__ import annotations

from typing import Any

import mjsim
from mjsim.ruleset.flags import FLAGS, Flag
from mjsim.ruleset.presets import PRESETS

RULE_SETS = tuple(PRESETS)
#: A table has one of them.
DECLARATIONS = ("declare_ready", "closing", "original_call")

_ROBBING = ("eight_immortals", "seven_robs_one")
#: Items that a value pays with.
_PAID_WITH: dict[tuple[str, Any], tuple[str, ...]] = {
    ("dice_bonus", True): ("dice_bonus",),
    ("flower_wins", "on_turn"): _ROBBING,
    ("flower_wins", "on_exposure"): _ROBBING,
    ("flower_wins", "on_replacement"): ("seven_robs_one",),
    ("flower_wins", "seven_or_eight"): ("seven_flowers", "eight_flowers"),
    ("instant_payments", True): ("dice_triple", "mixed_bouquet", "pure_bouquet", "concealed_gong_declared"),
    ("chase_payments", True): ("chasing",),
    ("draw_pool", True): ("drawn_hand", "drawn_pool"),
}


def other_values(rules: str, flag: Flag) -> list[Any]:
    """Values of a flag other than the preset's: all of a choice, some of a number."""
    value = PRESETS[rules].flags[flag.name]
    if flag.kind is bool:
        return [not value]
    if flag.kind is str:
        return [v for v in flag.allowed if v != value]
    offered = PRESETS[rules].offered.get(flag.name, (0, 1, 5, 30))
    return [v for v in offered if v != value]


def lacking_item(rules: str, flag: str, value: Any) -> str | None:
    """The first item that the value needs and the rule set has not (of a special hand what there is); None where it can be."""
    if rules.startswith("douque") and value and flag in ("seven_pairs", "thirteen_orphans", "sixteen_orphans"):
        return "five melds and a pair"
    items = mjsim.rules(rules).items
    return next((item for item in _PAID_WITH.get((flag, value), ()) if item not in items), None)


def options_with(rules: str, flag: str, value: Any) -> dict[str, Any]:
    """The options that give the flag this value, with what must change with it."""
    options = {flag: value}
    flags = PRESETS[rules].flags
    declares = "declare_ready" if flag == "migi" and value else flag
    if declares in DECLARATIONS and (value or declares != flag):
        options |= {name: name == declares for name in DECLARATIONS if flags[name] != (name == declares)}
    if not {**flags, **options}["declare_ready"] and flags["migi"]:
        options["migi"] = False
    return options


#: (rules, flag, value) of every value that can be, and of every one that cannot.
VALUES = [(name, flag, value) for flag in FLAGS for name in RULE_SETS for value in other_values(name, flag)]
POSSIBLE = [(name, flag.name, value) for name, flag, value in VALUES if lacking_item(name, flag.name, value) is None]
REFUSED = [(name, flag.name, value) for name, flag, value in VALUES if lacking_item(name, flag.name, value)]


def case_id(case: tuple[str, str, Any]) -> str:
    return f"{case[1]}={case[2]}-{case[0]}"
