"""What it takes to race to a complete hand: which tile to lose, what to claim, which kong, and the plans for a high minimum.

`greedy` is nothing else; `heuristic` falls back on it. Owns no policy and no parameter.
"""

from __future__ import annotations

import numpy as np

from mjsim.actions import CHOW_LOW, KONG, PASS, PUNG, W_KONG
from mjsim.flow.claims import barred_after_chow
from mjsim.flow.engine import is_legal
from mjsim.flow.lacking import lack_of, nearest_discards, ukeire_of_discards
from mjsim.flow.moves import bit
from mjsim.flow.visible import unseen_by
from mjsim.jit import kernel, lowest_bit
from mjsim.melds import MELD_PUNG
from mjsim.shapes.kernels import POWER, distance, distance_changed, distance_keys, tables_at
from mjsim.shapes.special import HONORS

#: From here on (hk16: 20) a hand needs a plan to win.
HIGH_MINIMUM = 10

FAR = 99
#: Kinds of each suit.
SUITS = np.array([0x1FF << 9 * suit for suit in range(3)], dtype=np.uint64)
#: Plans beside a flush of suit 0-2: any hand, or a concealed one.
ANY_HAND, CONCEALED = 3, 4


@kernel
def best_tile_to_lose(h, r, s, allowed):
    """The kind among the bits `allowed` whose loss leaves fewest shanten, then most ukeire, then the highest kind."""
    lowest, ties = nearest_discards(h, r, s, allowed)
    if ties & (ties - np.uint64(1)) == np.uint64(0):
        return lowest_bit(ties)
    unseen = np.empty(34, np.int8)
    unseen_by(h, r, s, unseen)
    ukeire = np.empty(34, np.int64)
    ukeire_of_discards(h, r, s, ties, lowest - 1, unseen, ukeire)
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
def _flush_keys(h, s, suit, keys):
    """Fill int32[4] with the keys of the tiles that a flush of `suit` can use; of all tiles for another plan."""
    for i in range(4):
        keys[i] = h.keys[s, i] if suit > 2 or i == suit or i == 3 else 0


@kernel
def _flush_lack(t, h, s, suit, need):
    """Tiles lacking for a flush of the suit."""
    keys = h.keys[s]
    m = keys[0] if suit == 0 else 0
    p = keys[1] if suit == 1 else 0
    b = keys[2] if suit == 2 else 0
    return distance(t, m, p, b, keys[3], need)


@kernel
def plan_of(h, r, s, flush):
    """What the hand goes for: a flush of suit 0-2, ANY_HAND, or CONCEALED."""
    if r.min_tai + r.min_tai_step * h.prevailing < HIGH_MINIMUM:
        return ANY_HAND
    t = tables_at(r.tables)
    need = 5 - h.n_melds[s]
    suits = 7  # that a flush may still be of
    exposed = False
    for i in range(h.n_melds[s]):
        if h.meld_tile[s, i] < 27:
            suits &= 1 << (h.meld_tile[s, i] // 9)
        if h.meld_type[s, i] <= MELD_PUNG:
            exposed = True
    nearest = FAR
    plan = CONCEALED
    for suit in range(3):
        if suits >> suit & 1:
            d = _flush_lack(t, h, s, suit, need)
            if d < nearest:
                nearest = d
                plan = suit
    if exposed:
        return plan if plan < 3 else ANY_HAND
    return plan if nearest <= lack_of(h, r, s) + flush else CONCEALED


@kernel
def lack_after_call(t, h, s, k, form, r, plan):
    """Tiles lacking after a claim of k and the best discard that it leaves."""
    keys = np.empty(4, np.int32)
    _flush_keys(h, s, plan, keys)
    need = 5 - h.n_melds[s] - 1
    have = h.have[s]
    if form == KONG:
        keys[k // 9] -= 3 * POWER[k]
        return distance_keys(t, keys, need)
    if form == PUNG:
        keys[k // 9] -= 2 * POWER[k]
        if h.counts[s, k] == 2 or not r.discard_claimed_tile:
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
        if plan < 3 and tile < 27 and tile // 9 != plan:
            lowest = min(lowest, distance_keys(t, keys, need))  # a tile that the flush cannot use
        else:
            lowest = min(lowest, distance_changed(t, keys, need, tile, -1))
    return lowest


@kernel
def racing_claim(h, r, s, plan):
    """Claim when shanten falls, to the fewest; of a plan only what belongs to it."""
    t = tables_at(r.tables)
    k = np.int64(h.claim_tile)
    if plan < 3:
        if k < 27 and k // 9 != plan:
            return PASS
        lowest = _flush_lack(t, h, s, plan, 5 - h.n_melds[s])
    else:
        lowest = lack_of(h, r, s)
    choice = PASS
    for form in range(KONG if plan == CONCEALED else CHOW_LOW, KONG + 1):
        if is_legal(h, form):
            after = lack_after_call(t, h, s, k, form, r, plan)
            if after < lowest:
                lowest = after
                choice = form
    return choice


@kernel
def racing_kong(h, r, s):
    """The kong that leaves fewest shanten, if shanten does not rise; -1 otherwise."""
    t = tables_at(r.tables)
    need = 5 - h.n_melds[s]
    now = lack_of(h, r, s)
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


@kernel
def racing_discard(h, r, s, allowed, plan):
    """The tile to lose; for a flush those first that it cannot use."""
    if plan < 3:
        useless = allowed & ~(SUITS[plan] | HONORS)
        if useless:
            return best_tile_to_lose(h, r, s, useless)
    return best_tile_to_lose(h, r, s, allowed)


@kernel
def may_freeze(h, s, ready, plan):
    """Of the bits `ready` those to declare with: a melded flush is not frozen around a tile that it cannot use."""
    if plan > 2 or h.n_exposed[s] == 0:
        return ready
    useless = h.have[s] & ~(SUITS[plan] | HONORS)
    if useless == np.uint64(0):
        return ready
    if useless & (useless - np.uint64(1)) or h.twos[s] & useless:
        return np.uint64(0)
    return ready & useless
