"""The corpora of the growth benchmark: made from the sample sentences only, each the beginning of the next."""

from itertools import islice

import numpy as np
import pytest

from benchmarks.growth_corpus import CURVES, filled, point, recombined, sentences
from benchmarks.growth_records import CorpusGrowth, results_file
from engine.core.json_text import read_json_file


def test_a_smaller_corpus_is_the_beginning_of_a_larger_one_and_holds_sample_sentences_only() -> None:
    few, many = list(recombined(20)), list(islice(recombined(10_000), 60))
    assert many[:20] == few
    known = {text for _, text in sentences()}
    for article in many:
        rest = article["text"]
        while rest:
            first = next(text for text in known if rest == text or rest.startswith(f"{text} "))
            rest = rest[len(first) :].strip()
    assert len({article["text"] for article in many}) == 60
    assert 40 <= np.mean([len(article["text"].split()) for article in many]) <= 60


def test_vectors_beyond_those_embedded_are_seeded_neighbours_of_them() -> None:
    rows = np.random.default_rng(0).standard_normal((50, 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    found = filled(rows, 120)
    assert np.array_equal(found[:50], rows)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1, abs=1e-5)
    cosines = (found[50:100] * rows).sum(axis=1)
    assert 0.4 < cosines.mean() < 0.95 and len(np.unique(found, axis=0)) == 120
    assert np.array_equal(filled(rows, 120), found)


def test_repeats_become_median_and_95th_percentile() -> None:
    one = point(100, [float(n) for n in range(1, 101)], 1e3)
    assert (one.value, one.p95) == (pytest.approx(50_500), pytest.approx(95_050))


def test_the_stored_result_has_every_curve_up_to_a_hundred_thousand_passages() -> None:
    growth = read_json_file(results_file(), CorpusGrowth)
    assert [one.name for one in growth.curves] == [name for name, *_ in CURVES]
    whole = [one for one in growth.curves if one.name != "building: cutting"]
    assert all(one.points[-1].size == 100_000 and one.exponent is not None for one in whole)
    assert any("perturbations" in note for note in growth.notes)


def test_a_hybrid_search_over_a_hundred_thousand_passages_takes_under_fifty_milliseconds_of_a_processor() -> None:
    growth = read_json_file(results_file(), CorpusGrowth)
    for name in ("search, BM25", "search, vector", "search, hybrid", "search, hybrid, question embedded too"):
        found = growth.curve(name)
        assert found is not None and found.points[-1].value < 50
