"""The slow, obvious twin of the shape and scoring kernels, for the two Douque rule sets.

Owns: notation of tiles, shapes of concealed tiles (complete, splits, shanten, waits) and `score_position`,
each written straight from the rules page with plain lists and loops. Does not own the flow of a hand, and
imports nothing of mjsim: the compiled engine is compared with this file, so the two must share no code.

`(ruling N)` names a ruling of the Douque page; quoted item names are those of the tai table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

SUITS = "mpszf"
FIRST = {"m": 0, "p": 9, "s": 18, "z": 27, "f": 34}
N_RANKS = {"m": 9, "p": 9, "s": 9, "z": 7, "f": 8}
N_KINDS = 34

WINDS = (27, 28, 29, 30)
DRAGONS = (31, 32, 33)

MELD_SIZE = {"chow": 3, "pung": 3, "kong_exposed": 4, "kong_added": 4, "kong_concealed": 4}

PRESETS: dict[str, dict[str, Any]] = {
    "douque-american": {"min_tai": 3, "exchange": True, "dice_bonus": True},
    "douque-taiwanese": {"min_tai": 0, "exchange": False, "dice_bonus": False},
}
MIN_TAI_CHOICES = (0, 2, 3, 5)
MAX_STREAK = 18
BASE = 3

FLAGS = ("ready", "migi", "replacement", "last_tile", "heavenly", "earthly", "human")
FIRST_TURN = ("heavenly", "earthly", "human")

COMBINATION_TAI = {
    "little_three_dragons": 4,
    "big_three_dragons": 8,
    "little_four_winds": 8,
    "big_four_winds": 16,
}
ALL_HONORS_TAI = {
    None: 16,
    "little_three_dragons": 16,
    "little_four_winds": 20,
    "big_three_dragons": 20,
    "big_four_winds": 28,
}


class Set(NamedTuple):
    """A chow (named by its lowest kind), pung or pair of concealed tiles."""

    shape: str
    kind: int

    def kinds(self) -> list[int]:
        """The tiles of the set, as kinds."""
        if self.shape == "chow":
            return [self.kind, self.kind + 1, self.kind + 2]
        return [self.kind] * (2 if self.shape == "pair" else 3)


class Meld(NamedTuple):
    """A called meld: one of the five meld kinds, and its lowest tile."""

    meld: str
    kind: int

    def kinds(self) -> list[int]:
        """The three or four tiles of the meld, as kinds."""
        if self.meld == "chow":
            return [self.kind, self.kind + 1, self.kind + 2]
        return [self.kind] * MELD_SIZE[self.meld]


# --- Notation -----------------------------------------------------------------------------------------------


def parse_tiles(text: str, field: str = "tiles") -> list[int]:
    """Kinds (0-33, flowers 34-41) of `123m55p11z` in the order written; ValueError names `field`."""
    if not isinstance(text, str):
        raise ValueError(f"{field}: expected a text of tiles such as '123m55p', got {text!r}")
    kinds: list[int] = []
    digits = ""
    for char in text:
        if char in "0123456789":
            digits += char
        elif char in FIRST and digits:
            for digit in digits:
                if not 1 <= int(digit) <= N_RANKS[char]:
                    raise ValueError(f"{field}: there is no tile {digit}{char} in {text!r}")
                kinds.append(FIRST[char] + int(digit) - 1)
            digits = ""
        else:
            raise ValueError(f"{field}: unexpected {char!r} in {text!r}")
    if digits:
        raise ValueError(f"{field}: {text!r} ends without a suit letter")
    return kinds


def format_tiles(kinds: Sequence[int]) -> str:
    """The tiles in order of kind, runs sharing their letter; `parse_tiles` gives the sorted kinds back."""
    text = ""
    for letter in SUITS:
        ranks = sorted(k - FIRST[letter] + 1 for k in kinds if 0 <= k - FIRST[letter] < N_RANKS[letter])
        if ranks:
            text += "".join(str(rank) for rank in ranks) + letter
    return text


def to_counts(kinds: Sequence[int]) -> list[int]:
    """How often each of the 34 kinds occurs; flowers are not counted."""
    counts = [0] * N_KINDS
    for kind in kinds:
        if kind < N_KINDS:
            counts[kind] += 1
    return counts


def rank_of(kind: int) -> int:
    """1-9 of a suit tile; 1-7 of an honor."""
    return kind % 9 + 1


def is_honor(kind: int) -> bool:
    """A wind or a dragon."""
    return 27 <= kind < 34


def can_start_chow(kind: int) -> bool:
    """Only Characters, Dots and Bamboo form chows, and none wraps around."""
    return not is_honor(kind) and rank_of(kind) <= 7


# --- Shapes -------------------------------------------------------------------------------------------------


def _sets_of(counts: list[int]) -> Iterator[list[Set]]:
    """Every way to take all tiles of `counts` as chows and pungs; the lowest tile left is taken next."""
    kind = next((k for k in range(N_KINDS) if counts[k]), None)
    if kind is None:
        yield []
        return
    if counts[kind] >= 3:
        counts[kind] -= 3
        for rest in _sets_of(counts):
            yield [Set("pung", kind), *rest]
        counts[kind] += 3
    if can_start_chow(kind) and counts[kind + 1] and counts[kind + 2]:
        for k in (kind, kind + 1, kind + 2):
            counts[k] -= 1
        for rest in _sets_of(counts):
            yield [Set("chow", kind), *rest]
        for k in (kind, kind + 1, kind + 2):
            counts[k] += 1


def _splits_in_any_order(counts: Sequence[int]) -> Iterator[list[Set]]:
    if sum(counts) % 3 != 2:
        return
    for pair in range(N_KINDS):
        if counts[pair] >= 2:
            rest = list(counts)
            rest[pair] -= 2
            for sets in _sets_of(rest):
                yield [Set("pair", pair), *sets]


def splits(counts: Sequence[int]) -> list[tuple[Set, ...]]:
    """All ways to split the tiles into sets and one pair, each a sorted tuple, none twice."""
    return sorted({tuple(sorted(split)) for split in _splits_in_any_order(counts)})


def is_complete(counts: Sequence[int], melds: int) -> bool:
    """Five melds and a pair, `melds` of the five being called."""
    if sum(counts) != 17 - 3 * melds or max(counts) > 4:
        return False
    return next(_splits_in_any_order(counts), None) is not None


def shanten(counts: Sequence[int], melds: int) -> int:
    """Tile replacements to a complete hand, less one: -1 complete, 0 ready.

    `counts` are 16 or 17 less 3 per meld concealed tiles. A target hand is 5 - `melds` sets and a pair of
    concealed tiles with no kind more than four times; copies in the melds do not limit it. All targets are
    tried: kind by kind, how many chows start here, whether a pung and the pair are here. The cache only joins
    equal remainders.
    """
    n_tiles = sum(counts)
    if n_tiles not in (16 - 3 * melds, 17 - 3 * melds):
        raise ValueError(f"counts: {n_tiles} concealed tiles beside {melds} melds")
    impossible = -99

    @cache
    def most_kept(kind: int, chows_2_back: int, chows_1_back: int, sets_left: int, pair_left: int) -> int:
        """Most tiles of `counts` from `kind` on that a target can use."""
        if kind == N_KINDS:
            return 0 if sets_left == pair_left == 0 else impossible
        best = impossible
        for pair in range(pair_left + 1):
            for pung in range(min(1, sets_left) + 1):
                copies_before_chows = chows_2_back + chows_1_back + 3 * pung + 2 * pair
                max_chows = sets_left - pung if can_start_chow(kind) else 0
                for chows in range(max_chows + 1):
                    copies = copies_before_chows + chows
                    if copies > 4:
                        break
                    kept = min(copies, counts[kind])
                    sets_after = sets_left - pung - chows
                    rest = most_kept(kind + 1, chows_1_back, chows, sets_after, pair_left - pair)
                    best = max(best, kept + rest)
        return best

    return 17 - 3 * melds - most_kept(0, 0, 0, 5 - melds, 1) - 1


def waits(counts: Sequence[int], melds: int, meld_counts: Sequence[int]) -> list[int]:
    """Kinds that complete the hand and of which hand and melds do not hold all four (ruling 1)."""
    found = []
    for kind in range(N_KINDS):
        if counts[kind] + meld_counts[kind] < 4:
            with_it = list(counts)
            with_it[kind] += 1
            if is_complete(with_it, melds):
                found.append(kind)
    return found


# --- Items --------------------------------------------------------------------------------------------------


def dice_bonus(dice: Sequence[int]) -> int:
    """Tai of the Dice Bonus: triple 5, all red 3, straight 2, all black 1, else 0; the first that matches."""
    low, middle, high = sorted(dice)
    if low == middle == high:
        return 5
    if all(die in (1, 4) for die in dice):
        return 3
    if middle == low + 1 and high == middle + 1:
        return 2
    if all(die in (2, 3, 5, 6) for die in dice):
        return 1
    return 0


def wait_shape(group: Set, win_tile: int) -> str:
    """How `win_tile` completes `group`: pair, pung, closed, edge or two_sided (rulings 2 and 3)."""
    if group.shape != "chow":
        return group.shape
    if win_tile == group.kind + 1:
        return "closed"
    if win_tile == group.kind + 2:
        return "edge" if rank_of(group.kind) == 1 else "two_sided"
    return "edge" if rank_of(group.kind + 2) == 9 else "two_sided"


def items_of_reading(
    split: Sequence[Set],
    place: int | None,
    melds: Sequence[Meld],
    win_tile: int,
    n_waits: int,
    *,
    by: str,
    seat_wind: int,
    prevailing: int,
    flowers: Collection[int] = (),
    flags: Collection[str] = (),
    dice: Sequence[int] | None = None,
) -> dict[str, int]:
    """Items of one reading: `split[place]` holds the winning tile (None: no tile is it, Heavenly Hand)."""
    heavenly, earthly, human = ("heavenly" in flags), ("earthly" in flags), ("human" in flags)
    migi = "migi" in flags
    self_draw = by == "self_draw"
    # The regular win of Seven Robs One case 2: paid by one seat like a discard, yet the tile was drawn (32).
    after_robbed_flower = by == "discard" and "replacement" in flags
    # A robbed kong tile counts as another player's discard (ruling 5).
    from_another = by in ("discard", "rob_kong") and not after_robbed_flower
    concealed = all(m.meld == "kong_concealed" for m in melds)

    pair = next(g.kind for g in split if g.shape == "pair")
    pungs = [g.kind for g in split if g.shape == "pung"] + [m.kind for m in melds if m.meld != "chow"]
    tiles = [k for g in split for k in g.kinds()] + [k for m in melds for k in m.kinds()]
    suits = {k // 9 for k in tiles if not is_honor(k)}
    has_honors = any(is_honor(k) for k in tiles)
    shape = None if place is None else wait_shape(split[place], win_tile)

    n_concealed_pungs = sum(m.meld == "kong_concealed" for m in melds)
    for i, group in enumerate(split):
        if group.shape == "pung" and not (from_another and i == place):
            n_concealed_pungs += 1

    n_dragons = sum(k in DRAGONS for k in pungs)
    n_winds = sum(k in WINDS for k in pungs)
    combination = None
    if n_dragons == 3:
        combination = "big_three_dragons"
    elif n_dragons == 2 and pair in DRAGONS:
        combination = "little_three_dragons"
    elif n_winds == 4:
        combination = "big_four_winds"
    elif n_winds == 3 and pair in WINDS:
        combination = "little_four_winds"
    all_honors = not suits
    all_chows = not pungs and not has_honors and not flowers and from_another and not concealed

    items: dict[str, int] = {}

    # How the hand was won.
    if concealed and not (heavenly or earthly or human or migi):
        items["concealed_hand"] = 1
    if self_draw and not (heavenly or earthly):
        items["self_drawn"] = 1
    if self_draw and concealed and not (heavenly or earthly or migi):
        items["fully_concealed"] = 1
    if by == "rob_kong":
        items["robbing_the_kong"] = 1
    if "replacement" in flags and not heavenly:
        items["replacement_tile"] = 1
    if "last_tile" in flags and self_draw:
        items["last_tile_draw"] = 1
    if migi:
        items["migi"] = 8
    if "ready" in flags and not migi:
        items["declare_ready"] = 1
    if heavenly:
        items["heavenly_hand"] = 24
    if earthly:
        items["earthly_hand"] = 16
    if human:
        items["human_hand"] = 8

    # The wait.
    if n_waits == 1 and shape in ("edge", "closed", "pair") and not heavenly:
        items["single_wait"] = 1
    if len(melds) == 5 and all(m.meld != "kong_concealed" for m in melds) and from_another:
        items["melded_hand"] = 1
    if all_chows and shape == "two_sided":
        items["all_chows"] = 2

    # Flowers and dice.
    wind_number = seat_wind - WINDS[0]
    n_seat_flowers = sum(f in (34 + wind_number, 38 + wind_number) for f in flowers)
    if n_seat_flowers:
        items["seat_flower"] = n_seat_flowers
    n_flower_kongs = sum(all(f in flowers for f in four) for four in (range(34, 38), range(38, 42)))
    if n_flower_kongs:
        items["flower_kong"] = n_flower_kongs
    if dice is not None and dice_bonus(dice):
        items["dice_bonus"] = dice_bonus(dice)

    # Winds and dragons.
    if combination not in ("little_four_winds", "big_four_winds") and not all_honors:
        if prevailing in pungs:
            items["prevalent_wind"] = 1
        if seat_wind in pungs:
            items["seat_wind"] = 1
    if combination not in ("little_three_dragons", "big_three_dragons") and not all_honors and n_dragons:
        items["dragon_pung"] = n_dragons
    if combination is not None and not all_honors:
        items[combination] = COMBINATION_TAI[combination]
    if all_honors:
        items["all_honors"] = ALL_HONORS_TAI[combination]

    # Pungs and suits.
    if n_concealed_pungs == 3:
        items["three_concealed_pungs"] = 2
    if n_concealed_pungs == 4:
        items["four_concealed_pungs"] = 5
    if n_concealed_pungs == 5:
        items["five_concealed_pungs"] = 8
    if len(pungs) == 5 and not all_honors:
        items["all_pungs"] = 4
    if len(suits) == 1:
        if has_honors:
            items["half_flush"] = 4
        else:
            items["full_flush"] = 8
    return items


def readings(split: Sequence[Set], win_tile: int, flags: Collection[str]) -> list[int | None]:
    """Places of the winning tile: every group holding its kind; [None] with Heavenly Hand (ruling 7)."""
    if "heavenly" in flags:
        return [None]
    return [i for i, group in enumerate(split) if win_tile in group.kinds()]


def all_items(
    counts: Sequence[int],
    melds: Sequence[Meld],
    win_tile: int,
    *,
    by: str,
    seat_wind: int,
    prevailing: int,
    flowers: Collection[int] = (),
    flags: Collection[str] = (),
    dice: Sequence[int] | None = None,
) -> list[dict[str, int]]:
    """Items of every reading (split and place of the winning tile) of a hand; empty if it is not complete."""
    if not is_complete(counts, len(melds)):
        return []
    before = list(counts)
    before[win_tile] -= 1
    meld_counts = to_counts([k for m in melds for k in m.kinds()])
    n_waits = len(waits(before, len(melds), meld_counts))
    return [
        items_of_reading(
            split,
            place,
            melds,
            win_tile,
            n_waits,
            by=by,
            seat_wind=seat_wind,
            prevailing=prevailing,
            flowers=flowers,
            flags=flags,
            dice=dice,
        )
        for split in splits(counts)
        for place in readings(split, win_tile, flags)
    ]


def best_items(
    counts: Sequence[int],
    melds: Sequence[Meld],
    win_tile: int,
    *,
    by: str,
    seat_wind: int,
    prevailing: int,
    flowers: Collection[int] = (),
    flags: Collection[str] = (),
    dice: Sequence[int] | None = None,
) -> dict[str, int] | None:
    """Items of the reading with the most tai, None if the hand is not complete (ruling 4).

    `counts` are the concealed tiles with the winning one; `seat_wind` and `prevailing` are kinds 27-30;
    `flowers` kinds 34-41; `dice` is None where no Dice Bonus is played. Dealer tai are no items.
    """
    found = all_items(
        counts,
        melds,
        win_tile,
        by=by,
        seat_wind=seat_wind,
        prevailing=prevailing,
        flowers=flowers,
        flags=flags,
        dice=dice,
    )
    if not found:
        return None
    most = max(sum(items.values()) for items in found)
    top = [items for items in found if sum(items.values()) == most]
    with_chows = [items for items in top if "all_chows" in items]
    chosen = (with_chows or top)[0]
    for items in with_chows or top:
        if items != chosen:
            raise AssertionError(f"equal totals that ruling 4 does not know: {chosen} and {items}")
    return chosen


# --- Payments -----------------------------------------------------------------------------------------------


def dealer_tai(winner: int, payer: int, dealer: int, streak: int) -> int:
    """1 + 2 x streak between the dealer and the other party, else 0."""
    return 1 + 2 * streak if dealer in (winner, payer) else 0


def payments(winner: int, payer: int | None, tai: int, dealer: int, streak: int) -> list[int]:
    """Score change of each seat for one settlement; `payer` pays alone, None: each other seat pays."""
    change = [0, 0, 0, 0]
    for seat in range(4):
        if seat != winner and payer in (None, seat):
            share = BASE + tai + dealer_tai(winner, seat, dealer, streak)
            change[seat] -= share
            change[winner] += share
    return change


def judged_tai(winner: int, payer: int | None, tai: int, dealer: int, streak: int) -> int:
    """Tai that the minimum is checked on, the base not counted (ruling 36)."""
    if payer is None:
        # Self-drawn: the dealer's share; if the dealer wins, all three shares are the same.
        payer = dealer if winner != dealer else (dealer + 1) % 4
    return tai + dealer_tai(winner, payer, dealer, streak)


# --- Position to score --------------------------------------------------------------------------------------


def _whole_number(position: Mapping[str, Any], field: str, low: int, high: int, default: int | None = None) -> int:
    value = position.get(field, default)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError(f"{field}: expected a whole number {low}-{high}, got {value!r}")
    return value


def _options(position: Mapping[str, Any]) -> dict[str, Any]:
    given = position.get("options", {})
    if not isinstance(given, Mapping):
        raise ValueError(f"options: expected an object, got {given!r}")
    options = PRESETS[position["rules"]] | dict(given)
    for name, value in options.items():
        if name == "min_tai":
            good = type(value) is int and value in MIN_TAI_CHOICES
        else:
            good = name in ("exchange", "dice_bonus") and isinstance(value, bool)
        if not good:
            raise ValueError(f"options: {name} cannot be {value!r}")
    return options


def parse_meld(entry: Any) -> Meld:
    """`["chow", "345p"]` as a Meld; ValueError names `melds`."""
    if not isinstance(entry, (list, tuple)) or len(entry) != 2 or entry[0] not in tuple(MELD_SIZE):
        raise ValueError(f"melds: expected [one of {', '.join(MELD_SIZE)}, tiles], got {entry!r}")
    kinds = sorted(parse_tiles(entry[1], "melds"))
    meld = Meld(entry[0], kinds[0]) if kinds else None
    if meld is None or kinds[-1] >= N_KINDS or (meld.meld == "chow" and not can_start_chow(meld.kind)):
        raise ValueError(f"melds: {entry[1]!r} is no {entry[0]}")
    if kinds != meld.kinds():
        raise ValueError(f"melds: {entry[1]!r} is no {entry[0]}")
    return meld


def _flags(position: Mapping[str, Any], by: str, is_dealer: bool, has_melds: bool) -> frozenset[str]:
    """The flags, refused where one contradicts `by`, the seat, the melds or another flag.

    Flowers, discards and turn order are not held against a flag: it is a statement about play that a position
    does not record (a replacement tile without a flower or kong to replace is taken at its word).
    """
    given = position.get("flags", [])
    if not isinstance(given, (list, tuple)) or not all(isinstance(flag, str) for flag in given):
        raise ValueError(f"flags: expected a list of texts, got {given!r}")
    flags = frozenset(given)

    def refuse(reason: str) -> None:
        raise ValueError(f"flags: {reason}")

    for flag in given:
        if flag not in FLAGS:
            refuse(f"{flag!r} is no flag of {position['rules']}")
    for flag in ("migi", *FIRST_TURN):
        if flag in flags and has_melds:
            refuse(f"{flag} with a meld")
    if {"ready", "migi"} <= flags:
        refuse("ready with migi")
    early = [flag for flag in FIRST_TURN if flag in flags]
    if len(early) > 1:
        refuse(" with ".join(early))
    if early and flags & {"ready", "migi"}:
        # One declares when discarding; all three hands are won before the first discard of one's own.
        refuse(f"{early[0]} after declaring ready")
    if "heavenly" in flags and not (is_dealer and by == "self_draw"):
        refuse("heavenly but for the dealer's self-draw")
    if "earthly" in flags and (is_dealer or by != "self_draw"):
        refuse("earthly but for a non-dealer's self-draw")
    if "human" in flags and (is_dealer or by != "discard"):
        # Robbing an added kong comes after a pung and a kong at the table.
        refuse("human but for a non-dealer's win on a discard")
    if "replacement" in flags and by == "rob_kong":
        refuse("replacement with rob_kong")
    return flags


def score_position(position: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a "Position to score" of the formats page, for the two Douque rule sets.

    Returns `{"win": True, "items", "tai", "payments"}`, `{"win": False, "reason": "shape"}`, or
    `{"win": False, "reason": "minimum", "items", "tai"}`. A malformed position raises ValueError, its text
    starting with the field's name.
    """
    if not isinstance(position, Mapping):
        raise ValueError(f"position: expected an object, got {position!r}")
    rules = position.get("rules")
    if not isinstance(rules, str) or rules not in PRESETS:
        raise ValueError(f"rules: expected one of {', '.join(PRESETS)}, got {rules!r}")
    options = _options(position)

    given_melds = position.get("melds", [])
    if not isinstance(given_melds, (list, tuple)) or len(given_melds) > 5:
        raise ValueError(f"melds: expected a list of at most five, got {given_melds!r}")
    melds = [parse_meld(entry) for entry in given_melds]
    hand = parse_tiles(position.get("hand"), "hand")  # type: ignore[arg-type]
    if any(kind >= N_KINDS for kind in hand):
        raise ValueError("hand: a flower is never in hand")
    if len(hand) != 16 - 3 * len(melds):
        raise ValueError(f"hand: {len(hand)} tiles, expected {16 - 3 * len(melds)} beside {len(melds)} melds")
    win_tiles = parse_tiles(position.get("win_tile"), "win_tile")  # type: ignore[arg-type]
    if len(win_tiles) != 1 or win_tiles[0] >= N_KINDS:
        raise ValueError(f"win_tile: expected one tile, no flower, got {position.get('win_tile')!r}")
    win_tile = win_tiles[0]
    meld_tiles = [kind for meld in melds for kind in meld.kinds()]
    owned = to_counts(hand + meld_tiles)
    for kind in range(N_KINDS):
        if owned[kind] > 4:
            field = "hand" if hand.count(kind) else "melds"
            raise ValueError(f"{field}: {owned[kind]} copies of {format_tiles([kind])} in hand and melds")
    if owned[win_tile] == 4:
        raise ValueError(f"win_tile: a fifth copy of {format_tiles([win_tile])}")

    by = position.get("by")
    if by not in ("self_draw", "discard", "rob_kong"):
        raise ValueError(f"by: expected self_draw, discard or rob_kong, got {by!r}")
    if by == "rob_kong" and owned[win_tile]:
        raise ValueError(f"win_tile: {format_tiles([win_tile])} of a robbed kong, yet a copy in hand or melds")
    seat = _whole_number(position, "seat", 0, 3)
    dealer = _whole_number(position, "dealer", 0, 3)
    east = _whole_number(position, "east", 0, 3)
    streak = _whole_number(position, "streak", 0, MAX_STREAK, default=0)
    payer = None
    if by == "self_draw":
        if position.get("from") is not None:
            raise ValueError("from: absent on a self-draw")
    else:
        payer = _whole_number(position, "from", 0, 3)
        if payer == seat:
            raise ValueError("from: the winner does not pay")
    prevailing = parse_tiles(position.get("prevailing"), "prevailing")  # type: ignore[arg-type]
    if len(prevailing) != 1 or prevailing[0] not in WINDS:
        raise ValueError(f"prevailing: expected 1z-4z, got {position.get('prevailing')!r}")
    flowers = parse_tiles(position.get("flowers", ""), "flowers")
    if any(kind < N_KINDS for kind in flowers):
        raise ValueError(f"flowers: not all are flowers in {position['flowers']!r}")
    if len(set(flowers)) != len(flowers):
        raise ValueError(f"flowers: one twice in {position['flowers']!r}")
    dice = position.get("dice")
    if dice is not None or options["dice_bonus"]:
        whole = isinstance(dice, (list, tuple)) and all(type(die) is int for die in dice)
        if not whole or len(dice) != 3 or not all(1 <= die <= 6 for die in dice):
            raise ValueError(f"dice: expected three numbers 1-6, got {dice!r}")
    flags = _flags(position, by, seat == dealer, bool(melds))

    items = best_items(
        to_counts([*hand, win_tile]),
        melds,
        win_tile,
        by=by,
        seat_wind=WINDS[(seat - east) % 4],
        prevailing=prevailing[0],
        flowers=frozenset(flowers),
        flags=flags,
        dice=dice if options["dice_bonus"] else None,
    )
    if items is None:
        return {"win": False, "reason": "shape"}
    tai = sum(items.values())
    listed = [[name, items[name]] for name in sorted(items)]
    if judged_tai(seat, payer, tai, dealer, streak) < options["min_tai"]:
        return {"win": False, "reason": "minimum", "items": listed, "tai": tai}
    return {"win": True, "items": listed, "tai": tai, "payments": payments(seat, payer, tai, dealer, streak)}
