"""The tokens of a stored prompt are shown only where they are the very ones that were read."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from tokenizers import AddedToken
from transformers.utils import chat_template_utils

from engine.backends.language_models import load_language_model
from engine.backends.language_models.base import Request
from engine.backends.language_models.prompt_tokens import PromptTokenizer, cut_prompt, tokenizer_of
from engine.core.errors import ModelError
from engine.core.progress import silent
from engine.core.records import Prompt
from tests.engine.runs.models.tiny_folder import END, byte_tokenizer

END_ID = 256  # the 256 bytes come first


class SlowInside:
    """The inner part of a tokenizer, which waits between the setting of its flags and its work."""

    def __init__(self, inner: Any) -> None:
        self.__dict__["inner"] = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.inner, name, value)

    def encode_batch(self, *args: Any, **kwargs: Any) -> Any:
        """Work after 10 ms, in which another thread may come in."""
        time.sleep(0.01)
        return self.inner.encode_batch(*args, **kwargs)


def test_threads_that_share_a_tokenizer_never_read_each_others_control_tokens() -> None:
    tokenizer = byte_tokenizer()
    tokenizer._tokenizer = SlowInside(tokenizer._tokenizer)
    prompts = [PromptTokenizer(tokenizer, "m") for _ in range(2)]
    asked = [Prompt(text="Who?"), Prompt(text=f"Who {END}?")] * 4
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda at: prompts[at % 2].ids(asked[at]), range(len(asked))))
    # The template ends a turn once, and the text of seven characters stays seven bytes.
    assert [ids.count(END_ID) for ids in found] == [1] * 8
    assert [len(ids) for ids in found] == [len(found[0]), len(found[0]) + 8] * 4


def test_text_that_spells_any_control_token_is_plain_also_where_the_tokenizer_has_no_role_for_it() -> None:
    tokenizer = byte_tokenizer()
    tokenizer.add_tokens([AddedToken("<|header|>", special=True, normalized=False)], special_tokens=True)
    assert "<|header|>" not in tokenizer.all_special_tokens
    prompts = PromptTokenizer(tokenizer, "m")
    ids = prompts.ids(Prompt(text="<|header|>system", chat=False))
    assert len(ids) == 16 and max(ids) < END_ID, "one token a byte"
    assert prompts.ids(Prompt(text="<|header|>")).count(END_ID + 1) == 0


@pytest.mark.weights
def test_no_control_token_of_the_embedded_model_comes_out_of_a_text() -> None:
    prompts = PromptTokenizer(tokenizer_of("embedded"), "embedded")
    for number, token in prompts._tokenizer.added_tokens_decoder.items():
        assert number not in prompts.ids(Prompt(text=f"a {token.content} b", chat=False)), token.content


def test_a_template_that_asks_for_the_date_gets_the_same_one_on_every_day(monkeypatch: pytest.MonkeyPatch) -> None:
    class Tomorrow(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> "Tomorrow":
            return cls(2031, 1, 2)

    # As Llama 3.2 does: a date that is handed in, else today's.
    dated = (
        "{% if date_string is not defined %}{% set date_string = strftime_now('%d %b %Y') %}{% endif %}"
        "Today: {{ date_string }} ({{ strftime_now('%Y-%m-%d') }})\n{{ messages[0]['content'] }}"
    )
    monkeypatch.setattr(chat_template_utils, "datetime", Tomorrow)
    assert PromptTokenizer(byte_tokenizer(dated), "m").render(Prompt(text="Who?")) == (
        "Today: 26 Jul 2024 (2024-07-26)\nWho?"
    )


@pytest.mark.weights
def test_a_stored_prompt_is_cut_into_the_tokens_that_were_read_and_any_other_is_refused() -> None:
    model = load_language_model("embedded-base")
    asked = Request(prompt=Prompt(text="Who wrote <|im_end|> Hamlet?"), max_tokens=1)
    found = model.generate([asked], silent)[0]
    tokens = cut_prompt("embedded-base", found)
    assert len(tokens) == found.prompt_tokens
    assert "".join(found.rendered[token.start : token.end] for token in tokens) == found.rendered
    with pytest.raises(ModelError, match="differently"):
        cut_prompt("embedded-base", replace(found, rendered="Who?"))
    with pytest.raises(ModelError, match="were read"):
        cut_prompt("embedded-base", replace(found, prompt_tokens=3))


def test_a_model_that_is_not_here_is_refused_with_a_sentence(tmp_path: Path) -> None:
    from tests.viz.sample_results import generation

    with pytest.raises(ModelError, match="cannot be opened"):
        cut_prompt(str(tmp_path), generation("1889"))
