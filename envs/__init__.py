"""Environments on the one engine: `aec` (PettingZoo), `Solo` (Gymnasium), `VectorEnv` (batched). Imported as `mjsim.envs`."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

_WHERE = {
    "aec": ("mjsim.envs.aec", "aec"),
    "env": ("mjsim.envs.aec", "env"),
    "raw_env": ("mjsim.envs.aec", "raw_env"),
    "Solo": ("mjsim.envs.solo", "Solo"),
    "VectorEnv": ("mjsim.envs.vector", "VectorEnv"),
}

__all__ = ["Solo", "VectorEnv", "aec", "env", "raw_env"]

if importlib.util.find_spec("gymnasium") is not None:
    # Gymnasium 1.0 and later look for no plugins: importing this package makes `mjsim/Solo-v0` known.
    importlib.import_module("mjsim.envs.registration").register()

if TYPE_CHECKING:
    from mjsim.envs.aec import aec, env, raw_env
    from mjsim.envs.solo import Solo
    from mjsim.envs.vector import VectorEnv


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'mjsim.envs' has no attribute {name!r}")
    module, attribute = _WHERE[name]
    value = getattr(importlib.import_module(module), attribute)
    globals()[name] = value
    return value
