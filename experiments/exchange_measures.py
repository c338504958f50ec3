"""What `study exchange` finds: estimates with intervals from the sums of its counters.

Owns what each measure is. Counting is in `exchange_kernels`, standard errors in `stats`. Every estimate is over walls.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mjsim.agents.exchange import SEARCH
from mjsim.experiments.exchange import (
    AA,
    DECISIONS,
    MATRIX,
    THRESHOLDS,
    ExchangeResult,
    field_part,
)
from mjsim.experiments.exchange import (
    SEARCH as SEARCH_PART,
)
from mjsim.experiments.exchange_kernels import (
    F_ASKED,
    F_DECIDED,
    F_GIVEN,
    F_HANDS,
    F_KEPT_ON,
    F_SCORE,
    F_SHANTEN,
    F_WIN,
    GAIN,
    GAIN_DEALER,
    N_CELL,
    N_DECISION,
    N_FIELD,
    N_MOMENTS,
    N_ROLES,
    N_SHANTEN,
    WINS,
)
from mjsim.experiments.stats import Interval, Ratio, Sums, interval, ratio

#: Moments of shanten, and roles of seats.
MOMENTS = ("start", "after one", "after two")
DEALER, OTHERS, ALL = "dealer", "others", "all"
ROLES = ("dealer", "next", "opposite", "previous")
#: Classes of kinds, as bits over the 34 kinds.
CLASSES = {
    "winds": np.array([27 <= k < 31 for k in range(34)]),
    "dragons": np.array([k >= 31 for k in range(34)]),
    "terminals": np.array([k < 27 and k % 9 in (0, 8) for k in range(34)]),
    "2 and 8": np.array([k < 27 and k % 9 in (1, 7) for k in range(34)]),
    "3 to 7": np.array([k < 27 and 2 <= k % 9 <= 6 for k in range(34)]),
}
#: Shares of the 136 tiles in the same classes: what giving by lot would come near.
CLASS_SHARES = {name: float(member.sum()) / 34 for name, member in CLASSES.items()}
#: Shanten at each place of the counters; the last stands for that and more.
SHANTEN = np.arange(-1, N_SHANTEN - 1)


class Counted:
    """Estimates from the sums of a part."""

    def __init__(self, sums: Sums) -> None:
        self.sums = sums
        self.means = sums.means()

    @cached_property
    def _covariance(self) -> np.ndarray:
        return self.sums.covariance()

    def zeros(self) -> np.ndarray:
        return np.zeros(len(self.means))

    def mean(self, weights: np.ndarray, scale: float = 1.0) -> Interval:
        """`scale` x (weights . counters) a wall."""
        return self.of(Ratio(scale * float(weights @ self.means), scale * weights))

    def share(self, above: np.ndarray, below: np.ndarray, scale: float = 1.0) -> Interval:
        """`scale` x (above . counters) / (below . counters)."""
        return self.of(ratio(self.means, above, below, scale))

    def of(self, estimate: Ratio) -> Interval:
        return interval(estimate, self._covariance, self.sums.n)


# ---- the matrix --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """One seat of a strategy against three of another.

    Attributes:
        gain: tai a hand beyond what the same seats score with the others' strategy.
        gain_dealer, gain_others: the same when it deals, and when it does not.
        win: % of hands that it wins; win_gain: beyond the others' strategy in the same seats.
    """

    gain: Interval
    gain_dealer: Interval
    gain_others: Interval
    win: Interval
    win_gain: Interval


@dataclass(frozen=True)
class Best:
    """The best response to a field.

    Attributes:
        strategy, gain: what gains most (a field's own strategy gains 0), and how much.
        second: what gains most after it; ahead: how much more the best gains, on the same walls.
        clear: whether the interval of that leaves 0 out.
    """

    strategy: str
    gain: Interval
    second: str
    ahead: Interval
    clear: bool


class Deviations:
    """Cells of a part that plays `rows` against `columns`: int32[wall, column, row, N_CELL]."""

    def __init__(self, sums: Sums, columns: tuple[str, ...], rows: tuple[str, ...]) -> None:
        self._counted = Counted(sums)
        self.walls = sums.n
        self.columns, self.rows = columns, rows

    def _weights(self, column: str, row: str, counter: int) -> np.ndarray:
        weights = self._counted.zeros()
        place = self.columns.index(column) * len(self.rows) + self.rows.index(row)
        weights[place * N_CELL + counter] = 1
        return weights

    def cell(self, column: str, row: str) -> Cell:
        mean = self._counted.mean
        gain, dealer = self._weights(column, row, GAIN), self._weights(column, row, GAIN_DEALER)
        wins = self._weights(column, row, WINS)
        return Cell(
            mean(gain, 1 / 4),
            mean(dealer),
            mean(gain - dealer, 1 / 3),
            mean(wins, 100 / 4),
            mean(wins - self._weights(column, column, WINS), 100 / 4),
        )

    def ahead(self, column: str, one: str, other: str) -> Interval:
        """How much more one strategy gains than another against a field (tai a hand)."""
        return self._counted.mean(self._weights(column, one, GAIN) - self._weights(column, other, GAIN), 1 / 4)

    def best(self, column: str) -> Best:
        gains = {row: self.cell(column, row).gain for row in self.rows}
        first, second = sorted(self.rows, key=lambda row: -gains[row].value)[:2]
        ahead = self.ahead(column, first, second)
        return Best(first, gains[first], second, ahead, bool(ahead.lower > 0))


# ---- a field of four alike ---------------------------------------------------------------------------------------------


class Field:
    """Four seats of one strategy, the dealer starting and exchanging again."""

    def __init__(self, sums: Sums) -> None:
        self._counted = Counted(sums)
        self.walls = sums.n
        if len(self._counted.means) != N_FIELD:
            raise ValueError(f"{len(self._counted.means)} counters of a field; there are {N_FIELD}")

    def _one(self, counter: int) -> np.ndarray:
        weights = self._counted.zeros()
        weights[counter] = 1
        return weights

    @property
    def asked(self) -> Interval:
        """% of hands in which the dealer is asked: the others are over with the deal."""
        return self._counted.share(self._one(F_ASKED), self._one(F_HANDS), 100)

    # -- shanten

    def _shanten_weights(self, moment: int, role: str, by: np.ndarray) -> np.ndarray:
        weights = self._counted.zeros()
        for number, name in enumerate((DEALER, OTHERS)):
            if role in (name, ALL):
                first = F_SHANTEN + (moment * 2 + number) * N_SHANTEN
                weights[first : first + N_SHANTEN] = by
        return weights

    def shanten(self, moment: int, role: str = ALL) -> Interval:
        """Mean shanten of the seats of a role at a moment (0-2)."""
        return self._counted.share(
            self._shanten_weights(moment, role, SHANTEN), self._shanten_weights(moment, role, np.ones(N_SHANTEN))
        )

    def shanten_fall(self, moment: int, role: str = ALL) -> Interval:
        """How much an exchange lowers the mean shanten: from `moment` - 1 to `moment`."""
        below = self._shanten_weights(moment, role, np.ones(N_SHANTEN))
        above = self._shanten_weights(moment - 1, role, SHANTEN) - self._shanten_weights(moment, role, SHANTEN)
        return self._counted.share(above, below)

    def distribution(self, moment: int, role: str = ALL) -> np.ndarray:
        """float64[N_SHANTEN]: % of seats with each shanten (SHANTEN)."""
        weights = [self._shanten_weights(moment, role, row) for row in np.eye(N_SHANTEN)]
        counts = np.array([w @ self._counted.means for w in weights])
        return 100 * counts / counts.sum()

    # -- gifts

    def given(self, exchange: int, kinds: np.ndarray) -> Interval:
        """% of the tiles given in an exchange (0 or 1) that are of the kinds, bool[34]."""
        first = F_GIVEN + 34 * exchange
        above, below = self._counted.zeros(), self._counted.zeros()
        above[first : first + 34] = kinds
        below[first : first + 34] = 1
        return self._counted.share(above, below, 100)

    def given_kinds(self, exchange: int) -> list[Interval]:
        """% of the tiles given, by kind."""
        return [self.given(exchange, row) for row in np.eye(34)]

    @property
    def given_on(self) -> Interval:
        """% of the tiles got in a first exchange that are given on in a second."""
        return self._counted.share(self._one(F_KEPT_ON), self._one(F_ASKED), 100 / 12)

    # -- the dealer's decision

    def _score(self, k: int, branch: int, role: int) -> int:
        return F_SCORE + (k * 2 + branch) * N_ROLES + role

    def _again(self, role: str, places: range) -> np.ndarray:
        """Weights of the tai that exchanging again brings a role where the dealer's shanten is at one of the places."""
        weights = self._counted.zeros()
        for number in {DEALER: [0], OTHERS: [1, 2, 3]}.get(role) or [ROLES.index(role)]:
            for k in places:
                weights[self._score(k, 1, number)] += 1
                weights[self._score(k, 0, number)] -= 1
        return weights / 3 if role == OTHERS else weights

    def decided_at(self, k: int) -> Interval:
        """% of the dealer's decisions at the place k of SHANTEN."""
        return self._counted.share(self._one(F_DECIDED + k), self._one(F_ASKED), 100)

    def again(self, role: str) -> Interval:
        """Tai a hand that exchanging again brings a role, whatever the dealer's shanten; OTHERS: each of the three."""
        return self._counted.share(self._again(role, range(N_SHANTEN)), self._one(F_ASKED))

    def again_at(self, role: str, k: int) -> Interval:
        """The same where the dealer's shanten is at place k."""
        return self._counted.share(self._again(role, range(k, k + 1)), self._one(F_DECIDED + k))

    def score_at(self, k: int, branch: int) -> Interval:
        """Tai a hand of the dealer at place k that starts (0) or exchanges (1)."""
        return self._counted.share(self._one(self._score(k, branch, 0)), self._one(F_DECIDED + k))

    def wins_again(self, role: str) -> Interval:
        """Wins more in 100 hands of a seat when the dealer exchanges again; OTHERS: each of the three."""
        weights = self._counted.zeros()
        number = (DEALER, OTHERS).index(role)
        for k in range(N_SHANTEN):
            weights[F_WIN + (k * 2 + 1) * 2 + number] += 1
            weights[F_WIN + (k * 2) * 2 + number] -= 1
        return self._counted.share(weights, self._one(F_ASKED), 100 / (3 if number else 1))

    def rule(self, threshold: int, role: str = DEALER) -> Interval:
        """Tai a hand that a role gains over always starting when the dealer exchanges with this shanten or more."""
        return self._counted.mean(self._again(role, range(max(0, threshold + 1), N_SHANTEN)))

    def rule_ahead(self, threshold: int, other: int) -> Interval:
        """How much more one rule brings the dealer than another, on the same walls."""
        one = self._again(DEALER, range(max(0, threshold + 1), N_SHANTEN))
        two = self._again(DEALER, range(max(0, other + 1), N_SHANTEN))
        return self._counted.mean(one - two)

    def rule_exchanges(self, threshold: int) -> Interval:
        """% of the dealer's decisions in which the rule exchanges."""
        weights = self._counted.zeros()
        weights[F_DECIDED + max(0, threshold + 1) : F_DECIDED + N_SHANTEN] = 1
        return self._counted.share(weights, self._one(F_ASKED), 100)

    def rule_score(self, threshold: int) -> Interval:
        """Tai a hand of the dealer."""
        weights = self._again(DEALER, range(max(0, threshold + 1), N_SHANTEN))
        for k in range(N_SHANTEN):
            weights[self._score(k, 0, 0)] += 1
        return self._counted.mean(weights)


# ---- the searched decision ---------------------------------------------------------------------------------------------


class Searched:
    """The dealer's decision by each rule and by the search, on the same walls."""

    def __init__(self, sums: Sums) -> None:
        self._counted = Counted(sums)
        self.walls = sums.n

    def _weights(self, rule: int, counter: int) -> np.ndarray:
        weights = self._counted.zeros()
        weights[rule * N_DECISION + counter] = 1
        return weights

    @property
    def exchanges(self) -> Interval:
        """% of the hands in which the search exchanges."""
        return self._counted.mean(self._weights(len(THRESHOLDS), 0), 100)

    def gain(self, over: int, role: str = DEALER) -> Interval:
        """Tai a hand that the search brings a role over the rule of THRESHOLDS[over]; OTHERS: each of the three."""
        counter = (DEALER, OTHERS).index(role) + 1
        weights = self._weights(len(THRESHOLDS), counter) - self._weights(over, counter)
        return self._counted.mean(weights, 1 / 3 if role == OTHERS else 1.0)

    @property
    def score(self) -> Interval:
        """Tai a hand of the dealer."""
        return self._counted.mean(self._weights(len(THRESHOLDS), 1))


# ---- all of it ---------------------------------------------------------------------------------------------------------


class Measures:
    """The measures of a result."""

    def __init__(self, result: ExchangeResult) -> None:
        plan = self.plan = result.plan
        sums = result.sums
        self.matrix = Deviations(sums[MATRIX], plan.strategies, plan.strategies)
        self.fields = {way: Field(sums[field_part(i)]) for i, way in enumerate(plan.strategies)}
        self.field = self.fields[plan.field]
        self.search = (
            Deviations(sums[SEARCH_PART], (plan.field,), plan.rows_against_field) if plan.search_walls else None
        )
        self.searched = Searched(sums[DECISIONS]) if plan.search_walls else None
        self._aa = sums[AA]

    @property
    def aa_exact(self) -> bool:
        """Whether every strategy that deviates to itself gains exactly nothing, on every wall and in every seat."""
        shape = (len(self.plan.strategies),) * 2 + (N_CELL,)
        squares = np.diag(self._aa.products).reshape(shape)
        return bool((squares[..., [GAIN, GAIN_DEALER]] == 0).all())

    def best_rule(self) -> int:
        """The threshold whose rule brings the field's dealer most."""
        return max(THRESHOLDS, key=lambda threshold: self.field.rule(threshold).value)

    def best_against_field(self) -> str:
        """Of the strategies other than the search, what gains most against the field, on the walls of the matrix."""
        return self.matrix.best(self.plan.field).strategy


def rule_name(threshold: int) -> str:
    """The words of a rule of the dealer."""
    if threshold >= 99:
        return "start"
    return "exchange" if threshold < 0 else f"shanten>={threshold}"


__all__ = [
    "ALL",
    "CLASSES",
    "CLASS_SHARES",
    "DEALER",
    "MOMENTS",
    "N_MOMENTS",
    "OTHERS",
    "ROLES",
    "SEARCH",
    "SHANTEN",
    "Measures",
    "rule_name",
]
