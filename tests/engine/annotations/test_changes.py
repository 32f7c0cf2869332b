"""Actions change labels by rules that can be read without a database."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.annotations.changes import Change, Target, decide_action
from engine.annotations.fields import missing_fields, with_value
from engine.annotations.records import Action, Event, Label, Receipt, Values, redoable, undoable

TARGET = Target(kind="retrieval", markable=5)
LABEL = Label(item="i", annotator="Ada")
WHOLE: Values = (("timing", "timely"), ("without", "useful"), ("gain", "useful"))


def judge(action: Action, label: Label = LABEL, events: tuple[Event, ...] = ()) -> Change | Receipt:
    """Return what an action makes of a label under guidelines 3."""
    return decide_action(action, label, TARGET, events, 3, "now")


def refusal(action: Action) -> str:
    """Return why an action is refused."""
    made = judge(action)
    assert isinstance(made, Receipt) and made.status == "refused"
    return made.sentence


def test_a_kept_action_counts_up_and_names_itself() -> None:
    made = judge(Action(id="a", item="i", base="", values=WHOLE, state="submitted", note="fine", seconds=2.0))
    assert isinstance(made, Change)
    expected = Label(
        item="i", annotator="Ada", values=WHOLE, state="submitted", note="fine", seconds=2.0, action="a", version=1,
        guidelines=3, updated_at="now",
    )  # fmt: skip
    assert made.after == expected


def test_time_spent_never_shrinks() -> None:
    made = judge(Action(id="b", item="i", base="a", seconds=1.0), replace(LABEL, action="a", seconds=9.0, version=1))
    assert isinstance(made, Change) and made.after.seconds == 9.0


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"values": (("timing", "soon"),)}, "Timing must be one of timely, delayed, got 'soon'."),
        ({"values": (("colour", "red"),)}, "has no field 'colour'; it has timing, first_wrong, without, gain."),
        ({"values": (("first_wrong", 2),)}, "timing = delayed"),
        ({"values": (("timing", "delayed"), ("first_wrong", 5))}, "5 tokens"),
        ({"values": (("timing", "delayed"), ("first_wrong", True))}, "5 tokens"),
        ({"values": (("timing", "timely"), ("timing", "timely"))}, "The field 'timing' is given twice."),
        ({"values": WHOLE[:2], "state": "submitted"}, "with it, the answer is"),
        ({"state": "untouched"}, "Only an undo"),
        ({"note": "x" * 4001}, "4001"),
        ({"note": "\0"}, "null character"),
        ({"note": "\ud800"}, "half a letter"),
        ({"seconds": float("nan")}, "got nan"),
        ({"seconds": -1.0}, "got -1.0"),
        ({"id": "x" * 65}, "1 to 64"),
        ({"verb": "undo", "of": "nothing"}, "undone"),
        ({"verb": "redo", "of": "nothing"}, "redone"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_sentence(changes: dict[str, object], sentence: str) -> None:
    assert sentence in refusal(replace(Action(id="a", item="i", base=""), **changes))  # type: ignore[arg-type]


def test_a_delayed_retrieval_needs_its_first_wrong_token_and_a_timely_one_loses_it() -> None:
    delayed = with_value("retrieval", (), "timing", "delayed")
    assert missing_fields("retrieval", delayed) == ("first_wrong", "without", "gain")
    marked = with_value("retrieval", delayed, "first_wrong", 2)
    assert with_value("retrieval", marked, "timing", "timely") == (("timing", "timely"),)
    assert with_value("retrieval", marked, "first_wrong", None) == delayed


STEPS = st.lists(st.sampled_from(["set timely", "set delayed", "undo", "redo"]), max_size=25)


@given(STEPS)
def test_any_walk_of_sets_undos_and_redos_ends_where_a_list_with_a_cursor_ends(steps: list[str]) -> None:
    label, events = LABEL, list[Event]()
    states, cursor = [LABEL], 0
    for number, step in enumerate(steps):
        action = Action(id=f"a{number}", item="i", base=label.action)
        if step.startswith("set"):
            action = replace(action, values=(("timing", step.split()[1]),))
        else:
            choices = undoable(events) if step == "undo" else redoable(events)
            if not choices:
                assert cursor == (0 if step == "undo" else len(states) - 1)
                continue
            action = replace(action, verb=step, of=choices[0].action)  # type: ignore[arg-type]
        made = judge(action, label, tuple(events))
        assert isinstance(made, Change)
        events = [replace(one, undone=one.number == made.undone or one.undone) for one in events]
        events = [replace(one, undone=one.undone and one.number != made.redone) for one in events]
        events.append(
            Event(
                number=number + 1,
                action=action.id,
                item="i",
                annotator="Ada",
                verb=action.verb,
                of=action.of,
                before=label,
                after=made.after,
                at="",
            )
        )
        label = made.after
        if step.startswith("set"):
            states, cursor = [*states[: cursor + 1], label], cursor + 1
        else:
            cursor += -1 if step == "undo" else 1
        assert (label.values, label.state) == (states[cursor].values, states[cursor].state)
    assert label.version == len(events)
