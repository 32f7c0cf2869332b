"""A run with all methods, really computed with scripted backends: numbers that hang together, without a model."""

from dataclasses import replace
from functools import cache

from engine.backends.entailment.scripted import ScriptedJudge
from engine.backends.language_models.base import Request
from engine.backends.language_models.cached import CachedModel
from engine.backends.language_models.scripted import Spoken
from engine.backends.retrieval import pasted_corpus
from engine.backends.retrieval.scripted import HashedWords
from engine.core.errors import NotMeasured
from engine.core.records import Document, Hit
from engine.diagnosis.record import Diagnosis, Outcome
from engine.methods import METHODS
from engine.methods.chunk_utility import ChunkUtilityConfig
from engine.methods.dense_rag import DenseRagConfig
from engine.methods.dense_records import DenseConfig
from engine.methods.entropy_trend import EntropyTrendConfig
from engine.methods.quco_rag import QucoConfig
from engine.methods.seper_records import SeperConfig
from engine.methods.sugar import SugarConfig
from engine.methods.timing.method import TimingConfig
from engine.methods.uncertainty import UncertaintyConfig
from tests.engine.methods.scripted_case import PASSAGES, QUESTION, backends, case
from tests.pages.page_fixtures import PROVENANCE

GOLDS = ("Lyra Quill", "Quill")
STEPS = " Lyra Quill rebuilt the Vesper Clock in 1890. The Vesper Clock stands in Bremen. So the answer is Lyra Quill."
DRAWN = ("Lyra Quill", "Quill", "Nobody", "Bremen", "Lyra Quill")
CONFIGS = {
    "dense": DenseConfig(),
    "dense_rag": DenseRagConfig(threshold=0.05),
    "seper": SeperConfig(),
    "entropy_trend": EntropyTrendConfig(alpha=0.5),
    "quco_rag": QucoConfig(dynamic=True),
    "sugar": SugarConfig(),
    "uncertainty": UncertaintyConfig(),
    "chunk_utility": ChunkUtilityConfig(),
    "timing": TimingConfig(alpha=0.5, staircase=True),
}


def speak(request: Request) -> Spoken:
    """Return a draw, a step-by-step answer with uneven entropies, or a short answer that depends on the wording."""
    text = request.prompt.text
    if request.temperature > 0:
        said = DRAWN[(request.seed + len(text)) % len(DRAWN)]
        return [(said, -0.1 - (request.seed % 7) / 5, 0.2 + (request.seed % 5) / 10)]
    if text.startswith("Question:") or "\nQuestion:" in text:
        words = STEPS.split(" ")[1:]
        return [(f" {word}", -0.05 * (1 + n % 4), 0.1 + ((n * 7) % 11) / 4) for n, word in enumerate(words)]
    return "Lyra Quill" if PASSAGES[0].text in text else "Bremen"


@cache
def nine() -> Diagnosis:
    """Return the run: DENSE is uncertain, SePer moves, every policy looks, one method after the other."""
    judge = ScriptedJudge(
        {("Quill", "Lyra Quill"): (0.05, 0.15, 0.8), ("Lyra Quill", "Quill"): (0.02, 0.08, 0.9)},
    )
    found = backends(speak, judge, rules=True)
    documents = tuple(
        Document(document_id=str(i), title=p.title, text=p.text, source="pasted") for i, p in enumerate(PASSAGES)
    )
    model = CachedModel(found.model)
    found = replace(
        found,
        model=model,
        writer=model,
        rewriter=model,
        corpus=pasted_corpus(documents, "three passages", HashedWords()),
    )
    asked = case(found, golds=GOLDS)
    return Diagnosis(
        question=QUESTION,
        golds=GOLDS,
        hits=tuple(Hit(passage=p, rank=n, score=float("nan"), retriever="given") for n, p in enumerate(PASSAGES, 1)),
        answer=asked.answer,
        closed_book=case(found, passages=()).answer,
        outcomes=tuple(outcome(word, asked, found) for word in METHODS),
        provenance=replace(PROVENANCE, seed=asked.seed),
        seconds=9.0,
    )


def outcome(word: str, asked: object, found: object) -> Outcome:
    """Return one method's outcome; not measured is recorded with its reason."""
    try:
        return Outcome(
            method=word,
            status="done",
            result=METHODS[word].run(asked, CONFIGS.get(word, METHODS[word].config()), found),
        )
    except NotMeasured as exc:
        return Outcome(method=word, status="not measured", reason=str(exc))
