"""One test per rule over many rows of data: it goes on after a failing row and names all of them."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def each_row(rows: Iterable[Any], name: Callable[[Any], object] = str) -> Callable[[Callable[..., None]], Any]:
    """Return a decorator that runs a test over every row as one item; its first parameter is the row.

    All rows are tried. The item fails with the name of each failing row and the first line of its failure. A row that
    skips itself is passed over.
    """
    rows = tuple(rows)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        def over_all_rows(**fixtures: object) -> None:
            failing = {}
            for row in rows:
                try:
                    test(row, **fixtures)
                except pytest.skip.Exception:
                    continue
                except Exception as failure:
                    failing[str(name(row))] = f"{type(failure).__name__}: {failure}".strip().splitlines()[0]
            assert rows and not failing

        shape = inspect.signature(test)
        over_all_rows.__name__, over_all_rows.__doc__ = test.__name__, test.__doc__
        over_all_rows.__signature__ = shape.replace(parameters=[*shape.parameters.values()][1:])  # type: ignore[attr-defined]
        return over_all_rows

    return decorate
