"""The order of the frame's imports: what a second thread would import beside a page is there before any page runs."""

import ast
import subprocess
import sys
from pathlib import Path

APP = Path(__file__).resolve().parent.parent / "app.py"
HALF_IMPORTED = """
import sys, types
sys.modules["torch"] = types.ModuleType("torch")
import scipy.stats
try:
    scipy.stats.trim_mean([1.0, 2.0], 0.1)
    scipy.stats.variation([1.0, 2.0])
except AttributeError as error:
    print(error)
"""


def imported() -> list[str]:
    """Return the modules that the frame imports, in order."""
    names: list[str] = []
    for node in ast.parse(APP.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
    return names


def test_torch_is_imported_whole_before_anything_of_ours() -> None:
    ours = [place for place, name in enumerate(imported()) if name.split(".")[0] in ("viz", "pages")]

    assert imported().index("torch") < min(ours)


def test_engine_which_says_how_threads_wait_is_imported_before_torch_reads_it() -> None:
    assert imported().index("engine") < imported().index("torch")
    assert not any(name.startswith("engine.") for name in imported())


def test_scipy_fails_beside_a_half_imported_torch_which_is_why() -> None:
    told = subprocess.run([sys.executable, "-c", HALF_IMPORTED], capture_output=True, text=True, check=False)

    assert "has no attribute 'Tensor'" in told.stdout + told.stderr
