"""DENSE drawn: numbers worked by hand in sample_results."""

import math
from dataclasses import replace

import pytest

from engine.methods.rewrites import RewordedSentence
from tests.viz import sample_results as samples
from viz.methods import dense
from viz.methods.agreement_matrix import weight_matrix
from viz.methods.entailment_graph import entailment_graph
from viz.methods.entropy_bar import entropy_bar, entropy_latex
from viz.methods.verdicts import verdict_html
from viz.parts.theme import DARK, LIGHT

EVERY_RESULT = (
    samples.dense_full,
    samples.dense_understood,
    samples.dense_two_not_measured,
    samples.dense_mostly_not_measured,
    samples.dense_none_measured,
    samples.dense_one_chunk,
    samples.dense_hostile,
    samples.dense_depending_on_wording,
)


def test_the_sample_has_the_entropy_its_docstring_works_out() -> None:
    assert samples.dense_full().entropy == pytest.approx(0.512670, abs=1e-6)
    assert samples.dense_understood().entropy == pytest.approx(0.162342, abs=1e-6)
    assert samples.dense_one_chunk().entropy == pytest.approx(math.log(2))


def test_dse_against_its_threshold_gives_stable_not_stable_or_unclear() -> None:
    cases = (
        (samples.dense_understood(), "stable", "model", "0.16"),
        (samples.dense_full(), "unstable", "middle", "0.51"),
        (samples.dense_two_not_measured(), "unclear", "unknown", "no rewording passed there: DSE 0.00"),
        (samples.dense_mostly_not_measured(), "unclear", "unknown", " of 5 "),
        (samples.dense_none_measured(), "not measured", "unknown", "no rewrite kept its numbers"),
        (samples.dense_depending_on_wording(), "unclear", "unknown", "0.10 to 0.45"),
    )
    for result, word, tone, number in cases:
        verdict = dense.verdict(result)
        assert (verdict.word, verdict.tone) == (word, tone)
        assert number in verdict.sentence and len(verdict.sentence.split()) <= 20


def test_an_answer_that_stays_while_what_names_it_was_not_reworded_is_not_called_stable() -> None:
    result = samples.dense_two_not_measured()
    named = [place + 1 for place in result.source_unworded]
    assert result.source_unworded and f"assage {named[0]} names" in dense.entropy_sentence(result)
    reworded = samples.dense_all_certain()
    assert (reworded.source_unworded, dense.verdict(reworded).word) == ((), "stable")
    elsewhere = replace(result, original=samples.generation("Gustave Eiffelberg"))
    assert (elsewhere.source_unworded, elsewhere.verdict) == ((), "stable")


def test_dse_on_both_sides_of_its_threshold_says_that_wordings_disagree_in_one_line_whichever_came_first() -> None:
    result = samples.dense_depending_on_wording()
    assert result.uncertain is False
    assert dense.entropy_sentence(result).startswith("The wordings disagree: DSE ")
    other = replace(result, uncertain=True, entropy=0.45)
    assert dense.entropy_sentence(other) == (
        "The wordings disagree: DSE 0.45 nats (0.10 to 0.45 in other wordings), threshold 0.2."
    )


def test_an_entropy_on_its_threshold_is_not_called_below_it() -> None:
    result = replace(samples.dense_understood(), entropy=0.0, share=0.0, threshold=0.0, uncertain=False)
    assert "below" not in dense.verdict(result).sentence
    assert "below" in dense.verdict(samples.dense_understood()).sentence


def test_nothing_measured_gives_its_reason_and_never_zero() -> None:
    result = samples.dense_none_measured()
    assert "0.00" not in dense.entropy_sentence(result)
    assert "no rewrite kept its numbers" in str(entropy_bar(result, LIGHT).to_dict())


def test_a_fitted_threshold_is_not_called_the_papers() -> None:
    result = replace(samples.dense_full(), threshold_source="fitted", threshold=0.31)
    assert "fitted threshold 0.31" in dense.entropy_sentence(result)
    assert [note.text for note in entropy_bar(result, LIGHT).layout.annotations] == ["threshold 0.31 (fitted)"]
    notes = [note.text for note in entropy_bar(samples.dense_full(), LIGHT).layout.annotations]
    assert notes == ["threshold 0.2 (paper&#x27;s, 1.5B–70B, k = 5)"]


def test_a_negative_zero_entropy_is_shown_without_a_sign() -> None:
    result = replace(samples.dense_two_not_measured(), entropy=-0.0, share=-0.0)
    assert "DSE 0.00 nats" in dense.entropy_sentence(result)
    assert "-0" not in entropy_latex(result).split("=")[-1]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("make", EVERY_RESULT)
def test_every_figure_is_drawn_for_every_result_on_a_transparent_ground(make, theme) -> None:  # type: ignore[no-untyped-def]
    result = make()
    for draw in (entailment_graph, weight_matrix, entropy_bar):
        figure = draw(result, theme)
        assert figure.layout.paper_bgcolor == "rgba(0,0,0,0)"
        assert figure.layout.title.text
    assert len(dense.chunk_table(result)) == len(result.chunks)


def test_markup_in_answers_never_reaches_a_figure_or_the_page_as_markup() -> None:
    result = samples.dense_hostile()
    for draw in (entailment_graph, weight_matrix, entropy_bar):
        assert "<script" not in str(draw(result, LIGHT).to_dict())
    assert "<script" not in verdict_html(dense.verdict(result), LIGHT)
    hostile = replace(result.chunks[0], passage=replace(result.chunks[0].passage, text=samples.HOSTILE))
    assert "<script" not in dense.rewrite_diff_html(hostile, LIGHT)


def test_the_table_leaves_what_was_not_measured_missing_and_names_the_failed_check() -> None:
    table = dense.chunk_table(samples.dense_two_not_measured())
    assert table["agreement"].isna().tolist() == [False, True, False, True, False]
    assert table.loc[1, "checks failed"] == "numbers"
    assert table["passage"].tolist() == [1, 2, 3, 4, 5]


def test_the_checks_of_every_attempt_are_listed() -> None:
    table = dense.checks_table(samples.dense_two_not_measured().chunks[1])
    assert len(table) == 10
    assert table.loc[3, "outcome"] == "failed"
    assert table.loc[3, "detail"] == "lost: 1889"


def test_a_rewording_marks_the_words_that_differ_on_both_sides() -> None:
    html = dense.rewrite_diff_html(samples.dense_full().chunks[1], LIGHT)
    assert ">visitors</ins>" in html
    assert ">public</del>" in html
    assert "accepted" in html
    rejected = dense.rewrite_diff_html(samples.dense_two_not_measured().chunks[1], LIGHT)
    assert "rejected by a check" in rejected


def test_the_most_telling_chunk_is_the_necessary_one() -> None:
    assert dense.most_telling(samples.dense_full()) == 1
    assert dense.most_telling(samples.dense_two_not_measured()) == 1
    assert dense.most_telling(samples.dense_one_chunk()) == 0


def test_several_chunks_of_one_label_share_a_sentence() -> None:
    result = samples.dense_full()
    chunks = tuple(replace(chunk, label="necessary") if chunk.index in (1, 2) else chunk for chunk in result.chunks)
    found = dense.chunk_sentences(replace(result, chunks=chunks))
    assert len(found) == 1 and "Passages 2 and 3" in found[0]


def test_an_answer_that_half_changes_without_a_chunk_is_not_said_to_stay() -> None:
    result = samples.dense_full()
    chunk = result.chunks[1]
    halfway = replace(chunk, label="unnecessary", ablation_weight=0.5, wordings=None)
    stays = replace(halfway, ablation_weight=1.0)
    told = [
        dense.chunk_sentence(replace(result, chunks=tuple(one if c.index == 1 else c for c in result.chunks)), one)
        for one in (halfway, stays)
    ]
    assert told[0].endswith("and does not change wholly without it.")
    assert told[1].endswith("but stays without it.")


def test_a_record_of_first_labels_only_is_shown_as_unclear_where_a_further_wording_disagrees() -> None:
    result = samples.dense_depending_on_wording()
    result = replace(result, further=(replace(result.further[0], index=0),))
    assert (result.chunks[0].label, result.chunks[0].wordings) == ("certain", None)
    assert (result.changes[0], result.labels[0]) == ((1, 2), "unclear")
    assert (result.changes[1], result.labels[1]) == ((1, 1), "necessary")
    assert "1 of 2" in dense.chunk_sentence(result, result.chunks[0])
    assert dense.chunk_table(result)["label"][0] == "unclear"


def test_a_further_rewording_is_listed_with_the_answer_over_it_and_its_agreement() -> None:
    result = samples.dense_depending_on_wording()
    table = dense.further_table(result, result.chunks[1])
    assert table.to_numpy().tolist() == [["Another way to say it.", "1909 <b>", 0.0]]
    assert dense.further_table(result, result.chunks[0]).empty


def test_each_sentence_of_a_rewording_says_who_reworded_it() -> None:
    result = samples.dense_understood()
    said = (
        RewordedSentence(text="It rose.", source="rule", rule="passive to active", candidates=4, valid=2),
        RewordedSentence(text="It fell.", source="kept"),
    )
    chosen = replace(result.chunks[0], rewrite=replace(result.chunks[0].rewrite, sentences=said))
    assert dense.sentences_table(chosen)["reworded by"].tolist() == ["a rule: passive to active", "nobody: unchanged"]
    assert dense.sentences_table(result.chunks[0]).empty


def test_answers_that_state_nothing_are_not_stable() -> None:
    silent = [samples.chunk(place, text, 1.0, "certain") for place, text in enumerate(("", "I don't know.", "unknown"))]
    result = samples.dense_result("", tuple(silent), ((1.0,) * 4,) * 4)
    assert result.entropy == 0.0 and (dense.verdict(result).word, dense.verdict(result).tone) == (
        "no answer to compare",
        "unknown",
    )
    assert dense.verdict(result).sentence == "4 answers, all without an answer."
    assert "Natural Questions" not in dense.verdict(result).detail
    lone = replace(samples.dense_none_measured(), original=samples.generation(""))
    lone = replace(lone, chunks=tuple(replace(one, answer=None) for one in lone.chunks))
    assert dense.verdict(lone).sentence == "The only answer states nothing."
    one_answers = replace(result, original=samples.generation("Selm"))
    assert dense.verdict(one_answers).word == "stable"


def test_copies_that_were_reworded_one_at_a_time_leave_the_verdict_open() -> None:
    result = samples.dense_all_certain()
    first, second, *others = result.chunks
    twice = replace(result, chunks=(first, replace(second, passage=first.passage), *others))
    assert (dense.verdict(twice).word, dense.verdict(replace(twice, copies=((0, 1),))).word) == ("unclear", "stable")
    assert "1 and 2" in dense.verdict(twice).detail


def test_beside_dse_stands_how_many_sentences_were_reworded_by_whom_and_how_many_still_say_the_same() -> None:
    said = (
        RewordedSentence(text="a", source="rule", rule="voice", entailment=0.9),
        RewordedSentence(text="b", source="model", entailment=0.2),
        RewordedSentence(text="c", source="kept"),
    )
    result = samples.dense_full()
    chunks = tuple(
        replace(chunk, rewrite=replace(chunk.rewrite, sentences=said)) if chunk.index == 0 else chunk
        for chunk in result.chunks
    )
    result = replace(result, chunks=chunks)
    assert result.entailment_rate == 0.5
    words = dense.rewording_sentence(result)
    assert "2 of 3 sentences" in words and "1 by rules, 1 by" in words and "50%" in words


def test_a_dse_next_to_its_threshold_has_the_digits_that_tell_them_apart() -> None:
    above = replace(samples.dense_full(), entropy=0.20023, uncertain=True)
    assert "DSE 0.2002 nats, above the paper's threshold 0.2." in dense.entropy_sentence(above)
    below = replace(samples.dense_understood(), entropy=0.19855, uncertain=False)
    assert "DSE 0.199 nats, below the paper's threshold 0.2." in dense.entropy_sentence(below)
    assert entropy_bar(above, LIGHT).layout.title.text.startswith("DSE 0.2002 nats, ")


def test_quick_reading_says_how_many_changes_it_found_and_no_rate_of_full_reading() -> None:
    full = replace(samples.dense_understood(), threshold=0.2, temperature=0.0)
    assert "On Natural Questions" in dense.verdict(full).detail and "Quick" not in dense.verdict(full).detail
    said = dense.verdict(replace(full, reading="quick")).detail
    assert said.startswith("Quick reading may miss changed answers: on ") and "On Natural Questions" not in said


def test_dse_says_on_which_side_of_its_threshold_it_lies_and_what_that_means() -> None:
    full, alike = samples.dense_full(), samples.dense_all_certain()
    above, below = "above the paper's threshold 0.2.", "below the paper's threshold 0.2."
    assert dense.entropy_sentence(full) == f"Rewording changes the answer: DSE 0.51 nats, {above}"
    assert dense.entropy_sentence(alike) == f"Rewording hardly changes the answer: DSE 0.00 nats, {below}"
    warm = dense.entropy_sentence(replace(alike, temperature=1.0))
    assert warm.endswith("threshold 0.2. At temperature 1 answers also differ by chance.")


def test_each_label_of_a_chunk_has_its_sentence() -> None:
    full, few = samples.dense_full(), samples.dense_mostly_not_measured()
    told = [dense.chunk_sentence(full, chunk) for chunk in full.chunks[:3]]
    assert told == [
        "Passage 1 is certain: the answer changes in 0 of 1 wording.",
        "Passage 2 is necessary: the answer changes in 1 of 1 wording, without it “In 1889 or 1890, during the Fair”.",
        "Passage 3 is unnecessary: the answer changes in 1 of 1 wording, but stays without it.",
    ]
    assert dense.chunk_sentence(few, few.chunks[1]).startswith("Passage 2: not measured. ")
    assert dense.chunk_sentences(few) == ["Not measured: passages 2, 3 and 4."]


def test_why_a_passage_was_not_left_out_holds_for_every_label() -> None:
    """A passage that is unclear, for no wording gives an answer, stays too: "certain" would contradict its mark."""
    result = samples.dense_full()
    kept = next(chunk for chunk in result.chunks if chunk.answer is not None and chunk.ablation is None)
    assert dense.answers_of(result, kept)[2][2] == "not run: no rewording changes the answer"
