"""Positions of Douque to score: golden answers, the naive scorer, every error, items as options; and `Rules` of all rule sets.

Positions of the other rule sets are in `test_score_four_winds`, `test_score_hk16` and `test_score_house16`.
"""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mjsim
from mjsim.errors import MjsimError, NotationError, UsageError
from mjsim.position import read_position, score_lines
from mjsim.ruleset.douque_items import ITEMS
from mjsim.ruleset.flags import BY_NAME, FLAGS
from mjsim.ruleset.presets import PRESETS
from tests import naive
from tests.flag_values import POSSIBLE, REFUSED, case_id, lacking_item, options_with
from tests.position_cases import random_winning_positions
from tests.sizes import size

GOLDEN = Path(__file__).parent / "golden"
BOTH = ("douque-american", "douque-taiwanese")


def golden() -> list[Any]:
    found = []
    for path in sorted(GOLDEN.glob("douque-*.positions.jsonl")):
        for number, text in enumerate(path.read_text().splitlines(), 1):
            found.append(pytest.param(json.loads(text), id=f"{path.name}:{number}"))
    return found


def score(position: dict[str, Any]) -> dict[str, Any]:
    before = copy.deepcopy(position)
    answer = mjsim.score(position)
    assert position == before, "the position is left unchanged"
    return answer


def items(position: dict[str, Any]) -> dict[str, int]:
    answer = score(position)
    assert answer["win"], answer
    assert answer["tai"] == sum(tai for _, tai in answer["items"])
    return dict(answer["items"])


# --- against others -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", golden())
def test_golden_position(case: dict[str, Any]) -> None:
    assert score(case["position"]) == case["answer"]


def test_example_of_the_formats_page() -> None:
    assert score(POSITION) == {
        "win": True,
        "items": [["declare_ready", 1], ["dice_bonus", 1], ["dragon_pung", 1], ["seat_wind", 1]],
        "tai": 4,
        "payments": [0, 7, -7, 0],
    }


def compare(n: int, seed: int) -> None:
    """`score_lines` against the naive scorer on n random positions of each rule set, options included."""
    for rules in BOTH:
        positions = list(random_winning_positions(n, seed, rules))
        kinds: set[str] = set()
        for position, answer in zip(positions, score_lines((p, None) for p in positions), strict=True):
            wanted = naive.score_position(position)
            assert answer == wanted, position
            if answer["win"]:
                assert sum(answer["payments"]) == 0 and all(type(p) is int for p in answer["payments"])
                kinds |= {item for item, _ in answer["items"]}
            else:
                kinds.add(answer["reason"])
        if n >= 1000:
            missing = {item.id for item in ITEMS} - kinds - {"seven_robs_one", "eight_immortals"}
            assert missing <= {"big_four_winds"} and {"shape", "minimum"} <= kinds, missing


def test_score_agrees_with_the_naive_scorer() -> None:
    compare(2_000, 21)


@pytest.mark.slow
def test_score_agrees_with_the_naive_scorer_on_100000_positions() -> None:
    compare(size(50_000), 22)


def test_score_of_a_mapping_equals_its_line() -> None:
    positions = list(random_winning_positions(300, 23, "douque-american"))
    answers = list(score_lines((json.loads(json.dumps(p)), None) for p in positions))
    assert answers == [score(position) for position in positions]


@pytest.mark.parametrize("rules", BOTH)
def test_score_batch_equals_score(rules: str) -> None:
    positions = [p for p in random_winning_positions(1500, 24, rules) if "options" not in p]
    array = np.zeros(len(positions), dtype=mjsim.POSITION)
    for i, position in enumerate(positions):
        read_position(position, array, i)
    before = array.copy()
    scores = mjsim.score_batch(array, rules)
    assert scores.dtype == mjsim.SCORE and array.tobytes() == before.tobytes()
    ids = mjsim.rules(rules).item_ids
    for position, one in zip(positions, scores, strict=True):
        answer = score(position)
        assert (one["status"] == 0) == answer["win"]
        if answer["win"]:
            assert one["payments"].tolist() == answer["payments"]
        else:
            assert one["payments"].tolist() == [0, 0, 0, 0]
            assert one["status"] == {"shape": 1, "minimum": 2}[answer["reason"]]
        if "items" in answer:
            found = sorted([ids[k], int(one["items"][k])] for k in np.flatnonzero(one["items"]))
            assert (found, one["tai"]) == (answer["items"], answer["tai"])
    assert (mjsim.score_batch(array, mjsim.rules(rules)) == scores).all()
    assert (mjsim.score_batch(array[::2], rules) == scores[::2]).all(), "strided arrays too"
    assert len(mjsim.score_batch(array[:0], rules)) == 0


def test_scoring_does_not_depend_on_what_was_scored_before() -> None:
    positions = [p for rules in BOTH for p in random_winning_positions(200, 25, rules)]
    forwards = [score(position) for position in positions]
    assert [score(position) for position in reversed(positions)] == forwards[::-1]


# --- errors ---------------------------------------------------------------------------------------------------------

POSITION: dict[str, Any] = {
    "rules": "douque-american",
    "hand": "123m456p1122z",
    "melds": [["chow", "345p"], ["kong_concealed", "7777z"]],
    "win_tile": "2z",
    "by": "discard",
    "seat": 1,
    "from": 2,
    "dealer": 0,
    "east": 0,
    "streak": 0,
    "prevailing": "1z",
    "flowers": "1f5f",
    "dice": [2, 3, 6],
    "flags": ["ready"],
}
#: A closed hand of sixteen tiles.
CLOSED = {"hand": "123m456p11122z789s99s", "melds": [], "flags": []}
OWN_DRAW = {"by": "self_draw", "from": None}
DELETE = object()


def changed(**changes: Any) -> dict[str, Any]:
    """POSITION with fields changed (`from_` stands for `from`) or left out."""
    changes = {key.rstrip("_"): value for key, value in changes.items()}
    position = copy.deepcopy(POSITION) | changes
    if position["by"] == "self_draw" and position["from"] is None:
        del position["from"]
    return {key: value for key, value in position.items() if value is not DELETE}


ERRORS: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("rules", {"rules": DELETE}, ("None",)),
    ("rules", {"rules": 5}, ("5",)),
    ("rules", {"rules": ["douque-american"]}, ("douque-american",)),
    ("rules", {"rules": "douque-amercan"}, ("'douque-amercan'", "'douque-american'")),
    ("option", {"options": 5}, ("5", "min_tai")),
    ("option", {"options": [["min_tai", 0]]}, ("min_tai",)),
    ("option", {"options": {"min_tai": 1}}, ("min_tai", "1", "0, 2, 3 or 5")),
    ("option", {"options": {"min_tai": 4}}, ("min_tai", "4", "0, 2, 3 or 5")),
    ("option", {"options": {"min_tai": "a"}}, ("min_tai", "'a'")),
    ("option", {"options": {"min_tai": None}}, ("min_tai", "None")),
    ("option", {"options": {"min_tai": [3]}}, ("min_tai",)),
    ("option", {"options": {"dice_bonus": "maybe"}}, ("dice_bonus", "'maybe'", "on", "off")),
    ("option", {"options": {"dice_bonus": 2}}, ("dice_bonus", "2")),
    ("option", {"options": {"mintai": 0}}, ("'mintai'", "'min_tai'")),
    ("option", {"options": {"items": {"all_chow": 3}}}, ("'all_chow'", "'all_chows'")),
    ("option", {"options": {"items": {"all_chows": -1}}}, ("items.all_chows", "-1", "0-1000")),
    ("option", {"options": {"items": {"dice_bonus": 3}}}, ("items.dice_bonus", "3", "4 whole numbers")),
    ("option", {"options": {"items": [1]}}, ("items", "[1]")),
    ("option", {"options": {"migi": True, "declare_ready": False}}, ("migi", "declare_ready")),
    ("option", {"options": {"items": {}, "name": "x"}}, ("name",)),
    ("option", {"options": {"name": "x"}}, ("name",)),
    ("melds", {"melds": 5}, ("5",)),
    ("melds", {"melds": "345p"}, ("'345p'", "list")),
    ("melds", {"melds": [["chow", "345p"]] * 6}, ("6", "5")),
    ("melds", {"melds": [["pong", "555p"]]}, ("pong", "pung")),
    ("melds", {"melds": [["chow", "345p"], ["kong_concealed", "777z"]]}, ("'777z'", "kong_concealed")),
    ("melds", {"melds": [["chow", "355p"], ["kong_concealed", "7777z"]]}, ("'355p'", "chow")),
    ("melds", {"melds": [["chow", "123z"], ["kong_concealed", "7777z"]]}, ("'123z'", "chow")),
    ("melds", {"melds": [["chow", "89m1p"], ["kong_concealed", "7777z"]]}, ("'89m1p'", "chow")),
    ("melds", {"melds": [["chow", "345q"], ["kong_concealed", "7777z"]]}, ("'q'",)),
    ("melds", {"melds": [["chow", 345], ["kong_concealed", "7777z"]]}, ("345",)),
    ("melds", {"melds": [["chow"], ["kong_concealed", "7777z"]]}, ("['chow']",)),
    ("melds", {"melds": [None, ["kong_concealed", "7777z"]]}, ("None",)),
    ("melds", {"melds": [{"chow": 0, "345p": 0}, ["kong_concealed", "7777z"]]}, ("chow",)),
    ("melds", {"melds": [["kong_exposed", "7777z"], ["kong_concealed", "7777z"]]}, ("7z", "8 copies")),
    ("hand", {"hand": DELETE}, ("None",)),
    ("hand", {"hand": 5}, ("5",)),
    ("hand", {"hand": "123m456p112z"}, ("9 concealed", "10")),
    ("hand", {"hand": "123m456p11222z"}, ("11 concealed", "10")),
    ("hand", {"hand": "123m456p112z1f"}, ("1f", "flower")),
    ("hand", {"hand": "123m456p118z2z"}, ("8z", "1-7")),
    ("hand", {"hand": "123m456p0m112z"}, ("0m", "1-9")),
    ("hand", {"hand": "123m456p1122"}, ("m, p, s, z",)),
    ("hand", {"hand": "11111m1122z1p"}, ("5 copies of 1m", "four")),  # FAULTS 23
    ("hand", {"hand": "123m456p117z2z"}, ("5 copies of 7z", "four")),  # FAULTS 53: across kong and hand
    ("hand", {"hand": "123m333p1122z", "melds": [["chow", "345p"], ["pung", "333p"]]}, ("copies of 3p", "four")),
    ("win_tile", {"win_tile": DELETE}, ("None",)),
    ("win_tile", {"win_tile": 5}, ("5",)),
    ("win_tile", {"win_tile": ""}, ("''", "exactly one")),
    ("win_tile", {"win_tile": "22z"}, ("'22z'", "exactly one")),
    ("win_tile", {"win_tile": "8z"}, ("8z", "1-7")),
    ("win_tile", {"win_tile": "2f"}, ("2f", "flower")),
    ("win_tile", {"win_tile": "7z"}, ("fifth", "7z")),  # FAULTS 53
    ("win_tile", {"hand": "111m1m456p222z", "win_tile": "1m"}, ("fifth", "1m")),  # FAULTS 23
    ("win_tile", {"by": "rob_kong"}, ("2z", "robbed kong")),
    ("win_tile", {"by": "rob_kong", "hand": "12m456p11222z", "win_tile": "3p"}, ("3p", "robbed kong")),  # in a meld
    ("by", {"by": DELETE}, ("None", "self_draw", "discard", "rob_kong")),
    ("by", {"by": "selfdraw"}, ("'selfdraw'", "self_draw")),
    ("by", {"by": ["discard"]}, ("discard",)),
    ("by", {"by": 1}, ("1", "self_draw")),
    ("seat", {"seat": DELETE}, ("missing", "0-3")),
    ("seat", {"seat": 4}, ("4", "0-3")),
    ("seat", {"seat": -1}, ("-1", "0-3")),
    ("seat", {"seat": "1"}, ("'1'", "0-3")),
    ("seat", {"seat": True}, ("True", "0-3")),
    ("seat", {"seat": 1.0}, ("1.0", "0-3")),
    ("dealer", {"dealer": DELETE}, ("missing", "0-3")),
    ("dealer", {"dealer": 4}, ("4", "0-3")),
    ("east", {"east": DELETE}, ("missing", "0-3")),
    ("east", {"east": 10**30}, (str(10**30), "0-3")),
    ("from", {"from_": DELETE}, ("missing", "0-3")),
    ("from", {"from_": None}, ("missing", "0-3")),
    ("from", {"from_": 4}, ("4", "0-3")),
    ("from", {"from_": 1}, ("1", "winner")),
    ("from", {"by": "self_draw"}, ("2", "self-draw")),
    ("streak", {"streak": -1}, ("-1", "0-18")),
    ("streak", {"streak": 19}, ("19", "0-18")),
    ("streak", {"streak": 0.5}, ("0.5", "0-18")),
    ("streak", {"streak": None}, ("missing",)),
    ("prevailing", {"prevailing": DELETE}, ("None", "1z, 2z, 3z, 4z")),
    ("prevailing", {"prevailing": "5z"}, ("'5z'", "1z, 2z, 3z, 4z")),
    ("prevailing", {"prevailing": 0}, ("0", "1z, 2z, 3z, 4z")),
    ("flowers", {"flowers": 5}, ("5",)),
    ("flowers", {"flowers": "9f"}, ("9f", "1-8")),
    ("flowers", {"flowers": "1f1f"}, ("1f", "twice")),
    ("flowers", {"flowers": "1f5m"}, ("5m", "1f-8f")),
    ("flowers", {"flowers": ["1f"]}, ("1f",)),
    ("dice", {"dice": DELETE}, ("None", "1-6")),
    ("dice", {"dice": [2, 3]}, ("[2, 3]", "1-6")),
    ("dice", {"dice": [2, 3, 7]}, ("[2, 3, 7]", "1-6")),
    ("dice", {"dice": [0, 0, 0]}, ("[0, 0, 0]", "1-6")),
    ("dice", {"dice": [2, 3, "6"]}, ("'6'", "1-6")),
    ("dice", {"dice": [2, 3, True]}, ("True", "1-6")),
    ("dice", {"dice": 236}, ("236", "1-6")),
    ("dice", {"rules": "douque-taiwanese", "dice": [9, 9, 9]}, ("9", "1-6")),
    ("discards", {"discards": "x"}, ("'x'", "0-144")),
    ("discards", {"discards": -1}, ("-1", "0-144")),
    ("flags", {"flags": "ready"}, ("'ready'", "list")),
    ("flags", {"flags": {"ready": True}}, ("ready", "list")),
    ("flags", {"flags": ["redy"]}, ("'redy'", "ready")),
    ("flags", {"flags": [5]}, ("5", "ready")),
    ("flags", {"flags": [["ready"]]}, ("ready",)),
    ("flags", {"flags": ["closed"]}, ("'closed'",)),
    ("flags", {"flags": ["original_call"]}, ("'original_call'",)),
    ("flags", {"flags": ["flower_wall"]}, ("'flower_wall'",)),
    ("flags", {"flags": ["kong_on_kong"]}, ("'kong_on_kong'",)),
    # FAULTS 57: what cannot go together.
    ("flags", CLOSED | {"flags": ["ready", "migi"]}, ("ready", "migi")),
    ("flags", {"flags": ["migi"]}, ("migi", "meld")),
    (
        "flags",
        {"flags": ["migi"], "hand": "123m456p11122z99s", "melds": [["kong_concealed", "7777z"]]},
        ("migi", "meld"),
    ),
    ("flags", {"flags": ["human"]}, ("human", "meld")),
    ("flags", {"flags": ["earthly"], **OWN_DRAW}, ("earthly", "meld")),
    ("flags", {"flags": ["heavenly"], **OWN_DRAW, "dealer": 1}, ("heavenly", "meld")),
    ("flags", CLOSED | {"flags": ["heavenly"], **OWN_DRAW}, ("heavenly", "dealer")),
    ("flags", CLOSED | {"flags": ["heavenly"], "dealer": 1}, ("heavenly", "self-draw")),
    ("flags", CLOSED | {"flags": ["earthly"], **OWN_DRAW, "dealer": 1}, ("earthly", "non-dealer")),
    ("flags", CLOSED | {"flags": ["earthly"]}, ("earthly", "self-draw")),
    ("flags", CLOSED | {"flags": ["human"], **OWN_DRAW}, ("human", "discard")),
    ("flags", CLOSED | {"flags": ["human"], "dealer": 1}, ("human", "non-dealer")),
    (
        "flags",
        CLOSED | {"flags": ["human"], "by": "rob_kong", "hand": "12m456p11122z789s999s", "win_tile": "3m"},
        ("human", "discard"),
    ),
    ("flags", CLOSED | {"flags": ["human", "ready"]}, ("human", "ready")),
    ("flags", CLOSED | {"flags": ["human", "migi"]}, ("human", "migi")),
    ("flags", CLOSED | {"flags": ["earthly", "ready"], **OWN_DRAW}, ("earthly", "ready")),
    ("flags", CLOSED | {"flags": ["heavenly", "migi"], **OWN_DRAW, "dealer": 1}, ("heavenly", "migi")),
    ("flags", CLOSED | {"flags": ["heavenly", "earthly"], **OWN_DRAW}, ("heavenly", "earthly")),
    ("flags", CLOSED | {"flags": ["heavenly", "human"], **OWN_DRAW}, ("heavenly", "human")),
    ("flags", CLOSED | {"flags": ["human", "earthly"], **OWN_DRAW}, ("human", "earthly")),
    (
        "flags",
        {"by": "rob_kong", "hand": "12m456p11222z", "win_tile": "3m", "flags": ["replacement"]},
        ("replacement", "rob_kong"),
    ),
]


@pytest.mark.parametrize(("field", "changes", "named"), ERRORS, ids=[f"{e[0]}-{i}" for i, e in enumerate(ERRORS)])
def test_a_malformed_position_answers_an_error_that_begins_with_the_field(
    field: str, changes: dict[str, Any], named: tuple[str, ...]
) -> None:
    position = changed(**changes)
    with pytest.raises((NotationError, UsageError)) as raised:
        mjsim.score(position)
    message = str(raised.value)
    assert message.startswith(field), message
    assert all(part in message for part in named) and "\n" not in message, message
    # The same line in a file answers with the same error, and the next line is scored.
    answers = list(score_lines([(position, None), (POSITION, None)]))
    assert answers == [{"error": message}, mjsim.score(POSITION)]


@pytest.mark.parametrize("value", [5, None, "x", ["x"]])
def test_a_line_that_is_no_object_answers_an_error(value: Any) -> None:
    with pytest.raises(NotationError, match="position"):
        mjsim.score(value)
    answers = list(score_lines([(value, None), (POSITION, None)]))
    assert set(answers[0]) == {"error"} and answers[1]["win"]


@pytest.mark.parametrize("field", ["options", "melds", "flowers", "flags"])
@pytest.mark.parametrize("value", [0, False])
def test_an_empty_value_of_another_type_is_an_error(field: str, value: Any) -> None:
    """A malformed line answers an error, even where the value is falsy."""
    position = {"rules": "douque-taiwanese", **OWN_DRAW, **CLOSED, "win_tile": "2z", "seat": 0, "dealer": 0, "east": 0}
    del position["from"]
    position |= {"prevailing": "1z", field: value}
    with pytest.raises(MjsimError, match=f"^{field}"):
        mjsim.score(position)


@pytest.mark.parametrize("value", [False, 3.0])
def test_an_option_of_the_wrong_type_is_refused_whatever_was_scored_before(value: Any) -> None:
    for first in (0, 3):
        mjsim.score(changed(options={"min_tai": first}))
    with pytest.raises(MjsimError, match="min_tai"):
        mjsim.score(changed(options={"min_tai": value}))


def test_bad_lines_answer_with_their_error_and_the_run_goes_on() -> None:
    lines: list[tuple[Any, str | None]] = []
    wanted: list[dict[str, Any]] = []
    good = list(random_winning_positions(60, 26, "douque-american")) + list(
        random_winning_positions(60, 26, "douque-taiwanese")
    )
    for i, position in enumerate(good):
        lines.append((position, None))
        wanted.append(score(position))
        if i % 3 == 0:
            lines.append(({**position, "seat": 9}, None))
            wanted.append({"error": "seat: 9 is no whole number of 0-3"})
        if i % 7 == 0:
            lines.append((None, "not JSON: bad at column 1"))
            wanted.append({"error": "not JSON: bad at column 1"})
    for block in (1, 7, 2048):
        assert list(score_lines(lines, block)) == wanted


def test_answers_come_while_lines_are_still_coming() -> None:
    """A person at a terminal gets each answer at once (block 1)."""

    def slowly() -> Iterator[tuple[Any, str | None]]:
        for _ in range(3):
            yield POSITION, None
            served.append(len(got))

    served: list[int] = []
    got: list[dict[str, Any]] = []
    for answer in score_lines(slowly(), 1):
        got.append(answer)
    assert served == [1, 2, 3]


BATCH_ERRORS: list[tuple[dict[str, Any], str]] = [
    ({"n_melds": 6}, "n_melds"),
    ({"n_melds": -1}, "n_melds"),
    ({"n_melds": 1}, "counts"),
    ({"meld_type": [5, 4, 0, 0, 0]}, "meld_type"),
    ({"meld_tile": [34, 33, 0, 0, 0]}, "meld_tile"),
    ({"meld_tile": [7, 33, 0, 0, 0]}, "meld_tile"),  # 89m and 1p
    ({"meld_tile": [27, 33, 0, 0, 0]}, "meld_tile"),
    ({"win_tile": 34}, "win_tile"),
    ({"win_tile": 5}, "win_tile"),
    ({"win_tile": -1}, "win_tile"),
    ({"how": 3}, "how"),
    ({"how": 0}, "payer"),
    ({"payer": -1}, "payer"),
    ({"payer": 4}, "payer"),
    ({"payer": 1}, "payer"),
    ({"seat": 4}, "seat"),
    ({"dealer": -1}, "dealer"),
    ({"east": 4}, "east"),
    ({"prevailing": 4}, "prevailing"),
    ({"streak": -1}, "streak"),
    ({"dice": [0, 0, 0]}, "dice"),
    ({"dice": [1, 2, 7]}, "dice"),
    ({"flags": 1 | 2}, "flags"),
    ({"flags": 2}, "flags"),
    ({"flags": 1 << 11}, "flags"),
]


@pytest.mark.parametrize(("changes", "field"), BATCH_ERRORS, ids=[f"{e[1]}-{i}" for i, e in enumerate(BATCH_ERRORS)])
def test_score_batch_refuses_what_cannot_be_with_its_index(changes: dict[str, Any], field: str) -> None:
    array = np.zeros(3, dtype=mjsim.POSITION)
    for i in range(3):
        read_position(POSITION, array, i)
    assert (mjsim.score_batch(array)["tai"] == 4).all()
    for name, value in changes.items():
        array[name][1] = value
    with pytest.raises(NotationError, match=r"positions\[1\]") as raised:
        mjsim.score_batch(array)
    assert field in str(raised.value)


def test_score_batch_refuses_five_copies_and_negative_counts() -> None:
    array = np.zeros(1, dtype=mjsim.POSITION)
    read_position(POSITION, array, 0)
    five = array.copy()
    five["counts"][0, 0] -= 1
    five["counts"][0, 33] += 1
    with pytest.raises(NotationError, match="four copies"):
        mjsim.score_batch(five)
    negative = array.copy()
    negative["counts"][0, 5] = -1
    negative["counts"][0, 0] += 2
    with pytest.raises(NotationError, match="counts"):
        mjsim.score_batch(negative)
    with pytest.raises(UsageError, match="POSITION"):
        mjsim.score_batch(np.zeros(3, dtype=np.int8))
    with pytest.raises(UsageError, match="POSITION"):
        mjsim.score_batch(array.reshape(1, 1))


# --- flags of a position --------------------------------------------------------------------------------------------

PLAIN = {
    "rules": "douque-taiwanese",
    "hand": "123999m456p78s789s11z",
    "melds": [],
    "win_tile": "9s",
    "seat": 1,
    "dealer": 0,
    "east": 0,
    "prevailing": "4z",
}
#: Items of the closed hand above on a discard and on a draw of one's own.
ON_DISCARD = {"concealed_hand": 1}
ON_DRAW = {"concealed_hand": 1, "self_drawn": 1, "fully_concealed": 1}


def plain(by: str, flags: list[str], **rest: Any) -> dict[str, Any]:
    position = {**PLAIN, "by": by, "flags": flags} | rest
    if by != "self_draw":
        position["from"] = rest.get("from", 2)
    return position


@pytest.mark.parametrize(
    ("by", "flags", "rest", "wanted"),
    [
        ("discard", [], {}, ON_DISCARD),
        ("self_draw", [], {}, ON_DRAW),
        ("discard", ["ready"], {}, ON_DISCARD | {"declare_ready": 1}),
        ("self_draw", ["ready"], {}, ON_DRAW | {"declare_ready": 1}),
        ("discard", ["migi"], {}, {"migi": 8}),
        ("self_draw", ["migi"], {}, {"migi": 8, "self_drawn": 1}),
        ("self_draw", ["replacement"], {}, ON_DRAW | {"replacement_tile": 1}),
        ("self_draw", ["last_tile"], {}, ON_DRAW | {"last_tile_draw": 1}),
        ("self_draw", ["last_tile", "replacement"], {}, ON_DRAW | {"last_tile_draw": 1, "replacement_tile": 1}),
        ("discard", ["last_tile"], {}, ON_DISCARD),
        ("discard", ["human"], {}, {"human_hand": 8}),
        ("self_draw", ["earthly"], {}, {"earthly_hand": 16}),
        ("self_draw", ["earthly", "replacement"], {}, {"earthly_hand": 16, "replacement_tile": 1}),
        ("self_draw", ["heavenly"], {"dealer": 1}, {"heavenly_hand": 24}),
        ("self_draw", ["heavenly", "replacement"], {"dealer": 1}, {"heavenly_hand": 24}),
        # Seven Robs One case 2: the tile was drawn, one seat pays.
        (
            "discard",
            ["replacement"],
            {"flowers": "12345678f"},
            ON_DISCARD | {"replacement_tile": 1, "flower_kong": 2, "seat_flower": 2},
        ),
        ("rob_kong", [], {"win_tile": "9s", "hand": "123999m456789p78s11z"}, ON_DISCARD | {"robbing_the_kong": 1}),
    ],
)
def test_every_flag_changes_the_score_where_the_table_says_so(
    by: str, flags: list[str], rest: dict[str, Any], wanted: dict[str, int]
) -> None:
    """FAULTS 54."""
    position = plain(by, flags, **rest)
    assert items(position) == wanted
    assert naive.score_position(position) == score(position)


def test_heavenly_hand_has_no_winning_tile() -> None:
    """Ruling 7: every pung in hand is concealed, waits do not count, whichever tile stands for the last."""
    found = set()
    for kind, text in (("1m", "23m"), ("3m", "12m")):
        position = plain("self_draw", ["heavenly"], dealer=1, hand=f"{text}999m456p111222z55s", win_tile=kind)
        found.add(json.dumps(score(position)))
    assert len(found) == 1 and "single_wait" not in found.pop()


@pytest.mark.parametrize("east", range(4))
@pytest.mark.parametrize("seat", range(4))
def test_all_wind_pungs_of_all_seats_in_all_rounds(seat: int, east: int) -> None:
    """FAULTS 52: 4 seats x 4 prevailing winds x 4 wind pungs, concealed and exposed."""
    own = (seat - east) % 4
    for prevailing in range(4):
        for wind in range(4):
            wanted = {}
            if wind == prevailing:
                wanted["prevalent_wind"] = 1
            if wind == own:
                wanted["seat_wind"] = 1
            for melds, tiles in (([], f"{wind + 1}" * 3 + "z"), ([["pung", f"{wind + 1}" * 3 + "z"]], "")):
                position = {
                    "rules": "douque-taiwanese",
                    "hand": f"12345m678p123s77s{tiles}",
                    "melds": melds,
                    "win_tile": "6m",
                    "by": "discard",
                    "seat": seat,
                    "from": (seat + 1) % 4,
                    "dealer": (seat + 2) % 4,
                    "east": east,
                    "prevailing": f"{prevailing + 1}z",
                }
                found = items(position)
                assert {k: v for k, v in found.items() if k.endswith("_wind")} == wanted, position


@pytest.mark.parametrize("seat", range(4))
def test_seat_flowers_belong_to_the_seat_wind(seat: int) -> None:
    for flower in range(8):
        for east in range(4):
            position = plain(
                "discard",
                [],
                seat=seat,
                east=east,
                dealer=(seat + 1) % 4,
                flowers=f"{flower + 1}f",
                **{"from": (seat + 2) % 4},
            )
            assert ("seat_flower" in items(position)) == (flower % 4 == (seat - east) % 4)


def test_streak_counts_between_the_dealer_and_the_other_party_only() -> None:
    """FAULTS 30."""
    for streak in (0, 1, 7, 18):
        for seat in range(4):
            for dealer in range(4):
                draw = score(plain("self_draw", [], seat=seat, dealer=dealer, streak=streak))
                extra = 1 + 2 * streak
                for payer in set(range(4)) - {seat}:
                    share = 3 + draw["tai"] + (extra if dealer in (seat, payer) else 0)
                    assert draw["payments"][payer] == -share
                    claim = score(plain("discard", [], seat=seat, dealer=dealer, streak=streak, **{"from": payer}))
                    share = 3 + claim["tai"] + (extra if dealer in (seat, payer) else 0)
                    wanted = [0, 0, 0, 0]
                    wanted[seat], wanted[payer] = share, -share
                    assert claim["payments"] == wanted


@pytest.mark.parametrize("min_tai", [0, 2, 3, 5])
def test_minimum_is_judged_on_the_payers_share(min_tai: int) -> None:
    """Ruling 36: the discarder's; on a self-draw the dealer's, any share of a winning dealer. The base does not count."""
    for by, dealer, payer, judged in (
        ("discard", 0, 2, 1),
        ("discard", 0, 0, 2),
        ("discard", 1, 2, 2),
        ("self_draw", 0, None, 4),
        ("self_draw", 1, None, 4),
    ):
        for streak in (0, 1):
            position = plain(by, [], dealer=dealer, streak=streak, options={"min_tai": min_tai})
            if payer is not None:
                position["from"] = payer
            total = judged + (2 * streak if judged != 1 else 0)
            answer = score(position)
            assert answer["win"] == (total >= min_tai), position
            if not answer["win"]:
                assert answer["reason"] == "minimum" and set(answer) == {"win", "reason", "items", "tai"}


def test_an_incomplete_hand_is_an_answer_and_not_an_error() -> None:
    assert score(plain("discard", [], win_tile="1s")) == {"win": False, "reason": "shape"}


def test_items_of_a_score_are_of_one_split() -> None:
    """FAULTS 22, 24: the highest total over all splits, and never a mix of two."""
    position = plain("self_draw", [], hand="1122233344s222z777p", win_tile="1s")
    assert score(position) == naive.score_position(position)
    readings = naive.all_items(
        naive.to_counts(naive.parse_tiles("11122233344s222z777p")), [], 18, by="self_draw", seat_wind=28, prevailing=30
    )
    totals = {sum(reading.values()) for reading in readings}
    assert len(totals) > 1 and items(position) in readings and sum(items(position).values()) == max(totals)


def test_a_concealed_pung_is_made_of_concealed_tiles_only() -> None:
    """FAULTS 21: two copies in hand and one in an exposed chow are no pung."""
    base = {"hand": "55m111222z34p", "melds": [["chow", "567m"], ["chow", "789s"]], "win_tile": "5p"}
    found = items(plain("self_draw", [], **base))
    assert not any("concealed_pungs" in item for item in found)
    # The same fifth tile drawn: 555m is concealed, with three more copies it could not be.
    base = {"hand": "55m111222z44p", "melds": [["chow", "567m"], ["chow", "789s"]], "win_tile": "5m"}
    assert items(plain("self_draw", [], **base))["three_concealed_pungs"] == 2
    assert "three_concealed_pungs" not in items(plain("discard", [], **base))


# --- items as options -----------------------------------------------------------------------------------------------

ALL_CHOWS = {
    "rules": "douque-taiwanese",
    "hand": "45m678p789p33s789s",
    "melds": [["chow", "345s"]],
    "win_tile": "6m",
    "by": "discard",
    "from": 2,
    "seat": 1,
    "dealer": 0,
    "east": 0,
    "prevailing": "1z",
}


def test_the_tai_of_an_item_is_an_option() -> None:
    assert items(ALL_CHOWS) == {"all_chows": 2}
    for tai in (1, 5, 1000):
        assert items({**ALL_CHOWS, "options": {"items": {"all_chows": tai}}}) == {"all_chows": tai}
        array = np.zeros(1, dtype=mjsim.POSITION)
        read_position(ALL_CHOWS, array, 0)
        scores = mjsim.score_batch(array, mjsim.rules("douque-taiwanese", items={"all_chows": tai}))
        assert scores["tai"].tolist() == [tai] and scores["payments"].tolist() == [[0, 3 + tai, -3 - tai, 0]]


def test_zero_switches_an_item_off() -> None:
    answer = score({**ALL_CHOWS, "options": {"items": {"all_chows": 0}}})
    assert answer == {"win": True, "items": [], "tai": 0, "payments": [0, 3, -3, 0]}


def test_an_item_switched_off_never_shows_and_changes_nothing_where_it_did_not_score() -> None:
    positions = [p for rules in BOTH for p in random_winning_positions(700, 27, rules) if "options" not in p]
    before = [score({**p, "options": {"min_tai": 0}}) for p in positions]
    # All Honors takes other items in: see the next test.
    with_honors = {i for i, answer in enumerate(before) if "all_honors" in dict(answer.get("items", []))}
    for item in ITEMS:
        off = {"items": {item.id: [0] * len(item.tai) if len(item.tai) > 1 else 0}, "min_tai": 0}
        rules = {name: mjsim.rules(name, **off) for name in BOTH}
        for name in BOTH:
            chosen = [i for i, p in enumerate(positions) if p["rules"] == name and i not in with_honors]
            array = np.zeros(len(chosen), dtype=mjsim.POSITION)
            for row, i in enumerate(chosen):
                read_position(positions[i], array, row)
            scores = mjsim.score_batch(array, rules[name])
            number = rules[name].item_ids.index(item.id)
            assert not scores["items"][:, number].any()
            for one, i in zip(scores, chosen, strict=True):
                had = dict(before[i].get("items", []))
                if before[i]["win"] and item.id not in had:
                    assert one["tai"] == before[i]["tai"], (item.id, positions[i])


def test_a_dragons_or_winds_hand_switched_off_leaves_all_honors_alone() -> None:
    """0 switches an item off, so nothing is left to merge with: All Honors is 16, never 12 and never below 0."""
    hand = {**PLAIN, "hand": "11122233344555z66z", "win_tile": "6z", "by": "self_draw"}
    on = mjsim.score(hand)
    assert dict(on["items"])["all_honors"] == 20
    off = mjsim.score({**hand, "options": {"items": {"little_four_winds": 0}}})
    assert dict(off["items"])["all_honors"] == 16
    no_honors = mjsim.score({**hand, "options": {"items": {"all_honors": 0}}})
    assert "all_honors" not in dict(no_honors["items"])
    both = mjsim.score({**hand, "options": {"items": {"little_four_winds": 0, "all_honors": 0}}})
    assert all(tai > 0 for _, tai in both["items"])


def test_doubling_every_item_doubles_every_item() -> None:
    twice = {
        item.id: [2 * tai for tai in item.tai] if len(item.tai) > 1 else 2 * item.tai[0]
        for item in ITEMS
        if item.id != "all_honors"
    }
    checked = 0
    for position in random_winning_positions(800, 28, "douque-american"):
        plain_answer = score({**position, "dice": [6, 6, 6], "options": {"min_tai": 0}})
        if not plain_answer["win"] or "all_honors" in dict(plain_answer["items"]):
            continue
        answer = score({**position, "dice": [6, 6, 6], "options": {"min_tai": 0, "items": twice}})
        assert answer["items"] == [[item, 2 * tai] for item, tai in plain_answer["items"]], position
        checked += 1
    assert checked > 500


@pytest.mark.parametrize(
    ("dice", "grade"), [([6, 6, 6], 3), ([1, 4, 1], 2), ([3, 1, 2], 1), ([2, 3, 6], 0), ([1, 2, 4], None)]
)
def test_the_dice_bonus_takes_a_tai_for_each_pattern(dice: list[int], grade: int | None) -> None:
    for tai in ([1, 2, 3, 5], [7, 11, 13, 17], [0, 0, 0, 9]):
        options = {"dice_bonus": True, "items": {"dice_bonus": tai}}
        answer = score({**ALL_CHOWS, "dice": dice, "options": options})
        wanted = 0 if grade is None else tai[grade]
        assert dict(answer["items"]).get("dice_bonus", 0) == wanted and answer["tai"] == 2 + wanted


def test_all_216_rolls_of_the_dice_bonus() -> None:
    for a in range(1, 7):
        for b in range(1, 7):
            for c in range(1, 7):
                answer = score({**ALL_CHOWS, "dice": [a, b, c], "options": {"dice_bonus": True}})
                assert answer["tai"] - 2 == naive.dice_bonus([a, b, c]), (a, b, c)


# --- Rules ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", POSSIBLE, ids=case_id)
def test_every_value_of_every_flag_is_value_record_equality_fingerprint_and_pickle(case: tuple[str, str, Any]) -> None:
    rules, flag, changed = case
    base = mjsim.rules(rules)
    options = options_with(rules, flag, changed)
    other = mjsim.rules(rules, **options)
    kind, allowed = BY_NAME[flag].kind, BY_NAME[flag].allowed
    for one, value in ((base, PRESETS[rules].flags[flag]), (other, changed)):
        assert one.flags[flag] == value and type(one.flags[flag]) is type(value)
        assert one.array[flag][0] == (allowed.index(value) if kind is str else value)
        again = pickle.loads(pickle.dumps(one))
        assert again == one and hash(again) == hash(one) and again.fingerprint == one.fingerprint
        assert again.flags == one.flags and again.options == one.options
        assert again.array[flag][0] == one.array[flag][0]
    assert base != other and base.fingerprint != other.fingerprint
    assert base.options == {} and other.options == options
    # Given as its preset's value, an option is none.
    assert mjsim.rules(rules, **{flag: PRESETS[rules].flags[flag]}) == base
    assert mjsim.rules(other, **{key: PRESETS[rules].flags[key] for key in options}) == base
    # As text, as the command line gives it.
    texts = {
        key: ("on" if value else "off") if isinstance(value, bool) else str(value) for key, value in options.items()
    }
    assert mjsim.rules(rules, **texts) == other
    assert repr(flag)[1:-1] in repr(other) and eval(repr(other), {"mjsim": mjsim}) == other


@pytest.mark.parametrize("case", REFUSED, ids=case_id)
def test_a_value_that_pays_with_an_item_which_the_rule_set_has_not_is_refused(case: tuple[str, str, Any]) -> None:
    rules, flag, value = case
    item = lacking_item(rules, flag, value)
    with pytest.raises(UsageError) as raised:
        mjsim.rules(rules, **options_with(rules, flag, value))
    message = str(raised.value)
    assert message.startswith(f"option {flag}: ") and "\n" not in message, message
    wanted = f"{rules} scores {item} alone" if " " in item else f"the item {item}, which {rules} has not"
    assert ("on" if value is True else value) in message and wanted in message


def test_every_flag_can_be_changed_somewhere() -> None:
    """And every word of a choice is tried, so that no refusal hides a flag."""
    tried = {(flag, value) for _, flag, value in POSSIBLE}
    preset = {(flag, value) for preset in PRESETS.values() for flag, value in preset.flags.items()}
    for flag in FLAGS:
        wanted = (True, False) if flag.kind is bool else flag.allowed if flag.kind is str else ()
        assert {(flag.name, value) for value in wanted} <= tried | preset
        assert any(name == flag.name for name, _ in tried), flag.name


def test_every_flag_is_explained_and_has_a_value_in_every_preset() -> None:
    for preset in PRESETS.values():
        assert list(preset.flags) == [flag.name for flag in FLAGS]
    assert all(flag.meaning for flag in FLAGS)
    assert {flag.name for flag in FLAGS} <= set(mjsim.rules("douque-american").array.dtype.names)


@pytest.mark.parametrize(
    ("rules", "item"), [(name, item) for name in PRESETS for item in mjsim.rules(name).item_ids], ids=str
)
def test_every_item_is_an_option_with_equality_fingerprint_and_pickle(rules: str, item: str) -> None:
    base = mjsim.rules(rules)
    usual = base.items[item]
    grades = len(usual) if isinstance(usual, list) else 1
    value: int | list[int] = [33 + grade for grade in range(grades)] if isinstance(usual, list) else 33
    other = mjsim.rules(rules, items={item: value})
    assert other.items[item] == value and base != other
    assert other.options == {"items": {item: value}}
    number = other.item_ids.index(item)
    assert other.array["items"][0, number, :grades].tolist() == (value if isinstance(value, list) else [value])
    assert not other.array["items"][0, number, grades:].any()
    assert pickle.loads(pickle.dumps(other)) == other
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    assert mjsim.rules(rules, **{f"items.{item}": text}) == other
    assert mjsim.rules(rules, items={item: usual}) == base


def test_changing_one_item_of_rules_keeps_the_others() -> None:
    changed_once = mjsim.rules("douque-taiwanese", items={"all_chows": 5}, min_tai=2)
    twice = mjsim.rules(changed_once, items={"single_wait": 3})
    assert (twice.items["all_chows"], twice.items["single_wait"], twice.flags["min_tai"]) == (5, 3, 2)
    assert changed_once.items["single_wait"] == 1, "the first is unchanged"


def test_the_two_presets_differ_in_the_three_additions_only() -> None:
    american, taiwanese = (mjsim.rules(name) for name in BOTH)
    assert american != taiwanese
    differing = {name for name in american.flags if american.flags[name] != taiwanese.flags[name]}
    assert differing == {"exchange", "dice_bonus", "min_tai"} and american.items == taiwanese.items


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"name": "douque"}, ("'douque'", "douque-american", "douque-taiwanese")),
        ({"name": "douque-american", "min_ta": 3}, ("'min_ta'", "did you mean 'min_tai'")),
        ({"name": "douque-american", "skiped_win": True}, ("did you mean 'skipped_win'",)),
        ({"name": "douque-american", "zzz": 1}, ("'zzz'", "known:")),
        ({"name": "douque-american", "items": {"all_chow": 1}}, ("'all_chow'", "did you mean 'all_chows'")),
        ({"name": "douque-american", "items.allchows": 1}, ("did you mean 'all_chows'",)),
        ({"name": "douque-american", "items": {"all_chows": 1.5}}, ("items.all_chows", "1.5", "0-1000")),
        ({"name": "douque-american", "items": {"all_chows": 1001}}, ("items.all_chows", "1001", "0-1000")),
        ({"name": "douque-american", "items": {"all_chows": True}}, ("items.all_chows", "True")),
        ({"name": "douque-american", "items": {"all_chows": [1, 2]}}, ("items.all_chows", "[1, 2]")),
        ({"name": "douque-american", "items": {"dice_bonus": [1, 2, 3]}}, ("items.dice_bonus", "4 whole numbers")),
        ({"name": "douque-american", "items": {"dice_bonus": "1,2,3"}}, ("items.dice_bonus", "4 whole numbers")),
        ({"name": "douque-american", "items": 5}, ("items", "5")),
        ({"name": "douque-american", "min_tai": 1}, ("min_tai", "1", "0, 2, 3 or 5")),
        ({"name": "douque-american", "min_tai": True}, ("min_tai", "True")),
        ({"name": "douque-american", "min_tai": 2.0}, ("min_tai", "2.0")),
        ({"name": "douque-american", "kept_back": -1}, ("kept_back", "-1", "0-144")),
        ({"name": "douque-american", "kept_back": 145}, ("kept_back", "145", "0-144")),
        ({"name": "douque-american", "kept_back": "many"}, ("kept_back", "'many'")),
        ({"name": "douque-american", "base_tai": 101}, ("base_tai", "101", "0-100")),
        ({"name": "douque-american", "streak_cap": -1}, ("streak_cap", "-1", "0-30000")),
        ({"name": "douque-american", "winners": "two"}, ("winners", "'two'", "nearest", "all", "three_or_nearest")),
        ({"name": "douque-american", "winners": ["all"]}, ("winners", "three_or_nearest")),
        ({"name": "douque-american", "exchange": "maybe"}, ("exchange", "'maybe'", "on", "off")),
        ({"name": "douque-american", "exchange": 2}, ("exchange", "2", "on", "off")),
        ({"name": "douque-american", "exchange": None}, ("exchange", "None")),
        ({"name": "douque-american", "declare_ready": False}, ("migi", "declare_ready")),
        ({"name": "douque-american", "declare_ready": False, "migi": True}, ("migi", "declare_ready")),
        ({"name": "four-winds", "migi": True}, ("option migi", "declare_ready")),
        ({"name": "douque-american", "closing": True}, ("option closing", "declare_ready", "one declaration")),
        ({"name": "four-winds", "closing": True}, ("option original_call", "closing", "one declaration")),
        ({"name": "hk16", "original_call": True}, ("option original_call", "closing", "one declaration")),
        ({"name": "house16", "closing": True, "declare_ready": True}, ("closing", "declare_ready", "one declaration")),
        ({"name": "hk16", "min_tai": 1001}, ("min_tai", "1001", "0-1000")),
        ({"name": "hk16", "min_tai_step": 101}, ("min_tai_step", "101", "0-100")),
        ({"name": "four-winds", "flower_wins": "robbed"}, ("flower_wins", "'robbed'", "on_exposure")),
        ({"name": "four-winds", "early_wins": True}, ("early_wins", "go_around", "first_discard")),
        ({"name": "house16", "opening_flowers": "pass"}, ("opening_flowers", "'pass'", "passes, seats")),
        ({"name": "hk16", "items": {"concealed_pongs": 5}}, ("items.concealed_pongs", "5 whole numbers")),
        ({"name": "house16", "items": {"dragon_pungs": 1}}, ("'dragon_pungs'", "did you mean 'dragon_pung'")),
        ({"name": "hk16", "items": {"seven_robs_one": 1}}, ("'seven_robs_one'", "known:")),
    ],
)
def test_unknown_and_contradictory_options_are_refused_with_what_would_be_right(
    given: dict[str, Any], named: tuple[str, ...]
) -> None:
    given = dict(given)
    name = given.pop("name")
    with pytest.raises(UsageError) as raised:
        mjsim.rules(name, **given)
    assert all(part in str(raised.value) for part in named) and "\n" not in str(raised.value), str(raised.value)


def test_rules_are_the_same_in_every_process() -> None:
    """The fingerprint is kept in files: it changes only with rules and options."""
    assert mjsim.rules("douque-american").fingerprint == mjsim.rules("douque-american", min_tai=3).fingerprint
    order = [
        mjsim.rules("douque-american", min_tai=0, exchange=False),
        mjsim.rules("douque-american", exchange=0, min_tai="0"),
    ]
    assert order[0] == order[1] and len({*order}) == 1
    assert mjsim.rules("douque-american") != "douque-american"


def test_scoring_flags_in_both_positions() -> None:
    """dealer_tai, base_tai, dice_bonus and min_tai in the score of one position."""
    position = {**ALL_CHOWS, "dice": [6, 6, 6], "from": 0, "streak": 2}
    wanted = {
        (): [-10, 10, 0, 0],
        (("dealer_tai", False),): [-5, 5, 0, 0],
        (("base_tai", 0),): [-7, 7, 0, 0],
        (("base_tai", 10),): [-17, 17, 0, 0],
        (("dice_bonus", True),): [-15, 15, 0, 0],
        (("dice_bonus", True), ("dealer_tai", False), ("base_tai", 1)): [-8, 8, 0, 0],
    }
    for options, payments in wanted.items():
        assert score({**position, "options": dict(options)})["payments"] == payments
    assert score({**position, "streak": 0, "options": {"min_tai": 3}})["win"]
    assert not score({**position, "streak": 0, "options": {"min_tai": 3, "dealer_tai": False}})["win"]
