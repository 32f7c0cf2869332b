"""The exact prompt and the tokens of an answer."""

import hashlib
import math
from dataclasses import replace

from engine.core.records import Token
from engine.core.seals import seal_generation
from tests.engine.catalogue.nine_methods import nine
from tests.viz import sample_results as samples
from viz.parts.theme import DARK, LIGHT
from viz.runs import prompts


def test_the_hash_is_the_sha256_of_the_very_string_that_was_tokenised() -> None:
    generation = replace(samples.generation("1889"), rendered="abc")
    assert prompts.prompt_hash(generation) == "ba7816bf8f01"
    assert prompts.prompt_hash(generation) == hashlib.sha256(b"abc").hexdigest()[:12]


def test_prompt_and_answer_are_escaped() -> None:
    generation = replace(samples.generation(samples.HOSTILE), rendered=f"<|im_start|>{samples.HOSTILE}")
    for theme in (LIGHT, DARK):
        html = prompts.prompt_html(generation, theme) + prompts.tokens_html(generation, theme)
        assert "<script" not in html
        assert "&lt;|im_start|&gt;&lt;script&gt;" in html


def test_the_sentence_says_how_the_answer_was_drawn_and_why_it_ended() -> None:
    whole = prompts.prompt_sentence(samples.generation("31 March 1889"))
    assert "4 tokens" in whole and "greedy, seed 0" in whole and prompts.STOPS["end"] in whole
    cut = replace(samples.generation("1889", temperature=1.0, seed=7), stop_reason="length")
    assert "temperature 1, seed 7" in prompts.prompt_sentence(cut) and prompts.STOPS[
        "length"
    ] in prompts.prompt_sentence(cut)


def test_every_token_has_its_probability_and_entropy_in_its_tooltip() -> None:
    html = prompts.tokens_html(samples.generation("31 March"), LIGHT)
    assert html.count("title=") == 3
    assert "entropy 0.80 nats" in html


def test_an_answer_that_was_sealed_shows_that_its_prompt_is_the_one_that_was_run() -> None:
    found = seal_generation(samples.generation("31 March 1889"), 32, ("\n",))
    assert found.seal[:12] in prompts.seal_sentence(found) and "broken" not in prompts.seal_sentence(found)
    html = prompts.prompt_html(found, LIGHT)
    assert found.seal[:12] in html and LIGHT.good in html
    assert prompts.settings_table(found)["Most tokens"] == "32"
    assert prompts.settings_table(found)["Stops before"] == "'\\n'"


def test_a_prompt_that_was_read_quickly_says_so_and_its_seal_knows() -> None:
    full = seal_generation(samples.generation("1889"), 32, ())
    quick = seal_generation(replace(full, kept=True), 32, ())
    assert "read quickly" in prompts.prompt_sentence(quick) and "quickly" not in prompts.prompt_sentence(full)
    assert prompts.settings_table(quick)["Read"].endswith("(quick)")
    assert prompts.settings_table(full)["Read"] == "in full"
    assert "unchanged" in prompts.seal_sentence(quick)
    assert "broken" in prompts.seal_sentence(replace(quick, kept=False))


def test_a_broken_seal_is_red_and_says_what_it_gives_now() -> None:
    found = replace(seal_generation(samples.generation("31 March 1889"), 32, ()), rendered="another prompt")
    assert "broken" in prompts.seal_sentence(found)
    for theme in (LIGHT, DARK):
        assert theme.bad in prompts.prompt_html(found, theme)
    assert prompts.seals_word({"run.answer": found})[1] == "bad"
    assert "“run.answer”" in prompts.seals_sentence({"run.answer": found})


def test_an_answer_made_before_seals_says_so_and_claims_nothing() -> None:
    found = samples.generation("1889")
    assert found.seal == "" and prompts.seal_sentence(found)
    assert prompts.settings_table(found)["Most tokens"] == prompts.settings_table(found)["Stops before"] == "not stored"
    assert prompts.seals_word({"run.answer": found})[1] == "unknown"


def test_every_answer_of_a_run_is_listed_once_with_its_seal() -> None:
    found = prompts.generations_of(nine())
    assert {"run.answer", "run.closed_book", "dense.original", "seper.without.samples.0"} <= set(found)
    table = prompts.generations_table(found)
    assert len(table) == len(found) > 100
    assert set(table["seal"]) == {"the seal holds"}
    assert prompts.seals_word(found)[1] == "good"
    assert prompts.seals_sentence(found) == f"{len(found)} answers: {len(found)} of the seals hold."


def test_an_answer_is_found_at_its_place_and_nothing_else_is() -> None:
    diagnosis = nine()
    for where, generation in prompts.generations_of(diagnosis).items():
        assert prompts.answer_at(diagnosis, where) is generation
    for where in ("", "run", "run.golds", "dense", "dense.chunks", "dense.chunks.99.answer", "dense.__class__", "x.y"):
        assert prompts.answer_at(diagnosis, where) is None


def test_tokens_that_nobody_counted_have_no_number() -> None:
    text = "thirty-two tokens from a server without probabilities"
    whole = Token(id=-1, text=text, start=0, end=len(text), logprob=math.nan, entropy=math.nan)
    uncounted = replace(samples.generation(text), tokens=(whole,))
    assert prompts.token_count(uncounted) is None and "tokens not counted" in prompts.prompt_sentence(uncounted)
    assert prompts.token_count(samples.generation("31 March 1889")) == 4
