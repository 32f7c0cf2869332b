"""Questions made from passages: they ask for a name, date or number of a sentence, in the style of typed questions.

Lewis et al. 2019, "Unsupervised Question Answering by Cloze Translation", with a simpler translation. A question word
of the right type replaces the span and moves to the front. The rest stays in lower case, some small words are dropped,
and the passage's title replaces a pronoun at the start of the sentence. Made questions teach matching of words; real
questions teach what people mean.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

ASKED = {
    "PERSON": ("who",),
    "NORP": ("which people", "what nationality"),
    "ORG": ("which organization", "what company", "what team"),
    "GPE": ("where", "which country or city", "what place"),
    "LOC": ("where", "what place"),
    "FAC": ("where", "what place"),
    "DATE": ("when", "when", "what year"),
    "TIME": ("when",),
    "CARDINAL": ("how many", "what number of"),
    "QUANTITY": ("how much", "how big"),
    "MONEY": ("how much",),
    "PERCENT": ("what percentage", "how much"),
    "ORDINAL": ("which",),
    "WORK_OF_ART": ("what", "which song or book or film"),
    "EVENT": ("which event", "what"),
    "PRODUCT": ("what", "which product"),
    "LAW": ("which law",),
    "LANGUAGE": ("which language",),
}
SMALL = {"the", "a", "an", "of", "in", "on", "at", "to", "and", "was", "is", "were", "are", "by", "for", "as", "also"}
PRONOUNS = {"he", "she", "it", "they", "his", "her", "its", "their"}
SHORTEST, LONGEST = 6, 32


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeQuestion:
    """A question made from a sentence, and the span that answers it."""

    question: str
    answer: str


def made_questions(document: Any, title: str, draw: random.Random) -> Iterator[MadeQuestion]:
    """Return one question per name, date or number of each sentence of moderate length (a parsed spaCy document)."""
    for sentence in document.ents and document.sents:
        if not SHORTEST <= len(sentence) <= LONGEST:
            continue
        for entity in sentence.ents:
            asked = ASKED.get(entity.label_)
            rest = remaining(sentence, entity, title, draw)
            if asked and len(rest) >= 4 and len(entity.text) < 60:
                yield MadeQuestion(question=" ".join([draw.choice(asked), *rest]), answer=entity.text.strip())


def remaining(sentence: Any, entity: Any, title: str, draw: random.Random) -> list[str]:
    """Return the words of the sentence without the asked span, as somebody in a hurry would type them.

    A long sentence keeps only the words nearest to the span.
    """
    near = [token for token in sentence if abs(token.i - entity.start) <= draw.randint(8, 18)]
    words = []
    for token in near:
        if entity.start <= token.i < entity.end or token.is_punct or token.is_space or token.is_quote:
            continue
        word = token.lower_
        if word in PRONOUNS and token.i == sentence.start and title:
            word = title.split(" (")[0].lower()
        if word in SMALL and draw.random() < 0.35:
            continue
        words.append(word)
    return words
