"""The compiled loop of `study dice`: one wall, five hands. Owns what is counted; knows no agent and no statistics."""

from __future__ import annotations

import numpy as np

from mjsim.actions import BEGIN
from mjsim.flow.luck import POLICY, SECOND_HAND, draw_standing, stream
from mjsim.hand_record import END_DRAW, END_FLOWER, END_WIN
from mjsim.jit import call, entry, kernel
from mjsim.play import ILLEGAL, play_on
from mjsim.ruleset.dice import dice_pattern
from mjsim.ruleset.record import S_WIN, SELF_DRAW

#: Patterns in the order of the rule text, and `none` last.
PATTERNS = ("triple", "all_red", "straight", "all_black", "none")
N_PATTERNS = len(PATTERNS)
#: Number of `dice_pattern` -> place in PATTERNS.
PLACE = (4, 3, 2, 1, 0)
#: The roll that stands for each pattern; the bonus and a policy see the pattern, the broken wall is kept as drawn.
DICE = np.array([[1, 1, 1], [1, 1, 4], [1, 2, 3], [2, 3, 6], [1, 2, 4]], dtype=np.int8)

#: What is counted in each hand. Seats are counted for rates by role, points for scores (tai).
COUNTERS = (
    "hands",  # 1
    "win",  # 1 when a regular win ended it
    "self_draw",  # 1 when that win was by self-draw
    "deal_in",  # 1 when another seat's tile completed it: discarded, added to a pung, or a robbed flower's replacement
    "flower",  # 1 when a flower win alone ended it
    "draw",  # 1 for an exhaustive draw
    "wins",  # regular wins, three on a triple win
    "tai",  # of the regular wins, the bonus included
    "bonus",  # of the regular wins
    "by_bonus",  # regular wins below the minimum without the bonus
    "stopped",  # seats with a complete hand that the minimum alone stopped, each once
    "paid",  # by all payers together
    "score_dealer",
    "score_others",  # of the three together
    "win_dealer",
    "win_others",  # seats
    "deal_in_dealer",
    "deal_in_others",  # seats
    "score_0",
    "score_1",
    "score_2",
    "score_3",
)
N_COUNTERS = len(COUNTERS)
(
    HANDS, WIN, SELF_DRAWN, DEAL_IN, FLOWER, DRAW, WINS, TAI, BONUS, BY_BONUS, STOPPED, PAID, SCORE_DEALER, SCORE_OTHERS,
    WIN_DEALER, WIN_OTHERS, DEAL_IN_DEALER, DEAL_IN_OTHERS, SCORE,
) = range(N_COUNTERS - 3)  # fmt: skip


@kernel
def count_hand(h, r, out):
    """Fill int32[N_COUNTERS] from a hand that is over."""
    for i in range(N_COUNTERS):
        out[i] = 0
    out[HANDS] = 1
    if h.end == END_WIN:
        out[WIN] = 1
    elif h.end == END_FLOWER:
        out[FLOWER] = 1
    elif h.end == END_DRAW:
        out[DRAW] = 1
    for i in range(h.n_settlements):
        if h.settle_kind[i] != S_WIN:
            continue
        bonus = np.int64(h.settle_items[i, r.dice_bonus_item])
        out[WINS] += 1
        out[TAI] += h.settle_tai[i]
        out[BONUS] += bonus
        if h.settle_judged[i] - bonus < r.min_tai:
            out[BY_BONUS] += 1
        if h.settle_winner[i] == h.dealer:
            out[WIN_DEALER] += 1
        else:
            out[WIN_OTHERS] += 1
        if h.settle_how[i] == SELF_DRAW:
            out[SELF_DRAWN] = 1
        elif out[DEAL_IN] == 0:
            out[DEAL_IN] = 1
            if h.settle_payer[i] == h.dealer:
                out[DEAL_IN_DEALER] = 1
            else:
                out[DEAL_IN_OTHERS] = 1
    for i in range(h.n_settlements):
        out[PAID] += h.settle_payments[i, h.settle_winner[i]]
    for s in range(4):
        out[STOPPED] += h.stopped[s]
        out[SCORE + s] = h.scores[s]
        if s == h.dealer:
            out[SCORE_DEALER] = h.scores[s]
        else:
            out[SCORE_OTHERS] += h.scores[s]


@entry
def play_walls(hands, rules, engine, policies, parameters, seed, first, dice, streak_below, log, out):
    """Play walls `first`.. of `seed` once under each pattern of int8[5, 3] `dice`; fill int32[walls, 5, N_COUNTERS] `out`.

    `hands` HAND[1] and `log` DECISION[1] are scratch; int64 `engine` [apply, lay], `policies` and `parameters` [4] are
    addresses. Returns (walls played, -1), or (wall, seat) where the policy of a seat broke the rules.
    """
    h = hands[0]
    r = rules[0]
    for w in range(len(out)):
        wall = first + w
        draw_standing(h, r, engine[1], seed, wall, streak_below)
        for p in range(N_PATTERNS):
            for i in range(3):
                h.dice[i] = dice[p, i]
            for s in range(4):
                h.rng[s] = stream(seed, wall, SECOND_HAND, POLICY + s)
            call(engine[0], (h, r, BEGIN))
            if play_on(h, r, engine[0], policies, parameters, log, False) == ILLEGAL:
                return wall, np.int64(h.seat)
            count_hand(h, r, out[w, p])
    return np.int64(len(out)), np.int64(-1)


@entry
def standings(hands, rules, lay_at, seed, first, streak_below, out):
    """The standing drawn with walls `first`..: int16[walls, 4] `out` of dealer, east, prevailing wind and streak."""
    h = hands[0]
    for w in range(len(out)):
        draw_standing(h, rules[0], lay_at, seed, first + w, streak_below)
        out[w, 0] = h.dealer
        out[w, 1] = h.east
        out[w, 2] = h.prevailing
        out[w, 3] = h.streak


@entry
def pattern_counts(out):
    """Count the 216 rolls of three dice by place in PATTERNS into int64[5] `out`, through the rules' own test."""
    roll = np.empty(3, np.int8)
    for a in range(1, 7):
        for b in range(1, 7):
            for c in range(1, 7):
                roll[0], roll[1], roll[2] = a, b, c
                out[PLACE[dice_pattern(roll)]] += 1
