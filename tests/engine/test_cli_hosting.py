"""The commands of a hosted workbench: what the server is started with, whether it is well, what it is built from."""

import re
import time
import tomllib
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
import yaml
from typer.testing import CliRunner

from engine.annotations.database import open_database
from engine.cli import app
from engine.cli import hosting as cli_hosting
from engine.cli.health import health, server, worker
from engine.core import hosting
from engine.core.hosting import Hosting, SignIn, parse_hosting, read_hosting
from engine.runs.store import BEAT_EXPIRY, RunStore
from tests.ports import free_port

PROJECT = Path(__file__).resolve().parents[2]
DEPLOY = PROJECT / "deploy"
SECRETS = (
    f"[auth]\nredirect_uri = 'https://scope.example/oauth2callback'\ncookie_secret = '{'c' * 32}'\n"
    "client_id = 'a'\nclient_secret = 'b'\nserver_metadata_url = 'https://provider.example/x'"
)


def test_the_server_is_started_as_the_file_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "secrets.toml").write_text(SECRETS)
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


def test_a_file_that_is_a_link_is_served_with_the_secrets_beside_the_link(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for folder in ("kept", "served"):
        (tmp_path / folder).mkdir()
    (tmp_path / "kept" / "h.toml").write_text("[hosting]\n[hosting.sign_in]\nsecrets = 'secrets.toml'")
    file = tmp_path / "served" / "h.toml"
    file.symlink_to(tmp_path / "kept" / "h.toml")
    secrets = tmp_path / "served" / "secrets.toml"
    secrets.write_text(SECRETS)
    started: list[list[str]] = []
    monkeypatch.setenv(hosting.VARIABLE, "")
    monkeypatch.setattr(cli_hosting.os, "execv", lambda program, command: started.append(command))
    monkeypatch.setattr(cli_hosting.subprocess, "run", lambda *_, **__: None)
    monkeypatch.setattr(cli_hosting.os, "name", "posix")
    monkeypatch.chdir(file.parent)
    CliRunner().invoke(app, ["serve", "--config", file.name])
    assert f"--secrets.files={secrets}" in started[0]
    assert cli_hosting.os.environ[hosting.VARIABLE] == str(file)
    assert read_hosting(Path(cli_hosting.os.environ[hosting.VARIABLE])).sign_in is not None


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
    assert "not there yet" in states["Run store"] and "not there yet" in states["Label store"]
    store, labels = RunStore(), open_database()
    store.beat("w")
    shown = CliRunner().invoke(app, ["health", "--config", str(file)])
    assert "sign of life 0 s ago" in shown.output
    assert "0 runs" in shown.output and "sqlite, tables of version 4" in shown.output
    store.close()
    labels.close()
    assert not worker(time.time() - BEAT_EXPIRY - 5).well and worker(time.time()).well


def test_health_makes_no_folder_and_no_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = tmp_path / "not" / "yet"
    monkeypatch.setenv("MICROSCOPE_HOME", str(home))
    for address in ("", f"sqlite:///{home}/labels/labels.sqlite"):
        monkeypatch.setenv("MICROSCOPE_ANNOTATIONS_URL", address)
        found = {one.what: one for one in health(Hosting(port=free_port()))}
        assert list(tmp_path.iterdir()) == []
        assert [found[name].well for name in ("Run store", "Worker", "Label store", "Disk")] == [
            False,
            False,
            True,
            True,
        ]


def test_health_asks_this_machine_whatever_proxy_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setattr("urllib.request._opener", None)  # made once, with the proxies of then
    with HTTPServer(("127.0.0.1", 0), Answering) as there:
        Thread(target=there.serve_forever, args=(0.01,), daemon=True).start()
        assert server(f"http://127.0.0.1:{there.server_port}/_stcore/health").well
        there.shutdown()


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


def test_the_compose_file_passes_on_the_keys_and_offers_what_the_example_file_may_name() -> None:
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    passed = {name for name, value in yaml.safe_load(text)["services"]["app"]["environment"].items() if value is None}
    assert passed == {"MICROSCOPE_API_KEY", "MICROSCOPE_API_SERVER"}
    whole = yaml.safe_load(re.sub(r"(?m)^( +)# (?=- )", r"\1", text))
    places = {place.split(":")[1] for place in whole["services"]["app"]["volumes"]}
    assert {"/etc/microscope/hosting.toml", "/etc/microscope/secrets.toml", "/corpora"} <= places


def test_the_image_is_built_from_the_lock_and_starts_what_there_is() -> None:
    steps = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    assert "scripts/setup.py hosting" in steps and "USER microscope" in steps
    kept = [line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()[2:]]
    for name in (line for line in kept if line and not line.startswith("*")):
        assert (PROJECT / name).exists() or name == "enchmarks/*", name
    setup = (PROJECT / "scripts" / "setup.py").read_text(encoding="utf-8")
    assert '"--constraint", "requirements.lock", "--editable"' in setup


@pytest.mark.parametrize(
    ("file", "size"), [("Caddyfile", r"max_size (\d+)MB"), ("nginx.conf", r"max_body_size (\d+)m;")]
)
def test_the_examples_of_proxies_pass_on_what_the_server_needs(file: str, size: str) -> None:
    text = (DEPLOY / file).read_text(encoding="utf-8")
    port = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]["app"]["ports"][0]
    assert port.rpartition(":")[0] in text and "_stcore/metrics" in text and "Strict-Transport-Security" in text
    (largest,) = re.findall(size, text)
    assert int(largest) * 10**6 > Hosting().limits.upload_mb * 2**20
    if file == "nginx.conf":  # Caddy does these by itself
        assert all(line in text for line in ("Host $http_host", "X-Forwarded-Proto $scheme", "Upgrade $http_upgrade"))
