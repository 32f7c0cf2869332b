"""The tables of words and colours that are kept in data files beside the code."""

from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter


def read_table(name: str, kind: Any) -> Any:
    """Return what a YAML file below ``viz`` has, checked against a type such as ``dict[str, str]``."""
    text = (Path(__file__).parents[1] / name).read_text(encoding="utf-8")
    return TypeAdapter(kind).validate_python(yaml.safe_load(text))
