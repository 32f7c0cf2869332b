"""One variant on the embedded models: the closed-book samples have the same seeds, so they are the very same."""

import pytest

from engine.catalogue.verify import verify
from engine.core.records import Passage
from engine.diagnosis.request import DiagnosisRequest
from engine.methods.seper_records import SeperConfig, SeperResult
from engine.runs.compare import Side
from engine.runs.run import run_request
from engine.runs.store import RunStore
from engine.runs.variant_noise import beside
from engine.runs.variant_runs import run_changes
from engine.runs.variants import remove_passage, start_variant, variant_base_request, variant_request

pytestmark = pytest.mark.weights


def test_a_passage_left_out_of_a_real_run_moves_belief_and_no_closed_book_sample(
    tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MICROSCOPE_DTYPE", "float32")
    request = DiagnosisRequest(
        question="Who designed the Eiffel Tower?",
        passages=(
            Passage(text="The Eiffel Tower was designed by the company of Gustave Eiffel and opened in 1889."),
            Passage(text="The Statue of Liberty was a gift from France."),
        ),
        golds=("Gustave Eiffel",),
        methods=("seper",),
        seper=SeperConfig(samples=4),
    )
    tmp_store.create(request, run_id="original")
    tmp_store.finish("original", "done", diagnosis=run_request(request))
    original = tmp_store.get("original")
    start = start_variant(original)
    asked = variant_request(variant_base_request(original), start, remove_passage(start, 0))
    assert (asked.parent, asked.seed) == ("original", request.seed)
    assert original.diagnosis is not None
    sides = [
        Side(run="original", request=variant_base_request(original), diagnosis=original.diagnosis),
        Side(run="variant", request=asked, diagnosis=run_request(asked)),
    ]
    before, after = (side.diagnosis.result(SeperResult, measured=False) for side in sides)
    assert before is not None and after is not None
    assert [one.text for one in before.without.samples] == [one.text for one in after.without.samples]
    assert before.without.soft == pytest.approx(after.without.soft, abs=1e-5)
    found = beside(*sides)
    lines = {line.name: line for line in found.lines}
    assert (lines["SePer, with passages"].difference or 0.0) < 0
    assert lines["SePer, with passages"].noise in ("beyond noise", "within noise", "unclear")
    assert run_changes(*sides)[0].endswith("is left out")
    assert verify(sides[1].diagnosis).whole
