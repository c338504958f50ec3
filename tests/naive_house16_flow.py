"""A slow and obvious replay of one hand of ``house16``, in plain Python.

It is the oracle that the compiled engine is compared with, so it follows the rule text and the rulings of
``house16.md`` word by word and shares nothing with the engine; the number in a comment is the ruling that it
implements. Like ``naive_flow`` the hand is one generator that stops with ``yield`` wherever a seat has two or
more legal actions. Regular wins are scored by ``naive_house16.score_position``.

Also here: transcripts (``play``, ``replay``), walls at random or arranged, and a player that reaches far.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from tests import naive_flow, naive_house16
from tests.naive_flow import FIRST_FLOWER, SEATS, name, names, tile_of, tiles_of

ALL_TILES = [kind for kind in range(34) for _ in range(4)] + list(range(FIRST_FLOWER, 42))
NEXT_WIND = {"1z": "2z", "2z": "3z", "3z": "4z", "4z": "1z"}

Ask = Generator[tuple[int, list[str]], str, Any]
Chooser = Callable[["NaiveHand", int, list[str]], str]


def is_complete(hand: list[int], n_melds: int) -> bool:
    """Like ``naive_house16.is_complete``, only sooner: it is asked of three seats at every discard."""
    return naive_flow.is_complete(hand) or naive_house16.is_seven_pairs(hand, n_melds)


@dataclass
class Seat:
    """What lies before one seat."""

    hand: list[int] = field(default_factory=lambda: [0] * 34)  # counts, the tile drawn included
    melds: list[tuple[str, list[int]]] = field(default_factory=list)  # (meld kind of FORMATS.md, its tiles)
    flowers: list[int] = field(default_factory=list)  # 34-41, in the order exposed
    discards: list[int] = field(default_factory=list)  # those not claimed
    drawn: int | None = None  # the tile taken last this turn (16); None after a chow or pung


class NaiveHand:
    """One hand, built from the chance part of a transcript line.

    ``line`` needs ``dealer``, ``streak``, ``prevailing``, ``east``, ``dice`` and ``wall`` (text, or a list of 144
    tiles as texts or indices).
    """

    # What is the same in every rule set.
    decision = naive_flow.NaiveHand.decision
    apply = naive_flow.NaiveHand.apply
    tiles = naive_flow.NaiveHand.tiles
    drawable = naive_flow.NaiveHand.drawable
    _resume = naive_flow.NaiveHand._resume
    _ask = naive_flow.NaiveHand._ask

    def __init__(self, line: dict[str, Any]) -> None:
        self.rules: str = line["rules"]
        self.options: dict[str, Any] = dict(line.get("options") or {})
        self.dealer: int = line["dealer"]
        self.streak: int = line.get("streak", 0)
        self.prevailing: str = line["prevailing"]
        self.east: int = line["east"]
        self.dice: list[int] = line["dice"]
        wall = line["wall"]
        if isinstance(wall, str):
            wall = tiles_of(wall)
        self.wall: list[int] = [tile_of(t) if isinstance(t, str) else int(t) for t in wall]
        if sorted(self.wall) != ALL_TILES:
            raise ValueError("wall: not the 144 tiles")

        self.seats = [Seat() for _ in range(SEATS)]
        self.opening_robber: int | None = None  # holds seven against one after the opening (12)
        self.settlements: list[dict[str, Any]] = []
        self.scores = [0, 0, 0, 0]
        self.end: str | None = None  # "win", "flower" or "draw" when the hand is over
        self.next: dict[str, Any] | None = None
        self.log: list[tuple[int, str]] = []  # every action, the ones made without asking included

        self._pending: tuple[int, list[str]] | None = None
        self._run = self._play()
        self._resume(None)

    # -- the whole hand ----------------------------------------------------------------------------------

    def _play(self) -> Ask:
        """Deal, opening flowers, then turn after turn from the dealer's first draw on (2)."""
        self._deal()
        self._opening_flowers()
        seat, began = self.dealer, "draw"
        while True:
            tile = yield from self._own_turn(seat, began)
            if self.end is not None:
                break
            seat, began = yield from self._claims(seat, tile)
            if self.end is not None:
                break
        self._close()

    def _deal(self) -> None:
        """16 tiles each, four at a time from the dealer on (2)."""
        self.opening: list[list[int]] = [[] for _ in range(SEATS)]
        for _ in range(4):
            for step in range(SEATS):
                self.opening[(self.dealer + step) % SEATS] += [self.wall.pop(0) for _ in range(4)]

    def _opening_flowers(self) -> None:
        """From the dealer on, each seat replaces its flowers until it holds none; then the next seat (3)."""
        for step in range(SEATS):
            seat = (self.dealer + step) % SEATS
            me = self.seats[seat]
            tiles = self.opening[seat]
            while any(tile >= FIRST_FLOWER for tile in tiles):
                flower = next(tile for tile in tiles if tile >= FIRST_FLOWER)
                tiles.remove(flower)
                me.flowers.append(flower)
                tiles.append(self.wall.pop())
            for tile in tiles:
                me.hand[tile] += 1
        for seat in range(SEATS):
            if self._robbed_by(seat) is not None:
                self.opening_robber = seat  # 12: settled when its first turn supplies the extra tile

    def _robbed_by(self, seat: int) -> int | None:
        """The seat with the eighth flower, if ``seat`` holds the other seven."""
        if len(self.seats[seat].flowers) != 7:
            return None
        return next((s for s in range(SEATS) if s != seat and self.seats[s].flowers), None)

    # -- own turn ----------------------------------------------------------------------------------------

    def _own_turn(self, seat: int, began: str) -> Ask:
        """One turn, from its draw (or claim) to its discard, which is returned; or the hand ends in it.

        ``began``: "draw", "claim" (a chow or pung, the meld already made) or "exposed_kong".
        """
        me = self.seats[seat]
        me.drawn = None
        if began != "claim":
            self._draw(seat, tail=began == "exposed_kong")
            if self.end is not None:
                return None
        if self.opening_robber == seat:
            # 12: before it can choose anything, whether a draw, a chi or pong, or a kong gave the extra tile.
            self._settle_flower(seat)
            return None
        while True:
            actions = [f"discard {name(kind)}" for kind in range(34) if me.hand[kind]]
            if me.drawn is not None:  # 7: after a chi or pong no kong and no win
                actions += self._kong_actions(seat)
                if is_complete(me.hand, len(me.melds)):
                    actions.append("win")
            answer = yield from self._ask(seat, actions)
            word, _, tile_text = answer.partition(" ")
            if word == "win":
                self._settle_win(seat, me.drawn, "self_draw", None)
                return None
            tile = tile_of(tile_text)
            if word == "discard":
                me.hand[tile] -= 1
                me.discards.append(tile)
                return tile
            yield from self._own_kong(seat, tile)
            if self.end is not None:
                return None

    def _draw(self, seat: int, tail: bool) -> None:
        """Take one tile, flowers replaced from the Tail at once, again and again (4)."""
        me = self.seats[seat]
        while True:
            if self.drawable() == 0:
                self.end = "draw"  # 5, and the last sentences but one of 10 and 11
                return
            tile = self.wall.pop() if tail else self.wall.pop(0)
            tail = True
            if tile < FIRST_FLOWER:
                break
            me.flowers.append(tile)
            robber = next((s for s in range(SEATS) if self._robbed_by(s) == seat), None)
            if robber is not None:
                # 10: it takes the replacement in the revealer's place. (No flower: all eight are out.)
                if self.drawable() == 0:
                    self.end = "draw"
                    return
                self.seats[robber].hand[self.wall.pop()] += 1
                self._settle_flower(robber)
                return
        me.hand[tile] += 1
        me.drawn = tile
        if self._robbed_by(seat) is not None:
            self._settle_flower(seat)  # 11: after its own replacement, whatever that completes

    def _kong_actions(self, seat: int) -> list[str]:
        """Concealed kongs, and fourth tiles to own exposed pongs (7); each needs a replacement (6)."""
        me = self.seats[seat]
        if self.drawable() == 0:
            return []
        return [
            f"kong {name(kind)}"
            for kind in range(34)
            if me.hand[kind] == 4 or (me.hand[kind] and ("pung", [kind] * 3) in me.melds)
        ]

    def _own_kong(self, seat: int, tile: int) -> Ask:
        """A concealed or added kong, the robbing of the latter, and the replacement."""
        me = self.seats[seat]
        if me.hand[tile] == 4:
            me.hand[tile] = 0
            me.melds.append(("kong_concealed", [tile] * 4))
        else:
            winners = []
            for robber in self._who_completes(seat, tile):  # 8
                if (yield from self._ask(robber, ["win", "pass"])) == "win":
                    winners.append(robber)
            if winners:
                # The nearest after the maker, alone; the kong is not made.
                self._settle_win(winners[0], tile, "rob_kong", seat)
                return
            me.hand[tile] -= 1
            me.melds[me.melds.index(("pung", [tile] * 3))] = ("kong_added", [tile] * 4)
        self._draw(seat, tail=True)

    # -- claims ------------------------------------------------------------------------------------------

    def _who_completes(self, owner: int, tile: int) -> list[int]:
        """The seats that the tile completes, in turn order from its owner."""
        complete = []
        for step in (1, 2, 3):
            seat = (owner + step) % SEATS
            counts = list(self.seats[seat].hand)
            counts[tile] += 1
            if is_complete(counts, len(self.seats[seat].melds)):
                complete.append(seat)
        return complete

    def _claims(self, discarder: int, tile: int) -> Ask:
        """The claims on a discard, in the stages of FORMATS.md. Returns the next turn's seat and start."""
        order = [(discarder + step) % SEATS for step in (1, 2, 3)]
        may_win = self._who_completes(discarder, tile)
        sets = {seat: self._pung_kong_actions(seat, tile) for seat in order}
        chows = {seat: self._chow_actions(discarder, seat, tile) for seat in order}
        answers: dict[int, str] = {}

        def ask(seats: list[int]) -> Ask:
            for seat in seats:
                if seat not in answers:
                    win = ["win"] if seat in may_win else []
                    answers[seat] = yield from self._ask(seat, [*sets[seat], *chows[seat], *win, "pass"])

        def first(*words: str) -> int | None:
            return next((s for s in order if answers.get(s, "").split(" ")[0] in words), None)

        yield from ask(may_win)
        winner = first("win")
        if winner is not None:
            self._settle_win(winner, tile, "discard", discarder)
            return None, None
        if first("pung", "kong") is None:
            yield from ask([seat for seat in order if sets[seat]])
        if first("pung", "kong", "chow") is None:
            yield from ask([seat for seat in order if chows[seat]])
        claimer = first("pung", "kong")
        if claimer is None:
            claimer = first("chow")
        if claimer is None:
            return (discarder + 1) % SEATS, "draw"
        taken = self.seats[discarder].discards.pop()
        assert taken == tile
        return claimer, self._claim(claimer, answers[claimer], tile)

    def _claim(self, seat: int, answer: str, tile: int) -> str:
        """Make the meld of a claim; how the turn that follows begins."""
        me = self.seats[seat]
        word, _, text = answer.partition(" ")
        own = tiles_of(text) if word == "chow" else [tile] * (3 if word == "kong" else 2)
        for held in own:
            me.hand[held] -= 1
        me.melds.append(("kong_exposed" if word == "kong" else word, [*own, tile]))
        return "exposed_kong" if word == "kong" else "claim"

    def _pung_kong_actions(self, seat: int, tile: int) -> list[str]:
        """From any seat (8); a kong needs its replacement, a pong nothing (6)."""
        held = self.seats[seat].hand[tile]
        return ["pung"] * (held >= 2) + ["kong"] * (held >= 3 and self.drawable() > 0)

    def _chow_actions(self, discarder: int, seat: int, tile: int) -> list[str]:
        """The previous player's discard."""
        hand = self.seats[seat].hand
        if (discarder + 1) % SEATS != seat:
            return []
        pairs = ((tile - 2, tile - 1), (tile - 1, tile + 1), (tile + 1, tile + 2))
        return [
            f"chow {low % 9 + 1}{name(high)}"
            for low, high in pairs
            if naive_flow.is_chow(low, high, tile) and hand[low] and hand[high]
        ]

    # -- wins and settlement -----------------------------------------------------------------------------

    def _settle_win(self, seat: int, win_tile: int, by: str, payer: int | None) -> None:
        """A regular win, the tile still with its owner unless self-drawn."""
        me = self.seats[seat]
        concealed = list(me.hand)
        if by == "self_draw":
            concealed[win_tile] -= 1
        position: dict[str, Any] = {
            "rules": self.rules,
            "options": self.options,
            "hand": names([kind for kind in range(34) for _ in range(concealed[kind])]),
            "melds": [[kind, names(sorted(tiles))] for kind, tiles in me.melds],
            "win_tile": name(win_tile),
            "by": by,
            "seat": seat,
            "dealer": self.dealer,
            "east": self.east,
            "streak": self.streak,
            "prevailing": self.prevailing,
            "flowers": names(sorted(me.flowers)),
        }
        if payer is not None:
            position["from"] = payer
        answer = naive_house16.score_position(position)
        assert answer["win"], f"{answer} for {position}"
        self.settlements.append(
            {"winner": seat, "kind": "win", "from": payer} | {key: answer[key] for key in ("items", "tai", "payments")}
        )
        self.end = "win"

    def _settle_flower(self, winner: int) -> None:
        """Seven Rob One: the eighth flower moves, its owner alone pays (13)."""
        robbed = self._robbed_by(winner)
        assert robbed is not None and sum(self.seats[winner].hand) % 3 == 2
        self.seats[winner].flowers.append(self.seats[robbed].flowers.pop())
        items = naive_house16.flower_items(naive_house16.values_of(self.options))
        tai = sum(items.values())
        self.settlements.append(
            {
                "winner": winner,
                "kind": "flower",
                "from": robbed,
                "items": [[item, items[item]] for item in sorted(items)],
                "tai": tai,
                "payments": naive_house16.payments(winner, robbed, tai, self.dealer, self.streak),
            }
        )
        self.end = "flower"

    def _close(self) -> None:
        """Scores, and who deals next (26, 27)."""
        for settlement in self.settlements:
            for seat in range(SEATS):
                self.scores[seat] += settlement["payments"][seat]
        if self.end == "draw" or self.settlements[0]["winner"] == self.dealer:
            self.next = {"dealer": self.dealer, "streak": self.streak + 1, "prevailing": self.prevailing}
            return
        dealer = (self.dealer + 1) % SEATS
        prevailing = NEXT_WIND[self.prevailing] if dealer == 0 else self.prevailing
        self.next = {"dealer": dealer, "streak": 0, "prevailing": prevailing}


# ----------------------------------------------------------------------------------------------------
# Transcripts
# ----------------------------------------------------------------------------------------------------


def replay(line: dict[str, Any]) -> list[str]:
    """Replay a transcript line and list every difference from what it records; empty when it verifies."""
    return naive_flow.replay(line, NaiveHand)


def play(line: dict[str, Any], choose: Chooser) -> dict[str, Any]:
    """Play the hand of ``line`` by ``choose(hand, seat, legal)``; its transcript line, with ``legal``."""
    hand = NaiveHand(line)
    decisions: list[list[Any]] = []
    legal: list[list[str]] = []
    while (pending := hand.decision()) is not None:
        seat, actions = pending
        text = choose(hand, seat, actions)
        decisions.append([seat, text])
        legal.append(actions)
        hand.apply(text)
    wall = line["wall"]
    if not isinstance(wall, str):
        wall = "".join(tile if isinstance(tile, str) else name(tile) for tile in wall)
    return {
        "format": "mjsim-hand/1",
        "rules": hand.rules,
        "options": hand.options,
        "seed": line.get("seed"),
        "match": line.get("match", 0),
        "hand": line.get("hand", 0),
        "dealer": hand.dealer,
        "streak": hand.streak,
        "prevailing": hand.prevailing,
        "east": hand.east,
        "dice": list(hand.dice),
        "wall": wall,
        "pairings": [],
        "carry": {},
        "decisions": decisions,
        "legal": legal,
        "settlements": hand.settlements,
        "scores": hand.scores,
        "end": hand.end,
        "next": hand.next,
    }


class Greedy:
    """Plays at random with likings of its own for wins and claims; keeps tiles that go together."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.likes = {
            "win": rng.choice([0.2, 0.9, 1.0]),
            "kong": rng.choice([0.2, 0.9, 1.0]),
            "pung": rng.choice([0.1, 0.4, 0.9]),
            "chow": rng.choice([0.05, 0.2, 0.7]),
        }
        self.careful = rng.choice([0.2, 0.9, 1.0])
        self.pairs_only = rng.random() < 0.2  # for Li Gu Li Gu

    def __call__(self, hand: NaiveHand, seat: int, legal: list[str]) -> str:
        rng = self.rng
        for word, liking in self.likes.items():
            chosen = [text for text in legal if text.split()[0] == word]
            if chosen and rng.random() < liking:
                return rng.choice(chosen)
        rest = [text for text in legal if text.split()[0] in ("discard", "pass")]
        if rest == ["pass"] or rng.random() > self.careful:
            return rng.choice(rest)
        counts = hand.seats[seat].hand

        def company(text: str) -> float:
            tile = tile_of(text.split()[1])
            suit = range(tile // 9 * 9, tile // 9 * 9 + 9) if tile < 27 and not self.pairs_only else range(0)
            near = sum(counts[other] for other in suit if 0 < abs(other - tile) <= 2)
            return 3 * counts[tile] + near + rng.random()

        return min(rest, key=company)


# ----------------------------------------------------------------------------------------------------
# Walls
# ----------------------------------------------------------------------------------------------------


def random_line(rng: random.Random, rules: str = "house16", options: dict[str, Any] | None = None) -> dict[str, Any]:
    """The chance part of a random hand, somewhere in a match."""
    wall = list(ALL_TILES)
    rng.shuffle(wall)
    dealer = rng.randrange(4)
    return {
        "rules": rules,
        "options": dict(options or {}),
        "dealer": dealer,
        "streak": rng.choice([0, 0, 0, 1, 2, 7, 30]),
        "prevailing": rng.choice(["1z", "2z", "3z", "4z"]),
        "east": dealer,  # 1
        "dice": [rng.randint(1, 6) for _ in range(3)],
        "wall": names(wall),
        "pairings": [],
        "carry": {},
    }


def arranged_wall(
    dealer: int, hands: list[str], draws: str = "", replacements: str = "", rng: random.Random | None = None
) -> list[int]:
    """A wall with what is asked for in it, and the rest shuffled.

    ``hands[seat]`` lists the tiles that a seat gets in the opening, in order: the first 16 on the deal, the
    others as replacements of its flowers. A short list is filled up at random, but with no flowers. Then come
    ``draws`` from the front, the dealer's first draw being the first of them, and ``replacements`` from the end.
    """
    rng = rng or random.Random(0)
    coming = [tiles_of(text) for text in hands]
    front, back = tiles_of(draws), tiles_of(replacements)
    pool = Counter(ALL_TILES)
    pool.subtract([tile for tiles in coming for tile in tiles] + front + back)
    if min(pool.values()) < 0:
        raise ValueError(f"more copies than there are of {names([t for t in pool if pool[t] < 0])}")
    rest = list(pool.elements())
    rng.shuffle(rest)
    rest.sort(key=lambda tile: tile >= FIRST_FLOWER)
    for tiles in coming:
        while sum(tile < FIRST_FLOWER for tile in tiles) < 16:
            tiles.append(rest.pop(0))
        if len(tiles) > 16 and (sum(tile < FIRST_FLOWER for tile in tiles) > 16 or tiles[-1] >= FIRST_FLOWER):
            raise ValueError(f"hands: the end of {names(tiles)} would never be drawn")
    rng.shuffle(rest)
    order = [(dealer + step) % SEATS for step in range(SEATS)]
    wall: list[int] = []
    for first in (0, 4, 8, 12):
        for seat in order:
            wall += coming[seat][first : first + 4]
    tail = [tile for seat in order for tile in coming[seat][16:]]  # seat after seat (3)
    return wall + front + rest + (tail + back)[::-1]


PALETTES = [
    list(range(34)),
    list(range(27)),
    list(range(9)),
    list(range(9, 18)) + list(range(27, 34)),
    list(range(18, 27)) + list(range(31, 34)),
    list(range(27, 34)),
    [*range(9, 18), *range(27, 31)],
    [0, 8, 9, 17, 18, 26, 31, 32, 33],
]


def random_groups(
    rng: random.Random, left: list[int], palette: list[int], n_sets: int, pung_chance: float
) -> list[list[int]]:
    """``n_sets`` chows and pungs and a pair (last), mostly of ``palette``, taken out of ``left`` (counts)."""
    groups: list[list[int]] = []
    tries = 0
    while len(groups) <= n_sets:
        tries += 1
        kinds = palette if tries < 200 else range(34)  # the palette may be used up
        kind = rng.choice(list(kinds))
        if len(groups) == n_sets:
            tiles = [kind] * 2
        elif rng.random() < pung_chance or (kind >= 27 and tries % 2):
            tiles = [kind] * 3
        else:
            tiles = [kind, kind + 1, kind + 2]
        whole = tiles[0] == tiles[-1] or naive_flow.is_chow(*tiles)
        if whole and all(left[tile] >= tiles.count(tile) for tile in tiles):
            groups.append(tiles)
            for tile in tiles:
                left[tile] -= 1
    return groups


def random_seven_pairs(rng: random.Random, left: list[int], palette: list[int]) -> list[int]:
    """Seven pairs and a triplet, mostly of ``palette``, taken out of ``left`` (counts)."""
    tiles: list[int] = []
    tries = 0
    while len(tiles) < 17:
        tries += 1
        kind = rng.choice(palette if tries < 200 else range(34))
        size = 2 if tiles else 3
        if left[kind] >= size and (size == 3 or tiles[:3] != [kind] * 3):
            left[kind] -= size
            tiles += [kind] * size
    return tiles


def _scatter_flowers(
    rng: random.Random, hands: list[list[int]], draws: list[int], replacements: list[int]
) -> list[int]:
    """Most flowers to one seat on the deal, the others to a seat, the next draws or replacements; those left over."""
    flowers = list(range(FIRST_FLOWER, 42))
    rng.shuffle(flowers)
    lucky = rng.randrange(SEATS)
    number = rng.choice([4, 6, 6, 7, 7, 7, 7, 8])
    # A full hand ends with a tile that is no flower, so that all of them are drawn.
    tiles = flowers[:number]
    for tile in hands[lucky]:
        tiles.insert(rng.randint(0, len(tiles)) if rng.random() < 0.3 else len(tiles), tile)
    while tiles[-1] >= FIRST_FLOWER and sum(tile < FIRST_FLOWER for tile in tiles) >= 16:
        tiles.insert(0, tiles.pop())
    hands[lucky][:] = tiles
    late = []
    for flower in flowers[number:]:
        place = rng.random()
        if place < 0.35:
            hands[rng.randrange(SEATS)].insert(0, flower)
        elif place < 0.65:
            draws.insert(rng.randint(0, len(draws)), flower)
        elif place < 0.85:
            replacements.insert(0, flower)
        else:
            late.append(flower)
    return late


def rigged_line(rng: random.Random, rules: str = "house16", options: dict[str, Any] | None = None) -> dict[str, Any]:
    """Like ``random_line``, but near the rare cases: nearly finished hands, kongs, flowers in few places."""
    line = random_line(rng, rules, options)
    left = [4] * 34
    hands: list[list[int]] = [[] for _ in range(SEATS)]
    draws: list[int] = []
    replacements: list[int] = []
    for seat in rng.sample(range(SEATS), rng.randint(1, 3)):
        palette = rng.choice(PALETTES)
        if rng.random() < 0.25:
            tiles = random_seven_pairs(rng, left, palette)
        else:
            groups = random_groups(rng, left, palette, 5, rng.choice([0.1, 0.5, 0.9]))
            tiles = [tile for group in groups for tile in group]
            fourths = [group[0] for group in groups if group[0] == group[-1] and left[group[0]]]
            for kind in fourths[: rng.randint(0, 3)]:
                if left[kind]:
                    left[kind] -= 1
                    draws.append(kind)
        rng.shuffle(tiles)
        keep = rng.choice([16, 16, 16, 15, 14, 13])
        hands[seat] = tiles[:keep]
        for tile in tiles[keep:]:
            (draws if rng.random() < 0.6 else replacements).append(tile)
    rng.shuffle(draws)
    late = _scatter_flowers(rng, hands, draws, replacements) if rng.random() < 0.7 else []
    text = [names(tiles) for tiles in hands]
    wall = arranged_wall(line["dealer"], text, names(draws), names(replacements), rng)
    for flower in late:
        # The last drawable tile lies about here: 17 from the end, less a place for every replacement.
        here, there = wall.index(flower), rng.randint(112, 126)
        if wall[there] < FIRST_FLOWER and 64 + len(draws) <= here < 144 - 16 - len(replacements):
            wall[here], wall[there] = wall[there], wall[here]
    line["wall"] = names(wall)
    return line
