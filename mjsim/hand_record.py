"""HAND: the record that holds everything of one hand in play. Owns the layout and the phases; the flow changes it."""

from __future__ import annotations

import numba
import numpy as np

from mjsim.actions import N_WORDS
from mjsim.jit import record_at
from mjsim.ruleset.record import N_ITEMS, POSITION, SCORE
from mjsim.tiles import N_KINDS, N_TILES

#: More than a hand can hold: 128 drawable tiles less 64 dealt, one extra for the dealer, and a discard for each claim (20).
MAX_DISCARDS = 96
MAX_SETTLEMENTS = 4
#: Payments during play: a concealed kong or a chase takes four tiles of the 136, and a few for dice, bouquets and pool.
MAX_INSTANTS = 44
#: Latest discards of a seat kept in order; a power of two.
N_RECENT = 16

#: Phases: who is asked what. In each but OVER `seat` has the decision.
GIVE, CHOICE, TURN, CLAIM, ROB, FLOWER, DECLARE, OVER = range(8)
PHASES = ("give", "choice", "turn", "claim", "rob", "flower", "declare", "over")

#: How a hand ended.
NOT_ENDED, END_DRAW, END_FLOWER, END_WIN = range(4)
ENDS = ("", "draw", "flower", "win")

#: Declarations of a seat; DECLARED_READY is Closing or Original Call where the rules have those.
NOT_DECLARED, DECLARED_READY, DECLARED_MIGI = range(3)

#: Moments of `shanten_at`.
AT_START, AFTER_FIRST, AFTER_SECOND, AT_END = range(4)

HAND = np.dtype(
    [
        # luck, drawn before any decision
        ("seed", np.int64),
        ("match", np.int64),
        ("hand", np.int64),
        ("wall", np.uint8, N_TILES),
        ("dice", np.int8, 3),
        ("pairings", np.int8, (2, 4)),  # [exchange, seat]: who receives the seat's three tiles
        ("rng", np.uint64, 4),  # each seat's own stream, for policies that draw
        # standing
        ("dealer", np.int8),
        ("east", np.int8),
        ("prevailing", np.int8),  # 0 East - 3 North
        ("streak", np.int16),
        ("pool", np.int32),  # what drawn hands before this one have paid in
        # wall
        (
            "own_streams",
            np.uint8,
        ),  # 1: every seat's ordinary draws come from tiles of its own; set before the hand begins
        ("stream_of", np.uint8, N_TILES),  # then: whose tile lies at each index of `wall`
        ("head", np.int16),  # next ordinary draw
        ("tail", np.int16),  # one past the next replacement
        # tiles of each seat
        ("counts", np.int8, (4, N_KINDS)),  # concealed
        ("keys", np.int32, (4, 4)),  # base-5 keys of the concealed tiles
        ("have", np.uint64, 4),  # bits of the kinds with a copy in hand
        ("twos", np.uint64, 4),  # with two copies at least
        ("threes", np.uint64, 4),  # with three
        ("quads", np.uint64, 4),  # with four
        ("distance", np.int8, 4),  # tiles lacking, as of the seat's last discard (16 tiles)
        ("flowers", np.uint8, 4),  # bit 0 is 1f
        ("held_flowers", np.uint8, 4),  # dealt and not yet exposed; a flower win in the opening may leave some
        ("bouquets", np.uint8, 4),  # paid to the seat: 1 mixed, 2 of 1f-4f, 4 of 5f-8f
        ("flower_time", np.int8, 8),  # order of exposure from 1, 0 not exposed
        ("n_flowers", np.int8),
        ("n_melds", np.int8, 4),
        ("n_exposed", np.int8, 4),  # melds that are no concealed kong
        ("meld_type", np.int8, (4, 5)),  # mjsim.melds
        ("meld_tile", np.int8, (4, 5)),  # lowest kind
        ("meld_claimed", np.int8, (4, 5)),  # the claimed kind, -1 for a concealed kong
        ("meld_from", np.int8, (4, 5)),  # whose discard it was, -1 for a concealed kong
        ("melded", np.int8, (4, N_KINDS)),  # tiles in the seat's melds
        ("pungs", np.uint64, 4),  # bits of the kinds with an exposed pung
        # discards, in order of time
        ("n_discards", np.int16),
        ("discards", np.uint8, MAX_DISCARDS),
        ("discarder", np.int8, MAX_DISCARDS),
        ("discard_taken", np.int8, MAX_DISCARDS),  # who claimed it, -1 nobody
        ("n_discards_of", np.int16, 4),
        ("recent", np.uint8, (4, N_RECENT)),  # the seat's latest discards, a ring: its n-th is at n % N_RECENT
        ("discarded", np.int8, (4, N_KINDS)),  # copies by seat, claimed ones too
        ("taken", np.int8, (4, N_KINDS)),  # copies of those that somebody claimed
        ("shown", np.int8, N_KINDS),  # copies that lie open to all: discards, melds whose tiles are seen
        ("last_discard", np.int8, 4),  # kind, -1 none yet
        # states of each seat
        ("declared", np.int8, 4),
        ("declared_at", np.int16, 4),  # index in `discards` of the declaring discard
        ("skipped_win", np.uint8, 4),
        ("skipped_pung", np.uint64, 4),  # bits of kinds
        ("passed", np.uint64, 4),  # bits of the kinds it passed on since its own last turn began
        ("stopped", np.uint8, 4),  # held a complete hand that the minimum alone kept from winning
        ("any_claim", np.uint8),  # a chow, pung or kong has been made (ends the first go-around)
        # the turn
        ("phase", np.int8),
        ("turn", np.int8),  # whose turn it is
        ("seat", np.int8),  # whose decision it is
        ("drawn", np.int8),  # kind drawn last this turn; -1 after a chow or pung, and of the dealer's opening tiles
        ("drawn_at", np.int16),  # index in `wall` of that tile
        ("replacement", np.uint8),  # that tile replaced a flower or followed a kong
        ("turn_kongs", np.int8),  # kongs of this turn, a claimed one included
        ("claim_turn", np.uint8),  # the turn began with a chow or pung and nothing was drawn since
        ("kong_ban", np.uint8),  # no self-draw after an exposed kong
        ("barred", np.uint64),  # kinds that may not be discarded this turn
        ("lacks", np.int8),  # tiles lacking with the tile drawn (17 tiles)
        ("win_legal", np.uint8),
        ("case_one", np.int8),  # seat that may rob with its seventh flower (Seven Robs One case 1), -1 none
        ("flower_due", np.int8),  # seat whose Seven Rob One waits for its extra tile, -1 none
        ("resume", np.int8),  # seat that goes on drawing after a flower question, -1 in the opening
        # the question on a discard, an added kong or a flower
        ("claim_tile", np.int8),
        ("claim_from", np.int8),
        ("stage", np.int8),
        ("options", np.uint64, 4),  # bits as in the word of actions without a kind
        ("answers", np.int16, 4),  # -1 not asked
        # Three-Tile Exchange
        ("round", np.int8),  # exchanges made
        ("n_given", np.int8),  # by the seat being asked
        ("gives", np.int8, (2, 4, 3)),
        ("takes", np.int8, (2, 4, 3)),
        # legal actions of `seat`
        ("legal", np.uint64, N_WORDS),
        ("n_legal", np.int16),
        ("n_decisions", np.int32),
        # measures
        ("shanten_at", np.int8, (4, 4)),  # [moment, seat]; -9 where the moment did not come
        # payments during play, in order of time; an item's number, and what one payer pays
        ("n_instants", np.int8),
        ("instant_item", np.int8, MAX_INSTANTS),
        ("instant_winner", np.int8, MAX_INSTANTS),  # -1: `payer` pays each other, or all pay the pool
        ("instant_payer", np.int8, MAX_INSTANTS),
        ("instant_tai", np.int32, MAX_INSTANTS),
        # result
        ("end", np.int8),
        ("n_settlements", np.int8),
        ("settle_kind", np.int8, MAX_SETTLEMENTS),
        ("settle_winner", np.int8, MAX_SETTLEMENTS),
        ("settle_payer", np.int8, MAX_SETTLEMENTS),  # -1 where all three pay
        ("settle_how", np.int8, MAX_SETTLEMENTS),
        ("settle_tai", np.int16, MAX_SETTLEMENTS),
        ("settle_judged", np.int32, MAX_SETTLEMENTS),
        ("settle_items", np.int16, (MAX_SETTLEMENTS, N_ITEMS)),
        ("settle_payments", np.int32, (MAX_SETTLEMENTS, 4)),
        ("scores", np.int32, 4),
        ("next_dealer", np.int8),
        ("next_streak", np.int16),
        ("next_prevailing", np.int8),
        ("next_pool", np.int32),
        ("match_over", np.uint8),  # the rules end the match with this hand
        # scratch of the scorer
        ("position", POSITION),
        ("score", SCORE),
    ],
    align=True,
)

HAND_TYPE = numba.from_dtype(HAND)
hand_at = record_at(HAND)


def copy_records(hands: np.ndarray) -> np.ndarray:
    """A copy of HAND[...], byte for byte: numpy's own copy goes by fields and leaves what is between them undefined."""
    return hands.view(f"V{HAND.itemsize}").copy().view(HAND)
