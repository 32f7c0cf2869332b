"""The receiver of OTLP traces: what it takes, what it refuses, and what becomes of a run that came in."""

import gzip
import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.cli import app
from engine.core.errors import InputError, RecordError
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.traces.otlp import LARGEST_BODY, spans_in, unpacked
from engine.diagnosis.traces.reading import ImportedAnswer
from engine.diagnosis.traces.schema import Trace
from engine.runs.listening import inbox as inbox_module
from engine.runs.listening import receiver as receiver_module
from engine.runs.listening.diagnosing import Diagnoser
from engine.runs.listening.inbox import Inbox
from engine.runs.listening.receiver import Receiver

RECORDED = Path(__file__).resolve().parents[3] / "reference" / "frameworks"
QUESTION, ANSWER = "Which river flows through Vienna?", "The Danube"


def span(span_id: str, parent: str = "", trace: str = "ab" * 16, **attributes: str) -> dict[str, Any]:
    """Return a span as OTLP JSON has it."""
    listed = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    return {"traceId": trace, "spanId": span_id, "parentSpanId": parent, "attributes": listed}


def request(*spans: dict[str, Any]) -> dict[str, Any]:
    """Return an export request of spans."""
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


MODEL = {"openinference.span.kind": "LLM", "output.value": ANSWER}
ROOT, CHILD = span("01", **{"input.value": QUESTION}), span("02", "01", **MODEL)


class Told:
    """What an inbox tells: traces and sentences; ``now`` is its clock."""

    def __init__(self) -> None:
        self.traces: list[Trace] = []
        self.sentences: list[str] = []
        self.now = 0.0
        self.inbox = Inbox(self.traces.append, self.sentences.append, lambda: self.now)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def server(told: Told) -> Iterator[Receiver]:
    made = Receiver(told.inbox, 0)
    thread = threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()


def post(
    server: Receiver, body: bytes, path: str = "/v1/traces", method: str = "POST", **headers: str
) -> tuple[int, bytes]:
    """Return status and body of a request; a header's name has _ for -."""
    named = {"Content_Type": "application/json", "Content_Length": str(len(body)), **headers}
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=5)
    connection.putrequest(method, path, skip_host="Host" in named)
    for name, value in named.items():
        if value:
            connection.putheader(name.replace("_", "-"), value)
    connection.endheaders(body)
    response = connection.getresponse()
    found = response.status, response.read()
    connection.close()
    return found


def test_a_run_is_whole_when_its_root_comes_and_its_parts_may_come_before(told: Told) -> None:
    assert told.inbox.put(request(CHILD)) == 1
    assert told.traces == []
    told.inbox.put(request(ROOT))
    (trace,) = told.traces
    assert (trace.question, trace.answer.text, trace.trace_id, trace.span_id) == (QUESTION, ANSWER, "ab" * 16, "01")


def test_a_run_without_a_root_is_closed_when_nothing_more_comes(told: Told) -> None:
    told.inbox.put(request(span("02", "elsewhere", **MODEL, **{"input.value": QUESTION})))
    told.now = 29.0
    told.inbox.close_idle()
    assert told.traces == [] and told.sentences == []
    told.now = 30.0
    told.inbox.close_idle()
    assert len(told.traces) + len(told.sentences) == 1


def test_a_run_that_is_no_trace_is_told_and_so_is_one_that_grows_without_end(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    told.inbox.put(request(span("01", name="nothing")))
    assert len(told.sentences) == 1 and told.traces == []
    monkeypatch.setattr(inbox_module, "MOST_SPANS", 3)
    told.inbox.put(request(*(span(f"1{place}", "0") for place in range(4))))
    assert len(told.sentences) == 2
    monkeypatch.setattr(inbox_module, "MOST_OPEN", 2)
    for place in range(4):
        told.inbox.put(request(span("02", "01", trace=f"{place}" * 32, **MODEL)))
    assert len(told.sentences) == 4


def test_what_open_runs_hold_together_is_bounded_and_the_oldest_go_first(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox_module, "MOST_BYTES", 1000)
    for place in range(3):
        told.inbox.put(request(span("02", "01", trace=f"{place}" * 32, **MODEL)), size=400)
    assert len(told.sentences) == 1 and "dropped" in told.sentences[0]
    told.inbox.put(request(span("01", "", trace="2" * 32, **MODEL)), size=100)
    told.inbox.put(request(span("02", "01", trace="4" * 32, **MODEL)), size=500)
    assert len(told.sentences) == 2, "the whole run made room"


HUGE = json.dumps(
    {"choices": [{"message": {"content": "No"}, "logprobs": {"content": [{"token": "No", "logprob": 0}]}}]}
)
HUGE = HUGE.replace('"logprob": 0', f'"logprob": -1{"0" * 400}')


def test_an_odd_run_is_told_and_ends_neither_the_server_nor_the_run_beside_it(told: Told) -> None:
    asked = {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": QUESTION}
    odd = span("03", "elsewhere", trace="cd" * 16, **{**MODEL, **asked, "output.value": HUGE})
    told.inbox.put(request(odd))
    told.now = 30.0
    told.inbox.close_idle()
    told.inbox.put(request({**odd, "parentSpanId": ""}, ROOT, CHILD))
    assert len(told.sentences) == 2 and [trace.answer.text for trace in told.traces] == [ANSWER]


def test_whatever_taking_a_run_raises_is_told_with_its_kind(told: Told) -> None:
    told.inbox.take = lambda trace: 1 / 0
    told.inbox.put(request(ROOT, CHILD))
    assert len(told.sentences) == 1 and "ZeroDivisionError" in told.sentences[0]


def test_langfuse_sends_to_a_path_of_its_own(told: Told, server: Receiver) -> None:
    body = (RECORDED.parent / "tools" / "langfuse.otlp").read_bytes()
    assert post(server, body, "/api/public/otel/v1/traces", Content_Type="application/x-protobuf") == (200, b"")
    assert [trace.pipeline for trace in told.traces] == ["Langfuse"] * 3
    assert post(server, b"{}", "/api/public/ingestion")[0] == 404


@pytest.mark.parametrize("file", sorted(RECORDED.glob("*.otlp")), ids=lambda file: file.stem)
def test_what_a_real_exporter_sends_is_taken_as_protobuf_plain_or_compressed(
    told: Told, server: Receiver, file: Path
) -> None:
    body = file.read_bytes()
    assert post(server, body, Content_Type="application/x-protobuf") == (200, b"")
    packed = gzip.compress(body)
    assert post(server, packed, Content_Type="application/x-protobuf", Content_Encoding="gzip") == (200, b"")
    assert [trace.answer.text for trace in told.traces] == [ANSWER, ANSWER]
    framework = file.stem.partition("_")[0]
    assert {trace.pipeline.partition(" ")[0].lower() for trace in told.traces} == {framework}


def test_json_is_taken_too_and_answered_in_json(told: Told, server: Receiver) -> None:
    assert post(server, json.dumps(request(ROOT, CHILD)).encode()) == (200, b"{}")
    assert len(told.traces) == 1


@pytest.mark.parametrize(
    ("status", "body", "headers"),
    [
        (403, b"{}", {"Host": "evil.example:4318"}),
        (403, b"{}", {"Origin": "http://evil.example"}),
        (404, b"{}", {"path": "/v1/metrics"}),
        (405, b"", {"method": "GET"}),
        (411, b"", {"Content_Length": ""}),
        (411, b"", {"Content_Length": "-1"}),
        (413, b"", {"Content_Length": str(LARGEST_BODY + 1)}),
        (400, b"{", {}),
        (400, b"[" * 100_000, {}),
        (400, b'{"resourceSpans": 7}', {}),
        (400, b"\xff\xff", {"Content_Type": "application/x-protobuf"}),
        (415, b"x", {"Content_Type": "text/plain"}),
        (400, b"x", {"Content_Encoding": "gzip"}),
        (400, b"x", {"Content_Encoding": "br"}),
    ],
)
def test_what_is_no_trace_of_this_machine_is_refused_with_a_sentence(
    told: Told, server: Receiver, status: int, body: bytes, headers: dict[str, str]
) -> None:
    found, said = post(server, body, **headers)
    assert found == status and said
    assert told.traces == []
    assert post(server, json.dumps(request(ROOT, CHILD)).encode())[0] == 200


def test_a_server_that_is_busy_asks_to_send_again(server: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "places", threading.Semaphore(0))
    assert post(server, b"{}")[0] == 503


def test_a_taken_port_is_a_sentence(told: Told, server: Receiver) -> None:
    assert server.address.startswith("http://127.0.0.1:") and receiver_module.USUAL_PORT == 4318
    for port in (server.server_address[1], 99_999):
        with pytest.raises(InputError):
            Receiver(told.inbox, port)


def test_a_small_body_that_unpacks_to_a_huge_one_or_is_cut_is_refused() -> None:
    bomb = gzip.compress(b"0" * (LARGEST_BODY + 1))
    assert len(bomb) < LARGEST_BODY // 100
    for body in (bomb, gzip.compress(b"{}")[:-4]):
        with pytest.raises(RecordError):
            unpacked(body, "gzip")
    assert unpacked(gzip.compress(b"{}"), "gzip") == unpacked(b"{}", "") == b"{}"


def test_protobuf_without_its_package_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "opentelemetry.proto.collector.trace.v1.trace_service_pb2", None)
    with pytest.raises(InputError, match="opentelemetry-proto"):
        spans_in(b"", "application/x-protobuf")


@pytest.mark.parametrize("methods", [(), ("dense",)])
def test_a_trace_that_came_is_kept_asked_where_wanted_and_scored(
    tmp_path: Path, told: Told, methods: tuple[str, ...], example_diagnosis: Diagnosis
) -> None:
    asked: list[DiagnosisRequest] = []

    def ask(one: DiagnosisRequest) -> tuple[str, Diagnosis | None, str]:
        asked.append(one)
        return "run", example_diagnosis, "done"

    def score(answer: ImportedAnswer, diagnosis: Diagnosis | None) -> list[dict[str, object]]:
        return [{"span_id": answer.span_id, "asked": diagnosis is not None}]

    said: list[str] = []
    diagnoser = Diagnoser(tmp_path / "traces", methods, "embedded", ask, score, said.append)
    told.inbox.take = diagnoser.take
    told.inbox.put(request(ROOT, CHILD))
    diagnoser.close()
    scores, trace = sorted((tmp_path / "traces").iterdir(), key=lambda file: len(file.name), reverse=True)
    assert json.loads(trace.read_bytes())["question"] == QUESTION
    assert json.loads(scores.read_bytes()) == {"data": [{"span_id": "01", "asked": bool(methods)}]}
    assert [one.methods for one in asked] == ([methods] if methods else [])
    assert told.sentences == [] and len(said) >= 2


def test_what_came_in_part_is_looked_at_when_listening_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(Receiver):
        def serve_forever(self, poll_interval: float = 0.5) -> None:
            self.inbox.put(request({**ROOT, "parentSpanId": "elsewhere"}, CHILD))
            raise KeyboardInterrupt

    monkeypatch.setattr(receiver_module, "Receiver", Interrupted)
    shown = CliRunner().invoke(app, ["listen", "--port", "0", "--into", str(tmp_path / "traces")])
    assert shown.exit_code == 0, shown.output
    trace = min((tmp_path / "traces").iterdir(), key=lambda file: len(file.name))
    assert json.loads(trace.read_bytes())["question"] == QUESTION
