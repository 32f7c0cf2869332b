"""Plans: what varies is refused where it cannot, and a point's run follows from all that decides its answer."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.core.errors import CorpusError, InputError
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.studies import plan as study_plan
from engine.runs.studies.plan import corpus_change, make_plan, place_of_settings
from engine.runs.studies.questions import parse_questions, read_questions
from engine.thresholds.fitted import fits_for
from engine.thresholds.fitted.records import to_json
from tests.engine.runs.studies.study_case import corpus_file, question_file

OWN = b'{"question": "Who?", "answers": ["Ada"], "passages": ["Ada built it."]}'


def runs_of(folder: Path, vary: tuple[str, ...] = (), **asked: object) -> list[str]:
    """Return the ids of the runs of six questions over a corpus."""
    request = DiagnosisRequest(question="", corpus=str(folder / "corpus.txt"), methods=("dense",))
    _, points = make_plan(read_questions(folder / "questions.jsonl"), replace(request, **asked), vary)  # type: ignore[arg-type]
    return [point.run for point in points]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with questions and a corpus."""
    question_file(tmp_path)
    corpus_file(tmp_path)
    return tmp_path


def test_a_run_follows_from_question_settings_and_corpus(folder: Path) -> None:
    first = runs_of(folder)
    assert runs_of(folder) == first and len(set(first)) == 6
    assert set(runs_of(folder, seed=1)).isdisjoint(first)
    assert set(runs_of(folder, ("dense.threshold=0.3",))).isdisjoint(first)
    assert runs_of(folder, ("k=3,5",))[::2] == runs_of(folder, k=3)
    (folder / "corpus.txt").write_text("Another text.")
    assert set(runs_of(folder)).isdisjoint(first)


def test_another_version_of_the_program_makes_runs_of_its_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = runs_of(folder)
    monkeypatch.setattr(study_plan, "versions", lambda: (("retrieval-microscope", "99.0"),))
    assert set(runs_of(folder)).isdisjoint(first)


def test_another_fit_makes_runs_of_its_own_where_fitted_thresholds_are_asked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked() -> tuple[list[str], list[str], list[str]]:
        varied = runs_of(folder, ("thresholds=paper,fitted",))
        return varied[::2], varied[1::2], runs_of(folder, thresholds="fitted")

    monkeypatch.setenv("MICROSCOPE_HOME", str(folder / "home"))
    papers, fitted, alone = asked()
    assert fitted == alone and set(fitted).isdisjoint(papers)
    fit = fits_for("embedded", "embedded", "embedded")[0]
    own = folder / "home" / "fitted" / "own.json"
    own.parent.mkdir(parents=True)
    own.write_text(to_json(replace(fit, origin=replace(fit.origin, model="another"))))
    assert asked() == (papers, fitted, alone), "the fit of another model changes nothing"
    own.write_text(to_json(replace(fit, questions=fit.questions + 1)))
    assert asked()[0] == papers
    assert set(asked()[1]).isdisjoint(fitted) and asked()[1] == asked()[2]


def test_settings_that_vary_are_found_by_their_label(folder: Path) -> None:
    request = DiagnosisRequest(question="", corpus=str(folder / "corpus.txt"), methods=("dense",))
    plan, _ = make_plan(read_questions(folder / "questions.jsonl"), request, ("k=1,3",))
    assert [place_of_settings(plan, label) for label in ("", "k=1", "k=3")] == [0, 0, 1]
    with pytest.raises(InputError, match="k=3"):
        place_of_settings(plan, "k=9")


def test_threshold_means_the_only_one_of_the_methods(folder: Path) -> None:
    assert runs_of(folder, ("threshold=0.3",)) == runs_of(folder, ("dense.threshold=0.3",))
    with pytest.raises(InputError):
        runs_of(folder, ("threshold=0.3",), methods=("sugar",))


@pytest.mark.parametrize("vary", ["k", "k=", "k=0", "k=two", "retriever=dense", "dense.nothing=1", "heat=2", "k=21"])
def test_what_cannot_vary_is_refused(folder: Path, vary: str) -> None:
    with pytest.raises(InputError):
        runs_of(folder, (vary,))


def test_a_setting_that_varies_twice_is_refused_with_the_form_of_one(folder: Path) -> None:
    with pytest.raises(InputError, match=r"k varies twice.*k=1,3"):
        runs_of(folder, ("k=1,3", "seed=0,1", " k=5"))


def test_questions_without_passages_need_a_corpus_and_those_with_some_read_their_own() -> None:
    file = parse_questions("q.jsonl", OWN)
    plan, _ = make_plan(file, DiagnosisRequest(question="", methods=()))
    assert plan.corpus_hash == ""
    with pytest.raises(InputError):
        make_plan(file, DiagnosisRequest(question="", methods=()), ["k=1,3"])
    with pytest.raises(CorpusError):
        make_plan(parse_questions("q.jsonl", b'{"question": "Who?"}'), DiagnosisRequest(question=""))


def test_only_what_a_corpus_indexes_can_change_it(tmp_path: Path) -> None:
    for name, text in (("manifest.json", '{"index": ["a.txt", "b.txt"]}'), ("a.txt", "one"), ("b.txt", "two")):
        (tmp_path / name).write_text(text)
    request = DiagnosisRequest(question="", corpus=str(tmp_path), methods=())
    plan, _ = make_plan(parse_questions("q.jsonl", b'{"question": "Who?"}'), request)

    (tmp_path / "recorded.json").write_text("a recorded run beside the corpus")
    assert corpus_change(plan) == ""
    (tmp_path / "a.txt").write_text("other")
    (tmp_path / "c.txt").write_text("three")
    (tmp_path / "manifest.json").write_text('{"index": ["a.txt", "c.txt"]}')
    told = corpus_change(plan)
    assert told.index("changed: a.txt") < told.index("new: c.txt") < told.index("gone: b.txt")
    assert corpus_change(replace(plan, corpus_files=())) != ""
