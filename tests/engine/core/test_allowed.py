"""What visitors may name: everything while only this machine reaches the workbench, else the owner's list."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.backends.entailment import load_judge
from engine.backends.language_models import load_language_model, probe_server, served_names
from engine.backends.language_models.prompt_tokens import tokenizer_of
from engine.backends.retrieval import load_corpus
from engine.backends.retrieval.scripted import HashedWords
from engine.core import allowed
from engine.core.allowed import (
    NOBODY,
    OWNER,
    VARIABLE,
    Kind,
    acting_for,
    acting_person,
    owner_name,
    refuse_unlisted,
    restrict_visitors,
)
from engine.core.errors import InputError
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.request_checks import check_request
from tests.engine.backends.language_models.scripted_server import running
from tests.hosted import open_to_others

SERVER = "http://10.0.0.7:8000/v1#qwen"


@pytest.fixture(autouse=True)
def unrestricted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave every other test unrestricted."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(allowed, "_STATE", {"restricted": False})
    monkeypatch.setattr(allowed, "_WHO", [])
    yield


def refused(name: str, kind: Kind = "model") -> bool:
    """Return whether a visitor may not name this."""
    try:
        refuse_unlisted(name, kind)
    except InputError:
        return True
    return False


@pytest.mark.parametrize("address", ["localhost", "127.0.0.1", "::1", "[::1]"])
def test_on_this_machine_alone_anything_may_be_named(address: str) -> None:
    restrict_visitors(address)
    assert [refused(name) for name in ("/etc", SERVER, "org/model")] == [False] * 3


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.168.1.5", "host.example", "", None])
def test_on_a_network_only_what_comes_along_may_be_named(address: str | None) -> None:
    restrict_visitors(address)
    own = ("sample", "embedded", "embedded-base", "similarity", "llm", "")
    assert [refused(name) for name in (*own, "/etc", "/", "~", "..", SERVER, "org/model")] == [False] * 6 + [True] * 6


def test_the_owners_list_holds_folders_servers_and_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    corpora = tmp_path / "corpora"
    (corpora / "history").mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    (corpora / "way-out").symlink_to(tmp_path / "secret")
    monkeypatch.setenv(VARIABLE, f"{corpora}; http://10.0.0.7:8000 ;org/model;")
    restrict_visitors("0.0.0.0")
    good = (
        str(corpora),
        str(corpora / "history"),
        "org/model",
        SERVER,
        "http://10.0.0.7:8000/v1",
        "HTTP://10.0.0.7:8000",
        f"{SERVER}, http://10.0.0.7:8000/v1#other",
    )
    bad = (
        *(str(tmp_path / name) for name in ("secret", "corpora/../secret", "corpora/way-out", "corpora-2", "")),
        "http://10.0.0.7:8001/v1",
        "https://10.0.0.7:8000/v1",
        "http://10.0.0.7:8000/admin",
        "http://10.0.0.7:8000@evil.example/v1",
        "http://user:pw@10.0.0.7:8000/v1",
        "http://[::1",
        f"{SERVER},http://10.0.0.8:8000/v1#qwen",
        f"http://10.0.0.8:8000/v1#qwen,{SERVER}",
        f"{SERVER},embedded",
        "org",
        "org/model-2",
        "x" * 5000,
        "a\0b",
    )
    assert [name for name in good if refused(name)] == []
    assert [name for name in bad if not refused(name)] == []


def test_a_list_restricts_visitors_behind_a_proxy_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "")
    restrict_visitors("localhost")
    assert refused("/etc")


def test_a_person_names_their_own_uploads_as_a_corpus_and_nothing_else_of_the_data_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path))
    restrict_visitors(None, lambda: "ann")
    own = str(tmp_path / "uploads" / "ann" / "abc")
    assert not refused(own, "corpus") and refused(own), "what somebody uploads is no model"
    others = ("uploads", "uploads/ben/abc", "uploads/ann/../ben/abc", "uploads/abc", "runs.sqlite", "")
    assert [name for name in others if not refused(str(tmp_path / name), "corpus")] == []
    with acting_for("ben"):
        assert refused(own, "corpus")
    with acting_for(OWNER):
        assert not refused("/etc", "corpus")


def test_a_thread_that_acts_for_nobody_names_least(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path))
    restrict_visitors(None)
    assert (acting_person(), owner_name()) == (NOBODY, NOBODY)
    assert refused(str(tmp_path / "uploads" / "ann"), "corpus") and refused("/etc", "corpus")
    restrict_visitors("localhost")
    assert (acting_person(), owner_name()) == (None, OWNER)


def test_the_owners_file_lists_corpora_apart_from_models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stated = f"corpora = ['{tmp_path}/texts']\nmodels = ['org/model']\nservers = ['http://10.0.0.7:8000']"
    open_to_others(monkeypatch, tmp_path, stated)
    assert not refused(str(tmp_path / "texts" / "a"), "corpus") and refused(str(tmp_path / "texts" / "a"))
    assert not refused("org/model") and refused("org/model", "corpus")
    assert not refused(SERVER) and refused("http://10.0.0.8:8000")


def test_no_sentence_repeats_an_address() -> None:
    restrict_visitors(None)
    with pytest.raises(InputError) as caught:
        refuse_unlisted("http://user:hunter2@10.0.0.7/v1")
    assert "hunter2" not in str(caught.value) and VARIABLE in str(caught.value)


def test_every_way_to_a_folder_or_a_server_asks_first(tmp_path: Path) -> None:
    restrict_visitors(None)
    here = str(tmp_path)
    ways = (
        lambda: load_corpus(here, chunk_tokens=9, chunk_overlap=1, embedder=HashedWords()),
        lambda: load_language_model(here),
        lambda: load_language_model(SERVER),
        lambda: load_language_model(f"http://127.0.0.1:1/v1#a,{SERVER}"),
        lambda: probe_server(SERVER),
        lambda: served_names(SERVER),
        lambda: load_judge(here),
        lambda: tokenizer_of(here),
    )
    for way in ways:
        with pytest.raises(InputError, match=VARIABLE):
            way()


def test_no_server_is_asked_where_one_of_several_is_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    with running() as listed, running() as inner:
        monkeypatch.setenv(VARIABLE, listed.name)
        restrict_visitors(None)
        with pytest.raises(InputError, match=VARIABLE):
            load_language_model(f"{listed.name},{inner.name}")
        assert (len(listed.headers), len(inner.headers)) == (0, 0)


def test_a_request_that_names_something_else_is_refused() -> None:
    restrict_visitors(None)
    fine = DiagnosisRequest(question="Who?", corpus="sample")
    assert check_request(fine).corpus == "sample"
    for odd in (
        replace(fine, corpus="/etc"),
        replace(fine, model=SERVER),
        replace(fine, judge="org/judge"),
        replace(fine, quco_rag=replace(fine.quco_rag, extractor="/etc")),
    ):
        with pytest.raises(InputError, match=VARIABLE):
            check_request(odd)
    with pytest.raises(InputError):
        check_request(replace(fine, quco_rag=replace(fine.quco_rag, counts="infini-gram")))
