"""A language model behind an OpenAI-compatible server (vLLM, llama.cpp, a service): the same methods, larger weights.

What differs from a model held open here: a server shows only the likeliest tokens, so the entropy of a token is known
within bounds (``entropy_bounds_from_top_k``), recorded as such; it shows no attention; and it applies its own chat
template. What else it gives is probed first (``server_card``). Plain sampling is asked for, without the filters and
penalties that servers take from a model's settings. A text that begins with a stop string is asked for again without
it: here such a beginning does not count, as in ``transformers_model``.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from engine.backends.language_models.base import CapabilityCard, ModelIdentity, Request, Route
from engine.backends.language_models.server_address import ServerName
from engine.backends.language_models.server_card import (
    Kind,
    body_of,
    call_of,
    capability_card,
    chat_label_call,
    count_call,
    plain_label_call,
)
from engine.backends.language_models.server_connection import Call, Connection, Patience
from engine.backends.language_models.server_replies import Piece, Written
from engine.backends.language_models.stop_strings import cut_at, first_stop
from engine.core.errors import CapabilityError, MicroscopeError, ModelError
from engine.core.progress import Report, silent
from engine.core.records import Generation, Prompt, Token
from engine.measures.token_entropy import entropy_bounds_from_top_k

# No server tells the size of its vocabulary. The largest in common use has 262,144 tokens (Gemma 3); a bound for it
# holds for every smaller one.
LARGEST_VOCABULARY = 262_144
# Seeds are whole numbers below 2**31 everywhere; ours are longer.
SEEDS = 2**31
CHARACTERS_PER_TOKEN = 4
# Somebody waits for the probe: a server that needs longer for two tokens is told to be slow.
PROBING = Patience(reply=60.0, tries=2)
COUNTING = Patience(connect=1.0, reply=3.0, tries=1)
UNKNOWN_ID = -1


class ServerModel:
    """One model on one server. Several requests are in flight at once, at most ``patience.at_once``."""

    def __init__(self, connection: Connection, card: CapabilityCard) -> None:
        """Hold the way to the server and what it was found to give."""
        self._connection, self.card = connection, card
        self.capabilities = card.capabilities
        self.identity = ModelIdentity(
            # The name that opens it again: an imported run can be asked anew.
            name=f"{connection.server.base}#{card.model}",
            revision=card.revision or "not told by the server",
            dtype="as served",
            parameters=0,
            note=note_of(card),
        )
        self._counted = lru_cache(maxsize=4096)(self._count)

    def generate(self, requests: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        """Return one generation per request, in order; see ``LanguageModel.generate``.

        Raises CapabilityError where the server continues no plain text, ModelError or InputError where it fails.
        """
        for request in requests:
            if request.max_tokens < 1:
                raise ValueError(f"max_tokens must be at least 1, got {request.max_tokens}")
        written = self._connection.asked([self._call(request, stopping=True) for request in requests], report)
        empty = [at for at, one in enumerate(written) if requests[at].stop and stopped_at_once(one)]
        anew = self._connection.asked([self._call(requests[at], stopping=False) for at in empty], report)
        for at, one in zip(empty, anew, strict=True):
            written[at] = one
        return tuple(self._generation(request, one) for request, one in zip(requests, written, strict=True))

    def attention(self, generation: Generation) -> np.ndarray:
        """Raise CapabilityError: no server shows attention."""
        raise CapabilityError("It reads attention, which a server does not give.")

    def prompt_spans(self, generation: Generation) -> tuple[tuple[int, int], ...]:
        """Raise CapabilityError: the server does not show what it made of the prompt."""
        raise CapabilityError("It reads the prompt token by token, which a server does not give.")

    def label_logprobs(self, prompts: Sequence[Prompt], labels: Sequence[str], report: Report) -> np.ndarray:
        """Return the mean log-probability per token of each label as each prompt's answer: [prompts, labels], nats.

        Where the server scores no given reply, it is that of the label's first token among the likeliest, and one that
        is not among them has at most what the last of them has. Raises CapabilityError where neither can be had.
        """
        ways = {prompt.chat: self._route(prompt) for prompt in prompts}
        how = {chat: self.card.labels if kind == "chat" else self.card.plain_labels for chat, (kind, _) in ways.items()}
        if "none" in how.values():
            raise CapabilityError(f"{self.identity.name} does not say how likely a given reply is.")
        found = np.empty((len(prompts), len(labels)))
        for chat, (kind, route) in ways.items():
            places = [at for at, prompt in enumerate(prompts) if prompt.chat == chat]
            some = [prompts[at] for at in places]
            scores = self._whole_scores if how[chat] == "whole" else self._first_scores
            found[places] = scores(kind, route, some, labels, report)
        return found

    def _whole_scores(
        self, kind: Kind, route: Route, prompts: Sequence[Prompt], labels: Sequence[str], report: Report
    ) -> np.ndarray:
        """Return the mean log-probabilities of whole labels."""
        calls = [self._label_call(kind, prompt, label) for prompt in prompts for label in labels]
        means = [sum(scores) / len(scores) for scores in self._connection.asked(calls, report)]
        return np.array(means, dtype=np.float64).reshape(len(prompts), len(labels))

    def _first_scores(
        self, kind: Kind, route: Route, prompts: Sequence[Prompt], labels: Sequence[str], report: Report
    ) -> np.ndarray:
        """Return the log-probabilities of the labels' first tokens. Raises CapabilityError where none comes back."""
        calls = [
            call_of(
                self._connection,
                kind,
                body_of(kind, self.card.model, prompt.text, route, max_tokens=1, temperature=0.0),
            )
            for prompt in prompts
        ]
        rows = []
        for written in self._connection.asked(calls, report):
            if not written.pieces or not written.pieces[0].top:
                raise CapabilityError(f"{self.identity.name} does not say how likely a given reply is.")
            rows.append(first_token_scores(written.pieces[0].top, labels))
        return np.array(rows)

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the text has: the server's count where it gives one, else a quarter of the characters.

        It serves as a limit of what may be written, so a server that does not answer at once is not waited for.
        """
        return self._counted(text) if self.card.counts_tokens else estimated_tokens(text)

    def _count(self, text: str) -> int:
        hasty = Connection(self._connection.server, COUNTING)
        (count,) = hasty.settled([count_call(hasty, self.card.model, text)], silent)
        return estimated_tokens(text) if isinstance(count, MicroscopeError) else count

    def _route(self, prompt: Prompt) -> tuple[Kind, Route]:
        """Return how a prompt is sent. A model without a chat template reads a turn as plain text, as it does here."""
        if prompt.chat and self.card.chat is not None:
            return "chat", self.card.chat
        if self.card.plain is not None:
            return "plain", self.card.plain
        raise CapabilityError(f"{self.identity.name} answers chat turns only; this needs a text to be continued.")

    def _call(self, request: Request, stopping: bool) -> Call[Written]:
        kind, route = self._route(request.prompt)
        settings: dict[str, Any] = {
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "seed": request.seed % SEEDS,
        }
        if stopping and request.stop:
            settings["stop"] = list(request.stop)
        return call_of(self._connection, kind, body_of(kind, self.card.model, request.prompt.text, route, **settings))

    def _label_call(self, kind: Kind, prompt: Prompt, label: str) -> Call[list[float]]:
        if kind == "chat":
            return chat_label_call(self._connection, self.card.model, prompt.text, label)
        return plain_label_call(self._connection, self.card.model, prompt.text, " " + label)

    def _generation(self, request: Request, written: Written) -> Generation:
        """Return what the server wrote as a record. Raises ModelError where its parts do not fit together."""
        _, route = self._route(request.prompt)
        if len(written.pieces) > request.max_tokens + 1:
            raise ModelError(
                f"{self.identity.name} wrote {len(written.pieces):,} tokens where at most {request.max_tokens} were "
                "asked for."
            )
        tokens = self._tokens(written, route)
        whole = "".join(token.text for token in tokens)
        end = end_of(written.text, whole, self.identity.name)
        cut = first_stop(whole, request.stop)
        stop_token: Token | None = None
        if cut is not None or end < len(whole):
            whole, tokens, stop_token = cut_at(tokens, whole, end if cut is None else min(cut, end))
        elif written.finish != "length" and tokens and not tokens[-1].text:
            *kept, stop_token = tokens
            tokens = tuple(kept)
        by_string = cut is not None or (written.stop_string or "") in request.stop
        return Generation(
            prompt=request.prompt,
            rendered=request.prompt.text,
            prompt_tokens=self._prompt_tokens(request.prompt, written),
            text=whole,
            tokens=tokens,
            stop_reason="stop string" if by_string else "length" if written.finish == "length" else "end",
            temperature=request.temperature,
            seed=request.seed,
            stop_token=stop_token,
        )

    def _tokens(self, written: Written, route: Route) -> tuple[Token, ...]:
        """Return the tokens with offsets; one without numbers for the whole text where the server tells none."""
        if not written.pieces:
            text = written.text
            unknown = Token(id=UNKNOWN_ID, text=text, start=0, end=len(text), logprob=math.nan, entropy=math.nan)
            return (unknown,) if text else ()
        texts = piece_texts(written.pieces)
        ends = np.cumsum([len(text) for text in texts]).tolist()
        tokens = []
        for piece, text, end in zip(written.pieces, texts, ends, strict=True):
            low, high = self._entropy(piece, route)
            tokens.append(
                Token(
                    id=UNKNOWN_ID,
                    text=text,
                    start=end - len(text),
                    end=end,
                    logprob=piece.logprob,
                    entropy=low,
                    entropy_high=high,
                )
            )
        return tuple(tokens)

    def _entropy(self, piece: Piece, route: Route) -> tuple[float, float]:
        """Return the bounds of one token's entropy in nats."""
        try:
            return entropy_interval(piece, route.alternatives)
        except ValueError as exc:
            raise ModelError(
                f"{self.identity.name} gave log-probabilities of {piece.text[:40]!r} that are no distribution: {exc}."
            ) from exc

    def _prompt_tokens(self, prompt: Prompt, written: Written) -> int:
        """Return how many tokens were read, by the server's count or else by ours."""
        return self.count_tokens(prompt.text) if written.prompt_tokens is None else written.prompt_tokens


def open_server(server: ServerName, report: Report = silent, patience: Patience | None = None) -> ServerModel:
    """Return the model on a server, after probing what it gives. Raises ModelError with a sentence."""
    probing = Connection(server, patience or PROBING)
    return ServerModel(Connection(server, patience), capability_card(probing, report))


def note_of(card: CapabilityCard) -> str:
    """Return what a reader of a record must know of the numbers of this model, in sentences."""
    capabilities = card.capabilities
    parts = [f"Served by {card.host}, which applies its own chat template."]
    if not capabilities.token_logprobs:
        parts.append("It gives no token probabilities.")
    elif capabilities.top_logprobs:
        parts.append(f"Entropies are intervals, from the {capabilities.top_logprobs} likeliest tokens of each place.")
    if not card.untempered:
        parts.append("Its log-probabilities depend on the temperature, so entropies are not known.")
    if capabilities.labels == "first token":
        parts.append("Given replies are scored by their first token only.")
    if not card.seeded:
        parts.append("The same seed did not write the same text twice: draws cannot be repeated.")
    if not any(route.extras for route in (card.chat, card.plain) if route is not None):
        parts.append("It does not say whether it filters or penalises tokens while sampling.")
    return " ".join(parts)


def entropy_interval(piece: Piece, asked: int) -> tuple[float, float]:
    """Return the least and the most entropy in nats that agree with what is told of one token.

    With fewer alternatives than were ``asked`` for (two that look the same as text become one), the rest may lie on one
    token. Raises ValueError on what can be no distribution.

    >>> piece = Piece(text="a", raw=None, logprob=-0.105361, top=(("a", -0.105361), ("b", -2.302585)))
    >>> tuple(round(bound, 4) for bound in entropy_interval(piece, 2))
    (0.3251, 0.3251)
    """
    told = sorted((value for _, value in piece.top), reverse=True)[: max(asked, 1)] or [piece.logprob]
    complete = bool(piece.top) and len(told) >= asked
    if complete:
        return entropy_bounds_from_top_k(told, LARGEST_VOCABULARY)
    known = np.minimum(np.exp(np.array(told)), 1.0)
    seen = float(-(known * np.log(np.where(known > 0, known, 1.0))).sum())
    rest = max(0.0, 1.0 - float(known.sum()))
    if rest <= 0:
        return seen, seen
    low = seen - rest * math.log(rest)
    return low, low + rest * math.log(LARGEST_VOCABULARY - len(told))


def first_token_scores(top: Sequence[tuple[str, float]], labels: Sequence[str]) -> np.ndarray:
    """Return the log-probability that the answer begins as each label does: [labels], nats.

    A label none of the likeliest tokens begins gets the most it can have. Raises CapabilityError where two labels may
    begin alike, or none is among the likeliest.

    >>> first_token_scores((("Yes", -0.5), ("no", -1.0), ("y", -5.0)), ("yes", "no")).round(3)
    array([-0.489, -1.   ])
    """
    begins = [
        [value for token, value in top if token.strip() and label.lower().startswith(token.strip().lower())]
        for label in labels
    ]
    shared = [
        token
        for token, _ in top
        if token.strip() and sum(label.lower().startswith(token.strip().lower()) for label in labels) > 1
    ]
    if shared or not any(begins):
        why = "begin alike" if shared else "are not among the likeliest first tokens"
        raise CapabilityError(f"The replies {', '.join(labels)} {why}, so this server cannot weigh them.")
    rest = max(1e-12, 1.0 - sum(math.exp(value) for _, value in top))
    most = min(min(value for _, value in top), math.log(rest))
    return np.array([np.logaddexp.reduce(values) if values else most for values in begins], dtype=np.float64)


def stopped_at_once(written: Written) -> bool:
    """Return whether a stop string ended a text before anything was written."""
    return written.finish == "stop" and not written.text.strip()


def piece_texts(pieces: Sequence[Piece]) -> list[str]:
    """Return each token's own part of the text; one that completes no character yet (half an emoji) is empty.

    >>> halves = [Piece(text="?", raw=raw, logprob=-1.0, top=()) for raw in (b"\\xc3", b"\\xa9")]
    >>> piece_texts(halves)
    ['', 'é']
    """
    if any(piece.raw is None for piece in pieces):
        return [piece.text for piece in pieces]
    texts, left = [], b""
    for piece in pieces:
        left += piece.raw or b""
        text, left = whole_characters(left)
        texts.append(text)
    if left and texts:
        texts[-1] += left.decode("utf-8", "replace")
    return texts


def whole_characters(raw: bytes) -> tuple[str, bytes]:
    """Return the text of all bytes up to a character that is still incomplete, and the bytes of that one.

    >>> whole_characters(b"a\\xc3")
    ('a', b'\\xc3')
    """
    for held in range(min(4, len(raw) + 1)):
        kept = raw[: len(raw) - held]
        try:
            return kept.decode("utf-8"), raw[len(kept) :]
        except UnicodeDecodeError:
            continue
    return raw.decode("utf-8", "replace"), b""


def end_of(text: str, spelled: str, name: str) -> int:
    """Return how many characters of what the tokens spell belong to the text; what follows is its end token.

    Raises ModelError where the tokens spell another text, as with a reasoning that is hidden from the answer.
    """
    if not spelled:
        return 0
    body = text.strip()
    at = spelled.find(body)
    if at < 0 or spelled[:at].strip():
        raise ModelError(
            f"The tokens of {name} do not spell its answer. A model that reasons first hides that part: "
            "switch its reasoning off at the server."
        )
    if spelled.startswith(text):
        return len(text)
    return at + len(body)


def estimated_tokens(text: str) -> int:
    """Return a quarter of the characters, rounded up.

    >>> estimated_tokens("Paris")
    2
    """
    return -(-len(text) // CHARACTERS_PER_TOKEN)
