"""`greedy`: the yardstick. It races to a complete hand and pays no heed to tai or the minimum.

* discard (and give): fewest shanten, then most ukeire over the tiles it cannot see, then the highest kind (honors first);
* claim when shanten falls, to the fewest shanten, chow before pung before kong where equal;
* kong when shanten does not rise; declare ready when offered (with the discard that it would choose among those offered);
* always win and flower-win; exchange again when its shanten is `exchange` or more.

It reads only what its seat may see (`test_agents_see_only_their_own`).
"""

from __future__ import annotations

import numpy as np
from numba import carray

from mjsim.actions import (
    CHOW_LOW,
    DISCARD,
    EXCHANGE,
    FLOWER_WIN,
    GIVE,
    KONG,
    OWN_KONG,
    PASS,
    PUNG,
    READY,
    START,
    W_DISCARD,
    W_GIVE,
    W_KONG,
    W_READY,
    WIN,
)
from mjsim.flow.claims import barred_after_chow
from mjsim.flow.engine import POLICY, is_legal
from mjsim.flow.moves import bit, distance_of
from mjsim.flow.visible import unseen_by
from mjsim.hand_record import CHOICE, CLAIM, TURN
from mjsim.hand_record import GIVE as GIVE_PHASE
from mjsim.jit import address_as_pointer, kernel, lowest_bit, pointer
from mjsim.shapes.kernels import POWER, distance_changed, distance_keys, tables_at, ukeire_after

#: Parameters and their defaults, in the order the policy reads them.
PARAMETERS = {"exchange": 5.0}

FAR = 99


@kernel
def best_tile_to_lose(h, r, s, allowed):
    """The kind among the bits `allowed` whose loss leaves fewest shanten, then most ukeire, then the highest kind."""
    t = tables_at(r.tables)
    need = 5 - h.n_melds[s]
    lowest = FAR
    ties = np.uint64(0)
    rest = allowed
    while rest:
        k = lowest_bit(rest)
        rest &= rest - np.uint64(1)
        d = distance_changed(t, h.keys[s], need, k, -1)
        if d < lowest:
            lowest = d
            ties = np.uint64(0)
        if d == lowest:
            ties |= bit(k)
    if ties & (ties - np.uint64(1)) == np.uint64(0):
        return lowest_bit(ties)
    unseen = np.empty(34, np.int8)
    unseen_by(h, r, s, unseen)
    ukeire = np.empty(34, np.int64)
    ukeire_after(t, h.keys[s], need, lowest - 1, ties, unseen, ukeire)
    best = -1
    choice = np.int64(-1)
    while ties:
        k = lowest_bit(ties)
        ties &= ties - np.uint64(1)
        if ukeire[k] >= best:
            best = ukeire[k]
            choice = k
    return choice


@kernel
def _after_call(t, h, s, k, form, r):
    """Tiles lacking after a claim of k and the best discard that it leaves."""
    keys = np.empty(4, np.int32)
    for i in range(4):
        keys[i] = h.keys[s, i]
    need = 5 - h.n_melds[s] - 1
    have = h.have[s]
    if form == KONG:
        keys[k // 9] -= 3 * POWER[k]
        return distance_keys(t, keys, need)
    if form == PUNG:
        keys[k // 9] -= 2 * POWER[k]
        have &= ~bit(k)
    else:
        low = k - (form - CHOW_LOW)
        for tile in range(low, low + 3):
            if tile != k:
                keys[k // 9] -= POWER[tile]
                if h.counts[s, tile] == 1:
                    have &= ~bit(tile)
        have &= ~barred_after_chow(r, form, k)
    lowest = FAR
    while have:
        tile = lowest_bit(have)
        have &= have - np.uint64(1)
        lowest = min(lowest, distance_changed(t, keys, need, tile, -1))
    return lowest


@kernel
def _claim(h, r, s):
    """Claim when shanten falls, to the fewest."""
    t = tables_at(r.tables)
    lowest = distance_of(h, r, s)
    choice = PASS
    for form in range(CHOW_LOW, KONG + 1):
        if is_legal(h, form):
            after = _after_call(t, h, s, np.int64(h.claim_tile), form, r)
            if after < lowest:
                lowest = after
                choice = form
    return choice


@kernel
def _kong(h, r, s):
    """The kong that leaves fewest shanten, if shanten does not rise; -1 otherwise."""
    t = tables_at(r.tables)
    need = 5 - h.n_melds[s]
    now = distance_of(h, r, s)
    choice = -1
    rest = h.legal[W_KONG]
    while rest:
        k = lowest_bit(rest)
        rest &= rest - np.uint64(1)
        if h.counts[s, k] == 4:
            after = distance_changed(t, h.keys[s], need - 1, k, -4)
        else:
            after = distance_changed(t, h.keys[s], need, k, -1)
        if after < now or (after == now and choice < 0):
            now = after
            choice = k
    return choice


@pointer(POLICY)
def policy(h, r, parameters):
    """The greedy choice of h.seat."""
    s = np.int64(h.seat)
    if is_legal(h, WIN):
        return WIN
    if is_legal(h, FLOWER_WIN):
        return FLOWER_WIN
    if h.phase == TURN:
        if h.legal[W_KONG]:
            k = _kong(h, r, s)
            if k >= 0:
                return OWN_KONG + k
        if h.legal[W_READY]:
            return READY + best_tile_to_lose(h, r, s, h.legal[W_READY])
        return DISCARD + best_tile_to_lose(h, r, s, h.legal[W_DISCARD])
    if h.phase == CLAIM:
        return _claim(h, r, s)
    if h.phase == GIVE_PHASE:
        return GIVE + best_tile_to_lose(h, r, s, h.legal[W_GIVE])
    if h.phase == CHOICE:
        values = carray(address_as_pointer(parameters), 1)
        return EXCHANGE if distance_of(h, r, s) - 1 >= values[0] else START
    return PASS
