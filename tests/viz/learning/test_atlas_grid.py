"""The grid of failures and methods: a cell for each, the same states as its table."""

from engine.learning.atlas.shelf import methods_with_clues, specimens
from viz.learning.atlas import matrix_table
from viz.learning.atlas_grid import grid_html


def test_the_grid_has_every_cell_of_the_table() -> None:
    shown = specimens()
    drawn = grid_html(shown)
    assert drawn.count("<tr>") + drawn.count("rm-unnoticed") == len(shown) + 1 and drawn.count("<td class") == len(
        shown
    ) * len(methods_with_clues())
    table = matrix_table(shown)
    noticed = sum(table[name].str.contains("saw").sum() for name in table.columns[2:])
    assert drawn.count('rm-unseen">saw<') == noticed > 0
