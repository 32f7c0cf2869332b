"""List every sentence of the user interface: ``python -m scripts.ui_sentences``. The tests hold each to twenty words.

Sentences come from the texts (Markdown), from what the pages' code passes to Streamlit as a label, a help or a text,
from the prose literals of code in ``pages`` and ``viz`` (those of LEAST_PROSE words and more, docstrings aside), from
templates, from scripts for the browser, and from the errors of the engine. Formulas, code and values of templates are
no words.
"""

import ast
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import yaml

from engine.core import errors

PROJECT = Path(__file__).resolve().parents[1]
TOLD = {"help", "label", "placeholder", "text", "body", "value", "alt"}
WRITES = {
    "title", "header", "subheader", "markdown", "caption", "info", "warning", "error", "success", "button", "checkbox",
    "text_input", "text_area", "selectbox", "radio", "pills", "toggle", "slider", "expander", "popover", "toast",
    "write",
    "form_submit_button", "segmented_control", "number_input", "multiselect", "page_link", "file_uploader", "tabs",
}  # fmt: skip
MOST_WORDS = 20
ERRORS = {name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, Exception)}
LEAST_PROSE = 5
LEAST_SCRIPT = 2  # words of a script's literal; a name of a class or an event is one
CONDITION = "when"  # an expression, no words
END = re.compile(r"(?<=[.!?])[\"”’)*]*\s+|\n\s*\n|\n\s*[-*|#>]|:\n|;\s*\n")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
SUMS = re.compile(r"^### Working\n.*?(?=^###? |\Z)", re.MULTILINE | re.DOTALL)
TEMPLATE = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)
VALUE = re.compile(r"\{\{.*?\}\}", re.DOTALL)
COLUMNS_OR_CODE = re.compile(r"[<\\]|\w\|\w|\bimport \w+|=>|^microscope ")
NO_WORDS = re.compile(r"```.*?```|\$\$.*?\$\$|`[^`]*`|:material/\w+:|\]\([^)]*\)", re.DOTALL)
COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
PICTURED = re.compile(r"<style.*?</style>|<script.*?</script>|<!--.*?-->", re.DOTALL)
SAID_BY = re.compile(r"\b(?:title|aria-label|alt|placeholder)=\"([^\"]*)\"")
TAG = re.compile(r"<[^>]*>")
QUOTED = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"|`((?:[^`\\]|\\.)*)`|'((?:[^'\\\n]|\\.)*)'")
FILLED = re.compile(r"\$\{[^}]*\}")
STYLE = re.compile(r"\w:\S*;")
NO_PROSE = re.compile(r"[<>={};#]|--|\w\(|\.\w+[ ,]|\(prefers-|^\.|^(?:chip|mark) ")
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


def prose_of(script: Path) -> Iterator[str]:
    """Yield the prose in a file's code, wherever it goes to: its literals of LEAST_PROSE words and more."""
    tree = ast.parse(script.read_text(encoding="utf-8"))
    within = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in within | told:
            text = text_of(node)
            if not COLUMNS_OR_CODE.search(text) and words_in(text) >= LEAST_PROSE:
                yield text


def prose_of_data(path: Path) -> Iterator[str]:
    """Yield the prose in a YAML, TOML or JSON file."""
    text = path.read_text(encoding="utf-8")
    yield from prose_in(tomllib.loads(text) if path.suffix == ".toml" else yaml.safe_load(text))


def prose_in(data: object) -> Iterator[str]:
    """Yield the strings of LEAST_PROSE words and more in what a file holds."""
    if isinstance(data, str):
        if not COLUMNS_OR_CODE.search(data) and words_in(data) >= LEAST_PROSE:
            yield data
    elif isinstance(data, dict | list):
        parts = [one for name, one in data.items() if name != CONDITION] if isinstance(data, dict) else data
        for one in parts:
            yield from prose_in(one)


def text_of(node: ast.expr) -> str:
    """Return the text of an expression, its values as one word each; "" where it is none."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(one) or "n" for one in node.values)
    if isinstance(node, ast.Call) and node.args:
        return text_of(node.args[0]) if getattr(node.func, "id", "") == "as_text" else ""
    return ""


def said_in_template(path: Path) -> Iterator[str]:
    """Yield the texts of a template: what stands between its tags, and what its attributes say."""
    text = VALUE.sub("n", TEMPLATE.sub(" ", PICTURED.sub(" ", path.read_text(encoding="utf-8"))))
    for said in (*SAID_BY.findall(text), *TAG.split(text)):
        if words_in(said.replace("n", "")) and not STYLE.search(said):
            yield said


def said_in_script(path: Path) -> Iterator[str]:
    """Yield the literals of a script that are prose: LEAST_SCRIPT words and more, and nothing of a program in them."""
    for found in QUOTED.findall(COMMENT.sub(" ", path.read_text(encoding="utf-8"))):
        said = FILLED.sub("n", "".join(found))
        if words_in(said) >= LEAST_SCRIPT and " " in said.strip() and not NO_PROSE.search(said):
            yield said


def said_in_errors(path: Path) -> Iterator[str]:
    """Yield what the errors say that a module makes: literals, and the module's constants that it names."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ERRORS:
            for one in node.args[:1]:
                yield text_of(named.get(one.id, one) if isinstance(one, ast.Name) else one)


def prose_of_text(path: Path) -> Iterator[str]:
    """Yield a Markdown file without its front matter."""
    text = path.read_text(encoding="utf-8")
    yield text.split("---\n", 2)[2] if text.startswith("---\n") else text


def said_by_page(script: Path) -> Iterator[str]:
    """Yield what a page's code says: what it passes to Streamlit, and its prose."""
    yield from literals_of(script)
    yield from prose_of(script)


# What is read, and how. A file that several patterns match is read by the first.
READERS: dict[str, Callable[[Path], Iterable[str]]] = {
    "pages/text/**/*.md": prose_of_text,
    "engine/learning/guide/**/*.md": prose_of_text,
    "engine/learning/lessons/texts/*.md": prose_of_text,
    "viz/**/*.yaml": prose_of_data,
    "engine/catalogue/*.*ml": prose_of_data,
    "engine/learning/atlas/*.yaml": prose_of_data,
    "engine/annotations/*.yaml": prose_of_data,
    "pages/text/settings/*.json": prose_of_data,
    "pages/**/*.py": said_by_page,
    "viz/**/*.py": prose_of,
    "engine/learning/atlas/*.py": prose_of,
    "engine/annotations/fields.py": prose_of,
    "viz/templates/*.html.j2": said_in_template,
    "viz/templates/*.svg.j2": said_in_template,
    "pages/**/*.js": said_in_script,
    "viz/templates/*.js.j2": said_in_script,
    "engine/**/*.py": said_in_errors,
}


def sources(folder: Path) -> dict[str, list[str]]:
    """Return the sentences of each file that says some, by its path in the program; a literal said twice is one."""
    readers = {path: read for pattern, read in reversed(READERS.items()) for path in folder.glob(pattern)}
    found = {
        str(path.relative_to(folder)): [one for text in dict.fromkeys(read(path)) for one in sentences_of(text)]
        for path, read in sorted(readers.items())
    }
    return {path: told for path, told in found.items() if told}


def too_long(found: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Return each sentence of more than MOST_WORDS words with its file."""
    return [(path, one) for path, told in found.items() for one in told if words_in(one) > MOST_WORDS]


def main() -> None:
    """Print each sentence behind the number of its words and its file."""
    for path, told in sources(PROJECT).items():
        for sentence in told:
            print(f"{words_in(sentence):3} {path}: {sentence}")


if __name__ == "__main__":
    main()
