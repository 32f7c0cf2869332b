"""Made-up items to label and a project that holds them, for the page's tests and the browser's."""

from engine.annotations.records import Action, Item, ItemView, Kind, Mark, Piece, Project, ShownBeliefStep, ShownPassage
from engine.annotations.store import AnnotationStore

WORDS = "The tower opened in 1887 for a fair. So the answer is 1887."
HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'


def pieces(text: str) -> tuple[Piece, ...]:
    """Return a token for each word, the space before it belonging to it."""
    made, place = [], 0
    for number, word in enumerate(text.split(" ")):
        piece = word if number == 0 else " " + word
        made.append(Piece(text=piece, start=place, end=place + len(piece)))
        place += len(piece)
    return tuple(made)


def lookup_item(project: str, number: int, text: str = WORDS, policy: str = "entropy_trend", token: int = 6) -> Item:
    """Return a lookup before the seventh word of an answer whose fifth is wrong."""
    tokens = pieces(text)
    view = ItemView(
        question=f"Question {number}: when did the tower open?",
        golds=("1889",),
        text=text,
        tokens=tokens,
        marks=(
            Mark(policy=policy, token=token, character=tokens[token].start, query="tower opened", here=True),
            Mark(policy=policy, token=token + 2, character=tokens[token + 2].start, query="fair", here=False),
        ),
        without="It opened in 1887.",
        found=(ShownPassage(title="Tower", text="The tower was opened to the public on 15 May 1889."),),
        evidence=(
            ShownPassage(title="Tower", text="Built from 1887 to 1889."),
            ShownPassage(title="Fair", text="The fair of 1889."),
        ),
        stairs=(
            ShownBeliefStep(retrieval=0, soft=0.2, gain=None, gain_low=None, gain_high=None, worth=""),
            ShownBeliefStep(retrieval=1, soft=0.7, gain=0.5, gain_low=0.35, gain_high=0.65, worth="helped"),
        ),
    )
    return item(project, number, "retrieval", view, policy, token)


def correctness_item(project: str, number: int, text: str = "1889") -> Item:
    """Return an answer to be called right or wrong."""
    view = ItemView(question=f"Question {number}: when did the tower open?", golds=("1889",), text=text)
    return item(project, number, "correctness", view)


def item(project: str, number: int, kind: Kind, view: ItemView, policy: str = "", token: int | None = None) -> Item:
    """Return an item of a run that is in no store."""
    return Item(
        id=f"{project}-{kind}-{number}",
        project=project,
        kind=kind,
        run_id="gone",
        run_hash="0" * 64,
        source="run",
        policy=policy,
        place=number,
        token=token,
        view=view,
    )


def project_with(store: AnnotationStore, lookups: int = 0, answers: int = 0, **settings: object) -> Project:
    """Return a project with so many lookups and then so many answers to be called right or wrong."""
    made = store.create_project("Towers", project="towers", **settings)  # type: ignore[arg-type]
    store.add_items(made.id, [lookup_item(made.id, number) for number in range(1, lookups + 1)])
    store.add_items(made.id, [correctness_item(made.id, number) for number in range(1, answers + 1)])
    return made


def said(item_id: str, number: int, note: str = "", state: str = "submitted", **values: str | int) -> Action:
    """Return the first action on an item: this label of it."""
    return Action(
        id=f"{item_id}-{number}",
        item=item_id,
        base="",
        values=tuple(values.items()),
        state=state,  # type: ignore[arg-type]
        note=note,
        seconds=2.0,
    )
