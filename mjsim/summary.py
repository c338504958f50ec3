"""What a simulation says in short: rates and scores by agent, items, ends. Statistics by match, with 95 % intervals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

Z95 = 1.959963984540054


def mean_by_cluster(values: np.ndarray, cluster: np.ndarray) -> tuple[float, float]:
    """Mean of `values` and half the width of its 95 % interval, with whole clusters (matches) as the unit.

    A ratio estimate: hands of one match share dealer and streak, so they are not independent. NaN with one cluster.
    """
    _, where = np.unique(cluster, return_inverse=True)
    sums = np.bincount(where, weights=values)
    sizes = np.bincount(where)
    mean = sums.sum() / sizes.sum()
    k = len(sums)
    if k < 2:
        return float(mean), float("nan")
    residual = sums - mean * sizes
    error = np.sqrt(k / (k - 1) * np.sum(residual**2)) / sizes.sum()
    return float(mean), float(Z95 * error)


def _round(pair: tuple[float, float]) -> dict[str, float | None]:
    mean, half = pair
    return {"mean": round(mean, 6), "ci95": None if half != half else round(half, 6)}


def summarize(table: pa.Table, agents: Sequence[str]) -> dict[str, Any]:
    """Summary of a table of hands: ends, and for each seat its agent's score and rates with 95 % intervals."""
    import pyarrow as pa
    import pyarrow.compute as pc

    def numbers(name: str) -> np.ndarray:
        return table.column(name).to_numpy(zero_copy_only=False)

    match = numbers("match")
    n = len(match)
    end = table.column("end").combine_chunks().cast(pa.string()).to_numpy(zero_copy_only=False)
    how = table.column("how").combine_chunks().cast(pa.string())
    settled = table.column("settlements").combine_chunks()
    entries = pc.list_flatten(settled)
    hand_of = pc.list_parent_indices(settled).to_numpy()
    is_win = pc.equal(entries.field("kind"), "win").to_numpy(zero_copy_only=False)
    winner = entries.field("winner").fill_null(-1).to_numpy(zero_copy_only=False)  # some payments have none
    payer = entries.field("from").fill_null(-1).to_numpy(zero_copy_only=False)
    winners = np.zeros((n, 4), bool)
    winners[hand_of[is_win], winner[is_win]] = True
    dealt_in = np.zeros((n, 4), bool)
    paid_alone = is_win & (payer >= 0)
    dealt_in[hand_of[paid_alone], payer[paid_alone]] = True
    counted = pc.value_counts(pc.list_flatten(entries.field("items")).field("id")).to_pylist()
    items = {entry["values"]: entry["counts"] for entry in counted}
    won = winners.any(axis=1)
    drawn_win = pc.equal(how, "self_draw").fill_null(False).to_numpy(zero_copy_only=False)
    tai = table.column("tai").to_numpy(zero_copy_only=False)
    seats = []
    for s in range(4):
        words = table.column(f"declared_{s}").combine_chunks().cast(pa.string())
        declared = pc.not_equal(words, "none").to_numpy(zero_copy_only=False)
        seats.append(
            {
                "seat": s,
                "agent": agents[s],
                "score": _round(mean_by_cluster(numbers(f"score_{s}").astype(float), match)),
                "win": _round(mean_by_cluster(winners[:, s].astype(float), match)),
                "self_draw": _round(mean_by_cluster((winners[:, s] & drawn_win).astype(float), match)),
                "deal_in": _round(mean_by_cluster(dealt_in[:, s].astype(float), match)),
                "ready": _round(mean_by_cluster(declared.astype(float), match)),
            }
        )
    return {
        "hands": n,
        "matches": len(np.unique(match)),
        "ends": {e: int((end == e).sum()) for e in ("win", "flower", "draw")},
        "triple_wins": int((winners.sum(axis=1) == 3).sum()),
        "mean_tai": round(float(np.nanmean(tai[won].astype(float))), 4) if won.any() else None,
        "discards": round(float(numbers("discards").mean()), 3),
        "decisions": int(numbers("decisions").sum()),
        "seats": seats,
        "items": dict(sorted(items.items(), key=lambda pair: -pair[1])),
    }


def summarize_parts(table: Path | None, parts: Path, hands: int, agents: Sequence[str]) -> dict[str, Any]:
    """Summary of a run from its Parquet table, or from the first `hands` rows of its parts where it has none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    wanted = ["match", "end", "how", "tai", "discards", "decisions", "settlements"]
    wanted += [f"{name}_{s}" for s in range(4) for name in ("score", "declared")]
    if table is not None:
        return summarize(pq.read_table(table, columns=wanted), agents)
    tables = []
    for path in sorted(parts.glob("*.arrow")):
        with pa.memory_map(str(path)) as source:
            tables.append(pa.ipc.open_file(source).read_all().select(wanted))
    return summarize(pa.concat_tables(tables, promote_options="default").slice(0, hands), agents)
