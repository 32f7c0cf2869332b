"""How the judge's quality is drawn: numbers of a small made-up result, and nothing where nothing was measured."""

import json
from pathlib import Path

from engine.backends.entailment.measured import judge_quality
from tests.viz.numbers_in_text import numbers_in
from viz.parts.theme import DARK, LIGHT
from viz.workspace.judge_quality import (
    agreement_bars,
    agreement_sentence,
    agreement_table,
    reliability_diagram,
    reliability_sentence,
    reliability_table,
)

WRITTEN = {
    "data": "some answers",
    "systems": {"fid": "DPR-FiD", "gpt4": "GPT-4"},
    "accuracy": {
        "embedded": {"fid": 94.0, "gpt4": 92.0, "answers": 1200},
        "lexical match": {"fid": 87.0, "gpt4": 81.0},
        "embedded, on the answers asked of llm": {"fid": 90.0, "gpt4": 90.0},
    },
    "reliability": {
        "bins": [{"answers": 300, "said": 0.1, "right": 0.12}, {"answers": 900, "said": 0.9, "right": 0.93}],
        "expected_calibration_error": 0.0275,
    },
}


def test_a_missing_file_is_not_measured(tmp_path: Path) -> None:
    assert judge_quality(tmp_path / "judge.json") is None


def test_what_was_measured_is_said_drawn_and_tabled(tmp_path: Path) -> None:
    path = tmp_path / "judge.json"
    path.write_text(json.dumps(WRITTEN))
    quality = judge_quality(path)
    assert quality is not None and [name for name, _ in quality.agreement] == ["embedded", "lexical match"]
    assert numbers_in(agreement_sentence(quality)) == ["1,200", "2", "93.0", "84.0"]
    assert numbers_in(reliability_sentence(quality)) == ["2.8"]
    assert agreement_table(quality).loc["lexical match", "mean"] == 84.0
    assert reliability_table(quality)["answers"].tolist() == [300, 900]
    for theme in (LIGHT, DARK):
        bars, dots = agreement_bars(quality, theme).data
        assert list(bars.x) == [93.0, 84.0] and list(dots.x) == [94.0, 92.0, 87.0, 81.0]
        diagram = reliability_diagram(quality, theme)
        assert list(diagram.data[1].y) == [0.12, 0.93] and diagram.data[1].marker.size[1] == 36
