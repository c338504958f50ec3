"""Compiled loops that play whole hands with compiled policies. Knows no agent: policies come as addresses."""

from __future__ import annotations

import numpy as np

from mjsim.actions import BEGIN, N_WORDS
from mjsim.hand_record import CLAIM, OVER
from mjsim.jit import call, entry, kernel

#: Room for the decisions of one hand: 25 of the exchange, and at most five for each discard.
MAX_DECISIONS = 512

#: One recorded decision.
DECISION = np.dtype(
    [("seat", np.int8), ("claimed", np.int8), ("action", np.int16), ("legal", np.uint64, N_WORDS)], align=True
)

#: What the loops return when something is wrong with a policy.
ILLEGAL = -1


@kernel
def tell_end(h, r, policies, parameters):
    """Call who wants to know that the hand is over: the second four of int64[8] `policies`, 0 for nobody; int64[4] has none."""
    if len(policies) == 8:
        for s in range(4):
            if policies[4 + s]:
                call(policies[4 + s], (h, r, parameters[s]))


@kernel
def play_on(h, r, apply_at, policies, parameters, log, keep):
    """Play a hand on to its end; returns its decisions, or ILLEGAL when a policy broke the rules (h.seat says whose).

    int64[4] `parameters` and int64[4] or [8] `policies` (see `tell_end`) hold addresses. With `keep` every decision is
    recorded in `log`.
    """
    n = np.int64(h.n_decisions)
    while h.phase != OVER:
        action = call(policies[h.seat], (h, r, parameters[h.seat]))
        if keep:
            log[n].seat = h.seat
            log[n].claimed = h.claim_tile if h.phase == CLAIM else -1
            log[n].action = action
            for w in range(N_WORDS):
                log[n].legal[w] = h.legal[w]
        if call(apply_at, (h, r, action)) != 0:
            return ILLEGAL
        n += 1
    tell_end(h, r, policies, parameters)
    return n


@entry
def play_match(hands, rules, engine, policies, parameters, seed, match, first, whole_cycle, logs, keep):
    """Play up to len(hands) hands of one match in order, each in its own record, from hand number `first` on.

    The standing of hands[0] is taken as it is; `engine` holds the addresses of `apply` and `lay`. With `whole_cycle`, or
    where the rules say so, the match ends when the North round does. Returns (hands played, decisions), or (ILLEGAL, seat).
    """
    r = rules[0]
    decisions = 0
    for i in range(len(hands)):
        h = hands[i]
        if i > 0:
            before = hands[i - 1]
            h.dealer = before.next_dealer
            h.streak = before.next_streak
            h.prevailing = before.next_prevailing
            h.pool = before.next_pool
        call(engine[1], (h, r, seed, match, first + i))
        call(engine[0], (h, r, BEGIN))
        n = play_on(h, r, engine[0], policies, parameters, logs[i if keep else 0], keep)
        if n < 0:
            return ILLEGAL, np.int64(h.seat)
        decisions += n
        if h.match_over or (whole_cycle and h.prevailing == 3 and h.next_prevailing == 0):
            return i + 1, decisions
    return len(hands), decisions
