"""The study of choices: what is asked and counted, against a plain recount; statistics, going on after a stop, and its files."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import mjsim
from mjsim.actions import (
    CHOW_HIGH,
    CHOW_LOW,
    EXCHANGE,
    FLOWER_WIN,
    GIVE,
    KONG,
    OWN_KONG,
    PASS,
    PUNG,
    READY,
    START,
    WIN,
)
from mjsim.agents import registry
from mjsim.experiments import choices, choices_measures, choices_report, choices_tables, stats
from mjsim.experiments.choices_kernels import AT, CLASSES, COUNTERS, KINDS, N_COUNTERS, OFFERS
from mjsim.melds import KONG_CONCEALED, meld_tiles
from tests import naive

RULES = mjsim.rules("douque-american")


def _passive(mask: np.ndarray) -> int:
    """Passes and starts where it can, else the lowest number: the lowest tile, no declaration, no kong, no win."""
    return PASS if mask[PASS] else START if mask[START] else int(np.argmax(mask))


class Passive:
    def act(self, observation: np.ndarray, mask: np.ndarray) -> int:
        return _passive(mask)


class PassiveBatch(Passive):
    def act_batch(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return np.array([_passive(mask) for mask in masks])


class Cheat(Passive):
    def act_batch(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return np.full(len(masks), EXCHANGE)


class Broken:
    def act(self, observation: np.ndarray, mask: np.ndarray) -> int:
        raise ValueError("I cannot play this")


@pytest.fixture(scope="module", autouse=True)
def _registered() -> Iterator[None]:
    made = {"passive": Passive, "passive_batch": PassiveBatch, "cheat_batch": Cheat, "broken": Broken}
    for name, kind in made.items():
        registry.register(name, lambda text, given, kind=kind: kind())
    yield
    for name in made:
        del registry._FACTORIES[name]


def counted(a: str, b: str, n: int, rules: Any = RULES, seed: int = 5, first: int = 0) -> np.ndarray:
    return choices.Player(mjsim.rules(rules) if isinstance(rules, str) else rules, a, b, seed).play(first, n)


def totals(out: np.ndarray) -> dict[str, int]:
    return dict(zip(COUNTERS, out.sum(axis=0).tolist(), strict=True))


def run(**changed: Any) -> choices.ChoicesResult:
    return choices.run(**({"a": "greedy", "b": "heuristic", "hands": 120, "seed": 3, "workers": 1} | changed))


@pytest.fixture(scope="module")
def greedy_heuristic() -> np.ndarray:
    return counted("greedy", "heuristic", 120)


@pytest.fixture(scope="module")
def whole() -> choices.ChoicesResult:
    return run()


# ---- a plain recount ---------------------------------------------------------------------------------------------------


def _class(kind: int, seat: int, hand: mjsim.Hand) -> str:
    record = hand.record
    if kind >= 31:
        return "dragon"
    if kind >= 27:
        wind = kind - 27
        own = wind in ((seat - int(record["east"])) % 4, int(record["prevailing"]))
        return "own_wind" if own else "other_wind"
    return {1: "terminal", 9: "terminal", 2: "near_terminal", 8: "near_terminal"}.get(kind % 9 + 1, "middle")


def _lacking(counts: list[int]) -> int:
    """Tiles that lack for five sets and a pair, with any number of tiles; all targets are tried, kind by kind."""

    @cache
    def most(kind: int, two_back: int, one_back: int, sets: int, pair: int) -> int:
        if kind == 34:
            return 0 if sets == pair == 0 else -99
        best = -99
        for eyes in range(pair + 1):
            for pung in range(min(1, sets) + 1):
                for chows in range(sets - pung + 1 if kind < 27 and kind % 9 < 7 else 1):
                    copies = two_back + one_back + 3 * pung + 2 * eyes + chows
                    if copies <= 4:
                        rest = most(kind + 1, one_back, chows, sets - pung - chows, pair - eyes)
                        best = max(best, min(copies, counts[kind]) + rest)
        return best

    return 17 - most(0, 0, 0, 5, 1)


def _unseen(hand: mjsim.Hand, seat: int) -> list[int]:
    """Copies of each kind that a seat cannot see, from its hand, the discards that lie there and the melds."""
    record = hand.record
    left = [4 - int(n) for n in record["counts"][seat]]
    for i in range(int(record["n_discards"])):
        if record["discard_taken"][i] < 0:
            left[record["discards"][i]] -= 1
    for owner in range(4):
        for i in range(int(record["n_melds"][owner])):
            kind = int(record["meld_type"][owner, i])
            if kind != KONG_CONCEALED or owner == seat or not RULES.flags["concealed_kong_hidden"]:
                for tile in meld_tiles(kind, int(record["meld_tile"][owner, i])):
                    left[tile] -= 1
    return left


def _copies(hand: mjsim.Hand, seat: int, discard: int) -> int:
    """Unseen copies that win after a discard."""
    record = hand.record
    counts = record["counts"][seat].tolist()
    counts[discard] -= 1
    waits = naive.waits(counts, int(record["n_melds"][seat]), record["melded"][seat].tolist())
    unseen = _unseen(hand, seat)
    return sum(unseen[kind] for kind in waits)


def _recount(out: Counter, hand: mjsim.Hand, a: registry.Agent, b: registry.Agent) -> None:
    """Play a hand with b, ask a, and count in plain Python all that the study counts."""

    def asked(agent: registry.Agent, of: mjsim.Hand) -> int:
        assert agent.policy is not None
        return agent.policy.python()(of._array.ctypes.data, RULES.address, agent.parameters_address)

    def yes_no(name: str, mine: bool, theirs: bool) -> None:
        out[f"{name}.n"] += 1
        out[f"{name}.a"] += mine
        out[f"{name}.b"] += theirs
        out[f"{name}.both"] += mine and theirs

    def offer(name: str, takes: range | tuple[int, ...], mine: int, theirs: int, form: bool = False) -> None:
        yes_no(name, mine in takes, theirs in takes)
        same = (mine in takes) == (theirs in takes) and not (form and mine in takes and mine != theirs)
        out[f"{name}.same"] += same

    shown: set[int] = set()
    while not hand.over:
        record = hand.record
        seat, phase = int(record["seat"]), hand.phase
        counts = record["counts"][seat].tolist()
        if phase == "give":
            before, e = hand.copy(), int(record["round"])
            gifts = []
            for who, of in ((a, hand.copy()), (b, hand)):
                given = []
                for _ in range(3):
                    given.append(asked(who, of) - GIVE)
                    of.apply(GIVE + given[-1])
                gifts.append(given)
            common = sum((Counter(gifts[0]) & Counter(gifts[1])).values())
            out[f"gift{e}.n"] += 1
            out[f"gift{e}.common{common}"] += 1
            out["gift.n"] += 1
            out["gift.same"] += common == 3
            shanten = []
            for whose, given in zip("ab", gifts, strict=True):
                for kind in given:
                    out[f"gift{e}.{_class(kind, seat, before)}.{whose}"] += 1
                    out[f"gift{e}.paired.{whose}"] += counts[kind] > 1
                kept = list(counts)
                for kind in given:
                    kept[kind] -= 1
                shanten.append(_lacking(kept) - 1)
                out[f"gift{e}.shanten.{whose}"] += shanten[-1]
            for kind, n in enumerate(counts):
                out[f"gift{e}.{_class(kind, seat, before)}.held"] += n
                out[f"gift{e}.paired.held"] += n if n > 1 else 0
            less = (shanten[0] > shanten[1]) - (shanten[0] < shanten[1])
            out[f"gift{e}.{('equal', 'further', 'nearer')[less]}"] += 1
            continue
        mine, theirs = asked(a, hand), asked(b, hand)
        mask = hand.legal_mask()
        legal = set(np.flatnonzero(mask).tolist())
        kind = {"choice": "choice", "turn": "turn", "claim": "claim", "rob": "claim", "flower": "flower"}[phase]
        out[f"{kind}.n"] += 1
        out[f"{kind}.same"] += mine == theirs
        if legal & {WIN, FLOWER_WIN}:
            offer("win", (WIN, FLOWER_WIN), mine, theirs, form=True)
        elif phase == "choice":
            row = min(max(naive.shanten(counts, 0), 0), 6)
            yes_no(f"dealer.{row}", mine == EXCHANGE, theirs == EXCHANGE)
        elif phase == "claim":
            chows = tuple(range(CHOW_LOW, CHOW_HIGH + 1))
            if legal & set(chows):
                offer("chow", chows, mine, theirs, form=True)
            if PUNG in legal:
                offer("pung", (PUNG,), mine, theirs)
            if KONG in legal:
                offer("claimed_kong", (KONG,), mine, theirs)
                out["pung_instead.a"] += mine == PUNG
                out["pung_instead.b"] += theirs == PUNG
        else:
            kongs = [n for n in legal if OWN_KONG <= n < GIVE]
            for name, four in (("concealed_kong", True), ("added_kong", False)):
                some = tuple(n for n in kongs if (counts[n - OWN_KONG] == 4) == four)
                if some:
                    offer(name, some, mine, theirs, form=True)
            declares = range(READY, OWN_KONG)
            ready = [n - READY for n in legal if n in declares]
            if ready:
                no_claim = all(int(n) == 0 for n in record["n_melds"])
                migi = int(record["n_discards"]) < 8 and no_claim
                offer("migi" if migi else "ready", declares, mine, theirs)
                copies = {discard: _copies(hand, seat, discard) for discard in ready}
                best = max(copies.values())
                rows = {f"wait.{min((best + 1) // 2, 5)}", f"time.{min(int(record['n_discards']) // 8, 5)}"}
                for row in rows | ({"first_ready.0"} if seat not in shown else set()):
                    yes_no(row, mine in declares, theirs in declares)
                shown.add(seat)
                out["copies.a"] += copies.get(mine - READY, 0)
                out["copies.b"] += copies.get(theirs - READY, 0)
            if mine < OWN_KONG and theirs < OWN_KONG and not record["declared"][seat]:
                out["discard.n"] += 1
                out["discard.same"] += mine % 34 == theirs % 34
        hand.apply(theirs)


def test_a_plain_recount_agrees_on_everything():
    player = choices.Player(RULES, "greedy", "heuristic", 5)
    a, b = registry.make("greedy"), registry.make("heuristic")
    found = np.zeros(N_COUNTERS, np.int64)
    plain: Counter = Counter()
    for wall in range(12):
        found += player.play(wall, 1)[0]
        record = player.hands[0]
        standing = {name: int(record[name]) for name in ("dealer", "streak", "prevailing", "east")}
        _recount(plain, mjsim.Hand(RULES, seed=5, match=wall, hand=1, **standing), a, b)
    assert {name: n for name, n in plain.items() if n} == {
        name: n for name, n in zip(COUNTERS, found.tolist(), strict=True) if n
    }
    assert set(plain) <= set(COUNTERS)
    seen = {name for name, n in plain.items() if n}
    assert {"gift1.n", "ready.n", "chow.both", "pung.n", "win.n", "dealer.3.n", "first_ready.0.n"} <= seen, seen


# ---- what is asked and counted -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "rules"), [("heuristic", "douque-american"), ("random", "douque-american"), ("greedy", "four-winds")]
)
def test_an_agent_agrees_with_itself(agent, rules):
    out = counted(agent, agent, 30, rules)
    found = totals(out)
    for kind in (*KINDS, *OFFERS, "discard"):
        assert found[f"{kind}.n"] == found[f"{kind}.same"], kind
    for name in COUNTERS:
        if name.endswith(".a"):
            assert found[name] == found[name[:-1] + "b"], name
    assert found["gift0.n"] == (4 * 30 if rules == "douque-american" else 0)
    measured = choices_measures.Measured(stats.Sums.of(out))
    assert measured.row("agreement", "all").estimates["same"].value == 100
    for table in ("offers", "gifts", "dealer", "ready_by_wait"):
        for row in measured.tables[table]:
            if row.n:
                assert row.estimates["a"] == pytest.approx(row.estimates["b"])
                assert tuple(row.estimates["difference"]) == (0, 0, 0)


def test_greedy_and_heuristic_differ_and_the_counts_add_up(greedy_heuristic):
    out = greedy_heuristic
    found = totals(out)
    assert (out[:, AT["choice.n"]] == 1).all()
    assert (out[:, AT["gift.n"]] == out[:, AT["gift0.n"]] + out[:, AT["gift1.n"]]).all()
    second = sum(found[f"dealer.{i}.b"] for i in range(7))
    assert found["gift0.n"] == 4 * 120 and found["gift1.n"] == 4 * second
    assert found["gift.same"] == found["gift0.common3"] + found["gift1.common3"] < found["gift.n"]
    for e in range(2):
        n = found[f"gift{e}.n"]
        assert sum(found[f"gift{e}.common{i}"] for i in range(4)) == n
        assert sum(found[f"gift{e}.{less}"] for less in ("nearer", "equal", "further")) == n
        for whose in "ab":
            assert sum(found[f"gift{e}.{kind}.{whose}"] for kind in CLASSES) == 3 * n
    held = sum(found[f"gift0.{kind}.held"] for kind in CLASSES)
    assert held == 120 * (4 * 16 + 1)
    ready = found["ready.n"] + found["migi.n"]
    for rows, n in (("wait", 6), ("time", 6)):
        assert sum(found[f"{rows}.{i}.n"] for i in range(n)) == ready
        assert sum(found[f"{rows}.{i}.a"] for i in range(n)) == found["ready.a"] + found["migi.a"]
    assert 0 < found["first_ready.0.n"] <= ready
    for name in ("turn", "claim", "pung", "discard", "choice"):
        assert 0 < found[f"{name}.same"] < found[f"{name}.n"], name
    for offer in OFFERS:
        n, a, b, both, same = (found[f"{offer}.{what}"] for what in ("n", "a", "b", "both", "same"))
        assert both <= min(a, b) and max(a, b) <= n and a + b - both <= n
        assert same <= n - (a - both) - (b - both)


@pytest.mark.parametrize("agent", ["passive", "passive_batch"])
def test_an_agent_that_passes_and_gives_its_lowest_tiles(agent, greedy_heuristic):
    out = counted(agent, "heuristic", 120)
    found = totals(out)
    for offer in OFFERS:
        assert found[f"{offer}.a"] == found[f"{offer}.both"] == 0
        assert found[f"{offer}.same"] == found[f"{offer}.n"] - found[f"{offer}.b"]
    assert found["win.n"] > 0 and found["ready.n"] > 0 and found["pung.n"] > 0
    assert sum(found[f"dealer.{i}.a"] for i in range(7)) == 0
    # Its gift: the three lowest tiles of every seat as dealt.
    given: Counter = Counter()
    for wall in range(12):
        player = choices.Player(RULES, "greedy", "greedy", 5)
        player.play(wall, 1)
        record = player.hands[0]
        standing = {name: int(record[name]) for name in ("dealer", "streak", "prevailing", "east")}
        hand = mjsim.Hand(RULES, seed=5, match=wall, hand=1, **standing)
        for seat in range(4):
            counts = hand.record["counts"][seat].tolist()
            for kind in [k for k in range(34) for _ in range(counts[k])][:3]:
                given[f"gift0.{_class(kind, seat, hand)}.a"] += 1
                given["gift0.paired.a"] += counts[kind] > 1
    first = totals(out[:12])
    assert {name: n for name, n in first.items() if n and name in given} == {k: n for k, n in given.items() if n}
    # What B does, and is offered, does not depend on who else is asked.
    mine = [name for name in COUNTERS if name.endswith((".b", ".n", ".held")) and not name.startswith("discard")]
    columns = [AT[name] for name in mine]
    assert np.array_equal(out[:, columns], greedy_heuristic[:, columns])


def test_answers_in_batches_are_those_given_one_by_one():
    assert np.array_equal(counted("passive", "greedy", 20), counted("passive_batch", "greedy", 20))
    one, many = counted("greedy", "passive", 70), counted("greedy", "passive_batch", 70)  # more than are played at once
    assert np.array_equal(one, many) and one.sum() > 0
    assert totals(counted("passive_batch", "passive", 20))["turn.n"] > 0
    for a, b in (("passive_batch", "passive"), ("passive", "passive_batch"), ("passive_batch", "passive_batch")):
        found = totals(counted(a, b, 10))
        assert all(found[f"{kind}.n"] == found[f"{kind}.same"] for kind in KINDS)


def test_hands_are_the_same_in_calls_of_any_size(greedy_heuristic):
    parts = [counted("greedy", "heuristic", n, first=first) for first, n in ((0, 1), (1, 66), (67, 53))]
    assert np.array_equal(np.concatenate(parts), greedy_heuristic)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"a": "gredy"}, "did you mean 'greedy'"),
        ({"b": "heuristic:claim=x"}, "'claim=x' is no parameter=number"),
        ({"a": "checkpoint:"}, "checkpoint:PATH needs the path of a checkpoint"),
        ({"hands": 1}, "hands: 1 is no whole number of 2-"),
        ({"hands": 2.5}, "hands: 2.5"),
        ({"seed": -1}, "seed: -1"),
        ({"rules": "douque"}, "unknown rules 'douque'"),
        ({"workers": 0}, "workers: 0"),
        ({"a": "cheat_batch"}, f"agent 'cheat_batch': act_batch answered {EXCHANGE}, which is not legal"),
        ({"b": "cheat_batch"}, f"agent 'cheat_batch': act_batch answered {EXCHANGE}, which is not legal"),
        ({"a": "broken"}, "agent 'broken': ValueError: I cannot play this"),
        ({"b": "broken"}, "agent 'broken': ValueError: I cannot play this"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(changed, message):
    with pytest.raises(mjsim.MjsimError) as error:
        run(**({"hands": 4} | changed))
    assert message in str(error.value) and "\n" not in str(error.value)


# ---- statistics --------------------------------------------------------------------------------------------------------


def test_a_share_has_the_interval_of_hands_as_clusters(greedy_heuristic):
    measured = choices_measures.Measured(stats.Sums.of(greedy_heuristic))
    row = measured.row("offers", "pung")
    n, a, b = (greedy_heuristic[:, AT[f"pung.{what}"]].astype(float) for what in ("n", "a", "b"))
    assert row.n == n.sum()
    for what, yes in (("a", a), ("b", b), ("difference", a - b)):
        share = yes.sum() / n.sum()
        error = (yes - share * n).std(ddof=1) / n.mean() / math.sqrt(len(n))
        assert row.estimates[what].value == pytest.approx(100 * share)
        assert row.estimates[what].half == pytest.approx(100 * stats.Z95 * error)
    only = row.estimates["a_only"].value - row.estimates["b_only"].value
    assert only == pytest.approx(row.estimates["difference"].value)


def test_a_share_of_nothing_or_all_has_a_bound():
    out = np.zeros((30, N_COUNTERS), np.int32)
    out[:, AT["win.n"]] = out[:, AT["win.a"]] = 1  # one case a hand: 30 independent ones
    out[:5, AT["pung.n"]] = out[:5, AT["pung.b"]] = 4  # 20 cases, but of five hands
    measured = choices_measures.Measured(stats.Sums.of(out))
    win = measured.row("offers", "win").estimates
    assert win["a"] == (100, pytest.approx(100 * 0.025 ** (1 / 30)), 100)
    assert win["b"] == (0, 0, pytest.approx(100 * (1 - 0.025 ** (1 / 30))))
    assert measured.row("offers", "pung").estimates["a"].upper == pytest.approx(100 * (1 - 0.025 ** (1 / 5)))
    assert choices_tables.figure(win["a"]) == "100.0 -11.6" and choices_tables.figure(win["b"]) == "0.0 +11.6"
    nothing = measured.row("offers", "chow")
    assert nothing.n == 0 and all(math.isnan(x.value) for x in nothing.estimates.values())


# ---- the run and its files ---------------------------------------------------------------------------------------------


def equal(a: choices.ChoicesResult, b: choices.ChoicesResult) -> bool:
    return np.array_equal(a.sums.total, b.sums.total) and np.array_equal(a.sums.products, b.sums.products)


def test_the_number_of_workers_changes_nothing(whole, monkeypatch):
    monkeypatch.setattr(choices, "BLOCK", 60)  # two pieces of work
    seen: list[tuple[int, int]] = []
    assert equal(whole, run(workers=2, progress=lambda *x: seen.append(x)))
    assert seen == [(0, 120), (60, 120), (120, 120)]


def test_a_stopped_run_goes_on_to_the_same_result(tmp_path, monkeypatch):
    monkeypatch.setattr(choices, "BLOCK", 40)
    whole = run()

    def stop(done: int, _: int) -> None:
        if done >= 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(out=tmp_path, progress=stop)
    again = run(out=tmp_path)
    assert 40 <= again.hands_before < 120 and equal(again, whole)
    assert run(out=tmp_path).was_finished
    for change, field in (
        ({"seed": 4}, "its seed is 3"),
        ({"a": "random"}, "its a is 'greedy'"),
        ({"hands": 60}, "its hands"),
    ):
        with pytest.raises(mjsim.UsageError, match=field):
            run(**({"out": tmp_path} | change))


def test_report_files(whole, tmp_path):
    paths = choices_report.report(whole, tmp_path)
    assert sorted(p.name for p in paths) == sorted(p.name for p in tmp_path.iterdir())
    data = json.loads((tmp_path / "summary.json").read_text())
    assert data == json.loads(json.dumps(choices_report.as_json(whole), allow_nan=False))
    assert data["command"] == "mjsim study choices greedy heuristic --rules douque-american --hands 120 --seed 3"
    assert set(data["tables"]) == set(choices_measures.TABLES)
    kept = {
        (name, row["id"], what): value
        for name, table in data["tables"].items()
        for row in table["rows"]
        for what, value in row.items()
        if what not in ("id", "label", "n")
    }
    with (tmp_path / "choices.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(kept)
    for row in rows:
        value = kept[row["table"], row["row"], row["estimate"]]["value"]
        assert row["value"] == ("" if value is None else repr(value))
    page = (tmp_path / "report.html").read_text()
    assert page.count("<svg") == 4 and data["command"] in page and whole.plan.fingerprint in page
    assert "http" not in page.replace("http://www.w3.org", "").replace("http://purl.org", "")
    for name in ("agreement", "exchange", "ready", "offers"):
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_rules_without_exchange_and_agents_that_never_differ_make_a_report_too(tmp_path):
    result = run(a="greedy", b="greedy", rules="four-winds", hands=20, out=tmp_path)
    names = {path.name for path in choices_report.report(result, tmp_path)}
    assert "exchange.png" not in names and "offers.png" in names
    page = (tmp_path / "report.html").read_text()
    assert "The exchange" not in page and "Nothing that it gives or takes differs" in page
    data = json.loads((tmp_path / "summary.json").read_text())
    assert data["tables"]["gifts"]["rows"][0]["a"] == {"value": None, "lower": None, "upper": None}


def test_tables_fit_a_terminal_of_80_columns(whole):
    from rich.console import Console

    console = Console(width=80)
    with console.capture() as captured:
        console.print(choices_report.table(whole))
    text = captured.get()
    assert "gift of three" in text and "A less B" in text and "pung instead" in text
    assert not any(line.strip().startswith("±") for line in text.splitlines())  # no cell is broken over two lines


def test_the_command(tmp_path):
    from typer.testing import CliRunner

    from mjsim.cli import app

    words = ["study", "choices", "greedy", "random", "--hands", "4", "--seed", "7", "--workers", "1"]
    ran = CliRunner().invoke(app, [*words, "--option", "min_tai=0", "--json"])
    assert ran.exit_code == 0, ran.output
    data = json.loads(ran.stdout)
    assert (data["a"], data["b"], data["hands"], data["seed"]) == ("greedy", "random", 4, 7)
    assert data["options"] == {"min_tai": 0}
    run(b="random", hands=4, seed=7, out=tmp_path)
    ran = CliRunner().invoke(app, [*words, "--out", str(tmp_path)])
    assert ran.exit_code == 0 and "finished before" in ran.stdout and "What is on offer: taken" in ran.stdout
    assert (tmp_path / "report.html").exists()


def test_names_for_titles():
    assert choices_tables.short("greedy") == "greedy"
    assert choices_tables.short("checkpoint:runs/ppo/checkpoints/step-000012.safetensors") == "ppo step-000012"
    assert choices_tables.short("checkpoint:net.json") == "net"
    assert len(choices_tables.short("heuristic:" + "x" * 60)) == 34
