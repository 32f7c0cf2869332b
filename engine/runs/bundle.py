"""A run as one file that explains itself: its record as JSON inside an HTML page, under a seal over the whole file.

The record names its two parts: *raw* is what was seen (texts, tokens, judgements, counts, settings), *derived* is what
follows from it and what ``engine.catalogue.verify`` computes again. The JSON stands in a ``<script
type="application/json">``, which no browser runs; the letters that could close that tag are written as JSON escapes.
The seal is the SHA-256 of the file with the seal's own digits put to zero, so a changed figure, sentence or number
breaks it. It says that the file is the one that was written, not who wrote it.

What is read from a file is text and JSON, nothing of it is run. A bundle and a plain record are both read back here,
gzipped or not, up to a length: a file may come from anybody. A byte-order mark in front of the text is no part of it.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pydantic_core

from engine.backends.retrieval.readers import plain_bytes
from engine.catalogue.ranges import refuse_impossible
from engine.catalogue.verify import verify
from engine.core.errors import CorpusError, RecordError
from engine.core.json_text import refuse_large_numbers
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.serialize import from_fields, parse_object, shown, to_json
from engine.runs.limits import refuse_large

KIND = "retrieval-microscope run bundle"
BUNDLE_VERSION = 1
LARGEST_RECORD = 64 * 2**20
LARGEST_BUNDLE = 128 * 2**20
RAW = (
    "Everything in the diagnosis that is not named under derived: texts, tokens with log-probabilities and entropies, "
    "judgements, counts, settings, versions, and what rests on a model, a parser or a corpus that is not in this file."
)
RECORD_OPEN = '<script type="application/json" id="microscope-record">'
RECORD_CLOSE = "</script>"
SEAL_NAME = "microscope-sha256"
UNSEALED = "0" * 64
SEAL = re.compile(rf'<meta name="{SEAL_NAME}" content="([0-9a-f]{{64}})">')
# In JSON these stand inside strings only, where an escape means the same letter.
TAG_LETTERS = str.maketrans({letter: f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"})

Seal = Literal["whole", "broken", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """What a file holds: the diagnosis, the run it was, and whether the file is as it was written.

    ``seal`` "none": a plain record, which carries no hash.
    """

    diagnosis: Diagnosis
    run: str
    container: Literal["bundle", "record"]
    seal: Seal


def bundle_json(diagnosis: Diagnosis, run: str = "") -> str:
    """Return the record of a bundle as JSON: kind, version, run, what is raw and what is derived, the diagnosis."""
    derived = [check.place for check in verify(diagnosis).checks]
    head = {"kind": KIND, "bundle_version": BUNDLE_VERSION, "run": run, "parts": {"raw": RAW, "derived": derived}}
    opened = pydantic_core.to_json(head).decode().removesuffix("}")
    return f'{opened},"diagnosis":{to_json(diagnosis)}}}'


def record_script(json: str) -> str:
    r"""Return JSON as a data block of a page, from which no text in it can break out.

    >>> record_script('{"a":"</script>"}').count("</script>")
    1
    """
    return f"{RECORD_OPEN}{tag_safe(json)}{RECORD_CLOSE}"


def tag_safe(json: str) -> str:
    """Return the same JSON without a letter that could end or open a tag."""
    return json.translate(TAG_LETTERS)


def seal_line() -> str:
    """Return the line of a page's head that ``sealed`` fills in."""
    return f'<meta name="{SEAL_NAME}" content="{UNSEALED}">'


def seal_page(page: str) -> str:
    """Return the page with its content hash in the seal. Raises ValueError unless it has exactly one open seal."""
    if page.count(seal_line()) != 1:
        raise ValueError(f"a page to be sealed must hold one open seal, got {page.count(seal_line())}")
    return page.replace(seal_line(), seal_line().replace(UNSEALED, page_digest(page)))


def page_digest(page: str) -> str:
    """Return the SHA-256 of a page in UTF-8, as 64 hexadecimal digits."""
    return hashlib.sha256(page.encode()).hexdigest()


def seal_of(page: str) -> Seal:
    """Return whether a page is as it was written: "broken" where its hash is another, "none" where it has no seal."""
    found = SEAL.search(page)
    if found is None:
        return "none"
    unsealed = page[: found.start(1)] + UNSEALED + page[found.end(1) :]
    return "whole" if page_digest(unsealed) == found.group(1) else "broken"


def read_export(content: str | bytes) -> Export:
    """Return what a bundle or a plain record holds. Raises RecordError where it is too long or cannot be read.

    A broken seal is told, not refused: ``import_record`` refuses it.
    """
    text = decode_text(content)
    if not text.lstrip(" \t\r\n").startswith("<"):
        fields = outside_object(limit_length(text, "run record", LARGEST_RECORD), "run record")
        if fields.get("kind") == KIND:
            return export_of(fields, "none")
        return Export(diagnosis=from_fields(fields), run="", container="record", seal="none")
    record = record_text(limit_length(text, "bundle", LARGEST_BUNDLE))
    return export_of(outside_object(limit_length(record, "run bundle", LARGEST_RECORD), "run bundle"), seal_of(text))


def outside_object(text: str, kind: str) -> Mapping[str, Any]:
    """Return the JSON object in a text from elsewhere. Raises RecordError, also where a number is too large to draw."""
    fields = parse_object(text, kind)
    refuse_large_numbers(fields, kind)
    return fields


def limit_length(text: str, kind: str, most: int) -> str:
    """Return the text. Raises RecordError where it has more than ``most`` characters."""
    if len(text) > most:
        raise RecordError(f"This {kind} is too large: {len(text):,} characters, at most {most:,} are read.")
    return text


def import_record(content: str | bytes) -> Diagnosis:
    """Return the diagnosis of a bundle or a plain record.

    Raises RecordError, also where a bundle's seal is broken or a number is outside its range, and InputError where it
    is a visitor's, and larger than what they may upload.
    """
    text = decode_text(content)
    refuse_large("This run", len(text))
    export = read_export(text)
    if export.container == "bundle" and export.seal == "broken":
        raise RecordError(
            "This bundle is not as it was written: its content hash does not match. Ask for the file again."
        )
    refuse_impossible(export.diagnosis)
    return export.diagnosis


def decode_text(content: str | bytes) -> str:
    """Return a file's content as text, unpacked where it is gzipped, without a byte-order mark.

    Raises RecordError where it is no UTF-8, or damaged, or unpacks to more than is read.
    """
    if isinstance(content, str):
        return content.removeprefix("\ufeff")
    try:
        return plain_bytes("This file", content, LARGEST_BUNDLE).decode("utf-8-sig")
    except CorpusError as exc:
        raise RecordError(str(exc)) from exc
    except UnicodeDecodeError as exc:
        raise RecordError(
            f"This file is neither a run bundle nor a JSON export: it is not UTF-8 text ({exc})."
        ) from exc


def record_text(page: str) -> str:
    """Return the JSON that a bundle carries. Raises RecordError where the page carries none, or more than one."""
    if page.count(RECORD_OPEN) != 1:
        raise RecordError("This HTML page is not a run bundle: it does not carry exactly one record.")
    start = page.index(RECORD_OPEN) + len(RECORD_OPEN)
    end = page.find(RECORD_CLOSE, start)
    if end < 0:
        raise RecordError("This bundle was cut off: its record has no end.")
    return page[start:end]


def export_of(fields: Any, seal: Seal) -> Export:
    """Return a bundle's record. Raises RecordError where its version or its diagnosis cannot be read."""
    version, diagnosis = fields.get("bundle_version"), fields.get("diagnosis")
    if fields.get("kind") != KIND:
        raise RecordError("This HTML page is not a run bundle: its record is of another kind.")
    if version != BUNDLE_VERSION:
        raise RecordError(f"This bundle has format {shown(version)}; this version reads format {BUNDLE_VERSION}.")
    if not isinstance(diagnosis, dict):
        raise RecordError("This bundle cannot be read: diagnosis: a JSON object is needed.")
    run = fields.get("run", "")
    return Export(
        diagnosis=from_fields(diagnosis), run=run if isinstance(run, str) else "", container="bundle", seal=seal
    )
