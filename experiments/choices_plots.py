"""The plots of the study of choices. How the numbers come about stands in `choices_measures`, how plots look in `plots`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mjsim.experiments.choices_measures import Row
from mjsim.experiments.choices_tables import Found
from mjsim.experiments.plots import COLORS, SOFT, Panel, clean, figure
from mjsim.experiments.report import rules_text


def _subtitle(found: Found) -> str:
    plan = found.result.plan
    return f"{found.who}; {rules_text(plan.make_rules())}; {plan.hands:,} hands of B; bars: 95 % intervals"


def _spread(axis: Any, rows: Sequence[Row], name: str, shift: float, color: str, label: str | None) -> None:
    """Shares of rows as points from the top down, with their intervals as far as a share can go."""
    found = [row.estimates[name] for row in rows]
    x = np.array([e.value for e in found])
    reach = np.array([[e.value - max(e.lower, 0.0), min(e.upper, 100.0) - e.value] for e in found]).reshape(-1, 2)
    y = np.arange(len(rows)) + shift
    axis.errorbar(x, y, xerr=np.nan_to_num(reach).T, fmt="o", markersize=4, capsize=3, color=color, label=label)


def _down(axis: Any, rows: Sequence[Row], title: str, unit: str, cases: bool) -> None:
    axis.set_yticks(range(len(rows)), [f"{row.label} ({row.n:,})" if cases else row.label for row in rows], fontsize=8)
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.tick_params(axis="x", labelsize=8)
    axis.set_xlabel(unit, fontsize=8)
    axis.set_title(title, fontsize=10)
    clean(axis, grid="both")


def _both(found: Found, rows: Sequence[Row], title: str, unit: str, legend: bool = False) -> Panel:
    """Shares of A and of B, and in hand where the rows have it (these are of one number of tiles)."""
    held = any("held" in row.estimates for row in rows)

    def draw(axis: Any) -> None:
        if held:
            _spread(axis, rows, "held", 0.0, SOFT, "in hand")
        _spread(axis, rows, "a", -0.16, COLORS[0], f"A: {found.names[0]}")
        _spread(axis, rows, "b", 0.16, COLORS[1], f"B: {found.names[1]}")
        _down(axis, rows, title, unit, cases=not held)
        if held:
            axis.set_xlim(left=0)
        else:
            axis.set_xlim(-4, 104)
        if legend:
            axis.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(0, -0.16))

    return draw


def _one(rows: Sequence[Row], name: str, title: str, unit: str) -> Panel:
    def draw(axis: Any) -> None:
        _spread(axis, rows, name, 0.0, COLORS[2], None)
        _down(axis, rows, title, unit, cases=True)
        axis.set_xlim(-4, 104)

    return draw


def figures(found: Found) -> dict[str, Any]:
    """The figures by name; one without a case is left out."""
    rows = found.rows
    made = {"agreement": [_one(rows("agreement"), "same", "Agreement, by kind of decision (cases)", "% the same")]}
    if rows("gifts"):
        made["exchange"] = [
            _both(found, rows("gifts"), "Tiles given", "% of the tiles given", legend=True),
            _one(rows("common"), "share", "Tiles that both gifts have", "% of gifts"),
            _both(found, rows("dealer"), "Dealer's shanten", "% that exchange again"),
        ]
    if rows("ready_by_wait"):
        made["ready"] = [
            _both(found, rows("ready_by_wait"), "Copies waited for", "% that declare", legend=True),
            _both(found, rows("ready_by_time"), "Discards at the table", "% that declare"),
        ]
    if rows("offers"):
        made["offers"] = [_both(found, rows("offers"), "What is on offer", "% taken", legend=True)]
    titles = {
        "agreement": "Choices: where A agrees with B",
        "exchange": "Choices: the exchange",
        "ready": "Choices: ready or MIGI, where it is on offer",
        "offers": "Choices: claims, kongs, declarations, wins",
    }
    sizes = {"agreement": (9, 5.2), "exchange": (12, 3.8), "ready": (10, 4.2), "offers": (9, 4.8)}
    return {name: figure(titles[name], _subtitle(found), panels, sizes[name]) for name, panels in made.items()}
