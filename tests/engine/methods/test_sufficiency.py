"""Sufficiency on a scripted model: shares worked by hand from the log-probabilities it gives."""

from math import log

import pytest

from engine.backends.text import load_text_tools
from engine.core.errors import ModelError, NotMeasured
from engine.core.records import Prompt
from engine.measures.sufficiency import sufficiency_score, yes_share
from engine.methods.sufficiency import SufficiencyConfig, SufficiencyResult, content_words, run
from tests.engine.methods.scripted_case import PASSAGES, backends, case


def asked(weights: tuple[float, ...], config: SufficiencyConfig | None = None) -> SufficiencyResult:
    """Return the result of a model that says yes, Yes, no, No with these weights where Lyra Quill rebuilt something."""

    def labels(prompt: Prompt, words: tuple[str, ...]) -> list[float]:
        assert tuple(words) == ("yes", "Yes", "no", "No")
        return [log(one) for one in (weights if "rebuilt it" in prompt.text else (0.1, 0.1, 0.5, 0.3))]

    backend = backends(lambda request: "Lyra Quill", labels=labels, rules=True)
    return run(case(backend), config or SufficiencyConfig(threshold=0.5), backend)


def test_both_letter_cases_count() -> None:
    assert yes_share([log(0.3), log(0.3)], [log(0.3), log(0.1)]) == pytest.approx(0.6, abs=1e-12)
    assert sufficiency_score([0.1, 0.7], 0.4) == 0.7


def test_the_likeliest_yes_over_each_passage_and_over_all_decides() -> None:
    result = asked((0.3, 0.3, 0.3, 0.1))
    assert result.alone == pytest.approx((0.6, 0.2, 0.2), abs=1e-12)
    assert (result.all_together, result.score) == pytest.approx((0.6, 0.6), abs=1e-12)
    assert (result.nearest, result.sufficient, result.trained) == (0, True, False)
    assert asked((0.3, 0.3, 0.3, 0.1), SufficiencyConfig(threshold=0.7)).sufficient is False


def test_the_words_of_the_question_that_stand_in_a_passage_are_its_evidence() -> None:
    result = asked((0.3, 0.3, 0.3, 0.1))
    assert result.words == ("rebuilt", "Vesper", "Clock")
    assert [one.words for one in result.passages] == [("rebuilt", "Vesper", "Clock"), (), ()]


def test_a_sign_that_the_parser_takes_for_a_name_is_no_word_of_the_question() -> None:
    words = content_words("¿Quién escribió El origen de las especies?", load_text_tools())
    assert "¿" not in words and "especies" in words


def test_without_passages_or_with_nan_nothing_is_measured() -> None:
    backend = backends(lambda request: "Lyra Quill", labels=lambda prompt, words: [float("nan")] * 4)
    with pytest.raises(NotMeasured):
        run(case(backend, passages=()), SufficiencyConfig(), backend)
    with pytest.raises(ModelError):
        run(case(backend, passages=PASSAGES[:1]), SufficiencyConfig(), backend)


def test_words_without_any_probability_leave_no_share_to_measure() -> None:
    backend = backends(lambda request: "Lyra Quill", labels=lambda prompt, words: [float("-inf")] * 4)
    with pytest.raises(NotMeasured):
        run(case(backend), SufficiencyConfig(), backend)
    lone = backends(lambda request: "Lyra Quill", labels=lambda prompt, words: [-1.0, *[float("-inf")] * 3])
    assert run(case(lone), SufficiencyConfig(), lone).score == 1.0
