"""The file that says whose a folder is: a run begins in an empty one, or goes on in its own; another's is refused."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from mjsim.errors import UsageError
from mjsim.files import cannot_write, write_whole


def begin_or_go_on(
    state: Path,
    mine: Mapping[str, Any],
    folder: Path | None,
    under: str | None = None,
    may_change: Collection[str] = (),
) -> bool:
    """Write what a run is to JSON file `state`, or find the same run there; returns whether it goes on.

    Args:
        mine: what the run is, plain data.
        folder: the run's own, which nothing else may lie in; None where the run has only files.
        under: `mine` is one value of the file, under this name.
        may_change: names that may differ when a run goes on; the file then gets the new values.

    Raises UsageError for a folder of something else, and for another run by the first name that differs.
    """
    mine = json.loads(json.dumps(dict(mine)))
    where = folder if folder is not None else state
    if folder is not None and folder.exists() and not folder.is_dir():
        raise UsageError(f"out: {folder} is a file, not a folder")
    goes_on = state.exists()
    if goes_on:
        try:
            theirs = json.loads(state.read_text(encoding="utf-8"))
            theirs = theirs[under] if under is not None else theirs
            if not isinstance(theirs, dict):
                raise TypeError
        except (OSError, ValueError, KeyError, TypeError):
            raise UsageError(f"out: {state} is not the file of a run; choose another folder") from None
        for name in [*mine, *sorted(set(theirs) - set(mine))]:
            if name not in may_change and theirs.get(name) != mine.get(name):
                raise UsageError(
                    f"out: {where} belongs to another run: its {name} is {theirs.get(name)!r}, asked for is "
                    f"{mine.get(name)!r}; choose another folder"
                )
        if theirs == mine:
            return True
    elif folder is not None:
        try:
            taken = folder.exists() and any(folder.iterdir())
        except OSError as error:
            raise cannot_write(folder, error) from None
        if taken:
            raise UsageError(f"out: {folder} is not empty and holds no {state.name}; choose another folder")
    text = json.dumps(mine if under is None else {under: mine}, indent=1) + "\n"
    write_whole(state, lambda file: file.write(text.encode()) and None)
    return goes_on
