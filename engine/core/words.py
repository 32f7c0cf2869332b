"""How untrusted text is put into one short line: cut, and named where it is empty."""


def shorten(text: str, length: int) -> str:
    """Return the text on one line, cut at ``length`` characters with an ellipsis.

    >>> shorten("a  long\\nline", 6)
    'a lon…'
    """
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def shown(text: str, length: int = 0) -> str:
    """Return the text as a reader should see it: "(empty)" for nothing, cut at ``length`` characters where given.

    >>> shown("  "), shown("31 March 1889", 6)
    ('(empty)', '31 Ma…')
    """
    line = " ".join(text.split())
    if not line:
        return "(empty)"
    return shorten(line, length) if length else line
