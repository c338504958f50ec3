"""What the study of choices measures: shares of both agents with their intervals, in rows of tables.

Every share is a ratio of two counts summed over hands; its standard error comes from the hands as clusters (delta method), so that
decisions of one hand need not be independent. Where a share is 0 or 100 % of what was seen that error is 0 and says nothing:
there the interval goes to the bound that as many independent cases would give, each hand's cases counted as one where they are
many (Kish's effective number).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from mjsim.experiments.choices_kernels import AT, CLASSES, KINDS, N_COUNTERS, N_SHANTEN, N_TIMES, N_WAITS, OFFERS, TIME
from mjsim.experiments.stats import Interval, Ratio, Sums, interval

#: A counter, or counters with their weights.
Counts = str | Mapping[str, float]

KIND_WORDS = dict(
    zip(KINDS, ("gift of three", "dealer's choice", "own turn", "claim", "flower", "Original Call"), strict=True)
)
OFFER_WORDS = {
    "chow": "chow",
    "pung": "pung",
    "claimed_kong": "claimed kong",
    "concealed_kong": "concealed kong",
    "added_kong": "added kong",
    "ready": "ready",
    "migi": "MIGI",
    "original_call": "Original Call",
    "win": "win",
}
assert set(OFFER_WORDS) == set(OFFERS)
CLASS_WORDS = dict(
    zip(
        CLASSES,
        ("terminals 1, 9", "near-terminals 2, 8", "middle 3-7", "own or prevailing wind", "other winds", "dragons"),
        strict=True,
    )
)
#: Tables: what a row is of, and its unit.
TABLES = {
    "agreement": "decisions of a kind: % the same",
    "offers": "what is on offer: % taken",
    "gifts": "tiles given: % of a class",
    "gifts_first": "tiles given in the first exchange: % of a class",
    "gifts_second": "tiles given in the second exchange: % of a class",
    "common": "gifts: % that share so many of the three tiles",
    "kept": "shanten of the tiles kept after giving",
    "dealer": "dealer's decision by shanten: % that exchange again",
    "ready_by_wait": "ready or MIGI on offer, by copies waited for: % that declare",
    "ready_by_time": "ready or MIGI on offer, by discards at the table: % that declare",
}


class Row(NamedTuple):
    """A row of a table: `n` cases and estimates by name, in % but for `kept` (shanten).

    Names: `same`, `a`, `b` (shares of A and of B), `difference` (A less B), `a_only`, `b_only`, `held` (share in the hands given
    from), `share`. Of a row without cases all are nan.
    """

    id: str
    label: str
    n: int
    estimates: dict[str, Interval]


def _weights(counts: Counts) -> np.ndarray:
    found = np.zeros(N_COUNTERS)
    for name, weight in {counts: 1.0}.items() if isinstance(counts, str) else counts.items():
        found[AT[name]] = weight
    return found


def plus(*names: str) -> dict[str, float]:
    return dict.fromkeys(names, 1.0)


class Measured:
    """All tables of a study's sums.

    Attributes:
        tables: rows by table (see TABLES); decisions: of all kinds, a gift being one; copies: mean copies waited for by what A
            and B declare.
    """

    def __init__(self, sums: Sums) -> None:
        self._sums = sums
        self._covariance = sums.covariance()
        self.decisions = self._n(plus(*(f"{kind}.n" for kind in KINDS)))
        self.tables: dict[str, list[Row]] = {
            "agreement": self._agreement(),
            "offers": self._offers(),
            "gifts": self._gifts((0, 1)),
            "gifts_first": self._gifts((0,)),
            "gifts_second": self._gifts((1,)),
            "common": self._common(),
            "kept": self._kept(),
            "dealer": self._dealer(),
            "ready_by_wait": self._ready("wait", N_WAITS, wait_words),
            "ready_by_time": self._ready("time", N_TIMES, time_words),
        }
        declared = {who: plus(f"ready.{who}", f"migi.{who}") for who in ("a", "b")}
        self.copies = {who: self._ratio(f"copies.{who}", below, 1.0) for who, below in declared.items()}

    def row(self, table: str, row: str) -> Row:
        """A row by its id."""
        return next(found for found in self.tables[table] if found.id == row)

    # ---- estimates -----------------------------------------------------------------------------------------------------

    def _n(self, counts: Counts) -> int:
        return round(float(_weights(counts) @ self._sums.total))

    def _ratio(self, above: Counts, below: Counts, scale: float = 100.0) -> Interval:
        over, under = _weights(above), _weights(below)
        every = float(under @ self._sums.total)
        if every == 0:
            return Interval(math.nan, math.nan, math.nan)
        # Of whole numbers, so that a difference of nothing is exactly 0.
        value = float(over @ self._sums.total) / every
        gradient = scale * (over - value * under) * (self._sums.n / every)
        return interval(Ratio(scale * value, gradient), self._covariance, self._sums.n)

    def _share(self, above: Counts, below: Counts) -> Interval:
        """A share in %, with a bound instead of no width where it is 0 or 100."""
        some, every = self._n(above), self._n(below)
        if every == 0 or 0 < some < every:
            return self._ratio(above, below)
        weights = _weights(below)
        cases = every**2 / float(weights @ self._sums.products @ weights)
        reach = 100.0 * (1.0 - 0.025 ** (1.0 / cases))
        return Interval(0.0, 0.0, reach) if some == 0 else Interval(100.0, 100.0 - reach, 100.0)

    def _yes_no(self, at: list[str]) -> dict[str, Interval]:
        """Shares of yes to a question, of the counters `NAME.n, .a, .b, .both` together."""
        n = plus(*(f"{name}.n" for name in at))

        def each(**weights: float) -> dict[str, float]:
            return {f"{name}.{what}": weight for name in at for what, weight in weights.items()}

        return {
            "a": self._share(each(a=1), n),
            "b": self._share(each(b=1), n),
            "difference": self._ratio(each(a=1, b=-1), n),
            "a_only": self._share(each(a=1, both=-1), n),
            "b_only": self._share(each(b=1, both=-1), n),
        }

    # ---- tables --------------------------------------------------------------------------------------------------------

    def _same(self, row: str, label: str, names: list[str]) -> Row:
        below = plus(*(f"{name}.n" for name in names))
        return Row(row, label, self._n(below), {"same": self._share(plus(*(f"{name}.same" for name in names)), below)})

    def _agreement(self) -> list[Row]:
        return [
            self._same("all", "all decisions", list(KINDS)),
            *(self._same(kind, KIND_WORDS[kind], [kind]) for kind in KINDS),
            self._same("discard", "tile, where both discard", ["discard"]),
            *(self._same(f"offer_{offer}", f"{words} or not", [offer]) for offer, words in OFFER_WORDS.items()),
        ]

    def _offers(self) -> list[Row]:
        rows = []
        for offer, words in OFFER_WORDS.items():
            rows.append(Row(offer, words, self._n(f"{offer}.n"), self._yes_no([offer])))
            if offer == "claimed_kong":
                n = "claimed_kong.n"
                shares = {
                    "a": self._share("pung_instead.a", n),
                    "b": self._share("pung_instead.b", n),
                    "difference": self._ratio({"pung_instead.a": 1, "pung_instead.b": -1}, n),
                }
                rows.append(Row("pung_instead", "pung instead of the kong", self._n(n), shares))
            if offer == "migi":
                first = self._yes_no(["first_ready.0"])
                rows.append(Row("first_ready", "ready or MIGI, first offer", self._n("first_ready.0.n"), first))
        return rows

    def _gifts(self, exchanges: tuple[int, ...]) -> list[Row]:
        """Shares of the classes among tiles given, and among those held when they were given."""

        def each(*names: str) -> dict[str, float]:
            return plus(*(f"gift{e}.{name}" for e in exchanges for name in names))

        tiles = {who: each(*(f"{kind}.{who}" for kind in CLASSES)) for who in ("held", "a", "b")}
        rows = []
        for kind, words in {**CLASS_WORDS, "paired": "of a pair or more in hand"}.items():
            shares = {who: self._share(each(f"{kind}.{who}"), below) for who, below in tiles.items()}
            less = {name: -1.0 for name in each(f"{kind}.b")}
            # Both give three tiles: their numbers are the same, and the difference is paired.
            shares["difference"] = self._ratio(each(f"{kind}.a") | less, tiles["a"])
            rows.append(Row(kind, words, self._n(tiles["a"]), shares))
        return rows

    def _common(self) -> list[Row]:
        words = ("no tile", "one", "two", "the same three")
        n = plus("gift0.n", "gift1.n")
        return [
            Row(
                f"common{i}",
                words[i],
                self._n(n),
                {"share": self._share(plus(f"gift0.common{i}", f"gift1.common{i}"), n)},
            )
            for i in (3, 2, 1, 0)
        ]

    def _kept(self) -> list[Row]:
        rows = []
        for row, label, e in (("first", "first exchange", 0), ("second", "second exchange", 1)):
            n = f"gift{e}.n"
            a, b = f"gift{e}.shanten.a", f"gift{e}.shanten.b"
            estimates = {
                "a": self._ratio(a, n, 1.0),
                "b": self._ratio(b, n, 1.0),
                "difference": self._ratio({a: 1, b: -1}, n, 1.0),
            }
            rows.append(Row(row, label, self._n(n), estimates))
        n = plus("gift0.n", "gift1.n")
        for row, label in (("nearer", "A keeps nearer"), ("equal", "equal"), ("further", "A keeps further")):
            share = self._share(plus(f"gift0.{row}", f"gift1.{row}"), n)
            rows.append(Row(row, label, self._n(n), {"share": share}))
        return rows

    def _yes_no_rows(self, rows: str, n: int, words: Callable[[int], str]) -> list[Row]:
        every = [f"{rows}.{i}" for i in range(n)]
        return [
            *(
                Row(str(i), words(i), self._n(f"{name}.n"), self._yes_no([name]))
                for i, name in enumerate(every)
            ),
            Row("all", "all", self._n(plus(*(f"{name}.n" for name in every))), self._yes_no(every)),
        ]  # fmt: skip

    def _dealer(self) -> list[Row]:
        return self._yes_no_rows("dealer", N_SHANTEN, shanten_words)

    def _ready(self, rows: str, n: int, words: Callable[[int], str]) -> list[Row]:
        return self._yes_no_rows(rows, n, words)


def shanten_words(i: int) -> str:
    return "0 or less" if i == 0 else f"{i} or more" if i == N_SHANTEN - 1 else str(i)


def wait_words(i: int) -> str:
    return "none left" if i == 0 else f"{2 * i - 1} or more" if i == N_WAITS - 1 else f"{2 * i - 1}-{2 * i}"


def time_words(i: int) -> str:
    return f"{TIME * i} or more" if i == N_TIMES - 1 else f"{TIME * i}-{TIME * i + TIME - 1}"
