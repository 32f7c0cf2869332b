"""The recorded diagnoses: there are enough, they read, and their derived numbers follow from their raw ones."""

from functools import cache
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

from engine.backends.corpus_stats import count_documents
from engine.backends.corpus_stats.base import CorpusCounter
from engine.backends.retrieval.documents import read_documents
from engine.core.records import Document
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.serialize import from_json
from engine.measures.answer_match import contains
from engine.measures.entropy_trend import second_differences, smooth, triggers
from engine.measures.response_graph import agreed_label, chunk_labels, degree_entropy, label_shares
from engine.measures.rewording_interval import reworded_interval
from engine.measures.semantic_perplexity import sample_weights, seper_soft
from engine.methods import DEFAULT_METHODS
from engine.runs.sample_questions import sample_questions
from tests.each_row import each_row
from viz.runs.summary import verdict_of

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"
FILES = sorted((SAMPLE / "diagnoses").glob("*.json"))


each_file = each_row(FILES, name=attrgetter("stem"))


@cache
def read(path: Path) -> Diagnosis:
    """Return a recorded diagnosis."""
    return from_json(path.read_text(encoding="utf-8"))


@cache
def counts_of_the_encyclopaedia(name: str) -> CorpusCounter:
    """Return the counts over all articles under this name of a corpus."""
    return count_documents(read_documents(SAMPLE), name)


def test_at_least_eight_diagnoses_are_recorded() -> None:
    assert len(FILES) >= 8


def test_they_show_more_than_one_verdict_of_each_kind() -> None:
    words = {
        method: {verdict_of(read(path).outcome(method)).tone for path in FILES}
        for method in ("dense", "seper", "quco_rag")
    }
    assert {method: len(tones) >= 2 for method, tones in words.items()} == dict.fromkeys(words, True)


@each_file
def test_a_recorded_question_is_a_sample_question_with_the_default_methods(path: Path) -> None:
    known = {asked.id: asked for asked in sample_questions()}
    diagnosis = read(path)
    assert diagnosis.question == known[path.stem].question
    assert [outcome.method for outcome in diagnosis.outcomes] == list(DEFAULT_METHODS)
    assert not [outcome.reason for outcome in diagnosis.outcomes if outcome.status == "failed"]
    assert len(diagnosis.hits) == (len(known[path.stem].passages) or 5)


@each_file
def test_its_passages_are_those_of_the_encyclopaedia_today(path: Path) -> None:
    given = next(asked.passages for asked in sample_questions() if asked.id == path.stem)
    hits = read(path).hits
    if given:
        assert [hit.passage.text for hit in hits] == [passage.text for passage in given]
        return
    articles = {document.document_id: document.text for document in read_documents(SAMPLE)}
    for passage in (hit.passage for hit in hits):
        assert articles[passage.document_id][passage.start : passage.end] == passage.text


@each_file
def test_the_entropy_and_the_labels_follow_from_the_recorded_graph(path: Path) -> None:
    result = read(path).outcome("dense").result
    if result.entropy is None:
        pytest.skip("DENSE was not measured for this question")
    weights = np.array(result.weights)
    assert degree_entropy(weights) == pytest.approx(result.entropy, abs=1e-12)
    measured = [result.chunks[index] for index in result.members[1:]]
    ablations = [np.nan if chunk.ablation_weight is None else chunk.ablation_weight for chunk in measured]
    labels = chunk_labels(weights, ablations, rule=result.rule)
    if all(chunk.wordings is not None for chunk in measured):
        of_all = np.array(result.further_weights or result.weights)
        labels = [agreed_label(shares) for shares in label_shares(of_all, result.rows, ablations, rule=result.rule)]
    assert labels == [chunk.label for chunk in measured]


@each_file
def test_belief_follows_from_the_recorded_samples(path: Path) -> None:
    result = read(path).outcome("seper").result
    for belief in (result.without, result.with_passages):
        weights = sample_weights([sample.mean_logprob for sample in belief.samples])
        assert belief.weights == pytest.approx(weights.tolist(), abs=1e-12)
        if belief.soft is not None:
            assert seper_soft(weights, np.array(belief.kernel)) == pytest.approx(belief.soft, abs=1e-12)
    if result.delta_soft is not None:
        assert result.delta_soft == pytest.approx(result.with_passages.soft - result.without.soft, abs=1e-12)


@each_file
def test_triggers_follow_from_the_recorded_tokens(path: Path) -> None:
    result = read(path).outcome("entropy_trend").result
    tokens = result.generation.tokens
    for word in result.words:
        assert word.entropy == max(token.entropy for token in tokens[word.first_token : word.last_token + 1])
    placed = second_differences([word.entropy for word in result.words], [word.is_content for word in result.words])
    smoothed = smooth([value for _, value in placed])
    fired = [index for (index, _), hit in zip(placed, triggers(smoothed, result.alpha), strict=True) if hit]
    assert [trigger.word for trigger in result.triggers] == fired


@each_file
def test_evidence_is_counted_again_with_the_same_outcome(path: Path) -> None:
    diagnosis = read(path)
    result = diagnosis.outcome("quco_rag").result
    given = any(asked.id == path.stem and asked.passages for asked in sample_questions())
    pasted = tuple(
        Document(document_id=f"passage-{place}", title=hit.passage.title, text=hit.passage.text)
        for place, hit in enumerate(diagnosis.hits, 1)
    )
    counter = count_documents(pasted, result.corpus) if given else counts_of_the_encyclopaedia(result.corpus)
    meeting = (result.window, result.window_share or None)
    for entity in result.entities:
        assert counter.count(entity.entity.text) == entity.count
    for sentence in result.sentences:
        for claim in sentence.claims:
            if claim.tail is not None:
                found = counter.co_occurrence(claim.head.entity.text, claim.tail.entity.text, *meeting)
                assert found.documents == claim.documents


@each_file
def test_the_interval_of_the_entropy_follows_from_the_recorded_rewordings(path: Path) -> None:
    result = read(path).outcome("dense").result
    if result.entropy_interval is None:
        pytest.skip("each chunk was reworded once only")
    chunks = [*result.members, *(one.index for one in result.further)]
    low, high = reworded_interval(result.further_weights, chunks)
    assert (low, high) == pytest.approx((result.entropy_interval.low, result.entropy_interval.high), abs=1e-12)


def test_the_reader_is_helped_spoiled_sure_and_unsure_often_enough_to_teach_with() -> None:
    seen = {path.stem: read(path) for path in FILES}
    read_right = {name: contains(run.answer.text, run.golds) for name, run in seen.items() if run.golds}
    known = {name: contains(run.closed_book.text, run.golds) for name, run in seen.items() if run.golds}
    entropies = [run.outcome("dense").result.entropy for run in seen.values()]
    gains = [run.outcome("seper").result for run in seen.values()]
    assert sum(read_right.values()) >= 10
    assert sum(known[name] and not right for name, right in read_right.items()) >= 4
    assert sum(entropy <= 0.2 for entropy in entropies if entropy is not None) >= 5
    assert sum(entropy > 0.2 for entropy in entropies if entropy is not None) >= 5
    clear = [gain for gain in gains if gain.delta_soft is not None and gain.delta_soft_interval.low > 0]
    assert sum(gain.delta_soft >= 0.2 for gain in clear) >= 5
