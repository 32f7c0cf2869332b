"""Rules that move a part of the sentence: phrases, clauses and adverbs to the front or end, identities, clefts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.backends.text.parser import Span, Token
from engine.backends.text.sentence_parts import (
    NOUNS,
    TIMES,
    body,
    child,
    closed,
    conjoined,
    decapitalised,
    phrase_kind,
    plural,
    sentence_of,
    starts_with_phrase,
    subject_of,
    subtree,
    text_at,
    unbroken,
    verbs_between,
    words_of,
)
from engine.backends.text.voice_rules import by_phrase
from engine.backends.text.word_lists import (
    CLAUSE_OPENINGS,
    FREE_ADVERBS,
    FREE_PHRASES,
    INSERTIONS,
    JOINING_ADVERBS,
    SET_APART_BY,
    SET_APART_IN_FRONT,
    SET_PHRASES,
    STATES,
)

LONGEST_MOVED, LONGEST_SET_APART = 16, 12
THIRD_PERSON = frozenset("he she it they him her them his its their".split())
SAYS_WHEN = frozenset("in on at during from since until by after before for throughout between within".split())
# Their place decides what they say something of.
BOUND_ADVERBS = frozenset("only even just never merely still already mainly mostly largely hardly not".split())


def phrase_to_front(sentence: Span) -> Iterator[str]:
    """Yield the sentence with its last phrase of time or place in front: "X rose in 1889" to "In 1889, X rose"."""
    root, tokens = sentence.root, body(sentence)
    phrase = next((p for p in reversed(list(root.children)) if p.dep_ == "prep" and p.right_edge == tokens[-1]), None)
    if phrase is None or phrase.i < root.i or starts_with_phrase(sentence) or conjoined(root):
        return
    moved = subtree(phrase)
    kind = phrase_kind(phrase)
    placed = root.lemma_ == "be" or root.lemma_ in STATES or not (child(root, "dobj", "nsubjpass"))
    if len(moved) > LONGEST_MOVED or not unbroken(moved) or bound(root):
        return
    timely = kind == "time" and phrase.lower_ in SAYS_WHEN
    if not (timely or (kind == "place" and not placed) or opens_freely(moved)):
        return
    rest = tokens[: -len(moved)]
    if verbs_between(sentence, root.i + 1, moved[0].i) or rest[-1].is_punct or rest[-1].lower_ in {"and", "or"}:
        return
    dated = any(token.ent_type_ in TIMES for token in rest if token.i > root.i or kind == "time")
    if not dated and not looks_back(moved, rest):
        yield sentence_of(f"{words_of(moved)},", decapitalised(rest))


def opens_freely(moved: Sequence[Token]) -> bool:
    """Return whether a phrase says when, why or despite what, whatever word it hangs on: "during …", "as part of …"."""
    first = moved[0].lower_
    two = f"{first} {moved[1].lower_}" if len(moved) > 1 else first
    return first in FREE_PHRASES or two in FREE_PHRASES


def bound(verb: Token) -> bool:
    """Return whether a verb is denied, or has an adverb whose place matters."""
    return any(part.dep_ == "neg" or part.lower_ in BOUND_ADVERBS for part in verb.children)


def looks_back(first: Sequence[Token], second: Sequence[Token]) -> bool:
    """Return whether a pronoun in what comes first now may stand for a name or thing that comes only after it."""
    pronouns = [token for token in first if token.lower_ in THIRD_PERSON]
    return bool(pronouns) and any(token.pos_ == "PROPN" or token.dep_ in {"nsubj", "nsubjpass"} for token in second
                                  if token.pos_ in NOUNS)  # fmt: skip


def phrase_to_end(sentence: Span) -> Iterator[str]:
    """Yield the sentence with its opening phrase at the end: "In 1889, X rose" to "X rose in 1889"."""
    root, tokens = sentence.root, body(sentence)
    opening = tokens[0] if tokens[0].dep_ == "prep" and tokens[0].head == root else None
    subject = subject_of(root) or child(root, "expl")
    if opening is None or subject is None or conjoined(root):
        return
    moved = subtree(opening)
    behind = moved[-1].i + 1
    if phrase_kind(opening) is None and not opens_freely(moved):
        return
    if not unbroken(moved) or behind >= tokens[-1].i or bound(root):
        return
    comma = text_at(sentence.doc, behind) == ","
    rest = [token for token in tokens if token.i >= behind + comma]
    if not comma and (len(moved) > 3 or phrase_kind(opening) != "time"):
        return
    if verbs_between(sentence, root.i + 1, tokens[-1].i + 1) or any(token.text == "," for token in rest):
        return
    if not looks_back(rest, moved) and rest[0] == subject.left_edge:
        yield sentence_of(words_of(rest), decapitalised(moved))


def phrase_behind_subject(sentence: Span) -> Iterator[str]:
    """Yield what opens the sentence behind the subject: "Born in X, Y rose" to "Y, born in X, rose"."""
    root, tokens = sentence.root, body(sentence)
    subject = subject_of(root)
    opening = next((part for part in root.lefts if part.left_edge == tokens[0] and part != subject), None)
    if subject is None or opening is None or subject.pos_ not in NOUNS:
        return
    moved, named = subtree(opening), subtree(subject)
    behind = moved[-1].i + 1
    if not can_be_inserted(opening, moved) or not unbroken(moved) or not unbroken(named):
        return
    known = named[0].pos_ == "PROPN" or named[0].tag_ in {"DT", "PRP$", "NNS"}
    plain = "," not in {token.text for token in (*moved, *named)} and len(named) <= LONGEST_SET_APART
    if text_at(sentence.doc, behind) == "," and named[0].i == behind + 1 and known and plain:
        rest = [token for token in tokens if token.i > named[-1].i]
        yield sentence_of(f"{words_of(named)},", f"{decapitalised(moved)},", words_of(rest))


def can_be_inserted(opening: Token, moved: Sequence[Token]) -> bool:
    """Return whether an opening may stand between commas behind the subject: a participle, a clause, "however"."""
    first = moved[0].lower_
    two = f"{first} {moved[1].lower_}" if len(moved) > 1 else first
    if opening.dep_ in {"advcl", "prep"} and (moved[0].tag_ in {"VBN", "VBG"} or child(opening, "pcomp") is not None):
        return True
    if opening.dep_ == "advcl":
        return first in CLAUSE_OPENINGS and len(moved) <= LONGEST_SET_APART
    if opening.dep_ == "advmod":
        return first in JOINING_ADVERBS and len(moved) == 1
    return opening.dep_ == "prep" and (first in INSERTIONS or two in INSERTIONS) and len(moved) <= LONGEST_SET_APART


def participle_to_front(sentence: Span) -> Iterator[str]:
    """Yield a participle behind the subject in front: "Y, born in X, rose" to "Born in X, Y rose"."""
    root, tokens, doc = sentence.root, body(sentence), sentence.doc
    subject = subject_of(root)
    if subject is None or starts_with_phrase(sentence):
        return
    for part in (*subject.rights, *root.lefts):
        moved = subtree(part)
        if part.tag_ != "VBN" or part.dep_ not in {"acl", "advcl"} or moved[0] != part or not unbroken(moved):
            continue
        alone = text_at(doc, part.i - 1) == "," and text_at(doc, moved[-1].i + 1) == "," and subject.i < part.i < root.i
        named = [token for token in tokens if token.i < part.i - 1]
        rest = [token for token in tokens if token.i > moved[-1].i + 1]
        if alone and len(moved) > 1 and named[-1] == subject and "," not in {token.text for token in (*moved, *named)}:
            yield sentence_of(f"{words_of(moved)},", decapitalised(named), words_of(rest))


def clauses_swapped(sentence: Span) -> Iterator[str]:
    """Yield main and subordinate clause the other way round: "When A, B" to "B when A", and back."""
    root, tokens = sentence.root, body(sentence)
    for clause in [part for part in root.children if part.dep_ == "advcl"]:
        moved = subtree(clause)
        opens = moved[0].lower_ in CLAUSE_OPENINGS and subject_of(clause)
        aim = moved[0].tag_ == "TO" and clause.tag_ == "VB" and root.pos_ == "VERB" and child(root, "dobj") is not None
        if not unbroken(moved) or not (opens or aim):
            continue
        if moved[0] == tokens[0] and text_at(sentence.doc, moved[-1].i + 1) == ",":
            rest = [token for token in tokens if token.i > moved[-1].i + 1]
            later_verbs = verbs_between(sentence, root.i + 1, rest[-1].i + 1)
            if not conjoined(root) and not later_verbs and not looks_back(rest, moved):
                yield sentence_of(words_of(rest), decapitalised(moved))
        elif moved[-1] == tokens[-1] and not starts_with_phrase(sentence) and not joined_before(root, moved[0]):
            rest = [token for token in tokens if token.i < moved[0].i]
            yield sentence_of(f"{words_of(moved)},", decapitalised(rest))


def joined_before(root: Token, clause: Token) -> bool:
    """Return whether a second verb shares the sentence before a clause begins, or behind one without a comma."""
    apart = clause.i > 0 and clause.nbor(-1).text == ","
    verbs = [part for part in root.sent if part.dep_ == "conj" and part.pos_ in {"VERB", "AUX"}]
    return conjoined(root) and not (apart and all(part.i > clause.i and part.head != root for part in verbs) and verbs)


def identity_swapped(sentence: Span) -> Iterator[str]:
    """Yield an identity the other way round: "X is the capital of Y" to "The capital of Y is X"."""
    root, tokens = sentence.root, body(sentence)
    subject, attribute = child(root, "nsubj"), child(root, "attr")
    if root.lemma_ != "be" or root.tag_ not in {"VBZ", "VBD", "VBP"} or subject is None or attribute is None:
        return
    left, right = subtree(subject), subtree(attribute)
    nouns = attribute.pos_ in NOUNS and attribute.lower_ != "one" and subject.pos_ in NOUNS
    known = right[0].lower_ == "the" or (attribute.pos_ == "PROPN" and attribute.ent_type_)
    one_of = subject.lower_ == "one" and len(left) > 1 and left[1].lower_ == "of" and attribute.pos_ == "PROPN"
    turnable = (nouns and known and plural(subject) == plural(attribute)) or one_of
    if not turnable or conjoined(root) or bound(root) or left[0].lower_ in {"a", "an", "there"}:
        return
    if left[0] != tokens[0] or right[-1] != tokens[-1] or not unbroken(left) or right[0].i != root.i + 1:
        return
    if left[-1].i + 1 == root.i:
        yield sentence_of(closed(words_of(right)), root.text, decapitalised(left))


def subject_set_apart(sentence: Span) -> Iterator[str]:
    """Yield the sentence with its subject set apart: "Curie won a prize" to "It was Curie who won a prize".

    What only says what or how something is stays: "It is Lyon that is a city" is hardly said.
    """
    root, tokens = sentence.root, body(sentence)
    subject = subject_of(root)
    if subject is None or subject.pos_ not in NOUNS or bound(root) or root.lemma_ == "be":
        return
    if any(part.dep_ == "conj" and subject_of(part) for part in sentence):
        return
    said = subtree(subject)
    said = with_quotes(said)
    before = [token for token in tokens if token.i < said[0].i]
    if before and not (before[-1].text == "," and before[0].dep_ == "prep" and phrase_kind(before[0]) == "time"):
        return
    named = said[0].pos_ == "PROPN" or said[0].lower_ in {"the", "this", "these", '"', "“"}
    if not named or said[-1].text in {",", "-", ")"} or not unbroken(said) or len(said) > LONGEST_SET_APART:
        return
    verb = first_verb(root)
    rest = [token for token in tokens if token.i > said[-1].i]
    link = "who" if subject.ent_type_ == "PERSON" else "that"
    if finite(verb) and rest[0].pos_ in {"VERB", "AUX", "ADV"} and "," not in {token.text for token in said}:
        yield sentence_of(words_of(before), "it" if before else "It", was(verb), decapitalised(said), link,
                          words_of(rest))  # fmt: skip


def with_quotes(said: list[Token]) -> list[Token]:
    """Return a phrase with the quotation marks around it, where both stand outside."""
    doc, first, last = said[0].doc, said[0].i, said[-1].i
    quoted = (
        first > 0 and last + 1 < len(doc) and doc[first - 1].text in {'"', "“"} and doc[last + 1].text in {'"', "”"}
    )
    return [doc[first - 1], *said, doc[last + 1]] if quoted else said


def phrase_set_apart(sentence: Span) -> Iterator[str]:
    """Yield a phrase of time, place or agent set apart: "She moved in 1891" to "It was in 1891 that she moved"."""
    root, tokens, doc = sentence.root, body(sentence), sentence.doc
    verb = first_verb(root)
    subject = subject_of(root)
    if root.pos_ not in {"VERB", "AUX"} or bound(root) or verb.tag_ == "VB" or subject is None or not tokens:
        return
    if any(part.dep_ == "conj" and part.pos_ in {"VERB", "AUX"} and subject_of(part) for part in root.children):
        return
    for phrase in root.children:
        moved = subtree(phrase)
        if not moved:
            continue
        opening = moved[0] == tokens[0]
        fitting = can_be_set_apart(phrase, root) or (opening and opens_apart(phrase))
        if not fitting or not unbroken(moved) or len(moved) > LONGEST_MOVED:
            continue
        if conjoined(root) and not opening:
            continue
        if not opening and (starts_with_phrase(sentence) or verbs_between(sentence, root.i + 1, moved[0].i)):
            continue
        ends = moved[-1] == tokens[-1] or text_at(doc, moved[-1].i + 1) != ","
        start = moved[-1].i + 1 if opening else sentence.start
        start += int(opening and text_at(doc, start) == ",")
        rest = [token for token in tokens if token.i >= start and (opening or token not in moved)]
        if not rest:
            continue
        whole = opening or (ends and text_at(doc, moved[0].i - 1) != "," and rest[-1].lower_ not in {"and", "or"})
        apart = decapitalised(moved)
        if whole and "," not in {token.text for token in moved[:-1]} and rest[0] == subject.left_edge:
            yield sentence_of("It", was(verb), apart, "that", decapitalised(rest))


def opens_apart(phrase: Token) -> bool:
    """Return whether an opening phrase says where, how or by what, and is no set phrase such as "in fact"."""
    target = child(phrase, "pobj")
    if phrase.dep_ != "prep" or phrase.lower_ not in SET_APART_IN_FRONT or target is None:
        return False
    return target.lower_ not in SET_PHRASES and phrase.i + 1 < len(phrase.doc)


def can_be_set_apart(phrase: Token, root: Token) -> bool:
    """Return whether "It was … that" may set a phrase apart: a time or place with its preposition, or an agent."""
    if phrase.dep_ == "agent":
        doer = child(phrase, "pobj")
        return (
            first_verb(root).tag_ == "VBD"
            and doer is not None
            and by_phrase(subtree(phrase), doer)
            and doer.pos_ in NOUNS
        )
    kind = phrase_kind(phrase) if phrase.dep_ == "prep" and phrase.lower_ in SET_APART_BY else None
    return kind == "time" or (kind == "place" and root.lemma_ != "be" and root.lemma_ not in STATES)


def adverb_to_front(sentence: Span) -> Iterator[str]:
    """Yield an adverb beside the verb in front: "It was originally released" to "Originally, it was released"."""
    root, tokens = sentence.root, body(sentence)
    subject = subject_of(root)
    if subject is None or starts_with_phrase(sentence) or conjoined(root) or bound(root):
        return
    for adverb in root.children:
        inside = adverb.dep_ == "advmod" and adverb.lower_ in FREE_ADVERBS and not any(adverb.children)
        near = subject.right_edge.i < adverb.i < root.i or adverb.i == root.i + 1 == first_verb(root).i + 1
        if inside and near and text_at(sentence.doc, adverb.i - 1) != ",":
            rest = [token for token in tokens if token != adverb]
            yield sentence_of(f"{adverb.text},", decapitalised(rest))


def adverb_to_verb(sentence: Span) -> Iterator[str]:
    """Yield an opening adverb beside the verb: "Originally, it was released" to "It was originally released"."""
    root, tokens = sentence.root, body(sentence)
    adverb, subject = tokens[0], subject_of(root)
    if adverb.dep_ != "advmod" or adverb.head != root or adverb.lower_ not in FREE_ADVERBS or any(adverb.children):
        return
    if subject is None or conjoined(root) or bound(root) or len(tokens) < 4:
        return
    start = 2 if tokens[1].text == "," else 1
    verb = first_verb(root)
    if tokens[start] == subject.left_edge and subject.i < verb.i:
        place = verb.i + 1 if verb.pos_ == "AUX" else verb.i
        before = [token for token in tokens[start:] if token.i < place]
        rest = [token for token in tokens[start:] if token.i >= place]
        if before and rest and not before[-1].is_punct:
            yield sentence_of(words_of(before), adverb.lower_, words_of(rest))


def first_verb(root: Token) -> Token:
    """Return the first helper of a verb, or the verb itself where it has none."""
    return next((part for part in root.lefts if part.dep_ in {"aux", "auxpass"}), root)


def finite(verb: Token) -> bool:
    """Return whether a verb has a tense."""
    return verb.tag_ in {"VBD", "VBZ", "VBP"}


def was(verb: Token) -> str:
    """Return "is" or "was", as a sentence that sets apart what a verb is said of begins."""
    return "was" if verb.tag_ == "VBD" else "is"
