"""Rules that make two sentences of one, or one clause of two: coordination, relative clauses, appositions."""

from __future__ import annotations

from collections.abc import Iterator

from engine.backends.text.parser import Span, Token
from engine.backends.text.sentence_parts import (
    NOUNS,
    around,
    body,
    child,
    decapitalised,
    inflected,
    is_person,
    joined,
    plural,
    sentence_of,
    starts_with_phrase,
    subject_of,
    subtree,
    text_at,
    unbroken,
    words_of,
)

VERBS = frozenset({"VERB", "AUX"})
LONGEST_REPEATED = 8
KNOWN = frozenset("the this that these those his her its their our my he she it they we i".split())
# What does not say that something else happened as well, or looks like a participle and is none.
NO_SECOND_DEED = frozenset("be have follow include accord regard concern consider depend use begin start".split())


def split_clauses(sentence: Span) -> Iterator[str]:
    """Yield two clauses as two sentences: "A rose, and B fell" to "A rose. B fell", with "However" for "but"."""
    root, doc = sentence.root, sentence.doc
    for second in [part for part in root.children if part.dep_ == "conj" and part.pos_ in VERBS]:
        link = next((part for part in root.children if part.dep_ == "cc" and part.i < second.left_edge.i), None)
        subject, clause = subject_of(second), [token for token in subtree(second) if token in body(sentence)]
        if link is None or subject is None or clause[0].i != link.i + 1 or not has_tense(second):
            continue
        comma = text_at(doc, link.i - 1) == ","
        if not comma and (starts_with_phrase(sentence) or link.lower_ != "and" or subject.left_edge != clause[0]):
            continue
        if link.lower_ not in {"and", "but"} or clause[-1] != body(sentence)[-1] or not unbroken(clause):
            continue
        first = words_of(doc[sentence.start : link.i - comma])
        lead = "However," if link.lower_ == "but" else ""
        rest = words_of(clause) if not lead else decapitalised(clause)
        yield joined(first, f"{lead} {rest}".strip())


def has_tense(verb: Token) -> bool:
    """Return whether a verb, or its first helper, is finite."""
    helper = next((part for part in verb.lefts if part.dep_ in {"aux", "auxpass"}), verb)
    return helper.tag_ in {"VBD", "VBZ", "VBP", "MD"}


def split_subject(sentence: Span) -> Iterator[str]:
    """Yield two statements of one subject as two sentences: "X rose and fell" to "X rose. X fell"; so with "who"."""
    root, doc, tokens = sentence.root, sentence.doc, body(sentence)
    subject = subject_of(root)
    if subject is None or starts_with_phrase(sentence) or not can_be_repeated(subject):
        return
    said = words_of(subtree(subject))
    for second in [part for part in root.children if part.dep_ == "conj" and part.pos_ in VERBS]:
        helper = finite_helper(root, second)
        start = min(part.i for part in (second, *second.lefts))
        before = doc[start - 1]
        alone = all(part.dep_ in {"cc", "conj", "punct"} for part in root.rights)  # "made and sold toys"
        if subject_of(second) or helper is None or before.lower_ not in {"and", ","} or alone:
            continue
        if second.right_edge == tokens[-1] and second.i > root.i:
            rest = words_of(doc[start : tokens[-1].i + 1])
            yield joined(words_of(doc[sentence.start : before.i]), f"{said} {helper} {rest}".replace("  ", " "))
    attribute = child(root, "attr")
    some = attribute is not None and attribute.left_edge.lower_ in {"a", "an"}
    clause = child(attribute, "relcl") if attribute is not None and some else None
    if clause is not None and root.lemma_ == "be" and clause.right_edge == tokens[-1] and not plural(subject):
        who = clause.left_edge
        if who.lower_ in {"who", "which", "that"} and who.dep_ in {"nsubj", "nsubjpass"} and has_tense(clause):
            yield joined(words_of(doc[sentence.start : who.i]), f"{said} {words_of(doc[who.i + 1 : tokens[-1].i + 1])}")


def can_be_repeated(subject: Token) -> bool:
    """Return whether a subject said twice is the same thing twice: a name, a pronoun, "the …", no "a …" or "some …"."""
    said = subtree(subject)
    known = said[0].lower_ in KNOWN or (said[0].pos_ == "PROPN" and subject.pos_ == "PROPN")
    return known and len(said) <= LONGEST_REPEATED and unbroken(said) and "," not in {token.text for token in said}


def finite_helper(root: Token, second: Token) -> str | None:
    """Return the helper that a second verb needs in a sentence of its own: "" for a finite one, None where unclear."""
    after = second.nbor().lower_ if second.i + 1 < len(second.doc) else ""
    if second.tag_ == "VBD" and after in {"to", "by", "as"} and inflected(second.lemma_, "VBN") == second.lower_:
        return None  # "is sentenced and sent to": the parser takes a participle for a past
    if has_tense(second) and second.tag_ != "VBN":
        return "" if agrees(root, second) else None
    shared = [part for part in root.lefts if part.dep_ in {"aux", "auxpass"}]
    own = [part for part in second.lefts if part.dep_ in {"aux", "auxpass"}]
    if own:
        return "" if has_tense(second) else None
    same_form = second.tag_ == root.tag_ == "VBN" and shared and shared[-1].i < root.i
    return " ".join(part.text for part in shared) if same_form else None


def agrees(root: Token, second: Token) -> bool:
    """Return whether a second verb can have the subject of the first: "It led", not "It lead"."""
    if second.tag_ == "VBD":
        return bool(second.lemma_ == "be" or inflected(second.lemma_, "VBD") == second.lower_)
    first = next((part for part in root.lefts if part.dep_ in {"aux", "auxpass"}), root)
    return bool({"VBP": first.tag_ == "VBP", "VBZ": first.tag_ != "VBP"}.get(second.tag_, True))


def split_relative_clause(sentence: Span) -> Iterator[str]:
    """Yield a closing relative clause as a sentence: "…, X, which fell." to "…, X. X fell."; of names and "the …"."""
    doc, tokens = sentence.doc, body(sentence)
    for verb in sentence:
        noun, who = verb.head, verb.left_edge
        the = noun.pos_ == "NOUN" and noun.left_edge.lower_ == "the"
        if (
            verb.dep_ != "relcl"
            or verb.right_edge != tokens[-1]
            or not (the or (noun.ent_type_ and noun.pos_ == "PROPN"))
        ):
            continue
        if noun.dep_ == "pobj" and noun.head.head.pos_ in NOUNS:
            continue  # "an orchestra from Java, which impressed": whether it was Java is open
        alone = who.lower_ in {"who", "which"} and who.dep_ in {"nsubj", "nsubjpass"} and text_at(doc, who.i - 1) == ","
        name = [token for token in doc[noun.left_edge.i : who.i - 1] if the or token.ent_type_ or token.pos_ == "DET"]
        if alone and name and name[-1] == noun and noun.i == who.i - 2:
            said = f"{words_of(name)} {words_of(doc[who.i + 1 : tokens[-1].i + 1])}"
            yield joined(words_of(doc[sentence.start : who.i - 1]), said)


def split_subject_clause(sentence: Span) -> Iterator[str]:
    """Yield what a clause says of the subject as a sentence: "X, who fell, rose." to "X rose. X fell."."""
    root, doc, tokens = sentence.root, sentence.doc, body(sentence)
    subject = subject_of(root)
    clause = child(subject, "relcl") if subject is not None else None
    if subject is None or clause is None or starts_with_phrase(sentence) or plural(subject):
        return
    who, last = clause.left_edge, clause.right_edge
    name = doc[sentence.start : who.i - 1]
    alone = text_at(doc, who.i - 1) == "," and text_at(doc, last.i + 1) == "," and who.lower_ in {"who", "which"}
    if not alone or who.dep_ not in {"nsubj", "nsubjpass"} or last.i > root.i or len(name) > LONGEST_REPEATED:
        return
    if name[-1] == subject and (name[0].pos_ == "PROPN" or name[0].lower_ in KNOWN):
        rest = [token for token in tokens if token.i > last.i + 1]
        yield joined(f"{words_of(name)} {words_of(rest)}", f"{words_of(name)} {words_of(doc[who.i + 1 : last.i + 1])}")


def split_apposition(sentence: Span) -> Iterator[str]:
    """Yield what the subject is as a sentence: "X, a river in Y, rises." to "X is a river in Y. X rises."."""
    root, doc, tokens = sentence.root, sentence.doc, body(sentence)
    subject = subject_of(root)
    what = child(subject, "appos") if subject is not None else None
    if subject is None or what is None or starts_with_phrase(sentence) or plural(subject) or plural(what):
        return
    first, last = what.left_edge, what.right_edge
    name = doc[sentence.start : first.i - 1]
    alone = text_at(doc, first.i - 1) == "," and text_at(doc, last.i + 1) == "," and first.lower_ in {"a", "an", "the"}
    before = len(name) and name[-1] == subject and subject.i < first.i and last.i < root.i
    named = subject.pos_ == "PROPN" and len(name) <= LONGEST_REPEATED and is_person(subject) is not None
    if alone and before and named and what.pos_ == "NOUN":
        verb = "was" if sentence.root.tag_ in {"VBD", "VBN"} else "is"
        rest = [token for token in tokens if token.i > last.i + 1]
        said = words_of(name)
        yield joined(f"{said} {verb} {words_of(doc[first.i : last.i + 1])}", f"{said} {words_of(rest)}")


def identity_to_apposition(sentence: Span) -> Iterator[str]:
    """Yield what something is as an apposition: "X is a club that plays in Y." to "X, a club, plays in Y."."""
    root, doc, tokens = sentence.root, sentence.doc, body(sentence)
    subject, what = child(root, "nsubj"), child(root, "attr")
    if subject is None or what is None or root.lemma_ != "be" or root.tag_ not in {"VBZ", "VBD"}:
        return
    clause = child(what, "relcl")
    if clause is None or clause.right_edge != tokens[-1] or starts_with_phrase(sentence) or plural(subject):
        return
    who = clause.left_edge
    name, said = subtree(subject), list(doc[what.left_edge.i : who.i])
    while said and said[-1].text == ",":
        said.pop()
    plain = who.lower_ in {"who", "which", "that"} and who.dep_ in {"nsubj", "nsubjpass"} and has_tense(clause)
    known = subject.pos_ == "PROPN" and name[0] == sentence[0] and name[-1].i + 1 == root.i and unbroken(name)
    some = bool(said) and what.left_edge.i == root.i + 1 and what.left_edge.lower_ in {"a", "an"}
    if plain and known and some and not any(part.dep_ in {"neg", "advmod"} for part in root.children):
        named = words_of(name) + ("" if name[-1].text == "," else ",")
        yield sentence_of(f"{named} {words_of(said)},", words_of(doc[who.i + 1 : tokens[-1].i + 1]))


def participle_to_clause(sentence: Span) -> Iterator[str]:
    """Yield a closing participle joined by "and": "X won, scoring two goals." to "X won and scored two goals."."""
    root, doc, tokens = sentence.root, sentence.doc, body(sentence)
    helper = next((part for part in root.lefts if part.dep_ in {"aux", "auxpass"}), root)
    if helper.tag_ != "VBD" or root.lemma_ == "be" or subject_of(root) is None:
        return
    if any(part.dep_ == "conj" and part.pos_ in VERBS for part in root.subtree):
        return
    for verb in root.rights:
        first = verb.left_edge
        plain = verb.dep_ == "advcl" and verb.tag_ == "VBG" and first == verb and verb.lemma_ not in NO_SECOND_DEED
        if not plain or verb.right_edge != tokens[-1] or text_at(doc, verb.i - 1) != ",":
            continue
        form = inflected(verb.lemma_, "VBD")
        if form and not any(part.dep_ in {"mark", "neg"} for part in verb.children):
            yield around(sentence, verb.i - 1, verb.i + 1, "and", form)
