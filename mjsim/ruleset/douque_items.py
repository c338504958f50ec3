"""The Douque tai table as data: ids, tai, names, exclusions. The scorer is in `douque`."""

from __future__ import annotations

from mjsim.ruleset.item import Item

ITEMS = (
    Item("concealed_hand", (1,), "Concealed Hand", "門清", "not with heavenly, earthly, human hand or migi"),
    Item("self_drawn", (1,), "Self-Drawn", "自摸", "not with heavenly or earthly hand"),
    Item("fully_concealed", (1,), "Fully Concealed Hand", "不求", "not with heavenly, earthly hand or migi"),
    Item("prevalent_wind", (1,), "Prevalent Wind", "圈風", "not with four-winds items or all honors"),
    Item("seat_wind", (1,), "Seat Wind", "門風", "not with four-winds items or all honors"),
    Item("dragon_pung", (1,), "Dragon Pung", "三元牌", "each; not with three-dragons items or all honors"),
    Item("seat_flower", (1,), "Seat Flower", "正花", "each"),
    Item("flower_kong", (1,), "Flower Kong", "花槓", "each set of four"),
    Item("single_wait", (1,), "Single Wait", "獨聽", "not with all chows or heavenly hand"),
    Item("melded_hand", (1,), "Melded Hand", "全求", "won on another player's tile"),
    Item("robbing_the_kong", (1,), "Robbing the Kong", "搶槓", ""),
    Item("replacement_tile", (1,), "Out with Replacement Tile", "槓上開花", "not with heavenly hand"),
    Item("last_tile_draw", (1,), "Last Tile Draw", "海底撈月", ""),
    Item("declare_ready", (1,), "Declare Ready", "嗆聽", "not with migi"),
    Item("dice_bonus", (1, 2, 3, 5), "Dice Bonus", "骰規台", "grades: all black, straight, all red, triple"),
    Item("all_chows", (2,), "All Chows", "平胡", "see the rule text: two-sided, melded, no flowers, on a discard"),
    Item("three_concealed_pungs", (2,), "Three Concealed Pungs", "三暗刻", "only the highest of the three"),
    Item("all_pungs", (4,), "All Pungs", "碰碰胡", "not with all honors"),
    Item("little_three_dragons", (4,), "Little Three Dragons", "小三元", "merged with all honors, minus 4"),
    Item("half_flush", (4,), "Half Flush", "混一色", ""),
    Item("four_concealed_pungs", (5,), "Four Concealed Pungs", "四暗刻", ""),
    Item("five_concealed_pungs", (8,), "Five Concealed Pungs", "五暗刻", "adds to all honors"),
    Item("big_three_dragons", (8,), "Big Three Dragons", "大三元", "merged with all honors, minus 4"),
    Item("little_four_winds", (8,), "Little Four Winds", "小四喜", "merged with all honors, minus 4"),
    Item("full_flush", (8,), "Full Flush", "清一色", ""),
    Item("human_hand", (8,), "Human Hand", "人胡", "not with concealed hand"),
    Item("migi", (8,), "MIGI", "MIGI", "not with concealed, fully concealed hand or declare ready"),
    Item("seven_robs_one", (8,), "Seven Robs One", "七搶一", "a flower settlement, paid by the robbed"),
    Item("eight_immortals", (8,), "Eight Immortals", "八仙過海", "a flower settlement, paid by all three"),
    Item("earthly_hand", (16,), "Earthly Hand", "地胡", "not with self-drawn, concealed, fully concealed hand"),
    Item("big_four_winds", (16,), "Big Four Winds", "大四喜", "merged with all honors, minus 4"),
    Item("all_honors", (16,), "All Honors", "字一色", "with a dragons or winds hand: the sum minus 4, one item"),
    Item("heavenly_hand", (24,), "Heavenly Hand", "天胡",
         "not with self-drawn, concealed, fully concealed, single wait, replacement tile"),
)  # fmt: skip

#: Number of each item in SCORE.items and RULES.items.
NUMBER = {item.id: number for number, item in enumerate(ITEMS)}

#: Taken off where All Honors merges with a dragons or winds hand (All Honors Combinations).
ALL_HONORS_MERGE = 4
