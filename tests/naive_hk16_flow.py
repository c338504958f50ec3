"""A slow and obvious replay of one hand of `hk16`, in plain Python.

It is the oracle that the compiled engine is compared with, so it follows the rule text and the rulings of the
`hk16` page word by word and shares nothing with the engine; `(ruling N)` names a ruling of that page.

The hand is one generator (`NaiveHand._play`): it runs on by itself and stops with `yield` wherever a seat has two
or more legal actions. Wins are scored by `tests.naive_hk16`, instant payments and Flower wins here.

Tiles are small integers: 0-8 m, 9-17 p, 18-26 s, 27-33 z, 34-41 f.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from tests import naive_flow, naive_hk16
from tests.naive_flow import is_chow, name, names, tile_of, tiles_of
from tests.naive_hk16_lines import ALL_TILES
from tests.naive_hk16_lines import Player as Player
from tests.naive_hk16_lines import arranged_wall as arranged_wall
from tests.naive_hk16_lines import random_line as random_line
from tests.naive_hk16_lines import rigged_line as rigged_line

SEATS = 4
FIRST_FLOWER = 34
FLOWER_WALL = 128  # ruling 3: the tiles of this index and above are the Flower wall
WEST = 29
NEXT_WIND = {"1z": "2z", "2z": "3z", "3z": "4z", "4z": "1z"}

Ask = Generator[tuple[int, list[str]], str, Any]
Chooser = Callable[["NaiveHand", int, list[str]], str]


# --- State --------------------------------------------------------------------------------------------------


@dataclass
class Seat:
    """What lies before one seat, and what the rules remember about it."""

    hand: list[int] = field(default_factory=lambda: [0] * 34)  # counts, the tile drawn included
    melds: list[tuple[str, list[int]]] = field(default_factory=list)  # (meld kind of the formats page, its tiles)
    flowers: list[int] = field(default_factory=list)  # 34-41, in the order exposed
    discards: list[int] = field(default_factory=list)  # those not claimed

    closed: bool = False
    passed: set[int] = field(default_factory=set)  # kinds that ruling 14 bars
    turns: int = 0  # how many turns it has begun (ruling 21)

    # Of the seat's current turn:
    drawn: int | None = None  # the tile received last (ruling 9); None after a claimed Pong or Sheung
    drawn_index: int = -1  # where in the wall it lay
    gongs: int = 0  # Gongs of this turn, a claimed one included (ruling 13)

    def held(self) -> list[int]:
        """Counts of the melds' tiles, Gongs with four (ruling 42)."""
        counts = [0] * 34
        for _, tiles in self.melds:
            for tile in tiles:
                counts[tile] += 1
        return counts

    def kinds(self) -> list[int]:
        """The kinds in the concealed hand."""
        return [kind for kind in range(34) if self.hand[kind]]

    def is_complete(self) -> bool:
        return naive_hk16.is_complete(self.hand, len(self.melds), self.closed)

    def five_exposed(self) -> bool:
        """Five melds, none a concealed Gong: Last Man Standing, which cannot be closed (ruling 23)."""
        return len(self.melds) == 5 and all(kind != "kong_concealed" for kind, _ in self.melds)


class NaiveHand:
    """One hand, built from the chance part of a transcript line.

    `line` needs `rules`, `dealer`, `streak`, `prevailing`, `dice`, `carry` and `wall` (text, or a list of 144 tiles as
    texts or indices).
    """

    def __init__(self, line: dict[str, Any]) -> None:
        self.rules: str = line["rules"]
        self.options: dict[str, Any] = dict(line.get("options") or {})
        self.dealer: int = line["dealer"]
        self.streak: int = line.get("streak", 0)
        self.prevailing: str = line["prevailing"]
        self.east: int = line.get("east", self.dealer)
        if self.east != self.dealer:
            raise ValueError(f"east: the dealer {self.dealer} is East, got {self.east}")  # ruling 1
        self.dice: list[int] = line["dice"]
        self.pool: int = (line.get("carry") or {}).get("pool", 0)
        self.values: dict[str, Any] = naive_hk16._values({"options": self.options})
        wall = line["wall"]
        if isinstance(wall, str):
            wall = tiles_of(wall)
        self.wall: list[int] = [tile_of(t) if isinstance(t, str) else int(t) for t in wall]
        if sorted(self.wall) != ALL_TILES:
            raise ValueError("wall: not the 144 tiles")
        self.front = 0  # index of the first tile left in the wall

        self.seats = [Seat() for _ in range(SEATS)]
        self.unexposed: list[int] = []  # Flowers that the deal gave to seats after one that won by Flowers
        self.discarded: dict[int, list[tuple[int, int]]] = {}  # kind: (seat, its turn) of every discard
        self.discard_count = 0  # at the whole table, claimed ones included (ruling 37)
        self.bouquets: set[tuple[int, str]] = set()  # (seat, bouquet) paid
        self.winners: list[int] = []
        self.settlements: list[dict[str, Any]] = []
        self.scores = [0, 0, 0, 0]
        self.end: str | None = None  # "win", "flower" or "draw" when the hand is over
        self.next: dict[str, Any] | None = None
        self.log: list[tuple[int, str]] = []  # every action, the ones made without asking included

        self._pending: tuple[int, list[str]] | None = None
        self._run = self._play()
        self._resume(None)

    # -- the interface -----------------------------------------------------------------------------------

    def decision(self) -> tuple[int, list[str]] | None:
        """The seat to act and its legal actions, sorted; None when the hand is over."""
        return None if self._pending is None else (self._pending[0], list(self._pending[1]))

    def apply(self, text: str) -> None:
        """Make the decision."""
        if self._pending is None:
            raise ValueError("the hand is over")
        if text not in self._pending[1]:
            raise ValueError(f"{text!r} is not one of {self._pending[1]}")
        self._resume(text)

    def tiles(self) -> list[int]:
        """All tiles wherever they lie, sorted: always the same 144."""
        found = self.wall + self.unexposed
        for seat in self.seats:
            found += [kind for kind in range(34) for _ in range(seat.hand[kind])]
            found += [tile for _, tiles in seat.melds for tile in tiles] + seat.flowers + seat.discards
        return sorted(found)

    def drawable(self) -> int:
        """How many tiles can still be drawn: all that are left, of both walls (ruling 3)."""
        return len(self.wall)

    def _resume(self, answer: str | None) -> None:
        try:
            self._pending = self._run.send(answer)  # type: ignore[arg-type]
        except StopIteration:
            self._pending = None

    def _ask(self, seat: int, actions: list[str]) -> Ask:
        """Ask a seat; one with a single legal action is not asked: the move is made for it."""
        actions = sorted(set(actions))
        answer = actions[0] if len(actions) == 1 else (yield seat, actions)
        self.log.append((seat, answer))
        return answer

    # -- the whole hand ----------------------------------------------------------------------------------

    def _play(self) -> Ask:
        self._dice_triple()
        self._deal()
        self._opening_flowers()
        seat, began = self.dealer, "opening"
        while self.end is None:
            tile = yield from self._own_turn(seat, began)
            if self.end is None:
                seat, began = yield from self._claims(seat, tile)
        self._close()

    def _dice_triple(self) -> None:
        """Ruling 2: paid at once, on every hand."""
        if len(set(self.dice)) == 1:
            self._instant_from_each(self.dealer, "dice_triple", 10 if self.dice[0] in (1, 6) else 5)

    def _take(self, replacement: bool) -> tuple[int, int]:
        """The next tile and its index: ordinary draws take the lowest left, replacements the highest (ruling 3)."""
        if replacement:
            index = self.front + len(self.wall) - 1
            return self.wall.pop(), index
        self.front += 1
        return self.wall.pop(0), self.front - 1

    def _deal(self) -> None:
        """Four at a time from the dealer on, four times, then one more for the dealer."""
        self.opening: list[list[tuple[int, int]]] = [[] for _ in range(SEATS)]
        for _ in range(4):
            for step in range(SEATS):
                seat = (self.dealer + step) % SEATS
                self.opening[seat] += [self._take(False) for _ in range(4)]
        self.opening[self.dealer].append(self._take(False))

    def _opening_flowers(self) -> None:
        """Ruling 5: seat by seat from the dealer, each until it holds no Flower; seven or eight win (ruling 7)."""
        for seat in range(SEATS):
            for tile, _ in self.opening[seat]:
                if tile < FIRST_FLOWER:
                    self.seats[seat].hand[tile] += 1
            self.seats[seat].drawn, self.seats[seat].drawn_index = self.opening[seat][-1]
        flowers_of = [sorted(t for t, _ in self.opening[seat] if t >= FIRST_FLOWER) for seat in range(SEATS)]
        for step in range(SEATS):
            seat = (self.dealer + step) % SEATS
            me = self.seats[seat]
            flowers = flowers_of[seat]
            while flowers:
                for flower in flowers:
                    self._expose(seat, flower)
                drawn = [self._take(True) for _ in flowers]
                flowers = sorted(tile for tile, _ in drawn if tile >= FIRST_FLOWER)
                for tile, _ in drawn:
                    if tile < FIRST_FLOWER:
                        me.hand[tile] += 1
                me.drawn, me.drawn_index = drawn[-1]  # the tile received last (ruling 9)
            flowers_of[seat] = []
            if len(me.flowers) >= 7:
                self._flower_win(seat)
                self.unexposed = [flower for left in flowers_of for flower in left]
                return

    # -- Flowers and instant payments --------------------------------------------------------------------

    def _expose(self, seat: int, flower: int) -> None:
        """A Flower is exposed; a bouquet is paid at its last Flower, the mixed one first (ruling 6)."""
        flowers = self.seats[seat].flowers
        flowers.append(flower)
        numbers = {(tile - FIRST_FLOWER) % 4 for tile in flowers}
        colours = {(tile - FIRST_FLOWER) // 4 for tile in flowers}
        if len(numbers) == 4 and len(colours) == 2 and (seat, "mixed") not in self.bouquets:
            self.bouquets.add((seat, "mixed"))
            self._instant_from_each(seat, "mixed_bouquet", 5)
        colour = (flower - FIRST_FLOWER) // 4
        if sum((tile - FIRST_FLOWER) // 4 == colour for tile in flowers) == 4:
            self._instant_from_each(seat, "pure_bouquet", 10)

    def _flower_win(self, seat: int) -> None:
        """Rulings 7 and 8: a self-draw of Flower points alone, never declined."""
        if len(self.seats[seat].flowers) == 8:
            item, points = "eight_flowers", self.values["eight_flowers"]
        else:
            item = "seven_flowers"
            points = self.values[item][("1z", "2z", "3z", "4z").index(self.prevailing)]
        self._take_pool(seat)
        self._settle(seat, "flower", None, [[item, points]], points, self._paid(seat, points))
        self.winners = [seat]
        self.end = "flower"

    def _paid(self, winner: int, points: int) -> list[int]:
        """A self-draw: each other pays, the dealer (if another) 1 more (ruling 20)."""
        return naive_hk16.payments(winner, None, points, self.dealer)

    def _instant_from_each(self, owner: int, item: str, points: int) -> None:
        change = [-points] * SEATS
        change[owner] = 3 * points
        self._settle(owner, "instant", None, [[item, points]], points, change)

    def _take_pool(self, winner: int) -> None:
        """Ruling 18: the pool goes to a self-drawn or Flower win, recorded before it; not when it is 0 (4)."""
        if self.pool:
            change = [0] * SEATS
            change[winner] = self.pool
            self._settle(winner, "instant", None, [["drawn_pool", self.pool]], self.pool, change)
            self.pool = 0

    def _drawn_hand(self) -> None:
        """Ruling 18: a seat has to draw and no tile is left."""
        self._settle(None, "instant", None, [["drawn_hand", 5]], 5, [-5] * SEATS)
        self.pool += 20
        self.end = "draw"

    def _settle(
        self, winner: int | None, kind: str, payer: int | None, items: list[Any], points: int, paid: list[int]
    ) -> None:
        self.settlements.append(
            {"winner": winner, "kind": kind, "from": payer, "items": items, "tai": points, "payments": paid}
        )

    # -- own turn ----------------------------------------------------------------------------------------

    def _begin_turn(self, seat: int) -> None:
        """A draw or a claim begins a turn: it lifts what ruling 14 bars and ends a chase (ruling 21)."""
        me = self.seats[seat]
        me.turns += 1
        me.passed.clear()
        me.gongs = 0

    def _own_turn(self, seat: int, began: str) -> Ask:
        """One turn, from its draw (or claim) to its discard, which is returned; or the hand ends in it.

        `began`: "opening", "draw", "gong" (a claimed one) or "claim" (a Sheung or Pong, the meld already made).
        """
        me = self.seats[seat]
        self._begin_turn(seat)
        if began == "draw":
            self._draw(seat, replacement=False)
        elif began == "gong":
            me.gongs = 1
            self._draw(seat, replacement=True)
        elif began == "claim":
            me.drawn = None
        if self.end is not None:
            return None
        while True:
            regular = None if began == "claim" else self._self_draw_win(seat)  # ruling 10
            actions = [] if regular is None else ["win"]
            if me.closed:
                assert me.drawn is not None
                actions.append(f"discard {name(me.drawn)}")  # ruling 24, ruling 22 for the West Wind
            else:
                actions += self._discard_actions(seat)
                if began != "claim":
                    actions += self._gong_actions(seat)
            answer = yield from self._ask(seat, actions)
            word, _, tile_text = answer.partition(" ")
            if word == "win":
                assert regular is not None
                self._take_pool(seat)
                self.settlements.append(regular)
                self.winners = [seat]
                self.end = "win"
                return None
            tile = tile_of(tile_text)
            if word == "kong":
                yield from self._own_gong(seat, tile)
                if self.end is not None:
                    return None
                continue
            if word == "ready":
                me.closed = True
            self._discard(seat, tile)
            return tile

    def _draw(self, seat: int, replacement: bool) -> None:
        """Draw one tile, Flowers replaced. The hand ends where nothing can be drawn, or with seven Flowers."""
        me = self.seats[seat]
        while True:
            if not self.wall:
                self._drawn_hand()
                return
            tile, index = self._take(replacement)
            if tile < FIRST_FLOWER:
                break
            self._expose(seat, tile)
            replacement = True
        me.hand[tile] += 1
        me.drawn, me.drawn_index = tile, index
        if len(me.flowers) >= 7:
            self._flower_win(seat)

    def _would_chase(self, kind: int) -> bool:
        """Would a discard of the kind be its fourth copy, its first discarder having begun no turn since (21)?"""
        before = self.discarded.get(kind, [])
        return len(before) == 3 and self.seats[before[0][0]].turns == before[0][1]

    def _discard_actions(self, seat: int) -> list[str]:
        """`discard` of every kind held, and `ready` where the hand waits after it (rulings 22 and 23)."""
        me = self.seats[seat]
        actions = []
        for kind in me.kinds():
            if kind == WEST and self._would_chase(kind):
                continue
            actions.append(f"discard {name(kind)}")
            if me.five_exposed():
                continue
            me.hand[kind] -= 1
            if naive_hk16.waits(me.hand, len(me.melds), me.held(), closed=True):
                actions.append(f"ready {name(kind)}")
            me.hand[kind] += 1
        return actions

    def _gong_actions(self, seat: int) -> list[str]:
        """Concealed and added Gongs of any tiles held; a tile must be left (ruling 11)."""
        me = self.seats[seat]
        if not self.wall:
            return []
        return [f"kong {name(kind)}" for kind in me.kinds() if me.hand[kind] == 4 or ("pung", [kind] * 3) in me.melds]

    def _own_gong(self, seat: int, tile: int) -> Ask:
        """A concealed Gong, paid at once (ruling 11), or an added one, robbed before it is made (ruling 12)."""
        me = self.seats[seat]
        if me.hand[tile] == 4:
            me.hand[tile] = 0
            me.melds.append(("kong_concealed", [tile] * 4))
            self._instant_from_each(seat, "concealed_gong_declared", 5)
        else:
            yield from self._robbing(seat, tile)
            if self.end is not None:
                return
            me.hand[tile] -= 1
            me.melds[me.melds.index(("pung", [tile] * 3))] = ("kong_added", [tile] * 4)
        me.gongs += 1
        self._draw(seat, replacement=True)

    def _robbing(self, maker: int, tile: int) -> Ask:
        """Every seat that may rob is asked in turn order, then it is resolved; passing bars nothing (ruling 14)."""
        wins = self._wins_on(maker, tile, "rob_kong")
        winners = []
        for seat in wins:
            if (yield from self._ask(seat, ["win", "pass"])) == "win":
                winners.append(seat)
        self._settle_winners(winners, wins)

    def _discard(self, seat: int, tile: int) -> None:
        me = self.seats[seat]
        chased = self._would_chase(tile) and tile != WEST  # ruling 22: nothing is paid for the West Wind
        me.hand[tile] -= 1
        me.discards.append(tile)
        self.discarded.setdefault(tile, []).append((seat, me.turns))
        self.discard_count += 1
        if chased:
            points = 5 if tile >= 27 else 10
            payer = self.discarded[tile][0][0]
            change = [points] * SEATS
            change[payer] = -3 * points
            self._settle(None, "instant", payer, [["chasing", points]], points, change)

    # -- claims ------------------------------------------------------------------------------------------

    def _wins_on(self, payer: int, tile: int, by: str) -> dict[int, dict[str, Any]]:
        """In turn order, the settlements of the seats that may win on the tile (rulings 14, 15 and 19)."""
        wins = {}
        for step in (1, 2, 3):
            seat = (payer + step) % SEATS
            him = self.seats[seat]
            if by == "discard" and tile in him.passed:
                continue
            him.hand[tile] += 1
            if him.is_complete():
                settlement = self._score(seat, tile, by, payer)
                if settlement is not None:
                    wins[seat] = settlement
            him.hand[tile] -= 1
        return wins

    def _settle_winners(self, winners: list[int], settlements: dict[int, dict[str, Any]]) -> None:
        """All who answer `win` win, in turn order from the payer (ruling 15)."""
        if winners:
            self.settlements += [settlements[seat] for seat in winners]
            self.winners = winners
            self.end = "win"

    def _claims(self, discarder: int, tile: int) -> Ask:
        """The claims on a discard, in the stages of the formats page. Returns the next turn's seat and start."""
        order = [(discarder + step) % SEATS for step in (1, 2, 3)]
        wins = self._wins_on(discarder, tile, "discard")
        pong_gong = {seat: self._pong_gong_actions(seat, tile) for seat in order}
        sheungs = {seat: self._sheung_actions(discarder, seat, tile) for seat in order}
        answers: dict[int, str] = {}

        def ask(seat: int) -> Ask:
            win = ["win"] if seat in wins else []
            answers[seat] = yield from self._ask(seat, [*pong_gong[seat], *sheungs[seat], *win, "pass"])
            if answers[seat] == "pass":
                self.seats[seat].passed.add(tile)  # ruling 14

        def claimed(*words: str) -> int | None:
            return next((s for s in order if answers.get(s, "").split(" ")[0] in words), None)

        # Stage 1: every seat that may win.
        for seat in wins:
            yield from ask(seat)
        self._settle_winners([seat for seat in order if answers.get(seat) == "win"], wins)
        if self.end is not None:
            return None, None
        # Stage 2: the seat that may Pong or Gong. (No second one can hold two copies.)
        for seat in order:
            if seat not in answers and pong_gong[seat]:
                yield from ask(seat)
        # Stage 3, if that gave nothing: the next seat's Sheung.
        if claimed("pung", "kong", "chow") is None:
            for seat in order:
                if seat not in answers and sheungs[seat]:
                    yield from ask(seat)

        seat = claimed("pung", "kong")
        if seat is None:
            seat = claimed("chow")
        if seat is None:
            return (discarder + 1) % SEATS, "draw"
        return seat, self._take_discard(discarder, seat, tile, answers[seat])

    def _take_discard(self, discarder: int, seat: int, tile: int, answer: str) -> str:
        """The meld is made; returns how the turn began."""
        me = self.seats[seat]
        assert self.seats[discarder].discards.pop() == tile
        if answer == "kong":
            me.hand[tile] -= 3
            me.melds.append(("kong_exposed", [tile] * 4))
            return "gong"
        if answer == "pung":
            me.hand[tile] -= 2
            me.melds.append(("pung", [tile] * 3))
        else:
            low, high = tiles_of(answer.split()[1])
            me.hand[low] -= 1
            me.hand[high] -= 1
            me.melds.append(("chow", sorted([low, high, tile])))
        return "claim"

    def _may_claim(self, seat: int, tile: int) -> bool:
        """Rulings 14 (a passed kind), 16 (no tile left) and 24 (a closed hand)."""
        me = self.seats[seat]
        return bool(self.wall) and not me.closed and tile not in me.passed

    def _pong_gong_actions(self, seat: int, tile: int) -> list[str]:
        copies = self.seats[seat].hand[tile] if self._may_claim(seat, tile) else 0
        return [word for word, needed in (("pung", 2), ("kong", 3)) if copies >= needed]

    def _sheung_actions(self, discarder: int, seat: int, tile: int) -> list[str]:
        me = self.seats[seat]
        if (discarder + 1) % SEATS != seat or not self._may_claim(seat, tile):
            return []
        return [
            f"chow {low % 9 + 1}{name(high)}"
            for low, high in ((tile - 2, tile - 1), (tile - 1, tile + 1), (tile + 1, tile + 2))
            if is_chow(low, high, tile) and me.hand[low] and me.hand[high]
        ]

    # -- wins and settlement -----------------------------------------------------------------------------

    def _self_draw_win(self, seat: int) -> dict[str, Any] | None:
        """The settlement of a self-drawn win; None if the hand is not complete or below the minimum."""
        me = self.seats[seat]
        if not me.is_complete():
            return None
        assert me.drawn is not None
        return self._score(seat, me.drawn, "self_draw", None)

    def _flags(self, seat: int, by: str, payer: int | None) -> list[str]:
        me = self.seats[seat]
        flags = ["closed"] if me.closed else []
        if by == "self_draw":
            if not self.wall:
                flags.append("last_tile")
            if me.drawn_index >= FLOWER_WALL:
                flags.append("flower_wall")
            if me.gongs >= 2:
                flags.append("kong_on_kong")
            if seat == self.dealer and self.discard_count == 0 and not me.melds:
                flags.append("heavenly")  # ruling 37
        elif by == "discard" and self.discard_count == 1:
            flags.append("earthly")
        return flags

    def _score(self, seat: int, win_tile: int, by: str, payer: int | None) -> dict[str, Any] | None:
        """Score a complete hand, the winning tile in it, by `tests.naive_hk16`; None below the minimum."""
        me = self.seats[seat]
        concealed = list(me.hand)
        concealed[win_tile] -= 1
        position: dict[str, Any] = {
            "rules": self.rules,
            "options": self.options,
            "hand": names([kind for kind in range(34) for _ in range(concealed[kind])]),
            "melds": [[kind, names(tiles)] for kind, tiles in me.melds],
            "win_tile": name(win_tile),
            "by": by,
            "seat": seat,
            "dealer": self.dealer,
            "east": self.east,
            "streak": self.streak,
            "prevailing": self.prevailing,
            "flowers": names(sorted(me.flowers)),
            "dice": list(self.dice),
            "flags": self._flags(seat, by, payer),
            "discards": self.discard_count,
        }
        if payer is not None:
            position["from"] = payer
        answer = naive_hk16.score_position(position)
        if answer.get("reason") == "shape":
            raise AssertionError(f"{answer} for {position}")
        if not answer["win"]:
            return None
        return {
            "winner": seat,
            "kind": "win",
            "from": payer,
            "items": answer["items"],
            "tai": answer["tai"],
            "payments": answer["payments"],
        }

    def _close(self) -> None:
        """Scores, and who deals next (rulings 26 and 27)."""
        for settlement in self.settlements:
            for seat in range(SEATS):
                self.scores[seat] += settlement["payments"][seat]
        dealer, streak, prevailing = self.dealer, self.streak + 1, self.prevailing
        if self.winners != [self.dealer] or streak == 3:
            dealer, streak = (self.dealer + 1) % SEATS, 0
            if dealer == 0:
                prevailing = NEXT_WIND[prevailing]
        self.next = {"dealer": dealer, "streak": streak, "prevailing": prevailing, "carry": {"pool": self.pool}}


# --- Transcripts --------------------------------------------------------------------------------------------


def replay(line: dict[str, Any]) -> list[str]:
    """Replay a transcript line and list every difference from what it records; empty when it verifies."""
    return naive_flow.replay(line, NaiveHand)


def play(line: dict[str, Any], choose: Chooser) -> dict[str, Any]:
    """Play the hand of `line` by `choose(hand, seat, legal)`; its transcript line, with `legal`."""
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
        "options": dict(line.get("options") or {}),
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
        "carry": dict(line.get("carry") or {"pool": 0}),
        "decisions": decisions,
        "legal": legal,
        "settlements": hand.settlements,
        "scores": hand.scores,
        "end": hand.end,
        "next": hand.next,
    }
