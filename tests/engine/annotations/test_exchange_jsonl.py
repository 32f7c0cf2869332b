"""Reading an export takes time in step with its lines."""

import time

from engine.annotations.exchange_jsonl import from_jsonl, to_jsonl
from engine.annotations.portable import Portable, Wording
from engine.annotations.records import Project


def export_of(versions: int) -> tuple[Portable, str]:
    project = Project(
        id="p", name="Timing", version=versions, guidelines="Look.", blind=False, overlap=1, created_at="2026-01-01"
    )
    wordings = tuple(Wording(version=number + 1, text="Look.", at="2026-01-01") for number in range(versions))
    whole = Portable(project=project, wordings=wordings)
    return whole, to_jsonl(whole)


def seconds_to_read(text: str) -> float:
    took = []
    for _ in range(2):
        began = time.process_time()
        from_jsonl(text)
        took.append(time.process_time() - began)
    return min(took)


def test_eight_times_the_lines_take_eight_times_as_long_and_come_back_in_order() -> None:
    _, short = export_of(2_500)
    whole, long = export_of(20_000)
    assert from_jsonl(long) == whole
    assert seconds_to_read(long) < 16 * seconds_to_read(short), "a copy of all that was read for each line"
