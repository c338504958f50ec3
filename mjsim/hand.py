"""`mjsim.Hand`: one hand stepped from Python, a thin view of its record.

Owns checking what users pass and the list of decisions made; everything else is the flow's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from mjsim import view
from mjsim.actions import BEGIN, N_ACTIONS, format_action, parse_action
from mjsim.errors import IllegalAction, UsageError
from mjsim.hand_record import CLAIM, HAND, OVER, PHASES, copy_records
from mjsim.ruleset import Rules
from mjsim.ruleset import rules as make_rules
from mjsim.tiles import format_wall, parse_wall


@cache
def engine_calls() -> tuple[Any, Any]:
    """(apply, lay) as Python functions on addresses; compiles the flow on first use."""
    from mjsim.flow import engine

    return engine.apply.python(), engine.lay.python()


def _number(name: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        raise UsageError(f"{name}: {value!r} is no whole number of {low}-{high}")
    return int(value)


def check_dice(dice: Any) -> list[int]:
    """Three numbers 1-6."""
    if not isinstance(dice, (Sequence, np.ndarray)) or isinstance(dice, str) or len(dice) != 3:
        raise UsageError(f"dice: {dice!r} is no list of three numbers 1-6")
    return [_number("dice", die, 1, 6) for die in dice]


def check_pairings(pairings: Any) -> list[list[int]]:
    """Up to two lists; in each, seat s gives to the seat at place s, nobody to itself."""
    if not isinstance(pairings, (Sequence, np.ndarray)) or isinstance(pairings, str) or len(pairings) > 2:
        raise UsageError(f"pairings: {pairings!r} is no list of two pairings such as [1, 0, 3, 2]")
    out = []
    for row in pairings:
        listed = list(row) if isinstance(row, (Sequence, np.ndarray)) else []
        if not all(isinstance(x, (int, np.integer)) and not isinstance(x, bool) for x in listed):
            raise UsageError(f"pairings: {row!r} is no list of seats such as [1, 0, 3, 2]")
        listed = [int(x) for x in listed]
        if sorted(listed) != [0, 1, 2, 3] or any(receiver == giver for giver, receiver in enumerate(listed)):
            raise UsageError(f"pairings: {listed} must name each seat 0-3 once and nobody itself")
        out.append(listed)
    return out


def check_wind(value: Any) -> int:
    """0-3 from a number or FORMATS.md's text."""
    if isinstance(value, str):
        if value not in view.WINDS:
            raise UsageError(f"prevailing: {value!r} is no wind (1z, 2z, 3z, 4z)")
        return view.WINDS.index(value)
    return _number("prevailing", value, 0, 3)


def check_carry(carry: Any, rules: Rules) -> int:
    """The pool of FORMATS.md's `carry`."""
    if not carry:
        return 0
    if not isinstance(carry, Mapping) or set(carry) != {"pool"} or not rules.flags["draw_pool"]:
        wanted = "{'pool': 20}" if rules.flags["draw_pool"] else "nothing"
        raise UsageError(f"carry: {carry!r} (in {rules.name} a hand receives {wanted})")
    return _number("carry: pool", carry["pool"], 0, 1_000_000)


class Hand:
    """A hand in play.

    Args:
        rules: a `Rules` or the name of a rule set.
        seed, match, hand: where the luck comes from; `hand` 0 is the first of its match.
        wall: 144 tiles from the break, as text or kinds, instead of the seed's.
        dice, pairings: instead of the seed's.
        dealer, streak, prevailing: the standing; `prevailing` as 0-3 or "1z".."4z".
        east: the seat whose wall is broken; by default it follows from dice, dealer and `hand` under the rules.
        carry: what the hand receives from the one before, `{"pool": 20}` where the rules have a pool.

    Raises UsageError or NotationError for what cannot be; IllegalAction when an action is not legal here.
    """

    def __init__(
        self,
        rules: str | Rules = "douque-american",
        *,
        seed: int | None = None,
        match: int = 0,
        hand: int = 0,
        wall: str | Sequence[int] | np.ndarray | None = None,
        dice: Sequence[int] | None = None,
        pairings: Sequence[Sequence[int]] | None = None,
        dealer: int = 0,
        streak: int = 0,
        prevailing: int | str = 0,
        east: int | None = None,
        carry: Mapping[str, Any] | None = None,
    ) -> None:
        self.rules = make_rules(rules)
        if seed is None and wall is None:
            raise UsageError("a hand needs a seed, or a wall of its own")
        if seed is None and (dice is None or (self.rules.flags["exchange"] and pairings is None)):
            raise UsageError("a hand without a seed needs wall, dice and (with an exchange) pairings")
        self.seed = None if seed is None else _number("seed", seed, 0, 2**62 - 1)
        self.decisions: list[tuple[int, str]] = []
        self._legal: list[list[str]] = []
        self._apply, lay = engine_calls()
        self._rules_address = self.rules.address
        self._own(np.zeros(1, dtype=HAND))
        record = self._array[0]
        record["dealer"] = _number("dealer", dealer, 0, 3)
        record["streak"] = _number("streak", streak, 0, self.rules.flags["streak_cap"])
        record["prevailing"] = check_wind(prevailing)
        record["pool"] = check_carry(carry, self.rules)
        lay(
            self._address,
            self._rules_address,
            self.seed or 0,
            _number("match", match, 0, 2**62),
            _number("hand", hand, 0, 2**62),
        )
        if wall is not None:
            record["wall"] = parse_wall(wall)
        if dice is not None:
            record["dice"] = check_dice(dice)
            if self.rules.flags["east_from_dice"] and hand > 0:
                record["east"] = (dealer + sum(check_dice(dice)) - 1) % 4
        if pairings is not None:
            for e, row in enumerate(check_pairings(pairings)):
                record["pairings"][e] = row
        if east is not None:
            record["east"] = _number("east", east, 0, 3)
        self._apply(self._address, self._rules_address, BEGIN)

    def _own(self, array: np.ndarray) -> None:
        self._array = array
        self._texts: list[str] | None = None  # legal actions of the decision at hand, once asked for
        self._address = array.ctypes.data
        self._words = array["legal"][0]
        self._seat = array["seat"]
        self._phase = array["phase"]

    @property
    def record(self) -> np.void:
        """The HAND record itself (see `mjsim.hand_record`): reading it is safe, writing it is at your own risk."""
        return self._array[0]

    @property
    def seat(self) -> int | None:
        """The seat that has to decide, None when the hand is over."""
        return None if self.over else int(self._seat[0])

    @property
    def over(self) -> bool:
        return bool(self._phase[0] == OVER)

    @property
    def phase(self) -> str:
        """What is asked: give, choice, turn, claim, rob, flower, declare; or over."""
        return PHASES[int(self._phase[0])]

    def _claimed(self) -> int:
        return int(self.record["claim_tile"]) if self._phase[0] == CLAIM else -1

    def legal(self) -> list[str]:
        """Legal actions of `seat` as FORMATS.md's texts, sorted; empty when the hand is over."""
        if self._texts is None:
            self._texts = view.legal_texts(self._words.tolist(), self._claimed())
        return list(self._texts)

    def legal_mask(self) -> np.ndarray:
        """int8[147]: 1 for each legal action number (`mjsim.actions`)."""
        return view.legal_mask(self._words)

    def apply(self, action: str | int) -> Hand:
        """Make a decision and go on to the next one; returns self."""
        if self.over:
            raise IllegalAction(f"action {action!r}: the hand is over")
        seat, claimed = int(self._seat[0]), self._claimed()
        number = parse_action(action, claimed if claimed >= 0 else None) if isinstance(action, str) else action
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or not 0 <= number < N_ACTIONS:
            raise IllegalAction(f"action {action!r} of seat {seat} is no action number (0-{N_ACTIONS - 1})")
        legal = self.legal()
        if self._apply(self._address, self._rules_address, int(number)) != 0:
            raise IllegalAction(f"action {action!r} is not legal for seat {seat} here (legal: {', '.join(legal)})")
        self._texts = None
        self.decisions.append((seat, format_action(int(number), claimed)))
        self._legal.append(legal)
        return self

    def copy(self) -> Hand:
        """An independent hand with the same future."""
        other = object.__new__(Hand)
        other.rules, other.seed = self.rules, self.seed
        other.decisions, other._legal = list(self.decisions), list(self._legal)
        other._apply, other._rules_address = self._apply, self._rules_address
        other._own(copy_records(self._array))
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict) -> Hand:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        return {
            "rules": self.rules,
            "seed": self.seed,
            "decisions": self.decisions,
            "legal": self._legal,
            "record": self._array.tobytes(),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.rules, self.seed = state["rules"], state["seed"]
        self.decisions, self._legal = state["decisions"], state["legal"]
        self._apply, _ = engine_calls()
        self._rules_address = self.rules.address
        self._own(copy_records(np.frombuffer(state["record"], dtype=HAND)))

    @property
    def scores(self) -> list[int]:
        """Score of each seat, in tai; zero until the hand is over."""
        return self.record["scores"].tolist()

    @property
    def settlements(self) -> list[dict[str, Any]]:
        return view.settlements(self.record, self.rules.item_ids)

    @property
    def end(self) -> str | None:
        """`win`, `flower` or `draw`; None while the hand is in play."""
        return view.end_text(self.record) or None

    @property
    def next(self) -> dict[str, Any] | None:
        """Dealer, streak, prevailing wind and carry of the next hand; None in mid-hand and where the rules end the match."""
        return view.next_hand(self.record, self.rules) if self.over else None

    def transcript(self, legal: bool = False) -> dict[str, Any]:
        """The finished hand as FORMATS.md's transcript line; `legal` adds the legal actions of each decision."""
        if not self.over:
            raise UsageError("transcript: the hand is still in play")
        return view.line_of(self.record, self.rules, self.seed, self.decisions, self._legal if legal else None)

    def __repr__(self) -> str:
        wall = format_wall(self.record["wall"])
        who = "over" if self.over else f"seat {self.seat} to {self.phase}"
        return f"<mjsim.Hand {self.rules.name}: {who}, {len(self.decisions)} decisions, wall {wall[:16]}...>"
