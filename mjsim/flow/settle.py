"""Settlements, the end of a hand and who deals next."""

from __future__ import annotations

import numpy as np

from mjsim.flow.lacking import lack_of
from mjsim.hand_record import AT_END, DECLARED_MIGI, DECLARED_READY, END_DRAW, END_FLOWER, END_WIN, OVER
from mjsim.jit import call, kernel, popcount
from mjsim.ruleset.dice import dice_tai
from mjsim.ruleset.payments import pay
from mjsim.ruleset.record import (
    BY_DISCARD,
    F_EARTHLY,
    F_FLOWER_WALL,
    F_HEAVENLY,
    F_HUMAN,
    F_KONG_ON_KONG,
    F_LAST_TILE,
    F_MIGI,
    F_REPLACEMENT,
    FIRST_DISCARD_AFTER_KONG,
    FLOWERS_ON_TURN,
    GO_AROUND,
    ROB_KONG,
    S_FLOWER,
    S_WIN,
    SELF_DRAW,
    WIN_LEGAL,
)

#: The last sixteen tiles of the wall: the text's Flower wall (hk16 r3).
FLOWER_WALL = 128


@kernel
def _early_flags(h, r, s, how):
    """Heavenly, earthly and human wins.

    In the first go-around nothing is claimed or konged at the table and the winner has not discarded. Other tables count
    a win on East's first discard as earthly, some of them after a kong of East's too.
    """
    untouched = h.any_claim == 0 and h.n_discards_of[s] == 0
    if s == h.dealer:
        return F_HEAVENLY if untouched and how == SELF_DRAW else 0
    if r.early_wins == GO_AROUND:
        if not untouched or how == ROB_KONG:
            return 0
        return F_EARTHLY if how == SELF_DRAW else F_HUMAN
    if how != BY_DISCARD or h.n_discards != 1:
        return 0
    return F_EARTHLY if untouched or r.early_wins == FIRST_DISCARD_AFTER_KONG else 0


@kernel
def score_win(h, r, s, tile, how, payer, flowers, extra_flags):
    """Ask the scorer whether seat s may win with `tile` and for how much; the answer stays in h.score.

    On a self-draw the tile is among the seat's counts already.
    """
    p = h.position
    for k in range(34):
        p.counts[k] = h.counts[s, k]
    if how != SELF_DRAW:
        p.counts[tile] += 1
    p.n_melds = h.n_melds[s]
    for i in range(5):
        p.meld_type[i] = h.meld_type[s, i]
        p.meld_tile[i] = h.meld_tile[s, i]
    p.win_tile = tile
    p.how = how
    p.seat = s
    p.payer = payer
    p.dealer = h.dealer
    p.east = h.east
    p.prevailing = h.prevailing
    for i in range(3):
        p.dice[i] = h.dice[i]
    p.flowers = flowers
    p.streak = h.streak
    p.discards = h.n_discards
    flags = extra_flags | _early_flags(h, r, s, how)
    if h.declared[s] == DECLARED_READY:
        flags |= r.declaration
    elif h.declared[s] == DECLARED_MIGI:
        flags |= F_MIGI
    p.flags = flags
    return call(r.scorer, (p, r, h.score)) == WIN_LEGAL


@kernel
def score_self_draw(h, r, s, flowers):
    """`score_win` for the tile drawn last, with what the draw itself scores."""
    flags = 0
    if h.replacement:
        flags |= F_REPLACEMENT
    if np.int64(h.tail) - np.int64(h.head) - np.int64(r.kept_back) == 0:
        flags |= F_LAST_TILE
    if h.drawn_at >= FLOWER_WALL:
        flags |= F_FLOWER_WALL
    if h.turn_kongs >= 2:
        flags |= F_KONG_ON_KONG
    tile = np.int64(h.drawn)
    if tile < 0:
        # The dealer's dealt tiles: a heavenly hand has no winning tile, any held one stands for it.
        tile = 0
        while h.counts[s, tile] == 0:
            tile += 1
    return score_win(h, r, s, tile, SELF_DRAW, -1, flowers, flags)


@kernel
def settle_win(h, r):
    """Book the win that h.score holds; a self-drawn one takes the pool."""
    if h.position.how == SELF_DRAW:
        take_pool(h, r, np.int64(h.position.seat))
    i = h.n_settlements
    h.n_settlements = i + 1
    h.settle_kind[i] = S_WIN
    h.settle_winner[i] = h.position.seat
    h.settle_payer[i] = h.position.payer
    h.settle_how[i] = h.position.how
    h.settle_tai[i] = h.score.tai
    h.settle_judged[i] = h.score.judged
    for k in range(len(h.score.items)):
        h.settle_items[i, k] = h.score.items[k]
    for s in range(4):
        h.settle_payments[i, s] = h.score.payments[s]


@kernel
def settle_instant(h, r, item, grade, winner, payer):
    """Book a payment during play; who pays is told by `instant_payments`. Nothing is booked for an item at 0."""
    tai = np.int64(r.items[item, grade])
    if tai:
        book_instant(h, item, tai, winner, payer)


@kernel
def book_instant(h, item, tai, winner, payer):
    i = h.n_instants
    h.n_instants = i + 1
    h.instant_item[i] = item
    h.instant_winner[i] = winner
    h.instant_payer[i] = payer
    h.instant_tai[i] = tai


@kernel
def take_pool(h, r, s):
    """The pool goes to a self-drawn win or a flower win, as often as the item `drawn_pool` says (once; at 0 it stays)."""
    if r.draw_pool and h.next_pool and r.items[r.drawn_pool_item, 0]:
        book_instant(h, r.drawn_pool_item, h.next_pool * np.int64(r.items[r.drawn_pool_item, 0]), s, np.int64(-1))
        h.next_pool = 0


@kernel
def instant_payments(h, r, i, payments):
    """Fill int32[4] with what payment i during play moves: each other pays the winner, or one pays each, or all the pool."""
    tai = h.instant_tai[i]
    winner, payer = h.instant_winner[i], h.instant_payer[i]
    for s in range(4):
        payments[s] = 0
        if h.instant_item[i] == r.drawn_pool_item:
            payments[s] = tai if s == winner else 0
        elif winner >= 0:
            payments[s] = 3 * tai if s == winner else -tai
        elif payer >= 0:
            payments[s] = -3 * tai if s == payer else tai
        else:
            payments[s] = -tai


@kernel
def settle_flower(h, r, winner, payer, with_win):
    """Book a flower win: eight_immortals when no single seat pays, else seven_robs_one."""
    item = r.eight_immortals_item if payer < 0 else r.seven_robs_one_item
    _book_flowers(h, r, item, np.int64(r.items[item, 0]), winner, payer, with_win)


@kernel
def settle_collected(h, r, s):
    """Book the win of seat s with seven or eight flowers of its own: a self-draw, by round wind; it takes the pool."""
    take_pool(h, r, s)
    item = r.eight_flowers_item if popcount(np.uint64(h.flowers[s])) == 8 else r.seven_flowers_item
    grade = np.int64(h.prevailing) if item == r.seven_flowers_item else 0
    _book_flowers(h, r, item, np.int64(r.items[item, grade]), s, np.int64(-1), False)


@kernel
def _book_flowers(h, r, item, tai, winner, payer, with_win):
    i = h.n_settlements
    h.n_settlements = i + 1
    h.settle_kind[i] = S_FLOWER
    h.settle_winner[i] = winner
    h.settle_payer[i] = payer
    h.settle_how[i] = SELF_DRAW
    h.settle_items[i, item] = tai
    if r.flower_base_item >= 0:
        base = np.int64(r.items[r.flower_base_item, 0])
        h.settle_items[i, r.flower_base_item] = base
        tai += base
    if r.dice_bonus and not with_win:
        # The Dice Bonus counts once, on the regular win where there is one.
        bonus = dice_tai(r, h.dice)
        h.settle_items[i, r.dice_bonus_item] = bonus
        tai += bonus
    h.settle_tai[i] = tai
    h.settle_judged[i] = tai
    pay(r, h.dealer, h.streak, winner, payer, tai, h.settle_payments[i])


@kernel
def move_flower(h, robber, owner):
    """Seven Robs One: the robbed flower moves in front of the robber."""
    h.flowers[robber] |= h.flowers[owner]
    h.flowers[owner] = np.uint8(0)


@kernel
def flower_win_open(h, r, s):
    """Whether seat s, on its own turn, holds eight flowers or may still rob by case 1."""
    if r.flower_wins != FLOWERS_ON_TURN:
        return False
    return h.case_one == s or popcount(np.uint64(h.flowers[s])) == 8


@kernel
def settle_own_flowers(h, r, s, with_win):
    """Book the flower win of seat s on its own turn: Eight Immortals, or Seven Robs One case 1."""
    if h.case_one == s:
        owner = 0
        while owner == s or h.flowers[owner] == 0:
            owner += 1
        settle_flower(h, r, s, owner, with_win)
        move_flower(h, s, owner)
    else:
        settle_flower(h, r, s, np.int64(-1), with_win)


@kernel
def next_hand(h, r):
    """Dealer and streak of the next hand (How to Play, Dealer and prevailing wind; ruling 33)."""
    if r.draw_pool and h.n_settlements == 0:
        h.next_pool += 4 * r.items[r.drawn_hand_item, 0]
    dealer_wins = False
    others_win = False
    for i in range(h.n_settlements):
        if h.settle_winner[i] == h.dealer:
            dealer_wins = True
        else:
            others_win = True
    if h.n_settlements == 0:
        keeps = r.dealer_keeps_draw
    else:
        keeps = dealer_wins and (r.dealer_keeps_shared or not others_win)
    if keeps and h.streak < r.streak_cap:
        h.next_dealer = h.dealer
        h.next_streak = h.streak + 1
        h.next_prevailing = h.prevailing
        return
    h.next_dealer = (h.dealer + 1) % 4
    h.next_streak = 0
    # The prevailing wind moves on when the deal comes back to seat 0.
    h.next_prevailing = (h.prevailing + 1) % 4 if h.next_dealer == 0 else h.prevailing
    if r.match_ends and h.next_dealer == 0 and h.prevailing == 3:
        h.match_over = 1


@kernel
def finish(h, r):
    """Close the hand: scores, how it ended, next dealer. Called once."""
    h.end = END_DRAW
    for i in range(h.n_settlements):
        if h.settle_kind[i] == S_WIN:
            h.end = END_WIN
        elif h.end == END_DRAW:
            h.end = END_FLOWER
        for s in range(4):
            h.scores[s] += h.settle_payments[i, s]
    payments = np.empty(4, np.int32)
    for i in range(h.n_instants):
        instant_payments(h, r, i, payments)
        for s in range(4):
            h.scores[s] += payments[s]
    for s in range(4):
        h.shanten_at[AT_END, s] = lack_of(h, r, s) - 1
    next_hand(h, r)
    h.phase = OVER
    h.seat = -1


@kernel
def end_draw(h, r):
    """Exhaustive draw: nothing is paid, or all pay the pool."""
    if r.draw_pool:
        settle_instant(h, r, r.drawn_hand_item, 0, np.int64(-1), np.int64(-1))
    finish(h, r)
