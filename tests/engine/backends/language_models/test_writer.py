"""The embedded writer on its real weights: step by step, to a conclusion, over passages and from memory."""

import pytest

from engine.backends.language_models import ADAPTERS, load_language_model, rewriter_name, writer_name
from engine.backends.language_models.base import Request
from engine.backends.text import load_text_tools
from engine.core.progress import silent
from engine.core.records import Passage
from engine.methods.conclusion import concluded_answer
from engine.methods.profiles import EMBEDDED, step_by_step_prompt
from engine.methods.step_by_step import STEP_BY_STEP_STOP

pytestmark = pytest.mark.weights
PASSAGES = (
    Passage(title="Bern", text="Bern is the seat of the Swiss government. It lies on the river Aare."),
    Passage(title="Lima", text="Lima is the capital and the largest city of Peru, founded in 1535 by Pizarro."),
)


def said(question: str, passages: tuple[Passage, ...]) -> str:
    """Return what the writer writes in the loop's own prompt."""
    prompt = step_by_step_prompt(question, EMBEDDED, passages)
    request = Request(prompt=prompt, max_tokens=EMBEDDED.step_tokens, stop=STEP_BY_STEP_STOP)
    return load_language_model("embedded-writer").generate([request], silent)[0].text


def test_the_adapter_is_at_most_ten_megabytes() -> None:
    assert sum(path.stat().st_size for path in ADAPTERS["embedded-writer"].iterdir()) < 10_000_000


def test_an_answer_is_read_from_the_passages_and_concluded() -> None:
    text = said("when was lima founded", PASSAGES)
    assert concluded_answer(text, load_text_tools()) == "1535", "seen in a real run"
    assert text.startswith(" Lima was founded in 1535."), "the fact stands before the conclusion"


def test_it_concludes_from_memory_too() -> None:
    assert concluded_answer(said("What is the capital of France?", ()), load_text_tools())


def test_an_adapted_model_rewords_nothing_and_the_writer_answers_beside_the_reader() -> None:
    assert (writer_name("embedded"), rewriter_name("embedded")) == ("embedded-writer", "embedded-base")
    assert rewriter_name("embedded-writer") == "embedded-base" and writer_name("embedded-base") == "embedded-base"


def test_what_is_kept_of_base_writer_and_reader_is_never_mixed() -> None:
    models = [load_language_model(name) for name in ("embedded", "embedded-base", "embedded-writer")]
    assert len({one.identity.revision for one in models}) == 3
    request = Request(prompt=step_by_step_prompt("Who?", EMBEDDED), max_tokens=4)
    assert len({one.memory.key("generation", [request.prompt.text]) for one in models}) == 3  # type: ignore[attr-defined]
