"""A batch of rows for any causal model of transformers: one left-padded cache, stepped through the model's own forward.

Each distinct prompt is read alone, so a row's numbers do not depend on its neighbours' lengths; what it shares with one
that was read before is copied. Its keys and values are then copied into the batch. Where a layer looks through a
sliding window (Gemma, Mistral), its cache keeps all of the past too, and the model's own mask hides what lies before
the window: rows of different length can then share a batch. It costs memory for what is hidden. Any other cache
(recurrent layers) takes one row at a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from transformers.cache_utils import DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

from engine.backends.language_models.decoder.decoding import Row, sharing, step_together
from engine.backends.language_models.decoder.key_values import KnownPrompts
from engine.backends.language_models.decoder.llama import slides
from engine.backends.language_models.decoder.whole_passes import continuation_logprobs
from engine.core.progress import Report, TokensDecoded

CHEAP_TOKENS = 48
"""Tokens that a step with guesses reads at most: up to about here it mostly waits for the weights."""
ROOM = 64  # positions added at a time when a buffer is full: more than any step appends


class GrowingLayer(DynamicLayer):  # type: ignore[misc]  # transformers carries no types
    """A cache layer that appends into spare room instead of copying the whole past at every step."""

    def __init__(self, keys: torch.Tensor, values: torch.Tensor) -> None:
        super().__init__()
        self.lazy_initialization(keys, values)
        self._set(keys, values)

    def _set(self, keys: torch.Tensor, values: torch.Tensor) -> None:
        self._length = keys.shape[-2]
        room = keys.new_zeros(*keys.shape[:2], ROOM, keys.shape[-1])
        self._buffers = [torch.cat([keys, room], dim=-2), torch.cat([values, room], dim=-2)]
        self._show()

    def _show(self) -> None:
        self.keys, self.values = (buffer[:, :, : self._length] for buffer in self._buffers)

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Append one step's keys and values; return all of them, [rows, heads, positions, head size]."""
        end = self._length + key_states.shape[-2]
        if end > self._buffers[0].shape[-2]:
            self._set(self.keys, self.values)
        self._buffers[0][:, :, self._length : end] = key_states
        self._buffers[1][:, :, self._length : end] = value_states
        self._length = end
        self._show()
        return self.keys, self.values

    def forget(self, count: int) -> None:
        """Let go of the last positions; they will be written over."""
        self._length -= count
        self._show()

    def batch_select_indices(self, indices: torch.Tensor) -> None:
        """Keep the named rows only."""
        self._buffers = [buffer[indices] for buffer in self._buffers]
        self._show()


class PaddedBatch:
    """Rows over one left-padded cache; ``mask`` [rows, positions] marks its real positions.

    What was guessed wrong stays in the cache and is hidden by the mask. A window slides by places of the cache, hidden
    ones too, so where there is one nothing is guessed.
    """

    def __init__(self, model: Any, cache: DynamicCache, mask: torch.Tensor) -> None:
        self.model, self.cache, self.mask = model, cache, mask
        self.last = 0
        self.forgets = all(type(layer) is GrowingLayer for layer in cache.layers) and not slides(model.config)

    @property
    def guesses(self) -> int:
        """How many tokens, beside one of each row, a step may read at little cost."""
        return self.guesses_each * len(self.mask)

    @property
    def guesses_each(self) -> int:
        """How many of these one row may have: all rows are as wide as the widest."""
        return max(CHEAP_TOKENS // len(self.mask) - 1, 0) if self.forgets else 0

    @torch.inference_mode()
    def step(self, tokens: Sequence[Sequence[int]]) -> torch.Tensor:
        """Return the logits [tokens, vocab] after each further token of each row, row after row."""
        width, device = max(map(len, tokens)), self.mask.device
        fed = torch.tensor([[*row, *[0] * (width - len(row))] for row in tokens], device=device)
        real = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in tokens], device=device)
        positions = self.mask.sum(-1, keepdim=True) + torch.arange(width, device=device)
        self.mask, self.last = torch.cat([self.mask, real], dim=-1), width
        out = self.model(
            input_ids=fed,
            attention_mask=self.mask,
            position_ids=positions,
            past_key_values=self.cache,
            use_cache=True,
            logits_to_keep=width,
        )
        logits: torch.Tensor = out.logits[real.bool()]
        return logits

    def accept(self, counts: Sequence[int]) -> None:
        """Keep the first so many of each row's tokens of the last step; hide the others, and drop what no row keeps."""
        if not self.forgets:
            return
        kept = torch.tensor(counts, device=self.mask.device)
        last = self.last
        self.mask[:, -last:] *= (torch.arange(last, device=self.mask.device) < kept[:, None]).long()
        if (extra := last - max(counts)) > 0:
            self.mask = self.mask[:, :-extra]
            for layer in self.cache.layers:
                layer.forget(extra)

    def keep(self, rows: Sequence[int]) -> None:
        """Let go of all rows but these, given in order."""
        chosen = torch.tensor(rows, device=self.mask.device)
        self.mask = self.mask[chosen]
        self.cache.batch_select_indices(chosen)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadText:
    """A prompt that was read: keys and values [1, heads, tokens, size] of each layer, and the logits [1, vocab]."""

    ids: tuple[int, ...]
    states: tuple[tuple[torch.Tensor, torch.Tensor], ...]
    logits: torch.Tensor

    @property
    def nbytes(self) -> int:
        """The bytes of its keys and values."""
        return sum(keys.nbytes + values.nbytes for keys, values in self.states)


Known = KnownPrompts[ReadText]


def decode(model: Any, known: Known, rows: Sequence[Row], report: Report) -> None:
    """Fill every row's steps. ``report`` is called after each prompt and each step, and may raise to stop."""
    if not can_merge(new_cache(model)):
        for row in rows:
            decode_alone(model, row, report)
        return
    prompts = sharing(rows)
    texts = read_prompts(model, known, [group[0].ids for group in prompts], report)
    copies = [len(group) for group in prompts]
    first = torch.cat([text.logits.expand(count, -1) for text, count in zip(texts, copies, strict=True)])
    ordered = [row for group in prompts for row in group]
    cache, mask = merged(model, texts, copies)
    step_together(ordered, PaddedBatch(model, cache, mask), first, report)


@torch.inference_mode()
def decode_alone(model: Any, row: Row, report: Report) -> None:
    """Fill the steps of one row through the architecture's own cache."""
    cache = new_cache(model)
    tokens = torch.tensor([list(row.ids)], device=model.device)
    out = model(input_ids=tokens, past_key_values=cache, use_cache=True, logits_to_keep=1)
    report(TokensDecoded(count=0))
    step_together([row], PaddedBatch(model, cache, torch.ones_like(tokens)), out.logits[:, -1], report)


def can_merge(cache: DynamicCache) -> bool:
    """Return whether every layer keeps its whole past, so that rows can be padded into one batch."""
    return all(type(layer) is DynamicLayer for layer in cache.layers)


def new_cache(model: Any) -> DynamicCache:
    """Return an empty cache: one that keeps the whole past in every layer, or the architecture's own where it must."""
    own = DynamicCache(config=model.config)
    kept = all(type(layer) in (DynamicLayer, DynamicSlidingWindowLayer) for layer in own.layers)
    return DynamicCache() if kept else own


def read_prompts(model: Any, known: Known, prompts: Sequence[tuple[int, ...]], report: Report) -> list[ReadText]:
    """Return the prompts, read in the order of their tokens: neighbours share most, and that is not read again."""
    found = {}
    for ids in sorted(set(prompts)):
        found[ids] = known.get(ids) or read_prompt(model, known, ids)
        known.add(found[ids])
        report(TokensDecoded(count=0))
    return [found[ids] for ids in prompts]


@torch.inference_mode()
def read_prompt(model: Any, known: Known, ids: tuple[int, ...]) -> ReadText:
    """Return one prompt after reading what it does not share with a known one."""
    prefix, length = known.longest(np.array(ids))
    start = min(length, len(ids) - 1)  # the last token is read for the logits behind it
    cache = DynamicCache()
    for keys, values in prefix.states if prefix is not None and start else ():
        cache.layers.append(held_layer(keys[:, :, :start], values[:, :, :start]))
    out = model(
        input_ids=torch.tensor([ids[start:]], device=model.device),
        position_ids=torch.arange(start, len(ids), device=model.device)[None],
        past_key_values=cache,
        use_cache=True,
        logits_to_keep=1,
    )
    known.reused += start
    known.computed += len(ids) - start
    states = tuple((layer.keys, layer.values) for layer in cache.layers)
    return ReadText(ids=ids, states=states, logits=out.logits[:, -1])


def held_layer(keys: torch.Tensor, values: torch.Tensor) -> DynamicLayer:
    """Return a layer of a cache that holds these keys and values already."""
    layer = DynamicLayer()
    layer.lazy_initialization(keys, values)
    layer.keys, layer.values = keys, values
    return layer


def merged(model: Any, texts: Sequence[ReadText], copies: Sequence[int]) -> tuple[DynamicCache, torch.Tensor]:
    """Return one left-padded cache with ``copies[i]`` rows of text i, and its mask [rows, positions] (1 = real)."""
    lengths = [len(text.ids) for text in texts]
    longest, batch = max(lengths), DynamicCache()
    rows = list(zip(texts, copies, strict=True))
    for index in range(len(texts[0].states)):
        keys, values = (
            torch.cat([padded(text.states[index][part], longest, n) for text, n in rows]) for part in (0, 1)
        )
        batch.layers.append(GrowingLayer(keys, values))
    mask = torch.tensor(
        [[0] * (longest - length) + [1] * length for length, n in zip(lengths, copies, strict=True) for _ in range(n)]
    )
    return batch, mask.to(model.device)


def padded(states: torch.Tensor, length: int, copies: int) -> torch.Tensor:
    """Return [copies, heads, length, size]: the states with zeros on the left, repeated."""
    missing = length - states.shape[-2]
    wide = torch.nn.functional.pad(states, (0, 0, missing, 0)) if missing else states
    return wide.expand(copies, -1, -1, -1)


@torch.inference_mode()
def reply_logprobs(
    model: Any, known: Known, prompts: Sequence[tuple[int, ...]], replies: Sequence[Sequence[int]], report: Report
) -> torch.Tensor:
    """Return the mean log-probability per token, in nats, of each reply to each prompt: [prompts, replies]."""
    if not can_merge(new_cache(model)):
        means = [continuation_logprobs(model, ids, replies) for ids in prompts]
        return torch.tensor(means, dtype=torch.float32)
    texts = read_prompts(model, known, prompts, report)
    begins = torch.log_softmax(torch.cat([text.logits for text in texts]).float(), dim=-1).cpu()
    sums = begins[:, [reply[0] for reply in replies]]
    longer = [which for which, reply in enumerate(replies) if len(reply) > 1]
    if longer:
        sums[:, longer] += later_logprobs(model, texts, [replies[which] for which in longer]).cpu()
        report(TokensDecoded(count=0))
    return sums / torch.tensor([len(reply) for reply in replies])


def later_logprobs(model: Any, texts: Sequence[ReadText], replies: Sequence[Sequence[int]]) -> torch.Tensor:
    """Return the summed log-probability of each reply's tokens after its first: [texts, replies], in one batch.

    Replies are padded on the right, where no token before looks.
    """
    cache, mask = merged(model, texts, [len(replies)] * len(texts))
    fed = [list(reply[:-1]) for reply in replies] * len(texts)
    width = max(map(len, fed))
    real = torch.tensor([[1] * len(tokens) + [0] * (width - len(tokens)) for tokens in fed], device=mask.device)
    tokens = torch.tensor([[*tokens, *[0] * (width - len(tokens))] for tokens in fed], device=mask.device)
    out = model(
        input_ids=tokens,
        attention_mask=torch.cat([mask, real], dim=-1),
        position_ids=mask.sum(-1, keepdim=True) + torch.arange(width, device=mask.device),
        past_key_values=cache,
        use_cache=True,
        logits_to_keep=width,
    )
    wanted = [[*reply[1:], *[0] * (width + 1 - len(reply))] for reply in replies] * len(texts)
    places = torch.tensor(wanted, device=mask.device)[..., None]
    found = torch.log_softmax(out.logits.float(), dim=-1).gather(-1, places)[..., 0]
    return (found * real).sum(-1).view(len(texts), len(replies))
