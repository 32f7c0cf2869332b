"""How many judgements of a run are of a script that its judge never learned."""

from dataclasses import replace

from engine.core.records import Judgement
from engine.diagnosis.other_scripts import UnknownScript, in_other_scripts
from tests.pages.page_fixtures import whole_diagnosis
from tests.viz.sample_results import seper_helped


def judged(*pairs: tuple[str, str]) -> tuple[Judgement, ...]:
    """Return a judgement of each pair, of a third each."""
    third = 1 / 3
    return tuple(
        Judgement(premise=one, hypothesis=other, contradiction=third, neutral=third, entailment=third)
        for one, other in pairs
    )


def test_pairs_that_no_rule_decides_are_counted_where_one_answer_has_no_latin_letter() -> None:
    pairs = judged(
        ("القاهرة", "الإسكندرية"),
        ("القاهرة", "القاهرة"),  # equal
        ("Москва, Россия", "Москва"),  # the one says the other
        ("в 1869 году", "1869"),  # its number
        ("Moscow", "Москва"),
        ("Moscow", "London"),
    )
    run = whole_diagnosis()
    run = replace(run, provenance=replace(run.provenance, judge="embedded"))
    result = replace(seper_helped(), judgements=pairs)
    assert in_other_scripts(run, result) == UnknownScript(unknown=2, judged=6)
    assert in_other_scripts(run, replace(result, judgements=judged(("Moscow", "London")))) is None
    other = replace(run, provenance=replace(run.provenance, judge="llm"))
    assert in_other_scripts(other, result) is None
