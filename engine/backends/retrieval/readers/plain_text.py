"""Text files: ``.txt`` is titled by its name, ``.md`` by its first heading; the text stays verbatim."""

import re

from engine.backends.retrieval.readers.base import FileContent, decoded, one_document, stem_of

HEADING = re.compile(r"^#{1,6}[ \t]+(.*)$", re.MULTILINE)


def read_text_file(name: str, content: bytes) -> FileContent:
    """Return a text file as one document. Raises CorpusError where it is empty or no text."""
    return one_document(name, stem_of(name), decoded(name, content))


def read_markdown(name: str, content: bytes) -> FileContent:
    """Return a Markdown file as one document. Raises CorpusError where it is empty or no text."""
    text = decoded(name, content)
    return one_document(name, first_heading(text) or stem_of(name), text)


def first_heading(text: str) -> str:
    """Return the first heading of a Markdown text that has letters, "" where there is none.

    >>> first_heading("Some text\\n#\\n## C and D ##\\n# Later")
    'C and D'
    """
    return next((title for line in HEADING.finditer(text) if (title := line.group(1).rstrip(" \t#"))), "")
