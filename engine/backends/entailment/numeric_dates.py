"""Dates in digits, such as "13.5.1871" or "3/5/1871", read as words before a judge compares answers.

Where both numbers may be a month, writers disagree on which comes first. Such a date is read both ways. Where the two
ways lead to different verdicts, the judge cannot tell, and the pair is neutral.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from engine.backends.entailment.answers import DIGIT_DATE, dates_of
from engine.backends.entailment.base import Ask

CANNOT_TELL = (0.1, 0.65, 0.25)
MOST_OPEN = 3


def with_dates(premises: Sequence[str], hypotheses: Sequence[str], ask: Ask) -> np.ndarray:
    """Return [n, 3] as ``ask`` judges the pairs with their dates in words.

    A pair whose dates can be read in several ways is asked about in each: the mean where all have the same likeliest
    class, ``CANNOT_TELL`` where they do not.
    """
    read = [readings_of_pair(one, other) for one, other in zip(premises, hypotheses, strict=True)]
    owners = np.array([place for place, ways in enumerate(read) for _ in ways])
    asked = [way for ways in read for way in ways]
    judged = ask([one for one, _ in asked], [other for _, other in asked])
    return np.array([in_one(judged[owners == place]) for place in range(len(read))]).reshape(len(read), 3)


def in_one(rows: np.ndarray) -> np.ndarray:
    """Return [3], the mean of the verdicts [ways, 3] on one pair, ``CANNOT_TELL`` where they differ."""
    same = len(rows) == 1 or len(set(rows.argmax(axis=1).tolist())) == 1
    return rows.mean(axis=0) if same else np.array(CANNOT_TELL)


def readings_of_pair(one: str, other: str) -> list[tuple[str, str]]:
    """Return the pair with its dates in words, in each way to read them; a date in both is read in one way at a time.

    >>> readings_of_pair("3/5/1871", "on 13.5.1871")
    [('3 May 1871', 'on 13 May 1871'), ('5 March 1871', 'on 13 May 1871')]
    >>> readings_of_pair("2 to 3", "3/5")
    [('2 to 3', '3/5')]
    """
    dates = {found.group(): dates_of(found) for text in (one, other) for found in DIGIT_DATE.finditer(text)}
    if not dates or sum(len(ways) > 1 for ways in dates.values()) > MOST_OPEN:
        return [(one, other)]
    return [
        (replaced(one, chosen), replaced(other, chosen))
        for chosen in (dict(zip(dates, ways, strict=True)) for ways in product(*dates.values()))
    ]


def replaced(text: str, chosen: dict[str, str]) -> str:
    """Return the text with each date in digits as the words chosen for it."""
    return DIGIT_DATE.sub(lambda found: chosen.get(found.group(), found.group()), text)
