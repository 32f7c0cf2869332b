"""The packaged encoder reads 512 tokens, never half a text, and its rows have length 1."""

from pathlib import Path

import numpy as np
import pytest

from engine.backends.retrieval import load_embedder
from engine.backends.retrieval.chunkers import passage_of, reading
from engine.backends.retrieval.documents import read_documents
from engine.backends.retrieval.embedders import MiniLM
from engine.backends.retrieval.index_store import SHIPPED, shipped_index
from engine.core.errors import InputError, ModelError
from engine.core.folders import sample_data

pytestmark = pytest.mark.weights


def test_rows_have_length_one_and_near_texts_are_near() -> None:
    rows = load_embedder().embed(["a dog barks", "a hound is barking", "tax law"])
    assert rows.dtype == np.float32 and rows.shape == (3, 384)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert rows[0] @ rows[1] > 0.6 > 0.2 > rows[0] @ rows[2]


def test_the_encoder_reads_512_tokens_and_the_end_of_a_long_text_counts() -> None:
    embedder = load_embedder()
    assert embedder.max_tokens == 512
    start = "word " * 500
    near, far = embedder.embed([start + "cat", start + "constitutional monarchy"])
    assert embedder.count_tokens(start + "cat") == 503
    assert near @ far < 0.9999


def test_a_text_of_513_tokens_raises_instead_of_being_cut() -> None:
    with pytest.raises(InputError, match=r"513.*512"):
        load_embedder().embed(["short", "word " * 511])


def test_no_text_gives_no_row_and_an_empty_text_gives_one() -> None:
    assert load_embedder().embed([]).shape == (0, 384)
    assert load_embedder().embed([""]).shape == (1, 384)
    assert load_embedder().count_tokens("") == 2


def test_the_shipped_rows_are_those_of_the_embedder() -> None:
    documents, embedder = read_documents(sample_data()), load_embedder()
    (folder,) = SHIPPED.iterdir()
    index = shipped_index(folder.name)
    assert index is not None and index.embeddings is not None
    places = (0, 100, len(index.chunks) - 1)
    cut = [passage_of(documents[at], start, end) for at, start, end in index.chunks[list(places)].tolist()]
    rows = embedder.embed([reading(passage, embedder) for passage in cut])
    assert np.allclose(rows, index.embeddings[list(places)], atol=1e-4)


def test_the_loader_remembers() -> None:
    assert load_embedder() is load_embedder()


def test_a_folder_that_is_no_encoder_is_a_model_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be loaded"):
        MiniLM(tmp_path)
