"""An agent for mjsim in plain Python: `mjsim evaluate "external:python examples/external_bot.py" random --sets 50`.

It wins when it can, calls nothing, and throws what stands alone: honors first, then ends of a suit (docs/external-agents.md).
"""

import json
import re
import sys


def tiles(text):
    return [number + run[-1] for run in re.findall(r"\d+[mpsz]", text) for number in run[:-1]]


def keep(tile, hand):
    """How much a tile is worth: copies of it, and in a suit its neighbours."""
    rank, suit = int(tile[0]), tile[1]
    near = 0 if suit == "z" else sum(hand.count(f"{rank + d}{suit}") * (3 - abs(d)) for d in (-2, -1, 1, 2))
    return 4 * (hand.count(tile) - 1) + near + (0 if suit == "z" else 0.1 * min(rank, 10 - rank))


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] != "ask":
        continue
    legal, hand = message["legal"], tiles(message["table"]["hand"])
    best = [a for a in ("win", "flower_win", "pass", "declare", "start") if a in legal]
    if not best:  # an own turn, or a tile to give: ready when it may be, else the tile worth least
        losing = [a for a in legal if a.startswith("ready")] or [a for a in legal if a.startswith(("discard", "give"))]
        best = [min(losing or legal, key=lambda a: keep(a.split()[1], hand))]
    print(json.dumps({"action": best[0]}), flush=True)
