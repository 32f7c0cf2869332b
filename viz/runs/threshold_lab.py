"""The threshold lab in words, tables and one strip: what other thresholds change in a run, and what needs a new one.

Everything follows from ``engine.thresholds.replay``: stored numbers, no model. A trigger that appears or vanishes is
marked in the answer from memory. The text after the first changed one is grey, because it would be rewritten.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict

import pandas as pd

from engine.core.records import Generation
from engine.diagnosis.record import Diagnosis
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.timing.method import TimingResult
from engine.methods.timing.policies import POLICIES
from engine.thresholds.in_run import RunThreshold
from engine.thresholds.replay import Change, Replayed, Stale
from engine.thresholds.table import THRESHOLDS
from viz.methods.verdicts import Verdict
from viz.parts.csv_text import csv_text
from viz.parts.html import render
from viz.parts.theme import Theme
from viz.parts.words import counted, first_of, origin_words

MOST_SENTENCES, MOST_PLACES = 8, 4
CHANGE_COLUMNS = ["threshold", "what", "where", "in the run", "now", "token"]


def span(one: RunThreshold) -> tuple[float, float, float]:
    """Return (lowest, highest, step) of a threshold worth trying: from 0 to beyond where nothing changes."""
    threshold = THRESHOLDS[one.word]
    if threshold.ends:
        return 0.0, threshold.top, threshold.step
    finite = [abs(value) for value in one.values if math.isfinite(value)]
    top = max([one.value, *finite, threshold.top]) * 1.05
    return 0.0, float(math.ceil(top)) if threshold.whole else math.ceil(top * 10) / 10, threshold.step


def within_span(one: RunThreshold, value: float) -> float:
    """Return the nearest value that its slider takes."""
    low, high, _ = span(one)
    return min(high, max(low, value))


def number(word: str, value: float) -> str:
    """Return a threshold as text: whole for counts, else two decimals.

    >>> number("tau_cooc", 1.0), number("alpha", 1.0)
    ('1', '1.00')
    """
    return f"{value:,.0f}" if THRESHOLDS[word].whole else f"{value:.2f}"


def label(one: RunThreshold) -> str:
    """Return the label of a threshold with its unit."""
    return f"{THRESHOLDS[one.word].title} ({THRESHOLDS[one.word].unit})"


def source_words(one: RunThreshold, paper: str = "paper's") -> str:
    """Return where a run's threshold comes from: the paper, a fit, a person's hand, or its corpus."""
    return "the corpus's percentile" if one.not_handed_on else origin_words(one.source, paper)


def origin_sentence(one: RunThreshold, fitted: Mapping[str, float]) -> str:
    """Return where the run's value comes from, what the paper sets, and what is fitted to this model."""
    source = source_words(one, "the paper's")
    far = " (for trillions of tokens)" if one.word == "tau_entity" else ""
    reference, own, paper = THRESHOLDS[one.word].paper, number(one.word, one.value), number(one.word, one.paper)
    if one.source == "paper" and math.isclose(one.value, one.paper):
        told = f"Run and paper: {own} ({reference})"
    else:
        told = f"Run: {own} ({source}). Paper: {paper}{far} ({reference})"
    return f"{told}. Fitted: {number(one.word, fitted[one.word]) if one.word in fitted else 'none'}."


def presets(found: tuple[RunThreshold, ...], fitted: Mapping[str, float]) -> tuple[dict[str, float], ...]:
    """Return all thresholds at the run's own values, at the papers' and at the fitted ones, where there are any.

    τ_entity stays the run's own in a corpus of the user's: the paper's number was set for trillions of tokens.
    """
    own = {one.word: one.value for one in found}
    papers = {one.word: one.value if one.not_handed_on else one.paper for one in found}
    return own, papers, {**own, **fitted}


def state_word(one: RunThreshold, value: float, fitted: Mapping[str, float]) -> str:
    """Return where a moved value comes from, "" for the run's own: the paper, the fit, or chosen by hand."""
    marks = [("", one.value), ("The paper's value. ", one.paper)]
    marks += [("The fitted value. ", fitted[one.word])] if one.word in fitted else []
    return next((name for name, other in marks if math.isclose(value, other, abs_tol=1e-9)), "Your own value. ")


def verdict(found: Replayed, moved: int) -> Verdict:
    """Return the word for how much changes, and a sentence on what that means."""
    if not moved:
        text = "Every threshold has this run's value."
        return Verdict(word="as in the run", tone="model", sentence=text)
    what = counted(moved, "threshold") + " moved"
    if not found.changes:
        return Verdict(word="nothing changes", tone="model", sentence=f"{what}. Every verdict and trigger stays.")
    stale = f" {counted(len(found.stale), 'part')} would need a new run." if found.stale else ""
    word = f"{counted(len(found.changes), 'thing')} {'changes' if len(found.changes) == 1 else 'change'}"
    return Verdict(word=word, tone="middle", sentence=f"{what}.{stale}")


def sentences(found: Replayed) -> tuple[str, ...]:
    """Return what changes in plain sentences: verdicts and claims first, then triggers, one sentence a policy."""
    said = [change_sentence(change) for change in found.changes if change.about != "trigger"]
    more = len(said) - MOST_SENTENCES
    return (*said[:MOST_SENTENCES], *([f"The table has {more} more."] if more > 0 else []), *triggers(found))


def triggers(found: Replayed) -> list[str]:
    """Return the triggers that appear and vanish, a sentence for each policy, ETC's ablations in one."""
    grouped: dict[tuple[str, bool], list[str]] = {}
    for change in shown_triggers(found):
        who, _, place = where_words(change.where).partition(", ")
        grouped.setdefault((who, change.after == "fires"), []).append(place)
    said = [trigger_sentence(who, appears, places) for (who, appears), places in grouped.items()]
    ablated = sum(is_ablation(change.where) for change in found.changes)
    return said + ([f"ETC's ablations change {counted(ablated, 'trigger')} too."] if ablated else [])


def shown_triggers(found: Replayed) -> tuple[Change, ...]:
    """Return the triggers that change, without ETC's three ablations, which would hide the others."""
    return tuple(one for one in found.changes if one.about == "trigger" and not is_ablation(one.where))


def is_ablation(where: str) -> bool:
    """Return whether a change or a stale part is of one of ETC's ablations (its table 4).

    >>> is_ablation("timing: entropy_trend_raw, at the start"), is_ablation("timing: entropy_trend, at the start")
    (True, False)
    """
    return where.startswith("timing: entropy_trend_")


def trigger_sentence(who: str, appears: bool, places: list[str]) -> str:
    """Return where a policy newly fires, or no longer does.

    >>> trigger_sentence("ETC", False, ["before “built”"])
    'ETC no longer fires before “built”.'
    """
    return f"{who} {'newly fires' if appears else 'no longer fires'} {first_of(places, MOST_PLACES)}."


def change_sentence(change: Change) -> str:
    """Return one change as a sentence: a trigger appears or vanishes, anything else goes from one word to another."""
    where = where_words(change.where)
    if change.about == "trigger":
        verb = "now fires" if change.after == "fires" else "no longer fires"
        return f"{where}, {verb}."
    return f"{where}: {change.before} → {change.after}."


def where_words(where: str) -> str:
    """Return the place of a change, with policies by their titles.

    >>> where_words("timing: dragin, at the start")
    'DRAGIN, at the start'
    """
    head, _, rest = where.partition(": ")
    policy, comma, place = rest.partition(",")
    if head != "timing" or policy not in POLICIES:
        return where
    return f"{POLICIES[policy].title}{comma}{place}"


def changes_table(found: Replayed) -> pd.DataFrame:
    """Return the text twin: one row per change, with its place and the values before and after."""
    rows = [
        (
            THRESHOLDS[change.threshold].title,
            change.about,
            where_words(change.where),
            change.before,
            change.after,
            None if change.token is None else change.token + 1,
        )
        for change in found.changes
    ]
    return pd.DataFrame(rows, columns=CHANGE_COLUMNS)


def settings_table(found: tuple[RunThreshold, ...], settings: Mapping[str, float]) -> pd.DataFrame:
    """Return every threshold with the run's value, the one tried and where the run's comes from."""
    return pd.DataFrame(
        {
            "threshold": [THRESHOLDS[one.word].title for one in found],
            "unit": [THRESHOLDS[one.word].unit for one in found],
            "in the run": [None if one.missing else one.value for one in found],
            "tried": [None if one.missing else settings.get(one.word, one.value) for one in found],
            "the run's is": [one.missing or source_words(one) for one in found],
        }
    )


def changes_csv(found: Replayed) -> bytes:
    """Return the changes and what needs a new run as one CSV in UTF-8."""
    changes = changes_table(found)
    stale = pd.DataFrame(
        [
            (THRESHOLDS[one.threshold].title, "needs a new run", where_words(one.part), "", one.why, None)
            for one in found.stale
        ],
        columns=CHANGE_COLUMNS,
    )
    parts = [part for part in (changes, stale) if not part.empty]
    return csv_text(pd.concat(parts) if parts else changes).encode()


def changes_json(
    run_id: str, thresholds: tuple[RunThreshold, ...], settings: Mapping[str, float], found: Replayed
) -> bytes:
    """Return the thresholds, the changes and what needs a new run as JSON in UTF-8."""
    content = {
        "run": run_id,
        "thresholds": {
            one.word: {
                "in_the_run": one.value,
                "source": one.source,
                "paper": one.paper,
                "tried": settings.get(one.word, one.value),
            }
            for one in thresholds
            if not one.missing
        },
        "changes": [asdict(one) for one in found.changes],
        "needs_a_new_run": [{"threshold": one.threshold, "part": one.part, "why": one.why} for one in found.stale],
    }
    return json.dumps(content, ensure_ascii=False, indent=2).encode()


def memory_answer(diagnosis: Diagnosis) -> Generation | None:
    """Return the answer from memory on which triggers stand: ETC's, or else that of retrieval timing."""
    trend, timing = diagnosis.result_of("entropy_trend"), diagnosis.result_of("timing")
    if isinstance(trend, EntropyTrendResult):
        return trend.generation
    return timing.generation if isinstance(timing, TimingResult) else None


def strip_html(diagnosis: Diagnosis, found: Replayed, theme: Theme, chosen: int | None = None) -> str:
    """Return the answer from memory as HTML: triggers that appear (+) or vanish (−), grey after the first of them.

    "" where no trigger changes and no token is ``chosen``. The chosen token is outlined.
    """
    answer = memory_answer(diagnosis)
    marks: dict[int, list[Change]] = {}
    for change in shown_triggers(found):
        if change.token is not None:
            marks.setdefault(change.token, []).append(change)
    if answer is None or (not marks and chosen is None):
        return ""
    stale = [one.token for one in found.stale if one.token is not None and not is_ablation(one.part)]
    grey = min(stale, default=len(answer.tokens))
    pieces = [
        {
            "text": token.text,
            "hover": "\n".join(change_sentence(change) for change in marks.get(place, [])),
            "appears": any(change.after == "fires" for change in marks.get(place, [])),
            "stale": place >= grey,
        }
        for place, token in enumerate(answer.tokens)
    ]
    legend = strip_legend(found, grey, len(answer.tokens))
    return render("threshold_strip.html.j2", pieces=pieces, chosen=chosen, legend=legend, theme=theme)


def strip_legend(found: Replayed, grey: int, tokens: int) -> str:
    """Return the strip in words: how many triggers appear and vanish, and from where a new run is needed."""
    appear = sum(change.after == "fires" for change in shown_triggers(found))
    vanish = len(shown_triggers(found)) - appear
    text = f"{counted(appear, 'trigger')} {'appears' if appear == 1 else 'appear'} (+), "
    text += f"{vanish} {'vanishes' if vanish == 1 else 'vanish'} (−)."
    if grey >= tokens:
        return f"{text} Every first trigger stays, and so the answer."
    return f"{text} Grey from token {grey + 1} on: a lookup would rewrite it."


def stale_parts(found: Replayed) -> tuple[Stale, ...]:
    """Return what needs a new run, each part once."""
    return tuple({(one.part, one.why): one for one in found.stale}.values())
