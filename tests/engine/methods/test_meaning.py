"""The judge is asked about the answers that words call wrong, and about nothing else."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from engine.backends.entailment import load_judge
from engine.backends.entailment.scripted import ScriptedJudge
from engine.core.errors import ModelError
from engine.core.records import JudgedAnswer
from engine.diagnosis.serialize import from_json, to_json
from engine.diagnosis.traces.schema import read_trace
from engine.measures.answer_marks import judged_mark
from engine.methods.meaning import judged_answers
from engine.runs.read_trace import imported_answer
from engine.runs.run import diagnose, judged_in
from engine.runs.sample_runs import recorded_run
from tests.pages.page_fixtures import done, whole_diagnosis
from tests.viz.sample_rag_results import refined_result
from viz.runs.summary import passages_html

WHEN = "When was it released?"


class NamedJudge(ScriptedJudge):
    """A scripted judge under the name of the embedded one."""

    name = "embedded"


class BrokenJudge(NamedJudge):
    """A judge that fails."""

    def entailment(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        raise ModelError("The judge fell over.")


def test_each_answer_that_words_call_wrong_gets_the_likeliest_meaning() -> None:
    judge = NamedJudge(
        {("2010-09-08", "8 September 2010"): (0.1, 0.2, 0.7), ("2010-09-08", "in 2010"): (0.1, 0.0, 0.9)}
    )

    found = judged_answers(
        judge, WHEN, ("8 September 2010", "in 2010"), ("2010-09-08", "8 September 2010", "2010-09-08")
    )

    assert found == (JudgedAnswer(text="2010-09-08", meaning=0.9),)
    assert judge.asked == [(WHEN, "2010-09-08", "8 September 2010"), (WHEN, "2010-09-08", "in 2010")]


@pytest.mark.parametrize(
    ("golds", "text"),
    [
        ((), "1999"),
        (("2010",), "in 2010"),
        (("2010",), "I do not know"),
        (("2010",), "not 2010"),
        (("yes",), "It was."),
        # The embedded judge gives each of these 0.998 or more than 0.84.
        (("two",), "not 2"),
        (("July 20, 2010",), "19 or 20 July 2010"),
        (("July 20, 2010",), "between 19 July 2010 and 20 July 2010"),
        (("She was found not guilty",), "She was found guilty"),
        (("the Moon and the Sun",), "The tides are not caused by the Moon's gravity and the Sun's."),
    ],
)
def test_what_words_decide_is_not_asked(golds: tuple[str, ...], text: str) -> None:
    judge = NamedJudge({})

    assert judged_answers(judge, WHEN, golds, (text,)) == () and judge.asked == []


def test_only_a_judge_that_was_compared_with_people_is_asked_and_a_failure_leaves_words_alone() -> None:
    scripted = ScriptedJudge(lambda premise, hypothesis: 2)

    assert judged_answers(scripted, WHEN, ("2010",), ("1999",)) == () and scripted.asked == []
    assert judged_answers(BrokenJudge({}), WHEN, ("2010",), ("1999",)) == ()


@pytest.mark.parametrize(
    ("question", "text", "golds", "mark"),
    [
        (WHEN, "It was released on September 8, 2010.", ("8 September 2010",), "meant"),
        (WHEN, "It was released on September 9, 2010.", ("8 September 2010",), "no"),
        ("who plays david", "Jason Michael Lee", ("Jason Lee",), "meant"),
        ("who plays david", "Bruce Lee", ("Jason Lee",), "no"),
        ("how many seasons were made", "There were 4 seasons.", ("four",), "meant"),
        # "On what date" asks for more than the year: the judge gives 0.75.
        ("On what date did they land?", "1969", ("20 July 1969",), "no"),
    ],
)
def test_the_embedded_judge_reads_other_words(question: str, text: str, golds: tuple[str, ...], mark: str) -> None:
    (found,) = judged_answers(load_judge(), question, golds, (text,))

    assert judged_mark(text, golds, found.meaning) == mark


def test_a_run_keeps_what_the_judge_said() -> None:
    found = diagnose(
        "When was it released?",
        passages=["Amnesia was released on September 8, 2010."],
        answers=["2010-09-08", "the eighth of September 2010"],
        methods=(),
    )

    assert found.answer.text.startswith("September 8")
    said = {one.text: one.meaning for one in found.judged}
    assert said[found.answer.text] >= 0.8
    assert from_json(to_json(found)).judged == found.judged


def test_the_judge_reads_the_answers_of_dense_rag_too() -> None:
    refined = refined_result()
    found = replace(whole_diagnosis(golds=("a wall",)), outcomes=(done("dense_rag", refined),))
    written = [found.answer, found.closed_book, *(step.answer for step in refined.steps)]

    said = judged_in(found, NamedJudge(lambda premise, hypothesis: 2))

    assert [one.text for one in said] == list(dict.fromkeys(one.text for one in written)) and len(said) > 2


@pytest.mark.parametrize(
    ("answer", "chip"), [("330 m", "a correct answer by the judge"), ("319 m", "names no correct answer")]
)
def test_a_passage_is_not_said_to_lack_what_the_judge_calls_right(answer: str, chip: str) -> None:
    run = whole_diagnosis(golds=("330 metres",))
    hit = replace(run.hits[0], passage=replace(run.hits[0].passage, text="It is 330 m tall, the other 319 m."))
    asked = replace(
        run, hits=(hit,), answer=replace(run.answer, text=answer), judged=(JudgedAnswer(text="330 m", meaning=0.9),)
    )

    assert chip in passages_html(asked)


def test_a_record_without_what_the_judge_said_is_read() -> None:
    assert recorded_run("capital-of-japan").judged == ()


def test_a_trace_is_judged_by_its_meaning_too() -> None:
    trace = read_trace(
        '{"question": "When was it released?", "golds": ["8 September 2010"], "passages": [{"text": "None."}], '
        '"answer": {"text": "It came out on September 8, 2010.", "written_by": "a model"}}'
    )
    found = imported_answer(trace)

    assert found.right is False and found.judged[0].meaning >= 0.8
    assert imported_answer(replace(trace, golds=())).judged == ()
