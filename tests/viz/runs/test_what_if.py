"""A variant in words, tables and figures: the word, the twins, hostile text, nothing to draw, light and dark."""

import csv
import io
from dataclasses import replace

import pytest

from engine.core.records import Interval, Passage
from engine.methods.rewrites import HAND_CHECKS
from engine.runs.compare import Noise
from engine.runs.variant_noise import Beside, Line
from engine.runs.variant_runs import Branch
from engine.runs.variants import Slot
from tests.engine.runs.test_variant_runs import listed
from tests.viz.numbers_in_text import numbers_in
from tests.viz.sample_results import HOSTILE, attempt, hits
from viz.parts.theme import DARK, LIGHT
from viz.runs import what_if


def number(name: str, unit: str, first: float | None, second: float | None, noise: Noise = "beyond noise") -> Line:
    """Return a line of two numbers whose difference lies half-way in an interval of width 0.2."""
    moved = None if first is None or second is None else second - first
    interval = None if moved is None else Interval(low=moved - 0.1, high=moved + 0.1)
    return Line(
        method="seper", name=name, unit=unit, first=first, second=second, difference=moved, interval=interval,
        noise=noise, source="stored samples", reason="because",
    )  # fmt: skip


def words(name: str, first: str, second: str, noise: Noise, method: str = "dense") -> Line:
    """Return a line of two words."""
    return Line(
        method=method, name=name, unit="", first=first, second=second, difference=None, interval=None, noise=noise,
        source="none", reason="because",
    )  # fmt: skip


ANSWER = words("answer over the passages", "1887", "1889", "beyond noise", "answer")
LINES = (
    ANSWER,
    number("SePer with passages", "probability", 0.2, 0.7),
    number("DSE", "nats", 0.5, 0.4, "within noise"),
    words("passage 2 “Tower”", "necessary", "certain", "beyond noise"),
)
FOUND = Beside(lines=LINES, others=())


def test_no_trace_of_rounding_and_no_counts_that_read_alike_are_told() -> None:
    assert what_if.change_words(number("entropy", "nats", -0.0, 1.1e-16)) == "0 to 0"
    assert what_if.change_words(number("likelihood", "probability", 1.1e-16, 0.5)) == "1.1e−16 to 0.5"
    assert what_if.change_words(number("mean count", "occurrences", 1231.25, 1234.0)) == "1,231 to 1,234"


def test_the_word_and_the_sentence_name_what_moved_beyond_noise() -> None:
    said = what_if.verdict(FOUND)
    assert (said.word, said.tone) == ("beyond noise", "middle")
    for part in ("“1887”", "“1889”", "SePer with passages (0.2 to 0.7)", "(necessary to certain)", "1 within noise"):
        assert part in said.sentence


@pytest.mark.parametrize(
    ("noise", "word"),
    [("the same", "the same"), ("within noise", "within noise"), ("unclear", "unclear")],
)
def test_without_anything_beyond_noise_the_word_says_what_there_is(noise: Noise, word: str) -> None:
    found = Beside(lines=(number("DSE", "nats", 0.5, 0.5, noise),), others=())
    assert what_if.verdict(found).word == word


def test_another_cause_is_said_with_the_word() -> None:
    assert "torch and machine" in what_if.verdict(FOUND, ["torch", "machine"]).sentence


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_figure_draws_every_difference_with_its_interval_and_its_word(theme) -> None:  # type: ignore[no-untyped-def]
    figure = what_if.difference_figure(FOUND, theme)
    assert figure.layout.title.text == "Beyond noise: SePer with passages"
    points = [tuple(trace.x) for trace in figure.data if trace.mode == "markers"]
    bars = [tuple(trace.x) for trace in figure.data if trace.mode == "lines"]
    assert points == [(pytest.approx(0.5),), (pytest.approx(-0.1),)]
    assert bars == [(pytest.approx(0.4), pytest.approx(0.6)), (pytest.approx(-0.2), pytest.approx(0.0))]
    assert [note.text for note in figure.layout.annotations] == ["beyond noise", "within noise"]
    assert figure.layout.xaxis.title.text == "difference of probability, variant − before"
    assert len({trace.marker.symbol for trace in figure.data if trace.mode == "markers"}) == 2


def test_the_table_is_the_figures_twin_and_says_what_was_not_measured() -> None:
    lines = (*LINES, number("ΔSePer, soft", "probability", 0.1, None, "unclear"))
    table = what_if.lines_table(lines)
    assert list(table["what"][:3]) == ["answer over the passages", "SePer with passages", "SePer: DSE"]
    assert list(table["difference"]) == ["", "+0.500", "−0.100", "", ""]
    assert list(table["95% interval of the difference"])[1:3] == ["+0.40 to +0.60", "−0.20 to 0.00"]
    near = replace(lines[1], interval=Interval(low=-0.0004, high=0.3))
    assert what_if.lines_table([near])["95% interval of the difference"].tolist() == ["just below 0 to +0.30"]
    assert table["variant"].iloc[-1] == "not measured"
    assert list(table["noise from"])[1] == "stored samples"


def test_the_file_has_every_line_with_every_digit_and_no_formula() -> None:
    found = Beside(lines=LINES, others=(number("=1+1", "nats", 0.1, 0.2 + 1e-12),))
    rows = list(csv.DictReader(io.StringIO(what_if.comparison_csv(found).decode("utf-8-sig"))))
    assert [row["headline"] for row in rows] == ["True"] * 4 + ["False"]
    assert [row["before"] for row in rows] == ["1887", "0.2", "0.5", "necessary", "0.1"]
    assert float(rows[-1]["difference"]) == 0.2 + 1e-12 - 0.1
    assert (float(rows[1]["low"]), rows[0]["low"]) == (pytest.approx(0.4), "")
    assert "=1+1" in rows[-1]["what"] and not rows[-1]["what"].startswith("=")


def test_with_nothing_to_draw_there_is_a_sentence() -> None:
    figure = what_if.difference_figure(Beside(lines=(ANSWER,), others=()), LIGHT)
    assert len(figure.layout.annotations) == 1 and not figure.data


def test_hostile_text_stays_text_everywhere() -> None:
    line = number(HOSTILE, "nats", 0.1, 0.2)
    figure = what_if.difference_figure(Beside(lines=(line,), others=()), LIGHT)
    assert "<script>" not in figure.to_json() and "<b>" not in str(figure.layout.yaxis.ticktext)
    slot = Slot(key=0, passage=Passage(text=HOSTILE * 30, title=HOSTILE))
    drawn = what_if.slot_html(1, slot, ("edited",), "certain", ("31 March",))
    assert "<script>" not in drawn and "&lt;script&gt;" in drawn
    assert 'tabindex="0"' in drawn and "DENSE: certain" in drawn and "edited" in drawn


def test_a_rewording_by_hand_is_told_by_its_checks() -> None:
    fine, lost = attempt("Said otherwise.").checks, attempt("Said otherwise.", failed="lost: 1889").checks
    assert "1 check" not in what_if.checks_sentence(fine, HAND_CHECKS)
    assert "1 check: numbers" in what_if.checks_sentence(lost, HAND_CHECKS)
    same = tuple(replace(check, passed=False) if check.name == "changed" else check for check in fine)
    assert "1 check: changed" in what_if.checks_sentence(same, HAND_CHECKS)
    table = what_if.checks_table(lost, HAND_CHECKS)
    assert list(table["result"]).count("failed") == 1
    assert list(table["by hand"])[:3] == ["required", "required", "optional"]


def test_the_tree_is_set_in_by_depth_and_marks_the_shown_run() -> None:
    tree = (Branch(run=listed("a"), depth=0), Branch(run=listed("b", "a"), depth=1))
    table = what_if.tree_table(tree, "b", {"a": "Original", "b": HOSTILE})
    assert table["variant"].iloc[0] == "Original"
    assert table["variant"].iloc[1].strip().startswith("└ <script>"), "a table draws text, not markup"
    assert list(table["here"]) == ["", "shown"] and "run" not in table.columns
    alike = what_if.tree_table(tree, "b", {"a": "Same", "b": "Same"})["variant"]
    assert [name.split(" · ")[1] for name in alike] == ["a", "b"], "an id tells two of one name apart"
    assert numbers_in(what_if.tree_sentence(tree)) == ["1", "1"]
    assert what_if.tree_sentence(tree, {"b"}) == "No variants yet, 1 repeat."


def test_changes_and_found_passages_are_tabled() -> None:
    assert what_if.changes_sentence(()) == "Nothing is changed."
    assert what_if.changes_sentence(("a", "b")) == "Changed: a; b."
    assert list(what_if.found_table(hits())["rank"]) == [1, 2, 3, 4, 5]
    assert list(what_if.besides_table((("torch", "1", "2"),)).iloc[0]) == ["torch", "1", "2"]


def test_what_neither_run_measured_leaves_equal_runs_the_same() -> None:
    lines = (number("DSE", "nats", 0.5, 0.5, "the same"), words("passage 1", "not measured", "not measured", "unclear"))
    said = what_if.verdict(Beside(lines=lines, others=()))
    assert said.word == "the same" and "unclear" not in said.sentence and "Nothing is beyond noise." in said.sentence
