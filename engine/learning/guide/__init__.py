"""The Guide's text: one Markdown file for each section in ``sections``, one for each method in ``methods``."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from engine.core.folders import ENVIRONMENT_VARIABLE
from engine.learning.content import render_markdown
from engine.methods.dense_records import PAPER_THRESHOLD as DENSE_THRESHOLD
from engine.methods.entropy_trend import PAPER_ALPHA

FOLDER = Path(__file__).parent
METHODS = tuple(sorted(file.stem for file in (FOLDER / "methods").glob("*.md")))


def read_text(folder: str, name: str) -> str:
    """Return one file of the Guide as Markdown, its numbers filled in. Raises OSError where there is no such file."""
    source = (FOLDER / folder / f"{name}.md").read_text(encoding="utf-8")
    return render_markdown(source, variable=ENVIRONMENT_VARIABLE, dense_threshold=DENSE_THRESHOLD, alpha=PAPER_ALPHA)


read_section: Callable[[str], str] = partial(read_text, "sections")
read_method: Callable[[str], str] = partial(read_text, "methods")


def what_it_asks(method: str) -> str:
    """Return the first paragraph on a method, as Markdown: what it asks."""
    return read_method(method).partition("\n\n")[0]
