"""Language models by name: ``load_language_model("embedded")``, a folder, or a name that transformers knows."""

import threading
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from engine.call_cache import default_cache
from engine.errors import ModelError
from engine.fingerprints import TORCH, fingerprint
from engine.language_models.base import LanguageModel
from engine.language_models.cached import CachedModel, kept_model
from engine.number_types import NumberType, number_type
from engine.progress import Report, silent

OWN = Path(__file__).parent
CODE = (OWN, OWN.parent / "seeds.py")
READ = (".safetensors", ".gguf", ".json", ".jinja", ".txt", ".model")
EMBEDDED_NAMES = ("embedded", "embedded-base")
_LOADING = threading.Lock()


def load_language_model(name: str = "embedded", report: Report = silent) -> LanguageModel:
    """Return the named model, once per process; its weights are opened when something must be computed.

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


def open_weights(name: str, report: Report = silent) -> LanguageModel:
    """Return the named model itself, open and without its memory: to get ready, or to measure how fast it is."""
    model = load_language_model(name, report)
    return model.open(report) if isinstance(model, CachedModel) else model


def writer_name(name: str) -> str:
    """Return the model that writes longer text beside a named one: itself, or SmolLM2 unadapted beside the reader."""
    return "embedded-base" if name == "embedded" else name


@lru_cache(maxsize=3)
def _loaded(name: str, dtype: NumberType) -> CachedModel:
    """Return the model behind its cache; where its files are known from before, nothing is opened yet."""
    from engine.language_models.embedded import converted

    if name == "embedded":
        return _kept((converted(), OWN / "weights"), name, dtype, lambda: _reader(name, dtype))
    if name == "embedded-base":
        return _kept((converted(),), name, dtype, lambda: _folder(converted(), name, dtype))
    try:
        folder = Path(name).expanduser()
        is_folder, exists = folder.is_dir(), folder.exists()
    except (OSError, ValueError, RuntimeError) as exc:
        raise ModelError(f"There is no model folder {name[:200]!r}: {exc}.") from exc
    if name.strip() and is_folder:
        shown = folder.resolve().name
        return _kept((folder,), shown, dtype, lambda: _folder(folder, shown, dtype))
    if exists or name.startswith((".", "/", "~")) or not name.strip():
        raise ModelError(f"There is no model folder {name!r}. Give a folder with safetensors or GGUF weights.")
    from engine.language_models.transformers_model import open_pretrained

    # A public name does not say which weights stand behind it, so its answers outlive no process.
    return CachedModel(open_pretrained(name, name, name, dtype, {"use_safetensors": True}))


def _kept(
    folders: tuple[Path, ...], name: str, dtype: NumberType, open_model: Callable[[], LanguageModel]
) -> CachedModel:
    """Return the model in these folders behind the cache on disk."""
    cache = default_cache()
    files = [file for folder in folders for file in sorted(folder.iterdir()) if file.suffix in READ]
    return kept_model(cache, fingerprint(cache, files, CODE, TORCH, name, dtype), open_model)


def _reader(name: str, dtype: NumberType) -> LanguageModel:
    """Open the embedded reader."""
    from engine.language_models.reader import open_reader

    return open_reader(name, dtype)


def _folder(folder: Path, name: str, dtype: NumberType) -> LanguageModel:
    """Open the model in a folder."""
    from engine.language_models.transformers_model import open_folder

    return open_folder(folder, name, dtype)
