"""The course of a hand, steered by the flags of a Rules record.

`luck` draws wall, dice and pairings; `moves` moves tiles; `opening`, `turn`, `claims` hold the rules of each phase; `settle`
ends a hand and says who deals next; `engine` joins them to the two verbs that everything else uses: `apply` and `deal`.
"""
