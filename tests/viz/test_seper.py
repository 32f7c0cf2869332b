"""SePer drawn: numbers worked by hand in sample_results."""

from dataclasses import replace

import plotly.graph_objects as go
import pytest

from engine.records import Interval
from tests.viz import sample_results as samples
from viz import seper
from viz.theme import DARK, LIGHT

EVERY_RESULT = (
    samples.seper_helped,
    samples.seper_hurt,
    samples.seper_noise,
    samples.seper_no_gold,
    samples.seper_hostile,
)


def bars(figure: go.Figure) -> list[go.Bar]:
    """Return the two bar traces: without passages, with passages."""
    return [trace for trace in figure.data if isinstance(trace, go.Bar)]


def test_an_interval_above_zero_reads_as_helped() -> None:
    verdict = seper.verdict(samples.seper_helped())
    assert (verdict.word, verdict.tone) == ("helped", "good")
    assert verdict.sentence == (
        "Reading the passages moved belief towards the right answer: SePer 0.21 without, 0.70 with passages, "
        "ΔSePer +0.49 (95% interval 0.18 to 0.76). Counting whole meanings (hard): 0.20 without, 0.70 with, Δ +0.50."
    )


def test_an_interval_below_zero_reads_as_hurt() -> None:
    verdict = seper.verdict(samples.seper_hurt())
    assert (verdict.word, verdict.tone) == ("hurt", "bad")
    assert "ΔSePer −0.49 (95% interval −0.76 to −0.18)" in verdict.sentence


@pytest.mark.parametrize("interval", [Interval(low=-0.25, high=0.43), Interval(low=0.0, high=0.4), None])
def test_an_interval_that_touches_zero_or_is_missing_is_no_clear_change(interval: Interval | None) -> None:
    verdict = seper.verdict(replace(samples.seper_noise(), delta_soft_interval=interval))
    assert verdict.word == "no clear change"
    assert "cannot be told apart from noise" in verdict.sentence


def test_without_gold_answers_the_verdict_asks_for_one_and_the_beliefs_are_still_told() -> None:
    verdict = seper.verdict(samples.seper_no_gold())
    assert (verdict.word, verdict.tone) == ("needs a reference answer", "unknown")
    assert "“1887” (40%) without passages and “31 March 1889” (70%) with them" in verdict.sentence


def test_meanings_of_both_conditions_are_one_row_when_only_case_articles_or_punctuation_differ() -> None:
    before = samples.belief((("the Tower!", 1, False), ("1887", 3, False)), {}, 0.0, None)
    after = samples.belief((("Tower", 2, True), ("1887", 2, False)), {}, 0.5, None)
    rows = seper.belief_rows(samples.seper_result(before, after, 0.5, None))
    assert [(row.text, row.without, row.with_passages, row.matches_gold) for row in rows] == [
        ("1887", 0.75, 0.5, False),
        ("the Tower!", 0.25, 0.5, True),
    ]


def test_beyond_eight_meanings_the_smallest_are_one_row_and_no_probability_is_lost() -> None:
    rows = seper.belief_rows(samples.seper_hostile())
    assert len(rows) == 9
    assert (rows[-1].text, rows[-1].meanings) == ("other", 3)
    assert sum(row.without for row in rows) == pytest.approx(1)
    assert sum(row.with_passages for row in rows) == pytest.approx(1)


def test_a_gold_meaning_is_never_merged_into_other() -> None:
    groups = (*((f"18{number}", 2, False) for number in range(10, 19)), ("31 March 1889", 1, True))
    after = samples.belief(groups, samples.GOLD_KERNEL, 0.05, None)
    rows = seper.belief_rows(samples.seper_result(after, after, 0.0, None))
    assert [row.text for row in rows if row.matches_gold] == ["31 March 1889"]
    assert rows[-1].text == "other"


def test_the_bars_are_the_probabilities_in_both_conditions_with_gold_in_gold_and_a_star() -> None:
    figure = seper.belief_bars(samples.seper_helped(), LIGHT)
    without, after = bars(figure)
    assert list(without.x)[:2] == pytest.approx([0.2, 0.4])
    assert list(after.x)[:2] == pytest.approx([0.7, 0.1])
    assert after.marker.color[0] == LIGHT.gold
    assert after.marker.color[1] == LIGHT.model
    assert "★ 31 March 1889" in figure.layout.yaxis.ticktext[0]
    assert figure.layout.title.text == "Probability of the right meaning: 20% before reading, 70% after"
    assert tuple(figure.layout.xaxis.range) == (0, 1.06)


def test_the_legend_speaks_of_gold_only_where_there_is_a_gold_meaning() -> None:
    golden = [trace.name for trace in seper.belief_bars(samples.seper_helped(), DARK).data if trace.showlegend is None]
    plain = [trace.name for trace in seper.belief_bars(samples.seper_no_gold(), DARK).data if trace.showlegend is None]
    assert golden == ["without passages", "with passages", "★ means the same as a gold answer"]
    assert plain == ["without passages", "with passages"]


def test_the_move_is_drawn_from_without_to_with_and_labelled_with_its_delta() -> None:
    figure = seper.delta_figure(samples.seper_helped(), LIGHT)
    assert figure.layout.title.text == "Reading raised belief in the right answer: +0.49 (0.18 to 0.76)"
    arrows = [note for note in figure.layout.annotations if note.ax is not None]
    assert (arrows[0].ax, arrows[0].x) == (0.21, 0.70)
    assert arrows[0].arrowcolor == LIGHT.good
    assert [note.text for note in figure.layout.annotations if note.text] == ["<b>Δ +0.49</b>", "<b>Δ +0.50</b>"]


def test_the_intervals_of_both_conditions_are_drawn_at_their_ends() -> None:
    figure = seper.delta_figure(samples.seper_helped(), LIGHT)
    spans = [trace for trace in figure.data if trace.error_x.array is not None]
    assert list(spans[0].error_x.array) == pytest.approx([0.26, 0.27])
    assert list(spans[0].error_x.arrayminus) == pytest.approx([0.18, 0.17])


def test_without_gold_the_move_is_a_sentence_and_not_a_zero() -> None:
    figure = seper.delta_figure(samples.seper_no_gold(), LIGHT)
    assert len(figure.data) == 0
    assert "needs a reference answer" in figure.layout.annotations[0].text


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("make", EVERY_RESULT)
def test_every_figure_is_drawn_for_every_result_on_a_transparent_ground(make, theme) -> None:  # type: ignore[no-untyped-def]
    result = make()
    for figure in (seper.belief_bars(result, theme), seper.delta_figure(result, theme)):
        assert figure.layout.paper_bgcolor == "rgba(0,0,0,0)"
        assert figure.layout.title.text
        assert "<script" not in str(figure.to_dict())


def test_the_samples_table_has_a_row_per_sample_with_its_meaning_weight_and_best_entailment() -> None:
    table = seper.samples_table(samples.seper_helped())
    assert len(table) == 20
    assert table["condition"].value_counts().to_dict() == {"without passages": 10, "with passages": 10}
    row = table.iloc[4]
    assert (row["text"], row["sample"], row["meaning"]) == ("31 March 1889", 5, "2: 31 March 1889")
    assert row["weight"] == pytest.approx(0.1)
    assert row["mean log-prob (nats)"] == pytest.approx(-0.3)
    assert row["entailment with best gold"] == pytest.approx(0.99)
    assert bool(row["matches gold"]) is True


def test_the_samples_table_leaves_gold_columns_missing_without_a_gold_answer() -> None:
    table = seper.samples_table(samples.seper_no_gold())
    assert table["matches gold"].isna().all()
    assert table["entailment with best gold"].isna().all()


def test_samples_come_in_the_order_of_their_table() -> None:
    result = samples.seper_helped()
    names = [name for name, _ in seper.samples_in_order(result)]
    assert (names[0], names[10]) == ("sample 1 without passages", "sample 1 with passages")
    shown = [sample.text for _, sample in seper.samples_in_order(result)]
    assert shown == seper.samples_table(result)["text"].tolist()


def test_the_formula_holds_this_runs_values() -> None:
    assert seper.delta_latex(samples.seper_helped()).endswith("0.7000 - 0.2100 = +0.4900")
    assert seper.delta_latex(samples.seper_no_gold()) == ""
