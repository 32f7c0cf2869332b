"""A figure answers by itself what its axes are and of how many answers it speaks, with no page around it."""

import pytest

import retrieval_microscope as rm
from engine.runs.sample_runs import recorded_run

RUN = recorded_run("suez-opening-date")


@pytest.mark.parametrize(
    ("name", "axis", "said"),
    [
        (
            "seper-change",
            "xaxis",
            "SePer: belief in the correct answer<br>bars: 95% intervals; 10 samples",
        ),
        ("seper-beliefs", "xaxis", "probability of this meaning<br>10 samples each,<br>weighted by likelihood"),
        ("dense-agreement", "xaxis", "1: each follows from the other,<br>0.5: one way only, 0: neither"),
        ("etc-trend", "xaxis3", "words of the written answer, in order"),
        ("dense-graph", "title", "numbers: passages reworded"),
    ],
)
def test_a_figure_says_what_it_shows(name: str, axis: str, said: str) -> None:
    layout = rm.figure(RUN, name).layout
    words = layout.title.subtitle.text if axis == "title" else layout[axis].title.text
    assert said in words
