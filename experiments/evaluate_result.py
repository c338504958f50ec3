"""The result of an evaluation as plain data: what `--json` prints and result.json keeps. It says nothing of time or machine,
so that the same plan gives the same bytes.
"""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np

from mjsim.experiments.evaluate_measures import (
    ALPHA,
    BETA,
    SET_COUNTERS,
    Sprt,
    Summary,
    Tally,
    aa_checks,
    mean_interval,
    measures,
    plain,
    rotation_ratio,
    variance_ratio,
)
from mjsim.experiments.evaluate_play import AA, LEADERBOARD, MAIN, SHARED, TWO_TWO, Plan, labels
from mjsim.experiments.evaluate_ratings import ratings
from mjsim.experiments.report import option_words

#: A leaderboard ranks from so many hands on, as the ladder of the game does.
RANKED_FROM = 20


def command(plan: Plan) -> str:
    """The command line that gives these numbers again."""
    words = ["mjsim", "evaluate", *plan.agents, *option_words(plan.make_rules())]
    words += ["--sets", str(plan.sets), "--seed", str(plan.seed)]
    if plan.mode == LEADERBOARD:
        words += ["--leaderboard"]
    if plan.mode == TWO_TWO:
        words += ["--mode", TWO_TWO]
    if plan.all_seatings:
        words += ["--all-seatings"]
    if plan.match_hands:
        words += ["--match", str(plan.match_hands)]
    if plan.own_draws:
        words += ["--own-draws"]
    if plan.sprt is not None:
        words += [f"--sprt={plan.sprt[0]:g},{plan.sprt[1]:g}"]  # m0 may begin with a minus
    return shlex.join(words)


def _contestant(plan: Plan, summary: Summary, number: int, label: str) -> dict[str, Any]:
    return {
        "agent": label,
        "hands": summary.total(number, "hands"),
        "measures": {m.id: {"unit": m.unit, **plain(summary.value(number, m))} for m in measures(plan)},
    }


def _differences(plan: Plan, summary: Summary, names: list[str]) -> list[dict[str, Any]]:
    """Each pair of contestants in order; every measure, paired by set."""
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    return [
        {
            "agent": names[i],
            "less": names[j],
            "measures": {m.id: {"unit": m.unit, **plain(summary.difference(i, j, m))} for m in measures(plan)},
        }
        for i, j in pairs
    ]


def _board(plan: Plan, tally: Tally, contestants: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Contestants by average score per hand, ranked from RANKED_FROM hands on, with their ratings."""
    found = ratings(np.concatenate(tally.orders), len(contestants), plan.seed)
    for contestant, rating in zip(contestants, found, strict=True):
        contestant["rating"] = plain(rating)

    def key(c: dict[str, Any]) -> tuple[bool, float]:
        score = c["measures"]["score"]["value"]
        return c["hands"] < RANKED_FROM, -(score if score is not None else -1e9)

    ordered = sorted(contestants, key=key)
    for place, c in enumerate(ordered, 1):
        c["rank"] = place if c["hands"] >= RANKED_FROM else None
    return ordered


def _aa(plan: Plan, names: list[str], tally: Tally) -> dict[str, Any]:
    found = aa_checks(plan, tally.all_series)
    verdicts = [c.passed for checks in found for c in checks.values()]
    return {
        "sets": len(tally.all_series),
        "passed": False if False in verdicts else None if None in verdicts or not verdicts else True,
        "agents": [
            {"agent": name}
            | {
                part: {**plain(c.mean), "exact": c.exact, "limit": c.limit, "passed": c.passed}
                for part, c in checks.items()
            }
            for name, checks in zip(names, found, strict=False)
        ],
    }


def _variance(plan: Plan, tallies: dict[str, Tally]) -> dict[str, Any]:
    # On a leaderboard the first place of a set is another's each time: its variance says nothing of the rotation.
    rotation = np.nan if plan.mode == LEADERBOARD else rotation_ratio(tallies[MAIN].all_series)
    found: dict[str, Any] = {
        "of_a_set": float(np.var(tallies[MAIN].set_means, ddof=1)),
        "rotation": rotation if rotation == rotation else None,
        "own_draws": None,
    }
    if SHARED in tallies:
        without = tallies[SHARED].set_means
        n = len(without)
        found["own_draws"] = {
            "sets": n,
            "with": plain(mean_interval(tallies[MAIN].set_means[:n])),
            "without": plain(mean_interval(without)),
            "ratio": plain(variance_ratio(tallies[MAIN].set_means[:n], without)),
        }
    return found


def _sprt(plan: Plan, sprt: Sprt) -> dict[str, Any]:
    llr = sprt.llr
    return {
        "m0": sprt.m0,
        "m1": sprt.m1,
        "alpha": ALPHA,
        "beta": BETA,
        "sets": sprt.n,
        "most": plan.sets,
        "llr": llr if np.isfinite(llr) else None,
        "lower": sprt.lower,
        "upper": sprt.upper,
        "verdict": sprt.verdict or "undecided",
    }


def result_of(plan: Plan, tallies: dict[str, Tally], sprt: Sprt | None) -> dict[str, Any]:
    """Everything that the run found (docs/evaluation.md says what each field is)."""
    tally = tallies[MAIN]
    summary = Summary(plan, tally.sums)
    names = labels(plan.agents)
    contestants = [_contestant(plan, summary, i, name) for i, name in enumerate(names)]
    result: dict[str, Any] = {
        "format": plan.format,
        "command": command(plan),
        "mjsim": plan.mjsim,
        "rules": plan.rules,
        "options": plan.options,
        "fingerprint": plan.fingerprint,
        "agents": names,
        "mode": plan.mode,
        "seed": plan.seed,
        "match_hands": plan.match_hands,
        "own_draws": plan.own_draws,
        "seatings": len(plan.seatings()),
        "sets": tally.sums.n,
        "hands": summary.set_total("hands"),
        "interval": 0.95,
        "unit_of_statistics": "set",
    }
    if plan.mode == LEADERBOARD:
        result["leaderboard"] = _board(plan, tally, contestants)
    else:
        result["advantage"] = {"agent": names[0], "unit": "tai a hand", **plain(mean_interval(tally.set_means))}
        result["contestants"] = contestants
        result["differences"] = _differences(plan, summary, names)
    result["ends"] = {end: {"unit": "% of hands", **plain(summary.ends(end))} for end in SET_COUNTERS[1:]}
    result["variance"] = _variance(plan, tallies)
    result["aa"] = _aa(plan, names, tallies[AA])
    result["sprt"] = _sprt(plan, sprt) if sprt is not None else None
    return result
