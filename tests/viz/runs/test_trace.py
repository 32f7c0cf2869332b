"""Another pipeline's answer in words and figures: its writer is always named, empty data give a sentence."""

import json
from dataclasses import replace

import pytest

from engine.diagnosis.traces.schema import Trace, cut_note, read_trace
from engine.runs.read_trace import imported_answer
from tests.engine.diagnosis.traces.test_reading import example
from tests.viz.sample_results import HOSTILE
from viz.parts.theme import DARK, LIGHT
from viz.runs import trace as words
from viz.runs.summary import MATCH_WORDS


def test_the_card_names_the_writer_and_says_that_no_model_here_wrote_it() -> None:
    card = words.imported_html(imported_answer(example("openai_logprobs")), ())
    assert "SmolLM2-135M-Instruct" in card and "OpenAI chat completions" in card


def test_beside_another_models_answers_the_sentence_keeps_both_apart() -> None:
    said = words.apart_sentence(imported_answer(example("langchain")), "embedded")
    assert "SmolLM2-135M" in said and "nobody: an example written by hand" in said


def test_flare_and_etc_say_what_they_would_look_up_and_what_they_cannot_tell() -> None:
    answer = imported_answer(example("openai_logprobs"))
    assert "0.58" in words.flare_sentence(answer) and "4 of 17" in words.flare_sentence(answer)
    trend = words.trend_sentence(answer)
    for part in ("word 5 (token 6), “opened”", "word 7", "49,152"):
        assert part in trend
    assert "from memory" not in trend


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_figure_of_flare_has_its_finding_its_twin_and_a_sentence_where_there_is_nothing(theme) -> None:  # type: ignore[no-untyped-def]
    answer = imported_answer(example("openai_logprobs"))
    figure, table = words.flare_figure(answer, theme), words.flare_table(answer)
    assert figure.layout.title.text.startswith("4 ")
    assert list(table["probability"]) == pytest.approx(list(figure.data[0].y))
    assert int(table["below θ"].sum()) == 4
    empty = words.flare_figure(imported_answer(example("dspy")), theme)
    assert len(empty.layout.annotations) == 1


def test_what_can_be_told_is_a_sentence_and_a_table() -> None:
    found = imported_answer(example("langchain")).abilities
    assert len(words.abilities_table(found)) == len(found) == 8


def test_hostile_writers_and_answers_stay_text() -> None:
    whole = {"question": HOSTILE, "answer": {"text": HOSTILE, "written_by": HOSTILE}, "pipeline": HOSTILE}
    answer = imported_answer(read_trace(json.dumps(whole)))
    assert "<script>" not in words.imported_html(answer, ())
    assert "<b>" not in words.imported_html(answer, (HOSTILE,))


@pytest.mark.parametrize(
    ("said", "word"),
    [("In Selm.", "contains"), ("Not Selm but Karst.", "named"), ("I do not know.", "none"), ("Karst", "no")],
)
def test_an_imported_answer_is_judged_as_any_other(said: str, word: str) -> None:
    whole = {"question": "Where?", "answer": {"text": said, "written_by": "somebody"}, "golds": ["Selm"]}
    trace = read_trace(json.dumps(whole))
    assert MATCH_WORDS[word][0] in words.imported_html(imported_answer(trace), trace.golds)


SELM, KARST = "The mill is in Selm.", "The mill was in Karst."


def asked_over(said: str, passages: tuple[str, ...], golds: tuple[str, ...] = ("Selm",)) -> Trace:
    """Return a trace with this answer over these passages."""
    answer = {"text": said, "written_by": "somebody"}
    given = {"question": "Where?", "answer": answer, "golds": golds, "passages": [{"text": text} for text in passages]}
    return read_trace(json.dumps(given))


@pytest.mark.parametrize(
    ("said", "passages", "line"),
    [
        (
            "Karst",
            (KARST, SELM),
            "✖ The correct answer is named in passage 2, yet the model says “Karst”, as in passage 1.",
        ),
        ("Karst", (KARST,), "✖ No passage names the correct answer: “Karst” is wrong."),
        ("Selm", (KARST, SELM), "✔ Right after reading: “Selm”, which passage 2 names."),
        ("Selm", (KARST,), "✔ Right after reading: “Selm”, which no passage names."),
        ("I do not know.", (SELM,), "◐ No answer after reading, though passage 1 names it."),
        ("Karst", (), "Wrong: no correct answer in it"),
    ],
)
def test_the_first_line_says_whether_retrieval_or_the_model_failed(
    said: str, passages: tuple[str, ...], line: str
) -> None:
    trace = asked_over(said, passages)
    lines = words.reading_lines(imported_answer(trace), trace.golds).split("\n")
    assert lines[:2] == [f"Answer of somebody: {said}", line]


def test_the_first_line_says_that_not_every_passage_of_the_pipeline_was_looked_at() -> None:
    trace = replace(asked_over("Selm", (KARST,)), notes=(cut_note(21),))
    line = words.reading_lines(imported_answer(trace), trace.golds).split("\n")[1]
    assert line.endswith("which no passage names. Looked at: the first 1 passages.")


def test_without_a_correct_answer_the_first_line_asks_for_one() -> None:
    trace = asked_over("Karst", (SELM,), golds=())
    assert words.finding_sentence(imported_answer(trace), ()) == words.NO_GOLDS


def test_the_table_of_passages_says_which_hold_a_correct_answer() -> None:
    held = words.passages_table(asked_over("Karst", (KARST, SELM)))["holds"].fillna("")
    assert held.tolist() == ["", "✔ its words"]
    assert "holds" not in words.passages_table(asked_over("Karst", (KARST, SELM), golds=()))


def test_a_model_that_its_framework_does_not_name_is_no_name() -> None:
    whole = {"question": "Where?", "answer": {"text": "Karst", "written_by": "not told"}, "pipeline": "LangChain"}
    answer = imported_answer(read_trace(json.dumps(whole)))
    assert words.writer_words(answer) == "a model of LangChain that it does not name"
    assert "not told" not in words.apart_sentence(answer, "embedded") + words.imported_html(answer, ())
