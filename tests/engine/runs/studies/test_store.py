"""The store of studies: a study that cannot be read is refused by its id and hides no other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.core.errors import RecordError
from engine.runs.studies.store import StudyStore
from tests.engine.runs.studies.study_case import damage, started


@pytest.fixture
def studies(tmp_path: Path) -> Iterator[StudyStore]:
    """Return an empty store of studies that vanishes with the test."""
    store = StudyStore(tmp_path / "studies.sqlite")
    yield store
    store.close()


@pytest.mark.parametrize("plan", ['{"name": "x"}', "no JSON", ""])
def test_a_study_that_cannot_be_read_hides_no_other(tmp_path: Path, studies: StudyStore, plan: str) -> None:
    first, broken, last = (started(tmp_path, studies) for _ in range(3))
    assert {one.id for one in studies.listing()} == {first, broken, last} and studies.damaged() == ()
    damage(studies, broken, plan)
    assert sorted(one.id for one in studies.listing()) == sorted((first, last))
    assert [one.waiting for one in studies.listing()] == [6, 6] and studies.damaged() == (broken,)
    with pytest.raises(RecordError, match="This study cannot be read"):
        studies.get(broken)
    studies.delete(broken)
    assert studies.damaged() == ()
