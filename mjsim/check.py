"""Everything that is wrong with a HAND record: `check(record)` lists it, an empty list means that it is sound.

Owns the invariants of a hand in play, in plain Python and apart from the flow that must keep them: for tests, and for
whoever writes a flow or an agent. It does not judge whether a play was legal: that is what transcripts and the replay are for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from mjsim.actions import (
    CHOW_HIGH,
    CHOW_LOW,
    EXCHANGE,
    FLOWER_WIN,
    KONG,
    OTHER,
    PASS,
    PUNG,
    START,
    W_DISCARD,
    W_GIVE,
    W_KONG,
    W_OTHER,
    W_READY,
    WIN,
)
from mjsim.hand_record import (
    AFTER_FIRST,
    AT_END,
    AT_START,
    CHOICE,
    CLAIM,
    DECLARED_MIGI,
    END_DRAW,
    END_FLOWER,
    END_WIN,
    FLOWER,
    GIVE,
    MAX_DISCARDS,
    MAX_SETTLEMENTS,
    OVER,
    PHASES,
    ROB,
    TURN,
)
from mjsim.melds import CHOW, KONG_CONCEALED, MELD_NAMES, MELD_PUNG, meld_tiles
from mjsim.ruleset import Rules
from mjsim.ruleset.record import ROB_KONG, S_FLOWER, S_WIN
from mjsim.shapes.public import shanten
from mjsim.tiles import FIRST_FLOWER, FULL_SET, N_KINDS, N_TILES, TEXT

SEATS = range(4)
DEALT = 65
MIGI_DISCARDS = 8
_POWER = [5 ** (k % 9 if k < 27 else k - 27) for k in range(N_KINDS)]


def _bits(kinds: Any) -> int:
    return sum(1 << int(k) for k in kinds)


def _kinds(word: int) -> list[int]:
    return [k for k in range(64) if word >> k & 1]


def _text(kinds: Any) -> str:
    return " ".join(TEXT[k] if k < len(TEXT) else f"bit {k}" for k in kinds) or "none"


def _has(word: int, action: int) -> bool:
    return bool(word >> (action - OTHER) & 1)


class _Plain:
    """The record's fields as plain Python numbers and lists."""

    def __init__(self, record: np.void) -> None:
        for name in record.dtype.names:
            if name not in ("position", "score"):
                setattr(self, name, record[name].tolist())


def check(record: np.void, rules: Rules | None = None) -> list[str]:
    """List all that is wrong with a hand's record (one element of a HAND array).

    Args:
        record: a hand that has begun, at a decision or over; `Hand.record`.
        rules: its rules, for what depends on them (tiles kept back, exchange, who may be konged from).

    Returns one text for each fault found. The record is not changed.
    """
    h = _Plain(record)
    faults = list(_ranges(h))
    if faults:
        # What follows indexes by these numbers.
        return faults
    for part in (_wall, _tiles, _sizes, _caches, _melds, _discards, _flowers, _seat_states, _exchange):
        faults += part(h)
    faults += _distances(h)
    if h.phase == OVER:
        faults += _over(h)
    else:
        faults += _in_play(h)
        faults += {
            GIVE: _asked_to_give,
            CHOICE: _asked_to_choose,
            TURN: _asked_in_turn,
            CLAIM: _asked_to_claim,
            ROB: _asked_to_rob,
            FLOWER: _asked_for_flower,
        }[h.phase](h)
    faults += _settlements(h)
    if rules is not None:
        faults += _by_rules(h, rules)
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
        ("hand", 0, 2**62),
        ("match", 0, 2**62),
        ("head", DEALT, N_TILES),
        ("tail", 0, N_TILES),
        ("n_discards", 0, MAX_DISCARDS),
        ("n_flowers", 0, 8),
        ("n_settlements", 0, MAX_SETTLEMENTS),
        ("n_decisions", 0, 2**31),
        ("end", 0, END_WIN),
        ("round", 0, 2),
        ("n_given", 0, 2),
        ("drawn", -1, N_KINDS - 1),
        ("case_one", -1, 3),
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
        ("distance", 0, 17),
    ):
        for s in SEATS:
            value = getattr(h, name)[s]
            if not low <= value <= high:
                yield f"{name}[{s}]: {value} is outside {low}..{high}"
    for s in SEATS:
        for k in range(N_KINDS):
            if not 0 <= h.counts[s][k] <= 4:
                yield f"counts[{s}]: {h.counts[s][k]} of {TEXT[k]}"
            if not 0 <= h.melded[s][k] <= 4:
                yield f"melded[{s}]: {h.melded[s][k]} of {TEXT[k]}"
        for i in range(min(5, max(0, h.n_melds[s]))):
            if not 0 <= h.meld_type[s][i] < len(MELD_NAMES) or not 0 <= h.meld_tile[s][i] < N_KINDS:
                yield f"meld {i} of seat {s}: type {h.meld_type[s][i]} of kind {h.meld_tile[s][i]}"
            elif h.meld_type[s][i] == CHOW and (h.meld_tile[s][i] >= 27 or h.meld_tile[s][i] % 9 > 6):
                yield f"meld {i} of seat {s}: a chow from {TEXT[h.meld_tile[s][i]]} up"
    for i in range(max(0, min(h.n_discards, MAX_DISCARDS))):
        if not 0 <= h.discards[i] < N_KINDS or h.discarder[i] not in SEATS or not -1 <= h.discard_taken[i] <= 3:
            yield f"discard {i}: kind {h.discards[i]} of seat {h.discarder[i]}, taken by {h.discard_taken[i]}"


def _wall(h: Any) -> Iterator[str]:
    if Counter(h.wall) != Counter(FULL_SET.tolist()):
        yield "wall: not the 144 tiles of the set"
    for e, row in enumerate(h.pairings):
        if any(row) and (sorted(row) != [0, 1, 2, 3] or any(row[s] == s for s in SEATS)):
            yield f"pairings[{e}]: {row}"


def _in_transit(h: Any) -> list[int]:
    """Tiles that are in no hand, meld or discard: given and not yet moved, or added to a pung and not yet a kong."""
    tiles = []
    if h.phase == GIVE:
        tiles += [k for row in h.gives[h.round] for k in row if k >= 0]
    if h.phase == ROB or (h.phase == OVER and _robbed(h)):
        tiles.append(h.claim_tile)
    return tiles


def _robbed(h: Any) -> bool:
    return any(
        h.settle_kind[i] == S_WIN and h.settle_how[i] == ROB_KONG for i in range(max(0, min(h.n_settlements, 4)))
    )


def _tiles(h: Any) -> Iterator[str]:
    """Conservation: each of the 144 instances in exactly one place."""
    found: Counter[int] = Counter(h.wall[h.head : h.tail])
    for s in SEATS:
        for k in range(N_KINDS):
            found[k] += h.counts[s][k]
        for i in range(h.n_melds[s]):
            found.update(meld_tiles(h.meld_type[s][i], h.meld_tile[s][i]))
        found.update(FIRST_FLOWER + f for f in range(8) if h.flowers[s] >> f & 1)
    found.update(h.discards[i] for i in range(h.n_discards) if h.discard_taken[i] < 0)
    found.update(_in_transit(h))
    wanted = Counter(FULL_SET.tolist())
    for kind in sorted(found.keys() | wanted.keys()):
        if found[kind] != wanted[kind]:
            name = TEXT[kind] if 0 <= kind < len(TEXT) else f"kind {kind}"
            yield f"tiles: {found[kind]} of {name} in all places together, but the set has {wanted[kind]}"


def _sizes(h: Any) -> Iterator[str]:
    """How many tiles each seat holds, a meld counting three."""
    over_17 = 0
    for s in SEATS:
        size = sum(h.counts[s]) + 3 * h.n_melds[s]
        if h.phase == GIVE:
            wanted = [(17 if s == h.dealer else 16) - sum(k >= 0 for k in h.gives[h.round][s])]
        elif h.phase == CHOICE:
            wanted = [17 if s == h.dealer else 16]
        elif h.phase == TURN:
            wanted = [17 if s == h.turn else 16]
        elif h.phase == OVER:
            wanted = [16, 17]
            over_17 += size == 17
        else:
            wanted = [16]
        if size not in wanted:
            yield f"seat {s}: {size} tiles (melds as three) in {PHASES[h.phase]}, but {wanted[-1]} belong there"
    if over_17 > 2:
        yield f"{over_17} seats with 17 tiles at the end"


def _caches(h: Any) -> Iterator[str]:
    """keys, have, quads, pungs, melded, n_exposed against counts and melds."""
    for s in SEATS:
        counts = h.counts[s]
        keys = [0, 0, 0, 0]
        for k in range(N_KINDS):
            keys[k // 9] += counts[k] * _POWER[k]
        if keys != h.keys[s]:
            yield f"keys[{s}]: {h.keys[s]}, but the counts give {keys}"
        for name, kinds in (
            ("have", [k for k in range(N_KINDS) if counts[k]]),
            ("quads", [k for k in range(N_KINDS) if counts[k] == 4]),
            ("pungs", [h.meld_tile[s][i] for i in range(h.n_melds[s]) if h.meld_type[s][i] == MELD_PUNG]),
        ):
            word = getattr(h, name)[s]
            if word != _bits(kinds):
                yield f"{name}[{s}]: {_text(_kinds(word))}, but {_text(kinds)} follows"
        melded = Counter(k for i in range(h.n_melds[s]) for k in meld_tiles(h.meld_type[s][i], h.meld_tile[s][i]))
        if any(melded[k] != h.melded[s][k] for k in range(N_KINDS)):
            yield f"melded[{s}]: not the tiles of the melds"
        exposed = sum(h.meld_type[s][i] != KONG_CONCEALED for i in range(h.n_melds[s]))
        if exposed != h.n_exposed[s]:
            yield f"n_exposed[{s}]: {h.n_exposed[s]}, but {exposed} melds are exposed"
    if bool(h.any_claim) != any(h.n_melds):
        yield f"any_claim: {h.any_claim}, with {h.n_melds} melds"


def _melds(h: Any) -> Iterator[str]:
    """Claimed melds name their tile and its discarder, and each taken discard is in one of them."""
    claimed: Counter[tuple[int, int, int]] = Counter()
    for s in SEATS:
        for i in range(h.n_melds[s]):
            kind, low = h.meld_type[s][i], h.meld_tile[s][i]
            tile, source = h.meld_claimed[s][i], h.meld_from[s][i]
            where = f"meld {i} of seat {s} ({MELD_NAMES[kind]} {_text(meld_tiles(kind, low))})"
            if kind == KONG_CONCEALED:
                if (tile, source) != (-1, -1):
                    yield f"{where}: claimed {tile} from {source}"
                continue
            if tile not in meld_tiles(kind, low):
                yield f"{where}: the claimed kind {tile} is not in it"
            if source not in SEATS or source == s:
                yield f"{where}: claimed from seat {source}"
            elif kind == CHOW and source != (s + 3) % 4:
                yield f"{where}: a chow from seat {source}, who is not the previous player"
            claimed[s, tile, source] += 1
    taken = Counter(
        (h.discard_taken[i], h.discards[i], h.discarder[i]) for i in range(h.n_discards) if h.discard_taken[i] >= 0
    )
    for key in sorted(claimed.keys() | taken.keys()):
        if claimed[key] != taken[key]:
            yield (
                f"discards: seat {key[0]} took {TEXT[key[1]]} of seat {key[2]} {taken[key]} times, "
                f"but its melds tell of {claimed[key]}"
            )


def _discards(h: Any) -> Iterator[str]:
    for s in SEATS:
        own = [h.discards[i] for i in range(h.n_discards) if h.discarder[i] == s]
        if len(own) != h.n_discards_of[s]:
            yield f"n_discards_of[{s}]: {h.n_discards_of[s]}, but {len(own)} are listed"
        last = own[-1] if own else -1
        if last != h.last_discard[s]:
            yield f"last_discard[{s}]: {h.last_discard[s]}, but {last} is listed"
        latest = len(h.recent[s])
        for n in range(max(0, len(own) - latest), len(own)):
            if h.recent[s][n % latest] != own[n]:
                yield f"recent[{s}]: {TEXT[h.recent[s][n % latest]]} in the place of discard {n}, {TEXT[own[n]]}"
        taken = [h.discards[i] for i in range(h.n_discards) if h.discarder[i] == s and h.discard_taken[i] >= 0]
        for name, kinds in (("discarded", own), ("taken", taken)):
            for k in range(N_KINDS):
                if getattr(h, name)[s][k] != kinds.count(k):
                    yield f"{name}[{s}]: {getattr(h, name)[s][k]} of {TEXT[k]}, but {kinds.count(k)} are listed"
    open_to_all = Counter(h.discards[i] for i in range(h.n_discards) if h.discard_taken[i] < 0)
    concealed = set()
    for s in SEATS:
        for i in range(h.n_melds[s]):
            if h.meld_type[s][i] == KONG_CONCEALED:
                concealed.add(h.meld_tile[s][i])
            else:
                open_to_all.update(meld_tiles(h.meld_type[s][i], h.meld_tile[s][i]))
    for k in range(N_KINDS):
        # Whether a concealed kong is shown is a flag of the rules.
        if h.shown[k] != open_to_all[k] and not (k in concealed and h.shown[k] == open_to_all[k] + 4):
            yield f"shown: {h.shown[k]} of {TEXT[k]}, but {open_to_all[k]} lie open"
    for i in range(h.n_discards):
        if h.discard_taken[i] == h.discarder[i]:
            yield f"discard {i}: taken by its own discarder"
        follower = h.discard_taken[i] if h.discard_taken[i] >= 0 else (h.discarder[i] + 1) % 4
        if i + 1 < h.n_discards and h.discarder[i + 1] != follower:
            yield f"discard {i + 1}: by seat {h.discarder[i + 1]}, but the turn was seat {follower}'s"
    if h.n_discards and h.discarder[0] != h.dealer:
        yield f"discard 0: by seat {h.discarder[0]}, but seat {h.dealer} deals"


def _flowers(h: Any) -> Iterator[str]:
    exposed = [f for s in SEATS for f in range(8) if h.flowers[s] >> f & 1]
    if len(exposed) != len(set(exposed)):
        yield "flowers: one lies before two seats"
    if len(set(exposed)) != h.n_flowers:
        yield f"n_flowers: {h.n_flowers}, but {len(set(exposed))} are exposed"
    times = sorted(h.flower_time[f] for f in set(exposed))
    if times != list(range(1, len(times) + 1)):
        yield f"flower_time: {h.flower_time} for the exposed flowers {_text(FIRST_FLOWER + f for f in sorted(exposed))}"
    if any(h.flower_time[f] for f in range(8) if f not in exposed):
        yield "flower_time: a flower that is not exposed has one"
    replaced = sum(h.meld_type[s][i] > MELD_PUNG for s in SEATS for i in range(h.n_melds[s])) + h.n_flowers
    # The last flower or kong may have gone without one (robbed, or the wall at its end); on the deal a robber draws one more.
    extra = h.phase == OVER and h.n_discards == 0 and h.n_flowers == 8
    if not replaced - 1 <= N_TILES - h.tail <= replaced + extra:
        yield f"tail: {N_TILES - h.tail} replacements for {replaced} flowers and kongs"


def _seat_states(h: Any) -> Iterator[str]:
    for s in SEATS:
        at = h.declared_at[s]
        if h.declared[s]:
            if not 0 <= at < h.n_discards or h.discarder[at] != s:
                yield f"declared_at[{s}]: {at} is no discard of the seat"
            elif h.declared[s] == DECLARED_MIGI and at >= MIGI_DISCARDS:
                yield f"declared[{s}]: MIGI with discard {at}"
        elif at != -1:
            yield f"declared_at[{s}]: {at}, but the seat has not declared"
        if h.skipped_pung[s] >> N_KINDS:
            yield f"skipped_pung[{s}]: bits beyond the kinds"


def _exchange(h: Any) -> Iterator[str]:
    """Given tiles: three of each seat for each exchange made, moved as the pairing says."""
    for e in range(2):
        for s in SEATS:
            given = h.gives[e][s]
            if e < h.round:
                if min(given) < 0:
                    yield f"gives[{e}, {s}]: {given} in an exchange that is over"
                elif h.takes[e][h.pairings[e][s]] != given:
                    yield f"takes[{e}, {h.pairings[e][s]}]: not what seat {s} gave"
            elif (h.phase != GIVE or e != h.round) and max(given) >= 0:
                yield f"gives[{e}, {s}]: {given} in an exchange that is not made"
            elif max(h.takes[e][s]) >= 0:
                yield f"takes[{e}, {s}]: {h.takes[e][s]} in an exchange that is not made"


def _distances(h: Any) -> Iterator[str]:
    """`distance` of the seats whose tiles have not changed since their last discard, `lacks` of the seat in turn."""
    if h.phase == GIVE:
        return
    moving = {TURN: [h.turn], ROB: [h.turn], FLOWER: [h.turn], OVER: [h.turn]}.get(h.phase, [])
    for s in SEATS:
        size = sum(h.counts[s]) + 3 * h.n_melds[s]
        if s in moving or (h.phase == OVER and size != 16) or size not in (16, 17):
            continue
        lacking = shanten(np.array(h.counts[s], dtype=np.int8), h.n_melds[s]) + 1
        if lacking != h.distance[s]:
            yield f"distance[{s}]: {h.distance[s]}, but the seat lacks {lacking}"
    if h.phase == TURN and sum(h.counts[h.turn]) + 3 * h.n_melds[h.turn] == 17:
        lacking = shanten(np.array(h.counts[h.turn], dtype=np.int8), h.n_melds[h.turn]) + 1
        if lacking != h.lacks:
            yield f"lacks: {h.lacks}, but seat {h.turn} lacks {lacking}"


def _in_play(h: Any) -> Iterator[str]:
    """What holds at every decision."""
    n = sum(word.bit_count() for word in h.legal)
    if n != h.n_legal:
        yield f"n_legal: {h.n_legal}, but {n} actions are marked"
    if n < 2:
        yield f"legal: {n} actions, but a seat with fewer than two is not asked"
    if any(h.legal[w] >> N_KINDS for w in (W_DISCARD, W_READY, W_KONG, W_GIVE)) or h.legal[W_OTHER] >> 11:
        yield "legal: bits beyond the actions"
    if h.end or (h.n_settlements and any(h.settle_kind[i] in (S_WIN, S_FLOWER) for i in range(h.n_settlements))):
        yield "a win is settled, but the hand goes on"
    if any(h.scores):
        yield f"scores: {h.scores} before the end"
    words = {GIVE: W_GIVE, CHOICE: W_OTHER, CLAIM: W_OTHER, ROB: W_OTHER, FLOWER: W_OTHER}
    for w in range(len(h.legal)):
        if h.phase in words and w != words[h.phase] and h.legal[w]:
            yield f"legal: actions of word {w} in {PHASES[h.phase]}"


def _other(h: Any, *actions: int) -> Iterator[str]:
    """Only these actions without a kind may be legal."""
    extra = h.legal[W_OTHER] & ~_bits(a - OTHER for a in actions)
    if extra:
        yield f"legal: actions {[OTHER + b for b in _kinds(extra)]} in {PHASES[h.phase]}"


def _asked_to_give(h: Any) -> Iterator[str]:
    place = (h.seat - h.dealer) % 4
    for i in SEATS:
        s = (h.dealer + i) % 4
        given = sum(k >= 0 for k in h.gives[h.round][s])
        wanted = 3 if i < place else h.n_given if i == place else 0
        if given != wanted:
            yield f"gives[{h.round}, {s}]: {given} tiles, but {wanted} are due when seat {h.seat} is asked"
    if h.legal[W_GIVE] != h.have[h.seat]:
        yield f"legal: give {_text(_kinds(h.legal[W_GIVE]))} of {_text(_kinds(h.have[h.seat]))} held"
    if h.n_discards or any(h.n_melds):
        yield "an exchange after play began"


def _asked_to_choose(h: Any) -> Iterator[str]:
    if h.seat != h.dealer or h.round != 1 or h.n_discards or any(h.n_melds):
        yield f"seat {h.seat} chooses after exchange {h.round} and {h.n_discards} discards"
    if h.legal[W_OTHER] != _bits([START - OTHER, EXCHANGE - OTHER]):
        yield "legal: start and exchange are the choice"


def _asked_in_turn(h: Any) -> Iterator[str]:
    s = h.turn
    if h.seat != s:
        yield f"seat {h.seat} is asked in the turn of seat {s}"
    if h.drawn >= 0 and not h.counts[s][h.drawn]:
        yield f"drawn: {TEXT[h.drawn]} is not in the hand of seat {s}"
    if h.n_discards:
        taken = h.discard_taken[h.n_discards - 1]
        due = taken if taken >= 0 else (h.discarder[h.n_discards - 1] + 1) % 4
    else:
        due = h.dealer
    if s != due:
        yield f"turn: of seat {s}, but seat {due} is due"
    if h.claim_turn:
        if h.drawn != -1 or not h.n_discards or h.discard_taken[h.n_discards - 1] != s:
            yield "claim_turn: nothing was claimed, or a tile was drawn since"
    elif h.drawn < 0 and h.n_discards:
        yield "drawn: nothing, but the turn began with a draw"
    elif h.barred:
        yield f"barred: {_text(_kinds(h.barred))} in a turn without a claim"
    discards = h.have[s] & ~h.barred
    if h.declared[s]:
        if h.claim_turn or (h.legal[W_DISCARD] | h.legal[W_KONG]) != 1 << h.drawn or h.legal[W_READY]:
            yield f"legal: a declared seat plays {TEXT[h.drawn]}, or wins"
    else:
        if h.legal[W_DISCARD] != discards:
            yield f"legal: discard {_text(_kinds(h.legal[W_DISCARD]))}, but {_text(_kinds(discards))} may be"
        if h.legal[W_KONG] not in (0, h.quads[s] | (h.have[s] & h.pungs[s])):
            yield f"legal: kong {_text(_kinds(h.legal[W_KONG]))}"
        if h.legal[W_READY] & ~discards:
            yield f"legal: ready {_text(_kinds(h.legal[W_READY] & ~discards))}, which may not be discarded"
    if h.legal[W_GIVE]:
        yield "legal: give in a turn"
    yield from _other(h, WIN, FLOWER_WIN)
    wins = _has(h.legal[W_OTHER], WIN)
    if wins != bool(h.win_legal):
        yield f"win_legal: {h.win_legal}, but win is {'legal' if wins else 'not legal'}"
    if wins and (h.lacks or h.skipped_win[s] or h.claim_turn):
        yield f"legal: win with {h.lacks} tiles lacking, skipped win {h.skipped_win[s]}, claim turn {h.claim_turn}"
    flowers = h.flowers[s].bit_count()
    if h.case_one >= 0 and (h.case_one != s or flowers != 7 or h.n_flowers != 8):
        yield f"case_one: seat {h.case_one}, with {flowers} flowers before seat {s}"
    if _has(h.legal[W_OTHER], FLOWER_WIN) != (not wins and (flowers == 8 or h.case_one == s)):
        yield f"legal: flower_win with {flowers} flowers"


def _asked_to_claim(h: Any) -> Iterator[str]:
    d, k, s = h.claim_from, h.claim_tile, h.seat
    last = h.n_discards - 1
    if d not in SEATS or last < 0 or (h.discards[last], h.discarder[last], h.discard_taken[last]) != (k, d, -1):
        yield f"claim: of kind {k} from seat {d}, which is not the last discard"
        return
    if h.turn != d:
        yield f"turn: of seat {h.turn}, but seat {d} discarded"
    yield from _asked_about(h, {1: [WIN], 2: [PUNG, KONG], 3: list(range(CHOW_LOW, CHOW_HIGH + 1))})
    yield from _other(h, *range(CHOW_LOW, WIN + 1), PASS)
    for other in SEATS:
        options = h.options[other]
        if h.declared[other] and options & ~_bits([WIN - OTHER]):
            yield f"options[{other}]: calls of a seat that has declared"
        if (_has(options, PUNG) and h.counts[other][k] < 2) or (_has(options, KONG) and h.counts[other][k] < 3):
            yield f"options[{other}]: {h.counts[other][k]} of {TEXT[k]} in hand"
        if _has(options, PUNG) and h.answers[other] < 0 and h.skipped_pung[other] >> k & 1:
            yield f"options[{other}]: a pung that was skipped"
        for form in range(CHOW_LOW, CHOW_HIGH + 1):
            if _has(options, form):
                low = k - (form - CHOW_LOW)
                pair = [t for t in range(low, low + 3) if t != k]
                if other != (d + 1) % 4 or k >= 27 or low // 9 != (low + 2) // 9 or low < 0:
                    yield f"options[{other}]: chow {form} of {TEXT[k]}"
                elif not all(h.counts[other][t] for t in pair):
                    yield f"options[{other}]: a chow of {TEXT[k]} with {_text(pair)}, not held"
    if h.legal[W_OTHER] & ~_bits([PASS - OTHER]) != h.options[s]:
        yield f"legal: not the options of seat {s}"


def _asked_about(h: Any, stages: dict[int, list[int]]) -> Iterator[str]:
    """Common to a discard and an added kong: who is asked, what was answered so far, who may win."""
    s, d = h.seat, h.claim_from
    if h.options[d]:
        yield f"options[{d}]: of the seat whose tile it is"
    if s == d or h.answers[s] != -1:
        yield f"seat {s} is asked, but it {'laid the tile' if s == d else 'has answered'}"
    if h.stage not in stages:
        yield f"stage: {h.stage}"
    elif not any(_has(h.options[s], a) for a in stages[h.stage]):
        yield f"seat {s} is asked in stage {h.stage} without such an option"
    for other in SEATS:
        answer = h.answers[other]
        if answer >= 0 and answer != PASS and not _has(h.options[other], answer):
            yield f"answers[{other}]: {answer}, which was no option"
        if _has(h.options[other], WIN):
            if h.distance[other] != 1:
                yield f"options[{other}]: win with {h.distance[other]} tiles lacking"
            if h.skipped_win[other] and answer < 0:
                yield f"options[{other}]: win under a skipped win"
            if answer < 0 and h.stage > 1:
                yield f"seat {other} may win, but was not asked in stage 1"
        if h.declared[other] == DECLARED_MIGI and _has(h.options[other], WIN) and answer == PASS:
            yield f"answers[{other}]: MIGI passed a win"
    if _has(h.legal[W_OTHER], PASS) == (h.declared[s] == DECLARED_MIGI):
        yield "legal: pass is for all but MIGI"
    if h.stage > 1 and WIN in h.answers:
        yield f"stage {h.stage} after a win"


def _asked_to_rob(h: Any) -> Iterator[str]:
    d, k = h.claim_from, h.claim_tile
    if d not in SEATS or k < 0 or not h.pungs[d] >> k & 1:
        yield f"rob: kind {k} of seat {d}, which has no such pung"
        return
    if h.turn != d:
        yield f"turn: of seat {h.turn}, but seat {d} makes the kong"
    yield from _asked_about(h, {1: [WIN]})
    yield from _other(h, WIN, PASS)
    if any(h.options[other] & ~_bits([WIN - OTHER]) for other in SEATS):
        yield "options: more than a win on an added kong"


def _asked_for_flower(h: Any) -> Iterator[str]:
    robber, owner = h.seat, h.turn
    held = (h.flowers[robber].bit_count(), h.flowers[owner].bit_count())
    if robber == owner or held != (7, 1):
        yield f"flower: seat {robber} is asked with {held[0]} flowers about the {held[1]} of seat {owner}"
    if h.legal[W_OTHER] != _bits([FLOWER_WIN - OTHER, PASS - OTHER]):
        yield "legal: flower_win or pass is the question"


def _over(h: Any) -> Iterator[str]:
    if h.n_legal or any(h.legal):
        yield "legal: actions after the end"
    kinds = h.settle_kind[: h.n_settlements]
    end = END_WIN if S_WIN in kinds else END_FLOWER if S_FLOWER in kinds else END_DRAW
    if h.end != end:
        yield f"end: {h.end}, but {end} follows from the settlements"
    sums = [sum(h.settle_payments[i][s] for i in range(h.n_settlements)) for s in SEATS]
    if h.scores != sums:
        yield f"scores: {h.scores}, but the payments sum to {sums}"
    if sum(h.scores):
        yield f"scores: {h.scores} do not sum to zero"
    if not 0 <= h.next_dealer <= 3 or h.next_streak < 0 or not 0 <= h.next_prevailing <= 3:
        yield f"next: dealer {h.next_dealer}, streak {h.next_streak}, wind {h.next_prevailing}"
    elif h.next_dealer not in (h.dealer, (h.dealer + 1) % 4):
        yield f"next_dealer: {h.next_dealer} after {h.dealer}"


def _settlements(h: Any) -> Iterator[str]:
    for i in range(h.n_settlements):
        winner, payer, payments = h.settle_winner[i], h.settle_payer[i], h.settle_payments[i]
        where = f"settlement {i}"
        if winner not in SEATS or payer not in (-1, *SEATS) or winner == payer:
            yield f"{where}: seat {winner} from seat {payer}"
            continue
        if sum(payments):
            yield f"{where}: payments {payments} do not sum to zero"
        if payments[winner] < 0 or any(payments[s] > 0 for s in SEATS if s != winner):
            yield f"{where}: payments {payments} to seat {winner}"
        if payer >= 0 and any(payments[s] for s in SEATS if s not in (winner, payer)):
            yield f"{where}: payments {payments}, but seat {payer} pays alone"
        if sum(h.settle_items[i]) != h.settle_tai[i] or min(h.settle_items[i]) < 0:
            yield f"{where}: {h.settle_tai[i]} tai, but the items have {sum(h.settle_items[i])}"
    winners = [(h.settle_winner[i], h.settle_kind[i]) for i in range(h.n_settlements)]
    if len(set(winners)) != len(winners):
        yield "settlements: one seat's win is settled twice"
    for name in ("settle_items", "settle_payments"):
        if any(any(row) for row in getattr(h, name)[h.n_settlements :]):
            yield f"{name}: filled beyond the settlements"


def _by_rules(h: Any, rules: Rules) -> Iterator[str]:
    flags = rules.flags
    left = h.tail - h.head - flags["kept_back"]
    if left < 0:
        yield f"drawable: {left} tiles"
    if h.phase == TURN and left == 0 and (h.legal[W_READY] or h.legal[W_KONG]):
        yield "legal: ready or kong with no drawable tile left"
    if h.phase == OVER and h.end == END_DRAW and left:
        yield f"end: a draw with {left} drawable tiles left"
    if h.phase == CLAIM and left < flags["claim_min_drawable"]:
        if any(o & ~_bits([WIN - OTHER]) for o in h.options):
            yield f"options: calls with {left} drawable tiles left"
    if not flags["exchange"] and (h.round or h.phase in (GIVE, CHOICE)):
        yield "an exchange under rules without one"
    if flags["exchange"] and not h.round and h.n_discards:
        yield "play began without the exchange"
    if not flags["exposed_kong_from_previous"]:
        for s in SEATS:
            for i in range(h.n_melds[s]):
                if MELD_NAMES[h.meld_type[s][i]] == "kong_exposed" and h.meld_from[s][i] == (s + 3) % 4:
                    yield f"meld {i} of seat {s}: an exposed kong from the previous player"
    for name, flag in (("skipped_win", "skipped_win"), ("skipped_pung", "skipped_pung")):
        if not flags[flag] and any(getattr(h, name)):
            yield f"{name}: set under rules without it"
    if not flags["declare_ready"] and any(h.declared):
        yield "declared: under rules without it"
    moments = [AT_START] + [AFTER_FIRST + e for e in range(h.round)] + ([AT_END] if h.phase == OVER else [])
    for moment in range(4):
        for s in SEATS:
            measured = h.shanten_at[moment][s] != -9
            if measured != (moment in moments):
                yield f"shanten_at[{moment}, {s}]: {h.shanten_at[moment][s]} in {PHASES[h.phase]}"
