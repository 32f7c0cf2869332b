"""ETC on a scripted answer: words, differences, triggers and queries worked by hand."""

import numpy as np
import pytest

from engine.core.errors import CapabilityError, ModelError
from engine.measures.attention_query import attention_query
from engine.methods.entropy_trend import EntropyTrendConfig, final_answer, named_word, run
from tests.engine.methods.scripted_case import backends, case
from viz.methods.entropy_trend import verdict

# Content words and their entropies: Quill 1, clockmaker 2, rebuilt 4, clock 3, Bremen 3.5; function words 9.
SPOKEN = [
    (" Lyra", -0.1, 0.0),
    (" Quill", -0.1, 1.0),
    (",", -0.1, 9.0),
    (" the", -0.1, 9.0),
    (" clock", -0.1, 0.5),
    ("maker", -0.1, 2.0),
    (",", -0.1, 9.0),
    (" rebuilt", -0.1, 4.0),
    (" the", -0.1, 9.0),
    (" clock", -0.1, 3.0),
    (" of", -0.1, 9.0),
    (" Bremen", -0.1, 3.5),
    (".", -0.1, 9.0),
]


def run_trend(spoken=SPOKEN, config: EntropyTrendConfig | None = None, **model):
    """Return ETC's result on a scripted answer."""
    backend = backends(lambda request: spoken, **model)
    return run(case(backend), config or EntropyTrendConfig(), backend)


def test_words_are_whole_and_carry_the_largest_entropy_of_their_tokens() -> None:
    result = run_trend()
    assert [word.text for word in result.words] == [
        "Lyra", "Quill", ",", "the", "clockmaker", ",", "rebuilt", "the", "clock", "of", "Bremen", ".",
    ]  # fmt: skip
    clockmaker = result.words[4]
    assert (clockmaker.entropy, clockmaker.first_token, clockmaker.last_token) == (2.0, 4, 5)
    text = result.generation.text
    assert all(text[word.start : word.end] == word.text for word in result.words)


def test_differences_are_taken_over_content_words_only() -> None:
    result = run_trend()
    assert [word.text for word in result.words if word.is_content] == [
        "Lyra", "Quill", "clockmaker", "rebuilt", "clock", "Bremen",
    ]  # fmt: skip
    # H = 0, 1, 2, 4, 3, 3.5 -> second differences 0, 1, -3, 1.5
    assert [point.second_difference for point in result.points] == pytest.approx([0.0, 1.0, -3.0, 1.5])
    assert [result.words[point.word].text for point in result.points] == ["clockmaker", "rebuilt", "clock", "Bremen"]
    assert [point.first_difference for point in result.points] == pytest.approx([1.0, 2.0, -1.0, 0.5])


def test_the_paper_fires_on_the_absolute_value_and_keeps_the_text_before_the_word() -> None:
    result = run_trend()
    expected = hand_smoothed([0.0, 1.0, -3.0, 1.5])
    assert [point.smoothed for point in result.points] == pytest.approx(expected)
    fired = [i for i, value in enumerate(expected) if abs(value) >= 1.0]
    assert [trigger.word for trigger in result.triggers] == [result.points[i].word for i in fired]
    assert all(result.generation.text.startswith(trigger.kept) for trigger in result.triggers)
    assert result.mode == "abs"


def hand_smoothed(values: list[float]) -> list[float]:
    """Return ETC's eq. 10-12 as a convex average, written out naively."""
    out = [values[0]]
    for t in range(1, len(values)):
        mean = sum(values[: t + 1]) / (t + 1)
        here, before = abs(values[t] - mean), abs(values[t - 1] - mean)
        weight = before / (here + before) if here + before else 1.0
        out.append(weight * values[t] + (1 - weight) * values[t - 1])
    return out


def test_the_released_code_weighs_by_attention_and_ignores_negative_values() -> None:
    result = run_trend(config=EntropyTrendConfig(variant="code", alpha=0.5))
    assert result.mode == "signed"
    assert all(trigger.value > 0.5 for trigger in result.triggers)
    assert all(point.value is not None for point in result.points)


def test_the_query_names_the_content_words_most_attended_to_before_the_trigger() -> None:
    def attend(generation):
        total = generation.prompt_tokens + len(generation.tokens)
        attention = np.zeros((len(generation.tokens), total))
        attention[:, generation.prompt_tokens] = 0.6  # " Lyra"
        attention[:, generation.prompt_tokens + 7] = 0.3  # " rebuilt"
        attention[:, generation.prompt_tokens + 2] = 0.1  # ","
        return attention

    result = run_trend(config=EntropyTrendConfig(query_words=2), attend=attend)
    assert result.words[8].query == "Lyra rebuilt"
    assert "Bremen" not in result.words[10].query


def test_fewer_than_three_content_words_are_not_measured() -> None:
    result = run_trend([(" Lyra", -0.1, 0.4), (" Quill", -0.1, 0.3)])
    assert result.points == ()
    assert result.triggers == ()
    assert "fewer than three content words" in result.not_measured


def test_an_empty_answer_is_not_measured() -> None:
    result = run_trend("")
    assert result.words == ()
    assert result.not_measured


def test_without_attention_the_paper_variant_runs_and_the_code_variant_says_why_not() -> None:
    result = run_trend(attentions=False)
    assert result.points
    assert result.words[4].max_attention is None
    with pytest.raises(CapabilityError, match="attention"):
        run_trend(config=EntropyTrendConfig(variant="code"), attentions=False)


def test_without_the_whole_distribution_there_is_no_entropy() -> None:
    with pytest.raises(CapabilityError, match="whole next-token distribution"):
        run_trend(full_distribution=False)


def test_the_final_answer_follows_the_conclusion() -> None:
    assert final_answer("A is B. So the answer is 5 December 1791.") == "5 December 1791"
    assert final_answer("A is B.") == ""


def test_half_an_emoji_belongs_to_the_word_it_completes() -> None:
    result = run_trend([(" a", 0.0, 0.1), (" ", 0.0, 0.1), ("", 0.0, 0.7), ("🌟", 0.0, 0.2), (" end", 0.0, 0.3)])
    assert [word.text for word in result.words] == ["a", "🌟", "end"]
    assert result.words[1].entropy == 0.7, "the largest of its tokens, the first half of the character included"


def test_released_query_vector_top_three_of_the_question_and_the_text() -> None:
    words = ["Who", "is", "the", "director", "of", "Persona", "film", "was", "directed", "by"]
    attention = [0.15, 0.0, 0.0, 0.3, 0.0, 0.25, 0.05, 0.0, 0.1, 0.15]
    content = [word in ("director", "Persona", "film", "directed") for word in words]
    assert attention_query(words, attention, content, top=3) == "director Persona directed"
    assert attention_query(words, attention, content, top=10) == "director Persona film directed"


def test_an_entropy_that_is_nan_is_a_sentence_of_the_model() -> None:
    backend = backends(lambda request: [("Rome", -0.1, 0.1), (" fell", -0.1, float("nan"))])
    with pytest.raises(ModelError, match="scripted gave NaN as the log-probability or entropy of ' fell'"):
        run(case(backend), EntropyTrendConfig(), backend)


def test_a_space_before_half_an_arabic_letter_belongs_to_the_word_with_its_entropy() -> None:
    spoken = [("القاهرة", -0.1, 0.3), (" ", -0.1, 2.0), ("", -0.1, 0.2), ("مدينة", -0.1, 0.1), (".", -0.1, 0.1)]
    result = run_trend(spoken)
    assert [(word.text, word.entropy) for word in result.words] == [("القاهرة", 0.3), ("مدينة", 2.0), (".", 0.1)]
    assert [result.generation.text[word.start : word.end] for word in result.words] == ["القاهرة", "مدينة", "."]


def test_a_space_of_its_own_is_no_word_as_in_the_released_code() -> None:
    result = run_trend([("Rome", -0.1, 0.3), (" ", -0.1, 2.0), ("fell", -0.1, 0.1)])
    assert [(word.text, word.entropy) for word in result.words] == [("Rome", 0.3), ("fell", 0.1)]


def test_equal_entropies_are_no_trend_to_the_released_code_and_a_flat_one_to_the_paper() -> None:
    flat = [(" Lyra", -0.1, 0.5), (" Quill", -0.1, 0.5), (" rebuilt", -0.1, 0.5), (" clocks", -0.1, 0.5)]
    code = run_trend(flat, EntropyTrendConfig(variant="code"))
    assert code.points == ()
    assert "as uncertain as the one before" in code.not_measured
    paper = run_trend(flat)
    assert [point.second_difference for point in paper.points] == [0.0, 0.0]
    assert paper.not_measured == ""


def test_a_word_that_begins_a_number_is_called_by_the_whole_number() -> None:
    spoken = [
        (" Lyra", -0.1, 0.0),
        (" saw", -0.1, 1.0),
        *((one, -0.1, 4.0) for one in (" 1", ",", "230", " bells", ".")),
    ]
    result = run_trend(spoken)
    assert [word.text for word in result.words] == ["Lyra", "saw", "1", ",", "230", "bells", "."]
    assert [named_word(result, place) for place in (1, 2, 4, 5)] == ["saw", "1,230", "230", "bells"]
    assert verdict(result).word == "look it up before “1,230”"
