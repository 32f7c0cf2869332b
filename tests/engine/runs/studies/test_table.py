"""Exports of a study's table: every number comes back as it was, and what was not measured is no number."""

import json
import math

import pandas as pd

from engine.runs.studies.table import json_lines


def test_json_keeps_every_decimal_and_tells_infinity_from_what_was_not_measured() -> None:
    third = 1 / 3
    frame = pd.DataFrame(
        {
            "number": [1, 2, 3],
            "question": ["Wer baute „Babel“?", "Who?", "Why?"],
            "dense.entropy": [third, 1.5e-13, math.nan],
            "answer.logprob": [-math.inf, math.inf, -0.25],
        }
    )
    first, second, last = json.loads(json_lines(frame))
    assert (first["number"], first["question"], first["dense.entropy"]) == (1, "Wer baute „Babel“?", third)
    assert (second["dense.entropy"], last["dense.entropy"]) == (1.5e-13, None)
    assert [one["answer.logprob"] for one in (first, second, last)] == ["-Infinity", "Infinity", -0.25]
    assert [float(one["answer.logprob"]) for one in (first, second)] == [-math.inf, math.inf]
