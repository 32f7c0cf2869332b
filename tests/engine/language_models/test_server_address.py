"""A server's name can be stored and shown: no password and no query ever gets into it, and its key lives elsewhere."""

import pytest

from engine.diagnosis import DiagnosisRequest, checked
from engine.errors import InputError
from engine.language_models.server_address import key_of, refuse_secrets, remember_key, server_name


def test_a_name_is_address_and_model_and_the_version_is_put_in_where_there_is_no_path() -> None:
    named = server_name(" HTTP://Box.local:8000#meta-llama/Llama-3.1-8B-Instruct ")
    assert (named.base, named.host) == ("http://box.local:8000/v1", "box.local:8000")
    assert named.model == "meta-llama/Llama-3.1-8B-Instruct"
    assert server_name("https://api.example.org/openai/v1/").base == "https://api.example.org/openai/v1"
    assert server_name("http://[::1]:9/v1#m").host == "[::1]:9"
    assert server_name("http://h/v1#m").root == "http://h"


@pytest.mark.parametrize(
    "name",
    [
        "http://anna:s3cret@host/v1#m",
        "http://s3cret@host/v1#m",
        "https://host/v1?api_key=s3cret#m",
        "http://host:s3cret/v1",
        "http://",
        "http://host/s3cret /v1",
        "http://[s3cret/v1",
        "http://host/" + "s3cret" * 200,
    ],
)
def test_a_name_with_a_secret_in_it_is_refused_without_repeating_it(name: str) -> None:
    with pytest.raises(InputError) as told:
        refuse_secrets(name)
    assert "s3cret" not in str(told.value)
    with pytest.raises(InputError, match="address"):
        checked(DiagnosisRequest(question="Who?", model=name))


def test_other_names_are_left_alone() -> None:
    for name in ("embedded", "folder/with?mark", "user@machine", ""):
        refuse_secrets(name)


def test_a_typed_key_goes_before_the_environments_and_is_kept_for_its_server_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = server_name("http://one/v1#a"), server_name("http://other/v1#a")
    monkeypatch.setenv("MICROSCOPE_API_KEY", "from-environment")
    remember_key(one, " typed ")
    assert (key_of(one), key_of(other)) == ("typed", "from-environment")
    remember_key(one, "")
    assert key_of(one) == "from-environment"
    monkeypatch.delenv("MICROSCOPE_API_KEY")
    assert key_of(one) == ""
    assert "typed" not in repr(one)
