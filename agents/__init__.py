"""Agents by name: `mjsim.agents.make("greedy")`, `mjsim.agents.register(name, factory)`; a class of one's own: `PythonAgent`."""

from typing import Any

from mjsim.agents.registry import Agent, make, names, register

__all__ = ["Agent", "PythonAgent", "make", "names", "register"]


def __getattr__(name: str) -> Any:
    if name == "PythonAgent":
        from mjsim.agents.python_agent import PythonAgent

        return PythonAgent
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
