"""The errors users meet: each says what is wrong, the value, and what would be right."""

from __future__ import annotations


class MjsimError(Exception):
    """Anything mjsim refuses: caught by the command line and printed as one line."""


class NotationError(MjsimError, ValueError):
    """Malformed text: a tile, hand, action or record that cannot be read."""


class UsageError(MjsimError, ValueError):
    """An unknown or contradictory name, option or argument."""


class IllegalAction(MjsimError, ValueError):
    """An action that the rules do not allow here."""
