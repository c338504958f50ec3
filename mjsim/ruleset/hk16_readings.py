"""Readings of a complete hand under `hk16`: splits and places of the winning tile, Nico Nico, 13 and 16 Orphans.

Owns the rows that depend on the reading (`hk16_rows`); the grouping of Sheungs is in `hk16_sheungs`, what holds in every
reading in `hk16`.
"""

from __future__ import annotations

import numpy as np

from mjsim.jit import kernel, lowest_bit, popcount
from mjsim.ruleset.hk16_items import (
    ALL_PONG,
    ALL_SHEUNG,
    ALL_STEP_UP,
    CALLING_BY_PAIRS,
    CONCEALED_PONGS,
    FOUR_IN_WAYS,
    GOOD_EYES,
    NICO_NICO,
    NO_FLOWERS_HONOURS,
    ORPHANS_TERMINALS,
    SEQUENTIAL_PONGS,
    SISTER_PONGS,
    SIXTEEN_ORPHANS,
    STEP_UP,
    TERMINAL_PONGS,
    TERMINALS_ONLY,
    THIRTEEN_ORPHANS,
)
from mjsim.ruleset.hk16_rows import offer
from mjsim.ruleset.hk16_sheungs import group_sheungs, may_have_run
from mjsim.ruleset.reading import MAX_SPLITS, SPLIT, chow_holds, list_splits
from mjsim.ruleset.record import SELF_DRAW
from mjsim.shapes.special import ORPHANS, SEVEN_PAIRS
from mjsim.shapes.special import SIXTEEN_ORPHANS as HAS_SIXTEEN
from mjsim.shapes.special import THIRTEEN_ORPHANS as HAS_THIRTEEN

#: What a hand is whatever its reading.
FACTS = np.dtype(
    [
        ("present", np.uint64),  # kinds in hand and melds
        ("fours", np.uint64),  # suited kinds with four copies, not as a Gong
        ("meld_pongs", np.uint64),  # kinds of the Pongs and Gongs among the melds
        ("n_gongs", np.int8),
        ("n_open_gongs", np.int8),
        ("concealed_row", np.int8),  # number of `concealed_discard` or `concealed_self_draw`
        ("concealed", np.int16),  # points of that row, but for Nico Nico
        ("honours", np.bool_),  # there is one
        ("clean", np.bool_),  # no Flower, no Honour
        ("unsaid", np.bool_),  # nor two suits, a row that holds the points of that
        ("meld_sheungs", np.int8, 27),  # by their lowest tile
    ],
    align=True,
)

_ONE = np.uint64(1)
_NONE = np.uint64(0)
_SUITED = np.uint64((1 << 27) - 1)
_SUIT = np.uint64(0x1FF)
_ENDS = np.uint64(0x101)  # 1 and 9 of a suit
#: 123 and 789 of every suit by their lowest tiles.
_END_SHEUNGS = np.uint64(sum(0x41 << first for first in (0, 9, 18)))


@kernel
def _pong_rows(r, pongs, pair, rows):
    """Sequential, Sister and Terminal Pongs and All Pong, from the bits of all Pongs and Gongs."""
    tai = r.items
    rows[SEQUENTIAL_PONGS] = 0
    rows[SISTER_PONGS] = 0
    rows[TERMINAL_PONGS] = 0
    rows[ALL_PONG] = tai[ALL_PONG, 0] if popcount(pongs) == 5 else 0
    suited = pongs & _SUITED
    if suited & (suited - _ONE) == _NONE:
        return
    n_ends = 0
    once, twice, thrice = _NONE, _NONE, _NONE  # numbers with Pongs in so many suits
    for suit in range(3):
        numbers = suited >> np.uint64(9 * suit) & _SUIT
        thrice |= twice & numbers
        twice |= once & numbers
        once |= numbers
        if numbers & _ENDS == _ENDS:
            n_ends += 1
        # Maximal runs (ruling 46); only five look at the pair.
        length = 0
        for number in range(10 if numbers & numbers >> _ONE else 0):
            if numbers >> np.uint64(number) & _ONE:
                length += 1
                continue
            if length >= 2:
                beside = pair // 9 == suit and (pair % 9 == number or pair % 9 == number - 6)
                rows[SEQUENTIAL_PONGS] += tai[SEQUENTIAL_PONGS, length - 1 if length == 5 and beside else length - 2]
            length = 0
    rows[SISTER_PONGS] = popcount(twice & ~thrice) * tai[SISTER_PONGS, 0] + popcount(thrice) * tai[SISTER_PONGS, 1]
    if n_ends > 0:
        rows[TERMINAL_PONGS] = tai[TERMINAL_PONGS, n_ends - 1]


@kernel
def _split_rows(r, p, f, split, kinds, n_sheungs, rows):
    """Rows that depend on the split alone; `kinds` are the bits of the Sheungs by their lowest tiles."""
    tai = r.items
    pair = np.int64(split.pair)
    pongs = split.pungs | f.meld_pongs
    _pong_rows(r, pongs, pair, rows)
    rows[GOOD_EYES] = tai[GOOD_EYES, 0] if pair < 27 and pair % 3 == 1 else 0
    # Four copies (ruling 48): beside a Pong one Sheung, beside a pair two, else four.
    rows[FOUR_IN_WAYS] = 0
    fours = f.fours
    while fours:
        kind = lowest_bit(fours)
        fours &= fours - _ONE
        grade = 0 if pongs >> np.uint64(kind) & _ONE else (1 if kind == pair else 2)
        rows[FOUR_IN_WAYS] += tai[FOUR_IN_WAYS, grade]
    # Sheungs one number apart (rulings 30 and 50).
    numbers = (kinds | kinds >> np.uint64(9) | kinds >> np.uint64(18)) & np.uint64(0x7F)
    three = numbers & numbers >> _ONE & numbers >> np.uint64(2)
    five = three & three >> _ONE & three >> np.uint64(2) != _NONE
    rows[STEP_UP] = tai[STEP_UP, 0] if three and not five else 0
    rows[ALL_STEP_UP] = tai[ALL_STEP_UP, 0] if five else 0
    all_sheung = n_sheungs == 5
    rows[ALL_SHEUNG] = tai[ALL_SHEUNG, 1 if f.clean else 0] if all_sheung else 0
    rows[NO_FLOWERS_HONOURS] = tai[NO_FLOWERS_HONOURS, 0] if f.unsaid and not all_sheung else 0
    suited = pongs & _SUITED
    inner = (suited & ~ORPHANS) | (kinds & ~_END_SHEUNGS) | (_ONE << np.uint64(pair) & ~ORPHANS)
    ends = inner == _NONE and suited | kinds != _NONE
    rows[TERMINALS_ONLY] = tai[TERMINALS_ONLY, 0 if f.honours else 1] if ends else 0


@kernel
def standard_readings(r, p, facts, waits, rows, best):
    """Offer every reading as five sets and a pair; `waits` are bits of the kinds, `rows` is to work with."""
    f = facts[0]
    for row in range(len(rows)):
        rows[row] = 0
    rows[f.concealed_row] = f.concealed
    drawn = p.how == SELF_DRAW
    tile = np.int64(p.win_tile)
    sheungs = np.empty(27, np.int8)
    splits = np.empty(MAX_SPLITS, SPLIT)
    for i in range(list_splits(p.counts, 5 - p.n_melds, splits)):
        split = splits[i]
        kinds = _NONE
        hidden = _NONE  # kinds with a concealed Sheung
        shown = _NONE  # kinds with one that is not
        several = False
        n_sheungs = 0
        for k in range(27):
            n = split.chows[k] + f.meld_sheungs[k]
            sheungs[k] = n
            if n > 0:
                n_sheungs += n
                kinds |= _ONE << np.uint64(k)
                several |= n > 1
                hidden |= np.uint64(split.chows[k] > 0) << np.uint64(k)
                shown |= np.uint64(f.meld_sheungs[k] > 0) << np.uint64(k)
        _split_rows(r, p, f, split, kinds, n_sheungs, rows)
        # Places of the winning tile: Pong, pair, the Sheungs beginning at it and one or two below. Another's tile takes a
        # Pong or a Sheung from the concealed ones, the latter of weight to a run only; one's own changes nothing but
        # Calling by pairs, which is never less than nothing.
        run = may_have_run(kinds)
        grouped = -2  # the completed Sheung for which the grouping stands in `rows`
        plain = False
        for choice in range(5):
            completed = -1
            if choice == 0:
                there = split.pungs >> np.uint64(tile) & _ONE != _NONE
            elif choice == 1:
                there = split.pair == tile
            else:
                low = tile - (choice - 2)
                there = chow_holds(split, low, tile)
                if run and not drawn:
                    completed = low
            if not there or (choice > 0 and completed < 0 and plain):
                continue
            if completed < 0:
                plain = choice > 0 or drawn
            calls = choice == 0 and n_sheungs > 0 and waits >> np.uint64(split.pair) & _ONE != _NONE
            rows[CALLING_BY_PAIRS] = r.items[CALLING_BY_PAIRS, 0] if calls else 0
            n = f.n_gongs + split.n_pungs - (choice == 0 and not drawn)
            grade = 4 if n == 5 and drawn and f.n_open_gongs == 0 else n - 2
            rows[CONCEALED_PONGS] = r.items[CONCEALED_PONGS, grade] if n >= 2 else 0
            if grouped != completed:
                grouped = completed
                concealed = hidden
                exposed = shown
                if completed >= 0:
                    exposed |= _ONE << np.uint64(completed)
                    if split.chows[completed] == 1:
                        concealed &= ~(_ONE << np.uint64(completed))
                group_sheungs(r, sheungs, kinds, concealed, exposed, several, rows)
            offer(rows, best)


@kernel
def special_reading(r, p, facts, special, three, four, rows, best):
    """Offer the special hand of this bit (rulings 58, 60, 61); it is read in one way only.

    `three` and `four` are the bits of the kinds with so many copies or more; `rows` is to work with.
    """
    f = facts[0]
    tai = r.items
    for row in range(len(rows)):
        rows[row] = 0
    eyes = np.int64(p.win_tile)
    if special == SEVEN_PAIRS:
        n_gongs = popcount(four)
        rows[NICO_NICO] = tai[NICO_NICO, 2 if n_gongs > 2 else n_gongs]
        rows[NO_FLOWERS_HONOURS] = tai[NO_FLOWERS_HONOURS, 0] if f.unsaid else 0
        pong = three & ~four
        if pong & _SUITED and f.present & ~ORPHANS == _NONE:
            rows[TERMINALS_ONLY] = tai[TERMINALS_ONLY, 0 if f.honours else 1]
    else:
        eyes = 0
        rows[f.concealed_row] = f.concealed
    if special == HAS_THIRTEEN:
        rows[THIRTEEN_ORPHANS] = tai[THIRTEEN_ORPHANS, 0]
    elif special == HAS_SIXTEEN:
        while p.counts[eyes] != 2:
            eyes += 1
        rows[SIXTEEN_ORPHANS] = tai[SIXTEEN_ORPHANS, 0]
        if ORPHANS & ~f.present == _NONE:
            rows[ORPHANS_TERMINALS] = tai[ORPHANS_TERMINALS, 0]
    if eyes < 27 and eyes % 3 == 1:
        rows[GOOD_EYES] = tai[GOOD_EYES, 0]
    offer(rows, best)
