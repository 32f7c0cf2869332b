"""Keys and values of rows that decode together, and attention of one step's tokens over them.

In a step a row may feed one token or several: its last one, and guesses at what follows. So a step is ragged: its
tokens lie row after row without padding; only the queries of attention are spread out as if all rows fed equally many.
"""

from collections.abc import Sequence

import torch

from engine.backends.language_models.decoder.key_values import Prefilled
from engine.backends.language_models.decoder.llama import Llama

ROOM = 32  # places added at a time when the buffer is full


class RowStates:
    """Rows in order; row i has ``counts[i]`` places, which lie in slot ``slots[i]`` of ``states``.

    ``states`` is [layers, 2 (keys, values), slots, kv heads, places, size]. A row that leaves makes room for that of
    the last slot, so that the slots in use are always the first ones and nothing else is moved.
    """

    def __init__(self, llama: Llama, states: torch.Tensor, counts: Sequence[int]) -> None:
        self.llama, self.states = llama, states
        self.counts = torch.tensor(counts)
        self.slots = torch.arange(len(counts))
        self.width, self.mask = 1, torch.empty(0)
        self.token_slots = self.places = self.counts
        self.spread: torch.Tensor | None = None
        self.real = self.counts

    def feed(self, widths: Sequence[int]) -> torch.Tensor:
        """Prepare a step in which row i feeds ``widths[i]`` tokens; return the place of each token in its row."""
        wide, across = torch.tensor(widths), torch.arange(max(widths))
        rows = torch.arange(len(wide)).repeat_interleave(wide)
        starts = wide.cumsum(0) - wide
        within = torch.arange(len(rows)) - starts[rows]
        self.places, self.token_slots, self.width = self.counts[rows] + within, self.slots[rows], len(across)
        self.make_room(int(self.places.max()) + 1)
        self.spread = None
        if min(widths) < self.width or bool((self.slots[1:] < self.slots[:-1]).any()):
            by_slot = self.slots.argsort()
            self.spread = (starts[:, None] + across.minimum(wide[:, None] - 1))[by_slot].flatten()
            self.real = self.token_slots * self.width + within
        return self.places

    def make_room(self, places: int) -> None:
        """Widen the buffer where it has fewer places, and hide from each token of the step what comes after it."""
        if places > self.states.shape[-2]:
            self.states = torch.nn.functional.pad(self.states, (0, 0, 0, places + ROOM - self.states.shape[-2]))
        seen_to = self.counts[self.slots.argsort(), None] + torch.arange(self.width)
        hidden = torch.arange(places) > seen_to[:, None, :, None]  # [slots, 1, width, places]
        mask = torch.zeros(hidden.shape, dtype=self.llama.dtype).masked_fill_(hidden, -torch.inf)
        self.mask = mask.repeat_interleave(self.llama.heads // self.llama.key_value_heads, dim=2)

    def accept(self, counts: Sequence[int]) -> None:
        """Keep the first so many of each row's tokens of the last step; the others will be written over."""
        self.counts = self.counts + torch.tensor(counts)

    def keep(self, rows: Sequence[int]) -> None:
        """Let go of all rows but these, given in order."""
        chosen = torch.tensor(rows)
        self.counts, self.slots = self.counts[chosen], self.slots[chosen]
        free = iter(sorted(set(range(len(rows))) - set(self.slots.tolist())))
        for row in (self.slots >= len(rows)).nonzero()[:, 0].tolist():
            slot = next(free)
            self.states[:, :, slot] = self.states[:, :, self.slots[row]]
            self.slots[row] = slot
        self.states = self.states[:, :, : len(rows)]

    def attend(
        self, layer: int, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return attention [tokens, group, kv heads, size] of a step over its rows, and its log-normaliser.

        ``queries`` has the same shape; ``keys`` and ``values`` [tokens, kv heads, size] are taken in before.
        """
        states = self.states[layer]
        states[:, self.token_slots, :, self.places] = torch.stack([keys, values], dim=1)
        spread = queries if self.spread is None else queries.index_select(0, self.spread)
        places, (_, group, kv, size) = self.mask.shape[-1], queries.shape
        row_keys, row_values = states[..., :places, :]
        out, norm = flash(spread.view(-1, self.width * group, kv, size), row_keys, row_values, self.mask)
        out, norm = out.view(-1, group, kv, size), norm.view(-1, group, kv)
        if self.spread is None:
            return out, norm
        return out.index_select(0, self.real), norm.index_select(0, self.real)


def empty_states(llama: Llama, rows: int) -> RowStates:
    """Return the states of rows that have no place yet."""
    shape = (len(llama.layers), 2, rows, llama.key_value_heads, ROOM, llama.size)
    return RowStates(llama, torch.zeros(shape, dtype=llama.dtype), [0] * rows)


def states_of_prompts(llama: Llama, prompts: Sequence[Prefilled]) -> RowStates:
    """Return the states of rows that begin with a copy of a prompt each."""
    counts = [len(prompt.ids) for prompt in prompts]
    places = max(counts) + ROOM
    shape = (len(llama.layers), 2, len(prompts), llama.key_value_heads, places, llama.size)
    states = torch.empty(shape, dtype=llama.dtype)
    for row, (prompt, count) in enumerate(zip(prompts, counts, strict=True)):
        states[:, :, row, :, :count] = prompt.states
        states[:, :, row, :, count:] = 0  # hidden places weigh nothing, but NaN times nothing is NaN
    return RowStates(llama, states, counts)


def flash(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (attention, log of its normaliser in float32): torch's own kernel, whose public wrapper drops the latter.

    Queries [rows, tokens, heads, size] over keys and values [rows, heads, places, size] give attention of the queries'
    shape and [rows, tokens, heads]; ``mask`` [rows, 1, tokens, places] is added to the scores; scale 1 / sqrt(size).
    """
    out, norm = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(
        queries.transpose(1, 2), keys, values, attn_mask=mask
    )
    return out.transpose(1, 2), norm.transpose(1, 2)
