"""How text and numbers are put into words."""

from viz.parts import words
from viz.parts.theme import plain
from viz.parts.word_diff import diff_words


def test_a_double_quote_is_escaped_in_the_way_plotly_understands() -> None:
    assert plain("<\"&'>") == "&lt;&#34;&amp;&#x27;&gt;"


def test_right_to_left_text_is_isolated_inside_a_sentence_and_other_text_is_not() -> None:
    assert words.quoted("פריז") == "“\u2068פריז\u2069”"
    assert words.quoted("Paris") == "“Paris”"
    assert words.quoted(" \n") == "an empty answer"


def test_hover_text_is_escaped_and_cut_after_fourteen_lines() -> None:
    wrapped = words.wrapped("<b>word</b> " * 200)
    assert "<b>" not in wrapped
    assert wrapped.count("<br>") == 13
    assert wrapped.endswith("…")
    assert words.wrapped("") == "(empty)"


def test_words_that_moved_or_changed_are_marked_and_case_and_punctuation_are_not() -> None:
    left, right = diff_words("The tower opened in 1889.", "the tower, in 1889, was opened")
    assert [word for word, differs in left if differs] == ["opened"]
    assert [word for word, differs in right if differs] == ["was", "opened"]


def test_a_quotation_that_ends_a_sentence_brings_its_own_full_stop() -> None:
    assert words.closed(f"So {words.quoted('It is Saturn.')}") == "So “It is Saturn.”"
    assert words.closed(f"So {words.quoted('Saturn')}") == "So “Saturn”."
    assert words.closed(f"So {words.quoted('מה?')}").endswith("”")
