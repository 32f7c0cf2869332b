"""Does DENSE's quick reading find what full reading finds, and what does it save?

Each real question is measured twice over the same rewordings: every reworded context read in full, and read quickly,
over what was read of the unchanged passages (``DenseConfig.reading``; not where the answer is in doubt). Counted are
the rewordings that change the answer, chunks whose label is the same, questions whose verdict is the same, and the
seconds in which the model answers. Nothing is remembered from one reading to the other.

Data: the test questions of Natural Questions (open) with five passages each (``dense_correctness``), and HotpotQA with
its ten passages.

    python -m benchmarks.quick_reading                                   writes results/quick_reading.json
    python -m benchmarks.quick_reading --questions 10 --sets hotpotqa --into FILE

MICROSCOPE_BENCHMARK_DATA names the folder of the data. A row is written after each question; a stopped run goes on
where it ended. On two processors in float32 a question takes about 20 s with five passages and 90 s with ten.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from benchmarks.dense_correctness import five_passages
from benchmarks.question_keys import key_of
from benchmarks.results_file import model_words, origin, refuse_other_settings
from engine.backends.language_models.adapters import open_adapted
from engine.backends.language_models.base import Request
from engine.backends.language_models.decoder.key_values import KnownPrompts
from engine.backends.language_models.transformers_model import TransformersModel
from engine.backends.number_types import number_type
from engine.backends.retrieval.bm25_index import build_bm25
from engine.core.progress import Report, silent
from engine.core.records import Generation, Passage
from engine.diagnosis.request import DiagnosisRequest
from engine.measures.share_intervals import wilson_interval
from engine.methods.base import Backends, Case, answer_request
from engine.methods.dense import SURE_TOKEN, doubtful
from engine.methods.dense import run as run_dense
from engine.methods.dense_records import DenseConfig, DenseResult, Reading
from engine.methods.profiles import EMBEDDED
from engine.runs.run import load_backends
from training.multihop import FILE_NAME, TEST_SET, read_multihop
from training.nq_open import oracle_path, read_oracle

RESULTS = Path(__file__).parent / "results" / "quick_reading.json"
READINGS: tuple[Reading, ...] = ("full", "quick")
QUESTIONS = {"nq": 40, "hotpotqa": 6}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One question, by its key. ``sure``: its answer is not in doubt, so reading may be quick.

    Of ``wordings`` rewordings so many change the answer by each reading, and ``both`` by both. ``labels`` of ``chunks``
    labels are the same. ``verdicts``, ``entropy`` and ``seconds`` are by reading; seconds are those in which the model
    answered over reworded contexts and without chunks.
    """

    set: str
    question: str
    sure: bool
    passages: int
    wordings: int
    changing: dict[str, int]
    both: int
    chunks: int
    labels: int
    verdicts: dict[str, str]
    entropy: dict[str, float]
    seconds: dict[str, float]


class Timed:
    """A language model that counts the seconds in which it answers; it begins with no prompt known."""

    def __init__(self, model: TransformersModel) -> None:
        model.known = KnownPrompts()
        self._model, self.seconds = model, 0.0
        self.identity, self.capabilities = model.identity, model.capabilities
        self.attention, self.prompt_spans = model.attention, model.prompt_spans
        self.label_logprobs, self.count_tokens = model.label_logprobs, model.count_tokens

    def generate(self, requests: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        """Return the model's answers."""
        began = time.perf_counter()
        answers = self._model.generate(requests, report)
        self.seconds += time.perf_counter() - began
        return answers


def questions_of(name: str) -> Iterator[tuple[str, tuple[Passage, ...]]]:
    """Yield the test questions of a set with their passages."""
    path = oracle_path(None)
    if name == "nq":
        every = read_oracle(path)
        index = build_bm25([f"{row.passage.title} {row.passage.text}" for row in every])
        yield from ((row.question, five_passages(every, index, row)) for row in every if row.test)
    else:
        rows = read_multihop(path.with_name(FILE_NAME))
        yield from ((row.question, row.passages) for row in rows if row.set_name == TEST_SET)


def read_so(
    reading: Reading, question: str, passages: tuple[Passage, ...], backends: Backends, model: TransformersModel
) -> tuple[DenseResult, float]:
    """Return DENSE's result by one reading, and the seconds of its answers; nothing is known before."""
    timed = Timed(model)
    (answer,) = timed.generate([answer_request(EMBEDDED, question, passages)], silent)
    timed.seconds = 0.0
    case = Case(question=question, passages=passages, golds=(), answer=answer, profile=EMBEDDED, seed=0)
    result = run_dense(case, DenseConfig(reading=reading), replace(backends, model=timed))
    return result, timed.seconds


def row_of(name: str, question: str, sure: bool, found: Mapping[Reading, tuple[DenseResult, float]]) -> Row | None:
    """Return what both readings say of a question, None where no rewording was valid."""
    full, quick = (found[reading][0] for reading in READINGS)
    if full.entropy is None or quick.entropy is None:
        return None
    changed = {reading: changed_places(found[reading][0]) for reading in READINGS}
    return Row(
        set=name,
        question=key_of(question),
        sure=sure,
        passages=len(full.chunks),
        wordings=len(full.rows) - 1,
        changing={reading: len(places) for reading, places in changed.items()},
        both=len(changed["full"] & changed["quick"]),
        chunks=len(full.chunks),
        labels=sum(quick.labels[chunk] == label for chunk, label in full.labels.items()),
        verdicts={reading: found[reading][0].verdict for reading in READINGS},
        # Adding 0.0 turns the -0.0 of a sum of logarithms into 0.0.
        entropy={"full": round(full.entropy, 6) + 0.0, "quick": round(quick.entropy, 6) + 0.0},
        seconds={reading: round(found[reading][1], 2) for reading in READINGS},
    )


def changed_places(result: DenseResult) -> set[int]:
    """Return the places of the rewordings whose answer does not mean what the original one does."""
    weights = (result.further_weights if result.further else result.weights)[0][1:]
    return {place for place, weight in enumerate(weights) if weight < 1}


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the sums over questions, and how many times as long full reading takes: in all, and where it is quick."""
    sure = [row for row in rows if row.sure]
    changing = sum(row.changing["full"] for row in rows)
    found = sum(row.both for row in rows)
    of_sure = [row.seconds["full"] / row.seconds["quick"] for row in sure]
    seconds = {reading: sum(row.seconds[reading] for row in rows) for reading in READINGS}
    return {
        "questions": len(rows),
        "sure": len(sure),
        "wordings": sum(row.wordings for row in rows),
        "changing": changing,
        "found": found,
        "found_share": [round(edge, 3) for edge in wilson_interval(found, changing)] if changing else None,
        "changing_of_sure": sum(row.changing["full"] for row in sure),
        "found_of_sure": sum(row.both for row in sure),
        "only_quick": sum(row.changing["quick"] - row.both for row in rows),
        "chunks": sum(row.chunks for row in rows),
        "same_labels": sum(row.labels for row in rows),
        "same_verdicts": sum(row.verdicts["full"] == row.verdicts["quick"] for row in rows),
        "times_as_long": round(seconds["full"] / seconds["quick"], 2),
        "times_as_long_sure": round(statistics.median(of_sure), 2) if of_sure else None,
    }


def write(into: Path, rows: Sequence[Row], about: dict[str, Any]) -> None:
    """Write the summary of every set, of all together, and the rows."""
    sets = {name: [row for row in rows if row.set == name] for name in dict.fromkeys(row.set for row in rows)}
    content = {**about, "sets": {name: summary(some) for name, some in sets.items()}, "all": summary(rows)}
    content["rows"] = [asdict(row) for row in rows]
    into.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Measure the questions that are not in the results yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, help="of each set")
    parser.add_argument("--sets", nargs="+", choices=list(QUESTIONS), default=list(QUESTIONS))
    parser.add_argument("--into", type=Path, default=RESULTS)
    given = parser.parse_args()
    os.environ["MICROSCOPE_CACHE_MB"] = "0"
    stored = json.loads(given.into.read_text(encoding="utf-8")) if given.into.is_file() else {}
    rows = [Row(**row) for row in stored.get("rows", ())]
    chosen_on = stored.get("chosen_on", [])  # keys of the questions on which ``SURE_TOKEN`` was chosen: not asked
    known = {row.question for row in rows}
    model = open_adapted("embedded", number_type())
    passages = next(questions_of("nq"))[1]
    backends, _ = load_backends(DiagnosisRequest(question="?", passages=passages), EMBEDDED, silent)
    about = {
        **origin(),
        "dtype": number_type(),
        "threads": torch.get_num_threads(),
        "model": model_words(model.identity),
        "judge": backends.judge.note,
        "draws": DenseConfig().draws,
        "sure_token": SURE_TOKEN,
        "chosen_on": chosen_on,
    }
    if rows:
        refuse_other_settings(given.into, about)
    for name in given.sets:
        others = ((q, passages) for q, passages in questions_of(name) if key_of(q) not in chosen_on)
        for at, (question, passages) in enumerate(islice(others, given.questions or QUESTIONS[name])):
            if key_of(question) in known:
                continue
            full = read_so("full", question, passages, backends, model)
            sure = not doubtful(full[0].original)  # else quick reading is full reading
            quick = read_so("quick", question, passages, backends, model) if sure else full
            row = row_of(name, question, sure, {"full": full, "quick": quick})
            if row is None:
                continue
            rows.append(row)
            write(given.into, rows, about)
            print(f"{name} {at}: {row.seconds}, changing {row.changing}, both {row.both}, {row.verdicts}", flush=True)


if __name__ == "__main__":
    main()
