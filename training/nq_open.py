"""Questions, correct answers and the one passage that answers each: Natural Questions (open) with oracle passages.

``qa_data/nq-open-oracle.jsonl.gz`` of github.com/nelson-liu/lost-in-the-middle (Liu et al. 2023; code MIT, Natural
Questions CC BY-SA 3.0), plain or gzipped. Questions with ``sha1(question) % 5 == 0`` are test and never trained on.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from engine.core.records import Passage
from training.evouna import DATA_VARIABLE, split_of
from training.json_lines import read_json_lines

FILE_NAME = "nq_open_oracle_dev.jsonl.gz"


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleRow:
    """One question, its correct answers, the passage that answers it, and the split 0..4."""

    question: str
    answers: tuple[str, ...]
    passage: Passage
    split: int

    @property
    def test(self) -> bool:
        """Return whether the question belongs to the test split."""
        return self.split == 0


def read_oracle(path: Path) -> tuple[OracleRow, ...]:
    """Return every question with the passage that answers it."""
    return tuple(oracle_row(entry) for entry in read_json_lines(path))


def oracle_row(entry: dict[str, object]) -> OracleRow:
    """Return one line's question."""
    question, found = str(entry["question"]), entry["ctxs"][0]  # type: ignore[index]
    passage = Passage(text=found["text"], title=found["title"], document_id=found["title"], end=len(found["text"]))
    return OracleRow(
        question=question,
        answers=tuple(map(str, entry["answers"])),  # type: ignore[call-overload]
        passage=passage,
        split=split_of(question),
    )


def oracle_path(named: str | None) -> Path:
    """Return the path of the data: the given one, or one in the named environment folder; exits without either."""
    if named:
        return Path(named)
    folder = os.environ.get(DATA_VARIABLE, "")
    if not folder:
        raise SystemExit(f"Give the path of nq-open-oracle.jsonl.gz, or set {DATA_VARIABLE}.")
    return Path(folder) / FILE_NAME
