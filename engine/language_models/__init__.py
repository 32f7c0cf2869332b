"""Language models by name: ``load_language_model("embedded")``, a folder, or a name that transformers knows."""

import threading
from functools import lru_cache
from pathlib import Path

from engine.errors import ModelError
from engine.language_models.base import LanguageModel
from engine.number_types import NumberType, number_type
from engine.progress import Report, silent

EMBEDDED_NAMES = ("embedded", "embedded-base")
_LOADING = threading.Lock()


def load_language_model(name: str = "embedded", report: Report = silent) -> LanguageModel:
    """Return the named model, loaded once per process.

    "embedded" is the reader: SmolLM2-135M-Instruct with the adapter for short answers that ships with the package;
    "embedded-base" is the same without it. Anything else is a folder with safetensors or GGUF weights, or a hub name.
    MICROSCOPE_DTYPE may ask for "float32" or "bfloat16"; otherwise bfloat16 is used where
    the processor does it fast. Raises ModelError with a sentence.
    """
    dtype = number_type()
    if name in EMBEDDED_NAMES:
        from engine.language_models.embedded import converted

        converted(report)
    with _LOADING:
        return _loaded(name, dtype)


def writer_name(name: str) -> str:
    """Return the model that writes longer text beside a named one: itself, or SmolLM2 unadapted beside the reader."""
    return "embedded-base" if name == "embedded" else name


def remembers(model: LanguageModel) -> bool:
    """Return whether the model keeps what it wrote, so that the same request costs nothing later."""
    from engine.language_models.cached import CachedModel

    return isinstance(model, CachedModel)


@lru_cache(maxsize=3)
def _loaded(name: str, dtype: NumberType) -> LanguageModel:
    from engine.language_models.cached import CachedModel
    from engine.language_models.embedded import converted
    from engine.language_models.transformers_model import open_folder, open_pretrained

    if name == "embedded":
        from engine.language_models.reader import open_reader

        return CachedModel(open_reader(name, dtype))
    if name == "embedded-base":
        return CachedModel(open_folder(converted(), name, dtype))
    try:
        folder = Path(name).expanduser()
        is_folder, exists = folder.is_dir(), folder.exists()
    except (OSError, ValueError, RuntimeError) as exc:
        raise ModelError(f"There is no model folder {name[:200]!r}: {exc}.") from exc
    if name.strip() and is_folder:
        return CachedModel(open_folder(folder, folder.resolve().name, dtype))
    if exists or name.startswith((".", "/", "~")) or not name.strip():
        raise ModelError(f"There is no model folder {name!r}. Give a folder with safetensors or GGUF weights.")
    return CachedModel(open_pretrained(name, name, name, dtype, {"use_safetensors": True}))
