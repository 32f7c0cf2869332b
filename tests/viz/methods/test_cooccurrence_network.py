"""The network: which lines are drawn, where, and in which colour."""

from dataclasses import replace

import pytest

from engine.methods.quco_rag import CheckedSentence
from tests.viz.numbers_in_text import numbers_in
from tests.viz.sample_trend_results import (
    GAMA,
    LISBON,
    SINES,
    claim,
    counted,
    quco_result,
    sample_quco_result,
)
from viz.methods.cooccurrence_network import WORDS_HIGH, cooccurrence_network, few_finding, label_place, network_finding
from viz.methods.quco_rag import claims_with_sentences, pairs_of
from viz.parts.theme import DARK, LIGHT

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def one_sentence(*made):
    """Return a result whose one sentence holds the claims."""
    return quco_result((GAMA,), (CheckedSentence(text="A sentence.", kind="fact", claims=made),))


def lines(figure):
    """Return the lines between entities, without the legend's samples."""
    return [trace for trace in figure.data if trace.mode == "lines" and trace.x[0] is not None]


@THEMES
def test_the_network_has_a_line_for_each_pair_in_the_colour_of_its_verdict(theme):
    figure = cooccurrence_network(sample_quco_result(), theme)
    drawn = lines(figure)
    assert len(drawn) == 8
    assert sum(line.line.color == theme.good and line.line.dash == "solid" for line in drawn) == 5
    assert sum(line.line.color == theme.middle and line.line.dash == "dash" for line in drawn) == 2
    assert sum(line.line.color == theme.unknown and line.line.dash == "dot" for line in drawn) == 1
    labels = [note.text for note in figure.layout.annotations]
    assert "sailed from<br><b>7 documents</b>" in labels and "met<br><b>never meet</b>" in labels
    title = figure.layout.title.text
    assert numbers_in(title) == ["5", "7"] and "‘Small encyclopaedia’" in title


def test_an_index_of_pre_training_texts_counts_places():
    online = replace(sample_quco_result(), counts_from="infini-gram")
    figure = cooccurrence_network(online, LIGHT)
    assert "sailed from<br><b>7 places</b>" in [note.text for note in figure.layout.annotations]
    assert "meet (number: places)" in [trace.name for trace in figure.data]


def test_dots_grow_with_the_count_and_show_zero_amber_and_unmeasured_grey():
    figure = cooccurrence_network(sample_quco_result(), LIGHT)
    dots = next(trace for trace in figure.data if trace.mode == "markers" and trace.marker.opacity == 1)
    names = [text.split("<br>")[0] for text in dots.hovertext]
    size, colour = dict(zip(names, dots.marker.size, strict=True)), dict(zip(names, dots.marker.color, strict=True))
    assert size["India"] > size["Lisbon"] > size["Sines"] > size["Zamorin of Quilon"] == 16
    assert colour["Zamorin of Quilon"] == LIGHT.middle and colour["the sea route"] == LIGHT.unknown


def test_heads_stand_left_of_their_tails_and_no_two_dots_meet():
    figure = cooccurrence_network(sample_quco_result(), LIGHT)
    assert all(line.x[0] < line.x[-1] for line in lines(figure))
    dots = next(trace for trace in figure.data if trace.mode == "markers" and trace.marker.opacity == 1)
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
    assert len(next(trace for trace in figure.data if trace.mode == "markers" and trace.marker.opacity == 1).x) == 2


def test_two_relations_of_one_pair_share_a_line():
    twice = one_sentence(claim(GAMA, "born in", SINES, 1), claim(GAMA, "left", SINES, 1))
    notes = [note.text for note in cooccurrence_network(twice, LIGHT).layout.annotations]
    assert "born in · left · <b>1 document</b>" in notes


def test_a_click_on_a_line_or_dot_carries_the_row_of_its_claim():
    result = sample_quco_result()
    figure = cooccurrence_network(result, LIGHT)
    pairs = [(claim.head.entity.text, claim.relation) for _, claim in claims_with_sentences(result)]
    dots = next(trace for trace in figure.data if trace.mode == "markers" and trace.marker.opacity == 1)
    rows = {text.split("<br>")[0]: carried[0] for text, carried in zip(dots.hovertext, dots.customdata, strict=True)}
    assert rows["Sines"] == 1 and pairs[1] == ("Vasco da Gama", "born in")
    targets = [trace for trace in figure.data if trace.mode == "markers" and trace.marker.opacity == 0]
    assert sorted(trace.customdata[0][0] for trace in targets) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert all(len(set(map(tuple, trace.customdata))) == 1 for trace in targets)


def test_a_pair_claimed_both_ways_is_one_line_where_it_counts_alike():
    both = one_sentence(claim(GAMA, "in", SINES, 2), claim(SINES, "of", GAMA, 2))
    figure = cooccurrence_network(both, LIGHT)
    assert len(lines(figure)) == 1
    assert "in · of · <b>2 documents</b>" in [note.text for note in figure.layout.annotations]


def test_words_on_lines_that_cross_stand_clear_of_each_other() -> None:
    routes = [[(0.0, head), (1.0, tail)] for head, tail in ((1.0, -1.0), (-1.0, 1.0), (0.0, 0.0), (0.5, -0.5))]
    taken: list[tuple[float, float]] = []
    for route in routes:
        taken.append(label_place(route, taken))
    too_close = [
        (one, other)
        for place, one in enumerate(taken)
        for other in taken[:place]
        if abs(one[1] - other[1]) < WORDS_HIGH - 1e-9
    ]
    assert too_close == []


def test_a_dot_never_named_has_a_shape_of_its_own() -> None:
    figure = cooccurrence_network(sample_quco_result(), LIGHT)
    dots = next(trace for trace in figure.data if isinstance(trace.marker.symbol, tuple))
    pairs = set(zip(dots.marker.color, dots.marker.symbol, strict=True))
    assert len({colour for colour, _ in pairs}) == len({symbol for _, symbol in pairs}) == len(pairs) >= 2


def test_the_small_network_says_how_many_pairs_it_leaves_out() -> None:
    result = sample_quco_result()
    drawn = len(lines(cooccurrence_network(result, LIGHT, compact=True)))
    assert drawn == 3 and len(lines(cooccurrence_network(result, LIGHT))) == 8
    assert numbers_in(few_finding(result)) == ["5", "7", str(8 - drawn)]
    few = one_sentence(claim(GAMA, "born in", SINES, 2))
    assert few_finding(few) == network_finding(few)


@pytest.mark.parametrize("way", ["compact", "phone"])
def test_on_a_phone_the_lines_have_room_between_the_names(way: str) -> None:
    for result in (sample_quco_result(), one_sentence(claim(GAMA, "born in", SINES, 2))):
        figure = cooccurrence_network(result, LIGHT, **{way: True})
        assert figure.layout.margin.l + figure.layout.margin.r <= 306 - 70
        assert min(note.font.size for note in figure.layout.annotations) >= 12


def test_on_a_phone_the_network_has_every_pair_and_says_how_it_is_related() -> None:
    figure = cooccurrence_network(sample_quco_result(), LIGHT, phone=True)
    assert len(lines(figure)) == 8
    labels = [note.text for note in figure.layout.annotations]
    assert "sailed from<br><b>7 documents</b>" in labels and "met<br><b>never meet</b>" in labels


def test_as_many_pairs_are_counted_as_drawn() -> None:
    the_gama = replace(GAMA, entity=replace(GAMA.entity, text=f"the {GAMA.entity.text}"))
    result = one_sentence(
        claim(GAMA, "born in", SINES, 2), claim(the_gama, "from", SINES, 2), claim(SINES, "town of", GAMA, 2)
    )
    assert len(lines(cooccurrence_network(result, LIGHT))) == pairs_of(result.sentences).judged == 1


def test_a_pair_that_short_answer_and_longer_text_claim_is_said_to_be_counted_once() -> None:
    both = claim(GAMA, "born in", SINES, 0)
    sentences = [CheckedSentence(text="Sines", kind=kind, claims=(both,)) for kind in ("short answer", "fact")]
    other = CheckedSentence(text="x", kind="fact", claims=(claim(GAMA, "died in", LISBON, 0),))
    assert network_finding(quco_result((GAMA,), (*sentences, other))) == "None of 2 different pairs meet"
    assert network_finding(quco_result((GAMA,), (sentences[0], other))) == "None of 2 claimed pairs meet"
