"""Tile kinds and their mpsz text. Owns the numbering of kinds and flowers; knows no rules.

Kinds 0-8 Characters (m), 9-17 Dots (p), 18-26 Bamboo (s), 27-33 honors (z), 34-41 flowers (f).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from mjsim.errors import NotationError

N_KINDS = 34
N_TILES = 144
N_FLOWERS = 8
FIRST_HONOR = 27
FIRST_DRAGON = 31
FIRST_FLOWER = 34
FLOWER_KINDS = range(FIRST_FLOWER, FIRST_FLOWER + N_FLOWERS)

SUITS = "mpsz"
_FIRST = {"m": 0, "p": 9, "s": 18, "z": 27, "f": 34}
_SIZE = {"m": 9, "p": 9, "s": 9, "z": 7, "f": 8}

#: Text of every kind, flowers included: TEXT[0] == "1m", TEXT[41] == "8f".
TEXT = [f"{n + 1}{suit}" for suit, size in _SIZE.items() for n in range(size)]
KIND = {text: kind for kind, text in enumerate(TEXT)}

#: One wall in order of kinds: four of each, then each flower once.
FULL_SET = np.array([k for k in range(N_KINDS) for _ in range(4)] + list(FLOWER_KINDS), dtype=np.uint8)


def parse_tiles(text: str) -> list[int]:
    """Kinds of a run of tiles, in the order written: `"123m55p11z"` -> `[0, 1, 2, 13, 13, 27, 27]`.

    Raises NotationError for text that is not mpsz notation.
    """
    if not isinstance(text, str):
        raise NotationError(f"tiles must be text such as '123m55p', not {text!r}")
    kinds: list[int] = []
    length = 0
    for run in _RUN.findall(text):
        length += len(run)
        kinds += _run_kinds(run)
    if length != len(text):
        raise NotationError(_what_is_wrong(text))
    return kinds


_RUN = re.compile(r"[0-9]+[mpszf]")


@lru_cache(maxsize=8192)
def _run_kinds(run: str) -> tuple[int, ...]:
    """Kinds of tiles that share their letter."""
    letter = run[-1]
    for digit in run[:-1]:
        if not 1 <= int(digit) <= _SIZE[letter]:
            raise NotationError(f"tiles {run!r}: there is no {digit}{letter} (numbers 1-{_SIZE[letter]})")
    return tuple(_FIRST[letter] + int(digit) - 1 for digit in run[:-1])


def _what_is_wrong(text: str) -> str:
    """Why a text is not made of runs."""
    after_digit = False
    for char in text:
        if "0" <= char <= "9":
            after_digit = True
        elif char not in _FIRST:
            return f"tiles {text!r}: unexpected {char!r} (digits and m, p, s, z, f)"
        elif not after_digit:
            return f"tiles {text!r}: '{char}' has no number before it"
        else:
            after_digit = False
    return f"tiles {text!r}: the last numbers have no letter (m, p, s, z or f)"


def parse_tile(text: str) -> int:
    """Kind of a single tile's text."""
    kinds = parse_tiles(text)
    if len(kinds) != 1:
        raise NotationError(f"tile {text!r}: exactly one tile such as '5m' is needed")
    return kinds[0]


def format_tiles(kinds: Iterable[int]) -> str:
    """Shortest text that keeps the order of `kinds`: a run of one suit shares its letter."""
    out: list[str] = []
    letter = ""
    for kind in kinds:
        number, suit = TEXT[kind]
        if letter and suit != letter:
            out.append(letter)
        out.append(number)
        letter = suit
    return "".join(out) + letter


def format_wall(wall: Iterable[int]) -> str:
    """Every tile with its own letter, as transcripts write walls."""
    return "".join(TEXT[kind] for kind in wall)


def format_counts(counts: Iterable[int]) -> str:
    """Text of a vector of counts, in order of kinds."""
    return format_tiles(kind for kind, n in enumerate(counts) for _ in range(int(n)))


def parse_hand(text: str) -> np.ndarray:
    """int8[34] counts of a hand's text. Flowers and five copies of a kind are refused."""
    counts = np.zeros(N_KINDS, dtype=np.int8)
    for kind in parse_tiles(text):
        if kind >= FIRST_FLOWER:
            raise NotationError(f"hand {text!r}: {TEXT[kind]} is a flower and stands beside the hand, not in it")
        counts[kind] += 1
        if counts[kind] > 4:
            raise NotationError(f"hand {text!r}: five copies of {TEXT[kind]} (a kind has four)")
    return counts


def format_flowers(mask: int) -> str:
    """Text of an 8-bit flower mask: bit 0 is 1f."""
    return format_tiles(FIRST_FLOWER + i for i in range(N_FLOWERS) if mask >> i & 1)


def parse_flowers(text: str) -> int:
    """8-bit mask of a flower text; bit 0 is 1f. A flower twice or another tile is refused."""
    mask = 0
    for kind in parse_tiles(text):
        if kind < FIRST_FLOWER:
            raise NotationError(f"flowers {text!r}: {TEXT[kind]} is no flower (1f-8f)")
        bit = 1 << (kind - FIRST_FLOWER)
        if mask & bit:
            raise NotationError(f"flowers {text!r}: {TEXT[kind]} stands twice (there is one of each)")
        mask |= bit
    return mask


def parse_wall(text: str | Iterable[int]) -> np.ndarray:
    """uint8[144] wall from its text or kinds; every tile of the set must stand in it exactly once."""
    if isinstance(text, str):
        kinds = parse_tiles(text)
    else:
        kinds = list(text) if isinstance(text, (Sequence, np.ndarray)) else [text]
        strange = [k for k in kinds if isinstance(k, bool) or not isinstance(k, (int, np.integer))]
        if strange:
            raise NotationError(f"wall: {strange[0]!r} is no kind (0-41); a wall is text or 144 kinds")
    if len(kinds) != N_TILES:
        raise NotationError(f"wall: {len(kinds)} tiles, but a wall has {N_TILES}")
    outside = [k for k in kinds if not 0 <= k < FIRST_FLOWER + N_FLOWERS]
    if outside:
        raise NotationError(f"wall: {outside[0]} is no kind (0-41)")
    have = np.bincount(kinds, minlength=42)
    want = np.bincount(FULL_SET, minlength=42)
    if (have != want).any():
        kind = int(np.flatnonzero(have != want)[0])
        raise NotationError(f"wall: {have[kind]} of {TEXT[kind]}, but the set has {want[kind]}")
    return np.array(kinds, dtype=np.uint8)
