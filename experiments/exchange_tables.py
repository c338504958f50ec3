"""The exchange study in words and tables of text, for a terminal and the page. What the numbers are is in `exchange_measures`."""

from __future__ import annotations

import shlex

from mjsim.agents.exchange import HEURISTIC, SEARCH, WORDS
from mjsim.experiments.exchange import (
    DEALER_TIMES,
    DEFAULT_DEALER,
    DEFAULT_FIELD,
    DEFAULT_PLAY,
    DEFAULT_ROLLOUTS,
    DEFAULT_SEARCH_WALLS,
    DEFAULT_STRATEGIES,
    THRESHOLDS,
    Plan,
)
from mjsim.experiments.exchange_measures import (
    CLASS_SHARES,
    CLASSES,
    DEALER,
    OTHERS,
    ROLES,
    SHANTEN,
    Cell,
    Measures,
    rule_name,
)
from mjsim.experiments.exchange_plots import shown_places
from mjsim.experiments.report import TextTable, option_words, text


def command(plan: Plan) -> str:
    """The command line that gives these numbers again."""
    words = ["mjsim", "study", "exchange", *option_words(plan.make_rules())]
    if plan.strategies != DEFAULT_STRATEGIES:
        words += ["--strategies", ",".join(plan.strategies)]
    if plan.field != (DEFAULT_FIELD if DEFAULT_FIELD in plan.strategies else plan.strategies[0]):
        words += ["--field", plan.field]
    if plan.dealer != DEFAULT_DEALER:
        words += ["--dealer", plan.dealer]
    if plan.play != DEFAULT_PLAY:
        words += ["--play", plan.play]
    words += ["--walls", str(plan.walls), "--seed", str(plan.seed)]
    if plan.dealer_walls != DEALER_TIMES * plan.walls:
        words += ["--dealer-walls", str(plan.dealer_walls)]
    if plan.search_walls != min(plan.walls, DEFAULT_SEARCH_WALLS):
        words += ["--search-walls", str(plan.search_walls)]
    if plan.rollouts != DEFAULT_ROLLOUTS:
        words += ["--rollouts", str(plan.rollouts)]
    return shlex.join(words)


def meaning(way: str) -> str:
    """What a strategy does, in words."""
    return ", then ".join(WORDS[word] for word in way.split("+"))


def others_in_worlds(plan: Plan) -> str:
    """How the search supposes that the others give."""
    return "as `heuristic`, which keeps honors" if plan.field == HEURISTIC else "by shanten and ukeire"


def letters(plan: Plan) -> dict[str, str]:
    """A letter for each strategy, for narrow columns."""
    return {way: "ABCDEFGHIJKLMNOP"[i] for i, way in enumerate(plan.strategies)}


# ---- tables ------------------------------------------------------------------------------------------------------------


def matrix_table(measures: Measures, narrow: bool) -> TextTable:
    """The payoff matrix: values alone under letters, or with intervals under names."""
    plan = measures.plan
    letter = letters(plan)
    best = {column: measures.matrix.best(column) for column in plan.strategies}
    widest = max(measures.matrix.cell(c, r).gain.half for c in plan.strategies for r in plan.strategies)

    def cell(column: str, row: str) -> str:
        mark = ("*" if best[column].clear else "~") if best[column].strategy == row else ""
        if column == row:
            return f"{mark}0"
        gain = measures.matrix.cell(column, row).gain
        return mark + (f"{gain.value:+.2f}" if narrow else text(gain, 2, True))

    rows = [
        (f"{letter[row]} {row}" if narrow else row, *(cell(column, row) for column in plan.strategies))
        for row in plan.strategies
    ]
    titled = f" (tai a hand, ± {widest:.2f} at most)" if narrow else ""
    headers = tuple(letter[way] if narrow else way for way in plan.strategies)
    return TextTable(f"One seat (row) against three (column){titled}", ("", *headers), rows)


def best_table(measures: Measures) -> TextTable:
    """The best response to each field."""
    rows = []
    for column in measures.plan.strategies:
        best = measures.matrix.best(column)
        rows.append(
            (
                column,
                best.strategy,
                "-" if best.strategy == column else text(best.gain, 2, True),
                best.second,
                text(best.ahead, 2),
                "yes" if best.clear else "no",
            )
        )
    return TextTable(
        "Best response", ("three seats", "best response", "gains", "second", "ahead by", "clear"), rows, left=2
    )


def _deviation(name: str, cell: Cell, walls: int, with_walls: bool) -> tuple[str, ...]:
    row = (
        name, text(cell.gain, 2, True), text(cell.gain_dealer, 2, True), text(cell.gain_others, 2, True),
        text(cell.win, 1), text(cell.win_gain, 1, True),
    )  # fmt: skip
    return (*row, f"{walls:,}") if with_walls else row


def deviations_table(measures: Measures) -> TextTable:
    """One seat of each strategy against the field, the search on its own walls."""
    plan = measures.plan
    ways = sorted(plan.strategies, key=lambda way: -measures.matrix.cell(plan.field, way).gain.value)
    rows = [_deviation(way, measures.matrix.cell(plan.field, way), measures.matrix.walls, True) for way in ways]
    if measures.search is not None:
        rows.append(_deviation(SEARCH, measures.search.cell(plan.field, SEARCH), measures.search.walls, True))
    headers = ("one seat", "gain (tai)", "as dealer", "else", "win %", "more", "walls")
    return TextTable(f"One seat against three {plan.field}", headers, rows)


def decision_table(measures: Measures) -> TextTable:
    """Rules for the dealer's decision in the field."""
    field = measures.field
    best = measures.best_rule()
    rows = []
    for threshold in THRESHOLDS:
        share = field.rule_exchanges(threshold).value
        if 0 < threshold < 99 and (share < 0.5 or share > 99.5):
            continue
        if threshold == 0:
            continue
        mark = "*" if threshold == best else ""
        rows.append(
            (
                mark + rule_name(threshold), f"{share:.0f} %", text(field.rule_score(threshold), 2, True),
                text(field.rule(threshold), 2, True), text(field.rule(threshold, OTHERS), 2, True), f"{field.walls:,}",
            )
        )  # fmt: skip
    if measures.searched is not None:
        found = measures.searched
        over = len(THRESHOLDS) - 1
        rows.append(
            (
                SEARCH, f"{found.exchanges.value:.0f} %", text(found.score, 2, True), text(found.gain(over), 2, True),
                text(found.gain(over, OTHERS), 2, True), f"{found.walls:,}",
            )
        )  # fmt: skip
    headers = ("dealer's rule", "exchanges", "dealer (tai)", "over start", "each other", "walls")
    return TextTable(f"The dealer's decision among four {measures.plan.field}", headers, rows)


def worth_table(measures: Measures) -> TextTable:
    """The worth of a second exchange by the dealer's shanten."""
    field = measures.field
    rows = [
        (
            str(SHANTEN[k]), f"{field.decided_at(k).value:.1f} %", text(field.score_at(k, 0), 2, True),
            text(field.score_at(k, 1), 2, True),
            *(text(field.again_at(role, k), 2, True) for role in ROLES),
        )
        for k in shown_places(field)
    ]  # fmt: skip
    headers = ("shanten", "of hands", "start", "exchange", "dealer", "next", "opposite", "previous")
    return TextTable("Exchange less start by the dealer's shanten (tai a hand)", headers, rows)


def second_table(measures: Measures) -> TextTable:
    """The second exchange by strategy of all four."""
    rows = [
        (
            way, text(f.again(DEALER), 2, True), text(f.again(OTHERS), 2, True), text(f.wins_again(DEALER), 1, True),
            text(f.wins_again(OTHERS), 1, True), text(f.given_on, 1), f"{f.walls:,}",
        )
        for way, f in measures.fields.items()
    ]  # fmt: skip
    headers = ("four of", "dealer (tai)", "each other", "dealer wins %", "each other %", "given on %", "walls")
    return TextTable("A second exchange in every hand, less none", headers, rows)


def shanten_table(measures: Measures) -> TextTable:
    """Mean shanten before and after the exchanges."""
    rows = []
    for way, f in measures.fields.items():
        rows.append(
            (
                way, *(text(f.shanten(m), 2) for m in range(3)), text(f.shanten_fall(1), 2), text(f.shanten_fall(2), 2),
                f"{f.distribution(1)[: 2 + 2].sum():.0f} %", f"{f.distribution(2)[: 2 + 2].sum():.0f} %",
            )
        )  # fmt: skip
    headers = ("four of", "dealt", "after one", "after two", "by first", "by second", "<= 2, one", "<= 2, two")
    return TextTable("Mean shanten, what each exchange takes off it, and seats with 2 or less after", headers, rows)


def given_table(measures: Measures) -> TextTable:
    """What is given in the first exchange, by class of kinds."""
    rows = [(way, *(text(f.given(0, member), 1) for member in CLASSES.values())) for way, f in measures.fields.items()]
    rows.append(("of all tiles", *(f"{100 * share:.1f}" for share in CLASS_SHARES.values())))
    return TextTable("Given in the first exchange (% of tiles)", ("four of", *CLASSES), rows)


def terminal_tables(measures: Measures) -> list[TextTable]:
    """What a terminal of 80 columns shows."""
    return [
        matrix_table(measures, True),
        best_table(measures),
        deviations_table(measures),
        decision_table(measures),
        worth_table(measures),
        second_table(measures),
        shanten_table(measures),
        given_table(measures),
    ]


# ---- words -------------------------------------------------------------------------------------------------------------


def findings(measures: Measures) -> list[str]:
    """The main findings as sentences."""
    plan, field = measures.plan, measures.field
    best = measures.matrix.best(plan.field)
    said = []
    if best.strategy == plan.field:
        said.append(
            f"Against three `{plan.field}` no strategy gains: the nearest, `{best.second}`, is behind by {text(best.ahead, 2)} tai "
            "a hand."
        )
    else:
        clear = "" if best.clear else f" (`{best.second}` may be as good)"
        said.append(
            f"Against three `{plan.field}` the best response is `{best.strategy}`: {text(best.gain, 2, True)} tai a hand{clear}."
        )
    stable = [way for way in plan.strategies if measures.matrix.best(way).strategy == way]
    if stable:
        named = ", ".join(f"`{way}`" for way in stable)
        said.append(
            f"Best against three of its own kind: {named}; whoever leaves it for another of these gains nothing."
        )
    else:
        said.append("No strategy is the best response to three of its own kind.")
    threshold = measures.best_rule()
    gain = field.rule(threshold)
    said.append(
        f"Among four `{plan.field}` the dealer does best with `{rule_name(threshold)}`: {text(gain, 2, True)} tai a hand over "
        f"always starting, each other {text(field.rule(threshold, OTHERS), 2, True)}. A second exchange in every hand is worth "
        f"{text(field.again(DEALER), 2, True)} to the dealer and {text(field.again(OTHERS), 2, True)} to each other."
    )
    said.append(
        f"With `{plan.field}` the first exchange lowers the mean shanten by {text(field.shanten_fall(1), 2)} from "
        f"{text(field.shanten(0), 2)}, the second by {text(field.shanten_fall(2), 2)}; {field.given_on.value:.0f} % of the tiles "
        "got in the first are given on in the second."
    )
    if measures.search is not None and measures.searched is not None:
        cell = measures.search.cell(plan.field, SEARCH)
        versus = measures.best_against_field()
        said.append(
            f"Searched gifts ({plan.worlds:,} worlds for each set) gain {text(cell.gain, 2, True)} tai a hand in the same field, "
            f"{text(measures.search.ahead(plan.field, SEARCH, versus), 2, True)} against `{versus}` on the same "
            f"{measures.search.walls:,} walls; the searched decision gives the dealer "
            f"{text(measures.searched.gain(THRESHOLDS.index(threshold)), 2, True)} over `{rule_name(threshold)}` on the same "
            f"{measures.searched.walls:,} walls."
        )
    return said


def notes(measures: Measures) -> list[str]:
    """Lines under the tables: what the columns are, and the A/A check."""
    plan = measures.plan
    searched = (
        [
            f"search: the agent of that name with {plan.rollouts} rollouts, {plan.worlds:,} worlds for each set of three or way of "
            f"the decision; in them others give {others_in_worlds(plan)}."
        ]
        if plan.search_walls
        else []
    )
    checked = "ok, exactly 0 everywhere" if measures.aa_exact else "FAILED, not 0 everywhere"
    return [
        f"{plan.play} plays on after the exchange; dealers decide by {plan.dealer}. ± is half a 95 % interval, by wall.",
        "gain: what the seat scores beyond playing as the three others do, in the same seats of the same walls, all four seats "
        "in turn. * best response, ~ one that the second may equal.",
        "over start, each other: tai a hand beyond always starting. given on: tiles got in the first exchange and given in the "
        "second.",
        *searched,
        f"A/A check, every strategy deviating to itself on {plan.aa_walls:,} walls: {checked}.",
    ]
