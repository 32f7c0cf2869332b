"""The Studies page: empty, a study's table, its numbers and views, a point's run, start, pause and resume."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from engine.core.progress import Report
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.jobs.desk import JobDesk
from engine.runs.jobs.turns import TURNS
from engine.runs.store import RunStore
from engine.runs.studies import background, concurrency, together
from engine.runs.studies.runner import StudyRunner
from engine.runs.studies.store import StudyStore
from pages.studying import at_once, starting
from tests.engine.runs.studies.study_case import Engine, damage, started
from tests.pages.page_fixtures import (
    PROJECT,
    SECONDS,
    choose_rows,
    desk_over,
    keys_on,
    named_button,
    notices,
    row_tables,
    words_on,
)
from viz.studies.words import verdicts_in

PAGE = "pages/workspace/studies.py"


@pytest.fixture
def engine() -> Engine:
    """Return an engine that answers from a table."""
    return Engine(failing=("Who built tower 4?",))


@pytest.fixture
def desk(tmp_store: RunStore, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[JobDesk]:
    """Return the desk that the page is given."""
    found = desk_over(tmp_store, monkeypatch, engine.run)
    # The page's own desk answers: a process would open real models.
    monkeypatch.setattr(concurrency, "usual_processes", lambda points: 1)
    yield found
    found.shutdown()


@pytest.fixture
def studies(tmp_path: Path, desk: JobDesk, monkeypatch: pytest.MonkeyPatch) -> Iterator[StudyStore]:
    """Return the store of studies that the page is given."""
    from pages.shared import study_store

    store = StudyStore(tmp_path / "studies.sqlite")
    monkeypatch.setattr(study_store, "StudyStore", lambda: store)
    yield store
    store.close()


@pytest.fixture
def study(tmp_path: Path, studies: StudyStore, desk: JobDesk) -> str:
    """Return a study that is over: five points done, one failed."""
    name = started(tmp_path, studies)
    StudyRunner(studies, desk, verdicts_in).work(name)
    return name


def opened_study(study: str = "") -> AppTest:
    """Return the page after its first run."""
    page = AppTest.from_file(str(PROJECT / PAGE), default_timeout=SECONDS)
    if study:
        page.query_params["study"] = study
    page.run()
    assert not page.exception, page.exception[0].message
    return page


def part(page: AppTest, study: str, name: str) -> AppTest:
    """Return the page at another part of a study."""
    page.session_state[f"studies.part.{study}"] = name
    page.run()
    assert not page.exception, page.exception[0].message
    return page


def test_without_a_study_the_page_says_how_to_start_one(studies: StudyStore) -> None:
    page = opened_study()
    assert len(notices(page)) == 1 and not row_tables(page)
    assert "microscope study" in page.code[0].value


def test_a_study_is_opened_from_the_list_deleted_and_brought_back(studies: StudyStore, study: str) -> None:
    page = opened_study()
    key = "studies.list"
    choose_rows(page, key, (study,))
    page.button(key="delete_study").click().run()
    assert studies.listing() == ()
    page.button(key="undo_delete_study").click().run()
    choose_rows(page, key, (study,))
    page.button(key="open_study").click().run()
    assert study in page.query_params["study"]
    assert len(row_tables(page)[0]) == 6


def test_a_study_that_cannot_be_read_is_named_above_the_others(tmp_path: Path, studies: StudyStore, study: str) -> None:
    broken = started(tmp_path, studies)
    damage(studies, broken)
    page = opened_study()
    assert f"Study {broken} cannot be read. Hide it with: microscope studies delete {broken}" in notices(page)
    assert len(row_tables(page)[0]) == 1
    choose_rows(page, "studies.list", (study,))
    assert "open_study" in keys_on(page)


def test_the_table_shows_right_and_wrong_worst_first_and_the_way_to_a_run(studies: StudyStore, study: str) -> None:
    page = opened_study(study)
    table = row_tables(page)[0]
    assert [word.split()[-1] for word in table["right"]] == ["wrong", "wrong", "right", "right", "right", "failed"]
    assert table["#"].tolist() == [2, 6, 1, 3, 5, 4]
    assert "DENSE" in table and "DSE" in table
    (failures,) = notices(page)
    assert failures.startswith("1 of 1") and "weights" in failures

    choose_rows(page, f"studies.table.{study}", ("1",))
    assert "tower 2?" in words_on(page)
    named_button(page, "open.s").click().run()
    assert str(page.query_params["run"][0]).startswith("s")


def test_rows_are_filtered_searched_and_ordered(studies: StudyStore, study: str) -> None:
    page = opened_study(study)
    page.session_state[f"studies.table.{study}.show"] = "right"
    page.run()
    assert row_tables(page)[0]["#"].tolist() == [1, 3, 5]
    page.selectbox(key=f"studies.table.{study}.order").select("dense.entropy").run()
    assert row_tables(page)[0]["#"].tolist() == [5, 3, 1]
    page.text_input(key=f"studies.table.{study}.search").set_value("TOWER 3").run()
    assert row_tables(page)[0]["#"].tolist() == [3]
    page.text_input(key=f"studies.table.{study}.search").set_value("nothing like it").run()
    assert not row_tables(page) and len(notices(page)) == 2


def test_any_number_stands_against_any_other_and_a_click_opens_its_run(studies: StudyStore, study: str) -> None:
    page = part(opened_study(study), study, "Any number")
    assert len(page.get("plotly_chart")) == 3
    box = page.selectbox(key=f"studies.numbers.{study}.x")
    box.select("dense.entropy").run()
    page.selectbox(key=f"studies.numbers.{study}.y").select("answer.f1").run()
    chart = f"studies.numbers.{study}.scatter.dense.entropy.answer.f1"
    page.session_state[chart] = {"selection": {"points": [{"customdata": [2]}]}}
    page.run()
    assert "tower 3?" in words_on(page) and any(key.startswith("open.s") for key in keys_on(page))


def test_the_papers_views_are_drawn_and_others_say_what_to_add(studies: StudyStore, study: str) -> None:
    page = part(opened_study(study), study, "The papers' views")
    view = page.selectbox(key=f"studies.view.{study}")
    assert len(page.get("plotly_chart")) == 1
    view.select("sugar_steps").run()
    assert not page.get("plotly_chart") and len(notices(page)) == 1


def test_a_view_of_a_study_that_varies_is_of_one_setting_and_a_sweep_of_all(
    tmp_path: Path, studies: StudyStore, desk: JobDesk
) -> None:
    study = started(tmp_path, studies, ("k=1,3",))
    StudyRunner(studies, desk, verdicts_in).work(study)
    page = part(opened_study(study), study, "The papers' views")
    settings = page.selectbox(key=f"studies.view.{study}.settings")
    assert settings.options == ["k=1", "k=3"]
    settings.select(1).run()
    assert any("k\\=3" in one.value for one in page.caption)
    page.selectbox(key=f"studies.view.{study}").select("sweep").run()
    # The engine of these tests answers the same whatever k is: nothing to draw, and no setting to choose.
    assert len(page.selectbox) == 1 and not page.get("plotly_chart") and len(notices(page)) == 1


def test_two_studies_stand_side_by_side(tmp_path: Path, studies: StudyStore, desk: JobDesk, study: str) -> None:
    other = started(tmp_path, studies, seed=1)
    StudyRunner(studies, desk, verdicts_in).work(other)
    page = part(opened_study(study), study, "Side by side")
    assert row_tables(page)[0]["n"].tolist()[0] == 5
    assert len(row_tables(page)[1]) == 6


def test_a_study_beside_one_that_failed_wholly_says_so_and_keeps_its_own_right_and_wrong(
    tmp_path: Path, studies: StudyStore, desk: JobDesk, engine: Engine, study: str
) -> None:
    engine.failing = tuple(f"Who built tower {number}?" for number in range(1, 7))
    other = started(tmp_path, studies, seed=1)
    StudyRunner(studies, desk, verdicts_in).work(other)
    page = part(opened_study(study), study, "Side by side")
    assert "No question with a correct answer was answered on both sides." in words_on(page).replace("\\", "")
    (table,) = row_tables(page)
    right = ["✔ right", "✖ wrong", "✔ right", "failed", "✔ right", "✖ wrong"]
    assert sorted(table["right A"]) == sorted(right) and set(table["right B"]) == {"failed"}
    assert table["question"].tolist()[-1] == "Who built tower 4?"


def test_a_study_beside_one_that_has_not_begun_does_not_deny_their_questions(
    tmp_path: Path, studies: StudyStore, study: str
) -> None:
    started(tmp_path, studies, seed=1)
    page = part(opened_study(study), study, "Side by side")
    assert "No question that both ask is finished on both sides yet." in notices(page)


def test_a_failed_point_that_waits_again_is_not_called_never_asked(studies: StudyStore, study: str) -> None:
    studies.ask_again(study)
    page = opened_study(study)
    choose_rows(page, f"studies.table.{study}", ("3",))
    assert "Not asked yet" not in words_on(page)
    assert "It waits to be asked again." in [one.value for one in page.caption]
    assert any("lost its weights" in one for one in notices(page))


def test_the_address_of_a_deleted_study_says_that_it_was_deleted(studies: StudyStore, study: str) -> None:
    studies.delete(study)
    assert "This study was deleted. You can restore it below." in notices(opened_study(study))
    assert "There is no such study here." in notices(opened_study("nowhere"))


def test_the_part_and_its_choices_are_still_there_after_a_point_was_opened(studies: StudyStore, study: str) -> None:
    page = part(opened_study(study), study, "Any number")
    across = page.selectbox(key=f"studies.numbers.{study}.x")
    other = next(one for one in across.options if one != across.format_func(across.value))
    across.select(other).run()
    page.button(key="all_studies").click().run()
    assert not page.get("plotly_chart")
    page.query_params["study"] = study
    page.run()
    assert not page.exception
    again = page.selectbox(key=f"studies.numbers.{study}.x")
    assert again.format_func(again.value) == other


def test_a_study_is_downloaded(studies: StudyStore, study: str) -> None:
    page = part(opened_study(study), study, "Report")
    assert len(page.get("download_button")) == 4


def test_failed_questions_are_asked_again_from_the_page(studies: StudyStore, engine: Engine, study: str) -> None:
    engine.failing = ()
    page = opened_study(study)
    page.button(key="ask_failed").click().run()
    for _ in range(200):
        if studies.get(study).done == 6:
            break
        time.sleep(0.05)
    assert studies.get(study).failed == 0 and engine.asked[-1] == "Who built tower 4?"


def test_a_paused_study_is_resumed_from_the_page(tmp_path: Path, studies: StudyStore, engine: Engine) -> None:
    engine.failing = ()
    study = started(tmp_path, studies)
    studies.tell(study, "pause")
    page = opened_study(study)
    assert "ask_failed" not in keys_on(page)
    page.button(key="resume_study").click().run()
    for _ in range(200):
        if studies.get(study).done == 6:
            break
        time.sleep(0.05)
    assert (studies.get(study).done, studies.get(study).failed) == (6, 0)


def test_a_study_over_a_changed_corpus_says_so_and_starts_anew(
    tmp_path: Path, studies: StudyStore, engine: Engine, study: str
) -> None:
    engine.failing = ()
    (tmp_path / "corpus.txt").write_text("Another text.")
    page = opened_study(study)
    assert "ask_failed" not in keys_on(page) and any("corpus.txt" in one for one in notices(page))
    page.button(key="renew_study").click().run()
    (new,) = (one.id for one in studies.listing() if one.id != study)
    assert new in page.query_params["study"]
    for _ in range(200):
        if studies.get(new).done == 6:
            break
        time.sleep(0.05)
    assert (studies.get(new).done, studies.get(study).failed) == (6, 1)


def test_a_file_of_questions_starts_a_study(studies: StudyStore, engine: Engine) -> None:
    engine.failing = ()
    rows = [{"question": f"Who built tower {n}?", "answers": ["x"], "passages": ["Some text."]} for n in (1, 2, 3)]
    page = opened_study()
    content = "\n".join(json.dumps(row) for row in rows).encode()
    page.file_uploader(key="studies.new.file").upload("three.jsonl", content).run()
    assert not page.exception, page.exception[0].message
    page.button(key="start_study").click().run()
    (study,) = studies.listing()
    for _ in range(200):
        if studies.get(study.id).done == 3:
            break
        time.sleep(0.05)
    assert (studies.get(study.id).done, study.plan.request.corpus, len(engine.asked)) == (3, None, 3)


def test_a_second_click_on_start_opens_the_study_that_the_first_one_began(
    studies: StudyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    monkeypatch.setattr(starting, "start_study", lambda store, desk, study, *_: begun.append(study))
    content = json.dumps({"question": "Who built tower 1?", "answers": ["x"], "passages": ["Some text."]}).encode()
    pages = [opened_study(), opened_study()]
    for page in pages:
        page.file_uploader(key="studies.new.file").upload("one.jsonl", content).run()
    for page in pages:
        page.button(key="start_study").click().run()
        assert not page.exception, page.exception[0].message
    (study,) = studies.listing()
    assert begun == [study.id, study.id]
    studies.tell(study.id, "cancel")
    again = opened_study()
    again.file_uploader(key="studies.new.file").upload("one.jsonl", content).run()
    again.button(key="start_study").click().run()
    assert len(studies.listing()) == 2 and len(set(begun)) == 2, "a cancelled one is not at work"


def test_a_study_from_the_page_asks_side_by_side_what_it_would_ask_in_turn(
    studies: StudyStore, desk: JobDesk, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.failing = ()

    def asked_together(request: DiagnosisRequest, report: Report, kept: Diagnosis | None, load: object) -> Diagnosis:
        found.append(background.side_by_side(studies.listing()[0].id))
        return engine.run(request, report)

    found: list[int] = []
    monkeypatch.setattr(together, "run_request", asked_together)
    monkeypatch.setattr(at_once, "concurrency_for", lambda model, number: concurrency.Concurrency(together=number))
    page = opened_study()
    rows = [{"question": f"Who built tower {n}?", "answers": ["x"], "passages": ["Some text."]} for n in (1, 2, 3)]
    page.file_uploader(key="studies.new.file").upload("three.jsonl", "\n".join(map(json.dumps, rows)).encode()).run()
    page.number_input(key="studies.new.together.1").set_value(3).run()
    page.button(key="start_study").click().run()
    for _ in range(200):
        if studies.listing()[0].done == 3 and not background.side_by_side(studies.listing()[0].id):
            break
        time.sleep(0.05)
    assert (studies.listing()[0].done, sorted(engine.asked), found) == (3, [row["question"] for row in rows], [3] * 3)
    assert not TURNS.busy and desk.active() == ()


def test_an_unreadable_file_is_a_sentence(studies: StudyStore) -> None:
    page = opened_study()
    page.file_uploader(key="studies.new.file").upload("q.jsonl", b"not json").run()
    assert len(page.error) == 1 and "start_study" not in keys_on(page)


def test_a_deleted_study_comes_back_from_the_list_of_deleted_ones_or_goes_for_good(
    studies: StudyStore, tmp_path: Path
) -> None:
    study = started(tmp_path, studies)
    studies.delete(study)
    page = AppTest.from_file(str(PROJECT / PAGE), default_timeout=SECONDS).run()
    assert "1 deleted study" in [one.label for one in page.expander]
    assert "Every study was deleted; restore one below." in notices(page)[0]
    choose_rows(page, "study.deleted", (study,))
    page.button(key="restore_study").click().run()
    assert [one.id for one in studies.listing()] == [study]
    studies.delete(study)
    page.run()
    choose_rows(page, "study.deleted", (study,))
    page.button(key="erase_study").click().run()
    assert studies.deleted() == () and studies.listing() == ()
