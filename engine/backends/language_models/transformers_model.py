"""A causal language model of transformers: the embedded one, or any folder or name transformers loads.

Weights are read from safetensors or GGUF only, never with remote code. Entropies and log-probabilities come from raw
logits in float32. Text of users and passages never becomes a control token: where it spells one, it is tokenised as
plain characters.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging as transformers_logging

from engine.backends.added_models import NONE, Changes
from engine.backends.devices import Device, release_memory
from engine.backends.language_models.base import Capabilities, KeptReading, ModelIdentity, Request
from engine.backends.language_models.decoder import lean_passes, padded_batch, shared_batch, whole_passes
from engine.backends.language_models.decoder.between_layers import with_layer_hooks
from engine.backends.language_models.decoder.decoding import Kept, Row, Step, stored_tokens
from engine.backends.language_models.decoder.key_values import KnownPrompts
from engine.backends.language_models.decoder.llama import llama_weights
from engine.backends.language_models.memory_need import Portions, memory_of_batch, rows_that_fit
from engine.backends.language_models.prompt_tokens import PromptTokenizer
from engine.backends.language_models.reading import current_run
from engine.backends.language_models.stop_strings import cut_at, first_stop
from engine.backends.number_types import NumberType, number_type
from engine.core.errors import CapabilityError, InputError, ModelError
from engine.core.folders import file_hash
from engine.core.libraries import OPENING
from engine.core.progress import BatchHalved, Report
from engine.core.records import Generation, Prompt, Token
from engine.core.words import reason_of

transformers_logging.disable_progress_bar()  # our own progress events tell what is going on

BATCH_ROWS, PROMPTS_SCORED = 64, 16


class TransformersModel:
    """A model and its tokenizer. One thread computes at a time; others wait.

    Models of the Llama family take our own decoder (docs/decoder.md), where prompts share what
    they have in common; others take transformers' own. ``changes`` are those that somebody made of it.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        name: str,
        revision: str,
        blocks: bool = True,
        changes: Changes = NONE,
    ) -> None:
        self._model, self._tokenizer, self._changes = model.eval(), tokenizer, changes
        self._llama = llama_weights(model, blocks=blocks)
        self.known: KnownPrompts[Any] = KnownPrompts()
        self._portions, self._scores = Portions(BATCH_ROWS), Portions(PROMPTS_SCORED)
        self._turn = threading.RLock()
        self.identity = ModelIdentity(
            name=name,
            revision=revision,
            dtype=str(model.dtype).removeprefix("torch."),
            parameters=sum(p.numel() for p in model.parameters()),
            note=" ".join(filter(None, (device_words(model.device.type), changes.words))),
        )
        self.capabilities = Capabilities(
            token_logprobs=True,
            full_distribution=True,
            attentions=whole_passes.attention_layer(model) is not None,
            seeded=True,
            keeps_readings=self._llama is not None,
        )
        self._ends = end_ids(model, tokenizer)
        self.prompts = PromptTokenizer(tokenizer, name)

    def generate(self, requests: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        """Return one generation per request, in order; see ``LanguageModel.generate``."""
        rows = [self._row(request) for request in requests]
        free = memory_of_batch(self._device)

        def fitting(some: Sequence[Row]) -> int:
            lean = self._llama is not None
            lengths = stored_tokens(some) if lean else [len(row.ids) + row.max_tokens for row in some]
            return rows_that_fit(self._model.config, self.identity.dtype, lengths, free, padded=not lean)

        def decode(some: Sequence[Row]) -> None:
            for row in some:
                row.steps.clear()  # what ran out of memory begins anew: draws depend on seed and place only
            if self._llama:
                shared_batch.decode(self._llama, self._known(), some, report)
            else:
                padded_batch.decode(self._model, self._known(), some, report)

        with self._turn, failures_as_ours(self.identity.name):
            self._portions.each(rows, decode, fitting, lambda most: self._halved(most, report))
        return tuple(self._generation(request, row) for request, row in zip(requests, rows, strict=True))

    def attention(self, generation: Generation) -> np.ndarray:
        """Return last-layer attention of the generated tokens: [generated, prompt + generated], mean over heads.

        Raises CapabilityError where there is none, ModelError where it is not finite.
        """
        if not generation.tokens:
            raise CapabilityError("An empty answer has no attention to look at.")
        ids = (*self.prompts.ids(generation.prompt), *(token.id for token in generation.tokens))
        with self._turn, failures_as_ours(self.identity.name):
            if self._llama:
                found = lean_passes.last_layer_attention(self._llama, self._known(), ids, len(generation.tokens))
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
        with self._turn, failures_as_ours(self.identity.name):
            for replies, is_chat in ((chat, True), (plain, False)):
                which = [at for at, prompt in enumerate(prompts) if prompt.chat == is_chat]

                def score(some: Sequence[int], replies: Sequence[list[int]] = replies) -> None:
                    found[list(some)] = self._scored([texts[at] for at in some], replies, report)

                self._scores.each(which, score, len, lambda most: self._halved(most, report))
        return found

    def _scored(self, texts: Sequence[tuple[int, ...]], replies: Sequence[list[int]], report: Report) -> np.ndarray:
        """Return the mean log-probability per token of each reply to each text: [texts, replies]."""
        if self._llama:
            means = lean_passes.reply_logprobs(self._llama, self._known(), texts, replies, report)
        else:
            means = padded_batch.reply_logprobs(self._model, self._known(), texts, replies, report)
        return means.cpu().double().numpy()

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the text has."""
        return len(self.prompts.encode(text))

    def forget(self) -> None:
        """Let go of every prompt that was read, and count anew."""
        self.known = KnownPrompts()

    def _known(self) -> KnownPrompts[Any]:
        """Return the prompts that were read for this run; those of others are let go."""
        self.known.keep_for(current_run())
        return self.known

    @property
    def _device(self) -> Device:
        return cast(Device, self._model.device.type)

    def _halved(self, most: int, report: Report) -> None:
        """Say that memory ran out, and give back what is not in use."""
        self.known.clear()
        release_memory(self._device)
        report(BatchHalved(model=self.identity.name, rows=most))

    def _row(self, request: Request) -> Row:
        if request.max_tokens < 1:
            raise ValueError(f"max_tokens must be at least 1, got {request.max_tokens}")
        ids = self.prompts.ids(request.prompt)
        limit = min(filter(None, (context_of(self._model.config), self._changes.context)), default=0)
        if limit and len(ids) + request.max_tokens > limit:
            raise InputError(
                f"The prompt has {len(ids):,} tokens and the answer may have {request.max_tokens}; "
                f"the model reads at most {limit:,}. Use fewer or shorter passages."
            )
        return Row(
            ids=ids,
            max_tokens=request.max_tokens,
            temperature=request.temperature,
            seed=request.seed,
            ended=lambda written: self._ended(written, (*request.stop, *self._changes.stop)),
            kept=None if request.kept is None else self._kept(request.prompt, request.kept),
        )

    def _kept(self, prompt: Prompt, kept: KeptReading) -> Kept:
        """Return what is kept of another prompt's reading. Raises ValueError for a model that keeps none."""
        if self._llama is None:
            raise ValueError(f"{self.identity.name} reads every prompt in full; see Capabilities.keeps_readings")
        end = self.prompts.render(prompt).rfind(prompt.text) + len(prompt.text) - kept.behind
        tail = sum(token.end > end for token in self.prompts.tokens(prompt))
        return Kept(ids=self.prompts.ids(kept.prompt), tail=tail)

    def _ended(self, ids: list[int], stop: tuple[str, ...]) -> bool:
        return ids[-1] in self._ends or bool(stop and first_stop(self._text(ids), stop) is not None)

    def _generation(self, request: Request, row: Row) -> Generation:
        steps = row.steps
        ended = steps[-1].id in self._ends
        written = steps[:-1] if ended else steps
        text = self._text([step.id for step in written])
        cut = first_stop(text, (*request.stop, *self._changes.stop))
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
            kept=request.kept is not None,
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


def device_words(device: str) -> str:
    """Return what a record says of a device, "" of the processor."""
    return "" if device == "cpu" else f"Computed on {device}."


def context_of(config: Any) -> int | None:
    """Return how many tokens a model reads and writes together, None where its settings do not say."""
    return getattr(config, "max_position_embeddings", None) or getattr(config, "n_positions", None)


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


def open_folder(
    folder: Path, name: str, dtype: NumberType | None = None, device: Device = "cpu", changes: Changes = NONE
) -> TransformersModel:
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
    return open_pretrained(str(folder), name, revision_of(weights), dtype, options, device, changes)


def open_pretrained(
    source: str,
    name: str,
    revision: str,
    dtype: NumberType | None,
    options: dict[str, Any],
    device: Device = "cpu",
    changes: Changes = NONE,
) -> TransformersModel:
    """Return what transformers loads from a folder or hub name, on a device. Raises ModelError with its reason.

    A model that brings code of its own is refused: nothing of it is run.
    """
    kind = getattr(torch, dtype or number_type(device))
    safe = {"trust_remote_code": False}
    gguf = {key: options[key] for key in ("gguf_file",) if key in options}
    try:
        tokenizer = AutoTokenizer.from_pretrained(source, **safe, **gguf)
        with OPENING:
            model = AutoModelForCausalLM.from_pretrained(source, dtype=kind, **safe, **options)
    except Exception as exc:  # transformers raises many kinds, from a missing file to a broken header
        needs_code = "custom code" in str(exc)
        reason = "it needs code of its own, which is never run here." if needs_code else reason_of(exc)
        raise ModelError(f"The language model {name!r} cannot be loaded: {reason}") from exc
    if changes.template:
        tokenizer.chat_template = changes.template
    on_device = with_layer_hooks(moved(model, name, device))
    return TransformersModel(on_device, tokenizer, name=name, revision=revision, changes=changes)


def moved(model: Any, name: str, device: Device) -> Any:
    """Return the model on a device. Raises ModelError where its memory is too small."""
    if device == "cpu":
        return model
    try:
        return model.to(device)
    except RuntimeError as exc:  # out of memory is one
        raise ModelError(
            f"The language model {name!r} does not fit on {device}: {reason_of(exc)} Choose the device cpu."
        ) from exc


def revision_of(files: Sequence[Path]) -> str:
    """Return the first 16 hex digits of the SHA-256 over the weights' bytes: what makes two models the same."""
    return sha256(b"".join(map(file_hash, files))).hexdigest()[:16]
