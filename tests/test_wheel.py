"""Wheel and sdist: built, installed into an empty environment, used from another folder; one import name is installed."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

import mjsim

ROOT = Path(mjsim.__file__).parents[1]
SKIPPED = shutil.ignore_patterns(
    ".git", ".venv", "venv", "build", "dist", "out", "runs", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis"
)
FOREIGN = ("agents", "envs", "experiments", "benchmarks", "tests")

pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path, **env: str) -> subprocess.CompletedProcess:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "COV_"))}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=kept | env,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel and an sdist, built from a copy so that the checkout stays clean."""
    folder = tmp_path_factory.mktemp("build")
    source = folder / "source"
    shutil.copytree(ROOT, source, ignore=SKIPPED)
    command = [sys.executable, "-m", "build", "--outdir", folder / "dist", source]
    try:
        import setuptools

        isolated = int(setuptools.__version__.split(".")[0]) < 77
    except ImportError:
        isolated = True
    run(*command, *([] if isolated else ["--no-isolation"]), cwd=folder)
    return folder / "dist"


def installed(built: Path, folder: Path, kind: str) -> Path:
    """Python of an empty environment with the wheel (or the wheel that the sdist makes) and this one's dependencies."""
    (archive,) = built.glob(kind)
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).stdout.strip())
    wheel = archive
    if archive.suffix != ".whl":
        unpacked = folder / "sdist"
        shutil.unpack_archive(archive, unpacked)
        (source,) = unpacked.iterdir()
        run(sys.executable, "-m", "build", "--wheel", "--outdir", folder / "made", source, cwd=folder)
        (wheel,) = (folder / "made").glob("*.whl")
    before = set(site.iterdir())
    run(
        *(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "--quiet", wheel),
        cwd=folder,
    )
    names = {path.name.split(".")[0].split("-")[0] for path in set(site.iterdir()) - before}
    assert names == {"mjsim"}, f"installed besides mjsim: {names - {'mjsim'}}"
    # Dependencies come from this environment; its own mjsim, editable or not, must stay out of sight.
    dependencies = folder / "dependencies"
    dependencies.mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if "mjsim" not in path.name and path.suffix not in (".pth", ".egg-link"):
            (dependencies / path.name).symlink_to(path)
    (site / "dependencies.pth").write_text(f"{dependencies}\n")
    return python


IMPORTS = f"""
import importlib.util, json
import mjsim, mjsim.agents, mjsim.experiments
from importlib.resources import files
from importlib.metadata import version
print(json.dumps({{
    "where": mjsim.__file__, "agents": mjsim.agents.__file__, "version": version("mjsim"), "own": mjsim.__version__,
    "typed": (files("mjsim") / "py.typed").is_file(),
    "network": (files("mjsim.agents") / "neural" / "douque-american.safetensors").is_file(),
    "foreign": [name for name in {FOREIGN!r} if importlib.util.find_spec(name)],
    "names": mjsim.agents.names(),
}}))
"""


@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_installed_into_an_empty_environment_it_does_its_main_jobs(built: Path, tmp_path: Path, kind: str) -> None:
    python = installed(built, tmp_path, kind)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in FOREIGN:  # a project of the user's with such folders is neither shadowed nor in the way
        (elsewhere / name).mkdir()
    found = json.loads(run(python, "-c", IMPORTS, cwd=elsewhere).stdout)
    for place in (found["where"], found["agents"]):
        assert Path(place).is_relative_to(tmp_path / "venv"), f"{place} is not the installed one"
    assert found["typed"] and found["network"] and found["version"] == found["own"] == mjsim.__version__
    assert {"greedy", "random"} <= set(found["names"])
    for name in FOREIGN:
        (elsewhere / name).rmdir()
    # Other libraries of the environment may install such names; ours may not.
    own = "from importlib.metadata import files; print(sorted({f.parts[0] for f in files('mjsim')}))"
    top = set(ast.literal_eval(run(python, "-c", own, cwd=elsewhere).stdout))
    assert not top & set(FOREIGN), "top-level packages that are not ours to install"

    command = python.with_name("mjsim")
    cache = {"MJSIM_CACHE_DIR": str(tmp_path / "cache")}
    assert run(command, "--version", cwd=elsewhere).stdout == f"mjsim {mjsim.__version__}\n"
    assert "dice" in run(command, "study", "--help", cwd=elsewhere).stdout
    shown = run(command, "simulate", "--hands", "200", "--workers", "1", "--json", cwd=elsewhere, **cache).stdout
    assert json.loads(shown)["hands"] == 200
    study = run(
        command,
        "study",
        "dice",
        "--walls",
        "400",
        "--adapt",
        "none",
        "--workers",
        "1",
        "--json",
        cwd=elsewhere,
        **cache,
    ).stdout
    assert json.loads(study)
    lines = (ROOT / "tests" / "golden" / "douque-american.positions.jsonl").read_text().splitlines()
    positions = elsewhere / "positions.jsonl"
    positions.write_text("\n".join(json.dumps(json.loads(line)["position"]) for line in lines))
    answers = run(command, "score", positions, cwd=elsewhere, **cache).stdout.splitlines()
    assert [json.loads(a) for a in answers] == [json.loads(line)["answer"] for line in lines]


def test_wheel_holds_every_module_and_no_test(built: Path) -> None:
    """An editable install hides a subpackage that is missing from the wheel."""
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder, prefix in (
        ("mjsim", "mjsim"),
        *((f, f"mjsim/{f}") for f in ("agents", "envs", "experiments", "benchmarks")),
    ):
        for path in (ROOT / folder).rglob("*.py"):
            if path.parent.name == "examples":
                continue  # scripts to run by hand, in the repository alone
            assert f"{prefix}/{path.relative_to(ROOT / folder).as_posix()}" in names, path
    top = {name.split("/")[0] for name in names}
    assert top == {"mjsim", f"mjsim-{mjsim.__version__}.dist-info"}
    assert not [name for name in names if "test" in name]
