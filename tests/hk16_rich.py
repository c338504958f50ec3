"""Random positions of `hk16`, nearly all complete, made so that many rows meet: `rich_position`.

Owns only what to generate. What a position scores is not known here; every one is valid by the formats page and
ruling 39.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tests.naive import format_tiles
from tests.naive_hk16 import GONGS, ORPHANS, SPREADS

SUITED = list(range(27))
HONOURS = list(range(27, 34))
SHEUNG_STARTS = [kind for kind in SUITED if kind % 9 <= 6]
THEMES = (
    *(
        "plain",
        "poor",
        "sheungs",
        "sheungs",
        "run",
        "run",
        "run",
        "brothers",
        "brothers",
        "sisters",
        "sisters",
        "steps",
    ),
    *("ends", "ends", "pongs", "pongs", "same", "honours", "winds", "dragons", "suit", "suit", "jewel", "narrow"),
    *("nico", "nico", "thirteen", "sixteen"),
)
SHARE_NOT_COMPLETE = 0.06


def _sheung(kind: int) -> list[int]:
    return [kind, kind + 1, kind + 2]


def _pong(kind: int) -> list[int]:
    return [kind] * 3


def _set_maker(rng: Random, theme: str) -> tuple[Any, list[int]]:
    """A function that proposes one set, and the kinds that the pair is chosen of."""
    low = 9 * rng.randrange(3)
    suit = list(range(low, low + 9))
    any_pong = [*SUITED, *HONOURS]
    start = rng.randrange(7)
    share = rng.random()

    def mixed(kinds: list[int], sheung_share: float) -> list[int]:
        starts = [kind for kind in kinds if kind < 27 and kind % 9 <= 6 and kind + 2 in kinds]
        if starts and rng.random() < sheung_share:
            return _sheung(rng.choice(starts))
        return _pong(rng.choice(kinds))

    if theme in ("run", "ends"):
        suits = [low] if rng.random() < 0.6 else [0, 9, 18]
        numbers = [0, 3, 6] if theme == "run" else [0, 6]
        pongs = 0.0 if rng.random() < 0.6 else 0.3
        pairs = ORPHANS if rng.random() < 0.5 else any_pong
        return (
            lambda: (
                _pong(rng.choice(ORPHANS)) if rng.random() < pongs else _sheung(rng.choice(suits) + rng.choice(numbers))
            )
        ), pairs
    if theme in ("brothers", "sisters"):
        suits = [low, low, (low + 9) % 27] if theme == "brothers" else [0, 9, 18]
        other = rng.choice([start, rng.randrange(7)])
        return lambda: _sheung(rng.choice(suits) + rng.choice([start, start, other])), any_pong
    if theme == "steps":
        return lambda: _sheung(9 * rng.randrange(3) + min(6, start % 4 + rng.randrange(5))), any_pong
    if theme == "sheungs":
        return lambda: _sheung(rng.choice(SHEUNG_STARTS)), any_pong
    if theme == "same":
        numbers = [rng.randrange(9) for _ in range(2)]
        return lambda: _pong(9 * rng.randrange(3) + rng.choice(numbers)), any_pong
    kinds = {
        "honours": HONOURS,
        "winds": [27, 28, 29, 30, rng.randrange(27)],
        "dragons": [31, 32, 33, rng.randrange(31)],
        "suit": suit + rng.choice([[], HONOURS]),
        "jewel": [*suit, 31 + rng.randrange(3)],
        "narrow": suit[start % 5 : start % 5 + 5],
    }.get(theme, any_pong)
    if theme == "pongs":
        kinds = rng.choice([any_pong, suit, ORPHANS, list(range(start, start + 3)) + HONOURS])
        share = 0.1
    if theme == "dragons" or theme == "winds":
        return lambda: mixed(any_pong, 0.8) if rng.random() < 0.2 else _pong(rng.choice(kinds)), kinds
    return lambda: mixed(kinds, share), kinds


def _standard(rng: Random, theme: str) -> tuple[list[list[int]], int, list[int]]:
    """Five sets, the kind of the pair and the copies left of each kind."""
    if theme == "poor":
        a, b, c = rng.sample([0, 9, 18], 3)
        sets = [_sheung(a + 1), _sheung(b + 4), _pong(c + 7), _pong(b + 3), _sheung(a + 6)]
        pair = rng.choice(HONOURS)
        used = [pair, pair, *(kind for group in sets for kind in group)]
        return sets, pair, [4 - used.count(kind) for kind in range(34)]
    while True:
        make, pairs = _set_maker(rng, theme)
        left = [4] * 34
        sets: list[list[int]] = []
        for _ in range(60):
            group = make()
            if len(sets) < 5 and all(left[kind] >= group.count(kind) for kind in group):
                sets.append(group)
                for kind in group:
                    left[kind] -= 1
        free = [kind for kind in pairs if left[kind] >= 2]
        if len(sets) == 5 and free:
            pair = rng.choice(free)
            left[pair] -= 2
            return sets, pair, left


def _call(rng: Random, group: list[int], left: list[int]) -> tuple[str, list[int]]:
    """A set as a meld; a Pong may be any Gong if the fourth tile is left."""
    if group[0] != group[1]:
        return "chow", group
    kind = rng.choice(["pung", "pung", "pung", *GONGS])
    if kind == "pung" or not left[group[0]]:
        return "pung", group
    left[group[0]] -= 1
    return kind, [group[0]] * 4


def _special(rng: Random, theme: str) -> list[int]:
    """The 17 tiles of a special hand."""
    if theme == "nico":
        kinds = list(rng.choice([range(34), range(18), ORPHANS, [*range(18, 27), 32], [*range(9), 27, 33]]))
        while True:
            n_fours = min(rng.choice([0, 0, 0, 1, 2, 3]), len(kinds) - 1)
            chosen = rng.sample(kinds, min(len(kinds), 8 - n_fours))
            if len(chosen) == 8 - n_fours:
                fours, pong, pairs = chosen[:n_fours], chosen[n_fours], chosen[n_fours + 1 :]
                return [k for k in fours for _ in range(4)] + [pong] * 3 + [k for k in pairs for _ in range(2)]
    if theme == "thirteen":
        while True:
            group = _sheung(rng.choice(SHEUNG_STARTS)) if rng.random() < 0.5 else _pong(rng.randrange(34))
            tiles = [*ORPHANS, rng.choice(ORPHANS), *group]
            if max(tiles.count(kind) for kind in tiles) <= 4:
                return tiles
    spreads = SPREADS if rng.random() < 0.5 else [(1, 4, 9), (1, 5, 9), (1, 6, 9)]
    tiles = [9 * suit + number - 1 for suit in range(3) for number in rng.choice(spreads)] + HONOURS
    return [*tiles, rng.choice(tiles)]


def _add_flags(rng: Random, position: dict[str, Any]) -> None:
    """Flags and `discards` that go with the rest, and the payer that an Earthly hand needs."""
    flags: list[str] = []
    kinds = [kind for kind, _ in position["melds"]]
    by, seat, dealer = position["by"], position["seat"], position["dealer"]
    discards: int | None = rng.choice([None, rng.randint(1, 7), rng.randint(6, 9), rng.randint(8, 60)])
    last_man = len(kinds) == 5 and "kong_concealed" not in kinds
    if by == "self_draw":
        if not kinds and seat == dealer and rng.random() < 0.4:
            flags.append("heavenly")
            discards = rng.choice([None, 0])
        n_gongs = sum(kind in GONGS for kind in kinds)
        if n_gongs >= 2 and rng.random() < 0.4:
            flags.append("kong_on_kong")
        if "heavenly" not in flags and rng.random() < 0.15:
            flags.append("last_tile")
        if rng.random() < 0.25:
            flags.append("flower_wall")
    elif by == "discard" and not kinds and seat != dealer and rng.random() < 0.15:
        flags.append("earthly")
        discards = rng.choice([None, 1])
        position["from"] = dealer
    if not (last_man or "heavenly" in flags or "earthly" in flags or "kong_on_kong" in flags):
        if rng.random() < 0.25:
            flags.append("closed")
    if rng.random() < 0.05:
        flags.append(rng.choice(["ready", "human", "replacement"]))  # ignored
    rng.shuffle(flags)
    position["flags"] = flags
    if discards is not None:
        position["discards"] = discards


def rich_position(rng: Random) -> dict[str, Any]:
    """A random position in which much is likely to score; about one in sixteen is not a complete hand."""
    theme = rng.choice(THEMES)
    melds: list[tuple[str, list[int]]] = []
    if theme in ("nico", "thirteen", "sixteen"):
        hand = _special(rng, theme)
        left = [4 - hand.count(kind) for kind in range(34)]
    else:
        sets, pair, left = _standard(rng, theme)
        rng.shuffle(sets)
        n_called = rng.choice([0, 0, 0, 1, 2, 3, 4, 5]) if theme != "poor" else rng.choice([3, 4])
        melds = [_call(rng, group, left) for group in sets[:n_called]]
        hand = [kind for group in sets[n_called:] for kind in group] + [pair] * 2
    by = rng.choice(["self_draw", "discard", "discard"])
    win_tile = rng.choice(hand)
    robbable = [kind for kind in hand if left[kind] == 3]
    if robbable and rng.random() < 0.12:
        by, win_tile = "rob_kong", rng.choice(robbable)
    hand.remove(win_tile)
    if rng.random() < SHARE_NOT_COMPLETE:
        other = [kind for kind in range(34) if left[kind] and not (by == "rob_kong" and kind == win_tile)]
        hand[rng.randrange(len(hand))] = rng.choice(other)

    seat = rng.randrange(4)
    dealer = seat if rng.random() < 0.3 else rng.randrange(4)
    position: dict[str, Any] = {
        "rules": "hk16",
        "hand": format_tiles(hand),
        "melds": [[kind, format_tiles(tiles)] for kind, tiles in melds],
        "win_tile": format_tiles([win_tile]),
        "by": by,
        "seat": seat,
        "dealer": dealer,
        "east": dealer,
        "streak": rng.choice([0, 0, 1, 2]),
        "prevailing": rng.choice(["1z", "2z", "3z", "4z"]),
        "flowers": format_tiles(sorted(rng.sample(range(34, 42), rng.choice([0, 0, 0, 1, 1, 2, 3, 4, 6])))),
        "dice": [rng.randint(1, 6) for _ in range(3)],
    }
    if by != "self_draw":
        position["from"] = (seat + rng.randint(1, 3)) % 4
    if theme == "poor":
        # A Chicken hand needs all but one point away.
        position.update(flowers=format_tiles(rng.sample(range(34, 42), rng.randrange(2))), flags=[], streak=0)
    else:
        _add_flags(rng, position)
    if rng.random() < 0.1:
        # What may be absent: fields at their default, and the dice, which never score.
        for field in ("melds", "flowers", "flags", "streak"):
            if not position[field]:
                del position[field]
        del position["dice"]
    return position
