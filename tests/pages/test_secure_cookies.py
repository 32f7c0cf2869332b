"""Cookies that came over TLS are for TLS alone; on this machine, without TLS, they stay as Streamlit gives them."""

import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.web.server.starlette import starlette_app
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from pages import secure_cookies
from pages.secure_cookies import keep_cookies_secure

OVER_TLS = {"X-Forwarded-Proto": "https"}


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """Return a browser of a server with Streamlit's layers, which gives two cookies, and itself one to its session."""
    monkeypatch.setattr(starlette_app, "create_streamlit_middleware", starlette_app.create_streamlit_middleware)
    keep_cookies_secure()

    def answer(request: object) -> Response:
        request.session["wanted"] = "/runs"  # type: ignore[attr-defined]
        given = Response("ok")
        given.set_cookie(USER_COOKIE_NAME, "signed", httponly=True, samesite="lax")
        given.headers.append("set-cookie", "_streamlit_xsrf=2|a|b|1; Path=/; SameSite=Lax; Secure")
        return given

    return TestClient(Starlette(routes=[Route("/", answer)], middleware=starlette_app.create_streamlit_middleware()))


def cookies(client: TestClient, headers: dict[str, str]) -> list[str]:
    """Return what the server says with each cookie."""
    return client.get("/", headers=headers).headers.get_list("set-cookie")


def test_every_cookie_that_came_through_a_proxy_with_tls_is_for_tls_alone(client: TestClient) -> None:
    given = cookies(client, OVER_TLS)
    assert len(given) == 3
    assert all(one.split("; ").count("Secure") == 1 for one in given)
    assert any("httponly" in one.lower() and one.startswith(USER_COOKIE_NAME) for one in given)


def test_without_tls_a_cookie_is_as_streamlit_gives_it(client: TestClient) -> None:
    for headers in ({}, {"X-Forwarded-Proto": "http"}, {"X-Forwarded-Proto": "http, https"}):
        assert sum("; Secure" in one for one in cookies(client, headers)) == 1


def test_where_people_sign_in_over_tls_no_word_of_a_proxy_is_needed(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secure_cookies, "get_origin_from_redirect_uri", lambda: "https://scope.example")
    assert all("; Secure" in one for one in cookies(client, {}))
