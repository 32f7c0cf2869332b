"""What is drawn of a study: every view in both modes, numbers, pairs, and the report as one page."""

import re
from dataclasses import replace

import numpy as np
import pytest

from engine.learning.study_measured import StudyMeasured
from engine.runs.studies.pairs import Side, changed, differences, paired
from engine.runs.studies.records import Number
from engine.runs.studies.table import StudyTable
from engine.runs.studies.views import VIEWS
from engine.runs.studies.views.base import Mark, Measured
from tests.engine.runs.studies.test_views import made_table
from viz.parts.row_table import row_table_html
from viz.parts.theme import DARK, LIGHT
from viz.runs.bundle import plotly_script
from viz.studies.numbers import distribution_figure, scatter_figure
from viz.studies.pairs import changed_table, differences_figure
from viz.studies.report import study_report
from viz.studies.table import WORST, Show, cell_tones, filtered, number_columns, ordered, shown_table
from viz.studies.views import real_origin, view_figure, view_table
from viz.studies.words import settings_apart, shown_settings

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def table() -> StudyTable:
    """Return a table with a column for every view, over forty questions, one of them hostile."""
    draw = np.random.default_rng(0)
    names = {name for view in VIEWS for name in view.needs}
    names |= {
        "memory.right",
        "timing.runs.never.exact",
        "answer.f1",
        "answer.logprob",
        "answer.exact",
        "passages.utility",
        "quco_rag.stepwise.supported",
        "seper.without.hard",
    }
    names |= {"dense_rag.first.exact", "sugar.steps", "quco_rag.stepwise.supported", "memory.exact"}
    columns = {name.replace(".", "__"): draw.random(40).tolist() for name in sorted(names)}
    for name in columns:
        if name.endswith(("right", "exact", "hold", "utility")):
            columns[name] = draw.integers(0, 2, 40).astype(float).tolist()
    made = made_table(("k=1,3",), [{"once": (0.0,)}] * 40, [tuple(draw.random(4))] * 40, **columns)
    made.frame.loc[0, "question"] = HOSTILE
    return made


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_every_view_is_drawn_in_both_modes_with_a_table_of_its_marks(table: StudyTable, view: object) -> None:
    found = view.measure(table)  # type: ignore[attr-defined]
    assert found.marks and len(view_table(found)) == len(found.marks)
    for theme in (LIGHT, DARK):
        figure = view_figure(found, theme)
        assert len(figure.data) > 0 and HOSTILE not in figure.to_json()


def test_numbers_are_drawn_with_what_parts_right_from_wrong(table: StudyTable) -> None:
    points = scatter_figure(table, table.frame, "dense.entropy", "answer.f1", LIGHT)
    assert sum(len(trace.x) for trace in points.data) == 40
    assert sorted(int(one[0]) for trace in points.data for one in trace.customdata) == list(range(40))
    bars = distribution_figure(table, table.frame, "dense.entropy", LIGHT)
    assert sum(len(trace.x) for trace in bars.data) == 40
    assert {trace.name.split(" (")[0]: trace.marker.pattern.shape for trace in bars.data} == {"right": "", "wrong": "/"}


def test_the_legend_of_a_number_has_room_below_the_title_where_a_phone_takes_the_title_away(table: StudyTable) -> None:
    frame = table.frame
    drawn = [distribution_figure(table, frame, "dense.entropy", LIGHT)]
    drawn.append(scatter_figure(table, frame, "dense.entropy", "answer.f1", LIGHT))
    # A phone moves a figure up by 40 pixels, to where its title was; a line of the legend is 29 pixels high.
    assert [one.layout.margin.t - 40 >= 29 for one in drawn] == [True, True]


def test_worst_first_is_wrong_and_sure_and_colours_follow_the_words(table: StudyTable) -> None:
    frame = ordered(filtered(table), WORST)
    wrong = int((table.frame["answer.right"] == 0).sum())
    assert frame["answer.right"].tolist() == [0.0] * wrong + [1.0] * (40 - wrong)
    assert frame["answer.logprob"].iloc[:wrong].is_monotonic_decreasing
    shown = shown_table(table, frame, ("dense.entropy",))
    assert cell_tones(table, frame, shown)["right"] == ["bad"] * wrong + ["good"] * (40 - wrong)


@pytest.mark.parametrize(
    ("show", "search", "rows"),
    [
        ("all", "", [0, 1, 2, 3]),
        ("right", "", [0]),
        ("wrong", "", [1]),
        ("failed", "", [2]),
        ("waiting", "", [3]),
        ("all", " QUESTION 3", [3]),
        ("all", "Lyra", [1]),
        ("right", "Lyra", []),
    ],
)
def test_rows_are_shown_by_what_they_are_and_by_their_words(show: Show, search: str, rows: list[int]) -> None:
    made = made_table(answer__right=[1.0, 0.0, np.nan, np.nan])
    made.frame["state"] = ["done", "done", "failed", "waiting"]
    made.frame["correct_answers"] = ["yes", "Lyra Quill", "yes", "yes"]
    assert list(filtered(made, search, show).index) == rows
    before = replace(made, frame=made.frame.drop(columns="answer.right"))
    assert list(filtered(before, search, show).index) == ([] if show in ("right", "wrong") else rows)


def test_an_answer_that_only_the_judge_calls_right_says_so_in_its_row() -> None:
    made = made_table(answer__right=[1.0, 1.0, 0.0], answer__by_words=[1.0, 0.0, 0.0])
    shown = shown_table(made, made.frame, ())
    assert [word.partition(" ")[2] for word in shown["right"]] == ["right", "right by the judge", "wrong"]
    assert cell_tones(made, made.frame, shown)["right"] == ["good", "middle", "bad"]


def test_counts_have_no_decimals_and_usual_headings_take_one_line(table: StudyTable) -> None:
    named = {
        "answer.right": Number(address="answer.right", title="Answer is right", range="0 or 1"),
        "sugar.steps": Number(address="sugar.steps", title="SUGAR: lookups made", unit="lookups", range="0 or more"),
        "answer.f1": Number(address="answer.f1", title="Token F1", range="0 to 1"),
    }
    counted = replace(table, numbers=tuple(named.values()), frame=table.frame.assign(**{"sugar.steps": 3.0}))
    shown = shown_table(counted, counted.frame, tuple(named))
    html = row_table_html(shown, name="t", columns=number_columns(counted, tuple(named)))
    assert '"rm-number">3<' in html and "3.000" not in html and '"rm-number">1.000<' not in html
    assert re.search(r'"rm-number">0\.\d{3}<', html), "F1 keeps its three"
    assert 'title="SUGAR: lookups made, lookups">lookups</th>' in html and "rm-wide-head" not in html.split("F1")[1]


def test_pairs_are_drawn_with_those_that_changed_first(table: StudyTable) -> None:
    pairs = paired(Side(table, 0), Side(table, 1))
    moved = changed(pairs)
    assert moved is not None
    rows = changed_table(pairs)
    differs = moved.only_first + moved.only_second
    assert (rows["right A"] != rows["right B"]).tolist() == [True] * differs + [False] * (len(rows) - differs)
    found = differences(pairs)
    figure = differences_figure(found, table, LIGHT)
    assert len(figure.data) > 0
    whiskers = sorted(
        (x - bar, x + over)
        for one in figure.data
        for x, bar, over in zip(one.x, one.error_x.arrayminus, one.error_x.array, strict=True)
    )
    ends = sorted((one.low / one.spread, one.high / one.spread) for one in found if one.low is not None and one.spread)
    assert np.allclose(whiskers, ends)


def test_the_report_is_one_page_that_calls_nobody_and_leaves_texts_out_on_request(table: StudyTable) -> None:
    page = study_report(table)
    assert "default-src 'none'" in page and HOSTILE not in page
    assert page.count('class="rm-figure"') == len(VIEWS)
    # Plotly's own script names addresses that it opens on a click of its logo, which is switched off.
    assert not re.search(r'(?:src|href)="https?:', page.replace(plotly_script(), ""))
    bare = study_report(table, texts=False)
    assert "Question 1?" in page and "Question 1?" not in bare


def test_a_shipped_study_says_who_wrote_step_by_step() -> None:
    study = StudyMeasured(questions=100, measured=99, passages=5, views=(), writer="embedded-writer", dtype="float32")
    assert real_origin("HotpotQA", study) == (
        "HotpotQA, 99 of 100 held-out questions, 5 passages each; step-by-step answers by SmolLM2-135M writer, float32"
    )
    assert "all 100 held-out" in real_origin("HotpotQA", replace(study, measured=100))


def test_whether_an_answer_is_right_is_drawn_like_any_number(table: StudyTable) -> None:
    figure = distribution_figure(table, table.frame, "answer.right", LIGHT)
    assert sum(len(trace.x) for trace in figure.data) == 40 and "AUROC" not in figure.layout.title.text


def test_one_pair_has_no_interval_and_the_figure_says_so() -> None:
    pair = made_table(("k=1,3",), answer__right=[0, 1])
    found = differences(paired(Side(pair, 0), Side(pair, 1)))
    said = differences_figure(found, pair, LIGHT).layout.annotations[0].text
    assert len(found) == 1 and "1 shared question: too few" in said


def test_a_correlation_below_zero_is_not_drawn_as_zero() -> None:
    table = made_table(("seed=0,1",), seper__delta_soft=[0, 2, 1, 1, 2, 0])
    found = next(one for one in VIEWS if one.kind == "heat").measure(table)
    low = replace(found, marks=tuple(replace(one, value=-1.0) for one in found.marks)) if found.marks else None
    assert low is None or view_figure(low, LIGHT).data[0].zmin == -1.0


def test_answers_are_counted_in_whole_numbers(table: StudyTable) -> None:
    few = distribution_figure(table, table.frame.iloc[:4], "dense.entropy", LIGHT)
    assert few.layout.yaxis.dtick == 1
    assert distribution_figure(table, table.frame, "dense.entropy", LIGHT).layout.yaxis.dtick is None


def test_an_axis_that_needs_no_name_has_none() -> None:
    marks = (Mark(series="a", label="x", value=0.5, n=3),)
    view = Measured(name="made", title="Made", kind="bars", finding="", x_title="", y_title="Share", marks=marks)
    assert view_figure(view, LIGHT).layout.xaxis.title.text == ""


def test_a_report_says_when_the_study_was_begun_and_breaks_no_name_of_a_setting(table: StudyTable) -> None:
    begun = replace(table, study=replace(table.study, created_at="2026-11-08T07:05:09.123456+00:00"))
    page = study_report(begun)
    assert "begun 8 Nov 2026, 07:05 UTC." in page and "#settings td:first-child {white-space:nowrap;}" in page


def test_a_number_just_below_zero_is_written_without_a_sign() -> None:
    marks = tuple(Mark(series="a", label=label, value=value) for label, value in (("x", -0.004), ("y", -0.25)))
    view = Measured(name="made", title="Made", kind="heat", finding="", x_title="", y_title="", marks=marks)
    assert [list(row) for row in view_figure(replace(view, form=".2f"), LIGHT).data[0].text] == [["0.00", "−0.25"]]


def test_a_measured_zero_is_written_and_a_missing_cell_is_empty() -> None:
    marks = tuple(Mark(series="a", label=label, value=value) for label, value in (("x", 0.0), ("y", None)))
    view = Measured(name="made", title="Made", kind="heat", finding="", x_title="", y_title="", marks=marks)
    assert [list(row) for row in view_figure(view, LIGHT).data[0].text] == [["0%", ""]]


def test_two_studies_say_which_settings_differ(table: StudyTable) -> None:
    plan = table.study.plan
    other = replace(plan, request=replace(plan.request, k=1, seed=7))
    assert settings_apart(plan, plan) == "Both have the same settings."
    assert settings_apart(plan, other) == (
        "Settings that differ: Passages: A as the profile says, B 1; Seed: A 0, B 7."
    )


def test_the_settings_of_a_study_say_that_the_judge_may_call_an_answer_right(table: StudyTable) -> None:
    assert "the embedded judge decides" in shown_settings(table.study.plan)["Right"]
