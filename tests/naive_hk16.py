"""The slow, obvious twin of the shapes and the scoring of `hk16`.

Owns: complete hands (special hands included), waits, the distance to a complete hand, the items of every reading
and `score_position`, each written straight from the rules page with plain lists and loops. Does not own the
grouping of Sheungs (`naive_hk16_sheungs`) nor the flow of a hand, and imports nothing of mjsim: the compiled
engine is compared with this file, so the two must share no code.

`(ruling N)` and `(row N)` name the rulings and the rows of the item table of the `hk16` page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from tests import naive, naive_flow
from tests.naive import DRAGONS, N_KINDS, WINDS, Meld, Set, is_honor, parse_meld, parse_tiles, rank_of, to_counts
from tests.naive_hk16_sheungs import Sheung, groupings, step_up_rows

# The item table, in its order, which breaks ties (ruling 41). A list holds the grades of a row, the lowest first.
VALUES: dict[str, Any] = {
    "mahjong": 5,
    "closed_hand": 5,
    "good_eyes": 2,
    "calling_by_pairs": 2,
    "true_single_wait": 2,
    "false_single_wait": 2,
    "dealer_wins": 1,
    "dealer_discarded": 1,
    "self_draw": 1,
    "concealed_discard": 5,
    "concealed_self_draw": 10,
    "flower_wall": 5,
    "last_man_standing": [15, 10],  # discard or robbed Gong, self-draw
    "seabed": 20,
    "within_seven": 50,
    "heavenly_hand": 100,
    "earthly_hand": 90,
    "flowers": 1,
    "seat_flower": 1,
    "no_flowers": 1,
    "no_flowers_honours": 5,
    "wind_pongs": 1,
    "seat_wind": 1,
    "round_wind": 1,
    "little_three_winds": 15,
    "big_three_winds": 30,
    "little_four_winds": 50,
    "big_four_winds": 60,
    "dragon_pongs": 2,
    "little_dragons": 20,
    "big_dragons": 40,
    "no_honours": 1,
    "concealed_pongs": [5, 15, 30, 80, 100],
    "sequential_pongs": [5, 15, 30, 60, 80],
    "sister_pongs": [5, 15],
    "four_in_ways": [5, 15, 20],
    "open_gongs": 1,
    "concealed_gongs": 2,
    "robbing_gong": 10,
    "gong_after_gong": 30,
    "pure_dragon_run": [15, 20],
    "mixed_dragon_run": [5, 10],
    "terminal_sheungs": [5, 15, 20],  # two, four of two suits, four of one suit
    "brother_sheungs": [5, 15, 25],
    "sister_sheungs": [3, 10, 25, 40],
    "step_up": 5,
    "all_step_up": 20,
    "no_terminals": 5,
    "terminals_only": [20, 40],  # with, without Honours
    "terminal_pongs": [5, 20],
    "two_suit": [5, 15],  # with, without Flowers
    "five_suit": 10,
    "semi_pure": 30,
    "pure_suit": 90,
    "pure_honour": 140,
    "all_sheung": [5, 15],
    "all_pong": 25,
    "dealer_streak": [3, 5],
    "nico_nico": [40, 50, 65],
    "thirteen_orphans": 90,
    "sixteen_orphans": 50,
    "orphans_terminals": 10,
    "chicken_hand": 20,
    "jade_hand": 20,
    "ruby_hand": 20,
    "diamond_hand": 20,
    "seven_flowers": [20, 22, 24, 26],
    "eight_flowers": 40,
}
ORDER = list(VALUES)

MINIMUM = {27: 20, 28: 22, 29: 24, 30: 26}  # by the round Wind (ruling 19)
ORPHANS = [k for k in range(N_KINDS) if is_honor(k) or rank_of(k) in (1, 9)]
HONOURS = list(range(27, 34))
# Three numbers of a suit, each at least 3 from the next (ruling 61).
SPREADS = [(a, b, c) for a, b, c in product(range(1, 10), repeat=3) if b - a >= 3 and c - b >= 3]
WHITE, GREEN, RED = 31, 32, 33
JEWELS = {"ruby_hand": (0, RED), "diamond_hand": (1, WHITE), "jade_hand": (2, GREEN)}

FLAGS = (
    *("ready", "migi", "replacement", "last_tile", "heavenly", "earthly", "human", "original_call"),
    *("closed", "flower_wall", "kong_on_kong"),
)
OPEN_GONGS = ("kong_exposed", "kong_added")
GONGS = (*OPEN_GONGS, "kong_concealed")

Rows = dict[str, int]


class Win(NamedTuple):
    """All that scores of a win beside the reading."""

    hand: tuple[int, ...]  # counts of the concealed tiles, the winning one included
    melds: tuple[Meld, ...]
    win_tile: int
    by: str
    seat: int
    payer: int | None
    dealer: int
    streak: int
    round_wind: int
    flowers: frozenset[int]
    flags: frozenset[str]
    discards: int | None
    values: Mapping[str, Any]

    @property
    def self_drawn(self) -> bool:
        return self.by == "self_draw"

    def tiles(self) -> list[int]:
        """Every tile of the hand and its melds, as kinds."""
        concealed = [kind for kind in range(N_KINDS) for _ in range(self.hand[kind])]
        return concealed + [kind for meld in self.melds for kind in meld.kinds()]


# --- Shapes -------------------------------------------------------------------------------------------------


def nico_pong(counts: Sequence[int]) -> int | None:
    """The kind of the Pong of a Nico Nico of these 17 tiles: seven pairs, four of a kind being two (ruling 58)."""
    if 1 in counts:
        return None
    pongs = [kind for kind in range(N_KINDS) if counts[kind] == 3]
    others_paired = all(counts[kind] in (0, 2, 3, 4) for kind in range(N_KINDS))
    return pongs[0] if sum(counts) == 17 and len(pongs) == 1 and others_paired else None


def thirteen_orphans_sets(counts: Sequence[int]) -> list[Set]:
    """The Pong or Sheung of every way to read 13 Orphans in these 17 tiles (ruling 60)."""
    if sum(counts) != 17 or not all(counts[kind] for kind in ORPHANS):
        return []
    rest = list(counts)
    for kind in ORPHANS:
        rest[kind] -= 1
    all_sets = [Set("pung", kind) for kind in range(N_KINDS)]
    all_sets += [Set("chow", kind) for kind in range(27) if rank_of(kind) <= 7]
    found = []
    for second in ORPHANS:
        for group in all_sets:
            if to_counts([second, *group.kinds()]) == rest:
                found.append(group)
    return found


def sixteen_orphans_pair(counts: Sequence[int]) -> int | None:
    """The kind held twice in 16 Orphans, None if these 17 tiles are not that (ruling 61)."""
    twice = [kind for kind in range(N_KINDS) if counts[kind] == 2]
    if sum(counts) != 17 or max(counts) > 2 or len(twice) != 1 or not all(counts[kind] for kind in HONOURS):
        return None
    for suit in range(3):
        numbers = tuple(number for number in range(1, 10) if counts[9 * suit + number - 1])
        if numbers not in SPREADS:
            return None
    return twice[0]


def is_special(counts: Sequence[int], closed: bool) -> bool:
    """A special hand of 17 concealed tiles; a closed hand is no Nico Nico and no 16 Orphans (ruling 25)."""
    if thirteen_orphans_sets(counts):
        return True
    return not closed and (nico_pong(counts) is not None or sixteen_orphans_pair(counts) is not None)


def is_complete(counts: Sequence[int], n_melds: int, closed: bool = False) -> bool:
    """Five sets and a pair, or a special hand."""
    if sum(counts) != 17 - 3 * n_melds or max(counts) > 4:
        return False
    return naive_flow.is_complete(list(counts)) or (n_melds == 0 and is_special(counts, closed))


def waits(counts: Sequence[int], n_melds: int, meld_counts: Sequence[int], closed: bool = False) -> list[int]:
    """Kinds that complete the 16 tiles, and of which hand and melds do not hold all four (ruling 42)."""
    # One tile mends one suit, so with two unfinished ones there is no standard wait. (Only to save time.)
    unfinished = sum(not (only or pair) for only, pair in naive_flow.groups_fit(list(counts)))
    if unfinished > 1 and n_melds:
        return []
    found = []
    for kind in range(N_KINDS):
        if counts[kind] + meld_counts[kind] < 4:
            with_it = list(counts)
            with_it[kind] += 1
            if is_special(with_it, closed) if unfinished > 1 else is_complete(with_it, n_melds, closed):
                found.append(kind)
    return found


def _most_kept_of_nico(counts: Sequence[int]) -> int:
    best = 0
    for pong in range(N_KINDS):
        pairs = []
        for kind in range(N_KINDS):
            if kind != pong:  # a pair beside the Pong of its kind would be a fifth copy
                pairs += [min(counts[kind], 2), min(max(counts[kind] - 2, 0), 2)]
        best = max(best, min(counts[pong], 3) + sum(sorted(pairs)[-7:]))
    return best


def _most_kept_of_thirteen(counts: Sequence[int]) -> int:
    best = 0
    all_sets = [[kind] * 3 for kind in range(N_KINDS)]
    all_sets += [[kind, kind + 1, kind + 2] for kind in range(27) if rank_of(kind) <= 7]
    for second in ORPHANS:
        for group in all_sets:
            target = to_counts([*ORPHANS, second, *group])
            if max(target) <= 4:
                best = max(best, sum(min(have, want) for have, want in zip(counts, target, strict=True)))
    return best


def _most_kept_of_sixteen(counts: Sequence[int]) -> int:
    best = 0
    for spreads in product(SPREADS, repeat=3):
        kinds = HONOURS + [9 * suit + number - 1 for suit in range(3) for number in spreads[suit]]
        kept = sum(counts[kind] >= 1 for kind in kinds)
        best = max(best, kept + any(counts[kind] >= 2 for kind in kinds))
    return best


def distance(counts: Sequence[int], n_melds: int, closed: bool = False) -> int:
    """The fewest tiles lacking to a complete hand: 0 complete, 1 waiting.

    `counts` are 16 or 17 less 3 per meld concealed tiles. As in `naive.shanten` a target holds no kind more than
    four times among its concealed tiles, and copies in the melds do not limit it.
    """
    lacking = [naive.shanten(counts, n_melds) + 1]
    if n_melds == 0:
        lacking.append(17 - _most_kept_of_thirteen(counts))
        if not closed:
            lacking.append(17 - _most_kept_of_nico(counts))
            lacking.append(17 - _most_kept_of_sixteen(counts))
    return min(lacking)


# --- Rows that hold in every reading ------------------------------------------------------------------------


def common_rows(win: Win, n_waits: int) -> Rows:
    """How the hand was won, by whom, its Flowers and its Gongs."""
    v, rows = win.values, {"mahjong": win.values["mahjong"]}
    from_another = not win.self_drawn
    seabed = win.self_drawn and "last_tile" in win.flags  # ruling 38
    if "closed" in win.flags:
        rows["closed_hand"] = v["closed_hand"]
    if n_waits == 1:
        rows["true_single_wait"] = v["true_single_wait"]
    if n_waits >= 3:
        rows["false_single_wait"] = v["false_single_wait"]
    if win.seat == win.dealer:
        rows["dealer_wins"] = v["dealer_wins"]
        if win.streak:
            rows["dealer_streak"] = v["dealer_streak"][win.streak - 1]  # ruling 28
    if from_another and win.payer == win.dealer:
        rows["dealer_discarded"] = v["dealer_discarded"]
    if win.self_drawn:
        rows["self_draw"] = v["self_draw"]
    if "flower_wall" in win.flags and not seabed:  # ruling 30
        rows["flower_wall"] = v["flower_wall"]
    if seabed:
        rows["seabed"] = v["seabed"]
    if win.discards is not None and win.discards <= 7:  # ruling 37
        rows["within_seven"] = v["within_seven"]
    if "heavenly" in win.flags:
        rows["heavenly_hand"] = v["heavenly_hand"]
    if "earthly" in win.flags:
        rows["earthly_hand"] = v["earthly_hand"]
    if win.by == "rob_kong":
        rows["robbing_gong"] = v["robbing_gong"]
    if "kong_on_kong" in win.flags:
        rows["gong_after_gong"] = v["gong_after_gong"]
    if win.flowers:
        rows["flowers"] = len(win.flowers) * v["flowers"]
    seat_number = (win.seat - win.dealer) % 4
    rows["seat_flower"] = sum(flower % 4 == (34 + seat_number) % 4 for flower in win.flowers) * v["seat_flower"]
    rows["open_gongs"] = sum(meld.meld in OPEN_GONGS for meld in win.melds) * v["open_gongs"]
    rows["concealed_gongs"] = sum(meld.meld == "kong_concealed" for meld in win.melds) * v["concealed_gongs"]
    return rows


def concealed_rows(win: Win) -> Rows:
    """Rows 10, 11 and 13: melds that are Gongs only, and five exposed melds (rulings 30 and 33: both may hold)."""
    rows = {}
    if all(meld.meld in GONGS for meld in win.melds):
        item = "concealed_self_draw" if win.self_drawn else "concealed_discard"
        rows[item] = win.values[item]
    if len(win.melds) == 5 and all(meld.meld != "kong_concealed" for meld in win.melds):
        rows["last_man_standing"] = win.values["last_man_standing"][1 if win.self_drawn else 0]
    return rows


def suit_rows(win: Win, all_sheung: bool) -> Rows:
    """Suits, Honours and Flowers: rows 20, 21, 32, 48 and 51-56, which look at tiles and not at sets."""
    v, rows = win.values, {}
    tiles = win.tiles()
    suits = {kind // 9 for kind in tiles if not is_honor(kind)}
    has_honours = any(is_honor(kind) for kind in tiles)
    no_flowers = not win.flowers
    no_terminals = all(kind not in ORPHANS for kind in tiles)
    two_suit = len(suits) == 2 and not has_honours
    if no_terminals:
        rows["no_terminals"] = v["no_terminals"]
    if two_suit:
        rows["two_suit"] = v["two_suit"][1 if no_flowers else 0]
    if len(suits) == 3 and any(k in WINDS for k in tiles) and any(k in DRAGONS for k in tiles):
        rows["five_suit"] = v["five_suit"]
    if len(suits) == 1:
        item = "semi_pure" if has_honours else "pure_suit"
        rows[item] = v[item]
    if not suits:
        rows["pure_honour"] = v["pure_honour"]
    if all_sheung:
        rows["all_sheung"] = v["all_sheung"][1 if no_flowers and not has_honours else 0]
    # Ruling 31.
    if no_flowers and not has_honours:
        if not two_suit and not all_sheung:
            rows["no_flowers_honours"] = v["no_flowers_honours"]
    elif no_flowers:
        rows["no_flowers"] = v["no_flowers"]
    elif not has_honours and not no_terminals:
        rows["no_honours"] = v["no_honours"]
    return rows


def honour_pong_rows(win: Win, pongs: Sequence[int], pair: int | None) -> Rows:
    """Rows 22-31; `pair` is None in a special hand, where only the Pong itself scores (rulings 58 and 60)."""
    v, rows = win.values, {}
    n_winds = sum(kind in WINDS for kind in pongs)
    n_dragons = sum(kind in DRAGONS for kind in pongs)
    rows["wind_pongs"] = n_winds * v["wind_pongs"]
    rows["dragon_pongs"] = n_dragons * v["dragon_pongs"]
    if WINDS[(win.seat - win.dealer) % 4] in pongs:
        rows["seat_wind"] = v["seat_wind"]
    if win.round_wind in pongs:
        rows["round_wind"] = v["round_wind"]
    # Ruling 30: of each family the highest alone.
    for holds, item in (
        (n_winds == 4, "big_four_winds"),
        (n_winds == 3 and pair in WINDS, "little_four_winds"),
        (n_winds == 3, "big_three_winds"),
        (n_winds == 2 and pair in WINDS, "little_three_winds"),
    ):
        if holds:
            rows[item] = v[item]
            break
    if n_dragons == 3:
        rows["big_dragons"] = v["big_dragons"]
    if n_dragons == 2 and pair in DRAGONS:
        rows["little_dragons"] = v["little_dragons"]
    return rows


def jewel_rows(win: Win, pongs: Sequence[int]) -> Rows:
    """Rows 64-66: one suit and the Pong of its Dragon, no other Honour (ruling 45)."""
    rows = {}
    tiles = win.tiles()
    for item, (suit, dragon) in JEWELS.items():
        nothing_else = all(kind == dragon or kind // 9 == suit for kind in tiles)
        if dragon in pongs and nothing_else and any(kind // 9 == suit for kind in tiles):
            rows[item] = win.values[item]
    return rows


def terminals_only_rows(win: Win, sets: Sequence[Sequence[int]], pairs: Sequence[int]) -> Rows:
    """Row 49 (ruling 57); `sets` are the tiles of each set, `pairs` the kinds of the pairs."""
    suited = [group for group in sets if not is_honor(group[0])]
    if not suited or not all(any(kind in ORPHANS for kind in group) for group in suited):
        return {}
    if not all(pair in ORPHANS for pair in pairs):
        return {}
    has_honours = any(is_honor(kind) for kind in win.tiles())
    return {"terminals_only": win.values["terminals_only"][0 if has_honours else 1]}


# --- Rows of a standard reading -----------------------------------------------------------------------------


def pong_rows(win: Win, pongs: Sequence[int], n_concealed: int, pair: int) -> Rows:
    """Rows 33-35, 50 and 57; `n_concealed` Pongs are concealed in the sense of ruling 35."""
    v, rows = win.values, {}
    if n_concealed >= 2:
        grade = n_concealed - 2
        open_gong = any(meld.meld in OPEN_GONGS for meld in win.melds)
        if n_concealed == 5 and win.self_drawn and not open_gong:
            grade = 4  # ruling 36
        rows["concealed_pongs"] = v["concealed_pongs"][grade]

    sequential = 0
    for suit in range(3):
        numbers = {rank_of(kind) for kind in pongs if kind // 9 == suit}
        for low in numbers:
            if low - 1 in numbers:
                continue
            length = next(n for n in range(1, 11) if low + n not in numbers)
            if length == 5:
                beside = (9 * suit + low - 2, 9 * suit + low + 4)  # the kinds below and above the run
                next_to_it = pair in beside and pair // 9 == suit
                sequential += v["sequential_pongs"][4 if next_to_it else 3]
            elif length >= 2:
                sequential += v["sequential_pongs"][length - 2]
    rows["sequential_pongs"] = sequential

    sisters = 0
    for number in range(1, 10):
        n_suits = sum(not is_honor(kind) and rank_of(kind) == number for kind in pongs)
        if n_suits >= 2:
            sisters += v["sister_pongs"][n_suits - 2]
    rows["sister_pongs"] = sisters

    n_suits = sum(9 * suit in pongs and 9 * suit + 8 in pongs for suit in range(3))
    if n_suits:
        rows["terminal_pongs"] = v["terminal_pongs"][n_suits - 1]
    if len(pongs) == 5:
        rows["all_pong"] = v["all_pong"]
    return rows


def four_in_ways(win: Win, groups: Sequence[Sequence[int]]) -> int:
    """Row 36: each kind with four copies, not as a Gong, by the number of sets and pair with it (ruling 48)."""
    points = 0
    tiles = win.tiles()
    for kind in range(N_KINDS):
        holders = sum(kind in group for group in groups)
        if tiles.count(kind) == 4 and holders >= 2:
            points += win.values["four_in_ways"][holders - 2]
    return points


def standard_readings(win: Win, the_waits: Sequence[int], common: Rows) -> Iterator[Rows]:
    """The items of every split, place of the winning tile and grouping (ruling 40), `chicken_hand` left out."""
    for split in naive.splits(win.hand):
        for place, completed in enumerate(split):
            if win.win_tile in completed.kinds():
                rows, sheungs = reading_rows(win, split, place, the_waits)
                for grouping in groupings(sheungs, win.values):
                    yield {**common, **rows, **grouping}


def reading_rows(win: Win, split: Sequence[Set], place: int, the_waits: Sequence[int]) -> tuple[Rows, list[Sheung]]:
    """The rows of one split and place but for the grouping, and the Sheungs to group."""
    completed = split[place]
    pair = next(group.kind for group in split if group.shape == "pair")
    pongs = [meld.kind for meld in win.melds if meld.meld != "chow"]
    n_concealed = sum(meld.meld in GONGS for meld in win.melds)
    sheungs = [Sheung(m.kind // 9, rank_of(m.kind), False) for m in win.melds if m.meld == "chow"]
    for i, group in enumerate(split):
        by_another = i == place and not win.self_drawn  # ruling 35
        if group.shape == "pung":
            pongs.append(group.kind)
            n_concealed += not by_another
        elif group.shape == "chow":
            sheungs.append(Sheung(group.kind // 9, rank_of(group.kind), not by_another))

    sets = [group.kinds() for group in split if group.shape != "pair"] + [meld.kinds() for meld in win.melds]
    rows: Rows = {}
    rows.update(concealed_rows(win))
    rows.update(suit_rows(win, all_sheung=len(sheungs) == 5))
    rows.update(honour_pong_rows(win, pongs, pair))
    rows.update(jewel_rows(win, pongs))
    rows.update(terminals_only_rows(win, sets, [pair]))
    rows.update(pong_rows(win, pongs, n_concealed, pair))
    rows.update(step_up_rows(sheungs, win.values))
    rows["four_in_ways"] = four_in_ways(win, [*sets, [pair, pair]])
    if not is_honor(pair) and rank_of(pair) in (2, 5, 8):
        rows["good_eyes"] = win.values["good_eyes"]
    if completed.shape == "pung" and pair in the_waits and len(pongs) < 5:  # rulings 30 and 43
        rows["calling_by_pairs"] = win.values["calling_by_pairs"]
    return rows, sheungs


# --- Special hands ------------------------------------------------------------------------------------------


def nico_readings(win: Win, common: Rows) -> Iterator[Rows]:
    """Seven pairs and a Pong (rulings 25, 58 and 59)."""
    pong = nico_pong(win.hand)
    if win.melds or pong is None or "closed" in win.flags:
        return
    fours = sum(count == 4 for count in win.hand)
    pairs = [kind for kind in range(N_KINDS) if win.hand[kind] in (2, 4)]
    rows = {**common, "nico_nico": win.values["nico_nico"][min(fours, 2)]}
    rows.update(suit_rows(win, all_sheung=False))
    rows.update(honour_pong_rows(win, [pong], None))
    rows.update(jewel_rows(win, [pong]))
    rows.update(terminals_only_rows(win, [[pong] * 3], pairs))
    if not is_honor(win.win_tile) and rank_of(win.win_tile) in (2, 5, 8):
        rows["good_eyes"] = win.values["good_eyes"]
    yield rows


def thirteen_readings(win: Win, common: Rows) -> Iterator[Rows]:
    """13 Orphans (ruling 60)."""
    if win.melds:
        return
    for group in thirteen_orphans_sets(win.hand):
        rows = {**common, "thirteen_orphans": win.values["thirteen_orphans"]}
        rows.update(concealed_rows(win))
        rows.update(suit_rows(win, all_sheung=False))
        if group.shape == "pung":
            rows.update(honour_pong_rows(win, [group.kind], None))
        yield rows


def sixteen_readings(win: Win, common: Rows) -> Iterator[Rows]:
    """16 Orphans (rulings 25 and 61)."""
    pair = sixteen_orphans_pair(win.hand)
    if win.melds or pair is None or "closed" in win.flags:
        return
    rows = {**common, "sixteen_orphans": win.values["sixteen_orphans"]}
    rows.update(concealed_rows(win))
    rows.update(suit_rows(win, all_sheung=False))
    if all(win.hand[9 * suit] and win.hand[9 * suit + 8] for suit in range(3)):
        rows["orphans_terminals"] = win.values["orphans_terminals"]
    if not is_honor(pair) and rank_of(pair) in (2, 5, 8):
        rows["good_eyes"] = win.values["good_eyes"]
    yield rows


# --- The best reading ---------------------------------------------------------------------------------------


def all_readings(win: Win) -> list[Rows]:
    """The items of every reading, rows of 0 points and `chicken_hand` left out; empty if not complete."""
    before = list(win.hand)
    before[win.win_tile] -= 1
    meld_counts = to_counts([kind for meld in win.melds for kind in meld.kinds()])
    the_waits = waits(before, len(win.melds), meld_counts, "closed" in win.flags)
    common = common_rows(win, len(the_waits))
    readings = [
        *standard_readings(win, the_waits, common),
        *nico_readings(win, common),
        *thirteen_readings(win, common),
        *sixteen_readings(win, common),
    ]
    return [{item: points for item, points in rows.items() if points} for rows in readings]


def best_rows(win: Win) -> Rows | None:
    """The items of the reading that counts (rulings 40, 41 and 44), None if the hand is not complete."""
    readings = all_readings(win)
    if not readings:
        return None

    def worth(rows: Rows) -> tuple[int, list[int]]:
        return sum(rows.values()), [rows.get(item, 0) for item in ORDER]

    best = max(readings, key=worth)
    if sum(best.values()) - best.get("mahjong", 0) == 1 and win.values["chicken_hand"]:
        best = {**best, "chicken_hand": win.values["chicken_hand"]}
    return best


# --- Payments -----------------------------------------------------------------------------------------------


def payments(winner: int, payer: int | None, points: int, dealer: int) -> list[int]:
    """Score change of each seat for a win (ruling 20); `payer` pays alone, None: each other seat pays."""
    change = [0, 0, 0, 0]
    for seat in range(4):
        if seat != winner and payer in (None, seat):
            share = points + (1 if payer is None and seat == dealer else 0)
            change[seat] -= share
            change[winner] += share
    return change


# --- Position to score --------------------------------------------------------------------------------------


def _values(position: Mapping[str, Any]) -> dict[str, Any]:
    """`VALUES` with those of `options["items"]`: a number, a list for a row of grades; 0 switches a row off."""
    options = position.get("options", {})
    if not isinstance(options, Mapping) or set(options) - {"items"}:
        raise ValueError(f"options: expected an object with items at most, got {options!r}")
    given = options.get("items", {})
    if not isinstance(given, Mapping):
        raise ValueError(f"options: items is no object: {given!r}")
    values = dict(VALUES)
    for item, value in given.items():
        if item not in VALUES:
            raise ValueError(f"options: there is no item {item!r}")
        grades = VALUES[item]
        if isinstance(grades, list):
            value = [0] * len(grades) if value == 0 else value
            good = isinstance(value, list) and len(value) == len(grades) and all(type(n) is int for n in value)
        else:
            good = type(value) is int
        if not good:
            raise ValueError(f"options: {item} cannot be {value!r}")
        values[item] = value
    return values


def _flags(position: Mapping[str, Any], by: str, melds: Sequence[Meld], discards: int | None) -> frozenset[str]:
    """The flags, refused where ruling 39 says so; those that it does not name are kept and never looked at."""
    given = position.get("flags", [])
    if not isinstance(given, (list, tuple)) or not all(isinstance(flag, str) for flag in given):
        raise ValueError(f"flags: expected a list of texts, got {given!r}")
    flags = frozenset(given)
    seat, dealer = position["seat"], position["dealer"]

    def refuse(reason: str) -> None:
        raise ValueError(f"flags: {reason}")

    for flag in given:
        if flag not in FLAGS:
            refuse(f"there is no flag {flag!r}")
    if by != "self_draw" and flags & {"flower_wall", "kong_on_kong"}:
        refuse("a tile of the wall, yet no self-draw")
    if "kong_on_kong" in flags and sum(meld.meld in GONGS for meld in melds) < 2:
        refuse("kong_on_kong with fewer than two Gongs")
    if "heavenly" in flags and (by != "self_draw" or seat != dealer or melds or discards not in (None, 0)):
        refuse("heavenly but for the dealer's dealt hand")
    if "earthly" in flags:
        from_dealer = by == "discard" and position["from"] == dealer
        if not from_dealer or melds or discards not in (None, 1):
            refuse("earthly but for the dealer's first discard")
    if "closed" in flags and len(melds) == 5 and all(meld.meld != "kong_concealed" for meld in melds):
        refuse("closed with five exposed melds")
    return flags


def _hand(position: Mapping[str, Any], by: str) -> tuple[list[int], list[Meld], int]:
    """Concealed tiles, melds and winning tile, with no fifth copy of a kind."""
    given_melds = position.get("melds", [])
    if not isinstance(given_melds, (list, tuple)) or len(given_melds) > 5:
        raise ValueError(f"melds: expected a list of at most five, got {given_melds!r}")
    melds = [parse_meld(entry) for entry in given_melds]
    hand = parse_tiles(position.get("hand"), "hand")  # type: ignore[arg-type]
    if any(kind >= N_KINDS for kind in hand):
        raise ValueError("hand: a Flower is never in hand")
    if len(hand) != 16 - 3 * len(melds):
        raise ValueError(f"hand: {len(hand)} tiles, expected {16 - 3 * len(melds)} beside {len(melds)} melds")
    win_tiles = parse_tiles(position.get("win_tile"), "win_tile")  # type: ignore[arg-type]
    if len(win_tiles) != 1 or win_tiles[0] >= N_KINDS:
        raise ValueError(f"win_tile: expected one tile, no Flower, got {position.get('win_tile')!r}")
    win_tile = win_tiles[0]
    owned = to_counts(hand + [kind for meld in melds for kind in meld.kinds()])
    for kind in range(N_KINDS):
        if owned[kind] > 4:
            raise ValueError(f"{'hand' if kind in hand else 'melds'}: {owned[kind]} copies of a kind")
    if owned[win_tile] == 4:
        raise ValueError("win_tile: a fifth copy")
    if by == "rob_kong" and owned[win_tile]:
        raise ValueError("win_tile: of a robbed Gong, yet a copy in hand or melds")
    return hand, melds, win_tile


def _table(position: Mapping[str, Any], by: str) -> tuple[int, int, int, int | None, int]:
    """Seat, dealer, streak, payer and round Wind."""
    seat = naive._whole_number(position, "seat", 0, 3)
    dealer = naive._whole_number(position, "dealer", 0, 3)
    if naive._whole_number(position, "east", 0, 3) != dealer:  # ruling 1
        raise ValueError(f"east: the dealer {dealer} is East, got {position['east']!r}")
    streak = naive._whole_number(position, "streak", 0, 2, default=0)  # ruling 4
    payer = None
    if by == "self_draw":
        if position.get("from") is not None:
            raise ValueError("from: absent on a self-draw")
    else:
        payer = naive._whole_number(position, "from", 0, 3)
        if payer == seat:
            raise ValueError("from: the winner does not pay")
    prevailing = parse_tiles(position.get("prevailing"), "prevailing")  # type: ignore[arg-type]
    if len(prevailing) != 1 or prevailing[0] not in WINDS:
        raise ValueError(f"prevailing: expected 1z-4z, got {position.get('prevailing')!r}")
    return seat, dealer, streak, payer, prevailing[0]


def win_of(position: Mapping[str, Any]) -> Win:
    """The position, checked; ValueError names the field first."""
    if not isinstance(position, Mapping):
        raise ValueError(f"position: expected an object, got {position!r}")
    if position.get("rules") != "hk16":
        raise ValueError(f"rules: expected hk16, got {position.get('rules')!r}")
    values = _values(position)
    by = position.get("by")
    if by not in ("self_draw", "discard", "rob_kong"):
        raise ValueError(f"by: expected self_draw, discard or rob_kong, got {by!r}")
    hand, melds, win_tile = _hand(position, by)
    seat, dealer, streak, payer, round_wind = _table(position, by)
    flowers = parse_tiles(position.get("flowers", ""), "flowers")
    if any(kind < N_KINDS for kind in flowers):
        raise ValueError(f"flowers: not all are Flowers in {position['flowers']!r}")
    if len(set(flowers)) != len(flowers):
        raise ValueError(f"flowers: one twice in {position['flowers']!r}")
    dice = position.get("dice")
    if dice is not None and not (
        isinstance(dice, (list, tuple)) and len(dice) == 3 and all(type(die) is int and 1 <= die <= 6 for die in dice)
    ):
        raise ValueError(f"dice: expected three numbers 1-6, got {dice!r}")
    discards = position.get("discards")
    if discards is not None:
        discards = naive._whole_number(position, "discards", 0, 144)
        if discards == 0 and by == "discard":
            raise ValueError("discards: 0, yet won on a discard")
    return Win(
        hand=tuple(to_counts([*hand, win_tile])),
        melds=tuple(melds),
        win_tile=win_tile,
        by=by,
        seat=seat,
        payer=payer,
        dealer=dealer,
        streak=streak,
        round_wind=round_wind,
        flowers=frozenset(flowers),
        flags=_flags(position, by, melds, discards),
        discards=discards,
        values=values,
    )


def score_position(position: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a "Position to score" of the formats page, for `hk16`.

    Returns `{"win": True, "items", "tai", "payments"}`, `{"win": False, "reason": "shape"}`, or
    `{"win": False, "reason": "minimum", "items", "tai"}`. A malformed position raises ValueError, its text
    starting with the field's name.
    """
    win = win_of(position)
    rows = best_rows(win)
    if rows is None:
        return {"win": False, "reason": "shape"}
    points = sum(rows.values())
    listed = [[item, rows[item]] for item in sorted(rows)]
    if points < MINIMUM[win.round_wind]:
        return {"win": False, "reason": "minimum", "items": listed, "tai": points}
    paid = payments(win.seat, win.payer, points, win.dealer)
    return {"win": True, "items": listed, "tai": points, "payments": paid}
