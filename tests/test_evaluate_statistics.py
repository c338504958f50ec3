"""Statistics of `evaluate` on made-up sets: the sequential test, variance ratios, ratings."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mjsim.experiments import evaluate_ratings
from mjsim.experiments.evaluate_kernels import fit_strengths
from mjsim.experiments.evaluate_measures import Sprt, check_zero, mean_interval, rotation_ratio, variance_ratio
from mjsim.experiments.evaluate_plots import running

CHUNK = 128


def verdicts(mean: float, runs: int = 400, skewed: bool = False) -> dict[str, int]:
    """How tests of 0 against 0.2 end where sets have this mean and a deviation of 3."""
    rng = np.random.default_rng([int(1000 * (mean + 1)), skewed])
    found = {"H0": 0, "H1": 0}
    for _ in range(runs):
        test = Sprt(0.0, 0.2)
        verdict = None
        while verdict is None:
            # A third of the sets is won high, the others are lost low: the shape of scores.
            x = 3 * (rng.choice([2**0.5, -(0.5**0.5)], CHUNK, p=[1 / 3, 2 / 3]) if skewed else rng.normal(size=CHUNK))
            verdict = test.add(x + mean)
            assert test.n < 100_000, "the test does not end"
        found[verdict] += 1
    return found


@pytest.mark.parametrize("skewed", [False, True])
def test_sequential_errors_are_at_most_five_in_a_hundred(skewed):
    false_h1, false_h0 = verdicts(0.0, skewed=skewed)["H1"], verdicts(0.2, skewed=skewed)["H0"]
    assert 1 <= false_h1 <= 28  # 20 expected at most, chunks overshoot the bounds and make it fewer
    assert 1 <= false_h0 <= 28
    assert verdicts(-0.3, 50, skewed)["H1"] == verdicts(0.5, 50, skewed)["H0"] == 0


def test_the_sequential_test_does_not_depend_on_how_sets_are_cut():
    x = np.random.default_rng(3).normal(0.1, 1, 300)
    one, many = Sprt(0, 0.2), Sprt(0, 0.2)
    one.add(x)
    for part in np.array_split(x, 7):
        many.add(part)
    assert one.n == many.n and one.llr == pytest.approx(many.llr)
    s = x.var(ddof=1)
    assert one.llr == pytest.approx(np.sum(((x - 0) ** 2 - (x - 0.2) ** 2) / (2 * s)))


def test_sets_without_variance_decide_at_once_or_never():
    assert Sprt(0, 1).add(np.zeros(10)) == "H0"
    assert Sprt(0, 1).add(np.ones(10)) == "H1"
    assert Sprt(0, 1).add(np.full(10, 0.5)) is None


def test_variance_ratio_covers_the_true_one():
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(500):
        found = variance_ratio(rng.exponential(2, 500), rng.laplace(0, 2, 500))
        covered += found.lower <= 0.5 <= found.upper
    assert 455 <= covered <= 495
    assert math.isnan(variance_ratio(np.zeros(5), np.ones(5)).value)


def test_rotation_ratio_of_independent_and_of_equal_hands():
    y = np.random.default_rng(1).normal(1, 2, (4000, 4))

    def series(y: np.ndarray) -> np.ndarray:
        return np.column_stack([np.full(len(y), 4.0), y.sum(axis=1), (y**2).sum(axis=1)])

    assert rotation_ratio(series(y)) == pytest.approx(1, abs=0.06)
    assert rotation_ratio(series(np.repeat(y[:, :1], 4, axis=1))) == pytest.approx(4, abs=0.06)
    assert rotation_ratio(series(y - y.mean(axis=1, keepdims=True))) < 1e-9


def test_mean_interval_and_check_of_zero():
    x = np.array([1.0, 2, 4, 5])
    found = mean_interval(x)
    assert found.value == 3 and found.half == pytest.approx(1.959964 * x.std(ddof=1) / 2)
    assert math.isnan(mean_interval(x[:1]).half)
    x = np.arange(60.0)
    x -= x.mean()
    wide = x.std(ddof=1) / math.sqrt(60) * 3.4632  # 99.9 % of Student's t with 59 degrees of freedom
    assert check_zero(x + 0.99 * wide, 1).passed
    assert not check_zero(x + 1.01 * wide, 1).passed
    assert check_zero(x + 1.01 * wide, 2).passed  # two checks share the chance to fail
    assert check_zero(np.zeros(3), 1) == ((0, 0, 0), True, 0, True)
    assert check_zero(np.arange(3.0), 1).passed is None  # too few to judge
    assert check_zero(np.ones(30), 1).passed is False


def test_the_running_mean_ends_at_the_mean():
    x = np.random.default_rng(4).normal(size=5000)
    n, mean, half = running(x)
    assert n[0] == 2 and n[-1] == 5000 and len(n) <= 400
    assert mean[-1] == pytest.approx(x.mean()) and half[-1] == pytest.approx(mean_interval(x).half)
    assert mean[0] == pytest.approx(x[:2].mean())


# ---- ratings -----------------------------------------------------------------------------------------------------------

STRENGTHS = np.array([4.0, 2.0, 1.0, 1.0, 0.5, 0.25])


def drawn_orders(n: int, seed: int, strengths: np.ndarray = STRENGTHS) -> np.ndarray:
    """Rankings of random fours by Plackett-Luce: exponential times with these rates."""
    rng = np.random.default_rng(seed)
    fours = np.array([rng.permutation(len(strengths))[:4] for _ in range(n)])
    times = rng.exponential(1 / strengths[fours])
    return np.take_along_axis(fours, np.argsort(times, axis=1), axis=1).astype(np.int16)


def likelihood(orders: np.ndarray, strengths: np.ndarray) -> float:
    """Log-likelihood with half a win and half a loss of each against one of strength 1, written out."""
    total = sum(0.5 * math.log(s) - math.log(s + 1) for s in strengths)
    for order in orders.tolist():
        for p in range(3):
            total += math.log(strengths[order[p]] / sum(strengths[a] for a in order[p:]))
    return total


def test_fitted_strengths_are_the_most_likely():
    orders = drawn_orders(60, 1)
    fitted = np.ones(6)
    assert fit_strengths(orders, np.ones(60), fitted, 1000, 1e-10) < 1000
    best = likelihood(orders, fitted)
    for a in range(6):
        for factor in (0.97, 1.03):
            other = fitted.copy()
            other[a] *= factor
            assert likelihood(orders, other) < best


def test_ratings_recover_the_strengths():
    found = evaluate_ratings.ratings(drawn_orders(6000, 2), 6, seed=0)
    true = evaluate_ratings.points(STRENGTHS)
    assert true.mean() == pytest.approx(1500) and true[0] - true[1] == pytest.approx(400 * math.log10(2))
    for rating, right in zip(found, true, strict=True):
        assert rating.value == pytest.approx(right, abs=12)
        assert rating.lower < rating.value < rating.upper and rating.half < 12


def test_rating_intervals_cover_the_truth():
    true = evaluate_ratings.points(STRENGTHS)
    covered = [
        rating.lower <= right <= rating.upper
        for seed in range(60)
        for rating, right in zip(evaluate_ratings.ratings(drawn_orders(150, seed), 6, seed), true, strict=True)
    ]
    assert 0.88 <= np.mean(covered) <= 0.99


def test_an_agent_that_always_wins_has_a_finite_rating():
    orders = np.array([[0, 1, 2, 3]] * 50, np.int16)
    found = evaluate_ratings.ratings(orders, 5, seed=0)  # agent 4 never played
    assert all(math.isfinite(x) for rating in found for x in rating)
    values = [rating.value for rating in found]
    assert values[0] > values[1] > values[2] > values[3]
