"""The way to the provider of the sign-in and back: to the page that was wanted, and with a word where it failed.

Streamlit ends every sign-in on its first page, whatever address was asked for; one that was refused, or did not finish,
ends there too, without a word. Where the provider does not answer, a browser gets two words on an empty page. Here two
of its routes keep the page that a browser comes from, and write into the address what went wrong; the sign-in page says
it. Streamlit 1.67 makes the routes in ``create_auth_routes``.

A browser says in its header Referer which page it comes from. Where it does not, it ends on the first page. Only path
and parameters of it are used, never its host: nobody is sent away from the workbench.
"""

import logging
from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from typing import Any
from urllib.parse import parse_qs, parse_qsl, quote, urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from streamlit.auth_util import get_origin_from_redirect_uri
from streamlit.web.server.starlette import starlette_app
from streamlit.web.server.starlette.starlette_auth_routes import create_auth_routes
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from engine.core.quiet_logs import Plain
from pages.shared.session import SIGN_IN_PARAMETER

Answer = Callable[[Request], Awaitable[Response]]
LOGIN, CALLBACK = "/auth/login", "/oauth2callback"
WANTED, MOST_WANTED, LONGEST = "microscope_wanted", 4, 500
# The provider's words for a request that it never accepts: only the owner's file, or the provider's, can mend that.
REFUSED = frozenset(
    {"invalid_request", "unauthorized_client", "unsupported_response_type", "invalid_scope", "request_not_supported"}
)
log = logging.getLogger(__name__)


def serve_ways_back() -> None:
    """Let Streamlit serve its routes of the sign-in with these ways back."""

    def routes(base_url: str) -> list[Route]:
        return [with_way_back(one, base_url) for one in create_auth_routes(base_url)]

    starlette_app.create_auth_routes = routes  # type: ignore[attr-defined]


def with_way_back(route: Route, base_url: str) -> Route:
    """Return one of Streamlit's routes with its way back; the one that signs out has its own."""
    base = f"/{base_url.strip('/')}".rstrip("/")
    ways = {f"{base}{LOGIN}": to_provider, f"{base}{CALLBACK}": from_provider}
    way = ways.get(route.path)
    return Route(route.path, partial(way, route.endpoint, base), methods=["GET"]) if way else route


async def to_provider(answer: Answer, base: str, request: Request) -> Response:
    """Return the way to the provider, having kept the page that is left; back to it where the provider is silent.

    A sign-in begins where it ends: the cookie that ties both together is one host's.
    """
    left = request.headers.get("referer", "")
    page, right = page_of(left, base), origin_of(get_origin_from_redirect_uri() or "")
    if left and right and origin_of(left) != right:
        return RedirectResponse(right + with_outcome(page, "moved"), status_code=302)
    response = await answer(request)
    if response.status_code >= 400:
        return RedirectResponse(with_outcome(page, "silent"), status_code=302)
    for state in parse_qs(urlsplit(response.headers.get("location", "")).query).get("state", ()):
        keep_page(request.session, state, page)
    return response


async def from_provider(answer: Answer, base: str, request: Request) -> Response:
    """Return the way to the page that was wanted, with what the provider said where nobody is signed in by it."""
    told = request.query_params
    if "state" not in told and "error" not in told:  # the provider's way back from a sign-out
        return RedirectResponse(f"{base}/", status_code=302)
    page = kept_page(request.session, told.get("state", "")) or f"{base}/"
    response = await answer(request)
    if not signs_in(response):
        page = with_outcome(page, outcome_of(told.get("error", "")))
    response.headers["location"] = page
    return response


def outcome_of(error: str) -> str:
    """Return how a sign-in ended that the provider broke off with an error, "" where it named none; the log has it.

    >>> outcome_of("access_denied"), outcome_of("")
    ('denied', 'failed')
    """
    if error in REFUSED:
        log.warning("The sign-in service refused the request of this workbench: %s.", Plain(error))
        return "refused"
    return "denied" if error == "access_denied" else "failed"


def keep_page(session: MutableMapping[str, Any], state: str, page: str) -> None:
    """Keep the page that a sign-in leaves, in the browser's signed cookie; those of the last four are kept."""
    before = [*session.get(WANTED, {}).items()][1 - MOST_WANTED :]
    session[WANTED] = dict([*before, (state, page)])


def kept_page(session: MutableMapping[str, Any], state: str) -> str:
    """Return the page that a sign-in left, once; "" where none is kept."""
    kept = dict(session.get(WANTED, {}))
    page = str(kept.pop(state, ""))
    session[WANTED] = kept
    return page


def page_of(address: str, base: str) -> str:
    """Return path and parameters of one of the workbench's own addresses; its first page for any other.

    >>> page_of("https://scope.example/dense?run=a%20b&sign_in=denied", ""), page_of("https://x//evil.example", "")
    ('/dense?run=a+b', '/evil.example')
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    path = "/" + quote(parts.path.lstrip("/\\"), safe="/%")
    asked = urlencode([pair for pair in parse_qsl(parts.query) if pair[0] != SIGN_IN_PARAMETER])
    page = f"{path}?{asked}" if asked else path
    return page if path.startswith(f"{base}/") and len(page) <= LONGEST else f"{base}/"


def with_outcome(page: str, outcome: str) -> str:
    """Return a page's address with how a sign-in ended.

    >>> with_outcome("/dense?run=a", "denied")
    '/dense?run=a&sign_in=denied'
    """
    return f"{page}{'&' if '?' in page else '?'}{SIGN_IN_PARAMETER}={outcome}"


def origin_of(address: str) -> str:
    """Return scheme, host and port of an address, as browsers write it; "" for what cannot be read.

    >>> origin_of("HTTPS://Scope.example:443/dense"), origin_of("http://localhost:8501"), origin_of("nothing")
    ('https://scope.example', 'http://localhost:8501', '')
    """
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    if not host:
        return ""
    named = f"[{host}]" if ":" in host else host
    usual = port is None or (parts.scheme, port) in (("http", 80), ("https", 443))
    return f"{parts.scheme}://{named}" if usual else f"{parts.scheme}://{named}:{port}"


def signs_in(response: Response) -> bool:
    """Return whether a response gives the browser a cookie that says who has signed in; one taken back is empty."""
    given = [value for value in response.headers.getlist("set-cookie") if value.startswith(f"{USER_COOKIE_NAME}=")]
    return any(not value.startswith((f'{USER_COOKIE_NAME}=""', f"{USER_COOKIE_NAME}=;")) for value in given)
