"""Wins on stacked walls: the Skipped win row by row, the exposed-kong ban, Declare Ready and MIGI, the early hands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import mjsim
from mjsim.hand_record import DECLARED_MIGI, DECLARED_READY
from mjsim.melds import MELD_PUNG
from tests.stack import (
    DRAWS,
    NO_EXCHANGE,
    calls,
    deal,
    describe,
    drawable,
    give,
    items,
    not_asked,
    play,
    replayed,
    skipped,
    to_end,
    until,
    until_left,
)

#: Waits on 1m and 4m. On a discard concealed_hand 1 and (while East prevails) prevalent_wind 1.
T = "23m456p456789s11122z"
#: Holds three 5m; waits on 2m, 5m and 1z.
K = "34555m123456p789s11z"
#: Waits on 5m alone.
CLOSED = "46m123456p123789s11z"
MIN_3: dict[str, Any] = {**NO_EXCHANGE, "min_tai": 3}
MIN_5: dict[str, Any] = {**NO_EXCHANGE, "min_tai": 5}


@pytest.fixture(autouse=True)
def oracle() -> Iterator[None]:
    with replayed():
        yield


def passed(draws: str = "", replacements: str = "", *, held: str = T, tile: str = "1m", **options: Any) -> mjsim.Hand:
    """Seat 1 has drawn and discarded, then let a win on seat 2's discard pass; seat 3 draws the first of `draws`."""
    hand = deal({0: "7z", 1: held}, f"6z{tile}{draws}", replacements, **options)
    play(hand, "0 discard 7z", "1 discard", f"2 discard {tile}")
    assert hand.seat == 1 and "win" in hand.legal(), describe(hand)
    play(hand, "1 pass")
    assert skipped(hand, 1)
    return hand


def may_win(hand: mjsim.Hand, seat: int = 1) -> bool:
    """Whether the seat is offered a win in the questions now open, which are then gone through."""
    while not hand.over and hand.phase != "turn":
        if hand.seat == seat and "win" in hand.legal():
            return True
        hand.apply("pass")
    return False


# --- Skipped win: what sets it --------------------------------------------------------------------------------------


def test_passing_a_discard_bars_any_other_winning_tile_before_the_own_turn() -> None:
    hand = passed("4m")
    play(hand, "3 discard 4m")
    assert not may_win(hand)


def test_not_self_drawing_sets_it() -> None:
    hand = deal({0: "7z", 1: T}, "4m1m5z5z6z4m")
    play(hand, "0 discard 7z")
    assert "win" in until(hand, 1)
    play(hand, "1 discard 4m")
    assert skipped(hand, 1)
    play(hand, "2 discard 1m")
    assert not may_win(hand)
    play(hand, "1 discard 6z", "2 discard 4m")
    assert may_win(hand), "lifted by a draw that is no winning tile"


def test_chow_instead_of_winning_sets_it_and_the_discard_keeps_it() -> None:
    """Row: when the Chow is completed, the hand is already a complete winning shape, and you then discard."""
    hand = deal({0: "1m", 1: T}, "6s5z5z6z3s")
    play(hand, "0 discard 1m")
    assert (hand.seat, hand.legal()) == (1, ["chow 23m", "pass", "win"])
    play(hand, "1 chow 23m")
    assert skipped(hand, 1)
    play(hand, "1 discard 9s", "2 discard 6s")  # now 45678s waits on 3, 6 and 9
    assert not may_win(hand)
    play(hand, "1 discard 6z", "2 discard 3s")
    assert may_win(hand)


def test_pung_instead_of_winning_sets_it_and_the_discard_keeps_it() -> None:
    hand = deal({0: "5m", 1: "55m123456p123789s11z"}, "6s5z5z6z6s")
    play(hand, "0 discard 5m")
    assert (hand.seat, hand.legal()) == (1, ["pass", "pung", "win"])
    play(hand, "1 pung")
    assert skipped(hand, 1)
    play(hand, "1 discard 9s", "2 discard 6s")
    assert not may_win(hand)
    play(hand, "1 discard 6z", "2 discard 6s")
    assert may_win(hand)


def test_exposed_kong_instead_of_winning_sets_it() -> None:
    hand = deal({0: "7z", 1: K}, "6z5z5m2m", "2m")
    play(hand, "0 discard 7z", "1 discard", "2 discard", "3 discard 5m")
    assert (hand.seat, hand.legal()) == (1, ["kong", "pass", "pung", "win"])
    play(hand, "1 kong")
    assert skipped(hand, 1) and "win" not in until(hand, 1)
    play(hand, "1 discard 2m", "2 discard 2m")
    assert not may_win(hand)


def test_too_few_tai_on_a_discard_set_it_at_once() -> None:
    """Concealed 1 and prevalent wind 1 are too little from a non-dealer; the dealer's next 4m would do."""
    hand = deal({0: "7z", 1: T}, "6z1m5z4m6z5z5z4m", **MIN_3)
    play(hand, "0 discard 7z", "1 discard", "2 discard 1m")
    assert not may_win(hand) and skipped(hand, 1)
    play(hand, "0 discard 4m")
    assert (hand.seat, hand.legal()) == (1, ["chow 23m", "pass"]), "enough tai, but under it"
    play(hand, "1 discard 6z", "0 discard 4m")
    assert may_win(hand)


#: Seat 1 chows 5p with 46p; then 4p completes it with self_drawn alone: 1, and the dealer's 1.
EXPOSED = "111123m552346p789s5z"


def exposed_draw(**options: Any) -> mjsim.Hand:
    hand = deal({0: "5p", 1: EXPOSED}, "6z6z6z4p", "4m", **options)
    play(hand, "0 discard 5p", "1 chow 46p", "1 discard 5z")
    until(hand, 1)
    return hand


def test_too_few_tai_on_the_own_draw_set_it_at_the_discard() -> None:
    hand = exposed_draw(**MIN_3)
    assert calls(hand)[0] == "kong 1m" and "win" not in hand.legal()
    assert not skipped(hand, 1)
    play(hand, "1 discard 4p")
    assert skipped(hand, 1)


def test_too_few_tai_on_the_own_draw_leave_the_replacement_of_a_kong_free() -> None:
    """With replacement_tile 1 the dealer's share is 3."""
    hand = exposed_draw(**MIN_3)
    play(hand, "1 kong 1m")
    assert "win" in until(hand, 1)
    play(hand, "1 win")
    assert items(hand) == {"replacement_tile": 1, "self_drawn": 1} and hand.scores == [-6, 16, -5, -5]


def test_intercepted_seat_is_not_under_it() -> None:
    hand = deal({0: "7z", 1: T, 3: "23m456p456789s33344z"}, "6z4m")
    play(hand, "0 discard 7z", "1 discard", "2 discard 4m")
    assert hand.seat == 3 and "win" in hand.legal(), describe(hand)
    play(hand, "3 win", "1 win")
    assert [s["winner"] for s in hand.settlements] == [3] and not skipped(hand, 1)


# --- Skipped win: the lifting table ---------------------------------------------------------------------------------


def test_a_draw_that_is_no_winning_tile_lifts_it_at_the_discard() -> None:
    hand = passed("5z5z6z4m")
    until(hand, 1)
    assert skipped(hand, 1)
    play(hand, "1 discard 6z", "2 discard 4m")
    assert may_win(hand)


def test_such_a_discard_may_be_a_winning_tile_from_the_hand() -> None:
    """K passes 2m, draws 6m and discards 5m, one of its winning tiles: then 34556m waits on 4m and 7m."""
    hand = passed("5z5z6m7m", held=K, tile="2m")
    play(hand, "1 discard 5m")
    assert not skipped(hand, 1)
    play(hand, "2 discard 7m")
    assert may_win(hand)


@pytest.mark.parametrize("discard", ["4m", "2z"])
def test_drawing_a_winning_tile_keeps_it_whatever_is_discarded(discard: str) -> None:
    hand = passed("5z5z4m1m5z6z6z4m")
    assert "win" not in until(hand, 1)
    play(hand, f"1 discard {discard}")
    assert skipped(hand, 1)
    play(hand, "2 discard 1m")
    assert not may_win(hand)
    if discard == "4m":
        play(hand, "1 discard 6z", "2 discard 4m")
        assert may_win(hand)


def test_concealed_kong_of_another_tile_lifts_it_at_once() -> None:
    hand = passed("5z5z1z", "4m")
    play(hand, "1 kong 1z")
    assert not skipped(hand, 1) and "win" in until(hand, 1)
    play(hand, "1 win")
    assert items(hand) == {
        "concealed_hand": 1,
        "fully_concealed": 1,
        "prevalent_wind": 1,
        "replacement_tile": 1,
        "self_drawn": 1,
    }


def test_added_kong_of_another_tile_lifts_it_at_once() -> None:
    hand = deal({0: "1z", 1: "23m456p456789s1122z9p"}, "1m5z5z1z", "4m")
    play(hand, "0 discard 1z", "1 pung", "1 discard 9p", "2 discard 1m")
    assert may_win(hand)
    play(hand, "1 pass", "1 kong 1z")
    assert not skipped(hand, 1) and "win" in until(hand, 1)


def test_concealed_kong_of_a_winning_tile_does_not_lift_it() -> None:
    hand = passed("5z5z5m", "2m", held=K, tile="2m")
    assert "win" not in until(hand, 1)
    play(hand, "1 kong 5m")
    assert skipped(hand, 1) and "win" not in until(hand, 1), "2m completes the hand"


def test_declining_by_a_concealed_kong_of_the_winning_tile_sets_it() -> None:
    hand = deal({0: "7z", 1: K}, "5m", "2m")
    play(hand, "0 discard 7z")
    assert {"win", "kong 5m"} <= set(until(hand, 1))
    play(hand, "1 kong 5m")
    assert skipped(hand, 1) and "win" not in until(hand, 1)


def test_declining_by_a_concealed_kong_of_another_tile_clears_it() -> None:
    """Set by declining and cleared by the kong at once (rulings 19, 22)."""
    hand = deal({0: "7z", 1: "111123m12p55p456789s"}, "3p", "4m")
    play(hand, "0 discard 7z")
    assert {"win", "kong 1m"} <= set(until(hand, 1))
    play(hand, "1 kong 1m")
    assert not skipped(hand, 1) and "win" in until(hand, 1)


def test_added_kong_of_the_winning_tile_does_not_lift_it() -> None:
    hand = deal({0: "5m", 1: "3455m123456p789s11z9p"}, "5z5z5z5m", "2m")
    play(hand, "0 discard 5m", "1 pung", "1 discard 9p", "2 discard", "3 discard", "0 discard")
    assert {"win", "kong 5m"} <= set(until(hand, 1))
    play(hand, "1 kong 5m")
    assert skipped(hand, 1) and "win" not in until(hand, 1)


def test_exposed_kong_of_a_winning_tile_is_allowed_while_skipped_and_lifts_nothing() -> None:
    """And the winning replacement: no self-draw, still under it."""
    hand = passed("5m2m5z5z6z2m", "2m", held=K, tile="2m")
    play(hand, "3 discard 5m")
    assert (hand.seat, hand.legal()) == (1, ["kong", "pass", "pung"])
    play(hand, "1 kong")
    assert skipped(hand, 1) and "win" not in until(hand, 1)
    play(hand, "1 discard 2m", "2 discard 2m")
    assert not may_win(hand)
    play(hand, "1 discard 6z")
    assert not skipped(hand, 1)


def test_exposed_kong_of_another_tile_neither_sets_nor_clears() -> None:
    hand = passed("1z4m", "9p")
    play(hand, "3 discard 1z")
    assert (hand.seat, hand.legal()) == (1, ["kong", "pass", "pung"])
    play(hand, "1 kong")
    assert skipped(hand, 1)
    play(hand, "1 discard 9p")
    assert not skipped(hand, 1), "the replacement was no winning tile"
    play(hand, "2 discard 4m")
    assert may_win(hand)
    hand = deal({0: "7z", 1: T}, "6z5z1z", "9p")
    play(hand, "0 discard 7z", "1 discard", "2 discard", "3 discard 1z", "1 kong")
    assert not skipped(hand, 1)


def test_pung_that_completes_nothing_lifts_it_at_the_discard() -> None:
    """Row: the hand is not a winning shape when the Pung is completed, and you then discard."""
    hand = passed("5z2z2m")
    play(hand, "0 discard 2z", "1 pung")
    assert skipped(hand, 1)
    play(hand, "1 discard 3m", "2 discard 2m")
    assert may_win(hand)


def test_chow_that_completes_nothing_lifts_it_at_the_discard() -> None:
    hand = passed("5z5s")
    play(hand, "0 discard 5s", "1 chow 46s")
    assert skipped(hand, 1)
    play(hand, "1 discard 2z")
    assert not skipped(hand, 1)


def test_passing_other_claims_does_not_clear_it() -> None:
    """FAULTS 7: a chow and a pung passed, in between a winning tile."""
    hand = passed("2z3p")
    play(hand, "3 discard 2z", "1 pass", "0 discard 3p", "1 pass")
    assert skipped(hand, 1)


def test_declined_rob_sets_it() -> None:
    """FAULTS 9. Seat 3's pung of 4m becomes a kong."""
    hand = deal({0: "4m", 1: T, 3: "44m"}, "6z6z5z4m1m", "9p")
    play(hand, "0 discard 4m", "1 pass", "3 pung", "3 discard 1s", "0 discard", "1 discard", "2 discard")
    assert not skipped(hand, 1)
    play(hand, "3 kong 4m")
    assert (hand.seat, hand.legal()) == (1, ["pass", "win"])
    play(hand, "1 pass")
    assert skipped(hand, 1) and (hand.seat, hand.phase) == (3, "turn")
    play(hand, "3 discard", "0 discard 1m")
    assert not may_win(hand)


# --- Exposed kong: no self-draw on its replacement ------------------------------------------------------------------

#: Seat 2 with three 5m; waits on 5p after the kong.
BAN = "555m46p123456789s11s"


@pytest.mark.parametrize("replacements", ["5p", "1f5p", "1f2f5p"])
def test_no_self_draw_on_the_replacement_of_an_exposed_kong(replacements: str) -> None:
    """Not even with a tile drawn after replacing Flowers; straight into a Skipped win (rulings 20, 25)."""
    hand = play(deal({0: "5m", 2: BAN}, "5p", replacements), "0 discard 5m", "2 kong")
    assert "win" not in until(hand, 2) and skipped(hand, 2)
    play(hand, "2 discard 5p", "3 discard 5p")
    assert not may_win(hand, 2)


def test_the_ban_ends_with_the_discard() -> None:
    hand = play(deal({0: "5m", 2: BAN}, "6z6z6z5p", "9p"), "0 discard 5m", "2 kong", "2 discard 9p")
    assert not skipped(hand, 2) and "win" in until(hand, 2)


def test_the_ban_is_lifted_by_a_concealed_kong() -> None:
    hand = deal({0: "5m", 2: "555m1111z46p123456s9s"}, "", "9s5p")
    play(hand, "0 discard 5m", "2 kong", "2 kong 1z")
    assert "win" in until(hand, 2)
    play(hand, "2 win")
    assert items(hand) == {"prevalent_wind": 1, "replacement_tile": 1, "self_drawn": 1, "single_wait": 1}


def test_the_ban_is_lifted_by_an_added_kong() -> None:
    hand = deal({0: "1z5m", 2: "555m11z46p123456s99s5z"}, "6z6z", "1z5p")
    play(hand, "0 discard 1z", "2 pung", "2 discard 5z", "3 discard", "0 discard 5m", "2 kong", "2 kong 1z")
    assert "win" in until(hand, 2)
    play(hand, "2 win")
    assert items(hand) == {"prevalent_wind": 1, "replacement_tile": 1, "self_drawn": 1, "single_wait": 1}


# --- Declare Ready --------------------------------------------------------------------------------------------------


def test_ready_is_offered_exactly_where_the_hand_waits_afterwards() -> None:
    assert calls(deal({0: "123456789m11s45777p9s"})) == ["ready 9s"]


def test_a_kind_of_which_one_holds_all_four_is_no_wait() -> None:
    """Without 9s the hand would wait on the fifth East; without one East it waits on 9s."""
    assert calls(deal({0: "123456789m111p1111z9s"})) == ["kong 1z", "ready 1z"]


def test_a_kong_of_ones_own_counts_as_held() -> None:
    hand = deal({0: "7z", 1: "5555m46m123456p78s11z"}, "9s", "7z")
    play(hand, "0 discard 7z", "1 kong 5m")
    assert calls(hand) == [], "46m would wait on the fifth 5m"


def test_declared_hand_is_frozen() -> None:
    """No chow, pung or kong, and every draw goes out by itself; a concealed kong is not made."""
    hand = deal({0: "7z2z3p", 1: T}, "6z5z5z6z1z5z2z3p6z", kept="11114444m")
    play(hand, "0 discard 7z", "1 ready 6z", "0 discard 2z")
    assert not_asked(hand, 1)
    play(hand, "2 discard", "3 discard 2z", "0 discard 3p")
    assert [seat for seat, _ in hand.decisions].count(1) == 1
    mine = [kind for kind, by in zip(hand.record["discards"], hand.record["discarder"], strict=True) if by == 1]
    assert mine[:2] == [32, 27], "1z was drawn with three in hand and discarded"
    assert hand.record["n_melds"][1] == 0


def test_declared_hand_chooses_only_between_the_win_and_the_drawn_tile() -> None:
    hand = deal({0: "1z", 1: "23m456p456789s1122z9p"}, "6z6z6z4m")
    play(hand, "0 discard 1z", "1 pung")
    assert "ready 9p" in until(hand, 1), "after a pung too"
    play(hand, "1 ready 9p")
    assert hand.record["declared"][1] == DECLARED_READY
    assert until(hand, 1) == ["discard 4m", "win"]
    play(hand, "1 win")
    assert items(hand) == {"declare_ready": 1, "prevalent_wind": 1, "self_drawn": 1}


def test_ready_after_a_chow() -> None:
    hand = deal({0: "3s", 1: "23m456p45789s11122z9p"})
    play(hand, "0 discard 3s", "1 chow 45s")
    assert "ready 9p" in until(hand, 1)
    play(hand, "1 ready 9p")
    assert hand.record["declared"][1] == DECLARED_READY


def declared(draws: str, **options: Any) -> mjsim.Hand:
    """Seat 1 has declared ready (no MIGI, a pung was made) and waits on 1m and 4m; seat 2 draws first."""
    hand = deal({0: "1z", 1: "23m456p456789s1122z9p"}, draws, **options)
    return play(hand, "0 discard 1z", "1 pung", "1 ready 9p")


def test_declared_seat_may_let_a_win_pass_and_is_then_under_a_skipped_win() -> None:
    hand = declared("1m5z5z4m4m5z6z6z4m")
    play(hand, "2 discard 1m")
    assert (hand.seat, hand.legal()) == (1, ["pass", "win"])
    play(hand, "1 pass", "2 discard 4m")
    assert skipped(hand, 1), "the 4m drawn was discarded by itself and kept it"
    assert not may_win(hand)
    play(hand, "2 discard 4m")
    assert may_win(hand), "lifted by the draw in between"


def test_declared_seat_declining_the_self_draw_is_under_a_skipped_win() -> None:
    hand = declared("5z5z6z4m1m")
    until(hand, 1)
    play(hand, "1 discard 4m", "2 discard 1m")
    assert not may_win(hand) and skipped(hand, 1)


def test_declared_seat_drawing_a_winning_tile_with_too_few_tai_discards_it_and_is_under_a_skipped_win() -> None:
    """self_drawn 1, declare_ready 1, prevalent_wind 1 and the dealer's 1: 4 of 5."""
    hand = declared("5z5z6z4m1m", **MIN_5)
    play(hand, "2 discard", "3 discard", "0 discard", "2 discard 1m")
    assert skipped(hand, 1) and [seat for seat, _ in hand.decisions].count(1) == 2


#: Seat 1 pungs 5m and declares; waits on 3p.
KONG_BY_ITSELF = "55m123456789s99p12p7z"


def test_declared_seat_adds_the_fourth_tile_of_its_pung_by_itself() -> None:
    hand = deal({0: "5m", 1: KONG_BY_ITSELF}, "6z6z6z5m", "3p")
    play(hand, "0 discard 5m", "1 pung", "1 ready 7z")
    assert until(hand, 1) == ["discard 3p", "win"]
    assert drawable(hand) == DRAWS - 5
    play(hand, "1 win")
    assert items(hand) == {"declare_ready": 1, "replacement_tile": 1, "self_drawn": 1, "single_wait": 1}


def test_the_automatic_added_kong_can_be_robbed() -> None:
    hand = deal({0: "5m", 1: KONG_BY_ITSELF, 2: "46m123456p456s222z33z"}, "6z6z6z5m", "9m")
    play(hand, "0 discard 5m", "2 pass", "1 pung", "1 ready 7z", "2 discard", "3 discard", "0 discard")
    assert (hand.seat, hand.phase, hand.legal()) == (2, "rob", ["pass", "win"])
    play(hand, "2 win")
    assert hand.settlements[0]["from"] == 1 and items(hand)["robbing_the_kong"] == 1


def test_declared_seat_is_asked_first_when_the_kong_tile_also_wins() -> None:
    hand = deal({0: "5m", 1: "4655m123456p789s11z7z"}, "6z6z6z5m", "9m")
    play(hand, "0 discard 5m", "1 pung", "1 ready 7z")
    assert until(hand, 1) == ["kong 5m", "win"]
    won = hand.copy()
    play(won, "1 win")
    assert items(won) == {"declare_ready": 1, "self_drawn": 1, "single_wait": 1}
    play(hand, "1 kong 5m")
    assert hand.record["declared"][1] == DECLARED_READY and not hand.over


@pytest.mark.parametrize("rules", [{}, MIN_5])
def test_added_kong_of_a_declared_seat_with_its_winning_tile_does_not_lift(rules: dict[str, Any]) -> None:
    """Waits on 2m and 5m; the 5m drawn is declined (or too few: 4 of 5), the kong made, the 2m after it no win.

    With replacement_tile there would be 5 tai.
    """
    hand = deal({0: "5m", 1: "3455m222z123456p99s7z"}, "6z6z6z5m", "2m", **rules)
    play(hand, "0 discard 5m", "1 pung", "1 ready 7z", "2 discard", "3 discard", "0 discard")
    if not rules:
        assert hand.legal() == ["kong 5m", "win"]
        play(hand, "1 kong 5m")
    assert skipped(hand, 1) and drawable(hand) <= DRAWS - 5
    assert hand.seat != 1 and [seat for seat, _ in hand.decisions].count(1) == (2 if rules else 3)


def test_no_automatic_kong_on_the_last_drawable_tile() -> None:
    """Three flowers dealt to seat 2 make the last of 60 draws seat 1's."""
    hand = deal({0: "5m", 1: KONG_BY_ITSELF, 2: "123f"}, "", "8m8m8m", last="5m", kept="3333p")
    to_end(play(hand, "0 discard 5m", "1 pung", "1 ready 7z"))
    last = int(hand.record["n_discards"]) - 1
    assert (hand.record["discarder"][last], hand.record["discards"][last]) == (1, 4)
    assert hand.end == "draw" and hand.record["meld_type"][1, 0] == MELD_PUNG


# --- MIGI -----------------------------------------------------------------------------------------------------------


def test_migi_must_win_on_a_discard() -> None:
    hand = deal({0: "7z", 1: T}, "6z1m")
    play(hand, "0 discard 7z", "1 ready 6z", "2 discard 1m")
    assert hand.over and hand.decisions[-1] == (2, "discard 1m")
    assert items(hand) == {"migi": 8, "prevalent_wind": 1} and hand.scores == [0, 12, -12, 0]


def test_migi_must_win_by_self_draw() -> None:
    hand = deal({0: "7z", 1: T}, "6z5z5z6z4m")
    play(hand, "0 discard 7z", "1 ready 6z", "2 discard", "3 discard", "0 discard")
    assert hand.over
    assert items(hand) == {"migi": 8, "prevalent_wind": 1, "self_drawn": 1} and hand.scores == [-14, 40, -13, -13]


def test_migi_under_a_skipped_win_may_not_win_and_must_rob_when_it_is_lifted() -> None:
    """Declared while declining the own draw; seat 3 pungs 1m and adds the fourth after the Skipped win is lifted."""
    hand = deal({0: "7z", 1: T, 3: "11m1s"}, "4m1m5z6z6z1m")
    play(hand, "0 discard 7z")
    assert {"win", "ready 4m"} <= set(until(hand, 1))
    play(hand, "1 ready 4m", "2 discard 1m")
    assert hand.record["declared"][1] == DECLARED_MIGI and skipped(hand, 1)
    assert (hand.seat, hand.legal()) == (3, ["pass", "pung"])
    play(hand, "3 pung", "3 discard 1s", "0 discard", "2 discard", "3 kong 1m")
    assert hand.over and hand.settlements[0]["from"] == 3
    assert items(hand) == {"migi": 8, "prevalent_wind": 1, "robbing_the_kong": 1}


def test_the_eighth_discard_of_the_table_can_be_migi_and_the_ninth_cannot() -> None:
    hand = deal({3: T}, "5z6z7z5z6z7z5z4m")
    play(hand, "0 discard", "3 discard", "3 ready 5z")
    assert hand.record["declared"].tolist() == [0, 0, 0, DECLARED_MIGI] and hand.record["n_discards"] == 8
    play(hand, "0 discard 4m")
    assert items(hand) == {"migi": 8, "prevalent_wind": 1}

    hand = deal({0: T + "7z"}, "5z6z7z5z6z7z5z6z4m")
    play(hand, "0 discard 7z", "0 discard 5z", "0 ready 6z")
    assert hand.record["declared"].tolist() == [DECLARED_READY, 0, 0, 0] and hand.record["n_discards"] == 9
    play(hand, "1 discard 4m")
    assert "win" in until(hand, 0, "claim")
    play(hand, "0 win")
    # Seat 0 is East: its seat wind is the prevailing one.
    assert items(hand) == {"concealed_hand": 1, "declare_ready": 1, "prevalent_wind": 1, "seat_wind": 1}


def test_migi_is_ruled_out_by_a_pung_of_anybody() -> None:
    hand = deal({0: "5m", 2: "55m9s", 1: T}, "5z6z7z")
    play(hand, "0 discard 5m", "2 pung", "2 discard 9s", "3 discard", "0 discard", "1 ready 7z")
    assert hand.record["declared"][1] == DECLARED_READY


def test_migi_is_ruled_out_by_another_players_concealed_kong() -> None:
    hand = deal({0: "1111p7z", 1: T}, "5z", "9m")
    play(hand, "0 kong 1p", "0 discard 9m", "1 ready 5z")
    assert hand.record["declared"][1] == DECLARED_READY


def test_migi_is_ruled_out_by_ones_own_concealed_kong() -> None:
    hand = deal({0: "7z", 1: T}, "1z", "9m")
    play(hand, "0 discard 7z", "1 kong 1z", "1 ready 9m")
    assert hand.record["declared"][1] == DECLARED_READY


# --- Heavenly, Earthly, Human Hand ----------------------------------------------------------------------------------

HEAVENLY = "123456789m11s345777p"


@pytest.mark.parametrize("rules", ["douque-american", "douque-taiwanese"])
def test_heavenly_hand_on_the_deal_is_declared_by_itself(rules: str) -> None:
    hand = deal({0: HEAVENLY}, rules=rules)
    assert hand.over and hand.decisions == []
    assert items(hand) == {"heavenly_hand": 24} and hand.scores == [84, -28, -28, -28]


def test_heavenly_hand_after_opening_flowers_scores_no_replacement_tile() -> None:
    hand = deal({0: HEAVENLY.replace("345777p", "45777p") + "2f"}, "", "3p")
    assert hand.over and items(hand) == {"heavenly_hand": 24}


def exchanged() -> mjsim.Hand:
    """The dealer's hand becomes complete by the first exchange."""
    hands = {0: "123456789m11s777p123z", 1: "345p1379m2356s4567z9p"}
    hand = deal(hands, rules="douque-american")
    return give(hand, "1z2z3z", "3p4p5p", "", "")


def test_heavenly_hand_after_the_exchange_is_the_dealers_choice() -> None:
    hand = exchanged()
    assert (hand.seat, hand.legal()) == (0, ["exchange", "start"])
    play(hand, "0 start")
    assert "win" in until(hand, 0)
    declined = hand.copy()
    play(hand, "0 win")
    assert items(hand) == {"heavenly_hand": 24} and hand.scores == [84, -28, -28, -28]
    play(declined, "0 discard 1m")
    assert skipped(declined, 0), "declined like any self-draw; that turn's discard keeps it"


def test_heavenly_hand_can_be_traded_away_by_exchanging_again() -> None:
    hand = play(exchanged(), "0 exchange")
    give(hand, "3p4p5p", "9m9p7z", "", "")
    assert hand.phase == "turn" and "win" not in hand.legal()


def test_declining_a_heavenly_hand_by_a_concealed_kong_clears_the_skipped_win() -> None:
    """None of the dealer's opening 17 tiles is the tile drawn last (rulings 10, 22); the kong rules out Heavenly Hand."""
    hand = deal({0: "111123m55p456789s567z", 1: "123p"}, "", "4m", rules="douque-american")
    play(give(hand, "567z", "123p", "", ""), "0 start")
    assert {"win", "kong 1m"} <= set(hand.legal())
    play(hand, "0 kong 1m")
    assert not skipped(hand, 0) and "win" in until(hand, 0)
    play(hand, "0 win")
    assert items(hand) == {"concealed_hand": 1, "fully_concealed": 1, "replacement_tile": 1, "self_drawn": 1}


@pytest.mark.parametrize("seat", [1, 2, 3])
def test_earthly_hand_on_the_first_draw(seat: int) -> None:
    hand = deal({0: "7z", seat: T}, "5z6z"[: 2 * (seat - 1)] + "4m")
    play(hand, "0 discard 7z")
    assert "win" in until(hand, seat)
    play(hand, f"{seat} win")
    assert items(hand) == {"earthly_hand": 16, "prevalent_wind": 1}


def test_earthly_hand_through_a_flower_replacement() -> None:
    hand = deal({0: "7z", 1: T}, "1f", "4m")
    play(hand, "0 discard 7z", "1 win")
    assert items(hand) == {"earthly_hand": 16, "prevalent_wind": 1, "replacement_tile": 1}


CONCEALED_SELF_DRAW = {"concealed_hand": 1, "fully_concealed": 1, "prevalent_wind": 1, "self_drawn": 1}


def test_earthly_hand_is_ruled_out_by_anybodys_concealed_kong() -> None:
    hand = deal({0: "1111p7z", 1: T}, "4m", "9m")
    play(hand, "0 kong 1p", "0 discard 9m", "1 win")
    assert items(hand) == CONCEALED_SELF_DRAW


def test_earthly_hand_is_ruled_out_by_ones_own_concealed_kong() -> None:
    hand = deal({0: "7z", 1: T}, "1z", "4m")
    play(hand, "0 discard 7z", "1 kong 1z", "1 win")
    assert items(hand) == {**CONCEALED_SELF_DRAW, "replacement_tile": 1}


def test_earthly_hand_is_ruled_out_by_a_pung() -> None:
    hand = deal({0: "5m", 3: "55m9m", 1: T}, "5z4m")
    play(hand, "0 discard 5m", "3 pung", "3 discard 9m", "0 discard", "1 win")
    assert items(hand) == CONCEALED_SELF_DRAW


def test_earthly_hand_is_not_for_the_second_draw() -> None:
    hand = deal({0: "7z", 1: T}, "5z5z6z6z4m")
    play(hand, "0 discard 7z", "1 discard", "1 win")
    assert items(hand) == CONCEALED_SELF_DRAW


@pytest.mark.parametrize("discarder", [0, 1])
def test_human_hand_before_ones_first_discard(discarder: int) -> None:
    hand = deal({0: "4m" if discarder == 0 else "7z", 2: T}, "4m")
    play(hand, *(["0 discard 7z"] if discarder else []), f"{discarder} discard 4m", "2 win")
    assert items(hand) == {"human_hand": 8, "prevalent_wind": 1}


def test_human_hand_is_not_for_one_who_has_discarded() -> None:
    hand = deal({0: "7z", 1: T}, "5z4m")
    play(hand, "0 discard 7z", "1 discard", "2 discard 4m", "1 win")
    assert items(hand) == {"concealed_hand": 1, "prevalent_wind": 1}


def test_human_hand_is_ruled_out_by_a_concealed_kong() -> None:
    """FAULTS 33"""
    hand = deal({0: "1111p4m", 1: T}, "", "9m")
    play(hand, "0 kong 1p", "0 discard 4m", "1 win")
    assert items(hand) == {"concealed_hand": 1, "prevalent_wind": 1}


def test_human_hand_is_ruled_out_by_a_pung() -> None:
    hand = deal({0: "5m", 3: "55m4m", 1: T})
    play(hand, "0 discard 5m", "3 pung", "3 discard 4m", "1 win")
    assert items(hand) == {"concealed_hand": 1, "prevalent_wind": 1}


# --- The last drawable tile -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kong", [False, True])
def test_self_draw_of_the_last_drawable_tile(kong: bool) -> None:
    """last_tile_draw, with replacement_tile too when a kong reached it."""
    left = int(kong)
    last, replacements = ("1z", "4m") if kong else ("4m", "")
    hand = deal({1: T}, "", replacements, last=last, kept="1111444m", dealer=(1 + left - DRAWS) % 4)
    until_left(hand, 2)
    while not (hand.seat == 1 and hand.phase == "turn" and drawable(hand) == left):
        hand.apply("pass" if "pass" in hand.legal() else next(a for a in hand.legal() if a.startswith("discard")))
    if kong:
        play(hand, "1 kong 1z")
    assert drawable(hand) == 0 and calls(hand) == ["win"]
    play(hand, "1 win")
    assert items(hand) == {**CONCEALED_SELF_DRAW, "last_tile_draw": 1, **({"replacement_tile": 1} if kong else {})}
