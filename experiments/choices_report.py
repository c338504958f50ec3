"""How `study choices` is shown: on a terminal, as JSON, CSV, plots and a page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mjsim.experiments import plots
from mjsim.experiments.choices import ChoicesResult
from mjsim.experiments.choices_measures import TABLES
from mjsim.experiments.choices_page import page_of
from mjsim.experiments.choices_plots import figures
from mjsim.experiments.choices_tables import Found, command, notes, text_tables
from mjsim.experiments.report import cells, csv_bytes, json_bytes, numbers, terminal, write


def table(result: ChoicesResult) -> Any:
    """The tables for a terminal, a rich renderable."""
    found = Found(result)
    return terminal(text_tables(found), notes(found))


def as_json(result: ChoicesResult, command_line: str | None = None) -> dict[str, Any]:
    """Everything as plain data: the plan, and every table as a list of rows.

    A row has `id`, `label`, `n` (cases) and estimates, each `value`, `lower`, `upper` (95 %) in % (in `kept` means of shanten),
    null where there is no case; see `choices_measures.Row` for their names.
    """
    return _as_json(Found(result), command_line or command(result))


def _as_json(found: Found, command_line: str) -> dict[str, Any]:
    result, measured = found.result, found.measured
    return {
        "command": command_line,
        **json.loads(json.dumps(asdict(result.plan))),
        "decisions": measured.decisions,
        "interval": 0.95,
        "unit_of_statistics": "hand",
        "copies_waited_for": {who: numbers(x) for who, x in measured.copies.items()},
        "tables": {
            name: {
                "rows_are": words,
                "rows": [
                    {
                        "id": row.id,
                        "label": row.label,
                        "n": row.n,
                        **{what: numbers(x) for what, x in row.estimates.items()},
                    }
                    for row in measured.tables[name]
                ],
            }
            for name, words in TABLES.items()
        },
    }


def _csv(found: Found) -> bytes:
    def lines() -> Iterator[tuple[Any, ...]]:
        for name in TABLES:
            for row in found.measured.tables[name]:
                for what, x in row.estimates.items():
                    yield (name, row.id, row.label, row.n, what, *cells(x))

    return csv_bytes(("table", "row", "label", "n", "estimate", "value", "lower", "upper"), lines())


def report(result: ChoicesResult, out: str | Path, command_line: str | None = None) -> list[Path]:
    """Write report.html, summary.json, choices.csv and the plots as PNG into the folder `out`; returns their paths."""
    found = Found(result)
    line = command_line or command(result)
    made = figures(found)
    files = {
        "report.html": page_of(found, made, line).encode(),
        "summary.json": json_bytes(_as_json(found, line)),
        "choices.csv": _csv(found),
    }
    return write(out, files | {f"{name}.png": plots.png(figure) for name, figure in made.items()})
