"""Tables that tell how many tiles a hand lacks. Owns their construction and their file in the cache folder.

A suit is nine counts 0-4, read as a base-5 number (honors: seven counts). For a suit the vector
`lack[m][p]` (m = 0-5 melds, p = 0-1 pairs) is the fewest tiles to add so that it holds m melds and p pairs at once, each kind
at most four times. Only a few hundred different vectors exist, so they are numbered, and the joins of two suits are
tabled by number: a hand's distance is four look-ups, two joins and one last look-up. (The idea of numbering the vectors is that of
Cryolite's nyanten, extended here from four to five melds.)
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np

from mjsim.jit import CACHE_ROOT

#: One more than a hand holds on its own turn, so that accepting draws of 17 tiles can be asked for.
MAX_TILES = 18
N_MELDS = 5
SUIT_STATES = 5**9
HONOR_STATES = 5**7
_VERSION = "2"
_IMPOSSIBLE = 31  # more than any hand can lack (17)


def _vectors(ranks: int, chows: bool) -> np.ndarray:
    """uint8[5**ranks, 6, 2]: tiles lacking for m melds and p pairs, for every vector of counts."""
    sets = [tuple(3 if i == r else 0 for i in range(ranks)) for r in range(ranks)]
    if chows:
        sets += [tuple(1 if r <= i < r + 3 else 0 for i in range(ranks)) for r in range(ranks - 2)]
    pairs = [np.zeros(ranks, int)] + [np.eye(ranks, dtype=int)[r] * 2 for r in range(ranks)]
    out = np.full((*(5,) * ranks, N_MELDS + 1, 2), _IMPOSSIBLE, dtype=np.uint8)
    for m in range(N_MELDS + 1):
        bases = {tuple(np.sum(c, axis=0)) if c else (0,) * ranks for c in combinations_with_replacement(sets, m)}
        base = np.array(sorted(bases))
        for p in range(2):
            targets = np.concatenate([base + pair for pair in (pairs[1:] if p else pairs[:1])])
            targets = targets[(targets <= 4).all(axis=1)]
            out[(*targets.T, m, p)] = 0
    # The lack of c for a target t is the sum over ranks of max(0, t - c): one rank at a time, first
    # "more tiles lack no more" upwards, then "one tile fewer lacks one more" downwards.
    for axis in range(ranks):
        view = np.moveaxis(out, axis, 0)
        for n in range(1, 5):
            np.minimum(view[n], view[n - 1], out=view[n])
        for n in range(3, -1, -1):
            np.minimum(view[n], view[n + 1] + 1, out=view[n])
    return out.reshape(5**ranks, N_MELDS + 1, 2)


def _number(vectors: np.ndarray, keep: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of equal vectors (those not kept get 0), and one vector for each number."""
    packed = np.zeros(len(vectors), dtype=np.uint64)
    for column in vectors.reshape(len(vectors), -1).T:
        packed = packed << np.uint64(5) | column.astype(np.uint64)
    _, first, inverse = np.unique(packed[keep], return_index=True, return_inverse=True)
    numbers = np.zeros(len(vectors), dtype=np.int64)
    numbers[keep] = inverse
    return numbers, vectors[np.flatnonzero(keep)[first]]


def _digits_sum(ranks: int) -> np.ndarray:
    total = np.zeros((5,) * ranks, dtype=np.int64)
    for axis in range(ranks):
        total = total + np.arange(5).reshape([-1 if a == axis else 1 for a in range(ranks)])
    return total.reshape(-1)


def _join(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Min-plus join uint8[len(a), len(b), 6, 2] of two lists of vectors."""
    out = np.full((len(a), len(b), N_MELDS + 1, 2), _IMPOSSIBLE, dtype=np.uint8)
    for m in range(N_MELDS + 1):
        for p in range(2):
            for i in range(m + 1):
                for q in range(p + 1):
                    lack = a[:, None, i, q] + b[None, :, m - i, p - q]
                    np.minimum(out[:, :, m, p], lack, out=out[:, :, m, p])
    return out


def build() -> np.ndarray:
    """All tables as one structured array of length 1 (see `dtype_of` for the fields). About two seconds."""
    suit_vectors = _vectors(9, chows=True)
    suit, suit_list = _number(suit_vectors, _digits_sum(9) <= MAX_TILES)
    honor_vectors = _vectors(7, chows=False)
    honor, honor_list = _number(honor_vectors, _digits_sum(7) <= MAX_TILES)
    joined_ss = _join(suit_list, suit_list).reshape(-1, N_MELDS + 1, 2)
    ss, ss_list = _number(joined_ss, np.ones(len(joined_ss), bool))
    joined_sz = _join(suit_list, honor_list).reshape(-1, N_MELDS + 1, 2)
    sz, sz_list = _number(joined_sz, np.ones(len(joined_sz), bool))
    # Only whole hands are asked of the last table: `need` melds and the pair.
    distance = np.moveaxis(_join(ss_list, sz_list)[:, :, :, 1], 2, 0)
    tables = np.zeros(1, dtype=dtype_of(len(suit_list), len(honor_list), len(ss_list), len(sz_list)))
    tables["suit"] = suit
    tables["honor"] = honor
    tables["join_ss"] = ss.reshape(len(suit_list), len(suit_list))
    tables["join_sz"] = sz.reshape(len(suit_list), len(honor_list))
    tables["distance"] = distance
    return tables


def dtype_of(n_suit: int, n_honor: int, n_ss: int, n_sz: int) -> np.dtype:
    """The tables' structured dtype.

    suit[5**9], honor[5**7]: number of the vector of a key; join_ss[suit, suit], join_sz[suit, honor]: number of the
    joined vector; distance[need, ss, sz]: tiles lacking for `need` melds and the pair.
    """
    return np.dtype(
        [
            ("suit", np.uint8, SUIT_STATES),
            ("honor", np.uint8, HONOR_STATES),
            ("join_ss", np.uint16, (n_suit, n_suit)),
            ("join_sz", np.uint16, (n_suit, n_honor)),
            ("distance", np.uint8, (N_MELDS + 1, n_ss, n_sz)),
        ]
    )


#: Sizes that `build` finds; the kernels are compiled for them, and a file with others is rebuilt.
N_SUIT, N_HONOR, N_SS, N_SZ = 187, 83, 328, 275
TABLES = dtype_of(N_SUIT, N_HONOR, N_SS, N_SZ)

_loaded: np.ndarray | None = None
_lock = threading.Lock()


def _read(path: Path) -> np.ndarray | None:
    """The tables of a file, or None when it is missing, cut off or altered."""
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    digest, body = raw[:32], raw[32:]
    if len(body) != TABLES.itemsize or hashlib.sha256(body).digest() != digest:
        return None
    return np.frombuffer(body, dtype=TABLES).copy()


def _write(path: Path, tables: np.ndarray) -> None:
    """Write under another name and rename, so that no reader meets half a file. A full disk costs only the cache."""
    body = tables.tobytes()
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(body).digest() + body)
        os.replace(temporary, path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)


def load() -> np.ndarray:
    """The tables of this process (TABLES[1]), read from the cache folder or built and kept there."""
    global _loaded
    with _lock:
        if _loaded is None:
            path = CACHE_ROOT / f"shapes-{_VERSION}.bin" if CACHE_ROOT else None
            tables = _read(path) if path else None
            if tables is None:
                tables = build()
                if path:
                    _write(path, tables)
            _loaded = tables
    return _loaded


def address() -> int:
    """Address of the tables, for records and kernels."""
    return load().ctypes.data
