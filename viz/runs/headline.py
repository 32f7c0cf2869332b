"""What happened in a run, as one plain line: from the two answers, the correct answers and the words of the passages.

Facts only. A passage that holds the words of an answer *names* it. *Because of* is said only where a measurement shows
that the answer rests on a passage that names it: DENSE calls it necessary (DENSE, section 5.2), or its utility among
the others moves belief the way the answer went (SePer, eq. 11, for single chunks). That reading *helped* is not said
where SePer found no clear rise. Sentences: ``headline.yaml``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engine.backends.entailment.base import states_answer
from engine.core.records import Passage
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.traces.reading import ImportedAnswer
from engine.diagnosis.traces.schema import is_cut
from engine.learning.content import render_plain
from engine.measures.answer_marks import RIGHT, equal, has_words, mark
from engine.measures.answer_match import CLOSED_ANSWERS, normalise
from engine.methods.chunk_utility import ChunkUtilityResult, agreed
from engine.methods.dense_records import DenseResult
from engine.methods.seper import agreed_change
from engine.methods.seper_records import SeperResult
from viz.methods.belief_bars import cut_inside
from viz.methods.verdicts import Tone
from viz.parts.data_files import read_table
from viz.parts.words import closed, numbered, quoted
from viz.runs.case_card import Case
from viz.runs.summary import Match, bare_answer, marked_spans, match_of, matches_of

Standing = Literal["right", "alike", "wrong", "hedged", "none", "unjudged"]
STANDINGS: dict[Match, Standing] = {
    "exact": "right",
    "contains": "right",
    "meant": "alike",
    "named": "hedged",
    "none": "none",
    "no": "wrong",
}
MOST_PASSAGES = 2
ANSWER_LETTERS = 32
# A longer answer is hardly found word for word; that would say nothing about its content.
MOST_WORDS = 4
# The cases in which reading changed the answer, with where the utility of a passage behind it moves belief.
CHANGES: dict[Case, str] = {"helped": "up", "supplied": "up", "spoiled": "down", "changed": "", "spoke_up": ""}
TONES_ALONE: dict[Standing, Tone] = {
    "right": "good",
    "alike": "middle",
    "wrong": "bad",
    "hedged": "middle",
    "none": "middle",
}
ALONE: dict[Standing, str] = {"right": ", right", "alike": ", right by the judge", "wrong": ", wrong"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A case of ``headline.yaml``: the template of its sentence, its tone, and which passages it speaks of."""

    text: str
    tone: Tone
    about: Literal["naming", "holding", "none"] = "none"


SENTENCES: dict[Case, Sentence] = read_table("runs/headline.yaml", dict[Case, Sentence])


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """What happened: the case by its name, its tone, the sentence as plain text, the passages it speaks of, from 0."""

    case: Case
    tone: Tone
    sentence: str
    passages: tuple[int, ...]


def headline(diagnosis: Diagnosis) -> Headline:
    """Return what happened in a run that has both answers."""
    case = case_of(diagnosis)
    found = SENTENCES[case]
    naming, holding = naming_passages(diagnosis), holding_passages(diagnosis)
    resting = resting_passages(diagnosis, case) if found.about == "naming" else ()
    reading, _ = standings(diagnosis)
    facts = {
        **passage_facts(diagnosis.answer.text, naming, holding),
        "memory": short_quote(diagnosis.closed_book.text),
        "where": alike_words(naming, holding) if case == "alike" else where_words(diagnosis, naming, resting),
        "as_before": ", as from memory" if is_same(diagnosis) else "",
        "right_or_wrong": ALONE.get(reading, ""),
        "helps": bool(resting) or belief_follows(diagnosis),
    }
    return Headline(
        case=case,
        tone=TONES_ALONE.get(reading, "unknown") if case == "no_passages" else found.tone,
        sentence=render_plain(found.text, **facts),
        passages=places_told(case, resting or naming, holding),
    )


def belief_follows(diagnosis: Diagnosis) -> bool:
    """Return whether SePer raised belief in the correct answer, or was not measured: one answer may turn by chance."""
    found = diagnosis.result(SeperResult)
    return found is None or found.delta_soft is None or agreed_change(found) == "up"


def imported_headline(answer: ImportedAnswer, golds: tuple[str, ...]) -> Headline | None:
    """Return what another pipeline's answer made of its passages; None without a correct answer or without passages.

    Its answer from memory is not known, so the line speaks of reading alone.
    """
    if not golds or not answer.passages:
        return None
    text = answer.generation.text
    reading = standing(match_of(text, golds, answer.judged), text)
    alone: dict[Standing, Case] = {"right": "right", "alike": "alike"}
    case = alone.get(reading) or unread_case(answer.passages, golds, reading)
    found, holding = SENTENCES[case], passages_with(answer.passages, golds)
    naming = places_naming(answer.passages, golds, text)
    where = alike_words(naming, holding) if case == "alike" else named_words(text, naming)
    sentence = render_plain(found.text, **passage_facts(text, naming, holding), where=where)
    if is_cut(answer.notes):
        sentence = f"{closed(sentence)} Looked at: the first {len(answer.passages)} passages."
    return Headline(case=case, tone=found.tone, sentence=sentence, passages=places_told(case, naming, holding))


def places_told(case: Case, naming: tuple[int, ...], holding: tuple[int, ...]) -> tuple[int, ...]:
    """Return the passages that the sentence of a case speaks of."""
    if case == "alike":
        return naming or holding
    return {"naming": naming, "holding": holding, "none": ()}[SENTENCES[case].about]


def passage_facts(text: str, naming: tuple[int, ...], holding: tuple[int, ...]) -> dict[str, str]:
    """Return the facts of a sentence that follow from an answer and from which passages name it or hold a right one."""
    apart = naming and not set(naming) & set(holding)
    return {
        "answer": short_quote(text),
        "holding": passages_words(holding),
        "holds": "names" if len(holding) == 1 else "name",
        "instead": f", as in {passages_words(naming)}" if apart else "",
        "as_before": "",
    }


def case_of(diagnosis: Diagnosis) -> Case:
    """Return what happened by its name, from the two answers and what the passages hold."""
    if not diagnosis.hits:
        return "no_passages"
    reading, memory = standings(diagnosis)
    if not diagnosis.golds:
        return unjudged_case(diagnosis)
    if reading == "alike":
        return "alike"
    if reading == "right":
        # What the judge alone calls right was perhaps right before: then reading is not said to have helped.
        found: dict[Standing, Case] = {"right": "kept_right", "none": "supplied", "alike": "right"}
        return found.get(memory, "helped")
    if memory == "right" and reading != "hedged":
        return "silenced" if reading == "none" else "spoiled"
    return unread_case(passages_of(diagnosis), diagnosis.golds, reading)


def unread_case(passages: Sequence[Passage], golds: Sequence[str], reading: Standing) -> Case:
    """Return what became of an answer that is not right, from whether a passage holds a correct one."""
    if reading == "hedged":
        return "hedged"
    held = told_passages(passages, golds)
    if reading == "none":
        return "unanswered" if held is None else "unanswered_overlooked" if held else "unanswered_missed"
    return "wrong" if held is None else "overlooked" if held else "missed"


def unjudged_case(diagnosis: Diagnosis) -> Case:
    """Return what changed where no correct answer is known."""
    before, after = states_answer(diagnosis.closed_book.text), states_answer(diagnosis.answer.text)
    if before and after:
        return "unchanged" if is_same(diagnosis) else "changed"
    return "fell_silent" if before else "spoke_up" if after else "never_answered"


def passages_of(diagnosis: Diagnosis) -> tuple[Passage, ...]:
    """Return the passages that were read, in order of rank."""
    return tuple(hit.passage for hit in diagnosis.hits)


def standings(diagnosis: Diagnosis) -> tuple[Standing, Standing]:
    """Return where the answer over the passages stands, and the one from memory."""
    reading, memory = matches_of(diagnosis)
    return standing(reading, diagnosis.answer.text), standing(memory, diagnosis.closed_book.text)


def standing(match: Match | None, text: str) -> Standing:
    """Return whether an answer is right, wrong, hedged or none; "unjudged" without a correct answer."""
    if match is None:
        return "unjudged" if states_answer(text) else "none"
    return STANDINGS[match]


def is_same(diagnosis: Diagnosis) -> bool:
    """Return whether both answers are the same words but for case, punctuation and articles."""
    return equal(diagnosis.closed_book.text, diagnosis.answer.text)


def tells_by_words(answers: Sequence[str]) -> bool:
    """Return whether the words of these answers tell where they stand: "yes" and "no" stand anywhere.

    >>> tells_by_words(("no", "No")), tells_by_words(("Paris",))
    (False, True)
    """
    return any(normalise(one) not in CLOSED_ANSWERS | {""} for one in answers)


def holding_passages(diagnosis: Diagnosis) -> tuple[int, ...]:
    """Return the places, from 0, of the passages with the words of a correct answer; () where words do not tell."""
    return passages_with(passages_of(diagnosis), diagnosis.golds)


def naming_passages(diagnosis: Diagnosis) -> tuple[int, ...]:
    """Return the places, from 0, of the passages that hold the words of the answer given over them, or a right alias.

    A right answer may be said in other words: then the correct answers are looked for as well.
    """
    return places_naming(passages_of(diagnosis), diagnosis.golds, diagnosis.answer.text)


def places_naming(passages: Sequence[Passage], golds: tuple[str, ...], answer: str) -> tuple[int, ...]:
    """Return the places of the passages that hold the words of an answer, or where it is right of a correct one."""
    if not states_answer(answer):
        return ()
    text = bare_answer(answer)
    named = passages_with(passages, (text,))
    right = bool(golds) and mark(text, golds) in RIGHT
    return named or (passages_with(passages, golds) if right else ())


def told_passages(passages: Sequence[Passage], golds: Sequence[str]) -> tuple[int, ...] | None:
    """Return the places of the passages that hold a correct answer, () where surely none does, None where unclear.

    Unclear: the answer is "yes" or "no", each is long, or a passage has its words in another order or in its title.
    """
    if not tells_by_words(golds):
        return None
    held = passages_with(passages, golds)
    long = all(len(gold.split()) > MOST_WORDS for gold in golds)
    read = (f"{passage.title} {passage.text}" for passage in passages)
    return held or (None if long or any(has_words(text, golds) for text in read) else ())


def passages_with(passages: Sequence[Passage], answers: Sequence[str]) -> tuple[int, ...]:
    """Return the places of the passages that hold one of the answers as whole words, in any case."""
    wanted = tuple(one for one in answers if tells_by_words((one,)))
    return tuple(place for place, passage in enumerate(passages) if marked_spans(passage.text, wanted))


def resting_passages(diagnosis: Diagnosis, case: Case) -> tuple[int, ...]:
    """Return the naming passages on which a measurement shows the answer to rest; () without one.

    DENSE's *necessary*; or a utility among the others that moves belief up in a right answer, down in a spoiled one.
    An answer that stood before reading rests on no passage.
    """
    if case not in CHANGES:
        return ()
    needed = necessary_passages(diagnosis)
    utility = diagnosis.result(ChunkUtilityResult)
    used = () if utility is None else agreed(utility).chunks
    moving = {one.index for one in used if one.left_out.effect == CHANGES[case]}
    return tuple(place for place in naming_passages(diagnosis) if place in needed | moving)


def necessary_passages(diagnosis: Diagnosis) -> set[int]:
    """Return the passages that DENSE calls necessary; none where it looked at another answer than the run's own."""
    found = diagnosis.result(DenseResult)
    if found is None or found.temperature > 0 or found.original.text.strip() != diagnosis.answer.text.strip():
        return set()
    return {place for place, label in found.labels.items() if label == "necessary"}


def where_words(diagnosis: Diagnosis, naming: tuple[int, ...], resting: tuple[int, ...]) -> str:
    """Return how the answer and the passages hang together, as the end of a sentence."""
    if resting:
        return f", because of {passages_words(resting)}"
    return named_words(diagnosis.answer.text, naming)


def named_words(answer: str, naming: tuple[int, ...]) -> str:
    """Return which passages name an answer, as the end of a sentence; "" where its words would not tell."""
    if naming:
        return f", which {passages_words(naming)} {'names' if len(naming) == 1 else 'name'}"
    text = bare_answer(answer)
    return ", which no passage names" if tells_by_words((text,)) and len(text.split()) <= MOST_WORDS else ""


def alike_words(naming: tuple[int, ...], holding: tuple[int, ...]) -> str:
    """Return which passages name an answer that is right in other words, else which hold a correct one.

    "" without either: they may say it in other words too.

    >>> alike_words((0,), (1,)), alike_words((), (1,)), alike_words((), ())
    (', which passage 1 names', '; passage 2 names a correct answer', '')
    """
    if naming:
        return named_words("", naming)
    return f"; {passages_words(holding)} {'names' if len(holding) == 1 else 'name'} a correct answer" if holding else ""


def passages_words(places: Sequence[int]) -> str:
    """Return passages by their numbers; of more than two only how many there are.

    >>> passages_words([0]), passages_words([0, 2]), passages_words([0, 1, 3])
    ('passage 1', 'passages 1 and 3', '3 passages')
    """
    if len(places) > MOST_PASSAGES:
        return f"{len(places)} passages"
    return numbered("passage", [place + 1 for place in places])


def short_quote(text: str) -> str:
    """Return an answer in quotation marks, cut in the middle where it is long."""
    line = re.sub(r"\s+", " ", text).strip()
    return quoted(cut_inside(line.rstrip("."), ANSWER_LETTERS))
