"""Every notebook runs from top to bottom in a real Jupyter kernel, on recorded runs, and shows what it says."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import KernelManager, start_new_kernel
from nbclient import NotebookClient

from engine.methods import METHODS
from scripts.notebooks import notebook_of

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
PLOTLY, HTML = "application/vnd.plotly.v1+json", "text/html"
LONGEST_OUTPUT = 400_000


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KernelManager]:
    """Return one kernel for all notebooks, so that the libraries are imported once."""
    folders = {"JUPYTER_RUNTIME_DIR": "runtime", "IPYTHONDIR": "ipython", "JUPYTER_DATA_DIR": "data"}
    base = tmp_path_factory.mktemp("jupyter")
    project = str(FOLDER.parents[1])
    env = {**os.environ, "PYTHONPATH": project, **{name: str(base / folder) for name, folder in folders.items()}}
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(FOLDER), env=env)
    client.stop_channels()
    yield manager
    manager.shutdown_kernel(now=True)


def run_notebook(word: str, kernel: KernelManager) -> list[list[dict[str, Any]]]:
    """Return what each cell of a method's notebook gave out; an error in a cell is raised."""
    notebook = nbformat.read(FOLDER / f"{word}.ipynb", as_version=4)
    nbformat.validate(notebook)
    NotebookClient(notebook, km=kernel, timeout=60).execute()
    return [cell.get("outputs", []) for cell in notebook.cells]


def test_the_notebooks_are_those_that_the_script_writes() -> None:
    assert {file.stem for file in FOLDER.glob("*.ipynb")} == set(METHODS)
    for word in METHODS:
        assert (FOLDER / f"{word}.ipynb").read_text(encoding="utf-8") == notebook_of(word)


@pytest.mark.parametrize("word", METHODS)
def test_a_notebook_runs_and_shows_card_figures_tables_and_numbers(word: str, kernel: KernelManager) -> None:
    cells = run_notebook(word, kernel)
    shown = cells[2]  # the run itself, or its verdicts
    kinds = [set(output["data"]) for output in shown if "data" in output]
    assert HTML in kinds[0] and "<script" not in shown[0]["data"][HTML]
    assert [PLOTLY in kind for kind in kinds[1:]] == [True] * (4 if word == "dense" else 0)
    figures = [output for output in cells[6] if PLOTLY in output.get("data", {})]
    assert len(figures) == len(cells[6]) // 2 or word in ("contradictions", "question_parts")
    assert HTML in cells[8][0]["data"] and HTML in cells[12][0]["data"]
    assert cells[10], "the equation by hand gives a number"
    assert len(json.dumps(shown)) < LONGEST_OUTPUT
