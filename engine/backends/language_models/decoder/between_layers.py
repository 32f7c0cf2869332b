"""Stopping in the middle of a long prompt: a model reports between its layers, not only between tokens.

One pass over a long prompt takes seconds, in which it could not be stopped. ``with_layer_hooks(model)`` makes every
layer call the reporter (``report_between_layers``) a few times a second; a reporter that raises ends the pass, and no
number changes. Nothing here knows how a model decodes.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from engine.core.progress import Report, TokensDecoded

SECONDS_BETWEEN = 0.1
ATTENTION_NAMES = ("self_attn", "attn", "attention")
Model = TypeVar("Model")


# What the layers of a running pass call.
LISTENER: ContextVar[Callable[[], None] | None] = ContextVar("listener", default=None)


@contextmanager
def report_between_layers(report: Report) -> Iterator[None]:
    """Let every model with hooks that runs inside, in this thread, report at most every tenth of a second."""
    last = time.monotonic()

    def listen() -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= SECONDS_BETWEEN:
            last = now
            report(TokensDecoded(count=0))

    token = LISTENER.set(listen)
    try:
        yield
    finally:
        LISTENER.reset(token)


def with_layer_hooks(model: Model) -> Model:
    """Return the torch model after giving each of its layers a hook; one without known layers stays as it is.

    A layer is a module that holds an attention under one of its usual names.
    """
    modules: Any = model
    for module in modules.modules():
        if any(hasattr(module, name) for name in ATTENTION_NAMES):
            module.register_forward_pre_hook(between_layers)
    return model


def between_layers(*_: object) -> None:
    """Tell the listener, where there is one, that another layer begins."""
    listener = LISTENER.get()
    if listener is not None:
        listener()
