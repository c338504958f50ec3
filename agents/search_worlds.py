"""Worlds for `search`: what a seat cannot see, dealt anew so that it agrees with what the seat has seen.

* The unseen tiles go at random to the other hands and the wall. A hand that has played on is then better than a random one:
  it draws from the wall as often as its seat has drawn, each time losing a tile that leaves it nearest. Tiles
  lacking come out as in hands of `heuristic`, turn by turn.
* A declared seat gets a hand that waits, for no tile that was discarded since it declared.
* Exchanges to come are paired anew; gifts are made as `heuristic` would, tile by tile.

In a world every seat draws from tiles of its own (`own_streams`), so that two actions are compared on the same draws.
Nothing hidden enters: a world is the same whatever the true tiles are.
"""

from __future__ import annotations

import numpy as np

from mjsim.actions import GIVE, W_GIVE
from mjsim.agents.heuristic import best_gifts
from mjsim.agents.heuristic_sight import GIVE_HONORS, GIVE_VALUE, load, lose, sight
from mjsim.flow.claims import call_options
from mjsim.flow.lacking import lack_of, nearest_discards
from mjsim.flow.luck import PAIRINGS_TABLE, below
from mjsim.flow.moves import add_tile, has, remove_tiles
from mjsim.flow.visible import sees_meld, unseen_by
from mjsim.hand_record import CHOICE, CLAIM
from mjsim.hand_record import GIVE as GIVE_PHASE
from mjsim.jit import call, kernel, lowest_bit, popcount
from mjsim.melds import KONG_CONCEALED
from mjsim.shapes.kernels import reaching, tables_at
from mjsim.tiles import N_TILES

#: Tries to find melds and a pair for a waiting hand, and hands tried for one whose waits agree with the discards.
TRIES = 30
WAITING_HANDS = 8
#: Rounds of three tiles that an exchange is worth as draws.
EXCHANGE_DRAWS = 3
N_PAIRINGS = len(PAIRINGS_TABLE)


@kernel
def _forget(w, s):
    """Empty the hand of seat s, and what only that seat knows."""
    for k in range(34):
        w.counts[s, k] = 0
    for i in range(4):
        w.keys[s, i] = 0
    w.have[s] = np.uint64(0)
    w.twos[s] = np.uint64(0)
    w.threes[s] = np.uint64(0)
    w.quads[s] = np.uint64(0)
    w.skipped_win[s] = 0
    w.skipped_pung[s] = np.uint64(0)
    w.passed[s] = np.uint64(0)
    w.stopped[s] = 0
    w.options[s] = np.uint64(0)
    w.answers[s] = -1


@kernel
def _shuffle(tiles, n, rng):
    for i in range(n - 1, 0, -1):
        j = below(rng, 0, i + 1)
        tiles[i], tiles[j] = tiles[j], tiles[i]


@kernel
def _deal_waiting(pool, rng, need, hand):
    """Fill int64[34] `hand` with `need` melds and a pair less one tile, drawn from the counts `pool`; False without luck."""
    for _ in range(TRIES):
        for k in range(34):
            hand[k] = 0
        made = 0
        for _ in range(12 * need):
            if made == need:
                break
            k = below(rng, 0, 34)
            if k >= 27 or below(rng, 0, 4) == 0:
                if pool[k] - hand[k] >= 3:
                    hand[k] += 3
                    made += 1
            elif k % 9 <= 6 and pool[k] > hand[k] and pool[k + 1] > hand[k + 1] and pool[k + 2] > hand[k + 2]:
                for j in range(3):
                    hand[k + j] += 1
                made += 1
        if made < need:
            continue
        for _ in range(40):
            k = below(rng, 0, 34)
            if pool[k] - hand[k] < 2:
                continue
            hand[k] += 2
            gone = below(rng, 0, 3 * need + 2)
            for tile in range(34):
                gone -= hand[tile]
                if gone < 0:
                    hand[tile] -= 1
                    return True
    return False


@kernel
def _waits_agree(h, r, w, s):
    """Whether declared seat s of world w waits for nothing that others discarded since it declared."""
    waits = reaching(tables_at(r.tables), w.counts[s], w.keys[s], 5 - w.n_melds[s], 0)
    last = np.int64(h.n_discards) - (1 if h.phase == CLAIM else 0)
    for i in range(max(0, np.int64(h.declared_at[s])), last):
        if h.discarder[i] != s and has(waits, h.discards[i]):
            return False
    return True


@kernel
def _deal_declared(h, r, w, s, pool, rng):
    """Deal seat s, which has declared, a waiting hand out of the pool; False when none was found."""
    hand = np.empty(34, np.int64)
    for i in range(WAITING_HANDS):
        if not _deal_waiting(pool, rng, 5 - np.int64(w.n_melds[s]), hand):
            return False
        _forget(w, s)
        for k in range(34):
            for _ in range(hand[k]):
                add_tile(w, s, k)
        if _waits_agree(h, r, w, s) or i == WAITING_HANDS - 1:
            break
    for k in range(34):
        pool[k] -= hand[k]
    return True


@kernel
def _deal_hidden_kongs(h, r, w, me, pool, rng):
    """Others' concealed kongs that seat `me` cannot see become any kinds of which all four are unseen."""
    for i in range(1, 4):
        s = (me + i) % 4
        for m in range(w.n_melds[s]):
            if w.meld_type[s, m] != KONG_CONCEALED or sees_meld(r, me, s, KONG_CONCEALED):
                continue
            n = 0
            for k in range(34):
                n += pool[k] == 4
            if n == 0:
                continue
            choice = below(rng, 0, n)
            for k in range(34):
                if pool[k] != 4:
                    continue
                if choice == 0:
                    w.melded[s, w.meld_tile[s, m]] -= 4
                    w.meld_tile[s, m] = k
                    w.melded[s, k] += 4
                    pool[k] = 0
                    break
                choice -= 1


@kernel
def _improve(r, w, s, draws, tiles, n, rng):
    """Seat s draws so often from the n tiles that are left and loses what leaves it nearest, any of equals."""
    for _ in range(draws):
        j = below(rng, 0, n)
        drawn = np.int64(tiles[j])
        add_tile(w, s, drawn)
        lowest, ties = nearest_discards(w, r, s, w.have[s])
        if lowest <= 1 and r.declare_ready:
            remove_tiles(w, s, drawn, 1)  # it would have declared
            continue
        for _ in range(below(rng, 0, popcount(ties))):
            ties &= ties - np.uint64(1)
        lost = np.int64(lowest_bit(ties))
        remove_tiles(w, s, lost, 1)
        tiles[j] = lost


@kernel
def deal_world(h, r, me, rng, w):
    """Deal what seat `me` cannot see anew into `w`, a copy of h; False when the tiles do not add up (no sound record).

    In an exchange w is taken back to its begin, with nobody's gift made. Draws from rng[0].
    """
    giving = h.phase == GIVE_PHASE
    pool = np.empty(34, np.int8)
    unseen_by(h, r, me, pool)
    sizes = np.zeros(4, np.int64)
    for i in range(1, 4):
        s = (me + i) % 4
        if giving:
            sizes[s] = 16 + (s == h.dealer and not r.dealer_draws_first)
        else:
            for k in range(34):
                sizes[s] += h.counts[s, k]
        _forget(w, s)
    _deal_hidden_kongs(h, r, w, me, pool, rng)
    for i in range(1, 4):
        s = (me + i) % 4
        if h.declared[s] and sizes[s] == 16 - 3 * h.n_melds[s] and _deal_declared(h, r, w, s, pool, rng):
            sizes[s] = 0
    tiles = np.empty(N_TILES, np.uint8)
    n = 0
    for k in range(34):
        for _ in range(pool[k]):
            tiles[n] = k
            n += 1
    _shuffle(tiles, n, rng)
    for i in range(1, 4):
        s = (me + i) % 4
        for _ in range(sizes[s]):
            n -= 1
            add_tile(w, s, np.int64(tiles[n]))
    if not giving and h.phase != CHOICE:
        for i in range(1, 4):
            s = (me + i) % 4
            if sizes[s]:
                _improve(r, w, s, h.n_discards_of[s] + EXCHANGE_DRAWS * np.int64(h.round), tiles, n, rng)
    for i in range(1, 4):
        s = (me + i) % 4
        w.distance[s] = lack_of(w, r, s)
    for flower in range(8):
        if h.flower_time[flower] == 0:
            tiles[n] = 34 + flower
            n += 1
    _shuffle(tiles, n, rng)
    if n != h.tail - h.head:
        return False
    for i in range(n):
        w.wall[h.head + i] = tiles[i]
    w.own_streams = 1
    for i in range(N_TILES):
        w.stream_of[i] = i & 3
    for e in range(h.round, 2):
        j = below(rng, 0, N_PAIRINGS)
        for s in range(4):
            w.pairings[e, s] = PAIRINGS_TABLE[j, s]
    if h.phase == CLAIM and h.stage == 2:
        # After a pass the next seat may chow; nobody else can pung what this seat can, and who could win has been asked.
        chower = (np.int64(h.claim_from) + 1) % 4
        if chower != me and h.declared[chower] == 0:
            w.options[chower] = call_options(w, r, chower, np.int64(h.claim_from), np.int64(h.claim_tile))
    return True


@kernel
def by_ukeire(c):
    """Let gifts be judged by shanten and ukeire alone, not by the honors that come back and what they pay."""
    c.p[GIVE_HONORS] = 0.0
    c.p[GIVE_VALUE] = 0.0


@kernel
def quick_gift(w, r, s, values, plain, gift, tables, seats):
    """Fill int64[3] `gift` with what seat s gives: each time the tile whose loss leaves most by the worth of `heuristic`.

    `plain`: by the fewest shanten and the most ukeire, whatever comes back. TABLE[1] and SEAT[1] are scratch.
    """
    best = np.empty((1, 3), np.int64)
    worth = np.empty(1, np.float64)
    sight(w, r, s, values, tables[0])
    if plain:
        by_ukeire(tables[0])
    load(w, s, seats[0])
    for j in range(3):
        best_gifts(tables_at(r.tables), tables[0], seats[0], 1, 1, best, worth)
        gift[j] = best[0, 0]
        lose(seats[0], gift[j], 1)


@kernel
def fill_gifts(w, r, values, plain, gifts, me, mine, tables, seats):
    """Fill int64[4, 3] `gifts` of the exchange that is just beginning; that of seat `me` only if not `mine`.

    The others give `plain` or not (`quick_gift`). TABLE[1] and SEAT[1] are scratch.
    """
    for s in range(4):
        if s != me or not mine:
            quick_gift(w, r, s, values, plain and s != me, gifts[s], tables, seats)


@kernel
def give_all(w, r, apply_at, gifts):
    """Give int64[4, 3] `gifts` in the exchange that is just beginning."""
    for i in range(4):
        s = (np.int64(w.dealer) + i) % 4
        for j in range(3):
            call(apply_at, (w, r, GIVE + gifts[s, j]))


@kernel
def begin_exchange(w):
    """Nobody has given yet in a world dealt in mid-exchange."""
    w.seat = w.dealer
    w.n_given = 0
    for s in range(4):
        for j in range(3):
            w.gives[w.round, s, j] = -1
    w.legal[W_GIVE] = w.have[w.dealer]
