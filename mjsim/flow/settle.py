"""Settlements, the end of a hand and who deals next."""

from __future__ import annotations

import numpy as np

from mjsim.hand_record import AT_END, END_DRAW, END_FLOWER, END_WIN, OVER
from mjsim.jit import call, kernel, popcount
from mjsim.ruleset.dice import dice_tai
from mjsim.ruleset.payments import pay
from mjsim.ruleset.record import (
    BY_DISCARD,
    F_EARTHLY,
    F_HEAVENLY,
    F_HUMAN,
    F_LAST_TILE,
    F_MIGI,
    F_READY,
    F_REPLACEMENT,
    S_FLOWER,
    S_WIN,
    SELF_DRAW,
    WIN_LEGAL,
)
from mjsim.shapes.kernels import distance_keys, tables_at


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
    flags = extra_flags
    if h.declared[s] == 1:
        flags |= F_READY
    elif h.declared[s] == 2:
        flags |= F_MIGI
    # The first go-around: nothing claimed or konged at the table, and the winner has not discarded.
    if h.any_claim == 0 and h.n_discards_of[s] == 0:
        if s == h.dealer:
            if how == SELF_DRAW:
                flags |= F_HEAVENLY
        elif how == SELF_DRAW:
            flags |= F_EARTHLY
        elif how == BY_DISCARD:
            flags |= F_HUMAN
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
    tile = np.int64(h.drawn)
    if tile < 0:
        # The dealer's opening tiles: with Heavenly Hand no tile is the winning tile, any held one stands for it.
        tile = 0
        while h.counts[s, tile] == 0:
            tile += 1
    return score_win(h, r, s, tile, SELF_DRAW, -1, flowers, flags)


@kernel
def settle_win(h, r):
    """Book the win that h.score holds."""
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
def settle_flower(h, r, winner, payer, with_win):
    """Book a flower win: eight_immortals when no single seat pays, else seven_robs_one (ruling 9)."""
    i = h.n_settlements
    h.n_settlements = i + 1
    h.settle_kind[i] = S_FLOWER
    h.settle_winner[i] = winner
    h.settle_payer[i] = payer
    h.settle_how[i] = SELF_DRAW
    item = r.eight_immortals_item if payer < 0 else r.seven_robs_one_item
    tai = np.int64(r.items[item, 0])
    h.settle_items[i, item] = tai
    if not with_win:
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
    if not r.flower_wins:
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
    keeps = h.n_settlements == 0 or h.scores[h.dealer] > 0
    if keeps and h.streak < r.streak_cap:
        h.next_dealer = h.dealer
        h.next_streak = h.streak + 1
        h.next_prevailing = h.prevailing
        return
    h.next_dealer = (h.dealer + 1) % 4
    h.next_streak = 0
    # The prevailing wind moves on when the deal comes back to seat 0 (ruling 35).
    h.next_prevailing = (h.prevailing + 1) % 4 if h.next_dealer == 0 else h.prevailing


@kernel
def finish(h, r):
    """Close the hand: scores, how it ended, next dealer. Called once."""
    t = tables_at(r.tables)
    h.end = END_DRAW
    for i in range(h.n_settlements):
        if h.settle_kind[i] == S_WIN:
            h.end = END_WIN
        elif h.end == END_DRAW:
            h.end = END_FLOWER
        for s in range(4):
            h.scores[s] += h.settle_payments[i, s]
    for s in range(4):
        h.shanten_at[AT_END, s] = distance_keys(t, h.keys[s], 5 - h.n_melds[s]) - 1
    next_hand(h, r)
    h.phase = OVER
    h.seat = -1


@kernel
def end_draw(h, r):
    """Exhaustive draw: nothing is paid."""
    finish(h, r)
