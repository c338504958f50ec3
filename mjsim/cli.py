"""The `mjsim` command: reads arguments, shows progress and tables, turns errors into one line and an exit code.

Exit codes: 0 done, 1 a failure (a bad line, a difference, a folder that cannot be written), 2 a wrong argument, 130 Ctrl-C.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from mjsim import __version__, cli_study, cli_train
from mjsim.cli_common import (
    AgentsOption,
    JsonOption,
    OptionOption,
    RulesOption,
    SeedOption,
    WorkersOption,
    console,
    count_workers,
    make_rules,
    progress_of,
)
from mjsim.errors import MjsimError, UsageError

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    help="16-tile (Taiwanese) mahjong at compiled speed: simulate, study, score, replay.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(cli_study.app, name="study")
app.add_typer(cli_train.app, name="train")


class BadLine(MjsimError):
    """A line of a file that cannot be shown: a failure, not a wrong argument."""


def _percent(cell: dict[str, float | None]) -> str:
    half = cell["ci95"]
    return f"{100 * cell['mean']:.2f} %" + ("" if half is None else f" ± {100 * half:.2f}")


def _print_summary(summary: dict[str, Any], title: str) -> None:
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for name in ("seat", "agent", "score a hand (tai)", "win", "self-draw", "deal-in", "declared"):
        table.add_column(name, justify="left" if name == "agent" else "right")
    for row in summary["seats"]:
        half = row["score"]["ci95"]
        score = f"{row['score']['mean']:+.3f}" + ("" if half is None else f" ± {half:.3f}")
        rates = [_percent(row[name]) for name in ("win", "self_draw", "deal_in", "ready")]
        table.add_row(str(row["seat"]), row["agent"], score, *rates)
    console().print(table)
    ends = summary["ends"]
    n = summary["hands"]
    tai = "-" if summary["mean_tai"] is None else f"{summary['mean_tai']:.2f}"
    console().print(
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
    checked = make_rules(rules, option)
    plan = make_plan(checked, agents, hands, seed, match_hands, transcripts is not None, legal)
    n_workers = count_workers(workers)
    run = Run(plan, out, transcripts) if out is not None or transcripts is not None else None
    finished = run is not None and run.finished
    with progress_of("hands", quiet=as_json or finished) as progress:
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
    with lines, progress_of("hands", quiet=as_json or show) as progress:
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
    checked = make_rules(name, option)
    if as_json:
        print(json.dumps(show.rules_as_json(checked), ensure_ascii=False))
    else:
        show.print_rules(console(), checked)


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
        make_rules(rules, option),
        count_workers(workers),
        out,
        as_json,
        progress_of("sets", quiet=as_json),
        console(),
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
