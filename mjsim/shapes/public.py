"""`mjsim.shanten`, `mjsim.waits`, `mjsim.ukeire`: checks what users pass, then asks the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from mjsim.errors import NotationError, UsageError
from mjsim.jit import announce, entry, kernel
from mjsim.shapes import tables
from mjsim.shapes.kernels import POWER, distance, distance_keys, keys_of, reaching, tables_at
from mjsim.shapes.special import bits_of, special_lack, special_reaching
from mjsim.tiles import N_KINDS, TEXT, format_counts, parse_hand

if TYPE_CHECKING:
    from mjsim.ruleset import Rules

_INT8 = np.dtype(np.int8)
_address = 0


@entry
def _shanten_one(address, counts, melds):
    """Shanten of counts[34], or a code below -1: -2 a count outside 0-4, -3 a wrong number of tiles."""
    highest = np.uint8(0)
    for i in range(34):  # a negative count is a high one without its sign
        highest = max(highest, np.uint8(counts[i]))
    if highest > 4:
        return -2
    total = 0
    for i in range(34):
        total += counts[i]
    if melds < 0 or melds > 5 or (total != 16 - 3 * melds and total != 17 - 3 * melds):
        return -3
    return distance_counts(tables_at(address), counts, 5 - melds) - 1


@kernel
def distance_counts(t, counts, need):
    """`distance` of counts[34]."""
    m = 0
    p = 0
    s = 0
    for i in range(8, -1, -1):
        m = m * 5 + counts[i]
        p = p * 5 + counts[9 + i]
        s = s * 5 + counts[18 + i]
    z = 0
    for i in range(6, -1, -1):
        z = z * 5 + counts[27 + i]
    return distance(t, m, p, s, z, need)


@entry
def _shanten_many(address, hands, melds, out):
    for n in range(len(hands)):
        out[n] = _shanten_one(address, hands[n], melds)


@entry
def _lower_by_specials(hands, specials, out):
    """Lower the shanten out[n] of hands without melds to that of a special hand; codes below -1 stay."""
    for n in range(len(hands)):
        if out[n] > -1:
            one, two, three, four = bits_of(hands[n])
            out[n] = min(np.int64(out[n]), special_lack(specials, one, two, three, four) - 1)


@entry
def _reaching(address, counts, melds, specials):
    """(distance, bits of the kinds that lower it) of checked counts."""
    t = tables_at(address)
    keys = np.empty(4, np.int32)
    keys_of(counts, keys)
    now = distance_keys(t, keys, 5 - melds)
    if not specials:
        return now, reaching(t, counts, keys, 5 - melds, now - 1)
    one, two, three, four = bits_of(counts)
    special = special_lack(specials, one, two, three, four)
    # A tile lowers either distance by one at most, so the farther structure accepts nothing.
    bits = np.uint64(0)
    if now <= special:
        bits = reaching(t, counts, keys, 5 - melds, now - 1)
    if special <= now:
        bits |= special_reaching(specials, one, two, three, four, special - 1)
    return min(now, special), bits


def _tables() -> int:
    global _address
    if not _address:
        announce()
        _address = tables.address()
    return _address


@lru_cache(maxsize=64)
def _specials_of_name(name: str) -> int:
    from mjsim.ruleset import rules

    return int(rules(name).array["specials"][0])


def _specials(rules: str | Rules | None, melds: int) -> int:
    """Bits of the special hands that a hand with so many melds may become under the rules."""
    if rules is None:
        return 0
    if isinstance(rules, str):
        found = _specials_of_name(rules)
    else:
        array = getattr(rules, "array", None)
        if array is None:
            raise UsageError(f"rules: {rules!r} is neither the name of a rule set nor mjsim.Rules")
        found = int(array["specials"][0])
    return 0 if melds else found


def _complain(hand: object, melds: int, code: int) -> None:
    counts = np.asarray(hand)
    if code == -2:
        kind = int(np.flatnonzero((counts < 0) | (counts > 4))[0])
        raise NotationError(f"hand: {int(counts[kind])} copies of {TEXT[kind]} (0-4 are possible)")
    if not isinstance(melds, (int, np.integer)) or not 0 <= melds <= 5:
        raise NotationError(f"melds must be a number 0-5, not {melds!r}")
    have = int(counts.sum())
    raise NotationError(
        f"hand: {have} concealed tiles with {melds} melds, but {16 - 3 * melds} or {17 - 3 * melds} are needed"
    )


def shanten(hand: str | np.ndarray, melds: int = 0, rules: str | Rules | None = None) -> int | np.ndarray:
    """Tiles still to be exchanged before the hand is ready: 0 is ready by shape, -1 complete.

    Args:
        hand: the concealed tiles alone, as text (`"123m55p..."`), int8[34], or int8[n, 34] for n hands at once;
            16 - 3 * melds or 17 - 3 * melds tiles each.
        melds: number of called melds, 0-5.
        rules: a rule set whose special hands count too (seven pairs and a triplet, 13 and 16 Orphans); they have no melds.

    Returns: an int, or int8[n]. The target hand has five melds and a pair, each kind at most four times among
    the concealed tiles; what the melds hold does not matter.

    Raises NotationError for malformed text, more than four of a kind or a wrong number of tiles; UsageError for unknown rules.
    """
    # The usual case first: this call is made millions of times.
    if (
        type(hand) is np.ndarray
        and type(melds) is int
        and hand.dtype is _INT8
        and hand.ndim == 1
        and hand.size == N_KINDS
        and rules is None
    ):
        value = _shanten_one(_address or _tables(), hand, melds)
        if value < -1:
            _complain(hand, melds, value)
        return value
    if isinstance(melds, bool) or not isinstance(melds, (int, np.integer)):
        raise NotationError(f"melds must be a number 0-5, not {melds!r}")
    melds = int(melds)
    if isinstance(hand, str):
        hand = parse_hand(hand)
    hands = np.asarray(hand)
    if hands.shape[-1:] != (N_KINDS,) or hands.ndim not in (1, 2) or hands.dtype.kind not in "iu":
        raise NotationError(f"hand: shape {hands.shape} of {hands.dtype}, but int8[34] or int8[n, 34] is needed")
    if hands.size and (hands.min() < 0 or hands.max() > 4):
        _complain(hands[((hands < 0) | (hands > 4)).any(axis=1)][0] if hands.ndim == 2 else hands, melds, -2)
    hands = np.ascontiguousarray(hands, dtype=np.int8)
    specials = _specials(rules, melds)
    if hands.ndim == 1:
        if not specials:
            return shanten(hands, melds)
        return int(_shanten_all(hands[None], melds, specials)[0])
    return _shanten_all(hands, melds, specials)


def _shanten_all(hands: np.ndarray, melds: int, specials: int) -> np.ndarray:
    """int8[n] of int8[n, 34]."""
    out = np.empty(len(hands), dtype=np.int8)
    _shanten_many(_tables(), hands, melds, out)
    if len(out) and out.min() < -1:
        bad = int(np.flatnonzero(out < -1)[0])
        _complain(hands[bad], melds, int(out[bad]))
    if specials:
        _lower_by_specials(hands, specials, out)
    return out


def _checked(hand: str | np.ndarray, melds: int | Sequence) -> tuple[np.ndarray, int, np.ndarray]:
    """Counts, number of melds, and counts of the tiles in the melds (zero where only a number is given)."""
    from mjsim.melds import meld_counts, parse_melds

    if isinstance(melds, (int, np.integer)):
        number, held = int(melds), np.zeros(N_KINDS, dtype=np.int8)
    else:
        parsed = parse_melds(melds)
        number, held = len(parsed), meld_counts(parsed)
    counts = parse_hand(hand) if isinstance(hand, str) else np.asarray(hand, dtype=np.int8)
    shanten(counts, number)
    together = counts + held
    if (together > 4).any():
        kind = int(np.argmax(together > 4))
        raise NotationError(f"hand and melds: {int(together[kind])} copies of {TEXT[kind]} (a kind has four)")
    return counts, number, held


def waits(hand: str | np.ndarray, melds: int | Sequence = 0, rules: str | Rules | None = None) -> list[int]:
    """Kinds that complete a hand of 16 - 3 * melds concealed tiles and of which the player does not hold all four.

    Args:
        hand: concealed tiles, as text or int8[34].
        melds: their number, or the melds themselves as FORMATS.md writes them (`[["pung", "555m"]]`): only then
            can the copies in them be counted (rulings, *Waits and shapes* 1).
        rules: a rule set whose special hands count too.

    Returns: kinds in ascending order; empty when the hand is not ready.
    """
    counts, number, held = _checked(hand, melds)
    if int(counts.sum()) % 3 != 1:
        raise NotationError(
            f"hand {format_counts(counts)!r}: waits are those of {16 - 3 * number} tiles, before a draw"
        )
    lack, bits = _reaching(_tables(), counts, number, _specials(rules, number))
    if lack != 1:
        return []
    return [k for k in range(N_KINDS) if int(bits) >> k & 1 and counts[k] + held[k] < 4]


def ukeire(
    hand: str | np.ndarray,
    melds: int | Sequence = 0,
    seen: np.ndarray | None = None,
    rules: str | Rules | None = None,
) -> dict[int, int]:
    """Accepting draws: the kinds that lower the shanten of the hand, each with the copies not yet seen.

    Args:
        hand: 16 - 3 * melds (or one more) concealed tiles, as text or int8[34].
        melds: their number, or the melds themselves (their tiles then count as seen).
        seen: int[34] of copies visible elsewhere (discards, others' melds), besides hand and own melds.
        rules: a rule set whose special hands count too.

    Returns: {kind: copies left}, without the kinds of which none is left.
    """
    counts, number, held = _checked(hand, melds)
    left = 4 - counts - held - (0 if seen is None else np.asarray(seen))
    if (left < 0).any():
        kind = int(np.argmax(left < 0))
        raise NotationError(f"seen: more than four copies of {TEXT[kind]} with hand and melds")
    _, bits = _reaching(_tables(), counts, number, _specials(rules, number))
    return {k: int(left[k]) for k in range(N_KINDS) if int(bits) >> k & 1 and left[k] > 0}


__all__ = ["POWER", "shanten", "ukeire", "waits"]
