"""Models of any family decode in one batch what they write one by one, a sliding window among them."""

import pytest
import torch

from engine.backends.language_models.decoder import padded_batch
from engine.backends.language_models.decoder.decoding import Row
from engine.core.progress import silent
from tests.engine.backends.language_models.tiny_models import LEAN, OTHERS, built

# Shorter and longer than the window of 8, two alike, so that one prompt is shared.
PROMPTS = ((5, 9, 2), tuple(range(20, 45)), (7, 7, 40, 3, 11, 60, 2, 9, 31, 4, 8), (5, 9, 2))


def rows() -> list[Row]:
    return [Row(ids=ids, max_tokens=24, temperature=0.0, seed=0, ended=lambda _: False) for ids in PROMPTS]


def greedy(model: torch.nn.Module, ids: tuple[int, ...]) -> list[int]:
    """Return what the model writes when the whole text is read anew for every token, without any cache."""
    text = list(ids)
    with torch.inference_mode():
        for _ in range(24):
            text.append(int(model(input_ids=torch.tensor([text]), use_cache=False).logits[0, -1].argmax()))
    return text[len(ids) :]


@pytest.mark.parametrize("name", ["GPT-2", "Mistral with a window", "Gemma 3", "Qwen2"])
def test_a_batch_writes_what_the_model_writes_without_any_cache(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = built((OTHERS | LEAN)[name])
    batches = []
    step_together = padded_batch.step_together
    monkeypatch.setattr(
        padded_batch, "step_together", lambda *given: (batches.append(len(given[0])), step_together(*given))
    )
    found = rows()
    padded_batch.decode(model, found, silent)
    assert [[step.id for step in row.steps] for row in found] == [greedy(model, ids) for ids in PROMPTS]
    assert batches == [4], "all rows in one batch"
