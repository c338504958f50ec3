"""One row of a family's table of items."""

from __future__ import annotations

from typing import NamedTuple


class Item(NamedTuple):
    """An award as data; each family keeps its table in an `ITEMS` tuple, whose order is the items' numbers."""

    id: str
    tai: tuple[int, ...]  # one value, or one for each grade
    name: str
    chinese: str
    note: str  # condition in short, grades, and what it is not scored beside
