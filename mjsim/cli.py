"""The `mjsim` command: reads arguments, shows progress and tables, turns errors into one line and an exit code.

Exit codes: 0 done, 1 a failure (a bad line, a difference, a folder that cannot be written), 2 a wrong argument, 130 Ctrl-C.
"""

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

from mjsim import __version__
from mjsim.errors import MjsimError, UsageError

if TYPE_CHECKING:
    from mjsim.ruleset import Rules

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    help="16-tile (Taiwanese) mahjong at compiled speed: simulate, study, score, replay.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
study = typer.Typer(
    no_args_is_help=True,
    help="Studies: what the dice bonus is worth, what rule options do, which exchange strategy wins.",
)
app.add_typer(study, name="study")
train = typer.Typer(no_args_is_help=True, help="Train networks: imitation of an agent, then self-play (PPO).")
app.add_typer(train, name="train")

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
OutRunOption = Annotated[Path, typer.Option("--out", help="Folder of the run; the same command goes on in it.")]
UpdatesOption = Annotated[int | None, typer.Option("--updates", "-n", help="Updates in all (default 100).")]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", help="A setting such as batch=512 (docs/training.md); may be repeated.")
]
MeasureOption = Annotated[
    int,
    typer.Option("--sets", help="Duplicate sets against heuristic at the end, noted in the network's card; 0: none."),
]
ThreadsOption = Annotated[
    int | None, typer.Option("--threads", help="Threads of torch (default its own); 1 repeats a run bit by bit.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


class BadLine(MjsimError):
    """A line of a file that cannot be shown: a failure, not a wrong argument."""


def _rules(name: str, options: list[str] | None) -> Rules:
    from mjsim.ruleset import rules

    given: dict[str, Any] = {}
    for text in options or []:
        key, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--option {text!r}: name=value is needed, such as min_tai=0")
        given[key.strip()] = value.strip()
    return rules(name, **given)


def _workers(text: str) -> int | str:
    if text == "ray":
        return text
    if text == "auto":
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    if not text.isdigit():
        raise UsageError(f'--workers {text!r}: a whole number, "auto" or "ray" is needed')
    return int(text)


def _console() -> Any:
    from rich.console import Console

    console = Console()
    return console if console.is_terminal or "COLUMNS" in os.environ else Console(width=120)


class _Clock:
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


@contextmanager
def _progress(unit: str, quiet: bool = False) -> Iterator[Any]:
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
            clock = _Clock()

            def show(done: int, total: int) -> None:
                rate = clock.rate(done, time.monotonic())
                bar.update(task, completed=done, total=total, rate=f"{rate:,.0f} {unit}/s" if rate else "")

            yield show
        return
    clock = _Clock()
    printed = time.monotonic()

    def line(done: int, total: int) -> None:
        nonlocal printed
        now = time.monotonic()
        rate = clock.rate(done, now)
        if rate and now - printed >= 10:
            printed = now
            left = (total - done) / rate
            print(f"{done:,} of {total:,} {unit}, {rate:,.0f} {unit}/s, {left:.0f} s left", file=sys.stderr, flush=True)

    yield line


def _percent(cell: dict[str, float | None]) -> str:
    half = cell["ci95"]
    return f"{100 * cell['mean']:.2f} %" + ("" if half is None else f" ± {100 * half:.2f}")


def _print_summary(summary: dict[str, Any], title: str) -> None:
    from rich.table import Table

    console = _console()
    table = Table(title=title, title_justify="left")
    for name in ("seat", "agent", "score a hand (tai)", "win", "self-draw", "deal-in", "declared"):
        table.add_column(name, justify="left" if name == "agent" else "right")
    for row in summary["seats"]:
        half = row["score"]["ci95"]
        score = f"{row['score']['mean']:+.3f}" + ("" if half is None else f" ± {half:.3f}")
        rates = [_percent(row[name]) for name in ("win", "self_draw", "deal_in", "ready")]
        table.add_row(str(row["seat"]), row["agent"], score, *rates)
    console.print(table)
    ends = summary["ends"]
    n = summary["hands"]
    tai = "-" if summary["mean_tai"] is None else f"{summary['mean_tai']:.2f}"
    console.print(
        f"{n:,} hands in {summary['matches']:,} matches: {100 * ends['win'] / n:.2f} % won, "
        f"{100 * ends['draw'] / n:.2f} % drawn, {ends['flower']} flower wins alone, {summary['triple_wins']} triple wins; "
        f"mean tai of a win {tai}; {summary['discards']:.1f} discards a hand; ± is a 95 % interval, by match",
        highlight=False,
        soft_wrap=True,
    )


@app.command()
def simulate(
    rules: RulesOption = "douque-american",
    agents: AgentsOption = "greedy",
    hands: Annotated[int, typer.Option("--hands", "-n", help="Hands to play; the last match is cut there.")] = 10_000,
    seed: SeedOption = 0,
    workers: WorkersOption = "auto",
    out: Annotated[Path | None, typer.Option("--out", help="Folder for hands.parquet and run.json.")] = None,
    match_hands: Annotated[
        str, typer.Option("--match-hands", help='Hands a match, or "full" for a full cycle.')
    ] = "16",
    transcripts: Annotated[
        Path | None, typer.Option("--transcripts", help="File for transcripts, a line a hand.")
    ] = None,
    legal: Annotated[bool, typer.Option("--legal", help="Write the legal actions of each decision too.")] = False,
    option: OptionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play matches and write one row a hand to Parquet; the same command resumes an interrupted run."""
    from mjsim.batch import Run, execute, fault_lines, faults_of, make_plan, simulate_files
    from mjsim.summary import summarize

    if legal and transcripts is None:
        raise UsageError("--legal: belongs to --transcripts FILE")
    checked = _rules(rules, option)
    plan = make_plan(checked, agents, hands, seed, match_hands, transcripts is not None, legal)
    n_workers = _workers(workers)
    run = Run(plan, out, transcripts) if out is not None or transcripts is not None else None
    finished = run is not None and run.finished
    with _progress("hands", quiet=as_json or finished) as progress:
        if run is not None:
            summary = simulate_files(run, n_workers, progress)
        else:
            import pyarrow as pa

            tables = execute(plan, None, n_workers, progress)
            summary = summarize(pa.concat_tables(tables).slice(0, plan.hands), plan.agents)
            summary["faults"] = faults_of(table.schema for table in tables)
    if as_json:
        print(json.dumps(summary))
        return
    if finished:
        print(f"finished before: {', '.join(str(p) for p in run.finals())}")
    elif run is not None:
        print(f"written: {', '.join(str(p) for p in run.finals())}")
    _print_summary(summary, f"{plan.rules}, seed {plan.seed}")
    for line in fault_lines(summary.get("faults", [])):
        print(line)


@study.command("dice")
def study_dice(
    rules: RulesOption = "douque-american",
    agents: AgentsOption = "greedy",
    walls: Annotated[
        int | None, typer.Option("--walls", "-n", help="Walls; each is played under five patterns (default 300,000).")
    ] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = "auto",
    out: Annotated[Path | None, typer.Option("--out", help="Folder for tables, JSON, plots; also resumes.")] = None,
    keep: Annotated[
        float | None,
        typer.Option("--keep", help="Chance that a dealer keeps the deal, for drawing streaks (default 0.34)."),
    ] = None,
    adapt: Annotated[
        str | None,
        typer.Option(
            "--adapt", help='Agents to play seeing the bonus and blind to it (default greedy,heuristic), or "none".'
        ),
    ] = None,
    adapt_walls: Annotated[
        int | None,
        typer.Option("--adapt-walls", help="Walls of each of these (default 8,000, but no more than --walls)."),
    ] = None,
    option: OptionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what the dice bonus is worth, the same walls under each of its patterns, and who gains by knowing it."""
    from mjsim.experiments import dice, dice_report

    given: dict[str, Any] = {}
    if walls is not None:
        given["walls"] = walls
    if keep is not None:
        given["keep"] = keep
    if adapt is not None:
        given["adapt"] = adapt
    with _progress("walls", quiet=as_json) as progress:
        result = dice.run(
            _rules(rules, option),
            agents,
            seed=seed,
            workers=_workers(workers),
            out=out,
            progress=progress,
            adapt_walls=adapt_walls,
            **given,
        )
    written = dice_report.report(result, out) if out is not None else []
    if as_json:
        print(json.dumps(dice_report.as_json(result)))
        return
    if result.was_finished:
        print(f"finished before: {out}")
    _console().print(dice_report.table(result))
    for path in written:
        print(f"written: {path}")


@study.command("rules")
def study_rules(
    rules: RulesOption = "douque-american",
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            "-v",
            help="An option and its values, such as min_tai=0,3; may be repeated (default: minimum, exchange, dice bonus).",
        ),
    ] = None,
    agents: Annotated[
        str, typer.Option("--agents", "-a", help="One agent for all seats, or four: a,b,c,d.")
    ] = "heuristic",
    compare: Annotated[
        str | None,
        typer.Option("--compare", help='Other agents to play the same walls (default greedy), or "none".'),
    ] = None,
    walls: Annotated[
        int | None,
        typer.Option("--walls", "-n", help="Walls; each is played under every combination (default 10,000)."),
    ] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = "auto",
    out: Annotated[Path | None, typer.Option("--out", help="Folder for tables, JSON, plots; also resumes.")] = None,
    keep: Annotated[
        float | None,
        typer.Option("--keep", help="Chance that a dealer keeps the deal, for drawing streaks (default 0.34)."),
    ] = None,
    own_draws: Annotated[
        bool,
        typer.Option("--own-draws/--shared-draws", help="Each seat draws from tiles of its own, or all from one wall."),
    ] = True,
    option: OptionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what rule options do to the game: the same walls under every combination of their values."""
    from mjsim.experiments import rules_report, rules_study

    given: dict[str, Any] = {}
    if walls is not None:
        given["walls"] = walls
    if keep is not None:
        given["keep"] = keep
    with _progress("walls", quiet=as_json) as progress:
        result = rules_study.run(
            _rules(rules, option),
            vary,
            agents,
            compare,
            seed=seed,
            workers=_workers(workers),
            out=out,
            own_draws=own_draws,
            progress=progress,
            **given,
        )
    written = rules_report.report(result, out) if out is not None else []
    if as_json:
        print(json.dumps(rules_report.as_json(result)))
        return
    if result.was_finished:
        print(f"finished before: {out}")
    _console().print(rules_report.table(result))
    for path in written:
        print(f"written: {path}")


@study.command("exchange")
def study_exchange(
    rules: RulesOption = "douque-american",
    strategies: Annotated[
        str | None,
        typer.Option(
            "--strategies", help="Ways to give, such as shanten+ukeire,honors,random (docs/exchange-study.md)."
        ),
    ] = None,
    field: Annotated[
        str | None, typer.Option("--field", help="The strategy that one seat deviates from, and whose dealer decides.")
    ] = None,
    dealer: Annotated[
        str | None,
        typer.Option("--dealer", help='The dealers of the matrix: start, exchange or "shanten>=K" (default K = 2).'),
    ] = None,
    play: Annotated[str | None, typer.Option("--play", help="The agent that plays on (default greedy).")] = None,
    walls: Annotated[
        int | None, typer.Option("--walls", "-n", help="Walls of the payoff matrix (default 5,000).")
    ] = None,
    dealer_walls: Annotated[
        int | None, typer.Option("--dealer-walls", help="Walls of the dealer's decision (default 16 for each other).")
    ] = None,
    search_walls: Annotated[
        int | None, typer.Option("--search-walls", help="Walls that the search plays (default 150); 0 leaves it out.")
    ] = None,
    rollouts: Annotated[
        int | None,
        typer.Option(
            "--rollouts", help="Of the search: an eighth of the worlds that a choice is played out in (default 16)."
        ),
    ] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = "auto",
    out: Annotated[Path | None, typer.Option("--out", help="Folder for tables, JSON, plots; also resumes.")] = None,
    option: OptionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure strategies of the Three-Tile Exchange, and the dealer's decision. Exit 1 when the A/A check fails."""
    from mjsim.experiments import exchange, exchange_report

    asked = {
        "strategies": strategies,
        "field": field,
        "dealer": dealer,
        "play": play,
        "walls": walls,
        "dealer_walls": dealer_walls,
        "search_walls": search_walls,
        "rollouts": rollouts,
    }
    given: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    with _progress("hands", quiet=as_json) as progress:
        result = exchange.run(
            _rules(rules, option), seed=seed, workers=_workers(workers), out=out, progress=progress, **given
        )
    written = exchange_report.report(result, out) if out is not None else []
    if as_json:
        print(json.dumps(exchange_report.as_json(result)))
    else:
        if result.was_finished:
            print(f"finished before: {out}")
        _console().print(exchange_report.table(result))
        for path in written:
            print(f"written: {path}")
    if not exchange_report.passed(result):
        raise typer.Exit(1)


@app.command()
def score(
    file: Annotated[Path | None, typer.Argument(help="JSON Lines of positions; standard input when left out.")] = None,
) -> None:
    """Score positions, one JSON object a line, and print one answer a line; exit 1 if a line is malformed."""
    from mjsim.position import score_lines

    try:
        source = sys.stdin if file is None or str(file) == "-" else open(file, encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None

    def parsed() -> Iterator[tuple[Any, str | None]]:
        for line in source:
            if not line.strip():
                continue
            try:
                yield json.loads(line), None
            except json.JSONDecodeError as error:
                yield None, f"not JSON: {error.msg} at column {error.colno}"

    bad = False
    # A person at a terminal wants each answer at once, a program wants speed.
    block = 1 if source.isatty() else 2048
    with source:
        for answer in score_lines(parsed(), block):
            bad = bad or "error" in answer
            sys.stdout.write(json.dumps(answer) + "\n")
            if block == 1:
                sys.stdout.flush()
    if bad:
        raise typer.Exit(1)


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="Transcripts, a line a hand.")],
    show: Annotated[bool, typer.Option("--show", help="Print the hand for people to read instead.")] = False,
    hand: Annotated[int | None, typer.Option("--hand", help="Only this line of the file, from 1.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Replay transcripts and list every difference (exit 1), or --show a hand."""
    from mjsim.show import shown
    from mjsim.transcript import read_line
    from mjsim.transcript import replay as replay_line

    if hand is not None and hand < 1:
        raise UsageError(f"--hand {hand}: lines are counted from 1")
    try:
        lines = open(file, encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None
    checked = differing = 0
    reports = []
    total = 1 if hand is not None else sum(1 for _ in lines)
    lines.seek(0)
    with lines, _progress("hands", quiet=as_json or show) as progress:
        for number, text in enumerate(lines, 1):
            if (hand is not None and number != hand) or not text.strip():
                continue
            checked += 1
            if show:
                try:
                    print(shown(read_line(text), number), end="")
                except MjsimError as error:
                    raise BadLine(f"{file} line {number}: {error}") from None
                if hand is None:
                    print()
                continue
            differences = replay_line(text)
            if differences:
                differing += 1
                reports.append({"line": number, "differences": differences})
                if not as_json:
                    for difference in differences:
                        print(f"line {number}: {difference}")
            if progress and checked % 500 == 0:
                progress(checked, total)
    if not checked:
        where = f"has no line {hand}" if hand is not None else "holds no transcript"
        raise UsageError(f"{file} {where}")
    if show:
        return
    if as_json:
        print(json.dumps({"hands": checked, "differing": differing, "reports": reports}))
    else:
        print(f"{checked:,} hands replayed, " + (f"{differing:,} differ" if differing else "no difference"))
    if differing:
        raise typer.Exit(1)


@app.command("rules")
def rules_command(
    name: Annotated[str | None, typer.Argument(help="A rule set; all are listed when left out.")] = None,
    option: OptionOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the rule sets, or the flags and the tai table of one; changed options are marked."""
    from mjsim import show
    from mjsim.ruleset.presets import PRESETS

    if name is None:
        if option:
            raise UsageError(f"--option {option[0]!r}: belongs to one rule set, such as mjsim rules hk16")
        if as_json:
            print(json.dumps({n: p.summary for n, p in PRESETS.items()}))
        else:
            for preset in PRESETS.values():
                print(f"{preset.name:18} {preset.summary}")
        return
    checked = _rules(name, option)
    if as_json:
        print(json.dumps(show.rules_as_json(checked), ensure_ascii=False))
    else:
        show.print_rules(_console(), checked)


@app.command()
def evaluate(
    agents: Annotated[list[str], typer.Argument(help="A and B, or four agents; with --leaderboard any number.")],
    rules: RulesOption = "douque-american",
    sets: Annotated[
        int | None, typer.Option("--sets", "-n", help="Sets; each is the same luck in every seating (default 1,000).")
    ] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = "auto",
    out: Annotated[Path | None, typer.Option("--out", help="Folder for tables, result, plot; also resumes.")] = None,
    mode: Annotated[
        str | None, typer.Option("--mode", help="Of two agents: one-three (the default) or two-two.")
    ] = None,
    leaderboard: Annotated[
        bool, typer.Option("--leaderboard", help="Rank any number of agents in groups of four that are drawn.")
    ] = False,
    all_seatings: Annotated[
        bool, typer.Option("--all-seatings", help="Four agents, or groups: all 24 seatings instead of four.")
    ] = False,
    match: Annotated[int, typer.Option("--match", help="Hands of a match, with places; 0 plays single hands.")] = 0,
    own_draws: Annotated[
        bool, typer.Option("--own-draws", help="Each seat draws from tiles of its own; prints what that gains.")
    ] = False,
    sprt: Annotated[
        str | None,
        typer.Option("--sprt", help="Stop by a sequential test of m0 against m1 tai a hand, such as 0,0.1."),
    ] = None,
    option: OptionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare agents on duplicate sets: the same luck in every seating. Exit 1 when the A/A check fails."""
    from mjsim.experiments.evaluate_command import evaluate_agents

    passed = evaluate_agents(
        agents,
        _rules(rules, option),
        _workers(workers),
        out,
        as_json,
        _progress("sets", quiet=as_json),
        _console(),
        seed=seed,
        mode=mode,
        leaderboard=leaderboard,
        all_seatings=all_seatings,
        match_hands=match,
        own_draws=own_draws,
        sprt=sprt,
        **({} if sets is None else {"sets": sets}),
    )
    if not passed:
        raise typer.Exit(1)


@train.command("imitate")
def train_imitate(
    out: OutRunOption,
    rules: RulesOption = "douque-american",
    agent: Annotated[str | None, typer.Option("--agent", help="Compiled agent to imitate (default heuristic).")] = None,
    updates: UpdatesOption = None,
    seed: SeedOption = 0,
    sets: MeasureOption = 1000,
    threads: ThreadsOption = None,
    setting: SetOption = None,
    option: OptionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Teach a network to decide as a compiled agent does; decisions are made as it learns, no files are needed."""
    from mjsim.experiments import train_command

    given = {"agent": agent, "updates": updates, "seed": seed}
    progress = _progress("updates", quiet=as_json)
    train_command.train("imitate", _rules(rules, option), out, progress, as_json, threads, setting, given, sets)


@train.command("improve")
def train_improve(
    out: OutRunOption,
    init: Annotated[str, typer.Option("--init", help="Checkpoint or run folder to begin from.")],
    rules: RulesOption = "douque-american",
    agent: Annotated[
        str | None, typer.Option("--agent", help="Compiled agent whose decisions are compared (default heuristic).")
    ] = None,
    updates: UpdatesOption = None,
    seed: SeedOption = 0,
    sets: MeasureOption = 1000,
    threads: ThreadsOption = None,
    setting: SetOption = None,
    option: OptionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Teach a network what its teacher should have done: other actions are played out, and it learns what they bring."""
    from mjsim.experiments import train_command

    given = {"init": init, "agent": agent, "updates": updates, "seed": seed}
    progress = _progress("updates", quiet=as_json)
    train_command.train("improve", _rules(rules, option), out, progress, as_json, threads, setting, given, sets)


@train.command("ppo")
def train_ppo(
    out: OutRunOption,
    init: Annotated[
        str | None, typer.Option("--init", help="Checkpoint or run folder to begin from (default: from nothing).")
    ] = None,
    rules: RulesOption = "douque-american",
    updates: UpdatesOption = None,
    seed: SeedOption = 0,
    threads: ThreadsOption = None,
    setting: SetOption = None,
    option: OptionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Improve a network by self-play; it is promoted when a sequential test on duplicate sets says better."""
    from mjsim.experiments import train_command

    given = {"init": init, "updates": updates, "seed": seed}
    progress = _progress("updates", quiet=as_json)
    train_command.train("ppo", _rules(rules, option), out, progress, as_json, threads, setting, given)


@app.command()
def bench(
    full: Annotated[
        bool, typer.Option("--full", help="Cold start and two workers too (about three minutes more).")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure the project's speeds in one run, as ratios to a skeleton without rules."""
    from mjsim.bench import measure

    figures = []
    for figure in measure(full):
        figures.append(figure._asdict())
        if not as_json:
            value = f"{figure.value:,.0f}" if figure.value >= 1000 else f"{figure.value:.3g}"
            met = "" if figure.met is None else ("  ok" if figure.met else "  MISSED")
            target = f"  (target {figure.target})" if figure.target else ""
            print(f"{figure.name:42} {value:>12} {figure.unit:16}{target}{met}", flush=True)
    if as_json:
        print(json.dumps(figures))


def _version(wanted: bool) -> None:
    if wanted:
        print(f"mjsim {__version__}")
        raise typer.Exit()


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main() -> None:
    """Entry point: one clear line for every user's mistake."""
    usage_error = typer.BadParameter.__mro__[1]  # UsageError of the click that typer carries
    try:
        code = app(standalone_mode=False)
        if code == 130:  # typer's answer to Ctrl-C
            raise KeyboardInterrupt
        sys.exit(code if isinstance(code, int) else 0)
    except UsageError as error:
        print(f"mjsim: {error}", file=sys.stderr)
        sys.exit(2)
    except MjsimError as error:
        print(f"mjsim: {error}", file=sys.stderr)
        sys.exit(2 if isinstance(error, ValueError) else 1)
    except usage_error as error:
        message = error.format_message().strip().splitlines()
        if message:
            print(f"mjsim: {message[0]} (see --help)", file=sys.stderr)
        sys.exit(2)
    except typer.Exit as stop:
        sys.exit(stop.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        print("mjsim: stopped; what is finished is kept, the same command goes on from it", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        print(f"mjsim: cannot use{where}: {error.strerror or error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
