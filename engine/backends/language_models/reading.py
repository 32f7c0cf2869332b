"""Whose prompts a model reads: those of one run are let go when another's come.

In bfloat16 a product of a few rows rounds otherwise than one of many, on some processors and with some numbers of
threads. So what a prompt's beginning comes to depends on how much was read with it, and a beginning that was read for
another question would make a record depend on what was asked before. Within a run the order is always the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_RUN: ContextVar[object] = ContextVar("run", default=None)


@contextmanager
def one_run(run: object = None) -> Iterator[None]:
    """Read for one run in the block and in this thread; inside another such block for that one.

    Runs that share their batches name what they have in common: ``run``.
    """
    if current_run() is not None:
        yield
        return
    before = _RUN.set(object() if run is None else run)
    try:
        yield
    finally:
        _RUN.reset(before)


def current_run() -> object:
    """Return what stands for the run that is computed in this thread; None outside of runs."""
    return _RUN.get()
