"""From the deal to the first turn: dealing, opening flowers and their wins, the Three-Tile Exchange."""

from __future__ import annotations

import numpy as np

from mjsim.actions import DECLARE, EXCHANGE, GIVE
from mjsim.flow.claims import next_turn
from mjsim.flow.lacking import lack_of, specials_of, wait_bits
from mjsim.flow.moves import add_tile, expose_flower, flowers_settle_or_ask, holder_of, remove_tiles
from mjsim.flow.settle import (
    finish,
    move_flower,
    score_self_draw,
    score_win,
    settle_collected,
    settle_flower,
    settle_instant,
    settle_win,
)
from mjsim.hand_record import AFTER_FIRST, AT_START, CHOICE, DECLARED_READY, TURN
from mjsim.hand_record import DECLARE as DECLARE_PHASE
from mjsim.hand_record import GIVE as GIVE_PHASE
from mjsim.jit import kernel, popcount
from mjsim.ruleset.record import (
    BY_DISCARD,
    F_REPLACEMENT,
    FLOWERS_ON_EXPOSURE,
    FLOWERS_ON_REPLACEMENT,
    FLOWERS_ON_TURN,
    SEAT_BY_SEAT,
    SEVEN_OR_EIGHT,
)


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
        h.twos[s] = np.uint64(0)
        h.threes[s] = np.uint64(0)
        h.passed[s] = np.uint64(0)
        h.bouquets[s] = 0
        h.held_flowers[s] = 0
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
    for i in range(len(h.instant_item)):
        h.instant_item[i] = -1
        h.instant_winner[i] = -1
        h.instant_payer[i] = -1
        h.instant_tai[i] = 0
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
    h.drawn_at = -1
    h.turn_kongs = 0
    h.flower_due = -1
    h.resume = -1
    h.n_instants = 0
    h.next_pool = h.pool
    h.match_over = 0
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
        h.distance[s] = lack_of(h, r, s)
        h.shanten_at[moment, s] = h.distance[s] - 1


@kernel
def _receive(h, s, index):
    """The dealt or replacement tile at `index` of the wall: into the hand, or among the flowers still to be exposed."""
    k = np.int64(h.wall[index])
    if k < 34:
        add_tile(h, s, k)
        if s == h.dealer:
            h.drawn = k
            h.drawn_at = index
    else:
        h.held_flowers[s] |= np.uint8(1 << (k - 34))


@kernel
def _replace(h, r, s):
    """Seat s exposes the flowers it holds, lowest first, and takes as many replacements."""
    now = np.int64(h.held_flowers[s])
    h.held_flowers[s] = 0
    for flower in range(8):
        if now >> flower & 1:
            expose_flower(h, r, s, flower)
    for flower in range(8):
        if now >> flower & 1:
            h.tail -= 1
            _receive(h, s, np.int64(h.tail))


@kernel
def _deal_tiles(h, r):
    """Deal four at a time from the dealer, one more for the dealer, then the opening flowers. True when a hand is won.

    Flowers go in passes round the table, or seat by seat until each has none; then seven or eight of one seat may win
    as soon as that seat is done (hk16 r7).
    """
    for _ in range(4):
        for i in range(4):
            for _ in range(4):
                _receive(h, (h.dealer + i) % 4, np.int64(h.head))
                h.head += 1
    if not r.dealer_draws_first:
        _receive(h, np.int64(h.dealer), np.int64(h.head))
        h.head += 1
    if r.opening_flowers == SEAT_BY_SEAT:
        for i in range(4):
            s = (h.dealer + i) % 4
            while h.held_flowers[s]:
                _replace(h, r, s)
            if r.flower_wins == SEVEN_OR_EIGHT and popcount(np.uint64(h.flowers[s])) >= 7:
                settle_collected(h, r, s)
                return True
    else:
        while h.held_flowers[0] | h.held_flowers[1] | h.held_flowers[2] | h.held_flowers[3]:
            for i in range(4):
                _replace(h, r, (h.dealer + i) % 4)
    if not r.last_dealt_wins:
        h.drawn = -1
        h.drawn_at = -1
    return False


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
    """Flower wins and Heavenly Hand on the deal, all without asking (douque 27, 31). True when the hand is over."""
    dealer = np.int64(h.dealer)
    heavenly = r.heavenly_unasked and h.distance[dealer] == 0
    eight = -1
    robber = -1
    if r.flower_wins == FLOWERS_ON_TURN:
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
        if lack_of(h, r, robber) == 0:
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
def _start_play(h, r):
    """The dealer acts first, with the tiles dealt, or where the rules say so with a draw."""
    if r.dealer_draws_first:
        next_turn(h, r, np.int64(h.dealer))
        return
    h.turn = h.dealer
    h.seat = h.dealer
    h.phase = TURN


@kernel
def begin(h, r):
    """Deal and go to the first question: exchange, a flower win, Original Call, the dealer's turn, or a hand over."""
    clear(h)
    if r.instant_payments and h.dice[0] == h.dice[1] and h.dice[1] == h.dice[2]:
        grade = 1 if h.dice[0] == 1 or h.dice[0] == 6 else 0
        settle_instant(h, r, r.dice_triple_item, grade, np.int64(h.dealer), np.int64(-1))
    if h.own_streams:
        for i in range(len(h.stream_of)):
            h.stream_of[i] = i & 3
    won = _deal_tiles(h, r)
    _measure(h, r, AT_START)
    if won:
        finish(h, r)
        return
    if (r.heavenly_unasked or r.flower_wins == FLOWERS_ON_TURN) and _opening_wins(h, r):
        return
    if r.flower_wins == FLOWERS_ON_EXPOSURE and h.n_flowers == 8 and flowers_settle_or_ask(h, r, -1):
        return
    if r.flower_wins == FLOWERS_ON_REPLACEMENT and h.n_flowers == 8:
        # Seven to one after the opening: the win waits for the seat's extra tile (house16 12).
        for s in range(4):
            if popcount(np.uint64(h.flowers[s])) == 7:
                h.flower_due = s
    go_on_opening(h, r)


@kernel
def go_on_opening(h, r):
    """What follows the opening flowers and their wins."""
    if r.exchange:
        h.phase = GIVE_PHASE
        h.seat = h.dealer
        h.n_given = 0
    else:
        _open_play(h, r)


@kernel
def _open_play(h, r):
    """The tiles of the hand are dealt and exchanged: Original Call where there is one, then the dealer's first turn."""
    h.stage = 0
    if r.original_call:
        _next_declaration(h, r)
    else:
        _start_play(h, r)


@kernel
def _next_declaration(h, r):
    """Original Call: the next non-dealer in turn order whose dealt tiles wait is asked, then East's turn begins."""
    while h.stage < 3:
        h.stage += 1
        s = (np.int64(h.dealer) + h.stage) % 4
        if h.distance[s] == 1 and wait_bits(h, r, s, specials_of(h, r, s)):
            h.phase = DECLARE_PHASE
            h.seat = s
            return
    _start_play(h, r)


@kernel
def step_declare(h, r, action):
    """Note a non-dealer's Original Call, or its pass."""
    if action == DECLARE:
        h.declared[h.seat] = DECLARED_READY
    _next_declaration(h, r)


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
    h.drawn = -1  # what was dealt last may have changed hands
    h.drawn_at = -1
    _measure(h, r, AFTER_FIRST + e)
    if e == 0:
        h.phase = CHOICE
        h.seat = h.dealer
    else:
        _open_play(h, r)


@kernel
def step_choice(h, r, action):
    """The dealer's decision: start, or everyone exchanges once more (never a third time)."""
    if action == EXCHANGE:
        h.phase = GIVE_PHASE
        h.seat = h.dealer
        h.n_given = 0
    else:
        _open_play(h, r)
