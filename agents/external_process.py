"""A program in a process of its own that answers in lines. Owns starting, asking within a time limit, and ending it.

Nothing here blocks: both directions and stderr go through one `select` loop, so that a program that floods one of them, or reads
nothing, runs into its time limit and not into a deadlock. Knows no game.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
import weakref
from collections import deque
from collections.abc import Sequence

from mjsim.errors import MjsimError

#: Longest line that is taken for an answer, and what may wait to be read by the program.
MAX_LINE = 64 * 1024
MAX_WAITING = 16 * 1024 * 1024
#: Lines of stderr that are kept, and how much of each.
KEPT_LINES, KEPT_CHARACTERS = 20, 400
#: Seconds that a program has to end by itself when its input is closed, and to say its last words.
GRACE = 0.5

#: The child sets that it dies with us (Linux), then becomes the program: what runs between fork and exec of a process with
#: threads must not be Python, so it is done after the exec of a bare interpreter.
_LAUNCH = """
import os, signal, sys
try:
    import ctypes
    ctypes.CDLL(None).prctl(1, 9)
except Exception:
    pass
if os.getppid() != int(sys.argv[1]):
    os._exit(1)
signal.signal(signal.SIGINT, signal.SIG_DFL)
try:
    os.execvp(sys.argv[2], sys.argv[2:])
except OSError as error:
    sys.stderr.write(f"cannot start {sys.argv[2]}: {error.strerror}\\n")
    os._exit(127)
"""


class Fault(Exception):
    """What a program did wrong, in words that follow its name."""


_running: weakref.WeakSet[Program] = weakref.WeakSet()


class Program:
    """A running program.

    Args:
        command: the words of its command line.

    Attributes: `asked`, questions that it has answered; `last_words`, its latest line on stderr.
    """

    def __init__(self, command: Sequence[str]) -> None:
        if os.name != "posix":
            raise MjsimError("external agents need Linux or macOS")
        launch = [sys.executable, "-I", "-S", "-c", _LAUNCH, str(os.getpid()), *command]
        try:
            # A session of its own: the terminal's Ctrl-C is for us, who end it, and so are signals to its whole group.
            self._process = subprocess.Popen(
                launch, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise MjsimError(f"cannot start {command[0]}: {error.strerror}") from None
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._in, self._out, self._err = (
            pipe.fileno() for pipe in (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe, False)
        self._waiting = bytearray()  # to be read by the program
        self._read = bytearray()  # said by the program
        self._said: deque[str] = deque(maxlen=KEPT_LINES)
        self._half = b""
        self._open = {self._out, self._err}
        self.asked = 0
        _running.add(self)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    @property
    def last_words(self) -> str | None:
        words = [line for line in (*self._said, self._half.decode(errors="replace")) if line.strip()]
        return words[-1].strip()[:KEPT_CHARACTERS] if words else None

    def tell(self, line: str) -> None:
        """Hand it a line; what it does not read at once waits for the next question."""
        self._waiting += line.encode() + b"\n"
        with contextlib.suppress(OSError):  # it has ended: the next question finds out
            self._write()

    def ask(self, line: str, limit: float) -> str:
        """Hand it a line and wait for one in answer, at most `limit` seconds. Raises Fault."""
        self._pump(0)
        if self._read:
            raise Fault(f"spoke without being asked: {_short(self._read)}")
        self._waiting += line.encode() + b"\n"
        until = time.monotonic() + limit
        while b"\n" not in self._read:
            if len(self._waiting) > MAX_WAITING:
                raise Fault("does not read what it is told")
            if self._out not in self._open:
                raise Fault(self._how_it_ended())
            left = until - time.monotonic()
            if left <= 0:
                raise Fault(f"gave no answer within {limit:g} s")
            self._pump(left)
            if len(self._read) > MAX_LINE:
                raise Fault(f"answered with more than {MAX_LINE} bytes: {_short(self._read)}")
        answer, _, rest = bytes(self._read).partition(b"\n")
        self._read = bytearray(rest)
        self.asked += 1
        return answer.decode(errors="replace")

    def _write(self) -> None:
        while self._waiting:
            try:
                n = os.write(self._in, self._waiting[:65536])
            except BlockingIOError:
                return
            del self._waiting[:n]

    def _pump(self, seconds: float) -> None:
        """Move what can be moved, waiting at most so long for the first of it."""
        with selectors.DefaultSelector() as selector:
            for pipe in self._open:
                selector.register(pipe, selectors.EVENT_READ)
            if self._waiting:
                selector.register(self._in, selectors.EVENT_WRITE)
            for key, _ in selector.select(seconds):
                if key.fd == self._in:
                    try:
                        self._write()
                    except OSError:
                        self._waiting.clear()  # its end of the pipe is closed; its output tells the rest
                    continue
                try:
                    found = os.read(key.fd, 65536)
                except BlockingIOError:
                    continue
                if not found:
                    self._open.discard(key.fd)
                elif key.fd == self._out:
                    self._read += found
                else:
                    *lines, self._half = (self._half + found).split(b"\n")
                    self._half = self._half[-MAX_LINE:]
                    self._said.extend(line.decode(errors="replace") for line in lines)

    def _how_it_ended(self) -> str:
        """Of a program that closed its output: whether it ended, and how."""
        until = time.monotonic() + GRACE
        while time.monotonic() < until and (self._err in self._open or self.running):
            if self._err in self._open:
                self._pump(0.05)
            else:
                time.sleep(0.01)
        code = self._process.poll()
        if code is None:
            return "closed its output"
        if code < 0:
            with contextlib.suppress(ValueError):
                return f"was killed by {signal.Signals(-code).name}"
        return f"ended with exit code {code}"

    def kill(self) -> None:
        """End it and all that it has started, now."""
        # Also when it has ended: what it left behind is still of its group.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()
        self._open.clear()
        _running.discard(self)

    def close(self) -> None:
        """Let it end by itself when its input is closed, then end it."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._write()
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        until = time.monotonic() + GRACE
        while self.running and time.monotonic() < until:
            time.sleep(0.005)
        self.kill()


def _short(said: bytes | bytearray) -> str:
    text = bytes(said[:200]).decode(errors="replace").splitlines()[0] if said.strip() else ""
    return repr(text[:80] + ("..." if len(text) > 80 else ""))


@atexit.register
def _end_all() -> None:
    for program in list(_running):
        program.kill()
