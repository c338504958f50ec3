"""`mjsim study exchange`: what is played, the A/A check, counting, statistics, going on after a stop, and its files."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

import mjsim
from mjsim.actions import BEGIN, EXCHANGE, START
from mjsim.agents import registry
from mjsim.agents.exchange import make
from mjsim.agents.registry import Agent
from mjsim.experiments import dice, exchange, exchange_report, stats
from mjsim.experiments.exchange_kernels import (
    F_ASKED,
    F_DECIDED,
    F_GIVEN,
    F_KEPT_ON,
    F_SCORE,
    F_SHANTEN,
    F_WIN,
    GAIN,
    GAIN_DEALER,
    N_CELL,
    N_FIELD,
    N_SHANTEN,
    WINS,
)
from mjsim.experiments.exchange_measures import CLASSES, DEALER, OTHERS, ROLES, Counted, Deviations, Field, Measures
from mjsim.experiments.exchange_tables import command
from mjsim.experiments.walls import streak_thresholds
from mjsim.hand import engine_calls
from mjsim.hand_record import CHOICE, HAND, OVER
from tests.evaluate_agents import cheat_policy

WAYS = ("shanten+ukeire", "honors", "random")
SMALL: dict[str, Any] = {
    "strategies": WAYS, "walls": 40, "dealer_walls": 1100, "search_walls": 3, "rollouts": 1, "seed": 3,
}  # fmt: skip
FILES = [
    "dealer.csv", "dealer.png", "deviations.png", "given.csv", "given.png", "matrix.csv", "matrix.png", "report.html",
    "run.json", "shanten.csv", "shanten.png", "summary.json", "sums.npz",
]  # fmt: skip


@pytest.fixture(scope="module")
def whole() -> exchange.ExchangeResult:
    return exchange.run(**SMALL, workers=1)


@pytest.fixture(scope="module")
def player() -> exchange.Player:
    return exchange.Player(exchange.make_plan(**SMALL))


def equal(a: dict[str, stats.Sums], b: dict[str, stats.Sums]) -> bool:
    return a.keys() == b.keys() and all(
        a[k].n == b[k].n and np.array_equal(a[k].total, b[k].total) and np.array_equal(a[k].products, b[k].products)
        for k in a
    )


def played_in_python(plan: exchange.Plan, wall: int, ways: list[str], decision: int | None = None) -> np.ndarray:
    """HAND[1]: hand 1 of match `wall` played step by step, a way to give at each seat; `decision` is the dealer's, where given."""
    rules = plan.make_rules()
    apply, lay = engine_calls()
    four = [make(way, plan.dealer, plan.play) for way in ways]
    policies = [agent.policy.python() for agent in four]
    hand = np.zeros(1, HAND)
    at = hand.ctypes.data
    standing = dice.Player(rules, ["greedy"], plan.seed, 0.34).standings(wall, 1)[0]
    for name, value in zip(("dealer", "east", "prevailing", "streak"), standing, strict=True):
        hand[name] = value
    lay(at, rules.address, plan.seed, wall, 1)
    apply(at, rules.address, BEGIN)
    while hand["phase"][0] != OVER:
        s = hand["seat"][0]
        if decision is not None and hand["phase"][0] == CHOICE:
            action = decision
        else:
            action = policies[s](at, rules.address, four[s].parameters_address)
        assert apply(at, rules.address, action) == 0
    return hand


def wins_of(hand: np.ndarray, seat: int) -> int:
    return sum(hand["settle_kind"][i] == 0 and hand["settle_winner"][i] == seat for i in range(hand["n_settlements"]))


# ---- what is played ----------------------------------------------------------------------------------------------------


def test_every_cell_of_a_wall_is_that_hand_and_no_other(player):
    """Row against column in each seat: played step by step on the same wall, it gains and wins what the matrix says."""
    plan = player.plan
    out = player.matrix(0, 3)
    for wall in range(3):
        for c, column in enumerate(WAYS):
            base = played_in_python(plan, wall, [column] * 4)[0]
            for i, row in enumerate(WAYS):
                gain, gain_dealer, wins = 0, 0, 0
                for s in range(4):
                    ways = [column] * 4
                    ways[s] = row
                    hand = played_in_python(plan, wall, ways)[0]
                    assert np.array_equal(hand["pairings"], base["pairings"]) and hand["dealer"] == base["dealer"]
                    gain += hand["scores"][s] - base["scores"][s]
                    gain_dealer += hand["scores"][s] - base["scores"][s] if s == hand["dealer"] else 0
                    wins += wins_of(hand, s)
                assert out[wall, c, i].tolist() == [gain, gain_dealer, wins], (wall, column, row)
    assert (out[..., GAIN] != 0).any()


def test_first_gifts_noted_once_are_those_chosen_in_every_hand():
    """`noted` saves time and changes nothing; the agents' own ways, whose policies see a whole record, too."""
    plan = exchange.make_plan(strategies=["heuristic", "greedy", "shanten", "random"], walls=2, seed=8)
    player = exchange.Player(plan)
    every = np.arange(4)
    noted = player.matrix(0, 8)
    out = np.zeros_like(noted)
    exchange.play_deviations(
        player._hands, player.rules.array, player._engine, *exchange._addresses(player._agents), every, every, False, False,
        plan.seed, 0, player._streak_below, out,
    )  # fmt: skip
    assert np.array_equal(noted, out) and noted[..., GAIN].any()


def test_a_field_is_its_hand_both_ways(player):
    """Scores, wins, shanten and gifts of four alike, the dealer starting and exchanging, as step by step."""
    plan = player.plan
    for number, way in enumerate(WAYS[:2]):
        out = player.field(number, 0, 6)
        assert out.shape == (6, N_FIELD) and (out[:, F_ASKED] == 1).all()
        for wall in range(6):
            start, again = (played_in_python(plan, wall, [way] * 4, d)[0] for d in (START, EXCHANGE))
            dealer = int(start["dealer"])
            k = int(start["shanten_at"][1, dealer]) + 1
            unit = out[wall]
            assert unit[F_DECIDED : F_DECIDED + N_SHANTEN].tolist() == [int(i == k) for i in range(N_SHANTEN)]
            scores = unit[F_SCORE:F_WIN].reshape(N_SHANTEN, 2, 4)
            wins = unit[F_WIN:].reshape(N_SHANTEN, 2, 2)
            for branch, hand in enumerate((start, again)):
                assert scores[k, branch].tolist() == [hand["scores"][(dealer + i) % 4] for i in range(4)]
                won = [wins_of(hand, (dealer + i) % 4) for i in range(4)]
                assert wins[k, branch].tolist() == [won[0], sum(won[1:])]
            assert np.abs(np.delete(scores, k, axis=0)).sum() == 0
            shanten = unit[F_SHANTEN:F_GIVEN].reshape(3, 2, N_SHANTEN)
            for moment in range(3):
                assert shanten[moment, 0].tolist() == [
                    int(again["shanten_at"][moment, dealer]) + 1 == i for i in range(N_SHANTEN)
                ]
                others = [int(again["shanten_at"][moment, s]) + 1 for s in range(4) if s != dealer]
                assert shanten[moment, 1].tolist() == [others.count(i) for i in range(N_SHANTEN)]
            for e in range(2):
                kinds = unit[F_GIVEN + 34 * e : F_GIVEN + 34 * (e + 1)]
                assert kinds.tolist() == np.bincount(again["gives"][e].ravel(), minlength=34).tolist()
            on = 0
            for s in range(4):
                got, passed = again["takes"][0, s].tolist(), again["gives"][1, s].tolist()
                on += sum(min(got.count(t), passed.count(t)) for t in set(got))
            assert unit[F_KEPT_ON] == on


def test_decisions_of_rules_and_search_are_one_of_both_ways(player):
    out = player.decisions(0, 12)
    field = player.field(0, 0, 12)
    scores = field[:, F_SCORE:F_WIN].reshape(12, N_SHANTEN, 2, 4).sum(axis=1)
    shanten = field[:, F_DECIDED : F_DECIDED + N_SHANTEN].argmax(axis=1) - 1
    for i, threshold in enumerate((*exchange.THRESHOLDS, None)):
        chosen = out[:, i, 0]
        if threshold is not None:
            assert chosen.tolist() == (shanten >= threshold).astype(int).tolist()
        picked = scores[np.arange(12), chosen]
        assert out[:, i, 1].tolist() == picked[:, 0].tolist()
        assert out[:, i, 2].tolist() == picked[:, 1:].sum(axis=1).tolist()
    assert set(out[:, :, 0].ravel().tolist()) == {0, 1}


def test_a_strategy_that_deviates_to_itself_gains_exactly_nothing(player, whole):
    out = player.to_itself(0, 12)
    assert (out[..., [GAIN, GAIN_DEALER]] == 0).all()
    assert out[:, [0, 1, 2], [0, 1, 2], WINS].sum() > 0  # they were played
    assert exchange_report.passed(whole)
    tampered = exchange.ExchangeResult(whole.plan, {**whole.sums})
    units = np.zeros((20, 3 * 3 * N_CELL), np.int32)
    units[[4, 5], 0] = 3, -3  # cancels in the mean, and is found all the same
    tampered.sums[exchange.AA] = stats.Sums.of(units)
    assert not exchange_report.passed(tampered)
    assert "FAILED" in exchange_report.notes(Measures(tampered))[-1]


def test_other_rules_with_an_exchange_can_be_studied():
    for rules in (mjsim.rules("hk16", exchange=True), mjsim.rules("douque-american", min_tai=0)):
        player = exchange.Player(exchange.make_plan(rules, ["shanten", "honors"], walls=2, search_walls=1, rollouts=1))
        out = player.matrix(0, 6)
        assert out[..., GAIN].any() and (out[:, [0, 1], [0, 1], GAIN] == 0).all()
        assert player.against_field(0, 1).shape == (1, 1, 3, N_CELL)


# ---- what is counted ---------------------------------------------------------------------------------------------------


def test_gains_and_their_intervals_are_those_of_the_walls(player):
    units = player.matrix(0, 30)
    part = Deviations(stats.Sums.of(units.reshape(30, -1)), WAYS, WAYS)
    for c, column in enumerate(WAYS):
        for i, row in enumerate(WAYS):
            cell = part.cell(column, row)
            x = units[:, c, i, GAIN] / 4
            assert cell.gain.value == pytest.approx(x.mean())
            assert cell.gain.half == pytest.approx(stats.Z95 * x.std(ddof=1) / 30**0.5)
            assert cell.gain.value == pytest.approx((cell.gain_dealer.value + 3 * cell.gain_others.value) / 4)
            assert cell.win.value == pytest.approx(100 * units[:, c, i, WINS].mean() / 4)
            assert cell.win_gain.value == pytest.approx(cell.win.value - part.cell(column, column).win.value)
        best = part.best(column)
        ahead = (units[:, c, WAYS.index(best.strategy), GAIN] - units[:, c, WAYS.index(best.second), GAIN]) / 4
        assert best.ahead.value == pytest.approx(ahead.mean()) and ahead.mean() >= 0
        assert best.ahead.half == pytest.approx(stats.Z95 * ahead.std(ddof=1) / 30**0.5)
        assert best.clear == (best.ahead.lower > 0)
        assert all(part.cell(column, row).gain.value <= best.gain.value for row in WAYS)


def test_measures_of_a_field_are_those_of_its_walls(player):
    units = player.field(0, 0, 400)
    field = Field(stats.Sums.of(units))
    scores = units[:, F_SCORE:F_WIN].reshape(400, N_SHANTEN, 2, 4)
    again = (scores[:, :, 1] - scores[:, :, 0]).sum(axis=1)
    for number, role in enumerate(ROLES):
        assert field.again(role).value == pytest.approx(again[:, number].mean())
    assert field.again(DEALER).half == pytest.approx(stats.Z95 * again[:, 0].std(ddof=1) / 20)
    assert field.again(OTHERS).value == pytest.approx(again[:, 1:].mean())
    assert field.again(DEALER).value + 3 * field.again(OTHERS).value == pytest.approx(0)  # what one gains others pay
    at = units[:, F_DECIDED : F_DECIDED + N_SHANTEN].argmax(axis=1)
    for k in (3, 4, 5):
        assert field.decided_at(k).value == pytest.approx(100 * (at == k).mean())
        assert field.again_at(DEALER, k).value == pytest.approx(again[at == k, 0].mean())
        assert field.score_at(k, 1).value == pytest.approx(scores[at == k, k, 1, 0].mean())
    assert sum(field.decided_at(k).value for k in range(N_SHANTEN)) == pytest.approx(100)
    for threshold in exchange.THRESHOLDS:
        chosen = at - 1 >= threshold
        gain = again[:, 0] * chosen
        assert field.rule(threshold).value == pytest.approx(gain.mean())
        assert field.rule(threshold).half == pytest.approx(stats.Z95 * gain.std(ddof=1) / 20)
        assert field.rule_exchanges(threshold).value == pytest.approx(100 * chosen.mean())
        score = scores[:, :, 0, 0].sum(axis=1) + gain
        assert field.rule_score(threshold).value == pytest.approx(score.mean())
    for moment in range(3):
        both = field.distribution(moment)
        assert both.sum() == pytest.approx(100)
        parts = (field.distribution(moment, DEALER) + 3 * field.distribution(moment, OTHERS)) / 4
        assert both == pytest.approx(parts)
        assert field.shanten(moment).value == pytest.approx(both @ np.arange(-1, N_SHANTEN - 1) / 100)
    assert field.shanten_fall(1).value == pytest.approx(field.shanten(0).value - field.shanten(1).value)
    for e in range(2):
        kinds = [x.value for x in field.given_kinds(e)]
        assert sum(kinds) == pytest.approx(100)
        assert sum(field.given(e, member).value for member in CLASSES.values()) == pytest.approx(100)
        assert field.given(e, CLASSES["dragons"]).value == pytest.approx(sum(kinds[31:]))
    assert 0 < field.given_on.value < 100


def test_strategies_do_what_they_say(whole):
    """Dumping honors gives honors, and fewest shanten lowers it more than the lot."""
    measures = Measures(whole)
    honors = CLASSES["winds"] | CLASSES["dragons"]
    given = {way: field.given(0, honors).value for way, field in measures.fields.items()}
    assert given["honors"] > 75 > given["shanten+ukeire"] > given["random"]
    assert given["random"] == pytest.approx(100 * 7 / 34, abs=8)
    fall = {way: field.shanten_fall(1).value for way, field in measures.fields.items()}
    assert fall["shanten+ukeire"] > 0.4 > fall["random"]


def test_a_strategy_that_throws_tiles_away_is_found_to_lose():
    """Against three that give for shanten and ukeire, giving by lot loses clearly, and the best response is not it."""
    plan = exchange.make_plan(strategies=["shanten+ukeire", "random"], walls=200, search_walls=0)
    units = exchange.Player(plan).matrix(0, 200)
    part = Deviations(stats.Sums.of(units.reshape(200, -1)), plan.strategies, plan.strategies)
    assert part.cell("shanten+ukeire", "random").gain.upper < 0 < part.cell("random", "shanten+ukeire").gain.lower
    best = part.best("random")
    assert best.strategy == "shanten+ukeire" and best.clear
    assert part.best("shanten+ukeire").strategy == "shanten+ukeire"


def test_a_mean_of_nothing_is_none():
    field = Field(stats.Sums.of(np.zeros((5, N_FIELD), np.int32)))
    assert all(np.isnan(x) for x in field.again(DEALER))
    counted = Counted(stats.Sums.of(np.ones((5, 2), np.int32)))
    assert counted.share(np.array([1.0, 0]), np.array([0, 1.0])) == (1, 1, 1)


# ---- the run -----------------------------------------------------------------------------------------------------------


def files_of(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir()}


def test_a_stopped_run_goes_on_to_the_same_bytes(whole, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    exchange_report.report(exchange.run(**SMALL, workers=1, out=one), one)
    seen = []

    def stop(done: int, total: int) -> None:
        seen.append(done)
        if len(seen) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        exchange.run(**SMALL, workers=2, out=two, progress=stop)
    assert list((two / "parts").iterdir())
    again = exchange.run(**SMALL, workers=1, out=two)
    assert 0 < again.walls_before < sum(part.walls for part in again.plan.parts().values()) and not again.was_finished
    exchange_report.report(again, two)
    assert sorted(files_of(one)) == FILES
    assert files_of(one) == files_of(two)
    assert equal(again.sums, whole.sums)
    third = exchange.run(**SMALL, out=two, progress=lambda *x: pytest.fail("a finished run is read, not played"))
    assert third.was_finished and equal(third.sums, whole.sums)


def test_the_number_of_workers_changes_nothing(whole):
    two = exchange.run(**SMALL, workers=2)
    assert equal(two.sums, whole.sums)
    assert exchange_report.as_json(two) == exchange_report.as_json(whole)


def test_a_folder_of_another_run_is_refused(tmp_path):
    asked = SMALL | {"walls": 2, "dealer_walls": 2, "search_walls": 0, "workers": 1, "out": tmp_path / "run"}
    exchange.run(**asked)
    for change, message in (
        ({"seed": 4}, "its seed is 3, asked for is 4"),
        ({"strategies": WAYS[:2]}, "its strategies is"),
        ({"dealer": "start"}, "its dealer is 'shanten>=2'"),
        ({"play": "random"}, "its play is 'greedy'"),
        ({"rules": mjsim.rules("douque-american", min_tai=0)}, "its options is {}"),
    ):
        with pytest.raises(mjsim.UsageError, match=message):
            exchange.run(**(asked | change))


def test_a_policy_that_breaks_the_rules_is_named(player):
    cheating = exchange.Player(player.plan)
    cheating._agents[1] = Agent("cheat", cheat_policy)
    with pytest.raises(mjsim.MjsimError, match="strategy 'honors' chose an illegal action on wall 0") as error:
        cheating.matrix(0, 1)
    assert "\n" not in str(error.value)
    with pytest.raises(mjsim.MjsimError, match="strategy 'honors' chose an illegal action on wall 0"):
        cheating.field(1, 0, 1)


class Told:
    """Plays the first legal action, and notes or breaks at the end of hands."""

    ends: ClassVar[list[list[int]]] = []
    failing = False

    def act(self, observation: np.ndarray, mask: np.ndarray) -> int:
        return int(np.flatnonzero(mask)[0])

    def end(self, scores: list[int]) -> None:
        if self.failing:
            raise ValueError("enough")
        self.ends.append(scores)


def test_who_plays_on_is_told_of_every_end():
    """Every hand of a wall ends for each of its seats, those of a branch and of another's strategy too."""
    registry.register("told_of_ends", lambda text, given: Told())
    player = exchange.Player(
        exchange.make_plan(strategies=["honors", "shanten"], walls=2, rollouts=1, play="told_of_ends")
    )
    for play, hands in (
        (lambda: player.matrix(0, 1), 2 + 2 * 4),
        (lambda: player.to_itself(0, 1), 2 + 2 * 4),
        (lambda: player.field(1, 0, 1), 2),
        (lambda: player.decisions(0, 1), 2),
        (lambda: player.against_field(0, 1), 1 + 2 * 4),
    ):
        Told.ends.clear()
        play()
        assert len(Told.ends) == 4 * hands
        assert all(len(scores) == 4 and sum(scores) == 0 for scores in Told.ends)
    play_on = player._agents[0].play
    faults = [{"agent": "told_of_ends", "text": "match 0, hand 1: said nothing"}]
    play_on.take_faults = lambda: faults
    with pytest.raises(mjsim.MjsimError, match="agent 'told_of_ends' broke the rules: match 0, hand 1: said nothing"):
        player.matrix(0, 1)
    del play_on.take_faults
    Told.failing = True
    with pytest.raises(mjsim.MjsimError, match="agent 'told_of_ends': ValueError: enough") as error:
        player.field(0, 0, 1)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"rules": "douque-taiwanese"},
            "rules: douque-taiwanese has no exchange to study; these have: douque-american, and",
        ),
        ({"rules": mjsim.rules("douque-american", exchange=False)}, "has no exchange to study"),
        ({"strategies": "shanten"}, "strategies: 1 of them; 2-16"),
        ({"strategies": "shanten,honours"}, "unknown word 'honours'; did you mean 'honors'"),
        ({"strategies": "shanten,suit,shanten"}, "strategies: 'shanten' stands twice"),
        ({"strategies": "shanten,search"}, "strategies: 'search' has a part of its own"),
        ({"field": "suit", "strategies": "shanten,honors"}, "field: 'suit' is none of the strategies"),
        ({"dealer": "never"}, "dealer: 'never' is none of start, exchange"),
        ({"dealer": "search"}, "dealer: 'search' has a part of its own"),
        ({"play": "gredy"}, "did you mean 'greedy'"),
        ({"walls": 1}, "walls: 1 is no whole number of 2-"),
        ({"dealer_walls": 0}, "dealer_walls: 0"),
        ({"search_walls": -1}, "search_walls: -1"),
        ({"rollouts": 0}, "rollouts: 0 is no whole number of 1-"),
        ({"seed": -1}, "seed: -1"),
        ({"workers": 0}, "workers: 0"),
    ],
)
def test_a_wrong_argument_is_refused_in_one_line(arguments, message):
    with pytest.raises(mjsim.UsageError, match=message) as error:
        exchange.run(**arguments)
    assert "\n" not in str(error.value)


# ---- the report --------------------------------------------------------------------------------------------------------


def test_files_say_the_same(whole, tmp_path):
    exchange_report.report(whole, tmp_path)
    data = json.loads((tmp_path / "summary.json").read_text())
    assert data == json.loads(json.dumps(exchange_report.as_json(whole), allow_nan=False))
    matrix = pd.read_csv(tmp_path / "matrix.csv").set_index(["three_seats", "one_seat", "measure"])
    for column in WAYS:
        for row in WAYS:
            assert matrix.loc[(column, row, "gain"), "value"] == data["matrix"][column][row]["gain"]["value"]
    given = pd.read_csv(tmp_path / "given.csv")
    assert given.groupby(["four_of", "exchange"]).share.sum().to_numpy() == pytest.approx(np.full(6, 100))
    shares = pd.read_csv(tmp_path / "shanten.csv").groupby(["four_of", "moment", "role"]).share.sum()
    assert shares.to_numpy() == pytest.approx(np.full(18, 100))
    with (tmp_path / "dealer.csv").open(newline="") as file:
        for line in csv.DictReader(file):
            kept = data["fields"][line["four_of"]]["by_shanten"][line["dealer_shanten"]]["exchange_less_start"]
            assert float(line["exchange_less_start"]) == kept[line["role"]]["value"]
    assert all((tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG") for name in ("matrix", "dealer", "given"))
    page = (tmp_path / "report.html").read_text()
    assert page.count("<svg") == 5 and "http" not in page.replace("http://www.w3.org", "")
    assert data["search"]["giver"] == "search:rollouts=1:turn=0:claim=0:choice=0:others=0"
    assert data["search"]["decider"] == "search:rollouts=1:turn=0:claim=0:exchange=0:others=0"
    assert data["search"]["worlds"] == 8 and "in 8 worlds for each set" in page
    for words in (data["command"], data["fingerprint"], *WAYS, "search", "seed", "A/A check"):
        assert words.replace(">", "&gt;") in page


def test_the_command_makes_it_again():
    assert command(exchange.make_plan(seed=5)) == ("mjsim study exchange --rules douque-american --walls 5000 --seed 5")
    plan = exchange.make_plan(
        mjsim.rules("hk16", exchange=True), "suit,pungs+suit", 10, 1, field="pungs+suit", dealer="shanten >= 4",
        play="random", dealer_walls=20, search_walls=0, rollouts=10,
    )  # fmt: skip
    assert command(plan) == (
        "mjsim study exchange --rules hk16 --option exchange=on --strategies suit,pungs+suit --field pungs+suit "
        "--dealer 'shanten>=4' --play random --walls 10 --seed 1 --dealer-walls 20 --search-walls 0 --rollouts 10"
    )


def test_tables_name_every_strategy_with_an_interval(whole):
    from rich.console import Console

    console = Console(width=120)
    with console.capture() as captured:
        console.print(exchange_report.table(whole))
    text = captured.get()
    for way in (*WAYS, "search", "shanten>=4", "start"):
        assert way in text
    assert "±" in text and "nan" not in text
    assert not any(line.strip().startswith("±") for line in text.splitlines())  # no cell is broken over two lines


def test_without_a_search_nothing_is_said_of_it(tmp_path):
    result = exchange.run(**(SMALL | {"search_walls": 0, "walls": 4, "dealer_walls": 50}), workers=1)
    data = exchange_report.as_json(result)
    assert data["search"] is None and set(result.sums) == {"aa", "matrix", "field-0", "field-1", "field-2"}
    exchange_report.report(result, tmp_path)
    assert "worlds" not in (tmp_path / "report.html").read_text().split("How this was made")[0]


def test_the_command_line(tmp_path):
    from typer.testing import CliRunner

    from mjsim.cli import app

    asked = [
        "study",
        "exchange",
        "--strategies",
        "shanten,random",
        "--walls",
        "4",
        "--dealer-walls",
        "40",
        "--search-walls",
        "0",
    ]
    run = CliRunner().invoke(app, [*asked, "--workers", "1", "--json"])
    assert run.exit_code == 0
    assert json.loads(run.stdout)["strategies"] == ["shanten", "random"]
    again = CliRunner().invoke(app, [*asked, "--workers", "1", "--out", str(tmp_path / "run")])
    assert again.exit_code == 0 and "report.html" in again.stdout
    finished = CliRunner().invoke(app, [*asked, "--workers", "1", "--out", str(tmp_path / "run")])
    assert "finished before" in finished.stdout
    wrong = CliRunner().invoke(app, [*asked, "--dealer", "never"])
    assert isinstance(wrong.exception, mjsim.UsageError)


def test_streaks_are_those_of_the_other_studies(player):
    below = streak_thresholds(0.34, player.rules.flags["streak_cap"])
    assert np.array_equal(player._streak_below, below)
