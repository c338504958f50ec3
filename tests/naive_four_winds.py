"""The slow, obvious twin of the shape and scoring kernels, for `four-winds`.

Owns: complete hands of both structures, their waits and distance, and `score_position`, each written straight from the
rules page with plain lists and loops. Does not own the flow of a hand, and imports nothing of mjsim: the compiled
engine is compared with this file, so the two must share no code. Notation and plain splits are those of `tests.naive`.

`(ruling N)` names a ruling of the `four-winds` page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests import naive
from tests.naive import DRAGONS, N_KINDS, WINDS, Meld, Set, is_honor

RULES = "four-winds"

#: Tai of every item, in the order of the page's table: the order decides between equal totals (ruling 23).
VALUES: dict[str, int] = {
    "winning_hand": 2,
    "flower": 1,
    "no_flowers": 1,
    "honor_pung": 1,
    "exposed_kong": 1,
    "concealed_kong": 2,
    "straight": 5,
    "concealed_straight": 10,
    "two_concealed_pungs": 2,
    "three_concealed_pungs": 5,
    "four_concealed_pungs": 15,
    "five_concealed_pungs": 40,
    "little_three_dragons": 15,
    "big_three_dragons": 30,
    "little_three_winds": 5,
    "big_three_winds": 15,
    "little_four_winds": 30,
    "big_four_winds": 40,
    "melded_hand": 10,
    "concealed_hand": 1,
    "fully_concealed": 3,
    "self_drawn": 1,
    "all_chows": 3,
    "all_chows_no_honors_no_flowers": 10,
    "all_pungs": 10,
    "no_honors": 1,
    "no_honors_no_flowers": 3,
    "half_flush": 10,
    "full_flush": 40,
    "edge_closed_wait": 1,
    "pair_wait": 1,
    "last_tile_draw": 1,
    "robbing_the_kong": 1,
    "five_discards": 10,
    "nine_discards": 5,
    "original_call": 15,
    "seven_pairs": 30,
    "heavenly_hand": 40,
    "earthly_hand": 40,
    "eight_immortals": 30,
    "seven_robs_one": 20,
}

#: What is not scored beside an item; the honor pungs of a wind or dragon award are counted out where they are counted.
NOT_BESIDE: dict[str, tuple[str, ...]] = {
    "no_honors_no_flowers": ("no_honors", "no_flowers"),
    "all_chows_no_honors_no_flowers": ("all_chows", "no_honors_no_flowers", "no_honors", "no_flowers"),
    "fully_concealed": ("concealed_hand", "self_drawn"),
    "melded_hand": ("pair_wait",),
    "heavenly_hand": ("five_discards", "nine_discards"),
    "earthly_hand": ("five_discards", "nine_discards"),
    "full_flush": ("half_flush",),
    "concealed_straight": ("straight",),
}
WIND_AWARDS = ("little_three_winds", "big_three_winds", "little_four_winds", "big_four_winds")
DRAGON_AWARDS = ("little_three_dragons", "big_three_dragons")

#: Every flag of the formats page; those that are not in `FLAG_FITS` are ignored (ruling 33).
FLAGS = (
    *("ready", "migi", "replacement", "last_tile", "heavenly", "earthly", "human"),
    *("original_call", "closed", "flower_wall", "kong_on_kong"),
)
FLAG_FITS: dict[str, tuple[str, ...]] = {
    "original_call": ("self_draw", "discard", "rob_kong"),
    "heavenly": ("self_draw",),
    "last_tile": ("self_draw",),
    "earthly": ("discard",),
}


# --- Shapes ---------------------------------------------------------------------------------------------------------


def seven_pairs_split(counts: Sequence[int], n_melds: int) -> tuple[Set, ...] | None:
    """The triplet and seven pairs of 17 tiles without any meld, None where they are not that (ruling 22).

    Four of a kind are two pairs, so the triplet is the one kind held three times.
    """
    if n_melds or sum(counts) != 17:
        return None
    triplets = [kind for kind in range(N_KINDS) if counts[kind] == 3]
    pairs = [kind for kind in range(N_KINDS) for _ in range(counts[kind] // 2) if counts[kind] in (2, 4)]
    if len(triplets) != 1 or len(pairs) != 7:
        return None
    return (Set("pung", triplets[0]), *(Set("pair", kind) for kind in pairs))


def is_complete(counts: Sequence[int], n_melds: int) -> bool:
    """Five sets and a pair, `n_melds` of the five being called, or seven pairs and a triplet."""
    return naive.is_complete(counts, n_melds) or seven_pairs_split(counts, n_melds) is not None


def waits(counts: Sequence[int], n_melds: int, meld_counts: Sequence[int]) -> list[int]:
    """Kinds that complete the hand in either structure, of which not all four are held (ruling 21)."""
    found = []
    for kind in range(N_KINDS):
        if counts[kind] + meld_counts[kind] < 4:
            with_it = list(counts)
            with_it[kind] += 1
            if is_complete(with_it, n_melds):
                found.append(kind)
    return found


def seven_pairs_distance(counts: Sequence[int]) -> int:
    """Tiles lacking to a triplet and seven pairs, of 16 or 17 tiles without melds.

    For each kind as the triplet: any other kind offers one pair, and a second one, worth no more than the first; the
    seven that keep most tiles are taken.
    """
    best = 17
    for triplet in range(N_KINDS):
        kept = []
        for kind in range(N_KINDS):
            if kind != triplet:
                kept += [min(2, counts[kind]), min(2, max(0, counts[kind] - 2))]
        best = min(best, 17 - min(3, counts[triplet]) - sum(sorted(kept)[-7:]))
    return best


def distance(counts: Sequence[int], n_melds: int) -> int:
    """The fewest tiles lacking to any complete hand: 0 complete, 1 waiting (for a tile that need not be left).

    `counts` are 16 or 17 less 3 per meld concealed tiles; as in `naive.shanten` a target has no kind more than four
    times, and copies in the melds do not limit it.
    """
    regular = naive.shanten(counts, n_melds) + 1
    return min(regular, seven_pairs_distance(counts)) if n_melds == 0 else regular


# --- Items ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Win:
    """A complete hand and how it was won. `counts`: the concealed tiles with the winning one."""

    counts: tuple[int, ...]
    melds: tuple[Meld, ...]
    win_tile: int
    by: str
    flowers: frozenset[int]
    flags: frozenset[str]  # only those that fit `by` (ruling 33)
    discards: int | None


@dataclass(frozen=True)
class Reading:
    """One split of a win; `place` is the set that holds the winning tile, None if no tile is it (ruling 28)."""

    win: Win
    split: tuple[Set, ...]
    place: int | None

    def is_seven_pairs(self) -> bool:
        return sum(group.shape == "pair" for group in self.split) == 7

    def from_another(self) -> bool:
        """A robbed kong's tile counts as another player's tile (ruling 12)."""
        return self.win.by != "self_draw"

    def exposed_melds(self) -> list[Meld]:
        """A concealed kong exposes nothing (ruling 26)."""
        return [meld for meld in self.win.melds if meld.meld != "kong_concealed"]

    def tiles(self) -> list[int]:
        sets = [*self.split, *self.win.melds]
        return [kind for one in sets for kind in one.kinds()]

    def chows(self, *, concealed_only: bool = False) -> list[int]:
        """The lowest kinds of the chows (rulings 22 and 25)."""
        inside = [
            group.kind
            for i, group in enumerate(self.split)
            if group.shape == "chow" and not (concealed_only and self.from_another() and i == self.place)
        ]
        called = [meld.kind for meld in self.win.melds if meld.meld == "chow"]
        return inside if concealed_only else inside + called

    def pungs(self) -> list[int]:
        """The kinds of the pungs and kongs, the triplet of seven pairs among them."""
        return [group.kind for group in self.split if group.shape == "pung"] + [
            meld.kind for meld in self.win.melds if meld.meld != "chow"
        ]

    def n_concealed_pungs(self) -> int:
        """Three in hand that another player's tile did not complete, or a concealed kong (ruling 24)."""
        n = sum(meld.meld == "kong_concealed" for meld in self.win.melds)
        for i, group in enumerate(self.split):
            if group.shape == "pung" and not (self.from_another() and i == self.place):
                n += 1
        return n


def winning_items(reading: Reading) -> Iterator[tuple[str, int]]:
    """Items of how the hand was won, each with how often it counts."""
    win = reading.win
    exposed = len(reading.exposed_melds())
    yield "winning_hand", 1
    yield "melded_hand", int(exposed == 5)  # the pair is all that is left to win on
    yield "concealed_hand", int(exposed == 0 and reading.from_another())
    yield "fully_concealed", int(exposed == 0 and not reading.from_another())
    yield "self_drawn", int(exposed > 0 and not reading.from_another())
    if reading.place is not None:
        shape = naive.wait_shape(reading.split[reading.place], win.win_tile)
        yield "edge_closed_wait", int(shape in ("edge", "closed"))
        yield "pair_wait", int(shape == "pair")
    yield "last_tile_draw", int("last_tile" in win.flags)
    yield "robbing_the_kong", int(win.by == "rob_kong")
    yield "five_discards", int(win.discards is not None and win.discards <= 5)
    yield "nine_discards", int(win.discards is not None and 6 <= win.discards <= 9)
    yield "original_call", int("original_call" in win.flags)
    yield "heavenly_hand", int("heavenly" in win.flags)
    yield "earthly_hand", int("earthly" in win.flags)
    yield "seven_pairs", int(reading.is_seven_pairs())


def tile_items(reading: Reading) -> Iterator[tuple[str, int]]:
    """Items of flowers, kongs, suits and honors as tiles."""
    win, tiles = reading.win, reading.tiles()
    suits = {kind // 9 for kind in tiles if not is_honor(kind)}
    honors = any(is_honor(kind) for kind in tiles)
    yield "flower", len(win.flowers)
    yield "no_flowers", int(not win.flowers)
    yield "exposed_kong", sum(meld.meld in ("kong_exposed", "kong_added") for meld in win.melds)
    yield "concealed_kong", sum(meld.meld == "kong_concealed" for meld in win.melds)
    yield "no_honors", int(not honors)
    yield "no_honors_no_flowers", int(not honors and not win.flowers)
    yield "half_flush", int(len(suits) == 1 and honors)
    yield "full_flush", int(len(suits) == 1 and not honors)


def set_items(reading: Reading) -> Iterator[tuple[str, int]]:
    """Items of chows and pungs; of these seven pairs have none (ruling 22)."""
    if reading.is_seven_pairs():
        return
    win = reading.win
    chows, pungs = reading.chows(), reading.pungs()
    five_chows = len(chows) == 5
    honors = any(is_honor(kind) for kind in reading.tiles())
    yield "all_chows", int(five_chows)
    yield "all_chows_no_honors_no_flowers", int(five_chows and not honors and not win.flowers)
    yield "all_pungs", int(len(pungs) == 5)

    runs = [{low, low + 3, low + 6} for low in (0, 9, 18)]
    yield "straight", int(any(run <= set(chows) for run in runs))
    yield "concealed_straight", int(any(run <= set(reading.chows(concealed_only=True)) for run in runs))

    n_concealed = reading.n_concealed_pungs()
    for n, word in ((2, "two"), (3, "three"), (4, "four"), (5, "five")):
        yield f"{word}_concealed_pungs", int(n_concealed == n)

    pair = next(group.kind for group in reading.split if group.shape == "pair")
    n_dragons = sum(kind in DRAGONS for kind in pungs)
    n_winds = sum(kind in WINDS for kind in pungs)
    yield "little_three_dragons", int(n_dragons == 2 and pair in DRAGONS)
    yield "big_three_dragons", int(n_dragons == 3)
    yield "little_three_winds", int(n_winds == 2 and pair in WINDS)
    yield "big_three_winds", int(n_winds == 3 and pair not in WINDS)
    yield "little_four_winds", int(n_winds == 3 and pair in WINDS)
    yield "big_four_winds", int(n_winds == 4)


def items_of_reading(reading: Reading, values: Mapping[str, int]) -> dict[str, int]:
    """The scored items of one reading with their tai; an item worth 0 is switched off and keeps nothing out."""
    times: dict[str, int] = {}
    for part in (winning_items, tile_items, set_items):
        for name, count in part(reading):
            if count and values[name]:
                times[name] = count
    # The order does not matter: what an item keeps out keeps out nothing that the item does not keep out itself.
    for name in list(times):
        for other in NOT_BESIDE.get(name, ()):
            times.pop(other, None)

    wind_award = any(name in times for name in WIND_AWARDS)
    dragon_award = any(name in times for name in DRAGON_AWARDS)
    n_honor_pungs = 0
    for kind in reading.pungs():
        if (kind in WINDS and not wind_award) or (kind in DRAGONS and not dragon_award):
            n_honor_pungs += 1
    if n_honor_pungs and values["honor_pung"]:
        times["honor_pung"] = n_honor_pungs
    return {name: count * values[name] for name, count in times.items()}


def readings(win: Win) -> list[Reading]:
    """Every split of both structures with every place of the winning tile (ruling 23)."""
    splits = naive.splits(win.counts) if naive.is_complete(win.counts, len(win.melds)) else []
    pairs = seven_pairs_split(win.counts, len(win.melds))
    found = []
    for split in [*splits, *([pairs] if pairs else [])]:
        if "heavenly" in win.flags:
            found.append(Reading(win, split, None))  # no tile is the winning tile (ruling 28)
            continue
        for place, group in enumerate(split):
            if win.win_tile in group.kinds():
                found.append(Reading(win, split, place))
    return found


def best_items(win: Win, values: Mapping[str, int] = VALUES) -> dict[str, int] | None:
    """Items of the reading with the most tai, then with more tai at the first item of the table (ruling 23)."""
    scored = [items_of_reading(reading, values) for reading in readings(win)]
    if not scored:
        return None
    return max(scored, key=lambda items: (sum(items.values()), [items.get(name, 0) for name in VALUES]))


def payments(winner: int, payer: int | None, tai: int) -> list[int]:
    """One tai is one point, from the payer alone or from each of the other three (ruling 34)."""
    change = [0, 0, 0, 0]
    for seat in range(4):
        if seat != winner and payer in (None, seat):
            change[seat] -= tai
            change[winner] += tai
    return change


# --- Position to score ----------------------------------------------------------------------------------------------


def _values(position: Mapping[str, Any]) -> dict[str, int]:
    """The tai of the items, changed by `options`: `{"items": {"all_pungs": 12}}`."""
    options = position.get("options", {})
    if not isinstance(options, Mapping) or not set(options) <= {"items"}:
        raise ValueError(f"options: expected at most an object of items, got {options!r}")
    changed = options.get("items", {})
    if not isinstance(changed, Mapping):
        raise ValueError(f"options: expected the tai of items, got {changed!r}")
    for name, tai in changed.items():
        if name not in VALUES or type(tai) is not int or tai < 0:
            raise ValueError(f"options: {name!r} cannot be {tai!r}")
    return VALUES | dict(changed)


def _number(position: Mapping[str, Any], field: str, high: int) -> int:
    value = position.get(field)
    if type(value) is not int or not 0 <= value <= high:
        raise ValueError(f"{field}: expected a whole number 0-{high}, got {value!r}")
    return value


def _tiles(position: Mapping[str, Any]) -> tuple[list[int], list[Meld], int]:
    """Hand, melds and winning tile, refused where they are malformed or a kind occurs five times."""
    given = position.get("melds", [])
    if not isinstance(given, (list, tuple)) or len(given) > 5:
        raise ValueError(f"melds: expected a list of at most five, got {given!r}")
    melds = [naive.parse_meld(entry) for entry in given]
    hand = naive.parse_tiles(position.get("hand"), "hand")  # type: ignore[arg-type]
    if any(kind >= N_KINDS for kind in hand):
        raise ValueError("hand: a flower is never in hand")
    if len(hand) != 16 - 3 * len(melds):
        raise ValueError(f"hand: {len(hand)} tiles, expected {16 - 3 * len(melds)} beside {len(melds)} melds")
    win_tiles = naive.parse_tiles(position.get("win_tile"), "win_tile")  # type: ignore[arg-type]
    if len(win_tiles) != 1 or win_tiles[0] >= N_KINDS:
        raise ValueError(f"win_tile: expected one tile, no flower, got {position.get('win_tile')!r}")
    owned = naive.to_counts(hand + [kind for meld in melds for kind in meld.kinds()])
    for kind in range(N_KINDS):
        if owned[kind] > 4:
            field = "hand" if kind in hand else "melds"
            raise ValueError(f"{field}: {owned[kind]} copies of {naive.format_tiles([kind])}")
    if owned[win_tiles[0]] == 4:
        raise ValueError(f"win_tile: a fifth copy of {position['win_tile']}")
    if position.get("by") == "rob_kong" and owned[win_tiles[0]]:
        raise ValueError(f"win_tile: {position['win_tile']} of a robbed kong, yet a copy in hand or melds")
    return hand, melds, win_tiles[0]


def _flags(position: Mapping[str, Any], by: str) -> frozenset[str]:
    """The flags that count: taken at their word where `by` fits, the others ignored (ruling 33)."""
    given = position.get("flags", [])
    if not isinstance(given, (list, tuple)):
        raise ValueError(f"flags: expected a list of texts, got {given!r}")
    for flag in given:
        if flag not in FLAGS:
            raise ValueError(f"flags: {flag!r} is no flag")
    return frozenset(flag for flag in given if by in FLAG_FITS.get(flag, ()))


def score_position(position: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a "Position to score" of the formats page.

    Returns `{"win": True, "items", "tai", "payments"}` or `{"win": False, "reason": "shape"}`; there is no minimum. A
    malformed position raises ValueError, its text starting with the field's name. `dealer`, `east`, `streak`,
    `prevailing` and `dice` are not looked at (ruling 33).
    """
    if not isinstance(position, Mapping):
        raise ValueError(f"position: expected an object, got {position!r}")
    if position.get("rules") != RULES:
        raise ValueError(f"rules: expected {RULES}, got {position.get('rules')!r}")
    values = _values(position)
    by = position.get("by")
    if by not in ("self_draw", "discard", "rob_kong"):
        raise ValueError(f"by: expected self_draw, discard or rob_kong, got {by!r}")
    hand, melds, win_tile = _tiles(position)
    seat = _number(position, "seat", 3)
    payer = None
    if by != "self_draw":
        payer = _number(position, "from", 3)
        if payer == seat:
            raise ValueError("from: the winner does not pay")
    elif position.get("from") is not None:
        raise ValueError("from: absent on a self-draw")
    flowers = naive.parse_tiles(position.get("flowers", ""), "flowers")
    if any(kind < N_KINDS for kind in flowers) or len(set(flowers)) != len(flowers):
        raise ValueError(f"flowers: expected flowers, each once, got {position['flowers']!r}")
    flags = _flags(position, by)
    discards = None if position.get("discards") is None else _number(position, "discards", 144)

    counts = tuple(naive.to_counts([*hand, win_tile]))
    items = best_items(Win(counts, tuple(melds), win_tile, by, frozenset(flowers), flags, discards), values)
    if items is None:
        return {"win": False, "reason": "shape"}
    tai = sum(items.values())
    listed = [[name, items[name]] for name in sorted(items)]
    return {"win": True, "items": listed, "tai": tai, "payments": payments(seat, payer, tai)}
