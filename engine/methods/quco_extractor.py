"""Entities and claims by a language model that the user names, with the paper's prompt (QuCo-RAG, table 8).

The paper fine-tunes a model of 0.5B parameters for this; any causal model can be named. Its words are read as the
released code reads them: a list of lists, of which prose and an empty list give nothing. A name that the sentence does
not hold is left out, for the prompt forbids it and a small model repeats its examples; the record keeps what was left
out. A conclusion is not asked about: it claims nothing (table 8).
"""

import json
import re
from dataclasses import dataclass

from engine.backends.language_models.base import LanguageModel, Request
from engine.backends.text.base import Entity, TextTools, Triplet, sentence_kind
from engine.core.progress import Report, Stage
from engine.core.records import Generation
from engine.methods.quco_prompts import claims_prompt, entities_prompt

MOST_TOKENS = 256
STOPS = ("\n\n", "\nSentence:")
NAMED = "NAMED"
_INNER = re.compile(r"\[\s*([^\[\]]+)\]?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What the named model wrote about one sentence or question; ``left_out``: names in it that the text lacks."""

    text: str
    generation: Generation
    left_out: tuple[str, ...] = ()


class PromptedReader:
    """``TextTools`` whose entities and claims come from a prompted language model; the rest is the parser's.

    ``extractions`` keeps every prompt with its reply.
    """

    def __init__(self, model: LanguageModel, tools: TextTools, report: Report) -> None:
        """Read with the model; ``report`` is called before each prompt and may raise to stop."""
        self.extractions: list[Extraction] = []
        self._model, self._report = model, report
        self.sentences, self.words = tools.sentences, tools.words
        self.rewordings, self.facts, self.one_wording = tools.rewordings, tools.facts, tools.one_wording

    def entities(self, text: str) -> tuple[Entity, ...]:
        """Return the entities the model names in a question, in its order, those that stand there."""
        request = Request(prompt=entities_prompt(text), max_tokens=MOST_TOKENS, stop=STOPS)
        items = self._request_lists(text, request)
        return tuple(entity for item in items if (entity := named(item[0], text)) is not None)

    def triplets(self, sentence: str) -> tuple[Triplet, ...]:
        """Return the claims the model finds in a sentence, those whose ends stand there; none for a conclusion."""
        if sentence_kind(sentence) == "conclusion":
            return ()
        request = Request(prompt=claims_prompt(sentence), max_tokens=MOST_TOKENS, stop=STOPS)
        items = self._request_lists(sentence, request)
        found = []
        for head_text, relation, *tails in (item for item in items if len(item) in (2, 3)):
            head = named(head_text, sentence)
            tail = named(tails[0], sentence) if tails else None
            if head is not None and (tail is not None or not tails):
                found.append(Triplet(head=head, relation=relation, tail=tail))
        return tuple(found)

    def _request_lists(self, text: str, request: Request) -> tuple[tuple[str, ...], ...]:
        """Return the lists the model wrote; its reply is kept."""
        self._report(Stage(method="quco_rag", name="extracting claims"))
        generation = self._model.generate([request], self._report)[0]
        items = parsed_lists(generation.text)
        ends = [end for item in items for end in (item[:1] if len(item) < 3 else (item[0], item[2]))]
        missing = tuple(dict.fromkeys(end for end in ends if named(end, text) is None))
        self.extractions.append(Extraction(text=text, generation=generation, left_out=missing))
        return items


def named(name: str, text: str) -> Entity | None:
    """Return the name as an entity where it first stands in the text, whatever its letter case; None where it does not.

    >>> named("vienna", "He died in Vienna.").text, named("Kumbasaram", "He died in Vienna.")
    ('Vienna', None)
    """
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) if name.strip() else None
    return None if found is None else Entity(text=found.group(), start=found.start(), end=found.end(), label=NAMED)


def parsed_lists(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the inner lists of the first list of lists in a reply; () for prose, [] and nothing.

    As the released code reads them: a list cut off at the end still counts, and what follows a second comma is one
    third element, commas included.

    >>> parsed_lists('[["Kumbasaram", "released in", "2017"]]')
    (('Kumbasaram', 'released in', '2017'),)
    >>> parsed_lists('[["h","r","t","extra"]]'), parsed_lists('[["a","b"'), parsed_lists("None.")
    ((('h', 'r', 't,extra'),), (('a', 'b'),), ())
    >>> parsed_lists("[[A, born in, Mumbai, India]]")
    (('A', 'born in', 'Mumbai, India'),)
    """
    start = text.find("[[")
    if start < 0:
        return ()
    try:
        whole, _ = json.JSONDecoder().raw_decode(text[start:])
    except (ValueError, RecursionError):
        pieces = _INNER.findall(text[start + 1 :])
        return tuple(item for piece in pieces if (item := _elements(piece)))
    lists = (entry for entry in whole if isinstance(entry, list) and all(isinstance(part, str) for part in entry))
    items = (tuple(part.strip() for part in entry) for entry in lists if entry)
    return tuple(item if len(item) < 4 else (*item[:2], ",".join(item[2:])) for item in items)


def _elements(piece: str) -> tuple[str, ...]:
    """Return the elements between two brackets, quotation marks taken off."""
    parts = [part.replace('"', "").strip() for part in piece.split(",", 2)]
    return tuple(part for part in parts if part)
