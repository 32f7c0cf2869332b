"""The base rates of the uncertainty baselines are those that were measured, and stand beside this run's readings."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.methods.uncertainty import SetWord
from tests.viz import sample_uncertainty as samples
from viz.methods import uncertainty
from viz.methods.baseline_rates import BASELINE_RATES, BaselineRate, questions, rate_of

PROJECT = Path(__file__).parents[3]


def test_the_rates_are_those_of_the_results_file() -> None:
    text = (PROJECT / "benchmarks" / "results" / "uncertainty_base.json").read_text(encoding="utf-8")
    measured = json.loads(text)
    assert set(BASELINE_RATES) == set(measured["rates"])
    for word, rates in measured["rates"].items():
        for name, found in rates.items():
            counts = {key: found[key] for key in ("right", "right_uncertain", "wrong", "wrong_uncertain")}
            assert BASELINE_RATES[word][name] == BaselineRate(**counts)
    assert questions().endswith(str(measured["questions"]))


@pytest.mark.parametrize("word", ["closed_book", "with_passages"])
def test_the_results_file_counts_its_own_rows(word: SetWord) -> None:
    text = (PROJECT / "benchmarks" / "results" / "uncertainty_base.json").read_text(encoding="utf-8")
    rows = [
        row for row in json.loads(text)["rows"] if row["condition"] == word and "degree/probabilities" in row["values"]
    ]
    rate = BASELINE_RATES[word]["degree/probabilities"]
    assert (rate.right, rate.wrong) == (sum(row["right"] for row in rows), sum(not row["right"] for row in rows))
    assert rate.right_uncertain == sum(row["uncertain"]["degree/probabilities"] for row in rows if row["right"])


def test_a_rate_is_a_share_of_the_right_and_of_the_wrong_answers() -> None:
    rate = BaselineRate(right=4, right_uncertain=1, wrong=5, wrong_uncertain=3)
    assert (rate.of_right, rate.of_wrong) == (0.25, 0.6)


def test_a_reading_that_says_nothing_has_no_rate() -> None:
    result = samples.baselines()
    answers = result.sets[0]
    silent = [one for one in answers.readings if one.uncertain is None]
    assert silent and all(rate_of(answers, one) is None for one in silent)


def test_the_verdict_says_how_many_such_readings_speak_of_right_answers() -> None:
    result = samples.baselines()
    memory = replace(result, sets=(result.sets[1],))
    names = ("degree_entropy/decisions", "semantic_entropy/decisions")
    expected = sum(BASELINE_RATES["closed_book"][name].of_right for name in names)
    assert f"for a known right answer, {expected:.0f} on average" in uncertainty.verdict(memory).sentence


def test_where_one_reading_has_no_rate_nothing_is_said() -> None:
    result = samples.baselines()
    unknown = replace(result.sets[1], word="with_passages", readings=(samples.reading("degree", 0.3, 0.1, "none"),))
    assert uncertainty.right_answers(replace(result, sets=(unknown,))) == "."
