"""The gifts of the exchange in plain Python, from the docs: every set of three, every criterion on whole lists of tiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement

import numpy as np

Counts = tuple[int, ...]


@cache
def _targets(chows: bool) -> dict[tuple[int, int], np.ndarray]:
    """By (sets, pairs): all counts of one suit (or of the honors) that are so many sets and pairs."""
    kinds = 9 if chows else 7
    one = np.eye(kinds, dtype=np.int8)
    sets = [3 * one[k] for k in range(kinds)]
    if chows:
        sets += [one[k] + one[k + 1] + one[k + 2] for k in range(7)]
    found = {}
    for n in range(6):
        made = [sum(chosen, np.zeros(kinds, np.int8)) for chosen in combinations_with_replacement(sets, n)]
        for pairs in range(2):
            both = [m + 2 * one[k] for m in made for k in range(kinds)] if pairs else made
            every = np.unique(np.array(both), axis=0)
            found[n, pairs] = every[(every <= 4).all(axis=1)]
    return found


@cache
def _kept(suit: Counts, chows: bool) -> dict[tuple[int, int], int]:
    """By (sets, pairs): the most tiles of one suit that are part of them."""
    held = np.array(suit, np.int8)
    return {key: int(np.minimum(made, held).sum(axis=1).max()) for key, made in _targets(chows).items() if len(made)}


@cache
def lacking(counts: Counts) -> int:
    """Tiles that these tiles lack for five sets and a pair."""
    parts = [(counts[9 * i : 9 * i + 9], True) for i in range(3)] + [(counts[27:], False)]
    best = {(0, 0): 0}
    for suit, chows in parts:
        joined: dict[tuple[int, int], int] = {}
        for (sets, pair), kept in best.items():
            for (more, also), part in _kept(suit, chows).items():
                key = (sets + more, pair + also)
                joined[key] = max(joined.get(key, -99), kept + part)
        best = joined
    return 17 - best[5, 1]


def sets_of_three(counts: Counts) -> Iterator[tuple[int, int, int]]:
    """Every set of three tiles that the hand holds, kinds ascending."""
    for gift in combinations_with_replacement(range(34), 3):
        if all(counts[k] >= gift.count(k) for k in gift):
            yield gift


def without(counts: Counts, gift: Sequence[int]) -> Counts:
    left = list(counts)
    for k in gift:
        left[k] -= 1
    return tuple(left)


def value(word: str, counts: Counts, gift: Sequence[int]) -> int:
    """How well a gift does by one word; more is better."""
    left = without(counts, gift)
    if word == "shanten":
        return -lacking(left)
    if word == "ukeire":
        now = lacking(left)
        nearer = [k for k in range(34) if left[k] < 4 and lacking((*left[:k], left[k] + 1, *left[k + 1 :])) < now]
        return sum(4 - counts[k] for k in nearer)
    if word == "suit":
        return max(sum(left[9 * i : 9 * i + 9]) for i in range(3))
    if word == "honors":
        return sum(k >= 27 for k in gift)
    if word == "terminals":
        return sum(k in (0, 8, 9, 17, 18, 26) for k in gift)
    assert word == "pungs"
    return sum(n for n in left if n >= 2)


def best_gifts(way: str, counts: Sequence[int]) -> list[tuple[int, int, int]]:
    """The sets that are equal by all words of a way."""
    held = tuple(int(n) for n in counts)
    found = list(sets_of_three(held))
    for word in [] if way == "random" else way.split("+"):
        values = {gift: value(word, held, gift) for gift in found}
        found = [gift for gift in found if values[gift] == max(values.values())]
    return found
