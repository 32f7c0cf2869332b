"""What was computed is what you see: the exact prompt behind an answer, sealed, with its settings and its tokens."""

import streamlit as st

from engine.core.errors import MicroscopeError
from engine.core.records import Generation
from pages.shared import session
from pages.shared.linked import token_rows, tokens_with_choice
from pages.shared.plain_table import draw_table
from pages.shared.rows import draw_rows
from pages.shared.selection import Chosen
from pages.shared.theme import as_text, current_theme
from viz.parts.token_strip import visible
from viz.parts.words import model_name
from viz.runs import prompts


def draw_prompt(generation: Generation, where: str, model: str, chosen: Chosen) -> None:
    """Draw an answer's prompt to the letter, whether its seal holds, its settings, and its tokens where asked for.

    ``where`` is the answer's place in the run, ``model`` whose tokenizer cuts the prompt.
    """
    st.html(prompts.prompt_html(generation, current_theme()))
    tokens_with_choice(generation, "tokens of the output", chosen)
    listed = chosen.token_of(generation) is not None
    with st.expander("Settings and output tokens", icon=":material/list_alt:", expanded=listed):
        draw_table(prompts.settings_table(generation))
        key = f"prompt.written.{session.current_run()}.{where}"
        token_rows(generation, where, chosen, key=key, alt="Every written token")
    draw_prompt_tokens(generation, f"prompt.tokens.{session.current_run()}.{where}", model)


@st.fragment
def draw_prompt_tokens(generation: Generation, key: str, model: str) -> None:
    """Draw the prompt's tokens with their ids when asked for; they are not stored, so the tokenizer has to be here."""
    if not st.toggle(
        "Show the prompt's tokens",
        key=key,
        help="Tokenised again; shown if their number matches.",
    ):
        return
    # Only here: it opens transformers, which no page needs to show a record.
    from engine.backends.language_models.prompt_tokens import cut_prompt

    try:
        found = cut_prompt(model, generation)
    except MicroscopeError as exc:
        st.info(as_text(f"Tokens not shown: {exc}"), icon=":material/do_not_disturb_on:")
        return
    st.caption(as_text(f"{len(found):,} tokens, tokenizer of {model_name(model)}."))
    draw_rows(
        [{"place": place, "id": one.id, "text": visible(one.text)} for place, one in enumerate(found, 1)],
        key=f"{key}.tokens",
        height=320,
        alt="Tokens of the prompt",
    )
