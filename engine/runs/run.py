"""The one way through the engine: a question goes in, a Diagnosis comes out."""

import logging
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from engine.backends.corpus_stats import count_online
from engine.backends.devices import DeviceChoice
from engine.backends.entailment import load_judge, load_sentence_judge
from engine.backends.entailment.base import Judge
from engine.backends.fingerprints import processor_threads
from engine.backends.language_models import computing_place, is_cached, load_language_model, rewriter_name, writer_name
from engine.backends.language_models.base import LanguageModel
from engine.backends.language_models.reading import one_run
from engine.backends.retrieval import load_embedder
from engine.backends.text import load_text_tools
from engine.core.errors import CapabilityError, InputError, ModelError, NotMeasured
from engine.core.progress import BatchHalved, Event, Found, Report, Snapshot, Stage, heard_by, silent
from engine.core.provenance import Provenance, installed_version, library_versions, machine
from engine.core.quiet_logs import Plain
from engine.core.records import Generation, JudgedAnswer, Passage
from engine.diagnosis.record import FINISHED, Diagnosis, MethodResult, Outcome, Status
from engine.diagnosis.request import DiagnosisRequest
from engine.methods import DEFAULT_METHODS, METHODS
from engine.methods.base import Backends, Case, answer_request
from engine.methods.dense_rag_records import DenseRagResult
from engine.methods.meaning import judged_answers
from engine.methods.profiles import PROFILES, Profile
from engine.methods.sugar import SugarResult
from engine.runs.ground import Ground, find_ground
from engine.runs.request_checks import check_request
from engine.thresholds.apply import fit_wanted, fit_words, papers_kept, with_fit

LoadModel = Callable[[str, Report, DeviceChoice], LanguageModel]
log = logging.getLogger(__name__)

UNEXPECTED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)


def diagnose(
    question: str,
    *,
    corpus: str | Path | None = None,
    passages: Sequence[Passage | str] | None = None,
    answers: Sequence[str] = (),
    methods: Sequence[str] = DEFAULT_METHODS,
    model: str = "embedded",
    judge: str = "embedded",
    seed: int = 0,
    device: DeviceChoice = "auto",
    report: Report = silent,
) -> Diagnosis:
    """Return the diagnosis of one question over a corpus (a file, a folder or "sample") or over given passages.

    ``answers`` count as right. ``methods`` may be empty: then the question is only answered. With neither corpus nor
    passages the model answers closed-book. ``device`` is where models compute. Raises InputError, ModelError or
    StorageError with a sentence; a method that fails does not fail the others and is recorded with its reason.
    """
    return run_request(
        DiagnosisRequest(
            question=question,
            corpus=None if corpus is None else str(corpus),
            passages=tuple(p if isinstance(p, Passage) else Passage(text=p, end=len(p)) for p in passages or ()),
            golds=tuple(answers),
            methods=tuple(methods),
            model=model,
            judge=judge,
            seed=seed,
            device=device,
        ),
        report,
    )


def run_request(
    request: DiagnosisRequest, report: Report = silent, kept: Diagnosis | None = None, *, load: LoadModel | None = None
) -> Diagnosis:
    """Return the diagnosis a request asks for; a Snapshot is reported after every method.

    ``kept`` is what an earlier try at the same request came to: methods that had finished are taken over from it, where
    they stand on the very passages, answers and models that are found now. ``load`` may stand before
    ``load_language_model``, for runs that share their batches.
    """
    watch = MemoryWatch(report)
    with heard_by(watch), one_run():
        return watched_run(request, watch, kept, load or load_language_model)


def watched_run(request: DiagnosisRequest, report: "MemoryWatch", kept: Diagnosis | None, load: LoadModel) -> Diagnosis:
    """Return what ``run_request`` does, with what was said of memory."""
    began = time.monotonic()
    started_at = datetime.now(UTC).isoformat(timespec="seconds")
    asked = check_request(request)
    backends, ground = load_backends(asked, PROFILES[asked.profile], report, load)
    fit = fit_wanted(asked, backends)
    request = with_fit(asked, fit) if fit is not None else asked
    answers = both_answers(request, ground, backends.model, report)
    origin = provenance(request, backends, ground, started_at)
    if fit is not None:
        words, papers = fit_words(fit, backends.model.identity.dtype), papers_kept(asked, request, fit)
        origin = replace(origin, thresholds=words, papers_kept=papers)
    answered = answered_diagnosis(request, ground, answers, origin, time.monotonic() - began)
    going = going_on(answered, kept) if kept is not None else answered
    diagnosis = report.noted(replace(going, judged=judged_in(going, backends.judge)))
    report(Snapshot(record=diagnosis))
    return with_methods(diagnosis, request, backends, report)


def both_answers(
    request: DiagnosisRequest, ground: Ground, model: LanguageModel, report: Report
) -> tuple[Generation, Generation]:
    """Return the greedy answer over the passages, and the one from memory."""
    report(Stage(method="answer", name="answering with and without passages", total=2))
    profile, passages = PROFILES[request.profile], tuple(hit.passage for hit in ground.hits)
    over, without = model.generate(
        [answer_request(profile, request.question, passages), answer_request(profile, request.question, ())], report
    )
    return over, without


def answered_diagnosis(
    request: DiagnosisRequest,
    ground: Ground,
    answers: tuple[Generation, Generation],
    origin: Provenance,
    seconds: float,
) -> Diagnosis:
    """Return the diagnosis of a question that both answers are known of, and that all methods wait for."""
    answer, closed_book = answers
    return Diagnosis(
        question=request.question,
        golds=request.golds,
        hits=ground.hits,
        answer=answer,
        closed_book=closed_book,
        outcomes=tuple(Outcome(method=word, status="waiting") for word in request.methods),
        provenance=origin,
        seconds=seconds,
        parent=request.parent,
        imported=request.imported,
    )


def judged_in(diagnosis: Diagnosis, judge: Judge) -> tuple[JudgedAnswer, ...]:
    """Return what the judge says of the answers of a diagnosis that words call wrong, SUGAR's and DENSE-RAG's too."""
    sugar, refined = diagnosis.result(SugarResult), diagnosis.result(DenseRagResult)
    rounds = () if sugar is None else tuple(one.answer for one in sugar.rounds if one.answer is not None)
    steps = () if refined is None else tuple(one.answer for one in refined.steps)
    texts = [one.text for one in (diagnosis.answer, diagnosis.closed_book, *rounds, *steps)]
    return judged_answers(judge, diagnosis.question, diagnosis.golds, texts)


def with_methods(
    diagnosis: Diagnosis, request: DiagnosisRequest, backends: Backends, report: "MemoryWatch"
) -> Diagnosis:
    """Return the diagnosis with every method run that waits; a Snapshot is reported after each."""
    before, began = diagnosis.seconds, time.monotonic()
    case = Case(
        question=diagnosis.question,
        passages=tuple(hit.passage for hit in diagnosis.hits),
        golds=diagnosis.golds,
        answer=diagnosis.answer,
        profile=PROFILES[request.profile],
        seed=request.seed,
    )
    waiting = tuple(outcome.method for outcome in diagnosis.outcomes if outcome.status == "waiting")
    write_ahead(waiting, case, request, backends)
    for word in waiting:
        outcome = outcome_of(word, case, request, backends)
        outcomes = tuple(outcome if other.method == word else other for other in diagnosis.outcomes)
        found = replace(diagnosis, outcomes=outcomes, seconds=before + time.monotonic() - began)
        diagnosis = report.noted(replace(found, judged=judged_in(found, backends.judge)))
        report(Snapshot(record=diagnosis))
    return diagnosis


class MemoryWatch:
    """A reporter that passes everything on, and remembers where memory ran out so that the run's record says it."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.most: dict[str, str] = {}

    def __call__(self, event: Event) -> None:
        """Pass an event on; the reporter behind may raise to stop."""
        if isinstance(event, BatchHalved):
            self.most[event.model] = f"{event.rows} {event.unit}"
        self.report(event)

    def noted(self, diagnosis: Diagnosis) -> Diagnosis:
        """Return the diagnosis with what was said of memory."""
        told = "; ".join(f"{model}: at most {most} at once" for model, most in self.most.items())
        note = f"Memory ran out, so batches were halved ({told})." if told else diagnosis.provenance.memory_note
        return replace(diagnosis, provenance=replace(diagnosis.provenance, memory_note=note))


def going_on(diagnosis: Diagnosis, kept: Diagnosis) -> Diagnosis:
    """Return the diagnosis with the methods that had finished in an earlier try; unchanged where that saw other things.

    The seconds of both add up. What failed there is tried again.
    """
    if ground_of(diagnosis) != ground_of(kept):
        return diagnosis
    finished = {outcome.method: outcome for outcome in kept.outcomes if outcome.status in FINISHED}
    outcomes = tuple(finished.get(outcome.method, outcome) for outcome in diagnosis.outcomes)
    origin = replace(diagnosis.provenance, memory_note=kept.provenance.memory_note)
    return replace(diagnosis, outcomes=outcomes, seconds=kept.seconds + diagnosis.seconds, provenance=origin)


def ground_of(diagnosis: Diagnosis) -> str:
    """Return what every method of a diagnosis stands on, as text: NaN, a given passage's score, equals itself there."""
    origin = replace(diagnosis.provenance, started_at="", memory_note="")
    return repr((diagnosis.question, diagnosis.golds, diagnosis.hits, diagnosis.answer, diagnosis.closed_book, origin))


def load_backends(
    request: DiagnosisRequest, profile: Profile, report: Report, load: LoadModel = load_language_model
) -> tuple[Backends, Ground]:
    """Return the backends a request names, and what its question is asked over.

    The passages come first, and are reported as soon as they are found: they are the first thing to look at. ``report``
    is called before each model is made ready, and while a corpus is read.
    """

    def opening(done: int) -> None:
        report(Stage(method="models", name="opening the models", done=done, total=4))

    opening(0)
    device = request.device
    embedder = load_embedder(device)
    report(Stage(method="retrieval", name="finding passages", total=1))
    ground = find_ground(request, profile, embedder, report)
    report(Found(hits=ground.hits))
    opening(1)
    model = load(request.model, report, device)
    writer = load(writer_name(request.model), report, device)
    rewriter = load(rewriter_name(request.model), report, device)
    opening(2)
    judge = load_judge(request.judge, model, device)
    opening(3)
    text = load_text_tools()
    online = request.quco_rag.counts == "infini-gram" and "quco_rag" in request.methods
    extractor = request.quco_rag.extractor.strip() if "quco_rag" in request.methods else ""
    backends = Backends(
        model=model,
        writer=writer,
        rewriter=rewriter,
        judge=judge,
        sentence_judge=load_sentence_judge(),
        text=text,
        embedder=embedder,
        counter=count_online(request.quco_rag.infini_gram_index, report) if online else ground.counter,
        report=report,
        corpus=ground.corpus,
        retriever=request.retriever,
        extractor=load(extractor, report, device) if extractor else None,
    )
    return backends, ground


def write_ahead(methods: Sequence[str], case: Case, request: DiagnosisRequest, backends: Backends) -> None:
    """Have all that the methods are sure to ask for written at once, where the models remember it.

    A batch costs little more than its longest row. What fails here fails again, with its sentence, in the method that
    asks for it.
    """
    if not all(map(is_cached, (backends.model, backends.writer, backends.rewriter))) or len(methods) < 2:
        return
    backends.report(Stage(method="answer", name="writing what the methods will read", total=1))
    try:
        wanted = [METHODS[word].foresees(case, getattr(request, word), backends) for word in methods]
        asked = (
            *((backends.model, one) for each in wanted for one in each.model),
            *((backends.writer, one) for each in wanted for one in each.writer),
            *((backends.rewriter, one) for each in wanted for one in each.rewriter),
        )
        # One model may have several parts: all that it writes is one batch.
        for model in {id(model): model for model, _ in asked}.values():
            model.generate(list(dict.fromkeys(one for other, one in asked if other is model)), backends.report)
    except (InputError, ModelError, CapabilityError, NotMeasured, *UNEXPECTED) as exc:
        log.info("nothing was written ahead: %s", exc)


def outcome_of(word: str, case: Case, request: DiagnosisRequest, backends: Backends) -> Outcome:
    """Return what became of one method. Only stopping the run and a store that fails go further up."""
    began = time.monotonic()
    result: MethodResult | None = None
    status: Status = "failed"
    try:
        result = METHODS[word].run(case, getattr(request, word), backends)
        status, reason = "not measured" if result.not_measured else "done", result.not_measured
    except (NotMeasured, CapabilityError) as exc:
        status, reason = "not measured", str(exc)
    except (InputError, ModelError) as exc:
        reason = str(exc)
    except UNEXPECTED as exc:
        log.exception("method %s failed", Plain(word))
        reason = f"Unexpected {type(exc).__name__}: {exc}"
    return Outcome(method=word, status=status, reason=reason, seconds=time.monotonic() - began, result=result)


def provenance(request: DiagnosisRequest, backends: Backends, ground: Ground, started_at: str) -> Provenance:
    """Return what produced this run."""
    identity = backends.model.identity
    writer = backends.writer.identity if backends.writer is not backends.model else None
    rewriter = backends.rewriter.identity if backends.rewriter is not backends.writer else None
    place = computing_place(request.model, request.device)
    return Provenance(
        package_version=installed_version("retrieval-microscope"),
        libraries=library_versions(),
        python=".".join(map(str, sys.version_info[:3])),
        machine=machine(),
        model=identity.name,
        model_revision=identity.revision,
        model_dtype=identity.dtype,
        judge=backends.judge.name,
        judge_note=backends.judge.note,
        retriever=ground.retriever,
        corpus=ground.corpus_name,
        corpus_hash=ground.corpus_hash,
        seed=request.seed,
        profile=request.profile,
        started_at=started_at,
        writer=writer.name if writer else "",
        writer_revision=writer.revision if writer else "",
        rewriter=rewriter.name if rewriter else "",
        rewriter_revision=rewriter.revision if rewriter else "",
        model_note=identity.note,
        device=place,
        threads=processor_threads() if place == "cpu" else 0,
    )
