"""Passages that are fixed while the corpus stays: read as given, also where there are none, searched and counted in."""

import json
from pathlib import Path

import pytest

from engine.core.errors import InputError
from engine.core.records import Passage
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.serialize import request_from_json, to_json
from engine.runs.request_checks import check_request
from engine.runs.run import run_request
from tests.engine.catalogue.scripted_run import scripted_road

ARTICLES = (
    ("Vesper Clock", "Lyra Quill rebuilt the Vesper Clock in 1890."),
    ("Harbour", "Bremen has a harbour with a long quay."),
)
TWICE = Passage(title="Harbour", text="Bremen has a harbour.")


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the path of a corpus of two articles, with a data folder of its own."""
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    file = tmp_path / "articles.jsonl"
    file.write_text("\n".join(json.dumps({"title": title, "text": text}) for title, text in ARTICLES))
    return str(file)


def asked(corpus: str, *passages: Passage, fixed: bool = True) -> DiagnosisRequest:
    """Return a request for the two usual answers and the co-occurrence of what is claimed."""
    methods = ("quco_rag",)
    return DiagnosisRequest(
        question="Who rebuilt the Vesper Clock?", corpus=corpus, passages=passages, fixed=fixed, methods=methods
    )


def test_fixed_passages_are_read_in_their_order_and_the_corpus_is_counted_in(corpus: str) -> None:
    with scripted_road():
        found = run_request(asked(corpus, TWICE, TWICE))
    assert [(hit.passage, hit.rank, hit.retriever) for hit in found.hits] == [(TWICE, 1, "given"), (TWICE, 2, "given")]
    assert found.provenance.corpus == "articles" or found.provenance.corpus_hash
    result = found.outcome("quco_rag").result  # type: ignore[union-attr]
    assert result.corpus_documents == 2  # type: ignore[union-attr]


def test_no_passage_at_all_is_closed_book_with_the_corpus_still_there(corpus: str) -> None:
    with scripted_road():
        found = run_request(asked(corpus))
    assert found.hits == ()
    assert found.answer.text == found.closed_book.text
    assert (found.provenance.retriever, bool(found.provenance.corpus_hash)) == ("none", True)


def test_passages_that_are_not_fixed_are_all_there_is_as_before(corpus: str) -> None:
    with scripted_road():
        found = run_request(asked(corpus, TWICE, fixed=False))
    assert (found.provenance.corpus, found.provenance.corpus_hash) == ("the given passages", "")


def test_reranked_is_a_retriever_like_the_others(corpus: str) -> None:
    request = DiagnosisRequest(
        question="Who rebuilt the Vesper Clock?", corpus=corpus, k=1, retriever="reranked", methods=()
    )
    with scripted_road():
        found = run_request(request)
    assert [(hit.passage.title, hit.retriever) for hit in found.hits] == [("Vesper Clock", "reranked")]
    assert found.provenance.retriever == "reranked"


def test_a_retriever_nobody_has_is_named() -> None:
    with pytest.raises(InputError, match=r"retriever .*hybrid.*bm25.*vector.*reranked.*psychic"):
        check_request(DiagnosisRequest(question="Who?", retriever="psychic"))  # type: ignore[arg-type]


def test_a_request_that_was_stored_before_there_were_fixed_passages_is_still_read() -> None:
    fields = json.loads(to_json(DiagnosisRequest(question="Who?", passages=(TWICE,))))
    del fields["fixed"]
    assert request_from_json(json.dumps(fields)).fixed is False
    whole = DiagnosisRequest(question="Who?", corpus="sample", fixed=True, retriever="reranked")
    assert request_from_json(to_json(whole)) == whole
