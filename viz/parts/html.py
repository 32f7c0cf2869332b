"""HTML from the templates in ``viz/templates``: the template escapes every value, and a missing value is an error."""

import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from engine.core.words import reveal
from viz.parts.theme import Theme, rgba


def revealed(value: object) -> object:
    """Return a text that a template is filled with, its hidden characters with a sign; what is HTML already stays."""
    return reveal(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def breakable(text: str) -> Markup:
    """Return a text, escaped, that may go on in a new line after each dot or underscore of a dotted name.

    >>> breakable("dense.valid_rewrites <0.5>")
    Markup('dense.<wbr>valid_<wbr>rewrites &lt;0.5&gt;')
    """
    return Markup("<wbr>").join(map(escape, NAME_JOINTS.split(reveal(text))))


NAME_JOINTS = re.compile(r"(?<=[^\W\d_]{2}[._])(?=[^\W\d_]{2})")
TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parents[1] / "templates"),
    autoescape=True,
    finalize=revealed,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.globals["rgba"] = rgba
TEMPLATES.filters["breakable"] = breakable


def render(name: str, **values: object) -> Markup:
    """Return a template filled with values; what it returns is not escaped again inside another template.

    >>> render("note.html.j2", text="<b>", colour="#000")
    Markup('<p style="color:#000;margin:0">&lt;b&gt;</p>')
    """
    return Markup(TEMPLATES.get_template(name).render(**values))


def style_sheet(theme: Theme) -> str:
    """Return the style of the cards, chips and marks as CSS; class names start with ``rm-`` to avoid collisions."""
    # Plain text: whoever adds rules to it must not have them escaped as HTML.
    return str(render("cards.css.j2", theme=theme))
