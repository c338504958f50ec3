"""Agents of users: Python functions at compiled tables, packages that offer agents, and how they are named."""

from __future__ import annotations

import copy
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mjsim
from mjsim import agents
from mjsim.actions import OTHER, WIN
from mjsim.agents import PythonAgent, registry
from mjsim.agents.registry import Agent, make_four
from mjsim.batch import execute, make_plan, split_agents
from mjsim.experiments import dice, evaluate
from mjsim.flow.engine import POLICY, nth_legal
from mjsim.jit import pointer
from mjsim.ruleset.presets import PRESETS


@pointer(POLICY)
def _first_legal(h, r, parameters):
    return nth_legal(h, 0)


def first_legal(observation: np.ndarray, mask: np.ndarray) -> int:
    return int(np.flatnonzero(mask)[0])


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Registers names for one test."""
    monkeypatch.setattr(registry, "_FACTORIES", dict(registry._FACTORIES))
    monkeypatch.setattr(registry, "_RAW", set(registry._RAW))
    monkeypatch.setattr("mjsim.batch._kept_players", {})
    monkeypatch.setattr("mjsim.experiments.evaluate_play._players", {})
    return agents.register


@pytest.fixture
def twins(registered: Any) -> None:
    """The same agent in Python and compiled: `python` and `compiled`."""
    registered("python", lambda text, given: PythonAgent(text, first_legal))
    registered("compiled", lambda text, given: Agent(text, _first_legal))


def tables(who: str, rules: str) -> list[dict[str, Any]]:
    found = execute(make_plan(rules, f"{who},greedy,{who},random", 24, 3), None, 1)
    return [row for table in found for row in table.to_pylist()]


@pytest.mark.parametrize("rules", PRESETS)
def test_simulate_plays_a_python_agent_as_its_compiled_twin(twins: None, rules: str) -> None:
    assert tables("python", rules) == tables("compiled", rules)


def test_evaluate_and_study_play_a_python_agent(twins: None) -> None:
    def scores(who: str) -> Any:
        result = evaluate.run([who, "greedy"], sets=6)
        return result["advantage"]["value"], result["ends"]

    assert scores("python") == scores("compiled")
    one, other = (dice.run(agents=f"{who},greedy,greedy,greedy", walls=8, workers=1) for who in ("python", "compiled"))
    assert one.sums.total.tolist() == other.sums.total.tolist()


def test_environments_seat_python_agents() -> None:
    import gymnasium

    import mjsim.envs

    def episode(opponents: Any) -> list[float]:
        env = gymnasium.make("mjsim/Solo-v0", opponents=opponents)
        observation, info = env.reset(seed=5)
        rewards = []
        for _ in range(3):
            over = False
            while not over:
                observation, reward, over, _, info = env.step(first_legal(observation, info["action_mask"]))
            rewards.append(float(reward))
            observation, info = env.reset()
        return rewards

    ended: list[list[int]] = []
    python = PythonAgent("mine", first_legal, end=ended.append)
    assert episode([python, "greedy", "greedy"]) == episode([Agent("twin", _first_legal), "greedy", "greedy"])
    assert len(ended) == 3 and all(len(scores) == 4 and sum(scores) == 0 for scores in ended)

    def stepped(agent: Agent) -> list[int]:
        env = mjsim.envs.VectorEnv(3, seed=2, agents={1: agent, 3: agent})
        for _ in range(60):
            env.step(env.masks.argmax(axis=1))
        return env.tables["scores"].tolist() + env.observations.tolist()

    assert stepped(python) == stepped(Agent("twin", _first_legal))


def test_a_python_agent_is_told_of_the_end_from_its_own_seat(registered: Any) -> None:
    ended: list[list[int]] = []
    registered("told", lambda text, given: PythonAgent(text, first_legal, ended.append))
    rows = [
        row
        for table in execute(make_plan("hk16", "greedy,told,greedy,greedy", 10, 1), None, 1)
        for row in table.to_pylist()
    ]
    assert ended == [[row[f"score_{(1 + s) % 4}"] for s in range(4)] for row in rows]


def run(agent: PythonAgent, registered: Any) -> None:
    registered("mine", lambda text, given: agent)
    execute(make_plan("douque-american", "mine,greedy,greedy,greedy", 8, 1), None, 1)


def test_an_exception_ends_the_run_in_one_line(registered: Any) -> None:
    def act(observation: np.ndarray, mask: np.ndarray) -> int:
        raise KeyError("tiles")

    with pytest.raises(mjsim.MjsimError, match=r"^agent 'mine': KeyError: 'tiles' \(.*test_python_agent.py:\d+\)$"):
        run(PythonAgent("mine", act), registered)


def test_an_illegal_answer_is_named_with_what_was_legal(registered: Any) -> None:
    pattern = r"^agent 'mine' answered 141 \(win\), which is not legal here \(legal: give \d.(, give \d.)+\)$"
    assert WIN == 141
    with pytest.raises(mjsim.MjsimError, match=pattern):
        run(PythonAgent("mine", lambda observation, mask: WIN), registered)


@pytest.mark.parametrize(("answer", "shown"), [(None, "None"), ("pass", "'pass'"), (True, "True"), (1.0, "1.0")])
def test_an_answer_that_is_no_number_is_named(registered: Any, answer: Any, shown: str) -> None:
    with pytest.raises(
        mjsim.MjsimError, match=f"^agent 'mine' answered {shown}, but act gives an action number of 0-146$"
    ):
        run(PythonAgent("mine", lambda observation, mask: answer), registered)


def test_begin_is_no_answer_of_a_python_agent(registered: Any) -> None:
    with pytest.raises(mjsim.MjsimError, match=r"answered -1 \(no action\), which is not legal"):
        run(PythonAgent("mine", lambda observation, mask: -1), registered)


def test_an_agent_that_changes_its_mask_does_not_make_an_action_legal(registered: Any) -> None:
    def act(observation: np.ndarray, mask: np.ndarray) -> int:
        mask[:] = 1
        return WIN

    with pytest.raises(mjsim.MjsimError, match="not legal here"):
        run(PythonAgent("mine", act), registered)


def test_ctrl_c_within_a_python_agent_is_ctrl_c(registered: Any) -> None:
    def act(observation: np.ndarray, mask: np.ndarray) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(PythonAgent("mine", act), registered)


def test_an_exception_at_the_end_of_the_last_hand_is_raised(registered: Any) -> None:
    def end(scores: list[int]) -> None:
        raise ValueError("no room for scores")

    registered("mine", lambda text, given: PythonAgent("mine", first_legal, end))
    with pytest.raises(mjsim.MjsimError, match="agent 'mine': ValueError: no room for scores"):
        execute(make_plan("douque-american", "mine,greedy,greedy,greedy", 1, 1), None, 1)


def test_tables_with_python_agents_are_copied_and_pickled(registered: Any) -> None:
    """A copy is played by the same agent; a pickle finds it by its name."""
    from mjsim.envs.solo import Solo

    agent = PythonAgent("mine", first_legal)
    registered("mine", lambda text, given: agent)
    env = Solo(opponents=[agent, "greedy", "greedy"])
    _, info = env.reset(seed=3)
    for _ in range(4):
        _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other.opponents[0] is agent
        mask, over = info["action_mask"], False
        twin = copy.deepcopy(env)
        while not over:
            action = int(mask.argmax())
            _, reward, over, _, shown = other.step(action)
            assert (reward, over) == twin.step(action)[1:3]
            mask = shown["action_mask"]


def test_python_agents_act_as_they_are_asked() -> None:
    agent = PythonAgent("mine", first_legal)
    observation, mask = np.zeros((107, 34), np.int8), np.zeros(147, np.int8)
    mask[[4, OTHER]] = 1
    assert agent.act(observation, mask) == 4
    with pytest.raises(mjsim.UsageError, match="mask: no action is legal"):
        agent.act(observation, mask * 0)


# --- names ----------------------------------------------------------------------------------------------------------


def test_an_object_with_act_is_an_agent(registered: Any) -> None:
    class Mine:
        def __init__(self, skip: float = 0) -> None:
            self.skip = int(skip)

        def act(self, observation: np.ndarray, mask: np.ndarray) -> int:
            return int(np.flatnonzero(mask)[self.skip % mask.sum()])

    registered("mine", lambda text, given: Mine(**given))
    agent = agents.make("mine:skip=2")
    assert isinstance(agent, PythonAgent) and agent.name == "mine:skip=2"
    mask = np.zeros(147, np.int8)
    mask[[3, 5, 9]] = 1
    assert agent.act(np.zeros((107, 34), np.int8), mask) == 9


def test_a_factory_of_something_else_is_refused(registered: Any) -> None:
    registered("mine", lambda text, given: 5)
    with pytest.raises(
        mjsim.MjsimError, match="agent 'mine': its factory gave int, but an Agent or an object with act"
    ):
        agents.make("mine")


def test_a_raw_factory_gets_the_text_as_it_stands(registered: Any) -> None:
    got = []
    registered("path", lambda text, rest: got.append((text, rest)) or Agent(text, _first_legal), raw=True)
    agents.make("path:a=b:c,d=1:x")
    assert got == [("path:a=b:c,d=1:x", "a=b:c,d=1:x")]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("greedy", ["greedy"]),
        ("greedy, random,heuristic ,greedy", ["greedy", "random", "heuristic", "greedy"]),
        ('"external:bot --x 1,2",greedy', ["external:bot --x 1,2", "greedy"]),
        ('greedy,"path:a ""b"", c"', ["greedy", 'path:a "b", c']),
        ('external:sh -c "exit"', ['external:sh -c "exit"']),
    ],
)
def test_agents_in_one_text_are_split_by_commas_outside_quotes(text: str, wanted: list[str]) -> None:
    assert split_agents(text) == wanted


@pytest.mark.parametrize("text", ['"greedy', '"greedy"x,random'])
def test_a_quote_that_does_not_close_is_named(text: str) -> None:
    with pytest.raises(mjsim.UsageError, match="a quoted agent goes from one"):
        make_four(text)


GOOD = """
import numpy as np

class Last:
    def act(self, observation, mask):
        return int(np.flatnonzero(mask)[-1])

def make(text, parameters):
    return Last()

def raw(text, rest):
    agent = Last()
    agent.rest = rest
    RESTS.append(rest)
    return agent

raw.raw = True
RESTS = []
NOTHING = 5

def fails(text, parameters):
    raise RuntimeError("no weights")
"""


def install(folder: Path, module: str, source: str, points: str, package: str) -> None:
    """What pip leaves behind of a package of one module."""
    folder.mkdir(exist_ok=True)
    (folder / f"{module}.py").write_text(source)
    info = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[mjsim.agents]\n{points}")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    points = """
theirs = theirs_of_test:make
rawly = theirs_of_test:raw
broken = no_such_module_of_test:make
failing = theirs_of_test:fails
number = theirs_of_test:NOTHING
greedy = theirs_of_test:make
"""
    folder = tmp_path / "site"
    install(folder, "theirs_of_test", GOOD, points, "their-agents")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=":")
    monkeypatch.setattr(registry, "_warned", set())
    monkeypatch.delitem(sys.modules, "theirs_of_test", raising=False)
    return folder


def test_agents_of_installed_packages_are_found_by_name(packages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert {"theirs", "rawly", "broken", "greedy"} <= set(agents.names())
    assert (
        capsys.readouterr().err
        == "mjsim: their-agents offers an agent 'greedy', but that one is bundled and is played\n"
    )
    agents.names()
    assert capsys.readouterr().err == ""  # said once
    assert agents.make("theirs").act(np.zeros((107, 34), np.int8), np.ones(147, np.int8)) == 146
    agents.make("rawly:a=b,c:d")
    assert sys.modules["theirs_of_test"].RESTS == ["a=b,c:d"]
    assert agents.make("greedy").policy is not None  # the bundled one


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "broken",
            r"agent 'broken' of the package their-agents cannot be loaded \(no_such_module_of_test:make\): ModuleNotFound",
        ),
        ("failing", "agent 'failing' of the package their-agents failed: RuntimeError: no weights"),
        ("number", "agent 'number' of the package their-agents: theirs_of_test:NOTHING is no factory"),
        ("theris", "unknown agent 'theris'; did you mean 'theirs'?"),
        ("theirs:x=y", "'x=y' is no parameter=number"),
    ],
)
def test_a_broken_offer_is_one_clear_line_when_it_is_asked_for(packages: Path, name: str, message: str) -> None:
    with pytest.raises(mjsim.MjsimError, match=message):
        agents.make(name)


def test_two_packages_with_one_name_are_named(packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "more", "more_of_test", GOOD, "theirs = more_of_test:make\n", "other-agents")
    monkeypatch.syspath_prepend(str(tmp_path / "more"))
    with pytest.raises(
        mjsim.UsageError, match="agent 'theirs' is offered by other-agents and their-agents; uninstall one"
    ):
        agents.make("theirs")


def test_workers_find_agents_of_packages_and_say_what_they_do_not_find(packages: Path, registered: Any) -> None:
    def rows(workers: int) -> list[dict[str, Any]]:
        found = execute(make_plan("douque-taiwanese", "theirs,greedy,greedy,greedy", 12, 4), None, workers)
        return [row for table in found for row in table.to_pylist()]

    assert rows(2) == rows(1)
    registered("mine", lambda text, given: PythonAgent(text, first_legal))
    with pytest.raises(
        mjsim.UsageError, match="unknown agent 'mine'; a worker process finds bundled agents and those of"
    ):
        execute(make_plan("douque-taiwanese", "mine,greedy,greedy,greedy", 12, 4), None, 2)
