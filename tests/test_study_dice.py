"""The dice study: odds, pairing, counting, statistics, going on after a stop, and its files."""

from __future__ import annotations

import csv
import json
import math

import numpy as np
import pytest
from numba import carray

import mjsim
from mjsim.actions import BEGIN, EXCHANGE, START, WIN
from mjsim.agents import registry
from mjsim.agents.greedy import policy as greedy_policy
from mjsim.experiments import dice, dice_measures, dice_report, stats, walls
from mjsim.experiments.blind import Blind
from mjsim.experiments.dice_kernels import (
    BLIND_COUNTERS,
    COUNTERS,
    DICE,
    N_BLIND,
    N_COUNTERS,
    N_PATTERNS,
    PATTERNS,
    pattern_counts,
)
from mjsim.flow.engine import POLICY, is_legal, nth_legal
from mjsim.hand import engine_calls
from mjsim.hand_record import CHOICE
from mjsim.jit import address_as_pointer, call, pointer
from mjsim.ruleset.dice import dice_pattern

AT = {name: i for i, name in enumerate(COUNTERS)}
NONE = PATTERNS.index("none")
WALLS = 2 * dice.BLOCK + 100


def player(seed: int = 5, agents: str = "greedy", **options) -> dice.Player:
    return dice.Player(mjsim.rules("douque-american", **options), agents.split(","), seed, dice.DEFAULT_KEEP)


def run(**changed) -> dice.DiceResult:
    """A run without the second part, unless it is asked for."""
    given = {"rules": "douque-american", "agents": "greedy", "walls": WALLS, "seed": 3, "workers": 1, "adapt": ()}
    return dice.run(**(given | changed))


def equal(a: stats.Sums, b: stats.Sums) -> bool:
    return a.n == b.n and np.array_equal(a.total, b.total) and np.array_equal(a.products, b.products)


@pytest.fixture(scope="module")
def whole() -> dice.DiceResult:
    return run()


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
    assert dice_measures.odds() == (6, 6, 24, 60, 120)


def test_the_roll_that_stands_for_a_pattern_has_its_bonus():
    rules = mjsim.rules("douque-american")
    assert dice_measures.bonus_tai(rules) == (5, 3, 2, 1, 0)
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
    below = walls.streak_thresholds(0.5, 3)
    assert (np.diff([0, *below]) / 2**32).tolist() == pytest.approx([8 / 15, 4 / 15, 2 / 15, 1 / 15])
    assert below[-1] == 2**32
    assert walls.streak_thresholds(0.0, 18)[0] == 2**32


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
    paid = [AT[n] for n in ("tai", "bonus", "paid", "received_dealer", "received_others")] + list(
        range(AT["score_dealer"], AT["score_others"] + 1)
    )
    same = [i for i in range(N_COUNTERS) if i not in paid and i < AT["score_0"]]
    for p, bonus in enumerate(dice_measures.bonus_tai(mjsim.rules("douque-american"))):
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
    result = run(rules=mjsim.rules("douque-american", min_tai=0), walls=300, seed=1)
    summary = dice_measures.summarise(result)
    for measure in ("win", "draw", "self_draw", "stopped", "by_bonus"):
        for column in dice_measures.COLUMNS[:-2]:
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
    two = run(agents=["greedy"] * 4, workers=2, progress=lambda *x: seen.append(x))
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
        run(workers=workers, out=out, progress=stop)
    assert not (out / "sums.npz").exists()
    again = run(out=out)
    assert 0 < again.walls_before < WALLS and not again.was_finished
    assert equal(again.sums, whole.sums)
    assert sorted(path.name for path in out.iterdir()) == ["run.json", "sums.npz"]
    third = run(out=out)
    assert third.was_finished and equal(third.sums, whole.sums)
    assert dice_report.as_json(third) == dice_report.as_json(whole)


def test_a_damaged_block_is_played_again(tmp_path):
    small = {"walls": 2 * dice.BLOCK}

    def stop(done: int, _: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(**small, out=tmp_path, progress=stop)
    kept = sorted((tmp_path / "parts").glob("*.npz"))
    assert len(kept) == 1
    kept[0].write_bytes(kept[0].read_bytes()[:100])
    again = run(**small, out=tmp_path)
    assert again.walls_before == 0
    assert equal(again.sums, run(**small).sums)


def test_a_folder_of_another_run_is_refused(tmp_path):
    small = {"walls": 8, "out": tmp_path}
    run(**small)
    for change, field in (
        ({"seed": 4}, "its seed is 3, asked for is 4"),
        ({"walls": 9}, "its walls is 8"),
        ({"agents": "random"}, "its agents"),
        ({"rules": mjsim.rules("douque-american", min_tai=0)}, "its options is {}, asked for is {'min_tai': 0}"),
        ({"keep": 0.1}, "its keep"),
        ({"adapt": "greedy"}, "its adapt"),
    ):
        with pytest.raises(mjsim.UsageError, match=field):
            run(**(small | change))
    (tmp_path / "sums.npz").write_bytes(b"no archive")
    with pytest.raises(mjsim.UsageError, match=r"sums\.npz is damaged"):
        run(**small)
    (tmp_path / "run.json").unlink()
    with pytest.raises(mjsim.UsageError, match=r"holds no run\.json"):
        run(**small)


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
        ({"adapt": "gredy"}, "did you mean 'greedy'"),
        ({"adapt": "greedy,greedy"}, "adapt: 'greedy,greedy' names an agent twice"),
        ({"adapt_walls": 1}, "adapt_walls: 1 is no whole number of 2-"),
    ],
)
def test_a_wrong_argument_is_refused_in_one_line(arguments, message):
    with pytest.raises(mjsim.UsageError, match=message) as error:
        dice.run(**arguments)
    assert "\n" not in str(error.value)


# ---- the report --------------------------------------------------------------------------------------------------------


def test_real_dice_are_the_patterns_by_their_odds(whole):
    summary = dice_measures.summarise(whole)
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
    cell = dice_measures.summarise(result)["score_dealer"]["triple"]
    x = (out[:, 0, AT["score_dealer"]] - out[:, NONE, AT["score_dealer"]]).astype(float)
    assert cell.difference.value == pytest.approx(x.mean())
    assert cell.difference.half == pytest.approx(stats.Z95 * x.std(ddof=1) / 20)


def test_report_files(whole, tmp_path):
    paths = dice_report.report(whole, tmp_path)
    assert sorted(p.name for p in paths) == sorted(p.name for p in tmp_path.iterdir())
    data = json.loads((tmp_path / "summary.json").read_text())
    assert data == json.loads(json.dumps(dice_report.as_json(whole)))
    assert data["command"] == (
        f"mjsim study dice --rules douque-american --agents greedy --walls {WALLS} --seed 3 --adapt none"
    )
    assert data["fingerprint"] == whole.rules.fingerprint
    with (tmp_path / "summary.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(dice_measures.MEASURES) * 6
    for row in rows:
        kept = data["measures"][row["measure"]]["patterns"][row["pattern"]]
        assert float(row["value"]) == kept["value"]
        assert row["difference"] == ("" if kept["difference"] is None else repr(kept["difference"]["value"]))
    assert all(p.read_bytes().startswith(b"\x89PNG") for p in paths if p.suffix == ".png")
    text = (tmp_path / "report.html").read_text()
    assert "0.34^k" in text and "seat winds" in text and data["command"] in text and data["fingerprint"] in text
    assert "Which agents adapt" not in text


def test_table_fits_a_terminal_of_80_columns(whole):
    from rich.console import Console

    console = Console(width=80)
    with console.capture() as captured:
        console.print(dice_report.table(whole))
    text = captured.get()
    for column in dice_measures.LABELS.values():
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
    assert data["worth_of_a_tai"]["greedy"]["dealer"]["score"]["triple"]["value"] is None
    assert data["worth_of_a_tai"]["greedy"]["dealer"]["score"]["slope"]["value"] is None
    assert "--option items.dice_bonus=0,0,0,0" in data["command"]


# ---- what a tai of bonus is worth --------------------------------------------------------------------------------------


def test_without_a_minimum_a_tai_is_worth_the_same_under_every_pattern(without_minimum):
    """Greedy then plays alike, so that a tai is what its wins of a hand are paid by: a payer each, three on a self-draw."""
    rules = mjsim.rules("douque-american", min_tai=0)
    out = without_minimum[without_minimum[:, NONE, AT["flower"]] == 0]  # a flower win has the bonus too
    worth = dice_measures.worth_of_a_tai(stats.Sums.of(out.reshape(len(out), -1)), rules)
    none = out[:, NONE].astype(float)
    payers = np.where(none[:, AT["self_draw"]] == 1, 3, 1)
    received = (none[:, AT["win_dealer"]] * payers).mean()
    paid = (
        none[:, AT["win_others"]] * none[:, AT["self_draw"]] + none[:, AT["deal_in_dealer"]] * none[:, AT["win_others"]]
    ).mean()
    for column in dice_measures.WORTH_COLUMNS:
        assert worth.dealer["received"][column].value == pytest.approx(received)
        assert worth.dealer["paid"][column].value == pytest.approx(paid)
        assert worth.dealer["score"][column].value == pytest.approx(received - paid)
        assert worth.other["score"][column].value == pytest.approx(-(received - paid) / 3)
        assert worth.other["received"][column].value == pytest.approx((none[:, AT["win_others"]] * payers).mean() / 3)


def test_the_slope_is_least_squares_over_the_rolls(whole):
    worth = dice_measures.worth_of_a_tai(whole.sums, whole.rules).dealer["score"]
    summary = dice_measures.summarise(whole)["score_dealer"]
    tai = dict(zip(PATTERNS, dice_measures.bonus_tai(whole.rules), strict=True))
    share = dict(zip(PATTERNS, dice_measures.odds(), strict=True))
    x = np.concatenate([np.full(share[p], tai[p]) for p in PATTERNS[:NONE]]).astype(float)
    y = np.concatenate([np.full(share[p], summary[p].difference.value) for p in PATTERNS[:NONE]])
    assert worth["slope"].value == pytest.approx(np.linalg.lstsq(x[:, None], y, rcond=None)[0][0])
    for p in PATTERNS[:NONE]:
        assert worth[p].value == pytest.approx(summary[p].difference.value / tai[p])
        assert worth[p].half == pytest.approx(summary[p].difference.half / tai[p])


# ---- seeing and blind --------------------------------------------------------------------------------------------------


@pointer(POLICY)
def reading_policy(h, r, parameters):
    """Answers the dice that it sees, as one number."""
    return h.dice[0] * 100 + h.dice[1] * 10 + h.dice[2]


@pointer(POLICY)
def bold_policy(h, r, parameters):
    """Greedy when the dice have a pattern; else it passes what it can and keeps its low tiles."""
    if dice_pattern(h.dice) > 0:
        return call(np.int64(carray(address_as_pointer(parameters), 3)[2]), (h, r, parameters))
    n = np.int64(h.n_legal)
    return nth_legal(h, 0 if h.phase == CHOICE or is_legal(h, WIN) else n - 1)


def bold() -> registry.Agent:
    values = {"exchange": 5.0, "flush": 1.0, "greedy": float(greedy_policy.address)}
    return registry.Agent("bold", bold_policy, values)


def test_a_blind_agent_sees_other_dice_and_leaves_the_hand_as_it_is():
    rules = mjsim.rules("douque-american")
    hand = mjsim.Hand(rules, seed=1, dice=[4, 4, 1])
    agent = registry.Agent("reading", reading_policy)
    blind = Blind(agent)
    before = hand._array.tobytes()
    seen = [a.policy.python()(hand._array.ctypes.data, rules.address, a.parameters_address) for a in (agent, blind)]
    assert seen == [441, 124]
    assert hand._array.tobytes() == before
    assert blind.name == "reading, blind"


def test_a_blind_agent_hands_its_parameters_on():
    """Greedy that exchanges again at any shanten, and at none."""
    rules = mjsim.rules("douque-american")
    answers = []
    for text in ("greedy:exchange=0", "greedy:exchange=99"):
        blind = Blind(registry.make(text))
        policy = blind.policy.python()
        hand = mjsim.Hand(rules, seed=1)
        while hand.record["phase"] != CHOICE:
            hand.apply(policy(hand._array.ctypes.data, rules.address, blind.parameters_address))
        answers.append(policy(hand._array.ctypes.data, rules.address, blind.parameters_address))
    assert answers == [EXCHANGE, START]


@pytest.mark.parametrize("agent", ["greedy", "random"])
def test_an_agent_that_pays_no_heed_to_the_dice_plays_blind_exactly_as_seeing(agent):
    """`random` draws its choices: asking it twice at a decision may not move its stream."""
    out = dice.BlindPlayer(mjsim.rules("douque-american"), agent, 4, 0.34).play(0, 150)[:, N_PATTERNS * N_COUNTERS :]
    counts = out.reshape(150, 4, N_BLIND)
    half = (N_BLIND - 1) // 2
    assert np.array_equal(counts[:, :, :half], counts[:, :, half:-1])
    assert counts[:, :, BLIND_COUNTERS.index("seeing_score_dealer")].any()
    assert counts[:, :, -1].sum() == 0


def test_hands_with_a_blind_seat_are_those_that_python_plays():
    """Every hand played whole, with each seat in turn blind; the kernel leaves out those that would go the same."""
    rules = mjsim.rules("douque-american")
    agent = bold()
    blind = Blind(agent)
    study = dice.BlindPlayer(rules, agent, 6, 0.34)
    n = 6
    out, drawn = study.play(0, n), study.standings(0, n)
    begin, lay = engine_calls()
    changed = 0
    for w in range(n):
        dealer, east, prevailing, streak = (int(x) for x in drawn[w])
        for p in range(4):
            counts = dict(
                zip(BLIND_COUNTERS, out[w, N_PATTERNS * N_COUNTERS :].reshape(4, -1)[p].tolist(), strict=True)
            )
            expected = dict.fromkeys(BLIND_COUNTERS, 0)
            for number in range(-1, 4):
                hand = mjsim.Hand(rules, seed=6, match=w, hand=1, dealer=dealer, streak=streak, prevailing=prevailing)
                lay(hand._address, hand._rules_address, 6, w, 1)
                hand.record["own_streams"] = 1
                hand.record["dice"] = DICE[p]
                assert hand.record["east"] == east
                begin(hand._address, hand._rules_address, BEGIN)
                decisions = []
                while not hand.over:
                    player = blind if hand.seat == number else agent
                    action = player.policy.python()(hand._address, hand._rules_address, player.parameters_address)
                    decisions.append((hand.seat, action))
                    hand.apply(action)
                if number < 0:
                    seeing, all_see = hand, decisions
                    assert out[w, p * N_COUNTERS + AT["score_0"] :][:4].tolist() == hand.scores
                    continue
                role = "dealer" if number == dealer else "others"
                expected["otherwise"] += decisions != all_see
                for state, played in (("seeing", seeing), ("blind", hand)):
                    wins = [s for s in played.settlements if s["kind"] == "win"]
                    expected[f"{state}_score_{role}"] += played.scores[number]
                    for s in wins:
                        expected[f"{state}_win_{role}"] += s["winner"] == number
                        expected[f"{state}_tai_{role}"] += s["tai"] * (s["winner"] == number)
                    expected[f"{state}_deal_in_{role}"] += any(s["from"] == number for s in wins)
            assert counts == expected
            changed += expected["otherwise"]
    assert changed > 12, "the blind seat mostly plays otherwise"


@pytest.fixture(scope="module")
def adapting() -> tuple[np.ndarray, stats.Sums]:
    out = dice.BlindPlayer(mjsim.rules("douque-american"), bold(), 2, 0.34).play(0, 300)
    return out, stats.Sums.of(out)


def test_the_gain_of_seeing_is_paired_by_wall(adapting):
    out, sums = adapting
    found = dice_measures.summarise_blind(sums)
    counts = out[:, N_PATTERNS * N_COUNTERS :].reshape(300, 4, N_BLIND).astype(float)
    at = BLIND_COUNTERS.index

    def difference(field: str, roles: tuple[str, ...]) -> np.ndarray:
        return sum(
            counts[:, :, at(f"seeing_{field}_{role}")] - counts[:, :, at(f"blind_{field}_{role}")] for role in roles
        )

    both = difference("score", ("dealer", "others")) / 4
    assert found["gain"]["triple"].value == pytest.approx(both[:, 0].mean())
    assert found["gain"]["triple"].half == pytest.approx(stats.Z95 * both[:, 0].std(ddof=1) / math.sqrt(300))
    assert found["gain"]["triple"].lower > 0, "it pays to play well"
    real = both @ (np.array([6, 6, 24, 60]) / 216)
    assert found["gain"]["real_dice"].value == pytest.approx(real.mean())
    assert found["gain"]["real_dice"].half == pytest.approx(stats.Z95 * real.std(ddof=1) / math.sqrt(300))
    for name, role, seats in (("gain_dealer", "dealer", 1), ("gain_other", "others", 3)):
        assert found[name]["straight"].value == pytest.approx(difference("score", (role,))[:, 2].mean() / seats)
    mixed = (found["gain_dealer"]["triple"].value + 3 * found["gain_other"]["triple"].value) / 4
    assert found["gain"]["triple"].value == pytest.approx(mixed)
    tai, wins = (
        [
            sum(counts[:, 0, at(f"{state}_{field}_{role}")].sum() for role in ("dealer", "others"))
            for state in ("seeing", "blind")
        ]
        for field in ("tai", "win")
    )
    assert found["tai"]["triple"].value == pytest.approx(tai[0] / wins[0] - tai[1] / wins[1])
    assert found["otherwise"]["triple"].value == pytest.approx(100 * counts[:, 0, -1].mean() / 4)


def test_a_run_with_both_parts_is_the_same_for_any_workers_and_stops(tmp_path):
    asked = {"walls": 200, "adapt": "greedy", "adapt_walls": 150}
    whole = run(**asked)
    assert whole.adapt["greedy"].n == 150 and whole.hands == 200 * 5 + 150 * 21

    def stop(done: int, _: int) -> None:
        if done > 200:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(**asked, out=tmp_path, progress=stop)
    again = run(**asked, out=tmp_path, workers=2)
    assert again.walls_before > 200
    assert equal(again.sums, whole.sums) and equal(again.adapt["greedy"], whole.adapt["greedy"])
    paths = dice_report.report(again, tmp_path)
    assert {p.name for p in paths} | {"run.json", "sums.npz"} == {p.name for p in tmp_path.iterdir()}
    data = json.loads((tmp_path / "summary.json").read_text())
    assert data["seeing"]["greedy"]["gain"]["patterns"]["real_dice"] == {"value": 0, "lower": 0, "upper": 0}
    assert data["command"].endswith("--walls 200 --seed 3 --adapt greedy --adapt-walls 150")
    with (tmp_path / "seeing.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 5 * len(dice_measures.BLIND_MEASURES)
    page = (tmp_path / "report.html").read_text()
    assert "does not adapt" in page and page.count("<svg") == 5
