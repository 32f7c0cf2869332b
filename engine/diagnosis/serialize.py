"""Records as JSON text, and back: what the store keeps, what a download holds, what an upload is checked against.

Numbers survive exactly: NaN and the infinities are written as strings (``pydantic_core``'s ``inf_nan_mode``), floats
with as many digits as bring them back bit for bit. Text that comes in is untrusted: unknown keys, wrong types and newer
versions are refused with a sentence that says where; older versions are migrated (``engine.diagnosis.migrations``). A
record is as long as what was seen, and whatever ``to_json`` wrote is read; how long a file from elsewhere may be is
``engine.runs.bundle``'s to say. A method's result is recognised by its ``method`` word.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from engine.core.errors import RecordError
from engine.core.json_text import json_kind, parse_json, record_to_json
from engine.diagnosis.migrations import migrate_fields
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.traces.reading import ImportedAnswer
from engine.methods import METHODS
from engine.methods.entropy_trend import fits as trend_fits

Record = TypeVar("Record")
MOST_OUTCOMES = 50  # of a record; there is one of each method
NEWER = "this program knows no such field; a newer version may have written it"

# Inside a tuple, because pydantic hands ``extra="forbid"`` down to plain dataclasses only from a container.
# What reads records is built when the first one is read: the Ask form reads none.
STRICT = ConfigDict(extra="forbid", defer_build=True)
DIAGNOSIS: TypeAdapter[tuple[Diagnosis]] = TypeAdapter(tuple[Diagnosis], config=STRICT)
REQUEST: TypeAdapter[tuple[DiagnosisRequest]] = TypeAdapter(tuple[DiagnosisRequest], config=STRICT)


def to_json(record: Diagnosis | DiagnosisRequest) -> str:
    """Return the record as one line of JSON, every number exact. Raises RecordError where its text is no valid Unicode.

    >>> to_json(DiagnosisRequest(question="Who?", k=3))[:40]
    '{"schema_version":3,"question":"Who?","c'
    """
    return record_to_json(record)


def from_json(text: str) -> Diagnosis:
    """Return the diagnosis that ``to_json`` wrote. Raises RecordError with the place of the first thing wrong."""
    return from_fields(parse_object(text, "run record"))


def from_fields(fields: Mapping[str, Any]) -> Diagnosis:
    """Return the diagnosis that parsed JSON describes. Raises RecordError as ``from_json`` does."""
    if "schema_version" not in fields:
        raise RecordError("This JSON file is not a run record: it does not come from the button Download as JSON.")
    fields = migrate_fields(fields, "run record")
    refuse_many_outcomes(fields)
    diagnosis = validate_record(DIAGNOSIS, fields, "run record")
    if diagnosis.imported is not None and not imported_fits(diagnosis.imported):
        raise RecordError("This run record contradicts itself: the parts of the imported answer do not fit together.")
    for outcome in diagnosis.outcomes:
        if outcome.result is not None and outcome.result.method != outcome.method:
            raise RecordError(
                f"This run record mixes up its methods: the result under {shown(outcome.method)} "
                f"was made by {shown(outcome.result.method)}."
            )
        if outcome.result is not None and not METHODS[outcome.method].fits(outcome.result):
            raise RecordError(
                f"This run record contradicts itself: the parts of the result under {shown(outcome.method)} "
                "do not fit together. A number points to a sample, word or chunk that is not there."
            )
    return diagnosis


def refuse_many_outcomes(fields: Mapping[str, Any]) -> None:
    """Raise RecordError where there are more outcomes than methods: each would be tried as every kind of result."""
    outcomes = fields.get("outcomes")
    if isinstance(outcomes, list) and len(outcomes) > MOST_OUTCOMES:
        raise RecordError(f"This run record cannot be read: outcomes: more than {MOST_OUTCOMES} results.")


def imported_fits(answer: ImportedAnswer) -> bool:
    """Return whether ETC's words and FLARE's signals stand in the imported answer's own tokens."""
    tokens = len(answer.generation.tokens)
    trend = answer.trend is None or (answer.trend.generation == answer.generation and trend_fits(answer.trend))
    flare = answer.flare is None or (
        all(0 <= signal.token < tokens for signal in answer.flare.signals)
        and all(0 <= place < len(answer.flare.signals) for place in answer.flare.triggers)
    )
    return trend and flare


def request_from_json(text: str) -> DiagnosisRequest:
    """Return the request that ``to_json`` wrote. Raises RecordError with the place of the first thing wrong."""
    return validate_record(REQUEST, migrate_fields(parse_object(text, "request"), "request"), "request")


def parse_object(text: str, kind: str) -> Mapping[str, Any]:
    """Return the JSON object a text holds. Raises RecordError where it is not JSON, or no object."""
    fields = parse_json(text, kind)
    if not isinstance(fields, dict):
        raise RecordError(f"This {kind} is not a JSON object but {json_kind(fields)}.")
    return fields


def validate_record(adapter: TypeAdapter[tuple[Record]], fields: Mapping[str, Any], kind: str) -> Record:
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
    other_kinds = {fault["loc"][:-1] for fault in faults if fault["loc"][-1:] == ("method",)}
    for fault in faults:
        place = fault["loc"]
        if not any(place[:steps] in other_kinds for steps in range(len(place) + 1)):
            message = NEWER if fault["type"] == "unexpected_keyword_argument" else fault["msg"].rstrip(".")
            return f"{dotted_path(place[1:])}: {message}."
    *above, _kind, _word = faults[0]["loc"][1:]
    return f"{dotted_path(above)}: no known method's result."


def dotted_path(place: tuple[int | str, ...] | list[int | str]) -> str:
    """Return the way to a field as text.

    >>> dotted_path(("outcomes", 0, "method"))
    'outcomes.0.method'
    """
    return ".".join(str(step) for step in place)[:200]


def shown(value: object) -> str:
    """Return an untrusted value in quotes, cut short, for a message."""
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
