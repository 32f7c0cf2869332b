"""The base rate of co-occurrence: evidence is that every claimed pair meets; what names nothing is left out."""

from benchmarks.cooccurrence_base import counter_of, has_evidence, rate
from engine.backends.text import load_text_tools
from engine.core.records import Passage

PASSAGES = (
    Passage(title="Clock", text="Mira Halden built the Harbour Clock in Korvel."),
    Passage(title="Quay", text="Joren Marrow lived in Pell."),
)


def test_an_answer_has_evidence_where_it_stands_beside_what_the_question_names() -> None:
    tools, counter = load_text_tools(), counter_of(PASSAGES)
    asked = "Who built the Harbour Clock?"
    assert has_evidence(asked, "Mira Halden", counter, tools) is True
    assert has_evidence(asked, "Joren Marrow", counter, tools) is False
    assert has_evidence(asked, "yes", counter, tools) is None


def test_a_rate_counts_only_what_could_be_counted() -> None:
    found = rate([True, False, False, None])
    assert (found["answers"], found["counted"], found["without_evidence"], found["share"]) == (4, 3, 2, 0.6667)
    # Wilson's interval of 2 of 3, z = 1.96: (2/3 + z²/6 ± z √(2/27 + z²/36)) / (1 + z²/3).
    assert (found["low"], found["high"]) == (0.2077, 0.9385)
