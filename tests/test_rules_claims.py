"""Claims on stacked walls: what may be claimed and discarded ("Legal Moves and Fouls"), who comes first, who wins."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest

from mjsim.tiles import TEXT, format_tiles
from tests.stack import (
    DRAWS,
    NO_EXCHANGE,
    calls,
    copies,
    deal,
    describe,
    discards,
    drawable,
    holds,
    items,
    not_asked,
    play,
    replayed,
    skipped,
    until,
    until_left,
)

#: Three hands that wait on 5m alone (closed); on a discard concealed_hand 1 and single_wait 1.
POOR = ["46m123456p123789s11z", "46m123456p123789s22z", "46m123456p123789s33z"]
#: The same wait with four concealed pungs: 5 more.
RICH = ["46m111222333p777s11z", "46m444555666p888s22z", "46m777888999p999s33z"]
#: The same wait and 2 tai again, from other tiles.
THIN = ["46m123789m456789s44z", "46m123789m456456s77z"]
#: A pair wait on either side: 5m or the honor.
PAIRS_5M_1Z = "55m11z123456p123789s"


@pytest.fixture(autouse=True)
def oracle() -> Iterator[None]:
    with replayed():
        yield


# --- who may claim --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [1, 2, 3])
def test_pung_from_any_player(seat: int) -> None:
    hand = play(deal({0: "5m", seat: "55m"}), "0 discard 5m")
    assert (hand.seat, hand.legal()) == (seat, ["pass", "pung"])
    play(hand, f"{seat} pung")
    assert (hand.seat, hand.phase, drawable(hand)) == (seat, "turn", DRAWS)
    assert len(discards(hand)) == 14 and calls(hand) == []


def test_chow_only_by_the_next_player() -> None:
    hand = play(deal({0: "5m", 1: "46m", 2: "46m", 3: "46m"}), "0 discard 5m")
    assert (hand.seat, hand.legal()) == (1, ["chow 46m", "pass"])
    play(hand, "1 pass")
    assert (hand.seat, hand.phase) == (1, "turn")


def test_exposed_kong_from_the_player_opposite_or_next() -> None:
    for seat in (2, 3):
        hand = play(deal({0: "5m", seat: "555m"}, replacements="9p"), "0 discard 5m")
        assert (hand.seat, hand.legal()) == (seat, ["kong", "pass", "pung"])
        play(hand, f"{seat} kong")
        assert hand.seat == seat and drawable(hand) == DRAWS - 1 and "9p" in discards(hand)


def test_no_exposed_kong_from_the_previous_player() -> None:
    hand = play(deal({0: "5m", 1: "555m"}), "0 discard 5m")
    assert (hand.seat, hand.legal()) == (1, ["pass", "pung"])


def test_exposed_kong_continues_as_a_normal_turn() -> None:
    hand = play(deal({0: "5m", 2: "555m1111z", 1: "9p"}, replacements="9p9s"), "0 discard 5m", "2 kong")
    assert calls(hand) == ["kong 1z"]
    assert drawable(play(hand, "2 kong 1z")) == DRAWS - 2


def test_chows_cross_no_suit_and_touch_no_honors() -> None:
    """FAULTS 4: for every kind, with the four neighbours of the flat index in hand."""
    for kind in range(34):
        near = [kind + step for step in (-2, -1, 1, 2) if 0 <= kind + step < 34]
        hand = deal({0: TEXT[kind], 1: format_tiles(near)})
        play(hand, f"0 discard {TEXT[kind]}")
        rank, suit = int(TEXT[kind][0]), TEXT[kind][1]
        pairs = [(rank + a, rank + b) for a, b in ((-2, -1), (-1, 1), (1, 2))]
        wanted = [f"chow {a}{b}{suit}" for a, b in pairs if suit != "z" and a >= 1 and b <= 9]
        if wanted:
            assert until(hand, 1, "claim") == sorted([*wanted, "pass"])
        else:
            assert not_asked(hand, 1), describe(hand)


# --- what may be discarded after a claim -----------------------------------------------------------------------------


def test_text_example_no_discarding_a_chowed_tile() -> None:
    """Chowing a 3 Dot with 4 and 5 Dots, you cannot discard a 3 Dot or a 6 Dot that turn."""
    hand = play(deal({0: "3p", 1: "345679p"}), "0 discard 3p", "1 chow 45p")
    assert not {"3p", "6p"} & discards(hand) and {"7p", "9p"} <= discards(hand)


#: Barred by rank: after a chow of the first with the two others.
BARRED = {
    **{(k, k + 1, k + 2): {k, k + 3} for k in range(1, 7)},
    (7, 8, 9): {7},  # edge
    **{(k, k - 1, k + 1): {k} for k in range(2, 9)},  # closed
    (3, 1, 2): {3},  # edge
    **{(k, k - 2, k - 1): {k, k - 3} for k in range(4, 10)},
}


@pytest.mark.parametrize("suit", "mps")
def test_barred_after_each_of_the_21_chow_forms(suit: str) -> None:
    assert len(BARRED) == 21
    for (claimed, low, high), barred in BARRED.items():
        # All nine ranks stay in hand after the chow.
        hand = deal({0: f"{claimed}{suit}", 1: f"{low}{high}123456789{suit}"})
        play(hand, f"0 discard {claimed}{suit}", f"1 chow {low}{high}{suit}")
        left = {tile for tile in discards(hand) if tile[1] == suit}
        assert left == {f"{rank}{suit}" for rank in range(1, 10) if rank not in barred}, (claimed, low, high)


def test_no_discarding_a_punged_tile() -> None:
    hand = play(deal({0: "5m", 1: "555m"}), "0 discard 5m", "1 pung")
    assert copies(hand, 1, "5m") == 1 and "5m" not in discards(hand)
    play(hand, f"1 discard {min(discards(hand))}")
    assert "discard 5m" in until(hand, 1), "barred on that turn only"


def test_no_kong_right_after_a_chow() -> None:
    hand = play(deal({0: "5m", 1: "46m1111z"}, kept="5m"), "0 discard 5m", "1 chow 46m")
    assert calls(hand) == []
    play(hand, f"1 discard {min(discards(hand) - {'1z'})}")
    assert "kong 1z" in until(hand, 1)


def test_no_kong_right_after_a_pung() -> None:
    """Neither a concealed one nor the fourth tile added to the new pung; both on the next turn."""
    hand = play(deal({0: "5m", 1: "555m1111z9s"}), "0 discard 5m", "1 pung")
    assert calls(hand) == []
    play(hand, "1 discard 9s")
    until(hand, 1)
    assert calls(hand) == ["kong 1z", "kong 5m"]


@pytest.mark.parametrize(
    ("fifth", "offered"),
    # The last four tiles are complete with a 3 or a 6, so the win is offered; the chow with 45p would bar both.
    [("3p", ["pass", "win"]), ("6p", ["pass", "win"]), ("7p", ["chow 56p", "pass"]), ("2p", ["chow 34p", "pass"])],
)
def test_chow_that_leaves_no_legal_discard_is_not_offered(fifth: str, offered: list[str]) -> None:
    """Ruling 11, FAULTS 6: four pungs and 3456p."""
    hand = deal({0: f"1234z{fifth}", 1: "3456p11223344z9m159s"}, kept="33666p".replace(fifth[0], "", 1))
    for wind, junk in zip("1234", ("9m", "1s", "5s", "9s"), strict=True):
        play(hand, f"0 discard {wind}z", "1 pung", f"1 discard {junk}")
    assert holds(hand, 1) == "3456p"
    play(hand, f"0 discard {fifth}")
    assert (hand.seat, hand.legal()) == (1, offered)
    if offered[1] == "pass":
        play(hand, f"1 {offered[0]}")
        assert len(discards(hand)) == 1


# --- no claiming back -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "held", "target", "offered"),
    [
        ("3s", "45s", "6s", []),  # the text's example
        ("6s", "12s", "3s", ["chow 12s"]),  # the text's example
        ("6s", "45s", "3s", []),
        ("3s", "1245s", "3s", []),  # 12, 24 and 45 each form a chow with the 3
        ("3s", "4578s", "6s", ["chow 57s", "chow 78s"]),
        ("5s", "34s", "2s", []),
        ("5s", "13s", "2s", ["chow 13s"]),
        ("5s", "46s", "5s", []),
        ("4s", "35s", "4s", []),
        ("9s", "78s", "6s", []),
        ("9p", "12s", "3s", ["chow 12s"]),
        ("3p", "45s", "6s", ["chow 45s"]),
        ("1z", "45s", "6s", ["chow 45s"]),
    ],
)
def test_no_claiming_back_by_chow(own: str, held: str, target: str, offered: list[str]) -> None:
    hand = deal({0: f"7z{target}", 1: f"{held}{own}"}, draws="7z6z6z7z")
    play(hand, "0 discard 7z", f"1 discard {own}", f"0 discard {target}")
    if offered:
        assert (hand.seat, hand.legal()) == (1, [*offered, "pass"])
    else:
        assert not_asked(hand, 1) and (hand.seat, hand.phase) == (1, "turn")


def test_claiming_back_is_allowed_after_the_next_discard() -> None:
    hand = deal({0: "7z6s", 1: "45s3s"}, draws="7z6z6z7z5z6z6z5z")
    play(hand, "0 discard 7z", "1 discard 3s", "0 discard", "1 discard 7z", "0 discard 6s")
    assert (hand.seat, hand.legal()) == (1, ["chow 45s", "pass"])


def test_no_claiming_back_by_pung() -> None:
    hand = deal({0: "7z", 1: "555m", 3: "5m"}, draws="7z6z6z")
    play(hand, "0 discard 7z", "1 discard 5m", "3 discard 5m")
    assert not_asked(hand, 1)


# --- skipped pung ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", ["5m", "7p"])
def test_skipped_pung_remembers_every_kind_until_the_own_discard(again: str) -> None:
    """Pass on 5 Characters and then on 7 Dots, and you can pung neither until you discard."""
    hand = deal({0: "7z", 2: "55m77p"}, draws=f"6z6z5m7p{again}6z{'7p' if again == '5m' else '5m'}", kept="")
    play(hand, "0 discard 7z", "2 discard", "3 discard 5m")
    assert (hand.seat, hand.legal()) == (2, ["pass", "pung"])
    play(hand, "2 pass", "0 discard 7p")
    assert (hand.seat, hand.legal()) == (2, ["pass", "pung"])
    play(hand, "2 pass", f"1 discard {again}")
    assert not_asked(hand, 2) and (hand.seat, hand.phase) == (2, "turn")
    # Its own discard lifts both.
    other = "7p" if again == "5m" else "5m"
    play(hand, "2 discard", f"3 discard {other}")
    assert (hand.seat, hand.legal()) == (2, ["pass", "pung"])


def test_passing_a_chow_bars_nothing() -> None:
    hand = deal({0: "7z5m", 1: "46m"}, draws="7z6z6z5m", kept="5m")
    play(hand, "0 discard 5m", "1 pass", "1 discard", "0 discard 5m")
    assert (hand.seat, hand.legal()) == (1, ["chow 46m", "pass"])


# --- the end of the wall --------------------------------------------------------------------------------------------

NINES = ["9m", "9m", "9p", "9p", "9s"]


@pytest.mark.parametrize("left", range(6))
@pytest.mark.parametrize(
    ("seat", "held", "offered"),
    [(1, "46m", ["chow 46m", "pass"]), (1, "55m", ["pass", "pung"]), (2, "555m", ["kong", "pass", "pung"])],
)
def test_no_claims_with_fewer_than_four_drawable_tiles(seat: int, held: str, offered: list[str], left: int) -> None:
    """FAULTS 12: counted when the tile is discarded (ruling 13)."""
    dealer = (left - DRAWS) % 4  # so that seat 0 draws when `left` remain
    kept = "5m" * (3 - held.count("5"))
    hand = deal({seat: held}, last="5m" + "".join(NINES[:left]), kept=kept, dealer=dealer)
    play(until_left(hand, left), "0 discard 5m")
    if left >= 4:
        assert (hand.seat, hand.legal()) == (seat, offered)
    else:
        assert not_asked(hand, seat)
        assert hand.end == ("draw" if left == 0 else None)


@pytest.mark.parametrize("left", range(4))
def test_own_kong_and_ready_need_a_drawable_tile(left: int) -> None:
    """Concealed kong and `ready` on the turn that leaves `left`; on the last one only discards (rulings 12, 14)."""
    dealer = (1 + left - DRAWS) % 4
    hand = deal({1: "46m455556p123789s11z"}, last="9m" + "".join(NINES[1 : left + 1]), kept="5555m11z", dealer=dealer)
    until_left(hand, left)
    assert hand.seat == 1
    assert calls(hand) == (["kong 5p", "ready 9m"] if left else [])


@pytest.mark.parametrize("left", [1, 2])
def test_kong_after_a_replacement_at_the_end_of_the_wall(left: int) -> None:
    """FAULTS 11: two concealed kongs in hand; the second needs a drawable tile after the first's replacement."""
    dealer = (1 + left - DRAWS) % 4
    hand = deal({1: "1111z9999m"}, replacements="9s", last="9p" + ("9p" if left == 2 else ""), dealer=dealer)
    until_left(hand, left)
    assert hand.seat == 1 and calls(hand) == ["kong 1z", "kong 9m"]
    play(hand, "1 kong 1z")
    assert drawable(hand) == left - 1
    assert calls(hand) == (["kong 9m"] if left == 2 else [])


@pytest.mark.parametrize("left", [0, 1])
def test_no_added_kong_on_the_last_drawable_tile(left: int) -> None:
    # After its pung the seat has every fourth draw; three (two) flowers leave 60 (61) of 63.
    flowers = "123f" if left == 0 else "12f"
    hand = deal(
        {0: "5m", 1: "55m1z", 2: flowers}, replacements="9p9s9s" if left == 0 else "9p9s", last="5m9m"[: 2 + 2 * left]
    )
    play(hand, "0 discard 5m", "1 pung", "1 discard 1z")
    until_left(hand, left)
    assert hand.seat == 1 and "5m" in discards(hand)
    assert calls(hand) == (["kong 5m"] if left else [])


def test_the_last_discard_can_only_be_won_on() -> None:
    """The seat holds a pair of it and may not pung; the win is worth nothing extra (no Last Tile Claim)."""
    dealer = -DRAWS % 4
    for answer in ("win", "pass"):
        hand = deal({1: PAIRS_5M_1Z}, last="5m", kept="5m11z", dealer=dealer)
        play(until_left(hand, 0), "0 discard 5m")
        assert (hand.seat, hand.legal()) == (1, ["pass", "win"])
        play(hand, f"1 {answer}")
        if answer == "win":
            assert hand.end == "win" and items(hand) == {"concealed_hand": 1}
        else:
            assert hand.end == "draw" and hand.scores == [0, 0, 0, 0]


# --- priorities and stages ------------------------------------------------------------------------------------------


def test_win_beats_pung_of_earlier_seat() -> None:
    hand = play(deal({0: "5m", 1: "55m", 2: POOR[0]}), "0 discard 5m")
    assert (hand.seat, hand.legal()) == (2, ["pass", "win"])
    play(hand, "2 win")
    assert hand.end == "win" and [s["winner"] for s in hand.settlements] == [2]


def test_pung_is_asked_when_the_win_is_passed() -> None:
    hand = play(deal({0: "5m", 1: "55m", 2: POOR[0]}), "0 discard 5m", "2 pass")
    assert (hand.seat, hand.legal()) == (1, ["pass", "pung"])


def test_pung_chosen_instead_of_a_win_waits_for_the_others_wins() -> None:
    """FAULTS 5: seat 1 may win and pung, seat 2 may win."""
    hand = play(deal({0: "5m", 1: PAIRS_5M_1Z, 2: POOR[1]}), "0 discard 5m")
    assert (hand.seat, hand.legal()) == (1, ["pass", "pung", "win"])
    play(hand, "1 pung")
    assert (hand.seat, hand.legal()) == (2, ["pass", "win"])
    passed = hand.copy()
    play(hand, "2 win")
    assert hand.end == "win" and [s["winner"] for s in hand.settlements] == [2]
    play(passed, "2 pass")
    assert (passed.seat, passed.phase) == (1, "turn") and passed.record["n_melds"][1] == 1
    assert skipped(passed, 1) and skipped(passed, 2)


def test_chow_chosen_instead_of_a_win_waits_for_a_pung() -> None:
    """Seat 1 may win and chow; its chow waits for the end of stage 2."""
    hand = play(deal({0: "5m", 1: POOR[0], 3: "55m"}), "0 discard 5m")
    assert (hand.seat, hand.legal()) == (1, ["chow 46m", "pass", "win"])
    play(hand, "1 chow 46m")
    assert (hand.seat, hand.legal()) == (3, ["pass", "pung"])
    passed = hand.copy()
    play(hand, "3 pung")
    assert (hand.seat, hand.phase) == (3, "turn") and hand.record["n_melds"].tolist() == [0, 0, 0, 1]
    play(passed, "3 pass")
    assert (passed.seat, passed.phase) == (1, "turn") and passed.record["n_melds"].tolist() == [0, 1, 0, 0]


def test_pung_comes_before_a_chow() -> None:
    hand = play(deal({0: "5m", 1: "46m", 3: "55m"}), "0 discard 5m")
    assert (hand.seat, hand.legal()) == (3, ["pass", "pung"])
    passed = hand.copy()
    play(hand, "3 pung")
    assert (hand.seat, hand.phase) == (3, "turn")
    play(passed, "3 pass")
    assert (passed.seat, passed.legal()) == (1, ["chow 46m", "pass"])


def test_chow_and_pung_of_one_seat_are_one_decision() -> None:
    hand = play(deal({0: "5m", 1: "4556m"}), "0 discard 5m")
    assert (hand.seat, hand.legal()) == (1, ["chow 46m", "pass", "pung"])
    play(hand, "1 chow 46m")
    assert (hand.seat, hand.phase) == (1, "turn") and hand.record["n_melds"][1] == 1


def test_a_seat_is_asked_once_about_a_discard() -> None:
    """Passing in stage 1 declines pung and chow as well."""
    hand = play(deal({0: "5m", 1: POOR[0]}), "0 discard 5m")
    assert hand.legal() == ["chow 46m", "pass", "win"]
    play(hand, "1 pass")
    assert (hand.seat, hand.phase) == (1, "turn")
    hand = play(deal({0: "5m", 1: "4556m"}), "0 discard 5m", "1 pass")
    assert (hand.seat, hand.phase) == (1, "turn")


def test_a_seat_with_one_action_is_never_asked() -> None:
    """A declared player draws and discards by itself: no decision of seat 1 after `ready`."""
    hand = deal({0: "7z", 1: POOR[0]}, draws="7z6z6z5z7z", kept="5555m")
    play(hand, "0 discard 7z", "1 ready 7z", "0 discard", "0 discard")
    assert [seat for seat, _ in hand.decisions].count(1) == 1


# --- several winners ------------------------------------------------------------------------------------------------


def discarding_5m(seat: int, waiting: dict[int, str], **options: object) -> object:
    """A hand in which the seat discards 5m in the first round; the dealer is seat 0, and nobody claims before."""
    hands = dict(waiting)
    hands[0] = hands.get(0, "") + ("5m" if seat == 0 else "7z")
    hand = deal(hands, draws="6z7z6z"[: 2 * (seat - 1)] + "5m" if seat else "6z", **options)
    return play(hand, *(["0 discard 7z"] if seat else []), f"{seat} discard 5m")


@pytest.mark.parametrize("discarder", range(4))
def test_two_winners_the_nearer_in_turn_order_wins(discarder: int) -> None:
    """Intercepted win, for the twelve pairs of a discarder and two who may win (FAULTS 35)."""
    others = [(discarder + i) % 4 for i in (1, 2, 3)]
    for near, far in combinations(others, 2):
        hand = discarding_5m(discarder, {near: POOR[0], far: POOR[1]})
        for seat in (near, far):
            assert hand.seat == seat and {"pass", "win"} <= set(hand.legal()), describe(hand)
            play(hand, f"{seat} win")
        assert [(s["winner"], s["from"]) for s in hand.settlements] == [(near, discarder)]
        assert not skipped(hand, far), "an intercepted seat did not pass"
        assert hand.scores[far] == 0


@pytest.mark.parametrize(
    ("discarder", "scores"),
    # Human Hand 8 + Single Wait 1 before the first discard, else Concealed Hand 1 + Single Wait 1; dealer 1; base 3.
    [(0, [-39, 13, 13, 13]), (1, [6, -30, 12, 12]), (2, [6, 5, -23, 12]), (3, [6, 5, 5, -16])],
)
def test_triple_win_on_one_discard(discarder: int, scores: list[int]) -> None:
    order = [(discarder + i) % 4 for i in (1, 2, 3)]
    hand = discarding_5m(discarder, dict(zip(order, POOR, strict=True)))
    play(hand, *(f"{seat} win" for seat in order))
    assert [(s["winner"], s["from"], s["kind"]) for s in hand.settlements] == [(s, discarder, "win") for s in order]
    for settlement in hand.settlements:
        payments = settlement["payments"]
        assert payments[discarder] == -payments[settlement["winner"]] and payments.count(0) == 2
    assert hand.scores == scores and hand.end == "win"


def test_each_of_three_winners_gets_the_dice_bonus() -> None:
    hand = discarding_5m(0, {1: POOR[0], 2: POOR[1], 3: POOR[2]}, dice=(1, 4, 1), **NO_EXCHANGE)
    play(hand, "1 win", "2 win", "3 win")
    assert [items(hand, i) for i in range(3)] == [{"human_hand": 8, "single_wait": 1, "dice_bonus": 3}] * 3
    assert hand.scores == [-48, 16, 16, 16]


@pytest.mark.parametrize(
    ("passes", "winners"),
    [((), [1, 2, 3]), ((1,), [2]), ((2,), [1]), ((3,), [1]), ((1, 2), [3]), ((1, 3), [2]), ((2, 3), [1])],
)
def test_wins_are_counted_by_declaration(passes: tuple[int, ...], winners: list[int]) -> None:
    """Ruling 38: three may win, one passes, two are left and the nearer wins alone."""
    hand = discarding_5m(0, {1: POOR[0], 2: POOR[1], 3: POOR[2]})
    play(hand, *(f"{seat} {'pass' if seat in passes else 'win'}" for seat in (1, 2, 3)))
    assert [s["winner"] for s in hand.settlements] == winners


def test_three_who_pass_are_all_under_a_skipped_win() -> None:
    hand = discarding_5m(0, {1: POOR[0], 2: POOR[1], 3: POOR[2]})
    play(hand, "1 pass", "2 pass", "3 pass")
    assert [skipped(hand, seat) for seat in range(4)] == [False, True, True, True] and not hand.over


@pytest.mark.parametrize(
    ("hands", "able"),
    [
        ((RICH[0], THIN[0], RICH[2]), (1, 3)),
        ((THIN[0], RICH[1], RICH[2]), (2, 3)),
        ((RICH[0], RICH[1], THIN[0]), (1, 2)),
        ((THIN[0], THIN[1], RICH[2]), (3,)),
        ((POOR[0], POOR[1], POOR[2]), ()),
    ],
)
def test_too_few_tai_break_the_triple_win(hands: tuple[str, str, str], able: tuple[int, ...]) -> None:
    """Minimum 5: concealed 1, single 1 and the dealer's 1 are too little. Two left: the nearer; one: alone."""
    dealt = {0: "7z", **dict(zip((1, 2, 3), hands, strict=True))}
    hand = deal(dealt, "5z6z5z5m", min_tai=5, **NO_EXCHANGE)
    play(hand, "0 discard 7z", "1 discard", "2 discard", "3 discard", "0 discard 5m")
    assert [skipped(hand, seat) for seat in (1, 2, 3)] == [seat not in able for seat in (1, 2, 3)]
    for seat in able:
        assert hand.seat == seat and "win" in hand.legal()
        play(hand, f"{seat} win")
    if able:
        assert [(s["winner"], s["from"]) for s in hand.settlements] == [(able[0], 0)]
    else:
        assert not hand.over and "win" not in hand.legal()


# --- robbing the kong -----------------------------------------------------------------------------------------------


def added_kong(robbers: int, **options: object) -> object:
    """Seat 1 adds 5m to its pung; the first `robbers` of seats 2, 3, 0 wait on it, no longer under a Skipped win."""
    hands = {1: "55m", 0: "7z"}
    hands.update({2: POOR[0], 3: POOR[1]} if robbers >= 2 else {2: POOR[0]} if robbers else {})
    if robbers == 3:
        hands[0] = POOR[2] + "7z"
    hand = deal(hands, draws="6z6z7z5m" + "6z7z6z" + "5m", replacements="9m", **options)
    script = ["0 discard 7z", "1 discard 6z", "2 discard 6z", "3 discard 7z", "0 discard 5m"]
    script += [f"{seat} pass" for seat in (2, 3)[:robbers]]
    play(hand, *script, "1 pung")
    junk = min(discards(hand) - {"9m", "8m", "7m"})
    return play(hand, f"1 discard {junk}", "2 discard", "3 discard", "0 discard", "1 kong 5m")


def test_added_kong_that_nobody_may_rob() -> None:
    hand = added_kong(0)
    assert (hand.seat, hand.phase, drawable(hand)) == (1, "turn", DRAWS - 9)
    assert "9m" in discards(hand)


@pytest.mark.parametrize("robbers", [1, 2, 3])
def test_robbing_the_kong(robbers: int) -> None:
    """Asked in turn order from the kong's maker; one, the nearer of two, or all three win."""
    order = [2, 3, 0][:robbers]
    for answers in range(1 << robbers):
        hand = added_kong(robbers)
        declared = []
        for i, seat in enumerate(order):
            assert (hand.seat, hand.phase, hand.legal()) == (seat, "rob", ["pass", "win"])
            declared += [seat] if answers >> i & 1 else []
            play(hand, f"{seat} {'win' if answers >> i & 1 else 'pass'}")
        if not declared:
            assert (hand.seat, hand.phase) == (1, "turn") and all(skipped(hand, seat) for seat in order)
            assert copies(hand, 1, "5m") == 0
            continue
        winners = declared if len(declared) == 3 else declared[:1]
        assert [(s["winner"], s["from"]) for s in hand.settlements] == [(seat, 1) for seat in winners]
        scores = [0, 0, 0, 0]
        for i, seat in enumerate(winners):
            assert items(hand, i) == {"concealed_hand": 1, "robbing_the_kong": 1, "single_wait": 1}
            share = 3 + 3 + (seat == 0)  # dealer tai where the dealer robs
            scores[seat] += share
            scores[1] -= share
        assert hand.scores == scores


def test_robbers_are_judged_each_on_their_own_minimum() -> None:
    """Minimum 5: 3 tai of each robber are too few, and all are under a Skipped win at once."""
    hand = deal(
        {1: "55m", 2: POOR[0], 3: RICH[2], 0: "7z"},
        draws="6z6z7z5m6z7z6z5m",
        replacements="9p",
        min_tai=5,
        **NO_EXCHANGE,
    )
    play(hand, "0 discard 7z", "1 discard 6z", "2 discard 6z", "3 discard 7z", "0 discard 5m", "3 pass", "1 pung")
    play(hand, f"1 discard {min(discards(hand))}", "2 discard", "3 discard", "0 discard", "1 kong 5m")
    assert (hand.seat, hand.phase, hand.legal()) == (3, "rob", ["pass", "win"])
    assert skipped(hand, 2)
    play(hand, "3 win")
    assert [(s["winner"], s["from"]) for s in hand.settlements] == [(3, 1)]


def test_only_an_added_kong_can_be_robbed() -> None:
    hand = deal({0: "7z", 1: "5555m", 2: POOR[0]}, draws="6z", replacements="9p")
    play(hand, "0 discard 7z", "1 kong 5m")
    assert (hand.seat, hand.phase) == (1, "turn") and drawable(hand) == DRAWS - 2


def test_exposed_kong_cannot_be_robbed_but_the_discard_can_be_won_on() -> None:
    hand = play(deal({0: "5m", 2: "555m", 3: POOR[0]}, replacements="9p"), "0 discard 5m")
    assert (hand.seat, hand.legal()) == (3, ["pass", "win"])
    play(hand, "3 pass")
    assert (hand.seat, hand.legal()) == (2, ["kong", "pass", "pung"])
    play(hand, "2 kong")
    assert (hand.seat, hand.phase) == (2, "turn")


def test_play_goes_on_after_a_declined_rob() -> None:
    """FAULTS 9, 46: the replacement is drawn, and the seat that declined may not win until that is lifted."""
    hand = added_kong(1)
    play(hand, "2 pass")
    assert (hand.seat, hand.phase) == (1, "turn") and "9m" in discards(hand)
    assert skipped(hand, 2)
    play(hand, "1 discard", "2 discard")
    assert not skipped(hand, 2)


# --- the flags in their other position ------------------------------------------------------------------------------


def test_flag_exposed_kong_from_previous() -> None:
    hand = deal({0: "5m", 1: "555m"}, verified=False, exposed_kong_from_previous=True)
    play(hand, "0 discard 5m")
    assert (hand.seat, hand.legal()) == (1, ["kong", "pass", "pung"])


def test_flag_discard_claimed_tile() -> None:
    hand = deal({0: "3p", 1: "345679p"}, verified=False, discard_claimed_tile=True)
    play(hand, "0 discard 3p", "1 chow 45p")
    assert {"3p", "6p"} <= discards(hand)
    hand = deal({0: "5m", 1: "555m"}, verified=False, discard_claimed_tile=True)
    assert "5m" in discards(play(hand, "0 discard 5m", "1 pung"))


def test_flag_kong_after_claim() -> None:
    hand = deal({0: "5m", 1: "555m1111z9s"}, verified=False, kong_after_claim=True)
    play(hand, "0 discard 5m", "1 pung")
    assert calls(hand) == ["kong 1z", "kong 5m"]


def test_flag_claim_back() -> None:
    hand = deal({0: "7z6s", 1: "45s3s"}, "7z6z6z7z", verified=False, claim_back=True)
    play(hand, "0 discard 7z", "1 discard 3s", "0 discard 6s")
    assert (hand.seat, hand.legal()) == (1, ["chow 45s", "pass"])
    hand = deal({0: "7z", 1: "555m", 3: "5m"}, "7z6z6z", verified=False, claim_back=True)
    play(hand, "0 discard 7z", "1 discard 5m", "3 discard 5m")
    assert (hand.seat, hand.legal()) == (1, ["pass", "pung"])


def test_flag_skipped_pung() -> None:
    hand = deal({0: "7z", 2: "55m"}, "6z6z5m7p5m", verified=False, skipped_pung=False)
    play(hand, "0 discard 7z", "2 discard", "3 discard 5m", "2 pass", "1 discard 5m")
    assert (hand.seat, hand.legal()) == (2, ["pass", "pung"])


def test_flag_claim_min_drawable() -> None:
    """With 0 the last discard can be claimed too, as in rule sets without a minimum."""
    for left in (0, 1):
        dealer = (left - DRAWS) % 4
        hand = deal({1: "55m"}, last="5m9m"[: 2 + 2 * left], dealer=dealer, verified=False, claim_min_drawable=0)
        play(until_left(hand, left), "0 discard 5m")
        assert (hand.seat, hand.legal()) == (1, ["pass", "pung"])


@pytest.mark.parametrize(("winners", "expected"), [("nearest", [[1], [1]]), ("all", [[1, 2, 3], [1, 2]])])
def test_flag_winners(winners: str, expected: list[list[int]]) -> None:
    for passing, who in zip(((), (3,)), expected, strict=True):
        hand = discarding_5m(0, {1: POOR[0], 2: POOR[1], 3: POOR[2]}, verified=False, winners=winners)
        play(hand, *(f"{seat} {'pass' if seat in passing else 'win'}" for seat in (1, 2, 3)))
        assert [s["winner"] for s in hand.settlements] == who
