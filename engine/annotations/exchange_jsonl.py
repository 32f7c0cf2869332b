"""A project as JSON lines: one object per line with a "type"; everything in the project, nothing else.

The first line names the format, the project, the version of its guidelines, and the runs of its items.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pydantic import ConfigDict, TypeAdapter

from engine.annotations.portable import Portable, Wording
from engine.annotations.records import Project
from engine.annotations.serialize import ADJUDICATION, ITEM, LABEL, PROJECT, to_fields, validated
from engine.core.errors import RecordError

FORMAT = 1
WORDING: TypeAdapter[tuple[Wording]] = TypeAdapter(tuple[Wording], config=ConfigDict(extra="forbid"))


def to_jsonl(whole: Portable) -> str:
    """Return the project as lines of JSON, in the order project, guidelines, items, labels, adjudications."""
    runs = sorted({item.run_hash for item in whole.items})
    lines: list[dict[str, Any]] = []
    if whole.project is not None:
        header = {"format": FORMAT, "runs": runs, **to_fields(whole.project)}
        lines.append({"type": "project", **header})
    lines += [{"type": "guidelines", **asdict(one)} for one in whole.wordings]
    lines += [{"type": "item", **to_fields(item)} for item in whole.items]
    lines += [{"type": "label", **named_values(to_fields(label))} for label in whole.labels]
    lines += [{"type": "adjudication", **named_values(to_fields(one))} for one in whole.adjudications]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def named_values(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a label with its values as an object, so that a reader need not know their order."""
    return fields | {"values": dict(fields["values"])}


def from_jsonl(text: str) -> Portable:
    """Return the project in a file from ``to_jsonl``. Raises RecordError with the number of a bad line."""
    parts: dict[str, list[Any]] = {part: [] for part in ("project", *(part for part, _, _ in LINES.values()))}
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                part, record = part_on(parsed(line))
                if part == "project" and parts[part]:
                    raise RecordError("This file has two projects.")
                parts[part].append(record)
            except RecordError as exc:
                raise RecordError(f"Line {number}: {exc}") from exc
    projects = parts.pop("project")
    if not projects:
        raise RecordError("This file is not an export of labels: its first line names no project.")
    return Portable(project=projects[0], **{part: tuple(records) for part, records in parts.items()})


def parsed(line: str) -> dict[str, Any]:
    """Return the object on a line. Raises RecordError without one."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise RecordError(f"This is not JSON: {exc}.") from exc
    if not isinstance(fields, dict):
        raise RecordError("This is not a JSON object.")
    return fields


def part_on(fields: dict[str, Any]) -> tuple[str, Any]:
    """Return which part of a project a line adds to, and the record on it."""
    kind = fields.pop("type", None)
    if kind == "project":
        return "project", project_on(fields)
    if not isinstance(kind, str) or kind not in LINES:
        raise RecordError(f"Exports of labels have no line of the type {str(kind)[:40]!r}.")
    part, adapter, what = LINES[kind]
    return part, validated(adapter, listed_values(fields) if "values" in fields else fields, what)


def project_on(fields: dict[str, Any]) -> Project:
    """Return the project that a header describes."""
    form, _ = fields.pop("format", None), fields.pop("runs", None)
    if form != FORMAT:
        raise RecordError(f"This export has format {str(form)[:20]!r}; this version reads format {FORMAT}.")
    return validated(PROJECT, fields, "project")


def listed_values(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a label with its values as pairs again."""
    values = fields.get("values")
    return fields | {"values": list(values.items()) if isinstance(values, dict) else values}


# Each type of line: the part of a project that it adds to, the type of its record, and what messages call it.
LINES: Mapping[str, tuple[str, TypeAdapter[Any], str]] = {
    "guidelines": ("wordings", WORDING, "version of the guidelines"),
    "item": ("items", ITEM, "item"),
    "label": ("labels", LABEL, "label"),
    "adjudication": ("adjudications", ADJUDICATION, "settled item"),
}
