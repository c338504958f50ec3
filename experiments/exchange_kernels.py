"""The compiled loops of `study exchange`: what is played on one wall, and what is counted. Knows no agent and no statistics.

Strategies come as addresses: int64[2, strategies] `policies` are those of their policies and of who wants to know that a hand is
over (0: nobody). Hand 1 of match `wall` is played, as in the other studies.
"""

from __future__ import annotations

import numpy as np

from mjsim.actions import BEGIN, EXCHANGE, GIVE, START
from mjsim.flow.luck import POLICY, SECOND_HAND, draw_standing, stream
from mjsim.hand_record import AFTER_FIRST, AFTER_SECOND, AT_START, CHOICE, OVER
from mjsim.hand_record import GIVE as GIVE_PHASE
from mjsim.jit import call, entry, kernel
from mjsim.play import tell_end
from mjsim.ruleset.record import S_WIN

#: Shanten is counted as -1 (complete) to 9 and more.
N_SHANTEN = 11
#: Roles from the dealer on: dealer, next, opposite, previous.
N_ROLES = 4
#: Moments at which shanten is counted: at the start, after one and after two exchanges.
N_MOMENTS = 3
MOMENTS = np.array([AT_START, AFTER_FIRST, AFTER_SECOND], dtype=np.int64)

#: Counters of the part `field`: four seats of one strategy, the dealer starting and exchanging again.
F_HANDS = 0  # 1
F_ASKED = 1  # 1 when the dealer was asked: the deal was no win
F_KEPT_ON = 2  # tiles got in the first exchange that are given on in the second
F_SHANTEN = 3  # [moment, dealer or other, shanten]: seats
F_GIVEN = F_SHANTEN + N_MOMENTS * 2 * N_SHANTEN  # [exchange, kind]: tiles
F_DECIDED = F_GIVEN + 2 * 34  # [dealer's shanten]: 1 when it was that at the decision
F_SCORE = F_DECIDED + N_SHANTEN  # [dealer's shanten, start or exchange, role]: tai
F_WIN = F_SCORE + N_SHANTEN * 2 * N_ROLES  # [dealer's shanten, start or exchange, dealer or others]: wins of seats
N_FIELD = F_WIN + N_SHANTEN * 2 * 2

#: Counters of a cell of the matrix: one seat of the row's strategy against three of the column's, over the four seats.
GAIN = 0  # tai beyond what the same seat scores with the column's strategy
GAIN_DEALER = 1  # the same, of the seat that deals
WINS = 2  # wins of the deviating seat
N_CELL = 3

#: Counters of a dealer's decision: exchanged again, the dealer's tai, the tai of the three others together.
N_DECISION = 3

ILLEGAL = -1


@kernel
def _deal(h, r, engine, seed, wall, streak_below):
    """Lay out a wall and begin its hand."""
    draw_standing(h, r, engine[1], seed, wall, streak_below)
    h.pool = 0
    for s in range(4):
        h.rng[s] = stream(seed, wall, SECOND_HAND, POLICY + s)
    h.own_streams = 0
    call(engine[0], (h, r, BEGIN))


@kernel
def _play(h, r, apply_at, policies, parameters, until):
    """Play on until the hand is in phase `until` or over; 0, or ILLEGAL (h.seat says whose). int64[8] and int64[4] by seat."""
    while h.phase != OVER and h.phase != until:
        if call(apply_at, (h, r, call(policies[h.seat], (h, r, parameters[h.seat])))) != 0:
            return ILLEGAL
    if h.phase == OVER:
        tell_end(h, r, policies, parameters)
    return 0


@kernel
def _four(policies, parameters, who):
    """int64[8] policies and int64[4] parameters of four seats of one strategy, as `tell_end` takes them."""
    four, theirs = np.empty(8, np.int64), np.empty(4, np.int64)
    four[:4] = policies[0, who]
    four[4:] = policies[1, who]
    theirs[:] = parameters[who]
    return four, theirs


@kernel
def _wins(h, s):
    for i in range(h.n_settlements):
        if h.settle_kind[i] == S_WIN and h.settle_winner[i] == s:
            return 1
    return 0


@kernel
def _shanten_place(shanten):
    return min(max(np.int64(shanten) + 1, 0), N_SHANTEN - 1)


@kernel
def _count_branch(h, k, branch, out):
    """Count how a hand ended whose dealer had shanten place k and started (branch 0) or exchanged again (1)."""
    for role in range(N_ROLES):
        s = (h.dealer + role) % 4
        out[F_SCORE + (k * 2 + branch) * N_ROLES + role] = h.scores[s]
        out[F_WIN + (k * 2 + branch) * 2 + min(role, 1)] += _wins(h, s)


@entry
def play_field(hands, rules, engine, policies, parameters, who, seed, first, streak_below, out):
    """Four seats of strategy `who` on walls `first`..; the dealer's decision is taken both ways. Fill int32[n, N_FIELD] `out`.

    HAND[2] `hands` is scratch; int64[2] `engine` holds the addresses of `apply` and `lay`. Returns (n, -1), or (wall, seat)
    where the policy broke the rules.
    """
    r = rules[0]
    h, branch = hands[0], hands[1]
    four, theirs = _four(policies, parameters, who)
    for w in range(len(out)):
        unit = out[w]
        for i in range(N_FIELD):
            unit[i] = 0
        _deal(h, r, engine, seed, first + w, streak_below)
        if _play(h, r, engine[0], four, theirs, CHOICE) == ILLEGAL:
            return first + w, np.int64(h.seat)
        unit[F_HANDS] = 1
        if h.phase != CHOICE:
            continue
        unit[F_ASKED] = 1
        k = _shanten_place(h.shanten_at[AFTER_FIRST, h.dealer])
        unit[F_DECIDED + k] = 1
        for decision in range(2):
            hands[1] = h
            call(engine[0], (branch, r, EXCHANGE if decision else START))
            if _play(branch, r, engine[0], four, theirs, OVER) == ILLEGAL:
                return first + w, np.int64(branch.seat)
            _count_branch(branch, k, decision, unit)
        for m in range(N_MOMENTS):
            for s in range(4):
                role = 0 if s == h.dealer else 1
                place = _shanten_place(branch.shanten_at[MOMENTS[m], s])
                unit[F_SHANTEN + (m * 2 + role) * N_SHANTEN + place] += 1
        for s in range(4):
            for e in range(2):
                for i in range(3):
                    unit[F_GIVEN + e * 34 + branch.gives[e, s, i]] += 1
            for kind in range(34):
                got = 0
                passed = 0
                for i in range(3):
                    got += branch.takes[0, s, i] == kind
                    passed += branch.gives[1, s, i] == kind
                unit[F_KEPT_ON] += min(got, passed)
    return np.int64(len(out)), np.int64(-1)


@kernel
def _note_gifts(hands, r, apply_at, policies, parameters, gifts):
    """Fill int8[strategies, 4, 3] `gifts` with what every seat of hands[0] gives first by each strategy.

    A seat sees nothing of the others' gifts, so that one hand of four alike tells all of them.
    """
    h = hands[1]
    for i in range(len(parameters)):
        hands[1] = hands[0]
        four, theirs = _four(policies, parameters, i)
        if _play(h, r, apply_at, four, theirs, CHOICE) == ILLEGAL:
            return np.int64(i)
        for s in range(4):
            for g in range(3):
                gifts[i, s, g] = h.gives[0, s, g]
    return np.int64(-1)


@kernel
def _play_seated(h, r, apply_at, policies, parameters, seated, gifts, noted):
    """Play a hand to its end with strategy seated[s] at seat s; first gifts are taken from `gifts` where they are noted."""
    while h.phase != OVER:
        who = seated[h.seat]
        if noted and h.phase == GIVE_PHASE and h.round == 0:
            action = GIVE + np.int64(gifts[who, h.seat, h.n_given])
        else:
            action = call(policies[0, who], (h, r, parameters[who]))
        if call(apply_at, (h, r, action)) != 0:
            return ILLEGAL
    for s in range(4):
        if policies[1, seated[s]]:
            call(policies[1, seated[s]], (h, r, parameters[seated[s]]))
    return 0


@entry
def play_deviations(
    hands, rules, engine, policies, parameters, rows, columns, to_itself, noted, seed, first, streak_below, out
):  # fmt: skip
    """Play walls `first`..: one seat of each strategy of `rows` against three of each of `columns`, in every seat.

    Fills int32[n, columns, rows, N_CELL] `out`. Where row and column are one strategy the cell is 0 but for its wins, which
    are those of the column's own hand; with `to_itself` these cells alone are played, as if it were
    another. With `noted` first gifts are chosen once for each strategy and seat. HAND[2] `hands` is scratch. Returns (n, -1),
    or (wall, strategy) where a policy broke the rules.
    """
    r = rules[0]
    dealt, h = hands[0], hands[1]
    gifts = np.zeros((len(parameters), 4, 3), np.int8)
    seated = np.empty(4, np.int64)
    base, base_wins = np.empty(4, np.int64), np.empty(4, np.int64)
    for w in range(len(out)):
        _deal(dealt, r, engine, seed, first + w, streak_below)
        if noted:
            wrong = _note_gifts(hands, r, engine[0], policies, parameters, gifts)
            if wrong >= 0:
                return first + w, wrong
        for c in range(len(columns)):
            field = columns[c]
            hands[1] = dealt
            seated[:] = field
            if _play_seated(h, r, engine[0], policies, parameters, seated, gifts, noted) == ILLEGAL:
                return first + w, seated[h.seat]
            for s in range(4):
                base[s] = h.scores[s]
                base_wins[s] = _wins(h, s)
            for i in range(len(rows)):
                cell = out[w, c, i]
                cell[GAIN] = 0
                cell[GAIN_DEALER] = 0
                cell[WINS] = 0
                same = rows[i] == field
                for s in range(4):
                    if same != to_itself:
                        cell[WINS] += base_wins[s]
                        continue
                    hands[1] = dealt
                    seated[:] = field
                    seated[s] = rows[i]
                    if _play_seated(h, r, engine[0], policies, parameters, seated, gifts, noted) == ILLEGAL:
                        return first + w, seated[h.seat]
                    gain = h.scores[s] - base[s]
                    cell[GAIN] += gain
                    if s == dealt.dealer:
                        cell[GAIN_DEALER] += gain
                    cell[WINS] += _wins(h, s)
    return np.int64(len(out)), np.int64(-1)


@entry
def play_decisions(
    hands, rules, engine, policies, parameters, who, decider, decider_parameter, thresholds, seed, first, streak_below, out
):  # fmt: skip
    """Four seats of strategy `who` on walls `first`..; the dealer's decision taken by each rule and by a policy.

    Fills int32[n, rules + 1, N_DECISION] `out`: int64 `thresholds` are the shanten from which a rule exchanges again; the policy
    `decider` is the last. Returns (n, -1), or (wall, seat) where a policy broke the rules.
    """
    r = rules[0]
    h, branch = hands[0], hands[1]
    four, theirs = _four(policies, parameters, who)
    score = np.zeros((2, 2), np.int64)  # [start or exchange, dealer or others]
    for w in range(len(out)):
        for i in range(len(thresholds) + 1):
            for j in range(N_DECISION):
                out[w, i, j] = 0
        _deal(h, r, engine, seed, first + w, streak_below)
        if _play(h, r, engine[0], four, theirs, CHOICE) == ILLEGAL:
            return first + w, np.int64(h.seat)
        if h.phase != CHOICE:
            continue
        dealer = np.int64(h.dealer)
        for decision in range(2):
            hands[1] = h
            call(engine[0], (branch, r, EXCHANGE if decision else START))
            if _play(branch, r, engine[0], four, theirs, OVER) == ILLEGAL:
                return first + w, np.int64(branch.seat)
            score[decision, 0] = branch.scores[dealer]
            score[decision, 1] = 0
            for s in range(4):
                if s != dealer:
                    score[decision, 1] += branch.scores[s]
        chosen = call(decider, (h, r, decider_parameter))
        if chosen != START and chosen != EXCHANGE:
            return first + w, dealer
        for i in range(len(thresholds) + 1):
            if i < len(thresholds):
                decision = 1 if h.shanten_at[AFTER_FIRST, dealer] >= thresholds[i] else 0
            else:
                decision = 1 if chosen == EXCHANGE else 0
            out[w, i, 0] = decision
            out[w, i, 1] = score[decision, 0]
            out[w, i, 2] = score[decision, 1]
    return np.int64(len(out)), np.int64(-1)
