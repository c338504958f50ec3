"""Text of a hand's record: legal actions, settlements, what follows, the transcript line. Shared by `Hand` and replay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from mjsim.actions import (
    CHOW_HIGH,
    CHOW_LOW,
    CHOW_MIDDLE,
    DISCARD,
    GIVE,
    KONG,
    N_WORDS,
    OTHER,
    OWN_KONG,
    READY,
    W_DISCARD,
    W_GIVE,
    W_KONG,
    W_OTHER,
    W_READY,
    format_action,
)
from mjsim.hand_record import ENDS
from mjsim.ruleset import Rules
from mjsim.ruleset.record import S_FLOWER, S_INSTANT, S_WIN
from mjsim.tiles import N_KINDS, TEXT, format_flowers, format_wall

#: Name and version of the transcript line.
FORMAT = "mjsim-hand/1"

#: Text of the prevailing wind.
WINDS = ("1z", "2z", "3z", "4z")
SETTLEMENT_KINDS = {S_WIN: "win", S_FLOWER: "flower", S_INSTANT: "instant"}

#: The item that pays out what drawn hands have paid in.
POOL_ITEM = "drawn_pool"

#: Names of `1f`-`8f`, and where a rule set's text has its own.
FLOWERS = ("Spring", "Summer", "Autumn", "Winter", "Plum", "Orchid", "Chrysanthemum", "Bamboo")
_OWN_FLOWERS = {"hk16": tuple(f"{colour} {n}" for colour in ("Blue", "Red") for n in (1, 2, 3, 4))}

_BY_TEXT = sorted(range(N_KINDS), key=lambda kind: TEXT[kind])
_FIRST = {W_DISCARD: DISCARD, W_READY: READY, W_KONG: OWN_KONG, W_GIVE: GIVE}
_CHOWS = (CHOW_HIGH, CHOW_MIDDLE, CHOW_LOW)  # in order of their texts
_WORDLESS = sorted((format_action(a), a) for a in range(KONG - 1, 147) if a not in _CHOWS)


@lru_cache(maxsize=200_000)
def _block(word: int, bits: int) -> tuple[str, ...]:
    """Texts, sorted, of a word of actions with a kind."""
    first = _FIRST[word]
    return tuple(format_action(first + kind) for kind in _BY_TEXT if bits >> kind & 1)


def legal_texts(words: list[int], claimed: int) -> list[str]:
    """Legal actions as sorted texts, from the words of HAND.legal and the claimed kind."""
    out: list[str] = []
    other = words[W_OTHER]
    if not other:
        # The usual turn: discards, then kongs and ready where there are any.
        out.extend(_block(W_DISCARD, words[W_DISCARD]))
        for word in (W_GIVE, W_KONG, W_READY):
            if words[word]:
                out.extend(_block(word, words[word]))
        return out
    for action in _CHOWS:
        if other >> (action - OTHER) & 1:
            out.append(format_action(action, claimed))
    out.extend(text for text, action in _WORDLESS if other >> (action - OTHER) & 1)
    for word in range(N_WORDS - 1):
        if words[word]:
            out.extend(_block(word, words[word]))
    out.sort()
    return out


def legal_mask(words: np.ndarray) -> np.ndarray:
    """int8[147] of the words of HAND.legal."""
    bits = (words[:, None] >> np.arange(N_KINDS, dtype=np.uint64)) & np.uint64(1)
    return bits.astype(np.int8).reshape(-1)[:147]


def instant_payments(winner: int, payer: int, tai: int, from_pool: bool) -> list[int]:
    """By seat, what one payment during play moves (as `mjsim.flow.settle.instant_payments`)."""
    if from_pool:
        return [tai if seat == winner else 0 for seat in range(4)]
    if winner >= 0:
        return [3 * tai if seat == winner else -tai for seat in range(4)]
    if payer >= 0:
        return [-3 * tai if seat == payer else tai for seat in range(4)]
    return [-tai] * 4


def settlements(record: np.void, item_ids: tuple[str, ...]) -> list[dict[str, Any]]:
    """FORMATS.md's list of settlements of a hand so far: those during play in order of time, then the wins."""
    out = []
    for i in range(int(record["n_instants"])):
        item = item_ids[int(record["instant_item"][i])]
        winner, payer = int(record["instant_winner"][i]), int(record["instant_payer"][i])
        tai = int(record["instant_tai"][i])
        out.append(
            {
                "winner": None if winner < 0 else winner,
                "kind": SETTLEMENT_KINDS[S_INSTANT],
                "from": None if payer < 0 else payer,
                "items": [[item, tai]],
                "tai": tai,
                "payments": instant_payments(winner, payer, tai, item == POOL_ITEM),
            }
        )
    for i in range(int(record["n_settlements"])):
        tai = record["settle_items"][i].tolist()
        payer = int(record["settle_payer"][i])
        out.append(
            {
                "winner": int(record["settle_winner"][i]),
                "kind": SETTLEMENT_KINDS[int(record["settle_kind"][i])],
                "from": None if payer < 0 else payer,
                "items": sorted([item, tai[n]] for n, item in enumerate(item_ids) if tai[n]),
                "tai": int(record["settle_tai"][i]),
                "payments": record["settle_payments"][i].tolist(),
            }
        )
    return out


def declarations(rules: Rules) -> tuple[str, ...]:
    """Words of HAND.declared, by its number: none, the declaration of the rules, MIGI."""
    if rules.flags["closing"]:
        return ("none", "closed")
    if rules.flags["original_call"]:
        return ("none", "original_call")
    return ("none", "ready", "migi") if rules.flags["declare_ready"] else ("none",)


_DECLARED_TEXT = {"none": "", "migi": "MIGI", "original_call": "original call"}


def declared_text(record: np.void, rules: Rules, seat: int) -> str:
    """What a seat has declared, in words for people; empty when nothing."""
    word = declarations(rules)[int(record["declared"][seat])]
    return _DECLARED_TEXT.get(word, word)


def flower_names(rules: Rules) -> tuple[str, ...]:
    """Names of `1f`-`8f` in the rules' own words."""
    return _OWN_FLOWERS.get(rules.family, FLOWERS)


def flowers_text(mask: int, rules: Rules) -> str:
    """A mask of flowers as `15f (Spring, Plum)`."""
    named = [name for i, name in enumerate(flower_names(rules)) if mask >> i & 1]
    return f"{format_flowers(mask)} ({', '.join(named)})"


def settlement_text(settlement: dict[str, Any]) -> str:
    """One settlement in a line for people."""
    items = ", ".join(f"{item} {tai}" for item, tai in settlement["items"])
    winner, payer, tai = settlement["winner"], settlement["from"], settlement["tai"]
    if settlement["kind"] != SETTLEMENT_KINDS[S_INSTANT]:
        source = "all three" if payer is None else f"seat {payer}"
        return f"seat {winner} {settlement['kind']} from {source}: {tai} tai ({items})"
    if winner is None:
        return f"{'all four pay the pool' if payer is None else f'seat {payer} pays each other'} {tai} ({items})"
    from_pool = settlement["items"][0][0] == POOL_ITEM
    return f"seat {winner} gets {tai} {'from the pool' if from_pool else 'from each other'} ({items})"


def minimum(rules: Rules, prevailing: int) -> int:
    """The minimum of a round, 0 East - 3 North."""
    return rules.flags["min_tai"] + rules.flags["min_tai_step"] * prevailing


def end_text(record: np.void) -> str:
    return ENDS[int(record["end"])]


def carry(pool: int, rules: Rules) -> dict[str, Any]:
    """FORMATS.md's `carry`: what a hand receives beyond dealer, streak and wind."""
    return {"pool": pool} if rules.flags["draw_pool"] else {}


def next_hand(record: np.void, rules: Rules) -> dict[str, Any] | None:
    """FORMATS.md's `next`; None where the rules end the match."""
    if record["match_over"]:
        return None
    following: dict[str, Any] = {
        "dealer": int(record["next_dealer"]),
        "streak": int(record["next_streak"]),
        "prevailing": WINDS[int(record["next_prevailing"])],
    }
    if handed_on := carry(int(record["next_pool"]), rules):
        following["carry"] = handed_on
    return following


def line_of(
    record: np.void,
    rules: Rules,
    seed: int | None,
    decisions: Iterable[Sequence],
    legal: Sequence[Sequence[str]] | None = None,
) -> dict[str, Any]:
    """A finished hand's transcript as a dict, keys in FORMATS.md's order."""
    line: dict[str, Any] = {
        "format": FORMAT,
        "rules": rules.name,
        "options": rules.options,
        "seed": seed,
        "match": int(record["match"]),
        "hand": int(record["hand"]),
        "dealer": int(record["dealer"]),
        "streak": int(record["streak"]),
        "prevailing": WINDS[int(record["prevailing"])],
        "east": int(record["east"]),
        "dice": record["dice"].tolist(),
        "wall": format_wall(record["wall"].tolist()),
        "pairings": record["pairings"].tolist() if rules.flags["exchange"] else [],
        "carry": carry(int(record["pool"]), rules),
        "decisions": [list(decision) for decision in decisions],
    }
    if legal is not None:
        line["legal"] = [list(texts) for texts in legal]
    line["settlements"] = settlements(record, rules.item_ids)
    line["scores"] = record["scores"].tolist()
    line["end"] = end_text(record)
    line["next"] = next_hand(record, rules)
    return line
