"""What was computed is what you see: every prompt of a run, its seal, and red where something was changed."""

import re
from dataclasses import replace

import pytest

from engine.core.seals import seal_generation
from engine.runs.store import RunStore
from pages.shared.links import PAGES
from tests.pages.page_fixtures import answered, kept, opened, row_tables, whole_diagnosis, words_on
from tests.viz.sample_results import HOSTILE, generation

PAGE = "pages/workspace/prompts.py"


def test_a_run_made_before_seals_says_so(store: RunStore) -> None:
    page = opened(PAGE, kept(store, whole_diagnosis(), "old"))
    assert set(row_tables(page)[0]["seal"]) == {"made before seals"}


def test_a_sealed_answer_is_shown_to_hold_with_its_settings(store: RunStore) -> None:
    answer = seal_generation(generation("31 March 1889"), 32, ("\n",))
    page = opened(PAGE, kept(store, answered(whole_diagnosis(), answer), "sealed"))
    words = words_on(page)
    assert answer.seal[:12] in words
    assert set(row_tables(page)[0]["seal"]) == {"the seal holds", "made before seals"}


def test_a_tampered_answer_is_red_on_the_prompts_page_and_on_the_ask_page(store: RunStore) -> None:
    answer = replace(seal_generation(generation("31 March 1889"), 32, ("\n",)), rendered="something else was asked")
    run_id = kept(store, answered(whole_diagnosis(), answer), "tampered")
    assert opened(PAGE, run_id).error or "broken" in words_on(opened(PAGE, run_id))
    assert opened(PAGES["ask"], run_id).error or "broken" in words_on(opened(PAGES["ask"], run_id))


def test_a_prompts_markup_stays_text(store: RunStore) -> None:
    answer = seal_generation(replace(generation(HOSTILE), rendered=HOSTILE), 32, ())
    words = words_on(opened(PAGE, kept(store, answered(whole_diagnosis(), answer), "hostile")))
    assert "<script>" not in words and "&lt;script&gt;" in words


def test_the_tokens_of_a_prompt_whose_model_is_not_here_are_said_to_be_not_stored(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.backends.language_models import prompt_tokens
    from engine.core.errors import ModelError

    def refuse(name: str, generation: object) -> None:
        raise ModelError(f"No tokenizer of {name!r}.")

    monkeypatch.setattr(prompt_tokens, "cut_prompt", refuse)
    page = opened(PAGE, kept(store, whole_diagnosis(), "old"))
    page.toggle(key="prompt.tokens.old.run.answer").set_value(True).run()
    words = words_on(page).replace("\\", "")
    assert "No tokenizer of" in words


@pytest.mark.parametrize(("chosen", "marked"), [("", "The answer over the passages"), ("run.closed_book", "memory")])
def test_the_row_whose_prompt_is_shown_is_marked_and_no_other(store: RunStore, chosen: str, marked: str) -> None:
    kept(store, whole_diagnosis(), "tower")
    page = opened(PAGE, "tower", lambda page: page.query_params.update({"answer": chosen}) or page.run())
    table = next(str(one.proto.body) for one in page.get("html") if "rm-rows" in str(one.proto.body))
    rows = re.findall(r'<tr class="[^"]*\brm-picked-row">.*?</tr>', table, re.DOTALL)
    assert len(rows) == 1 and marked in rows[0]
