"""What the rules study measures, each with its interval: every measure under every rule set of the grid, its difference from
the base cell on the same walls, and the main effect of every option.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from mjsim.experiments.rules_kernels import COUNTERS, N_COUNTERS
from mjsim.experiments.rules_study import Grid
from mjsim.experiments.stats import Interval, Ratio, Sums, interval, ratio


class Measure(NamedTuple):
    """`scale` x the sum of `above` (counters and their weights) over the counter `below`; with `root` its square root."""

    id: str
    label: str
    unit: str
    above: Mapping[str, float]
    below: str = "hands"
    scale: float = 1.0
    root: bool = False


_PER_CENT = "% of hands"
MEASURES = (
    Measure("win", "win", _PER_CENT, {"win": 1}, scale=100),
    Measure("self_draw", "self-draw", _PER_CENT, {"self_draw": 1}, scale=100),
    Measure("deal_in", "deal-in", _PER_CENT, {"deal_in": 1}, scale=100),
    Measure("flower", "flower win alone", _PER_CENT, {"flower": 1}, scale=100),
    Measure("draw", "exhaustive draw", _PER_CENT, {"draw": 1}, scale=100),
    Measure("discards", "hand length", "discards", {"discards": 1}),
    Measure("tai", "tai of a win", "tai", {"tai": 1}, "wins"),
    Measure("paid", "paid by all payers", "tai a hand", {"paid": 1}),
    Measure("stopped", "complete hands stopped by the minimum alone", "per 100 hands", {"stopped": 1}, scale=100),
    Measure("dealer", "dealer advantage: its score less the mean of the others", "tai a hand",
            {"score_dealer": 1, "score_others": -1 / 3}),
    Measure("win_dealer", "win of the dealer", _PER_CENT, {"win_dealer": 1}, scale=100),
    Measure("win_other", "win of a non-dealer", "% of hands a seat", {"win_others": 1 / 3}, scale=100),
    Measure("keep", "dealer keeps the deal", _PER_CENT, {"keep": 1}, scale=100),
    Measure("swing", "score swing: root mean square of a seat's score", "tai", {"squares": 1 / 4}, root=True),
)  # fmt: skip
BY_ID = {measure.id: measure for measure in MEASURES}


class Cell(NamedTuple):
    """A measure under the rules of a cell, and its difference from the base cell on the same walls (None for that)."""

    value: Interval
    difference: Interval | None


class Summary(NamedTuple):
    """cells: [measure][cell]. effects: [measure][factor name][value], None for the factor's base value."""

    cells: dict[str, list[Cell]]
    effects: dict[str, dict[str, dict[str, Interval | None]]]


def _estimate(measure: Measure, means: np.ndarray, cell: int, n_cells: int) -> Ratio:
    above, below = np.zeros((2, n_cells, N_COUNTERS))
    for counter, weight in measure.above.items():
        above[cell, COUNTERS.index(counter)] = weight
    below[cell, COUNTERS.index(measure.below)] = 1
    found = ratio(means, above.ravel(), below.ravel(), measure.scale)
    if not measure.root or found.value <= 0:
        return found
    value = float(np.sqrt(found.value))
    return Ratio(value, found.gradient / (2 * value))


def _mean(estimates: list[Ratio]) -> Ratio:
    return Ratio(
        sum(e.value for e in estimates) / len(estimates),
        np.sum([e.gradient for e in estimates], axis=0) / len(estimates),
    )


def summarise(grid: Grid, sums: Sums) -> Summary:
    """Every measure with 95 % intervals; differences are paired by wall.

    The main effect of a value is the difference from the factor's base value, averaged over all combinations of the other
    factors.
    """
    means, covariance, n = sums.means(), sums.covariance(), sums.n
    cells: dict[str, list[Cell]] = {}
    effects: dict[str, dict[str, dict[str, Interval | None]]] = {}
    for measure in MEASURES:
        found = [_estimate(measure, means, cell, len(grid.cells)) for cell in range(len(grid.cells))]
        base = found[grid.base]
        cells[measure.id] = [
            Cell(
                interval(estimate, covariance, n),
                None if cell == grid.base else interval(estimate.minus(base), covariance, n),
            )
            for cell, estimate in enumerate(found)
        ]
        effects[measure.id] = {
            factor.name: {
                value: None
                if value == factor.base
                else interval(_mean([found[a].minus(found[b]) for a, b in grid.pairs(number, value)]), covariance, n)
                for value in factor.values
            }
            for number, factor in enumerate(grid.factors)
        }
    return Summary(cells, effects)
