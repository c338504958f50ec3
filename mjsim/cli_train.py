"""`mjsim train ...`: the arguments of training."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mjsim.cli_common import JsonOption, OptionOption, RulesOption, SeedOption, make_rules, progress_of

app = typer.Typer(
    no_args_is_help=True, help="Train networks: imitation of an agent, what it should have done, self-play (PPO)."
)

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
    int | None,
    typer.Option(
        "--threads",
        help="Threads of torch (default its own; of `improve` one less, as it plays beside); 1 repeats a run bit by bit.",
    ),
]


@app.command("imitate")
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
    progress = progress_of("updates", quiet=as_json)
    train_command.train("imitate", make_rules(rules, option), out, progress, as_json, threads, setting, given, sets)


@app.command("improve")
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
    progress = progress_of("updates", quiet=as_json)
    train_command.train("improve", make_rules(rules, option), out, progress, as_json, threads, setting, given, sets)


@app.command("ppo")
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
    progress = progress_of("updates", quiet=as_json)
    train_command.train("ppo", make_rules(rules, option), out, progress, as_json, threads, setting, given)
