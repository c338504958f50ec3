"""The plots of the dice study. How the numbers come about stands in `dice_measures`, how plots look in `plots`."""

from __future__ import annotations

from typing import Any

from mjsim.experiments.dice import DiceResult
from mjsim.experiments.dice_kernels import PATTERNS
from mjsim.experiments.dice_measures import (
    BLIND_COLUMNS,
    LABELS,
    REAL_DICE,
    ROLLS,
    SLOPE,
    Summary,
    Worth,
    bonus_tai,
    odds,
)
from mjsim.experiments.plots import COLORS, INK, LINE, SOFT, Panel, clean, figure, points
from mjsim.experiments.report import rules_text
from mjsim.experiments.stats import Interval

#: From no bonus to the highest, real dice apart at the right.
_ORDER = ("none", "all_black", "straight", "all_red", "triple", REAL_DICE)
_BONUS_ORDER = _ORDER[1:]
_DEALER, _OTHER = COLORS[:2]


def _ticks(axis: Any, result: DiceResult, columns: tuple[str, ...]) -> None:
    tai = dict(zip(PATTERNS, bonus_tai(result.rules), strict=True))
    share = dict(zip(PATTERNS, odds(), strict=True))
    labels = [
        "all rolls"
        if c == SLOPE
        else f"{LABELS[c]}\n" + ("by odds" if c == REAL_DICE else f"+{tai[c]} tai\n{share[c]}/{ROLLS}")
        for c in columns
    ]
    axis.set_xticks(range(len(columns)), labels, fontsize=8)
    if columns[-1] in (REAL_DICE, SLOPE):
        axis.axvline(len(columns) - 1.5, color=LINE, linewidth=0.8, linestyle=":")
    axis.set_xlim(-0.5, len(columns) - 0.5)
    clean(axis)


def agents_text(result: DiceResult) -> str:
    return result.agents[0] if len(set(result.agents)) == 1 else ", ".join(result.agents)


def _subtitle(result: DiceResult) -> str:
    return f"{rules_text(result.rules)}; {agents_text(result)}; {result.walls:,} walls under each pattern; bars: 95 % intervals"


def _ends(result: DiceResult, summary: Summary) -> Any:
    def panel(measure: str, title: str, unit: str) -> Panel:
        def draw(axis: Any) -> None:
            points(axis, [summary[measure][c].value for c in _ORDER], SOFT, digits=1)
            _ticks(axis, result, _ORDER)
            axis.set_title(title, fontsize=10)
            axis.set_ylabel(unit)
            if measure != "win":
                axis.set_ylim(bottom=0)

        return draw

    panels = [
        panel("win", "Hands won", "% of hands"),
        panel("draw", "Exhaustive draws", "% of hands"),
        panel("stopped", "Complete, stopped by the minimum alone", "per 100 hands"),
    ]
    return figure("Dice bonus: how hands end", _subtitle(result), panels, (12.5, 4.2))


def _scores(result: DiceResult, summary: Summary) -> Any:
    def draw(axis: Any) -> None:
        axis.axhline(0, color=INK, linewidth=0.8)
        for measure, label, color, shift in (
            ("score_dealer", "dealer", _DEALER, -0.12),
            ("score_other", "each non-dealer", _OTHER, 0.12),
        ):
            changes = [summary[measure][c].difference for c in _BONUS_ORDER]
            points(axis, changes, color, shift=shift, label=label, digits=3, sign=True, under=measure == "score_other")
        _ticks(axis, result, _BONUS_ORDER)
        axis.set_ylabel("score less the score under none, tai a hand")
        axis.legend(frameon=False, loc="best")

    return figure(
        "Dice bonus: score by role, difference from none on the same walls", _subtitle(result), [draw], (9, 4.8)
    )


def _wins(result: DiceResult, summary: Summary) -> Any:
    def tai(axis: Any) -> None:
        points(axis, [summary["tai"][c].value for c in _ORDER], SOFT, label="tai of a win", digits=2)
        bonus = {c: summary["bonus"][c].value.value for c in _ORDER}
        before = [summary["tai"][c].value.value - bonus[c] for c in _ORDER]
        axis.plot(range(len(_ORDER)), before, "_", markersize=14, color=_OTHER, label="the same wins less the bonus")
        axis.legend(frameon=False, loc="upper left")
        _ticks(axis, result, _ORDER)
        axis.set_title("Mean tai of a win (dealer tai apart)", fontsize=10)
        axis.set_ylabel("tai")
        axis.set_ylim(bottom=0)

    def share(axis: Any) -> None:
        points(axis, [summary["by_bonus"][c].value for c in _ORDER], SOFT, digits=1)
        _ticks(axis, result, _ORDER)
        minimum = result.rules.flags["min_tai"]
        axis.set_title(f"Wins that reach the minimum of {minimum} tai only through the bonus", fontsize=10)
        axis.set_ylabel("% of wins")
        axis.set_ylim(bottom=0)

    return figure("Dice bonus: what wins are worth", _subtitle(result), [tai, share], (11.5, 4.4))


def _worth(result: DiceResult, worth: Worth) -> Any:
    columns = (*(c for c in _BONUS_ORDER if c != REAL_DICE), SLOPE)

    def draw(axis: Any) -> None:
        axis.axhline(0, color=INK, linewidth=0.8)
        for values, label, color, shift in (
            (worth.dealer, "dealer", _DEALER, -0.12),
            (worth.other, "each non-dealer", _OTHER, 0.12),
        ):
            changes = [values["score"][c] for c in columns]
            points(axis, changes, color, shift=shift, label=label, digits=3, sign=True, under=label != "dealer")
        _ticks(axis, result, columns)
        axis.set_ylabel("tai a hand for each tai of bonus")
        axis.legend(frameon=False, loc="best")

    return figure("Dice bonus: what a tai of it is worth by role", _subtitle(result), [draw], (9, 4.4))


def _seeing(result: DiceResult, found: dict[str, dict[str, dict[str, Interval]]]) -> Any:
    columns = tuple(c for c in _BONUS_ORDER if c in BLIND_COLUMNS)

    def panel(measure: str, title: str, unit: str) -> Panel:
        def draw(axis: Any) -> None:
            axis.axhline(0, color=INK, linewidth=0.8)
            for i, (agent, values) in enumerate(found.items()):
                shift = 0.16 * (i - (len(found) - 1) / 2)
                shown = [values[measure][c] for c in columns]
                points(axis, shown, COLORS[i % len(COLORS)], shift=shift, label=agent)
            _ticks(axis, result, columns)
            axis.set_title(title, fontsize=10)
            axis.set_ylabel(unit)
            axis.legend(frameon=False, loc="best")

        return draw

    subtitle = f"{rules_text(result.rules)}; {result.adapt_walls:,} walls under each pattern; bars: 95 % intervals"
    panels = [
        panel("gain", "Gain in score", "tai a hand"),
        panel("tai", "Change in tai of a win", "tai"),
        panel("otherwise", "Hands played otherwise", "% of hands"),
    ]
    return figure("Dice bonus: what a seat gains by seeing it", subtitle, panels, (12.5, 4.2))


def figures(
    result: DiceResult, summary: Summary, worth: Worth, found: dict[str, dict[str, dict[str, Interval]]]
) -> dict[str, Any]:
    """The figures by name; `worth` is that of the main agents, `found` what agents gain by seeing."""
    made = {
        "ends": _ends(result, summary),
        "wins": _wins(result, summary),
        "scores": _scores(result, summary),
        "worth": _worth(result, worth),
    }
    return made | ({"seeing": _seeing(result, found)} if found else {})
