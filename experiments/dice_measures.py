"""What the dice study measures, each with its interval: every measure under each pattern and under real dice; what a tai of
bonus is worth to each role; what an agent gains by seeing the bonus.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from mjsim.experiments.dice import DiceResult
from mjsim.experiments.dice_kernels import (
    BLIND_COUNTERS,
    COUNTERS,
    N_BLIND,
    N_BONUS,
    N_COUNTERS,
    N_PATTERNS,
    PATTERNS,
    ROLES,
    STATES,
    pattern_counts,
)
from mjsim.experiments.stats import Interval, Ratio, Sums, interval, ratio
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
    Measure("received_dealer", "received by the dealer", "tai a hand", "received_dealer", "hands"),
    Measure("received_other", "received by a non-dealer", "tai a hand", "received_others", "hands", 1 / 3),
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
    return summarise_sums(result.sums)


def summarise_sums(sums: Sums) -> Summary:
    """The same of sums of [pattern, counter]."""
    means, covariance, n = sums.means(), sums.covariance(), sums.n
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


# ---- what a tai of bonus is worth --------------------------------------------------------------------------------------

#: The change in a seat's score for a tai of bonus, and the two parts that it is the difference of.
WORTH = ("score", "received", "paid")
#: Least squares over the 216 rolls, through the point of no bonus.
SLOPE = "slope"
WORTH_COLUMNS = (*PATTERNS[:N_BONUS], SLOPE)


class Worth(NamedTuple):
    """Tai a hand and seat for each tai of bonus: [role][part of WORTH][pattern or SLOPE]."""

    dealer: dict[str, dict[str, Interval]]
    other: dict[str, dict[str, Interval]]


def worth_of_a_tai(sums: Sums, rules: Rules) -> Worth:
    """What a tai of bonus adds to the score of a seat of each role, from sums of [pattern, counter]."""
    means, covariance, n = sums.means(), sums.covariance(), sums.n
    tai = np.array(bonus_tai(rules), float)[:N_BONUS]
    share = np.array(odds()[:N_BONUS]) / ROLLS
    spread = float((share * tai**2).sum())
    #: How much of each pattern's difference from none counts: float64[4] by column; nan where there is no bonus.
    weights = {pattern: np.eye(N_BONUS)[p] / (tai[p] or np.nan) for p, pattern in enumerate(PATTERNS[:N_BONUS])}
    weights[SLOPE] = share * tai / (spread or np.nan)

    def of(role: str, seats: int) -> dict[str, dict[str, Interval]]:
        counters = {"score": ((f"score_{role}", 1),), "received": ((f"received_{role}", 1),)}
        counters["paid"] = ((f"received_{role}", 1), (f"score_{role}", -1))
        return {
            part: {
                column: interval(_change(means, weights[column] / seats, counters[part]), covariance, n)
                for column in WORTH_COLUMNS
            }
            for part in WORTH
        }

    return Worth(of("dealer", 1), of("others", 3))


def _change(means: np.ndarray, weights: np.ndarray, counters: tuple[tuple[str, int], ...]) -> Ratio:
    """The sum of `weights` (one for each pattern with a bonus) times the difference from none of counters a hand."""
    if np.isnan(weights).any():
        return Ratio(float("nan"), np.full(len(means), np.nan))
    whole = np.array([*weights, -weights.sum()])
    above = sum(sign * _counter(whole, name) for name, sign in counters)
    return ratio(means, above, _counter(np.eye(N_PATTERNS)[-1], "hands"))


# ---- seeing and blind --------------------------------------------------------------------------------------------------

BLIND_MEASURES = (
    # what a seat gains by seeing the bonus, the three others seeing it
    Measure("gain", "gain in score", "tai a hand", "score", "hands"),
    Measure("gain_dealer", "gain in score as dealer", "tai a hand", "score", "hands"),
    Measure("gain_other", "gain in score as non-dealer", "tai a hand", "score", "hands"),
    Measure("win", "gain in wins", "% of hands", "win", "hands", 100),
    Measure("deal_in", "change in deal-ins", "% of hands", "deal_in", "hands", 100),
    Measure("tai", "change in tai of a win", "tai", "tai", "win"),
    Measure("otherwise", "hands that it plays otherwise", "% of hands", "otherwise", "hands", 100),
)
BLIND_COLUMNS = (*PATTERNS[:N_BONUS], REAL_DICE)
_SEATS = {"gain_dealer": (("dealer",), 1), "gain_other": (("others",), 3)}


def _blind_counter(share: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """Weights of a whole unit: these counters of each pattern with a bonus, times float64[4] `share`."""
    vector = np.zeros((N_BONUS, N_BLIND))
    for name in names:
        vector[:, BLIND_COUNTERS.index(name)] += share
    return np.concatenate([np.zeros(N_PATTERNS * N_COUNTERS), vector.ravel()])


def summarise_blind(sums: Sums) -> dict[str, dict[str, Interval]]:
    """What an agent gains by seeing the bonus, [measure][pattern or real dice]: with it less without it, paired by wall.

    Without a pattern there is nothing to see, so that under real dice those rolls count with 0.
    """
    totals, covariance, n = sums.total.astype(np.float64), sums.covariance(), sums.n
    hands = np.zeros(len(totals))
    hands[COUNTERS.index("hands")] = 1

    def of(above: np.ndarray, below: np.ndarray, scale: float) -> Ratio:
        # By whole numbers, totals instead of means, so that what is the same seeing and blind differs by exactly 0.
        found = ratio(totals, above, below, scale)
        return Ratio(found.value, found.gradient * n)

    out: dict[str, dict[str, Interval]] = {}
    for measure in BLIND_MEASURES:
        roles, seats = _SEATS.get(measure.id, (ROLES, 4))
        out[measure.id] = {}
        for column in BLIND_COLUMNS:
            real = column == REAL_DICE
            rolls = np.array(odds()[:N_BONUS], float) if real else np.eye(N_BONUS)[PATTERNS.index(column)]
            every = seats * (ROLLS if real else 1) * hands
            if measure.id == "otherwise":
                estimate = of(_blind_counter(rolls, ("otherwise",)), every, measure.scale)
            else:
                seeing, blind = (
                    of(
                        _blind_counter(rolls, tuple(f"{state}_{measure.above}_{role}" for role in roles)),
                        every
                        if measure.below == "hands"
                        else _blind_counter(rolls, tuple(f"{state}_{measure.below}_{role}" for role in roles)),
                        measure.scale,
                    )
                    for state in STATES
                )
                estimate = seeing.minus(blind)
            out[measure.id][column] = interval(estimate, covariance, n)
    return out


def seeing_sums(sums: Sums) -> Sums:
    """Of sums with blind seats those of the hands in which all see, [pattern, counter]."""
    k = N_PATTERNS * N_COUNTERS
    return Sums(sums.n, sums.total[:k], sums.products[:k, :k])
