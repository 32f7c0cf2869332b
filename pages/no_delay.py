"""Streamlit's server sends what it has at once.

It makes its listening socket without naming the protocol, so asyncio leaves Nagle's algorithm on for every connection:
the second part of an answer waits for the receipt of the first, which a browser may hold back for 40 ms. The first page
fetches more than a hundred files, each with its head and its body apart. A connection takes this option from the socket
that listens (Linux, macOS, Windows). Streamlit 1.67 has no setting for it.
"""

import socket
from collections.abc import Callable

from streamlit.web.server.starlette import starlette_server

BINDING = "_bind_socket"


def send_at_once() -> None:
    """Let the server's connections send without waiting; where Streamlit binds otherwise, as it does by itself."""
    bind: Callable[..., socket.socket] | None = getattr(starlette_server, BINDING, None)
    if bind is not None:
        setattr(starlette_server, BINDING, without_delay(bind))


def without_delay(bind: Callable[..., socket.socket]) -> Callable[..., socket.socket]:
    """Return the function that makes a listening socket, with a socket whose connections send at once."""

    def bound(*given: object, **named: object) -> socket.socket:
        made = bind(*given, **named)
        if made.family in (socket.AF_INET, socket.AF_INET6):
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made

    return bound
