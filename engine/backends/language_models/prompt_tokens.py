"""The tokens of a stored prompt, cut again by the model's own tokenizer: for reading, without loading any weights.

A record stores the rendered prompt and how many tokens it had, not their ids. They are shown only where the tokenizer
renders the very same string and cuts it into as many tokens; anything else would be a guess.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer

from engine.backends.language_models.embedded import FOLDER
from engine.backends.language_models.transformers_model import (
    chat_shell,
    encoded,
    prompt_pieces,
    reason_of,
    start_token,
)
from engine.core.errors import ModelError
from engine.core.folders import data_folder
from engine.core.records import Generation

EMBEDDED = ("embedded", "embedded-base")


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptToken:
    """One token of a prompt: its id, and characters [start, end) of the rendered prompt with their text."""

    id: int
    text: str
    start: int
    end: int


def cut_prompt(name: str, generation: Generation) -> tuple[PromptToken, ...]:
    """Return the tokens of a stored prompt, in order, by the tokenizer of the model named (a folder, or a name).

    Raises ModelError where that tokenizer is not on this machine, or does not give the stored prompt and its length.
    """
    tokenizer = tokenizer_of(name)
    pieces = prompt_pieces(tokenizer, generation.prompt, chat_shell(tokenizer, name), start_token(tokenizer))
    rendered = "".join(text for text, _ in pieces)
    if rendered != generation.rendered:
        raise ModelError("The model on this machine renders this prompt otherwise, so its tokens are not shown.")
    tokens, place = [], 0
    for text, special in pieces:
        found = encoded(tokenizer, text, special, offsets=True)
        for number, (start, end) in zip(found["input_ids"], found["offset_mapping"], strict=True):
            piece = text[start:end]
            tokens.append(PromptToken(id=int(number), text=piece, start=place + start, end=place + end))
        place += len(text)
    if len(tokens) != generation.prompt_tokens:
        raise ModelError(
            f"The tokenizer on this machine cuts this prompt into {len(tokens):,} tokens; "
            f"{generation.prompt_tokens:,} were read, so its tokens are not shown."
        )
    return tuple(tokens)


@lru_cache(maxsize=4)
def tokenizer_of(name: str) -> Any:
    """Return the tokenizer of a model by name, from this machine only. Raises ModelError where it is not here."""
    source = data_folder() / "models" / FOLDER if name in EMBEDDED else Path(name).expanduser()
    if name in EMBEDDED and not (source / "config.json").exists():
        raise ModelError("The embedded model is not converted yet on this machine; asking a question does that.")
    ggufs = [] if (source / "tokenizer_config.json").exists() else sorted(source.glob("*.gguf"))
    options = {"gguf_file": ggufs[0].name} if ggufs else {}
    place = str(source) if source.is_dir() else name
    try:
        return AutoTokenizer.from_pretrained(place, local_files_only=True, trust_remote_code=False, **options)
    except Exception as exc:  # transformers raises many kinds, from a missing file to a broken header
        raise ModelError(f"The tokenizer of {name[:200]!r} cannot be opened here: {reason_of(exc)}") from exc
