"""A question and its answer as one statement: "Who founded X?" and "Ann" give "Ann founded X."

By rules over the dependency parse, for what MuSiQue's single questions look like ("Hello Love >> performer", "Who was
the first president of X?", "When was X born?"); what no rule fits gives None. Demszky et al. 2018 ("Transforming
Question Answering Datasets Into Natural Language Inference Datasets") do the same with more rules.
"""

import re

from engine.backends.text.parser import Doc, Token, load_pipeline

SUBJECTS = {"nsubj", "nsubjpass", "expl"}
# Relations that read as "X is RELATION Y"; the others as "The RELATION of X is Y".
PREDICATES = re.compile(r"^(?:(?:located|founded|owned|followed|preceded|named|licensed|made|produced) \w+|part of)\b")
PREPOSITIONS = ("in", "on", "at", "by", "from", "to", "with", "of", "for", "near", "during", "since", "after", "before")
IRREGULAR = dict(
    pair.split()
    for pair in (
        "be was,become became,begin began,break broke,bring brought,build built,buy bought,choose chose,come came,"
        "cut cut,die died,do did,draw drew,fall fell,fight fought,find found,fly flew,get got,give gave,go went,"
        "grow grew,have had,hit hit,hold held,keep kept,know knew,lead led,leave left,lie lay,live lived,lose lost,"
        "make made,meet met,pay paid,play played,rise rose,run ran,say said,see saw,sell sold,send sent,set set,"
        "sing sang,sit sat,speak spoke,spend spent,stand stood,stay stayed,take took,teach taught,tell told,"
        "think thought,win won,write wrote"
    ).split(",")
)


def statement(question: str, answer: str) -> str | None:
    """Return the statement that a question and its answer make; None where no rule fits.

    >>> statement("Hello Love >> performer", "Hank Snow")
    'The performer of Hello Love is Hank Snow.'
    >>> statement("Who was the first president of the club?", "Ann Lee")
    'Ann Lee was the first president of the club.'
    >>> statement("When was Ann Lee born?", "1902")
    'Ann Lee was born in 1902.'
    """
    asked = question.strip().rstrip("?. ").strip()
    if ">>" in asked:
        thing, relation = (part.strip() for part in asked.split(">>", 1))
        return closed(related(thing, relation, answer))
    doc = load_pipeline()(asked)
    place = next((token.i for token in doc if token.tag_ in {"WP", "WDT", "WRB", "WP$"}), None)
    if place != 0 or len(doc) < 3:
        return None
    return closed(made) if (made := with_answer(doc, answer)) else None


def related(thing: str, relation: str, answer: str) -> str:
    """Return a relation in words.

    >>> related("A", "shares border with", "B"), related("A", "instance of", "B")
    ('A shares border with B', 'A is B')
    """
    if relation == "instance of":
        return f"{thing} is {answer}"
    if relation.split()[0] in {"shares", "applies", "has", "uses", "follows"}:
        return f"{thing} {relation} {answer}"
    return f"{thing} is {relation} {answer}" if PREDICATES.match(relation) else f"The {relation} of {thing} is {answer}"


def with_answer(doc: Doc, answer: str) -> str | None:
    """Return a parsed wh-question with the answer in the place of what it asks for, None where no rule fits."""
    verb = next((token for token in doc if token.pos_ in {"AUX", "VERB"}), None)
    if verb is None or verb.i == 0:
        return None
    near = [*verb.head.children, *verb.children]
    seen = next((token for token in near if token.dep_ in SUBJECTS and token.i > verb.i), None)
    behind = next((chunk for chunk in doc.noun_chunks if chunk.start == verb.i + 1), None)
    rest, be = doc[verb.i + 1 :].text, verb.lemma_ == "be" and verb.dep_ == "ROOT"
    if be and doc[0].lower_ in {"what", "which"} and verb.i == 1:
        return f"{rest} {verb.text} {answer}"
    if (be and doc[0].lower_ == "who") or (seen is None and verb.pos_ != "AUX"):
        return f"{answer} {verb.text} {rest}"
    if behind is not None and behind.end < len(doc) and not (verb.lemma_ == "do" and doc[behind.end].pos_ != "VERB"):
        return inverted(doc, verb, behind.end, answer)
    if seen is not None:
        return inverted(doc, verb, seen.right_edge.i + 1, answer)
    return None if verb.lemma_ == "do" or verb.i > 1 else f"{answer} {verb.text} {rest}"


def inverted(doc: Doc, verb: Token, end: int, answer: str) -> str | None:
    """Return "X was born in 1902" of "When was X born": subject, verb, rest, and the answer behind its preposition.

    ``end`` is the token behind the subject.
    """
    said, after = doc[verb.i + 1 : end].text, doc[end:]
    if verb.lemma_ == "do" and len(after):
        first = after[0]
        if first.pos_ != "VERB":
            return None
        form = past(first.lemma_) if verb.lower_ == "did" else first.text + ("s" if verb.lower_ == "does" else "")
        told = f"{form} {after[1:].text}" if len(after) > 1 else form
    else:
        told = f"{verb.text} {after.text}"
    ends_open = len(after) > 0 and after[-1].lower_ in PREPOSITIONS
    return f"{said} {told.strip()} {answer if ends_open else led(doc[: verb.i].text.lower(), answer)}"


def led(asked: str, answer: str) -> str:
    """Return the answer with the preposition that "when", "what year", "where" and "what city" leave out.

    >>> led("when", "5 May 1902"), led("where", "Rome"), led("what", "a clock")
    ('on 5 May 1902', 'in Rome', 'a clock')
    """
    if answer.split()[0].lower() in PREPOSITIONS:
        return answer
    if asked == "when" or asked.endswith((" year", " month", " century", " decade", " day", " date")):
        day = re.search(r"\b\d{1,2}\b", answer) and re.search(r"[A-Za-z]", answer)
        return f"{'on' if day else 'in'} {answer}"
    places = (" city", " country", " state", " town", " county", " region", " village", " province")
    return f"in {answer}" if asked == "where" or asked.endswith(places) else answer


def past(verb: str) -> str:
    """Return the past form of a verb.

    >>> past("die"), past("write"), past("marry"), past("play")
    ('died', 'wrote', 'married', 'played')
    """
    if verb in IRREGULAR:
        return IRREGULAR[verb]
    if verb.endswith("e"):
        return f"{verb}d"
    return f"{verb[:-1]}ied" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else f"{verb}ed"


def closed(text: str) -> str:
    """Return a text as one sentence: single spaces, a capital at the start, a full stop at the end."""
    plain = " ".join(text.split()).replace(" 's", "'s").replace(" ,", ",")
    return f"{plain[0].upper()}{plain[1:].rstrip('.')}." if plain else ""
