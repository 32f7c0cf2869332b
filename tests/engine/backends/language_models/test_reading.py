"""Whose prompts a model reads: a run's own, those of runs that share their batches, or nobody's."""

import pytest

from engine.backends.language_models.reading import current_run, one_run


def test_each_run_stands_for_itself_and_nobody_after_it() -> None:
    assert current_run() is None
    seen = []
    for _ in range(2):
        with one_run():
            seen.append(current_run())
    assert None not in seen and seen[0] is not seen[1]
    with pytest.raises(ValueError, match="stopped"), one_run():
        raise ValueError("stopped")
    assert current_run() is None


def test_a_run_inside_a_round_reads_for_the_round() -> None:
    with one_run("round"):
        with one_run():
            assert current_run() == "round"
        assert current_run() == "round"
