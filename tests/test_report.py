"""The page that studies share: one file that needs nothing else, in which nothing of the result can break out as HTML."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

import mjsim
from mjsim.experiments import plots, report
from mjsim.experiments.report import Made, Plot, Points, Section, TextTable
from mjsim.experiments.stats import Interval

NAN = float("nan")
_VOID = {"meta", "path", "use", "rect", "br"}


def a_figure():
    def panel(axis):
        estimates = [Interval(x, x - 0.5, x + 0.5) for x in (1.0, 2.0, 3.0)]
        plots.points(axis, estimates, plots.COLORS[0], label="one", digits=1)
        plots.points(axis, [*estimates[:2], None], plots.COLORS[1], line=True)
        plots.clean(axis)
        axis.legend(frameon=False)

    return plots.figure("A <title>", "a subtitle", [panel, panel, panel], (9, 5), columns=2)


@pytest.fixture(scope="module")
def page() -> str:
    figure = a_figure()
    table = TextTable("Table", ("what", "how much"), [("a < b", "1.0 ±0.1"), ("c", "-")])
    sections = [
        Section("First & last", ["Text with `code <x>` and <b>.", table, Plot(figure, 'shows "it"')]),
        Section("Second", [Points(["one", "two"]), Plot(figure, "again")]),
    ]
    made = Made("mjsim study x --agents 'a<b'", mjsim.rules("douque-american", min_tai=0), 7, "3 walls", "95 %")
    return report.page("A <study>", ["What was found."], sections, made)


class Balance(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.outside: list[str] = []

    def handle_starttag(self, tag, attributes):
        self.ids += [value for name, value in attributes if name == "id"]
        self.outside += [
            v for n, v in attributes if n in ("src", "href", "xlink:href") and not (v or "").startswith("#")
        ]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.ids += [value for name, value in attributes if name == "id"]
        self.outside += [
            v for n, v in attributes if n in ("src", "href", "xlink:href") and not (v or "").startswith("#")
        ]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_needs_nothing_else(page):
    parser = Balance()
    parser.feed(page)
    assert parser.open == []
    assert parser.outside == []
    assert len(set(parser.ids)) == len(parser.ids)
    assert "<script" not in page and "@import" not in page
    assert not re.search(r"url\((?!#)", page)


def test_text_is_escaped(page):
    assert "<h1>A &lt;study&gt;</h1>" in page
    assert "<code>code &lt;x&gt;</code> and &lt;b&gt;." in page
    assert '<td class="w">a &lt; b</td><td>1.0 ±0.1</td>' in page
    assert 'aria-label="shows &quot;it&quot;"' in page


def test_the_box_says_how_it_was_made(page):
    import numba
    import numpy

    box = page[page.index('class="made"') :]
    rules = mjsim.rules("douque-american", min_tai=0)
    for text in (
        "<code>mjsim study x --agents &#x27;a&lt;b&#x27;</code>", "douque-american, min_tai=0", rules.fingerprint,
        "<dd>7</dd>", "3 walls", "95 %", f"numpy {numpy.__version__}", f"numba {numba.__version__}",
        f"mjsim {mjsim.__version__}",
    ):  # fmt: skip
        assert text in box, text


def test_plots_take_the_colours_of_the_page(page):
    drawn = page[page.index("<svg") : page.rindex("</svg>")]
    assert "var(--c0)" in drawn and "var(--c1)" in drawn and "currentColor" in drawn
    left = set(re.findall(r"#[0-9a-f]{6}\b", drawn))
    assert not left, f"a fixed colour is unreadable on one of the two backgrounds: {left}"


def test_a_figure_is_the_same_every_time():
    assert plots.svg(a_figure(), "p") == plots.svg(a_figure(), "p")
    assert plots.png(a_figure()).startswith(b"\x89PNG")


def test_figures_as_text():
    assert report.text(Interval(-0.0001, -0.0101, 0.0099), 2, sign=True) == "+0.00 ±0.01"
    assert report.text(Interval(1.5, NAN, NAN), 1) == "1.5"
    assert report.text(Interval(NAN, NAN, NAN), 1) == report.text(None, 1) == "-"
    assert report.numbers(Interval(1.0, NAN, NAN)) == {"value": 1.0, "lower": None, "upper": None}
    assert report.cells(Interval(1.0, NAN, NAN)) == [1.0, "", ""] and report.cells(None) == ["", "", ""]
    assert report.csv_bytes(("a", "b"), [("x,y", 1.5)]) == b'a,b\n"x,y",1.5\n'
    with pytest.raises(ValueError, match="not JSON compliant"):
        report.json_bytes({"a": NAN})


def test_rules_as_words_of_a_command():
    rules = mjsim.rules("douque-american", exchange="off", items={"dice_bonus": [1, 2, 3, 4]})
    assert report.option_words(rules) == [
        "--rules", "douque-american", "--option", "exchange=off", "--option", "items.dice_bonus=1,2,3,4",
    ]  # fmt: skip
    assert report.rules_text(rules) == "douque-american, exchange=off, items.dice_bonus=1,2,3,4"
