"""A failure told in one piece of HTML: its kind, the question, what happened, the way of the answer, who noticed."""

from functools import lru_cache

from engine.learning.atlas.shelf import MOST_KEPT, Specimen
from viz.learning.atlas import chips_html, strip_html
from viz.learning.atlas_stories import story
from viz.parts.html import render
from viz.parts.theme import Theme
from viz.runs.deciding import deciding_html
from viz.runs.summary import question_html


@lru_cache(maxsize=2 * 2 * MOST_KEPT)
def failure_html(specimen: Specimen, theme: Theme, *, card: bool) -> str:
    """Return a failure as HTML; a ``card`` has its kind above and who noticed below, which a page of its own says.

    It is kept, light and dark, with and without the card's parts: a page of all failures shows each of them.
    """
    return render(
        "atlas_card.html.j2",
        title=specimen.kind.title if card else "",
        definition=specimen.kind.definition,
        question=question_html(specimen.run.question, specimen.question.golds),
        story=story(specimen),
        strip=strip_html(specimen, theme),
        deciding=deciding_html(specimen),
        chips=chips_html(specimen) if card else "",
    )
