"""What a seat may see of the tiles. The one place that knows which tiles are hidden."""

from __future__ import annotations

from mjsim.jit import kernel
from mjsim.lanes import address_of, row_left
from mjsim.melds import KONG_CONCEALED


@kernel
def sees_meld(r, me, owner, meld_type):
    """Whether seat `me` sees the tile of a meld: others' concealed kongs show only that they are there (a flag)."""
    return me == owner or meld_type != KONG_CONCEALED or not r.concealed_kong_hidden


@kernel
def unseen_by(h, r, me, unseen):
    """Fill int8[34] `unseen` with the copies of each kind that seat `me` cannot see."""
    row_left(address_of(unseen), address_of(h.counts) + me * 34, address_of(h.shown))
    if r.concealed_kong_hidden and h.n_melds[me] > h.n_exposed[me]:
        for i in range(h.n_melds[me]):
            if h.meld_type[me, i] == KONG_CONCEALED:
                unseen[h.meld_tile[me, i]] -= 4
