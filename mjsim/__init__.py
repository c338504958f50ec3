"""mjsim: 16-tile (Taiwanese) mahjong at compiled speed, for training bots, batch simulation and studies.

The public names are imported when first used; nothing here pulls in pandas, torch or pettingzoo.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_WHERE = {
    "Rules": "mjsim.ruleset",
    "rules": "mjsim.ruleset",
    "Hand": "mjsim.hand",
    "score": "mjsim.position",
    "score_batch": "mjsim.position",
    "POSITION": "mjsim.ruleset.record",
    "SCORE": "mjsim.ruleset.record",
    "shanten": "mjsim.shapes.public",
    "waits": "mjsim.shapes.public",
    "ukeire": "mjsim.shapes.public",
    "replay": "mjsim.transcript",
    "simulate": "mjsim.batch",
    "MjsimError": "mjsim.errors",
    "NotationError": "mjsim.errors",
    "UsageError": "mjsim.errors",
    "IllegalAction": "mjsim.errors",
}
_SUBMODULES = ("agents", "envs", "experiments")

__all__ = ["__version__", *_WHERE]

if TYPE_CHECKING:
    from mjsim.batch import simulate
    from mjsim.errors import IllegalAction, MjsimError, NotationError, UsageError
    from mjsim.hand import Hand
    from mjsim.position import score, score_batch
    from mjsim.ruleset import Rules, rules
    from mjsim.ruleset.record import POSITION, SCORE
    from mjsim.shapes.public import shanten, ukeire, waits
    from mjsim.transcript import replay


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f"mjsim.{name}")
    if name not in _WHERE:
        raise AttributeError(f"module 'mjsim' has no attribute {name!r}")
    value = getattr(importlib.import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_WHERE, *_SUBMODULES])


if "gymnasium" in sys.modules:
    # So that `gymnasium.make("mjsim:mjsim/Solo-v0")`, and `import gymnasium, mjsim`, know the environment.
    importlib.import_module("mjsim.envs.registration").register()
