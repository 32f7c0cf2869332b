"""Stopping in the middle of a long prompt: a model reports between its layers, not only between tokens.

One pass over a long prompt takes seconds, in which nobody could stop it. ``watched(model)`` makes every layer ask
whoever listens (``heard_between_layers``) a few times a second; a reporter that raises ends the pass, and no number
changes. Nothing here knows how a model decodes.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from engine.core.progress import Report, TokensDecoded

SECONDS_BETWEEN = 0.1
ATTENTION_NAMES = ("self_attn", "attn", "attention")
Model = TypeVar("Model")


class Listener:
    """Whoever is told, at most every tenth of a second, that the model is still at work."""

    def __init__(self, report: Report) -> None:
        """Hold the reporter; its clock starts now."""
        self._report = report
        self._told = time.monotonic()

    def hear(self) -> None:
        """Report that nothing new was written yet; the reporter may raise to stop."""
        moment = time.monotonic()
        if moment - self._told >= SECONDS_BETWEEN:
            self._told = moment
            self._report(TokensDecoded(count=0))


LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_between_layers(report: Report) -> Iterator[None]:
    """Have every watched model that runs inside, in this thread, report between its layers."""
    token = LISTENER.set(Listener(report))
    try:
        yield
    finally:
        LISTENER.reset(token)


def watched(model: Model) -> Model:
    """Return the torch model after giving each of its layers a hook; one without known layers stays as it is.

    A layer is a module that holds an attention under one of its usual names.
    """
    modules: Any = model
    for module in modules.modules():
        if any(hasattr(module, name) for name in ATTENTION_NAMES):
            module.register_forward_pre_hook(between_layers)
    return model


def between_layers(*_: object) -> None:
    """Tell whoever listens that another layer begins."""
    listener = LISTENER.get()
    if listener is not None:
        listener.hear()
