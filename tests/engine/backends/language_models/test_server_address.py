"""A server's name can be stored and shown: no password and no query ever gets into it, and its key lives elsewhere."""

import pytest

from engine.backends.language_models import drop_key, keep_key, keeps_key, server_address
from engine.backends.language_models.server_address import key_advice, key_of, refuse_secrets, server_name
from engine.core.errors import InputError
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.request_checks import check_request


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start without a typed key and without one in the environment."""
    monkeypatch.setattr(server_address, "_TYPED", {})
    monkeypatch.delenv("MICROSCOPE_API_KEY", raising=False)
    monkeypatch.delenv("MICROSCOPE_API_SERVER", raising=False)


def test_a_name_is_address_and_model_and_the_version_is_put_in_where_there_is_no_path() -> None:
    named = server_name(" HTTP://Box.local:8000#meta-llama/Llama-3.1-8B-Instruct ")
    assert (named.base, named.host) == ("http://box.local:8000/v1", "box.local:8000")
    assert named.model == "meta-llama/Llama-3.1-8B-Instruct"
    assert server_name("https://api.example.org/openai/v1/").base == "https://api.example.org/openai/v1"
    assert server_name("http://[::1]:9/v1#m").host == "[::1]:9"
    assert server_name("http://h/v1#m").root == "http://h"


def test_a_name_with_a_secret_in_it_is_refused_without_repeating_it() -> None:
    for name in [
        "http://anna:s3cret@host/v1#m",
        "http://s3cret@host/v1#m",
        "https://host/v1?api_key=s3cret#m",
        "http://host:s3cret/v1",
        "http://",
        "http://host/s3cret /v1",
        "http://[s3cret/v1",
        "http://host/" + "s3cret" * 200,
    ]:
        with pytest.raises(InputError) as told:
            refuse_secrets(name)
        assert "s3cret" not in str(told.value)
        with pytest.raises(InputError, match="address"):
            check_request(DiagnosisRequest(question="Who?", model=name))


def test_other_names_are_left_alone() -> None:
    for name in ("embedded", "folder/with?mark", "user@machine", ""):
        refuse_secrets(name)


def test_a_typed_key_goes_before_the_environments_and_is_kept_for_its_server_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = server_name("http://one/v1#a"), server_name("http://other/v1#a")
    monkeypatch.setenv("MICROSCOPE_API_KEY", "from-environment")
    monkeypatch.setenv("MICROSCOPE_API_SERVER", "http://one")
    assert (key_of(one), key_of(other)) == ("from-environment", "")
    keep_key("http://one/v1#a", " typed ")
    assert (key_of(one), key_of(other)) == ("typed", "")
    assert "typed" not in repr(one)


def test_an_empty_field_forgets_no_key_and_forgetting_is_asked_for_by_name() -> None:
    keep_key("http://one/v1#a", "typed")
    for empty in ("", "  "):
        keep_key("http://one", empty)
    assert key_of(server_name("http://one")) == "typed" and keeps_key("http://one/v1#b")
    assert not keeps_key("http://other") and not keeps_key("http://anna:s3cret@one")
    drop_key("http://one/v1#b")
    assert key_of(server_name("http://one")) == "" and not keeps_key("http://one")


@pytest.mark.parametrize(
    ("named", "asked", "sent"),
    [
        ("https://api.example.org", "https://api.example.org/openai/v1#m", True),
        ("HTTPS://Api.Example.org:443/v1", "https://api.example.org", True),
        ("http://localhost:8000", "http://localhost:8000/v1#m", True),
        ("http://[::1]:80", "http://[::1]/v1", True),
        ("", "https://api.example.org", False),
        ("", "http://localhost:8000/v1", False),
        ("https://api.example.org", "http://api.example.org", False),
        ("https://api.example.org", "https://api.example.org:8443", False),
        ("https://api.example.org", "https://api.example.org.evil.example/v1", False),
        ("https://api.example.org", "https://evil.example/api.example.org#api.example.org", False),
        ("http://localhost:8000", "http://127.0.0.1:8000", False),
        ("api.example.org", "https://api.example.org", False),
        ("https://anna:pw@api.example.org", "https://api.example.org", False),
    ],
)
def test_the_environments_key_goes_to_the_one_server_that_the_environment_names(
    named: str, asked: str, sent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MICROSCOPE_API_KEY", "sk-operator")
    monkeypatch.setenv("MICROSCOPE_API_SERVER", named)
    server = server_name(asked)
    assert key_of(server) == ("sk-operator" if sent else "")
    advice = key_advice(server)
    assert advice.startswith("MICROSCOPE_API_KEY") is not sent
    assert "sk-operator" not in advice


def test_without_any_key_the_advice_names_both_variables() -> None:
    told = key_advice(server_name("http://one"))
    assert "MICROSCOPE_API_KEY" in told and "MICROSCOPE_API_SERVER" in told


@pytest.mark.parametrize("key", ["sk-se\ncret", "sk-se\tcret", "sk-secrét"])
def test_a_key_that_no_header_can_hold_is_refused_without_repeating_it(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = server_name("http://one")
    with pytest.raises(InputError, match="copy it") as typed:
        keep_key("http://one", key)
    monkeypatch.setenv("MICROSCOPE_API_KEY", key)
    monkeypatch.setenv("MICROSCOPE_API_SERVER", "http://one")
    with pytest.raises(InputError, match="copy it") as named:
        key_of(server)
    assert "sk-se" not in str(typed.value) + str(named.value)
