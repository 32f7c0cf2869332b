"""What ``make run`` starts: the first page's imports, done while the browser still fetches Streamlit's scripts."""

import subprocess
import sys
from importlib import import_module

import pytest

from pages.launch import ADDRESS, FIRST_PAGE, get_ready, with_address


def test_engine_is_imported_first_and_brings_no_library_that_is_slow_to_import() -> None:
    assert FIRST_PAGE[0] == "engine"
    assert "torch" not in FIRST_PAGE
    shown = subprocess.run(
        [sys.executable, "-c", "import engine, sys; print({'torch', 'scipy', 'numpy'} & set(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert shown.strip() == "set()"


@pytest.mark.parametrize("name", FIRST_PAGE)
def test_what_is_imported_early_is_there(name: str) -> None:
    assert import_module(name) is sys.modules[name]


def test_an_import_that_fails_is_left_to_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.launch.FIRST_PAGE", ("no.such.module",))
    get_ready()


def test_without_an_address_it_listens_on_this_machine_alone() -> None:
    assert with_address([], {}) == ["--server.address=localhost"]
    assert with_address(["--server.address=0.0.0.0"], {}) == ["--server.address=0.0.0.0"]
    assert with_address(["--server.port=1"], {ADDRESS: "0.0.0.0"}) == ["--server.port=1"]
