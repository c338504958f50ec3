"""The page of `study rules`: what was found, in words, tables and plots, and how it was measured."""

from __future__ import annotations

from typing import Any

from mjsim.experiments.report import Made, Plot, Points, Section, page, text
from mjsim.experiments.rules_plots import cells_name
from mjsim.experiments.rules_tables import Found, cells_table, differences_table, effects_table, notes

#: What the lead says of a main effect: measure, words, unit, digits.
_SAID = (
    ("win", "hands won", " %", 1),
    ("discards", "length of a hand", " discards", 1),
    ("tai", "tai of a win", "", 2),
    ("dealer", "dealer advantage", " tai a hand", 2),
    ("swing", "score swing", " tai", 2),
)


def _lead(found: Found) -> list[str]:
    """The main effects that are more than chance, in words."""
    grid, summary = found.result.grid, found.summaries[0]
    lines = []
    for factor in grid.factors:
        for value in factor.values:
            if value == factor.base:
                continue
            clear, unclear = [], []
            for measure, words, unit, digits in _SAID:
                x = summary.effects[measure][factor.name][value]
                if x is not None and (x.lower > 0 or x.upper < 0):
                    clear.append(f"{words} {text(x, digits, True)}{unit}")
                else:
                    unclear.append(words)
            line = f"`{factor.name}` {factor.base} → {value}: " + (
                "; ".join(clear) or "no change that is more than chance"
            )
            if clear and unclear:
                line += f"; within chance: {', '.join(unclear)}"
            lines.append(line + ".")
    return lines


def _about_agents(found: Found) -> str:
    said = (
        f"All four seats are played by {found.tables[0]}. `heuristic` values a hand by what it pays at this table and plays "
        "towards the minimum, so that its figures show what players who know the rules make of them; `greedy` races to a "
        "complete hand whatever the minimum and the bonus, so that its figures show what the rules do by themselves."
    )
    if len(found.tables) > 1:
        said += f" Both tables of agents, {found.tables[0]} and {found.tables[1]}, played the same walls."
    return said


def page_of(found: Found, figures: dict[str, Any], command_line: str) -> str:
    """The HTML page."""
    result, grid = found.result, found.result.grid
    plan = result.plan
    effects: list = [effects_table(found, table, wide=True) for table in range(len(found.tables))]
    sections = [
        Section("In short", [Points(_lead(found)), _about_agents(found)]),
        Section(
            "What each option changes",
            [
                "The main effect of a value: the difference from the option's own value in these rules, on the same walls, "
                "averaged over all combinations of the other options.",
                *effects,
                Plot(figures["effects"], "Main effects of the options on six measures, with intervals"),
            ],
        ),
    ]
    for table, agents in enumerate(found.tables):
        sections.append(
            Section(
                f"Every combination: {agents}",
                [
                    cells_table(found, table, wide=True),
                    Plot(figures[cells_name(table)], "Six measures of every combination"),
                    differences_table(found, table),
                ],
            )
        )
    caps = min(cell.flags["streak_cap"] for cell in grid.cells)
    draws = (
        "Every seat draws from tiles of its own, so that a claim that one rule allows does not shift the draws of the others: the "
        "same chances, and narrower intervals of the differences."
        if plan.own_draws
        else "All seats draw from one wall, as at a table, so that a claim shifts all draws after it."
    )
    sections.append(
        Section(
            "How it was measured",
            [
                Points(notes(found)),
                "Single hands. Wall, dice, exchange pairings and policy streams are the same under all rules of the grid, and so "
                "is the standing that is drawn with each wall: the dealer and the prevailing wind are any of four alike, the "
                f"streak is geometric, P(k) proportional to {plan.keep:g}^k for k = 0..{caps}, {plan.keep:g} being the chance that "
                "the dealer keeps the deal. How often it does follows from the rules too (dealer stays %); here it does not feed "
                "back into the streaks, so that the dealer advantage of a rule set is that of these streaks. " + draws,
                "Swing is the root mean square of a seat's score in a hand. Dealer stays: the hand ends with the dealer keeping "
                "the deal. A win is counted once a hand, dealer wins once a hand that the dealer wins.",
                "Differences and main effects are taken wall by wall. Intervals are not corrected for their number: of twenty "
                "that are truly 0 one is expected to miss it. Ratios (tai of a win) and the swing have their standard error by "
                "the delta method.",
                f"Wall w of the seed is hand 1 of match w: `mjsim.Hand({grid.rules.name!r}, seed={plan.seed}, match=w, hand=1)`.",
                "`cells.csv`, `effects.csv` and `summary.json` have every measure; `sums.npz` has the sums they come from.",
            ],
        )
    )
    made = Made(
        command_line,
        grid.rules,
        plan.seed,
        f"{plan.walls:,} walls under {len(grid.cells)} rule sets with {' and with '.join(found.tables)}; {result.hands:,} hands",
        "± is half a 95 % normal interval; the unit is the wall, all hands of a wall together",
        [("varied", "; ".join(f"`{f.name}` {', '.join(f.values)} (compared with {f.base})" for f in grid.factors))],
    )
    title = "What the rules do" if len(grid.factors) > 1 else f"What {grid.factors[0].name} does"
    return page(title, [f"The same walls under {len(grid.cells)} variants of {grid.rules.name}."], sections, made)
