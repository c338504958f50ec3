"""Statistics of paired samples as pure functions: sums of vectors, ratios of their means, intervals.

The unit is one vector of whole numbers: all that was counted on one wall. Every measure is a ratio of two sums over
units (a plain mean has the number of units below), its standard error follows from the vectors' covariance
(delta method). Sums are whole numbers, so no result depends on how the units were split or in which order they came.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mjsim.jit import entry

#: Half the width of a 95 % normal interval in standard errors.
Z95 = 1.959963984540054

#: Variances below this part of their terms are rounding: the true one is zero.
_ROUNDING = 1e-12


class Interval(NamedTuple):
    """An estimate with its 95 % interval, all in the unit of the estimate (nan where it cannot be told)."""

    value: float
    lower: float
    upper: float

    @property
    def half(self) -> float:
        """Half the width."""
        return (self.upper - self.lower) / 2


@entry
def add_products(units, total, products):
    """Add the rows of int32[n, k] to int64[k] `total` and their outer products to int64[k, k]; most counts are zero.

    Not a matrix product: that would take float64, and the threads of a BLAS in every worker.
    """
    k = units.shape[1]
    filled = np.empty(k, np.int64)
    for u in range(len(units)):
        n = 0
        for i in range(k):
            if units[u, i] != 0:
                filled[n] = i
                n += 1
                total[i] += units[u, i]
        for a in range(n):
            i = filled[a]
            x = np.int64(units[u, i])
            for b in range(n):
                products[i, filled[b]] += x * units[u, filled[b]]


@dataclass
class Sums:
    """Number of units, sum of their vectors (int64[k]) and of their outer products (int64[k, k])."""

    n: int
    total: np.ndarray
    products: np.ndarray

    @classmethod
    def zero(cls, k: int) -> Sums:
        return cls(0, np.zeros(k, np.int64), np.zeros((k, k), np.int64))

    @classmethod
    def of(cls, units: np.ndarray) -> Sums:
        """Sums of units, int32[n, k]; exact."""
        units = np.ascontiguousarray(units, dtype=np.int32)
        sums = cls.zero(units.shape[1])
        add_products(units, sums.total, sums.products)
        sums.n = len(units)
        return sums

    def add(self, other: Sums) -> None:
        """Take in the units of `other`."""
        self.n += other.n
        self.total += other.total
        self.products += other.products

    def means(self) -> np.ndarray:
        """float64[k]."""
        return self.total / self.n

    def covariance(self) -> np.ndarray:
        """Sample covariance of the units, float64[k, k]; nan for fewer than two."""
        if self.n < 2:
            return np.full(self.products.shape, np.nan)
        return (self.products - np.outer(self.total, self.total / self.n)) / (self.n - 1)


class Ratio(NamedTuple):
    """A ratio of means with the weights (float64[k]) by which a unit's vector moves it: its gradient."""

    value: float
    gradient: np.ndarray

    def minus(self, other: Ratio) -> Ratio:
        """The difference; units that count in both stay paired."""
        return Ratio(self.value - other.value, self.gradient - other.gradient)


def ratio(means: np.ndarray, above: np.ndarray, below: np.ndarray, scale: float = 1.0) -> Ratio:
    """`scale` x (above . means) / (below . means); nan where nothing is below.

    `above` and `below` are float64[k] weights of the counters.
    """
    under = float(below @ means)
    if under == 0:
        return Ratio(float("nan"), np.full(len(means), np.nan))
    value = float(above @ means) / under
    return Ratio(scale * value, scale * (above - value * below) / under)


def interval(estimate: Ratio, covariance: np.ndarray, n: int) -> Interval:
    """95 % normal interval of an estimate from n units."""
    used = np.flatnonzero(estimate.gradient)
    g = estimate.gradient[used]
    terms = g[:, None] * covariance[np.ix_(used, used)] * g[None, :]
    variance = float(terms.sum())
    if variance < _ROUNDING * float(np.abs(terms).sum()):
        variance = 0.0
    half = Z95 * float(np.sqrt(variance / n))
    return Interval(estimate.value, estimate.value - half, estimate.value + half)
