"""Entities and claims by a prompted model: how its replies are read, and what it invents is left out.

The parsed replies marked by number are ZhishanQ/QuCo-RAG 0bf02a4, generate_quco.py, parse_case, run.
"""

import pytest

from engine.backends.language_models.scripted import ScriptedModel
from engine.backends.text import load_text_tools
from engine.core.progress import silent
from engine.methods.quco_extractor import PromptedReader, parsed_lists


def reader(reply: str) -> tuple[PromptedReader, ScriptedModel]:
    model = ScriptedModel(lambda request: reply)
    return PromptedReader(model, load_text_tools(), silent), model


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ('[["Kumbasaram", "released in", "2017"]]', (("Kumbasaram", "released in", "2017"),)),  # 1
        ("[]", ()),  # 2
        ("", ()),  # 3
        ('[["h","r","t","extra"]]', (("h", "r", "t,extra"),)),  # 7
        ("[[A, born in, Mumbai, Maharashtra, India]]", (("A", "born in", "Mumbai, Maharashtra, India"),)),
        ('[["a","b"', (("a", "b"),)),
        ('[["a", "b", "c"], ["d", "e', (("a", "b", "c"), ("d", "e"))),
        ("The sentence names nobody.", ()),
        ('Sure: [["a", "b"]] and more', (("a", "b"),)),
        ('[["Persona [film]", "by", "Bergman"]]', (("Persona [film]", "by", "Bergman"),)),
        ("[[1, 2, 3]]", ()),
        ("[" * 5000, ()),
    ],
)
def test_a_reply_is_read_as_the_released_code_reads_it(text: str, parsed: tuple[tuple[str, ...], ...]) -> None:
    assert parsed_lists(text) == parsed


def test_claims_that_stand_in_the_sentence_are_kept_and_the_invented_left_out() -> None:
    made, model = reader('[["mozart", "died in", "Vienna"], ["Kumbasaram", "released in", "2017"], ["Mozart", "died"]]')
    found = made.triplets("Mozart died in Vienna.")
    assert [(t.head.text, t.relation, t.tail.text if t.tail else None) for t in found] == [
        ("Mozart", "died in", "Vienna"),
        ("Mozart", "died", None),
    ]
    assert (found[0].tail.start, found[0].tail.end) == (15, 21)  # type: ignore[union-attr]
    assert made.extractions[0].left_out == ("Kumbasaram", "2017")
    assert "Sentence:\nMozart died in Vienna.\nentities:\n" in model.requests[0].prompt.text


def test_the_entities_of_a_question_are_those_the_model_names() -> None:
    made, model = reader('[["The Magic Flute"], ["Salieri"]]')
    assert [e.text for e in made.entities("Who wrote The Magic Flute?")] == ["The Magic Flute"]
    assert model.requests[0].prompt.text.startswith("Extract the key entities")


def test_a_conclusion_is_not_asked_about() -> None:
    made, model = reader('[["Sweden", "is", "Sweden"]]')
    assert made.triplets("So the answer is Sweden.") == () and model.requests == []


def test_prose_gives_no_claim_and_is_kept() -> None:
    made, _ = reader("I cannot do this.")
    assert made.triplets("Mozart died in Vienna.") == ()
    assert made.extractions[0].generation.text == "I cannot do this."
    assert [span.text for span in made.sentences("It rained. He left.")] == ["It rained.", "He left."]
    assert [word.text for word in made.words("One.")] == ["One", "."]
