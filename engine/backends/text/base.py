"""What methods need to know about a text's words, sentences, entities and claims, whatever parser finds them."""

import re
from dataclasses import dataclass
from typing import Literal, Protocol

from engine.backends.text.word_lists import PROFESSIONS, ROLES

_CONCLUDES = re.compile(
    r"^\W*(so(?! (far|many|much|called)\b)|thus|therefore|hence|consequently|accordingly|in (conclusion|summary|short)"
    r"|to (conclude|sum up))\b|\bthe (final |correct |right )?answer (is|was|would be)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^\W*(who|whom|whose|what|which|when|where|why|how|in (which|what)|is|are|was|were|do|does|did|has|have|had|can|"
    r"could|will|would|should)\b",
    re.IGNORECASE,
)

# "physicist", "pioneer", "musician", "employee", "chairwoman", "clockmaker"; not "list" or "tree".
_ROLE = re.compile(r"(?:\w{3}ologist|\w{4}ist|\w{3}eer|\w{4}ician|\w{4}oyee|\w{2}(?:wo)?man|\w{2}smith|\w{3}maker)$")
_ANYBODY = frozenset(
    """man woman person people human boy girl child team band squad king queen emperor empress president minister mayor
    bishop prince princess governor senator""".split()
)

# "It was Curie who won": the subject that is set apart, and the rest.
SET_APART = re.compile(
    r"(?P<lead>(?:[A-Z][^,.]{0,60}, )?)[Ii]t (?:is|was) (?P<subject>(?:[A-Z\"“]|the |this |these |"
    r"(?P<phrase>(?:in|on|at|by|during|after|before|between|under|with|from|through|within|into) ))"
    r".{0,80}?),? (?:who|that) (?P<rest>.+)",
    re.DOTALL,
)

# Places in an order, in words and in figures, from "third" on: "first" and "second" often name none.
_PLACES = (
    "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
    "seventeenth eighteenth nineteenth twentieth"
)
ORDINALS = dict(zip(_PLACES.split(), ("3rd", *(f"{place}th" for place in range(4, 21))), strict=True))

# A bracket without another one in it, and how many words before it say where it stands.
BRACKET = re.compile(r"(?<!\s)\s*+(?:\([^()]*\)|\[[^\[\]]*\])")
ANCHOR_WORDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSpan:
    """A stretch of a text: ``text`` stands at characters [start, end)."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggedWord:
    """A word with its part of speech (universal tags) and dictionary form. Content: NOUN, ADJ, VERB, PROPN, NUM."""

    text: str
    start: int
    end: int
    pos: str
    is_content: bool
    lemma: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A named thing, date or number; ``label`` is the parser's type (PERSON, DATE, …), "NOUN" for a noun phrase."""

    text: str
    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Triplet:
    """A claim (head, relation, tail); ``tail`` None is a partial triplet, as questions have them."""

    head: Entity
    relation: str
    tail: Entity | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewording:
    """A sentence in other words, and the rule or rules that made it, as a person would name them."""

    text: str
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bracket:
    """A bracket with the space before it, and the words that it stands behind."""

    behind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One small thing that a sentence states: a word, how another hangs on it, and that other word.

    Each of the three lists what it may be called, since a phrase may hang on several words and a thing have several
    names. ``needed`` is False where the text only may state it. ``either`` names all things that the fact may be about
    where the sentence leaves open which: "a show of X, which fell". ``said`` is the text from the first to the
    last word that the fact is read from.
    """

    heads: tuple[str, ...]
    relations: tuple[str, ...]
    tails: tuple[str, ...]
    needed: bool = True
    either: tuple[str, ...] = ()
    said: str = ""


class TextTools(Protocol):
    """An open parser."""

    def sentences(self, text: str) -> tuple[TextSpan, ...]:
        """Return the sentences in order; together they cover every non-space character."""

    def words(self, text: str) -> tuple[TaggedWord, ...]:
        """Return words and punctuation in order, tagged."""

    def entities(self, text: str) -> tuple[Entity, ...]:
        """Return the entities worth counting in a corpus, in order, without overlap."""

    def triplets(self, sentence: str) -> tuple[Triplet, ...]:
        """Return the claims of one sentence: partial ones for a question, none for a conclusion ("So the answer …")."""

    def rewordings(self, sentence: str) -> tuple[Rewording, ...]:
        """Return the sentence in other words that mean the same, as far as rules can make them; no text twice."""

    def facts(self, text: str) -> tuple[Fact, ...]:
        """Return what a short text states, in facts that voice and order leave alone; none twice."""

    def one_wording(self, text: str) -> str:
        """Return the text with every phrase of a group that means the same in one form."""


def sentence_kind(sentence: str) -> Literal["question", "fact", "conclusion"]:
    """Return what a sentence does, by its wording: it asks, it states, or it concludes from the sentences before.

    A conclusion ("So the answer is …", "Thus, … came first") states nothing new, so QuCo-RAG takes no claim from it
    (table 8). A question without its mark is known by its first word and by having no full stop.

    >>> sentence_kind("So the answer is Sweden."), sentence_kind("who wrote hamlet"), sentence_kind("So far so good?")
    ('conclusion', 'question', 'question')
    """
    text = sentence.strip()
    if text.rstrip("\"'”’)").endswith(("?", "？", "؟")):
        return "question"
    if _CONCLUDES.search(text):
        return "conclusion"
    return "question" if _ASKS.match(text) and not text.endswith((".", "!", ":")) else "fact"


def is_role(noun: str) -> bool:
    """Return whether a common noun, in its dictionary form, is a role that many hold, so that it names nobody.

    >>> is_role("clockmaker"), is_role("painter"), is_role("tower")
    (True, True, False)
    """
    return noun.casefold() in ROLES or _ROLE.search(noun.casefold()) is not None


def is_anybody(noun: str) -> bool:
    """Return whether a phrase with this head names nobody, whatever else it says: "first woman", "British band".

    >>> is_anybody("woman"), is_anybody("clockmaker"), is_anybody("hunter")
    (True, True, False)
    """
    return noun.casefold() in _ANYBODY or _ROLE.search(noun.casefold()) is not None


def names_nobody(noun: str) -> bool:
    """Return whether a short answer with this head says what somebody is, not who: a trade as well, "hunter".

    >>> names_nobody("hunter"), names_nobody("woman"), names_nobody("tower")
    (True, True, False)
    """
    return is_anybody(noun) or noun.casefold() in ROLES | PROFESSIONS


def put_together(text: str) -> str:
    """Return "Curie won" for "It was Curie who won"; any other text as it is.

    >>> put_together("It was Marie Curie who won."), put_together("It was cold.")
    ('Marie Curie won.', 'It was cold.')
    >>> put_together("It was in 1891 that she moved.")
    'In 1891, she moved.'
    """
    apart = SET_APART.match(text)
    if not apart:
        return text
    subject = apart["subject"] if apart["lead"] else f"{apart['subject'][0].upper()}{apart['subject'][1:]}"
    return f"{apart['lead']}{subject}{',' if apart['phrase'] else ''} {apart['rest']}"


def without_brackets(text: str) -> tuple[str, tuple[Bracket, ...]]:
    """Return the text without its brackets, and the brackets; one without a word before it stays.

    >>> without_brackets("Stevia (a plant) grows.")
    ('Stevia grows.', (Bracket(behind='Stevia', text=' (a plant)'),))
    """
    brackets: list[Bracket] = []
    plain, place = "", 0
    for found in BRACKET.finditer(text):
        words = (plain + text[place : found.start()]).rsplit(maxsplit=ANCHOR_WORDS)
        behind = " ".join(words[-ANCHOR_WORDS:])
        if not words or not words[-1][-1].isalnum() or (brackets and brackets[-1].behind == behind):
            continue
        plain += text[place : found.start()]
        place = found.end()
        brackets.append(Bracket(behind=behind, text=found.group()))
    return plain + text[place:], tuple(brackets)
