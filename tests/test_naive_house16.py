"""The plain twin of ``house16``: golden lines, cases by hand, invariants of random play, one ruling at a time."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests import naive, naive_house16, naive_house16_flow
from tests.house16_cases import BAD, CASES, Case, rich_position
from tests.naive import parse_tiles, to_counts
from tests.naive_flow import tile_of
from tests.naive_house16 import VALUES, distance, score_position
from tests.naive_house16_flow import ALL_TILES, Greedy, NaiveHand, arranged_wall, play, random_line, replay, rigged_line
from tests.test_naive_flow import do, until

GOLDEN = Path(__file__).parent / "golden"


def golden_lines(kind: str) -> list[Any]:
    found = []
    for path in sorted(GOLDEN.glob(f"house16.{kind}.jsonl")):
        for number, text in enumerate(path.read_text().splitlines()):
            found.append(pytest.param(json.loads(text), id=f"{path.name}:{number + 1}"))
    return found


@pytest.mark.parametrize("line", golden_lines("hands"))
def test_golden_hand_replays(line: dict[str, Any]) -> None:
    assert replay(line) == []


@pytest.mark.parametrize("line", golden_lines("positions"))
def test_golden_position_has_its_answer(line: dict[str, Any]) -> None:
    assert score_position(line["position"]) == line["answer"]


# --- positions and shapes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_case(case: Case) -> None:
    assert score_position(case[1]) == case[2]


def test_cases_cover_the_items() -> None:
    scored = {item for _, _, answer in CASES if answer["win"] for item, _ in answer["items"]}
    assert scored == set(VALUES) - {"seven_robs_one"}  # a settlement of play only


@pytest.mark.parametrize(("position", "field"), [bad[1:] for bad in BAD], ids=[bad[0] for bad in BAD])
def test_bad_position_names_its_field(position: dict[str, Any], field: str) -> None:
    with pytest.raises(ValueError, match=f"^{field}:"):
        score_position(position)


def test_rich_positions_are_complete_and_rich() -> None:
    rng = random.Random(4)
    seen: Counter[str] = Counter()
    for _ in range(1500):
        position = rich_position(rng)
        answer = score_position(position)
        assert answer["win"] and sum(answer["payments"]) == 0
        seen.update([position["by"], *(item for item, _ in answer["items"])])
    assert set(VALUES) - set(seen) == {"seven_robs_one"}
    assert min(seen[by] for by in ("self_draw", "discard", "rob_kong")) > 50


@pytest.mark.parametrize(
    ("hand", "n_melds", "expected"),
    [
        ("1199m2244p3377s55666z", 0, 0),
        ("1199m2244p3377s5566z", 0, 1),
        ("1199m2244p3377s556z1s", 0, 2),
        ("1111m2244p3377s5566z", 0, 1),
        ("1119m2228p3337s4441z", 0, 3),
        ("123456789m123p45s77z", 0, 1),
        ("13579m13579p13579s1z", 0, 6),
        ("7p", 5, 1),
        ("19p45s", 4, 2),
    ],
)
def test_distance(hand: str, n_melds: int, expected: int) -> None:
    assert distance(to_counts(parse_tiles(hand)), n_melds) == expected


def test_shapes_agree_with_each_other() -> None:
    """Both ``is_complete``, the waits and the distance of hands near to both structures."""
    rng = random.Random(6)
    seen: Counter[int] = Counter()
    for _ in range(250):
        left = [4] * 34
        palette = rng.choice(naive_house16_flow.PALETTES)
        if rng.random() < 0.5:
            n_melds, tiles = 0, naive_house16_flow.random_seven_pairs(rng, left, palette)
        else:
            n_melds = rng.randint(0, 4)
            groups = naive_house16_flow.random_groups(rng, left, palette, 5 - n_melds, 0.4)
            tiles = [tile for group in groups for tile in group]
        n_changed = rng.randint(0, 3)
        for _ in range(n_changed):
            tiles.remove(rng.choice(tiles))
            kind = rng.choice([kind for kind in palette if tiles.count(kind) < 4] or [0])
            tiles.append(kind)
        counts = to_counts(tiles)
        lacking = distance(counts, n_melds)
        assert lacking <= n_changed
        complete = naive_house16.is_complete(counts, n_melds)
        assert complete == (lacking == 0) == naive_house16_flow.is_complete(counts, n_melds)
        one = rng.choice(tiles)
        counts[one] -= 1
        assert distance(counts, n_melds) in (lacking, lacking + 1)
        assert bool(naive_house16.waits(counts, n_melds, [0] * 34)) == (distance(counts, n_melds) == 1)
        seen[lacking] += 1
    assert all(seen[lacking] > 10 for lacking in (0, 1, 2))


# --- random play ------------------------------------------------------------------------------------------


def part_of_dealer(line: dict[str, Any], winner: int, payer: int) -> int:
    """Ruling 25, once more."""
    return 1 + 2 * line["streak"] if line["dealer"] in (winner, payer) else 0


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("make", [random_line, rigged_line])
def test_random_play(make: Any, seed: int) -> None:
    """144 tiles at every decision, payments by the page, and a record that verifies."""
    rng = random.Random(seed)
    ends: Counter[str] = Counter()
    for _ in range(50):
        line = make(rng, "house16", rng.choice([{}, {"items": {"dragon_pung": 1, "seat_wind": 2}}]))
        greedy = Greedy(rng)

        def choose(hand: NaiveHand, seat: int, legal: list[str], greedy: Greedy = greedy) -> str:
            assert hand.tiles() == ALL_TILES and hand.drawable() >= 0
            assert legal == sorted(set(legal)) and len(legal) >= 2
            for other, him in enumerate(hand.seats):
                held = sum(him.hand) + 3 * len(him.melds)
                assert held in ((16, 17) if other == seat else (16,)) or "discard" not in legal[0]
            return greedy(hand, seat, legal)

        record = play(line, choose)
        assert replay(json.loads(json.dumps(record))) == []
        ends[record["end"]] += 1
        assert len(record["settlements"]) == (record["end"] != "draw")
        for settlement in record["settlements"]:
            assert settlement["items"] == sorted(settlement["items"])
            winner, payer, tai = (settlement[key] for key in ("winner", "from", "tai"))
            assert tai == sum(points for _, points in settlement["items"])
            shares = {
                seat: tai + part_of_dealer(line, winner, seat)
                for seat in range(4)
                if seat != winner and payer in (None, seat)
            }
            expected = [-shares.get(seat, 0) if seat != winner else sum(shares.values()) for seat in range(4)]
            assert settlement["payments"] == expected == record["scores"]
    assert ends["win"] > 5 and ends["draw"] > 5
    if make is rigged_line:
        assert ends["flower"] > 3


def test_replay_sees_a_changed_record() -> None:
    rng = random.Random(1)
    record = next(r for r in (play(random_line(rng), Greedy(rng)) for _ in range(50)) if r["end"] == "win")
    assert replay(record) == []
    assert replay({**record, "scores": [1, -1, 0, 0]})
    assert replay({**record, "end": "draw"})
    assert replay({**record, "next": {**record["next"], "streak": 99}})
    assert replay({**record, "decisions": record["decisions"][:-1]})
    assert replay({**record, "decisions": [[9, "pass"], *record["decisions"]]})
    assert replay({**record, "legal": [["pass"], *record["legal"][1:]]})


# --- one ruling at a time ---------------------------------------------------------------------------------
# The dealer is seat 0; 16 tiles each, then the dealer draws the first of ``draws``.

APART_15 = "1379m1479p258s1234z"  # 15 tiles that nothing completes; a 16th comes at random
STRAIGHT_2P = "123456789m11777s13p"  # waits for 2p alone
WAITS_5M = ["46m111222333p777s11z", "46m444555666p888s22z", "46m777888999p999s33z"]


def hand_of(hands: list[str], draws: str = "", replacements: str = "", **changes: Any) -> NaiveHand:
    line = {"rules": "house16", "dealer": 0, "streak": 0, "prevailing": "1z", "east": 0, "dice": [1, 2, 4], **changes}
    line["wall"] = arranged_wall(line["dealer"], hands, draws, replacements)
    return NaiveHand(line)


def items(hand: NaiveHand) -> dict[str, int]:
    assert len(hand.settlements) == 1
    return dict(hand.settlements[0]["items"])


def settled(hand: NaiveHand) -> tuple[str, int, int | None]:
    assert hand.decision() is None and len(hand.settlements) == 1
    return tuple(hand.settlements[0][key] for key in ("kind", "winner", "from"))  # type: ignore[return-value]


def words(hand: NaiveHand) -> set[str]:
    pending = hand.decision()
    assert pending is not None
    return {text.split()[0] for text in pending[1]}


def test_opening_flowers_seat_by_seat() -> None:
    """Ruling 3: the dealer's further flower comes before the next seat's first; then the first draw (2)."""
    wall = arranged_wall(0, ["", "", "", ""])
    flowers = [tile for tile in wall if tile >= 34]
    rest = [tile for tile in wall if tile < 34]
    wall = [flowers[0], *rest[:3], flowers[1], *rest[3:70], *flowers[3:], *rest[70:], flowers[2]]
    line = {"rules": "house16", "dealer": 0, "prevailing": "1z", "east": 0, "dice": [1, 1, 1], "wall": wall}
    hand = NaiveHand(line)
    assert [seat.flowers[:2] for seat in hand.seats[:2]] == [[flowers[0], flowers[2]], [flowers[1]]]
    dealt = rest[:3] + rest[14:18] + rest[30:34] + rest[46:50]
    dealt_1 = rest[3:6] + rest[18:22] + rest[34:38] + rest[50:54]
    assert hand.opening[:2] == [[*dealt, rest[-1]], [*dealt_1, rest[-2]]]
    assert hand.seats[0].drawn == rest[62]


def test_first_turn_of_the_dealer_is_a_draw() -> None:
    """Rulings 2, 16, 26: the tile of the first draw is the winning tile."""
    hand = hand_of([STRAIGHT_2P, "", "", ""], draws="2p", streak=3)
    assert hand.decision() is not None and "win" in words(hand)
    hand.apply("win")
    assert items(hand) == {"base_win": 1, "self_drawn": 1, "single_wait": 1, "straight": 4}
    assert hand.scores == [42, -14, -14, -14]
    assert hand.next == {"dealer": 0, "streak": 4, "prevailing": "1z"}


@pytest.mark.parametrize(
    ("dealer", "prevailing", "expected"),
    [(0, "1z", (1, "1z")), (3, "1z", (0, "2z")), (3, "4z", (0, "1z"))],
)
def test_next_hand_after_another_wins(dealer: int, prevailing: str, expected: tuple[int, str]) -> None:
    """Rulings 26, 27."""
    hands = ["", "", "", ""]
    winner = (dealer + 1) % 4
    hands[winner] = STRAIGHT_2P
    changes = {"dealer": dealer, "east": dealer, "prevailing": prevailing, "streak": 5}
    hand = hand_of(hands, draws="2p", **changes)
    until(hand, dealer)
    hand.apply("discard 2p")
    until(hand, winner, "win")
    hand.apply("win")
    assert settled(hand) == ("win", winner, dealer) and hand.scores[winner] == 1 + 1 + 4 + 11
    assert hand.next == {"dealer": expected[0], "streak": 0, "prevailing": expected[1]}


@pytest.mark.parametrize(("passes", "winner"), [([], 1), ([1], 2), ([2], 1), ([1, 2], 3), ([1, 2, 3], None)])
def test_all_are_asked_and_the_nearest_wins_alone(passes: list[int], winner: int | None) -> None:
    """Ruling 8."""
    hand = hand_of([APART_15, *WAITS_5M], draws="5m")
    do(hand, 0, "discard 5m")
    for seat in (1, 2, 3):
        do(hand, seat, "pass" if seat in passes else "win")
    if winner is None:
        assert hand.settlements == []
    else:
        assert settled(hand) == ("win", winner, 0)


def test_win_beats_pung_and_pung_beats_chow() -> None:
    """Ruling 8, and the stages of the formats page."""
    hands = [APART_15, "34m2356p113467s9s567z", "55m2356p13467s22567z", WAITS_5M[2]]
    hand = hand_of(hands, draws="5m")
    do(hand, 0, "discard 5m")
    assert hand.decision() == (3, ["pass", "win"])
    do(hand, 3, "pass")
    assert hand.decision() == (2, ["pass", "pung"])
    do(hand, 2, "pass")
    assert hand.decision() == (1, ["chow 34m", "pass"])
    do(hand, 1, "chow 34m")
    assert hand.seats[1].melds == [("chow", parse_tiles("345m"))] and hand.seats[0].discards == []

    hand = hand_of(hands, draws="5m")
    do(hand, 0, "discard 5m")
    do(hand, 3, "win")
    assert settled(hand) == ("win", 3, 0)


def test_after_a_claim_only_discards_and_any_of_them() -> None:
    """Ruling 7: no kong, no win, and the claimed kind may be discarded at once."""
    hand = hand_of([APART_15, "55567m6666p333444s1s", "", ""], draws="5m")
    do(hand, 0, "discard 5m")
    assert until(hand, 1, "chow") == ["chow 67m", "kong", "pass", "pung"]  # a kong from the previous player too
    hand.apply("chow 67m")
    legal = ["discard 1s", "discard 3s", "discard 4s", "discard 5m", "discard 6p"]
    assert hand.decision() == (1, legal)

    # The 17 tiles with the pung are complete, yet nothing was drawn.
    hand = hand_of([APART_15, "55m123456789p11122s", "", ""], draws="5m")
    do(hand, 0, "discard 5m")
    until(hand, 1, "pung")
    assert "win" in words(hand)
    hand.apply("pung")
    assert naive_house16_flow.is_complete(hand.seats[1].hand, 1) and words(hand) == {"discard"}


def test_kongs_follow_each_other_and_the_replacement_may_win() -> None:
    """Rulings 7, 4: a claimed kong from the previous player, then concealed ones; a flower between."""
    hand = hand_of([APART_15, "555m6666p3333s44477z", "", ""], draws="5m", replacements="6s1f3z6s7z", streak=1)
    do(hand, 0, "discard 5m")
    until(hand, 1, "kong")
    hand.apply("kong")
    assert hand.seats[1].melds == [("kong_exposed", [4] * 4)] and "win" not in words(hand)
    do(hand, 1, "kong 6p")
    assert hand.seats[1].flowers == [34]
    do(hand, 1, "kong 3s")
    assert "win" not in words(hand)


def test_winning_on_a_replacement_is_a_self_draw() -> None:
    """Rulings 7, 9: all three pay, and the kong gives nothing."""
    hand = hand_of([APART_15, "555m123p123s444z78s66z", "", ""], draws="5m", replacements="9s")
    do(hand, 0, "discard 5m")
    until(hand, 1, "kong")
    hand.apply("kong")
    do(hand, 1, "win")
    assert items(hand) == {"base_win": 1, "self_drawn": 1} and hand.scores == [-3, 7, -2, -2]


@pytest.mark.parametrize(("passes", "winner"), [([], 2), ([2], 3), ([2, 3], None)])
def test_robbing_an_added_kong(passes: list[int], winner: int | None) -> None:
    """Rulings 8, 23: counted and paid from the maker, whose kong is not made."""
    hands = [APART_15, "55m19m147s1234567z28p", WAITS_5M[0], WAITS_5M[2]]
    hand = hand_of(hands, draws="5m6z7z6z5m")
    do(hand, 0, "discard 5m")
    do(hand, 2, "pass")
    do(hand, 3, "pass")
    do(hand, 1, "pung")
    do(hand, 1, "discard 2z")
    for seat, text in ((2, "6z"), (3, "7z"), (0, "6z")):
        until(hand, seat)
        hand.apply(f"discard {text}")
    until(hand, 1, "kong")
    hand.apply("kong 5m")
    for seat in (2, 3):
        do(hand, seat, "pass" if seat in passes else "win")
    if winner is None:
        assert hand.seats[1].melds[0][0] == "kong_added" and hand.end is None
    else:
        assert settled(hand) == ("win", winner, 1) and "self_drawn" not in items(hand)
        assert hand.seats[1].melds == [("pung", [4] * 3)]


def test_a_concealed_kong_cannot_be_robbed() -> None:
    """Ruling 8."""
    hand = hand_of(["555m1379p258s12345z6z", *WAITS_5M[:1], "", ""], draws="5m", replacements="7z")
    do(hand, 0, "kong 5m")
    assert hand.decision()[0] == 0 and words(hand) == {"discard"}  # type: ignore[index]


def test_passing_a_win_has_no_consequence() -> None:
    """Ruling 9: a win passed is offered again in the same round, and after one's own complete draw."""
    hand = hand_of([APART_15, "", WAITS_5M[1], ""], draws="5m5m5m")
    do(hand, 0, "discard 5m")
    do(hand, 2, "pass")
    until(hand, 1)
    hand.apply("discard 5m")
    assert "win" in until(hand, 2, "win")
    hand.apply("pass")
    assert "win" in until(hand, 2)


def test_seven_pairs_are_won_in_play() -> None:
    """Ruling 20, from a discard, and not after a concealed kong."""
    pairs = "6666m2244p3377s5566z"
    hand = hand_of([APART_15, pairs, "", ""], draws="6z")
    do(hand, 0, "discard 6z")
    until(hand, 1, "win")
    hand.apply("win")
    assert items(hand) == {"base_win": 1, "seven_pairs": 8}
    hand = hand_of([APART_15, pairs, "", ""], draws="7z6z6z", replacements="9s")
    do(hand, 0, "discard 7z")
    assert {"win", "kong 6m"} <= set(until(hand, 1))
    hand.apply("kong 6m")
    assert "win" not in words(hand)


# --- the end of the wall ----------------------------------------------------------------------------------


def test_the_last_discard_can_be_claimed_but_for_a_kong() -> None:
    """Rulings 5, 6."""
    hand = hand_of([APART_15, "", "555m147s1234567z28p1s", ""], draws="5m")
    hand.wall = hand.wall[:16]
    do(hand, 0, "discard 5m")
    until(hand, 2, "pung")
    assert hand.decision() == (2, ["pass", "pung"])
    hand.apply("pung")
    do(hand, 2, "discard 5m")
    while hand.decision() is not None:
        hand.apply("pass")
    assert hand.end == "draw" and hand.scores == [0, 0, 0, 0]
    assert hand.next == {"dealer": 0, "streak": 1, "prevailing": "1z"}


def test_no_own_kong_without_a_replacement() -> None:
    """Ruling 6: seat 1 draws the last tile, or the last but one."""
    for n_left, offered in ((1, False), (2, True)):
        hand = hand_of([APART_15, "5555z123456m78p55s9s", "", ""], draws="7z9p")
        hand.wall = hand.wall[: 16 + n_left]
        do(hand, 0, "discard 7z")
        until(hand, 1)
        assert ("kong" in words(hand)) == offered and "discard 9p" in hand.decision()[1]  # type: ignore[index]


def test_a_flower_as_the_last_tile_ends_the_hand() -> None:
    """Ruling 5."""
    hand = hand_of([APART_15, "", "", ""], draws="7z1f")
    hand.wall = hand.wall[:17]
    do(hand, 0, "discard 7z")
    while hand.decision() is not None:
        hand.apply("pass")
    assert hand.end == "draw" and hand.seats[1].flowers == [34] and hand.settlements == []


# --- Seven Rob One ----------------------------------------------------------------------------------------

SEVEN, SIX = "1234567f", "123456f"
FLOWER_WIN = {"base_win": 1, "seven_robs_one": 8}


def test_another_reveals_the_eighth() -> None:
    """Rulings 10, 13: at once, before the revealer has its tile; nobody is asked, no one else pays."""
    hand = hand_of([APART_15, "", SEVEN, ""], draws="7z8f", replacements="3p", streak=2)
    do(hand, 0, "discard 7z")
    while hand.decision() is not None:
        hand.apply("pass")
    assert settled(hand) == ("flower", 2, 1) and items(hand) == FLOWER_WIN
    assert hand.scores == [0, -9, 9, 0] and hand.end == "flower"
    assert sum(hand.seats[2].hand) == 17 and sum(hand.seats[1].hand) == 16
    assert hand.next == {"dealer": 1, "streak": 0, "prevailing": "1z"}


def test_the_dealers_part_of_a_flower_win() -> None:
    """Ruling 13, 26: the dealer robbed on its first draw, and the dealer robbing."""
    hand = hand_of([APART_15, "", SEVEN, ""], draws="8f", streak=2)
    assert settled(hand) == ("flower", 2, 0) and hand.scores == [-14, 0, 14, 0]
    hand = hand_of([SEVEN, "", "", ""], draws="7z8f", streak=2)
    until(hand, 0)
    hand.apply("discard 7z")
    while hand.decision() is not None:
        hand.apply("pass")
    assert settled(hand) == ("flower", 0, 1) and hand.scores == [14, -14, 0, 0]
    assert hand.next == {"dealer": 0, "streak": 3, "prevailing": "1z"}


@pytest.mark.parametrize(("n_left", "end"), [(1, "draw"), (2, "flower")])
def test_the_eighth_needs_a_replacement(n_left: int, end: str) -> None:
    """Ruling 10: with no tile left for it there is no flower win."""
    hand = hand_of([APART_15, "", SEVEN, ""], draws="7z8f")
    hand.wall = hand.wall[: 16 + n_left]
    do(hand, 0, "discard 7z")
    while hand.decision() is not None:
        hand.apply("pass")
    assert hand.end == end and len(hand.settlements) == (end == "flower")


@pytest.mark.parametrize(("n_left", "end"), [(1, "draw"), (2, "flower")])
def test_a_seventh_robs_the_eighth_after_its_replacement(n_left: int, end: str) -> None:
    """Ruling 11: even where the replacement completes a dearer hand."""
    hand = hand_of(["8f" + APART_15, SIX + STRAIGHT_2P, "", ""], draws="7z7f", replacements="2p", streak=1)
    hand.wall = hand.wall[:17] if n_left == 1 else hand.wall
    do(hand, 0, "discard 7z")
    while hand.decision() is not None:
        hand.apply("pass")
    assert hand.end == end
    if end == "flower":
        assert settled(hand) == ("flower", 1, 0) and items(hand) == FLOWER_WIN and hand.scores == [-12, 12, 0, 0]
        assert hand.seats[1].hand[tile_of("2p")] == 1


def test_the_seventh_of_a_kongs_replacement() -> None:
    """Ruling 11, at a replacement within a turn."""
    hand = hand_of(["8f" + APART_15, SIX + "6666p", "", ""], draws="7z9s", replacements="7f")
    do(hand, 0, "discard 7z")
    until(hand, 1, "kong")
    hand.apply("kong 6p")
    assert settled(hand) == ("flower", 1, 0)


def test_seven_to_one_after_the_opening() -> None:
    """Ruling 12: the dealer at once; another with its first draw, though it completes a dearer hand."""
    hand = hand_of([SEVEN, "8f", "", ""])
    assert settled(hand) == ("flower", 0, 1) and hand.log == []
    hand = hand_of([APART_15, SEVEN + STRAIGHT_2P, "8f", ""], draws="7z2p")
    do(hand, 0, "discard 7z")
    while hand.decision() is not None:
        hand.apply("pass")
    assert settled(hand) == ("flower", 1, 2) and items(hand) == FLOWER_WIN and (1, "win") not in hand.log


@pytest.mark.parametrize(
    ("held", "claim"),
    [("55m19p258s1234567z2p", "pung"), ("555m19p258s1234567z", "kong"), ("46m19p258s1234567z2p", "chow 46m")],
)
def test_seven_to_one_by_a_first_claim(held: str, claim: str) -> None:
    """Ruling 12: the claim gives the extra tile, and there is no discard."""
    robber = 1 if claim.startswith("chow") else 2
    hands = [APART_15, "", "", "8f"]
    hands[robber] = SEVEN + held
    hand = hand_of(hands, draws="5m")
    do(hand, 0, "discard 5m")
    until(hand, robber, claim.split()[0])
    hand.apply(claim)
    assert settled(hand) == ("flower", robber, 3)
    assert sum(hand.seats[robber].hand) == 14


def test_seven_to_one_others_may_win_before_and_so_may_the_seven() -> None:
    """Ruling 12."""
    for winner in (1, 2):
        hands = [APART_15, "", "", "8f"]
        hands[winner] = WAITS_5M[0]
        hands[2] = SEVEN + hands[2]
        hand = hand_of(hands, draws="5m")
        do(hand, 0, "discard 5m")
        until(hand, winner, "win")
        hand.apply("win")
        assert settled(hand) == ("win", winner, 0)
        assert items(hand).get("flower") == (7 if winner == 2 else None)


def test_all_eight_by_oneself_win_nothing() -> None:
    """Ruling 14, drawn in the opening or in play."""
    for hands, draws in (([APART_15, SEVEN + "8f", "", ""], "7z"), ([APART_15, SEVEN, "", ""], "7z8f")):
        hand = hand_of(hands, draws=draws)
        do(hand, 0, "discard 7z")
        until(hand, 1)
        assert len(hand.seats[1].flowers) == 8 and "flower_win" not in words(hand) and hand.settlements == []


def test_a_seventh_while_the_eighth_is_in_the_wall_wins_nothing_yet() -> None:
    """Rulings 10, 11: seven alone go on; then the eighth is robbed."""
    hand = hand_of([APART_15, SIX, "", ""], draws="7z7f4z8f")
    do(hand, 0, "discard 7z")
    until(hand, 1)
    assert len(hand.seats[1].flowers) == 7
    hand.apply("discard " + naive.format_tiles([hand.seats[1].drawn]))  # type: ignore[list-item]
    while hand.decision() is not None and hand.seats[3].drawn is None:
        pending = hand.decision()
        assert pending is not None
        hand.apply("pass" if "pass" in pending[1] else "discard 4z")
    assert settled(hand) == ("flower", 1, 3)


def test_flower_points_follow_the_options() -> None:
    hand = hand_of([SEVEN, "8f", "", ""], options={"items": {"seven_robs_one": 10, "base_win": 0}})
    assert items(hand) == {"seven_robs_one": 10} and hand.scores == [11, -11, 0, 0]
