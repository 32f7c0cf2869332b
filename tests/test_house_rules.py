"""The rules that no linter can check, over every committed file: one test per rule, which lists all that breaks it.

What ruff, mypy and import-linter check stands in pyproject.toml.
"""

import ast
import re
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
LONGEST_FILE = 500
LONGEST_FUNCTION = 60
SHORT_FUNCTION = 35
SHORT_SHARE = 0.9
# Written so that this file does not break its own rules.
LEFT_OVER = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "HA" + "CK")) + r")\b")
MACHINE_PATH = re.compile(
    r"(?<![\w.:/~])/(?:" + "|".join(("ho" + "me", "Us" + "ers", "ro" + "ot", "wo" + "rk", "t" + "mp")) + r")/(?!me/)\w"
)
# What writes untrusted text so that it is text; ``viz.parts.words.wrapped`` escapes each of its lines.
ESCAPES = re.compile(r"\b(plain|escape|escape_html|on_figure|wrapped|tag_safe)\(")
BEYOND_PROJECT = re.compile(r"\.\./sha" + "red")
TEXT_SUFFIXES = {
    ".py",
    ".md",
    ".toml",
    ".txt",
    ".json",
    ".jsonl",
    ".lock",
    ".csv",
    ".yml",
    ".yaml",
    ".css",
    ".js",
    ".html",
    "",
}


def tracked_files() -> list[Path]:
    """Return every file git keeps or would keep, relative to the project; all files where there is no git."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=PROJECT, capture_output=True, check=True).stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        hidden = {".venv", ".git", ".cache"}
        found = (path.relative_to(PROJECT) for path in PROJECT.rglob("*"))
        listed = [str(path) for path in found if not hidden & set(path.parts)]
    return sorted(Path(name) for name in listed if name and (PROJECT / name).is_file())


FILES = tracked_files()
CODE = [path for path in FILES if path.suffix == ".py" and path.parts[0] != "tests"]
OURS = [path for path in CODE if path.parts[0] in ("engine", "viz", "pages", "app.py", "retrieval_microscope.py")]
TEXTS = [path for path in FILES if path.suffix in TEXT_SUFFIXES]
Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def read(path: Path) -> str:
    """Return a file's text."""
    return (PROJECT / path).read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    """Return a file as a syntax tree."""
    return ast.parse(read(path))


def functions(path: Path) -> Iterator[Function]:
    """Yield every function of a file, methods and inner ones too."""
    yield from (node for node in ast.walk(tree_of(path)) if isinstance(node, Function))


def lines_of(function: Function) -> int:
    """Return how many lines a function has, its docstring not counted: a long explanation is no long thought."""
    first = function.body[0]
    explained = (first.end_lineno or 0) - first.lineno + 1 if ast.get_docstring(function) else 0
    return (function.end_lineno or 0) - function.lineno + 1 - explained


def caught(handler: ast.ExceptHandler) -> set[str]:
    """Return the names of the exceptions a handler catches; a bare one catches BaseException."""
    if handler.type is None:
        return {"BaseException"}
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {ast.unparse(kind) for kind in kinds}


def test_any_exception_is_caught_only_to_be_raised_as_ours_or_at_a_border() -> None:
    borders = {
        "engine/runs/jobs/desk.py",
        "engine/runs/studies/worker_process.py",
        "engine/runs/corpora/indexing.py",
        "engine/runs/listening/diagnosing.py",
        "engine/runs/listening/inbox.py",
        "engine/diagnosis/traces/listeners/seen_runs.py",
        "pages/shared/run_panel.py",
    }
    handlers = [
        (f"{path}:{node.lineno}", caught(node), str(path) in borders or isinstance(node.body[-1], ast.Raise))
        for path in CODE
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ExceptHandler)
    ]
    assert [place for place, kinds, _ in handlers if "BaseException" in kinds] == []
    ours = tuple(str(path) for path in OURS)
    assert [
        place for place, kinds, fine in handlers if "Exception" in kinds and not fine and place.startswith(ours)
    ] == []


def test_no_file_of_code_is_longer_than_five_hundred_lines() -> None:
    lengths = {str(path): len(read(path).splitlines()) for path in FILES if path.suffix == ".py"}
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_no_function_is_longer_than_sixty_lines() -> None:
    lengths = {f"{path}:{function.name}": lines_of(function) for path in CODE for function in functions(path)}
    assert {name: length for name, length in lengths.items() if length > LONGEST_FUNCTION} == {}


def test_nine_functions_in_ten_are_under_thirty_five_lines() -> None:
    lengths = [lines_of(function) for path in OURS for function in functions(path)]
    assert sum(length < SHORT_FUNCTION for length in lengths) / len(lengths) >= SHORT_SHARE


def test_public_functions_and_classes_say_what_they_return_or_are() -> None:
    """Ruff's D rules pass over what a module's ``__all__`` does not name."""
    silent = []
    for path in (path for path in OURS if path.parts[0] in ("engine", "viz")):
        classes = [node for node in tree_of(path).body if isinstance(node, ast.ClassDef)]
        parts = [*tree_of(path).body, *(node for one in classes for node in one.body if isinstance(node, Function))]
        public = [node for node in parts if isinstance(node, Function | ast.ClassDef) and node.name[0] != "_"]
        silent += [f"{path}:{node.name}" for node in public if not ast.get_docstring(node)]
    assert silent == []


def breaking(pattern: re.Pattern[str], paths: Iterable[Path]) -> list[str]:
    """Return path, number and text of every line in which the pattern is found."""
    return [
        f"{path}:{number}: {line[:120]}"
        for path in paths
        if pattern.search(read(path))
        for number, line in enumerate(read(path).splitlines(), start=1)
        if pattern.search(line)
    ]


def test_no_note_to_self_is_left() -> None:
    assert breaking(LEFT_OVER, [path for path in TEXTS if path.suffix not in (".jsonl", ".json", ".csv")]) == []


def test_no_file_names_a_path_of_a_machine_or_points_out_of_the_project() -> None:
    assert breaking(MACHINE_PATH, TEXTS) == []
    assert breaking(BEYOND_PROJECT, [path for path in TEXTS if path != Path(".ci/run")]) == []


def test_nothing_is_loaded_that_could_run_code() -> None:
    trusting = [
        f"{path}:{node.value.lineno}"
        for path in CODE
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.keyword)
        and node.arg in ("trust_remote_code", "allow_pickle")
        and not is_false(node.value)
    ]
    assert trusting == []


BUILDS_A_MODEL = re.compile(r"^(\w*For\w+\.from_(pretrained|config)|SentenceTransformer)$")


def built_outside_of_opening(tree: ast.AST) -> list[int]:
    """Return the lines where a model is built while another thread may build one too."""
    calls = {
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and BUILDS_A_MODEL.match(ast.unparse(node.func))
    }
    alone = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.With) and any(ast.unparse(item.context_expr) == "OPENING" for item in node.items)
        for inner in ast.walk(node)
    }
    return sorted(call.lineno for call in calls - alone)


def test_one_model_is_built_at_a_time() -> None:
    assert built_outside_of_opening(ast.parse("with OPENING:\n    AutoModelForCausalLM.from_config(c)")) == []
    assert built_outside_of_opening(ast.parse("x = SentenceTransformer(f)\nBertForX.from_pretrained(f)")) == [1, 2]
    assert {str(path): lines for path in OURS if (lines := built_outside_of_opening(tree_of(path)))} == {}


def is_false(node: ast.expr) -> bool:
    """Return whether an expression is the literal False."""
    return isinstance(node, ast.Constant) and node.value is False


def is_made(node: ast.expr) -> bool:
    """Return whether HTML is a name, a literal or a call, or an f-string that holds nothing but literals and calls."""
    if isinstance(node, ast.JoinedStr):
        return all(isinstance(part.value, ast.Call) for part in node.values if isinstance(part, ast.FormattedValue))
    return not isinstance(node, ast.BinOp)


def unescaped(tree: ast.AST) -> list[int]:
    """Return the lines where Streamlit draws HTML that no function of viz or the pages has made.

    What is drawn as HTML must be a literal or come from calls (functions of ``viz``, which escape): never a value put
    into markup on the spot.
    """
    lines = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = ast.unparse(node.func)
        unsafe = any(k.arg == "unsafe_allow_html" and not is_false(k.value) for k in node.keywords)
        if (name.endswith(".html") or unsafe) and not is_made(node.args[0]):
            lines.append(node.lineno)
    return lines


def test_a_page_draws_no_html_it_put_together_itself() -> None:
    pages = [path for path in OURS if path.parts[0] in ("pages", "app.py")]
    assert {str(path): lines for path in pages if (lines := unescaped(tree_of(path)))} == {}


def writes_markup(tree: ast.AST) -> bool:
    """Return whether a value is put between tags in an f-string."""
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr))
    return any(isinstance(part, ast.Constant) and "</" in str(part.value) for node in texts for part in node.values)


def test_a_drawing_that_writes_markup_escapes_text() -> None:
    drawings = [path for path in OURS if path.parts[0] == "viz" and writes_markup(tree_of(path))]
    assert len(drawings) > 10
    assert [str(path) for path in drawings if not ESCAPES.search(read(path))] == []


def test_every_csv_is_written_where_formulas_are_made_text() -> None:
    inside = [path for path in OURS if ".to_" + "csv(" in (PROJECT / path).read_text(encoding="utf-8")]
    assert inside == [Path("viz/parts/csv_text.py")]


def test_static_tables_are_drawn_where_their_cells_are_made_text() -> None:
    inside = [path for path in OURS if "st.ta" + "ble(" in read(path)]
    assert inside == [Path("pages/shared/plain_table.py")]


def test_a_machines_path_is_told_from_an_address() -> None:
    paths = ["see /ho" + "me/anna/project", "open('/t" + "mp/x')"]
    addresses = ["https://example.org/ho" + "me/page", "a/wo" + "rk/b"]
    assert [bool(MACHINE_PATH.search(line)) for line in (*paths, *addresses)] == [True, True, False, False]


def test_html_put_together_on_the_spot_is_seen() -> None:
    assert unescaped(ast.parse("import streamlit as st\nst.html(f'<b>{x}</b>')\nst.html(f'<p>{drawn(x)}</p>')")) == [2]
    assert unescaped(ast.parse("st.markdown('<b>' + x, unsafe_allow_html=True)")) == [1]
