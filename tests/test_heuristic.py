"""`heuristic`: what its parameters do, that it stays legal everywhere, and that it is stronger than `greedy`.

What it may see is tested for every bundled agent in `test_agents`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

import mjsim
from mjsim import agents
from mjsim.actions import format_action
from mjsim.agents import heuristic_sight
from mjsim.agents.heuristic import PARAMETERS, HeuristicParameters
from mjsim.errors import UsageError

RULES = ("douque-american", "douque-taiwanese", "four-winds", "hk16", "house16")


def answer(hand: mjsim.Hand, text: str = "heuristic") -> str:
    agent = agents.make(text)
    array = hand._array.copy()
    action = agent.policy.python()(array.ctypes.data, hand.rules.address, agent.parameters_address)
    claimed = int(hand.record["claim_tile"]) if hand.phase == "claim" else None
    return format_action(action, claimed)


def decisions(rules: str, seeds: range, limit: int = 10_000) -> Iterator[mjsim.Hand]:
    """Hands at each decision, played by the heuristic itself."""
    for seed in seeds:
        hand = mjsim.Hand(rules, seed=seed)
        for _ in range(limit):
            if hand.phase == "over":
                break
            yield hand
            hand.apply(answer(hand))


def score_of(text: str, walls: int, rules: str = "douque-american", seed: int = 11) -> np.ndarray:
    """Mean score a wall of one `text` in each seat in turn against three greedy, on the same walls."""
    scores = []
    for seat in range(4):
        players = ["greedy"] * 4
        players[seat] = text
        table = mjsim.simulate(rules, players, walls, seed, match_hands=1)
        scores.append(table[f"score_{seat}"].to_numpy())
    return np.mean(scores, axis=0)


def dealt_in(table: pd.DataFrame, seat: int) -> float:
    return float((table["payer"] == seat).mean())


# --- parameters -------------------------------------------------------------------------------------------------------


def test_parameters_are_the_dataclass_in_order() -> None:
    names = [field.name for field in fields(HeuristicParameters)]
    assert list(PARAMETERS) == names
    assert len(names) == heuristic_sight.N_PARAMETERS
    agent = agents.make("heuristic:defence=0:claim=1.5")
    assert agent.parameters[names.index("defence")] == 0
    assert agent.parameters[names.index("claim")] == 1.5
    assert agent.parameters[heuristic_sight.DEFENCE] == 0
    assert agent.parameters[heuristic_sight.CLAIM_BIAS] == 1.5
    assert agent.parameters[heuristic_sight.EXCHANGE_AGAIN] == HeuristicParameters().exchange


def test_parameters_cannot_be_changed_in_place() -> None:
    with pytest.raises(AttributeError):
        HeuristicParameters().defence = 0.0  # type: ignore[misc]


def test_an_unknown_parameter_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown parameter 'speed'"):
        agents.make("heuristic:speed=1")


def test_exchange_parameter_is_the_shanten_from_which_the_dealer_exchanges_again() -> None:
    players = ["greedy"] * 4
    for text, wanted in (("heuristic:exchange=-1", {2}), ("heuristic:exchange=20", {1})):
        players[0] = text
        table = mjsim.simulate(
            "douque-american", players, 60, 3, match_hands=1
        )  # seat 0 deals the first hand of a match
        asked = table[(table["dealer"] == 0) & (table["exchanges"] > 0)]
        assert set(asked["exchanges"]) == wanted


def test_claim_parameter_far_above_1_keeps_the_hand_concealed() -> None:
    table = mjsim.simulate("douque-american", "heuristic:claim=1000000", 60, 3)
    assert table[[f"melds_{s}" for s in range(4)]].to_numpy().mean() < 0.3  # concealed kongs, and hands worth nothing


def test_defence_lowers_the_rate_of_dealing_in() -> None:
    rates = {}
    for text in ("heuristic:defence=0", "heuristic"):
        table = mjsim.simulate("douque-american", [text, "greedy", "greedy", "greedy"], 3000, 5)
        rates[text] = dealt_in(table, 0)
    assert rates["heuristic"] < 0.85 * rates["heuristic:defence=0"], rates


# --- play -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
def test_every_answer_is_legal(rules: str) -> None:
    """`simulate` stops at an illegal answer; with random opponents the hands go everywhere."""
    for players in ("heuristic", ["heuristic", "random", "greedy", "random"]):
        assert len(mjsim.simulate(rules, players, 300, 8)) == 300


@pytest.mark.parametrize("rules", RULES)
def test_extreme_parameters_are_legal(rules: str) -> None:
    for text in (
        "heuristic:exchange=0:flush=5:pungs=5:claim=0:melded=1",
        "heuristic:two_step=0:defence=50:give_far=0:live=0:pace=0",
    ):
        assert len(mjsim.simulate(rules, text, 100, 4)) == 100


@pytest.mark.parametrize(
    "options", [{"min_tai": 0}, {"min_tai": 5}, {"declare_ready": False, "migi": False}, {"exchange": False}]
)
def test_other_douque_tables(options: dict) -> None:
    assert len(mjsim.simulate(mjsim.rules("douque-american", **options), "heuristic", 100, 4)) == 100


def test_same_hand_same_answer_whatever_was_played_before() -> None:
    """A record taken out of an array that numba freed at once: answers depended on what the memory held before."""
    first = mjsim.simulate("douque-taiwanese", "heuristic", 200, 6)
    mjsim.simulate("douque-american", "heuristic:defence=0", 100, 7)
    again = mjsim.simulate("douque-taiwanese", "heuristic", 200, 6)
    pd.testing.assert_frame_equal(first, again)


def test_it_wins_when_it_may() -> None:
    met = 0
    for hand in decisions("douque-american", range(40)):
        if "win" in hand.legal():
            assert answer(hand) == "win"
            met += 1
    assert met > 15


def test_it_keeps_honor_pairs_in_the_exchange() -> None:
    """Honors are what comes back: a pair of dragons is never given while other tiles are left over."""
    given = kept = 0
    for seed in range(60):
        hand = mjsim.Hand("douque-american", seed=seed)
        while hand.phase == "give":
            pairs = [k for k in range(31, 34) if hand.record["counts"][hand.seat, k] == 2]
            action = answer(hand)
            given += any(action == f"give {k - 26}z" for k in pairs)
            kept += bool(pairs)
            hand.apply(action)
    assert kept > 30
    assert given <= kept // 20


def test_it_beats_greedy_in_duplicate() -> None:
    """By 0.8 tai a hand; here on few walls, so that the bound is loose (0.25 is four standard errors below)."""
    scores = score_of("heuristic", 1500)
    assert scores.mean() > 0.25


@pytest.mark.parametrize("rules", ["douque-taiwanese", "four-winds", "house16"])
def test_it_holds_its_own_without_a_minimum(rules: str) -> None:
    scores = score_of("heuristic", 600, rules)
    assert scores.mean() > -3 * scores.std() / len(scores) ** 0.5


def test_greedy_stays_the_yardstick() -> None:
    """Four greedy on the same walls are worth nothing to each other: the measure itself is unbiased."""
    assert abs(score_of("greedy", 200).mean()) < 1e-12
