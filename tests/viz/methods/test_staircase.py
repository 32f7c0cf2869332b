"""The staircase: a step a lookup with its band, its gain in words, and a sentence where there is none."""

from dataclasses import replace

import pytest

from engine.methods.timing.staircase import NOTHING_FOUND, agreed_steps
from tests.viz.sample_timing_results import timing_full
from viz.methods.staircase import staircase, staircase_title
from viz.parts.theme import DARK, LIGHT


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_each_lookup_is_a_step_with_its_band_and_its_gain(theme) -> None:
    figure = staircase(timing_full().runs[2], theme)
    assert figure.layout.title.text.startswith("ETC: 1 of 2 lookups ")
    assert tuple(figure.data[1].y) == (0.2, 0.7, 0.72)
    assert [(box.y0, box.y1) for box in figure.layout.shapes] == [(0.1, 0.3), (0.6, 0.8), (0.6, 0.85)]
    assert [note.text for note in figure.layout.annotations] == ["+0.50, helped", "+0.02, within noise"]
    assert figure.layout.xaxis.ticktext == ("before any lookup", "after lookup 1", "after lookup 2")


def test_a_rise_that_no_samples_meaning_bears_out_is_unclear_and_helped_nobody() -> None:
    run = timing_full().runs[2]
    first, second, _ = run.stairs
    wrong = [replace(stair, belief=replace(stair.belief, hard=0.0)) for stair in (first, second)]
    told = agreed_steps(wrong)
    assert [stair.worth for stair in told] == [None, "unclear"]
    assert [stair.worth for stair in agreed_steps(run.stairs)] == [None, "helped", "within noise"]
    notes = staircase(replace(run, stairs=tuple(wrong)), LIGHT).layout.annotations
    assert [note.font.color for note in notes if "unclear" in note.text] == [LIGHT.unknown]
    assert "0 of 1" in staircase_title(replace(run, stairs=tuple(wrong)))


def test_a_run_without_stairs_says_why() -> None:
    run = replace(timing_full().runs[0], stair_note=NOTHING_FOUND)
    assert staircase_title(run).startswith("Never:")
    assert "could not change" in staircase(run, LIGHT).layout.annotations[0].text.replace("<br>", " ")
