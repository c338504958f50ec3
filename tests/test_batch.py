"""Batches: the same bytes whatever the workers and interruptions, whole files only, and columns that say what was played."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mjsim
from mjsim import batch, columns, files, view
from mjsim.batch import Run, make_plan, simulate_files
from mjsim.hand_record import HAND
from mjsim.jit import entry
from mjsim.ruleset.dice import dice_pattern
from mjsim.ruleset.presets import PRESETS
from mjsim.ruleset.record import S_WIN
from mjsim.summary import summarize
from mjsim.transcript import hand_of
from tests import naive

ROOT = Path(__file__).parent.parent
#: The command line with small chunks, so that a short run has many of them.
SMALL_CHUNKS = "import sys, mjsim.batch as b; b.CHUNK_HANDS = int(sys.argv.pop(1)); from mjsim.cli import main; main()"


def command(chunk: int, *arguments: str) -> list[str]:
    return [sys.executable, "-c", SMALL_CHUNKS, str(chunk), "simulate", *arguments]


def run_command(chunk: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(chunk, *arguments), cwd=ROOT, capture_output=True, text=True, timeout=300)


def one_line(told: str) -> str:
    """The one line on stderr, a first-run notice aside."""
    lines = [line for line in told.splitlines() if "first run" not in line]
    assert len(lines) == 1, told
    return lines[0]


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "CHUNK_HANDS", 64)


def simulated(out: Path, hands: int = 300, seed: int = 5, workers: int = 1, **kwargs: Any) -> bytes:
    mjsim.simulate("douque-american", "greedy", hands, seed, workers=workers, out=out, **kwargs)
    return (out / "hands.parquet").read_bytes()


# --- the same bytes -------------------------------------------------------------------------------------------------


def test_one_and_two_workers_write_the_same_bytes(tmp_path: Path, small_chunks: None) -> None:
    found = []
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        plan = make_plan("douque-american", "greedy,random,greedy,random", 700, 3, transcripts=True, legal=True)
        simulate_files(Run(plan, folder / "out", folder / "hands.jsonl"), workers)
        found.append(((folder / "out" / "hands.parquet").read_bytes(), (folder / "hands.jsonl").read_bytes()))
        assert json.loads((folder / "out" / "run.json").read_text())["summary"]["hands"] == 700
    assert found[0] == found[1]
    assert found[0][1].count(b"\n") == 700


def test_the_same_call_gives_the_same_bytes_and_another_seed_others(tmp_path: Path) -> None:
    first = simulated(tmp_path / "a")
    assert simulated(tmp_path / "b") == first
    assert simulated(tmp_path / "c", seed=6) != first


def test_fewer_hands_are_the_beginning_of_more(small_chunks: None) -> None:
    long = mjsim.simulate("douque-taiwanese", "greedy", 300, 1)
    short = mjsim.simulate("douque-taiwanese", "greedy", 107, 1)
    assert len(short) == 107
    pd.testing.assert_frame_equal(short, long.iloc[:107])


def test_chunks_do_not_show_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    a = mjsim.simulate("douque-american", "random", 100, 2)
    monkeypatch.setattr(batch, "CHUNK_HANDS", 16)
    pd.testing.assert_frame_equal(mjsim.simulate("douque-american", "random", 100, 2), a)


def test_with_and_without_a_folder_the_same_table(tmp_path: Path) -> None:
    folder = mjsim.simulate("douque-american", "greedy", 200, 8, out=tmp_path / "x")
    pd.testing.assert_frame_equal(folder, mjsim.simulate("douque-american", "greedy", 200, 8))
    pd.testing.assert_frame_equal(folder, pd.read_parquet(tmp_path / "x" / "hands.parquet"))


def test_progress_counts_up_to_the_wanted_hands(tmp_path: Path, small_chunks: None) -> None:
    for workers in (1, 2):
        told: list[tuple[int, int]] = []
        simulated(tmp_path / str(workers), hands=250, workers=workers, progress=lambda *pair, t=told: t.append(pair))
        assert told[0] == (0, 250) and told[-1] == (250, 250)
        assert [done for done, _ in told] == sorted(done for done, _ in told) and len(told) == 5


# --- killed runs ----------------------------------------------------------------------------------------------------


def _parts(folder: Path) -> int:
    return len(list((folder / "out" / "parts").glob("*.arrow")))


#: When a run is killed: a name, and what its folder shows then.
MOMENTS: dict[str, Callable[[Path], bool]] = {
    "as soon as it has begun": lambda folder: (folder / "out" / "run.json").exists(),
    "before its first part": lambda folder: (folder / "out" / "parts").exists(),
    "after its first part": lambda folder: _parts(folder) >= 1,
    "while it writes transcripts": lambda folder: any((folder / "out" / "parts").glob(".*.jsonl.*.tmp")),
    "in the middle": lambda folder: _parts(folder) >= 5,
    "with all parts": lambda folder: _parts(folder) >= 10,
    "while it joins": lambda folder: (
        any((folder / "out").glob(".hands.parquet.*.tmp")) or (folder / "out" / "hands.parquet").exists()
    ),
    "while it joins transcripts": lambda folder: (
        any(folder.glob(".hands.jsonl.*.tmp")) or (folder / "hands.jsonl").exists()
    ),
}


def _arguments(folder: Path, workers: int = 1) -> list[str]:
    return [
        "--hands", "1270", "--seed", "11", "--workers", str(workers), "--agents", "greedy", "--out", str(folder / "out"),
        "--transcripts", str(folder / "hands.jsonl"),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    folder = tmp_path_factory.mktemp("whole")
    ran = run_command(128, *_arguments(folder))
    assert ran.returncode == 0, ran.stderr
    return (folder / "out" / "hands.parquet").read_bytes(), (folder / "hands.jsonl").read_bytes()


def _whole(folder: Path, uninterrupted: tuple[bytes, bytes]) -> None:
    """What stands under a final name is whole."""
    for path, wanted in (
        (folder / "out" / "hands.parquet", uninterrupted[0]),
        (folder / "hands.jsonl", uninterrupted[1]),
    ):
        assert not path.exists() or path.read_bytes() == wanted, path
    state = folder / "out" / "run.json"
    assert not state.exists() or "plan" in json.loads(state.read_text())
    for path in (folder / "out" / "parts").glob("*.arrow"):
        with pa.memory_map(str(path)) as source:
            assert pa.ipc.open_file(source).read_all().num_rows in (128, 1270 - 9 * 128)
        lines = path.with_suffix(".jsonl").read_text().splitlines()
        assert len(lines) in (128, 1270 - 9 * 128) and json.loads(lines[-1])["format"] == "mjsim-hand/1"


def _kill_when(run: list[str], moment: Callable[[], bool]) -> int:
    """Start the command and kill it (and its workers) with SIGKILL at the moment; its exit status."""
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(run, cwd=ROOT, stdout=quiet, stderr=quiet, start_new_session=True)
    until = time.monotonic() + 120
    while process.poll() is None and not moment() and time.monotonic() < until:
        time.sleep(0.001)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    return process.wait()


#: The others take as long and tell less.
USUAL = ("before its first part", "while it writes transcripts", "in the middle", "while it joins")


@pytest.mark.parametrize("name", [n if n in USUAL else pytest.param(n, marks=pytest.mark.slow) for n in MOMENTS])
def test_a_killed_run_goes_on_to_the_same_bytes(name: str, tmp_path: Path, uninterrupted: tuple[bytes, bytes]) -> None:
    status = _kill_when(command(128, *_arguments(tmp_path)), lambda: MOMENTS[name](tmp_path))
    assert status == -signal.SIGKILL or "joins" in name
    _whole(tmp_path, uninterrupted)
    ran = run_command(128, *_arguments(tmp_path))
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "out" / "hands.parquet").read_bytes() == uninterrupted[0]
    assert (tmp_path / "hands.jsonl").read_bytes() == uninterrupted[1]
    left = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file())
    assert left == ["hands.jsonl", "out/hands.parquet", "out/run.json"]


@pytest.mark.slow
def test_a_run_killed_again_and_again_ends_with_the_same_bytes(
    tmp_path: Path, uninterrupted: tuple[bytes, bytes]
) -> None:
    for parts in (1, 2, 4, 7, 10):
        _kill_when(command(128, *_arguments(tmp_path, 2)), lambda n=parts: _parts(tmp_path) >= n)
        _whole(tmp_path, uninterrupted)
    assert run_command(128, *_arguments(tmp_path, 2)).returncode == 0
    _whole(tmp_path, uninterrupted)
    assert (tmp_path / "hands.jsonl").exists()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_a_killed_run_leaves_no_workers_behind(tmp_path: Path) -> None:
    """Workers whose parent was killed must end by themselves, or a cluster's nodes fill up with them."""

    def session(pid: int) -> list[int]:
        found = []
        for entry_ in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = entry_.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[3]) == pid and fields[0] != "Z":
                found.append(int(entry_.parent.name))
        return found

    arguments = _arguments(tmp_path, 2)
    process = subprocess.Popen(
        command(128, *arguments), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    until = time.monotonic() + 120
    while process.poll() is None and _parts(tmp_path) < 1 and time.monotonic() < until:
        time.sleep(0.01)
    process.kill()
    process.wait()
    until = time.monotonic() + 8
    while (left := session(process.pid)) and time.monotonic() < until:
        time.sleep(0.1)
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    assert left == []


# --- finished, foreign and other runs -------------------------------------------------------------------------------


def test_a_finished_run_says_so_and_plays_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = make_plan("douque-american", "greedy", 100, 1)
    summary = simulate_files(Run(plan, tmp_path / "out", None), 1)
    before = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in (tmp_path / "out").iterdir()}

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a finished run is played again")

    monkeypatch.setattr(batch, "execute", refuse)
    run = Run(plan, tmp_path / "out", None)
    assert run.finished
    assert json.loads(json.dumps(summary)) == simulate_files(run, 1)
    assert {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in (tmp_path / "out").iterdir()} == before


GOOD: dict[str, Any] = {"rules": "douque-american", "agents": "greedy", "hands": 100, "seed": 1}


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("rules", {"rules": "douque-taiwanese"}),
        ("options", {"rules": mjsim.rules("douque-american", min_tai=0)}),
        ("agents", {"agents": "random"}),
        ("agents", {"agents": "greedy:exchange=4"}),
        ("hands", {"hands": 101}),
        ("seed", {"seed": 2}),
        ("match_hands", {"match_hands": 8}),
        ("match_hands", {"match_hands": "full"}),
    ],
)
def test_a_folder_of_another_run_is_refused(field: str, change: dict[str, Any], tmp_path: Path) -> None:
    out = tmp_path / "out"
    mjsim.simulate(**GOOD, out=out)
    before = {p: p.read_bytes() for p in out.iterdir()}
    with pytest.raises(mjsim.UsageError, match=f"another run: its {field} is") as told:
        mjsim.simulate(**{**GOOD, **change}, out=out)
    assert str(out) in str(told.value)
    assert {p: p.read_bytes() for p in out.iterdir()} == before


def test_transcripts_are_part_of_the_run(tmp_path: Path) -> None:
    plain = make_plan(**GOOD)
    simulate_files(Run(plain, tmp_path / "out", None), 1)
    with pytest.raises(mjsim.UsageError, match="transcripts is"):
        simulate_files(Run(make_plan(**GOOD, transcripts=True), tmp_path / "out", tmp_path / "t.jsonl"), 1)
    simulate_files(Run(make_plan(**GOOD, transcripts=True), None, tmp_path / "t.jsonl"), 1)
    with pytest.raises(mjsim.UsageError, match="legal is"):
        simulate_files(Run(make_plan(**GOOD, transcripts=True, legal=True), None, tmp_path / "t.jsonl"), 1)


def test_a_foreign_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(mjsim.UsageError, match="not empty and holds no run"):
        mjsim.simulate(**GOOD, out=tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]


def test_a_foreign_file_under_the_final_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "hands.jsonl"
    path.write_text("mine")
    with pytest.raises(mjsim.UsageError, match="exists and is of no known run"):
        simulate_files(Run(make_plan(**GOOD, transcripts=True), None, path), 1)
    assert path.read_text() == "mine" and [p.name for p in tmp_path.iterdir()] == ["hands.jsonl"]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"plan": null}', '{"plan": []}', "\x00"])
def test_a_broken_run_file_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(mjsim.UsageError, match=r"run\.json"):
        mjsim.simulate(**GOOD, out=tmp_path)


def test_a_finished_run_that_lost_its_table_is_played_again(tmp_path: Path) -> None:
    bytes_ = simulated(tmp_path / "a")
    (tmp_path / "a" / "hands.parquet").unlink()
    assert simulated(tmp_path / "a") == bytes_


def test_an_empty_folder_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    assert simulated(tmp_path / "a") == simulated(tmp_path / "b")


def test_a_part_that_is_no_part_is_refused_or_played_again(tmp_path: Path, small_chunks: None) -> None:
    """A disk that lost a part's bytes: an error that names the file, or the part anew; never a traceback of pyarrow."""
    wanted = simulated(tmp_path / "whole")
    out = tmp_path / "out"
    plan = make_plan("douque-american", "greedy", 300, 5)
    run = Run(plan, out, None)
    run.open()
    batch.execute(plan, run, 1)
    part = out / "parts" / "00000001.arrow"
    part.write_bytes(part.read_bytes()[:100])
    try:
        simulate_files(Run(plan, out, None), 1)
    except mjsim.MjsimError as error:
        assert "00000001.arrow" in str(error)
        part.unlink()
        simulate_files(Run(plan, out, None), 1)
    assert (out / "hands.parquet").read_bytes() == wanted


# --- what cannot be written -----------------------------------------------------------------------------------------


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "taken"
    path.write_text("mine")
    ran = run_command(4096, "--hands", "50", "--workers", "1", "--out", str(path))
    assert ran.returncode == 2 and str(path) in one_line(ran.stderr), ran.stderr
    ran = run_command(4096, "--hands", "50", "--workers", "1", "--out", str(path / "below"))
    assert ran.returncode == 1 and str(path) in one_line(ran.stderr), ran.stderr
    assert path.read_text() == "mine"
    for out in (path, path / "below"):
        with pytest.raises(mjsim.MjsimError, match="taken"):
            mjsim.simulate(**GOOD, out=out)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that nobody can write")
def test_an_unwritable_folder() -> None:
    for arguments in (["--out", "/proc/mjsim"], ["--transcripts", "/proc/mjsim.jsonl"]):
        ran = run_command(4096, "--hands", "50", "--workers", "1", *arguments)
        assert ran.returncode == 1 and "/proc/mjsim" in one_line(ran.stderr), ran.stderr
    with pytest.raises(mjsim.MjsimError, match="/proc/mjsim"):
        mjsim.simulate(**GOOD, out="/proc/mjsim")


class _Full:
    """A file on a disk that is full after some bytes."""

    def __init__(self, file: Any, room: int) -> None:
        self.file, self.room = file, room

    def write(self, data: Any) -> int:
        self.room -= len(memoryview(data).cast("B"))
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self.file.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def __enter__(self) -> _Full:
        return self

    def __exit__(self, *_: Any) -> None:
        self.file.close()


@pytest.mark.parametrize("room", [0, 5_000, 100_000, 400_000])
def test_a_full_disk_leaves_nothing_under_the_final_names(
    room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = simulated(tmp_path / "wanted")
    kept = os.fdopen
    left = [room]

    def full(handle: int, mode: str, *arguments: Any) -> Any:
        file = _Full(kept(handle, mode, *arguments), left[0])
        left[0] = max(0, left[0] - 20_000)
        return file

    monkeypatch.setattr(files.os, "fdopen", full)
    out = tmp_path / "out"
    try:
        simulated(out)
    except mjsim.MjsimError as error:
        assert "No space left" in str(error) and "\n" not in str(error)
        assert not (out / "hands.parquet").exists()
        assert not list(tmp_path.rglob("*.tmp"))
    else:
        assert room >= 100_000
    monkeypatch.undo()
    assert simulated(out) == wanted


@pytest.mark.parametrize("call", ["replace", "fsync"])
def test_a_disk_that_fails_late(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = simulated(tmp_path / "wanted")
    for good in range(3):
        kept, count = getattr(os, call), [0]

        def fail(*arguments: Any, kept: Any = kept, count: list[int] = count, good: int = good) -> Any:
            count[0] += 1
            if count[0] > good:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return kept(*arguments)

        monkeypatch.setattr(files.os, call, fail)
        out = tmp_path / str(good)
        with pytest.raises(mjsim.MjsimError, match="No space left"):
            simulated(out)
        monkeypatch.undo()
        assert not (out / "hands.parquet").exists() and not list(tmp_path.rglob("*.tmp"))
        assert simulated(out) == wanted


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_real_write_that_fails(workers: str, tmp_path: Path) -> None:
    """The system itself refuses to write more than 60 kB: one line, exit code 1, nothing under the final name."""
    import resource

    ran = subprocess.run(
        command(4096, "--hands", "3000", "--workers", workers, "--out", str(tmp_path / "out")),
        cwd=ROOT, capture_output=True, text=True, timeout=300,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000)),
    )  # fmt: skip
    assert ran.returncode == 1, ran.stderr
    assert "cannot write" in one_line(ran.stderr)
    assert not (tmp_path / "out" / "hands.parquet").exists()
    assert not list(tmp_path.rglob("*.tmp"))


# --- matches --------------------------------------------------------------------------------------------------------


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in path.read_text().splitlines()]


def check_matches(lines: list[dict[str, Any]], table: pd.DataFrame) -> None:
    """Standing is carried on from hand to hand of a match; rows and lines tell the same."""
    before: dict[str, Any] | None = None
    east_from_dice = mjsim.rules(lines[0]["rules"]).flags["east_from_dice"]
    for told, (_, row) in zip(lines, table.iterrows(), strict=True):
        for key in ("seed", "match", "hand", "dealer", "streak", "prevailing", "east", "end"):
            assert told[key] == row[key], key
        assert told["dice"] == [row["die_0"], row["die_1"], row["die_2"]]
        if told["hand"] == 0:
            assert (told["dealer"], told["streak"], told["prevailing"]) == (0, 0, "1z")
            assert told["east"] == 0
            assert told["match"] == (before["match"] + 1 if before else 0)
        else:
            assert before is not None and (told["match"], told["hand"]) == (before["match"], before["hand"] + 1)
            standing = {key: told[key] for key in ("dealer", "streak", "prevailing")}
            assert before["next"] == (standing | {"carry": told["carry"]} if told["carry"] else standing)
            assert told["east"] == (told["dealer"] + (sum(told["dice"]) - 1 if east_from_dice else 0)) % 4
        before = told


def test_a_match_of_fixed_length_carries_its_standing_on(tmp_path: Path, small_chunks: None) -> None:
    plan = make_plan("douque-taiwanese", "greedy", 250, 4, 24, transcripts=True)
    simulate_files(Run(plan, tmp_path / "out", tmp_path / "t.jsonl"), 1)
    lines = lines_of(tmp_path / "t.jsonl")
    table = pd.read_parquet(tmp_path / "out" / "hands.parquet")
    assert len(lines) == 250
    check_matches(lines, table)
    assert table.groupby("match").size().tolist() == [24] * 10 + [10]
    assert table["streak"].max() >= 1 and set(table["dealer"]) == {0, 1, 2, 3}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_full_match_ends_with_the_north_round(workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "CHUNK_CYCLES", 4)
    # A block shorter than a match, so that matches go on over blocks (in this process).
    monkeypatch.setattr(batch, "BLOCK", 10)
    plan = make_plan("douque-american", "greedy", 400, 9, "full", transcripts=True)
    simulate_files(Run(plan, tmp_path / "out", tmp_path / "t.jsonl"), workers)
    lines = lines_of(tmp_path / "t.jsonl")
    assert len(lines) == 400
    check_matches(lines, pd.read_parquet(tmp_path / "out" / "hands.parquet"))
    starts = [i for i, told in enumerate(lines) if told["hand"] == 0]
    assert len(starts) > 8
    for start in starts[1:]:
        last = lines[start - 1]
        assert last["prevailing"] == "4z" and last["next"]["prevailing"] == "1z" and last["next"]["dealer"] == 0
    for told in lines:
        ends = told["prevailing"] == "4z" and told["next"]["prevailing"] == "1z"
        assert not ends or told is lines[-1] or told in [lines[s - 1] for s in starts[1:]]
    for i in range(len(starts) - 1):
        deals = [told for told in lines[starts[i] : starts[i + 1]] if told["streak"] == 0]
        assert [(t["prevailing"], t["dealer"]) for t in deals] == [(f"{w}z", d) for w in range(1, 5) for d in range(4)]


def test_the_pool_goes_on_from_hand_to_hand(tmp_path: Path) -> None:
    plan = make_plan("hk16", "greedy,greedy,random,random", 200, 4, 24, transcripts=True)
    simulate_files(Run(plan, tmp_path / "out", tmp_path / "t.jsonl"), 1)
    lines = lines_of(tmp_path / "t.jsonl")
    table = pd.read_parquet(tmp_path / "out" / "hands.parquet")
    check_matches(lines, table)
    assert table["pool"].tolist() == [told["carry"]["pool"] for told in lines]
    assert (table["pool"] >= 40).any() and (table.groupby("match")["pool"].first() == 0).all()
    assert (table["item_drawn_pool"] > 0).any()
    # What all rows add up to stays in the pools of the hands that a match ends with.
    scores = table[[f"score_{s}" for s in range(4)]].to_numpy().sum(axis=1)
    moved = [told["next"]["carry"]["pool"] - told["carry"]["pool"] for told in lines]
    assert (scores == -np.array(moved)).all()


@pytest.fixture
def short_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "CHUNK_CYCLES", 2)
    # A block shorter than a match, so that matches go on over blocks (in this process).
    monkeypatch.setattr(batch, "BLOCK", 10)


@pytest.mark.parametrize(("match_hands", "workers"), [(200, 1), (200, 2), (18, 1)])
def test_a_match_that_the_rules_end_is_shorter_than_asked_for(
    match_hands: int, workers: int, tmp_path: Path, short_blocks: None
) -> None:
    """`four-winds` 36: the sixteenth change of dealer ends a match, and the next one begins in the row after it."""
    plan = make_plan("four-winds", "greedy", 150, 2, match_hands, transcripts=True, legal=True)
    simulate_files(Run(plan, tmp_path / "out", tmp_path / "t.jsonl"), workers)
    lines = lines_of(tmp_path / "t.jsonl")
    table = pd.read_parquet(tmp_path / "out" / "hands.parquet")
    assert len(lines) == len(table) == 150 and (table["decisions"] > 0).all()
    check_matches(lines, table)
    assert all(mjsim.replay(told) == [] for told in lines[:40])
    starts = [i for i, told in enumerate(lines) if told["hand"] == 0]
    sizes = np.diff(starts)
    ended = [lines[start - 1]["next"] is None for start in starts[1:]]
    assert sum(told["next"] is None for told in lines[:-1]) == sum(ended)
    if match_hands == 200:
        assert all(ended) and len(sizes) >= 4 and sizes.min() >= 16
        for start, size in zip(starts, sizes, strict=False):
            deals = [told for told in lines[start : start + size] if told["streak"] == 0]
            assert [(t["prevailing"], t["dealer"]) for t in deals] == [
                (f"{w}z", d) for w in range(1, 5) for d in range(4)
            ]
    else:
        assert sizes.max() == 18 and all(size == 18 or end for size, end in zip(sizes, ended, strict=True))
        assert not all(ended)


def test_a_match_ended_by_the_rules_is_a_full_cycle(short_blocks: None) -> None:
    """Asked for more hands than a match can have, `four-winds` plays what "full" plays."""
    full = mjsim.simulate("four-winds", "greedy", 130, 3, match_hands="full")
    pd.testing.assert_frame_equal(mjsim.simulate("four-winds", "greedy", 130, 3, match_hands=200), full)
    assert full["match"].nunique() > 4
    short = mjsim.simulate("four-winds", "greedy", 47, 3, match_hands=200)
    pd.testing.assert_frame_equal(short, full.iloc[:47])


def test_a_match_of_sixteen_hands_is_never_ended_by_the_rules() -> None:
    table = mjsim.simulate("four-winds", "greedy", 160, 3)
    assert table.groupby("match").size().tolist() == [16] * 10


def test_a_match_that_the_option_lets_end_goes_the_same_way(short_blocks: None) -> None:
    """It is the flag that ends a match, not the rule set."""
    ending = mjsim.simulate(mjsim.rules("house16", match_ends=True), "greedy", 120, 3, match_hands=200)
    going_on = mjsim.simulate("house16", "greedy", 120, 3, match_hands=200)
    assert ending["match"].nunique() > 3 and going_on["match"].nunique() == 1
    assert (going_on["hand"] == np.arange(120)).all()


def test_an_interrupted_run_of_ended_matches_goes_on_to_the_same_bytes(tmp_path: Path, short_blocks: None) -> None:
    plan = make_plan("four-winds", "greedy", 150, 2, 200)
    simulate_files(Run(plan, tmp_path / "whole", None), 1)
    run = Run(plan, tmp_path / "out", None)
    run.open()
    batch.execute(plan, run, 1)
    assert len(list(run.parts.glob("*.arrow"))) >= 3, "enough chunks, whose number nobody knows beforehand"
    (run.parts / "00000001.arrow").unlink()
    simulate_files(Run(plan, tmp_path / "out", None), 1)
    whole = (tmp_path / "whole" / "hands.parquet").read_bytes()
    assert (tmp_path / "out" / "hands.parquet").read_bytes() == whole


# --- columns --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=list(PRESETS))
def played(request: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[mjsim.Rules, Path, list[dict[str, Any]]]:
    """A run with winners of all sorts: greedy and random seats."""
    folder = tmp_path_factory.mktemp("played")
    rules = mjsim.rules(request.param, min_tai=0)
    plan = make_plan(rules, "greedy,greedy,greedy,random", 600, 21, transcripts=True)
    simulate_files(Run(plan, folder / "out", folder / "t.jsonl"), 1)
    return rules, folder / "out" / "hands.parquet", lines_of(folder / "t.jsonl")


def test_documented_columns_are_those_of_the_file(played: Any) -> None:
    rules, path, _ = played
    schema = pq.read_schema(path)
    described = columns.describe(rules)
    assert [name for name, _, _ in described] == schema.names
    for name, kind, meaning in described:
        field = schema.field(name)
        word = pa.types.is_dictionary(field.type)
        # Parquet calls the entries of a list "element".
        assert kind == ("word" if word else str(field.type).replace("element: ", "item: ")), name
        assert meaning and field.metadata[b"meaning"].decode() == meaning
    assert schema.metadata[b"mjsim.schema"].decode() == columns.SCHEMA == "mjsim-hands/1"
    assert len({name for name, _, _ in described}) == len(described)
    assert {f"item_{item}" for item in rules.item_ids} <= set(schema.names)


def test_settlements_items_and_scores_agree(played: Any) -> None:
    rules, path, lines = played
    rows = pq.read_table(path).to_pylist()
    kinds, instants = set(), set()
    for row, told in zip(rows, lines, strict=True):
        listed = [
            {**{k: v for k, v in s.items() if k != "items"}, "items": sorted([i["id"], i["tai"]] for i in s["items"])}
            for s in row["settlements"]
        ]
        assert listed == told["settlements"]
        totals = dict.fromkeys(rules.item_ids, 0)
        for settlement in listed:
            for item, tai in settlement["items"]:
                totals[item] += tai
        assert {item: row[f"item_{item}"] for item in rules.item_ids} == totals
        payments = [s["payments"] for s in listed]
        assert (
            [row[f"score_{s}"] for s in range(4)] == [sum(p[s] for p in payments) for s in range(4)] == told["scores"]
        )
        wins = [s for s in listed if s["kind"] == "win"]
        sorts = [s["kind"] for s in listed]
        assert (row["n_wins"], row["n_flower_wins"]) == (len(wins), sorts.count("flower"))
        assert row["end"] == told["end"]
        assert sorts == sorted(sorts, key=("instant", "flower", "win").index)
        instants |= {tuple(s["winner"] is None for s in listed if s["kind"] == "instant")}
        assert ("pool" in row) == rules.flags["draw_pool"]
        if wins:
            assert (row["winner"], row["payer"], row["tai"]) == (wins[0]["winner"], wins[0]["from"], wins[0]["tai"])
            kinds.add(row["how"])
            assert (row["how"] == "self_draw") == (wins[0]["from"] is None)
            robbing = {"robbing_the_kong", "robbing_gong"} & set(rules.item_ids)
            if robbing:
                assert (row["how"] == "rob_kong") == bool(robbing & {item for item, _ in wins[0]["items"]})
            assert row["judged_tai"] >= row["tai"] or row["how"] == "self_draw"
        else:
            assert [row[name] for name in ("winner", "how", "payer", "tai", "judged_tai")] == [None] * 5
        assert row["decisions"] == len(told["decisions"])
        assert row["rules"] == rules.name and row["fingerprint"] == rules.fingerprint
    assert {"self_draw", "discard"} <= kinds
    if rules.flags["instant_payments"]:
        assert {(), (False,), (True,), (False, True)} <= instants, "a winner's, the pool's, both, and none at all"
    else:
        assert instants == {()}


def test_columns_tell_what_replaying_the_hand_shows(played: Any) -> None:
    rules, path, lines = played
    rows = pq.read_table(path).to_pylist()

    # hk16 r25: a closed hand has 13 Orphans alone of the special hands.
    closed = rules if not rules.flags["closing"] else mjsim.rules(rules, seven_pairs=False, sixteen_orphans=False)

    def far(hand: mjsim.Hand, first: bool = False) -> list[int]:
        record = hand.record
        found = []
        for s in range(4):
            counts = record["counts"][s].copy()
            if first and rules.flags["dealer_draws_first"] and s == record["dealer"]:
                counts[record["drawn"]] -= 1  # the dealer's first turn comes after the opening
            found.append(mjsim.shanten(counts, int(record["n_melds"][s]), closed if record["declared"][s] else rules))
        return found

    exchanges = set()
    words = {"hk16": ("none", "closed"), "four-winds": ("none", "original_call"), "house16": ("none",)}.get(
        rules.name, ("none", "ready", "migi")
    )
    for row, told in list(zip(rows, lines, strict=True))[:150]:
        hand = hand_of(told)
        if hand.over:
            continue
        seen = {"start": far(hand, True), "exchange1": [None] * 4, "exchange2": [None] * 4}
        done = 0
        for _, action in told["decisions"]:
            hand.apply(action)
            if int(hand.record["round"]) != done:
                done += 1
                seen[f"exchange{done}"] = far(hand)
        seen["end"] = far(hand)
        for moment, values in seen.items():
            assert [row[f"shanten_{moment}_{s}"] for s in range(4)] == values, moment
        assert row["exchanges"] == done
        exchanges.add(done)
        record = hand.record
        assert row["discards"] == int(record["n_discards"])
        for s in range(4):
            assert row[f"melds_{s}"] == int(record["n_melds"][s])
            assert row[f"declared_{s}"] == words[int(record["declared"][s])]
    assert exchanges == ({0} if not rules.flags["exchange"] else {1, 2})


def test_payments_of_every_sort_in_one_hand() -> None:
    """Payments during play beside two wins, a pool larger than 16 bits, and hands without any: columns and records agree."""
    rules = mjsim.rules("hk16")
    number = rules.item_ids.index
    rng = np.random.default_rng(1)
    hands = np.zeros(40, dtype=HAND)
    hands["end"] = 1
    for i, record in enumerate(hands):
        sorts = [
            ("dice_triple", 2, -1, 10), ("mixed_bouquet", 0, -1, 5), ("chasing", -1, 3, 10), ("drawn_hand", -1, -1, 5),
            ("drawn_pool", 1, -1, 100_000),
        ]  # fmt: skip
        chosen = [sorts[k] for k in rng.integers(0, 5, i % 6)]
        record["n_instants"] = len(chosen)
        for k, (item, winner, payer, tai) in enumerate(chosen):
            record["instant_item"][k], record["instant_winner"][k] = number(item), winner
            record["instant_payer"][k], record["instant_tai"][k] = payer, tai
        # Places that are not used hold what an earlier hand left there.
        record["instant_tai"][len(chosen) :] = 7
        record["n_settlements"] = i % 3
        for k in range(i % 3):
            record["settle_kind"][k], record["settle_winner"][k], record["settle_payer"][k] = (
                S_WIN,
                k,
                3 if i % 2 else -1,
            )
            record["settle_tai"][k], record["settle_items"][k][[0, 5 + k]] = 12 + k, (5, 7 + k)
            record["settle_payments"][k] = [-1, 1, 0, i]
    rows = columns.table(hands, rules).to_pylist()
    for record, row in zip(hands, rows, strict=True):
        told = [s | {"items": [[item["id"], item["tai"]] for item in s["items"]]} for s in row["settlements"]]
        assert [s | {"items": sorted(s["items"])} for s in told] == view.settlements(record, rules.item_ids)
        for item in rules.item_ids:
            listed = [tai for s in told for name, tai in s["items"] if name == item]
            assert row[f"item_{item}"] == sum(listed), item
    assert max(row["item_drawn_pool"] for row in rows) > 100_000 > 2**15
    summary = summarize(columns.table(hands, rules), ["greedy"] * 4)
    assert summary["items"]["drawn_pool"] == sum(
        s["items"][0]["id"] == "drawn_pool" for r in rows for s in r["settlements"]
    )
    assert summary["seats"][0]["win"]["mean"] == pytest.approx(sum(r["n_wins"] > 0 for r in rows) / 40)


def test_a_payment_during_play_is_no_win_and_no_deal_in() -> None:
    """The summary counts regular wins alone; a chase has a payer, a bouquet a winner, a drawn hand neither."""
    rules = mjsim.rules("hk16")
    hands = np.zeros(3, dtype=HAND)
    hands["end"], hands["n_instants"] = 1, 1
    for i, (item, winner, payer) in enumerate((("chasing", -1, 3), ("pure_bouquet", 2, -1), ("drawn_hand", -1, -1))):
        hands["instant_item"][i, 0] = rules.item_ids.index(item)
        hands["instant_winner"][i, 0], hands["instant_payer"][i, 0], hands["instant_tai"][i, 0] = winner, payer, 5
    summary = summarize(columns.table(hands, rules), ["greedy"] * 4)
    assert all(seat["win"]["mean"] == seat["deal_in"]["mean"] == 0 for seat in summary["seats"])
    assert summary["items"] == {"chasing": 1, "pure_bouquet": 1, "drawn_hand": 1}
    assert (summary["mean_tai"], summary["triple_wins"], summary["ends"]["draw"]) == (None, 0, 3)


@pytest.mark.parametrize("name", list(PRESETS))
def test_declarations_of_each_rule_set_have_their_word(name: str) -> None:
    words = {"hk16": ["none", "closed"], "four-winds": ["none", "original_call"], "house16": ["none"]}.get(
        name, ["none", "ready", "migi"]
    )
    hands = np.zeros(len(words), dtype=HAND)
    hands["end"] = 1
    hands["declared"][:, 2] = np.arange(len(words))
    table = columns.table(hands, mjsim.rules(name))
    assert table.column("declared_2").to_pylist() == words
    assert table.column("declared_1").to_pylist() == ["none"] * len(words)
    (meaning,) = (text for column, _, text in columns.describe(mjsim.rules(name)) if column == "declared_2")
    assert meaning.endswith(": " + ", ".join(words))


def test_the_schema_page_is_written_from_the_columns() -> None:
    """docs/schema.md holds every column of the Douque rule sets and what other rule sets have beside them."""
    text = (ROOT / "docs" / "schema.md").read_text()
    for column, kind, meaning in columns.describe(mjsim.rules("douque-american")):
        shown = (
            "list of structs: winner, kind, from, tai, payments[4], items (id, tai)"
            if column == "settlements"
            else kind
        )
        assert f"| `{column}` | {shown} | {meaning} |" in text, column
    own = {column for column, _, _ in columns.describe(mjsim.rules("douque-american"))}
    for name in PRESETS:
        rules = mjsim.rules(name)
        if rules.family != "douque":
            assert f"| `{name}` | {', '.join(view.declarations(rules))} | {', '.join(rules.item_ids)} |" in text
        for column, kind, meaning in columns.describe(rules):
            if column not in own and (not column.startswith("item_") or kind == "int32"):
                assert f"| `{column}` | {kind} | {meaning} |" in text, (name, column)


@entry
def _patterns(dice, out):
    for i in range(len(dice)):
        out[i] = dice_pattern(dice[i])


def test_pattern_column_is_the_scorers_pattern() -> None:
    """For all 216 rolls: the column, the compiled scorer and the plain tests' Dice Bonus agree."""
    dice = np.array([[a, b, c] for a in range(1, 7) for b in range(1, 7) for c in range(1, 7)], dtype=np.int8)
    hands = np.zeros(len(dice), dtype=HAND)
    hands["dice"] = dice
    hands["end"] = 1
    told = columns.table(hands, mjsim.rules("douque-american")).column("pattern").to_pylist()
    codes = np.empty(len(dice), np.int64)
    _patterns(dice, codes)
    assert told == [columns.PATTERNS[code] for code in codes]
    plain = [naive.dice_bonus([int(die) for die in roll]) for roll in dice]
    tai = {"none": 0, "all_black": 1, "straight": 2, "all_red": 3, "triple": 5}
    assert [tai[word] for word in told] == plain
    assert [told.count(word) for word in tai] == [120, 60, 24, 6, 6]


# --- arguments ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"hands": 0}, "hands"),
        ({"hands": -3}, "hands"),
        ({"hands": 2.5}, "hands"),
        ({"hands": True}, "hands"),
        ({"seed": -1}, "seed"),
        ({"seed": "x"}, "seed"),
        ({"seed": 2**63}, "seed"),
        ({"workers": 0}, "workers"),
        ({"workers": "two"}, "workers"),
        ({"match_hands": 0}, "match_hands"),
        ({"match_hands": "half"}, "match_hands"),
        ({"match_hands": None}, "match_hands"),
        ({"match_hands": 2.5}, "match_hands"),
        ({"agents": "greedy,greedy"}, "agents"),
        ({"agents": "greed"}, "greedy"),
        ({"agents": []}, "agents"),
        ({"rules": "douque"}, "rules"),
    ],
)
def test_bad_arguments_are_named(change: dict[str, Any], what: str) -> None:
    with pytest.raises(mjsim.UsageError, match=what):
        mjsim.simulate(**{**GOOD, **change})


def test_bad_arguments_leave_no_folder(tmp_path: Path) -> None:
    for change in ({"agents": "nobody"}, {"workers": 0}, {"hands": 0}):
        with pytest.raises(mjsim.UsageError):
            mjsim.simulate(**{**GOOD, **change}, out=tmp_path / "out")
        assert not (tmp_path / "out").exists(), change


def test_numpy_numbers_are_numbers() -> None:
    table = mjsim.simulate("douque-american", ["greedy"] * 4, np.int64(20), np.int32(1))
    pd.testing.assert_frame_equal(table, mjsim.simulate("douque-american", "greedy", 20, 1))
