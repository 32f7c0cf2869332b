"""The rewriter's benchmark: what is counted, and that its results hold what is said of them."""

import json

from benchmarks.rewriter import RESULTS, quartiles, sources
from engine.methods.rewrites import RewordedSentence, RewriteAttempt


def test_the_median_of_three_shares_is_the_middle_one_and_of_none_nothing() -> None:
    assert quartiles([0.1, 0.2, 0.4])["median"] == 0.2
    assert quartiles([]) == {}


def test_sentences_are_counted_by_who_reworded_them() -> None:
    said = (
        RewordedSentence(text="a", source="kept"),
        RewordedSentence(text="b", source="model"),
        RewordedSentence(text="c", source="rule", rule="two sentences"),
        RewordedSentence(text="d", source="kept"),
    )
    attempt = RewriteAttempt(source="sentences", text="abcd", checks=(), generations=(), sentences=said)
    assert sources([attempt]) == {"kept": 2, "model": 1, "two sentences": 1}


def test_rules_alone_reword_at_least_eight_passages_in_ten_and_lose_no_answer() -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert results["passages"] >= 100
    assert results["ways"]["rules"]["valid"] >= 0.8
    assert results["ways"]["rules"]["lost_answer"] == 0.0
