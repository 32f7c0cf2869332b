"""What is installed: the wheel holds every page, and what pages and engine read beside their code."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
PARTS = ("engine", "viz", "pages", "sample_data", "benchmarks/results")
UNNEEDED = shutil.ignore_patterns("__pycache__", "*.pyc", "*.safetensors")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the names of the files in the wheel, built from a copy without the large weights."""
    copy, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("app.py", "retrieval_microscope.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(PROJECT / name, copy / name)
    for part in PARTS:
        shutil.copytree(PROJECT / part, copy / part, ignore=UNNEEDED)
    build = "import sys; from setuptools.build_meta import build_wheel; print(build_wheel(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", build, str(out)], cwd=copy, check=True, capture_output=True)
    (made,) = out.glob("*.whl")
    with zipfile.ZipFile(made) as held:
        return held.namelist()


def test_the_wheel_holds_every_file_of_engine_viz_pages_and_sample_data(wheel: list[str]) -> None:
    wanted = {
        str(path.relative_to(PROJECT))
        for part in PARTS
        for path in (PROJECT / part).rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".safetensors")
    }
    assert sorted({"app.py", "retrieval_microscope.py", *wanted} - set(wheel)) == []


def test_the_wheel_holds_no_tests_and_no_program_of_a_developer(wheel: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel}
    assert {name for name in tops if not name.endswith(".dist-info")} == {
        "app.py", "benchmarks", "engine", "pages", "retrieval_microscope.py", "sample_data", "viz",
    }  # fmt: skip
    assert not [name for name in wheel if name.startswith("benchmarks/") and name.endswith(".py")]
