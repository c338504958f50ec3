"""The documented columns of simulated hands: HAND records -> an Arrow table, one row a hand.

Owns the schema `mjsim-hands/1`; docs/schema.md is written from `describe`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from mjsim.hand_record import AFTER_FIRST, AFTER_SECOND, AT_END, AT_START, ENDS
from mjsim.ruleset import Rules
from mjsim.ruleset.record import S_FLOWER, S_INSTANT, S_WIN
from mjsim.view import POOL_ITEM, SETTLEMENT_KINDS, WINDS, declarations

SCHEMA = "mjsim-hands/1"
PATTERNS = ("none", "all_black", "straight", "all_red", "triple")
HOWS = ("self_draw", "discard", "rob_kong")
#: Items paid during play (fields of RULES without `_item`); several payments or a pool may pass what an int16 holds.
PAID_IN_PLAY = (
    "dice_triple", "mixed_bouquet", "pure_bouquet", "concealed_gong_declared", "chasing", "drawn_hand", "drawn_pool",
)  # fmt: skip


class Column(NamedTuple):
    name: str
    type: pa.DataType
    meaning: str
    values: Callable[[np.ndarray, Rules], Any]


def _field(name: str, hands: np.ndarray, rules: Rules) -> np.ndarray:
    return np.ascontiguousarray(hands[name])


def _of_seat(name: str, seat: int, hands: np.ndarray, rules: Rules) -> np.ndarray:
    return np.ascontiguousarray(hands[name][:, seat])


def _words(texts: tuple[str, ...], codes: np.ndarray) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int8)), pa.array(texts))


def _constant(text: str, n: int) -> pa.Array:
    return _words((text,), np.zeros(n, np.int8))


def pattern_of(dice: np.ndarray) -> np.ndarray:
    """Dice Bonus pattern 0-4 (PATTERNS) of int8[n, 3] dice, by the definitions of the text."""
    ordered = np.sort(dice, axis=1)
    triple = ordered[:, 0] == ordered[:, 2]
    red = np.isin(dice, (1, 4)).all(axis=1)
    black = (~np.isin(dice, (1, 4))).all(axis=1)
    straight = (ordered[:, 1] == ordered[:, 0] + 1) & (ordered[:, 2] == ordered[:, 1] + 1)
    return np.select([triple, red, straight, black], [4, 3, 2, 1], 0)


def _win(hands: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Index of the first regular win of each hand, and whether there is one."""
    used = np.arange(hands["settle_kind"].shape[1]) < hands["n_settlements"][:, None]
    wins = (hands["settle_kind"] == S_WIN) & used
    return wins.argmax(axis=1), wins.any(axis=1)


def _of_win(name: str, hands: np.ndarray, rules: Rules) -> pa.Array:
    first, there = _win(hands)
    values = hands[name][np.arange(len(hands)), first]
    absent = ~there | (values < 0) if name == "settle_payer" else ~there
    return pa.array(values, mask=absent)


def _how(hands: np.ndarray, rules: Rules) -> pa.Array:
    first, there = _win(hands)
    codes = hands["settle_how"][np.arange(len(hands)), first]
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int8), mask=~there), pa.array(HOWS))


def _n_wins(kind: int, hands: np.ndarray, rules: Rules) -> np.ndarray:
    used = np.arange(hands["settle_kind"].shape[1]) < hands["n_settlements"][:, None]
    return ((hands["settle_kind"] == kind) & used).sum(axis=1).astype(np.int8)


def _item(number: int, hands: np.ndarray, rules: Rules) -> np.ndarray:
    return hands["settle_items"][:, :, number].sum(axis=1).astype(np.int16)


def _paid_in_play(number: int, hands: np.ndarray, rules: Rules) -> np.ndarray:
    return np.where(_instants(hands) & (hands["instant_item"] == number), hands["instant_tai"], 0).sum(axis=1)


def _instants(hands: np.ndarray) -> np.ndarray:
    """bool[n, MAX_INSTANTS]: places of payments during play that are used."""
    return np.arange(hands["instant_item"].shape[1]) < hands["n_instants"][:, None]


def _shanten(moment: int, seat: int, hands: np.ndarray, rules: Rules) -> pa.Array:
    values = np.ascontiguousarray(hands["shanten_at"][:, moment, seat])
    return pa.array(values, mask=values == -9) if (values == -9).any() else pa.array(values)


class _Entries(NamedTuple):
    """Settlements of one sort, of all hands."""

    row: np.ndarray  # index of the hand
    winner: np.ndarray  # -1 nobody
    kind: np.ndarray
    payer: np.ndarray  # -1 not one alone
    tai: np.ndarray
    payments: np.ndarray  # [n, 4]
    n_items: np.ndarray
    item: np.ndarray  # numbers of all items in order, and their tai
    item_tai: np.ndarray


def _won(hands: np.ndarray, rules: Rules) -> _Entries:
    """Wins and flower wins."""
    row, place = np.nonzero(np.arange(hands["settle_kind"].shape[1]) < hands["n_settlements"][:, None])
    items = hands["settle_items"][row, place][:, : len(rules.item_ids)]
    owner, number = np.nonzero(items)
    return _Entries(
        row,
        *(hands[f"settle_{name}"][row, place] for name in ("winner", "kind", "payer", "tai", "payments")),
        (items != 0).sum(axis=1),
        number,
        items[owner, number],
    )


def _paid(hands: np.ndarray, rules: Rules) -> _Entries:
    """Payments during play; who pays whom as `mjsim.view.instant_payments` says."""
    row, place = np.nonzero(_instants(hands))
    item, winner, payer, tai = (
        hands[f"instant_{name}"][row, place].astype(np.int32) for name in ("item", "winner", "payer", "tai")
    )
    each = np.where((winner < 0) & (payer >= 0), tai, -tai)
    payments = np.repeat(each[:, None], 4, axis=1)
    one = np.maximum(winner, payer)  # the seat that gets from each other, or pays each other
    alone = np.flatnonzero(one >= 0)
    payments[alone, one[alone]] = -3 * each[alone]
    if POOL_ITEM in rules.item_ids:
        pool = np.flatnonzero(item == rules.item_ids.index(POOL_ITEM))
        payments[pool] = 0
        payments[pool, winner[pool]] = tai[pool]
    kind = np.full(len(row), S_INSTANT, np.int8)
    return _Entries(
        row, winner.astype(np.int8), kind, payer.astype(np.int8), tai, payments, np.ones_like(row), item, tai
    )


def _merged(first: _Entries, then: _Entries) -> _Entries:
    """Both sorts by hand, the `first` ones of a hand first."""
    order = np.argsort(np.concatenate([first.row, then.row]), kind="stable")
    owner = np.repeat(np.arange(len(order)), np.concatenate([first.n_items, then.n_items]))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    of_items = np.argsort(place[owner], kind="stable")
    joined = [np.concatenate(pair) for pair in zip(first, then, strict=True)]
    return _Entries(*(column[order] for column in joined[:7]), *(column[of_items] for column in joined[7:]))


def _offsets(counts: np.ndarray) -> pa.Array:
    return pa.array(np.concatenate([[0], np.cumsum(counts)]).astype(np.int32))


def _settlements(hands: np.ndarray, rules: Rules) -> pa.Array:
    """list<struct> of every settlement in order, with its own items: payments during play, then the wins."""
    found = _won(hands, rules)
    if hands["n_instants"].any():
        found = _merged(_paid(hands, rules), found)
    listed = pa.ListArray.from_arrays(
        _offsets(found.n_items),
        pa.StructArray.from_arrays(
            [pa.array(rules.item_ids).take(pa.array(found.item)), pa.array(found.item_tai.astype(np.int32))],
            names=["id", "tai"],
        ),
    )
    payments = pa.ListArray.from_arrays(
        pa.array(np.arange(0, 4 * len(found.row) + 1, 4, dtype=np.int32)),
        pa.array(found.payments.astype(np.int32).reshape(-1)),
    )
    kinds = pa.array([SETTLEMENT_KINDS[k] for k in range(3)]).take(pa.array(found.kind))
    entries = pa.StructArray.from_arrays(
        [
            pa.array(found.winner, mask=found.winner < 0),
            kinds,
            pa.array(found.payer, mask=found.payer < 0),
            pa.array(found.tai.astype(np.int32)),
            payments,
            listed,
        ],
        names=["winner", "kind", "from", "tai", "payments", "items"],
    )
    return pa.ListArray.from_arrays(_offsets(hands["n_settlements"].astype(np.int32) + hands["n_instants"]), entries)


_SETTLEMENT = pa.list_(
    pa.struct(
        [
            ("winner", pa.int8()),
            ("kind", pa.string()),
            ("from", pa.int8()),
            ("tai", pa.int32()),
            ("payments", pa.list_(pa.int32())),
            ("items", pa.list_(pa.struct([("id", pa.string()), ("tai", pa.int32())]))),
        ]
    )
)
_WORD = pa.dictionary(pa.int8(), pa.string())


def columns(rules: Rules) -> list[Column]:
    """The schema for a rule set, in order."""
    declared = declarations(rules)
    paid_in_play = {rules.preset.flow_items.get(name) for name in PAID_IN_PLAY}
    pool = [Column("pool", pa.int32(), "what drawn hands before this one have paid in", partial(_field, "pool"))]
    plain = [
        Column("rules", _WORD, "name of the rule set", lambda h, r: _constant(r.name, len(h))),
        Column("fingerprint", _WORD, "hash of rules and options", lambda h, r: _constant(r.fingerprint, len(h))),
        Column("seed", pa.int64(), "seed of the run", partial(_field, "seed")),
        Column("match", pa.int64(), "number of the match, from 0", partial(_field, "match")),
        Column("hand", pa.int64(), "number of the hand within the match, from 0", partial(_field, "hand")),
        Column("dealer", pa.int8(), "seat of the dealer", partial(_field, "dealer")),
        Column("streak", pa.int16(), "dealer streak of this hand", partial(_field, "streak")),
        Column("prevailing", _WORD, "prevailing wind, 1z-4z", lambda h, r: _words(WINDS, h["prevailing"])),
        Column("east", pa.int8(), "seat whose wind is East", partial(_field, "east")),
        *(pool if rules.flags["draw_pool"] else []),
        *(
            Column(f"die_{i}", pa.int8(), "dice that break the wall", lambda h, r, i=i: h["dice"][:, i].copy())
            for i in range(3)
        ),
        Column(
            "pattern",
            _WORD,
            "Dice Bonus pattern of the dice, scored or not",
            lambda h, r: _words(PATTERNS, pattern_of(h["dice"])),
        ),
        Column("exchanges", pa.int8(), "Three-Tile Exchanges made (0-2)", partial(_field, "round")),
        Column("end", _WORD, "win, flower or draw", lambda h, r: _words(ENDS[1:], h["end"] - 1)),
        Column(
            "winner", pa.int8(), "seat of the first regular win, null without one", partial(_of_win, "settle_winner")
        ),
        Column("how", _WORD, "how it was won: self_draw, discard, rob_kong", _how),
        Column("payer", pa.int8(), "seat that dealt in, null on a self-draw", partial(_of_win, "settle_payer")),
        Column("tai", pa.int16(), "tai of the first regular win", partial(_of_win, "settle_tai")),
        Column(
            "judged_tai",
            pa.int16(),
            "tai that the minimum was judged on, dealer tai included",
            partial(_of_win, "settle_judged"),
        ),
        Column("n_wins", pa.int8(), "regular wins settled (3 in a triple win)", partial(_n_wins, S_WIN)),
        Column("n_flower_wins", pa.int8(), "flower wins settled", partial(_n_wins, S_FLOWER)),
        Column("discards", pa.int16(), "tiles discarded at the table", partial(_field, "n_discards")),
        Column("decisions", pa.int32(), "decisions made", partial(_field, "n_decisions")),
    ]
    seats: list[Column] = []
    for s in range(4):
        seats += [
            Column(f"score_{s}", pa.int32(), "score of the seat, tai", partial(_of_seat, "scores", s)),
            Column(
                f"declared_{s}",
                _WORD,
                f"declaration of the seat: {', '.join(declared)}",
                lambda h, r, s=s: _words(declared, h["declared"][:, s]),
            ),
            Column(f"melds_{s}", pa.int8(), "melds in front of the seat at the end", partial(_of_seat, "n_melds", s)),
            Column(
                f"stopped_{s}",
                pa.bool_(),
                "the seat once held a complete hand that the minimum alone kept from winning",
                lambda h, r, s=s: pa.array(h["stopped"][:, s] != 0),
            ),
            Column(
                f"shanten_start_{s}", pa.int8(), "shanten after the opening flowers", partial(_shanten, AT_START, s)
            ),
            Column(
                f"shanten_exchange1_{s}",
                pa.int8(),
                "shanten after the first exchange, null where there was none",
                partial(_shanten, AFTER_FIRST, s),
            ),
            Column(
                f"shanten_exchange2_{s}",
                pa.int8(),
                "shanten after the second exchange, null where there was none",
                partial(_shanten, AFTER_SECOND, s),
            ),
            Column(f"shanten_end_{s}", pa.int8(), "shanten of the tiles held at the end", partial(_shanten, AT_END, s)),
        ]
    items = [
        Column(f"item_{item.id}", pa.int32(), f"{item.name}, all payments during play", partial(_paid_in_play, number))
        if item.id in paid_in_play
        else Column(f"item_{item.id}", pa.int16(), f"tai of {item.name}, all settlements", partial(_item, number))
        for number, item in enumerate(rules.item_table)
    ]
    last = Column("settlements", _SETTLEMENT, "every settlement with its own items and payments", _settlements)
    return [*plain, *seats, *items, last]


def schema(rules: Rules) -> pa.Schema:
    """Arrow schema with each column's meaning in its metadata and the schema's name and version in the file's."""
    return pa.schema(
        [pa.field(c.name, c.type, metadata={"meaning": c.meaning}) for c in columns(rules)],
        metadata={"mjsim.schema": SCHEMA},
    )


def table(hands: np.ndarray, rules: Rules) -> pa.Table:
    """One row for each finished HAND record."""
    wanted = schema(rules)
    arrays = []
    for column in columns(rules):
        values = column.values(hands, rules)
        array = values if isinstance(values, pa.Array) else pa.array(values)
        arrays.append(array if array.type == column.type else array.cast(column.type))
    return pa.Table.from_arrays(arrays, schema=wanted)


def describe(rules: Rules) -> list[tuple[str, str, str]]:
    """(name, type, meaning) of every column, for the docs."""
    return [(c.name, "word" if c.type == _WORD else str(c.type), c.meaning) for c in columns(rules)]
