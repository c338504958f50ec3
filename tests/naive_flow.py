"""A slow and obvious replay of one hand of ``douque-american`` or ``douque-taiwanese``, in plain Python.

It is the oracle that the compiled engine is compared with, so it follows the rule texts and the rulings of
``douque.md`` word by word and shares nothing with the engine; the number in a comment is the ruling that it
implements, and a quoted heading is the section of the rule text.

The hand is one generator (``NaiveHand._play``): it runs on by itself and stops with ``yield`` wherever a seat
has two or more legal actions. Regular wins are scored by ``tests.naive.score_position``, flower wins here.

Tiles are small integers: 0-8 m, 9-17 p, 18-26 s, 27-33 z, 34-41 f.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

try:
    from tests import naive
except ImportError:  # run from inside the tests folder
    import naive  # type: ignore[no-redef]

SEATS = 4
KEPT_BACK = 16  # "The last 16 tiles of the wall are never drawn"
MAX_STREAK = 18  # 33
FIRST_FLOWER = 34

PRESETS: dict[str, dict[str, Any]] = {
    "douque-american": {"min_tai": 3, "exchange": True, "dice_bonus": True},
    "douque-taiwanese": {"min_tai": 0, "exchange": False, "dice_bonus": False},
}

# The nine ways to pair givers and receivers without a seat giving to itself (37).
PAIRINGS = [
    [a, b, c, d]
    for a in range(4)
    for b in range(4)
    for c in range(4)
    for d in range(4)
    if sorted([a, b, c, d]) == [0, 1, 2, 3] and a != 0 and b != 1 and c != 2 and d != 3
]

Ask = Generator[tuple[int, list[str]], str, Any]
Chooser = Callable[["NaiveHand", int, list[str]], str]


# ----------------------------------------------------------------------------------------------------
# Tiles and shapes
# ----------------------------------------------------------------------------------------------------


def name(tile: int) -> str:
    """The mpsz text of one tile."""
    if tile < 27:
        return f"{tile % 9 + 1}{'mps'[tile // 9]}"
    return f"{tile - 26}z" if tile < FIRST_FLOWER else f"{tile - 33}f"


def tile_of(text: str) -> int:
    """The tile of one mpsz text such as ``5m``."""
    number, letter = int(text[0]) - 1, text[1]
    return {"m": 0, "p": 9, "s": 18, "z": 27, "f": FIRST_FLOWER}[letter] + number


def tiles_of(text: str) -> list[int]:
    """The tiles of an mpsz text, where a run of digits may share its letter."""
    tiles: list[int] = []
    digits = ""
    for sign in text:
        if sign.isdigit():
            digits += sign
        else:
            tiles += [tile_of(digit + sign) for digit in digits]
            digits = ""
    return tiles


def names(tiles: list[int]) -> str:
    """The mpsz text of several tiles, a letter after each."""
    return "".join(name(tile) for tile in tiles)


def is_number(tile: int) -> bool:
    """Characters, Dots and Bamboo; only they form chows."""
    return tile < 27


@cache
def group_fits(group: tuple[int, ...], chows: bool) -> tuple[bool, bool]:
    """Can these counts be split (into melds only, into melds and a pair)? ``chows``: not of honors."""
    first = next((i for i, count in enumerate(group) if count), None)
    if first is None:
        return True, False
    melds_only = with_pair = False

    def rest_without(*places: int) -> tuple[int, ...]:
        left = list(group)
        for place in places:
            left[place] -= 1
        return tuple(left)

    if group[first] >= 2:
        with_pair = group_fits(rest_without(first, first), chows)[0]
    if group[first] >= 3:
        only, pair = group_fits(rest_without(first, first, first), chows)
        melds_only, with_pair = melds_only or only, with_pair or pair
    if chows and first + 2 < len(group) and group[first + 1] and group[first + 2]:
        only, pair = group_fits(rest_without(first, first + 1, first + 2), chows)
        melds_only, with_pair = melds_only or only, with_pair or pair
    return melds_only, with_pair


def groups_fit(hand: list[int]) -> list[tuple[bool, bool]]:
    """``group_fits`` of the three suits and the honors."""
    suits = [group_fits(tuple(hand[first : first + 9]), True) for first in (0, 9, 18)]
    return [*suits, group_fits(tuple(hand[27:]), False)]


def is_complete(hand: list[int]) -> bool:
    """Is the concealed part of a hand (3n + 2 tiles) n melds and one pair? Shape alone (24)."""
    if sum(hand) % 3 != 2:
        return False
    fits = groups_fit(hand)
    for pair_group in range(4):
        if all(fits[g][1] if g == pair_group else fits[g][0] for g in range(4)):
            return True
    return False


def is_ready(hand: list[int], held: list[int]) -> bool:
    """Ruling 1: some kind completes the hand, of which the player has not (``held``) all four copies."""
    # One tile mends one group, so with two unfinished groups there is no wait. (Only to save time.)
    if sum(not (only or pair) for only, pair in groups_fit(hand)) > 1:
        return False
    for kind in range(34):
        if held[kind] < 4:
            hand[kind] += 1
            complete = is_complete(hand)
            hand[kind] -= 1
            if complete:
                return True
    return False


# ----------------------------------------------------------------------------------------------------
# State
# ----------------------------------------------------------------------------------------------------


@dataclass
class Seat:
    """What lies before one seat, and what the rules remember about it."""

    hand: list[int] = field(default_factory=lambda: [0] * 34)  # counts, the tile drawn included
    melds: list[tuple[str, list[int]]] = field(default_factory=list)  # (meld kind of FORMATS.md, its tiles)
    flowers: list[int] = field(default_factory=list)  # 34-41, in the order exposed
    discards: list[int] = field(default_factory=list)  # those not claimed

    declared: str | None = None  # "ready" or "migi"
    has_discarded: bool = False  # for Human and Earthly Hand
    skipped_win: bool = False  # 18-24
    skipped_pungs: set[int] = field(default_factory=set)  # 16
    last_discard: int | None = None  # 15
    kong_ban: bool = False  # 25

    # Of the seat's current turn:
    drawn: int | None = None  # the tile drawn last; None after a chow or pung, and at the opening (10)
    drawn_from_tail: bool = False  # it is a replacement
    turn_complete: bool = False  # were the 17 tiles complete after the last draw (or claim, or opening)
    case1_from: int | None = None  # Seven Robs One case 1 is open against this seat (28)

    def held(self) -> list[int]:
        """Counts of hand and melds together, kongs with four (1)."""
        counts = list(self.hand)
        for _, tiles in self.melds:
            for tile in tiles:
                counts[tile] += 1
        return counts

    def kinds(self) -> list[int]:
        """The kinds in the concealed hand."""
        return [kind for kind in range(34) if self.hand[kind]]


class NaiveHand:
    """One hand, built from the chance part of a transcript line.

    ``line`` needs ``rules``, ``dealer``, ``streak``, ``prevailing``, ``east``, ``dice``, ``wall`` (text, or a
    list of 144 tiles as texts or indices) and, with exchange, ``pairings``. What ``options`` lacks has the
    preset's value.
    """

    def __init__(self, line: dict[str, Any]) -> None:
        self.rules: str = line["rules"]
        self.options: dict[str, Any] = {**PRESETS[self.rules], **(line.get("options") or {})}
        self.dealer: int = line["dealer"]
        self.streak: int = line.get("streak", 0)
        self.prevailing: str = line["prevailing"]
        self.east: int = line["east"]
        self.dice: list[int] = line["dice"]
        self.pairings: list[list[int]] = line.get("pairings") or []
        wall = line["wall"]
        if isinstance(wall, str):
            wall = tiles_of(wall)
        self.wall: list[int] = [tile_of(t) if isinstance(t, str) else int(t) for t in wall]
        if sorted(self.wall) != sorted([kind for kind in range(34) for _ in range(4)] + list(range(34, 42))):
            raise ValueError("wall: not the 144 tiles")

        self.seats = [Seat() for _ in range(SEATS)]
        self.exposures: list[tuple[int, int]] = []  # (seat, flower), in time order (26)
        self.discard_count = 0  # at the whole table, claimed ones included
        self.calls = False  # has anyone made a chow, pung or kong, concealed ones included
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
        found = list(self.wall)
        for seat in self.seats:
            found += [kind for kind in range(34) for _ in range(seat.hand[kind])]
            found += [tile for _, tiles in seat.melds for tile in tiles] + seat.flowers + seat.discards
        return sorted(found)

    def drawable(self) -> int:
        """How many tiles can still be drawn."""
        return len(self.wall) - KEPT_BACK

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
        """Section "How a Hand Begins", then turn after turn."""
        self._deal()
        self._opening_flowers()
        self._wins_on_the_deal()
        if self.end is None:
            if self.options["exchange"]:
                yield from self._exchange(self.pairings[0])
                if (yield from self._ask(self.dealer, ["start", "exchange"])) == "exchange":
                    yield from self._exchange(self.pairings[1])
            seat, began = self.dealer, "opening"
            while True:
                tile = yield from self._own_turn(seat, began)
                if self.end is not None:
                    break
                seat, began = yield from self._claims(seat, tile)
                if self.end is not None:
                    break
        self._close()

    def _deal(self) -> None:
        """FORMATS.md "Wall": four at a time from the dealer on, four times, then one more for the dealer."""
        self.opening: list[list[int]] = [[] for _ in range(SEATS)]
        for _ in range(4):
            for step in range(SEATS):
                seat = (self.dealer + step) % SEATS
                self.opening[seat] += [self.wall.pop(0) for _ in range(4)]
        self.opening[self.dealer].append(self.wall.pop(0))

    def _opening_flowers(self) -> None:
        """Ruling 26: passes from the dealer on; a flower drawn as a replacement waits for the next pass."""
        while any(tile >= FIRST_FLOWER for tiles in self.opening for tile in tiles):
            for step in range(SEATS):
                seat = (self.dealer + step) % SEATS
                flowers = [tile for tile in self.opening[seat] if tile >= FIRST_FLOWER]
                self.opening[seat] = [tile for tile in self.opening[seat] if tile < FIRST_FLOWER]
                for flower in flowers:
                    self._expose(seat, flower)
                for _ in flowers:
                    self.opening[seat].append(self.wall.pop())
        for seat in range(SEATS):
            for tile in self.opening[seat]:
                self.seats[seat].hand[tile] += 1
        dealer = self.seats[self.dealer]
        dealer.turn_complete = is_complete(dealer.hand)

    def _expose(self, seat: int, flower: int) -> None:
        self.seats[seat].flowers.append(flower)
        self.exposures.append((seat, flower))

    def _wins_on_the_deal(self) -> None:
        """Ruling 27 and "Flower wins on the deal": all of it is made without asking."""
        dealer = self.dealer
        heavenly = is_complete(self.seats[dealer].hand)
        eight = next((s for s in range(SEATS) if len(self.seats[s].flowers) == 8), None)
        robber = robbed = None
        case = 0
        if sorted(len(seat.flowers) for seat in self.seats) == [0, 0, 1, 7]:
            robber = next(s for s in range(SEATS) if len(self.seats[s].flowers) == 7)
            robbed = next(s for s in range(SEATS) if len(self.seats[s].flowers) == 1)

        if robber is not None and robbed is not None:
            # Case 1: the robber's seventh was exposed after the eighth.
            robbers_last = max(i for i, (seat, _) in enumerate(self.exposures) if seat == robber)
            the_other = next(i for i, (seat, _) in enumerate(self.exposures) if seat == robbed)
            case = 1 if robbers_last > the_other else 2

        if heavenly:
            # (a) and the table: a non-dealer's flower win is not scored, nor is the dealer's own case 2.
            # The regular win counts the flowers that the dealer holds: 8 with Eight Immortals, 7 in case 1.
            regular = self._self_draw_win(dealer, heavenly=True)
            assert regular is not None
            if eight == dealer:
                self._settle_flower(dealer, None, with_regular=True)
            elif robber == dealer and robbed is not None and case == 1:
                self._move_flower(robbed, dealer)
                self._settle_flower(dealer, robbed, with_regular=True)
            self._settle_regular(regular)
            self.end = "win"
        elif eight is not None:
            self._settle_flower(eight, None, with_regular=False)
            self.end = "flower"
        elif robber is not None and robbed is not None:
            if case == 1 or robber == dealer:
                # 31: a dealer in case 2 draws no replacement; without a Heavenly Hand it is settled alone.
                self._move_flower(robbed, robber)
                self._settle_flower(robber, robbed, with_regular=False)
                self.end = "flower"
            else:
                self._rob_case_2(robber, robbed)

    def _exchange(self, pairing: list[int]) -> Ask:
        """Section "Three-Tile Exchange": the dealer chooses first; tiles move after all four chose."""
        given: list[list[int]] = [[], [], [], []]
        for step in range(SEATS):
            seat = (self.dealer + step) % SEATS
            left = list(self.seats[seat].hand)
            for _ in range(3):
                kinds = [kind for kind in range(34) if left[kind]]
                answer = yield from self._ask(seat, [f"give {name(kind)}" for kind in kinds])
                tile = tile_of(answer.split()[1])
                left[tile] -= 1
                given[seat].append(tile)
        for seat in range(SEATS):
            for tile in given[seat]:
                self.seats[seat].hand[tile] -= 1
                self.seats[pairing[seat]].hand[tile] += 1
        dealer = self.seats[self.dealer]
        dealer.turn_complete = is_complete(dealer.hand)

    # -- own turn ----------------------------------------------------------------------------------------

    def _own_turn(self, seat: int, began: str) -> Ask:
        """One turn, from its draw (or claim) to its discard, which is returned; or the hand ends in it.

        ``began``: "opening", "draw", "claim" (a chow or pung, the meld already made) or "exposed_kong".
        """
        me = self.seats[seat]
        banned: set[int] = set()
        me.drawn = None
        me.drawn_from_tail = False
        me.case1_from = None
        if began == "draw":
            yield from self._draw(seat, tail=False)
        elif began == "exposed_kong":
            me.kong_ban = True  # 25
            yield from self._draw(seat, tail=True)
        else:
            # 10, 21: the 17 tiles as they are.
            me.turn_complete = is_complete(me.hand)
            if began == "claim":
                banned = self._banned_after_claim(me.melds[-1][0], me.melds[-1][1])
        if self.end is not None:
            return None

        while True:
            regular = None
            if began != "claim" and me.turn_complete and not me.skipped_win and not me.kong_ban:
                # A win needs a draw (or the dealer's opening 17 tiles), no Skipped win (23) and no ban (25).
                regular = self._self_draw_win(seat, heavenly=began == "opening")
            win = regular is not None
            flower_win = len(me.flowers) == 8 or me.case1_from is not None

            actions: list[str] = []
            if win:
                actions.append("win")
            elif flower_win:
                actions.append("flower_win")  # 29: only where no regular win is legal; 30
            if me.declared is not None:
                if me.turn_complete and not win:
                    me.skipped_win = True  # 19: at once for a declared seat, before its automatic added kong
                if not (win and me.declared == "migi"):
                    actions.append(self._automatic_move(seat))  # 17
            else:
                actions += self._discard_actions(seat, banned)
                if began != "claim":
                    actions += self._kong_actions(seat)

            answer = yield from self._ask(seat, actions)
            robbed, me.case1_from = me.case1_from, None  # 28: case 1 is open at this first decision only
            word, _, tile_text = answer.partition(" ")

            if word == "win":
                assert regular is not None
                # 29: it settles both; the regular win was scored with 7 flowers in case 1.
                if len(me.flowers) == 8:
                    self._settle_flower(seat, None, with_regular=True)
                elif robbed is not None:
                    self._move_flower(robbed, seat)
                    self._settle_flower(seat, robbed, with_regular=True)
                self._settle_regular(regular)
                self.end = "win"
                return None
            if word == "flower_win":
                if len(me.flowers) == 8:
                    self._settle_flower(seat, None, with_regular=False)
                else:
                    assert robbed is not None
                    self._move_flower(robbed, seat)
                    self._settle_flower(seat, robbed, with_regular=False)
                self.end = "flower"
                return None

            if win:
                me.skipped_win = True  # 19: anything else while a self-drawn win is legal sets it at once
            tile = tile_of(tile_text)
            if word == "kong":
                yield from self._own_kong(seat, tile)
                if self.end is not None:
                    return None
                began = "draw"
                continue

            if word == "ready":
                # MIGI or Declare Ready is decided by the conditions (12).
                me.declared = "migi" if self.discard_count < 8 and not self.calls else "ready"
            self._discard(seat, tile, claimed=began == "claim")
            return tile

    def _draw(self, seat: int, tail: bool) -> Ask:
        """Draw one tile, flowers replaced. The hand ends where nothing can be drawn."""
        me = self.seats[seat]
        while True:
            if self.drawable() == 0:
                self.end = "draw"  # 31 too: a flower that was the last drawable tile
                return
            tile = self.wall.pop() if tail else self.wall.pop(0)
            if tile < FIRST_FLOWER:
                break
            self._expose(seat, tile)
            if self.drawable() > 0:
                for robber in range(SEATS):
                    if robber != seat and len(self.seats[robber].flowers) == 7:
                        # Case 2: the robber has the other seven; asked at once, a pass is final (28); 31.
                        answer = yield from self._ask(robber, ["flower_win", "pass"])
                        if answer == "flower_win":
                            self._rob_case_2(robber, seat)
                            return
            if len(me.flowers) == 7:
                # Case 1: the seventh, and the eighth is already in front of another.
                me.case1_from = next((s for s in range(SEATS) if s != seat and self.seats[s].flowers), None)
            tail = True
        me.hand[tile] += 1
        me.drawn = tile
        me.drawn_from_tail = tail
        me.turn_complete = is_complete(me.hand)
        if me.kong_ban and me.turn_complete:
            me.skipped_win = True  # 20

    def _automatic_move(self, seat: int) -> str:
        """Ruling 17: what a declared seat does with the tile drawn if it does not win."""
        me = self.seats[seat]
        assert me.drawn is not None
        if self.drawable() > 0 and ("pung", [me.drawn] * 3) in me.melds:
            return f"kong {name(me.drawn)}"
        return f"discard {name(me.drawn)}"

    def _discard_actions(self, seat: int, banned: set[int]) -> list[str]:
        """``discard`` of every kind held and not banned, and ``ready`` where the hand waits after it (12)."""
        me = self.seats[seat]
        actions = []
        for kind in me.kinds():
            if kind in banned:
                continue
            actions.append(f"discard {name(kind)}")
            if self.drawable() > 0:  # not on the turn of the last drawable tile
                me.hand[kind] -= 1
                ready = is_ready(me.hand, me.held())
                me.hand[kind] += 1
                if ready:
                    actions.append(f"ready {name(kind)}")
        return actions

    def _kong_actions(self, seat: int) -> list[str]:
        """Concealed and added kongs; at least one drawable tile must be left (14)."""
        me = self.seats[seat]
        if self.drawable() == 0:
            return []
        return [f"kong {name(kind)}" for kind in me.kinds() if me.hand[kind] == 4 or ("pung", [kind] * 3) in me.melds]

    def _banned_after_claim(self, kind: str, tiles: list[int]) -> set[int]:
        """Section "No discarding a Chowed (Punged) tile". The claimed tile is the last of ``tiles``."""
        claimed = tiles[-1]
        banned = {claimed}
        if kind == "chow":
            low, high = tiles[0], tiles[1]
            if high == low + 1:
                other = high + 1 if claimed == low - 1 else low - 1
                # Two-sided only: the tile at the other end, where that rank exists in the suit.
                if other >= 0 and other // 9 == low // 9:
                    banned.add(other)
        return banned

    def _own_kong(self, seat: int, tile: int) -> Ask:
        """A concealed or added kong, the robbing of the latter, and the replacement."""
        me = self.seats[seat]
        self.calls = True
        if not (me.turn_complete and me.drawn == tile):
            me.skipped_win = False  # 22
        me.kong_ban = False  # 25
        if me.hand[tile] == 4:
            me.hand[tile] = 0
            me.melds.append(("kong_concealed", [tile] * 4))
        else:
            place = me.melds.index(("pung", [tile] * 3))
            me.hand[tile] -= 1
            me.melds[place] = ("kong_added", [tile] * 4)
            yield from self._robbing(seat, tile)
            if self.end is not None:
                return
        yield from self._draw(seat, tail=True)

    def _robbing(self, maker: int, tile: int) -> Ask:
        """Section "Robbing the Kong": every seat that may rob is asked in turn order, then it is resolved."""
        complete, wins = self._who_completes(maker, tile, "rob_kong")
        winners = []
        for seat in wins:
            actions = ["win"] if self.seats[seat].declared == "migi" else ["win", "pass"]
            if (yield from self._ask(seat, actions)) == "win":
                winners.append(seat)
        if winners:
            self._settle_winners(winners, wins)
        else:
            for seat in complete:
                self.seats[seat].skipped_win = True  # 18

    def _discard(self, seat: int, tile: int, claimed: bool) -> None:
        me = self.seats[seat]
        me.hand[tile] -= 1
        me.discards.append(tile)
        me.has_discarded = True
        me.last_discard = tile
        me.skipped_pungs.clear()  # 16
        me.kong_ban = False  # 25
        self.discard_count += 1
        # 21: cleared if the tile drawn last (or the 17 tiles of a chow or pung) did not complete the hand;
        # otherwise kept, and set by a draw that completed it with too few tai (19).
        if not me.turn_complete:
            me.skipped_win = False
        elif not claimed:
            me.skipped_win = True

    # -- claims ------------------------------------------------------------------------------------------

    def _who_completes(self, payer: int, tile: int, by: str) -> tuple[list[int], dict[int, dict[str, Any]]]:
        """In turn order: the seats that the tile completes, and the settlements of those that may win."""
        complete, wins = [], {}
        for step in (1, 2, 3):
            seat = (payer + step) % SEATS
            him = self.seats[seat]
            him.hand[tile] += 1
            if is_complete(him.hand):
                complete.append(seat)
                if not him.skipped_win:  # 23
                    settlement = self._score(seat, tile, by, payer, him.flowers, self._early_flags(seat, by))
                    if settlement is not None:
                        wins[seat] = settlement
            him.hand[tile] -= 1
        return complete, wins

    def _claims(self, discarder: int, tile: int) -> Ask:
        """The claims on a discard, in the stages of FORMATS.md. Returns the next turn's seat and start."""
        order = [(discarder + step) % SEATS for step in (1, 2, 3)]
        complete, wins = self._who_completes(discarder, tile, "discard")
        pung_kong = {seat: self._pung_kong_actions(discarder, seat, tile) for seat in order}
        chows = {seat: self._chow_actions(discarder, seat, tile) for seat in order}
        answers: dict[int, str] = {}

        def ask(seat: int) -> Ask:
            actions = pung_kong[seat] + chows[seat] + ["pass"]
            if seat in wins:
                # "MIGI: You must win; you cannot let it pass"
                actions = ["win"] if self.seats[seat].declared == "migi" else [*actions, "win"]
            answers[seat] = yield from self._ask(seat, actions)
            if "pung" in actions and answers[seat] not in ("pung", "kong"):
                self.seats[seat].skipped_pungs.add(tile)  # 16

        def claimed(*words: str) -> int | None:
            return next((s for s in order if answers.get(s, "").split(" ")[0] in words), None)

        # Stage 1: every seat that may win.
        for seat in order:
            if seat in wins:
                yield from ask(seat)
        winners = [seat for seat in order if answers.get(seat) == "win"]
        if winners:
            self._settle_winners(winners, wins)
            return None, None
        for seat in complete:
            self.seats[seat].skipped_win = True  # 18

        # Stage 2: the seat that may pung or kong. (No second one can hold two copies.)
        if claimed("pung", "kong") is None:
            for seat in order:
                if seat not in answers and pung_kong[seat]:
                    yield from ask(seat)

        # Stage 3, if that gave nothing: the next seat's chow.
        if claimed("pung", "kong", "chow") is None:
            for seat in order:
                if seat not in answers and chows[seat]:
                    yield from ask(seat)

        seat = claimed("pung", "kong")
        if seat is None:
            seat = claimed("chow")
        if seat is None:
            return (discarder + 1) % SEATS, "draw"

        me = self.seats[seat]
        answer = answers[seat]
        assert self.seats[discarder].discards.pop() == tile
        self.calls = True
        if answer == "kong":
            me.hand[tile] -= 3
            me.melds.append(("kong_exposed", [tile] * 4))
            return seat, "exposed_kong"
        if answer == "pung":
            me.hand[tile] -= 2
            me.melds.append(("pung", [tile] * 3))
        else:
            low, high = tiles_of(answer.split()[1])
            me.hand[low] -= 1
            me.hand[high] -= 1
            me.melds.append(("chow", [low, high, tile]))
        return seat, "claim"

    def _may_claim(self, seat: int) -> bool:
        """Not after declaring, nor with fewer than 4 drawable tiles left when the tile is discarded (13)."""
        return self.seats[seat].declared is None and self.drawable() >= 4

    def _leaves_a_discard(self, seat: int, kind: str, tiles: list[int]) -> bool:
        """Ruling 11. The last of ``tiles`` is the claimed one, the others are from the hand."""
        left = list(self.seats[seat].hand)
        for tile in tiles[:-1]:
            left[tile] -= 1
        banned = self._banned_after_claim(kind, tiles)
        return any(left[kind] for kind in range(34) if kind not in banned)

    def _pung_kong_actions(self, discarder: int, seat: int, tile: int) -> list[str]:
        me = self.seats[seat]
        if not self._may_claim(seat) or me.last_discard == tile:  # 15, "No claiming back a discard"
            return []
        actions = []
        if me.hand[tile] >= 2 and tile not in me.skipped_pungs:
            if self._leaves_a_discard(seat, "pung", [tile] * 3):
                actions.append("pung")
        # "No Exposed Kong from the previous player"; a skipped pung does not bar it (16).
        if me.hand[tile] >= 3 and (seat + 3) % SEATS != discarder:
            actions.append("kong")
        return actions

    def _chow_actions(self, discarder: int, seat: int, tile: int) -> list[str]:
        me = self.seats[seat]
        if not self._may_claim(seat) or (seat + 3) % SEATS != discarder:
            return []
        actions = []
        for low, high in ((tile - 2, tile - 1), (tile - 1, tile + 1), (tile + 1, tile + 2)):
            if not is_chow(low, high, tile) or not me.hand[low] or not me.hand[high]:
                continue
            if me.last_discard is not None and is_chow(low, high, me.last_discard):
                continue  # 15: the two tiles could form a chow with the seat's own last discard
            if self._leaves_a_discard(seat, "chow", [low, high, tile]):
                actions.append(f"chow {low % 9 + 1}{name(high)}")
        return actions

    # -- wins and settlement -----------------------------------------------------------------------------

    def _early_flags(self, seat: int, by: str) -> list[str]:
        """Earthly or Human Hand: a non-dealer that has not discarded, no chow, pung or kong at the table."""
        if seat == self.dealer or self.calls or self.seats[seat].has_discarded:
            return []
        return ["earthly"] if by == "self_draw" else ["human"]

    def _self_draw_win(self, seat: int, heavenly: bool) -> dict[str, Any] | None:
        """The settlement of a self-drawn win, or None below the minimum."""
        me = self.seats[seat]
        if heavenly:
            # 7: no tile is the winning tile, so any will do.
            return self._score(seat, me.kinds()[0], "self_draw", None, me.flowers, ["heavenly"])
        flags = self._early_flags(seat, "self_draw")
        if me.drawn_from_tail:
            flags.append("replacement")
        if self.drawable() == 0:
            flags.append("last_tile")
        assert me.drawn is not None
        return self._score(seat, me.drawn, "self_draw", None, me.flowers, flags)

    def _score(
        self, seat: int, win_tile: int, by: str, payer: int | None, flowers: list[int], flags: list[str]
    ) -> dict[str, Any] | None:
        """Score a complete hand, the winning tile in it, by ``tests.naive``; None below the minimum."""
        me = self.seats[seat]
        concealed = list(me.hand)
        concealed[win_tile] -= 1
        position: dict[str, Any] = {
            "rules": self.rules,
            "options": {"min_tai": self.options["min_tai"], "dice_bonus": self.options["dice_bonus"]},
            "hand": names([kind for kind in range(34) for _ in range(concealed[kind])]),
            "melds": [[kind, names(sorted(tiles))] for kind, tiles in me.melds],
            "win_tile": name(win_tile),
            "by": by,
            "seat": seat,
            "dealer": self.dealer,
            "east": self.east,
            "streak": self.streak,
            "prevailing": self.prevailing,
            "flowers": names(sorted(flowers)),
            "dice": list(self.dice),
            "flags": ([me.declared] if me.declared else []) + flags,
        }
        if payer is not None:
            position["from"] = payer
        answer = naive.score_position(position)
        if "error" in answer or answer.get("reason") == "shape":
            raise AssertionError(f"{answer} for {position}")
        if not answer["win"]:
            return None
        return {
            "winner": seat,
            "kind": "win",
            "from": payer,
            "items": [list(item) for item in answer["items"]],
            "tai": answer["tai"],
            "payments": list(answer["payments"]),
        }

    def _settle_winners(self, winners: list[int], settlements: dict[int, dict[str, Any]]) -> None:
        """Three win together; of two the nearer in turn order wins; counted by declaration (38)."""
        if len(winners) == 2:
            winners = winners[:1]
        for seat in winners:
            self._settle_regular(settlements[seat])
        self.end = "win"

    def _settle_regular(self, settlement: dict[str, Any]) -> None:
        self.settlements.append(settlement)

    def _settle_flower(self, winner: int, robbed: int | None, with_regular: bool) -> None:
        """Ruling 9: 8 tai, the dice bonus if no regular win comes with it, the base of 3 and dealer tai."""
        items: list[list[Any]] = [["eight_immortals" if robbed is None else "seven_robs_one", 8]]
        bonus = dice_bonus(self.dice) if self.options["dice_bonus"] else 0
        if bonus and not with_regular:
            items.append(["dice_bonus", bonus])
        tai = sum(item[1] for item in items)
        payments = [0, 0, 0, 0]
        for payer in range(SEATS) if robbed is None else [robbed]:
            if payer != winner:
                share = 3 + tai
                if self.dealer in (winner, payer):
                    share += 1 + 2 * self.streak
                payments[payer] -= share
                payments[winner] += share
        self.settlements.append(
            {
                "winner": winner,
                "kind": "flower",
                "from": robbed,
                "items": sorted(items),
                "tai": tai,
                "payments": payments,
            }
        )

    def _move_flower(self, robbed: int, robber: int) -> None:
        """The flower moves to the front of the robbing player."""
        flower = self.seats[robbed].flowers.pop()
        self.seats[robber].flowers.append(flower)

    def _rob_case_2(self, robber: int, robbed: int) -> None:
        """Seven Robs One case 2: rob, then draw a replacement; what that completes is settled too (29-32)."""
        me = self.seats[robber]
        self._move_flower(robbed, robber)
        tile = self.wall.pop()  # no flower: all eight lie before the robber
        me.hand[tile] += 1
        regular = None
        if is_complete(me.hand) and not me.skipped_win:  # 30
            # 32: paid by the robbed seat as if by discard; Human Hand if the robber has not discarded yet.
            flags = [*self._early_flags(robber, "discard"), "replacement"]
            regular = self._score(robber, tile, "discard", robbed, me.flowers, flags)
        self._settle_flower(robber, robbed, with_regular=regular is not None)
        if regular is not None:
            self._settle_regular(regular)
        self.end = "flower" if regular is None else "win"

    def _close(self) -> None:
        """Scores, and who deals next (33, 35)."""
        for settlement in self.settlements:
            for seat in range(SEATS):
                self.scores[seat] += settlement["payments"][seat]
        stays = self.end == "draw" or self.scores[self.dealer] > 0
        if stays and self.streak < MAX_STREAK:
            self.next = {"dealer": self.dealer, "streak": self.streak + 1, "prevailing": self.prevailing}
            return
        dealer = (self.dealer + 1) % SEATS
        prevailing = self.prevailing
        if dealer == 0:
            prevailing = {"1z": "2z", "2z": "3z", "3z": "4z", "4z": "1z"}[prevailing]
        self.next = {"dealer": dealer, "streak": 0, "prevailing": prevailing}


def is_chow(low: int, high: int, third: int) -> bool:
    """Are the three tiles, of which the first two are in ascending order, a chow?"""
    three = sorted([low, high, third])
    if three[0] < 0 or not is_number(three[2]) or three[0] // 9 != three[2] // 9:
        return False
    return three[1] == three[0] + 1 and three[2] == three[1] + 1


def dice_bonus(dice: list[int]) -> int:
    """Section "Dice Bonus": the first pattern from the top that matches."""
    if len(set(dice)) == 1:
        return 5
    if all(die in (1, 4) for die in dice):
        return 3
    first, second, third = sorted(dice)
    if second == first + 1 and third == second + 1:
        return 2
    if all(die in (2, 3, 5, 6) for die in dice):
        return 1
    return 0


# ----------------------------------------------------------------------------------------------------
# Transcripts
# ----------------------------------------------------------------------------------------------------


def replay(line: dict[str, Any], make: Callable[[dict[str, Any]], Any] = NaiveHand) -> list[str]:
    """Replay a transcript line and list every difference from what it records; empty when it verifies.

    ``make`` is the plain hand of the line's rule set.
    """
    hand = make(line)
    legal = line.get("legal")
    differences = []
    if legal is not None and len(legal) != len(line["decisions"]):
        differences.append(f"{len(legal)} legal lists for {len(line['decisions'])} decisions")
    for number, (seat, text) in enumerate(line["decisions"]):
        pending = hand.decision()
        if pending is None:
            return [*differences, f"decision {number}: {seat} {text!r} recorded, but the hand is over"]
        if pending[0] != seat:
            return [*differences, f"decision {number}: {seat} {text!r} recorded, but {pending} is due"]
        if legal is not None and number < len(legal) and legal[number] != pending[1]:
            differences.append(f"decision {number}: legal {legal[number]} recorded, {pending[1]} found")
        if text not in pending[1]:
            return [*differences, f"decision {number}: {seat} {text!r} is not one of {pending[1]}"]
        hand.apply(text)
    if hand.decision() is not None:
        return [*differences, f"the record ends, but {hand.decision()} is due"]
    for key in ("settlements", "scores", "end", "next"):
        if key in line and line[key] != getattr(hand, key):
            differences.append(f"{key}: {line[key]} recorded, {getattr(hand, key)} found")
    return differences


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
        "pairings": [list(pairing) for pairing in hand.pairings],
        "carry": {},
        "decisions": decisions,
        "legal": legal,
        "settlements": hand.settlements,
        "scores": hand.scores,
        "end": hand.end,
        "next": hand.next,
    }


def random_line(rng: random.Random, rules: str, options: dict[str, Any] | None = None) -> dict[str, Any]:
    """The chance part of a random hand, somewhere in a match."""
    wall = [kind for kind in range(34) for _ in range(4)] + list(range(34, 42))
    rng.shuffle(wall)
    exchange = {**PRESETS[rules], **(options or {})}["exchange"]
    return {
        "rules": rules,
        "options": dict(options or {}),
        "dealer": rng.randrange(4),
        "streak": rng.choice([0, 0, 0, 1, 2, 17, 18]),
        "prevailing": rng.choice(["1z", "2z", "3z", "4z"]),
        "east": rng.randrange(4),
        "dice": [rng.randint(1, 6) for _ in range(3)],
        "wall": names(wall),
        "pairings": [list(rng.choice(PAIRINGS)), list(rng.choice(PAIRINGS))] if exchange else [],
    }


def arranged_wall(
    dealer: int, hands: list[str], draws: str = "", replacements: str = "", rng: random.Random | None = None
) -> list[int]:
    """A wall with what is asked for in it, and the rest shuffled.

    ``hands[seat]`` lists the tiles that a seat gets in the opening, in order: the first 16 (dealer 17) on the
    deal, the others as replacements of its flowers. A short list is filled up at random, but with no flowers.
    Then come ``draws`` from the front and ``replacements`` from the end, the first to be drawn first.
    """
    rng = rng or random.Random(0)
    pool = [kind for kind in range(34) for _ in range(4)] + list(range(34, 42))
    coming = [tiles_of(text) for text in hands]
    front, back = tiles_of(draws), tiles_of(replacements)
    for tile in [tile for tiles in coming for tile in tiles] + front + back:
        pool.remove(tile)
    rng.shuffle(pool)
    pool.sort(key=lambda tile: tile >= FIRST_FLOWER)
    for seat in range(SEATS):
        while sum(tile < FIRST_FLOWER for tile in coming[seat]) < (17 if seat == dealer else 16):
            coming[seat].append(pool.pop(0))
    rng.shuffle(pool)
    wall: list[int] = []
    dealt = [tiles[: 17 if seat == dealer else 16] for seat, tiles in enumerate(coming)]
    coming = [tiles[17 if seat == dealer else 16 :] for seat, tiles in enumerate(coming)]
    for round_ in range(4):
        for step in range(SEATS):
            wall += dealt[(dealer + step) % SEATS][4 * round_ : 4 * round_ + 4]
    wall.append(dealt[dealer][16])
    tail: list[int] = []
    while any(coming):  # pass after pass, as in ruling 26
        for step in range(SEATS):
            seat = (dealer + step) % SEATS
            flowers = sum(tile >= FIRST_FLOWER for tile in dealt[seat])
            if coming[seat] and not flowers:
                raise ValueError(f"hands: {names(coming[seat])} of seat {seat} would never be drawn")
            dealt[seat], coming[seat] = coming[seat][:flowers], coming[seat][flowers:]
            tail += dealt[seat]
    return wall + front + pool + (tail + back)[::-1]


def rigged_line(rng: random.Random, rules: str, options: dict[str, Any] | None = None) -> dict[str, Any]:
    """Like ``random_line``, but near the rare cases: nearly finished hands, and the flowers in few places."""
    line = random_line(rng, rules, options)
    dealer = line["dealer"]
    counts = [4] * 34
    hands: list[list[int]] = [[] for _ in range(SEATS)]
    missing: list[list[int]] = [[] for _ in range(SEATS)]
    for seat in rng.sample(range(SEATS), rng.randint(1, 4)):
        suit = rng.choice([None, None, 0, 9, 18])
        while len(hands[seat]) < 15:
            kind = rng.randrange(34) if suit is None else suit + rng.randrange(9)
            tiles = [kind] * 3 if rng.random() < 0.4 else [kind, kind + 1, kind + 2]
            if tiles[0] != tiles[1] and not (tiles[2] < 27 and tiles[0] // 9 == tiles[2] // 9):
                continue
            if all(counts[tile] >= tiles.count(tile) for tile in tiles):
                hands[seat] += tiles
                for tile in tiles:
                    counts[tile] -= 1
            elif rng.random() < 0.2:
                suit = None
        pair = rng.choice([kind for kind in range(34) if counts[kind] >= 2])
        counts[pair] -= 2
        hands[seat] += [pair, pair]
        rng.shuffle(hands[seat])
        keep = rng.choice([17, 16, 16, 15, 14]) if seat == dealer else rng.choice([16, 16, 16, 15, 14])
        hands[seat], missing[seat] = hands[seat][:keep], hands[seat][keep:]
    draws = [tile for tiles in missing for tile in tiles if rng.random() < 0.3]
    replacements: list[int] = []
    if rng.random() < 0.7:
        # Most flowers to one seat on the deal; the others to another seat, the next draws or replacements.
        flowers = list(range(34, 42))
        rng.shuffle(flowers)
        lucky = rng.randrange(SEATS)
        number = rng.choice([5, 6, 6, 7, 7, 7, 8])
        # The last of them among the dealt tiles or among the replacements of the first pass.
        dealt = flowers[: number - 1] + hands[lucky]
        dealt.insert(rng.randint(0, 15 + number - 1), flowers[number - 1])
        hands[lucky] = dealt
        for flower in flowers[number:]:
            place = rng.random()
            if place < 0.4:
                other = rng.randrange(SEATS)
                hands[other].insert(0, flower)
            elif place < 0.8:
                draws.insert(rng.randint(0, len(draws)), flower)
            else:
                replacements.append(flower)
        left = [tile for tile in missing[lucky] if tile not in draws]
        replacements = left + replacements
    else:
        replacements = [tile for tiles in missing for tile in tiles if tile not in draws]
    rng.shuffle(draws)
    text = [names(tiles) for tiles in hands]
    line["wall"] = names(arranged_wall(dealer, text, names(draws), names(replacements), rng))
    return line
