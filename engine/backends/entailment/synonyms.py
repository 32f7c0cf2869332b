"""Names for one thing: two short answers that are synonyms ("a doctor", "a physician") or forms of a word.

The groups of names are the noun synsets of WordNet 3.0 with more than one name (Princeton University; Fellbaum 1998),
written by ``training.synonyms``. They add people ("Mark Twain", "Samuel Langhorne Clemens"), places ("Holland", "the
Netherlands") and terms. Of 24 pairs of an answer and a correct answer in EVOUNA's train and fitting questions that are
decided so, and that no other rule decides, people accept all.
"""

import gzip
from functools import lru_cache
from pathlib import Path

from engine.backends.entailment.answers import CARRIERS, words
from engine.backends.entailment.wording import stem_of

FILE = Path(__file__).parent / "weights" / "synonyms.txt.gz"
LONGEST = 6


def are_synonyms(one: str, other: str, question: tuple[str, ...]) -> bool:
    """Return whether two answers are names of one group, neither of which holds the other's words, or forms of a word.

    An answer that only repeats the question's words is no name.

    >>> are_synonyms("He is a doctor.", "physicians", ()), are_synonyms("a doctor", "a lawyer", ())
    (True, False)
    >>> are_synonyms("He drowned.", "by drowning", ())
    True
    """
    names = key(one), key(other)
    if any(not name or len(name) > LONGEST or set(name) <= set(question) for name in names):
        return False
    if set(names[0]) <= set(names[1]) or set(names[1]) <= set(names[0]):
        return False
    if [plain(word) for word in names[0]] == [plain(word) for word in names[1]]:
        return True
    return not groups_of(one, names[0]).isdisjoint(groups_of(other, names[1]))


def plain(word: str) -> str:
    """Return a word without the endings of number, tense and voice.

    >>> plain("drowning"), plain("king")
    ('drown', 'king')
    """
    return word.removesuffix("ing") if len(word) > 6 and word.isalpha() and word.endswith("ing") else stem_of(word)


def key(text: str) -> tuple[str, ...]:
    """Return the words of a name by which it is looked up: no articles, no words that carry nothing.

    >>> key("It is the City of Light.")
    ('city', 'light')
    """
    return tuple(word for word in words(text) if word not in CARRIERS)


def groups_of(text: str, name: tuple[str, ...]) -> frozenset[int]:
    """Return the groups that a name stands in, also as a plural where it is no proper name."""
    joined = " ".join(name)
    singular = joined.removesuffix("s") if text.split()[-1][:1].islower() else joined
    return groups_with(joined) | groups_with(singular)


@lru_cache(maxsize=8192)
def groups_with(name: str) -> frozenset[int]:
    """Return where the groups begin that a name stands in. A search of the text is faster than reading it as a table.

    >>> len(groups_with("mark twain"))
    1
    """
    text, wanted = read_groups(), f"\t{name}\t"
    found, at = set(), text.find(wanted)
    while at >= 0:
        found.add(text.rfind("\n", 0, at))
        at = text.find(wanted, at + 1)
    return frozenset(found)


@lru_cache(maxsize=1)
def read_groups() -> str:
    """Return the groups, a line each, with a tab before and after each name."""
    return "\t" + gzip.decompress(FILE.read_bytes()).decode().replace("\n", "\t\n\t")
