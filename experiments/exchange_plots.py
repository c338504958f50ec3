"""The plots of the exchange study. How the numbers come about stands in `exchange_measures`."""

from __future__ import annotations

from typing import Any

from mjsim.experiments import plots
from mjsim.experiments.exchange_measures import (
    DEALER,
    MOMENTS,
    OTHERS,
    SEARCH,
    SHANTEN,
    Field,
    Measures,
)
from mjsim.experiments.report import rules_text
from mjsim.tiles import TEXT

#: Ends of the colours of a heat map, between them white: readable with black text on light and dark pages.
_LOW, _MIDDLE, _HIGH = (0.36, 0.58, 0.80), (0.97, 0.97, 0.95), (0.86, 0.47, 0.36)
#: Text in coloured cells, the same on every page.
_CELL_INK = "#101010"
#: Cells of fewer decisions than this are not drawn: their intervals would set the scale.
FEWEST = 0.5


def _subtitle(measures: Measures, more: str) -> str:
    plan = measures.plan
    return f"{rules_text(plan.make_rules())}; {plan.play} plays on; dealer: {plan.dealer}; {more}"


def _blend(x: float) -> tuple[float, float, float]:
    """Colour of x in -1..1."""
    end = _HIGH if x > 0 else _LOW
    share = min(1.0, abs(x))
    return tuple(m + share * (e - m) for m, e in zip(_MIDDLE, end, strict=True))


def _cell(
    axis: Any, across: int, down: int, colour: tuple[float, float, float], text: str, size: float, **more: Any
) -> None:
    from matplotlib.patches import Rectangle

    axis.add_patch(Rectangle((across - 0.5, down - 0.5), 1, 1, facecolor=colour, edgecolor="white", linewidth=1))
    axis.text(across, down, text, ha="center", va="center", fontsize=size, color=_CELL_INK, **more)


def _grid(axis: Any, rows: list[str], columns: list[str], size: float, turned: bool) -> None:
    axis.set_xlim(-0.5, len(columns) - 0.5)
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.set_xticks(
        range(len(columns)), columns, fontsize=size, rotation=30 if turned else 0, ha="right" if turned else "center"
    )
    axis.set_yticks(range(len(rows)), rows, fontsize=size)
    axis.tick_params(length=0)
    for side in ("top", "right", "bottom", "left"):
        axis.spines[side].set_visible(False)


def plot_matrix(measures: Measures) -> Any:
    """Heat map of the payoff matrix; the best response of each column is framed."""
    names = list(measures.plan.strategies)
    cells = [[measures.matrix.cell(column, row).gain for column in names] for row in names]
    scale = max(0.01, max(abs(c.value) for row in cells for c in row))

    def draw(axis: Any) -> None:
        from matplotlib.patches import Rectangle

        for j, column in enumerate(names):
            best = measures.matrix.best(column)
            for i in range(len(names)):
                gain = cells[i][j]
                text = "0" if i == j else f"{gain.value:+.2f}\n±{gain.half:.2f}"
                _cell(axis, j, i, _blend(gain.value / scale), text, 8)
            down = names.index(best.strategy)
            style = "-" if best.clear else ":"
            axis.add_patch(
                Rectangle(
                    (j - 0.46, down - 0.46), 0.92, 0.92, fill=False, edgecolor=_CELL_INK, linewidth=1.8, linestyle=style
                )
            )
        _grid(axis, names, names, 8.5, True)
        axis.set_xlabel("three seats")
        axis.set_ylabel("one seat")

    side = 1.1 * len(names)
    return plots.figure(
        "Payoff of one seat that deviates (tai a hand)",
        _subtitle(
            measures,
            f"{measures.matrix.walls:,} walls; framed: the best response, dotted where the next may be as good",
        ),
        [draw],
        (max(7.0, 2.6 + side), max(4.5, 2.0 + 0.62 * side)),
    )


def plot_deviations(measures: Measures) -> Any:
    """What one seat of each strategy gains against the field."""
    plan = measures.plan
    rows = [(way, measures.matrix.cell(plan.field, way).gain) for way in plan.strategies if way != plan.field]
    if measures.search is not None:
        rows.append((f"search ({measures.search.walls:,} walls)", measures.search.cell(plan.field, SEARCH).gain))
    rows.sort(key=lambda row: row[1].value)

    def draw(axis: Any) -> None:
        axis.axvline(0, color=plots.INK, linewidth=0.8)
        for y, (name, gain) in enumerate(rows):
            colour = plots.COLORS[2] if name.startswith(SEARCH) else plots.COLORS[1]
            axis.errorbar(gain.value, y, xerr=gain.half, fmt="o", markersize=5, capsize=3, linewidth=1.3, color=colour)
            axis.annotate(
                f"{gain.value:+.2f}", (gain.value, y), xytext=(0, 6), textcoords="offset points", ha="center", fontsize=8,
                color=colour,
            )  # fmt: skip
        axis.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=9)
        axis.set_ylim(-0.6, len(rows) - 0.3)
        axis.set_xlabel(f"tai a hand beyond playing {plan.field} as the others do")
        plots.clean(axis, "x")

    return plots.figure(
        f"One seat against three {plan.field}",
        _subtitle(measures, f"{measures.matrix.walls:,} walls; bars: 95 % intervals"),
        [draw],
        (8.5, 1.6 + 0.42 * len(rows)),
    )


def shown_places(field: Field) -> list[int]:
    """Places of SHANTEN that are common enough at the decision to be shown."""
    return [k for k in range(len(SHANTEN)) if field.decided_at(k).value >= FEWEST]


def plot_dealer(measures: Measures) -> Any:
    """What exchanging again is worth to the dealer and each other by the dealer's shanten, and how often that is."""
    field = measures.field
    places = shown_places(field)
    labels = [str(SHANTEN[k]) for k in places]

    def value(axis: Any) -> None:
        axis.axhline(0, color=plots.INK, linewidth=0.8)
        for role, label, colour, shift in (
            (DEALER, "dealer", plots.COLORS[0], -0.12),
            (OTHERS, "each of the others", plots.COLORS[1], 0.12),
        ):
            estimates = [field.again_at(role, k) for k in places]
            plots.points(axis, estimates, colour, shift=shift, label=label, digits=2, sign=True, under=role == OTHERS)
        axis.set_xticks(range(len(places)), labels)
        axis.set_xlabel("dealer's shanten after the first exchange")
        axis.set_ylabel("exchange less start, tai a hand")
        axis.set_title("Worth of a second exchange", fontsize=10)
        axis.legend(frameon=False, fontsize=8)
        plots.clean(axis)

    def scores(axis: Any) -> None:
        axis.axhline(0, color=plots.INK, linewidth=0.8)
        for branch, label, colour in ((0, "start", plots.COLORS[4]), (1, "exchange", plots.COLORS[5])):
            estimates = [field.score_at(k, branch) for k in places]
            plots.points(axis, estimates, colour, shift=0.16 * branch - 0.08, label=label, line=True)
        axis.set_xticks(
            range(len(places)), [f"{s}\n{field.decided_at(k).value:.0f} %" for s, k in zip(labels, places, strict=True)]
        )
        axis.set_xlabel("dealer's shanten, and how often it is that")
        axis.set_ylabel("dealer's tai a hand")
        axis.set_title("The dealer's score", fontsize=10)
        axis.legend(frameon=False, fontsize=8)
        plots.clean(axis)

    return plots.figure(
        "The dealer's decision",
        _subtitle(measures, f"four {measures.plan.field}; {field.walls:,} walls, both ways; bars: 95 % intervals"),
        [value, scores],
        (11.5, 4.6),
    )


def plot_shanten(measures: Measures) -> Any:
    """Distribution of shanten at the start, after one and after two exchanges, a panel for each strategy."""
    fields = measures.fields
    top = max(float(f.distribution(m).max()) for f in fields.values() for m in range(len(MOMENTS)))
    used = [
        k for k in range(len(SHANTEN)) if any(f.distribution(m)[k] >= 0.1 for f in fields.values() for m in range(3))
    ]

    def panel(way: str) -> plots.Panel:
        def draw(axis: Any) -> None:
            for m, (moment, colour) in enumerate(
                zip(MOMENTS, (plots.COLORS[3], plots.COLORS[1], plots.COLORS[0]), strict=True)
            ):
                shares = fields[way].distribution(m)[used]
                label = f"{moment}: {fields[way].shanten(m).value:.2f}"
                axis.plot(SHANTEN[used], shares, "o-", markersize=3, linewidth=1.3, color=colour, label=label)
            axis.set_title(way, fontsize=10)
            axis.set_ylim(0, 1.45 * top)  # room for the legend
            axis.set_xticks(SHANTEN[used])
            axis.legend(frameon=False, fontsize=7, title="mean", title_fontsize=7, loc="upper left")
            plots.clean(axis)

        return draw

    columns = min(4, len(fields))
    rows = -(-len(fields) // columns)
    return plots.figure(
        "Shanten before and after the exchanges (% of seats)",
        _subtitle(measures, "four seats of each strategy; second exchange made in every hand"),
        [panel(way) for way in fields],
        (3.1 * columns, 0.9 + 2.5 * rows),
        columns,
    )


def plot_given(measures: Measures) -> Any:
    """Which kinds are given in the first exchange: a row for each strategy."""
    names = list(measures.fields)
    shares = {way: [cell.value for cell in measures.fields[way].given_kinds(0)] for way in names}
    even = 100 / 34
    top = max(max(row) for row in shares.values())

    def draw(axis: Any) -> None:
        for i, way in enumerate(names):
            for k, share in enumerate(shares[way]):
                x = (share - even) / (top - even) if share > even else (share - even) / even
                _cell(axis, k, i, _blend(x), f"{share:.1f}" if share < 9.95 else f"{share:.0f}", 6)
        _grid(axis, names, list(TEXT[:34]), 7, False)

    return plots.figure(
        "What is given in the first exchange (% of the tiles given, by kind)",
        _subtitle(measures, f"{even:.1f} % each would be even"),
        [draw],
        (13.5, 1.3 + 0.42 * len(names)),
    )


def plots_of(measures: Measures) -> dict[str, tuple[Any, str]]:
    """File name without its ending -> (figure, what it shows in words)."""
    return {
        "matrix": (plot_matrix(measures), "heat map: payoff of one seat of each strategy against three of each other"),
        "deviations": (plot_deviations(measures), "points: gain of one seat of each strategy against the field"),
        "dealer": (
            plot_dealer(measures),
            "points: worth of a second exchange by the dealer's shanten, and the dealer's score",
        ),
        "shanten": (
            plot_shanten(measures),
            "lines: distribution of shanten before and after the exchanges by strategy",
        ),
        "given": (plot_given(measures), "heat map: share of each kind among the tiles given, by strategy"),
    }
