"""Claims on a discard, robbing a kong, robbing a flower: who is asked, in which order, and what wins.

The stages are those of FORMATS.md: 1 every seat that may win, 2 the seat that may pung or kong, 3 the next seat's chow.
"""

from __future__ import annotations

import numpy as np

from mjsim.actions import CHOW_HIGH, CHOW_LOW, CHOW_MIDDLE, FLOWER_WIN, KONG, OTHER, PASS, PUNG, WIN
from mjsim.flow.lacking import lack_changed
from mjsim.flow.moves import add_meld, add_tile, bit, drawable, has, remove_tiles, rob_the_one, take
from mjsim.flow.settle import finish, move_flower, score_win, settle_flower, settle_win
from mjsim.hand_record import CLAIM, DECLARED_MIGI, ROB, TURN
from mjsim.jit import kernel
from mjsim.melds import CHOW, KONG_ADDED, KONG_EXPOSED, MELD_PUNG
from mjsim.ruleset.record import ALL, BY_DISCARD, F_REPLACEMENT, FLOWERS_ON_EXPOSURE, ROB_KONG, THREE_OR_NEAREST

LOW_BIT = np.uint64(1) << np.uint64(CHOW_LOW - OTHER)
MIDDLE_BIT = np.uint64(1) << np.uint64(CHOW_MIDDLE - OTHER)
HIGH_BIT = np.uint64(1) << np.uint64(CHOW_HIGH - OTHER)
PUNG_BIT = np.uint64(1) << np.uint64(PUNG - OTHER)
KONG_BIT = np.uint64(1) << np.uint64(KONG - OTHER)
WIN_BIT = np.uint64(1) << np.uint64(WIN - OTHER)
PASS_BIT = np.uint64(1) << np.uint64(PASS - OTHER)
CALL_BITS = PUNG_BIT | KONG_BIT
NO_BITS = np.uint64(0)


@kernel
def next_turn(h, r, s):
    """Seat s begins a turn with an ordinary draw."""
    h.kong_ban = 0
    h.passed[s] = NO_BITS
    h.turn_kongs = 0
    take(h, r, s, False)


@kernel
def _win_option(h, r, s, k, how, payer):
    """Whether seat s may win with another's tile; a complete hand that may not is a Skipped win at once (ruling 18)."""
    if h.distance[s] != 1:
        return False
    if lack_changed(h, r, s, k, 1) != 0:
        return False
    if h.skipped_win[s] or (how == BY_DISCARD and has(h.passed[s], k)):
        return False
    if score_win(h, r, s, k, how, payer, h.flowers[s], 0):
        return True
    h.stopped[s] = 1
    if r.skipped_win:
        h.skipped_win[s] = 1
    return False


@kernel
def _chow_with(last, low, a, b):
    """No claiming back: whether `last` could form a chow with a and b (a < b, both of one suit), by shape."""
    if last < 0 or last >= 27 or last // 9 != low // 9:
        return False
    if b - a == 1:
        return last == a - 1 or last == b + 1
    return last == a + 1


@kernel
def barred_after_chow(r, form, k):
    """Kinds that may not be discarded after a chow of k: k, and the other end of a two-sided partial sequence."""
    if r.discard_claimed_tile:
        return NO_BITS
    bits = bit(k)
    rank = k % 9
    if form == CHOW_LOW and rank + 3 <= 8:
        bits |= bit(k + 3)
    elif form == CHOW_HIGH and rank - 3 >= 0:
        bits |= bit(k - 3)
    return bits


@kernel
def _chow_option(h, r, s, k, form, a, b):
    """Whether seat s may chow k with a and b: held, not claiming back, and a legal discard is left (rulings 11, 15)."""
    if h.counts[s, a] == 0 or h.counts[s, b] == 0:
        return False
    if not r.claim_back and _chow_with(np.int64(h.last_discard[s]), k, a, b):
        return False
    barred = barred_after_chow(r, form, k)
    left = h.have[s] & ~barred
    if h.counts[s, a] == 1:
        left &= ~bit(a)
    if h.counts[s, b] == 1:
        left &= ~bit(b)
    return left != NO_BITS


@kernel
def call_options(h, r, s, d, k):
    """Chow, pung and exposed kong options of seat s on the discard k of seat d."""
    options = NO_BITS
    if has(h.passed[s], k):
        return options
    n = h.counts[s, k]
    if n >= 2 and (r.claim_back or h.last_discard[s] != k):
        # A pung always leaves a discard: with four tiles in hand at least one is of another kind.
        if not has(h.skipped_pung[s], k):
            options |= PUNG_BIT
        if n == 3 and ((d + 1) % 4 != s or r.exposed_kong_from_previous) and drawable(h, r) > 0:
            options |= KONG_BIT
    if s == (d + 1) % 4 and k < 27:
        rank = k % 9
        if rank <= 6 and _chow_option(h, r, s, k, CHOW_LOW, k + 1, k + 2):
            options |= LOW_BIT
        if 1 <= rank <= 7 and _chow_option(h, r, s, k, CHOW_MIDDLE, k - 1, k + 1):
            options |= MIDDLE_BIT
        if rank >= 2 and _chow_option(h, r, s, k, CHOW_HIGH, k - 2, k - 1):
            options |= HIGH_BIT
    return options


@kernel
def open_claims(h, r, d, k):
    """Seat d discarded k: find everybody's options, then ask in stages or go on to the next draw."""
    calls_open = drawable(h, r) >= r.claim_min_drawable
    any_option = NO_BITS
    for i in range(1, 4):
        s = (d + i) % 4
        options = NO_BITS
        if _win_option(h, r, s, k, BY_DISCARD, d):
            options |= WIN_BIT
        if calls_open and h.declared[s] == 0:
            options |= call_options(h, r, s, d, k)
        h.options[s] = options
        any_option |= options
    if any_option == NO_BITS:
        next_turn(h, r, (d + 1) % 4)
        return
    h.options[d] = NO_BITS
    for s in range(4):
        h.answers[s] = -1
    h.claim_tile = k
    h.claim_from = d
    h.stage = 1
    h.phase = CLAIM
    _next_question(h, r)


@kernel
def ask_rob(h, r, s, k):
    """Seat s adds k to its pung: everybody who may rob is asked, then the kong is made."""
    any_option = NO_BITS
    for i in range(1, 4):
        other = (s + i) % 4
        h.options[other] = WIN_BIT if _win_option(h, r, other, k, ROB_KONG, s) else NO_BITS
        any_option |= h.options[other]
    h.claim_tile = k
    h.claim_from = s
    if any_option == NO_BITS:
        _make_added_kong(h, r)
        return
    h.options[s] = NO_BITS
    for i in range(4):
        h.answers[i] = -1
    h.stage = 1
    h.phase = ROB
    _next_question(h, r)


@kernel
def _make_added_kong(h, r):
    s = np.int64(h.claim_from)
    k = np.int64(h.claim_tile)
    for i in range(h.n_melds[s]):
        if h.meld_type[s, i] == MELD_PUNG and h.meld_tile[s, i] == k:
            h.meld_type[s, i] = KONG_ADDED
    h.melded[s, k] += 1
    h.shown[k] += 1
    h.pungs[s] &= ~bit(k)
    h.any_claim = 1
    h.kong_ban = 0
    h.turn_kongs += 1
    take(h, r, s, True)


@kernel
def legal_claim(h):
    """Options of the seat that is asked, and `pass`; a MIGI hand must win."""
    options = h.options[h.seat]
    if h.declared[h.seat] == DECLARED_MIGI:
        return options
    return options | PASS_BIT


@kernel
def _next_question(h, r):
    """Find the next seat to ask in the current stage, or resolve what was answered."""
    d = np.int64(h.claim_from)
    if h.stage == 1:
        for i in range(1, 4):
            s = (d + i) % 4
            if h.options[s] & WIN_BIT and h.answers[s] < 0:
                h.seat = s
                return
        wins = 0
        for s in range(4):
            if h.answers[s] == WIN:
                wins += 1
        if wins:
            _resolve_wins(h, r, d, wins)
            return
        h.stage = 2
        for i in range(1, 4):
            s = (d + i) % 4
            if h.options[s] & CALL_BITS and h.answers[s] < 0:
                h.seat = s
                return
    caller = -1
    for s in range(4):
        if h.answers[s] == PUNG or h.answers[s] == KONG:
            caller = s
    chower = (d + 1) % 4
    if h.stage == 2:
        h.stage = 3
        if caller < 0 and h.options[chower] and h.answers[chower] < 0:
            h.seat = chower
            return
    if caller >= 0:
        _make_call(h, r, caller)
    elif CHOW_LOW <= h.answers[chower] <= CHOW_HIGH:
        _make_chow(h, r, chower)
    elif h.phase == ROB:
        _make_added_kong(h, r)
    else:
        next_turn(h, r, (d + 1) % 4)


@kernel
def step_claim(h, r, action):
    """Note an answer, with what passing a win or a pung means, and go on asking."""
    s = np.int64(h.seat)
    h.answers[s] = action
    if action != WIN and h.options[s] & WIN_BIT and r.skipped_win:
        h.skipped_win[s] = 1
    if h.options[s] & PUNG_BIT and r.skipped_pung and action != PUNG and action != KONG:
        h.skipped_pung[s] |= bit(np.int64(h.claim_tile))
    if r.passed_kind and action == PASS and h.phase == CLAIM:
        h.passed[s] |= bit(np.int64(h.claim_tile))
    _next_question(h, r)


@kernel
def _resolve_wins(h, r, d, wins):
    """One, the nearest or all of those who declared a win, in turn order from the payer (ruling 38)."""
    everybody = r.winners == ALL or (r.winners == THREE_OR_NEAREST and wins == 3)
    how = ROB_KONG if h.phase == ROB else BY_DISCARD
    for i in range(1, 4):
        s = (d + i) % 4
        if h.answers[s] == WIN:
            score_win(h, r, s, np.int64(h.claim_tile), how, d, h.flowers[s], 0)
            settle_win(h, r)
            if not everybody:
                break
    finish(h, r)


@kernel
def _claimed(h, s):
    """The discard leaves the table for seat s, whose turn it becomes."""
    h.discard_taken[h.n_discards - 1] = s
    h.taken[h.claim_from, h.claim_tile] += 1
    h.shown[h.claim_tile] -= 1
    h.turn = s
    h.drawn = -1
    h.drawn_at = -1
    h.replacement = 0
    h.kong_ban = 0
    h.passed[s] = NO_BITS
    h.turn_kongs = 0


@kernel
def _to_turn(h, r, s):
    """Seat s goes on with its turn after a chow or pung; a Seven Rob One that waited for an extra tile is won with it."""
    h.phase = TURN
    h.seat = s
    if h.flower_due == s:
        rob_the_one(h, r, s)


@kernel
def _make_call(h, r, s):
    """Pung, or exposed kong with its replacement and the ban on a self-drawn win (ruling 25)."""
    k = np.int64(h.claim_tile)
    d = np.int64(h.claim_from)
    _claimed(h, s)
    if h.answers[s] == KONG:
        remove_tiles(h, s, k, 3)
        add_meld(h, s, KONG_EXPOSED, k, k, d)
        h.kong_ban = 1
        h.turn_kongs = 1
        take(h, r, s, True)
        return
    remove_tiles(h, s, k, 2)
    add_meld(h, s, MELD_PUNG, k, k, d)
    h.claim_turn = 1
    h.barred = NO_BITS if r.discard_claimed_tile else bit(k)
    _to_turn(h, r, s)


@kernel
def _make_chow(h, r, s):
    k = np.int64(h.claim_tile)
    form = h.answers[s]
    _claimed(h, s)
    low = k if form == CHOW_LOW else (k - 1 if form == CHOW_MIDDLE else k - 2)
    for tile in range(low, low + 3):
        if tile != k:
            remove_tiles(h, s, tile, 1)
    add_meld(h, s, CHOW, low, k, np.int64(h.claim_from))
    h.claim_turn = 1
    h.barred = barred_after_chow(r, form, k)
    _to_turn(h, r, s)


@kernel
def step_flower(h, r, action):
    """Rob the flower and win, by some rules with its replacement; or whoever was drawing goes on (a pass is final)."""
    robber = np.int64(h.seat)
    if action != FLOWER_WIN:
        take(h, r, np.int64(h.resume), True)
        return
    if r.flower_wins == FLOWERS_ON_EXPOSURE:
        rob_the_one(h, r, robber)
        return
    owner = np.int64(h.turn)
    move_flower(h, robber, owner)
    h.tail -= 1
    k = np.int64(h.wall[h.tail])
    with_win = False
    if not h.skipped_win[robber] and lack_changed(h, r, robber, k, 1) == 0:
        with_win = score_win(h, r, robber, k, BY_DISCARD, owner, h.flowers[robber], F_REPLACEMENT)
    add_tile(h, robber, k)
    settle_flower(h, r, robber, owner, with_win)
    if with_win:
        settle_win(h, r)
    finish(h, r)
