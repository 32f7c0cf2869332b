"""The check before generation: a percentile for a user's corpus, and no decision without a count."""

import pytest

from engine.backends.corpus_stats import count_documents
from engine.backends.corpus_stats.base import CorpusCounter
from engine.backends.text.base import Entity
from engine.core.records import Document
from engine.measures.co_occurrence import Aggregate
from engine.methods.quco_claims import CountedEntity, QucoConfig, counted_entity
from engine.methods.quco_precheck import pre_check

# Names inside sentences, with their occurrences: Bern 1, Oslo 1, Rome 2, Paris 4.
TEXT = "We saw Paris, Rome and Bern. They left Paris for Oslo. He likes Paris or Rome. In Paris it rains."


def counter(*texts: str) -> CorpusCounter:
    documents = [Document(document_id=str(i), title="", text=text) for i, text in enumerate(texts)]
    return count_documents(documents, "a small corpus")


def entities(corpus: CorpusCounter, *names: str) -> list[CountedEntity]:
    return [counted_entity(Entity(text=name, start=0, end=len(name), label="GPE"), corpus) for name in names]


def test_a_corpus_lists_how_often_its_names_are_named() -> None:
    assert counter("He saw Oslo. We like Rome, Oslo and Rome.").name_counts() == (2, 2)
    assert counter("the sea is deep").name_counts() == ()


@pytest.mark.parametrize(
    ("percentile", "threshold", "retrieves"), [(50.0, 1.0, False), (75.0, 2.0, True), (76.0, 4.0, True)]
)
def test_in_a_users_corpus_the_threshold_is_a_percentile_of_its_names(
    percentile: float, threshold: float, retrieves: bool
) -> None:
    corpus = counter("We saw Bern. We saw Oslo. We saw Rome. We like Rome. We saw Paris, Paris, Paris, Paris.")
    check = pre_check(entities(corpus, "Bern"), QucoConfig(entity_percentile=percentile), corpus)
    assert (check.threshold, check.names, check.retrieves) == (threshold, 4, retrieves)
    assert (check.percentile, check.threshold_source, check.value) == (percentile, "chosen", 1.0)


@pytest.mark.parametrize(("how", "value", "retrieves"), [("min", 1.0, True), ("mean", 2.5, False), ("max", 4.0, False)])
def test_the_counts_are_summed_up_by_mean_min_or_max(how: Aggregate, value: float, retrieves: bool) -> None:
    corpus = counter("We saw Bern. We saw Oslo. We saw Rome. We like Rome. We saw Paris, Paris, Paris, Paris.")
    check = pre_check(entities(corpus, "Bern", "Paris"), QucoConfig(aggregate=how), corpus)
    assert (check.value, check.threshold, check.retrieves) == (value, 2.0, retrieves)


def test_without_a_count_there_is_no_decision_and_the_reason_says_why() -> None:
    corpus, empty, small = counter(TEXT), counter(), counter("the sea is deep")
    for names, of, words in (
        ((), corpus, "names nothing that could be counted"),
        (("?!",), corpus, "It holds no word"),
        (("Bern",), empty, "The corpus holds no documents"),
        (("sea",), small, "nothing in capital letters"),
    ):
        check = pre_check(entities(of, *names), QucoConfig(), of)
        assert check.retrieves is None and words in check.reason
