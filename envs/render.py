"""The table for people: `ansi` as text, `picture` as an image.

Owns how a hand's record looks. With a `seat` it shows only what that seat may see (until the hand is over); without one all is
open. Reads the record, changes nothing.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mjsim import view
from mjsim.hand_record import CLAIM, GIVE, HAND, OVER, PHASES, ROB, TURN
from mjsim.melds import KONG_ADDED, KONG_CONCEALED, meld_tiles
from mjsim.tiles import FIRST_FLOWER, TEXT, format_tiles

if TYPE_CHECKING:
    from PIL import Image, ImageDraw, ImageFont

    from mjsim.ruleset import Rules

WINDS = ("East", "South", "West", "North")
_QUESTIONS = {
    "give": "gives a tile",
    "choice": "starts or exchanges again",
    "turn": "has the turn",
    "claim": "may claim",
    "rob": "may rob the kong",
    "flower": "may rob the flower",
    "declare": "may declare",
}


class Meld(NamedTuple):
    tiles: list[int]  # -1 where the tile is hidden
    claimed: int  # kind, -1 for a concealed kong
    source: int  # whose discard, -1 for a concealed kong
    concealed: bool
    added: bool  # a kong whose fourth tile was added to a pung


class Discard(NamedTuple):
    kind: int
    taker: int  # -1 nobody
    declaring: bool
    latest: bool


class Side(NamedTuple):
    """One seat as it is shown."""

    seat: int
    wind: str
    dealer: bool
    tiles: list[int]  # sorted, without the tile drawn last; -1 hidden
    drawn: int  # kind of the tile drawn last, -1 hidden, -2 none
    melds: list[Meld]
    flowers: list[int]
    discards: list[Discard]
    asked: bool
    states: list[str]
    gave: list[list[int]]  # by exchange, of the seats whose tiles are shown
    took: list[list[int]]
    score: int


def _one(record: np.void | np.ndarray) -> np.void:
    """A HAND record, out of HAND[1] too."""
    one = record.reshape(-1)[0] if isinstance(record, np.ndarray) else record
    if getattr(one, "dtype", None) != HAND:
        raise TypeError(f"record: {type(record).__name__} is no HAND record (mjsim.hand_record)")
    return one


def _melds(record: np.void, seat: int, hidden: bool) -> list[Meld]:
    out = []
    for i in range(int(record["n_melds"][seat])):
        kind = int(record["meld_type"][seat, i])
        tiles = meld_tiles(kind, int(record["meld_tile"][seat, i]))
        concealed = kind == KONG_CONCEALED
        if concealed and hidden:
            tiles = [-1] * 4
        claimed, source = int(record["meld_claimed"][seat, i]), int(record["meld_from"][seat, i])
        out.append(Meld(tiles, claimed, source, concealed, kind == KONG_ADDED))
    return out


def _discards(record: np.void, seat: int) -> list[Discard]:
    n = int(record["n_discards"])
    declared = int(record["declared_at"][seat])
    return [
        Discard(int(record["discards"][i]), int(record["discard_taken"][i]), i == declared, i == n - 1)
        for i in range(n)
        if record["discarder"][i] == seat
    ]


def _exchanged(rows: np.ndarray) -> list[list[int]]:
    return [[int(k) for k in row if k >= 0] for row in rows if (row >= 0).any()]


def side_of(record: np.void, rules: Rules, seat: int, viewer: int | None = None) -> Side:
    """What is shown of a seat; `viewer` None sees everything."""
    phase = int(record["phase"])
    hidden = viewer is not None and viewer != seat and phase != OVER
    tiles = [k for k in range(34) for _ in range(int(record["counts"][seat, k]))]
    drawn = -2
    if phase == TURN and record["turn"] == seat and record["drawn"] >= 0:
        drawn = int(record["drawn"])
        tiles.remove(drawn)
        drawn = -1 if hidden else drawn
    states = []
    if record["declared"][seat]:
        states.append(view.declared_text(record, rules, seat))
    if record["skipped_win"][seat] and not hidden:
        states.append("skipped win")
    flowers = int(record["flowers"][seat])
    return Side(
        seat=seat,
        wind=WINDS[(seat - int(record["east"])) % 4],
        dealer=bool(seat == record["dealer"]),
        tiles=[-1] * len(tiles) if hidden else tiles,
        drawn=drawn,
        melds=_melds(record, seat, hidden and rules.flags["concealed_kong_hidden"]),
        flowers=[FIRST_FLOWER + i for i in range(8) if flowers >> i & 1],
        discards=_discards(record, seat),
        asked=phase != OVER and bool(record["seat"] == seat),
        states=states,
        gave=[] if hidden else _exchanged(record["gives"][:, seat]),
        took=[] if hidden else _exchanged(record["takes"][:, seat]),
        score=score_so_far(record, rules, seat),
    )


def score_so_far(record: np.void, rules: Rules, seat: int) -> int:
    """The score of a finished hand; before, what payments during play have moved."""
    if record["phase"] == OVER or not record["n_instants"]:
        return int(record["scores"][seat])
    return sum(settlement["payments"][seat] for settlement in view.settlements(record, rules.item_ids))


def drawable(record: np.void, rules: Rules) -> int:
    """Tiles that may still be drawn."""
    return max(0, int(record["tail"]) - int(record["head"]) - rules.flags["kept_back"])


def question(record: np.void, viewer: int | None = None) -> str:
    """Whose decision it is, in words; to one viewer only its own, because another's claim is not its business."""
    phase = int(record["phase"])
    if phase == OVER:
        return f"over: {view.end_text(record)}"
    seat = int(record["seat"])
    if viewer is not None and viewer != seat and phase != GIVE:
        return f"seat {int(record['turn'])} has the turn"
    text = f"seat {seat} {_QUESTIONS[PHASES[phase]]}"
    if phase in (CLAIM, ROB):
        text += f": {TEXT[int(record['claim_tile'])]} of seat {int(record['claim_from'])}"
    return text


def settled(record: np.void, rules: Rules) -> list[str]:
    """The settlements of a hand so far, a line each."""
    return [view.settlement_text(settlement) for settlement in view.settlements(record, rules.item_ids)]


def minimum_and_pool(record: np.void, rules: Rules) -> list[str]:
    """Minimum and pool, where the rules have them."""
    needed = view.minimum(rules, int(record["prevailing"]))
    out = [f"minimum {needed}"] if needed else []
    return [*out, f"pool {int(record['pool'])}"] if rules.flags["draw_pool"] else out


# --- text -----------------------------------------------------------------------------------------------------------


def _run(kinds: list[int]) -> str:
    return "#" * len(kinds) if kinds and kinds[0] < 0 else format_tiles(kinds)


def _meld_text(meld: Meld) -> str:
    if meld.concealed:
        return f"[{_run(meld.tiles)} concealed]"
    # A chow names the claimed tile; of a pung or kong it is plain.
    claimed = TEXT[meld.claimed] if len(set(meld.tiles)) > 1 else ""
    return f"[{_run(meld.tiles)}{' added' if meld.added else ''} {claimed}<{meld.source}]"


def _discard_text(discard: Discard) -> str:
    text = TEXT[discard.kind] + ("!" if discard.declaring else "")
    return f"({text}>{discard.taker})" if discard.taker >= 0 else text


def ansi(record: np.void | np.ndarray, rules: Rules, seat: int | None = None) -> str:
    """The table as text.

    Args:
        record: a HAND record, or HAND[1].
        rules: the rules it is played with.
        seat: show what this seat may see; None shows all.
    """
    record = _one(record)
    standing = (
        f"{WINDS[int(record['prevailing'])]} round, dealer seat {int(record['dealer'])}, streak {int(record['streak'])}"
    )
    dice = "-".join(str(die) for die in record["dice"].tolist())
    out = [
        f"{rules.name}  match {int(record['match'])} hand {int(record['hand'])}  {standing}",
        "   ".join(
            [
                f"dice {dice}",
                *minimum_and_pool(record, rules),
                f"wall {drawable(record, rules)} left",
                question(record, seat),
            ]
        ),
    ]
    for number in range(4):
        side = side_of(record, rules, number, seat)
        drawn = "" if side.drawn == -2 else "  +#" if side.drawn < 0 else f"  +{TEXT[side.drawn]}"
        states = ", ".join([*(["dealer"] if side.dealer else []), *side.states])
        head = f"{'>' if side.asked and seat in (None, number) else ' '} seat {number} {side.wind:5}"
        out.append("")
        out.append(f"{head} {states + '  ' if states else ''}score {side.score:+d}")
        out.append(f"    hand     {_run(side.tiles)}{drawn}")
        if side.melds:
            out.append(f"    melds    {' '.join(_meld_text(meld) for meld in side.melds)}")
        if side.flowers:
            mask = sum(1 << flower - FIRST_FLOWER for flower in side.flowers)
            out.append(f"    flowers  {view.flowers_text(mask, rules)}")
        for i, gave in enumerate(side.gave):
            took = f", took {format_tiles(side.took[i])}" if i < len(side.took) else ""
            out.append(f"    exchange gave {format_tiles(gave)}{took}")
        if side.discards:
            out.append(f"    discards {' '.join(_discard_text(discard) for discard in side.discards)}")
    if paid := settled(record, rules):
        out += ["", *paid]
    out += ["", "+ drawn last   <1 from seat 1   (5m>2) claimed by seat 2   ! declared with it   # hidden"]
    return "\n".join(out) + "\n"


# --- picture --------------------------------------------------------------------------------------------------------

WIDTH, HEIGHT = 1160, 1040
_CLOTH, _PANEL, _EDGE = (24, 92, 66), (18, 68, 50), (12, 48, 36)
_PALE, _BRIGHT, _ORANGE = (206, 226, 214), (255, 214, 64), (255, 140, 40)
_FACE, _CONCEALED, _TAKEN, _BACK = (250, 246, 230), (214, 226, 246), (150, 160, 150), (60, 110, 170)
_SUIT = {"m": (178, 24, 32), "p": (24, 66, 160), "s": (16, 116, 48), "z": (36, 36, 36), "f": (132, 40, 140)}
_HONORS = {"1z": "E", "2z": "S", "3z": "W", "4z": "N", "5z": "Wh", "6z": "Gr", "7z": "Rd"}
_HONOR_INK = {"6z": (16, 116, 48), "7z": (178, 24, 32), "5z": (90, 110, 140)}
_FLOWER_INK = {"Blue": (24, 66, 160), "Red": (178, 24, 32)}  # by the first word of its name
_BIG, _SMALL = (38, 52), (32, 42)  # tiles of a hand; melds, flowers and discards


@lru_cache(maxsize=32)
def _font(size: int) -> ImageFont.FreeTypeFont:
    import matplotlib
    from PIL import ImageFont

    return ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans-Bold.ttf"), size)


@lru_cache(maxsize=2048)
def _tile(kind: int, size: tuple[int, int], face: tuple, edge: tuple, note: str = "", name: str = "") -> Image.Image:
    """A tile's picture: number over suit, honors and flowers (by `name`) in letters over their text.

    -1 is its back; a `note` stands in the corner.
    """
    from PIL import Image, ImageDraw

    width, height = size
    image = Image.new("RGB", size, _CLOTH)
    draw = ImageDraw.Draw(image)
    thick = 1 if edge == _EDGE else 3
    draw.rounded_rectangle(
        (0, 0, width - 1, height - 1), 5, fill=_BACK if kind < 0 else face, outline=edge, width=thick
    )
    if kind < 0:
        draw.rounded_rectangle((5, 5, width - 6, height - 6), 3, outline=(120, 164, 212), width=1)
        return image
    text = TEXT[kind]
    words = name.split()
    ink = _FLOWER_INK.get(words[0], _SUIT["f"]) if words else _HONOR_INK.get(text, _SUIT[text[1]])
    big = _HONORS.get(text, text[0])
    if words:  # Spring is Sp, Blue 1 is B1
        big = name[:2] if len(words) == 1 else "".join(word[0] for word in words)
    size_of = int(height * (0.46 if len(big) == 1 else 0.36))
    draw.text((width / 2, height * 0.36), big, font=_font(size_of), fill=ink, anchor="mm")
    small = text if len(big) > 1 or text in _HONORS else text[1]
    draw.text((width / 2, height * 0.76), small, font=_font(int(height * 0.3)), fill=ink, anchor="mm")
    if note:
        draw.rectangle((width - 12, 0, width - 1, 13), fill=(40, 40, 40))
        draw.text((width - 6, 7), note, font=_font(11), fill=(255, 255, 255), anchor="mm")
    return image


class _Canvas:
    """What is drawn so far."""

    def __init__(self) -> None:
        from PIL import Image, ImageDraw

        self.image = Image.new("RGB", (WIDTH, HEIGHT), _CLOTH)
        self.draw: ImageDraw.ImageDraw = ImageDraw.Draw(self.image)

    def tile(self, x: int, y: int, kind: int, size: tuple[int, int], face=_FACE, edge=_EDGE, note: str = "") -> None:
        self.image.paste(_tile(kind, size, face, edge, note), (x, y))

    def flower(self, x: int, y: int, kind: int, names: tuple[str, ...]) -> None:
        self.image.paste(_tile(kind, _SMALL, _FACE, _EDGE, "", names[kind - FIRST_FLOWER]), (x, y))

    def text(self, x: float, y: float, text: str, size: int = 16, ink=_PALE, anchor: str = "la") -> None:
        self.draw.text((x, y), text, font=_font(size), fill=ink, anchor=anchor)

    def fitted(self, x: float, y: float, text: str, size: int, width: float, ink=_PALE) -> None:
        """Text in the middle, smaller where it is wider than `width`."""
        while _font(size).getlength(text) > width and size > 9:
            size -= 1
        self.text(x, y, text, size, ink, "mm")

    def meld(self, x: int, y: int, meld: Meld) -> int:
        """A meld from left to right, the claimed tile framed with its seat; returns the x after it."""
        framed = False
        for kind in meld.tiles:
            claimed = not framed and meld.source >= 0 and kind == meld.claimed
            framed |= claimed
            note = str(meld.source) if claimed else ""
            face = _CONCEALED if meld.concealed else _FACE
            self.tile(x, y, kind, _SMALL, face, _ORANGE if claimed else _EDGE, note)
            x += _SMALL[0]
        return x + 10

    def discards(self, x: int, y: int, side: Side, across: int) -> None:
        """Discards in order, `across` in a row."""
        for i, discard in enumerate(side.discards):
            at = x + i % across * (_SMALL[0] + 2), y + i // across * (_SMALL[1] + 2)
            face = _TAKEN if discard.taker >= 0 else _FACE
            edge = _BRIGHT if discard.latest else _ORANGE if discard.declaring else _EDGE
            self.tile(*at, discard.kind, _SMALL, face, edge, str(discard.taker) if discard.taker >= 0 else "")

    def label(self, x: int, y: int, side: Side, asked: bool, narrow: bool) -> None:
        """Seat, wind and states; a bright plate for the seat that is asked."""
        lines = [f"seat {side.seat}  {side.wind}"]
        more = [*(["dealer"] if side.dealer else []), *side.states]
        if side.score:
            more.append(f"{side.score:+d} tai")
        lines = [*lines, *more] if narrow else ["   ".join([*lines, *more])]
        ink, plate = ((20, 20, 20), _BRIGHT) if asked else (_PALE, _PANEL)
        width = int(max(_font(16).getlength(line) for line in lines)) + 20
        self.draw.rounded_rectangle((x, y, x + width, y + 6 + 20 * len(lines)), 6, fill=plate)
        for i, line in enumerate(lines):
            self.text(x + 10, y + 4 + 20 * i, line, 16, ink)


def _across(
    canvas: _Canvas, side: Side, names: tuple[str, ...], asked: bool, y_hand: int, y_melds: int, y_label: int
) -> None:
    """A seat at the top or bottom; `names` are those of the flowers."""
    x = 200
    for kind in side.tiles:
        canvas.tile(x, y_hand, kind, _BIG)
        x += _BIG[0] + 1
    if side.drawn != -2:
        canvas.tile(x + 12, y_hand, side.drawn, _BIG, edge=_BRIGHT)
    x = 200
    for meld in side.melds:
        x = canvas.meld(x, y_melds, meld)
    x = WIDTH - 20 - 8 * (_SMALL[0] + 1)
    for flower in side.flowers:
        canvas.flower(x, y_melds, flower, names)
        x += _SMALL[0] + 1
    canvas.label(200, y_label, side, asked, narrow=False)


def _down(canvas: _Canvas, side: Side, names: tuple[str, ...], asked: bool, x_hand: int, x_melds: int) -> None:
    """A seat at the left or right: its hand from top to bottom, its melds beside it."""
    y = 150
    size = (_BIG[0], 42)
    for kind in side.tiles:
        canvas.tile(x_hand, y, kind, size)
        y += size[1] + 1
    if side.drawn != -2:
        canvas.tile(x_hand, y + 8, side.drawn, size, edge=_BRIGHT)
    canvas.label(x_melds, 150, side, asked, narrow=True)
    y = 270
    for meld in side.melds:
        canvas.meld(x_melds, y, meld)
        y += _SMALL[1] + 8
    for i, flower in enumerate(side.flowers):
        canvas.flower(x_melds + i % 4 * (_SMALL[0] + 1), 790 + i // 4 * (_SMALL[1] + 2), flower, names)


def _die(canvas: _Canvas, x: int, y: int, number: int) -> None:
    """One die, 34 pixels wide."""
    canvas.draw.rounded_rectangle((x, y, x + 34, y + 34), 6, fill=(245, 245, 245))
    low, mid, high = 8, 17, 26
    spots = {1: "c", 2: "ai", 3: "aci", 4: "agbi", 5: "agcbi", 6: "agdebi"}[number]
    where = {"a": (low, low), "g": (high, low), "b": (low, high), "i": (high, high), "c": (mid, mid), "d": (low, mid),
             "e": (high, mid)}  # fmt: skip
    ink, r = ((190, 20, 30), 4) if number in (1, 4) else ((20, 20, 20), 4)
    for spot in spots:
        cx, cy = where[spot]
        canvas.draw.ellipse((x + cx - r, y + cy - r, x + cx + r, y + cy + r), fill=ink)


def _centre(canvas: _Canvas, record: np.void, rules: Rules, seat: int | None) -> None:
    """Wall, dice, winds, whose turn."""
    left, top, right, bottom = 440, 410, 720, 612
    cx = (left + right) / 2
    canvas.draw.rounded_rectangle((left, top, right, bottom), 12, fill=_PANEL, outline=_EDGE, width=2)
    canvas.fitted(cx, top + 20, "   ".join([rules.name, *minimum_and_pool(record, rules)]), 15, right - left - 16)
    canvas.text(
        cx, top + 48, f"{WINDS[int(record['prevailing'])]} round   streak {int(record['streak'])}", 17, anchor="mm"
    )
    canvas.text(cx, top + 82, f"{drawable(record, rules)} left", 26, _BRIGHT, "mm")
    for i, die in enumerate(record["dice"].tolist()):
        if 1 <= die <= 6:
            _die(canvas, int(cx) - 61 + i * 44, top + 104, die)
    text = question(record, seat)
    words = [text] if record["phase"] == OVER else text.split(": ", 1)
    for i, line in enumerate(words):
        canvas.fitted(cx, top + 160 + 21 * i, line, 16, right - left - 16, (255, 255, 255))


def _wrapped(text: str, size: int, width: float) -> list[str]:
    """Text in lines of at most `width` pixels, cut between words."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and _font(size).getlength(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _paid(canvas: _Canvas, record: np.void, rules: Rules) -> None:
    """Settlements between the discards and the bottom seat: the wins, then what was paid during play; six lines at most."""
    texts = settled(record, rules)
    during = int(record["n_instants"])
    lines = [(line, _BRIGHT) for text in texts[during:] for line in _wrapped(text, 13, 700)]
    if during:
        together = f"paid during play: {'; '.join(texts[:during])}"
        lines += [(line, _PALE) for line in _wrapped(together, 13, 700)]
    if len(lines) > 6:
        lines = [*lines[:5], (f"{lines[5][0]} ...", lines[5][1])]
    for i, (line, ink) in enumerate(lines):
        canvas.fitted(WIDTH / 2, 776 + 19 * i, line, 13, 720, ink)


def picture(record: np.void | np.ndarray, rules: Rules, seat: int | None = None) -> np.ndarray:
    """The table seen from above: uint8[HEIGHT, WIDTH, 3].

    Args:
        record: a HAND record, or HAND[1].
        rules: the rules it is played with.
        seat: sits at the bottom and sees only what it may; None shows all with seat 0 at the bottom.

    The next player sits at the right. A discard that was claimed is grey with the number of its taker, the latest one is framed
    yellow, the one that a seat declared with orange; in a meld the claimed tile is framed orange with the seat it came from.
    """
    record = _one(record)
    canvas = _Canvas()
    bottom, right, top, left = (side_of(record, rules, ((seat or 0) + rel) % 4, seat) for rel in range(4))
    asked = [s.asked and seat in (None, s.seat) for s in (bottom, right, top, left)]
    names = view.flower_names(rules)
    _across(canvas, bottom, names, asked[0], HEIGHT - 64, HEIGHT - 114, HEIGHT - 148)
    _down(canvas, right, names, asked[1], WIDTH - 60, WIDTH - 204)
    _across(canvas, top, names, asked[2], 12, 70, 116)
    _down(canvas, left, names, asked[3], 22, 76)
    _centre(canvas, record, rules, seat)
    canvas.discards(410, 624, bottom, 10)
    canvas.discards(410, 190, top, 10)
    canvas.discards(730, 360, right, 6)
    canvas.discards(228, 360, left, 6)
    _paid(canvas, record, rules)
    return np.asarray(canvas.image, dtype=np.uint8).copy()
