"""The tokens of a stored prompt are shown only where they are the very ones that were read."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.backends.language_models import load_language_model
from engine.backends.language_models.base import Request
from engine.backends.language_models.prompt_tokens import cut_prompt
from engine.core.errors import ModelError
from engine.core.progress import silent
from engine.core.records import Prompt


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
