"""A position from outside: checked, scored, answered. Owns FORMATS.md's "Position to score".

`read_position` refuses what cannot be, naming the field; the scorer of the rules' family does the rest.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from mjsim.errors import MjsimError, NotationError, UsageError
from mjsim.jit import call, entry
from mjsim.melds import KONG_CONCEALED, MELD_PUNG, meld_tiles, parse_melds
from mjsim.ruleset import Rules
from mjsim.ruleset import rules as make_rules
from mjsim.ruleset.positions import FAMILIES, Facts, Family, first_wrong
from mjsim.ruleset.presets import PRESETS
from mjsim.ruleset.record import (
    BY_DISCARD,
    NO_SHAPE,
    POSITION,
    POSITION_FLAGS,
    ROB_KONG,
    SCORE,
    SELF_DRAW,
    WIN_LEGAL,
)
from mjsim.tiles import N_KINDS, TEXT, parse_flowers, parse_tile, parse_tiles
from mjsim.view import WINDS

_BY = {"self_draw": SELF_DRAW, "discard": BY_DISCARD, "rob_kong": ROB_KONG}
_FLAG_BIT = {name: 1 << i for i, name in enumerate(POSITION_FLAGS)}
#: POSITION's layout, field by field; bytes shorter than their field are filled with zeros.
_PACK = struct.Struct("<34sb5s5sbbbbbbbbbbBhhi")
assert _PACK.size == POSITION.itemsize


@entry
def _score_all(positions, rules, scores):
    r = rules[0]
    for i in range(len(positions)):
        call(r.scorer, (positions[i], r, scores[i]))


@lru_cache(maxsize=256)
def _rules_of(name: str, options: tuple) -> Rules:
    """Kept by name, option, value and the value's type: False is not 0 to an option."""
    return Rules(name, {key: value for key, value, _ in options}).ready()


def _rules_for(position: Mapping[str, Any]) -> Rules:
    name = position.get("rules")
    if not isinstance(name, str):
        raise NotationError(f"rules: {name!r} is no name of a rule set")
    options = position.get("options")
    if options is None:
        options = {}
    elif not isinstance(options, Mapping):
        raise NotationError(f"options: {options!r} is no object such as {{'min_tai': 0}}")
    try:
        if "items" in options:
            return Rules(name, options).ready()
        return _rules_of(name, tuple(sorted((k, v, type(v).__name__) for k, v in options.items())))
    except TypeError:
        raise NotationError(f"options: {dict(options)!r} holds a value that is no option's") from None
    except UsageError as error:
        raise NotationError(f"{'options' if name in PRESETS else 'rules'}: {error}") from None


def _field(position: Mapping[str, Any], name: str, low: int, high: int, default: int | None = None) -> int:
    value = position.get(name, default)
    if type(value) is not int or not low <= value <= high:
        if value is None:
            raise NotationError(f"{name}: is missing ({low}-{high})")
        raise NotationError(f"{name}: {value!r} is no whole number of {low}-{high}")
    return value


@lru_cache(maxsize=4096)
def _meld(kind: str, text: str) -> tuple[int, int]:
    return parse_melds([[kind, text]])[0]


def _melds(position: Mapping[str, Any]) -> list[tuple[int, int]]:
    melds = position.get("melds")
    if melds is None:
        return []
    if type(melds) is not list or len(melds) > 5 or not all([type(meld) is list for meld in melds]):
        return parse_melds(melds)
    try:
        return [_meld(*meld) for meld in melds]
    except TypeError:
        return parse_melds(melds)


def _flags(position: Mapping[str, Any], family: Family) -> int:
    names = position.get("flags")
    if names is None:
        return 0
    if not isinstance(names, list):
        raise NotationError(f"flags: {names!r} is no list of names")
    flags = 0
    for name in names:
        if not isinstance(name, str) or name not in family.known:
            raise NotationError(f"flags: {name!r} is none of {', '.join(sorted(family.known))}")
        flags |= _FLAG_BIT[name]
    return flags & family.read


def _concealed(text: Any) -> list[int]:
    """Kinds of the concealed tiles."""
    if not isinstance(text, str):
        raise NotationError(f"hand: {text!r} is no text of the concealed tiles")
    try:
        kinds = parse_tiles(text)
    except NotationError as error:
        raise NotationError(f"hand: {error}") from None
    for kind in kinds:
        if kind >= N_KINDS:
            raise NotationError(f"hand: {TEXT[kind]} is a flower and stands in `flowers`")
    return kinds


@lru_cache(maxsize=64)
def _win_tile(text: Any) -> int:
    try:
        win = parse_tile(text)
    except NotationError as error:
        raise NotationError(f"win_tile: {error}") from None
    if win >= N_KINDS:
        raise NotationError(f"win_tile: {TEXT[win]} is a flower")
    return win


@lru_cache(maxsize=1024)
def _flowers(text: Any) -> int:
    try:
        return parse_flowers(text)
    except NotationError as error:
        raise NotationError(str(error) if str(error).startswith("flowers") else f"flowers: {error}") from None


def read_position(position: Mapping[str, Any], out: np.ndarray, i: int) -> Rules:
    """Check a position (FORMATS.md) and write it into place i of POSITION[...]; returns its rules.

    Raises NotationError or UsageError that begins with the field's name.
    """
    if not isinstance(position, Mapping):
        raise NotationError(f"position: {position!r} is no object")
    rules = _rules_for(position)
    family = FAMILIES[rules.family]
    melds = _melds(position)
    kinds = _concealed(position.get("hand"))
    n_melds = len(melds)
    if len(kinds) != 16 - 3 * n_melds:
        raise NotationError(
            f"hand: {len(kinds)} concealed tiles with {n_melds} melds, but {16 - 3 * n_melds} are needed "
            "(the winning tile is not among them)"
        )
    counts = bytearray(N_KINDS)
    for kind in kinds:
        counts[kind] += 1
    together = bytearray(counts)
    for meld, tile in melds:
        for kind in meld_tiles(meld, tile):
            together[kind] += 1
    if max(together) > 4:
        kind = together.index(max(together))
        field = "hand" if counts[kind] else "melds"
        raise NotationError(f"{field}: {together[kind]} copies of {TEXT[kind]} in hand and melds (a kind has four)")
    text = position.get("win_tile")
    if not isinstance(text, str):
        raise NotationError(f"win_tile: {text!r} is no tile")
    win = _win_tile(text)
    if together[win] == 4:
        raise NotationError(f"win_tile: a fifth copy of {TEXT[win]}")
    by = position.get("by")
    how = _BY.get(by, -1) if isinstance(by, str) else -1
    if how < 0:
        raise NotationError(f"by: {by!r} is none of {', '.join(_BY)}")
    if how == ROB_KONG and together[win]:
        raise NotationError(f"win_tile: a robbed kong holds the other three {TEXT[win]}, but one is in hand or melds")
    seat = _field(position, "seat", 0, 3)
    dealer = _field(position, "dealer", 0, 3, 0 if "dealer" in family.optional else None)
    payer = position.get("from")
    if how == SELF_DRAW:
        if payer is not None:
            raise NotationError(f"from: {payer!r} is given, but on a self-draw all three pay")
        payer = -1
    else:
        payer = _field(position, "from", 0, 3)
        if payer == seat:
            raise NotationError(f"from: {payer} is the winner's own seat")
    prevailing = position.get("prevailing", "1z" if "prevailing" in family.optional else None)
    if not isinstance(prevailing, str) or prevailing not in WINDS:
        raise NotationError(f"prevailing: {prevailing!r} is no wind (1z, 2z, 3z, 4z)")
    dice = position.get("dice")
    if dice is None and not rules.flags["dice_bonus"]:
        dice = (0, 0, 0)
    elif type(dice) is not list or len(dice) != 3 or not all([type(d) is int and 1 <= d <= 6 for d in dice]):
        raise NotationError(f"dice: {dice!r} is no list of three numbers 1-6")
    flowers = position.get("flowers")
    if flowers is None:
        flowers = ""
    if not isinstance(flowers, str):
        raise NotationError(f"flowers: {flowers!r} is no text such as '1f5f'")
    discards = position.get("discards")
    discards = -1 if discards is None else _field(position, "discards", 0, 144)
    east = _field(position, "east", 0, 3, dealer if "east" in family.optional else None)
    flags = _flags(position, family)
    if flags or family.checks_always:
        kongs = sum(meld[0] > MELD_PUNG for meld in melds)
        exposed = sum(meld[0] != KONG_CONCEALED for meld in melds)
        wrong = first_wrong(family, Facts(flags, how, seat, payer, dealer, east, n_melds, kongs, exposed, discards))
        if wrong is not None:
            raise NotationError(f"{wrong.field}: {wrong.text}")
    counts[win] += 1
    _PACK.pack_into(
        out,
        i * POSITION.itemsize,
        bytes(counts),
        n_melds,
        bytes(meld[0] for meld in melds),
        bytes(meld[1] for meld in melds),
        win,
        how,
        seat,
        payer,
        dealer,
        east,
        WINDS.index(prevailing),
        *dice,
        _flowers(flowers),
        _field(position, "streak", 0, rules.flags["streak_cap"], 0),
        discards,
        flags,
    )
    return rules


def answers_of(scores: np.ndarray, rules: Rules) -> list[dict[str, Any]]:
    """FORMATS.md's answers of SCORE[n]."""
    order = sorted(range(len(rules.item_ids)), key=rules.item_ids.__getitem__)
    ids = [rules.item_ids[number] for number in order]
    tai = scores["items"][:, order]
    row, place = np.nonzero(tai)
    items: list[list] = [[] for _ in range(len(scores))]
    for i, k, value in zip(row.tolist(), place.tolist(), tai[row, place].tolist(), strict=True):
        items[i].append([ids[k], value])
    out: list[dict[str, Any]] = []
    columns = (scores["status"].tolist(), items, scores["tai"].tolist(), scores["payments"].tolist())
    for status, listed, total, payments in zip(*columns, strict=True):
        if status == WIN_LEGAL:
            out.append({"win": True, "items": listed, "tai": total, "payments": payments})
        elif status == NO_SHAPE:
            out.append({"win": False, "reason": "shape"})
        else:
            out.append({"win": False, "reason": "minimum", "items": listed, "tai": total})
    return out


def score(position: Mapping[str, Any]) -> dict[str, Any]:
    """Score one position written as FORMATS.md's object and give its answer.

    Raises NotationError or UsageError for a position that cannot be; a hand that is not complete or has too few tai
    is an answer, not an error.
    """
    array = np.zeros(1, dtype=POSITION)
    rules = read_position(position, array, 0)
    scores = np.zeros(1, dtype=SCORE)
    _score_all(array, rules.array, scores)
    return answers_of(scores, rules)[0]


def score_batch(positions: np.ndarray, rules: str | Rules = "douque-american") -> np.ndarray:
    """Score many positions of one rule set.

    Args:
        positions: POSITION[n] (`mjsim.POSITION`, fields documented there); kinds 0-33, winning tile among the counts.
        rules: a `Rules` or a name.

    Returns: SCORE[n]. Raises NotationError with the index of the first position that cannot be.
    """
    rules = make_rules(rules).ready()
    positions = np.ascontiguousarray(positions)
    if positions.dtype != POSITION or positions.ndim != 1:
        raise UsageError(f"positions: {positions.dtype} of shape {positions.shape}, but mjsim.POSITION[n] is needed")
    _check_batch(positions, rules)
    scores = np.zeros(len(positions), dtype=SCORE)
    _score_all(positions, rules.array, scores)
    return scores


@entry
def _first_bad(positions, needs_dice, streak_cap):
    """Index and number of the first check that fails, or (-1, 0)."""
    held = np.zeros(34, np.int8)
    for i in range(len(positions)):
        p = positions[i]
        if p.n_melds < 0 or p.n_melds > 5:
            return i, 1
        total = 0
        for k in range(34):
            held[k] = p.counts[k]
            if p.counts[k] < 0:
                return i, 2
            total += p.counts[k]
        if total != 17 - 3 * p.n_melds:
            return i, 2
        for m in range(p.n_melds):
            kind = p.meld_type[m]
            tile = p.meld_tile[m]
            if kind < 0 or kind > 4 or tile < 0 or tile > 33 or (kind == 0 and (tile > 26 or tile % 9 > 6)):
                return i, 1
            if kind == 0:
                for j in range(3):
                    held[tile + j] += 1
            else:
                held[tile] += 3 if kind == 1 else 4
        for k in range(34):
            if held[k] > 4:
                return i, 3
        if p.win_tile < 0 or p.win_tile > 33 or p.counts[p.win_tile] == 0:
            return i, 4
        if p.how < 0 or p.how > 2 or (p.how == 0) != (p.payer == -1) or p.payer < -1 or p.payer > 3:
            return i, 5
        if p.seat < 0 or p.seat > 3 or p.dealer < 0 or p.dealer > 3 or p.east < 0 or p.east > 3 or p.seat == p.payer:
            return i, 6
        if p.prevailing < 0 or p.prevailing > 3 or p.streak < 0 or p.streak > streak_cap:
            return i, 7
        for die in range(3):
            if p.dice[die] < 0 or p.dice[die] > 6 or (p.dice[die] == 0 and needs_dice):
                return i, 8
        if p.flags < 0 or p.flags >= 1 << len(POSITION_FLAGS):
            return i, 9
    return -1, 0


_BATCH_ERRORS = {
    1: "n_melds, meld_type or meld_tile is out of range",
    2: "counts: 17 - 3 * n_melds concealed tiles are needed, the winning tile among them",
    3: "more than four copies of a kind in hand and melds",
    4: "win_tile is not among the counts",
    5: "how is not 0-2, or payer is not -1 on a self-draw and a seat otherwise",
    6: "seat, dealer or east is not 0-3, or payer is the winner",
    7: "prevailing is not 0-3, or streak is not 0 to the cap",
    8: "dice: three numbers 1-6 are needed",
    9: "flags: a bit that is no flag",
}


def _check_batch(positions: np.ndarray, rules: Rules) -> None:
    index, what = _first_bad(positions, rules.flags["dice_bonus"], rules.flags["streak_cap"])
    if index >= 0:
        raise NotationError(f"positions[{index}]: {_BATCH_ERRORS[what]}")
    p = positions
    family = FAMILIES[rules.family]
    there = np.arange(5) < p["n_melds"][:, None]
    facts = Facts(
        p["flags"] & family.read,
        *(p[name] for name in ("how", "seat", "payer", "dealer", "east", "n_melds")),
        (there & (p["meld_type"] > MELD_PUNG)).sum(axis=1),
        (there & (p["meld_type"] != KONG_CONCEALED)).sum(axis=1),
        p["discards"],
    )
    for wrong in family.wrong:
        bad = np.flatnonzero(wrong.found(facts))
        if len(bad):
            raise NotationError(f"positions[{bad[0]}]: {wrong.field}: {wrong.text}")


def score_lines(lines: Iterable[tuple[Any, str | None]], block: int = 2048) -> Iterator[dict[str, Any]]:
    """Answers of many positions in order; each line is (object, None) or (None, error of reading it).

    A bad line answers with its error and the others go on.
    """
    array = np.zeros(block, dtype=POSITION)
    where: list[tuple[Rules | None, int, dict]] = []
    groups: dict[str, tuple[Rules, list[int]]] = {}
    filled = 0

    def flush() -> Iterator[dict[str, Any]]:
        answers: list[dict] = [{}] * filled
        for rules, members in groups.values():
            chosen = array[:filled] if len(groups) == 1 else np.ascontiguousarray(array[members])
            scores = np.zeros(len(members), dtype=SCORE)
            _score_all(chosen, rules.array, scores)
            for member, one in zip(members, answers_of(scores, rules), strict=True):
                answers[member] = one
        for rules, slot, error in where:
            yield answers[slot] if rules is not None else error

    for value, problem in lines:
        if problem is None:
            try:
                rules = read_position(value, array, filled)
                groups.setdefault(rules.fingerprint, (rules, []))[1].append(filled)
                where.append((rules, filled, {}))
                filled += 1
            except MjsimError as error:
                problem = str(error)
        if problem is not None:
            where.append((None, 0, {"error": problem}))
        if filled == block or len(where) == 2 * block:
            yield from flush()
            where, groups, filled = [], {}, 0
    yield from flush()
