"""What `mjsim train` does with its arguments: builds the config, trains, prints."""

from __future__ import annotations

import difflib
import json
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

from mjsim.errors import UsageError
from mjsim.ruleset import Rules


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


def train(
    method: str, rules: Rules, out: Path, progress: Any, as_json: bool, threads: int | None, sets: list[str] | None,
    given: dict[str, Any],
) -> None:  # fmt: skip
    """`mjsim train METHOD`: `given` are settings from options of their own, None where left out; `sets` texts name=value."""
    _need_torch()
    import torch

    from mjsim.experiments import imitate, ppo

    module: Any = {"imitate": imitate, "ppo": ppo}[method]
    if threads is not None:
        if not 1 <= threads <= 1024:
            raise UsageError(f"--threads {threads}: a whole number of 1-1024 is needed")
        torch.set_num_threads(threads)
    config = config_of(module.Config, rules, given, sets)

    def tell(text: str) -> None:
        print(text, file=sys.stderr if as_json else sys.stdout, flush=True)

    with progress as show:
        row = module.train(config, out, show, tell)
    if as_json:
        print(json.dumps({"out": str(out), **row}))
    else:
        print(f"written: {out} (play it as checkpoint:{out})")
