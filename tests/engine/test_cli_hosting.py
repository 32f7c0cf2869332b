"""The commands of a hosted workbench: what the server is started with, whether it is well, what it is built from."""

import re
import time
import tomllib
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from engine.cli import app
from engine.cli import hosting as cli_hosting
from engine.cli.health import worker
from engine.core import hosting
from engine.core.hosting import Hosting, SignIn, parse_hosting
from engine.runs.store import BEAT_EXPIRY, RunStore
from tests.ports import free_port

PROJECT = Path(__file__).resolve().parents[2]
DEPLOY = PROJECT / "deploy"


def test_the_server_is_started_as_the_file_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "secrets.toml").write_text(
        f"[auth]\nredirect_uri = 'https://scope.example/oauth2callback'\ncookie_secret = '{'c' * 32}'\n"
        "client_id = 'a'\nclient_secret = 'b'\nserver_metadata_url = 'https://provider.example/x'"
    )
    file = tmp_path / "h.toml"
    file.write_text(
        "[hosting]\naddress = '0.0.0.0'\nport = 8080\nname = 'scope.example'\n"
        "[hosting.sign_in]\nsecrets = 'secrets.toml'\n[hosting.limits]\nupload_mb = 7"
    )
    started: list[list[str]] = []
    monkeypatch.setenv(hosting.VARIABLE, "")
    monkeypatch.setattr(cli_hosting.os, "execv", lambda program, command: started.append(command))
    monkeypatch.setattr(cli_hosting.subprocess, "run", lambda *_, **__: None)
    monkeypatch.setattr(cli_hosting.os, "name", "posix")
    CliRunner().invoke(app, ["serve", "--config", str(file)])
    (command,) = started
    assert command[1:3] == ["-m", "pages.launch"]
    assert {
        "--server.address=0.0.0.0", "--server.port=8080", "--server.maxUploadSize=7",
        "--browser.serverAddress=scope.example", f"--secrets.files={tmp_path / 'secrets.toml'}",
        "--server.enableXsrfProtection=true", "--server.enableCORS=true", "--server.enableAgentApi=false",
    } <= set(command)  # fmt: skip
    assert cli_hosting.os.environ[hosting.VARIABLE] == str(file)


def test_a_file_that_cannot_be_used_starts_nothing(tmp_path: Path) -> None:
    shown = CliRunner().invoke(app, ["serve", "--config", str(tmp_path / "none.toml")])
    assert shown.exit_code == 1 and "none.toml" in shown.output


def test_an_owner_is_told_where_nobody_signs_in() -> None:
    assert len(cli_hosting.serving_lines(Hosting(address="0.0.0.0"))) == 2
    signed = Hosting(address="0.0.0.0", sign_in=SignIn(secrets="s"))
    assert len(cli_hosting.serving_lines(signed)) == len(cli_hosting.serving_lines(Hosting())) == 1
    assert [len(cli_hosting.serving_lines(signed, at)) for at in ("http://a.example", "https://a.example")] == [3, 2]


def test_health_says_what_is_not_well(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path))
    monkeypatch.delenv("MICROSCOPE_ANNOTATIONS_URL", raising=False)
    file = tmp_path / "h.toml"
    file.write_text(f"[hosting]\nport = {free_port()}")
    shown = CliRunner().invoke(app, ["health", "--config", str(file)])
    assert shown.exit_code == 1
    states = {line[:12].strip(): line[13:] for line in shown.output.splitlines()}
    assert "does not answer" in states["Web server"] and "has not begun" in states["Worker"]
    assert "0 runs" in states["Run store"] and "sqlite" in states["Label store"]
    store = RunStore()
    store.beat("w")
    shown = CliRunner().invoke(app, ["health", "--config", str(file)])
    assert "sign of life 0 s ago" in shown.output
    store.close()
    assert not worker(time.time() - BEAT_EXPIRY - 5).well and worker(time.time()).well


def test_the_example_file_says_what_may_be_said() -> None:
    stated = parse_hosting((DEPLOY / "hosting.toml").read_bytes())
    assert (stated.address, stated.limits) == ("0.0.0.0", Hosting().limits)
    commented = re.sub(r"(?m)^# (?=\w+ =|\[)", "", (DEPLOY / "hosting.toml").read_text(encoding="utf-8"))
    assert parse_hosting(commented.encode()).sign_in is not None
    shown = re.findall(r"```toml\n(\[hosting\].*?)```", (PROJECT / "docs/hosting.md").read_text(encoding="utf-8"), re.S)
    (told,) = map(tomllib.loads, shown)
    secrets = told["hosting"].pop("sign_in")
    assert parse_hosting(shown[0].encode()) == Hosting(sign_in=SignIn(**{**secrets, "people": ()}))


def test_the_compose_file_names_what_is_there_and_opens_one_port_to_this_machine() -> None:
    told = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    services = told["services"]
    assert set(services) == {"app", "labels", "model"} and services["model"]["profiles"] == ["model"]
    build = services["app"]["build"]
    assert (DEPLOY / build["context"]).resolve() == PROJECT and (PROJECT / build["dockerfile"]).is_file()
    assert services["app"]["ports"] == ["127.0.0.1:8501:8501"]
    assert "ports" not in services["labels"] and "ports" not in services["model"]
    assert services["labels"]["networks"] == ["inside"] and told["networks"]["inside"]["internal"]
    used = {name for one in services.values() for name in one["networks"]}
    assert used == set(told["networks"])
    named = {place.split(":")[0] for one in services.values() for place in one["volumes"]}
    assert named - {"./hosting.toml"} == set(told["volumes"])


def test_the_image_is_built_from_the_lock_and_starts_what_there_is() -> None:
    steps = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    assert "scripts/setup.py hosting" in steps and "USER microscope" in steps
    kept = [line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()[2:]]
    for name in (line for line in kept if line and not line.startswith("*")):
        assert (PROJECT / name).exists() or name == "enchmarks/*", name
    setup = (PROJECT / "scripts" / "setup.py").read_text(encoding="utf-8")
    assert '"--constraint", "requirements.lock", "--editable"' in setup
