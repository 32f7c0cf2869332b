"""Models opened by several threads at once, as a page and the worker do right after a start.

transformers changes settings of the whole process while it builds a model. Before one at a time was opened, this test
ended with 162,826,560 parameters of float32 or with weights that hold no numbers, and so did every later model.
"""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import torch
from transformers import PreTrainedModel

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
