"""How much memory a model takes, before it is opened and before a batch is begun; and what to do where it ran out.

Weights are counted from the headers of their files. Keys and values of one text take 2 x layers x heads of keys x size
of a head numbers a token; the logits of its last place are held a few times over in single precision.
"""

import json
import struct
from collections.abc import Callable, Sequence
from math import prod
from pathlib import Path
from typing import Any, TypeVar

from engine.backends.devices import Device, free_memory, is_short_of_memory
from engine.backends.number_types import NumberType
from engine.core.errors import ModelError

BYTES: dict[str, int] = {"float32": 4, "bfloat16": 2}
LONGEST_HEADER = 100_000_000
LOGITS_HELD = 4  # raw, as log-probabilities, as probabilities, and their product
SHARE = 0.6
"""Of the free memory, what the texts of one batch may take: the passes themselves need some too."""
GIGABYTE = 10**9
MOST_IN_MAIN_MEMORY = 2 * GIGABYTE
"""Of the texts of one batch. Sixty contexts of twenty passages would take over five, and are no slower in parts."""
Part = TypeVar("Part")


def weights_bytes(folder: Path, dtype: NumberType) -> int:
    """Return the bytes that a folder's safetensors take in a number type, 0 where there are none."""
    return sum(map(numbers_in, sorted(folder.glob("*.safetensors")))) * BYTES[dtype]


def numbers_in(file: Path) -> int:
    """Return how many numbers a safetensors file holds, by its header; 0 for a broken one, which opening names."""
    try:
        with file.open("rb") as opened:
            (length,) = struct.unpack("<Q", opened.read(8))
            if length > LONGEST_HEADER:
                raise ValueError("its header is too long")
            header = json.loads(opened.read(length))
        return sum(prod(one["shape"]) for name, one in header.items() if name != "__metadata__")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error):
        return 0


def token_bytes(config: Any, dtype: str) -> int:
    """Return the bytes of keys and values that one token of a text takes."""
    heads = getattr(config, "num_attention_heads", None) or 1
    size = getattr(config, "head_dim", None) or getattr(config, "hidden_size", 0) // heads
    shared = getattr(config, "num_key_value_heads", None) or heads
    return int(2 * (getattr(config, "num_hidden_layers", None) or 1) * shared * size * BYTES.get(dtype, 4))


def row_bytes(config: Any, dtype: str, tokens: int) -> int:
    """Return the bytes that a text of so many tokens takes while it is written."""
    vocabulary = getattr(config, "vocab_size", None) or 0
    return token_bytes(config, dtype) * tokens + LOGITS_HELD * 4 * int(vocabulary)


def rows_that_fit(config: Any, dtype: str, lengths: Sequence[int], free: int | None, *, padded: bool = True) -> int:
    """Return how many of these texts, in order, fit into free memory together: at least one, all where nothing tells.

    ``lengths`` are in tokens. A batch that is ``padded`` is as wide as its longest text.
    """
    if free is None or not lengths:
        return len(lengths)
    longest = total = 0
    for count, length in enumerate(lengths, start=1):
        longest = max(longest, length)
        total += row_bytes(config, dtype, length)
        needed = count * row_bytes(config, dtype, longest) if padded else total
        if count > 1 and needed > SHARE * free:
            return count - 1
    return len(lengths)


def memory_of_batch(device: Device) -> int | None:
    """Return the bytes that are free for the texts of a batch; in main memory no more than a batch is quicker with."""
    free = free_memory(device)
    return free if free is None or device != "cpu" else min(free, MOST_IN_MAIN_MEMORY)


def opening_words(name: str, needed: int, device: Device) -> str:
    """Return what opening a model takes, in words. Raises ModelError where a GPU has less than the weights need."""
    free = free_memory(device) if needed else None
    if free is None:
        return ""
    words = f" ({needed / GIGABYTE:.1f} GB of memory, {free / GIGABYTE:.1f} GB free)"
    if device != "cpu" and needed > free:
        raise ModelError(f"The language model {name!r} does not fit on {device}{words}. Choose the device cpu.")
    return words


class Portions:
    """How many parts of a task are computed at once: halved for good each time memory runs out."""

    def __init__(self, most: int) -> None:
        self.most = most

    def each(
        self,
        parts: Sequence[Part],
        compute: Callable[[Sequence[Part]], None],
        fitting: Callable[[Sequence[Part]], int],
        halved: Callable[[int], None],
    ) -> None:
        """Compute all parts in order, as many at once as fit; what ran out of memory is computed again, by halves.

        ``halved`` is told how many at most come next. Where a single part does not fit, its error passes through.
        """
        done = 0
        while done < len(parts):
            some = parts[done : done + self.most]
            some = some[: max(1, fitting(some))]
            try:
                compute(some)
            except (RuntimeError, MemoryError) as exc:
                if len(some) == 1 or not is_short_of_memory(exc):
                    raise
                self.most = len(some) // 2
            else:
                done += len(some)
                continue
            halved(self.most)  # outside, where the failed pass is no longer held by its error
