"""Plackett-Luce ratings of a leaderboard from the rankings of its sets, with bootstrap intervals."""

from __future__ import annotations

import numpy as np

from mjsim.experiments.evaluate_kernels import fit_strengths
from mjsim.experiments.stats import Interval

#: A difference of 400 is odds of 10 to 1 to finish a set above the other, as in Elo's scale; 1500 is the mean.
POINTS, MEAN = 400.0, 1500.0
ROUNDS, TOLERANCE = 1000, 1e-6
SAMPLES = 200
#: Purpose of the stream of the bootstrap.
BOOTSTRAP = 3


def points(strengths: np.ndarray) -> np.ndarray:
    """Ratings of strengths (float64[..., agents])."""
    logs = POINTS * np.log10(strengths)
    return MEAN + logs - logs.mean(axis=-1, keepdims=True)


def ratings(orders: np.ndarray, n_agents: int, seed: int) -> list[Interval]:
    """A rating for each agent from int16[sets, 4] rankings, the best first; sets are drawn anew for the interval."""
    kinds, counts = np.unique(orders, axis=0, return_counts=True)
    kinds = np.ascontiguousarray(kinds, np.int16)
    best = np.ones(n_agents)
    fit_strengths(kinds, counts.astype(np.float64), best, ROUNDS, TOLERANCE)
    rng = np.random.default_rng([seed, BOOTSTRAP])
    drawn = np.empty((SAMPLES, n_agents))
    for i in range(SAMPLES):
        strengths = best.copy()
        weights = rng.multinomial(len(orders), counts / len(orders)).astype(np.float64)
        fit_strengths(kinds, weights, strengths, ROUNDS, TOLERANCE)
        drawn[i] = strengths
    low, high = np.quantile(points(drawn), (0.025, 0.975), axis=0)
    return [Interval(*map(float, three)) for three in zip(points(best), low, high, strict=True)]
