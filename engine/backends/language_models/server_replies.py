"""Replies of an OpenAI-compatible server, checked before use, and one shape for both kinds of reply.

OpenAI's client does not check the types of a reply, so these shapes do: of what we read, nothing may be missing, of
another type, NaN, infinite or a probability above 1. A log-probability below ``NEVER`` is a probability of 0. Other
fields are ignored, because servers differ in them. Replies of /chat/completions and /completions both become
``Written``.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    AfterValidator,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from engine.core.errors import ModelError
from engine.core.json_text import LARGEST_WHOLE, fault_line
from engine.core.told_tokens import NEVER, never_below

LONGEST_TEXT = 400_000


def to_bytes(value: Any) -> Any:
    """Return a JSON list of numbers from 0 to 255 as bytes, anything else unchanged for pydantic to refuse."""
    is_bytes = isinstance(value, list) and all(type(one) is int and 0 <= one <= 255 for one in value)
    return bytes(value) if is_bytes else value


def to_pairs(value: Any) -> Any:
    """Return the likeliest tokens of either layout as pairs (token, log-probability)."""
    if isinstance(value, dict):
        return tuple(value.items())
    if isinstance(value, list):
        return tuple((one.get("token"), one.get("logprob")) if isinstance(one, dict) else one for one in value)
    return () if value is None else value


# Rounding at the server may put a log-probability a little above 0.
LogProb = Annotated[
    float,
    BeforeValidator(never_below),
    Field(allow_inf_nan=False, ge=NEVER, le=1e-3),
    AfterValidator(lambda value: min(0.0, value)),
]
TopTokens = Annotated[tuple[tuple[str, LogProb], ...], BeforeValidator(to_pairs)]
Count = Annotated[int, Field(ge=0, le=LARGEST_WHOLE)]


class Shape(BaseModel):
    """A part of a reply. Fields that it does not name are ignored."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, protected_namespaces=())


class Piece(Shape):
    """One token: its text, its bytes if known, its log-probability and those of the likeliest tokens at its place."""

    text: str = Field(validation_alias="token")
    raw: Annotated[bytes | None, BeforeValidator(to_bytes)] = Field(default=None, validation_alias="bytes")
    logprob: LogProb
    top: TopTokens = Field(default=(), validation_alias="top_logprobs")


class Logprobs(Shape):
    """Tokens of a reply: a list in chat, columns in plain completions."""

    content: tuple[Piece, ...] | None = None
    tokens: tuple[str, ...] = ()
    token_logprobs: tuple[LogProb | None, ...] = ()
    top_logprobs: tuple[TopTokens, ...] | None = None

    @model_validator(mode="after")
    def columns_fit(self) -> Self:
        """Refuse columns of different length, and a token without log-probability."""
        tops = self.tokens if self.top_logprobs is None else self.top_logprobs
        if not len(self.tokens) == len(self.token_logprobs) == len(tops) or None in self.token_logprobs[1:]:
            raise ValueError("tokens and log-probabilities differ in number")
        return self

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The tokens of either layout; the first token of an echoed prompt has log-probability 0."""
        if self.content is not None:
            return self.content
        columns = (self.tokens, self.token_logprobs, self.top_logprobs or ((),) * len(self.tokens))
        return tuple(Piece(text=text, logprob=value or 0.0, top=top) for text, value, top in zip(*columns, strict=True))


class Message(Shape):
    """A chat answer; some servers put ``refusal`` in its place."""

    content: str | None = None
    refusal: str | None = None


class PromptToken(Shape):
    """One token of the prompt in vLLM's ``prompt_logprobs``."""

    logprob: LogProb
    decoded_token: str | None = None


def choice_field(name: str) -> Any:
    """Return an optional field that is read from the first choice of a reply."""
    return Field(default=None, validation_alias=AliasPath("choices", 0, name))


class Written(Shape):
    """A text that the server wrote: the first choice of a reply.

    ``finish_reason`` is the server's word ("stop", "length"); ``stop_reason`` is vLLM's: the stop string that ended
    the text. ``prompt_tokens`` None: the server gives no count.
    """

    message: Message | None = choice_field("message")
    plain_text: str | None = choice_field("text")
    logprobs: Logprobs | None = choice_field("logprobs")
    finish_reason: str | None = choice_field("finish_reason")
    stop_reason: str | int | None = choice_field("stop_reason")
    prompt_tokens: Count | None = Field(default=None, validation_alias=AliasPath("usage", "prompt_tokens"))
    prompt_logprobs: list[dict[str, PromptToken] | None] | None = None

    @model_validator(mode="after")
    def has_text(self) -> Self:
        """Refuse a reply without a choice."""
        if self.message is None and self.plain_text is None:
            raise ValueError("it has no text")
        return self

    @property
    def text(self) -> str:
        """The text of either layout."""
        return (self.plain_text if self.message is None else self.message.content) or ""

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The tokens; none if the server gives none."""
        return () if self.logprobs is None else self.logprobs.pieces


class ModelFacts(Shape):
    """What llama.cpp says of a model: its vocabulary, and how long a prompt and answer may be."""

    n_vocab: int | None = Field(default=None, ge=2, le=LARGEST_WHOLE)
    n_ctx: int | None = Field(default=None, ge=1, le=LARGEST_WHOLE)


class ServedModel(Shape):
    """One model of a server's list; ``max_model_len`` and ``root`` are vLLM's, ``meta`` is llama.cpp's."""

    id: str
    max_model_len: int | None = None
    root: str | None = None
    meta: ModelFacts | None = None

    @property
    def context(self) -> int | None:
        """The longest prompt and answer in tokens, None where the server does not say."""
        return self.max_model_len or (None if self.meta is None else self.meta.n_ctx)


class ModelList(Shape):
    """A reply of /models."""

    data: tuple[ServedModel, ...]


class TokenCount(Shape):
    """A reply of /tokenize: vLLM counts the tokens, llama.cpp lists them."""

    count: Count | None = None
    tokens: tuple[Any, ...] = ()

    @property
    def number(self) -> int:
        """How many tokens there are."""
        return len(self.tokens) if self.count is None else self.count


Checked = TypeVar("Checked", bound=Shape)


def parse_reply(shape: type[Checked], body: bytes, host: str) -> Checked:
    """Return a reply in its shape. Raises ModelError that names the faulty field but never repeats its content."""
    try:
        return shape.model_validate_json(body)
    except ValidationError as exc:
        raise ModelError(f"The server {host} sent an invalid reply: {fault_line(exc)}.") from exc


def parse_written(body: bytes, host: str) -> Written:
    """Return the text in a reply with its tokens. Raises ModelError if it is refused, filtered, endless or invalid."""
    reply = parse_reply(Written, body, host)
    if reply.message is not None and reply.message.refusal:
        raise ModelError(f"The server {host} refused to answer: {reply.message.refusal[:200]}.")
    if reply.finish_reason == "content_filter":
        raise ModelError(f"The server {host} filtered the answer.")
    if len(reply.text) > LONGEST_TEXT:
        raise ModelError(f"The server {host} sent an answer of {len(reply.text):,} characters.")
    return reply


def label_scores(tokens: Sequence[tuple[str, float]], label: str, extra: int) -> list[float] | None:
    """Return the log-probabilities of the last tokens that spell the label, None if none do.

    Up to ``extra`` tokens after the label are skipped: the server may write something after the text it received.

    >>> label_scores([("Wet?", -9.0), (" y", -1.0), ("es", -0.5), (" I", -3.0)], "yes", extra=1)
    [-1.0, -0.5]
    """
    for skipped in range(extra, -1, -1):
        kept = list(tokens)[: len(tokens) - skipped]
        spelled = ""
        scores: list[float] = []
        while kept and len(spelled.strip()) < len(label.strip()):
            text, score = kept.pop()
            spelled, scores = text + spelled, [score, *scores]
        if spelled.strip() == label.strip():
            return scores
    return None
