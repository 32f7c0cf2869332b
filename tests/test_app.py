"""What is imported when: the Ask form waits for no library that draws or computes, other pages for a whole torch."""

import ast
import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
APP = PROJECT / "app.py"
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
ASK_FORM = """
import sys
from streamlit.testing.v1 import AppTest
from engine.runs.jobs.desk import JobDesk
from pages.shared import readiness
JobDesk.warm = readiness.get_ready = lambda *_: None
app = AppTest.from_file("app.py", default_timeout=60).run()
heavy = {"torch", "scipy", "pandas", "pyarrow", "networkx", "segno", "spacy"}
print(app.button(key="ask").label, len(app.exception), sorted(heavy & set(sys.modules)))
app.switch_page("pages/learn/vote.py").run()
print(app.button(key="vote.join").label, len(app.exception), sorted({"torch", "scipy"} & set(sys.modules)))
print(len(app.sidebar), len(app.title))
app.switch_page("pages/workspace/runs.py").run()
print(len(app.exception), sorted({"torch"} & set(sys.modules)))
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


def test_engine_which_says_how_threads_wait_is_imported_before_anything_that_reads_it() -> None:
    ours = [place for place, name in enumerate(imported()) if name.split(".")[0] in ("viz", "pages")]

    assert imported().index("engine") < min(ours)
    assert "torch" not in imported()


def test_scipy_fails_beside_a_half_imported_torch_which_is_why_pages_wait_for_it() -> None:
    told = subprocess.run([sys.executable, "-c", HALF_IMPORTED], capture_output=True, text=True, check=False)

    assert "has no attribute 'Tensor'" in told.stdout + told.stderr


def test_the_ask_form_and_a_vote_need_neither_torch_nor_scipy_and_other_pages_have_torch_whole(tmp_path: Path) -> None:
    script = tmp_path / "ask_form.py"
    script.write_text(ASK_FORM.replace('"app.py"', repr(str(APP))), encoding="utf-8")
    environment = {**os.environ, "MICROSCOPE_HOME": str(tmp_path), "PYTHONPATH": str(PROJECT)}
    told = subprocess.run(
        [sys.executable, script], cwd=PROJECT, env=environment, capture_output=True, text=True, check=True
    ).stdout

    assert told.splitlines()[-4:] == ["Ask 0 []", "Join 0 []", "0 1", "0 ['torch']"]
