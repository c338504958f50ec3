"""What a position of each scoring family may leave out, which of its flags are read, and which cannot go with the rest.

The conditions work on whole numbers and on numpy columns alike, so that one position and a batch are judged by the same text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from mjsim.ruleset.record import (
    BY_DISCARD,
    F_CLOSED,
    F_EARTHLY,
    F_FLOWER_WALL,
    F_HEAVENLY,
    F_HUMAN,
    F_KONG_ON_KONG,
    F_LAST_TILE,
    F_MIGI,
    F_ORIGINAL_CALL,
    F_READY,
    F_REPLACEMENT,
    POSITION_FLAGS,
    ROB_KONG,
    SELF_DRAW,
)


class Facts(NamedTuple):
    """Fields of POSITION that flags are judged by, as numbers or as columns; `discards` is -1 where unknown."""

    flags: Any
    how: Any
    seat: Any
    payer: Any
    dealer: Any
    east: Any
    n_melds: Any
    n_kongs: Any
    n_exposed: Any  # melds that are no concealed kong
    discards: Any


class Wrong(NamedTuple):
    field: str
    text: str
    found: Callable[[Facts], Any]


class Family(NamedTuple):
    """How positions of a family are read."""

    known: frozenset[str]  # flags that may be given; one that is not read is ignored
    read: int  # bits of the flags that the scorer looks at
    optional: frozenset[str]  # fields that may be missing though other families need them
    wrong: tuple[Wrong, ...]

    @property
    def checks_always(self) -> bool:
        """Whether something is checked without any flag too."""
        return any(wrong.field != "flags" for wrong in self.wrong)


def _with(bits: int, other: Callable[[Facts], Any]) -> Callable[[Facts], Any]:
    return lambda f: (f.flags & bits != 0) & other(f)


def _both(a: int, b: int) -> Callable[[Facts], Any]:
    return lambda f: (f.flags & a != 0) & (f.flags & b != 0)


def _melds(f: Facts) -> Any:
    return f.n_melds > 0


_DOUQUE = Family(
    frozenset({"ready", "migi", "replacement", "last_tile", "heavenly", "earthly", "human"}),
    F_READY | F_MIGI | F_REPLACEMENT | F_LAST_TILE | F_HEAVENLY | F_EARTHLY | F_HUMAN,
    frozenset(),
    (
        Wrong("flags", "ready with migi cannot be", _both(F_READY, F_MIGI)),
        Wrong("flags", "heavenly with earthly cannot be", _both(F_HEAVENLY, F_EARTHLY)),
        Wrong("flags", "heavenly with human cannot be", _both(F_HEAVENLY, F_HUMAN)),
        Wrong("flags", "earthly with human cannot be", _both(F_EARTHLY, F_HUMAN)),
        *(
            Wrong("flags", f"{early} with {declared} cannot be", _both(a, b))
            for early, a in (("heavenly", F_HEAVENLY), ("earthly", F_EARTHLY), ("human", F_HUMAN))
            for declared, b in (("ready", F_READY), ("migi", F_MIGI))
        ),
        *(
            Wrong("flags", f"{name} cannot be with a meld", _with(bit, _melds))
            for name, bit in (("migi", F_MIGI), ("heavenly", F_HEAVENLY), ("earthly", F_EARTHLY), ("human", F_HUMAN))
        ),
        Wrong(
            "flags",
            "heavenly is for the dealer's self-draw only",
            _with(F_HEAVENLY, lambda f: (f.how != SELF_DRAW) | (f.seat != f.dealer)),
        ),
        Wrong(
            "flags",
            "earthly is for a non-dealer's self-draw only",
            _with(F_EARTHLY, lambda f: (f.how != SELF_DRAW) | (f.seat == f.dealer)),
        ),
        Wrong(
            "flags",
            "human is for a non-dealer's win on a discard only",
            _with(F_HUMAN, lambda f: (f.how != BY_DISCARD) | (f.seat == f.dealer)),
        ),
        Wrong("flags", "replacement cannot be with rob_kong", _with(F_REPLACEMENT, lambda f: f.how == ROB_KONG)),
    ),
)

#: four-winds 33: flags are taken at their word where `by` fits, which the scorer sees to.
_FOUR_WINDS = Family(
    frozenset(POSITION_FLAGS),
    F_ORIGINAL_CALL | F_HEAVENLY | F_LAST_TILE | F_EARTHLY,
    frozenset({"dealer", "east", "prevailing", "dice"}),
    (),
)

#: hk16 r39.
_HK16 = Family(
    frozenset(POSITION_FLAGS),
    F_CLOSED | F_LAST_TILE | F_FLOWER_WALL | F_HEAVENLY | F_EARTHLY | F_KONG_ON_KONG,
    frozenset({"east", "dice"}),
    (
        Wrong("east", "is not the dealer, who is East", lambda f: f.east != f.dealer),
        Wrong("flags", "flower_wall is for a self-draw only", _with(F_FLOWER_WALL, lambda f: f.how != SELF_DRAW)),
        Wrong(
            "flags",
            "kong_on_kong is for a self-draw with two kongs or more",
            _with(F_KONG_ON_KONG, lambda f: (f.how != SELF_DRAW) | (f.n_kongs < 2)),
        ),
        Wrong(
            "flags",
            "heavenly is for the dealer's self-draw without melds before any discard",
            _with(
                F_HEAVENLY,
                lambda f: (f.how != SELF_DRAW) | (f.seat != f.dealer) | (f.n_melds > 0) | (f.discards > 0),
            ),
        ),
        Wrong(
            "flags",
            "earthly is for the dealer's first discard and a hand without melds",
            _with(
                F_EARTHLY,
                lambda f: (
                    (f.how != BY_DISCARD)
                    | (f.payer != f.dealer)
                    | (f.n_melds > 0)
                    | ((f.discards != -1) & (f.discards != 1))
                ),
            ),
        ),
        Wrong("flags", "closed cannot be with five exposed melds", _with(F_CLOSED, lambda f: f.n_exposed == 5)),
        Wrong(
            "discards", "is 0, but the winning tile is a discard", lambda f: (f.how == BY_DISCARD) & (f.discards == 0)
        ),
    ),
)

#: house16 24: flags, dice and discards are ignored.
_HOUSE16 = Family(frozenset(POSITION_FLAGS), 0, frozenset({"east", "dice"}), ())

FAMILIES = {"douque": _DOUQUE, "four_winds": _FOUR_WINDS, "hk16": _HK16, "house16": _HOUSE16}


def first_wrong(family: Family, facts: Facts) -> Wrong | None:
    """The first condition that one position breaks."""
    for wrong in family.wrong:
        if wrong.found(facts):
            return wrong
    return None
