"""Many hands at once, so that an agent that answers many decisions in one call (`act_batch`) is asked for many.

Seats of compiled agents are played in compiled code; the hands whose seat has a batched agent wait, and all that wait for the same
agent are asked together. Knows nothing of what the hands are for: who begins them and notes their ends is a `Lanes`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from mjsim.actions import N_ACTIONS
from mjsim.errors import MjsimError
from mjsim.hand_record import HAND
from mjsim.play import DECISION
from mjsim.ruleset import Rules

#: Hands that are played side by side; more do not make a network faster.
AT_ONCE = 256
#: Seconds that a call of compiled code aims at, so that Ctrl-C works.
CALL_SECONDS = 0.2


class Lanes(Protocol):
    """What is played: a lane is a hand, or hands one after the other in the same record."""

    def begin(self, lane: int) -> Sequence[int] | None:
        """Begin the next hand of the lane; the four agents' numbers by seat, or None when the lane has no more."""

    def ended(self, lane: int) -> None:
        """The hand of the lane is over."""


def in_batches(agent: Any) -> bool:
    """Whether an agent is asked for many decisions at once: it can, and need not be told of ends of hands."""
    return hasattr(agent, "act_batch") and getattr(agent, "end_address", 0) == 0


def can_batch(agents: Sequence[Any]) -> bool:
    """Whether a lockstep is possible, and worth while: somebody answers in batches, and all others are compiled."""
    batched = [in_batches(agent) for agent in agents]
    return any(batched) and all(b or agent.policy is not None for b, agent in zip(batched, agents, strict=True))


def answers_of(agent: Any, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """int64[n]: what an agent answers in a batch (its `act_batch`), checked.

    Raises MjsimError for an answer of a wrong shape, or an action that is not legal.
    """
    answers = np.asarray(agent.act_batch(observations, masks))
    if answers.shape != (len(masks),) or answers.dtype.kind not in "iu":
        raise MjsimError(
            f"agent {agent.name!r}: act_batch gave {answers.dtype}{list(answers.shape)}, but whole numbers "
            f"[{len(masks)}] are needed"
        )
    legal = (answers >= 0) & (answers < N_ACTIONS)
    legal[legal] = masks[np.flatnonzero(legal), answers[legal]] == 1
    if not legal.all():
        bad = int(np.flatnonzero(~legal)[0])
        listed = np.flatnonzero(masks[bad]).tolist()
        raise MjsimError(
            f"agent {agent.name!r}: act_batch answered {int(answers[bad])}, which is not legal (legal: {listed})"
        )
    return answers.astype(np.int64)


def together(agents: Sequence[Any]) -> np.ndarray:
    """int64[n]: for each agent the first that says it is the same (one network at four seats), which is asked for all of them."""
    keys = [getattr(agent, "batch_key", i) for i, agent in enumerate(agents)]
    return np.array([keys.index(key) for key in keys], np.int64)


def ask_each(agents: Sequence[Any], who: np.ndarray, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """int64[n]: checked answers to int8[n, N_ROWS, 34] and int8[n, 147] by the agents of numbers int64[n] `who`, a call each."""
    actions = np.zeros(len(who), np.int64)
    for number in np.unique(who).tolist():
        rows = np.flatnonzero(who == number)
        if len(rows) == len(who):
            return answers_of(agents[number], observations, masks)
        actions[rows] = answers_of(agents[number], observations[rows], masks[rows])
    return actions


class Lockstep:
    """Plays lanes of hands with agents of which some answer in batches.

    Attributes:
        hands: HAND[n], the record of each lane, for the `Lanes` to begin hands in and to read their ends from.
        logs: DECISION[n, m] of the hands in play, where decisions are kept.
        decisions: answers given in batches; batches: calls; for measuring.
    """

    def __init__(self, rules: Rules, agents: Sequence[Any], n: int, logs: np.ndarray | None = None) -> None:
        from mjsim import observe
        from mjsim.flow import engine

        self.rules = rules.ready()
        self.agents = list(agents)
        for agent in self.agents:
            agent.check_rules(self.rules)
        self.hands = np.zeros(n, HAND)
        self.logs = np.zeros((0, 0), DECISION) if logs is None else logs
        self._keep = logs is not None
        self._engine = np.array([engine.apply.address, observe.observe.address, observe.legal_mask.address], np.int64)
        self._batched = [in_batches(agent) for agent in self.agents]
        self._addresses = np.array([0 if b else a.address for a, b in zip(self.agents, self._batched, strict=True)])
        self._ends = np.array([0 if b else a.end_address for a, b in zip(self.agents, self._batched, strict=True)])
        self._parameter = np.array([a.parameters_address for a in self.agents], np.int64)
        self._together = together(self.agents)
        self._policies = np.zeros((n, 8), np.int64)
        self._parameters = np.zeros((n, 4), np.int64)
        self._who = np.zeros((n, 4), np.int64)
        self._observations = np.zeros((n, observe.N_ROWS, 34), np.int8)
        self._masks = np.zeros((n, N_ACTIONS), np.int8)
        self._lanes_a_call = 8
        self.decisions = self.batches = 0

    def play(self, lanes: Lanes) -> None:
        """Play every lane to its end.

        Raises MjsimError, or what the agent has to say, where an answer is illegal.
        """
        from mjsim.lockstep_kernels import GO_ON

        waiting = np.zeros(0, np.int64)  # lanes to move
        actions = np.zeros(0, np.int64)
        fresh = list(range(len(self.hands)))
        while True:
            begun = [lane for lane in fresh if self._begin(lanes, lane)]
            waiting = np.concatenate([waiting, np.array(begun, np.int64)])
            actions = np.concatenate([actions, np.full(len(begun), GO_ON, np.int64)])
            if not len(waiting):
                return
            asked, over = self._move(waiting, actions)
            for lane in over.tolist():
                lanes.ended(lane)
            fresh = over.tolist()
            waiting, actions = asked, self._ask(asked)

    def _begin(self, lanes: Lanes, lane: int) -> bool:
        agents = lanes.begin(lane)
        if agents is None:
            return False
        who = np.asarray(agents, np.int64)
        self._who[lane] = who
        self._policies[lane, :4] = self._addresses[who]
        self._policies[lane, 4:] = self._ends[who]
        self._parameters[lane] = self._parameter[who]
        return True

    def _move(self, waiting: np.ndarray, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lanes that are asked (their observations and masks in the first rows), and lanes that are over."""
        from mjsim.lockstep_kernels import move_hands

        asked, over = np.zeros(len(waiting), np.int64), np.zeros(len(waiting), np.int64)
        n_asked = n_over = first = 0
        while first < len(waiting):
            part = slice(first, first + self._lanes_a_call)
            began = time.perf_counter()
            more, ended, wrong = move_hands(
                self.hands, self.rules.array, self._engine, self._policies, self._parameters, waiting[part], actions[part],
                self.logs, self._keep, 1, asked[n_asked:], over[n_over:], self._observations[n_asked:].ctypes.data,
                self._masks[n_asked:].ctypes.data,
            )  # fmt: skip
            if wrong >= 0:
                self._complain(wrong)
            done = min(part.stop, len(waiting)) - first
            n_asked, n_over, first = n_asked + more, n_over + ended, part.stop
            aim = int(done * CALL_SECONDS / max(time.perf_counter() - began, 1e-6))
            self._lanes_a_call = max(1, min(aim, 2 * self._lanes_a_call))
        return asked[:n_asked], over[:n_over]

    def _complain(self, lane: int) -> None:
        hand = self.hands[lane]
        seat = int(hand["seat"])
        agent = self.agents[self._who[lane, seat]]
        raise agent.complaint(
            f"agent {agent.name!r} answered an illegal action at seat {seat} (match {int(hand['match'])}, hand {int(hand['hand'])})"
        )

    def _ask(self, asked: np.ndarray) -> np.ndarray:
        who = self._together[self._who[asked, self.hands["seat"][asked]]]
        n = len(asked)
        self.decisions += n
        self.batches += len(np.unique(who))
        return ask_each(self.agents, who, self._observations[:n], self._masks[:n])
