"""Positions of ``four-winds`` with answers worked by hand from the text and the rulings, and rich random positions.

``CASES`` and ``BAD`` know nothing of any scorer; what ``rich_position`` makes has no answer here.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tests.position_cases import ANY, CHOW_STARTS, NAMES, SUIT_TILES, _call, _kinds, _slots, _text
from tests.position_cases import THEMES as COMMON_THEMES

Position = dict[str, Any]


def position(hand: str, win_tile: str, by: str = "discard", *, melds: str = "", **rest: Any) -> Position:
    """A position of seat 1 with the Spring flower, paid by seat 2; ``melds`` such as ``"chow 234m, pung 888s"``.

    What does not matter (dealer, winds, dice) is left out, as ruling 33 allows.
    """
    built: Position = {"rules": "four-winds", "hand": hand, "win_tile": win_tile, "by": by, "seat": 1, "flowers": "1f"}
    built["melds"] = [meld.split() for meld in melds.split(", ")] if melds else []
    if by != "self_draw":
        built["from"] = 2
    return built | rest


def answer(by: str, tai: int, items: dict[str, int]) -> dict[str, Any]:
    """The answer for seat 1: ``tai`` is stated apart from the items, the payments follow from it (ruling 34)."""
    paid = [-tai, 3 * tai, -tai, -tai] if by == "self_draw" else [0, tai, -tai, 0]
    return {"win": True, "items": [[name, items[name]] for name in sorted(items)], "tai": tai, "payments": paid}


CASES: list[tuple[str, Position, dict[str, Any]]] = []


def case(name: str, given: Position, tai: int, **items: int) -> None:
    """A won hand; winning_hand is left out, and so is the one flower that ``position`` gives."""
    plain = {"winning_hand": 2} | ({"flower": 1} if given["flowers"] == "1f" else {})
    CASES.append((name, given, answer(given["by"], tai, plain | items)))


def no_win(name: str, given: Position) -> None:
    CASES.append((name, given, {"win": False, "reason": "shape"}))


# Waits on 1s and 4s, nothing in it scores: two exposed melds, an honor pair, mixed sets, no second concealed pung.
PLAIN = "345567p23s11z"
PLAIN_MELDS = "chow 234m, pung 888s"
# The same without a meld, and with its pung as a concealed kong.
CLOSED = "123m345567p23888s11z"
CLOSED_KONG = "123m345567p23s11z"
KONG = "kong_concealed 8888s"


def plain(win_tile: str = "4s", by: str = "discard", **rest: Any) -> Position:
    return position(PLAIN, win_tile, by, **{"melds": PLAIN_MELDS} | rest)


def closed(by: str = "discard", **rest: Any) -> Position:
    return position(CLOSED, "4s", by, **rest)


# --- The text's examples of payment ---------------------------------------------------------------------------------

ALL_CHOWS_MELDS = "chow 234m, chow 567m"
STRAIGHT_MELDS = "chow 123s, chow 456s"
THREE_WINDS = "pung 111z, pung 222z, pung 333z"

case(
    "text: a 12-tai discard win transfers 12 points",
    position("345567p2399s", "4s", melds=ALL_CHOWS_MELDS, flowers=""),
    12,
    all_chows_no_honors_no_flowers=10,
)
case(
    "text: a 12-tai self-draw takes 12 from each",
    position("78s345p22z999m", "9s", "self_draw", melds=STRAIGHT_MELDS, flowers="1f2f3f4f"),
    12,
    flower=4,
    straight=5,
    self_drawn=1,
)
case("text: the 18 tai of two winners", position("345p23s55z", "4s", melds=THREE_WINDS), 18, big_three_winds=15)

# --- Winning hand, flowers, kongs, honor pungs ----------------------------------------------------------------------

case("winning_hand", plain(), 3)
case("32: no award for a replacement, seat or round wind", plain(flags=["replacement"], prevailing="1z", east=1), 3)
case("33: what does not matter may be there", plain(dealer=0, east=0, streak=7, prevailing="3z", dice=[1, 2, 3]), 3)
case("flower: one each", plain(flowers="1f3f8f"), 5, flower=3)
case("flower: all eight in a regular win", plain(flowers="12345678f"), 10, flower=8)
case("no_flowers", plain(flowers=""), 3, no_flowers=1)
case("honor_pung: of a wind", position("345567p2399s", "4s", melds="chow 234m, pung 444z"), 4, honor_pung=1)
case(
    "honor_pung: summed",
    position("345567p2399s", "4s", melds="pung 555z, kong_added 2222z"),
    6,
    honor_pung=2,
    exposed_kong=1,
)
case("honor_pung: in hand", position("567p23s99m444z", "4s", melds="chow 234m, pung 888s"), 4, honor_pung=1)
case("exposed_kong: claimed and added", plain(melds="kong_exposed 8888s, kong_added 1111p"), 5, exposed_kong=2)
case("concealed_kong", plain(melds="chow 234m, kong_concealed 8888s"), 5, concealed_kong=2)
case(
    "24, 26: two concealed kongs",
    plain(melds="kong_concealed 9999m, kong_concealed 8888s"),
    10,
    concealed_kong=4,
    two_concealed_pungs=2,
    concealed_hand=1,
)

# --- Straights (25) -------------------------------------------------------------------------------------------------

case("straight", position("78s345p22z999m", "9s", melds=STRAIGHT_MELDS), 8, straight=5)
case("straight and edge", position("89s345p22z999m", "7s", melds=STRAIGHT_MELDS), 9, straight=5, edge_closed_wait=1)
case("25: completed by another's tile", position("12345678s999m22z", "9s", melds="chow 345p"), 8, straight=5)
case(
    "25: self-drawn",
    position("12345678s999m22z", "9s", "self_draw", melds="chow 345p"),
    14,
    concealed_straight=10,
    self_drawn=1,
)
case("25: won elsewhere", position("123456789s99m22z", "9m", melds="chow 345p"), 13, concealed_straight=10)
case(
    "25: one equal chow is called, the other in hand",
    position("34p123456789s22z", "5p", melds="chow 789s"),
    16,
    concealed_straight=10,
    all_chows=3,
)
case("25: a called chow is none", position("123456s34p555m22z", "5p", melds="chow 789s"), 8, straight=5)
case("25: called and won", position("12345678s555p22z", "9s", melds="chow 789s"), 8, straight=5)
case(
    "25: of two equal chows one is won",
    position("12345677889s555p22z", "9s"),
    14,
    concealed_straight=10,
    concealed_hand=1,
)
case("straight: not across suits", position("345999m78p22z", "9p", melds=STRAIGHT_MELDS), 3)

# --- Concealed pungs (24) -------------------------------------------------------------------------------------------

CHOW = "chow 234m"
FIVE_PUNGS = "111m444777p555999s"
case("two_concealed_pungs", position("111m777p45789s22z", "6s", melds=CHOW), 5, two_concealed_pungs=2)
case("24: completed by another's tile", position("11m777p456789s22z", "1m", melds=CHOW), 3)
case(
    "24: completed by a draw",
    position("11m777p456789s22z", "1m", "self_draw", melds=CHOW),
    6,
    two_concealed_pungs=2,
    self_drawn=1,
)
case("24: the tile may stand in a chow", position("11123m777p789s22z", "1m", melds=CHOW), 5, two_concealed_pungs=2)
case(
    "24: the tile may stand in the pair",
    position("1112344m777p789s", "4m", melds="chow 345p"),
    7,
    two_concealed_pungs=2,
    no_honors=1,
    pair_wait=1,
)
case("three_concealed_pungs", position("111m777p45999s22z", "6s", melds=CHOW), 8, three_concealed_pungs=5)
case(
    "24: a concealed kong is one",
    position("777p45999s22z", "6s", melds="chow 234m, kong_concealed 1111m"),
    10,
    three_concealed_pungs=5,
    concealed_kong=2,
)
case(
    "four_concealed_pungs",
    position("111m777p555999s2z", "2z", melds=CHOW),
    19,
    four_concealed_pungs=15,
    pair_wait=1,
)
case(
    "five_concealed_pungs",
    position(FIVE_PUNGS + "2z", "2z"),
    55,
    five_concealed_pungs=40,
    all_pungs=10,
    concealed_hand=1,
    pair_wait=1,
)
case(
    "24: the fifth completed by another",
    position("111m44777p555999s22z", "4p"),
    29,
    four_concealed_pungs=15,
    all_pungs=10,
    concealed_hand=1,
)
case(
    "24: the fifth drawn",
    position("111m44777p555999s22z", "4p", "self_draw"),
    56,
    five_concealed_pungs=40,
    all_pungs=10,
    fully_concealed=3,
)

# --- Dragons and winds ----------------------------------------------------------------------------------------------

case(
    "little_three_dragons",
    position("345567p23s77z", "4s", melds="pung 555z, pung 666z"),
    18,
    little_three_dragons=15,
)
case(
    "little_three_dragons: another pair",
    position("345567p23s44z", "4s", melds="pung 555z, pung 666z"),
    5,
    honor_pung=2,
)
DRAGONS = "pung 555z, pung 666z, pung 777z"
case("big_three_dragons", position("345p23s11z", "4s", melds=DRAGONS), 33, big_three_dragons=30)
case(
    "big_three_dragons and a wind pung",
    position("23s11z", "4s", melds=DRAGONS + ", kong_exposed 2222z"),
    45,
    big_three_dragons=30,
    honor_pung=1,
    exposed_kong=1,
    half_flush=10,
)
case("little_three_winds", position("345567p23s33z", "4s", melds="pung 111z, pung 222z"), 8, little_three_winds=5)
case(
    "little_three_winds and a dragon pung",
    position("345p23s33z", "4s", melds="pung 111z, pung 222z, pung 555z"),
    9,
    little_three_winds=5,
    honor_pung=1,
)
case("two wind pungs alone", position("345567p23s55z", "4s", melds="pung 111z, pung 222z"), 5, honor_pung=2)
case("big_three_winds", position("345p2399s", "4s", melds=THREE_WINDS), 18, big_three_winds=15)
case("little_four_winds", position("345p23s44z", "4s", melds=THREE_WINDS), 33, little_four_winds=30)
case(
    "big_four_winds",
    position("23s55z", "4s", melds=THREE_WINDS + ", pung 444z"),
    53,
    big_four_winds=40,
    half_flush=10,
)
case(
    "29: big dragons with little winds, honors only",
    position("222z3z", "3z", melds=DRAGONS + ", pung 111z"),
    49,
    big_three_dragons=30,
    little_three_winds=5,
    all_pungs=10,
    pair_wait=1,
)
case(
    "29: big winds with little dragons, honors only",
    position("666z7z", "7z", melds=THREE_WINDS + ", pung 555z"),
    44,
    big_three_winds=15,
    little_three_dragons=15,
    all_pungs=10,
    pair_wait=1,
)

# --- Melded and concealed hands (26) --------------------------------------------------------------------------------

FOUR_MELDS = "chow 123s, chow 567m, pung 888p, chow 345m, "
case("melded_hand", position("2z", "2z", melds=FOUR_MELDS + "pung 222p"), 13, melded_hand=10)
case(
    "melded_hand: drawn",
    position("2z", "2z", "self_draw", melds=FOUR_MELDS + "pung 222p"),
    14,
    melded_hand=10,
    self_drawn=1,
)
case(
    "26: a concealed kong is not one of the five",
    position("2z", "2z", melds=FOUR_MELDS + "kong_concealed 2222p"),
    6,
    concealed_kong=2,
    pair_wait=1,
)
case("concealed_hand", closed(), 4, concealed_hand=1)
case("fully_concealed", closed("self_draw"), 6, fully_concealed=3)
case("26: concealed kong", position(CLOSED_KONG, "4s", melds=KONG), 6, concealed_kong=2, concealed_hand=1)
case(
    "26: concealed kong, drawn",
    position(CLOSED_KONG, "4s", "self_draw", melds=KONG),
    8,
    concealed_kong=2,
    fully_concealed=3,
)
case("12: a robbed tile is another player's", closed("rob_kong"), 5, concealed_hand=1, robbing_the_kong=1)
case("self_drawn", plain(by="self_draw"), 4, self_drawn=1)

# --- Chows, pungs, honors, suits (29) -------------------------------------------------------------------------------

case("all_chows: honor pair", position(PLAIN, "4s", melds=ALL_CHOWS_MELDS), 6, all_chows=3)
case(
    "all_chows: any wait",
    position("345567p24s11z", "3s", melds=ALL_CHOWS_MELDS),
    7,
    all_chows=3,
    edge_closed_wait=1,
)
case("all_chows: a flower", position("345567p2399s", "4s", melds=ALL_CHOWS_MELDS), 7, all_chows=3, no_honors=1)
case("all_chows: no flower", position(PLAIN, "4s", melds=ALL_CHOWS_MELDS, flowers=""), 6, all_chows=3, no_flowers=1)
case(
    "all_chows_no_honors_no_flowers: self-drawn on the pair",
    position("345567p234s9s", "9s", "self_draw", melds=ALL_CHOWS_MELDS, flowers=""),
    14,
    all_chows_no_honors_no_flowers=10,
    self_drawn=1,
    pair_wait=1,
)
case("all_pungs", position("44p22z", "4p", melds="pung 777p, pung 111m, pung 999s, pung 555s"), 13, all_pungs=10)
case(
    "all_pungs: kongs are pungs",
    position("44p22z", "4p", melds="kong_exposed 7777p, kong_concealed 1111m, pung 999s, kong_added 5555s"),
    17,
    all_pungs=10,
    exposed_kong=2,
    concealed_kong=2,
)
case("no_honors", position("345567p2399s", "4s", melds=PLAIN_MELDS), 4, no_honors=1)
case(
    "no_honors_no_flowers",
    position("345567p2399s", "4s", melds=PLAIN_MELDS, flowers=""),
    5,
    no_honors_no_flowers=3,
)
FLUSH_MELDS = "pung 111m, chow 234m"
case("half_flush", position("34556677m22z", "8m", melds=FLUSH_MELDS), 13, half_flush=10)
case("half_flush: two suits are none", position("345678m55p22z", "5p", melds=FLUSH_MELDS), 3)
case("full_flush", position("3455667799m", "8m", melds=FLUSH_MELDS), 44, full_flush=40, no_honors=1)
case(
    "full_flush: no flower",
    position("3455667799m", "8m", melds=FLUSH_MELDS, flowers=""),
    45,
    full_flush=40,
    no_honors_no_flowers=3,
)

# --- Waits by placement (21, 23) ------------------------------------------------------------------------------------

case("edge: 3 of 123", position("345567p12s11z", "3s", melds=PLAIN_MELDS), 4, edge_closed_wait=1)
case("edge: 7 of 789", position("345567p89s11z", "7s", melds=PLAIN_MELDS), 4, edge_closed_wait=1)
case("closed", position("345567p24s11z", "3s", melds=PLAIN_MELDS), 4, edge_closed_wait=1)
case("no edge: 1 of 123", plain("1s"), 3)
case("no edge: 9 of 789", position("345567p78s11z", "9s", melds=PLAIN_MELDS), 3)
case("21: other waits do not matter", position("345999m12345s11z", "3s", melds=CHOW), 4, edge_closed_wait=1)
case("21: two-sided alone", position("345999m12345s11z", "6s", melds=CHOW), 3)
case("pair_wait", position("345567p234s1z", "1z", melds=PLAIN_MELDS), 4, pair_wait=1)
case("21: pair of two readings", position("777m345567p4566s", "6s", melds=CHOW), 5, pair_wait=1, no_honors=1)
case("no pair wait: a pung of two pairs", position("345567p99s11z", "9s", melds=PLAIN_MELDS), 3)
case("no wait: a pung of two pairs, honors", position("345567p99s11z", "1z", melds=PLAIN_MELDS), 4, honor_pung=1)
case("23: edge before pair", position("345567p1233s", "3s", melds=PLAIN_MELDS), 5, edge_closed_wait=1, no_honors=1)
case(
    "23: the pungs of three equal runs",
    position("11122233m22z", "3m", "self_draw", melds="chow 567p, pung 888s"),
    9,
    three_concealed_pungs=5,
    self_drawn=1,
)
case(
    "23: the runs where another's tile breaks the third pung",
    position("11122233m22z", "3m", melds="chow 567p, chow 678p"),
    7,
    all_chows=3,
    edge_closed_wait=1,
)

# --- How it was won -------------------------------------------------------------------------------------------------

case("last_tile_draw", plain(by="self_draw", flags=["last_tile"]), 5, self_drawn=1, last_tile_draw=1)
case("30, 33: never on a discard", plain(flags=["last_tile"]), 3)
case("robbing_the_kong", plain(by="rob_kong"), 4, robbing_the_kong=1)
for number, tai in ((1, 10), (5, 10), (6, 5), (9, 5), (10, 0)):
    early = {"five_discards": 10} if tai == 10 else {"nine_discards": 5} if tai else {}
    case(f"31: {number} discards", plain(discards=number), 3 + tai, **early)
case("31: none discarded yet", plain(by="self_draw", discards=0), 14, self_drawn=1, five_discards=10)
case("original_call: on a discard", closed(flags=["original_call"]), 19, concealed_hand=1, original_call=15)
case("original_call: drawn", closed("self_draw", flags=["original_call"]), 21, fully_concealed=3, original_call=15)
case(
    "original_call: robbing",
    closed("rob_kong", flags=["original_call"]),
    20,
    concealed_hand=1,
    original_call=15,
    robbing_the_kong=1,
)
case("heavenly_hand", closed("self_draw", flags=["heavenly"]), 46, fully_concealed=3, heavenly_hand=40)
case(
    "28: no tile is the winning tile, early win not beside it",
    position("123m345567p234888s1z", "1z", "self_draw", flags=["heavenly"], discards=0),
    46,
    fully_concealed=3,
    heavenly_hand=40,
)
case(
    "nine_discards not beside heavenly_hand",
    closed("self_draw", flags=["heavenly"], discards=7),
    46,
    fully_concealed=3,
    heavenly_hand=40,
)
case("33: heavenly on a discard is ignored", closed(flags=["heavenly"]), 4, concealed_hand=1)
case(
    "33: heavenly at its word",
    position(CLOSED_KONG, "4s", "self_draw", melds=KONG, flags=["heavenly", "original_call"], dealer=0, east=0),
    63,
    concealed_kong=2,
    fully_concealed=3,
    heavenly_hand=40,
    original_call=15,
)
case("earthly_hand", closed(flags=["earthly"], discards=1), 44, concealed_hand=1, earthly_hand=40)
case(
    "nine_discards not beside earthly_hand",
    closed(flags=["earthly"], discards=7),
    44,
    concealed_hand=1,
    earthly_hand=40,
)
case(
    "earthly_hand with original_call",
    closed(flags=["earthly", "original_call"], discards=1),
    59,
    concealed_hand=1,
    earthly_hand=40,
    original_call=15,
)
case(
    "33: earthly on a draw is ignored",
    closed("self_draw", flags=["earthly"], discards=1),
    16,
    fully_concealed=3,
    five_discards=10,
)
case(
    "33: earthly on a robbed kong is ignored",
    closed("rob_kong", flags=["earthly"]),
    5,
    concealed_hand=1,
    robbing_the_kong=1,
)
case("33: other flags are ignored", plain(flags=["ready", "migi", "human", "closed", "flower_wall", "kong_on_kong"]), 3)

# --- Seven pairs and a triplet (22) ---------------------------------------------------------------------------------

SIX_PAIRS = "1133m2244p6677s"
case(
    "seven_pairs: the triplet is won from another",
    position(SIX_PAIRS + "99s55z", "9s"),
    34,
    seven_pairs=30,
    concealed_hand=1,
)
case(
    "seven_pairs: self-drawn",
    position(SIX_PAIRS + "999s5z", "5z", "self_draw"),
    37,
    seven_pairs=30,
    fully_concealed=3,
    pair_wait=1,
)
case(
    "seven_pairs: pair wait",
    position(SIX_PAIRS + "999s5z", "5z"),
    35,
    seven_pairs=30,
    concealed_hand=1,
    pair_wait=1,
)
case(
    "22: four of a kind are two pairs",
    position("1111m2244p6677s999s5z", "5z"),
    35,
    seven_pairs=30,
    concealed_hand=1,
    pair_wait=1,
)
case(
    "22: the fourth of four in a pair",
    position("111m2244p6677s999s55z", "1m"),
    35,
    seven_pairs=30,
    concealed_hand=1,
    pair_wait=1,
)
case(
    "22: the triplet is an honor pung, pairs are none",
    position(SIX_PAIRS + "11z55z", "5z"),
    35,
    seven_pairs=30,
    concealed_hand=1,
    honor_pung=1,
)
case(
    "22: half flush, no wind award",
    position("133557799m1122333z", "1m"),
    46,
    seven_pairs=30,
    concealed_hand=1,
    half_flush=10,
    honor_pung=1,
    pair_wait=1,
)
case(
    "22: full flush, no flowers",
    position("1133557799p22p444p8p", "8p", flowers=""),
    77,
    seven_pairs=30,
    full_flush=40,
    no_honors_no_flowers=3,
    concealed_hand=1,
    pair_wait=1,
)
case(
    "23: dearer than its chows and its pung",
    position("112233m445566p7778s", "8s"),
    36,
    seven_pairs=30,
    concealed_hand=1,
    no_honors=1,
    pair_wait=1,
)
case(
    "seven_pairs: original call, heavenly",
    position(SIX_PAIRS + "999s5z", "5z", "self_draw", flags=["heavenly"]),
    76,
    seven_pairs=30,
    fully_concealed=3,
    heavenly_hand=40,
)
no_win("22: never triplet and single", position("1111m2244p336677s55z", "9s"))
no_win("22: no meld, not even a concealed kong", position("2244p6677s999s55z", "3z", melds="kong_concealed 1111m"))
no_win("22: two triplets are not a triplet and pairs", position("111m33m2244p6677s999s", "5z"))
no_win("no thirteen orphans", position("19m19p19s1234567z123m", "1m"))
no_win("no shape", plain("5s"))
no_win("no chow wraps around", position("345567p89s11z", "1s", melds=PLAIN_MELDS))

# --- Malformed positions --------------------------------------------------------------------------------------------

BAD: list[tuple[str, Position, str]] = [
    ("unknown rules", plain() | {"rules": "five-winds"}, "rules"),
    ("hand short of a tile", position("345567p23s1z", "4s", melds=PLAIN_MELDS), "hand"),
    ("hand with a flower", position("345567p23s1z1f", "4s", melds=PLAIN_MELDS), "hand"),
    ("hand without a letter", position("345567p23s11", "4s", melds=PLAIN_MELDS), "hand"),
    ("no such tile in hand", position("345567p23s18z", "4s", melds=PLAIN_MELDS), "hand"),
    ("five of a kind in hand", position("33333p67p23s1z", "4s", melds=PLAIN_MELDS), "hand"),
    ("no winning tile", plain(""), "win_tile"),
    ("two winning tiles", plain("44s"), "win_tile"),
    ("a flower as winning tile", plain("2f"), "win_tile"),
    ("winning on a fifth copy", position("1111z345567p", "1z", melds=PLAIN_MELDS), "win_tile"),
    ("robbing with a copy in hand", position("345567p24s11z", "4s", "rob_kong", melds=PLAIN_MELDS), "win_tile"),
    ("robbing with a copy in a meld", plain("4s", "rob_kong", melds="chow 234m, chow 456s"), "win_tile"),
    ("unknown meld", plain(melds="chow 234m, quad 8888s"), "melds"),
    ("a chow of honors", plain(melds="chow 123z, pung 888s"), "melds"),
    ("a pung of two kinds", plain(melds="chow 234m, pung 889s"), "melds"),
    ("a kong of three", plain(melds="chow 234m, kong_added 888s"), "melds"),
    ("five of a kind in melds", plain(melds="pung 888s, kong_exposed 8888s"), "melds"),
    ("won somehow", plain(by="luck"), "by"),
    ("a fifth seat", plain(seat=4), "seat"),
    ("no seat", {k: v for k, v in plain().items() if k != "seat"}, "seat"),
    ("a discard from nobody", {k: v for k, v in plain().items() if k != "from"}, "from"),
    ("a discard of one's own", plain() | {"from": 1}, "from"),
    ("a payer of a self-draw", plain(by="self_draw") | {"from": 2}, "from"),
    ("a flower twice", plain(flowers="1f1f"), "flowers"),
    ("no flower among the flowers", plain(flowers="1m"), "flowers"),
    ("unknown flag", plain(flags=["lucky"]), "flags"),
    ("flags as a text", plain(flags="earthly"), "flags"),
    ("discards below zero", plain(discards=-1), "discards"),
    ("discards as a text", plain(discards="5"), "discards"),
    ("unknown option", plain(options={"colour": 1}), "options"),
    ("unknown item", plain(options={"items": {"seven_dwarfs": 7}}), "options"),
    ("an item below zero", plain(options={"items": {"flower": -1}}), "options"),
]

# --- Rich positions -------------------------------------------------------------------------------------------------

FLAGS = (
    *("original_call", "original_call", "heavenly", "earthly", "last_tile"),
    *("replacement", "ready", "migi", "human", "closed", "flower_wall", "kong_on_kong"),
)
THEMES = (*COMMON_THEMES, "straight", "straight", "pairs", "pairs", "pairs", "runs", "great_honors")
SHARE_NOT_COMPLETE = 0.06


def _theme_slots(rng: Random, theme: str) -> list[tuple[str, Any]]:
    """The sets of a theme, the pair last: those of the Douque positions, and the ones that only matter here."""
    low = rng.randrange(3) * 9
    if theme == "straight":
        run = [("chow", (low + step,)) for step in (0, 3, 6)]
        others = [rng.choice((("chow", range(low, low + 7)), ("chow", CHOW_STARTS), ("pung", ANY))) for _ in range(2)]
        return [*run, *others, ("pair", ANY)]
    if theme == "runs":
        # Three equal or neighbouring runs: pungs and chows of the same tiles.
        start = low + rng.randrange(6)
        return [("chow", (start,))] * 3 + [("chow", (start, start + 1)), ("pung", ANY), ("pair", SUIT_TILES)]
    if theme == "great_honors":
        winds, dragons = rng.sample(range(27, 31), 4), rng.sample(range(31, 34), 3)
        n = rng.randint(1, 3)
        sets = [("pung", (kind,)) for kind in winds[:n] + dragons[: 5 - n]]
        return [*sets, *[("pung", ANY)] * (5 - len(sets)), ("pair", (winds[3], dragons[2], winds[n % 4]))]
    return _slots(rng, theme)


def _fill(rng: Random, slots: list[tuple[str, Any]]) -> tuple[list[tuple[str, int]], list[int]] | None:
    """Sets for the slots and the copies left of each kind; None where there is no room."""
    left = [4] * 34
    sets = []
    for shape, choices in slots:
        fitting = [
            kind for kind in choices if all(left[k] >= _kinds(shape, kind).count(k) for k in _kinds(shape, kind))
        ]
        if not fitting:
            return None
        kind = rng.choice(fitting)
        for k in _kinds(shape, kind):
            left[k] -= 1
        sets.append((shape, kind))
    return sets, left


def _pairs_hand(rng: Random) -> tuple[list[int], list[int]]:
    """A triplet and seven pairs, often of few kinds so that fours and other readings occur; and the copies left."""
    suit = rng.randrange(3) * 9
    kinds = list(rng.choice((ANY, ANY, range(suit, suit + 9), [*range(suit, suit + 9), *range(27, 34)])))
    rng.shuffle(kinds)
    left = [4] * 34
    hand = [kinds[0]] * 3
    left[kinds[0]] = 0  # the fourth of the triplet would be a single
    while len(hand) < 17:
        kind = rng.choice(kinds[1:])
        if left[kind] >= 2 and (left[kind] == 4 or rng.random() < 0.3 or len(kinds) < 10):
            left[kind] -= 2
            hand += [kind] * 2
    left[kinds[0]] = 1
    return hand, left


def rich_position(rng: Random) -> Position:
    """A random position, all but a few complete, made rich; valid, and clear of what the page leaves open."""
    theme = rng.choice(THEMES)
    melds: list[list[str]] = []
    if theme == "pairs":
        hand, left = _pairs_hand(rng)
    else:
        filled = None
        while filled is None:
            filled = _fill(rng, _theme_slots(rng, theme))
        sets, left = filled
        pair = sets.pop()
        rng.shuffle(sets)
        n_called = rng.choice((0, 0, 1, 2, 3, 4, 5))
        melds = [_call(rng, shape, kind, left) for shape, kind in sets[:n_called]]
        hand = [k for shape, kind in [*sets[n_called:], pair] for k in _kinds(shape, kind)]

    by, win_tile = rng.choice(("self_draw", "discard")), rng.choice(hand)
    robbable = [k for k in hand if left[k] == 3]  # the maker held the other three
    if robbable and rng.random() < 0.15:
        by, win_tile = "rob_kong", rng.choice(robbable)
    hand.remove(win_tile)
    if rng.random() < SHARE_NOT_COMPLETE:
        other = rng.choice([k for k in range(34) if left[k] and not (by == "rob_kong" and k == win_tile)])
        hand[rng.randrange(len(hand))] = other

    seat = rng.randrange(4)
    flowers = sorted(rng.sample(range(1, 9), rng.choice((0, 0, 0, 1, 1, 2, 3, 4, 7, 8))))
    built: Position = {
        "rules": "four-winds",
        "hand": _text(sorted(hand)),
        "melds": melds,
        "win_tile": NAMES[win_tile],
        "by": by,
        "seat": seat,
        "flowers": "".join(f"{flower}f" for flower in flowers),
        "flags": rng.sample(FLAGS, rng.choice((0, 0, 1, 1, 2, 3))),
    }
    built["flags"] = list(dict.fromkeys(built["flags"]))  # original_call is listed twice
    exposed = sum(kind != "kong_concealed" for kind, _ in melds)
    if exposed == 5 and "heavenly" in built["flags"]:
        built["flags"].remove("heavenly")  # whether a dealt hand may be a melded hand is nobody's question
    if by != "self_draw":
        built["from"] = (seat + rng.randint(1, 3)) % 4
    if rng.random() < 0.7:
        built["discards"] = rng.choice((1, 2, 4, 5, 6, 8, 9, 10, 11, 30, 60))
    if rng.random() < 0.5:
        east = rng.randrange(4)
        built |= {"dealer": east, "east": east, "streak": rng.randrange(4), "prevailing": NAMES[rng.randrange(27, 31)]}
        built["dice"] = [rng.randint(1, 6) for _ in range(3)]
    return built
