"""What a passage is called wherever one is named: its title, else its document, else its heading or first words."""

import textwrap

from engine.core.records import Passage

NAME_LETTERS, HEADING_LETTERS, SENTENCE_ENDS = 60, 80, ".,;:!?…"
# Where passages come without a document, this program numbers them: that number names nothing for a reader.
NUMBERED = ("pasted", "trace")


def passage_name(passage: Passage, letters: int = NAME_LETTERS) -> str:
    """Return a passage's name on one line; ``letters`` cuts first words only, for a title says more whole.

    >>> passage_name(Passage(text="The Suez Canal was opened on 17 November 1869."), 30)
    'The Suez Canal was opened on …'
    >>> passage_name(Passage(text="It is wide.", title="Suez")), passage_name(Passage(text=" "))
    ('Suez', 'Untitled passage')
    """
    named = " ".join(given_name(passage).split())
    return named or first_words(" ".join(heading_of(passage.text).split()), letters) or "Untitled passage"


def given_name(passage: Passage) -> str:
    """Return the name that a passage came with, its title or its document's; "" where it came with none."""
    return passage.title or ("" if passage.source in NUMBERED else passage.document_id)


def heading_of(text: str) -> str:
    """Return a passage's first line where it reads as a heading, else the whole passage.

    >>> heading_of("Hurricane (cocktail)\\nA sweet drink."), heading_of("It rained.\\nIt snowed.")
    ('Hurricane (cocktail)', 'It rained.\\nIt snowed.')
    """
    first, _, rest = text.strip().partition("\n")
    is_heading = rest.strip() and len(first) <= HEADING_LETTERS and first[-1:] not in SENTENCE_ENDS
    return first if is_heading else text


def first_words(text: str, letters: int) -> str:
    """Return a text's first words in at most so many letters; of a text without spaces its first letters.

    >>> first_words("It rained. It snowed.", 12), first_words("不動点定理", 4)
    ('It rained. …', '不動 …')
    """
    if len(text) <= letters:
        return text
    return textwrap.shorten(text, letters, placeholder=" …") if " " in text[:letters] else f"{text[: letters - 2]} …"
