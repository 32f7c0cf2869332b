"""What is chosen on the pages of a run: one passage, answer, token, meaning, trigger and claim, the same everywhere.

A choice stands in the address (``?run=ID&chunk=3&answer=seper.without.samples.4&token=17&meaning=2``), so it survives a
reload and can be sent on, and in the session, so it survives a page change. Places count from 1 in the address and
wherever a person reads them, from 0 in the record; an answer is named by where it stands in the run, as on the page of
prompts; a trigger by its policy and its number, ``entropy_trend.4``. An address is untrusted: what is nonsense, or is
not in the run, selects nothing. Choosing draws the page anew from the stored record; it computes no method.

A token belongs to the answer named beside it. The same answer can stand in several places (SUGAR's samples are
SePer's): all of them show the choice. So do two policies that read one text, and meanings of the same words.

| page | passage | answer | token | meaning | trigger | claim |
| --- | --- | --- | --- | --- | --- | --- |
| Ask | passages, their table | both answers | theirs | | | |
| DENSE | graph, matrix, table, choice | a chunk's calls | of the answers shown | | | |
| DENSE-RAG | contexts, cards, table | the context's | of that answer | | | |
| SePer | | samples | of the sample shown | bars, table, samples | | |
| ETC | | the answer from memory | strip, figure, words | | with its word | |
| Retrieval timing | | from memory, each policy's own | strip, lanes, tokens | | lanes, tables | |
| QuCo-RAG | | | | | | strip, network, table |
| SUGAR | passages of a round | samples, rounds | of a sample | table, marked samples | | |
| Uncertainty | | answers of each set | of the answer shown | marked answers | | |
| Utility | figure, table | samples | of the sample shown | | | |
| Prompts | | the prompt that opens | of that answer | | | |
| Numbers | its numbers | its numbers | its word's | its numbers | its numbers | its numbers |
| Threshold lab | | | strip | | strip | |
| Compare | table of passages, of run A | the text compared | strip, figure, table | | | |
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace

from engine.core.records import Generation, Passage
from engine.core.words import isolated, shorten
from engine.diagnosis.record import Diagnosis
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.quco_rag import QucoResult
from engine.methods.timing.method import TimingResult, trace_of
from engine.methods.timing.policies import POLICIES
from pages.shared import session
from viz.methods.entropy_trend import word_at
from viz.methods.meanings import meaning_places, meanings_of
from viz.methods.timing import policy_title
from viz.parts.token_strip import visible
from viz.parts.words import quoted
from viz.runs.prompts import answer_at

NUMBER = re.compile(r"[1-9][0-9]{0,5}")
ANSWER = re.compile(r"[a-z_]{1,40}(\.[a-z_]{1,40}|\.[0-9]{1,4}){1,10}")
TRIGGER = re.compile(r"([a-z_]{1,40})\.([1-9][0-9]{0,5})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is chosen: places count from 0, None or "" = nothing of that kind. One thing of each kind at most."""

    chunk: int | None = None
    answer: str = ""
    token: int | None = None
    meaning: int | None = None
    trigger: str = ""
    claim: int | None = None

    def __bool__(self) -> bool:
        """Whether anything is chosen."""
        return self != Selection()


KINDS = tuple(field.name for field in fields(Selection))
COUNTED = ("chunk", "token", "meaning", "claim")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A selection found in a run's record: what the run does not have is gone from it.

    ``meaning`` and ``passage`` are the chosen texts, ``trigger`` is (policy, number from 0, token it stands on).
    """

    selection: Selection = Selection()
    passage: Passage | None = None
    generation: Generation | None = None
    meaning: str = ""
    trigger: tuple[str, int, int] | None = None

    @property
    def chunk(self) -> int | None:
        """The place of the chosen passage among those of the run."""
        return self.selection.chunk

    def is_answer(self, generation: Generation | None) -> bool:
        """Return whether this is the chosen answer, wherever it stands."""
        mine = self.generation
        if generation is None or mine is None:
            return False
        return (generation.text, generation.seed, generation.rendered) == (mine.text, mine.seed, mine.rendered)

    def row_of(self, generations: Iterable[Generation | None]) -> int | None:
        """Return the place of the chosen answer among these, None where it is not there."""
        return next((place for place, one in enumerate(generations) if self.is_answer(one)), None)

    def token_of(self, generation: Generation | None) -> int | None:
        """Return the chosen token's place where it belongs to this answer, else None."""
        return self.selection.token if self.is_answer(generation) else None

    def trigger_of(self, policy: str) -> int | None:
        """Return the number, from 0, of the chosen trigger where it is this policy's, else None."""
        return self.trigger[1] if self.trigger is not None and self.trigger[0] == policy else None


def parse_selection(texts: Mapping[str, str]) -> Selection:
    """Return the selection that address parameters speak of; what is no place or name chooses nothing.

    >>> parse_selection({"chunk": "3", "token": "-1", "answer": "run.answer", "trigger": "entropy_trend.0"})
    Selection(chunk=2, answer='run.answer', token=None, meaning=None, trigger='', claim=None)
    """
    places = {kind: int(texts[kind]) - 1 for kind in COUNTED if NUMBER.fullmatch(texts.get(kind, ""))}
    answer, trigger = texts.get("answer", ""), texts.get("trigger", "")
    return Selection(
        chunk=places.get("chunk"),
        answer=answer if ANSWER.fullmatch(answer) else "",
        token=places.get("token"),
        meaning=places.get("meaning"),
        trigger=trigger if TRIGGER.fullmatch(trigger) else "",
        claim=places.get("claim"),
    )


def selection_parameters(selection: Selection) -> dict[str, str]:
    """Return the address parameters of a selection, places counted from 1.

    >>> selection_parameters(Selection(chunk=2, answer="run.answer"))
    {'chunk': '3', 'answer': 'run.answer'}
    """
    found = {kind: getattr(selection, kind) for kind in KINDS}
    return {
        kind: str(value + 1) if isinstance(value, int) else value
        for kind, value in found.items()
        if value is not None and value != ""
    }


def add_choice(before: Selection, picked: Selection) -> Selection:
    """Return a selection after one more choice: other kinds stay, but a token and a trigger go with their answer.

    >>> add_choice(Selection(chunk=1, answer="run.answer", token=4), Selection(answer="run.closed_book"))
    Selection(chunk=1, answer='run.closed_book', token=None, meaning=None, trigger='', claim=None)
    """
    changes = {kind: getattr(picked, kind) for kind in selection_parameters(picked)}
    if picked.answer or picked.token is not None or picked.trigger:
        changes |= {"answer": picked.answer, "token": picked.token, "trigger": picked.trigger}  # of one text
    return replace(before, **changes)


def remove_choice(before: Selection, kind: str) -> Selection:
    """Return a selection with one kind no longer chosen; with an answer go its token and its trigger."""
    gone = {"answer": ("answer", "token", "trigger"), "token": ("token", "trigger")}.get(kind, (kind,))
    empty = Selection()
    return replace(before, **{name: getattr(empty, name) for name in gone})


def in_run(selection: Selection, diagnosis: Diagnosis) -> Chosen:
    """Return what a selection means in a run; what the run does not have is chosen no more, without an error."""
    if not selection:
        return Chosen()
    hits, held = diagnosis.hits, selection
    chunk = _within(held.chunk, len(hits))
    trigger = trigger_at(diagnosis, held.trigger)
    generation = answer_at(diagnosis, held.answer) if held.answer else None
    token = _within(held.token, len(generation.tokens)) if generation is not None else None
    meanings = meanings_of(diagnosis) if held.meaning is not None else ()
    meaning = _within(held.meaning, len(meanings))
    return Chosen(
        selection=Selection(
            chunk=chunk,
            answer=held.answer if generation is not None else "",
            token=token,
            meaning=meaning,
            trigger=held.trigger if trigger is not None else "",
            claim=_within(held.claim, len(claim_places(diagnosis))),
        ),
        passage=hits[chunk].passage if chunk is not None else None,
        generation=generation,
        meaning=meanings[meaning] if meaning is not None else "",
        trigger=trigger,
    )


def _within(place: int | None, count: int) -> int | None:
    """Return the place where there is one, else None."""
    return place if place is not None and place < count else None


def trigger_at(diagnosis: Diagnosis, name: str) -> tuple[str, int, int] | None:
    """Return (policy, number, token) of a trigger named as ``policy.number``, from 0; None where the run has none.

    ETC's are its own page's where it ran, a policy's those of its lane; both read the answer from memory.
    """
    found = TRIGGER.fullmatch(name)
    if found is None or found[1] not in POLICIES:
        return None
    tokens = trigger_tokens(diagnosis, found[1])
    number = int(found[2]) - 1
    return (found[1], number, tokens[number]) if number < len(tokens) else None


def trigger_tokens(diagnosis: Diagnosis, policy: str) -> tuple[int, ...]:
    """Return the token each trigger of a policy stands on, in order; () where the policy was not measured."""
    trend, timing = diagnosis.result(EntropyTrendResult, measured=False), diagnosis.result(TimingResult, measured=False)
    if policy == "entropy_trend" and trend is not None:
        return tuple(trend.words[trigger.word].first_token for trigger in trend.triggers)
    found = trace_of(timing, policy)
    return () if found is None else tuple(found.signals[place].token for place in found.triggers)


def names_of(found: Chosen) -> dict[str, str]:
    """Return what is chosen in words, by kind, in the order of the address."""
    held, generation = found.selection, found.generation
    token = generation.tokens[held.token].text if generation is not None and held.token is not None else ""
    words = {
        "chunk": f"Passage {(held.chunk or 0) + 1}",
        "answer": f"Answer {quoted(generation.text if generation is not None else '', 32)}",
        "token": f"Token {(held.token or 0) + 1} ‘{isolated(shorten(visible(token), 16))}’",
        "meaning": f"Meaning {quoted(found.meaning, 32)}",
        "trigger": f"Trigger {found.trigger[1] + 1} of {policy_title(found.trigger[0])}" if found.trigger else "",
        "claim": f"Claim {(held.claim or 0) + 1}",
    }
    return {kind: words[kind] for kind in selection_parameters(held)}


def prefixes_of(found: Chosen, diagnosis: Diagnosis) -> tuple[str, ...]:
    """Return where the numbers of what is chosen stand in the record, as the addresses of numbers begin."""
    held = found.selection
    prefixes = [held.answer] if held.answer else []
    if held.chunk is not None:
        prefixes += [f"{method}.chunks.{held.chunk}" for method in ("dense", "chunk_utility")]
    if held.claim is not None:
        prefixes += claim_places(diagnosis)[held.claim : held.claim + 1]
    if found.meaning:
        prefixes += meaning_places(diagnosis, found.meaning)
    trend = diagnosis.result(EntropyTrendResult, measured=False)
    if trend is not None:
        word = word_at(trend, found.token_of(trend.generation))
        points = [place for place, point in enumerate(trend.points) if point.word == word]
        prefixes += [f"entropy_trend.words.{word}"] if word is not None else []
        prefixes += [f"entropy_trend.points.{place}" for place in points]
        number = found.trigger_of("entropy_trend")
        prefixes += [f"entropy_trend.triggers.{number}"] if number is not None else []
    return tuple(prefixes)


def claim_places(diagnosis: Diagnosis) -> list[str]:
    """Return where each claim of the table of claims stands in the record."""
    found = diagnosis.result(QucoResult, measured=False)
    return [
        f"quco_rag.sentences.{sentence}.claims.{place}"
        for sentence, checked in enumerate(found.sentences if found is not None else ())
        for place in range(len(checked.claims))
    ]


def current_selection() -> Selection:
    """Return what is chosen in the run that is shown, from the address or else from this session."""
    return parse_selection(session.chosen_texts())


def chosen_in(diagnosis: Diagnosis) -> Chosen:
    """Return what is chosen, found in this run."""
    return in_run(current_selection(), diagnosis)


def add_to_selection(picked: Selection) -> None:
    """Choose one more thing, in the address and in this session."""
    save_selection(add_choice(current_selection(), picked))


def clear_selection(kind: str = "") -> None:
    """Choose nothing of this kind any more; without a kind, nothing at all."""
    save_selection(remove_choice(current_selection(), kind) if kind else Selection())


def save_selection(selection: Selection) -> None:
    """Make this the selection of the run that is shown."""
    session.keep_chosen(selection_parameters(selection))
