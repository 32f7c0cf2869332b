"""What the reader can learn from first: contexts, several questions about each, and short replies.

A context is one to five passages. The question follows it, so all questions about it share its work
(``training.asked_first`` puts the question first, as the workbench does). Each context gets every question that one of
its passages answers, so the right passage is at every place and the others distract. It also gets made questions about
its passages (``training.cloze``), and a question about sufficiency: for one of its own questions, or for a BM25
neighbour's. In addition each question is asked from memory. Only the seed decides which examples an epoch contains.
"""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.backends.entailment.answers import words
from engine.backends.retrieval.bm25_index import build_bm25
from engine.core.records import Passage, Prompt
from engine.measures.answer_match import contains
from engine.methods.profiles import EMBEDDED, Profile, answer_prompt, sufficiency_prompt
from training.cloze import ASKED, MadeQuestion
from training.evouna import answer_type
from training.nq_open import OracleRow

PASSAGE_WORDS = 70
NEIGHBOURS = 12
NEAR = 0.6
LEFT_OUT = 0.25
CHANGED = 0.4
# Of so many draws none fits only where the rows have nothing that does.
MOST_DRAWS = 20_000
COUNTS, WEIGHTS = (1, 2, 3, 4, 5), (1, 1, 2, 2, 6)
QUESTION_LAST = replace(
    EMBEDDED,
    question_with_context="{context}\n\nBased on the text above, answer in a few words: {question}",
    suffices="{context}\n\nDoes the text above contain the answer? Only answer yes or no: {question}",
)

QUESTION_WORDS = {word for asked in ASKED.values() for phrase in asked for word in phrase.split()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One prompt and the reply to learn; ``kind`` is "question", "made", "suffices" or "memory"."""

    prompt: Prompt
    reply: str
    kind: str


def shortened(passage: Passage, answers: Sequence[str], words: int = PASSAGE_WORDS) -> Passage:
    """Return the passage cut to a number of words, around an answer if it contains one."""
    said = passage.text.split()
    start = 0
    if len(said) > words:
        places = range(0, len(said) - words + 1, 5)
        start = next((at for at in places if contains(" ".join(said[at : at + words]), answers)), 0)
    text = " ".join(said[start : start + words])
    return Passage(text=text, title=passage.title, document_id=passage.document_id, end=len(text))


class Neighbours:
    """Other questions' passages near a question, by BM25 over the passages of all rows."""

    def __init__(self, rows: Sequence[OracleRow]) -> None:
        """Index the passages, each cut to the words that a context shows."""
        self.passages = [shortened(row.passage, row.answers) for row in rows]
        index = build_bm25([f"{passage.title} {passage.text}" for passage in self.passages])
        self._near = []
        for at, row in enumerate(rows):
            scores = index.scores(row.question)
            order = sorted(range(len(rows)), key=lambda place: -scores[place])
            self._near.append([place for place in order[: NEIGHBOURS + 1] if place != at][:NEIGHBOURS])

    def near(self, row: int) -> list[int]:
        """Return the rows whose passages are nearest to a row's question, without the row itself."""
        return self._near[row]

    def drawn(self, draw: random.Random, row: int, count: int, answers: Sequence[str] = ()) -> list[int]:
        """Return other rows with passages of other documents and without the answers, most of them near.

        Raises ValueError where so many are not found.
        """
        found: list[int] = []
        titles = {self.passages[row].title}
        for _ in range(MOST_DRAWS):
            if len(found) == count or not self._near[row]:
                break
            place = draw.choice(self._near[row]) if draw.random() < NEAR else draw.randrange(len(self.passages))
            passage = self.passages[place]
            if passage.title not in titles and not contains(f"{passage.title} {passage.text}", answers):
                found.append(place)
                titles.add(passage.title)
        if len(found) < count:
            raise ValueError(
                f"{count} passages of other documents are needed, {len(self.passages)} rows have {len(found)}"
            )
        return found


def epoch_contexts(
    rows: Sequence[OracleRow], neighbours: Neighbours, made: Mapping[int, Sequence[MadeQuestion]], seed: int
) -> list[tuple[Example, ...]]:
    """Return one epoch: each question once in a context with all its examples, and once from memory.

    Examples of one tuple share the beginning of their prompts, except those from memory.
    """
    draw = random.Random(seed)
    waiting = list(range(len(rows)))
    draw.shuffle(waiting)
    used: set[int] = set()
    contexts = []
    while waiting:
        first = waiting.pop()
        if first in used:
            continue
        left_out = draw.random() < LEFT_OUT
        count = draw.choices(COUNTS, weights=WEIGHTS)[0]
        places = neighbours.drawn(draw, first, count - (not left_out), rows[first].answers)
        if left_out:
            waiting.insert(0, first)
        else:
            places.append(first)
        draw.shuffle(places)
        used.update(places)
        stranger = first if left_out else draw.choice(neighbours.near(first))
        contexts.append(context_examples(draw, rows, neighbours, made, places, stranger))
    memory = [memory_example(row) for row in rows]
    draw.shuffle(memory)
    contexts += [tuple(memory[at : at + 16]) for at in range(0, len(memory), 16)]
    draw.shuffle(contexts)
    return contexts


def context_examples(
    draw: random.Random,
    rows: Sequence[OracleRow],
    neighbours: Neighbours,
    made: Mapping[int, Sequence[MadeQuestion]],
    places: Sequence[int],
    stranger: int,
) -> tuple[Example, ...]:
    """Return the examples of one context: its own questions, made ones, and whether it suffices.

    It suffices for one of its own questions, and for another row's question only if it contains the answer by chance.
    """
    shown = [shown_passage(draw, rows, neighbours, place) for place in places]
    passages = tuple(passage for passage, _ in shown)
    examples = []
    for place, (passage, golds) in zip(places, shown, strict=True):
        examples.append(question_example(rows[place].question, golds, passages, QUESTION_LAST))
        ready = still_asked(made.get(place, ()), rows[place], passage, golds)
        for one in draw.sample(ready, min(2 if len(places) < 3 else 1, len(ready))):
            prompt = answer_prompt(QUESTION_LAST, one.question, passages)
            examples.append(Example(prompt=prompt, reply=one.answer, kind="made"))
    examples.append(suffices_example(rows[draw.choice(places)], passages, "yes", QUESTION_LAST))
    text = " ".join(f"{passage.title} {passage.text}" for passage in passages)
    if not contains(text, rows[stranger].answers):
        examples.append(suffices_example(rows[stranger], passages, "no", QUESTION_LAST))
    return tuple(examples)


def other_answer(draw: random.Random, rows: Sequence[OracleRow], passage: Passage, kind: str) -> str:
    """Return another row's answer of the same type that the passage does not hold, "" where none is found."""
    for _ in range(MOST_DRAWS):
        other = rows[draw.randrange(len(rows))]
        new = short(other.answers)
        if answer_type(other.question, other.answers) == kind and not contains(passage.text, (new,)):
            return new
    return ""


def shown_passage(
    draw: random.Random, rows: Sequence[OracleRow], neighbours: Neighbours, place: int, changed: float = CHANGED
) -> tuple[Passage, tuple[str, ...]]:
    """Return a row's passage and its correct answers; sometimes another answer of the same type replaces them.

    With few questions a model memorises the answers; a changed answer must be read (Longpre et al. 2021, "Entity-Based
    Knowledge Conflicts in Question Answering").
    """
    row, passage = rows[place], neighbours.passages[place]
    written = [answer for answer in row.answers if answer in passage.text]
    kind = answer_type(row.question, row.answers)
    if not written or kind == "other" or contains(passage.title, row.answers) or draw.random() > changed:
        return passage, row.answers
    old = max(written, key=len)
    new = other_answer(draw, rows, passage, kind)
    if not new:
        return passage, row.answers
    text = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, passage.text)
    if not contains(text, (new,)) or contains(text, row.answers):
        return passage, row.answers
    return replace(passage, text=text, end=len(text)), (new,)


def still_asked(
    made: Sequence[MadeQuestion], row: OracleRow, passage: Passage, golds: Sequence[str]
) -> list[MadeQuestion]:
    """Return the made questions that still apply to a row's passage as it is shown, changed or not."""
    return [one for one in made if golds == row.answers or holds_still(one, passage)]


def holds_still(made: MadeQuestion, passage: Passage) -> bool:
    """Return whether a made question still applies to a changed passage, which contains all it is about."""
    known = set(words(f"{passage.title} {passage.text}"))
    said = [word for word in words(made.question) if word not in QUESTION_WORDS]
    return contains(passage.text, (made.answer,)) and all(word in known for word in said)


def question_example(
    question: str, golds: Sequence[str], passages: tuple[Passage, ...], wording: Profile = EMBEDDED
) -> Example:
    """Return the question over the passages, answered in their words."""
    text = " ".join(passage.text for passage in passages)
    reply = short([answer for answer in golds if contains(text, (answer,))] or golds)
    return Example(prompt=answer_prompt(wording, question, passages), reply=reply, kind="question")


def memory_example(row: OracleRow) -> Example:
    """Return the question without passages."""
    return Example(prompt=answer_prompt(EMBEDDED, row.question, ()), reply=short(row.answers), kind="memory")


def suffices_example(row: OracleRow, passages: tuple[Passage, ...], reply: str, wording: Profile = EMBEDDED) -> Example:
    """Return whether the context suffices for a question, yes or no."""
    return Example(prompt=sufficiency_prompt(wording, row.question, passages), reply=reply, kind="suffices")


def short(answers: Sequence[str]) -> str:
    """Return the shortest answer, the first one in a tie."""
    return min(answers, key=len)
