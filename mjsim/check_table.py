"""Tiles and what is kept about them: conservation, sizes of hands, caches, melds, discards, flowers, states of seats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from mjsim.check_plain import SEATS, bits, in_transit, kinds_of, text_of
from mjsim.hand_record import (
    AFTER_FIRST,
    AT_END,
    AT_START,
    CHOICE,
    DECLARE,
    DECLARED_MIGI,
    FLOWER,
    GIVE,
    OVER,
    PHASES,
    ROB,
    TURN,
)
from mjsim.melds import CHOW, KONG_CONCEALED, MELD_NAMES, MELD_PUNG, meld_tiles
from mjsim.ruleset import Rules
from mjsim.ruleset import rules as make_rules
from mjsim.shapes.public import shanten
from mjsim.tiles import FIRST_FLOWER, FULL_SET, N_KINDS, N_TILES, TEXT

MIGI_DISCARDS = 8
_POWER = [5 ** (k % 9 if k < 27 else k - 27) for k in range(N_KINDS)]


def table(h: Any) -> Iterator[str]:
    """All that is wrong with what lies on the table and in the hands."""
    for part in (
        _wall,
        _tiles,
        _sizes,
        _caches,
        _melds,
        _discards,
        _flowers,
        _declarations,
        _passed,
        _exchange,
        _distances,
        _by_rules,
    ):
        yield from part(h)


def _wall(h: Any) -> Iterator[str]:
    if Counter(h.wall) != Counter(FULL_SET.tolist()):
        yield "wall: not the 144 tiles of the set"
    for e, row in enumerate(h.pairings):
        if any(row) and (sorted(row) != [0, 1, 2, 3] or any(row[s] == s for s in SEATS)):
            yield f"pairings[{e}]: {row}"
    if (left := h.drawable()) is not None and left < 0:
        yield f"drawable: {left} tiles"


def _tiles(h: Any) -> Iterator[str]:
    """Conservation: each of the 144 instances in exactly one place."""
    found: Counter[int] = Counter(h.wall[h.head : h.tail])
    for s in SEATS:
        for k in range(N_KINDS):
            found[k] += h.counts[s][k]
        for i in range(h.n_melds[s]):
            found.update(meld_tiles(h.meld_type[s][i], h.meld_tile[s][i]))
        for mask in (h.flowers[s], h.held_flowers[s]):
            found.update(FIRST_FLOWER + f for f in range(8) if mask >> f & 1)
    found.update(h.discards[i] for i in range(h.n_discards) if h.discard_taken[i] < 0)
    found.update(in_transit(h))
    wanted = Counter(FULL_SET.tolist())
    for kind in sorted(found.keys() | wanted.keys()):
        if found[kind] != wanted[kind]:
            name = TEXT[kind] if 0 <= kind < len(TEXT) else f"kind {kind}"
            yield f"tiles: {found[kind]} of {name} in all places together, but the set has {wanted[kind]}"


def _sizes(h: Any) -> Iterator[str]:
    """How many tiles each seat holds, a meld counting three and a flower not yet exposed one."""
    over_17 = 0
    for s in SEATS:
        size = sum(h.counts[s]) + 3 * h.n_melds[s] + h.held_flowers[s].bit_count()
        if h.phase == GIVE:
            wanted = [n - sum(k >= 0 for k in h.gives[h.round][s]) for n in h.dealt(s)]
        elif h.phase in (CHOICE, DECLARE) or (h.phase == FLOWER and h.opening()):
            wanted = h.dealt(s)
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
    """keys, have, twos, threes, quads, pungs, melded, n_exposed against counts and melds."""
    for s in SEATS:
        counts = h.counts[s]
        keys = [0, 0, 0, 0]
        for k in range(N_KINDS):
            keys[k // 9] += counts[k] * _POWER[k]
        if keys != h.keys[s]:
            yield f"keys[{s}]: {h.keys[s]}, but the counts give {keys}"
        for name, kinds in (
            ("have", [k for k in range(N_KINDS) if counts[k]]),
            ("twos", [k for k in range(N_KINDS) if counts[k] >= 2]),
            ("threes", [k for k in range(N_KINDS) if counts[k] >= 3]),
            ("quads", [k for k in range(N_KINDS) if counts[k] == 4]),
            ("pungs", [h.meld_tile[s][i] for i in range(h.n_melds[s]) if h.meld_type[s][i] == MELD_PUNG]),
        ):
            word = getattr(h, name)[s]
            if word != bits(kinds):
                yield f"{name}[{s}]: {text_of(kinds_of(word))}, but {text_of(kinds)} follows"
        melded = Counter(k for i in range(h.n_melds[s]) for k in meld_tiles(h.meld_type[s][i], h.meld_tile[s][i]))
        if any(melded[k] != h.melded[s][k] for k in range(N_KINDS)):
            yield f"melded[{s}]: not the tiles of the melds"
        exposed = sum(h.meld_type[s][i] != KONG_CONCEALED for i in range(h.n_melds[s]))
        if exposed != h.n_exposed[s]:
            yield f"n_exposed[{s}]: {h.n_exposed[s]}, but {exposed} melds are exposed"
    if bool(h.any_claim) != any(h.n_melds):
        yield f"any_claim: {h.any_claim}, with {h.n_melds} melds"
    kongs = sum(h.meld_type[h.turn][i] > MELD_PUNG for i in range(h.n_melds[h.turn]))
    if h.turn_kongs > kongs:
        yield f"turn_kongs: {h.turn_kongs}, but seat {h.turn} has {kongs} kongs"


def _melds(h: Any) -> Iterator[str]:
    """Claimed melds name their tile and its discarder, and each taken discard is in one of them."""
    claimed: Counter[tuple[int, int, int]] = Counter()
    for s in SEATS:
        for i in range(h.n_melds[s]):
            kind, low = h.meld_type[s][i], h.meld_tile[s][i]
            tile, source = h.meld_claimed[s][i], h.meld_from[s][i]
            where = f"meld {i} of seat {s} ({MELD_NAMES[kind]} {text_of(meld_tiles(kind, low))})"
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
            if MELD_NAMES[kind] == "kong_exposed" and source == (s + 3) % 4:
                if h.flag("exposed_kong_from_previous") is False:
                    yield f"{where}: an exposed kong from the previous player"
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
    concealed: set[int] = set()
    hidden = h.flag("concealed_kong_hidden")
    for s in SEATS:
        for i in range(h.n_melds[s]):
            if h.meld_type[s][i] == KONG_CONCEALED and hidden is not False:
                concealed.add(h.meld_tile[s][i])
            else:
                open_to_all.update(meld_tiles(h.meld_type[s][i], h.meld_tile[s][i]))
    for k in range(N_KINDS):
        # Whether a concealed kong is shown is a flag of the rules.
        unknown = hidden is None and k in concealed and h.shown[k] == open_to_all[k] + 4
        if h.shown[k] != open_to_all[k] and not unknown:
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
        yield f"flower_time: {h.flower_time} for the exposed flowers {text_of(FIRST_FLOWER + f for f in sorted(exposed))}"
    if any(h.flower_time[f] for f in range(8) if f not in exposed):
        yield "flower_time: a flower that is not exposed has one"
    if any(h.held_flowers) and not (h.phase == OVER and h.n_discards == 0 and h.n_settlements):
        yield f"held_flowers: {h.held_flowers}, but only a win in the opening leaves flowers unexposed"
    replaced = sum(h.meld_type[s][i] > MELD_PUNG for s in SEATS for i in range(h.n_melds[s])) + h.n_flowers
    taken = N_TILES - h.tail
    if h.phase == FLOWER and not h.opening():
        least = most = replaced - 1  # asked before the replacement
    elif h.phase == OVER:
        # The last flower or kong may have gone without one (won, robbed, or the wall at its end); on the deal a
        # robber draws one more.
        least, most = replaced - 1, replaced + (h.n_discards == 0 and h.n_flowers == 8)
    else:
        least = most = replaced
    if not least <= taken <= most:
        yield f"tail: {taken} replacements for {replaced} flowers and kongs"
    due = h.flower_due
    if due >= 0 and h.phase != OVER:
        # Seven to one after the opening: the win waits for the seat's first extra tile (house16 12).
        if h.flowers[due].bit_count() != 7 or h.n_flowers != 8 or h.n_discards_of[due] or h.n_melds[due]:
            yield f"flower_due: seat {due}, with {h.flowers[due].bit_count()} flowers and {h.n_discards_of[due]} discards"
        if h.phase == TURN and h.turn == due:
            yield f"flower_due: seat {due} has its extra tile and has not won"


def _declarations(h: Any) -> Iterator[str]:
    original = h.flag("original_call")
    for s in SEATS:
        at = h.declared_at[s]
        if not h.declared[s]:
            if at != -1:
                yield f"declared_at[{s}]: {at}, but the seat has not declared"
            continue
        if original and h.declared[s] == DECLARED_MIGI:
            yield f"declared[{s}]: MIGI at a table with Original Call"
        # A non-dealer's Original Call comes before East's first discard, East's with it (four-winds 14).
        without_discard = s != h.dealer and original is not False
        if at == -1 and without_discard:
            continue
        if not 0 <= at < h.n_discards or h.discarder[at] != s:
            yield f"declared_at[{s}]: {at} is no discard of the seat"
        elif h.declared[s] == DECLARED_MIGI and at >= MIGI_DISCARDS:
            yield f"declared[{s}]: MIGI with discard {at}"
        elif original and (at or without_discard):
            yield f"declared_at[{s}]: {at}, but an Original Call goes with East's first discard or none"
    if h.rules is not None:
        if not any(h.flag(name) for name in ("declare_ready", "closing", "original_call")) and any(h.declared):
            yield "declared: under rules without it"
        if not h.flag("migi") and DECLARED_MIGI in h.declared:
            yield "declared: MIGI under rules without it"


def _passed(h: Any) -> Iterator[str]:
    """Passed kinds are those of others' discards since the seat's own last turn began (hk16 r14)."""
    for s in SEATS:
        since: set[int] = set()
        for i in range(h.n_discards - 1, -1, -1):
            if h.discarder[i] == s:
                break
            since.add(h.discards[i])
        extra = [k for k in kinds_of(h.passed[s]) if k not in since]
        if h.phase == TURN and s == h.turn and h.passed[s]:
            yield f"passed[{s}]: {text_of(kinds_of(h.passed[s]))} in the seat's own turn"
        elif extra:
            yield f"passed[{s}]: {text_of(extra)}, not discarded since the seat's own turn"


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


@lru_cache(maxsize=64)
def _frozen(rules: Rules) -> Rules:
    """The same rules as a closed hand has them: no special hand but 13 Orphans (hk16 r25)."""
    return make_rules(rules, seven_pairs=False, sixteen_orphans=False)


def _lacking(h: Any, s: int) -> int:
    """Tiles that the seat lacks; by shape alone where no rules were given."""
    rules = h.rules
    if rules is not None and h.declared[s] and h.flag("closing"):
        rules = _frozen(rules)
    return int(shanten(np.array(h.counts[s], dtype=np.int8), h.n_melds[s], rules=rules)) + 1


def _distances(h: Any) -> Iterator[str]:
    """`distance` of the seats whose tiles have not changed since their last discard, `lacks` of the seat in turn."""
    if h.phase == GIVE:
        return
    moving = [h.turn] if h.phase in (TURN, ROB, FLOWER, OVER) else []
    for s in SEATS:
        size = sum(h.counts[s]) + 3 * h.n_melds[s]
        if s in moving or (h.phase == OVER and size != 16) or size not in (16, 17):
            continue
        lacking = _lacking(h, s)
        # Without the rules a special hand may be nearer.
        if lacking < h.distance[s] or (lacking > h.distance[s] and h.rules is not None):
            yield f"distance[{s}]: {h.distance[s]}, but the seat lacks {lacking}"
    if h.phase == TURN and sum(h.counts[h.turn]) + 3 * h.n_melds[h.turn] == 17:
        lacking = _lacking(h, h.turn)
        if lacking < h.lacks or (lacking > h.lacks and h.rules is not None):
            yield f"lacks: {h.lacks}, but seat {h.turn} lacks {lacking}"


def _by_rules(h: Any) -> Iterator[str]:
    """Marks that only some tables know."""
    if h.rules is None:
        return
    if h.head < 65 and not (h.flag("dealer_draws_first") and h.n_discards == 0):
        yield f"head: {h.head}, but 65 tiles are dealt"
    if h.flag("exchange"):
        if not h.round and h.n_discards:
            yield "play began without the exchange"
    elif h.round or h.phase in (GIVE, CHOICE):
        yield "an exchange under rules without one"
    if not h.flag("original_call") and h.phase == DECLARE:
        yield "an Original Call under rules without it"
    for name, flag in (
        ("skipped_win", "skipped_win"),
        ("skipped_pung", "skipped_pung"),
        ("passed", "passed_kind"),
        ("bouquets", "instant_payments"),
    ):
        if not h.flag(flag) and any(getattr(h, name)):
            yield f"{name}: set under rules without it"
    if h.flower_due >= 0 and h.flag("flower_wins") != "on_replacement":
        yield f"flower_due: seat {h.flower_due} under rules without it"
    if h.case_one >= 0 and h.flag("flower_wins") != "on_turn":
        yield f"case_one: seat {h.case_one} under rules without it"
    moments = [AT_START] + [AFTER_FIRST + e for e in range(h.round)] + ([AT_END] if h.phase == OVER else [])
    for moment in range(4):
        for s in SEATS:
            measured = h.shanten_at[moment][s] != -9
            if measured != (moment in moments):
                yield f"shanten_at[{moment}, {s}]: {h.shanten_at[moment][s]} in {PHASES[h.phase]}"
