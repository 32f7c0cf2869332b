"""The network, strips, bars and tables of QuCo-RAG: what has no evidence, what was not measured, and which corpus."""

from dataclasses import replace

import pytest

from engine.methods.quco_rag import CheckedSentence
from tests.viz.sample_trend_results import (
    GAMA,
    LISBON,
    SINES,
    claim,
    counted,
    empty_quco_result,
    hostile_quco_result,
    quco_result,
    sample_quco_result,
)
from viz.quco_rag import (
    bars_title,
    claim_sentence,
    claims,
    claims_table,
    cooccurrence_network,
    entities_table,
    entity_bars,
    first_with_meetings,
    meeting_html,
    network_title,
    sentence,
    sentence_strip_html,
    sentence_verdict,
    verdict,
)
from viz.theme import DARK, LIGHT

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def one_sentence(*made):
    """Return a result whose one sentence holds the claims."""
    return quco_result((GAMA,), (CheckedSentence(text="A sentence.", kind="fact", claims=made),))


def lines(figure):
    """Return the lines between entities, without the legend's samples."""
    return [trace for trace in figure.data if trace.mode == "lines" and trace.x[0] is not None]


def test_unsupported_claims_decide_the_verdict_and_name_the_corpus():
    found = verdict(sample_quco_result())
    assert (found.word, found.tone) == ("2 claims without evidence in this corpus", "bad")
    assert "“Small encyclopaedia” (120 documents)" in found.sentence
    assert "“Vasco da Gama” with “Zamorin of Quilon”" in found.sentence
    assert "not the same as false" in found.sentence
    assert "1 claim could not be measured." in found.sentence


def test_only_supported_claims_are_evidence_found_and_none_is_unknown():
    supported = one_sentence(claim(GAMA, "born in", SINES, 2))
    assert (verdict(supported).word, verdict(supported).tone) == ("evidence found", "good")
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
    assert list(table["verdict"])[:2] == ["a single entity, nothing to pair", "supported"]
    assert list(table["verdict"])[4:6] == ["no evidence in this corpus", "not measured"]
    assert len(table) == len(claims(sample_quco_result()))
    assert claims_table(empty_quco_result()).empty


@THEMES
def test_the_network_has_a_line_for_each_pair_in_the_colour_of_its_verdict(theme):
    figure = cooccurrence_network(sample_quco_result(), theme)
    drawn = lines(figure)
    assert len(drawn) == 8
    assert sum(line.line.color == theme.good and line.line.dash == "solid" for line in drawn) == 5
    assert sum(line.line.color == theme.bad and line.line.dash == "dash" for line in drawn) == 2
    assert sum(line.line.color == theme.unknown and line.line.dash == "dot" for line in drawn) == 1
    labels = [note.text for note in figure.layout.annotations]
    assert "sailed from · <b>7 documents</b>" in labels and "met · <b>never meet</b>" in labels
    assert figure.layout.title.text == "2 of 7 claims without evidence in ‘Small encyclopaedia’"


def test_dots_grow_with_the_count_and_show_zero_red_and_unmeasured_grey():
    figure = cooccurrence_network(sample_quco_result(), LIGHT)
    dots = next(trace for trace in figure.data if trace.mode == "markers" and len(trace.x) > 1)
    names = [text.split("<br>")[0] for text in dots.customdata]
    size, colour = dict(zip(names, dots.marker.size, strict=True)), dict(zip(names, dots.marker.color, strict=True))
    assert size["India"] > size["Lisbon"] > size["Sines"] > size["Zamorin of Quilon"] == 16
    assert colour["Zamorin of Quilon"] == LIGHT.bad and colour["the sea route"] == LIGHT.unknown


def test_heads_stand_left_of_their_tails_and_no_two_dots_meet():
    figure = cooccurrence_network(sample_quco_result(), LIGHT)
    assert all(line.x[0] < line.x[-1] for line in lines(figure))
    dots = next(trace for trace in figure.data if trace.mode == "markers" and len(trace.x) > 1)
    places = list(zip(dots.x, dots.y, strict=True))
    assert len(set(places)) == len(places) == 8
    # The line from column 0 to column 2 keeps a row of its own in column 1.
    long = next(line for line in lines(figure) if len(line.x) == 3)
    assert (long.x[1], long.y[1]) not in places


def test_a_circle_of_claims_and_a_claim_of_one_entity_can_be_drawn():
    circle = one_sentence(claim(GAMA, "in", SINES, 1), claim(SINES, "of", GAMA, 0), claim(GAMA, "is", GAMA, 1))
    assert len(lines(cooccurrence_network(circle, LIGHT))) == 2


def test_names_that_differ_in_their_article_are_one_dot_where_they_count_alike():
    towers = counted("Eiffel Tower", 9), counted("The Eiffel Tower", 9), counted("the Eiffel tower", 2)
    figure = cooccurrence_network(quco_result(towers, ()), LIGHT)
    assert len(next(trace for trace in figure.data if trace.mode == "markers" and trace.x[0] is not None).x) == 2


def test_repeated_claims_are_listed_as_pairs():
    missing = claim(GAMA, "met", LISBON, 0)
    assert "2 did not (1 pair): “Vasco da Gama” with “Lisbon”." in sentence(one_sentence(missing, missing))


def test_two_relations_of_one_pair_share_a_line():
    twice = one_sentence(claim(GAMA, "born in", SINES, 1), claim(GAMA, "left", SINES, 1))
    notes = [note.text for note in cooccurrence_network(twice, LIGHT).layout.annotations]
    assert "born in · left · <b>1 document</b>" in notes


def test_too_few_documents_is_not_called_never():
    result = replace(one_sentence(), cooccurrence_threshold=3)
    weak = replace(claim(GAMA, "born in", SINES, 2), supported=False)
    assert "2 documents of “Small encyclopaedia” hold both" in claim_sentence(weak, result)
    assert "no evidence in this corpus" in claim_sentence(weak, result)


def test_nothing_to_check_gives_a_sentence_instead_of_a_blank():
    result = empty_quco_result()
    for figure in (cooccurrence_network(result, LIGHT), entity_bars(result, LIGHT)):
        assert len(figure.layout.annotations) == 1
    assert "Not measured: The answer names nothing" in sentence(result)
    assert network_title(result) == "No claim could be judged in ‘Small encyclopaedia’"
    assert "Not measured" in sentence_strip_html(result, LIGHT)


def test_bars_show_zero_at_the_foot_of_the_axis_and_unmeasured_in_words():
    figure = entity_bars(sample_quco_result(), LIGHT)
    bars = figure.data[0]
    assert list(bars.text) == ["<b> 0, never named</b>", "<b> not measured</b>", "<b> 640</b>"]
    assert list(bars.x)[:2] == [0.0, 0.0]
    assert bars.x[2] == pytest.approx(2.80686, abs=1e-5)  # log10(641)
    assert figure.layout.xaxis.ticktext[:3] == ("0", "1", "10") and figure.layout.xaxis.tickvals[0] == 0.0
    assert bars_title(sample_quco_result()) == "Never named in ‘Small encyclopaedia’: ‘Zamorin of Quilon’"
    assert list(entities_table(sample_quco_result())["in words"]) == ["640", "not measured", "0, never named"]


def test_bars_without_a_zero_say_the_mean():
    result = quco_result((counted("A", 10), counted("B", 1500)), ())
    assert bars_title(result) == "The question's entities occur 755.0 times on average in ‘Small encyclopaedia’"


def test_the_place_of_evidence_marks_both_ends():
    result = sample_quco_result()
    assert first_with_meetings(result) == [1]
    html = meeting_html(claims(result)[1][1].meetings[0], LIGHT)
    assert html.count("<mark") == 2 and "6 words apart" in html
    assert html.index("Vasco da Gama</mark>") < html.index("Sines</mark>")


@THEMES
def test_markup_in_claims_and_evidence_is_drawn_as_text(theme):
    result = hostile_quco_result()
    place = meeting_html(claims(result)[0][1].meetings[0], theme)
    html = sentence_strip_html(result, theme) + place
    assert not any(tag in html for tag in ("<img", "<u>", "<i>", "<script"))
    assert place.count("<mark") == place.count("</mark>") == 3  # "University of ", and "Lisbon" twice marked
    figure = cooccurrence_network(result, theme).to_json() + entity_bars(result, theme).to_json()
    assert "<script" not in figure and "<b>Lisbon" not in figure


def test_no_wording_calls_a_claim_false():
    result = sample_quco_result()
    texts = [sentence_strip_html(result, LIGHT), *(claim_sentence(made, result) for _, made in claims(result))]
    assert not any("false" in text.lower() for text in texts)
