"""Moving tiles: add, remove, meld, draw with its flowers. Every tile that changes place passes through here."""

from __future__ import annotations

import numpy as np

from mjsim.flow.settle import end_draw, finish, move_flower, settle_collected, settle_flower, settle_instant
from mjsim.hand_record import FLOWER, TURN
from mjsim.jit import kernel, popcount
from mjsim.melds import CHOW, KONG_CONCEALED, MELD_PUNG
from mjsim.ruleset.record import FLOWERS_ON_EXPOSURE, FLOWERS_ON_REPLACEMENT, FLOWERS_ON_TURN, SEVEN_OR_EIGHT
from mjsim.shapes.kernels import POWER


@kernel
def bit(k):
    return np.uint64(1) << np.uint64(k)


@kernel
def has(word, k):
    return (word >> np.uint64(k)) & np.uint64(1) != np.uint64(0)


@kernel
def add_tile(h, s, k):
    n = h.counts[s, k] + 1
    h.counts[s, k] = n
    h.keys[s, k // 9] += POWER[k]
    h.have[s] |= bit(k)
    if n >= 2:
        h.twos[s] |= bit(k)
        if n >= 3:
            h.threes[s] |= bit(k)
            if n == 4:
                h.quads[s] |= bit(k)


@kernel
def remove_tiles(h, s, k, n):
    left = h.counts[s, k] - n
    h.counts[s, k] = left
    h.keys[s, k // 9] -= n * POWER[k]
    if left < 3:
        h.threes[s] &= ~bit(k)
        if left < 2:
            h.twos[s] &= ~bit(k)
            if left == 0:
                h.have[s] &= ~bit(k)
    h.quads[s] &= ~bit(k)


@kernel
def add_meld(h, s, meld_type, tile, claimed, source):
    """Put a meld in front of seat s; its tiles have left the hand already. Whether a concealed kong is shown is a flag."""
    i = h.n_melds[s]
    h.meld_type[s, i] = meld_type
    h.meld_tile[s, i] = tile
    h.meld_claimed[s, i] = claimed
    h.meld_from[s, i] = source
    h.n_melds[s] = i + 1
    if meld_type != KONG_CONCEALED:
        h.n_exposed[s] += 1
    if meld_type == CHOW:
        for j in range(3):
            h.melded[s, tile + j] += 1
            h.shown[tile + j] += 1
    elif meld_type == MELD_PUNG:
        h.melded[s, tile] += 3
        h.shown[tile] += 3
        h.pungs[s] |= bit(tile)
    else:
        h.melded[s, tile] += 4
        if meld_type != KONG_CONCEALED:
            h.shown[tile] += 4
    h.any_claim = 1


@kernel
def drawable(h, r):
    """Tiles that may still be drawn; the kept-back ones are a count."""
    return np.int64(h.tail) - np.int64(h.head) - np.int64(r.kept_back)


@kernel
def expose_flower(h, r, s, flower):
    """Put a flower in front of seat s; a bouquet that it completes is paid at once, the mixed one first (hk16 r6)."""
    mask = np.int64(h.flowers[s]) | 1 << flower
    h.flowers[s] = mask
    h.n_flowers += 1
    h.flower_time[flower] = h.n_flowers
    if not r.instant_payments:
        return
    blue, red = mask & 15, mask >> 4
    if blue | red == 15 and blue and red and not h.bouquets[s] & 1:
        h.bouquets[s] |= 1
        settle_instant(h, r, r.mixed_bouquet_item, 0, s, np.int64(-1))
    if blue == 15 and not h.bouquets[s] & 2:
        h.bouquets[s] |= 2
        settle_instant(h, r, r.pure_bouquet_item, 0, s, np.int64(-1))
    if red == 15 and not h.bouquets[s] & 4:
        h.bouquets[s] |= 4
        settle_instant(h, r, r.pure_bouquet_item, 0, s, np.int64(-1))


@kernel
def holder_of(h, me, number):
    """The other seat with `number` flowers, -1 if there is none."""
    for i in range(1, 4):
        s = (me + i) % 4
        if popcount(np.uint64(h.flowers[s])) == number:
            return s
    return -1


@kernel
def take(h, r, s, from_tail):
    """Seat s draws for its turn, replacing flowers, until a tile comes, a flower win is asked or made, or the wall ends.

    Leads to TURN, FLOWER or the end of the hand.
    """
    h.turn = s
    h.claim_turn = 0
    h.barred = np.uint64(0)
    tail = from_tail
    due = np.int64(h.flower_due) == s
    while True:
        if drawable(h, r) <= 0:
            end_draw(h, r)
            return
        if tail:
            h.tail -= 1
            k = np.int64(h.wall[h.tail])
        else:
            if h.own_streams:
                _bring_forward(h, s)
            k = np.int64(h.wall[h.head])
            h.head += 1
        if k < 34:
            break
        expose_flower(h, r, s, k - 34)
        tail = True
        if r.flower_wins == FLOWERS_ON_TURN:
            if h.n_flowers == 8:
                robber = holder_of(h, s, 7)
                # Case 2: asked before the owner's replacement; the robber needs a drawable tile (douque 31).
                if robber >= 0 and drawable(h, r) > 0:
                    ask_flower_win(h, robber, s)
                    return
            if popcount(np.uint64(h.flowers[s])) == 7 and holder_of(h, s, 1) >= 0:
                h.case_one = s
        elif r.flower_wins == FLOWERS_ON_EXPOSURE:
            if h.n_flowers == 8 and flowers_settle_or_ask(h, r, s):
                return
        elif r.flower_wins == FLOWERS_ON_REPLACEMENT and h.n_flowers == 8:
            if popcount(np.uint64(h.flowers[s])) == 7:
                due = True  # its own replacement first, then the win (house16 11)
            else:
                robber = holder_of(h, s, 7)
                if robber >= 0:
                    _rob_with_replacement(h, r, robber, s)
                    return
    add_tile(h, s, k)
    h.drawn = k
    h.drawn_at = h.tail if tail else h.head - 1
    h.replacement = 1 if tail else 0
    h.phase = TURN
    h.seat = s
    if due:
        rob_the_one(h, r, s)
    elif r.flower_wins == SEVEN_OR_EIGHT and tail and popcount(np.uint64(h.flowers[s])) >= 7:
        settle_collected(h, r, s)
        finish(h, r)


@kernel
def _bring_forward(h, s):
    """Per-seat draw streams: the next tile of seat s moves to the head of the wall, before those of the others.

    So a claim does not shift what the others draw, and the wall, read afterwards, is one that replays as any other.
    """
    head = np.int64(h.head)
    for i in range(head, np.int64(h.tail)):
        if h.stream_of[i] == s:
            tile = h.wall[i]
            for j in range(i, head, -1):
                h.wall[j] = h.wall[j - 1]
                h.stream_of[j] = h.stream_of[j - 1]
            h.wall[head] = tile
            h.stream_of[head] = s
            return


@kernel
def ask_flower_win(h, robber, resume):
    """Ask the seat with seven flowers; after a pass seat `resume` goes on drawing, or the opening does (-1)."""
    h.phase = FLOWER
    h.seat = robber
    h.resume = resume


@kernel
def flowers_settle_or_ask(h, r, resume):
    """All eight flowers lie open: of one seat they win by themselves, seven to one the seat with seven is asked.

    Returns whether the hand is over or the question stands (four-winds 17, 18).
    """
    for s in range(4):
        n = popcount(np.uint64(h.flowers[s]))
        if n == 8:
            settle_flower(h, r, s, np.int64(-1), False)
            finish(h, r)
            return True
        if n == 7:
            ask_flower_win(h, s, resume)
            return True
    return False


@kernel
def rob_the_one(h, r, s):
    """Seat s with seven flowers robs the eighth from whoever holds it and wins."""
    owner = holder_of(h, s, 1)
    move_flower(h, s, owner)
    settle_flower(h, r, s, owner, False)
    finish(h, r)


@kernel
def _rob_with_replacement(h, r, robber, revealer):
    """The seat with seven takes the revealer's replacement and wins; without a tile left the hand is drawn (house16 10)."""
    if drawable(h, r) <= 0:
        end_draw(h, r)
        return
    h.tail -= 1
    add_tile(h, robber, np.int64(h.wall[h.tail]))
    rob_the_one(h, r, robber)
