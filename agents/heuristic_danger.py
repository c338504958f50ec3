"""What `heuristic` fears: the expected tai that each discard costs, from what lies open on the table.

A declared seat waits for about two kinds. How likely each is follows from the tiles that a wait on it would need and that are
still unseen; what the seat has discarded, and what has been discarded since it declared, is safe, and a kind two-sided
with a safe one is nearly so. Price and chance of a win follow from the tai in sight.
"""

from __future__ import annotations

import numpy as np

from mjsim.agents.heuristic_sight import DEFENCE, MELDED, is_douque
from mjsim.agents.heuristic_value import enough
from mjsim.hand_record import DECLARED_MIGI
from mjsim.jit import kernel, popcount
from mjsim.melds import KONG_CONCEALED
from mjsim.ruleset.dice import dice_tai

#: Kinds that a declared hand waits for, on average.
WAITS = 2.0
#: Tai that a hand has beyond those in sight, and a MIGI beyond a declaration.
UNSEEN_TAI = 0.7
MIGI_TAI = 6.0
#: A two-sided wait whose other side is safe, against one whose other side is not.
HALF_SAFE, LIVE_SIDE, CLOSED = 0.25, 2.0, 1.0
#: A pair wait or one of two pairs, by the square of the unseen copies.
PAIR = 0.3


@kernel
def _threat(h, c, o):
    """How much seat o is to be feared, 1 when it has declared."""
    if h.declared[o]:
        return 1.0
    return c.p[MELDED] * (h.n_melds[o] - 2) if h.n_melds[o] >= 3 else 0.0


@kernel
def _wait_weights(h, c, o, weight):
    """Fill float64[34] with how likely seat o waits for each kind, not normed; returns the sum."""
    safe = np.zeros(34, np.bool_)
    for k in range(34):
        safe[k] = h.discarded[o, k] > 0
    if h.declared[o]:
        for i in range(max(0, np.int64(h.declared_at[o])), np.int64(h.n_discards)):
            safe[h.discards[i]] = True
    total = 0.0
    for k in range(34):
        weight[k] = 0.0
        if safe[k]:
            continue
        n = float(c.unseen[k])
        w = PAIR * n * n
        if k < 27:
            rank = k % 9
            if rank <= 6:
                side = CLOSED if rank == 6 else (HALF_SAFE if safe[k + 3] else LIVE_SIDE)
                w += side * c.unseen[k + 1] * c.unseen[k + 2]
            if rank >= 2:
                side = CLOSED if rank == 2 else (HALF_SAFE if safe[k - 3] else LIVE_SIDE)
                w += side * c.unseen[k - 1] * c.unseen[k - 2]
            if 1 <= rank <= 7:
                w += CLOSED * c.unseen[k - 1] * c.unseen[k + 1]
        weight[k] = w
        total += w
    return total


@kernel
def _tai_in_sight(h, r, s, o):
    """Tai that seat o surely has if seat s discards its winning tile (Douque family)."""
    wind = (o - h.east) % 4
    flowers = np.int64(h.flowers[o])
    tai = float(dice_tai(r, h.dice) + (flowers >> wind & 1) + (flowers >> (wind + 4) & 1))
    if h.declared[o]:
        tai += MIGI_TAI + 1.0 if h.declared[o] == DECLARED_MIGI else 1.0
    if h.n_exposed[o] == 0:
        tai += 1.0
    for i in range(h.n_melds[o]):
        if h.meld_type[o, i] == KONG_CONCEALED:
            continue
        honor = h.meld_tile[o, i] - 27
        if honor >= 0:
            tai += (honor >= 4) + (honor == wind) + (honor == h.prevailing)
    if r.dealer_tai and (o == h.dealer or s == h.dealer):
        tai += 1.0 + 2.0 * h.streak
    return tai


@kernel
def fear(h, r, s, c, cost):
    """Fill float64[34] with what discarding each kind is expected to cost; returns whether there is anything to fear."""
    for k in range(34):
        cost[k] = 0.0
    if c.p[DEFENCE] <= 0:
        return False
    found = False
    weight = np.empty(34, np.float64)
    for i in range(1, 4):
        o = (s + i) % 4
        threat = _threat(h, c, o)
        if threat <= 0:
            continue
        total = _wait_weights(h, c, o, weight)
        if total <= 0:
            continue
        found = True
        if is_douque(r):
            tai = _tai_in_sight(h, r, s, o)
            chance = enough(c, tai)
        else:
            tai = c.luck + popcount(np.uint64(h.flowers[o]))
            chance = 1.0
        price = c.p[DEFENCE] * threat * chance * (c.base + max(tai + UNSEEN_TAI, c.minimum))
        for k in range(34):
            cost[k] += price * min(0.5, WAITS * weight[k] / total)
    return found
