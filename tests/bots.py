"""Programs that play as external agents, for the tests: `python tests/bots.py MODE [ARGUMENT]`. Plain Python without mjsim.

Each plays the first legal action but for what its mode says. Modes of `fault` break the rules in hand number ARGUMENT (from 0);
`each` breaks them in every third hand from there on, in another way each time. Hands are counted over all programs that share
the file MJSIM_BOT_COUNT, since a program that broke the rules is started anew.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

#: What `each` does in turn.
FAULTS = ("illegal", "text", "list", "late", "crash", "exit", "closes", "endless", "twice", "bytes", "deep")


def count_hand() -> int:
    """How many hands were begun before this one, by all programs that share the file."""
    path = Path(os.environ["MJSIM_BOT_COUNT"])
    number = int(path.read_text()) if path.exists() else 0
    path.write_text(str(number + 1))
    return number


def say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def fault(mode: str) -> None:
    """Break the rules once."""
    if mode == "illegal":
        say('{"action": "discard 9f"}\n')
    elif mode == "text":
        say("discard 5m\n")
    elif mode == "list":
        say('["discard 5m"]\n')
    elif mode == "late":
        time.sleep(60)
    elif mode == "crash":
        raise ValueError("I cannot play this")
    elif mode == "exit":
        sys.exit(0)
    elif mode == "closes":
        os.close(1)
        time.sleep(60)
    elif mode == "endless":
        say("x" * 200_000)
        time.sleep(60)
    elif mode == "twice":
        say('{"action": "nothing"}\n{"action": "nothing"}\n')
    elif mode == "bytes":
        os.write(1, b"\xff\xfe\x00\n")
    elif mode == "deep":
        say("[" * 50_000 + "\n")


def main() -> None:
    mode = sys.argv[1]
    which = int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2].isdigit() else -1
    now = -1
    if mode == "pid":
        with open(sys.argv[2], "a") as file:
            file.write(f"{os.getpid()}\n")
    if mode == "family":  # a child of its own that outlives closed pipes
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        with open(sys.argv[2], "a") as file:
            file.write(f"{os.getpid()}\n{child.pid}\n")
    if mode == "stubborn":  # hears nothing and never ends by itself
        with open(sys.argv[2], "a") as file:
            file.write(f"{os.getpid()}\n")
        for line in sys.stdin:
            if json.loads(line)["type"] == "ask":
                break
        time.sleep(600)
    for line in sys.stdin:
        message = json.loads(line)
        if mode == "log":
            with open(sys.argv[2], "a") as file:
                file.write(line)
        if message["type"] == "start" and which >= 0:
            now = count_hand()
        if message["type"] != "ask":
            continue
        if mode == "each" and now >= which and (now - which) % 3 == 0 and (now - which) // 3 < len(FAULTS):
            fault(FAULTS[(now - which) // 3])
            continue
        if mode in FAULTS and now == which:
            fault(mode)
            continue
        if mode == "noisy":
            sys.stderr.write("e" * 300_000 + "\n")
            sys.stderr.flush()
        say(json.dumps({"action": message["legal"][0]}) + "\n")
    if mode == "pid":
        time.sleep(600)


main()
