"""The networks: a policy with a value head, and a critic for training that sees the hidden tiles. Needs torch.

A residual network over the 34 kinds: in every block each kind looks at its neighbours of the same suit (honors have none) and at
pooled values of the whole table. It owns how int8 observations become numbers; files are `checkpoint`'s business.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from mjsim.actions import N_ACTIONS, OTHER
from mjsim.errors import MjsimError, UsageError
from mjsim.observe import BLOCKS, N_PRIVILEGED, N_ROWS

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    raise UsageError('networks need torch: pip install "mjsim[train]"') from None

#: Blocks whose 34 entries are single values, not kinds.
SINGLE_BLOCKS = ("table", "dice", "flowers", "states", "rules", "wall", "counts")

#: What an entry is divided by, where it is not 0 or 1.
SCALES = {"claimed": 3.0, "discarded": 2.0, "taken": 2.0, "gave": 2.0, "took": 2.0, "ukeire": 16.0}

#: Draws to come in the last privileged row, after three single values.
N_DRAWS = 31

#: Actions without a kind of their own.
N_OTHER = N_ACTIONS - OTHER

#: Scores in tai are divided by this where a network foretells them.
SCORE_SCALE = 10.0

#: Gains of actions in tai are divided by this: about what plausible actions differ by.
GAIN_SCALE = 0.5

#: Masked logits: no probability, and yet finite.
MASKED = -1e9


@dataclass(frozen=True)
class Shape:
    """Sizes of a network.

    Attributes:
        channels: numbers kept for each kind.
        blocks: residual blocks.
        pooled: numbers kept for the whole table.
    """

    channels: int = 64
    blocks: int = 3
    pooled: int = 128

    def as_dict(self) -> dict[str, int]:
        return asdict(self)

    @staticmethod
    def of(given: Any) -> Shape:
        """From plain data; MjsimError names what is missing, unknown or out of range."""
        if not isinstance(given, dict):
            raise MjsimError(f"network: {given!r} is no object with {', '.join(f.name for f in fields(Shape))}")
        known = {f.name for f in fields(Shape)}
        for name in known - set(given):
            raise MjsimError(f"network: {name!r} is missing")
        for name, value in given.items():
            if name not in known:
                raise MjsimError(f"network: unknown field {name!r} (known: {', '.join(sorted(known))})")
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 1024:
                raise MjsimError(f"network: {name} {value!r} is no whole number of 1-1024")
        return Shape(**given)


def _rows() -> tuple[list[int], list[int], list[float]]:
    """(rows over kinds, rows of single values, divisor of each row over kinds)."""
    kinds: list[int] = []
    single: list[int] = []
    scale: list[float] = []
    at = 0
    for name, rows, _ in BLOCKS:
        for row in range(at, at + rows):
            if name in SINGLE_BLOCKS:
                single.append(row)
            else:
                kinds.append(row)
                scale.append(SCALES.get(name, 1.0))
        at += rows
    return kinds, single, scale


_KINDS, _SINGLE, _SCALE = _rows()
assert _KINDS == list(range(len(_KINDS))) and len(_KINDS) + len(_SINGLE) == N_ROWS

#: The row that shows the tile in question; its kind's numbers go to the head of actions without a kind.
QUESTION_ROW = [name for name, rows, _ in BLOCKS for _ in range(rows)].index("question")
DRAWN_ROW = [name for name, rows, _ in BLOCKS for _ in range(rows)].index("drawn")


#: 1 where a kind has a lower, or a higher, neighbour in its suit.
_HAS_LOWER = [float(k < 27 and k % 9 > 0) for k in range(34)]
_HAS_HIGHER = [float(k < 27 and k % 9 < 8) for k in range(34)]


class _Block(nn.Module):
    """One residual block over [batch, 34, channels]: each kind with its neighbours, and the table as a whole."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.near = nn.Linear(channels, 3 * channels, bias=False)
        self.whole = nn.Linear(2 * channels, channels)
        self.own = nn.Linear(channels, channels)
        nn.init.zeros_(self.own.weight)  # a block begins by changing nothing
        nn.init.zeros_(self.own.bias)
        self.register_buffer("has_lower", torch.tensor(_HAS_LOWER).view(34, 1), persistent=False)
        self.register_buffer("has_higher", torch.tensor(_HAS_HIGHER).view(34, 1), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        c = x.shape[2]
        y = F.relu(x)
        pooled = self.whole(torch.cat([y.mean(1), y.amax(1)], 1))
        # One product gives what each kind tells itself and both neighbours; no tile tells anything across a suit's end.
        lower, own, higher = self.near(y).split(c, dim=2)
        z = own + pooled.unsqueeze(1)
        z[:, 1:] += lower[:, :-1] * self.has_lower[1:]
        z[:, :-1] += higher[:, 1:] * self.has_higher[:-1]
        return x + self.own(F.relu(z))


class _Trunk(nn.Module):
    """From an observation to float [batch, 34, channels] by kind and [batch, pooled] of the table."""

    def __init__(self, shape: Shape, more_planes: int = 0, more_values: int = 0) -> None:
        super().__init__()
        c = shape.channels
        self.planes = nn.Linear(len(_KINDS) + more_planes, c, bias=False)
        self.values = nn.Linear(34 * len(_SINGLE) + more_values, c)
        self.kind = nn.Parameter(torch.zeros(34, c))
        self.blocks = nn.ModuleList(_Block(c) for _ in range(shape.blocks))
        self.table = nn.Linear(3 * c + c, shape.pooled)
        self.register_buffer("scale", 1.0 / torch.tensor(_SCALE).view(-1, 1), persistent=False)

    def forward(
        self, observation: torch.Tensor, planes: torch.Tensor | None = None, values: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        seen = observation.float()
        by_kind = seen[:, : len(_KINDS)] * self.scale
        question = seen[:, QUESTION_ROW] + seen[:, DRAWN_ROW]
        single = seen[:, len(_KINDS) :].flatten(1)
        if planes is not None and values is not None:
            by_kind = torch.cat([by_kind, planes], 1)
            single = torch.cat([single, values], 1)
        told = self.values(single)
        x = self.planes(by_kind.transpose(1, 2)) + self.kind + told.unsqueeze(1)
        for block in self.blocks:
            x = block(x)
        x = F.relu(x)
        asked = (x * question.unsqueeze(2)).sum(1)
        table = F.relu(self.table(torch.cat([x.mean(1), x.amax(1), asked, told], 1)))
        return x, table


class PolicyNet(nn.Module):
    """Observation to masked logits of the 147 actions and a foretold score.

    forward: int8 or float [n, N_ROWS, 34] and a mask [n, 147] -> float [n, 147] logits (MASKED where illegal), float [n] score
    (tai / SCORE_SCALE).
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.trunk = _Trunk(shape)
        self.by_kind = nn.Linear(shape.channels, OTHER // 34)
        self.by_kind_table = nn.Linear(shape.pooled, OTHER // 34)
        self.other = nn.Linear(shape.pooled, N_OTHER)
        self.value = nn.Linear(shape.pooled, 1)
        for layer in (self.by_kind, self.by_kind_table, self.other, self.value):
            nn.init.normal_(layer.weight, std=0.01)
            nn.init.zeros_(layer.bias)

    def forward(self, observation: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x, table = self.trunk(observation)
        return self.logits(x, table, mask), self.value(table).squeeze(1)

    def logits(self, x: torch.Tensor, table: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Masked logits from what the trunk gives."""
        return _by_action(self, x, table).masked_fill(mask == 0, MASKED)


def _by_action(heads: nn.Module, x: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    """float [n, 147] of the linear layers by_kind, by_kind_table and other."""
    kinds = heads.by_kind(x) + heads.by_kind_table(table).unsqueeze(1)
    return torch.cat([kinds.transpose(1, 2).flatten(1), heads.other(table)], 1)


class Gains(nn.Module):
    """Beside a policy, from the same trunk: how much each action brings, tai / GAIN_SCALE; only differences mean anything.

    Linear as the policy's own heads are, so that the two can be added up to one policy (`add_to`).
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.by_kind = nn.Linear(shape.channels, OTHER // 34)
        self.by_kind_table = nn.Linear(shape.pooled, OTHER // 34)
        self.other = nn.Linear(shape.pooled, N_OTHER)
        for layer in (self.by_kind, self.by_kind_table, self.other):
            nn.init.normal_(layer.weight, std=0.01)
            nn.init.zeros_(layer.bias)

    def forward(self, x: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        """float [n, 147] of what the trunk gives."""
        return _by_action(self, x, table)

    @torch.no_grad()
    def add_to(self, net: PolicyNet, kinds: list[float], other: list[float]) -> None:
        """Add the gains, in tai, to a policy's logits, times `kinds` by group of actions with a kind and `other` for the rest."""
        for name, factors in (("by_kind", kinds), ("by_kind_table", kinds), ("other", other)):
            times = GAIN_SCALE * torch.tensor(factors)
            mine, theirs = getattr(self, name), getattr(net, name)
            theirs.weight += times.unsqueeze(1) * mine.weight
            theirs.bias += times * mine.bias


class Critic(nn.Module):
    """Observation and what the seat may not see to its foretold score; for training alone.

    forward: int8 [n, N_ROWS, 34] and int8 [n, N_PRIVILEGED, 34] -> float [n], tai / SCORE_SCALE.
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.trunk = _Trunk(shape, N_PRIVILEGED - 1 + N_DRAWS, 34 - N_DRAWS)
        self.value = nn.Linear(shape.pooled, 1)
        nn.init.normal_(self.value.weight, std=0.01)
        nn.init.zeros_(self.value.bias)

    def forward(self, observation: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        planes = hidden[:, : N_PRIVILEGED - 1].float()
        last = hidden[:, N_PRIVILEGED - 1]
        skipped, draws = last[:, : 34 - N_DRAWS].float(), last[:, 34 - N_DRAWS :].long()
        # A draw to come is a kind + 1 (0: none, 35 and more: a flower): one plane each.
        to_come = F.one_hot(draws.clamp(max=35), 36)[:, :, 1:35].float()
        _, table = self.trunk(observation, torch.cat([planes, to_come], 1), skipped)
        return self.value(table).squeeze(1)


def n_parameters(net: nn.Module) -> int:
    return sum(p.numel() for p in net.parameters())


@torch.inference_mode()
def best_actions(net: PolicyNet, observations: np.ndarray, masks: np.ndarray, at_once: int = 256) -> np.ndarray:
    """int64[n], the likeliest legal action of each of int8[n, N_ROWS, 34] `observations` and int8[n, 147] `masks`."""
    out = np.empty(len(observations), np.int64)
    for first in range(0, len(out), at_once):
        part = slice(first, first + at_once)
        logits, _ = net(torch.from_numpy(observations[part]), torch.from_numpy(masks[part]))
        out[part] = logits.argmax(1).numpy()
    return out
