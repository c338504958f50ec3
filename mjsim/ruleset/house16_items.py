"""The points table of `house16` as data: ids, points, names, exclusions. The scorer is in `house16`.

An item at 0 is off at this table; other tables score it, and a Rules option sets it.
"""

from __future__ import annotations

from mjsim.ruleset.item import Item

ITEMS = (
    Item("base_win", (1,), "Base Win", "", "flower settlements included"),
    Item("self_drawn", (1,), "Self Draw", "自摸", ""),
    Item("flower", (1,), "Flower or Season", "花牌", "each"),
    Item("four_flowers", (2,), "Four Flowers", "", "beside their flower points"),
    Item("four_seasons", (2,), "Four Seasons", "", "beside their flower points"),
    Item("single_wait", (1,), "Single Wait", "獨聽", "one kind alone, by an edge, closed or pair wait"),
    Item("concealed_hand", (0,), "Concealed Hand", "門清", "self-drawn or not; not with seven pairs"),
    Item("melded_hand", (0,), "Melded Hand", "全求", "five exposed melds, won on another player's tile"),
    Item("all_chows", (2,), "All Chows", "平胡", "two-sided, on a discard, suited pair, no honors, no flowers"),
    Item("all_pungs", (4,), "All Pungs", "碰碰胡", "not with all honors"),
    Item("half_flush", (4,), "Half Flush", "混一色", ""),
    Item("full_flush", (8,), "Full Flush", "清一色", ""),
    Item("all_honors", (16,), "All Honors", "字一色", ""),
    Item("three_concealed_pungs", (2,), "Three Concealed Pungs", "三暗刻", "only the highest of the three"),
    Item("four_concealed_pungs", (5,), "Four Concealed Pungs", "四暗刻", ""),
    Item("five_concealed_pungs", (8,), "Five Concealed Pungs", "五暗刻", "adds to all pungs"),
    Item("dragon_pung", (0,), "Dragon Pung", "三元牌", "each; not with three-dragons items"),
    Item("little_three_dragons", (4,), "Little Three Dragons", "小三元", ""),
    Item("big_three_dragons", (8,), "Big Three Dragons", "大三元", ""),
    Item("prevalent_wind", (0,), "Prevalent Wind", "圈風", "not with four-winds items"),
    Item("seat_wind", (0,), "Seat Wind", "門風", "not with four-winds items"),
    Item("little_four_winds", (8,), "Little Four Winds", "小四喜", ""),
    Item("big_four_winds", (16,), "Big Four Winds", "大四喜", ""),
    Item("straight", (4,), "Straight", "一條龍", "123, 456, 789 of one suit, melded or not"),
    Item("seven_pairs", (8,), "Seven Pairs and a Triplet", "嚦咕嚦咕",
         "beside it only base win, self draw, flower and suit items"),
    Item("seven_robs_one", (8,), "Seven Rob One", "七搶一", "a flower settlement, with base win alone, paid by the robbed"),
)  # fmt: skip

#: Number of each item in SCORE.items and RULES.items.
NUMBER = {item.id: number for number, item in enumerate(ITEMS)}
