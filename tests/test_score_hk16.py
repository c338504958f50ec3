"""Positions to score under `hk16`: golden answers, worked cases, the naive scorer, the table, every item as an option."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import mjsim
from mjsim.errors import MjsimError
from mjsim.position import read_position, score_lines
from mjsim.ruleset import hk16_items
from mjsim.ruleset.hk16_items import ITEMS, NUMBER
from tests import naive_hk16
from tests.hk16_cases import BAD, CASES, PLAIN, position, rich_position
from tests.naive import format_tiles
from tests.sizes import FULL, size

GOLDEN = Path(__file__).parent / "golden" / "hk16.positions.jsonl"

#: Items that only the flow settles: Flower wins and instant payments.
BY_FLOW = {
    *("seven_flowers", "eight_flowers", "dice_triple", "mixed_bouquet", "pure_bouquet", "concealed_gong_declared"),
    *("chasing", "drawn_hand", "drawn_pool"),
}
SCORED = [item for item in ITEMS if item.id not in BY_FLOW]
GRADES = [pytest.param(item, grade, id=f"{item.id}-{grade}") for item in SCORED for grade in range(len(item.tai))]


def golden() -> list[Any]:
    return [
        pytest.param(json.loads(line), id=f"{GOLDEN.name}:{number}")
        for number, line in enumerate(GOLDEN.read_text().splitlines(), 1)
    ]


def score(given: dict[str, Any]) -> dict[str, Any]:
    before = copy.deepcopy(given)
    answer = mjsim.score(given)
    assert given == before, "the position is left unchanged"
    return answer


def items(given: dict[str, Any]) -> dict[str, int]:
    answer = score({**given, "options": {"min_tai": 0, "min_tai_step": 0, **given.get("options", {})}})
    assert answer["win"], answer
    assert answer["tai"] == sum(tai for _, tai in answer["items"])
    return dict(answer["items"])


def plain_position(rng: Random) -> dict[str, Any]:
    """Five sets and a pair drawn at random from one to three suits and the Honours, a random part of it melds."""
    kinds = [k for suit in rng.sample(range(3), rng.randint(1, 3)) for k in range(9 * suit, 9 * suit + 9)]
    kinds += rng.choice([[], list(range(27, 34))])
    while True:
        left = [4] * 34
        sets: list[list[int]] = []
        for _ in range(6):
            kind = rng.choice(kinds)
            is_sheung = len(sets) < 5 and kind < 27 and kind % 9 < 7 and rng.random() < 0.7
            group = [kind, kind + 1, kind + 2] if is_sheung else [kind] * (3 if len(sets) < 5 else 2)
            if any(left[k] < group.count(k) for k in group):
                break
            for k in group:
                left[k] -= 1
            sets.append(group)
        else:
            break
    n_melds = rng.choice([0, 0, 1, 2, 3, 4, 5])
    hand = [k for group in sets[n_melds:] for k in group]
    win = rng.choice(hand)
    hand.remove(win)
    dealer, seat = rng.randrange(4), rng.randrange(4)
    given: dict[str, Any] = {
        "rules": "hk16",
        "hand": format_tiles(hand),
        "melds": [["chow" if g[0] < g[1] else "pung", format_tiles(g)] for g in sets[:n_melds]],
        "win_tile": format_tiles([win]),
        "by": rng.choice(["self_draw", "discard"]),
        "seat": seat,
        "dealer": dealer,
        "east": dealer,
        "streak": rng.randrange(3),
        "prevailing": format_tiles([27 + rng.randrange(4)]),
        "flowers": format_tiles(sorted(rng.sample(range(34, 42), rng.choice([0, 0, 1, 2, 3])))),
    }
    if given["by"] == "discard":
        given["from"] = (seat + rng.randint(1, 3)) % 4
    return given


def other_values(rng: Random) -> dict[str, Any]:
    """Options that change a few items: off, doubled, or any number, each grade by itself."""
    changed: dict[str, Any] = {}
    for item in rng.sample(SCORED, rng.choice([1, 3, 12])):
        kind = rng.randrange(3)
        values = [0 if kind == 0 else 2 * tai if kind == 1 else rng.randint(0, 40) for tai in item.tai]
        changed[item.id] = values if len(values) > 1 else values[0]
    return {"items": changed}


def positions(n_rich: int, n_plain: int, seed: int, share_options: float = 0.0) -> Iterator[dict[str, Any]]:
    rng = Random(seed)
    for i in range(n_rich + n_plain):
        given = rich_position(rng) if i < n_rich else plain_position(rng)
        yield {**given, "options": other_values(rng)} if rng.random() < share_options else given


def batch(given: list[dict[str, Any]]) -> np.ndarray:
    array = np.zeros(len(given), dtype=mjsim.POSITION)
    for i, one in enumerate(given):
        read_position(one, array, i)
    return array


# --- against others -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", golden())
def test_golden_position(case: dict[str, Any]) -> None:
    assert score(case["position"]) == case["answer"]


@pytest.mark.parametrize(("given", "answer"), [pytest.param(g, a, id=name) for name, g, a in CASES])
def test_worked_case(given: dict[str, Any], answer: dict[str, Any]) -> None:
    assert score(given) == answer


#: The naive scorer knows no option but items; every flag of the rules is one here.
WIDER = {"no such option"}


@pytest.mark.parametrize(("given", "field"), [pytest.param(g, f, id=n) for n, g, f in BAD if n not in WIDER])
def test_bad_position_names_its_field(given: dict[str, Any], field: str) -> None:
    with pytest.raises(MjsimError) as raised:
        mjsim.score(given)
    assert str(raised.value).startswith(field)


def compare(given: list[dict[str, Any]]) -> set[str]:
    """`score_lines` against the naive scorer; returns the items and reasons met."""
    met: set[str] = set()
    for one, answer in zip(given, score_lines((p, None) for p in given), strict=True):
        assert answer == naive_hk16.score_position(one), one
        met |= {item for item, _ in answer.get("items", [])} | {answer.get("reason", "win")}
    return met


def test_score_agrees_with_the_naive_scorer() -> None:
    met = compare(list(positions(2_000, 1_000, 61)))
    missing = {item.id for item in SCORED} - met
    assert (
        missing <= {"chicken_hand", "pure_honour", "ruby_hand", "diamond_hand", "jade_hand"}
        and {"shape", "minimum"} <= met
    ), missing


def test_score_agrees_with_the_naive_scorer_under_other_values() -> None:
    compare(list(positions(500, 250, 62, share_options=1.0)))


@pytest.mark.slow
def test_score_agrees_with_the_naive_scorer_on_100000_positions() -> None:
    met = compare(list(positions(size(60_000), size(30_000), 63)))
    if FULL:
        assert {item.id for item in SCORED} <= met | {"chicken_hand"}
    compare(list(positions(size(7_000), size(3_000), 64, share_options=1.0)))


def test_score_batch_equals_score() -> None:
    given = list(positions(700, 300, 65))
    array = batch(given)
    before = array.copy()
    scores = mjsim.score_batch(array, "hk16")
    assert array.tobytes() == before.tobytes()
    ids = mjsim.rules("hk16").item_ids
    for one, line in zip(given, scores, strict=True):
        answer = score(one)
        assert line["status"] == {"win": 0, "shape": 1, "minimum": 2}[answer.get("reason", "win")]
        found = sorted([ids[k], int(line["items"][k])] for k in np.flatnonzero(line["items"]))
        assert (found, line["tai"]) == (answer.get("items", []), answer.get("tai", 0))
        assert line["payments"].tolist() == answer.get("payments", [0, 0, 0, 0])
        assert line["judged"] == line["tai"]
    assert (mjsim.score_batch(array[::-1], "hk16") == scores[::-1]).all(), "what was scored before does not matter"


def test_flags_that_the_table_does_not_read_change_nothing() -> None:
    """A batch of the flow may have any bits set, `last_tile` on a discard too."""
    array = batch(list(positions(300, 100, 66)))
    scores = mjsim.score_batch(array, "hk16")
    ready, migi, replacement, last_tile, human, original_call = (1 << i for i in (0, 1, 2, 3, 6, 7))
    array["flags"] |= ready | migi | replacement | human | original_call
    array["flags"][array["how"] != 0] |= last_tile
    assert (mjsim.score_batch(array, "hk16") == scores).all()


# --- the table ------------------------------------------------------------------------------------------------------


def test_table_is_that_of_the_page() -> None:
    wanted = {name: tuple(tai) if isinstance(tai, list) else (tai,) for name, tai in naive_hk16.VALUES.items()}
    assert list(NUMBER)[: len(wanted)] == list(wanted)
    assert {item.id: item.tai for item in ITEMS if item.id in wanted} == wanted
    assert {item.id: item.tai for item in ITEMS if item.id not in wanted} == {
        "dice_triple": (5, 10),
        "mixed_bouquet": (5,),
        "pure_bouquet": (10,),
        "concealed_gong_declared": (5,),
        "chasing": (5, 10),
        "drawn_hand": (5,),
        "drawn_pool": (1,),
    }


def test_names_of_the_numbers_are_those_of_the_items() -> None:
    assert {item.id: getattr(hk16_items, item.id.upper()) for item in ITEMS} == NUMBER


# --- every item as an option ----------------------------------------------------------------------------------------

BASE = [given for _, given, _ in CASES if "options" not in given]


@pytest.fixture(scope="module")
def base() -> tuple[np.ndarray, np.ndarray]:
    array = batch(BASE)
    return array, mjsim.score_batch(array, "hk16")


@pytest.mark.parametrize(("item", "grade"), GRADES)
def test_every_grade_is_met_and_is_an_option(item: Any, grade: int, base: tuple[np.ndarray, np.ndarray]) -> None:
    """One more point for the grade shows in some worked case, at that item, and as the naive scorer has it."""
    array, before = base
    values = [tai + (k == grade) for k, tai in enumerate(item.tai)]
    options = {"items": {item.id: values if len(values) > 1 else values[0]}}
    scores = mjsim.score_batch(array, mjsim.rules("hk16", **options))
    changed = np.flatnonzero(scores["items"][:, NUMBER[item.id]] != before["items"][:, NUMBER[item.id]])
    assert len(changed)
    for i in changed[:3]:
        assert score({**BASE[i], "options": options}) == naive_hk16.score_position({**BASE[i], "options": options})


@pytest.mark.parametrize("item", SCORED, ids=lambda item: item.id)
def test_an_item_at_0_is_neither_scored_nor_listed(item: Any, base: tuple[np.ndarray, np.ndarray]) -> None:
    array, before = base
    options = {"items": {item.id: [0] * len(item.tai) if len(item.tai) > 1 else 0}}
    scores = mjsim.score_batch(array, mjsim.rules("hk16", **options))
    assert not scores["items"][:, NUMBER[item.id]].any()
    for i in np.flatnonzero(before["items"][:, NUMBER[item.id]])[:5]:
        given = {**BASE[i], "options": options}
        answer = score(given)
        assert answer == naive_hk16.score_position(given)
        assert item.id not in dict(answer["items"])


def test_doubling_every_item_doubles_every_item(base: tuple[np.ndarray, np.ndarray]) -> None:
    array, before = base
    # A Chicken hand is one of exactly 1 point.
    twice = {i.id: [2 * t for t in i.tai] if len(i.tai) > 1 else 2 * i.tai[0] for i in SCORED if i.id != "chicken_hand"}
    scores = mjsim.score_batch(array, mjsim.rules("hk16", items=twice))
    chicken = before["items"][:, NUMBER["chicken_hand"]] > 0
    assert (scores["items"][~chicken] == 2 * before["items"][~chicken]).all()
    assert not scores["items"][:, NUMBER["chicken_hand"]].any()


# --- rulings that the other rule flags touch, and choices of a grouping ---------------------------------------------

NICO = position("2277m3399p4466s1z555z", "1z")
#: Nico Nico and five sets at once; as the latter worth less.
BOTH = position("112233m445566p7888s", "7s")


def test_special_hands_are_flags() -> None:
    """Without its flag a special hand does not win, and is no wait either."""
    for off, given in (
        ("seven_pairs", NICO),
        ("thirteen_orphans", position("19m119p1945s1234567z", "6s")),
        ("sixteen_orphans", position("147m258p369s1234567z", "5p")),
    ):
        assert score(given)["win"]
        assert score({**given, "options": {off: False}}) == {"win": False, "reason": "shape"}
    assert "nico_nico" in items(BOTH)
    without = items({**BOTH, "options": {"seven_pairs": False}})
    assert "nico_nico" not in without and without["brother_sheungs"] == 10
    # Seven pairs and two tiles 7 and 8 of Bamboo: five sets wait on 6 and 9 alone, Nico Nico on nothing more.
    assert "concealed_discard" in without


def test_waits_of_a_closed_hand_are_without_nico_nico() -> None:
    """r25, r42: eight pairs that are five sets too wait as Nico Nico on all eight kinds, closed on those of the sets."""
    given = position("112233m445566p7788s", "7s")
    assert items(given)["false_single_wait"] == 2
    closed = items({**given, "flags": ["closed"]})
    assert "nico_nico" not in closed and "false_single_wait" not in closed and closed["closed_hand"] == 5


def test_nico_nico_and_five_sets_take_the_better_by_the_values() -> None:
    """r59; at equal totals the one that is ahead at the first item that differs (r41)."""
    nico = items(BOTH)
    sets = items({**BOTH, "options": {"seven_pairs": False}})
    less = sum(nico.values()) - nico["nico_nico"]
    equal = sum(sets.values()) - less
    for value, wanted in ((equal - 1, False), (equal, False), (equal + 1, True)):
        found = items({**BOTH, "options": {"items": {"nico_nico": [value, 50, 65]}}})
        assert ("nico_nico" in found) == wanted, "`concealed_discard` is before `nico_nico`"


def test_run_of_the_most_points_counts_and_of_equal_ones_that_with_the_better_pairs() -> None:
    """r49, r52: by the values of the table the pure run, whose 123m and 789m make no pair."""
    given = position("123m456m789m456p789s3z", "3z")
    found = items(given)
    assert found["pure_dragon_run"] == 20 and not {"mixed_dragon_run", "terminal_sheungs"} & set(found)
    for pure, mixed, terminal, wanted in (
        (10, 10, 5, "mixed_dragon_run"),  # which leaves 123m and 789m to pair
        (10, 10, 0, "pure_dragon_run"),  # r41: nothing to pair for, and the first of the table
        (5, 10, 0, "mixed_dragon_run"),
        (10, 5, 9, "pure_dragon_run"),  # the most points, though the other would make more with its pair
    ):
        values = {"pure_dragon_run": [0, pure], "mixed_dragon_run": [0, mixed], "terminal_sheungs": [terminal, 0, 0]}
        options = {"items": values}
        found = items({**given, "options": options})
        other = ({"pure_dragon_run", "mixed_dragon_run"} - {wanted}).pop()
        assert found[wanted] == max(pure, mixed) and other not in found, values
        assert found.get("terminal_sheungs", 0) == (terminal if wanted == "mixed_dragon_run" else 0)
        assert found == dict(naive_hk16.score_position({**given, "options": options})["items"])


def test_a_run_that_is_switched_off_is_still_a_run() -> None:
    """Its 123 and 789 make no Terminal pair: 0 takes the points of a row, not what it holds of the hand."""
    given = position("123456789m3z", "3z", "p888s p444p")
    off = {"items": {"pure_dragon_run": [0, 0], "mixed_dragon_run": [0, 0]}}
    assert not {"pure_dragon_run", "terminal_sheungs"} & set(items({**given, "options": off}))


def test_run_is_of_the_concealed_or_the_exposed_sheung_whichever_pays_more() -> None:
    """r35, r49: of two 123m one is completed by the discard; the run may have the other."""
    given = position("12233456789m33z", "1m", "p888s")
    assert items(given)["pure_dragon_run"] == 20
    assert items(position("23456789m33z", "1m", "p888s p444p"))["pure_dragon_run"] == 15
    turned = {"items": {"pure_dragon_run": [20, 15]}}
    assert items({**given, "options": turned})["pure_dragon_run"] == 20
    alone = position("123456789m3z", "3z", "p888s p444p")
    assert items({**alone, "options": turned})["pure_dragon_run"] == 15
    for one in (given, alone):
        one = {**one, "options": turned}
        assert items(one) == dict(naive_hk16.score_position(one)["items"])


@pytest.mark.parametrize(("streak", "cap", "points"), [(0, 2, 0), (1, 2, 3), (2, 2, 5), (3, 5, 5), (5, 5, 5)])
def test_dealer_streak_beyond_the_third_win_stays_at_its_points(streak: int, cap: int, points: int) -> None:
    given = position("78m444p33z", "9m", PLAIN, seat=0, flowers="2f3f", streak=streak)
    assert items({**given, "options": {"streak_cap": cap}}).get("dealer_streak", 0) == points


def test_minimum_by_round_and_the_dealers_extra_are_flags() -> None:
    given = position("78m444p33z", "9m", PLAIN, by="self_draw", prevailing="3z")
    assert score(given) == {
        "win": False,
        "reason": "minimum",
        "items": [["flowers", 2], ["mahjong", 5], ["self_draw", 1]],
        "tai": 8,
    }
    for options, payments in (
        ({"min_tai": 8, "min_tai_step": 0}, [-9, 25, -8, -8]),
        ({"min_tai": 4, "min_tai_step": 2}, [-9, 25, -8, -8]),
        ({"min_tai": 4, "min_tai_step": 3}, None),
        ({"min_tai": 0, "min_tai_step": 0, "dealer_self_draw_tai": 0}, [-8, 24, -8, -8]),
        ({"min_tai": 0, "min_tai_step": 0, "dealer_self_draw_tai": 7}, [-15, 31, -8, -8]),
    ):
        assert score({**given, "options": options}).get("payments") == payments
