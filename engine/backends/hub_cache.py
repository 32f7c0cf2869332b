"""Models that lie in the local cache of the hub's client, where other programs of this machine put them.

No hub is ever asked here: a model that is not in the cache is fetched by ``microscope models add`` alone.
"""

import json
from pathlib import Path

CAUSAL = ("ForCausalLM", "LMHeadModel")


def cached_names() -> tuple[str, ...]:
    """Return the causal language models with safetensors in the hub's local cache; () where there is none."""
    from huggingface_hub import constants, scan_cache_dir
    from huggingface_hub.errors import CacheNotFound

    if not Path(constants.HF_HUB_CACHE).is_dir():
        return ()
    try:
        repositories = scan_cache_dir(constants.HF_HUB_CACHE).repos
    except (CacheNotFound, OSError, ValueError):
        return ()
    names = sorted(one.repo_id for one in repositories if one.repo_type == "model")
    return tuple(name for name in names if is_causal(cached_folder(name)))


def cached_folder(name: str) -> Path | None:
    """Return the folder of a model in the hub's local cache, None where it is not there."""
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        folder = Path(snapshot_download(name, local_files_only=True, cache_dir=constants.HF_HUB_CACHE))
    except (LocalEntryNotFoundError, HFValidationError, OSError, ValueError):
        return None
    return folder if (folder / "config.json").is_file() else None


def is_causal(folder: Path | None) -> bool:
    """Return whether a folder holds a causal language model with safetensors, by its settings."""
    if folder is None or not any(folder.glob("*.safetensors")):
        return False
    try:
        named = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("architectures") or ()
    except (OSError, ValueError, AttributeError):
        return False
    return any(str(one).endswith(CAUSAL) for one in named)
