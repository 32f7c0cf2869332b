"""Semantic chunks: the printed examples, exact offsets, and documents of every size."""

import json
from pathlib import Path

import pytest

from engine.backends.retrieval.base import FixedCut, SemanticCut
from engine.backends.retrieval.corpus import pasted_corpus
from engine.backends.retrieval.scripted import HashedWords
from engine.backends.retrieval.semantic_chunker import merged, semantic_chunks
from engine.backends.text import load_text_tools
from engine.core.errors import CorpusError
from engine.core.progress import Event, Stage
from engine.core.records import Document

REFERENCE = json.loads((Path(__file__).parents[3] / "reference" / "dense_rag.json").read_text(encoding="utf-8"))
CHUNKINGS = [
    "semantic_chunking_tie_at_tau",
    "semantic_chunking_length_cap",
    "semantic_chunking_exact_cap",
    "semantic_chunking_single_sentence",
    "semantic_chunking_oversized_sentence",
]
TEXT = "The old clock stands in Bremen.  The old clock stands in Ghent. Cranes rust.\n\nCranes rust slowly."
DOCUMENT = Document(document_id="d", title="Clocks", text=TEXT)


def test_the_worked_examples_of_equation_7_and_of_algorithm_2() -> None:
    for name in CHUNKINGS:
        inputs, expected = REFERENCE[name]["inputs"], REFERENCE[name]["expected"]
        for tie, chunks in (("join", expected["eq7_ge"]), ("cut", expected["algorithm2_gt"])):
            found = merged(inputs["sentence_lengths"], inputs["adjacent_cosines"], inputs["tau"], inputs["T_max"], tie)
            assert [[f"s{place + 1}" for place in range(first, last)] for first, last in found] == chunks


def cut(similarity=0.6, most_tokens=512, tie="join"):
    return SemanticCut(similarity=similarity, most_tokens=most_tokens, tie=tie)


def texts(made):
    return [" ".join(passage.text.split()) for passage in made]


def test_neighbours_that_share_their_words_stand_together_with_exact_offsets():
    # Sentences 1 and 2 share 5 of 6 words (0.83), 2 and 3 none, 3 and 4 two of two and three (0.82).
    made = semantic_chunks(DOCUMENT, cut(), HashedWords(), load_text_tools())
    assert texts(made) == [
        "The old clock stands in Bremen. The old clock stands in Ghent.",
        "Cranes rust. Cranes rust slowly.",
    ]
    assert all(TEXT[passage.start : passage.end] == passage.text for passage in made)
    assert {(passage.title, passage.document_id) for passage in made} == {("Clocks", "d")}


def test_a_chunk_never_grows_beyond_its_most_tokens():
    made = semantic_chunks(DOCUMENT, cut(most_tokens=8), HashedWords(), load_text_tools())
    assert texts(made)[:2] == ["The old clock stands in Bremen.", "The old clock stands in Ghent."]
    assert len(made) == 3, "three words and a stop, and four: both fit into eight tokens"


def test_a_sentence_longer_than_the_embedder_reads_is_a_chunk_of_its_own():
    long = Document(document_id="l", title="", text="Word " * 700 + "ends. Cranes rust.")
    made = semantic_chunks(long, cut(), HashedWords(), load_text_tools())
    assert "".join(passage.text.split()[-1] for passage in made).endswith("rust.")
    assert sum(len(passage.text.split()) for passage in made) == 703


def test_a_document_without_a_sentence_gives_no_chunk():
    assert (
        semantic_chunks(Document(document_id="e", title="", text=" \n "), cut(), HashedWords(), load_text_tools()) == ()
    )


def test_only_the_documents_named_are_cut_anew_and_searched():
    other = Document(document_id="o", title="Rivers", text="The Rhine is long. The old clock is far.")
    corpus = pasted_corpus((DOCUMENT, other), "two", HashedWords())
    seen: list[Event] = []
    anew = corpus.cut_anew(cut(), ("d",), load_text_tools(), seen.append)
    assert len(anew.passages) == 2 and anew.documents == (DOCUMENT,)
    assert [hit.passage.text for hit in anew.search("Do cranes rust?", 1)] == ["Cranes rust.\n\nCranes rust slowly."]
    assert "cutting documents anew" in {event.name for event in seen if isinstance(event, Stage)}


def test_a_fixed_cut_of_the_same_documents_has_its_size_and_overlap():
    words = " ".join(f"word{number}" for number in range(60))
    corpus = pasted_corpus((Document(document_id="w", title="", text=words),), "one", HashedWords())
    anew = corpus.cut_anew(FixedCut(tokens=32, overlap=4), ("w",), load_text_tools())
    sizes = [len(passage.text.split()) for passage in anew.passages]
    assert sizes[0] == 26 and max(sizes) <= 30, "32 less two marks; room for the overlap is kept"
    assert anew.passages[1].text.split()[:4] == words.split()[22:26]


def test_documents_that_are_not_there_cannot_be_cut_anew():
    with pytest.raises(CorpusError, match="nothing to cut anew"):
        pasted_corpus((DOCUMENT,), "one", HashedWords()).cut_anew(cut(), ("x",), load_text_tools())
