"""Agents: they see only what their seat may see, do what they say, and are named in errors.

`hidden_shuffled` makes another record that looks the same to a seat; whatever an agent does must not depend on the rest.
"""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import carray

import mjsim
from mjsim import agents
from mjsim.actions import (
    CHOW_HIGH,
    CHOW_LOW,
    DECLARE,
    FLOWER_WIN,
    GIVE,
    KONG,
    OTHER,
    OWN_KONG,
    PASS,
    PUNG,
    READY,
    START,
    WIN,
)
from mjsim.agents import registry
from mjsim.agents.registry import Agent, make_four
from mjsim.batch import Run, make_plan, simulate_files
from mjsim.check import check
from mjsim.flow.engine import POLICY, nth_legal
from mjsim.flow.luck import PAIRINGS_TABLE
from mjsim.hand_record import HAND
from mjsim.jit import Pointer, address_as_pointer, pointer
from mjsim.melds import KONG_CONCEALED, meld_tiles
from mjsim.ruleset import Rules
from mjsim.shapes.kernels import POWER
from mjsim.tiles import FIRST_FLOWER, FULL_SET, N_KINDS
from tests.rich_hands import DOUQUE, FAMILIES, rich_decisions

#: An external agent is a program and networks are files: they have tests of their own.
BUNDLED = [name for name in agents.names() if name not in ("external", "checkpoint", "neural")]

#: Searches short enough to be asked at every decision.
SHORT = {"search": "search:rollouts=4:turn=1:claim=1:exchange=1:choice=1"}


def copied(hand: mjsim.Hand) -> np.ndarray:
    """HAND[1] of its own, the same to the last byte (numpy's own copies leave gaps between fields behind)."""
    return np.frombuffer(bytearray(hand._array.tobytes()), dtype=HAND)


def answer_of(agent: Agent, array: np.ndarray, rules: Rules) -> int:
    return agent.policy.python()(array.ctypes.data, rules.address, agent.parameters_address)


# --- what is hidden from a seat -------------------------------------------------------------------------------------


def _set_counts(record: np.void, seat: int, tiles: list[int]) -> None:
    """Concealed tiles of a seat, with all that is kept of them."""
    counts = np.bincount(tiles, minlength=N_KINDS)[:N_KINDS].astype(np.int8)
    record["counts"][seat] = counts
    for suit in range(4):
        kinds = range(9 * suit, min(9 * suit + 9, N_KINDS))
        record["keys"][seat, suit] = sum(int(counts[k]) * int(POWER[k]) for k in kinds)
    record["have"][seat] = sum(1 << k for k in range(N_KINDS) if counts[k])
    for name, n in (("twos", 2), ("threes", 3), ("quads", 4)):
        record[name][seat] = sum(1 << k for k in range(N_KINDS) if counts[k] >= n)


def hidden_shuffled(hand: mjsim.Hand, seat: int, rng: random.Random) -> np.ndarray:
    """HAND[1] that FORMATS.md's "What a seat may see" does not tell from the hand's own, everything else drawn anew.

    Other seats' concealed tiles, the undealt wall and (where the rules hide them) the kinds of others' concealed kongs
    are dealt again from the tiles that the seat cannot see; others' gives and takes, skipped marks, answers, streams
    and measures are drawn anew.
    """
    array = copied(hand)
    record = array[0]
    others = [s for s in range(4) if s != seat]
    head, tail = int(record["head"]), int(record["tail"])
    giving = hand.phase == "give"
    now = int(record["round"])

    # The tiles that the seat cannot see.
    pool = Counter(record["wall"][head:tail].tolist())
    sizes = {s: int(record["counts"][s].sum()) for s in others}
    for s in others:
        pool.update({k: int(record["counts"][s, k]) for k in range(N_KINDS)})
        if giving:
            pool.update(int(k) for k in record["gives"][now, s] if k >= 0)

    # Concealed kongs of others: any kind of which all four are unseen.
    if hand.rules.flags["concealed_kong_hidden"]:
        places = [
            (s, i)
            for s in others
            for i in range(int(record["n_melds"][s]))
            if record["meld_type"][s, i] == KONG_CONCEALED
        ]
        pool.update(int(record["meld_tile"][s, i]) for s, i in places for _ in range(4))
        for s, i in places:
            kind = rng.choice([k for k in range(N_KINDS) if pool[k] == 4])
            record["melded"][s, record["meld_tile"][s, i]] -= 4
            record["melded"][s, kind] += 4
            record["meld_tile"][s, i] = kind
            pool[kind] = 0

    tiles = [k for k in range(N_KINDS) for _ in range(pool[k])]
    rng.shuffle(tiles)
    for s in others:
        held = [tiles.pop() for _ in range(sizes[s])]
        if giving:
            for i in range(3):
                if record["gives"][now, s, i] >= 0:
                    record["gives"][now, s, i] = tiles.pop()
        _set_counts(record, s, held)
    undealt = tiles + [k for k in range(FIRST_FLOWER, FIRST_FLOWER + 8) if pool[k]]
    rng.shuffle(undealt)
    assert len(undealt) == tail - head
    dealt = list((Counter(FULL_SET.tolist()) - Counter(undealt)).elements())
    rng.shuffle(dealt)
    record["wall"] = dealt[:head] + undealt + dealt[head:]

    # Exchanges made: its own three given and got, not from or to whom.
    for e in range(now):
        pairing = PAIRINGS_TABLE[rng.randrange(9)].tolist()
        gives = np.array([[rng.randrange(N_KINDS) for _ in range(3)] for _ in range(4)], dtype=np.int8)
        gives[pairing.index(seat)] = record["takes"][e, seat]
        gives[seat] = record["gives"][e, seat]
        record["pairings"][e] = pairing
        record["gives"][e] = gives
        for giver in range(4):
            record["takes"][e, pairing[giver]] = gives[giver]
    for e in range(now, 2):
        record["pairings"][e] = PAIRINGS_TABLE[rng.randrange(9)]

    # What only others know, and what nobody does.
    claim = hand.phase in ("claim", "rob")
    for s in others:
        record["rng"][s] = rng.getrandbits(64)
        record["skipped_win"][s] = rng.randrange(2)
        record["skipped_pung"][s] = rng.getrandbits(N_KINDS)
        record["passed"][s] = rng.getrandbits(N_KINDS)
        record["stopped"][s] = rng.randrange(2)
        record["shanten_at"][:, s] = [rng.randrange(6) for _ in range(4)]
        record["distance"][s] = rng.randrange(1, 10)
        record["options"][s] = rng.choice([0, 1 << (WIN - OTHER), 1 << (PUNG - OTHER), 3]) if claim else 0
        record["answers"][s] = rng.choice([-1, PASS, PUNG, CHOW_LOW]) if claim else -1
    if hand.phase not in ("give", "choice"):
        for s in others:
            if sizes[s] + 3 * int(record["n_melds"][s]) == 16:
                melds = int(record["n_melds"][s])
                record["distance"][s] = mjsim.shanten(record["counts"][s].copy(), melds, rules=hand.rules) + 1
    if int(record["turn"]) != seat:
        # The tile that another drew last, and what it did for that seat.
        record["drawn"] = rng.randrange(N_KINDS)
        record["lacks"] = rng.randrange(8)
        record["win_legal"] = rng.randrange(2)
    record["seed"] = rng.getrandbits(40)
    record["match"] = rng.getrandbits(20)
    for name in ("position", "score"):
        blank = array[name]
        blank[...] = np.frombuffer(rng.randbytes(blank.dtype.itemsize), dtype=blank.dtype)
    return array


@cache
def many_decisions() -> list[tuple[mjsim.Hand, int]]:
    """Decisions of rich hands, copied, each with its number; all phases are among them."""
    met = enumerate(itertools.chain(rich_decisions(160, 2024), rich_decisions(120, 2025, FAMILIES)))
    kept = [(hand.copy(), i) for i, hand in met if i % 5 == 0 or hand.phase in RARE]
    phases = Counter(hand.phase for hand, _ in kept)
    assert {"give", "choice", "turn", "claim", "flower", "declare"} <= set(phases), phases
    assert {hand.rules.name for hand, _ in kept} == {*DOUQUE, *FAMILIES}
    return kept


RARE = ("rob", "flower", "choice", "declare")


@cache
def shuffled_decisions() -> list[tuple[mjsim.Hand, int, list[np.ndarray]]]:
    """The same with three shuffled records of each."""
    rng = random.Random(99)
    return [(hand, i, [hidden_shuffled(hand, hand.seat, rng) for _ in range(3)]) for hand, i in many_decisions()]


def differing(policy: Pointer, parameters: np.ndarray, stop: int = 5) -> list[str]:
    """Decisions at which the policy's answer depends on what its seat may not see."""
    ask = policy.python()
    found = []
    for hand, number, others in shuffled_decisions():
        rules = hand.rules.address
        # Named, so that each copy outlives its call: an agent that allocates would be given its memory.
        records = [copied(hand), *(other.copy() for other in others)]
        wanted, *answers = (ask(record.ctypes.data, rules, parameters.ctypes.data) for record in records)
        given = set(answers)
        if given != {wanted}:
            found.append(f"decision {number} ({hand.phase}): {wanted} became {sorted(given)}")
        if len(found) >= stop:
            break
    return found


def test_a_shuffled_record_is_another_sound_hand() -> None:
    """The shuffle itself: the tiles are conserved, what the seat sees is the same, and something did change."""
    rng = random.Random(5)
    changed: Counter[str] = Counter()
    for hand, _ in many_decisions()[::3]:
        seat = hand.seat
        array = hidden_shuffled(hand, seat, rng)
        before, after = hand.record, array[0]
        # Marks drawn at random can contradict each other; tiles, caches, melds and discards cannot.
        loose = ("options", "answers", "shanten_at", "skipped", "stage", "seat ", "distance", "declared", "legal: pass",
                 "settle", "pairings", "lacks", "drawn", "MIGI", "passed")  # fmt: skip
        assert [f for f in check(after, hand.rules) if not f.startswith(loose)] == []
        for name in (
            "counts", "keys", "have", "twos", "threes", "quads", "distance", "skipped_win", "skipped_pung", "passed", "rng",
            "options", "answers",
        ):  # fmt: skip
            assert np.array_equal(before[name][seat], after[name][seat]), name
        assert np.array_equal(before["shanten_at"][:, seat], after["shanten_at"][:, seat])
        for name in (
            "flowers", "flower_time", "discards", "discarder", "discard_taken", "last_discard", "declared", "declared_at",
            "n_melds", "meld_type", "meld_claimed", "meld_from", "pungs", "dice", "dealer", "east", "streak", "head",
            "tail", "phase", "turn", "seat", "claim_tile", "claim_from", "stage", "barred", "legal", "n_legal", "hand",
        ):  # fmt: skip
            assert np.array_equal(before[name], after[name]), name
        assert np.array_equal(before["gives"][:, seat], after["gives"][:, seat])
        assert np.array_equal(before["takes"][:, seat], after["takes"][:, seat])
        for s in range(4):
            for i in range(int(before["n_melds"][s])):
                if s == seat or before["meld_type"][s, i] != KONG_CONCEALED:
                    assert before["meld_tile"][s, i] == after["meld_tile"][s, i]
                else:
                    changed["kong"] += before["meld_tile"][s, i] != after["meld_tile"][s, i]
        changed["counts"] += not np.array_equal(before["counts"], after["counts"])
        changed["wall"] += not np.array_equal(before["wall"], after["wall"])
        changed["gives"] += not np.array_equal(before["gives"], after["gives"])
    assert min(changed[name] for name in ("counts", "wall", "gives", "kong")) > 10, changed


@pytest.mark.parametrize("name", BUNDLED)
def test_agents_see_only_their_own(name: str) -> None:
    agent = agents.make(SHORT.get(name, name))
    assert agent.parameters_address == agent.parameters.ctypes.data  # where `search` writes whom it calls
    assert differing(agent.policy, agent.parameters) == []


@pytest.mark.parametrize("name", BUNDLED)
def test_agents_change_nothing_but_their_own_stream(name: str) -> None:
    agent = agents.make(SHORT.get(name, name))
    for hand, _ in many_decisions()[::4]:
        array = copied(hand)
        action = answer_of(agent, array, hand.rules)
        assert hand.legal_mask()[action] == 1
        array["rng"][0, hand.seat] = hand.record["rng"][hand.seat]
        assert array.tobytes() == hand._array.tobytes(), f"{name} at {hand.phase}"


@pointer(POLICY)
def _cheat(h, r, parameters):
    """Chooses by something that its seat may not see; the parameter says what."""
    what = carray(address_as_pointer(parameters), 1)[0]
    other = (h.seat + 1) % 4
    n = np.int64(0)
    if what == 0:
        n = np.int64(h.counts[other, 4])
    elif what == 1:
        n = np.int64(h.wall[h.head])
    elif what == 2:
        n = np.int64(h.wall[h.tail - 1])
    elif what == 3:
        for s in range(4):
            if s != h.seat:
                for i in range(h.n_melds[s]):
                    if h.meld_type[s, i] == 4:
                        n += h.meld_tile[s, i]
    elif what == 4:
        n = np.int64(h.gives[0, other, 0]) + 1
    elif what == 5:
        n = np.int64(h.skipped_win[other])
    elif what == 6:
        n = np.int64(h.rng[other] & np.uint64(0xFFFF))
    elif what == 7:
        n = np.int64(h.distance[other])
    elif what == 8:
        n = np.int64(h.position.counts[3]) & 0xFF
    elif what == 9:
        n = np.int64(h.answers[other]) + 1
    elif what == 10:
        n = np.int64(h.pairings[0, h.seat])
    elif what == 11:
        n = np.int64(h.keys[other, 0])
    elif what == 12:
        n = np.int64(h.drawn) + 1
    elif what == 13:
        n = np.int64(h.melded[other, 5])
    elif what == 14:
        n = np.int64(h.seed & 0xFFFF)
    elif what == 15:
        n = np.int64(h.shanten_at[0, other])
    return nth_legal(h, n % h.n_legal)


CHEATS = {
    "another's tiles": 0, "the next draw": 1, "the next replacement": 2, "a hidden kong": 3, "another's gives": 4,
    "another's skipped win": 5, "another's stream": 6, "another's shanten": 7, "the last hand scored": 8,
    "another's answer": 9, "the pairing": 10, "another's keys": 11, "what another drew": 12, "tiles in hidden kongs": 13,
    "the seed": 14, "another's first shanten": 15,
}  # fmt: skip


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_is_caught(name: str) -> None:
    assert differing(_cheat, np.array([float(CHEATS[name])]), stop=1) != []


def test_an_honest_twin_of_the_cheat_is_not_caught() -> None:
    assert differing(_cheat, np.array([99.0])) == []


# --- random ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", ["turn", "claim", "give", "choice"])
def test_random_is_uniform(phase: str) -> None:
    """Chi-square of 20,000 draws at one decision; seed and bound are fixed (99.99 %)."""
    agent = agents.make("random")
    hand = max((h for h, _ in many_decisions() if h.phase == phase), key=lambda h: len(h.legal()))
    array = copied(hand)
    array["rng"][0] = [1, 2, 3, 4]
    ask = agent.policy.python()
    n = 20_000
    drawn = Counter(ask(array.ctypes.data, hand.rules.address, agent.parameters_address) for _ in range(n))
    legal = np.flatnonzero(hand.legal_mask()).tolist()
    assert sorted(drawn) == legal
    expected = n / len(legal)
    chi = sum((drawn[a] - expected) ** 2 / expected for a in legal)
    degrees = len(legal) - 1
    # Wilson and Hilferty's approximation of the 0.9999 quantile.
    bound = degrees * (1 - 2 / (9 * degrees) + 3.719 * (2 / (9 * degrees)) ** 0.5) ** 3
    assert chi < bound, (chi, degrees)
    # Neighbouring draws have nothing to do with each other: of two in a row, one in len(legal) is the same.
    series = [ask(array.ctypes.data, hand.rules.address, agent.parameters_address) for _ in range(n)]
    same = sum(a == b for a, b in itertools.pairwise(series)) / (n - 1)
    p = 1 / len(legal)
    assert abs(same - p) < 4 * (p * (1 - p) / n) ** 0.5


def test_random_repeats_for_one_seed_and_differs_for_others() -> None:
    def drawn(seed: int, match: int, seat: int) -> list[int]:
        hand = mjsim.Hand("douque-taiwanese", seed=seed, match=match)
        array = copied(hand)
        array["seat"] = seat
        array["legal"][0] = np.array([2**34 - 1, 0, 0, 0, 0], dtype=np.uint64)
        array["n_legal"] = 34
        agent = agents.make("random")
        return [answer_of(agent, array, hand.rules) for _ in range(40)]

    streams = [drawn(seed, match, seat) for seed in range(3) for match in range(3) for seat in range(4)]
    assert streams == [drawn(seed, match, seat) for seed in range(3) for match in range(3) for seat in range(4)]
    assert len({tuple(s) for s in streams}) == len(streams)


# --- greedy ---------------------------------------------------------------------------------------------------------


@cache
def _targets(ranks: int) -> dict[tuple[int, int], np.ndarray]:
    """Every vector of counts that is so many melds and pairs of one suit (nine ranks) or of honors (seven, no chows)."""
    sets = [[3 * (i == r) for i in range(ranks)] for r in range(ranks)]
    if ranks == 9:
        sets += [[int(r <= i < r + 3) for i in range(ranks)] for r in range(ranks - 2)]
    found: dict[tuple[int, int], np.ndarray] = {(0, 0): np.zeros((1, ranks), dtype=int)}
    for m in range(1, 6):
        more = (found[m - 1, 0][:, None] + np.array(sets)[None]).reshape(-1, ranks)
        found[m, 0] = np.unique(more[(more <= 4).all(axis=1)], axis=0)
    for m in range(6):
        more = (found[m, 0][:, None] + 2 * np.eye(ranks, dtype=int)[None]).reshape(-1, ranks)
        found[m, 1] = np.unique(more[(more <= 4).all(axis=1)], axis=0)
    return found


@cache
def _columns(ranks: int) -> list[tuple[tuple[int, int], np.ndarray]]:
    return [(key, np.ascontiguousarray(rows.T.astype(np.int8))) for key, rows in _targets(ranks).items()]


@cache
def _most_kept(group: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """For 0-5 melds: the most tiles of a suit that a target of so many melds, without and with a pair, can use."""
    counts = np.array(group, dtype=np.int8)[:, None]
    kept = {key: int(np.minimum(rows, counts).sum(axis=0, dtype=np.int8).max()) for key, rows in _columns(len(group))}
    return tuple((kept[m, 0], kept[m, 1]) for m in range(6))


@cache
def _together(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """`_most_kept` of two suits together."""
    one, other = _most_kept(a), _most_kept(b)
    return tuple(
        (
            max(one[n][0] + other[m - n][0] for n in range(m + 1)),
            max(max(one[n][1] + other[m - n][0], one[n][0] + other[m - n][1]) for n in range(m + 1)),
        )
        for m in range(6)
    )


def lacking(counts: list[int], melds: int) -> int:
    """Tiles still lacking for 5 - melds sets and a pair, by going through all targets suit by suit."""
    left = _together(tuple(counts[:9]), tuple(counts[9:18]))
    right = _together(tuple(counts[18:27]), tuple(counts[27:]))
    need = 5 - melds
    kept = max(max(left[n][0] + right[need - n][1], left[n][1] + right[need - n][0]) for n in range(need + 1))
    return 17 - 3 * melds - kept


def far_from(counts: list[int], melds: int, rules: Rules) -> int:
    """`lacking`, by the package's own (and elsewhere tested) shanten where it takes the hand: that is much faster."""
    if sum(counts) in (16 - 3 * melds, 17 - 3 * melds):
        return mjsim.shanten(np.array(counts, dtype=np.int8), melds, rules=rules) + 1
    return lacking(counts, melds)


class SlowGreedy:
    """The definition of `greedy`, clause by clause, on what the seat sees."""

    def __init__(self, hand: mjsim.Hand, exchange: float, flush: int = 1) -> None:
        self.hand, self.exchange = hand, exchange
        self.flush = flush
        self.seat = hand.seat
        self.record = hand.record
        self.counts = [int(n) for n in self.record["counts"][self.seat]]
        self.melds = int(self.record["n_melds"][self.seat])
        self.legal = np.flatnonzero(hand.legal_mask()).tolist()
        self.why = ""
        flags = hand.rules.flags
        self.claimed_may_go = flags["discard_claimed_tile"]
        high = flags["min_tai"] + flags["min_tai_step"] * int(self.record["prevailing"]) >= 10
        self.plan = self.planned() if high else "any"

    def far(self, counts: list[int], melds: int) -> int:
        return far_from(counts, melds, self.hand.rules)

    def usable(self, counts: list[int], suit: int) -> list[int]:
        """What a flush of the suit can use."""
        return [n if k >= 27 or k // 9 == suit else 0 for k, n in enumerate(counts)]

    def planned(self) -> Any:
        """With a high minimum: the suit of a flush, "any" where an exposed hand has none, else "concealed"."""
        shown = [
            (int(self.record["meld_type"][self.seat, i]), int(self.record["meld_tile"][self.seat, i]))
            for i in range(self.melds)
        ]
        suits = [s for s in range(3) if all(tile >= 27 or tile // 9 == s for _, tile in shown)]
        far = {suit: lacking(self.usable(self.counts, suit), self.melds) for suit in suits}
        best = min(far, key=lambda suit: (far[suit], suit)) if far else None
        if any(kind <= 1 for kind, _ in shown):
            return "any" if best is None else best
        if best is not None and far[best] <= self.far(self.counts, self.melds) + self.flush:
            return best
        return "concealed"

    def useless(self, counts: list[int]) -> list[int]:
        """Kinds in hand that the planned flush cannot use."""
        if not isinstance(self.plan, int):
            return []
        return [k for k in range(27) if counts[k] and k // 9 != self.plan]

    def unseen(self) -> list[int]:
        left = [4 - n for n in self.counts]
        for s in range(4):
            for i in range(int(self.record["n_melds"][s])):
                kind, tile = int(self.record["meld_type"][s, i]), int(self.record["meld_tile"][s, i])
                hidden = kind == KONG_CONCEALED and s != self.seat and self.hand.rules.flags["concealed_kong_hidden"]
                if not hidden:
                    for k in meld_tiles(kind, tile):
                        left[k] -= 1
        for i in range(int(self.record["n_discards"])):
            if self.record["discard_taken"][i] < 0:
                left[int(self.record["discards"][i])] -= 1
        return left

    def without(self, *kinds: int) -> list[int]:
        counts = list(self.counts)
        for k in kinds:
            counts[k] -= 1
        return counts

    def lose(self, kinds: list[int]) -> int:
        """Fewest shanten, then most ukeire over the tiles it cannot see, then the highest kind."""
        unseen = self.unseen()

        def worth(kind: int) -> tuple[int, int, int]:
            rest = self.without(kind)
            far = self.far(rest, self.melds)
            accepting = 0
            for k in range(N_KINDS):
                if unseen[k] > 0 and rest[k] < 4:
                    rest[k] += 1
                    if self.far(rest, self.melds) < far:
                        accepting += unseen[k]
                    rest[k] -= 1
            return -far, accepting, kind

        return max([k for k in kinds if k in self.useless(self.counts)] or kinds, key=worth)

    def choose(self) -> set[int]:
        """The actions that the definition allows here (more than one only where it leaves a tie open)."""
        for action, why in ((WIN, "win"), (FLOWER_WIN, "flower win")):
            if action in self.legal:
                self.why = why
                return {action}
        phase = self.hand.phase
        if phase == "give":
            self.why = "give"
            return {GIVE + self.lose([a - GIVE for a in self.legal])}
        if phase == "choice":
            far = self.far(self.counts, self.melds) - 1
            self.why = "exchange" if far >= self.exchange else "start"
            return {START + 1 if far >= self.exchange else START}
        if phase == "declare":
            self.why = "declare"
            return {DECLARE}
        if phase == "turn":
            return self.turn()
        return self.claim()

    def turn(self) -> set[int]:
        now = self.far(self.counts, self.melds)
        kongs: dict[int, int] = {}
        for action in self.legal:
            if OWN_KONG <= action < GIVE:
                k = action - OWN_KONG
                concealed = self.counts[k] == 4
                kongs[action] = (
                    self.far(self.without(k, k, k, k), self.melds + 1)
                    if concealed
                    else self.far(self.without(k), self.melds)
                )
        if kongs and min(kongs.values()) <= now:
            self.why = "kong"
            return {a for a, far in kongs.items() if far == min(kongs.values())}
        ready = [a - READY for a in self.legal if READY <= a < OWN_KONG]
        if isinstance(self.plan, int) and self.record["n_exposed"][self.seat]:
            # A melded flush is not frozen around a tile that it cannot use.
            ready = [k for k in ready if not self.useless(self.without(k))]
        if ready:
            self.why = "ready"
            return {READY + self.lose(ready)}
        self.why = "discard, no kong" if kongs else "discard"
        return {self.lose([a for a in self.legal if a < READY])}

    def claim(self) -> set[int]:
        """Claim when shanten falls, to the fewest; chow before pung before kong where equal."""
        k = int(self.record["claim_tile"])
        flush = isinstance(self.plan, int)
        self.why = "pass"
        if flush and k < 27 and k // 9 != self.plan:
            return {PASS}

        def distance(counts: list[int], melds: int) -> int:
            return lacking(self.usable(counts, self.plan), melds) if flush else self.far(counts, melds)

        now = distance(self.counts, self.melds)
        best = (now, 9)
        found = {PASS}
        for action in self.legal:
            if action == PASS or (self.plan == "concealed" and action != KONG):
                continue
            if action <= CHOW_HIGH:
                low = k - (action - CHOW_LOW)
                gone, order = [t for t in range(low, low + 3) if t != k], 0
                barred = {k}
                if action == CHOW_LOW and k % 9 <= 5:
                    barred.add(k + 3)
                if action == CHOW_HIGH and k % 9 >= 3:
                    barred.add(k - 3)
            else:
                gone, order = [k] * (2 if action == PUNG else 3), action - PUNG + 1
                barred = {k}
            if self.claimed_may_go:
                barred = set()
            rest = self.without(*gone)
            if action == KONG:
                far = distance(rest, self.melds + 1)
            else:
                far = 99
                for tile in range(N_KINDS):
                    if rest[tile] and tile not in barred:
                        rest[tile] -= 1
                        far = min(far, distance(rest, self.melds + 1))
                        rest[tile] += 1
            if far < now:
                if (far, order) < best:
                    best, found = (far, order), {action}
                elif (far, order) == best:
                    found.add(action)
        self.why = "pass" if found == {PASS} else "claim"
        return found


def test_lacking_is_shanten() -> None:
    for hand, _ in many_decisions()[::10]:
        for s in range(4):
            counts = hand.record["counts"][s].copy()
            melds = int(hand.record["n_melds"][s])
            if counts.sum() in (16 - 3 * melds, 17 - 3 * melds):
                assert lacking(counts.tolist(), melds) == mjsim.shanten(counts, melds) + 1


@pytest.mark.parametrize("exchange", [5, 3])
def test_greedy_does_what_it_says(exchange: int) -> None:
    agent = agents.make("greedy" if exchange == 5 else f"greedy:exchange={exchange}")
    met: Counter[str] = Counter()
    plans = set()
    wrong = []
    chosen = [h for h, i in many_decisions() if i % 2 == 0 or h.phase != "turn" or _kongs(h)]
    gives = [h for h in chosen if h.phase == "give"]
    for hand in [h for h in chosen if h.phase != "give"][exchange % 2 :: 2] + gives[exchange::5]:
        slow = SlowGreedy(hand, exchange)
        allowed = slow.choose()
        given = answer_of(agent, copied(hand), hand.rules)
        met[slow.why] += 1
        plans.add(slow.plan)
        if given not in allowed:
            wrong.append(f"{hand.phase}: {given}, not {allowed} ({slow.why}) {hand!r}")
    assert wrong == []
    assert sum(met.values()) > 300
    wanted = {"win", "give", "start", "exchange", "kong", "ready", "declare", "discard", "claim", "pass"}
    assert wanted <= set(met), met
    assert plans == {"any", "concealed", 0, 1, 2}


def _kongs(hand: mjsim.Hand) -> bool:
    return any(a.startswith("kong ") for a in hand.legal())


def test_greedy_plays_whole_hands_as_the_slow_one() -> None:
    """On its own hands too: three of each rule set, every third decision."""
    agent = agents.make("greedy")
    ask = agent.policy.python()
    n = 0
    for number in range(15):
        hand = mjsim.Hand((*DOUQUE, *FAMILIES)[number % 5], seed=number)
        while not hand.over:
            action = ask(hand._address, hand.rules.address, agent.parameters_address)
            if n % 3 == 0:
                assert action in SlowGreedy(hand, 5).choose(), f"hand {number}, decision {len(hand.decisions)}"
            hand.apply(action)
            n += 1
    assert n > 300


# --- the registry ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("greedi", "unknown agent 'greedi'; did you mean 'greedy'?"),
        ("ramdom", "did you mean 'random'"),
        ("", "unknown agent ''"),
        ("zzz", "known: "),
        ("greedy:exchnge=3", "unknown parameter 'exchnge'"),
        ("greedy:exchange", "no parameter=number"),
        ("greedy:exchange=", "no parameter=number"),
        ("greedy:exchange=many", "'exchange=many' is no parameter=number"),
        ("greedy:3", "no parameter=number"),
        ("random:x=1", "unknown parameter 'x'"),
        ("greedy:exchange=nan", "exchange"),
        ("greedy:exchange=1:exchange=2", "exchange"),
    ],
)
def test_a_wrong_text_is_named(text: str, said: str) -> None:
    with pytest.raises(mjsim.UsageError) as told:
        agents.make(text)
    assert said in str(told.value) and "\n" not in str(told.value)


def test_agents_by_text() -> None:
    agent = agents.make("greedy:exchange=4")
    assert (
        agent.name == "greedy:exchange=4"
        and agent.parameters.tolist() == [4.0, 1.0]
        and agent.parameters.dtype == np.float64
    )
    assert agents.make(agent) is agent
    assert agents.make("greedy").parameters.tolist() == [5.0, 1.0]
    assert {"random", "greedy"} <= set(agents.names()) and agents.names() == sorted(agents.names())
    assert [a.name for a in make_four("random")] == ["random"] * 4
    assert [a.name for a in make_four("random, greedy,random,greedy:exchange=2")] == [
        "random", "greedy", "random", "greedy:exchange=2",
    ]  # fmt: skip
    for wrong in ("random,greedy", [], ["random"] * 5):
        with pytest.raises(mjsim.UsageError, match="agents: "):
            make_four(wrong)


@pytest.fixture
def registered() -> Iterator[Callable[[str, Callable], None]]:
    """`agents.register` for the time of a test."""
    added: list[str] = []

    def register(name: str, factory: Callable) -> None:
        agents.register(name, factory)
        added.append(name)

    yield register
    for name in added:
        del registry._FACTORIES[name]


@pointer(POLICY)
def _broken(h, r, parameters):
    """Answers what is never legal, on its own turn."""
    return 146 if h.phase == 2 else nth_legal(h, 0)


def test_register(registered: Callable) -> None:
    registered("honest", lambda text, given: Agent(text, _cheat, {"what": 99.0} | given))
    assert "honest" in agents.names()
    assert agents.make("honest:what=98").parameters.tolist() == [98.0]
    for name in ("honest", "greedy"):
        with pytest.raises(mjsim.UsageError, match=f"'{name}' is registered already"):
            agents.register(name, lambda text, given: agents.make("random"))
    for name in ("", "a b", "a:b", "a,b", "1a"):
        with pytest.raises(mjsim.UsageError, match="a name is"):
            agents.register(name, lambda text, given: agents.make("random"))
    assert len(mjsim.simulate("douque-american", "honest,greedy,honest,random", 20, 1)) == 20


def make_four_broken(texts: list[str]) -> list[Agent]:
    """A resolver that worker processes can import: `broken` beside the bundled agents."""
    return [Agent("broken", _broken) if text == "broken" else agents.make(text) for text in texts]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_illegal_answer_names_the_agent(workers: int, tmp_path: Any) -> None:
    texts = ["greedy", "random", "broken", "greedy"]
    plan = make_plan("douque-taiwanese", texts, 40, 1, resolver="tests.test_agents:make_four_broken")
    with pytest.raises(mjsim.MjsimError, match=r"'broken' \(seat 2\) answered an illegal action"):
        simulate_files(Run(plan, tmp_path / "out", None), workers)
    assert not (tmp_path / "out" / "hands.parquet").exists()


def test_an_illegal_answer_of_a_registered_agent(registered: Callable) -> None:
    registered("broken", lambda text, given: Agent(text, _broken, given))
    with pytest.raises(mjsim.MjsimError, match="'broken:x=1'") as told:
        mjsim.simulate("douque-taiwanese", ["broken:x=1"] * 4, 10, 1)
    assert not isinstance(told.value, ValueError), "the agent is at fault, not an argument"
    assert "\n" not in str(told.value)


@pointer(POLICY)
def _deals_again(h, r, parameters):
    """Answers -1, the engine's own word for dealing."""
    return -1


_DEAL_AGAIN = """
import mjsim
from mjsim import agents
from tests.test_agents import Agent, _deals_again
agents.register("dealer", lambda text, given: Agent(text, _deals_again, given))
try:
    mjsim.simulate("douque-taiwanese", "dealer", 2, 1)
except mjsim.MjsimError as error:
    print(error)
"""


def test_an_agent_cannot_deal_again() -> None:
    """In a process of its own: an agent that deals again and again never comes back."""
    assert _deals_again.address  # compiled here, so that the other process starts at once
    ran = subprocess.run(
        [sys.executable, "-c", _DEAL_AGAIN],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert "'dealer' (seat 0) answered an illegal action" in ran.stdout, ran.stderr
