"""DENSE's prompt with lettered options, and their scores as three probabilities."""

from collections.abc import Sequence
from math import log

import numpy as np
import pytest

from engine.backends.entailment import load_judge
from engine.backends.entailment.llm_judge import LlmJudge, judge_prompt
from engine.backends.language_models.base import ModelIdentity
from engine.core.errors import ModelError
from engine.core.progress import Report
from engine.core.records import Prompt


class LabelModel:
    """Scores the options as told, those of empty answers as ``empty``, and remembers the prompts."""

    identity = ModelIdentity(name="told", revision="0", dtype="float32", parameters=0)

    def __init__(self, scores: Sequence[float], empty: Sequence[float] = (0.0, 0.0, 0.0)) -> None:
        self.scores, self.empty = np.array(scores), np.array(empty)
        self.prompts: list[str] = []
        self.labels: list[tuple[str, ...]] = []

    def label_logprobs(self, prompts: Sequence[Prompt], labels: Sequence[str], report: Report) -> np.ndarray:
        self.prompts += [prompt.text for prompt in prompts]
        self.labels.append(tuple(labels))
        return np.array([self.empty if "1: N/A" in prompt.text else self.scores for prompt in prompts])


def test_the_prompt_is_the_one_of_the_paper_with_its_replies_as_options() -> None:
    assert judge_prompt("Where?", "Paris", "Lyon").text == (
        "We are evaluating answers to the question Where? Here are two possible answers:\n"
        "Possible Answer 1: Paris\nPossible Answer 2: Lyon\n"
        "Does Possible Answer 1 semantically entail Possible Answer 2?\n"
        "A. entailment\nB. contradiction\nC. neutral\nRespond with ONLY A, B, or C."
    )


def test_log_probabilities_of_the_options_become_probabilities_in_our_order() -> None:
    model = LabelModel([log(0.4), log(0.1), log(0.3)])
    rows = LlmJudge(model).entailment("Q", ["a", ""], ["b", ""])  # type: ignore[arg-type]
    assert rows[0] == pytest.approx([0.125, 0.375, 0.5])
    assert rows[1].tolist() == [0.0, 0.0, 1.0]
    assert set(model.labels) == {("A", "B", "C")}


def test_options_with_equal_evidence_are_equally_probable_whatever_the_model_prefers_of_them() -> None:
    # The model likes A ten times as much as C, with and without answers: no evidence for anything.
    liked = [log(0.8), log(0.12), log(0.08)]
    even = LlmJudge(LabelModel(liked, liked)).entailment("Q", ["a"], ["b"])  # type: ignore[arg-type]
    assert even[0] == pytest.approx([1 / 3] * 3)
    # Twice as likely as without answers is evidence 2 : 1 : 1, for the least liked one too.
    more = [liked[0], liked[1], log(0.16)]
    assert LlmJudge(LabelModel(more, liked)).entailment("Q", ["a"], ["b"])[0] == pytest.approx(  # type: ignore[arg-type]
        [0.25, 0.5, 0.25]
    )


def test_the_empty_prompt_is_asked_once_a_question() -> None:
    model = LabelModel([0.0, 0.0, 0.0])
    judge = LlmJudge(model)  # type: ignore[arg-type]
    for _ in range(3):
        judge.entailment("Q", ["a"], ["b"])
    assert sum("1: N/A" in prompt for prompt in model.prompts) == 1 and len(model.prompts) == 4


def test_braces_in_an_answer_stay_as_they_are() -> None:
    assert "{question} {0}" in judge_prompt("Q", "{question} {0}", "b").text


def test_scores_that_are_none_raise() -> None:
    for scores in [[np.nan, 0, 0], [-np.inf, 0, 0]]:
        with pytest.raises(ModelError, match="told"):
            LlmJudge(LabelModel(scores)).entailment("Q", ["a"], ["b"])  # type: ignore[arg-type]


def test_the_loader_takes_the_model_it_is_given() -> None:
    judge = load_judge("llm", LabelModel([0, 0, 0]))  # type: ignore[arg-type]
    assert judge.name == "llm" and judge.note.startswith("told scores the options")
