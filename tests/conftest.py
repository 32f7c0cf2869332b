"""What every test is given: no network, one shared folder of converted weights, run stores that vanish."""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
BENCHMARK_VARIABLE = "MICROSCOPE_BENCHMARK_DATA"
BROWSER = "tests/browser/"
LOOKS = BROWSER + "looks"
OF_LOOKS = tuple(f"{BROWSER}test_{name}.py" for name in ("looks", "annotating", "hostile", "bundle"))

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["STREAMLIT_BROWSER_GATHER_USAGE_STATS"] = "false"
# Real weights are tested in the exact type, whatever this processor is fast at.
os.environ.setdefault("MICROSCOPE_DTYPE", "float32")
# Converting the embedded weights takes a while: one folder, kept between runs, saves it.
os.environ.setdefault("MICROSCOPE_HOME", str(PROJECT / ".cache"))
# Threads of OpenMP spin while they wait and take the cores from the other worker, the servers and the browser. Torch
# reads this when it is imported; programs that tests start inherit it.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Each of the workers, servers and commands would compile three hundred files anew where the environment forbids to keep
# compiled ones, as images of containers often do.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

from hypothesis import settings  # noqa: E402
from xdist.scheduler import LoadScopeScheduling  # noqa: E402

from engine.backends.devices import is_there  # noqa: E402
from engine.runs.store import RunStore  # noqa: E402  (reads the environment set above)

# How long an example takes says something about the machine only.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


class TwoBrowsers(LoadScopeScheduling):
    """Gives a worker one file of tests at a time, and two workers the files in a browser: they watch the clock.

    One has the looks at every page and what needs no model, the other the journeys with real models: as long.
    """

    def _split_scope(self, nodeid: str) -> str:
        """Return what goes to one worker together with this test."""
        file = nodeid.split("::", 1)[0]
        if not file.startswith(BROWSER):
            return file
        return LOOKS if file in OF_LOOKS else BROWSER


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadScopeScheduling:
    """Return who hands out tests where several workers run them."""
    return TwoBrowsers(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the browser's tests first, then files that load real models: what takes long must not come last.

    Tests of a GPU are skipped where there is none.
    """
    for item in items:
        if item.get_closest_marker("cuda") and not is_there("cuda"):
            item.add_marker(pytest.mark.skip(reason="there is no NVIDIA GPU here"))
    heavy = {item.path for item in items if item.get_closest_marker("weights")}
    items.sort(key=lambda item: (not item.nodeid.startswith(BROWSER), item.path not in heavy))


def pytest_collection_finish() -> None:
    """Leave what is loaded by now out of garbage collection, and collect less often: a tenth of the time goes there."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.fixture
def tmp_store(tmp_path: Path) -> Iterator[RunStore]:
    """Return an empty run store that vanishes with the test."""
    store = RunStore(tmp_path / "runs.sqlite")
    yield store
    store.close()


@pytest.fixture(scope="session")
def benchmark_data() -> Path:
    """Return the folder of real data named by MICROSCOPE_BENCHMARK_DATA; skips the test where it is not given."""
    named = os.environ.get(BENCHMARK_VARIABLE, "")
    if not named or not Path(named).is_dir():
        pytest.skip(f"needs {BENCHMARK_VARIABLE} to name the folder of benchmark data")
    return Path(named)
