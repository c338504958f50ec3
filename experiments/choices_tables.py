"""The tables of `study choices` as text, the lines under them, and the command that gives them again."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from pathlib import Path

from mjsim.experiments.choices import ChoicesResult
from mjsim.experiments.choices_measures import Measured, Row
from mjsim.experiments.report import TextTable, option_words, rules_text
from mjsim.experiments.stats import Interval

#: Longest name of an agent in a title or legend.
_LONG = 34

#: Columns of a terminal, and of the page.
_NARROW, _WIDE = ("a", "b", "difference"), ("a", "b", "difference", "a_only", "b_only")
_HEADERS = {
    "same": "same %",
    "a": "A %",
    "b": "B %",
    "difference": "A less B",
    "a_only": "only A %",
    "b_only": "only B %",
    "held": "in hand %",
    "share": "%",
}


class Found:
    """All estimates of a result."""

    def __init__(self, result: ChoicesResult) -> None:
        self.result = result
        self.measured = Measured(result.sums)
        self.names = short(result.plan.a), short(result.plan.b)

    @property
    def who(self) -> str:
        return f"A = {self.names[0]}, B = {self.names[1]}"

    def rows(self, table: str) -> list[Row]:
        """The rows of a table that have a case."""
        return [row for row in self.measured.tables[table] if row.n]


def short(name: str) -> str:
    """A name for titles: of a network its run and file, of another long one the end."""
    if name.startswith("checkpoint:"):
        *folders, file = Path(name.partition(":")[2]).with_suffix("").parts
        name = " ".join([*[part for part in folders if part != "checkpoints"][-1:], file])
    return name if len(name) <= _LONG else "…" + name[-(_LONG - 1) :]


def command(result: ChoicesResult) -> str:
    """The command line that gives these numbers again."""
    plan = result.plan
    words = ["mjsim", "study", "choices", plan.a, plan.b, *option_words(plan.make_rules())]
    return shlex.join([*words, "--hands", str(plan.hands), "--seed", str(plan.seed)])


def figure(x: Interval | None, digits: int = 1, sign: bool = False) -> str:
    """An estimate with ± half its interval; of a share of 0 or 100 % how far the interval reaches to its one side."""
    if x is None or math.isnan(x.value):
        return "-"
    rounded = round(x.value, digits) + 0.0
    value = f"{rounded:+.{digits}f}" if sign else f"{rounded:.{digits}f}"
    if math.isnan(x.half):
        return value
    if x.upper > x.lower and x.value in (x.lower, x.upper):
        return f"{value} {'+' if x.value == x.lower else '-'}{x.upper - x.lower:.{digits}f}"
    return f"{value} ±{x.half:.{digits}f}"


def _table(title: str, first: str, rows: Sequence[Row], columns: Sequence[str], digits: int = 1) -> TextTable:
    shown = [
        (row.label, f"{row.n:,}", *(figure(row.estimates.get(c), digits, c == "difference") for c in columns))
        for row in rows
    ]
    headers = {name: header.removesuffix(" %") for name, header in _HEADERS.items()} if digits == 2 else _HEADERS
    return TextTable(title, (first, "n", *(headers[c] for c in columns)), shown)


def agreement_table(found: Found) -> TextTable:
    return _table("Agreement, by kind of decision", "decision", found.rows("agreement"), ("same",))


def gifts_table(found: Found, table: str = "gifts") -> TextTable:
    title = {
        "gifts": "Tiles given, of all given",
        "gifts_first": "Tiles given in the first exchange",
        "gifts_second": "Tiles given in the second exchange",
    }[table]
    return _table(title, "tiles", found.rows(table), ("held", "a", "b", "difference"))


def common_table(found: Found) -> TextTable:
    return _table("Gifts of three as sets", "in common", found.rows("common"), ("share",))


def kept_tables(found: Found) -> list[TextTable]:
    rows = found.rows("kept")
    means = [row for row in rows if "a" in row.estimates]
    shares = [row for row in rows if "share" in row.estimates]
    return [
        _table("Shanten of the tiles kept", "exchange", means, ("a", "b", "difference"), digits=2),
        _table("Shanten kept, A against B", "gifts", shares, ("share",)),
    ]


def dealer_table(found: Found) -> TextTable:
    return _table(
        "Dealer's decision: exchange again", "dealer's shanten", found.rows("dealer"), ("a", "b", "difference")
    )


def ready_tables(found: Found, wide: bool) -> list[TextTable]:
    title, columns = "Ready or MIGI on offer: declared", _WIDE if wide else _NARROW
    return [
        _table(title, "copies waited for", found.rows("ready_by_wait"), columns),
        _table(title, "discards so far", found.rows("ready_by_time"), columns),
    ]


def offers_table(found: Found, wide: bool) -> TextTable:
    return _table("What is on offer: taken", "on offer", found.rows("offers"), _WIDE if wide else _NARROW)


def text_tables(found: Found) -> list[TextTable]:
    """What the terminal shows; a table without a case is left out."""
    tables = [
        agreement_table(found),
        gifts_table(found),
        common_table(found),
        *kept_tables(found),
        dealer_table(found),
        *ready_tables(found, wide=False),
        offers_table(found, wide=False),
    ]
    return [table for table in tables if table.rows]


def notes(found: Found) -> list[str]:
    """Lines under the tables: what is counted, and over what."""
    result, measured = found.result, found.measured
    lines = [
        f"A = {result.plan.a}, B = {result.plan.b}.",
        f"{result.plan.hands:,} hands of {rules_text(result.plan.make_rules())} with B in all four seats, {measured.decisions:,} "
        "decisions; A is asked at each what it would do. ± is half a 95 % interval with hands as clusters; a bound to one side "
        "where a share is 0 or 100 %.",
        "A gift of three tiles is one decision, compared as a set: A gives all three of its own. Every other offer is counted "
        "where no win is on offer. A pung and a chow may be on offer together.",
    ]
    if found.rows("kept"):
        lines.append(
            "The shanten of the 13 tiles kept (14 of the dealer) counts the three given among the tiles that lack."
        )
    copies = [figure(measured.copies[who], 2) for who in ("a", "b")]
    if copies != ["-", "-"]:
        lines.append(
            "Copies waited for: unseen winning tiles after the best discard to declare with. Of what it declares A waits for "
            f"{copies[0]}, B for {copies[1]} copies. A hand that does not declare is asked again next turn and counts again; "
            "first offer counts a seat once a hand."
        )
    return lines
