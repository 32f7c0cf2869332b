"""What QuCo-RAG's page says in words of its counts: how many, of what, what they leave open, and why a claim fails."""

from dataclasses import replace

from engine.methods.quco_rag import CheckedSentence
from tests.viz.sample_trend_results import COCHIN, GAMA, INDIA, LISBON, SINES, UNCOUNTED, ZAMORIN, claim, quco_result
from viz.methods.quco_rag import claim_sentence, claims_table, failing_words, limits, sentence, verdict

MEETS, APART = claim(GAMA, "born in", SINES, 2), claim(GAMA, "left", LISBON, 0)
OPEN, ALONE = claim(GAMA, "met", INDIA, None), claim(GAMA, "sailed", None)


def told(short, *longer):
    """Return a result whose short answer holds the first claims, and its longer text the others; None: no answer."""
    sentences = [CheckedSentence(text="A sentence.", kind="fact", claims=longer)]
    sentences += [] if short is None else [CheckedSentence(text="x", kind="short answer", claims=short)]
    return quco_result((GAMA,), tuple(sentences))


def test_the_sentence_counts_pairs_of_the_short_answer_and_of_the_longer_text():
    counted_in = "Counted in “Small encyclopaedia” (120 documents), within 1,000 words."
    born = "“Vasco da Gama” with “Sines”"
    left = "“Vasco da Gama” with “Lisbon”"
    assert sentence(told((MEETS,))) == f"Short answer: 1 of 1 claimed pair meets. {counted_in}"
    assert sentence(told((MEETS, APART), MEETS)) == (
        f"Short answer: 1 of 2 claimed pairs meet, not {left}. Longer text: 1 of 1 claimed pair meets. {counted_in} "
        "No evidence does not mean false."
    )
    assert sentence(told((OPEN,), MEETS)) == (
        f"Short answer: not measured. Longer text: 1 of 1 claimed pair meets. {counted_in} 1 claim not measured."
    )
    assert sentence(told((ALONE,), MEETS)).startswith("Short answer: no claim with two ends. Longer text: 1 of 1 ")
    assert sentence(told(None, MEETS)).startswith("Longer text: 1 of 1 ") and born not in sentence(told(None, MEETS))
    often = replace(told((MEETS,)), cooccurrence_threshold=2)
    assert "within 1,000 words, in 2 documents or more." in sentence(often)


def test_the_limits_name_only_what_is_there():
    assert limits(told((MEETS,), ALONE)) == ""
    assert limits(told((APART,), OPEN, OPEN)) == "No evidence does not mean false. 2 claims not measured."
    guessed = replace(MEETS, estimated=True)
    assert limits(told((guessed,), MEETS)) == "The index only estimates 1 count."


def test_the_verdict_tells_both_texts_apart_and_what_was_not_measured():
    found = verdict(told((MEETS, APART), OPEN))
    assert found.brief == "Pairs that meet: 1 of 2 (short answer) and not measured (longer text)."
    assert found.detail.startswith("No evidence does not mean false. 1 claim not measured. On real questions ")
    bare = verdict(told((MEETS,)))
    assert (
        bare.sentence
        == "Pairs that meet in “Small encyclopaedia”: 1 of 1 (short answer) and none claimed (longer text)."
    )
    nothing = verdict(told((ALONE,)))
    assert (nothing.word, nothing.sentence, nothing.detail, nothing.brief) == (
        "nothing to check", "No claim with two ends.", "", ""
    )  # fmt: skip


def test_claims_that_no_look_up_answered_are_not_measured_rather_than_not_there():
    refused = replace(OPEN, reason="The server allows no more questions for now.")
    found = verdict(told((refused,), OPEN))
    assert (found.word, found.tone, found.detail) == ("not measured", "unknown", "")
    assert found.sentence == (
        "Not measured: 2 claims could not be counted. The server allows no more questions for now."
    )
    assert sentence(told((OPEN,))).startswith("Not measured: 1 claim could not be counted. Corpus: ")


def test_a_pair_that_one_claim_lacks_evidence_for_has_none():
    # The same ends, once with evidence and once without, in either order: the minimum of eq. 4 decides.
    weak = replace(MEETS, supported=False)
    for claims in ((MEETS, weak), (weak, MEETS)):
        assert verdict(told(claims)).word == "short answer without evidence"


def test_a_claim_says_each_count_and_zero_apart_from_not_measured():
    result = told(None, MEETS)
    assert claim_sentence(claim(ZAMORIN, "met", None), result) == (
        "“Zamorin of Quilon” has no second end. Occurrences: 0, never named."
    )
    assert claim_sentence(claim(UNCOUNTED, "to", INDIA), result) == (
        "“the sea route” – to – “India”: not measured. Occurrences: “the sea route” not measured; “India” 640."
    )
    found = "“Vasco da Gama” – born in – “Sines”: both in 2 documents within 1,000 words (supported). "
    ends = "Occurrences: “Vasco da Gama” 41; “Sines” 6."
    assert claim_sentence(MEETS, result) == found + ends
    related = replace(result, relation_check=True)
    assert claim_sentence(MEETS, related) == f"{found}{ends} As one phrase: not measured."
    assert claim_sentence(replace(MEETS, phrase_count=1234), related) == f"{found}{ends} As one phrase: 1,234."
    assert list(claims_table(told(None, MEETS, ALONE))["tail"]) == ["Sines", ""]


def test_what_fails_in_a_sentence_is_named_by_its_reason():
    assert failing_words((MEETS, APART)) == ""
    failing = [replace(one, fails=True) for one in (MEETS, APART, claim(COCHIN, "is", None))]
    assert failing_words(failing) == (
        "Fails: nothing says “Vasco da Gama born in Sines”, “Vasco da Gama” never meets “Lisbon” and “Cochin” is too "
        "rare (3)."
    )
    rarely = replace(MEETS, fails=True, supported=False)
    assert failing_words((rarely,)) == "Fails: “Vasco da Gama” meets “Sines” too rarely (2)."
    assert failing_words((replace(rarely, estimated=True),)).endswith("too rarely (about 2).")
    beyond = replace(APART, fails=True, nearest=61)
    assert failing_words((beyond,)).endswith("never meets “Lisbon” (in one document, 61 words apart).")
