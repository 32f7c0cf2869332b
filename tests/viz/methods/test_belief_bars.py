"""Beliefs as bars: numbers worked by hand in sample_results."""

from dataclasses import replace

import plotly.graph_objects as go
import pytest

from engine.core.records import Interval
from tests.viz import sample_results as samples
from tests.viz.numbers_in_text import numbers_in
from viz.methods.belief_bars import BeliefRow, bars_title, belief_bars, belief_rows, cut_inside
from viz.methods.seper import belief_sentence
from viz.parts.theme import DARK, LIGHT


def bars(figure: go.Figure) -> list[go.Bar]:
    """Return the two bar traces: without passages, with passages."""
    return [trace for trace in figure.data if isinstance(trace, go.Bar)]


def test_meanings_of_both_conditions_are_one_row_when_only_case_articles_or_punctuation_differ() -> None:
    before = samples.belief((("the Tower!", 1, True), ("1887", 3, False)), {}, 0.25, None)
    after = samples.belief((("Tower", 2, True), ("1887", 2, False)), {}, 0.5, None)
    rows = belief_rows(samples.seper_result(before, after, 0.25, None))
    assert [(row.text, row.without, row.with_passages, row.matches_gold) for row in rows] == [
        ("1887", 0.75, 0.5, False),
        ("the Tower!", 0.25, 0.5, True),
    ]


@pytest.mark.parametrize(("wrong", "right"), [("15", "1.5"), ("C", "C++"), ("Tower", "the tower")])
def test_a_right_and_a_wrong_meaning_are_two_rows_so_the_bars_move_as_the_change_of_belief_says(
    wrong: str, right: str
) -> None:
    before = samples.belief(((wrong, 10, False),), {}, 0.0, None)
    after = samples.belief(((right, 10, True),), {}, 1.0, None)
    rows = belief_rows(samples.seper_result(before, after, 1.0, None))
    assert [(row.text, row.without, row.with_passages, row.matches_gold) for row in rows] == [
        (wrong, 1.0, 0.0, False),
        (right, 0.0, 1.0, True),
    ]


def test_beyond_eight_meanings_the_smallest_are_one_row_and_no_probability_is_lost() -> None:
    rows = belief_rows(samples.seper_hostile())
    assert len(rows) == 9
    assert (rows[-1].text, rows[-1].meanings) == ("other", 3)
    assert sum(row.without for row in rows) == pytest.approx(1)
    assert sum(row.with_passages for row in rows) == pytest.approx(1)


def test_the_small_figure_names_the_strongest_belief_before_and_the_strongest_after() -> None:
    before = samples.belief((("1921", 52, False), ("1912", 42, False), ("1911", 6, True)), {}, 0.06, None)
    after = samples.belief((("1901", 46, False), ("1903", 33, False), ("1906", 21, False)), {}, 0.0, None)
    small = belief_bars(samples.seper_result(before, after, -0.06, None), LIGHT, compact=True)
    assert [label.replace("<br>", " ") for label in small.layout.yaxis.ticktext] == [
        *("1921", "1901"),
        f'<b><span style="color:{LIGHT.gold}">★ 1911</span></b>',
        "other (3 meanings)",
    ]


def test_meanings_that_two_decimals_show_as_nothing_are_one_row_but_one_alone_keeps_its_own() -> None:
    groups = (("Kyoto", 996, False), ("Nara", 2, False), ("Edo", 2, False))
    sure = samples.belief(groups, {}, 0.0, None)
    rows = belief_rows(samples.seper_result(sure, sure, 0.0, None))
    assert [(row.text, row.meanings) for row in rows] == [("Kyoto", 1), ("other", 2)]
    assert sum(row.without for row in rows) == pytest.approx(1)
    alone = samples.belief((("Kyoto", 998, False), ("Nara", 2, False)), {}, 0.0, None)
    rows = belief_rows(samples.seper_result(alone, alone, 0.0, None))
    assert [row.text for row in rows] == ["Kyoto", "Nara"]


def test_a_ninth_meaning_is_named_and_not_called_other() -> None:
    nine = samples.belief(tuple((f"18{number}", 10 - number % 10, False) for number in range(10, 19)), {}, 0.0, None)
    rows = belief_rows(samples.seper_result(nine, nine, 0.0, None))
    assert [row.text for row in rows] == [f"18{number}" for number in range(10, 19)]


def test_a_gold_meaning_is_never_merged_into_other() -> None:
    groups = (*((f"18{number}", 2, False) for number in range(10, 19)), ("31 March 1889", 1, True))
    after = samples.belief(groups, samples.GOLD_KERNEL, 0.05, None)
    rows = belief_rows(samples.seper_result(after, after, 0.0, None))
    assert [row.text for row in rows if row.matches_gold] == ["31 March 1889"]
    assert rows[-1].text == "other"


def test_the_bars_are_the_probabilities_in_both_conditions_with_gold_in_gold_and_a_star() -> None:
    figure = belief_bars(samples.seper_helped(), LIGHT)
    without, after = bars(figure)
    assert list(without.x)[:2] == pytest.approx([0.2, 0.4])
    assert list(after.x)[:2] == pytest.approx([0.7, 0.1])
    assert after.marker.color[0] == LIGHT.gold
    assert after.marker.color[1] == LIGHT.model
    assert "★ 31 March 1889" in figure.layout.yaxis.ticktext[0]
    assert numbers_in(figure.layout.title.text) == ["20", "70"]
    assert tuple(figure.layout.xaxis.range) == (0, 1.06)


def test_the_legend_speaks_of_gold_only_where_there_is_a_gold_meaning() -> None:
    golden = [trace.name for trace in belief_bars(samples.seper_helped(), DARK).data if trace.showlegend is None]
    plain = [trace.name for trace in belief_bars(samples.seper_no_gold(), DARK).data if trace.showlegend is None]
    assert golden[:2] == plain and len(golden) == 3
    assert plain == ["without passages", "with passages"]


def test_long_meanings_that_begin_alike_keep_what_tells_them_apart() -> None:
    names = [f"It was Mara Vesper of Emden, clockmaker to the Upper Harbour Guild, in {year}" for year in (1702, 1707)]
    cut = [cut_inside(name, 64) for name in names]
    assert cut[0] != cut[1]
    assert [text[-4:] for text in cut] == ["1702", "1707"]
    assert max(map(len, cut)) <= 64


def test_a_meaning_is_named_by_what_most_of_its_belief_says_and_not_by_an_odd_first_draw() -> None:
    result = samples.seper_helped()
    after = result.with_passages
    place, right = next((place, one) for place, one in enumerate(after.meanings) if one.matches_gold)
    odd = tuple(replace(one, text="18:89|,") if n == right.members[0] else one for n, one in enumerate(after.samples))
    meanings = tuple(replace(one, text="18:89|,") if n == place else one for n, one in enumerate(after.meanings))
    renamed = replace(result, with_passages=replace(after, samples=odd, meanings=meanings))
    assert renamed.with_passages.named[place].text == right.text
    assert belief_rows(renamed) == belief_rows(result), "before and after stay one pair of bars"
    assert "18:89" not in belief_sentence(renamed)


def test_a_meaning_with_nearly_all_the_belief_does_not_have_all_of_it() -> None:
    result = samples.seper_no_gold()
    rows = [BeliefRow(text="Selm", without=0.004, with_passages=0.996, matches_gold=False)]
    assert bars_title(result, rows) == "Strongest belief after reading: “Selm” (under 1% → over 99%)"


def test_the_hatch_names_its_ground_itself() -> None:
    bars = [trace for trace in belief_bars(samples.seper_helped(), LIGHT).data if trace.type == "bar"]
    assert [bar.marker.pattern.bgcolor for bar in bars] == ["rgba(0,0,0,0)"] * 2


def test_the_title_says_where_the_change_is_within_noise() -> None:
    titles = [bars_title(result, belief_rows(result)) for result in (samples.seper_helped(), samples.seper_noise())]
    assert [numbers_in(title) for title in titles] == [["20", "70"], ["20", "30"]]
    assert ["noise" in title for title in titles] == [False, True]
    tiny = samples.seper_noise()
    tiny = replace(tiny, delta_hard=0.08, delta_hard_interval=Interval(low=0.02, high=0.14))
    assert bars_title(tiny, belief_rows(tiny)) == "Meanings judged right: 20% before, 30% after, hardly changed"


def test_the_title_tells_the_soft_change_where_hard_noise_would_contradict_the_verdict() -> None:
    up = samples.seper_helped()
    wide = replace(up, delta_hard_interval=Interval(low=-0.1, high=0.9))
    assert bars_title(wide, belief_rows(wide)).endswith("70% after, within noise; soft belief rose beyond it")
    flat = replace(up, delta_soft=0.3, delta_soft_interval=Interval(low=-0.2, high=0.6))
    assert bars_title(flat, belief_rows(flat)).endswith("70% after; soft belief within noise")
    apart = replace(up, delta_soft=-0.2, delta_soft_interval=Interval(low=-0.4, high=0.1))
    assert bars_title(apart, belief_rows(apart)).endswith("70% after; soft and hard disagree")


def test_no_sample_is_called_wrong_whose_words_are_a_correct_answer() -> None:
    rows = [BeliefRow(text="Selm", without=0.2, with_passages=0.8, matches_gold=False)]
    result = replace(samples.seper_helped(), golds=("Selm",))
    assert bars_title(result, rows) == "Right by its words, not by the judge: “Selm”"
    assert bars_title(replace(result, golds=("Karst",)), rows) == "No sampled answer is right"


def test_without_a_correct_answer_the_strongest_belief_is_one_meaning_and_not_the_rest_together() -> None:
    before = samples.belief((("City 0", 1, None), *((f"Town {at}", 1, None) for at in range(9))), {}, None, None)
    after = samples.belief((("City 0", 2, None), *((f"Place {at}", 1, None) for at in range(8))), {}, None, None)
    result = replace(samples.seper_result(before, after, None, None), golds=())
    rows = belief_rows(result)
    assert max(rows, key=lambda row: row.with_passages).meanings > 1
    assert "City 0" in bars_title(result, rows)
