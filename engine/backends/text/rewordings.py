"""The same sentence with its parts in another order or form, by rules over the parse.

DENSE (section 4.1) asks a model to change the syntax and nothing else. A small model often cannot; what a sentence's
parse shows can be rearranged without it: passive and active, what stands in front, subordinate clauses, appositions
and relative clauses, possessives, pairs, clefts, and a few phrases that mean the same. Every rule looks for one
pattern that it knows to be safe and says nothing where it is not there. Word forms come from lemminflect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from engine.backends.text.base import Rewording
from engine.backends.text.clause_rules import (
    aim_said,
    closed_relative,
    exception_said,
    members_said,
    opened_relative,
    phrases_swapped,
    receiver_behind,
    receiver_first,
)
from engine.backends.text.list_rules import list_turned, pair_swapped, participles_turned
from engine.backends.text.noun_rules import (
    closed_adjective,
    closed_apposition,
    closed_doing,
    closed_participle,
    closed_possessive,
    in_which_as_where,
    located_said,
    opened_adjective,
    opened_apposition,
    opened_doing,
    opened_participle,
    opened_possessive,
    title_behind_name,
    where_as_in_which,
)
from engine.backends.text.order_rules import (
    adverb_to_front,
    adverb_to_verb,
    clauses_swapped,
    identity_swapped,
    participle_to_front,
    phrase_behind_subject,
    phrase_set_apart,
    phrase_to_end,
    phrase_to_front,
    subject_set_apart,
)
from engine.backends.text.parser import Doc, Span
from engine.backends.text.phrases import with_other_phrases
from engine.backends.text.sentence_parts import subject_of
from engine.backends.text.split_rules import (
    identity_to_apposition,
    participle_to_clause,
    split_apposition,
    split_clauses,
    split_relative_clause,
    split_subject,
    split_subject_clause,
)
from engine.backends.text.voice_rules import (
    active_to_participle,
    active_to_passive,
    participle_to_active,
    passive_to_active,
)
from engine.backends.text.word_rules import with_other_words

UNSAFE = re.compile(r"[;?\n]|:\s|--|\s[–—]\s")
# So many words at an open end stay where they are.
KEPT_AT_CUT = 3
Rule = Callable[[Span], Iterator[str]]


def rewordings(doc: Doc) -> Iterator[Rewording]:
    """Yield rewordings of a short text by each rule in turn, one sentence at a time.

    Rules that move whole clauses look at plain sentences only; those that change one phrase also at a fragment, or at
    a sentence with a colon, semicolon or dash. Where a text is cut off at its begin or end, what stands there stays.
    """
    for sentence in doc.sents:
        before, own, behind = doc[: sentence.start].text_with_ws, sentence.text.strip(), doc[sentence.end :].text
        gap = " " if behind else ""
        for name, made in of_sentence(sentence, own, bool(behind.strip())):
            if made != own:
                yield Rewording(text=f"{before}{made}{gap}{behind}".strip(), rule=name)


def words_reworded(doc: Doc) -> Iterator[Rewording]:
    """Yield rewordings of a short text by words, figures and phrases alone, which need no sentence."""
    text = doc.text.strip()
    yield from (Rewording(text=made, rule=name) for name, made in with_other_words(doc) if made != text)
    yield from with_other_phrases(text)


def of_sentence(sentence: Span, own: str, goes_on: bool) -> Iterator[tuple[str, str]]:
    """Yield (rule, text) of what every rule makes of one sentence; ``goes_on``: another one stands behind it."""
    verb = sentence.root.pos_ in {"VERB", "AUX"}
    plain = verb and (own.endswith(".") or not goes_on) and not UNSAFE.search(own)
    known = verb or any(subject_of(token) is not None for token in sentence)
    for name, rule in (*(CLAUSE_RULES if plain else ()), *(PHRASE_RULES if known else ())):
        for made in rule(sentence):
            fitting = made and fit_to_cut(own, made)
            if fitting:
                yield name, fitting


def fit_to_cut(original: str, made: str) -> str:
    """Return a rewording of a text that is cut off: its open begin and end stay, "" where they did not.

    >>> fit_to_cut("in 1867 Nobel was granted a", "Nobel was granted in 1867 a.")
    ''
    """
    if original[:1].islower():
        first = made.split()[:2]
        if [word.lower() for word in first] != [word.lower() for word in original.split()[:2]]:
            return ""
        made = made[:1].lower() + made[1:]
    if original[-1:] in {".", '"', "”", "!", ")"}:
        return made
    made = made.rstrip(".")
    return made if made.split()[-KEPT_AT_CUT:] == original.split()[-KEPT_AT_CUT:] else ""


# No other rule starts from what these make.
LAST_RULES = frozenset({"subject set apart", "phrase set apart", "another phrase", "until for to"})
CLAUSE_RULES: tuple[tuple[str, Rule], ...] = (
    ("passive to active", passive_to_active),
    ("active to passive", active_to_passive),
    ("identity turned round", identity_swapped),
    ("phrase moved to the front", phrase_to_front),
    ("phrase moved to the end", phrase_to_end),
    ("phrase moved behind the subject", phrase_behind_subject),
    ("participle moved to the front", participle_to_front),
    ("clauses turned round", clauses_swapped),
    ("two sentences", split_clauses),
    ("one subject, two sentences", split_subject),
    ("relative clause to sentence", split_relative_clause),
    ("clause of the subject to sentence", split_subject_clause),
    ("apposition to sentence", split_apposition),
    ("identity to apposition", identity_to_apposition),
    ("participle to clause", participle_to_clause),
    ("adverb moved to the front", adverb_to_front),
    ("adverb moved to the verb", adverb_to_verb),
    ("phrase set apart", phrase_set_apart),
    ("subject set apart", subject_set_apart),
)
PHRASE_RULES: tuple[tuple[str, Rule], ...] = (
    ("apposition to relative clause", opened_apposition),
    ("relative clause to apposition", closed_apposition),
    ("participle to relative clause", opened_participle),
    ("relative clause to participle", closed_participle),
    ("participle to active", participle_to_active),
    ("active to participle", active_to_participle),
    ("doing to relative clause", opened_doing),
    ("relative clause to doing", closed_doing),
    ("title behind the name", title_behind_name),
    ("clause with that", opened_relative),
    ("object clause without that", closed_relative),
    ("aim said as one", aim_said),
    ("receiver behind the thing", receiver_behind),
    ("receiver before the thing", receiver_first),
    ("time and place turned round", phrases_swapped),
    ("including as among them", members_said),
    ("circumstance with with", exception_said),
    ("where to in which", where_as_in_which),
    ("in which to where", in_which_as_where),
    ("adjective to clause", opened_adjective),
    ("clause to adjective", closed_adjective),
    ("place said as located", located_said),
    ("possessive with of", opened_possessive),
    ("of to possessive", closed_possessive),
    ("pair turned round", pair_swapped),
    ("list in another order", list_turned),
    ("participles in another order", participles_turned),
)
