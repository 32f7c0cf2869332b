"""A causal language model held open with transformers: the embedded one, or any folder or name transformers loads.

Weights are read from safetensors or GGUF only, never with remote code. Entropies and log-probabilities come from raw
logits in float32. Text of users and passages never becomes a control token: where it spells one, it is tokenised as
plain characters.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging as transformers_logging

from engine.backends.language_models.base import Capabilities, ModelIdentity, Request
from engine.backends.language_models.decoder import lean_passes, padded_batch, shared_batch, whole_passes
from engine.backends.language_models.decoder.between_layers import watched
from engine.backends.language_models.decoder.decoding import Row, Step
from engine.backends.language_models.decoder.key_values import KnownPrompts
from engine.backends.language_models.decoder.llama import lean
from engine.backends.language_models.stop_strings import cut_at, first_stop
from engine.backends.number_types import NumberType, number_type
from engine.core.errors import CapabilityError, InputError, ModelError
from engine.core.progress import Report
from engine.core.records import Generation, Prompt, Token

transformers_logging.disable_progress_bar()  # our own progress events tell what is going on

SENTINEL = "\u2063question\u2063"
BATCH_ROWS = 64


class TransformersModel:
    """A model and its tokenizer. One thread at a time.

    Models of the Llama family take our own decoder (docs/decoder.md), where prompts share what
    they have in common; others take transformers' own.
    """

    def __init__(self, model: Any, tokenizer: Any, *, name: str, revision: str, blocks: bool = True) -> None:
        self._model, self._tokenizer = model.eval(), tokenizer
        self._llama = lean(model, blocks=blocks)
        self.known = KnownPrompts()
        self.identity = ModelIdentity(
            name=name,
            revision=revision,
            dtype=str(model.dtype).removeprefix("torch."),
            parameters=sum(p.numel() for p in model.parameters()),
        )
        self.capabilities = Capabilities(
            token_logprobs=True,
            full_distribution=True,
            attentions=whole_passes.attention_layer(model) is not None,
            seeded=True,
        )
        self._ends = end_ids(model, tokenizer)
        self._start = start_token(tokenizer)
        self._shell = chat_shell(tokenizer, name)

    def generate(self, requests: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        """Return one generation per request, in order; see ``LanguageModel.generate``."""
        rows = [self._row(request) for request in requests]
        with failures_as_ours(self.identity.name):
            for start in range(0, len(rows), BATCH_ROWS):
                self._decode(rows[start : start + BATCH_ROWS], report)
        return tuple(self._generation(request, row) for request, row in zip(requests, rows, strict=True))

    def attention(self, generation: Generation) -> np.ndarray:
        """Return last-layer attention of the generated tokens: [generated, prompt + generated], mean over heads.

        Raises CapabilityError where there is none, ModelError where it is not finite.
        """
        if not generation.tokens:
            raise CapabilityError("An empty answer has no attention to look at.")
        ids = (*self._ids(generation.prompt), *(token.id for token in generation.tokens))
        with failures_as_ours(self.identity.name):
            weights = self._attention(ids, len(generation.tokens)).cpu().numpy().astype(np.float64)
        if not np.isfinite(weights).all():
            raise ModelError(f"{self.identity.name} gave attention that is NaN or infinite.")
        return weights

    def prompt_spans(self, generation: Generation) -> tuple[tuple[int, int], ...]:
        """Return the characters of ``generation.rendered`` that each prompt token stands for."""
        place, spans = 0, []
        for text, special in self._pieces(generation.prompt):
            found = self._encode(text, special, offsets=True)["offset_mapping"]
            spans += [(place + start, place + end) for start, end in found]
            place += len(text)
        return tuple(spans)

    def label_logprobs(self, prompts: Sequence[Prompt], labels: Sequence[str], report: Report) -> np.ndarray:
        """Return the mean log-probability per token of each label as each prompt's answer: [prompts, labels], nats."""
        texts = [self._ids(prompt) for prompt in prompts]
        chat, plain = ([self._encode(lead + label, False)["input_ids"] for label in labels] for lead in ("", " "))
        found = np.empty((len(prompts), len(labels)))
        with failures_as_ours(self.identity.name):
            for replies, is_chat in ((chat, True), (plain, False)):
                which = [at for at, prompt in enumerate(prompts) if prompt.chat == is_chat]
                if which:
                    found[which] = self._reply_logprobs([texts[at] for at in which], replies, report).double().numpy()
        return found

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the text has."""
        return len(self._encode(text, False)["input_ids"])

    def _decode(self, rows: Sequence[Row], report: Report) -> None:
        if self._llama:
            shared_batch.decode(self._llama, self.known, rows, report)
        else:
            padded_batch.decode(self._model, rows, report)

    def _attention(self, ids: tuple[int, ...], queries: int) -> torch.Tensor:
        if self._llama:
            return lean_passes.last_layer_attention(self._llama, self.known, ids, queries)
        return whole_passes.last_layer_attention(self._model, ids, queries)

    def _reply_logprobs(
        self, prompts: Sequence[tuple[int, ...]], replies: Sequence[Sequence[int]], report: Report
    ) -> torch.Tensor:
        if self._llama:
            return lean_passes.reply_logprobs(self._llama, self.known, prompts, replies, report)
        return torch.tensor([whole_passes.continuation_logprobs(self._model, ids, replies) for ids in prompts])

    def _row(self, request: Request) -> Row:
        if request.max_tokens < 1:
            raise ValueError(f"max_tokens must be at least 1, got {request.max_tokens}")
        ids = self._ids(request.prompt)
        limit = getattr(self._model.config, "max_position_embeddings", None)
        if limit and len(ids) + request.max_tokens > limit:
            raise InputError(
                f"The prompt has {len(ids):,} tokens and the answer may have {request.max_tokens}; "
                f"{self.identity.name} reads at most {limit:,}. Use fewer or shorter passages."
            )
        return Row(
            ids=ids,
            max_tokens=request.max_tokens,
            temperature=request.temperature,
            seed=request.seed,
            ended=lambda written: self._ended(written, request.stop),
        )

    def _ended(self, ids: list[int], stop: tuple[str, ...]) -> bool:
        return ids[-1] in self._ends or bool(stop and first_stop(self._text(ids), stop) is not None)

    def _generation(self, request: Request, row: Row) -> Generation:
        steps = row.steps
        ended = steps[-1].id in self._ends
        written = steps[:-1] if ended else steps
        text = self._text([step.id for step in written])
        cut = first_stop(text, request.stop)
        tokens = self._tokens(written, text)
        stop_token: Token | None = None
        if cut is not None:
            text, tokens, stop_token = cut_at(tokens, text, cut)
        elif ended:
            stop_token = Token(id=steps[-1].id, text="", start=len(text), end=len(text), **signal(steps[-1]))
        return Generation(
            prompt=request.prompt,
            rendered="".join(piece for piece, _ in self._pieces(request.prompt)),
            prompt_tokens=len(row.ids),
            text=text,
            tokens=tokens,
            stop_reason="stop string" if cut is not None else "end" if ended else "length",
            temperature=request.temperature,
            seed=request.seed,
            stop_token=stop_token,
        )

    def _tokens(self, steps: Sequence[Step], text: str) -> tuple[Token, ...]:
        """Return tokens with offsets; one that completes no character yet (half an emoji) is empty until it does."""
        tokens, start = [], 0
        for count, step in enumerate(steps, 1):
            sofar = self._text([s.id for s in steps[:count]])
            end = len(text) if count == len(steps) else max(start, len(sofar.rstrip("\ufffd")))
            tokens.append(Token(id=step.id, text=text[start:end], start=start, end=end, **signal(step)))
            start = end
        return tuple(tokens)

    def _text(self, ids: Sequence[int]) -> str:
        return str(self._tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False))

    def _pieces(self, prompt: Prompt) -> list[tuple[str, bool]]:
        """Return the rendered prompt as (text, may hold control tokens); untrusted text never may."""
        return prompt_pieces(self._tokenizer, prompt, self._shell, self._start)

    def _encode(self, text: str, special: bool, offsets: bool = False) -> Any:
        return encoded(self._tokenizer, text, special, offsets)

    def _ids(self, prompt: Prompt) -> tuple[int, ...]:
        return tuple(i for text, special in self._pieces(prompt) for i in self._encode(text, special)["input_ids"])


def prompt_pieces(tokenizer: Any, prompt: Prompt, shell: tuple[str, str] | None, start: str) -> list[tuple[str, bool]]:
    """Return the rendered prompt as (text, may hold control tokens); untrusted text never may.

    ``shell`` is what the chat template puts around a turn, None without one; ``start`` what begins a plain text.
    """
    untrusted = any(token in prompt.text for token in tokenizer.all_special_tokens if token)
    if not prompt.chat or shell is None:
        return [*([(start, True)] if start else []), (prompt.text, not untrusted)]
    before, after = shell
    if untrusted:
        return [(before, True), (prompt.text, False), (after, True)]
    return [(before + prompt.text + after, True)]


def encoded(tokenizer: Any, text: str, special: bool, offsets: bool = False) -> Any:
    """Return the tokenizer's encoding of a piece of prompt; control tokens are read as such only where ``special``."""
    return tokenizer(text, add_special_tokens=False, split_special_tokens=not special, return_offsets_mapping=offsets)


def signal(step: Step) -> dict[str, float]:
    """Return a step's two numbers under their record's names."""
    return {"logprob": step.logprob, "entropy": step.entropy}


@contextmanager
def failures_as_ours(name: str) -> Iterator[None]:
    """Turn what torch and transformers raise while computing (no memory, an unknown token) into a ModelError."""
    try:
        yield
    except (RuntimeError, IndexError, TypeError, AttributeError, MemoryError) as exc:
        raise ModelError(f"The language model {name!r} failed while it was computing: {reason_of(exc)}") from exc


def reason_of(exc: Exception) -> str:
    """Return an error's text on one line, at most 300 characters; its kind where it has none."""
    return " ".join(str(exc).split())[:300] or type(exc).__name__


def start_token(tokenizer: Any) -> str:
    """Return the control token that begins a plain text ("<s>" for Llama), "" where the tokenizer sets none.

    A chat template writes its own.
    """
    first = tokenizer("", add_special_tokens=True)["input_ids"][:1]
    return str(tokenizer.bos_token) if tokenizer.bos_token and first == [tokenizer.bos_token_id] else ""


def chat_shell(tokenizer: Any, name: str) -> tuple[str, str] | None:
    """Return what a chat template puts before and after one user turn, None where the tokenizer has no template.

    Raises ModelError where the template, which comes with the model, cannot be filled or does not hold the turn once.
    """
    if not tokenizer.chat_template:
        return None
    try:
        shell = tokenizer.apply_chat_template(
            [{"role": "user", "content": SENTINEL}], tokenize=False, add_generation_prompt=True
        )
    except Exception as exc:  # the template is a program of the model's maker, with errors of its own
        raise ModelError(f"The chat template of {name!r} cannot be filled: {reason_of(exc)}") from exc
    parts = shell.split(SENTINEL)
    if len(parts) != 2:
        raise ModelError(f"The chat template of {name!r} holds the user's turn {len(parts) - 1} times instead of once.")
    return parts[0], parts[1]


def end_ids(model: Any, tokenizer: Any) -> frozenset[int]:
    """Return every token that ends a text: the configured ends and the tokenizer's control tokens."""
    configured = model.generation_config.eos_token_id
    listed = configured if isinstance(configured, list) else [configured]
    return frozenset(i for i in [*listed, tokenizer.eos_token_id, *tokenizer.all_special_ids] if i is not None)


def open_folder(folder: Path, name: str, dtype: NumberType | None = None) -> TransformersModel:
    """Return the model in a folder: safetensors, or one GGUF file. Raises ModelError with what is wrong."""
    ggufs = sorted(folder.glob("*.gguf"))
    if not (folder / "config.json").exists() and not ggufs:
        raise ModelError(f"The folder {folder.name!r} is not a model: it has neither config.json nor a .gguf file.")
    weights = sorted(folder.glob("*.safetensors")) or ggufs
    if not weights:
        raise ModelError(f"The folder {folder.name!r} has no safetensors or GGUF weights; other formats are not read.")
    if weights is ggufs and len(ggufs) > 1:
        raise ModelError(f"The folder {folder.name!r} has {len(ggufs)} GGUF files; keep the one to read in a folder.")
    options = {"gguf_file": ggufs[0].name} if weights[0].suffix == ".gguf" else {"use_safetensors": True}
    return open_pretrained(str(folder), name, revision_of(weights), dtype, options)


def open_pretrained(
    source: str, name: str, revision: str, dtype: NumberType | None, options: dict[str, Any]
) -> TransformersModel:
    """Return what transformers loads from a folder or hub name. Raises ModelError with its reason, on one line.

    A model that brings code of its own is refused: nothing of it is run.
    """
    kind = getattr(torch, dtype or number_type())
    safe = {"trust_remote_code": False}
    gguf = {key: options[key] for key in ("gguf_file",) if key in options}
    try:
        tokenizer = AutoTokenizer.from_pretrained(source, **safe, **gguf)
        model = AutoModelForCausalLM.from_pretrained(source, dtype=kind, **safe, **options)
    except Exception as exc:  # transformers raises many kinds, from a missing file to a broken header
        needs_code = "custom code" in str(exc)
        reason = "it needs code of its own, which is never run here." if needs_code else reason_of(exc)
        raise ModelError(f"The language model {name!r} cannot be loaded: {reason}") from exc
    return TransformersModel(watched(model), tokenizer, name=name, revision=revision)


def revision_of(files: Sequence[Path]) -> str:
    """Return the first 16 hex digits of the SHA-256 over the weights' bytes: what makes two models the same."""
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as opened:
            digest.update(hashlib.file_digest(opened, "sha256").digest())
    return digest.hexdigest()[:16]
