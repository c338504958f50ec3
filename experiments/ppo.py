"""Self-play PPO on `VectorEnv`. One file, top to bottom. Needs torch.

All four seats learn. A seat's trajectory goes from its own observation to its own next observation; what it is paid in between, the
zero-sum score of the hand, comes with the last of them. At some tables other seats are played by opponents: networks promoted
before, drawn by rating, and fixed anchors. A critic that sees the hidden tiles tells how much better a hand went than it had to
expect. At the start the policy is held near the one that it began from. Every so often the network meets the last promoted one on
duplicate sets, and is promoted when a sequential test says that it is better.
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

from mjsim.actions import N_ACTIONS
from mjsim.agents import make
from mjsim.agents.checkpoint import NetworkAgent, check_rules, load
from mjsim.agents.network import SCORE_SCALE, Critic, PolicyNet, Shape, best_actions
from mjsim.envs import VectorEnv
from mjsim.errors import UsageError
from mjsim.experiments.imitate_kernels import ask_policies
from mjsim.experiments.train_duel import Outcome, duel
from mjsim.experiments.train_run import (
    CHECKPOINTS,
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
from mjsim.experiments.walls import whole
from mjsim.hand_record import HAND
from mjsim.observe import N_PRIVILEGED, N_ROWS
from mjsim.ruleset import rules as make_rules

#: Who sits at a seat: the network that learns; anchors and promoted networks have the numbers after it.
LEARNER = 0

#: Panels of curves.png.
PANELS = {
    "tai a hand on duplicate sets": ("against_anchor", "against_promoted"),
    "entropy, KL to the start": ("entropy", "kl_start"),
    "loss": ("loss_policy", "loss_critic"),
    "change by an update": ("kl_update", "clipped"),
    "share of variance explained": ("explained_critic",),
    "score a hand (tai), learning seats": ("score_with_opponents",),
}


@dataclass
class Config:
    """What a run of PPO is.

    Attributes:
        rules, options: the rule set.
        init: checkpoint or run folder to begin from; the critic that lies in the run is taken too. Empty: from nothing.
        updates: in all. tables: side by side. steps: decisions at each table in an update.
        epochs: how often an update learns from its decisions. batch: decisions of a minibatch.
        average: the network that is measured, promoted and written is a running mean of the one that learns, with this share of
            the mean before: hands differ by 8 tai, so that each step is mostly noise. 0 takes it as it is.
        learning_rate: falls to a tenth by a cosine over `decay_updates`, then stays.
        critic_updates: so many updates at the start train the critic alone.
        gae_lambda: how far an advantage looks before it trusts the critic; there is no discount.
        clip: of the ratio of probabilities.
        entropy, entropy_end, entropy_updates: weight of entropy, straight from the one to the other over so many updates.
        kl, kl_updates: weight of the KL divergence from the policy it began from, straight to 0 over so many updates.
        value_weight: of the score that the policy network foretells.
        self_share: share of hands in which all four seats learn; in the others one to three do.
        anchors: agents among the opponents, drawn in `anchor_share` of these hands; the last is what curves show.
        evaluate_every: updates between evaluations. sets: against the anchor; promote_sets: at most against the promoted.
        promote: m0, m1 of the sequential test, tai a hand.
        pool: networks kept as opponents at most; those of the lowest rating go.
        network, critic: sizes, where `init` does not say.
        seed: of all luck, of weights and of order.
        save_every: updates between checkpoints.
    """

    rules: str = "douque-american"
    options: dict[str, Any] = field(default_factory=dict)
    init: str = ""
    updates: int = 100
    tables: int = 128
    steps: int = 256
    epochs: int = 2
    batch: int = 512
    average: float = 0.999
    learning_rate: float = 1e-4
    decay_updates: int = 160
    critic_updates: int = 0
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    entropy_end: float = 0.001
    entropy_updates: int = 120
    kl: float = 0.2
    kl_updates: int = 100
    value_weight: float = 0.05
    most_norm: float = 0.5
    self_share: float = 0.6
    anchors: tuple[str, ...] = ("greedy", "heuristic")
    anchor_share: float = 0.5
    evaluate_every: int = 10
    sets: int = 256
    promote_sets: int = 1024
    promote: tuple[float, float] = (0.0, 0.2)
    pool: int = 8
    network: dict[str, int] = field(default_factory=lambda: Shape(64, 4, 128).as_dict())
    critic: dict[str, int] = field(default_factory=lambda: Shape(48, 2, 96).as_dict())
    seed: int = 0
    save_every: int = 10

    def check(self) -> None:
        """UsageError for a value out of range."""
        limits = {
            "updates": (1, 10**9), "tables": (1, 65_536), "steps": (1, 65_536), "epochs": (1, 100), "batch": (8, 1 << 20),
            "decay_updates": (1, 10**9), "critic_updates": (0, 10**9), "entropy_updates": (1, 10**9),
            "kl_updates": (1, 10**9), "evaluate_every": (0, 10**9), "sets": (2, 10**6), "promote_sets": (2, 10**6),
            "pool": (1, 1000), "seed": (0, 2**62 - 1), "save_every": (1, 10**9),
        }  # fmt: skip
        for name, (low, high) in limits.items():
            whole(name, getattr(self, name), low, high)
        ranges = {
            "learning_rate": (1e-7, 1.0), "average": (0.0, 0.999999), "gae_lambda": (0.0, 1.0), "clip": (0.01, 1.0),
            "entropy": (0.0, 1.0), "entropy_end": (0.0, 1.0), "kl": (0.0, 100.0), "value_weight": (0.0, 100.0),
            "most_norm": (1e-3, 1e3), "self_share": (0.0, 1.0), "anchor_share": (0.0, 1.0),
        }  # fmt: skip
        for name, (low, high) in ranges.items():
            number(name, getattr(self, name), low, high)
        if self.tables * self.steps < 2 * self.batch:
            raise UsageError(
                f"batch: {self.batch} is more than half of the {self.tables * self.steps} decisions of an update"
            )
        if len(self.promote) != 2 or not self.promote[0] < self.promote[1]:
            raise UsageError(f"promote: {self.promote!r} is no pair m0 < m1 (tai a hand)")
        if not self.anchors:
            raise UsageError("anchors: one agent at least is needed, to measure by")


# ---- collecting --------------------------------------------------------------------------------------------------------


class Opponents:
    """Who may sit with the learner: anchors, numbered 1.., then promoted networks with their ratings (tai a hand)."""

    def __init__(self, anchors: list[Any], share: float) -> None:
        self.anchors, self._share = anchors, share
        self.networks: list[PolicyNet] = []
        self.ratings: list[float] = []
        self.files: list[str] = []

    def add(self, net: PolicyNet, rating: float, file: str, most: int) -> None:
        self.networks.append(net)
        self.ratings.append(rating)
        self.files.append(file)
        while len(self.networks) > most:
            # The latest stays: it is what the learner has to beat.
            lowest = int(np.argmin(self.ratings[:-1]))
            for listed in (self.networks, self.ratings, self.files):
                del listed[lowest]

    def draw(self, rng: np.random.Generator) -> int:
        if not self.networks or rng.random() < self._share:
            return 1 + int(rng.integers(len(self.anchors)))
        weights = np.exp(np.array(self.ratings) - max(self.ratings))
        return 1 + len(self.anchors) + int(rng.choice(len(weights), p=weights / weights.sum()))

    def seats(self, rng: np.random.Generator, self_share: float) -> np.ndarray:
        """int16[4], who sits where in a hand."""
        seats = np.full(4, LEARNER, np.int16)
        if rng.random() >= self_share:
            seats[rng.permutation(4)[: int(rng.integers(1, 4))]] = self.draw(rng)
        return seats


class Rollout:
    """Decisions of an update, in the order they were made.

    Of decision j: `following[j]` is the same seat's next in the same hand (-1: none here), `paid[j]` its scaled score where
    the hand ended after it (`ended[j]`). One without either was cut off: it only tells what the one before it led to.
    """

    def __init__(self, size: int) -> None:
        self.n = 0
        self.observations = np.zeros((size, N_ROWS, 34), np.int8)
        self.masks = np.zeros((size, N_ACTIONS), np.int8)
        self.hidden = np.zeros((size, N_PRIVILEGED, 34), np.int8)
        self.actions = np.zeros(size, np.int64)
        self.log_p = np.zeros(size, np.float32)
        self.following = np.zeros(size, np.int64)
        self.ended = np.zeros(size, np.bool_)
        self.paid = np.zeros(size, np.float32)
        self.values = np.zeros(size, np.float32)
        self.advantages = np.zeros(size, np.float32)
        self.hands = 0
        self.scores: list[float] = []  # of learning seats that sat with opponents, tai

    def add(self, observations: np.ndarray, masks: np.ndarray, hidden: np.ndarray) -> slice:
        rows = slice(self.n, self.n + len(observations))
        self.observations[rows], self.masks[rows], self.hidden[rows] = observations, masks, hidden
        self.following[rows], self.ended[rows], self.paid[rows] = -1, False, 0.0
        self.n = rows.stop
        return rows

    def find_advantages(self, gae_lambda: float) -> np.ndarray:
        """Fill `advantages`; returns the decisions to learn from, int64."""
        following, ended, paid = self.following.tolist(), self.ended.tolist(), self.paid.tolist()
        values = self.values.tolist()
        found = [0.0] * self.n
        for j in range(self.n - 1, -1, -1):
            after = following[j]
            if ended[j]:
                found[j] = paid[j] - values[j]
            elif after >= 0:
                found[j] = values[after] - values[j] + gae_lambda * found[after]
        self.advantages[: self.n] = found
        return np.flatnonzero(self.ended[: self.n] | (self.following[: self.n] >= 0))


class Collector:
    """Plays the tables. Its state is the tables and who sits at them."""

    def __init__(
        self, config: Config, rules: Any, opponents: Opponents, rng: np.random.Generator, dice: torch.Generator
    ):
        self.config, self.opponents, self.rng, self._dice = config, opponents, rng, dice
        # Matches, not single hands: a dealer's streak is met as often as at the table.
        self.env = VectorEnv(config.tables, rules, luck_seed(config.seed), episode="match", privileged=True)
        self.lineup = np.stack([opponents.seats(rng, config.self_share) for _ in range(config.tables)])
        self._anchor_policies = np.array([a.address for a in opponents.anchors], np.int64)
        self._anchor_parameters = np.array([a.parameters_address for a in opponents.anchors], np.int64)
        self.rollout = Rollout(config.tables * config.steps)

    def state(self) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
        tables = np.frombuffer(self.env.tables.tobytes(), np.uint8).copy()
        return {"tables": torch.from_numpy(tables), "lineup": torch.from_numpy(self.lineup)}, {}

    def restore(self, tensors: dict[str, torch.Tensor]) -> None:
        raw = tensors["tables"].numpy().tobytes()
        for i in range(self.config.tables):
            self.env.restore(i, raw[i * HAND.itemsize : (i + 1) * HAND.itemsize])
        self.lineup = tensors["lineup"].numpy().copy()

    @torch.inference_mode()
    def collect(self, net: PolicyNet) -> Rollout:
        """`steps` decisions at every table; the learner's are written down."""
        env, out = self.env, self.rollout
        out.n, out.hands, out.scores = 0, 0, []
        latest = np.full((self.config.tables, 4), -1, np.int64)
        every = np.arange(self.config.tables)
        actions = np.zeros(self.config.tables, np.int64)
        for _ in range(self.config.steps):
            seats = env.seats.astype(np.int64)
            who = self.lineup[every, seats]
            mine = np.flatnonzero(who == LEARNER)
            if len(mine):
                rows = out.add(env.observations[mine], env.masks[mine], env.hidden[mine])
                logits, _ = net(torch.from_numpy(out.observations[rows]), torch.from_numpy(out.masks[rows]))
                log_p = F.log_softmax(logits, 1)
                chosen = torch.multinomial(log_p.exp(), 1, generator=self._dice)
                out.actions[rows] = actions[mine] = chosen.squeeze(1).numpy()
                out.log_p[rows] = log_p.gather(1, chosen).squeeze(1).numpy()
                numbers = np.arange(rows.start, rows.stop)
                before = latest[mine, seats[mine]]
                out.following[before[before >= 0]] = numbers[before >= 0]
                latest[mine, seats[mine]] = numbers
            self._ask_others(who, actions)
            env.step(actions)
            for i in np.flatnonzero(env.hands_done).tolist():
                self._end(i, latest)
        return out

    def _ask_others(self, who: np.ndarray, actions: np.ndarray) -> None:
        n_anchors = len(self.opponents.anchors)
        anchored = np.flatnonzero((who > LEARNER) & (who <= n_anchors))
        if len(anchored):
            numbers = who[anchored] - 1
            ask_policies(
                self.env.tables, self.env.rules.array, self._anchor_policies[numbers], self._anchor_parameters[numbers],
                anchored, actions,
            )  # fmt: skip
        for player in np.unique(who[who > n_anchors]).tolist():
            rows = np.flatnonzero(who == player)
            net = self.opponents.networks[player - n_anchors - 1]
            actions[rows] = best_actions(net, self.env.observations[rows], self.env.masks[rows])

    def _end(self, table: int, latest: np.ndarray) -> None:
        """A hand is over: pay the last decisions of its learning seats, and draw who sits there next."""
        rewards = self.env.rewards[table]
        last = latest[table]
        for seat in np.flatnonzero(last >= 0).tolist():
            self.rollout.ended[last[seat]] = True
            self.rollout.paid[last[seat]] = rewards[seat] / SCORE_SCALE
        learning = self.lineup[table] == LEARNER
        if not learning.all():
            self.rollout.scores.extend(rewards[learning].tolist())
        self.rollout.hands += int(self.env.hands_done[table])
        latest[table] = -1
        self.lineup[table] = self.opponents.seats(self.rng, self.config.self_share)


# ---- learning ----------------------------------------------------------------------------------------------------------


def straight(begin: float, end: float, update: int, over: int) -> float:
    return begin + (end - begin) * min(1.0, update / over)


def copied(net: PolicyNet) -> PolicyNet:
    copy = PolicyNet(net.shape)
    copy.load_state_dict(net.state_dict())
    copy.eval()
    return copy


class Trainer:
    """Networks, optimizer, tables and opponents of a run."""

    def __init__(self, config: Config, run: RunFolder) -> None:
        config.check()
        self.config, self.run = config, run
        self.rules = make_rules(config.rules, **config.options).ready()
        torch.manual_seed(config.seed)
        self.rng = np.random.default_rng([config.seed, 2])
        self.dice = torch.Generator().manual_seed(config.seed)
        self.update = self.steps = 0
        state = run.open()
        self.parent: str | None = None
        critic_shape = config.critic
        begun: dict[str, torch.Tensor] = {}
        if state is not None:
            tensors, values = state
            self.parent, critic_shape = values["parent"], values["critic"]
            self.net = PolicyNet(Shape.of(values["network"]))
            self.start = PolicyNet(Shape.of(values["network"]))
            load_into(self.start, part(tensors, "start"), "state")
            load_into(self.net, part(tensors, "net"), "state")
            begun = part(tensors, "critic")
        elif config.init:
            self.net, card = load(config.init)
            check_rules(card, self.rules, config.init)
            self.parent = card["sha256"]
            critic_shape, begun = critic_of(config.init, critic_shape)
            self.start = copied(self.net)
        else:
            self.net = PolicyNet(Shape.of(config.network))
            self.start = copied(self.net)
        self.mean = Mean(config.average, {"net": self.net})
        self.critic_shape = critic_shape
        self.critic = Critic(Shape.of(critic_shape))
        if begun:
            load_into(self.critic, begun, "critic")
        self.nets = {"net": self.net, "critic": self.critic}
        self.optimizer = torch.optim.Adam(
            [*self.net.parameters(), *self.critic.parameters()], config.learning_rate, eps=1e-5
        )
        self.opponents = Opponents([self._anchor(text) for text in config.anchors], config.anchor_share)
        if state is not None:
            tensors, values = state
            self.update, self.steps, self.mean.steps = values["update"], values["steps"], values["averaged"]
            load_into(self.mean.nets["net"], part(tensors, "mean"), "state")
            restore_optimizer(self.optimizer, part(tensors, "optimizer"))
            for file, rating in zip(values["files"], values["ratings"], strict=True):
                self.opponents.add(load(run.path / file)[0], rating, file, config.pool)
        else:
            file = self._checkpoint(best=True)
            self.opponents.add(copied(self.mean.nets["net"]), 0.0, file, config.pool)
        self.collector = Collector(config, self.rules, self.opponents, self.rng, self.dice)
        if state is not None:
            tensors, values = state
            self.collector.restore(tensors)
            restore_generator(self.rng, values["rng"])
            self.dice.set_state(tensors["dice"])

    def _anchor(self, text: str) -> Any:
        agent = make(text)
        if agent.policy is None:
            raise UsageError(f"anchors: {text!r} is no compiled agent (greedy, heuristic, search)")
        return agent

    def _checkpoint(self, best: bool = False, outcome: Outcome | None = None) -> str:
        strength = None
        if outcome is not None:
            strength = {
                "against": self.config.anchors[-1], "rules": self.rules.name, "margin": outcome.margin,
                "ci95": outcome.ci95, "sets": outcome.sets,
            }  # fmt: skip
        path = self.run.checkpoint(
            self.mean.nets["net"], self.rules, self.steps, best, method="ppo", updates=self.update, seed=self.config.seed,
            parent=self.parent, strength=strength,
        )  # fmt: skip
        return f"{CHECKPOINTS}/{path.name}"

    def save(self) -> None:
        tensors = named("net", self.net.state_dict()) | named("critic", self.critic.state_dict())
        tensors |= named("mean", self.mean.nets["net"].state_dict())
        tensors |= named("start", self.start.state_dict()) | named("optimizer", optimizer_tensors(self.optimizer))
        tensors |= self.collector.state()[0] | {"dice": self.dice.get_state()}
        values = {
            "update": self.update, "steps": self.steps, "parent": self.parent, "network": self.net.shape.as_dict(),
            "critic": self.critic_shape, "rng": generator_state(self.rng), "files": self.opponents.files,
            "ratings": self.opponents.ratings, "averaged": self.mean.steps,
        }  # fmt: skip
        self.run.save(tensors, values, PANELS)

    @torch.inference_mode()
    def _foretell(self, rollout: Rollout) -> None:
        for first in range(0, rollout.n, 512):
            rows = slice(first, min(first + 512, rollout.n))
            found = self.critic(torch.from_numpy(rollout.observations[rows]), torch.from_numpy(rollout.hidden[rows]))
            rollout.values[rows] = found.numpy()

    def step(self) -> dict[str, float]:
        """One update; returns its metrics."""
        config = self.config
        began = time.perf_counter()
        self.net.eval()
        rollout = self.collector.collect(self.net)
        collected = time.perf_counter()
        self._foretell(rollout)
        learn = rollout.find_advantages(config.gae_lambda)
        returns = rollout.advantages + rollout.values
        spread = float(returns[learn].var()) or 1.0
        explained = 1.0 - float((returns[learn] - rollout.values[learn]).var()) / spread
        known = rollout.advantages[learn]
        advantages = (rollout.advantages - known.mean()) / (known.std() + 1e-8)
        lr = learning_rate(config, self.update)
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        weights = (
            straight(config.entropy, config.entropy_end, self.update, config.entropy_updates),
            straight(config.kl, 0.0, self.update, config.kl_updates),
        )
        critic_alone = self.update < config.critic_updates
        self.net.train()
        sums: dict[str, float] = {}
        n = 0
        for _ in range(config.epochs):
            order = self.rng.permutation(learn)
            for first in range(0, len(order) - config.batch + 1, config.batch):
                rows = order[first : first + config.batch]
                batch = {
                    "observations": torch.from_numpy(rollout.observations[rows]),
                    "masks": torch.from_numpy(rollout.masks[rows]),
                    "hidden": torch.from_numpy(rollout.hidden[rows]),
                    "actions": torch.from_numpy(rollout.actions[rows]),
                    "log_p": torch.from_numpy(rollout.log_p[rows]),
                    "advantages": torch.from_numpy(advantages[rows].astype(np.float32)),
                    "returns": torch.from_numpy(returns[rows].astype(np.float32)),
                }
                losses, metrics = self._losses(batch, *weights, critic_alone)
                metrics["norm"] = guarded_step(
                    self.run.path, self.steps, losses, self.nets, self.optimizer, config.most_norm, batch
                )
                self.mean.follow()
                for name, value in metrics.items():
                    sums[name] = sums.get(name, 0.0) + value
                n += 1
        self.update += 1
        self.steps += len(learn)
        ended = time.perf_counter()
        row = {
            "update": self.update, "steps": self.steps, "learning_rate": lr, "hands": rollout.hands,
            **{name: value / n for name, value in sums.items()}, "explained_critic": explained,
            "collected_a_second": config.tables * config.steps / (collected - began),
            "decisions_a_second": len(learn) / (ended - began),
        }  # fmt: skip
        if rollout.scores:
            row["score_with_opponents"] = float(np.mean(rollout.scores))
        return row

    def _losses(
        self, batch: dict[str, torch.Tensor], entropy_weight: float, kl_weight: float, critic_alone: bool
    ) -> tuple[dict[str, torch.Tensor], dict[str, float]]:
        config = self.config
        foretold = self.critic(batch["observations"], batch["hidden"])
        losses = {"critic": F.mse_loss(foretold, batch["returns"])}
        metrics = {"loss_critic": float(losses["critic"].detach())}
        if critic_alone:
            return losses, metrics
        logits, value = self.net(batch["observations"], batch["masks"])
        log_p = F.log_softmax(logits, 1)
        p = log_p.exp()
        entropy = -(p * log_p).sum(1).mean()  # of an illegal action exp(MASKED) x MASKED is 0
        mine = log_p.gather(1, batch["actions"].unsqueeze(1)).squeeze(1)
        ratio = (mine - batch["log_p"]).exp()
        gain = torch.minimum(
            ratio * batch["advantages"], ratio.clamp(1.0 - config.clip, 1.0 + config.clip) * batch["advantages"]
        )
        losses["policy"] = -gain.mean()
        losses["entropy"] = -entropy_weight * entropy
        losses["value"] = config.value_weight * F.mse_loss(value, batch["returns"])
        if kl_weight > 0.0:
            with torch.no_grad():
                of_start = F.log_softmax(self.start(batch["observations"], batch["masks"])[0], 1)
            legal = batch["masks"] != 0
            far = (of_start.exp() * (of_start - log_p)).masked_fill(~legal, 0.0).sum(1).mean()
            losses["kl"] = kl_weight * far
            metrics["kl_start"] = float(far.detach())
        with torch.no_grad():
            metrics |= {
                "loss_policy": float(losses["policy"]),
                "entropy": float(entropy),
                "kl_update": float((ratio - 1.0 - (mine - batch["log_p"])).mean()),
                "clipped": float(((ratio - 1.0).abs() > config.clip).float().mean()),
            }
        return losses, metrics

    def evaluate(self) -> tuple[dict[str, float], Outcome, Outcome]:
        """Against the anchor and against the network promoted last; promotes where the test says better."""
        config = self.config
        card = {"fingerprint": self.rules.fingerprint}
        mine = NetworkAgent("the network", self.mean.nets["net"], card)
        seed = (config.seed * 1_000_003 + 1 + self.update) % 2**62
        anchor = duel(self.rules, mine, self.opponents.anchors[-1], config.sets, seed)
        promoted = NetworkAgent("the promoted one", self.opponents.networks[-1], card)
        test = duel(self.rules, mine, promoted, config.promote_sets, seed + 2**40, config.promote)
        row = {
            "against_anchor": anchor.margin, "against_anchor_ci95": anchor.ci95, "against_promoted": test.margin,
            "against_promoted_ci95": test.ci95, "promoted": float(test.verdict == "H1"),
        }  # fmt: skip
        return row, anchor, test

    def train(self, progress: Callable[[int, int], Any] | None, tell: Callable[[str], Any]) -> dict[str, float]:
        config = self.config
        anchor: Outcome | None = None

        def step(due: bool) -> dict[str, float]:
            nonlocal anchor
            row, anchor = self.step(), None
            if config.evaluate_every and self.update % config.evaluate_every == 0:
                more, anchor, test = self.evaluate()
                row |= more
                if test.verdict == "H1":
                    file = self._checkpoint(True, anchor)
                    rating = self.opponents.ratings[-1] + test.margin
                    self.opponents.add(copied(self.mean.nets["net"]), rating, file, config.pool)
                tell(line_of(row, config.anchors[-1]))
            return row

        def save() -> str:
            self._checkpoint(False, anchor)
            self.save()
            return ""

        return repeat(self.run, config, self.update, step, save, progress, tell)


def line_of(row: dict[str, float], anchor: str) -> str:
    """A row with an evaluation in a line."""
    promoted = " (promoted)" if row["promoted"] else ""
    return (
        f"update {row['update']:.0f}, {row['steps']:,.0f} decisions: {row['against_anchor']:+.3f} ± "
        f"{row['against_anchor_ci95']:.3f} tai a hand against {anchor}, {row['against_promoted']:+.3f} ± "
        f"{row['against_promoted_ci95']:.3f} against the network promoted last{promoted}; entropy "
        f"{row.get('entropy', math.nan):.3f}, {row['collected_a_second']:,.0f} decisions/s collected, "
        f"{row['decisions_a_second']:,.0f} in all"
    )


def train(
    config: Config,
    out: str | Path,
    progress: Callable[[int, int], Any] | None = None,
    tell: Callable[[str], Any] = print,
) -> dict[str, float]:
    """Run a config in folder `out`, or what is missing of it; returns the last row of metrics.

    Args:
        progress: called as progress(updates done, updates).
        tell: gets a line of text at each evaluation.

    Raises UsageError for a wrong value or another run's folder, KeyboardInterrupt after Ctrl-C, when the state is saved.
    """
    config.check()
    make_rules(config.rules, **config.options)
    run = RunFolder(out, {"method": "ppo", **asdict(config)})
    return Trainer(config, run).train(progress, tell)
