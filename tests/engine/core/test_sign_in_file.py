"""Streamlit's file with the provider: what is wrong in it is said when the server starts, and no secret is repeated."""

from pathlib import Path

import pytest

from engine.core.errors import InputError
from engine.core.hosting import Hosting, SignIn
from engine.core.sign_in_file import sign_in_origin

SECRET = "s3cret" * 6
RIGHT = {
    "redirect_uri": "https://scope.example/oauth2callback",
    "cookie_secret": SECRET,
    "client_id": "workbench",
    "client_secret": SECRET,
    "server_metadata_url": "https://provider.example/.well-known/openid-configuration",
}
STATED = Hosting(sign_in=SignIn(secrets="secrets.toml"), port=8080)


def written(folder: Path, **changed: str) -> Path:
    """Return the folder with the provider's file, in which entries are changed; an empty one is left out."""
    entries = [f'{name} = "{value}"' for name, value in {**RIGHT, **changed}.items() if value]
    (folder / "secrets.toml").write_text("[auth]\n" + "\n".join(entries))
    return folder


def test_a_right_file_says_where_people_sign_in(tmp_path: Path) -> None:
    assert sign_in_origin(STATED, written(tmp_path)) == "https://scope.example"
    with_port = written(tmp_path, redirect_uri="http://localhost:{port}/oauth2callback")
    assert sign_in_origin(STATED, with_port) == "http://localhost:8080"
    assert sign_in_origin(Hosting(), tmp_path / "none") == "", "nobody signs in"


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("client_id", ""),
        ("cookie_secret", ""),
        ("cookie_secret", "short"),
        ("server_metadata_url", "provider.example"),
        ("redirect_uri", "https://scope.example/"),
        ("redirect_uri", "https://scope.example/under/oauth2callback"),
        ("redirect_uri", "https://[scope/oauth2callback"),
    ],
)
def test_a_wrong_entry_is_named_and_no_secret_is(tmp_path: Path, entry: str, value: str) -> None:
    with pytest.raises(InputError) as caught:
        sign_in_origin(STATED, written(tmp_path, **{entry: value}))
    assert entry in str(caught.value) and SECRET not in str(caught.value)


def test_the_way_back_leads_to_the_workbench(tmp_path: Path) -> None:
    sign_in = SignIn(secrets="secrets.toml")
    with pytest.raises(InputError, match=r"other\.example"):
        sign_in_origin(Hosting(sign_in=sign_in, name="other.example"), written(tmp_path))
    below = written(tmp_path, redirect_uri="https://scope.example/lab/oauth2callback")
    assert sign_in_origin(Hosting(sign_in=sign_in, base_path="/lab/"), below) == "https://scope.example"


@pytest.mark.parametrize("content", [f'[auth\nclient_secret = "{SECRET}"', f'client_secret = "{SECRET}"', ""])
def test_a_file_without_the_section_is_refused_without_its_secrets(tmp_path: Path, content: str) -> None:
    (tmp_path / "secrets.toml").write_text(content)
    with pytest.raises(InputError) as caught:
        sign_in_origin(STATED, tmp_path)
    assert "secrets.toml" in str(caught.value) and SECRET not in str(caught.value)
