"""The only place that compiles: decorators, the cache folder of kernels and the first-run message.

Owns how a function becomes machine code and where that code is kept. Knows nothing of tiles or rules.

Two kinds of compiled functions:

* `kernel` and `entry`: compiled on first call for the types they meet; compiled callers see through them. An `entry`
  can be called from Python too.
* `pointer(signature)`: a C function of one explicit signature, reached by its address. The optimiser
  stops at such a boundary, so that big blocks (the flow, a scorer, a policy) are compiled once and not again in
  every caller, and a caller can be handed any of them by number. numba's first-class functions do the same; plain
  addresses were chosen because they fit in a record field or an int64 array and never enter a cache key.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import platform
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic

#: Modules that hold no kernel and no constant that a kernel reads; everything else keys the cache.
NOT_KERNELS = frozenset(
    {
        "__init__.py",
        "__main__.py",
        "cli.py",
        "cli_common.py",
        "cli_study.py",
        "cli_train.py",
        "batch.py",
        "files.py",
        "run_file.py",
        "workers.py",
        "transcript.py",
        "bench.py",
        "view.py",
        "errors.py",
        "hand.py",
        "flags.py",
        "presets.py",
        "registry.py",
        "acting.py",
        "python_agent.py",
        "external.py",
        "external_process.py",
        "external_story.py",
        "checkpoint.py",
        "network.py",
        "lockstep.py",
        "columns.py",
        "summary.py",
        "show.py",
        "check.py",
        "check_plain.py",
        "check_table.py",
        "check_asked.py",
        "check_end.py",
    }
)

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "boundscheck": bool(config.BOUNDSCHECK)}


def kernel_sources() -> list[Path]:
    """Files whose change must not meet old machine code: the engine's modules and the bundled agents."""
    here = Path(__file__).parent
    folders = [here]
    agents = importlib.util.find_spec("mjsim.agents")
    if agents is not None and agents.submodule_search_locations:
        folders.append(Path(next(iter(agents.submodule_search_locations))))
    found = {f for folder in folders for f in folder.rglob("*.py") if f.name not in NOT_KERNELS}
    return sorted(found)


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for part in (
        numba.__version__,
        llvmlite.__version__,
        platform.python_version(),
        platform.machine(),
        str(config.OPT),
        str(config.CPU_NAME),
        str(config.CPU_FEATURES),
        repr(sorted(_OPTIONS.items())),
    ):
        digest.update(part.encode() + b"\0")
    for source in kernel_sources():
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()[:20]


def user_cache_root() -> Path:
    """`MJSIM_CACHE_DIR`, else the platform's cache folder for the user."""
    if chosen := os.environ.get("MJSIM_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "mjsim" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "mjsim"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mjsim"


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _choose_cache() -> Path | None:
    root = user_cache_root()
    if _writable(root):
        return root
    sys.stderr.write(
        f"mjsim: the cache folder {root} is not writable, so kernels are compiled anew in every process; "
        "set MJSIM_CACHE_DIR to a folder that is\n"
    )
    return None


#: Folder for all that is kept between runs, None when no folder is writable.
CACHE_ROOT: Path | None = _choose_cache()
#: Folder of the compiled kernels; its name changes with every source, version and option that matters.
KERNEL_CACHE: Path | None = CACHE_ROOT / f"kernels-{_fingerprint()}" if CACHE_ROOT else None

_announced = False


def announce() -> None:
    """Say once on stderr that a first run compiles, so that nobody takes it for a hang."""
    global _announced
    if _announced:
        return
    _announced = True
    if KERNEL_CACHE is None or not any(KERNEL_CACHE.glob("**/*.nbi")):
        sys.stderr.write("mjsim: first run, compiling the engine (about half a minute, once)\n")
        sys.stderr.flush()


class _CacheFolder:
    """numba reads its cache folder while decorating: set it there and nowhere else."""

    def __enter__(self) -> None:
        self.before = config.CACHE_DIR
        if KERNEL_CACHE is not None:
            config.CACHE_DIR = str(KERNEL_CACHE)

    def __exit__(self, *_: object) -> None:
        config.CACHE_DIR = self.before


def kernel(function: Callable) -> Any:
    """Compile `function` for the compiled code that calls it; it cannot be called from Python (see `entry`).

    Two things halve the time that the engine takes to compile: no wrappers for Python are made, and a literal
    argument (`remove_tiles(h, s, k, 3)`) does not get a version of the function to itself; LLVM inlines it all the same.
    """
    with _CacheFolder():
        dispatcher = numba.njit(
            cache=KERNEL_CACHE is not None, no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS
        )(function)
    template = dispatcher.get_call_template

    def without_literals(args: tuple, kws: dict) -> Any:
        return template(tuple(map(types.unliteral, args)), {k: types.unliteral(v) for k, v in kws.items()})

    dispatcher.get_call_template = without_literals
    return dispatcher


def entry(function: Callable) -> Any:
    """Compile `function` on its first call from Python, with the project's options and cache."""
    with _CacheFolder():
        return numba.njit(cache=KERNEL_CACHE is not None, **_OPTIONS)(function)


class Pointer:
    """A compiled C function of one signature; it is compiled (or read from the cache) when first needed."""

    def __init__(self, signature: Any, function: Callable) -> None:
        self.signature = signature
        self.function = function
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._compiled: Any = None

    def _compile(self) -> Any:
        if self._compiled is None:
            announce()
            with _CacheFolder(), warnings.catch_warnings():
                warnings.simplefilter("ignore", numba.NumbaPerformanceWarning)
                self._compiled = numba.cfunc(self.signature, cache=KERNEL_CACHE is not None, **_OPTIONS)(self.function)
        return self._compiled

    @property
    def address(self) -> int:
        """Address of the machine code in this process."""
        return int(self._compile().address)

    @property
    def cache_hits(self) -> int:
        """1 when the code came from the cache folder, 0 when it was compiled here."""
        return int(self._compile().cache_hits)

    def python(self) -> Callable[..., int]:
        """The function for Python: record arguments are passed as addresses of their memory."""
        arguments = [ctypes.c_void_p if isinstance(a, types.Record) else ctypes.c_int64 for a in self.signature.args]
        return ctypes.CFUNCTYPE(ctypes.c_int64, *arguments)(self.address)


def pointer(signature: Any) -> Callable[[Callable], Pointer]:
    """Decorator: make a function of records and int64, returning int64, reachable by address."""
    return lambda function: Pointer(signature, function)


@intrinsic(prefer_literal=True)
def call(typingctx, address, arguments):
    """`call(address, (a, b, ...))` from compiled code: a C call that returns int64."""
    if not isinstance(arguments, types.BaseTuple):
        return None
    signature = types.int64(types.int64, arguments)

    def codegen(context, builder, sig, args):
        where, packed = args
        values = [
            context.cast(builder, v, t, types.int64) if isinstance(t, types.Integer) else v
            for v, t in zip(cgutils.unpack_tuple(builder, packed), arguments.types, strict=True)
        ]
        kind = ir.FunctionType(ir.IntType(64), [v.type for v in values])
        return builder.call(builder.inttoptr(where, kind.as_pointer()), values)

    return signature, codegen


def record_at(dtype: Any) -> Any:
    """Make an intrinsic that turns an address (int64) into a record of `dtype`, without a copy."""
    record = numba.from_dtype(dtype)

    @intrinsic
    def at(typingctx, address):
        def codegen(context, builder, sig, args):
            return builder.inttoptr(args[0], context.get_value_type(record))

        return record(types.int64), codegen

    return at


@intrinsic
def popcount(typingctx, word):
    """Number of set bits of a uint64."""

    def codegen(context, builder, sig, args):
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@intrinsic
def lowest_bit(typingctx, word):
    """Index of the lowest set bit of a uint64 (64 when there is none)."""

    def codegen(context, builder, sig, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


@intrinsic
def address_as_pointer(typingctx, address):
    """An address (int64) as a float64 pointer, for `numba.carray`."""

    def codegen(context, builder, sig, args):
        return builder.inttoptr(args[0], context.get_value_type(sig.return_type))

    return types.CPointer(types.float64)(types.int64), codegen


@intrinsic
def address_as_bytes(typingctx, address):
    """An address (int64) as an int8 pointer, for `numba.carray`."""

    def codegen(context, builder, sig, args):
        return builder.inttoptr(args[0], context.get_value_type(sig.return_type))

    return types.CPointer(types.int8)(types.int64), codegen
