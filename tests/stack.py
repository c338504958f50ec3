"""Stacked walls and scripts for the directed rule tests.

Owns building a wall that brings wanted tiles to wanted places (FORMATS.md, "Wall"), stepping a `Hand` by a script of
`"seat action"` texts, and the check of every hand so dealt by the plain replay of its rule set. Knows no rule itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import mjsim
from mjsim.tiles import (
    FIRST_FLOWER,
    FIRST_HONOR,
    FULL_SET,
    TEXT,
    format_counts,
    format_flowers,
    format_wall,
    parse_tiles,
)
from tests import oracles

SEATS = 4
KEPT_BACK = 16
DEALT = 65
#: Ordinary draws of a hand in which nothing is replaced: 144 tiles less those dealt and those kept back.
DRAWS = len(FULL_SET) - DEALT - KEPT_BACK
#: A roll without a Dice Bonus: no triple, not all red, no straight, not all black.
PLAIN_DICE = (1, 2, 5)
#: The additions of douque-american that a test does not want.
NO_EXCHANGE = {"rules": "douque-american", "exchange": False}

_dealt: list[mjsim.Hand] = []


# --- walls ----------------------------------------------------------------------------------------------------------


def _danger(counts: Mapping[int, int], kind: int) -> int:
    """How much a tile of this kind could do together with the tiles of `counts`."""
    danger = 10 * counts.get(kind, 0)
    if kind < 27:
        for step, weight in ((1, 3), (2, 2)):
            for other in (kind - step, kind + step):
                if 0 <= other < 27 and other // 9 == kind // 9:
                    danger += weight * counts.get(other, 0)
    return danger


def _dull(given: list[int], size: int, pool: list[int], n_honors: int) -> list[int]:
    """`given` filled up from the pool with tiles that make no pair and no two of a chow, as far as there are any.

    Of `n_honors` different honors at most: where 16 Orphans win, all seven with such tiles would wait.
    """
    tiles = list(given)
    while len(tiles) < size:
        counts = {kind: tiles.count(kind) for kind in set(tiles)}
        full = len([kind for kind in counts if FIRST_HONOR <= kind < FIRST_FLOWER]) >= n_honors
        kinds = sorted({kind for kind in pool if kind < (FIRST_HONOR if full else FIRST_FLOWER)})
        kind = min(kinds, key=lambda k: (_danger(counts, k), -pool.count(k), k))
        pool.remove(kind)
        tiles.append(kind)
    return tiles


def build_wall(
    hands: Mapping[int, str],
    draws: str = "",
    replacements: str = "",
    *,
    last: str = "",
    kept: str = "",
    dealer: int = 0,
    n_honors: int = 7,
) -> str:
    """A wall's text.

    Args:
        hands: tiles dealt to a seat, flowers allowed, at most 16 (dealer 17); what lacks is filled with dull tiles.
            Where the dealer draws first, its 17th tile is that draw.
        draws: the first ordinary draws, in order.
        replacements: those drawn from the highest index, in order; they are counted as drawn.
        last: the last drawable tiles, in order of drawing from the head.
        kept: tiles that lie among the sixteen kept back; flowers not asked for lie there too. Where the rules keep
            nothing back these sixteen are drawn after `last`.
        n_honors: most different honors in a hand that is filled up.
    """
    pool = [int(kind) for kind in FULL_SET]

    def take(text: str) -> list[int]:
        tiles = parse_tiles(text)
        for kind in tiles:
            assert kind in pool, f"{text!r}: no {TEXT[kind]} is left"
            pool.remove(kind)
        return tiles

    given = {seat: take(hands.get(seat, "")) for seat in range(SEATS)}
    first, back, end, middle = take(draws), take(replacements), take(last), take(kept)
    order = [(dealer + i) % SEATS for i in range(SEATS)]
    for seat in order:
        size = 17 if seat == dealer else 16
        assert len(given[seat]) <= size, f"seat {seat}: {len(given[seat])} tiles, but {size} are dealt"
        given[seat] = _dull(given[seat], size, pool, n_honors)
    middle += [kind for kind in pool if kind >= FIRST_FLOWER]
    assert len(middle) <= KEPT_BACK, f"{len(middle)} tiles to be kept back"
    plain = [kind for kind in pool if kind < FIRST_FLOWER]
    rest = [kind for start in range(5) for kind in plain[start::5]]
    n_rest = len(FULL_SET) - DEALT - KEPT_BACK - len(first) - len(end) - len(back)
    assert n_rest >= 0, "more draws than there are drawable tiles"
    middle += rest[n_rest:]
    wall = [kind for i in range(4) for seat in order for kind in given[seat][4 * i : 4 * i + 4]]
    wall.append(given[dealer][16])
    return format_wall(wall + first + rest[:n_rest] + end + middle + back[::-1])


def deal(
    hands: Mapping[int, str],
    draws: str = "",
    replacements: str = "",
    *,
    last: str = "",
    kept: str = "",
    rules: str = "douque-taiwanese",
    dealer: int = 0,
    streak: int = 0,
    prevailing: str = "1z",
    east: int | None = None,
    dice: tuple[int, int, int] = PLAIN_DICE,
    number: int = 0,
    pairings: list[list[int]] | None = None,
    carry: Mapping[str, int] | None = None,
    verified: bool = True,
    **options: Any,
) -> mjsim.Hand:
    """A hand on a stacked wall (see `build_wall`), at its first decision. `options` are the rules' own.

    The plain replay knows the published rules alone: with a flag of another value, say `verified=False`.
    """
    made = mjsim.rules(rules, **options)
    if made.flags["exchange"] and pairings is None:
        pairings = [[1, 0, 3, 2], [1, 0, 3, 2]]
    hand = mjsim.Hand(
        made,
        wall=build_wall(
            hands,
            draws,
            replacements,
            last=last,
            kept=kept,
            dealer=dealer,
            n_honors=6 if made.preset.flags["sixteen_orphans"] else 7,
        ),
        dice=dice,
        pairings=pairings,
        dealer=dealer,
        streak=streak,
        prevailing=prevailing,
        east=east,
        hand=number,
        carry=carry,
    )
    if verified:
        _dealt.append(hand)
    return hand


# --- looking --------------------------------------------------------------------------------------------------------


def drawable(hand: mjsim.Hand) -> int:
    return int(hand.record["tail"]) - int(hand.record["head"]) - hand.rules.flags["kept_back"]


def holds(hand: mjsim.Hand, seat: int) -> str:
    """Concealed tiles of a seat in order of kinds."""
    return format_counts(hand.record["counts"][seat])


def copies(hand: mjsim.Hand, seat: int, tile: str) -> int:
    """How many copies of a tile the seat holds concealed."""
    return int(hand.record["counts"][seat][parse_tiles(tile)[0]])


def skipped(hand: mjsim.Hand, seat: int) -> bool:
    """Whether the seat is under a Skipped win."""
    return bool(hand.record["skipped_win"][seat])


def calls(hand: mjsim.Hand) -> list[str]:
    """Legal actions other than plain discards."""
    return [action for action in hand.legal() if not action.startswith("discard ")]


def discards(hand: mjsim.Hand) -> set[str]:
    """Kinds that may be discarded."""
    return {action.split()[1] for action in hand.legal() if action.startswith("discard ")}


def items(hand: mjsim.Hand, number: int = 0) -> dict[str, int]:
    """Items of a settlement."""
    return dict(hand.settlements[number]["items"])


def describe(hand: mjsim.Hand) -> str:
    """The state of a hand, for messages."""
    record = hand.record
    lines = [f"{hand!r}", f"legal: {hand.legal()}", f"decisions: {hand.decisions[-12:]}, {drawable(hand)} drawable"]
    for seat in range(SEATS):
        melds = [
            f"{TEXT[record['meld_tile'][seat, i]]}/{record['meld_type'][seat, i]}"
            for i in range(record["n_melds"][seat])
        ]
        lines.append(
            f"seat {seat}: {holds(hand, seat)} melds {melds} flowers {format_flowers(int(record['flowers'][seat]))}"
            f" declared {record['declared'][seat]} skipped {skipped(hand, seat)}"
        )
    if hand.over:
        lines.append(f"end {hand.end}: {hand.settlements}")
    return "\n".join(lines)


# --- stepping -------------------------------------------------------------------------------------------------------


def drawn(hand: mjsim.Hand) -> str:
    """`discard` of the tile drawn last; of the dealer's opening tiles, the one dealt last."""
    kind = int(hand.record["drawn"])
    if kind < 0 and hand.record["n_discards"] == 0:
        kind = int(hand.record["wall"][DEALT - 1])
    assert kind >= 0, f"nothing drawn\n{describe(hand)}"
    return f"discard {TEXT[kind]}"


def _go_on(hand: mjsim.Hand, wanted: str, decline: bool = False) -> None:
    """What nobody asked for: pass, or discard the tile drawn. A win is never let go unasked, unless to be declined."""
    legal = hand.legal()
    assert decline or not {"win", "flower_win"} & set(legal), f"a win not in the script ({wanted})\n{describe(hand)}"
    hand.apply("pass" if "pass" in legal else drawn(hand))


def play(hand: mjsim.Hand, *script: str) -> mjsim.Hand:
    """Make the decisions of a script such as `"1 pung"`, `"1 discard 5m"`, `"2 discard"` (the tile drawn).

    Before each, questions on others' tiles are passed, and other seats discard what they draw.
    """
    for wanted in script:
        seat, action = int(wanted[0]), wanted[2:]
        while True:
            assert not hand.over, f"{wanted!r}: the hand is over\n{describe(hand)}"
            if hand.seat == seat:
                if action == "discard" and hand.phase == "turn":
                    hand.apply(drawn(hand))
                    break
                if action in hand.legal():
                    hand.apply(action)
                    break
                assert hand.phase != "turn", f"{wanted!r} is not legal\n{describe(hand)}"
            _go_on(hand, wanted)
    return hand


def until(hand: mjsim.Hand, seat: int, phase: str = "turn", decline: bool = False) -> list[str]:
    """Go on, passing and discarding what is drawn, until the seat is asked in this phase; its legal actions."""
    while not (hand.seat == seat and hand.phase == phase):
        assert not hand.over, f"seat {seat} was not asked ({phase})\n{describe(hand)}"
        _go_on(hand, f"until seat {seat} {phase}", decline)
    return hand.legal()


def until_left(hand: mjsim.Hand, left: int, decline: bool = False) -> mjsim.Hand:
    """Go on in the same way until a turn with this many drawable tiles left."""
    while not (hand.phase == "turn" and drawable(hand) == left):
        assert not hand.over, f"no turn with {left} drawable tiles\n{describe(hand)}"
        _go_on(hand, f"until {left} are left", decline)
    return hand


def to_end(hand: mjsim.Hand, decline: bool = False) -> mjsim.Hand:
    """Go on in the same way until the hand is over."""
    while not hand.over:
        _go_on(hand, "to the end", decline)
    return hand


def not_asked(hand: mjsim.Hand, seat: int) -> bool:
    """Whether the seat goes without a question until somebody's next turn or the end."""
    while not hand.over and hand.phase != "turn":
        if hand.seat == seat:
            return False
        _go_on(hand, f"not asked {seat}")
    return True


def give(hand: mjsim.Hand, *texts: str) -> mjsim.Hand:
    """An exchange: the tiles of each seat in the order of asking, `"1z1z9p"`; an empty text gives the first ones."""
    for text in texts:
        tiles = [f"give {TEXT[kind]}" for kind in parse_tiles(text)]
        for i in range(3):
            assert hand.phase == "give", describe(hand)
            hand.apply(tiles[i] if tiles else hand.legal()[0])
    return hand


# --- the oracle -----------------------------------------------------------------------------------------------------


@contextmanager
def replayed() -> Iterator[None]:
    """Every hand dealt inside is brought to its end and verified by the plain replay, legal actions included."""
    _dealt.clear()
    yield
    for hand in _dealt:
        end = hand.copy()
        while not end.over:
            legal = end.legal()
            wins = [action for action in ("win", "flower_win", "pass", "start") if action in legal]
            if wins:
                end.apply(wins[0])
            elif end.phase == "turn" and int(end.record["drawn"]) >= 0:
                end.apply(drawn(end))
            else:
                end.apply(legal[0])
        line = end.transcript(legal=True)
        assert oracles.replay(line) == [], f"the plain replay disagrees\n{describe(end)}"
        assert mjsim.replay(line) == []
