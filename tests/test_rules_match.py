"""Hands within a match on stacked walls: the text's scoring examples, dealer and streak, winds, dice, the exchange."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

import mjsim
from tests.stack import (
    NO_EXCHANGE,
    copies,
    deal,
    discards,
    give,
    holds,
    items,
    play,
    replayed,
    skipped,
    to_end,
    until,
)

#: Five chows and a pair, waiting on 1m and 4m: nothing but what the way of winning scores.
CHOWS = "2399m456789p345678s"
#: The same with 78s open for a chow of 6s, and a tile to discard after it.
OPEN_CHOWS = "2399m456789p34578s5z"
HEAVENLY = "123456789m11s345777p"


@pytest.fixture(autouse=True)
def oracle() -> Iterator[None]:
    with replayed():
        yield


# --- Scoring Examples -----------------------------------------------------------------------------------------------


def test_example_1_a_non_dealer_self_draws() -> None:
    hand = deal({0: "7z", 1: CHOWS}, "6z5z5z6z4m", streak=2, **NO_EXCHANGE)
    play(hand, "0 discard 7z", "1 discard", "1 win")
    assert items(hand) == {"concealed_hand": 1, "fully_concealed": 1, "self_drawn": 1}
    assert hand.settlements[0]["tai"] == 3 and hand.scores == [-11, 23, -6, -6]
    assert hand.next == {"dealer": 1, "streak": 0, "prevailing": "1z"}


def test_example_2_dealing_in_to_the_dealer() -> None:
    hand = deal({0: OPEN_CHOWS + "7z"}, "6z6z6s4m", streak=1, **NO_EXCHANGE)
    play(hand, "0 discard 7z", "3 discard 6s", "0 chow 78s", "0 discard 5z", "1 discard 4m", "0 win")
    assert items(hand) == {"all_chows": 2} and hand.scores == [8, -8, 0, 0]
    assert hand.next == {"dealer": 0, "streak": 2, "prevailing": "1z"}


def test_example_3_the_dealer_self_draws() -> None:
    hand = deal({0: CHOWS + "7z"}, "5z5z6z4m", **NO_EXCHANGE)
    play(hand, "0 discard 7z", "0 win")
    assert items(hand) == {"concealed_hand": 1, "fully_concealed": 1, "self_drawn": 1}
    assert hand.scores == [21, -7, -7, -7]


def two_tai(draws: str, **options: Any) -> mjsim.Hand:
    """Seat 2 has made its chow and holds an All Chows hand worth 2 tai; seat 3 draws first."""
    hand = deal({0: "7z", 2: OPEN_CHOWS}, "6s" + draws, **{**NO_EXCHANGE, **options})
    return play(hand, "0 discard 7z", "1 discard 6s", "2 chow 78s", "2 discard 5z")


def test_example_4_who_discards_decides_whether_there_is_enough() -> None:
    hand = two_tai("1m6z6z6z5z4m")
    play(hand, "3 discard 1m")
    assert skipped(hand, 2) and 2 not in [seat for seat, _ in hand.decisions[4:]]
    play(hand, "2 discard 6z", "0 discard 4m")
    assert (hand.seat, hand.legal()) == (2, ["pass", "win"])
    play(hand, "2 win")
    assert items(hand) == {"all_chows": 2} and hand.scores == [-6, 0, 6, 0]


def test_example_4_the_dealer_discards_while_the_skipped_win_lasts() -> None:
    hand = two_tai("1m4m")
    play(hand, "3 discard 1m", "0 discard 4m")
    assert hand.seat != 2 and skipped(hand, 2)


def test_example_5_the_dice_bonus_makes_up_the_minimum() -> None:
    hand = two_tai("1m", dice=(2, 3, 6))
    play(hand, "3 discard 1m", "2 win")
    assert items(hand) == {"all_chows": 2, "dice_bonus": 1} and hand.scores == [0, 0, 6, -6]


def test_example_6_a_self_drawn_win_is_judged_on_the_dealers_share() -> None:
    hand = deal({0: "7z", 2: OPEN_CHOWS[:-2] + "3f"}, "6s6z6z6z4m", "5z", **NO_EXCHANGE)
    play(hand, "0 discard 7z", "1 discard 6s", "2 chow 78s", "2 discard 5z", "2 win")
    assert items(hand) == {"seat_flower": 1, "self_drawn": 1} and hand.scores == [-6, -5, 16, -5]


@pytest.mark.parametrize(("min_tai", "enough"), [(0, True), (2, True), (3, False), (5, False)])
def test_the_minimum_can_be_chosen(min_tai: int, enough: bool) -> None:
    """All Chows 2 from a non-dealer, under friend mode's four minimums."""
    hand = play(two_tai("1m", min_tai=min_tai), "3 discard 1m")
    assert (hand.seat == 2) == enough and skipped(hand, 2) != enough


# --- dealer and streak ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("streak", [0, 1, 2, 7, 17, 18])
def test_dealer_tai_is_one_and_twice_the_streak_between_the_dealer_and_the_other(streak: int) -> None:
    """FAULTS 30"""
    dealer_tai = 1 + 2 * streak
    hand = play(deal({0: CHOWS + "7z"}, "5z5z6z4m", streak=streak), "0 discard 7z", "0 win")
    share = 3 + 3 + dealer_tai
    assert hand.scores == [3 * share, -share, -share, -share]
    hand = play(deal({0: "7z", 1: CHOWS}, "6z5z5z4m", streak=streak), "0 discard 7z", "1 discard", "0 discard 4m", "1 win")
    assert hand.scores == [-(3 + 1 + dealer_tai), 3 + 1 + dealer_tai, 0, 0]
    hand = play(deal({0: "7z", 1: CHOWS}, "6z4m", streak=streak), "0 discard 7z", "1 discard", "2 discard 4m", "1 win")
    assert hand.scores == [0, 4, -4, 0]


@pytest.mark.parametrize(
    ("streak", "following"),
    [(0, (0, 1)), (16, (0, 17)), (17, (0, 18)), (18, (1, 0))],
)
def test_streak_is_capped_at_18(streak: int, following: tuple[int, int]) -> None:
    """The hand at streak 18 is played as usual (dealer bonus of 37 tai), but afterwards the deal passes."""
    expected = {"dealer": following[0], "streak": following[1], "prevailing": "1z"}
    hand = play(deal({0: CHOWS + "7z"}, "5z5z6z4m", streak=streak), "0 discard 7z", "0 win")
    assert hand.next == expected
    if streak == 18:
        assert hand.scores[1] == -(3 + 3 + 37)
    assert to_end(deal({}, streak=streak)).next == expected, "an exhaustive draw"


def test_exhaustive_draw_scores_nothing_and_keeps_the_deal() -> None:
    hand = to_end(deal({}, dealer=3, streak=4, prevailing="3z"))
    assert (hand.end, hand.scores, hand.settlements) == ("draw", [0, 0, 0, 0], [])
    assert hand.next == {"dealer": 3, "streak": 5, "prevailing": "3z"}


def test_deal_passes_when_the_dealer_has_no_net_gain() -> None:
    """A score of 0 passes it too."""
    hand = play(deal({0: "7z", 1: CHOWS}, "6z4m", streak=3), "0 discard 7z", "1 discard", "2 discard 4m", "1 win")
    assert hand.scores[0] == 0 and hand.next == {"dealer": 1, "streak": 0, "prevailing": "1z"}
    hand = play(deal({0: "4m", 1: CHOWS}, streak=3), "0 discard 4m", "1 win")
    assert hand.scores[0] < 0 and hand.next == {"dealer": 1, "streak": 0, "prevailing": "1z"}


def test_dealer_keeps_the_deal_in_a_triple_win_with_a_net_gain() -> None:
    hands = {0: "46m123456p123789s33z7z", 1: "46m123456p123789s11z", 2: "46m123456p123789s22z"}
    hand = deal(hands, "6z6z5m", streak=1)
    play(hand, "0 discard 7z", "1 discard", "2 discard", "3 discard 5m", "0 win", "1 win", "2 win")
    assert [s["winner"] for s in hand.settlements] == [0, 1, 2] and hand.scores[0] == 3 + 2 + 3
    assert hand.next == {"dealer": 0, "streak": 2, "prevailing": "1z"}, "the streak goes up by one only"


# --- winds ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize(("wind", "after"), [("1z", "2z"), ("2z", "3z"), ("3z", "4z"), ("4z", "1z")])
def test_prevailing_wind_moves_on_when_the_deal_comes_back_to_seat_0(dealer: int, wind: str, after: str) -> None:
    winner = (dealer + 1) % 4
    hand = deal({dealer: "4m", winner: CHOWS}, dealer=dealer, prevailing=wind)
    play(hand, f"{dealer} discard 4m", f"{winner} win")
    assert hand.next == {"dealer": winner, "streak": 0, "prevailing": after if dealer == 3 else wind}
    hand = to_end(deal({}, dealer=dealer, prevailing=wind))
    assert hand.next == {"dealer": dealer, "streak": 1, "prevailing": wind}


def test_wind_moves_on_with_the_cap_of_the_last_dealer() -> None:
    hand = to_end(deal({}, dealer=3, prevailing="2z", streak=18))
    assert hand.next == {"dealer": 0, "streak": 0, "prevailing": "3z"}


def test_dealer_is_east_in_the_first_hand() -> None:
    for dealer, total in product(range(4), ((1, 1, 1), (1, 2, 3), (6, 6, 5))):
        assert deal({}, dealer=dealer, dice=total).record["east"] == dealer


@pytest.mark.parametrize(
    ("dice", "steps"),
    # 5, 9 and 13 break the dealer's wall; 6 the next player's; 3 and 7 the opposite; 4 and 8 the previous one's.
    [((1, 1, 1), 2), ((1, 1, 2), 3), ((1, 2, 2), 0), ((2, 2, 2), 1), ((1, 3, 3), 2), ((2, 3, 3), 3), ((3, 3, 3), 0),
     ((4, 5, 4), 0), ((6, 6, 6), 1)],
)  # fmt: skip
def test_east_follows_the_broken_wall_from_the_second_hand_on(dice: tuple[int, int, int], steps: int) -> None:
    for dealer in range(4):
        hand = deal({}, dealer=dealer, dice=dice, number=1)
        assert hand.record["east"] == (dealer + steps) % 4


def test_seat_and_prevailing_wind_of_every_seat() -> None:
    """FAULTS 52: 4 seats x 4 prevailing winds x 4 pungs; both count when they are the same tile."""
    for east, prevailing, wind in product(range(4), range(4), range(4)):
        hand = deal({0: f"123456789m11s345p{wind + 1}{wind + 1}{wind + 1}z"}, east=east, prevailing=f"{prevailing + 1}z")
        expected = {"heavenly_hand": 24}
        if wind == -east % 4:
            expected["seat_wind"] = 1
        if wind == prevailing:
            expected["prevalent_wind"] = 1
        assert items(hand) == expected, (east, prevailing, wind)


def test_seat_flowers_follow_the_seat_wind() -> None:
    for east, flower in product(range(4), range(1, 9)):
        hand = deal({0: f"{flower}f123456789m11s34577p"}, "", "7p", east=east)
        assert ("seat_flower" in items(hand)) == ((flower - 1) % 4 == -east % 4), (east, flower)


# --- dice -----------------------------------------------------------------------------------------------------------


def test_dice_bonus_of_all_216_rolls() -> None:
    """6 triples, 6 all red, 24 straights and 60 all black; the other 120 give none. Judged in the first hand too."""
    found: Counter[int] = Counter()
    examples = {(1, 1, 1): 5, (6, 6, 6): 5, (1, 4, 1): 3, (1, 1, 4): 3, (1, 2, 3): 2, (4, 5, 6): 2, (5, 6, 1): 0,
                (2, 3, 6): 1, (2, 5, 6): 1, (6, 5, 4): 2, (2, 2, 3): 1}  # fmt: skip
    for dice in product(range(1, 7), repeat=3):
        hand = mjsim.Hand(mjsim.rules("douque-american"), wall=WALL_OF_A_HEAVENLY_HAND, dice=dice, pairings=[[1, 0, 3, 2]])
        bonus = items(hand).get("dice_bonus", 0)
        assert bonus == examples.get(dice, bonus), dice
        assert hand.scores[1] == -(3 + 24 + 1 + bonus)
        found[bonus] += 1
    assert found == {5: 6, 3: 6, 2: 24, 1: 60, 0: 120}


WALL_OF_A_HEAVENLY_HAND = deal({0: HEAVENLY}).record["wall"].copy()


def test_no_dice_bonus_in_the_taiwanese_rules() -> None:
    assert items(deal({0: HEAVENLY}, dice=(1, 1, 1))) == {"heavenly_hand": 24}


# --- Three-Tile Exchange --------------------------------------------------------------------------------------------

AMERICAN = {"rules": "douque-american"}
WINDS = {0: "111z", 1: "222z", 2: "333z", 3: "444z"}
NINE = [
    [a, b, c, d]
    for a, b, c, d in product(range(4), repeat=4)
    if sorted([a, b, c, d]) == [0, 1, 2, 3] and a != 0 and b != 1 and c != 2 and d != 3
]


def test_exchange_asks_the_dealer_first_three_tiles_of_each_seat() -> None:
    hand = deal({}, dealer=2, **AMERICAN)
    asked = []
    while hand.phase == "give":
        asked.append(hand.seat)
        assert all(action.startswith("give ") for action in hand.legal())
        hand.apply(hand.legal()[0])
    assert asked == [2, 2, 2, 3, 3, 3, 0, 0, 0, 1, 1, 1]
    assert (hand.seat, hand.phase, hand.legal()) == (2, "choice", ["exchange", "start"])


def test_the_dealer_chooses_from_all_17_tiles() -> None:
    hand = deal({0: "123456789m123456p7z5z"}, **AMERICAN)
    assert len(hand.legal()) == 17 and "give 5z" in hand.legal() and "give 7z" in hand.legal()
    give(hand, "5z7z1m", "", "", "")
    assert sum(hand.record["counts"][0]) == 17 and [sum(hand.record["counts"][s]) for s in (1, 2, 3)] == [16] * 3


def test_tiles_of_one_kind_may_be_given_more_than_once_but_no_more_than_held() -> None:
    hand = deal({0: "99s"}, **AMERICAN)
    hand.apply("give 9s")
    assert "give 9s" in hand.legal()
    hand.apply("give 9s")
    assert "give 9s" not in hand.legal()
    hand = deal({0: "999s"}, pairings=[[2, 3, 0, 1], [1, 0, 3, 2]], **AMERICAN)
    give(hand, "9s9s9s", "", "", "")
    assert copies(hand, 2, "9s") == 3 and copies(hand, 0, "9s") == 0


def test_tiles_change_hands_only_after_all_four_have_chosen() -> None:
    """Seat 1 receives the dealer's Easts, and may not pass them on in the same exchange."""
    hand = deal(WINDS, pairings=[[1, 2, 3, 0], [1, 0, 3, 2]], **AMERICAN)
    give(hand, "1z1z1z")
    assert hand.seat == 1 and "give 1z" not in hand.legal()
    give(hand, "2z2z2z", "3z3z3z")
    assert hand.seat == 3 and not {"give 1z", "give 2z", "give 3z"} & set(hand.legal())
    assert not any(copies(hand, seat, f"{seat or 4}z") for seat in range(4))
    give(hand, "4z4z4z")
    assert [copies(hand, (seat + 1) % 4, f"{seat + 1}z") for seat in range(4)] == [3, 3, 3, 3]


@pytest.mark.parametrize("pairing", NINE)
def test_each_of_the_nine_pairings(pairing: list[int]) -> None:
    """Everyone's tiles go to the named receiver, in the first and in the second exchange."""
    hand = deal(WINDS, pairings=[pairing, pairing], **AMERICAN)
    give(hand, "1z1z1z", "2z2z2z", "3z3z3z", "4z4z4z")
    for seat in range(4):
        assert copies(hand, pairing[seat], f"{seat + 1}z") == 3
    play(hand, "0 exchange")
    give(hand, *(f"{wind}z" * 3 for wind in (pairing.index(seat) + 1 for seat in range(4))))
    for seat in range(4):
        assert copies(hand, pairing[pairing[seat]], f"{seat + 1}z") == 3


def test_the_second_exchange_has_its_own_pairing() -> None:
    hand = deal(WINDS, pairings=[[1, 0, 3, 2], [2, 3, 0, 1]], **AMERICAN)
    give(hand, "1z1z1z", "2z2z2z", "3z3z3z", "4z4z4z")
    assert copies(hand, 1, "1z") == 3
    play(hand, "0 exchange")
    give(hand, "2z2z2z", "1z1z1z", "4z4z4z", "3z3z3z")
    assert copies(hand, 3, "1z") == 3 and copies(hand, 2, "2z") == 3


def test_the_nine_pairings_are_equally_likely_and_drawn_afresh() -> None:
    """4500 seeds: each pairing 500 times, give or take five standard deviations (21); the second independent."""
    assert len(NINE) == 9
    first: Counter[tuple[int, ...]] = Counter()
    both: Counter[bool] = Counter()
    for seed in range(4500):
        one, two = (tuple(row) for row in mjsim.Hand("douque-american", seed=seed).record["pairings"].tolist())
        first[one] += 1
        both[one == two] += 1
    assert set(first) == {tuple(row) for row in NINE}
    assert all(abs(n - 500) < 106 for n in first.values())
    assert abs(both[True] - 500) < 106


def test_start_begins_play_with_the_dealers_turn() -> None:
    hand = give(deal({}, dealer=1, **AMERICAN), "", "", "", "")
    play(hand, "1 start")
    assert (hand.seat, hand.phase, len(hand.decisions)) == (1, "turn", 13)


def test_there_is_never_a_third_exchange() -> None:
    hand = give(deal({}, **AMERICAN), "", "", "", "")
    give(play(hand, "0 exchange"), "", "", "", "")
    assert (hand.seat, hand.phase) == (0, "turn") and "exchange" not in hand.legal()


def test_the_exchange_is_no_discard_and_no_draw() -> None:
    """Nothing is barred by what was given, and the first go-around starts after it."""
    hand = deal({0: "4m", 1: "2399m456789p345678s"}, **AMERICAN)
    mine = holds(hand, 1)
    # Two pairs swap; seat 1 gives three tiles away and gets three useless ones: exchange twice to have them back.
    give(hand, "1p1s7z" if {"1p", "1s", "7z"} <= set(held(hand, 0)) else "", "2m3m9m", "", "")
    got = [f"{tile}" for tile in held(hand, 1) if tile not in held_text(mine)]
    play(hand, "0 exchange")
    give(hand, "2m3m9m", "".join(got) if len(got) == 3 else "", "", "")
    assert hand.record["n_discards"] == 0 and hand.record["any_claim"] == 0
    if holds(hand, 1) == mine:
        play(hand, "0 discard 4m")
        assert "win" in until(hand, 1, "claim")
        play(hand, "1 win")
        assert items(hand)["human_hand"] == 8


def held(hand: mjsim.Hand, seat: int) -> list[str]:
    return held_text(holds(hand, seat))


def held_text(text: str) -> list[str]:
    from mjsim.tiles import TEXT, parse_tiles

    return [TEXT[kind] for kind in parse_tiles(text)]


def test_taiwanese_rules_have_no_exchange() -> None:
    hand = deal({})
    assert (hand.seat, hand.phase) == (0, "turn") and discards(hand)


def test_a_hand_that_is_over_takes_no_action() -> None:
    """FAULTS 51"""
    hand = deal({0: HEAVENLY})
    scores = hand.scores
    with pytest.raises(mjsim.IllegalAction):
        hand.apply("pass")
    assert hand.scores == scores and hand.legal() == [] and hand.seat is None
