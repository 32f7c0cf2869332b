"""What a server can give, found out by small requests before a question is asked: the capability card.

Nothing is taken on trust: how many likeliest tokens come back, whether the same seed writes the same twice, whether a
stop string stops, whether log-probabilities are those of the model or of what a temperature made of them, whether a
given reply can be scored. What a server does not understand is asked for without its extras.
"""

import time
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

from engine.backends.language_models.base import CapabilityCard, Labels, Route
from engine.backends.language_models.server_address import ServerName
from engine.backends.language_models.server_connection import Call, Connection
from engine.backends.language_models.server_replies import (
    CHAT,
    COUNTED,
    MODELS,
    ModelCard,
    Written,
    checked,
    label_scores,
    written_in_chat,
    written_in_text,
)
from engine.core.errors import MicroscopeError, ModelError
from engine.core.progress import Report

Kind = Literal["chat", "plain"]
MOST_ALTERNATIVES = 20
FEWER_ALTERNATIVES = 5
# Two answers to one prompt: in half precision, and in batches of other sizes, log-probabilities move by about 0.1; a
# temperature of 2 halves their distances.
SAME_LOGPROB, BEST_TOKENS = 0.3, 5
PROBE = "Name one animal."
PLAIN_PROBE = "The three primary colours are"
COUNTING = "Count from 1 to 9 with commas: 1, 2, 3,"
LABEL = "yes"

# vLLM otherwise takes top_k, top_p and penalties from the model's own generation_config: not what is diagnosed.
PLAIN_SAMPLING: dict[str, Any] = {"top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0}
CHAT_EXTRAS: dict[str, Any] = {**PLAIN_SAMPLING, "chat_template_kwargs": {"enable_thinking": False}}


def capability_card(connection: Connection, report: Report) -> CapabilityCard:
    """Return what the server can give. Raises ModelError where it cannot be reached, serves no such model, or cannot
    answer at all; ``report`` may raise to stop.
    """
    server = connection.server
    cards = served(connection, report)
    card = chosen(server, cards)
    chat = route_of(connection, "chat", card.id, report)
    plain = route_of(connection, "plain", card.id, report)
    if isinstance(chat, MicroscopeError) and isinstance(plain, MicroscopeError):
        raise chat
    found_chat = None if isinstance(chat, MicroscopeError) else chat
    found_plain = None if isinstance(plain, MicroscopeError) else plain
    seen = observed(connection, card.id, found_chat, found_plain, report)
    return CapabilityCard(
        host=server.host,
        model=card.id,
        models=tuple(one.id for one in cards),
        revision=revision_of(card),
        context=card.max_model_len,
        chat=found_chat,
        plain=found_plain,
        labels=labels_of(found_chat, "chat labels" in seen),
        plain_labels=labels_of(found_plain, "plain labels" in seen),
        seeded=same_text(seen.get("first draw"), seen.get("second draw")),
        stops=stopped(seen.get("stop")),
        untempered=same_numbers(seen.get("greedy"), seen.get("first draw"), seen.get("hot")),
        counts_tokens="tokenize" in seen,
        seconds=seen["seconds"],
    )


def served(connection: Connection, report: Report) -> tuple[ModelCard, ...]:
    """Return the models a server lists, at least one."""
    host = connection.server.host
    call = Call(path="/models", read=lambda body: checked(MODELS, body, host))
    (listed,) = connection.asked([call], report)
    if not listed.data:
        raise ModelError(f"The server {host} serves no model.")
    return tuple(listed.data)


def chosen(server: ServerName, cards: tuple[ModelCard, ...]) -> ModelCard:
    """Return the model that is named, or the only one. Raises ModelError that names what there is."""
    names = ", ".join(card.id[:80] for card in cards[:10])
    if not server.model and len(cards) > 1:
        raise ModelError(f"The server {server.host} serves {len(cards)} models; name one behind #: {names}.")
    found = next((card for card in cards if card.id == server.model), None)
    if server.model and found is None:
        raise ModelError(f"The server {server.host} has no model {server.model[:80]!r}; it serves {names}.")
    return found or cards[0]


def revision_of(card: ModelCard) -> str:
    """Return where the server says its weights come from, where that is no path of its machine; "" where it does not.

    >>> revision_of(ModelCard(id="m", root="/srv/models/m")), revision_of(ModelCard(id="m", root="org/m"))
    ('', 'org/m')
    """
    root = card.root or ""
    return "" if root.startswith(("/", "\\", "~", ".")) or root[1:2] == ":" or root == card.id else root[:120]


def body_of(kind: Kind, model: str, text: str, route: Route | None, **settings: Any) -> dict[str, Any]:
    """Return the body of a request in one of the two layouts; ``route`` None asks for no log-probabilities."""
    shared: dict[str, Any] = {"model": model, "top_p": 1.0, **settings}
    alternatives = route.alternatives if route is not None else 0
    if kind == "chat":
        shared["messages"] = [{"role": "user", "content": text}]
        if route is not None and route.logprobs:
            shared |= {"logprobs": True} | ({"top_logprobs": alternatives} if alternatives else {})
        return shared | (CHAT_EXTRAS if route is not None and route.extras else {})
    shared["prompt"] = text
    if route is not None and route.logprobs:
        shared["logprobs"] = alternatives
    return shared | (PLAIN_SAMPLING if route is not None and route.extras else {})


def call_of(connection: Connection, kind: Kind, body: dict[str, Any]) -> Call[Written]:
    """Return the call that writes a text in one of the two layouts."""
    read = written_in_chat if kind == "chat" else written_in_text
    host = connection.server.host
    path = "/chat/completions" if kind == "chat" else "/completions"
    return Call(
        path=path,
        read=lambda reply: read(reply, host),
        body=body,
        weight=lambda written: max(1, len(written.pieces)),
    )


def route_of(connection: Connection, kind: Kind, model: str, report: Report) -> Route | MicroscopeError:
    """Return the most a server gives for one kind of text, or the error of the least that was asked for."""
    tried = [
        Route(logprobs=logprobs, alternatives=alternatives, extras=extras)
        for logprobs, alternatives in ((True, MOST_ALTERNATIVES), (True, FEWER_ALTERNATIVES), (True, 0), (False, 0))
        for extras in (True, False)
    ]
    refusal: MicroscopeError = ModelError("nothing was asked")
    for route in tried:
        text = PROBE if kind == "chat" else PLAIN_PROBE
        body = body_of(kind, model, text, route, max_tokens=2, temperature=0.0)
        (found,) = connection.settled([call_of(connection, kind, body)], report)
        if isinstance(found, Written):
            given = max((len(piece.top) for piece in found.pieces), default=0)
            known = bool(found.pieces)
            return Route(logprobs=known, alternatives=min(given, route.alternatives), extras=route.extras)
        refusal = found
    return refusal


def observed(
    connection: Connection, model: str, chat: Route | None, plain: Route | None, report: Report
) -> dict[str, Any]:
    """Return what small requests gave, by name; those that failed are left out. "seconds" is the first one's time."""
    kind: Kind = "chat" if chat is not None else "plain"
    route, text = chat or plain, PROBE if chat is not None else PLAIN_PROBE
    ask = partial(body_of, kind, model)
    bodies = {
        "greedy": ask(text, route, max_tokens=1, temperature=0.0),
        "hot": ask(text, route, max_tokens=1, temperature=2.0, seed=1),
        "first draw": ask(text, route, max_tokens=12, temperature=1.0, seed=11),
        "second draw": ask(text, route, max_tokens=12, temperature=1.0, seed=11),
        "stop": ask(COUNTING, route, max_tokens=16, temperature=0.0, stop=[","]),
    }
    calls: dict[str, Call[Any]] = {name: call_of(connection, kind, body) for name, body in bodies.items()}
    if chat is not None:
        calls["chat labels"] = chat_label_call(connection, model, PROBE, LABEL)
    if plain is not None:
        calls["plain labels"] = plain_label_call(connection, model, PLAIN_PROBE, " " + LABEL)
    calls["tokenize"] = count_call(connection, model, PROBE)
    began = time.monotonic()
    connection.settled([calls["greedy"]], report)
    seconds = time.monotonic() - began
    found = zip(calls, connection.settled(list(calls.values()), report), strict=True)
    return {name: reply for name, reply in found if not isinstance(reply, MicroscopeError)} | {"seconds": seconds}


def chat_label_call(connection: Connection, model: str, text: str, label: str) -> Call[list[float]]:
    """Return the call that scores a reply already written: vLLM gives the log-probabilities of the prompt's tokens."""
    host = connection.server.host
    turns = [{"role": "user", "content": text}, {"role": "assistant", "content": label}]
    body = {
        "model": model,
        "messages": turns,
        "add_generation_prompt": False,
        "continue_final_message": True,
        "prompt_logprobs": 0,
        "max_tokens": 1,
        "temperature": 0.0,
        "chat_template_kwargs": {"enable_thinking": False},
    }

    def read(reply: bytes) -> list[float]:
        listed = checked(CHAT, reply, host).prompt_logprobs or []
        single = [next(iter(place.values())) for place in listed if place is not None and len(place) == 1]
        tokens = [(token.decoded_token or "", min(0.0, token.logprob)) for token in single]
        return spelled(tokens, label, 0, host)

    return Call(path="/chat/completions", read=read, body=body)


def plain_label_call(connection: Connection, model: str, text: str, label: str) -> Call[list[float]]:
    """Return the call that scores the end of a plain text: ``echo`` gives the log-probabilities of what was sent."""
    host = connection.server.host
    body = {
        "model": model,
        "prompt": text + label,
        "echo": True,
        "logprobs": 1,
        "max_tokens": 1,
        "temperature": 0.0,
    }

    def read(reply: bytes) -> list[float]:
        tokens = [(piece.text, piece.logprob) for piece in written_in_text(reply, host).pieces]
        return spelled(tokens, label, 1, host)

    return Call(path="/completions", read=read, body=body)


def spelled(tokens: list[tuple[str, float]], label: str, extra: int, host: str) -> list[float]:
    """Return the log-probabilities of a label's tokens. Raises ModelError where the server does not give them."""
    scores = label_scores(tokens, label, extra)
    if not scores:
        raise ModelError(f"The server {host} does not say how likely the words of a given reply are.")
    return scores


def count_call(connection: Connection, model: str, text: str) -> Call[int]:
    """Return the call that counts the tokens of a text, as vLLM does."""
    host = connection.server.host
    body = {"model": model, "prompt": text, "add_special_tokens": False}
    return Call(path="/tokenize", read=lambda reply: checked(COUNTED, reply, host).count, body=body, at_root=True)


def labels_of(route: Route | None, whole: bool) -> Labels:
    """Return how a given reply is scored: all its tokens, else its first one among the likeliest, else not at all."""
    if route is None:
        return "none"
    if whole:
        return "whole"
    return "first token" if route.alternatives else "none"


def same_text(one: Written | None, other: Written | None) -> bool:
    """Return whether two draws with one seed are the same text."""
    return one is not None and other is not None and bool(one.text.strip()) and one.text == other.text


def stopped(written: Written | None) -> bool:
    """Return whether an answer that would hold a comma ended before it."""
    return written is not None and "," not in written.text


def same_numbers(*answers: Written | None) -> bool:
    """Return whether the likeliest first tokens have the same log-probabilities at every temperature that was tried."""
    tops = [dict(written.pieces[0].top) for written in answers if written is not None and written.pieces]
    if len(tops) < len(answers):
        return False
    return all(agree(tops[0], top) for top in tops[1:])


def agree(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """Return whether two lists of likeliest tokens give the best ones the same log-probability, 0.3 nats at most apart.

    >>> agree({"a": -0.1, "b": -3.0}, {"a": -0.1, "b": -2.9}), agree({"a": -0.1, "b": -3.0}, {"a": -0.4, "b": -1.6})
    (True, False)
    """
    best = sorted(one, key=lambda token: -one[token])[:BEST_TOKENS]
    apart = [abs(one[token] - other[token]) for token in best if token in other]
    return bool(apart) and sum(apart) / len(apart) <= SAME_LOGPROB
