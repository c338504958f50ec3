"""Agents for the tests of `evaluate`: one with a planted weakness, and one that breaks the rules of the game.

`make` is a resolver (`tests.evaluate_agents:make`), so that worker processes find them too.
"""

from __future__ import annotations

import numpy as np
from numba import carray

from mjsim.actions import DISCARD, N_ACTIONS, W_DISCARD
from mjsim.agents import registry
from mjsim.agents.greedy import policy as greedy
from mjsim.agents.registry import Agent
from mjsim.flow.engine import POLICY, nth_legal
from mjsim.flow.luck import below
from mjsim.jit import address_as_pointer, call, lowest_bit, pointer, popcount

RESOLVER = "tests.evaluate_agents:make"


@pointer(POLICY)
def blunder_policy(h, r, parameters):
    """Greedy, but one discard in ten is any legal tile. The parameters are greedy's two and greedy's address."""
    values = carray(address_as_pointer(parameters), 3)
    action = call(np.int64(values[2]), (h, r, parameters))
    if DISCARD <= action < DISCARD + 34 and below(h.rng, h.seat, 10) == 0:
        word = h.legal[W_DISCARD]
        for _ in range(below(h.rng, h.seat, popcount(word))):
            word &= word - np.uint64(1)
        return DISCARD + lowest_bit(word)
    return action


@pointer(POLICY)
def counting_policy(h, r, parameters):
    """Greedy, but it counts the hands of a set and plays at random where the seat of A must be: memory it may not have."""
    values = carray(address_as_pointer(parameters), 5)
    if h.n_decisions == 0:
        values[4] = 0 if h.match != values[3] else values[4] + 1
        values[3] = h.match
    if h.seat == np.int64(values[4]):
        return nth_legal(h, below(h.rng, h.seat, h.n_legal))
    return call(np.int64(values[2]), (h, r, parameters))


@pointer(POLICY)
def cheat_policy(h, r, parameters):
    return N_ACTIONS


def make(text: str) -> Agent:
    """`blunder`, `counting`, `cheat`, or an agent of the registry."""
    base = {"exchange": 5.0, "flush": 1.0, "greedy": float(greedy.address)}
    if text == "blunder":
        return Agent(text, blunder_policy, base)
    if text == "counting":
        return Agent(text, counting_policy, base | {"match": -1.0, "seating": 0.0})
    if text == "cheat":
        return Agent(text, cheat_policy)
    return registry.make(text)
