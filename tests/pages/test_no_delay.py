"""The server's connections send at once, and a Streamlit that binds otherwise is left as it is."""

import socket

import pytest
from streamlit.web.server.starlette import starlette_server

from pages.no_delay import BINDING, send_at_once


def holds_back(bind_name: str = BINDING) -> bool:
    """Return whether a connection to a socket that Streamlit binds waits before it sends."""
    with getattr(starlette_server, bind_name)("127.0.0.1", 0, 5) as listening:
        listening.setblocking(True)
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as connection:
            return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 0


def test_a_connection_of_streamlits_server_sends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starlette_server, BINDING, getattr(starlette_server, BINDING))
    assert holds_back(), "asyncio does not see that Streamlit's socket speaks TCP"
    send_at_once()
    assert not holds_back()


def test_a_streamlit_that_binds_otherwise_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(starlette_server, BINDING)
    send_at_once()
    assert not hasattr(starlette_server, BINDING)
