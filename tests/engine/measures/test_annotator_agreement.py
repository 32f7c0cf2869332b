"""The coefficients over many resamples are those of the libraries, one by one."""

import numpy as np
import pytest
from nltk.metrics.agreement import AnnotationTask
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss_by_statsmodels

from engine.measures.annotator_agreement import (
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    mean_interval,
)

LABELS = np.random.default_rng(5).integers(0, 3, size=(20, 30, 4))  # 20 sets of 30 items by 4 people
COUNTS = (LABELS[..., None] == np.arange(3)).sum(axis=-2)


def test_cohens_kappa_is_scikit_learns() -> None:
    theirs = [cohen_kappa_score(one[:, 0], one[:, 1]) for one in LABELS]
    assert cohen_kappa(LABELS[..., 0], LABELS[..., 1]) == pytest.approx(theirs)


def test_fleiss_kappa_is_that_of_statsmodels() -> None:
    assert fleiss_kappa(COUNTS) == pytest.approx([fleiss_by_statsmodels(one) for one in COUNTS])


def test_krippendorffs_alpha_is_nltks_with_a_fifth_of_the_labels_missing() -> None:
    kept = np.random.default_rng(6).random(LABELS.shape) < 0.8
    counts = ((LABELS[..., None] == np.arange(3)) & kept[..., None]).sum(axis=-2)
    theirs = []
    for one, there in zip(LABELS, kept, strict=True):
        triples = [(person, item, str(one[item, person])) for item, person in np.argwhere(there)]
        theirs.append(AnnotationTask(triples).alpha())
    assert krippendorff_alpha(counts) == pytest.approx(theirs)


def test_a_label_that_only_one_of_two_people_gives_is_counted() -> None:
    # They agree on 3 of 4; by chance 2/4 * 2/4 + 2/4 * 1/4 = 3/8; (3/4 - 3/8) / (5/8) = 0.6.
    assert cohen_kappa([0, 0, 1, 1], [0, 0, 1, 2]) == cohen_kappa([0, 0, 1, 2], [0, 0, 1, 1]) == pytest.approx(0.6)


def test_where_all_labels_are_the_same_no_coefficient_is_a_number() -> None:
    same = np.array([[2, 0], [2, 0]])
    assert np.isnan([cohen_kappa([0, 0], [0, 0]), fleiss_kappa(same), krippendorff_alpha(same)]).all()


def test_the_interval_of_a_mean_holds_it_and_narrows_with_more_numbers() -> None:
    few, many = [0.0, 10.0] * 4, [0.0, 10.0] * 40
    low, high = mean_interval(few)
    assert low < 5 < high
    # The normal law: 5 and 1.96 standard errors of 5 / sqrt(8).
    assert (low, high) == pytest.approx((5 - 1.96 * 5 / 8**0.5, 5 + 1.96 * 5 / 8**0.5), abs=0.3)
    assert high - low > 2.5 * np.subtract(*reversed(mean_interval(many)))
