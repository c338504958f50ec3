"""Shanten, waits and accepting draws against the naive search, an exact plain DP, and laws that every distance obeys."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest

import mjsim
from mjsim.errors import NotationError
from mjsim.tiles import format_counts, parse_hand
from tests import naive
from tests.position_cases import random_winning_positions

DECK = [kind for kind in range(34) for _ in range(4)]


# --- hands ----------------------------------------------------------------------------------------------------------


def dealt(rng: Random, melds: int, extra: int, kinds: range | None = None) -> list[int]:
    """Counts of 16 (17) - 3 * melds tiles dealt at random, from a few kinds if given."""
    deck = DECK if kinds is None else [kind for kind in DECK if kind in kinds]
    return naive.to_counts(rng.sample(deck, 16 + extra - 3 * melds))


def mixed_hands(seed: int, n: int) -> Iterator[tuple[list[int], int]]:
    """(counts, melds) of every meld count and both sizes: dealt from all tiles, from one suit, from suits or honors."""
    rng = Random(seed)
    few = [None, None, range(9), range(9, 18), range(27), range(18, 34), range(27, 34)]
    for i in range(n):
        melds = i % 6
        extra = i // 6 % 2
        kinds = rng.choice(few)
        if kinds is not None and 4 * len(kinds) < 17:
            kinds = None
        yield dealt(rng, melds, extra, kinds), melds


def complete_hand(rng: Random, melds: int) -> list[int]:
    """Counts of 5 - melds sets and a pair, often in few neighbouring ranks."""
    while True:
        counts = [0] * 34
        low = rng.randrange(3) * 9 + rng.randrange(4)
        near = rng.random() < 0.6
        for _ in range(5 - melds):
            first = low + rng.randrange(6) if near and rng.random() < 0.7 else rng.randrange(34)
            chow = naive.can_start_chow(first) and rng.random() < 0.6
            for kind in (first, first + 1, first + 2) if chow else (first,) * 3:
                counts[kind] += 1
        pair = low + rng.randrange(6) if near else rng.randrange(34)
        counts[pair] += 2
        if max(counts) <= 4:
            return counts


def array(counts: list[int]) -> np.ndarray:
    return np.array(counts, dtype=np.int8)


@cache
def played_hands() -> dict[tuple[int, int], np.ndarray]:
    """(melds, tiles) -> int8[n, 34] of different hands met in greedy play, all four seats."""
    from mjsim.agents import make

    agent = make("greedy")
    choose = agent.policy.python()
    found: dict[tuple[int, int], set[bytes]] = {}
    for seed in range(260):
        hand = mjsim.Hand("douque-american" if seed % 2 else "douque-taiwanese", seed=seed)
        while not hand.over:
            for seat in range(4):
                counts = hand.record["counts"][seat]
                key = (int(hand.record["n_melds"][seat]), int(counts.sum()))
                if key[1] % 3:  # not while it is giving tiles
                    found.setdefault(key, set()).add(counts.tobytes())
            hand.apply(choose(hand._address, hand._rules_address, agent.parameters_address))
    hands = {}
    for key, raw in sorted(found.items()):
        hands[key] = np.frombuffer(b"".join(sorted(raw)), dtype=np.int8).reshape(-1, 34)
    return {key: value for key, value in hands.items() if key[1] in (16 - 3 * key[0], 17 - 3 * key[0])}


# --- an exact distance in plain Python: one suit at a time ----------------------------------------------------------

FAR = 99


@cache
def suit_lacks(counts: tuple[int, ...], two_back: int, one_back: int, honors: bool) -> tuple[int, ...]:
    """Fewest tiles to add so that these ranks hold m sets and p pairs, at place 2 * m + p, m = 0-5.

    `two_back` and `one_back` chows began one and two ranks before and need a tile of the first rank (the former) or
    of the first two (the latter). Rank by rank: how many chows begin here, whether there is a pung, a pair.
    """
    if not counts:
        return (0, *([FAR] * 11)) if two_back == one_back == 0 else (FAR,) * 12
    best = [FAR] * 12
    for chows in range(1 if honors or len(counts) < 3 else 5):
        for pung in range(2):
            for pair in range(2):
                needed = two_back + one_back + chows + 3 * pung + 2 * pair
                if needed > 4:
                    continue
                cost = max(0, needed - counts[0])
                rest = suit_lacks(counts[1:], one_back, chows, honors)
                shift = 2 * (chows + pung) + pair
                for place in range(12 - shift):
                    if not (pair and place % 2) and cost + rest[place] < best[place + shift]:
                        best[place + shift] = cost + rest[place]
    return tuple(best)


def exact_shanten(hands: np.ndarray, melds: int) -> np.ndarray:
    """Shanten of int8[n, 34]: the suits' lacks joined by min-plus, here over whole columns."""
    lists = hands.tolist()
    total = None
    for first, last, honors in ((0, 9, False), (9, 18, False), (18, 27, False), (27, 34, True)):
        lacks = np.array([suit_lacks(tuple(c[first:last]), 0, 0, honors) for c in lists]).reshape(-1, 6, 2)
        if total is None:
            total = lacks
            continue
        joined = np.full_like(total, FAR)
        for m in range(6):
            for i in range(m + 1):
                joined[:, m, 0] = np.minimum(joined[:, m, 0], total[:, i, 0] + lacks[:, m - i, 0])
                joined[:, m, 1] = np.minimum(joined[:, m, 1], total[:, i, 1] + lacks[:, m - i, 0])
                joined[:, m, 1] = np.minimum(joined[:, m, 1], total[:, i, 0] + lacks[:, m - i, 1])
        total = joined
    assert total is not None
    return total[:, 5 - melds, 1] - 1


# --- shanten --------------------------------------------------------------------------------------------------------


def test_shanten_equals_the_naive_search_at_every_meld_count() -> None:
    """Fewest replacements to a hand whose concealed part holds each kind at most four times; 16 and 17 tiles."""
    for counts, melds in mixed_hands(1, 900):
        assert mjsim.shanten(array(counts), melds) == naive.shanten(counts, melds), (format_counts(counts), melds)


def test_shanten_of_hands_from_play_equals_the_naive_search() -> None:
    rng = Random(2)
    hands = played_hands()
    assert {melds for melds, _ in hands} == set(range(6)) and len(hands) >= 11
    for (melds, _), block in hands.items():
        for i in rng.sample(range(len(block)), min(50, len(block))):
            counts = block[i].tolist()
            assert mjsim.shanten(block[i], melds) == naive.shanten(counts, melds), (format_counts(counts), melds)


def test_the_plain_dp_equals_the_naive_search() -> None:
    """The DP stands for the search in the larger tests below."""
    for counts, melds in mixed_hands(3, 150):
        assert exact_shanten(array(counts)[None], melds)[0] == naive.shanten(counts, melds), (counts, melds)


def test_shanten_of_10000_hands_from_play_equals_the_plain_dp() -> None:
    checked = 0
    for (melds, _), block in played_hands().items():
        wanted = exact_shanten(block, melds)
        got = mjsim.shanten(block, melds)
        bad = np.flatnonzero(wanted != got)
        assert len(bad) == 0, (format_counts(block[bad[0]]), melds, int(wanted[bad[0]]), int(got[bad[0]]))
        checked += len(block)
    assert checked >= 10_000


def test_shanten_of_10000_dealt_hands_equals_the_plain_dp() -> None:
    blocks: dict[int, list[list[int]]] = {}
    for counts, melds in mixed_hands(4, 12_000):
        blocks.setdefault(melds, []).append(counts)
    for melds, listed in blocks.items():
        block = np.array(listed, dtype=np.int8)
        wanted = exact_shanten(block, melds)
        bad = np.flatnonzero(wanted != mjsim.shanten(block, melds))
        assert len(bad) == 0, (format_counts(block[bad[0]]), melds, int(wanted[bad[0]]))


def test_exactly_the_complete_hands_have_shanten_minus_one() -> None:
    """FAULTS 2: complete hands and the same with one tile changed, against the enumerator of splits."""
    rng = Random(5)
    n_complete = 0
    for i in range(10_000):
        melds = i % 6
        counts = complete_hand(rng, melds)
        if i % 3:
            for _ in range(rng.randint(1, 2)):
                counts[rng.choice([k for k in range(34) if counts[k]])] -= 1
            while sum(counts) < 17 - 3 * melds:
                near = [k for k in range(34) if counts[k] < 4 and (counts[k] or rng.random() < 0.2)]
                counts[rng.choice(near)] += 1
        complete = naive.is_complete(counts, melds)
        n_complete += complete
        assert (mjsim.shanten(array(counts), melds) == -1) == complete, (format_counts(counts), melds)
    assert 3_400 < n_complete < 9_000, "both kinds are there"


def test_adding_a_tile_lowers_shanten_by_at_most_one_and_only_by_accepting_draws() -> None:
    checked = 0
    for counts, melds in mixed_hands(6, 700):
        if sum(counts) != 16 - 3 * melds:
            continue
        now = mjsim.shanten(array(counts), melds)
        accepting = mjsim.ukeire(array(counts), melds)
        addable = [kind for kind in range(34) if counts[kind] < 4]
        after = array(counts)[None] + np.eye(34, dtype=np.int8)[addable]
        for kind, then in zip(addable, mjsim.shanten(after, melds).tolist(), strict=True):
            assert then == (now - 1 if kind in accepting else now), (format_counts(counts), melds, kind)
            checked += 1
        assert all(copies == 4 - counts[kind] for kind, copies in accepting.items())
        assert set(accepting) <= set(addable)
    assert checked > 10_000


def test_removing_a_tile_never_lowers_shanten_and_raises_it_by_at_most_one() -> None:
    checked = 0
    for counts, melds in mixed_hands(7, 1000):
        if sum(counts) != 17 - 3 * melds:
            continue
        now = mjsim.shanten(array(counts), melds)
        held = [kind for kind in range(34) if counts[kind]]
        after = mjsim.shanten(array(counts)[None] - np.eye(34, dtype=np.int8)[held], melds)
        assert set(after.tolist()) <= {now, now + 1} or (now == -1 and set(after.tolist()) <= {0})
        assert now in after.tolist() or now == -1, "some discard keeps it"
        checked += len(held)
    assert checked > 3_000


def test_suits_may_be_swapped_and_turned_round() -> None:
    rng = np.random.default_rng(8)
    for counts, melds in mixed_hands(8, 500):
        hand = array(counts)
        suits = [hand[9 * i : 9 * i + 9] for i in rng.permutation(3)]
        turned = np.concatenate([suits[0][::-1], suits[1], suits[2], rng.permutation(hand[27:])])
        assert mjsim.shanten(turned, melds) == mjsim.shanten(hand, melds), (format_counts(counts), melds)


def test_a_batch_gives_what_single_hands_give() -> None:
    for (melds, _), block in played_hands().items():
        some = block[:200]
        out = mjsim.shanten(some, melds)
        assert out.dtype == np.int8 and out.shape == (len(some),)
        assert out.tolist() == [mjsim.shanten(hand, melds) for hand in some]
        assert out.tolist() == mjsim.shanten(np.asfortranarray(some), melds).tolist()
        assert out.tolist() == mjsim.shanten(some.astype(np.int64), melds).tolist()
        assert int(out[0]) == mjsim.shanten(format_counts(some[0]), melds)
    assert mjsim.shanten(np.zeros((0, 34), dtype=np.int8)).shape == (0,)


def test_a_hand_given_in_any_form_is_left_unchanged() -> None:
    hand = parse_hand("123456789m1122334p")
    before = hand.copy()
    mjsim.shanten(hand)
    mjsim.waits(hand)
    mjsim.ukeire(hand)
    assert (hand == before).all()


@pytest.mark.parametrize(
    ("hand", "melds", "wanted"),
    [
        ("245568m245568p77s", 1, None),  # FAULTS 27: 14 tiles, block overflow
        ("245568m245568p77s123z", 0, None),
        ("444p2222m34m555s55z", 1, -1),  # FAULTS 2: four of a kind over pung and chow
        ("22223444m55567p55z", 0, None),
        ("11123m", 4, -1),  # FAULTS 1: a pair out of a triplet
        ("11123m", 3, "size"),
        ("55m", 5, -1),
        ("5m6p", 5, 0),
        ("5m", 5, 0),
        ("1z", 5, 0),
        ("1111z", 4, 1),  # ready by no shape: the pair and the pung would need a fifth
        ("11112z", 4, 0),
        ("1234z", 4, 2),
        ("1234444m", 3, 0),
        ("123456789m12345678p", 0, 0),
        ("147m147p147s1234567z1m", 0, None),
    ],
)
def test_shanten_of_short_and_odd_hands(hand: str, melds: int, wanted: int | str | None) -> None:
    """FAULTS 26-28: what missing tiles mean is the definition, at every meld count. None: what the naive search says."""
    counts = parse_hand(hand)
    if wanted == "size":
        with pytest.raises(NotationError):
            mjsim.shanten(hand, melds)
        return
    if wanted is None:
        wanted = naive.shanten(counts.tolist(), melds)
    assert mjsim.shanten(hand, melds) == wanted == naive.shanten(counts.tolist(), melds)


# --- waits and accepting draws --------------------------------------------------------------------------------------


def test_waits_equal_the_naive_ones_with_the_melds_counted() -> None:
    """Kinds of which hand and melds hold all four are no waits (ruling 1)."""
    excluded = 0
    for rules in ("douque-american", "douque-taiwanese"):
        for position in random_winning_positions(600, 11, rules):
            melds = position.get("melds", [])
            counts = naive.to_counts(naive.parse_tiles(position["hand"]))
            held = naive.to_counts([kind for meld in melds for kind in naive.parse_meld(meld).kinds()])
            wanted = naive.waits(counts, len(melds), held)
            assert mjsim.waits(position["hand"], melds) == wanted, position
            by_number = mjsim.waits(array(counts), len(melds))
            assert by_number == naive.waits(counts, len(melds), [0] * 34), position
            excluded += by_number != wanted
    assert excluded > 5


def test_waits_of_hands_that_are_not_ready_are_none() -> None:
    rng = Random(12)
    for i in range(1500):
        melds = i % 6
        counts = dealt(rng, melds, 0)
        found = mjsim.waits(array(counts), melds)
        assert (mjsim.shanten(array(counts), melds) == 0) or found == []
        if i % 10 == 0:
            assert found == naive.waits(counts, melds, [0] * 34)


def test_waits_are_the_accepting_draws_of_a_ready_hand() -> None:
    for block_melds, block in ((m, b) for (m, n), b in played_hands().items() if n == 16 - 3 * m):
        for hand in block[:150]:
            if mjsim.shanten(hand, block_melds) == 0:
                assert mjsim.waits(hand, block_melds) == sorted(mjsim.ukeire(hand, block_melds))


@pytest.mark.parametrize(
    ("hand", "melds", "waits"),
    [
        ("1234444m", [["chow", "123p"]] * 3, "1m"),  # FAULTS 25: 1 and 4 by shape, all 4s held
        ("1234m", 4, "14m"),
        ("1234444m", 3, "1m"),
        ("3444456m", 3, "36m"),
        ("2223456m", 3, "1347m"),
        ("23456m", 4, "size"),
        ("2345m", 4, "25m"),
        ("1222234m", 3, "15m"),
        ("46m11z", [["kong_concealed", "5555m"], ["chow", "123p"], ["chow", "123p"], ["chow", "123p"]], "size"),
        ("46m11z123456p", [["kong_concealed", "5555m"], ["chow", "123s"]], ""),
        ("46m11z123456p", [["pung", "555m"], ["chow", "123s"]], "5m"),
        ("46m11z123456p", 2, "5m"),
        ("1112345678999m111p", 0, "123456789m"),
        ("123456789m111p111z1z", 0, ""),
        ("5m", [["chow", "456m"]] * 3 + [["pung", "111z"], ["pung", "222z"]], ""),
        ("5m", [["chow", "456m"]] * 2 + [["pung", "111z"], ["pung", "222z"], ["pung", "333z"]], "5m"),
    ],
)
def test_waits_leave_out_what_the_player_holds_all_four_of(hand: str, melds: int | list, waits: str) -> None:
    if waits == "size":
        with pytest.raises(NotationError):
            mjsim.waits(hand, melds)
        return
    found = mjsim.waits(hand, melds)
    assert found == naive.parse_tiles(waits)
    number = melds if isinstance(melds, int) else len(melds)
    held = [] if isinstance(melds, int) else [kind for meld in melds for kind in naive.parse_meld(meld).kinds()]
    assert found == naive.waits(parse_hand(hand).tolist(), number, naive.to_counts(held))


def test_ukeire_counts_the_copies_not_seen_in_hand_melds_and_elsewhere() -> None:
    hand = "23m456p456789s11122z"
    assert mjsim.ukeire(hand) == {0: 4, 3: 4}
    seen = np.zeros(34, dtype=np.int64)
    seen[0], seen[3], seen[5] = 3, 4, 2
    assert mjsim.ukeire(hand, seen=seen) == {0: 1}
    assert mjsim.ukeire("23m456p78999s22z", [["chow", "123m"], ["kong_concealed", "1111z"]][:1]) == {0: 3, 3: 4}
    assert mjsim.waits("23m456p789s22z", [["pung", "111m"], ["chow", "234m"]]) == [0, 3]
    assert mjsim.ukeire("23m456p789s22z", [["pung", "111m"], ["chow", "234m"]]) == {0: 1, 3: 3}
    seen[:] = 0
    seen[1] = 4
    with pytest.raises(NotationError, match="seen.*2m"):
        mjsim.ukeire(hand, seen=seen)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: mjsim.shanten("123m"), ("3 concealed tiles", "16 or 17")),
        (lambda: mjsim.shanten("123m", 4), ("3 concealed tiles", "4 or 5")),
        (lambda: mjsim.shanten("123456789m123456789p"), ("18 concealed tiles", "16 or 17")),
        (lambda: mjsim.shanten("11111m123456789p1z"), ("five copies of 1m",)),
        (lambda: mjsim.shanten("123456789m123456p1f"), ("1f", "flower")),
        (lambda: mjsim.shanten("1234567890m123456p"), ("0m",)),
        (lambda: mjsim.shanten("1m", 6), ("melds", "0-5", "6")),
        (lambda: mjsim.shanten("1m", -1), ("melds", "0-5", "-1")),
        (lambda: mjsim.shanten(array([5] + [0] * 33), 4), ("5 copies of 1m", "0-4")),
        (lambda: mjsim.shanten(array([-1] + [0] * 33), 4), ("-1 copies of 1m", "0-4")),
        (lambda: mjsim.shanten(np.array([[4] * 4 + [0] * 30, [5] + [0] * 33])), ("5 copies of 1m", "0-4")),
        (lambda: mjsim.shanten(array([[4] * 4 + [0] * 30, [1] + [0] * 33])), ("1 concealed tiles", "16 or 17")),
        (lambda: mjsim.shanten(np.zeros(33, dtype=np.int8)), ("(33,)", "int8[34]")),
        (lambda: mjsim.shanten(np.zeros((2, 2, 34), dtype=np.int8)), ("(2, 2, 34)", "int8[34]")),
        (lambda: mjsim.shanten(np.zeros(34)), ("float64", "int8[34]")),
        (lambda: mjsim.waits("123456789m12345678p"), ("16 tiles", "before a draw")),
        (lambda: mjsim.waits("46m11z123456p", [["pung", "555m"]]), ("10 concealed tiles", "13 or 14")),
        (lambda: mjsim.waits("55m11z123456p", [["pung", "555m"], ["chow", "123s"]]), ("5 copies of 5m", "four")),
        (lambda: mjsim.waits("46m11z123456p", [["pong", "555m"], ["chow", "123s"]]), ("pong", "pung")),
        (lambda: mjsim.shanten("1m", "5"), ("melds", "0-5", "'5'")),
        (lambda: mjsim.shanten("1m", None), ("melds", "0-5", "None")),
    ],
)
def test_error_names_the_bad_value_and_the_right_one(call, named: tuple[str, ...]) -> None:
    with pytest.raises(NotationError) as raised:
        call()
    assert all(part in str(raised.value) for part in named), str(raised.value)


# --- the tables' file -----------------------------------------------------------------------------------------------

ONE_SHANTEN = "from mjsim.shapes import tables; t = tables.load(); print(t['distance'][0][5].shape, tables.CACHE_ROOT)"


def in_cache(folder: Path, code: str = ONE_SHANTEN) -> subprocess.CompletedProcess:
    """A process with a cache folder of its own; it builds or reads the tables, and compiles nothing."""
    env = {**os.environ, "MJSIM_CACHE_DIR": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_truncated_or_altered_table_file_is_rebuilt(tmp_path: Path) -> None:
    assert in_cache(tmp_path).returncode == 0
    (path,) = tmp_path.glob("shapes-*.bin")
    whole = path.read_bytes()
    read = "import mjsim.shapes.tables as t; t.build = None; t.load(); print('read')"
    assert in_cache(tmp_path, read).stdout == "read\n", "a good file is read, not built"
    middle = len(whole) // 2
    for bad in (whole[:-1], whole[:middle], b"", whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]):
        path.write_bytes(bad)
        assert in_cache(tmp_path, read).returncode != 0, "a bad file is not read"
        done = in_cache(tmp_path)
        assert done.returncode == 0, done.stderr
        assert path.read_bytes() == whole
    assert [p.name for p in tmp_path.glob("shapes*")] == [path.name], "no temporary file is left"


def test_an_unwritable_cache_folder_warns_and_works(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    done = in_cache(blocked / "cache")
    assert done.returncode == 0 and done.stdout.endswith("None\n"), done.stderr
    assert "not writable" in done.stderr and "MJSIM_CACHE_DIR" in done.stderr and str(blocked / "cache") in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_full_disk_costs_only_the_cache(tmp_path: Path) -> None:
    code = (
        "import os, mjsim.shapes.tables as t\n"
        "def full(*_): raise OSError(28, 'No space left on device')\n"
        "t.os.replace = full\n"
        "t.load(); print('built')"
    )
    done = in_cache(tmp_path, code)
    assert done.stdout == "built\n" and done.returncode == 0, done.stderr
    assert list(tmp_path.glob("shapes*")) == []
