"""A request checked and tidied before anything runs."""

from collections.abc import Iterable
from dataclasses import replace
from typing import get_args

from engine.backends.language_models import refuse_secrets
from engine.core.errors import CorpusError, InputError, QuestionError
from engine.core.records import Passage
from engine.diagnosis.request import (
    MOST_CHARACTERS,
    MOST_PASSAGES,
    MOST_SAMPLES,
    MOST_WORDS,
    DiagnosisRequest,
    Retriever,
    with_shared_settings,
)
from engine.diagnosis.traces.reading import ImportedAnswer
from engine.methods import METHODS
from engine.methods.profiles import PROFILES
from engine.thresholds.apply import no_fit
from engine.thresholds.fitted import fits_for


def checked(request: DiagnosisRequest) -> DiagnosisRequest:
    """Return the request with tidy text. Raises an InputError that says what to change."""
    question = " ".join(request.question.split())
    if not question:
        raise QuestionError("There is no question. Type one, or pick a sample question.")
    if len(question.split()) > MOST_WORDS or len(question) > MOST_CHARACTERS:
        raise QuestionError(
            f"The question is too long: {len(question.split()):,} words and {len(question):,} characters. "
            f"At most {MOST_WORDS} words and {MOST_CHARACTERS:,} characters can be asked. Put long text into a passage "
            "instead."
        )
    unknown = [word for word in request.methods if word not in METHODS]
    if unknown:
        raise InputError(f"There is no method {unknown[0]!r}; there are {', '.join(METHODS)}.")
    if request.profile not in PROFILES:
        raise InputError(f"There is no profile {request.profile!r}; there are {', '.join(PROFILES)}.")
    if request.thresholds not in ("paper", "fitted"):
        raise InputError(f"There are no thresholds called {request.thresholds!r}; there are paper, fitted.")
    if request.retriever not in get_args(Retriever):
        raise InputError(f"There is no retriever {request.retriever!r}; there are {', '.join(get_args(Retriever))}.")
    if request.thresholds == "fitted" and not fits_for(request.model, request.judge, request.profile):
        raise no_fit(request.model, request)
    for name in (request.model, request.judge, request.quco_rag.extractor):
        refuse_secrets(name)
    drawn, temperature = request.seper.samples, request.seper.temperature
    if (drawn is not None and not 1 <= drawn <= MOST_SAMPLES) or not temperature > 0:
        raise InputError(
            f"SePer draws from 1 to {MOST_SAMPLES} samples at a temperature above 0, got {drawn} at {temperature}."
        )
    refuse_half_characters((question, *request.golds, *(f"{p.title}{p.text}" for p in request.passages)))
    if request.k is not None and not 1 <= request.k <= MOST_PASSAGES:
        raise InputError(f"The number of passages must be from 1 to {MOST_PASSAGES}, got {request.k}.")
    passages = tuple(passage for passage in request.passages if passage.text.strip())
    if request.passages and not passages:
        raise CorpusError("The passages are empty. Paste some text, or choose a corpus.")
    if len(passages) > MOST_PASSAGES:
        raise CorpusError(f"{len(passages)} passages were given; at most {MOST_PASSAGES} can be read at once.")
    golds = tuple(dict.fromkeys(gold.strip() for gold in request.golds if gold.strip()))
    return replace(
        with_shared_settings(request),
        question=question,
        golds=golds,
        passages=passages,
        imported=request.imported if answers_this(request.imported, question, passages) else None,
        methods=tuple(dict.fromkeys(request.methods)),
    )


def answers_this(imported: ImportedAnswer | None, question: str, passages: tuple[Passage, ...]) -> bool:
    """Return whether another pipeline's answer is one to this question over these passages."""
    if imported is None:
        return False
    read = tuple(passage for passage in imported.passages if passage.text.strip())
    return " ".join(imported.question.split()) == question and read == passages


def refuse_half_characters(texts: Iterable[str]) -> None:
    """Raise InputError where a text is no valid Unicode, as bytes of another encoding make it on a command line."""
    try:
        for text in texts:
            text.encode()
    except UnicodeEncodeError as exc:
        raise InputError("The text holds half a character (it is no valid Unicode); type or paste it again.") from exc
