"""The dice study: odds, pairing, counting, statistics, going on after a stop, and its files."""

from __future__ import annotations

import csv
import json
import math

import numpy as np
import pytest

import mjsim
from mjsim.agents import registry
from mjsim.experiments import dice, dice_report, stats
from mjsim.experiments.dice_kernels import COUNTERS, DICE, N_COUNTERS, PATTERNS, pattern_counts

AT = {name: i for i, name in enumerate(COUNTERS)}
NONE = PATTERNS.index("none")
WALLS = 2 * dice.BLOCK + 100


def player(seed: int = 5, agents: str = "greedy", **options) -> dice.Player:
    return dice.Player(mjsim.rules("douque-american", **options), agents.split(","), seed, dice.DEFAULT_KEEP)


def equal(a: stats.Sums, b: stats.Sums) -> bool:
    return a.n == b.n and np.array_equal(a.total, b.total) and np.array_equal(a.products, b.products)


@pytest.fixture(scope="module")
def whole() -> dice.DiceResult:
    return dice.run("douque-american", "greedy", WALLS, seed=3, workers=1)


@pytest.fixture(scope="module")
def without_minimum() -> np.ndarray:
    return player(min_tai=0).play(0, 1500)


# ---- odds and statistics -----------------------------------------------------------------------------------------------


def test_odds_of_the_patterns_over_all_216_rolls():
    counts = np.zeros(5, np.int64)
    pattern_counts(counts)
    assert dict(zip(PATTERNS, counts.tolist(), strict=True)) == {
        "triple": 6, "all_red": 6, "straight": 24, "all_black": 60, "none": 120,
    }  # fmt: skip
    assert dice_report.odds() == (6, 6, 24, 60, 120)


def test_the_roll_that_stands_for_a_pattern_has_its_bonus():
    rules = mjsim.rules("douque-american")
    assert dice_report.bonus_tai(rules) == (5, 3, 2, 1, 0)
    out = player(min_tai=0).play(0, 50)
    wins = out[:, :, AT["wins"]].sum(axis=0)
    assert (out[:, :, AT["bonus"]].sum(axis=0) == wins * [5, 3, 2, 1, 0]).all()
    assert DICE.shape == (5, 3)


def test_intervals_of_a_known_sample():
    x = np.array([[2, 1], [4, 1], [4, 1], [5, 1], [7, 1], [9, 1]], np.int32)
    sums = stats.Sums.of(x)
    assert sums.covariance()[0, 0] == pytest.approx(np.var(x[:, 0], ddof=1))
    mean = stats.interval(stats.ratio(sums.means(), np.array([1.0, 0]), np.array([0, 1.0])), sums.covariance(), sums.n)
    assert mean.value == pytest.approx(31 / 6)
    assert mean.half == pytest.approx(1.959964 * np.std(x[:, 0], ddof=1) / math.sqrt(6), rel=1e-6)


def test_interval_of_a_ratio_covers_it_95_times_in_100():
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(1000):
        wins = rng.integers(0, 3, 400)
        tai = wins * 3 + rng.binomial(10, 0.3, 400) * (wins > 0)  # mean tai of a win: 3 + 3 x P(wins > 0) / E(wins)
        sums = stats.Sums.of(np.column_stack([wins, tai]))
        found = stats.interval(
            stats.ratio(sums.means(), np.array([0, 1.0]), np.array([1.0, 0])), sums.covariance(), sums.n
        )
        covered += found.lower <= 5 <= found.upper
    assert 930 <= covered <= 968


def test_a_mean_over_nothing_is_not_a_number():
    sums = stats.Sums.of(np.zeros((4, 2), np.int32))
    found = stats.interval(stats.ratio(sums.means(), np.array([1.0, 0]), np.array([0, 1.0])), sums.covariance(), 4)
    assert all(math.isnan(x) for x in found)


def test_streaks_are_geometric_up_to_the_cap():
    below = dice.streak_thresholds(0.5, 3)
    assert (np.diff([0, *below]) / 2**32).tolist() == pytest.approx([8 / 15, 4 / 15, 2 / 15, 1 / 15])
    assert below[-1] == 2**32
    assert dice.streak_thresholds(0.0, 18)[0] == 2**32


# ---- what is played ----------------------------------------------------------------------------------------------------


def test_scores_of_a_hand_add_up_to_zero(without_minimum):
    for out in (without_minimum, player().play(0, 500)):
        seats = out[:, :, AT["score_0"] :]
        assert seats.shape[2] == 4
        assert (seats.sum(axis=2) == 0).all()
        assert (out[:, :, AT["score_dealer"]] + out[:, :, AT["score_others"]] == 0).all()


def test_a_hand_is_won_drawn_or_ended_by_a_flower_win(without_minimum):
    out = without_minimum
    ends = out[:, :, [AT["win"], AT["flower"], AT["draw"]]]
    assert (ends.sum(axis=2) == 1).all()
    assert (out[:, :, AT["self_draw"]] + out[:, :, AT["deal_in"]] == out[:, :, AT["win"]]).all()
    assert (out[:, :, AT["win_dealer"]] + out[:, :, AT["win_others"]] == out[:, :, AT["wins"]]).all()


def test_without_a_minimum_greedy_plays_alike_under_every_pattern(without_minimum):
    """Greedy pays no heed to tai, so the pattern moves payments alone: its tai from every payer of every win."""
    out = without_minimum
    paid = [AT[n] for n in ("tai", "bonus", "paid")] + list(range(AT["score_dealer"], AT["score_others"] + 1))
    same = [i for i in range(N_COUNTERS) if i not in paid and i < AT["score_0"]]
    for p, bonus in enumerate(dice_report.bonus_tai(mjsim.rules("douque-american"))):
        assert np.array_equal(out[:, p, same], out[:, NONE, same])
        assert np.array_equal(out[:, p, AT["tai"]], out[:, NONE, AT["tai"]] + bonus * out[:, p, AT["wins"]])
        regular = out[:, p, AT["win"]] == 1
        payments = np.where(out[:, p, AT["self_draw"]] == 1, 3, out[:, p, AT["wins"]])
        more = out[:, p, AT["paid"]] - out[:, NONE, AT["paid"]]
        assert np.array_equal(more[regular], bonus * payments[regular])
        # The dealer: received from each payer of an own win, paid once for each win of another that it pays for.
        dealer = out[:, p, AT["score_dealer"]] - out[:, NONE, AT["score_dealer"]]
        drawn = out[:, p, AT["self_draw"]]
        payers = np.where(drawn == 1, 3, 1)
        expected = bonus * (
            out[:, p, AT["win_dealer"]] * payers
            - out[:, p, AT["win_others"]] * (drawn + out[:, p, AT["deal_in_dealer"]])
        )
        assert np.array_equal(dealer[regular], expected[regular])
    assert out[:, :, AT["stopped"]].sum() == 0
    assert out[:, :, AT["by_bonus"]].sum() == 0


def test_without_a_minimum_the_win_rates_differ_by_exactly_nothing():
    result = dice.run(mjsim.rules("douque-american", min_tai=0), "greedy", 300, seed=1, workers=1)
    summary = dice_report.summarise(result)
    for measure in ("win", "draw", "self_draw", "stopped", "by_bonus"):
        for column in dice_report.COLUMNS[:-2]:
            assert summary[measure][column].difference == (0, 0, 0)
    assert summary["tai"]["triple"].difference.value == pytest.approx(5)
    assert summary["tai"]["triple"].difference.half == pytest.approx(0, abs=1e-6)


def test_a_counted_hand_is_the_hand_that_python_plays():
    """The kernel's wall w under a pattern is `mjsim.Hand(seed, match=w, hand=1)` with that roll and the wall's East."""
    study = player(seed=11)
    rules = mjsim.rules("douque-american")
    out, drawn = study.play(0, 12), study.standings(0, 12)
    agent = registry.make("greedy")
    policy = agent.policy.python()
    for w in range(12):
        dealer, east, prevailing, streak = (int(x) for x in drawn[w])
        own = mjsim.Hand(rules, seed=11, match=w, hand=1, dealer=dealer)
        assert east == (dealer + int(own.record["dice"].sum()) - 1) % 4
        for p in (0, 3, NONE):
            hand = mjsim.Hand(
                rules, seed=11, match=w, hand=1, dealer=dealer, streak=streak, prevailing=prevailing,
                dice=DICE[p].tolist(), east=east,
            )  # fmt: skip
            while not hand.over:
                hand.apply(policy(hand._array.ctypes.data, rules.address, agent.parameters_address))
            found = dict(zip(COUNTERS, out[w, p].tolist(), strict=True))
            wins = [s for s in hand.settlements if s["kind"] == "win"]
            assert [found[f"score_{s}"] for s in range(4)] == hand.scores
            assert found[hand.end] == 1
            assert found["tai"] == sum(s["tai"] for s in wins)
            assert found["bonus"] == sum(dict(map(tuple, s["items"])).get("dice_bonus", 0) for s in wins)
            assert found["paid"] == sum(s["payments"][s["winner"]] for s in hand.settlements)
            assert found["stopped"] == int(hand.record["stopped"].sum())
            assert found["self_draw"] == any(s["from"] is None for s in wins)
            # A win falls short without the bonus where the judged share does: dealer tai counts if the dealer is a party.
            short = 0
            for s in wins:
                dealer_is_party = dealer in (s["winner"], s["from"]) or s["from"] is None
                judged = s["tai"] + (1 + 2 * streak if dealer_is_party else 0)
                short += judged - dict(map(tuple, s["items"])).get("dice_bonus", 0) < 3
            assert found["by_bonus"] == short


def test_standing_is_spread_over_seats_winds_and_streaks():
    drawn = player(seed=2).standings(0, 20_000)
    for column in (0, 1, 2):
        assert np.abs(np.bincount(drawn[:, column], minlength=4) / 20_000 - 0.25).max() < 0.015
    streaks = np.bincount(drawn[:, 3], minlength=4) / 20_000
    assert streaks[0] == pytest.approx(0.66, abs=0.015)
    assert streaks[1] == pytest.approx(0.66 * 0.34, abs=0.015)


@pytest.mark.parametrize("options", [{"min_tai": 2}, {"min_tai": 5}, {"exchange": False}, {"east_from_dice": False}])
def test_other_minimums_and_no_exchange_can_be_studied(options):
    out = player(**options).play(0, 60)
    assert (out[:, :, AT["hands"]] == 1).all()
    assert (out[:, :, AT["score_0"] :].sum(axis=2) == 0).all()


def test_a_higher_bonus_stops_no_more_hands(whole):
    stopped = whole.sums.means().reshape(5, -1)[:, AT["stopped"]]
    assert stopped[NONE] > stopped[PATTERNS.index("all_black")] >= stopped[PATTERNS.index("straight")]


# ---- the run -----------------------------------------------------------------------------------------------------------


def test_the_number_of_workers_changes_nothing(whole):
    seen = []
    two = dice.run("douque-american", ["greedy"] * 4, WALLS, seed=3, workers=2, progress=lambda *x: seen.append(x))
    assert equal(whole.sums, two.sums)
    assert seen[0] == (0, WALLS) and seen[-1] == (WALLS, WALLS)
    assert dice_report.as_json(whole) == dice_report.as_json(two)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_stopped_run_goes_on_where_it_was(whole, tmp_path, workers):
    out = tmp_path / "run"

    def stop(done: int, _: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dice.run("douque-american", "greedy", WALLS, seed=3, workers=workers, out=out, progress=stop)
    assert not json.loads((out / "run.json").read_text())["complete"]
    again = dice.run("douque-american", "greedy", WALLS, seed=3, workers=1, out=out)
    assert 0 < again.walls_before < WALLS and not again.was_finished
    assert equal(again.sums, whole.sums)
    assert json.loads((out / "run.json").read_text())["complete"]
    assert not list(out.glob("*.tmp"))
    third = dice.run("douque-american", "greedy", WALLS, seed=3, workers=1, out=out)
    assert third.was_finished and equal(third.sums, whole.sums)


def test_a_folder_of_another_run_is_refused(tmp_path):
    dice.run("douque-american", "greedy", 8, seed=3, workers=1, out=tmp_path)
    for change, field in (
        ({"seed": 4}, "its seed is 3, asked for is 4"),
        ({"walls": 9}, "its walls is 8"),
        ({"agents": "random"}, "its agents"),
        ({"rules": mjsim.rules("douque-american", min_tai=0)}, "its options is {}, asked for is {'min_tai': 0}"),
        ({"keep": 0.1}, "its keep"),
    ):
        with pytest.raises(mjsim.UsageError, match=field):
            dice.run(**({"rules": "douque-american", "walls": 8, "seed": 3, "workers": 1, "out": tmp_path} | change))
    (tmp_path / "sums.npz").write_bytes(b"no archive")
    with pytest.raises(mjsim.UsageError, match=r"sums\.npz is damaged"):
        dice.run("douque-american", "greedy", 8, seed=3, workers=1, out=tmp_path)
    (tmp_path / "run.json").unlink()
    with pytest.raises(mjsim.UsageError, match=r"no run\.json"):
        dice.run("douque-american", "greedy", 8, seed=3, workers=1, out=tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rules": "douque-taiwanese"}, "option dice_bonus: off in douque-taiwanese"),
        ({"walls": 1}, "walls: 1 is no whole number of 2-"),
        ({"seed": -1}, "seed"),
        ({"workers": 0}, "workers"),
        ({"keep": 1.0}, "keep"),
        ({"agents": "greedy,greedy"}, "four seats"),
        ({"agents": "gredy"}, "did you mean 'greedy'"),
    ],
)
def test_a_wrong_argument_is_refused_in_one_line(arguments, message):
    with pytest.raises(mjsim.UsageError, match=message) as error:
        dice.run(**arguments)
    assert "\n" not in str(error.value)


# ---- the report --------------------------------------------------------------------------------------------------------


def test_real_dice_are_the_patterns_by_their_odds(whole):
    summary = dice_report.summarise(whole)
    weights = np.array([6, 6, 24, 60, 120]) / 216
    for measure in ("win", "draw", "score_dealer", "stopped"):
        values = [summary[measure][p].value.value for p in PATTERNS]
        real = summary[measure]["real_dice"]
        assert real.value.value == pytest.approx(weights @ values)
        assert real.difference.value == pytest.approx(weights @ values - values[NONE])
    wins = np.array([summary["win"][p].value.value for p in PATTERNS])
    tai = summary["tai"]["real_dice"].value.value
    assert tai == pytest.approx(
        weights * wins @ [summary["tai"][p].value.value for p in PATTERNS] / (weights @ wins), rel=1e-3
    )


def test_differences_are_paired_by_wall():
    """The interval of a difference is that of the differences of the walls."""
    out = player(seed=3).play(0, 400)
    sums = stats.Sums.of(out.reshape(400, -1))
    result = dice.DiceResult(mjsim.rules("douque-american"), ("greedy",) * 4, 400, 3, dice.DEFAULT_KEEP, sums)
    cell = dice_report.summarise(result)["score_dealer"]["triple"]
    x = (out[:, 0, AT["score_dealer"]] - out[:, NONE, AT["score_dealer"]]).astype(float)
    assert cell.difference.value == pytest.approx(x.mean())
    assert cell.difference.half == pytest.approx(stats.Z95 * x.std(ddof=1) / 20)


def test_report_files(whole, tmp_path):
    paths = dice_report.report(whole, tmp_path)
    assert sorted(p.name for p in paths) == sorted(p.name for p in tmp_path.iterdir())
    data = json.loads((tmp_path / "summary.json").read_text())
    assert data == json.loads(json.dumps(dice_report.as_json(whole)))
    assert data["command"] == f"mjsim study dice --rules douque-american --agents greedy --walls {WALLS} --seed 3"
    assert data["fingerprint"] == whole.rules.fingerprint
    with (tmp_path / "summary.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(dice_report.MEASURES) * 6
    for row in rows:
        kept = data["measures"][row["measure"]]["patterns"][row["pattern"]]
        assert float(row["value"]) == kept["value"]
        assert row["difference"] == ("" if kept["difference"] is None else repr(kept["difference"]["value"]))
    assert all(p.read_bytes().startswith(b"\x89PNG") for p in paths if p.suffix == ".png")
    text = (tmp_path / "report.md").read_text()
    assert "0.34^k" in text and "seat winds" in text and data["command"] in text


def test_table_fits_a_terminal_of_80_columns(whole):
    from rich.console import Console

    console = Console(width=80)
    with console.capture() as captured:
        console.print(dice_report.table(whole))
    text = captured.get()
    for column in dice_report.LABELS.values():
        assert column in text
    assert "120/216" in text and "±" in text
    assert not any(line.strip().startswith("±") for line in text.splitlines())  # no cell is broken over two lines


def test_a_result_without_wins_has_nulls():
    rules = mjsim.rules("douque-american", items={"dice_bonus": [0, 0, 0, 0]}, min_tai=5)
    sums = stats.Sums.zero(5 * N_COUNTERS)
    empty = np.zeros((3, 5, N_COUNTERS), np.int32)
    empty[:, :, [AT["hands"], AT["draw"]]] = 1
    sums.add(stats.Sums.of(empty.reshape(3, -1)))
    result = dice.DiceResult(rules, ("greedy",) * 4, 3, 0, 0.34, sums)
    data = json.loads(json.dumps(dice_report.as_json(result), allow_nan=False))
    assert data["measures"]["tai"]["patterns"]["triple"]["value"] is None
    assert data["measures"]["draw"]["patterns"]["triple"] == {
        "value": 100, "lower": 100, "upper": 100, "difference": {"value": 0, "lower": 0, "upper": 0},
    }  # fmt: skip
    assert "--option items.dice_bonus=0,0,0,0" in data["command"]
