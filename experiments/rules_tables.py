"""The tables of `study rules` as text, the lines under them, and the command that gives them again."""

from __future__ import annotations

import shlex

from mjsim.experiments.report import TextTable, option_words, rules_text, text
from mjsim.experiments.rules_measures import Summary, summarise
from mjsim.experiments.rules_plots import table_text
from mjsim.experiments.rules_study import DEFAULT_AGENTS, DEFAULT_COMPARE, NOBODY, RulesResult, make_grid
from mjsim.experiments.walls import DEFAULT_KEEP

#: Columns of a terminal: measure, header, digits.
NARROW = (("win", "win %", 1), ("discards", "discards", 1), ("tai", "tai", 2), ("dealer", "dealer", 2))
#: Columns of the page.
WIDE = (
    ("win", "win %", 1), ("self_draw", "self-draw %", 1), ("draw", "draw %", 1),
    ("discards", "discards", 2), ("tai", "tai of a win", 2), ("dealer", "dealer advantage", 2),
    ("win_dealer", "dealer wins %", 1), ("keep", "dealer stays %", 1), ("swing", "swing", 2),
)  # fmt: skip


class Found:
    """All estimates of a result."""

    def __init__(self, result: RulesResult) -> None:
        self.result = result
        self.tables = [table_text(agents) for agents in result.plan.tables]
        self.summaries: list[Summary] = [summarise(result.grid, sums) for sums in result.sums]


def command(result: RulesResult) -> str:
    """The command line that gives these numbers again."""
    plan, grid = result.plan, result.grid
    words = ["mjsim", "study", "rules", *option_words(grid.rules)]
    default = "dice_bonus" in grid.rules.preset.flow_items and make_grid(grid.rules).factors == grid.factors
    for factor in () if default else grid.factors:
        words += ["--vary", f"{factor.name}={','.join(factor.values)}"]
    tables = [",".join(agents[:1] if len(set(agents)) == 1 else agents) for agents in plan.tables]
    words += ["--agents", tables[0]] if tables[0] != DEFAULT_AGENTS else []
    compare = tables[1] if len(tables) > 1 else NOBODY
    words += ["--compare", compare] if compare != (DEFAULT_COMPARE if tables[0] != DEFAULT_COMPARE else NOBODY) else []
    words += ["--walls", str(plan.walls), "--seed", str(plan.seed)]
    words += ["--keep", str(plan.keep)] if plan.keep != DEFAULT_KEEP else []
    words += [] if plan.own_draws else ["--shared-draws"]
    return shlex.join(words)


def cells_table(found: Found, table: int, wide: bool) -> TextTable:
    """Every combination; the base cell is marked."""
    grid, summary = found.result.grid, found.summaries[table]
    columns = WIDE if wide else NARROW
    rows = []
    for cell, values in enumerate(grid.combinations):
        figures = (text(summary.cells[m][cell].value, digits) for m, _, digits in columns)
        marked = [*values[:-1], values[-1] + (" *" if cell == grid.base else "")]
        rows.append((*marked, *figures))
    names = tuple(factor.name for factor in grid.factors)
    title = f"Every combination, {found.tables[table]} (* {grid.label(grid.base)})"
    return TextTable(title, (*names, *(header for _, header, _ in columns)), rows, left=len(names))


def differences_table(found: Found, table: int) -> TextTable:
    """Every combination less the base cell, paired by wall."""
    grid, summary = found.result.grid, found.summaries[table]
    rows = []
    for cell, values in enumerate(grid.combinations):
        if cell != grid.base:
            figures = (text(summary.cells[m][cell].difference, digits, True) for m, _, digits in WIDE)
            rows.append((*values, *figures))
    names = tuple(factor.name for factor in grid.factors)
    title = f"Difference from {grid.label(grid.base)} on the same walls, {found.tables[table]}"
    return TextTable(title, (*names, *(header for _, header, _ in WIDE)), rows, left=len(names))


def effects_table(found: Found, table: int, wide: bool) -> TextTable:
    """The main effect of every value."""
    grid, summary = found.result.grid, found.summaries[table]
    columns = WIDE if wide else NARROW
    rows = [
        (
            factor.name,
            f"{factor.base} → {value}",
            *(text(summary.effects[m][factor.name][value], digits, True) for m, _, digits in columns),
        )
        for factor in grid.factors
        for value in factor.values
        if value != factor.base
    ]
    title = f"What each option changes, averaged over the others, {found.tables[table]}"
    return TextTable(title, ("option", "change", *(header for _, header, _ in columns)), rows, left=2)


def text_tables(found: Found) -> list[TextTable]:
    """What the terminal shows: tables with ± half a 95 % interval."""
    return [
        cells_table(found, 0, wide=False),
        *(effects_table(found, table, wide=False) for table in range(len(found.tables))),
    ]


def notes(found: Found) -> list[str]:
    """Lines under the tables: what the columns are."""
    result = found.result
    draws = "each seat draws from tiles of its own" if result.plan.own_draws else "all draw from one wall"
    return [
        f"{result.plan.walls:,} walls of {rules_text(result.grid.rules)}, each played once under all {len(result.grid.cells)} "
        f"combinations ({draws}), {result.hands:,} hands in all; ± is half a 95 % interval, the wall is the unit.",
        "win + draw + flower wins alone = 100 %. discards: length of a hand. tai: of a win, dealer tai not included.",
        "dealer: its advantage, the dealer's score less the mean of the three others, tai a hand; what a streak pays is in it.",
    ]
