"""ETC for one run: where the trend of uncertainty turns, with the threshold α to try out on the stored values."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

import streamlit as st

from engine.methods.entropy_trend import EntropyTrendResult
from pages.shared import session
from pages.shared.linked import follow_in_fragment, linked_figure, linked_table
from pages.shared.method_page import open_method
from pages.shared.number_view import draw_headlines
from pages.shared.run_panel import submit_variant
from pages.shared.selection import Chosen, Selection, chosen_in
from pages.shared.theme import as_text, current_theme
from pages.shared.variants import shown_request
from viz.answer_strip import answer_strip_html
from viz.entropy_trend import (
    alpha_label,
    alpha_range,
    conclusion,
    replay_sentence,
    sentence,
    verdict,
    word_at,
    word_sentence,
    words_table,
    workings,
)
from viz.token_strip import token_strip_html, tokens_table
from viz.trend_figure import trend_figure
from viz.verdicts import verdict_html

VARIANT_NAMES = {"paper": "the paper", "code": "the released code"}
ANSWER = "entropy_trend.generation"
OTHER_VARIANT: dict[str, Literal["paper", "code"]] = {"paper": "code", "code": "paper"}
# What ETC says of a word first: a narrow page cuts the table off on the right.
WORD_ORDER = [
    "word number",
    "word",
    "trigger",
    "H (nats)",
    "ΔH (nats)",
    "Δ²H (nats)",
    "smoothed (nats)",
    "compared with α (nats)",
    "H at most (nats)",
    "compared, at least (nats)",
    "compared, at most (nats)",
    "query",
    "part of speech",
    "content word",
]


def draw_page() -> None:
    """Draw the page from top to bottom."""
    diagnosis, result = open_method("entropy_trend")
    if not isinstance(result, EntropyTrendResult):
        st.stop()
    draw_verdict(result)
    draw_headlines(diagnosis, "entropy_trend")
    with st.container(horizontal=True):
        draw_formulas()
        draw_variant(result)
    draw_threshold(result, chosen_in(diagnosis))


def draw_verdict(result: EntropyTrendResult) -> None:
    """Draw ETC's word, and which text it is about."""
    st.html(verdict_html(verdict(result), current_theme()))
    st.caption(
        "ETC reads an answer that the model writes step by step from memory, before any "
        "retrieval. Entropy, in nats, says how unsure the model was before each word; the trend "
        f"is the change of that change. {as_text(conclusion(result))} This run follows "
        f"{VARIANT_NAMES[result.variant]}."
    )


@st.fragment
def draw_threshold(result: EntropyTrendResult, chosen: Chosen) -> None:
    """Draw what α decides: slider, what changes against the run, strip, figure, table. Only this part is redrawn."""
    follow_in_fragment()
    theme, word = current_theme(), chosen_word(result, chosen)
    low, high = alpha_range(result)
    alpha = st.slider(
        alpha_label(result),
        low,
        high,
        result.alpha,
        step=0.05,
        format="%.2f",
        key=f"etc.alpha.{session.current_run()}",
        help="Moving α replays the stored values; no model runs. Small models are unsure more often "
        "than the paper's, so 1.0 may trigger too often here.",
    )
    st.markdown(as_text(replay_sentence(result, alpha)))
    st.subheader("The answer, tinted by uncertainty")
    st.html(answer_strip_html(result, theme, alpha, word))
    linked_figure(
        trend_figure(result, theme, alpha, word),
        lambda numbers: word_pick(result, numbers[0]),
        key=f"etc.figure.{session.current_run()}",
        name="etc-trend",
        alt=sentence(result, alpha),
    )
    st.caption("Click a word to see it below.")
    if alpha != result.alpha:
        st.caption(as_text(sentence(result, alpha)))
    draw_words(result, alpha, chosen, word)


def chosen_word(result: EntropyTrendResult, chosen: Chosen) -> int | None:
    """Return the word of the chosen token, else the one that the chosen trigger of ETC stands on, None without one."""
    word, number = word_at(result, chosen.token_of(result.generation)), chosen.trigger_of("entropy_trend")
    if word is None and number is not None and number < len(result.triggers):
        return result.triggers[number].word
    return word


def word_pick(result: EntropyTrendResult, index: int) -> Selection | None:
    """Return what a word chooses: its first token, and its trigger where the run's own threshold fires there."""
    if not 0 <= index < len(result.words):
        return None
    numbers = [number for number, trigger in enumerate(result.triggers, 1) if trigger.word == index]
    trigger = f"entropy_trend.{numbers[0]}" if numbers else ""
    return Selection(answer=ANSWER, token=result.words[index].first_token, trigger=trigger)


def draw_words(result: EntropyTrendResult, alpha: float, chosen: Chosen, word: int | None) -> None:
    """Draw the words as a table; the chosen one with its tokens, its query and its calculation."""
    st.subheader("Every word")
    st.caption("Select a row to see the word's tokens and the query before it.")
    table = words_table(result, alpha)
    linked_table(
        table,
        [word_pick(result, index) for index in range(len(result.words))],
        word,
        key=f"etc.words.{session.current_run()}",
        height=320,
        column_config=column_config(table.columns),
        column_order=WORD_ORDER,
        placeholder="–",
        alt="Every word with its entropy, differences and trigger",
    )
    if word is not None:
        draw_word(result, word, chosen)


def column_config(names: Iterable[str]) -> dict[str, object]:
    """Return how the columns of the table of words are drawn: two decimals for nats, room for the trigger."""
    nats = {name: st.column_config.NumberColumn(format="%.2f") for name in names if "nats" in name}
    return {
        **nats,
        "word number": st.column_config.NumberColumn("#", width=40),
        "trigger": st.column_config.Column(width=130),
    }


def draw_word(result: EntropyTrendResult, index: int, chosen: Chosen) -> None:
    """Draw one word in detail."""
    word = result.words[index]
    tokens = result.generation.tokens[word.first_token : word.last_token + 1]
    with st.container(border=True):
        st.markdown(as_text(word_sentence(result, index)))
        for line in workings(result, index):
            st.markdown(as_text(line))
        token = chosen.token_of(result.generation)
        row = token - word.first_token if token is not None else None
        head = "Tokens of this word; H is the largest among them"
        st.html(token_strip_html(tokens, current_theme(), head, chosen=row))
        linked_table(
            tokens_table(tokens),
            [Selection(answer=ANSWER, token=place) for place in range(word.first_token, word.last_token + 1)],
            row,
            key=f"etc.tokens.{session.current_run()}.{index}",
            alt="Tokens of the chosen word",
        )


def draw_formulas() -> None:
    """Draw the equations and where the two variants part."""
    with st.popover("How this is computed", icon=":material/function:"):
        st.markdown(
            "Entropy of the next-token distribution, in nats (ETC eq. 3); a word has the largest of its tokens:"
        )
        st.latex(r"H_i = -\sum_v p_i(v)\,\log p_i(v)")
        st.markdown("First and second difference over the content words (eq. 6 and 9):")
        st.latex(r"\Delta H_i = H_{i+1} - H_i \qquad \Delta^2 H_i = H_{i+2} - 2H_{i+1} + H_i")
        st.markdown("Smoothing against outliers, with the running mean $E_t$ (eq. 10 to 12):")
        st.latex(
            r"w_t = \frac{|\Delta^2 H_{t-1} - E_t|}{|\Delta^2 H_t - E_t| + |\Delta^2 H_{t-1} - E_t|}"
            r"\qquad E_t = \frac{1}{t}\sum_{s \le t} \Delta^2 H_s"
        )
        st.latex(
            r"\Delta^2 \hat H_t = w_t\,\Delta^2 H_t + (1 - w_t)\,\Delta^2 H_{t-1} \qquad |\Delta^2 \hat H_t| \ge \alpha"
        )
        st.markdown(
            "- **Paper**: eq. 12 prints $w_{t-1}$ for $1 - w_t$; the text calls it a weighted average, and this "
            "follows the text. It fires on rises and on falls.\n"
            "- **Released code**: weights are $0.9 + 0.1\\,w_t$, the value is multiplied by the word's attention "
            "relative to its sentence, only values above $+\\alpha$ fire, and equal neighbours are skipped. Where "
            "the weight is 0/0 the value is undefined and never fires.\n"
            "- Both place the value at the last word involved and cut the text before it."
        )


def draw_variant(result: EntropyTrendResult) -> None:
    """Draw the button that asks the same again in the other variant."""
    other = OTHER_VARIANT[result.variant]
    beyond = other == "code" and bool(result.words) and all(word.max_attention is None for word in result.words)
    if not st.button(
        f"Run again with {VARIANT_NAMES[other]}",
        key="etc.other_variant",
        icon=":material/swap_horiz:",
        disabled=beyond,
        help="The released code weighs by attention, which this model does not provide." if beyond else None,
    ):
        return
    request = shown_request()
    if request is None:
        st.warning("This run is no longer stored, so it cannot be run again.")
        return
    submit_variant(replace(request, entropy_trend=replace(request.entropy_trend, variant=other)))


draw_page()
