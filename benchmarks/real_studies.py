"""Studies of real questions with the embedded models: Natural Questions (open), HotpotQA and MuSiQue.

Asked are questions on which no shipped model was trained, with every method. The corpus is every passage of the data,
so those that answer have to be found among all others. Known utility is the share of a question's answering passages
that were read. *Right* is by words alone here: the table of a study also counts what the judge calls right.

    python -m benchmarks.real_studies nq --minutes 30            goes on where it ended
    python -m benchmarks.real_studies nq --workers 1             one question at a time; else as a study of one's own
    python -m benchmarks.real_studies hotpotqa multihop.jsonl.gz
    python -m benchmarks.real_studies nq --views             asks nothing: views anew, from the stored columns

``nq`` asks the test questions of Natural Questions with oracle passages (``training/nq_open.py`` names the source),
``hotpotqa`` and ``musique`` those of the multi-hop questions (``training/multihop.py``).
It writes questions and corpus into the data folder, works on one study
there, and puts its numbers, without questions and answers, into ``results/study_NAME.json``. Without a path,
MICROSCOPE_BENCHMARK_DATA names the folder of the files.
"""

import argparse
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from engine.core.folders import data_folder, make_folder
from engine.core.provenance import library_versions, machine
from engine.core.records import Passage
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.methods import METHODS
from engine.runs.store import RunStore
from engine.runs.studies.concurrency import Concurrency, opened_desks, usual_concurrency
from engine.runs.studies.plan import make_plan
from engine.runs.studies.questions import read_questions
from engine.runs.studies.records import Study, StudyPlan, Variant
from engine.runs.studies.runner import Progress, StudyRunner
from engine.runs.studies.store import StudyStore
from engine.runs.studies.table import StudyTable, read_table, setting_frame, without_texts
from engine.runs.studies.views import VIEWS
from training.multihop import FILE_NAME, TEST_SET, read_multihop
from training.nq_open import oracle_path, read_oracle
from viz.studies.words import verdicts_in

RESULTS = Path(__file__).parent / "results"
EVERY = tuple(METHODS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A question of the data; ``supporting`` are the places of the passages that answer it."""

    question: str
    answers: tuple[str, ...]
    passages: tuple[Passage, ...]
    supporting: tuple[int, ...]
    asked: bool = True


def natural_questions(path: str | None) -> list[Entry]:
    """Return every question with the passage that answers it; asked are those of the test split."""
    return [
        Entry(question=row.question, answers=row.answers, passages=(row.passage,), supporting=(0,), asked=row.test)
        for row in read_oracle(oracle_path(path))
    ]


def multihop(prefix: str, path: str | None) -> list[Entry]:
    """Return the questions of the sets that begin so, each with its passages; asked are those held out."""
    file = Path(path) if path else oracle_path(None).with_name(FILE_NAME)
    return [
        Entry(
            question=row.question,
            answers=row.answers,
            passages=row.passages,
            supporting=row.supporting,
            asked=row.test,
        )
        for row in read_multihop(file)
        if row.set_name.startswith(prefix)
    ]


def hotpotqa(path: str | None) -> list[Entry]:
    """Return the questions of hotpotqa_train, each with its ten passages; all are held out."""
    return multihop(TEST_SET, path)


def musique(path: str | None) -> list[Entry]:
    """Return the questions of musique_train, each with its twenty passages."""
    return multihop("musique", path)


@dataclass(frozen=True, slots=True, kw_only=True)
class RealStudy:
    """A study of these questions: what it is called, how its data are read, and the methods."""

    title: str
    read: Callable[[str | None], list[Entry]]
    methods: tuple[str, ...] = EVERY


REAL = {
    "nq": RealStudy(title="Natural Questions, test", read=natural_questions),
    "hotpotqa": RealStudy(title="HotpotQA", read=hotpotqa),
    "musique": RealStudy(title="MuSiQue, test", read=musique),
}


def written_data(entries: list[Entry], folder: Path) -> tuple[Path, Path]:
    """Return the files of the questions that are asked, each with its own passages, and of all passages."""
    questions, corpus = folder / "questions.jsonl", folder / "passages.jsonl"
    asked = [
        {
            "question": entry.question,
            "answers": list(entry.answers),
            "passages": [
                {"title": one.title, "text": one.text, "supporting": at in entry.supporting}
                for at, one in enumerate(entry.passages)
            ],
        }
        for entry in entries
        if entry.asked
    ]
    known = dict.fromkeys((one.title, one.text) for entry in entries for one in entry.passages)
    texts = [{"title": title, "text": text} for title, text in known]
    for file, lines in ((questions, asked), (corpus, texts)):
        file.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return questions, corpus


def study_here(store: StudyStore, real: RealStudy, questions: Path, corpus: Path) -> str:
    """Return the id of the study that is there already, else of a new one."""
    known = next((one.id for one in store.listing() if one.plan.name == real.title), None)
    if known is not None:
        return known
    file = read_questions(questions)
    request = DiagnosisRequest(question="", corpus=str(corpus), methods=real.methods, k=5)
    plan, points = make_plan(file, request, name=real.title)
    return store.create(plan, file, points)


def models_of(run: Diagnosis) -> dict[str, str]:
    """Return which models a run was made with, with the revisions of their weights; "" = as the model."""
    used = run.provenance
    return {
        "model": used.model,
        "model_revision": used.model_revision,
        "dtype": used.model_dtype,
        "writer": used.writer,
        "writer_revision": used.writer_revision,
        "judge": used.judge,
    }


def one_set_of_models(table: StudyTable, runs: RunStore) -> dict[str, str]:
    """Return the models of the study's runs. Raises ValueError where they differ: no file may mix two."""
    done = [one for one, state in zip(table.frame["run"], table.frame["state"], strict=True) if state == "done"]
    found = {tuple(models_of(run).items()) for one in done if (run := runs.get(one).diagnosis) is not None}
    if len(found) != 1:
        raise ValueError(f"runs of one study should have one set of models, got {len(found)}: {found}")
    return dict(found.pop())


def write_results(table: StudyTable, models: dict[str, str], file: Path) -> None:
    """Write the study's numbers and the papers' views, without texts of the data, which single points carry."""
    frame = without_texts(setting_frame(table)).drop(columns=["run", "key"])
    frame = frame[frame["state"] != "waiting"].round(6)
    plan = table.study.plan
    content = {
        "machine": machine(),
        "libraries": library_versions(),
        **models,
        "questions": table.study.points,
        "measured": len(frame),
        "passages": plan.request.k,
        "seed": plan.request.seed,
        "methods": plan.request.methods,
        "questions_hash": plan.questions_hash,
        "corpus_hash": plan.corpus_hash,
        "views": [asdict(view.measure(table)) for view in VIEWS if view.ready(table) and view.kind != "points"],
        "columns": {name: json.loads(frame[name].to_json(orient="records")) for name in frame},
    }
    file.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")


def stored_table(content: Mapping[str, Any]) -> StudyTable:
    """Return the stored columns of a study as its table; what stands in no column, such as token entropies, is not."""
    plan = StudyPlan(
        name="",
        questions_name="",
        questions_hash=content["questions_hash"],
        corpus_hash=content["corpus_hash"],
        request=DiagnosisRequest(question="", methods=tuple(content["methods"]), k=content["passages"]),
        variants=(Variant(),),
        versions=(),
    )
    size = content["measured"]
    study = Study(
        id="", created_at="", plan=plan, state="done", waiting=0, done=size, failed=0, seconds=0.0, changed_at=""
    )
    return StudyTable(study, pd.DataFrame(content["columns"]), (), ((),) * size, ({},) * size)


def views_anew(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the stored views as they are computed now; those of what stands in no column stay as they are."""
    table, known = stored_table(content), {view.name: view for view in VIEWS}
    return [
        json.loads(json.dumps(asdict(view.measure(table))))
        if (view := known.get(stored["name"])) is not None and view.ready(table)
        else stored
        for stored in content["views"]
    ]


def write_views(file: Path) -> None:
    """Write a study's views anew into its file, from its stored columns."""
    content = json.loads(file.read_text(encoding="utf-8"))
    content["views"] = views_anew(content)
    file.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")


def by_words(table: StudyTable) -> StudyTable:
    """Return the table with *right* by words alone, as it was when the first of these studies were measured."""
    frame = table.frame.copy()
    for name in [name for name in frame if str(name).endswith(".by_words")]:
        frame[str(name).removesuffix("by_words") + "right"] = frame[name]
    return replace(table, frame=frame)


def main() -> None:
    """Work on a study for so many minutes, and write what is known."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", choices=list(REAL))
    parser.add_argument("data", nargs="?", help="the file of the data, plain or gzipped")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--workers", type=int, default=0, help="processes, each with one question; 0 = one a core")
    parser.add_argument("--views", action="store_true", help="compute the views anew from the stored columns only")
    given = parser.parse_args()
    if given.views:
        write_views(RESULTS / f"study_{given.study}.json")
        return
    real = REAL[given.study]
    folder = make_folder(data_folder() / f"study_{given.study}")
    questions, corpus = written_data(real.read(given.data), folder)
    store = StudyStore()
    study, ends = study_here(store, real, questions, corpus), time.monotonic() + 60 * given.minutes

    def watch(progress: Progress) -> None:
        if progress.question:
            print(f"{progress.finished + 1} of {progress.points}, {progress.seconds:.0f} s", flush=True)
        elif time.monotonic() > ends:
            store.tell(study, "pause")

    runs = RunStore()
    if given.minutes > 0:
        usual = usual_concurrency("embedded", store.get(study).points)
        at_once = Concurrency(workers=given.workers) if given.workers else usual
        with opened_desks(at_once, runs, "") as desks:
            StudyRunner(store, desks, verdicts_in).work(study, watch)
    table = by_words(read_table(study, store))
    if table.study.finished:
        write_results(table, one_set_of_models(table, runs), RESULTS / f"study_{given.study}.json")


if __name__ == "__main__":
    main()
