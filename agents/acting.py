"""Asking an agent by what an environment shows: observation and mask in, action number out.

Owns the checks of what is given and the record that is rebuilt for compiled policies (`mjsim.unobserve`); knows no agent.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from mjsim.actions import N_ACTIONS
from mjsim.errors import UsageError
from mjsim.hand_record import HAND
from mjsim.ruleset import Rules
from mjsim.ruleset import rules as make_rules

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


@cache
def _rebuild() -> Any:
    from mjsim import unobserve

    return unobserve.rebuild.python()


def _plane(name: str, array: Any, shape: tuple[int, ...]) -> np.ndarray:
    """The array as int8 of the shape, in one piece."""
    found = np.asarray(array)
    if found.shape != shape or found.dtype.kind not in "iub":
        raise UsageError(f"{name}: {found.dtype}{list(found.shape)}, but int8{list(shape)} is needed")
    return np.ascontiguousarray(found, dtype=np.int8)


def check_shown(observation: Any, mask: Any) -> tuple[np.ndarray, np.ndarray]:
    """int8[N_ROWS, 34] and int8[147]; UsageError for another shape, or a mask without a legal action."""
    from mjsim.observe import N_ROWS

    seen = _plane("observation", observation, (N_ROWS, 34))
    legal = _plane("mask", mask, (N_ACTIONS,))
    if not legal.any():
        raise UsageError("mask: no action is legal; ask the agent when its seat is asked")
    return seen, legal


class Desk:
    """A record of one's own to rebuild hands in, with its own random stream.

    Attributes: `record` HAND[1]; the observer is seat 0 of it.
    """

    def __init__(self, seed: int) -> None:
        self.record = np.zeros(1, dtype=HAND)
        self.reseed(seed)

    def reseed(self, seed: int) -> None:
        for s in range(4):
            self.record["rng"][0, s] = ((seed + 1) * _GOLDEN + s) & _MASK

    def lay(self, observation: Any, mask: Any, rules: str | Rules) -> tuple[int, int]:
        """Rebuild the hand; returns the addresses of hand and rules.

        Raises UsageError for arrays of a wrong shape or of other rules, or when nothing is asked.
        """
        from mjsim import unobserve

        seen, legal = check_shown(observation, mask)
        checked = rules if isinstance(rules, Rules) else _rules(rules)
        address = checked.address
        here = self.record.ctypes.data
        code = _rebuild()(here, address, seen.ctypes.data, legal.ctypes.data)
        if code == unobserve.NOT_ASKED:
            raise UsageError("observation: nothing is asked of this seat; ask the agent when its seat is asked")
        if code == unobserve.OTHER_RULES:
            raise UsageError(f"observation: made under other rules than {checked!r}; give those of the table as rules=")
        if code != unobserve.REBUILT:
            raise UsageError(f"observation: no hand under {checked!r} shows this (an encoding of another version?)")
        return here, address


@cache
def _rules(name: str) -> Rules:
    return make_rules(name)
