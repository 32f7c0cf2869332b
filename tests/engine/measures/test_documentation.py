"""Every worked example in the docstrings of engine.measures holds, and no public function lacks one."""

import ast
import doctest
import importlib
import inspect
import json
import pkgutil
from pathlib import Path

import engine.measures
from tests.each_row import each_row

MODULES = sorted(module.name for module in pkgutil.iter_modules(engine.measures.__path__))
HERE = Path(__file__).parent


@each_row(MODULES)
def test_worked_examples_hold(name):
    module = importlib.import_module(f"engine.measures.{name}")
    result = doctest.testmod(module)
    assert result.attempted > 0 and result.failed == 0


@each_row(MODULES)
def test_every_function_has_an_example_and_stays_under_35_lines_of_code(name):
    module = importlib.import_module(f"engine.measures.{name}")
    for function in ast.parse(inspect.getsource(module)).body:
        if isinstance(function, ast.FunctionDef):
            text = ast.get_docstring(function) or ""
            assert text.startswith("Returns ") and ">>>" in text, function.name
            code_starts = function.body[0].end_lineno
            assert function.end_lineno - code_starts < 35, function.name


@each_row(MODULES)
def test_measures_import_nothing_but_numpy_scipy_and_each_other(name):
    tree = ast.parse(inspect.getsource(importlib.import_module(f"engine.measures.{name}")))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    standard = {"typing", "collections", "collections.abc", "dataclasses", "functools", "itertools", "re", "string"}
    standard |= {"__future__", "fractions", "math", "unicodedata"}
    allowed = ("numpy", "scipy", "engine.measures.")
    assert [module for module in imported - standard if not module.startswith(allowed)] == []


def test_every_reference_entry_names_its_origin_and_is_used_by_a_test():
    entries = json.loads((HERE.parents[1] / "reference" / "measures.json").read_text(encoding="utf-8"))
    tests = "".join(path.read_text(encoding="utf-8") for path in HERE.glob("test_*.py"))
    assert len(entries) == 81
    assert all(entry["origin"] for entry in entries.values())
    assert [name for name in entries if f'"{name}"' not in tests] == []


@each_row(MODULES)
def test_help_names_array_like_instead_of_the_seven_kinds_that_it_stands_for(name):
    for function in vars(importlib.import_module(f"engine.measures.{name}")).values():
        if inspect.isfunction(function) and function.__module__ == f"engine.measures.{name}":
            assert "numpy._typing" not in str(inspect.signature(function)), function.__name__
