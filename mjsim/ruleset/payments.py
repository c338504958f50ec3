"""Payments of one settlement. The one implementation, for the flow and for positions."""

from __future__ import annotations

import numpy as np

from mjsim.jit import kernel


@kernel
def pay(r, dealer, streak, winner, payer, tai, payments):
    """Fill int32[4] `payments`: base + tai from each payer, dealer tai between the dealer and the other party.

    `payer` is the seat that pays alone, -1 where each of the other three pays.
    """
    dealer_tai = 1 + 2 * np.int64(streak) if r.dealer_tai else 0
    received = 0
    for seat in range(4):
        payments[seat] = 0
    for seat in range(4):
        if seat != winner and (payer < 0 or seat == payer):
            amount = r.base_tai + tai
            if winner == dealer or seat == dealer:
                amount += dealer_tai
            payments[seat] = -amount
            received += amount
    payments[winner] = received
