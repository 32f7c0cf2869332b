"""What is installed: the wheel holds every page, and what pages and engine read beside their code."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from streamlit.config import get_config_options

from engine.backends.packaged import PACKAGES, missing_packages
from pages.launch import CONFIG, PACKAGED_CONFIG, packaged_settings
from scripts.setup import MODEL_PACKAGES

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


def test_an_installed_workbench_is_set_up_as_one_from_the_project_is() -> None:
    assert PACKAGED_CONFIG.read_bytes() == CONFIG.read_bytes()
    options = packaged_settings(["--server.port=1", "--server.maxUploadSize=9"], {"STREAMLIT_SERVER_ADDRESS": "::1"})
    assert "--server.showEmailPrompt=false" in options and "--theme.light.primaryColor=#1f5fbf" in options
    assert not [one for one in options if one.startswith(("--server.maxUploadSize", "--server.address"))]
    known = {f"--{name}" for name in get_config_options()}
    assert {one.partition("=")[0] for one in options} <= known


def test_the_packages_with_models_are_those_that_set_up_installs() -> None:
    assert tuple(PACKAGES) == MODEL_PACKAGES
    assert missing_packages() == ()
