"""A verdict on one line: at most 15 words, cut where a clause ends, never inside brackets."""

import pytest

from tests.pages.page_fixtures import whole_diagnosis
from tests.viz.sample_results import HOSTILE
from viz.methods.verdicts import BRIEF_WORDS, Verdict, brief_of, reading_html, rest_of, verdict_line_html
from viz.methods.views import VIEWS
from viz.parts.theme import DARK, LIGHT, Theme

LONG = "Belief fell: 0.8 to 0.3, by half (in a band from here to there, and on, and on, and on, and on)."


def said(sentence: str, brief: str = "", detail: str = "") -> Verdict:
    """Return a verdict with this sentence."""
    return Verdict(word="hurt", tone="bad", sentence=sentence, detail=detail, brief=brief)


def test_a_short_sentence_stays_whole_and_a_given_brief_comes_first() -> None:
    assert brief_of(said("It fell.")) == "It fell."
    assert brief_of(said(LONG, brief="Less.")) == "Less."


def test_a_long_sentence_ends_with_its_last_whole_clause_that_fits() -> None:
    assert brief_of(said(LONG)) == "Belief fell: 0.8 to 0.3, by half."


def test_words_without_a_clause_are_cut_with_an_ellipsis() -> None:
    assert brief_of(said("word " * 40)).split() == ["word"] * BRIEF_WORDS + ["…"]


def test_every_methods_line_is_brief() -> None:
    for outcome in whole_diagnosis().outcomes:
        assert outcome.result is not None
        assert len(brief_of(VIEWS[outcome.method].verdict(outcome.result)).split()) <= BRIEF_WORDS


def test_a_sentence_of_fifteen_words_is_whole_and_of_its_clauses_the_last_that_fits_ends_a_longer_one() -> None:
    assert brief_of(said("word " * 14 + "end.")) == "word " * 14 + "end."
    assert brief_of(said("a " * 14 + "b, " + "c " * 9 + "d.")) == "a " * 14 + "b."
    assert brief_of(said("a b, " + "c " * 12 + "d, " + "e " * 9 + "f.")) == "a b, " + "c " * 12 + "d."
    assert brief_of(said("a b, " + "c " * 13 + "d, " + "e " * 9 + "f.")) == "a b."


def test_a_word_of_more_than_seven_words_stands_below_the_line_instead() -> None:
    seven, eight = "one two three four five six seven", "one two three four five six seven eight"
    short, long = (Verdict(word=word, tone="bad", sentence="It fell.") for word in (seven, eight))
    assert seven in verdict_line_html(short, LIGHT) and reading_html(short) == ""
    assert seven not in verdict_line_html(long, LIGHT) and f"{eight}." in reading_html(long)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_what_a_model_wrote_is_text_on_the_line_and_below(theme: Theme) -> None:
    spoilt = said(HOSTILE, detail=HOSTILE)
    assert "<script" not in verdict_line_html(spoilt, theme) + reading_html(spoilt)


def test_below_stands_only_what_the_line_left_out() -> None:
    assert reading_html(said("It fell.")) == ""
    assert reading_html(said(LONG)).count("0.3") == 0 and "in a band" in reading_html(said(LONG)).lower()
    assert "hurt" not in reading_html(said(LONG, detail="More."))
    assert reading_html(said(LONG, brief="Less.")) == ""
    assert rest_of(said("It fell: " + "a " * 15 + "b.")) == "A a a a a a a a a a a a a a a b."
    assert rest_of(said("word " * 16)) == "Word."
    clause = "which this model does not give to anybody who asks it here and now."
    assert rest_of(said(f"ETC not measured: it needs all, {clause}")) == f"It needs all, {clause}"
    assert "More." in reading_html(said("It fell.", detail="More."))
    assert reading_html(said("It fell.", detail="More.")).count("It fell") == 0
