"""What an OpenAI-compatible server sends, checked before it is believed, and one shape for both kinds of reply.

Replies of /chat/completions and /completions come in two layouts; both become ``Written``: the text, and its tokens
with their log-probabilities and those of the likeliest alternatives. Only what is needed is looked at, other fields are
passed over. What is missing, of another type, NaN, infinite or a probability above 1 is a ModelError that names the
place. Texts are untrusted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from engine.core.errors import ModelError

# Rounding at the server may put a log-probability a little above 0.
LogProb = Annotated[float, Field(allow_inf_nan=False, le=1e-3)]
Whole = Annotated[int, Field(ge=0)]
LONGEST_TEXT = 400_000
Shape = TypeVar("Shape")


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """One of the likeliest tokens at a place."""

    token: str
    logprob: LogProb


@dataclass(frozen=True, kw_only=True)
class ChatToken:
    """One token of a chat reply; ``bytes`` tells half characters apart that look the same as text."""

    token: str
    logprob: LogProb
    bytes: list[int] | None = None
    top_logprobs: list[Alternative] | None = None


@dataclass(frozen=True, kw_only=True)
class ChatLogprobs:
    """The tokens of a chat reply."""

    content: list[ChatToken] | None = None


@dataclass(frozen=True, kw_only=True)
class Message:
    """What the assistant said; ``refusal`` in its place where the server would not."""

    content: str | None = None
    refusal: str | None = None


@dataclass(frozen=True, kw_only=True)
class ChatChoice:
    """One chat answer. ``stop_reason`` is vLLM's: the stop string that ended it."""

    message: Message
    logprobs: ChatLogprobs | None = None
    finish_reason: str | None = None
    stop_reason: str | int | None = None


@dataclass(frozen=True, kw_only=True)
class TextLogprobs:
    """The tokens of a plain completion, in columns; the first of a prompt that is echoed has no log-probability."""

    tokens: list[str]
    token_logprobs: list[LogProb | None]
    top_logprobs: list[dict[str, LogProb] | None] | None = None


@dataclass(frozen=True, kw_only=True)
class TextChoice:
    """One plain completion."""

    text: str
    logprobs: TextLogprobs | None = None
    finish_reason: str | None = None
    stop_reason: str | int | None = None


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What was counted."""

    prompt_tokens: Whole | None = None


@dataclass(frozen=True, kw_only=True)
class PromptToken:
    """One token of the prompt, as vLLM's ``prompt_logprobs`` has it."""

    logprob: LogProb
    decoded_token: str | None = None


@dataclass(frozen=True, kw_only=True)
class ChatReply:
    """A reply of /chat/completions."""

    choices: Annotated[list[ChatChoice], Field(min_length=1)]
    usage: Usage | None = None
    prompt_logprobs: list[dict[str, PromptToken] | None] | None = None


@dataclass(frozen=True, kw_only=True)
class TextReply:
    """A reply of /completions."""

    choices: Annotated[list[TextChoice], Field(min_length=1)]
    usage: Usage | None = None


@dataclass(frozen=True, kw_only=True)
class ModelCard:
    """One model that is served; ``max_model_len`` and ``root`` are vLLM's."""

    id: str
    max_model_len: int | None = None
    root: str | None = None


@dataclass(frozen=True, kw_only=True)
class ModelList:
    """A reply of /models."""

    data: list[ModelCard]


@dataclass(frozen=True, kw_only=True)
class Counted:
    """A reply of vLLM's /tokenize."""

    count: Whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One token: its text, its bytes where they are told, its log-probability, and those of the likeliest tokens."""

    text: str
    raw: bytes | None
    logprob: float
    top: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A continuation as the server sent it; no ``pieces`` where it tells no tokens. ``prompt_tokens`` None = not told.

    ``finish`` is the server's word ("stop", "length"), ``stop_string`` the string that ended the text where it says so.
    """

    text: str
    pieces: tuple[Piece, ...]
    finish: str
    stop_string: str | None
    prompt_tokens: int | None


CHAT, TEXT = TypeAdapter(ChatReply), TypeAdapter(TextReply)
MODELS, COUNTED = TypeAdapter(ModelList), TypeAdapter(Counted)


def checked(adapter: TypeAdapter[Shape], body: bytes, host: str) -> Shape:
    """Return a reply in its shape. Raises ModelError that says what is wrong with it, never what was in it."""
    try:
        return adapter.validate_json(body)
    except ValidationError as exc:
        fault = exc.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(step) for step in fault["loc"])[:120]
        where = f" at {place}" if place else ""
        raise ModelError(f"The server {host} answered nonsense{where}: {fault['msg'][:160].rstrip('.')}.") from exc


def written_in_chat(body: bytes, host: str) -> Written:
    """Return the first choice of a chat reply. Raises ModelError where it is refused, filtered or nonsense."""
    reply = checked(CHAT, body, host)
    choice = reply.choices[0]
    if choice.message.refusal:
        raise ModelError(f"The server {host} refused to answer: {choice.message.refusal[:200]}.")
    tokens = (choice.logprobs.content if choice.logprobs else None) or []
    pieces = tuple(
        Piece(
            text=token.token,
            raw=raw_bytes(token.bytes, host),
            logprob=min(0.0, token.logprob),
            top=tuple((other.token, min(0.0, other.logprob)) for other in token.top_logprobs or ()),
        )
        for token in tokens
    )
    return ended(choice.message.content or "", pieces, choice.finish_reason, choice.stop_reason, reply.usage, host)


def written_in_text(body: bytes, host: str) -> Written:
    """Return the first choice of a plain completion. Raises ModelError where it is filtered or nonsense."""
    reply = checked(TEXT, body, host)
    choice = reply.choices[0]
    pieces = column_pieces(choice.logprobs, host) if choice.logprobs else ()
    return ended(choice.text, pieces, choice.finish_reason, choice.stop_reason, reply.usage, host)


def column_pieces(columns: TextLogprobs, host: str) -> tuple[Piece, ...]:
    """Return the tokens of a plain completion; the first of an echoed prompt gets log-probability 0."""
    tops = columns.top_logprobs or [None] * len(columns.tokens)
    if not len(columns.tokens) == len(columns.token_logprobs) == len(tops):
        raise ModelError(f"The server {host} answered nonsense: tokens and log-probabilities of different number.")
    if any(logprob is None for logprob in columns.token_logprobs[1:]):
        raise ModelError(f"The server {host} answered nonsense: a token without log-probability.")
    return tuple(
        Piece(
            text=token,
            raw=None,
            logprob=min(0.0, logprob or 0.0),
            top=tuple((other, min(0.0, value)) for other, value in (top or {}).items()),
        )
        for token, logprob, top in zip(columns.tokens, columns.token_logprobs, tops, strict=True)
    )


def ended(
    text: str,
    pieces: tuple[Piece, ...],
    finish: str | None,
    stop_reason: str | int | None,
    usage: Usage | None,
    host: str,
) -> Written:
    """Return a continuation with how it ended. Raises ModelError where it is filtered or endless."""
    if finish == "content_filter":
        raise ModelError(f"The server {host} filtered the answer.")
    if len(text) > LONGEST_TEXT:
        raise ModelError(f"The server {host} sent an answer of {len(text):,} characters.")
    return Written(
        text=text,
        pieces=pieces,
        finish=finish or "stop",
        stop_string=stop_reason if isinstance(stop_reason, str) else None,
        prompt_tokens=usage.prompt_tokens if usage else None,
    )


def raw_bytes(values: Sequence[int] | None, host: str) -> bytes | None:
    """Return a token's bytes. Raises ModelError where they are none."""
    if values is None:
        return None
    try:
        return bytes(values)
    except ValueError as exc:
        raise ModelError(f"The server {host} answered nonsense: a token's bytes are not from 0 to 255.") from exc


def label_scores(tokens: Sequence[tuple[str, float]], label: str, extra: int) -> list[float] | None:
    """Return the log-probabilities of the tokens at the end that spell the label, None where none do.

    At most ``extra`` tokens after it are passed over: what the server wrote after the text it was given.

    >>> label_scores([("Wet?", -9.0), (" y", -1.0), ("es", -0.5), (" I", -3.0)], "yes", extra=1)
    [-1.0, -0.5]
    """
    for left_over in range(extra, -1, -1):
        kept = list(tokens)[: len(tokens) - left_over]
        spelled = ""
        scores: list[float] = []
        while kept and len(spelled.strip()) < len(label.strip()):
            text, score = kept.pop()
            spelled, scores = text + spelled, [score, *scores]
        if spelled.strip() == label.strip():
            return scores
    return None
