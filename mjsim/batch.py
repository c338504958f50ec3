"""Many hands over processes or a Ray cluster, into Parquet and transcripts; resumable.

The unit of work is a chunk of whole matches that does not depend on the number of workers. Each finished chunk is a
file under `parts`, written under another name and renamed; at the end the parts are joined in order and renamed too. So a
run that is killed leaves only whole files, and the same command goes on from them to the same bytes.
"""

from __future__ import annotations

import csv
import importlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from mjsim import __version__
from mjsim.actions import BEGIN
from mjsim.errors import UsageError
from mjsim.files import remove_leftovers, write_whole
from mjsim.hand_record import HAND
from mjsim.play import DECISION, MAX_DECISIONS
from mjsim.ruleset import Rules
from mjsim.ruleset import rules as make_rules
from mjsim.run_file import begin_or_go_on
from mjsim.workers import check_workers, executor

if TYPE_CHECKING:
    import pandas
    import pyarrow as pa

#: Hands a chunk: large enough that starting one costs nothing, small enough that a kill loses a second.
CHUNK_HANDS = 4096
#: Hands of a row group of the table.
ROW_GROUP = 65_536
#: Matches a chunk when the winds may end a match, and hands that are played at a time then.
CHUNK_CYCLES = 32
BLOCK = 64
#: Hands of the shortest match that the winds end: four rounds of four deals.
SHORTEST_CYCLE = 16
MATCH_HANDS = 16
FULL = "full"
RESOLVER = "mjsim.agents.registry:make_four"

Progress = Callable[[int, int], None]

_NO_LOG = np.zeros((1, MAX_DECISIONS), dtype=DECISION)


@dataclass(frozen=True)
class Plan:
    """What a run is: everything that its result depends on."""

    rules: str
    options: dict[str, Any]
    fingerprint: str
    agents: tuple[str, ...]
    hands: int
    seed: int
    match_hands: int | str
    transcripts: bool
    legal: bool
    schema: str
    resolver: str = RESOLVER
    version: str = __version__  # parts of another version are not gone on with

    def make_rules(self) -> Rules:
        return make_rules(self.rules, **self.options)

    @property
    def winds_end_matches(self) -> bool:
        """Whether a match may end by its winds, so that only playing tells how many hands it has."""
        if self.match_hands == FULL:
            return True
        return int(self.match_hands) > SHORTEST_CYCLE and self.make_rules().flags["match_ends"]

    def chunks(self) -> Iterator[tuple[int, int, int]]:
        """(number, first match, matches) of each chunk; without end when matches have no fixed length."""
        if self.winds_end_matches:
            number = 0
            while True:
                yield number, number * CHUNK_CYCLES, CHUNK_CYCLES
                number += 1
        matches = -(-self.hands // int(self.match_hands))
        size = max(1, CHUNK_HANDS // int(self.match_hands))
        for number, first in enumerate(range(0, matches, size)):
            yield number, first, min(size, matches - first)


def split_agents(text: str) -> list[str]:
    """The agents of one text, by commas; one in double quotes may contain commas (`"external:bot --x 1,2",greedy`)."""
    try:
        (listed,) = csv.reader([text], skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        raise UsageError(
            f'agents {text!r}: a quoted agent goes from one " to the next, then a comma or the end'
        ) from None
    return [part.strip() for part in listed]


def resolve_agents(resolver: str, agents: Sequence[str]) -> list[Any]:
    """Four agents by the resolver `module:function`; the batch itself knows no agent."""
    module, _, name = resolver.partition(":")
    return getattr(importlib.import_module(module), name)(list(agents))


class Players:
    """Four agents and the engine as the addresses that compiled loops take (int64[8] `policies`: see `mjsim.play.tell_end`)."""

    def __init__(self, agents: Sequence[Any]) -> None:
        from mjsim.flow import engine

        self.agents = list(agents)
        self.engine = np.array([engine.apply.address, engine.lay.address], dtype=np.int64)
        ends = [getattr(agent, "end_address", 0) for agent in self.agents]
        self.policies = np.array([*(agent.address for agent in self.agents), *ends], dtype=np.int64)
        self.parameters = np.array([agent.parameters_address for agent in self.agents], dtype=np.int64)

    def take_faults(self) -> list[dict[str, Any]]:
        """Where agents broke the rules and were played on for, since the last call."""
        return [fault for agent in self.agents for fault in agent.take_faults()]

    def close(self) -> None:
        """Let go of what agents hold open (processes of their own)."""
        for agent in self.agents:
            agent.close()


def play_one_match(
    rules: Rules, players: Players, seed: int, match: int, hands: np.ndarray, first: int, whole: bool, logs: np.ndarray
) -> int:
    """Play into HAND[n] `hands`, recording decisions when `logs` has rows (then as many); returns the hands played."""
    from mjsim.play import play_match

    keep = len(logs) > 0
    n, other = play_match(
        hands,
        rules.array,
        players.engine,
        players.policies,
        players.parameters,
        seed,
        match,
        first,
        whole,
        logs if keep else _NO_LOG,
        keep,
    )
    if n < 0:
        agent = players.agents[other]
        raise agent.complaint(f"agent {agent.name!r} (seat {other}) answered an illegal action")
    return n


def _play_matches(plan: Plan, rules: Rules, players: Players, first: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """HAND[n] and DECISION[n, MAX_DECISIONS] (no rows without transcripts) of the hands of `count` matches."""
    rules.ready()
    from mjsim.lockstep import can_batch

    if can_batch(players.agents):
        return _play_side_by_side(plan, rules, players, first, count)
    if not plan.winds_end_matches:
        size = int(plan.match_hands)
        total = min(plan.hands - first * size, count * size)
        hands = np.zeros(total, dtype=HAND)
        logs = np.zeros((total if plan.transcripts else 0, MAX_DECISIONS), dtype=DECISION)
        for start in range(0, total, size):
            end = min(start + size, total)
            match = first + start // size
            play_one_match(rules, players, plan.seed, match, hands[start:end], 0, False, logs[start:end])
        return hands, logs
    whole = plan.match_hands == FULL
    done: list[np.ndarray] = []
    kept: list[np.ndarray] = []
    for match in range(first, first + count):
        start, over = 0, False
        while not over:
            size = BLOCK if whole else min(BLOCK, int(plan.match_hands) - start)
            hands = np.zeros(size, dtype=HAND)
            logs = np.zeros((size if plan.transcripts else 0, MAX_DECISIONS), dtype=DECISION)
            if start:
                for field in ("dealer", "streak", "prevailing", "pool"):
                    hands[field][0] = done[-1][f"next_{field}"][-1]
            n = play_one_match(rules, players, plan.seed, match, hands, start, whole, logs)
            done.append(hands[:n])
            kept.append(logs[:n])
            start += n
            if whole:
                over = hands["prevailing"][n - 1] == 3 and hands["next_prevailing"][n - 1] == 0  # the cycle is over
            else:
                over = bool(hands["match_over"][n - 1]) or start == int(plan.match_hands)
    return _joined(done, HAND), _joined(kept, DECISION)


class _Matches:
    """Matches as lanes of a `mjsim.lockstep`: a lane plays a match to its end, then takes the next."""

    def __init__(self, plan: Plan, rules: Rules, first: int, count: int) -> None:
        from mjsim.flow import engine

        self._plan, self._rules, self._first = plan, rules, first
        self._lay, self._apply = engine.lay.python(), engine.apply.python()
        self._whole = plan.match_hands == FULL
        length = None if self._whole else int(plan.match_hands)
        # The last match of a run is cut at the number of hands, where that is known before.
        cut = length is not None and not plan.winds_end_matches
        self._lengths = [length if not cut else min(length, plan.hands - (first + i) * length) for i in range(count)]
        self._next = 0
        self._match: dict[int, int] = {}
        self._over: dict[int, bool] = {}
        self.hands: list[list[np.ndarray]] = [[] for _ in range(count)]
        self.logs: list[list[np.ndarray]] = [[] for _ in range(count)]
        self.lockstep: Any = None

    def begin(self, lane: int) -> Sequence[int] | None:
        here = self.lockstep.hands[lane : lane + 1]
        if self._over.get(lane, True):
            if self._next >= len(self._lengths):
                return None
            self._match[lane], self._next = self._next, self._next + 1
            here.view(np.uint8)[:] = 0
        else:
            before = here.copy()
            here.view(np.uint8)[:] = 0
            for field in ("dealer", "streak", "prevailing", "pool"):
                here[field] = before[f"next_{field}"]
        match = self._match[lane]
        address = self.lockstep.hands.ctypes.data + lane * HAND.itemsize
        self._lay(address, self._rules.address, self._plan.seed, self._first + match, len(self.hands[match]))
        self._apply(address, self._rules.address, BEGIN)
        return (0, 1, 2, 3)

    def ended(self, lane: int) -> None:
        match = self._match[lane]
        record = self.lockstep.hands[lane : lane + 1].copy()
        self.hands[match].append(record)
        if self._plan.transcripts:
            self.logs[match].append(self.lockstep.logs[lane : lane + 1].copy())
        cycle = self._whole and int(record["prevailing"][0]) == 3 and int(record["next_prevailing"][0]) == 0
        self._over[lane] = bool(record["match_over"][0]) or cycle or len(self.hands[match]) == self._lengths[match]


def _play_side_by_side(
    plan: Plan, rules: Rules, players: Players, first: int, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """What `_play_matches` gives, for agents that answer in batches."""
    from mjsim.lockstep import AT_ONCE, Lockstep

    matches = _Matches(plan, rules, first, count)
    n = min(count, AT_ONCE)
    logs = np.zeros((n, MAX_DECISIONS), DECISION) if plan.transcripts else None
    matches.lockstep = Lockstep(rules, players.agents, n, logs)
    matches.lockstep.play(matches)
    return (
        _joined([record for listed in matches.hands for record in listed], HAND),
        _joined([log for listed in matches.logs for log in listed], DECISION)
        if plan.transcripts
        else np.zeros((0, MAX_DECISIONS), DECISION),
    )


def _joined(arrays: list[np.ndarray], dtype: np.dtype) -> np.ndarray:
    """Concatenate records as plain bytes: numpy would compare their hundred fields each time."""
    return np.concatenate([a.view(f"V{dtype.itemsize}") for a in arrays]).view(dtype)


def transcript_text(record: np.void, rules: Rules, seed: int, log: np.ndarray, legal: bool) -> str:
    """One transcript line (with its newline) of a finished hand and its log."""
    from mjsim import view
    from mjsim.actions import format_action
    from mjsim.view import line_of

    n = int(record["n_decisions"])
    kept = log[:n]
    rows = zip(kept["seat"].tolist(), kept["action"].tolist(), kept["claimed"].tolist(), strict=True)
    decisions = [[seat, format_action(action, claimed)] for seat, action, claimed in rows]
    texts = None
    if legal:
        texts = [
            view.legal_texts(words, claimed)
            for words, claimed in zip(kept["legal"].tolist(), kept["claimed"].tolist(), strict=True)
        ]
    return json.dumps(line_of(record, rules, seed, decisions, texts)) + "\n"


def _play_chunk(plan: Plan, number: int, first: int, count: int, parts: str | None) -> tuple[int, int, bytes]:
    """Play a chunk; returns its number, its hands and (without a parts folder) its table as bytes."""
    import pyarrow as pa

    from mjsim import columns

    rules = plan.make_rules()
    players = _players(plan.resolver, plan.agents)
    hands, logs = _play_matches(plan, rules, players, first, count)
    table = with_faults(columns.table(hands, rules), players.take_faults())

    def write_table(sink: Any) -> None:
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)

    if parts is None:
        buffer = pa.BufferOutputStream()
        write_table(buffer)
        return number, len(hands), buffer.getvalue().to_pybytes()
    folder = Path(parts)
    if plan.transcripts:

        def write_lines(file: IO[bytes]) -> None:
            for record, log in zip(hands, logs, strict=True):
                file.write(transcript_text(record, rules, plan.seed, log, plan.legal).encode())

        write_whole(folder / f"{number:08d}.jsonl", write_lines)
    # The table comes last: where it stands, the chunk is whole.
    write_whole(folder / f"{number:08d}.arrow", write_table)
    return number, len(hands), b""


#: Metadata of a chunk's table: the faults of its agents, as JSON.
_FAULTS = b"mjsim.faults"


def with_faults(table: pa.Table, faults: list[dict[str, Any]]) -> pa.Table:
    """The table with the faults of the agents that played it in its metadata."""
    if not faults:
        return table
    return table.replace_schema_metadata({**(table.schema.metadata or {}), _FAULTS: json.dumps(faults).encode()})


def faults_of(schemas: Iterable[pa.Schema]) -> list[dict[str, Any]]:
    """What agents did wrong in the tables of these schemas, an entry an agent: its name, in how many hands, the first one."""
    found: dict[str, dict[str, Any]] = {}
    for schema in schemas:
        for fault in json.loads((schema.metadata or {}).get(_FAULTS, b"[]")):
            entry = found.setdefault(fault["agent"], {"agent": fault["agent"], "hands": 0, "first": fault})
            entry["hands"] += 1
    return list(found.values())


def fault_lines(faults: Sequence[dict[str, Any]]) -> list[str]:
    """The same for people."""
    return [
        f"agent {entry['agent']!r} broke the rules in {entry['hands']:,} hand{'s' if entry['hands'] > 1 else ''}, played on "
        f"for it by passing and discarding; first: {entry['first']['text']}"
        for entry in faults
    ]


_kept_players: dict[tuple, Players] = {}


def _players(resolver: str, agents: tuple[str, ...]) -> Players:
    key = (resolver, agents)
    if key not in _kept_players:
        _kept_players[key] = Players(resolve_agents(resolver, agents))
    return _kept_players[key]


def make_plan(
    rules: str | Rules,
    agents: str | Sequence[str],
    hands: int,
    seed: int,
    match_hands: int | str = MATCH_HANDS,
    transcripts: bool = False,
    legal: bool = False,
    resolver: str = RESOLVER,
) -> Plan:
    """Check what a run is asked to do; UsageError names what is wrong."""
    from mjsim import columns

    checked = make_rules(rules)
    if isinstance(hands, bool) or not isinstance(hands, (int, np.integer)) or hands < 1:
        raise UsageError(f"hands: {hands!r} is no whole number of 1 or more")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**62:
        raise UsageError(f"seed: {seed!r} is no whole number of 0 to 2**62 - 1")
    if match_hands != FULL:
        length = int(match_hands) if isinstance(match_hands, str) and match_hands.isdigit() else match_hands
        if isinstance(length, bool) or not isinstance(length, (int, np.integer)) or length < 1:
            raise UsageError(f'match_hands: {match_hands!r} is neither a number of hands (1 or more) nor "full"')
        match_hands = int(length)
    listed = split_agents(agents) if isinstance(agents, str) else list(agents)
    named = tuple(a.name for a in resolve_agents(resolver, listed))
    return Plan(
        checked.name,
        checked.options,
        checked.fingerprint,
        named,
        int(hands),
        int(seed),
        match_hands,
        transcripts,
        legal,
        columns.SCHEMA,
        resolver,
    )


class Run:
    """A run with files: where they lie, what is done, how it goes on.

    `out` is the folder of the table (hands.parquet, run.json); `transcripts` the file of the transcript lines. At least
    one of the two is given.
    """

    def __init__(self, plan: Plan, out: Path | None, transcripts: Path | None) -> None:
        self.plan = plan
        self.out = out
        self.transcripts = transcripts
        if out is not None:
            self.state, self.parts = out / "run.json", out / "parts"
        else:
            assert transcripts is not None
            self.state = transcripts.with_name(transcripts.name + ".run.json")
            self.parts = transcripts.with_name(transcripts.name + ".parts")
        self.table = out / "hands.parquet" if out is not None else None

    def finals(self) -> list[Path]:
        return [p for p in (self.table, self.transcripts) if p is not None]

    @property
    def finished(self) -> bool:
        return self.state.exists() and all(p.exists() for p in self.finals()) and not self.parts.exists()

    def open(self) -> None:
        """Begin, or go on with the same run; a folder of another run is refused."""
        for path in self.finals():
            if path.exists() and not self.state.exists():
                raise UsageError(f"{path} exists and is of no known run; choose another name or remove it")
        begin_or_go_on(self.state, asdict(self.plan), self.out, under="plan")

    def done_parts(self) -> dict[int, int]:
        """Number and hands of each whole chunk."""
        import pyarrow as pa

        found = {}
        for leftover in self.parts.glob(".*.tmp"):
            leftover.unlink(missing_ok=True)
        for path in self.parts.glob("*.arrow"):
            try:
                with pa.memory_map(str(path)) as source:
                    found[int(path.stem)] = pa.ipc.open_file(source).read_all().num_rows
            except (pa.ArrowInvalid, OSError, ValueError):
                path.unlink(missing_ok=True)  # not of our making, or damaged since: played again
        return found

    def schemas(self) -> Iterator[pa.Schema]:
        """Schemas of the parts in order, with what is noted in their metadata."""
        import pyarrow as pa

        for path in sorted(self.parts.glob("*.arrow")):
            with pa.memory_map(str(path)) as source:
                yield pa.ipc.open_file(source).schema

    def join(self) -> None:
        """Join the parts in order into the final files, cut at the wanted number of hands."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        from mjsim import columns

        numbers = sorted(int(p.stem) for p in self.parts.glob("*.arrow"))
        wanted = self.plan.hands
        if self.table is not None and not self.table.exists():

            def write_table(file: IO[bytes]) -> None:
                left = wanted
                waiting: list[pa.Table] = []
                schema = columns.schema(self.plan.make_rules())
                with pq.ParquetWriter(file, schema, compression="zstd", compression_level=1) as writer:
                    for number in numbers:
                        with pa.memory_map(str(self.parts / f"{number:08d}.arrow")) as source:
                            part = pa.ipc.open_file(source).read_all().slice(0, left)
                        waiting.append(part)
                        left -= part.num_rows
                        if left == 0 or sum(map(len, waiting)) >= ROW_GROUP:
                            # A row group of one chunk would spend more on its ninety columns than on their values.
                            writer.write_table(pa.concat_tables(waiting))
                            waiting = []
                        if left == 0:
                            break

            write_whole(self.table, write_table)
        if self.transcripts is not None and not self.transcripts.exists():

            def write_lines(file: IO[bytes]) -> None:
                left = wanted
                for number in numbers:
                    with open(self.parts / f"{number:08d}.jsonl", "rb") as part:
                        for line in part:
                            if left == 0:
                                return
                            file.write(line)
                            left -= 1

            write_whole(self.transcripts, write_lines)

    def close(self, summary: dict[str, Any]) -> None:
        """Keep the summary, then remove the parts: from here on the run is finished."""
        for path in (self.state, *self.finals()):
            remove_leftovers(path)
        text = json.dumps({"plan": json.loads(json.dumps(asdict(self.plan))), "summary": summary}, indent=1)
        write_whole(self.state, lambda file: file.write(text.encode()) and None)
        shutil.rmtree(self.parts, ignore_errors=True)

    def summary(self) -> dict[str, Any] | None:
        try:
            return json.loads(self.state.read_text()).get("summary")
        except (OSError, ValueError):
            return None


def _needed(done: dict[int, int], wanted: int) -> bool:
    """Whether the whole chunks from 0 on do not yet hold the wanted hands."""
    total, number = 0, 0
    while number in done:
        total += done[number]
        if total >= wanted:
            return False
        number += 1
    return True


def execute(plan: Plan, run: Run | None, workers: int | str, progress: Progress | None = None) -> list[pa.Table]:
    """Play what is missing of a plan. With a `run` the chunks go to its parts, else their tables are returned in order."""
    import pyarrow as pa

    done: dict[int, int] = {}
    if run is not None:
        run.parts.mkdir(parents=True, exist_ok=True)
        done = run.done_parts()
    tables: dict[int, pa.Table] = {}
    parts = str(run.parts) if run is not None else None
    open_ended = plan.winds_end_matches

    def tasks() -> Iterator[tuple]:
        for number, first, count in plan.chunks():
            if open_ended and not _needed(done, plan.hands):
                return
            if number not in done:
                yield plan, number, first, count, parts

    players = _players(plan.resolver, plan.agents)  # compiles once, here, before any worker starts
    plan.make_rules().ready()
    if progress:
        progress(min(sum(done.values()), plan.hands), plan.hands)
    pool = executor(workers)
    try:
        for number, n, raw in pool.results(_play_chunk, tasks()):
            done[number] = n
            if run is None:
                tables[number] = pa.ipc.open_file(pa.py_buffer(raw)).read_all()
            if progress:
                progress(min(sum(done.values()), plan.hands), plan.hands)
    finally:
        pool.close()
        players.close()
    return [tables[number] for number in sorted(tables)]


def simulate(
    rules: str | Rules = "douque-american",
    agents: str | Sequence[str] = "greedy",
    hands: int = 1000,
    seed: int = 0,
    *,
    workers: int | str = 1,
    out: str | Path | None = None,
    match_hands: int | str = MATCH_HANDS,
    progress: Progress | None = None,
) -> pandas.DataFrame:
    """Play matches and give one row a hand (columns: docs/schema.md).

    Args:
        rules: a `Rules` or a name.
        agents: one for all seats or four, as texts or "a,b,c,d".
        hands: how many; the last match is cut there.
        seed: with `match` and `hand` it fixes all luck, whatever the number of workers.
        workers: processes, or "ray".
        out: folder for hands.parquet; the same call resumes an interrupted run and reads a finished one.
        match_hands: hands a match, or "full" for a full cycle of the winds; where the rules end a match with the North
            round (`match_ends`), it may have fewer.
        progress: called with (hands done, hands wanted).
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    plan = make_plan(rules, agents, hands, seed, match_hands)
    if out is None:
        return pa.concat_tables(execute(plan, None, workers, progress)).slice(0, plan.hands).to_pandas()
    run = Run(plan, Path(out), None)
    simulate_files(run, workers, progress)
    return pq.read_table(run.table).to_pandas()


def simulate_files(run: Run, workers: int | str, progress: Progress | None = None) -> dict[str, Any]:
    """Play a run with files to its end (or find it finished) and give its summary."""
    from mjsim.summary import summarize_parts

    check_workers(workers)
    run.open()
    if run.finished and (kept := run.summary()):
        return kept
    if not all(p.exists() for p in run.finals()):
        execute(run.plan, run, workers, progress)
    run.join()
    summary = summarize_parts(run.table, run.parts, run.plan.hands, run.plan.agents)
    summary["faults"] = faults_of(run.schemas())
    run.close(summary)
    return summary
