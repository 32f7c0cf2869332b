"""Which passages are copies: the same text, whatever its case and spaces."""

from collections.abc import Sequence
from dataclasses import replace

from engine.core.records import Passage


def copy_key(passage: Passage) -> str:
    """Return what two copies share: the text in lower case with single spaces."""
    return " ".join(passage.text.split()).casefold()


def first_copies(passages: Sequence[Passage]) -> tuple[int, ...]:
    """Return for each passage the place of the first one with its text: its own where it is no copy.

    >>> first_copies([Passage(text="A b."), Passage(text="c"), Passage(text="a  B.")])
    (0, 1, 0)
    """
    seen: dict[str, int] = {}
    return tuple(seen.setdefault(copy_key(passage), place) for place, passage in enumerate(passages))


def copies_of(passages: Sequence[Passage], index: int) -> tuple[int, ...]:
    """Return the places of a passage and of all its copies.

    >>> copies_of([Passage(text="A b."), Passage(text="c"), Passage(text="a  B.")], 2)
    (0, 2)
    """
    first = first_copies(passages)
    return tuple(place for place, one in enumerate(first) if one == first[index])


def groups_of_copies(passages: Sequence[Passage]) -> tuple[tuple[int, ...], ...]:
    """Return the places of the passages that are copies of each other, group by group; () where all differ.

    >>> groups_of_copies([Passage(text="A b."), Passage(text="c"), Passage(text="a  B.")])
    ((0, 2),)
    """
    places: dict[int, list[int]] = {}
    for place, first in enumerate(first_copies(passages)):
        places.setdefault(first, []).append(place)
    return tuple(tuple(group) for group in places.values() if len(group) > 1)


def replace_passage(passages: tuple[Passage, ...], index: int, text: str) -> tuple[Passage, ...]:
    """Return the passages with the text of one exchanged (eq. 4), and that of its copies: else they would answer."""
    same = copies_of(passages, index)
    return tuple(replace(one, text=text) if place in same else one for place, one in enumerate(passages))


def without_passage(passages: tuple[Passage, ...], index: int) -> tuple[Passage, ...]:
    """Return the passages without one and its copies (section 5.2)."""
    same = copies_of(passages, index)
    return tuple(one for place, one in enumerate(passages) if place not in same)
