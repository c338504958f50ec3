"""The yardstick of `mjsim bench`: shuffle, deal, draw and discard at random in the same record, without any rules.

It stays as it is, so that ratios of different versions can be compared. A draw is any tile taken from the wall, dealt
ones included; a flower drawn is laid aside and the next tile drawn.
"""

from __future__ import annotations

import numpy as np

from mjsim.flow.luck import below, lay_out
from mjsim.jit import entry, lowest_bit, popcount

KEPT_BACK = 16


@entry
def skeleton(hands, seed, n):
    """Play n ruleless hands in hands[0]; returns the draws."""
    h = hands[0]
    draws = 0
    one = np.uint64(1)
    for i in range(n):
        lay_out(h, seed, 0, i)
        for s in range(4):
            h.have[s] = np.uint64(0)
            for k in range(34):
                h.counts[s, k] = 0
        head = 0
        for j in range(64):
            k = np.int64(h.wall[head])
            head += 1
            draws += 1
            if k < 34:
                s = (j // 4) % 4
                h.counts[s, k] += 1
                h.have[s] |= one << np.uint64(k)
        s = 0
        n_discards = 0
        while head < 144 - KEPT_BACK:
            k = np.int64(h.wall[head])
            head += 1
            draws += 1
            if k >= 34:
                continue
            h.counts[s, k] += 1
            h.have[s] |= one << np.uint64(k)
            word = h.have[s]
            for _ in range(below(h.rng, s, popcount(word))):
                word &= word - one
            k = lowest_bit(word)
            h.counts[s, k] -= 1
            if h.counts[s, k] == 0:
                h.have[s] &= ~(one << np.uint64(k))
            h.discards[n_discards] = k
            h.discarder[n_discards] = s
            n_discards += 1
            s = (s + 1) % 4
    return draws
