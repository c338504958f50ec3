"""The `hk16` oracle against the golden records, the cases worked by hand, and its rulings one at a time."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.hk16_cases import BAD, CASES, CONCEALED, rich_position
from tests.naive import parse_meld, parse_tiles, to_counts
from tests.naive_flow import name, tile_of, tiles_of
from tests.naive_hk16 import VALUES, distance, is_complete, score_position, waits
from tests.naive_hk16_flow import (
    ALL_TILES,
    NaiveHand,
    Player,
    arranged_wall,
    play,
    random_line,
    replay,
    rigged_line,
)

GOLDEN = Path(__file__).parent / "golden"


def golden(kind: str) -> list[Any]:
    """The lines of the golden files of this rule set, none where there is no such file."""
    found = []
    for path in sorted(GOLDEN.glob(f"hk16.{kind}.jsonl")):
        for number, text in enumerate(path.read_text().splitlines()):
            found.append(pytest.param(json.loads(text), id=f"{path.name}:{number + 1}"))
    return found


# --- Golden records and cases -------------------------------------------------------------------------------


@pytest.mark.parametrize("line", golden("positions"))
def test_golden_position_has_its_answer(line: dict[str, Any]) -> None:
    assert score_position(line["position"]) == line["answer"]


@pytest.mark.parametrize("line", golden("hands"))
def test_golden_hand_replays(line: dict[str, Any]) -> None:
    assert replay(line) == []


@pytest.mark.parametrize(("given", "answer"), [pytest.param(p, a, id=n) for n, p, a in CASES])
def test_case(given: dict[str, Any], answer: dict[str, Any]) -> None:
    assert score_position(given) == answer


@pytest.mark.parametrize(("given", "field"), [pytest.param(p, f, id=n) for n, p, f in BAD])
def test_malformed_position_names_its_field(given: dict[str, Any], field: str) -> None:
    with pytest.raises(ValueError, match=f"^{field}: "):
        score_position(given)


def test_cases_have_every_row_and_grade() -> None:
    scored: dict[str, set[int]] = {}
    for _, given, answer in CASES:
        for item, points in answer.get("items", []):
            if "options" not in given:
                scored.setdefault(item, set()).add(points)
    for item, value in VALUES.items():
        if item in ("seven_flowers", "eight_flowers"):
            continue  # settlements, no rows of a hand score
        grades = set(value) if isinstance(value, list) else {value} if item in scored else {None}
        per_tile = item in ("flowers", "wind_pongs", "dragon_pongs", "open_gongs", "concealed_gongs", "seat_flower")
        assert per_tile or grades <= scored[item], item
        assert item in scored, item


# --- Shapes -------------------------------------------------------------------------------------------------


def counts_of(text: str) -> list[int]:
    return to_counts(parse_tiles(text))


@pytest.mark.parametrize(
    ("tiles", "open_hand", "closed"),
    [
        ("123456789m123p11122z", True, True),
        ("2277m3399p4466s11z555z", True, False),
        ("2222m3333p4444s11z555z", True, False),
        ("2277m3399p4466s11556z", False, False),
        ("19m119p19s1234567z456s", True, True),
        ("19m1999p9s11234567z9p1s", True, True),
        ("19m19p19s1234567z4578s", False, False),
        ("147m258p369s11234567z", True, False),
        ("159m149p169s12345677z", True, False),
        ("146m258p369s11234567z", False, False),
    ],
)
def test_complete_hands(tiles: str, open_hand: bool, closed: bool) -> None:
    assert is_complete(counts_of(tiles), 0) == open_hand
    assert is_complete(counts_of(tiles), 0, closed=True) == closed


def test_waits_of_special_hands() -> None:
    """Ruling 42: special hands count, and a closed hand has fewer of them (ruling 25)."""
    none = [0] * 34
    assert len(waits(counts_of("19m19p19s1234567z456s"), 0, none)) == 13
    sixteen = counts_of("147m258p369s1234567z")
    assert len(waits(sixteen, 0, none)) == 16 and waits(sixteen, 0, none, closed=True) == []
    pairs = counts_of("1133557799m1133p55z")
    assert len(waits(pairs, 0, none)) == 8 and waits(pairs, 0, none, closed=True) == []
    assert waits(counts_of("78m99p"), 4, counts_of("6666m")) == [tile_of("9m")]


@pytest.mark.parametrize(
    ("tiles", "closed", "lacking"),
    [
        ("2277m3399p4466s11z555z", False, 0),
        ("2277m3399p4466s155z17z", False, 1),
        ("147m258p369s1234567z", False, 1),
        ("147m258p36s1234567z9m", False, 2),
        ("19m19p19s1234567z456s", True, 1),
        ("19m19p19s12345z456s19m", True, 2),
        ("258m258p258s1234567z3m", False, 1),
    ],
)
def test_distance_to_special_hands(tiles: str, closed: bool, lacking: int) -> None:
    assert distance(counts_of(tiles), 0, closed) == lacking


def test_distance_falls_by_one_with_the_right_exchange_and_never_by_two() -> None:
    """With `0 = complete` this makes every distance right: no hand is nearer than its nearest neighbour and one."""
    rng = random.Random(8)
    for start in ("nico", "sixteen", "thirteen"):
        tiles = {
            "nico": "2277m3399p4466s11z555z",
            "sixteen": "147m258p369s11234567z",
            "thirteen": "19m119p19s1234567z456s",
        }[start]
        counts = counts_of(tiles)
        for _ in range(3):
            out = rng.choice([k for k in range(34) if counts[k]])
            into = rng.choice([k for k in range(34) if counts[k] < 4])
            counts[out] -= 1
            counts[into] += 1
        here = distance(counts, 0)
        assert (here == 0) == is_complete(counts, 0)
        exchanges = [(o, i) for o in range(34) for i in range(34) if counts[o] and counts[i] < 4 and o != i]
        rng.shuffle(exchanges)
        lowered = here == 0
        for number, (out, into) in enumerate(exchanges):
            if number > 40 and lowered:
                break
            counts[out] -= 1
            counts[into] += 1
            there = distance(counts, 0)
            counts[out] += 1
            counts[into] -= 1
            assert abs(there - here) <= 1
            lowered = lowered or there == here - 1
        assert lowered


def test_rich_positions_are_valid_and_their_waits_agree_with_distance() -> None:
    rng = random.Random(4)
    seen: Counter[str] = Counter()
    for number in range(600):
        given = rich_position(rng)
        answer = score_position(given)
        seen.update(item for item, _ in answer.get("items", []))
        if number % 20 == 0:
            melds = [parse_meld(entry) for entry in given.get("melds", [])]
            before = counts_of(given["hand"])
            assert (distance(before, len(melds)) == 1) == bool(waits(before, len(melds), [0] * 34))
            before[parse_tiles(given["win_tile"])[0]] += 1
            assert (distance(before, len(melds)) == 0) == is_complete(before, len(melds))
    assert len(seen) > 55


# --- Random play --------------------------------------------------------------------------------------------


class Watcher(Player):
    """A player that looks at every state."""

    def __call__(self, hand: NaiveHand, seat: int, legal: list[str]) -> str:
        assert hand.tiles() == ALL_TILES
        assert legal == sorted(set(legal)) and len(legal) >= 2
        if hand.seats[seat].closed:
            assert "win" in legal and len(legal) == 2
        return super().__call__(hand, seat, legal)


@pytest.mark.parametrize(("make", "n_hands"), [(random_line, 60), (rigged_line, 140)])
def test_random_play(make: Any, n_hands: int) -> None:
    """144 tiles at every decision, scores that move with the pool, and a record that verifies."""
    rng = random.Random(n_hands)
    ends: Counter[str] = Counter()
    for _ in range(n_hands):
        line = make(rng)
        record = play(line, Watcher(rng))
        assert replay(json.loads(json.dumps(record))) == []
        pool = record["next"]["carry"]["pool"]
        assert sum(record["scores"]) == line["carry"]["pool"] - pool
        for s in record["settlements"]:
            assert s["items"] == sorted(s["items"]) and s["tai"] == sum(points for _, points in s["items"])
            moved = {"drawn_pool": s["tai"], "drawn_hand": -20}.get(s["items"][0][0], 0)
            assert sum(s["payments"]) == moved
        kinds = [s["kind"] for s in record["settlements"]]
        assert record["end"] == ("win" if "win" in kinds else "flower" if "flower" in kinds else "draw")
        ends[record["end"]] += 1
    assert ends["draw"] > 5 and ends["win"] > 5


def test_replay_sees_a_changed_record() -> None:
    record = play(rigged_line(random.Random(2)), Player(random.Random(2)))
    assert len(record["decisions"]) > 1 and replay(record) == []
    assert replay({**record, "scores": [1, -1, 0, 0]})
    assert replay({**record, "decisions": record["decisions"][:-1]})
    assert replay({**record, "legal": [["pass"], *record["legal"][1:]]})
    assert replay({**record, "next": {**record["next"], "carry": {"pool": 7}}})


# --- One ruling at a time -----------------------------------------------------------------------------------
# The dealer is seat 0, the East round, no pool, unless said.

APART = "5m1379p2356s4567z1234s"  # a dealer's 17 tiles
WAITS_5M = ["46m111222333p777s11z", "46m444555666p888s22z", "46m777888999p999s33z"]


def hand_of(hands: list[str], draws: str = "", replacements: str = "", **changes: Any) -> NaiveHand:
    line: dict[str, Any] = {
        "rules": "hk16",
        "dealer": 0,
        "streak": 0,
        "prevailing": "1z",
        "dice": [1, 2, 4],
        "carry": {"pool": 0},
        **changes,
    }
    line["wall"] = arranged_wall(line["dealer"], hands, draws, replacements)
    return NaiveHand(line)


def do(hand: NaiveHand, seat: int, text: str) -> None:
    pending = hand.decision()
    assert pending is not None and pending[0] == seat, (pending, seat, text)
    hand.apply(text)


def until(hand: NaiveHand, seat: int, word: str = "discard") -> list[str]:
    """Let all pass and discard what they draw, until the seat is asked with `word` among its actions."""
    while True:
        pending = hand.decision()
        assert pending is not None
        if pending[0] == seat and word in {text.split()[0] for text in pending[1]}:
            return pending[1]
        drawn = hand.seats[pending[0]].drawn
        hand.apply("pass" if "pass" in pending[1] else f"discard {name(drawn)}" if drawn is not None else pending[1][0])


def settled(hand: NaiveHand) -> list[tuple[str, int | None, list[int]]]:
    """What was settled: the item of an instant or Flower settlement, `win` for a win."""
    return [("win" if s["kind"] == "win" else s["items"][0][0], s["winner"], s["payments"]) for s in hand.settlements]


def items(hand: NaiveHand) -> dict[str, int]:
    """The items of the last settlement."""
    return dict(hand.settlements[-1]["items"])


@pytest.mark.parametrize(("die", "points"), [(1, 10), (2, 5), (5, 5), (6, 10)])
def test_dice_triple_is_paid_at_once(die: int, points: int) -> None:
    """Ruling 2."""
    hand = hand_of(["", "", "", ""], dice=[die] * 3, dealer=2)
    assert settled(hand)[0] == ("dice_triple", 2, [-points, -points, 3 * points, -points])


@pytest.mark.parametrize(
    ("flowers", "bouquets"),
    [
        ("1234f", ["pure_bouquet"]),
        ("12345f", ["pure_bouquet", "mixed_bouquet"]),
        ("1278f", ["mixed_bouquet"]),
        ("12678f", ["mixed_bouquet"]),
        ("123678f", ["mixed_bouquet"]),
        # 17 tiles of the dealer, then its first replacement, which completes both.
        ("2346f19m19p147s123456z1f", ["mixed_bouquet", "pure_bouquet"]),
        ("2345f", ["mixed_bouquet"]),
        ("123f", []),
    ],
)
def test_bouquets(flowers: str, bouquets: list[str]) -> None:
    """Ruling 6; a Flower that completes both pays the mixed one first."""
    hand = hand_of([flowers, "", "", ""])
    assert [item for item, winner, _ in settled(hand) if winner == 0] == bouquets


@pytest.mark.parametrize(
    ("seat", "flowers", "item", "points"),
    [
        (1, "1234567f", "seven_flowers", 20),
        (1, "12345678f", "eight_flowers", 40),
        (1, "1234567f19m19p147s12z8f", "eight_flowers", 40),  # the replacement of the seventh is the eighth
        (0, "1234567f", "seven_flowers", 20),
    ],
)
def test_flower_win_on_the_deal(seat: int, flowers: str, item: str, points: int) -> None:
    """Rulings 7 and 8: without a decision, the pool before it, and it counts for the dealer's streak."""
    hands = ["", "", "", ""]
    hands[seat] = flowers
    hand = hand_of(hands, carry={"pool": 40})
    assert hand.decision() is None and hand.end == "flower"
    extra = int(seat != 0)
    change = [-points - extra, -points, -points, -points] if seat else [0, -points, -points, -points]
    change[seat] = 3 * points + extra
    pool = [0, 0, 0, 0]
    pool[seat] = 40
    assert settled(hand)[-2:] == [("drawn_pool", seat, pool), (item, seat, change)]
    assert hand.next == {
        "dealer": 0 if seat == 0 else 1,
        "streak": 1 if seat == 0 else 0,
        "prevailing": "1z",
        "carry": {"pool": 0},
    }


@pytest.mark.parametrize(("round_wind", "points"), [("1z", 20), ("2z", 22), ("3z", 24), ("4z", 26)])
def test_seven_flowers_in_play(round_wind: str, points: int) -> None:
    """Ruling 7, even where the replacement completes the hand (ruling 8)."""
    hand = hand_of([APART, "123456f" + CONCEALED, "", ""], draws="7f", replacements="9m", prevailing=round_wind)
    do(hand, 0, "discard 5m")
    while hand.decision() is not None:
        hand.apply("pass")
    assert hand.end == "flower" and items(hand) == {"seven_flowers": points}


def test_seventh_flower_without_a_replacement_is_a_drawn_hand() -> None:
    """Rulings 7 and 18."""
    hand = hand_of([APART, "123456f", "", ""], draws="7f", carry={"pool": 20})
    hand.wall = hand.wall[:1]
    while hand.decision() is not None:
        hand.apply("discard 5m" if hand.discard_count == 0 else "pass")
    assert hand.end == "draw" and settled(hand)[-1] == ("drawn_hand", None, [-5] * 4)
    assert hand.next == {"dealer": 1, "streak": 0, "prevailing": "1z", "carry": {"pool": 40}}


def test_after_a_claimed_pong_only_discards_and_closing() -> None:
    """Rulings 10 and 11: no win, no Gong; the claimed kind may be discarded."""
    hand = hand_of([APART, "555m1111z123456s12m5p", "", ""])
    do(hand, 0, "discard 5m")
    assert {"pung", "kong"} <= set(until(hand, 1, "pung"))
    hand.apply("pung")
    legal = until(hand, 1)
    assert "discard 5m" in legal and {text.split()[0] for text in legal} <= {"discard", "ready"}


def test_after_a_claimed_gong_further_gongs_of_any_tiles() -> None:
    """Rulings 11 and 13: the claimed Gong begins the turn and counts."""
    hand = hand_of([APART, "555m1111z22z678s99p12s", "", ""], replacements="9p3s")
    do(hand, 0, "discard 5m")
    until(hand, 1, "kong")
    hand.apply("kong")
    assert "kong 1z" in until(hand, 1, "kong")
    hand.apply("kong 1z")
    assert "win" in until(hand, 1, "win")
    hand.apply("win")
    assert items(hand)["gong_after_gong"] == 30 and items(hand)["flower_wall"] == 5
    assert settled(hand)[0] == ("concealed_gong_declared", 1, [-5, 15, -5, -5])


def test_one_gong_is_no_gong_after_gong() -> None:
    hand = hand_of(["1111m23456778s55z999p", "", "", ""], replacements="9s")
    do(hand, 0, "kong 1m")
    assert "win" in until(hand, 0, "win")
    hand.apply("win")
    assert "gong_after_gong" not in items(hand) and "heavenly_hand" not in items(hand)  # ruling 37


def robbed_hand() -> NaiveHand:
    """Seat 1 adds the fourth 5m to its Pong; seats 2 and 3, who passed the first, may rob it."""
    hand = hand_of([APART, "55m19m147s1234567z28p", WAITS_5M[0], WAITS_5M[2]], draws="6z7z6z5m")
    do(hand, 0, "discard 5m")
    do(hand, 2, "pass")
    do(hand, 3, "pass")
    do(hand, 1, "pung")
    do(hand, 1, "discard 2z")
    until(hand, 1)
    hand.apply("kong 5m")
    return hand


@pytest.mark.parametrize(("passes", "winners"), [([], [2, 3]), ([2], [3]), ([3], [2]), ([2, 3], [])])
def test_robbing_a_gong(passes: list[int], winners: list[int]) -> None:
    """Rulings 12, 14 and 15: passing the discard bars no robbing; the Pong stays a Pong."""
    hand = robbed_hand()
    for seat in (2, 3):
        assert hand.decision() == (seat, ["pass", "win"])
        hand.apply("pass" if seat in passes else "win")
    assert [s["winner"] for s in hand.settlements] == winners
    kind, tiles = hand.seats[1].melds[0]
    assert (kind, len(tiles)) == (("pung", 3) if winners else ("kong_added", 4))
    if winners:
        assert all(s["from"] == 1 for s in hand.settlements) and items(hand)["robbing_gong"] == 10


@pytest.mark.parametrize("barred", [True, False])
def test_passing_bars_the_kind_until_ones_own_turn(barred: bool) -> None:
    """Ruling 14."""
    hand = hand_of([APART, "5m", "55m", ""], draws="6z")
    do(hand, 0, "discard 5m")
    assert "pung" in until(hand, 2, "pung")
    hand.apply("pass")
    assert hand.seats[2].passed == {tile_of("5m")}
    until(hand, 1)
    if not barred:
        hand.seats[2].passed.clear()
    hand.apply("discard 5m")
    seat, legal = hand.decision() or (0, [])
    assert seat == 2 and ("pung" in legal) is not barred
    if barred:
        assert any(text.startswith("discard") for text in legal) and hand.seats[2].passed == set()


def test_a_passed_winning_tile_is_barred_too_but_not_ones_own_draw() -> None:
    """Ruling 14."""
    hand = hand_of([APART, "5m", WAITS_5M[0], ""], draws="7z5m")
    do(hand, 0, "discard 5m")
    assert "win" in until(hand, 2, "win")
    hand.apply("pass")
    until(hand, 1)
    hand.apply("discard 5m")
    seat, legal = hand.decision() or (0, [])
    assert seat == 2 and {"win", "discard 5m"} <= set(legal)  # asked at its own draw of 5m, not at the discard


@pytest.mark.parametrize(("others_pass", "next_"), [(False, (1, 0)), (True, (0, 2))])
def test_dealer_wins_with_another(others_pass: bool, next_: tuple[int, int]) -> None:
    """Rulings 15, 26 and 28: all win, in turn order from the payer; the dealer stays only alone."""
    hand = hand_of([WAITS_5M[0] + "7z", "", WAITS_5M[1], ""], draws="5m", streak=1)
    do(hand, 0, "discard 7z")
    until(hand, 1)
    hand.apply("discard 5m")
    do(hand, 2, "pass" if others_pass else "win")
    do(hand, 0, "win")
    assert [s["winner"] for s in hand.settlements] == ([0] if others_pass else [2, 0])
    assert items(hand)["dealer_streak"] == 3
    assert hand.next is not None and (hand.next["dealer"], hand.next["streak"]) == next_


@pytest.mark.parametrize(
    ("dealer", "streak", "wind", "expected"),
    [(0, 1, "1z", (0, 2, "1z")), (0, 2, "1z", (1, 0, "1z")), (3, 2, "1z", (0, 0, "2z")), (3, 2, "4z", (0, 0, "1z"))],
)
def test_third_win_passes_the_deal(dealer: int, streak: int, wind: str, expected: tuple[int, int, str]) -> None:
    """Rulings 26 and 27, by the dealer's Heavenly hand."""
    hands = ["", "", "", ""]
    hands[dealer] = CONCEALED + "9m"
    hand = hand_of(hands, dealer=dealer, streak=streak, prevailing=wind, carry={"pool": 20})
    assert "win" in until(hand, dealer, "win")
    hand.apply("win")
    assert items(hand)["heavenly_hand"] == 100 and settled(hand)[0][0] == "drawn_pool"
    assert hand.next is not None
    assert (hand.next["dealer"], hand.next["streak"], hand.next["prevailing"]) == expected


def test_earthly_hand() -> None:
    hand = hand_of([APART, WAITS_5M[0], "", ""])
    do(hand, 0, "discard 5m")
    do(hand, 1, "win")
    assert items(hand)["earthly_hand"] == 90 and hand.settlements[0]["from"] == 0


@pytest.mark.parametrize(("wind", "offered"), [("2z", True), ("3z", False)])
def test_win_is_offered_from_the_minimum_on(wind: str, offered: bool) -> None:
    """Ruling 19: the self-drawn hand is worth 22."""
    hand = hand_of([APART, CONCEALED, "", ""], draws="9m", prevailing=wind)
    hand.discard_count = 20
    do(hand, 0, "discard 5m")
    assert ("win" in until(hand, 1)) == offered


def test_last_tile() -> None:
    """Rulings 11, 16, 17 and 18: no Gong, the discard can only be won, then the hand is drawn."""
    hand = hand_of([APART, "1111z123456m78p55s99s", "", ""], draws="9p")
    hand.wall = hand.wall[:1]
    do(hand, 0, "discard 7z")
    legal = until(hand, 1)
    assert not [text for text in legal if text.startswith("kong")]
    hand.seats[2].hand = [2] * 34
    assert hand._pong_gong_actions(2, tile_of("1z")) == [] == hand._sheung_actions(1, 2, tile_of("5p"))
    hand.seats[2].hand = [0] * 34
    hand.apply("discard 1z")
    assert hand.decision() is None and hand.end == "draw" and hand.scores == [-5] * 4


def test_seabed() -> None:
    """Rulings 17, 18 and 38: the last tile, of the Flower wall or not."""
    hand = hand_of([APART, CONCEALED, "", ""], draws="9m", carry={"pool": 60})
    hand.wall = hand.wall[:1]
    do(hand, 0, "discard 5m")
    assert "win" in until(hand, 1)
    hand.apply("win")
    assert items(hand)["seabed"] == 20 and settled(hand)[0] == ("drawn_pool", 1, [0, 60, 0, 0])


@pytest.mark.parametrize(("tile", "points"), [("6z", 5), ("9p", 10)])
def test_chasing(tile: str, points: int) -> None:
    """Ruling 21: the first discarder pays each other."""
    hand = hand_of([tile + "5m137p2356s457z1234s", "", "", ""], draws=tile * 3)
    for seat in range(4):
        until(hand, seat)
        hand.apply(f"discard {tile}")
    change = [points] * 4
    change[0] = -3 * points
    assert settled(hand)[0] == ("chasing", None, change) and hand.settlements[0]["from"] == 0


def test_no_chase_once_the_first_discarder_has_begun_a_turn() -> None:
    hand = hand_of(["6z5m1379p2356s457z1234s", "", "", ""], draws="6z5z6z7z6z")
    for seat, tile in zip((0, 1, 2, 3, 0, 1), ("6z", "6z", "5z", "6z", "7z", "6z"), strict=True):
        until(hand, seat)
        hand.apply(f"discard {tile}")
    assert len(hand.discarded[tile_of("6z")]) == 4 and settled(hand) == []


@pytest.mark.parametrize("closed", [False, True])
def test_west_wind_is_not_chased(closed: bool) -> None:
    """Ruling 22: the fourth is no legal discard; a closed hand discards it, and nothing is paid."""
    hand = hand_of(["3z5m1379p2356s457z1234s", "", "", WAITS_5M[0]], draws="3z3z3z")
    hand.seats[3].closed = closed
    for seat in range(3):
        until(hand, seat)
        hand.apply("discard 3z")
    if closed:
        while len(hand.discarded[tile_of("3z")]) < 4:
            hand.apply("pass")
    else:
        assert not {"discard 3z", "ready 3z"} & set(until(hand, 3))
    assert settled(hand) == []


def test_closing_is_offered_with_a_wait_that_a_closed_hand_has() -> None:
    """Ruling 23: not for Nico Nico or 16 Orphans, but for 13 Orphans, and not with five exposed melds."""
    for tiles, legal in (
        ("147m258p369s1234567z1m", set()),
        ("2277m3399p4466s11z55z9s", set()),
        ("19m19p19s1234567z456s2p", {"ready 2p"}),
        (WAITS_5M[0] + "7z", {"ready 7z"}),
    ):
        hand = hand_of([tiles, "", "", ""])
        assert {text for text in until(hand, 0) if text.startswith("ready")} == legal
    me = hand.seats[1]
    me.hand = to_counts(tiles_of("5m7z"))
    me.melds = [("chow", [0, 1, 2])] * 5
    assert hand._discard_actions(1) == ["discard 5m", "discard 7z"]
    me.melds = [("chow", [0, 1, 2])] * 4 + [("kong_concealed", [9] * 4)]
    assert "ready 5m" in hand._discard_actions(1)


def test_a_closed_hand_plays_by_itself() -> None:
    """Ruling 24: no Gong, no claim but a win."""
    hand = hand_of([WAITS_5M[0] + "7z", "", "", ""], draws="9m9m9m1z5z6z7z7s1z6z5z5m")
    do(hand, 0, "ready 7z")
    assert hand.seats[0].closed
    while hand.decision() is not None:
        seat, legal = hand.decision() or (0, [])
        if seat == 0:
            assert "win" in legal and len(legal) == 2
            hand.apply("win")
        else:
            drawn = hand.seats[seat].drawn
            hand.apply("pass" if "pass" in legal else f"discard {name(drawn)}" if drawn is not None else legal[0])
    assert items(hand)["closed_hand"] == 5
    assert {text.split()[0] for seat, text in hand.log if seat == 0} == {"ready", "discard", "win"}


def test_claims_go_in_stages_and_a_pong_beats_a_sheung() -> None:
    """A win is asked first, then Pong and Gong, then the next seat's Sheung."""
    hand = hand_of([APART, "34m19p147s1234567z28p", "55m1199p258s", ""])
    do(hand, 0, "discard 5m")
    assert hand.decision() == (2, ["pass", "pung"])
    hand.apply("pass")
    assert hand.decision() == (1, ["chow 34m", "pass"])
    hand.apply("chow 34m")
    assert hand.seats[1].melds == [("chow", [2, 3, 4])]
