"""How studies play walls: blocks of walls over processes, kept in a folder so that a stopped run goes on.

A study has a plan (a frozen dataclass of plain values, everything that its result depends on), parts (each a number of walls)
and a function that plays a block of a part and returns its sums. Sums are whole numbers, so no result depends on
blocks, workers or stops. Owns no measure.

Wall `w` of a seed is hand 1 of match `w`. The unit of statistics is the wall.
"""

from __future__ import annotations

import os
import shutil
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mjsim.errors import MjsimError, UsageError
from mjsim.experiments.stats import Sums
from mjsim.files import remove_leftovers, write_whole
from mjsim.run_file import begin_or_go_on
from mjsim.workers import check_workers, executor

#: How often the dealer keeps the deal with four `greedy` under the rules of `douque-american`: 0.339 of 200,000 hands of
#: matches, about the same at every streak (0.29 with a minimum of 0, 0.49 with one of 5).
DEFAULT_KEEP = 0.34
#: Seconds that one call of compiled code aims at, so that Ctrl-C works.
CALL_SECONDS = 0.2

RUN_FILE, SUMS_FILE, PARTS = "run.json", "sums.npz", "parts"

Progress = Callable[[int, int], Any]


def streak_thresholds(keep: float, cap: int) -> np.ndarray:
    """int64[cap + 1]: how many of 2^32 draws give a streak of at most k, for P(k) proportional to keep^k, k = 0..cap.

    That is the share of hands played at each streak when the dealer keeps the deal with probability `keep`.
    """
    share = np.float64(keep) ** np.arange(cap + 1)
    return np.floor(np.cumsum(share) / share.sum() * 2**32).astype(np.int64)


# ---- arguments ---------------------------------------------------------------------------------------------------------


def whole(name: str, value: Any, low: int, high: int) -> int:
    """A checked whole number; UsageError names what is wrong."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        raise UsageError(f"{name}: {value!r} is no whole number of {low}-{high}")
    return int(value)


def chance(name: str, value: Any) -> float:
    """A checked probability below 1; UsageError names what is wrong."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 <= value < 1:
        raise UsageError(f"{name}: {value!r} is no probability of 0 or more and less than 1")
    return float(value)


# ---- one block ---------------------------------------------------------------------------------------------------------


class Pace:
    """How much one call of compiled code does: about CALL_SECONDS of work, so that Ctrl-C works between calls."""

    def __init__(self, size: int = 4) -> None:
        self.size = size

    def took(self, done: int, seconds: float) -> None:
        """A call did so much (nothing counts as one) in so many seconds."""
        done = max(done, 1)
        self.size = max(1, min(int(done * CALL_SECONDS / max(seconds, 1e-6)), 2 * self.size))

    def parts(self, n: int) -> Iterator[tuple[int, int]]:
        """(first, k) of calls that do 0..n - 1; each is timed until the next is asked for."""
        done = 0
        while done < n:
            k = min(self.size, n - done)
            began = time.perf_counter()
            yield done, k
            self.took(k, time.perf_counter() - began)
            done += k


class Calls:
    """Plays a block in calls of compiled code short enough for Ctrl-C between them."""

    def __init__(self) -> None:
        self._pace = Pace()

    def sums(self, play: Callable[[int, int], np.ndarray], first: int, n: int) -> Sums:
        """Sums over walls first..first + n - 1, of which `play(first, n)` gives int32[n, k] or more axes after n."""
        sums: Sums | None = None
        for done, k in self._pace.parts(n):
            units = play(first + done, k).reshape(k, -1)
            if sums is None:
                sums = Sums.zero(units.shape[1])
            sums.add(Sums.of(units))
        assert sums is not None, "a block has a wall"
        return sums


def refuse_faults(agents: Iterable[Any]) -> None:
    """MjsimError when one of them broke the rules and was played on for: what is measured would not be its play."""
    for agent in agents:
        for fault in agent.take_faults():
            raise MjsimError(f"agent {fault['agent']!r} broke the rules: {fault['text']}")


class Part(NamedTuple):
    """Walls 0..walls - 1 played in one way, in blocks of `block`."""

    walls: int
    block: int
    weight: int = 1  # hands a wall: progress counts walls by what they cost

    def blocks(self) -> Iterator[tuple[int, int, int]]:
        """(number, first wall, walls) of each block."""
        for number, first in enumerate(range(0, self.walls, self.block)):
            yield number, first, min(self.block, self.walls - first)


# ---- the folder --------------------------------------------------------------------------------------------------------


class Folder:
    """The output folder of a run: run.json says whose it is; a finished run has sums.npz, an unfinished one parts."""

    def __init__(self, path: str | Path, plan: Any) -> None:
        self.path = Path(path)
        self.parts = self.path / PARTS
        self._run, self._sums = self.path / RUN_FILE, self.path / SUMS_FILE
        self._mine = asdict(plan)

    def open(self) -> None:
        """Begin, or go on with the same run; UsageError where the folder is another's."""
        begin_or_go_on(self._run, self._mine, self.path)

    def finished(self, parts: Mapping[str, Part]) -> dict[str, Sums] | None:
        """Sums of the parts of a finished run."""
        if not self._sums.exists():
            return None
        try:
            with np.load(self._sums, allow_pickle=False) as kept:
                sums = {
                    name: Sums(int(kept[f"{name}.n"]), kept[f"{name}.total"], kept[f"{name}.products"])
                    for name in parts
                }
            if any(sums[name].n != part.walls for name, part in parts.items()):
                raise ValueError("its size is another run's")
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise UsageError(f"out: {self._sums} is damaged ({error}); delete it to start again") from None
        return sums

    def _file(self, part: str, number: int) -> Path:
        return self.parts / f"{part}-{number:08d}.npz"

    def read(self, part: str, number: int, n: int) -> Sums | None:
        """A block that was finished; a damaged one is played again."""
        path = self._file(part, number)
        try:
            with np.load(path, allow_pickle=False) as kept:
                sums = Sums(int(kept["n"]), kept["total"], kept["products"])
            if sums.n == n:
                return sums
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            pass
        path.unlink(missing_ok=True)
        return None

    def keep(self, part: str, number: int, sums: Sums) -> None:
        write_whole(
            self._file(part, number),
            lambda file: np.savez_compressed(file, n=sums.n, total=sums.total, products=sums.products),
        )

    def close(self, sums: Mapping[str, Sums]) -> None:
        """Keep the sums of all parts: from here on the run is finished."""
        remove_leftovers(self._run)
        remove_leftovers(self._sums)
        arrays = {}
        for name, part in sums.items():
            arrays |= {f"{name}.n": part.n, f"{name}.total": part.total, f"{name}.products": part.products}
        write_whole(self._sums, lambda file: np.savez_compressed(file, **arrays))
        self.tidy()

    def tidy(self) -> None:
        shutil.rmtree(self.parts, ignore_errors=True)


# ---- the run -----------------------------------------------------------------------------------------------------------


class Played(NamedTuple):
    """What a run gives: sums by part; the walls that an earlier run of the folder had finished; seconds of this one."""

    sums: dict[str, Sums]
    before: int
    seconds: float


def _block(play: Callable[[Any, str, int, int], Sums], plan: Any, part: str, number: int, first: int, n: int) -> tuple:
    return part, number, play(plan, part, first, n)


def play_parts(
    play: Callable[[Any, str, int, int], Sums],
    plan: Any,
    parts: Mapping[str, Part],
    workers: int | str | None = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> Played:
    """Play every block of every part that is not finished yet.

    Args:
        play: a module's function (plan, part, first wall, walls) -> Sums; workers call it.
        workers: processes (by default one for each core), or "ray".
        out: folder of the run, that keeps finished blocks; the same plan goes on from them, another's is refused.
        progress: called as progress(walls done, walls) over all parts, each wall counted by its part's weight.

    Passes KeyboardInterrupt on; what is finished is kept.
    """
    workers = workers if workers is not None else os.cpu_count() or 1
    check_workers(workers)
    folder = Folder(out, plan) if out is not None else None
    total = sum(part.walls * part.weight for part in parts.values())
    if folder is not None:
        folder.open()
        if (kept := folder.finished(parts)) is not None:
            folder.tidy()
            return Played(kept, sum(part.walls for part in parts.values()), 0.0)
    sums: dict[str, Sums] = {}
    todo: list[tuple[str, int, int, int]] = []
    done = 0
    before = 0

    def add(name: str, found: Sums) -> None:
        nonlocal done
        done += found.n * parts[name].weight
        if name in sums:
            sums[name].add(found)
        else:
            sums[name] = found

    for name, part in parts.items():
        for number, first, n in part.blocks():
            found = folder.read(name, number, n) if folder is not None else None
            if found is not None:
                add(name, found)
                before += found.n
            else:
                todo.append((name, number, first, n))
    if progress is not None:
        progress(done, total)
    started = time.perf_counter()
    for name in dict.fromkeys(name for name, *_ in todo):
        play(plan, name, 0, 1)  # compiles once, here, before any worker starts
    if todo:
        pool = executor(min(workers, len(todo)) if isinstance(workers, int) else workers)
        try:
            for name, number, found in pool.results(_block, ((play, plan, *block) for block in todo)):
                if folder is not None:
                    folder.keep(name, number, found)
                add(name, found)
                if progress is not None:
                    progress(done, total)
        finally:
            pool.close()
    if folder is not None:
        folder.close(sums)
    return Played(sums, before, time.perf_counter() - started)
