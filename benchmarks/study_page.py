"""How fast the Studies page opens, sorts and filters 2,000 small records.

The records are made up from the recorded examples that come with the program, each repeated with another number in its
question and its numbers moved a little: only time is measured on them. The page runs as a browser asks for it, without
the browser (Streamlit's own test runner); drawing in a real browser is timed by ``--browser``.

    python -m benchmarks.study_page                    writes results/study_page.json
    python -m benchmarks.study_page --fill FOLDER --points 300     only fills a data folder, to look at the page
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.results_file import origin, timed
from engine.core.folders import sample_data
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.sample_runs import read_run
from engine.runs.store import RunStore, default_store
from engine.runs.studies.plan import make_plan
from engine.runs.studies.records import Point, QuestionFile, StudyQuestion
from engine.runs.studies.row import Row, row_of
from engine.runs.studies.store import StudyStore
from engine.runs.studies.table import read_table
from viz.studies.words import verdicts_in

RESULTS = Path(__file__).parent / "results" / "study_page.json"
PAGE = Path(__file__).parent.parent / "pages" / "workspace" / "studies.py"
BOUND = 2.0
REPEATS = 5


def filled(store: StudyStore, points: int, name: str = "2,000 made-up records", vary: tuple[str, ...] = ()) -> str:
    """Return the id of a study with so many finished points, made up from the recorded examples."""
    files = [file for part in ("diagnoses", "atlas") for file in sorted((sample_data() / part).glob("*.json*"))]
    runs = [(file.name.split(".")[0], read_run(file)) for file in files]
    asked = tuple(
        StudyQuestion(
            number=at + 1,
            question=runs[at % len(runs)][1].question + (f" ({at // len(runs) + 1})" if at >= len(runs) else ""),
            golds=runs[at % len(runs)][1].golds or ("unknown",),
        )
        for at in range(points)
    )
    file = QuestionFile(name="made-up.jsonl", content_hash="0" * 64, questions=asked)
    methods = tuple(dict.fromkeys(one.method for _, run in runs for one in run.outcomes))
    plan, waiting = make_plan(file, DiagnosisRequest(question="", corpus="sample", methods=methods), vary, name)
    known = {run_id: row_of(run, asked[at], verdicts_in) for at, (run_id, run) in enumerate(runs)}
    ids = {run.id for run in default_store().sample_runs().values()}
    study = store.create(plan, file, tuple(with_run(one, runs, ids) for one in waiting))
    draw = np.random.default_rng(0)
    for kept in store.waiting(study):
        row, numbers = known[runs[(kept.point.number - 1) % len(runs)][0]]
        store.conclude(study, kept.point, "done", "", 1.0, (moved(row, draw), numbers))
    store.tell(study, "go")
    return study


def with_run(point: Point, runs: list[tuple[str, Any]], ids: set[str]) -> Point:
    """Return a point whose run is the recorded example it was made from, so that it opens."""
    name = runs[(point.number - 1) % len(runs)][0]
    found = next((one for one in (f"sample-{name}", name, f"atlas-{name}") if one in ids), point.run)
    return replace(point, run=found)


def moved(row: Row, draw: np.random.Generator) -> Row:
    """Return a row with its numbers moved by a twentieth, so that no two are alike; 0 and 1 stay."""
    numbers = {
        name: value if value is None or value in (0.0, 1.0) else value * (1 - 0.05 * float(draw.random()))
        for name, value in row.numbers.items()
    }
    return replace(row, numbers=numbers)


def seconds_of(action: Callable[[], object]) -> float:
    """Return the seconds an action takes."""
    return timed(action, time.perf_counter)[0]


def measured(study: str, store: StudyStore) -> dict[str, list[float]]:
    """Return the seconds of reading, opening, ordering, filtering and searching, a few times each."""
    import streamlit as st
    from streamlit.testing.v1 import AppTest

    seconds: dict[str, list[float]] = {}
    for _ in range(REPEATS):
        st.cache_resource.clear()
        st.cache_data.clear()
        seconds.setdefault("read the table", []).append(seconds_of(lambda: read_table(study, store)))
        page = AppTest.from_file(str(PAGE), default_timeout=60)
        page.query_params["study"] = study
        seconds.setdefault("open the page", []).append(seconds_of(page.run))
        key = f"studies.table.{study}"
        order = page.selectbox(key=f"{key}.order")
        seconds.setdefault("order by a number", []).append(seconds_of(order.select("dense.entropy").run))
        page.session_state[f"{key}.show"] = "wrong"
        seconds.setdefault("wrong answers only", []).append(seconds_of(page.run))
        search = page.text_input(key=f"{key}.search")
        seconds.setdefault("search", []).append(seconds_of(search.set_value("planet").run))
        assert not page.exception, page.exception
    return seconds


def main() -> None:
    """Fill a data folder of its own, measure, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=2000)
    parser.add_argument("--fill", type=Path, help="only fill this data folder")
    parser.add_argument("--vary", action="append", default=[])
    given = parser.parse_args()
    folder = given.fill or Path(tempfile.mkdtemp())
    os.environ["MICROSCOPE_HOME"] = str(folder)
    RunStore(samples=sample_data()).close()
    store = StudyStore()
    study = filled(store, given.points, f"{given.points:,} made-up records", tuple(given.vary))
    if given.fill:
        print(study)
        return
    seconds = measured(study, store)
    content = {
        **origin(),
        "points": given.points,
        "columns": len(read_table(study, store).frame.columns),
        "bound_seconds": BOUND,
        "load": os.getloadavg(),
        "processors": os.cpu_count(),
        "seconds": {name: [round(one, 3) for one in sorted(times)] for name, times in seconds.items()},
    }
    RESULTS.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(content["seconds"], indent=1))


if __name__ == "__main__":
    main()
