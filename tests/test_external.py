"""External agents: what they are told, that nothing hidden is told, and that breaking the rules costs the hand and no more.

`python -m tests.test_external` writes the example of docs/external-agents.md anew.
"""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mjsim
from mjsim import agents
from mjsim.actions import N_ACTIONS
from mjsim.agents.external import FIRST_HANDS
from mjsim.agents.external_process import Program
from mjsim.agents.external_story import Message, Story, passive, question
from mjsim.batch import Players, execute, faults_of, make_plan, play_one_match, transcript_text
from mjsim.envs.common import observe_calls
from mjsim.errors import MjsimError
from mjsim.experiments import dice, evaluate, evaluate_report, rules_study
from mjsim.hand_record import HAND, copy_records
from mjsim.observe import N_ROWS
from mjsim.play import DECISION, MAX_DECISIONS
from mjsim.tiles import format_tiles, parse_tiles
from tests.rich_hands import FAMILIES, RULE_SETS, rich_games

ROOT = Path(__file__).parent.parent
BOTS = ROOT / "tests" / "bots.py"
EXAMPLE = f"external:{shlex.quote(sys.executable)} {shlex.quote(str(ROOT / 'examples' / 'external_bot.py'))}"


def bot(*words: Any, options: str = "") -> str:
    """The agent of a mode of bots.py."""
    return f"external:{options}{shlex.join([sys.executable, str(BOTS), *map(str, words)])}"


# --- what is told ---------------------------------------------------------------------------------------------------


class Listener:
    """Keeps the table by the messages alone, as a program would; `check` compares it with the table of a question."""

    def __init__(self) -> None:
        self.wall: int | None = None

    def hear(self, message: Message) -> None:
        getattr(self, message["type"])(message)

    def start(self, message: Message) -> None:
        self.seat = message["seat"]
        self.melds: list[list[list[str]]] = [[], [], [], []]
        self.discards: list[str] = ["", "", "", ""]
        self.declared = ["none"] * 4
        self.last = ""

    def deal(self, message: Message) -> None:
        self.hand = Counter(parse_tiles(message["tiles"]))
        self.flowers = [set(parse_tiles(text)) for text in message["flowers"]]

    def exchanged(self, message: Message) -> None:
        self.hand.update(parse_tiles(message["got"]))

    def payment(self, message: Message) -> None:
        assert set(message) == {"type", "winner", "from", "items", "tai", "payments"}

    def draw(self, message: Message) -> None:
        assert ("tile" in message) == (message["seat"] == self.seat)
        if "tile" in message:
            self.hand.update(parse_tiles(message["tile"]))
        self._one_less()

    def flower(self, message: Message) -> None:
        self.flowers[message["seat"]].update(parse_tiles(message["tile"]))
        self._one_less()

    def _one_less(self) -> None:
        if self.wall is not None:
            self.wall -= 1

    def move(self, message: Message) -> None:
        seat = message["seat"]
        word, _, rest = message["action"].partition(" ")
        melds = self.melds[seat]
        lost: list[int] = []
        if word in ("discard", "ready"):
            lost = parse_tiles(rest)
            self.last = rest
            self.discards[seat] += rest
            if word == "ready":
                self.declared[seat] = message["declared"]
        elif word == "declare":
            self.declared[seat] = "original_call"
        elif word == "chow":
            lost = parse_tiles(rest)
            melds.append(["chow", format_tiles(sorted(lost + parse_tiles(self.last)))])
        elif not rest:
            lost = parse_tiles(self.last) * (2 if word == "pung" else 3)
            name = "pung" if word == "pung" else "kong_exposed"
            melds.append([name, format_tiles(lost + lost[:1])])
        elif rest == "?":
            melds.append(["kong_concealed", "?"])
        else:
            (kind,) = parse_tiles(rest)
            pung = ["pung", format_tiles([kind] * 3)]
            lost = [kind] * (1 if pung in melds else 4)
            if pung in melds:
                melds[melds.index(pung)] = ["kong_added", format_tiles([kind] * 4)]
            else:
                melds.append(["kong_concealed", format_tiles([kind] * 4)])
        if seat == self.seat:
            self.hand.subtract(lost)

    def answered(self, action: str) -> None:
        if action.startswith("give"):
            self.hand.subtract(parse_tiles(action.split()[1]))

    def check(self, asked: Message) -> None:
        table = asked["table"]
        assert +self.hand == Counter(parse_tiles(table["hand"]))
        assert self.melds == table["melds"]
        assert self.discards == table["discards"]
        assert self.declared == table["declared"]
        assert self.flowers == [set(parse_tiles(text)) for text in table["flowers"]]
        if self.wall is not None:
            assert self.wall == table["wall"]
        self.wall = table["wall"]
        if asked["phase"] == "claim":
            assert asked["tile"] == self.last
            assert self.discards[asked["from"]].endswith(self.last)


def listened(n: int, n_families: int, seed: int) -> Counter[str]:
    """Every seat of hands in which much happens: what it was told, added up, is the table that it is shown."""
    met: Counter[str] = Counter()
    for _, steps in [*rich_games(n, seed), *rich_games(n_families, seed + 1, FAMILIES)]:
        stories: dict[int, tuple[Story, Listener]] = {}
        asked: tuple[int, int] | None = None
        hand = None
        for hand in steps:
            if asked is not None:
                stories[asked[0]][1].answered(hand.decisions[asked[1]][1])
            seat = hand.seat
            record = copy_records(hand._array)[0]
            if seat not in stories:
                stories[seat] = Story(record, hand.rules, seat), Listener()
            story, listener = stories[seat]
            for message in story.until(record):
                met[message["type"]] += 1
                listener.hear(json.loads(json.dumps(message)))
            listener.check(question(record, hand.rules, seat))
            met[f"{hand.rules.name} {hand.phase}"] += 1
            asked = seat, len(hand.decisions)
        if hand is None:
            continue  # over on the deal
        assert hand.over
        for story, listener in stories.values():
            for message in story.until(hand.record):
                listener.hear(message)
            assert story.result(hand.record)["scores"] == hand.scores
            # To the end, also what happened after its last question.
            assert listener.discards == [format_all(hand, s) for s in range(4)]
    return met


def test_the_messages_add_up_to_the_table() -> None:
    met = listened(14, 24, 77)
    assert {"start", "deal", "exchanged", "draw", "flower", "move", "payment"} <= set(met), met
    assert {f"{name} turn" for name in RULE_SETS} <= set(met)


def test_moves_are_told_also_where_their_draws_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a walk (hands with more kongs than can be tried) discards, melds and flowers are still told whole."""
    monkeypatch.setattr("mjsim.agents.external_story._MAX_WALKS", 0)
    monkeypatch.setattr(
        Listener, "hand", property(lambda self: Counter(self.shown), lambda self, value: None), raising=False
    )
    monkeypatch.setattr(Listener, "wall", property(lambda self: None, lambda self, value: None), raising=False)
    check = Listener.check

    def check_but_own(self: Listener, asked: Message) -> None:
        self.shown = parse_tiles(asked["table"]["hand"])
        check(self, asked)

    monkeypatch.setattr(Listener, "shown", (), raising=False)
    monkeypatch.setattr(Listener, "check", check_but_own)
    assert listened(10, 10, 91)["move"] > 500


def format_all(hand: mjsim.Hand, seat: int) -> str:
    n = int(hand.record["n_discards"])
    pairs = zip(hand.record["discarder"][:n], hand.record["discards"][:n], strict=True)
    return "".join(format_tiles([int(kind)]) for who, kind in pairs if who == seat)


def told(
    wall: list[int], hand: mjsim.Hand, texts: list[tuple[int, str]], upto: int
) -> tuple[list[str], list[bytes]] | None:
    """All that `hand.seat` is told up to decision `upto` on a wall, and what it saw each time; None where it goes otherwise."""
    record = hand.record
    flags = hand.rules.flags
    copy = mjsim.Hand(
        hand.rules, wall=wall, dice=record["dice"].tolist(),
        pairings=record["pairings"].tolist() if flags["exchange"] else None, dealer=int(record["dealer"]),
        streak=int(record["streak"]), prevailing=int(record["prevailing"]), east=int(record["east"]),
        hand=int(record["hand"]), carry={"pool": int(record["pool"])} if flags["draw_pool"] else None,
    )  # fmt: skip
    seat, story, messages, saw = hand.seat, None, [], []
    for number in range(upto + 1):
        if copy.over or (number < upto and copy.seat != texts[number][0]) or (number == upto and copy.seat != seat):
            return None
        if copy.seat == seat:
            now = copy_records(copy._array)[0]
            story = story or Story(now, copy.rules, seat)
            messages += [json.dumps(m) for m in (*story.until(now), question(now, copy.rules, seat))]
            seen = np.zeros((N_ROWS, 34), np.int8)
            observe_calls()[0](copy._address, copy.rules.address, seat, seen.ctypes.data, 1)
            saw.append(seen.tobytes())
        if number < upto:
            if texts[number][1] not in copy.legal():
                return None
            copy.apply(texts[number][1])
    return messages, saw


def test_nothing_hidden_is_told() -> None:
    """Two hands that differ in tiles that the seat cannot see are told to it in the same words, from the deal on."""
    rng = random.Random(12)
    compared: Counter[str] = Counter()
    for _, steps in [*rich_games(14, 41), *rich_games(14, 42, FAMILIES)]:
        kept = [(hand.copy(), len(hand.decisions)) for hand in steps]
        if not kept:
            continue  # over on the deal
        texts = kept[-1][0].decisions
        for hand, upto in kept[4::9]:
            wall = hand.record["wall"].tolist()
            own = told(wall, hand, texts, upto)
            assert own is not None
            for _ in range(6):
                i, j = rng.sample(range(144), 2)
                if wall[i] == wall[j] or max(wall[i], wall[j]) >= 34:  # flowers are seen
                    continue
                other = list(wall)
                other[i], other[j] = other[j], other[i]
                try:
                    found = told(other, hand, texts, upto)
                except mjsim.MjsimError:
                    continue
                if found is None or found[1] != own[1]:
                    continue  # it goes otherwise, or the seat sees the difference
                assert found[0] == own[0]
                head, tail = int(hand.record["head"]), int(hand.record["tail"])
                compared["dealt" if not (head <= i < tail and head <= j < tail) else "undealt"] += 1
    assert compared["dealt"] > 30 and compared["undealt"] > 30, compared


def test_a_start_tells_nothing_of_the_seed() -> None:
    def opening(seed: int, match: int) -> list[str]:
        wall = mjsim.Hand("douque-american", seed=3).record["wall"].tolist()
        hand = mjsim.Hand(
            "douque-american", seed=seed, match=match, wall=wall, dice=[1, 2, 3], pairings=[[1, 2, 3, 0]] * 2
        )
        return [json.dumps(m) for m in Story(hand.record, hand.rules, hand.seat).until(hand.record)]

    assert opening(3, 0) == opening(99, 7)
    assert json.loads(opening(3, 0)[0])["protocol"] == "mjsim-agent/1"


def test_what_is_played_for_a_silent_agent_never_wins() -> None:
    wins = 0
    for _, steps in rich_games(30, 5):
        for hand in steps:
            action = next(passive(hand.record))
            assert action in hand.legal()
            if "win" in hand.legal() or "flower_win" in hand.legal():
                wins += 1
                assert action not in ("win", "flower_win")
            if hand.phase == "claim":
                assert action == "pass"
    assert wins > 20


# --- at the table ---------------------------------------------------------------------------------------------------


def test_the_example_finishes_an_evaluation() -> None:
    result = evaluate.run([EXAMPLE, "random"], sets=4)
    assert result["faults"] == []
    assert (
        result["contestants"][0]["measures"]["score"]["value"] > result["contestants"][1]["measures"]["score"]["value"]
    )


@pytest.mark.parametrize("rules", RULE_SETS)
def test_the_example_plays_every_rule_set(rules: str) -> None:
    found = execute(make_plan(rules, [EXAMPLE, "heuristic", "greedy", "random"], 6, 2, match_hands=6), None, 1)
    assert faults_of(table.schema for table in found) == []


def test_a_program_is_told_hands_whole(tmp_path: Path) -> None:
    """One program plays all hands of its seat; each begins with `start` and ends with its result."""
    log = tmp_path / "log"
    rows = [
        row
        for table in execute(make_plan("hk16", [bot("log", log), "greedy", "greedy", "greedy"], 5, 1, 5), None, 1)
        for row in table.to_pylist()
    ]
    messages = [json.loads(line) for line in log.read_text().splitlines()]
    assert [m["type"] for m in messages].count("start") == 5
    assert [m["scores"] for m in messages if m["type"] == "end"] == [
        [row[f"score_{s}"] for s in range(4)] for row in rows
    ]
    assert messages[-1]["type"] == "end" and messages[0]["type"] == "start"
    assert "seed" not in messages[0] and not any("wall" in m for m in messages)


#: Mode of the program, and what is said of it.
FAULTS = {
    "illegal": r"answered 'discard 9f', which is not legal here \(legal: ",
    "text": "answered 'discard 5m', which is not JSON",
    "list": r"""answered '\["discard 5m"\]', which is not {"action": "..."}""",
    "late": "gave no answer within 2 s",
    "crash": "ended with exit code 1; its last line on stderr: ValueError: I cannot play this",
    "exit": "ended with exit code 0",
    "closes": "closed its output",
    "endless": "answered with more than 65536 bytes: 'xxxx",
    "twice": "answered 'nothing', which is not legal",
    "bytes": "which is not JSON",
    "deep": "which is not JSON",
}


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "count"
    monkeypatch.setenv("MJSIM_BOT_COUNT", str(path))
    return path


def play_alone(agent: agents.Agent, n: int) -> list[dict[str, Any]]:
    """Play n hands, each a match of its own, with the agent in seat 0; returns the transcript lines."""
    rules = mjsim.rules("douque-american").ready()
    players = Players([agent, *(agents.make("greedy") for _ in range(3))])
    lines = []
    for match in range(n):
        hands, logs = np.zeros(1, HAND), np.zeros((1, MAX_DECISIONS), DECISION)
        play_one_match(rules, players, 3, match, hands, 0, False, logs)
        lines.append(json.loads(transcript_text(hands[0], rules, 3, logs[0], False)))
    players.close()
    return lines


def test_every_fault_is_reported_and_costs_its_hand_alone(counted: Path) -> None:
    """Every third hand the agent breaks the rules, each time in another way; all other hands are played as without."""
    n = 3 * len(FAULTS)
    agent = agents.make(bot("each", 0, options="limit=2:"))
    lines = play_alone(agent, n)
    faults = agent.take_faults()
    sound = play_alone(agents.make(bot("plain")), n)
    assert [fault["match"] for fault in faults] == list(range(0, n, 3))
    for mode, fault in zip(FAULTS, faults, strict=True):
        assert re.search(FAULTS[mode], fault["text"]), (mode, fault["text"])
        assert fault["legal"] and (fault["hand"], fault["seat"], fault["decision"]) == (0, 0, 0)
    for number, (line, wanted) in enumerate(zip(lines, sound, strict=True)):
        if number % 3:
            assert line == wanted
        else:
            assert line != wanted
            assert all(settlement["winner"] != 0 for settlement in line["settlements"])
            assert not [
                text
                for seat, text in line["decisions"]
                if seat == 0 and text.startswith(("chow", "pung", "kong", "win"))
            ]
    assert int(counted.read_text()) == n  # programs that were started anew played on


def test_evaluate_reports_a_fault_and_counts_the_other_hands(counted: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    def hands(name: str, agent: str) -> list[dict[str, Any]]:
        evaluate.run([agent, "greedy", "greedy:exchange=4", "random"], sets=2, out=tmp_path / name)
        return pq.read_table(tmp_path / name / "sets.parquet").to_pylist()

    agent = bot("crash", 19)  # the 20th hand: after 16 of the A/A check the 4th of the comparison
    rows, sound = hands("faulty", agent), hands("sound", bot("plain"))
    result = json.loads((tmp_path / "faulty" / "result.json").read_text())
    assert [(entry["agent"], entry["hands"]) for entry in result["faults"]] == [(agent, 1)]
    assert rows[:3] == sound[:3] and rows[3] != sound[3] and rows[4:] == sound[4:]
    assert evaluate_report.lines(result)[3].startswith(
        f"agent {agent!r} broke the rules in 1 hand, played on for it by passing and discarding; first: match 0, hand 1, seat 3, "
    )


def test_faults_of_workers_are_reported(counted: Path) -> None:
    result = evaluate.run([bot("illegal", 5), "greedy"], sets=3, workers=2)
    assert result["faults"][0]["hands"] == 1


def test_an_agent_that_never_plays_by_the_rules_ends_the_run(counted: Path) -> None:
    agent = f"external:{sys.executable} -c \"print('no', flush=True); input()\""
    with pytest.raises(
        mjsim.MjsimError, match=f"broke the rules in each of its first {FIRST_HANDS} hands; the last time"
    ):
        execute(make_plan("douque-american", [agent, "greedy", "greedy", "greedy"], 50, 1), None, 1)


def test_a_program_that_cannot_run_ends_the_run_with_what_it_said() -> None:
    agent = f"external:{sys.executable} no_such_file.py"
    with pytest.raises(mjsim.MjsimError, match=r"ended with exit code 2; its last line on stderr: .*can't open file"):
        execute(make_plan("douque-american", [agent, "greedy", "greedy", "greedy"], 50, 1), None, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("external", "a command is needed"),
        ("external:", "a command is needed"),
        ("external:no_such_command_here x", "there is no command 'no_such_command_here'"),
        ("external:limit=soon:python x", "limit=soon is no number of seconds"),
        ("external:limit=0:python x", "limit=0 is no number of seconds above 0"),
        ("external:start=nan:python x", "start=nan is no number of seconds above 0"),
        ("external:python 'x", "the command cannot be read: No closing quotation"),
    ],
)
def test_a_text_that_names_no_program_is_refused(text: str, message: str) -> None:
    with pytest.raises(mjsim.UsageError, match=message):
        agents.make(text)


def test_options_stand_before_the_command() -> None:
    agent = agents.make(f"external:limit=2:start=9:{sys.executable} -c 'a:b=c,d'")
    assert (agent.limit, agent.start, agent.command) == (2, 9, [sys.executable, "-c", "a:b=c,d"])


def test_a_program_that_fills_stderr_does_not_block() -> None:
    found = execute(make_plan("douque-taiwanese", [bot("noisy"), "greedy", "greedy", "greedy"], 2, 1), None, 1)
    assert faults_of(table.schema for table in found) == []


def test_external_agents_sit_in_environments_and_act(counted: Path) -> None:
    import gymnasium

    import mjsim.envs

    opponent = agents.make(bot("illegal", 1))
    env = gymnasium.make("mjsim/Solo-v0", opponents=[opponent, "greedy", "greedy"])
    for seed in range(4):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            _, _, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert [fault["match"] for fault in opponent.take_faults()] == [0] and opponent.take_faults() == []
    assert int(counted.read_text()) == 4
    opponent.close()

    seat = agents.make(bot("plain"), rules="house16")
    hand = mjsim.Hand("house16", seed=1)
    observe, _, legal_mask = observe_calls()
    for _ in range(30):
        seen, mask = np.zeros((N_ROWS, 34), np.int8), np.zeros(N_ACTIONS, np.int8)
        observe(hand._address, hand.rules.address, hand.seat, seen.ctypes.data, 1)
        legal_mask(hand._address, hand.seat, mask.ctypes.data)
        action = seat.act(seen, mask)
        assert mjsim.actions.format_action(action, int(hand.record["claim_tile"])) == hand.legal()[0]
        hand.apply(action)
    seat.close()


def test_many_tables_at_once_are_refused() -> None:
    import mjsim.envs

    agent = agents.make(bot("plain"))
    with pytest.raises(mjsim.MjsimError, match="plays more than 16 seats at once"):
        mjsim.envs.VectorEnv(40, agents={1: agent, 2: agent})
    agent.close()


# --- no process is left -----------------------------------------------------------------------------------------------


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and is waited for by nobody does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def all_gone(pids: list[int]) -> bool:
    for _ in range(200):
        if not any(map(alive, pids)):
            return True
        time.sleep(0.05)
    return False


def pids_in(path: Path, n: int) -> list[int]:
    return (
        [int(line) for line in path.read_text().split()] if path.exists() and len(path.read_text().split()) >= n else []
    )


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
@pytest.mark.parametrize("mode", ["pid", "family"])
def test_no_program_is_left_after_a_run(mode: str, tmp_path: Path) -> None:
    """Also not one that goes on when its input is closed, nor what a program has started itself."""
    execute(make_plan("douque-american", [bot(mode, tmp_path / "pids"), "greedy", "greedy", "greedy"], 2, 1), None, 1)
    pids = pids_in(tmp_path / "pids", 1)
    assert pids and all_gone(pids)


def started(path: Path, workers: int) -> Iterator[tuple[subprocess.Popen[bytes], list[int]]]:
    """A run whose programs hang, and their processes."""
    agent = bot("stubborn", path, options="limit=600:start=600:")
    words = ["simulate", "--agents", f"{agent},greedy,greedy,greedy", "-n", "9000", "--workers", str(workers)]
    run = subprocess.Popen([sys.executable, "-m", "mjsim", *words], cwd=ROOT, start_new_session=True,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
                           stderr=subprocess.PIPE)  # fmt: skip
    try:
        for _ in range(1200):
            if pids := pids_in(path, workers):
                break
            assert run.poll() is None
            time.sleep(0.05)
        yield run, pids
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
        run.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="a process dies with its parent on Linux alone")
def test_no_program_is_left_when_the_run_is_killed(tmp_path: Path) -> None:
    for run, pids in started(tmp_path / "pids", 2):
        assert pids
        run.kill()
        run.wait()
        assert all_gone(pids)


def test_ctrl_c_ends_a_run_that_waits_for_a_program(tmp_path: Path) -> None:
    for run, pids in started(tmp_path / "pids", 1):
        os.killpg(run.pid, signal.SIGINT)
        _, said = run.communicate(timeout=60)
        assert run.returncode == 130 and b"mjsim: stopped" in said
        assert all_gone(pids)


# --- the page -------------------------------------------------------------------------------------------------------

DOC = ROOT / "docs" / "external-agents.md"
BEGIN, END = "<!-- generated: python -m tests.test_external -->", "<!-- end -->"


def example() -> str:
    """What is said between mjsim and the example program: the beginning and the end of a hand."""
    program = Program([sys.executable, str(ROOT / "examples" / "external_bot.py")])
    rules = mjsim.rules("douque-taiwanese")
    hand = mjsim.Hand(rules, seed=8, match=4, hand=1, dealer=1)
    greedy = agents.make("greedy")
    answer = greedy.policy.python()
    seat, story, lines = 2, None, []
    while not hand.over:
        record = copy_records(hand._array)
        if hand.seat != seat:
            hand.apply(answer(record.ctypes.data, rules.address, greedy.parameters_address))
            continue
        story = story or Story(record[0], rules, seat)
        asked = question(record[0], rules, seat)
        lines += [f"> {json.dumps(message)}" for message in story.until(record[0])]
        said = program.ask(json.dumps(asked), 30)
        if len(lines) > 4:  # once whole
            asked["table"] = {"hand": asked["table"]["hand"], "drawn": asked["table"]["drawn"], "...": "..."}
        lines += [f"> {json.dumps(asked)}", f"< {said}"]
        hand.apply(json.loads(said)["action"])
    lines += [f"> {json.dumps(message)}" for message in (*story.until(hand.record), story.result(hand.record))]
    program.close()
    return "\n".join(["```", *lines[:22], "...", *lines[-6:], "```"])


def test_the_page_shows_what_is_said() -> None:
    found = DOC.read_text().partition(BEGIN)[2].partition(END)[0].strip()
    assert found == example(), "write it anew: python -m tests.test_external"


if __name__ == "__main__":
    before, _, rest = DOC.read_text().partition(BEGIN)
    DOC.write_text(f"{before}{BEGIN}\n\n{example()}\n\n{END}{rest.partition(END)[2]}")


def test_a_study_with_an_agent_that_breaks_the_rules_is_refused(
    counted: Path,
) -> None:
    """What it measures would not be that agent's play."""
    four = [bot("illegal", 1), "greedy", "greedy", "greedy"]
    with pytest.raises(MjsimError, match=r"broke the rules: .*not legal here"):
        dice.run("douque-american", four, walls=20, adapt="none", workers=1)
    counted.unlink()
    with pytest.raises(MjsimError, match=r"broke the rules: .*not legal here"):
        rules_study.run("douque-american", agents=four, compare="none", walls=4, workers=1)
