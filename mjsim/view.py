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
from mjsim.tiles import N_KINDS, TEXT, format_wall

#: Name and version of the transcript line.
FORMAT = "mjsim-hand/1"

#: Text of the prevailing wind.
WINDS = ("1z", "2z", "3z", "4z")
SETTLEMENT_KINDS = {S_WIN: "win", S_FLOWER: "flower", S_INSTANT: "instant"}

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


def settlements(record: np.void, item_ids: tuple[str, ...]) -> list[dict[str, Any]]:
    """FORMATS.md's list of settlements of a finished hand."""
    out = []
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


def end_text(record: np.void) -> str:
    return ENDS[int(record["end"])]


def next_hand(record: np.void) -> dict[str, Any]:
    """FORMATS.md's `next`."""
    return {
        "dealer": int(record["next_dealer"]),
        "streak": int(record["next_streak"]),
        "prevailing": WINDS[int(record["next_prevailing"])],
    }


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
        "carry": {},
        "decisions": [list(decision) for decision in decisions],
    }
    if legal is not None:
        line["legal"] = [list(texts) for texts in legal]
    line["settlements"] = settlements(record, rules.item_ids)
    line["scores"] = record["scores"].tolist()
    line["end"] = end_text(record)
    line["next"] = next_hand(record)
    return line
