"""Where chunks are played: this process, several, or a Ray cluster. Knows nothing of hands.

Each executor's `results(function, tasks)` yields the results as they come, and takes a few tasks ahead only, so that an endless
iterator of tasks can be stopped by what has come back.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import Any

from mjsim.errors import MjsimError, UsageError


def check_workers(workers: int | str) -> None:
    """UsageError for what is no number of workers."""
    if workers == "ray":
        return
    if isinstance(workers, bool) or not isinstance(workers, int) or not 1 <= workers <= 1024:
        raise UsageError(f'workers: {workers!r} is no whole number of 1-1024 (or "ray")')


def executor(workers: int | str) -> Any:
    """The executor for a number of workers, or for "ray"."""
    check_workers(workers)
    if workers == "ray":
        return Ray()
    return Here() if workers == 1 else Processes(int(workers))


class Here:
    """One worker: this process."""

    def results(self, function: Callable, tasks: Iterator[tuple]) -> Iterator[Any]:
        for task in tasks:
            yield function(*task)

    def close(self) -> None:
        pass


def end_with_parent() -> None:
    """End this worker when its parent is gone: a kill -9 of the parent tells nobody."""
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()


def _start_worker() -> None:
    """Leave Ctrl-C to the parent, which keeps what is done."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


class Processes:
    """Several processes on this machine, started anew so that no lock is inherited."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_start_worker)

    def results(self, function: Callable, tasks: Iterator[tuple]) -> Iterator[Any]:
        pending: set = set()
        more = True
        try:
            while more or pending:
                while more and len(pending) < 2 * self.workers:
                    task = next(tasks, None)
                    if task is None:
                        more = False
                    else:
                        pending.add(self.pool.submit(function, *task))
                if pending:
                    finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                    for future in finished:
                        yield future.result()
        except BrokenProcessPool:
            raise MjsimError(
                "a worker process died (killed, or out of memory); the same command goes on from here"
            ) from None

    def close(self) -> None:
        self.pool.shutdown(wait=True, cancel_futures=True)


class Ray:
    """A Ray cluster (`workers="ray"`): chunks are tasks; parts must lie on storage that all nodes share."""

    def __init__(self) -> None:
        try:
            import ray
        except ImportError:
            raise UsageError('workers "ray" needs the extra: pip install "mjsim[ray]"') from None
        self.ray = ray
        if not ray.is_initialized():
            ray.init(log_to_driver=False)
        self.limit = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))

    def results(self, function: Callable, tasks: Iterator[tuple]) -> Iterator[Any]:
        remote = self.ray.remote(function)
        pending: list = []
        more = True
        while more or pending:
            while more and len(pending) < self.limit:
                task = next(tasks, None)
                if task is None:
                    more = False
                else:
                    pending.append(remote.remote(*task))
            if pending:
                finished, pending = self.ray.wait(pending)
                for reference in finished:
                    yield self.ray.get(reference)

    def close(self) -> None:
        pass
