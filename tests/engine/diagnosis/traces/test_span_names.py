"""A retriever's observation is read in every form that pipelines give it, and no nesting breaks the reader."""

from engine.diagnosis.traces.span_names import documents_in


def test_texts_objects_and_pairs_with_a_score_are_documents() -> None:
    found = list(documents_in(["Ann", {"page_content": "Bo", "metadata": {"title": "B"}}, [{"text": "Cy"}, 0.5]]))
    assert [(text, score) for text, _, score in found] == [("Ann", None), ("Bo", None), ("Cy", 0.5)]
    assert found[1][1] == {"title": "B"}


def test_a_score_of_zero_beside_a_document_is_kept() -> None:
    assert [score for _, _, score in documents_in([["Ann", 0], {"text": "Bo", "score": 0.0}])] == [0, 0.0]


def test_pairs_within_pairs_hold_no_document_and_are_not_followed() -> None:
    nested: object = ["deep", 1]
    for _ in range(5_000):
        nested = [nested, 1]
    assert list(documents_in([nested])) == []
