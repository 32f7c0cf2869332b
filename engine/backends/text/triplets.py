"""The claims of one sentence as (head, relation, tail), by rules over the dependency parse.

QuCo-RAG (section 3.3, table 8) asks a fine-tuned model for them. The rules keep its conventions: several claims per
sentence; of a question only the first hop, without a tail; nothing of a conclusion. They never invent: a pronoun makes
a claim only where the sentence itself says who is meant, and a negated clause makes none, since a corpus that never
names two things together is no evidence against "was not".
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.backends.text.base import Entity, Triplet, sentence_kind
from engine.backends.text.entities import MEASURE_LABELS, find_entities, is_role, noun_phrase
from engine.backends.text.parser import Doc, Token
from engine.backends.text.word_lists import CLASS_NOUNS

SUBJECTS = frozenset({"nsubj", "nsubjpass"})
OBJECTS = frozenset({"dobj", "dative", "oprd"})
TIMES = frozenset({"DATE", "TIME"})
POINTING = frozenset({"this", "that", "these", "those", "such"})
Places = dict[int, Entity]
Subject = tuple[Entity, str]
Tail = tuple[str, Entity]


def find_triplets(doc: Doc) -> tuple[Triplet, ...]:
    """Return the claims of a parsed sentence in the order of their words, each once."""
    kind = sentence_kind(doc.text)
    if kind == "conclusion":
        return ()
    places = _places(doc)
    claims = _first_hops(doc, places) if kind == "question" else _claims(doc, places)
    seen: dict[tuple[str, str, str], Triplet] = {}
    for claim in claims:
        tail = claim.tail.text if claim.tail else ""
        if claim.head.text.casefold() != tail.casefold():
            seen.setdefault((claim.head.text, claim.relation, tail), claim)
    return tuple(seen.values())


def _places(doc: Doc) -> Places:
    """Return which entity each token belongs to, by token index."""
    places: Places = {}
    for entity in find_entities(doc):
        for token in doc.char_span(entity.start, entity.end, alignment_mode="expand") or ():
            places[token.i] = entity
    return places


def _claims(doc: Doc, places: Places) -> Iterator[Triplet]:
    """Yield the claims of a statement: of each verb with a subject, and of each apposition."""
    for token in doc:
        if token.dep_ == "appos":
            yield from _apposition(token, places)
        elif _is_clause(token) and not any(child.dep_ == "neg" for child in token.children):
            subjects = [pair for word in _subject_words(token, doc) for pair in _subjects(word, places, token)]
            yield from _clause(token, subjects, places)


def _is_clause(token: Token) -> bool:
    """Return whether a token carries a clause: a verb that is no auxiliary, or what is coordinated with one."""
    if token.dep_ in {"aux", "auxpass", "amod", "compound"}:
        return False
    return token.pos_ in {"VERB", "AUX"} or (token.dep_ == "conj" and token.head.pos_ == "VERB")


def _clause(verb: Token, subjects: list[Subject], places: Places) -> Iterator[Triplet]:
    for attribute in (child for child in verb.children if child.dep_ == "attr"):
        for head, owned in subjects:
            yield from _copula(verb, attribute, head, owned, places)
    for relation, tail in _tails(verb, places):
        for head, owned in subjects:
            yield Triplet(head=head, relation=f"{owned} {relation}".strip(), tail=tail)


def _copula(verb: Token, attribute: Token, head: Entity, owned: str, places: Places) -> Iterator[Triplet]:
    """Yield ("X", "is the capital of", "Y"), ("X", "is", "Y"), or ("Y", "father", "X") for "X is Y's father"."""
    for word in _with_conjuncts(attribute):
        owner = _owner(word, places)
        if owner is not None and word.i not in places:
            yield Triplet(head=owner, relation=_phrase_text(word), tail=head)
        elif word.i in places and places[word.i].label != "NOUN":
            yield Triplet(head=head, relation=owned or verb.text, tail=places[word.i])
        else:
            for relation, tail in _described(word, places):
                yield Triplet(head=head, relation=f"{owned} {verb.text} {relation}".strip(), tail=tail)


def _apposition(token: Token, places: Places) -> Iterator[Triplet]:
    """Yield the claims of "X, the capital of Y", "X's father, Y" and "X, Y's father"."""
    outer = places.get(token.head.i)
    inner = places.get(token.i)
    if outer is None and inner is not None:
        for whose, owned in _owners(token.head, places):
            yield Triplet(head=whose, relation=owned, tail=inner)
    elif outer is not None and outer.label not in MEASURE_LABELS and inner is None and token.pos_ == "NOUN":
        owner = _owner(token, places)
        if owner is not None:
            yield Triplet(head=owner, relation=_phrase_text(token), tail=outer)
            return
        for relation, tail in _described(token, places):
            yield Triplet(head=outer, relation=f"is {relation}".strip(), tail=tail)


def _described(noun: Token, places: Places) -> Iterator[Tail]:
    """Yield what a common noun says of its subject: ("the capital of", Portugal), else ("", "French physicist")."""
    found = False
    for preposition, thing in _prepositional(noun, places):
        if thing.label != "NOUN":
            found = True
            yield f"{_text(noun.left_edge, noun)} {preposition.lower_}", thing
    if not found:
        led = tuple(_held(noun, places))
        yield from led
        found = bool(led)
    if not found:
        phrase = noun_phrase(noun) if noun.pos_ == "NOUN" and not _names_nobody(noun) else None
        if phrase is not None:
            yield "", phrase


def _held(noun: Token, places: Places, depth: int = 3) -> Iterator[Tail]:
    """Yield what a common noun only leads to, with the words between: ("study of", radioactivity).

    A name further on is what is meant: ("mayor of invented island of", Tervane).
    """
    for preposition in (child for child in noun.children if child.lower_ == "of"):
        lead = f"{_phrase_text(noun)} of"
        for word in (each for child in preposition.children if child.dep_ == "pobj" for each in _with_conjuncts(child)):
            inner = list(_held(word, places, depth - 1)) if depth > 1 and word.i not in places else []
            named = [(told, thing) for told, thing in inner if thing.label != "NOUN"]
            thing = places.get(word.i) or (noun_phrase(word) if word.pos_ == "NOUN" else None)
            if thing is not None and not named:
                yield lead, thing
            else:
                yield from ((f"{lead} {told}", held) for told, held in named or inner)


def _subject_words(verb: Token, doc: Doc) -> list[Token]:
    """Return the nouns a verb speaks of: its own subject, or one borrowed from the clause it hangs on."""
    own = [child for child in verb.children if child.dep_ in SUBJECTS]
    if own:
        return [found for word in own if (found := _resolved(word, verb, doc)) is not None]
    if verb.dep_ in {"conj", "advcl", "xcomp"} and verb.head != verb:
        return _subject_words(verb.head, doc)
    return [verb.head] if verb.dep_ in {"acl", "relcl"} else []


def _resolved(word: Token, verb: Token, doc: Doc) -> Token | None:
    """Return the noun that a subject stands for; None for a pronoun the sentence does not explain."""
    if word.pos_ != "PRON":
        return word
    clause = verb
    while clause.dep_ == "conj":
        clause = clause.head
    if clause.dep_ == "relcl" and word.tag_ in {"WDT", "WP"}:
        noun = clause.head
        if noun.dep_ == "attr" and noun.pos_ == "NOUN":
            return next(iter(_subject_words(noun.head, doc)), noun)
        return noun
    people = {span.text for span in doc.ents if span.label_ == "PERSON"}
    if clause.dep_ == "advcl" and word.lower_ in {"he", "she"} and len(people) == 1:
        return next((found for found in _subject_words(clause.head, doc) if found.ent_type_ == "PERSON"), None)
    return None


def _subjects(word: Token, places: Places, verb: Token | None = None) -> list[Subject]:
    """Return the heads that a subject noun gives, each with the noun that stands between ("father" of "X's father").

    A definite common noun ("the film") refers back to something that this sentence does not name: no head.
    """
    found: list[Subject] = []
    for noun in _with_conjuncts(word):
        entity = places.get(noun.i)
        named = [places[child.i] for child in noun.children if child.dep_ == "appos" and child.i in places]
        if entity is not None and entity.label not in MEASURE_LABELS:
            found.append((entity, ""))
        elif entity is None and named:
            found.extend((name, "") for name in named)
        elif entity is None and noun.pos_ == "NOUN":
            found.extend(_owners(noun, places) or list(_descriptions(noun, places, verb)) or _unnamed(noun))
    return found


def _descriptions(noun: Token, places: Places, verb: Token | None = None, depth: int = 3) -> Iterator[Subject]:
    """Yield what a common noun is told by, with the words between: "the leader of the team that extracted penicillin".

    That gives ("penicillin", "leader of team extracted"). A definite common noun on the way ("the prize") points back
    to something the sentence does not name, and tells nothing; nor does the clause whose own ``verb`` is looked at.
    """
    own = _phrase_text(noun)
    for child in noun.children:
        if child.dep_ == "prep":
            inner = [word for word in child.children if word.dep_ == "pobj"]
            yield from ((thing, f"{own} {child.lower_} {told}".strip()) for thing, told in _told(inner, places, depth))
        elif child.dep_ in {"relcl", "acl"} and child != verb:
            yield from ((thing, f"{own} {told}".strip()) for thing, told in _told_by_clause(child, places, depth))


def _told_by_clause(verb: Token, places: Places, depth: int) -> Iterator[Subject]:
    """Yield what a relative clause names, in its subject, its objects and behind its prepositions, with its verb."""
    for child in verb.children:
        if child.dep_ in SUBJECTS and child.pos_ != "PRON":
            yield from ((thing, f"{told} {verb.text}".strip()) for thing, told in _told([child], places, depth))
        elif child.dep_ in OBJECTS:
            yield from ((thing, f"{verb.text} {told}".strip()) for thing, told in _told([child], places, depth))
        elif child.dep_ in {"prep", "agent"}:
            inner = [word for word in child.children if word.dep_ == "pobj"]
            lead = f"{verb.text} {child.lower_}"
            yield from ((thing, f"{lead} {told}".strip()) for thing, told in _told(inner, places, depth))


def _told(nouns: list[Token], places: Places, depth: int) -> Iterator[Subject]:
    """Yield the things that nouns name, with "" between, or what they in turn are told by."""
    for noun in nouns:
        thing, bare = places.get(noun.i), not any(child.dep_ == "det" for child in noun.children)
        if thing is not None and thing.label not in MEASURE_LABELS and (thing.label != "NOUN" or bare):
            yield thing, ""
        elif thing is None and noun.pos_ == "NOUN" and depth > 1:
            owner = _owner(noun, places)
            if owner is not None:
                yield owner, _phrase_text(noun)
            else:
                yield from _descriptions(noun, places, None, depth - 1)


def _names_nobody(noun: Token) -> bool:
    """Return whether a noun is some role in some trade: "an office employee", not "a French physicist"."""
    compound = any(word.dep_ == "compound" for word in noun.lefts)
    return is_role(noun) and compound and not any(word.text[0].isupper() for word in noun.lefts)


def _unnamed(noun: Token) -> list[Subject]:
    """Return a common noun as its own head, unless it points back ("the film", "his wife") or is a role."""
    if is_role(noun):
        return []
    defined = noun.lemma_ in CLASS_NOUNS and any(child.lower_ == "the" for child in noun.lefts)
    points_back = defined or any(child.lower_ in POINTING for child in noun.lefts)
    owned = any(child.dep_ == "poss" for child in noun.children)
    phrase = None if points_back or owned else noun_phrase(noun)
    return [] if phrase is None else [(phrase, "")]


def _owners(noun: Token, places: Places) -> list[Subject]:
    """Return whose a common noun is, with the noun: "X's father" and "the father of X" give (X, "father")."""
    owner = _owner(noun, places)
    if owner is not None:
        return [(owner, _phrase_text(noun))]
    return [
        (thing, _phrase_text(noun))
        for preposition, thing in _prepositional(noun, places)
        if preposition.lower_ == "of" and thing.label not in MEASURE_LABELS
    ]


def _owner(noun: Token, places: Places) -> Entity | None:
    return next((places[child.i] for child in noun.children if child.dep_ == "poss" and child.i in places), None)


def _tails(verb: Token, places: Places) -> Iterator[Tail]:
    """Yield what a verb says of its subject: (relation, thing) for objects, prepositions, measures and dates."""
    relation = " ".join([verb.text, *(child.text for child in verb.children if child.dep_ == "prt")])
    for child in verb.children:
        if child.dep_ in OBJECTS:
            yield from _object(relation, child, places)
        elif child.dep_ in {"prep", "agent"}:
            yield from _by_preposition(relation, child, places)
        elif child.dep_ == "acomp":
            yield from _comparison(relation, child, places)
        elif child.dep_ == "npadvmod" and child.i in places:
            yield relation, places[child.i]
    if _clause_lacks_object(verb) and verb.head.i in places:
        yield relation, places[verb.head.i]


def _clause_lacks_object(verb: Token) -> bool:
    """Return whether a relative clause is about its verb's object ("the tower that Eiffel built")."""
    subject = next((child for child in verb.children if child.dep_ in SUBJECTS), None)
    objects = [child for child in verb.children if child.dep_ in {"dobj", "attr", "acomp"}]
    own_subject = subject is not None and subject.tag_ not in {"WDT", "WP"}
    return bool(verb.dep_ == "relcl" and own_subject and all(child.tag_ in {"WDT", "WP"} for child in objects))


def _object(relation: str, noun: Token, places: Places) -> Iterator[Tail]:
    """Yield an object: itself where it is named, what its prepositions name where it is a common noun."""
    for word in _with_conjuncts(noun):
        entity = places.get(word.i)
        if entity is None:
            yield from _common_object(relation, word, places)
            continue
        yield relation, entity
        for preposition, thing in _prepositional(word, places):
            if preposition.lower_ != "of" and thing.label != "NOUN":
                yield f"{relation} {preposition.lower_}", thing


def _common_object(relation: str, noun: Token, places: Places) -> Iterator[Tail]:
    """Yield what a common object leads to: its owner, a number it holds, names after its prepositions, else itself."""
    owner = _owner(noun, places)
    if owner is not None and owner.label != "NOUN":
        yield f"{relation} {_phrase_text(noun)}", owner
        return
    led = False
    for child in noun.children:
        if child.dep_ in {"nummod", "appos"} and child.i in places:
            led = True
            yield f"{relation} {_text(noun.left_edge, noun)}", places[child.i]
    for preposition, thing in _prepositional(noun, places):
        if thing.label in TIMES and preposition.lower_ != "of":
            yield f"{relation} {preposition.lower_}", thing
        elif thing.label != "NOUN":
            led = True
            yield f"{relation} {_text(noun.left_edge, noun)} {preposition.lower_}", thing
    if led:
        return
    held = tuple(_held(noun, places))
    yield from ((f"{relation} {told}", thing) for told, thing in held)
    if not held and noun.pos_ == "NOUN" and not _names_nobody(noun) and (phrase := noun_phrase(noun)) is not None:
        yield relation, phrase


def _by_preposition(relation: str, preposition: Token, places: Places) -> Iterator[Tail]:
    """Yield what stands after a preposition of the verb, and after prepositions that hang on it in turn."""
    for child in preposition.children:
        if child.dep_ == "prep":
            yield from _by_preposition(f"{relation} {preposition.lower_}", child, places)
        if child.dep_ != "pobj":
            continue
        for word in _with_conjuncts(child):
            if word.i in places:
                yield f"{relation} {preposition.lower_}", places[word.i]
                yield from _dates_of(relation, word, places)
            else:
                yield from _common_object(f"{relation} {preposition.lower_}", word, places)


def _dates_of(relation: str, noun: Token, places: Places) -> Iterator[Tail]:
    """Yield the dates and measures that the parser hung on a place or number, but that belong to the verb."""
    for preposition, thing in _prepositional(noun, places):
        if thing.label in TIMES:
            yield f"{relation} {preposition.lower_}", thing


def _comparison(relation: str, adjective: Token, places: Places) -> Iterator[Tail]:
    """Yield a measure ("is 8,849 metres high") or what something is compared with ("is longer than the Congo")."""
    for child in adjective.children:
        if child.dep_ == "npadvmod" and child.i in places:
            yield f"{relation} {adjective.text}", places[child.i]
    for preposition, thing in _prepositional(adjective, places):
        yield f"{relation} {adjective.text} {preposition.lower_}", thing


def _prepositional(word: Token, places: Places) -> Iterator[tuple[Token, Entity]]:
    """Yield (preposition, entity) for what hangs on a word by a preposition and is not part of the word's own name."""
    own = places.get(word.i)
    for preposition in word.children:
        if preposition.dep_ not in {"prep", "agent"} or (own is not None and places.get(preposition.i) == own):
            continue
        for noun in preposition.children:
            if noun.dep_ == "pobj":
                yield from ((preposition, places[each.i]) for each in _with_conjuncts(noun) if each.i in places)


def _with_conjuncts(word: Token) -> list[Token]:
    """Return a noun and the nouns coordinated with it, in order ("Vienna, Budapest and Belgrade")."""
    return [word, *(other for other in word.conjuncts if other.i > word.i)]


def _phrase_text(noun: Token) -> str:
    """Return a common noun with its own modifiers but without article and possessor ("X-ray images")."""
    phrase = noun_phrase(noun)
    return phrase.text if phrase is not None else noun.text


def _text(first: Token, last: Token) -> str:
    return str(first.doc[first.i : last.i + 1].text)


def _first_hops(doc: Doc, places: Places) -> Iterator[Triplet]:
    """Yield the partial claims of a question: the thing nearest to the answer's first step, and its relation."""
    named = [entity for entity in dict.fromkeys(places.values()) if entity.label not in MEASURE_LABELS]
    roots = [doc.char_span(entity.start, entity.end, alignment_mode="expand").root for entity in named]
    words = [_first_conjunct(root) for root in roots]
    best = min(map(_distance, words), default=0)
    for entity, word in zip(named, words, strict=True):
        if _distance(word) == best:
            yield Triplet(head=entity, relation=_question_relation(word), tail=None)


def _first_conjunct(word: Token) -> Token:
    """Return the first of the nouns that a noun is coordinated with: its place in the sentence is theirs."""
    while word.dep_ in {"conj", "appos"} and word.head != word:
        word = word.head
    return word


def _distance(word: Token) -> int:
    """Return how many steps an entity is from the verb's own circumstances: 0 = possessor, 1 = subject … 3 = place."""
    if word.dep_ == "poss" or (word.dep_ == "pobj" and word.head.lower_ == "of"):
        return 0
    if word.dep_ in SUBJECTS:
        return 1
    return 3 if word.dep_ == "pobj" else 2


def _question_relation(word: Token) -> str:
    """Return what a question asks of an entity: "composer", "husband", "discovered", "empty into", "longer"."""
    if word.dep_ == "poss":
        return _phrase_text(word.head)
    if word.dep_ == "pobj" and word.head.lower_ == "of" and word.head.head.pos_ == "NOUN":
        return _phrase_text(word.head.head)
    verb = word.head
    while verb.pos_ not in {"VERB", "AUX", "ADJ"} and verb.head != verb:
        verb = verb.head
    if verb.lemma_ in {"be", "have"}:
        for child in verb.children:
            if child.dep_ in {"acomp", "dobj"}:
                return str(child.text)
    parts = [child.text for child in verb.children if child.dep_ in {"prt", "prep"} and _is_open(child)]
    return " ".join([verb.text, *parts])


def _is_open(preposition: Token) -> bool:
    """Return whether a preposition waits for the answer ("empty into?") instead of having its object."""
    return bool(preposition.dep_ == "prt" or not any(child.dep_ == "pobj" for child in preposition.children))
