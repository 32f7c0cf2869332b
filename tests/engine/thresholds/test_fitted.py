"""Files of fitted thresholds: exact there and back, found by model and revision, refused with a sentence."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.core.errors import RecordError
from engine.core.records import Interval
from engine.thresholds.fitted import SHIPPED, fit_folders, fit_of, fits_for, read_fit
from engine.thresholds.fitted.records import fit_from_json, question_row, to_json
from tests.engine.thresholds.calibration_case import ORIGIN, fit, peaks, row


def kept(folder: Path, name: str, text: str) -> Path:
    """Return a file of the folder that holds a text."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_a_fit_survives_json_with_every_number() -> None:
    found = fit(dse=0.1 + 0.2, flare=1 / 3)
    first = replace(found.thresholds[0], interval=Interval(low=0.1, high=0.5))
    found = replace(found, thresholds=(first, *found.thresholds[1:]))
    assert fit_from_json(to_json(found, indent=2)) == found
    assert (found.value("dse"), found.value("rind")) == (0.1 + 0.2, None)


def test_names_of_earlier_versions_are_read_and_unknown_ones_refused() -> None:
    text = to_json(fit(dse=0.3, alpha=0.7))
    old = text.replace('"dse"', '"dense"').replace('"alpha"', '"entropy_trend"').replace('"rind"', '"dragin"')
    assert old != text and fit_from_json(old) == fit_from_json(text)
    with pytest.raises(RecordError):
        fit_from_json(text.replace('"dse"', '"elsewhere"'))


def test_a_row_survives_json() -> None:
    found = row(1, dense=0.3, policies=(peaks("flare", (0.1, 0.9)), peaks("dragin", (), "No attention.")))
    assert question_row(to_json(found)) == found


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (('"model":"scripted"', '"model":7'), "origin.model: Input should be a valid string"),
        (('"questions":40', '"questions":40,"more":1'), "more: Unexpected keyword argument"),
        (('"schema_version":1', '"schema_version":2'), "have format 2; this version reads format 1"),
        (('{"schema_version"', '{{"schema_version"'), "is not JSON"),
    ],
)
def test_a_damaged_fit_is_refused_with_the_place(change: tuple[str, str], sentence: str) -> None:
    with pytest.raises(RecordError, match=sentence):
        fit_from_json(to_json(fit()).replace(*change, 1))


def test_a_fit_belongs_to_one_revision_of_model_and_writer(tmp_path: Path) -> None:
    folder = (kept(tmp_path / "fits", "a.json", to_json(fit(dse=0.3))).parent,)
    same = ("scripted", ("scripted", "", ""), "scripted", "embedded")
    found = fit_of(*same, folders=folder)
    assert found is not None and found.value("dse") == 0.3
    for place, other in enumerate(("model", ("r2", "", ""), "llm", "paper")):
        changed = [other if n == place else value for n, value in enumerate(same)]
        assert fit_of(*changed, folders=folder) is None  # type: ignore[arg-type]
    assert fit_of("scripted", ("scripted", "", "r2"), *same[2:], folders=folder) is None, "another rewriter"


def test_with_another_writer_only_the_thresholds_of_step_by_step_answers_are_left_out(tmp_path: Path) -> None:
    folder = (kept(tmp_path / "fits", "a.json", to_json(fit(dse=0.3, alpha=1.7))).parent,)
    found = fit_of("scripted", ("scripted", "w2", ""), "scripted", "embedded", folders=folder)
    assert found is not None
    assert (found.value("dse"), found.value("alpha")) == (0.3, None)
    assert [one.name for one in found.thresholds if "another writer" in one.reason] == ["alpha"]
    assert found.policies == ()


def test_a_model_folder_is_known_by_its_last_part_as_in_a_record(tmp_path: Path) -> None:
    folder = (kept(tmp_path / "fits", "a.json", to_json(fit(dse=0.3))).parent,)
    assert len(fits_for("models/scripted", "scripted", "embedded", folder)) == 1
    assert fits_for("scripted-large", "scripted", "embedded", folder) == ()


def test_the_users_own_fit_comes_before_the_shipped_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path))
    assert fit_folders() == (tmp_path / "fitted", SHIPPED)
    own = kept(tmp_path / "own", "z.json", to_json(fit(dse=0.5))).parent
    shipped = kept(tmp_path / "shipped", "a.json", to_json(fit(dse=0.3))).parent
    assert [one.value("dse") for one in fits_for("scripted", "scripted", "embedded", (own, shipped))] == [0.5, 0.3]


def test_without_a_file_there_is_no_fit(tmp_path: Path) -> None:
    assert fits_for("scripted", "scripted", "embedded", (tmp_path / "nowhere",)) == ()
    assert fit_of("nobody", ("r", "", ""), "embedded", "embedded") is None


def test_a_file_changed_in_place_is_read_anew(tmp_path: Path) -> None:
    file = kept(tmp_path, "a.json", to_json(fit(dse=0.3)))
    assert read_fit(file).value("dse") == 0.3
    kept(tmp_path, "a.json", to_json(fit(dse=0.125)))
    assert read_fit(file).value("dse") == 0.125


def test_every_shipped_fit_can_be_read_and_names_its_model() -> None:
    for file in SHIPPED.glob("*.json"):
        found = read_fit(file)
        assert found.origin.model and found.origin.model_revision and found.questions >= 20


def test_what_is_no_text_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"\xff\xfe")
    with pytest.raises(RecordError, match=r"a\.json are no text"):
        read_fit(tmp_path / "a.json")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    kept(tmp_path / "fits", "a.json", to_json(fit(dse=0.3)))
    kept(tmp_path / "fits", "broken.json", "{")
    with pytest.raises(RecordError, match=r"^broken\.json"):
        fits_for("scripted", "scripted", "embedded", (tmp_path / "fits",))


def test_words_say_on_what_it_was_fitted() -> None:
    assert fit().words == "fitted on 40 questions (questions.jsonl) over three passages"
    assert ORIGIN.corpus in fit().words


def test_the_guide_tells_which_thresholds_the_shipped_fit_has() -> None:
    fitted = read_fit(SHIPPED / "embedded.json")
    guide = Path(__file__).parents[3] / "engine" / "learning" / "guide" / "sections" / "thresholds.md"
    text = " ".join(guide.read_text(encoding="utf-8").split())
    assert f"{fitted.questions} sample questions: α, RIND and FLARE, each to one lookup a question" in text
    assert "DSE and SUGAR have no fitted threshold" in text
    found = {one.name for one in fitted.thresholds if one.value is not None}
    missing = {one.name for one in fitted.thresholds if one.value is None}
    assert (found, fitted.retrievals_wanted) == ({"alpha", "rind", "flare"}, 1.0)
    assert missing == {"dse", "sugar_low", "sugar_high"}
