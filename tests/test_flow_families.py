"""The flow of `four-winds`, `hk16` and `house16` against their plain flows, both ways, and what holds over a match.

Each plain flow plays lines of its own which the engine must replay, legal actions included, and replays hands that the engine
played. Directed cases are in `test_rules_*`, `test_naive_*` and `test_flags_families`.
"""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import mjsim
from mjsim.agents import make
from mjsim.check import check
from tests import stack
from tests.oracles import ORACLES
from tests.rich_hands import FAMILIES, any_choice, family_options, rich_games, rich_hands
from tests.sizes import FULL, size

#: Words of the actions that decide anything, by rule set; each must be chosen somewhere.
WORDS = {
    "four-winds": {"discard", "ready", "declare", "kong", "chow", "pung", "win", "flower_win", "pass"},
    "hk16": {"discard", "ready", "kong", "chow", "pung", "win", "pass"},
    "house16": {"discard", "kong", "chow", "pung", "win", "pass"},
}
#: Items that none of the slow tests' hands comes upon, so rare are they in play; `test_rare_items_in_play` has them.
RARE = {"four-winds": set(), "hk16": {"chicken_hand", "orphans_terminals"}, "house16": {"melded_hand"}}


def items_of(line: dict[str, Any]) -> set[str]:
    return {item for settlement in line["settlements"] for item, _ in settlement["items"]}


def plain_lines(name: str, n: int, seed: int) -> Iterator[dict[str, Any]]:
    """n hands played in the plain flow: two in three on rigged walls, some at tables with other points."""
    rng = random.Random(seed)
    oracle = ORACLES[name]
    for number in range(n):
        make_line = oracle.rigged_line if number % 3 else oracle.random_line
        yield oracle.play(make_line(rng, name, family_options(rng, name)), oracle.player(rng))


def compare_lines(name: str, n: int, seed: int) -> tuple[set[str], Counter[str]]:
    """Replay plain lines in the engine; the items and ends met."""
    items: set[str] = set()
    met: Counter[str] = Counter()
    for number, line in enumerate(plain_lines(name, n, seed)):
        found = mjsim.replay(json.dumps(line))
        assert found == [], f"line {number}: {found[:3]}\n{json.dumps(line)}"
        items |= items_of(line)
        met[line["end"]] += 1
        met.update(action.split()[0] for _, action in line["decisions"])
    return items, met


def compare_hands(name: str, n: int, seed: int) -> tuple[set[str], Counter[str]]:
    """Have the plain flow replay hands of the engine; the items and ends met."""
    items: set[str] = set()
    met: Counter[str] = Counter()
    for number, hand in enumerate(rich_hands(n, seed, [name])):
        line = json.loads(json.dumps(hand.transcript(legal=True)))
        found = ORACLES[name].replay(line)
        assert found == [], f"hand {number}: {found[:3]}\n{json.dumps(line)}"
        items |= items_of(line)
        met[line["end"]] += 1
        met.update(action.split()[0] for _, action in line["decisions"])
    return items, met


# --- the plain flows ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FAMILIES)
def test_lines_of_the_plain_flow_replay_in_the_engine(name: str) -> None:
    items, met = compare_lines(name, 150, 31)
    assert {"win", "flower", "draw"} <= set(met) and WORDS[name] - {"kong", "flower_win"} <= set(met), met
    assert len(items) >= 15


@pytest.mark.parametrize("name", FAMILIES)
def test_hands_of_the_engine_replay_in_the_plain_flow(name: str) -> None:
    items, met = compare_hands(name, 150, 32)
    assert {"win", "flower", "draw"} | WORDS[name] == set(met) | {"flower"}, met
    assert met["flower"] and len(items) >= 15


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_thousands_of_hands_agree_both_ways_and_meet_every_item(name: str) -> None:
    items, met = compare_lines(name, size(2000), 33)
    more, met_too = compare_hands(name, size(2000), 34)
    assert {"win", "flower", "draw"} | WORDS[name] == set(met + met_too) | {"flower"}, met + met_too
    missing = set(mjsim.rules(name).item_ids) - items - more
    assert missing == RARE[name] if FULL else missing >= RARE[name]


def test_rare_items_in_play() -> None:
    """A Chicken hand, 16 Orphans with all terminals, five exposed melds at a table that pays them."""
    chicken = stack.deal({0: "3s7p9s", 1: "78m444p33z24s68p99s167z"}, "6z6z8s5z5z8s9m", rules="hk16")
    stack.play(chicken, "0 discard 3s", "1 chow 24s", "1 discard 1z", "0 discard 7p", "1 chow 68p", "1 discard 6z")
    stack.play(chicken, "0 discard 9s", "1 pung", "1 discard 7z", "2 discard 9m", "1 win")
    assert stack.items(chicken, -1) == {"mahjong": 5, "no_flowers": 1, "chicken_hand": 20}
    orphans = stack.deal({0: "7z", 1: "159m159p159s1234567z"}, rules="hk16")
    stack.play(orphans, "0 discard 7z", "1 win")
    assert stack.items(orphans, -1)["orphans_terminals"] == 10
    melded = stack.deal({0: "1234z5m9s", 1: "11223344z55m9s1m1p1s9m9p"}, rules="house16", items={"melded_hand": 1})
    for tile, lost in zip(("1z", "2z", "3z", "4z", "5m"), ("1m", "1p", "1s", "9m", "9p"), strict=True):
        stack.play(melded, f"0 discard {tile}", "1 pung", f"1 discard {lost}")
    stack.play(melded, "0 discard 9s", "1 win")
    assert stack.items(melded)["melded_hand"] == 1
    for hand in (chicken, orphans, melded):
        assert ORACLES[hand.rules.name].replay(hand.transcript(legal=True)) == []
        assert check(hand.record, hand.rules) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_thousands_of_records_are_sound(name: str) -> None:
    for hand, steps in rich_games(size(1000), 35, [name]):
        for _ in steps:
            assert check(hand.record, hand.rules) == [], f"{hand.phase} after {hand.decisions[-3:]}"
        assert check(hand.record, hand.rules) == [], f"{hand.end} after {hand.decisions[-3:]}"


@pytest.mark.parametrize("name", FAMILIES)
def test_a_changed_line_is_found_by_both_sides(name: str) -> None:
    """The comparison itself: a changed legal list, score, end or next hand."""
    for hand in rich_hands(12, 36, [name]):
        line = json.loads(json.dumps(hand.transcript(legal=True)))
        if not line["decisions"]:
            continue
        for change in ("legal", "scores", "end", "next"):
            told = json.loads(json.dumps(line))
            if change == "legal":
                told["legal"][-1] = [*told["legal"][-1][:-1], "kong 7z"]
            else:
                told[change] = {"scores": [1, 0, 0, -1], "end": "none", "next": {"dealer": 9}}[change]
            assert ORACLES[name].replay(told) and mjsim.replay(told), change


# --- over a match ---------------------------------------------------------------------------------------------------


def drift(hand: mjsim.Hand) -> mjsim.Hand:
    """Pass, and discard what was drawn, until the hand is over."""
    while not hand.over:
        legal = hand.legal()
        hand.apply("pass" if "pass" in legal else stack.drawn(hand) if stack.drawn(hand) in legal else legal[0])
    return hand


def follows(before: dict[str, Any], hand: mjsim.Hand) -> dict[str, Any] | None:
    """By the rules pages alone: what a finished hand of the standing `before` hands on."""
    name = hand.rules.name
    dealer, streak, wind = before["dealer"], before["streak"], before["prevailing"]
    winners = {s["winner"] for s in hand.settlements if s["kind"] != "instant"}
    if name == "hk16":
        stays = winners == {dealer} and streak < 2
    else:
        stays = dealer in winners or not winners
    following: dict[str, Any] = {"dealer": dealer, "streak": streak + 1, "prevailing": wind}
    if not stays:
        following = {"dealer": (dealer + 1) % 4, "streak": 0, "prevailing": wind}
        if dealer == 3:
            if name == "four-winds" and wind == "4z":
                return None
            following["prevailing"] = {"1z": "2z", "2z": "3z", "3z": "4z", "4z": "1z"}[wind]
    if name == "hk16":
        pool = before["carry"]["pool"]
        taken = any(s["from"] is None and s["kind"] != "instant" for s in hand.settlements)
        following["carry"] = {"pool": 0 if taken else pool if winners else pool + 20}
    return following


def whole_match(name: str, seed: int, most: int, greedy: bool) -> list[tuple[dict[str, Any], mjsim.Hand]]:
    """Each hand of a match with the standing that it was given; at most `most` of them."""
    rules = mjsim.rules(name, **({"items": {"mahjong": 24}} if name == "hk16" else {}))
    agent = make("greedy")
    policy = agent.policy.python()
    rng = random.Random(seed)
    standing: dict[str, Any] | None = {"dealer": 0, "streak": 0, "prevailing": "1z"}
    if name == "hk16":
        standing["carry"] = {"pool": 0}
    played = []
    while standing is not None and len(played) < most:
        hand = mjsim.Hand(rules, seed=seed, match=1, hand=len(played), **standing)
        while not hand.over:
            if greedy or rng.random() < 0.9:
                hand.apply(policy(hand._address, rules.address, agent.parameters_address))
            else:
                hand.apply(rng.choice(hand.legal()))
        played.append((standing, hand))
        standing = hand.next
    return played


@pytest.mark.parametrize("greedy", [True, False])
@pytest.mark.parametrize("name", FAMILIES)
def test_a_match_goes_on_as_the_rules_page_says(name: str, greedy: bool) -> None:
    """Dealer, streak, wind and pool of every hand follow from the one before; no tai is lost but into the pool."""
    seen: Counter[str] = Counter()
    for seed in range(2):
        for standing, hand in whole_match(name, seed, 60, greedy):
            assert hand.next == follows(standing, hand), (standing, hand.settlements)
            record = hand.record
            assert (int(record["dealer"]), int(record["streak"])) == (standing["dealer"], standing["streak"])
            assert int(record["east"]) == standing["dealer"]
            moved = standing.get("carry", {"pool": 0})["pool"]
            if hand.next is not None and name == "hk16":
                moved -= hand.next["carry"]["pool"]
            assert sum(hand.scores) == moved and check(record, hand.rules) == []
            seen["hands"] += 1
            seen["stays"] += hand.next is not None and hand.next["dealer"] == standing["dealer"]
            seen["streak"] = max(seen["streak"], standing["streak"])
            seen["pool"] = max(seen["pool"], int(record["pool"]))
            seen["taken"] += int(record["pool"]) > 0 and int(record["next_pool"]) == 0
            seen["over"] += hand.next is None
    assert seen["stays"] > 4
    if name == "hk16":
        assert seen["streak"] <= 2 and seen["pool"] >= 40 and seen["taken"] > 1
    if name == "four-winds":
        assert seen["over"] >= 1


def test_a_four_winds_match_has_sixteen_changes_of_dealer() -> None:
    """And ends with the sixteenth: `next` is null, in the line too."""
    for seed in range(3):
        played = whole_match("four-winds", seed, 200, greedy=True)
        dealers = [standing["dealer"] for standing, _ in played]
        changes = sum(a != b for a, b in itertools.pairwise(dealers))
        assert changes == 15, "the sixteenth ends it"
        last, hand = played[-1]
        assert (last["dealer"], last["prevailing"]) == (3, "4z") and hand.next is None
        line = hand.transcript()
        assert line["next"] is None and '"next": null' in json.dumps(line)
        assert ORACLES["four-winds"].replay(line) == [] == mjsim.replay(line)


@pytest.mark.parametrize("name", ["hk16", "house16"])
def test_a_match_without_end_goes_on_after_north(name: str) -> None:
    hand = stack.deal({3: "4m", 0: "23m456p456789s11122z"}, dealer=3, prevailing="4z", rules=name,
                      verified=False, items={"mahjong": 26} if name == "hk16" else {})  # fmt: skip
    stack.play(hand, "3 discard 4m", "0 win")
    following = hand.next
    assert following is not None
    assert (following["dealer"], following["prevailing"]) == (0, "1z")


def test_the_pool_grows_over_drawn_hands_until_a_self_drawn_win_takes_it() -> None:
    """hk16 r18: 20 more after each drawn hand; a win on a discard leaves it; `drawn_pool` stands before the win."""
    standing: dict[str, Any] = {"dealer": 0, "streak": 0, "prevailing": "1z", "carry": {"pool": 0}}
    for number in range(1, 6):
        hand = drift(mjsim.Hand("hk16", seed=3, hand=number, **standing))
        assert hand.end == "draw" and hand.settlements[-1]["items"] == [["drawn_hand", 5]]
        assert hand.settlements[-1]["payments"] == [-5] * 4
        assert ORACLES["hk16"].replay(hand.transcript(legal=True)) == []
        # The deal passes after a drawn hand (r26).
        assert hand.next["dealer"] == number % 4 and hand.next["carry"] == {"pool": 20 * number}
        standing = hand.next
    waiting = "23m456p456789s11122z"
    dealer = standing["dealer"]
    winner, third = (dealer + 1) % 4, (dealer + 3) % 4
    table = {"rules": "hk16", "items": {"mahjong": 26}}
    fed = stack.deal({dealer: "4m", winner: waiting}, **table, **standing)
    stack.play(fed, f"{dealer} discard 4m", f"{winner} win")
    assert fed.next["carry"] == {"pool": 100} and sum(fed.scores) == 0
    drawn = stack.deal({dealer: "7z", winner: waiting}, "4m", **table, **standing)
    stack.play(drawn, f"{dealer} discard 7z", f"{winner} win")
    pool, win = drawn.settlements
    wanted = [0, 0, 0, 0]
    wanted[winner] = 100
    assert (pool["kind"], pool["winner"], pool["from"], pool["payments"]) == ("instant", winner, None, wanted)
    assert pool["items"] == [["drawn_pool", 100]] and win["kind"] == "win" and sum(win["payments"]) == 0
    assert drawn.next["carry"] == {"pool": 0} and sum(drawn.scores) == 100
    assert drawn.scores[third] == -win["tai"] and drawn.scores[dealer] == -win["tai"] - 1
    for hand in (fed, drawn):
        assert ORACLES["hk16"].replay(hand.transcript(legal=True)) == []


@pytest.mark.parametrize("flowers", ["1234567f", "12345678f"])
def test_a_flower_win_takes_the_pool_too(flowers: str) -> None:
    hand = stack.deal({2: flowers}, replacements="9m9m9m9p9p9p9s9s", rules="hk16", carry={"pool": 60})
    assert hand.end == "flower" and [s["kind"] for s in hand.settlements][-2:] == ["instant", "flower"]
    assert hand.settlements[-2]["payments"] == [0, 0, 60, 0] and hand.next["carry"] == {"pool": 0}
    assert sum(hand.scores) == 60


def test_a_house16_streak_has_no_limit() -> None:
    """house16 25, 26: the dealer stays after every draw and win, and each hand in a row costs 2 more."""
    standing: dict[str, Any] = {"dealer": 2, "streak": 0, "prevailing": "3z"}
    for number in range(25):
        hand = drift(mjsim.Hand("house16", seed=5, hand=number, **standing))
        if hand.end == "draw":
            assert hand.next == {"dealer": 2, "streak": standing["streak"] + 1, "prevailing": "3z"}
            standing = hand.next
    assert standing["streak"] >= 20, "beyond the 18 of Douque"
    for streak in (standing["streak"], 400, 9_999):
        hand = stack.deal({2: "4m", 3: "23m456p456789s11122z"}, rules="house16", dealer=2, streak=streak)
        stack.play(hand, "2 discard 4m", "3 win")
        tai = hand.settlements[0]["tai"]
        assert hand.scores == [0, 0, -tai - 1 - 2 * streak, tai + 1 + 2 * streak]
        assert ORACLES["house16"].replay(hand.transcript(legal=True)) == []


def test_hk16_dealers_third_win_in_a_row_passes_the_deal() -> None:
    """hk16 r26, r28: and scores 3, then 5 for the second and third."""
    standing: dict[str, Any] = {"dealer": 0, "streak": 0, "prevailing": "1z", "carry": {"pool": 20}}
    for wins, bonus in ((1, 0), (2, 3), (3, 5)):
        hand = stack.deal({0: "23m456p456789s11122z9m"}, "4m", rules="hk16", items={"mahjong": 26}, **standing)
        stack.play(hand, "0 discard 9m", "1 discard 4m", "0 win")
        assert stack.items(hand, -1).get("dealer_streak", 0) == bonus
        standing = hand.next
        assert (standing["dealer"], standing["streak"]) == ((0, wins) if wins < 3 else (1, 0))
        assert standing["carry"] == {"pool": 20}


@pytest.mark.parametrize("name", FAMILIES)
def test_simulation_carries_the_standing_on_as_hand_does(name: str) -> None:
    """Compiled matches (`mjsim.simulate`) and hands stepped one by one: the same scores, pool and dealers."""
    hands = 24
    rules = mjsim.rules(name, **({"items": {"mahjong": 24}} if name == "hk16" else {}))
    table = mjsim.simulate(rules, "greedy", hands=hands, seed=11, match_hands=hands)
    agent = make("greedy")
    policy = agent.policy.python()
    standing: dict[str, Any] | None = {"dealer": 0, "streak": 0, "prevailing": "1z"}
    for number in range(hands):
        assert standing is not None
        hand = mjsim.Hand(rules, seed=11, match=0, hand=number, **standing)
        while not hand.over:
            hand.apply(policy(hand._address, rules.address, agent.parameters_address))
        found = [int(table[f"score_{seat}"][number]) for seat in range(4)]
        assert found == hand.scores, number
        standing = hand.next


def test_random_players_lose_no_tile() -> None:
    """At random in all three, the tiles counted at every decision by `check`."""
    rng = random.Random(40)
    for name in FAMILIES:
        for seed in range(15):
            hand = mjsim.Hand(name, seed=seed, match=2, hand=seed)
            while not hand.over:
                assert check(hand.record, hand.rules) == []
                hand.apply(any_choice(rng, hand))
            assert check(hand.record, hand.rules) == []
            assert np.array_equal(np.sort(hand.record["wall"]), np.sort(mjsim.tiles.FULL_SET))
