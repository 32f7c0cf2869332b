"""The one road through the engine: a question goes in, a Diagnosis comes out."""

import logging
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

from engine.corpus_stats import count_documents, count_online
from engine.corpus_stats.base import CorpusCounter
from engine.entailment import load_judge
from engine.errors import CapabilityError, CorpusError, InputError, ModelError, NotMeasured, QuestionError
from engine.fitted import fit_of, fits_for
from engine.fitted.records import FittedThresholds
from engine.language_models import load_language_model, refuse_secrets, remembers, writer_name
from engine.methods import DEFAULT_METHODS, METHODS
from engine.methods.base import Backends, Case, answer_request
from engine.methods.chunk_utility import ChunkUtilityConfig, ChunkUtilityResult
from engine.methods.dense import DenseConfig, DenseResult
from engine.methods.dense_rag import DenseRagConfig, DenseRagResult
from engine.methods.entropy_trend import EntropyTrendConfig, EntropyTrendResult
from engine.methods.quco_rag import QucoConfig, QucoResult
from engine.methods.seper import SeperConfig, SeperResult
from engine.methods.sugar import SugarConfig, SugarResult
from engine.methods.timing import TimingConfig, TimingResult
from engine.methods.uncertainty import UncertaintyConfig, UncertaintyResult
from engine.profiles import PROFILES, Profile
from engine.progress import Found, Report, Snapshot, Stage, silent
from engine.provenance import Provenance, installed, library_versions, machine
from engine.records import SCHEMA_VERSION, Document, Generation, Hit, Passage
from engine.retrieval import load_corpus, load_embedder, pasted_corpus
from engine.retrieval.base import Corpus, Embedder
from engine.text import load_text_tools
from engine.traces.reading import ForeignAnswer

MethodResult = (
    DenseResult
    | DenseRagResult
    | SeperResult
    | EntropyTrendResult
    | QucoResult
    | SugarResult
    | UncertaintyResult
    | ChunkUtilityResult
    | TimingResult
)
Retriever = Literal["hybrid", "bm25", "vector", "reranked"]
Status = Literal["waiting", "done", "failed", "not measured"]
FINISHED: tuple[Status, ...] = ("done", "not measured")

MOST_WORDS, MOST_CHARACTERS = 400, 4000
MOST_PASSAGES = 20
MOST_SAMPLES = 100
PASTED = "the given passages"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one method: "not measured" may still hold a result with what was seen; "failed" never does."""

    method: str
    status: Status
    reason: str = ""
    seconds: float = 0.0
    result: MethodResult | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Everything seen for one question. A stored one redraws every page with no model loaded.

    ``answer`` is the greedy answer over the passages; ``closed_book`` the greedy answer without them. ``parent`` is the
    run this one was made from, "" for a first one. ``foreign`` is another pipeline's answer to the same question, kept
    apart from all that this program's models wrote; None where there is none.
    """

    schema_version: int = SCHEMA_VERSION
    question: str
    golds: tuple[str, ...]
    hits: tuple[Hit, ...]
    answer: Generation
    closed_book: Generation
    outcomes: tuple[Outcome, ...]
    provenance: Provenance
    seconds: float
    parent: str = ""
    foreign: ForeignAnswer | None = None

    def outcome(self, method: str) -> Outcome | None:
        """Return what became of a method, None where it was not asked for."""
        return next((outcome for outcome in self.outcomes if outcome.method == method), None)

    def to_json(self) -> str:
        """Return the record as JSON text that ``engine.runs.serialize.from_json`` reads back unchanged."""
        from engine.runs.serialize import diagnosis_to_json

        return diagnosis_to_json(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisRequest:
    """Everything a run is asked for, so that it can be queued, stored and asked again.

    Either ``passages`` are given, or ``corpus`` names a file or folder ("sample" = the shipped encyclopaedia). ``k``
    None takes the profile's number of passages. ``fixed``: the passages are these in this order, also where there are
    none, and the corpus is only what methods search and count in. ``golds`` are answers that count as right, aliases
    included. ``thresholds`` "fitted" puts what ``microscope calibrate`` fitted to the model in the place of the papers'
    values; what the settings change by hand stays. ``foreign`` is another pipeline's answer, which goes along unread
    as long as question and passages are those it answers.
    """

    question: str
    corpus: str | None = None
    passages: tuple[Passage, ...] = ()
    golds: tuple[str, ...] = ()
    methods: tuple[str, ...] = DEFAULT_METHODS
    model: str = "embedded"
    judge: str = "embedded"
    seed: int = 0
    k: int | None = None
    retriever: Retriever = "hybrid"
    profile: Literal["embedded", "paper"] = "embedded"
    dense: DenseConfig = DenseConfig()
    dense_rag: DenseRagConfig = DenseRagConfig()
    seper: SeperConfig = SeperConfig()
    entropy_trend: EntropyTrendConfig = EntropyTrendConfig()
    quco_rag: QucoConfig = QucoConfig()
    sugar: SugarConfig = SugarConfig()
    uncertainty: UncertaintyConfig = UncertaintyConfig()
    chunk_utility: ChunkUtilityConfig = ChunkUtilityConfig()
    timing: TimingConfig = TimingConfig()
    thresholds: Literal["paper", "fitted"] = "paper"
    parent: str = ""
    foreign: ForeignAnswer | None = None
    fixed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What the question is asked over: hits, the corpus they came from, and a way to count it."""

    hits: tuple[Hit, ...]
    corpus_name: str
    corpus_hash: str
    retriever: str
    counter: CorpusCounter
    corpus: Corpus | None


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
    report: Report = silent,
) -> Diagnosis:
    """Return the diagnosis of one question over a corpus (a file, a folder or "sample") or over given passages.

    ``answers`` count as right. ``methods`` may be empty: then the question is only answered. With neither corpus nor
    passages the model answers closed-book. Raises InputError, ModelError or StorageError with a sentence; a method that
    fails does not fail the others and is recorded with its reason.
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
        ),
        report,
    )


def run_request(request: DiagnosisRequest, report: Report = silent, kept: Diagnosis | None = None) -> Diagnosis:
    """Return the diagnosis a request asks for; a Snapshot is reported after every method.

    ``kept`` is what an earlier try at the same request came to: methods that had finished are taken over from it, where
    they stand on the very passages, answers and models that are found now.
    """
    began = time.monotonic()
    started_at = datetime.now(UTC).isoformat(timespec="seconds")
    request = checked(request)
    profile = PROFILES[request.profile]
    backends, ground = prepared(request, profile, report)
    fit = fit_wanted(request, backends)
    request = with_fit(request, fit) if fit is not None else request
    passages = tuple(hit.passage for hit in ground.hits)
    report(Stage(method="answer", name="answering with and without passages", total=2))
    answer, closed_book = backends.model.generate(
        [answer_request(profile, request.question, passages), answer_request(profile, request.question, ())], report
    )
    diagnosis = Diagnosis(
        question=request.question,
        golds=request.golds,
        hits=ground.hits,
        answer=answer,
        closed_book=closed_book,
        outcomes=tuple(Outcome(method=word, status="waiting") for word in request.methods),
        provenance=replace(provenance(request, backends, ground, started_at), thresholds=fit.words if fit else ""),
        seconds=time.monotonic() - began,
        parent=request.parent,
        foreign=request.foreign,
    )
    diagnosis = going_on(diagnosis, kept) if kept is not None else diagnosis
    report(Snapshot(record=diagnosis))
    case = Case(
        question=request.question,
        passages=passages,
        golds=request.golds,
        answer=answer,
        profile=profile,
        seed=request.seed,
    )
    spent = diagnosis.seconds - (time.monotonic() - began)
    waiting = tuple(outcome.method for outcome in diagnosis.outcomes if outcome.status == "waiting")
    write_ahead(waiting, case, request, backends)
    for word in waiting:
        outcome = outcome_of(word, case, request, backends)
        outcomes = tuple(outcome if other.method == word else other for other in diagnosis.outcomes)
        diagnosis = replace(diagnosis, outcomes=outcomes, seconds=spent + time.monotonic() - began)
        report(Snapshot(record=diagnosis))
    return diagnosis


def going_on(diagnosis: Diagnosis, kept: Diagnosis) -> Diagnosis:
    """Return the diagnosis with the methods that had finished in an earlier try; unchanged where that saw other things.

    The seconds of both add up. What failed there is tried again.
    """
    if ground_of(diagnosis) != ground_of(kept):
        return diagnosis
    finished = {outcome.method: outcome for outcome in kept.outcomes if outcome.status in FINISHED}
    outcomes = tuple(finished.get(outcome.method, outcome) for outcome in diagnosis.outcomes)
    return replace(diagnosis, outcomes=outcomes, seconds=kept.seconds + diagnosis.seconds)


def ground_of(diagnosis: Diagnosis) -> str:
    """Return what every method of a diagnosis stands on, as text: NaN, a given passage's score, equals itself there."""
    origin = replace(diagnosis.provenance, started_at="")
    return repr((diagnosis.question, diagnosis.golds, diagnosis.hits, diagnosis.answer, diagnosis.closed_book, origin))


def prepared(request: DiagnosisRequest, profile: Profile, report: Report) -> tuple[Backends, Ground]:
    """Return the backends a request names, and what its question is asked over.

    The passages come first, and are reported as soon as they are found: they are the first thing to look at. ``report``
    is called before each model is made ready, and while a corpus is read.
    """

    def opening(done: int) -> None:
        report(Stage(method="models", name="opening the models", done=done, total=4))

    opening(0)
    embedder = load_embedder()
    report(Stage(method="retrieval", name="finding passages", total=1))
    ground = find_ground(request, profile, embedder, report)
    report(Found(hits=ground.hits))
    opening(1)
    model = load_language_model(request.model, report)
    writer = load_language_model(writer_name(request.model), report)
    opening(2)
    judge = load_judge(request.judge, model=model)
    opening(3)
    text = load_text_tools()
    online = request.quco_rag.counts == "infini-gram" and "quco_rag" in request.methods
    extractor = request.quco_rag.extractor.strip() if "quco_rag" in request.methods else ""
    backends = Backends(
        model=model,
        writer=writer,
        judge=judge,
        text=text,
        embedder=embedder,
        counter=count_online(request.quco_rag.infini_gram_index, report) if online else ground.counter,
        report=report,
        corpus=ground.corpus,
        retriever=request.retriever,
        extractor=load_language_model(extractor, report) if extractor else None,
    )
    return backends, ground


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
        request,
        question=question,
        golds=golds,
        passages=passages,
        foreign=request.foreign if answers_this(request.foreign, question, passages) else None,
        methods=tuple(dict.fromkeys(request.methods)),
        # These look at DENSE's and SePer's very answers, so they are asked for as those are.
        sugar=replace(request.sugar, seper=request.seper),
        uncertainty=replace(request.uncertainty, dense=request.dense, seper=request.seper),
        chunk_utility=replace(request.chunk_utility, seper=request.seper),
    )


def answers_this(foreign: ForeignAnswer | None, question: str, passages: tuple[Passage, ...]) -> bool:
    """Return whether another pipeline's answer is one to this question over these passages."""
    if foreign is None:
        return False
    read = tuple(passage for passage in foreign.passages if passage.text.strip())
    return " ".join(foreign.question.split()) == question and read == passages


def no_fit(model: str, request: DiagnosisRequest) -> InputError:
    """Return the error that says there are no fitted thresholds for this model."""
    return InputError(
        f"No thresholds were fitted to {model} with judge {request.judge} and profile {request.profile}. "
        "Run microscope calibrate, or use the papers' thresholds."
    )


def fit_wanted(request: DiagnosisRequest, backends: Backends) -> FittedThresholds | None:
    """Return the fit for the very weights that were opened, None where the papers' thresholds are asked for.

    Raises InputError where a fit is asked for and these weights have none.
    """
    if request.thresholds == "paper":
        return None
    model, writer = backends.model.identity, backends.writer.identity
    other = writer.revision if backends.writer is not backends.model else ""
    fit = fit_of(model.name, model.revision, other, backends.judge.name, request.profile)
    if fit is None:
        raise no_fit(f"{model.name} in revision {model.revision}", request)
    return fit


def with_fit(request: DiagnosisRequest, fit: FittedThresholds) -> DiagnosisRequest:
    """Return the request with fitted thresholds where it has the papers'; what has no fit keeps the paper's.

    They were fitted to the papers' readings: α, RIND's and FLARE's are not those of variant "code", and SUGAR's are of
    semantic entropy, whose two thresholds belong together.
    """
    dse, low, high, alpha = (fit.value(name) for name in ("dense", "sugar_low", "sugar_high", "entropy_trend"))
    dense, rag, trend, sugar = request.dense, request.dense_rag, request.entropy_trend, request.sugar
    if dse is not None and dense.threshold in (DenseConfig().threshold, dse):
        dense = replace(dense, threshold=dse, fitted=True)
    if dse is not None and rag.threshold in (DenseRagConfig().threshold, dse):
        rag = replace(rag, threshold=dse, fitted=True)
    if alpha is not None and trend.variant == "paper" and trend.alpha in (EntropyTrendConfig().alpha, alpha):
        trend = replace(trend, alpha=alpha, fitted=True)
    papers = (SugarConfig().low, SugarConfig().high)
    replaceable = sugar.form == "entropy" and (sugar.low, sugar.high) in (papers, (low, high))
    if low is not None and high is not None and replaceable:
        sugar = replace(sugar, low=low, high=high, fitted=True)
    timing = timing_with_fit(request.timing, fit) if request.timing.variant == "paper" else request.timing
    return replace(request, dense=dense, dense_rag=rag, entropy_trend=trend, sugar=sugar, timing=timing)


def timing_with_fit(config: TimingConfig, fit: FittedThresholds) -> TimingConfig:
    """Return the policies' settings with fitted thresholds where they have the papers'."""
    fields = {"entropy_trend": "alpha", "dragin": "dragin_threshold", "flare": "flare_probability"}
    changed: dict[str, float] = {}
    words: list[str] = []
    for threshold in fit.thresholds:
        field = fields.get(threshold.name)
        if field is None or threshold.value is None:
            continue
        if getattr(config, field) in (getattr(TimingConfig(), field), threshold.value):
            changed[field] = threshold.value
            words.append(threshold.name)
    return replace(config, fitted=tuple(words), **changed)  # type: ignore[arg-type]


def refuse_half_characters(texts: Iterable[str]) -> None:
    """Raise InputError where a text is no valid Unicode, as bytes of another encoding make it on a command line."""
    try:
        for text in texts:
            text.encode()
    except UnicodeEncodeError as exc:
        raise InputError("The text holds half a character (it is no valid Unicode); type or paste it again.") from exc


def find_ground(request: DiagnosisRequest, profile: Profile, embedder: Embedder, report: Report) -> Ground:
    """Return the passages the request gives or its corpus holds, and the corpus to count in."""
    if request.corpus is None or (request.passages and not request.fixed):
        return given_ground(request, embedder)
    corpus = load_corpus(
        request.corpus,
        chunk_tokens=profile.chunk_tokens,
        chunk_overlap=profile.chunk_overlap,
        embedder=embedder,
        report=report,
    )
    found = () if request.fixed else corpus.search(request.question, request.k or profile.passages, request.retriever)
    return Ground(
        hits=given_hits(request.passages) if request.fixed else found,
        corpus_name=corpus.name,
        corpus_hash=corpus.content_hash,
        retriever=given_word(request.passages) if request.fixed else request.retriever,
        counter=counted(corpus),
        corpus=corpus,
    )


def given_ground(request: DiagnosisRequest, embedder: Embedder) -> Ground:
    """Return the passages the request gives as all there is to read, search and count in; it may give none."""
    documents = tuple(
        Document(document_id=f"passage-{i}", title=passage.title, text=passage.text, source="pasted")
        for i, passage in enumerate(request.passages, 1)
    )
    return Ground(
        hits=given_hits(request.passages),
        corpus_name=PASTED if documents else "no corpus",
        corpus_hash="",
        retriever=given_word(request.passages),
        counter=count_documents(documents, PASTED if documents else "no corpus"),
        corpus=pasted_corpus(documents, PASTED, embedder) if documents else None,
    )


def given_hits(passages: tuple[Passage, ...]) -> tuple[Hit, ...]:
    """Return given passages as hits: in their order, with no score."""
    return tuple(
        Hit(passage=passage, rank=rank, score=float("nan"), retriever="given")
        for rank, passage in enumerate(passages, 1)
    )


def given_word(passages: tuple[Passage, ...]) -> str:
    """Return what stands in the record for a retriever where passages were given: "none" where none was."""
    return "given" if passages else "none"


_COUNTED: dict[str, CorpusCounter] = {}


def counted(corpus: Corpus) -> CorpusCounter:
    """Return the counts of a corpus, made once per content; the last corpus only, as a user looks at one."""
    if corpus.content_hash not in _COUNTED:
        _COUNTED.clear()
        _COUNTED[corpus.content_hash] = count_documents(corpus.documents, corpus.name)
    return _COUNTED[corpus.content_hash]


def write_ahead(methods: Sequence[str], case: Case, request: DiagnosisRequest, backends: Backends) -> None:
    """Have all that the methods are sure to ask for written at once, where the models remember it.

    A batch costs little more than its longest row. What fails here fails again, with its sentence, in the method that
    asks for it.
    """
    if not (remembers(backends.model) and remembers(backends.writer)) or len(methods) < 2:
        return
    backends.report(Stage(method="answer", name="writing what the methods will read", total=1))
    try:
        wanted = [METHODS[word].foresees(case, getattr(request, word), backends) for word in methods]
        for_writer = [one for each in wanted for one in each.writer]
        for_model = [one for each in wanted for one in each.model]
        if backends.writer is backends.model:
            for_model, for_writer = [*for_model, *for_writer], []
        for model, requests in ((backends.model, for_model), (backends.writer, for_writer)):
            model.generate(list(dict.fromkeys(requests)), backends.report)
    except (InputError, ModelError, CapabilityError, NotMeasured, *UNEXPECTED) as exc:
        log.info("nothing was written ahead: %s", exc)


def outcome_of(word: str, case: Case, request: DiagnosisRequest, backends: Backends) -> Outcome:
    """Return what became of one method. Only stopping the run and a store that fails go further up."""
    began = time.monotonic()
    try:
        result = METHODS[word].run(case, getattr(request, word), backends)
    except (NotMeasured, CapabilityError) as exc:
        return Outcome(method=word, status="not measured", reason=str(exc), seconds=time.monotonic() - began)
    except (InputError, ModelError) as exc:
        return Outcome(method=word, status="failed", reason=str(exc), seconds=time.monotonic() - began)
    except UNEXPECTED as exc:
        log.exception("method %s failed", word)
        reason = f"Unexpected {type(exc).__name__}: {exc}"
        return Outcome(method=word, status="failed", reason=reason, seconds=time.monotonic() - began)
    return Outcome(
        method=word,
        status="not measured" if result.not_measured else "done",
        reason=result.not_measured,
        seconds=time.monotonic() - began,
        result=result,
    )


def provenance(request: DiagnosisRequest, backends: Backends, ground: Ground, started_at: str) -> Provenance:
    """Return what produced this run."""
    identity = backends.model.identity
    writer = backends.writer.identity if backends.writer is not backends.model else None
    return Provenance(
        package_version=installed("retrieval-microscope"),
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
        writer=writer.name if writer is not None else "",
        writer_revision=writer.revision if writer is not None else "",
        model_note=identity.note,
    )
