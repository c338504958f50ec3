"""The compiled loops of `study dice`: one wall under each pattern, and again with one seat blind to it. Owns what is counted;
knows no agent and no statistics.
"""

from __future__ import annotations

import numpy as np

from mjsim.actions import BEGIN
from mjsim.flow.luck import POLICY, SECOND_HAND, draw_standing, stream
from mjsim.hand_record import END_DRAW, END_FLOWER, END_WIN, OVER
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
    "received_dealer",  # by its own wins, flower wins too; less its score it is what it paid
    "received_others",  # by theirs, of the three together
    "score_0",
    "score_1",
    "score_2",
    "score_3",
)
N_COUNTERS = len(COUNTERS)
(
    HANDS, WIN, SELF_DRAWN, DEAL_IN, FLOWER, DRAW, WINS, TAI, BONUS, BY_BONUS, STOPPED, PAID, SCORE_DEALER, SCORE_OTHERS,
    WIN_DEALER, WIN_OTHERS, DEAL_IN_DEALER, DEAL_IN_OTHERS, RECEIVED_DEALER, RECEIVED_OTHERS, SCORE,
) = range(N_COUNTERS - 3)  # fmt: skip

#: Of each seat, for the comparison of seeing and blind.
SEAT_FIELDS = ("score", "win", "tai", "deal_in")
N_FIELDS = len(SEAT_FIELDS)
STATES, ROLES = ("seeing", "blind"), ("dealer", "others")
#: What is counted on a wall under each pattern with a bonus: each field of the seat in question when it sees the bonus (all
#: four do) and when it is blind (the others see it), once for the dealer and for the three others together; and how many of
#: the four seats would have decided otherwise blind.
BLIND_COUNTERS = (
    *(f"{state}_{field}_{role}" for state in STATES for field in SEAT_FIELDS for role in ROLES),
    "otherwise",
)
N_BLIND = len(BLIND_COUNTERS)
#: Patterns with a bonus: without one there is nothing to see.
N_BONUS = N_PATTERNS - 1
#: Counters of a wall with blind seats: COUNTERS of the five hands in which all see, then BLIND_COUNTERS of four patterns.
N_ADAPT = N_PATTERNS * N_COUNTERS + N_BONUS * N_BLIND


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
        received = h.settle_payments[i, h.settle_winner[i]]
        out[PAID] += received
        out[RECEIVED_DEALER if h.settle_winner[i] == h.dealer else RECEIVED_OTHERS] += received
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


@kernel
def _note_seats(h, seats):
    """Fill int32[4, N_FIELDS] from a hand that is over."""
    for s in range(4):
        seats[s, 0] = h.scores[s]
        for i in range(1, N_FIELDS):
            seats[s, i] = 0
    for i in range(h.n_settlements):
        if h.settle_kind[i] == S_WIN:
            seats[h.settle_winner[i], 1] = 1
            seats[h.settle_winner[i], 2] = h.settle_tai[i]
            if h.settle_how[i] != SELF_DRAW:
                seats[h.settle_payer[i], 3] = 1


@kernel
def _play_seeing(h, r, apply_at, policies, parameters, blind_policies, blind_parameters, otherwise):
    """Play a hand on to its end with all seats seeing; uint8[4] `otherwise` says which would have decided otherwise blind.

    The blind policy is asked at every decision too, from the same state of its random stream. Returns 0 or ILLEGAL.
    """
    for s in range(4):
        otherwise[s] = 0
    while h.phase != OVER:
        s = np.int64(h.seat)
        before = h.rng[s]
        blind = call(blind_policies[s], (h, r, blind_parameters[s]))
        after = h.rng[s]
        h.rng[s] = before
        action = call(policies[s], (h, r, parameters[s]))
        if action != blind or h.rng[s] != after:
            otherwise[s] = 1
        if call(apply_at, (h, r, action)) != 0:
            return ILLEGAL
    return 0


@entry
def play_blind(
    hands, rules, engine, policies, parameters, blind_policies, blind_parameters, seed, first, dice, streak_below, own_draws,
    log, out,
):  # fmt: skip
    """Play walls `first`.. of `seed` under each pattern with all seats seeing, and again with each seat in turn blind.

    As `play_walls`, with a second policy for each seat; fills int32[walls, N_ADAPT] `out`. The hand with a blind seat is the one
    in which all see where that seat decides the same blind in all of that hand; then it is not played again.
    """
    h = hands[0]
    r = rules[0]
    policy = policies.copy()
    parameter = parameters.copy()
    otherwise = np.zeros(4, np.uint8)
    seats = np.empty((2, 4, N_FIELDS), np.int32)
    for w in range(len(out)):
        wall = first + w
        for p in range(N_PATTERNS):
            count = out[w, N_PATTERNS * N_COUNTERS + p * N_BLIND :]
            for blind in range(-1, 0 if p == N_BONUS else 4):  # -1: all see
                if blind < 0 or otherwise[blind]:
                    draw_standing(h, r, engine[1], seed, wall, streak_below)
                    h.own_streams = own_draws
                    for i in range(3):
                        h.dice[i] = dice[p, i]
                    for s in range(4):
                        h.rng[s] = stream(seed, wall, SECOND_HAND, POLICY + s)
                    call(engine[0], (h, r, BEGIN))
                if blind < 0:
                    if p == N_BONUS:  # nothing to see
                        ended = play_on(h, r, engine[0], policies, parameters, log, False)
                    else:
                        ended = _play_seeing(
                            h, r, engine[0], policies, parameters, blind_policies, blind_parameters, otherwise
                        )
                    if ended == ILLEGAL:
                        return wall, np.int64(h.seat)
                    count_hand(h, r, out[w, p * N_COUNTERS : (p + 1) * N_COUNTERS])
                    _note_seats(h, seats[0])
                    continue
                state = 0
                if otherwise[blind]:
                    policy[:] = policies
                    parameter[:] = parameters
                    policy[blind] = blind_policies[blind]
                    parameter[blind] = blind_parameters[blind]
                    if play_on(h, r, engine[0], policy, parameter, log, False) == ILLEGAL:
                        return wall, np.int64(h.seat)
                    _note_seats(h, seats[1])
                    state = 1
                    count[N_BLIND - 1] += 1
                role = 0 if blind == h.dealer else 1
                for i in range(N_FIELDS):
                    count[2 * i + role] += seats[0, blind, i]
                    count[2 * (N_FIELDS + i) + role] += seats[state, blind, i]
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
