"""What one seat is told of a hand, as messages: the deal, every move it may see, the question, the result.

Owns the messages of docs/external-agents.md. A message comes from the record of the hand as it stands when the seat is asked, or
when the hand is over: what happened since the last time follows from the order of discards, the claims on them, the flowers and the
wall, walked turn by turn. Only what FORMATS.md's "What a seat may see" allows is put into a message.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mjsim import view
from mjsim.actions import BEGIN, CHOW_PARTNERS, format_action
from mjsim.hand import engine_calls
from mjsim.hand_record import CLAIM, FLOWER, GIVE, HAND, OVER, PHASES, ROB, TURN
from mjsim.melds import CHOW, KONG_ADDED, KONG_CONCEALED, KONG_EXPOSED, MELD_NAMES, MELD_PUNG, meld_tiles
from mjsim.ruleset import Rules
from mjsim.ruleset.record import ROB_KONG, S_FLOWER
from mjsim.tiles import FIRST_FLOWER, TEXT, format_counts, format_flowers, format_tiles

PROTOCOL = "mjsim-agent/1"

#: Ways to place kongs among the turns since the last message that are tried; there is mostly one.
_MAX_WALKS = 4000

#: What the seat whose turn it is does next.
_DRAW, _REPLACE, _ACT = range(3)

Message = dict[str, Any]


@dataclass
class _Place:
    """How far the hand has been told."""

    head: int
    tail: int
    turn: int
    doing: int
    discards: int  # told
    open: bool  # the latest of them may still be claimed
    melds: list[list[int]]  # types of the melds of each seat that have been told
    flowers: list[int]  # masks by seat
    counts: list[
        list[int]
    ]  # concealed tiles of each seat: nothing of them is told, they decide between two ways it may have been


def standing(record: np.void, rules: Rules, seat: int) -> Message:
    """`start`: the table and its rules, nothing of the seed."""
    prevailing = int(record["prevailing"])
    return {
        "type": "start",
        "protocol": PROTOCOL,
        "rules": rules.name,
        "options": rules.options,
        "fingerprint": rules.fingerprint,
        "minimum": view.minimum(rules, prevailing),
        "seat": seat,
        "dealer": int(record["dealer"]),
        "east": int(record["east"]),
        "prevailing": view.WINDS[prevailing],
        "streak": int(record["streak"]),
        "dice": record["dice"].tolist(),
        "carry": view.carry(int(record["pool"]), rules),
    }


def question(record: np.void, rules: Rules, seat: int) -> Message:
    """`ask`: what is asked, the legal actions, and the table as the seat sees it."""
    phase = int(record["phase"])
    asked: Message = {"type": "ask", "phase": PHASES[phase]}
    if phase in (CLAIM, ROB):
        asked |= {"tile": TEXT[int(record["claim_tile"])], "from": int(record["claim_from"])}
    elif phase == FLOWER:
        asked["from"] = int(record["turn"])
    asked["legal"] = legal(record)
    asked["table"] = _table(record, rules, seat)
    return asked


def legal(record: np.void) -> list[str]:
    """Legal actions of the seat that is asked, as FORMATS.md's texts."""
    claimed = int(record["claim_tile"]) if record["phase"] == CLAIM else -1
    return view.legal_texts(record["legal"].tolist(), claimed)


def _sees(record: np.void, rules: Rules, seat: int, owner: int, kind: int) -> bool:
    return owner == seat or kind != KONG_CONCEALED or not rules.flags["concealed_kong_hidden"]


def _meld(record: np.void, rules: Rules, seat: int, owner: int, i: int) -> list[str]:
    kind = int(record["meld_type"][owner, i])
    seen = _sees(record, rules, seat, owner, kind)
    return [MELD_NAMES[kind], format_tiles(meld_tiles(kind, int(record["meld_tile"][owner, i]))) if seen else "?"]


def _table(record: np.void, rules: Rules, seat: int) -> Message:
    phase = int(record["phase"])
    n = int(record["n_discards"])
    discards: list[list[str]] = [[], [], [], []]
    for who, kind in zip(record["discarder"][:n].tolist(), record["discards"][:n].tolist(), strict=True):
        discards[who].append(TEXT[kind])
    words = view.declarations(rules)
    drawn = int(record["drawn"])
    return {
        "hand": format_counts(record["counts"][seat]),
        "drawn": TEXT[drawn] if phase == TURN and drawn >= 0 else None,
        "melds": [
            [_meld(record, rules, seat, owner, i) for i in range(int(record["n_melds"][owner]))] for owner in range(4)
        ],
        "flowers": [format_flowers(mask) for mask in record["flowers"].tolist()],
        "discards": ["".join(kinds) for kinds in discards],
        "declared": [words[int(number)] for number in record["declared"]],
        "turn": int(record["turn"]),
        "wall": int(record["tail"]) - int(record["head"]) - int(rules.flags["kept_back"]),
    }


class Story:
    """One hand as one seat is told it.

    Args:
        record: the hand at the first time that the seat is asked.
    """

    def __init__(self, record: np.void, rules: Rules, seat: int) -> None:
        self._rules = rules
        self._seat = seat
        begun = self._dealt(record)
        self._rounds = 0
        self._instants = 0
        self._called: set[int] = set()  # seats whose Original Call without a discard has been told
        in_opening = begun["phase"] == FLOWER and begun["resume"] < 0
        draws_first = bool(rules.flags["dealer_draws_first"])
        if begun["phase"] == FLOWER and not in_opening:
            doing = _REPLACE
        elif draws_first and begun["phase"] not in (TURN, OVER):
            doing = _DRAW
        else:
            doing = _ACT
        self._at = _Place(
            int(begun["head"]), int(begun["tail"]), int(begun["dealer"]), doing, 0, False, [[], [], [], []],
            begun["flowers"].tolist(), begun["counts"].tolist(),
        )  # fmt: skip
        self._opening = [
            standing(record, rules, seat),
            {
                "type": "deal",
                "tiles": format_counts(begun["counts"][seat]),
                "flowers": [format_flowers(mask) for mask in begun["flowers"].tolist()],
            },
        ]

    def _dealt(self, record: np.void) -> np.void:
        """The hand at its beginning: the same luck dealt anew."""
        array = np.zeros(1, dtype=HAND)
        for name in ("wall", "dice", "pairings", "dealer", "east", "prevailing", "streak", "pool", "hand"):
            array[name][0] = record[name]
        array["phase"] = OVER
        engine_calls()[0](array.ctypes.data, self._rules.address, BEGIN)
        return array[0]

    def until(self, record: np.void) -> list[Message]:
        """Messages of all that the seat may know and has not been told yet, up to the record."""
        out, self._opening = self._opening, []
        while self._rounds < int(record["round"]):
            gives, takes = record["gives"][self._rounds].tolist(), record["takes"][self._rounds].tolist()
            self._rounds += 1
            for s in range(4):
                for kind in takes[s]:
                    self._at.counts[s][kind] += 1
                for kind in gives[s]:
                    self._at.counts[s][kind] -= 1
            out.append(
                {
                    "type": "exchanged",
                    "gave": format_tiles(sorted(gives[self._seat])),
                    "got": format_tiles(sorted(takes[self._seat])),
                }
            )
        for s in range(4):
            if record["declared"][s] and record["declared_at"][s] < 0 and s not in self._called:
                self._called.add(s)
                out.append({"type": "move", "seat": s, "action": "declare"})
        out += self._moves(record)
        n = int(record["n_instants"])
        if n > self._instants:
            paid = view.settlements(record, self._rules.item_ids)[self._instants : n]
            self._instants = n
            out += [{"type": "payment", **{k: v for k, v in one.items() if k != "kind"}} for one in paid]
        return out

    def result(self, record: np.void) -> Message:
        """`end`: how the hand ended, its settlements and scores."""
        return {
            "type": "end",
            "end": view.end_text(record),
            "settlements": view.settlements(record, self._rules.item_ids),
            "scores": record["scores"].tolist(),
        }

    # ---- the walk from turn to turn ------------------------------------------------------------------------------------

    def _moves(self, record: np.void) -> list[Message]:
        kongs = self._new_kongs(record)
        needed = self._needed(record, kongs)
        plan: list[bool] = []
        for _ in range(_MAX_WALKS):
            messages, place, fits, met = self._walk(record, kongs, needed, plan)
            if fits:
                self._at = place
                return messages
            # The same up to the latest kong that was made where it could be made later.
            plan = (plan + [True] * met)[:met]
            while plan and not plan[-1]:
                plan.pop()
            if not plan:
                break
            plan[-1] = False
        return self._plainly(record, kongs)

    def _plainly(self, record: np.void, kongs: list[tuple[int, int]]) -> list[Message]:
        """Discards and claims in order, kongs and flowers anywhere between, no draws: where no walk was found in time."""
        at = self._at
        out: list[Message] = []
        left = list(kongs)

        def own_kongs(s: int, upto: int) -> None:
            for kong in [kong for kong in left if kong[0] == s and kong[1] < upto]:
                if kong[1] <= len(at.melds[s]):
                    left.remove(kong)
                    at.turn = s
                    out.append(self._own_kong(record, at, kong[1]))

        while True:
            if at.open and (taker := int(record["discard_taken"][at.discards - 1])) >= 0:
                claimed = record["meld_from"][taker].tolist()
                own_kongs(taker, next(i for i in range(len(at.melds[taker]), 5) if claimed[i] >= 0))
                out.append(self._claim(record, at))
            if at.discards == int(record["n_discards"]):
                break
            at.turn = int(record["discarder"][at.discards])
            out.append(self._discard(record, at))
        for s in range(4):
            own_kongs(s, 5)
            new = int(record["flowers"][s]) & ~at.flowers[s]
            out += [{"type": "flower", "seat": s, "tile": TEXT[FIRST_FLOWER + f]} for f in range(8) if new >> f & 1]
        phase = int(record["phase"])
        at.head, at.tail = int(record["head"]), int(record["tail"])
        at.flowers, at.counts = record["flowers"].tolist(), record["counts"].tolist()
        at.open = phase == CLAIM
        at.turn = (int(record["claim_from"]) + 1) % 4 if at.open else int(record["turn"])
        at.doing = _DRAW if at.open else _REPLACE if phase == FLOWER else _ACT
        return out

    def _new_kongs(self, record: np.void) -> list[tuple[int, int]]:
        """(seat, meld) of the kongs made on an own turn that have not been told."""
        found = []
        for s in range(4):
            told = self._at.melds[s]
            for i, kind in enumerate(record["meld_type"][s][: int(record["n_melds"][s])].tolist()):
                if kind >= KONG_ADDED and (i >= len(told) or told[i] != kind):
                    found.append((s, i))
        return found

    def _walk(
        self, record: np.void, kongs: list[tuple[int, int]], needed: list[list[int]] | None, plan: list[bool]
    ) -> tuple[list[Message], _Place, bool, int]:
        """Messages of the moves, where they lead, whether that is the record, and how often a kong could be made.

        `plan` says of each such time whether one is made; beyond it all are made as soon as they can be.
        """
        at = replace(
            self._at, melds=[list(told) for told in self._at.melds], flowers=list(self._at.flowers),
            counts=[list(held) for held in self._at.counts],
        )  # fmt: skip
        out: list[Message] = []
        wall, flowers = record["wall"].tolist(), record["flowers"].tolist()
        head, tail, n = int(record["head"]), int(record["tail"]), int(record["n_discards"])
        robbed_flower = (
            record["phase"] == OVER and S_FLOWER in record["settle_kind"][: record["n_settlements"]].tolist()
        )
        left = list(kongs)
        need = None if needed is None else [list(row) for row in needed]
        met = 0
        while True:
            if at.doing == _DRAW and at.open and int(record["discard_taken"][at.discards - 1]) >= 0:
                taker = int(record["discard_taken"][at.discards - 1])
                if record["meld_type"][taker, len(at.melds[taker])] == KONG_CONCEALED:
                    break  # a kong that stands before this claim has not been made
                out.append(self._claim(record, at))
            elif at.doing == _ACT:
                made = None
                for kong in left:
                    if self._can_be_due(record, at, kong):
                        met += 1
                        if met > len(plan) or plan[met - 1]:
                            made = kong
                            break
                if made is not None:
                    left.remove(made)
                    out.append(self._own_kong(record, at, made[1]))
                elif at.discards < n and self._can_discard(record, at):
                    out.append(self._discard(record, at))
                else:
                    break
            else:
                replacing = at.doing == _REPLACE
                if (at.tail == tail or robbed_flower) if replacing else at.head == head:
                    break
                if replacing:
                    at.tail -= 1
                kind = wall[at.tail if replacing else at.head]
                at.head += not replacing
                at.open = False
                out.append(self._drawn(at, kind, replacing))
                if need is not None:
                    # The tile of another seat: a kong was placed wrongly before.
                    if kind >= FIRST_FLOWER:
                        if not flowers[at.turn] >> (kind - FIRST_FLOWER) & 1:
                            break
                    elif need[at.turn][kind] == 0:
                        break
                    else:
                        need[at.turn][kind] -= 1
        fits = (at.head, at.tail, at.discards, at.flowers) == (head, tail, n, flowers) and not left
        return out, at, fits, met

    def _needed(self, record: np.void, kongs: list[tuple[int, int]]) -> list[list[int]] | None:
        """Tiles of each kind that each seat must have drawn since the last message; None where an end moved tiles otherwise."""
        phase = int(record["phase"])
        settled = int(record["n_settlements"])
        if phase == GIVE or (phase == OVER and S_FLOWER in record["settle_kind"][:settled].tolist()):
            return None
        need = record["counts"].tolist()
        if phase == ROB or (phase == OVER and ROB_KONG in record["settle_how"][:settled].tolist()):
            need[int(record["claim_from"])][int(record["claim_tile"])] += 1  # between hand and meld
        told = self._at.discards
        n = int(record["n_discards"])
        for s, kind in zip(record["discarder"][told:n].tolist(), record["discards"][told:n].tolist(), strict=True):
            need[s][kind] += 1
        for s in range(4):
            for i in range(len(self._at.melds[s]), int(record["n_melds"][s])):
                for kind in meld_tiles(int(record["meld_type"][s, i]), int(record["meld_tile"][s, i])):
                    need[s][kind] += 1
                if record["meld_from"][s, i] >= 0:
                    need[s][int(record["meld_claimed"][s, i])] -= 1
        for s, i in kongs:
            if i < len(self._at.melds[s]):
                need[s][int(record["meld_tile"][s, i])] += 1
        return [[n - m for n, m in zip(need[s], self._at.counts[s], strict=True)] for s in range(4)]

    @staticmethod
    def _can_discard(record: np.void, at: _Place) -> bool:
        i = at.discards
        return int(record["discarder"][i]) == at.turn and at.counts[at.turn][int(record["discards"][i])] > 0

    @staticmethod
    def _can_be_due(record: np.void, at: _Place, kong: tuple[int, int]) -> bool:
        s, i = kong
        if s != at.turn:
            return False
        # Melds stand in order of time, but for a pung that becomes a kong later.
        n, held = len(at.melds[s]), at.counts[s][int(record["meld_tile"][s, i])]
        if record["meld_type"][s, i] == KONG_CONCEALED:
            return i == n and held == 4
        return i < n and held == 1

    def _drawn(self, at: _Place, kind: int, replacing: bool) -> Message:
        if kind >= FIRST_FLOWER:
            at.flowers[at.turn] |= 1 << (kind - FIRST_FLOWER)
            at.doing = _REPLACE
            return {"type": "flower", "seat": at.turn, "tile": TEXT[kind]}
        at.doing = _ACT
        at.counts[at.turn][kind] += 1
        message: Message = {"type": "draw", "seat": at.turn}
        if at.turn == self._seat:
            message["tile"] = TEXT[kind]
        if replacing:
            message["replacement"] = True
        return message

    def _own_kong(self, record: np.void, at: _Place, i: int) -> Message:
        s = at.turn
        kind, tile = int(record["meld_type"][s, i]), int(record["meld_tile"][s, i])
        if kind == KONG_CONCEALED:
            at.melds[s].append(kind)
        else:
            at.melds[s][i] = kind
        at.counts[s][tile] -= 4 if kind == KONG_CONCEALED else 1
        at.doing = _REPLACE
        return self._move(s, f"kong {TEXT[tile] if _sees(record, self._rules, self._seat, s, kind) else '?'}")

    def _discard(self, record: np.void, at: _Place) -> Message:
        i, s = at.discards, at.turn
        declares = int(record["declared_at"][s]) == i and record["declared"][s]
        kind = int(record["discards"][i])
        at.counts[s][kind] -= 1
        message = self._move(s, f"{'ready' if declares else 'discard'} {TEXT[kind]}")
        if declares:
            message["declared"] = view.declarations(self._rules)[int(record["declared"][s])]
        at.discards += 1
        at.open = True
        at.turn = (s + 1) % 4
        at.doing = _DRAW
        return message

    def _claim(self, record: np.void, at: _Place) -> Message:
        s = int(record["discard_taken"][at.discards - 1])
        i = len(at.melds[s])
        kind, tile = int(record["meld_type"][s, i]), int(record["meld_tile"][s, i])
        claimed = int(record["meld_claimed"][s, i])
        at.melds[s].append(MELD_PUNG if kind == KONG_ADDED else kind)
        at.turn = s
        at.open = False
        at.doing = _REPLACE if kind == KONG_EXPOSED else _ACT
        taken = meld_tiles(MELD_PUNG if kind == KONG_ADDED else kind, tile)
        taken.remove(claimed)
        for lost in taken:
            at.counts[s][lost] -= 1
        if kind == CHOW:
            form = next(a for a, (low, high) in CHOW_PARTNERS.items() if {claimed + low, claimed + high, claimed} ==
                        {tile, tile + 1, tile + 2})  # fmt: skip
            return self._move(s, format_action(form, claimed))
        return self._move(s, "kong" if kind == KONG_EXPOSED else "pung")

    @staticmethod
    def _move(seat: int, action: str) -> Message:
        return {"type": "move", "seat": seat, "action": action}


def luck_of(record: np.void) -> tuple[Any, ...]:
    """What tells one hand from another that is played in the same memory."""
    return (
        int(record["seed"]), int(record["match"]), int(record["hand"]), int(record["dealer"]), int(record["streak"]),
        int(record["prevailing"]), int(record["pool"]), tuple(record["dice"].tolist()), record["wall"][:32].tobytes(),
    )  # fmt: skip


def passive(record: np.void) -> Iterator[str]:
    """What is played for an agent that broke the rules, the best first: pass, else discard the tile drawn, never win or claim."""
    texts = legal(record)
    drawn = int(record["drawn"])
    wanted = ["pass", f"discard {TEXT[drawn]}" if record["phase"] == TURN and drawn >= 0 else "", "start"]
    yield from (text for text in wanted if text in texts)
    yield from sorted(text for text in texts if text.startswith("discard"))[::-1]
    if record["phase"] == GIVE:
        yield from texts
    yield from (text for text in texts if text.startswith(("kong", "ready")))
    yield from texts
