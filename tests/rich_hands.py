"""Hands in which much happens: walls biased towards calls, kongs, ready hands and flowers, and choosers that go for them.

Owns the making of such hands from a `random.Random`, for every test that wants many decisions of all phases.
It knows the rules only through `Hand.legal()` and through what a hand of each rule set is set up with.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import mjsim
from mjsim.flow.luck import PAIRINGS_TABLE
from mjsim.tiles import FIRST_FLOWER, FULL_SET, KIND, N_TILES
from tests.oracles import ORACLES

SEATS = 4
DOUQUE = ("douque-american", "douque-taiwanese")
FAMILIES = ("four-winds", "hk16", "house16")
RULE_SETS = (*DOUQUE, *FAMILIES)

#: A chooser picks one of `hand.legal()`.
Chooser = Callable[[random.Random, mjsim.Hand], str]


# --- walls ----------------------------------------------------------------------------------------------------------


def _plain(rng: random.Random) -> list[int]:
    wall = FULL_SET.tolist()
    rng.shuffle(wall)
    return wall


def _dealt(rng: random.Random, wanted: Callable[[list[int], int], list[int]]) -> list[int]:
    """A wall whose deal gives each place 12-16 of the tiles that `wanted(pool, place)` lists, in that order."""
    pool = _plain(rng)
    hands: list[list[int]] = []
    for place in range(SEATS):
        hand = wanted(pool, place)[: rng.randrange(13, 17)]
        for tile in hand:
            pool.remove(tile)
        hands.append(hand)
    rng.shuffle(pool)
    for hand in hands:
        while len(hand) < 16:
            hand.append(pool.pop())
    return [tile for i in range(0, 16, 4) for hand in hands for tile in hand[i : i + 4]] + pool


def suited_wall(rng: random.Random) -> list[int]:
    """Each place gets mostly one suit (or honors): flushes, chows, many claims."""
    suits = rng.sample(range(4), 4)
    return _dealt(rng, lambda pool, place: [t for t in pool if t < FIRST_FLOWER and t // 9 == suits[place]])


def run_wall(rng: random.Random) -> list[int]:
    """Each place gets neighbouring kinds: hands near ready from the start."""

    def wanted(pool: list[int], place: int) -> list[int]:
        tiles = sorted(t for t in pool if t < FIRST_FLOWER)
        start = rng.randrange(len(tiles) - 18)
        return tiles[start : start + 18]

    return _dealt(rng, wanted)


def same_wall(rng: random.Random) -> list[int]:
    """Each place gets all copies of a few kinds: pungs and kongs of all sorts."""

    def wanted(pool: list[int], place: int) -> list[int]:
        kinds = sorted({t for t in pool if t < FIRST_FLOWER})
        return [t for kind in rng.sample(kinds, 6) for t in [kind] * pool.count(kind)]

    return _dealt(rng, wanted)


def flower_wall(rng: random.Random) -> list[int]:
    """One place is dealt five to eight flowers, the others come early or late: flower wins and robbed flowers."""
    flowers = list(range(FIRST_FLOWER, FIRST_FLOWER + 8))
    rng.shuffle(flowers)
    rest = [tile for tile in _plain(rng) if tile < FIRST_FLOWER]
    place = rng.randrange(SEATS)
    dealt = [16 * i + 4 * place + j for i in range(4) for j in range(4)]
    places = rng.sample(dealt, rng.randrange(5, 9))
    free = [i for i in range(N_TILES) if i not in places]
    while len(places) < 8:
        at = rng.choice(free[:100] if rng.random() < 0.7 else free[-12:])
        free.remove(at)
        places.append(at)
    wall = [-1] * N_TILES
    for at, flower in zip(places, flowers, strict=True):
        wall[at] = flower
    return [tile if tile >= 0 else rest.pop() for tile in wall]


def rob_wall(rng: random.Random) -> list[int]:
    """Two places wait for a kind of which a third holds three, and the last comes early: kongs that may be robbed."""
    pool = _plain(rng)
    kind = 9 * rng.randrange(3) + rng.randrange(1, 8)

    def take(tiles: list[int]) -> bool:
        if any(pool.count(t) < tiles.count(t) for t in tiles):
            return False
        for t in tiles:
            pool.remove(t)
        return True

    def ready() -> list[int]:
        hand = [kind - 1, kind + 1]
        while len(hand) < 16:
            low = rng.randrange(27)
            size = 2 if len(hand) == 14 else 3
            group = [low] * size if size == 2 or rng.random() < 0.2 else [low, low + 1, low + 2]
            if kind not in group and group[0] // 9 == group[-1] // 9 and group[-1] < 27 and take(group):
                hand += group
        return hand

    take([kind] * 4 + [kind - 1, kind + 1] * 2)
    hands = [[kind] * 3, ready(), ready(), [kind] if rng.random() < 0.5 else []]
    rng.shuffle(pool)
    for hand in hands:
        while len(hand) < 16:
            hand.append(pool.pop(next(i for i, t in enumerate(pool) if t < FIRST_FLOWER)))
        rng.shuffle(hand)
        if kind not in hand and rng.random() < 0.5:
            # One tile short of ready, so that the pung comes before the wait.
            i, j = rng.randrange(16), rng.choice([j for j, t in enumerate(pool) if t < FIRST_FLOWER])
            hand[i], pool[j] = pool[j], hand[i]
    for _ in range(4 - sum(hand.count(kind) for hand in hands)):
        pool.insert(rng.randrange(1, 30), kind)
    rng.shuffle(hands)
    return [tile for i in range(0, 16, 4) for hand in hands for tile in hand[i : i + 4]] + pool


WALLS = (_plain, suited_wall, run_wall, same_wall, flower_wall, rob_wall)


# --- choosers -------------------------------------------------------------------------------------------------------


def any_choice(rng: random.Random, hand: mjsim.Hand) -> str:
    return rng.choice(hand.legal())


def _among(legal: list[str], *words: str) -> list[str]:
    return [action for action in legal if action.split()[0] in words]


def keen_choice(rng: random.Random, hand: mjsim.Hand, win: float = 0.6) -> str:
    """Goes for wins, declarations, kongs and calls, but not always; else keeps shanten low."""
    legal = hand.legal()
    for words, chance in (
        (("win", "flower_win"), win),
        (("ready", "declare"), 0.5),
        (("kong", "pung"), 0.6),
        (("chow",), 0.3),
    ):
        found = _among(legal, *words)
        if found and rng.random() < chance:
            return rng.choice(found)
    lost = _among(legal, "discard", "give")
    return _nearest(rng, hand, lost) if lost else rng.choice(legal)


def _nearest(rng: random.Random, hand: mjsim.Hand, lost: list[str]) -> str:
    """Of these discards (or gives) one after which the hand lacks least."""
    melds = int(hand.record["n_melds"][hand.seat])
    rules = hand.rules if hand.rules.array["specials"][0] else None
    best: tuple[int, float, str] | None = None
    for action in lost:
        counts = hand.record["counts"][hand.seat].copy()
        counts[KIND[action.split()[1]]] -= 1
        far = mjsim.shanten(counts, melds, rules=rules) if counts.sum() in (16 - 3 * melds, 17 - 3 * melds) else 0
        entry = (far, rng.random(), action)
        if best is None or entry < best:
            best = entry
    assert best is not None
    return best[2]


def follow_choice(rng: random.Random, hand: mjsim.Hand) -> str:
    """Discards what has been discarded most often already, claims nothing and wins seldom."""
    legal = hand.legal()
    lost = _among(legal, "discard")
    if not lost or rng.random() < 0.05:
        return "pass" if "pass" in legal else rng.choice(legal)
    gone = hand.record["discarded"].sum(axis=0)
    return max(lost, key=lambda action: (gone[KIND[action.split()[1]]], rng.random()))


def robbing_choice(rng: random.Random, hand: mjsim.Hand) -> str:
    """Pungs and kongs what it can, keeps the fourth tile for its pungs, and wins on a robbed kong rather than a discard."""
    legal = hand.legal()
    if hand.phase == "claim":
        return next((action for action in ("pung", "kong") if action in legal), "pass")
    for word in ("kong", "win", "flower_win", "declare"):
        if found := _among(legal, word):
            return found[0]
    lost = _among(legal, "discard", "give")
    kept = int(hand.record["pungs"][hand.seat])
    free = [action for action in lost if not kept >> KIND[action.split()[1]] & 1]
    return _nearest(rng, hand, free or lost) if lost else rng.choice(legal)


# --- hands ----------------------------------------------------------------------------------------------------------


def rich_setup(rng: random.Random, names: Sequence[str] = DOUQUE) -> dict[str, Any]:
    """Arguments of `mjsim.Hand` (with "rules") for a rich hand somewhere in a match of one of the rule sets."""
    name = rng.choice(names)
    if name in FAMILIES:
        return _family_setup(rng, name)
    options: dict[str, Any] = {}
    if rng.random() < 0.3:
        options["min_tai"] = rng.choice([0, 2, 3, 5])
    if name == "douque-american" and rng.random() < 0.5:
        options["exchange"] = False
    return {
        "rules": mjsim.rules(name, **options),
        "wall": rng.choice(WALLS)(rng),
        "dice": [rng.randint(1, 6) for _ in range(3)],
        "pairings": [PAIRINGS_TABLE[rng.randrange(9)].tolist() for _ in range(2)],
        "dealer": rng.randrange(4),
        "streak": rng.choice([0, 0, 1, 5, 17, 18]),
        "prevailing": rng.randrange(4),
        "east": rng.randrange(4),
        "hand": rng.choice([0, 3]),
    }


#: Items that make a table of their own of the rule set; in hk16 mostly so that any complete hand reaches the minimum.
_ITEMS: dict[str, tuple[dict[str, Any], ...]] = {
    "four-winds": (
        {"winning_hand": 0, "honor_pung": 4},
        {"original_call": 1, "eight_immortals": 3, "seven_robs_one": 7},
    ),
    "hk16": (
        {"mahjong": 26},
        {"mahjong": 30, "seven_flowers": [1, 2, 3, 4], "chicken_hand": 0},
        {"dealer_streak": [9, 9]},
    ),
    "house16": (
        {"concealed_hand": 1, "melded_hand": 1, "dragon_pung": 1, "prevalent_wind": 1, "seat_wind": 1},
        {"base_win": 0, "seven_robs_one": 3},
    ),
}


def family_options(rng: random.Random, name: str) -> dict[str, Any]:
    """Options of one of `FAMILIES` that its plain flow knows: mostly none."""
    chance = 0.5 if name == "hk16" else 0.25
    return {"items": rng.choice(_ITEMS[name])} if rng.random() < chance else {}


def _family_setup(rng: random.Random, name: str) -> dict[str, Any]:
    """`rich_setup` of a rule set other than Douque: half the walls are those of its plain flow."""
    line = ORACLES[name].rigged_line(rng, name)
    options = family_options(rng, name)
    if rng.random() < 0.5:
        make = rng.choice((*WALLS, rob_wall))
        line["wall"] = make(rng)
        if name == "hk16" and make is rob_wall:
            options = {"items": {"mahjong": 26}}  # the plain hands of these walls must be able to win
    # A streak that passes the deal in hk16, and one that would in Douque.
    streak = rng.choice([0, 0, 1, 2] if name == "hk16" else [0, 1, 2, 18, 30])
    return {
        "rules": mjsim.rules(name, **options),
        **{key: line[key] for key in ("wall", "dice", "dealer", "prevailing", "east", "carry")},
        "streak": streak,
        "hand": rng.choice([0, 3]),
    }


def rich_chooser(rng: random.Random, name: str = DOUQUE[0]) -> Chooser:
    """One of the choosers: at random, keen, or keen but slow to win; beside Douque also those that go for rare things."""
    choosers: list[Chooser] = [any_choice, keen_choice, keen_choice, partial(keen_choice, win=0.1)]
    if name in FAMILIES:
        choosers += [robbing_choice] + [follow_choice] * (name == "hk16")
    return rng.choice(choosers)


def rich_hands(n: int, seed: int, names: Sequence[str] = DOUQUE) -> Iterator[mjsim.Hand]:
    """n finished rich hands."""
    for hand, steps in rich_games(n, seed, names):
        for _ in steps:
            pass
        yield hand


def rich_games(n: int, seed: int, names: Sequence[str] = DOUQUE) -> Iterator[tuple[mjsim.Hand, Iterator[mjsim.Hand]]]:
    """n rich hands, each with an iterator that stops at every decision (before it is made) and plays on to the end."""
    rng = random.Random(seed)
    for _ in range(n):
        hand = mjsim.Hand(**rich_setup(rng, names))
        yield hand, _steps(rng, hand, rich_chooser(rng, hand.rules.name))


def _steps(rng: random.Random, hand: mjsim.Hand, choose: Chooser) -> Iterator[mjsim.Hand]:
    while not hand.over:
        yield hand
        hand.apply(choose(rng, hand))


def rich_decisions(n_hands: int, seed: int, names: Sequence[str] = DOUQUE) -> Iterator[mjsim.Hand]:
    """Every decision of n rich hands, before it is made; the hand goes on when the next one is asked for."""
    for _, steps in rich_games(n_hands, seed, names):
        yield from steps
