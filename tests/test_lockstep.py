"""Hands played side by side, with an agent that answers in batches, are the hands played one by one."""

from __future__ import annotations

import numpy as np
import pytest

import mjsim
from mjsim.agents.python_agent import PythonAgent
from mjsim.batch import Players, _play_matches, make_plan, resolve_agents
from mjsim.errors import MjsimError
from mjsim.experiments import evaluate_play
from mjsim.experiments.evaluate import make_plan as evaluation
from mjsim.hand_record import HAND
from mjsim.lockstep import Lockstep, can_batch
from mjsim.play import MAX_DECISIONS

HERE = "tests.test_lockstep"


def choice(observation: np.ndarray, mask: np.ndarray) -> int:
    """Some legal action that hangs on all of the observation."""
    legal = np.flatnonzero(mask)
    return int(legal[int(observation.astype(np.int64).ravel() @ np.arange(1, observation.size + 1)) % len(legal)])


class Batched(PythonAgent):
    """Answers in batches, and notes how large they are; `answers` replaces them."""

    answers = None

    def __init__(self, name: str) -> None:
        super().__init__(name, choice)
        self.sizes: list[int] = []

    def act_batch(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        self.sizes.append(len(masks))
        if self.answers is not None:
            return self.answers(masks)
        return np.array([choice(o, m) for o, m in zip(observations, masks, strict=True)])


def one(text: str):
    if text == "batched":
        return Batched(text)
    if text == "single":
        return PythonAgent(text, choice)
    return mjsim.agents.make(text)


def four(texts: list[str]):
    made = {text: one(text) for text in texts}
    return [made[text] for text in (texts * 4 if len(texts) == 1 else texts)]


@pytest.mark.parametrize("options", [{}, {"match_hands": 5}, {"mode": "two-two", "own_draws": True}], ids=str)
def test_a_chunk_of_an_evaluation_is_the_same_in_lockstep(options):
    tables = []
    for text in ("single", "batched"):
        plan = evaluation([text, "random"], sets=20, seed=3, resolver=f"{HERE}:one", **options)
        player = evaluate_play.Player(plan)
        tables.append(player.chunk(evaluate_play.MAIN, 2, 6))
        sizes = getattr(player.agents[0], "sizes", [])
    assert tables[0].equals(tables[1])
    assert len(tables[0]) == 6 * plan.hands_of_set
    assert max(sizes) > 5  # it was asked for many at once


def test_matches_that_the_rules_end_leave_the_same_hands_out():
    tables = []
    for text in ("single", "batched"):
        plan = evaluation([text, "random"], "hk16", sets=4, seed=8, match_hands=40, resolver=f"{HERE}:one")
        tables.append(evaluate_play.Player(plan).chunk(evaluate_play.MAIN, 0, 2))
    assert tables[0].equals(tables[1])


@pytest.mark.parametrize(
    ("rules", "match_hands", "hands"),
    [("douque-american", 16, 100), ("four-winds", 3, 20), ("hk16", "full", 40), ("house16", 1, 30)],
)
def test_simulated_hands_and_logs_are_the_same_in_lockstep(rules, match_hands, hands):
    found = []
    for text in ("single", "batched"):
        texts = [text, "greedy", text, "random"]
        plan = make_plan(rules, texts, hands, 5, match_hands, True, resolver=f"{HERE}:four")
        players = Players(resolve_agents(plan.resolver, texts))
        _, first, count = next(plan.chunks())
        found.append(_play_matches(plan, plan.make_rules(), players, first, min(count, 4)))
    (hands_0, logs_0), (hands_1, logs_1) = found
    assert len(hands_0) == len(hands_1)
    assert [name for name in HAND.names if not (hands_0[name] == hands_1[name]).all()] == []
    assert logs_0.shape == logs_1.shape == (len(hands_0), MAX_DECISIONS)
    for i, n in enumerate(hands_0["n_decisions"]):
        assert (logs_0[i, :n] == logs_1[i, :n]).all()


def test_only_where_all_others_are_compiled():
    batched, single, greedy = Batched("batched"), PythonAgent("single", choice), mjsim.agents.make("greedy")
    assert can_batch([batched, greedy]) and can_batch([batched])
    assert not can_batch([batched, single]) and not can_batch([greedy, greedy])


class OneHand:
    """A lane a hand, with the same agents at each."""

    def __init__(self, lockstep: Lockstep, agents: tuple[int, ...]) -> None:
        from mjsim.flow import engine

        self.lockstep, self.agents = lockstep, agents
        self.lay, self.apply = engine.lay.python(), engine.apply.python()
        self.over: list[int] = []

    def begin(self, lane: int):
        if lane in self.over:
            return None
        address = self.lockstep.hands.ctypes.data + lane * HAND.itemsize
        self.lay(address, self.lockstep.rules.address, 1, lane, 0)
        self.apply(address, self.lockstep.rules.address, -1)
        return self.agents

    def ended(self, lane: int) -> None:
        self.over.append(lane)


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        (
            lambda masks: (1 - masks).argmax(1),
            r"agent 'batched': act_batch answered \d+, which is not legal \(legal: \[",
        ),
        (lambda masks: np.full(len(masks), 147), "act_batch answered 147, which is not legal"),
        (lambda masks: masks.argmax(1)[1:], r"act_batch gave int64\[7\], but whole numbers \[8\] are needed"),
        (lambda masks: masks.argmax(1) * 1.0, r"act_batch gave float64\[8\], but whole numbers \[8\] are needed"),
    ],
)
def test_a_wrong_answer_is_named(answers, told):
    agent = Batched("batched")
    agent.answers = answers
    lockstep = Lockstep(mjsim.rules("douque-american"), [agent, mjsim.agents.make("greedy")], 8)
    with pytest.raises(MjsimError, match=told):
        lockstep.play(OneHand(lockstep, (0, 0, 0, 0)))


def test_all_lanes_are_played_and_agents_that_are_the_same_are_asked_together():
    first, second = Batched("a"), Batched("b")
    first.batch_key = second.batch_key = "same"
    lockstep = Lockstep(mjsim.rules("douque-american"), [first, second, mjsim.agents.make("greedy")], 12)
    lanes = OneHand(lockstep, (0, 1, 0, 2))
    lockstep.play(lanes)
    assert sorted(lanes.over) == list(range(12))
    assert first.sizes[0] == 12 and not second.sizes


def test_an_object_with_act_batch_is_asked_in_batches_unless_it_wants_to_know_ends():
    class Mine:
        def act(self, observation, mask):
            return choice(observation, mask)

        def act_batch(self, observations, masks):
            return np.array([choice(o, m) for o, m in zip(observations, masks, strict=True)])

    class Told(Mine):
        def end(self, scores):
            pass

    mjsim.agents.register("batched_mine", lambda text, given: Mine())
    mjsim.agents.register("batched_told", lambda text, given: Told())
    assert can_batch([mjsim.agents.make("batched_mine")]) and not can_batch([mjsim.agents.make("batched_told")])
    single, batched = (
        mjsim.simulate("douque-american", [text, "greedy", "greedy", "greedy"], hands=20, seed=4)
        for text in ("batched_told", "batched_mine")
    )
    assert [
        c
        for c in single.columns
        if not c.startswith("agent") and single[c].map(repr).tolist() != batched[c].map(repr).tolist()
    ] == []
