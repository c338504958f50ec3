"""Solo, the Gymnasium environment: Gymnasium's own check, seats, seeds, rewards against `mjsim.Hand`, illegal actions, copies."""

from __future__ import annotations

import copy
import importlib.metadata
import logging
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mjsim
from mjsim.actions import BEGIN, N_ACTIONS
from mjsim.hand_record import HAND
from mjsim.observe import N_ROWS
from mjsim.ruleset.presets import PRESETS
from tests.test_env_vector import Reference

gymnasium = pytest.importorskip(
    "gymnasium", reason="the Gymnasium environment needs gymnasium (pip install 'mjsim[clients]')"
)
env_checker = pytest.importorskip("gymnasium.utils.env_checker")

from mjsim.envs.solo import ILLEGAL_PENALTY, Solo  # noqa: E402

ID = "mjsim/Solo-v0"
RULE_SETS = tuple(PRESETS)


def pick(rng: np.random.Generator, info: dict[str, Any]) -> int:
    return int(rng.choice(np.flatnonzero(info["action_mask"])))


def trajectory(env: Any, steps: int, begin: Callable[[], tuple[np.ndarray, dict]], seed: int = 0) -> list[Any]:
    """(observation, mask, reward, over) of random legal play."""
    rng = np.random.default_rng(seed)
    observation, info = begin()
    out: list[Any] = [(observation, info["action_mask"], 0.0, False)]
    for _ in range(steps):
        observation, reward, over, _, info = env.step(pick(rng, info))
        out.append((observation, info["action_mask"], reward, over))
        if over:
            observation, info = env.reset()
            out.append((observation, info["action_mask"], 0.0, False))
    return out


def assert_same(a: list[Any], b: list[Any]) -> None:
    assert len(a) == len(b)
    for (o1, m1, r1, d1), (o2, m2, r2, d2) in zip(a, b, strict=True):
        assert np.array_equal(o1, o2) and np.array_equal(m1, m2) and r1 == r2 and d1 == d2


@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize("episode", ["hand", "match"])
def test_gymnasium_check_env_passes_without_a_warning(rules: str, episode: str) -> None:
    env = gymnasium.make(ID, rules=rules, episode=episode, match_hands=2, seat="random").unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env_checker.check_env(env)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_passive_checker_and_space_hold_through_whole_episodes(rules: str) -> None:
    env = gymnasium.make(ID, rules=rules, seat="random")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for observation, mask, _, _ in trajectory(env, 1000, lambda: env.reset(seed=4)):
            assert observation in env.observation_space
            assert mask.dtype == np.int8 and mask.shape == (N_ACTIONS,)


def test_make_in_a_fresh_process_needs_no_import_of_ours_first() -> None:
    code = "import gymnasium; e = gymnasium.make('mjsim.envs.solo:mjsim/Solo-v0'); print(e.reset(seed=1)[0].shape, e.spec.id)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == f"({N_ROWS}, 34) mjsim/Solo-v0"


def test_entry_point_registers_and_stays_light() -> None:
    """Gymnasium before 1.0 calls the entry point at its own import: it must not pull numba in."""
    points = [p for p in importlib.metadata.entry_points(group="gymnasium.envs") if p.name == "mjsim"]
    if not points:
        pytest.skip("mjsim was installed before it had the entry point: run pip install -e . again")
    code = (
        "import importlib.metadata, sys, gymnasium\n"
        "for p in importlib.metadata.entry_points(group='gymnasium.envs'):\n"
        "    if p.name == 'mjsim': p.load()()\n"
        "assert 'numba' not in sys.modules\n"
        "print(gymnasium.spec('mjsim/Solo-v0').id, gymnasium.make('mjsim/Solo-v0').reset(seed=1)[0].shape)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"mjsim/Solo-v0 ({N_ROWS}, 34)"


@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize(("episode", "match_hands"), [("hand", 1), ("match", 3)])
def test_equal_to_hand_with_the_agents_in_their_seats(rules: str, seat: int, episode: str, match_hands: int) -> None:
    """Three different opponents: any other seating gives another game."""
    opponents = ["greedy", "random", "greedy:exchange=2"]
    env = Solo(rules, opponents, seat=seat, episode=episode, match_hands=match_hands, illegal="raise")
    agents = {(seat + 1 + i) % 4: text for i, text in enumerate(opponents)}
    rng = np.random.default_rng(seat)
    match = -1
    for number in range(12):
        observation, info = env.reset(seed=70 + seat if number == 0 else None)
        skipped: list[list[int]] = []
        while match < info["match"]:
            match += 1
            reference = Reference(rules, agents, episode, match_hands, 70 + seat, match)
            skipped += reference.paid
            assert reference.over == (match < info["match"])
        assert info["skipped_hands"] == len(skipped)
        assert info["skipped_score"] == sum(scores[seat] for scores in skipped)
        over = False
        while not over:
            assert not reference.over and reference.hand.seat == seat
            assert np.array_equal(observation, reference.seen(seat))
            assert np.array_equal(info["action_mask"], reference.hand.legal_mask())
            assert np.array_equal(env.action_masks(), reference.hand.legal_mask().astype(bool))
            action = pick(rng, info)
            expected = reference.step(action)[seat]
            observation, reward, over, truncated, info = env.step(action)
            assert reward == expected and not truncated and over == reference.over
            assert info.get("hands_ended", 0) == len(reference.paid)
            if reference.paid:
                assert info["scores"].tolist() == reference.paid[-1]
        assert np.array_equal(observation, reference.seen(seat))
        assert not info["action_mask"].any() and not env.action_masks().any()
        assert info["end"] == reference.hand.end


def test_reset_with_a_seed_repeats_and_without_one_goes_on() -> None:
    env, other = Solo(), Solo()
    first = trajectory(env, 400, lambda: env.reset(seed=11))
    assert_same(first, trajectory(other, 400, lambda: other.reset(seed=11)))
    assert_same(first, trajectory(env, 400, lambda: env.reset(seed=11)))
    matches = [env.reset(seed=11)[1]["match"]] + [env.reset()[1]["match"] for _ in range(5)]
    assert matches == sorted(set(matches)) and matches[0] == 0
    walls = {env.reset(seed=s)[0].tobytes() for s in range(20)}
    assert len(walls) == 20


def test_unseeded_environments_differ() -> None:
    assert len({Solo().reset()[0].tobytes() for _ in range(5)}) == 5


def test_random_seat_is_drawn_from_np_random_at_each_reset() -> None:
    env = Solo(seat="random")
    seats = [env.reset(seed=3)[1]["seat"]] + [env.reset()[1]["seat"] for _ in range(199)]
    again = [env.reset(seed=3)[1]["seat"]] + [env.reset()[1]["seat"] for _ in range(199)]
    assert seats == again
    assert all(30 <= seats.count(s) <= 70 for s in range(4))


def test_options_give_the_same_luck_from_every_seat() -> None:
    env = Solo(opponents="greedy")
    walls = []
    for seat in range(4):
        env.reset(seed=5, options={"match": 7, "seat": seat})
        assert env.seat == seat and env.record["match"] == 7
        walls.append(env.record["wall"].tolist())
    assert walls[0] == walls[1] == walls[2] == walls[3]
    assert env.reset()[1]["match"] == 8
    assert env.seat == 0, "the seat of the options is for one episode"


def test_scaled_rewards_are_scores_over_sixteen() -> None:
    plain, scaled = Solo(), Solo(reward="scaled")
    a = trajectory(plain, 500, lambda: plain.reset(seed=2))
    b = trajectory(scaled, 500, lambda: scaled.reset(seed=2))
    assert [r / 16 for _, _, r, _ in a] == [r for _, _, r, _ in b]
    assert any(r for _, _, r, _ in a)


def test_hands_before_the_first_decision_are_told_by_reset_and_are_no_reward() -> None:
    """A dealer with a Heavenly Hand wins before anybody decides: the match is skipped, its score stands in the info."""
    env = Solo("douque-taiwanese", "greedy", seat=0)
    real = env._play
    calls: list[int] = []

    def first_is_over(action: int) -> tuple[bool, int] | None:
        result = real(action)
        if action == BEGIN:
            calls.append(action)
            if len(calls) == 1:
                env._rewards[:] = [-8, -8, -8, 24]
                return True, 1
        return result

    env._play = first_is_over  # type: ignore[method-assign]
    _, info = env.reset(seed=1)
    assert (info["match"], info["skipped_hands"], info["skipped_score"]) == (1, 1, -8)
    _, info = env.reset()
    assert (info["match"], info["skipped_hands"], info["skipped_score"]) == (2, 0, 0)


def test_illegal_action_raises_with_the_legal_ones_and_changes_nothing() -> None:
    env = Solo(illegal="raise")
    _, info = env.reset(seed=1)
    before = env.record.tobytes()
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    with pytest.raises(
        mjsim.IllegalAction, match=r"action \d+ \(discard 1m\) is not legal for seat 0 here \(legal: \d+ give"
    ):
        env.step(illegal)
    assert env.record.tobytes() == before
    env.step(int(np.flatnonzero(info["action_mask"])[0]))


def test_illegal_action_ends_the_episode_with_the_penalty(caplog: pytest.LogCaptureFixture) -> None:
    env = Solo(reward="scaled")
    _, info = env.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    with caplog.at_level(logging.WARNING, "mjsim"):
        _, reward, over, truncated, info = env.step(illegal)
    assert (reward, over, truncated) == (-ILLEGAL_PENALTY / 16, True, False)
    assert "is not legal" in info["illegal_action"] and not info["action_mask"].any()
    assert len(caplog.records) == 1
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(illegal)
    env.reset()
    with caplog.at_level(logging.WARNING, "mjsim"):
        env.step(0)
    assert len(caplog.records) == 1, "said once"


@pytest.mark.parametrize("action", [-1, 147, 10**9, "pass", 3.0, None])
@pytest.mark.parametrize("illegal", ["end", "raise"])
def test_what_is_no_action_at_all_is_always_refused(action: Any, illegal: str) -> None:
    """-1 is the flow's order to begin a hand: from a player it must never get there."""
    env = Solo(illegal=illegal)
    env.reset(seed=1)
    before = env.record.tobytes()
    with pytest.raises(mjsim.IllegalAction):
        env.step(action)
    assert env.record.tobytes() == before


def test_step_before_reset_is_refused() -> None:
    with pytest.raises(gymnasium.error.ResetNeeded):
        Solo().step(0)


def test_numpy_numbers_are_actions() -> None:
    env = Solo(illegal="raise")
    _, info = env.reset(seed=1)
    for kind in (np.int64, np.int32, np.array):
        _, _, _, _, info = env.step(kind(np.flatnonzero(info["action_mask"])[0]))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"opponents": ["greedy", "greedy"]}, "2 of them"),
        ({"opponents": "gredy"}, "did you mean 'greedy'"),
        ({"seat": 4}, "seat: 4"),
        ({"seat": "rnd"}, "seat: 'rnd'"),
        ({"episode": "round"}, "episode"),
        ({"match_hands": 0}, "match_hands"),
        ({"reward": "tai"}, "reward"),
        ({"illegal": "ignore"}, "illegal"),
        ({"render_mode": "svg"}, "render_mode"),
        ({"rules": "riichi"}, "riichi"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(mjsim.UsageError, match=text):
        Solo(**arguments)


def test_wrong_options_are_named() -> None:
    env = Solo()
    for options in ({"wall": "1m"}, {"match": -1}, {"seat": 4}):
        with pytest.raises(mjsim.UsageError, match=next(iter(options))):
            env.reset(seed=1, options=options)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_in_the_midst_of_a_hand_have_the_same_future(duplicate: Callable[[Solo], Solo]) -> None:
    env = Solo(opponents=["greedy", "random", "greedy"], seat="random", episode="match", match_hands=4)
    rng = np.random.default_rng(1)
    _, info = env.reset(seed=9)
    for _ in range(30):
        _, _, over, _, info = env.step(pick(rng, info))
        assert not over
    other = duplicate(env)
    assert_same(
        trajectory(env, 600, lambda: (np.zeros(0), {"action_mask": env.action_masks()})),
        trajectory(other, 600, lambda: (np.zeros(0), {"action_mask": other.action_masks()})),
    )
    assert env.record.tobytes() == other.record.tobytes()


def test_what_is_returned_is_the_callers_to_keep() -> None:
    env = Solo()
    kept = trajectory(env, 200, lambda: env.reset(seed=8))
    copies = [(o.copy(), m.copy()) for o, m, _, _ in kept]
    trajectory(env, 200, env.reset, seed=5)
    assert all(np.array_equal(o, a) and np.array_equal(m, b) for (o, m, _, _), (a, b) in zip(kept, copies, strict=True))
    _, info = env.reset()
    info["action_mask"][:] = 1
    assert env.action_masks().sum() < N_ACTIONS


def test_derived_rows_stay_zero_without_derived() -> None:
    with_rows, without = Solo(), Solo(derived=False)
    a, _ = with_rows.reset(seed=1)
    b, _ = without.reset(seed=1)
    assert a.any() and (b <= a).all() and (a != b).any()


def test_render_modes() -> None:
    text = gymnasium.make(ID, render_mode="ansi")
    text.reset(seed=1)
    assert isinstance(text.render(), str)
    picture = gymnasium.make(ID, render_mode="rgb_array")
    picture.reset(seed=1)
    drawn = picture.render()
    assert drawn.dtype == np.uint8 and drawn.ndim == 3 and drawn.shape[2] == 3


def test_ansi_hides_what_the_learner_may_not_see() -> None:
    """Another's tiles must not change the learner's picture."""
    env = Solo(render_mode="ansi", seat=1)
    env.reset(seed=1)
    before = env.render()
    counts = env._table["counts"][0]
    counts[2] = np.roll(counts[2], 5)
    assert env.render() == before


def test_vector_of_environments_steps_with_masks() -> None:
    envs = gymnasium.make_vec(ID, num_envs=3, vectorization_mode="sync")
    _, info = envs.reset(seed=1)
    rng = np.random.default_rng(1)
    done = np.zeros(3, bool)
    for _ in range(300):
        actions = [rng.choice(np.flatnonzero(m)) if m.any() else 0 for m in info["action_mask"]]
        observations, _, done, _, info = envs.step(np.array(actions))
        assert "illegal_action" not in info
    assert observations.shape == (3, N_ROWS, 34) and done.shape == (3,)


def test_table_is_one_record() -> None:
    assert Solo()._table.nbytes == HAND.itemsize
