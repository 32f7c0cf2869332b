"""What was not sent is held for few tabs, and for the person whose it is."""

import pytest

from pages.shared import session, unsent
from pages.shared.draft import Draft


def test_the_longest_untouched_tab_gives_way_and_persons_are_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unsent, "KEPT", {})
    monkeypatch.setattr(unsent, "MOST_KEPT", 2)
    monkeypatch.setattr(session, "held", lambda beginnings: {})
    monkeypatch.setattr(session, "widget_state", lambda key: None)

    def typed(person: str, tab: str, question: str) -> None:
        monkeypatch.setattr(session, "person_name", lambda: person)
        monkeypatch.setattr(unsent, "tab_name", lambda: tab)
        monkeypatch.setattr(session, "typed_form", lambda: (Draft(question=question), ()))
        unsent.keep_unsent()

    typed("ann", "one", "Who?")
    typed("ben", "one", "When?")
    typed("ann", "one", "Where?")  # touched again: Ben's tab is now the longest untouched
    typed("ann", "two", "Why?")
    assert {name: kept[session.DRAFT].question for name, kept in unsent.KEPT.items()} == {
        ("ann", "one"): "Where?",
        ("ann", "two"): "Why?",
    }
    typed("ann", "two", "")
    assert list(unsent.KEPT) == [("ann", "one")]
