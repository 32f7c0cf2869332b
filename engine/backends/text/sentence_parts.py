"""Looking at a parsed sentence and putting its parts together again: what every rewording rule needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from lemminflect import getInflection

from engine.backends.text.parser import Doc, Span, Token

TIMES = frozenset({"DATE", "TIME", "EVENT"})
PLACES = frozenset({"GPE", "LOC", "FAC"})
THINGS = frozenset({"GPE", "LOC", "FAC", "ORG", "WORK_OF_ART", "PRODUCT", "EVENT", "LAW", "QUANTITY"})
PLURALS = frozenset({"they", "we", "these", "those", "you", "them", "number"})
PLACE_NOUNS = frozenset("island islands river lake mount mountain bridge tower castle street park hall bay".split())
# "The 1996 contest" is one.
ONE_OR_YEAR = re.compile(r"1|one|1\d{3}|20\d{2}")
NOUNS = frozenset({"NOUN", "PROPN"})
PAIRS = (("(", ")"), ("[", "]"), ("“", "”"))


def words_of(tokens: Iterable[Token]) -> str:
    """Return the tokens as text, in the order given, with the space that each has behind it."""
    return "".join(token.text_with_ws for token in tokens).strip()


def decapitalised(tokens: Sequence[Token]) -> str:
    """Return the tokens as they would stand inside a sentence: a name keeps its capital letter.

    What stands inside one already has the letter that it should.
    """
    text = words_of(tokens)
    first = tokens[0]
    if first.i > first.sent.start:
        return text
    named = first.pos_ == "PROPN" or first.text == "I" or first.text[1:] != first.text[1:].lower()
    in_name = first.ent_type_ not in {"", *TIMES, "CARDINAL", "ORDINAL", "QUANTITY"} and first.lower_ not in {
        "the",
        "a",
        "an",
    }
    return text if named or in_name else text[:1].lower() + text[1:]


def sentence_of(*parts: str) -> str:
    """Return parts as one sentence: spaces tidied, a capital letter in front, one full stop behind.

    "" where a part holds half of a bracket or quotation: then it was cut in the wrong place.
    """
    if not all(map(balanced, parts)):
        return ""
    joined = " ".join(part.strip() for part in parts if part.strip())
    joined = re.sub(r"(?<!\s)\s++([,.])", r"\1", joined)
    joined = re.sub(r",\s*(?=[,.])", "", joined).rstrip(" ,.")
    ended = joined.endswith(('."', ".”", '?"', '!"'))
    return f"{joined[:1].upper()}{joined[1:]}{'' if ended else '.'}"


def around(sentence: Span, first: int, last: int, *said: str) -> str:
    """Return the sentence with other words in place of the document's tokens [first, last); its end stays as it is."""
    doc = sentence.doc
    before, behind = doc[sentence.start : first].text.strip(), doc[last : sentence.end].text.strip()
    if not all(map(balanced, said)):
        return ""
    inside = " ".join(part for part in said if part)
    text = " ".join(part for part in (before, inside, behind) if part)
    text = re.sub(r"(?<!\s)\s++([,.;:)])(?!\w)", r"\1", text)
    return f"{text[:1].upper()}{text[1:]}" if first == sentence.start else text


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


def text_at(doc: Doc, place: int) -> str:
    """Return the text of the token at a place, "" before the first and behind the last one."""
    return doc[place].text if 0 <= place < len(doc) else ""


def unbroken(tokens: Sequence[Token]) -> bool:
    """Return whether the tokens follow each other without a gap."""
    return bool(tokens) and tokens[-1].i - tokens[0].i + 1 == len(tokens)


def child(token: Token, *kinds: str) -> Token | None:
    """Return the first child in one of these relations."""
    return next((part for part in token.children if part.dep_ in kinds), None)


def subject_of(verb: Token) -> Token | None:
    """Return the subject of a verb, active or passive."""
    return child(verb, "nsubj", "nsubjpass")


def verbs_between(sentence: Span, first: int, last: int) -> bool:
    """Return whether a verb stands among the tokens [first, last) of the document.

    "Registered" in "registered clubs" is none.
    """
    return any(token.pos_ in {"VERB", "AUX"} and token.dep_ != "amod" for token in sentence.doc[first:last])


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
    subject = subject_of(sentence.root)
    return subject is None or subject.left_edge.i != sentence.start


def conjoined(root: Token) -> bool:
    """Return whether a second verb shares the sentence, or one without a subject of its own stands anywhere in it."""
    verbs = [part for part in root.sent if part.dep_ == "conj" and part.pos_ in {"VERB", "AUX"}]
    if any(part.head == root or subject_of(part) is None for part in verbs):
        return True
    # The parser takes some second verbs for adjectives; the word before tells.
    links = [part for part in root.sent if part.lower_ in {"and", "or", "but"} and part.i + 1 < root.sent.end]
    return any(part.nbor().pos_ in {"VERB", "AUX"} for part in links)


def shares_subject(root: Token) -> bool:
    """Return whether a verb without a subject of its own is joined to another one anywhere in the sentence."""
    verbs = [part for part in root.sent if part.dep_ == "conj" and part.pos_ in {"VERB", "AUX"}]
    links = [part for part in root.sent if part.lower_ in {"and", "or", "but"} and part.i + 1 < root.sent.end]
    return any(subject_of(part) is None for part in verbs) or any(part.nbor().pos_ in {"VERB", "AUX"} for part in links)


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
    counted = any(part.dep_ == "nummod" and not ONE_OR_YEAR.fullmatch(part.lower_) for part in noun.children)
    return many or counted or noun.tag_ in {"NNS", "NNPS"} or noun.lower_ in PLURALS


def own_words(thing: Token) -> list[Token]:
    """Return an object with its modifiers, without a phrase of time or place at its end: that is when and where."""
    words = subtree(thing)
    for phrase in reversed(list(thing.rights)):
        if phrase.dep_ != "prep" or phrase_kind(phrase) is None or phrase.right_edge != words[-1]:
            break
        words = [word for word in words if word.i < phrase.left_edge.i]
    return words


def is_person(noun: Token) -> bool | None:
    """Return whether a name is a person's; None where the parser does not say."""
    if noun.lower_ in PLACE_NOUNS:
        return False
    if noun.ent_type_ == "PERSON":
        return True
    return False if noun.ent_type_ in THINGS else None


def described(noun: Token) -> Token:
    """Return what a noun is said of: the subject of "X was a physicist", else the noun itself."""
    subject = child(noun.head, "nsubj") if noun.dep_ == "attr" else None
    return subject if subject is not None else noun


def article(words: Span) -> bool:
    """Return whether a phrase begins with an article or another determiner."""
    return words[0].pos_ in {"DET", "PRON"}


def joined(first: str, second: str) -> str:
    """Return two sentences one after the other, "" where one was cut in the wrong place."""
    one, other = sentence_of(first), sentence_of(second)
    return f"{one} {other}" if one and other else ""
