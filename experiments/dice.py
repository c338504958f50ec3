"""`mjsim study dice`: what the dice bonus is worth, the same hands played once under each of its five patterns.

Owns what is played: the plan, the standing, a block of walls. What is counted in a hand is in `dice_kernels`, the work over
processes and the folder in `walls`, measures in `dice_measures`, tables and page in `dice_report`.

The unit of statistics is the wall. Dealer, East, streak and prevailing wind are drawn with it and kept while the hand is
played under each pattern, so that only the judged pattern differs. The second part plays walls with an agent in all seats
that see the bonus, and again with one of them blind to it: what knowing the bonus is worth to that agent.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import mjsim
from mjsim.agents import registry
from mjsim.errors import UsageError
from mjsim.experiments.blind import Blind
from mjsim.experiments.dice_kernels import (
    DICE,
    N_ADAPT,
    N_BONUS,
    N_COUNTERS,
    N_PATTERNS,
    PATTERNS,
    play_blind,
    play_walls,
    standings,
)
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
from mjsim.ruleset import Rules
from mjsim.ruleset import rules as make_rules
from mjsim.ruleset.presets import PRESETS

#: About 40 seconds on two cores with `greedy`.
DEFAULT_WALLS = 300_000
#: Agents that are played seeing and blind, and walls of each: about a minute on two cores with `heuristic`.
DEFAULT_ADAPT = ("greedy", "heuristic")
DEFAULT_ADAPT_WALLS = 8_000
NOBODY = "none"

#: Walls of one piece of work, whatever the number of workers.
BLOCK = 1024
ADAPT_BLOCK = 64
#: Hands of a wall with blind seats.
ADAPT_HANDS = N_PATTERNS + 4 * N_BONUS  # those that go the same blind are not played twice

FORMAT = "mjsim-study-dice/2"
MAIN = "walls"


@dataclass(frozen=True)
class Plan:
    """Everything that the result depends on; `format` and `mjsim` so that a folder of another version is not gone on with."""

    rules: str
    options: dict[str, Any]
    fingerprint: str
    agents: tuple[str, ...]
    walls: int
    seed: int
    keep: float
    adapt: tuple[str, ...] = ()
    adapt_walls: int = 0
    format: str = FORMAT
    mjsim: str = mjsim.__version__

    def make_rules(self) -> Rules:
        return make_rules(self.rules, **self.options)

    def parts(self) -> dict[str, Part]:
        """The main part, and one for each agent that is played seeing and blind."""
        return {
            MAIN: Part(self.walls, BLOCK),
            **{adapt_part(number): Part(self.adapt_walls, ADAPT_BLOCK) for number in range(len(self.adapt))},
        }


def adapt_part(number: int) -> str:
    return f"blind-{number}"


@dataclass
class DiceResult:
    """What a study has counted.

    Attributes:
        rules, agents (four texts, by seat), walls, seed, keep: what was asked for.
        sums: over walls of the counters of the five patterns, [pattern, counter] flattened.
        adapt: by agent the sums over its `adapt_walls` walls of N_ADAPT counters (`dice_kernels`).
        seconds: of this run; walls_before: walls, of all parts, that an earlier run of the same folder had finished.
        version: of mjsim.
    """

    rules: Rules
    agents: tuple[str, ...]
    walls: int
    seed: int
    keep: float
    sums: Sums
    seconds: float = 0.0
    walls_before: int = 0
    adapt: dict[str, Sums] = field(default_factory=dict)
    adapt_walls: int = 0
    version: str = field(default_factory=lambda: mjsim.__version__)

    @property
    def was_finished(self) -> bool:
        """Whether the folder held the finished run already, so that nothing was played."""
        return self.walls_before == self.walls + len(self.adapt) * self.adapt_walls

    @property
    def hands(self) -> int:
        """Hands of all parts."""
        return self.walls * N_PATTERNS + len(self.adapt) * self.adapt_walls * ADAPT_HANDS


def plan_of(result: DiceResult) -> dict[str, Any]:
    """The plan of a result as plain data."""
    rules = result.rules
    plan = Plan(
        rules.name, rules.options, rules.fingerprint, result.agents, result.walls, result.seed, result.keep,
        tuple(result.adapt), result.adapt_walls, mjsim=result.version,
    )  # fmt: skip
    return {"format": FORMAT, **json.loads(json.dumps(asdict(plan)))}


class Player:
    """Plays walls of the main part in this process."""

    def __init__(self, rules: Rules, agents: Sequence[str], seed: int, keep: float) -> None:
        self.rules = rules.ready()
        self.agents = registry.make_four(list(agents))
        self.seed = seed
        self.streak_below = streak_thresholds(keep, rules.flags["streak_cap"])
        self.calls = Calls()
        self._engine = np.array([engine.apply.address, engine.lay.address])
        self._policies, self._parameters = _addresses(self.agents)
        self._hands = np.zeros(1, HAND)
        self._log = np.zeros(1, DECISION)

    def play(self, first: int, n: int) -> np.ndarray:
        """Counters of walls first..first + n - 1: int32[n, 5, N_COUNTERS]."""
        out = np.zeros((n, N_PATTERNS, N_COUNTERS), np.int32)
        wall, seat = play_walls(
            self._hands, self.rules.array, self._engine, self._policies, self._parameters,
            self.seed, first, DICE, self.streak_below, self._log, out,
        )  # fmt: skip
        self._check(wall, seat)
        return out

    def standings(self, first: int, n: int) -> np.ndarray:
        """int16[n, 4]: dealer, east, prevailing wind and streak drawn with walls first..first + n - 1."""
        out = np.zeros((n, 4), np.int16)
        standings(self._hands, self.rules.array, self._engine[1], self.seed, first, self.streak_below, out)
        return out

    def _check(self, wall: int, seat: int) -> None:
        if seat >= 0:
            agent = self.agents[seat]
            raise agent.complaint(f"agent {agent.name!r} chose an illegal action at seat {seat} of wall {wall}")
        refuse_faults(self.agents)


class BlindPlayer(Player):
    """Plays walls with an agent in all seats, one after the other blind."""

    def __init__(self, rules: Rules, agent: str | registry.Agent, seed: int, keep: float) -> None:
        super().__init__(rules, [agent] * 4, seed, keep)
        self._blind = [Blind(agent) for agent in self.agents]
        self._blind_policies, self._blind_parameters = _addresses(self._blind)
        self.own_draws = 1

    def play(self, first: int, n: int) -> np.ndarray:
        """Counters of walls first..first + n - 1: int32[n, N_ADAPT]."""
        out = np.zeros((n, N_ADAPT), np.int32)
        wall, seat = play_blind(
            self._hands, self.rules.array, self._engine, self._policies, self._parameters, self._blind_policies,
            self._blind_parameters, self.seed, first, DICE, self.streak_below, self.own_draws, self._log, out,
        )  # fmt: skip
        self._check(wall, seat)
        return out


def _addresses(agents: Sequence[registry.Agent]) -> tuple[np.ndarray, np.ndarray]:
    """Addresses of policies (int64[8], see `mjsim.play.tell_end`) and of parameters (int64[4])."""
    policies = [*(a.address for a in agents), *(a.end_address for a in agents)]
    return np.array(policies), np.array([a.parameters_address for a in agents])


_players: dict[tuple[str, str], Player] = {}


def play_block(plan: Plan, part: str, first: int, n: int) -> Sums:
    """Sums of a block of a part; a process keeps the player of the part that it is at."""
    key = (repr(plan), part)
    if key not in _players:
        _players.clear()
        rules = plan.make_rules()
        if part == MAIN:
            _players[key] = Player(rules, plan.agents, plan.seed, plan.keep)
        else:
            _players[key] = BlindPlayer(rules, plan.adapt[int(part.rpartition("-")[2])], plan.seed, plan.keep)
    player = _players[key]
    return player.calls.sums(player.play, first, n)


def check_rules(rules: str | Rules) -> Rules:
    """The rules, refused where there is no dice bonus to study."""
    rules = make_rules(rules)
    if "dice_bonus" not in rules.preset.flow_items:
        having = ", ".join(
            name if preset.flags["dice_bonus"] else f"{name} with dice_bonus=on"
            for name, preset in PRESETS.items()
            if "dice_bonus" in preset.flow_items
        )
        raise UsageError(f"rules: {rules.name} has no dice bonus to study; these have: {having}")
    if not rules.flags["dice_bonus"]:
        raise UsageError(f"option dice_bonus: off in {rules.name}, but the dice study needs it on")
    return rules


def _check_adapt(adapt: str | Sequence[str]) -> tuple[str, ...]:
    listed = [text.strip() for text in (adapt.split(",") if isinstance(adapt, str) else adapt)]
    if listed == [NOBODY]:
        return ()
    if len(set(listed)) < len(listed):
        raise UsageError(f"adapt: {','.join(listed)!r} names an agent twice")
    return tuple(registry.make(text).name for text in listed)


def make_plan(
    rules: str | Rules = "douque-american",
    agents: str | Sequence[str] = "greedy",
    walls: int = DEFAULT_WALLS,
    seed: int = 0,
    keep: float = DEFAULT_KEEP,
    adapt: str | Sequence[str] = DEFAULT_ADAPT,
    adapt_walls: int | None = None,
) -> Plan:
    """Check what is asked for; UsageError names what is wrong."""
    checked = check_rules(rules)
    walls = whole("walls", walls, 2, 10**10)
    adapting = _check_adapt(adapt)
    if adapt_walls is None:
        adapt_walls = min(walls, DEFAULT_ADAPT_WALLS)
    return Plan(
        checked.name,
        checked.options,
        checked.fingerprint,
        tuple(agent.name for agent in registry.make_four(agents)),
        walls,
        whole("seed", seed, 0, 2**62),
        chance("keep", keep),
        adapting,
        whole("adapt_walls", adapt_walls, 2, 10**10) if adapting else 0,
    )


def run(
    rules: str | Rules = "douque-american",
    agents: str | Sequence[str] = "greedy",
    walls: int = DEFAULT_WALLS,
    seed: int = 0,
    workers: int | str | None = None,
    out: str | Path | None = None,
    keep: float = DEFAULT_KEEP,
    progress: Progress | None = None,
    adapt: str | Sequence[str] = DEFAULT_ADAPT,
    adapt_walls: int | None = None,
) -> DiceResult:
    """Play `walls` walls under the five patterns and count; then who gains by knowing the bonus.

    Args:
        rules: with the dice bonus on; any minimum, with or without the exchange.
        agents: one text for all seats, or four (a list, or text with commas).
        walls: 2 or more; each is five hands.
        seed: of all luck; walls, standing and results depend on nothing else.
        workers: processes, by default one for each core, or "ray"; the result is the same for any number.
        out: folder that keeps the finished part, so that the same call goes on after a stop. A finished folder is read,
            not played again; a folder of other parameters is refused.
        keep: chance that the dealer keeps the deal, which shapes the streaks drawn.
        progress: called as progress(walls done, walls), over all parts.
        adapt: agents (texts) to play seeing and blind; empty, or "none", leaves that part out.
        adapt_walls: walls of each of these, 21 hands each; by default 8,000, but no more than `walls`.

    Raises UsageError for a wrong argument or another's folder, MjsimError when a worker or an agent fails, and passes
    KeyboardInterrupt on after keeping what is finished.
    """
    plan = make_plan(rules, agents, walls, seed, keep, adapt, adapt_walls)
    played = play_parts(play_block, plan, plan.parts(), workers, out, progress)
    return DiceResult(
        plan.make_rules(),
        plan.agents,
        plan.walls,
        plan.seed,
        plan.keep,
        played.sums[MAIN],
        played.seconds,
        played.before,
        {agent: played.sums[adapt_part(number)] for number, agent in enumerate(plan.adapt)},
        plan.adapt_walls,
    )


__all__ = [
    "BLOCK",
    "DEFAULT_KEEP",
    "DEFAULT_WALLS",
    "PATTERNS",
    "DiceResult",
    "Plan",
    "check_rules",
    "make_plan",
    "run",
    "streak_thresholds",
]
