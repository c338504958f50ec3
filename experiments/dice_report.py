"""How `study dice` is shown: on a terminal, as JSON, CSV, plots and a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mjsim.experiments import plots
from mjsim.experiments.dice import DiceResult, plan_of
from mjsim.experiments.dice_kernels import DICE, PATTERNS
from mjsim.experiments.dice_measures import BLIND_COLUMNS, BLIND_MEASURES, COLUMNS, MEASURES, ROLLS, bonus_tai, odds
from mjsim.experiments.dice_page import page_of
from mjsim.experiments.dice_plots import figures
from mjsim.experiments.dice_tables import Found, command, notes, text_tables
from mjsim.experiments.report import cells, csv_bytes, json_bytes, numbers, terminal, write


def table(result: DiceResult) -> Any:
    """The tables for a terminal, a rich renderable."""
    return terminal(text_tables(Found(result)), notes(result))


# ---- files -------------------------------------------------------------------------------------------------------------

CSV_COLUMNS = (
    "pattern", "odds", "tai", "measure", "unit", "value", "lower", "upper", "difference", "diff_lower", "diff_upper",
)  # fmt: skip


def as_json(result: DiceResult, command_line: str | None = None) -> dict[str, Any]:
    """Everything as plain data: parameters, odds, and each measure under each pattern with 95 % intervals.

    `value`, `lower`, `upper` are in the measure's `unit`; `difference` is from `none`, paired by wall. A value that
    does not exist (a mean over no wins) is null. `worth_of_a_tai` is by agents, role, part and pattern, `seeing` by agent,
    measure and pattern.
    """
    return _as_json(Found(result), command_line or command(result))


def _as_json(found: Found, command_line: str) -> dict[str, Any]:
    result = found.result
    tai = bonus_tai(result.rules)
    return {
        "command": command_line,
        **plan_of(result),
        "hands": result.hands,
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
                    column: {**numbers(cell.value), "difference": numbers(cell.difference)}
                    for column, cell in found.summary[m.id].items()
                },
            }
            for m in MEASURES
        },
        "worth_of_a_tai": {
            agents: {
                role: {part: {c: numbers(x) for c, x in columns.items()} for part, columns in values.items()}
                for role, values in worth._asdict().items()
            }
            for agents, worth in found.worth.items()
        },
        "seeing": {
            agent: {
                m.id: {"label": m.label, "unit": m.unit, "patterns": {c: numbers(x) for c, x in values[m.id].items()}}
                for m in BLIND_MEASURES
            }
            for agent, values in found.blind.items()
        },
    }


def _summary_csv(found: Found) -> bytes:
    tai = (*bonus_tai(found.result.rules), "")
    share = (*(n / ROLLS for n in odds()), "")
    return csv_bytes(
        CSV_COLUMNS,
        (
            (column, share[p], tai[p], m.id, m.unit, *cells(cell.value), *cells(cell.difference))
            for p, column in enumerate(COLUMNS)
            for m in MEASURES
            for cell in [found.summary[m.id][column]]
        ),
    )


def _worth_csv(found: Found) -> bytes:
    return csv_bytes(
        ("agents", "role", "part", "pattern", "value", "lower", "upper"),
        (
            (agents, role, part, column, *cells(x))
            for agents, worth in found.worth.items()
            for role, values in worth._asdict().items()
            for part, columns in values.items()
            for column, x in columns.items()
        ),
    )


def _seeing_csv(found: Found) -> bytes:
    return csv_bytes(
        ("agent", "pattern", "measure", "unit", "value", "lower", "upper"),
        (
            (agent, column, m.id, m.unit, *cells(values[m.id][column]))
            for agent, values in found.blind.items()
            for column in BLIND_COLUMNS
            for m in BLIND_MEASURES
        ),
    )


def report(result: DiceResult, out: str | Path, command_line: str | None = None) -> list[Path]:
    """Write report.html, summary.json, the tables as CSV and the plots as PNG into the folder `out`; returns their paths."""
    found = Found(result)
    line = command_line or command(result)
    made = figures(result, found.summary, next(iter(found.worth.values())), found.blind)
    files = {
        "report.html": page_of(found, made, line).encode(),
        "summary.json": json_bytes(_as_json(found, line)),
        "summary.csv": _summary_csv(found),
        "worth.csv": _worth_csv(found),
    }
    if found.blind:
        files["seeing.csv"] = _seeing_csv(found)
    return write(out, files | {f"{name}.png": plots.png(figure) for name, figure in made.items()})
