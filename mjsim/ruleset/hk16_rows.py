"""Readings of one hand under `hk16` compared (rulings 40 and 41).

A reading is int64[N_ROWS]: the points of the items in which the readings of a hand can differ, each at its number in the
table, the others 0.
"""

from __future__ import annotations

from mjsim.jit import kernel
from mjsim.ruleset.hk16_items import ORPHANS_TERMINALS

#: The last item that depends on the reading is the number 61 of the table.
N_ROWS = ORPHANS_TERMINALS + 1


@kernel
def offer(rows, best):
    """Keep the reading `rows` in `best` if its total is higher, or equal and the first difference is in its favour.

    `best` is -1 in every row as long as there is none.
    """
    gain = 0
    first = 0
    for i in range(len(rows)):
        more = rows[i] - best[i]
        gain += more
        if first == 0:
            first = more
    if gain > 0 or (gain == 0 and first > 0):
        for i in range(len(rows)):
            best[i] = rows[i]
