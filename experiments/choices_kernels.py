"""The compiled loops of `study choices`: hands of one agent, and what another would have done at the same decisions.

Owns what is counted. Knows no agent (policies come as addresses, or their answers as arrays) and no statistics.
"""

from __future__ import annotations

import numpy as np

from mjsim.actions import (
    BEGIN,
    CHOW_HIGH,
    CHOW_LOW,
    DECLARE,
    DISCARD,
    EXCHANGE,
    FLOWER_WIN,
    GIVE,
    KONG,
    N_ACTIONS,
    OWN_KONG,
    PUNG,
    READY,
    W_KONG,
    W_READY,
    WIN,
)
from mjsim.flow.engine import is_legal
from mjsim.flow.lacking import lack_of, ukeire_of_discards
from mjsim.flow.luck import draw_standing
from mjsim.flow.moves import add_tile, has, remove_tiles
from mjsim.flow.turn import MIGI_DISCARDS
from mjsim.flow.visible import unseen_by
from mjsim.hand_record import CHOICE, CLAIM, FLOWER, ROB, TURN
from mjsim.hand_record import DECLARE as DECLARE_PHASE
from mjsim.hand_record import GIVE as GIVE_PHASE
from mjsim.jit import call, entry, kernel, lowest_bit
from mjsim.observe import N_ROWS
from mjsim.play import ILLEGAL, play_on, tell_end

#: Kinds of decisions: each is of one. A gift of three tiles is one decision.
KINDS = ("gift", "choice", "turn", "claim", "flower", "call")
GIFT_KIND, CHOICE_KIND, TURN_KIND, CLAIM_KIND, FLOWER_KIND, CALL_KIND = range(len(KINDS))

#: What may be on offer beside a discard or a pass; but for a win only where no win is on offer.
OFFERS = (
    "win",
    "ready",
    "migi",
    "original_call",
    "concealed_kong",
    "added_kong",
    "chow",
    "pung",
    "claimed_kong",
)
(
    WIN_OFFER, READY_OFFER, MIGI_OFFER, CALL_OFFER, CONCEALED_OFFER, ADDED_OFFER, CHOW_OFFER, PUNG_OFFER, KONG_OFFER,
) = range(len(OFFERS))  # fmt: skip

#: Classes of tiles that are given.
CLASSES = ("terminal", "near_terminal", "middle", "own_wind", "other_wind", "dragon")
TERMINAL, NEAR_TERMINAL, MIDDLE, OWN_WIND, OTHER_WIND, DRAGON = range(len(CLASSES))

#: Shanten of a dealer that decides: 0 or less, 1, ..., 6 or more.
N_SHANTEN = 7
#: Copies waited for after the best declaring discard: none, 1-2, 3-4, ..., 9 and more.
N_WAITS = 6
#: Discards at the table so far: 0-7, 8-15, ..., 40 and more.
N_TIMES, TIME = 6, 8

#: Of a question that is answered by yes or no: asked, yes of A, yes of B, yes of both.
YES_NO = ("n", "a", "b", "both")


def _names() -> tuple[str, ...]:
    names = [f"{kind}.{what}" for kind in (*KINDS, "discard") for what in ("n", "same")]
    names += [f"{offer}.{what}" for offer in OFFERS for what in (*YES_NO, "same")]
    for rows, n in (("dealer", N_SHANTEN), ("wait", N_WAITS), ("time", N_TIMES), ("first_ready", 1)):
        names += [f"{rows}.{row}.{what}" for row in range(n) for what in YES_NO]
    names += ["pung_instead.a", "pung_instead.b", "copies.a", "copies.b"]
    for e in range(2):
        names += [f"gift{e}.{what}" for what in ("n", "common0", "common1", "common2", "common3")]
        names += [f"gift{e}.{kind}.{whose}" for whose in ("held", "a", "b") for kind in (*CLASSES, "paired")]
        names += [f"gift{e}.shanten.a", f"gift{e}.shanten.b", f"gift{e}.nearer", f"gift{e}.equal", f"gift{e}.further"]
    return tuple(names)


#: What is counted in a hand, by name.
COUNTERS = _names()
AT = {name: i for i, name in enumerate(COUNTERS)}
N_COUNTERS = len(COUNTERS)

_N_KINDS, _N_OFFER, _N_ROW = 2, len(YES_NO) + 1, len(YES_NO)
_DISCARDS, _OFFERS = AT["discard.n"], AT["win.n"]
_DEALER, _WAIT, _TIME, _FIRST = AT["dealer.0.n"], AT["wait.0.n"], AT["time.0.n"], AT["first_ready.0.n"]
_PUNG_A, _PUNG_B, _COPIES_A, _COPIES_B = (AT[n] for n in ("pung_instead.a", "pung_instead.b", "copies.a", "copies.b"))
# Of a gift, from the beginning of its exchange on.
_GIFT, _GIFT_SIZE = AT["gift0.n"], AT["gift1.n"] - AT["gift0.n"]
_COMMON, _HELD, _GIVEN_A, _GIVEN_B = (
    AT[f"gift0.{n}"] - _GIFT for n in ("common0", "terminal.held", "terminal.a", "terminal.b")
)
_PAIRED = len(CLASSES)
_SHANTEN_A, _SHANTEN_B, _NEARER, _EQUAL, _FURTHER = (
    AT[f"gift0.{n}"] - _GIFT for n in ("shanten.a", "shanten.b", "nearer", "equal", "further")
)


# ---- what is counted ---------------------------------------------------------------------------------------------------


@kernel
def _yes_no(out, at, a, b):
    """Count a question: at `at` its number, yes of A, yes of B, yes of both."""
    out[at] += 1
    if a:
        out[at + 1] += 1
    if b:
        out[at + 2] += 1
    if a and b:
        out[at + 3] += 1


@kernel
def _offer(out, offer, a, b, same):
    """Count something on offer; `same` tells whether both take it in the same way, or neither."""
    at = _OFFERS + offer * _N_OFFER
    _yes_no(out, at, a, b)
    if same:
        out[at + _N_OFFER - 1] += 1


@kernel
def _class_of(h, s, k):
    """The class of a kind for seat s."""
    if k >= 31:
        return DRAGON
    if k >= 27:
        own = k == 27 + (s - h.east) % 4 or k == 27 + h.prevailing
        return OWN_WIND if own else OTHER_WIND
    rank = k % 9
    if rank == 0 or rank == 8:
        return TERMINAL
    return NEAR_TERMINAL if rank == 1 or rank == 7 else MIDDLE


@kernel
def _given(h, r, s, gift, out, at):
    """Count the classes of the three tiles of a gift; returns the shanten of what is kept."""
    for j in range(3):
        k = gift[j]
        out[at + _class_of(h, s, k)] += 1
        if h.counts[s, k] >= 2:
            out[at + _PAIRED] += 1
    for j in range(3):
        remove_tiles(h, s, gift[j], 1)
    lack = lack_of(h, r, s)
    for j in range(3):
        add_tile(h, s, gift[j])
    return lack - 1


@kernel
def _count_gift(h, r, s, mine, theirs, out):
    """Count the gifts int64[3] of both, at the first tile of seat s's gift."""
    at = _GIFT + h.round * _GIFT_SIZE
    out[at] += 1
    common = 0
    taken = 0
    for i in range(3):
        for j in range(3):
            if not taken >> j & 1 and mine[i] == theirs[j]:
                taken |= 1 << j
                common += 1
                break
    out[at + _COMMON + common] += 1
    out[_N_KINDS * GIFT_KIND] += 1
    if common == 3:
        out[_N_KINDS * GIFT_KIND + 1] += 1
    for k in range(34):
        n = h.counts[s, k]
        if n:
            out[at + _HELD + _class_of(h, s, k)] += n
            if n >= 2:
                out[at + _HELD + _PAIRED] += n
    a = _given(h, r, s, mine, out, at + _GIVEN_A)
    b = _given(h, r, s, theirs, out, at + _GIVEN_B)
    out[at + _SHANTEN_A] += a
    out[at + _SHANTEN_B] += b
    out[at + (_NEARER if a < b else _EQUAL if a == b else _FURTHER)] += 1


@kernel
def _count_ready(h, r, s, mine, theirs, offered, shown, unseen, copies, out):
    """Count a declaration that is on offer, with what it would wait for."""
    a = READY <= mine < OWN_KONG
    b = READY <= theirs < OWN_KONG
    migi = r.migi and h.n_discards < MIGI_DISCARDS and h.any_claim == 0
    _offer(out, MIGI_OFFER if migi else READY_OFFER, a, b, a == b)
    unseen_by(h, r, s, unseen)
    ukeire_of_discards(h, r, s, offered, 0, unseen, copies)
    best = np.int64(0)
    rest = offered
    while rest:
        best = max(best, copies[lowest_bit(rest)])
        rest &= rest - np.uint64(1)
    _yes_no(out, _WAIT + _N_ROW * min((best + 1) // 2, N_WAITS - 1), a, b)
    _yes_no(out, _TIME + _N_ROW * min(np.int64(h.n_discards) // TIME, N_TIMES - 1), a, b)
    if not shown[s]:
        shown[s] = 1
        _yes_no(out, _FIRST, a, b)
    if a:
        out[_COPIES_A] += copies[mine - READY]
    if b:
        out[_COPIES_B] += copies[theirs - READY]


@kernel
def _count_turn(h, r, s, mine, theirs, shown, unseen, copies, out):
    """Count what is on offer at a turn on which the seat cannot win."""
    for offer in (CONCEALED_OFFER, ADDED_OFFER):
        offered = h.legal[W_KONG] & (h.quads[s] if offer == CONCEALED_OFFER else ~h.quads[s])
        if offered:
            a = OWN_KONG <= mine < GIVE and has(offered, mine - OWN_KONG)
            b = OWN_KONG <= theirs < GIVE and has(offered, theirs - OWN_KONG)
            _offer(out, offer, a, b, a == b and (not a or mine == theirs))
    if h.legal[W_READY]:
        _count_ready(h, r, s, mine, theirs, h.legal[W_READY], shown, unseen, copies, out)
    if mine < OWN_KONG and theirs < OWN_KONG and not h.declared[s]:
        out[_DISCARDS] += 1
        if (mine - DISCARD) % 34 == (theirs - DISCARD) % 34:
            out[_DISCARDS + 1] += 1


@kernel
def _count_claim(h, mine, theirs, out):
    """Count what is on offer of a discard that the seat cannot win with."""
    chow = False
    for form in range(CHOW_LOW, CHOW_HIGH + 1):
        chow = chow or is_legal(h, form)
    if chow:
        a = CHOW_LOW <= mine <= CHOW_HIGH
        b = CHOW_LOW <= theirs <= CHOW_HIGH
        _offer(out, CHOW_OFFER, a, b, a == b and (not a or mine == theirs))
    if is_legal(h, PUNG):
        _offer(out, PUNG_OFFER, mine == PUNG, theirs == PUNG, (mine == PUNG) == (theirs == PUNG))
    if is_legal(h, KONG):
        _offer(out, KONG_OFFER, mine == KONG, theirs == KONG, (mine == KONG) == (theirs == KONG))
        if mine == PUNG:
            out[_PUNG_A] += 1
        if theirs == PUNG:
            out[_PUNG_B] += 1


@kernel
def _kind_of(h):
    """The kind of the decision, which is no gift."""
    if h.phase == CHOICE:
        return CHOICE_KIND
    if h.phase == TURN:
        return TURN_KIND
    if h.phase == CLAIM or h.phase == ROB:
        return CLAIM_KIND
    return FLOWER_KIND if h.phase == FLOWER else CALL_KIND


@kernel
def _count(h, r, s, mine, theirs, shown, unseen, copies, out):
    """Count a decision that is no gift."""
    kind = _N_KINDS * _kind_of(h)
    out[kind] += 1
    if mine == theirs:
        out[kind + 1] += 1
    if is_legal(h, WIN) or is_legal(h, FLOWER_WIN):
        a = mine == WIN or mine == FLOWER_WIN
        b = theirs == WIN or theirs == FLOWER_WIN
        _offer(out, WIN_OFFER, a, b, a == b and (not a or mine == theirs))
    elif h.phase == CHOICE:
        shanten = min(max(lack_of(h, r, s) - 1, 0), N_SHANTEN - 1)
        _yes_no(out, _DEALER + _N_ROW * shanten, mine == EXCHANGE, theirs == EXCHANGE)
    elif h.phase == TURN:
        _count_turn(h, r, s, mine, theirs, shown, unseen, copies, out)
    elif h.phase == CLAIM:
        _count_claim(h, mine, theirs, out)
    elif h.phase == DECLARE_PHASE:
        _offer(out, CALL_OFFER, mine == DECLARE, theirs == DECLARE, mine == theirs)


# ---- the loops ---------------------------------------------------------------------------------------------------------

#: Addresses in `engine`, in this order.
APPLY, LAY, OBSERVE, MASK = range(4)


@kernel
def _begin(h, r, engine, seed, wall, streak_below):
    """Begin the hand of a wall; every seat draws from the stream of that wall, whoever decides for it."""
    h.pool = 0
    h.own_streams = 0
    draw_standing(h, r, engine[LAY], seed, wall, streak_below)
    call(engine[APPLY], (h, r, BEGIN))


@entry
def begin_hand(hands, lane, rules, engine, seed, wall, streak_below):
    """Begin the hand of a wall in the record hands[lane]."""
    _begin(hands[lane], rules[0], engine, seed, wall, streak_below)


@entry
def play_hands(hands, rules, engine, policies, parameters, seed, first, streak_below, logs, lengths):
    """Play walls first, first + 1, ...; every decision is recorded in DECISION[n, MAX_DECISIONS] `logs`.

    Fills int64[n] `lengths` with the decisions of each hand. int64[8] `policies` (see `mjsim.play.tell_end`) and int64[4]
    `parameters` are addresses. Returns (hands played, -1), or (wall, seat) where a policy broke the rules.
    """
    h = hands[0]
    r = rules[0]
    for i in range(len(lengths)):
        _begin(h, r, engine, seed, first + i, streak_below)
        n = play_on(h, r, engine[APPLY], policies, parameters, logs[i], True)
        if n == ILLEGAL:
            return first + i, np.int64(h.seat)
        lengths[i] = n
    return np.int64(len(lengths)), np.int64(-1)


@entry
def write_questions(hands, rules, engine, seed, first, streak_below, logs, lengths, observations, masks, starts):
    """Play logged hands again and write what is asked, for an agent that answers many questions at once.

    `observations` and `masks` are addresses of int8[n, N_ROWS, 34] and int8[n, N_ACTIONS]; they get a row for each decision that is
    no gift. HAND[m] `starts` gets the record at the first tile of each gift. Returns (rows, gifts).
    """
    h = hands[0]
    r = rules[0]
    n = 0
    gifts = 0
    for i in range(len(lengths)):
        _begin(h, r, engine, seed, first + i, streak_below)
        for d in range(lengths[i]):
            if h.phase != GIVE_PHASE:
                me = np.int64(h.seat)
                call(engine[OBSERVE], (h, r, me, observations + n * N_ROWS * 34, 1))
                call(engine[MASK], (h, me, masks + n * N_ACTIONS))
                n += 1
            elif h.n_given == 0:
                starts[gifts] = h
                gifts += 1
            call(engine[APPLY], (h, r, np.int64(logs[i, d].action)))
    return n, gifts


@kernel
def _own_gift(hands, r, engine, policies, parameters, gift):
    """Fill int64[3] `gift` with what the policy of the seat gives when it gives all three; hands[1] is scratch. False: illegal."""
    h = hands[0]
    s = np.int64(h.seat)
    hands[1] = h
    for j in range(3):
        action = call(policies[s], (h, r, parameters[s]))
        gift[j] = action - GIVE
        if action < 0 or call(engine[APPLY], (h, r, action)) != 0:
            return False
    # What it has drawn is drawn: an agent that draws goes on in its stream as the one that played did.
    drawn = h.rng[s]
    hands[0] = hands[1]
    h.rng[s] = drawn
    return True


@entry
def review(hands, rules, engine, policies, parameters, answers, gifts, seed, first, streak_below, logs, lengths, out):
    """Play the logged hands of B again, ask A at every decision, and fill int32[n, N_COUNTERS] `out`.

    int64[8] `policies` and int64[4] `parameters` are A's addresses. Where they are 0 its answers stand in int64[rows] `answers`
    and int64[gifts, 3] `gifts` (kinds), in the order of `write_questions`. HAND[2] `hands` is scratch. Returns (hands, -1), or
    (wall, seat) where A broke the rules.
    """
    h = hands[0]
    r = rules[0]
    mine = np.empty(3, np.int64)
    theirs = np.empty(3, np.int64)
    unseen = np.empty(34, np.int8)
    copies = np.zeros(34, np.int64)
    shown = np.zeros(4, np.int8)  # seats that have been offered a declaration in this hand
    asked = policies[0] != 0
    row = 0
    gift = 0
    for i in range(len(lengths)):
        for c in range(N_COUNTERS):
            out[i, c] = 0
        for s in range(4):
            shown[s] = 0
        _begin(h, r, engine, seed, first + i, streak_below)
        for d in range(lengths[i]):
            seat = np.int64(h.seat)
            action = np.int64(logs[i, d].action)
            if h.phase != GIVE_PHASE:
                answer = call(policies[seat], (h, r, parameters[seat])) if asked else answers[row]
                row += 1
                if not is_legal(h, answer):
                    return first + i, seat
                _count(h, r, seat, answer, action, shown, unseen, copies, out[i])
            elif h.n_given == 0:
                for j in range(3):
                    theirs[j] = np.int64(logs[i, d + j].action) - GIVE
                    if not asked:
                        mine[j] = gifts[gift, j]
                if asked and not _own_gift(hands, r, engine, policies, parameters, mine):
                    return first + i, seat
                gift += 1
                _count_gift(h, r, seat, mine, theirs, out[i])
            call(engine[APPLY], (h, r, action))
        tell_end(h, r, policies, parameters)
    return np.int64(len(lengths)), np.int64(-1)
