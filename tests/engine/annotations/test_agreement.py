"""Agreement is what its authors printed, by three libraries, and says when it is not defined."""

import numpy as np
import pytest

from engine.annotations.agreement import FieldAgreement, agreement, disagreements, resampled
from engine.annotations.records import Item, Label, LabelState, Value
from engine.core.records import Interval
from tests.engine.annotations.sample_items import correctness, retrieval

PEOPLE = "ABCDEFGHIJKLMN"
# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", example C: nominal alpha 0.743.
KRIPPENDORFF = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
# Fleiss (1971), table 1 in shortened form as reprinted since: 10 items, 14 people, 5 categories, kappa 0.2099.
FLEISS = (
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
)  # fmt: skip


def label(item: Item, person: str, field: str, value: Value, state: LabelState = "submitted") -> Label:
    """Return a label that says one thing."""
    return Label(item=item.id, annotator=person, values=((field, value),), state=state, version=1)


def marked(columns: list[list[int | None]]) -> tuple[list[Item], list[Label]]:
    """Return items with one label per person, whose first wrong token is the number given."""
    items = [retrieval("p", place, token=9) for place in range(len(columns))]
    labels = [
        label(item, person, "first_wrong", value)
        for item, column in zip(items, columns, strict=True)
        for person, value in zip(PEOPLE, column, strict=False)
        if value is not None
    ]
    return items, labels


def judged(both: int, first: int, second: int, neither: int) -> tuple[list[Item], list[Label]]:
    """Return answers that A and B call right: both, only A, only B, neither."""
    said = [("right", "right")] * both + [("right", "wrong")] * first
    said += [("wrong", "right")] * second + [("wrong", "wrong")] * neither
    items = [correctness("p", place) for place in range(len(said))]
    labels = [
        label(item, person, "correct", value)
        for item, pair in zip(items, said, strict=True)
        for person, value in zip("AB", pair, strict=True)
    ]
    return items, labels


def only(found: tuple[FieldAgreement, ...], policy: str = "") -> FieldAgreement:
    """Return the one agreement of this policy."""
    (one,) = [each for each in found if each.policy == policy]
    return one


def test_cohens_kappa_of_fifty_answers_is_two_fifths() -> None:
    # 20 both right, 5 and 10 split, 15 both wrong: observed 0.7, by chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5.
    one = only(agreement(*judged(20, 5, 10, 15)))
    (pair,) = one.pairs
    assert pair.kappa.value == pytest.approx(0.4)
    assert pair.share.value == pytest.approx(0.7)
    assert (pair.first, pair.second, pair.kappa.n) == ("A", "B", 50)
    assert pair.kappa.interval is not None
    assert 0.05 < pair.kappa.interval.low < 0.4 < pair.kappa.interval.high < 0.7


def test_few_items_and_draws_that_are_all_alike_have_no_interval() -> None:
    three = only(agreement(*judged(2, 0, 0, 1)))
    assert (three.alpha.value, three.alpha.interval, three.pairs[0].kappa.interval) == (1.0, None, None)
    share = three.pairs[0].share.interval
    assert share is not None and round(share.low, 2) == 0.44, "a share of three keeps its width"
    twelve = only(agreement(*judged(6, 0, 0, 6)))
    assert (twelve.alpha.value, twelve.alpha.n, twelve.alpha.interval) == (1.0, 12, None)


def test_an_interval_over_ten_items_or_more_leaves_out_a_fortieth_of_the_defined_draws_at_either_end() -> None:
    def rising(indices: np.ndarray) -> np.ndarray:
        """Return 0 to 1 over half of the draws, and an undefined one behind each."""
        return np.repeat(np.linspace(0, 1, len(indices) // 2), 2) + np.tile([0.0, np.nan], len(indices) // 2)

    assert resampled(rising, 10) == Interval(low=pytest.approx(0.025), high=pytest.approx(0.975), level=0.95)
    assert resampled(rising, 9) is None
    ten = only(agreement(*judged(4, 1, 1, 4)))
    assert ten.pairs[0].kappa.interval is not None and ten.alpha.interval is not None


def test_fleiss_kappa_of_fourteen_people_is_the_published_one() -> None:
    columns: list[list[int | None]] = [[n for n, times in enumerate(row) for _ in range(times)] for row in FLEISS]
    one = only(agreement(*marked(columns)))
    assert one.fleiss.value == pytest.approx(0.2099, abs=5e-5)
    assert (one.fleiss.n, one.people, len(one.pairs)) == (10, 14, 91)


def test_krippendorffs_alpha_with_missing_labels_is_the_published_one() -> None:
    rows = [[None if cell == "." else int(cell) for cell in line.split()] for line in KRIPPENDORFF]
    one = only(agreement(*marked([list(column) for column in zip(*rows, strict=True)])))
    assert one.alpha.value == pytest.approx(0.743, abs=5e-4)
    # The twelfth unit has one label only: it counts as labelled, but stands behind no coefficient.
    assert (one.items, one.alpha.n) == (12, 11)
    assert one.alpha.interval is not None
    assert one.alpha.interval.low < 0.743 < one.alpha.interval.high


def test_fleiss_takes_the_items_with_the_most_usual_number_of_labels() -> None:
    columns: list[list[int | None]] = [[1, 1], [2, 2], [1, 2], [1, 1, 1]]
    one = only(agreement(*marked(columns)))
    # Three items of two labels: observed 2/3, shares 3/6 and 3/6, so (2/3 - 1/2) / (1/2) = 1/3.
    assert (one.fleiss.n, one.fleiss.value) == (3, pytest.approx(1 / 3))


def test_people_who_always_say_the_same_agree_but_not_measurably_beyond_chance() -> None:
    one = only(agreement(*judged(5, 0, 0, 0)))
    assert one.pairs[0].share.value == 1.0
    assert one.pairs[0].kappa.value is one.fleiss.value is one.alpha.value is None
    assert one.alpha.reason.startswith("Everybody always chose the same value") and one.alpha.n == 5


def test_one_person_alone_agrees_with_nobody_and_drafts_do_not_count() -> None:
    items, labels = judged(2, 1, 1, 2)
    alone = [each for each in labels if each.annotator == "A"]
    draft = [label(items[0], "B", "correct", "right", state="draft")]
    one = only(agreement(items, [*alone, *draft]))
    assert (one.people, one.pairs, one.items) == (1, (), 6)
    assert one.alpha.value is None and one.alpha.reason
    assert agreement(items, draft) == ()


def test_two_people_who_labelled_different_items_are_not_compared() -> None:
    items, labels = judged(2, 0, 0, 0)
    apart = [one for one, kept in zip(labels, (True, False, False, True), strict=True) if kept]
    found = only(agreement(items, apart))
    (pair,) = found.pairs
    assert (pair.share.value, pair.kappa.value, pair.share.reason) == (None, None, "They have no common item yet.")
    assert (found.alpha.reason, found.fleiss.reason) == ("No item has labels of two people yet.",) * 2


def test_agreement_is_told_per_policy_beside_all_of_them() -> None:
    flare, dragin = retrieval("p", 0, "flare"), retrieval("p", 0, "dragin")
    labels = [label(item, person, "timing", "timely") for item in (flare, dragin) for person in "AB"]
    found = agreement([flare, dragin], labels)
    assert [(one.policy, one.items) for one in found] == [("", 2), ("dragin", 1), ("flare", 1)]


def test_the_same_labels_give_the_same_interval() -> None:
    data = judged(20, 5, 10, 15)
    assert agreement(*data) == agreement(*data)


def test_disagreements_name_what_each_person_said_and_who_said_nothing() -> None:
    item = retrieval("p", 0)
    labels = [
        Label(item=item.id, annotator="Ben", values=(("timing", "timely"),), state="submitted"),
        Label(item=item.id, annotator="Ada", values=(("timing", "delayed"), ("first_wrong", 4)), state="submitted"),
        Label(item=item.id, annotator="Cleo", values=(("timing", "delayed"), ("first_wrong", 4)), state="draft"),
    ]
    found = [(one.field, one.said) for one in disagreements([item], labels)]
    assert found == [
        ("timing", (("Ada", "delayed"), ("Ben", "timely"))),
        ("first_wrong", (("Ada", 4), ("Ben", None))),
    ]
