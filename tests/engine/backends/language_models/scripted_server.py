"""An OpenAI-compatible server on loopback that says what a test tells it to, and misbehaves on request.

It speaks both layouts, counts how many requests it has in hand at once and keeps what it was sent. ``vllm`` decides
whether it has what vLLM has beyond OpenAI's interface: extras, ``prompt_logprobs``, ``echo``, /tokenize.
"""

import json
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "test/model"
END = "<|end|>"
EXTRAS = ("top_k", "min_p", "repetition_penalty", "chat_template_kwargs", "prompt_logprobs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One token as the server tells it: its text, log-probability, and the likeliest tokens at its place."""

    text: str
    logprob: float
    top: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One text to write."""

    text: str
    chat: bool
    max_tokens: int
    temperature: float
    seed: int


Brain = Callable[[Asked], Sequence[Spoken]]
Labels = Callable[[str, str, bool], Sequence[tuple[str, float]]]


def spoken(text: str, probability: float = 0.9) -> list[Spoken]:
    """Return a text as one token a word, each with this probability and two others at the same place, and its end."""
    rest = (1 - probability) / 2
    other = ((" maybe", math.log(rest * 1.5)), (" no", math.log(rest * 0.4)))
    words = [word if not at else f" {word}" for at, word in enumerate(text.split(" "))] if text else []
    said = [
        Spoken(text=word, logprob=math.log(probability), top=((word, math.log(probability)), *other)) for word in words
    ]
    return [*said, Spoken(text=END, logprob=math.log(0.8), top=((END, math.log(0.8)), (" and", math.log(0.1))))]


def label_tokens(text: str, label: str, chat: bool) -> Sequence[tuple[str, float]]:
    """Return a prompt's tokens by words, the label's last; "yes" is likelier than any other."""
    return [(" prompt", -3.0), (label, -0.2 if label.strip() == "yes" else -1.7)]


@dataclass(slots=True, kw_only=True)
class Manners:
    """How the server behaves; ``statuses`` are answered first, one a request, then it answers properly.

    ``llama``: it answers as llama.cpp does, plain text in the layout of chat. ``other_fields``: each kind of text wants
    the fields of the other one. ``limit``: the field that bounds an answer; the other is refused.
    """

    brain: Brain = lambda asked: spoken("Paris")
    labels: Labels = label_tokens
    vllm: bool = True
    chat: bool = True
    plain: bool = True
    logprobs: bool = True
    chat_logprobs: bool = True
    plain_logprobs: bool = True
    llama: bool = False
    other_fields: bool = False
    limit: str = "max_tokens"
    serves_anything: bool = False
    most_top: int = 20
    models: tuple[str, ...] = (MODEL,)
    seeded: bool = True
    tells_end: bool = True
    delay: float = 0.0
    statuses: list[int] = field(default_factory=list)
    retry_after: str = ""
    said: str = "busy"
    cut: int = 0
    raw: bytes | None = None
    key: str = ""


class ScriptedServer:
    """What a test holds: the address, the manners, and what was seen."""

    def __init__(self, manners: Manners) -> None:
        self.manners = manners
        self.bodies: list[tuple[str, dict[str, Any]]] = []
        self.headers: list[dict[str, str]] = []
        self.most_at_once = 0
        self._now = 0
        self._lock = threading.Lock()
        self._draws = 0
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(self))
        self.server.daemon_threads = True
        self.host = f"127.0.0.1:{self.server.server_address[1]}"
        self.name = f"http://{self.host}/v1#{MODEL}"

    def enter(self) -> None:
        """Count a request in."""
        with self._lock:
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)

    def leave(self) -> None:
        """Count a request out."""
        with self._lock:
            self._now -= 1

    def failure(self) -> int:
        """Return the status to fail with, 0 to answer."""
        with self._lock:
            return self.manners.statuses.pop(0) if self.manners.statuses else 0

    def severed(self) -> bool:
        """Return whether this connection is to be cut."""
        with self._lock:
            self.manners.cut -= 1
            return self.manners.cut >= 0

    def draw(self) -> int:
        """Return another number each time: what a server without seeds draws by."""
        with self._lock:
            self._draws += 1
            return self._draws


def handler_of(held: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    """Return the handler class of one server."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            self.answer({})

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", "0"))
            self.answer(json.loads(self.rfile.read(length)))

        def answer(self, body: dict[str, Any]) -> None:
            held.enter()
            try:
                held.bodies.append((self.path, body))
                held.headers.append(dict(self.headers))
                self.reply(body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True
            finally:
                held.leave()

        def reply(self, body: dict[str, Any]) -> None:
            manners = held.manners
            time.sleep(manners.delay)
            if held.severed():
                self.connection.close()
                self.close_connection = True
                return
            status = held.failure()
            if manners.key and self.headers.get("Authorization") != f"Bearer {manners.key}":
                status = 401
            if status:
                self.send(status, json.dumps({"error": {"message": manners.said}}).encode())
                return
            if manners.raw is not None and self.path.endswith("completions"):
                self.send(200, manners.raw)
                return
            status, found = routed(held, self.path, body)
            self.send(status, json.dumps(found).encode())

        def send(self, status: int, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            if held.manners.retry_after:
                self.send_header("Retry-After", held.manners.retry_after)
            self.end_headers()
            self.wfile.write(content)

    return Handler


def routed(held: ScriptedServer, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Return status and reply of a request."""
    manners = held.manners
    if path == "/v1/models":
        extra: dict[str, Any] = {"max_model_len": 4096, "root": "/srv/weights"} if manners.vllm else {}
        if manners.llama:
            extra = {"meta": {"n_vocab": 49_152, "n_ctx": 1024, "n_params": 135}}
        return 200, {"object": "list", "data": [{"id": name, **extra} for name in manners.models]}
    if path == "/tokenize" and manners.llama:
        return 200, {"tokens": list(range(len(body.get("content", "").split())))}
    if path == "/tokenize" and manners.vllm:
        return 200, {"count": len(body["prompt"].split()), "tokens": []}
    if body.get("model") not in manners.models and not manners.serves_anything:
        return 404, {"error": {"message": f"The model {body.get('model')} does not exist."}}
    if manners.limit not in body:
        return 400, {"error": {"message": f"Unsupported parameter. Use '{manners.limit}' instead."}}
    unknown = [name for name in EXTRAS if name in body]
    if unknown and not manners.vllm and not manners.llama:
        return 400, {"error": {"message": f"Unknown parameter: {unknown[0]}."}}
    asked_top = asked_alternatives(manners, path.endswith("chat/completions"), body)
    if asked_top > manners.most_top:
        return 400, {"error": {"message": f"At most {manners.most_top} logprobs."}}
    if path == "/v1/chat/completions" and manners.chat:
        return chat(held, body)
    if path == "/v1/completions" and manners.plain:
        return plain(held, body)
    return 404, {"error": {"message": "Not Found"}}


def asked_alternatives(manners: Manners, is_chat: bool, body: dict[str, Any]) -> int:
    """Return how many likeliest tokens are asked for, -1 for no log-probabilities."""
    value = body.get("logprobs")
    allowed = manners.logprobs and (manners.chat_logprobs if is_chat else manners.plain_logprobs)
    if value is None or value is False or not allowed:
        return -1
    if is_chat != manners.other_fields:  # a truth value, and a number beside it
        return int(body.get("top_logprobs", 0)) if value is True else -1
    return -1 if value is True else int(value)


def chat(held: ScriptedServer, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Return a chat reply."""
    manners, turns = held.manners, body["messages"]
    text = turns[0]["content"]
    listed = None
    if len(turns) > 1:
        if not (manners.vllm and body.get("continue_final_message")):
            return 400, {"error": {"message": "The last turn must be the user's."}}
        scored = manners.labels(text, turns[1]["content"], True)
        listed = [None, *({"7": {"logprob": score, "rank": 1, "decoded_token": word}} for word, score in scored)]
    said, finish, stop = written(held, text, True, body)
    top = asked_alternatives(manners, True, body)
    content = [
        {
            "token": one.text,
            "logprob": one.logprob,
            "bytes": list(one.text.encode()),
            "top_logprobs": [
                {"token": word, "logprob": score, "bytes": list(word.encode())} for word, score in one.top
            ][: max(0, top)],
        }
        for one in said
    ]
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": shown(said, stop)},
        "logprobs": {"content": content} if top >= 0 else None,
        "finish_reason": finish,
    }
    reply = {"choices": [choice], "usage": {"prompt_tokens": len(text.split())}}
    return 200, reply | ({"prompt_logprobs": listed} if listed else {})


def plain(held: ScriptedServer, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Return a plain completion."""
    manners, prompt = held.manners, body["prompt"]
    echoed: list[Spoken] = []
    if body.get("echo"):
        if not manners.vllm:
            return 400, {"error": {"message": "echo is not supported."}}
        label = prompt.rsplit(" ", 1)[-1]
        scored = manners.labels(prompt[: -len(label) - 1], f" {label}", False)
        echoed = [Spoken(text=word, logprob=score, top=()) for word, score in scored]
    said, finish, stop = written(held, prompt, False, body)
    listed = [*echoed, *said]
    top = asked_alternatives(manners, False, body)
    columns: dict[str, Any] = {
        "tokens": [one.text for one in listed],
        "token_logprobs": [None if echoed and not at else one.logprob for at, one in enumerate(listed)],
        "top_logprobs": [dict(one.top[: max(0, top)]) or None for one in listed],
    }
    if manners.llama:
        columns = {
            "content": [
                {
                    "id": 7,
                    "token": one.text,
                    "bytes": list(one.text.encode()),
                    "logprob": one.logprob,
                    "top_logprobs": [
                        {"id": 7, "token": word, "logprob": score} for word, score in one.top[: max(0, top)]
                    ],
                }
                for one in said
            ]
        }
    known = columns if top >= 0 else None
    text = (prompt if echoed else "") + shown(said, stop)
    choice = {"index": 0, "text": text, "logprobs": known, "finish_reason": finish}
    return 200, {"choices": [choice], "usage": {"prompt_tokens": len(prompt.split())}}


def written(held: ScriptedServer, text: str, is_chat: bool, body: dict[str, Any]) -> tuple[list[Spoken], str, str]:
    """Return the tokens written, why they end, and the stop string that ended them."""
    manners = held.manners
    asked = Asked(
        text=text,
        chat=is_chat,
        max_tokens=body[manners.limit],
        temperature=body.get("temperature", 1.0),
        seed=body.get("seed", 0) if manners.seeded else held.draw(),
    )
    said = list(manners.brain(asked))
    kept: list[Spoken] = []
    for one in said[: asked.max_tokens]:
        kept.append(one)
        so_far = "".join(token.text for token in kept)
        stop = next((string for string in body.get("stop", ()) if string in so_far), "")
        if stop:
            return (kept if manners.tells_end else before(kept, stop)), "stop", stop
    if kept and kept[-1].text == END:
        return (kept if manners.tells_end else kept[:-1]), "stop", ""
    return kept, "length" if len(kept) == asked.max_tokens else "stop", ""


def before(tokens: Sequence[Spoken], stop: str) -> list[Spoken]:
    """Return the tokens that end before a stop string begins."""
    kept: list[Spoken] = []
    for one in tokens:
        if stop in "".join(token.text for token in [*kept, one]):
            break
        kept.append(one)
    return kept


def shown(said: Sequence[Spoken], stop: str) -> str:
    """Return the text a reader sees: without the end token, and up to the stop string."""
    text = "".join(one.text for one in said if one.text != END)
    return text[: text.index(stop)] if stop and stop in text else text


@contextmanager
def running(manners: Manners | None = None) -> Iterator[ScriptedServer]:
    """Yield a server that runs until the block ends."""
    held = ScriptedServer(manners or Manners())
    thread = threading.Thread(target=held.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield held
    finally:
        held.server.shutdown()
        held.server.server_close()
