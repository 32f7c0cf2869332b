"""Questions asked side by side: the same records as one after another, in fewer and larger batches."""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from engine.backends.language_models import is_cached
from engine.backends.language_models.base import LanguageModel, Request
from engine.backends.language_models.cached import CachedModel
from engine.backends.language_models.meeting import Meeting, MeetingModel
from engine.backends.language_models.reading import current_run
from engine.backends.language_models.scripted import ScriptedModel
from engine.core.errors import Cancelled, ModelError
from engine.core.progress import Event, Report, TokensDecoded, silent
from engine.core.records import Generation, Prompt
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.runs import run as road
from engine.runs.studies.together import Together
from tests.engine.catalogue.scripted_run import GOLDS, PASSAGES, scripted_road
from tests.engine.runs.studies.study_case import without_clock

# Samples, step-by-step answers, rewordings, loops of every policy and label scores among them.
VARIED = ("dense", "seper", "entropy_trend", "timing", "quco_rag", "sugar", "sufficiency")
QUESTIONS = tuple(f"Who rebuilt the Vesper Clock of {year}?" for year in (1702, 1890, 1911))


def requests(methods: Sequence[str] = VARIED) -> list[DiagnosisRequest]:
    """Return three questions over the same passages."""
    return [DiagnosisRequest(question=one, passages=PASSAGES, golds=GOLDS, methods=tuple(methods)) for one in QUESTIONS]


def side_by_side(asked: Sequence[DiagnosisRequest], together: Together) -> list[Diagnosis]:
    """Return the runs, each in a thread of its own."""
    with ThreadPoolExecutor(len(asked)) as pool:
        return list(pool.map(together.run, asked))


def test_every_method_finds_the_same_side_by_side_as_one_after_another() -> None:
    with scripted_road():
        one_by_one = [road.run_request(one) for one in requests()]
        together = Together(3, lambda name, report, device: road.load_language_model(name, report, device))
        found = side_by_side(requests(), together)
    assert [without_clock(one) for one in found] == [without_clock(one) for one in one_by_one]
    assert len(together.rounds) == 1 and max(together.rounds[0].meeting.joined) == 3


def test_the_samples_of_three_questions_are_one_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    class Batches(ScriptedModel):
        def generate(self, asked: Sequence[Request], report: Report) -> tuple[Generation, ...]:
            sizes.append(len(asked))
            return super().generate(asked, report)

    model = CachedModel(Batches(lambda request: "Lyra Quill"))
    with scripted_road():
        side_by_side(requests(("seper", "entropy_trend")), Together(3, lambda name, report, device: model))
    # Two greedy answers of each of three questions; ten samples of two conditions and one step-by-step answer of each,
    # at most 64 at a time.
    assert sizes == [3 * 2, 3 * 21]
    assert is_cached(MeetingModel(model, Meeting(), 0))


def test_questions_of_one_round_read_their_prompts_for_the_round() -> None:
    seen: list[object] = []

    class Seeing(ScriptedModel):
        def generate(self, asked: Sequence[Request], report: Report) -> tuple[Generation, ...]:
            seen.append(current_run())
            return super().generate(asked, report)

    together = Together(3, lambda name, report, device: CachedModel(Seeing(lambda request: "Lyra Quill")))
    with scripted_road():
        side_by_side(requests(("seper",)), together)
    assert seen and all(one is together.rounds[0] for one in seen)


class Fragile(ScriptedModel):
    """Fails a batch that holds a certain question."""

    def __init__(self) -> None:
        super().__init__(lambda request: request.prompt.text)

    def generate(self, asked: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        if any("1890" in request.prompt.text for request in asked):
            raise ModelError("too long")
        return super().generate(asked, report)


def meet(model: LanguageModel, texts: Sequence[str], reports: Sequence[Report]) -> list[Any]:
    """Return what each run got for its one request, or its error."""
    meeting = Meeting(inside=len(texts))

    def ask(place: int) -> Any:
        seen = MeetingModel(model, meeting, place)
        asked = [Request(prompt=Prompt(text=texts[place], chat=True), max_tokens=8)]
        try:
            return meeting.run(lambda: seen.generate(asked, reports[place]))[0].text
        except (ModelError, Cancelled) as exc:
            return type(exc)

    with ThreadPoolExecutor(len(texts)) as pool:
        return list(pool.map(ask, range(len(texts))))


def test_a_request_that_fails_fails_its_own_run_only() -> None:
    assert meet(Fragile(), ["a 1702", "b 1890", "c 1911"], [silent] * 3) == ["a 1702", ModelError, "c 1911"]


class Broken(ScriptedModel):
    """Writes nothing, by a fault that nobody foresaw, and scores every label as -1."""

    def __init__(self) -> None:
        super().__init__(lambda request: "")

    def generate(self, asked: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        raise KeyError("written")

    def label_logprobs(self, prompts: Sequence[Prompt], labels: Sequence[str], report: Report) -> np.ndarray:
        return np.full((len(prompts), len(labels)), -1.0)


def test_a_fault_that_nobody_foresaw_fails_its_own_runs_and_the_others_go_on() -> None:
    meeting, model, found = Meeting(inside=4), Broken(), {}

    def ask(place: int) -> None:
        seen, prompt = MeetingModel(model, meeting, place), Prompt(text=f"question {place}")
        try:
            if place < 2:
                meeting.run(lambda: seen.generate([Request(prompt=prompt, max_tokens=8)], silent))
            else:
                found[place] = meeting.run(lambda: seen.label_logprobs([prompt], ["yes"], silent)).tolist()
        except KeyError as exc:
            found[place] = exc.args

    # Threads that would wait for ever must not keep the tests from ending.
    runs = [threading.Thread(target=ask, args=(place,), daemon=True) for place in range(4)]
    for run in runs:
        run.start()
    for run in runs:
        run.join(timeout=5)
    assert found == {0: ("written",), 1: ("written",), 2: [[-1.0]], 3: [[-1.0]]}


def test_a_run_that_is_stopped_leaves_the_others_going() -> None:
    def stop(event: Event) -> None:
        raise Cancelled("stopped")

    model = ScriptedModel(lambda request: request.prompt.text)
    assert meet(model, ["a", "b", "c"], [silent, stop, silent]) == ["a", Cancelled, "c"]


def test_each_run_is_told_its_own_tokens() -> None:
    told: list[list[int]] = [[], []]

    def counting(place: int) -> Report:
        return lambda event: told[place].append(event.count) if isinstance(event, TokensDecoded) else None

    meet(ScriptedModel(lambda request: request.prompt.text), ["a b c", "d"], [counting(0), counting(1)])
    assert [sum(counts) for counts in told] == [3, 1]


def test_a_round_does_not_wait_for_runs_that_do_not_come(monkeypatch: pytest.MonkeyPatch) -> None:
    together = Together(8, gather=1.0)  # long beside the time between two starts, on a busy machine too
    monkeypatch.setattr("engine.runs.studies.together.run_request", lambda *asked, load: asked[0])
    monkeypatch.setattr("engine.runs.studies.together.shared_seconds", lambda found, runs: (found.question, runs))
    threads: list[threading.Thread] = []
    found: list[object] = []
    for one in requests(())[:2]:
        threads.append(threading.Thread(target=lambda one=one: found.append(together.run(one))))  # type: ignore[misc]
        threads[-1].start()
        time.sleep(0.01)
    for thread in threads:
        thread.join(5)
    assert sorted(found) == [(QUESTIONS[0], 2), (QUESTIONS[1], 2)]  # type: ignore[type-var]
