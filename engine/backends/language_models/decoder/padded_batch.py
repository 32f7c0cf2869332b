"""A batch of rows for any causal model of transformers: one left-padded cache, stepped through the model's own forward.

Each distinct prompt is prefilled alone, so a row's numbers do not depend on its neighbours' lengths; its key-values are
then copied into the batch. Where a layer looks through a sliding window (Gemma, Mistral), its cache keeps all of the
past too, and the model's own mask hides what lies before the window: rows of different length can then share a batch.
It costs memory for what is hidden. Any other cache (recurrent layers) takes one row at a time.
"""

from collections.abc import Sequence
from typing import Any

import torch
from transformers.cache_utils import DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

from engine.backends.language_models.decoder.decoding import Row, sharing, step_together
from engine.core.progress import Report, TokensDecoded

ROOM = 32  # positions added at a time when a buffer is full


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

    def batch_select_indices(self, indices: torch.Tensor) -> None:
        """Keep the named rows only."""
        self._buffers = [buffer[indices] for buffer in self._buffers]
        self._show()


class PaddedBatch:
    """Rows over one left-padded cache; ``mask`` [rows, positions] marks its real positions."""

    def __init__(self, model: Any, cache: DynamicCache, mask: torch.Tensor) -> None:
        self.model, self.cache, self.mask = model, cache, mask

    @property
    def guesses(self) -> int:
        """None: a cache of transformers would have to forget what was guessed wrong."""
        return 0

    def accept(self, counts: Sequence[int]) -> None:
        """Do nothing: the one token of each row stays."""

    @torch.inference_mode()
    def step(self, tokens: Sequence[Sequence[int]]) -> torch.Tensor:
        """Return the logits [rows, vocab] after one more token of each row."""
        positions = self.mask.sum(-1, keepdim=True)
        self.mask = torch.cat([self.mask, self.mask.new_ones(len(tokens), 1)], dim=-1)
        out = self.model(
            input_ids=torch.tensor([list(row) for row in tokens], device=self.mask.device),
            attention_mask=self.mask,
            position_ids=positions,
            past_key_values=self.cache,
            use_cache=True,
            logits_to_keep=1,
        )
        logits: torch.Tensor = out.logits[:, -1]
        return logits

    def keep(self, rows: Sequence[int]) -> None:
        """Let go of all rows but these, given in order."""
        chosen = torch.tensor(rows, device=self.mask.device)
        self.mask = self.mask[chosen]
        self.cache.batch_select_indices(chosen)


def decode(model: Any, rows: Sequence[Row], report: Report) -> None:
    """Fill every row's steps. ``report`` is called after each prefill and each step, and may raise to stop."""
    prompts = sharing(rows)
    caches, first = [], []
    for ids, group in prompts.items():
        cache, logits = prefill(model, ids)
        report(TokensDecoded(count=0))
        caches.append(cache)
        first.append(logits.expand(len(group), -1))
    if all(can_merge(cache) for cache in caches):
        cache, mask = merged(model, caches, [len(group) for group in prompts.values()])
        ordered = [row for group in prompts.values() for row in group]
        step_together(ordered, PaddedBatch(model, cache, mask), torch.cat(first), report)
        return
    for row in rows:
        cache, logits = prefill(model, row.ids)
        mask = torch.ones(1, len(row.ids), dtype=torch.long, device=model.device)
        step_together([row], PaddedBatch(model, cache, mask), logits, report)


def can_merge(cache: DynamicCache) -> bool:
    """Return whether every layer keeps its whole past, so that rows can be padded into one batch."""
    return all(type(layer) is DynamicLayer for layer in cache.layers)


def new_cache(model: Any) -> DynamicCache:
    """Return an empty cache: one that keeps the whole past in every layer, or the architecture's own where it must."""
    own = DynamicCache(config=model.config)
    kept = all(type(layer) in (DynamicLayer, DynamicSlidingWindowLayer) for layer in own.layers)
    return DynamicCache() if kept else own


@torch.inference_mode()
def prefill(model: Any, ids: Sequence[int]) -> tuple[DynamicCache, torch.Tensor]:
    """Return the cache of a prompt and the raw logits [1, vocab] that follow it."""
    cache = new_cache(model)
    tokens = torch.tensor([list(ids)], device=model.device)
    out = model(input_ids=tokens, past_key_values=cache, use_cache=True, logits_to_keep=1)
    return cache, out.logits[:, -1]


def merged(model: Any, caches: Sequence[DynamicCache], copies: Sequence[int]) -> tuple[DynamicCache, torch.Tensor]:
    """Return one left-padded cache with ``copies[i]`` rows of cache i, and its mask [rows, positions] (1 = real)."""
    lengths = [cache.get_seq_length() for cache in caches]
    longest = max(lengths)
    batch = DynamicCache()
    for index in range(len(caches[0].layers)):
        batch.layers.append(
            GrowingLayer(
                *(
                    torch.cat([padded(getattr(cache.layers[index], part), longest, n) for cache, n in rows])
                    for part in ("keys", "values")
                    for rows in [list(zip(caches, copies, strict=True))]
                )
            )
        )
    mask = torch.tensor(
        [[0] * (longest - length) + [1] * length for length, n in zip(lengths, copies, strict=True) for _ in range(n)]
    )
    return batch, mask.to(model.device)


def padded(states: torch.Tensor, length: int, copies: int) -> torch.Tensor:
    """Return [copies, heads, length, size]: the states with zeros on the left, repeated."""
    missing = length - states.shape[-2]
    wide = torch.nn.functional.pad(states, (0, 0, missing, 0)) if missing else states
    return wide.expand(copies, -1, -1, -1)
