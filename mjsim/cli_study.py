"""`mjsim study ...`: the studies' arguments."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from mjsim.cli_common import (
    AgentsOption,
    JsonOption,
    KeepOption,
    OptionOption,
    OutOption,
    RulesOption,
    SeedOption,
    WorkersOption,
    count_workers,
    make_rules,
    progress_of,
    show_study,
)

app = typer.Typer(
    no_args_is_help=True,
    help="Studies: the dice bonus, rule options, exchange strategies, what one agent chooses otherwise.",
)


@app.command("dice")
def study_dice(
    rules: RulesOption = "douque-american",
    agents: AgentsOption = "greedy",
    walls: Annotated[
        int | None, typer.Option("--walls", "-n", help="Walls; each is played under five patterns (default 300,000).")
    ] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = "auto",
    out: OutOption = None,
    keep: KeepOption = None,
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
    with progress_of("walls", quiet=as_json) as progress:
        result = dice.run(
            make_rules(rules, option),
            agents,
            seed=seed,
            workers=count_workers(workers),
            out=out,
            progress=progress,
            adapt_walls=adapt_walls,
            **given,
        )
    show_study(dice_report, result, out, as_json)


@app.command("rules")
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
    out: OutOption = None,
    keep: KeepOption = None,
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
    with progress_of("walls", quiet=as_json) as progress:
        result = rules_study.run(
            make_rules(rules, option),
            vary,
            agents,
            compare,
            seed=seed,
            workers=count_workers(workers),
            out=out,
            own_draws=own_draws,
            progress=progress,
            **given,
        )
    show_study(rules_report, result, out, as_json)


@app.command("exchange")
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
    out: OutOption = None,
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
    with progress_of("hands", quiet=as_json) as progress:
        result = exchange.run(
            make_rules(rules, option), seed=seed, workers=count_workers(workers), out=out, progress=progress, **given
        )
    show_study(exchange_report, result, out, as_json)
    if not exchange_report.passed(result):
        raise typer.Exit(1)


@app.command("choices")
def study_choices(
    a: Annotated[str, typer.Argument(metavar="A", help="The agent that is asked, such as checkpoint:runs/ppo.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The agent that plays the hands.")] = "heuristic",
    rules: RulesOption = "douque-american",
    hands: Annotated[int | None, typer.Option("--hands", "-n", help="Hands of B (default 5,000).")] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = "auto",
    out: OutOption = None,
    option: OptionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what agent A would choose otherwise than B, at the decisions of hands that B plays in all four seats."""
    from mjsim.experiments import choices, choices_report

    given: dict[str, Any] = {} if hands is None else {"hands": hands}
    with progress_of("hands", quiet=as_json) as progress:
        result = choices.run(
            a,
            b,
            make_rules(rules, option),
            seed=seed,
            workers=count_workers(workers),
            out=out,
            progress=progress,
            **given,
        )
    show_study(choices_report, result, out, as_json)
