"""Whole files: written under another name and renamed, so that nothing half-written has a final name."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from mjsim.errors import MjsimError


def cannot_write(path: Path, error: OSError) -> MjsimError:
    return MjsimError(f"cannot write {path}: {error.strerror or error}")


def write_whole(path: Path, write: Callable[[IO[bytes]], None]) -> None:
    """Write a file under another name and rename it, so that no half-written file has the final name."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    except OSError as error:
        raise cannot_write(path, error) from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        os.replace(temporary, path)
    except OSError as error:
        raise cannot_write(path, error) from None
    finally:
        temporary.unlink(missing_ok=True)


def remove_leftovers(path: Path) -> None:
    """Remove what a killed `write_whole` of this path left behind."""
    for leftover in path.parent.glob(f".{path.name}.*.tmp"):
        leftover.unlink(missing_ok=True)
