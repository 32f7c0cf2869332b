"""A batch of rows that decode together, each prompt's keys and values held once however many rows share it.

Attention of a row over its prompt and over what it has written are two attentions; their outputs are put together
by their normalisers, which gives the attention over both (Milakov and Gimelshein 2018, "Online normalizer calculation
for softmax"; used over shared prompts by Juravsky et al. 2024, "Hydragen"). So nothing is padded or copied.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from engine.language_models.decoding import Row, sharing, step_together
from engine.language_models.key_values import KnownPrompts, Prefilled, prefill
from engine.language_models.llama import Llama, hidden_states, logits_of
from engine.progress import Report

ROOM = 32  # positions added at a time when the buffer of written tokens is full


def decode(llama: Llama, known: KnownPrompts, rows: Sequence[Row], report: Report) -> None:
    """Fill every row's steps. ``report`` is called between passes and may raise to stop."""
    groups = sharing(rows)
    prompts = prefill(llama, known, list(groups), report)
    copies = [len(group) for group in groups.values()]
    first = torch.cat([prompt.logits.expand(n, -1) for prompt, n in zip(prompts, copies, strict=True)])
    ordered = [row for group in groups.values() for row in group]
    step_together(ordered, SharedBatch(llama, prompts, copies), first, report)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharing:
    """Rows [first, end) that continue one prompt."""

    prompt: Prefilled
    first: int
    end: int


class SharedBatch:
    """Rows in order of their prompts; ``copies[i]`` of them continue ``prompts[i]``."""

    def __init__(self, llama: Llama, prompts: Sequence[Prefilled], copies: Sequence[int]) -> None:
        self.llama = llama
        self.sharing = grouped(prompts, copies)
        self.lengths = torch.tensor([len(p.ids) for p, n in zip(prompts, copies, strict=True) for _ in range(n)])
        self.written = 0
        self.own = self.room_for(sum(copies), ROOM)

    def room_for(self, rows: int, positions: int) -> torch.Tensor:
        """Return an empty buffer [layers, 2, rows, kv heads, positions, size] for what rows write."""
        llama = self.llama
        return torch.empty(len(llama.layers), 2, rows, llama.key_value_heads, positions, llama.size, dtype=llama.dtype)

    @torch.inference_mode()
    def step(self, tokens: Sequence[int]) -> torch.Tensor:
        """Return the logits [rows, vocab] after one more token of each row."""
        if self.written == self.own.shape[-2]:
            wider = self.room_for(len(tokens), self.written + ROOM)
            wider[..., : self.written, :] = self.own
            self.own = wider
        self.written += 1
        positions = self.lengths + (self.written - 1)
        return logits_of(self.llama, hidden_states(self.llama, torch.tensor(tokens), positions, self.attend))

    def keep(self, rows: Sequence[int]) -> None:
        """Let go of all rows but these, given in order."""
        chosen = torch.tensor(rows)
        self.lengths, self.own = self.lengths[chosen], self.own[:, :, chosen]
        counts = [sum(group.first <= row < group.end for row in rows) for group in self.sharing]
        left = [(group.prompt, count) for group, count in zip(self.sharing, counts, strict=True) if count]
        self.sharing = grouped([prompt for prompt, _ in left], [count for _, count in left])

    def attend(self, layer: int, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Return what each row sees of its prompt and of what it wrote: [rows, heads, size]."""
        kv, size = self.llama.key_value_heads, self.llama.size
        asked = queries.view(len(queries), kv, -1, size)  # the heads that share a key are queries side by side
        held = self.own[layer]
        held[0, :, :, self.written - 1] = keys
        held[1, :, :, self.written - 1] = values
        own, own_norm = flash(asked, held[0, :, :, : self.written], held[1, :, :, : self.written])
        pairs = [over_prompt(asked[g.first : g.end], g.prompt.states[layer]) for g in self.sharing]
        prompt, prompt_norm = (torch.cat(parts) for parts in zip(*pairs, strict=True))
        weight = torch.sigmoid(prompt_norm - own_norm)[..., None]
        return torch.lerp(own.float(), prompt.float(), weight).to(queries.dtype).view_as(queries)


def grouped(prompts: Sequence[Prefilled], copies: Sequence[int]) -> tuple[Sharing, ...]:
    """Return the prompts with the rows that continue them."""
    groups, first = [], 0
    for prompt, rows in zip(prompts, copies, strict=True):
        groups.append(Sharing(prompt=prompt, first=first, end=first + rows))
        first += rows
    return tuple(groups)


def over_prompt(asked: torch.Tensor, states: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return attention [rows, kv heads, group, size] of rows over their prompt, and its log-normaliser.

    All rows' queries go over the prompt's keys [2, kv heads, tokens, size] in one product.
    """
    rows, kv, group, size = asked.shape
    if rows == 1:
        return flash(asked, states[0][None], states[1][None])
    beside = asked.transpose(0, 1).reshape(1, kv, rows * group, size)
    out, norm = flash(beside, states[0][None], states[1][None])
    return out.view(kv, rows, group, size).transpose(0, 1), norm.view(kv, rows, group).transpose(0, 1)


def flash(queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (attention, log of its normaliser in float32): torch's own kernel, whose public wrapper drops the latter.

    Queries [..., asked, size] over keys and values [..., tokens, size], none masked; scale 1 / sqrt(size).
    """
    out, norm = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(queries, keys, values)
    return out, norm
