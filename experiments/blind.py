"""An agent that does not see the dice bonus: what knowing the bonus is worth shows against the same agent that does.

Owns only what is hidden. The dice lie as `HIDDEN`, a roll without a pattern, while the agent decides, so that it plans and
counts towards the minimum as if the hand had no bonus. It still takes a win that it is offered.
"""

from __future__ import annotations

import numpy as np
from numba import carray

from mjsim.agents.registry import Agent
from mjsim.flow.engine import POLICY
from mjsim.jit import address_as_pointer, call, pointer

#: What a blind agent sees instead of the dice.
HIDDEN = (1, 2, 4)


@pointer(POLICY)
def policy(h, r, parameters):
    """The choice of another policy that sees HIDDEN for the dice; `parameters`: its address and that of its parameters."""
    base = carray(address_as_pointer(parameters), 2).view(np.int64)
    a, b, c = h.dice[0], h.dice[1], h.dice[2]
    h.dice[0], h.dice[1], h.dice[2] = HIDDEN[0], HIDDEN[1], HIDDEN[2]
    action = call(base[0], (h, r, base[1]))
    h.dice[0], h.dice[1], h.dice[2] = a, b, c
    return action


class Blind(Agent):
    """A compiled agent as it plays without seeing the dice. Belongs to one process, as addresses do."""

    def __init__(self, agent: Agent) -> None:
        super().__init__(f"{agent.name}, blind", policy)
        self._agent = agent  # keeps its parameters alive
        self.parameters = np.array([agent.address, agent.parameters_address], np.int64).view(np.float64)
