"""Text for people: a recorded hand, and the flags and items of a rule set.

A hand is told from the deal to its settlements: exchanges, every move with its forced ones, payments during play.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mjsim import view
from mjsim.hand import Hand
from mjsim.melds import meld_tiles
from mjsim.ruleset import Rules
from mjsim.ruleset.flags import FLAGS, Flag
from mjsim.tiles import format_counts, format_tiles
from mjsim.transcript import hand_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_SEAT_WINDS = "ESWN"
_ROUNDS = ("East", "South", "West", "North")

#: First flag of each group, as they stand in `mjsim.ruleset.flags`.
GROUPS = {
    "exchange": "before play",
    "kept_back": "the wall",
    "winners": "claims and kongs",
    "declare_ready": "declarations",
    "seven_pairs": "winning",
    "dice_bonus": "payments",
    "dealer_keeps_draw": "the next hand",
}

#: Narrower than this the table of items has its names and notes in one column.
WIDE = 100


def seat_line(record: np.void, rules: Rules, seat: int) -> str:
    """One seat: wind, concealed tiles, melds, flowers, state."""
    melds = [
        format_tiles(meld_tiles(int(record["meld_type"][seat, i]), int(record["meld_tile"][seat, i])))
        + ("*" if record["meld_type"][seat, i] == 4 else "")
        for i in range(int(record["n_melds"][seat]))
    ]
    parts = [
        f"seat {seat} {_SEAT_WINDS[(seat - int(record['east'])) % 4]}{'d' if seat == record['dealer'] else ' '}",
        f"{format_counts(record['counts'][seat]):26}",
        f"[{' '.join(melds)}]" if melds else "",
        f"flowers {view.flowers_text(int(record['flowers'][seat]), rules)}" if record["flowers"][seat] else "",
        view.declared_text(record, rules, seat),
        "skipped win" if record["skipped_win"][seat] else "",
    ]
    return "  ".join(p for p in parts if p).rstrip()


def _table(hand: Hand) -> list[str]:
    return ["  " + seat_line(hand.record, hand.rules, seat) for seat in range(4)]


def _paid(hand: Hand, before: int) -> list[str]:
    """Payments during play from number `before` on."""
    n = int(hand.record["n_instants"])
    return [f"  paid: {view.settlement_text(settlement)}" for settlement in hand.settlements[before:n]]


def standing(record: np.void, rules: Rules) -> str:
    """Round, dealer, streak, and the minimum and pool where the rules have them."""
    prevailing = int(record["prevailing"])
    parts = [f"{'ESWN'[prevailing]} round", f"dealer seat {int(record['dealer'])}", f"streak {int(record['streak'])}"]
    if needed := view.minimum(rules, prevailing):
        parts.append(f"minimum {needed}")
    if rules.flags["draw_pool"]:
        parts.append(f"pool {int(record['pool'])}")
    return ", ".join(parts)


def shown(line: dict[str, Any], number: int) -> str:
    """A transcript line for people. Raises MjsimError where it does not follow the rules."""
    hand = hand_of(line)
    record = hand.record
    out = [
        f"hand {number}: {hand.rules.name} {hand.rules.options or ''} match {line.get('match', 0)} hand {line.get('hand', 0)}, "
        f"{standing(record, hand.rules)}, dice {'-'.join(map(str, line['dice']))} (d dealer, * concealed kong)",
        *_table(hand),
        *_paid(hand, 0),
    ]
    for seat, text in line["decisions"]:
        before = int(record["n_discards"])
        paid = int(record["n_instants"])
        phase = hand.phase
        exchanges = int(record["round"])
        hand.apply(text)
        out.append(f"seat {seat}: {text}")
        # Moves that were forced leave discards behind that no decision tells of.
        made = 1 if phase == "turn" and _is_discard(text) else 0
        for i in range(before + made, int(record["n_discards"])):
            out.append(
                f"  seat {int(record['discarder'][i])} discards {format_tiles([int(record['discards'][i])])} (forced)"
            )
        out += _paid(hand, paid)
        if int(record["round"]) != exchanges:
            out += [f"after exchange {int(record['round'])}:", *_table(hand)]
    out.append(f"end: {hand.end or 'unfinished'}")
    out += _table(hand)
    for settlement in hand.settlements:
        out += [view.settlement_text(settlement), f"  payments {settlement['payments']}"]
    if hand.over:
        out.append(f"next: {next_text(hand.next)}")
    out.append(f"scores {hand.scores}")
    return "\n".join(out) + "\n"


def next_text(following: dict[str, Any] | None) -> str:
    """Who deals the next hand, or that there is none."""
    if following is None:
        return "none, the match is over"
    text = f"dealer seat {following['dealer']}, streak {following['streak']}, round {following['prevailing']}"
    return text + "".join(f", {name} {value}" for name, value in following.get("carry", {}).items())


def _is_discard(text: str) -> bool:
    return text.startswith(("discard", "ready"))


# --- rule sets ------------------------------------------------------------------------------------------------------


def grouped() -> list[tuple[str, list[Flag]]]:
    """All flags in order, by group."""
    groups: list[tuple[str, list[Flag]]] = []
    for flag in FLAGS:
        if flag.name in GROUPS:
            groups.append((GROUPS[flag.name], []))
        groups[-1][1].append(flag)
    return groups


def value_text(value: Any) -> str:
    """A flag's value or an item's tai, as an option is written: on, off, a number, a word, a list by grade."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def rules_as_json(rules: Rules) -> dict[str, Any]:
    """All that `mjsim rules NAME` tells, for programs; the preset's own values stand beside the changed ones."""
    own = Rules(rules.name, {})
    return {
        "name": rules.name,
        "summary": rules.preset.summary,
        "source": rules.preset.source,
        "fingerprint": rules.fingerprint,
        "options": rules.options,
        "flags": rules.flags,
        "minimum": {wind: view.minimum(rules, i) for i, wind in enumerate(view.WINDS)},
        "flowers": {f"{i + 1}f": name for i, name in enumerate(view.flower_names(rules))},
        "items": {
            item.id: {
                "tai": rules.items[item.id],
                "name": item.name,
                "chinese": item.chinese,
                "note": item.note,
            }
            for item in rules.item_table
        },
        "preset": {"fingerprint": own.fingerprint, "flags": own.flags, "items": own.items},
        "meanings": {
            flag.name: {
                "group": group,
                "meaning": flag.meaning,
                "kind": {bool: "switch", int: "number", str: "word"}[flag.kind],
                "allowed": list(rules.preset.offered.get(flag.name) or flag.allowed or (False, True)),
            }
            for group, flags in grouped()
            for flag in flags
        },
    }


def minimum_text(rules: Rules) -> str:
    needed = [view.minimum(rules, i) for i in range(4)]
    if len(set(needed)) > 1:
        return ", ".join(f"{tai} in the {wind} round" for tai, wind in zip(needed, _ROUNDS, strict=True))
    return f"{needed[0]} tai" if needed[0] else "none"


def _rows(title: str, headings: Sequence[str], rows: Iterable[tuple[bool, Sequence[str]]]) -> Table:
    """A table whose first column stays in one piece, as it is to be copied; changed rows are bold."""
    from rich import box
    from rich.table import Table

    table = Table(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD if headings else None,
        pad_edge=False, show_header=bool(headings), padding=(0, 2, 0, 0),
    )  # fmt: skip
    for i, heading in enumerate(headings or ("", "", "")):
        table.add_column(heading, no_wrap=i == 0, max_width=24 if i == 1 else None, overflow="fold")
    for changed, cells in rows:
        table.add_row(*cells, style="bold" if changed else None)
    return table


def _marked(now: Any, before: Any) -> str:
    return value_text(now) if now == before else f"* {value_text(now)}\n(preset {value_text(before)})"


def print_rules(console: Console, rules: Rules) -> None:
    """The flags by group and the table of items, changed ones marked with a star and the preset's value."""
    own = Rules(rules.name, {})
    names = ", ".join(f"{i + 1}f {name}" for i, name in enumerate(view.flower_names(rules)))
    for line in (
        f"{rules.name}: {rules.preset.summary}",
        f"follows: {rules.preset.source}",
        f"minimum: {minimum_text(rules)}",
        f"flowers: {names}",
        f"fingerprint: {rules.fingerprint}{' (* is changed from the preset)' if rules.options else ''}",
    ):
        console.print(line, highlight=False, markup=False)
    for group, flags in grouped():
        rows = []
        for flag in flags:
            now, before = rules.flags[flag.name], own.flags[flag.name]
            rows.append((now != before, (flag.name, _marked(now, before), flag.meaning)))
        console.print()
        console.print(_rows(f"Flags: {group}", (), rows))
    wide = console.width >= WIDE
    rows = []
    for item in rules.item_table:
        now, before = rules.items[item.id], own.items[item.id]
        name = f"{item.name} {item.chinese}".strip()
        told = (name, item.note) if wide else ("; ".join(part for part in (name, item.note) if part),)
        rows.append((now != before, (item.id, _marked(now, before), *told)))
    console.print()
    console.print(_rows("Tai table", ("item", "tai", *(("name", "note") if wide else ("name, note",))), rows))
