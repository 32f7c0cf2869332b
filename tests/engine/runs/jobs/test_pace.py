"""The pace of a machine: counted on a model of known speed, kept once, and dropped where it no longer holds."""

import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.backends.language_models.base import Request
from engine.backends.language_models.scripted import ScriptedModel
from engine.core.errors import Cancelled
from engine.core.progress import Event, Report, Stage
from engine.core.records import Generation
from engine.runs.jobs import pace
from engine.runs.jobs.pace import Pace, keep_pace, measure_pace, pace_file, stored_pace


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what is measured in a folder of the test, and measure for a fifth of a second."""
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path))
    monkeypatch.setenv("MICROSCOPE_DTYPE", "float32")
    monkeypatch.setattr(pace, "READING_SECONDS", 0.2)
    monkeypatch.setattr(pace, "WRITING_SECONDS", 0.2)


class Slow(ScriptedModel):
    """A model that takes twenty milliseconds for a call of whatever size."""

    def generate(self, requests: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        """Return answers as long as asked."""
        time.sleep(0.02)
        return super().generate(requests, report)


def slow() -> Slow:
    """Return the slow model; each answer has as many words as tokens are asked for."""
    return Slow(lambda request: "word " * (request.max_tokens - 1) + "word")


def test_tokens_a_second_are_counted_of_prompts_and_of_a_batch_of_eight() -> None:
    found = measure_pace("m", slow())
    # 242 words of prompt, or 8 rows of 8 tokens, in 20 ms; a busy machine may take five times as long.
    assert 242 / 0.1 < found.prompt_tokens < 242 / 0.02
    assert 8 * 8 / 0.1 < found.new_tokens < 8 * 8 / 0.02


def test_a_busy_moment_leaves_the_measured_pace_as_it_is() -> None:
    class Disturbed(Slow):
        calls = 0

        def generate(self, requests: Sequence[Request], report: Report) -> tuple[Generation, ...]:
            """Take half a second for all calls but every third."""
            self.calls += 1
            time.sleep(0.0 if self.calls % 3 == 0 else 0.5)
            return super().generate(requests, report)

    found = measure_pace("m", Disturbed(lambda request: "word " * (request.max_tokens - 1) + "word"))
    # A disturbed call gives 242 tokens in half a second; a busy machine may take ten times as long as a quiet one.
    assert found.prompt_tokens > 242 / 0.25


def test_a_machine_is_busy_where_more_work_waits_than_it_has_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(pace.os, "getloadavg", lambda: (2.5, 0.0, 0.0))
    assert pace.machine_is_busy()
    monkeypatch.setattr(pace.os, "getloadavg", lambda: (1.5, 9.0, 9.0))
    assert not pace.machine_is_busy()


def test_no_request_is_made_twice_so_that_no_memory_answers() -> None:
    model = slow()
    measure_pace("m", model)
    assert len(set(model.requests)) == len(model.requests)


def test_it_is_kept_for_its_model_number_type_and_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    assert stored_pace("m") is None
    threads = repr(pace.threads())
    one = Pace(prompt_tokens=100.0, new_tokens=10.0, dtype="float32", threads=threads)
    keep_pace("m", one)
    keep_pace("other", Pace(prompt_tokens=7.0, new_tokens=1.0, dtype="float32", threads=threads))
    assert stored_pace("m") == one
    assert stored_pace("third") is None
    monkeypatch.setenv("MICROSCOPE_DTYPE", "bfloat16")
    assert stored_pace("m") is None
    monkeypatch.setenv("MICROSCOPE_DTYPE", "float32")
    monkeypatch.setenv("OMP_NUM_THREADS", "77")
    assert stored_pace("m") is None


def test_it_is_found_where_the_model_computes_now(monkeypatch: pytest.MonkeyPatch) -> None:
    server, threads = "http://localhost:8000/v1#m", repr(pace.threads())
    keep_pace(server, Pace(prompt_tokens=900.0, new_tokens=90.0, dtype="", threads=threads, device="server"))
    keep_pace("mine", Pace(prompt_tokens=500.0, new_tokens=50.0, dtype="float32", threads=threads, device="cuda"))
    found = stored_pace(server)
    assert found is not None and found.new_tokens == 90.0
    assert stored_pace("mine", "cpu") is None
    monkeypatch.setattr(pace, "computing_place", lambda name, device: "cuda")
    found = stored_pace("mine", "cuda")
    assert found is not None and found.new_tokens == 50.0


def test_a_device_that_is_not_there_has_no_pace() -> None:
    keep_pace("m", Pace(prompt_tokens=100.0, new_tokens=10.0, dtype="float32", threads=repr(pace.threads())))
    assert stored_pace("m", "mps") is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1, "models": {"m": {"prompt_tokens": 0}}}'])
def test_a_file_that_cannot_be_read_is_no_measurement_and_is_written_anew(text: str) -> None:
    pace_file().write_text(text)
    assert stored_pace("m") is None
    keep_pace("m", Pace(prompt_tokens=1.0, new_tokens=1.0, dtype="float32", threads=repr(pace.threads())))
    assert stored_pace("m") is not None


def test_it_can_be_stopped_and_then_keeps_nothing() -> None:
    def stop(event: Event) -> None:
        if isinstance(event, Stage) and event.done == 1:
            raise Cancelled("a run came in")

    with pytest.raises(Cancelled):
        measure_pace("m", slow(), stop)
    assert stored_pace("m") is None
