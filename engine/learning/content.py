"""Written content with numbers in it: Markdown and plain templates for Jinja2, where a missing value is an error.

In Markdown every value is escaped when it is filled in: text of a passage or a model stays text, letter by letter, and
never becomes Markdown, HTML or a formula. A plain template escapes nothing; who draws it escapes the whole.
"""

import re
from functools import cache
from typing import Any

from jinja2 import Environment, StrictUndefined, Template, Undefined
from markupsafe import Markup

from engine.core.words import reveal

MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>$~:&^=])")
# An invisible character (Unicode's WORD JOINER): no letter, and no line may break there.
JOINER = "\u2060"
# What becomes an icon, an emoji, a link or an arrow after Markdown is read, when its backslashes are gone.
READ_LATER = re.compile(
    r"(?<=:)(?=material[/_])"  # Streamlit's icons
    r"|(?<=:)(?=[\w+-]+:)"  # emoji short-codes, and Streamlit's logo
    r"|(?<=https:)(?=//)|(?<=http:)(?=//)|(?<=www)(?=\.)|(?<=@)(?=[-\w])"  # bare addresses
    r"|(?<=<-)(?=>)|(?<=[-<>~])(?=[->=])",  # arrows, dashes and signs of comparison
    re.IGNORECASE,
)


def escape_markdown(text: str) -> str:
    r"""Return untrusted text so that Streamlit's Markdown shows it letter by letter: no image, link or formula in it.

    A backslash stops what Markdown reads. Icons, emoji, bare addresses and arrows are looked for later, in text without
    its backslashes: an invisible character parts them. Hidden characters of the text's own get a sign (``reveal``).

    >>> escape_markdown("![x](a)")
    '\\!\\[x\\]\\(a\\)'
    >>> escape_markdown(":smile: http://a").replace(JOINER, "|")
    '\\:|smile\\: http\\:|//a'
    """
    parted = READ_LATER.sub(JOINER, reveal(" ".join(text.split())))
    return MARKDOWN.sub(r"\\\1", parted)


def as_markdown(value: Any) -> Any:
    """Return a value as it is put into Markdown: escaped; an undefined one is left to raise."""
    return value if isinstance(value, Undefined) else Markup(escape_markdown(str(value)))


PROSE = Environment(autoescape=True, undefined=StrictUndefined, finalize=as_markdown, trim_blocks=True)
PLAIN = Environment(undefined=StrictUndefined, trim_blocks=True)


def render_markdown(source: str, /, **values: Any) -> str:
    """Return a Markdown template with escaped values. Raises jinja2.UndefinedError where one is missing.

    >>> render_markdown("**Answer:** {{ text }}", text="<b> $x$")
    '**Answer:** \\\\<b\\\\> \\\\$x\\\\$'
    """
    return _compiled(PROSE, source).render(values).strip()


def render_plain(source: str, /, **values: Any) -> str:
    """Return a plain template with its values as they are: the caller escapes the result."""
    return _compiled(PLAIN, source).render(values).strip()


@cache
def _compiled(environment: Environment, source: str) -> Template:
    """Return a template, compiled once."""
    return environment.from_string(source)
