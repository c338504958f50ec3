"""The plain `four-winds` oracle: golden files, hand-worked positions, invariants of random play, rulings of the flow."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests import naive
from tests.four_winds_cases import BAD, CASES, position, rich_position
from tests.naive import format_tiles, parse_tiles, to_counts
from tests.naive_flow import arranged_wall, name, tile_of
from tests.naive_four_winds import (
    NOT_BESIDE,
    VALUES,
    distance,
    is_complete,
    score_position,
    seven_pairs_distance,
    waits,
)
from tests.naive_four_winds_flow import FULL_SET, NaiveHand, Player, play, random_line, replay, rigged_line

GOLDEN = Path(__file__).parent / "golden"


def golden(kind: str) -> list[Any]:
    """The objects of a golden file; one skipped parameter where the file is not there."""
    path = GOLDEN / f"four-winds.{kind}.jsonl"
    if not path.exists():
        return [pytest.param({}, marks=pytest.mark.skip(reason=f"no {path.name}"))]
    return [pytest.param(json.loads(text), id=str(i + 1)) for i, text in enumerate(path.read_text().splitlines())]


# --- Golden files and hand-worked positions -------------------------------------------------------------------------


@pytest.mark.parametrize("line", golden("positions"))
def test_golden_position_has_its_answer(line: dict[str, Any]) -> None:
    assert score_position(line["position"]) == line["answer"]


@pytest.mark.parametrize("line", golden("hands"))
def test_golden_hand_replays(line: dict[str, Any]) -> None:
    assert line["legal"] and replay(line) == []


@pytest.mark.parametrize(("given", "wanted"), [pytest.param(given, wanted, id=name) for name, given, wanted in CASES])
def test_case(given: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert score_position(given) == wanted


def test_cases_have_every_item_and_every_exclusion() -> None:
    """An item that another keeps out must occur alone in some case, and the keeper in one too."""
    seen = {item for _, _, wanted in CASES for item, _ in wanted.get("items", [])}
    assert set(VALUES) - seen == {"eight_immortals", "seven_robs_one"}
    for keeper, others in NOT_BESIDE.items():
        for _, _, wanted in CASES:
            names = {item for item, _ in wanted.get("items", [])}
            assert keeper not in names or not names & set(others)
    assert len({case_name for case_name, _, _ in CASES}) == len(CASES)


@pytest.mark.parametrize(("given", "field"), [pytest.param(given, field, id=name) for name, given, field in BAD])
def test_malformed_position_names_its_field(given: dict[str, Any], field: str) -> None:
    with pytest.raises(ValueError, match=f"^{field}: "):
        score_position(given)


def test_items_option_changes_and_switches_off() -> None:
    given = position("345567p2399s", "4s", melds="chow 234m, chow 567m", flowers="")
    cheap = score_position({**given, "options": {"items": {"all_chows_no_honors_no_flowers": 4}}})
    assert dict(cheap["items"]) == {"winning_hand": 2, "all_chows_no_honors_no_flowers": 4}
    off = score_position({**given, "options": {"items": {"all_chows_no_honors_no_flowers": 0}}})
    assert dict(off["items"]) == {"winning_hand": 2, "all_chows": 3, "no_honors_no_flowers": 3}


def test_rich_positions_are_valid_and_rich() -> None:
    rng = Random(4)
    found: Counter[str] = Counter()
    for _ in range(1500):
        given = rich_position(rng)
        scored = score_position(given)
        found["win" if scored["win"] else scored["reason"]] += 1
        found[given["by"]] += 1
        if scored["win"]:
            assert sum(scored["payments"]) == 0 and scored["tai"] == sum(tai for _, tai in scored["items"])
            found.update(item for item, _ in scored["items"])
    assert set(VALUES) - set(found) == {"eight_immortals", "seven_robs_one"}
    assert found["win"] > 1200 and found["shape"] > 20 and found["rob_kong"] > 50


# --- Shapes ---------------------------------------------------------------------------------------------------------


def waits_of(hand: str, *melds: str) -> str:
    called = [tile for text in melds for tile in parse_tiles(text)]
    return format_tiles(waits(to_counts(parse_tiles(hand)), len(melds), to_counts(called)))


def test_waits_are_those_of_either_structure_and_not_all_held() -> None:
    """Rulings 21 and 22."""
    assert waits_of("1133m2244p6677s99s55z") == "13m24p679s5z"  # any pair becomes the triplet
    assert waits_of("1133m2244p6677s999s5z") == "5z"
    assert waits_of("1111m2244p6677s999s5z") == "5z"
    assert waits_of("1111m2244p666777s55z") == "67s"  # the fourth of one triplet makes two pairs of it
    assert waits_of("112233m445566p7788s") == "123m456p78s"
    assert waits_of("1122233m445566p778s") == "8s"
    assert waits_of("1z", "111z", "234m", "234m", "345p", "567s") == ""


def test_distance_agrees_with_complete_and_with_waits() -> None:
    rng = Random(8)
    seen: Counter[int] = Counter()
    for _ in range(150):
        given = rich_position(rng)
        n_melds = len(given["melds"])
        before = to_counts(parse_tiles(given["hand"]))
        after = list(before)
        after[tile_of(given["win_tile"])] += 1
        assert (distance(after, n_melds) == 0) == is_complete(after, n_melds) == score_position(given)["win"]
        # Copies in the melds take waits away, but do not limit the target of distance.
        assert (distance(before, n_melds) == 1) == bool(waits(before, n_melds, [0] * 34))
        seen[distance(after, n_melds)] += 1
    assert seen[0] > 100 and sum(seen.values()) > seen[0]


def test_seven_pairs_distance_is_the_number_of_exchanges() -> None:
    """One exchanged tile mends at most one, and from any hand some exchange mends one."""
    rng = Random(9)
    for _ in range(5):
        counts = to_counts(rng.sample([kind for kind in range(34) for _ in range(4)], 17))
        lacking = seven_pairs_distance(counts)
        assert lacking > 0
        after = []
        for out in [kind for kind in range(34) if counts[kind]]:
            for new in [kind for kind in range(34) if kind != out and counts[kind] < 4]:
                changed = list(counts)
                changed[out] -= 1
                changed[new] += 1
                after.append(seven_pairs_distance(changed))
        assert min(after) == lacking - 1
    assert seven_pairs_distance(to_counts(parse_tiles("1111m2244p6677s999s55z"))) == 0
    assert seven_pairs_distance(to_counts(parse_tiles("1111m2244p3366779s55z"))) == 1
    assert seven_pairs_distance(to_counts(parse_tiles("123456789m1234567z1p"))) == 9  # kept: 1 of the triplet, 7
    assert (
        distance(to_counts(parse_tiles("1133m2244p6677s99s55z")), 0)
        == 1
        < naive.shanten(to_counts(parse_tiles("1133m2244p6677s99s55z")), 0)
    )


# --- Random play ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("make", [random_line, rigged_line])
def test_random_play(make: Any, seed: int) -> None:
    """144 tiles at every decision, payments as ruling 34 says, a record that verifies, and the next hand."""
    rng = Random(seed)
    ends: Counter[str] = Counter()
    for _ in range(25):
        line, player = make(rng), Player(rng)

        def choose(hand: NaiveHand, seat: int, legal: list[str], player: Player = player) -> str:
            assert hand.tiles() == FULL_SET
            assert legal == sorted(set(legal)) and len(legal) >= 2
            return player(hand, seat, legal)

        record = json.loads(json.dumps(play(line, choose)))
        assert replay(record) == []
        for settled in record["settlements"]:
            winner, payer, tai = settled["winner"], settled["from"], settled["tai"]
            assert settled["items"] == sorted(settled["items"]) and tai == sum(item[1] for item in settled["items"])
            for seat in range(4):
                pays = seat != winner and payer in (None, seat)
                wanted = -tai if pays else 0 if seat != winner else tai * (3 if payer is None else 1)
                assert settled["payments"][seat] == wanted
        assert record["scores"] == [sum(s["payments"][seat] for s in record["settlements"]) for seat in range(4)]
        kinds = {settled["kind"] for settled in record["settlements"]}
        assert kinds == {"win": {"win"}, "flower": {"flower"}, "draw": set()}[record["end"]]
        keeps = not kinds or line["dealer"] in {settled["winner"] for settled in record["settlements"]}
        if keeps:
            assert record["next"] == {
                "dealer": line["dealer"],
                "streak": line["streak"] + 1,
                "prevailing": line["prevailing"],
            }
        elif record["next"] is None:
            assert (line["dealer"], line["prevailing"]) == (3, "4z")
        else:
            assert (record["next"]["dealer"], record["next"]["streak"]) == ((line["dealer"] + 1) % 4, 0)
        ends[record["end"]] += 1
    assert ends["win"] >= (8 if make is rigged_line else 1)


def test_replay_sees_a_changed_record() -> None:
    rng = Random(11)
    record = play(rigged_line(rng), Player(rng))
    while len(record["decisions"]) < 5 or record["end"] != "win":
        record = play(rigged_line(rng), Player(rng))
    assert replay(record) == []
    for changed in (
        {"scores": [1, -1, 0, 0]},
        {"end": "draw"},
        {"settlements": []},
        {"next": {"dealer": 9}},
        {"decisions": record["decisions"][:-1]},
        {"legal": [["pass"], *record["legal"][1:]]},
    ):
        assert replay({**record, **changed})


# --- One ruling at a time -------------------------------------------------------------------------------------------

APART = "5m1379m2356s4567z1234s"  # a dealer's 17 tiles, far from anything
WAITS_5M = ["46m111222333p777s11z", "46m444555666p888s22z", "46m777888999p999s33z"]
WAITS_36P = "123456789m11s45777p"
PUNGS_5M = "55m19m147s1234567z28p"


def hand_of(hands: list[str], draws: str = "", replacements: str = "", **changes: Any) -> NaiveHand:
    line: dict[str, Any] = {"rules": "four-winds", "dealer": 0, "east": 0, **changes}
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


def words(hand: NaiveHand) -> set[str]:
    pending = hand.decision()
    return set() if pending is None else {text.split()[0] for text in pending[1]}


def items(hand: NaiveHand, number: int = 0) -> dict[str, int]:
    return dict(hand.settlements[number]["items"])


def results(hand: NaiveHand) -> list[tuple[str, int, int | None]]:
    return [(s["kind"], s["winner"], s["from"]) for s in hand.settlements]


@pytest.mark.parametrize("passes", [[], [1], [1, 2], [1, 2, 3]])
def test_all_that_win_on_a_discard_are_paid(passes: list[int]) -> None:
    """11, 27, 14; and 13: who passed may win on the next tile."""
    hand = hand_of([APART, *WAITS_5M], draws="5m")
    do(hand, 1, "declare")
    do(hand, 2, "pass")
    do(hand, 3, "pass")
    do(hand, 0, "discard 5m")
    for seat in (1, 2, 3):
        assert words(hand) == {"pass", "win"}
        do(hand, seat, "pass" if seat in passes else "win")
    winners = [seat for seat in (1, 2, 3) if seat not in passes]
    assert results(hand) == [("win", seat, 0) for seat in winners]
    for number, seat in enumerate(winners):
        assert items(hand, number)["earthly_hand"] == 40 and "five_discards" not in items(hand, number)
        assert ("original_call" in items(hand, number)) == (seat == 1)
    if not winners:
        assert hand.decision() == (1, ["discard 5m", "win"])  # declared: the drawn tile or the win (15)
        hand.apply("win")
        assert items(hand)["five_discards"] == 10 and items(hand)["fully_concealed"] == 3
    assert hand.next == {"dealer": 1, "streak": 0, "prevailing": "1z"}


def test_earthly_hand_not_after_a_kong() -> None:
    """27; and 14: no Original Call of East after its own kong."""
    hand = hand_of(["1111s5m139m2356s4567z2s", WAITS_5M[0], "", ""], replacements="9p")
    until(hand, 0)
    hand.apply("kong 1s")
    do(hand, 0, "discard 5m")
    until(hand, 1, "win")
    hand.apply("win")
    assert "earthly_hand" not in items(hand) and items(hand)["five_discards"] == 10


def test_heavenly_hand_and_ready_only_before_a_kong() -> None:
    """28, 14."""
    hand = hand_of(["111123s456789m789p55z", "", "", ""])
    legal = until(hand, 0)
    assert "win" in legal and "kong 1s" in legal and any(text.startswith("ready") for text in legal)
    hand.apply("win")
    assert items(hand)["heavenly_hand"] == 40 and not {"pair_wait", "five_discards"} & set(items(hand))
    assert hand.scores[0] == 3 * hand.settlements[0]["tai"]
    assert hand.next == {"dealer": 0, "streak": 1, "prevailing": "1z"}  # 35

    hand = hand_of(["1111444s789m789p555z9s", "", "", ""], replacements="9s")
    legal = until(hand, 0)
    assert "win" not in legal
    hand.apply("kong 1s")
    legal = until(hand, 0)
    assert "win" in legal and not any(text.startswith("ready") for text in legal)
    hand.apply("win")
    assert "heavenly_hand" not in items(hand) and items(hand)["five_discards"] == 10  # no discard yet


def test_robbing_an_added_kong() -> None:
    """11, 12: all that choose it win; a robbed kong is not made."""
    for passes, winners in (([], [2, 3]), ([2], [3]), ([2, 3], [])):
        hand = hand_of([APART, PUNGS_5M, WAITS_5M[0], WAITS_5M[2]], draws="6z7z6z5m")
        do(hand, 2, "pass")
        do(hand, 3, "pass")
        do(hand, 0, "discard 5m")
        do(hand, 2, "pass")
        do(hand, 3, "pass")
        do(hand, 1, "pung")
        assert words(hand) == {"discard"}  # 9
        for seat, text in ((1, "2z"), (2, "6z"), (3, "7z"), (0, "6z")):
            do(hand, seat, f"discard {text}")
        do(hand, 1, "kong 5m")
        for seat in (2, 3):
            assert hand.decision() == (seat, ["pass", "win"])
            hand.apply("pass" if seat in passes else "win")
        assert results(hand) == [("win", seat, 1) for seat in winners]
        made = ("kong_added", [4] * 4) in hand.seats[1].melds
        assert made == (not winners)
        if winners:
            # The robbed tile is no discard (31): four and the claimed one.
            assert items(hand)["robbing_the_kong"] == 1 and items(hand)["five_discards"] == 10
            assert items(hand)["concealed_hand"] == 1


def test_no_win_and_no_kong_after_a_claim_and_any_tile_may_go() -> None:
    """9"""
    hand = hand_of([APART, "4556m222333p789999s", "", ""])
    do(hand, 1, "pass")
    do(hand, 0, "discard 5m")
    until(hand, 1, "pung")
    assert {"win", "pung", "chow 46m"} <= set(hand.decision()[1])  # type: ignore[index]
    hand.apply("chow 46m")
    legal = until(hand, 1)
    assert is_complete(hand.seats[1].hand, 1) and hand.seats[1].hand[tile_of("9s")] == 4
    assert {text.split()[0] for text in legal} == {"discard"} and "discard 5m" in legal


def test_a_kong_may_be_claimed_from_the_previous_player() -> None:
    """10; its replacement may be won with, without any award for it (32)."""
    hand = hand_of([APART, "555m11s345666777p23z", "", ""], replacements="9p")
    do(hand, 0, "discard 5m")
    assert {"kong", "pung", "pass"} <= set(until(hand, 1, "kong"))
    hand.apply("kong")
    assert hand.decision() is not None and hand.decision()[0] == 1  # type: ignore[index]
    assert hand.seats[1].drawn == tile_of("9p")


def test_after_the_last_live_tile_chow_pung_and_win_but_no_kong() -> None:
    """3, 6, 7"""
    for word in ("pung", "chow", "pass"):
        hand = hand_of([APART, "46m", "555m", ""])
        until(hand, 0)
        hand.wall = hand.wall[:16]
        do(hand, 0, "discard 5m")
        # Pung of the seat that holds three, no kong; then the chow of the next seat.
        assert hand.decision() == (2, ["pass", "pung"])
        hand.apply("pung" if word == "pung" else "pass")
        if word != "pung":
            assert "chow 46m" in until(hand, 1, "chow")
            hand.apply("chow 46m" if word == "chow" else "pass")
        if word == "pass":
            assert (hand.decision(), hand.end, hand.scores) == (None, "draw", [0, 0, 0, 0])
            assert hand.next == {"dealer": 0, "streak": 1, "prevailing": "1z"}
        else:
            assert words(hand) == {"discard"}


def test_last_tile_draw() -> None:
    """30: the tile that leaves 16; and no kong of one's own then (7)."""
    for kept, has in ((17, True), (18, False)):
        hand = hand_of([APART, WAITS_36P, "", ""], draws="3p")
        do(hand, 1, "pass")
        until(hand, 0)
        hand.wall = hand.wall[:kept]
        do(hand, 0, "discard 7z")
        until(hand, 1)
        hand.apply("win")
        assert ("last_tile_draw" in items(hand)) == has
    hand = hand_of([APART, "9999s1357m", "", ""], draws="2p")
    until(hand, 0)
    hand.wall = hand.wall[:17]
    hand.apply("discard 7z")
    assert not any(text.startswith("kong") for text in until(hand, 1))


def test_a_flower_that_cannot_be_replaced_is_a_draw() -> None:
    """6, 16: but the eighth flower wins without a replacement."""
    for flowers, end in (("234f", "draw"), ("2345678f", "flower")):
        hand = hand_of([APART, flowers, "", ""], draws="1f")
        until(hand, 0)
        hand.wall = hand.wall[:17]
        hand.apply("discard 7z")
        while hand.decision() is not None:
            hand.apply("pass")
        assert hand.end == end
        assert results(hand) == ([("flower", 1, None)] if end == "flower" else [])


def test_a_declared_seat_is_asked_only_for_wins() -> None:
    """15"""
    hand = hand_of([WAITS_36P + "9s", "", "", ""], draws="1s7p3p5z2z3z4z6p")
    legal = until(hand, 0)
    assert "ready 9s" in legal and "discard 9s" in legal
    hand.apply("ready 9s")
    assert hand.seats[0].declared == "original_call"
    asked = []
    while (pending := hand.decision()) is not None:
        seat, legal = pending
        drawn = hand.seats[seat].drawn
        if seat == 0:
            asked.append(legal)
        if "pass" in legal:
            hand.apply("pass")
        else:
            hand.apply("win" if seat == 0 else f"discard {name(drawn)}")  # type: ignore[arg-type]
    # No pung of 1s, no kong of 7p; the win on 3p may pass, 5z goes by itself.
    assert asked == [["pass", "win"], ["discard 6p", "win"]]
    assert (0, "discard 5z") in hand.log
    assert items(hand)["original_call"] == 15 and items(hand)["fully_concealed"] == 3


def test_east_is_not_offered_ready_on_its_second_turn() -> None:
    """14"""
    hand = hand_of([WAITS_36P + "9s", "", "", ""])
    assert "ready 9s" in until(hand, 0)
    hand.apply("discard 9s")
    assert not any(text.startswith("ready") for text in until(hand, 0))


@pytest.mark.parametrize(
    ("hands", "expected"),
    [
        (["12345678f" + APART, "", "", ""], [("flower", 0, None)]),
        ([APART, "", "12345678f", ""], [("flower", 2, None)]),
        (["12345678f" + WAITS_36P + "3p", "", "", ""], [("flower", 0, None)]),  # 19: before East's heavenly hand
        ([WAITS_36P + "3p", "1235678f", "", "4f"], [("flower", 1, 3)]),
        (["4f" + APART, "1235678f", "", ""], [("flower", 1, 0)]),
    ],
)
def test_flower_wins_on_the_deal(hands: list[str], expected: list[Any]) -> None:
    """16-19"""
    hand = hand_of(hands)
    if expected[0][2] is not None:
        assert hand.decision() == (expected[0][1], ["flower_win", "pass"])
        hand.apply("flower_win")
    assert hand.decision() is None and results(hand) == expected and hand.end == "flower"
    kind, tai = ("eight_immortals", 30) if expected[0][2] is None else ("seven_robs_one", 20)
    assert items(hand) == {kind: tai} and hand.scores[expected[0][1]] == tai * (3 if expected[0][2] is None else 1)


def test_a_declined_flower_win_is_final() -> None:
    """18; East's heavenly hand then stands."""
    hand = hand_of([WAITS_36P + "3p", "1235678f", "", "4f"])
    do(hand, 1, "pass")
    assert "win" in until(hand, 0)
    hand.apply("win")
    assert results(hand) == [("win", 0, None)]


@pytest.mark.parametrize("owner_first", [True, False])
def test_seven_rob_one_in_play_whichever_came_last(owner_first: bool) -> None:
    """16, 18, 20: asked at once, declared or not; the owner of the one pays."""
    hands = ["4f" + APART, "123567f" + WAITS_36P, "", ""] if owner_first else [APART, "1235678f" + WAITS_36P, "", ""]
    hand = hand_of(hands, draws="8f" if owner_first else "3z4f", replacements="3p")
    do(hand, 1, "declare")
    do(hand, 0, "discard 7z")
    while hand.decision() is not None and "flower_win" not in words(hand):
        hand.apply("pass" if "pass" in words(hand) else "discard 3z")
    assert hand.decision() == (1, ["flower_win", "pass"])
    hand.apply("flower_win")
    assert results(hand) == [("flower", 1, 0 if owner_first else 2)] and items(hand) == {"seven_robs_one": 20}
    assert hand.next == {"dealer": 1, "streak": 0, "prevailing": "1z"}


@pytest.mark.parametrize(
    ("dealer", "prevailing", "wanted"),
    [
        (0, "1z", {"dealer": 1, "streak": 0, "prevailing": "1z"}),
        (3, "1z", {"dealer": 0, "streak": 0, "prevailing": "2z"}),
        (3, "3z", {"dealer": 0, "streak": 0, "prevailing": "4z"}),
        (3, "4z", None),
    ],
)
def test_the_deal_passes_and_the_sixteenth_change_ends_the_match(dealer: int, prevailing: str, wanted: Any) -> None:
    """35, 36"""
    hands = ["", "", "", ""]
    hands[(dealer + 1) % 4] = "12345678f"
    assert hand_of(hands, dealer=dealer, east=dealer, streak=4, prevailing=prevailing).next == wanted
    hands[(dealer + 1) % 4], hands[dealer] = "", "12345678f"
    hand = hand_of(hands, dealer=dealer, east=dealer, streak=4, prevailing=prevailing)
    assert hand.next == {"dealer": dealer, "streak": 5, "prevailing": prevailing}
