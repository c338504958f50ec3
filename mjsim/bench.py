"""`mjsim bench`: the project's speeds, measured in one run, each also as a ratio to a skeleton without rules.

Times are best of several rounds (the machine's noise only adds), on one core unless a line says otherwise.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mjsim.batch import Players, execute, make_plan, play_one_match, resolve_agents, simulate_files
from mjsim.hand_record import HAND, TURN
from mjsim.jit import call, entry
from mjsim.play import DECISION, MAX_DECISIONS
from mjsim.position import _score_all, score_batch, score_lines
from mjsim.ruleset import Rules, rules
from mjsim.ruleset.presets import PRESETS
from mjsim.ruleset.record import SCORE
from mjsim.shapes import tables
from mjsim.shapes.kernels import tables_at
from mjsim.shapes.public import distance_counts, shanten

RULES_NAME = "douque-american"


class Figure(NamedTuple):
    name: str
    value: float
    unit: str
    target: str
    met: bool | None


def best_of(rounds: int, run: Callable[[], float]) -> float:
    """Highest rate of several rounds; `run` returns the amount of work that it did."""
    best = 0.0
    for _ in range(rounds):
        start = time.perf_counter()
        amount = run()
        best = max(best, amount / (time.perf_counter() - start))
    return best


@entry
def _collect(hands, rules, engine, policies, parameters, seed, n, out):
    """Fill int8[m, 34] with 17-tile hands met at the decisions of n hands of play; returns how many."""
    r = rules[0]
    found = 0
    h = hands[0]
    for i in range(n):
        call(engine[1], (h, r, seed, i, 0))
        call(engine[0], (h, r, -1))
        while h.n_legal > 0:
            if h.phase == TURN and h.n_melds[h.seat] == 0 and found < len(out):
                for k in range(34):
                    out[found, k] = h.counts[h.seat, k]
                found += 1
            call(engine[0], (h, r, call(policies[h.seat], (h, r, parameters[h.seat]))))
    return found


@entry
def _shanten_loop(address, hands):
    """Sum of the distances of int8[n, 34] hands of 17 tiles, from counts, by the kernel behind `mjsim.shanten`."""
    t = tables_at(address)
    total = 0
    for n in range(len(hands)):
        total += distance_counts(t, hands[n], 5)
    return total


def hands_from_play(checked: Rules, n: int, seed: int = 5) -> np.ndarray:
    """int8[n, 34] different hands of 17 tiles, half from greedy play, half dealt at random."""
    players = Players(resolve_agents("mjsim.agents.registry:make_four", ["greedy"]))
    played = np.zeros((3 * n, 34), dtype=np.int8)
    record = np.zeros(1, dtype=HAND)
    found = 0
    block = 20_000
    start = 0
    unique = np.zeros((0, 34), dtype=np.int8)
    while len(unique) < n // 2:
        found = _collect(
            record, checked.array, players.engine, players.policies, players.parameters, seed + start, block, played
        )
        start += 1
        unique = np.unique(np.concatenate([unique, played[:found]]), axis=0)
    rng = np.random.default_rng(seed)
    kinds = np.repeat(np.arange(34), 4)
    dealt = np.zeros((n - n // 2, 34), dtype=np.int8)
    order = np.argpartition(rng.random((len(dealt), 136)), 17, axis=1)[:, :17]
    np.add.at(dealt, (np.arange(len(dealt))[:, None], kinds[order]), 1)
    out = np.concatenate([rng.permutation(unique)[: n // 2], dealt])
    return rng.permutation(out)


def won_positions(checked: Rules, n: int, seed: int = 5) -> np.ndarray:
    """POSITION[n] of hands won in greedy play."""
    players = Players(resolve_agents("mjsim.agents.registry:make_four", ["greedy"]))
    out: list[np.ndarray] = []
    have, match = 0, 0
    while have < n:
        hands = np.zeros(64, dtype=HAND)
        play_one_match(checked, players, seed, match, hands, 0, False, np.zeros((0, MAX_DECISIONS), dtype=DECISION))
        won = hands["position"][hands["end"] == 3]
        out.append(won)
        have += len(won)
        match += 1
    return np.ascontiguousarray(np.concatenate(out)[:n])


def as_position_dicts(positions: np.ndarray) -> list[dict[str, Any]]:
    """FORMATS.md objects of POSITION records."""
    from mjsim.melds import format_meld
    from mjsim.ruleset.record import POSITION_FLAGS
    from mjsim.tiles import TEXT, format_counts, format_flowers
    from mjsim.view import WINDS

    out = []
    for p in positions:
        counts = p["counts"].copy()
        counts[p["win_tile"]] -= 1
        position = {
            "rules": RULES_NAME,
            "hand": format_counts(counts),
            "melds": [format_meld(int(p["meld_type"][i]), int(p["meld_tile"][i])) for i in range(p["n_melds"])],
            "win_tile": TEXT[p["win_tile"]],
            "by": ("self_draw", "discard", "rob_kong")[p["how"]],
            "seat": int(p["seat"]),
            "dealer": int(p["dealer"]),
            "east": int(p["east"]),
            "streak": int(p["streak"]),
            "prevailing": WINDS[p["prevailing"]],
            "flowers": format_flowers(int(p["flowers"])),
            "dice": p["dice"].tolist(),
            "flags": [name for i, name in enumerate(POSITION_FLAGS) if int(p["flags"]) >> i & 1],
        }
        if p["payer"] >= 0:
            position["from"] = int(p["payer"])
        out.append(position)
    return out


_CHILD = """
import json, sys, time
start = time.perf_counter()
import mjsim
hand = mjsim.Hand({rules!r}, seed=1)
from mjsim.batch import simulate
frame = simulate({rules!r}, {agents!r}, {hands}, 1, match_hands=1)
try:  # of this program alone: ru_maxrss keeps the size of the process that started it
    peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
except OSError:
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([time.perf_counter() - start, peak / 1024]))
"""


def start_up(cache: str, agents: str = "random", hands: int = 1) -> tuple[float, float]:
    """(seconds, megabytes) of a new process from its start to the first finished hand, with this cache folder."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _CHILD.format(rules=RULES_NAME, agents=agents, hands=hands)],
        env=os.environ | {"MJSIM_CACHE_DIR": cache},
        capture_output=True,
        text=True,
        check=True,
    )
    return time.perf_counter() - start, json.loads(done.stdout.strip().splitlines()[-1])[1]


@entry
def _choose(masks, state, out):
    """A uniform legal action of each row of int8[n, 147] `masks` into int64[n] `out`; `state` is uint64[1]."""
    for i in range(len(masks)):
        n = 0
        for a in range(masks.shape[1]):
            n += masks[i, a]
        state[0] = state[0] * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        k = np.int64((state[0] >> np.uint64(33)) % np.uint64(n))
        for a in range(masks.shape[1]):
            if masks[i, a]:
                if k == 0:
                    out[i] = a
                    break
                k -= 1


def _batched(derived: bool, seed: int, n: int = 256, steps: int = 50) -> Callable[[], float]:
    """Decisions/s of one VectorEnv in random play. Choosing the actions is timed apart and not counted: it is the user's part."""
    from mjsim.envs.vector import VectorEnv

    env = VectorEnv(n, RULES_NAME, seed, derived=derived)
    state, actions = np.array([seed], dtype=np.uint64), np.zeros(n, dtype=np.int64)
    _choose(env.masks, state, actions)

    def run() -> float:
        spent = 0.0
        for _ in range(steps):
            _choose(env.masks, state, actions)
            start = time.perf_counter()
            env.step(actions)
            spent += time.perf_counter() - start
        return n * steps / spent

    run()
    return run


def _one_at_a_time(mask: np.ndarray, rng: random.Random) -> int:
    """A legal action as a Python user would draw it."""
    legal = mask.nonzero()[0]
    return int(legal[int(rng.random() * len(legal))])


def _aec(wrapped: bool, seed: int, decisions: int = 1500) -> Callable[[], float]:
    """Decisions/s of the AEC loop `last()`, choose, `step(action)` in random play, everything counted."""
    from mjsim.envs.aec import env, raw_env

    table = (env if wrapped else raw_env)(rules=RULES_NAME)
    rng = random.Random(seed)

    def run() -> float:
        table.reset(seed=seed)
        start = time.perf_counter()
        for _ in range(decisions):
            observation, _, over, gone, _ = table.last()
            if over or gone:
                table.reset()
            else:
                table.step(_one_at_a_time(observation["action_mask"], rng))
        return decisions / (time.perf_counter() - start)

    run()
    return run


def _solo(seed: int, steps: int = 1500) -> Callable[[], float]:
    """Steps/s of Solo, random legal play against greedy opponents, everything counted."""
    from mjsim.envs.solo import Solo

    env = Solo(RULES_NAME, "greedy")
    rng = random.Random(seed)

    def run() -> float:
        _, info = env.reset(seed=seed)
        start = time.perf_counter()
        for _ in range(steps):
            _, _, over, _, info = env.step(_one_at_a_time(info["action_mask"], rng))
            if over:
                _, info = env.reset()
        return steps / (time.perf_counter() - start)

    run()
    return run


def table_bytes(n: int = 64) -> float:
    """Bytes a table of VectorEnv takes without its observations."""
    from mjsim.envs.vector import VectorEnv

    env = VectorEnv(n, RULES_NAME)
    arrays = [value for value in vars(env).values() if isinstance(value, np.ndarray) and len(value) == n]
    return sum(array.nbytes for array in arrays if array is not env.observations) / n


#: Many short rounds of each environment: on a busy machine some of them are not disturbed.
ROUNDS = 20


def environments(random_play: Callable[[], tuple[int, int]], seed: int) -> Iterator[Figure]:
    """The environments' figures. Engine and batch take turns, so that a busy machine slows both sides of their ratio."""
    step = _batched(False, seed)
    plain, engine = 0.0, 0.0
    for _ in range(ROUNDS):
        engine = max(engine, best_of(1, lambda: random_play()[1]))
        plain = max(plain, step())
    yield Figure("VectorEnv, 256 tables, random play", plain, "decisions/s", ">= 300,000", plain >= 300_000)
    yield Figure("VectorEnv / random play", plain / engine, "", ">= 0.2", plain / engine >= 0.2)
    derived = _batched(True, seed)
    yield Figure("VectorEnv with derived rows", max(derived() for _ in range(ROUNDS)), "decisions/s", "", None)
    size = table_bytes()
    yield Figure("memory of a table of VectorEnv", size, "bytes", "<= 8,192", size <= 8192)
    clients = (
        ("AEC, raw", "pettingzoo", lambda: _aec(False, seed), 25_000),
        ("AEC behind stock wrappers", "pettingzoo", lambda: _aec(True, seed), 9_000),
        ("Solo against greedy", "gymnasium", lambda: _solo(seed), 15_000),
    )
    for name, library, prepare, target in clients:
        if importlib.util.find_spec(library) is None:
            print(f"mjsim bench: {name}: skipped, {library} is not installed", file=sys.stderr)
            continue
        step = prepare()
        rate = max(step() for _ in range(ROUNDS))
        yield Figure(name, rate, "decisions/s", f">= {target:,}", rate >= target)


def training(seed: int) -> Iterator[Figure]:
    """Decisions to learn from, made by `heuristic` on two cores; and collected in self-play by the network of default size."""
    if importlib.util.find_spec("torch") is None or importlib.util.find_spec("safetensors") is None:
        print("mjsim bench: training: skipped, torch or safetensors is not installed", file=sys.stderr)
        return
    from concurrent.futures import ThreadPoolExecutor

    import torch

    from mjsim.agents import make
    from mjsim.agents.network import PolicyNet, Shape
    from mjsim.experiments import imitate, ppo
    from mjsim.play import MAX_DECISIONS

    sources = [imitate.Decisions(RULES_NAME, "heuristic", 20_000 + MAX_DECISIONS, seed + i) for i in range(2)]
    sources[0].fill(0)

    def label() -> float:
        for done in [pool.submit(source.fill, 0) for source in sources]:
            done.result()
        return sum(source.n for source in sources)

    with ThreadPoolExecutor(2) as pool:
        rate = best_of(5, label)
    yield Figure("heuristic decisions to learn from, 2 threads", rate, "decisions/s", ">= 100,000", rate >= 100_000)
    torch.manual_seed(seed)
    config = ppo.Config(steps=32, self_share=1.0)
    opponents = ppo.Opponents([make("greedy")], 1.0)
    dice = torch.Generator().manual_seed(seed)
    collector = ppo.Collector(config, RULES_NAME, opponents, np.random.default_rng(seed), dice)
    net = PolicyNet(Shape.of(config.network)).eval()
    rate = best_of(5, lambda: collector.collect(net).n)
    cores = torch.get_num_threads()
    yield Figure(f"self-play with a network, {cores} threads", rate, "decisions/s", ">= 5,000", rate >= 5000)


def other_rule_sets(play: Callable[..., Callable[[], tuple[int, int]]]) -> Iterator[Figure]:
    """How many times longer a hand of each other rule set takes, the rule sets in turns; and what hk16's scorer takes."""
    checked = {name: rules(name).ready() for name in PRESETS}
    for agents, hands in (("random", 8_000), ("greedy", 2_000)):
        runs = {name: play(agents, hands, one) for name, one in checked.items()}
        best = dict.fromkeys(runs, 0.0)
        for _ in range(ROUNDS):
            for name, run in runs.items():
                best[name] = max(best[name], best_of(1, lambda run=run: run()[0]))
        for name, rate in best.items():
            if name != RULES_NAME:
                times = best[RULES_NAME] / rate
                yield Figure(f"{agents} play of {name}", times, f"x {RULES_NAME}", "<= 2", times <= 2)
    won = won_positions(checked["hk16"], 20_000)
    scores = np.zeros(len(won), dtype=SCORE)

    def score_all() -> float:
        _score_all(won, checked["hk16"].array, scores)
        return len(won)

    us = 1e6 / best_of(5, score_all)
    yield Figure("score a won hand of hk16", us, "us", "<= 30", us <= 30)


def measure(full: bool = False, seed: int = 1) -> Iterator[Figure]:
    """Measure one figure after the other. `full` adds cold start and the two-worker run (about three minutes more)."""
    from mjsim.benchmarks.skeleton import skeleton

    checked = rules(RULES_NAME).ready()
    record = np.zeros(1, dtype=HAND)
    skeleton(record, seed, 100)
    base = best_of(5, lambda: skeleton(record, seed, 40_000))
    yield Figure("skeleton (no rules)", base, "draws/s", "", None)

    def play(agents: str, n: int, checked: Rules = checked) -> Callable[[], tuple[int, int]]:
        players = Players(resolve_agents("mjsim.agents.registry:make_four", [agents]))
        no_log = np.zeros((0, MAX_DECISIONS), dtype=DECISION)
        hands = np.zeros(16, dtype=HAND)

        def run() -> tuple[int, int]:
            decisions = played = 0
            for match in range(n // 16):
                for field in ("dealer", "streak", "prevailing", "pool"):
                    hands[field][0] = 0
                played += play_one_match(checked, players, seed, match, hands, 0, False, no_log)
                decisions += int(hands["n_decisions"].sum())
            return played, decisions

        run()
        return run

    random_play = play("random", 32_000)
    rate = best_of(5, lambda: random_play()[1])
    yield Figure("random play", rate, "decisions/s", ">= 1,000,000", rate >= 1e6)
    yield Figure("random play / skeleton", rate / base, "decisions a draw", ">= 1/12", rate / base >= 1 / 12)
    greedy_play = play("greedy", 8_000)
    greedy = best_of(5, lambda: greedy_play()[0])
    yield Figure("greedy play", greedy, "hands/s", ">= 3,000", greedy >= 3000)

    yield from other_rule_sets(play)

    hands = hands_from_play(checked, 1_000_000)
    address = tables.address()
    _shanten_loop(address, hands[:10])

    def loop() -> float:
        _shanten_loop(address, hands)
        return len(hands)

    ns = 1e9 / best_of(5, loop)
    yield Figure("shanten, 17 tiles, compiled", ns, "ns", "<= 40", ns <= 40)
    some = [h.copy() for h in hands[:20_000]]

    def from_python() -> float:
        for hand in some:
            shanten(hand)
        return len(some)

    calls = best_of(5, from_python)
    yield Figure("shanten from Python, int8[34]", calls, "calls/s", ">= 1,000,000", calls >= 1e6)

    won = won_positions(checked, 50_000)
    scores = np.zeros(len(won), dtype=SCORE)
    _score_all(won[:10], checked.array, scores[:10])

    def inside() -> float:
        _score_all(won, checked.array, scores)
        return len(won)

    us = 1e6 / best_of(5, inside)
    yield Figure("score a won hand, compiled", us, "us", "<= 2", us <= 2)
    rate = best_of(5, lambda: len(score_batch(won, checked)))
    yield Figure("score_batch", rate, "hands/s", ">= 250,000", rate >= 250_000)
    lines = [json.dumps(position) for position in as_position_dicts(won[:20_000])]

    def score_json() -> float:
        return sum(len(json.dumps(a)) > 0 for a in score_lines((json.loads(line), None) for line in lines))

    rate = best_of(3, score_json)
    yield Figure("score JSON Lines", rate, "lines/s", ">= 20,000", rate >= 20_000)

    yield from environments(play("random", 800), seed)
    yield from training(seed)

    plan = make_plan(RULES_NAME, "greedy", 100_000, seed)
    execute(make_plan(RULES_NAME, "greedy", 100, seed), None, 1)  # imports what writes files
    with tempfile.TemporaryDirectory() as folder:
        bare = best_of(2, lambda: greedy_play()[0])
        from mjsim.batch import Run

        rate = best_of(1, lambda: simulate_files(Run(plan, Path(folder) / "run", None), 1)["hands"])
        yield Figure("simulate greedy to Parquet / bare loop", rate / bare, "", ">= 0.8", rate / bare >= 0.8)
        if not full:
            return
        seconds, _ = start_up(str(Path(folder) / "cache"))
        yield Figure("cold start to the first hand", seconds, "s", "<= 60", seconds <= 60)
        seconds, _ = start_up(str(Path(folder) / "cache"))
        yield Figure("warm start to the first hand", seconds, "s", "<= 3", seconds <= 3)
        start_up(str(Path(folder) / "cache"), "greedy")  # compiles, as the parent of workers does for them
        _, size = start_up(str(Path(folder) / "cache"), "greedy", 20_000)
        yield Figure("memory of a worker", size, "MB", "<= 500", size <= 500)
        wanted = int(35 * greedy)
        times = []
        for workers in (1, 2):
            start = time.perf_counter()
            execute(
                make_plan(RULES_NAME, "greedy", wanted, seed),
                Run(make_plan(RULES_NAME, "greedy", wanted, seed), Path(folder) / f"w{workers}", None),
                workers,
            )
            times.append(time.perf_counter() - start)
        gain = times[0] / times[1]
        yield Figure(f"two workers / one ({wanted:,} hands)", gain, "", ">= 1.8", gain >= 1.8)
