"""Transcripts: the same from `Hand` and from simulation, and a replay that lists what differs and never raises."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mjsim
from mjsim.actions import parse_action
from mjsim.agents import make
from mjsim.batch import Run, make_plan, simulate_files
from mjsim.show import shown
from mjsim.tiles import format_wall, parse_tiles
from mjsim.transcript import FORMAT, read_line
from tests import oracles
from tests.rich_hands import DOUQUE, RULE_SETS, rich_hands

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.hands.jsonl"))
KEYS = [
    "format", "rules", "options", "seed", "match", "hand", "dealer", "streak", "prevailing", "east", "dice", "wall",
    "pairings", "carry", "decisions", "legal", "settlements", "scores", "end", "next",
]  # fmt: skip


@cache
def won_line() -> str:
    """A line of a won hand with legal actions, an exchange and a few dozen decisions, as JSON."""
    for hand in rich_hands(200, 12):
        if hand.end == "win" and hand.rules.flags["exchange"] and len(hand.decisions) > 40:
            return json.dumps(hand.transcript(legal=True))
    raise AssertionError("no such hand")


def line() -> dict[str, Any]:
    return json.loads(won_line())


@cache
def pool_line() -> str:
    """A line of hk16 with payments during play, the pool of drawn hands among them, and a win, as JSON."""
    for hand in rich_hands(400, 12, ["hk16"]):
        kinds = [settlement["kind"] for settlement in hand.settlements]
        items = [settlement["items"][0][0] for settlement in hand.settlements]
        if hand.end == "win" and len(kinds) > 2 and "drawn_pool" in items and len(hand.decisions) > 10:
            return json.dumps(hand.transcript(legal=True))
    raise AssertionError("no such hand")


# --- what is written ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize("agents", ["random", "greedy", "greedy,random,greedy:exchange=2,random"])
def test_hand_and_simulation_write_the_same_lines(rules: str, agents: str, tmp_path: Path) -> None:
    """Stepped from Python with the same policies, on the luck of (seed, match, hand) and the standing that is carried on."""
    made = mjsim.rules(rules, **({"min_tai": 2} if rules in DOUQUE else {}))
    path = tmp_path / "hands.jsonl"
    plan = make_plan(made, agents, 10, 77, 4, transcripts=True, legal=True)
    simulate_files(Run(plan, None, path), 1)
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    assert len(lines) == 10
    texts = agents.split(",")
    four = [make(text) for text in (texts if len(texts) == 4 else texts * 4)]
    policies = [agent.policy.python() for agent in four]
    standing: dict[str, Any] = {}
    for number, told in enumerate(lines):
        match, place = divmod(number, 4)
        standing = standing if place else {"dealer": 0, "streak": 0, "prevailing": "1z"}
        hand = mjsim.Hand(made, seed=77, match=match, hand=place, **standing)
        while not hand.over:
            s = hand.seat
            hand.apply(policies[s](hand._address, made.address, four[s].parameters_address))
        assert json.loads(json.dumps(hand.transcript(legal=True))) == told, f"line {number}"
        standing = hand.next
        assert mjsim.replay(told) == [] and oracles.replay(told) == []


def test_a_line_has_the_documented_fields_in_order() -> None:
    told = line()
    assert list(told) == KEYS
    assert told["format"] == FORMAT == "mjsim-hand/1"
    assert len(told["legal"]) == len(told["decisions"])
    for (seat, action), legal in zip(told["decisions"], told["legal"], strict=True):
        assert seat in range(4) and action in legal and legal == sorted(set(legal)) and len(legal) >= 2
    assert sorted(parse_tiles(told["wall"])) == sorted(mjsim.tiles.FULL_SET.tolist())
    for settlement in told["settlements"]:
        assert list(settlement) == ["winner", "kind", "from", "items", "tai", "payments"]
        assert settlement["items"] == sorted(settlement["items"])
        assert settlement["tai"] == sum(tai for _, tai in settlement["items"])


def test_options_and_pairings_are_those_of_the_rules() -> None:
    for hand in rich_hands(60, 5, RULE_SETS):
        told = hand.transcript()
        assert "legal" not in told
        assert told["options"] == hand.rules.options
        assert bool(told["pairings"]) == hand.rules.flags["exchange"]
        assert told["carry"] == ({"pool": int(hand.record["pool"])} if told["rules"] == "hk16" else {})
        assert mjsim.rules(told["rules"], **told["options"]) == hand.rules


def test_items_of_the_house_are_options_of_the_line() -> None:
    rules = mjsim.rules("douque-taiwanese", items={"concealed_hand": 7, "declare_ready": 0})
    rng = random.Random(3)
    for number in range(4):
        hand = mjsim.Hand(rules, seed=1, hand=number)
        while not hand.over:
            hand.apply("win" if "win" in hand.legal() else rng.choice(hand.legal()))
        assert mjsim.replay(json.dumps(hand.transcript(legal=True))) == []


def test_no_transcript_of_a_hand_in_play() -> None:
    with pytest.raises(mjsim.UsageError, match="in play"):
        mjsim.Hand("douque-taiwanese", seed=1).transcript()


# --- replay ---------------------------------------------------------------------------------------------------------


def test_text_and_dict_replay_alike() -> None:
    assert mjsim.replay(won_line()) == [] == mjsim.replay(line())
    bare = line()
    for key in ("legal", "options", "carry", "seed", "match"):
        del bare[key]
    bare["options"] = line()["options"]
    assert mjsim.replay(bare) == []


def _set(*path: Any) -> Callable[[dict], None]:
    """Change what lies at the path to its last element."""

    def change(told: dict) -> None:
        at: Any = told
        for step in path[:-2]:
            at = at[step]
        at[path[-2]] = path[-1]

    return change


def _five_of_a_kind(told: dict) -> None:
    wall = parse_tiles(told["wall"])
    wall[next(i for i, k in enumerate(wall) if k == 8)] = 7
    told["wall"] = format_wall(wall)


def _swap(told: dict) -> None:
    """Two tiles of the deal change places between two seats."""
    wall = parse_tiles(told["wall"])
    wall[0], wall[4] = wall[4], wall[0]
    told["wall"] = format_wall(wall)


def _another_action(told: dict) -> None:
    at = next(i for i, legal in enumerate(told["legal"]) if len(legal) > 2 and told["decisions"][i][1][:4] == "disc")
    told["decisions"][at][1] = next(a for a in told["legal"][at] if a != told["decisions"][at][1])


#: Name, the change, words of which one must be in what is listed.
CHANGES: list[tuple[str, Callable[[dict], Any], tuple[str, ...]]] = [
    ("a legal action left out", lambda t: t["legal"][3].pop(), ("decision 3: legal",)),
    ("a legal action added", lambda t: t["legal"][0].append("win"), ("decision 0: legal",)),
    ("legal unsorted", lambda t: t["legal"][0].reverse(), ("decision 0: legal",)),
    ("a legal list missing", lambda t: t["legal"].pop(), ("legal",)),
    ("legal of another type", _set("legal", 5), ("legal",)),
    ("a legal list of another type", _set("legal", 1, None), ("decision 1: legal",)),
    ("winner", lambda t: t["settlements"][0].__setitem__("winner", (t["settlements"][0]["winner"] + 1) % 4),
     ("settlements",)),
    ("tai", lambda t: t["settlements"][0].__setitem__("tai", t["settlements"][0]["tai"] + 1), ("settlements",)),
    ("payments", lambda t: t["settlements"][0]["payments"].reverse(), ("settlements",)),
    ("an item left out", lambda t: t["settlements"][0]["items"].pop(), ("settlements",)),
    ("an item added", lambda t: t["settlements"][0]["items"].append(["migi", 8]), ("settlements",)),
    ("from", lambda t: t["settlements"][0].__setitem__("from", 9), ("settlements",)),
    ("kind", lambda t: t["settlements"][0].__setitem__("kind", "flower"), ("settlements",)),
    ("a settlement twice", lambda t: t["settlements"].append(t["settlements"][0]), ("settlements",)),
    ("no settlements", _set("settlements", []), ("settlements",)),
    ("settlements of another type", _set("settlements", "x"), ("settlements",)),
    ("scores", lambda t: t["scores"].__setitem__(0, t["scores"][0] + 1), ("scores",)),
    ("no scores", _set("scores", []), ("scores",)),
    ("end", _set("end", "draw"), ("end",)),
    ("end of another type", _set("end", None), ("end",)),
    ("next dealer", lambda t: t["next"].__setitem__("dealer", (t["next"]["dealer"] + 1) % 4), ("next",)),
    ("next streak", lambda t: t["next"].__setitem__("streak", t["next"]["streak"] + 1), ("next",)),
    ("next wind", _set("next", "prevailing", "9z"), ("next",)),
    ("no next", _set("next", None), ("next",)),
    ("a decision's seat", lambda t: t["decisions"][5].__setitem__(0, (t["decisions"][5][0] + 1) % 4), ("decision 5",)),
    ("seat 4", _set("decisions", 5, 0, 4), ("decision 5",)),
    ("a seat as text", lambda t: t["decisions"][5].__setitem__(0, str(t["decisions"][5][0])), ("decision 5",)),
    ("another legal action", _another_action, ("decision", "settlements", "cut off", "legal")),
    ("an illegal action", _set("decisions", 2, 1, "win"), ("decision 2",)),
    ("an unknown action", _set("decisions", 2, 1, "jump"), ("decision 2",)),
    ("an action number", _set("decisions", 2, 1, 5), ("decision 2",)),
    ("the action's own number", lambda t: t["decisions"][2].__setitem__(1, parse_action(t["decisions"][2][1])),
     ("decision 2",)),
    ("dealing again", _set("decisions", 2, 1, -1), ("decision 2",)),
    ("no action", _set("decisions", 2, 1, None), ("decision 2",)),
    ("a list as action", _set("decisions", 2, 1, ["give 1m"]), ("decision 2",)),
    ("a decision of one", _set("decisions", 2, [0]), ("decision 2",)),
    ("a decision of another type", _set("decisions", 2, "0 pass"), ("decision 2",)),
    ("a decision left out", lambda t: (t["decisions"].pop(), t["legal"].pop()), ("cut off",)),
    ("a decision in the middle left out", lambda t: (t["decisions"].pop(9), t["legal"].pop(9)),
     ("decision", "cut off")),
    ("a decision too many", lambda t: (t["decisions"].append([0, "pass"]), t["legal"].append(["pass", "win"])),
     ("over",)),
    ("no decisions", _set("decisions", []), ("cut off",)),
    ("decisions of another type", _set("decisions", 7), ("decisions",)),
    ("five of a kind", _five_of_a_kind, ("5 of 8m", "wall")),
    ("a tile missing", lambda t: t.__setitem__("wall", t["wall"][:-2]), ("wall",)),
    ("half a tile", lambda t: t.__setitem__("wall", t["wall"][:-1]), ("tiles", "wall")),
    ("no tile", lambda t: t.__setitem__("wall", t["wall"].replace("9m", "0m")), ("0m",)),
    ("wall of another type", _set("wall", 12), ("set up",)),
    ("no wall", _set("wall", None), ("set up",)),
    ("two tiles swapped", _swap, ("decision", "legal", "settlements")),
    ("a die", _set("dice", 0, 7), ("dice",)),
    ("a die as text", _set("dice", 0, "1"), ("dice",)),
    ("dice of another type", _set("dice", "123"), ("dice",)),
    ("two dice", _set("dice", [1, 2]), ("dice",)),
    ("dealer 4", _set("dealer", 4), ("dealer",)),
    ("no dealer", _set("dealer", None), ("dealer",)),
    ("another dealer", lambda t: t.__setitem__("dealer", (t["dealer"] + 1) % 4), ("decision", "legal")),
    ("streak as text", _set("streak", "1"), ("streak",)),
    ("a negative streak", _set("streak", -1), ("streak",)),
    ("wind", _set("prevailing", "5z"), ("prevailing",)),
    ("east", _set("east", 4), ("east",)),
    ("hand number", _set("hand", -1), ("hand",)),
    ("hand number as text", _set("hand", "0"), ("hand",)),
    ("match as text", _set("match", "0"), ("match",)),
    ("a pairing to itself", _set("pairings", [[0, 1, 2, 3], [1, 0, 3, 2]]), ("pairings",)),
    ("pairings of another type", _set("pairings", 3), ("pairings",)),
    ("pairings of numbers", _set("pairings", [1, 2]), ("set up", "pairings")),
    ("pairings of texts", _set("pairings", [["a", "b", "c", "d"]] * 2), ("set up", "pairings")),
    ("no pairings", _set("pairings", []), ("pairings",)),
    ("rules", _set("rules", "douque"), ("rules",)),
    ("rules of another type", _set("rules", ["douque-american"]), ("set up", "rules")),
    ("no rules", _set("rules", None), ("rules",)),
    ("an unknown option", _set("options", {"speed": 1}), ("speed",)),
    ("an option's value", _set("options", {"min_tai": 4}), ("min_tai",)),
    ("an option's type", _set("options", {"items": 3}), ("items",)),
    ("options of another type", _set("options", [1]), ("options",)),
    ("another format", _set("format", "mjsim-hand/2"), ("format",)),
    ("no format", lambda t: t.pop("format"), ("format",)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "words"), CHANGES, ids=[entry[0] for entry in CHANGES])
def test_replay_lists_what_was_altered(name: str, change: Callable[[dict], Any], words: tuple[str, ...]) -> None:
    told = line()
    change(told)
    assert told != line()
    for given in (told, json.dumps(told)):
        found = mjsim.replay(given)
        assert found and all(isinstance(entry, str) and "\n" not in entry for entry in found)
        assert any(word in entry for word in words for entry in found), found


def _instant(told: dict) -> dict:
    return next(settlement for settlement in told["settlements"] if settlement["kind"] == "instant")


#: The same for a line of hk16 with a pool.
POOL_CHANGES: list[tuple[str, Callable[[dict], Any], tuple[str, ...]]] = [
    ("a smaller pool", lambda t: t["carry"].__setitem__("pool", t["carry"]["pool"] - 5), ("settlements", "scores")),
    ("no pool", _set("carry", {}), ("settlements",)),
    ("carry of another name", _set("carry", {"pot": 20}), ("set up", "carry")),
    ("carry of another type", _set("carry", 20), ("set up", "carry")),
    ("a pool as text", _set("carry", {"pool": "20"}), ("set up", "carry: pool")),
    ("a pool below 0", _set("carry", {"pool": -20}), ("set up", "carry: pool")),
    ("a payment during play", lambda t: _instant(t).__setitem__("tai", _instant(t)["tai"] + 1), ("settlements",)),
    ("who pays during play", lambda t: _instant(t)["payments"].reverse(), ("settlements",)),
    ("a payment after the win", lambda t: t["settlements"].reverse(), ("settlements",)),
    ("a payment left out", lambda t: t["settlements"].remove(_instant(t)), ("settlements",)),
    ("carry to the next hand", _set("next", "carry", {"pool": 7}), ("next",)),
    ("no carry to the next hand", lambda t: t["next"].pop("carry"), ("next",)),
    ("dice of a triple", lambda t: t.__setitem__("dice", [3, 3, 3]), ("settlements",)),
    ("a declaration", lambda t: t["decisions"][0].__setitem__(1, "declare"), ("decision 0",)),
]


@pytest.mark.parametrize(("name", "change", "words"), POOL_CHANGES, ids=[entry[0] for entry in POOL_CHANGES])
def test_replay_lists_what_was_altered_about_the_pool(
    name: str, change: Callable[[dict], Any], words: tuple[str, ...]
) -> None:
    told = json.loads(pool_line())
    assert mjsim.replay(told) == [] and len(set(told["dice"])) > 1
    change(told)
    assert told != json.loads(pool_line())
    found = mjsim.replay(told)
    assert any(word in entry for word in words for entry in found), found


@pytest.mark.parametrize(
    "key", ["rules", "dealer", "wall", "dice", "decisions", "settlements", "scores", "end", "next", "format"]
)
def test_replay_names_a_missing_field(key: str) -> None:
    told = line()
    del told[key]
    assert any(key in entry for entry in mjsim.replay(told)), mjsim.replay(told)


def test_several_differences_are_all_listed() -> None:
    told = line()
    told["legal"][1].append("x")
    told["legal"][4].append("x")
    told["scores"][0] += 1
    told["end"] = "flower"
    found = mjsim.replay(told)
    assert [entry.split(":")[0] for entry in found] == ["decision 1", "decision 4", "scores", "end"]


@pytest.mark.parametrize(
    "text",
    ["", " ", "{", "[]", "5", "null", '"x"', "[1, 2]", "{}", "[" * 200_000, '{"format": "mjsim-hand/1"}', "\x00"],
)
def test_text_that_is_no_line(text: str) -> None:
    found = mjsim.replay(text)
    assert len(found) == 1 and isinstance(found[0], str)


def test_a_cut_off_line_is_listed_wherever_it_ends() -> None:
    text = won_line()
    rng = random.Random(0)
    for end in [len(text) - 1, len(text) - 2, *(rng.randrange(len(text)) for _ in range(100))]:
        found = mjsim.replay(text[:end])
        assert len(found) == 1 and "cut off" in found[0], (end, found)


@pytest.mark.parametrize("given", [5, None, b"x", ["x"], {"format": FORMAT, "wall": object()}, {1: {2}}])
def test_replay_of_no_transcript_at_all(given: Any) -> None:
    assert len(mjsim.replay(given)) == 1


def _paths(value: Any, path: tuple = ()) -> list[tuple]:
    found = [path] if path else []
    if isinstance(value, dict):
        found += [p for key, inner in value.items() for p in _paths(inner, (*path, key))]
    elif isinstance(value, list):
        found += [p for i, inner in enumerate(value) for p in _paths(inner, (*path, i))]
    return found


STRANGE: list[Any] = [
    None, True, -1, 0, 4, 10**20, 2**63, 1.5, float("nan"), "", "x", "5m", "9z", [], {}, [[]], [None], {"a": 1},
]  # fmt: skip


@pytest.mark.parametrize("text", [won_line, pool_line])
def test_no_change_of_any_field_makes_replay_raise(text: Callable[[], str]) -> None:
    """Every field and each of its parts set to strange values: a list of texts comes back, whatever it says."""
    told = json.loads(text())
    told["decisions"], told["legal"] = told["decisions"][:30], told["legal"][:30]
    paths = [p for p in _paths(told) if p[0] not in ("legal", "decisions") or len(p) < 2 or p[1] < 2]
    rng = random.Random(1)
    raised: list[str] = []
    for path in paths:
        for strange in STRANGE if len(path) == 1 else rng.sample(STRANGE, 4):
            changed = copy.deepcopy(told)
            at: Any = changed
            for step in path[:-1]:
                at = at[step]
            at[path[-1]] = strange
            try:
                found = mjsim.replay(json.dumps(changed))
            except Exception as error:
                raised.append(f"{path} = {strange!r}: {error!r}")
            else:
                assert found and all(isinstance(entry, str) for entry in found), (path, strange)
    assert raised == [], "\n".join(raised)


def test_read_line_refuses_in_one_line() -> None:
    for text in ("{", "5", "{}", '{"format": "mjsim-hand/1", "rules": 1}'):
        with pytest.raises(mjsim.NotationError) as told:
            read_line(text)
        assert "\n" not in str(told.value)


# --- for people -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name.split(".")[0])
def test_a_shown_hand_tells_every_decision_and_the_result(path: Path) -> None:
    for number, text in enumerate(path.read_text().splitlines(), 1):
        told = json.loads(text)
        lines = shown(told, number).splitlines()
        assert lines[0].startswith(f"hand {number}: {told['rules']}")
        moves = [entry for entry in lines if entry.startswith("seat ")][: len(told["decisions"])]
        assert moves == [f"seat {seat}: {action}" for seat, action in told["decisions"]]
        assert f"end: {told['end']}" in lines
        assert lines[-1] == f"scores {told['scores']}"
        payments = [entry.strip() for entry in lines if "payments" in entry]
        assert payments == [f"payments {s['payments']}" for s in told["settlements"]]


def test_a_shown_hand_tells_every_discard() -> None:
    """Moves made without asking are told too: every discard of the table, in order."""
    for number, hand in enumerate(rich_hands(80, 21, RULE_SETS)):
        lines = shown(json.loads(json.dumps(hand.transcript())), number).splitlines()
        told = []
        for entry in lines:
            words = entry.replace(":", " ").split()
            if words[0] == "seat" and len(words) > 3 and words[2] in ("discard", "ready", "discards"):
                told.append((int(words[1]), words[3]))
        record = hand.record
        n = int(record["n_discards"])
        wanted = [
            (int(s), mjsim.tiles.TEXT[int(k)])
            for s, k in zip(record["discarder"][:n], record["discards"][:n], strict=True)
        ]
        assert told == wanted, f"hand {number}"


def test_showing_a_line_that_breaks_the_rules_is_refused() -> None:
    for change in (_set("decisions", 2, 1, "win"), _set("wall", "1m"), _set("rules", "x")):
        told = line()
        change(told)
        with pytest.raises(mjsim.MjsimError):
            shown(told, 1)


def test_numbers_in_a_line_are_plain_json() -> None:
    """No numpy number gets into a line, whatever the seed was given as."""
    hand = mjsim.Hand("douque-taiwanese", seed=np.int64(3), dealer=np.int8(1), prevailing=np.int64(2))
    rng = random.Random(0)
    while not hand.over:
        hand.apply(rng.choice(hand.legal()))
    assert json.loads(json.dumps(hand.transcript(legal=True)))["seed"] == 3
