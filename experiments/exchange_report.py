"""How `study exchange` is shown: on a terminal, as JSON, CSV, plots and a page."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mjsim.agents.exchange import SEARCH
from mjsim.experiments import plots
from mjsim.experiments.exchange import THRESHOLDS, ExchangeResult
from mjsim.experiments.exchange_measures import (
    ALL,
    CLASSES,
    DEALER,
    MOMENTS,
    OTHERS,
    ROLES,
    SHANTEN,
    Best,
    Cell,
    Deviations,
    Field,
    Measures,
    rule_name,
)
from mjsim.experiments.exchange_plots import plots_of
from mjsim.experiments.exchange_tables import (
    best_table,
    command,
    decision_table,
    deviations_table,
    findings,
    given_table,
    matrix_table,
    meaning,
    notes,
    others_in_worlds,
    second_table,
    shanten_table,
    terminal_tables,
    worth_table,
)
from mjsim.experiments.report import (
    Made,
    Plot,
    Points,
    Section,
    TextTable,
    cells,
    csv_bytes,
    json_bytes,
    numbers,
    page,
    terminal,
    write,
)
from mjsim.tiles import TEXT


def table(result: ExchangeResult) -> Any:
    """The tables for a terminal, a rich renderable."""
    measures = Measures(result)
    return terminal(terminal_tables(measures), notes(measures))


def passed(result: ExchangeResult) -> bool:
    """Whether the A/A check came out right."""
    return Measures(result).aa_exact


# ---- data --------------------------------------------------------------------------------------------------------------


def _cell(cell: Cell) -> dict[str, Any]:
    return {name: numbers(getattr(cell, name)) for name in ("gain", "gain_dealer", "gain_others", "win", "win_gain")}


def _best(best: Best) -> dict[str, Any]:
    return {
        "strategy": best.strategy,
        "gain": numbers(best.gain),
        "second": best.second,
        "ahead": numbers(best.ahead),
        "clear": best.clear,
    }


def _cells(part: Deviations, column: str) -> dict[str, Any]:
    return {row: _cell(part.cell(column, row)) for row in part.rows}


def _field(field: Field) -> dict[str, Any]:
    kinds = TEXT[:34]
    return {
        "walls": field.walls,
        "asked": numbers(field.asked),
        "shanten": {
            moment: {
                role: {
                    "mean": numbers(field.shanten(m, role)),
                    "fall": numbers(field.shanten_fall(m, role)) if m else None,
                    "distribution": {
                        str(s): share for s, share in zip(SHANTEN, field.distribution(m, role).tolist(), strict=True)
                    },
                }
                for role in (ALL, DEALER, OTHERS)
            }
            for m, moment in enumerate(MOMENTS)
        },
        "given": {
            name: {
                "kinds": dict(zip(kinds, map(numbers, field.given_kinds(e)), strict=True)),
                "classes": {c: numbers(field.given(e, member)) for c, member in CLASSES.items()},
            }
            for e, name in enumerate(("first", "second"))
        },
        "given_on": numbers(field.given_on),
        "second_exchange": {
            **{role: numbers(field.again(role)) for role in (*ROLES, OTHERS)},
            "wins": {role: numbers(field.wins_again(role)) for role in (DEALER, OTHERS)},
        },
        "by_shanten": {
            str(SHANTEN[k]): {
                "share": numbers(field.decided_at(k)),
                "start": numbers(field.score_at(k, 0)),
                "exchange": numbers(field.score_at(k, 1)),
                "exchange_less_start": {role: numbers(field.again_at(role, k)) for role in (*ROLES, OTHERS)},
            }
            for k in range(len(SHANTEN))
            if field.decided_at(k).value > 0
        },
        "rules": {
            rule_name(threshold): {
                "exchanges": numbers(field.rule_exchanges(threshold)),
                "score": numbers(field.rule_score(threshold)),
                "over_start": {role: numbers(field.rule(threshold, role)) for role in (DEALER, OTHERS)},
            }
            for threshold in THRESHOLDS
        },
    }


def as_json(result: ExchangeResult, command_line: str | None = None) -> dict[str, Any]:
    """Everything as plain data (docs/exchange-study.md): parameters, and each measure with its 95 % interval.

    A value that does not exist is null. It says nothing of time or machine.
    """
    return _as_json(Measures(result), command_line or command(result.plan))


def _as_json(measures: Measures, command_line: str) -> dict[str, Any]:
    plan = measures.plan
    return {
        "command": command_line,
        **json.loads(json.dumps(asdict(plan))),
        "hands": plan.hands(),
        "interval": 0.95,
        "unit_of_statistics": "wall",
        "units": {"gain": "tai a hand", "win": "% of hands", "again": "tai a hand", "given": "% of tiles"},
        "meanings": {way: meaning(way) for way in (*plan.strategies, SEARCH)},
        "matrix": {column: _cells(measures.matrix, column) for column in plan.strategies},
        "best_response": {column: _best(measures.matrix.best(column)) for column in plan.strategies},
        "fields": {way: _field(field) for way, field in measures.fields.items()},
        "best_rule": rule_name(measures.best_rule()),
        "search": _search(measures),
        "aa": {"walls": plan.aa_walls, "exact": measures.aa_exact},
    }


def _search(measures: Measures) -> dict[str, Any] | None:
    if measures.search is None or measures.searched is None:
        return None
    plan = measures.plan
    part, decided = measures.search, measures.searched
    return {
        "giver": plan.searcher(True),
        "decider": plan.searcher(False),
        "worlds": plan.worlds,
        "walls": part.walls,
        "against_field": _cells(part, plan.field),
        "ahead_of": {way: numbers(part.ahead(plan.field, SEARCH, way)) for way in plan.strategies},
        "decision": {
            "walls": decided.walls,
            "exchanges": numbers(decided.exchanges),
            "score": numbers(decided.score),
            "over": {
                rule_name(threshold): {role: numbers(decided.gain(i, role)) for role in (DEALER, OTHERS)}
                for i, threshold in enumerate(THRESHOLDS)
            },
        },
    }


# ---- files -------------------------------------------------------------------------------------------------------------


def _matrix_csv(measures: Measures) -> bytes:
    def rows(part: Deviations) -> list[tuple[Any, ...]]:
        return [
            (column, row, part.walls, name, *cells(getattr(part.cell(column, row), name)))
            for column in part.columns
            for row in part.rows
            for name in ("gain", "gain_dealer", "gain_others", "win", "win_gain")
        ]

    headers = ("three_seats", "one_seat", "walls", "measure", "value", "lower", "upper")
    return csv_bytes(headers, rows(measures.matrix))


def _dealer_csv(measures: Measures) -> bytes:
    rows = []
    for way, field in measures.fields.items():
        for k, shanten in enumerate(SHANTEN):
            share = field.decided_at(k)
            if share.value > 0:
                rows += [
                    (way, shanten, share.value, role, *cells(field.again_at(role, k))) for role in (*ROLES, OTHERS)
                ]
    headers = ("four_of", "dealer_shanten", "share", "role", "exchange_less_start", "lower", "upper")
    return csv_bytes(headers, rows)


def _shanten_csv(measures: Measures) -> bytes:
    rows = [
        (way, moment, role, shanten, share)
        for way, field in measures.fields.items()
        for m, moment in enumerate(MOMENTS)
        for role in (DEALER, OTHERS)
        for shanten, share in zip(SHANTEN, field.distribution(m, role).tolist(), strict=True)
    ]
    return csv_bytes(("four_of", "moment", "role", "shanten", "share"), rows)


def _given_csv(measures: Measures) -> bytes:
    rows = [
        (way, e + 1, kind, *cells(share))
        for way, field in measures.fields.items()
        for e in range(2)
        for kind, share in zip(TEXT[:34], field.given_kinds(e), strict=True)
    ]
    return csv_bytes(("four_of", "exchange", "kind", "share", "lower", "upper"), rows)


def report(result: ExchangeResult, out: str | Path, command_line: str | None = None) -> list[Path]:
    """Write report.html, summary.json, the tables as CSV and the plots as PNG into the folder `out`; returns their paths."""
    measures = Measures(result)
    line = command_line or command(result.plan)
    made = plots_of(measures)
    files = {
        "report.html": _page(measures, {name: Plot(*plot) for name, plot in made.items()}, line).encode(),
        "summary.json": json_bytes(_as_json(measures, line)),
        "matrix.csv": _matrix_csv(measures),
        "dealer.csv": _dealer_csv(measures),
        "shanten.csv": _shanten_csv(measures),
        "given.csv": _given_csv(measures),
    }
    return write(out, files | {f"{name}.png": plots.png(figure) for name, (figure, _) in made.items()})


def _page(measures: Measures, drawn: dict[str, Plot], command_line: str) -> str:
    plan = measures.plan
    strategies = TextTable("", ("strategy", "gives"), [(way, meaning(way)) for way in plan.strategies], left=2)
    matrix = [
        "Each cell is one seat of the row's strategy against three of the column's, in each of the four seats in turn: what it "
        "scores beyond what the same seats score when all four play the column's strategy. The walls, pairings, dice, standing and "
        "everybody's random stream are the same in all cells. 0 on the diagonal is by construction, and is checked.",
        drawn["matrix"],
        matrix_table(measures, False),
        best_table(measures),
        "`ahead by` is the difference to the second on the same walls; it is clear when its interval leaves 0 out. The best of "
        "several is picked after the fact, so that its own gain is a little too high where the next ones are near.",
    ]
    deviations: list[Any] = [drawn["deviations"], deviations_table(measures)]
    if measures.search is not None:
        deviations.append(
            f"`search` gives as the agent `{plan.searcher(True)}`: it compares eight sets of three, half of them those that "
            "`heuristic` thinks best and half the nearest with the most ukeire, by playing hands to their end with `greedy` in "
            f"{plan.worlds:,} worlds for each set on average, all of which agree with what the seat has seen. It supposes that the "
            f"others give {others_in_worlds(plan)}. That is {8 * plan.worlds:,} hands for each gift, so it is played on fewer "
            "walls and its interval is wide."
        )
    dealer = [
        f"Four `{plan.field}` after the first exchange, each hand played on both ways: everybody starts, or exchanges once more.",
        drawn["dealer"],
        decision_table(measures),
        worth_table(measures),
        "The rules are compared on the same walls, in hindsight of both ways; the marked one brings the dealer most. `next`, "
        "`opposite` and `previous` are the seats from the dealer on.",
        second_table(measures),
    ]
    if measures.searched is not None:
        dealer.insert(
            3,
            f"`search` decides as the agent `{plan.searcher(False)}`, which plays both ways out in {plan.worlds:,} worlds.",
        )
    shanten = [drawn["shanten"], shanten_table(measures)]
    given = [
        drawn["given"],
        given_table(measures),
        "Among four alike, what comes back is what is given: the same shares, to another seat.",
    ]
    made = Made(
        command_line,
        plan.make_rules(),
        plan.seed,
        f"{measures.matrix.walls:,} walls of the matrix, {measures.field.walls:,} of the dealer's decision; {plan.hands():,} "
        "hands, those that the search plays out apart",
        "95 %, normal, over walls; differences on the same walls; not corrected for their number",
        (
            ("strategies", ", ".join(plan.strategies)),
            ("field", plan.field),
            ("dealer", f"{plan.dealer} (in the matrix)"),
            ("play", f"{plan.play} plays on after the exchange"),
            ("search", f"{plan.search_walls:,} walls; {plan.rollouts} rollouts, {plan.worlds:,} worlds a choice"),
        ),
    )
    return page(
        "Strategies of the Three-Tile Exchange",
        findings(measures),
        [
            Section(
                "Strategies",
                ["Sets of three are compared as a whole; what is equal by all words is drawn by lot.", strategies],
            ),
            Section("Payoff matrix", matrix),
            Section(f"One seat against three {plan.field}", deviations),
            Section("The dealer's decision and the second exchange", dealer),
            Section("Shanten before and after", shanten),
            Section("What is given", given),
            Section("Notes", [Points(notes(measures))]),
        ],
        made,
    )
