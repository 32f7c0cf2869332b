"""A whole run of every method on a model and a judge that are made up but varied: texts, doubts and odds by a hash."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from engine.backends.entailment.scripted import ScriptedJudge
from engine.backends.language_models.base import Request
from engine.backends.language_models.scripted import ScriptedModel
from engine.backends.retrieval.scripted import HashedWords
from engine.core.records import Passage
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.methods import METHODS
from engine.runs import run as road
from engine.runs.run import run_request

QUESTION = "Who rebuilt the Vesper Clock?"
PASSAGES = (
    Passage(title="Vesper Clock", text="The Vesper Clock was built in 1702. Lyra Quill rebuilt it in 1890."),
    Passage(title="Lyra Quill", text="Lyra Quill was a clockmaker from Bremen. She died in Bremen in 1911."),
    Passage(title="Harbour", text="The harbour of Bremen has two old cranes and a long quay."),
)
GOLDS = ("Lyra Quill", "Quill")
ANSWERS = ("Lyra Quill", "Quill", "lyra quill.", "Moss", "Nobody knows", "")
STORY = (
    "The Vesper Clock stands in Bremen. Lyra Quill rebuilt the Vesper Clock in 1890. "
    "Ada Moss painted the harbour of Bremen. So the answer is Lyra Quill."
)


def share(*parts: object) -> float:
    """Return a number in [0, 1) that belongs to these parts."""
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") / 2**32


def speak(request: Request) -> list[tuple[str, float, float]]:
    """Return a step-by-step story, or a short answer; every token has its own log-probability and entropy."""
    short = request.max_tokens <= 32
    said = ANSWERS[int(share(request.prompt.text, request.seed) * len(ANSWERS))] if short else STORY
    words = [word if place == 0 else f" {word}" for place, word in enumerate(said.split())]
    return [
        (word, -3 * share("p", word, place, request.seed), 4 * share("h", word, place))
        for place, word in enumerate(words)
    ]


def odds(premise: str, hypothesis: str) -> tuple[float, float, float]:
    """Return three probabilities that sum to 1, other ones for the other direction."""
    parts = [0.01 + share(kind, premise, hypothesis) for kind in ("contradiction", "neutral", "entailment")]
    total = sum(parts)
    return (parts[0] / total, parts[1] / total, 1 - parts[0] / total - parts[1] / total)


@contextmanager
def scripted_road() -> Iterator[None]:
    """Hold the one road with made-up models in the place of real ones."""
    # Capital spellings are far less likely.
    model = ScriptedModel(
        speak,
        labels=lambda prompt, labels: [-share(label.lower(), prompt.text) - 9.0 * label.istitle() for label in labels],
    )
    with (
        patch.object(road, "load_language_model", lambda name, report, device: model),
        patch.object(road, "load_judge", lambda name, model, device: ScriptedJudge(odds)),
        patch.object(road, "load_embedder", lambda device: HashedWords()),
    ):
        yield


def scripted_run(**settings: object) -> Diagnosis:
    """Return a run of all nine methods; ``settings`` are fields of the request."""
    asked = {"question": QUESTION, "passages": PASSAGES, "golds": GOLDS, "methods": tuple(METHODS), **settings}
    with scripted_road():
        return run_request(DiagnosisRequest(**asked))  # type: ignore[arg-type]
