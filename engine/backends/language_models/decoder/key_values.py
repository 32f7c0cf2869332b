"""Keys and values of prompts, computed once: what a prompt shares with one that was read before is not read again.

DENSE's C_0 … C_k and its ablations differ in one chunk, all samples of a question share their prompt, and a judge's
prompts share all but two answers. A causal model's keys and values at a position depend on the tokens up to there only,
so a shared beginning is copied instead of computed.
"""

from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
import torch

from engine.backends.language_models.decoder.causal_attention import Block, attention, blocks_of
from engine.backends.language_models.decoder.llama import Attend, Llama, hidden_states, logits_of
from engine.core.progress import Report, TokensDecoded

MOST_BYTES = 400_000_000
TOKENS_AT_ONCE = 512
WORTH_WAITING = 16  # tokens that a prompt must share with its neighbour, beyond what is known, to be read after it


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefilled:
    """A prompt that was read: ``states`` [layers, 2 (keys, values), kv heads, tokens, size]; the ``logits`` [vocab]."""

    ids: tuple[int, ...]
    states: torch.Tensor
    logits: torch.Tensor

    @property
    def nbytes(self) -> int:
        """The bytes of its keys and values."""
        return self.states.nbytes


class ReadPrompt(Protocol):
    """A prompt that was read, in whatever form its keys and values are kept."""

    @property
    def ids(self) -> tuple[int, ...]:
        """Its tokens."""

    @property
    def nbytes(self) -> int:
        """The bytes of its keys and values."""


Kept = TypeVar("Kept", bound=ReadPrompt)


class KnownPrompts(Generic[Kept]):
    """The prompts read last, as far as their keys and values fit into ``most_bytes``, and the one that was of most use.

    The answer's own prompt opens every context of DENSE, and the samples come back to it after dozens of them.
    ``computed`` and ``reused`` count the prompt tokens that were read and those that were copied.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.most_bytes = most_bytes
        self.computed = self.reused = 0
        self._run: object = None
        self._held: OrderedDict[tuple[int, ...], tuple[np.ndarray, Kept]] = OrderedDict()
        self._uses: Counter[tuple[int, ...]] = Counter()

    def get(self, ids: tuple[int, ...]) -> Kept | None:
        """Return the whole prompt where it is known; it counts as used now."""
        if ids not in self._held:
            return None
        self._held.move_to_end(ids)
        self._uses[ids] += 1
        return self._held[ids][1]

    def longest(self, ids: np.ndarray) -> tuple[Kept | None, int]:
        """Return the known prompt that shares most tokens with the beginning of this one, and how many.

        Of several it is the one that was used most.
        """
        best, most = None, (0, 0)
        for known, prompt in self._held.values():
            if (found := (shared(known, ids), self._uses[prompt.ids])) > most and found[0]:
                best, most = prompt, found
        return best, most[0]

    def clear(self) -> None:
        """Let go of every prompt."""
        self._held.clear()
        self._uses.clear()

    def keep_for(self, run: object) -> None:
        """Let go of every prompt where those held were read for another run."""
        if run is not self._run:
            self.clear()
            self._run = run

    def add(self, prompt: Kept) -> None:
        """Keep a prompt; those used longest ago make room, the one of most use last of all."""
        self._held[prompt.ids] = (np.array(prompt.ids), prompt)
        self._held.move_to_end(prompt.ids)
        most_uses = max(self._uses.values(), default=0)
        while len(self._held) > 1 and sum(held.nbytes for _, held in self._held.values()) > self.most_bytes:
            *others, _ = self._held
            leaves = next((ids for ids in others if self._uses[ids] < most_uses), others[0])
            del self._held[leaves], self._uses[leaves]


def shared(one: np.ndarray, other: np.ndarray) -> int:
    """Return how many tokens two texts share from their beginning.

    >>> shared(np.array([5, 6, 7]), np.array([5, 6, 9, 7]))
    2
    """
    length = min(len(one), len(other))
    differs = one[:length] != other[:length]
    return int(differs.argmax()) if differs.any() else length


@torch.inference_mode()
def prefill(
    llama: Llama, known: KnownPrompts[Prefilled], prompts: Sequence[tuple[int, ...]], report: Report
) -> list[Prefilled]:
    """Return the prompts, read; ``report`` is called after at most ``TOKENS_AT_ONCE`` tokens and may raise to stop.

    They are read in waves: a prompt waits for its neighbour where it shares more with it than with what is known.
    """
    found = {ids: prompt for ids in prompts if (prompt := known.get(ids)) is not None}
    known.reused += sum(len(ids) for ids in prompts if ids in found)
    waiting = sorted(set(prompts) - found.keys())
    while waiting:
        wave, waiting = next_wave(waiting, known)
        for prompt in prefill_together(llama, known, wave, report):
            found[prompt.ids] = prompt
            known.add(prompt)
    return [found[ids] for ids in prompts]


def next_wave(
    waiting: Sequence[tuple[int, ...]], known: KnownPrompts[Prefilled]
) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Return (prompts to read together now, prompts that gain by waiting for them); ``waiting`` is sorted."""
    wave, later = [waiting[0]], list[tuple[int, ...]]()
    for ids in waiting[1:]:
        array = np.array(ids)
        already = known.longest(array)[1] + WORTH_WAITING
        # Of sorted texts the one before shares most; in a wave that is the one taken last.
        (later if shared(np.array(wave[-1]), array) > already else wave).append(ids)
    return wave, later


def prefill_together(
    llama: Llama, known: KnownPrompts[Prefilled], prompts: Sequence[tuple[int, ...]], report: Report
) -> list[Prefilled]:
    """Return prompts that do not wait for each other, read together."""
    # The last token is always read: the logits after it are wanted.
    opened = [states_of_known_prefix(llama, known, ids, len(ids) - 1) for ids in prompts]
    reading = Reading(llama, [states for states, _ in opened])
    last: dict[int, torch.Tensor] = {}
    for pieces in pieces_of([(start, len(ids)) for (_, start), ids in zip(opened, prompts, strict=True)]):
        hidden = reading.over(pieces, prompts)
        for at, _, end in pieces:
            if end == len(prompts[at]):
                last[at] = hidden[at][-1]
        report(TokensDecoded(count=0))
    logits = logits_of(llama, torch.stack([last[at] for at in range(len(prompts))]))
    return [
        Prefilled(ids=ids, states=states, logits=row)
        for ids, (states, _), row in zip(prompts, opened, logits, strict=True)
    ]


def states_of_known_prefix(
    llama: Llama, known: KnownPrompts[Prefilled], ids: tuple[int, ...], most: int
) -> tuple[torch.Tensor, int]:
    """Return (states with room for all of a text, how many of its first tokens they hold already: at most ``most``)."""
    prefix, length = known.longest(np.array(ids))
    start = min(length, most)
    states = torch.empty(len(llama.layers), 2, llama.key_value_heads, len(ids), llama.size, dtype=llama.dtype)
    if prefix is not None:
        known.get(prefix.ids)  # used now, so it is not the next to make room
        states[:, :, :, :start] = prefix.states[:, :, :, :start]
    known.reused += start
    known.computed += len(ids) - start
    return states, start


def pieces_of(spans: Sequence[tuple[int, int]]) -> list[list[tuple[int, int, int]]]:
    """Return (text, first, end) pieces in groups of at most ``TOKENS_AT_ONCE`` tokens, each text's in order.

    >>> pieces_of([(0, 300), (10, 600)])
    [[(0, 0, 300), (1, 10, 222)], [(1, 222, 600)]]
    """
    groups: list[list[tuple[int, int, int]]] = [[]]
    room = TOKENS_AT_ONCE
    for at, (first, end) in enumerate(spans):
        while first < end:
            if room == 0:
                groups.append([])
                room = TOKENS_AT_ONCE
            cut = min(end, first + room)
            groups[-1].append((at, first, cut))
            room -= cut - first
            first = cut
    return groups


class Reading:
    """Flat passes over pieces of texts, each of which sees its own past.

    ``states[i]`` has room for all of text i and holds what was read of it.
    """

    def __init__(self, llama: Llama, states: Sequence[torch.Tensor]) -> None:
        self.llama, self.states = llama, states
        self.pieces: Sequence[tuple[int, int, int]] = ()
        self.blocks: Sequence[Sequence[Block]] = ()

    @torch.inference_mode()
    def over(
        self, pieces: Sequence[tuple[int, int, int]], texts: Sequence[Sequence[int]], attend: Attend | None = None
    ) -> dict[int, torch.Tensor]:
        """Return the last hidden states [tokens, width] of each text's piece, and keep its keys and values.

        ``attend`` may stand before ``self.attend`` to look at what passes.
        """
        self.pieces = pieces
        self.blocks = [blocks_of(first, end, self.llama.dtype) for _, first, end in pieces]
        hidden = hidden_states(
            self.llama,
            torch.tensor([token for at, first, end in pieces for token in texts[at][first:end]]),
            torch.tensor([place for _, first, end in pieces for place in range(first, end)]),
            attend or self.attend,
        )
        parts = torch.split(hidden, [end - first for _, first, end in pieces])
        return {at: part for (at, _, _), part in zip(pieces, parts, strict=True)}

    def attend(self, layer: int, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Return what each token sees, and keep its key and value."""
        seen, place = list[torch.Tensor](), 0
        for (at, first, end), blocks in zip(self.pieces, self.blocks, strict=True):
            here = slice(place, place + end - first)
            states = self.states[at][layer]
            states[0, :, first:end] = keys[here].transpose(0, 1)
            states[1, :, first:end] = values[here].transpose(0, 1)
            seen += attention(queries[here], states[0, :, :end], states[1, :, :end], blocks)
            place = here.stop
        return torch.cat(seen)


def by_head(states: torch.Tensor, llama: Llama) -> torch.Tensor:
    """Return keys and values [2, heads, tokens, size], each repeated for the heads that share it."""
    return states.repeat_interleave(llama.heads // llama.key_value_heads, dim=1)
