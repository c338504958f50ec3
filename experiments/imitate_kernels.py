"""The compiled loop of imitation: hands of compiled agents, their decisions written as arrays to learn from.

Knows no agent (policies come as addresses) and no network.
"""

from __future__ import annotations

import numpy as np

from mjsim.actions import BEGIN, N_ACTIONS
from mjsim.flow.luck import below, draw_standing, stream
from mjsim.hand_record import CHOICE, GIVE, OVER
from mjsim.jit import call, entry
from mjsim.observe import N_PRIVILEGED, N_ROWS
from mjsim.play import ILLEGAL, MAX_DECISIONS

#: Purposes of random streams: which decisions are kept, and those of seat s that an agent draws from.
KEEP, POLICY_STREAM = 96, 100

#: Addresses in `engine`, in this order.
APPLY, LAY, OBSERVE, HIDDEN, MASK = range(5)


@entry
def collect(
    hands, rules, engine, policies, parameters, seed, match, n_hands, streak_below, one_in, opening, derived,
    observations, masks, hidden, actions, seats, scores, numbers,
):  # fmt: skip
    """Play hands match, match + 1, ... and write decisions, with the final score of the seat that made them.

    The standing is drawn with each hand (`draw_standing`). Of the decisions one in `one_in` is written, of those of the
    exchange (gifts and the dealer's choice) one in `opening`, drawn by chance. `observations`, `masks` and `hidden` are
    addresses of int8[n, N_ROWS, 34], int8[n, N_ACTIONS] and int8[n, N_PRIVILEGED, 34] (0: not wanted); int16[n] `actions`,
    int8[n] `seats`, float32[n] `scores` (tai) and int32[n] `numbers` (of the hand in this call). Ends after `n_hands`, or before
    a hand that might not find room. Returns (rows, hands), or (ILLEGAL, seat).
    """
    h = hands[0]
    r = rules[0]
    rng = np.empty(1, np.uint64)
    n = 0
    for i in range(n_hands):
        first = n
        if len(actions) - n < MAX_DECISIONS:
            return n, i
        h.pool = 0
        draw_standing(h, r, engine[LAY], seed, match + i, streak_below)
        call(engine[APPLY], (h, r, BEGIN))
        rng[0] = stream(seed, match + i, 0, KEEP)
        for s in range(4):
            h.rng[s] = stream(seed, match + i, 0, POLICY_STREAM + s)
        while h.phase != OVER:
            me = np.int64(h.seat)
            rate = opening if h.phase == GIVE or h.phase == CHOICE else one_in
            kept = below(rng, 0, rate) == 0
            if kept:
                call(engine[OBSERVE], (h, r, me, observations + n * N_ROWS * 34, derived))
                call(engine[MASK], (h, me, masks + n * N_ACTIONS))
                if hidden:
                    call(engine[HIDDEN], (h, r, me, hidden + n * N_PRIVILEGED * 34))
            action = call(policies[h.seat], (h, r, parameters[h.seat]))
            if kept:
                actions[n] = action
                seats[n] = me
                numbers[n] = i
                n += 1
            if action < 0 or call(engine[APPLY], (h, r, action)) != 0:
                return np.int64(ILLEGAL), me
        for j in range(first, n):
            scores[j] = h.scores[seats[j]]
    return n, np.int64(n_hands)


@entry
def ask_policies(hands, rules, policies, parameters, lanes, actions):
    """Let compiled policies choose at HAND[n] `hands`: those of index `lanes[j]` by int64 `policies[j]`; fills `actions[lane]`."""
    r = rules[0]
    for j in range(len(lanes)):
        h = hands[lanes[j]]
        actions[lanes[j]] = call(policies[j], (h, r, parameters[j]))
