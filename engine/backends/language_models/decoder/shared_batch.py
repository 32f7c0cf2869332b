"""A batch of rows that decode together; a prompt that several rows continue is stored once for all of them.

Attention of a row over its prompt and over what it has written are two attentions; their outputs are put together
by their normalisers, which gives the attention over both (Milakov and Gimelshein 2018, "Online normalizer calculation
for softmax"; used over shared prompts by Juravsky et al. 2024, "Hydragen"). Rows that share their prompt with no other
are copied into stacks of about equal length instead: one attention over a stack is faster than one over each prompt.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import torch

from engine.backends.language_models.decoder.decoding import Row, sharing, step_together
from engine.backends.language_models.decoder.kept_reading import read_with_kept
from engine.backends.language_models.decoder.key_values import KnownPrompts, Prefilled, prefill
from engine.backends.language_models.decoder.llama import Llama, hidden_states, logits_of
from engine.backends.language_models.decoder.row_states import empty_states, flash, states_of_prompts
from engine.core.progress import Report

CHEAP_TOKENS = 48
"""Tokens that a step with guesses reads at most: up to about here it mostly waits for the weights."""
STACK_RATIO = 1.5  # longest prompt of a stack by its shortest
STACK_BYTES = 200_000_000
"""Bytes of prompts that are copied into stacks at most."""


def decode(llama: Llama, known: KnownPrompts[Prefilled], rows: Sequence[Row], report: Report) -> None:
    """Fill every row's steps. ``report`` is called between passes and may raise to stop."""
    # Neighbours are stacked where they can be: prompts of one row by their length, then those that are shared.
    groups = sorted(sharing(rows), key=lambda group: (len(group) > 1, len(group[0].ids)))
    prompts = read(llama, known, [group[0] for group in groups], report)
    copies = [len(group) for group in groups]
    first = torch.cat([prompt.logits.expand(n, -1) for prompt, n in zip(prompts, copies, strict=True)])
    ordered = [row for group in groups for row in group]
    step_together(ordered, SharedBatch(llama, prompts, copies), first, report)


def read(llama: Llama, known: KnownPrompts[Prefilled], rows: Sequence[Row], report: Report) -> list[Prefilled]:
    """Return the rows' prompts, each read in its own way: in full, or with what is kept of another prompt."""
    whole, others = ([row for row in rows if (row.kept is None) == full] for full in (True, False))
    found = {id(row): prompt for row, prompt in zip(others, read_with_kept(llama, known, others, report), strict=True)}
    prompts = prefill(llama, known, [row.ids for row in whole], report)
    found |= {id(row): prompt for row, prompt in zip(whole, prompts, strict=True)}
    return [found[id(row)] for row in rows]


class SharedBatch:
    """Rows in order of their prompts; ``copies[i]`` of them continue ``prompts[i]``.

    ``counts[i]`` rows are in ``parts[i]``.
    """

    def __init__(self, llama: Llama, prompts: Sequence[Prefilled], copies: Sequence[int]) -> None:
        self.llama = llama
        self.parts, self.counts = parts_of(llama, prompts, copies)
        self.tokens: list[int] = []

    @property
    def guesses(self) -> int:
        """How many tokens, beside one of each row, a step may read at little cost."""
        return max(CHEAP_TOKENS - sum(self.counts), 0)

    @property
    def guesses_each(self) -> int:
        """How many of these one row may have: all of them."""
        return self.guesses

    @torch.inference_mode()
    def step(self, tokens: Sequence[Sequence[int]]) -> torch.Tensor:
        """Return the logits [tokens, vocab] after each further token of each row, row after row."""
        widths = [len(row) for row in tokens]
        shares = [widths[first:end] for first, end in self.spans()]
        self.tokens = [sum(share) for share in shares]
        positions = torch.cat([part.feed(share) for part, share in zip(self.parts, shares, strict=True)])
        fed = torch.tensor([token for row in tokens for token in row])
        return logits_of(self.llama, hidden_states(self.llama, fed, positions, self.attend))

    def accept(self, counts: Sequence[int]) -> None:
        """Keep the first so many of each row's tokens of the last step; the others will be written over."""
        for part, (first, end) in zip(self.parts, self.spans(), strict=True):
            part.accept(counts[first:end])

    def keep(self, rows: Sequence[int]) -> None:
        """Let go of all rows but these, given in order."""
        kept = [[row - first for row in rows if first <= row < end] for first, end in self.spans()]
        left = [(part, here) for part, here in zip(self.parts, kept, strict=True) if here]
        for part, here in left:
            part.keep(here)
        self.parts, self.counts = [part for part, _ in left], [len(here) for _, here in left]

    def spans(self) -> list[tuple[int, int]]:
        """Return each part's rows [first, end)."""
        return list(pairwise([0, *accumulate(self.counts)]))

    def attend(self, layer: int, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Return what each token sees: [tokens, heads, size]."""
        # Whatever looks at the same keys, heads and tokens alike, is to lie one after another.
        shape = (len(queries), self.llama.key_value_heads, -1, self.llama.size)
        grouped = queries.view(shape).transpose(1, 2).contiguous()
        split = (torch.split(states, self.tokens) for states in (grouped, keys, values))
        seen = [part.attend(layer, *states) for part, *states in zip(self.parts, *split, strict=True)]
        return torch.cat(seen).transpose(1, 2).reshape(queries.shape)


class StackedRows:
    """Rows that share their prompt with no other; each holds a copy of it before what it writes."""

    def __init__(self, llama: Llama, prompts: Sequence[Prefilled]) -> None:
        self.states = states_of_prompts(llama, prompts)
        self.feed, self.accept, self.keep = self.states.feed, self.states.accept, self.states.keep

    def attend(self, layer: int, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Return what each token sees."""
        return self.states.attend(layer, queries, keys, values)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharing:
    """Rows [first, end) that continue one prompt."""

    prompt: Prefilled
    first: int
    end: int


class SharedRows:
    """Rows in order of their prompts, each of which is stored once; what they write lies beside in ``written``."""

    def __init__(self, llama: Llama, prompts: Sequence[Prefilled], copies: Sequence[int]) -> None:
        self.sharing = shared_prompts(prompts, copies)
        self.lengths = torch.tensor([len(p.ids) for p, n in zip(prompts, copies, strict=True) for _ in range(n)])
        self.written = empty_states(llama, sum(copies))
        self.starts: list[int] = []

    def feed(self, widths: Sequence[int]) -> torch.Tensor:
        """Prepare a step in which row i feeds ``widths[i]`` tokens; return each token's position in its text."""
        self.starts = [0, *accumulate(widths)]
        return self.written.feed(widths) + self.lengths.repeat_interleave(torch.tensor(widths))

    def accept(self, counts: Sequence[int]) -> None:
        """Keep the first so many of each row's tokens of the last step."""
        self.written.accept(counts)

    def keep(self, rows: Sequence[int]) -> None:
        """Let go of all rows but these, given in order."""
        self.lengths = self.lengths[torch.tensor(rows)]
        self.written.keep(rows)
        counts = [sum(group.first <= row < group.end for row in rows) for group in self.sharing]
        left = [(group.prompt, count) for group, count in zip(self.sharing, counts, strict=True) if count]
        self.sharing = shared_prompts([prompt for prompt, _ in left], [count for _, count in left])

    def attend(self, layer: int, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Return what each token sees of its row's prompt and of what the row wrote."""
        own, own_norm = self.written.attend(layer, queries, keys, values)
        pairs = [self.over_prompt(layer, group, queries) for group in self.sharing]
        prompt, prompt_norm = (torch.cat(parts) for parts in zip(*pairs, strict=True))
        weight = torch.sigmoid(prompt_norm - own_norm)[..., None]
        return torch.lerp(own.float(), prompt.float(), weight).to(queries.dtype)

    def over_prompt(self, layer: int, group: Sharing, queries: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return attention of a prompt's rows over it, all in one product, and its log-normaliser."""
        here = queries[self.starts[group.first] : self.starts[group.end]]
        keys, values = group.prompt.states[layer]
        out, norm = flash(here.view(1, -1, *here.shape[2:]), keys[None], values[None])
        return out.view(here.shape), norm.view(here.shape[:-1])


Part = StackedRows | SharedRows


def parts_of(llama: Llama, prompts: Sequence[Prefilled], copies: Sequence[int]) -> tuple[list[Part], list[int]]:
    """Return the parts that hold the rows, and how many rows each holds."""
    runs = runs_of(prompts, copies)
    parts = [
        StackedRows(llama, prompts[first:end]) if alone else SharedRows(llama, prompts[first:end], copies[first:end])
        for alone, first, end in runs
    ]
    return parts, [sum(copies[first:end]) for _, first, end in runs]


def runs_of(prompts: Sequence[Prefilled], copies: Sequence[int]) -> list[tuple[bool, int, int]]:
    """Return (whether they are stacked, first, end) of neighbouring prompts that are stored together."""
    runs: list[tuple[bool, int, int]] = []
    room = STACK_BYTES
    for at, (prompt, count) in enumerate(zip(prompts, copies, strict=True)):
        room -= prompt.states.nbytes if count == 1 else 0
        alone = count == 1 and room >= 0
        lengths = sorted((len(prompt.ids), len(prompts[runs[-1][1]].ids) if runs else 0))
        if runs and runs[-1][0] == alone and (not alone or lengths[1] <= STACK_RATIO * lengths[0]):
            runs[-1] = (alone, runs[-1][1], at + 1)
        else:
            runs.append((alone, at, at + 1))
    return runs


def shared_prompts(prompts: Sequence[Prefilled], copies: Sequence[int]) -> tuple[Sharing, ...]:
    """Return the prompts with the rows that continue them."""
    ends = accumulate(copies)
    return tuple(
        Sharing(prompt=prompt, first=end - rows, end=end)
        for prompt, rows, end in zip(prompts, copies, ends, strict=True)
    )
