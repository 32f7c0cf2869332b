"""Rows that share prompts decode as they would alone with transformers."""

import pytest
import torch

from engine.language_models import padded_batch, shared_batch
from engine.language_models.decoding import Row
from engine.language_models.key_values import KnownPrompts, prefill
from engine.language_models.llama import lean
from engine.language_models.shared_batch import SharedBatch
from engine.progress import silent
from tests.engine.language_models.tiny_models import LEAN, built

PROMPTS = ((5, 9, 250, 3), tuple(range(100, 140)), (5, 9, 250, 3), (7,))


def rows_of(prompts, temperature: float = 0.0, most: int = 40) -> list[Row]:
    """Return rows of different lengths that never end by themselves."""
    return [
        Row(ids=ids, max_tokens=most - 5 * at, temperature=temperature, seed=at, ended=lambda _: False)
        for at, ids in enumerate(prompts)
    ]


@pytest.mark.parametrize("name", LEAN)
def test_greedy_rows_of_any_length_write_what_generate_writes(name: str) -> None:
    model = built(LEAN[name])
    llama, rows = lean(model), rows_of(PROMPTS)
    assert llama is not None
    shared_batch.decode(llama, KnownPrompts(), rows, silent)
    for row in rows:
        ids = torch.tensor([row.ids])
        written = model.generate(
            ids, attention_mask=torch.ones_like(ids), max_new_tokens=row.max_tokens, do_sample=False, eos_token_id=None
        )
        assert [step.id for step in row.steps] == written[0, len(row.ids) :].tolist()


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_both_batches_give_the_same_tokens_and_signals_to_1e_5(temperature: float) -> None:
    model = built(LEAN["Llama"])
    llama = lean(model)
    assert llama is not None
    ours, theirs = rows_of(PROMPTS, temperature), rows_of(PROMPTS, temperature)
    shared_batch.decode(llama, KnownPrompts(), ours, silent)
    padded_batch.decode(model, theirs, silent)
    for one, other in zip(ours, theirs, strict=True):
        assert [step.id for step in one.steps] == [step.id for step in other.steps]
        assert [step.entropy for step in one.steps] == pytest.approx([s.entropy for s in other.steps], abs=1e-5)
        assert [step.logprob for step in one.steps] == pytest.approx([s.logprob for s in other.steps], abs=1e-5)


def test_rows_that_leave_take_nothing_from_those_that_stay() -> None:
    llama = lean(built(LEAN["Llama"]))
    assert llama is not None
    prompts = prefill(llama, KnownPrompts(), [PROMPTS[0], PROMPTS[1]], silent)
    batch = SharedBatch(llama, prompts, [3, 2])
    batch.step([[1], [2], [3], [4], [5]])
    batch.accept([1] * 5)
    batch.keep([1, 4])
    assert [(group.first, group.end) for group in batch.sharing] == [(0, 1), (1, 2)]
    alone = SharedBatch(llama, prompts[1:], [1])
    alone.step([[5]])
    alone.accept([1])
    assert batch.step([[8], [9]])[1, 0].tolist() == pytest.approx(alone.step([[9]])[0, 0].tolist(), abs=1e-5)
    batch.accept([1, 1])
    batch.keep([1])
    assert [group.prompt.ids for group in batch.sharing] == [PROMPTS[1]]
