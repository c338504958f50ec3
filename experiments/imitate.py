"""Imitation: a network learns to decide as a compiled agent does, and to foretell scores. One file, top to bottom. Needs torch.

Hands of the agent in all four seats are played at compiled speed straight into arrays (`imitate_kernels`); every decision is
learned from once and then forgotten, so there is no data set to store and nothing to overfit. A critic that sees the hidden tiles
learns beside the network, for `ppo` to begin with. An update is one chunk of decisions, shuffled, in minibatches.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from mjsim.actions import DISCARD, GIVE, N_ACTIONS, OTHER, PASS, READY
from mjsim.agents import make
from mjsim.agents.network import SCORE_SCALE, Critic, PolicyNet, Shape
from mjsim.envs.common import engine_array
from mjsim.errors import UsageError
from mjsim.experiments.evaluate_play import MAX_STREAK
from mjsim.experiments.imitate_kernels import collect
from mjsim.experiments.train_run import (
    RunFolder,
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
from mjsim.hand_record import HAND
from mjsim.observe import N_PRIVILEGED, N_ROWS
from mjsim.play import MAX_DECISIONS
from mjsim.ruleset import rules as make_rules

#: Hands for validation come from matches from here on; no training run gets there.
HELD_OUT = 1 << 50

#: Panels of curves.png.
PANELS = {
    "accuracy on held-out hands": ("accuracy", "accuracy_give", "accuracy_discard", "accuracy_claim"),
    "loss": ("loss_policy", "held_out_policy"),
    "score foretold, share of variance": ("explained", "explained_critic"),
}


@dataclass
class Config:
    """What a run of imitation is.

    Attributes:
        rules, options: the rule set.
        agent: the compiled agent to imitate, in all four seats.
        updates: chunks to learn from, in all.
        chunk: decisions of a chunk. batch: of a minibatch.
        one_in: of so many decisions one is learned from (neighbours in a hand tell the same); `opening` the same for the
            decisions of the exchange, of which a hand has 24 and more.
        learning_rate: at the start; falls to a tenth by a cosine over `decay_updates`, then stays.
        value_weight: of the score that the network foretells.
        network, critic: their sizes.
        seed: of all luck, of the weights and of the order.
        save_every: updates between checkpoints.
        held_out: decisions of the validation, 0 for none.
    """

    rules: str = "douque-american"
    options: dict[str, Any] = field(default_factory=dict)
    agent: str = "heuristic"
    updates: int = 100
    chunk: int = 16_384
    batch: int = 128
    one_in: int = 4
    opening: int = 8
    learning_rate: float = 3e-3
    decay_updates: int = 200
    weight_decay: float = 1e-4
    value_weight: float = 0.1
    most_norm: float = 1.0
    network: dict[str, int] = field(default_factory=lambda: Shape(64, 4, 128).as_dict())
    critic: dict[str, int] = field(default_factory=lambda: Shape(48, 2, 96).as_dict())
    seed: int = 0
    save_every: int = 10
    held_out: int = 8192

    def check(self) -> None:
        """UsageError for a value out of range."""
        whole("updates", self.updates, 1, 10**9)
        whole("batch", self.batch, 8, 65_536)
        whole("chunk", self.chunk, max(self.batch, 2 * MAX_DECISIONS), 1 << 20)
        whole("one_in", self.one_in, 1, 64)
        whole("opening", self.opening, 1, 64)
        whole("decay_updates", self.decay_updates, 1, 10**9)
        whole("seed", self.seed, 0, 2**62 - 1)
        whole("save_every", self.save_every, 1, 10**9)
        whole("held_out", self.held_out, 0, 1 << 20)
        number("learning_rate", self.learning_rate, 1e-7, 1.0)
        number("weight_decay", self.weight_decay, 0.0, 1.0)
        number("value_weight", self.value_weight, 0.0, 100.0)
        number("most_norm", self.most_norm, 1e-3, 1e3)


class Decisions:
    """Plays hands of compiled agents and fills arrays with their decisions.

    Arrays, of which the first `n` rows count after `fill`: observations int8[size, N_ROWS, 34], masks int8[size, 147], hidden
    int8[size, N_PRIVILEGED, 34], actions int16, seats int8, scores float32 (tai, of the seat that decided), numbers int32 (of
    the hand).
    """

    def __init__(self, rules: Any, agent: str, size: int, seed: int, one_in: int = 1, opening: int = 1) -> None:
        self.rules = make_rules(rules).ready()
        self.agent = make(agent)
        if self.agent.policy is None:
            raise UsageError(f"agent {agent!r}: only compiled agents can be imitated (greedy, heuristic, search)")
        self.seed, self.one_in, self.opening, self.n = seed, one_in, opening, 0
        self.observations = np.zeros((size, N_ROWS, 34), np.int8)
        self.masks = np.zeros((size, N_ACTIONS), np.int8)
        self.hidden = np.zeros((size, N_PRIVILEGED, 34), np.int8)
        self.actions = np.zeros(size, np.int16)
        self.seats = np.zeros(size, np.int8)
        self.scores = np.zeros(size, np.float32)
        self.numbers = np.zeros(size, np.int32)
        self._hands = np.zeros(1, HAND)
        self._streak_below = streak_thresholds(DEFAULT_KEEP, min(self.rules.flags["streak_cap"], MAX_STREAK))
        self._policies = np.full(4, self.agent.address, np.int64)
        self._parameters = np.full(4, self.agent.parameters_address, np.int64)
        self._pace = Pace(16)

    def fill(self, match: int, progress: Callable[[], Any] | None = None) -> int:
        """Play matches match, match + 1, ... until the arrays are full; returns the match to go on from."""
        self.n = 0
        size = len(self.actions)
        while size - self.n >= MAX_DECISIONS:
            began = time.perf_counter()
            rows = slice(self.n, size)
            n, hands = collect(
                self._hands, self.rules.array, engine_array(), self._policies, self._parameters, self.seed, match,
                self._pace.size, self._streak_below, self.one_in, self.opening, 1, self.observations[rows].ctypes.data,
                self.masks[rows].ctypes.data, self.hidden[rows].ctypes.data, self.actions[rows], self.seats[rows],
                self.scores[rows], self.numbers[rows],
            )  # fmt: skip
            if n < 0:
                raise self.agent.complaint(f"agent {self.agent.name!r} answered an illegal action (match {match})")
            self.numbers[self.n : self.n + n] += match % (1 << 30)
            self.n += n
            match += hands
            self._pace.took(hands, time.perf_counter() - began)
            if hands == 0:
                break
        return match

    def batch(self, rows: Any) -> dict[str, torch.Tensor]:
        return {
            "observations": torch.from_numpy(self.observations[rows]),
            "masks": torch.from_numpy(self.masks[rows]),
            "hidden": torch.from_numpy(self.hidden[rows]),
            "actions": torch.from_numpy(self.actions[rows].astype(np.int64)),
            "scores": torch.from_numpy(self.scores[rows] / np.float32(SCORE_SCALE)),
        }


@torch.inference_mode()
def held_out(net: PolicyNet, critic: Critic, data: Decisions) -> dict[str, float]:
    """Accuracy (share of decisions where the likeliest action is the agent's), loss, and score variance explained."""
    right, losses, values, critics = [], [], [], []
    for first in range(0, data.n, 512):
        batch = data.batch(slice(first, min(first + 512, data.n)))
        logits, value = net(batch["observations"], batch["masks"])
        right.append((logits.argmax(1) == batch["actions"]).numpy())
        losses.append(F.cross_entropy(logits, batch["actions"], reduction="none").numpy())
        values.append(value.numpy())
        critics.append(critic(batch["observations"], batch["hidden"]).numpy())
    hit = np.concatenate(right)
    actions = data.actions[: data.n]
    scores = data.scores[: data.n] / SCORE_SCALE
    spread = float(np.mean((scores - scores.mean()) ** 2)) or 1.0

    def explained(foretold: list[np.ndarray]) -> float:
        return 1.0 - float(np.mean((np.concatenate(foretold) - scores) ** 2)) / spread

    def share(which: np.ndarray) -> float:
        return float(hit[which].mean()) if which.any() else math.nan

    claim = data.masks[: data.n, PASS] == 1
    return {
        "accuracy": float(hit.mean()),
        "accuracy_give": share((actions >= GIVE) & (actions < OTHER)),
        "accuracy_discard": share((actions >= DISCARD) & (actions < READY)),
        "accuracy_claim": share(claim),
        "held_out_policy": float(np.concatenate(losses).mean()),
        "explained": explained(values),
        "explained_critic": explained(critics),
    }


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
    run = RunFolder(out, {"method": "imitate", **asdict(config)})
    torch.manual_seed(config.seed)
    net, critic = PolicyNet(Shape.of(config.network)), Critic(Shape.of(config.critic))
    nets = {"net": net, "critic": critic}
    optimizer = torch.optim.AdamW(
        [*net.parameters(), *critic.parameters()], config.learning_rate, weight_decay=config.weight_decay
    )
    order = np.random.default_rng([config.seed, 1])
    data = Decisions(
        rules, config.agent, config.chunk + MAX_DECISIONS, luck_seed(config.seed), config.one_in, config.opening
    )
    update = steps = match = 0
    if (state := run.open()) is not None:
        tensors, values = state
        load_into(net, part(tensors, "net"), "state")
        load_into(critic, part(tensors, "critic"), "state")
        restore_optimizer(optimizer, part(tensors, "optimizer"))
        restore_generator(order, values["order"])
        update, steps, match = values["update"], values["steps"], values["match"]
    check: Decisions | None = None
    if config.held_out:
        check = Decisions(
            rules, config.agent, config.held_out + MAX_DECISIONS, luck_seed(config.seed), config.one_in, config.opening
        )
        check.fill(HELD_OUT)

    def save() -> str:
        tensors = named("net", net.state_dict()) | named("critic", critic.state_dict())
        tensors |= named("optimizer", optimizer_tensors(optimizer))
        run.checkpoint(net, rules, steps, best=True, method="imitate", updates=update, seed=config.seed)
        values = {
            "update": update, "steps": steps, "match": match, "order": generator_state(order), "critic": config.critic,
        }  # fmt: skip
        run.save(tensors, values, PANELS)
        return line_of(run.rows[-1])

    def step(due: bool) -> dict[str, float]:
        nonlocal update, steps, match
        began = time.perf_counter()
        match = data.fill(match)
        generated = time.perf_counter()
        rate = learning_rate(config, update)
        for group in optimizer.param_groups:
            group["lr"] = rate
        shuffled = order.permutation(data.n)
        sums = np.zeros(5)
        net.train()
        for first in range(0, data.n - config.batch + 1, config.batch):
            batch = data.batch(shuffled[first : first + config.batch])
            logits, value = net(batch["observations"], batch["masks"])
            losses = {
                "policy": F.cross_entropy(logits, batch["actions"]),
                "value": config.value_weight * F.mse_loss(value, batch["scores"]),
                "critic": F.mse_loss(critic(batch["observations"], batch["hidden"]), batch["scores"]),
            }
            norm = guarded_step(run.path, steps, losses, nets, optimizer, config.most_norm, batch)
            hit = (logits.detach().argmax(1) == batch["actions"]).float().mean()
            sums += [*(float(loss.detach()) for loss in losses.values()), norm, float(hit)]
            steps += config.batch
        update += 1
        means = sums / (data.n // config.batch)
        names = ("loss_policy", "loss_value", "loss_critic", "norm", "accuracy_training")
        net.eval()
        measured = held_out(net, critic, check) if check is not None and due else {}
        return {
            "update": update, "steps": steps, "learning_rate": rate, **dict(zip(names, means, strict=True)), **measured,
            "decisions_a_second": data.n / (time.perf_counter() - began),
            "generated_a_second": data.n / (generated - began),
        }  # fmt: skip

    return repeat(run, config, update, step, save, progress, tell)


def line_of(row: dict[str, float]) -> str:
    """A row of metrics in a line."""
    shown = ("accuracy", "accuracy_give", "accuracy_discard", "accuracy_claim", "explained", "explained_critic")
    parts = [f"{name} {row[name]:.3f}" for name in shown if name in row]
    return (
        f"update {row['update']:.0f}, {row['steps']:,.0f} decisions, loss {row['loss_policy']:.3f}, "
        + ", ".join(parts)
        + f", {row['decisions_a_second']:,.0f} decisions/s"
    )
