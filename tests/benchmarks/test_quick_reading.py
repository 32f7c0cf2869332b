"""The benchmark of quick reading: what it counts, over rows and results that are written here."""

from dataclasses import replace

import pytest

from benchmarks.quick_reading import Row, changed_places, row_of, summary
from tests.viz import sample_results as samples

ROW = Row(
    set="nq",
    question="a",
    sure=True,
    passages=5,
    wordings=15,
    changing={"full": 4, "quick": 3},
    both=3,
    chunks=5,
    labels=4,
    verdicts={"full": "unstable", "quick": "stable"},
    entropy={"full": 0.5, "quick": 0.1},
    seconds={"full": 30.0, "quick": 10.0},
)


def test_changes_labels_verdicts_and_seconds_are_summed_and_sure_answers_counted_apart() -> None:
    other = replace(
        ROW,
        sure=False,
        changing={"full": 2, "quick": 2},
        both=2,
        labels=5,
        verdicts={"full": "unclear", "quick": "unclear"},
        seconds={"full": 20.0, "quick": 20.0},
    )
    found = summary([ROW, other])
    assert (found["questions"], found["sure"], found["wordings"], found["chunks"]) == (2, 1, 30, 10)
    assert (found["changing"], found["found"], found["only_quick"]) == (6, 5, 0)
    assert (found["changing_of_sure"], found["found_of_sure"]) == (4, 3)
    assert (found["same_labels"], found["same_verdicts"]) == (9, 1)
    assert (found["times_as_long"], found["times_as_long_sure"]) == (round(50 / 30, 2), 3.0)
    # Wilson's interval of 5 of 6.
    assert found["found_share"] == pytest.approx([0.436, 0.970], abs=1e-3)


def test_without_a_changed_answer_there_is_no_share_and_without_a_sure_one_no_ratio() -> None:
    none = summary([replace(ROW, sure=False, changing={"full": 0, "quick": 0}, both=0)])
    assert none["found_share"] is None and none["times_as_long_sure"] is None


def test_a_row_compares_both_results_by_their_weights_and_labels() -> None:
    result = samples.dense_full()
    row = row_of("nq", "Who?", True, {"full": (result, 3.0), "quick": (result, 1.0)})
    changed = sum(weight < 1 for weight in (result.further_weights or result.weights)[0][1:])
    assert row is not None
    assert len(changed_places(result)) == changed == row.both == row.changing["full"]
    assert row.labels == row.chunks == len(result.chunks)
    assert row_of("nq", "Who?", True, {"full": (samples.dense_none_measured(), 1.0), "quick": (result, 1.0)}) is None
