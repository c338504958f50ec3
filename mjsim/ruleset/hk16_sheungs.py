"""Grouping of the Sheungs of one reading under `hk16`: Dragon Run, Terminal pairs, Brothers, Sisters (rulings 49-56).

Every grouping is tried. With at most five Sheungs there are six Terminal pairs at most, so 64 choices of pairs, and nearly
all readings have one.
"""

from __future__ import annotations

import numpy as np

from mjsim.jit import kernel, lowest_bit, popcount
from mjsim.ruleset.hk16_items import (
    BROTHER_SHEUNGS,
    MIXED_DRAGON_RUN,
    PURE_DRAGON_RUN,
    SISTER_SHEUNGS,
    TERMINAL_SHEUNGS,
)

#: Suits of the 123, 456 and 789 of every Dragon Run: the pure ones, then the mixed ones.
_RUNS = np.array(
    [[s, s, s] for s in range(3)] + [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]], dtype=np.int64
)
_N_PURE = 3
#: Bits of the lowest tiles of the three.
_RUN_KINDS = np.array([sum(1 << 9 * int(suits[i]) + 3 * i for i in range(3)) for suits in _RUNS], dtype=np.uint64)
#: Most Terminal pairs of five Sheungs (two and three of a suit).
_MAX_PAIRS = 6
#: Place of the suit in the word of a pair, above eight bits for each suit.
_ABOVE = 24

#: Numbers of which a run consists, and Sheungs 123 of the three suits, as bits.
_RUN_NUMBERS = np.uint64(1 | 1 << 3 | 1 << 6)
_LOWS = np.uint64(1 | 1 << 9 | 1 << 18)
_SUIT = np.uint64(0x1FF)
_NONE = np.uint64(0)


@kernel
def _brothers_sisters(r, sheungs, used, found):
    """Points of the Brothers and of the Sisters into found[2] and found[3] (rulings 54 and 55).

    Four bits of `used` say for each 123 and 789 (by suit, lower first) which of them stand in a chosen pair.
    """
    brothers = r.items[BROTHER_SHEUNGS]
    sisters = r.items[SISTER_SHEUNGS]
    found[2] = 0
    found[3] = 0
    for number in range(7):
        total = 0
        n_suits = 0
        total_used = 0
        for suit in range(3):
            n = np.int64(sheungs[9 * suit + number])
            if n == 0:
                continue
            n_used = 0
            if number % 6 == 0:
                n_used = popcount(used >> np.uint64(8 * suit + number // 6 * 4) & np.uint64(15))
            total += n
            n_suits += 1
            total_used += n_used
            if n >= 2 and n_used < n:
                found[2] += 2 * brothers[0] if n == 3 and n_used == 2 else brothers[n - 2]
        if n_suits >= 2 and total_used < total:
            if total == 3 and n_suits == 3 and total_used == 2:
                found[3] += 2 * sisters[0]
            elif total == 3 and n_suits == 2:
                found[3] += sisters[0]
            else:
                found[3] += sisters[total - 2]


@kernel
def _best_pairs(r, sheungs, ends, run, found, best):
    """Fill int64[4] `best` with total, Terminal, Brother and Sister points of the best choice of Terminal pairs.

    `ends` are the bits of the 123s beside which stands a 789. `run` is the number of the Dragon Run, -1 without one; the
    first Sheung of a kind is the one that stands in it. Ties go to more Terminal points, then to more of the Brothers
    (ruling 41). `found` is int64[4] to work with.
    """
    pairs = np.empty(_MAX_PAIRS, np.int64)  # of each pair: bits of `used`, above them its suit
    n = 0
    barred = 0  # the pair of two Sheungs of the run
    of_run = 0  # the pairs of one
    n_highs = 0  # of a suit with two of both: all its pairs stand first then, and no other suit has any
    while ends:
        kind = lowest_bit(ends)
        ends &= ends - np.uint64(1)
        suit = kind // 9
        highs = np.int64(sheungs[kind + 6])
        if sheungs[kind] >= 2 and highs >= 2:
            n_highs = highs
        for i in range(sheungs[kind] * highs):
            low, high = i // highs, i % highs
            pairs[n] = (1 << low | 16 << high) << 8 * suit | suit << _ABOVE
            if run >= 0:
                low_runs = low == 0 and _RUNS[run, 0] == suit
                high_runs = high == 0 and _RUNS[run, 2] == suit
                if low_runs and high_runs:
                    barred |= 1 << n
                elif low_runs or high_runs:
                    of_run |= 1 << n
            n += 1
    values = r.items[TERMINAL_SHEUNGS]
    best[0] = -1
    for chosen in range(1 << n):
        if chosen & barred:
            continue
        used = 0
        n_chosen = 0
        n_merged = 0  # pairs that stand in a row of four
        merged = 0  # and its points
        rest = np.uint64(chosen)
        while rest:
            i = lowest_bit(rest)
            rest &= rest - np.uint64(1)
            used |= pairs[i]
            n_chosen += 1
            for j in range(i):
                if not chosen >> j & 1:
                    continue
                if pairs[j] >> _ABOVE != pairs[i] >> _ABOVE:
                    if not (of_run >> i & of_run >> j & 1):
                        n_merged = 2
                        merged = np.int64(values[1])
                elif n_highs and j // n_highs < i // n_highs and j % n_highs < i % n_highs:
                    # Pairs of two 123s and of two 789s: the other two pairs of these four make the row.
                    others = 1 << i // n_highs * n_highs + j % n_highs | 1 << j // n_highs * n_highs + i % n_highs
                    if chosen & others == others:
                        n_merged = 4
                        merged = np.int64(values[2])
        _brothers_sisters(r, sheungs, np.uint64(used), found)
        found[1] = merged + (n_chosen - n_merged) * values[0]
        total = found[1] + found[2] + found[3]
        if total < best[0]:
            continue
        if total > best[0] or found[1] > best[1] or (found[1] == best[1] and found[2] > best[2]):
            best[0] = total
            for i in range(1, len(best)):
                best[i] = found[i]


@kernel
def may_have_run(kinds):
    """Whether Sheungs of these kinds (bits of their lowest tiles) have all numbers of a Dragon Run."""
    numbers = kinds | kinds >> np.uint64(9) | kinds >> np.uint64(18)
    return numbers & _RUN_NUMBERS == _RUN_NUMBERS


@kernel
def group_sheungs(r, sheungs, kinds, concealed, exposed, several, rows):
    """Write the Sheung rows of the best grouping into `rows`.

    `sheungs[27]` counts the Sheungs of hand and melds by their lowest tile; `kinds` are the bits of those there are,
    `concealed` of those of which one is concealed, `exposed` of those of which one is not; `several` says whether a kind is
    there twice or more.
    """
    for row in range(PURE_DRAGON_RUN, SISTER_SHEUNGS + 1):
        rows[row] = 0
    runs = may_have_run(kinds)
    ends = kinds & kinds >> np.uint64(6) & _LOWS
    m, p, s = kinds & _SUIT, kinds >> np.uint64(9) & _SUIT, kinds >> np.uint64(18)
    if not (runs or ends or several or (m & p) | (m & s) | (p & s)):
        return
    points = np.empty(len(_RUNS), np.int64)
    most = -1
    for run in range(len(_RUNS) if runs else 0):
        points[run] = -1
        if _RUN_KINDS[run] & ~kinds == _NONE:
            item = PURE_DRAGON_RUN if run < _N_PURE else MIXED_DRAGON_RUN
            if _RUN_KINDS[run] & exposed:
                points[run] = r.items[item, 0]
            if _RUN_KINDS[run] & ~concealed == _NONE:
                points[run] = max(points[run], np.int64(r.items[item, 1]))
            most = max(most, points[run])
    # Ruling 49: one of the runs with the most points, whichever leaves the best pairs; no run if there is none.
    best = -1
    result = np.empty(4, np.int64)
    found = np.empty(4, np.int64)
    for run in range(0 if most >= 0 else -1, len(_RUNS) if most >= 0 else 0):
        if run >= 0 and points[run] != most:
            continue
        _best_pairs(r, sheungs, ends, run, found, result)
        row = PURE_DRAGON_RUN if run < _N_PURE else MIXED_DRAGON_RUN
        better = result[0] > best
        # Equal totals: the pure run, which comes first, stays; of two mixed ones more Terminal points, then Brothers.
        if result[0] == best and (most == 0 or rows[row] == most):
            better = result[1] > rows[TERMINAL_SHEUNGS] or (
                result[1] == rows[TERMINAL_SHEUNGS] and result[2] > rows[BROTHER_SHEUNGS]
            )
        if better:
            best = result[0]
            rows[PURE_DRAGON_RUN] = 0
            rows[MIXED_DRAGON_RUN] = 0
            rows[row] = max(most, 0)
            rows[TERMINAL_SHEUNGS] = result[1]
            rows[BROTHER_SHEUNGS] = result[2]
            rows[SISTER_SHEUNGS] = result[3]
        if not ends:
            break
