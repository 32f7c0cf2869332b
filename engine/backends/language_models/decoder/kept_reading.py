"""Reading a prompt that differs from a known one in its middle, without reading again what follows the change.

What comes before the change is copied, which is exact. The change itself and the end of the prompt (where the question
stands) are read over all that comes before them. In between, the keys and values of the known prompt are kept, the keys
turned to their new positions: as if those tokens had not seen the change. So the cost does not grow with what lies
between, and the result is **not exact** (as in Gim et al. 2024, "Prompt Cache", and in the reuse that Yao et al. 2025,
"CacheBlend", start from). Such a prompt is never added to the known ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from engine.backends.language_models.decoder.decoding import Row
from engine.backends.language_models.decoder.key_values import (
    KnownPrompts,
    Prefilled,
    Reading,
    pieces_of,
    prefill,
    shared,
)
from engine.backends.language_models.decoder.llama import Llama, logits_of
from engine.core.progress import Report, TokensDecoded


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where a text differs from a known one: tokens [``first``, ``end``); from ``tail`` on it is read in any case.

    Tokens [``end``, ``tail``) are the known text's, ``shift`` places further there than here (negative: nearer).
    """

    first: int
    end: int
    tail: int
    shift: int


def places_of(known: Sequence[int], ids: Sequence[int], tail: int) -> Places:
    """Return where a text differs from a known one; its last ``tail`` tokens, at least one, are read in any case.

    >>> places_of((1, 2, 3, 4, 5, 6), (1, 9, 9, 9, 4, 5, 6), tail=1)
    Places(first=1, end=4, tail=6, shift=-1)
    """
    one, other = np.array(known), np.array(ids)
    begin, close = len(ids) - max(tail, 1), shared(one[::-1], other[::-1])
    first = min(shared(one, other), begin)
    end = min(max(len(ids) - close, first, first + len(ids) - len(known)), begin)
    return Places(first=first, end=end, tail=begin, shift=len(known) - len(ids))


@torch.inference_mode()
def read_with_kept(
    llama: Llama, known: KnownPrompts[Prefilled], rows: Sequence[Row], report: Report
) -> list[Prefilled]:
    """Return the prompts of rows that name the prompt they keep; ``report`` may raise to stop."""
    kept = [row.kept for row in rows if row.kept is not None]
    if not kept:
        return []
    bases = prefill(llama, known, [one.ids for one in kept], report)
    texts = [row.ids for row in rows]
    places = [places_of(one.ids, ids, one.tail) for one, ids in zip(kept, texts, strict=True)]
    reading = Reading(llama, [opened(llama, *found) for found in zip(bases, texts, places, strict=True)])
    last: dict[int, torch.Tensor] = {}
    # All changes first: an end sees the change of its own text.
    changes = [(one.first, one.end) for one in places]
    ends = [(one.tail, len(ids)) for one, ids in zip(places, texts, strict=True)]
    for spans in (changes, ends):
        for pieces in filter(None, pieces_of(spans)):
            hidden = reading.over(pieces, texts)
            last |= {at: hidden[at][-1] for at, _, end in pieces if end == len(texts[at])}
            report(TokensDecoded(count=0))
    known.computed += sum(one.end - one.first + len(ids) - one.tail for one, ids in zip(places, texts, strict=True))
    known.reused += sum(one.first + one.tail - one.end for one in places)
    logits = logits_of(llama, torch.stack([last[at] for at in range(len(texts))]))
    return [
        Prefilled(ids=ids, states=states, logits=row)
        for ids, states, row in zip(texts, reading.states, logits, strict=True)
    ]


def opened(llama: Llama, base: Prefilled, ids: Sequence[int], places: Places) -> torch.Tensor:
    """Return keys and values with room for all of a text, holding what is copied and what is kept."""
    states = torch.empty(*base.states.shape[:3], len(ids), llama.size, dtype=llama.dtype)
    states[:, :, :, : places.first] = base.states[:, :, :, : places.first]
    there = base.states[:, :, :, places.end + places.shift : places.tail + places.shift]
    here = states[:, :, :, places.end : places.tail]
    here[:, 1] = there[:, 1]
    here[:, 0] = there[:, 0] if places.shift == 0 else turned(llama, there[:, 0], -places.shift)
    return states


def turned(llama: Llama, keys: torch.Tensor, by: int) -> torch.Tensor:
    """Return rotary keys [..., size] moved ``by`` positions: their angles grow with the position in equal steps."""
    cos, sin = llama.rotary(torch.empty(1, dtype=torch.float32), torch.tensor([[by]]))
    # Of each pair that turns together, one number lies in the first half of a key and one in the second.
    cos, sin = (torch.diag(angles[0, 0, : llama.size // 2]) for angles in (cos, sin))
    turn = torch.cat([torch.cat([cos, sin], dim=1), torch.cat([-sin, cos], dim=1)])
    return torch.matmul(keys.float(), turn).to(keys.dtype)
