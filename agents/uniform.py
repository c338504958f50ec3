"""`random`: uniform over the legal actions, from the seat's own stream."""

from __future__ import annotations

from mjsim.flow.engine import POLICY, nth_legal
from mjsim.flow.luck import below
from mjsim.jit import pointer


@pointer(POLICY)
def policy(h, r, parameters):
    """Any legal action, each with the same chance."""
    return nth_legal(h, below(h.rng, h.seat, h.n_legal))
