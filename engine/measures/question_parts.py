"""Which piece of an answer answers which part of a question, and how much of the question that is."""

from collections.abc import Sequence


def matched(wanted: Sequence[str], offered: Sequence[Sequence[str]]) -> tuple[int | None, ...]:
    """Returns for each wanted kind the place of the offer that serves it, None where none is left.

    ``offered`` holds for each offer the kinds it can serve, the likeliest first; an offer serves once. What few offers
    can serve comes first, and an offer that is likeliest of the wanted kind goes before one that only could be.

    >>> matched(["person", "date"], [["date", "number"], ["person", "other"]])
    (1, 0)
    >>> matched(["person", "person"], [["person", "other"]])
    (0, None)
    """
    found: dict[int, int] = {}
    able = {part: [o for o, kinds in enumerate(offered) if kind in kinds] for part, kind in enumerate(wanted)}
    for part in sorted(able, key=lambda part: (len(able[part]), part)):
        free = [offer for offer in able[part] if offer not in found.values()]
        if free:
            found[part] = min(free, key=lambda offer: (list(offered[offer]).index(wanted[part]), offer))
    return tuple(found.get(part) for part in range(len(wanted)))


def answered_share(answered: Sequence[bool]) -> float:
    """Returns the share of parts that have an answer of the asked kind, in [0, 1]; higher = more is answered.

    >>> answered_share([True, False])
    0.5
    """
    if not len(answered):
        raise ValueError("a question has at least one part, got none")
    return sum(answered) / len(answered)
