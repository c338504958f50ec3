"""What the dice study measures: each measure under each pattern and under real dice, with its interval."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from mjsim.experiments.dice import DiceResult
from mjsim.experiments.dice_kernels import COUNTERS, N_COUNTERS, N_PATTERNS, PATTERNS, pattern_counts
from mjsim.experiments.stats import Interval, interval, ratio
from mjsim.ruleset import Rules

#: What is reported: each pattern, and their mean in the proportions of real dice.
REAL_DICE = "real_dice"
COLUMNS = (*PATTERNS, REAL_DICE)
LABELS = {
    "triple": "triple", "all_red": "all red", "straight": "straight", "all_black": "all black", "none": "none",
    REAL_DICE: "real dice",
}  # fmt: skip
ROLLS = 216


class Measure(NamedTuple):
    id: str
    label: str
    unit: str
    above: str  # counter
    below: str  # counter; `hands` makes a plain mean
    scale: float = 1.0


_PER_CENT = "% of hands"
_PER_SEAT = "% of hands a seat"
MEASURES = (
    Measure("win", "win", _PER_CENT, "win", "hands", 100),
    Measure("self_draw", "self-draw", _PER_CENT, "self_draw", "hands", 100),
    Measure("deal_in", "deal-in", _PER_CENT, "deal_in", "hands", 100),
    Measure("flower", "flower win alone", _PER_CENT, "flower", "hands", 100),
    Measure("draw", "exhaustive draw", _PER_CENT, "draw", "hands", 100),
    Measure("tai", "tai of a win", "tai", "tai", "wins"),
    Measure("bonus", "dice bonus in a win", "tai", "bonus", "wins"),
    Measure("paid", "paid by all payers", "tai a hand", "paid", "hands"),
    Measure("score_dealer", "score of the dealer", "tai a hand", "score_dealer", "hands"),
    Measure("score_other", "score of a non-dealer", "tai a hand", "score_others", "hands", 1 / 3),
    Measure("by_bonus", "wins that reach the minimum only through the bonus", "% of wins", "by_bonus", "wins", 100),
    Measure("stopped", "complete hands stopped by the minimum alone", "per 100 hands", "stopped", "hands", 100),
    Measure("win_dealer", "win of the dealer", _PER_SEAT, "win_dealer", "hands", 100),
    Measure("win_other", "win of a non-dealer", _PER_SEAT, "win_others", "hands", 100 / 3),
    Measure("deal_in_dealer", "deal-in of the dealer", _PER_SEAT, "deal_in_dealer", "hands", 100),
    Measure("deal_in_other", "deal-in of a non-dealer", _PER_SEAT, "deal_in_others", "hands", 100 / 3),
    *(Measure(f"score_seat_{s}", f"score of seat {s}", "tai a hand", f"score_{s}", "hands") for s in range(4)),
)
BY_ID = {measure.id: measure for measure in MEASURES}


class Cell(NamedTuple):
    """A measure under one pattern, and its difference from `none` on the same walls (None for `none` itself)."""

    value: Interval
    difference: Interval | None


Summary = Mapping[str, Mapping[str, Cell]]  # [measure][column]


@cache
def odds() -> tuple[int, ...]:
    """Rolls of 216 that make each of PATTERNS, counted through the rules' own test."""
    counts = np.zeros(N_PATTERNS, np.int64)
    pattern_counts(counts)
    return tuple(int(n) for n in counts)


def bonus_tai(rules: Rules) -> tuple[int, ...]:
    """Tai of each of PATTERNS under these rules."""
    grades = rules.items["dice_bonus"]
    black, straight, red, triple = grades  # type: ignore[misc]
    return triple, red, straight, black, 0


def _weights(column: str) -> np.ndarray:
    """float64[5]: the share of each pattern in a column."""
    if column == REAL_DICE:
        return np.array(odds()) / ROLLS
    return np.eye(N_PATTERNS)[PATTERNS.index(column)]


def _counter(weights: np.ndarray, name: str) -> np.ndarray:
    vector = np.zeros((N_PATTERNS, N_COUNTERS))
    vector[:, COUNTERS.index(name)] = weights
    return vector.ravel()


def summarise(result: DiceResult) -> Summary:
    """Every measure under every pattern and under real dice, with 95 % intervals; differences are paired by wall."""
    means, covariance, n = result.sums.means(), result.sums.covariance(), result.sums.n
    out: dict[str, dict[str, Cell]] = {}
    for measure in MEASURES:
        estimates = {
            column: ratio(
                means,
                _counter(_weights(column), measure.above),
                _counter(_weights(column), measure.below),
                measure.scale,
            )
            for column in COLUMNS
        }
        none = estimates["none"]
        out[measure.id] = {
            column: Cell(
                interval(estimate, covariance, n),
                None if column == "none" else interval(estimate.minus(none), covariance, n),
            )
            for column, estimate in estimates.items()
        }
    return out
