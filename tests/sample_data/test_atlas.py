"""The recorded failures: a dozen at least, each shows its kind by its predicate, and nothing in it was touched."""

import gzip
import json
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

from engine.backends.retrieval.documents import read_documents
from engine.core.records import Generation
from engine.core.seals import seal_state
from engine.diagnosis.serialize import parse_object
from engine.learning.atlas.shelf import Specimen, detection_board, detections, file_of, specimens
from engine.methods import CORE_METHODS
from tests.each_row import each_row
from viz.learning.atlas import matrix_sentence
from viz.learning.atlas_stories import story

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"
MOST_BYTES = 400_000
SHELF = specimens()
EACH = each_row(SHELF, name=attrgetter("kind.word"))


def generations(value: object) -> Iterator[Generation]:
    """Yield every generation inside a record."""
    if isinstance(value, Generation):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from generations(one)
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from generations(getattr(value, name))


def test_at_least_a_dozen_kinds_have_a_run_each_with_a_question_of_its_own() -> None:
    assert len(SHELF) >= 12
    assert len({specimen.question.id for specimen in SHELF}) == len(SHELF)


@EACH
def test_a_run_shows_its_kind_by_the_predicate(specimen: Specimen) -> None:
    assert specimen.kind.shows(specimen.run, specimen.question)


@EACH
def test_a_run_was_asked_as_its_sample_question_says(specimen: Specimen) -> None:
    assert specimen.run.golds in (specimen.question.golds, ())
    assert {outcome.method for outcome in specimen.run.outcomes} >= set(CORE_METHODS)
    assert not [outcome.reason for outcome in specimen.run.outcomes if outcome.status in ("failed", "waiting")]
    if specimen.question.passages:
        assert [hit.passage.text for hit in specimen.run.hits] == [one.text for one in specimen.question.passages]
        return
    articles = {document.document_id: document.text for document in read_documents(SAMPLE)}
    for passage in (hit.passage for hit in specimen.run.hits):
        assert articles[passage.document_id][passage.start : passage.end] == passage.text


@EACH
def test_every_seal_in_a_run_holds(specimen: Specimen) -> None:
    found = {seal_state(generation) for generation in generations(specimen.run)}
    assert found == {"holds"}


@EACH
def test_what_happened_is_told_with_the_answer_that_was_given(specimen: Specimen) -> None:
    told = story(specimen)
    assert len(told) > 40


def test_the_scoreboard_follows_from_the_runs() -> None:
    cells = detection_board(SHELF)
    assert cells == {specimen.kind.word: {n.method: n.seen for n in detections(specimen)} for specimen in SHELF}
    seen = [word for row in cells.values() for word in row.values()]
    assert {"saw", "missed"} <= set(seen)
    dense = [row["dense"] for row in cells.values() if row.get("dense") in ("saw", "missed")]
    assert f"DENSE {dense.count('saw')} of {len(dense)}" in matrix_sentence(SHELF)


@EACH
def test_a_file_is_small_and_holds_one_record(specimen: Specimen) -> None:
    text = gzip.decompress(file_of(specimen.kind).read_bytes()).decode()
    assert file_of(specimen.kind).stat().st_size < MOST_BYTES
    assert parse_object(text, "run record")["question"] == specimen.question.question
    assert json.loads(text)["parent"] == ""
