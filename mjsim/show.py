"""A recorded hand as text for people: deal, exchanges, every move with its forced ones, settlements."""

from __future__ import annotations

from typing import Any

import numpy as np

from mjsim.melds import meld_tiles
from mjsim.tiles import format_counts, format_flowers, format_tiles
from mjsim.transcript import hand_of

_SEAT_WINDS = "ESWN"


def seat_line(record: np.void, seat: int) -> str:
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
        f"flowers {format_flowers(int(record['flowers'][seat]))}" if record["flowers"][seat] else "",
        ("", "ready", "MIGI")[int(record["declared"][seat])],
        "skipped win" if record["skipped_win"][seat] else "",
    ]
    return "  ".join(p for p in parts if p).rstrip()


def _table(record: np.void) -> list[str]:
    return ["  " + seat_line(record, seat) for seat in range(4)]


def shown(line: dict[str, Any], number: int) -> str:
    """A transcript line for people. Raises MjsimError where it does not follow the rules."""
    hand = hand_of(line)
    record = hand.record
    wind = "ESWN"[int(record["prevailing"])]
    out = [
        f"hand {number}: {hand.rules.name} {hand.rules.options or ''} match {line.get('match', 0)} hand {line.get('hand', 0)}, "
        f"{wind} round, dealer seat {line['dealer']}, streak {line.get('streak', 0)}, "
        f"dice {'-'.join(map(str, line['dice']))} (d dealer, * concealed kong)",
        *_table(record),
    ]
    for seat, text in line["decisions"]:
        before = int(record["n_discards"])
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
        if int(record["round"]) != exchanges:
            out += [f"after exchange {int(record['round'])}:", *_table(record)]
    out.append(f"end: {hand.end or 'unfinished'}")
    out += _table(record)
    for settlement in hand.settlements:
        payer = "all three" if settlement["from"] is None else f"seat {settlement['from']}"
        items = ", ".join(f"{item} {tai}" for item, tai in settlement["items"])
        out.append(f"seat {settlement['winner']} {settlement['kind']} from {payer}: {settlement['tai']} tai ({items})")
        out.append(f"  payments {settlement['payments']}")
    out.append(f"scores {hand.scores}")
    return "\n".join(out) + "\n"


def _is_discard(text: str) -> bool:
    return text.startswith(("discard", "ready"))
