"""What the environments share: the compiled addresses, checks of arguments, rewards, filling of observations."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from mjsim.actions import N_ACTIONS
from mjsim.agents import make
from mjsim.envs.kernels import HAND_EPISODE, MATCH_EPISODE
from mjsim.errors import UsageError
from mjsim.lockstep import in_batches, together
from mjsim.observe import N_PRIVILEGED, N_ROWS
from mjsim.ruleset import Rules

EPISODES = {"hand": HAND_EPISODE, "match": MATCH_EPISODE}

#: Rewards are zero-sum and come from settlements alone: the score in tai, times this factor.
REWARDS = {"score": 1.0, "scaled": 1.0 / 16.0}


@cache
def engine_addresses() -> tuple[int, ...]:
    """Addresses of apply, lay, observe, observe_hidden and legal_mask, in the order of `kernels`."""
    from mjsim import observe
    from mjsim.flow import engine

    blocks = (engine.apply, engine.lay, observe.observe, observe.observe_hidden, observe.legal_mask)
    return tuple(block.address for block in blocks)


def engine_array() -> np.ndarray:
    return np.array(engine_addresses(), dtype=np.int64)


@cache
def observe_calls() -> tuple[Any, Any, Any]:
    """(observe, observe_hidden, legal_mask) as Python functions on addresses."""
    from mjsim import observe

    return observe.observe.python(), observe.observe_hidden.python(), observe.legal_mask.python()


def fill(
    table: np.ndarray,
    rules: Rules,
    seat: int,
    observation: np.ndarray,
    mask: np.ndarray,
    derived: bool = True,
    hidden: np.ndarray | None = None,
) -> None:
    """Fill int8[N_ROWS, 34], int8[147] and int8[N_PRIVILEGED, 34] of one seat of HAND[1] `table`."""
    assert observation.shape == (N_ROWS, 34) and mask.shape == (N_ACTIONS,)
    observe, observe_hidden, legal_mask = observe_calls()
    observe(table.ctypes.data, rules.address, seat, observation.ctypes.data, int(derived))
    legal_mask(table.ctypes.data, seat, mask.ctypes.data)
    if hidden is not None:
        assert hidden.shape == (N_PRIVILEGED, 34)
        observe_hidden(table.ctypes.data, rules.address, seat, hidden.ctypes.data)


def check_episode(episode: str, match_hands: int) -> int:
    """Number of the kind of episode."""
    if episode not in EPISODES:
        raise UsageError(f"episode: {episode!r} is not one of {', '.join(EPISODES)}")
    if isinstance(match_hands, bool) or not isinstance(match_hands, (int, np.integer)) or match_hands < 1:
        raise UsageError(f"match_hands: {match_hands!r} is no whole number of 1 or more")
    return EPISODES[episode]


def check_reward(reward: str) -> float:
    """Factor of the score."""
    if reward not in REWARDS:
        raise UsageError(f"reward: {reward!r} is not one of {', '.join(REWARDS)}")
    return REWARDS[reward]


class Inside:
    """Agents that play some of the seats.

    Attributes: `policies` int64[8] and `parameters` int64[4] of addresses, 0 where the seat is played from outside; the second
    four of `policies` are called when a hand is over (`mjsim.play.tell_end`). With `batch` the seats of agents that answer many
    decisions at once (`mjsim.lockstep.in_batches`) have no addresses either: `batched` are these agents, `asks` int64[4] says by
    seat which of them to ask, -1 for none.
    """

    def __init__(self, agents: Mapping[int, Any] | None, batch: bool = False) -> None:
        self.agents: dict[int, Any] = {}
        self.policies = np.zeros(8, dtype=np.int64)
        self.parameters = np.zeros(4, dtype=np.int64)
        self.batched: list[Any] = []
        self.asks = np.full(4, -1, dtype=np.int64)
        for seat, agent in (agents or {}).items():
            if seat not in (0, 1, 2, 3):
                raise UsageError(f"agents: {seat!r} is no seat (0-3)")
            made = make(agent)
            self.agents[seat] = made
            if batch and in_batches(made):
                self.asks[seat] = len(self.batched)
                self.batched.append(made)
                continue
            self.policies[seat] = made.address
            self.policies[4 + seat] = made.end_address
            self.parameters[seat] = made.parameters_address
        if len(self.agents) == 4:
            raise UsageError("agents: all four seats are played inside; leave one to the outside")
        asked = self.asks >= 0
        if asked.any():
            self.asks[asked] = together(self.batched)[self.asks[asked]]
