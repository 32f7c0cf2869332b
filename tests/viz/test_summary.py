"""A run at a glance: where findings pull apart, how passages are marked, and that nothing untrusted becomes markup."""

from dataclasses import replace

from engine.diagnosis import Outcome
from tests.pages.page_fixtures import done, unmeasured_diagnosis, whole_diagnosis, with_outcome
from tests.viz.sample_results import HOSTILE, dense_understood, seper_hurt, seper_noise
from tests.viz.sample_trend_results import sample_quco_result, voyage_result
from viz.summary import (
    answer_html,
    contradictions,
    marked_html,
    marked_spans,
    passages_html,
    question_html,
    verdict_of,
    verdict_words,
)


def test_a_stable_answer_that_is_wrong_is_the_first_thing_said() -> None:
    diagnosis = with_outcome(whole_diagnosis(), done("dense", dense_understood()))

    assert contradictions(diagnosis, "no", "no")[0].endswith("stable is not the same as right.")
    assert not any("stable" in sentence for sentence in contradictions(diagnosis, "exact", "no"))


def test_a_necessary_passage_that_lowers_belief_is_named_with_its_number_and_the_change() -> None:
    hurt = seper_hurt()
    diagnosis = with_outcome(whole_diagnosis(), done("seper", hurt))
    (sentence,) = [found for found in contradictions(diagnosis, "exact", "no") if "necessary" in found]

    assert "DENSE calls passage 2 necessary" in sentence
    assert f"ΔSePer {hurt.delta_soft:+.2f}" in sentence


def test_a_change_within_noise_contradicts_nothing() -> None:
    diagnosis = with_outcome(whole_diagnosis(), done("seper", seper_noise()))

    assert not any("belief" in sentence for sentence in contradictions(diagnosis, "no", "no"))


def test_reading_that_spoils_a_right_answer_is_said() -> None:
    assert any("reading spoiled it" in sentence for sentence in contradictions(whole_diagnosis(), "no", "contains"))


def test_no_trigger_on_a_wrong_answer_and_a_trigger_on_a_right_one_are_said() -> None:
    silent = with_outcome(whole_diagnosis(), done("entropy_trend", replace(voyage_result(), triggers=())))

    assert any("sure is not the same as known" in found for found in contradictions(silent, "exact", "no"))
    assert any("already right" in found for found in contradictions(whole_diagnosis(), "exact", "exact"))


def test_without_gold_answers_nothing_is_said_of_right_or_wrong() -> None:
    assert not any("right" in found for found in contradictions(whole_diagnosis(), None, None))


def test_every_outcome_has_a_word_and_not_measured_is_not_failed() -> None:
    assert verdict_of(None).word == "not run"
    assert verdict_of(Outcome(method="seper", status="failed", reason="No judge.")).sentence == "No judge."
    assert verdict_of(Outcome(method="seper", status="waiting")).word == "not computed"
    assert verdict_of(unmeasured_diagnosis().outcome("dense")).tone == "unknown"
    assert verdict_words(unmeasured_diagnosis()).startswith("not measured · helped · ")


def test_gold_answers_are_marked_as_whole_words_and_the_longest_wins() -> None:
    assert marked_spans("In 1889, not in 18890.", ("1889",)) == ((3, 7),)
    assert marked_spans("On 31 March 1889.", ("1889", "31 March 1889")) == ((3, 16),)
    assert marked_html("<b> PARIS", ("Paris", " ")) == '&lt;b&gt; <mark class="rm-gold">PARIS</mark>'


def test_a_passage_says_its_label_and_whether_it_holds_a_gold_answer() -> None:
    drawn = passages_html(whole_diagnosis())

    assert drawn.count("holds a gold answer") == 1 and drawn.count("no gold answer in it") == 4
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


def test_an_evidence_free_right_answer_is_said_only_of_the_short_answer() -> None:
    found = contradictions(whole_diagnosis(), "exact", "no")
    judged = [
        claim.supported
        for sentence in sample_quco_result().sentences
        if sentence.kind == "short answer"
        for claim in sentence.claims
        if claim.supported is not None
    ]

    assert any("never meet in the corpus" in sentence for sentence in found) == (bool(judged) and not all(judged))


def test_a_question_of_several_hundred_words_is_small_and_scrolled() -> None:
    assert 'class="rm-question rm-long" tabindex="0"' in question_html("word " * 399, (), tag="h1")
    assert "rm-long" not in question_html("On what date was the Suez Canal opened?", (), tag="h1")
