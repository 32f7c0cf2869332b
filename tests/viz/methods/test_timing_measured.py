"""Policies at the same number of lookups: what is said follows from the stored result, whoever is ahead."""

import json
from pathlib import Path

import pytest

from engine.core.errors import RecordError
from engine.learning.timing_measured import TimingMeasured, stored_timing
from viz.methods import timing_measured
from viz.parts.theme import THEMES

Share = tuple[float, float | None, float | None]


def stored(folder: Path, apart: Share | None, levels: tuple[str, ...] = ("1",)) -> TimingMeasured:
    """Return a stored result in which ETC is this far ahead of DRAGIN at these numbers of lookups, read back."""

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
            "equal_lookups": {
                f"etc - dragin at {level} lookups": {"right": equal, "exact": nothing, "f1": nothing}
                for level in levels
            },
        },
    }
    path = folder / "timing.json"
    path.write_text(json.dumps(found), encoding="utf-8")
    result = stored_timing(path)
    assert result is not None
    return result


@pytest.mark.parametrize(
    ("apart", "words", "points"),
    [
        ((0.2, 0.05, 0.3), "is right more often than", "+20.0 points (+5.0 to +30.0)"),
        ((-0.2, -0.3, -0.05), "is right less often than", "−20.0 points (−30.0 to −5.0)"),
        ((0.02, -0.1, 0.14), "does not differ measurably from", "+2.0 points (−10.0 to +14.0)"),
        ((0.1, 0.0, 0.2), "does not differ measurably from", "+10.0 points (0.0 to +20.0)"),
        ((-0.1, -0.2, 0.0), "does not differ measurably from", "−10.0 points (−20.0 to 0.0)"),
        ((0.1, None, None), "does not differ measurably from", "+10.0 points"),
    ],
)
def test_who_is_ahead_follows_from_the_interval(tmp_path: Path, apart: Share, words: str, points: str) -> None:
    found = stored(tmp_path, apart)
    said = timing_measured.etc_against_dragin(found)
    assert said.startswith("40 test questions answered by the SmolLM2-135M writer")
    assert f". At 1 lookup a question ETC {words} DRAGIN: {points}. " in said
    assert said.endswith("At the papers' thresholds: 2.50 and 2.50 lookups a question, 50.0% and 50.0% right.")
    assert timing_measured.curves_title(found) == f"At 1 lookup a question ETC {words} DRAGIN"


@pytest.mark.parametrize(
    ("levels", "words"),
    [(("0.5", "1"), "1 lookup a question"), (("0.5",), "0.5 lookups a question")],
)
def test_policies_are_compared_at_one_lookup_else_at_the_first_number_that_both_have(
    tmp_path: Path, levels: tuple[str, ...], words: str
) -> None:
    assert timing_measured.counted_lookups(stored(tmp_path, (0.2, 0.05, 0.3), levels)) == words


def test_without_a_common_number_of_lookups_nothing_is_said_of_who_is_ahead(tmp_path: Path) -> None:
    found = stored(tmp_path, None)
    assert timing_measured.where_compared(found) is None
    assert " ETC and DRAGIN share no number of lookups. " in timing_measured.etc_against_dragin(found)
    assert timing_measured.curves_title(found) == "Policies by number of lookups"


def test_a_policy_without_a_threshold_is_one_point_and_a_curve_has_its_own(tmp_path: Path) -> None:
    found = stored(tmp_path, (0.2, 0.05, 0.3))
    assert [x for x, _ in timing_measured.points_of(found.all, "never")] == [0.0]
    assert [x for x, _ in timing_measured.points_of(found.all, "etc")] == [1.1]
    figure = timing_measured.curves_figure(found, THEMES["light"])
    assert [trace.name for trace in figure.data] == ["ETC", "Never"]
    assert [(trace.x, trace.y) for trace in figure.data] == [((1.1,), (0.5,)), ((0.0,), (0.25,))]
    assert [round(trace.error_y.arrayminus[0], 6) for trace in figure.data] == [0.15, 0.15]
    table = timing_measured.measured_table(found)
    assert table[["policy", "threshold"]].values.tolist() == [
        ["ETC", "the paper's"],
        ["DRAGIN", "the paper's"],
        ["Never", "none"],
        ["ETC", "fitted to 1 lookup"],
    ]
    assert table.iloc[2].tolist() == ["Never", "none", "0.25 (0.10 to 0.40)", "0.40", "0.45", "0.00", 0, "not measured"]
    assert [timing_measured.title_of(word) for word in ("etc_released_smoothing", "flare_released", "sugar")] == [
        "ETC, released smoothing",
        "FLARE as released",
        "SUGAR",
    ]


def test_a_missing_file_is_nothing_and_a_damaged_one_is_refused(tmp_path: Path) -> None:
    assert stored_timing(tmp_path / "none.json") is None
    (tmp_path / "bad.json").write_text(json.dumps({"writer": 1}), encoding="utf-8")
    with pytest.raises(RecordError):
        stored_timing(tmp_path / "bad.json")
