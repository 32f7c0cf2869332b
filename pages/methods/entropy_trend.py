"""ETC for one run: where the trend of uncertainty turns, with the threshold α to try out on the stored values."""

from collections.abc import Iterable

import streamlit as st

from engine.methods.entropy_trend import EntropyTrendResult
from pages.shared import session
from pages.shared.details import Section, draw_details
from pages.shared.linked import follow_in_fragment, linked_figure, linked_rows
from pages.shared.method_page import draw_opening, open_method
from pages.shared.selection import Chosen, Selection, chosen_in
from pages.shared.settings import draw_threshold_slider
from pages.shared.texts import draw_formulas
from pages.shared.theme import as_text, current_theme
from pages.shared.variants import draw_other_variant
from viz.methods import entropy_trend
from viz.methods.answer_strip import answer_strip_html
from viz.methods.entropy_trend import word_at
from viz.methods.trend_figure import trend_figure
from viz.parts.row_table import Column
from viz.parts.token_strip import token_strip_html, tokens_table

VARIANT_NAMES = {"paper": "the paper", "code": "the released code"}
ANSWER = "entropy_trend.generation"
NO_ATTENTION = "The released code needs attention; this model gives none."
# What ETC says of a word first: a narrow page cuts the table off on the right.
WORD_ORDER = (
    "word number|word|trigger|H (nats)|ΔH (nats)|Δ²H (nats)|smoothed (nats)|compared with α (nats)|H at most (nats)|"
    "compared, at least (nats)|compared, at most (nats)|query|part of speech|content word"
).split("|")


def draw_page() -> None:
    """Draw the page from top to bottom."""
    diagnosis, result = open_method("entropy_trend", EntropyTrendResult)
    draw_threshold(result, chosen_in(diagnosis))
    facts = {"conclusion": entropy_trend.conclusion(result), "variant": VARIANT_NAMES[result.variant]}
    draw_opening(diagnosis, result, chooses=bool(result.words), **facts)
    with st.container(horizontal=True):
        draw_formulas("entropy_trend")
        unweighted = bool(result.words) and all(word.max_attention is None for word in result.words)
        obstacle = NO_ATTENTION if result.variant == "paper" and unweighted else None
        draw_other_variant("entropy_trend", result.variant, VARIANT_NAMES, "etc.other_variant", obstacle=obstacle)


@st.fragment
def draw_threshold(result: EntropyTrendResult, chosen: Chosen) -> None:
    """Draw what α decides: figure, slider, what changes against the run, strip, table. Only this part is redrawn."""
    follow_in_fragment()
    theme, word = current_theme(), chosen_word(result, chosen)
    shown = st.container()  # the figure stands first, the threshold that it is drawn with below it
    alpha = draw_alpha(result) if result.points else result.alpha
    with shown:
        linked_figure(
            trend_figure(result, theme, alpha, word),
            lambda numbers: word_pick(result, numbers[0]),
            key=f"etc.figure.{session.current_run()}",
            name="etc-trend",
            alt=entropy_trend.sentence(result, alpha),
            told=True,
        )
    if alpha != result.alpha:
        st.caption(as_text(entropy_trend.sentence(result, alpha)))
    draw_details(
        "entropy_trend",
        (
            Section(
                label="Answer from memory, tinted by entropy",
                draw=lambda: st.html(answer_strip_html(result, theme, alpha, word)),
            ),
            Section(label="Every word", draw=lambda: draw_words(result, alpha, chosen, word), chosen=word),
        ),
    )


def draw_alpha(result: EntropyTrendResult) -> float:
    """Draw the threshold to move, with what it changes against the run; return it, in nats."""
    label, span = entropy_trend.alpha_label(result), entropy_trend.alpha_range(result)
    alpha = draw_threshold_slider(label, span, result.alpha, f"etc.alpha.{session.current_run()}")
    st.markdown(as_text(entropy_trend.replay_sentence(result, alpha)))
    return alpha


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
    table = entropy_trend.words_table(result, alpha)
    linked_rows(
        table,
        [word_pick(result, index) for index in range(len(result.words))],
        word,
        key=f"etc.words.{session.current_run()}",
        height=320,
        columns=word_columns(table.columns),
        order=[name for name in WORD_ORDER if name in table],
        alt="Words",
    )
    if word is not None:
        draw_word(result, word, chosen)


def word_columns(names: Iterable[str]) -> dict[str, Column]:
    """Return how the columns of the table of words are drawn: two decimals for nats."""
    return {**{name: Column(form=".2f") for name in names if "nats" in name}, "word number": Column(title="#")}


def draw_word(result: EntropyTrendResult, index: int, chosen: Chosen) -> None:
    """Draw one word in detail."""
    word = result.words[index]
    tokens = result.generation.tokens[word.first_token : word.last_token + 1]
    with st.container(border=True):
        st.markdown(as_text(entropy_trend.word_sentence(result, index)))
        for line in entropy_trend.workings(result, index):
            st.markdown(as_text(line))
        token = chosen.token_of(result.generation)
        row = token - word.first_token if token is not None else None
        head = "Tokens of this word"
        st.html(token_strip_html(tokens, current_theme(), head, chosen=row))
        linked_rows(
            tokens_table(tokens),
            [Selection(answer=ANSWER, token=place) for place in range(word.first_token, word.last_token + 1)],
            row,
            key=f"etc.tokens.{session.current_run()}.{index}",
            alt="The word's tokens",
        )


draw_page()
