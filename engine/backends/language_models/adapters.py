"""SmolLM2-135M-Instruct with a LoRA adapter: the reader, for short answers, and the writer, for step-by-step ones.

An adapter (Hu et al. 2021, "LoRA", eq. 3: W + alpha / r * B A) is added to the weights once, in single precision, so
that a token costs no more than the base model's. ``weights/README.md`` and ``writer_weights/README.md`` say what they
were trained on; ``training/train_reader.py`` and ``train_writer.py`` make them with peft, whose own merge gives the
same weights (a test compares them).
"""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from engine.backends.devices import Device
from engine.backends.language_models.decoder.between_layers import with_layer_hooks
from engine.backends.language_models.embedded import converted_folder
from engine.backends.language_models.transformers_model import (
    TransformersModel,
    failures_as_ours,
    moved,
    revision_of,
)
from engine.backends.number_types import NumberType
from engine.core.errors import ModelError
from engine.core.libraries import OPENING
from engine.core.words import reason_of

READER = Path(__file__).parent / "weights"
PREFIX = "base_model.model."


def open_adapted(
    name: str, dtype: NumberType, adapter: Path = READER, blocks: bool = False, device: Device = "cpu"
) -> TransformersModel:
    """Return base weights and an adapter as one. Raises ModelError where the adapter cannot be read.

    ``blocks``: weights are also kept in the order in which single tokens are fastest (more memory).
    """
    folder = converted_folder()
    scale, pairs = read_adapter(adapter)
    model, tokenizer = load_base(folder, dtype)
    with failures_as_ours(name):
        for place, (down, up) in pairs.items():
            weight = model.get_submodule(place).weight
            changed = weight.data.float() + scale * (up.float() @ down.float())
            weight.data = changed.to(weight.dtype)
    files = [*sorted(folder.glob("*.safetensors")), *sorted(adapter.glob("*.safetensors"))]
    model = with_layer_hooks(moved(model, name, device))
    return TransformersModel(model, tokenizer, name=name, revision=revision_of(files), blocks=blocks)


def load_base(folder: Path, dtype: NumberType) -> tuple[Any, Any]:
    """Return the base model and its tokenizer. Raises ModelError with what to do where they cannot be loaded."""
    try:
        with OPENING:
            model = AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, dtype))
        return model, AutoTokenizer.from_pretrained(folder)
    except Exception as exc:  # transformers raises many kinds, from a missing file to a broken header
        raise ModelError(f"SmolLM2-135M cannot be loaded: {reason_of(exc)}. Start the workbench again.") from exc


def read_adapter(folder: Path) -> tuple[float, dict[str, tuple[torch.Tensor, torch.Tensor]]]:
    """Return (alpha / r, module -> (A [r, in], B [out, r])) of an adapter in peft's format. Raises ModelError."""
    try:
        settings = json.loads((folder / "adapter_config.json").read_text(encoding="utf-8"))
        scale = settings["lora_alpha"] / settings["r"]
        tensors = load_file(folder / "adapter_model.safetensors")
        places = [name.removesuffix(".lora_A.weight") for name in tensors if name.endswith(".lora_A.weight")]
        pairs = {
            place.removeprefix(PREFIX): (tensors[f"{place}.lora_A.weight"], tensors[f"{place}.lora_B.weight"])
            for place in places
        }
    except (OSError, ValueError, KeyError, TypeError, ZeroDivisionError, SafetensorError) as exc:
        raise ModelError(f"The SmolLM2-135M adapter cannot be read: {reason_of(exc)}. Run `make setup`.") from exc
    if not pairs:
        raise ModelError("The SmolLM2-135M adapter is empty. Run `make setup`.")
    return scale, pairs
