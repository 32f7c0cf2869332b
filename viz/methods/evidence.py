"""QuCo-RAG's evidence as text: each checked sentence with its verdict, each place where the ends of a claim meet."""

import re
from itertools import pairwise

from markupsafe import Markup

from engine.backends.corpus_stats.base import Meeting
from engine.core.words import shown
from engine.methods.quco_rag import CheckedSentence, QucoResult
from viz.methods.quco_rag import SENTENCE_TONES, sentence_verdict, unmeasured_reason
from viz.methods.verdicts import SIGNS
from viz.parts.chosen import framed_html
from viz.parts.html import render
from viz.parts.theme import Theme


def sentence_strip_html(result: QucoResult, theme: Theme, chosen: int | None = None) -> str:
    """Return the checked sentences as HTML, each with its verdict in colour and in words.

    The sentence of the ``chosen`` claim, counted as in the table of claims, is outlined.
    """
    if not result.sentences:
        return render("note.html.j2", text=unmeasured_reason(result), colour=theme.muted)
    blocks = [render("sentences.html.j2", sentences=[_sentence(one)], theme=theme) for one in result.sentences]
    owners = [place for place, checked in enumerate(result.sentences) for _ in checked.claims]
    if chosen is not None and chosen < len(owners):
        blocks[owners[chosen]] = Markup(framed_html(blocks[owners[chosen]], "claim of this sentence", theme))
    return "".join(blocks)


def _sentence(checked: CheckedSentence) -> dict[str, object]:
    """Return one sentence with its kind, verdict and sign."""
    verdict = sentence_verdict(checked)
    tone = SENTENCE_TONES[verdict]
    kind = "short answer over the passages" if checked.kind == "short answer" else checked.kind
    own = {"text": shown(checked.text), "kind": kind, "checked": verdict != "nothing to check"}
    return own | {"verdict": verdict, "tone": tone, "sign": "–" if tone == "unknown" else SIGNS[tone]}


def meeting_html(meeting: Meeting, theme: Theme) -> str:
    """Return one place of evidence as HTML: title, distance in words, excerpt with head and tail marked."""
    one_mention = meeting.head.start < meeting.tail.end and meeting.tail.start < meeting.head.end
    distance = "side by side" if meeting.distance <= 1 else f"{meeting.distance:,} words apart, start to start"
    colours = {"head": theme.model, "tail": theme.accent}
    where = "one mention holds both" if one_mention else distance
    values = {"title": meeting_name(meeting), "distance": where}
    return render("meeting.html.j2", pieces=_pieces(meeting), colours=colours, theme=theme, **values)


def meeting_name(meeting: Meeting) -> str:
    """Return where head and tail meet: the document's title, else its name, or the number of a given passage."""
    if meeting.title:
        return shown(meeting.title)
    given = re.fullmatch(r"passage-(\d+)", meeting.document_id)
    return (
        f"passage {given[1]}" if given else shown(meeting.document_id) if meeting.document_id else "untitled document"
    )


def _pieces(meeting: Meeting) -> list[tuple[str, list[str]]]:
    """Return the excerpt in pieces, each with the ends of the claim it is part of: "head", "tail", both or none."""
    spans = (("head", meeting.head), ("tail", meeting.tail))
    edges = {0, len(meeting.excerpt), *(edge for _, span in spans for edge in (span.start, span.end))}
    cuts = sorted(edge for edge in edges if 0 <= edge <= len(meeting.excerpt))
    return [
        (meeting.excerpt[start:end], [name for name, span in spans if span.start <= start and end <= span.end])
        for start, end in pairwise(cuts)
    ]
