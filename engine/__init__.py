"""Retrieval Microscope: what did the language model do with what was retrieved for one question?

>>> import engine
>>> diagnosis = engine.diagnose("Who designed the Eiffel Tower?", corpus="sample")  # doctest: +SKIP
"""

from typing import Any

from engine.core.threads import wait_briefly

__all__ = ["diagnose"]

wait_briefly()


def __getattr__(name: str) -> Any:
    """Return ``engine.diagnose`` on first use, so that importing a measure does not import every method."""
    if name == "diagnose":
        from engine.runs.run import diagnose

        return diagnose
    raise AttributeError(f"module 'engine' has no attribute {name!r}")
