"""Rules that put a pair or a list in another order, where the order says nothing."""

from __future__ import annotations

from collections.abc import Iterator

from engine.backends.text.parser import Doc, Span, Token
from engine.backends.text.sentence_parts import NOUNS, around, article, child, decapitalised, text_at, words_of
from engine.backends.text.voice_rules import agent_of, joined_verbs, verbs_together


def pair_swapped(sentence: Span) -> Iterator[str]:
    """Yield a pair the other way round: "hot and dry" to "dry and hot", "iron and coal" to "coal and iron"."""
    doc = sentence.doc
    for second in sentence:
        first = second.head
        if second.dep_ != "conj" or first.dep_ == "conj" or child(second, "conj") is not None:
            continue
        links = [part for part in first.children if part.dep_ == "cc"]
        left, right = doc[first.left_edge.i : first.i + 1], doc[second.left_edge.i : second.right_edge.i + 1]
        if left[0].dep_ == "preconj":  # "either English or Greek"
            left = left[1:]
        if right[-1].text == ".":
            right = right[:-1]
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
        comma = len(links) == 1 and text_at(doc, links[0].i - 1) == ","
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
    names = first.pos_ == second.pos_ == "PROPN"
    same = (len(left) > 1) == (len(right) > 1) and article(left) == article(right)
    alike = first.pos_ == second.pos_ and (same or names)
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
    if follows == "as":
        return False  # "at Guwahati and Chaliha as its president"
    whole = doc[left.start].ent_iob_ == "B" and before != "of" and follows != "of"
    return first.pos_ != "PROPN" or (bool(first.ent_type_) and whole)


def participles_turned(sentence: Span) -> Iterator[str]:
    """Yield participles of one agent in another order: "written and directed by X" to "directed and written by X"."""
    for verb in sentence:
        verbs = verbs_together(verb) if verb.tag_ == "VBN" and verb.dep_ != "conj" else [verb]
        if len(verbs) > 1 and agent_of(verbs) is not None:
            turned = joined_verbs(verbs, [one.text for one in reversed(verbs)])
            yield around(sentence, verb.i, verbs[-1].i + 1, turned)
