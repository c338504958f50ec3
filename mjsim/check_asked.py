"""The question that is put to a seat: whose it is, what was answered so far, and which actions may be legal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mjsim.actions import (
    CHOW_HIGH,
    CHOW_LOW,
    DECLARE,
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
from mjsim.check_plain import SEATS, WEST, bits, chased, has, kinds_of, text_of
from mjsim.hand_record import CHOICE, CLAIM, DECLARED_MIGI, FLOWER, GIVE, PHASES, ROB, TURN
from mjsim.hand_record import DECLARE as DECLARE_PHASE
from mjsim.ruleset.record import S_FLOWER, S_WIN
from mjsim.tiles import N_KINDS, TEXT

#: The word of actions that a phase other than TURN asks for.
_WORD = {
    GIVE: W_GIVE,
    CHOICE: W_OTHER,
    CLAIM: W_OTHER,
    ROB: W_OTHER,
    FLOWER: W_OTHER,
    DECLARE_PHASE: W_OTHER,
}


def asked(h: Any) -> Iterator[str]:
    """All that is wrong with the decision at hand."""
    yield from _any_question(h)
    yield from {
        GIVE: _to_give,
        CHOICE: _to_choose,
        DECLARE_PHASE: _to_declare,
        TURN: _in_turn,
        CLAIM: _to_claim,
        ROB: _to_rob,
        FLOWER: _for_flower,
    }[h.phase](h)


def _any_question(h: Any) -> Iterator[str]:
    """What holds at every decision."""
    n = sum(word.bit_count() for word in h.legal)
    if n != h.n_legal:
        yield f"n_legal: {h.n_legal}, but {n} actions are marked"
    if n < 2:
        yield f"legal: {n} actions, but a seat with fewer than two is not asked"
    if any(h.legal[w] >> N_KINDS for w in (W_DISCARD, W_READY, W_KONG, W_GIVE)) or h.legal[W_OTHER] >> 11:
        yield "legal: bits beyond the actions"
    if h.end or any(h.settle_kind[i] in (S_WIN, S_FLOWER) for i in range(h.n_settlements)):
        yield "a win is settled, but the hand goes on"
    if any(h.scores):
        yield f"scores: {h.scores} before the end"
    if h.match_over:
        yield "match_over: before the end of the hand"
    for w in range(len(h.legal)):
        if h.phase in _WORD and w != _WORD[h.phase] and h.legal[w]:
            yield f"legal: actions of word {w} in {PHASES[h.phase]}"
    if h.flag("claim_min_drawable") is not None and h.phase == CLAIM and h.drawable() < h.flag("claim_min_drawable"):
        if any(o & ~bits([WIN - OTHER]) for o in h.options):
            yield f"options: calls with {h.drawable()} drawable tiles left"


def _other(h: Any, *actions: int) -> Iterator[str]:
    """Only these actions without a kind may be legal."""
    extra = h.legal[W_OTHER] & ~bits(a - OTHER for a in actions)
    if extra:
        yield f"legal: actions {[OTHER + b for b in kinds_of(extra)]} in {PHASES[h.phase]}"


# --- before play ----------------------------------------------------------------------------------------------------


def _to_give(h: Any) -> Iterator[str]:
    place = (h.seat - h.dealer) % 4
    for i in SEATS:
        s = (h.dealer + i) % 4
        given = sum(k >= 0 for k in h.gives[h.round][s])
        wanted = 3 if i < place else h.n_given if i == place else 0
        if given != wanted:
            yield f"gives[{h.round}, {s}]: {given} tiles, but {wanted} are due when seat {h.seat} is asked"
    if h.legal[W_GIVE] != h.have[h.seat]:
        yield f"legal: give {text_of(kinds_of(h.legal[W_GIVE]))} of {text_of(kinds_of(h.have[h.seat]))} held"
    if h.n_discards or any(h.n_melds):
        yield "an exchange after play began"


def _to_choose(h: Any) -> Iterator[str]:
    if h.seat != h.dealer or h.round != 1 or h.n_discards or any(h.n_melds):
        yield f"seat {h.seat} chooses after exchange {h.round} and {h.n_discards} discards"
    if h.legal[W_OTHER] != bits([START - OTHER, EXCHANGE - OTHER]):
        yield "legal: start and exchange are the choice"


def _to_declare(h: Any) -> Iterator[str]:
    """Original Call of the non-dealers, in turn order before East's first turn (four-winds 14)."""
    if h.seat != (h.dealer + h.stage) % 4 or not 1 <= h.stage <= 3:
        yield f"seat {h.seat} is asked to declare as number {h.stage} after the dealer"
    if h.n_discards or any(h.n_melds):
        yield "an Original Call after play began"
    if h.distance[h.seat] != 1:
        yield f"seat {h.seat} is asked to declare, but lacks {h.distance[h.seat]} tiles"
    if h.legal[W_OTHER] != bits([DECLARE - OTHER, PASS - OTHER]):
        yield "legal: declare or pass is the question"
    early = [s for s in SEATS if h.declared[s] and (s - h.dealer) % 4 not in range(1, h.stage)]
    if early:
        yield f"declared: seat {early[0]} before it was asked"


# --- one's own turn -------------------------------------------------------------------------------------------------


def _in_turn(h: Any) -> Iterator[str]:
    s = h.turn
    if h.seat != s:
        yield f"seat {h.seat} is asked in the turn of seat {s}"
    if h.n_discards:
        taken = h.discard_taken[h.n_discards - 1]
        due = taken if taken >= 0 else (h.discarder[h.n_discards - 1] + 1) % 4
    else:
        due = h.dealer
    if s != due:
        yield f"turn: of seat {s}, but seat {due} is due"
    yield from _drawn(h, s)
    if h.declared[s]:
        if h.claim_turn or (h.legal[W_DISCARD] | h.legal[W_KONG]) != 1 << h.drawn or h.legal[W_READY]:
            yield f"legal: a declared seat plays {TEXT[h.drawn]}, or wins"
        if h.legal[W_KONG] and h.flag("declared_kong") is False:
            yield "legal: a kong of a declared seat"
    else:
        yield from _plays(h, s)
    if h.legal[W_GIVE]:
        yield "legal: give in a turn"
    yield from _wins_in_turn(h, s)


def _drawn(h: Any, s: int) -> Iterator[str]:
    """The tile drawn last, where it lay, and how the turn began."""
    if h.drawn >= 0:
        if not h.counts[s][h.drawn]:
            yield f"drawn: {TEXT[h.drawn]} is not in the hand of seat {s}"
        # The dealer's last dealt tile, where it counts as drawn, may lie under the replacements of others.
        place = [h.tail if h.replacement else h.head - 1] if h.n_discards or any(h.n_melds) else range(144)
        if h.drawn_at not in place or h.wall[h.drawn_at] != h.drawn:
            yield f"drawn_at: {h.drawn_at}, which is not where the {TEXT[h.drawn]} drawn last lay"
    if h.claim_turn:
        if h.drawn != -1 or not h.n_discards or h.discard_taken[h.n_discards - 1] != s:
            yield "claim_turn: nothing was claimed, or a tile was drawn since"
    elif h.drawn < 0 and (h.n_discards or any(h.n_melds)):
        yield "drawn: nothing, but the turn began with a draw"
    elif h.barred:
        yield f"barred: {text_of(kinds_of(h.barred))} in a turn without a claim"
    if h.barred and h.flag("discard_claimed_tile"):
        yield f"barred: {text_of(kinds_of(h.barred))}, but the claimed tile may be discarded"


def _plays(h: Any, s: int) -> Iterator[str]:
    """Discards, declarations and kongs of a seat that has not declared."""
    allowed = [h.have[s] & ~h.barred]
    if h.flag("chase_payments") is not False and chased(h, WEST, h.n_discards) >= 0:
        # hk16 r22; without the rules it may be so or not.
        allowed = [allowed[0] & ~bits([WEST])] + (allowed if h.rules is None else [])
    if h.legal[W_DISCARD] not in allowed:
        yield f"legal: discard {text_of(kinds_of(h.legal[W_DISCARD]))}, but {text_of(kinds_of(allowed[0]))} may be"
    if h.legal[W_READY] & ~allowed[-1]:
        yield f"legal: ready {text_of(kinds_of(h.legal[W_READY] & ~allowed[-1]))}, which may not be discarded"
    kongs = h.quads[s] | (h.have[s] & h.pungs[s])
    if h.legal[W_KONG] not in (0, kongs):
        yield f"legal: kong {text_of(kinds_of(h.legal[W_KONG]))}"
    if h.rules is None:
        return
    open_to_kongs = h.drawable() > 0 and (not h.claim_turn or h.flag("kong_after_claim"))
    if h.legal[W_KONG] != (kongs if open_to_kongs else 0):
        yield f"legal: kong {text_of(kinds_of(h.legal[W_KONG]))} with {h.drawable()} drawable tiles left"
    if h.legal[W_READY]:
        if h.drawable() < h.flag("declare_min_drawable"):
            yield f"legal: ready with {h.drawable()} drawable tiles left"
        if h.flag("original_call") and (s != h.dealer or h.n_discards or any(h.n_melds)):
            yield "legal: ready after East's first chance of an Original Call"
        if h.flag("closing") and h.n_exposed[s] == 5:
            yield "legal: ready with five exposed melds"


def _wins_in_turn(h: Any, s: int) -> Iterator[str]:
    yield from _other(h, WIN, FLOWER_WIN)
    wins = has(h.legal[W_OTHER], WIN)
    if wins != bool(h.win_legal):
        yield f"win_legal: {h.win_legal}, but win is {'legal' if wins else 'not legal'}"
    if wins and (h.lacks or h.skipped_win[s] or h.claim_turn):
        yield f"legal: win with {h.lacks} tiles lacking, skipped win {h.skipped_win[s]}, claim turn {h.claim_turn}"
    if wins and h.kong_ban and h.flag("win_after_exposed_kong") is False:
        yield "legal: win on the replacement of an exposed kong"
    flowers = h.flowers[s].bit_count()
    if h.case_one >= 0 and (h.case_one != s or flowers != 7 or h.n_flowers != 8):
        yield f"case_one: seat {h.case_one}, with {flowers} flowers before seat {s}"
    offered = has(h.legal[W_OTHER], FLOWER_WIN)
    possible = not wins and (flowers == 8 or h.case_one == s)
    if (offered and not possible) or (offered != possible and h.flag("flower_wins") == "on_turn"):
        yield f"legal: flower_win with {flowers} flowers"
    elif offered and h.flag("flower_wins") not in ("on_turn", None):
        yield f"legal: flower_win in a turn, but flowers win {h.flag('flower_wins')}"


# --- others' tiles --------------------------------------------------------------------------------------------------


def _to_claim(h: Any) -> Iterator[str]:
    d, k, s = h.claim_from, h.claim_tile, h.seat
    last = h.n_discards - 1
    if d not in SEATS or last < 0 or (h.discards[last], h.discarder[last], h.discard_taken[last]) != (k, d, -1):
        yield f"claim: of kind {k} from seat {d}, which is not the last discard"
        return
    if h.turn != d:
        yield f"turn: of seat {h.turn}, but seat {d} discarded"
    yield from _about(h, {1: [WIN], 2: [PUNG, KONG], 3: list(range(CHOW_LOW, CHOW_HIGH + 1))})
    yield from _other(h, *range(CHOW_LOW, WIN + 1), PASS)
    for other in SEATS:
        yield from _calls(h, other, d, k)
    if h.legal[W_OTHER] & ~bits([PASS - OTHER]) != h.options[s]:
        yield f"legal: not the options of seat {s}"


def _calls(h: Any, other: int, d: int, k: int) -> Iterator[str]:
    """What a seat may claim of the discard k of seat d, with the tiles that it holds."""
    options, where = h.options[other], f"options[{other}]"
    if h.declared[other] and options & ~bits([WIN - OTHER]):
        yield f"{where}: calls of a seat that has declared"
    if options and h.answers[other] < 0 and h.passed[other] >> k & 1:
        yield f"{where}: a claim of {TEXT[k]}, which the seat has passed on"
    if h.answers[other] == PASS and bool(h.passed[other] >> k & 1) != h.flag("passed_kind"):
        if h.rules is not None:
            yield f"passed[{other}]: {text_of(kinds_of(h.passed[other]))} after a pass on {TEXT[k]}"
    if (has(options, PUNG) and h.counts[other][k] < 2) or (has(options, KONG) and h.counts[other][k] < 3):
        yield f"{where}: {h.counts[other][k]} of {TEXT[k]} in hand"
    if has(options, PUNG) and h.answers[other] < 0 and h.skipped_pung[other] >> k & 1:
        yield f"{where}: a pung that was skipped"
    if has(options, KONG) and h.drawable() == 0:
        yield f"{where}: a kong with no drawable tile left"
    if h.flag("claim_back") is False and options & bits([PUNG - OTHER, KONG - OTHER]) and h.last_discard[other] == k:
        yield f"{where}: a pung of {TEXT[k]}, its own last discard"
    for form in range(CHOW_LOW, CHOW_HIGH + 1):
        if has(options, form):
            low = k - (form - CHOW_LOW)
            pair = [t for t in range(low, low + 3) if t != k]
            if other != (d + 1) % 4 or k >= 27 or low // 9 != (low + 2) // 9 or low < 0:
                yield f"{where}: chow {form} of {TEXT[k]}"
            elif not all(h.counts[other][t] for t in pair):
                yield f"{where}: a chow of {TEXT[k]} with {text_of(pair)}, not held"


def _about(h: Any, stages: dict[int, list[int]]) -> Iterator[str]:
    """Common to a discard and an added kong: who is asked, what was answered so far, who may win."""
    s, d = h.seat, h.claim_from
    if h.options[d]:
        yield f"options[{d}]: of the seat whose tile it is"
    if s == d or h.answers[s] != -1:
        yield f"seat {s} is asked, but it {'laid the tile' if s == d else 'has answered'}"
    if h.stage not in stages:
        yield f"stage: {h.stage}"
    elif not any(has(h.options[s], a) for a in stages[h.stage]):
        yield f"seat {s} is asked in stage {h.stage} without such an option"
    for other in SEATS:
        answer = h.answers[other]
        if answer >= 0 and answer != PASS and not has(h.options[other], answer):
            yield f"answers[{other}]: {answer}, which was no option"
        if has(h.options[other], WIN):
            if h.distance[other] != 1:
                yield f"options[{other}]: win with {h.distance[other]} tiles lacking"
            if h.skipped_win[other] and answer < 0:
                yield f"options[{other}]: win under a skipped win"
            if answer < 0 and h.stage > 1:
                yield f"seat {other} may win, but was not asked in stage 1"
        if h.declared[other] == DECLARED_MIGI and has(h.options[other], WIN) and answer == PASS:
            yield f"answers[{other}]: MIGI passed a win"
    if has(h.legal[W_OTHER], PASS) == (h.declared[s] == DECLARED_MIGI):
        yield "legal: pass is for all but MIGI"
    if h.stage > 1 and WIN in h.answers:
        yield f"stage {h.stage} after a win"


def _to_rob(h: Any) -> Iterator[str]:
    d, k = h.claim_from, h.claim_tile
    if d not in SEATS or k < 0 or not h.pungs[d] >> k & 1:
        yield f"rob: kind {k} of seat {d}, which has no such pung"
        return
    if h.turn != d:
        yield f"turn: of seat {h.turn}, but seat {d} makes the kong"
    yield from _about(h, {1: [WIN]})
    yield from _other(h, WIN, PASS)
    if any(h.options[other] & ~bits([WIN - OTHER]) for other in SEATS):
        yield "options: more than a win on an added kong"
    if h.drawable() == 0:
        yield "rob: a kong with no drawable tile left"


def _for_flower(h: Any) -> Iterator[str]:
    """The seat with seven flowers about the eighth: another's (douque 31), or wherever it lies (four-winds 18)."""
    robber, on = h.seat, h.flag("flower_wins")
    ones = [s for s in SEATS if h.flowers[s].bit_count() == 1]
    if h.flowers[robber].bit_count() != 7 or len(ones) != 1:
        yield f"flower: seat {robber} is asked with {h.flowers[robber].bit_count()} flowers about those of {ones}"
    elif on == "on_turn" and ones != [h.turn]:
        yield f"flower: of seat {ones[0]}, but seat {h.turn} exposed one"
    if on not in ("on_turn", "on_exposure", None):
        yield f"flower: seat {robber} is asked, but flowers win {on}"
    if h.resume >= 0 and h.resume != h.turn:
        yield f"resume: seat {h.resume} would go on, but the turn is seat {h.turn}'s"
    if on == "on_turn" and (h.resume < 0 or h.drawable() <= 0):
        yield f"flower: seat {robber} is asked with {h.drawable()} drawable tiles left"
    if h.resume < 0 and (h.n_discards or any(h.n_melds)):
        yield "resume: no seat would go on after a pass"
    if h.legal[W_OTHER] != bits([FLOWER_WIN - OTHER, PASS - OTHER]):
        yield "legal: flower_win or pass is the question"
