"""Rules around a noun: apposition and relative clause, participle and relative clause, possessive and "of", titles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.backends.text.parser import Span, Token
from engine.backends.text.sentence_parts import (
    NOUNS,
    around,
    child,
    decapitalised,
    described,
    inflected,
    is_person,
    plural,
    subtree,
    text_at,
    unbroken,
    words_of,
)
from engine.backends.text.word_lists import NO_OWNER, PROFESSIONS, ROLES, STATES

# Participles that are prepositions, or that no "which" may open.
PREPOSITIONS = frozenset("including following according regarding concerning using being having during pending".split())
STATIVE = frozenset("be have know seem need like love hate think believe want".split())
# What is no person, whatever its name looks like.
THING_NOUNS = frozenset(
    "album animal article band book building capital city club company country event film game island lake movie novel "
    "painting poem river seat series ship show single song team town village".split()
)
# What makes one thing another: "They made the town, then called X, the capital" says nothing of X alone.
MAKING = frozenset("appoint call consider crown declare dub elect make name proclaim render".split())
# What stands where it is: "an island in X" is one that is located there. A team or a school of thought is not.
STANDING = frozenset(
    "airport bay beach borough bridge building canal castle cathedral church city college commune county desert "
    "district forest harbour hospital hotel island lake library lighthouse monastery mountain museum neighborhood "
    "neighbourhood palace park peninsula prison province restaurant stadium station suburb temple theater theatre "
    "tower town township valley village volcano waterfall waterway".split()
)
PLACES_IN = frozenset("city town country state region place area cell nucleus body district park building room".split())


def opened_apposition(sentence: Span) -> Iterator[str]:
    """Yield an apposition as a relative clause: "X, a river in Y, rises" to "X, which is a river in Y, rises"."""
    was = "was" if sentence.root.tag_ in {"VBD", "VBN"} else "is"
    for token in sentence:
        person = is_person(token.head) if token.lemma_ not in THING_NOUNS else False
        if token.dep_ != "appos" or person is None or any(verb.lemma_ in MAKING for verb in token.ancestors):
            continue
        first = token.left_edge
        alone = first.i > 0 and text_at(sentence.doc, first.i - 1) == "," and first.lower_ in {"a", "an", "the"}
        after = sentence.doc[token.right_edge.i + 1 :][:2].text.lower()
        listed = after.startswith(", and") or after.startswith(", or")
        closed = after == "" or after[0] in ",.;)"
        one = token.pos_ == "NOUN" and not plural(token) and not plural(token.head)
        if alone and one and closed and not listed:
            yield around(sentence, first.i, first.i, "who" if person else "which", was)


def closed_apposition(sentence: Span) -> Iterator[str]:
    """Yield a relative clause as an apposition: "X, who was a painter, came" to "X, a painter, came"."""
    doc = sentence.doc
    for verb in sentence:
        if verb.dep_ != "relcl" or verb.lemma_ != "be" or verb.tag_ not in {"VBZ", "VBD"}:
            continue
        who, what = verb.left_edge, child(verb, "attr")
        bare = who.lower_ in {"who", "which"} and verb.i == who.i + 1 and text_at(doc, who.i - 1) == ","
        if bare and what is not None and what.left_edge.i == verb.i + 1 and what.left_edge.lower_ in {"a", "an", "the"}:
            yield around(sentence, who.i, verb.i + 1)


def opened_participle(sentence: Span) -> Iterator[str]:
    """Yield a participle as a relative clause: "a city located in X" to "a city that is located in X"."""
    doc, past = sentence.doc, in_past(sentence.root)
    for verb in sentence:
        noun = verb.head
        if verb.dep_ != "acl" or verb.tag_ != "VBN" or noun.pos_ not in NOUNS or not any(verb.rights):
            continue
        apart = text_at(doc, verb.i - 1) == ","
        if verb.left_edge.i != verb.i or noun.i != verb.i - 1 - apart:
            continue
        person = is_person(described(noun))
        future = any(part.tag_ == "MD" for part in sentence.root.children)
        if (apart and person is None) or future or text_at(sentence.doc, verb.i + 1).lower() == "from":
            continue
        link = "that" if not apart else "who" if person else "which"
        many, state = plural(noun), verb.lemma_ in STATES and not past
        helper = ("are" if many else "is") if state else ("were" if many else "was")
        yield around(sentence, verb.i, verb.i, link, helper)


def in_past(root: Token) -> bool:
    """Return whether a sentence speaks of the past: "was said" does, "is said" does not."""
    helper = next((part for part in root.lefts if part.dep_ in {"aux", "auxpass"}), root)
    return helper.tag_ in {"VBD", "VBN"}


def closed_participle(sentence: Span) -> Iterator[str]:
    """Yield a passive relative clause as a participle: "a film that was made by X" to "a film made by X"."""
    for verb in sentence:
        who, helper = child(verb, "nsubjpass"), child(verb, "auxpass")
        if verb.dep_ != "relcl" or verb.tag_ != "VBN" or who is None or helper is None:
            continue
        plain = helper.lower_ in {"is", "are", "was", "were"} and helper.i == who.i + 1 and verb.i == helper.i + 1
        if plain and who.lower_ in {"that", "which", "who"}:
            yield around(sentence, who.i, verb.i)


def opened_possessive(sentence: Span) -> Iterator[str]:
    """Yield a possessive with "of": "France's longest river" to "the longest river of France"."""
    doc = sentence.doc
    for owner in sentence:
        if owner.dep_ != "poss" or owner.pos_ not in NOUNS:
            continue
        mark, thing = child(owner, "case"), owner.head
        owned, whole = subtree(owner)[:-1], doc[owner.left_edge.i : thing.i + 1]
        if mark is None or thing.pos_ != "NOUN" or not thing.is_lower or mark.i != owner.right_edge.i:
            continue
        of = any(part.dep_ == "prep" and part.lower_ == "of" for part in thing.children)
        before = doc[whole.start - 1] if whole.start > sentence.start else None
        shared = before is not None and before.pos_ in {"DET", "PRON", "NUM", "ADJ"}
        if before is not None and before.lower_ == "of" and before.i and before.nbor(-1).text[:1].isupper():
            continue  # "the Prince of Wales's son"
        if text_at(doc, whole.end).lower() in {"and", "or"}:
            continue  # "Aibak's successor and son-in-law Iltutmish"
        if of or len(whole) > 9 or not unbroken(owned) or shared or owner.tag_ == "NNS" or mark.nbor().lower_ == "own":
            continue
        name = decapitalised(owned) if owned[0].i == sentence.start else words_of(owned)
        yield around(sentence, whole.start, whole.end, "the", words_of(doc[mark.i + 1 : whole.end]), "of", name)


def closed_possessive(sentence: Span) -> Iterator[str]:
    """Yield "of" as a possessive: "the capital of France" to "France's capital"; of names and of one known thing."""
    doc = sentence.doc
    for thing in sentence:
        of = next((part for part in thing.children if part.dep_ == "prep" and part.lower_ == "of"), None)
        owner = child(of, "pobj") if of is not None else None
        article_ = child(thing, "det")
        if owner is None or of is None or article_ is None or thing.pos_ != "NOUN" or thing.lemma_ in NO_OWNER:
            continue
        name = subtree(owner)
        named = owner.ent_type_ in {"PERSON", "GPE", "ORG"} and all(part.pos_ == "PROPN" for part in name)
        named = named or is_known_one(owner, name)
        whole = doc[article_.i : owner.i + 1]
        plain = article_.lower_ == "the" and of.i == thing.i + 1 and name[0].i == of.i + 1 and whole[-1] == name[-1]
        if named and plain and len(name) <= 3 and article_ == thing.left_edge and text_at(doc, owner.i + 1) != "'s":
            mark = "'" if name[-1].text.endswith("s") else "'s"
            yield around(sentence, whole.start, whole.end, words_of(name) + mark, words_of(doc[article_.i + 1 : of.i]))


def is_known_one(owner: Token, said: Sequence[Token]) -> bool:
    """Return whether an owner is one thing known before, "the film", and is not described further."""
    return owner.tag_ == "NN" and len(said) == 2 and said[0].lower_ == "the" and owner.ent_type_ == ""


def located_said(sentence: Span) -> Iterator[str]:
    """Yield "located" before the place of what stands there: "X is a lake in Y" to "X is a lake located in Y"."""
    root, thing = sentence.root, child(sentence.root, "attr")
    if root.lemma_ != "be" or root.tag_ not in {"VBZ", "VBD"} or thing is None or thing.lower_ not in STANDING:
        return
    for link in thing.children:
        place = child(link, "pobj") if link.dep_ == "prep" and link.lower_ in {"in", "near", "on"} else None
        if place is not None and place.ent_type_ in {"GPE", "LOC", "FAC"} and link.i == thing.i + 1:
            yield around(sentence, link.i, link.i, "located")


def title_behind_name(sentence: Span) -> Iterator[str]:
    """Yield a profession behind the name: "by American singer Lou Rawls" to "by Lou Rawls, an American singer"."""
    doc = sentence.doc
    for person in [one for one in sentence.ents if all(token.pos_ == "PROPN" for token in one)]:
        first, end = person.start, person.end
        title = doc[first - 1] if first > sentence.start else None
        if title is None or title.lower_ not in PROFESSIONS or title.text[0].isupper() or title.ent_type_:
            continue
        start = title.i
        while start > sentence.start and before_title(doc[start - 1]):
            start -= 1
        opening = doc[start - 1] if start > sentence.start else None
        free = opening is None or opening.pos_ in {"ADP", "VERB"} or opening.lower_ in {"the", "that"}
        name = doc[end - 1]
        after = doc[end] if end < len(doc) else None
        shared = any(part.dep_ in {"conj", "case", "appos", "relcl"} for part in (*name.children, *title.children))
        if not free or shared or name.dep_ == "conj" or after is None or not ends_name(after):
            continue
        the = opening is not None and opening.lower_ == "the"
        said = words_of(doc[start : title.i + 1])
        if start == sentence.start:
            said = decapitalised(list(doc[start : title.i + 1]))
        lead = "the" if the else "an" if said[:1].lower() in "aeio" else "a"
        close = "" if after.is_punct else ","
        yield around(sentence, start - the, end, f"{words_of(person)}, {lead} {said}{close}")


def before_title(word: Token) -> bool:
    """Return whether a word before a profession describes it: "American", "film", "rock"."""
    return word.pos_ in {"ADJ", "NOUN"} or word.ent_type_ in {"NORP", "GPE"} or (word.text == "-" and word.i > 0)


def ends_name(after: Token) -> bool:
    """Return whether a name ends where a word follows it, and no possessive, second name or noun goes on."""
    return after.lower_ in {".", ",", ";"} or after.pos_ in {"VERB", "AUX", "ADP", "SCONJ", "PRON"}


def opened_doing(sentence: Span) -> Iterator[str]:
    """Yield what does something as a relative clause: "a club playing in X" to "a club that plays in X"."""
    helper = next((part for part in sentence.root.lefts if part.dep_ in {"aux", "auxpass"}), sentence.root)
    past = helper.tag_ == "VBD"
    for verb in sentence:
        noun = verb.head
        if verb.dep_ != "acl" or verb.tag_ != "VBG" or noun.pos_ not in NOUNS or verb.lower_ in PREPOSITIONS:
            continue
        apart = text_at(sentence.doc, verb.i - 1) == "," and noun.dep_ in {"nsubj", "nsubjpass"}
        if verb.left_edge != verb or noun.i != verb.i - 1 - apart or not any(verb.rights) or verb.lemma_ in STATIVE:
            continue
        form = inflected(verb.lemma_, "VBD" if past else "VBP" if plural(noun) else "VBZ")
        if form and noun.pos_ == "NOUN" and finite_form(helper):
            person = is_person(described(noun)) or noun.lemma_ in ROLES
            link = "who" if person else "which" if apart else "that"
            yield around(sentence, verb.i, verb.i + 1, link, form)


def finite_form(verb: Token) -> bool:
    """Return whether a verb has a tense of its own."""
    return verb.tag_ in {"VBD", "VBZ", "VBP"}


def closed_doing(sentence: Span) -> Iterator[str]:
    """Yield a relative clause in the present as a participle: "a club that plays in X" to "a club playing in X"."""
    for verb in sentence:
        who = verb.left_edge
        plain = verb.dep_ == "relcl" and verb.tag_ in {"VBZ", "VBP"} and who.dep_ == "nsubj" and verb.i == who.i + 1
        if not plain or who.lower_ not in {"that", "which", "who"} or verb.lemma_ in STATIVE or not any(verb.rights):
            continue
        if verb.head.i != who.i - 1 or verb.pos_ != "VERB" or child(verb, "conj", "neg", "ccomp") is not None:
            continue
        form = inflected(verb.lemma_, "VBG")
        if form:
            yield around(sentence, who.i, verb.i + 1, form)


def where_as_in_which(sentence: Span) -> Iterator[str]:
    """Yield "where" of a place as "in which": "the cell, where DNA is held" to "the cell, in which DNA is held"."""
    doc = sentence.doc
    for word in sentence:
        clause = word.head
        if word.lower_ != "where" or word.dep_ != "advmod" or clause.dep_ != "relcl" or clause.left_edge != word:
            continue
        noun = clause.head
        inside = noun.ent_type_ == "GPE" or noun.lower_ in PLACES_IN
        if inside and noun.i in {word.i - 1, word.i - 2} and (noun.i == word.i - 1 or text_at(doc, word.i - 1) == ","):
            yield around(sentence, word.i, word.i + 1, "in which")


def in_which_as_where(sentence: Span) -> Iterator[str]:
    """Yield "in which" as "where", or as "when" of a time: "a process in which gas …" to "a process where gas …"."""
    for which in sentence:
        link = which.head
        if which.lower_ != "which" or which.dep_ != "pobj" or link.lower_ not in {"in", "at"} or link.i != which.i - 1:
            continue
        clause = link.head
        noun = clause.head
        if clause.dep_ == "relcl" and clause.left_edge == link and noun.pos_ == "NOUN" and link.i > noun.i:
            when = noun.ent_type_ in {"DATE", "TIME"} or noun.lower_ in {"year", "period", "era", "day", "season"}
            yield around(sentence, link.i, which.i + 1, "when" if when else "where")


def opened_adjective(sentence: Span) -> Iterator[str]:
    """Yield an adjective behind its noun as a clause: "a river full of fish" to "a river that is full of fish"."""
    past = sentence.root.tag_ in {"VBD", "VBN"}
    for word in sentence:
        noun = word.head
        if word.pos_ != "ADJ" or word.dep_ not in {"amod", "acl"} or word.i != noun.i + 1 or not any(word.rights):
            continue
        if noun.pos_ == "NOUN" and word.left_edge == word and not past and finite_form(sentence.root):
            yield around(sentence, word.i, word.i, "that", "are" if plural(noun) else "is")


def closed_adjective(sentence: Span) -> Iterator[str]:
    """Yield a clause with "is" as an adjective: "a sum, which is equal to X" to "a sum, equal to X"."""
    for verb in sentence:
        who, what = verb.left_edge, child(verb, "acomp")
        plain = verb.dep_ == "relcl" and verb.lemma_ == "be" and verb.tag_ in {"VBZ", "VBP", "VBD"} and what is not None
        if not plain or what is None or who.lower_ not in {"that", "which", "who"} or verb.i != who.i + 1:
            continue
        if what.left_edge.i == verb.i + 1 and what.left_edge == what and any(what.rights) and what.tag_ == "JJ":
            yield around(sentence, who.i, verb.i + 1)
