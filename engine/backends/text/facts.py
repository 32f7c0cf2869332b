"""What a text states, as small facts that voice, order and the form of a clause leave alone.

"Y wrote X in 1867" and "In 1867, X was written by Y" give the same facts: Y is the subject of *write*, X its object,
and it happened in 1867. An apposition, a relative clause with "is" and a copula all give "is"; a possessive and "of"
both give "of". So two sentences state the same where each fact of one is among those of the other. A parser often
hangs the same phrase on another word after it moved, so a fact names every word that it may hang on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from engine.backends.text.base import Fact
from engine.backends.text.parser import Doc, Token
from engine.backends.text.sentence_parts import NOUNS, child
from engine.backends.text.voice_rules import agent_of, verbs_together
from engine.backends.text.word_lists import (
    DISCOURSE,
    NUMBER_WORDS,
    OWNERS,
    PLACED,
    QUANTITIES,
    STANDS_FOR,
    UNIQUE,
)

SHORTEST_PLURAL = 3
VERBS = frozenset({"VERB", "AUX"})
SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass")
ARTICLES = {"a": "a", "an": "a", "the": "the"}
QUALITIES = frozenset({"amod", "compound", "nmod", "nummod", "quantmod", "predet"})
RELATIVE = frozenset({"WDT", "WP", "WP$"})


class FactFinder:
    """The facts of one parsed text. Names of a thing that the text itself identifies count as one thing."""

    def __init__(self, doc: Doc) -> None:
        self._doc = doc
        self._same: dict[int, set[int]] = {}
        for one, other, alone in self._identities():
            if alone:
                first, second = resolved(one).i, other.i
                group = self._same.get(first, {first}) | self._same.get(second, {second})
                self._same.update(dict.fromkeys(group, group))

    def facts(self) -> Iterator[Fact]:
        """Yield every fact, each kind in turn."""
        yield from self._same_things()
        for token in self._doc:
            if token.pos_ in VERBS and token.dep_ not in {"aux", "auxpass"}:
                yield from self._of_verb(token)
            yield from self._of_word(token)

    def _names(self, token: Token) -> tuple[str, ...]:
        """Return what a thing is called in the text: its own name first, then what it is said to be."""
        own = resolved(token)
        return tuple(dict.fromkeys((key(own), *(key(self._doc[at]) for at in sorted(self._same.get(own.i, ()))))))

    def _same_things(self) -> Iterator[Fact]:
        """Yield that a thing is another, for every two of those that the text says are one, and for each of several."""
        groups = {id(group): sorted(group) for group in self._same.values()}
        for group in groups.values():
            for one, other in combinations(sorted((self._doc[at] for at in group), key=key), 2):
                if key(one) != key(other):
                    yield fact((key(one),), ("is",), (key(other),), from_=(one, other))
        for one, other, alone in self._identities():
            if not alone and not cleft(one, other):
                yield fact(self._names(one), ("is",), self._names(other), from_=(one, other))

    def _identities(self) -> Iterator[tuple[Token, Token, bool]]:
        """Yield (thing, what it is, both stand alone): copulas and appositions."""
        for token in self._doc:
            if token.dep_ == "appos":
                yield token.head, token, child(token.head, "conj") is None
            if token.lemma_ not in {"be", *PLACED} or token.dep_ in {"aux", "auxpass"}:
                continue
            said = [one for part in token.children if part.dep_ in {"attr", "acomp"} for one in with_conjuncts(part)]
            subjects = subjects_of(token)
            denied = child(token, "neg") is not None
            for subject in subjects:
                for what in said:
                    things = (what.pos_ in NOUNS | {"PRON"} or what.lower_ == "one") and len(subjects) == len(said) == 1
                    yield subject, what, things and not denied and not cleft(subject, what)

    def _of_verb(self, verb: Token) -> Iterator[Fact]:
        """Yield who does it, to what, whether it is denied or only possible."""
        name = self._event(verb)
        if verb.lemma_ != "be" or not (child(verb, "attr", "acomp")):
            bare = verb.lemma_ in PLACED
            for doer, needed in self._doers(verb):
                tails, either = self._told(verb, doer)
                yield fact(name, ("subject",), tails, needed=needed and not bare, either=either, from_=(verb, doer))
            for thing, needed in self._things(verb):
                tails, either = self._told(verb, thing)
                yield fact(name, ("object",), tails, needed=needed and not bare, either=either, from_=(verb, thing))
        denied = any(part.dep_ == "neg" for part in verb.children)
        nothing = [part for part in verb.children if any(word.lower_ == "no" for word in part.children)]
        if denied or (verb.lemma_ == "be" and nothing):
            yield fact(name, ("not",), ("not",), from_=(verb, *nothing, *verb.lefts))
        for helper in verb.children:
            if helper.dep_ == "aux" and helper.tag_ == "MD":
                yield fact(name, ("may",), (key(helper),), from_=(verb, helper))
        if verb.lemma_ != "be":
            helpers = [part for part in verb.children if part.dep_ in {"aux", "auxpass"}]
            yield fact(name, ("time",), tense(verb), needed=verb.lemma_ not in PLACED, from_=(verb, *helpers))

    def _told(self, verb: Token, thing: Token) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the names of what a verb is said of, and all that it may be where a comma leaves that open."""
        names = self._names(thing)
        if verb.dep_ not in {"acl", "relcl"} or verb.head != thing:
            return names, ()
        if thing.dep_ == "conj":
            names = tuple(dict.fromkeys((*names, *(key(one) for one in joined_with(thing)))))
        first = verb.left_edge.i
        chain = list(nouns_above(thing)) if first and self._doc[first - 1].text == "," else []
        return names, tuple(dict.fromkeys((*names, *(n for one in chain for n in self._names(one))))) if chain else ()

    def _event(self, verb: Token) -> tuple[str, ...]:
        """Return what an event is called: its verb; "is" and "lies" bear the names of what they are said of."""
        if verb.lemma_ == "be" or verb.lemma_ in PLACED:
            names = [name for subject in subjects_of(verb) for name in self._names(subject)]
            own = () if verb.lemma_ == "be" and names else (key(verb),)
            return tuple(dict.fromkeys((*own, *names)))
        return (key(verb),)

    def _doers(self, verb: Token) -> Iterator[tuple[Token, bool]]:
        """Yield the subjects of an active verb or the agents of a passive one, and whether the text says so plainly."""
        agent = agent_of(verbs_together(first_joined(verb))) if passive(verb) else None
        if agent is not None:
            yield from ((part, True) for one in agent.children if one.dep_ == "pobj" for part in with_conjuncts(one))
        elif not passive(verb):
            yield from ((part, says_who(verb)) for part in subjects_of(verb))

    def _things(self, verb: Token) -> Iterator[tuple[Token, bool]]:
        """Yield the objects of an active verb or the subjects of a passive one."""
        for part in verb.children:
            if part.dep_ in {"dobj", "attr", "acomp", "oprd"}:
                yield from ((one, True) for one in with_conjuncts(part))
        if passive(verb):
            yield from ((part, says_who(verb)) for part in subjects_of(verb))

    def _of_word(self, token: Token) -> Iterator[Fact]:
        """Yield what a word that is no main verb adds to another one."""
        head = token.head
        if token.dep_ == "conj" and any(part.lower_ in {"or", "nor"} for part in head.children):
            yield fact((*self._names(head), *self._names(token)), ("or",), ("or",), from_=(head, token))
        for governor in governors(token):
            if token.dep_ in QUALITIES:
                relation = ("is", "of") if token.pos_ in NOUNS | {"NUM", "ADJ"} else ("is",)
                beside = [key(part) for part in governor.children if part.pos_ == token.pos_ == "PROPN"]
                yield fact((*self._names(governor), *beside), relation, (key(token),), from_=(governor, token))
            elif token.dep_ == "poss":
                pronoun = token.pos_ == "PRON"
                yield fact(self._names(governor), ("of",), self._names(token), not pronoun, from_=(governor, token))
            elif token.dep_ == "det" and token.lower_ in QUANTITIES:
                yield fact(self._names(governor), ("quantity",), (key(token),), from_=(governor, token))
            elif token.dep_ == "det" and token.lower_ in ARTICLES and governor.dep_ in SUBJECTS:
                yield fact((key(governor),), ("article",), (ARTICLES[token.lower_],), needed=False)
        if token.dep_ in {"advmod", "npadvmod", "prt"} and token.lower_ not in DISCOURSE:
            yield from self._adverb(token)
        elif token.dep_ in {"prep", "dative"}:
            yield from self._phrase(token)
        elif token.dep_ in {"ccomp", "xcomp", "advcl", "acl", "relcl"} and token.pos_ in VERBS:
            yield from self._clause(token)

    def _adverb(self, token: Token) -> Iterator[Fact]:
        """Yield an adverb, or "where" and "when" of a relative clause as the phrase that they stand for."""
        clause = token.head
        if token.tag_ == "WRB":
            if clause.dep_ == "relcl":
                yield fact(
                    self._event(clause), ("in", "at", "on"), self._names(clause.head), from_=(clause, clause.head)
                )
            return
        yield fact(self._places(token), ("how",), (key(token),), from_=(token.head, token))

    def _phrase(self, token: Token) -> Iterator[Fact]:
        """Yield a phrase with its preposition: what it may hang on, and each thing that it names."""
        relations = [token.lower_]
        if token.dep_ == "dative":
            relations += ["to", "for"]
        if passive(token.head) and token.lower_ == "with":
            relations.append("subject")
        if token.tag_ not in {"IN", "TO", "RP"} and token.pos_ in NOUNS | {"PRON"}:
            for one in with_conjuncts(token):
                yield fact(self._places(token), ("to", "for"), self._names(one), from_=(token.head, one))
            return
        places = self._names(token.head) if token.lower_ == "of" else self._places(token)
        for part in token.children:
            if part.dep_ in {"pobj", "pcomp"}:
                for one in with_conjuncts(part):
                    numbered = one.pos_ == "NUM" and token.lower_ == "of"
                    named = (*relations, "is") if numbered else relations
                    yield fact(places, named, self._names(one), from_=(token.head, token, one))

    def _clause(self, token: Token) -> Iterator[Fact]:
        """Yield how a clause hangs on another: by its conjunction, or as what is said, thought or aimed at."""
        mark = next((part for part in token.children if part.dep_ == "mark"), None)
        opening = next((part for part in token.children if part.tag_ == "WRB" and part.dep_ == "advmod"), None)
        aimed = any(part.tag_ == "TO" for part in token.children)
        if token.dep_ in {"ccomp", "xcomp"}:
            places = self._places(token) if aimed else self._event(token.head)
            yield fact(places, ("that", "to") if aimed else ("that",), self._event(token), from_=(token.head, token))
        elif token.dep_ == "advcl" and (mark is not None or opening is not None):
            link = mark if mark is not None else opening
            if link is not None:
                yield fact(self._places(token), (key(link),), self._event(token), from_=(token.head, link, token))
        elif token.dep_ in {"advcl", "acl"} and aimed:
            yield fact(self._places(token), ("that", "to"), self._event(token), from_=(token.head, token))

    def _places(self, token: Token) -> tuple[str, ...]:
        """Return every word that a phrase may hang on: its head, and what that hangs on, up to the next verb."""
        found: list[str] = []
        place = token.head
        while True:
            if place.pos_ in VERBS:
                found += self._event(place)
            elif place.pos_ != "ADP":
                found += self._names(place)
            if (place.pos_ in VERBS and place.dep_ != "xcomp") or place.head == place:
                return tuple(dict.fromkeys(found))
            place = place.head


def find_facts(doc: Doc) -> tuple[Fact, ...]:
    """Return the facts of a parsed text, none twice; what hangs on no word states nothing."""
    return tuple(one for one in dict.fromkeys(FactFinder(doc).facts()) if one.heads and one.tails)


def fact(
    heads: Iterable[str],
    relations: Iterable[str],
    tails: Iterable[str],
    needed: bool = True,
    either: tuple[str, ...] = (),
    from_: Sequence[Token] = (),
) -> Fact:
    """Return a fact of names in any order, with the words of the text that it is read from."""
    return Fact(
        heads=tuple(heads),
        relations=tuple(relations),
        tails=tuple(tails),
        needed=needed,
        either=either,
        said=stretch(from_),
    )


def stretch(tokens: Sequence[Token]) -> str:
    """Return the text from the first to the last of some words."""
    if not tokens:
        return ""
    first, last = min(token.i for token in tokens), max(token.i for token in tokens)
    return str(tokens[0].doc[first : last + 1].text)


def key(token: Token) -> str:
    """Return the name under which a word is compared: its dictionary form, a name as it stands, "it" for "its"."""
    word = str(token.lower_)
    if token.pos_ == "PRON":
        return OWNERS.get(word, word)
    if token.like_num:
        return NUMBER_WORDS.get(word, word.replace(",", ""))
    named = token.pos_ == "PROPN" or (token.text[:1].isupper() and not token.is_sent_start)
    lemma = word if named else str(token.lemma_).casefold()
    lemma = STANDS_FOR.get(lemma, lemma)
    # The parser takes some common nouns at the start of a sentence for names, whose plural it keeps.
    many = token.pos_ in NOUNS and len(lemma) > SHORTEST_PLURAL
    return lemma.removesuffix("s") if many else lemma


def resolved(token: Token) -> Token:
    """Return what a relative pronoun stands for, else the word itself."""
    if token.tag_ not in RELATIVE:
        return token
    clause = next((one for one in (token, *token.ancestors) if one.dep_ == "relcl"), None)
    return clause.head if clause is not None else token


def cleft(subject: Token, what: Token) -> bool:
    """Return whether "it" only sets something apart: "It was X who …"."""
    some = any(part.lower_ in {"a", "an"} or part.tag_ == "JJS" or part.lower_ in UNIQUE for part in what.children)
    return subject.lower_ == "it" and child(what, "relcl") is not None and not some


def first_joined(verb: Token) -> Token:
    """Return the first of the participles that one is joined to: "written" for "sung" in "written and sung"."""
    first = verb
    while first.dep_ == "conj" and first.head.tag_ in {"VBN", "VBD"} and child(first, "auxpass", "nsubjpass") is None:
        first = first.head
    return first if verb in verbs_together(first) else verb


def with_conjuncts(token: Token) -> Iterator[Token]:
    """Yield a word and those that "and" or "or" joins to it."""
    yield token
    for part in token.children:
        if part.dep_ == "conj" and part.pos_ not in VERBS:
            yield from with_conjuncts(part)


def joined_with(token: Token) -> Iterator[Token]:
    """Yield the words that stand before a word in its list."""
    while token.dep_ == "conj":
        token = token.head
        yield token


def nouns_above(token: Token) -> Iterator[Token]:
    """Yield the nouns whose phrase a noun stands in: the orchestra of "an orchestra from Java"."""
    while token.dep_ == "pobj" and token.head.head.pos_ in NOUNS:
        token = token.head.head
        yield token


def governors(token: Token) -> tuple[Token, ...]:
    """Return the words that a quality describes: its head; of "hot and dry air" the air for both."""
    first = token
    while first.dep_ == "conj" and first.head.dep_ in QUALITIES:
        first = first.head
    return (first.head,)


def says_who(verb: Token) -> bool:
    """Return whether a verb has a subject of its own, or one that its place gives it beyond doubt."""
    aimed = any(part.tag_ == "TO" for part in verb.children)
    return child(verb, *SUBJECTS) is not None or verb.dep_ == "conj" or (verb.dep_ == "acl" and not aimed)


def tense(verb: Token) -> tuple[str, ...]:
    """Return when something happens, as far as the verb says: "had built" and "has built" are past as "built" is."""
    helper = next((part for part in verb.children if part.dep_ in {"aux", "auxpass"} and part.tag_ != "TO"), None)
    tag = verb.tag_ if helper is None else helper.tag_
    perfect = helper is not None and helper.lemma_ == "have"
    if tag == "VBD" or perfect:
        return ("past", "perfect") if perfect else ("past",)
    return ("now",) if tag in {"VBZ", "VBP"} else ("past", "perfect", "now")


def passive(verb: Token) -> bool:
    """Return whether a verb is passive: with its helper, or a bare participle that describes a noun."""
    if child(verb, "auxpass", "nsubjpass") is not None:
        return True
    if child(verb, "nsubj") is not None:
        return False
    bare = child(verb, "aux", "auxpass") is None and verb.tag_ in {"VBN", "VBD"}
    joined = verb.dep_ == "conj" and verb.tag_ == "VBN" and child(verb, "nsubj") is None and passive(verb.head)
    return bare and (verb.dep_ in {"acl", "advcl"} or joined)


def subjects_of(verb: Token) -> list[Token]:
    """Return the subjects of a verb; one without its own has those of the verb or noun that it hangs on."""
    own = child(verb, *SUBJECTS)
    if own is not None:
        return [resolved(one) for one in with_conjuncts(own)]
    if verb.dep_ == "acl":
        return [verb.head]
    head = verb.head.head if verb.dep_ == "pcomp" else verb.head
    if verb.dep_ in {"conj", "xcomp", "advcl", "pcomp"} and head.pos_ in VERBS and head != verb:
        return subjects_of(head)
    return []
