"""The `mjsim` command: what it prints, where, and its exit codes (0 done, 1 a failure, 2 a wrong argument, 130 Ctrl-C)."""

from __future__ import annotations

import io
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest
from rich.cells import cell_len

import mjsim
from mjsim import cli, cli_common, show, view
from mjsim.ruleset.flags import FLAGS
from tests.rich_hands import rich_hands

ROOT = Path(__file__).parent.parent
GOLDEN = Path(__file__).parent / "golden"
NAMES = ["douque-american", "douque-taiwanese", "four-winds", "hk16", "house16"]
FLAG_NAMES = {flag.name for flag in FLAGS}
HANDS = GOLDEN / "douque-american.hands.jsonl"
POSITIONS = GOLDEN / "douque-american.positions.jsonl"


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The one line on stderr, a first-run notice aside."""
        lines = [line for line in self.err.splitlines() if "first run" not in line]
        assert len(lines) == 1, self.err
        assert lines[0].startswith("mjsim: ")
        return lines[0]


Mjsim = Callable[..., Ran]


@pytest.fixture
def mjsim_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Mjsim:
    """The entry point with these arguments, in this process."""
    monkeypatch.delenv("COLUMNS", raising=False)  # a test that wants a width sets it itself

    def run(*arguments: Any, stdin: str | None = None) -> Ran:
        monkeypatch.setattr(sys, "argv", ["mjsim", *map(str, arguments)])
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            cli.main()
        told = capsys.readouterr()
        return Ran(int(stop.value.code or 0), told.out, told.err)

    return run


def in_process(*arguments: str, stdin: str | None = None) -> Ran:
    """The same in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-m", "mjsim.cli", *arguments],
        cwd=ROOT,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


# --- wrong arguments ------------------------------------------------------------------------------------------------

WRONG: list[tuple[str, str]] = [
    # arguments, what the line must say
    ("simulate --rules douque-amerian", "did you mean 'douque-american'"),
    ("simulate --rules nothing", "unknown rules 'nothing'"),
    ("simulate --agents greedi", "did you mean 'greedy'"),
    ("simulate --agents greedy,random", "there are four seats"),
    ("simulate --agents greedy:exchange=x", "is no parameter=number"),
    ("simulate --agents greedy:speed=1", "unknown parameter 'speed'"),
    ("simulate --option min_ta=0", "did you mean 'min_tai'"),
    ("simulate --option min_tai", "name=value is needed"),
    ("simulate --option min_tai=4", "min_tai: 4 is not offered"),
    ("simulate --option min_tai=x", "min_tai: 'x' is no whole number"),
    ("simulate --option exchange=maybe", "neither on nor off"),
    ("simulate --option winners=some", "'some' is not one of"),
    ("simulate --option items.migy=3", "did you mean 'migi'"),
    ("simulate --option items.migi=-3", "items.migi"),
    ("simulate --option declare_ready=off", "migi"),
    ("simulate --hands 0", "hands: 0"),
    ("simulate --hands -5", "hands: -5"),
    ("simulate --hands many", "'--hands'"),
    ("simulate --hands 1.5", "'--hands'"),
    ("simulate --seed -1", "seed: -1"),
    ("simulate --seed x", "'--seed'"),
    ("simulate --workers 0", "workers"),
    ("simulate --workers two", "--workers 'two'"),
    ("simulate --match-hands 0", "match_hands"),
    ("simulate --match-hands half", "match_hands"),
    ("simulate --legal", "--legal: belongs to --transcripts"),
    ("simulate --legal --out somewhere", "--legal: belongs to --transcripts"),
    ("simulate --colour red", "--colour"),
    ("simulate stray", "stray"),
    ("simulte", "simulte"),
    ("rules douque", "unknown rules 'douque'"),
    ("rules douque-american --option x=1", "unknown option 'x'"),
    ("rules --option min_tai=0", "belongs to one rule set"),
    ("rules hk61", "did you mean 'hk16'"),
    ("rules house16 --option items.flower=1,2", "'1,2' is not one whole number of 0-1000"),
    ("rules hk16 --option items.nico_nico=40,50", "'40,50' is not 3 whole numbers, one for each grade"),
    ("simulate --rules four-winds --option dice_bonus=on", "dice_bonus, which four-winds has not"),
    ("study dice --rules four-winds", "rules: four-winds has no dice bonus to study; these have: douque-american"),
    ("study dice --rules hk16", "rules: hk16 has no dice bonus to study"),
    ("study dice --rules house16", "rules: house16 has no dice bonus to study"),
    ("study dice --rules douque-taiwanese", "dice_bonus: off in douque-taiwanese"),
    ("study dice --adapt gredy", "did you mean 'greedy'"),
    ("study dice --adapt-walls 1", "adapt_walls: 1 is no whole number of 2-"),
    ("study rules --vary min_tai", "vary: 'min_tai' is not name=value,value"),
    ("study rules --vary min_tai=0,4", "option min_tai: 4 is not offered (0, 2, 3 or 5)"),
    ("study rules --rules hk16", "default grid needs a dice bonus, which hk16 has not"),
    ("study rules --out README.md --walls 4", "README.md"),
    ("score does-not-exist.jsonl", "does-not-exist.jsonl"),
    ("score tests", "tests"),
    ("replay", "'file'"),
    ("replay does-not-exist.jsonl", "does-not-exist.jsonl"),
    ("replay tests", "tests"),
    (f"replay {HANDS} --hand 0", "--hand 0"),
    (f"replay {HANDS} --hand 99", "has no line 99"),
    (f"replay {HANDS} --hand x", "'--hand'"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG, ids=[entry[0].split("/")[0] for entry in WRONG])
def test_a_wrong_argument_gets_one_line_and_code_2(
    arguments: str, said: str, mjsim_command: Mjsim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    ran = mjsim_command(*arguments.split())
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.complaint
    assert not (ROOT / "somewhere").exists()


def test_the_same_in_a_process_of_its_own() -> None:
    ran = in_process("simulate", "--rules", "douque-amerian")
    assert ran.code == 2 and ran.out == "" and "did you mean" in ran.complaint


def test_an_unreadable_encoding_is_no_traceback(tmp_path: Path, mjsim_command: Mjsim) -> None:
    path = tmp_path / "latin.jsonl"
    path.write_bytes(b"\xff\xfe{}\n")
    for verb in ("score", "replay"):
        ran = mjsim_command(verb, path)
        assert ran.code in (1, 2)
        assert ran.err == "" or "latin.jsonl" in ran.complaint


def test_help_and_no_arguments() -> None:
    for arguments in (["--help"], ["simulate", "-h"], ["score", "--help"], ["replay", "--help"], ["rules", "--help"]):
        ran = in_process(*arguments)
        assert ran.code == 0 and "Usage" in ran.out and ran.err == ""
    ran = in_process()
    assert ran.code in (0, 2) and "simulate" in ran.out + ran.err and "Traceback" not in ran.err


def test_version(mjsim_command: Mjsim) -> None:
    ran = mjsim_command("--version")
    assert ran == (0, f"mjsim {mjsim.__version__}\n", "")


# --- rules ----------------------------------------------------------------------------------------------------------


def test_rules_lists_the_rule_sets(mjsim_command: Mjsim) -> None:
    ran = mjsim_command("rules")
    assert ran.code == 0 and ran.err == ""
    assert [line.split()[0] for line in ran.out.splitlines()] == NAMES, "one line each"
    told = json.loads(mjsim_command("rules", "--json").out)
    assert list(told) == NAMES and all(told.values())
    assert all(told[line.split()[0]] in line for line in ran.out.splitlines())


@pytest.mark.parametrize("name", NAMES)
def test_rules_of_one(name: str, mjsim_command: Mjsim) -> None:
    made = mjsim.rules(name)
    ran = mjsim_command("rules", name)
    assert ran.code == 0 and ran.err == ""
    for text in (*made.flags, *made.item_ids, made.preset.source, made.fingerprint, *view.flower_names(made)):
        assert text in ran.out, text
    assert "*" not in ran.out, "nothing is changed"
    told = json.loads(mjsim_command("rules", name, "--json").out)
    assert told["name"] == name and told["flags"] == made.flags and told["fingerprint"] == made.fingerprint
    assert told["source"] == made.preset.source and told["options"] == {}
    assert {item: entry["tai"] for item, entry in told["items"].items()} == made.items
    assert {item: entry["note"] for item, entry in told["items"].items()} == {i.id: i.note for i in made.item_table}
    assert all(entry["name"] for entry in told["items"].values())
    assert told["preset"] == {"fingerprint": made.fingerprint, "flags": made.flags, "items": made.items}
    assert {flag: entry["meaning"] for flag, entry in told["meanings"].items()} == {f.name: f.meaning for f in FLAGS}
    for flag, entry in told["meanings"].items():
        value, allowed = made.flags[flag], entry["allowed"]
        if entry["kind"] == "number" and flag not in made.preset.offered:
            assert allowed[0] <= value <= allowed[1]
        else:
            assert value in allowed


@pytest.mark.parametrize("name", NAMES)
def test_a_graded_item_says_what_its_grades_are(name: str) -> None:
    graded = [item for item in mjsim.rules(name).item_table if len(item.tai) > 1]
    assert all("grades: " in item.note for item in graded)
    assert (len(graded) > 10) == (name == "hk16") and (graded == []) == (name in ("four-winds", "house16"))


def test_flags_are_grouped_as_their_module_groups_them() -> None:
    """The headings of the table are the comments over the flags."""
    text = (ROOT / "mjsim" / "ruleset" / "flags.py").read_text()
    wanted: list[tuple[str, list[str]]] = []
    for line in text[text.index("FLAGS = (") : text.index("BY_NAME")].splitlines():
        if line.startswith("    # "):
            wanted.append((line[6:], []))
        elif line.startswith('    Flag("'):
            wanted[-1][1].append(line.split('"')[1])
    assert [(group, [flag.name for flag in flags]) for group, flags in show.grouped()] == wanted
    assert len(wanted) == 7


def test_the_rules_page_has_the_flags_in_which_the_presets_differ() -> None:
    """docs/rules.md: one row for each flag that is not the same in all rule sets, and no other."""
    text = (ROOT / "docs" / "rules.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("| `") and line.split("`")[1] in FLAG_NAMES]
    values = {f.name: [show.value_text(mjsim.rules(name).flags[f.name]) for name in NAMES] for f in FLAGS}
    assert rows == [f"| `{flag}` | {' | '.join(v)} |" for flag, v in values.items() if len(set(v)) > 1]
    assert "| flag | " + " | ".join(f"`{name}`" for name in NAMES) + " |" in text
    for name in NAMES:
        assert f"| `{name}` | {mjsim.rules(name).preset.source} | " in text


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", NAMES)
def test_rules_are_readable_at_this_width(
    name: str, width: int, mjsim_command: Mjsim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is cut off or wider than the terminal, and each flag and item stands at the begin of a line."""
    monkeypatch.setenv("COLUMNS", str(width))
    made = mjsim.rules(name)
    out = mjsim_command("rules", name, "-o", "winners=nearest").out
    assert "…" not in out
    lines = out.splitlines()
    assert max(cell_len(line) for line in lines) <= width
    first = [line.split()[0] for line in lines if line[:2].strip()]  # lines that go on are further in
    table = first.index("Tai")
    assert [word for word in first[:table] if word in made.flags] == list(made.flags)
    assert [word for word in first[table:] if word in made.items] == list(made.items)
    words = " ".join(out.split())
    for flag in ("match_ends", "kept_back"):
        meaning = next(f.meaning for f in FLAGS if f.name == flag)
        assert all(word in words for word in meaning.split())
    for item in made.item_table:
        assert all(word in words for word in item.note.split()), item.id


def test_a_minimum_by_round_is_told(mjsim_command: Mjsim) -> None:
    hk16 = mjsim_command("rules", "hk16").out
    assert "minimum: 20 in the East round, 22 in the South round, 24 in the West round, 26 in the North round" in hk16
    assert json.loads(mjsim_command("rules", "hk16", "--json").out)["minimum"] == {
        "1z": 20,
        "2z": 22,
        "3z": 24,
        "4z": 26,
    }
    assert "minimum: 3 tai\n" in mjsim_command("rules", "douque-american").out
    assert "minimum: none\n" in mjsim_command("rules", "house16").out
    assert "minimum: 5 tai\n" in mjsim_command("rules", "house16", "-o", "min_tai=5").out


def test_rules_with_options(mjsim_command: Mjsim) -> None:
    told = json.loads(mjsim_command("rules", "douque-american", "-o", "min_tai=0", "-o", "items.migi=5", "--json").out)
    assert told["options"] == {"min_tai": 0, "items": {"migi": 5}}
    assert told["flags"]["min_tai"] == 0 and told["items"]["migi"]["tai"] == 5
    assert told["preset"]["flags"]["min_tai"] == 3 and told["preset"]["items"]["migi"] == 8
    assert told["fingerprint"] == mjsim.rules("douque-american", min_tai=0, items={"migi": 5}).fingerprint
    assert told["preset"]["fingerprint"] == mjsim.rules("douque-american").fingerprint != told["fingerprint"]


def test_changed_options_are_marked_with_the_presets_value(mjsim_command: Mjsim) -> None:
    options = ("-o", "items.straight=8", "-o", "winners=all", "-o", "dealer_tai=off", "-o", "min_tai=0")
    out = mjsim_command("rules", "house16", *options).out
    marked = [line.split() for line in out.splitlines() if " * " in line]
    assert [line[:3] for line in marked] == [
        ["winners", "*", "all"],
        ["dealer_tai", "*", "off"],
        ["straight", "*", "8"],
    ]
    for before in ("(preset nearest)", "(preset on)", "(preset 4)"):
        assert out.count(before) == 1
    assert "(* is changed from the preset)" in out
    graded = mjsim_command("rules", "hk16", "-o", "items.seven_flowers=1,2,3,4").out
    assert "* 1,2,3,4" in graded and "(preset 20,22,24,26)" in graded and graded.count(" * ") == 1
    told = json.loads(mjsim_command("rules", "hk16", "-o", "items.seven_flowers=1,2,3,4", "--json").out)
    assert told["items"]["seven_flowers"]["tai"] == [1, 2, 3, 4]
    assert told["preset"]["items"]["seven_flowers"] == [20, 22, 24, 26]


# --- score ----------------------------------------------------------------------------------------------------------


def positions(path: Path = POSITIONS) -> tuple[list[str], list[dict[str, Any]]]:
    """Worked positions as lines, and their answers."""
    told = [json.loads(line) for line in path.read_text().splitlines()]
    return [json.dumps(entry["position"]) for entry in told], [entry["answer"] for entry in told]


def test_score_from_file_and_from_standard_input(tmp_path: Path, mjsim_command: Mjsim) -> None:
    lines, answers = positions()
    text = "\n".join(lines) + "\n"
    path = tmp_path / "positions.jsonl"
    path.write_text(text)
    file = mjsim_command("score", path)
    assert file.code == 0 and file.err == ""
    assert [json.loads(line) for line in file.out.splitlines()] == answers
    for arguments in (["score"], ["score", "-"]):
        assert mjsim_command(*arguments, stdin=text) == file
    assert in_process("score", stdin=text) == file
    assert answers == [mjsim.score(json.loads(line)) for line in lines]


def test_positions_of_all_rule_sets_in_one_file(mjsim_command: Mjsim) -> None:
    """Lines of several rule sets one after another, each answered by its own scorer."""
    sets = [positions(GOLDEN / f"{name}.positions.jsonl") for name in NAMES]
    n = min(len(lines) for lines, _ in sets)
    assert n >= 10
    lines = [lines[i] for i in range(n) for lines, _ in sets]
    answers = [answers[i] for i in range(n) for _, answers in sets]
    ran = mjsim_command("score", stdin="\n".join(lines) + "\n")
    told = [json.loads(line) for line in ran.out.splitlines()]
    assert told == answers


@pytest.mark.parametrize("name", NAMES)
def test_worked_positions_of_each_rule_set(name: str, mjsim_command: Mjsim) -> None:
    lines, answers = positions(GOLDEN / f"{name}.positions.jsonl")
    told = [json.loads(line) for line in mjsim_command("score", stdin="\n".join(lines) + "\n").out.splitlines()]
    assert told == answers


def test_a_bad_line_answers_and_the_rest_go_on(mjsim_command: Mjsim) -> None:
    good, wanted = positions()
    lines = [good[0], "{", good[1], "[]", '{"rules": "x"}', "", "null", good[2], json.dumps({"hand": 5}), good[3]]
    ran = mjsim_command("score", stdin="\n".join(lines) + "\n")
    assert ran.code == 1
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert len(answers) == len(lines) - 1, "blank lines are passed over, every other one answers"
    bad = [i for i, answer in enumerate(answers) if "error" in answer]
    assert bad == [1, 3, 4, 5, 7]
    assert all(list(answers[i]) == ["error"] and answers[i]["error"] for i in bad)
    assert [answers[i] for i in (0, 2, 6, 8)] == wanted[:4]


def test_no_positions_no_answers(mjsim_command: Mjsim) -> None:
    assert mjsim_command("score", stdin="") == (0, "", "")
    assert mjsim_command("score", stdin="\n \n") == (0, "", "")


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    """`mjsim score FILE | head -1`: no traceback."""
    path = tmp_path / "many.jsonl"
    path.write_text("".join(line + "\n" for line in positions()[0]) * 2000)
    process = subprocess.Popen(
        [sys.executable, "-m", "mjsim.cli", "score", str(path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    assert process.stdout.readline().startswith(b"{")
    process.stdout.close()
    told = process.stderr.read().decode()
    assert process.wait(60) != 0 and "Traceback" not in told and "Exception" not in told


# --- replay ---------------------------------------------------------------------------------------------------------


def test_replay_of_sound_hands(mjsim_command: Mjsim) -> None:
    n = len(HANDS.read_text().splitlines())
    assert mjsim_command("replay", HANDS) == (0, f"{n} hands replayed, no difference\n", "")
    assert mjsim_command("replay", HANDS, "--hand", 2) == (0, "1 hands replayed, no difference\n", "")
    told = json.loads(mjsim_command("replay", HANDS, "--json").out)
    assert told == {"hands": n, "differing": 0, "reports": []}


@pytest.mark.parametrize("name", NAMES)
def test_replay_and_show_of_each_rule_set(name: str, mjsim_command: Mjsim) -> None:
    path = GOLDEN / f"{name}.hands.jsonl"
    lines = path.read_text().splitlines()
    assert mjsim_command("replay", path) == (0, f"{len(lines)} hands replayed, no difference\n", "")
    shown = mjsim_command("replay", path, "--show")
    assert shown.code == 0 and shown.out.count("\nscores [") == len(lines)
    assert shown.out.count(f": {name} ") == len(lines)


def test_a_difference_is_code_1(tmp_path: Path, mjsim_command: Mjsim) -> None:
    lines = HANDS.read_text().splitlines()
    changed = json.loads(lines[1])
    changed["scores"][0] += 1
    path = tmp_path / "changed.jsonl"
    path.write_text("\n".join([lines[0], json.dumps(changed), lines[2][:300], lines[3]]) + "\n")
    ran = mjsim_command("replay", path)
    assert ran.code == 1 and ran.err == ""
    told = ran.out.splitlines()
    assert told[0].startswith("line 2: scores: ") and told[1].startswith("line 3: ") and "cut off" in told[1]
    assert told[2:] == ["4 hands replayed, 2 differ"]
    ran = mjsim_command("replay", path, "--json")
    told = json.loads(ran.out)
    assert ran.code == 1 and (told["hands"], told["differing"]) == (4, 2)
    assert [report["line"] for report in told["reports"]] == [2, 3]
    assert mjsim_command("replay", path, "--hand", 1).code == 0
    assert mjsim_command("replay", path, "--hand", 2).code == 1


def test_an_empty_file_is_refused(tmp_path: Path, mjsim_command: Mjsim) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text("\n\n")
    ran = mjsim_command("replay", path)
    assert ran.code == 2 and "holds no transcript" in ran.complaint


def test_show(tmp_path: Path, mjsim_command: Mjsim) -> None:
    ran = mjsim_command("replay", HANDS, "--show", "--hand", 3)
    assert ran.code == 0 and ran.err == ""
    assert ran.out.startswith("hand 3: douque-american") and "\nend: " in ran.out and ran.out.count("scores [") == 1
    everything = mjsim_command("replay", HANDS, "--show")
    assert everything.out.count("\nscores [") == len(HANDS.read_text().splitlines())
    assert ran.out in everything.out


@pytest.mark.parametrize("name", NAMES)
def test_a_shown_hand_tells_what_the_rule_set_has(name: str) -> None:
    """The minimum and pool it is played at, flowers and declarations in its own words, payments when they are made."""
    words, paid = set(), 0
    for number, hand in enumerate(rich_hands(25, 6, (name,)), 1):
        text = show.shown(json.loads(json.dumps(hand.transcript())), number)
        first, *lines = text.splitlines()
        record, rules = hand.record, hand.rules
        minimum = rules.flags["min_tai"] + rules.flags["min_tai_step"] * int(record["prevailing"])
        assert (f", minimum {minimum}, " in first) == (minimum > 0) == ("minimum" in first)
        assert (f", pool {record['pool']}, " in first) == rules.flags["draw_pool"] == ("pool" in first)
        instants = [s for s in hand.settlements if s["kind"] == "instant"]
        during = [line.removeprefix("  paid: ") for line in lines if line.startswith("  paid: ")]
        assert during == [view.settlement_text(s) for s in instants]
        paid += len(instants)
        table = lines[lines.index(f"end: {hand.end}") + 1 :][:4]
        for seat, line in enumerate(table):
            told = {word for word in ("ready", "MIGI", "original call", "closed") if word in line}
            assert bool(told) == bool(record["declared"][seat]) and len(told) < 2
            words |= told
            flowers = [view.flower_names(rules)[i] for i in range(8) if record["flowers"][seat] >> i & 1]
            assert (f"({', '.join(flowers)})" in line) if flowers else ("flowers" not in line)
        following = hand.next
        (told_next,) = (line for line in lines if line.startswith("next: "))
        if following is None:
            assert told_next == "next: none, the match is over"
        else:
            assert f"dealer seat {following['dealer']}, streak {following['streak']}" in told_next
            assert (
                (f"pool {following['carry']['pool']}" in told_next) if "carry" in following else "pool" not in told_next
            )
    declared = {"four-winds": {"original call"}, "hk16": {"closed"}, "house16": set()}
    assert words == declared.get(name, {"ready", "MIGI"})
    assert (paid > 0) == (name == "hk16")


def test_the_last_hand_of_a_match_is_shown_as_such() -> None:
    """`four-winds` 36: in the North round the deal of seat 3 is the last one, unless it keeps the deal."""
    seen = set()
    for hand in rich_hands(60, 8, ("four-winds",)):
        last = "next: none, the match is over" in show.shown(json.loads(json.dumps(hand.transcript())), 1)
        assert last == (hand.next is None)
        seen.add(last)
    assert seen == {True, False}
    following = {"dealer": 1, "streak": 0, "prevailing": "2z", "carry": {"pool": 40}}
    assert show.next_text(following) == "dealer seat 1, streak 0, round 2z, pool 40"


@pytest.mark.parametrize(
    ("winner", "payer", "item", "text"),
    [
        (0, None, "dice_triple", "seat 0 gets 5 from each other (dice_triple 5)"),
        (None, 3, "chasing", "seat 3 pays each other 5 (chasing 5)"),
        (None, None, "drawn_hand", "all four pay the pool 5 (drawn_hand 5)"),
        (2, None, "drawn_pool", "seat 2 gets 5 from the pool (drawn_pool 5)"),
    ],
)
def test_a_payment_during_play_says_who_pays_whom(winner: int | None, payer: int | None, item: str, text: str) -> None:
    payment = {"winner": winner, "kind": "instant", "from": payer, "items": [[item, 5]], "tai": 5}
    assert view.settlement_text(payment) == text


def test_showing_a_bad_line_is_code_1(tmp_path: Path, mjsim_command: Mjsim) -> None:
    """A bad line is a failure of the file, not a wrong argument; the line is named."""
    line = json.loads(HANDS.read_text().splitlines()[0])
    line["decisions"][0][1] = "win"
    for text in ("{\n", json.dumps(line) + "\n", json.dumps({**line, "wall": "1m"}) + "\n"):
        path = tmp_path / "bad.jsonl"
        path.write_text(text)
        ran = mjsim_command("replay", path, "--show")
        assert ran.code == 1, ran
        assert "line 1" in ran.complaint


# --- simulate -------------------------------------------------------------------------------------------------------


def test_simulate_prints_a_table(mjsim_command: Mjsim) -> None:
    ran = mjsim_command("simulate", "--hands", 64, "--agents", "greedy,random,greedy,random", "--workers", 1)
    assert ran.code == 0 and ran.err == ""
    assert "douque-american, seed 0" in ran.out and ran.out.count("greedy") == 2 and ran.out.count("random") == 2
    assert "64 hands in 4 matches" in ran.out


@pytest.mark.parametrize("name", NAMES)
def test_simulated_transcripts_of_each_rule_set_verify(name: str, tmp_path: Path, mjsim_command: Mjsim) -> None:
    out, path = tmp_path / "out", tmp_path / "hands.jsonl"
    agents = "greedy,greedy,random,greedy"
    ran = mjsim_command(
        "simulate",
        "-r",
        name,
        "-n",
        200,
        "-s",
        8,
        "-a",
        agents,
        "-w",
        1,
        "--out",
        out,
        "--transcripts",
        path,
        "--legal",
    )
    assert ran.code == 0 and ran.err == "" and f"{name}, seed 8" in ran.out and "200 hands in 13 matches" in ran.out
    assert mjsim_command("replay", path) == (0, "200 hands replayed, no difference\n", "")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    table = pd.read_parquet(out / "hands.parquet")
    for seat in range(4):
        assert table[f"score_{seat}"].tolist() == [told["scores"][seat] for told in lines]
    assert table["end"].tolist() == [told["end"] for told in lines]
    assert {told["rules"] for told in lines} == {name}


def test_simulate_as_json_is_one_object(mjsim_command: Mjsim) -> None:
    ran = mjsim_command("simulate", "-n", 40, "-s", 3, "-w", 1, "-r", "douque-taiwanese", "--json")
    told = json.loads(ran.out)
    assert ran.code == 0 and ran.err == "" and ran.out.count("\n") == 1
    assert told["hands"] == 40 and sum(told["ends"].values()) == 40 and len(told["seats"]) == 4
    table = mjsim.simulate("douque-taiwanese", "greedy", 40, 3)
    for seat in told["seats"]:
        assert seat["score"]["mean"] == pytest.approx(table[f"score_{seat['seat']}"].mean(), abs=1e-6)
    assert told["ends"]["draw"] == int((table["end"] == "draw").sum())


def test_simulate_writes_and_finds_its_files(tmp_path: Path, mjsim_command: Mjsim) -> None:
    out, lines = tmp_path / "out", tmp_path / "hands.jsonl"
    arguments = ["simulate", "-n", 30, "-w", 1, "--out", out, "--transcripts", lines, "--legal", "-o", "min_tai=0"]
    first = mjsim_command(*arguments)
    assert first.code == 0 and first.out.startswith(f"written: {out / 'hands.parquet'}, {lines}")
    before = (out / "hands.parquet").stat().st_mtime_ns
    again = mjsim_command(*arguments)
    assert again.code == 0 and again.err == ""
    assert again.out.startswith(f"finished before: {out / 'hands.parquet'}, {lines}")
    assert again.out.split("\n", 1)[1] == first.out.split("\n", 1)[1]
    assert (out / "hands.parquet").stat().st_mtime_ns == before
    assert len(pd.read_parquet(out / "hands.parquet")) == 30
    assert mjsim_command("replay", lines).out == "30 hands replayed, no difference\n"
    other = mjsim_command(*arguments, "--seed", 5)
    assert other.code == 2 and "its seed is 0, asked for is 5" in other.complaint


@pytest.mark.parametrize(
    ("rate", "told"), [(12345.6, "12,346 updates/s"), (1.0, "1 updates/s"), (0.04, "25.0 s each"), (0.9, "1.1 s each")]
)
def test_slow_work_is_told_by_what_each_takes(rate: float, told: str) -> None:
    assert cli_common.speed(rate, "updates") == told


def test_progress_in_a_log_is_plain_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mjsim_command: Mjsim
) -> None:
    """A line at most every ten seconds, on stderr, with done, wanted, rate and time left; no control characters."""
    from mjsim import batch

    monkeypatch.setattr(batch, "CHUNK_HANDS", 16)
    now = [0.0]

    def later() -> float:
        now[0] += 6.0
        return now[0]

    monkeypatch.setattr(cli_common.time, "monotonic", later)
    ran = mjsim_command("simulate", "-n", 96, "-w", 1, "--out", tmp_path / "out")
    assert ran.code == 0
    lines = ran.err.splitlines()
    assert 2 <= len(lines) <= 4
    for line in lines:
        done, of, rest = line.split(" ", 2)
        assert of == "of" and done.isdigit() and rest.startswith("96 hands, ") and "hands/s" in rest
        assert "\x1b" not in line and "\r" not in line
    assert "s left" in lines[-1] or lines[-1].startswith("96")
    quiet = mjsim_command("simulate", "-n", 96, "-w", 1, "--json")
    assert quiet.err == ""


# --- Ctrl-C ---------------------------------------------------------------------------------------------------------


def _heed_ctrl_c() -> None:
    """A shell that runs the tests in its background has them ignore Ctrl-C; what is tried here is a command at a terminal."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


_SMALL = "import sys, mjsim.batch as b; b.CHUNK_HANDS = 64; from mjsim.cli import main; main()"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_keeps_what_is_finished(workers: str, tmp_path: Path) -> None:
    """SIGINT to the whole foreground group, as a terminal sends it: one line, code 130, and the same command goes on."""

    def command(folder: Path) -> list[str]:
        return [
            sys.executable, "-c", _SMALL, "simulate", "--hands", "1500", "--workers", workers, "--seed", "2",
            "--out", str(folder / "out"), "--transcripts", str(folder / "t.jsonl"),
        ]  # fmt: skip

    folder = tmp_path / "stopped"
    process = subprocess.Popen(
        command(folder), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=_heed_ctrl_c,
    )  # fmt: skip
    until = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < until:
        if len(list((folder / "out" / "parts").glob("*.arrow"))) >= 2:
            break
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    ran = Ran(process.returncode, out, err)
    assert ran.code == 130 and ran.out == "", ran
    assert "the same command goes on" in ran.complaint
    kept = len(list((folder / "out" / "parts").glob("*.arrow")))
    assert 2 <= kept < 24 and not (folder / "out" / "hands.parquet").exists()
    for path in (folder, tmp_path / "whole"):
        done = subprocess.run(command(path), cwd=ROOT, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
    for name in ("out/hands.parquet", "t.jsonl"):
        assert (folder / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_ctrl_c_stops_at_once(tmp_path: Path) -> None:
    """No kernel call is longer than about half a second, so that Ctrl-C works at once, without files too."""
    process = subprocess.Popen(
        [sys.executable, "-m", "mjsim.cli", "simulate", "--hands", "2000000", "--workers", "1", "--out", str(tmp_path / "o")],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=_heed_ctrl_c,
    )  # fmt: skip
    until = time.monotonic() + 120
    while not list((tmp_path / "o").glob("parts/*.arrow")) and time.monotonic() < until and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert len(list((tmp_path / "o").glob("parts/*.arrow"))) < 100, "of 489 chunks: it went on playing"
    assert Ran(process.returncode, out, err).complaint and process.returncode == 130


# ---- studies -----------------------------------------------------------------------------------------------------------

STUDIES = {
    "dice": ("--walls", "40", "--adapt", "greedy"),
    "rules": ("--walls", "20", "--vary", "exchange=on,off", "--agents", "greedy", "--compare", "none"),
}


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_names_the_command_that_gives_its_numbers_again(mjsim_command: Mjsim, name: str) -> None:
    first = mjsim_command("study", name, *STUDIES[name], "--workers", "1", "--json")
    assert first.code == 0
    data = json.loads(first.out)
    assert data["command"].startswith(f"mjsim study {name} --rules douque-american ")
    words = shlex.split(data["command"])[1:]
    assert json.loads(mjsim_command(*words, "--workers", "1", "--json").out) == data


def test_a_study_says_what_it_wrote_and_when_it_was_finished_before(mjsim_command: Mjsim, tmp_path: Path) -> None:
    arguments = ("study", "rules", *STUDIES["rules"], "--workers", "1", "--out", tmp_path)
    assert mjsim_command(*arguments, "--json").code == 0
    again = mjsim_command(*arguments)
    assert again.code == 0
    assert again.out.startswith(f"finished before: {tmp_path}\n") and "±" in again.out
    assert f"written: {tmp_path / 'report.html'}" in again.out
