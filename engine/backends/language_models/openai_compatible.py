"""A language model behind an OpenAI-compatible server (vLLM, llama.cpp, a service): the same methods, larger weights.

It differs from a local model in three ways. A server shows only the likeliest tokens, so the entropy of a token is an
interval (``entropy_bounds_from_top_k``). It shows no attention. It applies its own chat template. ``server_card``
probes what else it gives. Requests ask for plain sampling, without filters and penalties. If a text begins with a stop
string, it is requested again without stop strings, because such a beginning does not count (``stop_strings``).
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from engine.backends.language_models.base import CapabilityCard, ModelIdentity, Request, Route
from engine.backends.language_models.server_address import ServerName
from engine.backends.language_models.server_card import Endpoint, Kind, capability_card
from engine.backends.language_models.server_connection import Call, Connection, Patience
from engine.backends.language_models.server_replies import Piece, Written
from engine.backends.language_models.stop_strings import cut_at, first_stop
from engine.core.errors import CapabilityError, MicroscopeError, ModelError
from engine.core.progress import Report, silent
from engine.core.records import Generation, Prompt, Token
from engine.core.told_tokens import decoded, fitted_texts, place_of
from engine.measures.token_entropy import LARGEST_VOCABULARY, entropy_bounds_from_some, entropy_bounds_from_top_k

# Servers take seeds below 2**31; ours are longer.
SEEDS = 2**31
CHARACTERS_PER_TOKEN = 4
# A user waits for the probe and for a count, so both give up sooner.
PROBING = Patience(reply=60.0, tries=2)
COUNTING = Patience(connect=1.0, reply=3.0, tries=1)
UNKNOWN_ID = -1


class ServerModel:
    """One model on one server. Several requests run at the same time, at most ``patience.at_once``."""

    def __init__(self, connection: Connection, card: CapabilityCard) -> None:
        self._connection, self.card = connection, card
        self._endpoint = Endpoint(connection=connection, model=card.model)
        self.capabilities = card.capabilities
        self.identity = ModelIdentity(
            # This name opens the model again, so an imported run can be repeated.
            name=f"{connection.server.base}#{card.model}",
            revision=card.revision or "not told by the server",
            dtype="as served",
            parameters=0,
            note=capability_note(card),
        )
        self.count_tokens = lru_cache(maxsize=4096)(self._count_tokens)

    def generate(self, requests: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        """Return one generation per request, in order; see ``LanguageModel.generate``.

        Raises CapabilityError if the server does not continue plain text, ModelError or InputError if it fails.
        """
        for request in requests:
            if request.max_tokens < 1:
                raise ValueError(f"max_tokens must be at least 1, got {request.max_tokens}")
        written = self._connection.fetch_all([self._text_call(request, request.stop) for request in requests], report)
        # A stop string ended these texts before anything was written.
        again = [
            at
            for at, one in enumerate(written)
            if requests[at].stop and one.finish_reason in ("stop", None) and not one.text.strip()
        ]
        retried = self._connection.fetch_all([self._text_call(requests[at], ()) for at in again], report)
        for at, one in zip(again, retried, strict=True):
            written[at] = one
        return tuple(self._generation(request, one) for request, one in zip(requests, written, strict=True))

    def attention(self, generation: Generation) -> np.ndarray:
        """Raise CapabilityError: no server shows attention."""
        raise CapabilityError("This needs attention, which a server does not give.")

    def prompt_spans(self, generation: Generation) -> tuple[tuple[int, int], ...]:
        """Raise CapabilityError: the server does not show the tokens of the prompt."""
        raise CapabilityError("This needs the tokens of the prompt, which a server does not give.")

    def label_logprobs(self, prompts: Sequence[Prompt], labels: Sequence[str], report: Report) -> np.ndarray:
        """Return the mean log-probability per token of each label as each prompt's answer: [prompts, labels], nats.

        A server that does not score given replies gives that of the label's first token among the likeliest tokens; a
        label outside them gets the highest value that it can have. Raises CapabilityError if it gives neither.
        """
        scores = np.empty((len(prompts), len(labels)))
        for chat in {prompt.chat for prompt in prompts}:
            places = [at for at, prompt in enumerate(prompts) if prompt.chat == chat]
            texts = [prompts[at].text for at in places]
            kind, route = self._route(prompts[places[0]])
            scoring = self.card.labels if kind == "chat" else self.card.plain_labels
            if scoring == "none":
                raise self._no_label_scores()
            if scoring == "whole":
                calls = [self._endpoint.score(kind, text, label) for text in texts for label in labels]
                means = [sum(found) / len(found) for found in self._connection.fetch_all(calls, report)]
                scores[places] = np.array(means).reshape(len(texts), len(labels))
            else:
                scores[places] = self._first_token_scores(kind, route, texts, labels, report)
        return scores

    def _first_token_scores(
        self, kind: Kind, route: Route, texts: Sequence[str], labels: Sequence[str], report: Report
    ) -> np.ndarray:
        """Return the log-probabilities of the labels' first tokens. Raises CapabilityError if none comes back."""
        calls = [self._endpoint.write(kind, text, route, max_tokens=1, temperature=0.0) for text in texts]
        rows = []
        for written in self._connection.fetch_all(calls, report):
            if not written.pieces or not written.pieces[0].top:
                raise self._no_label_scores()
            rows.append(first_token_scores(written.pieces[0].top, labels))
        return np.array(rows)

    def _no_label_scores(self) -> CapabilityError:
        return CapabilityError(f"{self.identity.name} does not give the probability of a given reply.")

    def _count_tokens(self, text: str) -> int:
        """Return the number of tokens by the server's count, else a quarter of the characters, rounded up.

        It only limits the length of an answer, so a server that does not reply quickly is not worth waiting for.
        """
        if self.card.counts_tokens:
            connection = Connection(self._connection.server, COUNTING)
            (count,) = connection.fetch_each([self._endpoint.count(text)], silent)
            if not isinstance(count, MicroscopeError):
                return count
        return -(-len(text) // CHARACTERS_PER_TOKEN)

    def _route(self, prompt: Prompt) -> tuple[Kind, Route]:
        """Return how to send a prompt. A model without a chat template continues a chat turn as plain text."""
        if prompt.chat and self.card.chat is not None:
            return "chat", self.card.chat
        if self.card.plain is not None:
            return "plain", self.card.plain
        raise CapabilityError(f"{self.identity.name} answers chat turns only; this needs plain text to be continued.")

    def _text_call(self, request: Request, stop: Sequence[str]) -> Call[Written]:
        kind, route = self._route(request.prompt)
        settings = {"max_tokens": request.max_tokens, "temperature": request.temperature, "seed": request.seed % SEEDS}
        stops = {"stop": list(stop)} if stop else {}
        return self._endpoint.write(kind, request.prompt.text, route, **settings, **stops)

    def _generation(self, request: Request, written: Written) -> Generation:
        """Return the reply as a record. Raises ModelError if its parts do not fit together."""
        if len(written.pieces) > request.max_tokens + 1:
            raise ModelError(
                f"{self.identity.name} wrote {len(written.pieces):,} tokens; the limit was {request.max_tokens}."
            )
        tokens = self._tokens(written, self._route(request.prompt)[1])
        text = "".join(token.text for token in tokens)
        end = end_of_answer(written.text, text, self.identity.name)
        cut = first_stop(text, request.stop)
        stop_token: Token | None = None
        if cut is not None or end < len(text):
            text, tokens, stop_token = cut_at(tokens, text, end if cut is None else min(cut, end))
        elif written.finish_reason != "length" and tokens and not tokens[-1].text:
            *kept, stop_token = tokens
            tokens = tuple(kept)
        by_string = cut is not None or written.stop_reason in request.stop
        count = written.prompt_tokens
        return Generation(
            prompt=request.prompt,
            rendered=request.prompt.text,
            prompt_tokens=self.count_tokens(request.prompt.text) if count is None else count,
            text=text,
            tokens=tokens,
            stop_reason="stop string" if by_string else "length" if written.finish_reason == "length" else "end",
            temperature=request.temperature,
            seed=request.seed,
            stop_token=stop_token,
        )

    def _tokens(self, written: Written, route: Route) -> tuple[Token, ...]:
        """Return the tokens with offsets; one token without numbers for the whole text if the server gives none."""
        if not written.pieces:
            return (new_token(written.text, len(written.text)),) if written.text else ()
        tokens: list[Token] = []
        end = 0
        texts = fitted_texts(piece_texts(written.pieces), written.text)
        for piece, text in zip(written.pieces, texts, strict=True):
            end += len(text)
            try:
                bounds = entropy_interval(piece, route.alternatives, self.card.vocabulary or LARGEST_VOCABULARY)
            except ValueError as exc:
                raise ModelError(
                    f"{self.identity.name} gave impossible log-probabilities for {piece.text[:40]!r}: {exc}."
                ) from exc
            tokens.append(new_token(text, end, piece.logprob, bounds))
        return tuple(tokens)


def open_server(server: ServerName, report: Report = silent, patience: Patience | None = None) -> ServerModel:
    """Return the model on a server after probing what it gives. Raises ModelError."""
    probing = Connection(server, patience or PROBING)
    return ServerModel(Connection(server, patience), capability_card(probing, report))


def new_token(
    text: str, end: int, logprob: float = math.nan, bounds: tuple[float, float | None] = (math.nan, None)
) -> Token:
    """Return a token of a server, which gives no ids; ``bounds`` are those of its entropy in nats."""
    low, high = bounds
    start = end - len(text)
    return Token(id=UNKNOWN_ID, text=text, start=start, end=end, logprob=logprob, entropy=low, entropy_high=high)


def capability_note(card: CapabilityCard) -> str:
    """Return what a reader of a record must know about this model's numbers, in sentences."""
    capabilities = card.capabilities
    parts = [f"Served by {card.host}, which applies its own chat template."]
    if not capabilities.token_logprobs and not capabilities.continued_logprobs:
        parts.append("It gives no token probabilities.")
    elif not capabilities.token_logprobs:
        parts.append("It gives no token probabilities for chat turns.")
    elif capabilities.plain_text and not capabilities.continued_logprobs:
        parts.append("It gives no token probabilities for a continued text.")
    if top := capabilities.continued_top or capabilities.top_logprobs:
        parts.append(f"Entropies are intervals, from the {top} likeliest tokens of each place.")
    if not card.untempered:
        parts.append("Its log-probabilities depend on the temperature, so entropies are not known.")
    if capabilities.labels == "first token":
        parts.append("Given replies are scored by their first token only.")
    if not card.seeded:
        parts.append("The same seed did not write the same text twice, so draws cannot be repeated.")
    if not any(route.extras for route in (card.chat, card.plain) if route is not None):
        parts.append("It does not say whether it filters or penalises tokens while sampling.")
    return " ".join(parts)


def entropy_interval(piece: Piece, requested: int, vocabulary: int = LARGEST_VOCABULARY) -> tuple[float, float]:
    """Return the lowest and the highest entropy in nats that agree with what is known of one token.

    If fewer alternatives came than ``requested`` (two that look the same become one), the rest may lie on one token.
    Most servers do not give the size of their ``vocabulary``.
    Raises ValueError for values that cannot come from one distribution.

    >>> piece = Piece(text="a", raw=None, logprob=-0.105361, top=(("a", -0.105361), ("b", -2.302585)))
    >>> tuple(round(bound, 4) for bound in entropy_interval(piece, 2))
    (0.3251, 0.3251)
    """
    best = sorted((value for _, value in piece.top), reverse=True)[: max(requested, 1)] or [piece.logprob]
    if piece.top and len(best) >= requested:
        return entropy_bounds_from_top_k(best, vocabulary, drawn=piece.logprob)
    # What is left lies on one more token at least, whatever size the server gives for its vocabulary.
    return entropy_bounds_from_some(best, max(vocabulary, len(best) + 1))


def first_token_scores(top: Sequence[tuple[str, float]], labels: Sequence[str]) -> np.ndarray:
    """Return the log-probability that the answer begins as each label does: [labels], nats.

    A label that none of the likeliest tokens begins gets the highest value that it can have. Raises CapabilityError if
    two labels share a first token, or if no label is among the likeliest.

    >>> first_token_scores((("Yes", -0.5), ("no", -1.0), ("y", -5.0)), ("yes", "no")).round(3)
    array([-0.489, -1.   ])
    """
    begins: list[list[float]] = [[] for _ in labels]
    shared = False
    for token, value in top:
        fits = [label.lower().startswith(token.strip().lower()) for label in labels] if token.strip() else []
        shared = shared or sum(fits) > 1
        for values, fit in zip(begins, fits, strict=False):
            values.extend([value] * fit)
    if shared or not any(begins):
        why = "begin alike" if shared else "are not among the likeliest first tokens"
        raise CapabilityError(f"The replies {', '.join(labels)} {why}, so this server cannot weigh them.")
    rest = max(1e-12, 1.0 - sum(math.exp(value) for _, value in top))
    highest = min(min(value for _, value in top), math.log(rest))
    return np.array([np.logaddexp.reduce(values) if values else highest for values in begins], dtype=np.float64)


def piece_texts(pieces: Sequence[Piece]) -> list[str]:
    """Return each token's own part of the text; one that completes no character yet (half an emoji) is empty.

    >>> halves = [Piece(text="?", raw=raw, logprob=-1.0, top=()) for raw in (b"\\xc3", b"\\xa9")]
    >>> piece_texts(halves)
    ['', 'é']
    """
    if any(piece.raw is None for piece in pieces):
        return [piece.text for piece in pieces]
    return decoded([piece.raw or b"" for piece in pieces])


def end_of_answer(text: str, spelled: str, name: str) -> int:
    """Return how many characters of ``spelled``, the text of the tokens, belong to the answer.

    What follows is the end token. Raises ModelError if the tokens spell another text, as after hidden reasoning.
    """
    if not spelled:
        return 0
    at = place_of(text, spelled)
    if at is None:
        raise ModelError(
            f"The tokens of {name} do not spell its answer. A model that reasons first hides that part: "
            "switch off its reasoning at the server."
        )
    return len(text) if spelled.startswith(text) else at + len(text.strip())
