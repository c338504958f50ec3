"""Action numbers and their text, one table for all rule sets.

Owns the numbering: each number has one meaning in every rule set. Which actions are legal is the flow's business.
"""

from __future__ import annotations

from mjsim.errors import NotationError
from mjsim.tiles import FIRST_HONOR, KIND, N_KINDS, TEXT, format_tiles

DISCARD = 0  # discard kind 0-33
READY = DISCARD + N_KINDS  # declare, then discard kind 0-33
OWN_KONG = READY + N_KINDS  # own turn: concealed kong, or the fourth tile added to a pung
GIVE = OWN_KONG + N_KINDS  # Three-Tile Exchange: one tile
OTHER = GIVE + N_KINDS  # first of the actions without a kind
CHOW_LOW = OTHER  # the claimed tile is the lowest of the chow
CHOW_MIDDLE = OTHER + 1
CHOW_HIGH = OTHER + 2
PUNG = OTHER + 3
KONG = OTHER + 4  # claim of the current discard
WIN = OTHER + 5
FLOWER_WIN = OTHER + 6
PASS = OTHER + 7
START = OTHER + 8  # dealer's decision after the first exchange
EXCHANGE = OTHER + 9
DECLARE = OTHER + 10  # a non-dealer's Original Call
N_ACTIONS = 4 * N_KINDS + 3 + 2 + 2 + 1 + 2 + 1

#: Not an action: tells the flow to begin a hand whose luck is laid out.
BEGIN = -1

#: A hand's legal actions are kept as words of bits: one word for each block of 34 kinds, one for the others.
N_WORDS = 5
W_DISCARD, W_READY, W_KONG, W_GIVE, W_OTHER = range(N_WORDS)

_WORDS = {"pung": PUNG, "win": WIN, "flower_win": FLOWER_WIN, "pass": PASS, "start": START, "exchange": EXCHANGE,
          "declare": DECLARE}  # fmt: skip
_BLOCKS = {"discard": DISCARD, "ready": READY, "kong": OWN_KONG, "give": GIVE}
_PLAIN = {number: text for text, number in _WORDS.items()} | {KONG: "kong"}
_PLAIN |= {first + kind: f"{word} {TEXT[kind]}" for word, first in _BLOCKS.items() for kind in range(N_KINDS)}

#: Offsets of the two tiles from hand, by the form of the chow.
CHOW_PARTNERS = {CHOW_LOW: (1, 2), CHOW_MIDDLE: (-1, 1), CHOW_HIGH: (-2, -1)}


def format_action(action: int, claimed: int | None = None) -> str:
    """FORMATS.md's text of an action number; a chow needs the kind of the `claimed` tile."""
    if action in CHOW_PARTNERS:
        if claimed is None:
            raise NotationError(f"action {action} is a chow: its text needs the claimed tile")
        low, high = CHOW_PARTNERS[action]
        if not 0 <= claimed < FIRST_HONOR or not claimed // 9 == (claimed + low) // 9 == (claimed + high) // 9:
            raise NotationError(f"action {action} is no chow of {TEXT[claimed] if claimed >= 0 else claimed}")
        return f"chow {format_tiles([claimed + low, claimed + high])}"
    if action not in _PLAIN:
        raise NotationError(f"there is no action {action} (0-{N_ACTIONS - 1})")
    return _PLAIN[action]


def parse_action(text: str, claimed: int | None = None) -> int:
    """Number of an action's text; `chow 34m` needs the kind of the `claimed` tile."""
    if not isinstance(text, str):
        raise NotationError(f"an action is text such as 'discard 5m', not {text!r}")
    word, _, rest = text.partition(" ")
    if not rest:
        if word == "kong":
            return KONG
        if word in _WORDS:
            return _WORDS[word]
    elif word in _BLOCKS and rest in KIND and KIND[rest] < N_KINDS:
        return _BLOCKS[word] + KIND[rest]
    elif word == "chow":
        if claimed is None or not 0 <= claimed < FIRST_HONOR:
            raise NotationError(f"action {text!r}: there is no suited discard to chow")
        for action, (low, high) in CHOW_PARTNERS.items():
            same_suit = (claimed + low) // 9 == claimed // 9 == (claimed + high) // 9
            if same_suit and format_tiles([claimed + low, claimed + high]) == rest:
                return action
        raise NotationError(f"action {text!r}: these two make no chow with {TEXT[claimed]}, lower tile first")
    raise NotationError(
        f"unknown action {text!r} (discard/ready/kong/give and a tile, chow and two tiles, pung, kong, win, "
        "flower_win, pass, start, exchange, declare)"
    )
