"""One thing to show of a run: a figure, a table, or both."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from viz.parts.theme import Theme

Draw = Callable[[Theme], go.Figure]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """One thing to show: ``name`` for files, unique in a run; a sentence; a figure, a table with its heading, or both.

    Plain text: escape before drawing.
    """

    name: str
    heading: str
    sentence: str = ""
    draw: Draw | None = None
    table: pd.DataFrame | None = None
