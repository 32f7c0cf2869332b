"""List every sentence of the user interface: ``python -m scripts.ui_sentences [--pages] [FOLDER]``.

Sentences come from the texts (Markdown), from what the pages' code passes to Streamlit as a label, a help or a text,
and from the prose literals of code in ``pages`` and ``viz``: those of LEAST_PROSE words and more, docstrings aside.
``--pages`` prints words per page instead, with a FOLDER those of that copy of the program beside them, and
``--json`` writes both. Formulas, code and values of templates are no words.

Three sources stand on the list but are counted apart, since the first count did not have them: templates, scripts for
the browser, and the sentences of the engine's errors.
"""

import ast
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import yaml

from engine.core import errors

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
DATA = (
    "viz/*.yaml", "engine/catalogue/*.*ml", "engine/learning/atlas/*.yaml", "engine/annotations/*.yaml",
    "pages/text/settings/*.json",
)  # fmt: skip
CODE = (
    "pages/**/*.py", "viz/**/*.py", "engine/atlas/*.py", "engine/learning/atlas/*.py", "engine/annotations/fields.py",
)  # fmt: skip
APART = {
    "templates": ("viz/templates/*.html.j2", "viz/templates/*.svg.j2"),
    "scripts": ("pages/**/*.js", "viz/templates/*.js.j2"),
    "errors": ("engine/**/*.py",),
}  # fmt: skip
ERRORS = {name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, Exception)}
LEAST_PROSE = 5
LEAST_SCRIPT = 2  # words of a script's literal; a name of a class or an event is one
CONDITION = "when"  # an expression, no words
# A page's parts stand in these folders; a file elsewhere belongs to the page of its own name.
FOLDERS = {
    "annotating": "annotate", "what_if": "what_if", "teaching": "lessons", "lessons": "lessons", "studying": "studies",
    "guide": "guide", "atlas": "atlas", "annotations": "annotate", "texts": "lessons",
    "numbers": "numbers",
}  # fmt: skip
MEASURED = ("judge", "planted", "thresholds", "policies")
NAMES = {
    "study": "studies", "guide_texts": "guide", "noise": "what_if", "own_rewording": "what_if",
    "other_differences": "what_if", "quco_counts": "quco_rag", "network_counts": "quco_rag",
    "seper_weights": "seper", "soft_and_hard": "seper", "utility_figure": "chunk_utility",
    "trace_format": "trace", "compared_intervals": "compare", "atlas_stories": "atlas",
    "lesson_answers": "lessons", "nothing_to_label": "annotate", "annotations": "annotate",
    "threshold_lab": "thresholds", "calibration": "measured", "known_truth": "measured", "judge_quality": "measured",
    "timing_measured": "measured", "reranking": "forms",
}  # fmt: skip
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


def read_data(path: Path) -> object:
    """Return what a YAML or TOML file holds."""
    text = path.read_text(encoding="utf-8")
    return tomllib.loads(text) if path.suffix == ".toml" else yaml.safe_load(text)


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


def sources(folder: Path) -> dict[str, list[str]]:
    """Return the sentences of each file that writes some, by its path in the program."""
    found = {path: list(sentences_of(without_front(path))) for kind in TEXTS for path in sorted(folder.glob(kind))}
    for path in (path for kind in DATA for path in sorted(folder.glob(kind))):
        found[path] = [one for text in dict.fromkeys(prose_in(read_data(path))) for one in sentences_of(text)]
    for script in (path for kind in CODE for path in sorted(folder.glob(kind))):
        labels = literals_of(script) if "pages" in script.relative_to(folder).parts else ()
        found[script] = [one for text in dict.fromkeys((*labels, *prose_of(script))) for one in sentences_of(text)]
    return {str(path.relative_to(folder)): told for path, told in found.items() if told}


def apart(folder: Path) -> dict[str, dict[str, list[str]]]:
    """Return the sentences that are counted apart, by source and file; a file on the list above is not read again."""
    read = {"templates": said_in_template, "scripts": said_in_script, "errors": said_in_errors}
    listed = sources(folder)
    return {
        source: {
            str(path.relative_to(folder)): told
            for path in sorted(path for kind in kinds for path in folder.glob(kind))
            if str(path.relative_to(folder)) not in listed
            and (told := list(dict.fromkeys(one for text in read[source](path) for one in sentences_of(text))))
        }
        for source, kinds in APART.items()
    }


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


def without_front(path: Path) -> str:
    """Return a Markdown file without its front matter."""
    text = path.read_text(encoding="utf-8")
    return text.split("---\n", 2)[2] if text.startswith("---\n") else text


def words_by_page(found: dict[str, list[str]]) -> dict[str, int]:
    """Return the words of each page: those of its script, of its texts and of what draws it."""
    counted: Counter[str] = Counter()
    for path, told in found.items():
        counted[page_of(Path(path))] += sum(map(words_in, told))
    return dict(counted.most_common())


def page_of(path: Path) -> str:
    """Return the page whose words a file has; one of several pages' words is its own name.

    >>> page_of(Path("viz/dense.py")), page_of(Path("pages/what_if/editing.py"))
    ('dense', 'what_if')
    """
    if path.parts[:3] == ("engine", "learning", "guide"):
        return "measured" if path.stem in MEASURED else "guide"
    if path.parent.name == "settings":
        return "forms" if path.stem == "ask" else path.stem
    if path.parts[:2] == ("engine", "catalogue"):
        return "numbers"
    return NAMES.get(path.stem) or FOLDERS.get(path.parent.name) or path.stem


def too_long(found: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Return each sentence of more than MOST_WORDS words with its file."""
    return [(path, one) for path, told in found.items() for one in told if words_in(one) > MOST_WORDS]


def words_apart() -> dict[str, int]:
    """Return the words of each source that is counted apart."""
    return {
        source: sum(words_in(one) for told in found.values() for one in told)
        for source, found in apart(PROJECT).items()
    }


def main() -> None:
    """Print the list, or the words per page."""
    folders = [Path(one) for one in sys.argv[1:] if not one.startswith("--")]
    before = words_by_page(sources(folders[0].resolve())) if folders else {}
    found = sources(PROJECT)
    now = words_by_page(found)
    if "--json" in sys.argv:
        print(json.dumps({"before": before, "now": now, "apart": words_apart()}, indent=1, sort_keys=True))
    elif "--pages" in sys.argv:
        for page in sorted({*before, *now}, key=lambda page: -max(before.get(page, 0), now.get(page, 0))):
            print(f"{before.get(page, 0):6} {now.get(page, 0):6} {page}")
        for source, words in words_apart().items():
            print(f"{'':6} {words:6} {source}, counted apart")
        print(f"{sum(before.values()):6} {sum(now.values()):6} together")
    else:
        for path, told in (
            found | {path: told for one in apart(PROJECT).values() for path, told in one.items()}
        ).items():
            for sentence in told:
                print(f"{words_in(sentence):3} {path}: {sentence}")


if __name__ == "__main__":
    main()
