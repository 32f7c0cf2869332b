"""The word lists and phrase pairs of the rules for entities, claims and rewordings, from ``word_lists.json``.

They were written for this project and have its licence (Apache-2.0). All are in lower case, so that no name is touched.
"""

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_suffix(".json")
_LISTS: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))


def word_list(name: str) -> frozenset[str]:
    """Return a list by its name in the file; its lines hold words between spaces.

    >>> "fahrenheit" in word_list("scales")
    True
    """
    return frozenset(" ".join(_LISTS[name]).split())


PARTICLES, CONNECTORS, APPROXIMATE = word_list("particles"), word_list("connectors"), word_list("approximate")
ERAS, SCALES = word_list("eras"), word_list("scales")
# What a possessor may share a name with: "St Mary's Hospital", "the Thirty Years' War".
OWNED_NAMES = word_list("owned_names")
# Roles and classes: "the film" points back to something named before, and a corpus is full of films. So is it of what
# only leads to the thing that is meant: "the study of radioactivity".
CLASS_NOUNS = word_list("class_nouns") | word_list("vague_nouns")
# They pick out nothing: "most people", "other countries".
VAGUE_WORDS = word_list("vague_words")
# Who does something for a living, or did once: many people are one, so the word names nobody.
ROLES = word_list("roles")
# The objects of set phrases: "takes place" names no place.
FILLER_NOUNS = word_list("filler_nouns")
# Verbs without a passive; participles that describe a state ("located"); words that open a subordinate clause.
NO_PASSIVE, STATES, CLAUSE_OPENINGS = word_list("no_passive"), word_list("states"), word_list("clause_openings")
# What is over once it is done; adverbs and phrases that say when or why of the whole sentence, wherever they stand;
# prepositions whose phrase "It was … that" may set apart; what a person is by trade.
MADE_ONCE, FREE_ADVERBS, PROFESSIONS = word_list("made_once"), word_list("free_adverbs"), word_list("professions")
FREE_PHRASES = word_list("free_phrases") | frozenset(_LISTS["free_openings"])
SET_APART_BY, SET_APART_IN_FRONT = word_list("set_apart_by"), word_list("set_apart_in_front")
# Openings that may stand behind the subject as well, between commas; nouns of set phrases such as "in fact".
INSERTIONS, JOINING_ADVERBS = frozenset(_LISTS["insertions"]), word_list("joining_adverbs")
SET_PHRASES = word_list("set_phrases")
# "the city of Paris" is Paris, and "the number of Greece" is no thing of Greece's.
NO_OWNER = word_list("no_owner")
# Verbs with a receiver; what has no aim behind it; what comes of a deed and is no aim; nouns as in "the right to go".
GIVING, NO_AIM, OUTCOMES, TAKES_TO = map(word_list, ("giving", "no_aim", "outcomes", "takes_to"))
OBJECT_CASE: dict[str, str] = _LISTS["object_case"]
SUBJECT_CASE = {form: subject for subject, form in OBJECT_CASE.items()}
# The second may stand for the first in running prose.
PHRASES: tuple[tuple[str, str], ...] = tuple((phrase, other) for phrase, other in _LISTS["phrases"])
# They mean the same too, but cannot be exchanged whatever stands before: "first aired on".
SAME_PHRASES: tuple[tuple[str, str], ...] = tuple((phrase, other) for phrase, other in _LISTS["same_phrases"])
# Those that are safe only before a number: "more than he wanted" is not "over he wanted".
BEFORE_NUMBERS: tuple[tuple[str, str], ...] = tuple((phrase, other) for phrase, other in _LISTS["before_numbers"])
# For facts: adverbs that only join sentences, pronouns by their subject form, verbs that only place a thing,
# determiners that count, and words that stand for one another.
DISCOURSE, PLACED, QUANTITIES = word_list("discourse"), word_list("placed"), word_list("quantities")
UNIQUE = word_list("unique")
NUMBER_WORDS = {word: str(number) for number, word in enumerate(" ".join(_LISTS["number_words"]).split())}
OWNERS: dict[str, str] = _LISTS["owners"]
STANDS_FOR: dict[str, str] = {word: group.split()[0] for group in _LISTS["stands_for"] for word in group.split()[1:]}
