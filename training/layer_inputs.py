"""The inputs of each layer while the reader answers: second moments over training prompts.

A change of weights matters in the directions of the inputs. A reduction that knows them keeps more of the effect
(``training.average_adapters``).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from engine.backends.language_models.embedded import converted_folder
from training.asked_first import epoch_questions
from training.nq_open import OracleRow
from training.reader_examples import CHANGED, Neighbours
from training.train_reader import all_made, encoded

PROMPTS, SEED = 60, 1


def changed_model(changes: Mapping[str, torch.Tensor]) -> Any:
    """Return the base model in float32 with changes [out, in] added to the weights of the named layers."""
    model = AutoModelForCausalLM.from_pretrained(converted_folder(), dtype=torch.float32)
    for name, change in changes.items():
        weight = model.get_submodule(name).weight
        weight.data = weight.data + change
    return model.eval()


def prompts_with_replies(rows: Sequence[OracleRow], count: int = PROMPTS) -> list[list[int]]:
    """Return the token ids of the first prompts of an epoch over these rows, each with its reply."""
    neighbours = Neighbours(rows)
    contexts = epoch_questions(rows, neighbours, all_made(rows, neighbours, SEED), SEED, CHANGED)
    tokenizer = AutoTokenizer.from_pretrained(converted_folder())
    asked = [encoded(tokenizer, together[0]) for together in contexts if together[0].kind != "memory"]
    return [[*prompt, *reply] for prompt, reply in asked[:count]]


def second_moments(model: Any, names: Sequence[str], prompts: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
    """Return per named layer the sum of x xᵀ [in, in] over all inputs x of all prompts."""
    found: dict[str, torch.Tensor] = {}

    def adding(name: str) -> Callable[..., None]:
        def add(_: Any, inputs: tuple[torch.Tensor, ...]) -> None:
            read = inputs[0].reshape(-1, inputs[0].shape[-1]).float()
            found[name] = found.get(name, 0) + read.T @ read

        return add

    hooks = [model.get_submodule(name).register_forward_pre_hook(adding(name)) for name in names]
    try:
        with torch.inference_mode():
            for ids in prompts:
                model.model(input_ids=torch.tensor([list(ids)]), use_cache=False)
    finally:
        for hook in hooks:
            hook.remove()
    return found
