"""Random positions to score for the Douque rule sets: valid by the formats page, most of them winning.

Owns only what to generate: plain hands and hands made rich (flushes, honors, pungs, kongs, many-sided waits),
won in every way with every legal combination of flags, at every dealer, streak and dice. What they score is
not known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

CHOW_STARTS = tuple(k for k in range(27) if k % 9 <= 6)
SUIT_TILES = tuple(range(27))
WINDS = (27, 28, 29, 30)
DRAGONS = (31, 32, 33)
HONORS = WINDS + DRAGONS
ANY = tuple(range(34))
NAMES = tuple(f"{rank}{letter}" for letter in "mpsz" for rank in range(1, 8 if letter == "z" else 10))

THEMES = (
    *("plain", "plain", "plain", "chows", "chows", "chows", "narrow", "narrow", "narrow"),
    *("half", "half", "flush", "pungs", "pungs", "honors", "dragons", "winds"),
)
RICH_DICE = ((6, 6, 6), (1, 1, 1), (1, 4, 1), (1, 2, 3), (6, 4, 5), (5, 6, 1), (2, 3, 6), (5, 5, 2))
SHARE_NOT_COMPLETE = 0.08

Slot = tuple[str, Sequence[int]]


def _chow_or_pung(rng: Random, share_chows: float, chows: Sequence[int], pungs: Sequence[int]) -> Slot:
    return ("chow", chows) if rng.random() < share_chows else ("pung", pungs)


def _slots(rng: Random, theme: str) -> list[Slot]:
    """The five sets and the pair of a theme, the pair last: shape, and the kinds that it may be named by."""
    if theme == "chows":
        return [("chow", CHOW_STARTS)] * 5 + [("pair", SUIT_TILES)]
    if theme == "narrow":
        # Three or four sets and the pair in a few neighbouring ranks: many splits and waits, fours of a kind.
        width = rng.randint(4, 6)
        low = rng.randrange(3) * 9 + rng.randint(0, 9 - width)
        window = range(low, low + width)
        n_inside = rng.randint(3, 4)
        inside = [_chow_or_pung(rng, 0.7, window[:-2], window) for _ in range(n_inside)]
        return inside + [_chow_or_pung(rng, 0.8, CHOW_STARTS, ANY)] * (5 - n_inside) + [("pair", window)]
    if theme in ("half", "flush"):
        low = rng.randrange(3) * 9
        suit, chows = tuple(range(low, low + 9)), tuple(range(low, low + 7))
        tiles = suit if theme == "flush" else suit + HONORS
        share_chows = rng.choice((0.2, 0.6, 0.9))
        return [_chow_or_pung(rng, share_chows, chows, tiles) for _ in range(5)] + [("pair", tiles)]
    if theme == "pungs":
        return [("pung", ANY)] * 5 + [("pair", ANY)]
    if theme == "honors":
        return [("pung", HONORS)] * 5 + [("pair", HONORS)]
    if theme in ("dragons", "winds"):
        kinds = list(DRAGONS if theme == "dragons" else WINDS)
        rng.shuffle(kinds)
        filler = _chow_or_pung(rng, 0.5, CHOW_STARTS, ANY)
        if rng.random() < 0.5:
            fixed, pair = kinds, ("pair", ANY)
        else:
            fixed, pair = kinds[1:], ("pair", kinds[:1])
        return [("pung", (kind,)) for kind in fixed] + [filler] * (5 - len(fixed)) + [pair]
    return [_chow_or_pung(rng, 0.7, CHOW_STARTS, ANY) for _ in range(5)] + [("pair", ANY)]


def _kinds(shape: str, kind: int) -> list[int]:
    if shape == "chow":
        return [kind, kind + 1, kind + 2]
    return [kind] * (2 if shape == "pair" else 3)


def _deal_sets(rng: Random, theme: str) -> tuple[list[tuple[str, int]], list[int]]:
    """Five sets and a pair (last), and the copies left of each kind."""
    while True:
        left = [4] * 34
        sets: list[tuple[str, int]] = []
        for shape, choices in _slots(rng, theme):
            for _ in range(12):
                kind = rng.choice(choices)
                if shape == "chow":
                    fits = left[kind] and left[kind + 1] and left[kind + 2]
                else:
                    fits = left[kind] >= (2 if shape == "pair" else 3)
                if fits:
                    break
            else:
                break  # no room for this slot: start over
            for k in _kinds(shape, kind):
                left[k] -= 1
            sets.append((shape, kind))
        else:
            return sets, left


def _call(rng: Random, shape: str, kind: int, left: list[int]) -> list[str]:
    """A set as a called meld; a pung may be any kong if the fourth tile is left."""
    if shape == "chow":
        return ["chow", "".join(NAMES[k][0] for k in _kinds(shape, kind)) + NAMES[kind][1]]
    meld = rng.choice(("pung", "pung", "kong_exposed", "kong_added", "kong_concealed", "kong_concealed"))
    if meld == "pung" or not left[kind]:
        return ["pung", NAMES[kind][0] * 3 + NAMES[kind][1]]
    left[kind] -= 1
    return [meld, NAMES[kind][0] * 4 + NAMES[kind][1]]


def _flags(rng: Random, position: dict[str, Any], theme: str) -> list[str]:
    """Flags that can go together with the rest; may give the position the eight flowers or another payer."""
    by, seat, dealer = position["by"], position["seat"], position["dealer"]
    flags: list[str] = []
    early = ""
    declared = ["", "", "ready"]
    if not position["melds"]:
        declared.append("migi")
        if rng.random() < 0.25:
            if by == "self_draw":
                early = "heavenly" if seat == dealer else "earthly"
            elif by == "discard" and seat != dealer:
                early = "human"
    if early:
        flags.append(early)
    elif flag := rng.choice(declared):
        flags.append(flag)

    has_kong = any(kind in ("kong_added", "kong_concealed") for kind, _ in position["melds"])
    if by == "self_draw":
        if (has_kong or position["flowers"]) and rng.random() < 0.3:
            flags.append("replacement")
        if not early and rng.random() < 0.15:
            flags.append("last_tile")
    elif by == "discard":
        if theme != "chows" and rng.random() < 0.12:
            # Seven Robs One case 2: the robber holds eight flowers.
            flags.append("replacement")
            position["flowers"] = "1f2f3f4f5f6f7f8f"
        elif early == "human":
            # Whoever has discarded before the winner's first turn: the dealer, or a seat between the two.
            position["from"] = (dealer + rng.randrange((seat - dealer) % 4)) % 4
        if not early and rng.random() < 0.08:
            flags.append("last_tile")
    rng.shuffle(flags)
    return flags


def _position(rng: Random, rules: str) -> dict[str, Any]:
    theme = rng.choice(THEMES)
    sets, left = _deal_sets(rng, theme)
    pair = sets.pop()
    rng.shuffle(sets)
    n_called = rng.choice((0, 0, 0, 1, 2, 3, 4, 5))
    if theme == "chows" and n_called == 0:
        n_called = rng.randrange(3)
    melds = [_call(rng, shape, kind, left) for shape, kind in sets[:n_called]]
    hand = [k for shape, kind in [*sets[n_called:], pair] for k in _kinds(shape, kind)]

    by = rng.choice(("self_draw", "discard", "discard"))
    win_tile = rng.choice(hand)
    if rng.random() < 0.12:
        # The other three copies were another seat's pung, so none may be in this hand or its melds.
        robbable = [k for k in hand if left[k] == 3]
        if robbable:
            by, win_tile = "rob_kong", rng.choice(robbable)
    hand.remove(win_tile)
    if rng.random() < SHARE_NOT_COMPLETE:
        other = rng.choice([k for k in range(34) if left[k] and not (by == "rob_kong" and k == win_tile)])
        hand[rng.randrange(len(hand))] = other
    hand.sort()

    seat = rng.randrange(4)
    n_flowers = rng.choice((0, 0, 1, 1, 2, 3, 4, 5, 7, 8))
    if theme == "chows" and rng.random() < 0.7:
        n_flowers = 0
    dice = rng.choice(RICH_DICE) if rng.random() < 0.3 else [rng.randint(1, 6) for _ in range(3)]
    position: dict[str, Any] = {
        "rules": rules,
        "hand": _text(hand),
        "melds": melds,
        "win_tile": NAMES[win_tile],
        "by": by,
        "seat": seat,
        "dealer": seat if rng.random() < 0.2 else rng.randrange(4),
        "east": rng.randrange(4),
        "streak": rng.choice((0, 0, 0, 1, 2, rng.randint(0, 18), 18)),
        "prevailing": NAMES[rng.choice(WINDS)],
        "flowers": "".join(f"{f}f" for f in sorted(rng.sample(range(1, 9), n_flowers))),
        "dice": list(dice),
    }
    if by != "self_draw":
        position["from"] = (seat + rng.randint(1, 3)) % 4
    position["flags"] = _flags(rng, position, theme)

    options: dict[str, Any] = {}
    if rng.random() < 0.5:
        options["min_tai"] = rng.choice((0, 0, 2, 3, 5))
    if rng.random() < 0.1:
        options["dice_bonus"] = rng.random() < 0.5
    if rng.random() < 0.1:
        options["exchange"] = rng.random() < 0.5
    if options:
        position["options"] = options
    if rng.random() < 0.1:
        # What may be absent: fields at their default, and the dice where they do not score.
        for field in ("melds", "flowers", "flags", "streak"):
            if not position[field]:
                del position[field]
        if not options.get("dice_bonus", rules == "douque-american"):
            del position["dice"]
    return position


def _text(kinds: Sequence[int]) -> str:
    """Sorted kinds in notation, runs sharing their letter."""
    text = ""
    for i, kind in enumerate(kinds):
        name = NAMES[kind]
        last_of_run = i + 1 == len(kinds) or NAMES[kinds[i + 1]][1] != name[1]
        text += name if last_of_run else name[0]
    return text


def random_winning_positions(n: int, seed: int, rules: str) -> Iterator[dict[str, Any]]:
    """`n` positions of `rules` (`douque-american` or `douque-taiwanese`), the same for the same `seed`.

    About one in twelve is not a complete hand, and more are short of their minimum.
    """
    rng = Random(f"{seed} {rules}")
    for _ in range(n):
        yield _position(rng, rules)
