"""Records as JSON text, and back: what the store keeps, what a download holds, what an upload is checked against.

Numbers survive exactly: NaN and the infinities are written as strings (``pydantic_core``'s ``inf_nan_mode``), floats
with as many digits as bring them back bit for bit. Text that comes in is untrusted: unknown keys, wrong types and other
format versions are refused with a sentence that says where. A record is as long as what was seen, and whatever
``to_json`` wrote is read; how long a file from elsewhere may be is ``engine.runs.bundle``'s to say. A method's result
is told from the others by its ``method`` word.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

import pydantic_core
from pydantic import ConfigDict, TypeAdapter, ValidationError

from engine.core.errors import RecordError
from engine.core.json_text import record_to_json
from engine.core.records import SCHEMA_VERSION
from engine.diagnosis.record import Diagnosis, MethodResult
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.traces.reading import ForeignAnswer
from engine.methods.chunk_utility import ChunkUtilityResult, SampledBelief
from engine.methods.dense import DenseResult
from engine.methods.dense_rag import DenseRagResult
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.quco_loop import QucoLoop
from engine.methods.quco_rag import QucoResult
from engine.methods.seper import Belief, SeperResult
from engine.methods.sugar import SugarResult
from engine.methods.timing.method import TimingResult
from engine.methods.uncertainty import AnswerSet, UncertaintyResult

Record = TypeVar("Record")

# Inside a tuple, because pydantic hands ``extra="forbid"`` down to plain dataclasses only from a container.
STRICT = ConfigDict(extra="forbid")
DIAGNOSIS: TypeAdapter[tuple[Diagnosis]] = TypeAdapter(tuple[Diagnosis], config=STRICT)
REQUEST: TypeAdapter[tuple[DiagnosisRequest]] = TypeAdapter(tuple[DiagnosisRequest], config=STRICT)


def to_json(record: Diagnosis | DiagnosisRequest) -> str:
    """Return the record as one line of JSON, every number exact. Raises RecordError where its text is no valid Unicode.

    >>> to_json(DiagnosisRequest(question="Who?", k=3))[:40]
    '{"question":"Who?","corpus":null,"passag'
    """
    return record_to_json(record)


def from_json(text: str) -> Diagnosis:
    """Return the diagnosis that ``to_json`` wrote. Raises RecordError with the place of the first thing wrong."""
    return from_fields(parsed(text, "run record"))


def from_fields(fields: Mapping[str, Any]) -> Diagnosis:
    """Return the diagnosis that parsed JSON describes. Raises RecordError as ``from_json`` does."""
    version = fields.get("schema_version")
    if "schema_version" not in fields:
        raise RecordError("This JSON file is no run record: it does not come from the button Download as JSON.")
    if version != SCHEMA_VERSION:
        raise RecordError(f"This run record has format {shown(version)}; this version reads format {SCHEMA_VERSION}.")
    diagnosis = validated(DIAGNOSIS, fields, "run record")
    if diagnosis.foreign is not None and not foreign_fits(diagnosis.foreign):
        raise RecordError("This run record contradicts itself: the parts of the foreign answer do not fit together.")
    for outcome in diagnosis.outcomes:
        if outcome.result is not None and outcome.result.method != outcome.method:
            raise RecordError(
                f"This run record mixes up its methods: the result under {shown(outcome.method)} "
                f"was made by {shown(outcome.result.method)}."
            )
        if outcome.result is not None and not fits_together(outcome.result):
            raise RecordError(
                f"This run record contradicts itself: the parts of the result under {shown(outcome.method)} "
                "do not fit together (a number points to a sample, word or chunk that is not there)."
            )
    return diagnosis


def fits_together(result: MethodResult) -> bool:
    """Return whether whatever a result points to by number is there, so that it can be drawn."""
    match result:
        case DenseResult():
            n = len(result.members)
            square = len(result.weights) == n and all(len(row) == n for row in result.weights)
            return square and all(-1 <= member < len(result.chunks) for member in result.members)
        case DenseRagResult():
            return contexts_fit(result)
        case SeperResult():
            return belief_fits(result.without) and belief_fits(result.with_passages)
        case EntropyTrendResult():
            words, tokens = len(result.words), len(result.generation.tokens)
            spans = all(0 <= word.first_token <= word.last_token < tokens for word in result.words)
            named = [point.word for point in result.points] + [trigger.word for trigger in result.triggers]
            return spans and all(0 <= word < words for word in named)
        case QucoResult():
            return result.loop is None or loop_fits(result.loop)
        case SugarResult():
            doubts = (result.closed_book, *(one.after for one in result.rounds if one.after is not None))
            return all(belief_fits(one.belief) for one in doubts)
        case UncertaintyResult():
            return all(set_fits(one) for one in result.sets)
        case ChunkUtilityResult():
            tried = [change.belief for one in result.chunks for change in (one.left_out, one.alone)]
            return all(samples_fit(one) for one in (result.without, result.with_passages, *tried))
        case TimingResult():
            return timing_fits(result)


def foreign_fits(answer: ForeignAnswer) -> bool:
    """Return whether ETC's words and FLARE's signals stand in the foreign answer's own tokens."""
    tokens = len(answer.generation.tokens)
    trend = answer.trend is None or (answer.trend.generation == answer.generation and fits_together(answer.trend))
    flare = answer.flare is None or (
        all(0 <= signal.token < tokens for signal in answer.flare.signals)
        and all(0 <= place < len(answer.flare.signals) for place in answer.flare.triggers)
    )
    return trend and flare


def contexts_fit(result: DenseRagResult) -> bool:
    """Return whether every step names chunks and steps that are there, and has a label per chunk of its context."""
    chunks, steps = len(result.chunks), len(result.steps)
    named = [number for step in result.steps for number in step.context]
    named += [came.chunk for step in result.steps for came in step.came]
    named += [left.chunk for step in result.steps for left in step.left]
    named += [came.guide for step in result.steps for came in step.came if came.guide is not None]
    best = [result.final, *(step.best for step in result.steps if step.best is not None)]
    labelled = all(len(step.labels) == len(step.context) for step in result.steps)
    return labelled and all(0 <= n < chunks for n in named) and all(0 <= n < steps for n in best)


def timing_fits(result: TimingResult) -> bool:
    """Return whether signals and lookups stand inside their texts, and triggers and passages name what is there."""
    length = len(result.generation.text)
    lanes = all(
        all(0 <= place < len(lane.signals) for place in lane.triggers)
        and all(0 <= signal.start <= signal.end <= length and 0 <= signal.cut <= length for signal in lane.signals)
        for lane in result.lanes
    )
    runs = all(
        all(0 <= retrieval.characters <= len(run.text) for retrieval in run.retrievals)
        and all(written.over is None or 0 <= written.over < len(run.retrievals) for written in run.written)
        and all(0 <= stair.retrieval <= len(run.retrievals) and belief_fits(stair.belief) for stair in run.stairs)
        for run in result.runs
    )
    return lanes and runs


def loop_fits(loop: QucoLoop) -> bool:
    """Return whether every sentence of QuCo-RAG's loop names generations that are there, and every query its claim."""
    written = len(loop.generations)
    named = [number for step in loop.steps for number in (step.generation, step.rewritten_in) if number is not None]
    asked = all(
        lookup.claim is not None and 0 <= lookup.claim < len(step.claims)
        for step in loop.steps
        for lookup in step.lookups
    )
    return asked and all(0 <= number < written for number in named)


def belief_fits(belief: Belief) -> bool:
    """Return whether there is one weight, meaning and kernel row per sample, and meanings name only samples."""
    n = len(belief.samples)
    per_sample = len(belief.weights) == len(belief.ids) == n and len(belief.kernel) in (0, n)
    return per_sample and all(0 <= i < n for meaning in belief.meanings for i in meaning.members)


def set_fits(answers: AnswerSet) -> bool:
    """Return whether both matrices and the meanings of a set have one row, column and number per answer."""
    n = len(answers.answers)
    squares = (answers.classes, answers.entailment)
    return len(answers.ids) == n and all(len(m) == n and all(len(row) == n for row in m) for m in squares)


def samples_fit(belief: SampledBelief) -> bool:
    """Return whether there is one weight and one kernel row per sample."""
    return len(belief.samples) == len(belief.weights) == len(belief.kernel)


def request_from_json(text: str) -> DiagnosisRequest:
    """Return the request that ``to_json`` wrote. Raises RecordError with the place of the first thing wrong."""
    return validated(REQUEST, parsed(text, "request"), "request")


def parsed(text: str, kind: str) -> Mapping[str, Any]:
    """Return the JSON object a text holds. Raises RecordError where it is not JSON or no object."""
    try:
        fields = pydantic_core.from_json(text)
    except ValueError as exc:
        raise RecordError(f"This {kind} is not JSON: {exc}.") from exc
    if not isinstance(fields, dict):
        raise RecordError(f"This {kind} is not a JSON object but a {type(fields).__name__}.")
    return fields


def validated(adapter: TypeAdapter[tuple[Record]], fields: Mapping[str, Any], kind: str) -> Record:
    """Return the record the fields describe. Raises RecordError that names the first field that does not fit."""
    try:
        return adapter.validate_python((fields,))[0]
    except ValidationError as exc:
        raise RecordError(f"This {kind} cannot be read: {first_fault(exc)}") from exc


def first_fault(error: ValidationError) -> str:
    """Return where the first fault is and what is wrong there, as a sentence.

    A result is tried as every kind of result; the faults of kinds whose ``method`` word is another are no faults.
    """
    faults = error.errors(include_url=False, include_input=False)
    other_kinds = [fault["loc"][:-1] for fault in faults if fault["loc"][-1:] == ("method",)]
    told = [fault for fault in faults if not any(fault["loc"][: len(kind)] == kind for kind in other_kinds)]
    if not told:
        *place, _kind, _word = faults[0]["loc"][1:]
        return f"{dotted(place)}: no known method's result."
    return f"{dotted(told[0]['loc'][1:])}: {told[0]['msg'].rstrip('.')}."


def dotted(place: tuple[int | str, ...] | list[int | str]) -> str:
    """Return the way to a field as text.

    >>> dotted(("outcomes", 0, "method"))
    'outcomes.0.method'
    """
    return ".".join(str(step) for step in place)[:200]


def shown(value: object) -> str:
    """Return an untrusted value in quotes, cut short, for a message."""
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
