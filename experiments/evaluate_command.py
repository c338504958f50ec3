"""The command `mjsim evaluate`: from its arguments to what is printed. `mjsim.cli` names it and imports this when called."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mjsim.experiments import evaluate, evaluate_report
from mjsim.ruleset import Rules


def evaluate_agents(
    agents: Sequence[str],
    rules: Rules,
    workers: int | str,
    out: Path | None,
    as_json: bool,
    progress: Any,
    console: Any,
    **options: Any,
) -> bool:
    """Run and print; `progress` is a context manager that gives a callback, `options` go to `evaluate.make_plan`.

    Returns False when the A/A check failed.
    """
    plan = evaluate.make_plan(agents, rules, **options)
    finished = out is not None and evaluate.Folder(out, plan).result() is not None
    with progress as show:
        result = evaluate.execute(plan, workers, out, show)
    if as_json:
        print(json.dumps(result))
    else:
        if out is not None:
            print(f"finished before: {out}" if finished else f"written: {out}")
        console.print(evaluate_report.table(result))
        for line in evaluate_report.lines(result):
            console.print(line, highlight=False, soft_wrap=True)
    return result["aa"]["passed"] is not False
