"""What `evaluate` counts in sets of hands, and the statistics of it as pure functions.

The unit is the set. Measures are ratios of sums over sets with delta-method intervals (`stats`); the tested figure is the
mean over sets of A's score a hand less the mean of the table, which is A's score where the scores of a hand add up to 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from mjsim.experiments.evaluate_kernels import SEAT_FIELDS
from mjsim.experiments.evaluate_play import LEADERBOARD, MAIN, Plan
from mjsim.experiments.stats import Z95, Interval, Ratio, Sums, interval, ratio

#: Counted for each contestant in each set, over the hands and seats in which it sat.
COUNTERS = ("hands", *SEAT_FIELDS, "table", "matches", "place", "first")
#: Counted once in each set.
SET_COUNTERS = ("hands", "win", "flower", "draw")
#: `place` counts halves (a shared place is the mean of its places), `first` twelfths.
HALVES, TWELFTHS = 2, 12

#: How often the A/A check of a sound run fails by chance, all its means together.
AA_ALPHA = 0.001
#: A mean of fewer sets is not judged.
AA_FEWEST = 30
#: Purpose of the stream that puts a tie in order, for ratings alone.
TIES = 2


class Measure(NamedTuple):
    id: str
    label: str
    unit: str
    above: str
    below: str
    scale: float


#: What is reported of each contestant.
MEASURES = (
    Measure("score", "score a hand", "tai", "score", "hands", 1),
    Measure("net", "score less the table's mean", "tai", "net", "hands", 1),
    Measure("win", "win", "% of hands", "win", "hands", 100),
    Measure("self_draw", "self-draw", "% of hands", "self_draw", "hands", 100),
    Measure("deal_in", "deal-in", "% of hands", "deal_in", "hands", 100),
    Measure("tai", "tai of a win", "tai", "tai", "win", 1),
    Measure("ready", "ready at the end", "% of hands", "ready", "hands", 100),
    Measure("declared", "declared", "% of hands", "declared", "hands", 100),
)
MATCH_MEASURES = (
    Measure("place", "place in a match", "place", "place", "matches", 1 / HALVES),
    Measure("first", "matches won", "% of matches", "first", "matches", 100 / TWELFTHS),
)


def measures(plan: Plan) -> tuple[Measure, ...]:
    return MEASURES + (MATCH_MEASURES if plan.match_hands else ())


# ---- counting ----------------------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """All that the result needs of the hands of one part: sums over sets, and a few numbers of every set.

    sums: of int32 units [SET_COUNTERS, then COUNTERS of each contestant].
    series: for each chunk float64[sets, 5]: hands; sum of A's net score over them, and of its squares; the same number
        and sum over one seating, by turns.
    orders: for each chunk int16[sets, 4], the contestants of the set, the best total first (a leaderboard only).
    """

    sums: Sums
    series: list[np.ndarray] = field(default_factory=list)
    orders: list[np.ndarray] = field(default_factory=list)

    @classmethod
    def of(cls, plan: Plan) -> Tally:
        return cls(Sums.zero(len(SET_COUNTERS) + len(COUNTERS) * len(plan.agents)))

    @property
    def all_series(self) -> np.ndarray:
        return np.concatenate(self.series) if self.series else np.zeros((0, 5))

    @property
    def set_means(self) -> np.ndarray:
        """float64[sets]: A's net score a hand."""
        series = self.all_series
        return series[:, 1] / series[:, 0]

    @property
    def last_set_means(self) -> np.ndarray:
        """Of the chunk taken last."""
        return self.series[-1][:, 1] / self.series[-1][:, 0]

    def take(self, plan: Plan, part: str, first: int, n: int, table: pa.Table) -> None:
        """Count the hands of sets first..first + n - 1; chunks come in order."""
        hands = _Hands(plan, first, n, table)
        self.series.append(hands.series())
        if part == MAIN:
            self.sums.add(Sums.of(hands.units()))
            if plan.mode == LEADERBOARD:
                self.orders.append(hands.orders())


class _Hands:
    """The columns of a chunk as numpy arrays."""

    def __init__(self, plan: Plan, first: int, n: int, table: pa.Table) -> None:
        def numbers(name: str) -> np.ndarray:
            return table.column(name).to_numpy().astype(np.int64)

        def by_seat(name: str) -> np.ndarray:
            return np.column_stack([numbers(f"{name}_{s}") for s in range(4)])

        self.plan, self.first, self.n = plan, first, n
        self.set = numbers("set") - first
        self.seating = numbers("seating")
        self.agent = by_seat("agent")
        self.fields = {name: by_seat(name) for name in SEAT_FIELDS}
        self.end = table.column("end").combine_chunks().cast(pa.string()).to_numpy(zero_copy_only=False)
        self.seatings = plan.seatings()
        score = self.fields["score"]
        self.table = score.sum(axis=1)
        self.net = score - self.table[:, None] / 4

    def units(self) -> np.ndarray:
        """int32[sets, counters]."""
        size = len(self.plan.agents)
        key = self.set[:, None] * size + self.agent

        def summed(values: np.ndarray) -> np.ndarray:
            counts = np.bincount(key.ravel(), np.broadcast_to(values, key.shape).ravel(), self.n * size)
            return counts.reshape(self.n, size)

        per = [summed(np.ones_like(key))]
        per += [summed(self.fields[name]) for name in SEAT_FIELDS]
        per += [summed(self.table[:, None])]
        per += self._places(size) if self.plan.match_hands else [np.zeros((self.n, size))] * 3
        whole = [np.bincount(self.set, minlength=self.n)]
        whole += [np.bincount(self.set, self.end == end, self.n) for end in SET_COUNTERS[1:]]
        joined = np.concatenate([np.column_stack(whole), np.stack(per, axis=2).reshape(self.n, -1)], axis=1)
        return np.rint(joined).astype(np.int32)

    def _places(self, size: int) -> list[np.ndarray]:
        """Matches, places (in halves) and first places (in twelfths) of each contestant in each set."""
        k = len(self.seatings)
        match = self.set * k + self.seating
        total = np.zeros((self.n * k, 4))
        agent = np.zeros((self.n * k, 4), np.int64)
        np.add.at(total, match, self.fields["score"])
        agent[match] = self.agent
        better = (total[:, None, :] > total[:, :, None]).sum(axis=2)
        equal = (total[:, None, :] == total[:, :, None]).sum(axis=2)  # itself included
        place = 2 * better + equal + 1
        first = np.where(better == 0, TWELFTHS // equal, 0)
        key = np.arange(self.n * k)[:, None] // k * size + agent
        return [
            np.bincount(key.ravel(), values.ravel(), self.n * size).reshape(self.n, size)
            for values in (np.ones_like(place), place, first)
        ]

    def series(self) -> np.ndarray:
        """float64[sets, 5], see Tally."""
        a = self._place_of_seat() < self.plan.places_of_a
        y = (self.net * a).sum(axis=1) / a.sum(axis=1)
        one = self.seating == (self.set + self.first) // len(self.plan.agents) % len(self.seatings)
        columns = [np.ones_like(y), y, y * y, one, y * one]
        return np.column_stack([np.bincount(self.set, values, self.n) for values in columns])

    def _place_of_seat(self) -> np.ndarray:
        return self.seatings[self.seating].astype(np.int64)

    def orders(self) -> np.ndarray:
        place = self._place_of_seat()
        key = self.set[:, None] * 4 + place
        total = np.bincount(key.ravel(), self.fields["score"].ravel(), self.n * 4).reshape(self.n, 4)
        groups = np.zeros((self.n, 4), np.int16)
        groups[self.set[:, None], place] = self.agent
        toss = np.array(
            [np.random.default_rng([self.plan.seed, self.first + w, TIES]).random(4) for w in range(self.n)]
        )
        order = np.lexsort((toss, -total), axis=1)
        return np.take_along_axis(groups, order, axis=1)


# ---- contestants -------------------------------------------------------------------------------------------------------


class Summary:
    """Ratios of the counted sums, with intervals, by contestant; sets are the unit."""

    def __init__(self, plan: Plan, sums: Sums) -> None:
        self.plan = plan
        self.sums = sums
        self._means, self._covariance = sums.means(), sums.covariance()

    def _weights(self, contestant: int, counter: str) -> np.ndarray:
        weights = np.zeros(len(self._means))
        start = len(SET_COUNTERS) + contestant * len(COUNTERS)
        if counter == "net":
            weights[start + COUNTERS.index("score")] = 1
            weights[start + COUNTERS.index("table")] = -0.25
        else:
            weights[start + COUNTERS.index(counter)] = 1
        return weights

    def total(self, contestant: int, counter: str) -> int:
        return int(self._weights(contestant, counter) @ self.sums.total)

    def set_total(self, counter: str) -> int:
        return int(self.sums.total[SET_COUNTERS.index(counter)])

    def _ratio(self, contestant: int, m: Measure) -> Ratio:
        return ratio(self._means, self._weights(contestant, m.above), self._weights(contestant, m.below), m.scale)

    def value(self, contestant: int, m: Measure) -> Interval:
        return interval(self._ratio(contestant, m), self._covariance, self.sums.n)

    def difference(self, one: int, other: int, m: Measure) -> Interval:
        """One contestant less another; what they did in the same set stays paired."""
        return interval(self._ratio(one, m).minus(self._ratio(other, m)), self._covariance, self.sums.n)

    def ends(self, counter: str) -> Interval:
        above, below = (np.zeros(len(self._means)) for _ in range(2))
        above[SET_COUNTERS.index(counter)] = below[SET_COUNTERS.index("hands")] = 1
        return interval(ratio(self._means, above, below, 100), self._covariance, self.sums.n)


# ---- sets --------------------------------------------------------------------------------------------------------------


def mean_interval(x: np.ndarray) -> Interval:
    """Mean of the units with its 95 % normal interval; without width (nan) for fewer than two."""
    mean = float(np.mean(x))
    if len(x) < 2:
        return Interval(mean, math.nan, math.nan)
    half = Z95 * float(np.std(x, ddof=1)) / math.sqrt(len(x))
    return Interval(mean, mean - half, mean + half)


class Check(NamedTuple):
    """A mean that must be 0. `passed` when it is no further from it than `limit`; None when too few sets can tell."""

    mean: Interval
    exact: bool  # 0 in every set
    limit: float
    passed: bool | None


def check_zero(x: np.ndarray, n_checks: int) -> Check:
    """Whether the mean of the sets is 0, one of `n_checks` that fail together with AA_ALPHA by chance."""
    mean = mean_interval(x)
    exact = not np.any(x)
    z = NormalDist().inv_cdf(1 - AA_ALPHA / n_checks / 2)
    df = len(x) - 1
    t = z + (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2)  # Student's, to 1 % from 30 sets on
    limit = t / Z95 * mean.half
    passed = abs(mean.value) <= limit if exact or len(x) >= AA_FEWEST else None
    return Check(mean, exact, limit, passed)


def aa_checks(plan: Plan, series: np.ndarray) -> list[dict[str, Check]]:
    """For each contestant that had all places of two sets or more: what "A" made of them, which is 0 but for chance.

    `rotated` are its sets as they are evaluated: exactly 0 by construction where an agent always plays the same (the
    scores of the four seats add up), unless it does not, or the luck of a set changes between seatings. `one_seating` is
    one hand of each set, where nothing cancels by the rotation.
    """
    contestants = [i for i in range(len(plan.agents)) if len(series[i :: len(plan.agents)]) > 1]
    found = []
    for i in contestants:
        mine = series[i :: len(plan.agents)]
        means = {"rotated": mine[:, 1] / mine[:, 0], "one_seating": mine[:, 4] / mine[:, 3]}
        found.append({name: check_zero(x, 2 * len(contestants)) for name, x in means.items()})
    return found


def variance_ratio(x: np.ndarray, y: np.ndarray) -> Interval:
    """Variance of x over that of y, with a 95 % interval by the delta method on its logarithm (fourth moments)."""
    parts = []
    for z in (x, y):
        d = z - z.mean()
        parts.append((float(np.mean(d**2)), float(np.mean(d**4))))
    (vx, fx), (vy, fy) = parts
    if vx == 0 or vy == 0:
        return Interval(math.nan, math.nan, math.nan)
    half = Z95 * math.sqrt((fx / vx**2 - 1) / len(x) + (fy / vy**2 - 1) / len(y))
    return Interval(vx / vy, vx / vy * math.exp(-half), vx / vy * math.exp(half))


def rotation_ratio(series: np.ndarray) -> float:
    """Variance of the mean of a set's hands over that of as many independent hands; nan where nothing varies."""
    hands, total, squares = series[:, 0].sum(), series[:, 1].sum(), series[:, 2].sum()
    single = squares / hands - (total / hands) ** 2
    if len(series) < 2 or single <= 0:
        return math.nan
    x = series[:, 1] / series[:, 0]
    return float(np.var(x, ddof=1) * (hands / len(series)) / single)


# ---- sequential test ---------------------------------------------------------------------------------------------------

ALPHA = BETA = 0.05


class Sprt:
    """Generalized sequential probability ratio test of the mean over sets: H0 mean <= m0 against H1 mean >= m1.

    The log-likelihood ratio of normal means at m1 and m0 with the variance estimated from the sets so far,
    n (m1 - m0) (mean - (m0 + m1) / 2) / variance, against Wald's bounds for errors of 5 % each. It is looked at after each
    chunk in order of set numbers, so that the result does not depend on the workers.
    """

    lower, upper = math.log(BETA / (1 - ALPHA)), math.log((1 - BETA) / ALPHA)

    def __init__(self, m0: float, m1: float) -> None:
        self.m0, self.m1 = m0, m1
        self.n, self._total, self._squares = 0, 0.0, 0.0

    def add(self, x: np.ndarray) -> str | None:
        """Take in the next sets; "H0" or "H1" once decided, None to go on."""
        self.n += len(x)
        self._total += float(x.sum())
        self._squares += float((x * x).sum())
        return self.verdict

    @property
    def llr(self) -> float:
        if self.n < 2:
            return 0.0
        mean = self._total / self.n
        variance = (self._squares - self.n * mean**2) / (self.n - 1)
        far = self.n * (self.m1 - self.m0) * (mean - (self.m0 + self.m1) / 2)
        if variance <= 1e-12 * self._squares or variance <= 0:
            return math.copysign(math.inf, far) if far else 0.0
        return far / variance

    @property
    def verdict(self) -> str | None:
        if self.llr >= self.upper:
            return "H1"
        return "H0" if self.llr <= self.lower else None


def plain(x: Interval | Sequence[float]) -> dict[str, Any]:
    """An interval for JSON: null where there is no number."""
    return {
        name: None if not math.isfinite(v) else float(v) for name, v in zip(("value", "lower", "upper"), x, strict=True)
    }
