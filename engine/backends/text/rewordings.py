"""The same sentence with its parts in another order: voice, clause order, apposition, by rules over the parse.

DENSE (section 4.1) asks a model to change the syntax and nothing else. A small model often cannot; what a sentence's
parse shows can be rearranged without it: passive and active, what stands in front, subordinate clauses, appositions
and relative clauses, possessives, pairs, clefts, and a few phrases that mean the same. Every rule looks for one
pattern that it knows to be safe and says nothing where it is not there. Word forms come from lemminflect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from engine.backends.text.base import Rewording
from engine.backends.text.parser import Doc, Span, Token
from engine.backends.text.phrases import with_other_phrases
from engine.backends.text.sentence_parts import (
    NOUNS,
    TIMES,
    around,
    article,
    body,
    cased,
    child,
    closed,
    conjoined,
    decapitalised,
    described,
    inflected,
    is_person,
    joined,
    own_words,
    phrase_kind,
    plural,
    sentence_of,
    starts_with_phrase,
    subject_of,
    subtree,
    unbroken,
    verbs_between,
    words_of,
)
from engine.backends.text.word_lists import (
    CLAUSE_OPENINGS,
    NO_OWNER,
    NO_PASSIVE,
    OBJECT_CASE,
    STATES,
    SUBJECT_CASE,
)
from engine.backends.text.word_rules import with_other_words

LONGEST_AGENT, LONGEST_MOVED = 14, 16
UNSAFE = re.compile(r"[;:?\n]|--|\s[–—]\s")
Rule = Callable[[Span], Iterator[str]]


def rewordings(doc: Doc) -> Iterator[Rewording]:
    """Yield rewordings of a text of one sentence by each rule in turn.

    Rules that move whole clauses look at plain sentences only; those that change one phrase also at a fragment, or at
    a sentence with a colon, semicolon or dash.
    """
    text = doc.text.strip()
    sentences = list(doc.sents)
    if len(sentences) == 1 and sentences[0].root.pos_ in {"VERB", "AUX"}:
        plain = text.endswith(".") and not UNSAFE.search(text)
        for name, rule in (*(CLAUSE_RULES if plain else ()), *PHRASE_RULES):
            yield from (Rewording(text=made, rule=name) for made in rule(sentences[0]) if made and made != text)
    yield from (Rewording(text=made, rule=name) for name, made in with_other_words(doc) if made != text)
    yield from with_other_phrases(text)


def phrase_to_front(sentence: Span) -> Iterator[str]:
    """Yield the sentence with its last phrase of time or place in front: "X rose in 1889" to "In 1889, X rose"."""
    root, tokens = sentence.root, body(sentence)
    phrase = next((p for p in reversed(list(root.children)) if p.dep_ == "prep" and p.right_edge == tokens[-1]), None)
    if phrase is None or phrase.i < root.i or starts_with_phrase(sentence):
        return
    moved = subtree(phrase)
    kind = phrase_kind(phrase)
    placed = root.lemma_ == "be" or root.lemma_ in STATES or not (child(root, "dobj", "nsubjpass"))
    if kind is None or (kind == "place" and placed) or len(moved) > LONGEST_MOVED or not unbroken(moved):
        return
    if verbs_between(sentence, root.i + 1, tokens[-1].i + 1) or conjoined(root):
        return
    rest = tokens[: -len(moved)]
    if rest[-1].is_punct or rest[-1].lower_ in {"and", "or"} or any(token.ent_type_ in TIMES for token in rest):
        return
    yield sentence_of(f"{words_of(moved)},", decapitalised(rest))


def phrase_to_end(sentence: Span) -> Iterator[str]:
    """Yield the sentence with its opening phrase at the end: "In 1889, X rose" to "X rose in 1889"."""
    root, tokens = sentence.root, body(sentence)
    opening = tokens[0] if tokens[0].dep_ == "prep" and tokens[0].head == root else None
    if opening is None or phrase_kind(opening) is None:
        return
    moved = subtree(opening)
    behind = moved[-1].i + 1
    if not unbroken(moved) or behind >= tokens[-1].i or sentence.doc[behind].text != ",":
        return
    if verbs_between(sentence, root.i + 1, tokens[-1].i + 1) or conjoined(root):
        return
    rest = [token for token in tokens if token.i > behind]
    if any(token.text == "," for token in rest):
        return
    yield sentence_of(words_of(rest), decapitalised(moved))


def phrase_behind_subject(sentence: Span) -> Iterator[str]:
    """Yield an opening participle behind the subject: "Born in X, Y rose" to "Y, born in X, rose"."""
    root, tokens = sentence.root, body(sentence)
    subject = subject_of(root)
    openings = (part for part in root.lefts if part.dep_ in {"advcl", "prep"} and part.left_edge == tokens[0])
    opening = next(openings, None)
    if subject is None or opening is None or subject.pos_ not in NOUNS:
        return
    moved, named = subtree(opening), subtree(subject)
    behind = moved[-1].i + 1
    loose = moved[0].tag_ in {"VBN", "VBG"} or child(opening, "pcomp") is not None
    if not loose or not unbroken(moved) or not unbroken(named) or sentence.doc[behind].text != ",":
        return
    if named[0].i == behind + 1 and "," not in {token.text for token in (*moved, *named)}:
        rest = [token for token in tokens if token.i > named[-1].i]
        yield sentence_of(f"{words_of(named)},", f"{decapitalised(moved)},", words_of(rest))


def clauses_swapped(sentence: Span) -> Iterator[str]:
    """Yield main and subordinate clause the other way round: "When A, B" to "B when A", and back."""
    root, tokens = sentence.root, body(sentence)
    for clause in [part for part in root.children if part.dep_ == "advcl"]:
        moved = subtree(clause)
        opens = moved[0].lower_ in CLAUSE_OPENINGS and subject_of(clause)
        aim = moved[0].tag_ == "TO" and clause.tag_ == "VB" and root.pos_ == "VERB" and child(root, "dobj") is not None
        if not unbroken(moved) or not (opens or aim):
            continue
        if moved[0] == tokens[0] and sentence.doc[moved[-1].i + 1].text == ",":
            rest = [token for token in tokens if token.i > moved[-1].i + 1]
            if not conjoined(root) and not verbs_between(sentence, root.i + 1, rest[-1].i + 1):
                yield sentence_of(words_of(rest), decapitalised(moved))
        elif moved[-1] == tokens[-1] and not starts_with_phrase(sentence) and not conjoined(root):
            rest = [token for token in tokens if token.i < moved[0].i]
            yield sentence_of(f"{words_of(moved)},", decapitalised(rest))


def passive_to_active(sentence: Span) -> Iterator[str]:
    """Yield a passive sentence with its agent as subject: "X was written by Y" to "Y wrote X"."""
    root = sentence.root
    subject, agent, helper = child(root, "nsubjpass"), child(root, "agent"), child(root, "auxpass")
    doer = child(agent, "pobj") if agent else None
    if subject is None or agent is None or doer is None or helper is None or root.tag_ != "VBN" or conjoined(root):
        return
    if any(part.dep_ in {"aux", "neg"} for part in root.children) or helper.lower_ not in {"was", "were", "is", "are"}:
        return
    by = subtree(agent)
    if not unbroken(by) or len(by) > LONGEST_AGENT or by[0].i < root.i or doer.pos_ not in {*NOUNS, "PRON"}:
        return
    past = helper.lower_ in {"was", "were"}
    form = inflected(root.lemma_, "VBD" if past else "VBP" if plural(doer) else "VBZ")
    patient = subtree(subject)
    if not form or not unbroken(patient):
        return
    before = [token for token in body(sentence) if token.i < patient[0].i]
    inside = [token for token in sentence if patient[-1].i < token.i < root.i and token != helper]
    behind = [token for token in body(sentence) if token.i > root.i and token not in by]
    opening = words_of(before)
    said = closed(cased(by[1:], SUBJECT_CASE))
    object_said = cased(patient, OBJECT_CASE) if len(patient) == 1 else decapitalised(patient)
    yield sentence_of(opening, said, words_of(inside), form, object_said, words_of(behind))


def active_to_passive(sentence: Span) -> Iterator[str]:
    """Yield an active sentence with its object as subject: "Y wrote X in 1867" to "X was written by Y in 1867"."""
    root, tokens = sentence.root, body(sentence)
    subject, thing = child(root, "nsubj"), child(root, "dobj")
    if subject is None or thing is None or root.tag_ not in {"VBD", "VBZ", "VBP"} or root.lemma_ in NO_PASSIVE:
        return
    barred = {"aux", "neg", "xcomp", "ccomp", "dative", "oprd", "prt"}
    doer, done = subtree(subject), own_words(thing)
    if conjoined(root) or any(part.dep_ in barred for part in root.children) or not (unbroken(doer) and unbroken(done)):
        return
    owned = any(token.lower_ in {"his", "her", "its", "their", "himself", "herself", "itself"} for token in done)
    if owned or len(done) > LONGEST_AGENT or done[0].lower_ == "that":
        return
    if thing.pos_ not in NOUNS or subject.lower_ in {"which", "that", "who", "it", "there"}:
        return
    if not doer[-1].i < root.i < done[0].i or len(doer) > LONGEST_AGENT:
        return
    form = inflected(root.lemma_, "VBN")
    helper = ("were" if plural(thing) else "was") if root.tag_ == "VBD" else ("are" if plural(thing) else "is")
    before = [token for token in tokens if token.i < doer[0].i]
    inside = [token for token in tokens if doer[-1].i < token.i < root.i]
    between = [token for token in tokens if root.i < token.i < done[0].i]
    behind = [token for token in tokens if token.i > done[-1].i]
    if verbs_between(sentence, sentence.start, doer[0].i) or verbs_between(sentence, root.i + 1, done[0].i):
        return
    said = cased(doer, OBJECT_CASE) if len(doer) == 1 else decapitalised(doer)
    if form and not any(token.is_punct for token in inside):
        yield sentence_of(
            words_of(before), closed(words_of(done)), helper, words_of(inside), form, words_of(between), "by", said,
            words_of(behind),
        )  # fmt: skip


def identity_swapped(sentence: Span) -> Iterator[str]:
    """Yield an identity the other way round: "X is the capital of Y" to "The capital of Y is X"."""
    root, tokens = sentence.root, body(sentence)
    subject, attribute = child(root, "nsubj"), child(root, "attr")
    if root.lemma_ != "be" or root.tag_ not in {"VBZ", "VBD", "VBP"} or subject is None or attribute is None:
        return
    left, right = subtree(subject), subtree(attribute)
    nouns = attribute.pos_ in NOUNS and attribute.lower_ != "one" and subject.pos_ in NOUNS
    turnable = nouns and right[0].lower_ == "the" and plural(subject) == plural(attribute)
    if not turnable or conjoined(root) or child(root, "neg"):
        return
    if left[0] != tokens[0] or right[-1] != tokens[-1] or not unbroken(left) or right[0].i != root.i + 1:
        return
    if left[-1].i + 1 == root.i:
        yield sentence_of(closed(words_of(right)), root.text, decapitalised(left))


def opened_apposition(sentence: Span) -> Iterator[str]:
    """Yield an apposition as a relative clause: "X, a river in Y, rises" to "X, which is a river in Y, rises"."""
    was = "was" if sentence.root.tag_ in {"VBD", "VBN"} else "is"
    for token in sentence:
        person = is_person(token.head)
        if token.dep_ != "appos" or person is None:
            continue
        first = token.left_edge
        alone = first.i > 0 and sentence.doc[first.i - 1].text == "," and first.lower_ in {"a", "an", "the"}
        after = sentence.doc[token.right_edge.i + 1 :][:2].text.lower()
        listed = after.startswith(", and") or after.startswith(", or")
        if alone and token.pos_ == "NOUN" and not plural(token) and not plural(token.head) and not listed:
            yield around(sentence, first.i, first.i, "who" if person else "which", was)


def closed_apposition(sentence: Span) -> Iterator[str]:
    """Yield a relative clause as an apposition: "X, who was a painter, came" to "X, a painter, came"."""
    doc = sentence.doc
    for verb in sentence:
        if verb.dep_ != "relcl" or verb.lemma_ != "be" or verb.tag_ not in {"VBZ", "VBD"}:
            continue
        who, what = verb.left_edge, child(verb, "attr")
        bare = who.lower_ in {"who", "which"} and verb.i == who.i + 1 and doc[who.i - 1].text == ","
        if bare and what is not None and what.left_edge.i == verb.i + 1 and what.left_edge.lower_ in {"a", "an", "the"}:
            yield around(sentence, who.i, verb.i + 1)


def opened_participle(sentence: Span) -> Iterator[str]:
    """Yield a participle as a relative clause: "a city located in X" to "a city that is located in X"."""
    doc, past = sentence.doc, sentence.root.tag_ in {"VBD", "VBN"}
    for verb in sentence:
        noun = verb.head
        if verb.dep_ != "acl" or verb.tag_ != "VBN" or noun.pos_ not in NOUNS or not any(verb.rights):
            continue
        apart = doc[verb.i - 1].text == ","
        if verb.left_edge.i != verb.i or verb.i <= noun.i or (not apart and verb.i != noun.i + 1):
            continue
        person = is_person(described(noun))
        if (apart and person is None) or sentence.doc[verb.i + 1].lower_ == "from":
            continue
        link = "that" if not apart else "who" if person else "which"
        many, state = plural(noun), verb.lemma_ in STATES and not past
        helper = ("are" if many else "is") if state else ("were" if many else "was")
        yield around(sentence, verb.i, verb.i, link, helper)


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
        if mark is None or thing.pos_ != "NOUN" or mark.i != owner.right_edge.i:
            continue
        of = any(part.dep_ == "prep" and part.lower_ == "of" for part in thing.children)
        if of or len(whole) > 9 or not unbroken(owned):
            continue
        name = decapitalised(owned) if owned[0].i == sentence.start else words_of(owned)
        yield around(sentence, whole.start, whole.end, "the", words_of(doc[mark.i + 1 : whole.end]), "of", name)


def closed_possessive(sentence: Span) -> Iterator[str]:
    """Yield "of" as a possessive: "the capital of France" to "France's capital"; of names only."""
    doc = sentence.doc
    for thing in sentence:
        of = next((part for part in thing.children if part.dep_ == "prep" and part.lower_ == "of"), None)
        owner = child(of, "pobj") if of is not None else None
        article_ = child(thing, "det")
        if owner is None or of is None or article_ is None or thing.pos_ != "NOUN" or thing.lemma_ in NO_OWNER:
            continue
        name = subtree(owner)
        named = owner.ent_type_ in {"PERSON", "GPE", "ORG"} and all(part.pos_ == "PROPN" for part in name)
        whole = doc[article_.i : owner.i + 1]
        plain = article_.lower_ == "the" and of.i == thing.i + 1 and name[0].i == of.i + 1 and whole[-1] == name[-1]
        if named and plain and len(name) <= 3 and article_ == thing.left_edge and doc[owner.i + 1].text != "'s":
            mark = "'" if name[-1].text.endswith("s") else "'s"
            yield around(sentence, whole.start, whole.end, words_of(name) + mark, words_of(doc[article_.i + 1 : of.i]))


def pair_swapped(sentence: Span) -> Iterator[str]:
    """Yield a pair the other way round: "hot and dry" to "dry and hot", "iron and coal" to "coal and iron"."""
    doc = sentence.doc
    for second in sentence:
        first = second.head
        if second.dep_ != "conj" or first.dep_ == "conj" or child(second, "conj") is not None:
            continue
        links = [part for part in first.children if part.dep_ == "cc"]
        left, right = doc[first.left_edge.i : first.i + 1], doc[second.left_edge.i : second.right_edge.i + 1]
        if len(links) != 1 or links[0].lower_ not in {"and", "or"} or not interchangeable(left, right, links[0]):
            continue
        turned = decapitalised(list(left)) if left[0].i == sentence.start else words_of(left)
        yield around(sentence, left.start, right.end, words_of(right), links[0].lower_, turned)


def list_turned(sentence: Span) -> Iterator[str]:
    """Yield a list with its last two things the other way round: "iron, coal and salt" to "iron, salt and coal"."""
    doc = sentence.doc
    if "respectively" in {token.lower_ for token in sentence}:
        return
    for last in sentence:
        before = last.head
        if last.dep_ != "conj" or before.dep_ != "conj" or child(last, "conj") is not None:
            continue
        links = [part for part in before.children if part.dep_ == "cc"]
        comma = len(links) == 1 and doc[links[0].i - 1].text == ","
        one = doc[before.left_edge.i : links[0].i - comma] if len(links) == 1 else doc[0:0]
        other = doc[last.left_edge.i : last.right_edge.i + 1]
        plain = {"compound", "amod", "det", "conj"}
        fine = len(one) and len(links) == 1 and links[0].lower_ in {"and", "or"} and doc[one.start - 1].text == ","
        alike = before.pos_ == last.pos_ and before.pos_ in {*NOUNS, "ADJ"} and before.ent_type_ == last.ent_type_
        whole = fine and other.start == links[0].i + 1 and one[-1] == before and other[-1] == last
        simple = all(part.dep_ in plain for part in (*one, *other)) and not followed_by_noun(doc, other.end)
        if whole and alike and simple:
            link = f", {links[0].text}" if comma else f" {links[0].text}"
            yield around(sentence, one.start, other.end, f"{words_of(other)}{link} {words_of(one)}")


def followed_by_noun(doc: Doc, place: int) -> bool:
    """Return whether what stands at a place belongs to the words before it, as a noun or "of" would."""
    return place < len(doc) and (doc[place].pos_ in {*NOUNS, "VERB", "AUX"} or doc[place].lower_ in {"of", "'s"})


def interchangeable(left: Span, right: Span, link: Token) -> bool:
    """Return whether two phrases about "and" are of one kind and stand alone, so that they may change places."""
    doc, first, second = left.doc, left[-1], right[-1]
    plain = {"det", "amod", "compound", "poss", "case", "conj", first.dep_}
    odd = any(part.dep_ not in plain or part.pos_ in {"NUM", "ADV"} for part in (*left, *right))
    adjacent = left.end == link.i and right.start == link.i + 1 and second.dep_ == "conj"
    alike = (len(left) > 1) == (len(right) > 1) and article(left) == article(right) and first.pos_ == second.pos_
    before, after = doc[max(left.start - 1, 0)].lower_, doc[right.end] if right.end < len(doc) else None
    said = {"DET", "PROPN"} if first.pos_ == "PROPN" else {token.pos_ for token in left}
    if any(token.pos_ not in said for token in left):
        return False
    verbs = {"AUX", "VERB"}
    subject = first.dep_ in {"nsubj", "nsubjpass"} and doc[max(left.start - 1, 0)].pos_ not in verbs
    if after is not None and after.pos_ in verbs and not subject:
        return False
    if odd or not adjacent or not alike or first.pos_ not in {"NOUN", "PROPN", "ADJ"} or left[0].lower_ == "both":
        return False
    if (after is not None and after.pos_ in NOUNS) or link.ent_type_ or first.ent_type_ != second.ent_type_:
        return False
    follows = after.lower_ if after is not None else ""
    whole = doc[left.start].ent_iob_ == "B" and before != "of" and follows != "of"
    return first.pos_ != "PROPN" or (bool(first.ent_type_) and whole)


def split_clauses(sentence: Span) -> Iterator[str]:
    """Yield two clauses as two sentences: "A rose, and B fell" to "A rose. B fell", with "However" for "but"."""
    root, doc = sentence.root, sentence.doc
    for second in [part for part in root.children if part.dep_ == "conj" and part.pos_ in {"VERB", "AUX"}]:
        link = next((part for part in root.children if part.dep_ == "cc" and part.i < second.left_edge.i), None)
        subject, clause = subject_of(second), subtree(second)
        if link is None or subject is None or doc[link.i - 1].text != "," or clause[0].i != link.i + 1:
            continue
        if link.lower_ not in {"and", "but"} or clause[-1] != body(sentence)[-1] or not unbroken(clause):
            continue
        first = words_of(doc[sentence.start : link.i - 1])
        lead = "However," if link.lower_ == "but" else ""
        rest = words_of(clause) if not lead else decapitalised(clause)
        yield joined(first, f"{lead} {rest}".strip())


def split_subject(sentence: Span) -> Iterator[str]:
    """Yield two statements of one subject as two sentences: "X rose and fell" to "X rose. X fell"; so with "who"."""
    root, doc, tokens = sentence.root, sentence.doc, body(sentence)
    subject = subject_of(root)
    if subject is None or starts_with_phrase(sentence) or len(subtree(subject)) > 6 or plural(subject):
        return
    said = words_of(subtree(subject))
    for second in [part for part in root.children if part.dep_ == "conj" and part.pos_ in {"VERB", "AUX"}]:
        helper = child(second, "aux", "auxpass")
        finite = (second if helper is None else helper).tag_ in {"VBD", "VBZ"}
        start = min(part.i for part in (second, *second.lefts))
        link = doc[start - 1]
        alone = all(part.dep_ in {"cc", "conj", "punct"} for part in root.rights)  # "made and sold toys"
        if subject_of(second) or not finite or link.lower_ != "and" or child(second, "conj") or alone:
            continue
        if second.right_edge == tokens[-1]:
            yield joined(words_of(doc[sentence.start : link.i]), f"{said} {words_of(doc[start : tokens[-1].i + 1])}")
    attribute = child(root, "attr")
    some = attribute is not None and attribute.left_edge.lower_ in {"a", "an"}
    clause = child(attribute, "relcl") if attribute is not None and some else None
    if clause is not None and root.lemma_ == "be" and clause.right_edge == tokens[-1]:
        who = clause.left_edge
        helper = child(clause, "aux", "auxpass") or clause
        if who.lower_ in {"who", "which", "that"} and who.dep_ in {"nsubj", "nsubjpass"} and helper.tag_ != "VB":
            yield joined(words_of(doc[sentence.start : who.i]), f"{said} {words_of(doc[who.i + 1 : tokens[-1].i + 1])}")


def split_relative_clause(sentence: Span) -> Iterator[str]:
    """Yield a closing relative clause as a sentence: "…, X, which fell." to "…, X. X fell."; of names only."""
    doc, tokens = sentence.doc, body(sentence)
    for verb in sentence:
        noun, who = verb.head, verb.left_edge
        if verb.dep_ != "relcl" or verb.right_edge != tokens[-1] or noun.ent_type_ == "" or noun.pos_ != "PROPN":
            continue
        if noun.dep_ == "pobj" and noun.head.head.pos_ in NOUNS:
            continue  # "an orchestra from Java, which impressed": whether it was Java is open
        alone = who.lower_ in {"who", "which"} and who.dep_ in {"nsubj", "nsubjpass"} and doc[who.i - 1].text == ","
        name = [token for token in doc[noun.left_edge.i : who.i - 1] if token.ent_type_ or token.pos_ == "DET"]
        if alone and name and name[-1] == noun and noun.i == who.i - 2:
            said = f"{words_of(name)} {words_of(doc[who.i + 1 : tokens[-1].i + 1])}"
            yield joined(words_of(doc[sentence.start : who.i - 1]), said)


def subject_set_apart(sentence: Span) -> Iterator[str]:
    """Yield the sentence with its subject set apart: "Curie won a prize" to "It was Curie who won a prize"."""
    root, tokens = sentence.root, body(sentence)
    subject = subject_of(root)
    if subject is None or subject.pos_ not in NOUNS or starts_with_phrase(sentence):
        return
    if any(part.dep_ == "conj" and subject_of(part) for part in sentence):
        return
    said = subtree(subject)
    named = said[0].pos_ == "PROPN" or said[0].lower_ in {"the", "this", "these", '"', "“"}
    if not named or said[-1].text in {",", "-", ")"} or not unbroken(said) or len(said) > 8:
        return
    if root.tag_ not in {"VBD", "VBZ", "VBP", "VBN"}:
        return
    verb = next((part for part in root.children if part.dep_ in {"aux", "auxpass"}), root)
    was = "was" if verb.tag_ == "VBD" else "is"
    rest = [token for token in tokens if token.i > said[-1].i]
    link = "who" if subject.ent_type_ == "PERSON" else "that"
    if verb.tag_ in {"VBD", "VBZ", "VBP"} and rest[0].text != ",":
        yield sentence_of("It", was, decapitalised(said), link, words_of(rest))


# No other rule starts from what these make.
LAST_RULES = frozenset({"subject set apart", "another phrase"})
CLAUSE_RULES: tuple[tuple[str, Rule], ...] = (
    ("passive to active", passive_to_active),
    ("active to passive", active_to_passive),
    ("identity turned round", identity_swapped),
    ("phrase moved to the front", phrase_to_front),
    ("phrase moved to the end", phrase_to_end),
    ("phrase moved behind the subject", phrase_behind_subject),
    ("clauses turned round", clauses_swapped),
    ("two sentences", split_clauses),
    ("one subject, two sentences", split_subject),
    ("relative clause to sentence", split_relative_clause),
    ("subject set apart", subject_set_apart),
)
PHRASE_RULES: tuple[tuple[str, Rule], ...] = (
    ("apposition to relative clause", opened_apposition),
    ("relative clause to apposition", closed_apposition),
    ("participle to relative clause", opened_participle),
    ("relative clause to participle", closed_participle),
    ("possessive with of", opened_possessive),
    ("of to possessive", closed_possessive),
    ("pair turned round", pair_swapped),
    ("list in another order", list_turned),
)
