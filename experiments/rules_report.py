"""How `study rules` is shown: on a terminal, as JSON, CSV, plots and a page."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mjsim.experiments import plots
from mjsim.experiments.report import cells, csv_bytes, json_bytes, numbers, terminal, write
from mjsim.experiments.rules_measures import MEASURES
from mjsim.experiments.rules_page import page_of
from mjsim.experiments.rules_plots import figures
from mjsim.experiments.rules_study import RulesResult
from mjsim.experiments.rules_tables import Found, command, notes, text_tables


def table(result: RulesResult) -> Any:
    """The tables for a terminal, a rich renderable."""
    found = Found(result)
    return terminal(text_tables(found), notes(found))


def as_json(result: RulesResult, command_line: str | None = None) -> dict[str, Any]:
    """Everything as plain data: the plan, and for each table of agents every cell and main effect with 95 % intervals.

    `value`, `lower`, `upper` are in the measure's `unit`; `difference` is from the base cell, paired by wall, null for the base
    cell itself. Effects are by option, value and measure, null for the value that the others are compared with.
    """
    return _as_json(Found(result), command_line or command(result))


def _as_json(found: Found, command_line: str) -> dict[str, Any]:
    result, grid = found.result, found.result.grid
    plan = json.loads(json.dumps(asdict(result.plan)))
    return {
        "command": command_line,
        **{name: value for name, value in plan.items() if name not in ("vary", "tables")},
        "hands": result.hands,
        "interval": 0.95,
        "unit_of_statistics": "wall",
        "vary": {factor.name: {"values": factor.values, "base": factor.base} for factor in grid.factors},
        "measures": {m.id: {"label": m.label, "unit": m.unit} for m in MEASURES},
        "tables": [
            {
                "agents": agents,
                "cells": [
                    {
                        "options": dict(zip((f.name for f in grid.factors), values, strict=True)),
                        "fingerprint": grid.cells[number].fingerprint,
                        "base": number == grid.base,
                        "measures": {
                            m.id: {
                                **numbers(summary.cells[m.id][number].value),
                                "difference": numbers(summary.cells[m.id][number].difference),
                            }
                            for m in MEASURES
                        },
                    }
                    for number, values in enumerate(grid.combinations)
                ],
                "effects": {
                    factor.name: {
                        value: {m.id: numbers(summary.effects[m.id][factor.name][value]) for m in MEASURES}
                        for value in factor.values
                        if value != factor.base
                    }
                    for factor in grid.factors
                },
            }
            for agents, summary in zip(plan["tables"], found.summaries, strict=True)
        ],
    }


def _cells_csv(found: Found) -> bytes:
    grid = found.result.grid
    names = [factor.name for factor in grid.factors]
    columns = ("value", "lower", "upper", "difference", "diff_lower", "diff_upper")
    return csv_bytes(
        ("agents", *names, "measure", "unit", *columns),
        (
            (agents, *values, m.id, m.unit, *cells(cell.value), *cells(cell.difference))
            for agents, summary in zip(found.tables, found.summaries, strict=True)
            for number, values in enumerate(grid.combinations)
            for m in MEASURES
            for cell in [summary.cells[m.id][number]]
        ),
    )


def _effects_csv(found: Found) -> bytes:
    return csv_bytes(
        ("agents", "option", "from", "to", "measure", "unit", "value", "lower", "upper"),
        (
            (agents, factor.name, factor.base, value, m.id, m.unit, *cells(summary.effects[m.id][factor.name][value]))
            for agents, summary in zip(found.tables, found.summaries, strict=True)
            for factor in found.result.grid.factors
            for value in factor.values
            if value != factor.base
            for m in MEASURES
        ),
    )


def report(result: RulesResult, out: str | Path, command_line: str | None = None) -> list[Path]:
    """Write report.html, summary.json, the tables as CSV and the plots as PNG into the folder `out`; returns their paths."""
    found = Found(result)
    line = command_line or command(result)
    made = figures(result, found.summaries)
    files = {
        "report.html": page_of(found, made, line).encode(),
        "summary.json": json_bytes(_as_json(found, line)),
        "cells.csv": _cells_csv(found),
        "effects.csv": _effects_csv(found),
    }
    return write(out, files | {f"{name}.png": plots.png(figure) for name, figure in made.items()})
