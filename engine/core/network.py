"""At which address other machines of the network reach this program: for the phones of a class."""

import socket
from contextlib import suppress

from engine.core.allowed import is_loopback

EVERY_ADDRESS = ("", "0.0.0.0", "::")
# A documentation address, which nobody has (RFC 5737): to choose the way there sends nothing.
ANYWHERE = ("192.0.2.1", 9)


def reachable_host(named: str, asked_at: str, listens_at: str | None, machine: str) -> str:
    """Return the host under which others reach the workbench, "" where only this machine does.

    ``named`` is the host's name in the owner's file; ``asked_at`` the host in the address of whoever asks, which
    serves unless it is this machine's own; ``listens_at`` the server's address, None = every address; ``machine`` this
    machine's address in the network.

    >>> reachable_host("", "localhost", "localhost", "10.0.0.7"), reachable_host("", "localhost", "0.0.0.0", "10.0.0.7")
    ('', '10.0.0.7')
    >>> reachable_host("scope.example", "localhost", "localhost", ""), reachable_host("", "lab-3", "localhost", "")
    ('scope.example', 'lab-3')
    """
    if named:
        return named
    if asked_at and not is_loopback(asked_at):
        return asked_at
    listens = (listens_at or "").strip().strip("[]")
    if listens in EVERY_ADDRESS:
        return machine
    return "" if is_loopback(listens) else listens


def machine_address() -> str:
    """Return this machine's address in its network, "" where it has none."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(ANYWHERE)
        found = str(probe.getsockname()[0])
        return "" if is_loopback(found) else found
    return ""


def address_of(scheme: str, host: str, port: int | None, path: str) -> str:
    """Return a whole address; a host that is an address of IPv6 gets its brackets.

    >>> address_of("http", "10.0.0.7", 8501, "vote"), address_of("https", "scope.example", None, "/a/vote")
    ('http://10.0.0.7:8501/vote', 'https://scope.example/a/vote')
    >>> address_of("http", "fe80::1", 80, "vote")
    'http://[fe80::1]:80/vote'
    """
    shown = f"[{host}]" if ":" in host and not host.startswith("[") else host
    return f"{scheme}://{shown}{'' if port is None else f':{port}'}/{path.lstrip('/')}"
