"""Two wordings of the same text side by side, with the words that differ marked in both."""

from difflib import SequenceMatcher

from viz.html import render
from viz.theme import Theme


def word_diff_html(before: str, after: str, heads: tuple[str, str], theme: Theme) -> str:
    """Return both texts as HTML columns under their heads: words only on the left struck out, on the right bold."""
    left, right = diff_words(before, after)
    columns = ((heads[0], left, "del", theme.bad), (heads[1], right, "ins", theme.good))
    return render("word_diff.html.j2", columns=columns, theme=theme)


def diff_words(before: str, after: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """Return the words of both texts, each with whether the other text lacks it there; case and white space count not.

    >>> diff_words("in 1889 opened", "opened in 1889")[1]
    [('opened', True), ('in', False), ('1889', False)]
    """
    left, right = before.split(), after.split()
    matcher = SequenceMatcher(None, [_key(word) for word in left], [_key(word) for word in right], autojunk=False)
    kept_left: set[int] = set()
    kept_right: set[int] = set()
    for block in matcher.get_matching_blocks():
        kept_left.update(range(block.a, block.a + block.size))
        kept_right.update(range(block.b, block.b + block.size))
    return (
        [(word, place not in kept_left) for place, word in enumerate(left)],
        [(word, place not in kept_right) for place, word in enumerate(right)],
    )


def _key(word: str) -> str:
    """Return a word as it is compared: without case and without punctuation at its ends."""
    return word.casefold().strip(".,;:!?()[]\"'“”‘’") or word
