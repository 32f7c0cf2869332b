"""The story of one run in one picture: the answer from memory, the passages, the answer over them.

Escaped HTML without a script, and one self-contained SVG of the same. Every mark says in words what its colour says: a
passage *names* a correct answer where its words stand in it, and so the answer that was given. DENSE's label
and ΔSePer of a single passage stand there only where they were measured.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import plotly.graph_objects as go

from engine.backends.entailment.base import states_answer
from engine.core.passage_names import given_name, passage_name
from engine.core.records import Hit, meaning_of
from engine.core.words import isolated, shown
from engine.diagnosis.other_scripts import is_unknown
from engine.diagnosis.record import Diagnosis
from engine.measures.answer_marks import RIGHT
from engine.methods.chunk_utility import ChunkChange, ChunkUtilityResult, telling_change
from engine.methods.copies import first_copies
from engine.methods.dense_records import DenseResult
from viz.methods import entropy_trend, seper, trend_figure
from viz.methods.belief_bars import bars_title, belief_bars, belief_rows, cut_inside
from viz.methods.cooccurrence_network import cooccurrence_network, few_finding
from viz.methods.entailment_graph import entailment_graph, graph_sentence, graph_title
from viz.methods.quco_rag import sentence as quco_sentence
from viz.methods.verdicts import SIGNS, Tone
from viz.parts.html import render
from viz.parts.theme import Theme
from viz.parts.words import WORDS, model_name, signed
from viz.runs.answer_links import WordLink, linked_pieces, telling_words, whole_link, word_links
from viz.runs.case_card import AnswerBox
from viz.runs.headline import Headline, headline, holding_passages, naming_passages, tells_by_words
from viz.runs.summary import MATCH_WORDS, Match, bare_answer, marked_pieces, marked_spans, matches_of

TITLE_LETTERS, TEXT_LETTERS, ANSWER_LETTERS, LONG_LINE, BAR_LETTERS = 30, 600, 90, 90, 44
LONGEST_WORD = 40
CHIP_LETTERS, LINE_LETTERS = 20, 24
Pieces = tuple[tuple[str, str, tuple[int, ...]], ...]
SHORT_MATCHES, MATCH_NOTES = WORDS["short matches"], WORDS["match notes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """A mark on a passage: its words, its tone, and what they were cut from, "" where nothing was."""

    words: str
    tone: Tone
    whole: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageRow:
    """A passage in the flow: its number, its title cut in the middle and whole, marks, a note, its marked text.

    ``meaning`` is what the label in the note says, for the mouse; "" where none is in it. ``pieces`` are (text,
    "gold" | "given" | "", numbers of the answer's links that lead there). ``told``: the headline speaks of it.
    """

    number: int
    title: str
    whole_title: str
    chips: tuple[Chip, ...]
    note: str
    meaning: str
    pieces: Pieces
    told: bool


def answer_box(kind: str, text: str, match: Match | None, letters: int = ANSWER_LETTERS) -> AnswerBox:
    """Return an answer with its mark, and cut in the middle to so many letters."""
    tone, word = MATCH_WORDS[match][1], SHORT_MATCHES[match or "unjudged"]
    short = cut_inside(shown(text), letters)
    return AnswerBox(
        kind=kind, text=shown(text), short=short, word=word, tone=tone, sign=SIGNS[tone], pieces=((short, None),)
    )


def match_note(diagnosis: Diagnosis, text: str, match: Match | None) -> str:
    """Return how often people agree with a mark of an answer that words call wrong, "" for any other mark.

    Of "yes" and "no" there is nothing to say: a "no" does not mean "yes" in other words.
    """
    if match not in ("meant", "no") or not tells_by_words(diagnosis.golds):
        return ""
    meaning = meaning_of(text, diagnosis.judged)
    if meaning is None:
        return MATCH_NOTES["strange by words" if is_strange(diagnosis, text) else "by words"]
    if is_strange(diagnosis, text):
        return MATCH_NOTES["strange"].format(meaning=meaning)
    return MATCH_NOTES["meant" if match == "meant" else "refused"].format(meaning=meaning)


def is_strange(diagnosis: Diagnosis, text: str) -> bool:
    """Return whether an answer or a correct one is in another script: people were asked about English answers only."""
    return any(is_unknown(diagnosis.question, text, gold) for gold in diagnosis.golds)


def match_caution(diagnosis: Diagnosis, text: str) -> str:
    """Return what stands below a mark that the judge set on an answer in a script it never learned; else ""."""
    judged = meaning_of(text, diagnosis.judged) is not None
    return MATCH_NOTES["caution"] if judged and is_strange(diagnosis, text) else ""


def shown_texts(diagnosis: Diagnosis) -> tuple[str, ...]:
    """Return the passages' texts as the flow shows them: a long one around an answer or its words."""
    answers = (*diagnosis.golds, bare_answer(diagnosis.answer.text))
    words = telling_words(diagnosis.answer.text, diagnosis.question)
    texts = [hit.passage.text for hit in diagnosis.hits]
    return tuple(cut_around(text, answers if marked_spans(text, answers) else words) for text in texts)


def links_of(diagnosis: Diagnosis, texts: Sequence[str]) -> tuple[WordLink, ...]:
    """Return where the words of the answer over the passages stand in these texts of them; () where it gives none.

    Of the passages that name the whole answer those come first that the headline speaks of.
    """
    if not states_answer(diagnosis.answer.text):
        return ()
    said, told = cut_inside(shown(diagnosis.answer.text), ANSWER_LETTERS), headline(diagnosis).passages
    naming = sorted(naming_passages(diagnosis), key=lambda place: place not in told)
    whole = whole_link(diagnosis.answer.text, said, texts, naming)
    return (whole,) if whole is not None else word_links(said, texts, diagnosis.question)


def words_read(diagnosis: Diagnosis) -> dict[int, tuple[tuple[int, int], ...]]:
    """Return by place where words of the answer stand in the whole passages that its links lead to."""
    links = links_of(diagnosis, [hit.passage.text for hit in diagnosis.hits])
    places = {link.place for link in links}
    return {place: tuple((one.first, one.last) for one in links if one.place == place) for place in places}


def passage_rows(
    diagnosis: Diagnosis, told: Sequence[int] = (), links: Sequence[WordLink] = ()
) -> tuple[PassageRow, ...]:
    """Return the passages as they stand in the flow; ``told`` are the places, from 0, that the headline speaks of.

    ``links`` lead from the answer's words into them.
    """
    holding, naming = holding_passages(diagnosis), naming_passages(diagnosis)
    texts = shown_texts(diagnosis)
    first = first_copies([hit.passage for hit in diagnosis.hits])
    # Where the answer is right, the words it names are those of a correct answer.
    reading, _ = matches_of(diagnosis)
    right, alike = reading in RIGHT, reading == "meant"
    rows = []
    for place, hit in enumerate(diagnosis.hits):
        chips = [Chip(words="names a correct answer", tone="good")] if place in holding else []
        if place in naming and not (right and place in holding):
            tone: Tone = "good" if right else "middle" if alike else "bad" if diagnosis.golds else "model"
            whole = shown(diagnosis.answer.text)
            words, cut = isolated(cut_inside(whole, CHIP_LETTERS)), len(whole) > CHIP_LETTERS
            chips.append(Chip(words=f"names “{words}”", tone=tone, whole=whole if cut else ""))
        notes = [*measured_notes(diagnosis, place)]
        if first[place] != place:
            notes.insert(0, f"copy of {diagnosis.hits[first[place]].rank}")
        label = told_label(diagnosis, place)
        pieces = row_pieces(diagnosis, place, texts[place], links)
        rows.append(row_of(hit, tuple(chips), " · ".join(notes), pieces, label=label, told=place in told))
    return tuple(rows)


def row_pieces(diagnosis: Diagnosis, place: int, text: str, links: Sequence[WordLink]) -> Pieces:
    """Return a passage's text in pieces: what each is, and the numbers of the links that lead to it."""
    here = [(number, one.first, one.last) for number, one in enumerate(links) if one.place == place]
    pieces, start = [], 0
    given = diagnosis.answer.text
    for words, kind in marked_pieces(text, diagnosis.golds, given, [(first, last) for _, first, last in here]):
        end = start + len(words)
        # Where a mark of a correct answer takes their place, the words lead to that.
        led = [number for number, first, last in here if kind and first < end and start < last]
        pieces.append((words, kind, tuple(led)))
        start = end
    return tuple(pieces)


def measured_notes(diagnosis: Diagnosis, place: int) -> list[str]:
    """Return what was measured of one passage: DENSE's label and its most telling ΔSePer; nothing where it was not.

    Where all passages are certain none says so: the figure of the rewordings does.
    """
    utility, label = diagnosis.result(ChunkUtilityResult), told_label(diagnosis, place)
    changes = [telling_change(one) for one in utility.chunks if one.index == place] if utility is not None else []
    return [*([f"DENSE: {label}"] if label else []), *(change_note(name, one) for name, one in changes)]


def change_note(name: str, change: ChunkChange) -> str:
    """Return what having a passage does to belief; among the others is not said, alone is."""
    alone, doubt = " alone" if name == "alone" else "", ", unclear" if change.effect == "unclear" else ""
    return f"ΔSePer{alone} {signed(change.delta)}{doubt}"


def told_label(diagnosis: Diagnosis, place: int) -> str:
    """Return the label of DENSE that stands at a passage, "" where it was not measured or all passages are certain."""
    dense = diagnosis.result(DenseResult)
    if dense is None or set(dense.labels.values()) == {"certain"}:
        return ""
    label = dense.labels.get(place, "")
    return "" if label == "not measured" else label


def row_of(hit: Hit, chips: tuple[Chip, ...], note: str, pieces: Pieces, *, label: str, told: bool) -> PassageRow:
    """Return one passage's row; ``label`` is the one of DENSE that its note names, "" without one."""
    title, given = passage_name(hit.passage), given_name(hit.passage)
    return PassageRow(
        number=hit.rank,
        title=cut_inside(title, TITLE_LETTERS) if given else passage_name(hit.passage, TITLE_LETTERS),
        whole_title=title,
        chips=chips,
        note=note,
        meaning=WORDS["label meanings"].get(label, ""),
        pieces=pieces,
        told=told,
    )


def cut_around(text: str, answers: tuple[str, ...]) -> str:
    """Return a text of at most 600 characters: a longer one around the first place where an answer stands.

    It is cut between words where there are spaces: a part of a word would read as another one.
    """
    if len(text) <= TEXT_LETTERS:
        return text
    spans = marked_spans(text, answers)
    start = max(0, min((spans[0][0] if spans else 0) - TEXT_LETTERS // 3, len(text) - TEXT_LETTERS))
    end = start + TEXT_LETTERS
    if start and text[start - 1] != " ":
        start = text.find(" ", start, start + LONGEST_WORD) + 1 or start
    if end < len(text) and text[end] != " ":
        end = max(text.rfind(" ", end - LONGEST_WORD, end), 0) or end
    return f"{'… ' if start else ''}{text[start:end]}{' …' if end < len(text) else ''}"


def run_bar_html(diagnosis: Diagnosis) -> str:
    """Return what a page of one method says of its run on two lines: the question; the answer, right or wrong.

    Where another pipeline's answer is told apart below, the model whose answer this is stands beside it.
    """
    reading, _ = matches_of(diagnosis)
    return render(
        "run_bar.html.j2",
        question=diagnosis.question,
        long=len(diagnosis.question) > LONG_LINE,
        answer=answer_box("", diagnosis.answer.text, reading, BAR_LETTERS),
        kind=answer_kind(diagnosis).lower(),
        golds=diagnosis.golds,
        model=model_name(diagnosis.provenance.model) if diagnosis.imported is not None else "",
    )


def run_line_html(diagnosis: Diagnosis, method: str) -> str:
    """Return the same on one line, for a narrow screen that has scrolled past it; hidden from screen readers."""
    reading, _ = matches_of(diagnosis)
    answer = answer_box("", diagnosis.answer.text, reading, LINE_LETTERS)
    return render("run_line.html.j2", question=diagnosis.question, answer=answer, method=method)


def headline_html(found: Headline) -> str:
    """Return the headline as HTML, with the sign of its tone."""
    return render("story_headline.html.j2", headline=found, sign=SIGNS[found.tone])


def answer_kind(diagnosis: Diagnosis) -> str:
    """Return what the answer is called beside the one from memory; where no passage was read, it is after no reading.

    A sentence's name for it is this in small letters.
    """
    return "After reading" if diagnosis.hits else "Answer"


def flow_html(diagnosis: Diagnosis) -> str:
    """Return memory → passages → answer as HTML; a passage opens to its text, the answer's words lead into it."""
    told, links = headline(diagnosis).passages, links_of(diagnosis, shown_texts(diagnosis))
    reading, memory = matches_of(diagnosis)
    answer = answer_box(answer_kind(diagnosis), diagnosis.answer.text, reading)
    return render(
        "story_flow.html.j2",
        memory=answer_box("From memory", diagnosis.closed_book.text, memory),
        memory_note=match_note(diagnosis, diagnosis.closed_book.text, memory),
        memory_caution=match_caution(diagnosis, diagnosis.closed_book.text),
        answer_note=match_note(diagnosis, diagnosis.answer.text, reading),
        answer_caution=match_caution(diagnosis, diagnosis.answer.text),
        answer=replace(answer, pieces=linked_pieces(answer.short, links)),
        standing=[diagnosis.hits[place].rank for place in naming_passages(diagnosis)],
        rows=passage_rows(diagnosis, told, links),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One kind of evidence on the run's page: whose it is, what it asks, its finding, its figure, that in words."""

    method: str
    kind: str
    title: Callable[[Any], str]
    draw: Callable[[Any, Theme], go.Figure]
    sentence: Callable[[Any], str]


EVIDENCE = (
    Evidence(
        method="dense",
        kind="Stability under rewording",
        title=graph_title,
        draw=lambda result, theme: entailment_graph(result, theme, compact=True),
        sentence=graph_sentence,
    ),
    Evidence(
        method="seper",
        kind="Belief before and after reading",
        title=lambda result: bars_title(result, belief_rows(result)),
        draw=lambda result, theme: belief_bars(result, theme, compact=True),
        sentence=seper.belief_sentence,
    ),
    Evidence(
        method="entropy_trend",
        kind="Trend of entropy, step by step",
        title=trend_figure.title,
        draw=lambda result, theme: trend_figure.trend_figure(result, theme, compact=True),
        sentence=entropy_trend.sentence,
    ),
    Evidence(
        method="quco_rag",
        kind="Co-occurrence in the corpus",
        title=few_finding,
        draw=lambda result, theme: cooccurrence_network(result, theme, compact=True),
        sentence=quco_sentence,
    ),
)


def kind_html(one: Evidence) -> str:
    """Return what a kind of evidence asks, as HTML."""
    return render("story_kind.html.j2", kind=one.kind)


def finding_html(finding: str, reason: str = "") -> str:
    """Return the finding above a small figure as HTML; with a ``reason``, that there is no figure, and why."""
    return render("story_evidence.html.j2", title=finding, reason=reason)
