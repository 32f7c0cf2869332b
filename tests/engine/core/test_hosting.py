"""The owner's file: what it states, and a sentence for whatever is wrong in it."""

from pathlib import Path

import pytest

from engine.core.errors import InputError
from engine.core.hosting import Limits, SignIn, parse_hosting, read_hosting

WHOLE = b"""
[hosting]
address = "0.0.0.0"
port = 8080
corpora = ["/srv/texts"]
models = ["org/model"]
servers = ["http://model:8000"]
[hosting.sign_in]
secrets = "secrets.toml"
people = ["*@school.example"]
[hosting.limits]
waiting = 2
"""


def test_a_file_states_all_of_it_and_what_it_leaves_out_keeps_the_usual() -> None:
    stated = parse_hosting(WHOLE)
    assert (*stated.corpora, *stated.models, *stated.servers) == ("/srv/texts", "org/model", "http://model:8000")
    assert (stated.limits.waiting, stated.limits.an_hour) == (2, Limits().an_hour)
    assert (stated.labels, stated.log_content, stated.online_counts) == ("own", False, False)
    assert parse_hosting(b"[hosting]").address == "localhost", "others come in only where the owner says so"


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"[hosting]\nport = '80'", "port"),
        (b"[hosting]\nport = 0", "port"),
        (b"[hosting]\ncorpus = ['/srv']", "corpus"),
        (b"[hosting]\ncorpora = '/srv'", "corpora"),
        (b"[hosting]\nlabels = 'all'", "labels"),
        (b"[hosting.limits]\nwaiting = 0", "limits.waiting"),
        (b"[hosting.sign_in]\npeople = []", "sign_in.secrets"),
        (b"[server]\naddress = 'x'", "[hosting]"),
        (b"\xff", "TOML"),
        (b"[hosting", "TOML"),
    ],
)
def test_what_is_wrong_is_named(content: bytes, place: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_hosting(content)
    assert place in str(caught.value)


def test_a_file_that_is_missing_or_whose_secrets_are_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "h.toml"
    with pytest.raises(InputError):
        read_hosting(file)
    file.write_bytes(WHOLE)
    with pytest.raises(InputError):
        read_hosting(file)
    (tmp_path / "secrets.toml").write_text("[auth]")
    assert read_hosting(file).sign_in == SignIn(secrets="secrets.toml", people=("*@school.example",))


@pytest.mark.parametrize(
    ("claims", "refusal"),
    [
        ({"email": "Ann@School.example", "email_verified": True}, None),
        ({"email": "ann@school.example", "email_verified": "true"}, None),
        ({"email": "ann@school.example", "email_verified": False}, "not confirmed"),
        ({"email": "ann@school.example"}, "not confirmed"),
        ({"email": "eve@elsewhere.example"}, "not confirmed"),
        ({"email": "ann@school.example.evil", "email_verified": True}, "not listed"),
        ({"email": "", "email_verified": True}, "no address"),
        ({"email": None, "email_verified": True}, "no address"),
        ({}, "no address"),
    ],
)
def test_only_a_listed_and_confirmed_address_comes_in(claims: dict[str, object], refusal: str | None) -> None:
    assert SignIn(secrets="s", people=("*@school.example",)).refusal(claims) == refusal
    assert SignIn(secrets="s").refusal(claims) is None, "without a list the provider decides"
