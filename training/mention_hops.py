"""Questions of two hops from a passage that mentions what another passage is about.

"The bridge was built by Ann Lee" and "Ann Lee was born in Rome" give "The bridge was built by an engineer who was born
in what place?": the mention becomes a description of what it names, and what the other passage says of that follows
with the answer asked for in its place. Many of HotpotQA's questions read like this (Yang et al. 2018). The chain is
both sentences, each made to stand alone.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.backends.text import load_text_tools
from engine.backends.text.parser import Doc, Span, load_pipeline
from training.page_facts import DATE, DEMONYM, TRADE, PageFacts
from training.statements import closed

SENTENCES = 3  # of a passage's beginning: further on a pronoun may mean somebody else
MOST_WORDS, LEAST_WORDS = 26, 3
MOST_ASKED, MOST_SAID = 45, 34
CAPITALS = re.compile(r"[A-Z][\w.'’-]*(?: (?:(?:of|the|de|von|van|and|in) ){0,2}[A-Z][\w.'’-]*)*")
ASKED = {
    "GPE": ("what place", "which city or country"),
    "LOC": ("what place",),
    "FAC": ("what place",),
    "PERSON": ("whom", "which person"),
    "ORG": ("what organization", "which organization"),
    "CARDINAL": ("how many",),
    "WORK_OF_ART": ("which work",),
    "EVENT": ("which event",),
}
# "the granddaughter of actor Ann Lee": the description says it again.
APPOSED = re.compile(rf" (?:the |an? )?(?:(?:{DEMONYM}) )?(?:film |silent film |fellow )?(?:{TRADE}|band|rapper)$")
LEADING = set(
    "by of with to from in and at on for between under after before featuring starring married is was".split()
)
WHOLE = {"pobj", "dobj", "agent", "attr", "appos"}
PRONOUNS = {"he", "she", "it", "they"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A sentence of a page up to where it names another page: ``before`` ends where the name ``whom`` stands.

    ``asked`` is the same without what the sentence says of the name itself ("by the actor").
    """

    page: PageFacts
    before: str
    asked: str
    whom: PageFacts


def standing_alone(sentence: str, page: PageFacts) -> str:
    """Return a sentence with the page's name in the place of a pronoun at its start, "" where it starts otherwise.

    >>> from engine.core.records import Passage
    >>> page = PageFacts(name="Ann Lee", passage=Passage(text="She."), kind="person")
    >>> standing_alone("She was born in Rome.", page), standing_alone("Rome burnt.", page)
    ('Ann Lee was born in Rome.', '')
    """
    first, _, rest = sentence.partition(" ")
    if first.lower() in PRONOUNS:
        return f"{page.name} {rest}"
    return sentence if sentence.startswith(page.name) else ""


def beginnings(page: PageFacts) -> list[str]:
    """Return the first sentences of a page that are about it, made to stand alone."""
    spans = load_text_tools().sentences(page.passage.text)[:SENTENCES]
    said = (standing_alone(" ".join(span.text.split()), page) for span in spans)
    return [text for text in said if text]


def mentions(pages: Sequence[PageFacts]) -> Iterator[Mention]:
    """Yield every place near a page's beginning that names another page by two words or more."""
    known = {page.name: page for page in pages if page.kind and " " in page.name}
    for page in pages:
        for text in beginnings(page):
            for match in CAPITALS.finditer(text, len(page.name)):
                whom = known.get(match[0].rstrip("."))
                words = len(text[: match.start()].split())
                before = text[: match.start()].rstrip()
                asked = APPOSED.sub("", before)
                led = asked.split()[-1].lower() in LEADING if asked else False
                if whom is None or whom is page or not led or not LEAST_WORDS <= words <= MOST_WORDS:
                    continue
                yield Mention(page=page, before=before, asked=asked, whom=whom)
                break


def described(page: PageFacts) -> str:
    """Return what a page is about in a few words, with "who" or "that".

    >>> from engine.core.records import Passage
    >>> facts = {"nationality": "English", "trade": "poet"}
    >>> described(PageFacts(name="Ann", passage=Passage(text=""), kind="person", facts=facts))
    'an English poet who'
    """
    known = [page.facts[key] for key in ("nationality", "trade") if key in page.facts]
    words = " ".join(known) if "trade" in page.facts else page.kind
    return f"{'an' if words[0].lower() in 'aeiou' else 'a'} {words} {'who' if page.kind == 'person' else 'that'}"


def asked_for(entity: Span, draw: random.Random) -> str:
    """Return the question words that stand in a name's, date's or count's place, "" where none fits.

    A name has to be a whole phrase, a date a year behind "in" or a whole date, a count before what it counts.
    """
    before, head = entity.doc[entity.start - 1], entity.root
    if entity.label_ == "CARDINAL":
        counted = head.dep_ == "nummod" and head.head.i == entity.end and head.head.tag_ == "NNS"
        return f"how many {head.head.text}" if counted else ""
    if entity.label_ == "DATE":
        year = re.fullmatch(r"[12]\d{3}", entity.text) and before.lower_ == "in"
        return "what year" if year else "what date" if re.fullmatch(DATE, entity.text) else ""
    whole = head.dep_ in WHOLE and before.pos_ in {"ADP", "VERB", "AUX"} and before.tag_ != "TO"
    following = entity.doc[entity.end] if entity.end < len(entity.doc) else None
    if not whole or (
        following is not None and (following.pos_ in {"NOUN", "PROPN"} or following.text in {"-", "'s", "’s"})
    ):
        return ""
    return draw.choice(ASKED.get(entity.label_, ("",)))


def predicates(doc: Doc, page: PageFacts, draw: random.Random) -> Iterator[tuple[str, str]]:
    """Yield what a parsed sentence says of its page, with the answer asked for at the end, and that answer."""
    root = next((token for token in doc if token.dep_ == "ROOT"), None)
    subject = next((token for token in root.lefts if token.dep_ in {"nsubj", "nsubjpass"}), None) if root else None
    if root is None or subject is None or subject.idx > len(page.name):
        return
    start = min(
        [root.i, *(token.i for token in root.lefts if token.dep_ in {"aux", "auxpass"} and token.i > subject.i)]
    )
    for entity in doc.ents:
        wh = asked_for(entity, draw)
        if wh and start + 1 < entity.start and entity.start - start <= MOST_WORDS and entity.text not in page.name:
            yield f"{doc[start : entity.start].text} {wh}", entity.text.removeprefix("the ").strip('".,')


def told_of(page: PageFacts, draw: random.Random) -> Iterator[tuple[str, str, str]]:
    """Yield (sentence, predicate with the answer asked for, answer) for what a page's beginning says of it."""
    for text in beginnings(page):
        plain = re.sub(r"^(.{3,60}?) \([^()]*\)", r"\1", text)
        for predicate, answer in predicates(load_pipeline()(plain), page, draw):
            yield closed(plain), predicate, answer


def balanced(text: str) -> bool:
    """Return whether every bracket and quotation mark of a text is closed.

    >>> balanced('by "Ann" (1950)'), balanced('by "Ann')
    (True, False)
    """
    return text.count('"') % 2 == 0 and text.count("(") == text.count(")")


def two_hops(draw: random.Random, mention: Mention) -> tuple[str, tuple[str, str], str] | None:
    """Return a question over a mention, its two facts and its answer; None where nothing can be asked for."""
    told = list(told_of(mention.whom, draw))
    free = [one for one in told if one[2] not in mention.before and one[2] not in mention.whom.name]
    if not free:
        return None
    sentence, predicate, answer = draw.choice(free)
    said_what = re.match(r"(?:is|was|are|were) (?:an?|the|one) ", predicate)
    who = (
        ("a person who" if mention.whom.kind == "person" else f"a {mention.whom.kind} that")
        if said_what
        else described(mention.whom)
    )
    question = f"{mention.asked} {who} {predicate}?"
    if len(question.split()) > MOST_ASKED or len(sentence.split()) > MOST_SAID or not balanced(question):
        return None
    return question, (closed(f"{mention.before} {mention.whom.name}"), sentence), answer
