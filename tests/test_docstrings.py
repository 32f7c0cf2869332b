"""Every worked example in a docstring is true."""

import doctest
import importlib
from pathlib import Path

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
