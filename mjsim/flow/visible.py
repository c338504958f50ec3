"""What a seat may see of the tiles. The one place that knows which tiles are hidden."""

from __future__ import annotations

from mjsim.jit import kernel
from mjsim.melds import KONG_CONCEALED


@kernel
def sees_meld(r, me, owner, meld_type):
    """Whether seat `me` sees the tile of a meld: others' concealed kongs show only that they are there (a flag)."""
    return me == owner or meld_type != KONG_CONCEALED or not r.concealed_kong_hidden


@kernel
def unseen_by(h, r, me, unseen):
    """Fill an array[34] with the copies of each kind that seat `me` cannot see."""
    for k in range(34):
        unseen[k] = 4 - h.counts[me, k] - h.melded[0, k] - h.melded[1, k] - h.melded[2, k] - h.melded[3, k]
    for owner in range(4):
        for i in range(h.n_melds[owner]):
            if not sees_meld(r, me, owner, h.meld_type[owner, i]):
                unseen[h.meld_tile[owner, i]] += 4
    for i in range(h.n_discards):
        if h.discard_taken[i] < 0:
            unseen[h.discards[i]] -= 1
