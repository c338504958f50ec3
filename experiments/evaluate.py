"""`mjsim evaluate`: agents against each other on duplicate sets.

Owns the run: what is asked for, the parts over processes, the output folder, going on after a stop, the result. What is
played is in `evaluate_play`, counted in `evaluate_measures`, shown in `evaluate_report`.

The protocol is fixed before the run: the number of sets, or the bounds of the sequential test, and nothing else ends it.
Set `w` of a seed has the luck of match `w`, whatever the number of workers.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from mjsim.batch import faults_of, split_agents
from mjsim.errors import UsageError
from mjsim.experiments.evaluate_measures import Sprt, Tally
from mjsim.experiments.evaluate_play import (
    AA,
    FOUR,
    LEADERBOARD,
    MAIN,
    MODES,
    ONE_THREE,
    PARTS,
    RESOLVER,
    SHARED,
    TWO_TWO,
    Plan,
    part_file,
    play_chunk,
    player_of,
    resolve,
    schema,
)
from mjsim.experiments.evaluate_result import result_of
from mjsim.experiments.walls import whole
from mjsim.files import remove_leftovers, write_whole
from mjsim.ruleset import Rules
from mjsim.ruleset import rules as make_rules
from mjsim.run_file import begin_or_go_on
from mjsim.workers import check_workers, executor

DEFAULT_SETS = 1000
#: Hands of a row group of a table.
ROW_GROUP = 65_536
PLOT = "plot.png"

Progress = Callable[[int, int], Any]


# ---- what is asked for -------------------------------------------------------------------------------------------------


def _bounds(sprt: Any) -> tuple[float, float] | None:
    if sprt is None:
        return None
    parts = sprt.split(",") if isinstance(sprt, str) else list(sprt)
    try:
        m0, m1 = (float(x) for x in parts)
    except (TypeError, ValueError):
        raise UsageError(f"sprt: {sprt!r} is no pair m0,m1 of tai per hand, such as 0,0.1") from None
    if not (math.isfinite(m0) and math.isfinite(m1) and m0 < m1):
        raise UsageError(f"sprt: {sprt!r}: m0 must be less than m1 (tai per hand)")
    return m0, m1


def _mode(n_agents: int, mode: str | None, leaderboard: bool) -> str:
    if leaderboard:
        if mode is not None:
            raise UsageError(f"mode: {mode!r} does not go with a leaderboard, whose groups of four are drawn")
        if not 2 <= n_agents <= 1000:
            raise UsageError(f"agents: {n_agents} of them; a leaderboard needs 2-1000")
        return LEADERBOARD
    if n_agents not in (2, 4):
        raise UsageError(f"agents: {n_agents} of them; two (A B) or four are compared, any number on a leaderboard")
    known = (FOUR,) if n_agents == 4 else (ONE_THREE, TWO_TWO)
    if mode is not None and mode not in known:
        raise UsageError(f"mode: {mode!r} is not for {n_agents} agents (there: {', '.join(known)})")
    return mode or known[0]


def make_plan(
    agents: str | Sequence[str],
    rules: str | Rules = "douque-american",
    sets: int = DEFAULT_SETS,
    seed: int = 0,
    *,
    mode: str | None = None,
    leaderboard: bool = False,
    all_seatings: bool = False,
    match_hands: int = 0,
    own_draws: bool = False,
    sprt: str | Sequence[float] | None = None,
    resolver: str = RESOLVER,
) -> Plan:
    """Check what is asked for; UsageError names what is wrong."""
    checked = make_rules(rules)
    given = [agents] if isinstance(agents, str) else list(agents)
    listed = [a.strip() for a in (split_agents(given[0]) if len(given) == 1 else given)]
    mode = _mode(len(listed), mode, leaderboard)
    if all_seatings and mode in (ONE_THREE, TWO_TWO):
        raise UsageError("all_seatings: two agents sit in all their seatings anyway; it is for four, or a leaderboard")
    bounds = _bounds(sprt)
    if bounds is not None and mode == LEADERBOARD:
        raise UsageError("sprt: a leaderboard has no yes/no to stop at; name the two agents to test")
    made = [resolve(resolver, text) for text in listed]
    return Plan(
        checked.name,
        checked.options,
        checked.fingerprint,
        tuple(agent.name for agent in made),
        mode,
        all_seatings,
        whole("sets", sets, 2, 10**9),
        whole("match_hands", match_hands, 0, 10_000),
        whole("seed", seed, 0, 2**62 - 1),
        bool(own_draws),
        bounds,
        min(agent.piece for agent in made),
        resolver,
    )


# ---- the folder --------------------------------------------------------------------------------------------------------


class Folder:
    """The output folder of a run: run.json says whose it is; a finished run has result.json, an unfinished one parts."""

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path = path
        self.parts = path / "parts"
        self._run, self._result = path / "run.json", path / "result.json"
        self._mine = asdict(plan)

    def table(self, part: str) -> Path:
        return self.path / f"{part}.parquet"

    def open(self) -> None:
        """Begin, or go on with the same run; a folder of another run is refused."""
        begin_or_go_on(self._run, self._mine, self.path)

    def result(self) -> dict[str, Any] | None:
        """Of a finished run."""
        try:
            return json.loads(self._result.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def done(self, part: str) -> set[int]:
        """Numbers of the whole chunks; damaged ones are removed and played again."""
        found = set()
        for leftover in self.parts.glob(".*.tmp"):
            leftover.unlink(missing_ok=True)
        for path in self.parts.glob(f"{part}-*.arrow"):
            try:
                with pa.memory_map(str(path)) as source:
                    pa.ipc.open_file(source).read_all()
                found.add(int(path.stem.rpartition("-")[2]))
            except (pa.ArrowInvalid, OSError, ValueError):
                path.unlink(missing_ok=True)
        return found

    def close(self, result: dict[str, Any]) -> None:
        """Keep the result: from here on the run is finished."""
        for path in (self._run, self._result, self.path / PLOT, *map(self.table, PARTS)):
            remove_leftovers(path)
        text = json.dumps(result, indent=1, allow_nan=False)
        write_whole(self._result, lambda file: file.write(text.encode()) and None)
        self.tidy()

    def tidy(self) -> None:
        shutil.rmtree(self.parts, ignore_errors=True)


# ---- the run -----------------------------------------------------------------------------------------------------------


class _Store:
    """Tables of finished chunks: in the folder of parts, or in memory."""

    def __init__(self, folder: Folder | None) -> None:
        self._folder = folder
        self._kept: dict[tuple[str, int], bytes] = {}
        self.parts = str(folder.parts) if folder is not None else None

    def done(self, part: str) -> set[int]:
        return self._folder.done(part) if self._folder is not None else set()

    def keep(self, part: str, number: int, raw: bytes) -> None:
        if self._folder is None:
            self._kept[part, number] = raw

    def read(self, part: str, number: int) -> pa.Table:
        if self._folder is None:
            return pa.ipc.open_file(pa.py_buffer(self._kept[part, number])).read_all()
        with pa.memory_map(str(part_file(self._folder.parts, part, number))) as source:
            return pa.ipc.open_file(source).read_all()


class _Run:
    """Plays the parts of a plan one after the other and counts their sets in order."""

    def __init__(self, plan: Plan, store: _Store, pool: Any, progress: Progress | None) -> None:
        self.plan, self._store, self._pool, self._progress = plan, store, pool, progress
        self._sets_done = 0
        self._total = plan.aa_sets + plan.sets + plan.shared_sets(plan.sets)
        self.tallies: dict[str, Tally] = {}
        self._schemas: list[pa.Schema] = []
        self.sprt = Sprt(*plan.sprt) if plan.sprt is not None else None

    def _show(self) -> None:
        if self._progress is not None:
            self._progress(min(self._sets_done, self._total), self._total)

    def all(self) -> None:
        self._show()
        self.play(AA, self.plan.aa_sets)
        main = self.play(MAIN, self.plan.sets)
        self._total += main - self.plan.sets  # a sequential test may stop early
        if self.plan.own_draws:
            self.play(SHARED, self.plan.shared_sets(main))
        self._sets_done = self._total
        self._show()

    def play(self, part: str, sets: int) -> int:
        """Play a part's chunks and count them; returns the sets that count: fewer where a sequential test decides."""
        chunks = self.plan.chunks(sets)
        tally = self.tallies[part] = Tally.of(self.plan)
        done = self._store.done(part)
        sprt = self.sprt if part == MAIN else None
        waiting = {number for number in done if number < len(chunks)}
        self._sets_done += sum(chunks[number][2] for number in waiting)
        counted = 0
        decided = False

        def count() -> None:
            nonlocal counted, decided
            while counted in waiting and not decided:
                number, first, n = chunks[counted]
                waiting.discard(counted)
                table = self._store.read(part, number)
                self._schemas.append(table.schema)
                tally.take(self.plan, part, first, n, table)
                counted += 1
                decided = sprt is not None and sprt.add(tally.last_set_means) is not None

        def tasks() -> Iterator[tuple]:
            for number, first, n in chunks:
                if decided:
                    return
                if number not in done:
                    yield self.plan, part, number, first, n, self._store.parts

        count()
        for number, raw in self._pool.results(play_chunk, tasks()):
            self._store.keep(part, number, raw)
            waiting.add(number)
            self._sets_done += chunks[number][2]
            count()
            self._show()
        return sum(n for _, _, n in chunks[:counted])

    def faults(self) -> list[dict[str, Any]]:
        """What agents did wrong in the counted chunks (`mjsim.batch.faults_of`)."""
        return faults_of(self._schemas)

    def write_table(self, part: str, path: Path) -> None:
        """Join the counted chunks of a part in order."""
        numbers = range(len(self.tallies[part].series))

        def write(file: IO[bytes]) -> None:
            waiting: list[pa.Table] = []
            with pq.ParquetWriter(file, schema(), compression="zstd", compression_level=1) as writer:
                for number in numbers:
                    waiting.append(self._store.read(part, number))
                    if number + 1 == len(numbers) or sum(map(len, waiting)) >= ROW_GROUP:
                        writer.write_table(pa.concat_tables(waiting))
                        waiting = []

        write_whole(path, write)


def run(
    agents: str | Sequence[str],
    rules: str | Rules = "douque-american",
    sets: int = DEFAULT_SETS,
    seed: int = 0,
    *,
    workers: int | str = 1,
    out: str | Path | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Compare agents on duplicate sets; the result as plain data (docs/evaluation.md).

    Args:
        agents: A and B, four, or with `leaderboard=True` any number; a list or text with commas.
        rules: a `Rules` or a name.
        sets: how many; each is the same luck in every seating. With `sprt` the most that are played.
        seed: of all luck.
        workers: processes, or "ray"; the result is the same for any number.
        out: folder for the tables, result.json and a plot; the same call goes on after a stop, another's is refused.
        progress: called as progress(sets done, sets).
        options: mode ("one-three", "two-two"), leaderboard, all_seatings, match_hands, own_draws, sprt (m0, m1 in tai
            per hand), resolver ("module:function" from text to agent, for agents that workers must find).

    Raises UsageError for a wrong argument or another's folder, MjsimError when a worker or an agent fails.
    """
    check_workers(workers)
    return execute(make_plan(agents, rules, sets, seed, **options), workers, out, progress)


def execute(
    plan: Plan, workers: int | str = 1, out: str | Path | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Play a plan, or what is missing of it, and give its result."""
    folder = Folder(Path(out), plan) if out is not None else None
    if folder is not None:
        folder.open()
        if (kept := folder.result()) is not None:
            folder.tidy()
            return kept
    player = player_of(plan)  # compiles once, here, before any worker starts
    pool = executor(workers)
    play = _Run(plan, _Store(folder), pool, progress)
    try:
        play.all()
    finally:
        pool.close()
        player.close()
    result = result_of(plan, play.tallies, play.sprt)
    result["faults"] = play.faults()
    if folder is not None:
        from mjsim.experiments.evaluate_plots import plot

        for part in play.tallies:
            play.write_table(part, folder.table(part))
        figure = plot(plan, result, play.tallies[MAIN])
        write_whole(folder.path / PLOT, lambda file: figure.savefig(file, format="png"))
        folder.close(result)
    return result


__all__ = ["DEFAULT_SETS", "MODES", "PARTS", "Folder", "execute", "make_plan", "run"]
