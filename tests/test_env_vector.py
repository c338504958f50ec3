"""VectorEnv against `mjsim.Hand` stepped by hand, output by output; snapshots, reproducibility, memory, errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import mjsim
from mjsim.actions import N_ACTIONS
from mjsim.agents import PythonAgent, make
from mjsim.envs import VectorEnv
from mjsim.envs.common import fill
from mjsim.errors import MjsimError, UsageError
from mjsim.flow.luck import STANDING, below, stream
from mjsim.hand_record import HAND
from mjsim.jit import entry
from mjsim.melds import KONG_CONCEALED
from mjsim.observe import N_PRIVILEGED, N_ROWS
from mjsim.ruleset.presets import PRESETS

RULE_SETS = tuple(PRESETS)
SEATS = range(4)


@entry
def _standing(seed, match):
    rng = np.empty(1, np.uint64)
    rng[0] = stream(seed, match, 0, STANDING)
    dealer = below(rng, 0, 4)
    return dealer, below(rng, 0, 4)


class Reference:
    """One table by `mjsim.Hand` alone: inside agents asked one decision at a time, hands begun one after the other.

    `stride` None ends with the episode; otherwise match + stride follows. After each step `paid` lists the scores of the
    hands that ended in it, and `ended` counts the episodes.
    """

    def __init__(
        self,
        rules: str,
        agents: Mapping[int, str],
        episode: str,
        match_hands: int,
        seed: int,
        match: int,
        stride: int | None = None,
    ) -> None:
        self.rules = mjsim.rules(rules)
        self.episode, self.match_hands, self.seed, self.stride = episode, match_hands, seed, stride
        self.agents = {seat: make(text) for seat, text in agents.items()}
        self.calls = {seat: agent.policy.python() for seat, agent in self.agents.items()}
        self.over = False
        self.paid: list[list[int]] = []
        self.ended = 0
        self._begin(match)
        self._go_on()

    def _begin(self, match: int) -> None:
        self.match, self.number = match, 0
        if self.episode == "hand":
            dealer, prevailing = _standing(self.seed, match)
            standing = {"dealer": int(dealer), "prevailing": int(prevailing)}
            self.hand = mjsim.Hand(self.rules, seed=self.seed, match=match, hand=1, **standing)
        else:
            self.hand = mjsim.Hand(self.rules, seed=self.seed, match=match)

    def _go_on(self) -> None:
        while True:
            if self.hand.over:
                self.paid.append(self.hand.scores)
                self.number += 1
                if self.episode == "match" and self.number < self.match_hands:
                    self.hand = mjsim.Hand(
                        self.rules, seed=self.seed, match=self.match, hand=self.number, **self.hand.next
                    )
                    continue
                self.ended += 1
                if self.stride is None:
                    self.over = True
                    return
                self._begin(self.match + self.stride)
            elif self.hand.seat in self.calls:
                seat = self.hand.seat
                parameters = self.agents[seat].parameters_address
                self.hand.apply(self.calls[seat](self.hand._address, self.rules.address, parameters))
            else:
                return

    def step(self, action: int) -> list[int]:
        """Scores by seat, summed over the hands that ended."""
        self.paid, self.ended = [], 0
        self.hand.apply(action)
        self._go_on()
        return [sum(scores[seat] for scores in self.paid) for seat in SEATS]

    def seen(self, seat: int, derived: bool = True) -> np.ndarray:
        observation, mask = np.zeros((N_ROWS, 34), np.int8), np.zeros(N_ACTIONS, np.int8)
        fill(self.hand._array, self.rules, seat, observation, mask, derived)
        return observation


def random_actions(rng: np.random.Generator, masks: np.ndarray) -> np.ndarray:
    """A uniform legal action of each row."""
    return np.where(masks > 0, rng.random(masks.shape), -1.0).argmax(axis=1)


class MostlyGreedy:
    """Actions of every table: greedy's, one in ten random, so that hands are won and paid for."""

    def __init__(self, env: VectorEnv, seed: int) -> None:
        self.env, self.rng = env, np.random.default_rng(seed)
        self.agent = make("greedy")
        self.call = self.agent.policy.python()

    def __call__(self) -> np.ndarray:
        actions = random_actions(self.rng, self.env.masks)
        for i in range(self.env.n):
            if self.rng.random() < 0.9:
                table = self.env.tables[i : i + 1].ctypes.data
                actions[i] = self.call(table, self.env.rules.address, self.agent.parameters_address)
        return actions


def by_content(observation: np.ndarray, mask: np.ndarray) -> int:
    """A legal action that depends on nothing but what is seen."""
    legal = np.flatnonzero(mask)
    return int(legal[int.from_bytes(observation.tobytes(), "little") % 1_000_003 % len(legal)])


def hidden_truth(record: np.void, me: int) -> np.ndarray:
    """The privileged rows from the record's plain fields."""
    out = np.zeros((N_PRIVILEGED, 34), np.int8)
    for rel in (1, 2, 3):
        seat = (me + rel) % 4
        out[rel - 1] = record["counts"][seat]
        for i in range(record["n_melds"][seat]):
            if record["meld_type"][seat][i] == KONG_CONCEALED:
                out[2 + rel, record["meld_tile"][seat][i]] = 1
        out[7, rel - 1] = record["skipped_win"][seat]
    left = record["wall"][record["head"] : record["tail"]]
    out[6] = np.bincount(left[left < 34], minlength=34)
    draws = left[:31]
    out[7, 3 : 3 + len(draws)] = draws + 1
    return out


@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize(("episode", "match_hands"), [("hand", 16), ("match", 3)])
@pytest.mark.parametrize("agents", [{}, {1: "greedy", 3: "random"}, {0: "greedy", 2: "greedy", 3: "greedy:exchange=2"}])
def test_equal_to_hands_stepped_one_by_one(rules: str, episode: str, match_hands: int, agents: dict[int, str]) -> None:
    n, seed = 5, 31
    env = VectorEnv(n, rules, seed, agents=agents, episode=episode, match_hands=match_hands, privileged=True)
    tables = [Reference(rules, agents, episode, match_hands, seed, i, n) for i in range(n)]
    scores = [table.paid[-1] if table.paid else [0] * 4 for table in tables]
    for table in tables:
        table.paid, table.ended = [], 0
    rewards = [[0] * 4] * n
    choose = MostlyGreedy(env, 1)
    hands, episodes, paid = 0, 0, 0
    for step in range(900):
        for i, table in enumerate(tables):
            where = f"step {step}, table {i}"
            me = table.hand.seat
            assert env.seats[i] == me, where
            assert me not in agents, where
            assert np.array_equal(env.observations[i], table.seen(me)), where
            assert np.array_equal(env.masks[i], table.hand.legal_mask()), where
            assert np.array_equal(env.hidden[i], hidden_truth(table.hand.record, me)), where
            assert env.rewards[i].tolist() == rewards[i], where
            scores[i] = table.paid[-1] if table.paid else scores[i]
            assert env.scores[i].tolist() == scores[i], where
            assert env.hands_done[i] == len(table.paid), where
            assert env.dones[i] == (table.ended > 0), where
            hands += len(table.paid)
            episodes += table.ended
            paid += any(rewards[i])
        actions = choose()
        env.step(actions)
        rewards = [table.step(int(action)) for table, action in zip(tables, actions, strict=True)]
    assert hands > 2 * n and episodes >= n and paid > n, "the tables must have met auto-resets and settlements"


@pytest.mark.parametrize("rules", RULE_SETS)
def test_without_derived_rows_the_rest_is_equal(rules: str) -> None:
    env = VectorEnv(4, rules, 3, derived=False)
    tables = [Reference(rules, {}, "hand", 16, 3, i, 4) for i in range(4)]
    rng = np.random.default_rng(1)
    for _ in range(200):
        for i, table in enumerate(tables):
            assert np.array_equal(env.observations[i], table.seen(table.hand.seat, derived=False))
        actions = random_actions(rng, env.masks)
        env.step(actions)
        for table, action in zip(tables, actions, strict=True):
            table.step(int(action))


def trajectories(n: int, steps: int, episode: str) -> dict[int, list[tuple[bytes, int, list[float]]]]:
    """By match: (observation, action, rewards) of each decision, the actions chosen by what is seen."""
    env = VectorEnv(n, "douque-taiwanese", 7, agents={2: "random"}, episode=episode, match_hands=2)
    out: dict[int, list[tuple[bytes, int, list[float]]]] = {}
    for _ in range(steps):
        matches = env.tables["match"].tolist()
        actions = [by_content(o, m) for o, m in zip(env.observations, env.masks, strict=True)]
        seen = [o.tobytes() for o in env.observations]
        env.step(np.array(actions))
        for i, match in enumerate(matches):
            out.setdefault(match, []).append((seen[i], actions[i], env.rewards[i].tolist()))
    for match in env.tables["match"].tolist():
        out.pop(match, None)  # not finished
    return out


@pytest.mark.parametrize("episode", ["hand", "match"])
def test_a_match_is_the_same_at_any_number_of_tables(episode: str) -> None:
    """Table i plays matches i, i + n, i + 2n, ...: nothing else depends on n."""
    one, three, seven = trajectories(1, 1400, episode), trajectories(3, 500, episode), trajectories(7, 250, episode)
    assert len(one.keys() & three.keys()) >= 3 and len(three.keys() & seven.keys()) >= 6
    for a, b in ((one, three), (three, seven)):
        for match in a.keys() & b.keys():
            assert a[match] == b[match], f"match {match}"


def go_on(env: VectorEnv, steps: int, seed: int) -> list[tuple[bytes, ...]]:
    """Every output of so many random steps."""
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(steps):
        env.step(random_actions(rng, env.masks))
        outputs = (
            env.observations,
            env.masks,
            env.seats,
            env.rewards,
            env.scores,
            env.hands_done,
            env.dones,
            env.hidden,
        )
        out.append(tuple(a.tobytes() for a in outputs))
    return out


class Batched(PythonAgent):
    """Answers by what is seen, one or many at a time, and notes how many."""

    def __init__(self) -> None:
        super().__init__("batched", by_content)
        self.sizes: list[int] = []

    def act_batch(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        self.sizes.append(len(masks))
        return np.array([by_content(o, m) for o, m in zip(observations, masks, strict=True)])


@pytest.mark.parametrize("rules", ["douque-american", "hk16"])
@pytest.mark.parametrize(("episode", "derived"), [("hand", True), ("match", False)])
def test_agents_that_answer_in_batches_play_as_those_asked_one_by_one(rules: str, episode: str, derived: bool) -> None:
    """Two of them at three seats, beside a compiled one; their answers depend on the derived rows too."""
    first, second = Batched(), Batched()
    first.batch_key = second.batch_key = "same"
    single = PythonAgent("single", by_content)
    envs = [
        VectorEnv(6, rules, 9, agents=agents, episode=episode, match_hands=2, derived=derived, privileged=True)
        for agents in ({0: first, 2: second, 3: "greedy"}, {0: single, 2: single, 3: "greedy"})
    ]
    starts = [tuple(a.tobytes() for a in (e.observations, e.masks, e.seats, e.rewards, e.scores)) for e in envs]
    assert starts[0] == starts[1]
    mine, theirs = (go_on(env, 250, 4) for env in envs)
    assert mine == theirs
    assert max(first.sizes) > 2 and sum(first.sizes) > 1.5 * len(first.sizes) and not second.sizes
    assert any(np.frombuffer(out[5], np.int32).any() for out in mine), "hands must have ended"


def test_a_wrong_answer_of_a_batch_is_named() -> None:
    agent = Batched()
    env = VectorEnv(3, seed=1, agents={1: agent})
    agent.act_batch = lambda observations, masks: (1 - masks).argmax(1)
    with pytest.raises(MjsimError, match=r"agent 'batched': act_batch answered \d+, which is not legal \(legal: \["):
        go_on(env, 20, 1)
    with pytest.raises(UsageError, match=r"table \d waits for the agent at seat 1, not for an action: the step before"):
        env.step(env.masks.argmax(1))
    del agent.act_batch
    env.reset()
    go_on(env, 5, 1)


def test_an_agent_that_is_told_of_ends_is_asked_one_by_one_and_told() -> None:
    told: list[list[int]] = []

    class Told(Batched):
        def __init__(self) -> None:
            PythonAgent.__init__(self, "told", by_content, end=told.append)
            self.sizes: list[int] = []

    agent = Told()
    env = VectorEnv(3, seed=1, agents={1: agent})
    assert any(np.frombuffer(out[5], np.int32).any() for out in go_on(env, 250, 1))
    assert told and not agent.sizes


def test_snapshot_and_restore_give_the_same_future() -> None:
    env = VectorEnv(3, seed=2, agents={1: "random"}, episode="match", match_hands=3, privileged=True)
    go_on(env, 100, 1)
    states = [env.snapshot(i) for i in range(3)]
    scores = env.scores.copy()
    arrays = [a.copy() for a in (env.observations, env.masks, env.seats, env.hidden)]
    first = go_on(env, 500, 2)
    assert not np.array_equal(arrays[0], env.observations)
    for i in range(3):
        env.restore(i, states[i])
    env.scores[:] = scores
    for before, after in zip(arrays, (env.observations, env.masks, env.seats, env.hidden), strict=True):
        assert np.array_equal(before, after)
    assert go_on(env, 500, 2) == first


def test_restore_changes_one_table_and_works_at_another_place() -> None:
    """Search goes on from one position at many tables."""
    env = VectorEnv(4, seed=5)
    go_on(env, 60, 1)
    state = env.snapshot(2)
    others = env.observations.copy()
    env.restore(0, state)
    assert np.array_equal(env.observations[0], others[2]) and np.array_equal(env.observations[1:], others[1:])
    for _ in range(200):
        action = by_content(env.observations[0], env.masks[0])
        actions = random_actions(np.random.default_rng(1), env.masks)
        actions[[0, 2]] = action
        env.step(actions)
        assert np.array_equal(env.observations[0], env.observations[2])
        assert env.rewards[0].tolist() == env.rewards[2].tolist()


def test_reset_reproduces_and_seeds_differ() -> None:
    env = VectorEnv(6, seed=4, privileged=True)
    start = env.observations.copy()
    first = go_on(env, 300, 1)
    assert np.array_equal(env.reset(), start)
    assert not env.rewards.any() and not env.dones.any() and not env.hands_done.any()
    assert go_on(env, 300, 1) == first
    assert not np.array_equal(env.reset(5), start)
    assert np.array_equal(env.reset(4), start)
    assert go_on(VectorEnv(6, seed=4, privileged=True), 300, 1) == first


def test_tables_have_different_walls_and_roles() -> None:
    env = VectorEnv(200, seed=1)
    assert len({wall.tobytes() for wall in env.tables["wall"]}) == 200
    for field in ("dealer", "prevailing"):
        assert all(30 <= (env.tables[field] == value).sum() <= 70 for value in SEATS), field


def test_arrays_are_filled_in_place_and_shared_with_torch() -> None:
    torch = pytest.importorskip("torch", reason="needs torch (pip install 'mjsim[train]')")
    env = VectorEnv(8, seed=1, privileged=True)
    arrays = {
        name: getattr(env, name) for name in ("observations", "masks", "seats", "rewards", "scores", "dones", "hidden")
    }
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    before = {name: tensor.clone() for name, tensor in tensors.items()}
    actions = torch.from_numpy(random_actions(np.random.default_rng(1), env.masks))
    env.step(actions)
    for name, array in arrays.items():
        assert getattr(env, name) is array
        assert tensors[name].data_ptr() == array.ctypes.data
        assert np.array_equal(tensors[name].numpy(), array)
    assert not torch.equal(tensors["observations"], before["observations"])


def test_rewards_sum_to_zero_and_scale() -> None:
    plain, scaled = VectorEnv(16, seed=1), VectorEnv(16, seed=1, reward="scaled")
    choose = MostlyGreedy(plain, 1)
    met = 0
    for _ in range(400):
        actions = choose()
        plain.step(actions)
        scaled.step(actions)
        assert not plain.rewards.sum(axis=1).any()
        assert np.array_equal(scaled.rewards, plain.rewards / 16)
        met += int((plain.rewards != 0).any(axis=1).sum())
    assert plain.rewards.dtype == np.float32
    assert met > 0


def test_a_table_takes_at_most_8_kilobytes_without_observations() -> None:
    n = 64
    env = VectorEnv(n)
    arrays = [value for value in vars(env).values() if isinstance(value, np.ndarray) and len(value) == n]
    assert any(array is env.tables for array in arrays) and any(array is env.masks for array in arrays)
    total = sum(array.nbytes for array in arrays if array is not env.observations)
    assert HAND.itemsize < total / n <= 8192


@pytest.mark.parametrize("bad", [-1, 147, 10**12, -(10**12), "illegal"])
def test_an_illegal_action_names_the_table_and_leaves_it_as_it_was(bad: int | str) -> None:
    """-1 was once taken for the flow's order to begin a hand."""
    env = VectorEnv(4, seed=1)
    actions = random_actions(np.random.default_rng(1), env.masks)
    actions[2] = np.flatnonzero(env.masks[2] == 0)[0] if bad == "illegal" else bad
    before = env.tables[2].tobytes()
    with pytest.raises(mjsim.IllegalAction, match=rf"table 2: action {actions[2]} is not legal \(legal: \["):
        env.step(actions)
    assert env.tables[2].tobytes() == before


@pytest.mark.parametrize("actions", [np.zeros(3, int), np.zeros((4, 1), int), np.zeros(0, int), 5])
def test_wrong_shapes_of_actions_are_refused(actions: Any) -> None:
    with pytest.raises(mjsim.UsageError, match="actions: shape"):
        VectorEnv(4).step(actions)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"n": 0}, "n: 0"),
        ({"n": 2.5}, r"n: 2\.5"),
        ({"agents": dict.fromkeys(range(4), "greedy")}, "all four seats"),
        ({"agents": {0: "gredy"}}, "did you mean 'greedy'"),
        ({"agents": {4: "greedy"}}, "4 is no seat"),
        ({"episode": "round"}, "episode"),
        ({"match_hands": 0}, "match_hands"),
        ({"reward": "tai"}, "reward"),
        ({"seed": -1}, "seed"),
        ({"rules": "riichi"}, "riichi"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(mjsim.UsageError, match=text):
        VectorEnv(**({"n": 2} | arguments))


def test_a_snapshot_of_another_size_is_refused() -> None:
    env = VectorEnv(1)
    with pytest.raises(mjsim.UsageError, match="bytes"):
        env.restore(0, env.snapshot(0)[:-1])
