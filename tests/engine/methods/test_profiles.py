"""Prompts hold what they were given, letter by letter, whatever is in it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.records import Passage
from engine.methods.profiles import (
    EMBEDDED,
    PAPER,
    PROFILES,
    Profile,
    answer_prompt,
    context_text,
    fill_template,
    rewrite_prompt,
    sample_prompt,
    sample_tokens,
    sentence_rewrite_prompts,
    step_by_step_prompt,
)

BOTH = pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
HOSTILE = "{question} {0} {context!r} %s {{chunk}} \\1 $x"


@given(st.text(), st.text())
def test_text_that_is_put_in_is_never_read_again(context: str, question: str) -> None:
    assert fill_template("<{context}|{question}>", context=context, question=question) == f"<{context}|{question}>"


def test_every_place_of_a_name_is_filled_and_a_name_without_a_value_stays() -> None:
    assert fill_template("{a} {a} {b}", a="1") == "1 1 {b}"
    assert fill_template("no names", a="1") == "no names"


@BOTH
def test_every_prompt_holds_hostile_text_unchanged(profile: Profile) -> None:
    passages = (Passage(text=HOSTILE),)
    for prompt in (answer_prompt(profile, HOSTILE, passages), sample_prompt(profile, HOSTILE, passages)):
        assert prompt.text.count(HOSTILE) == (3 if profile.name == "embedded" else 2)  # the question stands there twice
    for prompt in (answer_prompt(profile, HOSTILE, ()), sample_prompt(profile, HOSTILE, ())):
        assert prompt.text.count(HOSTILE) == 1
    for prompt in (rewrite_prompt(profile, HOSTILE), *sentence_rewrite_prompts(profile, HOSTILE)):
        assert prompt.text.count(HOSTILE) == 1


@BOTH
def test_no_placeholder_is_left_in_a_prompt(profile: Profile) -> None:
    passages = (Passage(text="Text."),)
    prompts = [
        answer_prompt(profile, "Who?", passages),
        answer_prompt(profile, "Who?", ()),
        sample_prompt(profile, "Who?", passages),
        sample_prompt(profile, "Who?", ()),
        rewrite_prompt(profile, "Text."),
        *sentence_rewrite_prompts(profile, "Text."),
        step_by_step_prompt("Who?"),
    ]
    assert not [prompt.text for prompt in prompts if re.search(r"\{\w+\}", prompt.text)]


def test_passages_stand_one_a_line_with_their_title_first() -> None:
    passages = (Passage(text="One.", title="First"), Passage(text="Two."))
    assert context_text(PAPER, passages) == "First: One.\nTwo."
    assert context_text(EMBEDDED, passages) == "Two.\nFirst: One.", "the best passage stands next to the question"


def test_the_small_models_question_comes_last_and_the_papers_first() -> None:
    passages = (Passage(text="Text."),)
    assert answer_prompt(EMBEDDED, "Who?", passages).text.endswith("answer in a few words: Who?")
    assert answer_prompt(PAPER, "Who?", passages).text.startswith("Answer question Who? based on provided context")


def test_sizes_are_the_ones_the_design_and_the_papers_name() -> None:
    assert [(p.chunk_tokens, p.chunk_overlap, p.passages, p.samples) for p in (EMBEDDED, PAPER)] == [
        (128, 16, 5, 10),
        (512, 64, 5, 10),
    ]


def test_the_papers_samples_answer_the_prompts_of_its_appendix_with_512_tokens_and_128_in_the_code() -> None:
    assert sample_prompt(PAPER, "Who?", (Passage(text="One."), Passage(text="Two."))).text == (
        "Answer the question based on the given document. Only give me the answer and do not output any other words.\n"
        "The following are given documents.One.\nTwo.\nQuestion: Who?"
    )
    assert sample_prompt(PAPER, "Who?", ()).text == (
        "Answer the question based on your own knowledge. Only give me the answer and do not output any other words.\n"
        "Question: Who?"
    )
    assert [sample_tokens(PAPER, "paper"), sample_tokens(PAPER, "code"), sample_tokens(EMBEDDED, "code")] == [
        512,
        128,
        32,
    ]


def test_step_by_step_answers_go_without_a_chat_template() -> None:
    assert not step_by_step_prompt("Who?").chat
    assert step_by_step_prompt("Who?").text.endswith("\nQuestion: Who?\nAnswer:")
