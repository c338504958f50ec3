"""What `mjsim train` does with its arguments: builds the config, trains, prints."""

from __future__ import annotations

import difflib
import importlib
import json
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

from mjsim.errors import UsageError
from mjsim.ruleset import Rules

#: Whom a network is measured by.
YARDSTICK = "heuristic"


def _need_torch() -> None:
    try:
        import safetensors
        import torch
    except ImportError:
        raise UsageError('mjsim train needs torch and safetensors: pip install "mjsim[train]"') from None
    del safetensors, torch


def _value(name: str, text: str, default: Any) -> Any:
    """Text as the type of the default; a network's sizes are channels,blocks,pooled."""
    try:
        if isinstance(default, bool):
            return {"on": True, "off": False}[text]
        if isinstance(default, int):
            return int(text.replace("_", ""))
        if isinstance(default, float):
            return float(text)
        if isinstance(default, dict):
            return dict(zip(("channels", "blocks", "pooled"), map(int, text.split(",")), strict=True))
        if isinstance(default, tuple):
            parts = text.split(",")
            return tuple(map(float, parts)) if isinstance(default[0], float) else tuple(p.strip() for p in parts)
    except (ValueError, KeyError):
        wanted = {bool: "on or off", int: "a whole number", float: "a number", dict: "channels,blocks,pooled"}
        raise UsageError(f"--set {name}={text}: {wanted.get(type(default), 'numbers with commas')} is needed") from None
    return text


def config_of(kind: type, rules: Rules, given: dict[str, Any], sets: list[str] | None) -> Any:
    """A checked config of what is given by options and by `--set name=value`."""
    config = kind(rules=rules.name, options=dict(rules.options))
    names = [f.name for f in fields(kind) if f.name not in ("rules", "options")]
    for text in sets or []:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--set {text!r}: name=value is needed, such as batch=512")
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise UsageError(f"--set: unknown setting {name!r}{hint} (known: {', '.join(names)})")
        setattr(config, name, _value(name, value, getattr(config, name)))
    for name, value in given.items():
        if value is not None:
            setattr(config, name, value)
    config.check()
    return config


def threads_for(method: str, asked: int | None, own: int) -> int:
    """Threads of torch, of which it would take `own`."""
    if asked is None:
        # `improve` plays the next chunk in a thread of its own, which needs a core too.
        return max(1, own - 1) if method == "improve" else own
    if not 1 <= asked <= 1024:
        raise UsageError(f"--threads {asked}: a whole number of 1-1024 is needed")
    return asked


def train(
    method: str, rules: Rules, out: Path, progress: Any, as_json: bool, threads: int | None, settings: list[str] | None,
    given: dict[str, Any], measure_sets: int = 0,
) -> None:  # fmt: skip
    """`mjsim train METHOD`, a module of this package.

    `given` are settings from options of their own, None where left out; `settings` texts name=value. Where `measure_sets` is not 0
    the network meets YARDSTICK on so many duplicate sets at the end, and its card says what came out.
    """
    _need_torch()
    import torch

    module: Any = importlib.import_module(f"mjsim.experiments.{method}")
    torch.set_num_threads(threads_for(method, threads, torch.get_num_threads()))
    if not 0 <= measure_sets <= 10**6:
        raise UsageError(f"--sets {measure_sets}: a whole number of 0-1,000,000 is needed")
    config = config_of(module.Config, rules, given, settings)

    def tell(text: str) -> None:
        print(text, file=sys.stderr if as_json else sys.stdout, flush=True)

    with progress as show:
        row = module.train(config, out, show, tell)
    if measure_sets:
        found = measure(rules, out, measure_sets, config.seed)
        row = {**row, "strength": found}
        tell(f"{found['margin']:+.2f} ± {found['ci95']:.2f} tai a hand against {YARDSTICK} ({found['sets']:,} sets)")
    if as_json:
        print(json.dumps({"out": str(out), **row}))
    else:
        print(f"written: {out} (play it as checkpoint:{out})")


def measure(rules: Rules, out: Path, sets: int, seed: int) -> dict[str, Any]:
    """Let the network of a run's folder meet YARDSTICK, and note the outcome in its card; returns what was noted."""
    from mjsim.agents import make
    from mjsim.agents.checkpoint import files_of, set_strength
    from mjsim.experiments.train_duel import duel

    weights, _ = files_of(out)
    outcome = duel(rules, make(f"checkpoint:{weights}"), make(YARDSTICK), sets, seed)
    return set_strength(weights, YARDSTICK, outcome.margin, outcome.ci95, outcome.sets, rules.name)
