"""Ways to the provider and back: only pages of the workbench are kept, the last four, each for one return."""

import logging

import pytest
from starlette.responses import Response
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from engine.core.quiet_logs import quiet_message
from pages.shared.sign_in import OUTCOMES
from pages.sign_in_routes import keep_page, kept_page, origin_of, outcome_of, page_of, signs_in


@pytest.mark.parametrize(
    ("address", "base", "page"),
    [
        ("https://scope.example/dense?run=a", "", "/dense?run=a"),
        ("https://scope.example/dense?run=a&sign_in=denied", "", "/dense?run=a"),
        ("https://scope.example//evil.example/x", "", "/evil.example/x"),
        ("https://scope.example/\\evil.example", "", "/evil.example"),
        ("https://scope.example/lab/runs", "/lab", "/lab/runs"),
        ("https://scope.example/other", "/lab", "/lab/"),
        ("https://[", "", "/"),
        ("", "/lab", "/lab/"),
        ("https://scope.example/?run=" + "a" * 600, "", "/"),
    ],
)
def test_only_a_page_of_the_workbench_is_gone_back_to(address: str, base: str, page: str) -> None:
    assert page_of(address, base) == page


def test_the_last_four_pages_are_kept_each_for_one_return() -> None:
    session: dict[str, object] = {}
    for number in range(6):
        keep_page(session, f"state-{number}", f"/page-{number}")
    assert [kept_page(session, f"state-{number}") for number in (1, 2, 5)] == ["", "/page-2", "/page-5"]
    assert kept_page(session, "state-5") == ""


def test_an_origin_is_the_same_however_it_is_written() -> None:
    assert origin_of("https://Scope.example:443/a") == origin_of("https://scope.example")
    assert origin_of("http://[::1]:8501/a") == "http://[::1]:8501"
    assert origin_of("http://localhost:8501") != origin_of("http://127.0.0.1:8501")
    assert origin_of("https://scope.example:port") == origin_of("https://[") == ""


def test_an_emptied_cookie_signs_nobody_in() -> None:
    given, taken = Response(), Response()
    given.set_cookie(USER_COOKIE_NAME, "signed")
    taken.delete_cookie(USER_COOKIE_NAME)
    assert signs_in(given) and not signs_in(taken) and not signs_in(Response())


def test_a_request_that_the_provider_never_accepts_is_said_so_and_its_word_is_in_the_quiet_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        outcomes = [outcome_of(error) for error in ("invalid_request", "access_denied", "<b>Ann</b>", "")]
    assert outcomes == ["refused", "denied", "failed", "failed"]
    assert set(outcomes) <= set(OUTCOMES)
    assert [quiet_message(one) for one in caplog.records] == [
        "The sign-in service refused the request of this workbench: invalid_request."
    ]
