"""Transcripts: write a hand as one line, read it back, replay it and list every difference.

Owns FORMATS.md's `mjsim-hand/1`. The hand itself is played by the same engine that everything else uses.
"""

from __future__ import annotations

import json
from typing import Any

from mjsim.errors import MjsimError, NotationError
from mjsim.hand import Hand
from mjsim.ruleset import rules as make_rules
from mjsim.view import FORMAT, line_of

_NEEDED = ("rules", "dealer", "wall", "dice", "decisions", "settlements", "scores", "end", "next")


def read_line(text: str) -> dict[str, Any]:
    """One transcript line as a dict; NotationError when it is cut off or is none."""
    try:
        line = json.loads(text)
    except json.JSONDecodeError as error:
        raise NotationError(f"not a transcript line: {error.msg} at column {error.colno} (cut off?)") from None
    except RecursionError:
        raise NotationError("not a transcript line: nested too deeply") from None
    if not isinstance(line, dict) or line.get("format") != FORMAT:
        found = line.get("format") if isinstance(line, dict) else type(line).__name__
        raise NotationError(f"format: {found!r} (a transcript line has {FORMAT!r})")
    missing = [key for key in _NEEDED if key not in line]
    if missing:
        raise NotationError(f"transcript line without {', '.join(missing)}")
    return line


def hand_of(line: dict[str, Any]) -> Hand:
    """The hand of a transcript line at its first decision."""
    options = line.get("options") or {}
    if not isinstance(options, dict):
        raise NotationError(f"options: {options!r} is no object")
    rules = make_rules(line["rules"], **options)
    pairings = line.get("pairings") or None
    return Hand(
        rules,
        seed=None,
        match=line.get("match", 0),
        hand=line.get("hand", 0),
        wall=line["wall"],
        dice=line["dice"],
        pairings=pairings,
        dealer=line["dealer"],
        streak=line.get("streak", 0),
        prevailing=line.get("prevailing", "1z"),
        east=line.get("east", line["dealer"]),
        carry=line.get("carry"),
    )


def replay(transcript: dict[str, Any] | str) -> list[str]:
    """Play a transcript again and list what differs; an empty list means that it verifies.

    Args:
        transcript: a line as dict or as JSON text.

    Every recorded field is taken as it is; legal actions (where recorded), settlements, scores, end and next must follow.
    """
    try:
        line = read_line(transcript) if isinstance(transcript, str) else read_line(json.dumps(transcript))
        hand = hand_of(line)
    except (MjsimError, TypeError) as error:
        return [f"cannot be set up: {error}"]
    legal = line.get("legal")
    decisions = line["decisions"]
    if not isinstance(decisions, list):
        return [f"decisions: {decisions!r} is no list"]
    found: list[str] = []
    if legal is not None and (not isinstance(legal, list) or len(legal) != len(decisions)):
        found.append(
            f"legal: has {len(legal) if isinstance(legal, list) else 'no'} lists for {len(decisions)} decisions"
        )
        legal = None
    for i, decision in enumerate(decisions):
        if hand.over:
            return [*found, f"decision {i}: {decision} is recorded, but the hand is over"]
        if not (isinstance(decision, list) and len(decision) == 2 and isinstance(decision[1], str)):
            return [*found, f"decision {i}: {decision!r} is not [seat, action]"]
        if hand.seat != decision[0]:
            return [
                *found,
                f"decision {i}: seat {decision[0]} is recorded, but seat {hand.seat} is asked ({hand.phase})",
            ]
        if legal is not None and legal[i] != (texts := hand.legal()):
            found.append(f"decision {i}: legal is {legal[i]}, but {texts} follows")
        try:
            hand.apply(decision[1])
        except MjsimError as error:
            return [*found, f"decision {i}: {error}"]
    if not hand.over:
        return [*found, f"cut off: after {len(decisions)} decisions seat {hand.seat} is asked ({hand.phase})"]
    for key, value in (
        ("settlements", hand.settlements),
        ("scores", hand.scores),
        ("end", hand.end),
        ("next", hand.next),
    ):
        if line[key] != value:
            found.append(f"{key}: {json.dumps(line[key])} is recorded, but {json.dumps(value)} follows")
    return found


__all__ = ["FORMAT", "hand_of", "line_of", "read_line", "replay"]
