"""The plot of an evaluation: the running mean with its interval and the rates, or the leaderboard."""

from __future__ import annotations

from typing import Any

import numpy as np

from mjsim.experiments.evaluate_measures import Tally
from mjsim.experiments.evaluate_play import LEADERBOARD, Plan
from mjsim.experiments.stats import Z95

_COLORS = ("#b5402a", "#2a6fb5", "#3d8b52", "#8a6bb1")
_GREY = "#444444"
#: Points of the running mean that are drawn at most.
POINTS = 400
RATES = ("win", "self_draw", "deal_in", "ready")


def _clean(axis: Any) -> None:
    axis.grid(axis="y", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)


def running(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(sets, mean, half a 95 % interval) after each of at most POINTS numbers of sets."""
    n = np.unique(np.linspace(2, len(x), min(len(x) - 1, POINTS)).astype(np.int64))
    total, squares = np.cumsum(x), np.cumsum(x * x)
    mean = total[n - 1] / n
    variance = np.maximum(squares[n - 1] - n * mean**2, 0) / (n - 1)
    return n, mean, Z95 * np.sqrt(variance / n)


def _running_mean(axis: Any, result: dict[str, Any], tally: Tally) -> None:
    n, mean, half = running(tally.set_means)
    axis.axhline(0, color="black", linewidth=0.8)
    axis.fill_between(n, mean - half, mean + half, color=_COLORS[0], alpha=0.2, linewidth=0)
    axis.plot(n, mean, color=_COLORS[0], linewidth=1.2)
    sprt = result["sprt"]
    for level in () if sprt is None else (sprt["m0"], sprt["m1"]):
        axis.axhline(level, color=_GREY, linewidth=0.8, linestyle=":")
    # The first few sets say nothing and would set the scale.
    shown = slice(len(n) // 20, None)
    low, high = (mean - half)[shown].min(), (mean + half)[shown].max()
    axis.set_ylim(min(low, 0) - 0.05 * (high - low) - 1e-9, max(high, 0) + 0.05 * (high - low) + 1e-9)
    axis.set_xlabel("sets")
    axis.set_ylabel("tai a hand")
    axis.set_title(f"{result['agents'][0]}: score a hand so far, 95 % interval", fontsize=10)
    _clean(axis)


def _rates(axis: Any, result: dict[str, Any]) -> None:
    shown = result["contestants"]
    width = 0.8 / len(shown)
    for i, contestant in enumerate(shown):
        cells = [contestant["measures"][name] for name in RATES]
        value = np.array([c["value"] if c["value"] is not None else 0.0 for c in cells])
        half = np.array([(c["upper"] - c["lower"]) / 2 if c["lower"] is not None else 0.0 for c in cells])
        at = np.arange(len(RATES)) + (i - (len(shown) - 1) / 2) * width
        axis.bar(at, value, width, yerr=half, capsize=2, color=_COLORS[i], label=contestant["agent"])
    axis.set_xticks(range(len(RATES)), ["win", "self-draw", "deal-in", "ready at the end"], fontsize=9)
    axis.set_ylabel("% of hands")
    axis.set_title("Rates", fontsize=10)
    axis.legend(frameon=False, fontsize=8)
    _clean(axis)


def _board(axis: Any, result: dict[str, Any], cells: list[dict[str, Any]], title: str, unit: str) -> None:
    board = result["leaderboard"]
    y = np.arange(len(board))
    value = np.array([c["value"] if c["value"] is not None else np.nan for c in cells])
    reach = [
        [c[end] if c[end] is not None else v for c, v in zip(cells, value, strict=True)] for end in ("lower", "upper")
    ]
    axis.errorbar(
        value, y, xerr=[value - reach[0], reach[1] - value], fmt="o", markersize=4, capsize=3, color=_COLORS[1]
    )
    axis.set_yticks(y, [c["agent"] for c in board], fontsize=8)
    axis.invert_yaxis()
    axis.set_xlabel(unit)
    axis.set_title(title, fontsize=10)
    axis.grid(axis="x", color="#dddddd", linewidth=0.6)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)


def plot(plan: Plan, result: dict[str, Any], tally: Tally) -> Any:
    """The figure of plot.png."""
    from matplotlib.figure import Figure

    board = plan.mode == LEADERBOARD
    height = max(3.2, 1.4 + 0.3 * len(plan.agents)) if board else 4.4
    figure = Figure(figsize=(11.5, height), dpi=130, layout="constrained")
    left, right = figure.subplots(1, 2)
    if board:
        rows = result["leaderboard"]
        _board(left, result, [c["measures"]["score"] for c in rows], "Average score a hand", "tai a hand")
        _board(right, result, [c["rating"] for c in rows], "Plackett-Luce rating", "rating (400: odds of 10 to 1)")
    else:
        _running_mean(left, result, tally)
        _rates(right, result)
    options = "".join(f", {k}={v}" for k, v in plan.options.items())
    figure.suptitle(
        f"{plan.rules}{options}; {result['sets']:,} sets of {result['seatings']} seatings; bars: 95 % intervals",
        fontsize=9, x=0.01, ha="left",
    )  # fmt: skip
    return figure
