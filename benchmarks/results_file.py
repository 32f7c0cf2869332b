"""What files of results say of where they come from, and how long a piece of work takes."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

from engine.core.provenance import library_versions, machine

Found = TypeVar("Found")


def origin() -> dict[str, Any]:
    """Return the machine, and the version of each library that can change a number."""
    return {"machine": machine(), "libraries": dict(library_versions())}


def timed(work: Callable[[], Found], clock: Callable[[], float] = time.process_time) -> tuple[float, Found]:
    """Return the processor's seconds, or those of another clock, and what the work returned."""
    began = clock()
    found = work()
    return clock() - began, found
