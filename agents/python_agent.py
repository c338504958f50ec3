"""`PythonAgent`: a Python function of observation and mask that sits at every table a compiled policy can sit at.

Compiled loops call it by address, as they call a policy: a C callback that takes the interpreter's lock. An exception cannot cross
compiled code: it is kept, the loop is stopped by an answer that no table accepts, and whoever ran the loop raises it.
"""

from __future__ import annotations

import ctypes
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from mjsim.actions import CHOW_PARTNERS, N_ACTIONS, format_action
from mjsim.agents.acting import check_shown
from mjsim.agents.registry import Agent, make
from mjsim.errors import MjsimError
from mjsim.hand_record import CLAIM, HAND
from mjsim.ruleset import Rules

#: C signature of a policy: addresses of hand, rules and parameters.
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)

#: The answer that stops a loop: no action, and not the order to begin (-1).
REFUSED = -2

_SEAT = HAND.fields["seat"][1]


class Called(Agent):
    """An agent that compiled loops call back; `_answer` is for the classes below."""

    def __init__(self, name: str) -> None:
        super().__init__(name, None)
        self._failure: BaseException | None = None
        self._callback = CALLBACK(self._called)
        self._address = int(ctypes.cast(self._callback, ctypes.c_void_p).value or 0)

    @property
    def address(self) -> int:
        return self._address

    def _called(self, hand: int, rules: int, parameters: int) -> int:
        if self._failure is not None:  # of the end of a hand, where no answer could stop the loop
            return REFUSED
        try:
            return self._answer(hand, rules)
        except BaseException as error:  # Ctrl-C among them: `complaint` gives it back
            self._failure = error
            return REFUSED

    def _answer(self, hand: int, rules: int) -> int:
        """The action of the seat that is asked in the hand at an address."""
        raise NotImplementedError

    def __deepcopy__(self, memo: dict[int, Any]) -> Called:
        """Itself: a copied table is played by the same agent, whose address has to stay."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """By name: a callback belongs to its process. What unpickles it has to know the name."""
        return make, (self.name,)

    def take_faults(self) -> list[dict[str, Any]]:
        """See `Agent`; raises what failed at the end of a hand and could stop no loop."""
        if self._failure is not None:
            raise self.complaint("")
        return []

    def complaint(self, what: str) -> BaseException:
        failure, self._failure = self._failure, None
        if failure is None:
            return MjsimError(what)
        if isinstance(failure, MjsimError) or not isinstance(failure, Exception):
            return failure
        error = MjsimError(f"agent {self.name!r}: {_in_a_line(failure)}")
        error.__cause__ = failure
        return error


def _in_a_line(error: Exception) -> str:
    """An exception with the place where it was raised."""
    where = traceback.extract_tb(error.__traceback__)
    place = f" ({where[-1].filename}:{where[-1].lineno})" if where else ""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}{': ' + text if text else ''}{place}"


class PythonAgent(Called):
    """An agent in Python.

    Args:
        name: what it is called in tables and errors.
        act: act(observation, mask) -> action number. `observation` int8[N_ROWS, 34], `mask` int8[147] with 1 for each legal
            action, both new at every call (rows: docs/observation.md, actions: docs/transcripts.md).
        end: end(scores), called when a hand is over in which it was asked: a list of four scores in tai from its own seat on, in
            turn order. Where it sits on several seats of a hand it is called for each.
        derived: fill the derived rows (shanten, ukeire).

    An exception in `act`, or an illegal answer, ends the run with one line that names agent and place.
    """

    def __init__(
        self,
        name: str,
        act: Callable[[np.ndarray, np.ndarray], int],
        end: Callable[[list[int]], Any] | None = None,
        derived: bool = True,
    ) -> None:
        super().__init__(name)
        self._function = act
        self._end = end
        self._derived = int(bool(derived))
        self._seats: dict[int, set[int]] = {}
        self._encoders: tuple[Any, Any, int] | None = None
        if end is not None:
            self._end_callback = CALLBACK(self._ended)
            self.end_address = int(ctypes.cast(self._end_callback, ctypes.c_void_p).value or 0)

    def act(self, observation: Any, mask: Any, rules: str | Rules | None = None) -> int:
        """The checked answer of its function; `rules` do not matter to it."""
        seen, legal = check_shown(observation, mask)
        return self._checked(seen, legal, None)

    def _answer(self, hand: int, rules: int) -> int:
        if self._encoders is None:
            from mjsim import observe

            self._encoders = observe.observe.python(), observe.legal_mask.python(), observe.N_ROWS
        encode, legal_mask, n_rows = self._encoders
        seat = ctypes.c_int8.from_address(hand + _SEAT).value
        seen = np.empty((n_rows, 34), dtype=np.int8)
        mask = np.empty(N_ACTIONS, dtype=np.int8)
        encode(hand, rules, seat, seen.ctypes.data, self._derived)
        legal_mask(hand, seat, mask.ctypes.data)
        if self._end is not None:
            self._seats.setdefault(hand, set()).add(seat)
        return self._checked(seen, mask, hand)

    def _checked(self, seen: np.ndarray, mask: np.ndarray, hand: int | None) -> int:
        legal = mask.tobytes()  # what it may do with its own copy does not matter
        answer = self._function(seen, mask)
        if isinstance(answer, (bool, np.bool_)) or not isinstance(answer, (int, np.integer)):
            raise MjsimError(
                f"agent {self.name!r} answered {answer!r}, but act gives an action number of 0-{N_ACTIONS - 1}"
            )
        if not 0 <= answer < N_ACTIONS or not legal[answer]:
            claimed = _claimed(hand)
            listed = ", ".join(action_text(a, claimed) for a in range(N_ACTIONS) if legal[a])
            what = action_text(int(answer), claimed) if 0 <= answer < N_ACTIONS else "no action"
            raise MjsimError(
                f"agent {self.name!r} answered {answer} ({what}), which is not legal here (legal: {listed})"
            )
        return int(answer)

    def _ended(self, hand: int, rules: int, parameters: int) -> int:
        seats = sorted(self._seats.pop(hand, ()))
        try:
            if seats and self._end is not None:
                scores = record_at(hand)["scores"].tolist()
                for seat in seats:
                    self._end(scores[seat:] + scores[:seat])
        except BaseException as error:
            self._failure = self._failure or error
        return 0  # no answer is expected


def record_at(address: int) -> np.void:
    """A copy of the HAND record at an address."""
    return np.frombuffer(ctypes.string_at(address, HAND.itemsize), dtype=HAND)[0]


def _claimed(hand: int | None) -> int | None:
    if hand is None:
        return None
    record = record_at(hand)
    return int(record["claim_tile"]) if record["phase"] == CLAIM else None


def action_text(action: int, claimed: int | None) -> str:
    """FORMATS.md's text; of a chow whose tile is not known, or that cannot be, its kind."""
    if action in CHOW_PARTNERS:
        try:
            return format_action(action, claimed)
        except MjsimError:
            return "a chow"
    return format_action(action)
