"""The recorded runs are read from their files by name, and a name that is none says so."""

from pathlib import Path

import pytest

from engine.core.errors import RecordError
from engine.core.folders import sample_data
from engine.runs.sample_runs import FOLDERS, INDEX, list_sample_runs, recorded_ids, recorded_run, write_index
from engine.runs.store import RunStore


def test_every_recorded_run_is_found_by_its_name_and_opened_once() -> None:
    ids = recorded_ids()
    assert len(ids) >= 8 and list(ids) == sorted(ids)
    assert recorded_run(ids[0]) is recorded_run(ids[0])


@pytest.mark.parametrize("name", ["", "../questions", "no-such-run", "a" * 300])
def test_a_name_that_is_no_recorded_run_is_refused(name: str) -> None:
    with pytest.raises(RecordError, match="no recorded run"):
        recorded_run(name)


def test_the_shipped_list_of_runs_is_what_their_files_say(tmp_path: Path) -> None:
    for folder in FOLDERS:
        (tmp_path / folder).symlink_to(sample_data() / folder)
    write_index(tmp_path)
    assert (tmp_path / INDEX).read_bytes() == (sample_data() / INDEX).read_bytes()
    runs = list_sample_runs(sample_data())
    assert set(recorded_ids()) < set(runs)
    assert sum(run.origin == "atlas" for run in runs.values()) == len(list((sample_data() / "atlas").glob("*.gz")))


def test_the_recorded_examples_are_those_of_the_list_until_one_is_deleted(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "runs.sqlite", samples=sample_data())
    ids = recorded_ids()
    listed = {run.id: run for run in store.listing(limit=1000)}
    assert store.recorded() == tuple(listed[run_id] for run_id in ids)
    store.delete(ids[0])
    assert [run.id for run in store.recorded()] == list(ids[1:])
    store.restore(ids[0])
    assert [run.id for run in store.recorded()] == list(ids)
    store.close()


def test_an_example_that_two_people_delete_at_once_is_deleted_for_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (RunStore(tmp_path / "runs.sqlite", samples=sample_data()) for _ in range(2))
    read = second.get

    def read_as_it_goes(run_id: str) -> object:
        found = read(run_id)
        first.delete(run_id)
        return found

    monkeypatch.setattr(second, "get", read_as_it_goes)
    second.delete("capital-of-japan")
    first.restore("capital-of-japan")
    assert first.get("capital-of-japan").request.question == "What is the capital of Japan?"
