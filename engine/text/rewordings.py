"""The same sentence with its parts in another order: voice, clause order, apposition, by rules over the parse.

DENSE (section 4.1) asks a model to change the syntax and nothing else. A small model often cannot; what a sentence's
parse shows can be rearranged without it: passive and active, what stands in front, subordinate clauses, appositions and
relative clauses, possessives, pairs, clefts, and a few phrases that mean the same. Every rule looks for one pattern that
it knows to be safe and says nothing where it is not there. Word forms come from lemminflect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from lemminflect import getInflection

from engine.text.base import Rewording
from engine.text.parser import Doc, Span, Token
from engine.text.reworded_words import (
    CLAUSE_OPENINGS,
    NO_PASSIVE,
    OBJECT_CASE,
    PHRASES,
    STATES,
    SUBJECT_CASE,
)

TIMES = frozenset({"DATE", "TIME", "EVENT"})
PLACES = frozenset({"GPE", "LOC", "FAC"})
NOUNS = frozenset({"NOUN", "PROPN"})
LONGEST_AGENT, LONGEST_MOVED = 14, 16
UNSAFE = re.compile(r"[;:?\n]|--|\s[–—]\s")
PAIRS = ("()", "[]", "“”")
Rule = Callable[[Span], Iterator[str]]


def rewordings(doc: Doc) -> Iterator[Rewording]:
    """Yield rewordings of a text of one sentence by each rule in turn; nothing where the parse is no plain sentence."""
    text = doc.text.strip()
    sentences = list(doc.sents)
    if len(sentences) != 1 or not text.endswith(".") or UNSAFE.search(text):
        if text.endswith((".", "!")):
            yield from phrased(text)
        return
    if sentences[0].root.pos_ not in {"VERB", "AUX"}:
        return
    for name, rule in RULES:
        for said in rule(sentences[0]):
            if said and said != text:
                yield Rewording(text=said, rule=name)
    yield from phrased(text)


def phrased(text: str) -> Iterator[Rewording]:
    """Yield the text with one phrase exchanged for another that means the same."""
    for phrase, other in PHRASES:
        found = re.search(rf"\b{re.escape(phrase)}\b", text)
        if found:
            yield Rewording(text=text[: found.start()] + other + text[found.end() :], rule="another phrase")


def words_of(tokens: Iterable[Token]) -> str:
    """Return the tokens as text, in the order given, with the space that each has behind it."""
    return "".join(token.text_with_ws for token in tokens).strip()


def decapitalised(tokens: Sequence[Token]) -> str:
    """Return the tokens as they would stand inside a sentence: a name keeps its capital letter."""
    text = words_of(tokens)
    first = tokens[0]
    named = first.pos_ == "PROPN" or first.text == "I" or first.text[1:] != first.text[1:].lower()
    in_name = first.ent_type_ not in {"", *TIMES, "CARDINAL", "ORDINAL", "QUANTITY"} and first.lower_ != "the"
    return text if named or in_name else text[:1].lower() + text[1:]


def sentence_of(*parts: str) -> str:
    """Return parts as one sentence: spaces tidied, a capital letter in front, one full stop behind.

    "" where a part holds half of a bracket or quotation: then it was cut in the wrong place.
    """
    if not all(map(balanced, parts)):
        return ""
    joined = " ".join(part.strip() for part in parts if part.strip())
    joined = re.sub(r"\s+([,.])", r"\1", joined)
    joined = re.sub(r",\s*(?=[,.])", "", joined).rstrip(" ,.")
    return f"{joined[:1].upper()}{joined[1:]}."


def balanced(part: str) -> bool:
    """Return whether brackets and quotation marks of a part open and close in it.

    >>> balanced("a (b) c"), balanced("a) b (c")
    (True, False)
    """
    return part.count('"') % 2 == 0 and all(
        part.count(first) == part.count(last) and part.find(first) <= part.find(last) for first, last in PAIRS
    )


def closed(part: str) -> str:
    """Return a part with a comma behind it where an insertion in it still has to end.

    >>> closed("Orwell, who wrote it"), closed("George Orwell")
    ('Orwell, who wrote it,', 'George Orwell')
    """
    return f"{part}," if "," in part else part


def body(sentence: Span) -> list[Token]:
    """Return the sentence's tokens without what ends it."""
    tokens = [token for token in sentence if not token.is_space]
    while tokens and tokens[-1].is_punct and tokens[-1].text == ".":
        tokens.pop()
    return tokens


def subtree(token: Token) -> list[Token]:
    """Return a token with all that hangs on it, in order."""
    return [part for part in token.subtree if not part.is_space]


def unbroken(tokens: Sequence[Token]) -> bool:
    """Return whether the tokens follow each other without a gap."""
    return bool(tokens) and tokens[-1].i - tokens[0].i + 1 == len(tokens)


def child(token: Token, *kinds: str) -> Token | None:
    """Return the first child in one of these relations."""
    return next((part for part in token.children if part.dep_ in kinds), None)


def verbs_between(sentence: Span, first: int, last: int) -> bool:
    """Return whether a verb stands among the tokens [first, last) of the document."""
    return any(token.pos_ in {"VERB", "AUX"} for token in sentence.doc[first:last])


def fronted(sentence: Span) -> Iterator[str]:
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
    while rest and rest[-1].is_punct:
        rest.pop()
    yield sentence_of(f"{words_of(moved)},", decapitalised(rest))


def phrase_kind(phrase: Token) -> str | None:
    """Return "time" or "place" for a prepositional phrase about one, else None."""
    target = child(phrase, "pobj")
    if target is None:
        return None
    if target.ent_type_ in TIMES:
        return "time"
    return "place" if target.ent_type_ in PLACES and phrase.lower_ in {"in", "at", "on", "near"} else None


def starts_with_phrase(sentence: Span) -> bool:
    """Return whether something other than the subject opens the sentence."""
    subject = child(sentence.root, "nsubj", "nsubjpass")
    return subject is None or subject.left_edge.i != sentence.start


def conjoined(root: Token) -> bool:
    """Return whether a second verb shares the sentence."""
    return any(part.dep_ == "conj" and part.pos_ in {"VERB", "AUX"} for part in root.children)


def moved_back(sentence: Span) -> Iterator[str]:
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


def clause_turned(sentence: Span) -> Iterator[str]:
    """Yield main and subordinate clause the other way round: "When A, B" to "B when A", and back."""
    root, tokens = sentence.root, body(sentence)
    for clause in [part for part in root.children if part.dep_ == "advcl"]:
        moved = subtree(clause)
        opens = moved[0].lower_ in CLAUSE_OPENINGS and child(clause, "nsubj", "nsubjpass")
        aim = moved[0].tag_ == "TO" and clause.tag_ == "VB" and root.pos_ == "VERB"
        if not unbroken(moved) or not (opens or aim):
            continue
        if moved[0] == tokens[0] and sentence.doc[moved[-1].i + 1].text == ",":
            rest = [token for token in tokens if token.i > moved[-1].i + 1]
            if not conjoined(root):
                yield sentence_of(words_of(rest), decapitalised(moved))
        elif moved[-1] == tokens[-1] and not starts_with_phrase(sentence) and not conjoined(root):
            rest = [token for token in tokens if token.i < moved[0].i]
            yield sentence_of(f"{words_of(moved)},", decapitalised(rest))


def active(sentence: Span) -> Iterator[str]:
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
    said = cased(by[1:], SUBJECT_CASE)
    object_said = cased(patient, OBJECT_CASE) if len(patient) == 1 else decapitalised(patient)
    yield sentence_of(opening, said, words_of(inside), form, object_said, words_of(behind))


def cased(tokens: Sequence[Token], case: dict[str, str]) -> str:
    """Return the tokens, a lone pronoun in the other case."""
    return case.get(tokens[0].lower_, words_of(tokens)) if len(tokens) == 1 else words_of(tokens)


def inflected(lemma: str, tag: str) -> str | None:
    """Return a verb's form by its Penn tag, None where lemminflect knows none."""
    forms = getInflection(lemma, tag=tag)
    return str(forms[0]) if forms else None


def plural(noun: Token) -> bool:
    """Return whether a noun phrase takes a plural verb."""
    many = any(part.dep_ == "conj" for part in noun.children) and any(p.lower_ == "and" for p in noun.children)
    return (
        many or noun.tag_ in {"NNS", "NNPS"} or noun.lower_ in {"they", "we", "these", "those", "you", "them", "number"}
    )


def passive(sentence: Span) -> Iterator[str]:
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
    if (
        doer[-1].i > root.i
        or done[0].i < root.i
        or len(doer) > LONGEST_AGENT
        or verbs_between(sentence, root.i + 1, done[0].i)
    ):
        return
    form = inflected(root.lemma_, "VBN")
    helper = ("were" if plural(thing) else "was") if root.tag_ == "VBD" else ("are" if plural(thing) else "is")
    before = [token for token in tokens if token.i < doer[0].i]
    inside = [token for token in tokens if doer[-1].i < token.i < root.i]
    between = [token for token in tokens if root.i < token.i < done[0].i]
    behind = [token for token in tokens if token.i > done[-1].i]
    if verbs_between(sentence, sentence.start, doer[0].i):
        return
    said = cased(doer, OBJECT_CASE) if len(doer) == 1 else decapitalised(doer)
    if form:
        yield sentence_of(
            words_of(before), closed(words_of(done)), helper, words_of(inside), form, words_of(between), "by", said,
            words_of(behind),
        )  # fmt: skip


def own_words(thing: Token) -> list[Token]:
    """Return an object with its modifiers, without a phrase of time or place at its end: that is when and where."""
    words = subtree(thing)
    for phrase in reversed(list(thing.rights)):
        if phrase.dep_ != "prep" or phrase_kind(phrase) is None or phrase.right_edge != words[-1]:
            break
        words = [word for word in words if word.i < phrase.left_edge.i]
    return words


def turned_copula(sentence: Span) -> Iterator[str]:
    """Yield an identity the other way round: "X is the capital of Y" to "The capital of Y is X"."""
    root, tokens = sentence.root, body(sentence)
    subject, said = child(root, "nsubj"), child(root, "attr")
    if root.lemma_ != "be" or root.tag_ not in {"VBZ", "VBD", "VBP"} or subject is None or said is None:
        return
    left, right = subtree(subject), subtree(said)
    definite = right[0].lower_ == "the" and said.pos_ in NOUNS and said.lower_ != "one"
    if (
        not definite
        or subject.pos_ not in NOUNS
        or conjoined(root)
        or child(root, "neg")
        or plural(subject) != plural(said)
    ):
        return
    if left[0] != tokens[0] or right[-1] != tokens[-1] or not unbroken(left) or right[0].i != root.i + 1:
        return
    if left[-1].i + 1 == root.i:
        yield sentence_of(closed(words_of(right)), root.text, decapitalised(left))


def is_person(noun: Token) -> bool | None:
    """Return whether a name is a person's; None where the parser does not say."""
    if noun.ent_type_ == "PERSON":
        return True
    return (
        False
        if noun.ent_type_ in {"GPE", "LOC", "FAC", "ORG", "WORK_OF_ART", "PRODUCT", "EVENT", "LAW", "QUANTITY"}
        else None
    )


def opened_apposition(sentence: Span) -> Iterator[str]:
    """Yield an apposition as a relative clause: "X, a river in Y, rises" to "X, which is a river in Y, rises"."""
    was = "was" if sentence.root.tag_ in {"VBD", "VBN"} else "is"
    for token in sentence:
        person = is_person(token.head)
        if token.dep_ != "appos" or person is None:
            continue
        first = token.left_edge
        alone = first.i > 0 and sentence.doc[first.i - 1].text == "," and first.lower_ in {"a", "an", "the"}
        if alone and token.pos_ == "NOUN" and not plural(token):
            doc = sentence.doc
            yield sentence_of(
                words_of(doc[sentence.start : first.i]), "who" if person else "which", was,
                words_of(doc[first.i : sentence.end]),
            )  # fmt: skip


def closed_apposition(sentence: Span) -> Iterator[str]:
    """Yield a relative clause as an apposition: "X, who was a painter, came" to "X, a painter, came"."""
    doc = sentence.doc
    for verb in sentence:
        if verb.dep_ != "relcl" or verb.lemma_ != "be" or verb.tag_ not in {"VBZ", "VBD"}:
            continue
        who, what = verb.left_edge, child(verb, "attr")
        bare = who.lower_ in {"who", "which"} and verb.i == who.i + 1 and doc[who.i - 1].text == ","
        if bare and what is not None and what.left_edge.i == verb.i + 1 and what.left_edge.lower_ in {"a", "an", "the"}:
            yield sentence_of(words_of(doc[sentence.start : who.i]), words_of(doc[verb.i + 1 : sentence.end]))


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
        yield sentence_of(words_of(doc[sentence.start : verb.i]), link, helper, words_of(doc[verb.i : sentence.end]))


def described(noun: Token) -> Token:
    """Return what a noun is said of: the subject of "X was a physicist", else the noun itself."""
    subject = child(noun.head, "nsubj") if noun.dep_ == "attr" else None
    return subject if subject is not None else noun


def closed_participle(sentence: Span) -> Iterator[str]:
    """Yield a passive relative clause as a participle: "a film that was made by X" to "a film made by X"."""
    doc = sentence.doc
    for verb in sentence:
        who, helper = child(verb, "nsubjpass"), child(verb, "auxpass")
        if verb.dep_ != "relcl" or verb.tag_ != "VBN" or who is None or helper is None:
            continue
        if who.lower_ in {"that", "which", "who"} and helper.i == who.i + 1 and verb.i == helper.i + 1:
            if helper.lower_ in {"is", "are", "was", "were"}:
                yield sentence_of(words_of(doc[sentence.start : who.i]), words_of(doc[verb.i : sentence.end]))


def opened_possessive(sentence: Span) -> Iterator[str]:
    """Yield a possessive with "of": "France's longest river" to "the longest river of France"."""
    doc = sentence.doc
    for owner in sentence:
        if owner.dep_ != "poss" or owner.pos_ not in NOUNS or child(owner, "case") is None:
            continue
        mark, thing = child(owner, "case"), owner.head
        owned, whole = subtree(owner)[:-1], doc[owner.left_edge.i : thing.i + 1]
        if (
            mark is None
            or thing.pos_ != "NOUN"
            or mark.i != owner.right_edge.i
            or len(whole) > 9
            or not unbroken(owned)
        ):
            continue
        if any(part.dep_ == "prep" and part.lower_ == "of" for part in thing.children):
            continue
        name = decapitalised(owned) if owned[0].i == sentence.start else words_of(owned)
        yield sentence_of(
            words_of(doc[sentence.start : owner.left_edge.i]), "the", words_of(doc[mark.i + 1 : thing.i + 1]), "of", name,
            words_of(doc[thing.i + 1 : sentence.end]),
        )  # fmt: skip


def article(words: Span) -> bool:
    """Return whether a phrase begins with an article or another determiner."""
    return words[0].pos_ in {"DET", "PRON"}


def swapped_pair(sentence: Span) -> Iterator[str]:
    """Yield a pair the other way round: "hot and dry" to "dry and hot", "iron and coal" to "coal and iron"."""
    doc = sentence.doc
    for second in sentence:
        first = second.head
        if second.dep_ != "conj" or first.pos_ != second.pos_ or second.pos_ not in {"NOUN", "PROPN", "ADJ"}:
            continue
        links = [part for part in first.children if part.dep_ == "cc"]
        left, right = doc[first.left_edge.i : first.i + 1], doc[second.left_edge.i : second.right_edge.i + 1]
        if len(links) != 1 or links[0].lower_ != "and" or child(second, "conj") or first.dep_ == "conj":
            continue
        plain = {"det", "amod", "compound", "poss", "case", "conj", first.dep_}
        odd = any(part.dep_ not in plain or part.pos_ in {"NUM", "ADV"} for part in (*left, *right))
        follows = doc[right.end] if right.end < sentence.end else None
        if odd or (follows is not None and follows.pos_ in NOUNS):
            continue
        adjacent = first.i + 1 == links[0].i and second.left_edge.i == links[0].i + 1 and right[-1] == second
        one_name = doc[links[0].i].ent_type_ != "" or (first.ent_type_ == "") != (second.ent_type_ == "")
        if (
            not adjacent
            or one_name
            or (len(left) > 1) != (len(right) > 1)
            or article(left) != article(right)
            or "both" in {token.lower_ for token in left}
        ):
            continue
        turned = decapitalised(list(left)) if left[0].i == sentence.start else words_of(left)
        yield sentence_of(
            words_of(doc[sentence.start : left.start]), words_of(right), "and", turned,
            words_of(doc[right.end : sentence.end]),
        )  # fmt: skip


def split(sentence: Span) -> Iterator[str]:
    """Yield two clauses as two sentences: "A rose, and B fell" to "A rose. B fell", with "However" for "but"."""
    root, doc = sentence.root, sentence.doc
    for second in [part for part in root.children if part.dep_ == "conj" and part.pos_ in {"VERB", "AUX"}]:
        link = next((part for part in root.children if part.dep_ == "cc" and part.i < second.left_edge.i), None)
        subject, clause = child(second, "nsubj", "nsubjpass"), subtree(second)
        if link is None or subject is None or doc[link.i - 1].text != "," or clause[0].i != link.i + 1:
            continue
        if link.lower_ not in {"and", "but"} or clause[-1] != body(sentence)[-1] or not unbroken(clause):
            continue
        first = words_of(doc[sentence.start : link.i - 1])
        lead = "However," if link.lower_ == "but" else ""
        rest = words_of(clause) if not lead else decapitalised(clause)
        yield joined(first, f"{lead} {rest}".strip())


def told_apart(sentence: Span) -> Iterator[str]:
    """Yield what is said of one subject as two sentences: "X rose and fell" to "X rose. X fell"; so with "who"."""
    root, doc, tokens = sentence.root, sentence.doc, body(sentence)
    subject = child(root, "nsubj", "nsubjpass")
    if subject is None or starts_with_phrase(sentence) or len(subtree(subject)) > 6 or plural(subject):
        return
    said = words_of(subtree(subject))
    for second in [part for part in root.children if part.dep_ == "conj" and part.pos_ in {"VERB", "AUX"}]:
        helper = child(second, "aux", "auxpass")
        finite = (second if helper is None else helper).tag_ in {"VBD", "VBZ"}
        start = min(part.i for part in (second, *second.lefts))
        link = doc[start - 1]
        if child(second, "nsubj", "nsubjpass") or not finite or link.lower_ != "and" or child(second, "conj"):
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


def joined(first: str, second: str) -> str:
    """Return two sentences one after the other, "" where one was cut in the wrong place."""
    one, other = sentence_of(first), sentence_of(second)
    return f"{one} {other}" if one and other else ""


def cleft(sentence: Span) -> Iterator[str]:
    """Yield the sentence with its subject set apart: "Curie won a prize" to "It was Curie who won a prize"."""
    root, tokens = sentence.root, body(sentence)
    subject = child(root, "nsubj", "nsubjpass")
    if subject is None or subject.pos_ not in NOUNS or starts_with_phrase(sentence) or root.lemma_ == "be":
        return
    if any(part.dep_ == "conj" and child(part, "nsubj", "nsubjpass") for part in root.children):
        return
    said = subtree(subject)
    named = said[0].pos_ == "PROPN" or said[0].lower_ in {"the", "this", "these"}
    if not named or not unbroken(said) or len(said) > 8 or root.tag_ not in {"VBD", "VBZ", "VBP", "VBN"}:
        return
    verb = next((part for part in root.children if part.dep_ in {"aux", "auxpass"}), root)
    was = "was" if verb.tag_ == "VBD" else "is"
    rest = [token for token in tokens if token.i > said[-1].i]
    link = "who" if subject.ent_type_ == "PERSON" else "that"
    if verb.tag_ in {"VBD", "VBZ", "VBP"} and rest[0].text != ",":
        yield sentence_of("It", was, decapitalised(said), link, words_of(rest))


RULES: tuple[tuple[str, Rule], ...] = (
    ("passive to active", active),
    ("active to passive", passive),
    ("identity turned round", turned_copula),
    ("phrase moved to the front", fronted),
    ("phrase moved to the end", moved_back),
    ("clauses turned round", clause_turned),
    ("apposition to relative clause", opened_apposition),
    ("relative clause to apposition", closed_apposition),
    ("participle to relative clause", opened_participle),
    ("relative clause to participle", closed_participle),
    ("possessive with of", opened_possessive),
    ("two sentences", split),
    ("one subject, two sentences", told_apart),
    ("pair turned round", swapped_pair),
    ("subject set apart", cleft),
)
