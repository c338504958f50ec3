"""A slow and obvious replay of one hand of ``four-winds``, in plain Python.

It is the oracle that the compiled engine is compared with, so it follows the rule text and the rulings of
``four-winds.md`` word by word and shares nothing with the engine; the number in a comment is the ruling that it
implements. What is not particular to a rule set (dealing, the stages of claims, how a seat is asked) is taken from
``tests.naive_flow``; the rest of that class is replaced here. Wins are scored by ``tests.naive_four_winds``.

Tiles are small integers: 0-8 m, 9-17 p, 18-26 s, 27-33 z, 34-41 f.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests import naive_flow
from tests import naive_four_winds as scoring
from tests.naive_flow import FIRST_FLOWER, SEATS, Ask, Seat, arranged_wall, is_chow, name, names, tile_of, tiles_of

RULES = "four-winds"
FULL_SET = sorted([kind for kind in range(34) for _ in range(4)] + list(range(FIRST_FLOWER, FIRST_FLOWER + 8)))
DECLARED = "original_call"

Chooser = Callable[["NaiveHand", int, list[str]], str]


class NaiveHand(naive_flow.NaiveHand):
    """One hand, built from the chance part of a transcript line.

    ``line`` needs ``dealer``, ``east`` and ``wall`` (text, or a list of 144 tiles as texts or indices); ``streak``,
    ``prevailing``, ``dice`` and ``carry`` are carried along and decide nothing (1, 33).
    """

    def __init__(self, line: dict[str, Any]) -> None:
        self.rules: str = line.get("rules", RULES)
        self.options: dict[str, Any] = dict(line.get("options") or {})
        self.dealer: int = line["dealer"]
        self.streak: int = line.get("streak", 0)
        self.prevailing: str = line.get("prevailing", "1z")
        self.east: int = line.get("east", self.dealer)
        if self.rules != RULES or self.east != self.dealer:
            raise ValueError("east: the dealer is East (1)")
        self.dice: list[int] = list(line.get("dice") or [])
        self.pairings: list[list[int]] = []
        self.carry: dict[str, Any] = dict(line.get("carry") or {})
        wall = line["wall"]
        if isinstance(wall, str):
            wall = tiles_of(wall)
        self.wall: list[int] = [tile_of(t) if isinstance(t, str) else int(t) for t in wall]
        if sorted(self.wall) != FULL_SET:
            raise ValueError("wall: not the 144 tiles")

        self.seats = [Seat() for _ in range(SEATS)]
        self.exposures: list[tuple[int, int]] = []  # (seat, flower), in time order
        self.discard_count = 0  # at the whole table, claimed ones included (31)
        self.kong_made = False  # of any kind, by anyone (27)
        self.calls = False  # written by the stages of claims, not read here
        self.settlements: list[dict[str, Any]] = []
        self.scores = [0, 0, 0, 0]
        self.end: str | None = None  # "win", "flower" or "draw" when the hand is over
        self.next: dict[str, Any] | None = None
        self.log: list[tuple[int, str]] = []  # every action, the ones made without asking included

        self._pending: tuple[int, list[str]] | None = None
        self._run = self._play()
        self._resume(None)

    # -- the whole hand ----------------------------------------------------------------------------------------------

    def _play(self) -> Ask:
        """The deal, flowers, their wins, Original Calls; then turn after turn."""
        self._deal()
        self._opening_flowers()  # 4: the same passes as in Douque
        yield from self._flower_wins()  # 16: after the last pass
        if self.end is None:
            yield from self._original_calls()
            seat, began = self.dealer, "opening"
            while True:
                tile = yield from self._own_turn(seat, began)
                if self.end is not None:
                    break
                seat, began = yield from self._claims(seat, tile)
                if self.end is not None:
                    break
        self._close()

    def _flower_wins(self) -> Ask:
        """Rulings 16-20: looked at when a flower has been exposed, before its replacement."""
        numbers = [len(seat.flowers) for seat in self.seats]
        if 8 in numbers:
            self._settle_flower(numbers.index(8), None)  # 17: unasked
        elif sorted(numbers) == [0, 0, 1, 7]:
            # 18: asked once; all eight lie open now, so no later flower brings this about again.
            robber, owner = numbers.index(7), numbers.index(1)
            if (yield from self._ask(robber, ["flower_win", "pass"])) == "flower_win":
                self._move_flower(owner, robber)
                self._settle_flower(robber, owner)

    def _original_calls(self) -> Ask:
        """Ruling 14: the non-dealers whose dealt tiles wait, from East's next seat on."""
        for step in (1, 2, 3):
            seat = (self.dealer + step) % SEATS
            me = self.seats[seat]
            if scoring.waits(me.hand, 0, [0] * 34):
                if (yield from self._ask(seat, ["declare", "pass"])) == "declare":
                    me.declared = DECLARED

    # -- own turn ----------------------------------------------------------------------------------------------------

    def _own_turn(self, seat: int, began: str) -> Ask:
        """One turn, from its draw (or claim) to its discard, which is returned; or the hand ends in it.

        ``began``: "opening", "draw", "claim" (a chow or pung, the meld already made) or "exposed_kong".
        """
        me = self.seats[seat]
        me.drawn = None
        if began in ("draw", "exposed_kong"):
            yield from self._draw(seat, tail=began == "exposed_kong")
            if self.end is not None:
                return None
        while True:
            actions: list[str] = []
            win = None if began == "claim" else self._self_draw_win(seat, heavenly=began == "opening")  # 9
            if win is not None:
                actions.append("win")
            if me.declared is not None:
                assert me.drawn is not None
                actions.append(f"discard {name(me.drawn)}")  # 15: asked for a win only
            else:
                actions += [f"discard {name(kind)}" for kind in me.kinds()]
                if began != "claim":
                    actions += self._kong_actions(seat)
                if began == "opening":
                    actions += self._ready_actions(seat)

            answer = yield from self._ask(seat, actions)
            word, _, tile_text = answer.partition(" ")
            if word == "win":
                assert win is not None
                self._settle_regular(win)
                self.end = "win"
                return None
            tile = tile_of(tile_text)
            if word == "kong":
                yield from self._own_kong(seat, tile)
                if self.end is not None:
                    return None
                began = "draw"
                continue
            if word == "ready":
                me.declared = DECLARED
            me.hand[tile] -= 1
            me.discards.append(tile)
            self.discard_count += 1
            return tile

    def _draw(self, seat: int, tail: bool) -> Ask:
        """Draw one tile, flowers replaced (5). The hand ends where a tile must be taken and none is left (6)."""
        me = self.seats[seat]
        while True:
            if self.drawable() == 0:
                self.end = "draw"
                return
            tile = self.wall.pop() if tail else self.wall.pop(0)
            if tile < FIRST_FLOWER:
                break
            self._expose(seat, tile)
            yield from self._flower_wins()  # 16: without replacement or live tile; 19: before any regular win
            if self.end is not None:
                return
            tail = True
        me.hand[tile] += 1
        me.drawn = tile

    def _ready_actions(self, seat: int) -> list[str]:
        """Ruling 14: East's Original Call, for each discard after which the hand waits."""
        me = self.seats[seat]
        actions = []
        for kind in me.kinds():
            me.hand[kind] -= 1
            if scoring.waits(me.hand, 0, [0] * 34):
                actions.append(f"ready {name(kind)}")
            me.hand[kind] += 1
        return actions

    def _own_kong(self, seat: int, tile: int) -> Ask:
        """A concealed or added kong (8), the robbing of the latter (12), and the replacement."""
        me = self.seats[seat]
        if me.hand[tile] == 4:
            me.hand[tile] = 0
            me.melds.append(("kong_concealed", [tile] * 4))
        else:
            yield from self._robbing(seat, tile)
            if self.end is not None:
                return  # 12: a robbed kong is not made
            me.hand[tile] -= 1
            me.melds[me.melds.index(("pung", [tile] * 3))] = ("kong_added", [tile] * 4)
        self.kong_made = True
        yield from self._draw(seat, tail=True)

    # -- claims ------------------------------------------------------------------------------------------------------

    def _who_completes(self, payer: int, tile: int, by: str) -> tuple[list[int], dict[int, dict[str, Any]]]:
        """In turn order, the seats that the tile completes; all of them may win, declared or not (11, 13, 15)."""
        wins = {}
        for step in (1, 2, 3):
            seat = (payer + step) % SEATS
            him = self.seats[seat]
            him.hand[tile] += 1
            if scoring.is_complete(him.hand, len(him.melds)):
                first = by == "discard" and self.discard_count == 1 and not self.kong_made
                wins[seat] = self._score(seat, tile, by, payer, ["earthly"] if first else [])  # 27
            him.hand[tile] -= 1
        return list(wins), wins

    def _pung_kong_actions(self, discarder: int, seat: int, tile: int) -> list[str]:
        """Rulings 7, 10, 13, 15: from any seat; the kong needs a live tile, the pung does not."""
        me = self.seats[seat]
        actions = []
        if me.declared is None and me.hand[tile] >= 2:
            actions.append("pung")
        if me.declared is None and me.hand[tile] >= 3 and self.drawable() > 0:
            actions.append("kong")
        return actions

    def _chow_actions(self, discarder: int, seat: int, tile: int) -> list[str]:
        """Only the previous player's discard; no live tile needed (7)."""
        me = self.seats[seat]
        if me.declared is not None or (discarder + 1) % SEATS != seat:
            return []
        return [
            f"chow {low % 9 + 1}{name(high)}"
            for low, high in ((tile - 2, tile - 1), (tile - 1, tile + 1), (tile + 1, tile + 2))
            if is_chow(low, high, tile) and me.hand[low] and me.hand[high]
        ]

    def _claims(self, discarder: int, tile: int) -> Ask:
        seat, began = yield from super()._claims(discarder, tile)
        self.kong_made = self.kong_made or began == "exposed_kong"
        return seat, began

    # -- wins and settlement -----------------------------------------------------------------------------------------

    def _self_draw_win(self, seat: int, heavenly: bool) -> dict[str, Any] | None:
        """The settlement of a self-drawn win, None if the hand is not complete."""
        me = self.seats[seat]
        if not scoring.is_complete(me.hand, len(me.melds)):
            return None
        if heavenly:
            # 28: no tile is the winning tile; the position names the one that East took last.
            return self._score(seat, self.opening[seat][-1], "self_draw", None, ["heavenly"])
        assert me.drawn is not None
        return self._score(seat, me.drawn, "self_draw", None, ["last_tile"] if self.drawable() == 0 else [])  # 30

    def _score(self, seat: int, win_tile: int, by: str, payer: int | None, flags: list[str]) -> dict[str, Any]:
        """The settlement of a complete hand, the winning tile in it."""
        me = self.seats[seat]
        concealed = list(me.hand)
        concealed[win_tile] -= 1
        position: dict[str, Any] = {
            "rules": RULES,
            "options": self.options,
            "hand": names([kind for kind in range(34) for _ in range(concealed[kind])]),
            "melds": [[kind, names(sorted(tiles))] for kind, tiles in me.melds],
            "win_tile": name(win_tile),
            "by": by,
            "seat": seat,
            "flowers": names(sorted(me.flowers)),
            "flags": ([me.declared] if me.declared else []) + flags,
            "discards": self.discard_count,
        }
        if payer is not None:
            position["from"] = payer
        answer = scoring.score_position(position)
        assert answer["win"], (answer, position)
        return {
            "winner": seat,
            "kind": "win",
            "from": payer,
            "items": answer["items"],
            "tai": answer["tai"],
            "payments": answer["payments"],
        }

    def _settle_winners(self, winners: list[int], settlements: dict[int, dict[str, Any]]) -> None:
        """Ruling 11: all of them, in turn order from the payer."""
        for seat in winners:
            self._settle_regular(settlements[seat])
        self.end = "win"

    def _settle_flower(self, winner: int, robbed: int | None, with_regular: bool = False) -> None:
        """Ruling 19: one item and nothing else; it ends the hand."""
        assert not with_regular
        item = "eight_immortals" if robbed is None else "seven_robs_one"
        tai = {**scoring.VALUES, **self.options.get("items", {})}[item]
        self.settlements.append(
            {
                "winner": winner,
                "kind": "flower",
                "from": robbed,
                "items": [[item, tai]],
                "tai": tai,
                "payments": scoring.payments(winner, robbed, tai),
            }
        )
        self.end = "flower"

    def _close(self) -> None:
        """Scores, and who deals next (35, 36)."""
        for settlement in self.settlements:
            for seat in range(SEATS):
                self.scores[seat] += settlement["payments"][seat]
        if self.end == "draw" or any(settlement["winner"] == self.dealer for settlement in self.settlements):
            self.next = {"dealer": self.dealer, "streak": self.streak + 1, "prevailing": self.prevailing}
            return
        dealer, prevailing = (self.dealer + 1) % SEATS, self.prevailing
        if dealer == 0:
            if prevailing == "4z":
                return  # the sixteenth change of dealer: ``next`` is None
            prevailing = {"1z": "2z", "2z": "3z", "3z": "4z"}[prevailing]
        self.next = {"dealer": dealer, "streak": 0, "prevailing": prevailing}


# --- Transcripts ----------------------------------------------------------------------------------------------------


def replay(line: dict[str, Any]) -> list[str]:
    """Replay a transcript line and list every difference from what it records; empty when it verifies."""
    return naive_flow.replay(line, NaiveHand)


def play(line: dict[str, Any], choose: Chooser) -> dict[str, Any]:
    """Play the hand of ``line`` by ``choose(hand, seat, legal)``; its transcript line, with ``legal``."""
    hand = NaiveHand(line)
    wall = line["wall"]
    if not isinstance(wall, str):
        wall = "".join(tile if isinstance(tile, str) else name(tile) for tile in wall)
    decisions: list[list[Any]] = []
    legal: list[list[str]] = []
    while (pending := hand.decision()) is not None:
        seat, actions = pending
        text = choose(hand, seat, actions)
        decisions.append([seat, text])
        legal.append(actions)
        hand.apply(text)
    return {
        "format": "mjsim-hand/1",
        "rules": RULES,
        "options": dict(hand.options),
        "seed": line.get("seed"),
        "match": line.get("match", 0),
        "hand": line.get("hand", 0),
        "dealer": hand.dealer,
        "streak": hand.streak,
        "prevailing": hand.prevailing,
        "east": hand.east,
        "dice": hand.dice,
        "wall": wall,
        "pairings": [],
        "carry": hand.carry,
        "decisions": decisions,
        "legal": legal,
        "settlements": hand.settlements,
        "scores": hand.scores,
        "end": hand.end,
        "next": hand.next,
    }


class Player:
    """Chooses at random, with likings of its own for wins, calls and claims; keeps tiles that go together."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.likes = {
            "win": rng.choice([0.05, 0.5, 1.0, 1.0]),
            "flower_win": rng.choice([0.3, 1.0]),
            "declare": rng.choice([0.2, 0.9]),
            "ready": rng.choice([0.1, 0.9]),
            "kong": rng.choice([0.2, 0.9]),
            "pung": rng.choice([0.1, 0.8]),
            "chow": rng.choice([0.1, 0.5]),
        }
        self.careful = rng.random()

    def __call__(self, hand: NaiveHand, seat: int, legal: list[str]) -> str:
        rng = self.rng
        if hand.log and hand.log[-1][1].startswith("kong ") and "win" in legal and rng.random() < 0.8:
            return "win"  # robbing is rare, and so is a win on a replacement
        for word, liking in self.likes.items():
            chosen = [text for text in legal if text.split()[0] == word]
            if chosen and rng.random() < liking:
                return rng.choice(chosen)
        rest = [text for text in legal if text.split()[0] in ("discard", "pass")]
        if not rest[0].startswith("discard") or rng.random() > self.careful:
            return rng.choice(rest)
        counts = hand.seats[seat].hand

        def company(text: str) -> float:
            tile = tile_of(text.split()[1])
            suit = range(tile // 9 * 9, tile // 9 * 9 + 9) if tile < 27 else range(0)
            near = sum(counts[other] for other in suit if 0 < abs(other - tile) <= 2)
            return 3 * counts[tile] + near + rng.random()

        return min(rest, key=company)


# --- Lines ----------------------------------------------------------------------------------------------------------


def random_line(rng: random.Random, rules: str = RULES, options: dict[str, Any] | None = None) -> dict[str, Any]:
    """The chance part of a random hand, somewhere in a match."""
    wall = list(FULL_SET)
    rng.shuffle(wall)
    dealer = rng.randrange(SEATS)
    return {
        "rules": rules,
        "options": dict(options or {}),
        "dealer": dealer,
        "streak": rng.choice([0, 0, 1, 2, 5]),
        "prevailing": rng.choice(["1z", "2z", "3z", "4z"]),
        "east": dealer,
        "dice": [rng.randint(1, 6) for _ in range(3)],
        "wall": names(wall),
        "pairings": [],
        "carry": {},
    }


def _some_groups(rng: random.Random, counts: list[int], style: str) -> list[int]:
    """17 tiles near what the style names, taken out of ``counts``: pairs and a triplet, or fours and pungs."""
    hand: list[int] = []
    suit = rng.choice([0, 9, 18])
    while len(hand) < 17:
        kind = rng.randrange(34)
        if style == "flush" and rng.random() < 0.8:
            kind = suit + rng.randrange(9)
        if style == "honors" and rng.random() < 0.7:
            kind = 27 + rng.randrange(7)
        size = {"pairs": 3 if not hand else rng.choice([2, 2, 2, 4]), "kongs": rng.choice([4, 3, 3, 2])}.get(style, 3)
        size = min(size, 17 - len(hand))
        if counts[kind] >= size:
            counts[kind] -= size
            hand += [kind] * size
    return hand


def _robbery_wall(rng: random.Random, dealer: int) -> list[int]:
    """A seat holds three of a kind that one or two others lack in a chow; a third seat has one to discard early.

    So the pung claimed with two of the three can be made a kong, and robbed, on the holder's next turn.
    """
    low = rng.choice([0, 9, 18]) + rng.randrange(7)
    chow = [low, low + 1, low + 2]
    wanted = chow.pop(rng.randrange(3))
    counts = [4] * 34
    for kind, used in zip([wanted, *chow], (4, 2, 2), strict=True):
        counts[kind] -= used
    holder, giver, *waiters = rng.sample(range(SEATS), 4)
    hands: list[list[int]] = [[] for _ in range(SEATS)]
    hands[holder], hands[giver] = [wanted] * 3, [wanted]
    waiters = waiters[: rng.randint(1, 2)]
    for seat in [giver, *waiters]:
        for size in (3, 3, 3, 3) if seat == giver else (3, 3, 3, 3, 2):
            kind = rng.choice([kind for kind in range(34) if counts[kind] >= size])
            counts[kind] -= size
            hands[seat] += [kind] * size
    for seat in waiters:
        hands[seat] += chow
        if rng.random() < 0.3:
            hands[seat].pop(0)  # not waiting yet, so that it does not win on the first of the kind
    return arranged_wall(dealer, [names(hand) for hand in hands], rng=rng)


def rigged_line(rng: random.Random, rules: str = RULES, options: dict[str, Any] | None = None) -> dict[str, Any]:
    """Like ``random_line``, but near the rare cases.

    Half are Douque's rigged walls (nearly finished hands, flowers in few places); in the others one to three seats hold
    pairs, fours, flushes or honors that one or two draws finish, the fourth copies of whose pungs come soon,
    or the wall invites robbing a kong.
    """
    line = random_line(rng, rules, options)
    dealer = line["dealer"]
    if rng.random() < 0.5:
        other = naive_flow.rigged_line(rng, "douque-taiwanese")
        return line | {"dealer": other["dealer"], "east": other["dealer"], "wall": other["wall"]}
    if rng.random() < 0.3:
        return line | {"wall": names(_robbery_wall(rng, dealer))}
    counts = [4] * 34
    hands: list[list[int]] = [[] for _ in range(SEATS)]
    coming: list[int] = []
    for seat in rng.sample(range(SEATS), rng.randint(1, 3)):
        hand = _some_groups(rng, counts, rng.choice(["pairs", "pairs", "kongs", "kongs", "flush", "honors"]))
        rng.shuffle(hand)
        keep = rng.choice([17, 16, 16, 15]) if seat == dealer else rng.choice([16, 16, 16, 15, 14])
        hands[seat], missing = hand[:keep], hand[keep:]
        coming += missing
    for hand in hands:
        for kind in set(hand):
            if hand.count(kind) == 3 and counts[kind] and rng.random() < 0.5:
                counts[kind] -= 1
                coming.append(kind)
    rng.shuffle(coming)
    cut = rng.randint(0, len(coming))
    draws, replacements = coming[:cut], coming[cut:]
    line["wall"] = names(arranged_wall(dealer, [names(h) for h in hands], names(draws), names(replacements), rng))
    return line
