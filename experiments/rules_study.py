"""`mjsim study rules`: what rule options do to the game, the same walls under every combination of them.

Owns what is played: the grid, the plan, a block of walls. What is counted in a hand is in `rules_kernels`, the work over
processes and the folder in `walls`, measures in `rules_measures`, tables and page in `rules_report`.

The unit of statistics is the wall. Wall, dice, exchange pairings and standing (dealer, East, streak, prevailing wind) are the
same under all rules of the grid, so that only the rules differ.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import mjsim
from mjsim.agents import registry
from mjsim.errors import UsageError
from mjsim.experiments.report import option_text
from mjsim.experiments.rules_kernels import N_COUNTERS, play_cells
from mjsim.experiments.stats import Sums
from mjsim.experiments.walls import (
    DEFAULT_KEEP,
    Calls,
    Part,
    Progress,
    chance,
    play_parts,
    refuse_faults,
    streak_thresholds,
    whole,
)
from mjsim.flow import engine
from mjsim.hand_record import HAND
from mjsim.play import DECISION
from mjsim.ruleset import Rules, records_of
from mjsim.ruleset import rules as make_rules

#: About a minute on two cores with `heuristic` under the 16 rules of the default grid.
DEFAULT_WALLS = 10_000
#: `heuristic` plays towards the minimum and the bonus, so that it shows what players make of a rule; `greedy` pays no heed to
#: either, so that it shows what the rule does by itself.
DEFAULT_AGENTS, DEFAULT_COMPARE = "heuristic", "greedy"
NOBODY = "none"
#: The grid of rule sets with a dice bonus.
DEFAULT_VARY = {"min_tai": (0, 2, 3, 5), "exchange": (False, True), "dice_bonus": (False, True)}
#: More rules than anybody reads; the sums of a wall grow with the square of their number.
MAX_CELLS = 64

#: Hands of one piece of work, whatever the number of workers.
BLOCK_HANDS = 1024

FORMAT = "mjsim-study-rules/1"

Vary = Mapping[str, Sequence[Any]] | Sequence[str]


class Factor(NamedTuple):
    """An option that is varied: its values as command-line text, and the one that the others are compared with."""

    name: str
    values: tuple[str, ...]
    base: str


class Grid:
    """Every combination of the factors' values.

    Attributes:
        rules: what the grid is laid around; `factors`: what is varied.
        combinations: the values of each cell, by factor; `cells`: its rules.
        base: number of the cell that the others are compared with: the rules' own values where they are in the grid.
    """

    def __init__(self, rules: Rules, factors: Sequence[Factor]) -> None:
        self.rules = rules
        self.factors = tuple(factors)
        self.combinations = list(itertools.product(*(factor.values for factor in self.factors)))
        if len(self.combinations) > MAX_CELLS:
            raise UsageError(f"vary: {len(self.combinations)} combinations; {MAX_CELLS} at most can be compared")
        self.cells = [
            make_rules(rules, **{factor.name: value for factor, value in zip(self.factors, values, strict=True)})
            for values in self.combinations
        ]
        self.base = self.combinations.index(tuple(factor.base for factor in self.factors))

    def label(self, cell: int) -> str:
        """The cell's values, such as `min_tai=0 exchange=off`."""
        return " ".join(f"{f.name}={v}" for f, v in zip(self.factors, self.combinations[cell], strict=True))

    def pairs(self, factor: int, value: str) -> list[tuple[int, int]]:
        """The cells with a value of a factor, each with the cell that differs from it by the base value alone."""
        found = []
        for cell, values in enumerate(self.combinations):
            if values[factor] == value:
                other = (*values[:factor], self.factors[factor].base, *values[factor + 1 :])
                found.append((cell, self.combinations.index(other)))
        return found


def _value_of(rules: Rules, name: str) -> str:
    """The value of an option as command-line text."""
    value = rules.items[name[len("items.") :]] if name.startswith("items.") else rules.flags[name]
    return option_text(value)


def _factor(rules: Rules, name: str, values: Sequence[Any]) -> Factor:
    if name == "items":
        raise UsageError("vary: items: name one item, such as items.concealed_hand=1,2")
    checked = [_value_of(make_rules(rules, **{name: value}), name) for value in values]
    for text in checked:
        if checked.count(text) > 1:
            raise UsageError(f"vary: {name}={text} stands twice")
    if len(checked) < 2:
        given = ",".join(checked)
        raise UsageError(f"vary: {name}={given} is no choice; name two values at least, such as min_tai=0,3")
    own = _value_of(rules, name)
    return Factor(name, tuple(checked), own if own in checked else checked[0])


def make_grid(rules: str | Rules = "douque-american", vary: Vary | None = None) -> Grid:
    """The grid of `vary` (texts such as "min_tai=0,3", or a mapping from option to values) around the rules.

    Raises UsageError for an unknown option or value, or combinations that contradict each other.
    """
    checked = make_rules(rules)
    if not vary:
        if "dice_bonus" not in checked.preset.flow_items:
            raise UsageError(
                f"vary: the default grid needs a dice bonus, which {checked.name} has not; name the options to vary, such as "
                "exchange=on,off"
            )
        vary = DEFAULT_VARY
    given: dict[str, Sequence[Any]] = {}
    for name, values in vary.items() if isinstance(vary, Mapping) else map(_split, vary):
        if name in given:
            raise UsageError(f"vary: {name} stands twice")
        if isinstance(values, str) or not isinstance(values, Sequence):
            raise UsageError(f"vary: {name}: {values!r} is no list of values")
        given[name] = values
    return Grid(checked, [_factor(checked, name, values) for name, values in given.items()])


def _split(text: str) -> tuple[str, list[str]]:
    name, equals, values = str(text).partition("=")
    listed = [value.strip() for value in values.split(",")]
    if not equals or not name.strip() or not all(listed):
        raise UsageError(f"vary: {text!r} is not name=value,value,... such as min_tai=0,3")
    return name.strip(), listed


@dataclass(frozen=True)
class Plan:
    """Everything that the result depends on; `format` and `mjsim` so that a folder of another version is not gone on with."""

    rules: str
    options: dict[str, Any]
    fingerprint: str
    vary: dict[str, tuple[str, ...]]
    tables: tuple[tuple[str, ...], ...]  # four agents each
    walls: int
    seed: int
    keep: float
    own_draws: bool
    format: str = FORMAT
    mjsim: str = mjsim.__version__

    def grid(self) -> Grid:
        return make_grid(make_rules(self.rules, **self.options), self.vary)

    def parts(self) -> dict[str, Part]:
        """One for each table of agents."""
        block = max(1, BLOCK_HANDS // len(self.grid().cells))
        return {part_of(number): Part(self.walls, block) for number in range(len(self.tables))}


def part_of(table: int) -> str:
    return f"table-{table}"


@dataclass
class RulesResult:
    """What a study has counted.

    Attributes:
        plan, grid: what was asked for.
        sums: for each table of agents over walls of the counters of the cells, [cell, counter] flattened.
        seconds: of this run; walls_before: walls, of all tables, that an earlier run of the same folder had finished.
    """

    plan: Plan
    grid: Grid
    sums: list[Sums]
    seconds: float = 0.0
    walls_before: int = 0

    @property
    def was_finished(self) -> bool:
        """Whether the folder held the finished run already, so that nothing was played."""
        return self.walls_before == self.plan.walls * len(self.plan.tables)

    @property
    def hands(self) -> int:
        """Hands of all tables."""
        return self.plan.walls * len(self.plan.tables) * len(self.grid.cells)


class Player:
    """Plays walls under all rules of a grid in this process, with four agents."""

    def __init__(self, cells: Sequence[Rules], agents: Sequence[Any], seed: int, keep: float, own_draws: bool) -> None:
        self.agents = registry.make_four(list(agents))
        self.calls = Calls()
        self.hands = np.zeros(1, HAND)
        self._rules = list(cells)
        self._cells = records_of(self._rules)
        # One cap for all, so that every cell has the same streak: the longest that all of them play.
        self._streak_below = streak_thresholds(keep, min(cell.flags["streak_cap"] for cell in cells))
        self._seed, self._own_draws = seed, int(own_draws)
        self._engine = np.array([engine.apply.address, engine.lay.address])
        self._policies = np.array([*(a.address for a in self.agents), *(a.end_address for a in self.agents)])
        self._parameters = np.array([agent.parameters_address for agent in self.agents])
        self._log = np.zeros(1, DECISION)

    def play(self, first: int, n: int) -> np.ndarray:
        """Counters of walls first..first + n - 1: int32[n, cells, N_COUNTERS]."""
        out = np.zeros((n, len(self._cells), N_COUNTERS), np.int32)
        wall, seat = play_cells(
            self.hands, self._cells, self._engine, self._policies, self._parameters,
            self._seed, first, self._streak_below, self._own_draws, self._log, out,
        )  # fmt: skip
        if seat >= 0:
            agent = self.agents[seat]
            raise agent.complaint(f"agent {agent.name!r} chose an illegal action at seat {seat} of wall {wall}")
        refuse_faults(self.agents)
        return out


_players: dict[tuple[str, str], Player] = {}


def play_block(plan: Plan, part: str, first: int, n: int) -> Sums:
    """Sums of a block of a part; a process keeps the player of the part that it is at."""
    key = (repr(plan), part)
    if key not in _players:
        _players.clear()
        agents = plan.tables[int(part.rpartition("-")[2])]
        _players[key] = Player(plan.grid().cells, agents, plan.seed, plan.keep, plan.own_draws)
    player = _players[key]
    return player.calls.sums(player.play, first, n)


def _four(agents: str | Sequence[str]) -> tuple[str, ...]:
    return tuple(agent.name for agent in registry.make_four(agents))


def make_plan(
    rules: str | Rules = "douque-american",
    vary: Vary | None = None,
    agents: str | Sequence[str] = DEFAULT_AGENTS,
    compare: str | Sequence[str] | None = None,
    walls: int = DEFAULT_WALLS,
    seed: int = 0,
    keep: float = DEFAULT_KEEP,
    own_draws: bool = True,
) -> Plan:
    """Check what is asked for; UsageError names what is wrong."""
    grid = make_grid(rules, vary)
    tables = [_four(agents)]
    if compare is None:
        compare = DEFAULT_COMPARE if tables[0] != _four(DEFAULT_COMPARE) else NOBODY
    if compare != NOBODY:
        tables.append(_four(compare))
        if tables[0] == tables[1]:
            raise UsageError(f"compare: {compare!r} is the same table of agents as agents")
    return Plan(
        grid.rules.name,
        grid.rules.options,
        grid.rules.fingerprint,
        {factor.name: factor.values for factor in grid.factors},
        tuple(tables),
        whole("walls", walls, 2, 10**10),
        whole("seed", seed, 0, 2**62),
        chance("keep", keep),
        bool(own_draws),
    )


def run(
    rules: str | Rules = "douque-american",
    vary: Vary | None = None,
    agents: str | Sequence[str] = DEFAULT_AGENTS,
    compare: str | Sequence[str] | None = None,
    walls: int = DEFAULT_WALLS,
    seed: int = 0,
    workers: int | str | None = None,
    out: str | Path | None = None,
    keep: float = DEFAULT_KEEP,
    own_draws: bool = True,
    progress: Progress | None = None,
) -> RulesResult:
    """Play `walls` walls under every combination of the varied options and count.

    Args:
        rules: what the grid is laid around; its own values are what the others are compared with.
        vary: texts such as "min_tai=0,3", or a mapping from option to values; by default minimum (0, 2, 3, 5), exchange
            and dice bonus.
        agents: one text for all seats, or four (a list, or text with commas).
        compare: other agents to play the same walls; by default "greedy", "none" leaves them out.
        walls: 2 or more; each is one hand for every combination and table of agents.
        seed: of all luck.
        workers: processes, by default one for each core, or "ray"; the result is the same for any number.
        out: folder that keeps the finished part, so that the same call goes on after a stop. A finished folder is read,
            not played again; a folder of other parameters is refused.
        keep: chance that the dealer keeps the deal, which shapes the streaks drawn.
        own_draws: each seat draws from tiles of its own, so that a claim under one rule does not shift all draws after it.
        progress: called as progress(walls done, walls), over all tables of agents.

    Raises UsageError for a wrong argument or another's folder, MjsimError when a worker or an agent fails, and passes
    KeyboardInterrupt on after keeping what is finished.
    """
    plan = make_plan(rules, vary, agents, compare, walls, seed, keep, own_draws)
    played = play_parts(play_block, plan, plan.parts(), workers, out, progress)
    sums = [played.sums[part_of(number)] for number in range(len(plan.tables))]
    return RulesResult(plan, plan.grid(), sums, played.seconds, played.before)


__all__ = ["DEFAULT_WALLS", "Factor", "Grid", "Plan", "RulesResult", "make_grid", "make_plan", "run"]
