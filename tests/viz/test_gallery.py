"""Figures and tables by name, a run that shows itself in a notebook, and no wall of text anywhere."""

import math
from dataclasses import replace
from typing import Any

import pytest

import retrieval_microscope as rm
from engine.core import showing
from engine.core.errors import InputError, RecordError
from engine.diagnosis.record import Diagnosis
from viz import gallery, notebook
from viz.parts.theme import DARK, LIGHT

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)>"\u202e'


@pytest.fixture(scope="module")
def run() -> Diagnosis:
    return rm.sample("suez-opening-date")


def test_every_figure_and_table_is_drawn_by_its_name_in_both_themes(run: Diagnosis) -> None:
    assert len(rm.figure_names(run)) >= 8 and len(set(rm.figure_names(run))) == len(rm.figure_names(run))
    for name in rm.figure_names(run):
        grounds = [rm.figure(run, name, theme).layout.paper_bgcolor for theme in ("light", "dark", DARK)]
        assert grounds == [LIGHT.page, DARK.page, DARK.page]
        assert rm.sentence(run, name)
    for name in rm.table_names(run):
        assert list(rm.table(run, name).columns)
    assert set(rm.figure_names(run, "dense")) == {"dense-graph", "dense-entropy", "dense-agreement"}
    assert rm.table_names(run, "sugar") == ()


@pytest.mark.parametrize("call", [rm.figure, rm.table, rm.sentence])
def test_a_wrong_name_is_a_sentence_with_the_nearest_one(run: Diagnosis, call: Any) -> None:
    with pytest.raises(InputError, match="dense-graph"):
        call(run, "dense-grahp")
    with pytest.raises(InputError):
        call(run, "")


def test_a_wrong_theme_and_a_wrong_run_are_sentences(run: Diagnosis) -> None:
    with pytest.raises(InputError):
        rm.figure(run, "dense-graph", "purple")
    for opened in (rm.sample, rm.open_run):
        for name in ("no-such-run", "x" * 300):
            with pytest.raises(RecordError):
                opened(name)


def test_the_frame_has_every_number_exactly_and_empty_where_it_was_not_measured(run: Diagnosis) -> None:
    frame = run.to_frame()
    dense = run.result_of("dense")
    assert dense is not None
    assert frame["address"].is_unique
    by_address = frame.set_index("address")
    assert by_address.loc["dense.entropy", "value"] == dense.entropy  # type: ignore[attr-defined]
    assert by_address.loc["run.seconds", "value"] == run.seconds
    empty = frame[frame["checked"] == "not measured"]
    assert len(empty) and all(math.isnan(value) for value in empty["value"])


def test_a_run_is_a_line_of_text_and_a_small_card(run: Diagnosis) -> None:
    assert len(repr(run)) < 400 and len(repr(run.outcomes)) < 400
    card = run._repr_html_()
    assert card is not None and len(card) < 12_000 and "<script" not in card
    assert run.question in card
    assert all(rm.verdict(run, outcome.method).word in card for outcome in run.outcomes)
    assert list(rm.verdicts(run)["method"]) == [outcome.method for outcome in run.outcomes]


def test_hostile_text_stays_text_in_the_card(run: Diagnosis) -> None:
    spoiled = replace(
        run,
        question=HOSTILE,
        golds=(HOSTILE,),
        answer=replace(run.answer, text=HOSTILE),
        outcomes=(replace(run.outcomes[0], status="failed", reason=HOSTILE, result=None),),
    )
    card = notebook.run_html(spoiled)
    assert "<script" not in card and "<img" not in card and "\u202e" not in card
    assert card.count("&lt;script") >= 3


def test_a_notebook_shows_the_card_then_four_figures(run: Diagnosis, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[object] = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    run._ipython_display_()
    assert [type(one).__name__ for one in shown] == ["HTML", "Figure", "Figure", "Figure", "Figure"]
    assert len(gallery.figure_names(replace(run, outcomes=run.outcomes[:1]), "dense")) == 3
    shown.clear()
    replace(run, outcomes=())._ipython_display_()
    assert [type(one).__name__ for one in shown] == ["HTML"]


def test_without_the_drawing_part_a_record_has_its_plain_form_only(
    run: Diagnosis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(showing, "WAYS", {})
    assert run._repr_html_() is None
    with pytest.raises(NotImplementedError):
        run._ipython_display_()
    with pytest.raises(InputError):
        run.to_frame()


def test_every_public_name_is_there_and_no_other() -> None:
    assert set(rm.HOMES) | {"open_run", "sample"} == set(rm.__all__) == set(dir(rm))
    for name in rm.__all__:
        assert getattr(rm, name) is not None
    with pytest.raises(AttributeError):
        rm.__getattr__("nothing")
