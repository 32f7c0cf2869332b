"""The sentences that decide a failure: found by their answers, marked, cut around them, and never markup."""

from dataclasses import replace

from engine.learning.atlas.shelf import specimens
from tests.engine.learning.atlas.failure_case import OTHER, RIGHT, run, specimen
from tests.viz.sample_results import HOSTILE
from viz.runs.deciding import MOST_LETTERS, around, deciding_html, deciding_sentences

ASTRAY = specimen("distractor", run("1,768 metres", OTHER, RIGHT))


def test_the_right_answer_and_the_wrong_one_given_each_have_their_sentence() -> None:
    found = deciding_sentences(ASTRAY)
    assert [(one.rank, one.holds) for one in found] == [(2, "right answer"), (1, "wrong answer")]
    assert all(one.text in hit.passage.text for one, hit in zip(found, reversed(ASTRAY.run.hits), strict=True))


def test_every_recorded_failure_has_at_most_two_short_sentences() -> None:
    shown = [deciding_sentences(one) for one in specimens()]
    assert all(len(found) <= 2 and all(len(one.text) <= MOST_LETTERS + 4 for one in found) for found in shown)
    assert sum(bool(found) for found in shown) > len(shown) / 2


def test_a_long_sentence_is_cut_around_its_answer_and_markup_stays_text() -> None:
    assert "Bern" in around("word " * 100 + "Bern " + "word " * 100, ("Bern",))
    hit = ASTRAY.run.hits[0]
    evil = replace(hit, passage=replace(hit.passage, title=HOSTILE, text=f"{HOSTILE} 1,768 metres."))
    drawn = deciding_html(replace(ASTRAY, run=replace(ASTRAY.run, hits=(evil,))))
    assert "<script" not in drawn and "<mark" in drawn


def test_a_cut_sentence_shows_whole_on_hover() -> None:
    hit = ASTRAY.run.hits[0]
    whole = f"{'word ' * 100}1,768 metres {'more ' * 100}end."
    long = replace(hit, passage=replace(hit.passage, text=whole))
    drawn = deciding_html(replace(ASTRAY, run=replace(ASTRAY.run, hits=(long,))))
    assert drawn.count(f'title="{whole}"') == 1 and "title=" not in deciding_html(ASTRAY)
