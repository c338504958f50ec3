"""Every flag of RULES: its type and its meaning in the rules' own terms, for `mjsim rules NAME` and the docs."""

from __future__ import annotations

from typing import NamedTuple

from mjsim.ruleset.record import EARLY_WINS, FLOWER_WINS, OPENING_FLOWERS, WINNERS


class Flag(NamedTuple):
    name: str
    kind: type
    allowed: tuple | None  # lowest and highest of a number, words of a choice
    meaning: str


FLAGS = (
    # before play
    Flag("exchange", bool, None, "Three-Tile Exchange before play, the dealer deciding on a second one"),
    Flag("opening_flowers", str, OPENING_FLOWERS, "opening flowers: in passes round the table, or seat by seat"),
    Flag("dealer_draws_first", bool, None, "the dealer is dealt 16 tiles too and begins its first turn with a draw"),
    Flag("last_dealt_wins", bool, None, "of the dealer's 17 dealt tiles the last one received counts as drawn"),
    Flag("east_from_dice", bool, None, "seat winds follow the broken wall (from the second hand on), not the dealer"),
    # the wall
    Flag("kept_back", int, (0, 144), "tiles at the end of the wall that are never drawn"),
    Flag("claim_min_drawable", int, (0, 144), "fewest drawable tiles left for a chow, pung or exposed kong"),
    # claims and kongs
    Flag("winners", str, WINNERS, "who wins when several may on one tile"),
    Flag("exposed_kong_from_previous", bool, None, "the previous player's discard may be konged"),
    Flag("kong_after_claim", bool, None, "a kong may follow a chow or pung in the same turn"),
    Flag("discard_claimed_tile", bool, None, "the tile just chowed or punged (or the other end) may be discarded"),
    Flag("claim_back", bool, None, "a discard may be claimed back with tiles that went with it"),
    Flag("skipped_pung", bool, None, "passing a pung bars pungs of the kind until the own next discard"),
    Flag("skipped_win", bool, None, "passing a win bars winning until the lifting table says so"),
    Flag("passed_kind", bool, None, "passing on a discard bars claims of its kind until the own next turn begins"),
    Flag("win_after_exposed_kong", bool, None, "a self-draw may win on the replacement of an exposed kong"),
    Flag("concealed_kong_hidden", bool, None, "others see that there is a concealed kong, not its tile"),
    # declarations
    Flag("declare_ready", bool, None, "Declare Ready: the hand is frozen, 1 tai"),
    Flag("migi", bool, None, "MIGI: ready within the first eight discards, before any call"),
    Flag("closing", bool, None, "Closing: on any own turn, the hand is frozen; no Nico Nico and no 16 Orphans then"),
    Flag("original_call", bool, None, "Original Call: a dealt hand that waits may be declared before East's discard"),
    Flag("declare_min_drawable", int, (0, 144), "fewest drawable tiles left for a declaration on the own turn"),
    Flag("declared_kong", bool, None, "a declared hand adds a drawn fourth tile to its pung"),
    # winning
    Flag("seven_pairs", bool, None, "seven pairs and a triplet win (Li Gu Li Gu, Nico Nico)"),
    Flag("thirteen_orphans", bool, None, "13 Orphans with a set win"),
    Flag("sixteen_orphans", bool, None, "16 Orphans win"),
    Flag("min_tai", int, (0, 1000), "Minimum Tai to Win, on the share of the discarder or the dealer"),
    Flag("min_tai_step", int, (0, 100), "added to the minimum in each round after East"),
    Flag("heavenly_unasked", bool, None, "a complete dealt hand of the dealer wins by itself"),
    Flag("early_wins", str, EARLY_WINS,
         "heavenly, earthly, human: in the first go-around; or earthly on East's first discard, after a kong too or not"),
    Flag("flower_wins", str, FLOWER_WINS,
         "off; on_turn: chosen on the own turn, a robbed flower at once with its replacement; on_exposure: eight by "
         "itself, seven and one by choice, at once; on_replacement: seven rob one by itself, with the replacement; "
         "seven_or_eight: of one seat, by themselves, with the replacement"),
    # payments
    Flag("dice_bonus", bool, None, "Dice Bonus: triple, all red, straight, all black of the wall-breaking dice"),
    Flag("base_tai", int, (0, 100), "base that every payer pays beside the tai"),
    Flag("dealer_tai", bool, None, "1 + 2 x streak between the dealer and the other party"),
    Flag("dealer_self_draw_tai", int, (0, 100), "what the dealer pays beside the tai when another draws the win"),
    Flag("instant_payments", bool, None, "dice triples, bouquets and concealed kongs are paid at once"),
    Flag("chase_payments", bool, None, "Chasing: four copies discarded before the first discarder's next turn"),
    Flag("draw_pool", bool, None, "a drawn hand's payments wait for the next self-drawn or flower win"),
    # the next hand
    Flag("dealer_keeps_draw", bool, None, "the dealer keeps the deal after a draw"),
    Flag("dealer_keeps_shared", bool, None, "the dealer keeps the deal when it wins together with another"),
    Flag("streak_cap", int, (0, 30_000), "the hand at this streak is played, then the deal passes"),
    Flag("match_ends", bool, None, "the match ends when the North round does"),
)  # fmt: skip
BY_NAME = {flag.name: flag for flag in FLAGS}
