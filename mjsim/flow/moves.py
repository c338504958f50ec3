"""Moving tiles: add, remove, meld, draw with its flowers. Every tile that changes place passes through here."""

from __future__ import annotations

import numpy as np

from mjsim.flow.settle import end_draw
from mjsim.hand_record import FLOWER, TURN
from mjsim.jit import kernel, popcount
from mjsim.melds import CHOW, KONG_CONCEALED, MELD_PUNG
from mjsim.shapes.kernels import POWER, distance_keys, tables_at


@kernel
def bit(k):
    return np.uint64(1) << np.uint64(k)


@kernel
def has(word, k):
    return (word >> np.uint64(k)) & np.uint64(1) != np.uint64(0)


@kernel
def add_tile(h, s, k):
    n = h.counts[s, k] + 1
    h.counts[s, k] = n
    h.keys[s, k // 9] += POWER[k]
    h.have[s] |= bit(k)
    if n == 4:
        h.quads[s] |= bit(k)


@kernel
def remove_tiles(h, s, k, n):
    left = h.counts[s, k] - n
    h.counts[s, k] = left
    h.keys[s, k // 9] -= n * POWER[k]
    if left == 0:
        h.have[s] &= ~bit(k)
    h.quads[s] &= ~bit(k)


@kernel
def add_meld(h, s, meld_type, tile, claimed, source):
    """Put a meld in front of seat s; its tiles have left the hand already. Whether a concealed kong is shown is a flag."""
    i = h.n_melds[s]
    h.meld_type[s, i] = meld_type
    h.meld_tile[s, i] = tile
    h.meld_claimed[s, i] = claimed
    h.meld_from[s, i] = source
    h.n_melds[s] = i + 1
    if meld_type != KONG_CONCEALED:
        h.n_exposed[s] += 1
    if meld_type == CHOW:
        for j in range(3):
            h.melded[s, tile + j] += 1
            h.shown[tile + j] += 1
    elif meld_type == MELD_PUNG:
        h.melded[s, tile] += 3
        h.shown[tile] += 3
        h.pungs[s] |= bit(tile)
    else:
        h.melded[s, tile] += 4
        if meld_type != KONG_CONCEALED:
            h.shown[tile] += 4
    h.any_claim = 1


@kernel
def drawable(h, r):
    """Tiles that may still be drawn; the kept-back ones are a count."""
    return np.int64(h.tail) - np.int64(h.head) - np.int64(r.kept_back)


@kernel
def distance_of(h, r, s):
    """Tiles that seat s lacks with the tiles it holds now."""
    t = tables_at(r.tables)
    return distance_keys(t, h.keys[s], 5 - h.n_melds[s])


@kernel
def expose_flower(h, s, flower):
    h.flowers[s] |= np.uint8(1 << flower)
    h.n_flowers += 1
    h.flower_time[flower] = h.n_flowers


@kernel
def holder_of(h, me, number):
    """The other seat with `number` flowers, -1 if there is none."""
    for i in range(1, 4):
        s = (me + i) % 4
        if popcount(np.uint64(h.flowers[s])) == number:
            return s
    return -1


@kernel
def take(h, r, s, from_tail):
    """Seat s draws for its turn, replacing flowers, until a tile comes, a rob is asked or the wall ends.

    Leads to TURN, FLOWER (Seven Robs One case 2 is asked at once) or the end in a draw.
    """
    h.turn = s
    h.claim_turn = 0
    h.barred = np.uint64(0)
    tail = from_tail
    while True:
        if drawable(h, r) <= 0:
            end_draw(h, r)
            return
        if tail:
            h.tail -= 1
            k = np.int64(h.wall[h.tail])
        else:
            k = np.int64(h.wall[h.head])
            h.head += 1
        if k < 34:
            break
        expose_flower(h, s, k - 34)
        tail = True
        if r.flower_wins and h.n_flowers == 8:
            robber = holder_of(h, s, 7)
            # Case 2: asked before the owner's replacement; the robber needs a drawable tile (ruling 31).
            if robber >= 0 and drawable(h, r) > 0:
                h.phase = FLOWER
                h.seat = robber
                return
        if r.flower_wins and popcount(np.uint64(h.flowers[s])) == 7 and holder_of(h, s, 1) >= 0:
            h.case_one = s
    add_tile(h, s, k)
    h.drawn = k
    h.replacement = 1 if tail else 0
    h.phase = TURN
    h.seat = s
