"""What can be done to a parsed sentence so that the label is known: the same meaning, a part of it, another claim.

Every function takes a sentence as the parser reads it and yields texts. The rewording rules of the program itself give
what means the same; here are parts left out, negation, exchanged words, hedges, and exchanged owners.
"""

import random
import re
from collections.abc import Iterator

from engine.backends.text.parser import Doc, Token

OPPOSITES = (
    ("before", "after"),
    ("first", "last"),
    ("largest", "smallest"),
    ("north", "south"),
    ("won", "lost"),
    ("born", "killed"),
    ("opened", "closed"),
    ("began", "ended"),
    ("increased", "decreased"),
    ("more", "less"),
    ("older", "younger"),
    ("east", "west"),
    ("highest", "lowest"),
    ("longest", "shortest"),
    ("northern", "southern"),
    ("eastern", "western"),
    ("oldest", "youngest"),
    ("early", "late"),
    ("best", "worst"),
    ("male", "female"),
    ("most", "fewest"),
    ("above", "below"),
    ("left", "right"),
    ("upper", "lower"),
    ("father", "mother"),
    ("son", "daughter"),
    ("brother", "sister"),
    ("husband", "wife"),
    ("king", "queen"),
    ("morning", "evening"),
    ("started", "stopped"),
    ("rises", "ends"),
    ("joined", "left"),
    ("since", "until"),
    ("buy", "sell"),
    ("bought", "sold"),
    ("arrived", "departed"),
    ("old", "new"),
    ("hot", "cold"),
    ("summer", "winter"),
    ("approved", "rejected"),
    ("built", "demolished"),
    ("include", "exclude"),
    ("known", "unknown"),
    ("alive", "dead"),
    ("near", "far from"),
    ("inside", "outside"),
    ("minimum", "maximum"),
    ("all", "none"),
    ("both", "neither"),
    ("always", "never"),
    ("increase", "decrease"),
    ("public", "private"),
)
ALIKE = (
    ("founded", "established"),
    ("wrote", "authored"),
    ("died", "passed away"),
    ("located", "situated"),
    ("began", "started"),
    ("built", "constructed"),
    ("movie", "film"),
    ("bought", "purchased"),
    ("largest", "biggest"),
    ("demolished", "torn down"),
    ("located in", "found in"),
    ("won", "was the winner of"),
    ("in total", "altogether"),
    ("about", "approximately"),
    ("over", "more than"),
    ("released", "issued"),
    ("created", "made"),
    ("happened", "occurred"),
    ("took place", "happened"),
    ("children", "kids"),
    ("doctor", "physician"),
    ("received", "was given"),
    ("ended", "finished"),
    ("famous", "well known"),
    ("people", "persons"),
    ("employs", "has a staff of"),
    ("inhabitants", "residents"),
    ("is made of", "consists of"),
    ("contains", "has in it"),
    ("primarily", "mainly"),
    ("originally", "at first"),
    ("twice", "two times"),
    ("known as", "called"),
    ("discovered", "found"),
    ("helps", "aids"),
    ("also known as", "also called"),
    ("purchase", "buy"),
    ("area", "region"),
    ("produced by", "made by"),
    ("part of", "a portion of"),
    ("annually", "every year"),
    ("lives", "resides"),
    ("needed", "required"),
    ("song", "track"),
    ("was born in", "came into the world in"),
    ("rapidly", "quickly"),
)
HEDGED = (
    "It is possible that {s}",
    "Reportedly, {s}",
    "It has been claimed that {s}",
    "According to rumours, {s}",
    "Some people believe that {s}",
    "It is unclear whether {s}",
    "Perhaps {s}",
    "It was planned that {s}",
)
DROPPED = frozenset({"advcl", "relcl", "appos", "npadvmod", "acl"})
KEEPS_PHRASE = frozenset("of to by with from than as".split())


def parts_left_out(doc: Doc) -> Iterator[str]:
    """Yield the sentence without one of its insertions, clauses, or phrases of time and place."""
    if any(token.dep_ == "neg" or token.lower_ in {"only", "if", "no", "unless"} for token in doc):
        return
    for token in doc:
        phrase = token.dep_ == "prep" and token.head.pos_ in {"VERB", "AUX"} and token.lower_ not in KEEPS_PHRASE
        if token.dep_ in DROPPED or phrase:
            left, right = token.left_edge.i, token.right_edge.i + 1
            if 0 < right - left < len(doc) - 4 and doc[left:right].root == token:
                yield tidy(doc[:left].text_with_ws + " " + doc[right:].text)


def tidy(text: str) -> str:
    """Return a text with single spaces, no doubled commas, a capital letter and one full stop.

    >>> tidy("in 1890, the clock , , stopped ,.")
    'In 1890, the clock, stopped.'
    """
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"\s+([,.;])", r"\1", text)
    text = re.sub(r"[,;](?=[,;.])", "", text).strip(" ,;.")
    return f"{text[:1].upper()}{text[1:]}."


def one_conjunct(doc: Doc) -> Iterator[str]:
    """Yield the sentence with one of two things that "and" joins."""
    for token in doc:
        joined = token.dep_ == "conj" and any(
            child.dep_ == "cc" and child.lower_ == "and" for child in token.head.children
        )
        if joined and not any(child.dep_ == "conj" for child in token.children) and token.head.dep_ != "conj":
            cut = next(child for child in token.head.children if child.dep_ == "cc").i
            yield tidy(doc[:cut].text_with_ws + doc[token.right_edge.i + 1 :].text)


def negated(doc: Doc) -> Iterator[str]:
    """Yield the sentence with its main verb denied."""
    root = next((token for token in doc if token.dep_ == "ROOT"), None)
    if root is None or any(child.dep_ == "neg" for child in root.children):
        return
    helper = next(
        (child for child in root.children if child.dep_ in {"aux", "auxpass"}), root if root.lemma_ == "be" else None
    )
    if helper is not None:
        yield tidy(doc[: helper.i + 1].text_with_ws + "not " + doc[helper.i + 1 :].text)
    elif root.tag_ in {"VBD", "VBZ", "VBP"} and root.pos_ == "VERB":
        does = {"VBD": "did", "VBZ": "does", "VBP": "do"}[root.tag_]
        yield tidy(f"{doc[: root.i].text_with_ws}{does} not {root.lemma_} {doc[root.i + 1 :].text}")


def exchanged_words(draw: random.Random, text: str, table: tuple[tuple[str, str], ...]) -> str | None:
    """Return the text with one word exchanged for its partner in a table, in either direction."""
    for one, other in draw.sample(table, len(table)):
        for old, new in draw.sample(((one, other), (other, one)), 2):
            if re.search(rf"\b{old}\b", text):
                return re.sub(rf"\b{old}\b", new, text, count=1)
    return None


def names_exchanged(draw: random.Random, doc: Doc) -> str | None:
    """Return the sentence with two names of one type in each other's place, unless "and" or "or" joins them."""
    found = [
        entity for entity in doc.ents if entity.label_ in {"PERSON", "GPE", "ORG", "NORP", "LOC", "DATE", "CARDINAL"}
    ]
    pairs = [
        (one, other)
        for place, one in enumerate(found)
        for other in found[place + 1 :]
        if one.label_ == other.label_ and one.text != other.text and apart(doc[one.end : other.start].text)
    ]
    if not pairs:
        return None
    one, other = draw.choice(pairs)
    text = doc.text
    return (
        text[: one.start_char] + other.text + text[one.end_char : other.start_char] + one.text + text[other.end_char :]
    )


def apart(between: str) -> bool:
    """Return whether two names are not just members of one list: a word stands between them that is no "and"."""
    return bool(set(re.findall(r"[a-z]+", between)) - {"and", "or", "the", "a", "of"})


def name_replaced(draw: random.Random, doc: Doc, pool: dict[str, list[str]]) -> str | None:
    """Return the sentence with one name or date replaced by another of its type."""
    found = [entity for entity in doc.ents if len(pool.get(entity.label_, ())) > 5]
    if not found:
        return None
    entity = draw.choice(found)
    other = draw.choice(pool[entity.label_])
    if other in doc.text or entity.text in other:
        return None
    return doc.text[: entity.start_char] + other + doc.text[entity.end_char :]


def owner_as_subject(doc: Doc) -> str | None:
    """Return the sentence with the owner of its subject as the subject: "X's brother painted" to "X painted"."""
    subject = next((token for token in doc if token.dep_ in {"nsubj", "nsubjpass"}), None)
    owner = (
        next((child for child in subject.children if child.dep_ == "poss" and child.pos_ == "PROPN"), None)
        if subject
        else None
    )
    if subject is None or owner is None:
        return None
    left = doc[subject.left_edge.i : owner.left_edge.i].text_with_ws
    return tidy(doc[: subject.left_edge.i].text_with_ws + left + words_of(owner) + " " + doc[subject.i + 1 :].text)


def words_of(owner: Token) -> str:
    """Return an owner's name without its ending."""
    return re.sub(r"['’]s?$", "", owner.doc[owner.left_edge.i : owner.i + 1].text)


def owned_by_value(doc: Doc) -> str | None:
    """Return "The capital of Selm is …" for "Its capital is Selm, …", None where a sentence has no such form."""
    found = re.match(
        r"^(?:The|Its|His|Her|Their) ([a-z ]+?)(?: of [^,]+?)? (is|was) ([A-Z][\w ]+?)(, .+|\.)$", doc.text
    )
    if not found:
        return None
    rest = found[4].strip(" ,.") or "well known"
    return f"The {found[1]} of {found[3]} {found[2]} {rest}."


def predicate(doc: Doc) -> tuple[str, str] | None:
    """Return subject and predicate of a sentence that begins with its subject, None for another."""
    subject = next((token for token in doc if token.dep_ in {"nsubj", "nsubjpass"} and token.head.dep_ == "ROOT"), None)
    if subject is None or subject.left_edge.i != 0 or subject.pos_ == "PRON":
        return None
    return doc[: subject.right_edge.i + 1].text, doc[subject.right_edge.i + 1 :].text
