"""The numbers to test against: ``reference(name)`` gives one entry of tests/reference/measures.json.

An entry holds where its numbers come from, the inputs, and the expected values (null = NaN or not defined).
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

REFERENCE = Path(__file__).parents[2] / "reference" / "measures.json"


@pytest.fixture(scope="session")
def reference() -> Callable[[str], dict[str, Any]]:
    entries: dict[str, dict[str, Any]] = json.loads(REFERENCE.read_text(encoding="utf-8"))
    return lambda name: entries[name]
