"""The page of `study choices`: what was found, in words, tables and plots, and how it was measured."""

from __future__ import annotations

from typing import Any

from mjsim.experiments.choices_measures import Row
from mjsim.experiments.choices_tables import (
    Found,
    agreement_table,
    common_table,
    dealer_table,
    figure,
    gifts_table,
    kept_tables,
    notes,
    offers_table,
    ready_tables,
)
from mjsim.experiments.report import Made, Plot, Points, Section, page

#: Questions of which the lead names the clear differences.
_SAID = (
    ("gifts", "Of the tiles given, {}"),
    ("offers", "Taken when on offer, {}"),
)
#: Differences said at most.
_MOST = 8


def _percent(row: Row, what: str) -> str:
    return f"{figure(row.estimates[what])} %"


def _lead(found: Found) -> list[str]:
    """How often both choose the same, and what differs by more than chance, in words."""
    measured = found.measured
    every, gift = measured.row("agreement", "all"), measured.row("agreement", "gift")
    lines = [f"A chooses as B in {_percent(every, 'same')} of {every.n:,} decisions."]
    if gift.n:
        lines.append(f"It gives the same three tiles in {_percent(gift, 'same')} of {gift.n:,} gifts.")
    dealer = measured.row("dealer", "all")
    if dealer.n:
        lines.append(
            f"As dealer A exchanges again in {_percent(dealer, 'a')} of {dealer.n:,} decisions, B in {_percent(dealer, 'b')}."
        )
    differences = [
        (abs(row.estimates["difference"].value), words.format(row.label), row)
        for table, words in _SAID
        for row in found.rows(table)
        if row.estimates["difference"].lower > 0 or row.estimates["difference"].upper < 0
    ]
    for _, words, row in sorted(differences, key=lambda x: -x[0])[:_MOST]:
        lines.append(f"{words}: A {_percent(row, 'a')}, B {_percent(row, 'b')} (n = {row.n:,}).")
    if not differences:
        lines.append("Nothing that it gives or takes differs by more than chance.")
    return lines


def _sections(found: Found, figures: dict[str, Any]) -> list[Section]:
    sections = [
        Section(
            "Agreement",
            [
                "The first kinds are all decisions, each once; those below are what may be on offer in them.",
                agreement_table(found),
                Plot(figures["agreement"], "Share of the same choice by kind of decision, with intervals"),
            ],
        )
    ]
    if "exchange" in figures:
        seconds = [gifts_table(found, "gifts_second")] if found.rows("gifts_second") else []
        sections.append(
            Section(
                "The exchange",
                [
                    "In hand is the share among the tiles held when giving: what giving at random would give.",
                    gifts_table(found),
                    Plot(figures["exchange"], "Tiles given by class, tiles in common, and dealers that exchange again"),
                    common_table(found),
                    *kept_tables(found),
                    dealer_table(found),
                    gifts_table(found, "gifts_first"),
                    *seconds,
                ],
            )
        )
    if "ready" in figures:
        plot = Plot(figures["ready"], "Declarations by the wait and by the time, with intervals")
        sections.append(Section("Ready", [plot, *ready_tables(found, wide=True)]))
    if "offers" in figures:
        plot = Plot(figures["offers"], "Share of what is on offer that is taken, with intervals")
        sections.append(Section("Claims, kongs, declarations, wins", [offers_table(found, wide=True), plot]))
    return sections


def page_of(found: Found, figures: dict[str, Any], command_line: str) -> str:
    """The HTML page."""
    result = found.result
    plan = result.plan
    sections = [
        Section("In short", [Points(_lead(found))]),
        *_sections(found, figures),
        Section(
            "How it was measured",
            [
                Points(notes(found)),
                "A is asked at decisions that it did not come to by its own play: what it would do in hands as B plays them. A and "
                "B draw from the same stream where they draw, so that an agent agrees with itself.",
                "Shares are ratios of sums over hands, with the delta method's standard error between hands; A less B is taken on "
                "the same decisions, and has no width where both choose alike, or never alike, in all of them. A share of 0 or "
                "100 % has no spread: its interval is the exact one of Kish's effective number of cases. Intervals are not "
                "corrected for their number: of twenty differences that are truly 0 one is expected to miss it.",
                "`choices.csv` and `summary.json` have every estimate; `sums.npz` has the sums they come from. Wall w of the "
                f"seed is hand 1 of match w: `mjsim.Hand({plan.rules!r}, seed={plan.seed}, match=w, hand=1)`.",
            ],
        ),
    ]
    made = Made(
        command_line,
        plan.make_rules(),
        plan.seed,
        f"{plan.hands:,} hands of B, {found.measured.decisions:,} decisions",
        "± is half a 95 % interval; hands are clusters",
        [("agents", f"A = `{plan.a}`, B = `{plan.b}`")],
    )
    title = f"What {found.names[0]} chooses otherwise than {found.names[1]}"
    return page(title, ["A is asked at every decision of hands that B plays in all four seats."], sections, made)
