"""The `house16` scorer: golden positions, cases worked by hand, the slow scorer, every item as an option."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import mjsim
from mjsim.errors import NotationError, UsageError
from mjsim.ruleset.house16_items import ITEMS
from mjsim.ruleset.record import POSITION_FLAGS
from tests import naive_house16 as naive
from tests.house16_cases import BAD, CASES, FILL10, N9, OPTIONAL, PLAIN, at, paid, rich_position
from tests.score_checks import (
    Position,
    change_some_items,
    check_batch,
    check_each_item_changed,
    compare,
    golden_positions,
    plain_position,
    positions_array,
    score,
    with_items,
)
from tests.sizes import size

IDS = [item.id for item in ITEMS]


def random_positions(n_rich: int, n_plain: int, seed: int, *, options: bool = True) -> list[Position]:
    rng = Random(f"house16 {seed}")
    positions = [rich_position(rng) for _ in range(n_rich)]
    positions += [plain_position(rng, "house16", POSITION_FLAGS) for _ in range(n_plain)]
    if options:
        return [change_some_items(rng, position, IDS) for position in positions]
    return [{key: value for key, value in position.items() if key != "options"} for position in positions]


def items(given: Position) -> dict[str, int]:
    found = score(given)
    assert found["win"], found
    return dict(found["items"])


# --- against others -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", golden_positions("house16"))
def test_golden_position(line: dict[str, Any]) -> None:
    assert score(line["position"]) == line["answer"]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [pytest.param(given, wanted, id=name) for name, given, wanted in CASES],
)
def test_case(given: Position, wanted: dict[str, Any]) -> None:
    assert score(given) == wanted


@pytest.mark.parametrize(
    ("given", "field"),
    [pytest.param(given, field, id=name) for name, given, field in BAD],
)
def test_a_malformed_position_names_the_field(given: Position, field: str) -> None:
    with pytest.raises((NotationError, UsageError), match=f"^{field}"):
        mjsim.score(given)


def test_the_table_is_the_slow_scorers() -> None:
    assert {item.id: item.tai[0] for item in ITEMS} == naive.VALUES and list(naive.VALUES) == IDS
    assert all(len(item.tai) == 1 for item in ITEMS)


def test_score_agrees_with_the_slow_scorer() -> None:
    met = compare(random_positions(2_000, 1_000, 1), naive.score_position)
    assert met == set(IDS) - {"seven_robs_one"}


@pytest.mark.slow
def test_score_agrees_with_the_slow_scorer_on_100000_positions() -> None:
    compare(random_positions(size(67_000), size(33_000), 2), naive.score_position)


def test_score_batch_equals_score() -> None:
    check_batch(random_positions(700, 300, 3, options=False), "house16")


# --- items as options -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def candidates() -> list[Position]:
    """Positions with every item of the table on."""
    on = dict.fromkeys(OPTIONAL, 1)
    positions = [given for name, given, _ in CASES]
    positions += random_positions(1_500, 300, 4, options=False)
    return [with_items(given, **on) for given in positions]


@pytest.mark.parametrize("item", [item for item in IDS if item != "seven_robs_one"])
def test_an_item_at_0_doubled_and_changed(item: str, candidates: list[Position]) -> None:
    assert check_each_item_changed(candidates, naive.score_position, item) >= 3


def test_an_item_at_0_keeps_no_other_away() -> None:
    on = {"dragon_pung": 1, "prevalent_wind": 1, "seat_wind": 1}
    dragons = at("123m77p45s", "3s", "pung 555z, pung 666z, pung 777z", items=on)
    assert items(dragons) == {"base_win": 1, "big_three_dragons": 8}
    assert items(with_items(dragons, big_three_dragons=0)) == {"base_win": 1, "dragon_pung": 3}
    winds = at("123m45s44z", "3s", "pung 111z, pung 222z, pung 333z", items=on)
    assert items(winds) == {"base_win": 1, "little_four_winds": 8}
    both = {"base_win": 1, "prevalent_wind": 1, "seat_wind": 1}
    assert items(with_items(winds, little_four_winds=0)) == both
    honors = at("44z66z", "4z", "pung 111z, pung 222z, pung 333z, pung 555z", items=on)
    assert "all_pungs" not in items(honors)
    assert items(with_items(honors, all_honors=0))["all_pungs"] == 4


# --- readings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("all_chows", "scored"),
    [(1, {"three_concealed_pungs": 2}), (2, {"all_chows": 2}), (3, {"all_chows": 3})],
)
def test_three_equal_runs_are_pungs_or_chows(all_chows: int, scored: dict[str, int]) -> None:
    """Equal totals: the first of the table that differs (ruling 15)."""
    given = at("111222333m45p99s", "6p", "chow 678s", items={"all_chows": all_chows})
    assert score(given) == paid(1 + sum(scored.values()), **scored)


def test_seven_pairs_bear_no_item_of_sets_though_all_are_on() -> None:
    on = dict.fromkeys(OPTIONAL, 2)
    assert items(at("1199m2244p3377s5556z", "6z", items=on)) == {"base_win": 1, "seven_pairs": 8}


def test_flags_dice_and_discards_change_nothing_in_a_batch() -> None:
    array = positions_array(random_positions(300, 100, 5, options=False))
    before = mjsim.score_batch(array, "house16")
    for flags in range(1 << len(POSITION_FLAGS)):
        array["flags"][flags % len(array)] = flags
    array["dice"] = 6
    array["discards"] = 1
    assert (mjsim.score_batch(array, "house16") == before).all()


# --- special hands by the flags of the rules ------------------------------------------------------------------------


def test_seven_pairs_win_and_wait_only_where_the_rules_have_them() -> None:
    given = at("1199m2244p3377s5566z", "6z")
    assert score(given)["win"]
    assert score(given | {"options": {"seven_pairs": False}}) == {"win": False, "reason": "shape"}
    # 112233m 5_7 777 88m 111s waits for 6m by sets, for 5m by pairs (ruling 17).
    two_waits = at("1122335777788m111s", "6m")
    assert items(two_waits) == {"base_win": 1}
    assert items(two_waits | {"options": {"seven_pairs": False}}) == {"base_win": 1, "single_wait": 1}


@pytest.mark.parametrize(
    ("option", "hand", "win_tile"),
    [("thirteen_orphans", "19m19p19s1234567z123m", "1m"), ("sixteen_orphans", "147m258p369s1234567z", "7z")],
)
def test_orphans_score_what_does_not_depend_on_sets(option: str, hand: str, win_tile: str) -> None:
    on = dict.fromkeys(OPTIONAL, 1)
    given = at(hand, win_tile, options={option: True, "items": on})
    assert items(given) == {"base_win": 1}
    assert not score(given | {"options": {"items": on}})["win"]


def test_the_dealers_part_follows_its_flag() -> None:
    given = at(FILL10, "3s", f"chow 123m, {N9}", dealer=1, streak=2)
    assert score(given)["payments"] == [0, 6, -6, 0]
    assert score(given | {"options": {"dealer_tai": False}})["payments"] == [0, 1, -1, 0]
    assert score(at(PLAIN, "3s", N9, dealer=1, streak=16_000))["payments"] == [0, 32_002, -32_002, 0]
