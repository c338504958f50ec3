"""Everything that is wrong with a HAND record: `check(record)` lists it, an empty list means that it is sound.

Owns the invariants of a hand in play, in plain Python and apart from the flow that must keep them: for tests, and for
whoever writes a flow or an agent. It does not judge whether a play was legal: that is what transcripts and the replay are for.

Here are the ranges and the order of the parts; `check_table` looks at tiles and their caches, `check_asked` at the
question that is put, `check_end` at payments and the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mjsim.check_asked import asked
from mjsim.check_end import result
from mjsim.check_plain import SEATS, Plain
from mjsim.check_table import table
from mjsim.hand_record import (
    DECLARED_MIGI,
    END_WIN,
    MAX_DISCARDS,
    MAX_INSTANTS,
    MAX_SETTLEMENTS,
    OVER,
)
from mjsim.melds import CHOW, MELD_NAMES
from mjsim.ruleset import Rules
from mjsim.ruleset.record import N_ITEMS
from mjsim.tiles import N_KINDS, N_TILES, TEXT

#: Least number of tiles dealt: 16 to each seat.
DEALT = 64


def check(record: np.void, rules: Rules | None = None) -> list[str]:
    """List all that is wrong with a hand's record (one element of a HAND array).

    Args:
        record: a hand that has begun, at a decision or over; `Hand.record`.
        rules: its rules, for what depends on them (tiles kept back, exchange, who may be konged from, payments).

    Returns one text for each fault found. The record is not changed.
    """
    h = Plain(record, rules)
    faults = list(_ranges(h))
    if faults:
        # What follows indexes by these numbers.
        return faults
    faults += table(h)
    if h.phase != OVER:
        faults += asked(h)
    faults += result(h)
    return faults


def _ranges(h: Any) -> Iterator[str]:
    """Numbers that must lie in a range, whatever the phase."""
    for name, low, high in (
        ("phase", 0, OVER),
        ("dealer", 0, 3),
        ("east", 0, 3),
        ("turn", 0, 3),
        ("prevailing", 0, 3),
        ("streak", 0, 32_767),
        ("pool", 0, 2**31),
        ("next_pool", 0, 2**31),
        ("hand", 0, 2**62),
        ("match", 0, 2**62),
        ("head", DEALT, N_TILES),
        ("tail", 0, N_TILES),
        ("n_discards", 0, MAX_DISCARDS),
        ("n_flowers", 0, 8),
        ("n_instants", 0, MAX_INSTANTS),
        ("n_settlements", 0, MAX_SETTLEMENTS),
        ("n_decisions", 0, 2**31),
        ("end", 0, END_WIN),
        ("match_over", 0, 1),
        ("round", 0, 2),
        ("n_given", 0, 2),
        ("drawn", -1, N_KINDS - 1),
        ("drawn_at", -1, N_TILES - 1),
        ("turn_kongs", 0, 5),
        ("case_one", -1, 3),
        ("flower_due", -1, 3),
        ("resume", -1, 3),
        ("claim_tile", -1, N_KINDS - 1),
        ("claim_from", -1, 3),
        ("kong_ban", 0, 1),
        ("claim_turn", 0, 1),
        ("replacement", 0, 1),
        ("any_claim", 0, 1),
        ("win_legal", 0, 1),
        ("lacks", 0, 17),
        ("seat", -1 if h.phase == OVER else 0, -1 if h.phase == OVER else 3),
    ):
        value = getattr(h, name)
        if not low <= value <= high:
            yield f"{name}: {value} is outside {low}..{high}"
    if h.head > h.tail:
        yield f"head {h.head} is beyond tail {h.tail}"
    if not all(1 <= die <= 6 for die in h.dice):
        yield f"dice: {h.dice}"
    for name, low, high in (
        ("n_melds", 0, 5),
        ("n_exposed", 0, 5),
        ("declared", 0, DECLARED_MIGI),
        ("declared_at", -1, MAX_DISCARDS - 1),
        ("last_discard", -1, N_KINDS - 1),
        ("n_discards_of", 0, MAX_DISCARDS),
        ("skipped_win", 0, 1),
        ("stopped", 0, 1),
        ("bouquets", 0, 7),
        ("distance", 0, 17),
    ):
        for s in SEATS:
            value = getattr(h, name)[s]
            if not low <= value <= high:
                yield f"{name}[{s}]: {value} is outside {low}..{high}"
    for s in SEATS:
        yield from _ranges_of_seat(h, s)
    for i in range(max(0, min(h.n_discards, MAX_DISCARDS))):
        if not 0 <= h.discards[i] < N_KINDS or h.discarder[i] not in SEATS or not -1 <= h.discard_taken[i] <= 3:
            yield f"discard {i}: kind {h.discards[i]} of seat {h.discarder[i]}, taken by {h.discard_taken[i]}"
    for i in range(max(0, min(h.n_instants, MAX_INSTANTS))):
        item, winner, payer = h.instant_item[i], h.instant_winner[i], h.instant_payer[i]
        if not 0 <= item < N_ITEMS or not -1 <= winner <= 3 or not -1 <= payer <= 3:
            yield f"instant {i}: item {item} to seat {winner} from seat {payer}"


def _ranges_of_seat(h: Any, s: int) -> Iterator[str]:
    for k in range(N_KINDS):
        if not 0 <= h.counts[s][k] <= 4:
            yield f"counts[{s}]: {h.counts[s][k]} of {TEXT[k]}"
        if not 0 <= h.melded[s][k] <= 4:
            yield f"melded[{s}]: {h.melded[s][k]} of {TEXT[k]}"
    for name in ("skipped_pung", "passed"):
        if getattr(h, name)[s] >> N_KINDS:
            yield f"{name}[{s}]: bits beyond the kinds"
    for i in range(min(5, max(0, h.n_melds[s]))):
        if not 0 <= h.meld_type[s][i] < len(MELD_NAMES) or not 0 <= h.meld_tile[s][i] < N_KINDS:
            yield f"meld {i} of seat {s}: type {h.meld_type[s][i]} of kind {h.meld_tile[s][i]}"
        elif h.meld_type[s][i] == CHOW and (h.meld_tile[s][i] >= 27 or h.meld_tile[s][i] % 9 > 6):
            yield f"meld {i} of seat {s}: a chow from {TEXT[h.meld_tile[s][i]]} up"
