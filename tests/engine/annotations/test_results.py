"""Table 6 counts retrievals as the ETC paper does, and a method is scored against what people settled on."""

from dataclasses import replace

import pytest

from engine.annotations.records import Adjudication, Item, Label, Suggestion, Value, Values
from engine.annotations.results import score_methods, settled_items, table_six, trigger_places
from tests.engine.annotations.sample_items import correctness, item, retrieval


def said(item: Item, person: str, **values: Value) -> Label:
    """Return a submitted label."""
    return Label(item=item.id, annotator=person, values=tuple(values.items()), state="submitted")


def test_what_more_than_half_say_counts_and_a_tie_is_open() -> None:
    one, two = retrieval("p", 0), retrieval("p", 1)
    labels = [
        said(one, "A", timing="delayed", first_wrong=3, without="useful"),
        said(one, "B", timing="delayed", first_wrong=3, without="redundant"),
        said(one, "C", timing="timely", without="useful"),
        said(two, "A", timing="timely"),
        said(two, "B", timing="delayed", first_wrong=2),
    ]
    first, second = settled_items([one, two], labels)
    assert first.values == (("timing", "delayed"), ("first_wrong", 3), ("without", "useful"))
    assert (first.people, first.open, first.adjudicated) == (3, ("gain",), False)
    assert (second.values, second.open) == ((), ("timing", "without", "gain"))


def test_an_adjudication_counts_whatever_the_labels_say_and_drafts_never_do() -> None:
    one = retrieval("p", 0)
    values: Values = (("timing", "timely"), ("without", "useful"), ("gain", "useful"))
    decided = Adjudication(item=one.id, by="C", values=values, reason="", version=1)
    draft = replace(said(one, "A", timing="delayed", first_wrong=1), state="draft")
    (counted,) = settled_items([one], [draft], [decided])
    assert (counted.values, counted.adjudicated, counted.people) == (values, True, 0)
    assert settled_items([one], [draft]) == ()


def table_case() -> tuple[list[Item], list[Label]]:
    """Return ETC at tokens 2 and 4 of two runs, DRAGIN at 8 and 5 (and a second lookup), FLARE unlabelled."""
    etc = [retrieval("p", 0, "entropy_trend", 2), retrieval("p", 0, "entropy_trend", 4, run="run-b")]
    dragin = [retrieval("p", 0, token=8), retrieval("p", 1, token=9), retrieval("p", 0, token=5, run="run-b")]
    silent = item("p", "answer", "dragin", 0, None, etc[0].view, run="run-c")
    labels = [
        said(etc[0], "A", timing="timely", without="useful", gain="useful"),
        said(etc[1], "A", timing="delayed", first_wrong=3, without="useful", gain="redundant"),
        said(dragin[0], "A", timing="delayed", first_wrong=3, without="useful", gain="redundant"),
        said(dragin[1], "A", timing="delayed", first_wrong=3, without="useful", gain="redundant"),
        said(dragin[2], "A", timing="timely", without="redundant", gain="redundant"),
        said(silent, "A", missing="missing", first_wrong=0),
    ]
    return [*dragin, *etc, silent, retrieval("p", 0, "flare", 3)], labels


def test_table_six_of_seven_items_is_the_one_counted_by_hand() -> None:
    items, labels = table_case()
    etc, dragin, flare = table_six(items, settled_items(items, labels))
    assert [row.policy for row in (etc, dragin, flare)] == ["entropy_trend", "dragin", "flare"]
    assert (etc.retrievals, dragin.retrievals, flare.retrievals) == (2, 3, 1)
    assert (etc.delayed.value, etc.delayed.n) == (0.5, 2)
    assert dragin.delayed.value == pytest.approx(2 / 3)
    assert dragin.redundant_without.value == pytest.approx(1 / 3)
    assert (dragin.redundant_gain.value, etc.redundant_gain.value) == (1.0, 0.5)
    # Late by 8 - 3 and 9 - 3 tokens; first triggers 8 - 2 and 5 - 4 tokens after ETC's.
    assert (dragin.delay.value, dragin.delay.n) == (5.5, 2)
    assert (dragin.after_etc.value, dragin.after_etc.n) == (3.5, 2)
    assert (etc.after_etc.value, dragin.missing.value, dragin.missing.n) == (0.0, 1.0, 1)
    assert dragin.delayed.interval is not None
    # Wilson at 2 of 3.
    assert (dragin.delayed.interval.low, dragin.delayed.interval.high) == pytest.approx((0.2077, 0.9385), abs=1e-4)


def test_a_question_on_which_etc_never_looks_up_is_no_delay_and_an_answer_alone_has_no_line() -> None:
    items, labels = table_case()
    items += [retrieval("p", 0, token=1, run="run-d"), correctness("p", 0)]
    rows = table_six(items, settled_items(items, labels))
    assert [row.policy for row in rows] == ["entropy_trend", "dragin", "flare"]
    assert (rows[1].after_etc.value, rows[1].after_etc.n, rows[1].retrievals) == (3.5, 2, 4)


def test_ten_delays_have_an_interval() -> None:
    # Five are 1 token late and five 3: the mean 2 has a standard error of 1 / sqrt(10), times 1.96.
    items = [retrieval("p", place, token=3 + place % 2 * 2) for place in range(10)]
    labels = [said(one, "A", timing="delayed", first_wrong=2, without="useful") for one in items]
    (dragin,) = table_six(items, settled_items(items, labels))
    assert (dragin.delay.value, dragin.delay.n) == (2.0, 10) and dragin.delay.interval is not None
    ends = (2 - 1.96 / 10**0.5, 2 + 1.96 / 10**0.5)
    assert (dragin.delay.interval.low, dragin.delay.interval.high) == pytest.approx(ends, abs=0.11)
    (nine,) = table_six(items[:9], settled_items(items[:9], labels))
    assert nine.delay.n == 9 and nine.delay.interval is None


def test_what_nobody_labelled_is_not_measured_with_a_reason_and_never_zero() -> None:
    items, labels = table_case()
    flare = table_six(items, settled_items(items, labels))[2]
    assert flare.delayed.value is flare.redundant_gain.value is flare.missing.value is flare.delay.value is None
    assert flare.delayed.reason
    # Where it fires needs no label: one token after ETC on the first run; one number has no interval.
    assert (flare.after_etc.value, flare.after_etc.interval, flare.after_etc.n) == (1.0, None, 1)


def suggestion(value: Value, method: str = "answer_match", field: str = "correct") -> Suggestion:
    """Return what a method says of a field."""
    return Suggestion(field=field, value=value, method=method, reason="")


def test_a_methods_precision_recall_and_kappa_are_those_counted_by_hand() -> None:
    # Method: wrong on 0-2 (people: two of them wrong), right on 3-9 (people: one of them wrong).
    items = [correctness("p", place) for place in range(10)]
    truths = ["wrong", "wrong", "right", "wrong", *["right"] * 6]
    labels = [said(one, "A", correct=truth) for one, truth in zip(items, truths, strict=True)]
    suggested = {one.id: [suggestion("wrong" if place < 3 else "right")] for place, one in enumerate(items)}
    (score,) = score_methods(items, settled_items(items, labels), suggested)
    assert (score.method, score.field, score.value, score.n) == ("answer_match", "correct", "wrong", 10)
    assert score.precision.value == pytest.approx(2 / 3)
    assert score.recall.value == pytest.approx(2 / 3)
    # Observed 0.8, by chance 0.3 * 0.3 + 0.7 * 0.7 = 0.58: (0.8 - 0.58) / 0.42.
    assert score.kappa.value == pytest.approx(0.22 / 0.42)


def test_a_method_that_nobodys_labels_speak_of_is_not_measured() -> None:
    one = correctness("p", 0)
    (score,) = score_methods([one], (), {one.id: [suggestion("wrong")]})
    assert score.n == 0
    assert score.precision.value is score.recall.value is score.kappa.value is None
    told = {score.precision.reason, score.recall.reason, score.kappa.reason}
    assert told == {"No item with its suggestion has a label."}


def test_a_fault_nobody_has_leaves_recall_unmeasured() -> None:
    items = [correctness("p", place) for place in range(2)]
    labels = [said(one, "A", correct="right") for one in items]
    (score,) = score_methods(items, settled_items(items, labels), {items[0].id: [suggestion("wrong")]})
    assert (score.precision.value, score.recall.value) == (0.0, None)
    assert score.recall.reason == "People never choose wrong."
    (score,) = score_methods(items, settled_items(items, labels), {items[0].id: [suggestion("right")]})
    assert (score.precision.value, score.precision.reason) == (None, "It never suggests wrong.")


def test_triggers_fall_where_their_items_say_with_what_was_settled() -> None:
    items, labels = table_case()
    places = trigger_places(items, settled_items(items, labels))
    found = [(place.policy, place.token, place.tokens, place.timing) for place in places]
    assert found[0] == ("dragin", 8, 10, "delayed")
    assert found[-1] == ("flare", 3, 10, "")
    assert len(found) == 6
