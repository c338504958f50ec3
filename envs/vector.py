"""`VectorEnv`: n tables stepped together in compiled code, all arrays allocated once and filled in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mjsim.actions import N_ACTIONS
from mjsim.envs.common import Inside, check_episode, check_reward, engine_array, fill
from mjsim.envs.kernels import N_TABLES, reset_tables, step_tables
from mjsim.errors import IllegalAction, UsageError
from mjsim.hand_record import HAND
from mjsim.lockstep import ask_each
from mjsim.observe import N_PRIVILEGED, N_ROWS
from mjsim.ruleset import Rules
from mjsim.ruleset import rules as make_rules


class VectorEnv:
    """n tables, one decision each at every step.

    Args:
        n: tables.
        rules: a `Rules` or a name.
        seed: fixes all luck; table i plays matches i, i + n, i + 2n, ... of the seed.
        agents: {seat: agent} played inside; the other seats' decisions come to `step`. Agents that answer many decisions at once
            (networks) are asked for those of all tables together.
        episode: "hand" (dealer and wind drawn anew) or "match" (carried on for `match_hands` hands).
        reward: "score" in tai, or "scaled" (score / 16).
        derived: fill the derived observation rows (shanten, ukeire).
        privileged: fill `hidden` too, what the acting seat may not see (for a critic).

    Arrays, the same memory at every step (`torch.from_numpy` shares it):
        observations: int8[n, N_ROWS, 34] of the acting seat (rows: docs/observation.md).
        masks: int8[n, 147], legal actions. seats: int8[n], who acts.
        rewards: float32[n, 4], of every hand that ended in this step (several where hands end without an outside decision).
        scores: int32[n, 4], of the last hand that ended at the table.
        hands_done: int32[n], hands that ended in this step. dones: bool[n], an episode ended (the table has begun the next).
        hidden: int8[n, N_PRIVILEGED, 34], or no tables.
    """

    def __init__(
        self,
        n: int,
        rules: str | Rules = "douque-american",
        seed: int = 0,
        *,
        agents: Mapping[int, Any] | None = None,
        episode: str = "hand",
        match_hands: int = 16,
        reward: str = "score",
        derived: bool = True,
        privileged: bool = False,
    ) -> None:
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
            raise UsageError(f"n: {n!r} is no whole number of 1 or more")
        self.n = int(n)
        self.rules = make_rules(rules).ready()
        self.episode = check_episode(episode, match_hands)
        self.match_hands = int(match_hands)
        self.factor = check_reward(reward)
        self.inside = Inside(agents, batch=True)
        for agent in self.inside.agents.values():
            agent.check_rules(self.rules)
        self.derived, self.privileged = bool(derived), bool(privileged)
        # Agents inside see the derived rows in any case.
        self._derived = np.where(self.inside.asks >= 0, 1, int(self.derived)).astype(np.int8)
        self._every = np.arange(self.n)
        self._engine = engine_array()
        self._policies = np.tile(self.inside.policies, (self.n, 1))
        self._parameters = np.tile(self.inside.parameters, (self.n, 1))
        self.tables = np.zeros(self.n, dtype=HAND)
        self.observations = np.zeros((self.n, N_ROWS, 34), dtype=np.int8)
        self.masks = np.zeros((self.n, N_ACTIONS), dtype=np.int8)
        self.seats = np.zeros(self.n, dtype=np.int8)
        self.rewards = np.zeros((self.n, 4), dtype=np.float32)
        self.scores = np.zeros((self.n, 4), dtype=np.int32)
        self.hands_done = np.zeros(self.n, dtype=np.int32)
        self.dones = np.zeros(self.n, dtype=np.bool_)
        self.hidden = np.zeros((self.n if privileged else 0, N_PRIVILEGED, 34), dtype=np.int8)
        self.reset(seed)

    def _addresses(self) -> tuple[int, int, int]:
        return self.observations.ctypes.data, self.masks.ctypes.data, self.hidden.ctypes.data

    def reset(self, seed: int | None = None) -> np.ndarray:
        """Begin every table anew (from the same seed if none is given); returns `observations`."""
        if seed is not None:
            if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**62:
                raise UsageError(f"seed: {seed!r} is no whole number of 0 to 2**62 - 1")
            self.seed = int(seed)
        observations, masks, hidden = self._addresses()
        code = reset_tables(
            self.tables, self.rules.array, self._engine, self._policies, self._parameters, self.seed, 0, self.episode,
            self.match_hands, observations, masks, hidden, self.seats, self.rewards, self.scores, self._derived,
            self.privileged,
        )  # fmt: skip
        self._check(code)
        self._ask_batched()
        # Hands that ended before anybody outside was asked are no step of theirs.
        self.rewards[:] = 0
        self.hands_done[:] = 0
        self.dones[:] = False
        return self.observations

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Apply one action at every table; returns (`observations`, `rewards`, `dones`).

        Args:
            actions: whole numbers [n], each legal for the seat that acts (`masks`).

        Raises IllegalAction naming the first table with an illegal one; tables before it have moved.
        """
        actions = np.ascontiguousarray(actions, dtype=np.int64)
        if actions.shape != (self.n,):
            raise UsageError(f"actions: shape {actions.shape}, but ({self.n},) is needed")
        if self.inside.batched and (broken := np.flatnonzero(self.inside.asks[self.seats] >= 0)).size:
            seat = int(self.seats[broken[0]])
            raise UsageError(
                f"table {broken[0]} waits for the agent at seat {seat}, not for an action: the step before was broken off; "
                "reset() begins anew"
            )
        self._move(actions, self._every, True)
        self._ask_batched()
        if self.factor != 1.0:
            self.rewards *= np.float32(self.factor)
        return self.observations, self.rewards, self.dones

    def _move(self, actions: np.ndarray, moved: np.ndarray, first: bool) -> None:
        observations, masks, hidden = self._addresses()
        code = step_tables(
            self.tables, self.rules.array, self._engine, self._policies, self._parameters, self.seed, self.episode,
            self.match_hands, actions, moved, first, observations, masks, hidden, self.seats, self.rewards, self.scores,
            self.hands_done, self.dones, self._derived, self.privileged,
        )  # fmt: skip
        self._check(code, actions)

    def _ask_batched(self) -> None:
        """Until every table waits for an outside seat: ask each agent that answers in batches for all that wait for it."""
        if not self.inside.batched:
            return
        actions = np.zeros(self.n, dtype=np.int64)
        while len(waiting := np.flatnonzero(self.inside.asks[self.seats] >= 0)):
            who = self.inside.asks[self.seats[waiting]]
            actions[waiting] = ask_each(self.inside.batched, who, self.observations[waiting], self.masks[waiting])
            self._move(actions, waiting, False)

    def _check(self, code: int, actions: np.ndarray | None = None) -> None:
        if code >= 0:
            return
        if -code > N_TABLES:
            table = -code - N_TABLES - 1
            seat = int(self.tables["seat"][table])
            agent = self.inside.agents[seat]
            raise agent.complaint(f"agent {agent.name!r} (table {table}) answered an illegal action")
        table = -code - 1
        assert actions is not None
        legal = np.flatnonzero(self.masks[table]).tolist()
        raise IllegalAction(f"table {table}: action {int(actions[table])} is not legal (legal: {legal})")

    def snapshot(self, table: int) -> bytes:
        """Everything of one table, to go on from later (see `restore`)."""
        return self.tables[table].tobytes()

    def restore(self, table: int, state: bytes) -> None:
        """Put a table back to a snapshot of this version of mjsim; its arrays are filled anew."""
        if len(state) != HAND.itemsize:
            raise UsageError(f"state: {len(state)} bytes, but a snapshot of this version has {HAND.itemsize}")
        self.tables[table] = np.frombuffer(state, dtype=HAND)[0]
        me = int(self.tables["seat"][table])
        self.seats[table] = me
        hidden = self.hidden[table] if self.privileged else None
        one = self.tables[table : table + 1]
        fill(one, self.rules, me, self.observations[table], self.masks[table], self.derived, hidden)
