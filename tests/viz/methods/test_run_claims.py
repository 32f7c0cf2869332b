"""The claims of a policy's answer in words and as a table: counted, without evidence, or not counted at all."""

from dataclasses import replace

from engine.backends.text.base import Entity
from engine.methods.quco_claims import CheckedSentence, CountedClaim, CountedEntity
from tests.viz.sample_timing_results import policy_run
from viz.methods.run_claims import claim_words, claims_of, claims_sentence, claims_table


def claim(head: str, tail: str, documents: int | None) -> CountedClaim:
    """Return a claim whose ends meet in so many documents."""
    one, other = (Entity(text=text, start=0, end=len(text), label="PERSON") for text in (head, tail))
    supported = None if documents is None else documents > 0
    return CountedClaim(
        head=CountedEntity(entity=one, count=3),
        relation="rebuilt",
        tail=CountedEntity(entity=other, count=3),
        documents=documents,
        meetings=(),
        supported=supported,
    )


def test_claims_are_told_by_their_evidence_and_what_was_not_counted_is_not_zero() -> None:
    claims = (claim("Lyra Quill", "Clock", 2), claim("Lyra Quill", "Otto", 0), claim("Lyra Quill", "Bremen", None))
    partial = replace(claims[0], tail=None, documents=None, supported=None)
    run = replace(
        policy_run("dragin", "It is so.", True),
        claims=(CheckedSentence(text="It is so.", kind="fact", claims=(*claims, partial)),),
    )
    assert len(claims_of(run)) == 3, "a claim with one end has nothing to meet"
    assert claims_sentence(run).startswith("3 claims: 1 ") and "1 without" in claims_sentence(run)
    assert claims_table(run)["documents together"].tolist()[:2] == [2, 0]
    assert "2 documents" in claim_words(claims[0]) and "not measured" in claim_words(claims[2])


def test_an_earlier_record_was_not_counted_and_an_answer_without_claims_says_so() -> None:
    earlier = policy_run("never", "It is so.", True)
    assert earlier.claims is None and claims_of(earlier) == []
    assert claims_sentence(earlier) != claims_sentence(replace(earlier, claims=()))
