"""Runs of a workbench that is open to others: each person's own, at every door of the store and the desk."""

import gzip
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.backends.retrieval import load_corpus
from engine.backends.retrieval.documents import GIVEN_NAME
from engine.backends.retrieval.scripted import HashedWords
from engine.core.allowed import OWNER, acting_for, acting_person, uploads_of
from engine.core.errors import CorpusError, InputError, RecordError
from engine.core.hosting import Hosting, Limits
from engine.core.progress import Report
from engine.core.records import Hit, Passage
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.serialize import to_json
from engine.runs import bundle, limits
from engine.runs.corpora import shelf
from engine.runs.ground import cached_counter
from engine.runs.jobs.desk import JobDesk
from engine.runs.request_checks import check_request
from engine.runs.store import RUNS, SCHEMA, RunStore
from tests.hosted import Visit, open_to_others

REQUEST = DiagnosisRequest(question="Who rebuilt the Vesper Clock?")
LIMITS = "[hosting.limits]\nwaiting = 2\nan_hour = 4\nqueue = 3"


@pytest.fixture
def visit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Visit:
    """Return how to say who visits; Ann does at first."""
    return open_to_others(monkeypatch, tmp_path, LIMITS)


def test_a_run_is_found_opened_changed_and_deleted_by_its_person_alone(visit: Visit, tmp_store: RunStore) -> None:
    run_id = tmp_store.create(REQUEST)
    tmp_store.finish(run_id, "failed", "reason")
    visit("ben")
    assert tmp_store.listing() == () and tmp_store.listing(search="Vesper") == ()
    doors: tuple[Callable[[], object], ...] = (
        lambda: tmp_store.get(run_id),
        lambda: tmp_store.summary(run_id),
        lambda: tmp_store.delete(run_id),
        lambda: tmp_store.restore(run_id),
        lambda: tmp_store.finish(run_id, "done"),
        lambda: tmp_store.start(run_id),
    )
    for door in doors:
        with pytest.raises(RecordError):
            door()
    assert not tmp_store.take_up(run_id, "w")
    visit("ann")
    assert [run.id for run in tmp_store.listing()] == [run_id] and tmp_store.get(run_id).state == "failed"
    with acting_for(OWNER):
        assert [run.id for run in tmp_store.listing()] == [run_id]


def test_an_imported_record_is_its_importers(visit: Visit, tmp_store: RunStore, example_diagnosis: Diagnosis) -> None:
    run_id = tmp_store.import_json(to_json(example_diagnosis))
    visit("ben")
    with pytest.raises(RecordError):
        tmp_store.get(run_id)


def test_runs_of_an_older_store_are_the_owners(tmp_path: Path, visit: Visit) -> None:
    file = tmp_path / "old.sqlite"
    with closing(sqlite3.connect(file)) as old:
        old.executescript(Path("tests/reference/runs_1.sql").read_text(encoding="utf-8"))
        number = old.execute("SELECT count(*) FROM runs WHERE deleted_at IS NULL AND origin != 'study'").fetchone()[0]
    store = RunStore(file)
    assert store.database.version() == SCHEMA.version == 2 and number
    assert store.listing() == ()
    with acting_for(OWNER):
        assert len(store.listing()) == number
    store.close()


@pytest.fixture
def desk(visit: Visit, tmp_store: RunStore, example_diagnosis: Diagnosis) -> Iterator[tuple[JobDesk, threading.Event]]:
    """Return a desk whose runs wait for an event, and are then done as the engine would do them."""
    go = threading.Event()

    def run(request: DiagnosisRequest, report: Report, *_: Diagnosis) -> Diagnosis:
        check_request(request)
        go.wait(20)
        return replace(example_diagnosis, question=f"{request.question} for {acting_person()}")

    made = JobDesk(tmp_store, run, look=lambda _: (Hit(passage=request_passage(), rank=1, score=1.0, retriever="x"),))
    yield made, go
    go.set()
    made.shutdown()


def request_passage() -> object:
    """Return any passage."""
    from engine.core.records import Passage

    return Passage(text=f"A text for {acting_person()}.")


def test_where_a_run_stands_is_its_persons_to_see_and_to_stop(
    desk: tuple[JobDesk, threading.Event], visit: Visit
) -> None:
    worker, go = desk
    first, second = worker.submit(REQUEST), worker.submit(REQUEST)
    visit("ben")
    third = worker.submit(REQUEST)
    assert [one.run_id for one in worker.active()] == [third]
    assert worker.active()[0].position == 1, "Ann's first is worked on, and Ben is served before her second"
    assert worker.status(first) is None and not worker.cancel(first) and not worker.cancel(second)
    visit("ann")
    assert worker.cancel(second)
    go.set()
    assert worker.wait_for(first, 20).state == "done"  # type: ignore[union-attr]
    assert worker.store.get(first).diagnosis.question.endswith("for ann")  # type: ignore[union-attr]
    visit("ben")
    assert worker.status(first) is None
    assert worker.wait_for(third, 20).state == "done"  # type: ignore[union-attr]


def test_a_corpus_is_not_counted_under_the_names_of_another_with_the_same_texts(visit: Visit) -> None:
    counters = []
    for person, file in (("ann", "my-divorce.csv"), ("ben", "handout.csv"), ("ben", "handout.csv")):
        visit(person)
        folder = uploads_of(person) / "0123"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / GIVEN_NAME).write_text(f"Notes of {person}")
        (folder / file).write_text("title,text\nSuez,The Suez Canal opened in 1869 before Ferdinand de Lesseps.\n")
        corpus = load_corpus(folder, chunk_tokens=64, chunk_overlap=4, embedder=HashedWords(), retriever="bm25")
        counters.append((corpus.content_hash, cached_counter(corpus, corpus.name)))
    (ann_hash, anns), (ben_hash, bens), (_, again) = counters
    assert ann_hash == ben_hash and bens is again
    assert (anns.name, bens.name) == ("Notes of ann", "Notes of ben")
    met = bens.co_occurrence("Suez Canal", "Ferdinand de Lesseps", 50)
    assert "divorce" not in repr(met) and "handout" in repr(met)


def test_the_worker_checks_again_what_stands_in_the_queue(
    desk: tuple[JobDesk, threading.Event], visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker, go = desk
    go.set()
    with pytest.raises(InputError):
        worker.submit(replace(REQUEST, model="http://10.0.0.7/v1#m"))
    monkeypatch.setattr("engine.runs.jobs.desk.refuse_names", lambda _: None)
    run_id = worker.submit(replace(REQUEST, corpus="/etc"))
    ended = worker.wait_for(run_id, 20)
    assert ended is not None and ended.state == "failed" and "/etc" in ended.error


def test_a_stopped_run_that_names_what_is_off_the_list_now_does_not_go_on(
    desk: tuple[JobDesk, threading.Event], visit: Visit
) -> None:
    worker, _ = desk
    run_id = worker.store.create(replace(REQUEST, corpus="/etc"))
    worker.store.finish(run_id, "failed", "reason")
    with pytest.raises(InputError):
        worker.go_on(run_id)
    assert worker.store.get(run_id).state == "failed"


def test_a_person_asks_so_many_at_once_and_everybody_together_so_many(
    desk: tuple[JobDesk, threading.Event], visit: Visit
) -> None:
    worker, _ = desk
    worker.submit(REQUEST)
    worker.submit(REQUEST)
    with pytest.raises(InputError, match="2 questions"):
        worker.submit(REQUEST)
    visit("ben")
    worker.submit(REQUEST)
    with pytest.raises(InputError, match="3 questions"):
        worker.submit(REQUEST)
    with acting_for(OWNER):
        worker.submit(REQUEST)


def test_nobody_waits_while_a_persons_large_corpus_is_embedded_in_a_run(visit: Visit) -> None:
    folder = uploads_of("ann") / "0123"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("The tower was built in 1871. " * 20_000)
    (folder / "b.txt").write_text("It fell.")
    entry = shelf.add(folder)
    asked = replace(REQUEST, corpus=str(folder))
    with pytest.raises(CorpusError, match="not ready for search by meaning"):
        check_request(asked)
    for allowed_one in (
        replace(asked, retriever="bm25"),
        replace(asked, passages=(Passage(text="It fell.", title=""),)),
        replace(REQUEST, corpus="sample"),
    ):
        assert check_request(allowed_one)
    with acting_for(OWNER):
        assert check_request(asked)
    (folder / "a.txt").unlink()
    assert check_request(asked), "a small corpus is embedded in no time"
    (folder / "a.txt").write_text("The tower was built in 1871. " * 20_000)
    shelf.changed(entry.id, lambda one: replace(one, state="ready"))
    assert check_request(asked)


def test_a_persons_run_is_no_larger_than_their_uploads_and_nothing_is_unpacked_beyond_the_limit(
    visit: Visit, tmp_store: RunStore, example_diagnosis: Diagnosis, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = to_json(example_diagnosis)
    bomb = gzip.compress(record.encode() + b" " * 51 * 10**6)
    assert len(bomb) < 10**6
    with pytest.raises(InputError, match="51 MB; one person may have 50 MB"):
        tmp_store.import_json(bomb)
    with acting_for(OWNER):
        assert tmp_store.import_json(bomb)
    for _ in range(4):
        tmp_store.import_json(record)
    monkeypatch.setattr(bundle, "decode_text", lambda _text: pytest.fail("unpacked beyond the limit"))
    with pytest.raises(InputError, match="as many as one person may"):
        tmp_store.import_json(bomb)


def test_a_person_asks_and_imports_so_many_an_hour_and_is_told_when_again(
    visit: Visit, tmp_store: RunStore, example_diagnosis: Diagnosis
) -> None:
    record = to_json(example_diagnosis)
    ids = [tmp_store.import_json(record) for _ in range(4)]
    tmp_store.delete(ids[0])
    past = (datetime.now(UTC) - timedelta(minutes=50)).isoformat(timespec="microseconds")
    with tmp_store.database.transaction() as connection:
        connection.execute(RUNS.update().where(RUNS.c.id.in_(ids)).values(finished_at=past))
    with pytest.raises(InputError, match="10 minutes"):
        tmp_store.import_json(record)
    with pytest.raises(InputError, match="10 minutes"):
        limits.refuse_beyond_limits(tmp_store.usage)
    visit("ben")
    assert tmp_store.import_json(record)
    visit("ann")
    longer = (datetime.now(UTC) - timedelta(minutes=61)).isoformat(timespec="microseconds")
    with tmp_store.database.transaction() as connection:
        connection.execute(RUNS.update().where(RUNS.c.id == ids[1]).values(finished_at=longer))
    assert tmp_store.import_json(record), "one of the four is more than an hour old"


def test_a_limit_says_what_it_counts(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that is worked on counts too, and one is not "1 questions"."""
    monkeypatch.setattr(limits, "hosting", lambda: Hosting(limits=Limits(waiting=1, queue=3)))
    with pytest.raises(InputError, match=r"^You have 1 question waiting or running, as many as one person may\."):
        limits.refuse_beyond_limits(lambda _person, _since: (1, 1, ()))
    with pytest.raises(InputError, match=r"^This workbench has 3 questions waiting or running, as many as it takes"):
        limits.refuse_beyond_limits(lambda _person, _since: (3, 0, ()))
