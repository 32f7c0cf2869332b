"""QuCo-RAG's evidence as text: each checked sentence with its verdict, each place where the ends of a claim meet.

Sentences are model output and excerpts come from the user's corpus: everything is escaped.
"""

from itertools import pairwise

from engine.backends.corpus_stats.base import Meeting
from engine.core.words import shown
from engine.methods.quco_rag import CheckedSentence, QucoResult
from viz.chosen import framed_html
from viz.quco_rag import SENTENCE_TONES, sentence_verdict, unmeasured_reason
from viz.theme import Theme, plain, rgba
from viz.verdicts import Tone, tone_colour

SIGNS: dict[Tone, str] = {"good": "✔", "middle": "◐", "bad": "✖", "unknown": "–"}


def sentence_strip_html(result: QucoResult, theme: Theme, chosen: int | None = None) -> str:
    """Return the checked sentences as escaped HTML, each with its verdict in colour and in words.

    The sentence that makes the ``chosen`` claim, counted as in the table of claims, is outlined.
    """
    if not result.sentences:
        return f'<p style="color:{theme.muted};margin:0">{plain(unmeasured_reason(result))}</p>'
    blocks = [_sentence_html(checked, theme) for checked in result.sentences]
    held = [place for place, checked in enumerate(result.sentences) for _ in checked.claims]
    if chosen is not None and chosen < len(held):
        blocks[held[chosen]] = framed_html(blocks[held[chosen]], "claim of this sentence", theme)
    return "".join(blocks)


def meeting_html(meeting: Meeting, theme: Theme) -> str:
    """Return one place of evidence as escaped HTML: title, distance in words, excerpt with head and tail marked."""
    place = plain(shown(meeting.title) if meeting.title else "untitled document")
    apart = "side by side" if meeting.distance <= 1 else f"{meeting.distance:,} words apart, start to start"
    return (
        f'<div style="border-left:4px solid {theme.good};padding:0.2rem 0 0.2rem 0.9rem;color:{theme.text};'
        f'overflow-wrap:anywhere"><div style="font-weight:600"><bdi>{place}</bdi> '
        f'<span style="font-weight:400;color:{theme.muted}">· {apart}</span></div>'
        f'<div dir="auto" style="font-size:1.1rem;line-height:1.7">{_marked_excerpt(meeting, theme)}</div></div>'
    )


def _sentence_html(checked: CheckedSentence, theme: Theme) -> str:
    """Return one sentence with its mark, its kind and its verdict."""
    words = sentence_verdict(checked)
    tone = SENTENCE_TONES[words]
    colour = tone_colour(tone, theme)
    ground = "transparent" if words == "nothing to check" else rgba(colour, 0.06)
    kind = "short answer over the passages" if checked.kind == "short answer" else checked.kind
    return (
        f'<div style="border-left:6px solid {colour};background:{ground};padding:0.35rem 0.9rem;margin:0 0 0.4rem 0;'
        f'border-radius:0.3rem;color:{theme.text};overflow-wrap:anywhere">'
        f'<div dir="auto" style="font-size:1.15rem;line-height:1.5">{plain(shown(checked.text))}</div>'
        f'<div style="font-size:0.95rem;color:{theme.muted}">{kind} · '
        f'<span style="color:{colour};font-weight:600"><span aria-hidden="true">{SIGNS[tone]}</span> '
        f"{words}</span></div></div>"
    )


def _marked_excerpt(meeting: Meeting, theme: Theme) -> str:
    """Return the excerpt with head and tail marked; where they overlap, the common part carries both marks."""
    spans = (("head", meeting.head, theme.model), ("tail", meeting.tail, theme.accent))
    edges = {0, len(meeting.excerpt), *(edge for _, span, _ in spans for edge in (span.start, span.end))}
    cuts = sorted(edge for edge in edges if 0 <= edge <= len(meeting.excerpt))
    pieces = []
    for start, end in pairwise(cuts):
        text = plain(meeting.excerpt[start:end])
        for name, span, colour in spans:
            if span.start <= start and end <= span.end:
                style = f"background:{rgba(colour, 0.22)};border-bottom:2px solid {colour};color:{theme.text}"
                text = f'<mark title="{name}" style="{style};font-weight:600">{text}</mark>'
        pieces.append(text)
    return "".join(pieces)
