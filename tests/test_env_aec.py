"""The PettingZoo environment: the library's own tests, rewards, seeds, copies, what a seat sees and what it must not see.

`python -m tests.test_env_aec` writes the generated part of docs/observation.md anew.
"""

from __future__ import annotations

import copy
import gc
import hashlib
import os
import pickle
import random
import subprocess
import sys
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import mjsim
from mjsim import observe as encoding
from mjsim import transcript
from mjsim.actions import N_ACTIONS, OTHER, PASS, PUNG, format_action, parse_action
from mjsim.envs.common import observe_calls
from mjsim.hand_record import CHOICE, CLAIM, DECLARE, GIVE, OVER, PHASES, ROB, TURN
from mjsim.melds import CHOW, KONG_CONCEALED, MELD_PUNG
from mjsim.observe import BLOCKS, N_LATEST, N_PRIVILEGED, N_ROWS, PRIVILEGED_BLOCKS
from mjsim.ruleset.presets import PRESETS
from mjsim.shapes.kernels import POWER
from mjsim.view import flower_names
from tests.rich_hands import FAMILIES, any_choice, flower_wall, rich_decisions, rich_setup
from tests.sizes import size
from tests.test_rules_claims import added_kong

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.test.state_test import test_state_space as state_space_test

from mjsim.envs import VectorEnv, aec, env, raw_env
from mjsim.envs.aec import AGENTS, N_STATE_ROWS, STATE_VALUES
from mjsim.envs.render import HEIGHT, WIDTH, ansi, picture

RULE_SETS = tuple(PRESETS)
EPISODES = ("hand", "match")
DOC = Path(__file__).parent.parent / "docs" / "observation.md"

every_rule_set = pytest.mark.parametrize("rules", RULE_SETS)
every_episode = pytest.mark.parametrize("episode", EPISODES)


def choice(match: int, step: int, n: int) -> int:
    """A number below n from a position's place alone, so that two environments meet the same policy."""
    x = (match * 0x9E3779B97F4A7C15 + step * 0xBF58476D1CE4E5B9 + 0x94D049BB133111EB) & (2**64 - 1)
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
    return (x >> 33) % n


def play(table, rng: random.Random, seed: int | None = None, reset: bool = True) -> Iterator[tuple[str, int]]:
    """Random legal play of one episode, through `last()` and `step()`; yields each decision before it is made."""
    if reset:
        table.reset(seed=seed)
    while table.agents:
        agent = table.agent_selection
        observation, _, terminated, truncated, _ = table.last()
        if terminated or truncated:
            table.step(None)
            continue
        action = rng.choice(np.flatnonzero(observation["action_mask"]).tolist())
        yield agent, action
        table.step(action)


def trace(table, episodes: int = 2, seed: int | None = 5, chooser: int = 1) -> str:
    """Hash of everything that a run shows."""
    digest = hashlib.sha256()
    rng = random.Random(chooser)
    for episode in range(episodes):
        for agent, action in play(table, rng, seed if episode == 0 else None):
            seen = table.observe(agent)
            digest.update(f"{agent} {action} {table.rewards}".encode())
            digest.update(seen["observation"].tobytes() + seen["action_mask"].tobytes() + table.state().tobytes())
        digest.update(repr(table.unwrapped.scores).encode())
    return digest.hexdigest()


# --- the library's own tests ----------------------------------------------------------------------------------------


@every_rule_set
@every_episode
def test_api(rules, episode):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it prefers plain boxes to dicts of observation and mask
        for make in (raw_env, env):
            api_test(make(rules=rules, episode=episode, match_hands=2), num_cycles=60)


@every_rule_set
@every_episode
def test_seeds(rules, episode):
    seed_test(lambda: env(rules=rules, episode=episode, match_hands=2), num_cycles=60)
    seed_test(lambda: raw_env(rules=rules, episode=episode, match_hands=2), num_cycles=60)


@every_rule_set
@every_episode
def test_render_modes(rules, episode, capsys):
    render_test(lambda **options: env(rules=rules, episode=episode, **options))
    render_test(lambda **options: raw_env(rules=rules, episode=episode, **options))
    assert "dice" in capsys.readouterr().out


@every_rule_set
@pytest.mark.parametrize("hands", [1, 3])
def test_a_match_has_its_number_of_hands_and_carries_dealer_streak_and_wind(rules, hands):
    table = aec(rules, episode="match", match_hands=hands)
    rng = random.Random(3)
    for seed in range(6):
        number, expected = 0, (0, 0, 0, 0)
        after, total = None, [0, 0, 0, 0]
        for _, action in play(table, rng, seed):
            record = table.record
            if record["hand"] != number:
                assert record["hand"] == number + 1, "hands of a match follow each other"
                number, expected = number + 1, after
            assert tuple(int(record[name]) for name in ("dealer", "streak", "prevailing", "pool")) == expected
            # The engine's hand at the same place: what it hands on is the next hand's standing.
            hand = object.__new__(mjsim.Hand)
            hand.__setstate__(
                {"rules": table.rules, "seed": 0, "decisions": [], "legal": [], "record": table._array.tobytes()}
            )
            hand.apply(action)
            if hand.over:
                after = tuple(int(hand.record[f"next_{name}"]) for name in ("dealer", "streak", "prevailing", "pool"))
                total = [a + b for a, b in zip(total, hand.scores, strict=True)]
        assert table.hands_done == hands == number + 1
        assert sum(total) == -after[3], "what is not with the players lies in the pool"


def test_ends_for_all_four_at_once_and_each_leaves_with_none():
    table = aec(seed=2)
    for _ in play(table, random.Random(1)):
        assert table.agents == list(AGENTS) and not any(table.terminations.values())
    assert table.agents == [] and table.rewards == {} and table.infos == {}
    with pytest.raises(mjsim.UsageError, match="reset"):
        table.step(0)


def test_all_four_have_the_final_reward_when_the_hand_is_over():
    table = aec()
    rng = random.Random(8)
    for seed in range(20):
        sums = dict.fromkeys(AGENTS, 0)
        table.reset(seed=seed)
        for agent in table.agent_iter():
            observation, reward, terminated, _, info = table.last()
            assert set(info) == {"action_mask"}
            sums[agent] += reward
            if terminated:
                assert not observation["action_mask"].any() and not info["action_mask"].any()
                table.step(None)
            else:
                table.step(rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
        assert list(sums.values()) == table.scores, "a seat's rewards over its own steps sum to its score"


# --- masks, rewards, illegal actions --------------------------------------------------------------------------------


@every_rule_set
def test_mask_and_list_agree_at_every_decision(rules):
    table = aec(rules)
    rng = random.Random(4)
    for seed in range(8):
        for agent, _ in play(table, rng, seed):
            mask = table.observe(agent)["action_mask"]
            claimed = int(table.record["claim_tile"]) if table.record["phase"] == CLAIM else None
            numbers = np.flatnonzero(mask).tolist()
            texts = sorted(format_action(number, claimed) for number in numbers)
            assert texts == table.legal() and len(numbers) == table.record["n_legal"] >= 2
            assert sorted(parse_action(text, claimed) for text in texts) == numbers
            assert mask.dtype == np.int8 and mask.shape == (N_ACTIONS,)
            assert np.array_equal(mask, table.infos[agent]["action_mask"])
            for other in set(AGENTS) - {agent}:
                assert not table.observe(other)["action_mask"].any()
                assert not table.infos[other]["action_mask"].any()


@every_rule_set
@pytest.mark.parametrize("reward", ["score", "scaled"])
def test_rewards_come_from_settlements_alone_and_sum_to_zero(rules, reward):
    table = aec(rules, episode="match", match_hands=3, reward=reward)
    rng = random.Random(6)
    for seed in range(5):
        done = 0
        for _ in play(table, rng, seed):
            if rules != "hk16":  # there a pool takes and gives
                assert sum(table.rewards.values()) == 0
            if table.hands_done == done:
                assert not any(table.rewards.values())
            elif table.hands_done == done + 1:
                factor = 1 if reward == "score" else 1 / 16
                assert list(table.rewards.values()) == [score * factor for score in table.scores]
            done = table.hands_done


def test_illegal_action_raises_on_the_raw_environment_and_changes_nothing():
    table = aec(seed=1)
    table.reset()
    rng = random.Random(2)
    for _ in range(30):
        mask = table.infos[table.agent_selection]["action_mask"]
        before, agent = table.record.tobytes(), table.agent_selection
        illegal = rng.choice(np.flatnonzero(mask == 0).tolist())
        for action in (illegal, -1, -2, N_ACTIONS, 10**9, None, "pass", 1.5):
            with pytest.raises(mjsim.IllegalAction, match="not legal for seat_"):
                table.step(action)
        assert table.record.tobytes() == before and table.agent_selection == agent
        table.step(np.int32(rng.choice(np.flatnonzero(mask).tolist())))


def test_illegal_action_ends_the_wrapped_game_with_the_penalty():
    table = env()
    table.reset(seed=1)
    guilty = table.agent_selection
    observation = table.last()[0]
    table.step(int(np.flatnonzero(observation["action_mask"] == 0)[0]))
    assert all(table.terminations.values())
    paid = {}
    for agent in table.agent_iter():
        observation, reward, terminated, _, _ = table.last()
        assert terminated and not observation["action_mask"].any()
        paid[agent] = reward
        table.step(None)
    assert paid == {agent: -1.0 if agent == guilty else 0 for agent in AGENTS}
    table.reset(seed=1)
    assert table.agent_selection == guilty and not any(table.terminations.values())
    with pytest.raises(AssertionError, match="action space"):
        table.step(N_ACTIONS)


def test_random_legal_play_never_meets_an_illegal_action_or_a_stuck_agent():
    for rules in RULE_SETS:
        table = env(rules=rules)
        rng = random.Random(9)
        for seed in range(300 // len(RULE_SETS)):
            steps = sum(1 for _ in play(table, rng, seed))
            assert 1 <= steps <= 512 and not table.agents


def test_wrong_arguments_are_refused():
    for arguments in (
        {"rules": "riichi"}, {"episode": "round"}, {"episode": "match", "match_hands": 0}, {"reward": "rank"},
        {"render_mode": "rgb"}, {"seed": -1}, {"seed": 1.5},
    ):  # fmt: skip
        with pytest.raises(mjsim.UsageError):
            aec(**arguments)
    table = aec()
    for call in (table.state, lambda: table.observe("seat_0"), lambda: table.step(0)):
        with pytest.raises(mjsim.UsageError, match="reset"):
            call()
    with pytest.raises(mjsim.UsageError, match="seed"):
        table.reset(seed=-3)


def test_module_and_function_of_one_name():
    import mjsim.envs.aec as module

    assert mjsim.envs.aec("douque-taiwanese").rules.name == "douque-taiwanese"
    assert module("douque-taiwanese").metadata["name"] == "mjsim_v0"


# --- observations at any time, state, copies ------------------------------------------------------------------------


@every_rule_set
def test_every_seat_may_be_observed_at_any_time(rules):
    table = aec(rules)
    rng = random.Random(5)
    spaces = {agent: table.observation_space(agent) for agent in AGENTS}
    for seed in range(3):
        for agent, _ in play(table, rng, seed):
            first = table.observe(agent)
            others = {other: table.observe(other) for other in AGENTS}
            for other, seen in others.items():
                assert spaces[other].contains(seen) and seen["observation"].any()
            again = table.observe(agent)
            for key in first:
                assert np.array_equal(first[key], again[key]) and first[key] is not again[key]
                assert not np.shares_memory(first[key], again[key])
        for agent in AGENTS:
            seen = table.observe(agent)
            assert seen["observation"][encoding.TABLE, 6] == 1 and not seen["action_mask"].any()
        table.state()


def test_without_derived_rows_they_stay_zero():
    with_rows, without = aec(seed=3), aec(seed=3, derived=False)
    for table in (with_rows, without):
        table.reset()
    a, b = (table.last()[0]["observation"] for table in (with_rows, without))
    differ = np.flatnonzero((a != b).any(axis=1)).tolist()
    assert set(differ) == {encoding.KEEPS, encoding.UKEIRE, encoding.ACCEPTS, encoding.COUNTS}
    assert not b[encoding.KEEPS : encoding.ACCEPTS + 1].any() and not b[encoding.COUNTS, 26:].any()


@every_rule_set
def test_state_is_seat_0_and_all_that_is_hidden_from_it(rules):
    table = aec(rules)
    table.reset(seed=4)
    state_space_test(table)
    for _ in play(table, random.Random(4), seed=4):
        state, record = table.state(), table.record
        assert state.shape == (N_STATE_ROWS, 34) and state.dtype == np.int8 and table.state_space.contains(state)
        assert np.array_equal(state[:N_ROWS], table.observe("seat_0")["observation"])
        for rel in (1, 2, 3):
            assert np.array_equal(state[N_ROWS + rel - 1], record["counts"][rel])
        left = record["wall"][record["head"] : record["tail"]]
        assert np.array_equal(state[N_ROWS + 6], np.bincount(left[left < 34], minlength=34))
        row = state[-1]
        assert np.flatnonzero(row[:4]).tolist() == [record["seat"]]
        assert row[4:11].sum() == (record["phase"] != DECLARE)
        assert record["phase"] == DECLARE or row[4 + record["phase"]] == 1
        for exchange in range(2):
            for seat in (1, 2, 3):
                given = row[16 + 9 * exchange + 3 * (seat - 1) :][:3] - 1
                assert np.array_equal(given, record["gives"][exchange, seat])
    assert table.state_space.contains(table.state()) and table.state()[-1, 10] == 1


@every_episode
@pytest.mark.parametrize("make", [raw_env, env])
def test_deepcopy_and_pickle_in_mid_hand_have_the_same_future(make, episode):
    table = make(episode=episode, match_hands=2, seed=11)
    rng = random.Random(11)
    steps = play(table, rng)
    for _ in range(40):
        next(steps)
    steps.close()
    table.action_space("seat_0").seed(3)
    observation = table.last()[0]
    if make is env:  # the wrappers ask for an observation before a step
        assert observation is not None
    copies = [copy.deepcopy(table), pickle.loads(pickle.dumps(table)), copy.deepcopy(copy.deepcopy(table))]
    sample = copy.deepcopy(table).action_space("seat_0").sample()
    ends = []
    for one in [*copies, table]:  # the original last: it must not have moved
        assert one.action_space("seat_0").sample() == sample
        own = random.Random(12)
        shown = []
        for agent, action in play(one, own, reset=False):
            shown.append((agent, action, one.observe(agent)["observation"].tobytes(), dict(one.rewards)))
        one.reset()
        shown.append((one.agent_selection, one.state().tobytes(), one.unwrapped.match))
        ends.append((shown, one.unwrapped.scores))
    assert all(end == ends[0] for end in ends[1:])


# --- seeds ----------------------------------------------------------------------------------------------------------


@every_rule_set
@every_episode
def test_one_seed_one_run_another_seed_another_run(rules, episode):
    def run(seed):
        return trace(aec(rules, episode=episode, match_hands=2), seed=seed)

    assert run(5) == run(5) != run(6)


def test_seed_is_the_same_in_a_new_process_with_other_hashes():
    code = "from tests.test_env_aec import trace\nfrom mjsim.envs import env\nprint(trace(env(episode='match', match_hands=2)))"
    root = Path(__file__).parent.parent
    found = {trace(env(episode="match", match_hands=2))}
    for hashes in ("1", "77"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            cwd=root,
            env=os.environ | {"PYTHONHASHSEED": hashes},
        )
        assert done.returncode == 0, done.stderr
        found.add(done.stdout.strip())
    assert len(found) == 1


def test_reset_goes_on_to_the_next_match_and_options_survive_a_seed():
    table = aec("douque-taiwanese", episode="match", match_hands=2, reward="scaled", derived=False, seed=9)
    table.reset()
    assert (table.seed, table.match) == (9, 0)
    first = table.record.tobytes()
    table.reset()
    assert (table.seed, table.match) == (9, 1) and table.record.tobytes() != first
    table.reset(seed=9)
    assert table.match == 0 and table.record.tobytes() == first
    assert (table.match_hands, table.factor, table.derived, table.rules.name) == (2, 1 / 16, 0, "douque-taiwanese")
    one, other = aec(), aec()
    one.reset()
    other.reset()
    assert one.seed != other.seed, "without any seed each environment draws its own"
    one.reset()
    assert one.match == 1


# --- the same game as the engine and the batched environment --------------------------------------------------------


def decide(table, seed: int, n: int) -> Iterator[tuple[list[tuple[int, int]], dict]]:
    """n episodes by the rule of `choice`: decisions as (seat, action number) and the final rewards of each."""
    for i in range(n):
        table.reset(seed=seed if i == 0 else None)
        decisions: list[tuple[int, int]] = []
        while not table.terminations["seat_0"]:
            agent = table.agent_selection
            numbers = table.infos[agent]["action_mask"].nonzero()[0]
            action = int(numbers[choice(table.match, len(decisions), len(numbers))])
            decisions.append((int(agent[-1]), action))
            table.step(action)
        yield decisions, table.rewards


def engine_hand(table) -> mjsim.Hand:
    """The engine's own hand of the same seed, match and standing, at its first decision."""
    record = table.record
    return mjsim.Hand(
        table.rules,
        seed=table.seed,
        match=table.match,
        hand=int(record["hand"]),
        dealer=int(record["dealer"]),
        streak=int(record["streak"]),
        prevailing=int(record["prevailing"]),
    )


def compare_with_engine(rules: str, hands: int, seed: int, verified: int) -> dict[int, list[int]]:
    """Scores by match of `hands` hands through AEC, equal to the engine's by the decisions made; every `verified`-th as text."""
    table = aec(rules, derived=False)
    scores = {}
    for i, (decisions, rewards) in enumerate(decide(table, seed, hands)):
        hand = engine_hand(table)
        for seat, action in decisions:
            assert hand._seat[0] == seat and hand._apply(hand._address, hand._rules_address, action) == 0
        assert hand.over and hand.scores == table.scores == list(rewards.values())
        if i % verified == 0:
            again = engine_hand(table)
            for _, action in decisions:
                again.apply(action)
            assert mjsim.replay(again.transcript(legal=True)) == []
            line = transcript.line_of(table.record, table.rules, table.seed, again.decisions)
            assert mjsim.replay(line) == [] and line == again.transcript()
        scores[table.match] = table.scores
    return scores


def compare_with_vector(rules: str, scores: dict[int, list[int]], seed: int, tables: int) -> int:
    """VectorEnv's scores of the same matches with the same policy; returns how many were compared."""
    vector = VectorEnv(tables, rules, seed, derived=False)
    steps = np.zeros(tables, dtype=np.uint64)
    compared, rounds = 0, -(-len(scores) // tables)
    u = np.uint64
    while (vector.tables["match"] // tables < rounds).any():
        match = vector.tables["match"].astype(np.uint64)
        x = match * u(0x9E3779B97F4A7C15) + steps * u(0xBF58476D1CE4E5B9) + u(0x94D049BB133111EB)
        x = (x ^ x >> u(30)) * u(0xBF58476D1CE4E5B9)
        nth = (x >> u(33)) % vector.masks.sum(axis=1, dtype=np.uint64) + u(1)
        actions = (np.cumsum(vector.masks, axis=1, dtype=np.uint8) == nth[:, None]).argmax(axis=1)
        vector.step(actions)
        steps += u(1)
        for i in np.flatnonzero(vector.dones):
            m = int(match[i])
            if m in scores and vector.hands_done[i] == 1:
                assert vector.scores[i].tolist() == scores[m], f"match {m}"
                compared += 1
            steps[i] = 0
    return compared


@every_rule_set
def test_scores_equal_the_engine_by_transcript(rules):
    hands = 2000 // len(RULE_SETS)
    scores = compare_with_engine(rules, hands, seed=21, verified=10)
    assert len(scores) == hands
    assert compare_with_vector(rules, scores, seed=21, tables=50) >= hands - 5


@pytest.mark.slow
@every_rule_set
def test_a_hundred_thousand_hands_equal_the_engine_by_transcript(rules):
    hands = size(100_000) // len(RULE_SETS)
    scores = compare_with_engine(rules, hands, seed=22, verified=100)
    assert compare_with_vector(rules, scores, seed=22, tables=500) >= hands - 50


@every_rule_set
@every_episode
def test_plays_what_the_batched_environment_plays(rules, episode):
    table = aec(rules, episode=episode, match_hands=2)
    vector = VectorEnv(1, rules, 31, episode=episode, match_hands=2)
    table.reset(seed=31)
    for step in range(1500):
        agent = table.agent_selection
        seen, _, _, _, info = table.last()
        assert vector.seats[0] == int(agent[-1])
        assert np.array_equal(vector.observations[0], seen["observation"])
        assert np.array_equal(vector.masks[0], seen["action_mask"])
        numbers = np.flatnonzero(info["action_mask"])
        action = numbers[choice(31, step, len(numbers))]
        vector.step(np.array([action]))
        table.step(action)
        assert vector.rewards[0].tolist() == list(table.rewards.values())
        assert bool(vector.dones[0]) == table.terminations["seat_0"]
        if vector.dones[0]:
            assert vector.scores[0].tolist() == table.scores
            table.reset()


# --- memory ---------------------------------------------------------------------------------------------------------


def _pages() -> int:
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) if statm.exists() else 0


def _grown(hands: int) -> tuple[int, int]:
    """(bytes of Python objects, resident pages) that `hands` hands left behind."""
    table = aec(seed=1)
    for _ in decide(table, 1, 20):
        pass
    gc.collect()
    pages = _pages()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(hands // 100):
        for _ in decide(table, None, 100):
            table.observe("seat_2")
            table.state()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return grown, _pages() - pages


def test_memory_stays_flat():
    assert _grown(200)[0] < 50_000


@pytest.mark.slow
def test_memory_stays_flat_over_ten_thousand_hands():
    grown, pages = _grown(size(10_000))
    assert grown < 50_000
    assert pages * 4096 < 20_000_000


# --- rendering ------------------------------------------------------------------------------------------------------


def test_picture_and_text_of_rich_positions():
    for i, hand in enumerate(rich_decisions(3, seed=2)):
        record = hand.record
        text = ansi(record, hand.rules)
        assert text == ansi(hand._array, hand.rules), "HAND[1] is taken too"
        assert f"dice {'-'.join(map(str, record['dice'].tolist()))}" in text and f"seat {hand.seat}" in text
        if i % 25 == 0:
            for seat in (None, 2):
                image = picture(record, hand.rules, seat)
                assert image.shape == (HEIGHT, WIDTH, 3) and image.dtype == np.uint8 and len(np.unique(image)) > 20
    assert f"over: {hand.end}" in ansi(hand.record, hand.rules)


#: What a seat's line says of a declaration, by rule set; a table without declarations has no entry.
DECLARED_WORDS = {
    "douque-american": {"ready", "MIGI"},
    "douque-taiwanese": {"ready", "MIGI"},
    "four-winds": {"original call"},
    "hk16": {"closed"},
}


@every_rule_set
def test_text_and_picture_tell_what_the_rule_set_has(rules):
    """Declarations in its words, its flowers by name, minimum, pool and payments during play, in every phase."""
    phases, words, paid, pools = set(), set(), 0, set()
    for i, hand in enumerate(rich_decisions(25, seed=4, names=(rules,))):
        record, flags = hand.record, hand.rules.flags
        text = ansi(record, hand.rules)
        second = text.splitlines()[1]
        minimum = flags["min_tai"] + flags["min_tai_step"] * int(record["prevailing"])
        assert (f"   minimum {minimum}   " in second) == (minimum > 0) == ("minimum" in second)
        assert (f"   pool {record['pool']}   " in second) == flags["draw_pool"] == ("pool" in second)
        phases.add(hand.phase)
        pools.add(int(record["pool"]))
        heads = [line for line in text.splitlines() if line.startswith((" ", ">")) and " score " in line]
        instants = [s for s in hand.settlements if s["kind"] == "instant"]
        for seat, head in enumerate(heads):
            told = {word for word in ("ready", "MIGI", "original call", "closed") if word in head}
            assert bool(told) == bool(record["declared"][seat]) and len(told) < 2
            words |= told
            assert head.endswith(f"score {sum(s['payments'][seat] for s in instants):+d}")
            for flower in range(8):
                if record["flowers"][seat] >> flower & 1:
                    name = flower_names(hand.rules)[flower]
                    assert name in text and (" " in name) == (rules == "hk16")
        below = text[text.index(" seat 3 ") :]
        assert below.count(" from each other (") + below.count(" pays each other ") == len(instants)
        paid += len(instants)
        if i % 97 == 0:
            image = picture(record, hand.rules, hand.seat)
            assert image.shape == (HEIGHT, WIDTH, 3) and len(np.unique(image)) > 20
    assert words == DECLARED_WORDS.get(rules, set())
    assert {"turn", "claim"} <= phases and ("declare" in phases) == (rules == "four-winds")
    assert (paid > 0) == (len(pools) > 1) == (rules == "hk16")


def test_a_question_to_declare_is_put_to_the_one_asked_alone():
    for hand in rich_decisions(60, seed=5, names=("four-winds",)):
        if hand.phase == "declare":
            me, other = hand.seat, (hand.seat + 1) % 4
            assert f"seat {me} may declare" in ansi(hand.record, hand.rules, me)
            told = ansi(hand.record, hand.rules, other)
            assert "may declare" not in told and f"seat {hand.record['dealer']} has the turn" in told
            return
    raise AssertionError("nobody was asked")


def test_flowers_are_drawn_in_the_names_of_the_rule_set():
    """The same tiles: seasons and flowers in letters, or Blue and Red in their colours."""
    hand = mjsim.Hand("house16", seed=1)
    hand.record["flowers"][:] = 0
    hand.record["flowers"][0] = 0b10001
    seen = {name: picture(hand.record, mjsim.rules(name), 0) for name in ("house16", "four-winds", "hk16")}
    ink = {name: [(seen[name][900:990, 850:] == colour).all(axis=-1).sum() for colour in COLOURS] for name in seen}
    assert (seen["house16"][900:990, 850:] == seen["four-winds"][900:990, 850:]).all()
    violet, blue, red = ink["house16"]
    assert violet > 20 and blue == red == 0
    violet, blue, red = ink["hk16"]
    assert violet == 0 and blue > 20 and red > 20


#: Ink of flowers: plain, Blue, Red.
COLOURS = ((132, 40, 140), (24, 66, 160), (178, 24, 32))


def test_a_picture_has_room_for_many_payments():
    """Long lists are wrapped and cut before they reach the seat below; what lies there stays as it was."""
    rules = mjsim.rules("hk16")
    hand = mjsim.Hand(rules, seed=3)
    before = picture(hand.record, rules, 0)
    record = hand.record
    record["n_instants"] = 12
    record["instant_item"][:12] = rules.item_ids.index("mixed_bouquet")
    record["instant_winner"][:12], record["instant_payer"][:12], record["instant_tai"][:12] = 1, -1, 0
    after = picture(record, rules, 0)
    changed = np.flatnonzero((before != after).any(axis=(1, 2)))
    assert len(changed) > 60 and 766 <= changed.min() and changed.max() < HEIGHT - 148
    columns = np.flatnonzero((before != after).any(axis=(0, 2)))
    assert columns.min() > 208 and columns.max() < WIDTH - 204


def test_a_seats_view_is_drawn_from_what_it_may_see():
    """https://github.com/mtgred/netrunner/issues/6124: hidden cards went to spectators and were only hidden by the view."""
    rng = random.Random(7)
    for i, hand in enumerate(positions(8, seed=3)):
        record = hand.record
        if hand.over:
            continue  # then all is open
        for me in range(4):
            changed = permuted(hand._array, hand.rules, me, rng)
            changed["match"] = record["match"]
            if hand.phase == "give":
                changed["seat"] = hand.seat  # everybody sees who gives
            turn = int(record["turn"])
            if hand.phase == "turn" and turn != me and record["drawn"] >= 0:
                changed["drawn"] = np.flatnonzero(changed["counts"][0, turn])[0]
            elif hand.phase == "turn" and turn != me:
                changed["drawn"] = -1
            assert ansi(record, hand.rules, me) == ansi(changed, hand.rules, me)
            if i % 60 == 0:
                assert np.array_equal(picture(record, hand.rules, me), picture(changed, hand.rules, me))


# --- what the rows mean ---------------------------------------------------------------------------------------------


def expected_rows(record, rules, me: int) -> dict[str, np.ndarray]:
    """Every block but the derived ones, written down plainly from the record by the words of docs/observation.md."""
    rows = {name: np.zeros((n, 34), np.int8) for name, n, _ in BLOCKS}
    phase = int(record["phase"])
    asked = phase != OVER and record["seat"] == me
    flags = rules.flags

    def thermometer(block, counts):
        for i in range(4):
            rows[block][i] = np.asarray(counts) > i

    thermometer("own", record["counts"][me])
    if record["last_discard"][me] >= 0:
        rows["own_last_discard"][0, record["last_discard"][me]] = 1
    barred = int(record["skipped_pung"][me]) | int(record["passed"][me])
    rows["barred_claims"][0] = [barred >> k & 1 for k in range(34)]
    unseen = 4 - record["counts"][me].astype(int)
    discards = [
        (int(k), int(s), int(t))
        for k, s, t in zip(record["discards"], record["discarder"], record["discard_taken"], strict=True)
    ][: record["n_discards"]]
    for kind, _, taker in discards:
        unseen[kind] -= taker < 0
    for seat in range(4):
        rel = (seat - me) % 4
        n_concealed = 0
        for i in range(int(record["n_melds"][seat])):
            form, tile = int(record["meld_type"][seat, i]), int(record["meld_tile"][seat, i])
            n_concealed += form == KONG_CONCEALED
            if form == KONG_CONCEALED and flags["concealed_kong_hidden"] and seat != me:
                continue
            if form == CHOW:
                rows["chows"][rel, tile] += 1
                unseen[tile : tile + 3] -= 1
            else:
                name = "pungs" if form == MELD_PUNG else "concealed_kongs" if form == KONG_CONCEALED else "kongs"
                rows[name][rel, tile] = 1
                unseen[tile] -= 3 if form == MELD_PUNG else 4
            if form != KONG_CONCEALED:
                claimed = int(record["meld_claimed"][seat, i])
                rows["claimed"][rel, claimed] = (int(record["meld_from"][seat, i]) - seat) % 4
        for kind, discarder, taker in discards:
            if discarder == seat:
                rows["discarded"][rel, kind] += 1
                rows["taken"][rel, kind] += taker >= 0
        for i, kind in enumerate([k for k, s, _ in reversed(discards) if s == seat][:N_LATEST]):
            rows["recent"][rel * N_LATEST + i, kind] = 1
        if record["declared_at"][seat] >= 0:
            rows["declared_with"][rel, discards[record["declared_at"][seat]][0]] = 1
        for f in range(8):
            rows["flowers"][0, 8 * rel + f] = int(record["flowers"][seat]) >> f & 1
        states = rows["states"][0]
        states[rel] = record["declared"][seat] == 1
        states[4 + rel] = record["declared"][seat] == 2
        states[14 + rel], states[18 + rel] = n_concealed >= 1, n_concealed >= 2
    if phase == ROB and (asked or record["claim_from"] == me):
        unseen[record["claim_tile"]] -= 1
    thermometer("unseen", unseen)
    table = rows["table"][0]
    if asked and phase == DECLARE:
        rows["rules"][0, 0] = 1
    else:
        table[6 if phase == OVER else phase if asked else 7] = 1
    table[8] = asked
    table[9 + (int(record["turn"]) - me) % 4] = 1
    table[13 + (int(record["dealer"]) - me) % 4] = 1
    table[17 + (me - int(record["east"])) % 4] = 1
    table[21 + int(record["prevailing"])] = 1
    if phase == CLAIM or (phase == ROB and asked):
        rows["question"][0, record["claim_tile"]] = 1
        table[25 + (int(record["claim_from"]) - me) % 4] = 1
    table[29 + int(record["round"])] = 1
    if phase == GIVE and asked:
        table[32], table[33] = record["n_given"] >= 1, record["n_given"] >= 2
    for e in range(2):
        for i in range(3):
            for name, field in (("gave", "gives"), ("took", "takes")):
                if record[field][e, me, i] >= 0:
                    rows[name][e, record[field][e, me, i]] += 1
    dice = sorted(record["dice"].tolist())
    for i, die in enumerate(record["dice"].tolist()):
        rows["dice"][0, 6 * i + die - 1] = 1
    pattern = 0
    if dice[0] == dice[2]:
        pattern = 4
    elif all(die in (1, 4) for die in dice):
        pattern = 3
    elif dice[0] + 1 == dice[1] == dice[2] - 1:
        pattern = 2
    elif not any(die in (1, 4) for die in dice):
        pattern = 1
    rows["dice"][0, 18 + pattern] = 1
    rows["dice"][0, 23], rows["dice"][0, 24] = flags["dice_bonus"], flags["exchange"]
    table_rules = rows["rules"][0]
    minimum = flags["min_tai"] + flags["min_tai_step"] * int(record["prevailing"])
    table_rules[1:11] = [minimum >= n for n in (1, 2, 3, 5, 8, 12, 20, 22, 24, 26)]
    table_rules[11:16] = [record["next_pool"] >= n for n in (1, 20, 40, 60, 80)]
    table_rules[16:19] = [flags[name] for name in ("seven_pairs", "thirteen_orphans", "sixteen_orphans")]
    table_rules[19:23] = [flags[name] for name in ("declare_ready", "migi", "closing", "original_call")]
    table_rules[23:25] = flags["winners"] == "nearest", flags["winners"] == "all"
    table_rules[25:28] = [flags[name] for name in ("concealed_kong_hidden", "dealer_tai", "instant_payments")]
    table_rules[31:34] = [record["n_discards"] >= n for n in (9, 10, 16)]
    states[8], states[12] = record["skipped_win"][me], record["any_claim"]
    states[13] = record["case_one"] == me
    if record["n_melds"][me]:
        states[21 + record["n_melds"][me]] = 1
    states[27] = flags["migi"] and record["n_discards"] < 8 and not record["any_claim"]
    if asked and phase in (TURN, CHOICE):
        if record["drawn"] >= 0:
            rows["drawn"][0, record["drawn"]] = 1
        rows["barred"][0] = [int(record["barred"]) >> k & 1 for k in range(34)]
        states[9], states[10], states[11] = record["kong_ban"], record["claim_turn"], record["replacement"]
        table_rules[28], table_rules[29] = record["turn_kongs"] >= 1, record["turn_kongs"] >= 2
        table_rules[30] = record["drawn"] >= 0 and record["drawn_at"] >= 128
    left = int(record["tail"]) - int(record["head"]) - flags["kept_back"]
    rows["wall"][0] = [left >= need for need in [*range(1, 7), *range(8, 63, 2)]]
    rows["counts"][0, :18] = [record["streak"] >= i for i in range(1, 19)]
    rows["counts"][0, 18:26] = [record["n_discards"] >= i for i in range(1, 9)]
    return rows


def expected_derived(record, rules, seen: np.ndarray, me: int) -> None:
    """Compare the derived rows with `mjsim.shanten` of every hand that is one tile away."""
    if record["declared"][me] and rules.flags["closing"]:
        rules = mjsim.rules("hk16", seven_pairs=False, sixteen_orphans=False)  # a closed hand has 13 Orphans alone
    shanten = partial(mjsim.shanten, rules=rules)
    counts, melds = record["counts"][me].copy(), int(record["n_melds"][me])
    if record["phase"] == GIVE or counts.sum() not in (16 - 3 * melds, 17 - 3 * melds):
        return
    now = shanten(counts, melds)
    assert np.flatnonzero(seen[encoding.COUNTS, 26:]).tolist() == ([now + 1] if now <= 6 else [])
    unseen = seen[encoding.UNSEEN : encoding.UNSEEN + 4].sum(axis=0)
    if counts.sum() % 3 == 1:
        lower = [k for k in range(34) if counts[k] < 4 and shanten(counts + np.eye(34, dtype=np.int8)[k], melds) < now]
        assert np.flatnonzero(seen[encoding.ACCEPTS]).tolist() == lower
        assert not seen[encoding.KEEPS].any() and not seen[encoding.UKEIRE].any()
        return
    after = {k: shanten(counts - np.eye(34, dtype=np.int8)[k], melds) for k in np.flatnonzero(counts).tolist()}
    keeps = [k for k, value in after.items() if value == min(after.values())]
    assert np.flatnonzero(seen[encoding.KEEPS]).tolist() == keeps
    for k in keeps:
        rest = counts - np.eye(34, dtype=np.int8)[k]
        accepting = sum(
            int(unseen[t])
            for t in range(34)
            if rest[t] < 4 and shanten(rest + np.eye(34, dtype=np.int8)[t], melds) < after[k]
        )
        assert seen[encoding.UKEIRE, k] == accepting


def rare_positions(seed: int) -> Iterator[mjsim.Hand]:
    """Kongs and flowers that may be robbed."""
    for robbers in (1, 2, 3):
        hand = added_kong(robbers)
        while hand.phase == "rob":
            yield hand
            hand.apply("pass")
    rng = random.Random(seed)
    found = 0
    while found < 3:
        hand = mjsim.Hand(**{**rich_setup(rng), "wall": flower_wall(rng)})
        while not hand.over:
            if hand.phase == "flower":
                found += 1
                yield hand
            hand.apply(any_choice(rng, hand))


def positions(n_hands: int, seed: int) -> Iterator[mjsim.Hand]:
    """Decisions of rich and of random hands of every rule set."""
    yield from rich_decisions(n_hands - n_hands // 3, seed)
    yield from rich_decisions(n_hands // 3, seed, FAMILIES)
    yield from rare_positions(seed)
    rng = random.Random(seed)
    for i in range(n_hands // 4):
        hand = mjsim.Hand(RULE_SETS[i % len(RULE_SETS)], seed=seed, match=i)
        while not hand.over:
            yield hand
            hand.apply(rng.choice(np.flatnonzero(hand.legal_mask()).tolist()))
        yield hand


def test_rows_mean_what_the_docs_say():
    fill, _, _ = observe_calls()
    seen = np.zeros((N_ROWS, 34), np.int8)
    phases = set()
    for i, hand in enumerate(positions(40, seed=6)):
        phases.add(hand.phase)
        for me in range(4):
            fill(hand._address, hand.rules.address, me, seen.ctypes.data, 1)
            rows = expected_rows(hand.record, hand.rules, me)
            for name, start, n, _ in encoding.describe():
                if name in ("keeps", "ukeire", "accepts"):
                    continue
                got, want = seen[start : start + n].copy(), rows[name]
                if name == "counts":
                    got[0, 26:] = 0
                assert np.array_equal(got, want), f"{name} of seat {me} in {hand!r}"
            if i % 12 == 0:
                expected_derived(hand.record, hand.rules, seen, me)
    assert phases == set(PHASES)


def test_privileged_rows_are_what_the_seat_may_not_see():
    _, hidden, _ = observe_calls()
    out = np.zeros((N_PRIVILEGED, 34), np.int8)
    for hand in positions(8, seed=8):
        record = hand.record
        for me in range(4):
            hidden(hand._address, hand.rules.address, me, out.ctypes.data)
            for rel in (1, 2, 3):
                seat = (me + rel) % 4
                assert np.array_equal(out[rel - 1], record["counts"][seat])
                kongs = record["meld_tile"][seat][record["meld_type"][seat] == KONG_CONCEALED]
                assert np.flatnonzero(out[2 + rel]).tolist() == sorted(kongs.tolist())
                assert out[7, rel - 1] == record["skipped_win"][seat]
            left = record["wall"][record["head"] : record["tail"]]
            assert np.array_equal(out[6], np.bincount(left[left < 34], minlength=34))
            assert out[7, 3 : 3 + len(left)].tolist() == (left[:31] + 1).tolist()


# --- what a seat must not see ---------------------------------------------------------------------------------------


def _set_counts(record, seat: int, tiles: list[int]) -> None:
    """Give a seat other tiles, with the caches that the engine keeps of them."""
    counts = np.bincount(tiles, minlength=34)
    record["counts"][seat] = counts
    for suit in range(4):
        kinds = slice(9 * suit, min(34, 9 * suit + 9))
        record["keys"][seat, suit] = int((counts[kinds] * POWER[kinds]).sum())
    record["have"][seat] = sum(1 << k for k in range(34) if counts[k])
    for name, n in (("twos", 2), ("threes", 3), ("quads", 4)):
        record[name][seat] = sum(1 << k for k in range(34) if counts[k] >= n)


def permuted(array: np.ndarray, rules, me: int, rng: random.Random) -> np.ndarray:
    """HAND[1] with everything that seat `me` may not see drawn anew."""
    array = array.copy()
    record = array[0]
    phase = int(record["phase"])
    asked = phase != OVER and record["seat"] == me
    others = [s for s in range(4) if s != me]
    head, tail = int(record["head"]), int(record["tail"])
    # Tiles: others' hands, the wall, what others have given but not passed on yet.
    sizes = {s: int(record["counts"][s].sum()) for s in others}
    wall = record["wall"][head:tail].tolist()
    pool = [k for s in others for k in range(34) for _ in range(int(record["counts"][s, k]))]
    pool += [k for k in wall if k < 34]
    giving = int(record["round"]) if phase == GIVE else -1
    for e in range(2):
        for s in others:
            for i in range(3):
                if record["gives"][e, s, i] >= 0 and e == giving:
                    pool.append(int(record["gives"][e, s, i]))
    if rules.flags["concealed_kong_hidden"]:
        for s in others:
            for i in range(int(record["n_melds"][s])):
                if record["meld_type"][s, i] != KONG_CONCEALED:
                    continue
                if free := [k for k in range(34) if pool.count(k) == 4]:
                    old, new = int(record["meld_tile"][s, i]), rng.choice(free)
                    pool = [k for k in pool if k != new] + [old] * 4
                    record["meld_tile"][s, i] = new
                    record["melded"][s, old] -= 4
                    record["melded"][s, new] += 4
    rng.shuffle(pool)
    for e in range(2):
        for s in others:
            for i in range(3):
                if record["gives"][e, s, i] >= 0:
                    record["gives"][e, s, i] = pool.pop() if e == giving else rng.randrange(34)
                if record["takes"][e, s, i] >= 0:
                    record["takes"][e, s, i] = rng.randrange(34)
    for s in others:
        _set_counts(record, s, [pool.pop() for _ in range(sizes[s])])
        record["distance"][s] = rng.randrange(8)
        record["skipped_win"][s] = rng.randrange(2)
        record["skipped_pung"][s] = rng.getrandbits(34)
        record["passed"][s] = rng.getrandbits(34)
        record["stopped"][s] = rng.randrange(2)
        record["options"][s] = rng.getrandbits(11)
        record["answers"][s] = rng.choice([-1, PASS, PUNG])
    rest = pool + [k for k in wall if k >= 34]
    rng.shuffle(rest)
    record["wall"][head:tail] = rest
    record["wall"][:head] = [rng.randrange(42) for _ in range(head)]
    record["wall"][tail:] = [rng.randrange(42) for _ in range(144 - tail)]
    # Luck and counters that no player knows.
    for name in ("seed", "match", "n_decisions"):
        record[name] = rng.randrange(1000)
    record["rng"] = [rng.getrandbits(64) for _ in range(4)]
    for e in range(2):
        record["pairings"][e] = rng.choice([[1, 0, 3, 2], [1, 2, 3, 0], [2, 3, 0, 1], [3, 2, 1, 0]])
    record["shanten_at"] = rng.randrange(7)
    record["stage"] = rng.randrange(1, 4)
    for name in ("position", "score"):
        record[name] = np.frombuffer(rng.randbytes(record[name].nbytes), dtype=record[name].dtype)[0]
    if not asked:
        # Whose answer is awaited, and the turn of another seat.
        for name, values in (("lacks", 9), ("win_legal", 2), ("n_given", 3), ("n_legal", 40)):
            record[name] = rng.randrange(values)
        record["legal"] = [rng.getrandbits(34) for _ in range(4)] + [rng.getrandbits(11)]
        if phase != OVER:
            record["seat"] = rng.choice(others)
        if phase == TURN and record["turn"] != me:
            record["drawn"] = rng.randrange(34)
        if phase == ROB and record["claim_from"] != me:
            record["claim_tile"] = rng.randrange(34)
    return array


Encoder = Callable[[np.ndarray, "mjsim.Rules", int], bytes]


def encode(array: np.ndarray, rules, me: int) -> bytes:
    """Observation and mask of a seat."""
    fill, _, legal = observe_calls()
    seen, mask = np.zeros((N_ROWS, 34), np.int8), np.zeros(N_ACTIONS, np.int8)
    fill(array.ctypes.data, rules.address, me, seen.ctypes.data, 1)
    legal(array.ctypes.data, me, mask.ctypes.data)
    return seen.tobytes() + mask.tobytes()


def leaks(encoder: Encoder, n_hands: int, seed: int, stop: bool = False) -> tuple[int, int]:
    """(positions looked at, positions where the permuted record is encoded otherwise)."""
    rng = random.Random(seed)
    looked = found = 0
    phases = set()
    for hand in positions(n_hands, seed):
        phases.add(hand.phase)
        for me in range(4):
            changed = permuted(hand._array, hand.rules, me, rng)
            looked += 1
            found += encoder(hand._array, hand.rules, me) != encoder(changed, hand.rules, me)
        if stop and found:
            return looked, found
    assert phases == set(PHASES)
    return looked, found


def test_nothing_hidden_leaks():
    looked, found = leaks(encode, 30, seed=14)
    assert looked > 4000 and found == 0


@pytest.mark.parametrize("options", [{"concealed_kong_hidden": False}, {"exchange": True}])
def test_nothing_hidden_leaks_under_options(options):
    rng = random.Random(3)
    for match in range(12):
        hand = mjsim.Hand(mjsim.rules("douque-taiwanese", **options), seed=3, match=match)
        while not hand.over:
            for me in range(4):
                changed = permuted(hand._array, hand.rules, me, rng)
                assert encode(hand._array, hand.rules, me) == encode(changed, hand.rules, me)
            hand.apply(rng.choice(np.flatnonzero(hand.legal_mask()).tolist()))


def _hidden_kong(record, me: int) -> int:
    return sum(
        int(record["meld_tile"][s, i])
        for s in range(4)
        for i in range(int(record["n_melds"][s]))
        if s != me and record["meld_type"][s, i] == KONG_CONCEALED
    )


#: Encoders broken on purpose: what each reads although the seat may not see it.
BROKEN: dict[str, Callable] = {
    "a count of the next hand": lambda record, me: int(record["counts"][(me + 1) % 4, 5]),
    "the next draw": lambda record, me: int(record["wall"][record["head"]]) if record["head"] < 144 else 0,
    "a replacement": lambda record, me: int(record["wall"][record["tail"] - 1]),
    "a tile drawn before": lambda record, me: int(record["wall"][20]),
    "another's concealed kong": _hidden_kong,
    "unseen copies without the hidden kong": lambda record, me: record["melded"].sum(axis=0).tobytes(),
    "another's exchange": lambda record, me: int(record["gives"][0, (me + 2) % 4, 0]),
    "who got the tiles": lambda record, me: int(record["pairings"][0, me]),
    "another's skipped win": lambda record, me: int(record["skipped_win"][(me + 3) % 4]),
    "another's skipped pung": lambda record, me: int(record["skipped_pung"][(me + 1) % 4]),
    "another's passes": lambda record, me: int(record["passed"][(me + 1) % 4]),
    "an answer of this stage": lambda record, me: int(record["answers"][(me + 1) % 4]),
    "another's options": lambda record, me: int(record["options"][(me + 2) % 4]),
    "how many passed": lambda record, me: int(record["n_decisions"]),
    "another's shanten": lambda record, me: int(record["distance"][(me + 1) % 4]),
    "another's drawn tile": lambda record, me: int(record["drawn"]) if record["turn"] != me else 0,
    "whose answer is awaited": lambda record, me: int(record["seat"]),
    "another's legal actions": lambda record, me: record["legal"].tobytes(),
}


@pytest.mark.parametrize("what", BROKEN)
def test_the_leak_test_finds_an_encoder_that_reads(what):
    """A check that never fails shows nothing: each of these reads one hidden thing and must be caught."""

    def broken(array, rules, me):
        extra = BROKEN[what](array[0], me)
        return encode(array, rules, me) + (extra if isinstance(extra, bytes) else str(extra).encode())

    assert leaks(broken, 60, seed=14, stop=True)[1] > 0


# --- docs -----------------------------------------------------------------------------------------------------------

BEGIN, END = "<!-- generated: python -m tests.test_env_aec -->", "<!-- end -->"


def generated() -> str:
    """The part of docs/observation.md that follows from the code."""

    def span(start, n):
        return f"{start}" if n == 1 else f"{start}-{start + n - 1}"

    out = [
        f"{N_ROWS} rows of 34, version `{encoding.VERSION}`.",
        "",
        "| rows | name | meaning |",
        "| --- | --- | --- |",
    ]
    out += [f"| {span(start, n)} | `{name}` | {meaning} |" for name, start, n, meaning in encoding.describe()]
    values = {"table": encoding.TABLE_VALUES, "dice": encoding.DICE_VALUES, "states": encoding.STATE_VALUES}
    for name, text in values.items():
        start = encoding._START[name]
        out += ["", f"Row {start}, `{name}`:", "", *(f"- {part}" for part in text.split("; "))]
    out += [
        "",
        "## Privileged rows",
        "",
        f"{N_PRIVILEGED} rows of 34.",
        "",
        "| rows | name | meaning |",
        "| --- | --- | --- |",
    ]
    start = 0
    for name, n, meaning in PRIVILEGED_BLOCKS:
        out.append(f"| {span(start, n)} | `{name}` | {meaning} |")
        start += n
    hidden, last = f"{N_ROWS}-{N_ROWS + N_PRIVILEGED - 1}", N_STATE_ROWS - 1
    out += [
        "",
        "## State",
        "",
        f"`state()` is int8[{N_STATE_ROWS}, 34]: rows 0-{N_ROWS - 1} the observation of seat 0,",
    ]
    out += [f"{hidden} the privileged rows of seat 0, and row {last} of single values:", ""]
    out += [f"- {part}" for part in STATE_VALUES.split("; ")]
    return "\n".join(out) + "\n"


def test_the_docs_are_what_the_code_says():
    text = DOC.read_text()
    found = text.split(BEGIN)[1].split(END)[0].strip()
    assert found == generated().strip(), "write it anew: python -m tests.test_env_aec"
    assert sum(n for _, n, _ in PRIVILEGED_BLOCKS) == N_PRIVILEGED
    assert f"`int8[{N_ACTIONS}]`" in text and OTHER == 136


def test_action_numbers_in_the_docs_are_the_codes():
    text = (DOC.parent / "transcripts.md").read_text()
    for line in ("| 0-33 | `discard 5m`", "| 34-67 | `ready 5m`", "| 68-101 | `kong 5m`", "| 102-135 | `give 5m`"):
        assert line in text
        first, word = int(line.split("-")[0][2:]), line.split("`")[1].split()[0]
        assert format_action(first) == f"{word} 1m" and format_action(first + 33) == f"{word} 7z"


if __name__ == "__main__":
    before, _, rest = DOC.read_text().partition(BEGIN)
    DOC.write_text(f"{before}{BEGIN}\n\n{generated()}\n{END}{rest.partition(END)[2]}")
