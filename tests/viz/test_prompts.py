"""The exact prompt and the tokens of an answer."""

import hashlib
from dataclasses import replace

from tests.viz import sample_results as samples
from viz import prompts
from viz.theme import DARK, LIGHT


def test_the_hash_is_the_sha256_of_the_very_string_that_was_tokenised() -> None:
    generation = replace(samples.generation("1889"), rendered="abc")
    assert prompts.prompt_hash(generation) == "ba7816bf8f01"
    assert prompts.prompt_hash(generation) == hashlib.sha256(b"abc").hexdigest()[:12]


def test_prompt_and_answer_are_escaped() -> None:
    generation = replace(samples.generation(samples.HOSTILE), rendered=f"<|im_start|>{samples.HOSTILE}")
    for theme in (LIGHT, DARK):
        html = prompts.generation_html(generation, theme)
        assert "<script" not in html
        assert "&lt;|im_start|&gt;&lt;script&gt;" in html


def test_the_sentence_says_how_the_answer_was_drawn_and_why_it_ended() -> None:
    assert prompts.sentence(samples.generation("31 March 1889")).endswith(
        "4 tokens written, greedy, seed 0; the model ended its answer."
    )
    cut = replace(samples.generation("1889", temperature=1.0, seed=7), stop_reason="length")
    assert prompts.sentence(cut).endswith("sampled at temperature 1, seed 7; cut off at the most tokens allowed.")


def test_every_token_has_its_probability_and_entropy_in_its_tooltip() -> None:
    html = prompts.tokens_html(samples.generation("31 March"), LIGHT)
    assert html.count("title=") == 3
    assert "entropy 0.80 nats" in html
