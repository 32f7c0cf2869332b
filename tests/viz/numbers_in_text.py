"""The numbers in a sentence, so that a test asserts what it says and not how it is worded."""

import re

NUMBER = re.compile(r"[+−-]?\d+(?:[.,]\d+)*")


def numbers_in(text: str) -> list[str]:
    """Return the numbers of a text in their order, as they are written.

    >>> numbers_in("6 of 15 pairs, +0.49 (−0.01 to 1,200)")
    ['6', '15', '+0.49', '−0.01', '1,200']
    """
    return NUMBER.findall(text)
