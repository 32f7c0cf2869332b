"""The stages of QuCo-RAG's loop in words, as HTML and as tables; what was not measured is never called supported."""

from dataclasses import replace

import pytest

from engine.methods.quco_loop import Lookup
from tests.viz.sample_loop_results import CHECK, HIT, LOOP, STEPS, whole
from tests.viz.sample_trend_results import COCHIN, GAMA, LISBON, SINES, claim, sample_quco_result
from viz.methods.entity_bars import entity_bars
from viz.methods.quco_loop import (
    DECISION_TONES,
    ENDING_WORDS,
    claims_of_steps,
    extractions_table,
    initial_html,
    lookup_sentence,
    loop_verdict,
    pre_check_sentence,
    steps_html,
    steps_table,
)
from viz.methods.quco_rag import NO_EVIDENCE, claim_sentence, failing_words, sentence
from viz.parts.theme import DARK, LIGHT

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def test_what_had_nothing_to_look_up_or_was_dropped_is_amber() -> None:
    assert (DECISION_TONES["no retrieval"], DECISION_TONES["dropped"]) == ("middle", "middle")


def test_the_check_names_its_numbers_and_whose_threshold_it_is() -> None:
    for part in ("5.5, not below", "threshold 3 (75% of", "810 names"):
        assert part in pre_check_sentence(CHECK)
    paper = replace(CHECK, value=755.0, threshold=1000.0, percentile=None, threshold_source="paper", retrieves=True)
    assert all(part in pre_check_sentence(paper) for part in ("755, below", "threshold 1,000", "the paper's"))
    unknown = replace(CHECK, retrieves=None, reason="No reply came.")
    assert "No reply came." in pre_check_sentence(unknown)


def test_the_verdict_compares_the_answers_and_counts_what_happened() -> None:
    found = loop_verdict(LOOP)
    assert found.tone == "middle"
    for part in ("1 retrieval", "2 generations", "“Cochin”", "“Lisbon”", ENDING_WORDS[LOOP.ending]):
        assert part in found.sentence
    assert loop_verdict(replace(LOOP, answer="lisbon.")).tone == "unknown"
    assert loop_verdict(replace(LOOP, answer="")).word == "no answer"
    assert loop_verdict(replace(LOOP, closed_book_answer="")).tone == "middle"


def test_a_sentence_that_nothing_could_be_looked_up_for_is_kept_without_evidence_and_says_so() -> None:
    stuck = replace(STEPS[1], decision="no retrieval", replacement="", reason="No corpus was given.", lookups=(
        Lookup(query="Vasco da Gama died in", claim=0, hits=(), problem="No corpus was given."),))  # fmt: skip
    loop = replace(LOOP, steps=(stuck,))
    assert "1 sentence without" in loop_verdict(loop).sentence and NO_EVIDENCE in steps_html(loop, LIGHT)
    assert all(part in lookup_sentence(stuck.lookups[0]) for part in ("“Vasco da Gama died in”", "No corpus"))


def test_the_tables_are_the_twin_of_the_drawing() -> None:
    table = steps_table(LOOP)
    assert list(table["generation"]) == [1, 1, 2, 2]
    assert list(table["queries"]) == ["", "Vasco da Gama died in", "", ""]
    assert list(table["passages found"]) == [0, 1, 0, 0]
    assert all(name in table["why"][1] for name in ("“Vasco da Gama”", "“Lisbon”"))
    assert table["why"][2] == "No reply came."
    claims = claims_of_steps(whole())
    assert list(claims["documents together"].fillna(-1)) == [2, 0, -1]
    assert list(claims["verdict"]) == ["supported", NO_EVIDENCE, "not measured"]


def test_each_way_to_fail_has_its_words() -> None:
    rare = replace(claim(COCHIN, "is", None), fails=True)
    phrase = replace(claim(GAMA, "left", LISBON, 7), fails=True, phrase_count=0)
    few = replace(claim(GAMA, "knew", SINES, 2), supported=False, fails=True)
    assert "“Cochin” is too rare (3)" in failing_words((rare,))
    assert "“Vasco da Gama left Lisbon”" in failing_words((phrase,))
    assert "“Sines” too rarely (2)" in failing_words((few,))
    assert failing_words((claim(GAMA, "knew", SINES, 2),)) == ""


@THEMES
def test_markup_in_sentences_passages_and_queries_is_drawn_as_text(theme) -> None:
    hostile = Lookup(query="<img src=x>", claim=None, hits=(HIT,))
    html = steps_html(LOOP, theme) + initial_html(whole(initial=hostile), theme)
    assert not any(tag in html for tag in ("<script", "<i>da", "<b>Cochin", "<img"))
    assert "&lt;script&gt;Cochin" in html.replace("</ins>", "").replace("<ins>", "") or "&lt;script&gt;" in html


def test_a_run_older_than_the_check_and_a_loop_without_a_sentence_say_so() -> None:
    assert "older" in initial_html(sample_quco_result(), LIGHT)
    assert "No sentence" in steps_html(replace(LOOP, steps=()), LIGHT)
    assert claims_of_steps(sample_quco_result()).empty and extractions_table(sample_quco_result()).empty


def test_an_index_of_unknown_size_counts_places_and_is_named_as_what_it_is() -> None:
    result = replace(sample_quco_result(), corpus="olmo", corpus_documents=None, counts_from="infini-gram")
    assert "“olmo”" in sentence(result)
    assert "2 places" in claim_sentence(claim(GAMA, "born in", SINES, 2), result)
    unmeasured = replace(claim(GAMA, "met", COCHIN, None), reason="No reply came.")
    assert "not measured. No reply came." in claim_sentence(unmeasured, result)
    guessed = replace(claim(GAMA, "born in", SINES, 49), estimated=True)
    assert "about 49 places (an estimate) within 1,000 tokens" in claim_sentence(guessed, replace(result, window=1000))
    assert "places together" in claims_of_steps(replace(result, loop=LOOP)).columns


@THEMES
def test_the_bars_show_the_threshold_of_the_check(theme) -> None:
    notes = [note.text for note in entity_bars(whole(), theme).layout.annotations]
    assert "<b>threshold 3</b>" in notes
    far = replace(whole(), pre_check=replace(CHECK, threshold=1e9))
    assert not any("threshold" in note.text for note in entity_bars(far, theme).layout.annotations)


def test_a_lookup_shows_its_passages_whole_and_its_query_on_hover() -> None:
    query, text = "who built it " * 20, "a word of the passage " * 40
    long = replace(HIT, passage=replace(HIT.passage, title="A title " * 20, text=text))
    html = initial_html(whole(initial=Lookup(query=query, claim=None, hits=(long,))), LIGHT)
    assert html.count(text.strip()) == 1 and html.count(("A title " * 20).strip()) == 2
    assert f'title="“{query.strip()}”' in html
