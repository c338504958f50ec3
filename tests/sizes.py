"""How long the long tests are: `MJSIM_TESTS=full python -m pytest -m slow` plays all of it, without that a fifth."""

from __future__ import annotations

import os

FULL = os.environ.get("MJSIM_TESTS") == "full"


def size(n: int) -> int:
    """n, or a fifth of it where the whole was not asked for."""
    return n if FULL else n // 5
