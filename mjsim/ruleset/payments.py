"""Payments of one settlement. The one implementation, for the flow and for positions."""

from __future__ import annotations

import numpy as np

from mjsim.jit import kernel
from mjsim.ruleset.record import BELOW_MINIMUM, WIN_LEGAL


@kernel
def pay(r, dealer, streak, winner, payer, tai, payments):
    """Fill int32[4] `payments`: base + tai from each payer, dealer tai between the dealer and the other party.

    On a self-draw a paying dealer adds `dealer_self_draw_tai`.

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
            if payer < 0 and seat == dealer:
                amount += r.dealer_self_draw_tai
            payments[seat] = -amount
            received += amount
    payments[winner] = received


@kernel
def conclude(p, r, s):
    """Sum the items of a complete hand, judge the minimum of its round, and fill in the payments; returns the status.

    Minimum Tai to Win: judged on what the discarder owes, or on a self-draw the dealer (any share of a winning dealer).
    """
    tai = 0
    for i in range(len(s.items)):
        tai += s.items[i]
    s.tai = tai
    s.judged = tai
    if r.dealer_tai and (p.payer < 0 or p.seat == p.dealer or p.payer == p.dealer):
        s.judged = tai + 1 + 2 * np.int64(p.streak)
    if s.judged < r.min_tai + r.min_tai_step * p.prevailing:
        s.status = BELOW_MINIMUM
        return BELOW_MINIMUM
    s.status = WIN_LEGAL
    pay(r, p.dealer, p.streak, p.seat, np.int64(p.payer), tai, s.payments)
    return WIN_LEGAL
