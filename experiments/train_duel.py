"""A network in training against another agent on duplicate sets, in this process: what `mjsim evaluate A B` measures."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from mjsim.experiments.evaluate_measures import Sprt, Tally, mean_interval
from mjsim.experiments.evaluate_play import MAIN, ONE_THREE, Plan, Player
from mjsim.ruleset import Rules


class Outcome(NamedTuple):
    """Of the first agent in each seat against three of the other: tai a hand over the mean of the table.

    `verdict`: "H1" (better by the test), "H0", or None without a test or when it did not decide.
    """

    margin: float
    ci95: float
    sets: int
    verdict: str | None


def duel(
    rules: Rules, first: Any, second: Any, sets: int, seed: int, sprt: tuple[float, float] | None = None
) -> Outcome:
    """Play up to `sets` sets; with `sprt` (m0, m1 in tai a hand) until the sequential test decides."""
    plan = Plan(
        rules=rules.name,
        options=rules.options,
        fingerprint=rules.fingerprint,
        agents=(first.name, second.name),
        mode=ONE_THREE,
        all_seatings=False,
        sets=sets,
        match_hands=0,
        seed=seed,
        own_draws=False,
        sprt=sprt,
        chunk_hands=min(first.piece, second.piece),
    )
    player = Player(plan, [first, second])
    tally = Tally.of(plan)
    test = Sprt(*sprt) if sprt is not None else None
    for _, start, n in plan.chunks(sets):
        tally.take(plan, MAIN, start, n, player.chunk(MAIN, start, n))
        if test is not None and test.add(tally.last_set_means) is not None:
            break
    found = mean_interval(tally.set_means)
    half = (found[2] - found[1]) / 2
    return Outcome(
        found[0], half if math.isfinite(half) else 0.0, len(tally.set_means), test.verdict if test is not None else None
    )
