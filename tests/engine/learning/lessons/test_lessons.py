"""Every lesson on the run it shows: enough steps and predictions, sums that agree with the measures, no loose end."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.diagnosis.record import Diagnosis
from engine.learning.lessons import (
    LESSONS,
    belief,
    cooccurrence,
    delayed_redundant,
    entailment_graph,
    facts,
    low_entropy,
    necessary_chunk,
    second_difference,
    semantic_equivalence,
    when_not,
)
from engine.learning.lessons.base import Lesson, Step, checked, chosen_runs, fingerprint
from engine.learning.lessons.script import FOLDER
from engine.measures.entropy_trend import second_differences, smooth, smoothing_weights
from engine.measures.response_graph import chunk_labels, degree_entropy
from engine.measures.semantic_entropy import retrieval_need, semantic_entropy
from engine.measures.semantic_perplexity import sample_weights, seper_soft
from engine.methods.quco_rag import window_words
from engine.runs.sample_runs import recorded_ids, recorded_run
from tests.viz.sample_trend_results import five_words_result, sample_quco_result
from viz.learning.lessons import shown_exhibits
from viz.parts.theme import DARK, LIGHT

TOPICS = 9
PLACEHOLDER = re.compile(r"{{[^}]*}}|{%[^%]*%}|^(?:papers|tolerance|- value): .*$", re.MULTILINE)
# "0.38 × (+2.73) + 0.62 × (+0.02) = +1.05": what a reader can add up, and what is said to come out.
SUM = re.compile(r"(?:^|= |: )([-−+\d., ()×/]*\d[)]*) = ([−+]?\d+(?:\.\d+)?)")
ROOT = Path(__file__).resolve().parents[4]


def runs_of(lesson: Lesson) -> tuple[Diagnosis, ...]:
    """Return the recorded runs a lesson shows."""
    return tuple(recorded_run(run_id) for run_id in chosen_runs(lesson, recorded_run, recorded_ids()))


def steps_of(word: str) -> tuple[Step, ...]:
    """Return the steps of a lesson."""
    return LESSONS[word].build(*runs_of(LESSONS[word]))


def every_fit(word: str) -> list[tuple[str, ...]]:
    """Return every choice of recorded runs that fits a lesson, one part varied at a time."""
    lesson = LESSONS[word]
    shown = chosen_runs(lesson, recorded_run, recorded_ids())
    found = set()
    for place, part in enumerate(lesson.parts):
        fitting = [run_id for run_id in recorded_ids() if part.fits(recorded_run(run_id))]
        found |= {(*shown[:place], run_id, *shown[place + 1 :]) for run_id in fitting}
    return sorted(found)


def value_at(word: str, number: int) -> float:
    """Return the value a step of a lesson asks for."""
    question = steps_of(word)[number - 1].question
    assert question is not None
    return question.value


def test_there_is_a_lesson_for_each_of_the_nine_topics() -> None:
    assert len(LESSONS) == TOPICS
    assert all(word == lesson.word and re.fullmatch(r"[a-z-]+", word) for word, lesson in LESSONS.items())


@pytest.mark.parametrize("word", LESSONS)
def test_the_shown_run_satisfies_every_predicate_of_its_lesson(word: str) -> None:
    lesson = LESSONS[word]
    for part, run in zip(lesson.parts, runs_of(lesson), strict=True):
        assert [need.words for need in part.needs if not need.holds(run)] == []


def test_a_prediction_counts_as_long_as_its_question_stays_the_same() -> None:
    stored = json.loads((ROOT / "tests/reference/lesson_questions.json").read_text(encoding="utf-8"))
    asked = {word: [fingerprint(step.question) if step.question else "" for step in steps_of(word)] for word in LESSONS}
    assert asked == stored


@pytest.mark.parametrize("word", LESSONS)
def test_a_lesson_has_five_to_eight_steps_and_at_least_three_predictions_with_a_reveal(word: str) -> None:
    steps = steps_of(word)
    asked = [step for step in steps if step.question is not None]
    assert 5 <= len(steps) <= 8 and len(asked) >= 3
    assert len(steps) == LESSONS[word].steps
    assert all(step.reveal and step.mistake for step in asked)
    assert all(step.text and step.notes for step in steps)
    assert any(step.working for step in asked)


@pytest.mark.parametrize("word", LESSONS)
def test_any_run_that_fits_makes_a_whole_lesson(word: str) -> None:
    for ids in every_fit(word):
        runs = [recorded_run(run_id) for run_id in ids]
        steps = LESSONS[word].build(*runs)
        assert 5 <= len(steps) <= 8
        for step in steps:
            shown_exhibits(runs[step.part], (*step.shows, *step.then))
            check_question(step)


def check_question(step: Step) -> None:
    """Check that a step's question has a right answer which counts as right, and something to choose from."""
    question = step.question
    if question is None:
        return
    right = f"{question.value!r}" if question.kind == "number" else str(question.right)
    assert checked(question, right).right, question.text
    assert question.kind == "number" or len({option.text for option in question.options}) > 1
    assert math.isfinite(question.value) or question.kind != "number"


@pytest.mark.parametrize("word", LESSONS)
def test_every_figure_of_a_lesson_is_drawn_light_and_dark(word: str) -> None:
    runs = runs_of(LESSONS[word])
    for step in steps_of(word):
        for exhibit in shown_exhibits(runs[step.part], (*step.shows, *step.then)):
            assert exhibit.table is not None or exhibit.sentence
            if exhibit.draw is not None:
                assert all(exhibit.draw(theme).data for theme in (LIGHT, DARK))


@pytest.mark.parametrize("word", LESSONS)
def test_a_known_slip_is_never_counted_as_a_hit_where_it_differs(word: str) -> None:
    for step in steps_of(word):
        for slip in step.question.slips if step.question else ():
            apart = abs(slip.value - step.question.value)
            assert checked(step.question, repr(slip.value)).right is (apart <= step.question.tolerance)


def test_a_predicate_says_no_to_a_run_without_methods_and_does_not_fail() -> None:
    run = recorded_run(recorded_ids()[0])
    bare = type(run)(**{name: getattr(run, name) for name in run.__dataclass_fields__} | {"outcomes": (), "golds": ()})
    for lesson in LESSONS.values():
        assert not any(part.fits(bare) for part in lesson.parts)


def test_no_sentence_of_a_lesson_has_a_decimal_number_typed_in() -> None:
    """What a text says of a run is computed; a paper's constants and powers of e stand where they are named."""
    allowed = {"0.7", "1.1", "2.3", "0.5", "0.6", "1.5"}
    typed = []
    for path in sorted(FOLDER.glob("*.md")):
        prose = PLACEHOLDER.sub("", path.read_text(encoding="utf-8"))
        typed += [(path.name, number) for number in re.findall(r"(?<![\w.])\d+\.\d+", prose) if number not in allowed]
    assert typed == []


def test_semantic_equivalence_counts_meanings_shares_and_both_entropies_as_the_measures_do() -> None:
    run = runs_of(LESSONS["semantic-equivalence"])[0]
    _, found, meaning, _ = semantic_equivalence.found(run)
    weights = sample_weights([sample.mean_logprob for sample in found.samples])
    assert value_at("semantic-equivalence", 3) == len(set(found.ids))
    assert value_at("semantic-equivalence", 4) == pytest.approx(sum(weights[list(meaning.members)]), abs=1e-9)
    texts = semantic_equivalence.texts_of(found)
    over_texts = semantic_entropy([sum(weights[[t == text for t in texts]]) for text in dict.fromkeys(texts)])
    shares = [sum(weights[np.array(found.ids) == one]) for one in sorted(set(found.ids))]
    assert over_texts > semantic_entropy(shares)
    step = steps_of("semantic-equivalence")[4]
    assert f"{over_texts:.3f} nats" in step.reveal[0] and f"{semantic_entropy(shares):.3f} nats" in step.reveal[0]


def test_the_graph_is_summed_by_hand_to_the_entropy_of_the_measure() -> None:
    result = facts.dense_of(runs_of(LESSONS["entailment-graph"])[0])
    weights = np.array(result.weights)
    odd = entailment_graph.apart(result)
    assert value_at("entailment-graph", 2) == pytest.approx(weights[odd].sum())
    assert value_at("entailment-graph", 3) == pytest.approx(-math.log(weights[odd].sum() / len(weights)))
    assert value_at("entailment-graph", 4) == pytest.approx(degree_entropy(weights), abs=1e-12)


def test_one_answer_apart_from_five_is_worked_by_hand() -> None:
    # Five answers agree (degree 5), one stands alone (degree 1), of six: (5 ln(6/5) + ln 6) / 6 = 0.4506 nats.
    weights = np.ones((6, 6))
    weights[3, :], weights[:, 3], weights[3, 3] = 0, 0, 1
    assert degree_entropy(weights) == pytest.approx(0.4506, abs=5e-5)


def test_the_necessary_chunk_is_the_one_the_measure_labels() -> None:
    run = runs_of(LESSONS["necessary-chunk"])[0]
    result, chunk = facts.dense_of(run), necessary_chunk.the_chunk(run)
    measured = [result.chunks[index] for index in result.members[1:]]
    ablations = [np.nan if one.ablation_weight is None else one.ablation_weight for one in measured]
    labels = chunk_labels(np.array(result.weights), ablations, rule=result.rule)
    named = dict(zip(result.members[1:], labels, strict=True))
    assert [index for index, label in named.items() if label == "necessary"] == [chunk.index]
    assert steps_of("necessary-chunk")[0].question.right == chunk.index


def test_belief_is_the_weighted_sum_of_the_measure_and_its_change_a_difference() -> None:
    result = facts.seper_of(runs_of(LESSONS["belief"])[0])
    weights = sample_weights([sample.mean_logprob for sample in result.without.samples])
    by_hand = float(weights @ np.array(belief.best_gold(result.without)))
    assert by_hand == pytest.approx(seper_soft(weights, np.array(result.without.kernel)), abs=1e-9)
    assert value_at("belief", 3) == pytest.approx(by_hand, abs=1e-9)
    assert value_at("belief", 5) == pytest.approx(result.with_passages.soft - result.without.soft, abs=1e-12)


def test_the_terms_of_the_belief_as_shown_make_the_sum_as_shown() -> None:
    *terms, total = steps_of("belief")[2].working
    # 0.0011 + 0.0046 + 0.3113 + 0.0046 + 0.0066 + 0.0066, and 0.0002 of the four samples that are left out.
    assert terms[-1] == "4 smaller terms together = 0.0002"
    assert round(sum(float(line.rpartition("= ")[2]) for line in terms), 3) == 0.335
    assert total == "SePer without passages = 0.335"


def test_the_second_difference_by_hand_is_the_measures() -> None:
    result = facts.trend_of(runs_of(LESSONS["second-difference"])[0])
    place = second_difference.place_of(result)
    placed = second_differences([w.entropy for w in result.words], [w.is_content for w in result.words])
    assert value_at("second-difference", 2) == len(placed)
    assert placed[place] == (result.points[place].word, pytest.approx(value_at("second-difference", 4)))
    h = [result.words[index].entropy for index in second_difference.three(result, place)]
    assert h[2] - 2 * h[1] + h[0] == pytest.approx(value_at("second-difference", 4), abs=1e-9)
    smoothed = smooth([value for _, value in placed])[place]
    assert f"= {smoothed:+.2f}".replace("-", "−") in steps_of("second-difference")[4].working[-1]


def test_of_two_mixed_values_the_one_nearer_to_the_running_mean_weighs_more() -> None:
    result = facts.trend_of(runs_of(LESSONS["second-difference"])[0])
    place = second_difference.place_of(result)
    raw = [point.second_difference for point in result.points]
    mean = sum(raw[: place + 1]) / (place + 1)
    nearer = 0 if abs(raw[place] - mean) < abs(raw[place - 1] - mean) else 1
    question = steps_of("second-difference")[4].question
    assert place >= 2 and question.right == nearer
    assert bool(smoothing_weights(raw)[place] > 0.5) is (nearer == 0)


def test_a_lookup_before_the_third_second_difference_shows_no_smoothing() -> None:
    # Entropies 1, 2, 4, 3, 3.5 give Δ²H = 1, −3, 1.5. At the second w = 1/2: a mean of two is as far from both.
    # At the third E = −1/6, so w = (17/6) / (5/3 + 17/6) = 0.63 and the smoothed value −1/6.
    assert second_difference.place_of(five_words_result(alpha=1.0)) is None, "it fires at the first and the second"
    assert second_difference.place_of(five_words_result(alpha=0.1)) == 2


def test_a_schedule_is_late_by_the_tokens_between_wrong_word_and_next_sentence() -> None:
    result = facts.trend_of(runs_of(LESSONS["delayed-redundant"])[0])
    wrong = result.words[delayed_redundant.mention(result)[0]]
    second = next(word for word in result.words if word.sentence == 1)
    assert value_at("delayed-redundant", 3) == second.first_token - wrong.first_token > 0
    assert delayed_redundant.timing_word(7, 5) == "delayed by 2 tokens"
    assert delayed_redundant.timing_word(5, 5) == "in time" and delayed_redundant.timing_word(None, 5) == "never"


def test_the_mean_count_is_the_mean_of_the_recorded_counts() -> None:
    run = runs_of(LESSONS["co-occurrence"])[0]
    assert value_at("co-occurrence", 1) == pytest.approx(facts.quco_of(run).mean_count)
    assert cooccurrence.met(run).documents >= 1


def test_the_lesson_names_the_window_that_was_used() -> None:
    run = runs_of(LESSONS["co-occurrence"])[0]
    assert facts.quco_of(run).window_share == 0.25
    pages = [" ".join(steps_of("co-occurrence")[place].text) for place in (1, 4)]
    assert all("25% of a document, at least 25 words" in page for page in pages)
    assert window_words(sample_quco_result()) == "1,000 words"


def test_ends_that_stand_in_one_document_beyond_the_window_are_no_case_of_spelling() -> None:
    # Suez Canal and Eugénie start 129 words apart: spelt as the corpus has them, and outside a quarter of the document.
    assert cooccurrence.missed(recorded_run("suez-empress")) is None
    claim = cooccurrence.missed(runs_of(LESSONS["co-occurrence"])[1])
    assert claim is not None and claim.nearest is None


def test_low_entropy_is_low_and_the_answer_wrong() -> None:
    run = runs_of(LESSONS["low-entropy"])[0]
    result = facts.dense_of(run)
    assert value_at("low-entropy", 1) == pytest.approx(degree_entropy(np.array(result.weights)), abs=1e-12)
    assert result.entropy <= result.threshold and facts.read_right(run) is False
    assert low_entropy.source_of(run) is not None


def test_sugars_entropy_by_hand_is_the_measures_and_decides_as_it_does() -> None:
    result = facts.seper_of(runs_of(LESSONS["when-not-to-retrieve"])[0])
    entropy = semantic_entropy([one.probability for one in result.without.meanings])
    assert value_at("when-not-to-retrieve", 2) == pytest.approx(entropy, abs=1e-9)
    step = steps_of("when-not-to-retrieve")[2]
    assert when_not.NEEDS[step.question.right] == retrieval_need(entropy, when_not.LOW, when_not.HIGH)
    # Nine tenths against one tenth: 0.9 × 0.1054 + 0.1 × 2.3026 = 0.3251 nats.
    assert semantic_entropy([0.9, 0.1]) == pytest.approx(0.3251, abs=5e-5)


def off_by(sum_of_numbers: str, said: str) -> float:
    """Return how far what is said to come out lies from what does, in units of its last digit.

    >>> off_by("0.5 × (−2) + 1", "0.1")
    1.0
    """
    found = pd.eval(sum_of_numbers.replace("×", "*").replace("−", "-").replace(",", ""), engine="python")
    return float(abs(found - float(said.replace("−", "-"))) * 10 ** len(said.partition(".")[2]))


@pytest.mark.parametrize("word", LESSONS)
def test_what_is_worked_out_by_hand_comes_out_as_said(word: str) -> None:
    shown = chosen_runs(LESSONS[word], recorded_run, recorded_ids())
    for ids in every_fit(word):
        steps = LESSONS[word].build(*(recorded_run(run_id) for run_id in ids))
        sums = [found.groups() for step in steps for line in step.working for found in SUM.finditer(line)]
        # Nine rounded weights may add up to another last digit; not on the run that a class sees.
        most = 0.51 if ids == tuple(shown) else 1.0
        assert [one for one in sums if off_by(*one) > most] == [], ids
