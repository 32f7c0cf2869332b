"""The benchmark of rewordings: what is counted, and that its results hold what is said of them."""

from benchmarks.rewordings import by_whom, read_labelled, rules_of, told_apart
from engine.methods.rewrites import RewordedSentence, RewriteAttempt

SAID = (
    RewordedSentence(text="a", source="kept"),
    RewordedSentence(text="b", source="model", entailment=0.9),
    RewordedSentence(text="c", source="rule", rule="two sentences, another phrase", entailment=0.9),
    RewordedSentence(text="d", source="kept"),
)


def test_sentences_are_counted_by_who_reworded_them() -> None:
    attempt = RewriteAttempt(source="sentences", text="abcd", checks=(), generations=(), sentences=SAID)
    assert by_whom([attempt]) == {"rule": 1, "model": 1, "kept": 2}
    assert rules_of([attempt]) == {"two sentences": 1, "another phrase": 1}


def test_accepted_although_changed_is_a_share_of_the_accepted_and_rejected_although_kept_one_of_the_kept() -> None:
    rows = [{"label": label} for label in ("kept", "kept", "kept", "changed", "changed")]
    found = told_apart(rows, [True, True, False, True, False])
    assert found["share_of_accepted_changed"] == 0.3333
    assert found["share_of_kept_rejected"] == 0.3333


def test_both_passes_and_the_agreed_label_are_kept_with_reasons() -> None:
    rows = read_labelled()
    assert len(rows) >= 300
    assert all(row["first"]["reason"] and row["second"]["reason"] for row in rows)
    assert {row["label"] for row in rows} == {"kept", "changed"}
    assert all(row["label"] == row["first"]["label"] for row in rows if row["first"]["label"] == row["second"]["label"])
