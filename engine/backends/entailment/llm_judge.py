"""A language model as the judge, with DENSE's prompt (appendix B.2, after Farquhar et al. 2024) and lettered options.

Instead of reading a word out of a generated reply, replies are scored. The words of the paper's prompt have 3, 1 and 3
tokens in the embedded model, so that their length decided the class: by mean log-probability per token every one of 130
hand-labelled pairs was a contradiction. So the three are lettered options, A, B and C: one token each in every
tokenizer. What a model prefers of the letters themselves is measured on the same prompt with empty answers ("N/A") and
subtracted (contextual calibration, Zhao et al. 2021), so that equal evidence gives equal probability.
``benchmarks/llm_judge.py`` compares the ways. A model of 135M parameters stays a poor judge; the choice is for larger
ones.
"""

from collections.abc import Sequence

import numpy as np

from engine.backends.entailment.base import LABELS, with_rules
from engine.backends.language_models.base import LanguageModel
from engine.core.errors import ModelError
from engine.core.progress import silent
from engine.core.records import Prompt

# In the order in which the paper's prompt names them.
OPTIONS = {"A": "entailment", "B": "contradiction", "C": "neutral"}
CONTENT_FREE = "N/A"


class LlmJudge:
    """A language model that judges whether one answer entails the other, one prompt a pair, some pairs at once."""

    name = "llm"
    pairs_at_once = 8

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._empty: dict[str, np.ndarray] = {}
        self.note = (
            f"{model.identity.name} scores the options A, B and C (entailment, contradiction, neutral) of DENSE's "
            "prompt; softmax of their log-probabilities minus those for empty answers."
        )

    def entailment(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return [n, 3] (contradiction, neutral, entailment); raises ModelError on scores that are none."""
        return with_rules(premises, hypotheses, lambda left, right: self._score_labels(question, left, right))

    def _score_labels(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        if question not in self._empty:
            self._empty = {question: self._score_options([judge_prompt(question, CONTENT_FREE, CONTENT_FREE)])}
        prompts = [judge_prompt(question, *pair) for pair in zip(premises, hypotheses, strict=True)]
        evidence = self._score_options(prompts) - self._empty[question]
        odds = np.exp(evidence - evidence.max(axis=-1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=-1, keepdims=True))

    def _score_options(self, prompts: Sequence[Prompt]) -> np.ndarray:
        """Return the log-probabilities of the options by our classes; raises ModelError unless all are finite."""
        scores = self._model.label_logprobs(prompts, tuple(OPTIONS), silent)
        for row in scores:
            if not np.isfinite(row).all():
                raise ModelError(f"{self._model.identity.name} gave no usable score for a judgement: {row.tolist()}.")
        words = list(OPTIONS.values())
        return np.asarray(scores[:, [words.index(label) for label in LABELS]])


def judge_prompt(question: str, premise: str, hypothesis: str) -> Prompt:
    """Return DENSE's prompt with its three replies as options: does answer 1 (the premise) entail answer 2?"""
    options = "\n".join(f"{letter}. {label}" for letter, label in OPTIONS.items())
    return Prompt(
        text=(
            f"We are evaluating answers to the question {question} Here are two possible answers:\n"
            f"Possible Answer 1: {premise}\n"
            f"Possible Answer 2: {hypothesis}\n"
            "Does Possible Answer 1 semantically entail Possible Answer 2?\n"
            f"{options}\n"
            "Respond with ONLY A, B, or C."
        )
    )
