"""List every sentence of the user interface: ``python -m scripts.ui_sentences [--pages] [FOLDER]``.

Sentences come from the texts (Markdown, YAML, TOML) and from what the pages' code writes: the literals it passes to
Streamlit as a label, a help or a text. ``--pages`` prints words per page instead. FOLDER is another copy of the
program, to compare with. Formulas, code and values of templates are no words.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
TEXTS = ("pages/text/**/*.md", "engine/learning/guide/**/*.md", "engine/learning/lessons/texts/*.md")
TOLD = {"help", "label", "placeholder", "text", "body", "value", "alt"}
WRITES = {
    "title", "header", "subheader", "markdown", "caption", "info", "warning", "error", "success", "button", "checkbox",
    "text_input", "text_area", "selectbox", "radio", "pills", "toggle", "slider", "expander", "popover", "toast",
    "write",
    "form_submit_button", "segmented_control", "number_input", "multiselect", "page_link", "file_uploader", "tabs",
}  # fmt: skip
MOST_WORDS = 20
END = re.compile(r"(?<=[.!?])[\"”’)*]*\s+|\n\s*\n|\n\s*[-*|#>]|:\n|;\s*\n")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
SUMS = re.compile(r"^### Working\n.*?(?=^###? |\Z)", re.MULTILINE | re.DOTALL)
TEMPLATE = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)
VALUE = re.compile(r"\{\{.*?\}\}", re.DOTALL)
NO_WORDS = re.compile(r"```.*?```|\$\$.*?\$\$|`[^`]*`|:material/\w+:|\]\([^)]*\)", re.DOTALL)
WORD = re.compile(r"[^\W_][\w’'.,/-]*")


def sentences_of(text: str) -> Iterator[str]:
    """Yield the sentences of a text; a value that a template fills in is one word.

    >>> list(sentences_of("One run. It has {{ n }} passages."))
    ['One run.', 'It has n passages.']
    """
    text = HEADING.sub(r"\1\n\n", SUMS.sub("", text))
    plain = NO_WORDS.sub(" x ", VALUE.sub("n", TEMPLATE.sub(" ", text)))
    for piece in END.split(plain):
        sentence = " ".join(piece.split()).strip(" |-#*>")
        if words_in(sentence):
            yield sentence


def words_in(sentence: str) -> int:
    """Return how many words a sentence has.

    >>> words_in("The judge reads each pair both ways.")
    7
    """
    return len(WORD.findall(sentence))


def literals_of(script: Path) -> Iterator[str]:
    """Yield what a page's code writes: the first argument of Streamlit's calls, and what they are told by name."""
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
        told = node.args[:1] if name in WRITES else []
        told += [one.value for one in node.keywords if one.arg in TOLD]
        yield from filter(None, map(text_of, told))


def text_of(node: ast.expr) -> str:
    """Return the text of an expression, its values as one word each; "" where it is none."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(one) or "n" for one in node.values)
    if isinstance(node, ast.Call) and node.args:
        return text_of(node.args[0]) if getattr(node.func, "id", "") == "as_text" else ""
    return ""


def sources(folder: Path) -> dict[str, list[str]]:
    """Return the sentences of each file that writes some, by its path in the program."""
    found = {path: list(sentences_of(without_front(path))) for kind in TEXTS for path in sorted(folder.glob(kind))}
    for script in sorted((folder / "pages").rglob("*.py")):
        found[script] = [one for text in literals_of(script) for one in sentences_of(text)]
    return {str(path.relative_to(folder)): told for path, told in found.items() if told}


def without_front(path: Path) -> str:
    """Return a Markdown file without its front matter."""
    text = path.read_text(encoding="utf-8")
    return text.split("---\n", 2)[2] if text.startswith("---\n") else text


def words_by_page(found: dict[str, list[str]]) -> dict[str, int]:
    """Return the words of each page: those of its script and of its texts; shared parts stand under their own name."""
    counted: dict[str, int] = {}
    for path, told in found.items():
        place = Path(path)
        group = place.parent.name if place.parent.name in ("guide", "sections", "texts", "notes") else place.stem
        counted[group] = counted.get(group, 0) + sum(map(words_in, told))
    return dict(sorted(counted.items(), key=lambda pair: -pair[1]))


def too_long(found: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Return each sentence of more than MOST_WORDS words with its file."""
    return [(path, one) for path, told in found.items() for one in told if words_in(one) > MOST_WORDS]


def main() -> None:
    """Print the list, or the words per page."""
    folders = [Path(one) for one in sys.argv[1:] if not one.startswith("--")]
    found = sources(folders[0].resolve() if folders else PROJECT)
    if "--pages" in sys.argv:
        for page, words in words_by_page(found).items():
            print(f"{words:6} {page}")
        return
    for path, told in found.items():
        for sentence in told:
            print(f"{words_in(sentence):3} {path}: {sentence}")


if __name__ == "__main__":
    main()
