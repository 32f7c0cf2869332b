"""How often has a right answer no co-occurrence evidence? The base rate of QuCo-RAG's red, beside that of wrong ones.

For each question the correct answer, and one exchanged for another question's, are paired with what the question names
and counted as QuCo-RAG counts a short answer, in two corpora: the question's passages alone, and all passages of the
file. Data: the test questions of Natural Questions (open) with oracle passages, the right passage with its four BM25
neighbours, and HotpotQA with its ten passages (``training/`` names the sources). No model is asked; the embedded
profile's window is used. Wrong is "exchanged": a model's wrong answers come from the same passages and may meet more.

    python -m benchmarks.cooccurrence_base --nq nq-open-oracle.jsonl.gz --multihop multihop.jsonl.gz
                                                                    writes results/cooccurrence_base.json
"""

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scipy.stats import binomtest

from engine.backends.corpus_stats import count_documents
from engine.backends.corpus_stats.base import CorpusCounter
from engine.backends.text import load_text_tools
from engine.backends.text.base import TextTools
from engine.core.records import Document, Passage
from engine.methods.profiles import EMBEDDED
from engine.methods.quco_claims import QucoConfig, answer_triplets, counted_claims, share_of_documents
from training.multihop import TEST_SET, read_multihop
from training.nq_open import oracle_path, read_oracle
from training.reader_examples import Neighbours

RESULTS = Path(__file__).parent / "results" / "cooccurrence_base.json"
OTHERS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with its correct answer and its passages."""

    question: str
    answer: str
    passages: tuple[Passage, ...]


def natural_questions(path: Path) -> list[Asked]:
    """Return the test questions, each with its right passage and four neighbours without the answer."""
    rows = read_oracle(path)
    neighbours = Neighbours(rows)
    found = []
    for place in [place for place, row in enumerate(rows) if row.test]:
        near = neighbours.drawn(random.Random(place), place, OTHERS, rows[place].answers)
        passages = tuple(neighbours.passages[one] for one in (place, *near))
        found.append(Asked(question=rows[place].question, answer=rows[place].answers[0], passages=passages))
    return found


def hotpot_questions(path: Path) -> list[Asked]:
    """Return HotpotQA's questions that are not answered by yes or no, with all their passages."""
    return [
        Asked(question=row.question, answer=row.answers[0], passages=row.passages)
        for row in read_multihop(path)
        if row.set_name == TEST_SET and row.answers[0].casefold() not in ("yes", "no")
    ]


def counter_of(passages: Sequence[Passage]) -> CorpusCounter:
    """Return the counts in these passages, one document each."""
    distinct = dict.fromkeys((one.title, one.text) for one in passages)
    documents = [Document(document_id=str(at), title=t, text=text) for at, (t, text) in enumerate(distinct)]
    return count_documents(documents, "passages")


def has_evidence(question: str, answer: str, counter: CorpusCounter, tools: TextTools) -> bool | None:
    """Return whether every pair that a short answer claims meets; None where none could be counted."""
    config = QucoConfig()
    config = replace(config, window_share=share_of_documents(config.window_share, EMBEDDED, counter) or 0.0)
    triplets = answer_triplets(answer, tools.entities(question), tools)
    said = [claim.supported for claim in counted_claims(triplets, config, counter) if claim.tail is not None]
    known = [one for one in said if one is not None]
    return all(known) if known else None


def rate(found: Sequence[bool | None]) -> dict[str, float | int]:
    """Return the share of answers without evidence among those that could be counted, with its 95 % interval."""
    known = [one for one in found if one is not None]
    lacking = sum(not one for one in known)
    low, high = binomtest(lacking, len(known)).proportion_ci(method="wilson")
    return {
        "answers": len(found),
        "counted": len(known),
        "without_evidence": lacking,
        "share": round(lacking / len(known), 4),
        "low": round(low, 4),
        "high": round(high, 4),
    }


def compared(asked: Sequence[Asked], tools: TextTools) -> dict[str, dict[str, dict[str, float | int]]]:
    """Return the rates of right and exchanged answers, in each question's passages and in all passages."""
    every = counter_of([passage for one in asked for passage in one.passages])
    order = list(range(len(asked)))
    random.Random(0).shuffle(order)
    exchanged = {place: asked[order[(at + 1) % len(order)]].answer for at, place in enumerate(order)}
    out: dict[str, dict[str, dict[str, float | int]]] = {}
    for corpus in ("own passages", "all passages"):
        counters = [counter_of(one.passages) if corpus == "own passages" else every for one in asked]
        out[corpus] = {
            "right": rate(
                [has_evidence(one.question, one.answer, of, tools) for one, of in zip(asked, counters, strict=True)]
            ),
            "exchanged": rate(
                [
                    has_evidence(one.question, exchanged[at], of, tools)
                    for at, (one, of) in enumerate(zip(asked, counters, strict=True))
                ]
            ),
        }
    return out


def main() -> None:
    """Measure, store and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nq", help="nq-open-oracle.jsonl.gz, plain or gzipped")
    parser.add_argument("--multihop", type=Path, required=True, help="multihop.jsonl.gz")
    given = parser.parse_args()
    tools = load_text_tools()
    sets = {
        "Natural Questions": natural_questions(oracle_path(given.nq)),
        "HotpotQA": hotpot_questions(given.multihop),
    }
    found = {name: compared(asked, tools) for name, asked in sets.items()}
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
