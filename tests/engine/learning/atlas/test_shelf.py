"""The shelf: a run is kept and read back unchanged, a damaged one is a sentence, the board follows from the runs."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.core.errors import RecordError
from engine.learning.atlas.kinds import KINDS
from engine.learning.atlas.shelf import (
    clue_of,
    detection_board,
    detections,
    file_of,
    methods_with_clues,
    recorded_kinds,
    specimens,
    specimens_with,
    write_specimen,
)
from engine.runs.sample_runs import read_run
from tests.engine.learning.atlas.failure_case import OTHER, RIGHT, run, specimen
from tests.viz.sample_results import dense_full, dense_understood

KIND = KINDS["distractor"]


def test_a_run_is_read_back_unchanged_and_written_alike_each_time(tmp_path: Path) -> None:
    made = run("1,768 metres", OTHER, RIGHT)
    first = write_specimen(KIND, made, tmp_path).read_bytes()
    assert write_specimen(KIND, made, tmp_path).read_bytes() == first
    assert read_run(file_of(KIND, tmp_path)).answer == made.answer
    assert recorded_kinds(tmp_path) == (KIND,)


@pytest.mark.parametrize("content", [b"", b"no gzip", b"\x1f\x8b\x08\x00"])
def test_a_damaged_file_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    file_of(KIND, tmp_path).write_bytes(content)
    with pytest.raises(RecordError, match=r"distractor\.json\.gz"):
        specimens(tmp_path)


def test_a_run_of_no_sample_question_is_refused(tmp_path: Path) -> None:
    write_specimen(KIND, run("1,768 metres", OTHER, RIGHT), tmp_path)
    with pytest.raises(RecordError, match=KIND.word):
        specimens(tmp_path)


def test_an_empty_shelf_has_no_specimen(tmp_path: Path) -> None:
    assert specimens(tmp_path) == () == recorded_kinds(tmp_path)


def test_the_board_holds_a_word_for_every_clue_and_none_for_the_rest() -> None:
    shown = specimen("distractor", run("1,768 metres", OTHER, RIGHT, results=(dense_full(),)))
    row = detection_board([shown])["distractor"]
    assert row["dense"] == "saw" and row["seper"] == "not measured"
    assert set(row) == {clue.method for clue in KIND.clues} and "timing" not in row
    assert [one.method for one in detections(shown)] == [clue.method for clue in KIND.clues]


def test_a_filter_keeps_what_a_method_saw_missed_or_has_an_eye_for() -> None:
    saw = specimen("distractor", run("1,768 metres", OTHER, RIGHT, results=(dense_full(),)))
    missed = specimen("misread", run("1866", RIGHT, results=(dense_understood(),)))
    unasked = specimen("delayed", run("1866", RIGHT))
    shown = (saw, missed, unasked)
    assert specimens_with(shown, "", None) == shown
    assert specimens_with(shown, "dense", None) == (saw, missed)
    assert specimens_with(shown, "dense", "saw") == (saw,) == specimens_with(shown, "", "saw")
    assert specimens_with(shown, "dense", "missed") == (missed,) == specimens_with(shown, "", "missed")
    assert specimens_with(shown, "timing", "not measured") == (unasked,)


def test_a_method_without_a_clue_has_none_for_a_kind() -> None:
    assert clue_of(KIND, "timing") is None and clue_of(KIND, "dense") is not None
    assert methods_with_clues()[0] == "dense"


def test_there_are_at_least_a_dozen_kinds_each_with_its_words() -> None:
    assert len(KINDS) >= 12
    assert len({kind.title for kind in KINDS.values()}) == len(KINDS) == len({kind.run_id for kind in KINDS.values()})
    assert all(kind.literature and kind.definition.endswith(".") and kind.trial for kind in KINDS.values())


def test_a_failure_is_asked_once_by_whoever_asks_and_a_copy_of_it_anew() -> None:
    asked = []
    shown = specimen("distractor", run("1,768 metres", OTHER, RIGHT, results=(dense_full(),)))
    clue = replace(KIND.clues[0], detector=lambda diagnosis, question: asked.append(question.id))
    shown = replace(shown, kind=replace(KIND, clues=(clue,)))
    for _ in range(3):
        assert [one.seen for one in detections(shown)] == ["not measured"]
        detection_board((shown,))
    assert asked == ["ildan"]
    detections(replace(shown))
    assert asked == ["ildan", "ildan"]
