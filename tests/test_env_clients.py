"""The example clients under experiments/examples run on the real libraries."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "experiments" / "examples"

CLIENTS = {
    "sb3_maskable_ppo.py": (
        ("sb3_contrib",),
        ["--steps", "1024", "--hands", "16"],
        r"after: +[+-]\d+\.\d\d .* \(\d+ decisions",
    ),
    "torchrl_rollout.py": (("torchrl", "pettingzoo"), ["--steps", "300"], r"300 decisions, \d+ hands"),
    "tianshou_dqn.py": (("tianshou",), ["--steps", "800", "--hands", "16"], r"after: +[+-]\d+\.\d\d"),
}


def test_every_example_is_run() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(CLIENTS)


def test_examples_are_scripts_and_no_package() -> None:
    assert not (EXAMPLES / "__init__.py").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("rules", ["douque-american", "douque-taiwanese"])
def test_client_runs(name: str, rules: str) -> None:
    libraries, arguments, wanted = CLIENTS[name]
    for library in libraries:
        if importlib.util.find_spec(library) is None:
            pytest.skip(f"{name} needs {library} (pip install 'mjsim[clients]')")
    command = [sys.executable, str(EXAMPLES / name), "--rules", rules, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert re.search(wanted, done.stdout), done.stdout
