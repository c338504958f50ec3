"""Improvement: a network learns, from hands played to their end, what its teacher should have done. One file. Needs torch.

A compiled agent plays all four seats. At some of its decisions every plausible action is played out, with the hands as they are and
other walls (`improve_kernels`), and the network learns by how much each ends better than the agent's own: one difference is
nearly all noise, but the network sees a million. It goes on learning the agent's decisions beside that. The policy that is written
takes both together, logit + sharpness * gain in tai, with running means of the weights. The sharpness of each kind of decision is
the one that would have brought most in decisions that were not yet learned from.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from mjsim.actions import GIVE as FIRST_GIFT
from mjsim.actions import N_ACTIONS, OTHER, PASS, START
from mjsim.agents import make
from mjsim.agents.checkpoint import check_rules, load
from mjsim.agents.network import GAIN_SCALE, N_OTHER, Gains, PolicyNet, Shape
from mjsim.envs.common import engine_array
from mjsim.errors import UsageError
from mjsim.experiments.evaluate_play import MAX_STREAK
from mjsim.experiments.improve_kernels import MOST_COMPARED, compare
from mjsim.experiments.train_run import (
    Mean,
    RunFolder,
    critic_of,
    generator_state,
    guarded_step,
    learning_rate,
    load_into,
    luck_seed,
    named,
    number,
    optimizer_tensors,
    part,
    repeat,
    restore_generator,
    restore_optimizer,
)
from mjsim.experiments.walls import DEFAULT_KEEP, Pace, streak_thresholds, whole
from mjsim.hand_record import CHOICE, CLAIM, GIVE, HAND, TURN
from mjsim.observe import N_ROWS
from mjsim.play import MAX_DECISIONS
from mjsim.ruleset import rules as make_rules

#: Kinds of decisions, by the phase in which they are made.
KINDS = {"give": GIVE, "choice": CHOICE, "turn": TURN, "claim": CLAIM}

#: The row of gifts in the heads by kind of tile.
GIVES = FIRST_GIFT // 34

#: Sharpnesses tried: logits for a tai of gain. With the greatest the teacher's likely actions count no more.
SHARPNESS = (0.0, 1.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 2048.0)

#: Of gifts the policy that is written has no greater sharpness: its logits are scaled down to it, which leaves the likeliest gift
#: as it is, and lets `ppo`, which draws by them, go on from a policy that is neither certain nor steep in its weights.
SHARPEST_GIFTS = 64.0

#: Standard deviation (tai) of what a difference comes out as: gains are learned as means of that noise.
NOISE = 5.0

#: One in so many minibatches is tried before it is learned from.
TRIED = 2

#: What an update's trial of sharpnesses counts for after another one.
DECAY = 0.95

#: Panels of curves.png.
PANELS = {
    "gain a hand (tai) over the teacher, before learning": ("gain_hand", "gain_hand_without"),
    "gain a decision (tai)": ("gain_give", "gain_choice", "gain_turn", "gain_claim"),
    "loss": ("loss_policy",),
    "loss of gains": ("loss_gain",),
    "sharpness": ("sharpness_give", "sharpness_choice", "sharpness_turn", "sharpness_claim"),
}


@dataclass
class Config:
    """What a run of improvement is.

    Attributes:
        rules, options: the rule set.
        init: checkpoint or run folder to begin from; needed.
        agent: the compiled agent whose decisions are compared, in all four seats.
        updates: chunks to learn from, in all.
        chunk: decisions of a chunk. batch: of a minibatch.
        opening, one_in: of so many decisions of the exchange, and of others, one is compared.
        worlds: walls in which each action is played out. width: discards that are compared.
        kinds: of decisions (of KINDS) in which gains count in the policy that is written.
        policy_weight: of the loss of the teacher's decisions beside that of gains, whose noise has a thousand times their
            signal: with much of it the trunk would learn nothing else.
        average: the networks that are tried and written are running means of those that learn, with this share of the mean
            before; noise in them is what a step of learning does.
        learning_rate: at the start; falls to a tenth by a cosine over `decay_updates`, then stays.
        seed: of all luck and of the order.
        save_every: updates between checkpoints.
    """

    rules: str = "douque-american"
    options: dict[str, Any] = field(default_factory=dict)
    init: str = ""
    agent: str = "heuristic"
    updates: int = 100
    chunk: int = 16_384
    batch: int = 128
    opening: int = 12
    one_in: int = 16
    worlds: int = 4
    width: int = 5
    kinds: tuple[str, ...] = ("give",)
    policy_weight: float = 0.3
    average: float = 0.9995
    learning_rate: float = 5e-4
    decay_updates: int = 120
    weight_decay: float = 1e-4
    most_norm: float = 1.0
    seed: int = 0
    save_every: int = 10

    def check(self) -> None:
        """UsageError for a value out of range."""
        if not self.init:
            raise UsageError("init: a checkpoint or the folder of a run is needed (mjsim train imitate makes one)")
        limits = {
            "updates": (1, 10**9), "batch": (8, 65_536), "opening": (1, 1024), "one_in": (1, 1024), "worlds": (1, 1024),
            "width": (1, 17), "decay_updates": (1, 10**9), "seed": (0, 2**62 - 1), "save_every": (1, 10**9),
        }  # fmt: skip
        for name, (low, high) in limits.items():
            whole(name, getattr(self, name), low, high)
        whole("chunk", self.chunk, max(self.batch, 2 * MAX_DECISIONS), 1 << 20)
        for kind in self.kinds:
            if kind not in KINDS:
                raise UsageError(f"kinds: {kind!r} is none of {', '.join(KINDS)}")
        number("policy_weight", self.policy_weight, 0.0, 1000.0)
        number("average", self.average, 0.0, 0.999999)
        number("learning_rate", self.learning_rate, 1e-7, 1.0)
        number("weight_decay", self.weight_decay, 0.0, 1.0)
        number("most_norm", self.most_norm, 1e-3, 1e3)


class Comparisons:
    """Plays hands and fills arrays with decisions and what other actions would have brought.

    Arrays, of which the first `n` rows count after `fill`: observations int8[size, N_ROWS, 34], masks int8[size, 147], actions
    int64[size, MOST_COMPARED] (the agent's own first, -1 where there are fewer), gains float32 of that shape (tai), compared
    int8 (how many), phases int8, numbers int32 (of the hand). `hands` is how many were played for them, `seconds` how long it took.
    """

    def __init__(
        self, rules: Any, agent: str, size: int, seed: int, opening: int, one_in: int, worlds: int, width: int
    ) -> None:
        self.rules = make_rules(rules).ready()
        self.agent = make(agent)
        if self.agent.policy is None or self.agent.name.partition(":")[0] == "search":
            raise UsageError(
                f"agent {agent!r}: only compiled agents that do not search are compared (greedy, heuristic)"
            )
        self.search = make("search")
        self.seed, self.n, self.hands, self.seconds = seed, 0, 0, 0.0
        self.rates = np.array([opening, one_in, one_in, max(1, opening // 8)], np.int64)
        self.worlds, self.width = worlds, width
        self.observations = np.zeros((size, N_ROWS, 34), np.int8)
        self.masks = np.zeros((size, N_ACTIONS), np.int8)
        self.actions = np.full((size, MOST_COMPARED), -1, np.int16)
        self.gains = np.zeros((size, MOST_COMPARED), np.float32)
        self.compared = np.zeros(size, np.int8)
        self.phases = np.zeros(size, np.int8)
        self.numbers = np.zeros(size, np.int32)
        self._hands = np.zeros(1, HAND)
        self._streak_below = streak_thresholds(DEFAULT_KEEP, min(self.rules.flags["streak_cap"], MAX_STREAK))
        self._agent = np.array([self.agent.address, self.agent.parameters_address], np.int64)
        self._pace = Pace(4)

    def fill(self, match: int, stop: threading.Event | None = None) -> int:
        """Play matches match, match + 1, ... until the arrays are full, or `stop` is set; returns the match to go on from."""
        self.n, begun, start = 0, match, time.perf_counter()
        size = len(self.actions)
        while size - self.n >= MAX_DECISIONS and not (stop is not None and stop.is_set()):
            began = time.perf_counter()
            rows = slice(self.n, size)
            n, hands = compare(
                self._hands, self.rules.array, engine_array(), self._agent, self.search.addresses(), self.seed, match,
                self._pace.size, self._streak_below, self.rates, self.width, self.worlds,
                self.observations[rows].ctypes.data, self.masks[rows].ctypes.data, self.actions[rows], self.gains[rows],
                self.compared[rows], self.phases[rows], self.numbers[rows],
            )  # fmt: skip
            if n < 0:
                raise self.agent.complaint(f"agent {self.agent.name!r} answered an illegal action (match {match})")
            self.numbers[self.n : self.n + n] += match % (1 << 30)
            self.n += n
            match += hands
            self._pace.took(hands, time.perf_counter() - began)
            if hands == 0:
                break
        self.hands, self.seconds = match - begun, time.perf_counter() - start
        return match

    def batch(self, rows: Any) -> dict[str, torch.Tensor]:
        return {
            "observations": torch.from_numpy(self.observations[rows]),
            "masks": torch.from_numpy(self.masks[rows]),
            "actions": torch.from_numpy(self.actions[rows].astype(np.int64)),
            "gains": torch.from_numpy(self.gains[rows]),
            "compared": torch.from_numpy(self.compared[rows]),
            "phases": torch.from_numpy(self.phases[rows]),
        }


def answers(net: PolicyNet, gains: Gains, batch: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Masked logits and gains, float [n, 147]."""
    x, table = net.trunk(batch["observations"])
    return net.logits(x, table, batch["masks"]), gains(x, table)


class Trial:
    """What each sharpness would have brought: tai over the teacher's action a decision of each kind, older updates count less."""

    def __init__(self, kinds: Sequence[str] = tuple(KINDS)) -> None:
        self._kinds = kinds  # the others go without gains
        self.sums = np.zeros((len(KINDS), len(SHARPNESS)))
        self.counts = np.zeros(len(KINDS))
        self.hands = 0.0  # of a seat

    def begin(self, hands: int) -> None:
        """An update of so many hands begins."""
        self.sums *= DECAY
        self.counts *= DECAY
        self.hands = self.hands * DECAY + 4 * hands / TRIED

    def add(self, logits: torch.Tensor, gains: torch.Tensor, batch: dict[str, torch.Tensor]) -> None:
        """Decisions that were not learned from before: masked logits and gains float [n, 147]."""
        known = batch["actions"] >= 0
        actions = batch["actions"].clamp(min=0)
        mine, bring = logits.gather(1, actions), gains.gather(1, actions) * GAIN_SCALE
        several = batch["compared"] > 1
        for row, phase in enumerate(KINDS.values()):
            here = several & (batch["phases"] == phase)
            self.counts[row] += int(here.sum())
            for column, sharpness in enumerate(SHARPNESS):
                both = (mine[here] + sharpness * bring[here]).masked_fill(~known[here], -torch.inf)
                chosen = both.argmax(1, keepdim=True)
                self.sums[row, column] += float(batch["gains"][here].gather(1, chosen).sum())

    def best(self) -> dict[str, tuple[float, float, float]]:
        """By kind of decision: (sharpness, gain a decision with it, gain without gains)."""
        found = {}
        for row, name in enumerate(KINDS):
            means = self.sums[row] / max(self.counts[row], 1.0)
            column = int(means.argmax()) if name in self._kinds else 0
            found[name] = SHARPNESS[column], float(means[column]), float(means[0])
        return found


def policy_of(net: PolicyNet, gains: Gains, sharpness: dict[str, float]) -> PolicyNet:
    """The policy that takes both together, as a network of its own; see SHARPEST_GIFTS."""
    out = PolicyNet(net.shape)
    out.load_state_dict(net.state_dict())
    turn = sharpness["turn"]
    other = [sharpness["claim"]] * (PASS + 1 - OTHER) + [sharpness["choice"]] * (N_OTHER - (START - OTHER))
    gains.add_to(out, [turn, turn, turn, sharpness["give"]], other)
    if sharpness["give"] > SHARPEST_GIFTS:
        with torch.no_grad():
            for head in (out.by_kind, out.by_kind_table):
                head.weight[GIVES] *= SHARPEST_GIFTS / sharpness["give"]
                head.bias[GIVES] *= SHARPEST_GIFTS / sharpness["give"]
    out.eval()
    return out


def train(
    config: Config,
    out: str | Path,
    progress: Callable[[int, int], Any] | None = None,
    tell: Callable[[str], Any] = print,
) -> dict[str, float]:
    """Run a config in folder `out`, or what is missing of it; returns the last row of metrics.

    Args:
        progress: called as progress(updates done, updates).
        tell: gets a line of text at each checkpoint.

    Raises UsageError for a wrong value or another run's folder, KeyboardInterrupt after Ctrl-C, when the state is saved.
    """
    config.check()
    rules = make_rules(config.rules, **config.options)
    run = RunFolder(out, {"method": "improve", **asdict(config)})
    torch.manual_seed(config.seed)
    state = run.open()
    if state is None:
        net, card = load(config.init)
        check_rules(card, rules, config.init)
        parent = card["sha256"]
        # Nothing is learned of it here; it is handed on to `ppo`.
        critic_shape, critic = critic_of(config.init, {})
    else:
        net, parent = PolicyNet(Shape.of(state[1]["network"])), state[1]["parent"]
        critic_shape, critic = state[1]["critic"], part(state[0], "critic")
    gains = Gains(net.shape)
    nets = {"net": net, "gains": gains}
    mean = Mean(config.average, nets)
    optimizer = torch.optim.AdamW(
        [*net.parameters(), *gains.parameters()], config.learning_rate, weight_decay=config.weight_decay
    )
    order = np.random.default_rng([config.seed, 3])
    # Two, so that the next chunk is played, in a thread of its own, while one is learned from.
    data, other = (
        Comparisons(
            rules, config.agent, config.chunk + MAX_DECISIONS, luck_seed(config.seed), config.opening, config.one_in,
            config.worlds, config.width,
        )
        for _ in range(2)
    )  # fmt: skip
    trial = Trial(config.kinds)
    update = steps = match = 0
    if state is not None:
        tensors, values = state
        load_into(net, part(tensors, "net"), "state")
        load_into(gains, part(tensors, "gains"), "state")
        for name, one in mean.nets.items():
            load_into(one, part(tensors, f"mean_{name}"), "state")
        mean.steps = values["averaged"]
        restore_optimizer(optimizer, part(tensors, "optimizer"))
        restore_generator(order, values["order"])
        update, steps, match = values["update"], values["steps"], values["match"]
        trial.sums, trial.counts = np.array(values["sums"]), np.array(values["counts"])
        trial.hands = values["hands"]

    def save() -> str:
        tensors = named("net", net.state_dict()) | named("gains", gains.state_dict())
        tensors |= named("optimizer", optimizer_tensors(optimizer)) | named("critic", critic)
        for name, one in mean.nets.items():
            tensors |= named(f"mean_{name}", one.state_dict())
        made = policy_of(mean.nets["net"], mean.nets["gains"], {name: found[0] for name, found in trial.best().items()})
        run.checkpoint(
            made, rules, steps, best=True, method="improve", updates=update, seed=config.seed, parent=parent
        )  # fmt: skip
        values = {
            "update": update, "steps": steps, "match": match, "order": generator_state(order), "parent": parent,
            "network": net.shape.as_dict(), "sums": trial.sums.tolist(), "counts": trial.counts.tolist(),
            "hands": trial.hands, "averaged": mean.steps, "critic": critic_shape,
        }  # fmt: skip
        run.save(tensors, values, PANELS)
        return line_of(run.rows[-1])

    left = threading.Event()
    with ThreadPoolExecutor(1) as player, _set_at_end(left):
        coming = player.submit(data.fill, match, left) if update < config.updates else None

        def step(due: bool) -> dict[str, float]:
            nonlocal data, other, coming, update, steps, match
            assert coming is not None
            began = time.perf_counter()
            match = coming.result()
            here, data, other = data, other, data
            coming = player.submit(data.fill, match, left) if update + 1 < config.updates else None
            rate = learning_rate(config, update)
            for group in optimizer.param_groups:
                group["lr"] = rate
            trial.begin(here.hands)
            shuffled = order.permutation(here.n)
            sums = np.zeros(4)
            net.train()
            for at, first in enumerate(range(0, here.n - config.batch + 1, config.batch)):
                batch = here.batch(shuffled[first : first + config.batch])
                if at % TRIED == 0:
                    with torch.inference_mode():
                        trial.add(*answers(mean.nets["net"], mean.nets["gains"], batch), batch)
                logits, found = answers(net, gains, batch)
                policy, gain = F.cross_entropy(logits, batch["actions"][:, 0]), gain_loss(found, batch)
                losses = {"policy": config.policy_weight * policy, "gain": gain}
                norm = guarded_step(run.path, steps, losses, nets, optimizer, config.most_norm, batch)
                hit = (logits.detach().argmax(1) == batch["actions"][:, 0]).float().mean()
                mean.follow()
                sums += [float(policy.detach()), float(gain.detach()), norm, float(hit)]
                steps += config.batch
            update += 1
            means = sums / (here.n // config.batch)
            return {
                "update": update, "steps": steps, "learning_rate": rate,
                **dict(zip(("loss_policy", "loss_gain", "norm", "accuracy"), means, strict=True)),
                **row_of(trial, here.rates), "decisions_a_second": here.n / (time.perf_counter() - began),
                "generated_a_second": here.n / here.seconds,
            }  # fmt: skip

        return repeat(run, config, update, step, save, progress, tell)


@contextlib.contextmanager
def _set_at_end(event: threading.Event) -> Iterator[None]:
    try:
        yield
    finally:
        event.set()


def gain_loss(gains: torch.Tensor, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    """Of differences to the agent's own action: mean squared error over twice the variance of their noise."""
    bring = GAIN_SCALE * gains.gather(1, batch["actions"].clamp(min=0))
    wrong = (bring - bring[:, :1] - batch["gains"]) / NOISE
    counted = (batch["actions"] >= 0).float()
    counted[:, 0] = 0.0
    return 0.5 * (wrong * wrong * counted).sum() / counted.sum().clamp(min=1.0)


def row_of(trial: Trial, rates: np.ndarray) -> dict[str, float]:
    """Metrics of a trial: by kind of decision, and a seat's gain a hand, if gains of decisions add up."""
    row = {}
    total = without = 0.0
    rate = {"give": rates[0], "turn": rates[1], "claim": rates[2], "choice": rates[3]}
    for kind, (name, found) in enumerate(trial.best().items()):
        row[f"sharpness_{name}"], row[f"gain_{name}"] = found[0], found[1]
        often = trial.counts[kind] * float(rate[name]) / max(trial.hands, 1.0)
        total += often * found[1]
        without += often * found[2]
    return row | {"gain_hand": total, "gain_hand_without": without}


def line_of(row: dict[str, float]) -> str:
    """A row of metrics in a line."""
    parts = [f"{name} {row[f'gain_{name}']:+.3f} (x{row[f'sharpness_{name}']:g})" for name in KINDS]
    return (
        f"update {row['update']:.0f}, {row['steps']:,.0f} decisions, loss {row['loss_policy']:.3f}, accuracy "
        f"{row['accuracy']:.3f}, tai a hand {row['gain_hand']:+.2f} ({row['gain_hand_without']:+.2f} by the teacher's "
        f"actions alone), a decision: {', '.join(parts)}, {row['decisions_a_second']:,.0f} decisions/s"
    )
