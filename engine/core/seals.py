"""A seal on every answer: a hash of the very prompt and settings it was written with, and of what was written.

Computed where a model's generation enters the program and stored with it, so that a page can show the prompt that was
run and no other. Two readings differ from what a reader may expect: a seal is no signature (who edits a record can seal
it anew; it shows a mix-up or an edit, not a forgery), and records made before seals have none and say so.
"""

import hashlib
import json
from dataclasses import replace
from typing import Literal

from engine.core.records import Generation

SealState = Literal["holds", "broken", "none"]


def seal_of(generation: Generation) -> str:
    """Return the SHA-256 of a generation's prompt, settings and answer as 64 hexadecimal digits.

    The hash is over one line of JSON: the rendered prompt and its number of tokens, how the answer was drawn and where
    it had to end, and the ids of the tokens written with their text. Log-probabilities are no part of it.
    """
    stop = generation.stop_token
    content = {
        "rendered": generation.rendered,
        "chat": generation.prompt.chat,
        "prompt": generation.prompt.text,
        "prompt_tokens": generation.prompt_tokens,
        "temperature": float(generation.temperature),
        "seed": generation.seed,
        "max_tokens": generation.max_tokens,
        "stop": None if generation.stop is None else list(generation.stop),
        "text": generation.text,
        "ids": [token.id for token in generation.tokens],
        "stop_id": None if stop is None else stop.id,
        "stop_reason": generation.stop_reason,
        **({"kept": True} if generation.kept else {}),  # only there, so that older seals hold
    }
    return hashlib.sha256(json.dumps(content, ensure_ascii=True, sort_keys=True).encode()).hexdigest()


def seal_generation(generation: Generation, max_tokens: int, stop: tuple[str, ...]) -> Generation:
    """Return the generation with the settings of its request, and its seal."""
    settled = replace(generation, max_tokens=max_tokens, stop=stop, seal="")
    return replace(settled, seal=seal_of(settled))


def seal_state(generation: Generation) -> SealState:
    """Return whether the stored seal fits what is stored: "holds", "broken", or "none" for a record made before seals.

    >>> from engine.core.records import Prompt
    >>> plain = Generation(prompt=Prompt(text="Who?"), rendered="Who?", prompt_tokens=1, text="", tokens=(),
    ...                    stop_reason="end", temperature=0.0, seed=0)
    >>> made = seal_generation(plain, 32, ())
    >>> seal_state(plain), seal_state(made), seal_state(replace(made, rendered="What?"))
    ('none', 'holds', 'broken')
    """
    if not generation.seal:
        return "none"
    return "holds" if seal_of(generation) == generation.seal else "broken"
