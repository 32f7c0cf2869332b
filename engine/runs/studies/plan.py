"""From questions and settings to points: which settings vary, what each point asks, and the id of its run.

The id is a hash of everything that decides the answer: the question with its correct answers and passages, every
setting, the bytes of the corpus, the versions of the program and its libraries, and fitted thresholds where they are
asked for. So a point asked again, in this study or another, is the run that is there already. A study keeps the ids it
began with.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, get_args

from engine.backends.retrieval.corpus import source_path
from engine.backends.retrieval.documents import folder_files, name_below
from engine.core.errors import CorpusError, InputError, QuestionError
from engine.core.folders import file_hash
from engine.core.provenance import installed_version, library_versions
from engine.core.settings import LARGEST_SEED, MOST_PASSAGES
from engine.diagnosis.options import with_options
from engine.diagnosis.request import DiagnosisRequest, Retriever
from engine.diagnosis.serialize import to_json
from engine.methods import METHODS
from engine.runs.corpora.shelf import listed_path
from engine.runs.request_checks import check_request
from engine.runs.studies.records import Point, QuestionFile, StudyPlan, StudyQuestion, Variant
from engine.thresholds.fitted import fits_for
from engine.thresholds.fitted.records import to_json as fit_to_json
from engine.thresholds.table import THRESHOLDS

# Settings of a run that may vary; every setting of a method may too, as METHOD.SETTING.
RUN_SETTINGS = ("k", "seed", "retriever", "profile", "model", "judge", "thresholds")
CHOICES: dict[str, tuple[str, ...]] = {
    "retriever": get_args(Retriever),
    "profile": ("embedded", "paper"),
    "thresholds": ("paper", "fitted"),
}
MOST_VARIANTS = 200
WHOLE_NUMBER = re.compile(r"-?\d{1,19}", re.ASCII)
# The files of a larger corpus are not kept one by one: its plan would be longer than its questions.
MOST_FILES, MOST_NAMED = 500, 3


def make_plan(
    file: QuestionFile, request: DiagnosisRequest, vary: Sequence[str] = (), name: str = ""
) -> tuple[StudyPlan, tuple[Point, ...]]:
    """Return the plan of a study and its points, in the order in which they are asked.

    ``vary`` are texts such as "k=1,3,5"; every combination is a variant. Raises InputError, and CorpusError where
    there is nothing to read.
    """
    variants = variants_of(vary)
    if request.corpus is None:
        lacking = next((one.number for one in file.questions if not one.passages), None)
        if lacking is not None:
            raise CorpusError(f"Question {lacking} brings no passages, so a corpus is needed (--corpus).")
        if any(option.startswith(("k=", "retriever=")) for variant in variants for option in variant.options):
            raise InputError("k and retriever vary only with a corpus: these questions bring their own passages.")
    else:
        request = replace(request, corpus=listed_path(request.corpus))
    plan = StudyPlan(
        name=name or Path(file.name).name,
        questions_name=file.name,
        questions_hash=file.content_hash,
        corpus_hash="",
        request=replace(request, question=""),
        variants=variants,
        versions=versions(),
        repeated=file.repeated,
    )
    # Before anything is read: who may not name a corpus or a model is refused here, and what no run could take.
    for question in file.questions:
        check_point(plan, question, variants[0])
    for variant in variants[1:]:
        check_point(plan, file.questions[0], variant)
    plan = over_corpus_of_now(plan)
    return plan, points_of(plan, file.questions)


def check_point(plan: StudyPlan, question: StudyQuestion, variant: Variant) -> None:
    """Raise an InputError where a question under these settings could not be asked; it is named by its number."""
    try:
        check_request(request_of(plan, question, variant))
    except (QuestionError, CorpusError) as exc:
        raise type(exc)(f"Question {question.number}: {exc}") from exc


def renewed(plan: StudyPlan, questions: Sequence[StudyQuestion]) -> tuple[StudyPlan, QuestionFile, tuple[Point, ...]]:
    """Return what a study of the same questions and settings needs over its corpus as it is now.

    Runs that the new corpus does not touch have new ids too: their passages may be others. Raises CorpusError.
    """
    plan = over_corpus_of_now(replace(plan, versions=versions()))
    file = QuestionFile(name=plan.questions_name, content_hash=plan.questions_hash, questions=tuple(questions))
    return plan, file, points_of(plan, questions)


def over_corpus_of_now(plan: StudyPlan) -> StudyPlan:
    """Return the plan with the bytes of its corpus as they are now. Raises CorpusError."""
    files = corpus_files(plan.request.corpus)
    kept = tuple((name, found.hex()) for name, found in files.items()) if len(files) <= MOST_FILES else ()
    return replace(plan, corpus_hash=hash_of(files), corpus_files=kept)


def points_of(plan: StudyPlan, questions: Sequence[StudyQuestion]) -> tuple[Point, ...]:
    """Return a point for every question under every variant, in the order in which they are asked."""
    bases = [basis_of(plan, variant) for variant in plan.variants]
    return tuple(
        Point(number=question.number, variant=place, run=run_id(bases[place], request_of(plan, question, variant)))
        for question in questions
        for place, variant in enumerate(plan.variants)
    )


def versions() -> tuple[tuple[str, str], ...]:
    """Return (name, version) of the program and of the libraries that can change a number."""
    return (("retrieval-microscope", installed_version("retrieval-microscope")), *library_versions())


def variants_of(vary: Sequence[str]) -> tuple[Variant, ...]:
    """Return every combination of the values that vary; one empty variant where nothing does. Raises InputError.

    >>> [one.label for one in variants_of(["k=1,3", "seed=0,1"])]
    ['k=1, seed=0', 'k=1, seed=1', 'k=3, seed=0', 'k=3, seed=1']
    """
    axes: dict[str, list[str]] = {}
    for text in vary:
        name, equals, values = text.partition("=")
        parts = [part.strip() for part in values.split(",") if part.strip()]
        if not equals or not parts:
            raise InputError(f"What varies is NAME=VALUE,VALUE, such as k=1,3,5; got {text!r}.")
        if (name := name.strip()) in axes:
            raise InputError(f"{name} varies twice; name its values together, as in k=1,3.")
        axes[name] = [f"{name}={part}" for part in dict.fromkeys(parts)]
    found = tuple(Variant(options=options) for options in product(*axes.values()))
    if len(found) > MOST_VARIANTS:
        raise InputError(f"{len(found)} combinations are more than {MOST_VARIANTS}; vary fewer values.")
    return found


def place_of_settings(plan: StudyPlan, label: str) -> int:
    """Return the place of a choice of what varies, by its label; 0 for "". Raises InputError where there is none."""
    labels = [one.label for one in plan.variants]
    if label and label not in labels:
        raise InputError(f"There are no settings {label!r}; there are {'; '.join(filter(None, labels)) or 'none'}.")
    return labels.index(label) if label else 0


def request_of(plan: StudyPlan, question: StudyQuestion, variant: Variant) -> DiagnosisRequest:
    """Return what one point asks. Raises InputError where a setting or its value does not exist."""
    own = question.passages if plan.request.corpus is None else ()
    return with_variant(replace(plan.request, question=question.question, golds=question.golds, passages=own), variant)


def with_variant(request: DiagnosisRequest, variant: Variant) -> DiagnosisRequest:
    """Return the request under one choice of settings. Raises InputError where one or its value does not exist."""
    for option in variant.options:
        request = with_value(request, option)
    return request


def with_value(request: DiagnosisRequest, option: str) -> DiagnosisRequest:
    """Return the request with one setting changed: of the run ("k=3"), of a method, or its only "threshold"."""
    name, _, value = option.partition("=")
    if name == "threshold":
        return with_options(request, [f"{only_threshold(request.methods)}={value}"])
    if "." in name:
        return with_options(request, [option])
    if name not in RUN_SETTINGS:
        raise InputError(f"{name!r} cannot vary; there are {', '.join(RUN_SETTINGS)}, threshold, METHOD.SETTING.")
    return replace(request, **{name: run_value(name, value)})  # type: ignore[arg-type]


def run_value(name: str, value: str) -> object:
    """Return the value of a setting of the run. Raises InputError for a value it cannot have."""
    if name in ("k", "seed"):
        low, high = (1, MOST_PASSAGES) if name == "k" else (-LARGEST_SEED, LARGEST_SEED)
        # Longer digits than any seed has are not even read: reading takes the square of their number.
        number = int(value) if WHOLE_NUMBER.fullmatch(value) else None
        if number is None or not low <= number <= high:
            raise InputError(f"{name} must be a whole number from {low:,} to {high:,}, got {value[:40]!r}.")
        return number
    if name in CHOICES and value not in CHOICES[name]:
        raise InputError(f"{name} must be one of {', '.join(CHOICES[name])}, got {value!r}.")
    return value


def only_threshold(methods: Sequence[str]) -> str:
    """Return the one threshold setting of the methods asked for, as METHOD.SETTING. Raises InputError for another
    number of them."""
    found = [f"{method}.{field}" for one in THRESHOLDS.values() for method, field in one.fields if method in methods]
    if len(found) != 1:
        told = ", ".join(found) or "none"
        raise InputError(f"--vary threshold=… needs one method with one threshold; these methods have: {told}.")
    return found[0]


def basis_of(plan: StudyPlan, variant: Variant) -> str:
    """Return what decides a point's answer beside its request: corpus, versions, and fits where they are asked for.

    Raises RecordError where a file of fitted thresholds cannot be read.
    """
    request = with_variant(plan.request, variant)
    lines = [plan.corpus_hash, *(f"{name} {version}" for name, version in plan.versions)]
    if request.thresholds == "fitted":
        fits = fits_for(request.model, request.judge, request.profile)
        lines += [sha256(fit_to_json(fit).encode()).hexdigest() for fit in fits]
    return "\n".join(lines)


def run_id(basis: str, request: DiagnosisRequest) -> str:
    """Return the id of a point's run: "s" and 24 hexadecimal digits."""
    return "s" + sha256(f"{basis}\n{to_json(request)}".encode()).hexdigest()[:24]


def corpus_hash(corpus: str | None) -> str:
    """Return the SHA-256 over names and bytes of a corpus's files, "" without one. Raises CorpusError."""
    return hash_of(corpus_files(corpus))


def corpus_files(corpus: str | None) -> dict[str, bytes]:
    """Return name -> SHA-256 of every file that a corpus indexes, {} without one. Raises CorpusError.

    What stands beside them, such as the sample encyclopaedia's recorded runs, changes no passage.
    """
    if corpus is None:
        return {}
    path = source_path(corpus)
    try:
        folder, files = (path, folder_files(path)) if path.is_dir() else (path.parent, (path,))
        return {name_below(folder, file): file_hash(file) for file in files}
    except OSError as exc:
        raise CorpusError(f"The corpus {path.name} cannot be read: {exc.strerror or exc}.") from exc


def hash_of(files: Mapping[str, bytes]) -> str:
    """Return the SHA-256 over names and hashes of files, "" without any."""
    return sha256(b"".join(name.encode() + b"\0" + found for name, found in files.items())).hexdigest() if files else ""


def corpus_change(plan: StudyPlan) -> str:
    """Return what changed in a study's corpus since it began, as a sentence; "" where nothing did."""
    now = corpus_files(plan.request.corpus)
    if hash_of(now) == plan.corpus_hash:
        return ""
    told = "The corpus has changed since this study began"
    before = dict(plan.corpus_files)
    if not before or len(now) > MOST_FILES:
        return f"{told}."
    parts = {
        "changed": [name for name in now if name in before and now[name].hex() != before[name]],
        "new": [name for name in now if name not in before],
        "gone": [name for name in before if name not in now],
    }
    return f"{told}: {'; '.join(f'{word}: {named(names)}' for word, names in parts.items() if names) or 'order'}."


def named(names: Sequence[str]) -> str:
    """Return the first names and how many more there are.

    >>> named(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def refuse_changed_inputs(plan: StudyPlan) -> None:
    """Raise InputError where the corpus is no longer the one the study began with."""
    if change := corpus_change(plan):
        raise InputError(f"{change} Start a new study over it.")


def settings_words(plan: StudyPlan) -> dict[str, Any]:
    """Return what a study was asked with, name -> value, for a page or a report."""
    request = plan.request
    return {
        "Questions": f"{plan.questions_name} ({plan.questions_hash[:12]})",
        "Corpus": f"{Path(request.corpus).name} ({plan.corpus_hash[:12]})" if request.corpus else "their own passages",
        "Methods": ", ".join(METHODS[word].title for word in request.methods) or "none",
        "Varies": "; ".join(variant.label for variant in plan.variants if variant.label) or "nothing",
        "Model": request.model,
        "Judge": request.judge,
        "Passages": str(request.k or "as the profile says"),
        "Retriever": request.retriever,
        "Profile": request.profile,
        "Thresholds": request.thresholds,
        "Seed": str(request.seed),
        "Program": ", ".join(f"{name} {version}" for name, version in plan.versions),
    }
