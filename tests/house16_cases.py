"""Positions of ``house16`` with answers worked by hand from the text and the rulings, and rich random ones.

``CASES`` are (name, position, answer), ``BAD`` (name, position, field at fault); `(ruling N)` is the house16
page. The winner is seat 1, South of dealer 0, unless said; seat 2 pays for its tile, so that no dealer's part
comes in.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from tests.naive import to_counts
from tests.naive_flow import name, names
from tests.naive_house16_flow import PALETTES, random_groups, random_seven_pairs

Case = tuple[str, dict[str, Any], dict[str, Any]]


def at(hand: str, win_tile: str, melds: str = "", by: str = "discard", **changes: Any) -> dict[str, Any]:
    """A position; ``melds`` such as `pung 999s, chow 123m`; ``items`` are points set by the options."""
    position: dict[str, Any] = {
        "rules": "house16",
        "hand": hand,
        "melds": [meld.split() for meld in melds.split(", ") if meld],
        "win_tile": win_tile,
        "by": by,
        "seat": 1,
        "dealer": 0,
        "prevailing": "1z",
    }
    if by != "self_draw":
        position["from"] = 2
    if "items" in changes:
        position["options"] = {"items": changes.pop("items")}
    return position | changes


def won(payments: Sequence[int], **items: int) -> dict[str, Any]:
    """The answer with ``base_win`` beside ``items``."""
    items = {"base_win": 1, **items}
    listed = [[item, items[item]] for item in sorted(items)]
    return {"win": True, "items": listed, "tai": sum(items.values()), "payments": list(payments)}


def paid(points: int, **items: int) -> dict[str, Any]:
    """Won from seat 2 for ``points`` in all."""
    return won([0, points, -points, 0], **items)


def drawn(points: int, **items: int) -> dict[str, Any]:
    """Self-drawn for ``points`` in all, of the dealer (seat 0, no streak) one more."""
    return won([-points - 1, 3 * points + 1, -points, -points], self_drawn=1, **items)


NO_WIN = {"win": False, "reason": "shape"}

# 123m 678m 234p 77p 45s beside a pung 999s: two waits, nothing to score but the win.
PLAIN, N9 = "123678m23477p45s", "pung 999s"
# Sets and a wait that score nothing, to fill hands up: 13, 10, 7 and 4 tiles.
FILL10, FILL7, FILL4 = "123678m77p45s", "123m77p45s", "77p45s"


def _win_and_flowers() -> list[Case]:
    return [
        ("base_win", at(PLAIN, "3s", N9), paid(1)),
        ("self_drawn", at(PLAIN, "3s", N9, "self_draw"), drawn(2)),
        ("robbed kong is a discard without award (23, 9)", at(PLAIN, "3s", N9, "rob_kong"), paid(1)),
        ("no win", at(PLAIN, "4s", N9), NO_WIN),
        ("flower: one is no better for the seat", at(PLAIN, "3s", N9, flowers="2f"), paid(2, flower=1)),
        ("flowers of other seats alike (24)", at(PLAIN, "3s", N9, flowers="1f8f"), paid(3, flower=2)),
        ("three of each", at(PLAIN, "3s", N9, flowers="123567f"), paid(7, flower=6)),
        ("four_seasons", at(PLAIN, "3s", N9, flowers="1234f"), paid(7, flower=4, four_seasons=2)),
        ("four_flowers", at(PLAIN, "3s", N9, flowers="5678f"), paid(7, flower=4, four_flowers=2)),
        (
            "text: all eight give 12 points, and win nothing more (14)",
            at(PLAIN, "3s", N9, flowers="12345678f"),
            paid(13, flower=8, four_flowers=2, four_seasons=2),
        ),
        (
            "flags, dice and discards are ignored (24)",
            at(PLAIN, "3s", N9, flags=["heavenly", "ready", "migi"], dice=[1, 1, 1], discards=1),
            paid(1),
        ),
        ("flags of another kind are ignored too", at(PLAIN, "3s", N9, flags=None, dice=None, discards=144), paid(1)),
    ]


def _waits() -> list[Case]:
    return [
        ("single_wait: 3 of 123", at("12678m23477p345s", "3m", N9), paid(2, single_wait=1)),
        ("single_wait: 7 of 789", at("12389m23477p345s", "7m", N9), paid(2, single_wait=1)),
        ("single_wait: closed", at("13678m23477p345s", "2m", N9), paid(2, single_wait=1)),
        ("single_wait: pair", at("123678m234777p5s", "5s", N9), paid(2, single_wait=1)),
        ("single_wait self-drawn", at("13678m23477p345s", "2m", N9, "self_draw"), drawn(3, single_wait=1)),
        ("two pair waits", at("3456m234p345s", "6m", f"pung 111m, {N9}"), paid(1)),
        (
            "a kind of which all four are held is no wait (17)",
            at("3456m234p345s", "6m", f"pung 333m, {N9}"),
            paid(2, single_wait=1),
        ),
        (
            "two-sided by shape, its other end held (17)",
            at("23678m77p345s", "1m", f"kong_exposed 4444m, {N9}"),
            paid(1),
        ),
        ("one wait, but it makes a triplet (17)", at("55m77p345s", "7p", f"chow 456m, chow 456m, {N9}"), paid(1)),
        # 112233m 5_7 777 88m 111s waits for 6m by sets, for 5m by pairs.
        ("a wait of seven pairs counts (17)", at("1122335777788m111s", "6m"), paid(1)),
        ("and not beside a meld", at("1122335777788m", "6m", "pung 111s"), paid(2, single_wait=1)),
    ]


def _concealed_and_melded() -> list[Case]:
    on = {"concealed_hand": 1, "melded_hand": 1}
    concealed = "123678m23477p45999s"
    five = "chow 123m, chow 678m, chow 234p, chow 345s"
    return [
        ("concealed_hand is off", at(concealed, "3s"), paid(1)),
        ("concealed_hand", at(concealed, "3s", items=on), paid(2, concealed_hand=1)),
        ("concealed_hand self-drawn adds", at(concealed, "3s", "", "self_draw", items=on), drawn(3, concealed_hand=1)),
        (
            "concealed_hand bears concealed kongs (21)",
            at(PLAIN, "3s", "kong_concealed 9999s", items=on),
            paid(2, concealed_hand=1),
        ),
        ("no concealed_hand beside a meld", at(PLAIN, "3s", N9, items=on), paid(1)),
        ("melded_hand is off", at("7p", "7p", f"{five}, {N9}"), paid(2, single_wait=1)),
        (
            "melded_hand and single_wait (21)",
            at("7p", "7p", f"{five}, {N9}", items=on),
            paid(3, melded_hand=1, single_wait=1),
        ),
        ("no melded_hand self-drawn", at("7p", "7p", f"{five}, {N9}", "self_draw", items=on), drawn(3, single_wait=1)),
        (
            "a concealed kong is no exposed meld (21)",
            at("7p", "7p", f"{five}, kong_concealed 9999s", items=on),
            paid(2, single_wait=1),
        ),
        ("four melds are no melded_hand", at(FILL4, "3s", f"chow 123m, chow 678m, chow 234p, {N9}", items=on), paid(1)),
    ]


def _chows_and_pungs() -> list[Case]:
    c567, p6 = "chow 567s", "chow 567s, chow 567s"
    fours = "pung 111m, pung 999m, pung 222p, pung 555s"
    return [
        ("all_chows", at(PLAIN, "3s", c567), paid(3, all_chows=2)),
        ("all_chows concealed", at("123678m23477p45567s", "3s"), paid(3, all_chows=2)),
        ("all_chows by a robbed tile (23)", at(PLAIN, "3s", c567, "rob_kong"), paid(3, all_chows=2)),
        ("no all_chows self-drawn", at(PLAIN, "3s", c567, "self_draw"), drawn(2)),
        ("no all_chows with a flower", at(PLAIN, "3s", c567, flowers="2f"), paid(2, flower=1)),
        ("no all_chows with a pair of honors", at("123678m23445s11z", "3s", c567), paid(1)),
        ("no all_chows by an edge", at("12678m23477p345s", "3m", c567), paid(2, single_wait=1)),
        ("no all_chows by a pair", at("123678m234p345s7p", "7p", c567), paid(2, single_wait=1)),
        ("all_chows by shape, the other end held (18)", at("123m234p4566s", "3s", p6), paid(3, all_chows=2)),
        ("all_chows: the better place of the 3", at("12345m23477p678s", "3m", c567), paid(3, all_chows=2)),
        # 111222333m is three sequences or three triplets, 2 points either way: the earlier in the table.
        ("equal totals (15)", at("111222333m45p99s", "6p", "chow 678s"), paid(3, all_chows=2)),
        (
            "the same with a flower",
            at("111222333m45p99s", "6p", "chow 678s", flowers="5f"),
            paid(4, flower=1, three_concealed_pungs=2),
        ),
        (
            "text: five triplets and two flowers, a dealer with a streak of 1 pays 10 (22)",
            at("33p77z", "3p", fours, flowers="1f5f", streak=1, **{"from": 0}),
            won([-10, 10, 0, 0], all_pungs=4, flower=2),
        ),
        (
            "the same from another seat",
            at("33p77z", "3p", fours, flowers="1f5f", streak=1),
            paid(7, all_pungs=4, flower=2),
        ),
        ("all_pungs, pair wait (22)", at("7z", "7z", f"{fours}, pung 333p"), paid(6, all_pungs=4, single_wait=1)),
        (
            "all_pungs with kongs",
            at("33p77z", "3p", "kong_added 1111m, kong_exposed 9999m, kong_concealed 2222p, pung 555s"),
            paid(5, all_pungs=4),
        ),
    ]


def _suits() -> list[Case]:
    """``all_honors`` never comes alone: five honor triplets and a pair always make a wind or dragon hand."""
    on = {"dragon_pung": 1, "prevalent_wind": 1, "seat_wind": 1}
    south3 = "pung 111z, pung 222z, pung 333z"
    return [
        ("half_flush", at("12334567m55z", "8m", "pung 111z, chow 234m"), paid(5, half_flush=4)),
        ("full_flush", at("2345578m", "6m", "pung 999m, chow 678m, chow 234m"), paid(9, full_flush=8)),
        ("two suits are no flush", at("23455m78p", "6p", "pung 999m, chow 678m, chow 234m"), paid(1)),
        ("two suits and honors are no flush", at("234m78p55z", "6p", "pung 999m, chow 678m, chow 234m"), paid(1)),
        (
            "all_honors without all_pungs, with little_three_dragons",
            at("3366677z", "3z", "pung 111z, pung 222z, pung 555z"),
            paid(21, all_honors=16, little_three_dragons=4),
        ),
        (
            "its wind triplets add, its dragons do not",
            at("3366677z", "3z", "pung 111z, pung 222z, pung 555z", items=on),
            paid(23, all_honors=16, little_three_dragons=4, prevalent_wind=1, seat_wind=1),
        ),
        (
            "all_honors with big_three_dragons",
            at("3366677z", "7z", "pung 111z, pung 222z, pung 555z"),
            paid(25, all_honors=16, big_three_dragons=8),
        ),
        (
            "all_honors with little_four_winds; the dragons add, the winds do not",
            at("44z66z", "6z", f"{south3}, pung 555z", items=on),
            paid(27, all_honors=16, little_four_winds=8, dragon_pung=2),
        ),
        (
            "all_honors with big_four_winds",
            at("44z66z", "4z", f"{south3}, pung 555z", items=on),
            paid(34, all_honors=16, big_four_winds=16, dragon_pung=1),
        ),
    ]


def _concealed_pungs() -> list[Case]:
    c789 = "chow 789p"
    fours, fives = "111555m22299p33s", "111555m22288899p33s"
    kongs = [
        (f"three_concealed_pungs with a {kong}", at("555m222p3367s", "8s", f"{kong} 1111m, {c789}"), answer)
        for kong, answer in [
            ("kong_concealed", paid(3, three_concealed_pungs=2)),
            ("kong_exposed", paid(1)),
            ("kong_added", paid(1)),
        ]
    ]
    return [
        ("three_concealed_pungs", at("111555m222p3367s", "8s", c789), paid(3, three_concealed_pungs=2)),
        ("two concealed triplets and a pung", at("111555m3367s", "8s", f"pung 222p, {c789}"), paid(1)),
        *kongs,
        ("a discard does not conceal the third (19)", at("111555m99p33678s", "3s", c789), paid(1)),
        ("a self-drawn tile does", at("111555m99p33678s", "3s", c789, "self_draw"), drawn(4, three_concealed_pungs=2)),
        (
            "a discard that may as well stand in 234 leaves 222 concealed (19)",
            at("22234555m111p99s", "2m", c789),
            paid(3, three_concealed_pungs=2),
        ),
        ("four_concealed_pungs", at(fours, "3s", c789, "self_draw"), drawn(7, four_concealed_pungs=5)),
        ("only three by a discard", at(fours, "3s", c789), paid(3, three_concealed_pungs=2)),
        (
            "five_concealed_pungs with all_pungs",
            at(fives, "3s", "", "self_draw"),
            drawn(14, five_concealed_pungs=8, all_pungs=4),
        ),
        ("four of five by a discard", at(fives, "3s"), paid(10, four_concealed_pungs=5, all_pungs=4)),
    ]


def _dragons_winds_straights() -> list[Case]:
    on = {"dragon_pung": 1, "prevalent_wind": 1, "seat_wind": 1}
    two, three = "pung 555z, kong_added 6666z", "pung 555z, kong_exposed 6666z, pung 777z"
    esw = "pung 111z, pung 222z, pung 333z"
    cases: list[Case] = []
    for options in ({}, {"items": on}):
        mark = " with the options on" if options else ""
        extra = {"dragon_pung": 2} if options else {}
        cases += [
            (f"two dragons{mark}", at(FILL10, "3s", two, **options), paid(3 if options else 1, **extra)),
            (f"little_three_dragons{mark}", at("123678m45s77z", "3s", two, **options), paid(5, little_three_dragons=4)),
            (f"big_three_dragons{mark}", at(FILL7, "3s", three, **options), paid(9, big_three_dragons=8)),
            (f"little_four_winds{mark}", at("123m45s44z", "3s", esw, **options), paid(9, little_four_winds=8)),
            (f"big_four_winds{mark}", at(FILL4, "3s", f"{esw}, pung 444z", **options), paid(17, big_four_winds=16)),
        ]
    wind = {"items": on}
    return [
        *cases,
        ("three winds, no pair of the fourth", at(FILL7, "3s", esw), paid(1)),
        ("wind and flush add", at("12345m44z", "6m", esw), paid(13, little_four_winds=8, half_flush=4)),
        ("prevalent_wind", at(PLAIN, "3s", "pung 111z", **wind), paid(2, prevalent_wind=1)),
        ("seat_wind, a kong", at(PLAIN, "3s", "kong_concealed 2222z", **wind), paid(2, seat_wind=1)),
        (
            "both for one triplet",
            at(PLAIN, "3s", "pung 222z", prevailing="2z", **wind),
            paid(3, prevalent_wind=1, seat_wind=1),
        ),
        ("neither by default", at(PLAIN, "3s", "pung 222z", prevailing="2z"), paid(1)),
        ("a wind of another seat", at(PLAIN, "3s", "pung 333z", **wind), paid(1)),
        ("east as written", at(PLAIN, "3s", "pung 333z", east=3, **wind), paid(2, seat_wind=1)),
        ("east is the dealer if left out", at(PLAIN, "3s", "pung 333z", dealer=3, **wind), paid(2, seat_wind=1)),
        ("straight", at("12345678m23477p", "9m", N9), paid(5, straight=4)),
        ("all nine but 123 345 678", at("12345678m23477p", "3m", N9), paid(1)),
        ("straight, melded in part", at("456m77p45s", "3s", f"chow 123m, chow 789m, {N9}"), paid(5, straight=4)),
        (
            "straight and all_chows",
            at("456m77p45s", "3s", "chow 123m, chow 789m, chow 234p"),
            paid(7, straight=4, all_chows=2),
        ),
        ("no straight in three suits", at("456p77p45s", "3s", f"chow 123m, chow 789s, {N9}"), paid(1)),
        ("nine numbers are no straight", at("2345678m", "8m", "pung 111m, pung 999m, chow 345p"), paid(1)),
    ]


def _seven_pairs() -> list[Case]:
    pairs, single = "1199m2244p3377s5566z", "1199m2244p3377s5556z"
    both = "112233m445566p9s111z"
    dearer = {"dragon_pung": 1, "concealed_hand": 1}
    return [
        ("seven_pairs, the triplet by a discard (20)", at(pairs, "6z"), paid(9, seven_pairs=8)),
        ("seven_pairs self-drawn", at(pairs, "6z", "", "self_draw"), drawn(10, seven_pairs=8)),
        ("seven_pairs by a pair: nothing else (20)", at(single, "6z"), paid(9, seven_pairs=8)),
        ("seven_pairs: no dragons, no concealed hand (20)", at(pairs, "6z", items=dearer), paid(9, seven_pairs=8)),
        ("four of a kind are two pairs (20)", at("1111m2244p3377s5566z", "6z"), paid(9, seven_pairs=8)),
        ("four of a kind are no triplet and a single", at("1111m2244p3377s5567z", "6z"), NO_WIN),
        ("no seven_pairs beside a concealed kong (20)", at("99m2244p3377s556z", "6z", "kong_concealed 1111m"), NO_WIN),
        ("flowers add", at(pairs, "6z", flowers="1234f"), paid(15, seven_pairs=8, flower=4, four_seasons=2)),
        ("half_flush adds", at("1122448899m113355z", "1z"), paid(13, seven_pairs=8, half_flush=4)),
        ("full_flush adds", at("1122334455778899m", "9m"), paid(17, seven_pairs=8, full_flush=8)),
        ("all_honors adds", at("1111223344556677z", "7z"), paid(25, seven_pairs=8, all_honors=16)),
        ("both structures: the dearer", at(both, "9s"), paid(9, seven_pairs=8)),
        ("both, equal totals: the earlier item (15)", at(both, "9s", items={"seven_pairs": 1}), paid(2, single_wait=1)),
        ("both, sets dearer", at(both, "9s", items={"seven_pairs": 0}), paid(2, single_wait=1)),
    ]


def _payments_and_options() -> list[Case]:
    def of(payments: list[int], *, by: str = "discard", **changes: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        items = {"self_drawn": 1} if by == "self_draw" else {}
        return at(PLAIN, "3s", N9, by, **changes), won(payments, **items)

    return [
        ("dealer wins (25)", *of([0, 2, -2, 0], dealer=1)),
        ("dealer wins, streak 2", *of([0, 6, -6, 0], dealer=1, streak=2)),
        ("dealer draws, streak 1", *of([-5, 15, -5, -5], by="self_draw", dealer=1, streak=1)),
        ("dealer pays", *of([0, 2, -2, 0], dealer=2)),
        ("dealer pays a robbed tile, streak 1", *of([0, 4, -4, 0], by="rob_kong", dealer=2, streak=1)),
        ("dealer has no part", *of([0, 1, -1, 0], dealer=3, streak=4)),
        ("another draws, streak 2", *of([-2, 11, -2, -7], by="self_draw", dealer=3, streak=2)),
        ("streaks have no limit (26)", *of([0, 402, -402, 0], dealer=1, streak=200)),
        (
            "an item at 0 keeps no other away",
            at("123678m45s77z", "3s", "pung 555z, pung 666z", items={"dragon_pung": 1, "little_three_dragons": 0}),
            paid(3, dragon_pung=2),
        ),
        (
            "any item can be set, and at 0 it is not listed",
            at(PLAIN, "3s", N9, flowers="1f2f", items={"flower": 2, "base_win": 0}),
            {"win": True, "items": [["flower", 4]], "tai": 4, "payments": [0, 4, -4, 0]},
        ),
    ]


CASES: list[Case] = [
    *_win_and_flowers(),
    *_waits(),
    *_concealed_and_melded(),
    *_chows_and_pungs(),
    *_suits(),
    *_concealed_pungs(),
    *_dragons_winds_straights(),
    *_seven_pairs(),
    *_payments_and_options(),
]


def _without(position: dict[str, Any], field: str) -> dict[str, Any]:
    return {key: value for key, value in position.items() if key != field}


def _bad() -> list[tuple[str, dict[str, Any], str]]:
    good = at(PLAIN, "3s", N9)
    missing = [
        (f"no {field}", _without(good, field), field)
        for field in ("rules", "hand", "win_tile", "by", "seat", "from", "dealer", "prevailing")
    ]
    changed: list[tuple[str, Any]] = [
        ("rules", "house"),
        ("hand", "123678m23477p4s"),
        ("hand", "123678m23477p45s1f"),
        ("hand", "123678m23477p45"),
        ("hand", "123678m23477p0s4s"),
        ("hand", "11111m23477p456s"),
        ("melds", [["pong", "999s"]]),
        ("melds", [["pung", "99s"]]),
        ("melds", [["chow", "123z"]]),
        ("melds", "999s"),
        ("win_tile", "3s4s"),
        ("win_tile", "1f"),
        ("by", "chow"),
        ("seat", 4),
        ("seat", "1"),
        ("from", 1),
        ("from", None),
        ("dealer", -1),
        ("east", 4),
        ("streak", -1),
        ("streak", 1.5),
        ("prevailing", "5z"),
        ("prevailing", "1z2z"),
        ("flowers", "1f1f"),
        ("flowers", "1z"),
        ("options", {"items": {"migi": 8}}),
        ("options", {"items": {"flower": -1}}),
        ("options", {"items": {"flower": True}}),
        ("options", []),
    ]
    return [
        *missing,
        *[(f"{field} {value!r}", good | {field: value}, field) for field, value in changed],
        ("from on a self-draw", at(PLAIN, "3s", N9, "self_draw") | {"from": 2}, "from"),
        ("a fifth copy won", at(FILL10, "3s", f"kong_exposed 3333s, {N9}"), "win_tile"),
        ("five copies in the melds", at(FILL10, "3s", "kong_exposed 9999s, chow 789s"), "melds"),
        ("a robbed kong with a copy in hand", at("123678m23477p45s", "4s", N9, "rob_kong"), "win_tile"),
        ("a robbed kong with a copy in the melds", at(PLAIN, "3s", "chow 345s", "rob_kong"), "win_tile"),
    ]


BAD: list[tuple[str, dict[str, Any], str]] = _bad()


# --- Rich random positions ----------------------------------------------------------------------------------

OPTIONAL = ("concealed_hand", "melded_hand", "dragon_pung", "prevalent_wind", "seat_wind")


def _rich_sets(rng: random.Random, left: list[int]) -> tuple[list[list[int]], int]:
    """Five sets and a pair (last), and how many of the sets are melded."""
    groups: list[list[int]] = []
    if rng.random() < 0.15:  # a straight
        first = rng.choice([0, 9, 18])
        groups = [[first + step, first + step + 1, first + step + 2] for step in (0, 3, 6)]
        for tile in range(first, first + 9):
            left[tile] -= 1
        rest = random_groups(rng, left, rng.choice([list(range(first, first + 9)), PALETTES[1]]), 2, 0.3)
    elif rng.random() < 0.15:  # winds and dragons
        honors = [*range(27, 31)] if rng.random() < 0.5 else [31, 32, 33]
        for kind in rng.sample(honors, 3 if len(honors) == 4 else 2):
            groups.append([kind] * 3)
            left[kind] -= 3
        pair = rng.choice([kind for kind in honors if left[kind] == 4])
        left[pair] -= 2
        rest = random_groups(rng, left, rng.choice(PALETTES), 5 - len(groups), rng.choice([0.1, 0.9]))
        if rng.random() < 0.7:
            for tile in rest.pop():
                left[tile] += 1
            rest.append([pair, pair])
        else:
            left[pair] += 2
    else:
        rest = random_groups(rng, left, rng.choice(PALETTES), 5, rng.choice([0.0, 0.3, 0.7, 1.0]))
    groups += rest
    sets, pair_tiles = groups[:5], groups[5]
    rng.shuffle(sets)
    return [*sets, pair_tiles], rng.choice([0, 0, 0, 1, 1, 2, 3, 4, 5])


def _as_meld(rng: random.Random, tiles: list[int], left: list[int]) -> list[str]:
    if tiles[0] != tiles[-1]:
        return ["chow", names(tiles)]
    if left[tiles[0]] and rng.random() < 0.5:
        left[tiles[0]] -= 1
        kong = rng.choice(["kong_exposed", "kong_added", "kong_concealed", "kong_concealed"])
        return [kong, names(tiles[:1] * 4)]
    return ["pung", names(tiles)]


def rich_position(rng: random.Random) -> dict[str, Any]:
    """A random complete position, made so that rare items and combinations of them are frequent."""
    left = [4] * 34
    melds: list[list[str]] = []
    if rng.random() < 0.2:
        tiles = random_seven_pairs(rng, left, rng.choice(PALETTES))
    else:
        groups, n_melds = _rich_sets(rng, left)
        melds = [_as_meld(rng, group, left) for group in groups[:n_melds]]
        tiles = [tile for group in groups[n_melds:] for tile in group]
    tiles.sort()
    owned = to_counts(tiles)
    used = {tile for tile in range(34) if left[tile] < 4}
    won_tile = rng.choice(tiles)
    by = rng.choice(["self_draw", "discard", "discard", "rob_kong"])
    if by == "rob_kong":
        # The maker of the kong holds the other three copies.
        single = [tile for tile in used if owned[tile] == 1 and left[tile] == 3]
        if single:
            won_tile = rng.choice(single)
        else:
            by = "discard"
    tiles.remove(won_tile)
    dealer, seat = rng.randrange(4), rng.randrange(4)
    position: dict[str, Any] = {
        "rules": "house16",
        "hand": names(tiles),
        "melds": melds,
        "win_tile": name(won_tile),
        "by": by,
        "seat": seat,
        "dealer": dealer,
        "streak": rng.choice([0, 0, 1, 2, 19]),
        "prevailing": f"{rng.randint(1, 4)}z",
    }
    if rng.random() < 0.5:
        position["east"] = dealer if rng.random() < 0.8 else rng.randrange(4)
    if by != "self_draw":
        position["from"] = (seat + rng.randint(1, 3)) % 4
    if rng.random() < 0.6:
        chosen = set(rng.sample(range(34, 42), rng.randint(0, 8)))
        chosen |= set(rng.choice([range(0), range(0), range(34, 38), range(38, 42)]))
        position["flowers"] = names(sorted(chosen))
    if rng.random() < 0.3:
        position["flags"] = rng.sample(["ready", "replacement", "last_tile", "heavenly", "kong_on_kong"], 2)
        position["dice"] = [rng.randint(1, 6) for _ in range(3)]
    if rng.random() < 0.4:
        position["options"] = {"items": {item: rng.choice([1, 1, 2]) for item in OPTIONAL if rng.random() < 0.8}}
    return position
