"""Text from outside, wrong in every way that hypothesis finds: only errors of our own come out of its parsers.

Each parser reads a good text in which one to three places are changed to something else, and text that is nothing at
all. What it accepts is used as the program would use it.
"""

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.annotations.exchange import Format, export_text, import_text
from engine.annotations.store import AnnotationStore
from engine.backends.corpus_stats.infini_gram import read_reply
from engine.backends.language_models.server_address import server_name
from engine.backends.language_models.server_replies import ModelList, TokenCount, parse_reply, parse_written
from engine.backends.retrieval.documents import documents_from_upload, passages_from_text
from engine.core.errors import MicroscopeError
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.serialize import from_json, request_from_json, to_json
from engine.diagnosis.traces.schema import read_trace
from engine.runs.bundle import import_record, record_script
from engine.runs.store import request_of
from engine.thresholds.fitted.records import fit_from_json
from tests.pages.annotation_fixtures import project_with, said
from tests.pages.page_fixtures import whole_diagnosis

Labels = tuple[AnnotationStore, dict[str, str]]
ODD_CELLS = ("", "1" * 5000, "1e999", "nan", "-1", '"', "=1", "x", str(2**64), "\x00")
FEW = settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
DEEP = "[" * 3000
# What stands where something else was expected: other types, numbers beyond every bound, half a letter, nesting.
NUMBERS = (-1, 0, 1.5, 10**400, 2**63, -(2**63) - 1, 1e308, -1e308, float("nan"), float("inf"))
TEXTS = ("", "NaN", "Infinity", "\x00", "\u202e", "\ud800", "2024-13-45T99:99:99", "x" * 300)
ODD = st.sampled_from((None, True, *NUMBERS, *TEXTS, [], {}, [[]], {"a": 1}, ["a", 1]))
WRONG_TEXT = st.one_of(
    st.text(max_size=60),
    st.sampled_from([DEEP, '{"a": ' + DEEP, "{", "[]", "null", "1", '"x"', "\ufeff", "{}", "\ud800"]),
)


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every place in parsed JSON but the top."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, one in steps:
        yield (*way, step)
        yield from places(one, (*way, step))


@st.composite
def changed(draw: st.DrawFn, good: Callable[[], Any]) -> Any:
    """Return good parsed JSON with one to three places replaced or gone."""
    value = copy.deepcopy(good())
    for _ in range(draw(st.integers(1, 3))):
        ways = list(places(value))
        if not ways:
            break
        *way, last = draw(st.sampled_from(ways))
        holder = value
        for step in way:
            holder = holder[step]
        if draw(st.booleans()) or isinstance(holder, list):
            holder[last] = copy.deepcopy(draw(ODD))
        else:
            del holder[last]
    return value


def odd_json(good: Callable[[], Any]) -> st.SearchStrategy[str]:
    """Return texts: good JSON with something wrong in it, cut off, or nothing like it."""
    wrong = changed(good).map(json.dumps)
    cut = st.tuples(wrong, st.integers(0, 400)).map(lambda pair: pair[0][: -pair[1] or None])
    return st.one_of(wrong, wrong, cut, WRONG_TEXT)


def as_bytes(text: str) -> bytes:
    """Return a text as a file may hold it, half letters too."""
    return text.encode("utf-8", "surrogatepass")


def only_ours(parse: Callable[[], object]) -> None:
    """Assert that nothing but an error of our own comes out."""
    try:
        parse()
    except MicroscopeError as exc:
        assert str(exc)


@cache
def small_record() -> Any:
    """Return a run record as parsed JSON, its methods' results with it."""
    whole = whole_diagnosis()
    return json.loads(to_json(replace(whole, outcomes=whole.outcomes[1:2])))


@cache
def whole_page() -> bytes:
    """Return a run bundle with a small record in it, as a page."""
    head = {"kind": "retrieval-microscope run bundle", "bundle_version": 1, "run": "r"}
    bundle = json.dumps(head).removesuffix("}") + f', "diagnosis": {json.dumps(small_record())}}}'
    return as_bytes(f"<!doctype html>{record_script(bundle)}")


def used(diagnosis: Diagnosis) -> None:
    """Use a record as its import does."""
    to_json(request_of(diagnosis))
    to_json(diagnosis)


@FEW
@given(odd_json(small_record))
def test_records(text: str) -> None:
    only_ours(lambda: used(from_json(text)))


@FEW
@given(odd_json(small_record))
def test_run_bundles_and_plain_records(text: str) -> None:
    head = {"kind": "retrieval-microscope run bundle", "bundle_version": 1, "run": "r"}
    bundle = json.dumps(head).removesuffix("}") + f', "diagnosis": {text}}}'
    page = f"<!doctype html>{record_script(bundle)}"
    for content in (text, bundle, page, page[: len(page) // 2], as_bytes(page)):
        only_ours(lambda content=content: used(import_record(content)))  # type: ignore[misc]


@FEW
@given(odd_json(lambda: json.loads(to_json(DiagnosisRequest(question="Who?", corpus="sample")))))
def test_requests(text: str) -> None:
    only_ours(lambda: to_json(request_from_json(text)))


TRACE = {
    "question": "Who?",
    "passages": [{"text": "A text.", "title": "T", "score": 1.5}],
    "golds": ["Ada"],
    "vocabulary": 50_000,
    "answer": {
        "text": "Ada",
        "written_by": "m",
        "tokens": [{"text": "Ada", "logprob": -0.5, "entropy": 0.3, "top": [{"text": "Ada", "logprob": -0.5}]}],
    },
}


@FEW
@given(odd_json(lambda: TRACE))
def test_traces(text: str) -> None:
    only_ours(lambda: read_trace(text))
    only_ours(lambda: read_trace(as_bytes(text)))


@FEW
@given(odd_json(lambda: {"schema_version": 1, "model": "m", "thresholds": [{"word": "w", "value": 0.5}]}))
def test_fitted_thresholds(text: str) -> None:
    only_ours(lambda: fit_from_json(text))


REPLY = {
    "choices": [
        {
            "message": {"content": "Paris"},
            "finish_reason": "stop",
            "logprobs": {
                "content": [
                    {"token": "Paris", "bytes": [80], "logprob": -0.1, "top_logprobs": [{"token": "P", "logprob": -1}]}
                ]
            },
        }
    ],
    "usage": {"prompt_tokens": 7},
    "prompt_logprobs": [None, {"5": {"logprob": -0.5, "decoded_token": "x"}}],
}


@FEW
@given(odd_json(lambda: REPLY))
def test_answers_of_a_server(text: str) -> None:
    body = as_bytes(text)
    only_ours(lambda: parse_written(body, "host").pieces)


@FEW
@given(odd_json(lambda: {"data": [{"id": "m", "max_model_len": 4096}], "count": 3}))
def test_other_replies_of_a_server_and_of_the_counting_service(text: str) -> None:
    body = as_bytes(text)
    only_ours(lambda: parse_reply(ModelList, body, "host"))
    only_ours(lambda: parse_reply(TokenCount, body, "host"))
    only_ours(lambda: read_reply((200, body)))


@FEW
@given(
    st.one_of(st.text(max_size=80), st.text("htps:/@[]#?%&.0123456789 \u2100\n", max_size=40).map("http://".__add__))
)
def test_addresses_of_servers(text: str) -> None:
    only_ours(lambda: server_name(text))


@FEW
@given(
    st.sampled_from(["a.txt", "a.md", "a.jsonl", "a.exe", "", ".", "a/../b.txt"]),
    st.one_of(
        st.binary(max_size=200),
        odd_json(lambda: {"title": "T", "text": "A text.", "id": 3}).map(lambda text: as_bytes(text)),
        st.sampled_from([b"\xff\xfea", b"\xef\xbb\xbf", b"\x00" * 9, b"#" * 5000, b"\xff\xfe\x00\xd8"]),
    ),
)
def test_files_of_a_corpus(name: str, content: bytes) -> None:
    only_ours(lambda: documents_from_upload(name, content))


@FEW
@given(st.text(max_size=200))
def test_pasted_passages(text: str) -> None:
    only_ours(lambda: passages_from_text(text))


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Labels]:
    """Return a store with a project of three items, one of them labelled, and its exports before any import."""
    store = AnnotationStore(f"sqlite:///{tmp_path_factory.mktemp('labels') / 'labels.sqlite'}")
    project_with(store, lookups=2, answers=1)
    action = said("towers-retrieval-1", 1, note="why", timing="delayed", first_wrong=4, without="useful", gain="useful")
    assert store.apply("towers", "Ada", [action])[0].status == "kept"
    forms: tuple[Format, ...] = ("jsonl", "csv", "label_studio")
    yield store, {form: export_text(store, "towers", form) for form in forms}
    store.close()


@settings(FEW, max_examples=20)
@given(data=st.data(), form=st.sampled_from(["jsonl", "label_studio"]), into=st.sampled_from(["", "towers"]))
def test_label_exports(labels: Labels, data: st.DataObject, form: Format, into: str) -> None:
    store, good = labels[0], labels[1][form]
    lines = (
        (lambda: [json.loads(line) for line in good.splitlines()]) if form == "jsonl" else (lambda: json.loads(good))
    )
    wrong = data.draw(st.one_of(changed(lines), WRONG_TEXT))
    text = wrong if isinstance(wrong, str) else json.dumps(wrong)
    if form == "jsonl" and not isinstance(wrong, str):
        text = "\n".join(map(json.dumps, wrong))
    only_ours(lambda: import_text(store, text, form, into))


@settings(FEW, max_examples=20)
@given(data=st.data())
def test_label_exports_as_csv(labels: Labels, data: st.DataObject) -> None:
    cells = [line.split(",") for line in labels[1]["csv"].splitlines()]
    for _ in range(data.draw(st.integers(1, 3))):
        row = data.draw(st.sampled_from(cells))
        place = data.draw(st.integers(0, len(row) - 1))
        row[place] = data.draw(
            st.sampled_from(["", "1" * 5000, "1e999", "nan", "-1", '"', "=1", "x", str(2**64), "\x00"])
        )
    only_ours(lambda: import_text(labels[0], "\n".join(map(",".join, cells)), "csv", "towers"))
