"""What was computed is what you see: the exact prompt behind an answer, sealed, with its settings and its tokens."""

import streamlit as st

from engine.errors import MicroscopeError
from engine.records import Generation
from pages.shared import session
from pages.shared.theme import as_text, current_theme
from viz import prompts
from viz.token_strip import tokens_table


def draw_prompt(generation: Generation, key: str, model: str) -> None:
    """Draw an answer's prompt to the letter, whether its seal holds, its settings, and its tokens where asked for.

    ``key`` names the answer among those of the page, ``model`` whose tokenizer cuts the prompt.
    """
    theme = current_theme()
    st.html(prompts.prompt_html(generation, theme))
    st.html(prompts.tokens_html(generation, theme))
    with st.expander("Settings, and what was written token by token", icon=":material/list_alt:"):
        st.table(prompts.settings_table(generation))
        st.dataframe(tokens_table(generation.tokens), hide_index=True, alt="Every token that was written")
    draw_prompt_tokens(generation, f"prompt.tokens.{session.current_run()}.{key}", model)


@st.fragment
def draw_prompt_tokens(generation: Generation, key: str, model: str) -> None:
    """Draw the prompt's tokens with their ids when asked for; they are not stored, so the tokenizer has to be here."""
    if not st.toggle(
        "Show the prompt's tokens",
        key=key,
        help="Records hold the prompt and its number of tokens, not their ids: the model's tokenizer cuts it again, "
        "and they are shown only where that gives the very same prompt and number.",
    ):
        return
    # Only here: it opens transformers, which no page needs to show a record.
    from engine.language_models.prompt_tokens import cut_prompt

    try:
        found = cut_prompt(model, generation)
    except MicroscopeError as exc:
        st.info(as_text(f"The tokens of this prompt are not stored. {exc}"), icon=":material/do_not_disturb_on:")
        return
    st.caption(as_text(f"{len(found):,} tokens, cut again by {model}'s tokenizer: as many as were read."))
    st.dataframe(
        [{"place": place, "id": one.id, "text": one.text} for place, one in enumerate(found, 1)],
        hide_index=True,
        height=320,
        alt="Every token of the prompt with its id",
    )
