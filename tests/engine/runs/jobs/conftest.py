"""What the tests of desks are given: a way to open desks that are shut after the test."""

from collections.abc import Iterator

import pytest

from engine.runs.jobs.desk import JobDesk, Run
from engine.runs.store import RunStore
from tests.engine.runs.jobs.gated_runs import OpenDesk


@pytest.fixture
def open_desk(tmp_store: RunStore) -> Iterator[OpenDesk]:
    """Return a way to open desks that are shut after the test."""
    desks: list[JobDesk] = []

    def opened(run: Run) -> JobDesk:
        desks.append(JobDesk(tmp_store, run))
        return desks[-1]

    yield opened
    for desk in desks:
        desk.shutdown()
