"""The rules study: the grid, the same walls under all rules, counting, statistics, going on after a stop, and its files."""

from __future__ import annotations

import csv
import json
import math

import numpy as np
import pytest

import mjsim
from mjsim.agents import registry
from mjsim.experiments import report, rules_measures, rules_report, rules_study, stats
from mjsim.experiments.rules_kernels import COUNTERS, N_COUNTERS

AT = {name: i for i, name in enumerate(COUNTERS)}
VARY = ["min_tai=3,5", "exchange=on,off"]


def player(rules="douque-american", vary=None, agents="greedy", seed=5, own_draws=True) -> rules_study.Player:
    cells = rules_study.make_grid(rules, vary).cells
    return rules_study.Player(cells, agents.split(","), seed, 0.34, own_draws)


def run(**changed) -> rules_study.RulesResult:
    given = {"vary": VARY, "agents": "greedy", "compare": "none", "walls": 300, "seed": 3, "workers": 1}
    return rules_study.run(**(given | changed))


def equal(a: rules_study.RulesResult, b: rules_study.RulesResult) -> bool:
    return all(
        x.n == y.n and np.array_equal(x.total, y.total) and np.array_equal(x.products, y.products)
        for x, y in zip(a.sums, b.sums, strict=True)
    )


@pytest.fixture(scope="module")
def default_grid() -> np.ndarray:
    return player().play(0, 300)


@pytest.fixture(scope="module")
def whole() -> rules_study.RulesResult:
    return run(compare="random")


# ---- the grid ----------------------------------------------------------------------------------------------------------


def test_the_default_grid_has_sixteen_rule_sets_around_the_preset():
    grid = rules_study.make_grid()
    assert [f.name for f in grid.factors] == ["min_tai", "exchange", "dice_bonus"]
    assert len({cell.fingerprint for cell in grid.cells}) == len(grid.cells) == 16
    assert grid.cells[grid.base] == mjsim.rules("douque-american")
    assert grid.label(grid.base) == "min_tai=3 exchange=on dice_bonus=on"
    for cell, values in zip(grid.cells, grid.combinations, strict=True):
        assert tuple(report.option_text(cell.flags[f.name]) for f in grid.factors) == values


def test_the_base_is_the_own_value_or_the_first_one():
    grid = rules_study.make_grid(mjsim.rules("douque-american", exchange=False), ["min_tai=0,5", "exchange=on,off"])
    assert [f.base for f in grid.factors] == ["0", "off"]
    assert grid.pairs(0, "5") == [(2, 0), (3, 1)]
    assert grid.pairs(1, "on") == [(0, 1), (2, 3)]


def test_any_option_can_be_varied():
    grid = rules_study.make_grid(
        "hk16", {"min_tai": (0, 20), "items.closed_hand": (1, 5), "winners": ["all", "nearest"]}
    )
    assert len(grid.cells) == 8 and grid.factors[1].base == "5"
    assert grid.factors[0] == ("min_tai", ("0", "20"), "20")
    assert [cell.items["closed_hand"] for cell in grid.cells[:4]] == [1, 1, 5, 5]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"vary": ["min_tai"]}, "vary: 'min_tai' is not name=value,value"),
        ({"vary": ["min_tai=0,,3"]}, "vary: 'min_tai=0,,3' is not name=value,value"),
        ({"vary": ["min_tai=3"]}, "vary: min_tai=3 is no choice; name two values"),
        ({"vary": ["min_tai=0,4"]}, "option min_tai: 4 is not offered"),
        ({"vary": ["min_tai=0,3", "min_tai=2,5"]}, "vary: min_tai stands twice"),
        ({"vary": ["exchange=on,true"]}, "vary: exchange=on stands twice"),
        ({"vary": ["exchang=on,off"]}, "did you mean 'exchange'"),
        ({"vary": {"min_tai": "0,3"}}, "vary: min_tai: '0,3' is no list of values"),
        ({"vary": {"items": [{}, {}]}}, "vary: items: name one item"),
        ({"vary": ["declare_ready=on,off", "migi=on,off"]}, "option migi: on, but declare_ready is off"),
        ({"rules": "hk16", "vary": ["kept_back=" + ",".join(map(str, range(65)))]}, "65 combinations; 64 at most"),
        ({"rules": "hk16", "vary": None}, "default grid needs a dice bonus, which hk16 has not"),
        ({"compare": "greedy"}, "compare: 'greedy' is the same table of agents as agents"),
        ({"agents": "gredy"}, "did you mean 'greedy'"),
        ({"agents": "greedy,greedy"}, "four seats"),
        ({"walls": 1}, "walls: 1 is no whole number of 2-"),
        ({"seed": -1}, "seed"),
        ({"workers": 0}, "workers"),
        ({"keep": 1.0}, "keep: 1.0 is no probability"),
    ],
)
def test_a_wrong_argument_is_refused_in_one_line(arguments, message):
    with pytest.raises(mjsim.UsageError, match=message) as error:
        run(**arguments)
    assert "\n" not in str(error.value)


# ---- what is played ----------------------------------------------------------------------------------------------------


def draws_of_seats(record: np.void) -> list[list[int]]:
    """Tiles that each seat has drawn from the head of the wall after the deal."""
    out: list[list[int]] = [[], [], [], []]
    for i in range(65, int(record["head"])):
        out[record["stream_of"][i]].append(int(record["wall"][i]))
    return out


@pytest.mark.parametrize("own_draws", [True, False])
def test_every_cell_has_the_same_wall_dice_pairings_and_standing(own_draws):
    cells = [rules_study.Player([c], ["greedy"], 9, 0.34, own_draws) for c in rules_study.make_grid().cells]
    streaks = set()
    for w in range(12):
        records = []
        for cell in cells:
            cell.play(w, 1)
            records.append(cell.hands[0].copy())
        first = records[0]
        streaks.add(int(first["streak"]))
        for record in records[1:]:
            for name in ("dice", "pairings", "dealer", "east", "prevailing", "streak", "hand", "match", "seed"):
                assert np.array_equal(record[name], first[name]), name
            if own_draws:
                assert np.array_equal(record["wall"][:65], first["wall"][:65])
                for mine, theirs in zip(draws_of_seats(record), draws_of_seats(first), strict=True):
                    n = min(len(mine), len(theirs), 8)  # the end of the wall is shared with replacements
                    assert mine[:n] == theirs[:n]
            else:
                assert np.array_equal(record["wall"], first["wall"])
    assert len(streaks) > 1


def test_a_cell_counts_the_same_alone_and_among_others(default_grid):
    grid = rules_study.make_grid()
    for number in (0, 7, 11, 12):
        alone = rules_study.Player([grid.cells[number]], ["greedy"], 5, 0.34, True).play(0, 60)
        assert np.array_equal(alone[:, 0], default_grid[:60, number])


@pytest.mark.parametrize("preset", ["douque-american", "house16"])
def test_a_counted_hand_is_the_hand_that_python_plays(preset):
    vary = ["exchange=on,off"]
    grid = rules_study.make_grid(preset, vary)
    out = player(preset, vary, seed=11, own_draws=False).play(0, 12)
    agent = registry.make("greedy")
    policy = agent.policy.python()
    for number, rules in enumerate(grid.cells):
        study = rules_study.Player([rules], ["greedy"], 11, 0.34, False)
        for w in range(12):
            study.play(w, 1)
            record = study.hands[0]
            standing = {name: int(record[name]) for name in ("dealer", "streak", "prevailing", "east")}
            hand = mjsim.Hand(rules, seed=11, match=w, hand=1, **standing)
            while not hand.over:
                hand.apply(policy(hand._array.ctypes.data, rules.address, agent.parameters_address))
            found = dict(zip(COUNTERS, out[w, number].tolist(), strict=True))
            wins = [s for s in hand.settlements if s["kind"] == "win"]
            dealer = standing["dealer"]
            assert found["hands"] == 1
            assert found[hand.end] == 1
            assert found["win"] + found["draw"] + found["flower"] == 1
            assert found["discards"] == int(hand.record["n_discards"])
            assert found["wins"] == len(wins) and found["tai"] == sum(s["tai"] for s in wins)
            assert found["self_draw"] == any(s["from"] is None for s in wins)
            assert found["deal_in"] == any(s["from"] is not None for s in wins)
            assert found["paid"] == sum(s["payments"][s["winner"]] for s in hand.settlements)
            assert found["stopped"] == int(hand.record["stopped"].sum())
            assert found["win_dealer"] == sum(s["winner"] == dealer for s in wins)
            assert found["win_others"] == sum(s["winner"] != dealer for s in wins)
            assert found["score_dealer"] == hand.scores[dealer]
            assert found["score_others"] == sum(hand.scores) - hand.scores[dealer]
            assert found["squares"] == sum(x * x for x in hand.scores)
            assert found["keep"] == (int(hand.record["next_dealer"]) == dealer)


def test_sums_add_up_in_every_cell(default_grid):
    out = default_grid
    assert (out[:, :, AT["hands"]] == 1).all()
    assert (out[:, :, [AT["win"], AT["flower"], AT["draw"]]].sum(axis=2) == 1).all()
    assert (out[:, :, AT["self_draw"]] + out[:, :, AT["deal_in"]] == out[:, :, AT["win"]]).all()
    assert (out[:, :, AT["win_dealer"]] + out[:, :, AT["win_others"]] == out[:, :, AT["wins"]]).all()
    assert (out[:, :, AT["score_dealer"]] + out[:, :, AT["score_others"]] == 0).all()


def test_greedy_without_a_minimum_pays_no_heed_to_the_bonus(default_grid):
    """The same hands then: only what they pay differs."""
    grid = rules_study.make_grid()
    at = grid.combinations.index
    same = [
        i for name, i in AT.items() if name not in ("tai", "paid", "score_dealer", "score_others", "squares", "keep")
    ]
    for exchange in ("on", "off"):
        off, on = at(("0", exchange, "off")), at(("0", exchange, "on"))
        assert np.array_equal(default_grid[:, off][:, same], default_grid[:, on][:, same])
        assert (default_grid[:, on, AT["tai"]] >= default_grid[:, off, AT["tai"]]).all()
        assert default_grid[:, on, AT["tai"]].sum() > default_grid[:, off, AT["tai"]].sum()
    assert default_grid[:, at(("0", "on", "on")), AT["stopped"]].sum() == 0
    assert default_grid[:, at(("5", "on", "on")), AT["stopped"]].sum() > 100


# ---- statistics --------------------------------------------------------------------------------------------------------


def summary_of(out: np.ndarray, vary=None) -> tuple[rules_study.Grid, rules_measures.Summary]:
    grid = rules_study.make_grid(vary=vary)
    return grid, rules_measures.summarise(grid, stats.Sums.of(out.reshape(len(out), -1)))


def half(x: np.ndarray) -> float:
    return stats.Z95 * x.std(ddof=1) / math.sqrt(len(x))


def test_values_and_differences_are_those_of_the_walls(default_grid):
    grid, summary = summary_of(default_grid)
    dealer = default_grid[:, :, AT["score_dealer"]] - default_grid[:, :, AT["score_others"]] / 3
    for cell in range(16):
        found = summary.cells["dealer"][cell]
        assert found.value.value == pytest.approx(dealer[:, cell].mean())
        assert found.value.half == pytest.approx(half(dealer[:, cell]))
        if cell == grid.base:
            assert found.difference is None
        else:
            x = dealer[:, cell] - dealer[:, grid.base]
            assert found.difference.value == pytest.approx(x.mean())
            assert found.difference.half == pytest.approx(half(x))
        tai, wins = (default_grid[:, cell, AT[name]].sum() for name in ("tai", "wins"))
        assert summary.cells["tai"][cell].value.value == pytest.approx(tai / wins)


def test_a_main_effect_is_the_difference_averaged_over_the_other_options(default_grid):
    grid, summary = summary_of(default_grid)
    discards = default_grid[:, :, AT["discards"]].astype(float)
    for number, factor in enumerate(grid.factors):
        for value in factor.values:
            found = summary.effects["discards"][factor.name][value]
            if value == factor.base:
                assert found is None
                continue
            x = np.mean([discards[:, a] - discards[:, b] for a, b in grid.pairs(number, value)], axis=0)
            assert len(grid.pairs(number, value)) == 16 // len(factor.values)
            assert found.value == pytest.approx(x.mean())
            assert found.half == pytest.approx(half(x))


def test_the_interval_of_the_swing_is_that_of_a_bootstrap(default_grid):
    _, summary = summary_of(default_grid)
    squares = default_grid[:, 0, AT["squares"]] / 4
    found = summary.cells["swing"][0].value
    assert found.value == pytest.approx(math.sqrt(squares.mean()))
    rng = np.random.default_rng(1)
    drawn = np.sqrt(squares[rng.integers(0, len(squares), (4000, len(squares)))].mean(axis=1))
    assert found.half == pytest.approx(stats.Z95 * drawn.std(), rel=0.08)


def test_a_grid_without_wins_has_nulls():
    grid = rules_study.make_grid(vary=VARY)
    out = np.zeros((3, 4, N_COUNTERS), np.int32)
    out[:, :, [AT["hands"], AT["draw"]]] = 1
    plan = rules_study.make_plan(vary=VARY, agents="greedy", compare="none", walls=3)
    result = rules_study.RulesResult(plan, grid, [stats.Sums.of(out.reshape(3, -1))])
    data = json.loads(json.dumps(rules_report.as_json(result), allow_nan=False))
    cell = data["tables"][0]["cells"][2]["measures"]
    assert cell["tai"]["value"] is None and cell["tai"]["difference"]["value"] is None
    assert cell["swing"]["value"] == 0 and cell["draw"]["value"] == 100


# ---- the run -----------------------------------------------------------------------------------------------------------


def test_the_number_of_workers_changes_nothing(whole):
    seen = []
    two = run(compare="random", workers=2, progress=lambda *x: seen.append(x))
    assert equal(whole, two)
    assert seen[0] == (0, 600) and seen[-1] == (600, 600)
    assert whole.hands == 300 * 4 * 2


def test_a_stopped_run_goes_on_to_the_same_bytes(whole, tmp_path):
    def stop(done: int, _: int) -> None:
        if done > 300:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(compare="random", out=tmp_path / "a", progress=stop)
    assert not (tmp_path / "a" / "sums.npz").exists()
    again = run(compare="random", out=tmp_path / "a")
    assert 300 < again.walls_before < 600 and equal(again, whole)
    fresh = run(compare="random", out=tmp_path / "b")
    assert (tmp_path / "a" / "sums.npz").read_bytes() == (tmp_path / "b" / "sums.npz").read_bytes()
    assert (tmp_path / "a" / "run.json").read_bytes() == (tmp_path / "b" / "run.json").read_bytes()
    assert rules_report.as_json(again) == rules_report.as_json(fresh)
    assert run(compare="random", out=tmp_path / "a").was_finished


def test_a_folder_of_another_run_is_refused(tmp_path):
    small = {"walls": 8, "out": tmp_path}
    run(**small)
    for change, field in (
        ({"seed": 4}, "its seed is 3, asked for is 4"),
        ({"vary": ["min_tai=3,0", "exchange=on,off"]}, "its vary"),
        ({"compare": "random"}, "its tables"),
        ({"own_draws": False}, "its own_draws is True"),
    ):
        with pytest.raises(mjsim.UsageError, match=field):
            run(**(small | change))


# ---- the report --------------------------------------------------------------------------------------------------------


def test_report_files(whole, tmp_path):
    paths = rules_report.report(whole, tmp_path)
    assert sorted(p.name for p in paths) == sorted(p.name for p in tmp_path.iterdir())
    data = json.loads((tmp_path / "summary.json").read_text())
    assert data == json.loads(json.dumps(rules_report.as_json(whole)))
    assert data["command"] == (
        "mjsim study rules --rules douque-american --vary min_tai=3,5 --vary exchange=on,off --agents greedy "
        "--compare random --walls 300 --seed 3"
    )
    with (tmp_path / "cells.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 4 * len(rules_measures.MEASURES)
    cells = {(c["options"]["min_tai"], c["options"]["exchange"]): c for c in data["tables"][0]["cells"]}
    for row in rows[: len(rows) // 2]:
        kept = cells[row["min_tai"], row["exchange"]]["measures"][row["measure"]]
        assert row["value"] == repr(kept["value"])
        assert row["difference"] == ("" if kept["difference"] is None else repr(kept["difference"]["value"]))
    with (tmp_path / "effects.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 2 * 2 * len(rules_measures.MEASURES)
    page = (tmp_path / "report.html").read_text()
    assert page.count("<svg") == 3 and data["command"] in page and whole.plan.fingerprint in page


def test_the_command_names_only_what_is_no_default():
    def command(**asked) -> str:
        plan = rules_study.make_plan(walls=5, **asked)
        return rules_report.command(rules_study.RulesResult(plan, plan.grid(), []))

    assert command() == "mjsim study rules --rules douque-american --walls 5 --seed 0"
    assert command(agents="greedy").endswith("--agents greedy --walls 5 --seed 0")
    assert "--compare none" in command(compare="none") and "--shared-draws" in command(own_draws=False)
    assert "--keep 0.5" in command(keep=0.5)
    assert "--option min_tai=0 --vary exchange=on,off" in command(
        rules=mjsim.rules("douque-american", min_tai=0), vary={"exchange": [True, False]}
    )


def test_table_fits_a_terminal_of_80_columns(whole):
    from rich.console import Console

    console = Console(width=80)
    with console.capture() as captured:
        console.print(rules_report.table(whole))
    text = captured.get()
    assert "3 → 5" in text and "on → off" in text and "*" in text
    assert not any(line.strip().startswith("±") for line in text.splitlines())  # no cell is broken over two lines
