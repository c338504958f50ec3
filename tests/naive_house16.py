"""The slow, obvious twin of the scoring of ``house16``: shapes with Li Gu Li Gu, and ``score_position``.

Owns: complete shapes of both structures, waits, distance, the items table and the answer to a position. Does
not own the flow of a hand (``naive_house16_flow``), and imports nothing of mjsim. Notation and the splits into
five melds and a pair are those of ``naive``.

`(ruling N)` names a ruling of the house16 page; ids are those of its items table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests import naive
from tests.naive import DRAGONS, N_KINDS, WINDS, Meld, Set, format_tiles, is_honor, parse_tiles, to_counts

RULES = "house16"

# In the order of the items table, which settles equal totals (ruling 15). Points each where an item can count
# several times. An item at 0 is neither scored nor listed.
VALUES: dict[str, int] = {
    "base_win": 1,
    "self_drawn": 1,
    "flower": 1,
    "four_flowers": 2,
    "four_seasons": 2,
    "single_wait": 1,
    "concealed_hand": 0,
    "melded_hand": 0,
    "all_chows": 2,
    "all_pungs": 4,
    "half_flush": 4,
    "full_flush": 8,
    "all_honors": 16,
    "three_concealed_pungs": 2,
    "four_concealed_pungs": 5,
    "five_concealed_pungs": 8,
    "dragon_pung": 0,
    "little_three_dragons": 4,
    "big_three_dragons": 8,
    "prevalent_wind": 0,
    "seat_wind": 0,
    "little_four_winds": 8,
    "big_four_winds": 16,
    "straight": 4,
    "seven_pairs": 8,
    "seven_robs_one": 8,
}

# The second table of the page: the first is not scored beside any of the others. The suit items exclude each
# other by their conditions, and the structures and flower settlements are separate readings.
NOT_BESIDE = [
    ("all_pungs", ("all_honors",)),
    ("dragon_pung", ("little_three_dragons", "big_three_dragons")),
    ("prevalent_wind", ("little_four_winds", "big_four_winds")),
    ("seat_wind", ("little_four_winds", "big_four_winds")),
]
CONCEALED_TIERS = {3: "three_concealed_pungs", 4: "four_concealed_pungs", 5: "five_concealed_pungs"}
SEASONS = range(34, 38)
FLOWERS = range(38, 42)


# --- Shapes -------------------------------------------------------------------------------------------------


def is_seven_pairs(counts: Sequence[int], n_melds: int) -> bool:
    """Li Gu Li Gu: seven pairs and a triplet, no meld at all; four of a kind are two pairs (ruling 20)."""
    pairs = sum({2: 1, 4: 2}.get(count, 0) for count in counts)
    triplets = sum(count == 3 for count in counts)
    return n_melds == 0 and sum(counts) == 17 and pairs == 7 and triplets == 1


def is_complete(counts: Sequence[int], n_melds: int) -> bool:
    """Five melds and a pair, or Li Gu Li Gu; ``counts`` are the concealed tiles with the last one."""
    return naive.is_complete(counts, n_melds) or is_seven_pairs(counts, n_melds)


def waits(counts: Sequence[int], n_melds: int, meld_counts: Sequence[int]) -> list[int]:
    """Kinds that complete the hand in either structure, not all four of them held (ruling 17)."""
    found = []
    for kind in range(N_KINDS):
        if counts[kind] + meld_counts[kind] < 4:
            with_it = list(counts)
            with_it[kind] += 1
            if is_complete(with_it, n_melds):
                found.append(kind)
    return found


def seven_pairs_distance(counts: Sequence[int]) -> int:
    """Tiles lacking to seven pairs and a triplet, every kind tried for the triplet."""
    most = 0
    for triplet in range(N_KINDS):
        pairs = []
        for kind in range(N_KINDS):
            if kind != triplet:
                # The first pair of a kind keeps no fewer tiles than its second: the best seven can be made.
                pairs += [min(counts[kind], 2), min(max(counts[kind] - 2, 0), 2)]
        most = max(most, min(counts[triplet], 3) + sum(sorted(pairs)[-7:]))
    return 17 - most


def distance(counts: Sequence[int], n_melds: int) -> int:
    """The fewest tiles lacking to a complete hand: 0 complete, 1 ready.

    ``counts`` are 16 or 17 less 3 per meld concealed tiles. A target has no kind more than four times; copies
    in the melds do not limit it.
    """
    regular = naive.shanten(counts, n_melds) + 1
    return min(regular, seven_pairs_distance(counts)) if n_melds == 0 else regular


# --- Items --------------------------------------------------------------------------------------------------


def times_common(*, by: str, flowers: Sequence[int], kinds: Sequence[int]) -> dict[str, int]:
    """What both structures score (ruling 20): base, self-draw, flowers and the suit of all the tiles."""
    suits = {kind // 9 for kind in kinds if not is_honor(kind)}
    has_honors = any(is_honor(kind) for kind in kinds)
    return {
        "base_win": 1,
        "self_drawn": int(by == "self_draw"),
        "flower": len(flowers),
        # By tile, not by seat (ruling 24).
        "four_seasons": int(all(tile in flowers for tile in SEASONS)),
        "four_flowers": int(all(tile in flowers for tile in FLOWERS)),
        "half_flush": int(len(suits) == 1 and has_honors),
        "full_flush": int(len(suits) == 1 and not has_honors),
        "all_honors": int(not suits),
    }


def times_of_sets(
    pungs: Sequence[int], chows: Sequence[int], pair: int, *, seat_wind: int, prevailing: int
) -> dict[str, int]:
    """How often each item of the sets and the pair counts; melded or concealed does not matter here."""
    dragons = sum(kind in DRAGONS for kind in pungs)
    winds = sum(kind in WINDS for kind in pungs)
    return {
        "all_pungs": int(len(pungs) == 5),
        "dragon_pung": dragons,
        "little_three_dragons": int(dragons == 2 and pair in DRAGONS),
        "big_three_dragons": int(dragons == 3),
        "prevalent_wind": int(prevailing in pungs),
        "seat_wind": int(seat_wind in pungs),
        "little_four_winds": int(winds == 3 and pair in WINDS),
        "big_four_winds": int(winds == 4),
        "straight": int(any({low, low + 3, low + 6} <= set(chows) for low in (0, 9, 18))),
    }


def times_of_reading(
    split: Sequence[Set],
    place: int,
    melds: Sequence[Meld],
    win_tile: int,
    n_waits: int,
    *,
    by: str,
    seat_wind: int,
    prevailing: int,
    flowers: Sequence[int],
) -> dict[str, int]:
    """How often each item counts when ``split[place]`` holds the winning tile of five melds and a pair."""
    from_another = by != "self_draw"  # a robbed tile counts as another player's discard (ruling 23)
    pair = next(group.kind for group in split if group.shape == "pair")
    chows = [group.kind for group in split if group.shape == "chow"] + [m.kind for m in melds if m.meld == "chow"]
    pungs = [group.kind for group in split if group.shape == "pung"] + [m.kind for m in melds if m.meld != "chow"]
    kinds = [kind for group in [*split, *melds] for kind in group.kinds()]
    exposed = [meld for meld in melds if meld.meld != "kong_concealed"]
    shape = naive.wait_shape(split[place], win_tile)

    concealed_pungs = len(melds) - len(exposed)
    for i, group in enumerate(split):
        # A triplet that another player's tile completes is not concealed (ruling 19).
        if group.shape == "pung" and not (from_another and i == place):
            concealed_pungs += 1

    times = times_common(by=by, flowers=flowers, kinds=kinds)
    times |= times_of_sets(pungs, chows, pair, seat_wind=seat_wind, prevailing=prevailing)
    # One wait by count, and a wait of one kind by shape (ruling 17).
    times["single_wait"] = int(n_waits == 1 and shape in ("edge", "closed", "pair"))
    times["concealed_hand"] = int(not exposed)
    times["melded_hand"] = int(len(exposed) == 5 and from_another)
    times["all_chows"] = int(  # ruling 18
        len(chows) == 5 and not is_honor(pair) and not flowers and from_another and shape == "two_sided"
    )
    if concealed_pungs in CONCEALED_TIERS:
        times[CONCEALED_TIERS[concealed_pungs]] = 1
    return times


def points_of(times: Mapping[str, int], values: Mapping[str, int]) -> dict[str, int]:
    """The scored items with their points: those at 0 fall away first, then what is not scored beside another."""
    items = {name: times[name] * values[name] for name in VALUES if times.get(name, 0) * values[name]}
    for loser, others in NOT_BESIDE:
        if any(other in items for other in others):
            items.pop(loser, None)
    return items


def all_items(
    counts: Sequence[int],
    melds: Sequence[Meld],
    win_tile: int,
    *,
    by: str,
    seat_wind: int,
    prevailing: int,
    flowers: Sequence[int] = (),
    values: Mapping[str, int] = VALUES,
) -> list[dict[str, int]]:
    """Items of every split of both structures and every place of the winning tile; empty if not complete."""

    def places() -> Iterator[dict[str, int]]:
        if is_seven_pairs(counts, len(melds)):
            kinds = [kind for kind in range(N_KINDS) if counts[kind]]
            yield times_common(by=by, flowers=flowers, kinds=kinds) | {"seven_pairs": 1}
        if not naive.is_complete(counts, len(melds)):
            return
        before = list(counts)
        before[win_tile] -= 1
        n_waits = len(waits(before, len(melds), to_counts([k for m in melds for k in m.kinds()])))
        for split in naive.splits(counts):
            for place, group in enumerate(split):
                if win_tile in group.kinds():
                    yield times_of_reading(
                        split,
                        place,
                        melds,
                        win_tile,
                        n_waits,
                        by=by,
                        seat_wind=seat_wind,
                        prevailing=prevailing,
                        flowers=flowers,
                    )

    return [points_of(times, values) for times in places()]


def better(items: Mapping[str, int]) -> tuple[int, ...]:
    """Sorts readings: the total, then the points at the first item of the table that differs (ruling 15)."""
    return (sum(items.values()), *(items.get(name, 0) for name in VALUES))


def flower_items(values: Mapping[str, int]) -> dict[str, int]:
    """The items of Seven Rob One: ``base_win`` and nothing else beside it (ruling 13)."""
    return points_of({"base_win": 1, "seven_robs_one": 1}, values)


def payments(winner: int, payer: int | None, tai: int, dealer: int, streak: int) -> list[int]:
    """``payer`` pays alone, None: each other seat; 1 + 2 x streak to or from the dealer (ruling 25)."""
    change = [0, 0, 0, 0]
    for seat in range(4):
        if seat != winner and payer in (None, seat):
            share = tai + naive.dealer_tai(winner, seat, dealer, streak)
            change[seat] -= share
            change[winner] += share
    return change


# --- Position to score --------------------------------------------------------------------------------------


def values_of(options: Any) -> dict[str, int]:
    """The points of every item under ``options`` (``{"items": {id: points}}``); ValueError names `options`."""
    if not isinstance(options, Mapping):
        raise ValueError(f"options: expected an object, got {options!r}")
    for name in options:
        if name != "items":
            raise ValueError(f"options: {name} is no option of {RULES}")
    given = options.get("items", {})
    if not isinstance(given, Mapping):
        raise ValueError(f"options: items is expected to be an object, got {given!r}")
    for name, value in given.items():
        if name not in VALUES or type(value) is not int or value < 0:
            raise ValueError(f"options: item {name!r} cannot be {value!r}")
    return VALUES | dict(given)


def _whole(position: Mapping[str, Any], field: str, high: int | None, default: int | None = None) -> int:
    value = position.get(field, default)
    if type(value) is not int or value < 0 or (high is not None and value > high):
        limit = "0 or more" if high is None else f"0-{high}"
        raise ValueError(f"{field}: expected a whole number {limit}, got {value!r}")
    return value


def _tiles_held(position: Mapping[str, Any]) -> tuple[list[int], list[Meld], int]:
    """Concealed tiles, melds and winning tile, refused where they cannot be held together."""
    given = position.get("melds", [])
    if not isinstance(given, (list, tuple)) or len(given) > 5:
        raise ValueError(f"melds: expected a list of at most five, got {given!r}")
    melds = [naive.parse_meld(entry) for entry in given]
    hand = parse_tiles(position.get("hand"), "hand")  # type: ignore[arg-type]
    if any(kind >= N_KINDS for kind in hand):
        raise ValueError("hand: a flower is never in hand")
    if len(hand) != 16 - 3 * len(melds):
        raise ValueError(f"hand: {len(hand)} tiles, expected {16 - 3 * len(melds)} beside {len(melds)} melds")
    win_tiles = parse_tiles(position.get("win_tile"), "win_tile")  # type: ignore[arg-type]
    if len(win_tiles) != 1 or win_tiles[0] >= N_KINDS:
        raise ValueError(f"win_tile: expected one tile, no flower, got {position.get('win_tile')!r}")
    win_tile = win_tiles[0]
    owned = to_counts(hand + [kind for meld in melds for kind in meld.kinds()])
    for kind in range(N_KINDS):
        if owned[kind] > 4:
            field = "hand" if kind in hand else "melds"
            raise ValueError(f"{field}: {owned[kind]} copies of {format_tiles([kind])} in hand and melds")
    if owned[win_tile] == 4:
        raise ValueError(f"win_tile: a fifth copy of {format_tiles([win_tile])}")
    if position.get("by") == "rob_kong" and owned[win_tile]:
        raise ValueError(f"win_tile: {format_tiles([win_tile])} of a robbed kong, yet a copy in hand or melds")
    return hand, melds, win_tile


def _flowers(position: Mapping[str, Any]) -> list[int]:
    flowers = parse_tiles(position.get("flowers", ""), "flowers")
    if any(kind < N_KINDS for kind in flowers):
        raise ValueError(f"flowers: not all are flowers in {position['flowers']!r}")
    if len(set(flowers)) != len(flowers):
        raise ValueError(f"flowers: one twice in {position['flowers']!r}")
    return flowers


def score_position(position: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a "Position to score" of the formats page.

    Returns ``{"win": True, "items", "tai", "payments"}`` or ``{"win": False, "reason": "shape"}`` (there is no
    minimum). ``flags``, ``dice`` and ``discards`` are not looked at (ruling 24). A malformed position raises
    ValueError, its text starting with the field's name.
    """
    if not isinstance(position, Mapping):
        raise ValueError(f"position: expected an object, got {position!r}")
    if position.get("rules") != RULES:
        raise ValueError(f"rules: expected {RULES}, got {position.get('rules')!r}")
    values = values_of(position.get("options", {}))
    by = position.get("by")
    if by not in ("self_draw", "discard", "rob_kong"):
        raise ValueError(f"by: expected self_draw, discard or rob_kong, got {by!r}")
    hand, melds, win_tile = _tiles_held(position)
    seat = _whole(position, "seat", 3)
    dealer = _whole(position, "dealer", 3)
    east = _whole(position, "east", 3, default=dealer)
    streak = _whole(position, "streak", None, default=0)
    payer = None
    if by != "self_draw":
        payer = _whole(position, "from", 3)
        if payer == seat:
            raise ValueError("from: the winner does not pay")
    elif position.get("from") is not None:
        raise ValueError("from: absent on a self-draw")
    prevailing = parse_tiles(position.get("prevailing"), "prevailing")  # type: ignore[arg-type]
    if len(prevailing) != 1 or prevailing[0] not in WINDS:
        raise ValueError(f"prevailing: expected 1z-4z, got {position.get('prevailing')!r}")

    found = all_items(
        to_counts([*hand, win_tile]),
        melds,
        win_tile,
        by=by,
        seat_wind=WINDS[(seat - east) % 4],
        prevailing=prevailing[0],
        flowers=_flowers(position),
        values=values,
    )
    if not found:
        return {"win": False, "reason": "shape"}
    items = max(found, key=better)
    tai = sum(items.values())
    listed = [[name, items[name]] for name in sorted(items)]
    return {"win": True, "items": listed, "tai": tai, "payments": payments(seat, payer, tai, dealer, streak)}
