"""`list_splits` against a plain enumeration, and the room that its callers keep for its answers."""

from __future__ import annotations

import random

import numpy as np

from mjsim.jit import entry
from mjsim.ruleset.reading import MAX_SPLITS, SPLIT, list_splits
from mjsim.tiles import N_KINDS
from tests import naive


@entry
def _splits(counts, need, splits):
    return list_splits(counts, need, splits)


@entry
def _most(with_pair, splits, most):
    """Most splits of one suit by its melds, into int64[6]: with the pair in the suit, or an honor pair beside it."""
    counts = np.zeros(34, np.int8)
    for key in range(5**9):
        rest = key
        total = 0
        for i in range(9):
            counts[i] = rest % 5
            total += counts[i]
            rest //= 5
        need = total // 3
        if need <= 5 and total % 3 == (2 if with_pair else 0):
            counts[27] = 0 if with_pair else 2
            most[need] = max(most[need], list_splits(counts, need, splits))


def test_there_is_room_for_every_split() -> None:
    """Splits of the suits multiply; honors have one. The most over all ways to share five melds among three suits."""
    room = np.zeros(8192, dtype=SPLIT)
    paired, plain = np.zeros(6, np.int64), np.zeros(6, np.int64)
    _most(True, room, paired)
    _most(False, room, plain)
    assert plain[0] == 1 and paired[0] == 1
    most = max(int(paired[a] * plain[b] * plain[c]) for a in range(6) for b in range(6 - a) for c in range(6 - a - b))
    # The same with the pair among honors.
    most = max(
        most, *(int(plain[a] * plain[b] * plain[c]) for a in range(6) for b in range(6 - a) for c in range(6 - a - b))
    )
    assert 4 < most <= MAX_SPLITS


def as_sets(split: np.void) -> tuple:
    found = [("pair", int(split["pair"]))]
    found += [("pung", k) for k in range(N_KINDS) if int(split["pungs"]) >> k & 1]
    found += [("chow", k) for k in range(27) for _ in range(int(split["chows"][k]))]
    return tuple(sorted(found))


def test_splits_are_those_of_the_plain_enumeration() -> None:
    rng = random.Random(17)
    several = 0
    for _ in range(3000):
        need = rng.randrange(1, 6)
        counts = [0] * N_KINDS
        kinds = range(N_KINDS) if rng.random() < 0.3 else range(rng.randrange(5, 9))
        while sum(counts) < 3 * need:
            k = rng.choice(kinds)
            wanted = [k, k + 1, k + 2] if rng.random() < 0.5 and k < 27 and k % 9 < 7 else [k] * 3
            if all(counts[w] + wanted.count(w) <= 4 for w in wanted):
                for w in wanted:
                    counts[w] += 1
        pair = rng.choice([k for k in range(N_KINDS) if counts[k] <= 2])
        counts[pair] += 2
        if rng.random() < 0.1:  # and some that are none
            k = rng.choice([k for k in range(N_KINDS) if counts[k]])
            counts[k] -= 1
            counts[rng.choice([j for j in range(N_KINDS) if counts[j] < 4])] += 1
        room = np.zeros(MAX_SPLITS, dtype=SPLIT)
        n = _splits(np.array(counts, dtype=np.int8), need, room)
        found = sorted(as_sets(room[i]) for i in range(n))
        wanted_splits = sorted(
            tuple(sorted((group.shape, group.kind) for group in split)) for split in naive.splits(counts)
        )
        assert found == wanted_splits, counts
        several += n > 1
    assert several > 100
