"""One's own turn: what is legal with 17 tiles, and what each choice does (Legal Moves and Fouls, Skipped Win)."""

from __future__ import annotations

import numpy as np

from mjsim.actions import FLOWER_WIN, OTHER, OWN_KONG, READY, W_DISCARD, W_KONG, W_OTHER, W_READY, WIN
from mjsim.flow.claims import ask_rob, open_claims
from mjsim.flow.moves import add_meld, bit, distance_of, drawable, has, remove_tiles, take
from mjsim.flow.settle import finish, flower_win_open, score_self_draw, settle_own_flowers, settle_win
from mjsim.hand_record import DECLARED_MIGI, DECLARED_READY, N_RECENT
from mjsim.jit import kernel, lowest_bit
from mjsim.melds import KONG_CONCEALED
from mjsim.shapes.kernels import POWER, distance_changed, reaching, tables_at

WIN_BIT = np.uint64(1) << np.uint64(WIN - OTHER)
FLOWER_WIN_BIT = np.uint64(1) << np.uint64(FLOWER_WIN - OTHER)

#: Discards before a MIGI declaration (fewer than 8 tiles discarded before this one).
MIGI_DISCARDS = 8


@kernel
def _judge_draw(h, r, s):
    """Whether a self-drawn win is legal, and what the draw does to the Skipped win (rulings 19, 20)."""
    h.win_legal = 0
    h.lacks = distance_of(h, r, s)
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
    """Whether seat s waits after giving up one tile of kind k: a wait it does not hold all four of (ruling 1)."""
    t = tables_at(r.tables)
    need = 5 - h.n_melds[s]
    if distance_changed(t, h.keys[s], need, k, -1) != 1:
        return False
    remove_one = h.counts[s, k] - 1
    before_have, before_quads = h.have[s], h.quads[s]
    remove_tiles(h, s, k, 1)
    bits = reaching(t, h.counts[s], h.keys[s], need, 0)
    found = False
    while bits:
        w = lowest_bit(bits)
        bits &= bits - np.uint64(1)
        if h.counts[s, w] + h.melded[s, w] < 4:
            found = True
            break
    h.counts[s, k] = remove_one + 1
    h.keys[s, k // 9] += POWER[k]
    h.have[s] = before_have
    h.quads[s] = before_quads
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
    if has(h.pungs[s], k) and drawable(h, r) > 0:
        h.legal[W_KONG] = bit(k)
    else:
        h.legal[W_DISCARD] = bit(k)


@kernel
def legal_turn(h, r):
    """Fill the legal actions of one's own turn."""
    s = np.int64(h.seat)
    _judge_draw(h, r, s)
    if h.declared[s]:
        _legal_declared(h, r, s)
        return
    discards = h.have[s] & ~h.barred
    h.legal[W_DISCARD] = discards
    if r.declare_ready and h.lacks <= 1 and drawable(h, r) > 0:
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
    h.skipped_pung[s] = np.uint64(0)
    h.kong_ban = 0
    remove_tiles(h, s, k, 1)
    h.distance[s] = distance_of(h, r, s)
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
