"""Prompts with one beginning as one row: who sees whom, and that nothing changes for any of them."""

import pytest
import torch

from training.packing import batched, packed

ROWS = [((5, 6, 7, 1), (20, 9)), ((5, 6, 7, 2, 3), (21, 9)), ((5, 6, 8), (22, 9))]


def test_the_longest_common_beginning_is_shared_and_a_prompt_token_stays_with_each_end() -> None:
    pack = packed(ROWS)
    assert pack.start == (5, 6)
    assert pack.ends == (((7, 1), (20, 9)), ((7, 2, 3), (21, 9)), ((8,), (22, 9)))
    assert len(pack) == 2 + 4 + 5 + 3
    assert packed([((5, 6), (1,)), ((5, 6), (2,))]).ends == (((6,), (1,)), ((6,), (2,)))


def test_each_end_sees_the_beginning_and_itself_and_goes_on_counting_from_the_beginning() -> None:
    batch = batched([packed(ROWS)], pad=0)
    sees = batch.mask[0, 0]
    # Token 6 is the first of the second end (after 2 shared and 4 of the first end).
    assert sees[6].nonzero().flatten().tolist() == [0, 1, 6]
    assert sees[7].nonzero().flatten().tolist() == [0, 1, 6, 7]
    assert sees[1].nonzero().flatten().tolist() == [0, 1]
    assert batch.positions[0].tolist() == [0, 1, 2, 3, 4, 5, 2, 3, 4, 5, 6, 2, 3, 4]
    # Each reply token is predicted at the token before it.
    assert batch.places.tolist() == [[0, 3], [0, 4], [0, 8], [0, 9], [0, 11], [0, 12]]
    assert batch.targets.tolist() == [20, 9, 21, 9, 22, 9]


def test_padding_sees_itself_only() -> None:
    batch = batched([packed(ROWS), packed(ROWS[:1])], pad=0)
    assert batch.ids.shape == (2, 14)
    assert batch.mask[1, 0, 13].nonzero().flatten().tolist() == [13]
    assert not batch.mask[1, 0, :6, 6:].any()


@pytest.mark.weights
def test_a_pack_has_the_loss_of_its_prompts_one_by_one() -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from engine.backends.language_models.embedded import converted_folder

    folder = converted_folder()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    context = "Ankara is the capital of Turkey. Bern is the capital of Switzerland."
    asked = (("Which city is the capital of Turkey?", "Ankara"), ("And of Switzerland?", "Bern"))
    rows = [
        (tokenizer(f"{context} {question}")["input_ids"], tokenizer(f" {answer}")["input_ids"])
        for question, answer in asked
    ]

    def logits(packs: list[object]) -> torch.Tensor:
        batch = batched(packs, 0)  # type: ignore[arg-type]
        with torch.no_grad():
            out = model(input_ids=batch.ids, attention_mask=batch.mask, position_ids=batch.positions).logits
        return out[batch.places[:, 0], batch.places[:, 1]]

    together = logits([packed(rows)])
    alone = torch.cat([logits([packed([row])]) for row in rows])
    assert torch.allclose(together, alone, atol=1e-3)
