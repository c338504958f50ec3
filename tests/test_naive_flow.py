"""The plain replay of ``naive_flow``: the golden hands, invariants of random play, one ruling at a time."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests import naive, naive_flow
from tests.naive_flow import (
    NaiveHand,
    arranged_wall,
    name,
    play,
    random_line,
    replay,
    rigged_line,
    tile_of,
    tiles_of,
)

GOLDEN = Path(__file__).parent / "golden"
ALL_TILES = sorted([kind for kind in range(34) for _ in range(4)] + list(range(34, 42)))


def golden_lines() -> list[Any]:
    found = []
    for path in sorted(GOLDEN.glob("douque-*.hands.jsonl")):
        for number, text in enumerate(path.read_text().splitlines()):
            found.append(pytest.param(json.loads(text), id=f"{path.name}:{number + 1}"))
    return found


@pytest.mark.parametrize("line", golden_lines())
def test_golden_hand_replays(line: dict[str, Any]) -> None:
    assert replay(line) == []


def test_replay_sees_a_changed_record() -> None:
    line = golden_lines()[1].values[0]
    assert replay({**line, "scores": [1, -1, 0, 0]})
    assert replay({**line, "end": "draw"})
    assert replay({**line, "decisions": line["decisions"][:-1]})
    assert replay({**line, "legal": [["pass"], *line["legal"][1:]]})


# --- random play ------------------------------------------------------------------------------------------


class Player:
    """Plays at random with likings of its own for wins, claims and ready; keeps tiles that go together."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.likes = {
            "win": rng.choice([0.5, 1.0]),
            "flower_win": rng.choice([0.3, 1.0]),
            "ready": rng.choice([0.1, 0.9]),
            "kong": rng.choice([0.2, 0.9]),
            "pung": rng.choice([0.1, 0.8]),
            "chow": rng.choice([0.1, 0.5]),
        }
        self.careful = rng.random()

    def __call__(self, hand: NaiveHand, seat: int, legal: list[str]) -> str:
        assert hand.tiles() == ALL_TILES
        assert legal == sorted(set(legal)) and len(legal) >= 2
        rng = self.rng
        for word, liking in self.likes.items():
            chosen = [text for text in legal if text.split()[0] == word]
            if chosen and rng.random() < liking:
                return rng.choice(chosen)
        rest = [text for text in legal if text.split()[0] in ("discard", "give", "pass", "start", "exchange")]
        if not rest or not rest[0].startswith(("discard", "give")) or rng.random() > self.careful:
            return rng.choice(rest or legal)
        counts = hand.seats[seat].hand

        def company(text: str) -> float:
            tile = tile_of(text.split()[1])
            suit = range(tile // 9 * 9, tile // 9 * 9 + 9) if tile < 27 else range(0)
            near = sum(counts[other] for other in suit if 0 < abs(other - tile) <= 2)
            return 3 * counts[tile] + near + rng.random()

        return min(rest, key=company)


RULES = [
    ("douque-american", {}),
    ("douque-american", {"min_tai": 0}),
    ("douque-american", {"min_tai": 5}),
    ("douque-american", {"min_tai": 2, "exchange": False}),
    ("douque-taiwanese", {}),
    ("douque-taiwanese", {"min_tai": 3, "dice_bonus": True}),
]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("make", [random_line, rigged_line])
def test_random_play(make: Any, seed: int) -> None:
    """144 tiles at every decision, scores that sum to zero, a record that verifies, and a sensible end."""
    rng = random.Random(seed)
    ends: Counter[str] = Counter()
    for number in range(42):
        rules, options = RULES[number % len(RULES)]
        line = make(rng, rules, options)
        record = play(line, Player(rng))
        assert replay(json.loads(json.dumps(record))) == []
        assert sum(record["scores"]) == 0
        assert all(sum(settlement["payments"]) == 0 for settlement in record["settlements"])
        kinds = [settlement["kind"] for settlement in record["settlements"]]
        assert kinds == sorted(kinds)  # flower before win
        assert record["end"] == ("win" if "win" in kinds else "flower" if kinds else "draw")
        last = NaiveHand(line)
        for _, text in record["decisions"]:
            last.apply(text)
        assert last.decision() is None and last.tiles() == ALL_TILES
        assert last.end == record["end"] and last.drawable() >= 0
        for settlement in record["settlements"]:
            assert settlement["items"] == sorted(settlement["items"])
            assert settlement["tai"] == sum(tai for _, tai in settlement["items"])
        ends[record["end"]] += 1
    assert ends["win"] > 5


def test_shapes_agree_with_the_scoring_twin() -> None:
    rng = random.Random(5)
    complete = ready = 0
    for _ in range(300):
        melds = rng.choice([0, 1, 2, 3, 4, 5])
        suit = rng.choice([0, 9, 18])
        kinds = [suit + rank for rank in range(9)] + [27, 28]
        tiles = rng.sample([kind for kind in kinds for _ in range(4)], 16 - 3 * melds)
        counts = [tiles.count(kind) for kind in range(34)]
        waits = naive.waits(counts, melds, [0] * 34)
        assert naive_flow.is_ready(counts, counts) == bool(waits)
        ready += bool(waits)
        for kind in range(34):
            counts[kind] += 1
            assert naive_flow.is_complete(counts) == naive.is_complete(counts, melds)
            complete += naive_flow.is_complete(counts)
            counts[kind] -= 1
    assert complete > 50 and ready > 50


# --- one ruling at a time ---------------------------------------------------------------------------------
# Without exchange and dice bonus, minimum 0 unless said; the dealer is seat 0 and East.

APART = "5m1379m2356s4567z1234s"  # a dealer's 17 tiles
APART_P = "5m1379p2356s4567z1234s"
WAITS_36P = "123456789m11s45777p"  # 16 tiles
WAITS_5M = ["46m111222333p777s11z", "46m444555666p888s22z", "46m777888999p999s33z"]


def hand_of(hands: list[str], draws: str = "", replacements: str = "", **changes: Any) -> NaiveHand:
    line: dict[str, Any] = {
        "rules": "douque-taiwanese",
        "options": {},
        "dealer": 0,
        "streak": 0,
        "prevailing": "1z",
        "east": 0,
        "dice": [1, 2, 4],
        "pairings": [],
        **changes,
    }
    line["wall"] = arranged_wall(line["dealer"], hands, draws, replacements)
    return NaiveHand(line)


def do(hand: NaiveHand, seat: int, text: str) -> None:
    pending = hand.decision()
    assert pending is not None and pending[0] == seat, (pending, seat, text)
    hand.apply(text)


def until(hand: NaiveHand, seat: int, word: str = "discard") -> list[str]:
    """Let all pass and discard what they draw, until the seat is asked with ``word`` among its actions."""
    while True:
        pending = hand.decision()
        assert pending is not None
        if pending[0] == seat and word in {text.split()[0] for text in pending[1]}:
            return pending[1]
        drawn = hand.seats[pending[0]].drawn
        hand.apply("pass" if "pass" in pending[1] else f"discard {name(drawn)}" if drawn else pending[1][0])


def items(hand: NaiveHand, number: int = 0) -> dict[str, int]:
    return dict(hand.settlements[number]["items"])


@pytest.mark.parametrize(
    ("passes", "winners"), [([], [1, 2, 3]), ([1], [2]), ([2], [1]), ([1, 2], [3]), ([1, 2, 3], [])]
)
def test_three_win_together_and_of_two_the_nearer(passes: list[int], winners: list[int]) -> None:
    """38, and "Multiple Players Winning on the Same Tile"."""
    hand = hand_of([APART, *WAITS_5M])
    do(hand, 0, "discard 5m")
    for seat in (1, 2, 3):
        do(hand, seat, "pass" if seat in passes else "win")
    assert [settlement["winner"] for settlement in hand.settlements] == winners
    if winners:
        assert hand.end == "win" and all("human_hand" in items(hand, i) for i in range(len(winners)))
    else:
        assert all(hand.seats[seat].skipped_win for seat in (1, 2, 3))  # 18


def test_too_few_tai_break_the_triple_win() -> None:
    poor = "46m456p456s789s123p22z"
    for passes, winner in (([], 1), ([1], 3), ([1, 3], None)):
        hand = hand_of([APART, WAITS_5M[0], poor, WAITS_5M[2]], options={"min_tai": 5})
        hand.calls = True  # no Human Hand
        do(hand, 0, "discard 5m")
        for seat in (1, 3):
            do(hand, seat, "pass" if seat in passes else "win")
        expected = [] if winner is None else [winner]
        assert [settlement["winner"] for settlement in hand.settlements] == expected
        assert hand.seats[2].skipped_win == (winner is None)  # 18: it had too few tai


def test_discards_banned_after_a_chow() -> None:
    for held, chow, banned, free in (
        ("4567p1m", "chow 45p", {"6p"}, "7p"),
        ("123p19m", "chow 12p", {"3p"}, "9m"),
    ):
        hand = hand_of(["3p1379m2356s4567z1234s", held + "9m147s1234567z", "", ""])
        do(hand, 0, "discard 3p")
        assert until(hand, 1, "chow") == [chow, "pass"]
        do(hand, 1, chow)
        legal = until(hand, 1)
        assert f"discard {free}" in legal and not banned & {text.split()[1] for text in legal}


def test_a_chow_that_leaves_no_discard_is_not_offered() -> None:
    hand = hand_of([APART, "", "", ""])
    hand.seats[1].hand = [int(kind in tiles_of("3456p")) for kind in range(34)]
    assert hand._chow_actions(0, 1, tile_of("3p")) == []  # 11: 3p and 6p are left, both banned
    assert hand._chow_actions(0, 1, tile_of("7p")) == ["chow 56p"]


def test_claiming_back_is_by_shape() -> None:
    """15"""
    hand = hand_of([APART, "1245s55p", "", ""])
    me = hand.seats[1]
    me.hand = [int(kind in tiles_of("1245s7z")) for kind in range(34)]
    me.hand[tile_of("5p")] = 3
    me.last_discard = tile_of("3s")
    assert hand._chow_actions(0, 1, tile_of("6s")) == [] == hand._chow_actions(0, 1, tile_of("3s"))
    me.last_discard = tile_of("6s")
    assert hand._chow_actions(0, 1, tile_of("3s")) == ["chow 12s", "chow 24s"]
    me.last_discard = tile_of("5p")
    assert hand._pung_kong_actions(2, 1, tile_of("5p")) == []


def test_skipped_pung_bars_the_pung_but_not_the_kong() -> None:
    """16, and "No Exposed Kong from the previous player"."""
    hand = hand_of([APART, "", "555m19p147s1234567z9s", ""])
    do(hand, 0, "discard 5m")
    assert until(hand, 2, "pung") == ["kong", "pass", "pung"]
    do(hand, 2, "pass")
    five = tile_of("5m")
    assert hand.seats[2].skipped_pungs == {five}
    assert hand._pung_kong_actions(0, 2, five) == ["kong"]
    assert hand._pung_kong_actions(1, 2, five) == []
    until(hand, 2)
    hand.apply("discard 9s")
    assert hand.seats[2].skipped_pungs == set()


def test_declined_self_draw() -> None:
    """19, 21, 23: that discard keeps it, a discard after another draw lifts it."""
    hand = hand_of([APART, WAITS_36P, "", ""], draws="3p7z6z5z4z6z5z7z6p")
    do(hand, 0, "discard 5m")
    assert "win" in until(hand, 1)
    hand.apply("discard 1m")
    assert hand.seats[1].skipped_win
    assert "win" not in until(hand, 1)
    hand.apply("discard 4z")
    assert not hand.seats[1].skipped_win


def test_kong_of_the_winning_tile_keeps_the_skipped_win() -> None:
    """22"""
    hand = hand_of([APART_P, "11123m55p456789s123p", "", ""], draws="1m", replacements="4m")
    do(hand, 0, "discard 7z")
    assert {"win", "kong 1m"} <= set(until(hand, 1))
    hand.apply("kong 1m")
    assert hand.seats[1].skipped_win and hand.seats[1].turn_complete
    assert "win" not in until(hand, 1)


def test_kong_of_another_tile_lifts_the_skipped_win() -> None:
    """19 sets it, 22 clears it at once, and the replacement may be won with."""
    hand = hand_of([APART_P, "111123m55p456789s12p", "", ""], draws="3p", replacements="4m")
    do(hand, 0, "discard 7z")
    assert {"win", "kong 1m"} <= set(until(hand, 1))
    hand.apply("kong 1m")
    assert not hand.seats[1].skipped_win and "win" in until(hand, 1)
    hand.apply("win")
    assert items(hand)["replacement_tile"] == 1 and "earthly_hand" not in items(hand)


def test_no_self_draw_after_an_exposed_kong() -> None:
    """25, 20: not even with a tile drawn after a flower; an own kong ends the ban."""
    for replacements in ("5p", "1f5p"):
        hand = hand_of([APART, "", "555m46p11s123456789s", ""], replacements=replacements)
        do(hand, 0, "discard 5m")
        until(hand, 2, "kong")
        hand.apply("kong")
        legal = until(hand, 2)
        me = hand.seats[2]
        assert me.turn_complete and me.kong_ban and "win" not in legal and me.skipped_win
        hand.apply("discard 5p")
        assert me.skipped_win and not me.kong_ban


def test_robbing_the_kong() -> None:
    for passes, winner in (([], 2), ([2], 3), ([2, 3], None)):
        hand = hand_of([APART, "55m19m147s1234567z28p", WAITS_5M[0], WAITS_5M[2]], draws="6z7z6z5m")
        do(hand, 0, "discard 5m")
        do(hand, 2, "pass")
        do(hand, 3, "pass")
        do(hand, 1, "pung")
        do(hand, 1, "discard 2z")
        do(hand, 2, "discard 6z")
        do(hand, 3, "discard 7z")
        do(hand, 0, "discard 6z")
        do(hand, 1, "kong 5m")
        for seat in (2, 3):
            assert hand.decision() == (seat, ["pass", "win"])
            do(hand, seat, "pass" if seat in passes else "win")
        if winner is None:
            assert hand.seats[2].skipped_win and hand.seats[3].skipped_win and hand.end is None
        else:
            assert [(s["winner"], s["from"]) for s in hand.settlements] == [(winner, 1)]
            assert items(hand)["robbing_the_kong"] == 1


def test_a_declared_seat_kongs_by_itself() -> None:
    """17"""
    hand = hand_of([APART, "55m123456789s99p12p7z", "", ""], draws="2z3z1z5m", replacements="3p")
    do(hand, 0, "discard 5m")
    until(hand, 1, "pung")
    hand.apply("pung")
    assert "ready 7z" in until(hand, 1)
    hand.apply("ready 7z")
    assert hand.seats[1].declared == "ready"  # after a pung no MIGI
    assert until(hand, 1) == ["discard 3p", "win"]
    assert (1, "kong 5m") in hand.log
    hand.apply("win")
    assert items(hand)["replacement_tile"] == 1 and items(hand)["declare_ready"] == 1


def test_migi_wins_by_itself() -> None:
    hand = hand_of([WAITS_36P + "9s", "", "", ""], draws="3p")
    assert "ready 9s" in until(hand, 0)
    hand.apply("ready 9s")
    until(hand, 1)
    hand.apply("discard 3p")
    assert hand.decision() is None and items(hand)["migi"] == 8 and hand.settlements[0]["from"] == 1
    assert hand.next == {"dealer": 0, "streak": 1, "prevailing": "1z"}


def test_seven_robs_one_case_1_in_play() -> None:
    """28, 29: offered at the first decision only; with a regular win that settles both, 7 flowers counted."""
    hands = ["4f" + APART, "123567f" + WAITS_36P, "", ""]
    bonus: dict[str, Any] = {"options": {"dice_bonus": True}, "dice": [1, 1, 1]}
    hand = hand_of(hands, draws="8f", replacements="3p", **bonus)
    do(hand, 0, "discard 5m")
    assert {"win"} == {text for text in until(hand, 1) if "win" in text}
    hand.apply("win")
    assert [(s["kind"], s["from"]) for s in hand.settlements] == [("flower", 0), ("win", None)]
    assert items(hand, 0) == {"seven_robs_one": 8} and hand.settlements[0]["payments"] == [-12, 12, 0, 0]
    assert items(hand, 1) == {
        "earthly_hand": 16,
        "replacement_tile": 1,
        "flower_kong": 1,
        "seat_flower": 2,
        "dice_bonus": 5,
    }

    hand = hand_of(hands, draws="8f", replacements="4z", **bonus)
    do(hand, 0, "discard 5m")
    assert "flower_win" in until(hand, 1)
    hand.apply("flower_win")
    assert items(hand) == {"seven_robs_one": 8, "dice_bonus": 5} and hand.end == "flower"

    hand = hand_of(hands, draws="8f5z6z7z5z", replacements="4z")
    do(hand, 0, "discard 5m")
    until(hand, 1)
    hand.apply("discard 4z")
    assert "flower_win" not in until(hand, 1)


def test_seven_robs_one_case_2_in_play() -> None:
    """28, 32: asked at once; the robbed seat alone pays both."""
    hands = [APART, "", "1235678f" + WAITS_36P, ""]
    hand = hand_of(hands, draws="4f", replacements="3p")
    do(hand, 0, "discard 5m")
    until(hand, 2, "flower_win")
    assert hand.decision() == (2, ["flower_win", "pass"])
    hand.apply("flower_win")
    assert [(s["kind"], s["from"]) for s in hand.settlements] == [("flower", 1), ("win", 1)]
    assert items(hand, 1) == {"human_hand": 8, "replacement_tile": 1, "flower_kong": 2, "seat_flower": 2}

    hand = hand_of(hands, draws="4f", replacements="3p")
    hand.seats[2].skipped_win = True
    do(hand, 0, "discard 5m")
    until(hand, 2, "flower_win")
    hand.apply("flower_win")
    assert hand.end == "flower" and len(hand.settlements) == 1  # 30

    hand = hand_of(hands, draws="4f", replacements="3p")
    do(hand, 0, "discard 5m")
    until(hand, 2, "flower_win")
    hand.apply("pass")
    assert hand.decision() is not None and hand.seats[1].drawn == tile_of("3p")


def test_eight_immortals_in_play() -> None:
    """28: at every decision of one's own turn."""
    hand = hand_of([APART, "1235678f" + WAITS_36P, "", ""], draws="4f5z6z7z5z", replacements="4z")
    do(hand, 0, "discard 5m")
    assert "flower_win" in until(hand, 1)
    hand.apply("ready 4z")
    assert hand.seats[1].declared == "migi"
    assert until(hand, 1) == ["discard 5z", "flower_win"]  # 17
    hand.apply("flower_win")
    assert items(hand) == {"eight_immortals": 8} and hand.scores == [-12, 34, -11, -11]


HEAVENLY = WAITS_36P + "3p"


@pytest.mark.parametrize(
    ("hands", "replacements", "expected"),
    [
        ([HEAVENLY, "12345678f", "", ""], "", [("win", 0, None)]),
        (["12345678f" + HEAVENLY, "", "", ""], "", [("flower", 0, None), ("win", 0, None)]),
        # Case 1: the dealer's seventh comes in the second pass.
        (["123567f123456789m11s8f45777p3p", "4f", "", ""], "", [("flower", 0, 1), ("win", 0, None)]),
        (["1235678f" + HEAVENLY, "4f", "", ""], "", [("win", 0, None)]),
        (["1235678f" + APART, "4f", "", ""], "", [("flower", 0, 1)]),
        (["4f" + APART, "1235678f" + WAITS_36P, "", ""], "3p", [("flower", 1, 0)]),  # case 1
        ([APART, "1235678f" + WAITS_36P, "4f", ""], "3p", [("flower", 1, 2), ("win", 1, 2)]),  # case 2
        ([APART, "1235678f" + WAITS_36P, "4f", ""], "7z", [("flower", 1, 2)]),
        ([APART, "12345678f", "", ""], "", [("flower", 1, None)]),
    ],
)
def test_wins_on_the_deal(hands: list[str], replacements: str, expected: list[Any]) -> None:
    """27, 31 and the table of "Flower wins on the deal"."""
    hand = hand_of(hands, replacements=replacements, rules="douque-american", dice=[1, 1, 1])
    assert hand.decision() is None
    assert [(s["kind"], s["winner"], s["from"]) for s in hand.settlements] == expected
    for settlement in hand.settlements:
        has_bonus = "dice_bonus" in dict(settlement["items"])
        assert has_bonus == (settlement["kind"] == "win" or len(hand.settlements) == 1)


def test_exchange_and_the_heavenly_hand_after_it() -> None:
    hands = ["123456789m11s777p123z", "345p1379m2356s4567z9p", "", ""]
    hand = hand_of(hands, rules="douque-american", pairings=[[1, 0, 3, 2], [1, 0, 3, 2]])
    for seat, texts in ((0, ["1z", "2z", "3z"]), (1, ["3p", "4p", "5p"])):
        for text in texts:
            do(hand, seat, f"give {text}")
    for seat in (2, 2, 2, 3, 3, 3):
        do(hand, seat, hand.decision()[1][0])  # type: ignore[index]
    assert hand.decision() == (0, ["exchange", "start"])
    hand.apply("start")
    assert "win" in until(hand, 0)
    hand.apply("win")
    assert items(hand)["heavenly_hand"] == 24


def test_end_of_the_wall() -> None:
    """12-14, 33: the last drawable tile."""
    hand = hand_of([APART, "1111z123456m78p55s99s", "", ""], draws="9p", streak=18, dealer=0)
    hand.wall = hand.wall[:17]
    do(hand, 0, "discard 7z")
    assert all(text.startswith("discard") for text in until(hand, 1))
    hand.apply("discard 1z")
    assert hand.decision() is None and hand.end == "draw"
    assert hand.next == {"dealer": 1, "streak": 0, "prevailing": "1z"}

    hand = hand_of([APART, "5555p", "", ""])
    hand.wall = hand.wall[:19]
    hand.seats[1].hand = [2] * 34
    assert hand._pung_kong_actions(0, 1, tile_of("5p")) == [] == hand._chow_actions(0, 1, tile_of("5p"))
