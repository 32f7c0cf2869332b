"""One run at a glance: the two answers, every method's word, and the passages read.

Everything here is escaped HTML or plain words made from a stored record; nothing is computed anew. The class names
belong to ``viz.parts.html.style_sheet``. Where methods disagree is ``viz.runs.radar``'s to say.
"""

from collections.abc import Mapping, Sequence
from math import isnan
from types import MappingProxyType
from typing import Literal

import pandas as pd

from engine.core.passage_names import passage_name
from engine.core.records import Hit, JudgedAnswer, Passage, meaning_of
from engine.diagnosis.record import Diagnosis, Outcome
from engine.measures.answer_marks import JudgedMark, Span, answer_spans, has_words, is_closed, judged_mark
from engine.methods import method_title
from engine.methods.copies import first_copies
from engine.methods.dense_records import DenseResult
from viz.methods.dense import LABEL_TONES
from viz.methods.verdicts import SIGNS, Tone, Verdict
from viz.methods.views import VIEWS
from viz.parts.exhibit import Exhibit
from viz.parts.html import render
from viz.parts.token_strip import tokens_table
from viz.parts.words import WORDS, closed

Match = JudgedMark
LONG_QUESTION = 240
LONG_ANSWER = 240
VERY_LONG = 3000  # characters of a passage: about a screen
ENDS = " \t\n.,;:!?\"'“”‘’"
NO_LABELS: Mapping[int, str] = MappingProxyType({})
NO_WORDS: Mapping[int, Sequence[Span]] = MappingProxyType({})
MATCH_WORDS: dict[Match | None, tuple[str, Tone]] = {
    "exact": ("Right: equals a correct answer", "good"),
    "contains": ("Right: contains a correct answer", "good"),
    "meant": ("Right by the judge: in other words than a correct answer", "middle"),
    "named": ("Names it, but denies it or names another", "middle"),
    "none": ("No answer given", "middle"),
    "no": ("Wrong: no correct answer in it", "bad"),
    None: ("Not judged: no correct answer", "unknown"),
}
LABELS: dict[str, tuple[str, Tone]] = {label: (f"DENSE: {label}", tone) for label, tone in LABEL_TONES.items()}


def verdict_of(outcome: Outcome | None) -> Verdict:
    """Return a method's word in a run, whatever became of the method; None is a method that was not asked for."""
    if outcome is None:
        return Verdict(word="not run", tone="unknown", sentence="This run was not asked for it.")
    if outcome.result is not None and outcome.status == "done":
        return VIEWS[outcome.method].verdict(outcome.result)
    if outcome.status == "failed":
        return Verdict(word="failed", tone="bad", sentence=outcome.reason or "It failed without a reason.")
    if outcome.status == "waiting":
        return Verdict(word="not computed", tone="unknown", sentence=outcome.reason or "Not reached in this run.")
    return Verdict(word="not measured", tone="unknown", sentence=outcome.reason or "It has no number here.")


def verdict_in_run(outcome: Outcome | None, at_work: str | None) -> Verdict:
    """Return a method's word while its run goes on and ``at_work`` is the method in hand; None = the run is over."""
    if outcome is None or outcome.status != "waiting" or at_work is None:
        return verdict_of(outcome)
    if outcome.method == at_work:
        return Verdict(word="running", tone="middle", sentence="Being computed now.")
    return Verdict(word="waiting", tone="unknown", sentence="Waiting for its turn.")


def without_result(diagnosis: Diagnosis, at_work: str | None) -> list[str]:
    """Return a line for each method of a run that left no result, with why: "SePer: failed. No judge."."""
    found = [(one, verdict_in_run(one, at_work)) for one in diagnosis.outcomes if one.result is None]
    return [closed(f"{method_title(one.method)}: {verdict.word}. {verdict.sentence}") for one, verdict in found]


def at_work_in(diagnosis: Diagnosis) -> str:
    """Return the method in hand of a run that goes on: the first that has no outcome yet, "" after the last."""
    return next((outcome.method for outcome in diagnosis.outcomes if outcome.status == "waiting"), "")


def verdict_words(diagnosis: Diagnosis) -> str:
    """Return on one line, for a list of runs, whether the answer is right and each verdict that found something.

    Without any, the words of all verdicts stand there.
    """
    match, _ = matches_of(diagnosis)
    verdicts = [verdict_of(outcome) for outcome in diagnosis.outcomes]
    told = [verdict.word for verdict in verdicts if verdict.tone != "unknown"]
    marked = [WORDS["short matches"][match]] if match is not None else []
    return " · ".join([*marked, *(told or (verdict.word for verdict in verdicts))])


def question_html(question: str, golds: tuple[str, ...], *, tag: Literal["h1", "h2", "p"] = "p") -> str:
    """Return the question with its correct answers below as HTML; ``tag`` "h1" heads the page."""
    # A question of several hundred words would push everything else off the screen: small, and to be scrolled. So
    # would a hundred correct answers.
    long, many = len(question) > LONG_QUESTION, sum(map(len, golds)) > LONG_QUESTION
    return render("question.html.j2", question=question, answers=golds, tag=tag, long=long, many=many)


def match_of(text: str, golds: tuple[str, ...], judged: Sequence[JudgedAnswer] = ()) -> Match | None:
    """Return whether an answer equals or contains a correct one (``engine.measures.answer_marks``), None without one.

    ``judged`` is what the judge says of answers that words call wrong, this one's or another's.

    >>> match_of("not Selm but Karst", ("Selm",)), match_of("I do not know", ("Selm",)), match_of("in Selm", ("Selm",))
    ('named', 'none', 'contains')
    """
    if not golds:
        return None
    return judged_mark(text, golds, meaning_of(text, judged))


def matches_of(diagnosis: Diagnosis) -> tuple[Match | None, Match | None]:
    """Return whether the answer over the passages is right, and whether the one from memory is."""
    reading, memory = diagnosis.answer.text, diagnosis.closed_book.text
    golds, judged = diagnosis.golds, diagnosis.judged
    return match_of(reading, golds, judged), match_of(memory, golds, judged)


def answer_html(kind: str, text: str, match: Match | None, *, large: bool) -> str:
    """Return an answer's card as HTML: what it is, its text, whether it is right; a long text is small and scrolls."""
    word, tone = MATCH_WORDS[match]
    long = len(text) > LONG_ANSWER
    return render("answer_card.html.j2", kind=kind, text=text, word=word, sign=SIGNS[tone], large=large, long=long)


def card_html(title: str, verdict: Verdict) -> str:
    """Return one method's card as HTML: title, word with its sign, sentence. The page draws the frame."""
    word, tone, sentence = verdict.word, verdict.tone, verdict.sentence
    return render("method_card.html.j2", title=title, word=word, tone=tone, sign=SIGNS[tone], sentence=sentence)


def passages_html(
    diagnosis: Diagnosis, chosen: Passage | None = None, words: Mapping[int, Sequence[Span]] = NO_WORDS
) -> str:
    """Return the passages as the model read them, each with DENSE's word on it.

    The words of correct answers and of the given one are marked, and by place the ``words`` of a longer one.
    """
    outcome = diagnosis.outcome("dense")
    found = outcome.result if outcome is not None else None
    labels = found.labels if isinstance(found, DenseResult) else NO_LABELS
    reading, _ = matches_of(diagnosis)
    given = diagnosis.answer.text
    meant = given if reading == "meant" else ""
    return hits_html(diagnosis.hits, diagnosis.golds, labels, chosen, given, words, meant)


def hits_html(
    hits: tuple[Hit, ...],
    golds: tuple[str, ...],
    labels: Mapping[int, str] = NO_LABELS,
    chosen: Passage | None = None,
    given: str = "",
    words: Mapping[int, Sequence[Span]] = NO_WORDS,
    meant: str = "",
) -> str:
    """Return passages with correct answers and the ``given`` one marked; ``labels`` are DENSE's by place.

    ``chosen`` is outlined. ``words`` are by place further words of the given answer. ``meant`` is an answer that only
    the judge calls right, "" for none.
    """
    first = first_copies([hit.passage for hit in hits])
    return "".join(
        passage_html(
            hit,
            labels.get(place),
            golds,
            chosen=hit.passage == chosen,
            copy_of=hits[first[place]].rank,
            given=given,
            words=words.get(place, ()),
            meant=meant,
        )
        for place, hit in enumerate(hits)
    )


def passage_html(
    hit: Hit,
    label: str | None,
    golds: tuple[str, ...],
    *,
    chosen: bool = False,
    copy_of: int | None = None,
    given: str = "",
    words: Sequence[Span] = (),
    meant: str = "",
) -> str:
    """Return one passage as HTML: rank and title, how it was found, its chips, its text with answers marked.

    ``copy_of`` is the rank of the first passage with its text: its own where it is no copy. ``given`` is the answer
    over the passages; "" marks none. ``meant`` is an answer that only the judge calls right.
    """
    source = "given with the question" if isnan(hit.score) else f"{hit.retriever}, score {hit.score:.3g}"
    chips = [LABELS[label]] if label in LABELS else []
    if copy_of not in (None, hit.rank):
        chips.append((f"copy of passage {copy_of}", "middle"))
    if not all(is_closed(gold) for gold in golds):
        chips.append(held_chip(f"{hit.passage.title}\n{hit.passage.text}", golds, meant))
    return passage_block(hit.rank, hit.passage, chips, golds, source=source, chosen=chosen, given=given, words=words)


def held_chip(text: str, golds: tuple[str, ...], meant: str = "") -> tuple[str, Tone]:
    """Return whether a text has the words of a correct answer, as a chip; in another order they may be one.

    It *names* the answer: words cannot tell whether it denies it, or means another thing. ``meant`` is an answer that
    only the judge calls right.

    >>> held_chip("On July 20, 1969", ("20 July 1969",)), held_chip("In 1970", ("20 July 1969",))
    (('words of a correct answer', 'middle'), ('names no correct answer', 'unknown'))
    >>> held_chip("It was not 1970.", ("1970",))
    ('names a correct answer', 'good')
    >>> held_chip("It is 330 m tall.", ("330 metres",), "330 m")
    ('a correct answer by the judge', 'middle')
    """
    if marked_spans(text, golds):
        return "names a correct answer", "good"
    if marked_spans(text, (bare_answer(meant),)):
        return "a correct answer by the judge", "middle"
    return ("words of a correct answer", "middle") if has_words(text, golds) else ("names no correct answer", "unknown")


def passage_block(
    number: int,
    passage: Passage,
    chips: Sequence[tuple[str, str]],
    golds: tuple[str, ...],
    *,
    source: str = "",
    chosen: bool = False,
    scrolls: bool = False,
    given: str = "",
    words: Sequence[Span] = (),
) -> str:
    """Return a numbered passage with its chips (word, tone) as HTML; ``scrolls`` puts its text into a low box.

    A very long text is put into a box in any case, or one passage would fill many screens.
    """
    values = {"number": number, "title": passage_name(passage), "source": source, "chosen": chosen, "scrolls": scrolls}
    values["long"] = len(passage.text) > VERY_LONG
    return render("passage.html.j2", chips=chips, pieces=marked_pieces(passage.text, golds, given, words), **values)


def marked_spans(text: str, golds: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Return where gold answers stand in the text as whole words, in any case; never overlapping.

    A "yes" or "no" is nowhere: these words stand in any text and say nothing of the question.

    >>> marked_spans("In 1889, not in 18890.", ("1889",)), marked_spans("There is no river.", ("no",))
    (((3, 7),), ())
    """
    return answer_spans(text, [gold for gold in golds if not is_closed(gold)], loose=True)


def marked_html(text: str, golds: tuple[str, ...]) -> str:
    """Return untrusted text as HTML with the correct answers in it marked.

    >>> str(marked_html("<b> Paris", ("paris",)))
    '&lt;b&gt; <mark class="rm-gold">Paris</mark>'
    """
    return render("marked.html.j2", pieces=marked_pieces(text, golds))


def marked_pieces(
    text: str, golds: tuple[str, ...], given: str = "", words: Sequence[Span] = ()
) -> list[tuple[str, str]]:
    """Return the text in pieces, each with what it is: "gold" in a correct answer, "given" in the given one, else "".

    ``words`` are further places where words of the given answer stand.

    >>> marked_pieces("Kyoto, not Tokyo", ("Tokyo",), "kyoto.")
    [('', ''), ('Kyoto', 'given'), (', not ', ''), ('Tokyo', 'gold'), ('', '')]
    """
    pieces, done = [], 0
    for start, end, kind in answer_marks(text, golds, given, words):
        pieces += [(text[done:start], ""), (text[start:end], kind)]
        done = end
    return [*pieces, (text[done:], "")]


def answer_marks(text: str, golds: tuple[str, ...], given: str, words: Sequence[Span]) -> list[tuple[int, int, str]]:
    """Return what is marked in a text, (start, end, "gold" | "given") in order; a correct answer takes the overlap.

    ``words`` are further places where words of the given answer stand.
    """
    marks = [(start, end, "gold") for start, end in marked_spans(text, golds)]
    for start, end in (*marked_spans(text, (bare_answer(given),)), *words):
        if all(end <= first or last <= start for first, last, _ in marks):
            marks.append((start, end, "given"))
    return sorted(marks)


def bare_answer(text: str) -> str:
    """Return an answer as its words would stand in a text: without marks at its ends, "" for "yes" and "no".

    >>> bare_answer(" “Kyoto.”\\n"), bare_answer("No.")
    ('Kyoto', '')
    """
    words = text.strip(ENDS)
    return "" if is_closed(words) else words


def hit_rows(hits: tuple[Hit, ...]) -> list[dict[str, object]]:
    """Return hits as rows of a table: the text twin of ``hits_html``."""
    return [
        {"Rank": hit.rank, "Title": hit.passage.title, "Score": hit.score, "Text": hit.passage.text} for hit in hits
    ]


def run_exhibits(diagnosis: Diagnosis) -> tuple[Exhibit, ...]:
    """Return what belongs to the run and not to a method: the passages, and both answers token by token."""
    answers = (("answer", "over the passages", diagnosis.answer), ("closed-book", "from memory", diagnosis.closed_book))
    return (
        Exhibit(name="passages", heading="The passages", table=pd.DataFrame(hit_rows(diagnosis.hits))),
        *(
            Exhibit(name=f"{name}-tokens", heading=f"Tokens of the answer {words}", table=tokens_table(one.tokens))
            for name, words, one in answers
        ),
    )
