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
FEW_ROWS = 8


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
    """Rows in order of their prompts; ``copies[i]`` of them continue ``prompts[i]``.

    Every row has written as many tokens as ``written`` says; their keys and values lie in ``own``.
    """

    def __init__(self, llama: Llama, prompts: Sequence[Prefilled], copies: Sequence[int]) -> None:
        self.llama = llama
        self.sharing = grouped(prompts, copies)
        self.lengths = torch.tensor([len(p.ids) for p, n in zip(prompts, copies, strict=True) for _ in range(n)])
        self.written = torch.zeros_like(self.lengths)
        self.own = self.room_for(sum(copies), ROOM)
        self.places = self.mask = torch.empty(0)

    @property
    def guesses(self) -> bool:
        """Whether reading some tokens more costs little now: with few rows a step waits for the weights."""
        return len(self.lengths) <= FEW_ROWS

    def room_for(self, rows: int, positions: int) -> torch.Tensor:
        """Return an empty buffer [layers, 2, rows, kv heads, positions, size] for what rows write."""
        llama = self.llama
        return torch.zeros(len(llama.layers), 2, rows, llama.key_value_heads, positions, llama.size, dtype=llama.dtype)

    @torch.inference_mode()
    def step(self, tokens: Sequence[Sequence[int]]) -> torch.Tensor:
        """Return the logits [rows, tokens, vocab] after each further token of each row; equally many of all rows."""
        fed = torch.tensor(tokens)
        most = int(self.written.max()) + fed.shape[1]
        if most > self.own.shape[-2]:
            wider = self.room_for(len(fed), most + ROOM)
            wider[..., : self.own.shape[-2], :] = self.own
            self.own = wider
        self.places = self.written[:, None] + torch.arange(fed.shape[1])
        hidden = torch.arange(most) > self.places[:, None, :, None]  # [rows, 1, tokens, most]: what comes later
        group = self.llama.heads // self.llama.key_value_heads
        mask = torch.zeros(hidden.shape, dtype=self.llama.dtype).masked_fill_(hidden, -torch.inf)
        self.mask = mask.repeat_interleave(group, dim=2)
        positions = (self.lengths[:, None] + self.places).flatten()
        logits = logits_of(self.llama, hidden_states(self.llama, fed.flatten(), positions, self.attend))
        return logits.view(*fed.shape, -1)

    def accept(self, counts: Sequence[int]) -> None:
        """Keep the first so many of each row's tokens of the last step; the others will be written over."""
        self.written = self.written + torch.tensor(counts)

    def keep(self, rows: Sequence[int]) -> None:
        """Let go of all rows but these, given in order."""
        chosen = torch.tensor(rows)
        self.lengths, self.written, self.own = self.lengths[chosen], self.written[chosen], self.own[:, :, chosen]
        counts = [sum(group.first <= row < group.end for row in rows) for group in self.sharing]
        left = [(group.prompt, count) for group, count in zip(self.sharing, counts, strict=True) if count]
        self.sharing = grouped([prompt for prompt, _ in left], [count for _, count in left])

    def attend(self, layer: int, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Return what each token sees of its row's prompt and of what the row wrote: [rows · tokens, heads, size]."""
        rows, tokens = self.places.shape
        kv, size, most = self.llama.key_value_heads, self.llama.size, self.mask.shape[-1]
        # The heads that share a key, and the tokens of a row, are queries side by side.
        asked = queries.view(rows, tokens, kv, -1, size).transpose(1, 2).reshape(rows, kv, -1, size)
        held_keys, held_values = self.own[layer]
        every = torch.arange(rows)[:, None]
        held_keys[every, :, self.places] = keys.view(rows, tokens, kv, size)
        held_values[every, :, self.places] = values.view(rows, tokens, kv, size)
        own, own_norm = flash(asked, held_keys[:, :, :most], held_values[:, :, :most], self.mask)
        pairs = [over_prompt(asked[g.first : g.end], g.prompt.states[layer]) for g in self.sharing]
        prompt, prompt_norm = (torch.cat(parts) for parts in zip(*pairs, strict=True))
        weight = torch.sigmoid(prompt_norm - own_norm)[..., None]
        seen = torch.lerp(own.float(), prompt.float(), weight).to(queries.dtype)
        return seen.view(rows, kv, tokens, -1, size).transpose(1, 2).reshape(queries.shape)


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


def flash(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (attention, log of its normaliser in float32): torch's own kernel, whose public wrapper drops the latter.

    Queries [..., asked, size] over keys and values [..., tokens, size]; ``mask`` is added to the scores; scale
    1 / sqrt(size).
    """
    out, norm = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(queries, keys, values, attn_mask=mask)
    return out, norm
