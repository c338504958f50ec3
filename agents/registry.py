"""The registry of agents by name, and what an agent is to the compiled loops.

A compiled agent is a policy (`mjsim.flow.engine.POLICY`) and the float64 parameters it reads. Text of an agent with parameters:
`greedy:exchange=4`. Names that are neither bundled nor registered are looked for among the entry points `mjsim.agents` of
installed packages, so that worker processes find them too.
"""

from __future__ import annotations

import difflib
import importlib
import itertools
import math
import multiprocessing
import sys
from collections.abc import Callable
from importlib import metadata
from typing import Any

import numpy as np

from mjsim.batch import split_agents
from mjsim.errors import MjsimError, UsageError
from mjsim.jit import Pointer
from mjsim.ruleset import Rules

#: Entry points of this group name factories.
GROUP = "mjsim.agents"

#: Agents made so far in this process: each draws from another stream when it is asked by `act`.
_number = itertools.count()


class Agent:
    """A compiled agent, and what every agent is to those that play it.

    Attributes:
        name: its full text, parameters included.
        policy: `Pointer` of the compiled policy (hand, rules, address of parameters) -> action number.
        parameters: float64[n], in the order the policy reads them.
        rules: those that `act` supposes when it is given none; a name or a `Rules`.
    """

    #: Address of a C function of a policy's signature that is called when a hand is over; 0: none.
    end_address = 0
    #: Hands with it that make a piece of work: what shows as progress at once, and is lost when a run is killed.
    piece = 512

    def __init__(self, name: str, policy: Pointer | None, parameters: dict[str, float] | None = None) -> None:
        self.name = name
        self.policy = policy
        self.values = dict(parameters or {})
        self.parameters = np.array(list(self.values.values()) or [0.0], dtype=np.float64)
        self.rules: str | Rules = "douque-american"
        self._desk: Any = None
        self._ask: Any = None
        self._seed = next(_number)

    @property
    def address(self) -> int:
        """Address of the policy's machine code; compiles it on first use."""
        assert self.policy is not None
        return self.policy.address

    @property
    def parameters_address(self) -> int:
        return self.parameters.ctypes.data

    def act(self, observation: Any, mask: Any, rules: str | Rules | None = None) -> int:
        """The action number that it chooses.

        Args:
            observation: int8[N_ROWS, 34] of the seat that is asked, as the environments give it.
            mask: int8[147], its legal actions; one at least.
            rules: those of the table; left out, `self.rules`.

        A compiled policy answers to the hand as far as the observation tells it (docs/observation.md). An agent that draws has
        a stream of its own here, see `reseed`. Raises UsageError for arrays of a wrong shape, or made under other rules.
        """
        desk = self._own_desk()
        hand, table = desk.lay(observation, mask, self.rules if rules is None else rules)
        if self._ask is None:
            assert self.policy is not None
            self._ask = self.policy.python()
        return int(self._ask(hand, table, self.parameters_address))

    def reseed(self, seed: int) -> None:
        """Begin the stream from which `act` draws anew."""
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**62:
            raise UsageError(f"seed: {seed!r} is no whole number of 0 to 2**62 - 1")
        self._seed = int(seed)
        self._own_desk().reseed(self._seed)

    def _own_desk(self) -> Any:
        if self._desk is None:
            from mjsim.agents.acting import Desk

            self._desk = Desk(self._seed)
        return self._desk

    def check_rules(self, rules: Rules) -> None:
        """UsageError when it cannot play under these rules; most agents play under all."""

    def complaint(self, what: str) -> BaseException:
        """What to raise when its answer was refused; `what` says it in the words of the loop that was stopped."""
        return MjsimError(what)

    def take_faults(self) -> list[dict[str, Any]]:
        """Where it broke the rules and somebody else played on for it, since the last call; plain data."""
        return []

    def close(self) -> None:
        """Let go of what it holds open; it can be played again afterwards."""

    def __repr__(self) -> str:
        return f"<agent {self.name}>"


# ---- factories ---------------------------------------------------------------------------------------------------------


def _random(name: str, given: dict[str, float]) -> Agent:
    module = importlib.import_module("mjsim.agents.uniform")
    return Agent(name, module.policy, _parameters(name, {}, given))


def _greedy(name: str, given: dict[str, float]) -> Agent:
    module = importlib.import_module("mjsim.agents.greedy")
    return Agent(name, module.policy, _parameters(name, module.PARAMETERS, given))


def _heuristic(name: str, given: dict[str, float]) -> Agent:
    module = importlib.import_module("mjsim.agents.heuristic")
    return Agent(name, module.policy, _parameters(name, module.PARAMETERS, given))


def _search(name: str, given: dict[str, float]) -> Agent:
    module = importlib.import_module("mjsim.agents.search")
    return module.Search(name, module.policy, _parameters(name, module.PARAMETERS, given))


def _external(name: str, rest: str) -> Agent:
    return importlib.import_module("mjsim.agents.external").of_text(name, rest)


def _checkpoint(name: str, rest: str) -> Agent:
    return importlib.import_module("mjsim.agents.checkpoint").of_text(name, rest)


def _neural(name: str, given: dict[str, float]) -> Agent:
    _parameters(name, {}, given)
    return importlib.import_module("mjsim.agents.checkpoint").shipped(name)


def _parameters(name: str, defaults: dict[str, float], given: dict[str, float]) -> dict[str, float]:
    for key in given:
        if key not in defaults:
            known = ", ".join(defaults) or "none"
            raise UsageError(f"agent {name!r}: unknown parameter {key!r} (known: {known})")
    return defaults | given


Factory = Callable[[str, Any], Any]

_FACTORIES: dict[str, Factory] = {
    "random": _random,
    "greedy": _greedy,
    "heuristic": _heuristic,
    "search": _search,
    "external": _external,
    "checkpoint": _checkpoint,
    "neural": _neural,
}
_BUNDLED = frozenset(_FACTORIES)
#: Names whose factories take the text after the colon as it stands.
_RAW = {"external", "checkpoint"}


def _offered() -> dict[str, list[metadata.EntryPoint]]:
    """Entry points by name; none of them is loaded."""
    found: dict[str, list[metadata.EntryPoint]] = {}
    for point in metadata.entry_points(group=GROUP):
        found.setdefault(point.name, []).append(point)
    return found


def _package(point: metadata.EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value


_warned: set[str] = set()


def names() -> list[str]:
    """Names of the agents: bundled, registered, and offered by installed packages.

    A package cannot take the place of a bundled agent: that it tries is said once on stderr.
    """
    offered = _offered()
    for name in sorted(_BUNDLED & set(offered) - _warned):
        _warned.add(name)
        packages = ", ".join(sorted({_package(point) for point in offered[name]}))
        print(f"mjsim: {packages} offers an agent {name!r}, but that one is bundled and is played", file=sys.stderr)
    return sorted({*_FACTORIES, *offered})


def register(name: str, factory: Factory, raw: bool = False) -> None:
    """Add an agent: `factory(text, parameters)` returns an `Agent`, or any object with `act(observation, mask)`.

    An object that also has `act_batch(observations, masks)` is asked for many decisions at once where that is possible.

    Args:
        name: an identifier; it can be registered once.
        factory: gets the full text and the numbers given after the name, as dict; with `raw` the rest of the text as it stands.
    """
    if not name.isidentifier():
        raise UsageError(f"agent {name!r}: a name is letters, digits and _")
    if name in _FACTORIES:
        raise UsageError(f"agent {name!r} is registered already")
    _FACTORIES[name] = factory
    if raw:
        _RAW.add(name)


def _found(name: str) -> tuple[Factory, bool, str | None]:
    """(factory, whether it takes raw text, package that offers it or None) of a name."""
    if name in _FACTORIES:
        return _FACTORIES[name], name in _RAW, None
    offered = _offered().get(name)
    if not offered:
        known = names()
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        if multiprocessing.parent_process() is not None:
            hint += "; a worker process finds bundled agents and those of installed packages (docs/agents.md)"
        raise UsageError(f"unknown agent {name!r}{hint} (known: {', '.join(known)})")
    if len({_package(point) for point in offered}) > 1:
        packages = " and ".join(sorted(_package(point) for point in offered))
        raise UsageError(f"agent {name!r} is offered by {packages}; uninstall one of them")
    package = _package(offered[0])
    try:
        factory = offered[0].load()
    except Exception as error:
        raise MjsimError(
            f"agent {name!r} of the package {package} cannot be loaded ({offered[0].value}): {type(error).__name__}: {error}"
        ) from error
    if not callable(factory):
        raise MjsimError(f"agent {name!r} of the package {package}: {offered[0].value} is no factory(text, parameters)")
    return factory, bool(getattr(factory, "raw", False)), package


def _numbers(text: str, rest: str) -> dict[str, float]:
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
    return given


def make(text: str | Agent, rules: str | Rules | None = None) -> Agent:
    """The agent of a text such as `"greedy"` or `"greedy:exchange=4"`.

    `rules` are those that its `act` supposes ("douque-american" when left out); in play the table's rules count.
    Raises UsageError for an unknown name or parameter, MjsimError when an installed package's agent cannot be made.
    """
    agent = text if isinstance(text, Agent) else _made(str(text))
    if rules is not None:
        agent.rules = rules
    return agent


def _made(text: str) -> Agent:
    name, _, rest = text.partition(":")
    factory, raw, package = _found(name)
    given = rest if raw else _numbers(text, rest)
    try:
        made = factory(text, given)
    except MjsimError:
        raise
    except Exception as error:
        if package is None:
            raise
        raise MjsimError(f"agent {text!r} of the package {package} failed: {type(error).__name__}: {error}") from error
    if isinstance(made, Agent):
        return made
    if callable(getattr(made, "act", None)):
        from mjsim.agents.python_agent import PythonAgent

        agent = PythonAgent(text, made.act, getattr(made, "end", None))
        if callable(getattr(made, "act_batch", None)) and agent.end_address == 0:
            agent.act_batch = made.act_batch
        return agent
    raise MjsimError(
        f"agent {text!r}: its factory gave {type(made).__name__}, but an Agent or an object with act is needed"
    )


def make_four(agents: Any) -> list[Agent]:
    """Four agents, one for each seat, from one text for all, or four."""
    listed = split_agents(agents) if isinstance(agents, str) else list(agents)
    if len(listed) == 1:
        listed = listed * 4
    if len(listed) != 4:
        raise UsageError(f"agents: {len(listed)} of them, but there are four seats (one for all, or four)")
    return [make(a.strip() if isinstance(a, str) else a) for a in listed]
