"""Called melds: their types, text and the tiles in them. Owns the numbering of meld types; knows no rules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mjsim.errors import NotationError
from mjsim.tiles import FIRST_HONOR, N_KINDS, TEXT, format_tiles, parse_tiles

CHOW, MELD_PUNG, KONG_EXPOSED, KONG_ADDED, KONG_CONCEALED = range(5)
MELD_NAMES = ("chow", "pung", "kong_exposed", "kong_added", "kong_concealed")
_SIZE = (3, 3, 4, 4, 4)


def meld_tiles(kind_of_meld: int, tile: int) -> list[int]:
    """Kinds of a meld, `tile` being its lowest."""
    return [tile, tile + 1, tile + 2] if kind_of_meld == CHOW else [tile] * _SIZE[kind_of_meld]


def format_meld(kind_of_meld: int, tile: int) -> list[str]:
    """`["chow", "345p"]`"""
    return [MELD_NAMES[kind_of_meld], format_tiles(meld_tiles(kind_of_meld, tile))]


def parse_melds(melds: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """(type, lowest kind) of each meld written as `[type, tiles]`; at most five."""
    if isinstance(melds, (str, bytes)) or not isinstance(melds, Sequence):
        raise NotationError(f"melds must be a list such as [['pung', '555m']], not {melds!r}")
    if len(melds) > 5:
        raise NotationError(f"melds: {len(melds)} of them (at most 5)")
    out = []
    for meld in melds:
        if not (isinstance(meld, Sequence) and len(meld) == 2 and meld[0] in MELD_NAMES):
            raise NotationError(f"melds: {meld!r} is not [type, tiles] with a type of {', '.join(MELD_NAMES)}")
        name, text = meld
        try:
            kinds = sorted(parse_tiles(text))
        except NotationError as error:
            raise NotationError(f"melds: {error}") from None
        number = MELD_NAMES.index(name)
        low = kinds[0] if kinds else -1
        in_one_suit = number != CHOW or (0 <= low < FIRST_HONOR and low % 9 <= 6)
        if not kinds or not in_one_suit or kinds[-1] >= N_KINDS or kinds != meld_tiles(number, low):
            raise NotationError(f"melds: {text!r} is no {name}")
        out.append((number, low))
    return out


def meld_counts(melds: Sequence[tuple[int, int]]) -> np.ndarray:
    """int8[34] of the tiles in the melds; five copies of a kind are refused."""
    counts = np.zeros(N_KINDS, dtype=np.int8)
    for number, low in melds:
        for kind in meld_tiles(number, low):
            counts[kind] += 1
    if (counts > 4).any():
        raise NotationError(f"melds: five copies of {TEXT[int(np.argmax(counts > 4))]} (a kind has four)")
    return counts
