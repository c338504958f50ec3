"""Registers `mjsim/Solo-v0` with Gymnasium. Imports neither the engine nor numba: the environment loads when it is made.

Gymnasium before 1.0 calls `register` by itself, through the entry point group `gymnasium.envs`. Gymnasium 1.0 and later no
longer look for such plugins: there the environment is known once a module of ours that registers it has been imported,
which `gymnasium.make("mjsim.envs.solo:mjsim/Solo-v0")` does in one go.
"""

from __future__ import annotations

import gymnasium

SOLO = "mjsim/Solo-v0"


def register() -> None:
    """Register the environments; calling it again does nothing."""
    if SOLO not in gymnasium.registry:
        gymnasium.register(id=SOLO, entry_point="mjsim.envs.solo:Solo")
