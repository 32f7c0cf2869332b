"""People's judgements of answers: EVOUNA, Natural Questions part, and its split.

Wang et al. 2023, "Evaluating Open-QA Evaluation", ``EVOUNA/NQ.json`` of github.com/wangcunxiang/QA-Eval (Apache-2.0),
plain or gzipped. For each question it has the aliases of the correct answer, the answers of five systems, and whether
people accept each. Questions with ``sha1(question) % 5 == 0`` are test and never used for training or tuning.
"""

import gzip
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.backends.entailment.answers import MONTHS, is_number, words

SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
SYSTEM_NAMES = {
    "fid": "DPR-FiD",
    "gpt35": "InstructGPT",
    "chatgpt": "ChatGPT",
    "gpt4": "GPT-4",
    "newbing": "BingChat",
}
ANSWER_TYPES = ("dates", "people", "places", "numbers", "other")
DATA_VARIABLE = "MICROSCOPE_BENCHMARK_DATA"
FILE_NAME = "evouna_nq.json.gz"

DATE_QUESTION = re.compile(r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|century|decade)\b", re.IGNORECASE)
NUMBER_QUESTION = re.compile(
    r"\bhow (?:many|much|long|old|tall|far|big|large|high|deep|fast|often|hot|wide)\b"
    r"|\bwhat (?:is the )?(?:number|percentage|percent|population|age|temperature|distance|height)\b",
    re.IGNORECASE,
)
PERSON_QUESTION = re.compile(
    r"\bwho(?:se|m|s)?\b|\b(?:singer|actor|actress|author|writer|president|king|queen|founder|inventor)s? name\b"
    r"|\b(?:which|what) (?:\w+ )?(?:singer|actor|actress|author|writer|president|king|queen|player|artist|scientist)\b",
    re.IGNORECASE,
)
PLACE_QUESTION = re.compile(
    r"\bwhere(?:s)?\b|\b(?:what|which) (?:\w+ )?(?:country|countries|city|cities|state|states|town|place|county|river|"
    r"continent|island|capital|region|ocean|sea|province|mountains?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One system's answer to one question, the aliases, people's judgement, and the split 0..4."""

    system: str
    question: str
    answer: str
    golds: tuple[str, ...]
    right: bool
    split: int

    @property
    def test(self) -> bool:
        """Return whether the question belongs to the test split."""
        return self.split == 0


def read_rows(path: Path) -> tuple[Row, ...]:
    """Return every judged answer to a proper question."""
    content = path.read_bytes()
    entries = json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)
    return tuple(row for entry in entries if not entry["improper"] for row in rows_of(entry))


def rows_of(entry: dict[str, object]) -> Iterator[Row]:
    """Return one entry's judged answers, without empty ones and ones without a judgement."""
    question = str(entry["question"])
    golds = tuple(gold.strip() for gold in str(entry["golden_answer"]).split("/") if gold.strip())
    split = split_of(question)
    for system in SYSTEMS:
        answer, right = entry[f"answer_{system}"], entry[f"judge_{system}"]
        if answer is not None and right is not None:
            yield Row(system=system, question=question, answer=str(answer), golds=golds, right=bool(right), split=split)


def split_of(question: str) -> int:
    """Return the fifth a question belongs to; 0 is test.

    >>> split_of("who got the first nobel prize in physics")
    2
    """
    return int(hashlib.sha1(question.encode()).hexdigest(), 16) % 5


def answer_type(question: str, golds: tuple[str, ...]) -> str:
    """Return the type of the requested answer, one of ANSWER_TYPES, from the question's words and the correct answers.

    >>> answer_type("when did it open", ("1889",)), answer_type("how many legs has a spider", ("8",))
    ('dates', 'numbers')
    """
    found = [words(gold) for gold in golds]
    if DATE_QUESTION.search(question) or any(set(MONTHS).intersection(gold) for gold in found):
        return "dates"
    if NUMBER_QUESTION.search(question):
        return "numbers"
    if PERSON_QUESTION.search(question):
        return "people"
    if all(any(map(is_number, gold)) for gold in found):
        return "numbers"
    return "places" if PLACE_QUESTION.search(question) else "other"


def data_path(named: str | None) -> Path:
    """Return the path of the data: the given one, or one in the named environment folder; exits without either."""
    if named:
        return Path(named)
    folder = os.environ.get(DATA_VARIABLE, "")
    if not folder:
        raise SystemExit(f"Give the path of EVOUNA's NQ.json, or set {DATA_VARIABLE}.")
    return Path(folder) / FILE_NAME
