"""Rules as data: `mjsim.rules(name, **options)` gives a `Rules`, checked when built.

The package is `ruleset` because `mjsim.rules` is the public function.

Owns the building of rules. The flow and the scorers read its record.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib
import json
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mjsim.errors import UsageError
from mjsim.ruleset import flags as _flags
from mjsim.ruleset.presets import PRESETS, Preset
from mjsim.ruleset.record import (
    F_CLOSED,
    F_ORIGINAL_CALL,
    F_READY,
    FLOW_ITEMS,
    N_GRADES,
    RULES,
)
from mjsim.shapes.special import SEVEN_PAIRS, SIXTEEN_ORPHANS, THIRTEEN_ORPHANS


class _Family(NamedTuple):
    """A scorer family."""

    scorer: str  # module with `score`
    items: str  # module with ITEMS and NUMBER
    special_hands: bool  # whether it scores seven pairs and Orphans


_FAMILIES = {
    family: _Family(f"mjsim.ruleset.{family}", f"mjsim.ruleset.{family}_items", special_hands)
    for family, special_hands in (("douque", False), ("four_winds", True), ("hk16", True), ("house16", True))
}

#: Items without which a flag (or a value of it) has nothing to pay.
_NEEDED_ITEMS: dict[str, Any] = {
    "dice_bonus": ("dice_bonus",),
    "flower_wins": {
        "on_turn": ("eight_immortals", "seven_robs_one"),
        "on_exposure": ("eight_immortals", "seven_robs_one"),
        "on_replacement": ("seven_robs_one",),
        "seven_or_eight": ("seven_flowers", "eight_flowers"),
    },
    "instant_payments": ("dice_triple", "mixed_bouquet", "pure_bouquet", "concealed_gong_declared"),
    "chase_payments": ("chasing",),
    "draw_pool": ("drawn_hand", "drawn_pool"),
}


def _unknown(what: str, name: object, known: Iterable[str]) -> UsageError:
    known = sorted(known)
    near = difflib.get_close_matches(str(name), known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return UsageError(f"unknown {what} {name!r}{hint} (known: {', '.join(known)})")


def _flag_value(name: str, value: Any, preset: Preset) -> Any:
    """The checked value of a flag; `off` of a choice may be written as a bool, on is then the preset's own."""
    offered = preset.offered.get(name)
    flag = _flags.BY_NAME[name]
    if flag.kind is bool:
        if isinstance(value, (bool, np.bool_)):
            return bool(value)
        if isinstance(value, str) and value.lower() in ("true", "on", "yes", "false", "off", "no"):
            return value.lower() in ("true", "on", "yes")
        if isinstance(value, (int, str)) and str(value) in ("0", "1"):
            return str(value) == "1"
        raise UsageError(f"option {name}: {value!r} is neither on nor off")
    if flag.kind is int:
        try:
            number = int(value) if not isinstance(value, (bool, float)) else None
        except (TypeError, ValueError):
            number = None
        if number is None:
            raise UsageError(f"option {name}: {value!r} is no whole number")
        if offered:
            if number not in offered:
                words = f"{', '.join(map(str, offered[:-1]))} or {offered[-1]}"
                raise UsageError(f"option {name}: {number} is not offered ({words})")
        elif not flag.allowed[0] <= number <= flag.allowed[1]:
            raise UsageError(f"option {name}: {number} is outside {flag.allowed[0]}-{flag.allowed[1]}")
        return number
    if "off" in flag.allowed and str(value).lower() in ("false", "0", "no", "true", "1", "on", "yes"):
        value = preset.flags[name] if str(value).lower() in ("true", "1", "on", "yes") else "off"
    if value not in flag.allowed:
        raise UsageError(f"option {name}: {value!r} is not one of {', '.join(flag.allowed)}")
    return value


class Rules:
    """One rule set with its options: immutable, comparable, with a record that compiled code reads.

    Attributes:
        name: of the preset.
        options: what differs from the preset, as given and checked (`{"min_tai": 0}`).
        flags: every flag with its value.
        items: tai of every item (a graded item has a list).
        array: RULES[1], the record for compiled code.
        fingerprint: hash of all that affects play and scores, the same in every process.
    """

    def __init__(self, name: str, options: Mapping[str, Any]) -> None:
        if name not in PRESETS:
            raise _unknown("rules", name, PRESETS)
        preset = PRESETS[name]
        self.name = name
        self.family = preset.family
        self.preset = preset
        items_module = importlib.import_module(_FAMILIES[preset.family].items)
        self.item_table = items_module.ITEMS
        self.item_ids: tuple[str, ...] = tuple(item.id for item in self.item_table)
        self.flags = dict(preset.flags)
        self.items: dict[str, int | list[int]] = {
            item.id: item.tai[0] if len(item.tai) == 1 else list(item.tai) for item in self.item_table
        }
        self.options: dict[str, Any] = {}
        for key, value in options.items():
            if key == "items":
                if not isinstance(value, Mapping):
                    raise UsageError(f"option items: {value!r} is no mapping of item ids to tai")
                for item, tai in value.items():
                    self._set_item(item, tai)
            elif key.startswith("items."):
                self._set_item(key[len("items.") :], value)
            elif key in _flags.BY_NAME:
                checked = _flag_value(key, value, preset)
                if checked != preset.flags[key]:
                    self.options[key] = checked
                self.flags[key] = checked
            else:
                raise _unknown("option", key, [*_flags.BY_NAME, "items.ID"])
        self._check_together()
        self.array = self._record()
        self.fingerprint = self._fingerprint()

    def _set_item(self, item: str, tai: Any) -> None:
        if item not in self.items:
            raise _unknown("item", item, self.items)
        grades = len(self.items[item]) if isinstance(self.items[item], list) else 1
        values = tai
        if isinstance(tai, str):
            values = [part for part in tai.replace(" ", "").split(",") if part]
        elif not isinstance(tai, Sequence):
            values = [tai]
        try:
            numbers = [int(v) for v in values if not isinstance(v, (bool, float))]
        except (TypeError, ValueError):
            numbers = []
        if len(numbers) != grades or len(values) != grades or not all(0 <= n <= 1000 for n in numbers):
            what = "one whole number" if grades == 1 else f"{grades} whole numbers, one for each grade"
            raise UsageError(f"option items.{item}: {tai!r} is not {what} of 0-1000")
        new: int | list[int] = numbers[0] if grades == 1 else numbers
        if new != self.items[item]:
            self.options.setdefault("items", {})[item] = new
        self.items[item] = new

    def _check_together(self) -> None:
        if self.flags["migi"] and not self.flags["declare_ready"]:
            raise UsageError("option migi: on, but declare_ready is off; MIGI is a declaration (set migi off too)")
        declarations = [name for name in ("declare_ready", "closing", "original_call") if self.flags[name]]
        if len(declarations) > 1:
            raise UsageError(f"option {declarations[1]}: on beside {declarations[0]}; a table has one declaration")
        for flag in ("seven_pairs", "thirteen_orphans", "sixteen_orphans"):
            if self.flags[flag] and not _FAMILIES[self.family].special_hands:
                raise UsageError(f"option {flag}: on, but the table of {self.name} scores five melds and a pair alone")
        for flag, needed in _NEEDED_ITEMS.items():
            value = self.flags[flag]
            for item in needed.get(value, ()) if isinstance(needed, dict) else (needed if value else ()):
                if item not in self.preset.flow_items:
                    shown = "on" if value is True else value
                    raise UsageError(f"option {flag}: {shown} needs the item {item}, which {self.name} has not")

    def _record(self) -> np.ndarray:
        array = np.zeros(1, dtype=RULES)
        for flag in _flags.FLAGS:
            value = self.flags[flag.name]
            array[flag.name] = flag.allowed.index(value) if flag.kind is str else value
        flags = self.flags
        array["specials"] = (
            SEVEN_PAIRS * flags["seven_pairs"]
            + THIRTEEN_ORPHANS * flags["thirteen_orphans"]
            + SIXTEEN_ORPHANS * flags["sixteen_orphans"]
        )
        array["declaration"] = F_CLOSED if flags["closing"] else F_ORIGINAL_CALL if flags["original_call"] else F_READY
        for name in FLOW_ITEMS:
            item = self.preset.flow_items.get(name)
            array[f"{name}_item"] = self.item_ids.index(item) if item else -1
        for number, item in enumerate(self.item_ids):
            value = self.items[item]
            for grade, tai in enumerate(value if isinstance(value, list) else [value]):
                if grade < N_GRADES:
                    array["items"][0, number, grade] = tai
        return array

    def _fingerprint(self) -> str:
        plain = {"name": self.name, "flags": self.flags, "items": self.items}
        return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:16]

    def ready(self) -> Rules:
        """Fill in what compiled code needs in this process (tables, scorer); compiles the family's scorer."""
        if not self.array["scorer"][0]:
            from mjsim.shapes import tables

            self.array["tables"] = tables.address()
            self.array["scorer"] = self.scorer.address
        _READY[self.array.ctypes.data] = self
        return self

    @property
    def scorer(self) -> Any:
        """The family's compiled scorer, a `mjsim.jit.Pointer`."""
        return importlib.import_module(_FAMILIES[self.family].scorer).score

    @property
    def address(self) -> int:
        """Address of the record, ready for compiled code."""
        return self.ready().array.ctypes.data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rules) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> tuple:
        return Rules, (self.name, self.options)

    def __repr__(self) -> str:
        return f"mjsim.rules({', '.join([repr(self.name), *(f'{k}={v!r}' for k, v in self.options.items())])})"


_READY: weakref.WeakValueDictionary[int, Rules] = weakref.WeakValueDictionary()


def rules_at_address(address: int) -> Rules:
    """The `Rules` whose record lies at an address: what is called from compiled code is given no more."""
    return _READY[address]


def records_of(several: Sequence[Rules]) -> np.ndarray:
    """RULES[n]: copies of the records of these rules, which must live as long, for compiled code that goes from one to the next."""
    array = np.concatenate([each.ready().array for each in several])
    for number, each in enumerate(several):
        _READY[array[number : number + 1].ctypes.data] = each
    return array


def rules(name: str | Rules, **options: Any) -> Rules:
    """The rule set `name` with `options` changed: any flag of `mjsim rules NAME`, or `items={"id": tai}`.

    Raises UsageError for an unknown name, option or item, a value out of range, or options that contradict each other.
    """
    if not isinstance(name, Rules):
        return Rules(name, options)
    if not options:
        return name
    merged = {**name.options, **options}
    if isinstance(options.get("items"), Mapping):
        merged["items"] = {**name.options.get("items", {}), **options["items"]}
    return Rules(name.name, merged)
