"""Spans of a text: sentences, tagged words, entities and claims. ``load_text_tools`` opens the parser."""

from functools import lru_cache

from engine.text.base import TextTools


@lru_cache(maxsize=1)
def load_text_tools() -> TextTools:
    """Return the parser, loaded once per process (0.5 s). Raises ModelError, with what to install, where it is absent.

    The import waits until the first call, so that a stored record can be shown without spaCy.
    """
    from engine.text.spacy_text import SpacyText

    return SpacyText()
