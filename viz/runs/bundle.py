"""A run as one HTML page that needs no server and no network: answers, verdicts, figures, tables, and its record.

Plotly's script is in the page once, the figures of both modes as data; a policy in the page's head forbids every
connection and every script but these two. The page follows the reader's light or dark mode. Without scripts sentences
and tables are still there.
"""

import base64
import hashlib
import re
from functools import cache

import pandas as pd
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from engine.catalogue.verify import verify
from engine.core.provenance import Provenance
from engine.diagnosis.record import Diagnosis, Outcome
from engine.methods import METHODS, method_title
from engine.runs.bundle import bundle_json, record_script, seal_line, seal_page, tag_safe
from engine.runs.compare import model_words
from viz.methods.other_scripts import language_note
from viz.methods.verdicts import verdict_html
from viz.methods.views import exhibits_of
from viz.parts.csv_text import csv_text
from viz.parts.exhibit import Draw, Exhibit
from viz.parts.figure_parts import figure_title_html
from viz.parts.html import render
from viz.parts.tables import table_html
from viz.parts.theme import LIGHT, THEMES
from viz.parts.words import counted, judge_name, model_name, named_model
from viz.runs import verification
from viz.runs.headline import headline
from viz.runs.prompts import prompt_sentence
from viz.runs.radar import finding_html, radar
from viz.runs.story import flow_html, headline_html
from viz.runs.summary import card_html, matches_of, passages_html, question_html, run_exhibits, verdict_of
from viz.runs.trace import apart_sentence, flare_sentence, imported_html, trend_sentence

DEVICES = {
    "": "not recorded",
    "cpu": "the processor",
    "cuda": "an NVIDIA GPU",
    "mps": "an Apple GPU",
    "server": "a server",
}
FIGURES_OPEN = '<script type="application/json" id="microscope-figures">'
# Draws every figure in the reader's mode, and again when that changes.
BOOT = render("bundle.js.j2")


def run_bundle(diagnosis: Diagnosis, run: str = "") -> str:
    """Return the run as one sealed HTML page; ``engine.runs.bundle.read_export`` reads it back.

    ``run`` is the run's id, which the page names. Raises RecordError where the record cannot be written.
    """
    origin, found, checked = diagnosis.provenance, method_exhibits(diagnosis), verify(diagnosis)
    own = run_exhibits(diagnosis)
    ways = [("verdicts", "Verdicts"), ("radar", "Findings"), ("passages", "Passages")]
    ways += [(one.method, method_title(one.method)) for one in diagnosis.outcomes]
    ways += [("prompts", "Prompts"), ("origin", "Origin"), ("check", "Raw and derived")]
    page = render(
        "bundle.html.j2",
        seal=Markup(seal_line()),
        scripts=" ".join(script_hash(text) for text in (plotly_script(), BOOT)),
        themes=THEMES,
        question=diagnosis.question,
        run=run,
        asked_at=origin.started_at,
        model=model_name(origin.model),
        heading=question_html(diagnosis.question, diagnosis.golds, tag="h1"),
        ways=ways,
        imported=imported_card(diagnosis),
        story=(headline_html(headline(diagnosis)), flow_html(diagnosis)),
        findings=finding_cards(diagnosis),
        passages=Markup(passages_html(diagnosis)),
        own=[exhibit_values(one) for one in own],
        methods=[method_values(diagnosis, outcome, shown) for outcome, shown in found],
        prompts=[
            (name, prompt_sentence(one), one.rendered)
            for name, one in (("Over the passages", diagnosis.answer), ("From memory", diagnosis.closed_book))
        ],
        origin=table_html(origin_table(diagnosis)),
        checked=verification.written_sentence(checked),
        derived=table_values(verification.checks_table(checked)),
        raw=table_values(verification.unchecked_table(checked)),
        record=Markup(record_script(bundle_json(diagnosis, run))),
        figures=Markup(figures_script((*own, *(one for _, shown in found for one in shown)))),
        plotly=Markup(plotly_script()),
        boot=BOOT,
    )
    return seal_page(str(page))


def method_exhibits(diagnosis: Diagnosis) -> tuple[tuple[Outcome, tuple[Exhibit, ...]], ...]:
    """Return every method of the run with its exhibits; () where it has none."""
    return tuple((one, exhibits_of(one.result) if one.result is not None else ()) for one in diagnosis.outcomes)


@cache
def plotly_script() -> str:
    """Return Plotly's own script as it is in the page; nothing in it may end the tag."""
    return re.sub(r"</(script)", r"<\\/\1", get_plotlyjs(), flags=re.IGNORECASE)


def script_hash(text: str) -> str:
    """Return a script's hash as a content security policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def imported_card(diagnosis: Diagnosis) -> dict[str, object] | None:
    """Return the imported answer's card and what is said of it; None without one."""
    imported = diagnosis.imported
    if imported is None:
        return None
    said = (trend_sentence(imported), flare_sentence(imported))
    return {
        "card": imported_html(imported, diagnosis.golds),
        "said": said,
        "apart": apart_sentence(imported, diagnosis.provenance.model),
    }


def finding_cards(diagnosis: Diagnosis) -> list[str]:
    """Return where methods agree and disagree, a card each."""
    return [finding_html(finding) for finding in radar(diagnosis, *matches_of(diagnosis))]


def method_values(diagnosis: Diagnosis, outcome: Outcome, found: tuple[Exhibit, ...]) -> dict[str, object]:
    """Return what the page shows of one method: its card, its verdict in both modes, its figures and tables."""
    verdict, title = verdict_of(outcome), method_title(outcome.method)
    return {
        "place": outcome.method,
        "title": title,
        "tone": verdict.tone,
        "sentence": verdict.sentence,
        "card": card_html(title, verdict),
        "asks": METHODS[outcome.method].question if outcome.method in METHODS else "",
        "note": "" if outcome.result is None else language_note(diagnosis, outcome.result),
        "seconds": outcome.seconds,
        "reached": outcome.status != "waiting",
        "verdicts": {mode: verdict_html(verdict, theme) for mode, theme in THEMES.items()},
        "exhibits": [exhibit_values(one) for one in found],
    }


def exhibit_values(one: Exhibit) -> dict[str, object]:
    """Return what the page shows of an exhibit: name, heading, sentence, its figure's title ("" without), its table."""
    table = None if one.table is None else table_values(one.table)
    named = {"name": one.name, "heading": one.heading, "sentence": one.sentence, "table": table}
    return named | ({"title": "", "panels": False} if one.draw is None else figure_values(one.draw))


def figure_values(draw: Draw) -> dict[str, object]:
    """Return a figure's title as HTML, which wraps where the figure's own would be cut, and whether it has panels.

    A figure of three panels or more needs more room than a narrow screen has.
    """
    layout = draw(LIGHT).layout
    title = figure_title_html(layout.title.text or "", layout.title.subtitle.text or "")
    return {"title": title, "panels": "xaxis3" in layout}


def table_values(table: pd.DataFrame) -> dict[str, str]:
    """Return a table as HTML, as CSV in base64, and its number of rows in words."""
    encoded = base64.b64encode(csv_text(table).encode()).decode()
    return {"html": table_html(table), "csv": encoded, "rows": counted(len(table), "row")}


def computed_on(origin: Provenance) -> str:
    """Return where the models of a run computed, with the threads where they are recorded."""
    place = DEVICES.get(origin.device, origin.device)
    return f"{place}, {counted(origin.threads, 'thread')}" if origin.threads else place


def origin_facts(diagnosis: Diagnosis) -> dict[str, str]:
    """Return what produced the run, as name -> fact."""
    origin = diagnosis.provenance
    model = f"{origin.model} ({origin.model_revision}, {origin.model_dtype})"
    return {
        "Model": f"{named_model(model)} {origin.model_note}".strip(),
        "Writer of step-by-step answers": named_model(model_words(origin.writer, origin.writer_revision)),
        "Model of rewordings": named_model(model_words(*origin.rewords)),
        "Judge": f"{judge_name(origin.judge)}: {origin.judge_note}",
        "Retriever": origin.retriever,
        "Corpus": f"{origin.corpus} ({origin.corpus_hash[:12]})" if origin.corpus_hash else origin.corpus,
        "Computed on": " ".join(filter(None, (computed_on(origin), origin.memory_note))),
        "Seed": str(origin.seed),
        "Prompt profile": origin.profile,
        "Thresholds": origin.thresholds or "the papers', or set by hand",
        "Not fitted": " ".join(why for _, why in origin.papers_kept) or "none",
        "Started": origin.started_at,
        "Took": f"{diagnosis.seconds:.1f} seconds",
        "Program": f"retrieval-microscope {origin.package_version}, Python {origin.python}, {origin.machine}",
        "Libraries": ", ".join(f"{name} {version}" for name, version in origin.libraries),
        "Made from run": diagnosis.parent or "none",
    }


def origin_table(diagnosis: Diagnosis) -> pd.DataFrame:
    """Return what produced the run, one fact a row."""
    return pd.DataFrame(list(origin_facts(diagnosis).items()), columns=["what", "which"])


def figures_script(shown: tuple[Exhibit, ...]) -> str:
    """Return every figure in both modes as a data block, each on the page's own ground so that a PNG is readable."""
    figures = []
    for one in shown:
        if one.draw is not None:
            drawn = {mode: one.draw(theme).update_layout(paper_bgcolor=theme.page) for mode, theme in THEMES.items()}
            modes = ",".join(f'"{mode}":{figure.to_json()}' for mode, figure in drawn.items())
            figures.append(f'"{one.name}":{{{modes}}}')
    return f"{FIGURES_OPEN}{tag_safe('{' + ','.join(figures) + '}')}</script>"
