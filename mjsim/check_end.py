"""Payments during play, settlements, scores, how the hand ended and what it hands on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from mjsim.check_plain import SEATS, WEST, chased
from mjsim.hand_record import END_DRAW, END_FLOWER, END_WIN, OVER
from mjsim.melds import KONG_CONCEALED
from mjsim.ruleset.record import S_FLOWER, S_WIN, SELF_DRAW
from mjsim.tiles import FIRST_HONOR
from mjsim.view import instant_payments

MIXED, BLUE, RED = 1, 2, 4


def result(h: Any) -> Iterator[str]:
    """All that is wrong with payments, and after the end with what follows."""
    yield from _settlements(h)
    yield from _instants(h)
    if h.rules is not None:
        yield from _instants_by_rules(h)
    if h.phase == OVER:
        yield from _over(h)
        if h.rules is not None:
            yield from _over_by_rules(h)
    elif h.next_pool != h.pool:
        yield f"next_pool: {h.next_pool} before the end, but the pool has {h.pool}"


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
        if h.settle_kind[i] == S_WIN and (payer < 0) != (h.settle_how[i] == SELF_DRAW):
            yield f"{where}: seat {payer} pays a win of kind {h.settle_how[i]}"
        if sum(h.settle_items[i]) != h.settle_tai[i] or min(h.settle_items[i]) < 0:
            yield f"{where}: {h.settle_tai[i]} tai, but the items have {sum(h.settle_items[i])}"
    winners = [(h.settle_winner[i], h.settle_kind[i]) for i in range(h.n_settlements)]
    if len(set(winners)) != len(winners):
        yield "settlements: one seat's win is settled twice"
    for name in ("settle_items", "settle_payments"):
        if any(any(row) for row in getattr(h, name)[h.n_settlements :]):
            yield f"{name}: filled beyond the settlements"


# --- payments during play -------------------------------------------------------------------------------------------


def _instants(h: Any) -> Iterator[str]:
    for i in range(h.n_instants):
        winner, payer, tai = h.instant_winner[i], h.instant_payer[i], h.instant_tai[i]
        if tai <= 0 or (winner >= 0 and payer >= 0):
            yield f"instant {i}: {tai} points to seat {winner} from seat {payer}"
    if any(h.instant_tai[h.n_instants :]):
        yield "instant_tai: filled beyond the payments"


def _bouquets(mask: int) -> int:
    """The bouquets among a seat's flowers: all four numbers in both colours, all of 1f-4f, all of 5f-8f (hk16 r6)."""
    blue, red = mask & 15, mask >> 4
    mixed = MIXED if blue and red and blue | red == 15 else 0
    return mixed | (BLUE if blue == 15 else 0) | (RED if red == 15 else 0)


def _due(h: Any) -> Iterator[tuple[int, int, int, int]]:
    """(item, winner, payer, points) of every payment that the record's own state calls for, whatever its order."""
    if h.flag("instant_payments"):
        if len(set(h.dice)) == 1:
            yield h.item("dice_triple"), h.dealer, -1, h.tai("dice_triple", 1 if h.dice[0] in (1, 6) else 0)
        for s in SEATS:
            if h.bouquets[s] & MIXED:
                yield h.item("mixed_bouquet"), s, -1, h.tai("mixed_bouquet")
            for colour in (BLUE, RED):
                if h.bouquets[s] & colour:
                    yield h.item("pure_bouquet"), s, -1, h.tai("pure_bouquet")
            for i in range(h.n_melds[s]):
                if h.meld_type[s][i] == KONG_CONCEALED:
                    yield h.item("concealed_gong_declared"), s, -1, h.tai("concealed_gong_declared")
    if h.flag("chase_payments"):
        for i in range(h.n_discards):
            kind = h.discards[i]
            payer = chased(h, kind, i)
            if payer >= 0 and kind != WEST:
                yield h.item("chasing"), -1, payer, h.tai("chasing", 0 if kind >= FIRST_HONOR else 1)
    if h.flag("draw_pool") and h.phase == OVER:
        if h.n_settlements == 0:
            yield h.item("drawn_hand"), -1, -1, h.tai("drawn_hand")
        elif (taker := _pool_taker(h)) >= 0:
            yield h.item("drawn_pool"), taker, -1, h.pool


def _pool_taker(h: Any) -> int:
    """Who takes the pool: a self-drawn or flower win that no single seat pays (hk16 r18); -1 for nobody."""
    takers = [
        h.settle_winner[i]
        for i in range(h.n_settlements)
        if h.settle_payer[i] < 0 and (h.settle_kind[i] == S_WIN or h.flag("flower_wins") == "seven_or_eight")
    ]
    return takers[0] if takers else -1


def _instants_by_rules(h: Any) -> Iterator[str]:
    if h.flag("instant_payments") and h.phase != OVER:
        for s in SEATS:
            if h.bouquets[s] != _bouquets(h.flowers[s]):
                yield f"bouquets[{s}]: {h.bouquets[s]}, but the flowers make {_bouquets(h.flowers[s])}"
    found = Counter(
        (h.instant_item[i], h.instant_winner[i], h.instant_payer[i], h.instant_tai[i]) for i in range(h.n_instants)
    )
    due = Counter(payment for payment in _due(h) if payment[3])
    for item, winner, payer, tai in sorted(found.keys() | due.keys()):
        n, wanted = found[item, winner, payer, tai], due[item, winner, payer, tai]
        if n != wanted:
            name = h.rules.item_ids[item] if item < len(h.rules.item_ids) else f"item {item}"
            yield f"instants: {name} of {tai} to seat {winner} from seat {payer} {n} times, but {wanted} are due"


# --- after the end --------------------------------------------------------------------------------------------------


def _over(h: Any) -> Iterator[str]:
    if h.n_legal or any(h.legal):
        yield "legal: actions after the end"
    kinds = h.settle_kind[: h.n_settlements]
    end = END_WIN if S_WIN in kinds else END_FLOWER if S_FLOWER in kinds else END_DRAW
    if h.end != end:
        yield f"end: {h.end}, but {end} follows from the settlements"
    # What the pool gains the seats lose.
    if sum(h.scores) != h.pool - h.next_pool:
        yield f"scores: {h.scores} sum to {sum(h.scores)}, but the pool went from {h.pool} to {h.next_pool}"
    if not 0 <= h.next_dealer <= 3 or h.next_streak < 0 or not 0 <= h.next_prevailing <= 3:
        yield f"next: dealer {h.next_dealer}, streak {h.next_streak}, wind {h.next_prevailing}"
    elif h.next_dealer not in (h.dealer, (h.dealer + 1) % 4):
        yield f"next_dealer: {h.next_dealer} after {h.dealer}"


def _over_by_rules(h: Any) -> Iterator[str]:
    payments = [h.settle_payments[i] for i in range(h.n_settlements)]
    for i in range(h.n_instants):
        from_pool = h.instant_item[i] == h.item("drawn_pool")
        payments.append(instant_payments(h.instant_winner[i], h.instant_payer[i], h.instant_tai[i], from_pool))
    sums = [sum(row[s] for row in payments) for s in SEATS]
    if h.scores != sums:
        yield f"scores: {h.scores}, but the payments sum to {sums}"
    if h.end == END_DRAW and h.drawable():
        # Also where a seat with seven flowers finds no replacement, there is none left (hk16 r7, house16 10).
        yield f"end: a draw with {h.drawable()} drawable tiles left"
    wins = sum(kind == S_WIN for kind in h.settle_kind[: h.n_settlements])
    most = {"nearest": (0, 1), "three_or_nearest": (0, 1, 3), "all": (0, 1, 2, 3)}[h.flag("winners")]
    if wins not in most:
        yield f"settlements: {wins} winners, but {h.flag('winners')} win"
    yield from _next(h)


def _next(h: Any) -> Iterator[str]:
    """Who deals next, and the pool."""
    winners = {h.settle_winner[i] for i in range(h.n_settlements)}
    if not winners:
        stays = h.flag("dealer_keeps_draw")
    else:
        stays = h.dealer in winners and (len(winners) == 1 or h.flag("dealer_keeps_shared"))
    if stays and h.streak < h.flag("streak_cap"):
        wanted = (h.dealer, h.streak + 1, h.prevailing, 0)
    else:
        dealer = (h.dealer + 1) % 4
        round_ends = dealer == 0
        match_over = int(round_ends and h.prevailing == 3 and h.flag("match_ends"))
        wanted = (dealer, 0, (h.prevailing + round_ends) % 4, match_over)
    found = (h.next_dealer, h.next_streak, h.next_prevailing, h.match_over)
    if found != wanted:
        yield f"next: dealer, streak, wind and match over {found}, but {wanted} follow"
    pool = h.pool
    if h.flag("draw_pool"):
        if h.n_settlements == 0:
            pool += 4 * h.tai("drawn_hand")
        elif _pool_taker(h) >= 0:
            pool = 0
    if h.next_pool != pool:
        yield f"next_pool: {h.next_pool} after {h.pool}, but {pool} follows"
