"""Policies at the same number of lookups: what is said follows from the stored result, whoever is ahead."""

import json
from pathlib import Path

import pytest

from engine.core.errors import RecordError
from engine.learning.timing_measured import TimingMeasured, stored_timing
from viz import timing_measured
from viz.theme import THEMES


def stored(folder: Path, apart: tuple[float, float, float] | None) -> TimingMeasured:
    """Return a stored result in which ETC is this far ahead of DRAGIN at one lookup, read back."""

    def share(mean: float | None, low: float | None = None, high: float | None = None) -> dict[str, object]:
        return {"mean": mean, "low": low, "high": high, "questions": 40}

    point = {
        "right": share(0.5, 0.35, 0.65),
        "lookups": share(2.5),
        "exact": share(0.4),
        "f1": share(0.45),
        "endings": {},
    }
    nothing = share(None)
    policies = dict.fromkeys(("etc paper", "dragin paper", "never", "etc 1"), point)
    policies["never"] = {**point, "lookups": share(0.0), "right": share(0.25, 0.1, 0.4)}
    equal = share(*apart) if apart else nothing
    found = {
        "writer": "embedded-writer (abc, bfloat16)",
        "corpus": "10 documents",
        "levels": [0.5, 1.0],
        "questions": {"one": 24, "several": 16},
        "all": {
            "policies": policies,
            "curves": {"etc": [{"level": "1", "lookups": 1.1, "right": share(0.5, 0.35, 0.65)}]},
            "equal_lookups": {"etc - dragin at 1 lookups": {"right": equal, "exact": nothing, "f1": nothing}},
        },
    }
    path = folder / "timing.json"
    path.write_text(json.dumps(found), encoding="utf-8")
    result = stored_timing(path)
    assert result is not None
    return result


@pytest.mark.parametrize(
    ("apart", "words"),
    [
        ((0.2, 0.05, 0.3), "is right more often than"),
        ((-0.2, -0.3, -0.05), "is right less often than"),
        ((0.02, -0.1, 0.14), "does not differ measurably from"),
    ],
)
def test_who_is_ahead_follows_from_the_interval(tmp_path: Path, apart: tuple[float, float, float], words: str) -> None:
    found = stored(tmp_path, apart)
    said = timing_measured.etc_against_dragin(found)
    assert words in said and f"{abs(apart[0]) * 100:.1f} points" in said
    assert "40 test questions" in said and "2.50" in said
    assert words in timing_measured.curves_title(found)


def test_without_a_common_number_of_lookups_nothing_is_said_of_who_is_ahead(tmp_path: Path) -> None:
    found = stored(tmp_path, None)
    assert timing_measured.where_compared(found) is None
    assert "points" not in timing_measured.etc_against_dragin(found)


def test_a_policy_without_a_threshold_is_one_point_and_a_curve_has_its_own(tmp_path: Path) -> None:
    found = stored(tmp_path, (0.2, 0.05, 0.3))
    assert [x for x, _ in timing_measured.points_of(found.all, "never")] == [0.0]
    assert [x for x, _ in timing_measured.points_of(found.all, "etc")] == [1.1]
    figure = timing_measured.curves_figure(found, THEMES["light"])
    assert [trace.name for trace in figure.data] == ["ETC", "Never"]
    assert len(timing_measured.measured_table(found)) == 4


def test_a_missing_file_is_nothing_and_a_damaged_one_is_refused(tmp_path: Path) -> None:
    assert stored_timing(tmp_path / "none.json") is None
    (tmp_path / "bad.json").write_text(json.dumps({"writer": 1}), encoding="utf-8")
    with pytest.raises(RecordError):
        stored_timing(tmp_path / "bad.json")
