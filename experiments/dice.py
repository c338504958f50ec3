"""`mjsim study dice`: what the dice bonus is worth, the same hands played once under each of its five patterns.

Owns the run: the standing, the work over processes, the output folder and going on after a stop. What is counted in a
hand is in `dice_kernels`, measures and tables in `dice_report`.

The unit of statistics is the wall. Dealer, East, streak and prevailing wind are drawn with it and kept while the hand is
played under each pattern, so that only the judged pattern differs. Wall `w` of a seed is hand 1 of match `w`, whatever
the number of workers.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import mjsim
from mjsim.agents import registry
from mjsim.errors import MjsimError, UsageError
from mjsim.experiments.dice_kernels import DICE, N_COUNTERS, N_PATTERNS, PATTERNS, play_walls, standings
from mjsim.experiments.stats import Sums
from mjsim.flow import engine
from mjsim.hand_record import HAND
from mjsim.play import DECISION
from mjsim.ruleset import Rules
from mjsim.ruleset import rules as make_rules
from mjsim.ruleset.presets import PRESETS
from mjsim.workers import end_with_parent

#: About one minute on two cores with `greedy`.
DEFAULT_WALLS = 300_000
#: How often the dealer keeps the deal with four `greedy` under the rules of `douque-american`: 0.339 of 200,000 hands of
#: matches, about the same at every streak (0.29 with a minimum of 0, 0.49 with one of 5).
DEFAULT_KEEP = 0.34

#: Walls of one piece of work, whatever the number of workers.
BLOCK = 1024
#: Seconds that one call of compiled code aims at, so that Ctrl-C works.
CALL_SECONDS = 0.2
#: Seconds between two savings of what is finished.
SAVE_SECONDS = 2.0

RUN_FILE, SUMS_FILE = "run.json", "sums.npz"
FORMAT = "mjsim-study-dice/1"

Progress = Callable[[int, int], Any]


@dataclass
class DiceResult:
    """What a study has counted.

    Attributes:
        rules, agents (four texts, by seat), walls, seed, keep: what was asked for.
        sums: over walls of the counters of the five patterns, [pattern, counter] flattened.
        seconds: of this run; walls_before: walls that an earlier run of the same folder had finished.
        version: of mjsim.
    """

    rules: Rules
    agents: tuple[str, ...]
    walls: int
    seed: int
    keep: float
    sums: Sums
    seconds: float = 0.0
    walls_before: int = 0
    version: str = field(default_factory=lambda: mjsim.__version__)

    @property
    def was_finished(self) -> bool:
        """Whether the folder held the finished run already, so that nothing was played."""
        return self.walls_before == self.walls

    @property
    def hands_per_second(self) -> float:
        """Hands of this run over its wall-clock time, 0 when none was played."""
        hands = (self.walls - self.walls_before) * N_PATTERNS
        return hands / self.seconds if hands and self.seconds else 0.0


def streak_thresholds(keep: float, cap: int) -> np.ndarray:
    """int64[cap + 1]: how many of 2^32 draws give a streak of at most k, for P(k) proportional to keep^k, k = 0..cap.

    That is the share of hands played at each streak when the dealer keeps the deal with probability `keep`.
    """
    share = np.float64(keep) ** np.arange(cap + 1)
    return np.floor(np.cumsum(share) / share.sum() * 2**32).astype(np.int64)


class Player:
    """Plays blocks of walls in this process."""

    def __init__(self, rules: Rules, agents: Sequence[str], seed: int, keep: float) -> None:
        self.rules = rules.ready()
        self.agents = registry.make_four(list(agents))
        self.seed = seed
        self.streak_below = streak_thresholds(keep, rules.flags["streak_cap"])
        self._engine = np.array([engine.apply.address, engine.lay.address])
        self._policies = np.array([a.address for a in self.agents])
        self._parameters = np.array([a.parameters_address for a in self.agents])
        self._hands = np.zeros(1, HAND)
        self._log = np.zeros(1, DECISION)
        self._walls_a_call = 16

    def play(self, first: int, n: int) -> np.ndarray:
        """Counters of walls first..first + n - 1: int32[n, 5, N_COUNTERS]."""
        out = np.zeros((n, N_PATTERNS, N_COUNTERS), np.int32)
        wall, seat = play_walls(
            self._hands, self.rules.array, self._engine, self._policies, self._parameters,
            self.seed, first, DICE, self.streak_below, self._log, out,
        )  # fmt: skip
        if seat >= 0:
            raise MjsimError(f"agent {self.agents[seat].name!r} chose an illegal action at seat {seat} of wall {wall}")
        return out

    def standings(self, first: int, n: int) -> np.ndarray:
        """int16[n, 4]: dealer, east, prevailing wind and streak drawn with walls first..first + n - 1."""
        out = np.zeros((n, 4), np.int16)
        standings(self._hands, self.rules.array, self._engine[1], self.seed, first, self.streak_below, out)
        return out

    def block(self, first: int, n: int, stopped: Callable[[], bool]) -> Sums | None:
        """Sums over walls first..first + n - 1, in calls short enough to be stopped between them; None when stopped."""
        sums = Sums.zero(N_PATTERNS * N_COUNTERS)
        done = 0
        while done < n:
            if stopped():
                return None
            k = min(self._walls_a_call, n - done)
            start = time.perf_counter()
            out = self.play(first + done, k)
            aim = int(k * CALL_SECONDS / max(time.perf_counter() - start, 1e-6))
            self._walls_a_call = max(1, min(aim, 2 * self._walls_a_call, BLOCK))
            sums.add(Sums.of(out.reshape(k, -1)))
            done += k
        return sums


_player: Player
_stop: Any


def _start_worker(rules: Rules, agents: Sequence[str], seed: int, keep: float, stop: Any) -> None:
    global _player, _stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    _player, _stop = Player(rules, agents, seed, keep), stop


def _work(block: int, first: int, n: int) -> tuple[int, Sums | None]:
    return block, _player.block(first, n, _stop.is_set)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    if before is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _in_processes(
    arguments: tuple[Rules, Sequence[str], int, float], blocks: list[tuple[int, int, int]], workers: int
) -> Iterator[tuple[int, Sums]]:
    """Finished blocks as they come from spawned processes; those in work are given up when the caller closes this."""
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    pool = ProcessPoolExecutor(workers, context, _start_worker, (*arguments, stop))
    running: set[Future] = set()
    todo = iter(blocks)
    try:
        with _interrupts_ignored():  # Ctrl-C reaches every process of the terminal, and children start as we are
            for _, block in zip(range(2 * workers), todo, strict=False):
                running.add(pool.submit(_work, *block))
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                number, sums = future.result()
                if sums is not None:
                    yield number, sums
                if (block := next(todo, None)) is not None:
                    running.add(pool.submit(_work, *block))
    except BrokenProcessPool:
        raise MjsimError(
            "a worker process ended by itself (out of memory, or a script without `if __name__ == '__main__':`); "
            "with workers=1 all is played in this process"
        ) from None
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)


def _in_this_process(player: Player, blocks: list[tuple[int, int, int]]) -> Iterator[tuple[int, Sums]]:
    for number, first, n in blocks:
        sums = player.block(first, n, lambda: False)
        assert sums is not None, "a block was stopped, but nothing stops blocks here"
        yield number, sums


def parameters(result: DiceResult) -> dict[str, Any]:
    """What the numbers depend on, as kept in run.json: a folder belongs to one set of these."""
    return {
        "format": FORMAT,
        "mjsim": result.version,
        "rules": result.rules.name,
        "options": result.rules.options,
        "fingerprint": result.rules.fingerprint,
        "agents": list(result.agents),
        "walls": result.walls,
        "seed": result.seed,
        "keep": result.keep,
    }


class _Folder:
    """The output folder of a run: run.json says whose it is, sums.npz holds the finished blocks and their sums."""

    def __init__(self, path: Path, mine: dict[str, Any]) -> None:
        self.path = path
        self._mine = mine
        self._saved_at = 0.0
        if path.exists() and not path.is_dir():
            raise UsageError(f"out: {path} is a file, not a folder")
        self.is_new = not (path / RUN_FILE).exists()
        if self.is_new:
            self._check_is_free()
        else:
            self._check_is_mine()

    def _check_is_free(self) -> None:
        taken = [name for name in (SUMS_FILE, "summary.csv", "summary.json") if (self.path / name).exists()]
        if taken:
            raise UsageError(
                f"out: {self.path} has a {taken[0]} but no {RUN_FILE}, so it is another's; choose a new folder"
            )

    def _check_is_mine(self) -> None:
        try:
            theirs = json.loads((self.path / RUN_FILE).read_text(encoding="utf-8"))
            if not isinstance(theirs, dict):
                raise ValueError("no JSON object")
        except (OSError, ValueError) as error:
            raise UsageError(f"out: {self.path / RUN_FILE} cannot be read ({error}); choose a new folder") from None
        for key, value in self._mine.items():
            if theirs.get(key) != value:
                raise UsageError(
                    f"out: {self.path} belongs to another run: its {key} is {theirs.get(key)!r}, asked for is {value!r}; "
                    "choose a new folder"
                )

    def load(self, n_blocks: int, sums: Sums) -> np.ndarray:
        """Take in what is finished; bool[n_blocks] says which blocks are."""
        done = np.zeros(n_blocks, bool)
        file = self.path / SUMS_FILE
        if not file.exists():
            return done
        try:
            with np.load(file, allow_pickle=False) as kept:
                done = kept["done"]
                before = Sums(int(kept["n"]), kept["total"], kept["products"])
            whole = done.shape == (n_blocks,) and before.n == sum(n for b, _, n in _cut(self._mine["walls"]) if done[b])
            if not whole or before.products.shape != sums.products.shape:
                raise ValueError("its size is another run's")
        except (OSError, ValueError, KeyError, EOFError) as error:
            raise UsageError(f"out: {file} is damaged ({error}); delete it to start again") from None
        sums.add(before)
        return done

    def start(self) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        self._write_run(False)

    def save(self, done: np.ndarray, sums: Sums, now: bool = False) -> None:
        """Keep what is finished, at most every SAVE_SECONDS unless `now`."""
        if not now and time.monotonic() - self._saved_at < SAVE_SECONDS:
            return
        scratch = self.path / f"{SUMS_FILE}.{os.getpid()}.tmp"
        with scratch.open("wb") as file:
            np.savez(file, done=done, n=sums.n, total=sums.total, products=sums.products)
        os.replace(scratch, self.path / SUMS_FILE)
        self._saved_at = time.monotonic()

    def finish(self) -> None:
        self._write_run(True)

    def _write_run(self, complete: bool) -> None:
        scratch = self.path / f"{RUN_FILE}.{os.getpid()}.tmp"
        scratch.write_text(json.dumps({**self._mine, "complete": complete}, indent=2) + "\n", encoding="utf-8")
        os.replace(scratch, self.path / RUN_FILE)


def _cut(walls: int) -> list[tuple[int, int, int]]:
    """Blocks of a run: (number, first wall, walls)."""
    return [(i, first, min(BLOCK, walls - first)) for i, first in enumerate(range(0, walls, BLOCK))]


def _whole(name: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        raise UsageError(f"{name}: {value!r} is no whole number of {low}-{high}")
    return int(value)


def check_rules(rules: str | Rules) -> Rules:
    """The rules, refused where there is no dice bonus to study."""
    rules = make_rules(rules)
    if "dice_bonus" not in rules.preset.flow_items:
        having = ", ".join(
            name if preset.flags["dice_bonus"] else f"{name} with dice_bonus=on"
            for name, preset in PRESETS.items()
            if "dice_bonus" in preset.flow_items
        )
        raise UsageError(f"rules: {rules.name} has no dice bonus to study; these have: {having}")
    if not rules.flags["dice_bonus"]:
        raise UsageError(f"option dice_bonus: off in {rules.name}, but the dice study needs it on")
    return rules


def run(
    rules: str | Rules = "douque-american",
    agents: str | Sequence[str] = "greedy",
    walls: int = DEFAULT_WALLS,
    seed: int = 0,
    workers: int | None = None,
    out: str | Path | None = None,
    keep: float = DEFAULT_KEEP,
    progress: Progress | None = None,
) -> DiceResult:
    """Play `walls` walls under the five patterns and count.

    Args:
        rules: with the dice bonus on; any minimum, with or without the exchange.
        agents: one text for all seats, or four (a list, or text with commas).
        walls: 2 or more; each is five hands.
        seed: of all luck; walls, standing and results depend on nothing else.
        workers: processes, by default one for each core; the result is the same for any number.
        out: folder that keeps the finished part, so that the same call goes on after a stop. A finished folder is read,
            not played again; a folder of other parameters is refused.
        keep: chance that the dealer keeps the deal, which shapes the streaks drawn.
        progress: called as progress(walls done, walls).

    Raises UsageError for a wrong argument or another's folder, MjsimError when a worker or an agent fails, and passes
    KeyboardInterrupt on after saving what is finished.
    """
    rules = check_rules(rules)
    four = tuple(agent.name for agent in registry.make_four(agents))
    walls = _whole("walls", walls, 2, 10**10)
    seed = _whole("seed", seed, 0, 2**62)
    workers = _whole("workers", workers if workers is not None else os.cpu_count() or 1, 1, 1024)
    if isinstance(keep, bool) or not isinstance(keep, (int, float, np.number)) or not 0 <= keep < 1:
        raise UsageError(f"keep: {keep!r} is no probability of 0 or more and less than 1")
    sums = Sums.zero(N_PATTERNS * N_COUNTERS)
    result = DiceResult(rules, four, walls, seed, float(keep), sums)
    blocks = _cut(walls)
    done = np.zeros(len(blocks), bool)
    folder = _Folder(Path(out), parameters(result)) if out is not None else None
    if folder is not None:
        done = folder.load(len(blocks), sums)
        result.walls_before = sums.n
        folder.start()
    if progress is not None:
        progress(sums.n, walls)
    started = time.perf_counter()
    todo = [block for block in blocks if not done[block[0]]]
    if todo:
        # One process compiles, the others find its code in the cache.
        player = Player(rules, four, seed, result.keep)
        player.play(0, 1)
        workers = min(workers, len(todo))
        if workers == 1:
            finished = _in_this_process(player, todo)
        else:
            finished = _in_processes((rules, four, seed, result.keep), todo, workers)
        try:
            for number, part in finished:
                done[number] = True
                sums.add(part)
                if folder is not None:
                    folder.save(done, sums)
                if progress is not None:
                    progress(sums.n, walls)
        finally:
            finished.close()
            if folder is not None:
                folder.save(done, sums, now=True)
    if folder is not None:
        folder.finish()
    result.seconds = time.perf_counter() - started
    return result


__all__ = ["BLOCK", "DEFAULT_KEEP", "DEFAULT_WALLS", "PATTERNS", "DiceResult", "check_rules", "parameters", "run"]
