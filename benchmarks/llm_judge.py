"""Does the length of a reply decide what a language model judges: words against lettered options, with calibration.

Every hand-labelled pair is put to the embedded model with DENSE's prompt as printed, whose replies are words of
different lengths, and with its replies as lettered options; scores are read as they are and minus those for empty
answers. Told are how often each class is the likeliest, and how well P(entailment) tells the pairs that entail.

    python -m benchmarks.llm_judge                  writes results/llm_judge.json, about two minutes
"""

import argparse
import json
from pathlib import Path

import numpy as np

from engine.backends.entailment.base import ENTAILMENT, LABELS
from engine.backends.entailment.llm_judge import CONTENT_FREE, OPTIONS, judge_prompt
from engine.backends.language_models import load_language_model
from engine.backends.language_models.base import LanguageModel
from engine.core.progress import silent
from engine.core.records import Prompt
from engine.measures.ranking import auroc, auroc_interval

ROOT = Path(__file__).resolve().parents[1]
PAIRS, RESULTS = ROOT / "tests" / "reference" / "judge_pairs.json", ROOT / "benchmarks" / "results" / "llm_judge.json"


def worded_prompt(question: str, premise: str, hypothesis: str) -> Prompt:
    """Return DENSE's prompt as printed (appendix B.2), which asks for a word."""
    opening = judge_prompt(question, premise, hypothesis).text.split("\nA. ")[0]
    return Prompt(text=f"{opening} Respond with ONLY entailment, contradiction, or neutral.")


def option_scores(model: LanguageModel, prompts: list[Prompt]) -> np.ndarray:
    """Return the log-probabilities of the lettered options in the order of our classes."""
    scores, words = model.label_logprobs(prompts, tuple(OPTIONS), silent), list(OPTIONS.values())
    return np.asarray(scores[:, [words.index(label) for label in LABELS]])


def told(scores: np.ndarray, entails: np.ndarray) -> dict[str, object]:
    """Return how often each class is the likeliest, and how well its probabilities tell what entails."""
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    probabilities, likeliest = odds / odds.sum(axis=1, keepdims=True), scores.argmax(axis=1) == ENTAILMENT
    low, high = auroc_interval(entails, probabilities[:, ENTAILMENT])
    return {
        "classes": dict(zip(LABELS, np.bincount(scores.argmax(axis=1), minlength=3).tolist(), strict=True)),
        "balanced_accuracy": round(float((likeliest[entails].mean() + (~likeliest[~entails]).mean()) / 2), 4),
        "auroc": round(auroc(entails, probabilities[:, ENTAILMENT]), 4),
        "auroc_interval": [round(low, 4), round(high, 4)],
    }


def main() -> None:
    """Score every pair in each way, print and write what is found."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    pairs, model = json.loads(PAIRS.read_text(encoding="utf-8")), load_language_model("embedded")
    asked = [(pair["question"], pair["one"], pair["other"]) for pair in pairs]
    empty = [(question, CONTENT_FREE, CONTENT_FREE) for question, _, _ in asked]
    entails = np.array([pair["expected"] == "entailment" for pair in pairs])
    lengths = np.array([model.count_tokens(label) for label in LABELS])
    words, free = (
        model.label_logprobs([worded_prompt(*one) for one in some], LABELS, silent) for some in (asked, empty)
    )
    letters, letters_free = (option_scores(model, [judge_prompt(*one) for one in some]) for some in (asked, empty))
    ways = {
        "words, mean per token (before)": words,
        "words, whole": words * lengths,
        "words, whole, calibrated": (words - free) * lengths,
        "options": letters,
        "options, calibrated (now)": letters - letters_free,
    }
    result = {
        "model": model.identity.name,
        "pairs": len(pairs),
        "entail": int(entails.sum()),
        "label_tokens": dict(zip(LABELS, lengths.tolist(), strict=True)),
        "ways": {name: told(scores, entails) for name, scores in ways.items()},
    }
    print(json.dumps(result, indent=1))
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
