"""DENSE-RAG: which context is best, when the search ends, and which chunk each guide brings in."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measures.context_refinement import best_context, choice, refills

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "dense_rag.json").read_text(encoding="utf-8"))
SELECTIONS = ["refine_selection_mixed", "refine_selection_low_dse_never_sufficient", "refine_selection_tie"]
ROUNDS = ["refine_step_one_necessary", "refine_step_two_necessary_same_best", "refine_step_none"]


def played(entropies, flags, threshold, rule):
    """Return (best, stopped at) of a search that reads the contexts one by one and ends where the rule says."""
    for seen in range(1, len(entropies) + 1):
        best, stops = choice(entropies[:seen], flags[:seen], threshold, rule)
        if stops:
            return best, seen - 1
    return best, None


@pytest.mark.parametrize("name", SELECTIONS)
def test_algorithm_3_needs_both_and_the_text_either(name):
    entry = REFERENCE[name]
    entropies, flags = zip(*entry["inputs"]["iterations_DSE_flag"], strict=True)
    flags = [bool(flag) for flag in flags]
    both = entry["expected"]["algorithm3"]
    best, stopped = played(entropies, flags, entry["inputs"]["threshold"], "both")
    assert (best, stopped) == (both["best_iteration"], both["stopped_at"])
    assert (entropies[best], flags[best]) == (both["DSE_min"], bool(both["flag"]))
    text = entry["expected"]["text_sec5_2"]
    assert text["how"] == "stop"
    assert played(entropies, flags, 0.2, "either") == (text["best_iteration"], text["best_iteration"])


@pytest.mark.parametrize("name", ROUNDS)
def test_a_round_prunes_and_refills_as_algorithm_3_does_with_read_chunks_kept(name):
    inputs, expected = REFERENCE[name]["inputs"], REFERENCE[name]["expected"]
    unread = [chunk for chunk in inputs["chunk_set"] if chunk not in inputs["C"]]
    cosines = [[inputs["cosine"][guide][chunk] for chunk in unread] for guide in inputs["necessary"]]
    brought = [unread[column] for column in refills(np.reshape(cosines, (-1, len(unread)))) if column is not None]
    kept = [chunk for chunk in inputs["C"] if chunk not in inputs["unnecessary"]]
    assert kept + brought == expected["new_C"]
    assert sorted({*inputs["C"], *brought}) == expected["visited"]
    assert (kept + brought == inputs["C"]) is expected["unchanged"]


def test_a_sufficient_context_is_not_displaced_by_a_lower_entropy_that_does_not_suffice():
    assert choice([0.3, 0.25], [True, False]) == (0, False)
    assert choice([0.1, 0.15], [False, True]) == (0, False), "printed so: an insufficient lower one blocks it"


def test_an_entropy_that_is_lower_by_rounding_alone_does_not_make_a_context_best():
    # Sums of the same logarithms in another order: 0.3 < 0.1 + 0.2 in floating point.
    assert 0.3 < 0.1 + 0.2
    assert choice([0.1 + 0.2, 0.3], [False, False]) == (0, False)
    assert choice([0.1 + 0.2, 0.3 - 1e-6], [False, False]) == (1, False)


def test_without_any_hit_of_the_rule_the_lowest_entropy_is_fallen_back_on():
    assert choice([0.9, 0.4, 0.6], [False, False, False]) == (1, False)
    assert choice([0.9, 0.4, 0.6], [False, False, False], rule="either") == (1, False)


def test_an_entropy_at_the_threshold_does_not_stop():
    assert choice([0.2], [True]) == (0, False)
    assert choice([0.2], [False], rule="either") == (0, False)


def test_more_guides_than_chunks_leave_the_last_guides_without():
    assert refills([[0.1], [0.9]]) == [0, None]
    assert refills(np.zeros((2, 0))) == [None, None]


@given(st.integers(0, 5), st.integers(0, 6), st.randoms(use_true_random=False))
def test_no_chunk_is_brought_in_twice(guides, chunks, random):
    taken = refills(np.reshape([[random.random() for _ in range(chunks)] for _ in range(guides)], (guides, chunks)))
    brought = [column for column in taken if column is not None]
    assert len(set(brought)) == len(brought) == min(guides, chunks)


@pytest.mark.parametrize(
    ("entropies", "flags", "rule", "reason"),
    [
        ([], [], "both", "one entropy"),
        ([0.1, 0.2], [True], "both", "one entropy"),
        ([float("nan")], [True], "both", "NaN at index 0"),
        ([0.1], [True], "or", "both or either"),
    ],
)
def test_input_that_has_no_answer_is_refused(entropies, flags, rule, reason):
    with pytest.raises(ValueError, match=reason):
        choice(entropies, flags, rule=rule)


def test_cosines_of_another_shape_or_with_nan_are_refused():
    with pytest.raises(ValueError, match="guides, chunks"):
        refills([0.1, 0.2])
    with pytest.raises(ValueError, match=r"NaN at \[0, 1\]"):
        refills([[0.1, float("nan")]])


def test_a_context_whose_dse_is_lower_in_the_last_bit_only_is_no_better():
    # Five of six answers agree, the odd one at another place: both contexts have the same DSE by hand.
    first, same = 0.4505612088663047 / np.log(6), 0.45056120886630463 / np.log(6)
    assert same < first
    assert best_context([first, same], [[first] * 2, [same] * 2], [False] * 2, [False] * 2) == (0, False)
    # Nor does it take the place of a better one that was read before it.
    shares = [0.9, first, same]
    assert best_context(shares, [[one] * 2 for one in shares], [False] * 3, [False] * 3) == (1, False)


def test_the_context_before_the_search_is_beaten_as_a_whole_and_does_not_end_it():
    # Context 2 is lower than context 1 whatever the wordings, context 3 only with some of them.
    intervals = [[0.6, 0.8], [0.3, 0.5], [0.1, 0.6]]
    assert best_context([0.7, 0.4, 0.2], intervals, [False] * 3, [False] * 3) == (1, False)
    # A sufficient context is replaced by a sufficient one only; both must hold of the best for the search to end.
    assert best_context([0.7, 0.4, 0.3], [*intervals[:2], [0.2, 0.3]], [False, True, False], [False] * 3) == (1, False)
    assert best_context([0.7, 0.4], intervals[:2], [False, True], [False, True]) == (1, True)
    assert best_context([0.7], intervals[:1], [True], [True]) == (0, True)
    assert best_context([0.7], intervals[:1], [True], [True], before=1) == (0, False)
    assert best_context([0.7, 0.8], [*intervals[:1], [0.8, 0.8]], [False, True], [False] * 2, "either") == (0, True)
