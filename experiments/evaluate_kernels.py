"""The compiled loops of `evaluate`: hands of duplicate sets, and the fit of ratings. Owns what is noted of a hand.

Knows no agent (policies come as addresses) and no statistics.
"""

from __future__ import annotations

import numpy as np

from mjsim.actions import BEGIN
from mjsim.flow.luck import draw_standing, stream
from mjsim.hand_record import AT_END, NOT_DECLARED
from mjsim.jit import call, entry, kernel
from mjsim.play import ILLEGAL, play_on
from mjsim.ruleset.record import S_WIN, SELF_DRAW

#: What is noted of a hand: its standing and end, then for each seat the measures, [measure, seat].
STANDING_FIELDS = ("dealer", "streak", "prevailing", "end")
SEAT_FIELDS = (
    "score",  # tai
    "win",  # 1 for a regular win
    "self_draw",  # 1 when that was by self-draw
    "deal_in",  # 1 when the seat's tile completed another's hand
    "tai",  # of its regular win
    "ready",  # 1 when its hand waited at the end, or had won
    "declared",  # 1 when it had declared
)
DEALER, STREAK, PREVAILING, END = range(4)
SCORE, WIN, SELF_DRAWN, DEAL_IN, TAI, READY, DECLARED = range(4, 32, 4)
N_NOTED = 4 + 4 * len(SEAT_FIELDS)

#: `end` of a hand that was not played because the rules ended its match before.
NOT_PLAYED = -1

#: Purpose of the random stream of seat s in seating k: POLICY_OF_SEATING + 4 k + s, so that an agent that draws does not
#: draw the same in every seating (luck's purposes are below).
POLICY_OF_SEATING = 64


@kernel
def _note(h, out):
    out[DEALER] = h.dealer
    out[STREAK] = h.streak
    out[PREVAILING] = h.prevailing
    out[END] = h.end
    for s in range(4):
        out[SCORE + s] = h.scores[s]
        out[WIN + s] = 0
        out[SELF_DRAWN + s] = 0
        out[DEAL_IN + s] = 0
        out[TAI + s] = 0
        out[READY + s] = 1 if h.shanten_at[AT_END, s] <= 0 else 0
        out[DECLARED + s] = 1 if h.declared[s] != NOT_DECLARED else 0
    for i in range(h.n_settlements):
        if h.settle_kind[i] != S_WIN:
            continue
        s = h.settle_winner[i]
        out[WIN + s] = 1
        out[TAI + s] = h.settle_tai[i]
        out[READY + s] = 1
        if h.settle_how[i] == SELF_DRAW:
            out[SELF_DRAWN + s] = 1
        else:
            out[DEAL_IN + h.settle_payer[i]] = 1


@kernel
def _lay_hand(
    h, r, engine, seed, first, at, seatings, match_hands, streak_below, own_draws
):  # fmt: skip
    """Lay out and begin hand `at` of the sets (see `play_hands`); returns whether it is played."""
    length = max(match_hands, 1)
    place = at // (len(seatings) * length)
    k = at // length % len(seatings)
    number = at % length
    w = first + place
    if match_hands == 0:
        h.pool = 0
        number = 1
        draw_standing(h, r, engine[1], seed, w, streak_below)
    else:
        if number == 0:
            h.dealer = 0
            h.streak = 0
            h.prevailing = 0
            h.pool = 0
        elif h.match_over:
            return False
        else:
            h.dealer = h.next_dealer
            h.streak = h.next_streak
            h.prevailing = h.next_prevailing
            h.pool = h.next_pool
        call(engine[1], (h, r, seed, w, number))
    for s in range(4):
        h.rng[s] = stream(seed, w, number, POLICY_OF_SEATING + 4 * k + s)
    h.own_streams = own_draws
    call(engine[0], (h, r, BEGIN))
    return True


@entry
def lay_hand(hands, lane, rules, engine, seed, first, at, seatings, match_hands, streak_below, own_draws):
    """The same for record `lane` of HAND[n] `hands`, for hands that are played side by side."""
    return _lay_hand(
        hands[lane], rules[0], engine, seed, first, at, seatings, match_hands, streak_below, own_draws
    )  # fmt: skip


@entry
def note_hand(hands, lane, out):
    """Note record `lane` of HAND[n] `hands`, which is over, in int32[N_NOTED] `out`."""
    _note(hands[lane], out)


@entry
def play_hands(
    hands, rules, engine, policies, parameters, seed, first, start, groups, seatings, match_hands, streak_below,
    own_draws, log, out,
):  # fmt: skip
    """Play hands `start`.. of the sets that begin with set number `first`; fill int32[n, N_NOTED] `out`.

    Hand i is hand i % length of seating (i // length) % len(seatings) of the set i // (len(seatings) x length). Its luck is
    that of match = set; `match_hands` hands in a row make a match, 0 are single hands whose standing is drawn with the set
    (then it is hand 1 of the match). int16 `groups` [sets, 4] names the policies of a set, int8 `seatings` [k, 4] says which
    of the four sits where. int64 `policies` [2, n] (of the choice; of what is called when a hand is over, or 0) and `parameters`
    [n] are addresses; `hands` HAND[1] keeps the standing of a match from one call to the next, so calls go on in order.
    Returns (hands, -1) or (hand, seat) where a policy broke the rules.
    """
    h = hands[0]
    r = rules[0]
    length = max(match_hands, 1)
    policy = np.empty(8, np.int64)
    parameter = np.empty(4, np.int64)
    for i in range(len(out)):
        at = start + i
        if not _lay_hand(h, r, engine, seed, first, at, seatings, match_hands, streak_below, own_draws):
            out[i, END] = NOT_PLAYED
            continue
        place = at // (len(seatings) * length)
        k = at // length % len(seatings)
        for s in range(4):
            agent = groups[place, seatings[k, s]]
            policy[s] = policies[0, agent]
            policy[4 + s] = policies[1, agent]
            parameter[s] = parameters[agent]
        if play_on(h, r, engine[0], policy, parameter, log, False) == ILLEGAL:
            return at, np.int64(h.seat)
        _note(h, out[i])
    return np.int64(len(out)), np.int64(-1)


@entry
def fit_strengths(orders, weights, strengths, rounds, tolerance):
    """Plackett-Luce strengths by minorization-maximization (Hunter 2004, The Annals of Statistics 32, 384-406).

    int16 `orders` [n, 4] are rankings, the best first, each counted float64 `weights` times. float64 `strengths` holds the
    start and then the fit. Every agent also wins and loses half a comparison against one of strength 1: that keeps an
    agent finite that always or never won, and fixes the scale: the rankings do not depend on it, so that it is set by
    itself (Newton) in each round, where the small steps of the method would take hundreds. Returns the rounds that it took.
    """
    n_agents = len(strengths)
    before = np.empty(n_agents)
    won = np.full(n_agents, 0.5)
    for j in range(len(orders)):
        for p in range(3):
            won[orders[j, p]] += weights[j]
    below = np.empty(n_agents)
    rest = np.empty(4)
    for turn in range(rounds):
        for a in range(n_agents):
            below[a] = 1.0 / (strengths[a] + 1.0)
        for j in range(len(orders)):
            if weights[j] == 0.0:
                continue
            total = 0.0
            for p in range(3, -1, -1):
                total += strengths[orders[j, p]]
                rest[p] = total
            share = 0.0
            for p in range(4):
                if p < 3:
                    share += weights[j] / rest[p]
                below[orders[j, p]] += share
        for a in range(n_agents):
            before[a] = strengths[a]
            strengths[a] = won[a] / below[a]
        for _ in range(3):
            slope = 0.0
            bend = 0.0
            for a in range(n_agents):
                p_win = strengths[a] / (strengths[a] + 1.0)
                slope += 0.5 - p_win
                bend += p_win * (1.0 - p_win)
            # No step by more than a factor e: far from the middle Newton's would overshoot.
            factor = np.exp(max(-1.0, min(1.0, slope / bend)))
            for a in range(n_agents):
                strengths[a] *= factor
        change = 0.0
        for a in range(n_agents):
            change = max(change, abs(np.log(strengths[a] / before[a])))
        if change < tolerance:
            return turn + 1
    return rounds
