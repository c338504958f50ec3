"""Measures of `study dice` and how they are shown: terminal tables, JSON, CSV, a page of text and plots.

Owns what each measure is. Counting is in `dice_kernels`, standard errors in `stats`, the run in `dice`.
"""

from __future__ import annotations

import csv
import json
import math
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from mjsim.experiments.dice import DEFAULT_KEEP, DiceResult, parameters
from mjsim.experiments.dice_kernels import DICE, N_PATTERNS, PATTERNS
from mjsim.experiments.dice_measures import (
    COLUMNS,
    LABELS,
    MEASURES,
    ROLLS,
    Summary,
    bonus_tai,
    odds,
    summarise,
)
from mjsim.experiments.dice_plots import plot_ends, plot_scores, plot_wins
from mjsim.experiments.stats import Interval


def _option_text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def command(result: DiceResult) -> str:
    """The command line that gives these numbers again."""
    words = ["mjsim", "study", "dice", "--rules", result.rules.name]
    for key, value in result.rules.options.items():
        pairs = [(f"items.{k}", v) for k, v in value.items()] if key == "items" else [(key, value)]
        for name, v in pairs:
            words += ["--option", f"{name}={_option_text(v)}"]
    agents = result.agents[:1] if len(set(result.agents)) == 1 else result.agents
    words += ["--agents", ",".join(agents), "--walls", str(result.walls), "--seed", str(result.seed)]
    if result.keep != DEFAULT_KEEP:
        words += ["--keep", str(result.keep)]
    return shlex.join(words)


# ---- tables ------------------------------------------------------------------------------------------------------------


class TextTable(NamedTuple):
    title: str
    headers: tuple[str, ...]
    rows: list[tuple[str, ...]]


def _text(x: Interval | None, digits: int, sign: bool = False) -> str:
    if x is None or math.isnan(x.value):
        return "-"
    value = f"{x.value:+.{digits}f}" if sign else f"{x.value:.{digits}f}"
    if math.isnan(x.half):
        return value
    return f"{value} ±{x.half:.{digits}f}"


def text_tables(result: DiceResult, summary: Summary | None = None) -> list[TextTable]:
    """What terminal and page show: tables with ± half a 95 % interval."""
    summary = summary or summarise(result)
    tai = bonus_tai(result.rules)
    mean_bonus = sum(n * t for n, t in zip(odds(), tai, strict=True)) / ROLLS

    def cells(column: str, measures: tuple[tuple[str, int], ...], part: str) -> list[str]:
        return [_text(getattr(summary[m][column], part), digits, part == "difference") for m, digits in measures]

    shown = [(f"{n}/{ROLLS}", str(t)) for n, t in zip(odds(), tai, strict=True)] + [("", f"{mean_bonus:.2f}")]
    ends = (("win", 2), ("self_draw", 2), ("deal_in", 2), ("draw", 2))
    wins = (("tai", 3), ("by_bonus", 2), ("stopped", 2))
    changes = (("win", 2), ("deal_in", 1), ("draw", 1), ("tai", 3), ("stopped", 1))
    roles = (("score_dealer", 3), ("score_other", 3))
    return [
        TextTable(
            "How hands end (% of hands)",
            ("pattern", "odds", "tai", "win", "self-draw", "deal-in", "draw"),
            [(LABELS[c], *extra, *cells(c, ends, "value")) for c, extra in zip(COLUMNS, shown, strict=True)],
        ),
        TextTable(
            "Wins and the minimum",
            ("pattern", "tai of a win", "only by bonus, % of wins", "stopped, per 100 hands"),
            [(LABELS[c], *cells(c, wins, "value")) for c in COLUMNS],
        ),
        TextTable(
            "Score by role (tai a hand and seat)",
            ("pattern", "dealer", "less none", "non-dealer", "less none"),
            [
                (LABELS[c], *(cells(c, (role,), part)[0] for role in roles for part in ("value", "difference")))
                for c in COLUMNS
            ],
        ),
        TextTable(
            "Difference from none on the same walls (stopped: per 100 hands)",
            ("pattern", "win, %", "deal-in, %", "draw, %", "tai of a win", "stopped"),
            [(LABELS[c], *cells(c, changes, "difference")) for c in COLUMNS if c != "none"],
        ),
    ]


def notes(result: DiceResult) -> list[str]:
    """Lines under the tables: what the columns are."""
    minimum = result.rules.flags["min_tai"]
    return [
        f"{result.walls:,} walls, each played under all five patterns ({result.walls * N_PATTERNS:,} hands); "
        "± is half a 95 % interval, the wall is the unit.",
        "win + draw + flower wins alone = 100 %; win = self-draw + deal-in. tai of a win: bonus included, dealer tai not.",
        f"by bonus: wins that reach the minimum of {minimum} tai only through the bonus. "
        "stopped: complete hands that only the minimum stopped, once a seat and hand.",
        "real dice: the patterns weighted by their odds; its difference from none is what the dice bonus changes "
        "between these agents.",
    ]


def table(result: DiceResult) -> Any:
    """The tables for a terminal, a rich renderable."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    parts: list[Any] = []
    for text in text_tables(result):
        shown = Table(
            title=text.title, box=box.SIMPLE_HEAD, title_justify="left", padding=(0, 1, 0, 0), show_edge=False
        )
        for number, header in enumerate(text.headers):
            shown.add_column(header, justify="left" if number == 0 else "right", no_wrap=number == 0)
        for row in text.rows:
            shown.add_row(*row)
        parts += [shown, ""]
    parts.append(Text("\n".join(notes(result)), style="dim"))
    return Group(*parts)


# ---- files -------------------------------------------------------------------------------------------------------------


CSV_COLUMNS = (
    "pattern", "odds", "tai", "measure", "unit", "value", "lower", "upper", "difference", "diff_lower", "diff_upper",
)  # fmt: skip


def _plain(x: float) -> float | None:
    return None if math.isnan(x) else x


def _numbers(x: Interval) -> dict[str, float | None]:
    return {"value": _plain(x.value), "lower": _plain(x.lower), "upper": _plain(x.upper)}


def as_json(result: DiceResult, command_line: str | None = None) -> dict[str, Any]:
    """Everything as plain data: parameters, odds, and each measure under each pattern with 95 % intervals.

    `value`, `lower`, `upper` are in the measure's `unit`; `difference` is from `none`, paired by wall. A value that
    does not exist (a mean over no wins) is null.
    """
    tai = bonus_tai(result.rules)
    summary = summarise(result)
    return {
        "command": command_line or command(result),
        **parameters(result),
        "hands": result.walls * N_PATTERNS,
        "min_tai": result.rules.flags["min_tai"],
        "interval": 0.95,
        "unit_of_statistics": "wall",
        "patterns": {
            name: {"odds": odds()[p], "of": ROLLS, "tai": tai[p], "dice": [int(d) for d in DICE[p]]}
            for p, name in enumerate(PATTERNS)
        },
        "measures": {
            m.id: {
                "label": m.label,
                "unit": m.unit,
                "patterns": {
                    column: {
                        **_numbers(cell.value),
                        "difference": None if cell.difference is None else _numbers(cell.difference),
                    }
                    for column, cell in summary[m.id].items()
                },
            }
            for m in MEASURES
        },
    }


def _write_csv(result: DiceResult, summary: Summary, path: Path) -> None:
    tai = (*bonus_tai(result.rules), "")
    share = (*(n / ROLLS for n in odds()), "")

    def numbers(x: Interval | None) -> list[float | str]:
        return ["", "", ""] if x is None else ["" if math.isnan(v) else v for v in x]

    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(CSV_COLUMNS)
        for p, column in enumerate(COLUMNS):
            for m in MEASURES:
                cell = summary[m.id][column]
                writer.writerow(
                    (column, share[p], tai[p], m.id, m.unit, *numbers(cell.value), *numbers(cell.difference))
                )


def _page(result: DiceResult, summary: Summary, command_line: str) -> str:
    rules = result.rules
    east = (
        "East is the seat whose wall is broken by three dice of the wall's own, `(dealer + total - 1) % 4`, as in every "
        "hand of a match but its first"
        if rules.flags["east_from_dice"]
        else "East is the dealer"
    )
    options = f" with {rules.options}" if rules.options else ""
    lines = ["# The dice bonus", ""]
    lines += [
        f"Rules `{rules.name}`{options} (fingerprint `{rules.fingerprint}`), "
        f"agents `{', '.join(result.agents)}`, seed {result.seed}, mjsim {result.version}.",
        "",
        "```",
        command_line,
        "```",
        "",
    ]
    for text in text_tables(result, summary):
        lines += [f"## {text.title}", "", "| " + " | ".join(text.headers) + " |"]
        lines += ["| --- |" + " ---: |" * (len(text.headers) - 1)]
        lines += ["| " + " | ".join(row) + " |" for row in text.rows]
        lines += [""]
    lines += [*(f"- {note}" for note in notes(result)), ""]
    rolls = ", ".join(f"{LABELS[n]} {'-'.join(map(str, DICE[p]))}" for p, n in enumerate(PATTERNS))
    lines += [
        "## How it was measured",
        "",
        f"Single hands. Each wall is played once under each pattern ({rolls}), with the same tiles, exchange pairings, policy "
        "streams and standing, so that only the judged pattern differs.",
        "",
        "The standing is drawn with each wall from the wall's own luck and stays the same for its five hands: the dealer is "
        f"any seat alike; {east}; the prevailing wind is any of the four alike; the streak is geometric, P(k) proportional to "
        f"{result.keep:g}^k for k = 0..{rules.flags['streak_cap']}, {result.keep:g} being the chance that the dealer keeps the "
        f"deal (four `greedy` under the rules of `douque-american` keep it in {DEFAULT_KEEP:.0%} of the hands of a match). The "
        "streak of a match depends a little on the pattern of the hands before it; here it does not.",
        "",
        "In real play the total of the dice also says whose wall is broken, so a pattern goes with certain seat winds (a triple "
        "1-1-1 breaks the wall two seats after the dealer's, a straight totals 6, 9, 12 or 15). That is no part of the bonus, so "
        "here East does not follow from the pattern's dice: a study that let it would mix seat winds into the effect.",
        "",
        "Differences are taken wall by wall, so they are far more certain than the two values they come from. Intervals are "
        "normal, 95 % each, not corrected for their number. Ratios (tai of a win, share of wins) have their standard error by "
        "the delta method. Scores of the four seats add up to 0, so the score of a non-dealer is minus a third of the dealer's.",
        "",
        f"Wall w of the seed is hand 1 of match w: `mjsim.Hand({rules.name!r}, seed={result.seed}, match=w, hand=1, ...)`.",
        "",
        "`summary.csv` and `summary.json` have every measure, also by role and seat; `sums.npz` has the sums they come from.",
        "",
    ]
    return "\n".join(lines)


def report(result: DiceResult, out: str | Path, command_line: str | None = None) -> list[Path]:
    """Write summary.csv, summary.json, report.md and three plots into the folder `out`; returns their paths."""
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    summary = summarise(result)
    line = command_line or command(result)
    written: list[Path] = []

    def put(name: str, write: Callable[[Path], Any]) -> None:
        scratch = out / f".{os.getpid()}.{name}"
        write(scratch)
        os.replace(scratch, out / name)
        written.append(out / name)

    put("summary.csv", lambda path: _write_csv(result, summary, path))
    put(
        "summary.json",
        lambda path: path.write_text(json.dumps(as_json(result, line), indent=2) + "\n", encoding="utf-8"),
    )
    put("report.md", lambda path: path.write_text(_page(result, summary, line), encoding="utf-8"))
    for name, plot in (("ends.png", plot_ends), ("scores.png", plot_scores), ("wins.png", plot_wins)):
        figure = plot(result, summary)
        put(name, lambda path, figure=figure: figure.savefig(path))
    return written
