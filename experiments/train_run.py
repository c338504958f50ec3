"""The folder of a training run: config, metrics, checkpoints, and the state that training goes on from. Needs torch.

config.json says whose folder it is; state.safetensors is everything that the next update depends on, so that a run that was
stopped and goes on gives the same weights, bit by bit, as one that was not (on one thread). metrics.csv has a row an update,
curves.png shows it, tensorboard/ has the same for TensorBoard where that is installed. Knows no algorithm.
"""

from __future__ import annotations

import contextlib
import copy
import csv
import hashlib
import io
import json
import math
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from mjsim.agents.checkpoint import CARDS, WEIGHTS
from mjsim.agents.checkpoint import save as save_checkpoint
from mjsim.errors import MjsimError, UsageError
from mjsim.files import remove_leftovers, write_whole
from mjsim.ruleset import Rules
from mjsim.run_file import begin_or_go_on

FORMAT = "mjsim-train/1"
CONFIG, STATE, METRICS, CURVES = "config.json", "state.safetensors", "metrics.csv", "curves.png"
CHECKPOINTS = "checkpoints"
LATEST, BEST = "latest.json", "best.json"

#: What may differ when a run goes on: how far it goes, and how often something is written.
MAY_CHANGE = frozenset({"updates", "save_every"})


def write_json(path: Path, value: Any) -> None:
    text = json.dumps(value, indent=1, allow_nan=False)
    write_whole(path, lambda file: file.write(text.encode()) and None)


class RunFolder:
    """A run's folder, opened for a new run or for the same one to go on.

    Attributes: `path`; `rows` of the metrics so far, a dict an update.
    """

    def __init__(self, path: str | Path, config: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self.config = {"format": FORMAT, **config}
        self.rows: list[dict[str, float]] = []
        self._board: Any = None

    def open(self) -> tuple[dict[str, torch.Tensor], dict[str, Any]] | None:
        """Begin, or go on: (tensors, values) of the state saved last, None for a new run; another run's folder is refused."""
        if not begin_or_go_on(self.path / CONFIG, self.config, self.path, may_change=MAY_CHANGE):
            return None
        for name in (CONFIG, STATE, METRICS, CURVES, LATEST, BEST):
            remove_leftovers(self.path / name)
        return self._state()

    def _state(self) -> tuple[dict[str, torch.Tensor], dict[str, Any]] | None:
        path = self.path / STATE
        if not path.exists():
            return None
        found = read_state(path)
        done = int(found[1]["update"])
        with contextlib.suppress(FileNotFoundError), open(self.path / METRICS, newline="", encoding="utf-8") as file:
            rows = [{k: float(v) for k, v in row.items() if v} for row in csv.DictReader(file)]
            self.rows = [row for row in rows if row["update"] <= done]
        return found

    def add(self, row: Mapping[str, float]) -> None:
        """Note the metrics of an update."""
        self.rows.append({name: float(value) for name, value in row.items()})
        if self._board is None:
            try:
                from torch.utils.tensorboard import SummaryWriter
            except ImportError:
                self._board = False
            else:
                self._board = SummaryWriter(str(self.path / "tensorboard"), purge_step=int(row["update"]))
        if self._board:
            for name, value in row.items():
                if name != "update" and math.isfinite(value):
                    self._board.add_scalar(name, value, int(row["update"]))

    def save(self, tensors: Mapping[str, torch.Tensor], values: Mapping[str, Any], curves: Mapping[str, Any]) -> None:
        """Write metrics and curves, then the state: from here on the run goes on from it."""
        columns = list(dict.fromkeys(name for row in self.rows for name in row))
        text = io.StringIO()
        writer = csv.DictWriter(text, columns, lineterminator="\n")
        writer.writeheader()
        for row in self.rows:
            writer.writerow({k: int(v) if k in ("update", "steps") else repr(v) for k, v in row.items()})
        write_whole(self.path / METRICS, lambda file: file.write(text.getvalue().encode()) and None)
        draw_curves(self.path / CURVES, self.rows, curves)
        write_state(self.path / STATE, tensors, values)
        if self._board:
            self._board.flush()

    def checkpoint(self, net: nn.Module, rules: Rules, steps: int, best: bool = False, **card: Any) -> Path:
        """Save the network and its card as checkpoints/step-N and let latest.json (and best.json) name it."""
        path = self.path / CHECKPOINTS / f"step-{steps:012d}{WEIGHTS}"
        save_checkpoint(net, path, rules, steps=steps, **card)
        named = {"checkpoint": f"{CHECKPOINTS}/{path.name}"}
        write_json(self.path / LATEST, named)
        if best:
            write_json(self.path / BEST, named)
        return path

    def card_of(self, path: Path) -> dict[str, Any]:
        return json.loads(path.with_suffix(CARDS).read_text(encoding="utf-8"))

    def close(self) -> None:
        if self._board:
            self._board.close()
            self._board = None


# ---- state -------------------------------------------------------------------------------------------------------------


def write_state(path: Path, tensors: Mapping[str, torch.Tensor], values: Mapping[str, Any]) -> None:
    """One safetensors file with the tensors and, as JSON in its metadata, the plain values."""
    from safetensors.torch import save

    kept = {name: tensor.detach().contiguous().clone() for name, tensor in tensors.items()}
    raw = save(kept, {"state": json.dumps(dict(values), allow_nan=False)})
    write_whole(path, lambda file: file.write(raw) and None)


def read_state(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """What `write_state` wrote; MjsimError for a damaged file."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(path), "pt") as file:
            values = json.loads((file.metadata() or {})["state"])
            return {name: file.get_tensor(name) for name in file.keys()}, values
    except (SafetensorError, OSError, KeyError, ValueError) as error:
        raise MjsimError(f"state {path}: cut off or altered ({error}); take the run up from a checkpoint") from None


def critic_of(init: str | Path, shape: dict[str, int]) -> tuple[dict[str, int], dict[str, torch.Tensor]]:
    """(sizes, tensors) of the critic in the run folder that `init` is, or lies in; without one the given sizes and none."""
    given = Path(init)
    for folder in (given, given.parent, given.parent.parent):
        if (folder / CONFIG).is_file() and (folder / STATE).is_file():
            tensors, values = read_state(folder / STATE)
            if found := part(tensors, "critic"):
                return values["critic"], found
            break
    return shape, {}


def part(tensors: Mapping[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    """The tensors whose names begin with `prefix.`, without it."""
    return {name[len(prefix) + 1 :]: t for name, t in tensors.items() if name.startswith(prefix + ".")}


def named(prefix: str, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {f"{prefix}.{name}": t for name, t in tensors.items()}


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """The state of an optimizer, by number of parameter and name."""
    state = optimizer.state_dict()["state"]
    return {f"{i}.{name}": torch.as_tensor(t) for i, entry in state.items() for name, t in entry.items()}


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, torch.Tensor]) -> None:
    whole = optimizer.state_dict()
    state: dict[int, dict[str, Any]] = {}
    for name, tensor in tensors.items():
        number, _, field = name.partition(".")
        state.setdefault(int(number), {})[field] = tensor
    whole["state"] = state
    optimizer.load_state_dict(whole)


def load_into(net: nn.Module, tensors: Mapping[str, torch.Tensor], what: str) -> None:
    """Fill a network; MjsimError names the tensor that does not fit."""
    wanted = net.state_dict()
    for name in sorted({*wanted, *tensors}):
        if name not in tensors or name not in wanted or tensors[name].shape != wanted[name].shape:
            have = list(tensors[name].shape) if name in tensors else "nothing"
            need = list(wanted[name].shape) if name in wanted else "nothing"
            raise MjsimError(f"{what}: {name} is {have}, needed is {need}")
    net.load_state_dict(dict(tensors))


# ---- steps -------------------------------------------------------------------------------------------------------------


class Mean:
    """Running means of networks; in the first steps of all so far."""

    def __init__(self, share: float, nets: dict[str, torch.nn.Module]) -> None:
        self._share, self._of, self.steps = share, nets, 0
        self.nets: dict[str, Any] = {name: copy.deepcopy(net).eval() for name, net in nets.items()}

    @torch.no_grad()
    def follow(self) -> None:
        """The networks have made a step."""
        self.steps += 1
        share = min(self._share, self.steps / (self.steps + 10))
        for name, net in self._of.items():
            for old, new in zip(self.nets[name].parameters(), net.parameters(), strict=True):
                old.lerp_(new, 1.0 - share)


def learning_rate(config: Any, update: int) -> float:
    """From `config.learning_rate` to a tenth of it, by a cosine over `config.decay_updates`."""
    share = min(1.0, update / config.decay_updates)
    return config.learning_rate * (0.1 + 0.45 * (1.0 + math.cos(math.pi * share)))


def guarded_step(
    folder: Path,
    step: int,
    losses: Mapping[str, torch.Tensor],
    nets: Mapping[str, nn.Module],
    optimizer: torch.optim.Optimizer,
    most: float,
    batch: Mapping[str, torch.Tensor],
) -> float:
    """Sum the losses, clip the gradient at norm `most` and step; returns the norm before.

    A value that is not finite ends the run: MjsimError names the step and the tensor, and the batch lies in the folder.
    """
    total = torch.stack(list(losses.values())).sum()
    optimizer.zero_grad(set_to_none=True)
    norm = math.nan
    if bool(total.isfinite()):
        total.backward()
        norm = float(nn.utils.clip_grad_norm_([p for net in nets.values() for p in net.parameters()], most))
    if not math.isfinite(norm):
        where = _not_finite(losses, nets)
        path = folder / f"nonfinite-{step}{WEIGHTS}"
        write_state(path, batch, {"step": step, "tensor": where})
        raise MjsimError(f"step {step}: {where} is not finite; the batch is kept in {path}")
    optimizer.step()
    return norm


def _not_finite(losses: Mapping[str, torch.Tensor], nets: Mapping[str, nn.Module]) -> str:
    for prefix, net in nets.items():
        for name, parameter in net.named_parameters():
            if not bool(parameter.isfinite().all()):
                return f"the parameter {prefix}.{name}"
    for name, loss in losses.items():
        if not bool(loss.isfinite()):
            return f"the loss {name!r}"
    for prefix, net in nets.items():
        for name, parameter in net.named_parameters():
            if parameter.grad is not None and not bool(parameter.grad.isfinite().all()):
                return f"the gradient of {prefix}.{name}"
    return "the norm of the gradient"


@contextlib.contextmanager
def stop_after_update() -> Iterator[threading.Event]:
    """Within it Ctrl-C sets the event, so that the update in progress is finished and kept; a second one interrupts at once."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = signal.getsignal(signal.SIGINT)

    def heard(number: int, frame: Any) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    signal.signal(signal.SIGINT, heard)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def repeat(
    run: RunFolder,
    config: Any,
    done: int,
    step: Callable[[bool], dict[str, float]],
    save: Callable[[], str],
    progress: Callable[[int, int], Any] | None,
    tell: Callable[[str], Any],
) -> dict[str, float]:
    """Updates `done` + 1, ..., `config.updates` of a run, saved every `config.save_every`; returns the last row of metrics.

    `step(due)` makes one, where `due` says that it will be saved, and returns its metrics; `save()` writes all of it and returns
    a line to tell, or nothing. Ctrl-C ends it with KeyboardInterrupt after the update in progress, which is saved.
    """
    if progress is not None:
        progress(done, config.updates)
    try:
        with stop_after_update() as stop:
            while done < config.updates:
                done += 1
                due = done % config.save_every == 0 or done == config.updates
                run.add(step(due))
                if progress is not None:
                    progress(done, config.updates)
                stopped = stop.is_set()  # asked once: what comes later waits for the next update
                if (due or stopped) and (line := save()):
                    tell(line)
                if stopped:
                    raise KeyboardInterrupt
    finally:
        run.close()
    return run.rows[-1] if run.rows else {}


def generator_state(rng: np.random.Generator) -> dict[str, Any]:
    """State of a PCG64 generator as plain data (its whole numbers as text: JSON readers may round them)."""
    state = rng.bit_generator.state
    return {**state, "state": {k: str(v) for k, v in state["state"].items()}}


def restore_generator(rng: np.random.Generator, state: Mapping[str, Any]) -> None:
    rng.bit_generator.state = {**state, "state": {k: int(v) for k, v in state["state"].items()}}


def draw_curves(path: Path, rows: list[dict[str, float]], panels: Mapping[str, tuple[str, ...]]) -> None:
    """Learning curves: a panel for each title, with the metrics named there over the decisions learned from.

    A metric that comes with its 95 % half width, `NAME_ci95`, has a band.
    """
    from mjsim.experiments.plots import COLORS, clean, figure

    def panel(title: str, names: tuple[str, ...]) -> Any:
        def draw(axis: Any) -> None:
            for color, name in zip(COLORS, names, strict=False):
                points = [
                    (row["steps"], row[name], row.get(f"{name}_ci95", 0.0))
                    for row in rows
                    if math.isfinite(row.get(name, math.nan))
                ]
                if points:
                    x, y, half = np.array(points).T
                    axis.plot(x, y, color=color, linewidth=1.2, label=name, marker="." if len(points) < 3 else "")
                    if half.any():
                        axis.fill_between(x, y - half, y + half, color=color, alpha=0.15, linewidth=0)
            axis.set_title(title, fontsize=9, loc="left")
            axis.set_xlabel("decisions", fontsize=8)
            axis.tick_params(labelsize=8)
            if axis.get_legend_handles_labels()[0]:
                axis.legend(fontsize=7, frameon=False)
            clean(axis)

        return draw

    columns = min(3, len(panels))
    size = (4.2 * columns, 0.6 + 2.8 * -(-len(panels) // columns))
    made = figure("Training", str(path.parent), [panel(t, n) for t, n in panels.items()], size, columns)
    write_whole(path, lambda file: made.savefig(file, format="png"))


def luck_seed(seed: int) -> int:
    """The seed of the luck that is trained on: not the walls that an evaluation of the same seed plays."""
    return int.from_bytes(hashlib.sha256(f"mjsim train {seed}".encode()).digest()[:7], "big")


def number(name: str, value: Any, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise UsageError(f"{name}: {value!r} is no number of {low:g}-{high:g}")
    return float(value)
