"""How plots of studies look: a figure with title and panels, points with intervals, and its SVG for a page or PNG for a file.

Owns colours and layout. matplotlib is imported when a figure is made.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mjsim.experiments.stats import Interval

#: Colours of series. In a page they, and the others below, are those of the page's light or dark style.
COLORS = ("#b5402a", "#2a6fb5", "#3d8b52", "#8a6bb1", "#b07d1a", "#2b8c8c")
INK, SOFT, LINE = "#1b1b1b", "#5a5a5a", "#dcdcdc"
_STYLED = {INK: "currentColor", SOFT: "var(--soft)", LINE: "var(--line)"} | {
    color: f"var(--c{i})" for i, color in enumerate(COLORS)
}
_SETTINGS = {
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK),
    "grid.color": LINE,
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that a figure is the same everywhere
    "svg.hashsalt": "mjsim",
    "svg.fonttype": "path",
}

Panel = Callable[[Any], None]


def figure(title: str, subtitle: str, panels: Sequence[Panel], size: tuple[float, float], columns: int = 0) -> Any:
    """A figure of `size` inches with one axis for each panel, `columns` in a row (all in one by default)."""
    import matplotlib
    from matplotlib.figure import Figure

    columns = columns or len(panels)
    rows = -(-len(panels) // columns)
    with matplotlib.rc_context(_SETTINGS):
        made = Figure(figsize=size, dpi=130, layout="constrained")
        made.get_layout_engine().set(rect=(0, 0, 1, 1 - 0.55 / size[1]), w_pad=0.1, h_pad=0.1)
        made.text(0.01, 1 - 0.1 / size[1], title, fontsize=12, ha="left", va="top")
        made.text(0.01, 1 - 0.35 / size[1], subtitle, fontsize=8, color=SOFT, ha="left", va="top")
        axes = made.subplots(rows, columns, squeeze=False).ravel()
        for axis, draw in zip(axes, panels, strict=False):
            draw(axis)
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        made.get_layout_engine().execute(made)
        made.set_layout_engine("none")  # laid out once, not again for each format
    return made


def clean(axis: Any, grid: str = "y") -> None:
    """Light lines for the eye to follow, and no frame."""
    axis.grid(axis=grid, color=LINE, linewidth=0.6)
    axis.set_axisbelow(True)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)


def points(
    axis: Any,
    estimates: Sequence[Interval | None],
    color: str,
    *,
    at: Sequence[float] | None = None,
    shift: float = 0.0,
    label: str | None = None,
    line: bool = False,
    digits: int | None = None,
    sign: bool = False,
    under: bool = False,
) -> None:
    """Estimates as points with their intervals at x = 0, 1, ... or `at`; `digits` writes the values beside them."""
    x = (np.arange(len(estimates)) if at is None else np.asarray(at, float)) + shift
    y = np.array([math.nan if e is None else e.value for e in estimates])
    half = np.nan_to_num(np.array([0.0 if e is None else e.half for e in estimates]))
    axis.errorbar(
        x, y, yerr=half, fmt="o-" if line else "o", markersize=4, capsize=3, linewidth=1.2, color=color, label=label
    )
    if digits is None:
        return
    for across, value, reach in zip(x, y, half, strict=True):
        if not math.isnan(value):
            axis.annotate(
                f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}",
                (across, value - reach if under else value + reach),
                xytext=(0, -4 if under else 4),
                textcoords="offset points",
                ha="center",
                va="top" if under else "bottom",
                fontsize=8,
                color=color,
            )
    axis.margins(y=0.18)


def png(made: Any) -> bytes:
    """The figure as a PNG file."""
    import matplotlib

    sink = io.BytesIO()
    with matplotlib.rc_context(_SETTINGS):
        made.savefig(sink, format="png")
    return sink.getvalue()


def svg(made: Any, prefix: str) -> str:
    """The figure as an SVG element for a page: no background, the page's colours, every id beginning with `prefix`."""
    import matplotlib

    sink = io.StringIO()
    with matplotlib.rc_context(_SETTINGS):
        made.savefig(sink, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = sink.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'(<svg [^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg [^>]*?) height="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-", text)
    for color, styled in _STYLED.items():
        text = text.replace(color, styled)
    return text.strip()
