"""Cookies that a browser sends over TLS alone, where it got them over TLS.

In front of a hosted workbench a proxy ends TLS, so Streamlit 1.67, which sees plain HTTP, gives its cookies without
Secure. A browser would send them over plain HTTP too, for instance where somebody types the address without https, and
whoever is on the way could take over the session. Streamlit makes its layers in ``create_streamlit_middleware``.
"""

from collections.abc import Callable, Iterable, MutableMapping
from typing import Any

from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.auth_util import get_origin_from_redirect_uri
from streamlit.web.server.starlette import starlette_app

Headers = Iterable[tuple[bytes, bytes]]
PROTOCOL, COOKIE, SECURE = b"x-forwarded-proto", b"set-cookie", b"; Secure"


class SecureCookies:
    """The outermost layer of the server: what it gives to a browser that came over TLS is for TLS alone."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; only the cookies of the answer are changed."""

        async def send_secured(message: Message) -> None:
            headers = message.get("headers", ())
            if any(name.lower() == COOKIE for name, _ in headers) and came_over_tls(scope):
                message["headers"] = with_secure(headers)
            await send(message)

        await self._app(scope, receive, send_secured)


def came_over_tls(scope: MutableMapping[str, Any]) -> bool:
    """Return whether a request came over TLS: a proxy says so, or people sign in at an address with https.

    Whoever forges the proxy's word changes only cookies of their own.
    """
    said = dict(scope.get("headers", ())).get(PROTOCOL, b"").split(b",")[0].strip().lower()
    return said == b"https" or (get_origin_from_redirect_uri() or "").startswith("https://")


def with_secure(headers: Headers) -> list[tuple[bytes, bytes]]:
    """Return the headers of an answer, each cookie with Secure.

    >>> with_secure([(b"set-cookie", b"a=1; Path=/"), (b"set-cookie", b"b=2; Secure")])
    [(b'set-cookie', b'a=1; Path=/; Secure'), (b'set-cookie', b'b=2; Secure')]
    """
    return [
        (name, value + SECURE if name.lower() == COOKIE and not is_secure(value) else value) for name, value in headers
    ]


def is_secure(cookie: bytes) -> bool:
    """Return whether a cookie is for TLS alone."""
    return any(part.strip().lower() == b"secure" for part in cookie.split(b";")[1:])


def keep_cookies_secure() -> None:
    """Let Streamlit's server give cookies so."""
    made: Callable[[], list[Middleware]] = starlette_app.create_streamlit_middleware
    starlette_app.create_streamlit_middleware = lambda: [Middleware(SecureCookies), *made()]
