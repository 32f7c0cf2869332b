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
    growth_table,
    notes_sentence,
    sentence,
    title,
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
    assert title(growth(), ("search, hybrid",)) == ("Search, hybrid: 24.3 ms at 100,000 passages, grows as n^0.69")
    assert title(growth(), SEARCH).endswith("no exponent fitted")
    assert title(growth(), ("nothing",)) == "How cost grows: not measured"


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_axes_are_logarithmic_and_carry_their_unit(theme) -> None:
    figure = growth_figure(growth(), SEARCH, theme)
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert figure.layout.yaxis.title.text == "cost (ms of processor time)"
    assert list(figure.data[0].y) == [0.2, 2.5, 24.31]
    assert list(figure.data[0].error_y.array) == pytest.approx([0.1, 1.25, 12.155])
    assert growth_figure(growth(), ("nothing",), theme).layout.annotations[0].text == "Nothing of this was measured."


def test_the_sentence_and_the_table_are_twins_of_the_figure() -> None:
    said = sentence(growth(), ("search, hybrid",))
    assert said == (
        "From n = 100 to 100,000 passages: search, hybrid from 0.2 to 24.3 ms (95 % of them within 36.5), "
        "grows as n^0.69 (95 % 0.50 to 0.88)."
    )
    table = growth_table(growth())
    assert len(table) == 6 and table["median"].tolist()[:3] == [0.2, 2.5, 24.31]
    assert "1 thread of 2 processors, 50 questions" in notes_sentence(growth())


def test_whether_a_search_stays_under_fifty_milliseconds_is_said_either_way() -> None:
    assert within_target(growth()) == (
        "A hybrid search, the question's embedding included, takes 24.3 ms of the processor's time at 100,000 "
        "passages, under 50 ms at every size."
    )
    assert (
        "takes 61.0 ms of the processor's time at 100,000 passages, 50 ms or more at 100,000 passages."
        in within_target(growth(slowest=61.0))
    )
    points = (GrowthPoint(size=100_000, value=88.0),)
    wall = GrowthCurve(name=ON_THE_WALL[-1], unit="ms", points=points)
    told = within_target(replace(growth(), curves=(*growth().curves, wall)))
    assert "under 50 ms at every size. Whoever waited for it waited longer, 88.0 ms on the wall clock" in told


def test_what_the_benchmark_writes_is_read_back_unchanged(tmp_path: Path) -> None:
    file = tmp_path / "growth.json"
    assert stored_growth(file) is None
    file.write_bytes(to_json(growth()))
    assert stored_growth(file) == growth()
    file.write_text('{"curves": []}')
    with pytest.raises(RecordError, match="holds no measurement of growth"):
        stored_growth(file)


def test_over_one_diagnosis_the_axis_and_the_words_say_what_was_counted() -> None:
    points = tuple(GrowthPoint(size=size, value=float(size)) for size in (1, 5, 20))
    law = GrowthCurve(name=OVER_SAMPLES[0], unit="s", points=points, exponent=1.0, interval=Interval(low=1.0, high=1.0))
    measured = replace(growth(), curves=(law,))
    figure = growth_figure(measured, OVER_SAMPLES, LIGHT, "samples")
    assert figure.layout.xaxis.title.text == "n = samples drawn"
    assert not figure.layout.shapes, "no line at 50 ms on an axis of seconds"
    assert title(measured, OVER_SAMPLES, "samples").startswith(
        "SePer, over samples: 20.0 s at 20 samples, grows as n^1.00"
    )
    assert sentence(measured, OVER_SAMPLES, "samples").startswith(
        "From n = 1 to 20 samples: SePer, over samples from 1 to"
    )
