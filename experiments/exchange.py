"""`mjsim study exchange`: what strategies of the Three-Tile Exchange are worth, and the dealer's decision.

Owns what is played: the plan, its parts, a block of walls. What is counted on a wall is in `exchange_kernels`, the work over
processes and the folder in `walls`, measures in `exchange_measures`, tables and page in `exchange_report`.

The unit of statistics is the wall. Everything compared on a wall has the same tiles, pairings, dice, standing and streams: it
differs by what is given and decided alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import mjsim
from mjsim.agents import exchange as strategies_of
from mjsim.agents import registry
from mjsim.agents.exchange import DEFAULT_FIELD, DEFAULT_ROLLOUTS, WORLDS
from mjsim.errors import UsageError
from mjsim.experiments.exchange_kernels import (
    N_CELL,
    N_DECISION,
    N_FIELD,
    play_decisions,
    play_deviations,
    play_field,
)
from mjsim.experiments.stats import Sums
from mjsim.experiments.walls import (
    DEFAULT_KEEP,
    Calls,
    Part,
    Progress,
    play_parts,
    refuse_faults,
    streak_thresholds,
    whole,
)
from mjsim.flow import engine
from mjsim.hand_record import HAND
from mjsim.ruleset import Rules
from mjsim.ruleset import rules as make_rules
from mjsim.ruleset.presets import PRESETS

#: The ways to give that the default run compares.
DEFAULT_STRATEGIES = (
    "shanten", "shanten+ukeire", "suit", "honors", "terminals", "pungs", "random", "heuristic",
)  # fmt: skip
DEFAULT_DEALER = strategies_of.DEFAULT_DEALER
DEFAULT_PLAY = "greedy"
#: Walls of the matrix, 232 hands each with eight strategies.
DEFAULT_WALLS = 5000
#: Walls of the dealer's decision, two hands each, for each wall of the matrix.
DEALER_TIMES = 16
#: Walls on which the search plays: about a minute on two cores, its decision included.
DEFAULT_SEARCH_WALLS = 150
#: Walls of the searched decision, for each wall of the searched gifts.
DECISION_TIMES = 8
MAX_STRATEGIES = 16
#: Shanten from which the compared rules of the dealer exchange again; the last never does.
THRESHOLDS = (-1, 0, 1, 2, 3, 4, 5, 6, 99)

#: Hands that are played out on a wall for each world of a choice: eight sets of three are compared, in four seats and two
#: exchanges; of the dealer's decision both ways.
GIFT_HANDS, DECISION_HANDS = 8 * 4 * 2, 2
#: What it costs to play a world out, of a hand of the matrix (measured).
WORLD_COST = 0.8
#: Walls of one piece of work, whatever the number of workers.
MATRIX_BLOCK, FIELD_BLOCK, SEARCH_BLOCK, DECISION_BLOCK = 16, 1024, 2, 16
AA, MATRIX, SEARCH, DECISIONS = "aa", "matrix", "search", "decisions"
FORMAT = "mjsim-study-exchange/2"


@dataclass(frozen=True)
class Plan:
    """Everything that the result depends on; `format` and `mjsim` so that a folder of another version is not gone on with."""

    rules: str
    options: dict[str, Any]
    fingerprint: str
    strategies: tuple[str, ...]
    field: str
    dealer: str
    play: str
    walls: int
    dealer_walls: int
    search_walls: int
    rollouts: int
    seed: int
    format: str = FORMAT
    mjsim: str = mjsim.__version__

    def make_rules(self) -> Rules:
        return make_rules(self.rules, **self.options)

    @property
    def field_number(self) -> int:
        return self.strategies.index(self.field)

    @property
    def aa_walls(self) -> int:
        return min(self.walls, max(20, self.walls // 100))

    @property
    def decision_walls(self) -> int:
        return self.search_walls * DECISION_TIMES

    @property
    def rows_against_field(self) -> tuple[str, ...]:
        """Who deviates in the part of the search."""
        return (*self.strategies, strategies_of.SEARCH)

    @property
    def worlds(self) -> int:
        """Worlds that each set of three, or each way of a decision, is played out in, on average."""
        return WORLDS * self.rollouts

    def searcher(self, gifts: bool) -> str:
        """The agent that searches gifts, else the dealer's decision."""
        return strategies_of.searcher(gifts, self.rollouts, self.field)

    def parts(self) -> dict[str, Part]:
        """The A/A check, the matrix, a field of four for each strategy, and what is searched; weighed by hands."""
        k = len(self.strategies)
        parts = {
            AA: Part(self.aa_walls, MATRIX_BLOCK, 5 * k),
            MATRIX: Part(self.walls, MATRIX_BLOCK, k + 4 * k * (k - 1)),
        }
        for number in range(k):
            walls = self.dealer_walls if number == self.field_number else self.walls
            parts[field_part(number)] = Part(walls, FIELD_BLOCK, 2)
        if self.search_walls:
            parts[DECISIONS] = Part(
                self.decision_walls, DECISION_BLOCK, 2 + int(WORLD_COST * DECISION_HANDS * self.worlds)
            )
            parts[SEARCH] = Part(
                self.search_walls, SEARCH_BLOCK, 1 + 4 * k + int(WORLD_COST * GIFT_HANDS * self.worlds)
            )
        return parts

    def hands(self) -> int:
        """Hands of all parts, those that a search plays out apart."""
        k = len(self.strategies)
        total = self.aa_walls * 5 * k + self.walls * (k + 4 * k * (k - 1)) + 2 * self.dealer_walls
        total += 2 * self.walls * (k - 1)
        return total + self.search_walls * (1 + 4 * k) + 2 * self.decision_walls


def field_part(number: int) -> str:
    return f"field-{number}"


@dataclass
class ExchangeResult:
    """What a study has counted.

    Attributes:
        plan: what was asked for.
        sums: over the walls of each part, of the counters of `exchange_kernels`, flattened.
        seconds: of this run; walls_before: walls, of all parts, that an earlier run of the same folder had finished.
    """

    plan: Plan
    sums: dict[str, Sums]
    seconds: float = 0.0
    walls_before: int = 0

    @property
    def was_finished(self) -> bool:
        """Whether the folder held the finished run already, so that nothing was played."""
        return self.walls_before == sum(part.walls for part in self.plan.parts().values())


class Player:
    """Plays walls of a plan in this process."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.rules = plan.make_rules().ready()
        self.calls: dict[str, Calls] = {}  # by part: its walls cost alike
        self._engine = np.array([engine.apply.address, engine.lay.address])
        self._streak_below = streak_thresholds(DEFAULT_KEEP, self.rules.flags["streak_cap"])
        self._hands = np.zeros(2, HAND)
        self._agents = [strategies_of.make(way, plan.dealer, plan.play) for way in plan.strategies]

    def _check(self, wall: int, who: int, agents: Sequence[registry.Agent]) -> None:
        """Raise what is wrong: with agent `who` of a wall, or (-1) with one that failed at an end or was played on for."""
        if who >= 0:
            name = self.plan.rows_against_field[who]
            raise agents[who].complaint(f"strategy {name!r} chose an illegal action on wall {wall}")
        refuse_faults(agents)

    def matrix(self, first: int, n: int) -> np.ndarray:
        """int32[n, column, row, N_CELL] of walls first..first + n - 1."""
        every = np.arange(len(self._agents))
        return self._deviations(self._agents, every, every, False, first, n)

    def to_itself(self, first: int, n: int) -> np.ndarray:
        """int32[n, column, row, N_CELL]: each strategy deviating to itself, chosen anew in every hand."""
        every = np.arange(len(self._agents))
        return self._deviations(self._agents, every, every, True, first, n)

    def against_field(self, first: int, n: int) -> np.ndarray:
        """int32[n, 1, row, N_CELL]: every strategy and the search against the field."""
        agents = [*self._agents, self._searching_giver]
        columns = np.array([self.plan.field_number])
        return self._deviations(agents, np.arange(len(agents)), columns, False, first, n)

    @cached_property
    def _searching_giver(self) -> registry.Agent:
        plan = self.plan
        return strategies_of.make(
            strategies_of.SEARCH, plan.dealer, plan.play, rollouts=plan.rollouts, field=plan.field
        )

    @cached_property
    def _searching_dealer(self) -> registry.Agent:
        return registry.make(self.plan.searcher(False))

    def _deviations(
        self,
        agents: Sequence[registry.Agent],
        rows: np.ndarray,
        columns: np.ndarray,
        to_itself: bool,
        first: int,
        n: int,
    ) -> np.ndarray:
        policies, parameters = _addresses(agents)
        out = np.zeros((n, len(columns), len(rows), N_CELL), np.int32)
        wall, who = play_deviations(
            self._hands, self.rules.array, self._engine, policies, parameters, rows, columns, to_itself, not to_itself,
            self.plan.seed, first, self._streak_below, out,
        )  # fmt: skip
        self._check(wall, who, agents)
        return out

    def field(self, number: int, first: int, n: int) -> np.ndarray:
        """int32[n, N_FIELD]: four seats of one strategy."""
        out = np.zeros((n, N_FIELD), np.int32)
        wall, seat = play_field(
            self._hands, self.rules.array, self._engine, *_addresses(self._agents), number, self.plan.seed, first,
            self._streak_below, out,
        )  # fmt: skip
        self._check(wall, number if seat >= 0 else -1, self._agents)
        return out

    def decisions(self, first: int, n: int) -> np.ndarray:
        """int32[n, rule, N_DECISION]: the dealer's decision by THRESHOLDS, and searched, in the field."""
        decider = self._searching_dealer
        number = self.plan.field_number
        out = np.zeros((n, len(THRESHOLDS) + 1, N_DECISION), np.int32)
        wall, seat = play_decisions(
            self._hands, self.rules.array, self._engine, *_addresses(self._agents), number, decider.address,
            decider.parameters_address, np.array(THRESHOLDS), self.plan.seed, first,
            self._streak_below, out,
        )  # fmt: skip
        self._check(wall, number if seat >= 0 else -1, self._agents)
        return out

    def play(self, part: str, first: int, n: int) -> np.ndarray:
        """The counters of walls first..first + n - 1 of a part."""
        if part == AA:
            return self.to_itself(first, n)
        if part == MATRIX:
            return self.matrix(first, n)
        if part == SEARCH:
            return self.against_field(first, n)
        if part == DECISIONS:
            return self.decisions(first, n)
        return self.field(int(part.rpartition("-")[2]), first, n)


def _addresses(agents: Sequence[registry.Agent]) -> tuple[np.ndarray, np.ndarray]:
    """int64[2, n] addresses of policies and of who is told of the end of a hand, int64[n] of parameters."""
    policies = np.array([[a.address for a in agents], [a.end_address for a in agents]], np.int64)
    return policies, np.array([a.parameters_address for a in agents])


_players: dict[tuple[str, str], Player] = {}


def play_block(plan: Plan, part: str, first: int, n: int) -> Sums:
    """Sums of a block of a part; a process keeps the player of the part that it is at."""
    key = (repr(plan), part)
    if key not in _players:
        _players.clear()
        _players[key] = Player(plan)
    player = _players[key]
    calls = player.calls.setdefault(part, Calls())
    return calls.sums(lambda at, count: player.play(part, at, count), first, n)


# ---- what is asked for -------------------------------------------------------------------------------------------------


def check_rules(rules: str | Rules) -> Rules:
    """The rules, refused where there is no exchange to study."""
    rules = make_rules(rules)
    if not rules.flags["exchange"]:
        having = ", ".join(name for name, preset in PRESETS.items() if preset.flags["exchange"])
        raise UsageError(
            f"rules: {rules.name} has no exchange to study; these have: {having}, and any other with exchange=on"
        )
    return rules


def _check_strategies(strategies: str | Sequence[str]) -> tuple[str, ...]:
    given = strategies.split(",") if isinstance(strategies, str) else list(strategies)
    listed = [strategies_of.check_way(way) for way in given]
    if strategies_of.SEARCH in listed:
        raise UsageError("strategies: 'search' has a part of its own (search_walls); the matrix is for the others")
    for way in listed:
        if listed.count(way) > 1:
            raise UsageError(f"strategies: {way!r} stands twice")
    if not 2 <= len(listed) <= MAX_STRATEGIES:
        raise UsageError(f"strategies: {len(listed)} of them; 2-{MAX_STRATEGIES} can be compared")
    return tuple(listed)


def make_plan(
    rules: str | Rules = "douque-american",
    strategies: str | Sequence[str] = DEFAULT_STRATEGIES,
    walls: int = DEFAULT_WALLS,
    seed: int = 0,
    *,
    field: str | None = None,
    dealer: str = DEFAULT_DEALER,
    play: str = DEFAULT_PLAY,
    dealer_walls: int | None = None,
    search_walls: int | None = None,
    rollouts: int = DEFAULT_ROLLOUTS,
) -> Plan:
    """Check what is asked for; UsageError names what is wrong."""
    checked = check_rules(rules)
    listed = _check_strategies(strategies)
    if field is None:
        field = DEFAULT_FIELD if DEFAULT_FIELD in listed else listed[0]
    field = strategies_of.check_way(field)
    if field not in listed:
        raise UsageError(f"field: {field!r} is none of the strategies ({', '.join(listed)})")
    dealer = strategies_of.check_dealer(dealer)
    if dealer == strategies_of.SEARCH:
        raise UsageError("dealer: 'search' has a part of its own (search_walls); the matrix needs a quick decision")
    walls = whole("walls", walls, 2, 10**9)
    return Plan(
        checked.name,
        checked.options,
        checked.fingerprint,
        listed,
        field,
        dealer,
        registry.make(play).name,
        walls,
        whole("dealer_walls", dealer_walls if dealer_walls is not None else DEALER_TIMES * walls, 2, 10**10),
        whole("search_walls", search_walls if search_walls is not None else min(walls, DEFAULT_SEARCH_WALLS), 0, 10**9),
        whole("rollouts", rollouts, 1, 10**6),
        whole("seed", seed, 0, 2**62),
    )


def run(
    rules: str | Rules = "douque-american",
    strategies: str | Sequence[str] = DEFAULT_STRATEGIES,
    walls: int = DEFAULT_WALLS,
    seed: int = 0,
    *,
    workers: int | str | None = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> ExchangeResult:
    """Play the strategies against each other, the dealer's decision both ways, and the search on fewer walls.

    Args:
        rules: with the exchange on.
        strategies: ways to give (docs/exchange-study.md), a list or text with commas.
        walls: of the matrix, 2 or more; k strategies play k + 4 k (k - 1) hands on each.
        seed: of all luck.
        workers: processes, by default one for each core, or "ray"; the result is the same for any number.
        out: folder that keeps the finished part, so that the same call goes on after a stop; another's is refused.
        progress: called as progress(hands done, hands), over all parts.
        options: field (the strategy that one seat deviates from, and whose dealer decides), dealer ("start", "exchange",
            "shanten>=K": of all strategies in the matrix), play (the agent that plays on), dealer_walls (of the decision,
            two hands each; 16 for each wall by default), search_walls (0 leaves the search out), rollouts (of the agent
            `search`, which plays each choice out in WORLDS times as many worlds).

    Raises UsageError for a wrong argument or another's folder, MjsimError when a worker or an agent fails, and passes
    KeyboardInterrupt on after keeping what is finished.
    """
    plan = make_plan(rules, strategies, walls, seed, **options)
    played = play_parts(play_block, plan, plan.parts(), workers, out, progress)
    return ExchangeResult(plan, played.sums, played.seconds, played.before)


__all__ = [
    "DEFAULT_DEALER",
    "DEFAULT_PLAY",
    "DEFAULT_STRATEGIES",
    "DEFAULT_WALLS",
    "ExchangeResult",
    "Plan",
    "check_rules",
    "make_plan",
    "run",
]
