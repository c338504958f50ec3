"""One's own turn: what is legal with 17 tiles, and what each choice does (Legal Moves and Fouls, Skipped Win)."""

from __future__ import annotations

import numpy as np

from mjsim.actions import FLOWER_WIN, OTHER, OWN_KONG, READY, W_DISCARD, W_KONG, W_OTHER, W_READY, WIN
from mjsim.flow.claims import ask_rob, open_claims
from mjsim.flow.lacking import lack_of, specials_of, wait_bits
from mjsim.flow.moves import add_meld, add_tile, bit, drawable, has, remove_tiles, take
from mjsim.flow.settle import (
    finish,
    flower_win_open,
    score_self_draw,
    settle_instant,
    settle_own_flowers,
    settle_win,
)
from mjsim.hand_record import DECLARED_MIGI, DECLARED_READY, N_RECENT
from mjsim.jit import kernel, lowest_bit
from mjsim.melds import KONG_CONCEALED
from mjsim.shapes.kernels import distance_changed, tables_at
from mjsim.shapes.special import THIRTEEN_ORPHANS, special_lack_changed

WIN_BIT = np.uint64(1) << np.uint64(WIN - OTHER)
FLOWER_WIN_BIT = np.uint64(1) << np.uint64(FLOWER_WIN - OTHER)

#: Discards before a MIGI declaration (fewer than 8 tiles discarded before this one).
MIGI_DISCARDS = 8
#: The fourth West Wind of a chase is not discarded (hk16 r22).
WEST = 29


@kernel
def _judge_draw(h, r, s):
    """Whether a self-drawn win is legal, and what the draw does to the Skipped win (rulings 19, 20)."""
    h.win_legal = 0
    h.lacks = lack_of(h, r, s)
    if h.lacks != 0 or h.claim_turn:
        return
    if h.kong_ban and not r.win_after_exposed_kong:
        if r.skipped_win:
            h.skipped_win[s] = 1
        return
    if h.skipped_win[s]:
        return
    if score_self_draw(h, r, s, h.flowers[s]):
        h.win_legal = 1
    else:
        h.stopped[s] = 1
        if r.skipped_win and h.declared[s]:
            h.skipped_win[s] = 1


@kernel
def waits_without(h, r, s, k):
    """Whether seat s waits after giving up one tile of kind k: a wait it does not hold all four of.

    A closed hand may wait for 13 Orphans, for no other special hand (hk16 r23).
    """
    specials = specials_of(h, r, s)
    if r.closing:
        specials &= THIRTEEN_ORPHANS
    if distance_changed(tables_at(r.tables), h.keys[s], 5 - h.n_melds[s], k, -1) != 1 and (
        specials == 0 or special_lack_changed(specials, h.have[s], h.twos[s], h.threes[s], h.quads[s], k, -1, 2) != 1
    ):
        return False
    remove_tiles(h, s, k, 1)
    found = wait_bits(h, r, s, specials) != np.uint64(0)
    add_tile(h, s, k)
    return found


@kernel
def _ready_bits(h, r, s, discards):
    """Discards after which the hand waits, so that `ready` may be declared with them (ruling 12)."""
    found = np.uint64(0)
    rest = discards
    while rest:
        k = lowest_bit(rest)
        rest &= rest - np.uint64(1)
        if waits_without(h, r, s, k):
            found |= bit(k)
    return found


@kernel
def _own_kongs(h, r, s):
    """Kinds for a concealed kong, or for the fourth tile added to an exposed pung."""
    if (h.claim_turn and not r.kong_after_claim) or drawable(h, r) <= 0:
        return np.uint64(0)
    return h.quads[s] | (h.have[s] & h.pungs[s])


@kernel
def _legal_declared(h, r, s):
    """A declared hand plays by itself, except a legal win and a flower win (ruling 17)."""
    if h.win_legal:
        h.legal[W_OTHER] = WIN_BIT
        if h.declared[s] == DECLARED_MIGI:
            return  # must win
    elif flower_win_open(h, r, s):
        h.legal[W_OTHER] = FLOWER_WIN_BIT
    k = np.int64(h.drawn)
    if r.declared_kong and has(h.pungs[s], k) and drawable(h, r) > 0:
        h.legal[W_KONG] = bit(k)
    else:
        h.legal[W_DISCARD] = bit(k)


@kernel
def _may_declare(h, r, s):
    """Whether seat s may declare on this turn, with a discard that leaves it waiting."""
    if drawable(h, r) < r.declare_min_drawable:
        return False
    if r.original_call:
        # East's own, on its first turn and not after a kong (four-winds 14).
        return s == h.dealer and h.n_discards == 0 and h.n_melds[s] == 0
    # Five exposed melds are Last Man Standing and never closed (hk16 r23).
    return r.declare_ready or (r.closing and h.n_exposed[s] < 5)


@kernel
def first_of_chase(h, s, k):
    """The seat that pays if seat s now discards the fourth copy of kind k: the first copy's, without a turn since; or -1."""
    if h.discarded[0, k] + h.discarded[1, k] + h.discarded[2, k] + h.discarded[3, k] != 3:
        return -1
    first = 0
    while h.discards[first] != k:
        first += 1
    payer = np.int64(h.discarder[first])
    if payer == s:
        return -1
    # Every turn but the present one has ended in a discard.
    for i in range(first + 1, h.n_discards):
        if h.discarder[i] == payer:
            return -1
    return payer


@kernel
def legal_turn(h, r):
    """Fill the legal actions of one's own turn."""
    s = np.int64(h.seat)
    _judge_draw(h, r, s)
    if h.declared[s]:
        _legal_declared(h, r, s)
        return
    discards = h.have[s] & ~h.barred
    if r.chase_payments and has(discards, WEST) and first_of_chase(h, s, WEST) >= 0:
        discards &= ~bit(WEST)
    h.legal[W_DISCARD] = discards
    if h.lacks <= 1 and _may_declare(h, r, s):
        h.legal[W_READY] = _ready_bits(h, r, s, discards)
    h.legal[W_KONG] = _own_kongs(h, r, s)
    if h.win_legal:
        h.legal[W_OTHER] = WIN_BIT
    elif flower_win_open(h, r, s):
        h.legal[W_OTHER] = FLOWER_WIN_BIT


@kernel
def _win(h, r, s):
    """Self-drawn win; a flower win that is open settles first (ruling 29)."""
    score_self_draw(h, r, s, h.flowers[s])
    if flower_win_open(h, r, s):
        settle_own_flowers(h, r, s, True)
    settle_win(h, r)
    finish(h, r)


@kernel
def _discard(h, r, s, k, declares):
    """Put a tile down: what it does to the seat's states, then the others may claim it."""
    if r.skipped_win:
        complete = h.lacks == 0
        # Lifting table (ruling 21): a turn that began with a claim can keep the state, never set it.
        if h.claim_turn:
            if not complete:
                h.skipped_win[s] = 0
        else:
            h.skipped_win[s] = 1 if complete else 0
    if declares:
        migi = r.migi and h.n_discards < MIGI_DISCARDS and h.any_claim == 0
        h.declared[s] = DECLARED_MIGI if migi else DECLARED_READY
        h.declared_at[s] = h.n_discards
    if r.chase_payments:
        payer = first_of_chase(h, s, k)
        # The fourth West Wind is shown and kept; a closed hand that has to discard it is not paid for (hk16 r22).
        if payer >= 0 and k != WEST:
            settle_instant(h, r, r.chasing_item, 0 if k >= 27 else 1, np.int64(-1), payer)
    h.skipped_pung[s] = np.uint64(0)
    h.kong_ban = 0
    remove_tiles(h, s, k, 1)
    h.distance[s] = lack_of(h, r, s)
    i = h.n_discards
    h.discards[i] = k
    h.discarder[i] = s
    h.n_discards = i + 1
    h.recent[s, h.n_discards_of[s] & (N_RECENT - 1)] = k
    h.n_discards_of[s] += 1
    h.discarded[s, k] += 1
    h.shown[k] += 1
    h.last_discard[s] = k
    open_claims(h, r, s, k)


@kernel
def _own_kong(h, r, s, k):
    """Concealed kong of four held, or the fourth tile to an exposed pung, which may be robbed."""
    # Ruling 22: a kong clears the Skipped win, unless its tile was drawn last and completed the hand.
    if r.skipped_win and not (h.drawn == k and h.lacks == 0):
        h.skipped_win[s] = 0
    if h.counts[s, k] == 4:
        remove_tiles(h, s, k, 4)
        add_meld(h, s, KONG_CONCEALED, k, -1, -1)
        if not r.concealed_kong_hidden:
            h.shown[k] += 4
        h.kong_ban = 0
        h.turn_kongs += 1
        if r.instant_payments:
            settle_instant(h, r, r.concealed_gong_declared_item, 0, s, np.int64(-1))
        take(h, r, s, True)
    else:
        remove_tiles(h, s, k, 1)
        ask_rob(h, r, s, k)


@kernel
def step_turn(h, r, action):
    """Apply a legal action of one's own turn."""
    s = np.int64(h.seat)
    if action == WIN:
        _win(h, r, s)
        return
    if action == FLOWER_WIN:
        settle_own_flowers(h, r, s, False)
        finish(h, r)
        return
    # Case 1 of Seven Robs One is offered once (ruling 28).
    h.case_one = -1
    # Anything else while a win is legal is a Skipped win at once (ruling 19).
    if h.win_legal and r.skipped_win:
        h.skipped_win[s] = 1
    if action >= OWN_KONG:
        _own_kong(h, r, s, action - OWN_KONG)
    elif action >= READY:
        _discard(h, r, s, action - READY, True)
    else:
        _discard(h, r, s, action, False)
