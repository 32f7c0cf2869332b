"""Questions that need two to four hops, with their passages: HotpotQA, MuSiQue and the chains written for IRCoT.

One JSON object a line, plain or gzipped: ``question``, ``answers``, ``passages`` (``title``, ``text``, ``supporting``),
``decomposition`` (MuSiQue's single questions with their answers), ``chain`` (a person's step-by-step answer, from
github.com/StonyBrookNLP/ircot, Apache-2.0). HotpotQA is CC BY-SA 4.0, MuSiQue CC BY 4.0. The set ``hotpotqa_train`` is
test as a whole, whatever its name says; the others are split as all questions are (``sha1(question) % 5 == 0`` is
test), except IRCoT's, which are examples for prompts.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.core.records import Passage
from training.evouna import split_of
from training.json_lines import read_json_lines

FILE_NAME = "multihop.jsonl.gz"
TEST_SET, EXAMPLES = "hotpotqa_train", "ircot_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """One single question of a decomposition and its answer; "#1" stands for the first hop's answer."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MultihopRow:
    """A question with its passages; ``supporting`` are the places of those that answer it, () where not known."""

    set_name: str
    question: str
    answers: tuple[str, ...]
    passages: tuple[Passage, ...]
    supporting: tuple[int, ...]
    hops: tuple[Hop, ...]
    chain: str
    test: bool


def read_multihop(path: Path) -> tuple[MultihopRow, ...]:
    """Return every question of a file."""
    return tuple(multihop_row(entry) for entry in read_json_lines(path))


def multihop_row(entry: dict[str, Any]) -> MultihopRow:
    """Return one line's question."""
    passages = tuple(
        Passage(text=one["text"], title=one["title"], document_id=one["title"], end=len(one["text"]))
        for one in entry["passages"]
    )
    name, question = str(entry["set"]), str(entry["question"]).strip()
    return MultihopRow(
        set_name=name,
        question=question,
        answers=tuple(map(str, entry["answers"])),
        passages=passages,
        supporting=tuple(place for place, one in enumerate(entry["passages"]) if one.get("supporting")),
        hops=tuple(Hop(question=one["question"], answer=one["answer"]) for one in entry.get("decomposition", ())),
        chain=str(entry.get("chain", "")),
        test=name == TEST_SET or (not name.startswith(EXAMPLES) and split_of(question) == 0),
    )


def for_training(rows: tuple[MultihopRow, ...]) -> tuple[MultihopRow, ...]:
    """Return the questions that may be learnt from: none of HotpotQA's, none of the test split."""
    return tuple(row for row in rows if not row.test)
