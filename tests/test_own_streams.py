"""Per-seat draw streams: a claim does not shift what the others draw, and the hand replays as any other."""

from __future__ import annotations

import random

import pytest

import mjsim
from mjsim.actions import BEGIN
from mjsim.check import check
from mjsim.hand import engine_calls
from mjsim.ruleset.presets import PRESETS
from mjsim.tiles import FULL_SET


def played(rules: str, seed: int, claims: bool, streams: bool = True) -> mjsim.Hand:
    """A hand of random choices that claims whatever it can, or nothing."""
    hand = mjsim.Hand(rules, seed=seed)
    hand.record["own_streams"] = streams
    begin, lay = engine_calls()
    lay(hand._address, hand._rules_address, seed, 0, 0)
    begin(hand._address, hand._rules_address, BEGIN)
    rng = random.Random(seed)
    while not hand.over:
        legal = [action for action in hand.legal() if not action.startswith(("win", "flower_win", "ready", "declare"))]
        calls = [action for action in legal if action.startswith(("chow", "pung", "kong"))]
        if calls and claims:
            hand.apply(rng.choice(calls))
        else:
            hand.apply("pass" if "pass" in legal else rng.choice(legal or hand.legal()))
    return hand


def draws(hand: mjsim.Hand, first: int) -> list[list[int]]:
    """Tiles that each seat has drawn from the head of the wall, from index `first` on."""
    record = hand.record
    out: list[list[int]] = [[], [], [], []]
    for i in range(first, int(record["head"])):
        out[record["stream_of"][i]].append(int(record["wall"][i]))
    return out


@pytest.mark.parametrize("rules", PRESETS)
def test_claims_do_not_shift_what_others_draw(rules: str) -> None:
    shifted = 0
    for seed in range(12):
        bold, shy = played(rules, seed, True), played(rules, seed, False)
        first = 64 if rules == "house16" else 65
        for one, other in zip(draws(bold, first), draws(shy, first), strict=True):
            # Replacements come from the far end, so that only the last draws may differ.
            n = min(len(one), len(other), 10)
            assert one[:n] == other[:n]
            assert n > 1
        shifted += bold.record["discarder"].tolist() != shy.record["discarder"].tolist()
        plain = played(rules, seed, True, streams=False)
        assert plain.record["wall"].tolist() != bold.record["wall"].tolist()
    assert shifted == 12, "the claims did change whose turn it was"


@pytest.mark.parametrize("rules", PRESETS)
def test_a_hand_with_own_streams_is_a_sound_hand_and_replays(rules: str) -> None:
    for seed in range(4):
        hand = played(rules, seed, seed % 2 == 0)
        assert sorted(hand.record["wall"].tolist()) == sorted(FULL_SET.tolist())
        assert check(hand.record, hand.rules) == []
        assert mjsim.replay(hand.transcript(legal=True)) == []
