"""The flags in which four-winds, hk16 and house16 differ from Douque, in both positions: what each changes in play.

On stacked walls, in every rule set where the flag means something; the other flags are in `test_flags`.
"""

from __future__ import annotations

from functools import partial

import pytest

import mjsim
from mjsim import agents
from mjsim.check import check
from mjsim.hand_record import DECLARED_READY
from mjsim.tiles import KIND, TEXT
from tests import stack
from tests.stack import calls, copies, describe, discards, drawable, items, not_asked, play, until, until_left

#: The plain replays know the published rules alone.
deal = partial(stack.deal, verified=False)

#: Waits on 1m and 4m.
WAITING = "23m456p456789s11122z"
#: Complete with 4m.
COMPLETE = WAITING + "4m"
#: hk16 where any complete hand may win.
CHEAP = {"items": {"mahjong": 26}}
#: Beside what a test is about: a table where any complete hand may win.
EASY = {"four-winds": {}, "hk16": CHEAP, "house16": {}, "douque-taiwanese": {"winners": "all"}}


def drift(hand: mjsim.Hand) -> mjsim.Hand:
    """Pass, and discard the lowest tile, until the hand is over."""
    while not hand.over:
        legal = hand.legal()
        hand.apply("pass" if "pass" in legal else next(a for a in legal if a.startswith("discard")))
    return hand


def instants(hand: mjsim.Hand) -> list[tuple[str, int | None, list[int]]]:
    """Item, single payer and payments of each payment during play."""
    return [(s["items"][0][0], s["from"], s["payments"]) for s in hand.settlements if s["kind"] == "instant"]


# --- before play ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["douque-taiwanese", "four-winds", "hk16", "house16"])
def test_opening_flowers(rules: str) -> None:
    """The dealer's first replacement is a flower again: in passes seat 1 comes before that one is replaced."""
    got = {}
    for order in ("passes", "seats"):
        hand = deal({0: "1f", 1: "2f"}, replacements="3f9m8m", rules=rules, opening_flowers=order)
        got[order] = [copies(hand, seat, tile) for seat in (0, 1) for tile in ("9m", "8m")]
        assert hand.record["flower_time"][:3].tolist() == ([1, 2, 3] if order == "passes" else [1, 3, 2])
    change = [seats - passes for seats, passes in zip(got["seats"], got["passes"], strict=True)]
    assert change == [1, -1, -1, 1], got


@pytest.mark.parametrize("rules", ["douque-taiwanese", "four-winds", "hk16", "house16"])
@pytest.mark.parametrize("on", [True, False])
def test_dealer_draws_first(rules: str, on: bool) -> None:
    """The dealer's 17th tile is a flower: dealt, it is replaced before seat 1's, drawn after it."""
    hand = deal({0: "123456789m1234567p1f", 1: "2f"}, replacements="6z7z", rules=rules, dealer_draws_first=on)
    assert (copies(hand, 0, "6z"), copies(hand, 0, "7z")) == ((0, 1) if on else (1, 0))
    assert (hand.seat, hand.phase) == (0, "turn")
    if on:
        assert hand.record["drawn"] == KIND["7z"] and hand.record["replacement"] == 1
    elif not hand.rules.flags["last_dealt_wins"]:
        assert hand.record["drawn"] == -1


@pytest.mark.parametrize("on", [True, False])
def test_last_dealt_wins(on: bool) -> None:
    """Dealt complete, the last tile in the pair: it is the one wait there was. Without it, any tile stands for the last."""
    hand = deal({0: "123456789m123p789s22s"}, rules="hk16", last_dealt_wins=on)
    assert hand.record["drawn"] == (KIND["2s"] if on else -1)
    play(hand, "0 win")
    assert items(hand)["heavenly_hand"] == 100
    assert items(hand).get("true_single_wait", 0) == (2 if on else 0)
    assert items(hand).get("good_eyes", 0) == 2


def test_last_dealt_wins_with_replacements() -> None:
    """The last tile received is the replacement of the last flower."""
    hand = deal({0: "1f23456789m123p789s2s"}, replacements="1m", rules="hk16", last_dealt_wins=True)
    assert hand.record["drawn"] == KIND["1m"] and hand.record["drawn_at"] == 143


# --- declarations ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["hk16", "house16", "four-winds"])
@pytest.mark.parametrize("on", [True, False])
def test_closing(rules: str, on: bool) -> None:
    options = EASY[rules] | {"closing": on, "original_call": False}
    hand = play(deal({0: "7z", 1: WAITING}, "6z7z7z6z9m1m", rules=rules, **options), "0 discard 7z")
    assert ("ready 6z" in until(hand, 1)) == on
    if not on:
        assert calls(hand) == []
        return
    play(hand, "1 ready 6z", "2 discard", "3 discard", "0 discard")
    assert hand.record["declared"].tolist() == [0, DECLARED_READY, 0, 0]
    # Seat 1 has drawn 9m and discarded it without being asked.
    assert (hand.seat, hand.record["n_discards"], hand.record["last_discard"][1]) == (2, 6, KIND["9m"])
    play(hand, "2 discard 1m")
    assert (hand.seat, hand.legal()) == (1, ["pass", "win"])
    play(hand, "1 win")
    assert ("closed_hand" in items(hand)) == (rules == "hk16")


@pytest.mark.parametrize(
    ("held", "draw", "ready"),
    [
        ("1133557799m11p777z2p", "9s", False),  # waits for seven pairs and a triplet alone
        ("147m258p369s1234567z", "9p", False),  # for 16 Orphans
        ("19m19p19s11234567z23m", "9p", True),  # for 13 Orphans
    ],
)
def test_closing_leaves_13_orphans_alone_of_the_special_hands(held: str, draw: str, ready: bool) -> None:
    hand = play(deal({0: "4p", 1: held}, draw, rules="hk16"), "0 discard 4p")
    assert (f"ready {draw}" in until(hand, 1)) == ready, describe(hand)
    # Without Closing the same hand could win.
    assert int(hand.record["lacks"]) == 1


@pytest.mark.parametrize("on", [True, False])
def test_original_call(on: bool) -> None:
    hand = deal({0: "7z", 1: WAITING, 3: "46m123456p123789s33z"}, "6z6z6z1m", rules="four-winds", original_call=on)
    if not on:
        assert (hand.seat, hand.phase) == (0, "turn") and calls(hand) == []
        return
    for seat, answer in ((1, "declare"), (3, "pass")):
        assert (hand.seat, hand.phase, hand.legal()) == (seat, "declare", ["declare", "pass"])
        hand.apply(answer)
    assert hand.record["declared"].tolist() == [0, DECLARED_READY, 0, 0]
    play(hand, "0 discard 7z", "2 discard", "3 discard", "0 discard 1m", "1 win")
    assert items(hand)["original_call"] == 15


@pytest.mark.parametrize("on", [True, False])
def test_original_call_of_east(on: bool) -> None:
    """With its first discard, not later."""
    hand = deal({0: WAITING + "9m"}, "6z6z6z6z", rules="four-winds", original_call=on)
    assert (hand.seat, hand.phase) == (0, "turn") and ("ready 9m" in hand.legal()) == on
    play(hand, "0 discard 9m")
    assert not [action for action in until(hand, 0) if action.startswith("ready")]


@pytest.mark.parametrize("minimum", [0, 1, 2, 5])
def test_declare_min_drawable(minimum: int) -> None:
    for left in {max(0, minimum - 1), minimum}:
        hand = deal(
            {1: "46m455556p123789s11z"},
            kept="5555m11z",
            dealer=(1 + left - stack.DRAWS) % 4,
            declare_min_drawable=minimum,
        )
        until_left(hand, left)
        assert hand.seat == 1 and drawable(hand) == left
        assert any(action.startswith("ready") for action in hand.legal()) == (left >= minimum), describe(hand)


@pytest.mark.parametrize("rules", ["douque-taiwanese", "hk16"])
@pytest.mark.parametrize("on", [True, False])
def test_declared_kong(rules: str, on: bool) -> None:
    """Seat 1 has declared with a pung of 5m before it, and draws the fourth."""
    hand = deal({0: "5m", 1: "55m23p456789s789m11z6z"}, "6z6z7z5m", replacements="9m", rules=rules, declared_kong=on)
    play(hand, "0 discard 5m", "1 pung", "1 ready 6z", "2 discard", "3 discard", "0 discard")
    assert hand.record["melded"][1][KIND["5m"]] == (4 if on else 3)
    # The turn is over without a question: the tile drawn, or the replacement of the kong, is discarded.
    assert hand.record["last_discard"][1] == KIND["9m" if on else "5m"]


# --- claims ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["hk16", "house16", "four-winds"])
@pytest.mark.parametrize("on", [True, False])
def test_passed_kind(rules: str, on: bool) -> None:
    hand = deal({0: "7z7p", 2: "55m77p"}, draws="6z6z5m6z5m", rules=rules, passed_kind=on)
    play(hand, "0 discard 7z", "2 discard", "3 discard 5m")
    assert (hand.seat, hand.legal()) == (2, ["pass", "pung"])
    play(hand, "2 pass", "0 discard", "1 discard 5m")
    if on:
        assert not_asked(hand, 2)
    else:
        assert (hand.seat, hand.legal()) == (2, ["pass", "pung"])


@pytest.mark.parametrize("on", [True, False])
def test_passed_kind_bars_a_win_on_that_kind_until_the_own_turn_begins(on: bool) -> None:
    """Waiting for 1m and 4m: 1m is passed on, the next 1m is barred, 4m is not, and after the own draw none is."""
    for tile, barred in (("1m", on), ("4m", False)):
        hand = deal({0: "7z", 1: WAITING}, f"6z1m{tile}", rules="house16", passed_kind=on)
        play(hand, "0 discard 7z", "1 discard", "2 discard 1m", "1 pass", f"3 discard {tile}")
        assert (hand.seat == 1 and "win" in hand.legal()) != barred, describe(hand)
    hand = deal({0: "7z", 1: WAITING}, "6z1m6z6z7z1m", rules="house16", passed_kind=on)
    play(hand, "0 discard 7z", "1 discard", "2 discard 1m", "1 pass", "1 discard", "2 discard 1m")
    assert hand.seat == 1 and "win" in hand.legal()


# --- wins -----------------------------------------------------------------------------------------------------------

SPECIAL = [
    ("seven_pairs", "1133557799m11p777z2p", "2p", ("four-winds", "hk16", "house16")),
    ("thirteen_orphans", "19m19p19s11234567z23m", "4m", ("hk16",)),
    ("sixteen_orphans", "147m258p369s1234567z", "7z", ("hk16",)),
]


@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize(
    ("flag", "held", "tile", "rules"),
    [(flag, held, tile, name) for flag, held, tile, names in SPECIAL for name in names],
)
def test_special_hands(flag: str, held: str, tile: str, rules: str, on: bool) -> None:
    others = {name: False for name, *_ in SPECIAL if name != flag}
    options = {flag: on, "original_call": False, **others}
    hand = play(deal({0: tile + "6s", 1: held}, "6s", rules=rules, **options), f"0 discard {tile}")
    if on:
        assert hand.seat == 1 and "win" in hand.legal()
        item = "nico_nico" if (flag, rules) == ("seven_pairs", "hk16") else flag
        assert item in items(play(hand, "1 win"))
    else:
        assert "win" not in hand.legal() and int(hand.record["distance"][1]) > 1


@pytest.mark.parametrize("step", [0, 1, 2])
def test_min_tai_step(step: int) -> None:
    """Concealed hand, 1 tai beside East's round: the minimum is 0, `step`, twice and three times as much."""
    won = []
    for wind in ("1z", "2z", "3z", "4z"):
        hand = deal({0: "7z", 1: WAITING}, "6z1m", prevailing=wind, min_tai=0, min_tai_step=step)
        play(hand, "0 discard 7z", "1 discard", "2 discard 1m")
        won.append(hand.seat == 1 and "win" in hand.legal())
    assert won == [True, step <= 1, step == 0, step == 0]


@pytest.mark.parametrize("points", [1, 3, 5, 7, 9, 11])
def test_min_tai_step_of_hk16(points: int) -> None:
    """20, 22, 24, 26 by round, on the total of all items."""
    for wind, minimum in (("1z", 20), ("2z", 22), ("3z", 24), ("4z", 26)):
        table = {"rules": "hk16", "prevailing": wind, "items": {"mahjong": points, "within_seven": 0}}
        script = ("0 discard 7z", "1 discard", "2 discard 1m")
        free = play(deal({0: "7z", 1: WAITING}, "6z1m", min_tai=0, min_tai_step=0, **table), *script, "1 win")
        hand = play(deal({0: "7z", 1: WAITING}, "6z1m", **table), *script)
        tai = free.settlements[-1]["tai"]
        assert abs(tai - 23) < 10, "points on both sides of the minimum"
        assert (hand.seat == 1 and "win" in hand.legal()) == (tai >= minimum), (wind, tai)


@pytest.mark.parametrize("rules", ["douque-taiwanese", "four-winds", "hk16"])
@pytest.mark.parametrize("on", [True, False])
def test_heavenly_unasked(rules: str, on: bool) -> None:
    hand = deal({0: COMPLETE}, rules=rules, heavenly_unasked=on)
    assert hand.over == on
    if not on:
        assert (hand.seat, hand.phase) == (0, "turn") and "win" in hand.legal()
        assert "discard 4m" in hand.legal(), "it may go on"
        play(hand, "0 win")
    assert "heavenly_hand" in items(hand) and hand.decisions == ([] if on else [(0, "win")])


#: Item of a non-dealer's win on East's first discard, by the flag: as it is, and after a concealed kong of East's.
EARLY = {
    "douque-taiwanese": {
        "go_around": ("human_hand", None),
        "first_discard": ("earthly_hand", None),
        "first_discard_after_kong": ("earthly_hand", "earthly_hand"),
    },
    "four-winds": {
        "go_around": (None, None),
        "first_discard": ("earthly_hand", None),
        "first_discard_after_kong": ("earthly_hand", "earthly_hand"),
    },
    "hk16": {
        "go_around": (None, None),
        "first_discard": ("earthly_hand", None),
        "first_discard_after_kong": ("earthly_hand", "earthly_hand"),
    },
}


@pytest.mark.parametrize(("rules", "value"), [(rules, value) for rules in EARLY for value in EARLY[rules]])
def test_early_wins(rules: str, value: str) -> None:
    for kong, wanted in zip((False, True), EARLY[rules][value], strict=True):
        options = EASY[rules] | {"early_wins": value}
        hand = deal({0: "9999p1m", 1: WAITING}, replacements="6z", rules=rules, **options)
        play(hand, *["0 kong 9p"] * kong, "0 discard 1m", "1 win")
        early = {item for item in items(hand, -1) if item in ("earthly_hand", "human_hand", "heavenly_hand")}
        assert early == ({wanted} if wanted else set()), (kong, items(hand, -1))


@pytest.mark.parametrize("value", ["go_around", "first_discard", "first_discard_after_kong"])
def test_early_self_draws_are_for_the_first_go_around(value: str) -> None:
    hand = play(deal({0: "7z", 1: WAITING}, "4m", early_wins=value), "0 discard 7z")
    assert "win" in until(hand, 1)
    assert ("earthly_hand" in items(play(hand, "1 win"))) == (value == "go_around")


# --- flowers --------------------------------------------------------------------------------------------------------

SEVEN = {1: "1234567f"}
FILL = "9m9m9m9p9p9p9s9s"
#: How seven against one drawn in play is settled, by the flag: asked, tiles replaced after all eight lie open.
ROBBED = {
    "off": (False, 8, None),
    "on_turn": (True, 8, 1),
    "on_exposure": (True, 7, 1),
    "on_replacement": (False, 8, 1),
}


#: What such a win pays.
ROBBING_ITEMS = {
    "douque-taiwanese": {"seven_robs_one": 8},
    "four-winds": {"seven_robs_one": 20},
    "house16": {"base_win": 1, "seven_robs_one": 8},
}


@pytest.mark.parametrize(
    ("rules", "value"),
    [
        *((rules, value) for rules in ("douque-taiwanese", "four-winds") for value in ROBBED),
        ("house16", "off"),
        ("house16", "on_replacement"),
    ],
)
def test_flower_wins_by_robbing(rules: str, value: str) -> None:
    """Seat 2 draws the eighth flower."""
    asked, replaced, winner = ROBBED[value]
    hand = deal({0: "7z", **SEVEN}, "6z8f", FILL, rules=rules, flower_wins=value)
    play(hand, "0 discard 7z", "1 discard")
    assert (hand.phase == "flower" and hand.seat == 1) == asked
    if asked:
        assert hand.legal() == ["flower_win", "pass"]
        declined = hand.copy().apply("pass")
        assert (declined.seat, declined.phase) == (2, "turn") and declined.record["flowers"][2] == 128
        hand.apply("flower_win")
    if winner is None:
        assert (hand.seat, hand.phase) == (2, "turn") and drift(hand).end == "draw"
        return
    assert hand.end == "flower" and items(hand) == ROBBING_ITEMS[rules]
    assert (hand.settlements[0]["winner"], hand.settlements[0]["from"]) == (1, 2)
    assert hand.record["flowers"].tolist() == [0, 255, 0, 0]
    assert 144 - int(hand.record["tail"]) == replaced
    assert int(hand.record["counts"][1].sum()) == (17 if replaced == 8 else 16)


@pytest.mark.parametrize("value", ["off", "on_turn", "on_exposure", "on_replacement"])
def test_flower_wins_with_all_eight(value: str) -> None:
    """Seat 1 draws its eighth: chosen on its turn, by itself, or nothing."""
    hand = deal({0: "7z", **SEVEN}, "8f", FILL, rules="four-winds", flower_wins=value)
    play(hand, "0 discard 7z")
    assert hand.over == (value == "on_exposure")
    if not hand.over:
        assert ("flower_win" in until(hand, 1)) == (value == "on_turn")
        if value == "on_turn":
            play(hand, "1 flower_win")
    if hand.over:
        assert items(hand) == {"eight_immortals": 30} and hand.scores == [-30, 90, -30, -30]


@pytest.mark.parametrize("value", ["off", "on_turn", "on_exposure", "on_replacement"])
def test_flower_wins_on_the_deal_by_robbing(value: str) -> None:
    """Seven to one after the opening, the dealer's turn before that of seat 1."""
    hand = deal({0: "7z", **SEVEN, 3: "8f"}, "6z", FILL, rules="four-winds", flower_wins=value)
    if value == "on_turn":
        assert hand.end == "flower"
    elif value == "on_exposure":
        assert (hand.seat, hand.phase) == (1, "flower")
        assert hand.copy().apply("pass").phase == "turn"
        hand.apply("flower_win")
        assert hand.end == "flower"
    else:
        play(hand, "0 discard 7z")
        # Its first draw is the extra tile that the win waits for.
        assert hand.over == (value == "on_replacement")
        if not hand.over:
            assert (hand.seat, hand.phase) == (1, "turn")
    if hand.over:
        assert items(hand) == {"seven_robs_one": 20} and hand.scores == [0, 20, 0, -20]


@pytest.mark.parametrize("value", ["off", "seven_or_eight"])
@pytest.mark.parametrize(
    ("flowers", "item", "points"), [("1234567f", "seven_flowers", 20), ("12345678f", "eight_flowers", 40)]
)
def test_flower_wins_seven_or_eight(value: str, flowers: str, item: str, points: int) -> None:
    hand = deal({1: flowers}, replacements=FILL, rules="hk16", flower_wins=value)
    assert hand.over == (value == "seven_or_eight")
    if hand.over:
        assert items(hand, -1) == {item: points} and hand.settlements[-1]["kind"] == "flower"
    else:
        assert (hand.seat, hand.phase) == (0, "turn")


# --- payments -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["douque-taiwanese", "four-winds", "hk16", "house16"])
@pytest.mark.parametrize("extra", [0, 1, 7])
def test_dealer_self_draw_tai(rules: str, extra: int) -> None:
    """The dealer, seat 0, owes more on another's own draw; not on its discard, and nobody when it wins itself."""
    scores = {}
    for tai in (0, extra):
        options = EASY[rules] | {"dealer_self_draw_tai": tai}
        drawn = play(deal({0: "7z6m", 1: WAITING}, "6z6z6z6z4m", rules=rules, **options), "0 discard 6m")
        assert "win" in until(play(drawn, "1 discard 6z"), 1)
        fed = deal({0: "7z4m", 1: WAITING}, "6z", rules=rules, **options)
        own = deal({0: COMPLETE}, rules=rules, **options)
        while not own.over:
            own.apply("win")
        scores[tai] = [play(drawn, "1 win").scores, play(fed, "0 discard 4m", "1 win").scores, own.scores]
    drawn_by, fed_by, own_by = (
        [more - less for more, less in zip(scores[extra][i], scores[0][i], strict=True)] for i in range(3)
    )
    assert drawn_by == [-extra, extra, 0, 0] and fed_by == own_by == [0, 0, 0, 0]


@pytest.mark.parametrize("on", [True, False])
def test_instant_payments(on: bool) -> None:
    """A triple of the dealer's dice, a bouquet of one colour and a mixed one, a concealed kong."""
    hand = deal(
        {0: "9999p7z", 1: "1234f", 2: "5678f"},
        replacements="9m9m9m9s9s9s8s8s6z",
        rules="hk16",
        dice=(3, 3, 3),
        instant_payments=on,
    )
    play(hand, "0 kong 9p", "0 discard 7z")
    wanted = [
        ("dice_triple", None, [15, -5, -5, -5]),
        ("pure_bouquet", None, [-10, 30, -10, -10]),
        ("pure_bouquet", None, [-10, -10, 30, -10]),
        ("concealed_gong_declared", None, [15, -5, -5, -5]),
    ]
    assert instants(hand) == (wanted if on else [])
    hand = deal({1: "16f38f"}, replacements=FILL, rules="hk16", dice=(6, 6, 6), instant_payments=on)
    wanted = [("dice_triple", None, [30, -10, -10, -10]), ("mixed_bouquet", None, [-5, 15, -5, -5])]
    assert instants(hand) == (wanted if on else [])
    # They are paid whatever the end.
    assert sum(drift(hand).scores) == -20 and (hand.scores[0] > -5) == on


@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize(("tile", "points"), [("5m", 10), ("7z", 5)])
def test_chase_payments(on: bool, tile: str, points: int) -> None:
    hand = deal({0: tile}, tile * 3, rules="hk16", chase_payments=on)
    play(hand, f"0 discard {tile}", f"1 discard {tile}", f"2 discard {tile}")
    assert instants(hand) == []
    play(hand, f"3 discard {tile}")
    assert instants(hand) == ([("chasing", 0, [-3 * points, points, points, points])] if on else [])


@pytest.mark.parametrize("on", [True, False])
def test_chase_payments_keep_the_fourth_west_wind_back(on: bool) -> None:
    hand = deal({0: "3z"}, "3z3z3z", rules="hk16", chase_payments=on)
    play(hand, "0 discard 3z", "1 discard 3z", "2 discard 3z")
    assert "3z" not in discards(hand) if on else "3z" in discards(hand)
    assert hand.seat == 3 and copies(hand, 3, "3z") == 1
    # A turn of the first discarder between: no chase, the tile may go.
    hand = deal({0: "3z"}, "3z3z6z6z6z6z3z", rules="hk16", chase_payments=on)
    play(hand, "0 discard 3z", "1 discard 3z", "2 discard 3z", "3 discard 6z", "0 discard", "1 discard", "2 discard")
    assert (hand.seat, copies(hand, 3, "3z")) == (3, 1) and "3z" in discards(hand)


@pytest.mark.parametrize("on", [True, False])
def test_draw_pool(on: bool) -> None:
    """A drawn hand puts 5 of each seat into the pool, a self-drawn win takes it, a win on a discard leaves it."""
    hand = drift(deal({}, rules="hk16", draw_pool=on, carry={"pool": 40} if on else None))
    assert hand.end == "draw" and sum(hand.scores) == (-20 if on else 0)
    assert instants(hand)[-1:] == ([("drawn_hand", None, [-5, -5, -5, -5])] if on else [])
    assert hand.next.get("carry") == ({"pool": 60} if on else None)
    for draws, script, pool in (
        ("6z7z6z7z4m", ("0 discard 6m", "1 discard 6z"), 0),
        ("6z7z6z4m", ("0 discard 6m", "1 discard 6z", "2 discard", "3 discard", "0 discard 4m"), 60),
    ):
        hand = deal({0: "7z6m", 1: WAITING}, draws, rules="hk16", draw_pool=on, **CHEAP,
                    carry={"pool": 60} if on else None)  # fmt: skip
        play(hand, *script)
        until(hand, 1, "claim" if pool else "turn")
        play(hand, "1 win")
        assert hand.next.get("carry") == ({"pool": pool} if on else None)
        taken = [("drawn_pool", None, [0, 60, 0, 0])] if on and not pool else []
        assert instants(hand) == taken and [s["kind"] for s in hand.settlements] == ["instant"] * len(taken) + ["win"]


# --- the next hand --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["douque-taiwanese", "four-winds", "hk16", "house16"])
@pytest.mark.parametrize("on", [True, False])
def test_dealer_keeps_draw(rules: str, on: bool) -> None:
    hand = drift(deal({}, rules=rules, kept_back=70, dealer_keeps_draw=on, dealer=1, streak=1))
    assert hand.end == "draw"
    assert (hand.next["dealer"], hand.next["streak"]) == ((1, 2) if on else (2, 0))


@pytest.mark.parametrize("rules", ["douque-taiwanese", "four-winds", "hk16"])
@pytest.mark.parametrize("on", [True, False])
def test_dealer_keeps_shared(rules: str, on: bool) -> None:
    """Seat 3 feeds the dealer and seat 1, who wait for the same tile."""
    options = EASY[rules] | {"dealer_keeps_shared": on, "original_call": False}
    if rules == "douque-taiwanese":
        del options["original_call"]
    hands = {0: "46m123456p123789s11z6z", 1: "46m123456p123789s22z"}
    for alone in (False, True):
        hand = deal(hands, "7z7z5m", rules=rules, **options)
        play(hand, "0 discard 6z", "1 discard", "2 discard", "3 discard 5m", "0 win")
        if hand.seat == 1:
            hand.apply("pass" if alone else "win")
        assert [s["winner"] for s in hand.settlements] == ([0] if alone else [0, 1])
        assert hand.next["dealer"] == (0 if on or alone else 1)


@pytest.mark.parametrize("rules", ["douque-taiwanese", "four-winds", "hk16", "house16"])
@pytest.mark.parametrize("on", [True, False])
def test_match_ends(rules: str, on: bool) -> None:
    """Only when the deal goes from seat 3 to seat 0 in the North round."""
    options = EASY[rules] | {"match_ends": on}
    for dealer, wind, last in ((3, "4z", True), (3, "3z", False), (2, "4z", False)):
        winner = (dealer + 1) % 4
        hand = deal({dealer: "4m", winner: WAITING}, rules=rules, dealer=dealer, prevailing=wind, **options)
        play(hand, f"{dealer} discard 4m", f"{winner} win")
        if last and on:
            assert hand.next is None
        else:
            assert hand.next["dealer"] == winner
            assert hand.next["prevailing"] == ("1z" if last else "4z")
        # The dealer who wins goes on.
        own = deal({dealer: COMPLETE}, rules=rules, dealer=dealer, prevailing=wind, **options)
        while not own.over:
            own.apply("win")
        assert own.next["dealer"] == dealer and own.next["prevailing"] == wind


# --- flags together -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rules", [mjsim.rules("hk16", exchange=True), mjsim.rules("douque-american", last_dealt_wins=True)]
)
def test_a_tile_given_away_in_the_exchange_is_not_the_tile_drawn_last(rules: mjsim.Rules) -> None:
    given = 0
    for seed in range(30):
        hand = mjsim.Hand(rules, seed=seed)
        if hand.phase != "give":
            continue
        dealer, last = int(hand.record["dealer"]), TEXT[int(hand.record["drawn"])]
        for _ in range(3):
            legal = hand.legal()
            hand.apply(f"give {last}" if f"give {last}" in legal else legal[0])
        while hand.phase in ("give", "choice"):
            hand.apply("start" if hand.phase == "choice" else hand.legal()[0])
        assert check(hand.record, hand.rules) == []
        if hand.seat == dealer and hand.phase == "turn":
            assert hand.record["drawn"] == -1
            given += 1
    assert given > 10


def test_original_call_follows_the_exchange() -> None:
    """Whoever waits after it is asked: seat 1 gets the three tiles that it lacks from the dealer."""
    hand = deal({0: "456p", 1: "23m456789s11122z9m9p5z"}, rules="four-winds", exchange=True)
    wanted = {0: ["4p", "5p", "6p"], 1: ["9m", "9p", "5z"]}
    while hand.phase == "give":
        mine = wanted.get(hand.seat)
        hand.apply(f"give {mine.pop()}" if mine else hand.legal()[0])
    hand.apply("start")
    assert (hand.seat, hand.phase, hand.legal()) == (1, "declare", ["declare", "pass"]), describe(hand)
    hand.apply("declare")
    while hand.phase == "declare":
        hand.apply("pass")
    assert hand.seat == 0 and hand.phase == "turn" and hand.record["declared"][1] == DECLARED_READY


@pytest.mark.parametrize(("value", "paid"), [(1, 40), (2, 80), (0, None)])
def test_the_pool_is_paid_as_often_as_its_item_says(value: int, paid: int | None) -> None:
    rules = mjsim.rules("hk16", items={"drawn_pool": value})
    greedy = agents.make("greedy")
    choose = greedy.policy.python()
    met = 0
    for seed in range(60):
        hand = mjsim.Hand(rules, seed=seed, carry={"pool": 40})
        while not hand.over:
            hand.apply(choose(hand._address, rules.address, greedy.parameters_address))
        pools = [s["tai"] for s in hand.settlements if s["items"][0][0] == "drawn_pool"]
        own = [s for s in hand.settlements if s["kind"] != "instant" and s["from"] is None]
        if own:
            met += 1
            assert pools == ([paid] if paid else [])
            assert hand.next["carry"] == {"pool": 0 if paid else 40}
        else:
            assert pools == []
        if met == 3:
            return
    raise AssertionError("no self-drawn win was met")
