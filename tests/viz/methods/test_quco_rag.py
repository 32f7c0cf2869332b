"""The network, strips, bars and tables of QuCo-RAG: what has no evidence, what was not measured, and which corpus."""

from dataclasses import replace

import pytest

from engine.methods.quco_rag import CheckedSentence
from tests.viz.sample_trend_results import (
    COCHIN,
    GAMA,
    INDIA,
    LISBON,
    SINES,
    claim,
    empty_quco_result,
    hostile_quco_result,
    quco_result,
    sample_quco_result,
)
from viz.methods.cooccurrence_network import cooccurrence_network, network_finding, network_title
from viz.methods.entity_bars import entity_bars
from viz.methods.evidence import meeting_html, sentence_strip_html
from viz.methods.quco_rag import (
    base_rate,
    claim_sentence,
    claims_table,
    claims_with_sentences,
    corpus_words,
    sentence,
    sentence_verdict,
    verdict,
)
from viz.parts.theme import DARK, LIGHT

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def one_sentence(*made):
    """Return a result whose one sentence holds the claims."""
    return quco_result((GAMA,), (CheckedSentence(text="A sentence.", kind="fact", claims=made),))


def answered(short, *longer):
    """Return a result whose short answer holds the first claims, and its longer text the others."""
    sentences = (CheckedSentence(text="x", kind="short answer", claims=short),)
    return quco_result((GAMA,), (CheckedSentence(text="A sentence.", kind="fact", claims=longer), *sentences))


def test_a_short_answer_without_evidence_decides_the_verdict_and_the_corpus_is_named():
    found, said = verdict(sample_quco_result()), sentence(sample_quco_result())
    assert (found.word, found.tone) == ("short answer without evidence", "middle")
    assert "0 of 1 " in found.sentence and "5 of 6" in said and "120 documents" in said
    assert "“Vasco da Gama” with “Zamorin of Quilon”" in said and "1 claim not measured" in said


def test_only_supported_claims_are_evidence_found_and_none_is_unknown():
    supported = one_sentence(claim(GAMA, "born in", SINES, 2))
    assert (verdict(supported).word, verdict(supported).tone) == ("evidence found", "model")
    both = answered((claim(GAMA, "born in", SINES, 2),), claim(GAMA, "left", LISBON, 1))
    assert (verdict(both).word, verdict(both).tone) == ("short answer supported", "model")
    assert (verdict(one_sentence()).word, verdict(one_sentence()).tone) == ("nothing to check", "unknown")
    assert (verdict(empty_quco_result()).word, verdict(empty_quco_result()).tone) == ("not measured", "unknown")


def test_a_sentence_is_as_good_as_its_worst_claim():
    words = [sentence_verdict(checked) for checked in sample_quco_result().sentences]
    missing = "no evidence in this corpus"
    assert words == ["nothing to check", "supported", missing, "supported", "nothing to check", missing]
    unmeasured = claim(GAMA, "knew", LISBON, None)
    assert sentence_verdict(one_sentence(unmeasured).sentences[0]) == "not measured"
    mixed = one_sentence(unmeasured, claim(GAMA, "born in", SINES, 2))
    assert sentence_verdict(mixed.sentences[0]) == "partly measured"


def test_the_table_keeps_zero_apart_from_not_measured():
    table = claims_table(sample_quco_result())
    assert list(table["documents together"].fillna(-1)) == [-1, 2, 7, 12, 0, -1, 1, 1, 0]
    assert list(table["verdict"])[:2] == ["nothing to pair", "supported"]
    assert list(table["verdict"])[4:6] == ["no evidence in this corpus", "not measured"]
    assert len(table) == len(claims_with_sentences(sample_quco_result()))
    assert claims_table(empty_quco_result()).empty


@pytest.mark.parametrize(
    ("short", "longer", "expected"),
    [
        (2, 0, ("short answer supported, other claims not", "middle")),
        (0, 2, ("short answer without evidence", "middle")),
        (None, 0, ("short answer not measured", "middle")),
        (None, 2, ("short answer not measured", "unknown")),
    ],
)
def test_the_colour_is_the_short_answers_and_amber_where_only_other_claims_lack(short, longer, expected):
    found = verdict(answered((claim(GAMA, "born in", SINES, short),), claim(GAMA, "left", LISBON, longer)))
    assert (found.word, found.tone) == expected


def test_a_short_answer_of_which_one_pair_meets_is_partly_without_evidence():
    found = verdict(answered((claim(GAMA, "born in", SINES, 2), claim(GAMA, "left", LISBON, 0))))
    assert (found.word, found.tone) == ("short answer partly without evidence", "middle")
    assert "1 of 2 " in found.sentence


@pytest.mark.parametrize(("longer", "tone"), [(2, "unknown"), (0, "middle")])
def test_a_short_answer_of_which_some_claims_have_no_count_is_partly_measured(longer, tone):
    short = (claim(GAMA, "born in", SINES, 2), claim(GAMA, "left", LISBON, None), claim(GAMA, "met", INDIA, None))
    found = verdict(answered(short, claim(GAMA, "died in", COCHIN, longer)))
    assert (found.word, found.tone) == ("short answer partly measured", tone)


def test_a_short_answer_that_claims_nothing_leaves_the_longer_text():
    found = verdict(answered((), claim(GAMA, "left", LISBON, 2)))
    assert (found.word, found.tone) == ("short answer without claim", "unknown")
    assert "1 of 1 " in found.sentence


def test_a_pair_that_is_claimed_twice_counts_once():
    missing = claim(GAMA, "met", LISBON, 0)
    result = one_sentence(missing, missing)
    assert verdict(result).word == "1 claimed pair without evidence"
    assert "“Vasco da Gama” with “Lisbon”" in sentence(result) and "0 of 1 " in sentence(result)
    assert network_title(result).startswith("The claimed pair does not meet in ")


def test_too_few_documents_is_not_called_never():
    result = replace(one_sentence(), cooccurrence_threshold=3)
    weak = replace(claim(GAMA, "born in", SINES, 2), supported=False)
    assert "2 documents" in claim_sentence(weak, result) and "no evidence" in claim_sentence(weak, result)


def test_pairs_that_meet_too_rarely_are_not_called_apart():
    weak = replace(claim(GAMA, "born in", SINES, 1), supported=False)
    result = replace(one_sentence(weak), cooccurrence_threshold=2)
    assert verdict(result).sentence == "Pairs with evidence in “Small encyclopaedia”: 0 of 1 (longer text)."
    assert network_finding(result) == "The claimed pair does not meet often enough"
    names = [trace.name for trace in cooccurrence_network(result, LIGHT).data if trace.name]
    assert "do not meet often enough" in names and "do not meet" not in names
    assert network_finding(one_sentence(claim(GAMA, "met", LISBON, 0))) == "The claimed pair does not meet"


def test_the_rate_of_answers_without_evidence_says_either_only_beside_such_an_answer():
    lacking, held = (answered((claim(GAMA, "born in", SINES, count),)) for count in (0, 2))
    assert base_rate(lacking).startswith("On real questions 244 of 308 correct answers had no evidence either. ")
    assert base_rate(held).startswith("On real questions 244 of 308 correct answers had no evidence. ")
    assert base_rate(answered((), claim(GAMA, "left", LISBON, 0))) == base_rate(held)
    assert base_rate(replace(lacking, cooccurrence_threshold=2)) == ""


def test_nothing_to_check_gives_a_sentence_instead_of_a_blank():
    result = empty_quco_result()
    for figure in (cooccurrence_network(result, LIGHT), entity_bars(result, LIGHT)):
        assert len(figure.layout.annotations) == 1
    assert "Not measured" in sentence(result)
    assert "Not measured" in sentence_strip_html(result, LIGHT)


@THEMES
def test_markup_in_claims_and_evidence_is_drawn_as_text(theme):
    result = hostile_quco_result()
    place = meeting_html(claims_with_sentences(result)[0][1].meetings[0], theme)
    html = sentence_strip_html(result, theme) + place
    assert not any(tag in html for tag in ("<img", "<u>", "<i>", "<script"))
    assert place.count("<mark") == place.count("</mark>") == 3  # "University of ", and "Lisbon" twice marked
    figure = cooccurrence_network(result, theme).to_json() + entity_bars(result, theme).to_json()
    assert "<script" not in figure and "<b>Lisbon" not in figure


def test_no_wording_calls_a_claim_false():
    result = sample_quco_result()
    texts = [
        sentence_strip_html(result, LIGHT),
        *(claim_sentence(made, result) for _, made in claims_with_sentences(result)),
    ]
    assert not any("false" in text.lower() for text in texts)


def test_ends_that_share_a_document_beyond_the_window_are_said_to_and_how_far_apart():
    apart = replace(claim(GAMA, "left", LISBON, 0), nearest=61)
    result = replace(answered((apart,)), window_share=0.25)
    for said in (sentence(result), claim_sentence(apart, result)):
        assert "61 words" in said and "25" in said
    assert "never meet" not in " ".join(cooccurrence_network(result, LIGHT).layout.annotations[0].text.split("<br>"))
    assert any("61 words" in note.text for note in cooccurrence_network(result, LIGHT).layout.annotations)


def test_the_size_of_the_corpus_is_said_once() -> None:
    result = replace(
        sample_quco_result(), corpus="Notes", corpus_documents=1240, corpus_note="Exact counts over 1,240 documents."
    )
    assert corpus_words(result) == "Notes"
    assert corpus_words(replace(result, corpus_note="")) == "Notes, 1,240 documents"
    assert corpus_words(replace(result, corpus_documents=None)) == "Notes, of unknown size"
