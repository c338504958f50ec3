"""Which plain flow knows which rule set: one table for the tests that go through several of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

from tests import naive_flow, naive_four_winds_flow, naive_hk16_flow, naive_house16_flow


class Oracle(NamedTuple):
    """The plain flow of a rule set; lines are FORMATS.md's transcripts, `random_line` and `rigged_line` their chance part."""

    replay: Callable[[dict[str, Any]], list[str]]
    play: Callable[..., dict[str, Any]]
    random_line: Callable[..., dict[str, Any]]
    rigged_line: Callable[..., dict[str, Any]]
    player: Callable[[random.Random], Any]  # chooses in the plain flow


def _at_random(rng: random.Random) -> Callable[[Any, int, list[str]], str]:
    return lambda hand, seat, legal: rng.choice(legal)


def _oracle(module: Any, player: Callable[[random.Random], Any]) -> Oracle:
    return Oracle(module.replay, module.play, module.random_line, module.rigged_line, player)


_DOUQUE = _oracle(naive_flow, _at_random)
ORACLES = {
    "douque-american": _DOUQUE,
    "douque-taiwanese": _DOUQUE,
    "four-winds": _oracle(naive_four_winds_flow, naive_four_winds_flow.Player),
    "hk16": _oracle(naive_hk16_flow, naive_hk16_flow.Player),
    "house16": _oracle(naive_house16_flow, naive_house16_flow.Greedy),
}


def replay(line: dict[str, Any]) -> list[str]:
    """What the plain flow of the line's rule set finds different in it."""
    return ORACLES[line["rules"]].replay(line)
