"""The engine's flow against the plain replay of `naive_flow`, and the invariants of every hand in play of all rule sets.

Numbers after "fault" are those of the list of faults that other engines shipped.
"""

from __future__ import annotations

import copy
import json
import os
import pickle
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mjsim
from mjsim.actions import N_ACTIONS, format_action
from mjsim.check import check
from mjsim.flow.luck import PAIRINGS_TABLE
from mjsim.hand_record import HAND, PHASES
from mjsim.tiles import FULL_SET, N_KINDS, TEXT
from tests import oracles
from tests.rich_hands import (
    DOUQUE,
    RULE_SETS,
    WALLS,
    any_choice,
    rich_decisions,
    rich_games,
    rich_hands,
    rich_setup,
)
from tests.sizes import FULL, size

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.hands.jsonl"))


def differences(hand: mjsim.Hand) -> list[str]:
    """What the plain replay and the engine's own say about a finished hand."""
    line = json.loads(json.dumps(hand.transcript(legal=True)))
    return [f"plain: {d}" for d in oracles.replay(line)] + [f"engine: {d}" for d in mjsim.replay(line)]


def plain_hand(seed: int, rules: str = "douque-taiwanese", **options: Any) -> mjsim.Hand:
    return mjsim.Hand(mjsim.rules(rules, **options), seed=seed)


# --- the oracle -----------------------------------------------------------------------------------------------------


def test_rich_hands_equal_the_plain_replay() -> None:
    met: dict[str, set[Any]] = {"end": set(), "rules": set(), "min_tai": set(), "exchange": set()}
    for number, hand in enumerate(rich_hands(250, 20_250)):
        found = differences(hand)
        assert found == [], f"hand {number}: {found[:3]}\n{json.dumps(hand.transcript())}"
        met["end"].add(hand.end)
        met["rules"].add(hand.rules.name)
        met["min_tai"].add(hand.rules.flags["min_tai"])
        met["exchange"].add(hand.rules.flags["exchange"])
    assert met == {"end": {"win", "flower", "draw"}, "rules": set(DOUQUE), "min_tai": {0, 2, 3, 5},
                   "exchange": {True, False}}  # fmt: skip


@pytest.mark.slow
def test_many_rich_hands_equal_the_plain_replay() -> None:
    items: set[str] = set()
    for number, hand in enumerate(rich_hands(size(3000), 3000)):
        found = differences(hand)
        assert found == [], f"hand {number}: {found[:3]}\n{json.dumps(hand.transcript())}"
        items |= {item for settlement in hand.settlements for item, _ in settlement["items"]}
    assert len(items) >= (28 if FULL else 22), sorted(items)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name.split(".")[0])
def test_golden_hands_replay_without_difference(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert lines
    for number, line in enumerate(lines, 1):
        assert mjsim.replay(line) == [], f"{path.name} line {number}"
        # Legal actions are recorded in them: the comparison is not empty.
        assert len(json.loads(line)["legal"]) == len(json.loads(line)["decisions"])


# --- invariants -----------------------------------------------------------------------------------------------------


#: Rule sets that are looked at together, and the phases that they have not.
SOUND = {
    "douque": (DOUQUE, {"declare"}),
    "four-winds": (("four-winds",), {"give", "choice"}),
    "hk16": (("hk16",), {"give", "choice", "flower", "declare"}),
    "house16": (("house16",), {"give", "choice", "flower", "declare"}),
}


@pytest.mark.parametrize("family", SOUND)
def test_records_are_sound_at_every_decision(family: str) -> None:
    """Fault 49 (a tile got lost at a win): every instance is in one place at every decision and after the end."""
    names, without = SOUND[family]
    phases: set[str] = set()
    for number, (hand, steps) in enumerate(rich_games(600, 49, names)):
        for _ in steps:
            phases.add(hand.phase)
            assert check(hand.record, hand.rules) == [], f"{hand.phase} after {hand.decisions[-3:]}"
        phases.add(hand.phase)
        assert check(hand.record, hand.rules) == [], f"{hand.end} after {hand.decisions[-3:]}"
        # Less is known without the rules, and none of it is wrong.
        assert check(hand.record) == []
        if number >= 80 and phases == set(PHASES) - without:
            break  # a kong to rob may take long to come
    assert phases == set(PHASES) - without, phases ^ (set(PHASES) - without)


#: Damage to a record at a turn (name, how, a part of the fault that must be listed).
DAMAGE = [
    ("a tile lost", lambda r: r["counts"].__setitem__((1, int(r["counts"][1].argmax())), 0), "tiles: "),
    ("a tile from nowhere", lambda r: r["counts"].__setitem__((2, int(r["counts"][2].argmin())), 1), "tiles: "),
    ("a discard twice", lambda r: r["wall"].__setitem__(int(r["head"]), r["discards"][0]), "wall: "),
    ("head", lambda r: r.__setitem__("head", r["head"] + 1), "tiles: "),
    ("head beyond tail", lambda r: r.__setitem__("head", r["tail"] + 1), "beyond tail"),
    ("keys", lambda r: r["keys"].__setitem__((0, 1), 7), "keys[0]"),
    ("have", lambda r: r["have"].__setitem__(3, 0), "have[3]"),
    ("twos", lambda r: r["twos"].__setitem__(3, 0), "twos[3]"),
    ("threes", lambda r: r["threes"].__setitem__(3, 1 << 33), "threes[3]"),
    ("quads", lambda r: r["quads"].__setitem__(3, 1), "quads[3]"),
    ("pungs", lambda r: r["pungs"].__setitem__(0, 1), "pungs[0]"),
    ("melded", lambda r: r["melded"].__setitem__((0, 0), 3), "melded[0]"),
    ("n_exposed", lambda r: r["n_exposed"].__setitem__(0, 4), "n_exposed[0]"),
    ("distance", lambda r: r["distance"].__setitem__((int(r["turn"]) + 1) % 4, 15), "distance["),
    ("lacks", lambda r: r.__setitem__("lacks", 16), "lacks"),
    ("seat", lambda r: r.__setitem__("seat", (r["seat"] + 1) % 4), "is asked"),
    ("seat 4", lambda r: r.__setitem__("seat", 4), "seat: 4"),
    ("phase 9", lambda r: r.__setitem__("phase", 9), "phase: 9"),
    ("n_legal", lambda r: r.__setitem__("n_legal", 1), "n_legal"),
    ("a discard not held", lambda r: r["legal"].__setitem__(0, ~np.uint64(0) >> np.uint64(30)), "legal: discard"),
    ("scores before the end", lambda r: r["scores"].__setitem__(0, 5), "scores"),
    ("a taken discard in no meld", lambda r: r["discard_taken"].__setitem__(0, 2), "took"),
    ("a settlement", lambda r: r.__setitem__("n_settlements", 1), "settle"),
    ("a flower", lambda r: r["flowers"].__setitem__(0, r["flowers"][0] ^ 1), "tiles: "),
    ("a declaration", lambda r: r["declared"].__setitem__(0, 1), "declared_at[0]"),
    ("drawn", lambda r: r.__setitem__("drawn", int(np.flatnonzero(r["counts"][int(r["turn"])] == 0)[0])), "drawn"),
    ("drawn_at", lambda r: r.__setitem__("drawn_at", 3), "drawn_at"),
    ("an exchange", lambda r: r["gives"].__setitem__((0, 0, 0), 3), "gives[0, 0]"),
    ("a passed kind", lambda r: r["passed"].__setitem__(0, 1), "passed"),
    ("a passed kind beyond the kinds", lambda r: r["passed"].__setitem__(0, 1 << 35), "passed[0]: bits"),
    ("a bouquet", lambda r: r["bouquets"].__setitem__(0, 1), "bouquets"),
    ("a flower held back", lambda r: r["held_flowers"].__setitem__(0, 4), "held_flowers"),
    ("kongs of the turn", lambda r: r.__setitem__("turn_kongs", 1), "turn_kongs"),
    ("a flower win that is due", lambda r: r.__setitem__("flower_due", 2), "flower_due"),
    ("a payment", lambda r: (r.__setitem__("n_instants", 1), r["instant_tai"].__setitem__(0, 5)), "instant"),
    ("a payment beyond the number", lambda r: r["instant_tai"].__setitem__(3, 5), "instant_tai"),
    ("a pool", lambda r: r.__setitem__("next_pool", 20), "next_pool"),
    ("the match", lambda r: r.__setitem__("match_over", 1), "match_over"),
    ("a kong in the turn", lambda r: r["legal"].__setitem__(2, 1), "legal: kong"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "damage", "part"), DAMAGE, ids=[entry[0] for entry in DAMAGE])
def test_check_names_the_fault(name: str, damage: Any, part: str) -> None:
    hand = plain_hand(4)
    rng = random.Random(4)
    while not (hand.phase == "turn" and hand.record["n_discards"] == 6 and not hand.record["n_melds"].any()):
        hand.apply("pass" if "pass" in hand.legal() else any_choice(rng, hand))
    array = np.zeros(1, dtype=HAND)
    array[0] = hand.record
    assert check(array[0], hand.rules) == []
    damage(array[0])
    faults = check(array[0], hand.rules)
    assert any(part in fault for fault in faults), faults


def _first(names: tuple[str, ...], seed: int, wanted: Any) -> tuple[np.ndarray, mjsim.Rules]:
    """The record (alone in an array) of the first rich decision or end for which `wanted(hand)` holds, and its rules."""
    for hand, steps in rich_games(400, seed, names):
        for _ in steps:
            if wanted(hand):
                break
        if wanted(hand):
            array = np.zeros(1, dtype=HAND)
            array[0] = hand.record
            assert check(array[0], hand.rules) == []
            return array, hand.rules
    raise AssertionError("no such hand")


def _over_with(item: str) -> Any:
    """A finished hand with a payment or settlement of this item."""
    return lambda hand: hand.over and any(item == name for s in hand.settlements for name, _ in s["items"])


#: Damage to records of the rule sets other than Douque: where, what, a part of the fault that must be listed.
OTHER_DAMAGE = {
    "declare: another seat": (
        "four-winds", lambda h: h.phase == "declare",
        lambda r: r.__setitem__("stage", r["stage"] % 3 + 1), "is asked to declare"),
    "declare: a seat declared before it was asked": (
        "four-winds", lambda h: h.phase == "declare",
        lambda r: r["declared"].__setitem__(int(r["dealer"]), 1), "declared"),
    "Original Call: a declaring discard of a non-dealer": (
        "four-winds", lambda h: h.phase == "turn" and h.record["n_discards"] > 4 and h.record["declared"].any()
        and not h.record["declared"][int(h.record["dealer"])],
        lambda r: r["declared_at"].__setitem__(int(r["declared"].argmax()),
                                               int((r["discarder"] == r["declared"].argmax()).argmax())),
        "declared_at"),
    "flower: fewer than seven": (
        "four-winds", lambda h: h.phase == "flower",
        lambda r: (r["flowers"].__setitem__(int(r["seat"]), r["flowers"][int(r["seat"])] & 15)), "flower: seat"),
    "flower: who goes on": (
        "four-winds", lambda h: h.phase == "flower" and h.record["resume"] >= 0,
        lambda r: r.__setitem__("resume", (r["resume"] + 1) % 4), "resume"),
    "a passed kind claimed": (
        "hk16", lambda h: h.phase == "claim" and h.record["passed"][h.seat] == 0,
        lambda r: r["passed"].__setitem__(int(r["seat"]), 1 << int(r["claim_tile"])), "has passed on"),
    "the pool is kept": (
        "hk16", _over_with("drawn_pool"), lambda r: r.__setitem__("next_pool", r["pool"]), "next_pool"),
    "the pool is taken twice": (
        "hk16", _over_with("drawn_pool"), lambda r: r["scores"].__setitem__(0, r["scores"][0] + 5), "scores"),
    "a drawn hand is not paid": (
        "hk16", _over_with("drawn_hand"), lambda r: r.__setitem__("n_instants", r["n_instants"] - 1), "instant"),
    "a chase is paid by another": (
        "hk16", _over_with("chasing"),
        lambda r: r["instant_payer"].__setitem__(int((r["instant_payer"] >= 0).argmax()), -1), "chasing"),
    "a concealed kong is not paid": (
        "hk16", lambda h: h.phase == "turn" and _over_with("concealed_gong_declared")(h) is False
        and 4 in h.record["meld_type"][np.arange(5) < h.record["n_melds"][:, None]],
        lambda r: (r["instant_tai"].__setitem__(slice(None), 0), r.__setitem__("n_instants", 0)),
        "concealed_gong_declared"),
    "the next dealer": (
        "hk16", lambda h: h.over and h.end == "draw", lambda r: r.__setitem__("next_dealer", r["dealer"]), "next:"),
    "the end of the match": (
        "four-winds", lambda h: h.over, lambda r: r.__setitem__("match_over", 1 - r["match_over"]), "next:"),
    "two winners of one tile": (
        "house16", lambda h: h.over and h.end == "win",
        lambda r: (r.__setitem__("n_settlements", 2), r["settle_kind"].__setitem__(1, r["settle_kind"][0]),
                   r["settle_winner"].__setitem__(1, (r["settle_winner"][0] + 2) % 4)), "2 winners"),
    "the dealer's first turn before its draw": (
        "house16", lambda h: h.record["n_discards"] == 3, lambda r: r.__setitem__("head", 64), "head: 64"),
    "West in a chase": (
        "hk16", lambda h: h.phase == "turn" and not h.record["declared"][h.seat]
        and int(h.record["have"][h.seat]) >> 29 & 1 and not int(h.record["legal"][0]) >> 29 & 1,
        lambda r: r["legal"].__setitem__(0, r["have"][int(r["seat"])]), "legal: discard"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER_DAMAGE)
def test_check_names_the_fault_of_other_rule_sets(name: str) -> None:
    rules, wanted, damage, part = OTHER_DAMAGE[name]
    array, made = _first((rules,), 29, wanted)
    damage(array[0])
    faults = check(array[0], made)
    assert any(part in fault for fault in faults), faults


def test_wall_bounds_need_the_rules() -> None:
    hand = plain_hand(1)
    array = np.zeros(1, dtype=HAND)
    array[0] = hand.record
    assert check(array[0]) == []
    array[0]["tail"] = array[0]["head"] + 10
    assert any("drawable: -6" in fault for fault in check(array[0], hand.rules))


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("rules", RULE_SETS)
def test_deal(rules: str, dealer: int) -> None:
    """Fault 50: 17/16/16/16 without flowers, four at a time from the dealer, 79 undealt, 63 of them drawable.

    In house16 the dealer draws the 17th as its first turn, the same tile; in hk16 nothing is kept back.
    """
    wall = [kind for kind in FULL_SET.tolist() if kind < N_KINDS]
    random.Random(dealer).shuffle(wall)
    wall += list(range(34, 42))
    hand = mjsim.Hand(rules, wall=wall, dice=[1, 2, 5], pairings=PAIRINGS_TABLE[:2], dealer=dealer, hand=1, east=dealer)
    record = hand.record
    assert [int(record["counts"][(dealer + i) % 4].sum()) for i in range(4)] == [17, 16, 16, 16]
    assert (int(record["head"]), int(record["tail"])) == (65, 144)
    left = int(record["tail"]) - int(record["head"]) - hand.rules.flags["kept_back"]
    assert left == (79 if rules == "hk16" else 63)
    for i in range(4):
        dealt = [tile for four in range(4) for tile in wall[16 * four + 4 * i : 16 * four + 4 * i + 4]]
        dealt += [wall[64]] if i == 0 else []
        assert record["counts"][(dealer + i) % 4].tolist() == np.bincount(dealt, minlength=34).tolist()
    assert int(record["drawn"]) == (wall[64] if rules in ("hk16", "house16") else -1)
    assert check(record, hand.rules) == []


@pytest.mark.parametrize("rules", RULE_SETS)
def test_opening_flowers_are_replaced_from_the_tail(rules: str) -> None:
    """Fault 50: each flower of the deal is replaced, so that 79 less the flowers are left; 4 x 34 + 8 in all."""
    assert len(FULL_SET) == 4 * 34 + 8 == 144
    with_flowers = 0
    for seed in range(30):
        hand = mjsim.Hand(rules, seed=seed)
        record = hand.record
        if hand.over:
            continue
        with_flowers += int(record["n_flowers"]) > 0
        assert int(record["counts"].sum()) == 65
        assert int(record["tail"]) - int(record["head"]) == 79 - int(record["n_flowers"])
        assert int(record["head"]) == 65
    assert with_flowers > 20


# --- legal actions --------------------------------------------------------------------------------------------------


def test_mask_numbers_and_texts_say_the_same() -> None:
    """Fault 38: the mask has one length, and mask and list agree at every decision; both are callable after the end."""
    for hand, steps in rich_games(80, 38, RULE_SETS):
        for _ in steps:
            mask = hand.legal_mask()
            assert mask.shape == (N_ACTIONS,) and mask.dtype == np.int8
            claimed = int(hand.record["claim_tile"]) if hand.phase == "claim" else None
            texts = sorted(format_action(int(a), claimed) for a in np.flatnonzero(mask))
            assert texts == hand.legal() == sorted(set(hand.legal()))
            # Fault 6: a hand that is not over has a choice.
            assert len(texts) >= 2 and hand.seat in range(4)
        assert hand.legal() == [] and not hand.legal_mask().any() and hand.legal_mask().shape == (N_ACTIONS,)
        assert hand.seat is None and hand.phase == "over"


def test_no_claim_leaves_a_seat_without_a_discard() -> None:
    """Fault 6: whatever claim is offered, a legal discard follows it."""
    claims = 0
    for hand in rich_decisions(200, 6, RULE_SETS):
        for action in hand.legal():
            if hand.phase == "claim" and action.split()[0] in ("chow", "pung"):
                after = hand.copy().apply(action)
                while after.phase == "claim" and after.seat is not None:
                    after.apply("pass")
                if after.phase == "turn" and int(after.record["claim_turn"]):
                    claims += 1
                    assert [a for a in after.legal() if a.startswith("discard ")]
    assert claims > 200


def test_illegal_actions_are_refused_and_change_nothing() -> None:
    rng = random.Random(1)
    tried = 0
    for hand, steps in rich_games(50, 100, RULE_SETS):
        for _ in steps:
            legal = np.flatnonzero(hand.legal_mask())
            illegal = [a for a in (-2, *range(N_ACTIONS + 3)) if a not in legal]
            before = (hand._array.tobytes(), list(hand.decisions), hand.legal())
            for action in rng.sample(illegal, 4):
                with pytest.raises(mjsim.IllegalAction, match=f"seat {hand.seat}"):
                    hand.apply(action)
                tried += 1
            for text in ("discard 9f", "chow 19m", "", "win!", "DISCARD 1m"):
                with pytest.raises(mjsim.MjsimError):
                    hand.apply(text)
            assert (hand._array.tobytes(), hand.decisions, hand.legal()) == before
    assert tried > 2000


ABSURD = {
    "begin": lambda legal: -1,
    "huge": lambda legal: 10**18,
    "a legal number and 2**64": lambda legal: legal + 2**64,
    "a legal number less 2**64": lambda legal: legal - 2**64,
    "a legal number and a half": lambda legal: legal + 0.5,
    "None": lambda legal: None,
}


@pytest.mark.parametrize("name", ABSURD)
def test_absurd_action_numbers_are_refused(name: str) -> None:
    """-1 is the engine's own word for dealing: from outside it must not deal the hand again."""
    hand = plain_hand(2)
    hand.apply(hand.legal()[0])
    before, decisions = hand._array.tobytes(), list(hand.decisions)
    with pytest.raises((mjsim.MjsimError, TypeError)):
        hand.apply(ABSURD[name](int(np.flatnonzero(hand.legal_mask())[0])))
    assert hand._array.tobytes() == before and hand.decisions == decisions


def test_nothing_after_the_end() -> None:
    """Fault 51: settled once; a second `apply` is refused and changes nothing."""
    for hand in rich_hands(80, 51, RULE_SETS):
        before = hand._array.tobytes()
        told = hand.transcript(legal=True)
        for action in ("win", "pass", "discard 1m", 0, -1, 141, 146):
            with pytest.raises(mjsim.IllegalAction, match="over"):
                hand.apply(action)
        # Nor by the engine's verb itself.
        for action in (0, 100, 141, 143):
            assert hand._apply(hand._address, hand._rules_address, action) == -1
        assert hand._array.tobytes() == before
        assert hand.transcript(legal=True) == told


def test_settled_once() -> None:
    """Fault 7: scores stay zero until the end, then are the payments' sum; nothing of the hand before remains."""
    rng = random.Random(7)
    array = np.zeros(1, dtype=HAND)
    for hand, steps in rich_games(120, 7, RULE_SETS):
        for _ in steps:
            assert hand.scores == [0, 0, 0, 0] and hand.end is None and hand.next is None
            assert {settlement["kind"] for settlement in hand.settlements} <= {"instant"}
        payments = [settlement["payments"] for settlement in hand.settlements]
        assert hand.scores == [sum(p[s] for p in payments) for s in range(4)]
        # What the seats lose the pool of drawn hands gains (hk16); elsewhere there is none.
        pool = int(hand.record["next_pool"]) - int(hand.record["pool"])
        assert sum(hand.scores) == -pool and (pool == 0 or hand.rules.name == "hk16")
        won = [settlement for settlement in hand.settlements if settlement["kind"] != "instant"]
        assert all(sum(settlement["payments"]) == 0 for settlement in won)
        assert (hand.end == "draw") == (won == [])
        # The record of a finished hand, used again, gives what a fresh one does.
        array[0] = hand.record
        setup = rich_setup(rng, RULE_SETS)
        fresh, again = mjsim.Hand(**setup), mjsim.Hand(**setup)
        used = array.copy()
        for name in (
            "seed",
            "match",
            "hand",
            "wall",
            "dice",
            "pairings",
            "rng",
            "dealer",
            "east",
            "prevailing",
            "streak",
            "pool",
        ):
            used[name] = fresh._array[name]
        again._own(used)
        again._apply(again._address, again._rules_address, -1)
        a, b = random.Random(1), random.Random(1)
        while not fresh.over:
            fresh.apply(any_choice(a, fresh))
            again.apply(any_choice(b, again))
        assert fresh.decisions == again.decisions
        assert (fresh.settlements, fresh.scores, fresh.end) == (again.settlements, again.scores, again.end)
        assert fresh.next == again.next


# --- copies ---------------------------------------------------------------------------------------------------------


def finish(hand: mjsim.Hand, seed: int) -> dict[str, Any]:
    rng = random.Random(seed)
    while not hand.over:
        hand.apply(any_choice(rng, hand))
    return hand.transcript(legal=True)


COPIES = {
    "copy": copy.copy,
    "Hand.copy": mjsim.Hand.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda hand: pickle.loads(pickle.dumps(hand)),
}


@pytest.mark.parametrize("how", COPIES)
def test_copies_in_mid_hand_have_the_same_future(how: str) -> None:
    rng = random.Random(9)
    for hand, steps in rich_games(25, 9, RULE_SETS):
        stop = rng.randrange(1, 60)
        for n, _ in enumerate(steps):
            if n == stop:
                break
        other = COPIES[how](hand)
        assert (other.legal(), other.seat, other.phase) == (hand.legal(), hand.seat, hand.phase)
        before = hand._array.tobytes()
        ended = finish(other, stop)
        assert hand._array.tobytes() == before, "the copy's moves are its own"
        assert finish(hand, stop) == ended
        assert mjsim.replay(ended) == []


def test_copies_of_rules_survive_pickling() -> None:
    rules = mjsim.rules("douque-american", min_tai=5, items={"all_pungs": 6})
    hand = pickle.loads(pickle.dumps(mjsim.Hand(rules, seed=3)))
    assert hand.rules == rules and hand.rules.options == rules.options


# --- luck -----------------------------------------------------------------------------------------------------------


def luck(seed: int, match: int, number: int) -> tuple[str, tuple[int, ...], str]:
    record = mjsim.Hand("douque-american", seed=seed, match=match, hand=number).record
    wall = mjsim.tiles.format_wall(record["wall"].tolist())
    return wall, tuple(record["dice"].tolist()), json.dumps(record["pairings"].tolist())


def test_walls_differ_between_seeds_matches_and_hands() -> None:
    """Fault 8: every wall after the first hand was the same constant, whatever the seed."""
    keys = [(seed, match, number) for seed in range(5) for match in range(4) for number in range(5)]
    drawn = {key: luck(*key) for key in keys}
    walls = [wall for wall, _, _ in drawn.values()]
    assert len(set(walls)) == len(keys)
    # No two of them agree in more places than chance allows (144 places, about 4 in 144 equal each).
    tiles = np.array([mjsim.tiles.parse_tiles(wall) for wall in walls])
    equal = (tiles[:, None] == tiles[None]).sum(axis=2) - 144 * np.eye(len(keys), dtype=int)
    assert equal.max() < 20
    assert len({dice for _, dice, _ in drawn.values()}) > 50
    assert len({pairing for _, _, pairing in drawn.values()}) > 40
    assert {key: luck(*key) for key in keys} == drawn


def test_luck_does_not_depend_on_decisions_or_standing() -> None:
    a = mjsim.Hand("douque-american", seed=5, match=2, hand=3, dealer=2, streak=4, prevailing=3)
    for rules in RULE_SETS:
        b = mjsim.Hand(rules, seed=5, match=2, hand=3)
        for field in ("wall", "dice", "pairings", "rng"):
            assert (a.record[field] == b.record[field]).all(), (rules, field)


_TELL = """
import json, sys
from tests.test_flow_oracle import finish, luck
import mjsim
out = [luck(seed, match, number) for seed in (0, 7) for match in (0, 3) for number in (0, 1, 5)]
hands = [finish(mjsim.Hand(rules, seed=7, match=1, hand=n), n) for rules in mjsim.ruleset.PRESETS for n in range(3)]
print(json.dumps([out, hands]))
"""


def test_luck_repeats_in_a_new_process_with_another_hash_seed() -> None:
    """Faults 8 and 37."""
    told = []
    for hash_seed in ("1", "4242"):
        env = {**os.environ, "PYTHONHASHSEED": hash_seed}
        ran = subprocess.run(
            [sys.executable, "-c", _TELL],
            cwd=Path(__file__).parent.parent, env=env, capture_output=True, text=True, check=True, timeout=300,
        )  # fmt: skip
        told.append(ran.stdout)
    assert told[0] == told[1]
    here = [luck(seed, match, number) for seed in (0, 7) for match in (0, 3) for number in (0, 1, 5)]
    assert json.loads(told[0])[0] == json.loads(json.dumps(here))


def test_dice_and_pairings_are_uniform() -> None:
    """Each die and each of the nine pairings (ruling 37), over 4,000 hands; the seed is fixed, so is the outcome."""
    n = 4000
    dice, rows = np.zeros(6), np.zeros(9)
    for number in range(n):
        record = mjsim.Hand("douque-taiwanese", seed=1, match=number).record
        dice += np.bincount(record["dice"] - 1, minlength=6)
        for row in record["pairings"]:
            rows[int(np.flatnonzero((PAIRINGS_TABLE == row).all(axis=1))[0])] += 1
    for found, degrees, limit in ((dice, 5, 20.5), (rows, 8, 26.1)):
        expected = found.sum() / len(found)
        assert len(found) == degrees + 1 and ((found - expected) ** 2 / expected).sum() < limit, found


# --- arguments ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"wall": [0] * 144}, "wall"),
        ({"wall": FULL_SET.tolist()[:-1]}, "wall"),
        ({"wall": "1m2m"}, "wall"),
        ({"dice": [1, 2]}, "dice"),
        ({"dice": [0, 2, 3]}, "dice"),
        ({"dice": "123"}, "dice"),
        ({"pairings": [[0, 1, 2, 3]]}, "pairings"),
        ({"pairings": [[1, 0, 3, 3]]}, "pairings"),
        ({"dealer": 4}, "dealer"),
        ({"streak": -1}, "streak"),
        ({"prevailing": "5z"}, "prevailing"),
        ({"east": -1}, "east"),
        ({"hand": -1}, "hand"),
    ],
)
def test_bad_arguments_are_named(change: dict[str, Any], what: str) -> None:
    good = {"seed": 1, "wall": FULL_SET.tolist(), "dice": [1, 2, 3], "pairings": [[1, 0, 3, 2]] * 2}
    mjsim.Hand("douque-american", **good)
    with pytest.raises(mjsim.MjsimError, match=what):
        mjsim.Hand("douque-american", **{**good, **change})


@pytest.mark.parametrize(
    ("rules", "carry", "what"),
    [
        ("hk16", {"pool": -1}, "pool: -1"),
        ("hk16", {"pool": "20"}, "pool: '20'"),
        ("hk16", {"pol": 20}, "'pool': 20"),
        ("hk16", 20, "carry: 20"),
        *((rules, {"pool": 20}, f"in {rules} a hand receives nothing") for rules in RULE_SETS if rules != "hk16"),
    ],
)
def test_bad_carry_is_named(rules: str, carry: Any, what: str) -> None:
    mjsim.Hand(rules, seed=1, carry={})
    mjsim.Hand("hk16", seed=1, carry={"pool": 20})
    with pytest.raises(mjsim.UsageError, match="carry") as told:
        mjsim.Hand(rules, seed=1, carry=carry)
    assert what in str(told.value) and "\n" not in str(told.value)


def test_rich_walls_are_walls() -> None:
    rng = random.Random(0)
    for make in WALLS:
        for _ in range(20):
            assert sorted(make(rng)) == sorted(FULL_SET.tolist()), make.__name__
    assert len(TEXT) == 42
