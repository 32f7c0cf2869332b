"""A throw-away PostgreSQL server on loopback, for the tests that run against both databases."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.ports import free_port

SECONDS = 60


def postgres_programs() -> Path | None:
    """Return the folder of ``initdb`` and ``pg_ctl``: on the path, or the newest of Debian's; None without any.

    None also for root where there is no user that the server could run as.
    """
    if os.geteuid() == 0 and "postgres" not in [user.pw_name for user in pwd.getpwall()]:
        return None
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    of_debian = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    return max(of_debian, key=lambda folder: int(folder.parent.name), default=None)


def as_postgres(command: list[str]) -> list[str]:
    """Return the command as the user who may run it: the server refuses to run as root."""
    return (
        ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command]
        if os.geteuid() == 0
        else command
    )


@contextmanager
def running_server(programs: Path) -> Iterator[str]:
    """Hold a server with an empty cluster; yields the address of its database ``postgres``."""
    folder = Path(tempfile.mkdtemp(prefix="labels-postgres-"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    data, port = folder / "data", free_port()
    options = (
        f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -c full_page_writes=off"
    )
    control = [str(programs / "pg_ctl"), "-D", str(data)]

    def call(*command: str) -> None:
        said = subprocess.run(as_postgres([*command]), cwd=folder, capture_output=True, text=True, timeout=SECONDS)
        assert said.returncode == 0, said.stdout + said.stderr

    try:
        call(
            str(programs / "initdb"),
            "-D",
            str(data),
            "--auth=trust",
            "--username=labels",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
        )
        call(*control, "-w", "-l", str(folder / "log"), "-o", options, "start")
        yield f"postgresql+psycopg://labels@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run(
            as_postgres([*control, "-m", "immediate", "stop"]), cwd=folder, capture_output=True, timeout=SECONDS
        )
        shutil.rmtree(folder, ignore_errors=True)
