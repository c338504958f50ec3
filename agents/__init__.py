"""Agents by name: `mjsim.agents.make("greedy")`, `mjsim.agents.register(name, factory)`."""

from mjsim.agents.registry import Agent, make, names, register

__all__ = ["Agent", "make", "names", "register"]
