"""The plots of the rules study. How the numbers come about stands in `rules_measures`, how plots look in `plots`."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from mjsim.experiments.plots import COLORS, INK, Panel, clean, figure, points
from mjsim.experiments.report import rules_text
from mjsim.experiments.rules_measures import BY_ID, Summary
from mjsim.experiments.rules_study import RulesResult

#: Measures that are drawn, with their panel titles.
SHOWN = (
    ("win", "Hands won"),
    ("draw", "Exhaustive draws"),
    ("discards", "Hand length"),
    ("tai", "Tai of a win"),
    ("dealer", "Dealer advantage"),
    ("swing", "Score swing"),
)
_SIZE = (11, 6.6)


def table_text(agents: tuple[str, ...]) -> str:
    """Four agents as text, one name where all are the same."""
    return agents[0] if len(set(agents)) == 1 else ", ".join(agents)


def _subtitle(result: RulesResult, table: int | None) -> str:
    who = "" if table is None else f"{table_text(result.plan.tables[table])}; "
    return f"{rules_text(result.grid.rules)}; {who}{result.plan.walls:,} walls under all rules; bars: 95 % intervals"


def _cells(result: RulesResult, summary: Summary, table: int) -> Any:
    """Every cell: the factor with most values along the axis, a line for each combination of the others."""
    grid = result.grid
    along = max(range(len(grid.factors)), key=lambda i: len(grid.factors[i].values))
    others = [i for i in range(len(grid.factors)) if i != along]
    lines = list(itertools.product(*(grid.factors[i].values for i in others)))
    factor = grid.factors[along]

    def panel(measure: str, title: str) -> Panel:
        def draw(axis: Any) -> None:
            for number, line in enumerate(lines):
                shift = 0.4 * ((number + 0.5) / len(lines) - 0.5)
                fixed = dict(zip(others, line, strict=True))
                shown = []
                for value in factor.values:
                    values = [value if i == along else fixed[i] for i in range(len(grid.factors))]
                    shown.append(summary.cells[measure][grid.combinations.index(tuple(values))].value)
                label = ", ".join(f"{grid.factors[i].name}={v}" for i, v in fixed.items())
                points(axis, shown, COLORS[number % len(COLORS)], shift=shift, label=label or None, line=True)
            axis.set_xticks(range(len(factor.values)), factor.values)
            axis.set_xlabel(factor.name)
            axis.set_ylabel(BY_ID[measure].unit)
            axis.set_title(title, fontsize=10)
            clean(axis)
            if measure == "win" and others and len(lines) <= len(COLORS):
                axis.legend(frameon=False, fontsize=7, loc="best")

        return draw

    panels = [panel(*shown) for shown in SHOWN]
    return figure("Rules: every combination", _subtitle(result, table), panels, _SIZE, columns=3)


def _effects(result: RulesResult, summaries: list[Summary]) -> Any:
    """The main effect of every value, for each table of agents."""
    grid = result.grid
    rows = [(f, value) for f in grid.factors for value in f.values if value != f.base]
    labels = [f"{f.name}\n{f.base} → {value}" for f, value in rows]

    def panel(measure: str, title: str) -> Panel:
        def draw(axis: Any) -> None:
            axis.axvline(0, color=INK, linewidth=0.8)
            for number, (agents, summary) in enumerate(zip(result.plan.tables, summaries, strict=True)):
                effects = [summary.effects[measure][f.name][value] for f, value in rows]
                x = np.array([e.value for e in effects if e is not None])
                half = np.nan_to_num(np.array([e.half for e in effects if e is not None]))
                y = np.arange(len(rows)) + 0.22 * (number - (len(summaries) - 1) / 2)
                axis.errorbar(
                    x, y, xerr=half, fmt="o", markersize=4, capsize=3, color=COLORS[number], label=table_text(agents)
                )
            axis.set_yticks(range(len(rows)), labels, fontsize=8)
            axis.set_ylim(len(rows) - 0.5, -0.5)
            axis.set_xlabel(BY_ID[measure].unit)
            axis.set_title(title, fontsize=10)
            clean(axis, grid="x")
            if measure == "win":
                axis.legend(frameon=False, fontsize=8, loc="best")

        return draw

    panels = [panel(*shown) for shown in SHOWN]
    title = "Rules: what each option changes, averaged over the others"
    height = max(_SIZE[1], 1.6 + 0.9 * len(rows))
    return figure(title, _subtitle(result, None), panels, (_SIZE[0], height), columns=3)


def figures(result: RulesResult, summaries: list[Summary]) -> dict[str, Any]:
    """The figures by name: the main effects, and every combination for each table of agents."""
    cells = {cells_name(table): _cells(result, summary, table) for table, summary in enumerate(summaries)}
    return {"effects": _effects(result, summaries), **cells}


def cells_name(table: int) -> str:
    return "cells" if table == 0 else f"cells-{table + 1}"
