"""A request checked and tidied before anything runs."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from engine.backends.language_models import refuse_secrets
from engine.backends.retrieval.corpus import source_path
from engine.backends.retrieval.documents import is_folder
from engine.core.allowed import acting_person, refuse_unlisted, refuse_visitors
from engine.core.errors import CorpusError, InputError, QuestionError
from engine.core.hosting import hosting
from engine.core.records import Passage
from engine.core.settings import MOST_PASSAGES, check_settings
from engine.diagnosis.request import (
    MOST_CHARACTERS,
    MOST_WORDS,
    DiagnosisRequest,
    with_shared_settings,
)
from engine.diagnosis.traces.reading import ImportedAnswer
from engine.methods import METHODS
from engine.runs.corpora.shelf import corpus_bytes, listed_at, listed_path
from engine.thresholds.apply import no_fit
from engine.thresholds.fitted import fits_for

MOST_UNREAD = 500_000  # bytes of a visitor's corpus that a run may embed itself: a minute or two


def check_request(request: DiagnosisRequest) -> DiagnosisRequest:
    """Return the request with tidy text, and its corpus by path. Raises an InputError that says what to change."""
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
    refuse_half_characters((question, *request.golds, *(f"{p.title}{p.text}" for p in request.passages)))
    request = replace(request, corpus=None if request.corpus is None else listed_path(request.corpus))
    check_settings(request, "The request")
    check_settings(request.seper, "SePer")
    check_settings(request.dense, "DENSE")
    if request.thresholds == "fitted" and not fits_for(request.model, request.judge, request.profile):
        raise no_fit(request.model, request)
    refuse_names(request)
    refuse_unread(request)
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


def is_refused(request: DiagnosisRequest) -> bool:
    """Return whether a request would be refused as it stands, so that resuming its run would refuse it again."""
    try:
        checked = check_request(request)
        if checked.corpus not in (None, "sample") and not checked.passages:
            is_folder(source_path(checked.corpus))
    except InputError:
        return True
    return False


def refuse_names(request: DiagnosisRequest) -> None:
    """Raise InputError where whoever asks may not name a model, judge, corpus or service of the request.

    Every run passes here twice: when it is queued, and when its turn has come.
    """
    for name in (request.model, request.judge, request.quco_rag.extractor):
        refuse_secrets(name)
        refuse_unlisted(name)
    refuse_unlisted(request.corpus or "", "corpus")
    stated = hosting()
    if request.quco_rag.counts == "infini-gram" and not (stated is not None and stated.online_counts):
        refuse_visitors("Counting names online")


def refuse_unread(request: DiagnosisRequest) -> None:
    """Raise CorpusError where a visitor asks by meaning over a large corpus that is not embedded yet.

    The run would embed it, for hours, and everybody's questions would wait behind it.
    """
    given = request.corpus in (None, "sample") or bool(request.passages and not request.fixed)
    if given or request.retriever == "bm25" or acting_person() is None:
        return
    entry = listed_at(source_path(str(request.corpus)))
    if entry is not None and entry.state != "ready" and corpus_bytes(Path(entry.path)) > MOST_UNREAD:
        raise CorpusError(
            f"{entry.name} is not ready for search by meaning. Wait until Documents says so, or choose BM25, which "
            "searches words."
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
        raise InputError("The text holds half a character (it is not valid Unicode); type or paste it again.") from exc
