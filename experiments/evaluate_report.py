"""How an evaluation is shown on a terminal: tables and lines from its result."""

from __future__ import annotations

from typing import Any

from mjsim.batch import fault_lines
from mjsim.experiments.evaluate_play import FOUR, LEADERBOARD, ONE_THREE, TWO_TWO
from mjsim.experiments.evaluate_result import RANKED_FROM

_COLUMNS = (
    ("score", "score (tai)", 3),
    ("win", "win %", 2),
    ("self_draw", "self-draw %", 2),
    ("deal_in", "deal-in %", 2),
    ("tai", "tai of a win", 2),
    ("ready", "ready %", 1),
)
_SIT = {
    ONE_THREE: "{0} in each seat against three {1}",
    TWO_TWO: "two {0} against two {1} in all six seatings",
    FOUR: "{0}, {1}, {2} and {3} in {seatings} seatings",
    LEADERBOARD: "groups of four drawn of {n} agents, in {seatings} seatings",
}


def cell(x: dict[str, Any], digits: int, sign: bool = False) -> str:
    """Value and half its interval; `-` where there is none."""
    if x["value"] is None:
        return "-"
    rounded = round(x["value"], digits) + 0.0  # no minus before a zero
    value = f"{rounded:+.{digits}f}" if sign else f"{rounded:.{digits}f}"
    return value if x["lower"] is None else f"{value} ±{(x['upper'] - x['lower']) / 2:.{digits}f}"


def _columns(result: dict[str, Any]) -> list[tuple[str, str, int]]:
    extra = [("place", "place", 3), ("first", "first %", 1)] if result["match_hands"] else []
    dropped = ("self_draw",) if result["mode"] == LEADERBOARD else ()  # for the width of a terminal
    return [column for column in (*_COLUMNS, *extra) if column[0] not in dropped]


def _cells(row: dict[str, Any], result: dict[str, Any], sign: bool = False) -> list[str]:
    return [cell(row["measures"][m], digits, sign or m == "score") for m, _, digits in _columns(result)]


def table(result: dict[str, Any]) -> Any:
    """A rich table of the contestants, or the leaderboard."""
    from rich import box
    from rich.table import Table

    board = result["mode"] == LEADERBOARD
    title = f"{result['rules']}, seed {result['seed']}; scores and rates are by hand"
    shown = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", padding=(0, 1, 0, 0), show_edge=False)
    for name in (["rank"] if board else []) + ["agent"] + (["hands"] if board else []):
        shown.add_column(name, justify="left" if name == "agent" else "right", overflow="fold")
    for _, label, _ in _columns(result):
        shown.add_column(label, justify="right")
    if board:
        shown.add_column("rating", justify="right")
        for row in result["leaderboard"]:
            rank = "-" if row["rank"] is None else str(row["rank"])
            shown.add_row(rank, row["agent"], f"{row['hands']:,}", *_cells(row, result), cell(row["rating"], 0))
        return shown
    for row in result["contestants"]:
        shown.add_row(row["agent"], *_cells(row, result))
    if len(result["contestants"]) == 2:
        shown.add_section()
        shown.add_row("difference", *_cells(result["differences"][0], result, sign=True))
    return shown


def _aa_lines(aa: dict[str, Any]) -> list[str]:
    """The verdict, with the figures of the agents that fail, or of the first few."""
    if aa["passed"] is None:
        return [f"A/A check, one agent in all places: {aa['sets']:,} sets are too few to judge"]
    failed = [c for c in aa["agents"] if not (c["rotated"]["passed"] and c["one_seating"]["passed"])]
    shown = failed or aa["agents"][:2]
    texts = []
    for c in shown:
        one, rotated = c["one_seating"], c["rotated"]
        in_all = "exactly 0" if rotated["exact"] else f"{rotated['value']:+.3f} (limit {rotated['limit']:.3f})"
        texts.append(
            f"{c['agent']} {one['value']:+.3f} (limit {one['limit']:.3f}) in one seating of a set, {in_all} in all"
        )
    more = len(aa["agents"]) - len(shown)
    rest = f"; {more} more" if more else ""
    verdict = "FAILED, too far from 0" if failed else "ok"
    return [f"A/A check, one agent in all places, {aa['sets']:,} sets: {verdict}: " + "; ".join(texts) + rest]


def lines(result: dict[str, Any]) -> list[str]:
    """What stands under the table."""
    hands = f"matches of {result['match_hands']} hands" if result["match_hands"] else "single hands"
    sit = _SIT[result["mode"]].format(*result["agents"], n=len(result["agents"]), seatings=result["seatings"])
    ends = result["ends"]
    out = [
        f"{result['sets']:,} sets, {result['hands']:,} hands ({hands}): {sit}, on the same luck within a set; "
        f"{ends['win']['value']:.2f} % won, {cell(ends['draw'], 2)} % drawn; ± is half a 95 % interval, by set",
    ]
    if result["mode"] == LEADERBOARD:
        out += [
            f"ranked by average score a hand, from {RANKED_FROM} hands on; a rating 400 higher is odds of 10 to 1 to finish a "
            "set above the other"
        ]
    else:
        best = result["advantage"]
        out += [f"{best['agent']} scores {cell(best, 3, True)} tai a hand over the mean of its table"]
    variance = result["variance"]
    if variance["rotation"] is not None:
        out += [
            f"the mean of a set varies {variance['rotation']:.2f} times as much as that of as many independent hands "
            f"(variance {variance['of_a_set']:.2f})"
        ]
    if (own := variance["own_draws"]) is not None:
        out += [
            f"per-seat draws: variance {cell(own['ratio'], 3)} times that without, on {own['sets']:,} sets each "
            f"(mean {cell(own['with'], 3, True)} with, {cell(own['without'], 3, True)} without)"
        ]
    out += fault_lines(result.get("faults", []))
    out += _aa_lines(result["aa"])
    if (sprt := result["sprt"]) is not None:
        llr = "beyond any bound (no variance)" if sprt["llr"] is None else f"{sprt['llr']:+.2f}"
        verdict = {
            "H1": f"H1, at least {sprt['m1']:g} tai a hand",
            "H0": f"H0, at most {sprt['m0']:g} tai a hand",
            "undecided": f"undecided after all {sprt['most']:,} sets",
        }[sprt["verdict"]]
        out += [
            f"sequential test of {sprt['m0']:g} against {sprt['m1']:g} tai a hand: {verdict}; log-likelihood ratio {llr} "
            f"in ({sprt['lower']:+.2f}, {sprt['upper']:+.2f}) after {sprt['sets']:,} sets"
            + ("" if sprt["verdict"] == "undecided" else "; means of a stopped run lean to the verdict")
        ]
    return out
