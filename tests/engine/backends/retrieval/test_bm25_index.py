"""BM25 scores by hand, and what counts as a word."""

import os
import subprocess
import sys
from math import log
from pathlib import Path

import numpy as np
import pytest

from engine.backends.retrieval.bm25_index import build_bm25, read_bm25, tokenised

PROJECT = Path(__file__).resolve().parents[4]
TEXTS = ("Apollo 8 orbited", "Apollo 11 landed there", "the of and")


def test_a_single_digit_and_letter_are_words_and_stop_words_are_not() -> None:
    assert tokenised(["The Apollo 8, of Richard I."]) == [["apollo", "8", "richard", "i"]]


def test_the_score_of_one_rare_word_is_idf_times_saturated_count() -> None:
    # Lengths 3, 3 ("there" is a stop word), 0 -> mean 2; "8" once in one of three texts.
    idf = log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    expected = idf * 1 / (1 + 1.5 * (1 - 0.75 + 0.75 * 3 / 2))
    assert build_bm25(TEXTS).scores("8 ?") == pytest.approx([expected, 0, 0], abs=1e-6)


def test_a_question_without_a_known_word_scores_nothing() -> None:
    failing = [
        query for query in ["", "the of", "zebra", "🗼", "?!"] if build_bm25(TEXTS).scores(query).tolist() != [0, 0, 0]
    ]
    assert failing == []


def test_a_corpus_of_stop_words_can_be_indexed_and_finds_nothing() -> None:
    assert build_bm25(["the", "of"]).scores("the").tolist() == [0, 0]


def test_an_index_read_back_gives_the_same_scores_and_holds_no_pickle(tmp_path: Path) -> None:
    index = build_bm25(TEXTS)
    index.save(tmp_path)
    assert np.array_equal(read_bm25(tmp_path).scores("apollo landed"), index.scores("apollo landed"))
    assert {file.suffix for file in tmp_path.iterdir()} <= {".npy", ".json"}


def test_scoring_does_not_start_jax_which_would_take_a_gpus_memory(tmp_path: Path) -> None:
    (tmp_path / "jax").mkdir()
    (tmp_path / "jax" / "__init__.py").write_text("raise SystemError('JAX was started')")
    code = "from engine.backends.retrieval.bm25_index import build_bm25 as b; print(b(['a lake']).scores('lake').shape)"
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{PROJECT}"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "(1,)", done.stderr[-400:]


def test_a_word_is_found_in_whichever_form_its_characters_come() -> None:
    composed, apart = "Z\u00fcrich", "Zu\u0308rich"
    index = build_bm25([f"{composed} lies on a lake.", "Bern lies on a river."])
    assert index.scores(apart).tolist() == index.scores(composed).tolist()
    assert index.scores(apart)[0] > 0 == index.scores(apart)[1]
