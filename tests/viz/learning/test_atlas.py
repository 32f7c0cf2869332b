"""The atlas drawn: strip, matrix and their text twins say the same, and untrusted text stays text."""

import re
from dataclasses import replace

import pytest

from engine.learning.atlas.kinds import KINDS
from engine.learning.atlas.shelf import specimens
from engine.methods import METHODS
from tests.engine.learning.atlas.failure_case import OTHER, RIGHT, run, specimen
from tests.viz.sample_results import HOSTILE, dense_full, dense_understood
from viz.learning.atlas import (
    STATES,
    chips_html,
    clues_table,
    holds,
    matrix_figure,
    matrix_sentence,
    matrix_table,
    matrix_title,
    missing_sentence,
    strip_html,
    strip_sentence,
    strip_table,
    unjudged_sentence,
)
from viz.learning.atlas_stories import STORIES, labels_of, passages_words, story
from viz.parts.theme import DARK, LIGHT

ASTRAY = specimen("distractor", run("1,768 metres", OTHER, RIGHT, results=(dense_full(),)))
CALM = specimen("misread", run("1866", RIGHT, results=(dense_understood(),)))


def test_a_strip_says_what_each_passage_holds_and_what_came_of_it() -> None:
    assert [holds(ASTRAY, rank) for rank in (1, 2)] == ["wrong answer", "right answer"]
    assert holds(CALM, 1) == "right and wrong answer"
    said = strip_sentence(ASTRAY)
    assert "passage 1: wrong answer" in said and "“1,768 metres” (wrong)" in said
    assert strip_table(ASTRAY)["holds"].tolist() == ["wrong answer", "right answer"]
    drawn = strip_html(ASTRAY, LIGHT)
    assert "1 ✖" in drawn and "2 ★" in drawn and 'role="img"' in drawn


def test_a_story_is_told_for_every_kind_and_names_what_the_record_holds() -> None:
    assert set(STORIES) == set(KINDS)
    text = story(ASTRAY)
    places = [text.index(part) for part in ("“1,914 metres”", "passage 2", "“1,768 metres”", "passage 1")]
    assert places == sorted(places)
    assert passages_words((1, 2, 4)) == "passages 1, 2 and 4"


def test_labels_are_said_once_however_many_passages_have_them() -> None:
    assert labels_of(dense_understood(), (1, 3)) == ["certain"]
    assert labels_of(dense_understood(), (1, 2, 3)) == ["certain", "necessary"]
    for one in specimens():
        assert not re.search(r"\b(\w+) and \1\b", story(one))


def test_a_method_is_in_the_matrix_or_named_below_it() -> None:
    columns = set(matrix_table([ASTRAY, CALM]).columns)
    for method in METHODS.values():
        assert (method.title in columns) != (method.title in unjudged_sentence())


def test_the_matrix_counts_what_was_noticed_of_what_a_method_has_an_eye_for() -> None:
    said = matrix_sentence([ASTRAY, CALM])
    assert "DENSE 1 of 2" in said and KINDS["misread"].title in said
    assert matrix_title([ASTRAY, CALM]).startswith("1 of 2 ")
    assert " of 1 " in matrix_title([ASTRAY])


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_figure_has_a_symbol_of_its_own_for_every_word_and_its_table_says_the_same(theme: object) -> None:
    figure = matrix_figure([ASTRAY, CALM], theme)  # type: ignore[arg-type]
    assert len({symbol for _, symbol, _ in STATES.values()}) == len(STATES) == len(figure.data)
    table = matrix_table([ASTRAY, CALM])
    assert table["DENSE"].tolist() == ["✔ saw", "✖ missed"]
    assert table["Retrieval timing"].tolist() == ["– no rule"] * 2
    drawn = {trace.name: len(trace.x) for trace in figure.data}
    cells = table.drop(columns=["failure", "question"]).to_numpy().ravel().tolist()
    assert drawn == {name: cells.count(name) for name in drawn}


def test_without_a_failure_the_figure_says_so() -> None:
    figure = matrix_figure([], LIGHT)
    assert not figure.data and figure.layout.title.text == matrix_sentence([]).removesuffix(".")


def test_the_clues_stand_beside_the_methods_own_words() -> None:
    table = clues_table(ASTRAY)
    assert table["noticed"].tolist()[0] == "✔ saw"
    assert table["its word on this run"].tolist()[:2] == ["unstable", "not run"]
    # DENSE: 19 of 140 right answers, benchmarks/results/dense_correctness.json. SePer's was not counted.
    assert table["also of right answers"].tolist()[:2] == ["19 of 140", "not measured"]


def test_a_kind_without_a_run_is_named() -> None:
    assert KINDS["misread"].title in missing_sentence([ASTRAY])
    assert missing_sentence([specimen(word, ASTRAY.run) for word in KINDS]) == ""


def test_untrusted_text_is_drawn_as_text() -> None:
    passage = replace(ASTRAY.run.hits[0], passage=replace(ASTRAY.run.hits[0].passage, title=HOSTILE, text=HOSTILE))
    hostile = specimen("distractor", replace(run(HOSTILE, RIGHT, memory=HOSTILE), hits=(passage,)))
    for drawn in (strip_html(hostile, DARK), chips_html(hostile)):
        assert "<script" not in drawn and "<b>31" not in drawn


@pytest.mark.parametrize("shown", specimens(), ids=lambda shown: shown.kind.word)
def test_every_recorded_failure_is_drawn(shown: object) -> None:
    assert strip_html(shown, LIGHT) and chips_html(shown)  # type: ignore[arg-type]
    assert len(clues_table(shown)) == len(shown.kind.clues)  # type: ignore[attr-defined, arg-type]


def test_a_cut_answer_of_the_strip_shows_whole_on_hover() -> None:
    long = "the very long answer of a model that does not stop " * 3
    drawn = strip_html(specimen("distractor", run(long, RIGHT, memory="short")), LIGHT)
    assert f'title="{" ".join(long.split())}"' in drawn and 'title="short"' not in drawn
