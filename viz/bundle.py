"""A run as one HTML page that needs no server and no network: answers, verdicts, figures, tables, and its record.

Plotly's script stands in the page once, the figures of both modes as data; a policy in the page's head forbids every
connection and every script but these two. The page follows the reader's light or dark mode. Without scripts sentences
and tables are still there. Questions, passages and answers are untrusted: all text is escaped.
"""

import base64
import hashlib
import re
from functools import cache

import pandas as pd
from plotly.offline import get_plotlyjs

from engine.catalogue.verify import verify
from engine.diagnosis.record import Diagnosis, Outcome
from engine.diagnosis.traces.reading import ForeignAnswer
from engine.measures.answer_match import contains, exact_match
from engine.methods import METHODS, method_title
from engine.runs.bundle import bundle_json, record_script, seal_line, sealed, tag_safe
from viz import verification
from viz.csv_text import csv_text
from viz.exhibit import Exhibit
from viz.prompts import sentence as prompt_sentence
from viz.radar import finding_html, radar
from viz.summary import (
    Match,
    answer_html,
    card_html,
    passages_html,
    question_html,
    run_exhibits,
    style_sheet,
    verdict_of,
)
from viz.tables import table_html
from viz.theme import DARK, LIGHT, THEMES, Theme, plain
from viz.trace import apart_sentence, flare_sentence, foreign_html, trend_sentence
from viz.verdicts import verdict_html
from viz.views import exhibits_of
from viz.words import counted

PNG_SCALE = 2
FIGURES_OPEN = '<script type="application/json" id="microscope-figures">'
# Draws every figure in the reader's mode, and again when that changes. Names come from this file's own exhibits.
BOOT = """
(function () {
  var figures = JSON.parse(document.getElementById("microscope-figures").textContent);
  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  function draw() {
    Object.keys(figures).forEach(function (name) {
      var figure = figures[name][dark.matches ? "dark" : "light"];
      Plotly.react("figure-" + name, figure.data, figure.layout, {
        displaylogo: false, responsive: true, modeBarButtons: [["toImage"]],
        toImageButtonOptions: { format: "png", scale: SCALE, filename: name }
      });
    });
  }
  draw();
  dark.addEventListener("change", draw);
})();
""".replace("SCALE", str(PNG_SCALE))


def run_bundle(diagnosis: Diagnosis, run: str = "") -> str:
    """Return the run as one sealed HTML page; ``engine.runs.bundle.read_export`` reads it back.

    ``run`` is the run's id, which the page names. Raises RecordError where the record cannot be written.
    """
    shown = (*run_exhibits(diagnosis), *(one for _, found in method_exhibits(diagnosis) for one in found))
    page = "\n".join(
        (
            '<!DOCTYPE html>\n<html lang="en">',
            head_html(diagnosis),
            "<body><main>",
            body_html(diagnosis, run),
            "</main>",
            record_script(bundle_json(diagnosis, run)),
            figures_script(shown),
            f"<script>{plotly_script()}</script>",
            f"<script>{BOOT}</script>",
            "</body></html>\n",
        )
    )
    return sealed(page)


def method_exhibits(diagnosis: Diagnosis) -> tuple[tuple[Outcome, tuple[Exhibit, ...]], ...]:
    """Return every method that was asked for with what its result is shown by; () where it has none."""
    return tuple((one, exhibits_of(one.result) if one.result is not None else ()) for one in diagnosis.outcomes)


def head_html(diagnosis: Diagnosis) -> str:
    """Return the page's head: the seal, the policy that forbids every connection, the styles of both modes."""
    scripts = " ".join(script_hash(text) for text in (plotly_script(), BOOT))
    policy = (
        f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    return "\n".join(
        (
            '<head><meta charset="utf-8">',
            seal_line(),
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<link rel="icon" href="data:,">',
            f"<title>{plain(diagnosis.question)} · Retrieval Microscope</title>",
            f"<style>{page_layout()}\n{mode_style(LIGHT)}\n"
            f"@media (prefers-color-scheme: dark) {{ {mode_style(DARK)} }}</style></head>",
        )
    )


@cache
def plotly_script() -> str:
    """Return Plotly's own script as it stands in the page; nothing in it may end the tag."""
    return re.sub(r"</(script)", r"<\\/\1", get_plotlyjs(), flags=re.IGNORECASE)


def script_hash(text: str) -> str:
    """Return what a content security policy calls a script by."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def body_html(diagnosis: Diagnosis, run: str) -> str:
    """Return what a reader sees, from the question to the check of the record."""
    parts = [
        header_html(diagnosis, run),
        answers_html(diagnosis),
        section_html("verdicts", "What each method says", cards_html(diagnosis)),
        section_html("radar", "Where they pull apart, where they agree", findings_html(diagnosis)),
        section_html("passages", "What the model read", read_html(diagnosis)),
    ]
    parts += [method_html(outcome, found) for outcome, found in method_exhibits(diagnosis)]
    parts.append(section_html("prompts", "What the model was asked, to the letter", prompts_html(diagnosis)))
    parts.append(section_html("origin", "What produced this run", table_html(origin_table(diagnosis))))
    parts.append(section_html("check", "Raw part and derived part", check_html(diagnosis)))
    return "\n".join(parts)


def header_html(diagnosis: Diagnosis, run: str) -> str:
    """Return the question as the page's title, and the way to every section."""
    places = {"verdicts": "Verdicts", "radar": "Findings", "passages": "Passages"}
    places |= {one.method: method_title(one.method) for one in diagnosis.outcomes}
    places |= {"prompts": "Prompts", "origin": "Origin", "check": "Raw and derived"}
    ways = "".join(f'<a href="#{plain(place)}">{plain(name)}</a>' for place, name in places.items())
    named = f"Run {run}, asked" if run else "Asked"
    return (
        f'<header><p class="rm-muted">Retrieval Microscope. {plain(named)} {plain(diagnosis.provenance.started_at)} of '
        f"{plain(diagnosis.provenance.model)}.</p>{question_html(diagnosis.question, diagnosis.golds, tag='h1')}"
        f'<nav aria-label="Sections">{ways}</nav></header>'
    )


def match_of(text: str, golds: tuple[str, ...]) -> Match | None:
    """Return whether an answer equals or contains a gold answer, None without one."""
    if not golds:
        return None
    if exact_match(text, golds):
        return "exact"
    return "contains" if contains(text, golds) else "no"


def answers_html(diagnosis: Diagnosis) -> str:
    """Return the answer over the passages large, the one from memory beside it; another pipeline's before both."""
    golds, foreign = diagnosis.golds, diagnosis.foreign
    reading, memory = diagnosis.answer.text, diagnosis.closed_book.text
    whose = (
        "Answer over the passages" if foreign is None else f"Answer of {diagnosis.provenance.model} over the passages"
    )
    over = answer_html(whose, reading, match_of(reading, golds), large=True)
    alone = answer_html("Answer from memory, without passages", memory, match_of(memory, golds), large=False)
    own = f'<div class="rm-grid"><div class="rm-card">{over}</div><div class="rm-card">{alone}</div></div>'
    return own if foreign is None else foreign_card_html(foreign, diagnosis.provenance.model) + own


def foreign_card_html(foreign: ForeignAnswer, model: str) -> str:
    """Return another pipeline's answer in a card of its own, with whose the rest is."""
    told = "".join(f"<p>{plain(text)}</p>" for text in (trend_sentence(foreign), flare_sentence(foreign)))
    apart = f"<p><strong>{plain(apart_sentence(foreign, model))}</strong></p>"
    return f'<div class="rm-card">{foreign_html(foreign)}{told}</div>{apart}'


def cards_html(diagnosis: Diagnosis) -> str:
    """Return a card per method with its word and sentence."""
    verdicts = [(outcome.method, verdict_of(outcome)) for outcome in diagnosis.outcomes]
    if not verdicts:
        return '<p class="rm-muted">No method was asked for: the question was only answered.</p>'
    cards = "".join(
        f'<div class="rm-card rm-edge-{verdict.tone}">{card_html(method_title(method), verdict)}</div>'
        for method, verdict in verdicts
    )
    return f'<div class="rm-grid">{cards}</div>'


def findings_html(diagnosis: Diagnosis) -> str:
    """Return where methods agree and disagree."""
    golds = diagnosis.golds
    found = radar(diagnosis, match_of(diagnosis.answer.text, golds), match_of(diagnosis.closed_book.text, golds))
    return "".join(f'<div class="rm-card">{finding_html(finding)}</div>' for finding in found)


def read_html(diagnosis: Diagnosis) -> str:
    """Return the passages as the model read them, and the run's own tables."""
    passages = passages_html(diagnosis) or '<p class="rm-muted">The model was given no passage.</p>'
    return passages + "".join(exhibit_html(one) for one in run_exhibits(diagnosis))


def method_html(outcome: Outcome, found: tuple[Exhibit, ...]) -> str:
    """Return one method's section: its word in both modes, then each figure and table, or why there is none."""
    verdict = verdict_of(outcome)
    words = "".join(
        f'<div class="rm-only-{mode}">{verdict_html(verdict, theme)}</div>' for mode, theme in THEMES.items()
    )
    took = f'<p class="rm-muted">{plain(asks_of(outcome.method))} Took {outcome.seconds:.1f} seconds.</p>'
    shown = "".join(exhibit_html(one, said=verdict.sentence) for one in found)
    return section_html(outcome.method, method_title(outcome.method), took + words + shown)


def asks_of(method: str) -> str:
    """Return what a method asks, "" where this version does not know it."""
    return METHODS[method].question if method in METHODS else ""


def exhibit_html(one: Exhibit, said: str = "") -> str:
    """Return an exhibit: its sentence, a place for its figure, its table folded away with a way to get it as CSV.

    ``said`` stands above it already, and is not said twice.
    """
    parts = [f"<h3>{plain(one.heading)}</h3>"]
    if one.sentence and one.sentence != said:
        parts.append(f"<p>{plain(one.sentence)}</p>")
    if one.draw is not None:
        parts.append(
            f'<div class="rm-figure" id="figure-{plain(one.name)}" role="img" aria-label="{plain(one.heading)}"></div>'
        )
    if one.table is not None:
        encoded = base64.b64encode(csv_text(one.table).encode()).decode()
        parts.append(
            f"<details><summary>The table ({plain(rows_in(one.table))})</summary>"
            f'<p><a download="{plain(one.name)}.csv" href="data:text/csv;charset=utf-8;base64,{encoded}">'
            f"Download as CSV</a></p>{table_html(one.table)}</details>"
        )
    return "".join(parts)


def rows_in(table: pd.DataFrame) -> str:
    """Return how many rows a table has, in words."""
    return counted(len(table), "row")


def prompts_html(diagnosis: Diagnosis) -> str:
    """Return both answers' prompts as they were tokenised."""
    parts = []
    for name, generation in (("Over the passages", diagnosis.answer), ("From memory", diagnosis.closed_book)):
        parts.append(
            f"<details><summary>{plain(name)}</summary><p>{plain(prompt_sentence(generation))}</p>"
            f'<pre dir="auto" tabindex="0">{plain(generation.rendered) or "(empty)"}</pre></details>'
        )
    return "".join(parts)


def origin_table(diagnosis: Diagnosis) -> pd.DataFrame:
    """Return what produced the run, one fact a row."""
    origin = diagnosis.provenance
    facts = {
        "Model": f"{origin.model} ({origin.model_revision}, {origin.model_dtype})",
        "Writer of longer text": f"{origin.writer} ({origin.writer_revision})" if origin.writer else "the model",
        "Judge": f"{origin.judge}: {origin.judge_note}",
        "Retriever": origin.retriever,
        "Corpus": f"{origin.corpus} ({origin.corpus_hash[:12]})" if origin.corpus_hash else origin.corpus,
        "Seed": str(origin.seed),
        "Prompt profile": origin.profile,
        "Thresholds": origin.thresholds or "the papers', or set by hand",
        "Started": origin.started_at,
        "Took": f"{diagnosis.seconds:.1f} seconds",
        "Program": f"retrieval-microscope {origin.package_version}, Python {origin.python}, {origin.machine}",
        "Libraries": ", ".join(f"{name} {version}" for name, version in origin.libraries),
        "Made from run": diagnosis.parent or "none",
    }
    return pd.DataFrame(list(facts.items()), columns=["what", "which"])


def check_html(diagnosis: Diagnosis) -> str:
    """Return which numbers are derived, whether they followed from the raw part when written, and how to check."""
    found = verify(diagnosis)
    told = "".join(f"<p>{plain(text)}</p>" for text in (verification.written_sentence(found), HOW_TO_CHECK))
    tables = (("Derived part", verification.checks_table(found)), ("Raw part", verification.unchecked_table(found)))
    return told + "".join(
        f"<details><summary>{plain(name)} ({plain(rows_in(table))})</summary>{table_html(table)}</details>"
        for name, table in tables
    )


HOW_TO_CHECK = (
    "Check it yourself: “microscope verify FILE” compares the content hash of this file and computes every derived "
    "number again from the raw part, with no model. Importing the file on the Runs page brings the run back."
)


def section_html(place: str, title: str, inner: str) -> str:
    """Return a section of the page; ``inner`` is HTML that is escaped already."""
    return f'<section id="{plain(place)}"><h2>{plain(title)}</h2>{inner}</section>'


def figures_script(shown: tuple[Exhibit, ...]) -> str:
    """Return every figure in both modes as a data block, each on the page's own ground so that a PNG can be read."""
    drawn = ",".join(f'"{one.name}":{{{both_modes(one)}}}' for one in shown if one.draw is not None)
    return f"{FIGURES_OPEN}{tag_safe('{' + drawn + '}')}</script>"


def both_modes(one: Exhibit) -> str:
    """Return an exhibit's figure in each mode as the members of a JSON object."""
    return ",".join(f'"{mode}":{figure_json(one, theme)}' for mode, theme in THEMES.items())


def figure_json(one: Exhibit, theme: Theme) -> str:
    """Return an exhibit's figure as JSON; "null" where it has none."""
    if one.draw is None:
        return "null"
    figure = one.draw(theme)
    figure.update_layout(paper_bgcolor=theme.page)
    return str(figure.to_json())


def mode_style(theme: Theme) -> str:
    """Return the colours of one mode as CSS, and which mode's drawings are shown."""
    other = "dark" if theme.mode == "light" else "light"
    edges = "".join(
        f".rm-edge-{tone} {{border-left:6px solid {colour};}} "
        for tone, colour in (
            ("good", theme.good),
            ("middle", theme.middle),
            ("bad", theme.bad),
            ("unknown", theme.unknown),
        )
    )
    return f"""
body {{background:{theme.page}; color:{theme.text};}}
a {{color:{theme.model};}}
.rm-card, pre, nav a {{background:{theme.panel};}}
.rm-card, pre, th, td, nav a, details {{border-color:{theme.line};}}
caption, th, summary {{color:{theme.muted};}}
.rm-only-{theme.mode} {{display:block;}} .rm-only-{other} {{display:none;}}
{edges}{style_sheet(theme)}"""


def page_layout() -> str:
    """Return the CSS that both modes share."""
    return """
body {margin:0; font:16px/1.5 "Source Sans 3", "Source Sans Pro", system-ui, sans-serif;}
main {max-width:1500px; margin:0 auto; padding:24px 32px 80px;}
h2 {font-size:1.55rem; margin:40px 0 8px;} h3 {font-size:1.15rem; margin:24px 0 4px;}
nav {display:flex; flex-wrap:wrap; gap:8px; margin:16px 0 24px;}
nav a {border:1px solid; border-radius:999px; padding:2px 12px; text-decoration:none;}
.rm-grid {display:grid; grid-template-columns:repeat(auto-fit, minmax(min(460px, 100%), 1fr)); gap:12px;}
.rm-card {border:1px solid; border-radius:8px; padding:12px 16px; margin-bottom:12px;}
.rm-grid .rm-card {margin-bottom:0;}
.rm-figure {width:100%; min-height:80px;}
.rm-table {overflow:auto;} details .rm-table {max-height:32rem;}
table {border-collapse:collapse; font-size:.9rem;}
th, td {border:1px solid; padding:4px 8px; text-align:left; vertical-align:top; max-width:46em; overflow-wrap:anywhere;}
td.rm-number {text-align:right; font-variant-numeric:tabular-nums;}
details {border:1px solid; border-radius:8px; padding:6px 12px; margin:8px 0;}
summary {cursor:pointer;}
pre {border:1px solid; border-radius:8px; padding:12px; white-space:pre-wrap; overflow-wrap:anywhere;
  max-height:24rem; overflow:auto;}
@media print {nav {display:none;} .rm-card, .rm-figure {break-inside:avoid;}}
"""
