"""The utility of single chunks drawn from a result made by hand."""

import re
from dataclasses import replace
from html import unescape

import pytest

from engine.methods import METHODS
from engine.methods.chunk_utility import ChunkUtilityResult, agreed
from tests.viz import sample_uncertainty as samples
from tests.viz.numbers_in_text import numbers_in
from viz.methods import chunk_utility
from viz.methods.verdicts import brief_of
from viz.methods.views import exhibits_of
from viz.parts.theme import DARK, LIGHT


def test_the_verdict_is_the_harmful_chunk_and_the_sentence_names_all_four_kinds() -> None:
    told = chunk_utility.verdict(samples.chunk_utility())
    assert (told.word, told.tone) == ("1 harmful passage", "bad")
    assert [told.sentence.lower().index(f"passage {number} ") >= 0 for number in (1, 2, 3, 4)] == [True] * 4
    rests_on = chunk_utility.sentence(samples.chunk_utility())
    assert all(part in rests_on for part in ("2 samples", "95%", "±0.10"))


def test_without_harm_the_useful_chunks_are_the_word_and_without_either_it_is_said() -> None:
    whole = samples.chunk_utility()
    assert chunk_utility.verdict(replace(whole, chunks=whole.chunks[:2])).word == "1 useful passage"
    assert chunk_utility.verdict(replace(whole, chunks=whole.chunks[1:2])).word == "no passage stands out"
    assert chunk_utility.verdict(replace(whole, chunks=whole.chunks[3:])).word == "unclear"


def test_the_line_of_twenty_passages_counts_those_whose_numbers_it_has_no_room_for() -> None:
    whole = samples.chunk_utility()
    harmful, unclear = whole.chunks[2], whole.chunks[3]
    chunks = tuple(replace(harmful if place in (4, 10) else unclear, index=place) for place in range(20))
    told = chunk_utility.verdict(replace(whole, chunks=chunks))
    assert told.sentence == "Passages 5 and 11 harmful; passages 1 to 4, 6 to 10 and 12 to 20 unclear."
    assert brief_of(told) == "Passages 5 and 11 harmful; 18 passages unclear."
    every_second = tuple(replace(unclear if place % 2 else harmful, index=place) for place in range(20))
    told = chunk_utility.verdict(replace(whole, chunks=every_second))
    assert brief_of(told) == "10 passages harmful; 10 passages unclear."
    assert told.detail.startswith("Passages 1, 3, 5, 7,")


def test_the_figure_has_two_dots_and_two_bands_a_chunk_around_a_grey_margin() -> None:
    figure = chunk_utility.utility_figure(samples.chunk_utility(), LIGHT)
    among, alone = figure.data[:2]
    assert {one.marker.color for one in figure.data[2:]} == {LIGHT.text}, "the key has no chunk's colour"
    assert list(among.x) == [0.5, 0.0, -0.4, 0.1]
    assert list(alone.error_x.array) == pytest.approx([0.3, 0.03, 0.4, 0.5])
    assert list(among.error_x.arrayminus) == pytest.approx([0.3, 0.05, 0.3, 0.5])
    assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].x1) == (-0.1, 0.1)
    assert figure.layout.title.text.startswith("Of 4 passages")
    assert [next(iter(data)) for data in among.customdata] == [0, 1, 2, 3]
    lines = [line for name in figure.layout.yaxis.ticktext for line in re.sub("</?b>", "", name).split("<br>")]
    assert max(len(unescape(line)) for line in lines) <= 18


def test_a_chunks_name_is_whole_where_it_fits_and_else_keeps_its_beginning_and_end() -> None:
    first = samples.chunk_utility().chunks[0]

    def named(title: str) -> list[str]:
        return chunk_utility.tick_lines(replace(first, passage=replace(first.passage, title=title)))[0]

    assert named("Battle of Stamford Bridge") == ["1. Battle of", "Stamford Bridge"]
    assert (
        " ".join(named("List of the longest suspension bridges in the world")) == "1. List of the lon…ges in the world"
    )
    assert chunk_utility.row_height(samples.chunk_utility()) == 18 * (1 + 4 + 1)  # an effect of four lines


def test_the_numbers_on_offer_stand_in_the_order_of_the_figure() -> None:
    told = METHODS["chunk_utility"].headlines(samples.chunk_utility())
    places = [int(one.split(".")[1]) for one in told if one.startswith("chunks")]
    assert places == sorted(places) == [0, 1, 2, 3]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_markup_in_a_title_stays_text_and_no_chunk_is_a_sentence(theme) -> None:  # type: ignore[no-untyped-def]
    figure = chunk_utility.utility_figure(samples.chunk_utility(), theme)
    assert "<script" not in figure.to_json().replace("\\u003c", "<")
    empty = chunk_utility.utility_figure(replace(samples.chunk_utility(), chunks=()), theme)
    assert len(empty.data) == 0


def test_the_table_stands_beside_denses_labels_and_says_where_there_is_none() -> None:
    table = chunk_utility.utility_table(samples.chunk_utility(), {0: "necessary"})
    assert list(table["DENSE's label"]) == ["necessary", *["not in this run"] * 3]
    assert list(table["verdict"]) == [
        "useful",
        "useless",
        "misleads among the others, no clear effect alone",
        "unclear",
    ]
    assert list(table.iloc[0, 4:]) == [0.5, 0.2, 0.8, 0.6, 0.3, 0.9]


def test_a_table_made_without_the_run_says_nothing_of_dense() -> None:
    shown = next(one.table for one in exhibits_of(samples.chunk_utility()) if one.name == "chunk-utility")
    assert shown is not None and "DENSE's label" not in shown, "DENSE may be in the run all the same"
    assert list(shown.columns[:4]) == ["passage", "title", "verdict", "ΔSePer among the others"]


def test_a_necessary_chunk_that_harms_is_worth_a_sentence() -> None:
    labels = {0: "necessary", 1: "unnecessary", 2: "necessary", 3: "certain"}
    said = chunk_utility.against_dense(samples.chunk_utility(), labels)
    assert len(said) == 1
    assert said[0].startswith("Passage 3:")
    assert chunk_utility.against_dense(samples.chunk_utility(), {}) == ()


def nearer_but_wrong() -> ChunkUtilityResult:
    """Return a chunk that moves two wrong samples from "Rome" (0.02) to "Lyon" (0.45), where "Paris" is correct."""
    rome = replace(samples.drawn(0.5), kernel=((0.02,), (0.02,)), soft=0.02)
    lyon = replace(rome, kernel=((0.45,), (0.45,)), soft=0.45)
    whole = samples.chunk_utility()
    up = samples.change(0.43, 0.2, 0.6, "up")
    use = replace(whole.chunks[0], left_out=replace(up, belief=rome), alone=replace(up, belief=lyon))
    return replace(whole, without=rome, with_passages=lyon, chunks=(use,))


def test_a_chunk_that_exchanges_one_wrong_answer_for_another_is_not_useful() -> None:
    result = nearer_but_wrong()
    assert result.chunks[0].verdict == "useful", "by soft SePer alone"
    told = chunk_utility.verdict(result)
    assert (told.word, told.tone) == ("unclear", "unknown")
    assert [trace.marker.color for trace in chunk_utility.utility_figure(result, LIGHT).data[:2]] == [
        (LIGHT.unknown,)
    ] * 2
    assert agreed(agreed(result)) == agreed(result)
    right = replace(result.with_passages, kernel=((0.99,), (0.45,)))
    assert agreed(replace(result, with_passages=right)).chunks[0].left_out.effect == "up"


def misleading_alone() -> ChunkUtilityResult:
    """Return a result whose three passages mislead alone and show nothing clear beside the others."""
    whole = samples.chunk_utility()
    among, alone = samples.change(0.22, -0.3, 0.6, "unclear", 0.38), samples.change(-0.9, -1.0, -0.7, "down", 0.05)
    chunk = replace(whole.chunks[2], left_out=among, alone=alone)
    chunks = tuple(replace(chunk, index=place) for place in range(3))
    return replace(whole, without=samples.drawn(0.95), chunks=chunks)


def test_a_chunk_that_misleads_only_alone_is_not_called_harmful() -> None:
    result = misleading_alone()
    told = chunk_utility.verdict(result)
    assert (told.word, told.tone) == ("3 passages mislead alone", "middle")
    assert told.sentence.startswith("Passages 1, 2 and 3 ")
    assert chunk_utility.verdict_words(result.chunks[0]) == "misleads alone, no clear effect among the others"
    among, alone = chunk_utility.utility_figure(result, LIGHT).data[:2]
    assert set(among.marker.color) == {LIGHT.unknown} and set(alone.marker.color) == {LIGHT.bad}


def test_a_chunk_with_two_opposite_effects_pulls_both_ways() -> None:
    whole = misleading_alone()
    chunk = replace(whole.chunks[0], left_out=samples.change(0.4, 0.1, 0.7, "up", 0.2), verdict="cannot tell")
    assert chunk_utility.verdict(replace(whole, chunks=(chunk,))).word == "1 passage pulls both ways"
    assert chunk_utility.verdict_words(chunk) == "helps among the others, misleads alone"


def test_chunks_that_pull_apart_alike_share_a_sentence() -> None:
    labels = dict.fromkeys(range(3), "certain")
    (said,) = chunk_utility.against_dense(misleading_alone(), labels)
    assert said.startswith("Passages 1, 2 and 3:")


def test_a_chunk_is_told_with_both_bands_and_denses_label() -> None:
    text = chunk_utility.chunk_sentence(samples.chunk_utility().chunks[2], "certain")
    assert "Passage 3 " in text and "ΔSePer −0.40 (−0.70 to −0.10)" in text
    assert text.endswith("certain.")


def test_every_sample_of_both_conditions_is_in_the_table() -> None:
    table = chunk_utility.samples_table(samples.chunk_utility().chunks[0])
    assert list(table["condition"]) == ["without this passage"] * 2 + ["over this passage alone"] * 2
    assert list(table["entailment"]) == [0.99, 0.01, 0.99, 0.01]


def test_the_effective_sample_size_stands_beside_both_beliefs_and_is_left_out_in_older_records() -> None:
    chunk = samples.chunk_utility().chunks[0]
    assert numbers_in(chunk_utility.effective_sentence(chunk)) == ["2.0", "2", "2.0", "2"]
    older = replace(chunk.alone, belief=replace(chunk.alone.belief, effective=None))
    left_out = replace(chunk.left_out, belief=older.belief)
    assert chunk_utility.effective_sentence(replace(chunk, alone=older, left_out=left_out)) == ""
