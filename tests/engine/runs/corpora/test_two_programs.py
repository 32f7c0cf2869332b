"""Two programs on one list of corpora: a killed one leaves no corpus "being read", and no corpus is read twice."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.backends.retrieval.scripted import HashedWords
from engine.core.allowed import OWNER
from engine.core.errors import Cancelled
from engine.core.progress import Event, Stage, silent
from engine.runs.corpora import shelf
from engine.runs.corpora.indexing import ELSEWHERE, Indexer, finish_entry, keep_failure

# Another program, which embeds for ever.
OTHER = """
import sys, time
from pathlib import Path
from engine.backends.retrieval.scripted import HashedWords
from engine.core.progress import silent
from engine.runs.corpora import shelf
from engine.runs.corpora.indexing import finish_entry

class Endless(HashedWords):
    def embed(self, texts):
        print("embedding", flush=True)
        time.sleep(600)

finish_entry(shelf.add(Path(sys.argv[1])).id, Endless(), silent)
"""


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[str]]:
    """Return another program at work on the one corpus of the list."""
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text("The tower was built in 1871.")
    with subprocess.Popen([sys.executable, "-c", OTHER, str(folder)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "embedding\n"
        yield process
        process.kill()


def test_what_a_killed_program_read_is_stopped_at_once_and_taken_up_by_the_next(
    other: subprocess.Popen[str],
) -> None:
    (entry,) = shelf.entries()
    assert entry.state == "words"
    other.kill()
    other.wait()
    (entry,) = shelf.entries()
    assert (entry.state, entry.reason) == ("stopped", shelf.CUT_SHORT)
    indexer = Indexer(HashedWords)
    indexer.resume()
    assert indexer.wait(60) and shelf.entry_of(entry.id).state == "ready"
    shelf.forget(entry.id)
    assert [file.name for file in shelf.shelf_folder().iterdir()] == [shelf.LOCK]


def test_what_another_program_is_at_goes_on_there_and_nobody_writes_over_it(other: subprocess.Popen[str]) -> None:
    (entry,) = shelf.entries()
    indexer = Indexer(HashedWords)
    indexer.resume()
    assert indexer.progress(entry.id) is None

    def no_longer(event: Event) -> None:
        assert event == Stage(method="retrieval", name=ELSEWHERE)
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        finish_entry(entry.id, HashedWords(), no_longer)
    keep_failure(entry.id, "stopped", "stopped")
    assert shelf.entry_of(entry.id).state == "words"
    other.kill()
    assert finish_entry(entry.id, HashedWords(), silent).state == "ready"
    assert shelf.entry_of(entry.id).person == OWNER
