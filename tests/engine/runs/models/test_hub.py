"""Fetching a model from a hub: a stand-in on loopback says what it has, gives it out, and can be out of reach."""

import json
import threading
from collections.abc import Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.backends import added_models
from engine.cli import app
from engine.core.errors import InputError, ModelError
from engine.runs.models import hub, listing
from engine.runs.models.card import card_of
from tests.engine.runs.models.tiny_folder import tiny_gpt2

NAME, COMMIT = "org/tiny", "0" * 39 + "1"


class Hub(BaseHTTPRequestHandler):
    """The two kinds of address that the hub's client asks: what a repository holds, and one file of it."""

    folder: Path
    asked: list[str]
    extra: dict[str, bytes]

    def do_GET(self) -> None:
        self.asked.append(self.path.split("?")[0])
        path = self.path.split("?")[0]
        if path.startswith(f"/api/models/{NAME}/tree/"):
            return self.reply(json.dumps(self.tree()).encode(), "application/json")
        if path.startswith(f"/api/models/{NAME}"):
            return self.reply(json.dumps(self.facts()).encode(), "application/json")
        if path.startswith(f"/{NAME}/resolve/"):
            file = path.rsplit("/", 1)[-1]
            body = self.extra.get(file) or (self.folder / file).read_bytes()
            return self.reply(body, "application/octet-stream")
        self.send_response(404)
        self.send_header("X-Error-Code", "RepoNotFound")
        self.send_header("Content-Length", "0")
        return self.end_headers()

    do_HEAD = do_GET

    def sizes(self) -> dict[str, int]:
        sizes = {file.name: file.stat().st_size for file in self.folder.iterdir()}
        return sizes | {name: len(body) for name, body in self.extra.items()}

    def tree(self) -> list[dict[str, object]]:
        return [{"type": "file", "path": name, "size": size, "oid": COMMIT} for name, size in self.sizes().items()]

    def facts(self) -> dict[str, object]:
        files = [{"rfilename": name, "size": size} for name, size in self.sizes().items()]
        return {
            "id": NAME, "modelId": NAME, "sha": COMMIT, "siblings": files, "tags": ["license:mit"],
            "cardData": {"license": "mit"}, "safetensors": {"parameters": {"F32": 50_080}, "total": 50_080},
            "private": False, "gated": False,
        }  # fmt: skip

    def reply(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", f'"{sha256(body).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "no-cache"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_PROGRESS_BARS", True)
    return tmp_path / "home"


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Hub]]:
    Hub.folder, Hub.asked, Hub.extra = tiny_gpt2(tmp_path / "served"), [], {}
    Hub.extra["modeling_tiny.py"] = b"raise SystemExit('code of a model was run')"
    Hub.extra["pytorch_model.bin"] = b"x" * 1000
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    yield Hub
    server.shutdown()
    server.server_close()


def test_the_offer_says_size_licence_and_memory_and_fetches_nothing(served: type[Hub], home: Path) -> None:
    offer = hub.offer_of(NAME)
    wanted = [file for file in served.folder.iterdir() if file.suffix in (".json", ".safetensors", ".jinja")]
    assert (offer.licence, offer.revision, offer.parameters) == ("mit", COMMIT, 50_080)
    assert offer.size == sum(file.stat().st_size for file in wanted) and offer.files == len(wanted)
    assert offer.memory == 50_080 * 4  # the tests compute in float32
    assert not any("resolve" in path for path in served.asked) and not (home / "models").exists()


def test_the_command_asks_back_and_then_fetches_safetensors_and_settings_only(served: type[Hub], home: Path) -> None:
    refused = CliRunner().invoke(app, ["models", "add", NAME], input="n\n")
    assert refused.exit_code == 1 and "mit" in refused.output and added_models.entries() == ()
    added = CliRunner().invoke(app, ["models", "add", NAME, "--yes"])
    assert added.exit_code == 0, added.output
    (entry,) = added_models.entries()
    folder = home / "models" / "hub-org--tiny"
    assert (entry.name, entry.source) == (NAME, str(folder))
    assert not {"modeling_tiny.py", "pytorch_model.bin"} & {file.name for file in folder.iterdir()}
    assert not any(path.endswith((".py", ".bin")) for path in served.asked)
    card = card_of(entry.source)
    assert card is not None and card.parameters == 50_080
    shown = CliRunner().invoke(app, ["models", "show", NAME])
    assert shown.exit_code == 0 and "50,080" in shown.output
    assert listing.made_for(entry.source) == (folder,)


def test_a_model_that_needs_code_of_its_own_is_not_kept(served: type[Hub], home: Path) -> None:
    settings = json.loads((served.folder / "config.json").read_text())
    (served.folder / "config.json").write_text(json.dumps({**settings, "auto_map": {"AutoModel": "modeling_tiny.T"}}))
    with pytest.raises(ModelError):
        hub.fetch(hub.offer_of(NAME))
    assert list((home / "models").iterdir()) == []


def test_a_hub_out_of_reach_an_unknown_name_and_no_name_are_sentences(
    served: type[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelError, match="org/other"):
        hub.offer_of("org/other")
    with pytest.raises(InputError):
        hub.offer_of("not a name/at all")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ModelError, match=NAME):
        hub.offer_of(NAME)
    said = CliRunner().invoke(app, ["models", "add", NAME, "--yes"])
    assert said.exit_code == 1 and "Traceback" not in said.output and added_models.entries() == ()
