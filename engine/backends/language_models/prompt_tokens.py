"""Prompts as a model reads them: rendered by its chat template and cut by its tokenizer; no weights are loaded.

Text of users and passages never becomes a control token (one that the tokenizer marks as special): where it spells
one, it is tokenised as plain characters. A chat template that asks for the date gets the same one on every day. A
record stores the rendered prompt and how many tokens it had, not their ids. They are shown only where the tokenizer
renders the very same string and cuts it into as many tokens; anything else would be a guess.
"""

import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer

from engine.backends.added_models import changes_of
from engine.backends.language_models import EMBEDDED_NAMES
from engine.backends.language_models.embedded import FOLDER
from engine.backends.language_models.gguf_file import conversion_of, gguf_in
from engine.core.allowed import refuse_unlisted
from engine.core.errors import ModelError
from engine.core.folders import data_folder
from engine.core.records import Generation, Prompt
from engine.core.words import reason_of

SENTINEL = "\u2063question\u2063"
# Whether control tokens are read is a flag of the tokenizer, and several models and threads share one tokenizer.
_TOKENISING = threading.Lock()
# 26 July 2024, which Llama's templates name where they are told no date.
DATE = {
    "%Y": "2024", "%y": "24", "%m": "07", "%B": "July", "%b": "Jul", "%d": "26", "%e": "26", "%-d": "26",
    "%A": "Friday", "%a": "Fri", "%H": "00", "%M": "00", "%S": "00",
}  # fmt: skip
# Templates call this function by name, and a macro of that name goes before it: only plain data may be handed to them.
SAME_DATE = (
    "{%- macro strftime_now(format) -%}{{ format"
    + "".join(f" | replace('{code}', '{word}')" for code, word in DATE.items())
    + " }}{%- endmacro %}\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptToken:
    """One token of a prompt: its id, and characters [start, end) of the rendered prompt with their text."""

    id: int
    text: str
    start: int
    end: int


class PromptTokenizer:
    """A tokenizer with the chat template of its model. Raises ModelError where the template cannot be used."""

    def __init__(self, tokenizer: Any, name: str) -> None:
        self._tokenizer = tokenizer
        self._start, self._shell = start_token(tokenizer), chat_shell(tokenizer, name)
        self._control = control_tokens(tokenizer)

    def encode(self, text: str, special: bool = False) -> list[int]:
        """Return the ids of a text's tokens; control tokens are read as such only where ``special``."""
        return list(self._encoding(text, special)["input_ids"])

    def render(self, prompt: Prompt) -> str:
        """Return the string that is tokenised for a prompt."""
        return "".join(text for text, _ in self._pieces(prompt))

    def ids(self, prompt: Prompt) -> tuple[int, ...]:
        """Return the ids of a prompt's tokens."""
        return tuple(number for text, special in self._pieces(prompt) for number in self.encode(text, special))

    def tokens(self, prompt: Prompt) -> tuple[PromptToken, ...]:
        """Return a prompt's tokens with their characters in the rendered prompt."""
        tokens, place = [], 0
        for text, special in self._pieces(prompt):
            found = self._encoding(text, special, offsets=True)
            for number, (start, end) in zip(found["input_ids"], found["offset_mapping"], strict=True):
                tokens.append(PromptToken(id=int(number), text=text[start:end], start=place + start, end=place + end))
            place += len(text)
        return tuple(tokens)

    def _pieces(self, prompt: Prompt) -> list[tuple[str, bool]]:
        """Return the rendered prompt as (text, may hold control tokens); untrusted text never may."""
        untrusted = any(token in prompt.text for token in self._control)
        if not prompt.chat or self._shell is None:
            return [*([(self._start, True)] if self._start else []), (prompt.text, not untrusted)]
        before, after = self._shell
        if untrusted:
            return [(before, True), (prompt.text, False), (after, True)]
        return [(before + prompt.text + after, True)]

    def _encoding(self, text: str, special: bool, offsets: bool = False) -> Any:
        with _TOKENISING:
            return self._tokenizer(
                text, add_special_tokens=False, split_special_tokens=not special, return_offsets_mapping=offsets
            )


def control_tokens(tokenizer: Any) -> tuple[str, ...]:
    """Return the texts that a tokenizer reads as control tokens: with a role, as the end has, or without."""
    added = (token.content for token in tokenizer.added_tokens_decoder.values() if token.special)
    return tuple(dict.fromkeys(filter(None, (*tokenizer.all_special_tokens, *added))))


def start_token(tokenizer: Any) -> str:
    """Return the control token that begins a plain text ("<s>" for Llama), "" where the tokenizer sets none.

    A chat template writes its own.
    """
    with _TOKENISING:
        first = tokenizer("", add_special_tokens=True)["input_ids"][:1]
    return str(tokenizer.bos_token) if tokenizer.bos_token and first == [tokenizer.bos_token_id] else ""


def chat_shell(tokenizer: Any, name: str) -> tuple[str, str] | None:
    """Return what a chat template puts before and after one user turn, None where the tokenizer has no template.

    A template that writes today's date writes 26 July 2024 instead: with the real one a stored prompt could not be
    rendered again on the next day, and an answer kept in the cache would be that to another prompt. Raises ModelError
    where the template, which comes with the model, cannot be filled or does not hold the turn once.
    """
    if not tokenizer.chat_template:
        return None
    try:
        shell = tokenizer.apply_chat_template(
            [{"role": "user", "content": SENTINEL}],
            chat_template=with_same_date(tokenizer.get_chat_template()),
            tokenize=False,
            add_generation_prompt=True,
        )
    except Exception as exc:  # the template is a program of the model's maker, with errors of its own
        raise ModelError(f"The chat template of {name!r} cannot be filled: {reason_of(exc)}") from exc
    parts = shell.split(SENTINEL)
    if len(parts) != 2:
        raise ModelError(f"The chat template of {name!r} holds the user's turn {len(parts) - 1} times instead of once.")
    return parts[0], parts[1]


def with_same_date(template: str) -> str:
    """Return a chat template to which every day is 26 July 2024; one that asks for no date is returned as it is.

    >>> with_same_date("{{ messages[0]['content'] }}")
    "{{ messages[0]['content'] }}"
    """
    return SAME_DATE + template if "strftime_now" in template else template


def cut_prompt(name: str, generation: Generation) -> tuple[PromptToken, ...]:
    """Return the tokens of a stored prompt, in order, by the tokenizer of the model named (a folder, or a name).

    Raises ModelError where that tokenizer is not on this machine, or does not give the stored prompt and its length.
    """
    tokenizer = PromptTokenizer(tokenizer_of(name), name)
    if tokenizer.render(generation.prompt) != generation.rendered:
        raise ModelError("The model on this machine renders this prompt differently, so its tokens are not shown.")
    tokens = tokenizer.tokens(generation.prompt)
    if len(tokens) != generation.prompt_tokens:
        raise ModelError(
            f"The tokenizer on this machine cuts this prompt into {len(tokens):,} tokens; "
            f"{generation.prompt_tokens:,} were read, so its tokens are not shown."
        )
    return tokens


def tokenizer_of(name: str) -> Any:
    """Return the tokenizer of a model by name, from this machine only, with the chat template typed for it.

    Raises ModelError where it is not here.
    """
    refuse_unlisted(name)
    return tokenizer_with(name, changes_of(name).template)


@lru_cache(maxsize=4)
def tokenizer_with(name: str, template: str) -> Any:
    """Return a model's tokenizer with another chat template, "" = its own. Raises ModelError where it is not here."""
    source = data_folder() / "models" / FOLDER if name in EMBEDDED_NAMES else Path(name).expanduser()
    if name not in EMBEDDED_NAMES and (file := gguf_in(source)) is not None:
        source = conversion_of(file)
    if name in EMBEDDED_NAMES and not (source / "config.json").exists():
        raise ModelError("SmolLM2-135M is not converted yet on this machine; asking a question does that.")
    place = str(source) if source.is_dir() else name
    try:
        tokenizer = AutoTokenizer.from_pretrained(place, local_files_only=True, trust_remote_code=False)
    except Exception as exc:  # transformers raises many kinds, from a missing file to a broken header
        raise ModelError(f"The tokenizer of {name[:200]!r} cannot be opened here: {reason_of(exc)}") from exc
    tokenizer.chat_template = template or tokenizer.chat_template
    return tokenizer
