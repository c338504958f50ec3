"""The verbs of a hand in compiled code: `apply` (with the legal actions that follow) and `deal`.

`apply` is one C function: everything that changes a hand in play passes through it.
"""

from __future__ import annotations

import numpy as np
from numba import types

from mjsim.actions import BEGIN, DECLARE, DISCARD, FLOWER_WIN, N_ACTIONS, N_WORDS, OTHER, PASS, START, W_GIVE, W_OTHER
from mjsim.flow.claims import legal_claim, step_claim, step_flower
from mjsim.flow.luck import lay_out
from mjsim.flow.opening import begin, go_on_opening, legal_give, step_choice, step_declare, step_give
from mjsim.flow.turn import legal_turn, step_turn
from mjsim.hand_record import CHOICE, CLAIM, FLOWER, GIVE, HAND_TYPE, OVER, ROB, TURN
from mjsim.hand_record import DECLARE as DECLARE_PHASE
from mjsim.jit import kernel, lowest_bit, pointer, popcount
from mjsim.ruleset.record import RULES_TYPE

CHOICE_BITS = np.uint64(3) << np.uint64(START - OTHER)  # start, exchange
FLOWER_BITS = np.uint64(1) << np.uint64(FLOWER_WIN - OTHER) | np.uint64(1) << np.uint64(PASS - OTHER)

DECLARE_BITS = np.uint64(1) << np.uint64(DECLARE - OTHER) | np.uint64(1) << np.uint64(PASS - OTHER)

#: A policy: (hand, rules, address of its float64 parameters) -> the action of h.seat.
POLICY = types.int64(HAND_TYPE, RULES_TYPE, types.int64)


@kernel
def legal(h, r):
    """Fill h.legal with the legal actions of h.seat and return how many there are (0 when the hand is over)."""
    for w in range(N_WORDS):
        h.legal[w] = np.uint64(0)
    if h.phase == TURN:
        legal_turn(h, r)
    elif h.phase == CLAIM or h.phase == ROB:
        h.legal[W_OTHER] = legal_claim(h)
    elif h.phase == GIVE:
        h.legal[W_GIVE] = legal_give(h)
    elif h.phase == CHOICE:
        h.legal[W_OTHER] = CHOICE_BITS
    elif h.phase == FLOWER:
        h.legal[W_OTHER] = FLOWER_BITS
    elif h.phase == DECLARE_PHASE:
        h.legal[W_OTHER] = DECLARE_BITS
    n = 0
    for w in range(N_WORDS):
        n += popcount(h.legal[w])
    h.n_legal = n
    return n


@kernel
def is_legal(h, action):
    """Whether the action number is among h.legal."""
    if action < DISCARD or action >= N_ACTIONS:
        return False
    w = min(action // 34, W_OTHER)
    return h.legal[w] >> np.uint64(action - w * 34) & np.uint64(1) != np.uint64(0)


@kernel
def nth_legal(h, n):
    """The n-th legal action in order of numbers, from 0."""
    for w in range(N_WORDS):
        word = h.legal[w]
        have = popcount(word)
        if n < have:
            for _ in range(n):
                word &= word - np.uint64(1)
            return w * 34 + lowest_bit(word)
        n -= have
    return np.int64(-1)


@kernel
def _step(h, r, action):
    if h.phase == TURN:
        step_turn(h, r, action)
    elif h.phase == CLAIM or h.phase == ROB:
        step_claim(h, r, action)
    elif h.phase == GIVE:
        step_give(h, r, action)
    elif h.phase == CHOICE:
        step_choice(h, r, action)
    elif h.phase == DECLARE_PHASE:
        step_declare(h, r, action)
    elif h.phase == FLOWER and h.resume < 0 and action == PASS:
        go_on_opening(h, r)
    else:
        step_flower(h, r, action)


@pointer(types.int64(HAND_TYPE, RULES_TYPE, types.int64))
def apply(h, r, action):
    """Apply a legal action of h.seat and go on to the next decision; BEGIN starts the hand that is laid out.

    A seat with a single legal action is never asked: the move is made for it. Returns 0, or -1 for an illegal action,
    which changes nothing. BEGIN is refused in mid-hand, so that a policy's -1 does not deal anew.
    """
    if action == BEGIN:
        if h.phase != OVER:
            return -1
        begin(h, r)
    else:
        if h.phase == OVER or not is_legal(h, action):
            return -1
        h.n_decisions += 1
        _step(h, r, action)
    while h.phase != OVER and legal(h, r) == 1:
        _step(h, r, nth_legal(h, 0))
    if h.phase == OVER:
        for w in range(N_WORDS):
            h.legal[w] = np.uint64(0)
        h.n_legal = 0
    return 0


@kernel
def break_wall(h, r):
    """East of the hand: whose wall the dice break; in a match's first hand, or without dice, the dealer (ruling 34)."""
    h.east = h.dealer
    if r.east_from_dice and h.hand > 0:
        h.east = (h.dealer + h.dice[0] + h.dice[1] + h.dice[2] - 1) % 4


@pointer(types.int64(HAND_TYPE, RULES_TYPE, types.int64, types.int64, types.int64))
def lay(h, r, seed, match, hand):
    """Draw the luck of hand `hand` of match `match`; dealer, streak and prevailing wind stand in the record."""
    lay_out(h, seed, match, hand)
    break_wall(h, r)
    h.phase = OVER  # until it begins
    return 0
