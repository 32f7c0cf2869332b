"""The capability card of a server: what it can give, measured by small requests before the first question.

Nothing is taken on trust: how many likeliest tokens it returns, whether the same seed writes the same text, whether a
stop string stops, whether the temperature changes log-probabilities, whether it scores a given reply. A server that
refuses extras is used without them.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from engine.backends.language_models.base import CapabilityCard, Labels, Route
from engine.backends.language_models.server_address import ServerName
from engine.backends.language_models.server_connection import Call, Connection
from engine.backends.language_models.server_replies import (
    ModelList,
    ServedModel,
    TokenCount,
    Written,
    label_scores,
    parse_reply,
    parse_written,
)
from engine.core.errors import MicroscopeError, ModelError
from engine.core.progress import Report

Kind = Literal["chat", "plain"]
Limit = Literal["max_tokens", "max_completion_tokens"]
OTHER_LIMIT: Limit = "max_completion_tokens"
PATHS: dict[Kind, str] = {"chat": "/chat/completions", "plain": "/completions"}
# Two answers to one prompt: in half precision, and in batches of other sizes, log-probabilities move by about 0.1; a
# temperature of 2 halves their distances.
SAME_LOGPROB, BEST_TOKENS = 0.3, 5
PROBE: dict[Kind, str] = {"chat": "Name one animal.", "plain": "The three primary colours are"}
COUNTING = "Count from 1 to 9 with commas: 1, 2, 3,"
LABEL = "yes"

# Without these, vLLM takes top_k, top_p and penalties from the model's own generation_config.
PLAIN_SAMPLING: dict[str, Any] = {"top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0}
NO_THINKING: dict[str, Any] = {"chat_template_kwargs": {"enable_thinking": False}}
EXTRAS: dict[Kind, dict[str, Any]] = {"chat": PLAIN_SAMPLING | NO_THINKING, "plain": PLAIN_SAMPLING}
# From the most that a server may give to the least.
ROUTES = tuple(
    Route(logprobs=logprobs, alternatives=alternatives, extras=extras)
    for logprobs, alternatives in ((True, 20), (True, 5), (True, 0), (False, 0))
    for extras in (True, False)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One model on one server, and the calls to it."""

    connection: Connection
    model: str

    def write(self, kind: Kind, text: str, route: Route, **settings: Any) -> Call[Written]:
        """Return the call that writes a text in one of the two layouts."""
        body: dict[str, Any] = {"model": self.model, "top_p": 1.0, **settings}
        if kind == "chat":
            body["messages"] = [{"role": "user", "content": text}]
        else:
            body["prompt"] = text
        if route.limit not in body and "max_tokens" in body:
            body[route.limit] = body.pop("max_tokens")
        # Some servers want the fields of the other kind: a number in chat, a truth value for plain text.
        as_in_chat = (kind == "chat") == (route.asking == "own")
        if route.logprobs:
            body["logprobs"] = True if as_in_chat else route.alternatives
        if route.logprobs and route.alternatives and as_in_chat:
            body["top_logprobs"] = route.alternatives
        return Call(
            path=PATHS[kind],
            parse=lambda reply: parse_written(reply, self.connection.server.host),
            body=body | (EXTRAS[kind] if route.extras else {}),
            count_tokens=lambda written: max(1, len(written.pieces)),
        )

    def score(self, kind: Kind, text: str, label: str) -> Call[list[float]]:
        """Return the call that scores a given reply token by token.

        In chat vLLM gives the log-probabilities of the prompt's tokens; in plain text ``echo`` does.
        """
        host, body = self.connection.server.host, {"model": self.model, "max_tokens": 1, "temperature": 0.0}
        if kind == "plain":
            body |= {"prompt": f"{text} {label}", "echo": True, "logprobs": 1}
        else:
            turns = [{"role": "user", "content": text}, {"role": "assistant", "content": label}]
            options = {"add_generation_prompt": False, "continue_final_message": True, "prompt_logprobs": 0}
            body |= {"messages": turns} | options | NO_THINKING

        def parse(reply: bytes) -> list[float]:
            if kind == "plain":
                scores = label_scores([(one.text, one.logprob) for one in parse_written(reply, host).pieces], label, 1)
            else:
                listed = parse_reply(Written, reply, host).prompt_logprobs or []
                single = [next(iter(place.values())) for place in listed if place is not None and len(place) == 1]
                scores = label_scores([(one.decoded_token or "", one.logprob) for one in single], label, 0)
            if not scores:
                raise ModelError(f"The server {host} does not give the probability of a given reply.")
            return scores

        return Call(path=PATHS[kind], parse=parse, body=body)

    def count(self, text: str) -> Call[int]:
        """Return the call that counts the tokens of a text, as vLLM ("prompt") and llama.cpp ("content") do."""
        host = self.connection.server.host

        def parse(reply: bytes) -> int:
            number = parse_reply(TokenCount, reply, host).number
            if text and not number:
                raise ModelError(f"The server {host} counts no token in a text.")
            return number

        body = {"model": self.model, "prompt": text, "content": text, "add_special_tokens": False}
        return Call(path="/tokenize", parse=parse, body=body, at_root=True)


def capability_card(connection: Connection, report: Report) -> CapabilityCard:
    """Return what the server can give.

    Raises ModelError if it cannot be reached, does not serve the model or cannot answer; ``report`` may raise to stop.
    """
    server = connection.server
    models = fetch_models(connection, report)
    model = choose_model(server, models)
    endpoint = Endpoint(connection=connection, model=model.id)
    chat, plain = (probe_route(endpoint, kind, report) for kind in PATHS)
    if isinstance(chat, MicroscopeError) and isinstance(plain, MicroscopeError):
        raise chat
    chat_route = None if isinstance(chat, MicroscopeError) else chat
    plain_route = None if isinstance(plain, MicroscopeError) else plain
    replies, seconds = probe_behaviour(endpoint, chat_route, plain_route, report)
    first, second, stopped = (replies.get(name) for name in ("first draw", "second draw", "stop"))
    return CapabilityCard(
        host=server.host,
        model=model.id,
        models=tuple(one.id for one in models),
        revision=public_revision(model),
        context=model.context,
        vocabulary=None if model.meta is None else model.meta.n_vocab,
        chat=chat_route,
        plain=plain_route,
        labels=label_scoring(chat_route, "chat labels" in replies),
        plain_labels=label_scoring(plain_route, "plain labels" in replies),
        seeded=first is not None and second is not None and bool(first.text.strip()) and first.text == second.text,
        stops=stopped is not None and "," not in stopped.text,
        untempered=same_logprobs(replies.get("greedy"), first, replies.get("hot")),
        counts_tokens="tokenize" in replies,
        seconds=seconds,
    )


def fetch_models(connection: Connection, report: Report) -> tuple[ServedModel, ...]:
    """Return the models that a server lists. One that lists none may still serve a model that is named."""
    host, named = connection.server.host, connection.server.model
    call = Call(path="/models", parse=lambda body: parse_reply(ModelList, body, host).data)
    (models,) = connection.fetch_all([call], report)
    if not models and not named:
        raise ModelError(f"The server {host} lists no model; name the one it serves behind #.")
    return models or (ServedModel(id=named),)


def choose_model(server: ServerName, models: tuple[ServedModel, ...]) -> ServedModel:
    """Return the named model, or the only one. Raises ModelError that lists the models."""
    names = ", ".join(model.id[:80] for model in models[:10])
    if not server.model and len(models) > 1:
        raise ModelError(f"The server {server.host} serves {len(models)} models; name one behind #: {names}.")
    found = next((model for model in models if model.id == server.model), None)
    if server.model and found is None:
        raise ModelError(f"The server {server.host} has no model {server.model[:80]!r}; it serves {names}.")
    return found or models[0]


def public_revision(model: ServedModel) -> str:
    """Return the repository of the weights if the server names one; "" for a path on its machine.

    >>> public_revision(ServedModel(id="m", root="/srv/models/m")), public_revision(ServedModel(id="m", root="org/m"))
    ('', 'org/m')
    """
    root = model.root or ""
    return "" if root.startswith(("/", "\\", "~", ".")) or root[1:2] == ":" or root == model.id else root[:120]


def probe_route(endpoint: Endpoint, kind: Kind, report: Report) -> Route | MicroscopeError:
    """Return the most that a server gives for one kind of text, or the error of the simplest request."""
    failure: MicroscopeError = ModelError("No request was sent.")
    limit: Limit = "max_tokens"
    for tried in ROUTES:
        found = probe_once(endpoint, kind, replace(tried, limit=limit), report)
        if isinstance(found, MicroscopeError) and OTHER_LIMIT in str(found) and limit != OTHER_LIMIT:
            limit = OTHER_LIMIT
            found = probe_once(endpoint, kind, replace(tried, limit=limit), report)
        if isinstance(found, MicroscopeError):
            failure = found
            continue
        if tried.logprobs and found.alternatives == 0:
            other = probe_once(endpoint, kind, replace(tried, limit=limit, asking="other"), report)
            if isinstance(other, Route) and (other.logprobs, other.alternatives) > (found.logprobs, found.alternatives):
                return other
        return found
    return failure


def probe_once(endpoint: Endpoint, kind: Kind, route: Route, report: Report) -> Route | MicroscopeError:
    """Return what a server gives when it is asked in one way, or its error."""
    call = endpoint.write(kind, PROBE[kind], route, max_tokens=2, temperature=0.0)
    (reply,) = endpoint.connection.fetch_each([call], report)
    if isinstance(reply, MicroscopeError):
        return reply
    given = max((len(piece.top) for piece in reply.pieces), default=0)
    return replace(route, logprobs=bool(reply.pieces), alternatives=min(given, route.alternatives))


def probe_behaviour(
    endpoint: Endpoint, chat: Route | None, plain: Route | None, report: Report
) -> tuple[dict[str, Any], float]:
    """Return the replies to small requests by name, without those that failed, and the seconds that one takes."""
    # Whether the temperature changes log-probabilities is seen only where there are some.
    by_chat = chat is not None and (chat.alternatives > 0 or plain is None or plain.alternatives == 0)
    kind: Kind = "chat" if by_chat else "plain"
    route = (chat if by_chat else plain) or ROUTES[-1]
    write = partial(endpoint.write, kind, PROBE[kind], route)
    calls: dict[str, Call[Any]] = {
        "greedy": write(max_tokens=1, temperature=0.0),
        "hot": write(max_tokens=1, temperature=2.0, seed=1),
        "first draw": write(max_tokens=12, temperature=1.0, seed=11),
        "second draw": write(max_tokens=12, temperature=1.0, seed=11),
        "stop": endpoint.write(kind, COUNTING, route, max_tokens=16, temperature=0.0, stop=[","]),
        "tokenize": endpoint.count(PROBE["chat"]),
    }
    if chat is not None:
        calls["chat labels"] = endpoint.score("chat", PROBE["chat"], LABEL)
    if plain is not None:
        calls["plain labels"] = endpoint.score("plain", PROBE["plain"], LABEL)
    began = time.monotonic()
    endpoint.connection.fetch_each([calls["greedy"]], report)
    seconds = time.monotonic() - began
    replies = zip(calls, endpoint.connection.fetch_each(list(calls.values()), report), strict=True)
    return {name: reply for name, reply in replies if not isinstance(reply, MicroscopeError)}, seconds


def label_scoring(route: Route | None, whole: bool) -> Labels:
    """Return how a given reply is scored: all its tokens, else its first token among the likeliest, else not at all."""
    if route is None:
        return "none"
    return "whole" if whole else "first token" if route.alternatives else "none"


def same_logprobs(*answers: Written | None) -> bool:
    """Return whether the likeliest first tokens have the same log-probabilities at every temperature."""
    tops = [dict(written.pieces[0].top) for written in answers if written is not None and written.pieces]
    return len(tops) == len(answers) and all(about_equal(tops[0], top) for top in tops[1:])


def about_equal(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """Return whether the log-probabilities of the five likeliest tokens differ by at most 0.3 nats on average.

    >>> about_equal({"a": -0.1, "b": -3.0}, {"a": -0.1, "b": -2.9})
    True
    >>> about_equal({"a": -0.1, "b": -3.0}, {"a": -0.4, "b": -1.6})
    False
    """
    best = sorted(one, key=lambda token: -one[token])[:BEST_TOKENS]
    apart = [abs(one[token] - other[token]) for token in best if token in other]
    return bool(apart) and sum(apart) / len(apart) <= SAME_LOGPROB
