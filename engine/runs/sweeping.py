"""What was deleted a day ago is removed for good when the workbench starts, not only at the next deletion.

Runs and studies stay hidden instead: they can be restored at any time.
"""

from contextlib import suppress

from engine.core.allowed import OWNER, acting_for
from engine.core.errors import MicroscopeError
from engine.runs.corpora import shelf
from engine.runs.listening import received
from engine.runs.models import listing


def sweep_deletions() -> None:
    """Remove corpora, models and received traces that can no longer be brought back; one that fails stops no other."""
    with acting_for(OWNER):
        for sweep in (shelf.sweep_deletions, listing.remove_for_good, received.sweep_deletions):
            with suppress(MicroscopeError, OSError):
                sweep()
