"""How machine code is kept: one place compiles, one cache keyed by every source, nothing heavy on import, bounds checking."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from mjsim import jit
from mjsim.ruleset.presets import PRESETS

ROOT = Path(jit.__file__).parents[1]
ENGINE = ROOT / "mjsim"
#: Import name of each folder of sources.
FOLDERS = {
    "mjsim": ENGINE,
    **{f"mjsim.{name}": ROOT / name for name in ("agents", "envs", "experiments", "benchmarks")},
}
COMPILING = {"kernel", "entry", "pointer"}


@cache
def sources() -> dict[str, Path]:
    """Module name -> file of all sources, tests left out."""
    found = {}
    for name, folder in FOLDERS.items():
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            found[".".join((name, *parts)).removesuffix(".__init__")] = path
    return found


def trees() -> Iterator[tuple[str, Path, ast.Module]]:
    for name, path in sources().items():
        yield name, path, parsed(path)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def run(code: str, **env: str) -> subprocess.CompletedProcess:
    """A new process; it fails the test unless it ends well."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


# --- one place ------------------------------------------------------------------------------------------------------


def test_numba_compiles_only_in_jit() -> None:
    """No other source calls njit, jit, cfunc or vectorize of numba."""
    found = {}
    for name, path, tree in trees():
        used = set()
        for node in ast.walk(tree):
            text = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("numba"):
                used |= {alias.name for alias in node.names}
            used.add(text)
        if used & {"njit", "jit_module", "cfunc", "vectorize", "guvectorize", "generated_jit"}:
            found[name] = path
        assert path == ENGINE / "jit.py" or not re.search(r"@(numba\.)?(n?jit|cfunc)\b", path.read_text()), path
    assert list(found) == ["mjsim.jit"]


def compiled_functions(tree: ast.Module) -> list[ast.FunctionDef]:
    """Functions with a decorator of `jit`."""
    found = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                if isinstance(called, ast.Name) and called.id in COMPILING:
                    found.append(node)
    return found


def module_file(name: str) -> Path | None:
    return sources().get(name)


def imported(tree: ast.Module) -> dict[str, str]:
    """Name bound at module level -> module that it comes from, for imports of mjsim."""
    bound = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mjsim"):
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                bound[alias.asname or alias.name] = submodule if submodule in sources() else str(node.module)
    return bound


def names_in(node: ast.AST) -> set[str]:
    """Names read in a statement or function, without the function's own."""
    own = {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    if isinstance(node, ast.FunctionDef):
        own |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)} - own


def test_no_kernel_reads_a_name_of_a_module_outside_the_cache_key() -> None:
    """A constant of such a module could change and meet old machine code. `errors` holds no number."""
    keyed = set(jit.kernel_sources())
    checked = 0
    for name, _, tree in trees():
        functions = compiled_functions(tree)
        outside = {
            bound
            for bound, module in imported(tree).items()
            if module != "mjsim.errors" and module_file(module) not in keyed
        }
        # Module constants made of such names are no better.
        for node in tree.body:
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value and names_in(node.value) & outside:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                outside |= {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
        for function in functions:
            checked += 1
            assert not names_in(function) & outside, f"{name}.{function.name} reads {names_in(function) & outside}"
    assert checked > 80


def test_every_module_whose_kernels_others_compile_in_is_part_of_the_cache_key() -> None:
    """numba notices a change of a kernel's own file, not of a file that it calls into."""
    keyed = set(jit.kernel_sources())
    for name, path, tree in trees():
        if not compiled_functions(tree):
            continue
        for bound, module in imported(tree).items():
            file = module_file(module)
            if file is not None and file != path and compiled_functions(parsed(file)):
                assert file in keyed, f"kernels of {name} can call {bound} of {module}"


def test_the_cache_key_holds_engine_and_agents() -> None:
    keyed = {path.relative_to(ROOT).as_posix() for path in jit.kernel_sources()}
    assert {
        "mjsim/jit.py",
        "mjsim/tiles.py",
        "mjsim/flow/turn.py",
        "mjsim/ruleset/douque.py",
        "agents/greedy.py",
    } <= keyed
    assert not {"mjsim/cli.py", "mjsim/batch.py", "mjsim/errors.py"} & keyed


# --- the key --------------------------------------------------------------------------------------------------------


def copy_of_sources(folder: Path) -> Path:
    """The package as it is installed: mjsim with agents and the others inside."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ENGINE, folder / "mjsim", ignore=ignore)
    for name in ("agents", "envs", "experiments", "benchmarks"):
        if any((ROOT / name).glob("*.py")):
            shutil.copytree(ROOT / name, folder / "mjsim" / name, ignore=ignore)
    return folder


def cache_name(folder: Path, cache: Path, **env: str) -> str:
    code = "import mjsim.jit as j; print(j.__file__); print(j.KERNEL_CACHE.name)"
    done = run(f"import sys; sys.path.insert(0, {str(folder)!r}); {code}", MJSIM_CACHE_DIR=str(cache), **env)
    where, name = done.stdout.splitlines()
    assert Path(where).is_relative_to(folder)
    return name


def test_a_changed_kernel_source_gets_another_cache_folder_and_other_files_do_not(tmp_path: Path) -> None:
    folder, cache = copy_of_sources(tmp_path / "copy"), tmp_path / "cache"
    before = cache_name(folder, cache)
    assert cache_name(folder, cache) == before
    for name in ("mjsim/cli.py", "mjsim/batch.py", "mjsim/errors.py"):
        (folder / name).write_text((folder / name).read_text() + "\n# changed\n")
    assert cache_name(folder, cache) == before
    seen = {before}
    for name in ("mjsim/tiles.py", "mjsim/flow/claims.py", "mjsim/ruleset/douque_items.py", "mjsim/agents/greedy.py"):
        (folder / name).write_text((folder / name).read_text() + "\n# changed\n")
        changed = cache_name(folder, cache)
        assert changed not in seen, name
        seen.add(changed)


def test_options_of_the_compiler_get_another_cache_folder(tmp_path: Path) -> None:
    """numba ignores NUMBA_BOUNDSCHECK on a warm cache."""
    folder, cache = copy_of_sources(tmp_path / "copy"), tmp_path / "cache"
    found = {
        cache_name(folder, cache),
        cache_name(folder, cache, NUMBA_BOUNDSCHECK="1"),
        cache_name(folder, cache, NUMBA_OPT="1"),
    }
    assert len(found) == 3


# --- the cache ------------------------------------------------------------------------------------------------------

PLAY = """
import json, sys
import numpy as np
import mjsim
from mjsim import jit
from mjsim.ruleset.presets import PRESETS
from mjsim.agents import make
from mjsim.flow import engine
from mjsim.ruleset import douque
from mjsim.shapes import public
hand = mjsim.Hand("douque-american", seed=3)
hand.apply(hand.legal()[0])
mjsim.shanten("123456789m1122334p")
mjsim.waits("123456789m1122334p")
mjsim.score_batch(np.zeros(0, dtype=mjsim.POSITION))
pointers = [engine.apply, engine.lay, douque.score, make("greedy").policy, make("random").policy]
frame = mjsim.simulate("douque-american", "greedy,random,greedy,random", 64, 5)
from mjsim import play, position
entries = [public._shanten_one, public._reaching, position._score_all, position._first_bad, play.play_match]
print(json.dumps({
    "pointers": {p.__name__ + str(i): p.cache_hits for i, p in enumerate(pointers)},
    "misses": {e.__name__: sum(e.stats.cache_misses.values()) for e in entries},
    "hits": {e.__name__: sum(e.stats.cache_hits.values()) for e in entries},
    "scores": frame[["score_0", "score_1", "score_2", "score_3"]].values.tolist(),
}))
"""


def test_a_second_process_compiles_nothing() -> None:
    """The first fills the cache folder of this session (where it is not filled yet), the second finds everything."""
    first = json.loads(run(PLAY).stdout)
    done = run(PLAY)
    second = json.loads(done.stdout)
    assert set(second["pointers"].values()) == {1}, second["pointers"]
    assert set(second["misses"].values()) == {0} and set(second["hits"].values()) == {1}, second
    assert second["scores"] == first["scores"]
    assert "compiling" not in done.stderr


def test_the_users_own_numba_cache_is_left_alone(tmp_path: Path) -> None:
    code = (
        "from numba.core import config; before = config.CACHE_DIR\n"
        "import mjsim; from mjsim.flow import engine; from mjsim.shapes import public\n"
        "mjsim.shanten('123456789m1122334p')\n"
        "assert config.CACHE_DIR == before, config.CACHE_DIR\n"
        "print(before)"
    )
    assert run(code).stdout == "\n"
    assert run(code, NUMBA_CACHE_DIR=str(tmp_path)).stdout == f"{tmp_path}\n"
    assert list(tmp_path.iterdir()) == [], "nothing of ours lies in it"


def test_an_unwritable_cache_folder_costs_a_warning(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    done = run(
        "import mjsim; print(mjsim.shanten('123456789m1122334p'))", MJSIM_CACHE_DIR=str(blocked / "x"), NUMBA_OPT="0"
    )
    assert done.stdout == "0\n" and "not writable" in done.stderr and "Traceback" not in done.stderr


def test_import_brings_in_nothing_heavy() -> None:
    heavy = ("pandas", "torch", "pettingzoo", "gymnasium", "matplotlib", "numba", "llvmlite", "pyarrow", "ray", "typer")
    done = run(f"import sys, mjsim; print([m for m in {heavy!r} if m in sys.modules])")
    assert done.stdout == "[]\n"


def test_stepping_a_hand_brings_in_no_pandas_or_torch() -> None:
    heavy = ("pandas", "torch", "pettingzoo", "gymnasium", "matplotlib", "pyarrow", "ray", "typer")
    code = "hand = mjsim.Hand('douque-american', seed=1); hand.apply(hand.legal()[0])"
    done = run(f"import sys, mjsim; {code}; print([m for m in {heavy!r} if m in sys.modules])")
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("name", PRESETS)
def test_a_rule_set_brings_in_no_other_scorer(name: str) -> None:
    """So that the first hand of one does not wait for another's scorer to be compiled."""
    families = sorted({preset.family for preset in PRESETS.values()})
    code = f"print([f for f in {families!r} if 'mjsim.ruleset.' + f in sys.modules])"
    done = run(f"import sys, mjsim; mjsim.Hand(mjsim.rules({name!r}), seed=1); {code}")
    assert done.stdout == f"[{PRESETS[name].family!r}]\n"


def test_every_public_name_is_there() -> None:
    code = "import mjsim; print([n for n in mjsim.__all__ if getattr(mjsim, n) is None], set(mjsim.__all__) <= set(dir(mjsim)))"
    assert run(code).stdout == "[] True\n"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        import mjsim

        _ = mjsim.nothing


# --- bounds checking ------------------------------------------------------------------------------------------------

CHECKED = """
import numpy as np
import mjsim
from mjsim import jit
from mjsim.ruleset.presets import PRESETS
assert jit._OPTIONS["boundscheck"], "bounds checking is off"

@jit.kernel
def inner(values, i):
    return values[i]

@jit.entry
def reads(values, i):
    return inner(values, i)

assert reads(np.arange(3), 2) == 2
try:
    reads(np.arange(3), 3)
except IndexError:
    print("it is on")

for rules in ("douque-american", "douque-taiwanese"):
    for agents in ("greedy", "random", "greedy,random,greedy,random"):
        frame = mjsim.simulate(rules, agents, 160, 11)
        assert len(frame) == 160
for options in ({"kept_back": 0, "claim_min_drawable": 1}, {"winners": "all", "claim_back": True, "kong_after_claim": True}):
    assert len(mjsim.simulate(mjsim.rules("douque-taiwanese", **options), "random", 160, 12)) == 160
import sys
sys.path.insert(0, ROOT)
from tests.position_cases import random_winning_positions
positions = list(random_winning_positions(3000, 5, "douque-american"))
for position in positions:
    mjsim.score(position)
hands = np.array([mjsim.Hand("douque-taiwanese", seed=i).record["counts"] for i in range(100)])
for seat in range(1, 4):
    assert len(mjsim.shanten(np.ascontiguousarray(hands[:, seat]))) == 100
    for one in hands[:, seat]:
        mjsim.waits(one)
        mjsim.ukeire(one)
from mjsim.experiments import dice
dice.run("douque-american", walls=64, seed=3, workers=1)
from mjsim.envs import VectorEnv
tables = VectorEnv(32, seed=7, agents={2: "greedy"}, privileged=True)
rng = np.random.default_rng(1)
for _ in range(400):
    tables.step((rng.random(tables.masks.shape) * tables.masks).argmax(axis=1))
print("done")
"""


@pytest.mark.slow
def test_no_kernel_reads_or_writes_out_of_range(tmp_path: Path) -> None:
    """In a cache folder of its own, everything compiled with bounds checking; errors inside a C function go to stderr."""
    script = tmp_path / "checked.py"  # numba caches no function without a file
    script.write_text(CHECKED.replace("ROOT", repr(str(ROOT))))
    code = f"import runpy; runpy.run_path({str(script)!r})"
    done = run(code, NUMBA_BOUNDSCHECK="1", MJSIM_CACHE_DIR=str(tmp_path / "cache"))
    assert done.stdout.splitlines() == ["it is on", "done"]
    lines = [line for line in done.stderr.splitlines() if not line.startswith("mjsim: first run")]
    assert lines == [], done.stderr


def test_a_compiled_function_that_fails_says_so_on_stderr() -> None:
    """What the test above relies on: an exception in a C function is printed, it does not vanish."""
    code = (
        "import numpy as np\n"
        "from numba import types\n"
        "from mjsim import jit\n"
        "import mjsim.flow.engine as e\n"
        "from mjsim.hand_record import HAND, HAND_TYPE\n"
        "def bad(h, n):\n"
        "    return np.int64(h.wall[n])\n"
        "p = jit.Pointer(types.int64(HAND_TYPE, types.int64), bad)\n"
        "jit.KERNEL_CACHE = None\n"
        "array = np.zeros(1, HAND)\n"
        "p.python()(array.ctypes.data, 10_000_000 if jit._OPTIONS['boundscheck'] else 0)\n"
    )
    assert importlib.util.find_spec("numba")
    done = run(code, NUMBA_BOUNDSCHECK="1")
    assert "IndexError" in done.stderr
