"""Compiled steps of one or many tables: apply, play the inside agents, start the next hand, observe.

Owns what an episode is: how a hand's standing is drawn and when a match goes on. Rules stay in the flow.
"""

from __future__ import annotations

import numpy as np

from mjsim.actions import BEGIN, N_ACTIONS
from mjsim.flow.luck import STANDING, below, stream
from mjsim.hand_record import OVER
from mjsim.jit import call, entry, kernel
from mjsim.observe import N_PRIVILEGED, N_ROWS
from mjsim.play import tell_end

#: Episodes: a single hand with a standing of its own, or a match of hands.
HAND_EPISODE, MATCH_EPISODE = range(2)

#: Addresses in `engine`, in this order.
APPLY, LAY, OBSERVE, HIDDEN, MASK = range(5)

#: What a step returns when an action was illegal: -(table + 1); an inside agent's: -(table + 1) - N_TABLES.
N_TABLES = 1 << 40


@kernel
def begin_hand(h, r, engine, seed, match, number, episode):
    """Lay out and begin a hand.

    In an episode of one hand dealer and prevailing wind are uniform, the streak is 0 and the seat winds follow the dice, so that a
    learner meets every role; in a match the standing is carried by the record.
    """
    if episode == HAND_EPISODE:
        rng = np.empty(1, np.uint64)
        rng[0] = stream(seed, match, 0, STANDING)
        h.dealer = below(rng, 0, 4)
        h.prevailing = below(rng, 0, 4)
        h.streak = 0
        h.pool = 0
        number = 1  # not a match's first hand: the dice break the wall
    elif number == 0:
        h.dealer = 0
        h.prevailing = 0
        h.streak = 0
        h.pool = 0
    else:
        h.dealer = h.next_dealer
        h.prevailing = h.next_prevailing
        h.streak = h.next_streak
        h.pool = h.next_pool
    call(engine[LAY], (h, r, seed, match, number))
    call(engine[APPLY], (h, r, BEGIN))


@kernel
def go_on(h, r, engine, policies, parameters, seed, stride, episode, match_hands, rewards, scores, counters):
    """Play inside agents and begin hands until an outside seat is asked; with `stride` 0 a finished episode is not begun anew.

    counters: [0] hands ended, [1] episodes ended in this call. Returns False when an inside agent broke the rules.
    """
    while True:
        if h.phase == OVER:
            tell_end(h, r, policies, parameters)
            counters[0] += 1
            for s in range(4):
                rewards[s] += h.scores[s]
                scores[s] = h.scores[s]
            if episode == HAND_EPISODE or h.match_over or h.hand + 1 >= match_hands:
                counters[1] += 1
                if stride == 0:
                    return True
                begin_hand(h, r, engine, seed, h.match + stride, 0, episode)
            else:
                begin_hand(h, r, engine, seed, h.match, h.hand + 1, episode)
        elif policies[h.seat]:
            if call(engine[APPLY], (h, r, call(policies[h.seat], (h, r, parameters[h.seat])))) != 0:
                return False
        else:
            return True


@kernel
def _show(i, h, r, engine, observations, masks, hidden, seats, derived, privileged):
    me = np.int64(h.seat)
    seats[i] = me
    call(engine[OBSERVE], (h, r, me, observations + i * N_ROWS * 34, derived))
    call(engine[MASK], (h, me, masks + i * N_ACTIONS))
    if privileged:
        call(engine[HIDDEN], (h, r, me, hidden + i * N_PRIVILEGED * 34))


@entry
def reset_tables(
    hands, rules, engine, policies, parameters, seed, first, episode, match_hands,
    observations, masks, hidden, seats, rewards, scores, derived, privileged,
):  # fmt: skip
    """Begin table i with match first + i and go on to the first decision of each that no compiled policy makes."""
    r = rules[0]
    counters = np.zeros(2, np.int64)
    stride = len(hands)
    for i in range(len(hands)):
        h = hands[i]
        begin_hand(h, r, engine, seed, first + i, 0, episode)
        for s in range(4):
            rewards[i, s] = 0
            scores[i, s] = 0
        if not go_on(
            h,
            r,
            engine,
            policies[i],
            parameters[i],
            seed,
            stride,
            episode,
            match_hands,
            rewards[i],
            scores[i],
            counters,
        ):
            return -(i + 1) - N_TABLES
        _show(i, h, r, engine, observations, masks, hidden, seats, derived[h.seat], privileged)
    return 0


@entry
def step_tables(
    hands, rules, engine, policies, parameters, seed, episode, match_hands, actions, moved, first,
    observations, masks, hidden, seats, rewards, scores, hands_done, dones, derived, privileged,
):  # fmt: skip
    """One action at each of the tables int64[m] `moved`, then on to the next decision of each that no compiled policy makes.

    `first`: a step begins; without it what is paid and what ends adds to the step. int8[4] `derived` is by seat. Returns the hands
    that ended.
    """
    r = rules[0]
    counters = np.zeros(2, np.int64)
    stride = len(hands)
    total = 0
    for j in range(len(moved)):
        i = moved[j]
        h = hands[i]
        counters[0] = 0
        counters[1] = 0
        if first:
            hands_done[i] = 0
            dones[i] = False
            for s in range(4):
                rewards[i, s] = 0
        if actions[i] < 0 or call(engine[APPLY], (h, r, np.int64(actions[i]))) != 0:  # BEGIN is no player's action
            return -(i + 1)
        if not go_on(
            h,
            r,
            engine,
            policies[i],
            parameters[i],
            seed,
            stride,
            episode,
            match_hands,
            rewards[i],
            scores[i],
            counters,
        ):
            return -(i + 1) - N_TABLES
        hands_done[i] += counters[0]
        dones[i] = dones[i] or counters[1] > 0
        total += counters[0]
        _show(i, h, r, engine, observations, masks, hidden, seats, derived[h.seat], privileged)
    return total


@entry
def play_solo(hands, rules, engine, policies, parameters, seed, match, action, episode, match_hands, rewards, scores):
    """One table without auto-reset: begin (action BEGIN) or apply, then on to the next outside decision or the episode's end.

    Returns 1 when the episode is over, 0 when an outside seat is asked, -1 for an illegal action, -2 for an inside agent's.
    """
    r = rules[0]
    h = hands[0]
    counters = np.zeros(2, np.int64)
    for s in range(4):
        rewards[s] = 0
    if action == BEGIN:
        begin_hand(h, r, engine, seed, match, 0, episode)
    elif call(engine[APPLY], (h, r, action)) != 0:
        return -1
    if not go_on(h, r, engine, policies, parameters, seed, 0, episode, match_hands, rewards, scores, counters):
        return -2
    return 1 if counters[1] else 0
