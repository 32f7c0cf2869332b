"""Models opened by several threads at once, as a page and the worker do right after a start.

transformers changes settings of the whole process while it builds a model. Before one at a time was opened, this test
ended with 162,826,560 parameters of float32 or with weights that hold no numbers, and so did every later model.
"""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest
import torch
from transformers import AutoTokenizer, BertForSequenceClassification, PreTrainedModel
from transformers.utils import logging

from engine.backends.entailment.embedded_judge import load_backbone
from engine.backends.language_models.embedded import converted_folder
from engine.backends.language_models.transformers_model import open_folder
from engine.backends.retrieval.embedders import MiniLM, minilm_folder
from engine.runs.models.card import empty_model

# Each way in which this program builds a model.
OPENERS = {
    "language model": lambda: open_folder(converted_folder(), "embedded", "bfloat16"),
    "judge": load_backbone,
    "embedder": lambda: MiniLM(minilm_folder()),
    "architecture": lambda: empty_model(converted_folder(), "embedded"),
}


def test_models_opened_together_are_those_opened_alone():
    tie_weights = PreTrainedModel.tie_weights
    together = Barrier(2 * len(OPENERS))

    def at_once(name):
        together.wait()
        return name, OPENERS[name]()

    with ThreadPoolExecutor(2 * len(OPENERS)) as pool:
        opened = dict(pool.map(at_once, [*OPENERS, *OPENERS]))

    identity = opened["language model"].identity
    assert (identity.parameters, identity.dtype) == (134_515_008, "bfloat16")
    judge, _ = opened["judge"]
    assert judge.dtype == torch.float32
    assert not any(weight.is_meta for weight in judge.parameters())
    assert torch.get_default_dtype() == torch.float32
    assert PreTrainedModel.tie_weights is tie_weights


def test_two_judges_opened_together_leave_the_level_of_logging_as_it_was(monkeypatch: pytest.MonkeyPatch):
    """The second begins while the first builds its model, and ends after it."""
    level, first_builds, second_reads = logging.get_verbosity(), Event(), Event()

    def read_tokenizer(*_: object, **__: object) -> None:
        if first_builds.is_set():
            second_reads.set()

    def build(*_: object, **__: object) -> None:
        assert logging.get_verbosity() == logging.ERROR
        first_builds.set()
        assert second_reads.wait(30)

    monkeypatch.setattr(AutoTokenizer, "from_pretrained", read_tokenizer)
    monkeypatch.setattr(BertForSequenceClassification, "from_pretrained", build)
    try:
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(load_backbone)
            assert first_builds.wait(30)
            second = pool.submit(load_backbone)
            first.result()
            second.result()
        assert (level, logging.get_verbosity()) == (logging.WARNING, logging.WARNING)
    finally:
        logging.set_verbosity(level)
