"""The grouping of the Sheungs of one reading, for `hk16` (rulings 49-56), by trying everything.

Owns: the Dragon Run, the choice of Terminal pairs, and the Brothers and Sisters that follow from them. What a
Sheung is and where the winning tile stands is given; nothing here knows the rest of the hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple


class Sheung(NamedTuple):
    """One Sheung: its suit 0-2, the number of its lowest tile, and whether it is concealed (ruling 35)."""

    suit: int
    number: int
    concealed: bool


Run = tuple[int, int, int]  # the places of the run's 123, 456 and 789 among the Sheungs
Pair = tuple[int, int]  # the places of a 123 and a 789 of one suit


def dragon_runs(sheungs: Sequence[Sheung], values: Mapping[str, Any]) -> list[tuple[Run, str, int]]:
    """Every Dragon Run with its item and points; ruling 49: the lower points if one Sheung is not concealed."""
    found = []
    for run in product(range(len(sheungs)), repeat=3):
        if [sheungs[place].number for place in run] != [1, 4, 7]:
            continue
        suits = {sheungs[place].suit for place in run}
        if len(suits) == 2:
            continue
        item = "pure_dragon_run" if len(suits) == 1 else "mixed_dragon_run"
        all_concealed = all(sheungs[place].concealed for place in run)
        found.append((run, item, values[item][1 if all_concealed else 0]))
    return found


def terminal_pairs(sheungs: Sequence[Sheung], run: Run | None) -> list[Pair]:
    """Every 123 with every 789 of its suit, but not two Sheungs of the run (ruling 53)."""
    return [
        (low, high)
        for low in range(len(sheungs))
        for high in range(len(sheungs))
        if sheungs[low].number == 1
        and sheungs[high].number == 7
        and sheungs[low].suit == sheungs[high].suit
        and not (run is not None and low in run and high in run)
    ]


def subsets(pairs: Sequence[Pair]) -> Iterator[tuple[Pair, ...]]:
    """Every choice of pairs, none at all included (ruling 52)."""
    for size in range(len(pairs) + 1):
        yield from combinations(pairs, size)


def terminal_points(
    sheungs: Sequence[Sheung], chosen: Sequence[Pair], run: Run | None, values: Mapping[str, Any]
) -> int:
    """Points of the chosen Terminal pairs (ruling 53)."""
    two, four_of_two_suits, four_of_one_suit = values["terminal_sheungs"]
    # Four of one suit: two 123s and two 789s, all four pairs of them chosen.
    for lows in combinations({low for low, _ in chosen}, 2):
        for highs in combinations({high for _, high in chosen}, 2):
            if all((low, high) in chosen for low in lows for high in highs):
                return four_of_one_suit + two * (len(chosen) - 4)
    # Four of two suits, once, unless the four hold two Sheungs of the run.
    for one, other in combinations(chosen, 2):
        if sheungs[one[0]].suit != sheungs[other[0]].suit:
            of_the_run = sum(run is not None and place in run for place in (*one, *other))
            if of_the_run < 2:
                return four_of_two_suits + two * (len(chosen) - 2)
    return two * len(chosen)


def brother_points(sheungs: Sequence[Sheung], used: set[int], values: Mapping[str, Any]) -> int:
    """Points of all Brother groups, `used` being the places that stand in a chosen Terminal pair (ruling 54)."""
    two, three, four = values["brother_sheungs"]
    points = 0
    for suit, number in product(range(3), range(1, 8)):
        group = [i for i, sheung in enumerate(sheungs) if (sheung.suit, sheung.number) == (suit, number)]
        n_used = sum(place in used for place in group)
        if len(group) < 2 or n_used == len(group):
            continue
        if len(group) == 2:
            points += two
        elif len(group) == 3:
            points += 2 * two if n_used == 2 else three
        else:
            points += four
    return points


def sister_points(sheungs: Sequence[Sheung], used: set[int], values: Mapping[str, Any]) -> int:
    """Points of all Sister groups (ruling 55)."""
    two, three, four, five = values["sister_sheungs"]
    points = 0
    for number in range(1, 8):
        group = [i for i, sheung in enumerate(sheungs) if sheung.number == number]
        n_suits = len({sheungs[place].suit for place in group})
        n_used = sum(place in used for place in group)
        if n_suits < 2 or n_used == len(group):
            continue
        if len(group) == 2 or (len(group) == 3 and n_suits == 2):
            points += two
        elif len(group) == 3:
            points += 2 * two if n_used == 2 else three
        else:
            points += four if len(group) == 4 else five
    return points


def groupings(sheungs: Sequence[Sheung], values: Mapping[str, Any]) -> list[dict[str, int]]:
    """The items of every grouping of the Sheungs of one reading (ruling 52)."""
    runs = dragon_runs(sheungs, values)
    most = max((points for _, _, points in runs), default=0)
    # Ruling 49: one run, one with the most points, never left out. Which of them may decide about the pairs.
    choices: list[tuple[Run | None, str, int]] = [entry for entry in runs if entry[2] == most]
    found: list[dict[str, int]] = []
    for run, item, points in choices or [(None, "", 0)]:
        for chosen in subsets(terminal_pairs(sheungs, run)):
            used = {place for pair in chosen for place in pair}
            rows = {
                "terminal_sheungs": terminal_points(sheungs, chosen, run, values),
                "brother_sheungs": brother_points(sheungs, used, values),
                "sister_sheungs": sister_points(sheungs, used, values),
            }
            if run is not None:
                rows[item] = points
            if rows not in found:
                found.append(rows)
    return found


def step_up_rows(sheungs: Sequence[Sheung], values: Mapping[str, Any]) -> dict[str, int]:
    """Three or five Sheungs, each one number higher than the last, of any suits (rulings 30 and 50)."""
    numbers = {sheung.number for sheung in sheungs}
    if any(numbers == set(range(low, low + 5)) for low in range(1, 4)):
        return {"all_step_up": values["all_step_up"]}
    if any({low, low + 1, low + 2} <= numbers for low in range(1, 6)):
        return {"step_up": values["step_up"]}
    return {}
