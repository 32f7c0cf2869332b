"""A language model as the judge, with DENSE's prompt (appendix B.2, after Farquhar et al. 2024).

Instead of reading a word out of a generated reply, the three words are scored as replies and their mean token
log-probabilities go through a softmax: one number for each class, and no reply that cannot be parsed. A model of 135M
parameters is a poor judge this way; the choice is for larger ones.
"""

from collections.abc import Sequence

import numpy as np

from engine.backends.entailment.base import LABELS, with_rules
from engine.backends.language_models.base import LanguageModel
from engine.core.errors import ModelError
from engine.core.progress import silent
from engine.core.records import Prompt


class LlmJudge:
    """A language model that judges whether one answer entails the other, one prompt a pair, some pairs at once."""

    name = "llm"
    pairs_at_once = 8

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.note = (
            f"{model.identity.name} scores the replies entailment, contradiction and neutral to DENSE's prompt; "
            "softmax of their mean token log-probabilities."
        )

    def entailment(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return [n, 3] (contradiction, neutral, entailment); raises ModelError on scores that are none."""
        return with_rules(premises, hypotheses, lambda left, right: self._score_labels(question, left, right))

    def _score_labels(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        prompts = [judge_prompt(question, *pair) for pair in zip(premises, hypotheses, strict=True)]
        scores = self._model.label_logprobs(prompts, LABELS, silent)
        for row in scores:
            if not np.isfinite(row).any() or np.isnan(row).any():
                raise ModelError(f"{self._model.identity.name} gave no usable score for a judgement: {row.tolist()}.")
        odds = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=-1, keepdims=True))


def judge_prompt(question: str, premise: str, hypothesis: str) -> Prompt:
    """Return DENSE's prompt: does answer 1 (the premise) entail answer 2 (the hypothesis)?"""
    return Prompt(
        text=(
            f"We are evaluating answers to the question {question} Here are two possible answers:\n"
            f"Possible Answer 1: {premise}\n"
            f"Possible Answer 2: {hypothesis}\n"
            "Does Possible Answer 1 semantically entail Possible Answer 2? "
            "Respond with ONLY entailment, contradiction, or neutral."
        )
    )
