"""DENSE's prompt, and three label scores as three probabilities."""

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
    """Scores labels as told and remembers the prompts."""

    identity = ModelIdentity(name="told", revision="0", dtype="float32", parameters=0)

    def __init__(self, scores: Sequence[float]) -> None:
        self.scores = np.array(scores)
        self.prompts: list[str] = []
        self.labels: list[tuple[str, ...]] = []

    def label_logprobs(self, prompts: Sequence[Prompt], labels: Sequence[str], report: Report) -> np.ndarray:
        self.prompts += [prompt.text for prompt in prompts]
        self.labels.append(tuple(labels))
        return np.tile(self.scores, (len(prompts), 1))


def test_the_prompt_is_the_one_of_the_paper() -> None:
    assert judge_prompt("Where?", "Paris", "Lyon").text == (
        "We are evaluating answers to the question Where? Here are two possible answers:\n"
        "Possible Answer 1: Paris\nPossible Answer 2: Lyon\n"
        "Does Possible Answer 1 semantically entail Possible Answer 2? "
        "Respond with ONLY entailment, contradiction, or neutral."
    )


def test_log_probabilities_of_the_labels_become_probabilities_in_our_order() -> None:
    model = LabelModel([log(0.1), log(0.3), log(0.4)])
    rows = LlmJudge(model).entailment("Q", ["a", ""], ["b", ""])  # type: ignore[arg-type]
    assert rows[0] == pytest.approx([0.125, 0.375, 0.5])
    assert rows[1].tolist() == [0.0, 0.0, 1.0]
    assert model.labels == [("contradiction", "neutral", "entailment")]


def test_braces_in_an_answer_stay_as_they_are() -> None:
    assert "{question} {0}" in judge_prompt("Q", "{question} {0}", "b").text


def test_scores_that_are_none_raise() -> None:
    for scores in [[np.nan, 0, 0], [-np.inf] * 3]:
        with pytest.raises(ModelError, match="told"):
            LlmJudge(LabelModel(scores)).entailment("Q", ["a"], ["b"])  # type: ignore[arg-type]


def test_the_loader_takes_the_model_it_is_given() -> None:
    judge = load_judge("llm", LabelModel([0, 0, 0]))  # type: ignore[arg-type]
    assert judge.name == "llm" and judge.note.startswith("told scores the replies")
