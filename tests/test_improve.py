"""Improvement: what is played out against a slow twin, gains and policies by hand, runs that go on, and that it learns."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mjsim
from mjsim.errors import UsageError

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from mjsim.agents import make, network  # noqa: E402
from mjsim.agents.checkpoint import load, save  # noqa: E402
from mjsim.agents.heuristic_sight import SEAT, TABLE  # noqa: E402
from mjsim.agents.search_worlds import quick_gift  # noqa: E402
from mjsim.experiments import improve, train_run  # noqa: E402
from mjsim.experiments.improve_kernels import MOST_COMPARED, _compare, _shuffle_unseen  # noqa: E402
from mjsim.flow import engine  # noqa: E402
from mjsim.flow.luck import draw_standing  # noqa: E402
from mjsim.hand_record import CHOICE, CLAIM, GIVE, HAND, OVER, TURN  # noqa: E402
from mjsim.jit import entry  # noqa: E402

SMALL = {"channels": 16, "blocks": 1, "pooled": 16}
RULES = "douque-american"


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@entry
def lay_out(hands, rules, lay, seed, match, streak_below):
    hands[0].pool = 0
    draw_standing(hands[0], rules[0], lay, seed, match, streak_below)


@entry
def compare_one(hands, rules, base, search, estimates, n_worlds, rng, actions, gains):
    """The kernel that is tested, on the hand as it stands."""
    scratch = np.zeros(3, HAND)
    tables = np.zeros(1, TABLE)
    seats = np.zeros(1, SEAT)
    h = hands[0]
    return _compare(
        h, rules[0], np.int64(h.seat), base, search, estimates, 5, n_worlds, rng, actions, gains, scratch, tables, seats
    )  # fmt: skip


@entry
def shuffle_unseen(hands, rng):
    _shuffle_unseen(hands[0], rng)


@entry
def gift_of(hands, rules, seat, estimates, gift):
    tables = np.zeros(1, TABLE)
    seats = np.zeros(1, SEAT)
    quick_gift(hands[0], rules[0], seat, estimates, False, gift, tables, seats)


class Table:
    """One hand stepped from Python."""

    def __init__(self) -> None:
        self.rules = mjsim.rules(RULES).ready()
        self.hand = np.zeros(1, HAND)
        self.apply = engine.apply.python()
        self.heuristic, self.greedy = make("heuristic"), make("greedy")
        self.estimates = self.heuristic.parameters

    def ask(self, agent: Any, hand: np.ndarray) -> int:
        return int(agent.policy.python()(hand.ctypes.data, self.rules.address, agent.parameters_address))

    def do(self, hand: np.ndarray, action: int) -> None:
        assert self.apply(hand.ctypes.data, self.rules.address, int(action)) == 0

    def play_out(self, hand: np.ndarray) -> np.ndarray:
        """Exchanges by quick gifts, dealer's decisions by `heuristic`, all else by `greedy`."""
        while hand["phase"][0] != OVER:
            if hand["phase"][0] == GIVE:
                gifts = np.zeros((4, 3), np.int64)
                for seat in range(4):
                    gift_of(hand, self.rules.array, seat, self.estimates, gifts[seat])
                for turn in range(4):
                    for tile in gifts[(int(hand["dealer"][0]) + turn) % 4]:
                        self.do(hand, engine_give(tile))
            else:
                self.do(hand, self.ask(self.heuristic if hand["phase"][0] == CHOICE else self.greedy, hand))
        return hand["scores"][0].copy()

    def to(self, match: int, phase: int, skip: int) -> int:
        """Play `heuristic` up to a decision of a phase with something to compare; returns what it would do there."""
        data = improve.Comparisons(self.rules, "heuristic", 400, 5, 1, 1, 1, 5)
        lay_out(self.hand, self.rules.array, engine.lay.address, 5, match, data._streak_below)
        self.do(self.hand, -1)
        while self.hand["phase"][0] != OVER:
            base = self.ask(self.heuristic, self.hand)
            seat = int(self.hand["seat"][0])
            mask = mjsim.actions.WIN
            if self.hand["phase"][0] == phase and not self.hand["declared"][0, seat] and base != mask:
                if skip == 0:
                    return base
                skip -= 1
            self.do(self.hand, base)
        raise AssertionError("no such decision in this hand")


def engine_give(kind: int) -> int:
    from mjsim.actions import GIVE as FIRST

    return FIRST + int(kind)


@pytest.mark.parametrize(("phase", "skip"), [(TURN, 0), (TURN, 9), (CLAIM, 1), (CHOICE, 0)])
def test_gains_are_those_of_hands_played_out_from_python(phase, skip):
    table = Table()
    base = table.to(3, phase, skip)
    seat = int(table.hand["seat"][0])
    actions, gains = np.full(MOST_COMPARED, -1, np.int16), np.zeros(MOST_COMPARED, np.float32)
    search = make("search").addresses()
    rng = np.array([77], np.uint64)
    before = table.hand.tobytes()
    n = compare_one(table.hand, table.rules.array, base, search, table.estimates, 3, rng, actions, gains)
    assert table.hand.tobytes() == before and n >= 2
    assert actions[0] == base and gains[0] == 0.0 and len(set(actions[:n].tolist())) == n
    rng = np.array([77], np.uint64)
    if phase == TURN:  # the discard by lot is drawn before the worlds are
        again = np.full(MOST_COMPARED, -1, np.int16), np.zeros(MOST_COMPARED, np.float32)
        compare_one(table.hand, table.rules.array, base, search, table.estimates, 0, rng, *again)
    wanted = np.zeros(n)
    for _ in range(3):
        world = table.hand.copy()
        shuffle_unseen(world, rng)
        scores = []
        for action in actions[:n]:
            played = world.copy()
            table.do(played, action)
            scores.append(float(table.play_out(played)[seat]))
        wanted += (np.array(scores) - scores[0]) / 3
    np.testing.assert_allclose(gains[:n], wanted, atol=1e-5)
    assert wanted.any()


@pytest.mark.parametrize("skip", [0, 4, 11])
def test_a_gift_is_played_out_with_the_best_rest_and_the_gifts_of_the_others(skip):
    table = Table()
    base = table.to(3, GIVE, skip)
    seat, round_ = int(table.hand["seat"][0]), int(table.hand["round"][0])
    actions, gains = np.full(MOST_COMPARED, -1, np.int16), np.zeros(MOST_COMPARED, np.float32)
    search = make("search").addresses()
    begun = int(table.hand["n_given"][0])
    n = compare_one(
        table.hand, table.rules.array, base, search, table.estimates, 40, np.array([9], np.uint64), actions, gains
    )
    assert n >= 4 and actions[0] == base
    # A twin without the kernel's short cuts: what this seat has still to give by `heuristic`, the others' by it too; means agree.
    rng = np.array([12345], np.uint64)
    found = np.zeros((60, n))
    for world_number in range(60):
        world = table.hand.copy()
        shuffle_unseen(world, rng)
        for i, action in enumerate(actions[:n]):
            played = world.copy()
            table.do(played, action)
            while played["phase"][0] == GIVE and played["round"][0] == round_:
                table.do(played, table.ask(table.heuristic, played))
            found[world_number, i] = float(table.play_out(played)[seat])
    differences = found - found[:, :1]
    error = np.sqrt(differences.var(0) / 60 + differences.var(0) / 40)
    assert (np.abs(differences.mean(0) - gains[:n]) <= 4 * error + 1e-6).all()
    assert begun == skip % 3


def test_rows_are_decisions_of_the_agent_and_the_same_however_they_are_cut():
    one = improve.Comparisons(RULES, "heuristic", 700, 5, 8, 6, 1, 5)
    after = one.fill(2)
    two = improve.Comparisons(RULES, "heuristic", 700, 5, 8, 6, 1, 5)
    two._pace.size = 1
    assert two.fill(2) == after and one.n == two.n > 150 and one.hands == after - 2
    for name in ("observations", "masks", "actions", "gains", "compared", "phases", "numbers"):
        np.testing.assert_array_equal(getattr(one, name)[: one.n], getattr(two, name)[: one.n])
    for row in range(one.n):
        k = int(one.compared[row])
        actions = one.actions[row]
        assert k >= 1 and one.masks[row, actions[:k]].all() and (actions[k:] == -1).all()
        assert len(set(actions[:k].tolist())) == k and one.gains[row, 0] == 0.0 and not one.gains[row, k:].any()
    compared = one.compared[: one.n] > 1
    assert {GIVE, TURN, CLAIM, CHOICE} == set(one.phases[: one.n][compared].tolist())
    assert len(set(one.numbers[: one.n].tolist())) > 10


def test_only_quick_agents_are_compared():
    for text in ("search", "search:rollouts=4"):
        with pytest.raises(UsageError, match="only compiled agents that do not search"):
            improve.Comparisons(RULES, text, 500, 0, 8, 8, 1, 5)


def test_the_loss_counts_differences_to_the_agents_action_alone():
    gains = torch.zeros(2, 147)
    gains[0, [3, 5, 7]] = torch.tensor([1.0, 1.5, 9.0]) / network.GAIN_SCALE
    batch = {
        "actions": torch.tensor([[3, 5, -1], [8, -1, -1]]),
        "gains": torch.tensor([[0.0, 0.2, 0.0], [0.0, 0.0, 0.0]]),
    }
    assert float(improve.gain_loss(gains, batch)) == pytest.approx((0.5 - 0.2) ** 2 / (2 * improve.NOISE**2))


def test_a_trial_pays_what_the_chosen_action_brought():
    trial = improve.Trial()
    trial.begin(2)
    logits, gains = torch.zeros(2, 147), torch.zeros(2, 147)
    logits[:, 4] = 3.0  # the agent's likely action, 4; action 6 is thought to bring half a tai more
    gains[:, 6] = 0.5 / network.GAIN_SCALE
    batch = {
        "actions": torch.tensor([[4, 6], [4, 6]]), "gains": torch.tensor([[0.0, 3.0], [0.0, -1.0]]),
        "compared": torch.tensor([2, 2]), "phases": torch.tensor([TURN, TURN]),
    }  # fmt: skip
    trial.add(logits, gains, batch)
    turn = list(improve.KINDS).index("turn")
    for column, sharpness in enumerate(improve.SHARPNESS):
        assert trial.sums[turn, column] == pytest.approx(2.0 if sharpness * 0.5 > 3.0 else 0.0)
    assert trial.counts.tolist() == [0.0, 0.0, 2.0, 0.0] and trial.best()["turn"][1:] == pytest.approx((1.0, 0.0))
    assert improve.Trial(("give",)).best()["turn"][0] == 0.0
    row = improve.row_of(trial, np.array([1, 5, 1, 1]))
    # Of two hands' decisions at turns one in five is compared, and half of those are tried.
    assert row["gain_hand"] == pytest.approx(2 * 5 / (4 * 2 / improve.TRIED) * 1.0)


def test_means_follow_the_networks_that_learn():
    net, gains = network.PolicyNet(network.Shape.of(SMALL)), network.Gains(network.Shape.of(SMALL))
    mean = train_run.Mean(0.5, {"net": net, "gains": gains})
    before = gains.other.bias.detach().clone()
    with torch.no_grad():
        gains.other.bias += 1.0
    mean.follow()
    first = min(0.5, 1 / 11)
    torch.testing.assert_close(mean.nets["gains"].other.bias, before + (1.0 - first))
    for _ in range(60):
        mean.follow()
    torch.testing.assert_close(mean.nets["gains"].other.bias, before + 1.0)
    assert mean.steps == 61 and torch.equal(mean.nets["net"].other.weight, net.other.weight)


def test_the_policy_adds_gains_in_tai_to_the_logits_by_kind_of_decision():
    torch.manual_seed(1)
    net, gains = network.PolicyNet(network.Shape.of(SMALL)), network.Gains(network.Shape.of(SMALL))
    for layer in (gains.by_kind, gains.by_kind_table, gains.other):
        torch.nn.init.normal_(layer.weight)
        torch.nn.init.normal_(layer.bias)
    sharpness = {"give": 2.0, "choice": 3.0, "turn": 0.5, "claim": 7.0}
    made = improve.policy_of(net, gains, sharpness)
    seen, mask = torch.randint(0, 2, (5, 107, 34), dtype=torch.int8), torch.ones(5, 147, dtype=torch.int8)
    with torch.no_grad():
        x, table = net.trunk(seen)
        before, bring = net.logits(x, table, mask), network.GAIN_SCALE * gains(x, table)
        after = made(seen, mask)[0]
    actions = mjsim.actions
    times = torch.zeros(147)
    times[actions.DISCARD : actions.GIVE] = 0.5
    times[actions.GIVE : actions.OTHER] = 2.0
    times[actions.OTHER : actions.START] = 7.0
    times[actions.START :] = 3.0
    torch.testing.assert_close(after, before + times * bring, rtol=1e-4, atol=1e-4)
    times[actions.GIVE : actions.OTHER] = 1024.0
    both = before + times * bring
    both[:, actions.GIVE : actions.OTHER] *= 64.0 / 1024.0
    with torch.no_grad():
        after = improve.policy_of(net, gains, {**sharpness, "give": 1024.0})(seen, mask)[0]
    torch.testing.assert_close(after, both, rtol=1e-4, atol=1e-3)


def begin(folder: Path, **given: Any) -> improve.Config:
    torch.manual_seed(2)
    net = network.PolicyNet(network.Shape.of(given.pop("network", SMALL)))
    save(net, folder / "first", mjsim.rules(RULES), method="imitate", steps=0, updates=0, seed=0)
    return improve.Config(
        **{"init": str(folder / "first.json"), "agent": "greedy", "updates": 2, "chunk": 1024, "batch": 64, "worlds": 1,
           "opening": 8, "one_in": 4, "save_every": 1, "seed": 3, **given}
    )  # fmt: skip


def test_a_run_that_goes_on_is_bit_for_bit_the_run_that_was_not_stopped(tmp_path):
    config = begin(tmp_path, updates=2)
    improve.train(config, tmp_path / "whole", tell=lambda text: None)
    config.updates = 1
    improve.train(config, tmp_path / "parts", tell=lambda text: None)
    config.updates = 2
    improve.train(config, tmp_path / "parts", tell=lambda text: None)
    mine, other = (train_run.read_state(tmp_path / name / train_run.STATE) for name in ("whole", "parts"))
    assert mine[1] == other[1] and set(mine[0]) == set(other[0])
    assert [name for name in mine[0] if not torch.equal(mine[0][name], other[0][name])] == []
    rows = [list(csv.DictReader(open(tmp_path / name / "metrics.csv"))) for name in ("whole", "parts")]
    for row in rows[0] + rows[1]:
        for name in ("generated_a_second", "decisions_a_second"):
            del row[name]
    assert rows[0] == rows[1] and len(rows[0]) == 2
    card = load(tmp_path / "parts")[1]
    assert card["method"] == "improve" and card["parent"] == load(tmp_path / "first.json")[1]["sha256"]


def test_it_needs_a_network_of_these_rules_to_begin_from(tmp_path):
    with pytest.raises(UsageError, match="init: a checkpoint or the folder of a run is needed"):
        improve.Config().check()
    with pytest.raises(UsageError, match="kinds: 'discard' is none of give, choice, turn, claim"):
        improve.Config(init="runs/a", kinds=("give", "discard")).check()
    config = begin(tmp_path, rules="hk16")
    with pytest.raises(UsageError, match="its rules are 'douque-american', those of the table 'hk16'"):
        improve.train(config, tmp_path / "run", tell=lambda text: None)


def test_it_learns_which_discards_cost(tmp_path):
    """By its gains alone a network chooses better discards than by lot, before it has learned from those decisions."""
    config = begin(
        tmp_path, agent="heuristic", updates=4, chunk=4096, opening=200, one_in=2, learning_rate=4e-3, decay_updates=4, average=0.9,
        network={"channels": 32, "blocks": 2, "pooled": 32},
    )  # fmt: skip
    improve.train(config, tmp_path / "run", tell=lambda text: None)
    _, values = train_run.read_state(tmp_path / "run" / train_run.STATE)
    turn = list(improve.KINDS).index("turn")
    means = np.array(values["sums"][turn]) / values["counts"][turn]
    data = improve.Comparisons(RULES, "heuristic", 2500, 99, 200, 2, 1, 5)
    data.fill(0)
    shown = data.phases[: data.n] == TURN
    counted = np.arange(MOST_COMPARED) < data.compared[: data.n, None]
    by_lot = float((data.gains[: data.n] * counted).sum(1)[shown].sum() / data.compared[: data.n][shown].sum())
    assert by_lot < -0.3
    assert means[-1] > by_lot / 2
