"""Every flag of RULES: its type and its meaning in the rules' own terms, for `mjsim rules NAME` and the docs."""

from __future__ import annotations

from typing import NamedTuple

from mjsim.ruleset.record import WINNERS


class Flag(NamedTuple):
    name: str
    kind: type
    allowed: tuple | None
    meaning: str


FLAGS = (
    Flag("exchange", bool, None, "Three-Tile Exchange before play, the dealer deciding on a second one"),
    Flag("dice_bonus", bool, None, "Dice Bonus: triple, all red, straight, all black of the wall-breaking dice"),
    Flag("min_tai", int, (0, 2, 3, 5), "Minimum Tai to Win, on the share of the discarder or the dealer"),
    Flag("kept_back", int, (0, 144), "tiles at the end of the wall that are never drawn"),
    Flag("base_tai", int, (0, 100), "base that every payer pays beside the tai"),
    Flag("dealer_tai", bool, None, "1 + 2 x streak between the dealer and the other party"),
    Flag("streak_cap", int, (0, 1000), "the hand at this streak is played, then the deal passes"),
    Flag("east_from_dice", bool, None, "seat winds follow the broken wall (from the second hand on), not the dealer"),
    Flag("winners", str, WINNERS, "who wins when several may on one tile"),
    Flag("claim_min_drawable", int, (0, 144), "fewest drawable tiles left for a chow, pung or exposed kong"),
    Flag("exposed_kong_from_previous", bool, None, "the previous player's discard may be konged"),
    Flag("kong_after_claim", bool, None, "a kong may follow a chow or pung in the same turn"),
    Flag("discard_claimed_tile", bool, None, "the tile just chowed or punged (or the other end) may be discarded"),
    Flag("claim_back", bool, None, "a discard may be claimed back with tiles that went with it"),
    Flag("skipped_pung", bool, None, "passing a pung bars pungs of the kind until the own next discard"),
    Flag("skipped_win", bool, None, "passing a win bars winning until the lifting table says so"),
    Flag("win_after_exposed_kong", bool, None, "a self-draw may win on the replacement of an exposed kong"),
    Flag("declare_ready", bool, None, "Declare Ready: the hand is frozen, 1 tai"),
    Flag("migi", bool, None, "MIGI: ready within the first eight discards, before any call"),
    Flag("flower_wins", bool, None, "Eight Immortals and Seven Robs One"),
    Flag("concealed_kong_hidden", bool, None, "others see that there is a concealed kong, not its tile"),
)
BY_NAME = {flag.name: flag for flag in FLAGS}
