"""The compiled part of `lockstep`: many hands, each moved to its next decision that is answered outside.

Knows no agent: a seat without an address is asked outside.
"""

from __future__ import annotations

import numpy as np

from mjsim.actions import N_ACTIONS, N_WORDS
from mjsim.hand_record import CLAIM, OVER
from mjsim.jit import call, entry
from mjsim.observe import N_ROWS
from mjsim.play import tell_end

#: In place of an action: the hand has just begun, go on to its first decision.
GO_ON = -9

#: Addresses in `engine`, in this order.
APPLY, OBSERVE, MASK = range(3)


@entry
def move_hands(
    hands, rules, engine, policies, parameters, lanes, actions, logs, keep, derived, asked, over, observations, masks
):
    """Apply an action at each of some hands and play it on to the next decision of a seat without a policy, or to its end.

    int64[n] `lanes` are indices of `hands` and int64[n] `actions` what to do there (GO_ON: nothing); int64[m, 8] `policies`
    (see `mjsim.play.tell_end`) and int64[m, 4] `parameters` are addresses, 0 for seats that are asked outside. With `keep`
    every decision is recorded in DECISION[m, MAX_DECISIONS] `logs`. Fills, in the order of `lanes`, `asked` with the lanes
    whose seat is asked, with int8[n, N_ROWS, 34] `observations` and int8[n, 147] `masks` in the same rows (addresses), and
    `over` with the lanes that ended. Returns (asked, ended, -1), or (0, 0, lane) where an answer was illegal.
    """
    r = rules[0]
    n_asked = 0
    n_over = 0
    for j in range(len(lanes)):
        lane = lanes[j]
        h = hands[lane]
        action = actions[j]
        while True:
            if action != GO_ON:
                if keep:
                    n = np.int64(h.n_decisions)
                    logs[lane, n].seat = h.seat
                    logs[lane, n].claimed = h.claim_tile if h.phase == CLAIM else -1
                    logs[lane, n].action = action
                    for w in range(N_WORDS):
                        logs[lane, n].legal[w] = h.legal[w]
                if action < 0 or call(engine[APPLY], (h, r, np.int64(action))) != 0:
                    return 0, 0, np.int64(lane)
            if h.phase == OVER:
                tell_end(h, r, policies[lane], parameters[lane])
                over[n_over] = lane
                n_over += 1
                break
            if policies[lane, h.seat] == 0:
                me = np.int64(h.seat)
                call(engine[OBSERVE], (h, r, me, observations + n_asked * N_ROWS * 34, derived))
                call(engine[MASK], (h, me, masks + n_asked * N_ACTIONS))
                asked[n_asked] = lane
                n_asked += 1
                break
            action = call(policies[lane, h.seat], (h, r, parameters[lane, h.seat]))
    return n_asked, n_over, np.int64(-1)
