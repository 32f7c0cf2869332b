"""The figures of labelling say their finding, draw every interval, and say why where there is nothing to draw."""

from dataclasses import replace

import pytest

from engine.annotations.agreement import Estimate, agreement, not_measured
from engine.annotations.results import MethodScore, TimingRow, TriggerPlace
from engine.core.records import Interval
from tests.engine.annotations.test_agreement import judged
from viz.annotating.annotations import (
    agreement_figure,
    agreement_sentence,
    agreement_table,
    field_name,
    methods_figure,
    methods_sentence,
    methods_table,
    methods_title,
    number_words,
    table_six_figure,
    table_six_sentence,
    table_six_table,
    triggers_figure,
    triggers_sentence,
    triggers_table,
)
from viz.parts.theme import DARK, LIGHT, Theme

HOSTILE = '<script>alert("x")</script>'


def estimate(value: float, n: int = 10) -> Estimate:
    """Return a number a tenth wide on each side."""
    return Estimate(value=value, interval=Interval(low=value - 0.1, high=value + 0.1), n=n)


def row(policy: str, delayed: Estimate, after: Estimate) -> TimingRow:
    """Return a line of Table 6 with nothing missing to see."""
    return TimingRow(
        policy=policy,
        retrievals=delayed.n,
        delayed=delayed,
        redundant_without=estimate(0.4),
        redundant_gain=estimate(0.8),
        missing=not_measured("No answer without a retrieval was labelled."),
        delay=estimate(5.5, 4),
        after_etc=after,
    )


ROWS = (
    row("entropy_trend", estimate(0.25, 8), Estimate(value=0.0, interval=None, n=1)),
    row("dragin", estimate(0.5, 6), estimate(3.5, 2)),
    row("flare", not_measured("No retrieval of it has been labelled."), not_measured("No question.")),
)
SCORES = (
    MethodScore(
        method="answer_match", kind="correctness", field="correct", value="wrong", n=10, precision=estimate(0.6),
        recall=not_measured("People never say wrong."), kappa=estimate(-0.2),
    ),
    MethodScore(
        method="dense", kind="chunk", field="chunk", value="certain", n=12, precision=estimate(0.7),
        recall=estimate(0.8), kappa=estimate(0.5),
    ),
)  # fmt: skip
PLACES = tuple(
    TriggerPlace(policy=policy, item=f"{policy}{token}", token=token, tokens=30, timing=timing)
    for policy, token, timing in (
        ("entropy_trend", 2, "timely"),
        ("dragin", 10, "delayed"),
        ("dragin", 10, "delayed"),
        ("dragin", 16, ""),
    )
)
themes = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


@themes
def test_table_six_names_who_is_delayed_least_and_most(theme: Theme) -> None:
    figure = table_six_figure(ROWS, theme)
    assert "25 % of 8" in figure.layout.title.text and "50 % of 6" in figure.layout.title.text
    assert [trace.name.split(":")[0] for trace in figure.data][:3] == ["delayed", "redundant", "redundant"]
    assert list(figure.data[0].x) == [0.25, 0.5]
    assert list(figure.data[0].error_x.array) == pytest.approx([0.1, 0.1])
    assert "Share of retrievals" in figure.layout.xaxis.title.text


def test_table_six_calls_equal_only_those_that_are() -> None:
    nothing = Estimate(value=0.0, interval=None, n=1)
    alike = tuple(row(name, estimate(0.0, number), nothing) for name, number in (("flare", 5), ("quco_rag", 7)))
    few = row("entropy_trend", estimate(1 / 3, 3), nothing)
    assert table_six_figure(alike, LIGHT).layout.title.text == "All delayed equally: 0 %"
    assert table_six_figure((few, *alike), LIGHT).layout.title.text == "All with 5 labels or more delayed equally: 0 %"


def test_the_papers_own_numbers_stand_beside_ours() -> None:
    crosses = table_six_figure(ROWS, LIGHT).data[3]
    assert list(crosses.x) == [0.22, 0.79, 0.33, 0.95]
    table = table_six_table(ROWS)
    assert list(table["paper: delayed, redundant"]) == ["0.22, 0.79", "0.33, 0.95", "—"]


def test_the_text_twin_says_what_was_not_measured_and_why() -> None:
    table = table_six_table(ROWS)
    assert table["delayed"][2].startswith("not measured: ")
    assert table["delayed"][0] == "0.25 (0.15 to 0.35), n = 8"
    assert table["tokens after the first wrong one"][1] == "5.5 (5.4 to 5.6), n = 4"
    sentence = table_six_sentence(ROWS)
    assert all(part in sentence for part in ("ETC 25 % of 8", "DRAGIN 50 % of 6", "DRAGIN +3.5"))


@themes
def test_without_labels_every_figure_is_a_sentence(theme: Theme) -> None:
    figures = (
        table_six_figure((), theme),
        agreement_figure((), theme),
        methods_figure((), theme),
        triggers_figure((), theme),
    )
    assert all(not figure.data and len(figure.layout.annotations) == 1 for figure in figures)


def test_what_people_labelled_is_named_in_one_phrase() -> None:
    kinds = (("retrieval", "without"), ("retrieval", "gain"), ("answer", "missing"), ("edge", "entailment"))
    named = [field_name(replace(SCORES[0], kind=kind, field=field)) for kind, field in kinds]
    assert named[:2] == ["the answer without retrievals", "gain from retrievals"]
    assert named[2:] == ["missing retrievals of whole answers", "entailment of pairs"]


@themes
def test_agreement_is_drawn_with_its_interval_and_told_per_pair(theme: Theme) -> None:
    rows = agreement(*judged(20, 5, 10, 15))
    figure = agreement_figure(rows, theme)
    assert "α 0.40 over 50 items" in figure.layout.title.text
    assert figure.data[0].error_x.array[0] > 0.05
    assert figure.layout.xaxis.range[0] < 0
    table = agreement_table(rows)
    assert table["Cohen's κ"][0].startswith("A & B: 0.40 (")
    assert table["say the same"][0] == "A & B: 70 % of 50"
    assert "answers 0.40 (" in agreement_sentence(rows)


def test_people_who_always_say_the_same_are_told_apart_from_no_labels() -> None:
    rows = agreement(*judged(5, 0, 0, 0))
    assert "correctness" in agreement_sentence(rows) and agreement_sentence(rows) != agreement_sentence(())
    assert agreement_table(rows)["Krippendorff's α"][0].startswith("not measured")
    assert "People always agreed" in str(agreement_figure(rows, LIGHT).to_json())
    assert "Nothing to measure yet" in str(agreement_figure((), LIGHT).to_json())


@themes
def test_methods_are_drawn_beside_each_other_and_the_closest_is_named(theme: Theme) -> None:
    figure = methods_figure(SCORES, theme)
    assert "DENSE" in figure.layout.title.text and "κ 0.50, n = 12" in figure.layout.title.text
    assert [len(trace.x) for trace in figure.data] == [2, 1, 2]
    kappa = figure.data[2]
    assert [(one.y0 + one.y1) / 2 for one in figure.layout.shapes] == pytest.approx(list(kappa.y)), "chance for κ alone"
    assert methods_table(SCORES)["recall"][0].startswith("not measured: ")
    assert "0.50 (n = 12)" in methods_sentence(SCORES) and "−0.20 (n = 10)" in methods_sentence(SCORES)


def test_a_method_compared_on_fewer_items_is_not_called_the_closest() -> None:
    measured = next(one for one in SCORES if one.kappa.value == 0.5)
    lucky = replace(measured, method="seper", n=3, kappa=estimate(1.0))
    title = methods_title([lucky, measured])
    assert "DENSE" in title and "κ 0.50, n = 12" in title and "SePer" not in title
    assert title.endswith("fewer items: 1") and "fewer" not in methods_title([measured])


@themes
def test_marks_grow_with_the_number_of_retrievals_at_one_place(theme: Theme) -> None:
    figure = triggers_figure(PLACES, theme)
    assert "ETC" in figure.layout.title.text and "DRAGIN after 12.0" in figure.layout.title.text
    delayed = next(trace for trace in figure.data if trace.name == "delayed")
    assert (list(delayed.x), list(delayed.marker.size)) == ([10], pytest.approx([10 * 2**0.5]))
    for part in ("ETC after 2.0 tokens (1 retrieval)", "DRAGIN after 12.0 tokens (3 retrievals)"):
        assert part in triggers_sentence(PLACES)
    assert list(triggers_table(PLACES)["timing"]) == ["timely", "delayed", "delayed", "not settled"]


def test_a_policy_with_a_hostile_name_is_drawn_as_text() -> None:
    figure = table_six_figure([row(HOSTILE, estimate(0.5), estimate(1.0))], LIGHT)
    assert "<script>" not in "".join(figure.layout.yaxis.ticktext)
    assert "<script>" not in figure.layout.title.text
    places = [TriggerPlace(policy=HOSTILE, item="i", token=1, tokens=3, timing="timely")]
    drawn = triggers_figure(places, LIGHT)
    assert "<script>" not in drawn.layout.title.text + "".join(drawn.data[0].hovertext)


def test_negative_numbers_carry_a_true_minus() -> None:
    one = Estimate(value=-0.25, interval=Interval(low=-0.5, high=0.1), n=4)
    assert number_words(one) == "−0.25 (−0.50 to 0.10), n = 4"
