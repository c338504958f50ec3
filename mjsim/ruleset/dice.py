"""The Dice Bonus: pattern of the three dice that break the wall, and its tai. For the flow and for scorers."""

from __future__ import annotations

import numpy as np

from mjsim.jit import kernel


@kernel
def dice_pattern(dice):
    """Dice Bonus pattern: 0 none, 1 all black, 2 straight, 3 all red, 4 triple; the first from the top that matches."""
    a, b, c = dice[0], dice[1], dice[2]
    if a == b and b == c:
        return 4
    if (a == 1 or a == 4) and (b == 1 or b == 4) and (c == 1 or c == 4):
        return 3
    low = min(a, min(b, c))
    high = max(a, max(b, c))
    if high - low == 2 and a != b and b != c and a != c:
        return 2
    if a != 1 and a != 4 and b != 1 and b != 4 and c != 1 and c != 4:
        return 1
    return 0


@kernel
def dice_tai(r, dice):
    """Tai of the Dice Bonus for these dice, 0 where the rules have none."""
    if not r.dice_bonus:
        return 0
    pattern = dice_pattern(dice)
    return np.int64(r.items[r.dice_bonus_item, pattern - 1]) if pattern > 0 else 0
