"""The second look token by token, by hand and in a corpus."""

import numpy as np
import pytest

from engine.backends.retrieval import load_embedder
from engine.backends.retrieval.corpus import pasted_corpus
from engine.backends.retrieval.late_interaction import late_interaction, rerank_scores
from engine.backends.retrieval.scripted import HashedWords
from engine.core.records import Document

TEXTS = ("Apollo 8 flew around the Moon", "Apollo 11 landed on the Moon", "Paris is a capital")


def test_each_token_of_the_question_counts_with_its_best_match() -> None:
    question = np.array([[1.0, 0.0], [0.6, 0.8]])
    passage = np.array([[0.8, 0.6], [0.0, 1.0]])
    # The best cosines are 0.8 and 0.6 · 0.8 + 0.8 · 0.6 = 0.96; their mean is 0.88.
    assert late_interaction(question, passage) == pytest.approx(0.88)


def test_two_of_three_words_found_score_two_thirds() -> None:
    scores = rerank_scores("Apollo 11 harbour", TEXTS, HashedWords())
    assert scores == pytest.approx([1 / 3, 2 / 3, 0.0])


def test_a_long_passage_counts_to_its_end() -> None:
    scores = rerank_scores("harbour", ["word " * 600 + "harbour", "word " * 600], HashedWords())
    assert scores == pytest.approx([1.0, 0.0])


def test_the_second_look_orders_anew_what_hybrid_found_and_says_so() -> None:
    documents = tuple(Document(document_id=str(at), title="", text=text) for at, text in enumerate(TEXTS))
    hits = pasted_corpus(documents, "pasted", HashedWords()).search("Who landed on the Moon?", 2, "reranked")
    assert [hit.passage.text for hit in hits] == [TEXTS[1], TEXTS[0]]
    # Of five words Who landed on the Moon: landed on the Moon, and the Moon.
    assert [hit.score for hit in hits] == pytest.approx([0.8, 0.4])
    assert [(hit.rank, hit.retriever) for hit in hits] == [(1, "reranked"), (2, "reranked")]


@pytest.mark.weights
def test_the_packaged_encoder_gives_a_row_of_length_one_for_every_token_it_reads() -> None:
    short, long = load_embedder().token_rows(["a dog", "a dog barks at the tax office"])
    assert short.shape == (load_embedder().count_tokens("a dog"), 384)
    assert np.linalg.norm(long, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert [len(rows) for rows in load_embedder().token_rows(["a dog"])] == [len(short)]
