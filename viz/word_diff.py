"""Two wordings of the same text side by side, with the words that differ marked in both."""

from difflib import SequenceMatcher

from viz.theme import Theme, plain, rgba


def word_diff_html(before: str, after: str, heads: tuple[str, str], theme: Theme) -> str:
    """Return both texts as escaped HTML columns under their heads: words only on the left struck, on the right bold."""
    left, right = diff_words(before, after)
    columns = _column(heads[0], left, "del", theme) + _column(heads[1], right, "ins", theme)
    return f'<div style="display:flex;flex-wrap:wrap;gap:1.5rem;color:{theme.text}">{columns}</div>'


def _column(head: str, words: list[tuple[str, bool]], tag: str, theme: Theme) -> str:
    colour = theme.bad if tag == "del" else theme.good
    return (
        f'<div style="flex:1 1 20rem;min-width:0"><div style="color:{theme.muted};margin-bottom:0.3rem">{plain(head)}'
        f'</div><div dir="auto" style="line-height:1.7;overflow-wrap:anywhere">{_marked(words, tag, colour)}</div>'
        "</div>"
    )


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


def _marked(words: list[tuple[str, bool]], tag: str, colour: str) -> str:
    weight = "600" if tag == "ins" else "400"
    style = f"background:{rgba(colour, 0.2)};border-radius:3px;padding:0 0.15em;font-weight:{weight}"
    style += ";text-decoration:none" if tag == "ins" else ";text-decoration-thickness:1px"
    pieces = [f'<{tag} style="{style}">{plain(word)}</{tag}>' if differs else plain(word) for word, differs in words]
    return " ".join(pieces) or "(empty)"
