"""What the clauses of a sentence say, read from its parse: who does what to whom, where, when, whose, and how surely.

A sentence becomes arcs: head, relation, dependent, in dictionary forms. Voice and order are levelled: "Y wrote X", "X
was written by Y" and "X, written by Y," give the same arcs; so do "Y's X" and "X of Y", "X is Y" and "X, a Y,". No
model beyond the parser.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from engine.backends.entailment.answers import is_number, words
from engine.backends.text.parser import Token, load_pipeline

CONTENT = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "VERB", "ADV"})
PRONOUNS = frozenset("he she it they him her them his its their who which that this these those whose".split())
HEDGES = frozenset(
    """may might could perhaps possibly probably maybe likely allegedly reportedly supposedly apparently presumably
    rumored rumoured unclear uncertain unsure disputed unconfirmed alleged claimed believed thought suspected said
    possible potentially expected planned proposed intended hope hoped would should seem appear suggest reputedly
    arguably nearly almost unlikely doubt doubted""".split()
)
NEGATIVE = frozenset(
    "not no never n't nt neither nor without none nobody nothing cannot hardly rarely fail deny".split()
)
LIGHT = frozenset(
    "be have do get become make include also very then there here just even still well as so more most other".split()
)
QUANTITIES = frozenset("all every each some most many few several none no only both mainly always never half".split())
NAMED = frozenset("PERSON NORP FAC ORG GPE LOC PRODUCT EVENT WORK_OF_ART LAW LANGUAGE".split())
ROLES = {"nsubj": "subject", "csubj": "subject", "nsubjpass": "object", "csubjpass": "object", "dobj": "object",
         "attr": "is", "acomp": "is", "oprd": "is", "appos": "is", "poss": "of", "amod": "mod", "compound": "mod",
         "nummod": "mod", "advmod": "mod", "npadvmod": "mod", "nmod": "mod", "quantmod": "mod",
         "dative": "to", "xcomp": "that", "ccomp": "that", "advcl": "when", "relcl": "mod", "acl": "mod"}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Arc:
    """One relation of a sentence between two words in dictionary form."""

    head: str
    relation: str
    dependent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A sentence as its arcs, the words that carry it, its names and numbers, and what it denies or hedges.

    ``quantities`` are the words that say of how many it holds.
    """

    text: str
    arcs: frozenset[Arc]
    content: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    denied: frozenset[str]
    hedges: frozenset[str]
    quantities: frozenset[str]


@lru_cache(maxsize=2048)
def read_sentence(text: str) -> Reading:
    """Return a sentence as its clauses say it. Raises ModelError where the parser is absent."""
    doc = load_pipeline()(text)
    tokens = [token for token in doc if not token.is_space and not token.is_punct]
    bearing = [token for token in tokens if bears(token)]
    return Reading(
        text=text,
        arcs=frozenset(arc for token in tokens for arc in arcs_of(token)),
        content=frozenset(map(form, bearing)),
        names=frozenset(form(token) for token in bearing if token.pos_ == "PROPN" or token.ent_type_ in NAMED),
        numbers=frozenset(word for word in words(text) if is_number(word)),
        denied=frozenset(form(what) for token in tokens if is_negative(token) for what in denied_by(token)),
        quantities=QUANTITIES.intersection(token.lower_ for token in tokens),
        hedges=frozenset(form(token) for token in tokens if form(token) in HEDGES and is_hedge(token)),
    )


def form(token: Token) -> str:
    """Return a word's dictionary form, numbers as digits and without accents, as answers are compared."""
    plain = words(token.lemma_ if token.pos_ not in {"PROPN", "NUM"} else token.text)
    return plain[0] if plain else token.lower_


def bears(token: Token) -> bool:
    """Return whether a word carries what the sentence says; helping verbs and light words do not."""
    return (
        token.pos_ in CONTENT
        and form(token) not in LIGHT | HEDGES | NEGATIVE
        and not token.is_stop
        or is_number(form(token))
    )


def is_hedge(token: Token) -> bool:
    """Return whether a word that can hedge does so here: "May 1912" and "would later" do not."""
    if token.pos_ == "PROPN" or token.ent_type_ == "DATE":
        return False
    return token.lower_ not in {"said", "thought", "planned", "intended", "proposed", "hoped"} or token.dep_ == "ROOT"


def is_negative(token: Token) -> bool:
    """Return whether a word denies what it belongs to."""
    return token.dep_ == "neg" or form(token) in NEGATIVE


def denied_by(token: Token) -> Iterator[Token]:
    """Yield what a negative word denies: its head, and of "is not X" also X."""
    head = token.head
    yield head
    if form(head) == "be":
        yield from (child for child in head.children if child.dep_ in {"attr", "acomp"})


def arcs_of(token: Token) -> Iterator[Arc]:
    """Yield the arcs that end in a word, one per word that it depends on."""
    dependent = form(token)
    if form(token) in NEGATIVE | HEDGES or token.dep_ in {
        "ROOT",
        "punct",
        "det",
        "aux",
        "auxpass",
        "neg",
        "cc",
        "prep",
    }:
        return
    role, head = role_of(token)
    if role == "is" and form(head) == "be":
        owner = subject_of(head)
        head = owner if owner is not None else head
    for one in heads_of(role, head):
        if one != token:
            yield Arc(head=form(one), relation=role, dependent=dependent)
    if token.dep_ in {"relcl", "acl"}:
        yield Arc(head=dependent, relation=noun_role(token), dependent=form(token.head))


def role_of(token: Token) -> tuple[str, Token]:
    """Return a word's relation and the word it bears it to: a conjunct has that of the first of its row."""
    first = token
    while first.dep_ == "conj":
        first = first.head
    if first.dep_ == "pobj" and first.head.dep_ in {"prep", "agent"}:
        preposition = first.head
        owner = preposition.head
        if preposition.dep_ == "agent":
            return "subject", owner
        while owner.dep_ == "prep" and owner.head != owner:
            owner = owner.head
        return preposition.lower_, owner
    if first.dep_ in {"nsubj", "nsubjpass"} and form(first.head) == "be":
        return "is", first
    return ROLES.get(first.dep_, first.dep_), first.head


def heads_of(role: str, head: Token) -> Iterator[Token]:
    """Yield the word that a relation starts from, and for a subject the verbs that share it."""
    yield head
    if role == "subject":
        yield from (verb for verb in head.conjuncts if verb.i > head.i and subject_of(verb) is None)


def subject_of(verb: Token) -> Token | None:
    """Return a verb's subject; of a relative clause what it belongs to."""
    found = next((child for child in verb.children if child.dep_ in {"nsubj", "nsubjpass", "expl"}), None)
    if found is not None and found.lower_ in {"which", "who", "that"} and verb.dep_ == "relcl":
        return verb.head
    return found


def noun_role(verb: Token) -> str:
    """Return what a noun is to the verb of its clause: "a tower built in" its object, "a man who" its subject."""
    pronoun = next((child for child in verb.children if child.lower_ in {"which", "who", "that", "whom"}), None)
    if pronoun is not None:
        return ROLES.get(pronoun.dep_, "mod")
    passive = verb.tag_ == "VBN"
    has_own = any(child.dep_ in {"nsubj", "nsubjpass"} for child in verb.children)
    return "object" if passive or has_own else "subject"
