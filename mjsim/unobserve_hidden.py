"""What an observer does not see, dealt so that it adds up: kongs, tiles of the others, the wall. A part of `unobserve`."""

from __future__ import annotations

import numpy as np

from mjsim.flow.luck import below
from mjsim.flow.moves import add_tile
from mjsim.hand_record import DECLARE, FLOWER, GIVE, ROB
from mjsim.jit import kernel
from mjsim.melds import KONG_CONCEALED, KONG_EXPOSED
from mjsim.observe import STATES, WALL
from mjsim.tiles import FULL_SET, N_TILES


@kernel
def _add_hidden_kong(h, s):
    """A concealed kong of seat s of which only that it is there is known."""
    i = h.n_melds[s]
    h.meld_type[s, i] = KONG_CONCEALED
    h.meld_tile[s, i] = -1
    h.meld_claimed[s, i] = -1
    h.meld_from[s, i] = -1
    h.n_melds[s] = i + 1


@kernel
def _held_by(h, r, s):
    """Concealed tiles of another seat, those that it gives in this exchange included."""
    # The dealer has one tile more until its first discard, unless it draws it as its first turn.
    opening = h.phase == GIVE or h.phase == DECLARE or (h.phase == FLOWER and h.resume < 0)
    extra = 1 if opening and s == h.dealer and not r.dealer_draws_first else 0
    return 16 - 3 * np.int64(h.n_melds[s]) + extra


@kernel
def find_hidden_kongs(h, r, seen):
    """Kongs that only show that they are there. Two of a seat are counted; more are told by the tiles left alone."""
    for s in range(1, 4):
        kongs = seen[STATES, 14 + s] + seen[STATES, 18 + s]
        for _ in range(kongs - (h.n_melds[s] - h.n_exposed[s])):
            if h.n_melds[s] >= 5:
                return False
            _add_hidden_kong(h, s)
    left = 8 - np.int64(h.n_flowers) - np.int64(r.kept_back)
    unseen = np.empty(34, np.int64)
    _unseen(h, r, unseen)
    for k in range(34):
        left += unseen[k]
    for s in range(1, 4):
        left -= _held_by(h, r, s)
        for i in range(h.n_melds[s]):
            if h.meld_tile[s, i] < 0:
                left -= 4
    for s in range(1, 4):
        while seen[STATES, 18 + s] and h.n_melds[s] < 5 and r.concealed_kong_hidden and not _fits(seen, left):
            _add_hidden_kong(h, s)
            left -= 1
    return True


@kernel
def _fits(seen, left):
    """Whether so many drawable tiles show as the observation has it."""
    for i in range(34):
        if (seen[WALL, i] != 0) != (left > i if i < 6 else left >= 2 * i - 4):
            return False
    return True


@kernel
def _unseen(h, r, unseen):
    """Copies of each kind that the observer does not see."""
    for k in range(34):
        unseen[k] = 4 - h.shown[k] - h.counts[0, k]
        if h.phase == ROB and k == h.claim_tile:
            unseen[k] -= 1
    for i in range(h.n_melds[0]):
        if h.meld_type[0, i] == KONG_CONCEALED and r.concealed_kong_hidden:
            unseen[h.meld_tile[0, i]] -= 4
    if h.phase == GIVE:
        for i in range(h.n_given):
            unseen[h.gives[h.round, 0, i]] -= 1


@kernel
def deal_hidden(h, r):
    """Deal what the observer does not see: others' kongs and tiles, gives of this exchange, the wall. False if it cannot be."""
    rng = np.zeros(1, np.uint64)
    unseen = np.empty(34, np.int64)
    _unseen(h, r, unseen)
    for s in range(1, 4):
        for i in range(h.n_melds[s]):
            if h.meld_tile[s, i] < 0:  # a kong that is known to be there
                kinds = 0
                for k in range(34):
                    kinds += unseen[k] == 4
                if kinds == 0:
                    return False
                left = below(rng, 0, kinds)
                for k in range(34):
                    if unseen[k] == 4:
                        if left == 0:
                            h.meld_tile[s, i] = k
                            h.melded[s, k] += 4
                            unseen[k] = 0
                            break
                        left -= 1
    pool = np.empty(N_TILES, np.int64)
    n = 0
    for k in range(34):
        if unseen[k] < 0:
            return False
        for _ in range(unseen[k]):
            pool[n] = k
            n += 1
    for i in range(n - 1, 0, -1):
        j = below(rng, 0, i + 1)
        pool[i], pool[j] = pool[j], pool[i]
    for s in range(1, 4):
        held = _held_by(h, r, s)
        asked_before = (s - h.dealer) % 4 < (0 - h.dealer) % 4
        gives = 3 if h.phase == GIVE and asked_before else 0
        if n < held or held < gives:
            return False
        for i in range(held):
            n -= 1
            if i < gives:
                h.gives[h.round, s, i] = pool[n]
            else:
                add_tile(h, s, pool[n])
    for f in range(8):
        lies_open = False
        for s in range(4):
            if h.flowers[s] >> f & 1:
                lies_open = True
        if not lies_open:
            pool[n] = 34 + f
            n += 1
    for i in range(n - 1, 0, -1):
        j = below(rng, 0, i + 1)
        pool[i], pool[j] = pool[j], pool[i]
    replaced = np.int64(h.n_flowers)
    if h.phase == FLOWER and h.resume >= 0:
        replaced -= 1
    for s in range(4):
        for i in range(h.n_melds[s]):
            if h.meld_type[s, i] >= KONG_EXPOSED:
                replaced += 1
    h.tail = N_TILES - replaced
    h.head = h.tail - n
    if h.head < 64:
        return False
    _fill_wall(h, pool, n)
    return True


@kernel
def _fill_wall(h, undealt, n):
    """The undealt tiles from head to tail, those that were drawn around them; the tile drawn last where it was drawn."""
    left = np.zeros(42, np.int64)
    for i in range(N_TILES):
        left[FULL_SET[i]] += 1
    for i in range(n):
        h.wall[h.head + i] = undealt[i]
        left[undealt[i]] -= 1
    place = np.int64(0)
    for k in range(42):
        for _ in range(left[k]):
            if place == h.head:
                place = np.int64(h.tail)
            h.wall[place] = k
            place += 1


@kernel
def place_drawn(h, late):
    """Where in the wall the tile drawn last lay; `late` when it was of the last sixteen."""
    h.drawn_at = -1
    if h.drawn < 0:
        return
    h.drawn_at = h.tail if h.tail < N_TILES and (h.replacement or late) else h.head - 1
    for place in range(N_TILES):
        if (place < h.head or place >= h.tail) and h.wall[place] == h.drawn:
            h.wall[place] = h.wall[h.drawn_at]
            h.wall[h.drawn_at] = h.drawn
            return
