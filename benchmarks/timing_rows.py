"""The rows of a benchmark that runs for hours: kept as soon as they are there, by parts, and published without text."""

import gzip
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.question_keys import key_of
from benchmarks.timing_results import LoopRow
from training.json_lines import read_json_lines

WHOLE = (1, 1)


def kept(file: Path) -> list[dict[str, Any]]:
    """Return the whole rows of a file; a last line that a stop cut off is not one."""
    if not file.exists():
        return []
    whole, _, _ = file.read_text(encoding="utf-8").rpartition("\n")
    return [json.loads(line) for line in whole.split("\n") if line.strip()]


def keep(file: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Add rows to a file, behind whole lines only."""
    if file.exists() and not file.read_bytes().endswith(b"\n"):
        whole, _, _ = file.read_text(encoding="utf-8").rpartition("\n")
        file.write_text(f"{whole}\n" if whole else "", encoding="utf-8")
    with file.open("a", encoding="utf-8") as opened:
        opened.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def publish(file: Path, rows: Sequence[LoopRow]) -> None:
    """Write rows as gzipped JSON Lines, with neither questions nor answers; the same rows give the same bytes."""
    lines = [json.dumps({**asdict(row), "question": key_of(row.question), "answer": ""}) for row in rows]
    file.write_bytes(gzip.compress("".join(f"{line}\n" for line in sorted(lines)).encode(), mtime=0))


def published(file: Path, questions: Sequence[str]) -> list[LoopRow]:
    """Return the published rows of these questions."""
    names = {key_of(question): question for question in questions}
    rows = [row for row in read_json_lines(file) if row["question"] in names]
    return [LoopRow(**{**row, "question": names[row["question"]]}) for row in rows]


def rows_so_far(folder: Path, shown: Path | None, questions: Sequence[str]) -> list[LoopRow]:
    """Return the rows that all parts kept in a folder, and the published rows of runs that are not among them."""
    rows = [LoopRow(**row) for file in sorted(folder.glob("rows*.jsonl")) for row in kept(file)]
    known = {(row.question, row.policy, row.level) for row in rows}
    found = published(shown, questions) if shown and shown.exists() else []
    return rows + [row for row in found if (row.question, row.policy, row.level) not in known]


def same_settings(folder: Path, settings: dict[str, object]) -> None:
    """Keep the settings beside the rows; exits where the folder has rows of others."""
    folder.mkdir(parents=True, exist_ok=True)
    file, text = folder / "settings.json", json.dumps(settings, indent=2)
    if file.exists() and file.read_text(encoding="utf-8") != text:
        raise SystemExit(f"{folder} holds rows of other settings: name another folder.")
    file.write_text(text, encoding="utf-8")


def of_part(questions: Sequence[str], part: tuple[int, int]) -> list[str]:
    """Return the questions of a part, (1, 2) being the first of two, in an order that mixes both kinds."""
    number, parts = part
    return sorted(questions, key=key_of)[number - 1 :: parts]


def part_of(text: str) -> tuple[int, int]:
    """Return (number, parts) of "number/parts". Raises ValueError for anything else."""
    number, parts = (int(word) for word in text.split("/"))
    if not 1 <= number <= parts:
        raise ValueError(f"{text} is no part: 1/2 is the first of two.")
    return number, parts
