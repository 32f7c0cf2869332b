"""An item as the browser draws it: words and numbers, nothing that a blind project must not tell."""

from dataclasses import replace

from engine.annotations.records import ItemView, Label, Piece, Project, Suggestion
from tests.pages.annotation_fixtures import correctness_item, lookup_item
from viz.annotating.annotation_card import card, label_data, label_words, pieces, suggestion_words

OPEN = Project(id="p", name="P", guidelines="g", version=1, overlap=1, blind=False, created_at="")
BLIND = replace(OPEN, blind=True)
SAID = Suggestion(field="timing", value="delayed", method="entropy_trend", reason="It fires 3 tokens earlier")


def test_an_open_project_tells_the_policy_the_worth_and_the_suggestion() -> None:
    made = card(lookup_item("p", 1), OPEN, (SAID,))
    assert [mark["title"] for mark in made["marks"]] == ["this lookup · ETC", "lookup · ETC"]  # type: ignore[attr-defined]
    assert made["stairs"]["columns"][-1] == "worth"  # type: ignore[index]
    assert made["suggestions"] == [{"text": "Timing: delayed. It fires 3 tokens earlier. (ETC)"}]


def test_a_blind_project_tells_none_of_them() -> None:
    made = card(lookup_item("p", 1), BLIND, (SAID,))
    assert "ETC" not in str(made) and "helped" not in str(made)
    assert made["suggestions"] == []
    assert made["stairs"] is None  # two levels of SePer tell the gain


def test_only_tokens_before_a_lookup_may_be_marked_as_wrong() -> None:
    assert card(lookup_item("p", 1, token=6), OPEN)["last"] == 6
    assert card(lookup_item("p", 1, token=6), OPEN)["delayed"] is True
    assert card(correctness_item("p", 1), OPEN)["last"] == 0


def test_pieces_lose_no_letter_between_tokens_or_after_the_last() -> None:
    tokens = (Piece(text="a", start=0, end=1), Piece(text="b", start=2, end=3))
    assert pieces(ItemView(question="", golds=(), text="a b.", tokens=tokens)) == ["a", " b."]
    assert pieces(ItemView(question="", golds=(), text="a b.")) == []


def test_what_is_not_there_is_said_and_an_unmeasured_gain_is_no_zero() -> None:
    bare = replace(lookup_item("p", 1).view, golds=(), without="")
    made = card(replace(lookup_item("p", 1), view=bare), OPEN)
    assert {"title": "Correct answer", "text": "none was given"} in made["facts"]  # type: ignore[operator]
    assert made["stairs"]["rows"][0] == ["0", "0.20", "–", "–", "–"]  # type: ignore[index]
    assert card(correctness_item("p", 1), OPEN)["stairs"] is None


def test_a_lookup_that_brought_nothing_says_why() -> None:
    found = lookup_item("p", 1)
    assert card(found, OPEN)["below"] == []
    nothing = replace(found, view=replace(found.view, found=(), other="No corpus."))
    assert card(nothing, OPEN)["below"] == [{"title": "Why this lookup brought nothing", "text": "No corpus."}]


def test_a_label_is_told_in_the_words_of_its_choices() -> None:
    label = Label(item="a", annotator="Ada", values=(("timing", "delayed"), ("first_wrong", 3)), state="draft")
    assert label_words("retrieval", label).split(", ") == ["Timing: delayed", "First wrong token: token 4"]
    assert label_data(label)["values"] == {"timing": "delayed", "first_wrong": 3}
    assert suggestion_words("retrieval", SAID).startswith("Timing: delayed")
