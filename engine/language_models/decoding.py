"""Batched decoding with transformers, one row per request: prefill once per prompt, then step all rows together.

Each distinct prompt is prefilled alone, so a row's numbers do not depend on its neighbours' lengths; its key-values are
then copied into a left-padded batch. Rows that share a prompt share its prefill. Rows leave the batch when they end.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from transformers.cache_utils import DynamicCache, DynamicLayer

from engine.errors import CapabilityError, ModelError
from engine.progress import Report, TokensDecoded
from engine.seeds import uniform_at

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One decoded position: token id, its log-probability and the entropy of its distribution, both in nats."""

    id: int
    logprob: float
    entropy: float


@dataclass(slots=True, kw_only=True)
class Row:
    """One request on its way through the batch. ``ended`` reads the ids so far and says whether to stop."""

    ids: tuple[int, ...]
    max_tokens: int
    temperature: float
    seed: int
    ended: Callable[[list[int]], bool]
    steps: list[Step] = field(default_factory=list)


def can_merge(cache: DynamicCache) -> bool:
    """Return whether every layer keeps its whole past, so that rows can be padded into one batch."""
    return all(type(layer) is DynamicLayer for layer in cache.layers)


@torch.inference_mode()
def prefill(model: Any, ids: Sequence[int]) -> tuple[DynamicCache, torch.Tensor]:
    """Return the cache of a prompt and the raw logits [1, vocab] that follow it."""
    cache = DynamicCache(config=model.config)
    tokens = torch.tensor([list(ids)], device=model.device)
    out = model(input_ids=tokens, past_key_values=cache, use_cache=True, logits_to_keep=1)
    return cache, out.logits[:, -1]


def merged(model: Any, caches: Sequence[DynamicCache], copies: Sequence[int]) -> tuple[DynamicCache, torch.Tensor]:
    """Return one left-padded cache with ``copies[i]`` rows of cache i, and its mask [rows, positions] (1 = real)."""
    lengths = [cache.get_seq_length() for cache in caches]
    longest = max(lengths)
    batch = DynamicCache(config=model.config)
    for index in range(len(batch.layers)):
        batch.layers[index] = GrowingLayer(
            *(
                torch.cat([padded(getattr(cache.layers[index], part), longest, n) for cache, n in rows])
                for part in ("keys", "values")
                for rows in [list(zip(caches, copies, strict=True))]
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


def choose(logits: torch.Tensor, rows: Sequence[Row]) -> list[Step]:
    """Return each row's next token: the likeliest, or the draw that belongs to (seed, position).

    Log-probability and entropy come from the raw logits in float32, before any temperature. Raises ModelError where
    the logits are no distribution (NaN, +inf, or nothing but -inf).
    """
    logprobs = torch.log_softmax(logits.float(), dim=-1)
    if bool(logprobs.isnan().any()):
        raise ModelError(
            "The language model gave no distribution over its next token (its numbers are NaN or infinite). "
            "Its weights may be damaged, or its number type too small: try float32."
        )
    entropies = -(logprobs.exp() * logprobs).nan_to_num(0.0).sum(-1)  # 0 ln 0 = 0, the only NaN left
    ids = logits.argmax(-1)
    for index, row in enumerate(rows):
        if row.temperature > 0:
            ids[index] = draw(logits[index].float(), row.temperature, uniform_at(row.seed, len(row.steps)))
    chosen = logprobs.gather(-1, ids[:, None])[:, 0]
    return [
        Step(id=i, logprob=logprob, entropy=max(entropy, 0.0))
        for i, logprob, entropy in zip(ids.tolist(), chosen.tolist(), entropies.tolist(), strict=True)
    ]


def draw(logits: torch.Tensor, temperature: float, uniform: float) -> int:
    """Return the token where the cumulative probability of softmax(logits / temperature) first exceeds ``uniform``."""
    cumulative = torch.softmax(logits.double() / temperature, dim=-1).cumsum(-1)
    place = torch.searchsorted(
        cumulative, torch.tensor(uniform * float(cumulative[-1]), dtype=torch.double), right=True
    )
    return min(int(place), logits.shape[-1] - 1)


def decode(model: Any, rows: Sequence[Row], report: Report) -> None:
    """Fill every row's steps. ``report`` is called after each prefill and each step, and may raise to stop."""
    prompts: dict[tuple[int, ...], list[Row]] = {}
    for row in rows:
        prompts.setdefault(row.ids, []).append(row)
    caches, first, ordered = [], [], []
    for ids, sharing in prompts.items():
        cache, logits = prefill(model, ids)
        report(TokensDecoded(count=0))
        caches.append(cache)
        first.append(logits.expand(len(sharing), -1))
        ordered.append(sharing)
    if all(can_merge(cache) for cache in caches):
        cache, mask = merged(model, caches, [len(sharing) for sharing in ordered])
        step_together(model, [row for sharing in ordered for row in sharing], cache, mask, torch.cat(first), report)
        return
    for sharing in ordered:
        for row in sharing:
            cache, logits = prefill(model, row.ids)
            step_together(model, [row], cache, torch.ones(1, len(row.ids), dtype=torch.long), logits, report)


@torch.inference_mode()
def step_together(
    model: Any, rows: list[Row], cache: DynamicCache, mask: torch.Tensor, logits: torch.Tensor, report: Report
) -> None:
    """Step the rows until each has ended or reached its limit; ``mask`` marks the real positions of the cache."""
    while rows:
        for row, step in zip(rows, choose(logits, rows), strict=True):
            row.steps.append(step)
        report(TokensDecoded(count=len(rows)))
        going = [
            index
            for index, row in enumerate(rows)
            if len(row.steps) < row.max_tokens and not row.ended([step.id for step in row.steps])
        ]
        if not going:
            return
        if len(going) < len(rows):
            kept = torch.tensor(going, device=mask.device)
            rows, mask = [rows[index] for index in going], mask[kept]
            cache.batch_select_indices(kept)
        positions = mask.sum(-1, keepdim=True)
        mask = torch.cat([mask, mask.new_ones(len(rows), 1)], dim=-1)
        tokens = torch.tensor([[row.steps[-1].id] for row in rows], device=mask.device)
        logits = model(
            input_ids=tokens,
            attention_mask=mask,
            position_ids=positions,
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=1,
        ).logits[:, -1]


def attention_layer(model: Any) -> Any | None:
    """Return the last layer's self-attention, None where the architecture has none under its usual name."""
    found = [module for name, module in model.named_modules() if name.endswith("self_attn")]
    return found[-1] if found else None


@torch.inference_mode()
def last_layer_attention(model: Any, ids: Sequence[int], queries: int) -> torch.Tensor:
    """Return last-layer attention, mean over heads, of the last ``queries`` positions: [queries, len(ids)], float32.

    Eager attention is switched on for this one pass; only the last layer's weights are kept. Raises CapabilityError
    where the architecture does not give them.
    """
    caught: list[torch.Tensor | None] = []
    layer = attention_layer(model)
    if layer is None:
        raise CapabilityError("This model's architecture does not show its attention.")
    hook = layer.register_forward_hook(lambda _m, _i, out: caught.append(out[1]))
    before = model.config._attn_implementation
    model.set_attn_implementation("eager")
    try:
        model(input_ids=torch.tensor([list(ids)], device=model.device), use_cache=False, logits_to_keep=1)
    finally:
        model.set_attn_implementation(before)
        hook.remove()
    weights = caught[0]
    if weights is None:
        raise CapabilityError("This model's architecture does not show its attention.")
    return weights[0, :, -queries:].float().mean(0)


@torch.inference_mode()
def continuation_logprobs(model: Any, prompt: Sequence[int], continuations: Sequence[Sequence[int]]) -> list[float]:
    """Return the mean log-probability per token, in nats, of each continuation after the prompt."""
    longest = max(len(tokens) for tokens in continuations)
    rows = [list(prompt) + list(tokens) + [0] * (longest - len(tokens)) for tokens in continuations]
    mask = [[1] * (len(prompt) + len(t)) + [0] * (longest - len(t)) for t in continuations]
    device = model.device
    logits = model(
        input_ids=torch.tensor(rows, device=device),
        attention_mask=torch.tensor(mask, device=device),
        use_cache=False,
        logits_to_keep=longest + 1,
    ).logits
    logprobs = torch.log_softmax(logits.float(), dim=-1)
    return [
        float(logprobs[i, torch.arange(len(tokens)), torch.tensor(list(tokens))].mean())
        for i, tokens in enumerate(continuations)
    ]
