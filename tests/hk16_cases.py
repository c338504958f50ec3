"""Positions of `hk16` with their answers, worked by hand from the text and the rulings, and rich random ones.

Owns: `CASES` and `BAD` (`rich_position` is that of `hk16_rich`). It computes no score: an answer is its list of
items, from which only the sum, the minimum and the payments follow.

Unless a case says otherwise: seat 1 (South) wins in the East round by a discard of seat 2, the dealer is seat 0, and
Flowers 1 and 3 are exposed (no Flower of seat 1, two points). `plain` items are then `mahjong` 5 and `flowers` 2; a
list of items that begins with `+` adds to these.
"""

from __future__ import annotations

from typing import Any

from tests.hk16_rich import rich_position as rich_position

MELD_KINDS = {"c": "chow", "p": "pung", "e": "kong_exposed", "a": "kong_added", "k": "kong_concealed"}
MINIMUM = {"1z": 20, "2z": 22, "3z": 24, "4z": 26}

# Two Sheungs and a Pong exposed; the hand 78m 444p 33z waits on 6m and 9m: no row but `plain`.
PLAIN = "c234m c567p p888s"
CONCEALED = "234m567p888s444p78m33z"


def position(hand: str, win_tile: str, melds: str = "", by: str = "discard", **rest: Any) -> dict[str, Any]:
    """A position; `melds` such as `c123m p111z`; `from_` stands for `from`."""
    built: dict[str, Any] = {
        "rules": "hk16",
        "hand": hand,
        "melds": [[MELD_KINDS[meld[0]], meld[1:]] for meld in melds.split()],
        "win_tile": win_tile,
        "by": by,
        "seat": 1,
        "dealer": 0,
        "east": rest.get("dealer", 0),
        "streak": 0,
        "prevailing": "1z",
        "flowers": "1f3f",
        "dice": [1, 2, 4],
        "flags": [],
    }
    if by != "self_draw":
        built["from"] = rest.pop("from_", 2)
    return built | rest


def answer(items: str, given: dict[str, Any]) -> dict[str, Any]:
    """The answer with the items listed: their sum, and what each seat pays."""
    if items == "shape":
        return {"win": False, "reason": "shape"}
    if items.startswith("+"):
        items = "mahjong 5 flowers 2 " + items[1:]
    words = items.split()
    rows = sorted([item, int(points)] for item, points in zip(words[::2], words[1::2], strict=True))
    points = sum(n for _, n in rows)
    if points < MINIMUM[given["prevailing"]]:
        return {"win": False, "reason": "minimum", "items": rows, "tai": points}
    change = [0, 0, 0, 0]
    for seat in range(4):
        if seat != given["seat"] and given.get("from", seat) == seat:
            share = points + (given["by"] == "self_draw" and seat == given["dealer"])
            change[seat] = -share
            change[given["seat"]] += share
    return {"win": True, "items": rows, "tai": points, "payments": change}


CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = []


def _case(name: str, items: str, hand: str, win_tile: str, melds: str = "", **rest: Any) -> None:
    given = position(hand, win_tile, melds, **rest)
    CASES.append((name, given, answer(items, given)))


SELF = {"by": "self_draw"}
ROB = {"by": "rob_kong"}

# --- Rows 1-9: the win, the wait, the dealer ----------------------------------------------------------------

_case("mahjong alone is below the minimum", "+", "78m444p33z", "9m", PLAIN)
_case("not complete", "shape", "79m444p33z", "9m", PLAIN)
_case("closed hand", "+ closed_hand 5", "78m444p33z", "9m", PLAIN, flags=["closed"])
_case("r39: ready and human are ignored", "+", "78m444p33z", "9m", PLAIN, flags=["ready", "human"])
_case("good eyes 2", "+ good_eyes 2 no_honours 1", "78m444p22s", "9m", PLAIN)
_case("good eyes 5", "+ good_eyes 2 no_honours 1", "78m444p55s", "9m", PLAIN)
_case("good eyes 8", "+ good_eyes 2 no_honours 1", "78m444p88p", "9m", PLAIN)
_case("no good eyes of 6", "+ no_honours 1", "78m444p66s", "9m", PLAIN)
_case("no good eyes of an Honour", "+", "78m444p22z", "9m", PLAIN)
_case("calling by pairs", "+ calling_by_pairs 2", "789m44p33z", "4p", PLAIN)
_case(
    "r43: the kind of the pair left over is all held, so no calling by pairs",
    "+ no_honours 1 brother_sheungs 5 four_in_ways 15",
    "78999m44p",
    "4p",
    "c789m c567p p888s",
)
_case("true single wait", "+ true_single_wait 2", "79m444p33z", "8m", PLAIN)
_case("false single wait: three", "+ false_single_wait 2", "33z45678p", "9p", "c234m p888s p999m")
_case("two waits score nothing", "+", "78m444p33z", "6m", PLAIN)
_case("dealer wins", "+ dealer_wins 1", "78m444p33z", "9m", PLAIN, seat=0, flowers="2f3f")
_case("dealer discarded", "+ dealer_discarded 1", "78m444p33z", "9m", PLAIN, from_=0)
_case("dealer robbed", "+ dealer_discarded 1 robbing_gong 10", "78m444p33z", "9m", PLAIN, from_=0, **ROB)
_case("self draw", "+ self_draw 1", "78m444p33z", "9m", PLAIN, **SELF)

# --- Rows 10-17: concealed, the wall, early wins ------------------------------------------------------------

_case("concealed discard", "+ concealed_discard 5 concealed_pongs 5", CONCEALED, "9m")
_case(
    "concealed self draw, and the dealer's extra 1 (r20)",
    "+ concealed_self_draw 10 self_draw 1 concealed_pongs 5",
    CONCEALED,
    "9m",
    **SELF,
)
_case(
    "concealed with an exposed and a concealed Gong",
    "+ concealed_discard 5 concealed_pongs 5 open_gongs 1 concealed_gongs 2",
    "234m567p78m33z",
    "9m",
    "e8888s k4444p",
)
_case("an exposed Sheung is not concealed", "+ concealed_pongs 5", "567p888s444p78m33z", "9m", "c234m")
_case("flower wall", "+ self_draw 1 flower_wall 5", "78m444p33z", "9m", PLAIN, flags=["flower_wall"], **SELF)
_case("seabed", "+ self_draw 1 seabed 20", "78m444p33z", "9m", PLAIN, flags=["last_tile"], **SELF)
_case(
    "r30: no flower wall with seabed",
    "+ self_draw 1 seabed 20",
    "78m444p33z",
    "9m",
    PLAIN,
    flags=["flower_wall", "last_tile"],
    **SELF,
)
_case("r38, r39: no seabed on a discard", "+", "78m444p33z", "9m", PLAIN, flags=["last_tile"])
ALL_EXPOSED = "c234m c567p p888s p444p c789m"
_case("last man standing, discard", "+ last_man_standing 15 true_single_wait 2", "3z", "3z", ALL_EXPOSED)
_case(
    "last man standing, self draw",
    "+ last_man_standing 10 true_single_wait 2 self_draw 1",
    "3z",
    "3z",
    ALL_EXPOSED,
    **SELF,
)
_case(
    "a concealed Gong is no Last Man Standing, and may be closed (r23)",
    "+ closed_hand 5 true_single_wait 2 concealed_gongs 2",
    "3z",
    "3z",
    "c234m c567p p888s k4444p c789m",
    flags=["closed"],
)
_case(
    "r33: five open Gongs are concealed and Last Man Standing",
    "+ last_man_standing 15 concealed_discard 5 true_single_wait 2 open_gongs 5 concealed_pongs 80 all_pong 25"
    " wind_pongs 1 round_wind 1",
    "4z",
    "4z",
    "e2222m e5555p a7777s e9999m a1111z",
)
_case("within seven", "+ within_seven 50", "78m444p33z", "9m", PLAIN, discards=7)
_case("eight discards", "+", "78m444p33z", "9m", PLAIN, discards=8)
_case(
    "r37: a robbed tile is no discard",
    "+ within_seven 50 robbing_gong 10",
    "78m444p33z",
    "9m",
    PLAIN,
    discards=7,
    **ROB,
)
_case(
    "heavenly hand, within seven too (r33)",
    "+ dealer_wins 1 heavenly_hand 100 within_seven 50 concealed_self_draw 10 self_draw 1 concealed_pongs 5",
    CONCEALED,
    "9m",
    seat=0,
    flowers="2f3f",
    flags=["heavenly"],
    discards=0,
    **SELF,
)
_case(
    "heavenly hand off the Flower wall, discards not said",
    "+ dealer_wins 1 heavenly_hand 100 flower_wall 5 concealed_self_draw 10 self_draw 1 concealed_pongs 5",
    CONCEALED,
    "9m",
    seat=0,
    flowers="2f3f",
    flags=["heavenly", "flower_wall"],
    **SELF,
)
_case(
    "earthly hand",
    "+ dealer_discarded 1 earthly_hand 90 within_seven 50 concealed_discard 5 concealed_pongs 5",
    CONCEALED,
    "9m",
    from_=0,
    flags=["earthly"],
    discards=1,
)

# --- Rows 18-21, 32, 63: Flowers, no Flowers, Chicken -------------------------------------------------------

_case("seat flowers 2 and 6", "mahjong 5 flowers 3 seat_flower 2", "78m444p33z", "9m", PLAIN, flowers="2f5f6f")
_case(
    "the seat moves with the dealer",
    "mahjong 5 flowers 2 seat_flower 1",
    "78m444p33z",
    "9m",
    PLAIN,
    dealer=2,
    flowers="3f8f",
    from_=3,
)
_case(
    "no flowers makes a Chicken hand", "mahjong 5 no_flowers 1 chicken_hand 20", "78m444p33z", "9m", PLAIN, flowers=""
)
_case("one flower makes a Chicken hand", "mahjong 5 flowers 1 chicken_hand 20", "78m444p33z", "9m", PLAIN, flowers="1f")
_case(
    "self draw and a flower: no Chicken hand",
    "mahjong 5 flowers 1 self_draw 1",
    "78m444p33z",
    "9m",
    PLAIN,
    flowers="1f",
    **SELF,
)
_case(
    "r19: the Chicken hand counts towards the minimum of the North round, 26",
    "mahjong 5 flowers 1 chicken_hand 20",
    "78m444p33z",
    "9m",
    PLAIN,
    flowers="1f",
    prevailing="4z",
)
_case("no flowers, no honours", "mahjong 5 no_flowers_honours 5", "78m444p66s", "9m", PLAIN, flowers="")
_case("no honours with flowers", "+ no_honours 1", "78m444p66s", "9m", PLAIN)
_case("r32: no terminals takes no_honours", "+ no_terminals 5", "67m444p66s", "8m", PLAIN)
_case(
    "r32: no terminals adds to no_flowers_honours",
    "mahjong 5 no_terminals 5 no_flowers_honours 5",
    "67m444p66s",
    "8m",
    PLAIN,
    flowers="",
)

# --- Rows 22-31: Winds and Dragons --------------------------------------------------------------------------

_case("round wind", "+ wind_pongs 1 round_wind 1", "78m444p33z", "9m", "c234m c567p p111z")
_case(
    "seat wind, a Gong (r34)",
    "+ wind_pongs 1 seat_wind 1 open_gongs 1 concealed_pongs 5",
    "78m444p33z",
    "9m",
    "c234m c567p a2222z",
)
_case(
    "seat and round wind",
    "+ wind_pongs 1 seat_wind 1 round_wind 1",
    "78m444p33z",
    "9m",
    "c234m c567p p222z",
    prevailing="2z",
)
_case("another wind", "+ wind_pongs 1", "78m444p33z", "9m", "c234m c567p p444z")
_case("little three winds", "+ wind_pongs 2 seat_wind 1 little_three_winds 15", "78m444p33z", "9m", "c234m p222z p444z")
_case(
    "big three winds",
    "+ wind_pongs 3 seat_wind 1 round_wind 1 big_three_winds 30",
    "23478m66p",
    "9m",
    "p111z p222z p444z",
)
_case(
    "r30: little four winds, not big three",
    "+ wind_pongs 3 seat_wind 1 round_wind 1 little_four_winds 50",
    "444p78m33z",
    "9m",
    "p111z p222z p444z",
)
_case(
    "r30: big four winds alone",
    "+ wind_pongs 4 seat_wind 1 round_wind 1 big_four_winds 60",
    "78m66p",
    "9m",
    "p111z p222z p333z p444z",
)
_case("dragon pong", "+ dragon_pongs 2", "78m444p33z", "9m", "c234m c567p p555z")
_case("little dragons", "+ dragon_pongs 4 little_dragons 20", "444p78m77z", "9m", "c234m p555z p666z")
_case("r30: big dragons alone", "+ dragon_pongs 6 big_dragons 40", "78m66p", "9m", "c234m p555z p666z p777z")
_case(
    "little three winds beside two Dragons",
    "+ wind_pongs 2 dragon_pongs 4 seat_wind 1 little_three_winds 15 semi_pure 30 terminals_only 20",
    "78m33z",
    "9m",
    "p222z p444z p555z p666z",
)

# --- Rows 33-36, 50, 57: Pongs ------------------------------------------------------------------------------

_case("three concealed pongs", "+ concealed_pongs 15", "444p888s111p78m33z", "9m", "c234m")
_case(
    "r35: a Pong completed by a discard is not concealed",
    "+ concealed_pongs 5 calling_by_pairs 2",
    "44p888s111p789m33z",
    "4p",
    "c234m",
)
_case(
    "r35: the same Pong self-drawn",
    "+ concealed_pongs 15 calling_by_pairs 2 self_draw 1",
    "44p888s111p789m33z",
    "4p",
    "c234m",
    **SELF,
)
_case("four concealed pongs", "+ concealed_pongs 30 true_single_wait 2", "444p888s111p666m3z", "3z", "c234s")
PONGS = "444p888s111p666m222z3z"
FIVE = "+ all_pong 25 wind_pongs 1 seat_wind 1 true_single_wait 2 "
_case("r36: five self-drawn", FIVE + "concealed_pongs 100 concealed_self_draw 10 self_draw 1", PONGS, "3z", **SELF)
_case("r36: five, the pair by a discard", FIVE + "concealed_pongs 80 concealed_discard 5", PONGS, "3z")
_case(
    "r36: five with an open Gong, self-drawn",
    FIVE + "concealed_pongs 80 concealed_self_draw 10 self_draw 1 open_gongs 1",
    "444p888s111p666m3z",
    "3z",
    "e2222z",
    **SELF,
)
_case(
    "r36: five with a concealed Gong, self-drawn",
    FIVE + "concealed_pongs 100 concealed_self_draw 10 self_draw 1 concealed_gongs 2",
    "444p888s111p666m3z",
    "3z",
    "k2222z",
    **SELF,
)
_case(
    "r30, r36: five, one of them by a discard; no calling by pairs with All Pong",
    "+ all_pong 25 wind_pongs 1 seat_wind 1 concealed_pongs 30 concealed_discard 5",
    "44p888s111p666m222z33z",
    "4p",
)
_case("sequential pongs, two", "+ sequential_pongs 5", "444p78s33z", "9s", "p222m p333m c567p")
_case(
    "sequential pongs, three, and sisters of one of them",
    "+ sequential_pongs 15 sister_pongs 5",
    "444p78s33z",
    "9s",
    "p222m p333m p444m",
)
_case("sequential pongs, four", "+ sequential_pongs 30", "78s33z", "9s", "p222m p333m p444m p555m")
_case("r46: two runs of two", "+ sequential_pongs 10", "78s33z", "9s", "p222m p333m p666m p777m")
_case("r46: no run over the end of a suit", "+", "78s33z", "9s", "p999m p111p c456m c567p")
LMS = "+ last_man_standing 15 true_single_wait 2 all_pong 25 "
FIVE_RUN = "p222m p333m p444m p555m p666m"
_case(
    "five sequential pongs and the pair above",
    LMS + "sequential_pongs 80 pure_suit 90 no_terminals 5",
    "7m",
    "7m",
    FIVE_RUN,
)
_case(
    "five sequential pongs and the pair below",
    LMS + "sequential_pongs 80 pure_suit 90 no_honours 1",
    "1m",
    "1m",
    FIVE_RUN,
)
_case(
    "five sequential pongs, a pair apart", LMS + "sequential_pongs 60 pure_suit 90 no_honours 1", "9m", "9m", FIVE_RUN
)
_case("r46: the pair of another suit", LMS + "sequential_pongs 60 two_suit 5 no_terminals 5", "7p", "7p", FIVE_RUN)
_case(
    "r46: 1-5 of Circles and the pair 9m, one kind below but another suit",
    LMS + "sequential_pongs 60 two_suit 5 no_honours 1",
    "9m",
    "9m",
    "p111p p222p p333p p444p p555p",
)
_case("sister pongs, two", "+ sister_pongs 5", "78s33z", "9s", "p444m p444p c678m p222s")
_case("sister pongs, three suits", "+ sister_pongs 15", "78s33z", "9s", "p444m p444p p444s c567m")
_case("r47: two numbers of sisters", "+ sister_pongs 10", "78s33z", "9s", "p444m p444p p888m p888p")
_case(
    "r47: sequential and sister at once",
    "+ sequential_pongs 5 sister_pongs 5",
    "78s33z",
    "9s",
    "p333m p444m p444p c567p",
)
_case("four in two ways: Pong and Sheung", "+ four_in_ways 5", "444s78m33z", "9m", "p333p c234p c567s")
_case(
    "four in four ways, the text's 6-Character",
    "+ true_single_wait 2 four_in_ways 20 brother_sheungs 5 step_up 5",
    "888s3z",
    "3z",
    "c456m c567m c678m c456m",
)
_case(
    "r48: two kinds, in three and four ways",
    "+ four_in_ways 35 brother_sheungs 10 two_suit 5 no_honours 1 all_sheung 5",
    "33m78s",
    "9s",
    "c234m c234m c456m c456m",
)
_case("terminal pongs of one suit, fours apart", "+ terminal_pongs 5", "666p56s33z", "7s", "p111m p999m c234p")
_case("terminal pongs of two suits", "+ terminal_pongs 20 sister_pongs 10", "56s33z", "7s", "p111m p999m p111p p999p")
_case("111m and 999p are no terminal pongs", "+", "666p56s33z", "7s", "p111m p999p c234p")

# --- Rows 37-40: Gongs --------------------------------------------------------------------------------------

_case(
    "open and concealed Gongs",
    "+ open_gongs 2 concealed_gongs 4 concealed_pongs 30 concealed_discard 5",
    "78m33z",
    "9m",
    "e1111s a4444p k6666s k9999p",
)
_case("robbing", "+ robbing_gong 10", "78m444p33z", "9m", PLAIN, **ROB)
_case(
    "robbing with a concealed hand scores its 5 too",
    "+ robbing_gong 10 concealed_discard 5 concealed_pongs 5",
    CONCEALED,
    "9m",
    **ROB,
)
_case(
    "gong after gong",
    "+ self_draw 1 gong_after_gong 30 flower_wall 5 open_gongs 1 concealed_gongs 2 concealed_pongs 5",
    "567s78m33z",
    "9m",
    "c234m a4444p k8888s",
    flags=["kong_on_kong", "flower_wall"],
    **SELF,
)

# --- Rows 41-47: Sheungs ------------------------------------------------------------------------------------

RUN = "123456789m3z"
W = "+ true_single_wait 2 "
_case("pure run, concealed", W + "pure_dragon_run 20", RUN, "3z", "p888s p444p")
_case("pure run, partly exposed", W + "pure_dragon_run 15", "123789m3z", "3z", "p888s p444p c456m")
_case("pure run, completed by a discard", W + "pure_dragon_run 15", "12345679m33z", "8m", "p888s p444p")
_case(
    "pure run, completed by self-draw",
    W + "pure_dragon_run 20 self_draw 1",
    "12345679m33z",
    "8m",
    "p888s p444p",
    **SELF,
)
_case(
    "pure run, completed by robbing",
    W + "pure_dragon_run 15 robbing_gong 10",
    "12345679m33z",
    "8m",
    "p888s p444p",
    **ROB,
)
_case("mixed run, concealed", W + "mixed_dragon_run 10", "123m456p789s3z", "3z", "p888m p444s")
_case("mixed run, exposed", W + "mixed_dragon_run 5", "123m789s3z", "3z", "p888m p444s c456p")
_case("no run of two suits: Terminal Sheungs alone", W + "terminal_sheungs 5", "123m456p789m3z", "3z", "p888s p444s")
_case(
    "r49: the dearer run, pure before mixed",
    W + "pure_dragon_run 20 sister_sheungs 6 all_sheung 5",
    RUN,
    "3z",
    "c456p c789s",
)
_case(
    "r49, r41: of two 123 the concealed one is in the run",
    W + "pure_dragon_run 20 terminal_sheungs 5 brother_sheungs 5",
    RUN,
    "3z",
    "c123m p888s",
)
_case(
    "r56, first example of the text",
    W + "pure_dragon_run 20 terminal_sheungs 10 brother_sheungs 10 all_sheung 5 semi_pure 30",
    RUN,
    "3z",
    "c123m c123m",
)
_case(
    "r56, second example of the text",
    "+ terminal_sheungs 15 sister_sheungs 6 terminals_only 20 all_sheung 5",
    "78m33z",
    "9m",
    "c123s c123m c123p c789s",
)
_case(
    "r56, third example of the text",
    W + "pure_dragon_run 20 terminal_sheungs 15 all_sheung 5 semi_pure 30",
    RUN,
    "3z",
    "c123m c789m",
)
_case("terminal sheungs, two", "+ terminal_sheungs 5", "444p56s33z", "7s", "c123m c789m p888s")
_case(
    "terminal sheungs, 123 789 789: two pairs rather than one and Brothers (r41)",
    W + "terminal_sheungs 10",
    "444p3z",
    "3z",
    "c123m c789m c789m p888s",
)
_case("terminal sheungs, four of one suit", W + "terminal_sheungs 20", "444p3z", "3z", "c123m c123m c789m c789m")
_case(
    "terminal sheungs, four of two suits; Sisters all used",
    W + "terminal_sheungs 15",
    "444s3z",
    "3z",
    "c123m c789m c123p c789p",
)
_case(
    "r52: a pair of two suits left out for Brothers and Sisters",
    W + "last_man_standing 15 terminal_sheungs 15 brother_sheungs 5 sister_sheungs 3 terminals_only 20 all_sheung 5",
    "3z",
    "3z",
    "c123m c123m c789m c123p c789p",
)
_case(
    "r53: four of two suits with two Sheungs of the run are no 15: one pair and Sisters are dearer",
    W + "mixed_dragon_run 5 terminal_sheungs 5 sister_sheungs 6 all_sheung 5",
    "12p33z",
    "3p",
    "c123m c456s c789p c789m",
)
_case("123m 789p are no terminal sheungs", "+", "444p56s33z", "7s", "c123m c789p p888s")
_case("brothers, two", W + "brother_sheungs 5", "444p3z", "3z", "c345m c345m p888s c567s")
_case("brothers, three", W + "brother_sheungs 15", "444p3z", "3z", "c345m c345m c345m p888s")
_case("brothers, four", W + "brother_sheungs 25 four_in_ways 60", "888p3z", "3z", "c345m c345m c345m c345m")
_case("brothers, two groups", W + "brother_sheungs 10", "444p3z", "3z", "c345m c345m c678s c678s")
_case("sisters, two", W + "sister_sheungs 3", "444p3z", "3z", "c345m c345s p888s c567s")
_case("sisters, three suits", W + "sister_sheungs 10", "888p3z", "3z", "c345m c345p c345s p666s")
_case(
    "r55: three of two suits are one group of two",
    W + "sister_sheungs 3 brother_sheungs 5",
    "888p3z",
    "3z",
    "c345m c345m c345s p666s",
)
_case(
    "sisters, four, Brothers too (r50)",
    W + "sister_sheungs 25 brother_sheungs 5",
    "888p3z",
    "3z",
    "c345m c345m c345p c345s",
)
_case(
    "sisters, four of two suits", W + "sister_sheungs 25 brother_sheungs 10", "888s3z", "3z", "c345m c345m c345p c345p"
)
_case(
    "sisters, five",
    W + "last_man_standing 15 sister_sheungs 40 brother_sheungs 10 all_sheung 5",
    "3z",
    "3z",
    "c345m c345m c345p c345p c345s",
)
_case("sisters, two numbers", W + "sister_sheungs 6", "444s3z", "3z", "c345m c345p c678m c678p")
_case("step up", W + "step_up 5", "888p3z", "3z", "c234m c345p c456s p111s")
_case("step up once only", W + "step_up 5", "888p3z", "3z", "c234m c345p c456s c567m")
_case(
    "r30: all step up",
    W + "last_man_standing 15 all_step_up 20 all_sheung 5",
    "3z",
    "3z",
    "c234m c345p c456s c567m c678p",
)
_case("r46 of the table: two numbers apart is no step", W, "888p3z", "3z", "c234m c456p c678s p111s")

# --- Rows 48-56: Terminals and suits ------------------------------------------------------------------------

_case("r57: a set without a terminal", W + "terminal_sheungs 5", "456s3z", "3z", "c123m c789m p111p p999s")
_case(
    "r57: Honours in the pair",
    W + "terminals_only 20 terminal_sheungs 5 wind_pongs 1",
    "444z3z",
    "3z",
    "c123m c789m p111p p999s",
)
_case(
    "r57: without Honours",
    W + "terminals_only 40 terminal_sheungs 5 terminal_pongs 5 sister_pongs 5 no_honours 1",
    "999p1s",
    "1s",
    "c123m c789m p111p p999s",
)
_case(
    "r57: a pair that is no terminal",
    W + "good_eyes 2 terminal_sheungs 5 terminal_pongs 5 sister_pongs 5 no_honours 1",
    "999p2s",
    "2s",
    "c123m c789m p111p p999s",
)
_case("two suits", "+ two_suit 5 no_honours 1", "78m444p66p", "9m", "c234m c567p p666m")
_case(
    "r31: two suits without Flowers hold the 5",
    "mahjong 5 two_suit 15",
    "78m444p66p",
    "9m",
    "c234m c567p p666m",
    flowers="",
)
_case("two suits with Honours", "+", "78m444p33z", "9m", "c234m c567p p666m")
_case("five suits", "+ five_suit 10 dragon_pongs 2", "444s78m33z", "9m", "c234m c567p p555z")
_case("three suits and Winds are not five suits", "+", "78m444p33z", "9m", PLAIN)
_case(
    "pure honours score their Winds and Dragons too",
    "+ pure_honour 140 all_pong 25 wind_pongs 3 seat_wind 1 round_wind 1 big_three_winds 30 dragon_pongs 4"
    " little_dragons 20",
    "66z77z",
    "6z",
    "p111z p222z p444z p555z",
)
_case(
    "all sheung with Flowers", "+ all_sheung 5 no_honours 1 sister_sheungs 3", "78m66s", "9m", "c234m c567p c234s c456s"
)
_case(
    "all sheung without Flowers but with Honours",
    "mahjong 5 no_flowers 1 all_sheung 5 sister_sheungs 3",
    "78m33z",
    "9m",
    "c234m c567p c234s c456s",
    flowers="",
)
_case(
    "r31: all sheung without Flowers and Honours holds the 5",
    "mahjong 5 all_sheung 15 sister_sheungs 3",
    "78m66s",
    "9m",
    "c234m c567p c234s c456s",
    flowers="",
)
_case(
    "r31: both 15 count together",
    "mahjong 5 all_sheung 15 two_suit 15 sister_sheungs 3",
    "78m66p",
    "9m",
    "c234m c567p c234p c456m",
    flowers="",
)

# --- Row 58: dealer streak ----------------------------------------------------------------------------------

_case("second win", "+ dealer_wins 1 dealer_streak 3", "78m444p33z", "9m", PLAIN, seat=0, flowers="2f3f", streak=1)
_case("third win", "+ dealer_wins 1 dealer_streak 5", "78m444p33z", "9m", PLAIN, seat=0, flowers="2f3f", streak=2)
_case("another seat has no streak", "+", "78m444p33z", "9m", PLAIN, streak=2)

# --- Waits and minimum, more ---------------------------------------------------------------------------------

_case(
    "r42: one wait of two is all held in a meld",
    "+ true_single_wait 2 concealed_gongs 2 concealed_pongs 5",
    "78m444p33z",
    "9m",
    "c567p p888s k6666m",
)
_case(
    "r43: calling by pairs adds to a false single wait",
    "+ calling_by_pairs 2 false_single_wait 2 four_in_ways 5",
    "44456p33z",
    "4p",
    "c234m p888s p111m",
)
for _round, _points in (("1z", 20), ("2z", 20), ("3z", 24), ("4z", 24)):
    _rows = "last_man_standing 10 self_draw 1" if _points == 20 else "last_man_standing 15"
    _case(
        f"r19: {_points} points in round {_round}",
        f"+ true_single_wait 2 {_rows}",
        "3z",
        "3z",
        ALL_EXPOSED,
        prevailing=_round,
        **(SELF if _points == 20 else {}),
    )
_case(
    "r35: an added Gong is concealed",
    "+ open_gongs 1 concealed_discard 5 concealed_pongs 15",
    "567p888s111p78m33z",
    "9m",
    "a4444p",
)
_case(
    "r54: four Brothers, three of them used",
    W + "last_man_standing 15 terminal_sheungs 15 brother_sheungs 25 four_in_ways 60 all_sheung 5 terminals_only 20"
    " semi_pure 30",
    "3z",
    "3z",
    "c123m c123m c123m c123m c789m",
)
_case(
    "r54, r41: of three Brothers two are used: as many points as three and one pair, more of them Terminal",
    W + "terminal_sheungs 10 brother_sheungs 10",
    "444p3z",
    "3z",
    "c123m c123m c123m c789m",
)

# --- Special hands ------------------------------------------------------------------------------------------

NICO = "2277m3399p4466s1z555z"
N = "+ true_single_wait 2 five_suit 10 dragon_pongs 2 "
_case("Nico Nico; no good eyes of a pair 22 that was not won with", N + "nico_nico 40", NICO, "1z")
_case("Nico Nico self-drawn has no concealed row", N + "nico_nico 40 self_draw 1", NICO, "1z", **SELF)
_case("Nico Nico, good eyes by the winning tile", N + "nico_nico 40 good_eyes 2", "277m3399p4466s11z555z", "2m")
_case("r25: a closed hand is no Nico Nico", "shape", NICO, "1z", flags=["closed"])
_case("Nico Nico needs all concealed", "shape", "2277m3399p4466s1z", "1z", "p555z")
PAIRS = "2277m3399p4466s1155z"
_case(
    "eight pairs wait on eight kinds; r58: no calling by pairs",
    "+ nico_nico 40 five_suit 10 false_single_wait 2 dragon_pongs 2",
    PAIRS,
    "5z",
)
_case(
    "eight pairs, won with 2m",
    "+ nico_nico 40 five_suit 10 false_single_wait 2 good_eyes 2",
    PAIRS,
    "2m",
)
_case(
    "Nico Nico, the Pong of the round Wind",
    "+ nico_nico 40 five_suit 10 false_single_wait 2 wind_pongs 1 round_wind 1",
    PAIRS,
    "1z",
)
_case("Nico Nico, one undeclared Gong", N + "nico_nico 50", "2222m3399p4466s1z555z", "1z")
_case("Nico Nico, two undeclared Gongs", N + "nico_nico 65", "2222m3333p4466s1z555z", "1z")
_case("Nico Nico, three undeclared Gongs", N + "nico_nico 65", "2222m3333p4444s1z555z", "1z")
_case(
    "r31, r58: Nico Nico of two suits without Flowers",
    "mahjong 5 true_single_wait 2 nico_nico 40 two_suit 15",
    "2244779m225577999p",
    "9m",
    flowers="",
)
_case(
    "Nico Nico without terminals",
    "+ true_single_wait 2 good_eyes 2 nico_nico 40 two_suit 5 no_terminals 5",
    "2244778m224445577p",
    "8m",
)
_case(
    "Nico Nico, a Jade hand",
    "+ true_single_wait 2 nico_nico 40 dragon_pongs 2 semi_pure 30 jade_hand 20",
    "1122445577889s666z",
    "9s",
)
_case(
    "Nico Nico with a pair of Green Dragons is no Jade hand",
    "+ true_single_wait 2 nico_nico 40 semi_pure 30",
    "112244557788899s6z",
    "6z",
)
_case(
    "Nico Nico of terminals and Honours",
    "+ true_single_wait 2 nico_nico 40 five_suit 10 terminals_only 20",
    "1199m1199p11999s44z7z",
    "7z",
)
_case(
    "r57: Nico Nico with an Honour Pong has no suited set",
    "+ true_single_wait 2 nico_nico 40 five_suit 10 wind_pongs 1",
    "1199m1199p1199s444z7z",
    "7z",
)
BOTH = "112233m445566p7888s"
_case(
    "r59: Nico Nico and five sets, the better reading",
    "+ no_honours 1 false_single_wait 2 nico_nico 40",
    BOTH,
    "7s",
)
_case(
    "r59, r25: the same hand closed is five sets",
    "+ no_honours 1 false_single_wait 2 closed_hand 5 concealed_discard 5 brother_sheungs 10",
    BOTH,
    "7s",
    flags=["closed"],
)
THIRTEEN = "19m119p1945s1234567z"
O = "+ five_suit 10 "
_case("13 Orphans", O + "thirteen_orphans 90 concealed_discard 5", THIRTEEN, "6s")
_case(
    "13 Orphans self-drawn, closed (r25)",
    O + "thirteen_orphans 90 concealed_self_draw 10 self_draw 1 closed_hand 5",
    THIRTEEN,
    "3s",
    flags=["closed"],
    **SELF,
)
_case(
    "13 Orphans, 13 waits",
    O + "thirteen_orphans 90 concealed_discard 5 false_single_wait 2",
    "19m19p19555s1234567z",
    "9m",
)
_case(
    "13 Orphans, the Pong of a Wind",
    O + "thirteen_orphans 90 concealed_discard 5 true_single_wait 2 wind_pongs 1 seat_wind 1",
    "19m119p19s122234567z",
    "2z",
)
_case(
    "13 Orphans by robbing, no Flowers",
    "mahjong 5 no_flowers 1 five_suit 10 thirteen_orphans 90 concealed_discard 5 true_single_wait 2 robbing_gong 10",
    "9m14569p119s1234567z",
    "1m",
    flowers="",
    **ROB,
)
_case("r60: 13 Orphans have no Gong", "shape", "19m19p19s1234567z", "9m", "k5555s")
SIXTEEN = "147m258p369s1234567z"
_case(
    "16 Orphans wait on 16 kinds; good eyes of the pair",
    O + "sixteen_orphans 50 concealed_discard 5 false_single_wait 2 good_eyes 2",
    SIXTEEN,
    "5p",
)
_case("16 Orphans, a pair of 1m", O + "sixteen_orphans 50 concealed_discard 5 false_single_wait 2", SIXTEEN, "1m")
_case(
    "16 Orphans with 1 and 9 in all suits",
    O + "sixteen_orphans 50 orphans_terminals 10 concealed_self_draw 10 self_draw 1 false_single_wait 2",
    "159m149p169s1234567z",
    "1z",
    **SELF,
)
_case(
    "16 Orphans by robbing",
    O + "sixteen_orphans 50 concealed_discard 5 false_single_wait 2 robbing_gong 10",
    "14m258p369s11234567z",
    "7m",
    **ROB,
)
_case("r61: 1 4 6 are not 3 apart", "shape", "146m258p369s1234567z", "1m")
_case("r25: a closed hand is no 16 Orphans", "shape", SIXTEEN, "5p", flags=["closed"])

# --- Rows 64-66: Jewels -------------------------------------------------------------------------------------

J = "+ good_eyes 2 calling_by_pairs 2 semi_pure 30 dragon_pongs 2 open_gongs 1 terminal_pongs 5 "
_case("Jade", J + "jade_hand 20", "5599s", "9s", "c234s c678s p666z e1111s")
_case("Ruby", J + "ruby_hand 20", "5599m", "9m", "c234m c678m p777z e1111m")
_case("Diamond", J + "diamond_hand 20", "5599p", "9p", "c234p c678p p555z e1111p")
_case("Characters with Green Dragons are no Jewel", J, "5599m", "9m", "c234m c678m p666z e1111m")
_case(
    "r45: another Honour is no Jewel",
    "+ calling_by_pairs 2 semi_pure 30 dragon_pongs 2 open_gongs 1 terminal_pongs 5",
    "99s33z",
    "9s",
    "c234s c678s p666z e1111s",
)

# --- Values as options --------------------------------------------------------------------------------------

_case("another value", "mahjong 20 flowers 2", "78m444p33z", "9m", PLAIN, options={"items": {"mahjong": 20}})
_case("0 switches a row off", "mahjong 5", "78m444p33z", "9m", PLAIN, options={"items": {"flowers": 0}})
_case(
    "other grades",
    "+ sister_pongs 9",
    "78s33z",
    "9s",
    "p444m p444p p444s c567m",
    options={"items": {"sister_pongs": [1, 9]}},
)

# --- Errors -------------------------------------------------------------------------------------------------

BAD: list[tuple[str, dict[str, Any], str]] = []


def _bad(
    name: str, field: str, hand: str = "78m444p33z", win_tile: str = "9m", melds: str = PLAIN, **rest: Any
) -> None:
    BAD.append((name, position(hand, win_tile, melds, **rest), field))


_bad("other rules", "rules", rules="hk17")
_bad("a tile short", "hand", hand="78m444p3z")
_bad("a Flower in hand", "hand", hand="78m444p3z4f")
_bad("no tiles", "hand", hand="78m444p33x")
_bad("five copies in hand and meld", "hand", hand="22m444p33z", melds="c234m p222m c567s")
_bad("five copies in melds", "melds", melds="c234m p222m c123m")
_bad("no Sheung", "melds", melds="c235m c567p p888s")
_bad("a Sheung of Winds", "melds", melds="c123z c567p p888s")
_bad("six melds", "melds", hand="", melds="p111m p222m p333m p444m p555m p666m")
_bad("two winning tiles", "win_tile", win_tile="69m")
_bad("a fifth copy", "win_tile", win_tile="8s", hand="8s44p3333z")
_bad("a robbed tile, yet a copy of it held", "win_tile", win_tile="4p", **ROB)
_bad("no such way", "by", by="robbery")
_bad("no such seat", "seat", seat=4)
_bad("no such dealer", "dealer", dealer=-1)
_bad("r39: East is not the dealer", "east", east=1)
_bad("r4: a fourth win in a row", "streak", streak=3)
_bad("pays oneself", "from", from_=1)
_bad("a payer of a self-draw", "from", **{"from": 2}, **SELF)
_bad("no Wind", "prevailing", prevailing="5z")
_bad("a Flower twice", "flowers", flowers="1f1f")
_bad("no Flower", "flowers", flowers="1z")
_bad("r39: no discard, yet won on one", "discards", discards=0)
_bad("fewer than no discards", "discards", discards=-1)
_bad("no such flag", "flags", flags=["lucky"])
_bad("r39: flower_wall on a discard", "flags", flags=["flower_wall"])
_bad("r39: kong_on_kong on a discard", "flags", flags=["kong_on_kong"], melds="c234m k5555p k8888s")
_bad("r39: kong_on_kong with one Gong", "flags", flags=["kong_on_kong"], melds="c234m p555p k8888s", **SELF)
_HEAVENLY: dict[str, Any] = {"hand": CONCEALED, "melds": "", "flags": ["heavenly"], "seat": 0}
_bad("r39: heavenly on a discard", "flags", **_HEAVENLY)
_bad("r39: heavenly of another seat", "flags", **{**_HEAVENLY, "seat": 3}, **SELF)
_bad("r39: heavenly after a discard", "flags", discards=1, **_HEAVENLY, **SELF)
_bad("r39: heavenly with a meld", "flags", flags=["heavenly"], seat=0, **SELF)
_EARTHLY: dict[str, Any] = {"hand": CONCEALED, "melds": "", "flags": ["earthly"]}
_bad("r39: earthly on another's discard", "flags", **_EARTHLY)
_bad("r39: earthly by self-draw", "flags", **_EARTHLY, **SELF)
_bad("r39: earthly by robbing", "flags", from_=0, **_EARTHLY, **ROB)
_bad("r39: earthly on the second discard", "flags", from_=0, discards=2, **_EARTHLY)
_bad("r39: earthly with a meld", "flags", from_=0, flags=["earthly"])
_bad("r39: closed with five exposed melds", "flags", hand="3z", win_tile="3z", melds=ALL_EXPOSED, flags=["closed"])
_bad("no such option", "options", options={"min_tai": 0})
_bad("no such item", "options", options={"items": {"mah": 1}})
_bad("grades short", "options", options={"items": {"sister_pongs": [1]}})
