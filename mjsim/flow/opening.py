"""From the deal to the first turn: dealing, opening flowers and their wins, the Three-Tile Exchange."""

from __future__ import annotations

import numpy as np

from mjsim.actions import EXCHANGE, GIVE
from mjsim.flow.moves import add_tile, distance_of, expose_flower, holder_of, remove_tiles
from mjsim.flow.settle import finish, move_flower, score_self_draw, score_win, settle_flower, settle_win
from mjsim.hand_record import AFTER_FIRST, AT_START, CHOICE, TURN
from mjsim.hand_record import GIVE as GIVE_PHASE
from mjsim.jit import kernel, popcount
from mjsim.ruleset.record import BY_DISCARD, F_REPLACEMENT


@kernel
def clear(h):
    """Make the record ready for a hand whose luck and standing are set."""
    for k in range(34):
        h.shown[k] = 0
    for s in range(4):
        for i in range(len(h.recent[s])):
            h.recent[s, i] = 0
        for k in range(34):
            h.counts[s, k] = 0
            h.melded[s, k] = 0
            h.discarded[s, k] = 0
            h.taken[s, k] = 0
        for i in range(4):
            h.keys[s, i] = 0
        for i in range(5):
            h.meld_type[s, i] = 0
            h.meld_tile[s, i] = 0
            h.meld_claimed[s, i] = -1
            h.meld_from[s, i] = -1
        for e in range(2):
            for i in range(3):
                h.gives[e, s, i] = -1
                h.takes[e, s, i] = -1
        for m in range(4):
            h.shanten_at[m, s] = -9
        h.have[s] = np.uint64(0)
        h.quads[s] = np.uint64(0)
        h.flowers[s] = 0
        h.n_melds[s] = 0
        h.n_exposed[s] = 0
        h.pungs[s] = np.uint64(0)
        h.n_discards_of[s] = 0
        h.last_discard[s] = -1
        h.declared[s] = 0
        h.declared_at[s] = -1
        h.skipped_win[s] = 0
        h.skipped_pung[s] = np.uint64(0)
        h.stopped[s] = 0
        h.options[s] = np.uint64(0)
        h.answers[s] = -1
        h.scores[s] = 0
        h.distance[s] = 0
    for i in range(8):
        h.flower_time[i] = 0
    for i in range(len(h.discards)):
        h.discards[i] = 0
        h.discarder[i] = -1
        h.discard_taken[i] = -1
    for i in range(len(h.settle_kind)):
        h.settle_kind[i] = 0
        h.settle_winner[i] = -1
        h.settle_payer[i] = -1
        h.settle_how[i] = 0
        h.settle_tai[i] = 0
        h.settle_judged[i] = 0
        for k in range(h.settle_items.shape[1]):
            h.settle_items[i, k] = 0
        for s in range(4):
            h.settle_payments[i, s] = 0
    for i in range(len(h.legal)):
        h.legal[i] = np.uint64(0)
    h.head = 0
    h.tail = 144
    h.n_flowers = 0
    h.n_discards = 0
    h.any_claim = 0
    h.turn = h.dealer
    h.seat = h.dealer
    h.drawn = -1
    h.replacement = 0
    h.claim_turn = 0
    h.kong_ban = 0
    h.barred = np.uint64(0)
    h.lacks = 0
    h.win_legal = 0
    h.case_one = -1
    h.claim_tile = -1
    h.claim_from = -1
    h.stage = 0
    h.round = 0
    h.n_given = 0
    h.n_legal = 0
    h.n_decisions = 0
    h.end = 0
    h.n_settlements = 0
    h.next_dealer = -1
    h.next_streak = 0
    h.next_prevailing = 0


@kernel
def _measure(h, r, moment):
    for s in range(4):
        h.distance[s] = distance_of(h, r, s)
        h.shanten_at[moment, s] = h.distance[s] - 1


@kernel
def _receive(h, s, k, waiting):
    """A dealt or replacement tile: into the hand, or among the flowers still to be exposed."""
    if k < 34:
        add_tile(h, s, k)
    else:
        waiting[s] |= 1 << (k - 34)


@kernel
def _deal_tiles(h):
    """Deal four at a time from the dealer, one more for the dealer, then the opening flower passes (ruling 26)."""
    waiting = np.zeros(4, np.int64)
    for _ in range(4):
        for i in range(4):
            for _ in range(4):
                _receive(h, (h.dealer + i) % 4, np.int64(h.wall[h.head]), waiting)
                h.head += 1
    _receive(h, np.int64(h.dealer), np.int64(h.wall[h.head]), waiting)
    h.head += 1
    while waiting[0] | waiting[1] | waiting[2] | waiting[3]:
        for i in range(4):
            s = (h.dealer + i) % 4
            now = waiting[s]
            waiting[s] = 0
            for flower in range(8):
                if now >> flower & 1:
                    expose_flower(h, s, flower)
            for flower in range(8):
                if now >> flower & 1:
                    h.tail -= 1
                    _receive(h, s, np.int64(h.wall[h.tail]), waiting)


@kernel
def _time_of_last(h, s):
    """When seat s exposed its latest flower."""
    latest = 0
    for flower in range(8):
        if h.flowers[s] >> flower & 1:
            latest = max(latest, h.flower_time[flower])
    return latest


@kernel
def _opening_wins(h, r):
    """Flower wins and Heavenly Hand on the deal, all without asking (rulings 27, 31). True when the hand is over."""
    dealer = np.int64(h.dealer)
    heavenly = h.distance[dealer] == 0
    eight = -1
    robber = -1
    if r.flower_wins:
        for s in range(4):
            n = popcount(np.uint64(h.flowers[s]))
            if n == 8:
                eight = s
            elif n == 7 and holder_of(h, s, 1) >= 0:
                robber = s
    owner = -1
    case_one = False
    if robber >= 0:
        owner = holder_of(h, robber, 1)
        case_one = _time_of_last(h, robber) > _time_of_last(h, owner)
    if heavenly:
        # The dealer's own Eight Immortals or case 1 settles beside it; another's flower win, or case 2, gives way.
        own_flowers = eight == dealer or (robber == dealer and case_one)
        legal = score_self_draw(h, r, dealer, h.flowers[dealer])
        if own_flowers:
            settle_flower(h, r, dealer, np.int64(-1) if eight == dealer else owner, legal)
            if eight != dealer:
                move_flower(h, dealer, owner)
        if legal:
            settle_win(h, r)
        if legal or own_flowers:
            finish(h, r)
            return True
    if eight >= 0:
        settle_flower(h, r, eight, np.int64(-1), False)
        finish(h, r)
        return True
    if robber < 0:
        return False
    with_win = False
    if not case_one and robber != dealer:
        move_flower(h, robber, owner)
        h.tail -= 1
        k = np.int64(h.wall[h.tail])
        add_tile(h, robber, k)
        h.drawn = k
        if distance_of(h, r, robber) == 0:
            remove_tiles(h, robber, k, 1)
            with_win = score_win(h, r, robber, k, BY_DISCARD, owner, h.flowers[robber], F_REPLACEMENT)
            add_tile(h, robber, k)
    else:
        move_flower(h, robber, owner)
    settle_flower(h, r, robber, owner, with_win)
    if with_win:
        settle_win(h, r)
    finish(h, r)
    return True


@kernel
def _start_play(h):
    """The dealer acts first; none of its opening tiles is the tile drawn last (ruling 10)."""
    h.turn = h.dealer
    h.seat = h.dealer
    h.drawn = -1
    h.replacement = 0
    h.phase = TURN


@kernel
def begin(h, r):
    """Deal and go to the first question: the exchange, the dealer's turn, or a hand over on the deal."""
    clear(h)
    _deal_tiles(h)
    _measure(h, r, AT_START)
    if _opening_wins(h, r):
        return
    if r.exchange:
        h.phase = GIVE_PHASE
        h.seat = h.dealer
        h.n_given = 0
    else:
        _start_play(h)


@kernel
def legal_give(h):
    return h.have[h.seat]


@kernel
def step_give(h, r, action):
    """Three-Tile Exchange: note one tile; when all have chosen, tiles change hands at once."""
    s = np.int64(h.seat)
    k = action - GIVE
    e = np.int64(h.round)
    h.gives[e, s, h.n_given] = k
    h.n_given += 1
    remove_tiles(h, s, k, 1)
    if h.n_given < 3:
        return
    h.n_given = 0
    h.seat = (s + 1) % 4
    if h.seat != h.dealer:
        return
    for giver in range(4):
        receiver = h.pairings[e, giver]
        for i in range(3):
            tile = h.gives[e, giver, i]
            h.takes[e, receiver, i] = tile
            add_tile(h, np.int64(receiver), np.int64(tile))
    h.round = e + 1
    _measure(h, r, AFTER_FIRST + e)
    if e == 0:
        h.phase = CHOICE
        h.seat = h.dealer
    else:
        _start_play(h)


@kernel
def step_choice(h, action):
    """The dealer's decision: start, or everyone exchanges once more (never a third time)."""
    if action == EXCHANGE:
        h.phase = GIVE_PHASE
        h.seat = h.dealer
        h.n_given = 0
    else:
        _start_play(h)
