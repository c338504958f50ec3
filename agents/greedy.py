"""`greedy`: the yardstick. It races to a complete hand and pays no heed to tai, nor to a small minimum.

* discard (and give): fewest shanten, then most ukeire over the tiles it cannot see, then the highest kind (honors first);
* claim when shanten falls, to the fewest shanten, chow before pung before kong where equal;
* kong when shanten does not rise; declare (ready, Closing, Original Call) when offered, with the discard that it would
  choose among those offered;
* always win and flower-win; exchange again when its shanten is `exchange` or more.

Seven pairs and the Orphans count as shanten where the rules have them. Where the minimum is HIGH_MINIMUM or more a quick hand
cannot win: it then goes for a flush (one suit and honors) when that lacks at most `flush` tiles more than any hand,
and claims only what belongs to it; otherwise it keeps its hand concealed, claiming no chow and no pung.

It reads only what its seat may see (`test_agents_see_only_their_own`).
"""

from __future__ import annotations

import numpy as np
from numba import carray

from mjsim.actions import (
    DECLARE,
    DISCARD,
    EXCHANGE,
    FLOWER_WIN,
    GIVE,
    OWN_KONG,
    PASS,
    READY,
    START,
    W_DISCARD,
    W_GIVE,
    W_KONG,
    W_READY,
    WIN,
)
from mjsim.agents.racing import best_tile_to_lose, may_freeze, plan_of, racing_claim, racing_discard, racing_kong
from mjsim.flow.engine import POLICY, is_legal
from mjsim.flow.lacking import lack_of
from mjsim.hand_record import CHOICE, CLAIM, TURN
from mjsim.hand_record import DECLARE as DECLARE_PHASE
from mjsim.hand_record import GIVE as GIVE_PHASE
from mjsim.jit import address_as_pointer, pointer

#: Parameters and their defaults, in the order the policy reads them.
PARAMETERS = {"exchange": 5.0, "flush": 1.0}


@pointer(POLICY)
def policy(h, r, parameters):
    """The greedy choice of h.seat."""
    s = np.int64(h.seat)
    if is_legal(h, WIN):
        return WIN
    if is_legal(h, FLOWER_WIN):
        return FLOWER_WIN
    values = carray(address_as_pointer(parameters), 2)
    if h.phase == TURN:
        if h.legal[W_KONG]:
            k = racing_kong(h, r, s)
            if k >= 0:
                return OWN_KONG + k
        plan = plan_of(h, r, s, values[1])
        ready = may_freeze(h, s, h.legal[W_READY], plan)
        if ready:
            return READY + racing_discard(h, r, s, ready, plan)
        return DISCARD + racing_discard(h, r, s, h.legal[W_DISCARD], plan)
    if h.phase == CLAIM:
        return racing_claim(h, r, s, plan_of(h, r, s, values[1]))
    if h.phase == GIVE_PHASE:
        return GIVE + best_tile_to_lose(h, r, s, h.legal[W_GIVE])
    if h.phase == CHOICE:
        return EXCHANGE if lack_of(h, r, s) - 1 >= values[0] else START
    if h.phase == DECLARE_PHASE:
        return DECLARE
    return PASS
