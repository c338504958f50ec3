"""The `four-winds` scorer: golden positions, cases worked by hand, the slow scorer, every item as an option."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import mjsim
from mjsim.errors import NotationError, UsageError
from mjsim.ruleset.four_winds_items import ITEMS
from mjsim.ruleset.record import F_EARTHLY, F_HEAVENLY, F_LAST_TILE, F_ORIGINAL_CALL, POSITION_FLAGS
from tests import naive_four_winds as naive
from tests.four_winds_cases import BAD, CASES, CLOSED, Position, answer, plain, position, rich_position
from tests.score_checks import (
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
FLOWER_SETTLEMENTS = {"eight_immortals", "seven_robs_one"}
READ = ("original_call", "heavenly", "last_tile", "earthly")


def random_positions(n_rich: int, n_plain: int, seed: int, *, options: bool = True) -> list[Position]:
    rng = Random(f"four-winds {seed}")
    positions = [rich_position(rng) for _ in range(n_rich)]
    positions += [plain_position(rng, "four-winds", READ) for _ in range(n_plain)]
    return [change_some_items(rng, p, IDS) for p in positions] if options else positions


def items(given: Position) -> dict[str, int]:
    found = score(given)
    assert found["win"], found
    return dict(found["items"])


# --- against others -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", golden_positions("four-winds"))
def test_golden_position(line: dict[str, Any]) -> None:
    assert score(line["position"]) == line["answer"]


@pytest.mark.parametrize(("given", "wanted"), [pytest.param(given, wanted, id=name) for name, given, wanted in CASES])
def test_case(given: Position, wanted: dict[str, Any]) -> None:
    assert score(given) == wanted


@pytest.mark.parametrize(("given", "field"), [pytest.param(given, field, id=name) for name, given, field in BAD])
def test_a_malformed_position_names_the_field(given: Position, field: str) -> None:
    with pytest.raises((NotationError, UsageError), match=f"^{field}"):
        mjsim.score(given)


def test_the_table_is_the_slow_scorers() -> None:
    assert {item.id: item.tai[0] for item in ITEMS} == naive.VALUES and list(naive.VALUES) == IDS
    assert all(len(item.tai) == 1 for item in ITEMS)


def test_score_agrees_with_the_slow_scorer() -> None:
    met = compare(random_positions(2_000, 1_000, 1), naive.score_position)
    assert met == set(IDS) - FLOWER_SETTLEMENTS | {"shape"}


@pytest.mark.slow
def test_score_agrees_with_the_slow_scorer_on_100000_positions() -> None:
    compare(random_positions(size(67_000), size(33_000), 2), naive.score_position)


def test_score_batch_equals_score() -> None:
    check_batch(random_positions(700, 300, 3, options=False), "four-winds")


# --- items as options -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def candidates() -> list[Position]:
    worked = [given for _, given, _ in CASES]
    return worked + random_positions(1_500, 300, 4, options=False)


@pytest.mark.parametrize("item", [item for item in IDS if item not in FLOWER_SETTLEMENTS])
def test_an_item_at_0_doubled_and_changed(item: str, candidates: list[Position]) -> None:
    assert check_each_item_changed(candidates, naive.score_position, item) >= 3


def test_an_item_at_0_keeps_no_other_away() -> None:
    three_winds = position("345p2399s", "4s", melds="pung 111z, pung 222z, pung 333z")
    assert items(with_items(three_winds, big_three_winds=0)) == {"winning_hand": 2, "flower": 1, "honor_pung": 3}
    chows = position("345567p2399s", "4s", melds="chow 234m, chow 567m", flowers="")
    assert items(with_items(chows, all_chows_no_honors_no_flowers=0)) == {
        "winning_hand": 2,
        "all_chows": 3,
        "no_honors_no_flowers": 3,
    }
    neither = with_items(chows, all_chows_no_honors_no_flowers=0, no_honors_no_flowers=0)
    assert items(neither) == {"winning_hand": 2, "all_chows": 3, "no_honors": 1, "no_flowers": 1}
    straight = position("123456789s99m22z", "9m", melds="chow 345p")
    assert items(with_items(straight, concealed_straight=0))["straight"] == 5
    melded = position("2z", "2z", melds="chow 123s, chow 567m, pung 888p, chow 345m, pung 222p")
    assert items(with_items(melded, melded_hand=0)) == {"winning_hand": 2, "flower": 1, "pair_wait": 1}
    early = position(CLOSED, "4s", flags=["earthly"], discards=1)
    assert items(with_items(early, earthly_hand=0))["five_discards"] == 10


# --- readings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("all_chows", "scored"),
    [
        (3, {"three_concealed_pungs": 5}),
        (4, {"three_concealed_pungs": 5}),  # equal totals: the first of the table that differs (ruling 23)
        (5, {"all_chows": 5, "edge_closed_wait": 1}),
    ],
)
def test_three_equal_runs_are_pungs_or_chows(all_chows: int, scored: dict[str, int]) -> None:
    given = position("11122233m22z", "3m", "self_draw", melds="chow 567p, chow 678p")
    given = with_items(given, all_chows=all_chows)
    base = {"winning_hand": 2, "flower": 1, "self_drawn": 1}
    assert score(given) == answer("self_draw", sum({**base, **scored}.values()), base | scored)


@pytest.mark.parametrize(
    ("seven_pairs", "scored"),
    [
        (1, {"edge_closed_wait": 2}),  # as many by pairs, but the wait stands first in the table (ruling 23)
        (2, {"seven_pairs": 2, "pair_wait": 1}),
    ],
)
def test_the_better_structure(seven_pairs: int, scored: dict[str, int]) -> None:
    given = with_items(position("11223m445566p77788s", "3m"), seven_pairs=seven_pairs, edge_closed_wait=2)
    base = {"winning_hand": 2, "flower": 1, "concealed_hand": 1, "no_honors": 1}
    assert score(given) == answer("discard", sum({**base, **scored}.values()), base | scored)


@pytest.mark.parametrize(
    ("hand", "win_tile"),
    [
        ("111222333456m99p77s", "7s"),
        ("1133m2244p6677s999s5z", "5z"),
        ("111m444777p555999s2z", "2z"),
        ("123456789s1112223z", "3z"),
    ],
)
def test_a_heavenly_hand_is_the_same_whichever_tile_is_named(hand: str, win_tile: str) -> None:
    """Ruling 28; in play the named tile is any held one."""
    one = positions_array([position(hand, win_tile, "self_draw", flags=["heavenly"])])
    held = [k for k in range(34) if one["counts"][0][k]]
    array = one.repeat(len(held))
    array["win_tile"] = held
    scores = mjsim.score_batch(array, "four-winds")
    assert (scores["status"] == 0).all() and (scores == scores[0]).all()
    assert not scores["items"][:, [IDS.index("edge_closed_wait"), IDS.index("pair_wait")]].any()


def test_flags_that_are_not_read_change_nothing_in_a_batch() -> None:
    array = positions_array(random_positions(300, 100, 5, options=False))
    before = mjsim.score_batch(array, "four-winds")
    read = F_ORIGINAL_CALL | F_HEAVENLY | F_LAST_TILE | F_EARTHLY
    array["flags"] |= ((1 << len(POSITION_FLAGS)) - 1) & ~read
    assert (mjsim.score_batch(array, "four-winds") == before).all()


def test_dealer_winds_streak_and_dice_change_nothing() -> None:
    array = positions_array(random_positions(300, 100, 6, options=False))
    before = mjsim.score_batch(array, "four-winds")
    for field, value in (("dealer", 3), ("east", 2), ("streak", 9), ("prevailing", 3), ("dice", 6)):
        array[field] = value
    assert (mjsim.score_batch(array, "four-winds") == before).all()


# --- special hands by the flags of the rules ------------------------------------------------------------------------


def test_seven_pairs_win_only_where_the_rules_have_them() -> None:
    given = position("1133m2244p6677s999s5z", "5z")
    assert score(given)["win"]
    assert score(given | {"options": {"seven_pairs": False}}) == {"win": False, "reason": "shape"}
    both = position("112233m445566p7778s", "8s", options={"seven_pairs": False})
    assert items(both) == {"winning_hand": 2, "flower": 1, "concealed_hand": 1, "no_honors": 1, "pair_wait": 1}


@pytest.mark.parametrize(
    ("option", "hand", "win_tile"),
    [("thirteen_orphans", "19m19p19s1234567z123m", "1m"), ("sixteen_orphans", "147m258p369s1234567z", "7z")],
)
def test_orphans_score_what_does_not_depend_on_sets(option: str, hand: str, win_tile: str) -> None:
    given = position(hand, win_tile, options={option: True})
    assert items(given) == {"winning_hand": 2, "flower": 1, "concealed_hand": 1}
    assert not score(plain("5s", options={option: True}))["win"]
