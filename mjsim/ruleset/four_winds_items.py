"""The Four Winds tai table as data: ids, tai, names, exclusions. The scorer is in `four_winds`."""

from __future__ import annotations

from mjsim.ruleset.item import Item

ITEMS = (
    Item("winning_hand", (2,), "Winning Hand", "", "every regular win"),
    Item("flower", (1,), "Flower or Season", "花牌", "each"),
    Item("no_flowers", (1,), "No Flowers", "無花", "not with either award for no honors and no flowers"),
    Item("honor_pung", (1,), "Honor Pung", "", "each; of a wind not with a wind award, of a dragon not with a dragon award"),
    Item("exposed_kong", (1,), "Exposed Kong", "明槓", "each, claimed or added"),
    Item("concealed_kong", (2,), "Concealed Kong", "暗槓", "each"),
    Item("straight", (5,), "Straight", "一條龍", "not with concealed straight"),
    Item("concealed_straight", (10,), "Concealed Straight", "", "none of its chows melded or won from another player"),
    Item("two_concealed_pungs", (2,), "Two Concealed Pungs", "二暗刻", "only the highest of the four"),
    Item("three_concealed_pungs", (5,), "Three Concealed Pungs", "三暗刻", ""),
    Item("four_concealed_pungs", (15,), "Four Concealed Pungs", "四暗刻", ""),
    Item("five_concealed_pungs", (40,), "Five Concealed Pungs", "五暗刻", "adds to all pungs"),
    Item("little_three_dragons", (15,), "Little Three Dragons", "小三元", ""),
    Item("big_three_dragons", (30,), "Big Three Dragons", "大三元", ""),
    Item("little_three_winds", (5,), "Little Three Winds", "小三風", "two wind pungs and the pair of a third"),
    Item("big_three_winds", (15,), "Big Three Winds", "大三風", "the pair is not the fourth wind"),
    Item("little_four_winds", (30,), "Little Four Winds", "小四喜", ""),
    Item("big_four_winds", (40,), "Big Four Winds", "大四喜", ""),
    Item("melded_hand", (10,), "Exposed Hand", "全求", "five exposed melds, drawn or not"),
    Item("concealed_hand", (1,), "Concealed Hand", "門清", "won on another player's tile"),
    Item("fully_concealed", (3,), "Concealed Self-Draw", "門清自摸", "in place of concealed hand and self-draw"),
    Item("self_drawn", (1,), "Self-Drawn", "自摸", "with an exposed meld"),
    Item("all_chows", (3,), "All Chows", "平胡", "any pair, any wait"),
    Item("all_chows_no_honors_no_flowers", (10,), "All Chows, No Honors, No Flowers", "",
         "not with all chows, no honors, no flowers or both"),
    Item("all_pungs", (10,), "All Pungs", "碰碰胡", ""),
    Item("no_honors", (1,), "No Honors", "無字", "not with either award for no honors and no flowers"),
    Item("no_honors_no_flowers", (3,), "No Honors, No Flowers", "無字無花", "not with no honors or no flowers"),
    Item("half_flush", (10,), "Half Flush", "混一色", ""),
    Item("full_flush", (40,), "Full Flush", "清一色", ""),
    Item("edge_closed_wait", (1,), "Edge or Closed Wait", "", "by the place of the winning tile"),
    Item("pair_wait", (1,), "Pair Wait", "單吊", "by the place of the winning tile; not with exposed hand"),
    Item("last_tile_draw", (1,), "Last Wall Tile", "海底撈月", ""),
    Item("robbing_the_kong", (1,), "Robbing the Kong", "搶槓", ""),
    Item("five_discards", (10,), "Five Discards", "", "at most five at the table; not with heavenly or earthly hand"),
    Item("nine_discards", (5,), "Nine Discards", "", "six to nine at the table; not with heavenly or earthly hand"),
    Item("original_call", (15,), "Original Call", "", "the dealt hand was declared ready"),
    Item("seven_pairs", (30,), "Seven Pairs and a Triplet", "嚦咕嚦咕", "four of a kind are two pairs"),
    Item("heavenly_hand", (40,), "Heavenly Hand", "天胡", "no tile is the winning tile"),
    Item("earthly_hand", (40,), "Earthly Hand", "地胡", "won on East's first discard"),
    Item("eight_immortals", (30,), "Eight Immortals", "八仙過海", "a flower settlement, paid by all three"),
    Item("seven_robs_one", (20,), "Seven Robs One", "七搶一", "a flower settlement, paid by the robbed"),
)  # fmt: skip

#: Number of each item in SCORE.items and RULES.items.
NUMBER = {item.id: number for number, item in enumerate(ITEMS)}
