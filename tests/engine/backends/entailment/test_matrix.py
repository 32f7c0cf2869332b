"""Every ordered pair gets a class, every distinct pair is judged once, and empties never reach the judge."""

import numpy as np
import pytest

from engine.backends.entailment.matrix import judge_against, judge_pairs, plain
from engine.backends.entailment.scripted import ScriptedJudge
from engine.core.errors import Cancelled, ModelError
from engine.core.progress import Event, Stage, silent


def test_equal_texts_are_one_whatever_their_case_spaces_and_outer_punctuation() -> None:
    assert plain(' "The  Sun". ') == plain("the sun") == "the sun"
    assert plain("1.5") != plain("15") and plain("-5") != plain("5") and plain("C++") != plain("C")
    assert plain(" ...\n") == plain("") == ""


def test_classes_stand_row_premise_column_hypothesis() -> None:
    judge = ScriptedJudge({("Paris, France", "Paris"): 2, ("Paris", "Paris, France"): 1})
    classes, judgements = judge_pairs(judge, "Where?", ["Paris, France", "Paris", "Lyon"], silent)
    assert classes.tolist() == [[2, 2, 0], [1, 2, 0], [0, 0, 2]]
    assert [j.label for j in judgements][:2] == ["entailment", "contradiction"]
    assert (judgements[0].premise, judgements[0].hypothesis, judgements[0].entailment) == (
        "Paris, France",
        "Paris",
        1.0,
    )


def test_ten_answers_of_two_meanings_cost_two_calls_instead_of_ninety() -> None:
    judge = ScriptedJudge({})
    classes, judgements = judge_pairs(judge, "Q", ["Paris", "paris.", " Paris "] * 3 + ["Lyon"], silent)
    assert judge.asked == [("Q", "Paris", "Lyon"), ("Q", "Lyon", "Paris")]
    assert len(judgements) == 2
    assert classes[:9, :9].min() == 2 and classes[9].tolist() == [0] * 9 + [2]


def test_empty_answers_go_by_rule_without_a_call() -> None:
    judge = ScriptedJudge({})
    classes, judgements = judge_pairs(judge, "Q", ["", "Paris", " . "], silent)
    assert classes.tolist() == [[2, 1, 2], [1, 2, 1], [2, 1, 2]]
    assert judge.asked == [] and [j.neutral for j in judgements] == [1.0, 1.0]


def test_a_tie_of_probabilities_goes_to_the_lower_class_as_in_the_records() -> None:
    judge = ScriptedJudge(lambda premise, hypothesis: (0.4, 0.2, 0.4))
    classes, judgements = judge_pairs(judge, "Q", ["a", "b"], silent)
    assert classes.tolist() == [[2, 0], [0, 2]] and judgements[0].label == "contradiction"


def test_fewer_than_two_answers_need_no_judge() -> None:
    for texts in [[], ["Paris"]]:
        classes, judgements = judge_pairs(ScriptedJudge({}), "Q", texts, silent)
        assert classes.shape == (len(texts), len(texts)) and judgements == ()


def test_progress_is_told_between_batches_of_32_and_can_stop() -> None:
    events: list[Event] = []
    judge_pairs(ScriptedJudge({}), "Q", [str(n) for n in range(7)], events.append)
    assert events == [Stage(method="entailment", name="judging pairs", done=n, total=42) for n in (0, 32)]

    def stop(event: Event) -> None:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        judge_pairs(ScriptedJudge({}), "Q", ["a", "b"], stop)


def test_responses_against_golds_keep_both_directions_apart() -> None:
    judge = ScriptedJudge({("in 1960", "1960"): (0.1, 0.2, 0.7), ("1960", "in 1960"): (0.0, 0.9, 0.1)})
    forth, back, judgements = judge_against(judge, "When?", ["in 1960", "1961", "In 1960"], ["1960", "MCMLX"])
    assert forth.shape == back.shape == (3, 2, 3)
    assert forth[0, 0].tolist() == forth[2, 0].tolist() == [0.1, 0.2, 0.7]
    assert back[0, 0].tolist() == [0.0, 0.9, 0.1]
    assert forth[1, 1].tolist() == [1.0, 0.0, 0.0]
    assert len(judgements) == len(judge.asked) == 8


def test_equal_response_and_gold_are_asked_since_their_probability_counts() -> None:
    judge = ScriptedJudge(lambda premise, hypothesis: (0.0, 0.01, 0.99))
    forth, _, _ = judge_against(judge, "Q", ["Paris"], ["Paris"])
    assert forth[0, 0, 2] == 0.99 and len(judge.asked) == 2


def test_no_gold_gives_an_empty_kernel() -> None:
    forth, back, judgements = judge_against(ScriptedJudge({}), "Q", ["Paris", "Lyon"], [])
    assert forth.shape == back.shape == (2, 0, 3) and judgements == ()


def test_an_empty_response_is_neutral_to_a_gold_in_both_directions() -> None:
    forth, back, _ = judge_against(ScriptedJudge({}), "Q", [""], ["Paris"])
    assert np.array_equal(forth, back) and forth[0, 0].tolist() == [0.0, 1.0, 0.0]


def test_a_judge_that_gives_no_probabilities_is_a_sentence_that_names_it() -> None:
    for row in [(np.nan, np.nan, np.nan), (0.2, 0.2, 0.2), (0.0, 0.0, 3.0), (-0.5, 0.5, 1.0), (np.inf, 0.0, 0.0)]:
        with pytest.raises(ModelError, match=r"scripted gave \["):
            judge_pairs(ScriptedJudge(lambda premise, hypothesis, row=row: row), "Q", ["Paris", "Lyon"], silent)
        with pytest.raises(ModelError, match="scripted gave"):
            judge_against(ScriptedJudge(lambda premise, hypothesis, row=row: row), "Q", ["Paris"], ["Lyon"], silent)


def test_a_judge_that_gives_two_numbers_a_pair_is_a_sentence() -> None:
    class Halved(ScriptedJudge):
        def entailment(self, question, premises, hypotheses):
            return super().entailment(question, premises, hypotheses)[:, :2]

    with pytest.raises(ModelError, match=r"\(2, 2\)"):
        judge_pairs(Halved({}), "Q", ["Paris", "Lyon"], silent)


def test_probabilities_rounded_as_float32_rounds_them_are_taken() -> None:
    judge = ScriptedJudge(lambda premise, hypothesis: (-1e-7, 0.1, 0.9000004))
    _, judgements = judge_pairs(judge, "Q", ["Paris", "Lyon"], silent)
    assert judgements[0].contradiction == 0.0


def test_a_judge_of_one_pair_at_a_time_can_be_stopped_after_each() -> None:
    class Slow(ScriptedJudge):
        pairs_at_once = 1

    judge = Slow({})

    def stop_at_the_third(event: Event) -> None:
        if isinstance(event, Stage) and event.done == 2:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        judge_against(judge, "Q", ["a", "b", "c"], ["d"], stop_at_the_third)
    assert len(judge.asked) == 2
