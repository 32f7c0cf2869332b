"""One run at a glance: the two answers, every method's word, and the passages read.

Everything here is escaped HTML or plain words made from a stored record; nothing is computed anew. The class names
belong to ``style_sheet``. Where methods disagree is ``viz.radar``'s to say.
"""

import re
from collections.abc import Mapping
from math import isnan
from types import MappingProxyType
from typing import Literal

import pandas as pd

from engine.core.records import Hit, Passage
from engine.diagnosis.record import Diagnosis, Outcome
from engine.methods.dense import DenseResult
from viz.dense import LABEL_TONES
from viz.exhibit import Exhibit
from viz.theme import Theme, plain, rgba
from viz.token_strip import tokens_table
from viz.verdicts import SIGNS, Tone, Verdict
from viz.views import VIEWS

Match = Literal["exact", "contains", "no"]
LONG_QUESTION = 240
CHOSEN_TAG = '<span class="rm-chosen-tag">◆ passage chosen</span> '
NO_LABELS: Mapping[int, str] = MappingProxyType({})
MATCH_WORDS: dict[Match | None, tuple[str, Tone]] = {
    "exact": ("Right: equals a gold answer", "good"),
    "contains": ("Right: contains a gold answer", "good"),
    "no": ("Not right: no gold answer in it", "bad"),
    None: ("No gold answer given: right or wrong is not known", "unknown"),
}
LABELS: dict[str, tuple[str, Tone]] = {label: (f"DENSE: {label}", tone) for label, tone in LABEL_TONES.items()}


def verdict_of(outcome: Outcome | None) -> Verdict:
    """Return a method's word in a run, whatever became of the method; None is a method that was not asked for."""
    if outcome is None:
        return Verdict(word="not run", tone="unknown", sentence="This run was not asked for it.")
    if outcome.result is not None and outcome.status == "done":
        return VIEWS[outcome.method].verdict(outcome.result)
    if outcome.status == "failed":
        return Verdict(word="failed", tone="bad", sentence=outcome.reason or "It failed and left no reason.")
    if outcome.status == "waiting":
        return Verdict(word="not computed", tone="unknown", sentence=outcome.reason or "This run has not come to it.")
    return Verdict(word="not measured", tone="unknown", sentence=outcome.reason or "It has no number here.")


def verdict_in_run(outcome: Outcome | None, at_work: str | None) -> Verdict:
    """Return a method's word while its run goes on and ``at_work`` is the method in hand; None = the run is over."""
    if outcome is None or outcome.status != "waiting" or at_work is None:
        return verdict_of(outcome)
    if outcome.method == at_work:
        return Verdict(word="running", tone="middle", sentence="It is being computed now; see above how far it is.")
    return Verdict(word="waiting", tone="unknown", sentence="Its turn comes after the method that is running.")


def at_work_in(diagnosis: Diagnosis) -> str:
    """Return the method in hand of a run that goes on: the first that has no outcome yet, "" after the last."""
    return next((outcome.method for outcome in diagnosis.outcomes if outcome.status == "waiting"), "")


def verdict_words(diagnosis: Diagnosis) -> str:
    """Return the words of all verdicts on one line, for a list of runs."""
    return " · ".join(verdict_of(outcome).word for outcome in diagnosis.outcomes)


def question_html(question: str, golds: tuple[str, ...], *, tag: Literal["h1", "h2", "p"] = "p") -> str:
    """Return the question with its gold answers below, escaped; ``tag`` says what it heads: "h1" the page."""
    wanted = "Gold answer: " + " / ".join(golds) if golds else "No gold answer was given."
    # A question of several hundred words would push everything else off the screen: small, and to be scrolled.
    attributes = (
        ' class="rm-question rm-long" tabindex="0"' if len(question) > LONG_QUESTION else ' class="rm-question"'
    )
    return f'<{tag}{attributes}>{plain(question)}</{tag}><p class="rm-muted">{plain(wanted)}</p>'


def answer_html(kind: str, text: str, match: Match | None, *, large: bool) -> str:
    """Return what stands in an answer's card: what it is, its words, whether they are right."""
    word, tone = MATCH_WORDS[match]
    size = "rm-answer" if large else "rm-answer rm-second"
    shown = plain(text.strip()) or "<em>(an empty answer)</em>"
    return (
        f'<div class="rm-verdict"><p class="rm-kind">{plain(kind)}</p><p class="{size}">{shown}</p>'
        f'<p class="rm-muted"><span aria-hidden="true">{SIGNS[tone]}</span> {plain(word)}</p></div>'
    )


def card_html(title: str, verdict: Verdict) -> str:
    """Return what stands in one method's card: method, word with its sign, sentence. The page draws the frame."""
    word = verdict.word[:1].upper() + verdict.word[1:]
    return (
        f'<div class="rm-verdict rm-{verdict.tone}"><p class="rm-kind">{plain(title)}</p>'
        f'<p class="rm-word"><span aria-hidden="true">{SIGNS[verdict.tone]}</span> {plain(word)}</p>'
        f'<p class="rm-sentence">{plain(verdict.sentence)}</p></div>'
    )


def passages_html(diagnosis: Diagnosis, chosen: Passage | None = None) -> str:
    """Return the passages as the model read them, gold answers marked, each with DENSE's word on it."""
    outcome = diagnosis.outcome("dense")
    found = outcome.result if outcome is not None else None
    labels = {chunk.index: chunk.label for chunk in found.chunks} if isinstance(found, DenseResult) else {}
    return hits_html(diagnosis.hits, diagnosis.golds, labels, chosen)


def hits_html(
    hits: tuple[Hit, ...],
    golds: tuple[str, ...],
    labels: Mapping[int, str] = NO_LABELS,
    chosen: Passage | None = None,
) -> str:
    """Return passages with gold answers marked, escaped; ``labels`` are DENSE's words by place, none before it ran.

    The ``chosen`` passage is outlined.
    """
    drawn = (
        passage_html(hit, labels.get(place), golds, chosen=hit.passage == chosen) for place, hit in enumerate(hits)
    )
    return "".join(drawn)


def passage_html(hit: Hit, label: str | None, golds: tuple[str, ...], *, chosen: bool = False) -> str:
    """Return one passage: rank and title, how it was found, its chips, its text with gold answers marked."""
    found = "given by you" if isnan(hit.score) else f"{hit.retriever}, score {hit.score:.3g}"
    chips = [LABELS[label]] if label in LABELS else []
    if golds:
        held = marked_spans(hit.passage.text, golds)
        chips.append(("holds a gold answer", "good") if held else ("no gold answer in it", "unknown"))
    drawn = "".join(f'<span class="rm-chip rm-{tone}">{plain(word)}</span>' for word, tone in chips)
    title = hit.passage.title or hit.passage.document_id or "Untitled passage"
    frame, tag = (" rm-chosen", CHOSEN_TAG) if chosen else ("", "")
    return (
        f'<div class="rm-passage{frame}">{tag}<p class="rm-head">{hit.rank}. {plain(title)}'
        f'<span class="rm-small">{plain(found)}</span></p>{drawn}<p>{marked_html(hit.passage.text, golds)}</p></div>'
    )


def marked_spans(text: str, golds: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Return where gold answers stand in the text as whole words, in any case; longest first, never overlapping.

    >>> marked_spans("In 1889, not in 18890.", ("1889",))
    ((3, 7),)
    """
    wanted = sorted((gold.strip() for gold in golds if gold.strip()), key=len, reverse=True)
    if not wanted:
        return ()
    pattern = "|".join(re.escape(gold) for gold in wanted)
    return tuple(match.span() for match in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text, re.IGNORECASE))


def marked_html(text: str, golds: tuple[str, ...]) -> str:
    """Return untrusted text as HTML with the gold answers in it marked.

    >>> marked_html("<b> Paris", ("paris",))
    '&lt;b&gt; <mark class="rm-gold">Paris</mark>'
    """
    out, place = "", 0
    for start, end in marked_spans(text, golds):
        out += plain(text[place:start]) + f'<mark class="rm-gold">{plain(text[start:end])}</mark>'
        place = end
    return out + plain(text[place:])


def passage_rows(diagnosis: Diagnosis) -> list[dict[str, object]]:
    """Return the passages as rows of a table: the text twin of ``passages_html``."""
    return hit_rows(diagnosis.hits)


def hit_rows(hits: tuple[Hit, ...]) -> list[dict[str, object]]:
    """Return hits as rows of a table: the text twin of ``hits_html``."""
    return [
        {"Rank": hit.rank, "Title": hit.passage.title, "Score": hit.score, "Text": hit.passage.text} for hit in hits
    ]


def style_sheet(theme: Theme) -> str:
    """Return the style of the cards, chips and marks as CSS; class names start with ``rm-`` to meet nobody else's."""
    tones = {"good": theme.good, "middle": theme.middle, "bad": theme.bad, "unknown": theme.unknown}
    toned = "".join(
        f"[class*='st-key-card-{tone}'] {{border-left:6px solid {colour} !important;}} "
        f".rm-{tone} .rm-word {{color:{colour};}} .rm-chip.rm-{tone} {{border-color:{colour};}}\n"
        for tone, colour in tones.items()
    )
    return f"""
[class*="st-key-card-"] {{background:{theme.panel};}}
.rm-verdict p {{margin:0;}}
.rm-verdict {{color:{theme.text}; overflow-wrap:anywhere;}}
.rm-kind {{color:{theme.muted}; font-size:.875rem; margin-bottom:2px;}}
.rm-word {{font-size:1.3rem; font-weight:650; line-height:1.25; margin-bottom:4px;}}
.rm-sentence {{font-size:.95rem; line-height:1.45;}}
.rm-answer {{font-size:1.75rem; font-weight:650; line-height:1.3; white-space:pre-wrap;}}
.rm-answer.rm-second {{font-size:1.2rem; font-weight:500;}}
.rm-chip {{display:inline-block; border:1.5px solid {theme.unknown}; border-radius:999px; padding:0 10px;
  font-size:.85rem; line-height:1.6; margin:0 6px 4px 0; color:{theme.text};}}
.rm-passage {{border-bottom:1px solid {theme.line}; padding:10px 0 12px 0; color:{theme.text}; line-height:1.55;
  overflow-wrap:anywhere; max-width:80em;}}
.rm-passage p {{margin:0; white-space:pre-wrap;}}
.rm-passage .rm-head {{margin-bottom:4px; font-weight:600;}}
.rm-chosen {{outline:3px solid {theme.text}; outline-offset:4px; border-radius:2px; margin:10px 6px;
  padding-left:8px; font-weight:600;}}
.rm-chosen-tag {{color:{theme.page}; background:{theme.text}; border-radius:999px; padding:0 .7em; font-size:.85rem;
  font-weight:600; white-space:nowrap;}}
.rm-small {{font-weight:400; color:{theme.muted}; font-size:.85rem; margin-left:8px;}}
mark.rm-gold {{background:{rgba(theme.gold, 0.28)}; color:{theme.text}; border-bottom:2px solid {theme.gold};
  padding:0 2px; border-radius:2px;}}
.rm-question {{font-size:1.25rem; font-weight:600; margin:0; padding:0; color:{theme.text}; overflow-wrap:anywhere;}}
h2.rm-question {{font-size:1.25rem; line-height:1.4; letter-spacing:normal; padding:0;}}
h1.rm-question {{font-size:1.9rem; font-weight:700; line-height:1.25; letter-spacing:normal;}}
.rm-question.rm-long {{font-size:1.05rem; font-weight:600; line-height:1.5; max-height:10rem; overflow-y:auto;}}
.rm-muted {{color:{theme.muted}; font-size:.9rem; margin:2px 0 0 0; overflow-wrap:anywhere;}}
{toned}"""


def run_exhibits(diagnosis: Diagnosis) -> tuple[Exhibit, ...]:
    """Return what belongs to the run and not to a method: the passages, and both answers token by token."""
    answers = (("answer", "over the passages", diagnosis.answer), ("closed-book", "from memory", diagnosis.closed_book))
    return (
        Exhibit(name="passages", heading="The passages", table=pd.DataFrame(passage_rows(diagnosis))),
        *(
            Exhibit(
                name=f"{name}-tokens",
                heading=f"The answer {words}, token by token",
                table=tokens_table(generation.tokens),
            )
            for name, words, generation in answers
        ),
    )
