"""The baselines' words, grid and table on results made by hand."""

import math
import re
from dataclasses import replace
from typing import get_args

import pytest

from engine.catalogue.names import short_name
from engine.catalogue.uncertainty import MEASURES
from engine.catalogue.walk import numbers_of
from engine.methods.uncertainty import MeasureWord, Reading
from tests.pages.page_fixtures import done, whole_diagnosis
from tests.viz import sample_uncertainty as samples
from viz.methods import uncertainty
from viz.methods.verdicts import BRIEF_WORDS, brief_of, rest_of
from viz.parts.theme import DARK, LIGHT


def test_the_verdict_counts_who_says_uncertain_in_fifteen_words() -> None:
    verdict = uncertainty.verdict(samples.baselines())
    # Reworded: DSE, discrete and U_deg (probabilities) of four; memory: both.
    assert "5 of 6" in verdict.sentence and "3 of 4" in verdict.detail
    assert len(f"{verdict.word} {brief_of(verdict)}".split()) <= BRIEF_WORDS


def test_sets_that_agree_within_and_differ_from_each_other_are_not_called_mixed() -> None:
    result = samples.baselines()
    reworded, memory = result.sets[0], result.sets[1]
    calm = replace(reworded, readings=tuple(replace(one, uncertain=False) for one in reworded.readings))
    verdict = uncertainty.verdict(replace(result, sets=(calm, memory)))
    assert verdict.word == "agree set by set"
    sides = "Uncertain: samples from memory. Certain: DENSE's reworded contexts."
    assert brief_of(verdict).startswith(sides)
    assert len(f"{verdict.word} {brief_of(verdict)}".split()) <= BRIEF_WORDS
    # A card shows sentence and detail, a page the line, what it cut off, and the detail: each says the count once.
    for shown in (verdict.sentence, brief_of(verdict) + rest_of(verdict)):
        assert f"{shown} {verdict.detail}".count("2 of 8 readings say uncertain") == 1
        assert shown.count("Uncertain: samples") == 1


def test_a_measure_and_a_set_have_one_name_on_the_page_and_beside_their_numbers() -> None:
    diagnosis = replace(whole_diagnosis(), outcomes=(done("uncertainty", samples.baselines()),))
    named = [short_name(place) for place in numbers_of(diagnosis) if isinstance(place.owner, Reading)]
    table = uncertainty.readings_table(samples.baselines(), "decisions")
    for measure, answers in zip(table["measure"], table["answers"], strict=True):
        assert any(measure in name and answers in name for name in named)
    assert not any("degree entropy" in name or "closed book" in name for name in named)


def test_where_all_agree_the_verdict_is_one_word() -> None:
    result = samples.baselines()
    memory = replace(result, sets=(result.sets[1],))
    assert uncertainty.verdict(memory).word == "all say uncertain"
    assert uncertainty.verdict(samples.nothing_measured()).word == "not measured"


def test_the_threshold_is_beside_the_value_where_it_differs_from_set_to_set() -> None:
    result = samples.baselines()
    heat = samples.reading("heat_kernel", 0.87, 0.85)
    memory = replace(result.sets[1], readings=(*result.sets[1].readings, heat))
    result = replace(result, sets=(result.sets[0], memory))
    assert uncertainty.with_differing_cuts(result, "probabilities") == {"heat_kernel"}
    texts = [trace.text[0] for trace in uncertainty.agreement_figure(result, LIGHT).data]
    assert "0.87, threshold 0.85 · uncertain" in texts and "0.90, threshold 0.95 · certain" in texts
    assert "0.69 · uncertain" in texts
    told = re.sub(r"<[^>]+>", "", uncertainty.measures_html(result))
    assert "0.87 threshold 0.85 · uncertain" in told and "0.90 threshold 0.95 · certain" in told
    # DSE has one cut in both sets: it stands once, beside the measure's name.
    assert told.count("threshold 0.20") == 1 and "DSEthreshold 0.20" in told
    assert told.count("Not measured: These answers are no draws.") == 1
    assert set(uncertainty.shared_cuts(result, "probabilities")) == {"discrete semantic entropy", "U_deg", "DSE"} | {
        "semantic entropy"
    }


def test_the_graph_that_is_read_changes_who_contradicts_dense() -> None:
    result = samples.baselines()
    assert uncertainty.beside_dense(result.sets[0], "decisions") == ("U_deg", "KLE, heat")
    assert uncertainty.beside_dense(result.sets[0], "probabilities") == ("KLE, heat",)
    assert "U_deg and KLE, heat" in uncertainty.disagreement_sentence(result, "decisions")


def test_the_grid_has_a_cell_with_value_and_word_for_each_measure_of_each_measured_set() -> None:
    figure = uncertainty.agreement_figure(samples.baselines(), LIGHT)
    texts = [trace.text[0] for trace in figure.data]
    assert len(texts) == 6 + 2
    assert texts[0] == "0.69 · uncertain"
    assert texts[1] == "not measured"
    assert figure.layout.title.text.startswith("3 of 4 measures call ")
    # A cell's field lies around its text, so that the second set stands right of the first.
    (first, last) = (figure.layout.shapes[0], figure.layout.shapes[-1])
    assert (first.x0, first.x1, first.y0, first.y1) == (-0.46, 0.46, -0.42, 0.42) and last.x0 == 1 - 0.46
    assert list(figure.layout.xaxis.ticktext)[1] == "samples from memory (3)"


def test_the_table_in_html_has_the_same_cells_as_the_figure() -> None:
    html = uncertainty.measures_html(samples.baselines())
    assert html.count('class="rm-middle"') + html.count('class="rm-model"') + html.count("<b>not measured") == 6 + 2
    assert html.count('scope="row"') == len(MEASURES)
    assert "<td" not in uncertainty.measures_html(samples.nothing_measured())


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_without_any_answers_the_grid_is_a_sentence(theme) -> None:  # type: ignore[no-untyped-def]
    figure = uncertainty.agreement_figure(samples.nothing_measured(), theme)
    assert len(figure.data) == 0
    assert len(figure.layout.annotations) == 1


def test_the_table_has_range_cut_origin_and_reason() -> None:
    table = uncertainty.readings_table(samples.baselines(), "decisions")
    assert len(table) == 6 + 2
    row = table[table["measure"] == "predictive entropy"].iloc[0]
    assert math.isinf(row["highest"])
    assert (row["verdict"], bool(row["why not measured"])) == ("not measured", True)
    dse = {"measure": "DSE", "answers": "DENSE's reworded contexts", "value": 0.69, "unit": "nats"}
    ends = {"lowest": 0.0, "highest": 2.3, "uncertain above": 0.2, "threshold from": "paper", "verdict": "uncertain"}
    assert table.iloc[0].to_dict() == dse | ends | {"source": "DENSE, eq. 6", "why not measured": ""}
    assert list(table["verdict"])[3:6] == ["uncertain", "certain", "certain"]
    lone = samples.answer_set("reworded", ("a",), (samples.reading("degree_entropy", 0.0, None),))
    told = uncertainty.readings_table(replace(samples.baselines(), sets=(lone,)))
    assert list(told["verdict"]) == ["nothing to compare"]


def test_every_measure_of_the_method_has_a_formula() -> None:
    assert set(MEASURES) == set(get_args(MeasureWord))


def test_small_numbers_keep_the_digits_that_tell_them_from_their_cut() -> None:
    assert [uncertainty.number(value) for value in (0.0042, 0.96, 1e-9, -0.0)] == ["0.0042", "0.96", "0", "0"]


def test_the_answers_table_names_the_empty_answer() -> None:
    table = uncertainty.answers_table(samples.baselines().sets[1])
    assert list(table["answer"])[2] == "(empty)"
    assert list(table["meaning"]) == [1, 2, 3]


def test_a_set_whose_answers_state_nothing_has_no_say() -> None:
    result = samples.baselines()
    first = result.sets[0]
    silent = replace(first, answers=tuple(replace(one, text="") for one in first.answers))
    assert uncertainty.verdict(replace(result, sets=(silent, result.sets[1]))).word == "all say uncertain"
    nothing = uncertainty.verdict(replace(result, sets=(silent,)))
    assert (nothing.word, nothing.sentence) == ("no answer to compare", "No answer states anything.")
    assert nothing.detail == uncertainty.sentence(replace(result, sets=(silent,)))


def test_answers_that_state_nothing_have_no_part_in_the_average_of_right_answers() -> None:
    result = samples.baselines()
    first, memory = result.sets[:2]
    silent = replace(memory, answers=tuple(replace(one, text="") for one in memory.answers))
    alone = uncertainty.right_answers(replace(result, sets=(first,)))
    assert alone == "; for a known right answer, 1 on average."
    assert uncertainty.right_answers(replace(result, sets=(first, silent))) == alone


def test_answers_that_state_nothing_are_neither_certain_nor_uncertain_in_title_and_cells() -> None:
    result = samples.baselines()
    silent = replace(result.sets[1], answers=tuple(replace(one, text="") for one in result.sets[1].answers))
    empty = replace(result, sets=(silent,))
    assert uncertainty.title(empty, "probabilities") == "No answer to compare"
    figure = uncertainty.agreement_figure(empty, LIGHT)
    assert [trace.text[0] for trace in figure.data] == ["1.50 · –", "1.40 · –"]
    assert uncertainty.title(replace(result, sets=(silent, result.sets[0])), "decisions").startswith("2 of 4 ")


def test_nothing_contradicts_dse_only_where_dse_says_something() -> None:
    result = samples.baselines()
    without = replace(result.sets[1], readings=result.sets[1].readings[1:])
    said = uncertainty.disagreement_sentence(replace(result, sets=(without,)), "probabilities")
    assert said == "DSE calls none of these answers certain or uncertain."
    agreeing = uncertainty.disagreement_sentence(replace(result, sets=(result.sets[1],)), "probabilities")
    assert agreeing == "No measure contradicts DSE."


def test_one_answer_that_states_nothing_is_not_told_of_as_several() -> None:
    lone = samples.answer_set("closed_book", ("",), samples.baselines().sets[1].readings)
    assert uncertainty.set_sentence(lone, "decisions") == "Samples from memory (1 answer): it states nothing."


def test_a_reading_next_to_its_cut_has_the_digits_that_tell_them_apart() -> None:
    one = samples.reading("degree_entropy", 0.204, 0.2)
    assert uncertainty.cell_text(one, with_cut=True) == "0.204, threshold 0.200 · uncertain"
    assert uncertainty.cell_text(samples.reading("degree", 0.1389, 0.1386)) == "0.1389 · uncertain"
    assert "= 0.204 (" in uncertainty.reading_sentence(one) and "above 0.200 (" in uncertainty.reading_sentence(one)
    lone = samples.answer_set("reworded", ("a", "b"), (one,))
    assert uncertainty.shared_cuts(replace(samples.baselines(), sets=(lone,)), "decisions") == {
        "DSE": "threshold 0.200"
    }


TELLING = ("degree_entropy", "degree", "heat_kernel", "eccentricity")


@pytest.mark.parametrize(
    ("says", "sentence", "title"),
    [
        ((None,), ": 2 answers, too few to disagree.", "A single answer"),
        ((True, True), " (2 answers): all 2 measures say uncertain.", "2 of 2 measures call"),
        ((False, False), " (2 answers): all 2 measures say certain.", "0 of 2 measures call"),
        (
            (True, False, False),
            " (2 answers): 1 of 3 measures says uncertain; only DSE says uncertain.",
            "1 of 3 measures calls",
        ),
        (
            (False, True, True),
            " (2 answers): 2 of 3 measures say uncertain; only DSE says certain.",
            "2 of 3 measures call",
        ),
        (
            (True, False, False, True),
            " (2 answers): 2 of 4 measures say uncertain; only DSE and U_ecc say uncertain.",
            "2 of 4 measures call",
        ),
    ],
)
def test_a_set_is_told_by_the_smaller_side(says: tuple[bool | None, ...], sentence: str, title: str) -> None:
    values = {True: (0.5, 0.2), False: (0.1, 0.2), None: (0.0, None)}
    read = tuple(samples.reading(word, *values[one]) for word, one in zip(TELLING, says, strict=False))
    answers = samples.answer_set("closed_book", ("a", "b"), read)
    assert uncertainty.set_sentence(answers, "decisions") == f"Samples from memory{sentence}"
    named = f"{title} samples from memory uncertain" if len(read) > 1 else title
    assert uncertainty.title(replace(samples.baselines(), sets=(answers,)), "decisions") == named
