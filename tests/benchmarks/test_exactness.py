"""The benchmark of exactness on a tiny model in float32: its ways of computing run, and agree."""

import pytest

from benchmarks.exactness import WAYS, attention_compared, by_transformers, compared, replies_compared
from engine.backends.language_models.base import Request
from engine.backends.language_models.transformers_model import TransformersModel
from engine.core.records import Prompt
from tests.engine.backends.language_models.tiny_models import LEAN, built
from tests.engine.runs.models.tiny_folder import byte_tokenizer


def test_every_way_of_computing_writes_what_transformers_own_pass_writes() -> None:
    model = TransformersModel(built(LEAN["Llama"]), byte_tokenizer(), name="tiny", revision="r")
    requests = [Request(prompt=Prompt(text=text), max_tokens=6) for text in ("Who was it?", "Where?", "Who is it?")]
    theirs = by_transformers(model, requests)
    assert [len(one.tokens) for one in theirs] == [6, 6, 6]
    for way in WAYS.values():
        found = compared(theirs, way(model, requests))
        assert found["identical"] == 1.0
        assert found["largest_logprob_difference"] == pytest.approx(0.0, abs=1e-4)
    assert replies_compared(model, ["Ada", "Ben", "Cora"]) == pytest.approx(0.0, abs=1e-4)
    assert attention_compared(model, theirs) == pytest.approx(0.0, abs=1e-4)
