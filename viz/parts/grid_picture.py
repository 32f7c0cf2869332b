"""A grid in HTML as one picture: a self-contained SVG, as wide and high as its rows and columns need.

Plain text in shapes, all of it escaped; no script, no font and no picture from elsewhere. Widths follow from the number
of letters, since an SVG measures none itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from viz.parts.html import render
from viz.parts.theme import Theme
from viz.parts.words import lines_of

MARGIN, LETTER, ROW = 32, 7.6, 32  # pixels: around the grid, of one letter at 14 pixels, of one row
TITLE_LETTER, LINE = 9.8, 26  # pixels: of one letter and one line of the title
LEAST_WIDTH = 560


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureCell:
    """What one cell says: a sign or value in its colour, and smaller words after it."""

    text: str = ""
    colour: str = ""
    rest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GridPicture:
    """A grid: its title, its rows by name with what stands beside the name, its columns, its key of signs.

    ``upright``: the columns' names are written upwards, for many narrow columns of ``column`` pixels.
    """

    title: str
    names: Sequence[str]
    besides: Sequence[str]
    heads: Sequence[str]
    cells: Sequence[Sequence[PictureCell]]
    column: int
    key: Sequence[tuple[PictureCell, str]] = ()
    upright: bool = False


def grid_svg(grid: GridPicture, theme: Theme) -> str:
    """Return the grid as SVG text."""
    name, beside = text_width(grid.names), text_width(grid.besides)
    left = MARGIN + name + beside
    width = max(left + grid.column * len(grid.heads) + MARGIN, LEAST_WIDTH)
    title = lines_of(grid.title, int((width - 2 * MARGIN) / TITLE_LETTER), 3)
    heads = [[head] if grid.upright else lines_of(head, int(grid.column / LETTER), 4) for head in grid.heads]
    top = MARGIN + LINE * len(title) + (ROW if grid.key else 0)
    tall = text_width(grid.heads) + 14 if grid.upright else 18 * max(map(len, heads), default=0) + 12
    return str(
        render(
            "grid_picture.svg.j2",
            grid=grid,
            title=title,
            heads=heads,
            theme=theme,
            width=width,
            height=top + tall + ROW * len(grid.names) + MARGIN,
            beside=MARGIN + name,
            left=left,
            under_title=MARGIN + LINE * len(title),
            under_heads=top + tall,
            margin=MARGIN,
            row=ROW,
            line=LINE,
            steps=key_steps(grid.key),
        )
    )


def text_width(texts: Sequence[str]) -> int:
    """Return the pixels that the longest of these texts needs with a gap after it; 0 for none.

    >>> text_width(["four", ""]), text_width([])
    (50, 0)
    """
    longest = max(map(len, texts), default=0)
    return round(longest * LETTER) + 20 if longest else 0


def key_steps(key: Sequence[tuple[PictureCell, str]]) -> list[int]:
    """Return how far from the left each sign of the key stands, in pixels."""
    return [sum(text_width([words]) + 24 for _, words in key[:place]) for place in range(len(key))]
