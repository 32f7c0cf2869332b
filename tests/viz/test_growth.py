"""How cost grows: the figure's title is its finding, the table its twin, and nothing measured is a sentence."""

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic_core import to_json

from engine.core.errors import RecordError
from engine.core.records import Interval
from engine.learning.growth import CorpusGrowth, GrowthCurve, GrowthPoint, stored_growth
from viz.growth import (
    ON_THE_WALL,
    OVER_SAMPLES,
    SEARCH,
    growth_figure,
    growth_sentence,
    growth_table,
    growth_title,
    notes_sentence,
    within_target,
)
from viz.theme import DARK, LIGHT


def growth(slowest: float = 24.31) -> CorpusGrowth:
    """Return a measurement of two searches at three sizes, worked by hand."""
    points = tuple(
        GrowthPoint(size=size, value=value, p95=value * 1.5)
        for size, value in ((100, 0.2), (10_000, 2.5), (100_000, slowest))
    )
    hybrid = GrowthCurve(
        name="search, hybrid", unit="ms", points=points, exponent=0.69, interval=Interval(low=0.5, high=0.88)
    )
    whole = GrowthCurve(name=SEARCH[-1], unit="ms", points=points)
    return CorpusGrowth(
        started_at="2025-01-01T00:00:00+00:00",
        machine="Linux x86_64",
        processors=2,
        threads=1,
        libraries=(("numpy", "2"),),
        queries=50,
        notes=("Under load.",),
        curves=(hybrid, whole),
    )


def test_the_title_says_the_last_curve_at_the_largest_size() -> None:
    found = growth_title(growth(), ("search, hybrid",))
    assert all(part in found for part in ("24.3 ms", "100,000 passages", "n^0.69"))
    assert growth_title(growth(), SEARCH).endswith("no exponent fitted")
    assert growth_title(growth(), ("nothing",)).endswith("not measured")


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_axes_are_logarithmic_and_carry_their_unit(theme) -> None:
    figure = growth_figure(growth(), SEARCH, theme)
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert "processor time" in figure.layout.yaxis.title.text
    assert list(figure.data[0].y) == [0.2, 2.5, 24.31]
    assert list(figure.data[0].error_y.array) == pytest.approx([0.1, 1.25, 12.155])
    assert not growth_figure(growth(), ("nothing",), theme).data


def test_the_sentence_and_the_table_are_twins_of_the_figure() -> None:
    said = growth_sentence(growth(), ("search, hybrid",))
    for part in ("n = 100 to 100,000", "0.2 to 24.3 ms", "within 36.5", "n^0.69 (95 % 0.50 to 0.88)"):
        assert part in said
    table = growth_table(growth())
    assert len(table) == 6 and table["median"].tolist()[:3] == [0.2, 2.5, 24.31]
    assert all(part in notes_sentence(growth()) for part in ("1 thread of 2 processors", "50 questions"))


def test_whether_a_search_stays_under_fifty_milliseconds_is_said_either_way() -> None:
    fast, slow = within_target(growth()), within_target(growth(slowest=61.0))
    assert "24.3 ms" in fast and "under 50 ms" in fast
    assert "61.0 ms" in slow and "50 ms or more" in slow
    points = (GrowthPoint(size=100_000, value=88.0),)
    wall = GrowthCurve(name=ON_THE_WALL[-1], unit="ms", points=points)
    told = within_target(replace(growth(), curves=(*growth().curves, wall)))
    assert "under 50 ms" in told and "88.0 ms" in told


def test_what_the_benchmark_writes_is_read_back_unchanged(tmp_path: Path) -> None:
    file = tmp_path / "growth.json"
    assert stored_growth(file) is None
    file.write_bytes(to_json(growth()))
    assert stored_growth(file) == growth()
    file.write_text('{"curves": []}')
    with pytest.raises(RecordError, match=r"growth\.json"):
        stored_growth(file)


def test_over_one_diagnosis_the_axis_and_the_words_say_what_was_counted() -> None:
    points = tuple(GrowthPoint(size=size, value=float(size)) for size in (1, 5, 20))
    law = GrowthCurve(name=OVER_SAMPLES[0], unit="s", points=points, exponent=1.0, interval=Interval(low=1.0, high=1.0))
    measured = replace(growth(), curves=(law,))
    figure = growth_figure(measured, OVER_SAMPLES, LIGHT, "samples")
    assert figure.layout.xaxis.title.text == "n = samples drawn"
    assert not figure.layout.shapes, "no line at 50 ms on an axis of seconds"
    assert "20.0 s at 20 samples" in growth_title(measured, OVER_SAMPLES, "samples")
    assert "n = 1 to 20 samples" in growth_sentence(measured, OVER_SAMPLES, "samples")
