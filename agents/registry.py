"""The registry of agents by name, and what an agent is to the compiled loops.

A compiled agent is a policy (`mjsim.flow.engine.POLICY`) and the float64 parameters it reads. Text of an agent with parameters:
`greedy:exchange=4`.
"""

from __future__ import annotations

import difflib
import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mjsim.errors import UsageError
from mjsim.jit import Pointer


class Agent:
    """A compiled agent.

    Attributes:
        name: its full text, parameters included.
        policy: `Pointer` of the compiled policy (hand, rules, address of parameters) -> action number.
        parameters: float64[n], in the order the policy reads them.
    """

    def __init__(self, name: str, policy: Pointer, parameters: dict[str, float] | None = None) -> None:
        self.name = name
        self.policy = policy
        self.values = dict(parameters or {})
        self.parameters = np.array(list(self.values.values()) or [0.0], dtype=np.float64)

    @property
    def address(self) -> int:
        """Address of the policy's machine code; compiles it on first use."""
        return self.policy.address

    @property
    def parameters_address(self) -> int:
        return self.parameters.ctypes.data

    def __repr__(self) -> str:
        return f"<agent {self.name}>"


def _random(name: str, given: dict[str, float]) -> Agent:
    module = importlib.import_module("mjsim.agents.uniform")
    return Agent(name, module.policy, _parameters(name, {}, given))


def _greedy(name: str, given: dict[str, float]) -> Agent:
    module = importlib.import_module("mjsim.agents.greedy")
    return Agent(name, module.policy, _parameters(name, module.PARAMETERS, given))


def _heuristic(name: str, given: dict[str, float]) -> Agent:
    module = importlib.import_module("mjsim.agents.heuristic")
    return Agent(name, module.policy, _parameters(name, module.PARAMETERS, given))


def _parameters(name: str, defaults: dict[str, float], given: dict[str, float]) -> dict[str, float]:
    for key in given:
        if key not in defaults:
            known = ", ".join(defaults) or "none"
            raise UsageError(f"agent {name!r}: unknown parameter {key!r} (known: {known})")
    return defaults | given


_FACTORIES: dict[str, Callable[[str, dict[str, float]], Agent]] = {
    "random": _random,
    "greedy": _greedy,
    "heuristic": _heuristic,
}


def names() -> list[str]:
    """Names of the registered agents."""
    return sorted(_FACTORIES)


def register(name: str, factory: Callable[[str, dict[str, float]], Agent]) -> None:
    """Add an agent: `factory(text, parameters)` returns an `Agent`. A name can be registered once."""
    if not name.isidentifier():
        raise UsageError(f"agent {name!r}: a name is letters, digits and _")
    if name in _FACTORIES:
        raise UsageError(f"agent {name!r} is registered already")
    _FACTORIES[name] = factory


def make(text: str | Agent) -> Agent:
    """The agent of a text such as `"greedy"` or `"greedy:exchange=4"`.

    Raises UsageError for an unknown name or parameter.
    """
    if isinstance(text, Agent):
        return text
    name, _, rest = str(text).partition(":")
    if name not in _FACTORIES:
        near = difflib.get_close_matches(name, _FACTORIES, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise UsageError(f"unknown agent {name!r}{hint} (known: {', '.join(names())})")
    given: dict[str, float] = {}
    for part in filter(None, rest.split(":")):
        key, equals, value = part.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not equals or not math.isfinite(number):
            raise UsageError(f"agent {text!r}: {part!r} is no parameter=number")
        if key in given:
            raise UsageError(f"agent {text!r}: parameter {key!r} stands twice")
        given[key] = number
    return _FACTORIES[name](str(text), given)


def make_four(agents: Any) -> list[Agent]:
    """Four agents, one for each seat, from one text for all, or four."""
    listed = agents.split(",") if isinstance(agents, str) else list(agents)
    if len(listed) == 1:
        listed = listed * 4
    if len(listed) != 4:
        raise UsageError(f"agents: {len(listed)} of them, but there are four seats (one for all, or four)")
    return [make(a.strip() if isinstance(a, str) else a) for a in listed]
