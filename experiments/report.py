"""What every study shows its result with: tables for a terminal and a page, figures for JSON and CSV, and the page itself.

A page is one HTML file that needs no network and no script: text, tables, plots as SVG in the page, and a box that says how
it was made. It follows the reader's light or dark setting. Owns no measure and no plot (`plots` draws).
"""

from __future__ import annotations

import csv
import io
import json
import math
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import mjsim
from mjsim.experiments import plots
from mjsim.experiments.stats import Interval
from mjsim.files import write_whole
from mjsim.ruleset import Rules

# ---- figures as text ---------------------------------------------------------------------------------------------------


def text(x: Interval | None, digits: int, sign: bool = False) -> str:
    """An estimate with ± half its interval; `-` where there is none."""
    if x is None or math.isnan(x.value):
        return "-"
    rounded = round(x.value, digits) + 0.0  # no minus before a zero
    value = f"{rounded:+.{digits}f}" if sign else f"{rounded:.{digits}f}"
    return value if math.isnan(x.half) else f"{value} ±{x.half:.{digits}f}"


def option_words(rules: Rules) -> list[str]:
    """The words of a command line that name these rules: `--rules NAME --option KEY=VALUE ...`."""
    words = ["--rules", rules.name]
    for key, value in rules.options.items():
        pairs = [(f"items.{k}", v) for k, v in value.items()] if key == "items" else [(key, value)]
        for name, v in pairs:
            words += ["--option", f"{name}={option_text(v)}"]
    return words


def option_text(value: Any) -> str:
    """The value of a rule option as a command line takes it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def rules_text(rules: Rules) -> str:
    """Name and changed options in one line."""
    return rules.name + "".join(f", {word}" for word in option_words(rules)[3::2])


# ---- tables ------------------------------------------------------------------------------------------------------------


class TextTable(NamedTuple):
    """A table of text: the first `left` columns are words, the others figures (aligned right)."""

    title: str
    headers: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    left: int = 1


def terminal(tables: Iterable[TextTable], notes: Iterable[str]) -> Any:
    """Tables and the lines under them for a terminal, a rich renderable."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    parts: list[Any] = []
    for table in tables:
        shown = Table(
            title=table.title, box=box.SIMPLE_HEAD, title_justify="left", padding=(0, 1, 0, 0), show_edge=False
        )
        for number, header in enumerate(table.headers):
            words = number < table.left
            shown.add_column(header, justify="left" if words else "right", no_wrap=words)
        for row in table.rows:
            shown.add_row(*row)
        parts += [shown, ""]
    parts.append(Text("\n".join(notes), style="dim"))
    return Group(*parts)


# ---- files -------------------------------------------------------------------------------------------------------------


def numbers(x: Interval | None) -> dict[str, float | None] | None:
    """An interval for JSON: `value`, `lower`, `upper`, null where there is no number."""
    if x is None:
        return None
    return {name: v if math.isfinite(v) else None for name, v in zip(("value", "lower", "upper"), x, strict=True)}


def cells(x: Interval | None) -> list[float | str]:
    """An interval for CSV: value, lower, upper, empty where there is no number."""
    return ["", "", ""] if x is None else [v if math.isfinite(v) else "" for v in x]


def json_bytes(data: Mapping[str, Any]) -> bytes:
    """Indented JSON; a number that is none is an error here, not a NaN for others to stumble on."""
    return (json.dumps(data, indent=2, allow_nan=False) + "\n").encode()


def csv_bytes(headers: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """CSV with a line of headers."""
    sink = io.StringIO(newline="")
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(headers)
    writer.writerows(rows)
    return sink.getvalue().encode()


def write(folder: str | Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write files by name into a folder, each whole or not at all; returns their paths."""
    paths = [Path(folder) / name for name in files]
    for path, content in zip(paths, files.values(), strict=True):
        write_whole(path, partial(_put, content))
    return paths


def _put(content: bytes, file: Any) -> None:
    file.write(content)


# ---- the page ----------------------------------------------------------------------------------------------------------


class Plot(NamedTuple):
    """A matplotlib figure (made by `plots.figure`) with what it shows in words, for those who cannot see it."""

    figure: Any
    shows: str


class Points(NamedTuple):
    """A list of lines."""

    lines: Sequence[str]


class Section(NamedTuple):
    """A heading with what stands under it; text is a paragraph, `code` in backquotes."""

    title: str
    blocks: Sequence[str | Points | TextTable | Plot]


class Made(NamedTuple):
    """How a result was made: what the box at the end of a page says."""

    command: str
    rules: Rules
    seed: int
    size: str  # such as "300,000 walls, 1,500,000 hands"
    intervals: str  # what they are, and over which unit
    more: Sequence[tuple[str, str]] = ()  # label and text of what else the result depends on


def versions() -> dict[str, str]:
    """Versions of what the numbers were computed with."""
    import numba
    import numpy

    return {
        "mjsim": mjsim.__version__,
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "python": platform.python_version(),
    }


def page(title: str, lead: Sequence[str], sections: Sequence[Section], made: Made) -> str:
    """The HTML page: title, lead paragraphs (what was found), sections, and the box."""
    parts = [f"<h1>{escape(title)}</h1>"]
    parts += [f'<p class="lead">{_inline(paragraph)}</p>' for paragraph in lead]
    drawn = 0
    for section in sections:
        parts.append(f"<h2>{escape(section.title)}</h2>")
        for block in section.blocks:
            if isinstance(block, Plot):
                drawn += 1
            parts.append(_block(block, f"p{drawn}"))
    parts.append(_box(made))
    return _FRAME.format(title=escape(title), style=_STYLE, body="\n".join(parts))


def _inline(line: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(line, quote=False))


def _block(block: str | Points | TextTable | Plot, prefix: str) -> str:
    if isinstance(block, Points):
        return "<ul>" + "".join(f"<li>{_inline(line)}</li>" for line in block.lines) + "</ul>"
    if isinstance(block, TextTable):
        return _table(block)
    if isinstance(block, Plot):
        svg = plots.svg(block.figure, prefix)
        return f'<figure role="img" aria-label="{escape(block.shows)}">{svg}</figure>'
    return f"<p>{_inline(block)}</p>"


def _table(table: TextTable) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        shown = [
            f'<{tag} class="w">{_inline(cell)}</{tag}>' if number < table.left else f"<{tag}>{_inline(cell)}</{tag}>"
            for number, cell in enumerate(cells)
        ]
        return f"<tr>{''.join(shown)}</tr>"

    body = "\n".join(row(cells, "td") for cells in table.rows)
    caption = f"<caption>{_inline(table.title)}</caption>" if table.title else ""
    head = row(table.headers, "th")
    return f'<div class="wide"><table>{caption}<thead>{head}</thead>\n<tbody>{body}</tbody></table></div>'


def _box(made: Made) -> str:
    lines = [
        ("command", f"<code>{escape(made.command)}</code>"),
        ("rules", f"{_inline(rules_text(made.rules))}; fingerprint <code>{made.rules.fingerprint}</code>"),
        ("seed", str(made.seed)),
        ("played", _inline(made.size)),
        ("intervals", _inline(made.intervals)),
        *((escape(label), _inline(words)) for label, words in made.more),
        ("versions", escape(", ".join(f"{name} {version}" for name, version in versions().items()))),
    ]
    listed = "\n".join(f"<dt>{label}</dt><dd>{words}</dd>" for label, words in lines)
    return f'<section class="made"><h2>How this was made</h2>\n<dl>{listed}</dl></section>'


_STYLE = """
:root { color-scheme: light dark; --back: #fff; --ink: #1b1b1b; --soft: #5a5a5a; --line: #dcdcdc; --box: #f5f5f2;
  --c0: #b5402a; --c1: #2a6fb5; --c2: #3d8b52; --c3: #8a6bb1; --c4: #b07d1a; --c5: #2b8c8c; }
@media (prefers-color-scheme: dark) { :root { --back: #16181b; --ink: #e8e6e3; --soft: #a5a5a5; --line: #3a3d42;
  --box: #202327; --c0: #ef8a74; --c1: #7ab5f2; --c2: #83cc96; --c3: #bfa2e3; --c4: #e0b458; --c5: #6fcaca; } }
body { background: var(--back); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.7rem; line-height: 1.2; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem; }
p, ul { max-width: 48rem; } .lead { font-size: 1.05rem; } li { margin: .25rem 0; }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
.wide { overflow-x: auto; margin: 1rem 0 1.4rem; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { text-align: right; padding: .22rem 0 .22rem 1.1rem; white-space: nowrap; }
th { font-weight: 600; color: var(--soft); vertical-align: bottom; white-space: normal; border-bottom: 1px solid var(--soft); }
td { border-bottom: 1px solid var(--line); }
th.w, td.w { text-align: left; padding-left: 0; padding-right: 1rem; }
figure { margin: 1rem 0 1.6rem; overflow-x: auto; max-width: 64rem; } figure svg { width: 100%; min-width: 36rem; height: auto; }
.made { background: var(--box); border: 1px solid var(--line); border-radius: 6px; padding: .2rem 1.2rem 1rem; margin-top: 3rem;
  font-size: .9rem; }
.made h2 { margin-top: .8rem; } dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.2rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; }
@media print { body { margin: 0; max-width: none; } figure, table { break-inside: avoid; } }
"""

_FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""
