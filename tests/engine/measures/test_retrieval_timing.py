"""RIND, FLARE's doubt and query, predictive entropy: the released programs' numbers, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from engine.measures.retrieval_timing import confident_text, doubt, rind
from engine.measures.semantic_entropy import predictive_entropy

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "timing.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "name",
    [
        "dragin_rind_trigger_content",
        "dragin_rind_no_trigger",
        "dragin_rind_only_function_word_over",
        "dragin_rind_exact_threshold",
    ],
)
def test_released_rind_values_and_whether_a_sentence_fires(name: str) -> None:
    entry = REFERENCE[name]
    values = rind(entry["attention"], entry["entropy"])
    assert values.tolist() == pytest.approx(entry["value"], abs=1e-12)
    assert bool((values > entry["threshold"]).any()) is entry["fires"]


@pytest.mark.parametrize("name", ["flare_trigger", "flare_no_trigger", "flare_one_low_token_diluted"])
def test_released_doubt_of_a_sentence_and_its_query(name: str) -> None:
    entry = REFERENCE[name]
    value = doubt(entry["probabilities"])
    assert value == pytest.approx(entry["doubt"])
    assert (value > entry["threshold"]) is entry["fires"]
    if entry["query"] is not None:
        assert confident_text(entry["tokens"], entry["probabilities"], 1 - entry["threshold"]) == entry["query"]


def test_the_released_slice_into_the_next_sentence_is_a_bug_that_a_caller_with_one_sentence_does_not_have() -> None:
    entry = REFERENCE["flare_two_sentences_offbyone"]
    probabilities = entry["probabilities"]
    assert doubt(probabilities[:5]) == pytest.approx(0.168), "four sure tokens and the unsure one of the next sentence"
    assert entry["fires"] and doubt(probabilities[:5]) > entry["threshold"]
    assert doubt(probabilities[:4]) == pytest.approx(0.01)
    assert doubt(probabilities) == pytest.approx(entry["doubt_of_all"])
    assert confident_text(entry["tokens"][4:], probabilities[4:], 0.9) == "is D."


def test_rind_of_a_sentence_that_no_attention_reaches_is_nought() -> None:
    assert rind([0.0, 0.0], [1.0, 2.0]).tolist() == [0.0, 0.0]


def test_rind_is_the_entropy_where_attention_is_even() -> None:
    assert rind([0.3, 0.3], [1.0, 2.0]).tolist() == pytest.approx([1.0, 2.0])


@pytest.mark.parametrize(
    ("attention", "entropy", "words"),
    [([0.1], [1.0, 2.0], "one entropy per word"), ([-0.1], [1.0], "max_attention"), ([np.nan], [1.0], "NaN")],
)
def test_rind_refuses_what_is_no_attention(attention: list[float], entropy: list[float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        rind(attention, entropy)


def test_a_sentence_of_which_only_the_full_stop_is_sure_gives_no_query() -> None:
    assert confident_text(["Rome", "."], [0.1, 0.99], 0.4) == ""
    assert confident_text(["Rome", "."], [0.4, 0.3], 0.4) == "Rome", "β itself stays: below it is left out"


def test_words_that_did_not_stand_side_by_side_are_not_joined_and_half_words_go() -> None:
    # "Theia was published by in 1687.": John Wilkins was in doubt.
    tokens = ["The", "ia", " was", " published", " by", " John", " Wil", "kins", " in", " 1687", "."]
    unsure = [0.9, 0.9, 0.9, 0.9, 0.9, 0.2, 0.3, 0.9, 0.9, 0.9, 0.9]
    assert confident_text(tokens, unsure, 0.4, "…") == "Theia was published by … in 1687."
    assert confident_text(tokens[5:], unsure[5:], 0.4, "…") == "in 1687.", "nothing stands before a gap at the start"
    assert confident_text([" a", " b", "."], [0.9, 0.1, 0.9], 0.4, "…") == "a.", "nor a word behind one at the end"


def test_a_comma_after_a_sure_word_stays_where_it_stood() -> None:
    words = ["In", " Rome", ",", " Nero", " died", "."]
    assert confident_text(words, [1.0, 1.0, 1.0, 1.0, 0.1, 1.0], kept=0.5, gap="…") == "In Rome, Nero."


def test_probabilities_out_of_range_and_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="probabilities must be in"):
        doubt([1.2])
    with pytest.raises(ValueError, match="one probability per token"):
        confident_text(["a"], [0.1, 0.2], 0.5)


def test_predictive_entropy_is_minus_the_mean_log_probability_and_of_nothing_undefined() -> None:
    assert predictive_entropy([-0.5, -1.0, -1.5, -2.0]) == 1.25
    assert predictive_entropy([-np.inf, -1.0]) == np.inf
    with pytest.raises(ValueError, match="non-empty"):
        predictive_entropy([])
