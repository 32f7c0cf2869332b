"""Who a visitor is: signed in or not, with which provider, until the sign-in is ended."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.core.allowed import NOBODY
from engine.runs.store import RunStore
from pages.shared import visitors
from tests.hosted import open_to_others
from tests.pages.page_fixtures import desk_over, opened


def test_whoever_has_not_signed_in_sees_the_way_in_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tmp_store: RunStore
) -> None:
    (tmp_path / "secrets.toml").write_text("[auth]")
    open_to_others(monkeypatch, tmp_path, "[hosting.sign_in]\nsecrets = 'secrets.toml'\npeople = ['ann@a.example']")
    claims: dict[str, object] = {"is_logged_in": False}

    class User(SimpleNamespace):
        """Who Streamlit says has signed in."""

        is_logged_in = property(lambda self: bool(claims["is_logged_in"]))

    monkeypatch.setattr(visitors.st, "user", User(to_dict=lambda: claims))
    desk = desk_over(tmp_store, monkeypatch)
    page = opened("app.py")
    assert [button.key for button in page.button] == ["sign_in"] and not page.text_area
    claims |= {"is_logged_in": True, "sub": "1", "iss": "x", "email": "ben@a.example", "email_verified": True}
    page = opened("app.py")
    assert [button.key for button in page.button] == ["sign_out"] and page.error and not page.text_area
    claims["email"] = "ann@a.example"
    page = opened("app.py")
    assert page.button(key="ask") and page.button(key="sign_out")
    desk.shutdown()


def test_a_sign_in_that_was_ended_counts_in_no_tab_and_the_next_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = {"is_logged_in": True, "iss": "a", "sub": "1", "iat": 1, "nonce": "first"}
    monkeypatch.setattr(visitors, "ENDED", {})
    monkeypatch.setattr(visitors.st, "user", SimpleNamespace(to_dict=lambda: claims))
    monkeypatch.setattr(visitors.st, "logout", lambda: None)
    assert visitors.signed_in_claims() == claims
    visitors.end_sign_in()
    assert visitors.signed_in_claims() == {}
    claims["nonce"] = "second"
    assert visitors.signed_in_claims() == claims


def test_a_thread_without_a_page_is_nobodys() -> None:
    assert visitors.visitor_name() == NOBODY


def test_the_same_person_of_two_providers_is_two_persons(monkeypatch: pytest.MonkeyPatch) -> None:
    names = []
    for claims in ({"iss": "a", "sub": "1"}, {"iss": "b", "sub": "1"}, {"iss": "a", "sub": ""}):
        monkeypatch.setattr(visitors.st, "user", {"is_logged_in": True, **claims}, raising=False)
        monkeypatch.setattr(
            visitors.st, "user", type("U", (), {"to_dict": lambda _, told=claims: {"is_logged_in": True, **told}})()
        )
        names.append(visitors.signed_in_name(visitors.SignIn(secrets="s")))
    assert names[2] == NOBODY and len(set(names)) == 3 and all(name.isascii() and "/" not in name for name in names)
