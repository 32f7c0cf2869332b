"""Two wordings of the same text side by side, with the words that differ marked in both."""

from difflib import SequenceMatcher

from viz.parts.html import render
from viz.parts.theme import Theme


def word_diff_html(before: str, after: str, heads: tuple[str, str], theme: Theme) -> str:
    """Return a text before and after a change as HTML columns: words that went struck out, words that came bold."""
    return columns_html(before, after, heads, (("del", theme.bad), ("ins", theme.good)), theme)


def peers_html(one: str, other: str, heads: tuple[str, str], theme: Theme) -> str:
    """Return two texts of equal standing as HTML columns, the words that differ marked alike in both."""
    return columns_html(one, other, heads, (("mark", theme.middle),) * 2, theme)


def columns_html(
    one: str, other: str, heads: tuple[str, str], looks: tuple[tuple[str, str], tuple[str, str]], theme: Theme
) -> str:
    """Return two texts under their heads; ``looks`` are the tag and the colour of the words that only one has."""
    parts = zip(heads, diff_words(one, other), looks, strict=True)
    columns = [(head, words, tag, colour) for head, words, (tag, colour) in parts]
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
