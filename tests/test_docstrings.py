"""Every worked example in a docstring is true, and every map of a package is complete."""

import ast
import doctest
import importlib
import re
from pathlib import Path

import pytest

from engine.methods import METHODS
from engine.methods.timing.policies import POLICIES
from tests.each_row import each_row

PROJECT = Path(__file__).resolve().parent.parent
FILES = [PROJECT / "retrieval_microscope.py"]
FILES += [path for folder in ("engine", "viz", "pages") for path in (PROJECT / folder).rglob("*.py")]
WITH_EXAMPLES = sorted(
    ".".join(path.relative_to(PROJECT).with_suffix("").parts)
    for path in FILES
    if ">>> " in path.read_text(encoding="utf-8")
)


@each_row(WITH_EXAMPLES)
def test_the_examples_of_a_module_are_true(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried > 0
    assert failed == 0


@pytest.mark.parametrize(
    ("package", "together"), [("measures", ()), ("catalogue", tuple(METHODS)), ("methods/timing", tuple(POLICIES))]
)
def test_the_map_of_a_package_names_each_of_its_modules(package: str, together: tuple[str, ...]) -> None:
    """``together`` are those that stand on one line: one module a method, one a policy."""
    folder = PROJECT / "engine" / package
    described = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    named = set(re.findall(r"^ *(\w+) {2,}\S", described, flags=re.MULTILINE))
    modules = {file.stem for file in folder.glob("*.py")} - {"__init__", *together}
    assert modules <= named
    assert not named - modules - {"toml", *together}
