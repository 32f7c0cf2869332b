"""Whether a hosted workbench is well: the server answers, both stores can be used, the worker beats, the disk has room.

Streamlit's own address for this (``/_stcore/health``) says only that the web server runs.
"""

import os
import shutil
import time
from http.client import HTTPException
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from sqlalchemy import func, select

from engine.annotations.database import SCHEMA, label_file, named_url, open_database
from engine.backends.doctor import FREE_DISK, GIGABYTE, Finding, store
from engine.core.clock import is_recent
from engine.core.database import Database
from engine.core.errors import MicroscopeError
from engine.core.folders import data_place
from engine.core.hosting import Hosting
from engine.core.words import counted
from engine.runs.store import BEAT_EXPIRY, RUNS, WORKERS, RunStore

WAIT_SECONDS = 5.0


def health(stated: Hosting) -> tuple[Finding, ...]:
    """Return what was looked at; no folder and no store is made."""
    return (server(health_address(stated)), *run_store(), labels(), disk())


def health_address(stated: Hosting) -> str:
    """Return where the web server says that it runs, on this machine.

    >>> health_address(Hosting(address="0.0.0.0", base_path="/scope/"))
    'http://127.0.0.1:8501/scope/_stcore/health'
    """
    everywhere = stated.address in ("0.0.0.0", "::", "")
    host = "127.0.0.1" if everywhere else f"[{stated.address}]" if ":" in stated.address else stated.address
    path = "/".join(filter(None, (stated.base_path.strip("/"), "_stcore/health")))
    return f"http://{host}:{stated.port}/{path}"


def server(address: str) -> Finding:
    """Return whether the web server answers; it is on this machine, so no proxy is asked."""
    try:
        with build_opener(ProxyHandler({})).open(address, timeout=WAIT_SECONDS) as answer:
            return Finding(what="Web server", found="answers", well=answer.status == 200)
    except (URLError, HTTPException, OSError, ValueError) as exc:
        kind = type(getattr(exc, "reason", exc)).__name__
        return Finding(what="Web server", found=f"does not answer ({kind})", well=False, advice=f"Looked at {address}.")


def run_store() -> tuple[Finding, ...]:
    """Return whether the store of runs can be read and written to, and whether its worker beats."""
    file = data_place() / "runs.sqlite"
    if not file.is_file():
        advice = "It is made when the server starts."
        return Finding(what="Run store", found="is not there yet", well=False, advice=advice), worker(None)
    try:
        store = RunStore(file)
        with store.database.reading() as connection:
            waiting = connection.execute(
                select(func.count()).select_from(RUNS).where(RUNS.c.state.in_(("queued", "running")))
            ).scalar_one()
            beat = connection.execute(select(func.max(WORKERS.c.beat_at))).scalar_one()
    except MicroscopeError as exc:
        return (Finding(what="Run store", found=str(exc), well=False),)
    writable = os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)
    found = "can be read and written to" if writable else "cannot be written to"
    return (
        Finding(what="Run store", found=f"{found}; waiting or worked on: {counted(waiting, 'run')}", well=writable),
        worker(beat),
    )


def worker(beat: float | None) -> Finding:
    """Return whether a worker gave a sign of life lately; ``beat`` is the time of the last one, None for none."""
    if beat is None:
        return Finding(what="Worker", found="has not begun", well=False, advice="It begins with the server.")
    age, well = time.time() - beat, is_recent(beat, BEAT_EXPIRY)
    ahead = age < 0 and not well
    found = (
        "last sign of life before the clock was set back" if ahead else f"last sign of life {max(0.0, age):.0f} s ago"
    )
    return Finding(what="Worker", found=found, well=well, advice="" if well else "Restart.")


def labels() -> Finding:
    """Return whether the store of labels can be used: a file, made when labels are first looked at, or PostgreSQL."""
    try:
        file = label_file()
        if file is not None and not file.is_file():
            return Finding(what="Label store", found="sqlite, not there yet")
        database = open_database()
        try:
            version = database.version()
        finally:
            database.close()
    except MicroscopeError as exc:
        return Finding(what="Label store", found=str(exc), well=False)
    kind = database.url.get_backend_name()
    return Finding(what="Label store", found=f"{kind}, tables of version {version}")


def label_store() -> Finding:
    """Return whether the labels can be read and written to where they are kept; nothing is made or migrated."""
    try:
        file = label_file()
        return store(file, "Label store") if file is not None else label_server(Database(named_url(None), SCHEMA))
    except MicroscopeError as exc:
        return Finding(what="Label store", found="cannot be used", well=False, advice=str(exc))


def label_server(database: Database) -> Finding:
    """Return what is kept in a server's database of labels, and closes it. Raises StorageError."""
    place = f"PostgreSQL at {database.url.host or 'this machine'}, database {database.url.database}"
    try:
        version = database.version()
    finally:
        database.close()
    if version > SCHEMA.version:
        return Finding(
            what="Label store", found=f"{place}, of a newer program", well=False, advice="Update the program."
        )
    found = f"{place}, tables of version {version}" if version else f"{place}, no tables yet"
    return Finding(what="Label store", found=found)


def disk() -> Finding:
    """Return whether there is room for what people ask."""
    place = data_place()
    free = shutil.disk_usage(next(one for one in (place, *place.parents) if one.exists())).free
    well = free >= FREE_DISK
    advice = "" if well else f"Keep {FREE_DISK / GIGABYTE:.0f} GB free."
    return Finding(what="Disk", found=f"{free / GIGABYTE:.1f} GB free", well=well, advice=advice)
