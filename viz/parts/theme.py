"""The one place for colours, fonts and the frame of a figure. Readable on a light and on a dark page.

Colours carry meaning: evidence green, against it red, one-way or unstable amber, correct answers in gold, and blue for
the model and what it does alike (answers that agree, a stable verdict). No two of them fall together for a reader with
protanopia, deuteranopia or tritanopia (simulated after Machado et al. 2009), each keeps 4.5 : 1 to the page and its
panels, and a shape, a dash, a hatch or a word always repeats what a colour says.
"""

from dataclasses import dataclass
from html import escape as escape_html
from typing import Literal

from engine.core.words import reveal
from viz.parts.data_files import read_table

Mode = Literal["light", "dark"]
FONT = "Source Sans, Source Sans Pro, sans-serif"


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """Colours of one mode as CSS hex values.

    On ``page`` and ``panel`` all reach 4.5 : 1 but for ``edge``, what bounds a box to type in (3 : 1), and ``line``,
    which only parts what is told apart without it.
    """

    mode: Mode
    page: str
    panel: str
    text: str
    muted: str
    line: str
    edge: str
    good: str
    middle: str
    bad: str
    unknown: str
    gold: str
    model: str
    accent: str


THEMES: dict[Mode, Theme] = read_table("parts/theme.yaml", dict[Mode, Theme])
LIGHT, DARK = THEMES["light"], THEMES["dark"]


def rgba(colour: str, alpha: float) -> str:
    """Return a hex colour with an opacity in [0, 1] as CSS.

    >>> rgba("#1a7f4e", 0.5)
    'rgba(26, 127, 78, 0.5)'
    """
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {alpha:g})"


def mixed(colour: str, ground: str, share: float) -> str:
    """Return so much of a hex colour on a ground as one opaque hex colour, against which a contrast can be measured.

    >>> mixed("#ffffff", "#000000", 0.5)
    '#808080'
    """
    pairs = ((int(one[place : place + 2], 16) for one in (colour, ground)) for place in (1, 3, 5))
    return "#" + "".join(f"{round(share * above + (1 - share) * below):02x}" for above, below in pairs)


def plain(text: str) -> str:
    """Return untrusted text so that Plotly and HTML draw it as text, never as markup.

    Hidden characters get a sign (``reveal``).
    A double quote becomes ``&#34;`` because Plotly does not know ``&quot;`` and would print it letter by letter.

    >>> plain('<b>"')
    '&lt;b&gt;&#34;'
    """
    return escape_html(reveal(text), quote=True).replace("&quot;", "&#34;")


def hatched(colour: str, hatch: str, theme: Theme) -> dict[str, object]:
    """Return a bar's marker: its colour with Plotly's hatch ("" = plain, "/", "x", ".", …) cut into it."""
    return {
        "color": colour,
        "line": {"color": colour, "width": 1.5},
        "pattern": {"shape": hatch, "fgcolor": theme.page, "bgcolor": colour, "size": 7, "solidity": 0.3},
    }


def layout(theme: Theme, title: str, height: int = 420) -> dict[str, object]:
    """Return the Plotly layout every figure starts from: transparent ground, title top left, room for the legend."""
    return {
        "title": {"text": plain(title), "x": 0, "xanchor": "left", "font": {"size": 17, "color": theme.text}},
        "height": height,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 14, "color": theme.text},
        "margin": {"l": 56, "r": 24, "t": 64, "b": 48},
        "hoverlabel": {
            "bgcolor": theme.panel,
            "bordercolor": theme.line,
            "font": {"family": FONT, "color": theme.text, "size": 14},
        },
        "legend": {"orientation": "h", "y": -0.18, "x": 0, "font": {"color": theme.text}},
        "hovermode": "closest",
    }
