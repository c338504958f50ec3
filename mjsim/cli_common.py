"""What the commands share: options, the rules and workers that are meant, progress, the console."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mjsim.errors import UsageError

if TYPE_CHECKING:
    from mjsim.ruleset import Rules

RulesOption = Annotated[str, typer.Option("--rules", "-r", help="Rule set; `mjsim rules` lists them.")]
OptionOption = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", help="A rule option, such as min_tai=0 or exchange=off; may be repeated."),
]
AgentsOption = Annotated[
    str, typer.Option("--agents", "-a", help='One agent for all seats, or four: a,b,c,d; one with commas in "...".')
]
SeedOption = Annotated[int, typer.Option("--seed", "-s", help="Fixes all luck.")]
WorkersOption = Annotated[str, typer.Option("--workers", "-w", help='Processes, or "ray"; "auto" is one a core.')]
OutOption = Annotated[Path | None, typer.Option("--out", help="Folder for tables, JSON, plots; also resumes.")]
KeepOption = Annotated[
    float | None,
    typer.Option("--keep", help="Chance that a dealer keeps the deal, for drawing streaks (default 0.34)."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def make_rules(name: str, options: list[str] | None) -> Rules:
    from mjsim.ruleset import rules

    given: dict[str, Any] = {}
    for text in options or []:
        key, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--option {text!r}: name=value is needed, such as min_tai=0")
        given[key.strip()] = value.strip()
    return rules(name, **given)


def count_workers(text: str) -> int | str:
    if text == "ray":
        return text
    if text == "auto":
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    if not text.isdigit():
        raise UsageError(f'--workers {text!r}: a whole number, "auto" or "ray" is needed')
    return int(text)


def console() -> Any:
    from rich.console import Console

    wide = Console()
    return wide if wide.is_terminal or "COLUMNS" in os.environ else Console(width=120)


class Clock:
    """Rate of work since the first piece of it was done: what came before was starting and compiling."""

    def __init__(self) -> None:
        self.first: int | None = None
        self.since: tuple[float, int] | None = None

    def rate(self, done: int, now: float) -> float:
        """Pieces a second up to `now` (seconds), 0 while too little has been done to tell."""
        if self.first is None:
            self.first = done
        if self.since is None:
            if done > self.first:
                self.since = (now, done)
            return 0.0
        seconds = now - self.since[0]
        return (done - self.since[1]) / seconds if seconds > 0.5 else 0.0


def speed(rate: float, unit: str) -> str:
    """Units a second, or how long each takes where that is more than a second."""
    return f"{rate:,.0f} {unit}/s" if rate >= 1 else f"{1 / rate:,.1f} s each"


@contextmanager
def progress_of(unit: str, quiet: bool = False) -> Iterator[Any]:
    """A bar with rate and time left on a terminal; a plain line every ten seconds in a log."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet:
        yield None
        return
    if console.is_terminal:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        with Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        ) as bar:
            task = bar.add_task(unit, total=None, rate="")
            clock = Clock()

            def show(done: int, total: int) -> None:
                rate = clock.rate(done, time.monotonic())
                bar.update(task, completed=done, total=total, rate=speed(rate, unit) if rate else "")

            yield show
        return
    clock = Clock()
    printed = time.monotonic()

    def line(done: int, total: int) -> None:
        nonlocal printed
        now = time.monotonic()
        rate = clock.rate(done, now)
        if rate and now - printed >= 10:
            printed = now
            left = (total - done) / rate
            print(f"{done:,} of {total:,} {unit}, {speed(rate, unit)}, {left:.0f} s left", file=sys.stderr, flush=True)

    yield line


def show_study(report: Any, result: Any, out: Path | None, as_json: bool) -> None:
    """Write a study's files and print its tables; `report` is the module that knows them."""
    written = report.report(result, out) if out is not None else []
    if as_json:
        print(json.dumps(report.as_json(result)))
        return
    if result.was_finished:
        print(f"finished before: {out}")
    console().print(report.table(result))
    for path in written:
        print(f"written: {path}")
