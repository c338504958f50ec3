"""`mjsim evaluate`: what is played in a set, what is counted, the A/A check, a planted advantage, going on after a stop."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mjsim
from mjsim import agents
from mjsim.actions import BEGIN
from mjsim.agents.registry import Agent
from mjsim.experiments import evaluate, evaluate_report
from mjsim.experiments.evaluate_measures import aa_checks
from mjsim.experiments.evaluate_play import MAIN, Player, labels
from mjsim.hand import engine_calls
from mjsim.hand_record import HAND, OVER
from tests.evaluate_agents import RESOLVER, make

FILES = ["aa.parquet", "plot.png", "result.json", "run.json", "sets.parquet"]
A, B = "greedy", "greedy:exchange=3"


def table(out: Path, part: str = "sets") -> pd.DataFrame:
    return pd.read_parquet(out / f"{part}.parquet")


def hands_of(names: list[str], sets: int = 12, **options: Any) -> tuple[evaluate.Plan, pd.DataFrame]:
    """The rows of a short run."""
    plan = evaluate.make_plan(names, sets=sets, seed=4, **options)
    return plan, Player(plan).chunk(MAIN, 0, sets).to_pandas()


def played_in_python(plan: evaluate.Plan, row: pd.Series) -> np.ndarray:
    """HAND[1]: a single hand of the table played step by step, its luck that of hand 1 of match `set`."""
    rules = plan.make_rules()
    apply, lay = engine_calls()
    four = [agents.make(plan.agents[row[f"agent_{s}"]]) for s in range(4)]
    policies = [agent.policy.python() for agent in four]
    hand = np.zeros(1, HAND)
    at = hand.ctypes.data
    for name in ("dealer", "streak", "prevailing"):
        hand[name] = row[name]
    lay(at, rules.address, plan.seed, row["set"], 1)
    hand["own_streams"] = plan.own_draws
    apply(at, rules.address, BEGIN)
    while hand["phase"][0] != OVER:
        s = hand["seat"][0]
        assert apply(at, rules.address, policies[s](at, rules.address, four[s].parameters_address)) == 0
    return hand


# ---- what is played ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "options", "seatings"),
    [
        ([A, B], {}, {(0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 0, 1), (1, 1, 1, 0)}),
        ([A, B], {"mode": "two-two"}, set(itertools.permutations((0, 0, 1, 1)))),
        ([A, B, A, B], {}, {(0, 1, 2, 3), (3, 0, 1, 2), (2, 3, 0, 1), (1, 2, 3, 0)}),
        ([A, B, A, B], {"all_seatings": True}, set(itertools.permutations(range(4)))),
    ],
)
def test_a_set_has_every_seating_once_with_one_standing(names, options, seatings):
    plan, hands = hands_of(names, **options)
    for _, of_set in hands.groupby("set"):
        seated = [tuple(row) for row in of_set[[f"agent_{s}" for s in range(4)]].to_numpy()]
        assert sorted(seated) == sorted(seatings)
        assert (of_set[["dealer", "streak", "prevailing"]].nunique() == 1).all()
    assert hands.groupby("set").ngroups == plan.sets
    assert hands.dealer.nunique() == 4  # drawn with the set


@pytest.mark.parametrize("own_draws", [False, True])
def test_each_hand_of_a_set_has_the_luck_of_its_set(own_draws):
    """Every seating replays from wall, dice, pairings and standing of the set alone, and so do the measures."""
    plan, hands = hands_of([A, B], sets=16, own_draws=own_draws)
    for _, row in hands.iterrows():
        hand = played_in_python(plan, row)[0]
        wins = [i for i in range(hand["n_settlements"]) if hand["settle_kind"][i] == 0]
        for s in range(4):
            mine = [i for i in wins if hand["settle_winner"][i] == s]
            paid = [i for i in wins if hand["settle_payer"][i] == s and hand["settle_how"][i] != 0]
            assert row[f"score_{s}"] == hand["scores"][s]
            assert row[f"win_{s}"] == len(mine)
            assert row[f"tai_{s}"] == sum(hand["settle_tai"][i] for i in mine)
            assert row[f"self_draw_{s}"] == sum(hand["settle_how"][i] == 0 for i in mine)
            assert row[f"deal_in_{s}"] == bool(paid)
            assert row[f"declared_{s}"] == (hand["declared"][s] != 0)
            assert row[f"ready_{s}"] == (bool(mine) or hand["shanten_at"][3][s] <= 0)
        assert row["end"] == ("", "draw", "flower", "win")[hand["end"]]
    scores = [f"score_{s}" for s in range(4)]
    assert (hands[scores].sum(axis=1) == 0).all()


def test_own_draws_are_other_draws():
    """With per-seat draws the same sets are played from the same deal, but hardly any goes the same way."""
    (_, with_own), (_, without) = hands_of([A, B], 40, own_draws=True), hands_of([A, B], 40)
    scores = [f"score_{s}" for s in range(4)]
    assert (with_own[["dealer", "streak"]] == without[["dealer", "streak"]]).all(axis=None)
    assert (with_own[scores] != without[scores]).any(axis=1).mean() > 0.5


def test_an_agent_that_draws_does_not_draw_the_same_in_every_seating():
    _, hands = hands_of(["random", "random"], 30, rules=mjsim.rules("douque-american", min_tai=0))
    assert (hands.groupby("set")[[f"score_{s}" for s in range(4)]].nunique() > 1).any(axis=None)


def test_matches_go_on_from_hand_to_hand():
    _, hands = hands_of([A, B], 6, match_hands=5)
    assert (hands.groupby(["set", "seating"]).hand.apply(list).map(lambda x: x == [0, 1, 2, 3, 4])).all()
    first = hands[hands.hand == 0]
    assert (first[["dealer", "streak", "prevailing"]] == 0).all(axis=None)
    for _, match in hands.groupby(["set", "seating"]):
        for (_, one), (_, then) in itertools.pairwise(match.iterrows()):
            kept = then["dealer"] == one["dealer"]
            assert then["streak"] == (one["streak"] + 1 if kept else 0)
            assert kept or then["dealer"] == (one["dealer"] + 1) % 4


def test_a_match_that_the_rules_end_is_shorter():
    """four-winds ends a match with the North round; its hands that were not played are no rows."""
    plan = evaluate.make_plan([A, B], "four-winds", sets=2, match_hands=60)
    hands = Player(plan).chunk(MAIN, 0, 2).to_pandas()
    sizes = hands.groupby(["set", "seating"]).size()
    assert len(sizes) == 8 and ((sizes >= 16) & (sizes <= 60)).all() and (sizes < 60).any()
    result = evaluate.execute(plan)
    assert result["hands"] == len(hands)
    assert result["contestants"][0]["hands"] + result["contestants"][1]["hands"] == 4 * len(hands)


def test_a_leaderboard_draws_groups_of_four_evenly():
    plan = evaluate.make_plan([A, B, "random", "greedy:exchange=2", "greedy:exchange=4"], sets=300, leaderboard=True)
    groups = plan.groups(0, 300)
    assert all(len(set(row)) == 4 for row in groups.tolist())
    assert np.bincount(groups.ravel()).min() > 210  # 240 on average
    assert np.array_equal(plan.groups(100, 50), groups[100:150])
    pair = evaluate.make_plan(["greedy", "random"], sets=20, leaderboard=True).groups(0, 20)
    assert (np.sort(pair, axis=1) == [0, 0, 1, 1]).all()


# ---- what is counted ---------------------------------------------------------------------------------------------------


def counted(hands: pd.DataFrame, contestant: int) -> pd.DataFrame:
    """A row for each seat and hand of a contestant."""
    names = ("score", "win", "self_draw", "deal_in", "tai", "ready", "declared")
    parts = []
    for s in range(4):
        mine = hands[hands[f"agent_{s}"] == contestant]
        seat = pd.DataFrame({name: mine[f"{name}_{s}"].astype(float) for name in names})
        seat["net"] = seat.score - sum(mine[f"score_{k}"] for k in range(4)) / 4
        parts.append(seat.assign(set=mine["set"]))
    return pd.concat(parts)


@pytest.mark.parametrize("options", [{}, {"mode": "two-two"}, {"rules": "hk16", "match_hands": 3}])
def test_measures_are_those_of_the_rows(tmp_path, options):
    out = tmp_path / "run"
    result = evaluate.run([A, "random"], sets=60, seed=2, out=out, **options)
    hands = table(out)
    for i, contestant in enumerate(result["contestants"]):
        rows = counted(hands, i)
        assert contestant["hands"] == len(rows)
        for name in ("score", "net"):
            assert contestant["measures"][name]["value"] == pytest.approx(rows[name].mean())
        for name in ("win", "self_draw", "deal_in", "ready", "declared"):
            assert contestant["measures"][name]["value"] == pytest.approx(100 * rows[name].mean())
        wins = rows[rows.win == 1]
        tai = contestant["measures"]["tai"]["value"]
        assert tai is None if wins.empty else tai == pytest.approx(wins.tai.mean())
    assert result["advantage"]["value"] == pytest.approx(counted(hands, 0).net.mean())
    one, two = (c["measures"] for c in result["contestants"])
    for name, difference in result["differences"][0]["measures"].items():
        if one[name]["value"] is not None and two[name]["value"] is not None:
            assert difference["value"] == pytest.approx(one[name]["value"] - two[name]["value"])
    assert result["ends"]["draw"]["value"] == pytest.approx(100 * (hands.end == "draw").mean())


def test_places_of_matches_share_what_is_tied(tmp_path):
    out = tmp_path / "run"
    result = evaluate.run(["greedy", "random"], sets=30, match_hands=2, out=out, seed=7)
    hands = table(out)
    total = hands.groupby(["set", "seating"])[[f"score_{s}" for s in range(4)]].sum()
    agent = hands.groupby(["set", "seating"])[[f"agent_{s}" for s in range(4)]].first().to_numpy()
    place = total.rank(axis=1, ascending=False, method="average").to_numpy()
    top = total.to_numpy() == total.to_numpy().max(axis=1, keepdims=True)
    assert (top.sum(axis=1) > 1).any()  # ties for the first place were among them
    first = top / top.sum(axis=1, keepdims=True)
    for i, contestant in enumerate(result["contestants"]):
        assert contestant["measures"]["place"]["value"] == pytest.approx(place[agent == i].mean())
        assert contestant["measures"]["first"]["value"] == pytest.approx(100 * first[agent == i].mean())


def test_the_set_is_the_unit(tmp_path):
    """Intervals agree with a bootstrap over whole sets, and are far from those of hands taken for independent."""
    out = tmp_path / "run"
    result = evaluate.run([A, B], sets=800, out=out)
    rows = counted(table(out), 0)
    by_set = rows.groupby("set")[["net", "win", "tai"]].sum().to_numpy()
    rng = np.random.default_rng(0)
    drawn = by_set[rng.integers(0, 800, (2000, 800))].sum(axis=1)
    boot = {"net": drawn[:, 0] / 3200, "win": drawn[:, 1] / 32, "tai": drawn[:, 2] / drawn[:, 1]}
    for name, values in boot.items():
        cell = result["contestants"][0]["measures"][name]
        assert cell["upper"] - cell["lower"] == pytest.approx(2 * 1.96 * values.std(), rel=0.08)
    cell = result["advantage"]
    assert cell["upper"] - cell["lower"] == pytest.approx(2 * 1.96 * boot["net"].std(), rel=0.08)
    by_hand = 1.96 * rows.net.std() / np.sqrt(len(rows))
    assert (cell["upper"] - cell["lower"]) / 2 < 0.8 * by_hand
    assert result["variance"]["rotation"] == pytest.approx((boot["net"].std() / (by_hand / 1.96)) ** 2, rel=0.1)


def test_a_leaderboard_ranks_by_score_from_twenty_hands_on(tmp_path):
    names = ["random", A, B, "greedy:exchange=4", "greedy:exchange=2"]
    result = evaluate.run(names, sets=60, leaderboard=True, out=tmp_path / "run")
    board = result["leaderboard"]
    scores = [row["measures"]["score"]["value"] for row in board]
    assert [row["rank"] for row in board] == [1, 2, 3, 4, 5]
    assert scores == sorted(scores, reverse=True)
    assert board[-1]["agent"] == "random"
    assert board[-1]["rating"]["upper"] < min(row["rating"]["lower"] for row in board[:-1])
    hands = table(tmp_path / "run")
    for row in board:
        assert row["hands"] == len(counted(hands, names.index(row["agent"])))
        assert row["measures"]["score"]["value"] == pytest.approx(
            counted(hands, names.index(row["agent"])).score.mean()
        )
    few = evaluate.run(names, sets=6, leaderboard=True)["leaderboard"]
    assert {row["hands"] >= 20: row["rank"] is not None for row in few} == {True: True, False: False}
    assert [row["rank"] for row in few][-1] is None


# ---- checks that must come out right -----------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["greedy", "random"])
def test_an_agent_against_itself_scores_nothing(agent):
    rules = mjsim.rules("douque-american", min_tai=0)  # so that random wins at times
    result = evaluate.run([agent, agent], rules, sets=400, seed=1)
    assert result["aa"]["passed"]
    for check in result["aa"]["agents"]:
        if agent == "greedy":  # four at random hardly ever win a hand
            assert check["one_seating"]["lower"] < 0 < check["one_seating"]["upper"]
        # Greedy repeats itself, so its rotated hands are the same four times; random plays each seating anew.
        assert check["rotated"]["exact"] == (agent == "greedy")
    best = result["advantage"]
    assert (best["lower"] == best["upper"] == 0) if agent == "greedy" else best["lower"] < 0 < best["upper"]


def test_the_aa_check_finds_an_agent_that_knows_its_place():
    """An agent that carries over from hand to hand which seat is A's: the same in every place it must score 0, but does not."""
    result = evaluate.run(["counting", "greedy"], sets=200, resolver=RESOLVER)
    check = {c["agent"]: c for c in result["aa"]["agents"]}
    assert not result["aa"]["passed"]
    assert not check["counting"]["rotated"]["passed"] and not check["counting"]["one_seating"]["passed"]
    assert check["greedy"]["rotated"]["passed"] and check["greedy"]["one_seating"]["passed"]
    assert "FAILED" in evaluate_report.lines(result)[3]


def test_the_aa_check_fails_by_chance_one_time_in_a_thousand():
    plan = evaluate.make_plan([A, B], sets=200)
    rng = np.random.default_rng(5)
    failed = 0  # of 4000
    for _ in range(4000):
        x = rng.normal(0, 3, (200, 2))
        series = np.column_stack([np.full(200, 4), 4 * x[:, 0], 4 * x[:, 0] ** 2, np.ones(200), x[:, 1]])
        failed += not all(c.passed for checks in aa_checks(plan, series) for c in checks.values())
    assert 0 < failed <= 11  # 4 expected
    series[:, 1] += 8
    assert not all(c["rotated"].passed for c in aa_checks(plan, series))


def test_too_few_sets_for_the_aa_check_are_said_to_be():
    result = evaluate.run(["greedy", "random"], sets=20)
    assert result["aa"]["passed"] is None
    assert evaluate_report.lines(result)[3].endswith("20 sets are too few to judge")
    board = evaluate.make_plan([A, B, *[f"greedy:exchange={i}" for i in range(10, 20)]], sets=1000, leaderboard=True)
    assert board.aa_sets == 480
    slow = evaluate.make_plan(["search", "greedy"], sets=1000, own_draws=True)
    quick = evaluate.make_plan(["greedy", "random"], sets=1000, own_draws=True)
    assert (slow.aa_sets, slow.shared_sets(1000), slow.shared_sets(30)) == (80, 80, 30)
    assert (quick.aa_sets, quick.shared_sets(1000)) == (200, 1000)


def test_a_planted_advantage_is_found_in_its_size():
    """Against three that discard at random one time in ten: significant, and as large as `simulate` finds it."""
    name = "blunder_for_evaluate"
    if name not in agents.names():
        planted = make("blunder")
        agents.register(name, lambda text, given: Agent(text, planted.policy, planted.values))
    result = evaluate.run(["greedy", "blunder"], sets=3000, seed=3, resolver=RESOLVER)
    found = result["advantage"]
    assert result["aa"]["passed"]
    assert found["lower"] > 0.3
    back = evaluate.run(["blunder", "greedy"], sets=1500, seed=3, resolver=RESOLVER)["advantage"]
    assert back["upper"] < -0.3
    scores, errors = [], []
    for seat in range(4):
        four = [name] * 4
        four[seat] = "greedy"
        hands = mjsim.simulate("douque-american", four, 6000, seed=100 + seat)
        by_match = hands.groupby("match")[f"score_{seat}"].mean()
        scores.append(by_match.mean())
        errors.append(by_match.sem())
    half = (found["upper"] - found["lower"]) / 2 / 1.96
    both = np.hypot(half, np.sqrt(np.square(errors).sum()) / 4)
    assert abs(found["value"] - np.mean(scores)) < 3 * both
    assert both < found["value"] / 6  # so that agreeing says something


def test_a_sequential_test_stops_early_at_a_planted_advantage():
    result = evaluate.run(["greedy", "blunder"], sets=20_000, sprt="0,0.5", resolver=RESOLVER)
    sprt = result["sprt"]
    assert sprt["verdict"] == "H1" and sprt["llr"] >= sprt["upper"]
    assert result["sets"] == sprt["sets"] < 2000
    same = evaluate.run([A, A], sets=500, sprt="0,0.5")["sprt"]
    assert same["verdict"] == "H0" and same["llr"] is None  # exactly 0 in every set
    short = evaluate.run([A, B], sets=256, sprt="-0.01,0.01")["sprt"]
    assert short["verdict"] == "undecided" and short["sets"] == 256


def test_per_seat_draws_are_compared_on_the_same_number_of_sets(tmp_path):
    out = tmp_path / "run"
    result = evaluate.run([A, B], sets=300, own_draws=True, out=out)
    own = result["variance"]["own_draws"]
    assert own["sets"] == 300
    nets = {}
    for part in ("sets", "shared"):
        nets[part] = counted(table(out, part), 0).groupby("set").net.mean()
        assert len(nets[part]) == 300
    assert own["ratio"]["value"] == pytest.approx(nets["sets"].var() / nets["shared"].var())
    assert own["without"]["value"] == evaluate.run([A, B], sets=300)["advantage"]["value"]
    assert any(line.startswith("per-seat draws: variance") for line in evaluate_report.lines(result))


# ---- the run -----------------------------------------------------------------------------------------------------------


def files_of(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir()}


@pytest.mark.parametrize("options", [{}, {"sprt": "-1,1", "own_draws": True}])
def test_a_stopped_run_goes_on_to_the_same_bytes(tmp_path, options):
    whole, out = tmp_path / "whole", tmp_path / "out"
    result = evaluate.run([A, B], sets=600, out=whole, **options)
    seen = []

    def stop(done: int, total: int) -> None:
        seen.append(done)
        if len(seen) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate.run([A, B], sets=600, out=out, progress=stop, **options)
    assert not (out / "result.json").exists() and list((out / "parts").glob("*.arrow"))
    (out / "parts" / "sets-00000001.arrow").write_bytes(b"damaged")
    progress = []
    again = evaluate.run([A, B], sets=600, out=out, progress=lambda *x: progress.append(x), **options)
    assert progress[0][0] == 0 and progress[-1][0] == progress[-1][1]
    assert again == result
    assert files_of(out) == files_of(whole)
    assert sorted(files_of(out)) == sorted(FILES + (["shared.parquet"] if options else []))
    played = []
    assert evaluate.run([A, B], sets=600, out=out, progress=lambda *x: played.append(x), **options) == result
    assert played == []  # a finished run is read, not played


def test_the_number_of_workers_changes_nothing(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    options: dict[str, Any] = {"sets": 700, "resolver": RESOLVER, "sprt": (0, 0.4), "seed": 9}
    first = evaluate.run(["greedy", "blunder"], out=one, workers=1, **options)
    second = evaluate.run(["greedy", "blunder"], out=two, workers=2, **options)
    assert first == second
    assert first["sprt"]["verdict"] == "H1" and first["sets"] < 700
    assert files_of(one) == files_of(two)


def test_a_folder_of_another_run_is_refused(tmp_path):
    out = tmp_path / "run"
    evaluate.run([A, B], sets=4, seed=1, out=out)
    for change, message in (
        ({"seed": 2}, "its seed is 1, asked for is 2"),
        ({"sets": 5}, "its sets is 4"),
        ({"match_hands": 2}, "its match_hands is 0"),
        ({"own_draws": True}, "its own_draws is False"),
        ({"rules": mjsim.rules("douque-american", min_tai=0)}, "its options is {}"),
    ):
        with pytest.raises(mjsim.UsageError, match=message):
            evaluate.run([A, B], **({"sets": 4, "seed": 1, "out": out} | change))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    with pytest.raises(mjsim.UsageError, match="is not empty and holds no run"):
        evaluate.run([A, B], sets=4, out=tmp_path / "full")
    (out / "run.json").write_text("[]")
    with pytest.raises(mjsim.UsageError, match="is not the file of a run"):
        evaluate.run([A, B], sets=4, seed=1, out=out)


def test_an_agent_that_answers_an_illegal_action_is_named():
    with pytest.raises(mjsim.MjsimError, match="agent 'cheat' answered an illegal action at seat") as error:
        evaluate.run(["cheat", "greedy"], sets=2, resolver=RESOLVER)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (["greedy"], {}, "agents: 1 of them; two .A B. or four"),
        (["greedy"] * 3, {}, "agents: 3 of them"),
        (["greedy"], {"leaderboard": True}, "agents: 1 of them; a leaderboard needs 2-1000"),
        (["greedy", "gredy"], {}, "did you mean 'greedy'"),
        (["greedy", "random"], {"mode": "three-one"}, "mode: 'three-one' is not for 2 agents"),
        (["greedy"] * 4, {"mode": "two-two"}, "mode: 'two-two' is not for 4 agents .there: four."),
        (["greedy"] * 4, {"mode": "two-two", "leaderboard": True}, "mode: 'two-two' does not go with a leaderboard"),
        (["greedy", "random"], {"all_seatings": True}, "all_seatings: two agents"),
        (["greedy", "random"], {"sets": 1}, "sets: 1 is no whole number of 2-"),
        (["greedy", "random"], {"sets": True}, "sets: True is no whole number"),
        (["greedy", "random"], {"seed": -1}, "seed: -1"),
        (["greedy", "random"], {"match_hands": -1}, "match_hands: -1"),
        (["greedy", "random"], {"workers": 0}, "workers: 0"),
        (["greedy", "random"], {"sprt": "0"}, "sprt: '0' is no pair m0,m1"),
        (["greedy", "random"], {"sprt": "0.1,0"}, "m0 must be less than m1"),
        (["greedy", "random"], {"sprt": "0,inf"}, "m0 must be less than m1"),
        (["greedy", "random"], {"sprt": "0,1", "leaderboard": True}, "sprt: a leaderboard has no yes/no"),
        (["greedy", "random"], {"rules": "duoque"}, "unknown rules 'duoque'"),
    ],
)
def test_a_wrong_argument_is_refused_in_one_line(names, options, message):
    with pytest.raises(mjsim.UsageError, match=message) as error:
        evaluate.run(names, **options)
    assert "\n" not in str(error.value)


# ---- the report --------------------------------------------------------------------------------------------------------


def test_the_result_names_the_command_that_makes_it_again():
    rules = mjsim.rules("douque-american", min_tai=0, exchange=False, items={"dice_bonus": [1, 1, 1, 1]})
    plan = evaluate.make_plan("greedy,random", rules, 5, 3, mode="two-two", match_hands=2, own_draws=True, sprt=(-1, 1))
    command = evaluate.execute(plan)["command"]
    assert command == (
        "mjsim evaluate greedy random --rules douque-american --option min_tai=0 --option exchange=off "
        "--option items.dice_bonus=1,1,1,1 --sets 5 --seed 3 --mode two-two --match 2 --own-draws --sprt=-1,1"
    )


def test_an_agent_named_twice_gets_a_number():
    assert labels(["greedy", "random", "greedy"]) == ["greedy", "random", "greedy #2"]


@pytest.mark.parametrize(
    ("names", "options"),
    [
        ([A, B], {"sprt": "0,1", "own_draws": True}),
        ([A, B, A, "random"], {}),
        ([A, B, "random"], {"leaderboard": True}),
    ],
)
def test_what_is_printed_has_every_agent_and_an_interval(names, options):
    from rich.console import Console

    result = evaluate.run(names, sets=20, **options)
    json.dumps(result, allow_nan=False)
    console = Console(width=140)
    with console.capture() as captured:
        console.print(evaluate_report.table(result))
    text = captured.get()
    for label in labels(names):
        assert label in text
    assert text.count("±") >= 5 * len(names)
    said = "\n".join(evaluate_report.lines(result))
    assert "A/A check" in said and "nan" not in said + text
    assert ("sequential test" in said) == ("sprt" in options)
