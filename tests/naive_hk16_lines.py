"""Hands to play for the `hk16` oracle: random ones, ones rigged for what is rare, and a player that goes for it.

Owns the chance part of transcript lines and the choosing; knows the rules only through the legal actions. The
player needs no more of a hand than its `seats`, `log` and `discarded`.
"""

from __future__ import annotations

import random
from typing import Any

from tests.naive_flow import names, tile_of, tiles_of
from tests.naive_hk16 import ORPHANS, SPREADS

SEATS = 4
FIRST_FLOWER = 34
ALL_TILES = sorted([kind for kind in range(34) for _ in range(4)] + list(range(34, 42)))
THEMES = ("sets", "sets", "suit", "suit", "pongs", "pongs", "gongs", "honours", "nico", "thirteen", "sixteen")


def random_line(rng: random.Random, rules: str = "hk16", options: dict[str, Any] | None = None) -> dict[str, Any]:
    """The chance part of a random hand, somewhere in a match."""
    wall = list(ALL_TILES)
    rng.shuffle(wall)
    dealer = rng.randrange(SEATS)
    dice = [rng.randint(1, 6) for _ in range(3)]
    return {
        "rules": rules,
        "options": dict(options or {}),
        "dealer": dealer,
        "streak": rng.choice([0, 0, 0, 1, 2]),
        "prevailing": rng.choice(["1z", "2z", "3z", "4z"]),
        "east": dealer,
        "dice": [dice[0]] * 3 if rng.random() < 0.1 else dice,
        "wall": names(wall),
        "pairings": [],
        "carry": {"pool": rng.choice([0, 0, 20, 60])},
    }


def arranged_wall(
    dealer: int, hands: list[str], draws: str = "", replacements: str = "", rng: random.Random | None = None
) -> list[int]:
    """A wall with what is asked for in it, and the rest shuffled.

    `hands[seat]` lists the tiles that a seat gets in the opening, in order: the first 16 (dealer 17) on the deal, the
    others as replacements of its Flowers. A short list is filled up at random, but with no Flowers. Then come `draws`
    from the front and `replacements` from the end, the first to be drawn first.
    """
    rng = rng or random.Random(0)
    pool = list(ALL_TILES)
    coming = [tiles_of(text) for text in hands]
    front, back = tiles_of(draws), tiles_of(replacements)
    for tile in [tile for tiles in coming for tile in tiles] + front + back:
        pool.remove(tile)
    rng.shuffle(pool)
    pool.sort(key=lambda tile: tile >= FIRST_FLOWER)
    tail: list[int] = []
    dealt: list[list[int]] = [[] for _ in range(SEATS)]
    for step in range(SEATS):  # ruling 5: seat by seat
        seat = (dealer + step) % SEATS
        size = 17 if seat == dealer else 16
        while sum(tile < FIRST_FLOWER for tile in coming[seat]) < size:
            coming[seat].append(pool.pop(0))
        if sum(tile < FIRST_FLOWER for tile in coming[seat]) > size:
            raise ValueError(f"hands: too many tiles for seat {seat}: {names(coming[seat])}")
        dealt[seat] = coming[seat][:size]
        tail += coming[seat][size:]
    rng.shuffle(pool)
    wall: list[int] = []
    for round_ in range(4):
        for step in range(SEATS):
            wall += dealt[(dealer + step) % SEATS][4 * round_ : 4 * round_ + 4]
    wall.append(dealt[dealer][16])
    return wall + front + pool + (tail + back)[::-1]


def _sets(rng: random.Random, theme: str, left: list[int]) -> list[int]:
    """Five sets and a pair of the theme; in `gongs` many Pongs have their fourth tile."""
    kinds = list(range(34))
    share_pongs = {"sets": 0.35, "suit": 0.35, "pongs": 0.9, "gongs": 1.0, "honours": 0.9}[theme]
    if theme == "suit":
        low = 9 * rng.randrange(3)
        kinds = list(range(low, low + 9)) + rng.choice([[], list(range(27, 34)), [rng.randrange(31, 34)]])
    if theme == "honours":
        kinds = list(range(27, 34)) + rng.choice([[], [rng.randrange(27)]])
    left = list(left)
    tiles: list[int] = []
    n_sets = 0
    for _ in range(200):
        kind = rng.choice(kinds)
        group = [kind] * 3 if rng.random() < share_pongs else [kind, kind + 1, kind + 2]
        if len(set(group)) == 3 and (kind >= 27 or kind % 9 > 6):
            continue
        if theme == "gongs" and rng.random() < 0.6:
            group = [kind] * 4
        if n_sets < 5 and all(left[tile] >= group.count(tile) for tile in group):
            n_sets += 1
        elif n_sets == 5 and left[kind] >= 2:
            return [*tiles, kind, kind]
        else:
            continue
        tiles += group
        for tile in group:
            left[tile] -= 1
    return []  # no room


def _whole_hand(rng: random.Random, theme: str, left: list[int]) -> list[int]:
    """The tiles of a complete hand of the theme (17, and more with Gongs), none if `left` has no room for it."""
    if theme == "nico":
        kinds = rng.sample(range(34), 8)
        tiles = [kind for kind in kinds[1:] for _ in range(2)] + [kinds[0]] * 3
        if rng.random() < 0.5:
            tiles[0] = tiles[1] = kinds[2]  # an undeclared Gong
    elif theme == "thirteen":
        kind = 9 * rng.randrange(3) + rng.randrange(7)
        tiles = [*ORPHANS, rng.choice(ORPHANS), *([kind, kind + 1, kind + 2] if rng.random() < 0.7 else [kind] * 3)]
    elif theme == "sixteen":
        tiles = [9 * suit + number - 1 for suit in range(3) for number in rng.choice(SPREADS)] + list(range(27, 34))
        tiles.append(rng.choice(tiles))
    else:
        return _sets(rng, theme, left)
    return tiles if all(tiles.count(kind) <= left[kind] for kind in tiles) else []


def rigged_line(rng: random.Random, rules: str = "hk16", options: dict[str, Any] | None = None) -> dict[str, Any]:
    """Like `random_line`, but near the rare cases: nearly finished hands of every kind, chases, Flowers together."""
    line = random_line(rng, rules, options)
    dealer = line["dealer"]
    left = [4] * 34
    hands: list[list[int]] = [[] for _ in range(SEATS)]
    draws: list[int] = []
    replacements: list[int] = []
    for seat in rng.sample(range(SEATS), rng.randint(1, 4)):
        theme = rng.choice(THEMES)
        tiles = _whole_hand(rng, theme, left)
        for tile in tiles:
            left[tile] -= 1
        if theme != "gongs":
            rng.shuffle(tiles)
        if theme == "gongs" and rng.random() < 0.7:
            # So that two Gongs of one turn may complete it: the ordinary draw, then the replacements in order.
            rest = [tile for tile in tiles if tiles.count(tile) < 4]
            rng.shuffle(rest)
            tiles = [tile for tile in tiles if tiles.count(tile) == 4] + rest
            size = 17 if seat == dealer else 16
            hands[seat] = tiles[:size]
            replacements = tiles[17:] + replacements
            draws += tiles[size:17]
            continue
        keep = min(len(tiles), rng.choice([17, 16, 16, 15, 14] if seat == dealer else [16, 16, 15, 15, 14]))
        hands[seat] = tiles[:keep]
        for tile in tiles[keep:]:
            place = rng.random()
            if theme == "gongs" or place < 0.3:
                replacements.append(tile)
            elif place < 0.6:
                draws.append(tile)
            elif place < 0.8 and seat != dealer and len(hands[dealer]) < 17:
                hands[dealer].append(tile)  # the dealer's first discard may be it
            else:
                left[tile] += 1
    chase = rng.choice([29, rng.randrange(34)])
    if rng.random() < 0.35 and left[chase] == 4:
        where = rng.randint(0, len(draws))
        draws[where:where] = [chase] * 4
    elif rng.random() < 0.7:
        rng.shuffle(draws)
    if not any(hands) or rng.random() < 0.1:
        hands, draws, replacements = _rig_a_robbing(rng, dealer)
    if rng.random() < 0.5:
        _rig_flowers(rng, hands, draws, replacements)
    text = [names(tiles) for tiles in hands]
    line["wall"] = names(arranged_wall(dealer, text, names(draws), names(replacements), rng))
    return line


def _rig_a_robbing(rng: random.Random, dealer: int) -> tuple[list[list[int]], list[int], list[int]]:
    """One seat waits on a kind, another holds two of it, the dealer one, and the fourth is among the next draws."""
    left = [4] * 34
    waiting, other = rng.sample([seat for seat in range(SEATS) if seat != dealer], 2)
    hands: list[list[int]] = [[] for _ in range(SEATS)]
    while not hands[waiting]:
        tiles = _sets(rng, rng.choice(["sets", "suit"]), left)
        singles = [tile for tile in tiles if tiles.count(tile) == 1 and tile < 27]
        if singles:
            kind = rng.choice(singles)
            tiles.remove(kind)
            hands[waiting] = tiles
    hands[other] = [kind, kind]
    hands[dealer] = [kind]
    return hands, [kind, *rng.sample([k for k in range(27, 34) if k not in tiles], 2)], []


def _rig_flowers(rng: random.Random, hands: list[list[int]], draws: list[int], replacements: list[int]) -> None:
    """Most Flowers to one seat on the deal; the others to other seats, the next draws or replacements."""
    flowers = list(range(34, 42))
    rng.shuffle(flowers)
    lucky = rng.randrange(SEATS)
    for flower in flowers[: rng.choice([3, 4, 5, 6, 6, 6, 7, 8])]:
        hands[lucky].insert(rng.randint(0, len(hands[lucky])), flower)
    for flower in flowers[len([tile for tile in hands[lucky] if tile >= FIRST_FLOWER]) :]:
        place = rng.random()
        if place < 0.3:
            hands[rng.randrange(SEATS)].insert(0, flower)
        elif place < 0.7:
            draws.insert(rng.randint(0, len(draws)), flower)
        elif place < 0.9:
            replacements.insert(rng.randint(0, len(replacements)), flower)


class Player:
    """Plays at random with likings of its own for wins, claims, Closing and chases; keeps tiles that go together."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.likes = {
            "win": rng.choice([0.5, 1.0]),
            "ready": rng.choice([0.1, 0.5, 0.9]),
            "kong": rng.choice([0.2, 0.9]),
            "pung": rng.choice([0.1, 0.8]),
            "chow": rng.choice([0.0, 0.1, 0.5]),
        }
        self.careful = rng.choice([0.3, 0.9, 1.0])
        self.follows = rng.choice([0.0, 0.2, 0.9])

    def __call__(self, hand: Any, seat: int, legal: list[str]) -> str:
        rng = self.rng
        for word, liking in self.likes.items():
            chosen = [text for text in legal if text.split()[0] == word]
            if chosen and rng.random() < liking:
                return rng.choice(chosen)
        discards = [text for text in legal if text.startswith("discard")]
        if not discards:
            return "pass"
        # A chase needs the same kind discarded time after time.
        kinds = [tile_of(text.split()[1]) for text in discards]
        most = max(kinds, key=lambda kind: len(hand.discarded.get(kind, [])))
        if hand.discarded.get(most) and rng.random() < self.follows:
            return discards[kinds.index(most)]
        if rng.random() > self.careful:
            return rng.choice(discards)
        counts = hand.seats[seat].hand

        def company(text: str) -> float:
            tile = tile_of(text.split()[1])
            suit = range(tile // 9 * 9, tile // 9 * 9 + 9) if tile < 27 else range(0)
            near = sum(counts[other] for other in suit if 0 < abs(other - tile) <= 2)
            return 3 * counts[tile] + near + rng.random()

        return min(discards, key=company)
