"""A causal language model of transformers: the embedded one, or any folder or name transformers loads.

Weights are read from safetensors or GGUF only, never with remote code. Entropies and log-probabilities come from raw
logits in float32. Text of users and passages never becomes a control token: where it spells one, it is tokenised as
plain characters.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging as transformers_logging

from engine.backends.devices import DEVICE_VARIABLE, Device
from engine.backends.language_models.base import Capabilities, ModelIdentity, Request
from engine.backends.language_models.decoder import lean_passes, padded_batch, shared_batch, whole_passes
from engine.backends.language_models.decoder.between_layers import with_layer_hooks
from engine.backends.language_models.decoder.decoding import Row, Step
from engine.backends.language_models.decoder.key_values import KnownPrompts
from engine.backends.language_models.decoder.llama import llama_weights
from engine.backends.language_models.prompt_tokens import PromptTokenizer
from engine.backends.language_models.stop_strings import cut_at, first_stop
from engine.backends.number_types import NumberType, number_type
from engine.core.errors import CapabilityError, InputError, ModelError
from engine.core.folders import file_hash
from engine.core.progress import Report
from engine.core.records import Generation, Prompt, Token
from engine.core.words import reason_of

transformers_logging.disable_progress_bar()  # our own progress events tell what is going on

BATCH_ROWS = 64


class TransformersModel:
    """A model and its tokenizer. One thread at a time.

    Models of the Llama family take our own decoder (docs/decoder.md), where prompts share what
    they have in common; others take transformers' own.
    """

    def __init__(self, model: Any, tokenizer: Any, *, name: str, revision: str, blocks: bool = True) -> None:
        self._model, self._tokenizer = model.eval(), tokenizer
        self._llama = llama_weights(model, blocks=blocks)
        self.known = KnownPrompts()
        self.identity = ModelIdentity(
            name=name,
            revision=revision,
            dtype=str(model.dtype).removeprefix("torch."),
            parameters=sum(p.numel() for p in model.parameters()),
            note="" if model.device.type == "cpu" else f"Computed on {model.device.type}.",
        )
        self.capabilities = Capabilities(
            token_logprobs=True,
            full_distribution=True,
            attentions=whole_passes.attention_layer(model) is not None,
            seeded=True,
        )
        self._ends = end_ids(model, tokenizer)
        self.prompts = PromptTokenizer(tokenizer, name)

    def generate(self, requests: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        """Return one generation per request, in order; see ``LanguageModel.generate``."""
        rows = [self._row(request) for request in requests]
        with failures_as_ours(self.identity.name):
            for start in range(0, len(rows), BATCH_ROWS):
                batch = rows[start : start + BATCH_ROWS]
                if self._llama:
                    shared_batch.decode(self._llama, self.known, batch, report)
                else:
                    padded_batch.decode(self._model, batch, report)
        return tuple(self._generation(request, row) for request, row in zip(requests, rows, strict=True))

    def attention(self, generation: Generation) -> np.ndarray:
        """Return last-layer attention of the generated tokens: [generated, prompt + generated], mean over heads.

        Raises CapabilityError where there is none, ModelError where it is not finite.
        """
        if not generation.tokens:
            raise CapabilityError("An empty answer has no attention to look at.")
        ids = (*self.prompts.ids(generation.prompt), *(token.id for token in generation.tokens))
        with failures_as_ours(self.identity.name):
            if self._llama:
                found = lean_passes.last_layer_attention(self._llama, self.known, ids, len(generation.tokens))
            else:
                found = whole_passes.last_layer_attention(self._model, ids, len(generation.tokens))
        weights = found.cpu().numpy().astype(np.float64)
        if not np.isfinite(weights).all():
            raise ModelError(f"{self.identity.name} gave attention that is NaN or infinite.")
        return weights

    def prompt_spans(self, generation: Generation) -> tuple[tuple[int, int], ...]:
        """Return the characters of ``generation.rendered`` that each prompt token stands for."""
        return tuple((token.start, token.end) for token in self.prompts.tokens(generation.prompt))

    def label_logprobs(self, prompts: Sequence[Prompt], labels: Sequence[str], report: Report) -> np.ndarray:
        """Return the mean log-probability per token of each label as each prompt's answer: [prompts, labels], nats."""
        texts = [self.prompts.ids(prompt) for prompt in prompts]
        chat, plain = ([self.prompts.encode(lead + label) for label in labels] for lead in ("", " "))
        found = np.empty((len(prompts), len(labels)))
        with failures_as_ours(self.identity.name):
            for replies, is_chat in ((chat, True), (plain, False)):
                which = [at for at, prompt in enumerate(prompts) if prompt.chat == is_chat]
                some = [texts[at] for at in which]
                if some and self._llama:
                    means = lean_passes.reply_logprobs(self._llama, self.known, some, replies, report)
                    found[which] = means.double().numpy()
                elif some:
                    rows = [whole_passes.continuation_logprobs(self._model, ids, replies) for ids in some]
                    found[which] = torch.tensor(rows).double().numpy()
        return found

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the text has."""
        return len(self.prompts.encode(text))

    def _row(self, request: Request) -> Row:
        if request.max_tokens < 1:
            raise ValueError(f"max_tokens must be at least 1, got {request.max_tokens}")
        ids = self.prompts.ids(request.prompt)
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
            rendered=self.prompts.render(request.prompt),
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


def end_ids(model: Any, tokenizer: Any) -> frozenset[int]:
    """Return every token that ends a text: the configured ends and the tokenizer's control tokens."""
    configured = model.generation_config.eos_token_id
    listed = configured if isinstance(configured, list) else [configured]
    return frozenset(i for i in [*listed, tokenizer.eos_token_id, *tokenizer.all_special_ids] if i is not None)


def open_folder(folder: Path, name: str, dtype: NumberType | None = None, device: Device = "cpu") -> TransformersModel:
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
    return open_pretrained(str(folder), name, revision_of(weights), dtype, options, device)


def open_pretrained(
    source: str,
    name: str,
    revision: str,
    dtype: NumberType | None,
    options: dict[str, Any],
    device: Device = "cpu",
) -> TransformersModel:
    """Return what transformers loads from a folder or hub name, on a device. Raises ModelError with its reason.

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
    return TransformersModel(with_layer_hooks(moved(model, name, device)), tokenizer, name=name, revision=revision)


def moved(model: Any, name: str, device: Device) -> Any:
    """Return the model on a device. Raises ModelError where its memory is too small."""
    if device == "cpu":
        return model
    try:
        return model.to(device)
    except RuntimeError as exc:  # out of memory is one
        raise ModelError(
            f"The language model {name!r} does not fit on {device}: {reason_of(exc)} Set {DEVICE_VARIABLE}=cpu."
        ) from exc


def revision_of(files: Sequence[Path]) -> str:
    """Return the first 16 hex digits of the SHA-256 over the weights' bytes: what makes two models the same."""
    return sha256(b"".join(map(file_hash, files))).hexdigest()[:16]
