"""What `evaluate` plays: the plan, its sets and seatings, and one chunk of them as an Arrow table.

A set is the unit: the same wall, dice, pairings and standing, played once in every seating. Owns nothing of what the
numbers mean (`evaluate_measures`) and no files (`evaluate`).
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from mjsim import __version__
from mjsim.batch import with_faults
from mjsim.experiments.evaluate_kernels import (
    END,
    N_NOTED,
    NOT_PLAYED,
    SEAT_FIELDS,
    STANDING_FIELDS,
    lay_hand,
    note_hand,
    play_hands,
)
from mjsim.experiments.walls import DEFAULT_KEEP, Pace, streak_thresholds
from mjsim.files import write_whole
from mjsim.hand_record import ENDS, HAND
from mjsim.lockstep import AT_ONCE, Lockstep, can_batch
from mjsim.play import DECISION
from mjsim.ruleset import Rules
from mjsim.ruleset import rules as make_rules

FORMAT = "mjsim-evaluate/1"
RESOLVER = "mjsim.agents.registry:make"

#: Who sits with whom.
ONE_THREE, TWO_TWO, FOUR, LEADERBOARD = MODES = ("one-three", "two-two", "four", "leaderboard")

#: What is played: the comparison; the A/A check; with per-seat draws the same sets with draws from one wall.
MAIN, AA, SHARED = PARTS = ("sets", "aa", "shared")

#: The A/A check plays so many sets, or so many for each contestant, or a tenth of all. With a slow agent, whose chunks are
#: smaller than QUICK, it plays those for each contestant alone. Never more than the run.
AA_SETS, AA_SETS_EACH = 200, 40
QUICK = 512
#: The comparison of draws plays as many sets as the run, up to so many (with a slow agent as many as the A/A check).
SHARED_SETS = 8192
#: Longest streak drawn for single hands; longer ones are as rare as 1 in 2^32.
MAX_STREAK = 20
#: Purpose of the stream that draws the groups of a leaderboard.
GROUPS = 1


@dataclass(frozen=True)
class Plan:
    """Everything that the result depends on."""

    rules: str
    options: dict[str, Any]
    fingerprint: str
    agents: tuple[str, ...]  # contestants, A first
    mode: str
    all_seatings: bool
    sets: int
    match_hands: int  # 0: single hands
    seed: int
    own_draws: bool
    sprt: tuple[float, float] | None
    chunk_hands: int  # hands of a chunk, whatever the number of workers: the least `piece` of the agents
    resolver: str = RESOLVER
    format: str = FORMAT
    mjsim: str = __version__

    def make_rules(self) -> Rules:
        return make_rules(self.rules, **self.options)

    def seatings(self) -> np.ndarray:
        """int8[k, 4]: which of a set's four places sits at each seat; those of A are the first `places_of_a`."""
        if self.mode == TWO_TWO:
            listed = []
            for first in itertools.combinations(range(4), 2):
                others = [s for s in range(4) if s not in first]
                row = [0] * 4
                row[first[0]], row[first[1]], row[others[0]], row[others[1]] = range(4)
                listed.append(row)
        elif self.all_seatings:
            listed = [list(p) for p in itertools.permutations(range(4))]
        else:
            listed = [[(s - k) % 4 for s in range(4)] for k in range(4)]
        return np.array(listed, np.int8)

    def groups(self, first: int, n: int, part: str = MAIN) -> np.ndarray:
        """int16[n, 4]: the contestants of sets first..first + n - 1; on a leaderboard drawn anew for each set.

        In the A/A check one contestant has all four places, each in turn.
        """
        if part == AA:
            return np.repeat(np.arange(first, first + n) % len(self.agents), 4).astype(np.int16).reshape(n, 4)
        if self.mode == LEADERBOARD:
            return np.array([self._drawn_group(w) for w in range(first, first + n)], np.int16)
        row = {ONE_THREE: [0, 1, 1, 1], TWO_TWO: [0, 0, 1, 1]}.get(self.mode, [0, 1, 2, 3])
        return np.tile(np.array(row, np.int16), (n, 1))

    @property
    def places_of_a(self) -> int:
        return 2 if self.mode == TWO_TWO else 1

    def _drawn_group(self, number: int) -> list[int]:
        rng = np.random.default_rng([self.seed, number, GROUPS])
        drawn: list[int] = []
        while len(drawn) < 4:
            drawn += rng.permutation(len(self.agents)).tolist()
        return drawn[:4]

    @property
    def hands_of_set(self) -> int:
        return len(self.seatings()) * max(self.match_hands, 1)

    @property
    def chunk_sets(self) -> int:
        return max(1, self.chunk_hands // self.hands_of_set)

    def chunks(self, sets: int) -> list[tuple[int, int, int]]:
        """(number, first set, sets) of each chunk of that many sets."""
        size = self.chunk_sets
        return [(i, first, min(size, sets - first)) for i, first in enumerate(range(0, sets, size))]

    @property
    def aa_sets(self) -> int:
        each = AA_SETS_EACH * len(self.agents)
        return min(self.sets, max(AA_SETS, each, self.sets // 10) if self.chunk_hands >= QUICK else each)

    def shared_sets(self, sets: int) -> int:
        """With per-seat draws: how many of so many sets are played with draws from one wall too."""
        most = SHARED_SETS if self.chunk_hands >= QUICK else AA_SETS_EACH * len(self.agents)
        return min(sets, most) if self.own_draws else 0


def resolve(resolver: str, agent: str) -> Any:
    """The agent of a text by the resolver `module:function`."""
    module, _, name = resolver.partition(":")
    return getattr(importlib.import_module(module), name)(agent)


class Player:
    """Plays chunks of a plan in this process; `agents`: those to play, where texts do not tell (a network in training)."""

    def __init__(self, plan: Plan, agents: Sequence[Any] | None = None) -> None:
        from mjsim.flow import engine

        self.plan = plan
        self.rules = plan.make_rules().ready()
        self.agents = list(agents or (resolve(plan.resolver, text) for text in plan.agents))
        self.seatings = plan.seatings()
        self._engine = np.array([engine.apply.address, engine.lay.address], np.int64)
        self._streak_below = streak_thresholds(DEFAULT_KEEP, min(self.rules.flags["streak_cap"], MAX_STREAK))
        self._pace = Pace(8)
        for agent in self.agents:
            agent.check_rules(self.rules)
        self._lockstep: Lockstep | None = None
        if can_batch(self.agents):
            self._lockstep = Lockstep(self.rules, self.agents, AT_ONCE)
            return
        self._play(MAIN, 0, plan.groups(0, 1), 0, 0, np.zeros(1, HAND))  # compiles, and plays nothing

    def _play(self, part: str, first: int, groups: np.ndarray, start: int, n: int, hands: np.ndarray) -> np.ndarray:
        out = np.zeros((n, N_NOTED), np.int32)
        at, seat = play_hands(
            hands,
            self.rules.array,
            self._engine,
            np.array([[a.address for a in self.agents], [a.end_address for a in self.agents]], np.int64),
            np.array([a.parameters_address for a in self.agents], np.int64),
            self.plan.seed,
            first,
            start,
            groups,
            self.seatings,
            self.plan.match_hands,
            self._streak_below,
            int(self.plan.own_draws and part != SHARED),
            np.zeros(1, DECISION),
            out,
        )
        if seat >= 0:
            place, seating = at // self.plan.hands_of_set, at // max(self.plan.match_hands, 1) % len(self.seatings)
            agent = self.agents[groups[place, self.seatings[seating, seat]]]
            raise agent.complaint(
                f"agent {agent.name!r} answered an illegal action at seat {seat} of set {first + place}"
            )
        return out

    def chunk(self, part: str, first: int, n: int) -> pa.Table:
        """The hands of sets first..first + n - 1, a row each, in calls short enough for Ctrl-C between them."""
        groups = self.plan.groups(first, n, part)
        total = n * self.plan.hands_of_set
        if self._lockstep is not None:
            side_by_side = _SideBySide(self, part, first, groups)
            self._lockstep.play(side_by_side)
            return rows(self.plan, self.seatings, groups, first, side_by_side.noted)
        hands = np.zeros(1, HAND)
        noted = []
        for done, k in self._pace.parts(total):
            noted.append(self._play(part, first, groups, done, k, hands))
        faults = [fault for agent in self.agents for fault in agent.take_faults()]
        return with_faults(rows(self.plan, self.seatings, groups, first, np.concatenate(noted)), faults)

    def close(self) -> None:
        """Let go of what agents hold open (processes of their own)."""
        for agent in self.agents:
            agent.close()


class _SideBySide:
    """The hands of a chunk as lanes of a lockstep: each takes the next hand, or match, of the chunk when it has ended one."""

    def __init__(self, player: Player, part: str, first: int, groups: np.ndarray) -> None:
        self._player, self._first, self._groups = player, first, groups
        self._own_draws = int(player.plan.own_draws and part != SHARED)
        self._length = max(player.plan.match_hands, 1)
        self._total = len(groups) * player.plan.hands_of_set
        self._next = 0  # first hand that no lane has taken
        self._at: dict[int, int] = {}  # hand of each lane
        self.noted = np.zeros((self._total, N_NOTED), np.int32)

    def begin(self, lane: int) -> Sequence[int] | None:
        player = self._player
        assert player._lockstep is not None
        at = self._at.get(lane, -1) + 1
        while True:
            if at % self._length == 0:
                if self._next >= self._total:
                    return None
                at, self._next = self._next, self._next + self._length
            if lay_hand(
                player._lockstep.hands, lane, player.rules.array, player._engine, player.plan.seed, self._first, at,
                player.seatings, player.plan.match_hands, player._streak_below, self._own_draws,
            ):  # fmt: skip
                break
            self.noted[at, END] = NOT_PLAYED
            at += 1
        self._at[lane] = at
        return self._groups[at // player.plan.hands_of_set, player.seatings[at // self._length % len(player.seatings)]]

    def ended(self, lane: int) -> None:
        assert self._player._lockstep is not None
        note_hand(self._player._lockstep.hands, lane, self.noted[self._at[lane]])


_WORD = pa.dictionary(pa.int8(), pa.string())
_SEAT_TYPES = {"score": pa.int32(), "tai": pa.int32()}


def schema() -> pa.Schema:
    """Of the tables of hands; what the columns mean is in docs/evaluation.md."""
    fields = [
        ("set", pa.int64()), ("seating", pa.int8()), ("hand", pa.int32()), ("dealer", pa.int8()), ("streak", pa.int16()),
        ("prevailing", pa.int8()), ("end", _WORD),
    ]  # fmt: skip
    fields += [(f"agent_{s}", pa.int16()) for s in range(4)]
    fields += [(f"{name}_{s}", _SEAT_TYPES.get(name, pa.int8())) for name in SEAT_FIELDS for s in range(4)]
    return pa.schema(fields, metadata={"mjsim.schema": FORMAT})


def rows(plan: Plan, seatings: np.ndarray, groups: np.ndarray, first: int, noted: np.ndarray) -> pa.Table:
    """A row for each hand that was played of int32[sets x hands of a set, N_NOTED]."""
    at = np.flatnonzero(noted[:, END] != NOT_PLAYED)
    noted = noted[at]
    length = max(plan.match_hands, 1)
    place = at // plan.hands_of_set
    seating = at // length % len(seatings)
    agents = groups[place[:, None], seatings[seating]]
    end = pa.DictionaryArray.from_arrays(pa.array((noted[:, END] - 1).astype(np.int8)), pa.array(ENDS[1:]))
    columns: dict[str, Any] = {"set": first + place, "seating": seating, "hand": at % length}
    columns |= {name: noted[:, i] for i, name in enumerate(STANDING_FIELDS) if name != "end"}
    columns["end"] = end
    columns |= {f"agent_{s}": agents[:, s] for s in range(4)}
    for i, name in enumerate(SEAT_FIELDS):
        columns |= {f"{name}_{s}": noted[:, 4 + 4 * i + s] for s in range(4)}
    wanted = schema()
    arrays = [
        columns[f.name] if f.name == "end" else pa.array(np.ascontiguousarray(columns[f.name])).cast(f.type)
        for f in wanted
    ]
    return pa.Table.from_arrays(arrays, schema=wanted)


_players: dict[str, Player] = {}


def player_of(plan: Plan) -> Player:
    """The player of a plan, one in each process."""
    key = repr(plan)
    if key not in _players:
        _players.clear()
        _players[key] = Player(plan)
    return _players[key]


def part_file(folder: Path, part: str, number: int) -> Path:
    return folder / f"{part}-{number:08d}.arrow"


def play_chunk(plan: Plan, part: str, number: int, first: int, n: int, folder: str | None) -> tuple[int, bytes]:
    """Play a chunk; its table goes to the folder of parts, or without one comes back as bytes."""
    table = player_of(plan).chunk(part, first, n)

    def write(sink: Any) -> None:
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)

    if folder is not None:
        write_whole(part_file(Path(folder), part, number), write)
        return number, b""
    buffer = pa.BufferOutputStream()
    write(buffer)
    return number, buffer.getvalue().to_pybytes()


def labels(agents: Sequence[str]) -> list[str]:
    """Names to print: a text that stands twice gets a number."""
    seen: dict[str, int] = {}
    out = []
    for text in agents:
        seen[text] = seen.get(text, 0) + 1
        out.append(text if seen[text] == 1 else f"{text} #{seen[text]}")
    return out
