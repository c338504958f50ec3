"""The compiled loop of `study rules`: one wall under many rules. Owns what is counted; knows no agent and no statistics."""

from __future__ import annotations

import numpy as np

from mjsim.actions import BEGIN
from mjsim.flow.luck import POLICY, SECOND_HAND, draw_standing, stream
from mjsim.hand_record import END_DRAW, END_FLOWER, END_WIN
from mjsim.jit import call, entry, kernel
from mjsim.play import ILLEGAL, play_on
from mjsim.ruleset.record import S_WIN, SELF_DRAW

#: What is counted in each hand. Seats are counted for rates by role, points for scores (tai).
COUNTERS = (
    "hands",  # 1
    "win",  # 1 when a regular win ended it
    "self_draw",  # 1 when that win was by self-draw
    "deal_in",  # 1 when another seat's tile completed it
    "flower",  # 1 when a flower win alone ended it
    "draw",  # 1 for an exhaustive draw
    "discards",
    "wins",  # regular wins, more than one where several may win on one tile
    "tai",  # of the regular wins
    "paid",  # by all payers together
    "stopped",  # seats with a complete hand that the minimum alone stopped, each once
    "keep",  # 1 when the dealer keeps the deal
    "score_dealer",
    "score_others",  # of the three together
    "win_dealer",
    "win_others",  # seats
    "squares",  # of the four scores together
)
N_COUNTERS = len(COUNTERS)
(
    HANDS, WIN, SELF_DRAWN, DEAL_IN, FLOWER, DRAW, DISCARDS, WINS, TAI, PAID, STOPPED, KEEP, SCORE_DEALER, SCORE_OTHERS,
    WIN_DEALER, WIN_OTHERS, SQUARES,
) = range(N_COUNTERS)  # fmt: skip


@kernel
def _count(h, out):
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
    out[DISCARDS] = h.n_discards
    out[KEEP] = 1 if h.next_dealer == h.dealer else 0
    for i in range(h.n_settlements):
        out[PAID] += h.settle_payments[i, h.settle_winner[i]]
        if h.settle_kind[i] != S_WIN:
            continue
        out[WINS] += 1
        out[TAI] += h.settle_tai[i]
        if h.settle_winner[i] == h.dealer:
            out[WIN_DEALER] += 1
        else:
            out[WIN_OTHERS] += 1
        if h.settle_how[i] == SELF_DRAW:
            out[SELF_DRAWN] = 1
        else:
            out[DEAL_IN] = 1
    for s in range(4):
        out[STOPPED] += h.stopped[s]
        out[SQUARES] += h.scores[s] * h.scores[s]
        if s == h.dealer:
            out[SCORE_DEALER] = h.scores[s]
        else:
            out[SCORE_OTHERS] += h.scores[s]


@entry
def play_cells(hands, rules, engine, policies, parameters, seed, first, streak_below, own_draws, log, out):
    """Play walls `first`.. of `seed` once under each of RULES[c] `rules`; fill int32[walls, c, N_COUNTERS] `out`.

    Wall, dice, pairings, standing and policy streams are the same under all rules. `hands` HAND[1] and `log` DECISION[1]
    are scratch; int64 `engine` [apply, lay], `policies` and `parameters` [4] are addresses. With `own_draws` each seat draws
    from tiles of its own. Returns (walls played, -1), or (wall, seat) where the policy of a seat broke the rules.
    """
    h = hands[0]
    for w in range(len(out)):
        wall = first + w
        for c in range(len(rules)):
            r = rules[c]
            h.pool = 0
            draw_standing(h, r, engine[1], seed, wall, streak_below)
            for s in range(4):
                h.rng[s] = stream(seed, wall, SECOND_HAND, POLICY + s)
            h.own_streams = own_draws
            call(engine[0], (h, r, BEGIN))
            if play_on(h, r, engine[0], policies, parameters, log, False) == ILLEGAL:
                return wall, np.int64(h.seat)
            _count(h, out[w, c])
    return np.int64(len(out)), np.int64(-1)
