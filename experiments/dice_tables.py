"""The tables of `study dice` as text, the lines under them, and the command that gives them again.

Measures are in `dice_measures`.
"""

from __future__ import annotations

import shlex

from mjsim.experiments.dice import DEFAULT_ADAPT, DEFAULT_ADAPT_WALLS, DEFAULT_KEEP, NOBODY, DiceResult
from mjsim.experiments.dice_kernels import N_PATTERNS
from mjsim.experiments.dice_measures import (
    BLIND_COLUMNS,
    COLUMNS,
    LABELS,
    ROLLS,
    SLOPE,
    WORTH,
    WORTH_COLUMNS,
    Summary,
    Worth,
    bonus_tai,
    odds,
    seeing_sums,
    summarise,
    summarise_blind,
    worth_of_a_tai,
)
from mjsim.experiments.dice_plots import agents_text
from mjsim.experiments.report import TextTable, option_words, text
from mjsim.experiments.stats import Interval

_ROLE_LABELS = {"dealer": "dealer", "other": "non-dealer"}


def command(result: DiceResult) -> str:
    """The command line that gives these numbers again."""
    words = ["mjsim", "study", "dice", *option_words(result.rules)]
    agents = result.agents[:1] if len(set(result.agents)) == 1 else result.agents
    words += ["--agents", ",".join(agents), "--walls", str(result.walls), "--seed", str(result.seed)]
    if result.keep != DEFAULT_KEEP:
        words += ["--keep", str(result.keep)]
    adapt = tuple(result.adapt)
    if adapt != DEFAULT_ADAPT:
        words += ["--adapt", ",".join(adapt) or NOBODY]
    if adapt and result.adapt_walls != min(result.walls, DEFAULT_ADAPT_WALLS):
        words += ["--adapt-walls", str(result.adapt_walls)]
    return shlex.join(words)


class Found:
    """All estimates of a result."""

    def __init__(self, result: DiceResult) -> None:
        self.result = result
        self.summary: Summary = summarise(result)
        self.worth: dict[str, Worth] = {agents_text(result): worth_of_a_tai(result.sums, result.rules)}
        self.blind: dict[str, dict[str, dict[str, Interval]]] = {}
        for agent, sums in result.adapt.items():
            self.blind[agent] = summarise_blind(sums)
            if agent not in self.worth:
                self.worth[agent] = worth_of_a_tai(seeing_sums(sums), result.rules)


# ---- tables ------------------------------------------------------------------------------------------------------------


def text_tables(found: Found) -> list[TextTable]:
    """What terminal and page show: tables with ± half a 95 % interval."""
    return [*pattern_tables(found), worth_table(found), *([blind_table(found, wide=False)] if found.blind else [])]


def pattern_tables(found: Found) -> list[TextTable]:
    summary = found.summary
    tai = bonus_tai(found.result.rules)
    mean_bonus = sum(n * t for n, t in zip(odds(), tai, strict=True)) / ROLLS

    def cells(column: str, measures: tuple[tuple[str, int], ...], part: str) -> list[str]:
        return [text(getattr(summary[m][column], part), digits, part == "difference") for m, digits in measures]

    shown = [(f"{n}/{ROLLS}", str(t)) for n, t in zip(odds(), tai, strict=True)] + [("", f"{mean_bonus:.2f}")]
    ends = (("win", 2), ("self_draw", 2), ("deal_in", 2), ("draw", 2))
    wins = (("tai", 3), ("by_bonus", 2), ("stopped", 2))
    changes = (("win", 2), ("deal_in", 1), ("draw", 1), ("tai", 3), ("stopped", 1))
    roles = (("score_dealer", 3), ("score_other", 3))
    return [
        TextTable(
            "How hands end (% of hands)",
            ("pattern", "odds", "tai", "win", "self-draw", "deal-in", "draw"),
            [(LABELS[c], *extra, *cells(c, ends, "value")) for c, extra in zip(COLUMNS, shown, strict=True)],
        ),
        TextTable(
            "Wins and the minimum",
            ("pattern", "tai of a win", "only by bonus, % of wins", "stopped, per 100 hands"),
            [(LABELS[c], *cells(c, wins, "value")) for c in COLUMNS],
        ),
        TextTable(
            "Score by role (tai a hand and seat)",
            ("pattern", "dealer", "less none", "non-dealer", "less none"),
            [
                (LABELS[c], *(cells(c, (role,), part)[0] for role in roles for part in ("value", "difference")))
                for c in COLUMNS
            ],
        ),
        TextTable(
            "Difference from none on the same walls (stopped: per 100 hands)",
            ("pattern", "win, %", "deal-in, %", "draw, %", "tai of a win", "stopped"),
            [(LABELS[c], *cells(c, changes, "difference")) for c in COLUMNS if c != "none"],
        ),
    ]


def worth_table(found: Found) -> TextTable:
    rows = []
    for agents, worth in found.worth.items():
        columns = (*reversed(WORTH_COLUMNS[:-1]), SLOPE) if not rows else (SLOPE,)
        for role, values in worth._asdict().items():
            for column in columns:
                label = "all rolls" if column == SLOPE else LABELS[column]
                figures = (text(values[part][column], 3, True) for part in WORTH)
                rows.append((agents, _ROLE_LABELS[role], label, *figures))
    return TextTable(
        "What a tai of bonus is worth (tai a hand and seat)",
        ("agents", "role", "pattern", "score", "gets", "pays"),
        rows,
        left=3,
    )


_BLIND_SHOWN = (
    ("gain", "score", 3), ("gain_dealer", "as dealer", 3), ("gain_other", "as non-dealer", 3), ("win", "wins", 2),
    ("deal_in", "deal-ins", 2), ("tai", "tai of a win", 3), ("otherwise", "changed", 1),
)  # fmt: skip
_BLIND_NARROW = ("gain", "win", "tai", "otherwise")


def blind_table(found: Found, wide: bool) -> TextTable:
    shown = [column for column in _BLIND_SHOWN if wide or column[0] in _BLIND_NARROW]
    rows = []
    for agent, values in found.blind.items():
        same = all(x.value == 0 for x in values["otherwise"].values())  # then one row says it
        for column in BLIND_COLUMNS[-1:] if same else BLIND_COLUMNS:
            figures = (text(values[m][column], digits, m != "otherwise") for m, _, digits in shown)
            rows.append((agent, "any" if same else LABELS[column], *figures))
    return TextTable(
        "What a seat gains by seeing the bonus (tai a hand; % of hands)",
        ("agent", "pattern", *(header for _, header, _ in shown)),
        rows,
        left=2,
    )


def notes(result: DiceResult) -> list[str]:
    """Lines under the tables: what the columns are."""
    minimum = result.rules.flags["min_tai"]
    lines = [
        f"{result.walls:,} walls, each played under all five patterns ({result.walls * N_PATTERNS:,} hands); "
        "± is half a 95 % interval, the wall is the unit.",
        "win + draw + flower wins alone = 100 %; win = self-draw + deal-in. tai of a win: bonus included, dealer tai not.",
        f"by bonus: wins that reach the minimum of {minimum} tai only through the bonus. "
        "stopped: complete hands that only the minimum stopped, once a seat and hand.",
        "real dice: the patterns weighted by their odds; its difference from none is what the dice bonus changes "
        "between these agents.",
        "what a tai is worth: the change in score from none over the tai of the bonus; gets: by its own wins, pays: for "
        "others'. All four seats have the bonus. all rolls: least squares over the 216 rolls.",
    ]
    if result.adapt:
        lines.append(
            "seeing: one seat's score when all four see the bonus, less its score on the same wall when it alone is blind to "
            f"it ({result.adapt_walls:,} walls). changed: hands in which it decides otherwise."
        )
    return lines
