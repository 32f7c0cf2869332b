"""HTML from the templates in ``viz/templates``: the template escapes every value, and a missing value is an error."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from engine.core.words import reveal
from viz.theme import Theme, rgba


def revealed(value: object) -> object:
    """Return a text that a template is filled with, its hidden characters with a sign; what is HTML already stays."""
    return reveal(value) if isinstance(value, str) and not isinstance(value, Markup) else value


TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    finalize=revealed,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.globals["rgba"] = rgba


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
