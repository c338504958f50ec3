"""`mjsim study choices`: what an agent would choose otherwise than another, at the decisions of the other's hands.

Owns what is played and asked: B plays hands in all four seats, A is asked at the same decisions. What is counted in a hand is in
`choices_kernels`, the work over processes and the folder in `walls`, shares in `choices_measures`, tables and page in
`choices_report`.

The unit of statistics is the hand: its decisions hang together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import mjsim
from mjsim.actions import GIVE, N_ACTIONS
from mjsim.agents import registry
from mjsim.experiments.choices_kernels import N_COUNTERS, begin_hand, play_hands, review, write_questions
from mjsim.experiments.stats import Sums
from mjsim.experiments.walls import (
    DEFAULT_KEEP,
    Pace,
    Part,
    Progress,
    play_parts,
    refuse_faults,
    streak_thresholds,
    whole,
)
from mjsim.flow import engine
from mjsim.hand_record import HAND
from mjsim.lockstep import Lockstep, answers_of, in_batches
from mjsim.lockstep_kernels import GO_ON, move_hands
from mjsim.observe import N_ROWS, legal_mask, observe
from mjsim.play import DECISION, MAX_DECISIONS
from mjsim.ruleset import Rules
from mjsim.ruleset import rules as make_rules

#: Some seconds with compiled agents, some minutes with a network.
DEFAULT_HANDS = 5_000
#: Hands of one piece of work, but no more than an agent's own `piece`.
BLOCK = 256
#: Hands that are logged at once, and questions that go into one call of an agent that answers in batches.
AT_ONCE, BATCH = 64, 512

FORMAT = "mjsim-study-choices/1"


@dataclass(frozen=True)
class Plan:
    """Everything that the result depends on; `format` and `mjsim` so that a folder of another version is not gone on with.

    Attributes:
        a: the agent that is asked. b: the agent that plays, in all four seats.
        block: hands of a piece of work.
    """

    rules: str
    options: dict[str, Any]
    fingerprint: str
    a: str
    b: str
    hands: int
    seed: int
    block: int
    format: str = FORMAT
    mjsim: str = mjsim.__version__

    def make_rules(self) -> Rules:
        return make_rules(self.rules, **self.options)

    def parts(self) -> dict[str, Part]:
        return {"hands": Part(self.hands, self.block)}


@dataclass
class ChoicesResult:
    """What a study has counted.

    Attributes:
        plan: what was asked for.
        sums: over hands of `choices_kernels.COUNTERS`.
        seconds: of this run; hands_before: hands that an earlier run of the same folder had finished.
    """

    plan: Plan
    sums: Sums
    seconds: float = 0.0
    hands_before: int = 0

    @property
    def was_finished(self) -> bool:
        """Whether the folder held the finished run already, so that nothing was played."""
        return self.hands_before == self.plan.hands


def _addresses(agent: Any) -> tuple[np.ndarray, np.ndarray]:
    """int64[8] policies and ends, int64[4] parameters, of one agent in all seats; zeros for one that answers in batches."""
    if in_batches(agent):
        return np.zeros(8, np.int64), np.zeros(4, np.int64)
    policies = np.array([agent.address] * 4 + [agent.end_address] * 4, np.int64)
    return policies, np.full(4, agent.parameters_address, np.int64)


class Player:
    """Plays hands of B in this process and asks A.

    Attributes:
        hands: HAND[2]; after `play` hands[0] is the last hand at its end.
        logs: DECISION[AT_ONCE, MAX_DECISIONS] of the hands played last.
    """

    def __init__(self, rules: Rules, a: Any, b: Any, seed: int) -> None:
        self.rules = rules.ready()
        self.a, self.b = registry.make(a), registry.make(b)
        for agent in (self.a, self.b):
            agent.check_rules(self.rules)
        self.seed = seed
        self._playing, self._asking = Pace(), Pace()
        self.hands = np.zeros(2, HAND)
        self.logs = np.zeros((AT_ONCE, MAX_DECISIONS), DECISION)
        self._streak_below = streak_thresholds(DEFAULT_KEEP, self.rules.flags["streak_cap"])
        self._engine = np.array(
            [engine.apply.address, engine.lay.address, observe.address, legal_mask.address], np.int64
        )
        self._lockstep: Lockstep | None = None
        if in_batches(self.b):
            self._lockstep = Lockstep(self.rules, [self.b], AT_ONCE, self.logs)

    def play(self, first: int, n: int) -> np.ndarray:
        """Counters of walls first..first + n - 1: int32[n, N_COUNTERS]."""
        out = np.zeros((n, N_COUNTERS), np.int32)
        for done in range(0, n, AT_ONCE):
            k = min(AT_ONCE, n - done)
            lengths = np.zeros(k, np.int64)
            self._play(first + done, lengths)
            self._ask(first + done, lengths, out[done : done + k])
        refuse_faults((self.a, self.b))
        return out

    def _play(self, first: int, lengths: np.ndarray) -> None:
        """Let B play hands into `logs`; fills int64[n] `lengths` with their decisions."""
        if self._lockstep is not None:
            self._lockstep.play(_SideBySide(self, first, lengths))
            return
        policies, parameters = _addresses(self.b)

        for at, k in self._playing.parts(len(lengths)):
            wall, seat = play_hands(
                self.hands, self.rules.array, self._engine, policies, parameters, self.seed, first + at,
                self._streak_below, self.logs[at:], lengths[at : at + k],
            )  # fmt: skip
            if seat >= 0:
                raise self.b.complaint(f"agent {self.b.name!r} chose an illegal action at seat {seat} of wall {wall}")

    def _ask(self, first: int, lengths: np.ndarray, out: np.ndarray) -> None:
        """Ask A at the decisions of the logged hands, and count."""
        policies, parameters = _addresses(self.a)
        batched = not policies[0]
        answers, gifts = (
            self._answers(first, lengths) if batched else (np.zeros(0, np.int64), np.zeros((0, 3), np.int64))
        )

        def ask(at: int, k: int) -> None:
            wall, seat = review(
                self.hands, self.rules.array, self._engine, policies, parameters, answers, gifts, self.seed, first + at,
                self._streak_below, self.logs[at:], lengths[at : at + k], out[at : at + k],
            )  # fmt: skip
            if seat >= 0:
                raise self.a.complaint(f"agent {self.a.name!r} chose an illegal action at seat {seat} of wall {wall}")

        if batched:
            ask(0, len(lengths))  # the answers are there: it only counts
        else:
            for at, k in self._asking.parts(len(lengths)):
                ask(at, k)

    def _answers(self, first: int, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """int64[rows] answers to all decisions but gifts, and int64[gifts, 3] kinds, of an agent that answers in batches."""
        room = int(lengths.sum())
        observations, masks = np.zeros((room, N_ROWS, 34), np.int8), np.zeros((room, N_ACTIONS), np.int8)
        starts = np.zeros(8 * len(lengths), HAND)  # each seat gives twice at most
        rows, n_gifts = write_questions(
            self.hands, self.rules.array, self._engine, self.seed, first, self._streak_below, self.logs, lengths,
            observations.ctypes.data, masks.ctypes.data, starts,
        )  # fmt: skip
        answers = self._in_batches(observations[:rows], masks[:rows])
        gifts = np.zeros((n_gifts, 3), np.int64)
        actions = np.full(n_gifts, GO_ON, np.int64)
        for j in range(3):
            # The seat goes on with its own gift, in a copy of the hand.
            self._move(starts[:n_gifts], actions, observations, masks)
            actions = self._in_batches(observations[:n_gifts], masks[:n_gifts])
            gifts[:, j] = actions - GIVE
        return answers, gifts

    def _move(self, starts: np.ndarray, actions: np.ndarray, observations: np.ndarray, masks: np.ndarray) -> None:
        """Apply an action at each of the hands, and write what is asked then: a row each."""
        n = len(starts)
        lanes, asked, over = np.arange(n), np.zeros(n, np.int64), np.zeros(n, np.int64)
        calls = self._engine[[0, 2, 3]]
        outside, nothing = np.zeros((n, 8), np.int64), np.zeros((n, 4), np.int64)
        logs = np.zeros((0, 0), DECISION)
        found = move_hands(
            starts, self.rules.array, calls, outside, nothing, lanes, actions, logs, False, 1, asked, over,
            observations.ctypes.data, masks.ctypes.data,
        )  # fmt: skip
        assert found == (n, 0, -1), "a gift goes on"

    def _in_batches(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        parts = [
            answers_of(self.a, observations[i : i + BATCH], masks[i : i + BATCH]) for i in range(0, len(masks), BATCH)
        ]
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)


class _SideBySide:
    """Walls as lanes of a lockstep, one in each lane."""

    def __init__(self, player: Player, first: int, lengths: np.ndarray) -> None:
        self._player, self._first, self._lengths = player, first, lengths
        self._begun = np.zeros(AT_ONCE, bool)

    def begin(self, lane: int) -> Sequence[int] | None:
        if lane >= len(self._lengths) or self._begun[lane]:
            return None
        self._begun[lane] = True
        player = self._player
        assert player._lockstep is not None
        begin_hand(
            player._lockstep.hands, lane, player.rules.array, player._engine, player.seed, self._first + lane,
            player._streak_below,
        )  # fmt: skip
        return (0, 0, 0, 0)

    def ended(self, lane: int) -> None:
        assert self._player._lockstep is not None
        self._lengths[lane] = self._player._lockstep.hands["n_decisions"][lane]


_players: dict[str, Player] = {}


def play_block(plan: Plan, part: str, first: int, n: int) -> Sums:
    """Sums of a block of hands; a process keeps the player of its plan."""
    key = repr(plan)
    if key not in _players:
        _players.clear()
        _players[key] = Player(plan.make_rules(), plan.a, plan.b, plan.seed)
    return Sums.of(_players[key].play(first, n))


def make_plan(
    a: str, b: str = "heuristic", rules: str | Rules = "douque-american", hands: int = DEFAULT_HANDS, seed: int = 0
) -> Plan:
    """Check what is asked for; UsageError names what is wrong."""
    checked = make_rules(rules)
    hands, seed = whole("hands", hands, 2, 10**10), whole("seed", seed, 0, 2**62)
    agents = [registry.make(text) for text in (a, b)]
    for agent in agents:
        agent.check_rules(checked)
    block = min(BLOCK, *(agent.piece for agent in agents))
    return Plan(checked.name, checked.options, checked.fingerprint, agents[0].name, agents[1].name, hands, seed, block)


def run(
    a: str,
    b: str = "heuristic",
    rules: str | Rules = "douque-american",
    hands: int = DEFAULT_HANDS,
    seed: int = 0,
    workers: int | str | None = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> ChoicesResult:
    """Let B play `hands` hands in all four seats, ask A at the same decisions, and count.

    Args:
        a: the agent that is asked, such as "checkpoint:runs/ppo".
        b: the agent that plays.
        rules: those of the table.
        hands: 2 or more.
        seed: of all luck.
        workers: processes, by default one for each core, or "ray"; the result is the same for any number.
        out: folder that keeps the finished part, so that the same call goes on after a stop. A finished folder is read,
            not played again; a folder of other parameters is refused.
        progress: called as progress(hands done, hands).

    Raises UsageError for a wrong argument or another's folder, MjsimError when a worker or an agent fails, and passes
    KeyboardInterrupt on after keeping what is finished.
    """
    plan = make_plan(a, b, rules, hands, seed)
    played = play_parts(play_block, plan, plan.parts(), workers, out, progress)
    return ChoicesResult(plan, played.sums["hands"], played.seconds, played.before)


__all__ = ["DEFAULT_HANDS", "ChoicesResult", "Plan", "Player", "make_plan", "run"]
