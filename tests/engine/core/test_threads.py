import os
import subprocess
import sys

import pytest

from engine.core.threads import WAITING_VARIABLES, wait_briefly

SHOW = "import os, sys; print(os.environ.get('GOMP_SPINCOUNT'), 'torch' in sys.modules)"


@pytest.fixture
def nothing_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in WAITING_VARIABLES:
        monkeypatch.delenv(name, raising=False)


def test_threads_spin_briefly_where_the_environment_says_nothing(nothing_said: None) -> None:
    wait_briefly()
    assert os.environ["GOMP_SPINCOUNT"] == "1000"


@pytest.mark.parametrize("name", WAITING_VARIABLES)
def test_what_the_environment_says_is_left_alone(
    nothing_said: None, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "1")
    wait_briefly()
    assert [other for other in WAITING_VARIABLES if other in os.environ] == [name]


@pytest.mark.parametrize("entry", ["engine", "engine.cli", "benchmarks.judge", "training.fit_judge"])
def test_every_entry_says_it_before_torch_can_read_it(nothing_said: None, entry: str) -> None:
    program = f"import sys, os\nsys.modules['torch'] = None\ntry:\n import {entry}\nexcept Exception: pass\n{SHOW}"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["1000", "True"]
