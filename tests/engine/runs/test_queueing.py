"""Turns between persons: worked by hand, and for any order of coming and going."""

from hypothesis import given
from hypothesis import strategies as st

from engine.runs.queueing import FairQueue


def taken(queue: FairQueue[str]) -> list[str]:
    """Return everything that waits, in the order it is taken."""
    return [queue.take() for _ in range(len(queue))]


def test_one_person_is_served_in_order() -> None:
    queue: FairQueue[str] = FairQueue()
    for item in "abc":
        queue.add("ann", item)
    assert queue.in_order() == ("a", "b", "c")
    assert taken(queue) == ["a", "b", "c"]


def test_ten_runs_of_one_person_let_the_first_of_another_go_next() -> None:
    queue: FairQueue[str] = FairQueue()
    for place in range(10):
        queue.add("ann", f"a{place}")
    assert queue.take() == "a0"
    queue.add("bob", "b0")
    queue.add("bob", "b1")
    queue.add("cleo", "c0")
    order = ["b0", "c0", "a1", "b1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"]
    assert list(queue.in_order()) == order
    assert taken(queue) == order


def test_who_comes_again_and_again_does_not_overtake_who_waits() -> None:
    queue: FairQueue[str] = FairQueue()
    for item in ("a0", "a1"):
        queue.add("ann", item)
    order = [queue.take()]
    for place in range(5):
        queue.add(f"stranger {place}", f"s{place}")
        order.append(queue.take())
    assert order == ["a0", "s0", "a1", "s1", "s2", "s3"]


def test_an_item_that_is_taken_out_is_never_taken() -> None:
    queue: FairQueue[str] = FairQueue()
    for item in "abc":
        queue.add("ann", item)
    assert queue.remove(lambda item: item == "b") == "b"
    assert queue.remove(lambda item: item == "b") is None
    assert taken(queue) == ["a", "c"]


@given(st.lists(st.one_of(st.sampled_from("abcd"), st.none()), max_size=60))
def test_nothing_is_lost_and_two_who_wait_are_never_more_than_one_apart(steps: list[str | None]) -> None:
    queue: FairQueue[tuple[str, int]] = FairQueue()
    added: list[tuple[str, int]] = []
    seen: list[tuple[str, int]] = []
    since: dict[str, dict[str, int]] = {}
    for number, person in enumerate(steps):
        if person is not None:
            queue.add(person, (person, number))
            added.append((person, number))
            since.setdefault(person, dict.fromkeys("abcd", 0))
            continue
        if not len(queue):
            continue
        first, item = queue.in_order()[0], queue.take()
        assert item == first
        seen.append(item)
        since.pop(item[0])
        for counts in since.values():
            counts[item[0]] += 1
            assert counts[item[0]] <= 2
        if any(waiting[0] == item[0] for waiting in queue.in_order()):
            since[item[0]] = dict.fromkeys("abcd", 0)
    assert sorted([*seen, *queue.in_order()]) == sorted(added)
    for person in "abcd":
        served = [item for item in seen if item[0] == person]
        assert served == [item for item in added if item[0] == person][: len(served)]
