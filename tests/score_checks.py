"""What the tests of every scorer share: golden positions, plain random positions, comparison with a slow scorer."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import mjsim
from mjsim.position import read_position, score_lines
from tests.position_cases import CHOW_STARTS, NAMES, _kinds, _text

Position = dict[str, Any]
Oracle = Callable[[Position], dict[str, Any]]

GOLDEN = Path(__file__).parent / "golden"


def golden_positions(rules: str) -> list[Any]:
    """The golden positions of a rule set as parameters."""
    path = GOLDEN / f"{rules}.positions.jsonl"
    return [pytest.param(json.loads(text), id=str(i + 1)) for i, text in enumerate(path.read_text().splitlines())]


def score(position: Position) -> dict[str, Any]:
    """`mjsim.score`, which must leave the position as it was."""
    before = copy.deepcopy(position)
    answer = mjsim.score(position)
    assert position == before
    return answer


def with_items(position: Position, **values: int) -> Position:
    """The position with the tai of items changed, those that it changes already among them."""
    items = position.get("options", {}).get("items", {}) | values
    return {**position, "options": {"items": items}}


def plain_position(rng: Random, rules: str, flags: Sequence[str] = ()) -> Position:
    """A complete position as tiles fall: sets and pair drawn evenly, no thought given to what they score."""
    left = [4] * 34
    sets: list[tuple[str, int]] = []
    while len(sets) < 6:
        shape = "pair" if len(sets) == 5 else rng.choice(("chow", "chow", "pung"))
        kind = rng.choice(CHOW_STARTS) if shape == "chow" else rng.randrange(34)
        kinds = _kinds(shape, kind)
        if all(left[k] >= kinds.count(k) for k in kinds):
            sets.append((shape, kind))
            for k in kinds:
                left[k] -= 1
    n_melds = rng.randrange(6)
    melds = []
    for shape, kind in sets[:n_melds]:
        if shape == "chow":
            melds.append(["chow", _text(_kinds(shape, kind))])
        else:
            names = ["pung"] + ["kong_exposed", "kong_added", "kong_concealed"] * left[kind]
            melds.append([rng.choice(names), ""])
            n = 3 if melds[-1][0] == "pung" else 4
            left[kind] -= n - 3
            melds[-1][1] = _text([kind] * n)
    hand = sorted(k for shape, kind in sets[n_melds:] for k in _kinds(shape, kind))
    win = rng.choice(hand)
    hand.remove(win)
    dealer, seat = rng.randrange(4), rng.randrange(4)
    position: Position = {
        "rules": rules,
        "hand": _text(hand),
        "melds": melds,
        "win_tile": NAMES[win],
        "by": rng.choice(["self_draw", "discard"] + ["rob_kong"] * (left[win] == 3)),
        "seat": seat,
        "dealer": dealer,
        "east": dealer,
        "streak": rng.randrange(4),
        "prevailing": f"{rng.randint(1, 4)}z",
        "flowers": "".join(f"{f}f" for f in sorted(rng.sample(range(1, 9), rng.choice((0, 1, 2, 3, 5))))),
        "flags": [flag for flag in flags if rng.random() < 0.1],
        "discards": rng.randint(1, 60),
    }
    if position["by"] != "self_draw":
        position["from"] = (seat + rng.randint(1, 3)) % 4
    return position


def change_some_items(rng: Random, position: Position, ids: Sequence[str]) -> Position:
    """Now and then a few items at 0, doubled values and small ones, so that readings tie and exclusions fall away."""
    if rng.random() < 0.8:
        return position
    plain = mjsim.rules(position["rules"]).items
    values = {}
    for item in rng.sample(ids, rng.randint(1, len(ids))):
        values[item] = rng.choice((0, 0, 1, 2, 3, 2 * plain[item]))  # type: ignore[operator]
    return with_items(position, **values)


def compare(positions: Iterable[Position], oracle: Oracle) -> set[str]:
    """Score all and compare with the slow scorer; returns the items and reasons that were met."""
    positions = list(positions)
    met: set[str] = set()
    for position, answer in zip(positions, score_lines((p, None) for p in positions), strict=True):
        assert answer == oracle(position), position
        if answer["win"]:
            assert sum(answer["payments"]) == 0
            assert answer["tai"] == sum(tai for _, tai in answer["items"])
            met |= {item for item, _ in answer["items"]}
        else:
            met.add(answer["reason"])
    return met


def check_each_item_changed(positions: Sequence[Position], oracle: Oracle, item: str) -> int:
    """The item at 0, doubled and at an odd value, on positions that score it; returns on how many."""
    tried = 0
    for position in positions:
        base = dict(score(position).get("items", []))
        if item not in base:
            continue
        tried += 1
        for value in (0, 2 * mjsim.rules(position["rules"]).items[item], 2, 37):
            changed = with_items(position, **{item: value})
            answer = score(changed)
            assert answer == oracle(changed), changed
            assert value or item not in dict(answer["items"])
        if tried == 25:
            break
    return tried


def positions_array(positions: Sequence[Position]) -> np.ndarray:
    array = np.zeros(len(positions), dtype=mjsim.POSITION)
    for i, position in enumerate(positions):
        read_position(position, array, i)
    return array


def check_batch(positions: Sequence[Position], rules: str) -> None:
    """`score_batch` gives what `score` gives, and leaves the positions as they were."""
    array = positions_array(positions)
    before = array.copy()
    scores = mjsim.score_batch(array, rules)
    assert array.tobytes() == before.tobytes()
    ids = mjsim.rules(rules).item_ids
    for position, one in zip(positions, scores, strict=True):
        answer = score(position)
        assert (one["status"] == 0) == answer["win"]
        if answer["win"]:
            listed = sorted([ids[k], int(one["items"][k])] for k in np.flatnonzero(one["items"]))
            assert (listed, one["tai"], one["payments"].tolist()) == (
                answer["items"],
                answer["tai"],
                answer["payments"],
            )
        else:
            assert not one["items"].any() and not one["payments"].any() and one["tai"] == 0
