"""Flags of the rules in both positions: what each changes in the course of a hand, on stacked walls.

Those in which four-winds, hk16 and house16 differ from Douque are in `test_flags_families`. At the end every value of every
flag is played in every rule set that can have it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import mjsim
from mjsim.check import check
from mjsim.hand_record import DECLARED_MIGI, DECLARED_READY
from mjsim.ruleset.flags import FLAGS
from tests import stack
from tests.flag_values import POSSIBLE, RULE_SETS, options_with
from tests.stack import DRAWS, calls, describe, discards, items, not_asked, play, skipped, until, until_left

#: The plain replay knows the published rules alone.
deal = partial(stack.deal, verified=False)

#: Waits on 1m and 4m.
WAITING = "23m456p456789s11122z"
#: Three hands that wait on 5m alone.
POOR = ["46m123456p123789s11z", "46m123456p123789s22z", "46m123456p123789s33z"]
NINES = ["9m", "9m", "9p", "9p", "9s", "9s"]


def drift(hand: mjsim.Hand) -> mjsim.Hand:
    """Pass, and discard the lowest tile, until the hand is over."""
    while not hand.over:
        legal = hand.legal()
        hand.apply("pass" if "pass" in legal else next(a for a in legal if a.startswith(("discard", "give", "start"))))
    return hand


# --- the wall -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kept_back", [0, 1, 16, 40, 70])
def test_kept_back_tiles_are_never_drawn(kept_back: int) -> None:
    drawn_out = 0
    for seed in range(12):
        hand = drift(mjsim.Hand(mjsim.rules("douque-taiwanese", kept_back=kept_back), seed=seed))
        left = int(hand.record["tail"]) - int(hand.record["head"])
        assert left >= kept_back
        if hand.end == "draw":
            assert left == kept_back
            drawn_out += 1
    assert drawn_out > 6


def test_with_nothing_to_draw_the_hand_ends_after_the_first_discard() -> None:
    hand = drift(mjsim.Hand(mjsim.rules("douque-taiwanese", kept_back=144), seed=4))
    assert hand.end == "draw" and hand.record["n_discards"] == 1 and hand.scores == [0, 0, 0, 0]


@pytest.mark.parametrize("kept_back", [16, 20])
def test_kept_back_decides_when_kong_and_ready_end(kept_back: int) -> None:
    """On the last drawable tile there is neither."""
    seen = {}
    for left in (16, 17, 20, 21):
        number = 144 - stack.DEALT - left
        hand = deal({1: "46m455556p123789s11z"}, kept="5555m11z", dealer=(1 + left - 79) % 4, kept_back=kept_back)
        while not (hand.phase == "turn" and hand.record["head"] == stack.DEALT + number) and not hand.over:
            hand.apply("pass" if "pass" in hand.legal() else stack.drawn(hand))
        seen[left] = None if hand.over else any(a.startswith(("kong", "ready")) for a in hand.legal())
        assert hand.over or hand.seat == 1
    wanted = {16: {16: False, 17: True, 20: True, 21: True}, 20: {16: None, 17: None, 20: False, 21: True}}
    assert seen == wanted[kept_back]


@pytest.mark.parametrize("minimum", [1, 4, 6])
def test_claim_min_drawable(minimum: int) -> None:
    for left in (minimum - 1, minimum):
        for seat, held, offered in ((1, "46m", "chow 46m"), (1, "55m", "pung"), (2, "555m", "kong")):
            hand = deal(
                {seat: held},
                last="5m" + "".join(NINES[:left]),
                kept="5m" * (3 - held.count("5")),
                dealer=(left - DRAWS) % 4,
                claim_min_drawable=minimum,
            )
            play(until_left(hand, left), "0 discard 5m")
            if left >= minimum:
                assert hand.seat == seat and offered in hand.legal(), describe(hand)
            else:
                assert not_asked(hand, seat), describe(hand)


@pytest.mark.parametrize(("held", "offered"), [("46m", ["chow 46m", "pass"]), ("555m", ["pass", "pung"])])
def test_without_a_minimum_the_last_discard_can_be_chowed_and_punged_but_not_konged(
    held: str, offered: list[str]
) -> None:
    """`claim_min_drawable` 0; an exposed kong needs a tile for its replacement. The claimant discards, the hand is drawn."""
    kept = "5m" * (3 - held.count("5"))
    hand = deal(
        {1: held}, last="5m", kept=kept, dealer=-DRAWS % 4, claim_min_drawable=0, exposed_kong_from_previous=True
    )
    play(until_left(hand, 0), "0 discard 5m")
    assert (hand.seat, hand.legal()) == (1, offered), describe(hand)
    hand.apply(next(a for a in offered if a != "pass"))
    assert (hand.seat, hand.phase) == (1, "turn") and calls(hand) == []
    assert drift(hand).end == "draw"


@pytest.mark.parametrize("on", [True, False])
def test_east_from_dice(on: bool) -> None:
    for dealer in range(4):
        for dice in ((1, 1, 1), (1, 2, 5), (6, 6, 5)):
            hand = deal({}, dealer=dealer, number=1, dice=dice, east_from_dice=on)
            assert hand.record["east"] == ((dealer + sum(dice) - 1) % 4 if on else dealer)
            assert deal({}, dealer=dealer, number=0, dice=dice, east_from_dice=on).record["east"] == dealer
    for seed in range(20):
        drawn = mjsim.Hand(mjsim.rules("douque-taiwanese", east_from_dice=on), seed=seed, hand=3, dealer=2).record
        assert drawn["east"] == ((2 + drawn["dice"].sum() - 1) % 4 if on else 2)


# --- claims ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("on", [True, False])
def test_exposed_kong_from_previous(on: bool) -> None:
    hand = play(deal({0: "5m", 1: "555m"}, replacements="9p", exposed_kong_from_previous=on), "0 discard 5m")
    assert (hand.seat, hand.legal()) == (1, ["kong", "pass", "pung"] if on else ["pass", "pung"])
    if on:
        play(hand, "1 kong")
        assert (hand.seat, hand.phase) == (1, "turn") and "9p" in discards(hand)


@pytest.mark.parametrize("on", [True, False])
def test_kong_after_claim(on: bool) -> None:
    hand = play(deal({0: "5m", 1: "46m1111z"}, replacements="9p", kept="5m", kong_after_claim=on), "0 discard 5m")
    play(hand, "1 chow 46m")
    assert calls(hand) == (["kong 1z"] if on else [])
    if on:
        play(hand, "1 kong 1z")
        assert "9p" in discards(hand), "and the turn goes on after the replacement"
    hand = play(deal({0: "5m", 1: "555m1111z9s"}, replacements="9p", kong_after_claim=on), "0 discard 5m", "1 pung")
    assert calls(hand) == (["kong 1z", "kong 5m"] if on else [])
    if on:
        play(hand, "1 kong 5m")
        assert hand.record["meld_type"][1, 0] == 3 and "9p" in discards(hand)


@pytest.mark.parametrize("on", [True, False])
def test_discard_claimed_tile(on: bool) -> None:
    hand = play(deal({0: "3p", 1: "345679p"}, discard_claimed_tile=on), "0 discard 3p", "1 chow 45p")
    assert ({"3p", "6p"} <= discards(hand)) == on and ({"3p", "6p"} & discards(hand) != set()) == on
    hand = play(deal({0: "5m", 1: "555m"}, discard_claimed_tile=on), "0 discard 5m", "1 pung")
    assert ("5m" in discards(hand)) == on


@pytest.mark.parametrize("on", [True, False])
def test_with_discard_claimed_tile_every_chow_leaves_a_discard(on: bool) -> None:
    hand = deal({0: "1234z3p", 1: "3456p11223344z9m159s"}, kept="3666p", discard_claimed_tile=on)
    for wind, junk in zip("1234", ("9m", "1s", "5s", "9s"), strict=True):
        play(hand, f"0 discard {wind}z", "1 pung", f"1 discard {junk}")
    play(hand, "0 discard 3p")
    assert (hand.seat, hand.legal()) == (1, ["chow 45p", "pass", "win"] if on else ["pass", "win"])


@pytest.mark.parametrize("on", [True, False])
def test_claim_back(on: bool) -> None:
    hand = deal({0: "7z6s", 1: "45s3s"}, draws="7z6z6z7z", claim_back=on)
    play(hand, "0 discard 7z", "1 discard 3s", "0 discard 6s")
    if on:
        assert (hand.seat, hand.legal()) == (1, ["chow 45s", "pass"])
    else:
        assert not_asked(hand, 1)
    hand = deal({0: "7z", 1: "555m", 3: "5m"}, draws="7z6z6z", claim_back=on)
    play(hand, "0 discard 7z", "1 discard 5m", "3 discard 5m")
    if on:
        assert (hand.seat, hand.legal()) == (1, ["pass", "pung"])
    else:
        assert not_asked(hand, 1)


@pytest.mark.parametrize("on", [True, False])
def test_skipped_pung(on: bool) -> None:
    hand = deal({0: "7z7p", 2: "55m77p"}, draws="6z6z5m6z5m", skipped_pung=on)
    play(hand, "0 discard 7z", "2 discard", "3 discard 5m")
    assert (hand.seat, hand.legal()) == (2, ["pass", "pung"])
    play(hand, "2 pass", "0 discard", "1 discard 5m")
    if on:
        assert not_asked(hand, 2)
    else:
        assert (hand.seat, hand.legal()) == (2, ["pass", "pung"])


# --- wins -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("on", [True, False])
def test_skipped_win(on: bool) -> None:
    hand = deal({0: "7z", 1: WAITING}, "6z1m4m", skipped_win=on)
    play(hand, "0 discard 7z", "1 discard", "2 discard 1m")
    assert "win" in hand.legal()
    play(hand, "1 pass", "3 discard 4m")
    assert skipped(hand, 1) == on
    if on:
        assert "win" not in hand.legal() or hand.seat != 1
    else:
        assert hand.seat == 1 and "win" in hand.legal(), describe(hand)


@pytest.mark.parametrize("on", [True, False])
def test_skipped_win_after_a_self_draw_let_go(on: bool) -> None:
    hand = deal({0: "7z", 1: WAITING}, "4m1m", skipped_win=on)
    play(hand, "0 discard 7z")
    assert "win" in until(hand, 1)
    play(hand, "1 discard 4m", "2 discard 1m")
    assert skipped(hand, 1) == on
    assert (hand.seat == 1 and "win" in hand.legal()) != on


@pytest.mark.parametrize("on", [True, False])
def test_win_after_exposed_kong(on: bool) -> None:
    hand = deal({0: "5m", 2: "555m46p123456789s11s"}, "6z", "5p", win_after_exposed_kong=on)
    play(hand, "0 discard 5m", "2 kong")
    assert ("win" in until(hand, 2)) == on and skipped(hand, 2) != on
    if on:
        play(hand, "2 win")
        assert items(hand) == {"replacement_tile": 1, "self_drawn": 1, "single_wait": 1}


@pytest.mark.parametrize("winners", ["nearest", "all", "three_or_nearest"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_winners_on_a_discard(winners: str, n: int) -> None:
    hands = {seat: POOR[seat - 1] for seat in range(1, n + 1)}
    hand = play(deal({**hands, 0: "5m"}, winners=winners), "0 discard 5m")
    for seat in range(1, n + 1):
        assert hand.seat == seat and "win" in hand.legal()
        play(hand, f"{seat} win")
    everybody = winners == "all" or (winners == "three_or_nearest" and n == 3)
    assert [s["winner"] for s in hand.settlements] == (list(range(1, n + 1)) if everybody else [1])
    assert hand.end == "win" and sum(hand.scores) == 0
    for settlement in hand.settlements:
        assert settlement["from"] == 0 and settlement["payments"][0] == -settlement["payments"][settlement["winner"]]


@pytest.mark.parametrize("winners", ["nearest", "all", "three_or_nearest"])
def test_winners_who_rob_a_kong(winners: str) -> None:
    hand = deal(
        {1: "55m", 0: "7z", 2: POOR[0], 3: POOR[1]}, draws="6z6z7z5m6z7z6z5m", replacements="9m", winners=winners
    )
    play(hand, "0 discard 7z", "1 discard 6z", "2 discard 6z", "3 discard 7z", "0 discard 5m")
    play(hand, "2 pass", "3 pass", "1 pung")
    play(
        hand,
        f"1 discard {min(discards(hand) - {'9m', '8m', '7m'})}",
        "2 discard",
        "3 discard",
        "0 discard",
        "1 kong 5m",
    )
    play(hand, "2 win", "3 win")
    assert [(s["winner"], s["from"]) for s in hand.settlements] == ([(2, 1), (3, 1)] if winners == "all" else [(2, 1)])


@pytest.mark.parametrize("min_tai", [0, 2, 3, 5])
def test_min_tai(min_tai: int) -> None:
    """Concealed 1 and prevalent wind 1: two tai from a non-dealer."""
    hand = deal({0: "7z", 1: WAITING}, "6z1m", min_tai=min_tai)
    play(hand, "0 discard 7z", "1 discard", "2 discard 1m")
    if min_tai <= 2:
        assert hand.seat == 1 and "win" in hand.legal()
        play(hand, "1 win")
        assert hand.settlements[0]["tai"] == 2
    else:
        assert "win" not in hand.legal() and hand.record["stopped"].tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("on", [True, False])
def test_dice_bonus(on: bool) -> None:
    hand = deal({0: "7z", 1: WAITING}, "6z1m", dice=(6, 6, 6), dice_bonus=on)
    play(hand, "0 discard 7z", "1 discard", "2 discard 1m", "1 win")
    assert items(hand).get("dice_bonus", 0) == (5 if on else 0)
    assert hand.scores == ([0, 10, -10, 0] if on else [0, 5, -5, 0])


@pytest.mark.parametrize(("options", "scores"), [
    ({}, [-8, 18, -5, -5]),
    ({"dealer_tai": False}, [-5, 15, -5, -5]),
    ({"base_tai": 0}, [-5, 9, -2, -2]),
    ({"base_tai": 10}, [-15, 39, -12, -12]),
    ({"base_tai": 0, "dealer_tai": False}, [-2, 6, -2, -2]),
])  # fmt: skip
def test_dealer_tai_and_base_tai(options: dict[str, Any], scores: list[int]) -> None:
    """Self-drawn and single wait 2, streak 1: the dealer owes 3 more."""
    hand = deal({0: "5p7z", 1: "46m46p123p123789s22z9m"}, "6z6z6z5m", streak=1, prevailing="3z", east=0, **options)
    play(hand, "0 discard 5p", "1 chow 46p", "1 discard 9m")
    assert "win" in until(hand, 1)
    play(hand, "1 win")
    assert items(hand) == {"self_drawn": 1, "single_wait": 1} and hand.scores == scores


# --- declarations ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "declared"),
    [
        ({}, DECLARED_MIGI),
        ({"migi": False}, DECLARED_READY),
        ({"migi": False, "declare_ready": False}, None),
    ],
)
def test_declare_ready_and_migi(options: dict[str, Any], declared: int | None) -> None:
    hand = play(deal({0: "7z", 1: WAITING}, "6z1m", **options), "0 discard 7z")
    assert ("ready 6z" in until(hand, 1)) == (declared is not None)
    if declared is None:
        assert calls(hand) == []
        return
    play(hand, "1 ready 6z")
    assert hand.record["declared"][1] == declared
    play(hand, "2 discard 1m")
    if declared == DECLARED_READY:
        assert hand.legal() == ["pass", "win"], "it may pass"
        play(hand, "1 win")
    item = "migi" if declared == DECLARED_MIGI else "declare_ready"
    assert hand.over and items(hand)[item] == (8 if item == "migi" else 1)


# --- flowers --------------------------------------------------------------------------------------------------------


def never_offered(hand: mjsim.Hand) -> bool:
    """Whether no `flower_win` is asked to the end of the hand."""
    while not hand.over:
        legal = hand.legal()
        if "flower_win" in legal:
            return False
        hand.apply("pass" if "pass" in legal else next(a for a in legal if a.startswith("discard")))
    return hand.end != "flower" and all(s["kind"] == "win" for s in hand.settlements)


@pytest.mark.parametrize("on", [True, False])
def test_flower_wins_on_the_deal(on: bool) -> None:
    for flowers, item in (({1: "12345678f"}, "eight_immortals"), ({1: "1234567f", 3: "8f"}, "seven_robs_one")):
        hand = deal(flowers, replacements="9m9m9m9p9p9p9s9s", flower_wins=on)
        assert hand.over == on
        if on:
            assert hand.end == "flower" and items(hand) == {item: 8}
        else:
            assert never_offered(hand), f"{flowers}: {describe(hand)}"


@pytest.mark.parametrize("on", [True, False])
def test_flower_wins_in_play(on: bool) -> None:
    """Eight Immortals by a drawn eighth, and both cases of Seven Robs One."""
    eight = deal({0: "7z", 1: "1234567f"}, "8f", "9m9m9m9p9p9p9s9s", flower_wins=on)
    play(eight, "0 discard 7z")
    assert ("flower_win" in until(eight, 1)) == on
    case_one = deal({0: "7z", 1: "123456f", 3: "8f"}, "7f", "9m9m9m9p9p9p9s9s", flower_wins=on)
    play(case_one, "0 discard 7z")
    assert ("flower_win" in until(case_one, 1)) == on
    case_two = deal({0: "7z", 3: "1234567f"}, "8f", "9m9m9m9p9p9p9s9s", flower_wins=on)
    play(case_two, "0 discard 7z")
    if on:
        assert (case_two.seat, case_two.phase, case_two.legal()) == (3, "flower", ["flower_win", "pass"])
    else:
        assert never_offered(case_two)
        assert never_offered(eight) and never_offered(case_one)


# --- the match, the exchange, what is hidden ------------------------------------------------------------------------


@pytest.mark.parametrize("cap", [0, 2, 18])
def test_streak_cap(cap: int) -> None:
    """The hand at the cap is played, then the deal passes even after a draw."""
    for streak in {0, max(cap - 1, 0), cap}:
        hand = drift(deal({}, streak=streak, streak_cap=cap, kept_back=70))
        assert hand.end == "draw"
        kept = {"dealer": 0, "streak": streak + 1, "prevailing": "1z"}
        assert hand.next == (kept if streak < cap else {"dealer": 1, "streak": 0, "prevailing": "1z"})


@pytest.mark.parametrize("on", [True, False])
def test_exchange(on: bool) -> None:
    for rules in RULE_SETS:
        hand = deal({}, rules=rules, exchange=on)
        assert hand.phase == ("give" if on else "turn")
        if on:
            stack.give(hand, "", "", "", "")
            assert hand.legal() == ["exchange", "start"]


@pytest.mark.parametrize("hidden", [True, False])
def test_concealed_kong_hidden_from_an_agent(hidden: bool) -> None:
    """Seat 1 keeps 57p (6p) or 78p (6p, 9p); the dealer's concealed kong holds every 9p."""
    from mjsim.agents import make

    options = {"concealed_kong_hidden": hidden, "declare_ready": False, "migi": False}
    hand = deal({0: "9999p7z", 1: "57p123456789m222s33z"}, "8p", "9m", **options)
    play(hand, "0 kong 9p", "0 discard 7z")
    until(hand, 1)
    agent = make("greedy")
    action = agent.policy.python()(hand._address, hand._rules_address, agent.parameters_address)
    assert action == mjsim.tiles.KIND["5p" if hidden else "8p"], describe(hand)


# --- all of them ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flag", [flag.name for flag in FLAGS])
def test_play_under_every_value_of_every_flag_loses_no_tile_and_no_tai(flag: str) -> None:
    """FAULTS 43, 49: random and greedy play in every rule set that can have the value, the record looked at at every decision."""
    from mjsim.agents import make

    agent = make("greedy")
    choose = agent.policy.python()
    rng = np.random.default_rng(3)
    for name, _, value in [case for case in POSSIBLE if case[1] == flag]:
        rules = mjsim.rules(name, **options_with(name, flag, value))
        for seed in range(2):
            hand = mjsim.Hand(rules, seed=seed, hand=seed % 2, streak=min(seed, rules.flags["streak_cap"]))
            decisions = 0
            while not hand.over:
                assert check(hand.record, rules) == [], (rules, describe(hand))
                greedy = choose(hand._address, hand._rules_address, agent.parameters_address)
                hand.apply(greedy if seed else int(rng.choice(np.flatnonzero(hand.legal_mask()))))
                decisions += 1
            assert check(hand.record, rules) == [], (rules, describe(hand))
            assert mjsim.replay(hand.transcript(legal=True)) == [], rules
            assert 0 < decisions < 512
