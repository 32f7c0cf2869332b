"""A run at a glance: every outcome has a word, passages are marked, and nothing untrusted becomes markup."""

from dataclasses import replace

import pytest

from engine.diagnosis.record import Outcome
from tests.pages.page_fixtures import unmeasured_diagnosis, whole_diagnosis
from tests.viz.sample_results import HOSTILE
from viz.runs.summary import (
    MATCH_WORDS,
    answer_html,
    at_work_in,
    hits_html,
    marked_html,
    marked_spans,
    match_of,
    passages_html,
    question_html,
    verdict_in_run,
    verdict_of,
    verdict_words,
)


def test_every_outcome_has_a_word_and_not_measured_is_not_failed() -> None:
    assert verdict_of(None).word == "not run"
    assert verdict_of(Outcome(method="seper", status="failed", reason="No judge.")).sentence == "No judge."
    assert verdict_of(Outcome(method="seper", status="waiting")).word == "not computed"
    assert verdict_of(unmeasured_diagnosis().outcome("dense")).tone == "unknown"


def test_a_list_of_runs_says_right_or_wrong_and_only_what_was_found() -> None:
    assert verdict_words(unmeasured_diagnosis()).startswith("right · helped · ")
    unjudged = replace(unmeasured_diagnosis(), golds=(), outcomes=unmeasured_diagnosis().outcomes[:1])
    assert verdict_words(unjudged) == "not measured"


def test_a_passage_with_the_words_in_another_order_is_not_said_to_lack_the_answer() -> None:
    run = whole_diagnosis(golds=("8 September 2010",))
    hit = replace(run.hits[0], passage=replace(run.hits[0].passage, text="It came out on September 8, 2010."))

    drawn = hits_html((hit,), run.golds)
    assert "words of a correct answer" in drawn and "no correct answer" not in drawn


def test_gold_answers_are_marked_as_whole_words_and_the_longest_wins() -> None:
    assert marked_spans("In 1889, not in 18890.", ("1889",)) == ((3, 7),)
    assert marked_spans("On 31 March 1889.", ("1889", "31 March 1889")) == ((3, 16),)
    assert marked_html("<b> PARIS", ("Paris", " ")) == '&lt;b&gt; <mark class="rm-gold">PARIS</mark>'


@pytest.mark.parametrize(
    ("text", "gold", "marked"),
    [
        ("he moved to New\nYork", "New York", "New\nYork"),
        ("on the river Loire", "the Loire.", "Loire"),
        ("in 1,066 ships", "1066", "1,066"),
        ("北京是首都", "北京", "北京"),
        ("Zu\u0308rich lies", "Zürich", "Zu\u0308rich"),
        ("York-born, in 1887–1889", "1889", "1889"),
        ("of 15 and 1.5 km", "1.5", "1.5"),
    ],
)
def test_a_correct_answer_is_marked_in_a_passage_however_it_is_set(text: str, gold: str, marked: str) -> None:
    assert [text[start:end] for start, end in marked_spans(text, (gold,))] == [marked]


def test_a_passage_says_its_label_and_whether_it_holds_a_gold_answer() -> None:
    drawn = passages_html(whole_diagnosis())

    assert drawn.count("rm-chip rm-good") == 1 and drawn.count("rm-gold") == 1
    assert drawn.count("rm-chip rm-model") == 3
    assert drawn.count("DENSE: unnecessary") == 1


def test_untrusted_text_is_never_markup() -> None:
    diagnosis = whole_diagnosis(HOSTILE, (HOSTILE,))
    hit = diagnosis.hits[0]
    hostile = replace(hit, passage=replace(hit.passage, text=HOSTILE, title=HOSTILE), retriever=HOSTILE)
    drawn = [
        question_html(HOSTILE, (HOSTILE,)),
        answer_html("Answer", HOSTILE, None, large=True),
        passages_html(replace(diagnosis, hits=(hostile,))),
    ]

    assert all("<script>" not in part and "<b>" not in part for part in drawn)


def test_a_question_of_several_hundred_words_is_small_and_scrolled() -> None:
    assert 'class="rm-question rm-long" tabindex="0"' in question_html("word " * 399, (), tag="h1")
    assert "rm-long" not in question_html("On what date was the Suez Canal opened?", (), tag="h1")


def test_an_answer_of_a_paragraph_is_small_and_scrolled() -> None:
    long = answer_html("Imported answer", "The Danube. " * 200, None, large=True)
    assert '<p class="rm-answer rm-second rm-scrolls rm-tall" tabindex="0">' in long
    assert '<p class="rm-answer">' in answer_html("Imported answer", "The Danube.", None, large=True)


def test_a_hundred_correct_answers_are_counted_and_scrolled() -> None:
    html = question_html("Who?", tuple(f"the engineer number {place}" for place in range(1, 101)))
    assert '<p class="rm-muted rm-golds" tabindex="0">100 correct answers: <bdi>the engineer number 1</bdi> / ' in html
    assert '<p class="rm-muted">Correct answer: <bdi>Eiffel</bdi> / <bdi>G. Eiffel</bdi></p>' in question_html(
        "Who?", ("Eiffel", "G. Eiffel")
    )


def test_while_a_run_goes_on_the_method_in_hand_runs_and_the_others_wait() -> None:
    waiting = tuple(Outcome(method=word, status="waiting") for word in ("seper", "entropy_trend"))
    half = replace(whole_diagnosis(), outcomes=(whole_diagnosis().outcomes[0], *waiting))
    at_work = at_work_in(half)
    assert at_work == "seper"
    words = [verdict_in_run(outcome, at_work).word for outcome in half.outcomes]
    assert words == ["unstable", "running", "waiting"]
    assert [verdict_in_run(outcome, None).word for outcome in half.outcomes[1:]] == ["not computed"] * 2
    assert verdict_in_run(None, at_work).word == "not run"
    assert at_work_in(whole_diagnosis()) == ""


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("Selm", "exact"),
        ("The capital is Selm.", "contains"),
        ("not Selm but Karst", "named"),
        ("Selm or Karst", "named"),
        ("Karst", "no"),
        ("", "none"),
        ("The passages do not mention it.", "none"),
        ("Selm. The passages do not mention the year.", "contains"),
        ("“Selm”", "exact"),
    ],
)
def test_an_answer_that_denies_the_correct_one_or_states_none_is_not_right(text: str, match: str) -> None:
    found = match_of(text, ("Selm",))
    assert found == match and (MATCH_WORDS[found][1] == "good") is (match in ("exact", "contains"))


def test_a_copied_passage_is_named_as_a_copy() -> None:
    hits = whole_diagnosis().hits
    twice = (hits[0], replace(hits[0], rank=2), replace(hits[1], rank=3))
    assert hits_html(twice, ()).count("copy of passage 1") == 1
