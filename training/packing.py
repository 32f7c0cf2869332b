"""Several prompts with one beginning as one row: the beginning is read once, each end attends to it and to itself.

Positions continue from the beginning for every end, so each prompt and reply is computed as if alone. A context of five
passages with a dozen questions costs little more than the context.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

import torch


@dataclass(frozen=True, slots=True)
class Pack:
    """Token ids of the shared beginning, and of each end: (rest of the prompt, reply)."""

    start: tuple[int, ...]
    ends: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]

    def __len__(self) -> int:
        """Return how many tokens the row has."""
        return len(self.start) + sum(len(prompt) + len(reply) for prompt, reply in self.ends)


def packed(rows: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Pack:
    """Return (prompt, reply) rows as one pack; at least one prompt token stays with each end.

    >>> packed([((1, 2, 3), (7,)), ((1, 2, 4), (8, 9))])
    Pack(start=(1, 2), ends=(((3,), (7,)), ((4,), (8, 9))))
    """
    prompts = [prompt[:-1] for prompt, _ in rows]
    shared = sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*prompts, strict=False)))
    ends = tuple((tuple(prompt[shared:]), tuple(reply)) for prompt, reply in rows)
    return Pack(start=tuple(rows[0][0][:shared]), ends=ends)


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded packs: ids and positions [packs, tokens], mask [packs, 1, tokens, tokens] (True = may look), and where
    each reply token is predicted: places (pack, token) and targets.
    """

    ids: torch.Tensor
    positions: torch.Tensor
    mask: torch.Tensor
    places: torch.Tensor
    targets: torch.Tensor


def batched(packs: Sequence[Pack], pad: int) -> Batch:
    """Return packs as one batch; padding attends to itself only, so that no row of the mask is empty."""
    longest = max(map(len, packs))
    ids = torch.full((len(packs), longest), pad)
    positions = torch.zeros((len(packs), longest), dtype=torch.long)
    mask = torch.eye(longest, dtype=torch.bool).repeat(len(packs), 1, 1)
    places: list[tuple[int, int]] = []
    targets: list[int] = []
    for at, pack in enumerate(packs):
        start = len(pack.start)
        ids[at, :start] = torch.tensor(pack.start, dtype=torch.long)
        positions[at, :start] = torch.arange(start)
        mask[at, :start, :start] = torch.ones(start, start, dtype=torch.bool).tril()
        first = start
        for prompt, reply in pack.ends:
            end = (*prompt, *reply)
            last = first + len(end)
            ids[at, first:last] = torch.tensor(end)
            positions[at, first:last] = torch.arange(start, start + len(end))
            mask[at, first:last, :start] = True
            mask[at, first:last, first:last] = torch.ones(len(end), len(end), dtype=torch.bool).tril()
            places += [(at, first + len(prompt) - 1 + step) for step in range(len(reply))]
            targets += reply
            first = last
    return Batch(ids, positions, mask[:, None], torch.tensor(places), torch.tensor(targets))
