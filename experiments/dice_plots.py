"""The plots of the dice study. How the numbers come about stands in `dice_measures`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mjsim.experiments.dice import DiceResult
from mjsim.experiments.dice_kernels import PATTERNS
from mjsim.experiments.dice_measures import LABELS, REAL_DICE, ROLLS, Summary, bonus_tai, odds
from mjsim.experiments.stats import Interval

#: From no bonus to the highest, real dice apart at the right.
_ORDER = ("none", "all_black", "straight", "all_red", "triple", REAL_DICE)
_DEALER, _OTHER, _GREY = "#b5402a", "#2a6fb5", "#444444"


def _ticks(axis: Any, result: DiceResult, columns: tuple[str, ...]) -> None:
    tai = dict(zip(PATTERNS, bonus_tai(result.rules), strict=True))
    share = dict(zip(PATTERNS, odds(), strict=True))
    labels = [
        f"{LABELS[c]}\n" + ("by odds" if c == REAL_DICE else f"+{tai[c]} tai\n{share[c]}/{ROLLS}") for c in columns
    ]
    axis.set_xticks(range(len(columns)), labels, fontsize=8)
    if columns[-1] == REAL_DICE:
        axis.axvline(len(columns) - 1.5, color="#999999", linewidth=0.8, linestyle=":")
    axis.set_xlim(-0.5, len(columns) - 0.5)
    axis.grid(axis="y", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)


def _points(
    axis: Any,
    cells: list[Interval],
    digits: int,
    color: str,
    shift: float = 0.0,
    label: str | None = None,
    sign: bool = False,
    under: bool = False,
) -> None:
    x = np.arange(len(cells)) + shift
    y = np.array([c.value for c in cells])
    half = np.nan_to_num(np.array([c.half for c in cells]))
    axis.errorbar(x, y, yerr=half, fmt="o", markersize=4, capsize=3, linewidth=1.2, color=color, label=label)
    for at, c, h in zip(x, cells, half, strict=True):
        if not math.isnan(c.value):
            text = f"{c.value:+.{digits}f}" if sign else f"{c.value:.{digits}f}"
            axis.annotate(
                text,
                (at, c.value - h if under else c.value + h),
                xytext=(0, -4 if under else 4),
                textcoords="offset points",
                ha="center",
                va="top" if under else "bottom",
                fontsize=8,
                color=color,
            )
    axis.margins(y=0.18)


def _subtitle(result: DiceResult) -> str:
    agents = result.agents[0] if len(set(result.agents)) == 1 else ", ".join(result.agents)
    options = "".join(f", {k}={v}" for k, v in result.rules.options.items())
    return f"{result.rules.name}{options}; {agents}; {result.walls:,} walls under each pattern; bars: 95 % intervals"


def _figure(result: DiceResult, title: str, panels: list[Callable[[Any], None]], size: tuple[float, float]) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, dpi=130, layout="constrained")
    figure.suptitle(f"{title}\n", fontsize=12, x=0.01, ha="left")
    figure.text(0.01, 0.925, _subtitle(result), fontsize=8, color=_GREY, ha="left")
    for axis, draw in zip(np.atleast_1d(figure.subplots(1, len(panels))), panels, strict=True):
        draw(axis)
    return figure


def plot_ends(result: DiceResult, summary: Summary) -> Any:
    def panel(measure: str, title: str, unit: str, digits: int, color: str) -> Callable[[Any], None]:
        def draw(axis: Any) -> None:
            _points(axis, [summary[measure][c].value for c in _ORDER], digits, color)
            _ticks(axis, result, _ORDER)
            axis.set_title(title, fontsize=10)
            axis.set_ylabel(unit)
            if measure != "win":
                axis.set_ylim(bottom=0)

        return draw

    panels = [
        panel("win", "Hands won", "% of hands", 1, _GREY),
        panel("draw", "Exhaustive draws", "% of hands", 1, _GREY),
        panel("stopped", "Complete hands stopped by the minimum alone", "per 100 hands", 1, _GREY),
    ]
    return _figure(result, "Dice bonus: how hands end", panels, (14, 4.4))


def plot_scores(result: DiceResult, summary: Summary) -> Any:
    columns = tuple(c for c in _ORDER if c != "none")

    def draw(axis: Any) -> None:
        axis.axhline(0, color="black", linewidth=0.8)
        for measure, label, color, shift in (
            ("score_dealer", "dealer", _DEALER, -0.12),
            ("score_other", "each non-dealer", _OTHER, 0.12),
        ):
            cells = [summary[measure][c].difference for c in columns]
            values = [c for c in cells if c is not None]
            _points(axis, values, 3, color, shift, label, sign=True, under=measure == "score_other")
        _ticks(axis, result, columns)
        axis.set_ylabel("score less the score under none, tai a hand")
        axis.legend(frameon=False, loc="best")

    return _figure(result, "Dice bonus: score by role, difference from none on the same walls", [draw], (8.5, 5))


def plot_wins(result: DiceResult, summary: Summary) -> Any:
    def tai(axis: Any) -> None:
        _points(axis, [summary["tai"][c].value for c in _ORDER], 2, _GREY, 0.0, "tai of a win")
        bonus = {c: summary["bonus"][c].value.value for c in _ORDER}
        before = [summary["tai"][c].value.value - bonus[c] for c in _ORDER]
        axis.plot(range(len(_ORDER)), before, "_", markersize=14, color=_OTHER, label="the same wins less the bonus")
        axis.legend(frameon=False, loc="upper left")
        _ticks(axis, result, _ORDER)
        axis.set_title("Mean tai of a win (dealer tai apart)", fontsize=10)
        axis.set_ylabel("tai")
        axis.set_ylim(bottom=0)

    def share(axis: Any) -> None:
        _points(axis, [summary["by_bonus"][c].value for c in _ORDER], 1, _GREY)
        _ticks(axis, result, _ORDER)
        minimum = result.rules.flags["min_tai"]
        axis.set_title(f"Wins that reach the minimum of {minimum} tai only through the bonus", fontsize=10)
        axis.set_ylabel("% of wins")
        axis.set_ylim(bottom=0)

    return _figure(result, "Dice bonus: what wins are worth", [tai, share], (11.5, 4.6))
