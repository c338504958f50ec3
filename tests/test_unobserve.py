"""From an observation back to a hand: `Agent.act`, and the record that compiled policies answer to."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

import mjsim
from mjsim import agents
from mjsim.actions import N_ACTIONS
from mjsim.agents.acting import Desk
from mjsim.check import check
from mjsim.envs.common import observe_calls
from mjsim.hand import engine_calls
from mjsim.hand_record import HAND, OVER, copy_records
from mjsim.melds import KONG_CONCEALED
from mjsim.observe import BLOCKS, N_ROWS
from mjsim.play import ILLEGAL
from tests.rich_hands import DOUQUE, FAMILIES, RULE_SETS, rich_decisions

Shown = tuple[mjsim.Hand, np.ndarray, np.ndarray]


def shown(hand: mjsim.Hand) -> Shown:
    """A copy of the hand with what its seat is shown."""
    observe, _, legal_mask = observe_calls()
    seen, mask = np.zeros((N_ROWS, 34), np.int8), np.zeros(N_ACTIONS, np.int8)
    observe(hand._address, hand.rules.address, hand.seat, seen.ctypes.data, 1)
    legal_mask(hand._address, hand.seat, mask.ctypes.data)
    return hand.copy(), seen, mask


@cache
def rich() -> list[Shown]:
    """Decisions of hands in which much happens, of all phases and rule sets."""
    met = itertools.chain(rich_decisions(30, 31), rich_decisions(45, 32, FAMILIES))
    found = [shown(hand) for hand in met]
    assert {"give", "choice", "turn", "claim", "declare"} <= {hand.phase for hand, _, _ in found}
    assert {hand.rules.name for hand, _, _ in found} == set(RULE_SETS)
    return found


def games(policy: str, n: int) -> Iterator[mjsim.Hand]:
    """Decisions of n hands of each rule set as an agent plays them; every second one is in a later round."""
    agent = agents.make(policy)
    answer = agent.policy.python()
    for name in RULE_SETS:
        rules = mjsim.rules(name)
        for i in range(n):
            hand = mjsim.Hand(rules, seed=8, match=i, hand=1, dealer=i % 4, prevailing=i % 2 * 3, streak=i % 3)
            while not hand.over:
                yield hand
                record = copy_records(hand._array)
                hand.apply(answer(record.ctypes.data, rules.address, agent.parameters_address))


@cache
def played() -> list[Shown]:
    return [shown(hand) for hand in games("heuristic", 12)]


def true_answer(agent: agents.Agent, hand: mjsim.Hand) -> int:
    record = copy_records(hand._array)
    return agent.policy.python()(record.ctypes.data, hand.rules.address, agent.parameters_address)


def untold(hand: mjsim.Hand) -> bool:
    """Whether the observation leaves a number open: a streak above 18, or more than two hidden kongs of a seat."""
    if hand.record["streak"] > 18:
        return True
    if not hand.rules.flags["concealed_kong_hidden"]:
        return False
    types = [hand.record["meld_type"][s][: hand.record["n_melds"][s]] for s in range(4) if s != hand.seat]
    return max(int((kinds == KONG_CONCEALED).sum()) for kinds in types) > 2


def test_greedy_answers_to_the_observation_as_to_the_hand() -> None:
    agent = agents.make("greedy")
    decisions = [*rich(), *played()]
    assert len(decisions) > 5000
    for hand, seen, mask in decisions:
        assert agent.act(seen, mask, rules=hand.rules) == true_answer(agent, hand), (hand.rules.name, hand.phase)


def test_heuristic_answers_to_the_observation_as_to_the_hand() -> None:
    """All that the observation tells of; it does not tell when the discards of seats were made, only in which order by seat.

    So after a declaration the safe tiles can be a guess. Where order and declarations are told the answers are the same.
    """
    agent = agents.make("heuristic")
    desk = Desk(0)
    unlike = Counter()
    for hand, seen, mask in [*rich(), *played()]:
        if agent.act(seen, mask, rules=hand.rules) == true_answer(agent, hand):
            continue
        desk.lay(seen, mask, hand.rules)
        told, true, me = desk.record[0], hand.record, hand.seat
        turned = [(me + s) % 4 for s in range(4)]
        n = int(true["n_discards"])
        declared = told["declared_at"].tolist() == true["declared_at"][turned].tolist()
        order = told["discards"][:n].tolist() == true["discards"][:n].tolist()
        assert not (declared and order) or untold(hand), (hand.rules.name, hand.phase)
        unlike["guessed"] += 1
    assert unlike["guessed"] <= 20, unlike  # of more than 5,000


def test_random_is_legal_and_about_uniform() -> None:
    agent = agents.make("random")
    agent.reseed(3)
    hand, seen, mask = next(d for d in played() if d[2].sum() == 12)
    given = Counter(agent.act(seen, mask, rules=hand.rules) for _ in range(2400))
    assert set(given) == set(np.flatnonzero(mask).tolist())
    assert sum((n - 200) ** 2 / 200 for n in given.values()) < 35  # chi-square, 11 degrees: beyond that 3 in 10,000
    agent.reseed(3)
    first = [agent.act(seen, mask, rules=hand.rules) for _ in range(20)]
    agent.reseed(3)
    assert first == [agent.act(seen, mask, rules=hand.rules) for _ in range(20)]
    agent.reseed(4)
    assert first != [agent.act(seen, mask, rules=hand.rules) for _ in range(20)]


def test_the_rebuilt_hand_shows_the_same() -> None:
    """The observation of the rebuilt hand is the one that it was made from."""
    desk = Desk(0)
    observe, _, _ = observe_calls()
    again = np.zeros((N_ROWS, 34), np.int8)
    for hand, seen, mask in [*rich()[::2], *played()[::2]]:
        if untold(hand):
            continue
        address, rules = desk.lay(seen, mask, hand.rules)
        observe(address, rules, 0, again.ctypes.data, 1)
        differing = [
            name for name, first, rows in _blocks() if (seen[first : first + rows] != again[first : first + rows]).any()
        ]
        # A pool is told in steps; where a seat has claimed a kind twice the row shows the later claim.
        assert set(differing) <= {"rules", "claimed"}, (hand.rules.name, hand.phase, differing)
        if "rules" in differing:
            assert hand.rules.flags["draw_pool"]


def _blocks() -> Iterator[tuple[str, int, int]]:
    first = 0
    for name, rows, _ in BLOCKS:
        yield name, first, rows
        first += rows


def test_the_rebuilt_hand_is_sound_and_can_be_played_on() -> None:
    """Tiles add up, head and tail of the wall are the true ones, and the engine plays it to the end."""
    desk = Desk(0)
    apply, _ = engine_calls()
    greedy = agents.make("greedy")
    answer = greedy.policy.python()
    # Measures, payments and others' gifts that nobody reads again, discards of long ago, where a dealt tile lay.
    loose = ("shanten_at", "recent", "instants", "gives", "drawn_at")
    for hand, seen, mask in [*rich()[::5], *played()[::5]]:
        if untold(hand):
            continue
        address, rules = desk.lay(seen, mask, hand.rules)
        told, true = desk.record[0], hand.record
        assert [f for f in check(told, hand.rules) if not f.startswith(loose)] == []
        for name in ("head", "tail", "phase", "n_legal", "drawn" if hand.phase == "turn" else "head"):
            assert told[name] == true[name], (name, hand.rules.name, hand.phase)
        assert told["legal"].tolist() == true["legal"].tolist()
        sizes = [int(true["counts"][(hand.seat + s) % 4].sum()) for s in range(4)]
        assert told["counts"].sum(axis=1).tolist() == sizes
        assert sorted(told["wall"].tolist()) == sorted(true["wall"].tolist())
        steps = 0
        while told["phase"] != OVER:
            assert apply(address, rules, answer(address, rules, greedy.parameters_address)) != ILLEGAL
            steps += 1
            assert steps < 500
        assert told["scores"].sum() == 0 or hand.rules.flags["draw_pool"]


def test_act_needs_the_rules_of_the_table() -> None:
    agent = agents.make("greedy")
    hand, seen, mask = next(d for d in played() if d[0].rules.name == "hk16" and d[0].phase == "turn")
    with pytest.raises(mjsim.UsageError, match=r"made under other rules than mjsim.rules\('douque-american'\)"):
        agent.act(seen, mask)
    assert agents.make("greedy", rules="hk16").act(seen, mask) == agent.act(seen, mask, rules=hand.rules)
    assert agent.act(seen, mask, "hk16") == true_answer(agent, hand)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda o, m: (o[:50], m), r"observation: int8\[50, 34\], but int8\[\d+, 34\] is needed"),
        (lambda o, m: (o.astype(float), m), r"observation: float64"),
        (lambda o, m: (o, m[:146]), r"mask: int8\[146\], but int8\[147\] is needed"),
        (lambda o, m: (o, m * 0), "mask: no action is legal"),
        (lambda o, m: (o * 0, m), "observation: nothing is asked of this seat"),
        (lambda o, m: (np.where(np.arange(N_ROWS)[:, None] == 0, 0, o), m), "observation: no hand under"),
    ],
)
def test_what_is_no_observation_is_refused(change, message) -> None:
    _, seen, mask = next(d for d in played() if d[0].rules.name == "douque-american" and d[0].phase == "turn")
    with pytest.raises(mjsim.UsageError, match=message):
        agents.make("greedy").act(*change(seen, mask))


def test_an_environment_played_by_act() -> None:
    """What an environment gives is what `act` takes: four greedy agents from outside score as the engine's own."""
    from mjsim.envs import aec

    env = aec(*DOUQUE[:1], seed=4)
    players = [agents.make("greedy", rules=DOUQUE[0]) for _ in range(4)]
    env.reset()
    while not all(env.terminations.values()):
        shown = env.observe(env.agent_selection)
        seat = int(env.agent_selection[-1])
        env.step(players[seat].act(shown["observation"], shown["action_mask"]))
    hand = mjsim.Hand(DOUQUE[0], seed=4, match=env.match, hand=1, dealer=int(env.record["dealer"]),
                      prevailing=int(env.record["prevailing"]))  # fmt: skip
    answer = players[0].policy.python()
    while not hand.over:
        record = np.frombuffer(bytearray(hand._array.tobytes()), dtype=HAND)
        hand.apply(answer(record.ctypes.data, hand.rules.address, players[0].parameters_address))
    assert env.scores == hand.scores
