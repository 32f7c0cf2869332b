"""Two models that are loaded at once leave torch's default number type as it was."""

import threading
import time
from collections.abc import Callable

import pytest
import torch
from transformers import AutoModelForCausalLM, BertForSequenceClassification
from transformers.modeling_utils import local_torch_dtype

from engine.backends.entailment import embedded_judge
from engine.backends.language_models import transformers_model
from engine.core.errors import ModelError


def slow_load(seconds: float) -> Callable[..., object]:
    """Return a load that changes torch's default type as transformers does, takes a while, and then fails."""

    def load(*_: object, dtype: torch.dtype, **__: object) -> object:
        with local_torch_dtype(dtype):
            time.sleep(seconds)
        raise OSError("no weights")

    return load


@pytest.mark.weights
def test_bfloat16_does_not_stay_the_default_after_two_loads_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AutoModelForCausalLM, "from_pretrained", slow_load(0.3))
    monkeypatch.setattr(BertForSequenceClassification, "from_pretrained", slow_load(0.6))
    monkeypatch.setattr(transformers_model.AutoTokenizer, "from_pretrained", lambda *_, **__: None)

    def reader_loads() -> object:
        return transformers_model.open_pretrained("folder", "reader", "r1", "bfloat16", {})

    def failing(load: Callable[[], object]) -> None:
        with pytest.raises(ModelError):
            load()

    reader = threading.Thread(target=failing, args=(reader_loads,))
    judge = threading.Thread(target=failing, args=(embedded_judge.load_backbone,))
    reader.start()
    time.sleep(0.1)
    judge.start()
    reader.join()
    judge.join()
    found = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    assert found == torch.float32
