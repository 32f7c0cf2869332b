"""Which colours the page is drawn in, and how untrusted text is put into Streamlit's Markdown."""

import streamlit as st

from engine.learning.content import escape_markdown
from pages.shared import session
from viz.projector import page_rules
from viz.summary import style_sheet
from viz.theme import DARK, LIGHT, Theme


def current_theme() -> Theme:
    """Return the colours of the mode the reader's browser shows: light where Streamlit does not know."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def page_style() -> None:
    """Draw the style sheet of cards, chips and marked passages, in the colours of the current mode."""
    st.html(f"<style>{page_rules_now(current_theme())}</style>")


def page_rules_now(theme: Theme) -> str:
    """Return every rule of the page's style; in presenter mode those for the last row as well."""
    rules = style_sheet(theme) + contrast_rules(theme)
    return rules + page_rules(theme) if session.is_presenting() else rules


def contrast_rules(theme: Theme) -> str:
    """Return the rules for what Streamlit draws too faint: words below 4.5 : 1, edges of boxes below 3 : 1.

    What the keyboard has reached is ringed, in one way for all of Streamlit's widgets.
    """
    return f"""
[data-testid="stCaptionContainer"], [data-testid="stCaptionContainer"] p {{color:{theme.muted} !important; opacity:1;}}
[data-testid^="stBaseButton-primary"], [data-testid^="stBaseButton-primary"] * {{
  color:{theme.page} !important; opacity:1;}}
[data-testid="stMainBlockContainer"] {{padding-top:2.5rem;}}
[data-testid="stHeading"] h1 {{font-size:2.1rem; padding:0.25rem 0;}}
[data-testid="stHeading"] h2 {{font-size:1.55rem;}}
[data-testid="stHeading"] h3 {{font-size:1.3rem;}}
@media (max-width:1000px), (max-height:600px) {{
  [data-testid="stMainBlockContainer"] {{padding-top:0.5rem;}}
  [data-testid="stHeading"] h1 {{font-size:2rem; padding:0.25rem 0;}}
  h1.rm-question {{font-size:1.5rem;}}
}}
@media (max-height:600px) {{ .st-key-chosen [data-testid="stCaptionContainer"] {{display:none;}} }}
:is([data-testid="stTextArea"], [data-testid="stTextInput"], [data-testid="stSelectbox"], [data-testid="stMultiSelect"],
  [data-testid="stNumberInput"], [data-testid="stFileUploader"]) div,
[data-testid="stCheckbox"] label:not(:has(input:checked)) div {{border-color:{theme.edge};}}
:is(a, button, summary, [role="tab"], [role="radio"], [tabindex]):focus-visible {{
  outline:3px solid {theme.model} !important; outline-offset:2px;}}
[class*="st-key-numbers-"] {{row-gap:0.1rem;}}
.katex-display {{padding:0.35rem 0; overflow:visible !important;}}
.katex-display > .katex {{white-space:normal !important;}}
[class*="st-key-recorded"] button, [class*="st-key-recorded"] button * {{
  justify-content:flex-start; text-align:left; white-space:normal;}}
"""


def as_text(text: str) -> str:
    """Return untrusted text so that Streamlit's Markdown shows it letter by letter: no image, link or formula in it."""
    return escape_markdown(text)
