"""Labelled pairs of sentences to train the judge of sentences: what follows, what contradicts, and what does neither.

Sentences are those of the systems' answers to EVOUNA's train questions; no public collection of entailment pairs is
used. The label follows from what was done to a sentence (``training/sentence_forms.py``); ``back`` is the label the
other way round.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.backends.entailment.answers import abstains, words
from engine.backends.entailment.base import CONTRADICTION, ENTAILMENT, NEUTRAL
from engine.backends.text.parser import Doc, load_pipeline
from engine.backends.text.rewordings import rewordings
from training import answer_forms
from training import hard_forms as hard
from training import sentence_forms as forms
from training.evouna import Row
from training.judge_pairs import Pair

SYSTEMS = ("chatgpt", "gpt4", "newbing", "gpt35")
SHORTEST, LONGEST = 6, 32
DETAILS = (
    "in the presence of the governor",
    "against the advice of many experts",
    "after a long dispute",
    "for the second time",
    "without any help",
    "at a cost of two million dollars",
    "to the surprise of everyone",
    "with the support of the church",
    "despite heavy rain",
    "as part of a larger project",
    "on behalf of the city",
    "in front of a large crowd",
)
Labelled = tuple[str, str, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentences:
    """Parsed sentences, for each the place of another one of the same answer or None, and names by type."""

    docs: tuple[Doc, ...]
    beside: tuple[int | None, ...]
    names: dict[str, list[str]]


def read_sentences(rows: Sequence[Row], most: int, seed: int = 5) -> Sentences:
    """Return up to ``most`` parsed sentences of whole-sentence answers, drawn at random."""
    draw = random.Random(seed)
    answers = sorted({row.answer.strip() for row in rows if row.system in SYSTEMS and not abstains(row.answer)})
    docs: list[Doc] = []
    beside: list[int | None] = []
    names: dict[str, set[str]] = defaultdict(set)
    for answer in draw.sample(answers, len(answers)):
        plain = re.sub(r"(?<=[A-Za-z\"”])\d{1,2}(?=[\s.])", "", answer.replace("\n", " ").replace(" .", "."))
        parts = re.split(r"(?<=[a-z)\d][.])\s+(?=[A-Z])", plain)
        found = [part.strip() for part in parts if is_sentence(part.strip())]
        for place, doc in enumerate(load_pipeline().pipe(found[:3])):
            if len(list(doc.sents)) == 1:
                beside.append(len(docs) - 1 if place and docs else None)
                docs.append(doc)
                for entity in doc.ents:
                    names[entity.label_].add(entity.text)
        if len(docs) >= most:
            break
    return Sentences(docs=tuple(docs), beside=tuple(beside), names={kind: sorted(each) for kind, each in names.items()})


def is_sentence(text: str) -> bool:
    """Return whether a text is one plain sentence of a usual length."""
    return (
        text.endswith(".")
        and SHORTEST <= len(text.split()) <= LONGEST
        and text[0].isupper()
        and not re.search(r"[:*•\[]|\b(?:St|U|Jr|Dr|Mr|Inc|vs|No)\.$", text)
    )


def sentence_pairs(draw: random.Random, found: Sentences, count: int) -> Iterator[Pair]:
    """Return labelled pairs; a draw without a suitable form tries another one."""
    for _ in range(count):
        for maker in draw.choices(MAKERS, weights=WEIGHTS, k=5):
            made = maker(draw, found, draw.randrange(len(found.docs)))
            if made is not None and words(made[0]) != words(made[1]):
                premise, hypothesis, label, back = made
                yield Pair(
                    question="", premise=premise, hypothesis=hypothesis, label=label, back=back, kind=maker.__name__
                )
                break


def same_said(draw: random.Random, found: Sentences, place: int) -> Labelled | None:
    """Return a sentence beside a rewording of it."""
    doc = found.docs[place]
    made = [each.text for each in rewordings(doc)]
    said = draw.choice(made) if made else None
    if draw.random() < 0.35:
        said = forms.exchanged_words(draw, said or doc.text, forms.ALIKE) or said
    return (doc.text, said, ENTAILMENT, ENTAILMENT) if said else None


def less_said(draw: random.Random, found: Sentences, place: int) -> Labelled | None:
    """Return a sentence beside a part of it, which the other way round does not follow."""
    doc = found.docs[place]
    made = [text for text in (*forms.parts_left_out(doc), *forms.one_conjunct(doc)) if len(text.split()) >= 4]
    return (doc.text, draw.choice(made), ENTAILMENT, NEUTRAL) if made else None


def more_said(draw: random.Random, found: Sentences, place: int) -> Labelled | None:
    """Return a sentence with an invented addition beside the plain one."""
    text = found.docs[place].text
    return f"{text.rstrip('.')} {draw.choice(DETAILS)}.", text, ENTAILMENT, NEUTRAL


def denied(draw: random.Random, found: Sentences, place: int) -> Labelled | None:
    """Return a sentence beside its denial, in its own or other words."""
    doc = found.docs[place]
    said = next(forms.negated(doc), None)
    return (reworded(draw, doc), said, CONTRADICTION, CONTRADICTION) if said else None


def reworded(draw: random.Random, doc: Doc) -> str:
    """Return a sentence as it is, or half of the time in other words where the rules know some."""
    made = [each.text for each in rewordings(doc)] if draw.random() < 0.5 else []
    return draw.choice(made) if made else doc.text


def opposite(draw: random.Random, found: Sentences, place: int) -> Labelled | None:
    """Return a sentence beside one in which a word is its opposite."""
    doc = found.docs[place]
    said = forms.exchanged_words(draw, doc.text, forms.OPPOSITES)
    return (reworded(draw, doc), said, CONTRADICTION, CONTRADICTION) if said else None


def other_name(draw: random.Random, found: Sentences, place: int) -> Labelled | None:
    """Return a sentence beside one with another name or date of the type."""
    doc = found.docs[place]
    said = forms.name_replaced(draw, doc, found.names)
    return (reworded(draw, doc), said, CONTRADICTION, CONTRADICTION) if said else None


def other_number(draw: random.Random, found: Sentences, place: int) -> Labelled | None:
    """Return a sentence beside one with another number or date."""
    doc = found.docs[place]
    said = answer_forms.other_date(draw, doc.text) or answer_forms.other_number(draw, doc.text)
    return (reworded(draw, doc), said, CONTRADICTION, CONTRADICTION) if said else None


def places_changed(draw: random.Random, found: Sentences, place: int) -> Labelled | None:
    """Return a sentence beside one in which two names of a type changed places."""
    doc = found.docs[place]
    said = forms.names_exchanged(draw, doc)
    return (reworded(draw, doc), said, CONTRADICTION, CONTRADICTION) if said else None


def maybe(draw: random.Random, found: Sentences, place: int) -> Labelled | None:
    """Return a sentence that only may be so beside the one that says it."""
    text = found.docs[place].text
    inner = text if found.docs[place][0].pos_ == "PROPN" else text[0].lower() + text[1:]
    return draw.choice(forms.HEDGED).format(s=inner), text, NEUTRAL, NEUTRAL


def owner_changed(draw: random.Random, found: Sentences, place: int) -> Labelled | None:
    """Return a sentence beside one in which the owner stands for what it owns, or the value for the owner."""
    doc = found.docs[place]
    said = forms.owned_by_value(doc) or forms.owner_as_subject(doc)
    return (doc.text, said, NEUTRAL, NEUTRAL) if said else None


def beside(draw: random.Random, found: Sentences, place: int) -> Labelled | None:
    """Return two sentences of one answer: related, and neither follows."""
    other = found.beside[place]
    return None if other is None else (found.docs[other].text, found.docs[place].text, NEUTRAL, NEUTRAL)


def facts_mixed(draw: random.Random, found: Sentences, place: int) -> Labelled | None:
    """Return a sentence beside its subject with what another sentence of the answer says of another."""
    other = found.beside[place]
    if other is None:
        return None
    one, two = forms.predicate(found.docs[other]), forms.predicate(found.docs[place])
    if one is None or two is None or one[0] == two[0]:
        return None
    both = f"{found.docs[other].text} {found.docs[place].text}"
    return both, f"{one[0]} {two[1]}", NEUTRAL, NEUTRAL


def both_said(draw: random.Random, found: Sentences, place: int) -> Labelled | None:
    """Return two sentences of one answer beside one of them in other words."""
    other = found.beside[place]
    if other is None:
        return None
    return f"{found.docs[other].text} {found.docs[place].text}", reworded(draw, found.docs[place]), ENTAILMENT, NEUTRAL


def roles(draw: random.Random, found: Sentences, place: int) -> Labelled | None:
    """Return who did what to whom: in another voice or by the converse word, or with the roles exchanged."""
    pool = found.names.get(draw.choice(("PERSON", "GPE", "ORG")), [])
    if len(pool) < 5:
        return None
    one, two = draw.sample(pool, 2)
    verb, participle = draw.choice(hard.VERBS)
    tail = draw.choice(("", "", f" in {draw.randrange(1500, 2020)}", f" {draw.choice(DETAILS)}"))
    said = [f"{one} {verb} {two}{tail}.", f"{two} was {participle} by {one}{tail}."]
    if draw.random() < 0.4:
        said = [text.format(a=one, b=two) for text in draw.choice(hard.CONVERSES)]
    if draw.random() < 0.5:
        return said[0], said[1], ENTAILMENT, ENTAILMENT
    turned = [text.replace(one, "\0").replace(two, one).replace("\0", two) for text in said]
    return draw.choice(said), draw.choice(turned), CONTRADICTION, CONTRADICTION


MAKERS = (same_said, less_said, more_said, denied, opposite, other_name, other_number, places_changed, maybe,
          owner_changed, beside, facts_mixed, both_said, roles)  # fmt: skip
WEIGHTS = (30, 16, 8, 9, 10, 10, 7, 9, 8, 10, 10, 5, 4, 16)
