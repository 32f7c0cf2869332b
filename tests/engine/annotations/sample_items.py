"""Made-up items: one retrieval after the fourth word of a wrong answer, one pair of answers, and more of both."""

from engine.annotations.records import Item, ItemView, Kind, Mark, Piece, Source
from engine.annotations.tasks import item_id

TEXT = "The tower opened in 1887. So the answer is 1887."


def pieces(text: str = TEXT) -> tuple[Piece, ...]:
    """Return one piece a word, the blank before it included."""
    found, place = [], 0
    for number, word in enumerate(text.split(" ")):
        shown = word if number == 0 else " " + word
        found.append(Piece(text=shown, start=place, end=place + len(shown)))
        place += len(shown)
    return tuple(found)


def retrieval(project: str, place: int, policy: str = "dragin", token: int = 5, run: str = "run-a") -> Item:
    """Return a retrieval after ``token`` tokens of the answer."""
    view = ItemView(
        question="When did the tower open?",
        golds=("1889",),
        text=TEXT,
        tokens=pieces(),
        marks=(Mark(policy=policy, token=token, character=25, query="tower opened", here=True),),
        without="1887",
    )
    return item(project, "retrieval", policy, place, token, view, run)


def item(
    project: str, kind: Kind, policy: str, place: int, token: int | None, view: ItemView, run: str = "run-a"
) -> Item:
    """Return an item of a run."""
    source: Source = "run" if policy else "answer"
    return Item(
        id=item_id(project, run * 8, kind, source, policy, place),
        project=project,
        kind=kind,
        run_id=run,
        run_hash=run * 8,
        source=source,
        policy=policy,
        place=place,
        token=token,
        view=view,
    )


def correctness(project: str, place: int, text: str = "1889", run: str = "run-a") -> Item:
    """Return an answer to be called right or wrong."""
    view = ItemView(question="When did the tower open?", golds=("1889",), text=text)
    return item(project, "correctness", "", place, None, view, run)
