"""`search`: its worlds are sound and agree with what was seen, it repeats itself, and it improves on what it is given.

That it sees only its own is tested for every bundled agent in `test_agents`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import mjsim
from mjsim import agents
from mjsim.agents.heuristic_sight import SEAT, TABLE
from mjsim.agents.search import GIVE, PARAMETERS, Search
from mjsim.agents.search_choices import MAX_ACTIONS, plausible, plausible_gifts
from mjsim.agents.search_worlds import deal_world
from mjsim.batch import Players, play_one_match
from mjsim.errors import UsageError
from mjsim.flow import engine
from mjsim.flow.lacking import lack_of
from mjsim.hand_record import HAND, OVER
from mjsim.jit import call, entry
from mjsim.melds import meld_tiles
from mjsim.play import DECISION, MAX_DECISIONS
from mjsim.tiles import FULL_SET
from tests.rich_hands import RULE_SETS

LITTLE = "search:rollouts=2:turn=1:claim=1:exchange=1:choice=1"


def ask(agent: agents.Agent, hand: mjsim.Hand) -> int:
    array = hand._array.copy()
    return agent.policy.python()(array.ctypes.data, hand.rules.address, agent.parameters_address)


def decisions(rules: str, seeds: range, text: str = "heuristic") -> Iterator[mjsim.Hand]:
    """Hands at each decision, played by one agent in all seats."""
    agent = agents.make(text)
    for seed in seeds:
        hand = mjsim.Hand(rules, seed=seed, hand=1, dealer=seed % 4)
        while not hand.over:
            yield hand
            hand.apply(ask(agent, hand))


def scores(four: list[agents.Agent], walls: int, seed: int = 7) -> np.ndarray:
    """int[walls, 4]: single hands, the dealer going round."""
    rules = mjsim.rules("douque-american").ready()
    players = Players(four)
    hands = np.zeros(1, HAND)
    log = np.zeros((0, MAX_DECISIONS), DECISION)
    out = []
    for wall in range(walls):
        hands["dealer"], hands["streak"], hands["prevailing"], hands["pool"] = wall % 4, 0, 0, 0
        play_one_match(rules, players, seed, wall, hands, 1, False, log)
        out.append(hands["scores"][0].tolist())
    return np.array(out)


# --- worlds -----------------------------------------------------------------------------------------------------------


@entry
def _world(hands, rules, me, rng):
    """Deal hands[1], a copy of hands[0], anew; whether that was possible."""
    hands[1] = hands[0]
    return deal_world(hands[0], rules[0], me, rng, hands[1])


@entry
def _lacks(hands, rules, seat):
    return lack_of(hands[0], rules[0], seat), lack_of(hands[1], rules[0], seat)


def world_of(hand: mjsim.Hand, seat: int, number: int) -> np.ndarray:
    """HAND[2]: the hand and a world of it."""
    hands = np.zeros(2, HAND)
    hands[0] = hand.record
    assert _world(hands, hand.rules.array, seat, np.array([number], np.uint64))
    return hands


def held_in_melds(record: np.void) -> list[int]:
    return [
        kind
        for s in range(4)
        for i in range(int(record["n_melds"][s]))
        for kind in meld_tiles(int(record["meld_type"][s, i]), int(record["meld_tile"][s, i]))
    ]


@pytest.mark.parametrize("rules", RULE_SETS)
def test_a_world_has_144_tiles_and_what_the_seat_sees(rules: str) -> None:
    changed = 0
    for number, hand in enumerate(decisions(rules, range(6))):
        seat = hand.seat
        if number % 5 or hand.phase not in ("turn", "claim", "choice", "give"):
            continue
        if hand.phase == "give" and hand.record["n_given"]:
            continue  # a gift is searched as of its begin
        true, world = hands = world_of(hand, seat, number)
        tiles = [k for s in range(4) for k in range(34) for _ in range(int(world["counts"][s, k]))]
        tiles += world["wall"][int(world["head"]) : int(world["tail"])].tolist() + held_in_melds(world)
        tiles += [34 + f for f in range(8) if world["flower_time"][f]]
        n = int(world["n_discards"])
        tiles += [
            int(k) for k, taken in zip(world["discards"][:n], world["discard_taken"][:n], strict=True) if taken < 0
        ]
        assert sorted(tiles) == sorted(FULL_SET.tolist()), hand.phase
        for name in ("counts", "keys", "have", "twos", "threes", "quads", "skipped_pung", "passed"):
            assert np.array_equal(true[name][seat], world[name][seat]), name
        for name in (
            "discards",
            "n_melds",
            "meld_type",
            "flowers",
            "declared",
            "dice",
            "head",
            "tail",
            "legal",
            "claim_tile",
        ):
            assert np.array_equal(true[name], world[name]), name
        changed += not np.array_equal(true["counts"], world["counts"])
        assert hands[0].tobytes() == hand.record.tobytes()
    assert changed > 20


@entry
def _played_out(hands, rules, action, apply_at, policy_at, parameters):
    """Apply an action to hands[1] and play on; 0, or what was wrong: 1 the action, 2 an answer of the policy."""
    w, r = hands[1], rules[0]
    if call(apply_at, (w, r, action)) != 0:
        return 1
    while w.phase != OVER:
        if call(apply_at, (w, r, call(policy_at, (w, r, parameters)))) != 0:
            return 2
    return 0


@pytest.mark.parametrize("rules", RULE_SETS)
def test_worlds_are_played_to_their_end_by_legal_actions(rules: str) -> None:
    """Whatever is legal at the true table is in a world, and so is what follows."""
    greedy = agents.make("greedy")
    claims = 0
    for number, hand in enumerate(decisions(rules, range(300, 340))):
        if hand.phase not in ("turn", "claim") or (hand.phase == "turn" and number % 16):
            continue
        claims += hand.phase == "claim"
        for action in np.flatnonzero(hand.legal_mask()).tolist():
            for world in range(4):
                hands = world_of(hand, hand.seat, 10 * number + world)
                found = _played_out(
                    hands, hand.rules.array, action, engine.apply.address, greedy.address, greedy.parameters_address
                )
                assert found == 0, (number, hand.phase, action)
    assert claims > 40


def test_a_declared_seat_may_not_chow_after_a_pass_in_a_world() -> None:
    """It was offered the chow of a discard that the asked seat could pung; with MIGI declared it could not pass either."""
    found = 0
    for number, hand in enumerate(decisions("douque-american", range(400, 480))):
        if hand.phase != "claim" or hand.record["stage"] != 2:
            continue
        chower = (int(hand.record["claim_from"]) + 1) % 4
        if chower == hand.seat or not hand.record["declared"][chower] or hand.record["claim_tile"] >= 27:
            continue
        for world in range(40):
            assert world_of(hand, hand.seat, 100 * number + world)["options"][1, chower] == 0
        found += 1
    assert found > 3


def test_a_declared_seat_waits_in_every_world() -> None:
    found = 0
    for number, hand in enumerate(decisions("douque-american", range(12))):
        if hand.phase != "turn":
            continue
        for other in range(4):
            if other != hand.seat and hand.record["declared"][other]:
                hands = world_of(hand, hand.seat, number)
                assert _lacks(hands, hand.rules.array, other)[1] == 1
                found += 1
    assert found > 50


def test_hands_in_worlds_are_as_near_as_true_ones() -> None:
    """Tiles lacking by discards made, on average over undeclared seats: random hands would lack about two more."""
    true: dict[int, list[int]] = {}
    dealt: dict[int, list[int]] = {}
    for number, hand in enumerate(decisions("douque-american", range(200, 290))):
        if hand.phase != "turn" or number % 2:
            continue
        hands = world_of(hand, hand.seat, number)
        for other in range(4):
            if other != hand.seat and not hand.record["declared"][other]:
                made = min(int(hand.record["n_discards_of"][other]) // 3, 3)
                lacks = _lacks(hands, hand.rules.array, other)
                true.setdefault(made, []).append(lacks[0])
                dealt.setdefault(made, []).append(lacks[1])
    for made in range(4):
        assert len(true[made]) > 50
        assert abs(np.mean(true[made]) - np.mean(dealt[made])) < 0.5, made


# --- what is compared -------------------------------------------------------------------------------------------------


@entry
def _plausible(hands, rules, base, width, values, actions, prior, tables, seats):
    h = hands[0]
    return plausible(h, rules[0], np.int64(h.seat), base, width, values, actions, prior, tables, seats)


@entry
def _gifts(hands, rules, width, values, gifts, prior, tables, seats):
    h = hands[0]
    return plausible_gifts(h, rules[0], np.int64(h.seat), width, values, gifts, prior, tables, seats)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_what_is_compared_is_legal_and_begins_with_the_base(rules: str) -> None:
    heuristic = agents.make("heuristic")
    several = 0
    for hand in decisions(rules, range(4)):
        if hand.phase not in ("turn", "claim", "choice") or "win" in hand.legal() or hand.record["declared"][hand.seat]:
            continue
        actions, prior = np.full((MAX_ACTIONS, 3), -1), np.zeros(MAX_ACTIONS)
        base = ask(heuristic, hand)
        n = _plausible(
            hand._array,
            hand.rules.array,
            base,
            4,
            heuristic.parameters,
            actions,
            prior,
            np.zeros(1, TABLE),
            np.zeros(1, SEAT),
        )
        listed = actions[:n, 0].tolist()
        assert listed[0] == base and len(set(listed)) == n and prior[0] == 0
        assert all(hand.legal_mask()[a] for a in listed), hand.phase
        several += n > 2
    assert several > 20


def test_gifts_are_sets_that_the_seat_holds_the_heuristic_first() -> None:
    heuristic = agents.make("heuristic")
    plain = 0
    for hand in decisions("douque-american", range(10)):
        if hand.phase != "give" or hand.record["n_given"]:
            continue
        gifts, prior = np.full((MAX_ACTIONS, 3), -1), np.zeros(MAX_ACTIONS)
        n = _gifts(
            hand._array, hand.rules.array, 8, heuristic.parameters, gifts, prior, np.zeros(1, TABLE), np.zeros(1, SEAT)
        )
        sets = [tuple(sorted(row)) for row in gifts[:n].tolist()]
        assert len(set(sets)) == n == 8
        held = hand.record["counts"][hand.seat]
        assert all(held[k] >= row.count(k) for row in sets for k in row)
        played, own = hand.copy(), []
        for _ in range(3):
            own.append(ask(heuristic, played) - GIVE)
            played.apply(own[-1] + GIVE)
        assert sorted(own) == list(sets[0])
        plain += prior[:n].tolist().count(0.0) > 1  # the best set that pays no heed to what comes back
    assert plain > 5


# --- the agent --------------------------------------------------------------------------------------------------------


def test_without_rollouts_it_is_the_heuristic() -> None:
    mine = scores([agents.make("search:rollouts=0")] * 4, 30)
    assert np.array_equal(mine, scores([agents.make("heuristic")] * 4, 30))


def test_without_sets_to_compare_the_gift_is_the_heuristics() -> None:
    """It was read from memory that nothing had been written to."""
    agent, heuristic = agents.make("search:gifts=0:rollouts=2"), agents.make("heuristic")
    for hand in decisions("douque-american", range(3)):
        if hand.phase == "give":
            assert ask(agent, hand) == ask(heuristic, hand)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_it_plays_whole_hands_of_every_rule_set(rules: str) -> None:
    table = mjsim.simulate(rules, f"{LITTLE},heuristic,heuristic,heuristic", 6, 3)
    assert len(table) == 6


def test_it_repeats_itself_and_remembers_nothing() -> None:
    """The gift that it keeps in mind changes nothing: one that begins in the middle of a gift goes on with the same tiles."""
    text = "search:rollouts=4:turn=1:claim=1:choice=1"
    old = agents.make(text)
    searched = 0
    for number, hand in enumerate(decisions("douque-american", range(2), text)):
        answer = ask(old, hand)
        assert answer == ask(agents.make(text), hand), (number, hand.phase)
        searched += answer != ask(agents.make("heuristic"), hand)
    assert searched > 5


def test_a_gift_is_searched_anew_for_another_hand_of_the_same_tiles() -> None:
    """It was taken for the one in mind where other rules or dice asked the same seat with the same tiles."""
    text = "search:rollouts=1"
    differ = 0
    for seed in range(12):
        gifts = []
        for minimum in (0, 5):
            hand = mjsim.Hand(mjsim.rules("douque-american", min_tai=minimum), seed=seed)
            gifts.append(ask(agents.make(text), hand))
        old = agents.make(text)
        for minimum, wanted in zip((0, 5), gifts, strict=True):
            hand = mjsim.Hand(mjsim.rules("douque-american", min_tai=minimum), seed=seed)
            assert ask(old, hand) == wanted
        differ += gifts[0] != gifts[1]
    assert differ > 0


def test_it_improves_on_a_bad_player() -> None:
    """In the place of `heuristic` one that plays at random: what is played out has to find the better actions."""
    chance = agents.make("random")
    mine = agents.make("search:rollouts=8:turn=1:claim=1:exchange=1:choice=1")
    assert isinstance(mine, Search)
    mine.base = chance
    found = scores([mine, chance, chance, chance], 40)[:, 0]
    assert found.mean() > 3 * found.std() / len(found) ** 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("search:rollouts=-1", "rollouts -1 is outside 0-1000000"),
        ("search:gifts=25", "gifts 25 is outside 0-24"),
        ("search:margin=-1", "margin -1 is outside 0-1000"),
        ("search:others=2", "others 2 is outside 0-1"),
        ("search:depth=2", "unknown parameter 'depth'"),
    ],
)
def test_a_wrong_parameter_is_named(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        agents.make(text)


def test_the_budget_is_64_by_default() -> None:
    assert PARAMETERS["rollouts"] == 64
    assert agents.make("search").values == agents.make("search:rollouts=64").values
