"""What `heuristic` thinks a hand is worth: expected tai of going on with these tiles.

Owns the estimate, not the choice: chances by tiles lacking, tiles that bring the hand nearer and turns left, times what a
win is worth at this table.

The unit of chance is the *hit*: one self-drawn winning tile; `live` hits more come from each other seat's discards. The
chances were fitted to about 190,000 decisions of hands against `greedy`.
"""

from __future__ import annotations

import numpy as np

from mjsim.agents.heuristic_sight import (
    AVOID,
    FAR_SHORT,
    FLUSH,
    GRAIN,
    LIVE,
    ONE_SHORT,
    PACE,
    PAIRS,
    PUNGS,
    TWO_SHORT,
    TWO_STEP,
    lose,
)
from mjsim.agents.racing import SUITS
from mjsim.flow.moves import bit, has
from mjsim.jit import call, kernel, lowest_bit
from mjsim.ruleset.record import BY_DISCARD, F_MIGI, POSITION, SCORE, SELF_DRAW, WIN_LEGAL
from mjsim.shapes.kernels import distance_changed, distance_keys, reaching, tables_at, ukeire_after
from mjsim.shapes.special import HONORS

#: Discards after which MIGI is no more.
MIGI_DISCARDS = 8


@kernel
def _pace(c, accepted):
    """Chance a turn to come nearer with so many weighed accepting copies."""
    return min(0.95, accepted * c.p[PACE] / c.total)


@kernel
def _far_hits(c, d, accepted, turns):
    """Expected hits with d tiles lacking and so many accepting copies."""
    q = _pace(c, accepted)
    out = 0.0
    for t in range(1, turns + 1):
        out = c.sigma[t] * (q * c.hits[d - 1, t - 1] + (1.0 - q) * out)
    return out


@kernel
def _near_hits(c, accepted, waits, turns):
    """Expected hits with two tiles lacking: after an accepting one `waits` copies are waited for."""
    q = _pace(c, accepted)
    x = waits / c.total
    stay = 1.0 - min(1.0, (1.0 + 3.0 * c.p[LIVE]) * x)
    ready = 0.0
    out = 0.0
    for t in range(1, turns + 1):
        out = c.sigma[t] * (q * ready + (1.0 - q) * out)
        ready = c.sigma[t] * (x + stay * ready)
    return out


@kernel
def enough(c, tai):
    """Chance that a win on a discard meets the minimum when so many tai are expected."""
    short = c.minimum - tai
    if short <= 0:
        return 1.0
    return c.p[ONE_SHORT] if short <= 1 else (c.p[TWO_SHORT] if short <= 2 else c.p[FAR_SHORT])


@kernel
def tai_of_hit(c, me, extra):
    """Tai that a hit brings, those of the discards that come with it included; `extra` tai of a plan."""
    tai = c.luck + c.ready + extra
    for i in range(7):
        if has(me.melded, 27 + i) or me.counts[27 + i] >= 3:
            tai += c.honor[i]
        elif me.counts[27 + i] == 2 and c.unseen[27 + i] > 0:
            tai += c.honor[i] * c.p[PAIRS]
    drawn = c.drawn
    if me.exposed == 0:
        tai += c.closed
        drawn += c.closed_drawn
    chance = enough(c, tai)
    lucky = 1.0 if chance < 1 else 0.0  # a win that meets the minimum has tai that were not expected
    # A win also spares what others' wins cost on average.
    by_draw = 3.0 * (c.base + tai + drawn) + c.share + c.p[AVOID]
    by_discard = c.base + tai + lucky + c.share / 3.0 + c.p[AVOID]
    return by_draw + 3.0 * c.p[LIVE] * chance * by_discard


@kernel
def one_suit(me):
    """The suit that all tiles but honors are of, or -1."""
    suits = me.suits & 7
    for i in range(3):
        if me.keys[i]:
            suits |= 1 << i
    if suits == 1:
        return 0
    if suits == 2:
        return 1
    return 2 if suits == 4 else -1


@kernel
def flush_tai(c, me):
    """Tai of a flush: half with honors that are of use, else most of a full one."""
    honors = 0
    for k in range(27, 34):
        honors += me.counts[k]
    return c.half if me.suits & 8 or honors >= 2 else c.half + 0.75 * (c.full - c.half)


@kernel
def _copies(c, kinds):
    """Weighed copies of the bits `kinds`."""
    total = 0
    while kinds:
        total += c.weight[lowest_bit(kinds)]
        kinds &= kinds - np.uint64(1)
    return total / GRAIN


@kernel
def flush_worth(c, t, me, suit, turns):
    """Expected tai of a flush of the suit, with the tiles that it can use."""
    if me.suits & 7 & ~(1 << suit):
        return 0.0
    keys = np.zeros(4, np.int32)
    keys[suit], keys[3] = me.keys[suit], me.keys[3]
    d = distance_keys(t, keys, me.need)
    if d >= c.rows or d == 0:
        return 0.0
    counts = np.zeros(34, np.int8)
    for k in range(9):
        counts[suit * 9 + k] = me.counts[suit * 9 + k]
    for k in range(27, 34):
        counts[k] = me.counts[k]
    accepted = reaching(t, counts, keys, me.need, d - 1) & (SUITS[suit] | HONORS)
    return c.p[FLUSH] * tai_of_hit(c, me, flush_tai(c, me)) * _far_hits(c, d, _copies(c, accepted), turns)


@kernel
def pungs_worth(c, me, turns):
    """Expected tai of all pungs."""
    if me.chows:
        return 0.0
    threes = 0
    twos = 0
    accepted = 0
    for k in range(34):
        if me.counts[k] >= 3:
            threes += 1
        elif me.counts[k] == 2:
            twos += 1
            accepted += c.weight[k]
    made = min(threes, me.need)
    half = min(twos, me.need - made)
    d = half + 2 * (me.need - made - half) + (0 if twos > half or threes > made else 1)
    if d == 0 or d >= c.rows:
        return 0.0
    return c.p[PUNGS] * tai_of_hit(c, me, c.pungs) * _far_hits(c, d, accepted / GRAIN, turns)


@kernel
def _best_waits(c, t, me):
    """With 17 tiles, ready after a discard: the most copies waited for."""
    ties = np.uint64(0)
    for k in range(34):
        if me.counts[k] > 0 and distance_changed(t, me.keys, me.need, k, -1) == 1:
            ties |= bit(k)
    waits = np.empty(34, np.int64)
    ukeire_after(t, me.keys, me.need, 0, ties, c.unseen, waits)
    best = 0
    while ties:
        best = max(best, waits[lowest_bit(ties)])
        ties &= ties - np.uint64(1)
    return best


@kernel
def near_worth(c, t, me, turns, extra):
    """Expected tai with 16 tiles and two lacking: every accepting tile, and the best waits that it leads to."""
    accepted = reaching(t, me.counts, me.keys, me.need, 1)
    copies = 0.0
    waits = 0.0
    while accepted:
        k = lowest_bit(accepted)
        accepted &= accepted - np.uint64(1)
        if c.unseen[k] <= 0:
            continue
        n = c.weight[k] / GRAIN
        copies += n
        lose(me, k, -1)
        c.unseen[k] -= 1
        waits += n * _best_waits(c, t, me)
        c.unseen[k] += 1
        lose(me, k, 1)
    if copies == 0:
        return 0.0
    return tai_of_hit(c, me, extra) * _near_hits(c, copies, waits / copies, turns)


@kernel
def ready_worth(h, r, s, c, t, me, declared, turns):
    """Expected tai of waiting with these 16 tiles: the scorer tells what each wait is worth, drawn or discarded."""
    waits = reaching(t, me.counts, me.keys, me.need, 0)
    if waits == np.uint64(0):
        return 0.0
    positions = np.empty(1, POSITION)
    scores = np.empty(1, SCORE)
    p = positions[0]  # `positions` and `scores` are named where they are used: a record does not keep its array alive
    for k in range(34):
        p.counts[k] = me.counts[k]
    p.n_melds = me.n_melds
    for i in range(5):
        p.meld_type[i] = me.meld_type[i]
        p.meld_tile[i] = me.meld_tile[i]
    p.seat = s
    p.dealer = h.dealer
    p.east = h.east
    p.prevailing = h.prevailing
    for i in range(3):
        p.dice[i] = h.dice[i]
    p.flowers = h.flowers[s]
    p.streak = h.streak
    p.discards = np.int64(h.n_discards) + 4
    p.flags = 0
    if declared:
        migi = r.migi and h.n_discards < MIGI_DISCARDS and h.any_claim == 0
        p.flags = F_MIGI if migi else np.int64(r.declaration)
    other = 0  # a seat that is neither this one nor the dealer
    while other == s or other == h.dealer:
        other += 1
    gain = 0.0
    chance = 0.0
    while waits:
        w = lowest_bit(waits)
        waits &= waits - np.uint64(1)
        n = float(c.unseen[w])
        if n <= 0:
            continue
        p.counts[w] += 1
        p.win_tile = w
        p.how = SELF_DRAW
        p.payer = -1
        if call(r.scorer, (positions[0], r, scores[0])) == WIN_LEGAL:
            gain += n * (scores[0].payments[s] + c.p[AVOID])
            chance += n
        n *= c.p[LIVE]
        p.how = BY_DISCARD
        p.payer = other
        if call(r.scorer, (positions[0], r, scores[0])) == WIN_LEGAL:
            times = n * (3.0 if s == h.dealer else 2.0)
            gain += times * (scores[0].payments[s] + c.p[AVOID])
            chance += times
        if s != h.dealer:
            p.payer = h.dealer
            if call(r.scorer, (positions[0], r, scores[0])) == WIN_LEGAL:
                gain += n * (scores[0].payments[s] + c.p[AVOID])
                chance += n
        p.counts[w] -= 1
    stay = 1.0 - min(1.0, chance / c.total)
    out = 0.0
    for i in range(1, turns + 1):
        out = c.sigma[i] * (gain / c.total + stay * out)
    return out


@kernel
def worth_without_discard(h, r, s, c, me, turns):
    """Expected tai with 16 tiles, the best plan counting."""
    t = tables_at(r.tables)
    suit = one_suit(me)
    extra = flush_tai(c, me) if suit >= 0 else 0.0
    d = distance_keys(t, me.keys, me.need)
    if d <= 1:
        return ready_worth(h, r, s, c, t, me, r.declare_ready, turns)
    if d == 2 and c.p[TWO_STEP] > 0:
        best = near_worth(c, t, me, turns, extra)
    elif d >= c.rows:
        best = 0.0
    else:
        accepted = _copies(c, reaching(t, me.counts, me.keys, me.need, d - 1))
        best = tai_of_hit(c, me, extra) * _far_hits(c, d, accepted, turns)
    if suit < 0 and c.p[FLUSH] > 0:
        for i in range(3):
            best = max(best, flush_worth(c, t, me, i, turns))
    if c.p[PUNGS] > 0:
        best = max(best, pungs_worth(c, me, turns))
    return best


@kernel
def worth_of_discards(h, r, s, c, me, allowed, ready, out):
    """Fill float64[34] `out` with the expected tai after each of the bits `allowed` (17 tiles).

    With those of `ready` the hand would be declared. A tile that only takes the hand further off is worth 0.
    """
    t = tables_at(r.tables)
    for k in range(34):
        out[k] = 0.0
    lowest = 99
    ties = np.uint64(0)
    rest = allowed
    while rest:
        k = lowest_bit(rest)
        rest &= rest - np.uint64(1)
        d = distance_changed(t, me.keys, me.need, k, -1)
        if d < lowest:
            lowest = d
            ties = np.uint64(0)
        if d == lowest:
            ties |= bit(k)
    suit = one_suit(me)
    extra = flush_tai(c, me) if suit >= 0 else 0.0
    accepted = np.empty(34, np.int64)
    ukeire_after(t, me.keys, me.need, lowest - 1, ties, c.weight, accepted)
    if lowest < c.rows:
        while ties:
            k = lowest_bit(ties)
            ties &= ties - np.uint64(1)
            lose(me, k, 1)
            if lowest <= 1:
                out[k] = ready_worth(h, r, s, c, t, me, has(ready, k), c.turns)
            elif lowest == 2 and c.p[TWO_STEP] > 0:
                out[k] = near_worth(c, t, me, c.turns, extra)
            else:
                out[k] = tai_of_hit(c, me, extra) * _far_hits(c, lowest, accepted[k] / GRAIN, c.turns)
            lose(me, k, -1)
    if suit < 0 and c.p[FLUSH] > 0:
        for i in range(3):
            useless = allowed & ~(SUITS[i] | HONORS)
            if useless:
                _raise(out, useless, flush_worth(c, t, me, i, c.turns))
    if c.p[PUNGS] > 0 and me.chows == 0:
        single = np.uint64(0)
        for k in range(34):
            if me.counts[k] == 1:
                single |= bit(k)
        _raise(out, allowed & single, pungs_worth(c, me, c.turns))


@kernel
def _raise(out, kinds, worth):
    """A plan is worth so much after losing any of `kinds`, which it has no use for; equals stay in their order."""
    while kinds:
        k = lowest_bit(kinds)
        kinds &= kinds - np.uint64(1)
        out[k] = max(out[k], worth + 0.02 * out[k])
