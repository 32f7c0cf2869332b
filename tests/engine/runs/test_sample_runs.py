"""The recorded runs are read from their files by name, and a name that is none says so."""

import pytest

from engine.core.errors import RecordError
from engine.runs.sample_runs import recorded_ids, recorded_run


def test_every_recorded_run_is_found_by_its_name_and_opened_once() -> None:
    ids = recorded_ids()
    assert len(ids) >= 8 and list(ids) == sorted(ids)
    assert recorded_run(ids[0]) is recorded_run(ids[0])


@pytest.mark.parametrize("name", ["", "../questions", "no-such-run", "a" * 300])
def test_a_name_that_is_no_recorded_run_is_refused(name: str) -> None:
    with pytest.raises(RecordError, match="no recorded run"):
        recorded_run(name)
