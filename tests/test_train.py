"""Training: what the arrays hold, trajectories and advantages, run folders that go on bit for bit, and that it learns."""

from __future__ import annotations

import csv
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mjsim
from mjsim import cli
from mjsim.errors import MjsimError, UsageError

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from mjsim.agents import network  # noqa: E402
from mjsim.agents.checkpoint import load, save  # noqa: E402
from mjsim.envs.common import fill  # noqa: E402
from mjsim.experiments import evaluate, imitate, ppo, train_run  # noqa: E402
from mjsim.experiments.train_command import config_of, threads_for  # noqa: E402
from mjsim.flow.luck import draw_standing  # noqa: E402
from mjsim.hand_record import HAND, OVER  # noqa: E402
from mjsim.jit import entry  # noqa: E402
from mjsim.observe import N_ROWS  # noqa: E402

SMALL = {"channels": 16, "blocks": 1, "pooled": 16}


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@entry
def lay_out(hands, rules, lay, seed, match, streak_below):
    """Lay a hand out as training does."""
    hands[0].pool = 0
    draw_standing(hands[0], rules[0], lay, seed, match, streak_below)


def quiet(text: str) -> None:
    pass


def small_imitation(**given: Any) -> imitate.Config:
    return imitate.Config(
        **{"agent": "greedy", "updates": 2, "chunk": 1024, "batch": 128, "held_out": 512, "save_every": 1, "network": SMALL,
           "critic": SMALL, "seed": 3, **given}
    )  # fmt: skip


def small_ppo(**given: Any) -> ppo.Config:
    return ppo.Config(
        **{"updates": 2, "tables": 8, "steps": 48, "epochs": 2, "batch": 64, "evaluate_every": 2, "sets": 2,
           "promote_sets": 4, "save_every": 1, "network": SMALL, "critic": SMALL, "self_share": 0.3, "seed": 5, **given}
    )  # fmt: skip


# ---- decisions of agents -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["douque-american", "hk16", "house16"])
def test_collected_decisions_are_those_at_the_table(rules):
    """Each hand is laid out again and stepped from Python; every row must be what the seat is shown then."""
    from mjsim.flow import engine

    checked = mjsim.rules(rules).ready()
    data = imitate.Decisions(checked, "greedy", 1400, 11)
    after = data.fill(3)
    apply = engine.apply.python()
    hand = np.zeros(1, HAND)
    shown = np.zeros((N_ROWS, 34), np.int8), np.zeros(147, np.int8), np.zeros((8, 34), np.int8)
    j = 0
    streaks = set()
    for match in range(3, after):
        lay_out(hand, checked.array, engine.lay.address, 11, match, data._streak_below)
        streaks.add(int(hand["streak"][0]))
        apply(hand.ctypes.data, checked.address, -1)
        first = j
        while hand["phase"][0] != OVER:
            seat = int(hand["seat"][0])
            fill(hand, checked, seat, shown[0], shown[1], True, shown[2])
            for mine, other in zip(shown, (data.observations, data.masks, data.hidden), strict=True):
                np.testing.assert_array_equal(mine, other[j])
            assert (data.seats[j], data.numbers[j]) == (seat, match)
            assert apply(hand.ctypes.data, checked.address, int(data.actions[j])) == 0
            j += 1
        for row in range(first, j):
            assert data.scores[row] == hand["scores"][0, data.seats[row]]
    assert j == data.n > 800 and len(streaks) > 1


def test_thinning_keeps_the_share_asked_for_of_play_and_of_the_exchange():
    whole = imitate.Decisions("douque-american", "greedy", 6000, 2)
    whole.fill(0)
    thin = imitate.Decisions("douque-american", "greedy", 6000, 2, one_in=2, opening=8)
    thin.fill(0)

    def opening_share(data: imitate.Decisions) -> float:
        # Row 100 of single values: 0 give, 1 choice.
        return float(data.observations[: data.n, 100, :2].any(1).mean())

    share = opening_share(whole)
    expected = (share / 8) / (share / 8 + (1 - share) / 2)
    assert abs(opening_share(thin) - expected) < 0.03


def test_only_compiled_agents_are_imitated():
    mjsim.agents.make("greedy")

    class First:
        def act(self, observation, mask):
            return int(mask.argmax())

    mjsim.agents.register("first_of_train", lambda text, given: First())
    with pytest.raises(UsageError, match="only compiled agents can be imitated"):
        imitate.Decisions("douque-american", "first_of_train", 1024, 0)


# ---- trajectories ------------------------------------------------------------------------------------------------------


def test_trajectories_go_from_own_to_own_observation_and_end_with_the_score():
    """A slow twin follows every table by the environment's own arrays."""
    config = small_ppo(tables=6, steps=200)
    anchors = [mjsim.agents.make("greedy"), mjsim.agents.make("heuristic")]
    opponents = ppo.Opponents(anchors, 0.5)
    torch.manual_seed(0)
    opponents.add(network.PolicyNet(network.Shape.of(SMALL)), 0.0, "", 8)
    dice = torch.Generator().manual_seed(1)
    collector = ppo.Collector(config, "douque-american", opponents, np.random.default_rng(4), dice)
    net = network.PolicyNet(network.Shape.of(SMALL))
    steps: list[tuple] = []
    env, step = collector.env, collector.env.step

    def noting(actions):
        before = env.seats.copy(), collector.lineup.copy(), env.observations.copy(), actions.copy()
        result = step(actions)
        steps.append((*before, env.hands_done.copy(), env.rewards.copy()))
        return result

    env.step = noting
    out = collector.collect(net)
    following, ended, paid = [], [], []
    latest: dict[tuple[int, int], int] = {}
    for seats, lineup, observations, actions, dones, rewards in steps:
        for table in range(6):
            seat = int(seats[table])
            if lineup[table, seat] == ppo.LEARNER:
                j = len(following)
                following.append(-1)
                ended.append(False)
                paid.append(0.0)
                np.testing.assert_array_equal(out.observations[j], observations[table])
                assert out.actions[j] == actions[table]
                if (table, seat) in latest:
                    following[latest[table, seat]] = j
                latest[table, seat] = j
        for table in np.flatnonzero(dones):
            for seat in range(4):
                if (j := latest.pop((int(table), seat), None)) is not None:
                    ended[j], paid[j] = True, rewards[table, seat] / network.SCORE_SCALE
    assert out.n == len(following) and any(ended) and 1 < out.hands
    assert out.following[: out.n].tolist() == following
    assert out.ended[: out.n].tolist() == ended
    np.testing.assert_allclose(out.paid[: out.n], paid, rtol=1e-6)
    assert len({tuple(row) for row in collector.lineup}) > 1  # opponents sit somewhere
    assert out.masks[np.arange(out.n), out.actions[: out.n]].all()


def test_advantages_are_the_sum_of_discounted_errors():
    out = ppo.Rollout(6)
    out.n = 6
    # Seat a: 0 -> 2 -> 5, ended, paid 2; seat b: 1 -> 3 -> 4, cut off at 4.
    out.following[:] = [2, 3, 5, 4, -1, -1]
    out.ended[5], out.paid[5] = True, 2.0
    out.values[:] = [0.5, 1.0, 0.25, -1.0, 3.0, 0.75]
    learn = out.find_advantages(0.5)
    assert learn.tolist() == [0, 1, 2, 3, 5]
    last = 2.0 - 0.75
    middle = (0.75 - 0.25) + 0.5 * last
    np.testing.assert_allclose(
        out.advantages, [(0.25 - 0.5) + 0.5 * middle, (-1.0 - 1.0) + 0.5 * 4.0, middle, 4.0, 0.0, last]
    )
    out.find_advantages(1.0)
    assert out.advantages[0] == pytest.approx(2.0 - 0.5)  # no discount: what was paid less what was foretold


def test_the_pool_keeps_the_latest_and_the_best():
    opponents = ppo.Opponents([mjsim.agents.make("greedy")], 0.0)
    nets = [network.PolicyNet(network.Shape.of(SMALL)) for _ in range(4)]
    for net, rating in zip(nets, (0.0, 3.0, 1.0, -1.0), strict=True):
        opponents.add(net, rating, str(rating), 3)
    assert opponents.files == ["3.0", "1.0", "-1.0"]
    rng = np.random.default_rng(0)
    drawn = np.bincount([opponents.draw(rng) for _ in range(3000)], minlength=5)
    assert drawn[0] == drawn[1] == 0  # neither the learner nor, with share 0, an anchor
    weights = np.exp([3.0, 1.0, -1.0])
    np.testing.assert_allclose(drawn[2:] / 3000, weights / weights.sum(), atol=0.03)


# ---- runs --------------------------------------------------------------------------------------------------------------


def states_equal(first: Path, second: Path) -> None:
    mine, my_values = train_run.read_state(first / train_run.STATE)
    other, other_values = train_run.read_state(second / train_run.STATE)
    assert set(mine) == set(other) and my_values == other_values
    assert [name for name in mine if not torch.equal(mine[name], other[name])] == []


@pytest.mark.parametrize("method", ["imitate", "ppo"])
def test_a_run_that_goes_on_is_bit_for_bit_the_run_that_was_not_stopped(tmp_path, method):
    module, config = {"imitate": (imitate, small_imitation), "ppo": (ppo, small_ppo)}[method]
    module.train(config(updates=4), tmp_path / "whole", tell=quiet)
    module.train(config(updates=2), tmp_path / "parts", tell=quiet)
    module.train(config(updates=4), tmp_path / "parts", tell=quiet)
    states_equal(tmp_path / "whole", tmp_path / "parts")
    rows = [list(csv.DictReader(open(tmp_path / d / "metrics.csv"))) for d in ("whole", "parts")]
    timed = ("generated_a_second", "collected_a_second", "decisions_a_second")
    for row in rows[0] + rows[1]:
        for name in timed:
            row.pop(name, None)
    assert rows[0] == rows[1] and len(rows[0]) == 4
    assert (tmp_path / "whole" / "curves.png").read_bytes()[:4] == b"\x89PNG"
    assert load(tmp_path / "parts")[1]["method"] == method


def test_ppo_writes_running_means_of_the_network_that_learns(tmp_path):
    for average in (0.0, 0.9):
        out = tmp_path / str(average)
        ppo.train(small_ppo(updates=1, evaluate_every=0, average=average), out, tell=quiet)
        tensors, _ = train_run.read_state(out / train_run.STATE)
        latest = json.loads((out / "latest.json").read_text())["checkpoint"]
        written = load(out / latest)[0].state_dict()
        assert [name for name in written if not torch.equal(written[name], tensors[f"mean.{name}"])] == []
        begun = load(out / json.loads((out / "best.json").read_text())["checkpoint"])[0].by_kind.weight.detach()
        learned = [
            float((weight - begun).norm()) for weight in (written["by_kind.weight"], tensors["net.by_kind.weight"])
        ]
        if average:
            assert 0.0 < learned[0] < learned[1]
        else:
            assert learned[0] == learned[1] > 0.0


def test_ctrl_c_finishes_the_update_and_the_run_goes_on(tmp_path):
    def press(done: int, total: int) -> None:
        if done == 1:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    config = small_imitation(updates=4, save_every=100)
    with pytest.raises(KeyboardInterrupt):
        imitate.train(config, tmp_path / "run", press, quiet)
    assert signal.getsignal(signal.SIGINT) is before
    done = train_run.read_state(tmp_path / "run" / train_run.STATE)[1]["update"]
    assert 1 <= done < 4
    imitate.train(config, tmp_path / "run", None, quiet)
    imitate.train(config, tmp_path / "whole", None, quiet)
    states_equal(tmp_path / "run", tmp_path / "whole")


def test_another_runs_folder_is_refused_by_the_field_that_differs(tmp_path):
    run = train_run.RunFolder(tmp_path / "run", {"method": "ppo", "updates": 3, "seed": 1})
    assert run.open() is None
    train_run.RunFolder(
        tmp_path / "run", {"method": "ppo", "updates": 9, "seed": 1}
    ).open()  # going further is no other run
    with pytest.raises(UsageError, match="its seed is 1, asked for is 2"):
        train_run.RunFolder(tmp_path / "run", {"method": "ppo", "updates": 3, "seed": 2}).open()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("")
    with pytest.raises(UsageError, match=r"is not empty and holds no config\.json"):
        train_run.RunFolder(tmp_path / "other", {}).open()
    (tmp_path / "run" / "config.json").write_text("[1]")
    with pytest.raises(UsageError, match="is not the file of a run"):
        train_run.RunFolder(tmp_path / "run", {}).open()


def test_a_damaged_state_is_refused(tmp_path):
    path = tmp_path / "state.safetensors"
    train_run.write_state(path, {"a": torch.arange(9.0)}, {"update": 3})
    tensors, values = train_run.read_state(path)
    assert torch.equal(tensors["a"], torch.arange(9.0)) and values == {"update": 3}
    path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(MjsimError, match="cut off or altered"):
        train_run.read_state(path)


@pytest.mark.parametrize("broken", ["parameter", "loss", "gradient"])
def test_a_value_that_is_not_finite_stops_the_run_by_name_and_keeps_the_batch(tmp_path, broken):
    net = torch.nn.Linear(2, 1)
    x = torch.ones(3, 2)
    if broken == "parameter":
        with torch.no_grad():
            net.bias[0] = float("inf")
        told = "the parameter net.bias"
    elif broken == "loss":
        x[1, 0] = float("nan")
        told = "the loss 'fit'"
    else:
        told = "the gradient of net.weight"
    losses = {"fine": torch.tensor(1.0), "fit": net(x).mean()}
    if broken == "gradient":
        losses["fit"] = (
            net(torch.zeros(3, 2)) * 0 + net.weight.sum() * 0 + (net.weight - net.weight).abs().sqrt().sum()
        ).sum()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    kept = [p.detach().clone() for p in net.parameters()]
    with pytest.raises(MjsimError, match=rf"step 7: {told} is not finite; the batch is kept in .*nonfinite-7"):
        train_run.guarded_step(tmp_path, 7, losses, {"net": net}, optimizer, 1.0, {"x": x})
    tensors, values = train_run.read_state(tmp_path / "nonfinite-7.safetensors")
    assert tensors["x"].shape == (3, 2) and values["step"] == 7 and told == values["tensor"]
    for before, now in zip(kept, net.parameters(), strict=True):
        assert torch.equal(before, now.detach())  # no step was made


# ---- settings and command ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sets", "told"),
    [
        (["batch=4"], "batch: 4 is no whole number of 8-"),
        (["bach=4"], "unknown setting 'bach'; did you mean 'batch'"),
        (["batch"], "name=value is needed"),
        (["learning_rate=quick"], "a number is needed"),
        (["network=1,2"], "channels,blocks,pooled is needed"),
        (["gae_lambda=1.5"], "gae_lambda: 1.5 is no number of 0-1"),
        (["promote=0.2,0.1"], "promote: .* is no pair m0 < m1"),
        (["tables=4", "steps=4"], "is more than half of the 16 decisions"),
    ],
)
def test_wrong_settings_are_told(sets, told):
    with pytest.raises(UsageError, match=told):
        config_of(ppo.Config, mjsim.rules("hk16"), {}, sets)


def test_settings_take_the_type_of_what_they_replace():
    sets = [
        "tables=32",
        "learning_rate=1e-3",
        "network=8,2,16",
        "anchors=greedy,random",
        "promote=0,0.5",
        "init=runs/a",
    ]
    config = config_of(ppo.Config, mjsim.rules("hk16", min_tai=3), {"updates": 7, "seed": None}, sets)
    assert (config.tables, config.learning_rate, config.updates, config.seed) == (32, 1e-3, 7, 0)
    assert config.network == {"channels": 8, "blocks": 2, "pooled": 16}
    assert config.anchors == ("greedy", "random") and config.promote == (0.0, 0.5) and config.init == "runs/a"
    assert config.rules == "hk16" and config.options == {"min_tai": 3}


def test_improve_leaves_a_core_to_what_plays_beside_it():
    assert [threads_for(method, None, 4) for method in ("imitate", "improve", "ppo")] == [4, 3, 4]
    assert threads_for("improve", None, 1) == 1 and threads_for("improve", 8, 2) == 8
    with pytest.raises(UsageError, match="--threads 0: a whole number of 1-1024 is needed"):
        threads_for("improve", 0, 2)


def test_commands_train_one_after_the_other_and_the_network_is_played(tmp_path, capsys, monkeypatch):
    def command(*words: Any) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["mjsim", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            cli.main()
        told = capsys.readouterr()
        return int(stop.value.code or 0), told.out + told.err

    small = ["--set", "network=16,1,16", "--set", "critic=16,1,16", "--threads", "1"]
    first = [
        "train",
        "imitate",
        "--out",
        tmp_path / "i",
        "-n",
        "1",
        "--set",
        "chunk=1024",
        "--set",
        "held_out=512",
        "--sets",
        "3",
        *small,
    ]
    code, out = command(*first)
    assert code == 0 and "against heuristic (3 sets)" in out
    strength = load(tmp_path / "i")[1]["strength"]
    assert strength["sets"] == 3 and strength["against"] == "heuristic" and strength["margin"] < 0
    code, out = command(
        "train", "improve", "--init", tmp_path / "i", "--out", tmp_path / "m", "-n", "1", "--set", "chunk=1024", "--set",
        "worlds=1", "--threads", "1", "--sets", "0",
    )  # fmt: skip
    assert code == 0 and "tai a hand" in out and load(tmp_path / "m")[1]["method"] == "improve"
    code, out = command(
        "train", "ppo", "--init", tmp_path / "m", "--out", tmp_path / "p", "-n", "1", "--set", "tables=8", "--set", "steps=32",
        "--set", "batch=64", "--set", "evaluate_every=1", "--set", "sets=2", "--set", "promote_sets=4", *small, "--json",
    )  # fmt: skip
    assert (
        code == 0
        and json.loads(out.splitlines()[-1] if out.splitlines()[-1][0] == "{" else out.splitlines()[0])["update"] == 1
    )
    card = load(tmp_path / "p")[1]
    assert card["parent"] == load(tmp_path / "m")[1]["sha256"]
    # The critic of the imitation came along with the network that was improved.
    critics = [train_run.critic_of(tmp_path / name, {})[1]["trunk.planes.weight"] for name in ("i", "m")]
    assert torch.equal(*critics)
    code, out = command("evaluate", f"checkpoint:{tmp_path / 'p'}", "greedy", "--sets", "4", "--workers", "1")
    assert code == 0 and "A/A check" in out
    code, out = command("train", "ppo", "--init", tmp_path / "i", "--out", tmp_path / "q", "--rules", "hk16")
    assert code == 2 and "its rules are 'douque-american', those of the table 'hk16'" in out
    code, out = command("train", "imitate", "--out", tmp_path / "r", "--agent", "neural_of_mars")
    assert code == 2 and "unknown agent" in out


# ---- learning ----------------------------------------------------------------------------------------------------------


def test_imitation_learns_to_beat_random_by_three_tai_a_hand(tmp_path):
    """The gate: 16,384 decisions of `heuristic`, on one thread with a fixed seed; measured +6 and more."""
    config = imitate.Config(
        updates=2, chunk=8192, batch=128, decay_updates=2, held_out=0, save_every=2, seed=1,
        network={"channels": 32, "blocks": 2, "pooled": 64}, critic=SMALL,
    )  # fmt: skip
    row = imitate.train(config, tmp_path / "run", tell=quiet)
    assert row["loss_policy"] < 1.6
    result = evaluate.run([f"checkpoint:{tmp_path / 'run'}", "random"], sets=60, seed=2)
    assert result["advantage"]["lower"] > 3.0


def test_ppo_raises_what_pays_and_lowers_what_costs():
    """One update on made-up advantages: the paid action becomes likelier, and more so than the others."""
    config = small_ppo(kl=0.0, entropy=0.0, entropy_end=0.0)
    torch.manual_seed(0)
    trainer = ppo.Trainer.__new__(ppo.Trainer)
    trainer.config = config
    trainer.net = network.PolicyNet(network.Shape.of(SMALL))
    trainer.critic = network.Critic(network.Shape.of(SMALL))
    seen = torch.randint(0, 2, (64, 107, 34), dtype=torch.int8)
    masks = torch.zeros(64, 147, dtype=torch.int8)
    masks[:, :4] = 1
    actions = torch.arange(64) % 4
    with torch.no_grad():
        before = torch.log_softmax(trainer.net(seen, masks)[0], 1)
    batch = {
        "observations": seen, "masks": masks, "hidden": torch.zeros(64, 8, 34, dtype=torch.int8), "actions": actions,
        "log_p": before.gather(1, actions.unsqueeze(1)).squeeze(1),
        "advantages": torch.where(actions == 2, 1.0, -1.0 / 3.0), "returns": torch.zeros(64),
    }  # fmt: skip
    optimizer = torch.optim.SGD(trainer.net.parameters(), 0.5)
    losses, metrics = trainer._losses(batch, 0.0, 0.0, False)
    assert metrics["clipped"] == 0.0 and abs(metrics["kl_update"]) < 1e-5
    losses["policy"].backward()
    optimizer.step()
    with torch.no_grad():
        after = torch.log_softmax(trainer.net(seen, masks)[0], 1)
    change = (after - before)[:, :4].mean(0)
    assert change[2] > 0 and (change[[0, 1, 3]] < change[2]).all()
    assert float((change * torch.tensor([-1.0, -1.0, 3.0, -1.0])).sum()) > 0
    assert set(trainer._losses(batch, 0.0, 0.0, True)[0]) == {"critic"}


@pytest.mark.slow
def test_ppo_from_nothing_beats_random(tmp_path):
    config = ppo.Config(
        updates=12, tables=64, steps=64, batch=256, learning_rate=1e-3, evaluate_every=0, save_every=12, self_share=1.0, seed=2,
        network={"channels": 32, "blocks": 1, "pooled": 64}, critic=SMALL, kl=0.0,
    )  # fmt: skip
    ppo.train(config, tmp_path / "run", tell=quiet)
    latest = json.loads((tmp_path / "run" / "latest.json").read_text())["checkpoint"]
    result = evaluate.run([f"checkpoint:{tmp_path / 'run' / latest}", "random"], sets=60, seed=2)
    assert result["advantage"]["lower"] > 0.2


def test_a_critic_comes_with_the_run_it_was_trained_in(tmp_path):
    imitate.train(small_imitation(updates=1), tmp_path / "run", tell=quiet)
    shape, tensors = train_run.critic_of(str(tmp_path / "run"), {"channels": 1, "blocks": 1, "pooled": 1})
    assert shape == SMALL and "value.weight" in tensors
    best = json.loads((tmp_path / "run" / "best.json").read_text())["checkpoint"]
    assert train_run.critic_of(str(tmp_path / "run" / best), SMALL)[1].keys() == tensors.keys()
    save(
        network.PolicyNet(network.Shape.of(SMALL)),
        tmp_path / "alone",
        mjsim.rules("hk16"),
        method="ppo",
        steps=0,
        updates=0,
        seed=0,
    )
    assert train_run.critic_of(str(tmp_path / "alone.json"), SMALL) == (SMALL, {})
