"""Text forms of tiles, hands, walls, melds, flowers, actions and legal lists go round; errors name bad value and right one."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mjsim
from mjsim import actions, melds, tiles, view
from mjsim.errors import NotationError

KINDS = st.integers(0, 41)
WALLS = st.permutations([int(kind) for kind in tiles.FULL_SET])


def counted(kinds: list[int]) -> np.ndarray:
    """int8[34] of kinds below 34."""
    return np.bincount(np.array(kinds, dtype=int), minlength=34).astype(np.int8)


#: Up to 17 tiles, as if drawn from one set.
HANDS = st.permutations([kind for kind in range(34) for _ in range(4)]).flatmap(
    lambda deck: st.integers(0, 17).map(lambda n: deck[:n])
)


# --- tiles ----------------------------------------------------------------------------------------------------------


def test_the_42_kinds_are_numbered_as_the_formats_page_says() -> None:
    wanted = [f"{n}{s}" for s in "mps" for n in range(1, 10)]
    wanted += [f"{n}z" for n in range(1, 8)] + [f"{n}f" for n in range(1, 9)]
    assert wanted == tiles.TEXT
    assert [tiles.parse_tile(text) for text in wanted] == list(range(42))


@given(st.lists(KINDS, max_size=40))
def test_tiles_go_round_in_the_order_written(kinds: list[int]) -> None:
    assert tiles.parse_tiles(tiles.format_tiles(kinds)) == kinds
    assert tiles.parse_tiles("".join(tiles.TEXT[kind] for kind in kinds)) == kinds


@given(st.lists(KINDS, min_size=1, max_size=40))
def test_a_run_of_one_suit_shares_its_letter(kinds: list[int]) -> None:
    text = tiles.format_tiles(kinds)
    letters = re.sub("[0-9]", "", text)
    assert all(a != b for a, b in pairwise(letters))


@given(HANDS)
def test_hand_goes_round(kinds: list[int]) -> None:
    counts = tiles.parse_hand(tiles.format_tiles(kinds))
    assert counts.dtype == np.int8 and counts.tolist() == counted(kinds).tolist()
    text = tiles.format_counts(counts)
    assert text == tiles.format_tiles(sorted(kinds))
    assert tiles.parse_hand(text).tolist() == counts.tolist()


@given(WALLS)
def test_wall_goes_round(wall: list[int]) -> None:
    text = tiles.format_wall(wall)
    assert len(text) == 288, "every tile has its own letter"
    parsed = tiles.parse_wall(text)
    assert parsed.dtype == np.uint8 and parsed.tolist() == wall
    assert tiles.parse_wall(tiles.format_tiles(wall)).tolist() == wall
    assert tiles.parse_wall(wall).tolist() == wall


def test_all_256_flower_masks_go_round() -> None:
    for mask in range(256):
        text = tiles.format_flowers(mask)
        assert text == "".join(str(i + 1) for i in range(8) if mask >> i & 1) + ("f" if mask else "")
        assert tiles.parse_flowers(text) == mask


def test_every_meld_goes_round() -> None:
    found = [("chow", f"{n}{n + 1}{n + 2}{s}") for s in "mps" for n in range(1, 8)]
    for name, size in (("pung", 3), ("kong_exposed", 4), ("kong_added", 4), ("kong_concealed", 4)):
        found += [(name, tiles.TEXT[kind][0] * size + tiles.TEXT[kind][1]) for kind in range(34)]
    for meld in found:
        ((number, low),) = melds.parse_melds([list(meld)])
        assert melds.format_meld(number, low) == list(meld)
        assert tiles.format_tiles(melds.meld_tiles(number, low)) == meld[1]
        assert melds.meld_counts([(number, low)]).tolist() == counted(melds.meld_tiles(number, low)).tolist()
    assert melds.parse_melds([["chow", "534p"]]) == melds.parse_melds([["chow", "345p"]])


# --- actions --------------------------------------------------------------------------------------------------------


def every_action() -> list[tuple[int, int | None, str]]:
    """(number, claimed kind, text) of every action, chows with every tile that they can claim."""
    out: list[tuple[int, int | None, str]] = []
    for block, word in enumerate(("discard", "ready", "kong", "give")):
        out += [(34 * block + kind, None, f"{word} {tiles.TEXT[kind]}") for kind in range(34)]
    for form, (a, b) in enumerate(((1, 2), (-1, 1), (-2, -1))):
        for suit in range(3):
            for rank in range(1, 10):
                if 1 <= rank + a and rank + b <= 9:
                    claimed = 9 * suit + rank - 1
                    out.append((136 + form, claimed, f"chow {rank + a}{rank + b}{'mps'[suit]}"))
    plain = ("pung", "kong", "win", "flower_win", "pass", "start", "exchange", "declare")
    out += [(139 + i, None, word) for i, word in enumerate(plain)]
    return out


def test_the_147_action_numbers_have_their_documented_text_and_back() -> None:
    found = every_action()
    assert {number for number, _, _ in found} == set(range(147)) and actions.N_ACTIONS == 147
    assert sum(claimed is not None for _, claimed, _ in found) == 63
    for number, claimed, text in found:
        assert actions.format_action(number, claimed) == text
        assert actions.parse_action(text, claimed) == number


@given(st.sampled_from(every_action()), st.integers(0, 33))
def test_only_a_chow_depends_on_the_claimed_tile(action: tuple[int, int | None, str], other: int) -> None:
    number, claimed, text = action
    if claimed is None:
        assert actions.format_action(number, other) == text and actions.parse_action(text, other) == number
    elif other != claimed:
        try:
            assert actions.parse_action(text, other) != number or text[-1] != "mps"[claimed // 9]
        except NotationError:
            pass


@given(st.integers(0, 33), st.integers(0, 33), st.integers(0, 33))
def test_a_chow_is_read_exactly_where_the_three_tiles_are_consecutive_in_one_suit(a: int, b: int, claimed: int) -> None:
    """FAULTS 4: 89m and 1p, 9s and 1z are no chow."""
    three = sorted((a, b, claimed))
    good = (
        a < b and three[2] < 27 and three[0] // 9 == three[2] // 9 and three[2] - three[0] == 2 and len(set(three)) == 3
    )
    text = f"chow {tiles.format_tiles([a, b])}"
    if good:
        assert actions.format_action(actions.parse_action(text, claimed), claimed) == text
    else:
        with pytest.raises(NotationError):
            actions.parse_action(text, claimed)


# --- legal actions --------------------------------------------------------------------------------------------------


def words_of(numbers: list[int]) -> list[int]:
    """The words of HAND.legal that hold these actions."""
    words = [0] * actions.N_WORDS
    for number in numbers:
        word = min(number // 34, actions.W_OTHER)
        words[word] |= 1 << (number - 34 * word)
    return words


@given(st.sets(st.integers(0, 146)), st.integers(2, 6), st.sampled_from([0, 9, 18]))
def test_legal_mask_and_legal_list_name_the_same_actions(numbers: set[int], rank: int, suit: int) -> None:
    claimed = suit + rank
    words = words_of(sorted(numbers))
    mask = view.legal_mask(np.array(words, dtype=np.uint64))
    assert mask.shape == (147,) and mask.dtype == np.int8
    assert set(np.flatnonzero(mask).tolist()) == numbers
    assert view.legal_texts(words, claimed) == sorted(actions.format_action(number, claimed) for number in numbers)


@pytest.mark.parametrize("rules", ["douque-american", "douque-taiwanese"])
def test_legal_mask_and_legal_list_agree_at_every_decision_of_play(rules: str) -> None:
    """FAULTS 38: the mask's length is constant, and at least two actions are legal wherever a seat is asked."""
    rng = np.random.default_rng(2)
    seen: set[str] = set()
    for seed in range(60):
        hand = mjsim.Hand(rules, seed=seed, hand=seed % 3)
        while not hand.over:
            legal, mask = hand.legal(), hand.legal_mask()
            claimed = int(hand.record["claim_tile"]) if hand.phase == "claim" else None
            numbers = np.flatnonzero(mask).tolist()
            assert len(mask) == 147 and len(numbers) >= 2
            assert sorted(actions.format_action(number, claimed) for number in numbers) == legal
            assert sorted(actions.parse_action(text, claimed) for text in legal) == numbers
            seen.update(text.split()[0] for text in legal)
            if rng.random() < 0.5:
                hand.apply(int(rng.choice(numbers)))
            else:
                hand.apply(str(rng.choice(legal)))
        assert hand.legal() == [] and not hand.legal_mask().any()
    assert {"discard", "chow", "pung", "kong", "pass"} <= seen


# --- errors ---------------------------------------------------------------------------------------------------------

WALL = tiles.format_wall(int(kind) for kind in tiles.FULL_SET)

ERRORS: list[tuple[Callable[..., Any], tuple, tuple[str, ...]]] = [
    (tiles.parse_tiles, ("0m",), ("0m", "1-9")),
    (tiles.parse_tiles, ("10z",), ("0z", "1-7")),
    (tiles.parse_tiles, ("8z",), ("8z", "1-7")),
    (tiles.parse_tiles, ("9z",), ("9z", "1-7")),
    (tiles.parse_tiles, ("9f",), ("9f", "1-8")),
    (tiles.parse_tiles, ("0f",), ("0f", "1-8")),
    (tiles.parse_tiles, ("m",), ("'m'", "no number")),
    (tiles.parse_tiles, ("1mp",), ("'p'", "no number")),
    (tiles.parse_tiles, ("12",), ("'12'", "m, p, s, z or f")),
    (tiles.parse_tiles, ("1m2",), ("'1m2'", "m, p, s, z or f")),
    (tiles.parse_tiles, ("1x",), ("'x'", "m, p, s, z, f")),
    (tiles.parse_tiles, ("1M",), ("'M'", "m, p, s, z, f")),
    (tiles.parse_tiles, ("1m 2m",), ("' '", "m, p, s, z, f")),
    (tiles.parse_tiles, ("-1m",), ("'-'", "m, p, s, z, f")),
    (tiles.parse_tiles, ("1m\n",), ("'\\n'", "m, p, s, z, f")),
    (tiles.parse_tiles, ("²m",), ("'²'", "m, p, s, z, f")),
    (tiles.parse_tiles, (5,), ("5", "text")),
    (tiles.parse_tiles, (None,), ("None", "text")),
    (tiles.parse_tile, ("12m",), ("'12m'", "exactly one")),
    (tiles.parse_tile, ("",), ("''", "exactly one")),
    (tiles.parse_hand, ("55555m",), ("five copies of 5m", "four")),
    (tiles.parse_hand, ("5m5m5m1p5m5m",), ("five copies of 5m", "four")),
    (tiles.parse_hand, ("123m4f",), ("4f", "flower")),
    (tiles.parse_hand, ("0m",), ("0m", "1-9")),
    (tiles.parse_flowers, ("1f1f",), ("1f", "twice", "one of each")),
    (tiles.parse_flowers, ("1f5m",), ("5m", "1f-8f")),
    (tiles.parse_wall, (WALL[:-2],), ("143", "144")),
    (tiles.parse_wall, ("1m" + WALL[:-2],), ("5 of 1m", "4")),
    (tiles.parse_wall, (WALL.replace("7z", "8f"),), ("of 7z", "4")),
    (tiles.parse_wall, ([42] * 144,), ("42", "0-41")),
    (tiles.parse_wall, ([-1] * 144,), ("-1", "0-41")),
    (melds.parse_melds, ([["chow", "91m"]],), ("'91m'", "chow")),
    (melds.parse_melds, ([["chow", "891p"]],), ("'891p'", "chow")),
    (melds.parse_melds, ([["chow", "89m1p"]],), ("'89m1p'", "chow")),
    (melds.parse_melds, ([["chow", "9s12z"]],), ("'9s12z'", "chow")),
    (melds.parse_melds, ([["chow", "123z"]],), ("'123z'", "chow")),
    (melds.parse_melds, ([["chow", "135m"]],), ("'135m'", "chow")),
    (melds.parse_melds, ([["chow", "555m"]],), ("'555m'", "chow")),
    (melds.parse_melds, ([["pung", "55m"]],), ("'55m'", "pung")),
    (melds.parse_melds, ([["pung", "5555m"]],), ("'5555m'", "pung")),
    (melds.parse_melds, ([["pung", "123f"]],), ("'123f'", "pung")),
    (melds.parse_melds, ([["kong_added", "555m"]],), ("'555m'", "kong_added")),
    (melds.parse_melds, ([["pung", ""]],), ("''", "pung")),
    (melds.parse_melds, ([["pong", "555m"]],), ("pong", "pung")),
    (melds.parse_melds, ([["pung", "0m0m0m"]],), ("0m", "1-9")),
    (melds.parse_melds, ([["pung"]],), ("['pung']", "[type, tiles]")),
    (melds.parse_melds, ([5],), ("5", "[type, tiles]")),
    (melds.parse_melds, ("pung 555m",), ("pung 555m", "list")),
    (melds.parse_melds, ([["pung", f"{n}{n}{n}m"] for n in range(1, 7)],), ("6", "5")),
    (melds.meld_counts, ([(1, 4), (0, 2), (0, 3)],), ("five copies of 5m", "four")),
    (actions.parse_action, ("throw 5m",), ("'throw 5m'", "discard")),
    (actions.parse_action, ("discard",), ("'discard'", "a tile")),
    (actions.parse_action, ("discard 0m",), ("'discard 0m'", "a tile")),
    (actions.parse_action, ("discard 1f",), ("'discard 1f'", "a tile")),
    (actions.parse_action, ("discard 5m6m",), ("'discard 5m6m'", "a tile")),
    (actions.parse_action, ("pung 5m",), ("'pung 5m'", "pung")),
    (actions.parse_action, ("Pass",), ("'Pass'", "pass")),
    (actions.parse_action, ("",), ("''", "discard")),
    (actions.parse_action, (7,), ("7", "text")),
    (actions.parse_action, ("chow 34m",), ("'chow 34m'", "no suited discard")),
    (actions.parse_action, ("chow 89m", 9), ("'chow 89m'", "1p")),
    (actions.parse_action, ("chow 12p", 8), ("'chow 12p'", "9m")),
    (actions.parse_action, ("chow 43m", 4), ("'chow 43m'", "5m", "lower tile first")),
    (actions.parse_action, ("chow 12z", 29), ("'chow 12z'", "no suited discard")),
    (actions.parse_action, ("chow 35m", 4), ("'chow 35m'", "5m")),
    (actions.format_action, (147,), ("147", "0-146")),
    (actions.format_action, (-1,), ("-1", "0-146")),
    (actions.format_action, (136,), ("136", "claimed")),
]


@pytest.mark.parametrize(
    ("read", "given_", "named"), ERRORS, ids=[f"{e[0].__name__}-{i}" for i, e in enumerate(ERRORS)]
)
def test_error_names_the_bad_value_and_the_right_one(
    read: Callable[..., Any], given_: tuple, named: tuple[str, ...]
) -> None:
    with pytest.raises(NotationError) as raised:
        read(*given_)
    message = str(raised.value)
    assert "\n" not in message and all(part in message for part in named), message


def test_an_illegal_action_names_seat_action_and_what_is_legal() -> None:
    hand = mjsim.Hand("douque-taiwanese", seed=1)
    legal = hand.legal()
    for bad in ("pung", 146, 147, -1, 999):
        before = hand.record.tobytes()
        with pytest.raises(mjsim.IllegalAction) as raised:
            hand.apply(bad)
        assert repr(bad) in str(raised.value) and f"seat {hand.seat}" in str(raised.value)
        assert legal[0] in str(raised.value)
        assert hand.record.tobytes() == before and hand.decisions == [], "a refused action changes nothing"


def test_an_action_after_the_end_is_refused() -> None:
    """FAULTS 51."""
    hand = mjsim.Hand("douque-taiwanese", seed=1)
    while not hand.over:
        hand.apply(hand.legal()[-1])
    scores = hand.scores
    with pytest.raises(mjsim.IllegalAction, match="the hand is over"):
        hand.apply("pass")
    assert hand.scores == scores
