"""Which stretches of a text are things worth counting in a corpus.

QuCo-RAG (section 3.2) lets a fine-tuned model name them; here a parser does. Three kinds, without overlap: names (what
the parser calls an entity, widened to the whole run of capitalised words, because it misses titles such as "Hamlet");
dates and quantities that hold a digit; and noun phrases that are bare ("penicillin") or, where a text names nothing,
definite ("the largest planet"). Roles and classes ("a painter", "the city") are not counted: they are everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from engine.backends.text.base import Entity, is_anybody
from engine.backends.text.base import is_role as role_word
from engine.backends.text.parser import Doc, Span, Token
from engine.backends.text.word_lists import (
    APPROXIMATE,
    CLASS_NOUNS,
    CONNECTORS,
    ERAS,
    FILLER_NOUNS,
    OWNED_NAMES,
    PARTICLES,
    SCALES,
    VAGUE_WORDS,
)

Slice = tuple[int, int, str]
Casing = Literal["loud", "silent", "mixed"]

# OntoNotes' labels, by whether they mark a name or a measure; "first" (ORDINAL) is neither.
NAME_LABELS = frozenset("PERSON NORP FAC ORG GPE LOC PRODUCT EVENT WORK_OF_ART LAW LANGUAGE".split())
MEASURE_LABELS = frozenset("DATE TIME QUANTITY MONEY PERCENT CARDINAL".split())
_CLOSERS = " \t\n.,;:!?\"'“”‘’`()[]{}<>*_–—-"
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"1\d{3}|20\d\d")
# Without its year such a name names many.
DATED = frozenset(
    "accord accords act agreement ban bill census charter code compromise constitution convention crash crisis "
    "depression edict election fire flood hurricane earthquake law massacre olympics pact panic protocol rebellion "
    "revolt revolution riot riots statute strike treaty uprising war".split()
)
# What stands before the number of a work: "Symphony No. 40".
_NUMBERED = frozenset({"No", "Nr", "Op"})
# Every rocket has its launch site, each town its power station: without a name or an adjective these pick out none.
CLASSES_OF_USE = frozenset("opera rocket site spacecraft station team telescope".split())
_MARKUP = re.compile(r"</?\w|>")


def find_entities(doc: Doc) -> tuple[Entity, ...]:
    """Return the entities of a parsed text in order, without overlap."""
    runs = list(_capital_runs(doc))
    in_runs = _covered(runs)
    measures = [span for span in _measures(doc) if not _inside_run(doc, span, in_runs)]
    names = _without(_merged([*_parser_names(doc), *runs]), measures)
    names = [span for span in names if not _only_describes(doc, span)]
    taken = [*measures, *names]
    nouns = list(_noun_phrases(doc, taken, bool(names)))
    if not names and not nouns:
        nouns = list(_noun_phrases(doc, taken, False, anywhere=True))
    found = (_entity(doc, span) for span in sorted([*taken, *nouns]))
    return tuple(entity for entity in found if entity is not None)


def noun_phrase(head: Token) -> Entity | None:
    """Return the phrase of a common noun without its article, as an entity ("the human body" -> "human body").

    Words that pick out nothing are left off ("many temples"); a class that they alone describe is nothing to count
    ("most people", "the study").
    """
    left = head.i
    for token in reversed(list(head.lefts)):
        if token.dep_ not in {"amod", "compound", "nummod", "nmod"} or token.right_edge.i + 1 != left:
            break
        left = token.left_edge.i
    if left >= 2 and _is_tight(head.doc[left - 1]):
        left -= 2  # the letter of "A-ring"
    left = _past_vague(head, left)
    is_class = left == head.i and head.lemma_ in CLASS_NOUNS | FILLER_NOUNS
    return (
        None
        if is_class or is_anybody(head.lemma_) or _counts_some(head) or _is_class_of_use(head)
        else _entity(head.doc, (left, head.i + 1, "NOUN"))
    )


def _counts_some(head: Token) -> bool:
    """Return whether a number word says how many are meant and not which: "three metals", "one cell"."""
    return any(child.dep_ == "nummod" and child.i < head.i and child.is_alpha for child in head.lefts)


def _is_class_of_use(head: Token) -> bool:
    """Return whether a class is only told by what it is for ("launch site"), or stands beside a name that is meant.

    "Who invented the telescope?" means the telescope; "the Orbis telescope ... The telescope was launched" does not.
    """
    described = [child for child in head.lefts if child.dep_ not in {"det", "punct"}]
    if head.lemma_ not in CLASSES_OF_USE or any(
        child.dep_ != "compound" or child.pos_ != "NOUN" for child in described
    ):
        return False
    definite = any(child.lower_ == "the" for child in head.lefts)
    return bool(described) or (definite and any(word.pos_ == "PROPN" for word in head.doc))


def _past_vague(head: Token, left: int) -> int:
    """Return where a phrase begins without the words that pick out nothing: not "most" of "the most stable isotope"."""
    while left < head.i and head.doc[left].lower_ in VAGUE_WORDS and head.doc[left].head == head:
        left += 1
    return left


def _is_tight(token: Token) -> bool:
    """Return whether a token is a hyphen inside one word: "Stoke-on-Trent"."""
    return token.text == "-" and token.i > 0 and not token.whitespace_ and not token.nbor(-1).whitespace_


def is_role(noun: Token) -> bool:
    """Return whether a common noun is a role that many hold ("employee", "two climbers"), so that it names nobody."""
    return noun.pos_ == "NOUN" and role_word(noun.lemma_)


def _entity(doc: Doc, span: Slice) -> Entity | None:
    """Return the token slice as an entity, without quotes and punctuation around it; None where nothing is left."""
    start, end, label = span
    raw = _MARKUP.split(doc[start:end].text)[0]
    # A full stop belongs to an abbreviation ("F. W.", "30 B.C."), where the tokeniser left it in a word.
    keep = "." if end > start and len(doc[end - 1].text) > 1 and doc[end - 1].text.endswith(".") else ""
    text = raw.strip(_CLOSERS.replace(".", "") if keep else _CLOSERS)
    if not any(character.isalnum() for character in text):
        return None
    offset = doc[start].idx + raw.index(text)
    return Entity(text=text, start=offset, end=offset + len(text), label=label)


def _parser_names(doc: Doc) -> Iterator[Slice]:
    """Yield the parser's names without articles and possessive endings; a span that swallowed a verb is dropped."""
    for span in doc.ents:
        if span.label_ not in NAME_LABELS or any(_is_clause_word(token) for token in span):
            continue
        for start, end in _split_people(doc, span):
            while start < end and doc[start].text in {"the", "a", "an", "The", "A", "An"} and _opens(doc[start]):
                start += 1
            while end > start and (doc[end - 1].text in {"'s", "’s", "'", "’"} or doc[end - 1].is_punct):
                end -= 1
            if end > start:
                yield start, end, span.label_


def _opens(article: Token) -> bool:
    """Return whether an article stands before a name and is no part of a title: lower case, or at a sentence start."""
    return article.text.islower() or bool(article.is_sent_start)


def _is_clause_word(token: Token) -> bool:
    """Return whether a token shows that a span is a clause rather than a name: a verb in lower case."""
    return token.pos_ in {"VERB", "AUX"} and token.text.islower()


def _split_people(doc: Doc, span: Span) -> Iterator[tuple[int, int]]:
    """Yield the parts of a list of people or places that the parser took for one ("Watson and Crick")."""
    start = span.start
    if span.label_ in {"PERSON", "GPE", "LOC", "NORP"}:
        for token in span:
            if token.text in {"and", "or", ","} and token.i > start:
                yield start, token.i
                start = token.i + 1
    yield start, span.end


def _capital_runs(doc: Doc) -> Iterator[Slice]:
    """Yield runs of capitalised words, joined by particles ("van", "of the"): names whatever the parser calls them."""
    named = [_is_name_word(token, casing) for token, casing in zip(doc, _casings(doc), strict=True)]
    i = 0
    while i < len(doc):
        if not named[i]:
            i += 1
            continue
        end = i + 1
        while (following := _next_in_run(doc, end, named, doc[i])) is not None:
            end = following
        if end - i > 1 or not (doc[i].is_stop or _is_sign(doc[i])):
            yield i, end, "NAME"
        i = end


def _is_sign(token: Token) -> bool:
    """Return whether a lone letter is a unit or a key: "C" of "39 °C" and of "a sonata in C major"."""
    doc, place = token.doc, token.i
    unit = place > 0 and doc[place - 1].text == "°"
    key = place + 1 < len(doc) and doc[place + 1].text in ("major", "minor")
    return len(token.text) == 1 and (unit or key)


def _casings(doc: Doc) -> list[Casing]:
    """Return for each token what capitals mean in its sentence.

    "loud": a heading or shouting, where even the verbs have them; "silent": no capital beyond the first letter, as in
    typed questions. In both only the tagger can tell a name.
    """
    words = [token for token in doc if token.is_alpha and token.pos_ != "PROPN"]
    if len(words) >= 2 and len(doc) > 2 and sum(not word.text[0].islower() for word in words) > 0.6 * len(words):
        return ["loud"] * len(doc)
    out: list[Casing] = []
    for sentence in doc.sents:
        inside = [token for token in sentence if not token.is_sent_start and token.text != "I"]
        has_capital = any(token.text[0].isupper() for token in inside)
        out.extend(["mixed" if has_capital else "silent"] * len(sentence))
    return out


def _is_name_word(token: Token, casing: Casing) -> bool:
    """Return whether a word looks like part of a name by its capital and its place in the sentence."""
    if token.is_punct or token.is_space or not token.text[0].isalpha() or token.text in {"I", "I'm"}:
        return False
    if len(token.text) == 1 and token.i + 1 < len(token.doc) and token.nbor().text == "-":
        return False  # the letter of "X-ray"
    if casing == "loud" or not token.text[0].isupper():
        return bool(token.pos_ == "PROPN" and token.dep_ != "ROOT" and casing != "mixed")
    if not token.is_sent_start and not _after_opening(token):
        return not (token.pos_ in {"PRON", "SCONJ"} and token.ent_type_ not in NAME_LABELS and token.tag_ != "NNP")
    if token.pos_ == "DET":
        return False  # "The Treaty of …" at a sentence start: no telling whether it is part of the name
    adjective_subject = token.pos_ == "ADJ" and token.dep_ in {"nsubj", "nsubjpass"}  # "Titanic won …"
    tagged = token.pos_ == "PROPN" or token.ent_type_ in NAME_LABELS
    return bool(tagged or _modifies_capital(token) or adjective_subject)


def _after_opening(token: Token) -> bool:
    """Return whether a word stands right after a mark that lets any word have a capital."""
    return token.i > 0 and token.nbor(-1).text in {":", ";", "-", "–", "—", "•", "*", "\n"}


def _modifies_capital(token: Token) -> bool:
    """Return whether a word that opens a sentence belongs to the name after it ("Old Trafford is …")."""
    follows = token.i + 1 < len(token.doc) and token.nbor().text[0].isupper() and not token.nbor().is_punct
    return bool(follows and token.dep_ in {"amod", "compound", "nummod", "nmod"} and token.head.i > token.i)


def _next_in_run(doc: Doc, end: int, named: list[bool], first: Token) -> int | None:
    """Return where the run ends once its next words are taken in, None where it ends here."""
    if end >= len(doc):
        return None
    token = doc[end]
    if named[end] or _is_name_number(token, doc[end - 1]):
        return end + 1
    numbered = end + 1 if token.text == "." else end
    if doc[end - 1].text.rstrip(".") in _NUMBERED and _DIGIT.match(doc[numbered : numbered + 1].text):
        return numbered + 1
    if _is_dated(doc, end):
        return end + 2
    if (hyphened := _end_of_hyphened(doc, end, named)) is not None:
        return hyphened
    owner = token.text in {"'s", "’s", "'", "’"} and end + 1 < len(doc)
    if owner:
        owned = doc[end + 1].lower_ in OWNED_NAMES and doc[end + 1].text[0].isupper()
        return end + 2 if owned or _in_same_name(doc[end - 1], doc[end + 1]) else None
    after = end
    while after < len(doc) and after < end + 3 and doc[after].lower_ in PARTICLES | CONNECTORS:
        after += 1
    if after == end and token.text == "and" and first.text in {"The", "A", "An"} and not first.is_sent_start:
        after = end + 2 if end + 1 < len(doc) and doc[end + 1].text == "the" else end
        if doc[end - 1].ent_type_ in NAME_LABELS:
            return None
    if after == end or after >= len(doc) or not named[after]:
        return None
    return after + 1 if doc[end].text != "the" or doc[end - 1].pos_ == "ADP" else None


def _is_dated(doc: Doc, end: int) -> bool:
    """Return whether a year after "of" belongs to the name before it: there were many wars, and one War of 1812."""
    return doc[end - 1].lower_ in DATED and doc[end].text == "of" and bool(_YEAR.fullmatch(doc[end + 1 : end + 2].text))


def _end_of_hyphened(doc: Doc, end: int, named: list[bool]) -> int | None:
    """Return where a name ends that goes on over hyphens and small words ("Stoke-on-Trent"), None where it does not."""
    while end + 1 < len(doc) and _is_tight(doc[end]):
        if named[end + 1]:
            return end + 2
        end += 2
    return None


def _is_name_number(token: Token, before: Token) -> bool:
    """Return whether a number belongs to the name before it ("Apollo 11", "the 13Th Guest").

    Nor can it count one thing: in "did Apollo 8 circle the Moon" the parser takes the verb for a noun.
    """
    if not _DIGIT.match(token.text) or token.ent_type_ in {"DATE", "TIME", "QUANTITY", "MONEY", "PERCENT"}:
        return False
    of_one = token.dep_ == "nummod" and token.head.tag_ == "NN" and token.head.i == token.i + 1 and token.text != "1"
    return bool(token.head.i == before.i or of_one or (token.text[-1].isalpha() and token.dep_ == "compound"))


def _in_same_name(owner: Token, owned: Token) -> bool:
    """Return whether the parser sees owner and owned as one name ("St Mary's Hospital")."""
    labels = {"ORG", "FAC", "WORK_OF_ART", "EVENT"}
    return bool(owner.ent_type_ in labels and owned.ent_type_ == owner.ent_type_ and owned.ent_iob_ == "I")


def _measures(doc: Doc) -> Iterator[Slice]:
    """Yield dates and quantities with a digit, without words like "about", each end of a range on its own."""
    for span in doc.ents:
        if span.label_ not in MEASURE_LABELS:
            continue
        for start, end in _range_ends(doc, span):
            while start < end and (doc[start].lower_ in APPROXIMATE or doc[start].is_punct):
                start += 1
            if start >= end or _is_list_number(doc, start):
                continue
            if _DIGIT.search(doc[start:end].text) and not _counts_names(doc[end - 1]):
                yield _with_day(doc, start, span.label_), _with_unit(doc, end, span.label_), span.label_


def _is_list_number(doc: Doc, place: int) -> bool:
    """Return whether a number only opens a list or its next line ("The sources are: 1.", "2. The moon.")."""
    token = doc[place]
    if not token.text.rstrip(".)").isdigit() or len(token.text.rstrip(".)")) > 2:
        return False
    stops = token.text[-1] in ".)" or doc[place + 1 : place + 2].text in {".", ")"}
    first = token.text.rstrip(".)") == "1" and place > 0 and doc[place - 1].text == ":"
    line = place == 0 or doc[place - 1].is_space
    return stops and (first or (line and place + 2 < len(doc)))


def _counts_names(number: Token) -> bool:
    """Return whether a number only counts things that have a name of their own ("11 Academy Awards")."""
    return bool(number.dep_ == "nummod" and number.head.pos_ == "PROPN" and number.head.i > number.i + 1)


def _range_ends(doc: Doc, span: Span) -> Iterator[tuple[int, int]]:
    """Yield "1837" and "1901" of "1837 to 1901", and the years of a list; anything else as it is."""
    start = span.start
    if span.label_ in {"DATE", "CARDINAL"}:
        for token in span:
            joins = token.text in {"to", "and", "until", "or", "-", "–", ","} and not _is_month_year(doc, token)
            numbers = token.i > start and _DIGIT.search(doc[token.i - 1].text)
            if joins and numbers and _DIGIT.match(doc[token.i + 1 : span.end].text):
                yield start, token.i
                start = token.i + 1
    yield start, span.end


def _is_month_year(doc: Doc, comma: Token) -> bool:
    """Return whether the comma stands inside one date ("June 5, 1990")."""
    return bool(comma.text == "," and comma.i >= 2 and doc[comma.i - 2].pos_ == "PROPN")


def _with_day(doc: Doc, start: int, label: str) -> int:
    """Return where a date starts once a day that the parser left out is taken in ("10" before "June 1989")."""
    before = doc[start - 1] if start > 0 else None
    is_day = before is not None and before.text.isdigit() and len(before.text) <= 2 and not before.ent_type_
    return start - 1 if label == "DATE" and doc[start].pos_ == "PROPN" and is_day else start


def _with_unit(doc: Doc, end: int, label: str) -> int:
    """Return where a quantity ends once the unit after it is taken in ("30 BC", "206 bones", "kilometres per hour")."""
    if end < len(doc) and doc[end].lower_ in ERAS | SCALES:
        return end + 1
    if label == "QUANTITY" and end + 1 < len(doc) and doc[end].text == "per":
        return end + 2
    number = doc[end - 1]
    if label == "CARDINAL" and number.dep_ == "nummod" and number.head.i == end and number.head.pos_ == "NOUN":
        return end + 1
    return end


def _inside_run(doc: Doc, span: Slice, in_runs: set[int]) -> bool:
    """Return whether a bare number is part of a name ("Seven Samurai", "Apollo 11", "War of 1812")."""
    bare = span[2] in {"CARDINAL", "QUANTITY"} or doc[span[0] - 1].text.rstrip(".") in {*_NUMBERED, ""}
    bare = bare or (span[0] >= 2 and _is_dated(doc, span[0] - 1))
    return bare and span[0] in in_runs


def _only_describes(doc: Doc, span: Slice) -> bool:
    """Return whether a name is a people's adjective before a common noun ("a French physicist")."""
    start, end, label = span
    token = doc[end - 1]
    adjective = label == "NORP" or token.pos_ == "ADJ"
    return end - start == 1 and adjective and token.dep_ in {"amod", "compound"} and token.head.pos_ == "NOUN"


def _noun_phrases(doc: Doc, taken: list[Slice], has_name: bool, anywhere: bool = False) -> Iterator[Slice]:
    """Yield the noun phrases worth counting among the arguments of the text's verbs, or ``anywhere`` in it."""
    covered = _covered(taken)
    for token in doc:
        if token.pos_ != "NOUN" or token.dep_ == "compound" or token.i in covered or token.lemma_ in FILLER_NOUNS:
            continue
        if (has_name and is_role(token)) or is_anybody(token.lemma_):
            continue
        phrase = _phrase_bounds(token)
        if phrase is None or not covered.isdisjoint(range(*phrase)):
            continue
        if _counts_some(token) or _is_class_of_use(token):
            continue
        if (anywhere or _is_argument(token, has_name)) and _is_specific(token, phrase, has_name):
            yield *phrase, "NOUN"


def _phrase_bounds(head: Token) -> tuple[int, int] | None:
    """Return the token slice of the phrase without its article, None where a question word or possessor is in it.

    "Many temples" is nothing to count unless something is said of them.
    """
    left = head.i
    for token in head.lefts:
        asks = token.tag_ in {"WDT", "WP", "WP$", "WRB", "PRP$"} or token.lower_ in {"many", "much"}
        vague = token.lower_ in VAGUE_WORDS and head.dep_ not in {"nsubj", "nsubjpass"}
        if asks or vague or token.dep_ == "poss":
            return None
        if token.dep_ in {"amod", "compound", "nummod", "nmod"}:
            left = min(left, token.left_edge.i)
    return _past_vague(head, left), head.i + 1


def _is_argument(token: Token, has_name: bool) -> bool:
    """Return whether something is said of the thing: a subject or object, or the object of "of" ("symbol of gold")."""
    if any(child.dep_ == "nummod" and child.i > token.i for child in token.children):
        return False  # "the atomic number 79": the number is the thing
    while token.dep_ == "conj" and token.head.pos_ == "NOUN":
        token = token.head
    if token.dep_ in {"nsubj", "nsubjpass", "dobj"}:
        return not any(child.lower_ == "of" and _has_bare_object(child) for child in token.children)
    if token.dep_ == "pobj":
        return token.head.lower_ == "of" or not has_name
    return token.dep_ == "ROOT" and not has_name


def _has_bare_object(preposition: Token) -> bool:
    """Return whether an "of" leads to something better to count than the noun before it ("inventor of dynamite")."""
    return any(
        child.dep_ == "pobj" and not any(word.lower_ in {"a", "an"} for word in child.lefts)
        for child in preposition.children
    )


def _is_specific(token: Token, phrase: tuple[int, int], has_name: bool) -> bool:
    """Return whether the phrase picks out one thing: a bare noun, or a definite one that is no mere class."""
    articles = [word for word in token.lefts if word.dep_ == "det"]
    modified = phrase[1] - phrase[0] > 1
    if not articles:
        return token.lemma_ not in CLASS_NOUNS or (modified and not has_name)
    if any(word.lower_ != "the" for word in articles):
        return False
    named = token.lemma_ not in CLASS_NOUNS and (token.dep_ != "pobj" or _is_led_to(token))
    return (modified and not has_name) or named


def _is_led_to(token: Token) -> bool:
    """Return whether a role or class stands before the thing that is meant: "the inventor of the telephone".

    What goes on after it means something further on: "the designer of the frame inside the tower".
    """
    holder = token.head.head
    goes_on = any(child.dep_ in {"prep", "relcl", "acl"} for child in token.children)
    return token.head.lower_ == "of" and not goes_on and (is_role(holder) or holder.lemma_ in CLASS_NOUNS)


def _merged(spans: Iterable[Slice]) -> list[Slice]:
    """Return the union of overlapping slices, in order; the parser's label wins over "NAME"."""
    out: list[Slice] = []
    for start, end, label in sorted(spans):
        if out and start < out[-1][1]:
            first, last, known = out[-1]
            out[-1] = (first, max(last, end), label if known == "NAME" else known)
        else:
            out.append((start, end, label))
    return out


def _covered(spans: Iterable[Slice]) -> set[int]:
    return {i for start, end, _ in spans for i in range(start, end)}


def _without(spans: Iterable[Slice], taken: Iterable[Slice]) -> list[Slice]:
    covered = _covered(taken)
    return [span for span in spans if covered.isdisjoint(range(span[0], span[1]))]
