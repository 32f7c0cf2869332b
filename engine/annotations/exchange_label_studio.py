"""Labels as Label Studio's JSON: a task per item, an annotation per label, and back.

See https://labelstud.io/guide/task_format. Choices are results of the type "choices"; the first wrong token is a region
of the type "labels" on the text. Label Studio has no place for the whole item and for a label's state and origin. They
are under the key "microscope": in a task's data, which it keeps, and in its annotations, where it may drop them. An
annotation without that key was made in Label Studio: its author is "completed_by", and it is submitted, or discarded if
it was cancelled.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from engine.annotations.exchange_jsonl import FORMAT, WORDING, listed_values, named_values
from engine.annotations.fields import FIELDS, Field, checked_value
from engine.annotations.portable import Portable
from engine.annotations.records import Adjudication, Item, Label, Values
from engine.annotations.serialize import ADJUDICATION, ITEM, LABEL, PROJECT, to_fields, validated
from engine.core.errors import InputError, RecordError

OWN = "microscope"
TEXT = "text"
WRONG = "first wrong token"


def to_tasks(whole: Portable) -> str:
    """Return the project as a list of tasks; the first task has the project and its guidelines."""
    settled = {one.item: one for one in whole.adjudications}
    labels: dict[str, list[Label]] = {}
    for label in whole.labels:
        labels.setdefault(label.item, []).append(label)
    tasks = [task_of(item, labels.get(item.id, []), settled.get(item.id)) for item in whole.items]
    if tasks and whole.project is not None:
        tasks[0]["data"][OWN] |= {
            "format": FORMAT,
            "project": to_fields(whole.project),
            "guidelines": [asdict(one) for one in whole.wordings],
        }
    return json.dumps(tasks, ensure_ascii=False, indent=1)


def task_of(item: Item, labels: Sequence[Label], settled: Adjudication | None) -> dict[str, Any]:
    """Return one item as a task: its view, each finished label as an annotation, the others as drafts."""
    finished = ("submitted", "discarded")
    own = {"item": to_fields(item), "adjudication": named_values(to_fields(settled)) if settled else None}
    return {
        "id": item.number,
        "data": {
            "question": item.view.question,
            "gold": "; ".join(item.view.golds),
            TEXT: item.view.text,
            "other": item.view.other,
            "without": item.view.without,
            "found": "\n\n".join(f"{one.title}: {one.text}" for one in item.view.found or item.view.evidence),
            "kind": item.kind,
            "policy": item.policy,
            OWN: own,
        },
        "annotations": [annotation_of(item, label) for label in labels if label.state in finished],
        "drafts": [annotation_of(item, label) for label in labels if label.state not in finished],
    }


def annotation_of(item: Item, label: Label) -> dict[str, Any]:
    """Return a label as an annotation."""
    return {
        "result": [result_of(item, name, value) for name, value in label.values],
        "was_cancelled": label.state == "discarded",
        "lead_time": label.seconds,
        OWN: named_values(to_fields(label)),
    }


def result_of(item: Item, name: str, value: str | int) -> dict[str, Any]:
    """Return one value as a result: a choice, or a region on the marked token."""
    common = {"id": f"{item.id}-{name}", "from_name": name, "to_name": TEXT}
    if isinstance(value, int):
        piece = item.view.tokens[value]
        region = {"start": piece.start, "end": piece.end, "text": piece.text, "labels": [WRONG]}
        return common | {"type": "labels", "value": region}
    return common | {"type": "choices", "value": {"choices": [value]}}


def from_tasks(text: str) -> Portable:
    """Return the project in a list of tasks. Raises RecordError with the place of an error."""
    try:
        tasks = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise RecordError(f"This Label Studio file is not JSON: {exc}.") from exc
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise RecordError("This Label Studio file is not a list of tasks.")
    found = [task_in(task, number) for number, task in enumerate(tasks, start=1)]
    header = own_of(tasks[0].get("data"), 1) if tasks else {}
    if header.get("format") not in (None, FORMAT):
        raise RecordError(f"This Label Studio file was exported in another format than {FORMAT}.")
    wordings = header.get("guidelines") or []
    if not isinstance(wordings, list):
        raise RecordError("This Label Studio file has guidelines that cannot be read.")
    return Portable(
        project=validated(PROJECT, header["project"], "project") if "project" in header else None,
        wordings=tuple(validated(WORDING, one, "version of the guidelines") for one in wordings),
        items=tuple(item for item, _, _ in found),
        labels=tuple(label for _, labels, _ in found for label in labels),
        adjudications=tuple(one for _, _, one in found if one is not None),
    )


def own_of(holder: object, number: int) -> dict[str, Any]:
    """Return the content of our key. Raises RecordError if the task is not from an export of ours."""
    own = holder.get(OWN) if isinstance(holder, dict) else None
    if not isinstance(own, dict):
        raise RecordError(f"Task {number} of this Label Studio file was not exported from here.")
    return own


def task_in(task: Mapping[str, Any], number: int) -> tuple[Item, tuple[Label, ...], Adjudication | None]:
    """Return the item of a task, its labels and its adjudication."""
    own = own_of(task.get("data"), number)
    item = validated(ITEM, own.get("item"), f"item of task {number}")
    annotations = [*listed(task.get("annotations"), number), *listed(task.get("drafts"), number)]
    labels = tuple(label_in(item, annotation, number) for annotation in annotations)
    settled = own.get("adjudication")
    fields = listed_values(settled) if isinstance(settled, dict) else settled
    what = f"settled item of task {number}"
    return item, labels, None if settled is None else validated(ADJUDICATION, fields, what)


def listed(annotations: object, number: int) -> list[dict[str, Any]]:
    """Return the annotations of a task. Raises RecordError if they are not a list of objects."""
    found = annotations or []
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise RecordError(f"Task {number} of this Label Studio file has annotations that cannot be read.")
    return found


def label_in(item: Item, annotation: Mapping[str, Any], number: int) -> Label:
    """Return the label in an annotation: its results count, the rest is as exported, or new."""
    try:
        values = values_in(item, annotation.get("result"))
    except (InputError, AttributeError, KeyError, TypeError, IndexError) as exc:
        raise RecordError(f"An annotation of task {number} in this Label Studio file cannot be read: {exc}.") from exc
    own = annotation.get(OWN)
    if isinstance(own, dict):
        fields = listed_values(own)
    else:
        cancelled = annotation.get("was_cancelled") is True
        fields = {
            "annotator": author_of(annotation),
            "state": "discarded" if cancelled else "submitted",
            "seconds": annotation.get("lead_time") or 0.0,
            "version": 1,
        }
    return validated(LABEL, {**fields, "item": item.id, "values": values}, f"annotation of task {number}")


def values_in(item: Item, results: object) -> Values:
    """Return the values in the results of an annotation, in the order of the item's fields.

    Of several marked tokens the first counts. Raises InputError if a field is chosen twice.
    """
    said: dict[str, str | int] = {}
    for result in results if isinstance(results, list) else []:
        name, value = result["from_name"], result["value"]
        chosen = value["choices"][0] if result["type"] == "choices" else token_at(item, value)
        checked, before = checked_value(item.kind, name, chosen, len(item.view.tokens)), said.get(name)
        if isinstance(before, int) and isinstance(checked, int):
            checked = min(before, checked)
        elif before is not None:
            raise InputError(f"The field {name} is chosen twice")
        said[name] = checked
    return tuple((field.name, said[field.name]) for field in FIELDS[item.kind] if field.name in said)


def token_at(item: Item, region: Mapping[str, Any]) -> int:
    """Return the token at the start of a region. Raises InputError without one."""
    start = region["start"]
    for number, piece in enumerate(item.view.tokens):
        if piece.start <= start < piece.end or (piece.start, piece.end) == (start, region["end"]):
            return number
    raise InputError(f"The text has no token at character {start}")


def author_of(annotation: Mapping[str, Any]) -> str:
    """Return the author of an annotation in Label Studio, as far as it is known."""
    author = annotation.get("completed_by")
    if isinstance(author, dict):
        author = author.get("email") or author.get("id")
    return str(author) if author is not None else "Label Studio"


def config() -> str:
    """Return the labelling interface as Label Studio's XML; a field that a kind of item lacks is left unanswered."""
    fields = {field.name: field for kind in FIELDS.values() for field in kind}
    titles = {"question": "Question", "gold": "Correct answer", "found": "Passages", "other": "And"}
    shown = [
        f'  <Header value="{title}"/>\n  <Text name="{name}_shown" value="${name}"/>' for name, title in titles.items()
    ]
    questions = [question_of(field) for field in fields.values()]
    return "\n".join(["<View>", *shown, f'  <Text name="{TEXT}" value="${TEXT}"/>', *questions, "</View>"]) + "\n"


def question_of(field: Field) -> str:
    """Return a field as a question in Label Studio: choices, or a region to mark."""
    title = f"  <Header value={quoteattr(field.title)}/>"
    if not field.choices:
        return f'{title}\n  <Labels name="{field.name}" toName="{TEXT}"><Label value="{escape(WRONG)}"/></Labels>'
    lines = [
        f"    <Choice value={quoteattr(choice.value)} hotkey={quoteattr(choice.key)}/>" for choice in field.choices
    ]
    opening = f'  <Choices name="{field.name}" toName="{TEXT}" choice="single">'
    return "\n".join([title, opening, *lines, "  </Choices>"])
