"""The command `mjsim evaluate`: what it prints, its exit codes, and going on after a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mjsim import cli
from mjsim.experiments import evaluate
from tests.evaluate_agents import RESOLVER

ROOT = Path(__file__).parent.parent


def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the entry point with these words."""
    monkeypatch.setattr(sys, "argv", ["mjsim", "evaluate", *words])
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        cli.main()
    told = capsys.readouterr()
    return int(stop.value.code or 0), told.out, told.err


def test_prints_a_table_and_what_it_means(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    code, out, _ = command(capsys, monkeypatch, "greedy", "random", "-n", "40", "-w", "1", "-o", "min_tai=0")
    assert code == 0
    assert "greedy scores +" in out and "A/A check" in out and "40 sets, 160 hands" in out
    assert not any(line.strip().startswith("±") for line in out.splitlines())  # no cell is broken over two lines


def test_json_is_the_result_and_its_command_gives_it_again(capsys, monkeypatch):
    words = ["greedy", "greedy:exchange=3", "-n", "30", "-s", "6", "--mode", "two-two", "--match", "2", "--own-draws"]
    code, out, _ = command(capsys, monkeypatch, *words, "--json", "--workers", "1")
    result = json.loads(out)
    assert code == 0
    again = command(capsys, monkeypatch, *result["command"].split()[2:], "--json", "--workers", "1")[1]
    assert json.loads(again) == result
    options = {"mode": "two-two", "match_hands": 2, "own_draws": True}
    assert result == json.loads(json.dumps(evaluate.run(words[:2], sets=30, seed=6, **options)))


def test_a_leaderboard_and_its_folder(capsys, monkeypatch, tmp_path):
    out = tmp_path / "board"
    words = ["greedy", "random", "greedy:exchange=3", "--leaderboard", "-n", "20", "-w", "1", "--out", str(out)]
    code, first, _ = command(capsys, monkeypatch, *words)
    assert code == 0 and first.startswith("written: ") and "rating" in first
    code, second, _ = command(capsys, monkeypatch, *words)
    assert code == 0 and second.startswith("finished before: ")
    assert second.splitlines()[1:] == first.splitlines()[1:]
    code, _, complaint = command(capsys, monkeypatch, *words, "--seed", "1")
    assert code == 2 and "belongs to another run: its seed is 0, asked for is 1" in complaint


def test_a_failed_check_is_exit_code_1(capsys, monkeypatch):
    make_plan = evaluate.make_plan
    monkeypatch.setattr(evaluate, "make_plan", lambda *a, **k: make_plan(*a, **k, resolver=RESOLVER))
    code, out, _ = command(capsys, monkeypatch, "counting", "greedy", "-n", "200", "-w", "1")
    assert code == 1 and "FAILED" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["greedy"], "agents: 1 of them"),
        (["greedy", "random", "--sets", "1"], "sets: 1 is no whole number"),
        (["greedy", "random", "--mode", "three"], "mode: 'three'"),
        (["greedy", "random", "--sprt", "1"], "sprt: '1' is no pair"),
        (["greedy", "random", "--workers", "none"], "--workers 'none'"),
        (["greedy", "random", "-o", "min_tai"], "name=value is needed"),
        ([], "Missing argument"),
    ],
)
def test_a_wrong_argument_is_one_line_and_exit_code_2(capsys, monkeypatch, words, message):
    code, out, complaint = command(capsys, monkeypatch, *words)
    assert code == 2 and out == ""
    assert message in complaint and complaint.startswith("mjsim: ") and complaint.count("\n") == 1


def test_the_command_line_imports_no_kernels():
    """`mjsim --help` stays fast: neither numba nor the experiments are imported for it."""
    code = "import sys, mjsim.cli; print([m for m in sys.modules if m == 'numba' or m.startswith('mjsim.experiments')])"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_killed_run_goes_on_to_the_same_bytes(tmp_path, workers):
    whole, out = tmp_path / "whole", tmp_path / "out"
    words = ["greedy", "random", "-n", "12000", "--own-draws"]

    def start(folder: Path, number: str) -> subprocess.Popen:
        full = [sys.executable, "-m", "mjsim.cli", "evaluate", *words, "--workers", number, "--out", str(folder)]
        return subprocess.Popen(full, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    run = start(out, workers)
    while len(list((out / "parts").glob("sets-*.arrow"))) < 5:
        assert run.poll() is None, run.communicate()
        time.sleep(0.02)
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    assert not (out / "result.json").exists()
    for folder, number in ((out, workers), (whole, "1")):
        again = start(folder, number)
        told = again.communicate()
        assert again.returncode == 0, told
    assert {p.name: p.read_bytes() for p in out.iterdir()} == {p.name: p.read_bytes() for p in whole.iterdir()}
