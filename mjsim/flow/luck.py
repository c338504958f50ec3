"""Luck: independent random streams derived from (seed, match, hand, purpose), and what a hand draws from them.

Wall, dice and pairings are drawn before any decision and never depend on one.
"""

from __future__ import annotations

import numpy as np

from mjsim.jit import call, kernel
from mjsim.tiles import FULL_SET, N_TILES

#: Purposes of streams. Seat s of a policy has POLICY + s.
WALL, DICE, PAIRINGS, POLICY, STANDING = 0, 1, 2, 8, 16

#: Studies play every wall as the second hand of a match of its own: in a first hand the dice do not move the wall (douque 34).
SECOND_HAND = 1

#: The nine pairings in which no one passes to themselves (ruling 37: equally likely).
PAIRINGS_TABLE = np.array(
    [
        [1, 0, 3, 2], [1, 2, 3, 0], [1, 3, 0, 2], [2, 0, 3, 1], [2, 3, 0, 1], [2, 3, 1, 0],
        [3, 0, 1, 2], [3, 2, 0, 1], [3, 2, 1, 0],
    ],
    dtype=np.int8,
)  # fmt: skip

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)


@kernel
def mix(x):
    """The finalizer of SplitMix64: a bijection of uint64."""
    x = (x ^ (x >> np.uint64(30))) * _MIX1
    x = (x ^ (x >> np.uint64(27))) * _MIX2
    return x ^ (x >> np.uint64(31))


@kernel
def stream(seed, match, hand, purpose):
    """State (uint64) of the stream of one purpose of one hand."""
    x = mix(np.uint64(seed) + _GOLDEN)
    x = mix((x ^ np.uint64(match)) + _GOLDEN)
    x = mix((x ^ np.uint64(hand)) + _GOLDEN)
    return mix((x ^ np.uint64(purpose)) + _GOLDEN)


@kernel
def below(rng, i, n):
    """A whole number of 0..n-1 from stream i of uint64[...] `rng`, exactly uniform (Lemire's rejection)."""
    bound = np.uint64(n)
    mask = np.uint64(0xFFFFFFFF)
    while True:
        rng[i] += _GOLDEN
        product = (mix(rng[i]) >> np.uint64(32)) * bound
        low = product & mask
        if low >= bound or low >= ((mask + np.uint64(1)) - bound) % bound:
            return np.int64(product >> np.uint64(32))


@kernel
def lay_out(h, seed, match, hand):
    """Draw the luck of a hand into its record: wall, dice, pairings and the seats' policy streams."""
    rng = np.empty(1, np.uint64)
    h.seed = seed
    h.match = match
    h.hand = hand
    for i in range(N_TILES):
        h.wall[i] = FULL_SET[i]
    rng[0] = stream(seed, match, hand, WALL)
    for i in range(N_TILES - 1, 0, -1):
        j = below(rng, 0, i + 1)
        tile = h.wall[i]
        h.wall[i] = h.wall[j]
        h.wall[j] = tile
    rng[0] = stream(seed, match, hand, DICE)
    for i in range(3):
        h.dice[i] = 1 + below(rng, 0, 6)
    rng[0] = stream(seed, match, hand, PAIRINGS)
    for e in range(2):
        row = below(rng, 0, 9)
        for s in range(4):
            h.pairings[e, s] = PAIRINGS_TABLE[row, s]
    for s in range(4):
        h.rng[s] = stream(seed, match, hand, POLICY + s)


@kernel
def draw_standing(h, r, lay_at, seed, wall, streak_below):
    """Lay out a wall and draw who sits where: dealer, prevailing wind and streak from the wall's own luck.

    East follows from the dealer and the three dice of the wall, as in play. `streak_below[k]` is how many of 2^32 draws
    give a streak of at most k.
    """
    rng = np.empty(1, np.uint64)
    rng[0] = stream(seed, wall, SECOND_HAND, STANDING)
    h.dealer = below(rng, 0, 4)
    h.prevailing = below(rng, 0, 4)
    drawn = below(rng, 0, np.int64(1) << 32)
    streak = 0
    while streak < len(streak_below) - 1 and drawn >= streak_below[streak]:
        streak += 1
    h.streak = streak
    call(lay_at, (h, r, seed, wall, SECOND_HAND))
