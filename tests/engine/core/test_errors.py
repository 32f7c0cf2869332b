"""The tree of errors is the one its docstring draws."""

import re

import pytest

from engine.core import errors
from engine.core.errors import MicroscopeError

KINDS = sorted(name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception))


def drawn_parents() -> dict[str, str]:
    """Return each error's parent as the docstring draws it: by the column its name stands in."""
    parents, columns = {}, {}
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r"    ([│├└─ ]*)([A-Z]\w+) {2,}", line)
        if match:
            depth = len(match[1]) // 4
            columns[depth] = match[2]
            parents[match[2]] = columns[depth - 1] if depth else "Exception"
    return parents


@pytest.mark.parametrize("name", KINDS)
def test_an_error_stands_where_it_is_drawn(name: str) -> None:
    assert getattr(errors, name).__base__.__name__ == drawn_parents()[name]


def test_every_error_that_is_drawn_exists() -> None:
    assert sorted(drawn_parents()) == KINDS


@pytest.mark.parametrize("name", KINDS)
def test_an_errors_text_is_its_sentence(name: str) -> None:
    error = getattr(errors, name)("The disk is full.")
    assert str(error) == "The disk is full."
    assert isinstance(error, MicroscopeError)
