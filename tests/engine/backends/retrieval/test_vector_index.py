"""Vector search is the dot product, exactly."""

import numpy as np
import pytest

from engine.backends.retrieval.vector_index import VectorIndex


def test_scores_are_cosines_in_the_order_of_the_passages() -> None:
    rows = np.array([[1, 0], [0.6, 0.8], [0, 1]], dtype=np.float32)
    assert VectorIndex(rows).scores(np.array([0, 1], dtype=np.float32)) == pytest.approx([0, 0.8, 1])
