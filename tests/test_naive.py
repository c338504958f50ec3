"""The naive twin against the golden positions, the texts' worked examples and the Douque rulings."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests import naive
from tests.naive import (
    format_tiles,
    is_complete,
    parse_tiles,
    score_position,
    shanten,
    splits,
    to_counts,
    waits,
)
from tests.position_cases import random_winning_positions

GOLDEN = Path(__file__).parent / "golden"
BOTH = ("douque-american", "douque-taiwanese")
NO_BONUS = [1, 2, 4]


def lines(name: str) -> list[dict[str, Any]]:
    """The JSON objects of a golden file."""
    return [json.loads(line) for line in (GOLDEN / name).read_text().splitlines()]


def position(hand: str, win_tile: str, by: str = "discard", **rest: Any) -> dict[str, Any]:
    """A position of seat 1 (South, dealer seat 0, North round), paid by seat 2; `from_` stands for `from`."""
    built: dict[str, Any] = {
        "rules": "douque-american",
        "hand": hand,
        "win_tile": win_tile,
        "by": by,
        "seat": 1,
        "dealer": 0,
        "east": 0,
        "prevailing": "4z",
        "dice": NO_BONUS,
        "options": {"min_tai": 0},
    }
    if by != "self_draw":
        built["from"] = rest.pop("from_", 2)
    return built | rest


def items(hand: str, win_tile: str, by: str = "discard", **rest: Any) -> dict[str, int]:
    """The items of a won position."""
    answer = score_position(position(hand, win_tile, by, **rest))
    assert answer["win"], answer
    assert answer["tai"] == sum(tai for _, tai in answer["items"])
    return dict(answer["items"])


def minimum_of_three(given: dict[str, Any]) -> dict[str, Any]:
    """The position played with the preset's minimum."""
    return {field: value for field, value in given.items() if field != "options"}


def waits_of(hand: str, *meld_tiles: str) -> str:
    """The waits of a hand in notation."""
    melds = [tile for text in meld_tiles for tile in parse_tiles(text)]
    return format_tiles(waits(to_counts(parse_tiles(hand)), len(meld_tiles), to_counts(melds)))


# --- Golden files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", BOTH)
def test_golden_positions_have_their_answers(rules: str) -> None:
    for line in lines(f"{rules}.positions.jsonl"):
        assert score_position(line["position"]) == line["answer"], line["position"]


@pytest.mark.parametrize("rules", BOTH)
def test_golden_hands_have_their_payments(rules: str) -> None:
    for hand in lines(f"{rules}.hands.jsonl"):
        for s in hand["settlements"]:
            assert s["tai"] == sum(tai for _, tai in s["items"])
            paid = naive.payments(s["winner"], s["from"], s["tai"], hand["dealer"], hand["streak"])
            assert paid == s["payments"]


# --- Notation -----------------------------------------------------------------------------------------------


def test_notation_reads_runs_and_single_tiles() -> None:
    assert parse_tiles("123m55p11z") == [0, 1, 2, 13, 13, 27, 27]
    assert parse_tiles("1f58f7z9s") == [34, 38, 41, 33, 26]
    assert parse_tiles("") == []


def test_notation_round_trips() -> None:
    rng = Random(3)
    for _ in range(100):
        kinds = sorted(rng.choices(range(42), k=rng.randrange(20)))
        assert parse_tiles(format_tiles(kinds)) == kinds


@pytest.mark.parametrize("text", ["12", "m", "0m", "8z", "9f", "1m m", "1x", "1mp"])
def test_notation_refuses_what_is_no_tile(text: str) -> None:
    with pytest.raises(ValueError, match=r"^tiles: "):
        parse_tiles(text)


# --- Shapes -------------------------------------------------------------------------------------------------


def test_complete_hand_is_five_melds_and_a_pair() -> None:
    assert is_complete(to_counts(parse_tiles("123456789m123p11122z")), 0)
    assert is_complete(to_counts(parse_tiles("22z")), 5)
    assert not is_complete(to_counts(parse_tiles("12z")), 5)
    # No chow wraps around, crosses suits or is made of honors; seven pairs are no hand.
    for other in ("891m22z", "123z22z", "89m1p22z"):
        assert not is_complete(to_counts(parse_tiles(other)), 4)
    assert not is_complete(to_counts(parse_tiles("1133557799m1133557z")), 0)


def test_splits_lists_each_way_once() -> None:
    found = splits(to_counts(parse_tiles("11122233344m")))
    assert len(found) == 3
    as_text = {" ".join(sorted(format_tiles(group.kinds()) for group in split)) for split in found}
    assert as_text == {"111m 222m 333m 44m", "123m 123m 123m 44m", "11m 123m 234m 234m"}


def _shanten_over_all_targets(counts: list[int], n_sets: int) -> int:
    """Distance to the nearest of all target hands, listed without any cleverness."""
    chows = [(k, k + 1, k + 2) for k in range(27) if k % 9 <= 6]
    all_sets = chows + [(k, k, k) for k in range(34)]
    best = 99
    for sets in itertools.combinations_with_replacement(all_sets, n_sets):
        for pair in range(34):
            target = Counter((pair, pair))
            for tiles in sets:
                target.update(tiles)
            if max(target.values()) <= 4:
                kept = sum(min(n, counts[kind]) for kind, n in target.items())
                best = min(best, 3 * n_sets + 2 - kept)
    return best - 1


@pytest.mark.parametrize("melds", [5, 4, 3])
def test_shanten_is_the_distance_to_the_nearest_target(melds: int) -> None:
    rng = Random(melds)
    for n_tiles, narrow in itertools.product((16 - 3 * melds, 17 - 3 * melds), (False, True)):
        # In one suit and a wind the fours of a kind make the limit of four copies bite.
        wall = [k for k in (range(8, 12) if narrow else range(34)) for _ in range(4)]
        for _ in range(1 if melds == 3 else 6):
            counts = to_counts(rng.sample(wall, n_tiles))
            assert shanten(counts, melds) == _shanten_over_all_targets(counts, 5 - melds)


def test_shanten_does_not_wait_on_a_fifth_copy_in_hand() -> None:
    assert shanten(to_counts(parse_tiles("1111z")), 4) == 1  # 111z and a single: one tile is replaced first
    assert shanten(to_counts(parse_tiles("1z")), 5) == 0


def test_shanten_agrees_with_complete_and_with_waits() -> None:
    for given in random_winning_positions(60, 5, "douque-taiwanese"):
        melds = [naive.parse_meld(entry) for entry in given.get("melds", [])]
        before = to_counts(parse_tiles(given["hand"]))
        after = list(before)
        after[parse_tiles(given["win_tile"])[0]] += 1
        assert (shanten(after, len(melds)) == -1) == is_complete(after, len(melds))
        # Copies in the melds take waits away, but do not limit the target of shanten.
        assert (shanten(before, len(melds)) == 0) == bool(waits(before, len(melds), [0] * 34))


def test_wait_is_a_kind_not_all_held() -> None:
    """Ruling 1."""
    assert waits_of("1234444m123456p777s") == "1m"  # 4 completes the shape too, all four are held
    assert waits_of("23m99p123456s", "111m", "777z") == "14m"
    assert waits_of("23m99p123456s", "1111m", "777z") == "4m"


def test_wait_of_a_called_fourth_copy_is_none() -> None:
    """Ruling 1: a hand of which all winning tiles are in its own melds is not ready."""
    assert waits_of("1m", "111m", "222p", "333s", "444z", "555z") == ""


# --- The texts' scoring examples ----------------------------------------------------------------------------

CONCEALED = "123456m123456p23s99s"
CHOWS_HAND, CHOWS_MELD = "456m123456p23s99s", [["chow", "123m"]]


@pytest.mark.parametrize("rules", BOTH)
def test_example_1_non_dealer_self_draws(rules: str) -> None:
    answer = score_position(minimum_of_three(position(CONCEALED, "1s", "self_draw", streak=2, rules=rules)))
    assert answer["items"] == [["concealed_hand", 1], ["fully_concealed", 1], ["self_drawn", 1]]
    assert answer["tai"] == 3
    assert answer["payments"] == [-11, 23, -6, -6]


@pytest.mark.parametrize("rules", BOTH)
def test_example_2_dealing_in_to_the_dealer(rules: str) -> None:
    given = position(CHOWS_HAND, "1s", melds=CHOWS_MELD, seat=0, from_=1, streak=1, rules=rules)
    answer = score_position(minimum_of_three(given))
    assert answer == {"win": True, "items": [["all_chows", 2]], "tai": 2, "payments": [8, -8, 0, 0]}


@pytest.mark.parametrize("rules", BOTH)
def test_example_3_dealer_self_draws(rules: str) -> None:
    answer = score_position(minimum_of_three(position(CONCEALED, "1s", "self_draw", seat=0, rules=rules)))
    assert answer["tai"] == 3
    assert answer["payments"] == [21, -7, -7, -7]


def test_example_4_who_discards_decides_whether_it_is_enough() -> None:
    by_another = score_position(minimum_of_three(position(CHOWS_HAND, "1s", melds=CHOWS_MELD)))
    assert by_another == {"win": False, "reason": "minimum", "items": [["all_chows", 2]], "tai": 2}
    by_dealer = score_position(minimum_of_three(position(CHOWS_HAND, "1s", melds=CHOWS_MELD, from_=0)))
    assert by_dealer == {"win": True, "items": [["all_chows", 2]], "tai": 2, "payments": [-6, 6, 0, 0]}


def test_example_5_dice_bonus_makes_up_the_minimum() -> None:
    answer = score_position(minimum_of_three(position(CHOWS_HAND, "1s", melds=CHOWS_MELD, dice=[2, 3, 6])))
    assert answer["items"] == [["all_chows", 2], ["dice_bonus", 1]]
    assert answer["payments"] == [0, 6, -6, 0]


def test_example_6_self_drawn_win_is_judged_on_the_dealers_share() -> None:
    given = position(CHOWS_HAND, "1s", "self_draw", melds=CHOWS_MELD, flowers="2f")
    answer = score_position(minimum_of_three(given))
    assert answer["items"] == [["seat_flower", 1], ["self_drawn", 1]]
    assert answer["payments"] == [-6, 16, -5, -5]


def test_settlement_screen_example_ready_and_seat_flower_from_the_dealer() -> None:
    given = position("123789m99p23s", "1s", melds=[["pung", "888s"], ["chow", "456m"]], flowers="2f", from_=0)
    answer = score_position(minimum_of_three(given | {"flags": ["ready"]}))
    assert answer["items"] == [["declare_ready", 1], ["seat_flower", 1]]
    assert answer["payments"] == [-6, 6, 0, 0]


@pytest.mark.parametrize(("min_tai", "win"), [(0, True), (2, True), (3, False), (5, False)])
def test_minimum_is_selectable(min_tai: int, win: bool) -> None:
    given = position(CHOWS_HAND, "1s", melds=CHOWS_MELD, options={"min_tai": min_tai})
    assert score_position(given)["win"] is win


def test_taiwanese_has_no_minimum_and_needs_no_dice() -> None:
    given = minimum_of_three(position("1m", "1m", "self_draw", rules="douque-taiwanese"))
    given["melds"] = [["chow", "123p"], ["chow", "456p"], ["chow", "789p"], *pungs("2s", "6s")]
    del given["dice"]
    assert score_position(given)["items"] == [["self_drawn", 1], ["single_wait", 1]]


# --- All Chows, Single Wait, Melded Hand --------------------------------------------------------------------


@pytest.mark.parametrize("called", ["123p", "456p", "789p"])
def test_all_chows_text_example_with_an_exposed_dots_chow(called: str) -> None:
    """2223456 Characters and 1-9 Dots: 1, 4, 7 score All Chows, 3 and 6 are pair waits (ruling 5)."""
    dots = "123456789".replace(called[:3], "")
    hand = f"2223456m{dots}p"
    assert waits_of(hand, called) == "13467m"
    for tile in "147":
        assert items(hand, tile + "m", melds=[["chow", called]]) == {"all_chows": 2}
    for tile in "36":
        assert items(hand, tile + "m", melds=[["chow", called]]) == {}


def test_all_chows_needs_an_exposed_chow_another_players_tile_and_no_flower() -> None:
    assert "all_chows" not in items(CONCEALED, "1s")
    assert "all_chows" not in items(CHOWS_HAND, "1s", "self_draw", melds=CHOWS_MELD)
    assert "all_chows" not in items(CHOWS_HAND, "1s", melds=CHOWS_MELD, flowers="1f")
    assert items(CHOWS_HAND, "1s", "rob_kong", melds=CHOWS_MELD) == {"all_chows": 2, "robbing_the_kong": 1}


def test_all_chows_pair_is_no_honor() -> None:
    assert items("456m123456p23s11z", "1s", melds=CHOWS_MELD) == {}


def test_12345_with_3_takes_the_two_sided_place() -> None:
    """12 waiting on 3 is an edge, 45 waiting on 3 is two-sided: the dearer place counts (ruling 4)."""
    hand, melds = "12345m99p456s", [["chow", "123p"], ["chow", "789s"]]
    assert waits_of(hand, "123p", "789s") == "36m"
    assert items(hand, "3m", melds=melds) == {"all_chows": 2}
    assert items(hand, "3m", "self_draw", melds=melds) == {"self_drawn": 1}
    # With all four 6 held the 3 is the only wait: self-drawn it may stand at the edge (rulings 1 and 2).
    held = [["kong_exposed", "6666m"], ["chow", "789s"]]
    assert waits_of(hand, "6666m", "789s") == "3m"
    assert items(hand, "3m", "self_draw", melds=held) == {"self_drawn": 1, "single_wait": 1}


def test_4566_with_6_takes_the_two_sided_place() -> None:
    """456 + 66 by the pair, or 456 + 66 by 45 waiting on 6."""
    hand, melds = "4566m123p456s", [["chow", "123p"], ["chow", "789s"]]
    assert waits_of(hand, "123p", "789s") == "36m"
    assert items(hand, "6m", melds=melds) == {"all_chows": 2}
    assert items(hand, "3m", melds=melds) == {"all_chows": 2}


def test_2345_with_5_is_a_pair_wait() -> None:
    """Waiting on 2 and 5 for the pair only: neither All Chows nor Single Wait."""
    hand, melds = "2345m123p456s", [["chow", "123p"], ["chow", "789s"]]
    assert waits_of(hand, "123p", "789s") == "25m"
    assert items(hand, "5m", melds=melds) == {}
    assert items(hand, "2m", melds=melds) == {}


def test_all_chows_two_sided_is_by_shape() -> None:
    """Ruling 3: 23 waiting on 1 and 4 with all four 4 held has one wait; All Chows, and no Single Wait."""
    called = ("345m", "345m", "456m", "234m")
    assert waits_of("23m99p", *called) == "1m"
    assert items("23m99p", "1m", melds=[["chow", chow] for chow in called]) == {"all_chows": 2}


@pytest.mark.parametrize(
    ("hand", "tile", "single"),
    [
        ("12m99p", "3m", True),  # edge
        ("89m99p", "7m", True),  # edge
        ("46m99p", "5m", True),  # closed
        ("456m9p", "9p", True),  # pair
        ("23m99p", "1m", False),  # two-sided
        ("88m99p", "8m", False),  # a pung from one of two pairs
    ],
)
def test_single_wait_is_one_edge_closed_or_pair_wait(hand: str, tile: str, single: bool) -> None:
    melds = [["pung", "111p"], ["chow", "234p"], ["chow", "456s"], ["chow", "789s"]]
    assert items(hand, tile, melds=melds) == ({"single_wait": 1} if single else {})


def test_single_wait_pung_of_two_pairs_with_the_other_kind_all_held() -> None:
    """Rulings 1 and 3: 88m 99p wait on 8m alone, two 9p being in chows; yet a pung wait is no single wait."""
    melds = [["chow", "789p"], ["chow", "789p"], ["chow", "456s"], ["pung", "111p"]]
    assert waits_of("88m99p", "789p", "789p", "456s", "111p") == "8m"
    assert items("88m99p", "8m", melds=melds) == {}


def test_single_wait_own_held_fourth_copies() -> None:
    """1234444m: 4 would complete it but is held four times, so 1 for the pair is the one wait."""
    assert items("1234444m123456p777s", "1m") == {"concealed_hand": 1, "single_wait": 1}


FIVE_CALLED = [
    ["chow", "123m"],
    ["chow", "456p"],
    ["pung", "888s"],
    ["kong_exposed", "1111p"],
    ["kong_added", "9999s"],
]


def test_melded_hand_is_five_exposed_melds_and_another_players_tile() -> None:
    assert items("5z", "5z", melds=FIVE_CALLED) == {"melded_hand": 1, "single_wait": 1}
    assert items("5z", "5z", "self_draw", melds=FIVE_CALLED) == {"self_drawn": 1, "single_wait": 1}
    concealed_kong = [*FIVE_CALLED[:4], ["kong_concealed", "9999s"]]
    assert items("5z", "5z", melds=concealed_kong) == {"single_wait": 1}


# --- Pungs, winds, dragons, suits ---------------------------------------------------------------------------


def test_concealed_pung_is_completed_by_self_draw_and_not_by_a_discard() -> None:
    hand = "222888m234444p5599s"
    assert items(hand, "9s") == {"concealed_hand": 1, "three_concealed_pungs": 2}
    drawn = items(hand, "9s", "self_draw")
    assert drawn["four_concealed_pungs"] == 5
    assert "three_concealed_pungs" not in drawn


def test_concealed_pung_stays_where_the_discard_may_stand_in_a_chow() -> None:
    """33312 + 3: the winning tile stands in the chow, where it costs no concealed pung (ruling 4)."""
    expected = {"concealed_hand": 1, "dragon_pung": 1, "four_concealed_pungs": 5}
    assert items("12333m55p777s444777z", "3m", prevailing="1z") == expected


def test_concealed_kong_counts_as_a_concealed_pung() -> None:
    melds = [["kong_concealed", "2222m"], ["kong_concealed", "8888m"]]
    assert items("44423p55678s", "1p", melds=melds) == {"concealed_hand": 1, "three_concealed_pungs": 2}
    exposed = [["kong_exposed", "2222m"], ["kong_added", "8888m"]]
    assert items("44423p55678s", "1p", melds=exposed) == {}


def test_five_concealed_pungs_self_drawn() -> None:
    assert items("222888m444p555999s1z", "1z", "self_draw") == {
        "all_pungs": 4,
        "concealed_hand": 1,
        "five_concealed_pungs": 8,
        "fully_concealed": 1,
        "self_drawn": 1,
        "single_wait": 1,
    }


def test_equal_totals_list_all_chows() -> None:
    """Ruling 4: three equal neighbouring pungs or three chows, 2 tai either way."""
    hand, melds = "22233344m99p567s", [["chow", "123s"]]
    found = naive.all_items(
        to_counts(parse_tiles(hand + "4m")),
        [naive.parse_meld(entry) for entry in melds],
        3,
        by="discard",
        seat_wind=28,
        prevailing=30,
    )
    assert {"all_chows": 2} in found
    assert items(hand, "4m", melds=melds) == {"all_chows": 2}


def pungs(*names: str) -> list[list[str]]:
    """Exposed pungs of the named tiles."""
    return [["pung", name[0] * 3 + name[1]] for name in names]


SELF_DRAWN_PAIR = {"self_drawn": 1, "single_wait": 1}


@pytest.mark.parametrize(
    ("called", "pair", "tai"),
    [
        (("1z", "2z", "3z", "5z", "6z"), "7z", 16),  # Little Three Dragons
        (("1z", "2z", "3z", "5z", "6z"), "4z", 20),  # Little Four Winds
        (("5z", "6z", "7z", "1z", "2z"), "3z", 20),  # Big Three Dragons
        (("1z", "2z", "3z", "4z", "5z"), "6z", 28),  # Big Four Winds
    ],
)
def test_all_honors_combinations_are_one_item(called: tuple[str, ...], pair: str, tai: int) -> None:
    assert items(pair, pair, "self_draw", melds=pungs(*called)) == SELF_DRAWN_PAIR | {"all_honors": tai}


def test_all_honors_without_a_combination_is_16() -> None:
    """The table's plain 16; with five sets and a pair of the seven honors there always is a combination."""
    assert naive.ALL_HONORS_TAI[None] == 16
    for chosen in itertools.combinations(range(1, 8), 5):
        for pair in set(range(1, 8)) - set(chosen):
            n_winds = sum(k <= 4 for k in chosen)
            n_dragons = 5 - n_winds
            little = (n_dragons == 2 and pair > 4) or (n_winds == 3 and pair <= 4)
            assert n_dragons == 3 or n_winds == 4 or little


def test_all_honors_adds_five_concealed_pungs() -> None:
    assert items("111222333555666z7z", "7z", "self_draw") == SELF_DRAWN_PAIR | {
        "all_honors": 16,
        "concealed_hand": 1,
        "five_concealed_pungs": 8,
        "fully_concealed": 1,
    }


def test_prevalent_and_seat_wind_of_the_same_tile_both_count() -> None:
    melds = [["kong_exposed", "2222z"], *pungs("1p"), ["chow", "456p"], ["chow", "789s"], ["chow", "456s"]]
    expected = SELF_DRAWN_PAIR | {"prevalent_wind": 1, "seat_wind": 1}
    assert items("5m", "5m", "self_draw", melds=melds, prevailing="2z") == expected


def test_seat_wind_counts_from_east_not_from_the_dealer() -> None:
    melds = [*pungs("1z"), ["chow", "123p"], ["chow", "456p"], ["chow", "789s"], ["chow", "456s"]]
    assert items("5m", "5m", "self_draw", melds=melds, east=1) == SELF_DRAWN_PAIR | {"seat_wind": 1}
    assert items("5m", "5m", "self_draw", melds=melds, east=0) == SELF_DRAWN_PAIR


@pytest.mark.parametrize(
    ("called", "pair", "expected"),
    [
        (("5z", "6z", "2m", "5p", "8s"), "7z", {"all_pungs": 4, "little_three_dragons": 4}),
        (("5z", "6z", "7z", "5p", "8s"), "9m", {"all_pungs": 4, "big_three_dragons": 8}),
        (("5z", "6z", "2z", "5p", "8s"), "9m", {"all_pungs": 4, "dragon_pung": 2, "seat_wind": 1}),
        (("2z", "3z", "4z", "5p", "8s"), "1z", {"all_pungs": 4, "little_four_winds": 8}),
        (
            ("2z", "3z", "4z", "5p", "7z"),
            "1z",
            {"all_pungs": 4, "dragon_pung": 1, "half_flush": 4, "little_four_winds": 8},
        ),
        (("1z", "2z", "3z", "4z", "8s"), "9m", {"all_pungs": 4, "big_four_winds": 16}),
        (("1m", "2m", "4m", "6m", "8m"), "9m", {"all_pungs": 4, "full_flush": 8}),
        (("1m", "2m", "4m", "6m", "3z"), "9m", {"all_pungs": 4, "half_flush": 4}),
        (("1m", "2m", "4m", "6m", "8m"), "1z", {"all_pungs": 4, "half_flush": 4}),
    ],
)
def test_winds_dragons_and_suits(called: tuple[str, ...], pair: str, expected: dict[str, int]) -> None:
    assert items(pair, pair, "self_draw", melds=pungs(*called)) == SELF_DRAWN_PAIR | expected


@pytest.mark.parametrize(
    ("flowers", "expected"),
    [
        ("", {}),
        ("15f", {}),
        ("2f6f", {"seat_flower": 2}),
        ("1234f", {"flower_kong": 1, "seat_flower": 1}),
        ("12345678f", {"flower_kong": 2, "seat_flower": 2}),
    ],
)
def test_seat_flower_in_a_flower_kong_still_counts(flowers: str, expected: dict[str, int]) -> None:
    melds = [*pungs("1p"), ["chow", "234p"], ["chow", "456p"], ["chow", "789s"], ["chow", "456s"]]
    assert items("5m", "5m", "self_draw", melds=melds, flowers=flowers) == SELF_DRAWN_PAIR | expected


def test_dice_bonus_has_the_texts_distribution() -> None:
    """6 triples, 6 all red, 24 straights, 60 all black, 120 without."""
    rolls = Counter(naive.dice_bonus(dice) for dice in itertools.product(range(1, 7), repeat=3))
    assert rolls == {5: 6, 3: 6, 2: 24, 1: 60, 0: 120}
    examples = [((6, 6, 6), 5), ((1, 4, 1), 3), ((1, 2, 3), 2), ((5, 6, 1), 0), ((2, 5, 6), 1)]
    for dice, tai in examples:
        assert naive.dice_bonus(dice) == tai


@pytest.mark.parametrize("on", [False, True])
@pytest.mark.parametrize("rules", BOTH)
def test_dice_bonus_is_an_option(rules: str, on: bool) -> None:
    options = {"min_tai": 0, "dice_bonus": on}
    found = items(CHOWS_HAND, "1s", melds=CHOWS_MELD, dice=[3, 3, 3], rules=rules, options=options)
    assert found == {"all_chows": 2} | ({"dice_bonus": 5} if on else {})


# --- Ways of winning ----------------------------------------------------------------------------------------


def test_heavenly_hand_excludes() -> None:
    """Ruling 7: neither Self-Drawn, Concealed Hand, Fully Concealed, Single Wait nor Replacement Tile."""
    flags = ["heavenly", "replacement"]
    found = items("222888m44p555999s11z", "4p", "self_draw", seat=0, flowers="3f", flags=flags)
    assert found == {"all_pungs": 4, "five_concealed_pungs": 8, "heavenly_hand": 24}
    single = items("1234444m123456p777s", "1m", "self_draw", seat=0, flags=["heavenly"])
    assert single == {"heavenly_hand": 24}


def test_earthly_hand_excludes() -> None:
    """Ruling 7: neither Self-Drawn, Concealed Hand nor Fully Concealed; Replacement Tile adds."""
    flags = ["earthly", "replacement"]
    found = items("1234444m123456p777s", "1m", "self_draw", flowers="3f", flags=flags)
    assert found == {"earthly_hand": 16, "replacement_tile": 1, "single_wait": 1}


def test_human_hand_excludes_concealed_hand_only() -> None:
    found = items("1234444m123456p777s", "1m", from_=0, flags=["human"])
    assert found == {"human_hand": 8, "single_wait": 1}


def test_migi_excludes_concealed_fully_concealed_and_declare_ready() -> None:
    assert items(CONCEALED, "1s", "self_draw", flags=["migi"]) == {"migi": 8, "self_drawn": 1}
    assert items(CONCEALED, "1s", flags=["migi"]) == {"migi": 8}


def test_declare_ready_is_one_tai() -> None:
    assert items(CONCEALED, "1s", flags=["ready"]) == {"concealed_hand": 1, "declare_ready": 1}


def test_last_tile_draw_is_for_a_self_draw_and_adds_to_replacement() -> None:
    """No Last Tile Claim: winning on the last discard earns no extra tai."""
    flags = ["last_tile", "replacement"]
    found = items(CHOWS_HAND, "1s", "self_draw", melds=CHOWS_MELD, flowers="3f", flags=flags)
    assert found == {"last_tile_draw": 1, "replacement_tile": 1, "self_drawn": 1}
    assert items(CHOWS_HAND, "1s", melds=CHOWS_MELD, flags=["last_tile"]) == {"all_chows": 2}


def test_seven_robs_one_case_2_regular_win() -> None:
    """Ruling 32: the robbed seat pays alone; a pung is drawn, Concealed Hand counts, four items do not."""
    flowers = {"flower_kong": 2, "replacement_tile": 1, "seat_flower": 2}
    flags = ["replacement", "last_tile"]
    answer = score_position(position("222888m234444p5599s", "9s", flowers="12345678f", flags=flags, from_=3))
    assert dict(answer["items"]) == flowers | {"concealed_hand": 1, "four_concealed_pungs": 5}
    assert answer["payments"] == [0, 14, 0, -14]
    called = items("5z", "5z", melds=FIVE_CALLED, flowers="12345678f", flags=["replacement"])
    assert called == flowers | {"single_wait": 1}


def test_seven_robs_one_case_2_with_human_hand() -> None:
    """Ruling 27: a non-dealer robbed before its first draw."""
    found = items(CONCEALED, "1s", flowers="12345678f", flags=["replacement", "human"])
    assert found == {"flower_kong": 2, "human_hand": 8, "replacement_tile": 1, "seat_flower": 2}


# --- What is no win, and what is malformed ------------------------------------------------------------------


def test_incomplete_hand_is_no_win_by_shape() -> None:
    assert score_position(position(CONCEALED, "2s")) == {"win": False, "reason": "shape"}


MALFORMED = [
    ("rules", {"rules": "riichi"}),
    ("rules", {"rules": None}),
    ("hand", {"hand": CONCEALED + "1z"}),
    ("hand", {"hand": CHOWS_HAND}),
    ("hand", {"hand": "123456m123456p2s99s1f"}),
    ("hand", {"hand": "11111m456m123456p99s"}),
    ("hand", {"hand": None}),
    ("hand", {"hand": CHOWS_HAND.replace("456m", "111m"), "melds": [["pung", "111m"]]}),
    ("melds", {"hand": "1z", "melds": [["kong_added", "1111m"], ["chow", "123m"], *pungs("1p", "2p", "3p")]}),
    ("melds", {"hand": CHOWS_HAND, "melds": [["chow", "124m"]]}),
    ("melds", {"hand": CHOWS_HAND, "melds": [["chow", "123z"]]}),
    ("melds", {"hand": CHOWS_HAND, "melds": [["chow", "891m"]]}),
    ("melds", {"hand": CHOWS_HAND, "melds": [["pung", "1111m"]]}),
    ("melds", {"hand": CHOWS_HAND, "melds": [["kong_added", "111m"]]}),
    ("melds", {"hand": CHOWS_HAND, "melds": [["kong", "1111m"]]}),
    ("melds", {"hand": CHOWS_HAND, "melds": [["pung", ""]]}),
    ("melds", {"melds": "chow"}),
    ("win_tile", {"win_tile": "11s"}),
    ("win_tile", {"win_tile": "1f"}),
    ("win_tile", {"hand": "1111m23456m123456p9s", "win_tile": "1m"}),
    ("win_tile", {"win_tile": "9s", "by": "rob_kong"}),
    ("win_tile", {"hand": CHOWS_HAND, "melds": [["chow", "123s"]], "win_tile": "1s", "by": "rob_kong"}),
    ("by", {"by": "gift"}),
    ("by", {"by": None}),
    ("seat", {"seat": 4}),
    ("seat", {"seat": True}),
    ("dealer", {"dealer": None}),
    ("east", {"east": -1}),
    ("streak", {"streak": 19}),
    ("from", {"from": 1}),
    ("from", {"from": None}),
    ("from", {"by": "self_draw"}),
    ("prevailing", {"prevailing": "5z"}),
    ("prevailing", {"prevailing": ""}),
    ("flowers", {"flowers": "1f1f"}),
    ("flowers", {"flowers": "1z"}),
    ("dice", {"dice": None}),
    ("dice", {"dice": [1, 2, 7]}),
    ("dice", {"dice": [1, 2]}),
    ("options", {"options": {"min_tai": 4}}),
    ("options", {"options": {"cap": 1}}),
    ("options", {"options": {"dice_bonus": 1}}),
    ("flags", {"flags": ["closed"]}),
    ("flags", {"flags": "ready"}),
    ("flags", {"flags": ["ready", "migi"]}),
    ("flags", {"flags": ["human"], "from": 0, "seat": 1, "dealer": 1}),
    ("flags", {"flags": ["human"], "by": "rob_kong"}),
    ("flags", {"flags": ["human", "ready"]}),
    ("flags", {"flags": ["earthly"]}),
    ("flags", {"flags": ["heavenly"], "by": "self_draw", "from": None}),
    ("flags", {"flags": ["earthly"], "by": "self_draw", "from": None, "dealer": 1}),
    ("flags", {"flags": ["replacement"], "by": "rob_kong"}),
    *(
        ("flags", {"flags": [flag], "hand": CHOWS_HAND, "melds": CHOWS_MELD, "dealer": dealer} | drawn)
        for flag, dealer, drawn in (
            ("migi", 0, {}),
            ("human", 0, {}),
            ("earthly", 0, {"by": "self_draw", "from": None}),
            ("heavenly", 1, {"by": "self_draw", "from": None}),
        )
    ),
]


@pytest.mark.parametrize(("field", "changes"), MALFORMED)
def test_malformed_position_names_its_field(field: str, changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"^{field}: "):
        score_position(position(CONCEALED, "1s") | changes)


# --- The generator ------------------------------------------------------------------------------------------


def test_generator_is_a_function_of_its_seed() -> None:
    first, again, other = (list(random_winning_positions(30, seed, BOTH[0])) for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize("rules", BOTH)
def test_generated_positions_are_valid_and_cover_every_item(rules: str) -> None:
    """Also: every total is the sum of the items, payments are zero-sum, and ties are those of ruling 4."""
    seen: Counter[str] = Counter()
    for given in random_winning_positions(1500, 11, rules):
        assert json.loads(json.dumps(given)) == given
        answer = score_position(given)
        seen[answer.get("reason", "win")] += 1
        seen[given["by"]] += 1
        seen.update(given.get("flags", []))
        seen.update(name for name, _ in answer.get("items", []))
        seen.update(kind for kind, _ in given.get("melds", []))
        if answer["win"]:
            assert sum(answer["payments"]) == 0
            assert answer["tai"] == sum(tai for _, tai in answer["items"])
            assert answer["payments"][given["seat"]] == max(answer["payments"])
    play_items = """concealed_hand self_drawn fully_concealed prevalent_wind seat_wind dragon_pung seat_flower
        flower_kong single_wait melded_hand robbing_the_kong replacement_tile last_tile_draw declare_ready
        migi dice_bonus all_chows three_concealed_pungs four_concealed_pungs five_concealed_pungs all_pungs
        little_three_dragons big_three_dragons little_four_winds big_four_winds half_flush full_flush
        all_honors human_hand earthly_hand heavenly_hand""".split()
    ways = ["win", "shape", "minimum", "self_draw", "discard", "rob_kong", *naive.FLAGS, *naive.MELD_SIZE]
    assert [name for name in play_items + ways if not seen[name]] == []
