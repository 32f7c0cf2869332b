"""The infini-gram client against a scripted server on loopback: it counts, or says why not."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from engine.backends.corpus_stats import count_online
from engine.backends.corpus_stats.infini_gram import ADDRESS_VARIABLE, INDEX, InfiniGram, Patience
from engine.core.errors import Cancelled, InputError
from engine.core.progress import Event, silent

Script = Callable[[dict[str, object]], tuple[int, bytes]]
HURRIED = Patience(piece=0.3, reply=0.6, pause=0.01, tries=3)
COUNTS = {"Mozart": 900, "The Magic Flute": 40, "Mozart AND The Magic Flute": 7, "Persona (film)": 2, "Persona": 80}


class Server:
    """A service on loopback that answers by its script; ``asked`` keeps every payload."""

    def __init__(self) -> None:
        self.asked: list[dict[str, object]] = []
        self.script: Script = counting
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.asked.append(payload)
                status, body = outer.script(payload)
                try:
                    self.send_response(status)
                    self.end_headers()
                    self.wfile.write(body)
                except ConnectionError:
                    outer.asked.append({"hung up": True})

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def counting(payload: dict[str, object]) -> tuple[int, bytes]:
    return 200, json.dumps({"count": COUNTS.get(str(payload["query"]), 0), "approx": False, "latency": 0.8}).encode()


def saying(status: int, body: bytes) -> Script:
    return lambda payload: (status, body)


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def client(server: Server, patience: Patience = HURRIED) -> InfiniGram:
    return InfiniGram(address=server.address, patience=patience)


def test_a_phrase_is_asked_without_the_limits_of_a_pair_and_only_once(server: Server) -> None:
    counter = client(server)
    assert (counter.count("Mozart"), counter.count(" Mozart "), counter.why_not("Mozart")) == (900, 900, "")
    assert server.asked == [{"index": INDEX, "query_type": "count", "query": "Mozart"}]
    assert (counter.kind, counter.documents, counter.name_counts()) == ("pre-training index", None, ())
    assert server.address in counter.note and INDEX in counter.note


def test_a_pair_is_asked_with_the_window_and_the_largest_clause_limit(server: Server) -> None:
    found = client(server).co_occurrence("Mozart", "The Magic Flute", 1000)
    assert (found.documents, found.meetings, found.reason) == (7, (), "")
    assert server.asked[-1] == {
        "index": INDEX, "query_type": "count", "query": "Mozart AND The Magic Flute",
        "max_diff_tokens": 1000, "max_clause_freq": 500_000,
    }  # fmt: skip


def test_a_pair_that_never_meets_is_zero_and_not_unmeasured(server: Server) -> None:
    assert client(server).co_occurrence("Mozart", "1801", 1000).documents == 0


def test_a_qualifier_may_be_missing_and_the_more_frequent_spelling_counts(server: Server) -> None:
    counter = client(server)
    assert counter.count("Persona (film)") == 80
    counter.co_occurrence("Persona (film)", "Mozart", 10)
    assert server.asked[-1]["query"] == "Persona AND Mozart"


def test_a_thing_meets_itself_wherever_it_is_named(server: Server) -> None:
    assert client(server).co_occurrence("Mozart", "Mozart", 10).documents == 900
    assert len(server.asked) == 1


@pytest.mark.parametrize("name", ["Rock AND Roll", "Dead OR Alive"])
def test_a_name_with_an_operator_of_the_service_is_not_asked_and_says_why(server: Server, name: str) -> None:
    counter = client(server)
    assert counter.count(name) is None and "as an operator" in counter.why_not(name)
    assert server.asked == []
    assert counter.count("NORAD") == 0 and "max_diff_tokens" not in server.asked[0]


@pytest.mark.parametrize("name", ["", "?!"])
def test_what_holds_no_word_is_not_asked(server: Server, name: str) -> None:
    counter = client(server)
    assert counter.count(name) is None and counter.why_not(name) and server.asked == []


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (
            200,
            b'{"error": "[Flask] the engine is <b>busy</b>."}',
            "refused the query: [Flask] the engine is <b>busy</b>.",
        ),
        (500, b"Internal Server Error", "sent no JSON (status 500)"),
        (200, b"<html>come back</html>", "sent no JSON (status 200)"),
        (200, b'{"count": "many"}', "sent no count"),
        (200, b'{"count": -3}', "sent no count"),
        (200, b'{"count": true}', "sent no count"),
        (200, b"[1, 2]", "sent no count"),
        (403, b'{"count": 5}', "sent no count (status 403)"),
        (200, b"[" * 9000, "sent no JSON"),
        (200, b"\xff\xfe", "sent no JSON"),
        (302, b"", "sent no JSON (status 302)"),
    ],
)
def test_nonsense_is_not_measured_and_the_reason_says_what_came(
    server: Server, status: int, body: bytes, words: str
) -> None:
    server.script = saying(status, body)
    counter = client(server)
    found = counter.co_occurrence("Mozart", "Vienna", 1000)
    assert (counter.count("Mozart"), found.documents) == (None, None)
    assert words in counter.why_not("Mozart") and words in found.reason
    assert len(server.asked) == 2  # one for each name, and no second try


def test_a_busy_service_is_asked_again_and_then_answers(server: Server) -> None:
    replies = iter([(429, b""), (503, b"")])
    server.script = lambda payload: next(replies, counting(payload))
    assert client(server).count("Mozart") == 900
    assert len(server.asked) == 3


def test_a_service_that_stays_busy_is_given_up_and_not_asked_for_the_next_name(server: Server) -> None:
    server.script = saying(503, b"")
    counter = client(server)
    assert counter.count("Mozart") is None
    assert "503" in counter.why_not("Mozart")
    assert counter.co_occurrence("Vienna", "Salzburg", 100).documents is None
    assert len(server.asked) == 3


def test_a_slow_service_is_given_up_within_its_time(server: Server) -> None:
    server.script = lambda payload: (time.sleep(1.0), (200, b'{"count": 5}'))[1]
    counter, began = client(server), time.monotonic()
    assert counter.count("Mozart") is None
    assert time.monotonic() - began < 2.5
    assert "0.3 seconds" in counter.why_not("Vienna")


def test_a_reply_without_end_is_cut_off(server: Server) -> None:
    server.script = saying(200, b" " * 3_000_000)
    counter = client(server)
    assert counter.count("Mozart") is None
    assert "too long or too slow" in counter.why_not("Mozart")


def test_nobody_there_is_not_measured() -> None:
    counter = InfiniGram(address="http://127.0.0.1:9/", patience=HURRIED)
    assert counter.count("Mozart") is None
    assert "ConnectError" in counter.why_not("Mozart")
    assert InfiniGram(address="nowhere", patience=HURRIED).count("Mozart") is None


@pytest.mark.parametrize("window", [-1, 1001])
def test_a_window_the_service_does_not_take_is_refused_before_anything_is_sent(server: Server, window: int) -> None:
    with pytest.raises(InputError, match="1,000"):
        client(server).co_occurrence("Mozart", "Vienna", window)
    assert server.asked == []


def test_stopping_is_possible_before_each_request(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(event: Event) -> None:
        raise Cancelled("Stopped.")

    monkeypatch.setenv(ADDRESS_VARIABLE, server.address)
    with pytest.raises(Cancelled):
        count_online(INDEX, stop).count("Mozart")
    assert server.asked == []
    assert count_online(INDEX, silent).count("Mozart") == 900
