"""What one seat may see, encoded for learning: int8[N_ROWS, 34] and the legal mask int8[147].

Owns the encoding and its version. Every row is a plane over the 34 kinds, or 34 single values (the last rows). Other
seats are numbered relative to the observer: 0 itself, 1 the next player, 2 opposite, 3 the previous. Values are small
whole numbers, mostly 0 or 1. It reads only what FORMATS.md's "What a seat may see" allows, and answers for any seat at any time.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numba import carray, types

from mjsim.actions import N_ACTIONS, N_WORDS
from mjsim.flow.lacking import lack_of, nearest_discards, specials_of, ukeire_of_discards
from mjsim.flow.moves import drawable
from mjsim.flow.settle import FLOWER_WALL
from mjsim.flow.visible import sees_meld, unseen_by
from mjsim.hand_record import CHOICE, CLAIM, DECLARE, GIVE, HAND_TYPE, N_RECENT, OVER, ROB, TURN
from mjsim.jit import address_as_bytes, kernel, lowest_bit, pointer
from mjsim.lanes import address_of, copy_row, row_exceeds, stack_row
from mjsim.melds import CHOW, KONG_CONCEALED, MELD_PUNG
from mjsim.ruleset.dice import dice_pattern
from mjsim.ruleset.record import ALL, NEAREST, RULES_TYPE
from mjsim.shapes.kernels import reaching, tables_at
from mjsim.shapes.special import special_reaching

N_LATEST = 12

#: Blocks of rows in order: (name, rows, meaning).
BLOCKS = (
    ("own", 4, "own concealed tiles: at least 1, 2, 3, 4 copies"),
    ("drawn", 1, "the tile drawn last, on the own turn"),
    ("barred", 1, "kinds that may not be discarded this turn, on the own turn"),
    ("own_last_discard", 1, "own last discard (No claiming back)"),
    (
        "barred_claims",
        1,
        "kinds whose claims are barred by an own pass: pungs since the own last discard, or all claims",
    ),
    ("unseen", 4, "copies not seen anywhere: at least 1, 2, 3, 4"),
    ("chows", 4, "by seat: chows that begin at the kind (0-4)"),
    ("pungs", 4, "by seat: exposed pungs"),
    ("kongs", 4, "by seat: exposed and added kongs"),
    ("concealed_kongs", 4, "by seat: concealed kongs whose tile the observer sees"),
    ("claimed", 4, "by seat: the claimed tile of its melds; 1-3 says from whom, counted from the claimer"),
    ("discarded", 4, "by seat: copies discarded, claimed ones too"),
    ("taken", 4, "by seat: copies of those that somebody claimed"),
    ("recent", 4 * N_LATEST, "by seat: its latest 12 discards, one a row, the latest first"),
    ("declared_with", 4, "by seat: the discard it declared with"),
    ("question", 1, "the latest discard while it may be claimed, or the tile added to a kong"),
    ("gave", 2, "tiles given in the first and second exchange (copies)"),
    ("took", 2, "tiles received in the first and second exchange (copies)"),
    ("keeps", 1, "derived, with a tile to lose: those that leave the fewest shanten"),
    ("ukeire", 1, "derived: unseen accepting copies after losing each of those tiles"),
    ("accepts", 1, "derived: kinds that lower the shanten of the tiles held"),
    ("table", 1, "single values, see TABLE_VALUES"),
    ("dice", 1, "single values, see DICE_VALUES"),
    ("flowers", 1, "by seat, eight values each: flowers 1f-8f"),
    ("states", 1, "single values, see STATE_VALUES"),
    ("rules", 1, "single values, see RULES_VALUES"),
    ("wall", 1, "drawable tiles left: at least 1, 2, 3, 4, 5, 6, then 8, 10, ... 62"),
    ("counts", 1, "streak at least 1-18; discards at the table at least 1-8; derived: shanten one of -1 to 6"),
)
TABLE_VALUES = (
    "0-7 what is asked: give, choice, turn, claim, rob, flower, over, nothing of this seat (Original Call: see "
    "RULES_VALUES); 8 this seat is asked; "
    "9-12 whose turn it is; 13-16 dealer; 17-20 own seat wind E S W N; 21-24 prevailing wind; "
    "25-28 whose tile the question is; 29-31 exchanges made (0, 1, 2); 32, 33 tiles given so far, at least 1, 2"
)
DICE_VALUES = (
    "0-17 each die 1-6; 18-22 pattern none, all black, straight, all red, triple; 23 Dice Bonus on; 24 exchange on"
)
#: What the minimum of the round, and the pool, are compared with.
MINIMUMS = (1, 2, 3, 5, 8, 12, 20, 22, 24, 26)
POOLS = (1, 20, 40, 60, 80)
RULES_VALUES = (
    "0 Original Call is asked; 1-10 minimum tai of this round at least 1, 2, 3, 5, 8, 12, 20, 22, 24, 26; 11-15 pool at "
    "least 1, 20, 40, 60, 80; 16 seven pairs, 17 13 Orphans, 18 16 Orphans win; 19 Declare Ready, 20 MIGI, 21 Closing, "
    "22 Original Call; 23 the nearest wins alone, 24 all who may win; 25 concealed kongs are hidden; 26 a dealer part, "
    "27 payments during play; 28, 29 own kongs this turn, at least 1, 2 (own turn); 30 the tile drawn last is of the last "
    "16 of the wall (own turn); 31-33 discards at the table at least 9, 10, 16"
)
STATE_VALUES = (
    "0-3 ready, closed or Original Call by seat; 4-7 MIGI by seat; 8 under a Skipped win; "
    "9 no self-draw after an exposed kong (own turn); 10 the own turn began with a chow or pung; "
    "11 the tile drawn last is a replacement (own turn); 12 somebody called; 13 Seven Robs One case 1 is open; "
    "14-17 a concealed kong by seat; 18-21 a second one; 22-26 own melds 1-5; 27 MIGI conditions still hold"
)

N_ROWS = sum(rows for _, rows, _ in BLOCKS)
_START = {}
_row = 0
for _name, _rows, _ in BLOCKS:
    _START[_name] = _row
    _row += _rows

(OWN, DRAWN, BARRED, OWN_LAST, BARRED_CLAIMS, UNSEEN, CHOWS, PUNGS, KONGS, CONCEALED, CLAIMED, DISCARDED, TAKEN, RECENT,
 DECLARED_WITH, QUESTION, GAVE, TOOK, KEEPS, UKEIRE, ACCEPTS, TABLE, DICE, FLOWERS, STATES, RULES_ROW, WALL, COUNTS) = (
    _START[name] for name, _, _ in BLOCKS
)  # fmt: skip

#: Rows that the derived planes fill; without them they stay 0.
N_PRIVILEGED = 8
PRIVILEGED_BLOCKS = (
    ("hands", 3, "copies in the hands of seats 1, 2, 3 (relative)"),
    ("hidden_kongs", 3, "their concealed kongs"),
    ("undrawn", 1, "copies in the wall, kept-back ones too"),
    ("skipped", 1, "single values: skipped win of seats 1-3; then the next 31 draws' kinds + 1"),
)

#: Raise it when the meaning of a row changes; a change of the rows themselves changes VERSION by itself.
ENCODING = 1

#: Version of observation and action numbers; checkpoints keep it.
VERSION = hashlib.sha256(repr((ENCODING, [block[:2] for block in BLOCKS], N_ACTIONS)).encode()).hexdigest()[:12]


@kernel
def _tiles_seen(h, r, me, unseen, out):
    """Hands, melds, discards: the planes over kinds."""
    first = address_of(out)
    counts = address_of(h.counts) + me * 34
    left = address_of(unseen)
    for i in range(4):
        row_exceeds(first + (OWN + i) * 34, counts, i)
        row_exceeds(first + (UNSEEN + i) * 34, left, i)
    if h.last_discard[me] >= 0:
        out[OWN_LAST, h.last_discard[me]] = 1
    word = h.skipped_pung[me] | h.passed[me]
    while word:
        out[BARRED_CLAIMS, lowest_bit(word)] = 1
        word &= word - np.uint64(1)
    for rel in range(4):
        s = (me + rel) % 4
        for i in range(h.n_melds[s]):
            kind, tile = h.meld_type[s, i], h.meld_tile[s, i]
            if kind == CHOW:
                out[CHOWS + rel, tile] += 1
            elif kind == MELD_PUNG:
                out[PUNGS + rel, tile] = 1
            elif kind != KONG_CONCEALED:
                out[KONGS + rel, tile] = 1
            elif sees_meld(r, me, s, kind):
                out[CONCEALED + rel, tile] = 1
            if h.meld_from[s, i] >= 0:
                out[CLAIMED + rel, h.meld_claimed[s, i]] = (h.meld_from[s, i] - s) % 4
        if h.declared_at[s] >= 0:
            out[DECLARED_WITH + rel, h.discards[h.declared_at[s]]] = 1
        copy_row(first + (DISCARDED + rel) * 34, address_of(h.discarded) + s * 34)
        copy_row(first + (TAKEN + rel) * 34, address_of(h.taken) + s * 34)
        n = np.int64(h.n_discards_of[s])
        for i in range(min(n, N_LATEST)):
            out[RECENT + rel * N_LATEST + i, h.recent[s, (n - 1 - i) & (N_RECENT - 1)]] = 1
    for e in range(2):
        for i in range(3):
            if h.gives[e, me, i] >= 0:
                out[GAVE + e, h.gives[e, me, i]] += 1
            if h.takes[e, me, i] >= 0:
                out[TOOK + e, h.takes[e, me, i]] += 1


@kernel
def rules_values(h, r, out):
    """What the table plays by, as far as it bears on decisions."""
    minimum = r.min_tai + r.min_tai_step * h.prevailing
    for i in range(len(MINIMUMS)):
        out[RULES_ROW, 1 + i] = minimum >= MINIMUMS[i]
    if r.draw_pool:
        for i in range(len(POOLS)):
            out[RULES_ROW, 11 + i] = h.next_pool >= POOLS[i]
    out[RULES_ROW, 16] = r.seven_pairs
    out[RULES_ROW, 17] = r.thirteen_orphans
    out[RULES_ROW, 18] = r.sixteen_orphans
    out[RULES_ROW, 19] = r.declare_ready
    out[RULES_ROW, 20] = r.migi
    out[RULES_ROW, 21] = r.closing
    out[RULES_ROW, 22] = r.original_call
    out[RULES_ROW, 23] = r.winners == NEAREST
    out[RULES_ROW, 24] = r.winners == ALL
    out[RULES_ROW, 25] = r.concealed_kong_hidden
    out[RULES_ROW, 26] = r.dealer_tai
    out[RULES_ROW, 27] = r.instant_payments
    out[RULES_ROW, 31] = h.n_discards >= 9
    out[RULES_ROW, 32] = h.n_discards >= 10
    out[RULES_ROW, 33] = h.n_discards >= 16


@kernel
def _single_values(h, r, me, asked, out):
    """The rows of single values."""
    if h.phase == OVER:
        out[TABLE, 6] = 1
    elif asked:
        if h.phase == DECLARE:
            out[RULES_ROW, 0] = 1
        else:
            out[TABLE, h.phase] = 1
        out[TABLE, 8] = 1
    else:
        out[TABLE, 7] = 1
    out[TABLE, 9 + (h.turn - me) % 4] = 1
    out[TABLE, 13 + (h.dealer - me) % 4] = 1
    out[TABLE, 17 + (me - h.east) % 4] = 1
    out[TABLE, 21 + h.prevailing] = 1
    out[TABLE, 29 + h.round] = 1
    if asked and h.phase == GIVE:
        for i in range(min(2, h.n_given)):
            out[TABLE, 32 + i] = 1
    for i in range(3):
        out[DICE, 6 * i + h.dice[i] - 1] = 1
    out[DICE, 18 + dice_pattern(h.dice)] = 1
    out[DICE, 23] = 1 if r.dice_bonus else 0
    out[DICE, 24] = 1 if r.exchange else 0
    rules_values(h, r, out)
    for rel in range(4):
        s = (me + rel) % 4
        for f in range(8):
            out[FLOWERS, 8 * rel + f] = (h.flowers[s] >> f) & 1
        if h.declared[s]:
            out[STATES, (0 if h.declared[s] == 1 else 4) + rel] = 1
        concealed = h.n_melds[s] - h.n_exposed[s]
        if concealed >= 1:
            out[STATES, 14 + rel] = 1
        if concealed >= 2:
            out[STATES, 18 + rel] = 1
    out[STATES, 8] = h.skipped_win[me]
    out[STATES, 12] = h.any_claim
    out[STATES, 13] = 1 if h.case_one == me else 0
    if h.n_melds[me] > 0:
        out[STATES, 21 + h.n_melds[me]] = 1
    out[STATES, 27] = 1 if r.migi and h.n_discards < 8 and h.any_claim == 0 else 0
    left = drawable(h, r)
    for i in range(6):
        out[WALL, i] = left > i
    for i in range(6, 34):
        out[WALL, i] = left >= 2 * i - 4
    for i in range(18):
        out[COUNTS, i] = 1 if h.streak > i else 0
    for i in range(8):
        out[COUNTS, 18 + i] = 1 if h.n_discards > i else 0


@kernel
def _own_turn(h, me, out):
    """What belongs to the turn of the observer, when it is asked."""
    if h.drawn >= 0:
        out[DRAWN, h.drawn] = 1
    word = h.barred
    while word:
        out[BARRED, lowest_bit(word)] = 1
        word &= word - np.uint64(1)
    out[STATES, 9] = h.kong_ban
    out[STATES, 10] = h.claim_turn
    out[STATES, 11] = h.replacement
    out[RULES_ROW, 28] = h.turn_kongs >= 1
    out[RULES_ROW, 29] = h.turn_kongs >= 2
    out[RULES_ROW, 30] = h.drawn_at >= FLOWER_WALL and h.drawn >= 0


@kernel
def _derived(h, r, me, unseen, out):
    """Shanten and ukeire of the observer's own tiles."""
    t = tables_at(r.tables)
    need = 5 - h.n_melds[me]
    now = lack_of(h, r, me)
    if now <= 7:
        out[COUNTS, 26 + now] = 1
    held = 0
    for k in range(34):
        held += h.counts[me, k]
    wanted = reaching(t, h.counts[me], h.keys[me], need, max(now, 1) - 1)
    specials = specials_of(h, r, me)
    if specials:
        wanted |= special_reaching(specials, h.have[me], h.twos[me], h.threes[me], h.quads[me], max(now, 1) - 1)
    if now > 0:
        word = wanted
        while word:
            out[ACCEPTS, lowest_bit(word)] = 1
            word &= word - np.uint64(1)
    if held % 3 != 2:
        return
    lowest, ties = nearest_discards(h, r, me, h.have[me])
    word = ties
    while word:
        out[KEEPS, lowest_bit(word)] = 1
        word &= word - np.uint64(1)
    ukeire = np.empty(34, np.int64)
    ukeire_of_discards(h, r, me, ties, lowest - 1, unseen, ukeire)
    while ties:
        k = lowest_bit(ties)
        ties &= ties - np.uint64(1)
        out[UKEIRE, k] = min(127, ukeire[k])


@pointer(types.int64(HAND_TYPE, RULES_TYPE, types.int64, types.int64, types.int64))
def observe(h, r, me, out_address, derived):
    """Encode what seat `me` may see into int8[N_ROWS, 34] at `out_address`; `derived` 0 leaves the derived rows at 0."""
    flat = carray(address_as_bytes(out_address), (N_ROWS * 34,))
    for i in range(N_ROWS * 34):
        flat[i] = 0
    out = carray(address_as_bytes(out_address), (N_ROWS, 34))
    asked = h.phase != OVER and h.seat == me
    unseen = carray(address_as_bytes(stack_row()), (34,))
    unseen_by(h, r, me, unseen)
    if h.phase == ROB and (asked or h.claim_from == me):
        unseen[h.claim_tile] -= 1  # between hand and meld, but seen by its owner and by the robber that is asked
    _tiles_seen(h, r, me, unseen, out)
    _single_values(h, r, me, asked, out)
    if asked and (h.phase == TURN or h.phase == CHOICE):
        _own_turn(h, me, out)
    # The latest discard lies open to everybody; an added kong is announced to those who may rob it.
    if asked and h.phase == ROB:
        out[QUESTION, h.claim_tile] = 1
        out[TABLE, 25 + (h.claim_from - me) % 4] = 1
    elif h.phase == CLAIM:
        out[QUESTION, h.claim_tile] = 1
        out[TABLE, 25 + (h.claim_from - me) % 4] = 1
    if derived:
        _derived(h, r, me, unseen, out)
    return 0


@pointer(types.int64(HAND_TYPE, RULES_TYPE, types.int64, types.int64))
def observe_hidden(h, r, me, out_address):
    """Encode what seat `me` may NOT see into int8[N_PRIVILEGED, 34] at `out_address`, for critics in training."""
    out = carray(address_as_bytes(out_address), (N_PRIVILEGED, 34))
    for row in range(N_PRIVILEGED):
        for k in range(34):
            out[row, k] = 0
    for rel in range(1, 4):
        s = (me + rel) % 4
        for k in range(34):
            out[rel - 1, k] = h.counts[s, k]
        for i in range(h.n_melds[s]):
            if h.meld_type[s, i] == KONG_CONCEALED:
                out[2 + rel, h.meld_tile[s, i]] = 1
        out[7, rel - 1] = h.skipped_win[s]
    for i in range(h.head, h.tail):
        if h.wall[i] < 34:
            out[6, h.wall[i]] += 1
    for i in range(31):
        if h.head + i < h.tail:
            out[7, 3 + i] = h.wall[h.head + i] + 1
    return 0


@pointer(types.int64(HAND_TYPE, types.int64, types.int64))
def legal_mask(h, me, out_address):
    """Legal actions of seat `me` into int8[147] at `out_address`: all zero unless it is asked. Returns how many."""
    out = carray(address_as_bytes(out_address), (N_ACTIONS,))
    for i in range(N_ACTIONS):
        out[i] = 0
    if h.phase == OVER or h.seat != me:
        return 0
    for w in range(N_WORDS):
        word = h.legal[w]
        while word:
            out[w * 34 + lowest_bit(word)] = 1
            word &= word - np.uint64(1)
    return np.int64(h.n_legal)


def describe() -> list[tuple[str, int, int, str]]:
    """(name, first row, rows, meaning) of every block, for the docs."""
    return [(name, _START[name], rows, meaning) for name, rows, meaning in BLOCKS]
