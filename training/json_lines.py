"""JSON Lines, plain or gzipped, as the public files of questions and passages come."""

import gzip
import json
from pathlib import Path
from typing import Any


def read_json_lines(path: Path) -> list[dict[str, Any]]:
    """Return the object of every line that is not empty. Only a line feed ends a line: texts hold other separators."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8")
    return [json.loads(line) for line in text.split("\n") if line.strip()]
