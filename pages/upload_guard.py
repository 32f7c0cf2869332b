"""How much of what browsers send the server holds in memory, where others than the owner may come.

Streamlit holds every file that a browser sends until its tab is closed. It takes them from any tab, also from one that
has not signed in, under any name and without a sum (Streamlit 1.67, ``MemoryUploadedFileManager.add_file``). So a few
requests of a stranger could fill the memory. Here a tab sends files once its person has been let in, and no more than
one person may keep; all tabs together are held to what the machine can bear.
"""

from collections.abc import Mapping
from typing import Protocol

from starlette.exceptions import HTTPException
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from engine.core.allowed import is_restricted
from engine.core.hosting import Hosting, hosting

MOST_TABS = 4  # as many tabs' worth of files are held at once


class Manager(Protocol):
    """What Streamlit holds: by tab, then by a file's id."""

    @property
    def file_storage(self) -> Mapping[str, Mapping[str, UploadedFileRec]]:
        """The files of every tab."""


def guard_uploads() -> None:
    """Let Streamlit take no more than a tab may send."""
    take = MemoryUploadedFileManager.add_file

    def take_guarded(manager: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec) -> None:
        if is_restricted():
            refuse_upload(manager, session_id, len(file.data))
        take(manager, session_id, file)

    MemoryUploadedFileManager.add_file = take_guarded  # type: ignore[assignment, method-assign]


def refuse_upload(manager: Manager, tab: str, size: int) -> None:
    """Raise HTTPException, which Streamlit answers a browser with, where a tab may not send so many bytes more."""
    from pages.shared.visitors import is_let_in  # with all that draws pages: not before the server answers

    stated = hosting() or Hosting()
    if stated.sign_in is not None and not is_let_in(tab):
        raise HTTPException(status_code=403, detail="Sign in first")
    most = stated.limits.corpora * stated.limits.upload_mb * 2**20
    held = {name: bytes_of(files) for name, files in [*manager.file_storage.items()]}
    if held.get(tab, 0) + size > most or sum(held.values()) + size > MOST_TABS * most:
        raise HTTPException(status_code=413, detail="Too much is held in memory already")


def bytes_of(files: Mapping[str, UploadedFileRec]) -> int:
    """Return how many bytes files hold."""
    return sum(len(file.data) for file in [*files.values()])
