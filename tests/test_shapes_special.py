"""Special hands in `shanten`, `waits` and `ukeire`: against the slow distances of three rule sets and against all targets."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from random import Random

import numpy as np
import pytest

import mjsim
from mjsim.errors import UsageError
from mjsim.shapes.public import _lower_by_specials
from mjsim.shapes.special import SEVEN_PAIRS, SIXTEEN_ORPHANS, THIRTEEN_ORPHANS
from mjsim.tiles import format_counts, parse_hand
from tests import naive, naive_four_winds, naive_hk16, naive_house16
from tests.sizes import size
from tests.test_shapes import DECK, array, complete_hand, dealt, exact_shanten

ORACLES = {"four-winds": naive_four_winds, "hk16": naive_hk16, "house16": naive_house16}
ORPHANS = [kind for kind in range(34) if kind >= 27 or kind % 9 in (0, 8)]
SPREADS = [(a, b, c) for a in range(9) for b in range(a + 3, 9) for c in range(b + 3, 9)]


# --- hands ----------------------------------------------------------------------------------------------------------


def seven_pairs(rng: Random) -> list[int]:
    """A triplet and seven pairs, some of them as four of a kind."""
    quads = rng.choice((0, 0, 1, 2, 3))
    kinds = rng.sample(range(34) if rng.random() < 0.7 else range(9), 8 - quads)
    return [kind for i, kind in enumerate(kinds) for _ in range(3 if i == 0 else 4 if i <= quads else 2)]


def thirteen_orphans(rng: Random) -> list[int]:
    """With a set that may be a chow beside the orphans or a pung of one of them."""
    group = [rng.randrange(34)] * 3
    if rng.random() < 0.6:
        low = rng.randrange(3) * 9 + rng.randrange(7)
        group = [low, low + 1, low + 2]
    elif rng.random() < 0.5:
        group = [rng.choice(ORPHANS)] * 3
    second = rng.choice([kind for kind in ORPHANS if kind not in group] or ORPHANS)
    return [*ORPHANS, second, *group]


def sixteen_orphans(rng: Random) -> list[int]:
    tiles = [9 * suit + rank for suit in range(3) for rank in rng.choice(SPREADS)] + list(range(27, 34))
    return [*tiles, rng.choice(tiles)]


def ordinary(rng: Random) -> list[int]:
    return [kind for kind, n in enumerate(complete_hand(rng, 0)) for _ in range(n)]


WHOLE = (seven_pairs, thirteen_orphans, sixteen_orphans, ordinary)


def near_hand(rng: Random, n_tiles: int, whole: Callable[[Random], list[int]] | None = None) -> list[int]:
    """Counts of a complete hand of which up to eight tiles were changed, to neighbours and doubles more often than not."""
    tiles = (whole or rng.choice(WHOLE))(rng)
    tiles = rng.sample(tiles, len(tiles) - rng.choice((0, 1, 1, 2, 3, 4, 6, 8)))[:n_tiles]
    counts = naive.to_counts(tiles)
    while sum(counts) < n_tiles:
        kind = (
            rng.choice(tiles)
            if rng.random() < 0.4
            else rng.choice(ORPHANS)
            if rng.random() < 0.3
            else rng.randrange(34)
        )
        counts[kind] += counts[kind] < 4
    return counts


def many_hands(seed: int, n: int) -> list[list[int]]:
    """16 and 17 tiles: near to complete hands of every sort, dealt from all tiles, and from few kinds (many quads)."""
    rng = Random(seed)
    decks = [DECK, [k for k in DECK if k in ORPHANS], [k for k in DECK if k < 9], [k for k in DECK if k >= 27 or k < 3]]
    hands = []
    for i in range(n):
        size = 16 + i % 2
        hands.append(naive.to_counts(rng.sample(rng.choice(decks), size)) if i % 5 == 4 else near_hand(rng, size))
    return hands


# --- every target tried ---------------------------------------------------------------------------------------------


def _counts_of(targets: list[list[int]]) -> np.ndarray:
    wanted = np.array([naive.to_counts(target) for target in targets], dtype=np.int8)
    return wanted[(wanted <= 4).all(axis=1)]


@cache
def orphan_targets(bit: int) -> np.ndarray:
    """int8[n, 34]: every 13 Orphans, or every 16 Orphans."""
    if bit == THIRTEEN_ORPHANS:
        sets = [[kind] * 3 for kind in range(34)] + [[k, k + 1, k + 2] for k in range(27) if k % 9 <= 6]
        return _counts_of([[*ORPHANS, second, *group] for second in ORPHANS for group in sets])
    hands = []
    for ranks in product(SPREADS, repeat=3):
        tiles = [9 * suit + rank for suit in range(3) for rank in ranks[suit]] + list(range(27, 34))
        hands += [[*tiles, second] for second in tiles]
    return _counts_of(hands)


def target_lack(bit: int, counts: list[int]) -> int:
    """Tiles that the nearest target lacks; the pairs of seven pairs are the best ones beside every triplet."""
    if bit == SEVEN_PAIRS:
        return naive_house16.seven_pairs_distance(counts)
    return 17 - int(np.minimum(orphan_targets(bit), array(counts)).sum(axis=1).max())


def kernel_lacks(bits: int, hands: list[list[int]]) -> list[int]:
    out = np.full(len(hands), 90, dtype=np.int8)
    _lower_by_specials(np.array(hands, dtype=np.int8), bits, out)
    return (out + 1).tolist()


def test_the_number_of_targets() -> None:
    """13 seconds with 55 sets, less a pung of the second's own kind (five copies); 1000 spreads with 16 seconds."""
    assert len(orphan_targets(THIRTEEN_ORPHANS)) == 13 * 55 - 13
    assert len(orphan_targets(SIXTEEN_ORPHANS)) == 10**3 * 16


@pytest.mark.parametrize(("bit", "n"), [(SEVEN_PAIRS, 800), (THIRTEEN_ORPHANS, 6000), (SIXTEEN_ORPHANS, 1000)])
def test_each_special_distance_equals_the_nearest_of_all_targets(bit: int, n: int) -> None:
    hands = many_hands(bit, n)
    found = kernel_lacks(bit, hands)
    for counts, lack in zip(hands, found, strict=True):
        assert lack == target_lack(bit, counts), (format_counts(counts), bit)
    assert set(range(7)) <= set(found), "near ones and far ones are there"


@pytest.mark.slow
@pytest.mark.parametrize("bit", [SEVEN_PAIRS, THIRTEEN_ORPHANS, SIXTEEN_ORPHANS])
def test_each_special_distance_of_20000_hands(bit: int) -> None:
    hands = many_hands(10 + bit, size(20_000))
    for counts, lack in zip(hands, kernel_lacks(bit, hands), strict=True):
        assert lack == target_lack(bit, counts), (format_counts(counts), bit)


def test_several_special_hands_together_are_the_nearest_of_them() -> None:
    hands = many_hands(20, 2000)
    alone = {bit: kernel_lacks(bit, hands) for bit in (SEVEN_PAIRS, THIRTEEN_ORPHANS, SIXTEEN_ORPHANS)}
    for bits in range(1, 8):
        wanted = [min(column) for column in zip(*(alone[bit] for bit in alone if bits & bit), strict=True)]
        assert kernel_lacks(bits, hands) == wanted, bits


# --- against the slow rule sets -------------------------------------------------------------------------------------


def check_distances(name: str, hands: list[list[int]]) -> None:
    oracle = ORACLES[name]
    found = mjsim.shanten(np.array(hands, dtype=np.int8), rules=name)
    for counts, shanten in zip(hands, found.tolist(), strict=True):
        assert shanten == oracle.distance(counts, 0) - 1, (format_counts(counts), name)


@pytest.mark.parametrize(("name", "n"), [("four-winds", 50), ("hk16", 50), ("house16", 50)])
def test_shanten_under_rules_equals_the_slow_distance(name: str, n: int) -> None:
    check_distances(name, many_hands(30, n))


@pytest.mark.slow
@pytest.mark.parametrize("name", list(ORACLES))
def test_shanten_under_rules_equals_the_slow_distance_of_thousands(name: str) -> None:
    check_distances(name, many_hands(31, size(3000)))


def test_shanten_under_rules_of_3000_hands_is_the_nearest_structure() -> None:
    """The plain DP (equal to the naive search, tests/test_shapes.py) and the special distances tried above."""
    hands = many_hands(32, 3000)
    block = np.array(hands, dtype=np.int8)
    plain = exact_shanten(block, 0)
    for name, bits in (("hk16", 7), ("four-winds", SEVEN_PAIRS), ("house16", SEVEN_PAIRS)):
        special = np.array(kernel_lacks(bits, hands)) - 1
        found = mjsim.shanten(block, rules=name)
        assert found.dtype == np.int8 and (found == np.minimum(plain, special)).all()
        assert (special < plain).mean() > 0.2 and (plain < special).mean() > 0.1, "either structure is the nearer one"
    assert (mjsim.shanten(block) == plain).all()
    assert (mjsim.shanten(block, rules="douque-american") == plain).all(), "rules without special hands change nothing"


@pytest.mark.parametrize("name", list(ORACLES))
def test_waits_under_rules_equal_the_slow_ones(name: str) -> None:
    oracle = ORACLES[name]
    rng = Random(40)
    specials = ready = full = 0
    for i in range(700):
        counts = near_hand(rng, 16, WHOLE[i % 4])
        wanted = oracle.waits(counts, 0, [0] * 34)
        assert mjsim.waits(array(counts), rules=name) == wanted, format_counts(counts)
        specials += wanted != mjsim.waits(array(counts))
        ready += wanted == [] and mjsim.shanten(array(counts), rules=name) == 0
        full += len(wanted) >= 13
    assert specials > 60
    # Ready by shape alone: every wait is held four times (four of a kind that lack a fifth).
    assert ready == 0 or name == "hk16"
    assert (full > 0) == (name == "hk16"), "an open 13 Orphans waits for thirteen kinds and more"


@pytest.mark.parametrize("name", list(ORACLES))
def test_accepting_draws_under_rules_are_those_that_lower_the_shanten(name: str) -> None:
    rng = Random(50)
    differing = 0
    for i in range(1500):
        counts = near_hand(rng, 16, WHOLE[i % 4])
        now = mjsim.shanten(array(counts), rules=name)
        accepting = mjsim.ukeire(array(counts), rules=name)
        addable = [kind for kind in range(34) if counts[kind] < 4]
        after = array(counts)[None] + np.eye(34, dtype=np.int8)[addable]
        for kind, then in zip(addable, mjsim.shanten(after, rules=name).tolist(), strict=True):
            assert then == (now - 1 if kind in accepting else now), (format_counts(counts), kind)
        assert all(copies == 4 - counts[kind] for kind, copies in accepting.items())
        differing += accepting != mjsim.ukeire(array(counts))
    assert differing > 100


# --- worked hands ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "shanten", "waits"),
    [
        # name of the rule set (None: five sets and a pair alone) -> shanten; the waits under the first of them
        ("1133m5577p2244s11222z", {"house16": -1, "four-winds": -1, "hk16": -1, None: 3}, None),
        ("1133m5577p2244s1122z", {"house16": 0, "hk16": 0, None: 4}, "13m57p24s12z"),
        ("1111m3333p55577s99s11z", {"house16": -1, None: 1}, None),  # four of a kind are two pairs
        ("1111m3333p5555s7799s", {"house16": 0, "hk16": 0, None: 2}, "79s"),
        ("1111m3333p5555s7777s", {"house16": 1, None: 2}, None),  # a triplet of a quad leaves one pair too few
        ("1111m3333p5555s7777s9s", {"house16": 0, None: 1}, None),
        (
            "19m19p19s1234567z123m",
            {"hk16": 0, "house16": 7, None: 8},
            "149m19p19s1234567z",
        ),  # 4m: a pair of 1m and 234m
        ("19m19p19s12345677z23m", {"hk16": 0}, "14m"),
        ("19m19p19s123456777z1m", {"hk16": 0}, "7z"),
        ("19m19p19s1234567z111m", {"hk16": 0}, "9m19p19s1234567z"),  # the fourth 1m is in the pung: no pair of it
        ("19m19p19s12345667z677p", {"hk16": 0}, None),
        ("147m258p369s1234567z", {"hk16": 0, "house16": 8, None: 10}, "147m258p369s1234567z"),
        ("147m258p369s12345677z", {"hk16": -1}, None),
        ("146m258p369s12345677z", {"hk16": 0}, None),
        ("1m258p369s123456677z", {"hk16": 1}, None),
    ],
)
def test_worked_hands(hand: str, shanten: dict[str | None, int], waits: str | None) -> None:
    counts = parse_hand(hand)
    for name, wanted in shanten.items():
        assert mjsim.shanten(hand, rules=name) == wanted
        if name is not None:
            assert ORACLES[name].distance(counts.tolist(), 0) - 1 == wanted
    if waits is not None:
        name = next(iter(shanten))
        assert mjsim.waits(hand, rules=name) == naive.parse_tiles(waits)


def test_with_a_meld_there_is_no_special_hand() -> None:
    rng = Random(60)
    for i in range(300):
        melds = 1 + i % 5
        counts = array(dealt(rng, melds, i % 2))
        assert mjsim.shanten(counts, melds, "hk16") == mjsim.shanten(counts, melds)
        assert mjsim.ukeire(counts, melds, rules="hk16") == mjsim.ukeire(counts, melds)


def test_a_flag_takes_its_special_hand_away() -> None:
    hand = "1133m5577p2244s11222z"
    assert mjsim.shanten(hand, rules=mjsim.rules("house16")) == -1
    assert mjsim.shanten(hand, rules=mjsim.rules("house16", seven_pairs=False)) == mjsim.shanten(hand)
    orphans = "19m19p19s12345677z23m"
    assert mjsim.waits(orphans, rules="hk16") == [0, 3]
    assert mjsim.waits(orphans, rules=mjsim.rules("hk16", thirteen_orphans=False)) == []
    assert mjsim.waits(orphans, rules=mjsim.rules("four-winds", thirteen_orphans=True)) == [0, 3]


def test_any_form_of_a_hand_is_taken_under_rules() -> None:
    hands = np.array(many_hands(70, 50), dtype=np.int8)
    out = mjsim.shanten(hands, rules="hk16")
    made = mjsim.rules("hk16")
    for counts, wanted in zip(hands, out.tolist(), strict=True):
        for form in (counts, counts.astype(np.int64), format_counts(counts)):
            found = mjsim.shanten(form, rules="hk16")
            assert type(found) is int and found == wanted == mjsim.shanten(form, 0, made)
    assert mjsim.shanten(np.zeros((0, 34), dtype=np.int8), rules="hk16").shape == (0,)


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        ("hk61", "did you mean 'hk16'"),
        (5, "5 is neither the name"),
        (["hk16"], "neither the name"),
        ("", "unknown rules"),
    ],
)
def test_wrong_rules_are_named(rules: object, named: str) -> None:
    for call in (mjsim.shanten, mjsim.waits, mjsim.ukeire):
        with pytest.raises(UsageError, match=named):
            call("1133m5577p2244s1122z", rules=rules)


def test_a_wrong_hand_is_refused_under_rules_as_without() -> None:
    for hand in ("1133m", np.full(34, 5, dtype=np.int8), np.array([[1] + [0] * 33], dtype=np.int8)):
        told = []
        for rules in (None, "hk16"):
            with pytest.raises(mjsim.NotationError) as raised:
                mjsim.shanten(hand, rules=rules)
            told.append(str(raised.value))
        assert told[0] == told[1]
