"""What `heuristic` sees: its seat's tiles as a copy that can be changed in thought, and the table as it lies.

Owns the two records and how they are filled from the hand; nothing hidden from the seat enters them.
"""

from __future__ import annotations

import numpy as np

from mjsim.flow.moves import bit, drawable
from mjsim.flow.visible import unseen_by
from mjsim.jit import kernel
from mjsim.melds import CHOW, KONG_CONCEALED
from mjsim.ruleset.dice import dice_tai
from mjsim.ruleset.douque_items import NUMBER as DOUQUE
from mjsim.ruleset.four_winds_items import NUMBER as FOUR_WINDS
from mjsim.ruleset.house16_items import NUMBER as HOUSE16
from mjsim.shapes.kernels import POWER

#: Parameters in the order of `HeuristicParameters`.
N_PARAMETERS = 21
(EXCHANGE_AGAIN, GIVE_HONORS, GIVE_VALUE, GIVE_FAR, LIVE, PACE, HAZARD_READY, CALL_PUNG, CALL_HONOR, CALL_CHOW, TWO_STEP, ONE_SHORT,
 TWO_SHORT, FAR_SHORT, AVOID, PAIRS, FLUSH, PUNGS, CLAIM_BIAS, DEFENCE, MELDED) = range(N_PARAMETERS)  # fmt: skip

MAX_TURNS = 24
#: Chance a turn to come nearer with d tiles lacking (1: a self-drawn hit), for usual hands.
STEP = np.array([0, 0.064, 0.116, 0.187, 0.232, 0.45, 0.52, 0.55, 0.6, 0.62, 0.62, 0.62, 0.62])
ROWS = len(STEP)
#: Chance that another wins in a turn, by turns left.
HAZARD = 0.015 + 0.098 / (1 + np.exp((np.arange(MAX_TURNS) - 10.57) / 1.5))
#: Accepting copies are weighed by how easily they are claimed, in this fraction of a copy.
GRAIN = 8.0

SEAT = np.dtype(
    [
        ("counts", np.int8, 34),  # concealed
        ("keys", np.int32, 4),
        ("need", np.int64),  # melds still to make
        ("n_melds", np.int64),
        ("exposed", np.int64),
        ("chows", np.int64),
        ("suits", np.int64),  # of the melds: bits 0-2, honors 8
        ("melded", np.uint64),  # bits of the honors with a meld
        ("meld_type", np.int8, 5),
        ("meld_tile", np.int8, 5),
    ],
    align=True,
)

TABLE = np.dtype(
    [
        ("unseen", np.int8, 34),
        ("weight", np.int64, 34),  # of the unseen copies, in 1 / GRAIN
        ("total", np.float64),  # unseen copies of all kinds
        ("turns", np.int64),  # draws left
        ("sigma", np.float64, MAX_TURNS),  # chance that nobody else wins in the turn, by turns left
        ("hits", np.float64, (ROWS, MAX_TURNS)),  # expected hits by tiles lacking and turns left
        ("rows", np.int64),  # of these that are filled; hands further off are worth nothing
        ("honor", np.float64, 7),  # tai of a pung of each honor
        ("luck", np.float64),  # tai that every win has
        ("share", np.float64),  # dealer tai that the dealer alone adds when the seat draws its win
        ("base", np.float64),
        ("minimum", np.float64),
        ("ready", np.float64),  # tai of a declaration
        ("closed", np.float64),
        ("drawn", np.float64),
        ("closed_drawn", np.float64),
        ("half", np.float64),
        ("full", np.float64),
        ("pungs", np.float64),
        ("p", np.float64, N_PARAMETERS),
    ],
    align=True,
)

#: Items by role: closed, drawn, closed and drawn, half flush, full flush, all pungs, dragon pung, prevalent wind, seat
#: wind, any wind, sure.
_DOUQUE = """concealed_hand self_drawn fully_concealed half_flush full_flush all_pungs
    dragon_pung prevalent_wind seat_wind - -"""
_FOUR_WINDS = """concealed_hand self_drawn fully_concealed half_flush full_flush all_pungs
    honor_pung - - honor_pung winning_hand"""
_HOUSE16 = """concealed_hand self_drawn - half_flush full_flush all_pungs
    dragon_pung prevalent_wind seat_wind - base_win"""
#: Item numbers by family and role, -1 where the family has none.
_ROLES = np.array(
    [
        [numbers.get(name, -1) for name in names.split()]
        for numbers, names in ((DOUQUE, _DOUQUE), (FOUR_WINDS, _FOUR_WINDS), (HOUSE16, _HOUSE16))
    ],
    dtype=np.int64,
)


@kernel
def is_douque(r):
    """The Douque family is the one with a dice bonus among its items."""
    return r.dice_bonus_item >= 0


@kernel
def _price(r, role):
    family = 0 if is_douque(r) else (2 if r.flower_base_item >= 0 else 1)
    item = _ROLES[family, role]
    return float(r.items[item, 0]) if item >= 0 else 0.0


@kernel
def lose(me, k, n):
    """Take n copies of kind k out of the hand (put them in where n is negative)."""
    me.counts[k] -= n
    me.keys[k // 9] -= n * POWER[k]


@kernel
def meld(me, meld_type, tile):
    """Put a meld in front of the seat; its tiles are lost separately."""
    i = me.n_melds
    me.meld_type[i] = meld_type
    me.meld_tile[i] = tile
    me.n_melds = i + 1
    me.need = 4 - i
    if meld_type != KONG_CONCEALED:
        me.exposed += 1
    if meld_type == CHOW:
        me.chows += 1
    elif tile >= 27:
        me.melded |= bit(tile)
    me.suits |= 1 << (tile // 9)


@kernel
def load(h, s, me):
    """Copy the tiles of seat s."""
    for k in range(34):
        me.counts[k] = h.counts[s, k]
    for i in range(4):
        me.keys[i] = h.keys[s, i]
    me.need = 5
    me.n_melds = 0
    me.exposed = 0
    me.chows = 0
    me.suits = 0
    me.melded = np.uint64(0)
    for i in range(h.n_melds[s]):
        meld(me, h.meld_type[s, i], np.int64(h.meld_tile[s, i]))


@kernel
def sight(h, r, s, values, c):
    """Fill the TABLE of seat s, all but `hits`."""
    for i in range(N_PARAMETERS):
        c.p[i] = values[i]
    unseen_by(h, r, s, c.unseen)
    total = 0
    for k in range(34):
        total += c.unseen[k]
        weight = 1.0
        if h.counts[s, k] >= 2:
            weight += 3.0 * (c.p[CALL_HONOR] if k >= 27 else c.p[CALL_PUNG])
        elif k < 27:
            weight += c.p[CALL_CHOW]
        c.weight[k] = np.int64(GRAIN * weight * max(0, c.unseen[k]) + 0.5)
    c.total = max(1.0, float(total))
    c.turns = min(MAX_TURNS - 2, max(1, (drawable(h, r) + 3) // 4))
    declared = 0
    for o in range(4):
        if o != s and h.declared[o]:
            declared += 1
    for t in range(MAX_TURNS):
        c.sigma[t] = max(0.3, 1.0 - HAZARD[t] - c.p[HAZARD_READY] * declared)
    c.base = float(r.base_tai)
    c.minimum = float(r.min_tai + r.min_tai_step * h.prevailing)
    c.closed, c.drawn, c.closed_drawn = _price(r, 0), _price(r, 1), _price(r, 2)
    c.half, c.full, c.pungs = _price(r, 3), _price(r, 4), _price(r, 5)
    wind = (s - h.east) % 4
    for i in range(7):
        c.honor[i] = _price(r, 6 if i >= 4 else 9)
    c.honor[h.prevailing] += _price(r, 7)
    c.honor[wind] += _price(r, 8)
    flowers = np.int64(h.flowers[s])
    c.ready = 1.0 if r.declare_ready else 0.0
    c.luck = _price(r, 10)
    if is_douque(r):
        c.luck += dice_tai(r, h.dice) + (flowers >> wind & 1) + (flowers >> (wind + 4) & 1)
    c.share = 0.0
    if r.dealer_tai:
        dealer_tai = 1.0 + 2.0 * h.streak
        if s == h.dealer:
            c.luck += dealer_tai
        else:
            c.share = dealer_tai


@kernel
def fill_hits(c, lacking):
    """Fill the rows of expected hits that a hand with so many tiles lacking can need."""
    c.rows = min(ROWS, lacking + 4)
    stay = 1.0 - (1.0 + 3.0 * c.p[LIVE]) * STEP[1]
    for d in range(ROWS):
        c.hits[d, 0] = 0.0
    last = c.turns + 2
    for t in range(1, last):
        c.hits[0, t] = 0.0
        c.hits[1, t] = c.sigma[t] * (STEP[1] + stay * c.hits[1, t - 1])
    for d in range(2, c.rows):
        q = STEP[d] * c.p[PACE]
        for t in range(1, last):
            c.hits[d, t] = c.sigma[t] * (q * c.hits[d - 1, t - 1] + (1.0 - q) * c.hits[d, t - 1])
