"""The page of `study dice`: what was found, in words, tables and plots, and how it was measured."""

from __future__ import annotations

from typing import Any

from mjsim.experiments.dice import DEFAULT_KEEP
from mjsim.experiments.dice_kernels import DICE, PATTERNS
from mjsim.experiments.dice_measures import LABELS, SLOPE
from mjsim.experiments.dice_plots import agents_text
from mjsim.experiments.dice_tables import Found, blind_table, notes, pattern_tables, worth_table
from mjsim.experiments.report import Made, Plot, Points, Section, page, text
from mjsim.experiments.stats import Interval


def _lead(found: Found) -> list[str]:
    """What was found, in words."""
    result, summary = found.result, found.summary
    dealer = summary["score_dealer"]["real_dice"].difference
    worth = next(iter(found.worth.values()))
    minimum = ""
    if result.rules.flags["min_tai"]:
        minimum = (
            f", because it helps to reach the minimum of {result.rules.flags['min_tai']} tai: "
            f"{text(summary['by_bonus']['real_dice'].value, 1)} % of wins reach it only through the bonus"
        )
    lines = [
        f"Between four seats of {agents_text(result)} the dice bonus changes the hands won by "
        f"{text(summary['win']['real_dice'].difference, 2, True)} % (with a triple "
        f"{text(summary['win']['triple'].difference, 2, True)} %){minimum}. "
        f"The dealer's score changes by {text(dealer, 3, True)} tai a hand with real dice"
        + _sure(dealer, "; that is more than chance.", "; no more than chance.")
        + f" For each tai of bonus the dealer gains {text(worth.dealer['score'][SLOPE], 3, True)} tai a hand and a non-dealer "
        f"{text(worth.other['score'][SLOPE], 3, True)}."
    ]
    for agent, values in found.blind.items():
        gain, triple = values["gain"]["real_dice"], values["gain"]["triple"]
        changed = values["otherwise"]["real_dice"]
        if changed.value == 0:
            lines.append(f"`{agent}` plays every hand alike whether it sees the bonus or not: it does not adapt.")
            continue
        lines.append(
            f"`{agent}` adapts: seeing the bonus it plays {text(changed, 1)} % of hands otherwise (with a triple "
            f"{text(values['otherwise']['triple'], 1)} %). What a seat gains by that is {text(gain, 3, True)} tai a hand with "
            f"real dice and {text(triple, 3, True)} with a triple"
            + _sure(
                gain,
                ": it pays to know the bonus.",
                ": on these walls no gain can be told from 0.",
                ": it loses by it.",
            )
            + f" Its wins change by {text(values['win']['real_dice'], 2, True)} % of hands, their tai by "
            f"{text(values['tai']['real_dice'], 3, True)}."
        )
    return lines


def _sure(x: Interval, above: str, neither: str, below: str | None = None) -> str:
    if x.lower > 0:
        return above
    return (below or above) if x.upper < 0 else neither


_WORTH_TEXT = (
    "The bonus of a hand counts for whoever wins it, so that a seat gains it with its own wins and pays it with others'. The table "
    "has the change in a seat's score (tai a hand) from the same walls under none, for each tai of the bonus, and the two parts "
    "that it is the difference of: what the seat gets by its own wins, and what it pays for those of others. A pattern's row is "
    "its difference from none divided by its tai; the last row is the slope of a straight line through the point of no bonus, "
    "by least squares over all 216 rolls. Not all of it is the bonus itself: with a minimum the bonus also lets more hands win, "
    "and these pay their whole tai. The four scores add up to 0, so the dealer's gain is what the three others lose."
)
_SEEING_TEXT = (
    "A seat that is blind decides as if the dice showed 1-2-4, a roll without a pattern: it neither counts the bonus in what a "
    "hand is worth nor towards the minimum. It still wins when the rules offer it. Every wall is played with the agent in all four "
    "seats, all seeing, and again with each seat in turn blind while the three others see; the gain of seeing is the seat's score "
    "in the first less its score in the second, paired by wall. A rule of play that pays no heed to the dice must show exactly 0."
)


def page_of(found: Found, figures: dict[str, Any], command_line: str) -> str:
    result, rules = found.result, found.result.rules
    east = (
        "East is the seat whose wall is broken by three dice of the wall's own, `(dealer + total - 1) % 4`, as in every "
        "hand of a match but its first"
        if rules.flags["east_from_dice"]
        else "East is the dealer"
    )
    rolls = ", ".join(f"{LABELS[n]} {'-'.join(map(str, DICE[p]))}" for p, n in enumerate(PATTERNS))
    ends, wins, roles, changes = pattern_tables(found)
    sections = [
        Section("How hands end", [ends, Plot(figures["ends"], "Rates of wins and draws by pattern"), changes]),
        Section("What wins are worth", [wins, Plot(figures["wins"], "Tai of a win by pattern")]),
        Section("Score by role", [roles, Plot(figures["scores"], "Change in score by role and pattern")]),
        Section(
            "What a tai of bonus is worth",
            [
                _WORTH_TEXT,
                worth_table(found),
                Plot(figures["worth"], "Worth of a tai of bonus by role"),
            ],
        ),
    ]
    if found.blind:
        sections.append(
            Section(
                "Which agents adapt",
                [
                    _SEEING_TEXT,
                    blind_table(found, wide=True),
                    Plot(figures["seeing"], "Gain by seeing the bonus"),
                ],
            )
        )
    sections.append(
        Section(
            "How it was measured",
            [
                Points(notes(result)),
                f"Single hands. Each wall is played once under each pattern ({rolls}), with the same tiles, exchange pairings, "
                "policy streams and standing, so that only the judged pattern differs.",
                "The standing is drawn with each wall from the wall's own luck and stays the same for its hands: the dealer is "
                f"any seat alike; {east}; the prevailing wind is any of the four alike; the streak is geometric, P(k) "
                f"proportional to {result.keep:g}^k for k = 0..{rules.flags['streak_cap']}, {result.keep:g} being the chance "
                "that the dealer keeps the deal (four `greedy` under the rules of `douque-american` keep it in "
                f"{DEFAULT_KEEP:.0%} of the hands of a match). The streak of a match depends a little on the pattern of the "
                "hands before it; here it does not.",
                "In real play the total of the dice also says whose wall is broken, so a pattern goes with certain seat winds (a "
                "triple 1-1-1 breaks the wall two seats after the dealer's, a straight totals 6, 9, 12 or 15). That is no part of "
                "the bonus, so here East does not follow from the pattern's dice: a study that let it would mix seat winds into "
                "the effect.",
                "Differences are taken wall by wall, so they are far more certain than the two values they come from. Intervals "
                "are not corrected for their number. Ratios (tai of a win, share of wins) have their standard error by the delta "
                "method.",
                "With a blind seat every seat draws from tiles of its own, so that a claim does not shift the draws of the others: "
                "the same chances, and a narrower interval. A hand in which the blind seat would decide the same throughout is not "
                "played twice.",
                f"Wall w of the seed is hand 1 of match w: `mjsim.Hand({rules.name!r}, seed={result.seed}, match=w, hand=1, ...)`.",
                "`summary.csv` and `summary.json` have every measure, also by role and seat, `worth.csv` and `seeing.csv` the "
                "other two tables; `sums.npz` has the sums they come from.",
            ],
        )
    )
    size = f"{result.walls:,} walls under five patterns with {agents_text(result)}"
    if result.adapt:
        size += f"; {result.adapt_walls:,} walls with {', '.join(result.adapt)} seeing and blind; {result.hands:,} hands in all"
    made = Made(
        command_line,
        rules,
        result.seed,
        size,
        "± is half a 95 % normal interval; the unit is the wall, all hands of a wall together",
    )
    return page("The dice bonus", _lead(found), sections, made)
