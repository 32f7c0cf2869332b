"""Rules of the house that a reader would otherwise have to check by eye, over every committed file."""

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
LONGEST_FUNCTION = 60
SHORT_FUNCTION = 35
SHORT_SHARE = 0.9
# Written so that this file does not break its own rules.
LEFT_OVER = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "HA" + "CK")) + r")\b")
MACHINE_PATH = re.compile(
    r"(?<![\w.:/~])/(?:" + "|".join(("ho" + "me", "Us" + "ers", "ro" + "ot", "wo" + "rk", "t" + "mp")) + r")/(?!me/)\w"
)
# What writes untrusted text so that it is text; ``viz.words.wrapped`` escapes each of its lines.
ESCAPES = re.compile(r"\b(plain|escape|escape_html|on_figure|wrapped)\(")
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
FORBIDDEN_IMPORTS = ("pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal")


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
OURS = [path for path in CODE if path.parts[0] in ("engine", "viz", "pages", "app.py")]
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


@pytest.mark.parametrize("path", CODE, ids=str)
def test_nothing_catches_every_exception_there_is(path: Path) -> None:
    handlers = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.ExceptHandler)]
    too_wide = [handler.lineno for handler in handlers if "BaseException" in caught(handler)]
    assert not too_wide, f"{path}: lines {too_wide}"


def test_any_exception_is_caught_only_to_be_raised_as_ours_or_at_the_two_borders() -> None:
    borders = {"engine/runs/jobs/desk.py", "pages/shared/run_panel.py"}
    kept = [
        f"{path}:{node.lineno}"
        for path in OURS
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ExceptHandler) and "Exception" in caught(node)
        if str(path) not in borders and not isinstance(node.body[-1], ast.Raise)
    ]
    assert not kept


@pytest.mark.parametrize("path", CODE, ids=str)
def test_no_handler_hides_what_it_caught(path: Path) -> None:
    silent = [
        node.lineno
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ExceptHandler) and all(isinstance(line, ast.Pass) for line in node.body)
    ]
    assert not silent, f"{path}: lines {silent} catch and do nothing"


@pytest.mark.parametrize("path", CODE, ids=str)
def test_no_function_is_longer_than_sixty_lines(path: Path) -> None:
    long = {function.name: lines_of(function) for function in functions(path) if lines_of(function) > LONGEST_FUNCTION}
    assert not long


def test_nine_functions_in_ten_are_under_thirty_five_lines() -> None:
    lengths = [lines_of(function) for path in OURS for function in functions(path)]
    assert sum(length < SHORT_FUNCTION for length in lengths) / len(lengths) >= SHORT_SHARE


@pytest.mark.parametrize("path", OURS, ids=str)
def test_a_module_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(tree_of(path)) or not read(path), f"{path} has no docstring"


@pytest.mark.parametrize("path", [path for path in OURS if path.parts[0] in ("engine", "viz")], ids=str)
def test_public_functions_and_classes_say_what_they_return_or_are(path: Path) -> None:
    tree = tree_of(path)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    members = [node for one in classes for node in one.body if isinstance(node, Function)]
    public = [
        node for node in (*tree.body, *members) if isinstance(node, Function | ast.ClassDef) and node.name[0] != "_"
    ]
    assert not [node.name for node in public if not ast.get_docstring(node)]


@pytest.mark.parametrize("path", TEXTS, ids=str)
def test_no_note_to_self_is_left_and_no_path_of_a_machine(path: Path) -> None:
    for number, line in enumerate(read(path).splitlines(), start=1):
        assert not LEFT_OVER.search(line) or path.suffix in (".jsonl", ".json", ".csv"), (
            f"{path}:{number}: {line[:120]}"
        )
        assert not MACHINE_PATH.search(line), f"{path}:{number}: {line[:120]}"


@pytest.mark.parametrize("path", [path for path in TEXTS if path != Path(".ci/run")], ids=str)
def test_nothing_points_out_of_the_project(path: Path) -> None:
    assert not BEYOND_PROJECT.search(read(path))


@pytest.mark.parametrize("path", CODE, ids=str)
def test_nothing_is_loaded_that_could_run_code(path: Path) -> None:
    tree = tree_of(path)
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert not imported & set(FORBIDDEN_IMPORTS)
    keywords = [node for node in ast.walk(tree) if isinstance(node, ast.keyword)]
    trusting = [k for k in keywords if k.arg in ("trust_remote_code", "allow_pickle") and not is_false(k.value)]
    assert not trusting, f"{path}:{trusting[0].value.lineno}"
    assert not [
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) in ("eval", "exec")
    ]


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


@pytest.mark.parametrize("path", [path for path in OURS if path.parts[0] in ("pages", "app.py")], ids=str)
def test_a_page_draws_no_html_it_put_together_itself(path: Path) -> None:
    assert not unescaped(tree_of(path))


@pytest.mark.parametrize("path", [path for path in OURS if path.parts[0] == "viz"], ids=str)
def test_a_drawing_that_writes_markup_escapes_text(path: Path) -> None:
    texts = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.JoinedStr)]
    markup = [
        node
        for node in texts
        if any(isinstance(part, ast.Constant) and "</" in str(part.value) for part in node.values)
    ]
    assert not markup or ESCAPES.search(read(path)), f"{path} escapes nothing"


def test_every_csv_is_written_where_formulas_are_made_text() -> None:
    inside = [path for path in OURS if ".to_" + "csv(" in (PROJECT / path).read_text(encoding="utf-8")]
    assert inside == [Path("viz/csv_text.py")]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("see /ho" + "me/anna/project", True),
        ("open('/t" + "mp/x')", True),
        ("https://example.org/ho" + "me/page", False),
        ("a/wo" + "rk/b", False),
    ],
)
def test_a_machines_path_is_told_from_an_address(line: str, found: bool) -> None:
    assert bool(MACHINE_PATH.search(line)) is found


def test_html_put_together_on_the_spot_is_seen() -> None:
    assert unescaped(ast.parse("import streamlit as st\nst.html(f'<b>{x}</b>')\nst.html(f'<p>{drawn(x)}</p>')")) == [2]
    assert unescaped(ast.parse("st.markdown('<b>' + x, unsafe_allow_html=True)")) == [1]
