"""A judge without NLI weights: string rules where they decide, embedding similarity where they do not.

Smaller than the embedded judge and without a trained encoder, so its verdicts can be followed by hand. What no rule of
``rules.py`` decides goes through a logistic map of a cosine and the shares of words in common, fitted on people's
judgements of answers to Natural Questions (EVOUNA, Wang et al. 2023) by ``training/fit_similarity.py``. People judged
whether two answers mean the same, so nothing there tells contradiction from neutral: what is left over from
entailment is split by rule, mostly to contradiction where the answers have no word in common.
"""

from collections.abc import Sequence
from math import exp

import numpy as np

from engine.backends.entailment.answers import words
from engine.backends.entailment.base import with_rules
from engine.backends.entailment.rules import SHORT, Answer, Probabilities, by_rule, read_answer, share
from engine.backends.retrieval.base import Embedder, embeddings

# Intercept, cosine of the content words, share of the hypothesis' words in the premise, the other way round, and 1 for
# a premise of more than twelve words (it says more than its cosine shows).
WEIGHTS = (-3.21, 3.17, 3.06, 1.29, 1.11)
# How much of what is not entailment is contradiction: answers without, and with, a word in common.
CONTRADICTION_SHARE = (0.8, 0.4)


class SimilarityJudge:
    """Rules and an embedder; deterministic."""

    name = "similarity"
    pairs_at_once = 32
    note = (
        "String rules (equal, contained, denied or different words, numbers and dates), else a logistic map of "
        "embedding cosine and shared words, fitted on people's judgements of answers; no entailment model. "
        "Neutral and contradiction are told apart by rule only."
    )

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def entailment(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return [n, 3] probabilities (contradiction, neutral, entailment); each distinct text is embedded once."""
        return with_rules(premises, hypotheses, lambda left, right: self._judged(question, left, right))

    def _judged(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        question_words = words(question)
        read = {text: read_answer(text, question_words) for text in (*premises, *hypotheses)}
        pairs = [(read[premise], read[hypothesis]) for premise, hypothesis in zip(premises, hypotheses, strict=True)]
        ruled = [by_rule(premise, hypothesis, question_words) for premise, hypothesis in pairs]
        open_pairs = [pair for pair, verdict in zip(pairs, ruled, strict=True) if verdict is None]
        rest = iter(by_similarity(features) for features in pair_features(open_pairs, self._embedder))
        return np.array([next(rest) if verdict is None else verdict for verdict in ruled])


def pair_features(pairs: Sequence[tuple[Answer, Answer]], embedder: Embedder) -> np.ndarray:
    """Return [pairs, 5] features in the order of WEIGHTS, the first always 1."""
    bearing = {answer.text: " ".join(answer.content) for pair in pairs for answer in pair}
    rows = embeddings(sorted(set(bearing.values())), embedder)
    out = [
        (
            1.0,
            float(rows[bearing[premise.text]] @ rows[bearing[hypothesis.text]]),
            share(hypothesis.content, premise.words),
            share(premise.content, hypothesis.words),
            float(len(premise.words) > SHORT),
        )
        for premise, hypothesis in pairs
    ]
    return np.array(out, dtype=np.float64).reshape(len(pairs), len(WEIGHTS))


def by_similarity(features: np.ndarray) -> Probabilities:
    """Return the probabilities of one row of features."""
    entailment = 1.0 / (1.0 + exp(-float(features @ np.array(WEIGHTS))))
    common = max(features[2], features[3]) > 0
    contradiction = CONTRADICTION_SHARE[int(common)] * (1.0 - entailment)
    return (contradiction, 1.0 - entailment - contradiction, entailment)
