"""A HAND record as plain Python numbers, and the few words that every part of `mjsim.check` needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from mjsim.actions import OTHER
from mjsim.hand_record import GIVE, OVER, ROB
from mjsim.ruleset import Rules
from mjsim.ruleset.record import ROB_KONG, S_WIN
from mjsim.tiles import TEXT

SEATS = range(4)
#: The fourth West Wind of a chase is kept back (hk16 r22).
WEST = 29


class Plain:
    """The record's fields as plain Python numbers and lists, and what its rules say about them."""

    def __init__(self, record: np.void, rules: Rules | None) -> None:
        self.rules = rules
        for name in record.dtype.names:
            if name not in ("position", "score"):
                setattr(self, name, record[name].tolist())

    def flag(self, name: str) -> Any:
        """The value of a flag; None where no rules were given."""
        return None if self.rules is None else self.rules.flags[name]

    def item(self, name: str) -> int:
        """The number of an item that the flow settles (a field of RULES), -1 where the rules have none."""
        return -1 if self.rules is None else int(self.rules.array[f"{name}_item"][0])

    def tai(self, name: str, grade: int = 0) -> int:
        """What such an item scores."""
        value = self.rules.items[self.rules.item_ids[self.item(name)]] if self.rules is not None else 0
        return value[grade] if isinstance(value, list) else value

    def drawable(self) -> int | None:
        """Tiles that may still be drawn; None where no rules were given."""
        return None if self.rules is None else self.tail - self.head - self.rules.flags["kept_back"]

    def opening(self) -> bool:
        """Whether a seat is asked between the opening flowers and the dealer's first turn."""
        return self.n_discards == 0 and self.resume < 0

    def dealt(self, seat: int) -> list[int]:
        """How many tiles the seat may hold after the deal."""
        if seat != self.dealer:
            return [16]
        first = self.flag("dealer_draws_first")
        return [16, 17] if first is None else [16 if first else 17]


def bits(kinds: Any) -> int:
    return sum(1 << int(k) for k in kinds)


def kinds_of(word: int) -> list[int]:
    return [k for k in range(64) if word >> k & 1]


def text_of(kinds: Any) -> str:
    return " ".join(TEXT[k] if k < len(TEXT) else f"bit {k}" for k in kinds) or "none"


def has(word: int, action: int) -> bool:
    """Whether a word of actions without a kind has this one."""
    return bool(word >> (action - OTHER) & 1)


def chased(h: Any, kind: int, at: int) -> int:
    """The seat that pays if the discard `at` is the fourth copy of the kind, -1 for nobody (hk16 r21).

    It is the first copy's discarder, if it has not begun a turn since; `at` may be the discard that comes next.
    """
    by = h.discarder[at] if at < h.n_discards else h.turn
    copies = [i for i in range(at) if h.discards[i] == kind]
    if len(copies) != 3:
        return -1
    payer = h.discarder[copies[0]]
    began_a_turn = by == payer or payer in h.discarder[copies[0] + 1 : at]
    return -1 if began_a_turn else payer


def robbed(h: Any) -> bool:
    """Whether the tile of an added kong was won."""
    return any(
        h.settle_kind[i] == S_WIN and h.settle_how[i] == ROB_KONG for i in range(max(0, min(h.n_settlements, 4)))
    )


def in_transit(h: Any) -> list[int]:
    """Tiles that are in no hand, meld or discard: given and not yet moved, or added to a pung and not yet a kong."""
    tiles = []
    if h.phase == GIVE:
        tiles += [k for row in h.gives[h.round] for k in row if k >= 0]
    if h.phase == ROB or (h.phase == OVER and robbed(h)):
        tiles.append(h.claim_tile)
    return tiles
