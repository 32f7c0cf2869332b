"""The one road: what is refused, what is kept, and one whole diagnosis on the embedded models."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import engine
from engine.backends.corpus_stats import count_documents
from engine.backends.entailment.scripted import ScriptedJudge
from engine.backends.language_models.base import Request
from engine.backends.language_models.scripted import ScriptedModel
from engine.backends.retrieval.scripted import HashedWords
from engine.core.errors import Cancelled, CorpusError, InputError, ModelError, QuestionError
from engine.core.progress import Event, Found, Snapshot, Stage, silent
from engine.core.records import Passage
from engine.diagnosis.record import Diagnosis, Outcome
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.serialize import from_json, to_json
from engine.methods import DEFAULT_METHODS, METHODS
from engine.methods.dense_records import DenseConfig
from engine.methods.quco_claims import QucoConfig
from engine.methods.quco_rag import QucoResult
from engine.methods.seper_records import SeperConfig
from engine.methods.sugar import SugarConfig
from engine.methods.timing.method import TimingConfig
from engine.runs import run as road
from engine.runs.request_checks import check_request
from engine.runs.run import run_request
from engine.thresholds.apply import fit_words, papers_kept
from engine.thresholds.fitted.records import FittedThresholds
from engine.thresholds.fitted.records import to_json as fit_to_json
from tests.engine.thresholds.calibration_case import ORIGIN, fit

PASSAGES = (Passage(text="The Vesper Clock was rebuilt by Lyra Quill."), Passage(text="Bremen has a harbour."))


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    """Return a scripted model that the road opens instead of a real one."""

    def speak(request: Request) -> str:
        return "Lyra Quill rebuilt the Vesper Clock. So the answer is Lyra Quill."

    model = ScriptedModel(speak)
    monkeypatch.setattr(road, "load_language_model", lambda name, report, device: model)
    monkeypatch.setattr(road, "load_judge", lambda name, model, device: ScriptedJudge({}))
    monkeypatch.setattr(road, "load_embedder", lambda device: HashedWords())
    yield model


def test_an_empty_question_is_refused_with_what_to_do() -> None:
    with pytest.raises(QuestionError, match="There is no question"):
        engine.diagnose("  \n ")


def test_a_question_of_ten_thousand_words_is_refused_with_the_limit() -> None:
    with pytest.raises(QuestionError, match=r"10,000 words and 39,999 characters\. At most 400 words"):
        engine.diagnose("why " * 10_000)


def test_blank_passages_are_refused() -> None:
    with pytest.raises(CorpusError, match="passages are empty"):
        engine.diagnose("Who?", passages=["  ", ""])


def test_an_unknown_method_is_named() -> None:
    with pytest.raises(InputError, match="no method 'sense'"):
        engine.diagnose("Who?", passages=["x"], methods=("sense",))


def test_a_missing_corpus_is_a_sentence(scripted, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="There is no file or folder"):
        engine.diagnose("Who?", corpus=tmp_path / "nowhere")


def test_an_empty_corpus_folder_is_a_sentence(scripted, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"holds no \.txt, \.md, \.jsonl, .* file to index"):
        engine.diagnose("Who?", corpus=tmp_path)


def test_nothing_retrieved_is_a_sentence_that_says_what_to_do(scripted, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    (tmp_path / "rome.txt").write_text("Rome lies on the Tiber.")
    with pytest.raises(CorpusError, match=r"No passage shares a word with the question; search by meaning"):
        run_request(DiagnosisRequest(question="Zebra?", corpus=str(tmp_path / "rome.txt"), retriever="bm25"))
    assert scripted.requests == []


def test_one_chunk_only_is_read_by_every_method(scripted) -> None:
    found = engine.diagnose("Who rebuilt the Vesper Clock?", passages=PASSAGES[:1], answers=("Lyra Quill",))
    # One passage has no other one to contradict.
    assert [outcome.status for outcome in found.outcomes] == [*["done"] * 5, "not measured", "done"]
    dense = found.outcome("dense").result
    assert (dense.entropy, [chunk.label for chunk in dense.chunks]) == (0.0, ["certain"])
    assert found.outcome("seper").result.delta_soft == 0.0


def test_counts_and_choices_of_a_request_are_bounded() -> None:
    breaches: list[tuple[dict[str, Any], str]] = [
        *(({"seper": SeperConfig(samples=samples)}, f"samples .*1.* 100.* {samples}") for samples in (0, -1, 101)),
        *(({"seper": SeperConfig(temperature=value)}, f"temperature .*0.* {value}") for value in (0.0, -1.0, math.nan)),
        *(({"k": k}, f"passages .*1.* 20.* {k}") for k in (0, 21)),
        ({"profile": "papr"}, "embedded.*paper.*papr"),
        ({"retriever": "bm26"}, "bm25.*bm26"),
        ({"thresholds": "mine"}, "fitted.*mine"),
    ]
    for changed, words in breaches:
        with pytest.raises(InputError, match=words):
            check_request(DiagnosisRequest(question="Who?", **changed))


def test_half_a_character_is_refused_before_anything_is_asked(scripted) -> None:
    for asked in (
        DiagnosisRequest(question="Who \udcff?"),
        DiagnosisRequest(question="Who?", golds=("\ud800",)),
        DiagnosisRequest(question="Who?", passages=(Passage(text="x\udc80"),)),
    ):
        with pytest.raises(InputError, match="half a character"):
            run_request(asked)
    assert scripted.requests == []


def test_gold_answers_are_tidied_and_kept_once() -> None:
    assert check_request(DiagnosisRequest(question="Who?", golds=(" A ", "A", "", "B"))).golds == ("A", "B")


def test_no_methods_only_answers(scripted) -> None:
    found = engine.diagnose("Who rebuilt it?", passages=PASSAGES, methods=())
    assert found.answer.text.startswith("Lyra Quill")
    assert found.outcomes == ()
    assert len(scripted.requests) == 2


def test_each_method_has_a_status_and_the_record_survives_json(scripted) -> None:
    found = engine.diagnose("Who rebuilt the Vesper Clock?", passages=PASSAGES, answers=("Lyra Quill",))
    assert tuple(outcome.method for outcome in found.outcomes) == DEFAULT_METHODS
    assert {outcome.status for outcome in found.outcomes} <= {"done", "not measured"}
    assert to_json(from_json(found.to_json())) == found.to_json()


def test_without_passages_dense_and_seper_say_why_they_have_no_number(scripted) -> None:
    found = engine.diagnose("Who rebuilt it?")
    reasons = {outcome.method: (outcome.status, outcome.reason) for outcome in found.outcomes}
    assert reasons["dense"][0] == "not measured"
    assert "there are none" in reasons["dense"][1]
    assert reasons["seper"][0] == "not measured"


def test_a_method_that_fails_leaves_the_others_standing(scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError("weights must be finite")

    methods = dict(road.METHODS)
    methods["dense"] = replace(METHODS["dense"], run=broken)
    monkeypatch.setattr(road, "METHODS", methods)
    found = engine.diagnose("Who rebuilt it?", passages=PASSAGES, methods=("dense", "quco_rag"))
    assert found.outcome("dense").status == "failed"
    assert "weights must be finite" in found.outcome("dense").reason
    assert found.outcome("quco_rag").status != "failed"


def test_a_backend_that_refuses_fails_its_method_with_its_own_sentence(scripted, monkeypatch) -> None:
    def refuses(self, requests, report):
        if any(request.temperature > 0 for request in requests):
            raise ModelError("The server answers 429: too many requests.")
        return original(self, requests, report)

    original = ScriptedModel.generate
    monkeypatch.setattr(ScriptedModel, "generate", refuses)
    found = engine.diagnose("Who rebuilt it?", passages=PASSAGES, methods=("seper", "entropy_trend"))
    assert found.outcome("seper").reason == "The server answers 429: too many requests."
    assert found.outcome("entropy_trend").status == "done"


@pytest.mark.parametrize("row", [(float("nan"),) * 3, (0.5, 0.5, 0.5)], ids=["NaN", "sum 1.5"])
def test_a_judge_that_answers_nonsense_fails_its_methods_with_a_sentence(scripted, monkeypatch, row) -> None:
    monkeypatch.setattr(road, "load_judge", lambda name, model, device: ScriptedJudge(lambda premise, hypothesis: row))
    found = engine.diagnose(
        "Who rebuilt it?", passages=PASSAGES, answers=("Lyra Quill",), methods=("seper", "entropy_trend")
    )
    assert found.outcome("seper").status == "failed"
    assert found.outcome("seper").reason.startswith("The judge scripted gave [")
    assert found.outcome("entropy_trend").status == "done"


def test_a_model_that_gives_nan_fails_its_methods_with_a_sentence(monkeypatch) -> None:
    nan = float("nan")
    monkeypatch.setattr(
        road, "load_language_model", lambda name, report, device: ScriptedModel(lambda _: [("A", nan, nan)])
    )
    monkeypatch.setattr(road, "load_judge", lambda name, model, device: ScriptedJudge({}))
    monkeypatch.setattr(road, "load_embedder", lambda device: HashedWords())
    found = engine.diagnose("Who rebuilt it?", passages=PASSAGES, methods=("seper", "entropy_trend"))
    for outcome in found.outcomes:
        assert outcome.status == "failed"
        assert outcome.reason.startswith("scripted gave NaN as the log-probability or entropy of 'A'")


def test_stopping_between_methods_keeps_what_was_reported(scripted) -> None:
    kept: list[Snapshot] = []

    def stop_at_seper(event: Event) -> None:
        if isinstance(event, Snapshot):
            kept.append(event)
        if isinstance(event, Stage) and event.method == "seper":
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        run_request(DiagnosisRequest(question="Who rebuilt it?", passages=PASSAGES), stop_at_seper)
    last = kept[-1].record
    assert last.outcome("dense").status in ("done", "not measured")
    assert last.outcome("seper").status == "waiting"


def stopped_at(word: str, request: DiagnosisRequest) -> Diagnosis:
    """Return what is kept of a request that is stopped when a method begins."""
    kept: list[Diagnosis] = []

    def stop(event: Event) -> None:
        if isinstance(event, Snapshot):
            kept.append(event.record)  # type: ignore[arg-type]
        if isinstance(event, Stage) and event.method == word:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        run_request(request, stop)
    return from_json(to_json(kept[-1]))


def test_a_run_that_goes_on_takes_over_what_had_finished_and_ends_as_if_it_had_not_been_stopped(
    scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = DiagnosisRequest(question="Who rebuilt it?", passages=PASSAGES, methods=("dense", "seper", "quco_rag"))
    half = replace(stopped_at("seper", request), seconds=100.0)
    whole = run_request(request)
    with monkeypatch.context() as patch:
        broken = replace(METHODS["dense"], run=lambda *_: pytest.fail("DENSE ran again"))
        patch.setitem(METHODS, "dense", broken)
        resumed = run_request(request, silent, half)
    assert resumed.outcome("dense") == half.outcome("dense")
    assert [o.status for o in resumed.outcomes] == [o.status for o in whole.outcomes]
    assert resumed.outcome("seper").result == whole.outcome("seper").result
    assert 100 < resumed.seconds < 150


def test_what_failed_before_is_tried_again(scripted) -> None:
    request = DiagnosisRequest(question="Who rebuilt it?", passages=PASSAGES, golds=("Lyra Quill",), methods=("seper",))
    whole = run_request(request)
    failed = replace(whole, outcomes=(Outcome(method="seper", status="failed", reason="The judge was gone."),))
    assert run_request(request, silent, failed).outcome("seper").status == "done"


def test_nothing_is_taken_over_from_other_passages_answers_or_models(scripted) -> None:
    request = DiagnosisRequest(question="Who rebuilt it?", passages=PASSAGES, methods=("seper",))
    whole = run_request(request)
    marked = replace(whole, outcomes=tuple(replace(outcome, seconds=1234.5) for outcome in whole.outcomes))
    others = (
        replace(marked, hits=marked.hits[:1]),
        replace(marked, answer=replace(marked.answer, text="Someone else")),
        replace(marked, provenance=replace(marked.provenance, model_revision="another")),
        replace(marked, provenance=replace(marked.provenance, seed=7)),
    )
    assert run_request(request, silent, marked).outcome("seper").seconds == 1234.5
    assert [run_request(request, silent, other).outcome("seper").seconds == 1234.5 for other in others] == [False] * 4


def test_the_passages_are_reported_before_anything_is_asked_of_the_model(scripted) -> None:
    def stop(event: Event) -> None:
        if isinstance(event, Found):
            assert [hit.passage.text for hit in event.hits] == [passage.text for passage in PASSAGES]
            raise Cancelled("seen")

    with pytest.raises(Cancelled, match="seen"):
        run_request(DiagnosisRequest(question="Who rebuilt it?", passages=PASSAGES), stop)
    assert scripted.requests == []


def test_html_and_right_to_left_text_pass_through_unchanged(scripted) -> None:
    text = "<script>alert(1)</script> 🌟 من بنى الساعة"
    found = engine.diagnose("Who? <b>", passages=[text], methods=("quco_rag",))
    assert found.hits[0].passage.text == text
    assert found.question == "Who? <b>"


def test_emoji_and_right_to_left_text_run_through_every_method_with_offsets_that_hold(monkeypatch) -> None:
    said = "بنى المهندس الساعة 🕰️ في القاهرة عام 1890 . So the answer is القاهرة 🇪🇬."
    monkeypatch.setattr(road, "load_language_model", lambda name, report, device: ScriptedModel(lambda _: said))
    monkeypatch.setattr(road, "load_judge", lambda name, model, device: ScriptedJudge({}))
    monkeypatch.setattr(road, "load_embedder", lambda device: HashedWords())
    passages = ["بنيت الساعة في القاهرة عام 1890 🕰️.", "<script>alert('x')</script> <b>שעון</b>"]
    found = engine.diagnose("من بنى الساعة 🕰️؟", passages=passages, answers=("القاهرة",))
    assert {outcome.status for outcome in found.outcomes} <= {"done", "not measured"}
    trend = found.outcome("entropy_trend").result
    assert all(trend.generation.text[word.start : word.end] == word.text for word in trend.words)
    assert "القاهرة" in [word.text for word in trend.words]
    for hit, passage in zip(found.hits, passages, strict=True):
        assert hit.passage.text == passage
    assert to_json(from_json(found.to_json())) == found.to_json()


def test_names_are_sent_to_the_counting_service_only_where_the_request_says_so(scripted, monkeypatch) -> None:
    opened = []
    monkeypatch.setattr(road, "count_online", lambda index, report: opened.append(index) or count_documents((), index))
    for methods, counts in ((("quco_rag",), "corpus"), (("entropy_trend",), "infini-gram")):
        quco = QucoConfig(counts=counts)  # type: ignore[arg-type]
        run_request(DiagnosisRequest(question="Who?", passages=PASSAGES, methods=methods, quco_rag=quco))
    assert opened == []
    quco = QucoConfig(counts="infini-gram", infini_gram_index="an index")
    run_request(DiagnosisRequest(question="Who?", passages=PASSAGES, methods=("quco_rag",), quco_rag=quco))
    assert opened == ["an index"]


def test_the_whole_loop_and_a_named_extractor_survive_json_over_pasted_passages(scripted) -> None:
    quco = QucoConfig(dynamic=True, extractor="embedded-base", relation_check=True)
    asked = DiagnosisRequest(
        question="Who rebuilt the Vesper Clock?", passages=PASSAGES, methods=("quco_rag",), quco_rag=quco
    )
    made = run_request(asked)
    result = made.outcomes[0].result
    assert isinstance(result, QucoResult) and result.loop is not None
    assert (result.loop.answer, result.loop.closed_book_answer) == ("Lyra Quill", "Lyra Quill")
    assert (result.extractor, len(result.extractions) > 0) == ("embedded-base", True)
    assert to_json(from_json(to_json(made))) == to_json(made)


def test_two_runs_with_one_seed_are_equal(scripted) -> None:
    one, other = (engine.diagnose("Who rebuilt it?", passages=PASSAGES, seed=3, methods=("seper",)) for _ in range(2))
    assert one.outcome("seper").result == other.outcome("seper").result


@pytest.mark.weights
def test_a_whole_diagnosis_on_the_embedded_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROSCOPE_DTYPE", "float32")
    found = engine.diagnose(
        "Who designed the Eiffel Tower?",
        passages=[
            "The Eiffel Tower was designed by the company of Gustave Eiffel and opened in 1889.",
            "The Statue of Liberty was a gift from France.",
        ],
        answers=("Gustave Eiffel",),
    )
    assert found.answer.text.strip() == "Gustave Eiffel", "seen in a real run"
    assert {outcome.method: outcome.status for outcome in found.outcomes if outcome.status == "failed"} == {}
    trend = found.outcome("entropy_trend").result
    assert trend.points
    seper = found.outcome("seper").result
    assert sum(seper.with_passages.weights) == pytest.approx(1.0)
    assert seper.with_passages.soft > 0.2
    assert found.provenance.model_dtype == "float32"
    assert (found.provenance.writer, found.provenance.rewords[0]) == ("embedded-writer", "embedded-base")
    assert from_json(found.to_json()).answer == found.answer


def with_a_fit(folder: Path, monkeypatch: pytest.MonkeyPatch, found: FittedThresholds) -> None:
    """Put a fit where the user's own are looked for."""
    monkeypatch.setenv("MICROSCOPE_HOME", str(folder))
    (folder / "fitted").mkdir()
    (folder / "fitted" / "mine.json").write_text(fit_to_json(found), encoding="utf-8")


FITTED = DiagnosisRequest(
    question="Who rebuilt the Vesper Clock?",
    passages=PASSAGES,
    golds=("Lyra Quill",),
    methods=("dense", "entropy_trend", "sugar", "timing"),
    model="scripted",
    judge="scripted",
    timing=TimingConfig(policies=()),
    thresholds="fitted",
)


def test_fitted_thresholds_take_the_papers_place_and_every_result_says_so(scripted, tmp_path, monkeypatch) -> None:
    values = {"dse": 0.3, "sugar_low": 0.1, "sugar_high": 0.2, "alpha": 0.75, "flare": 0.5}
    with_a_fit(tmp_path, monkeypatch, fit(**values))
    found = run_request(FITTED)
    dense, etc, sugar, timing = (found.outcome(word).result for word in FITTED.methods)
    assert (dense.threshold, dense.threshold_source) == (0.3, "fitted")
    assert (etc.alpha, etc.alpha_source) == (0.75, "fitted")
    assert (sugar.low, sugar.high, sugar.threshold_source) == (0.1, 0.2, "fitted")
    assert timing.config.fitted == ("entropy_trend", "flare")
    bars = {lane.policy: lane.bar.threshold for lane in timing.lanes}
    assert (bars["entropy_trend"], bars["flare"], bars["dragin"]) == (0.75, 0.5, 1.0)
    assert found.provenance.thresholds == "fitted on 40 questions (questions.jsonl) over three passages"
    assert to_json(from_json(found.to_json())) == found.to_json()


def test_without_asking_for_it_a_fit_changes_nothing(scripted, tmp_path, monkeypatch) -> None:
    with_a_fit(tmp_path, monkeypatch, fit(dse=0.3, alpha=0.75))
    found = run_request(replace(FITTED, thresholds="paper", methods=("dense", "entropy_trend")))
    assert (found.outcome("dense").result.threshold, found.outcome("dense").result.threshold_source) == (0.2, "paper")
    assert (found.outcome("entropy_trend").result.alpha_source, found.provenance.thresholds) == ("paper", "")


def test_a_fit_of_another_revision_is_refused_and_not_used(scripted, tmp_path, monkeypatch) -> None:
    with_a_fit(tmp_path, monkeypatch, fit(replace(ORIGIN, model_revision="older"), dse=0.3))
    with pytest.raises(InputError, match="No thresholds were fitted to scripted in revision scripted"):
        run_request(FITTED)


def test_what_was_set_by_hand_stays_and_is_called_chosen(scripted, tmp_path, monkeypatch) -> None:
    with_a_fit(tmp_path, monkeypatch, fit(dse=0.3, sugar_low=0.1, sugar_high=0.2))
    by_hand = replace(FITTED, dense=DenseConfig(threshold=0.5), sugar=SugarConfig(low=0.4, high=0.6))
    found = run_request(replace(by_hand, methods=("dense", "sugar")))
    dense, sugar = (found.outcome(word).result for word in ("dense", "sugar"))
    assert (dense.threshold, dense.threshold_source) == (0.5, "chosen")
    assert (sugar.low, sugar.high, sugar.threshold_source) == (0.4, 0.6, "chosen")


def test_every_threshold_that_stays_the_papers_is_named_with_why(scripted, tmp_path, monkeypatch) -> None:
    whole = fit(dse=0.3, alpha=0.75)
    with_a_fit(tmp_path, monkeypatch, whole)
    kept = run_request(replace(FITTED, methods=("dense", "entropy_trend", "sugar"))).provenance.papers_kept
    assert [word for word, _ in kept] == ["sugar", "sugar"], "what was fitted is not named, and timing did not run"
    assert all(whole.thresholds[1].reason in why for _, why in kept)
    every = papers_kept(FITTED, road.with_fit(FITTED, whole), whole)
    assert [word for word, _ in every] == ["sugar"] * 2 + ["timing"] * 4
    assert [name for name in ("0.4", "0.9", "0.8", "0.55") if any(f" {name}." in why for _, why in every)] == [
        "0.4", "0.9", "0.8", "0.55",
    ]  # fmt: skip


def test_a_value_set_by_hand_is_no_papers_and_half_a_fit_of_sugar_keeps_both() -> None:
    by_hand = replace(FITTED, methods=("dense", "sugar"), sugar=SugarConfig(low=0.5, high=0.9))
    none, half = fit(), fit(dse=0.3, sugar_low=0.1)
    named = papers_kept(by_hand, road.with_fit(by_hand, none), none)
    assert [word for word, _ in named] == ["dense", "sugar"], "DSE's and SUGAR's upper one; the lower was set by hand"
    plain = replace(by_hand, sugar=SugarConfig())
    assert [word for word, _ in papers_kept(plain, road.with_fit(plain, half), half)] == ["sugar", "sugar"]


def test_a_fit_made_in_another_number_type_says_so() -> None:
    found = fit(dse=0.3)
    assert fit_words(found, found.origin.model_dtype) == found.words
    assert "float32" in fit_words(found, "float32") and found.origin.model_dtype in fit_words(found, "float32")


def test_half_a_sugar_fit_and_other_readings_keep_the_papers_values() -> None:
    half = road.with_fit(FITTED, fit(sugar_low=0.1))
    assert (half.sugar.low, half.sugar.high, half.sugar.fitted) == (0.4, 0.9, False)
    whole = fit(sugar_low=0.1, sugar_high=0.2, alpha=0.75)
    printed = road.with_fit(replace(FITTED, sugar=SugarConfig(form="equation_1")), whole)
    assert (printed.sugar.low, printed.sugar.fitted) == (0.4, False)
    released = road.with_fit(replace(FITTED, timing=TimingConfig(variant="code")), whole)
    assert (released.timing.alpha, released.timing.fitted) == (1.0, ())


def test_dense_rag_refines_by_the_fitted_dse_threshold() -> None:
    found = road.with_fit(FITTED, fit(dse=0.3))
    assert (found.dense_rag.threshold, found.dense_rag.fitted, found.dense.fitted) == (0.3, True, True)


def test_asking_for_a_fit_twice_gives_the_same_request() -> None:
    found = fit(dse=0.3, sugar_low=0.1, sugar_high=0.2, alpha=0.75, rind=0.6, flare=0.5)
    once = road.with_fit(FITTED, found)
    assert road.with_fit(once, found) == once
