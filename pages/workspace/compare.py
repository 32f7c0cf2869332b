"""Compare: two runs beside each other, first what was asked otherwise, then what came out otherwise."""

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from engine.runs.compare import (
    NumberPair,
    Side,
    align_chunks,
    align_tokens,
    generations_of,
    number_pairs,
    setup_differences,
)
from engine.runs.store import RunSummary
from pages.shared import links, session
from pages.shared.details import Section, draw_open_tab
from pages.shared.figures import draw_figure
from pages.shared.linked import draw_chosen, follow_in_fragment, linked_figure, linked_rows
from pages.shared.method_page import end_with_nothing
from pages.shared.pairs import EXAMPLE, natural_pair, side_of
from pages.shared.resources import sentences, store, stored_run
from pages.shared.rows import LIST_HEIGHT, draw_rows
from pages.shared.run_names import missing_labels, picker_labels
from pages.shared.selection import Chosen, Selection
from pages.shared.sent_values import one_of
from pages.shared.texts import draw_head, page_text
from pages.shared.theme import as_text, current_theme
from viz.methods.verdicts import verdict_html
from viz.parts.chosen import framed_html
from viz.parts.row_table import Column
from viz.parts.tables import table_html
from viz.parts.word_diff import peers_html
from viz.parts.words import model_name
from viz.runs import compare

MOST_SHOWN = 200
Own = Literal["first", "second"]
PLACES = {
    "the answer over the passages": "run.answer",
    "the answer from memory": "run.closed_book",
    "the step-by-step answer": "entropy_trend.generation",
}
NUMBERS = dict.fromkeys("AB", Column(form=".3f"))
PASSAGE_COLUMNS = {
    "place in A": Column(title="A", help="Place in A"),
    "place in B": Column(title="B", help="Place in B"),
    "words in common": Column(title="in common", form=".2f", help="Share of words in common"),
}


def main() -> None:
    """Draw the page from top to bottom."""
    draw_head("compare", "Compare")
    with sentences():
        runs = tuple(run for run in store().listing(limit=MOST_SHOWN) if run.answer)
        chosen = draw_choice(runs)
    if not chosen:
        draw_recorded_pair()
        end_with_nothing("You need two finished runs.")
    if not all(chosen):
        st.info("Choose run B.")
        draw_recorded_pair()
        st.stop()
    with sentences():
        first, second = (side_of(run_id) for run_id in chosen)
    if first is None or second is None:
        draw_absent(chosen, (first, second))
        st.stop()
    draw_comparison(first, second)


def draw_absent(chosen: tuple[str, str], sides: tuple[Side | None, Side | None]) -> None:
    """Say of each run that cannot be compared why, with the way to what is there of it."""
    for name, run_id, side in zip("AB", chosen, sides, strict=True):
        if side is None:
            run = stored_run(run_id)
            st.info(as_text(compare.absent_sentence(name, run)))
            if run is not None:
                links.page_link("ask", f"Open {name}", run_id=run_id, icon=":material/open_in_full:")


def draw_recorded_pair() -> None:
    """Draw the way to two recorded runs that go together, where both are there."""
    sides = [run for run_id in EXAMPLE if (run := stored_run(run_id)) is not None and run.diagnosis is not None]
    if len(sides) < len(EXAMPLE):
        return
    st.markdown("An example: the same thing asked twice, over other passages.")
    draw_rows(compare.offered_rows([one for run in sides if (one := run.diagnosis) is not None]), alt="Recorded runs")
    if st.button("Compare these two", type="primary", icon=":material/compare_arrows:", key="compare.recorded"):
        session.compare_runs(*EXAMPLE)
        st.rerun()


def draw_choice(runs: tuple[RunSummary, ...]) -> tuple[str, str] | None:
    """Draw both pickers and the swap; return the two runs' ids, None where there are not two; "" is not chosen yet.

    Runs the address names are offered even where they are too old for the list.
    """
    shown = session.current_run() or session.last_run() or ""
    pair = natural_pair(runs, session.compared_runs(), shown if shown and stored_run(shown) is not None else "")
    if pair is None:
        return None
    ids = {run.id for run in runs}
    older = [run for run_id in pair if run_id and run_id not in ids and (run := stored_run(run_id)) is not None]
    labels = picker_labels((*runs, *older))
    labels |= missing_labels([run_id for run_id in dict.fromkeys(pair) if run_id and run_id not in labels])
    with st.container(key="narrow-pair"):
        left, middle, right = st.columns([5, 1.6, 5], vertical_alignment="bottom")
    with left:
        first = draw_run_picker("A", pair[0], labels, pair)
    with right:
        second = draw_run_picker("B", pair[1], labels, pair)
    icon, off = ":material/swap_horiz:", not second
    swapped = middle.button("Swap", key="compare.swap", icon=icon, width="stretch", help="Swap A and B", disabled=off)
    if swapped:
        first, second = second, first
    if second and (first, second) != pair:
        # A pair that goes together by itself stays out of the address: written there, going back would return to it.
        session.compare_runs(first, second)
    if swapped:
        st.rerun()
    return first, second


def draw_run_picker(name: str, chosen: str, labels: dict[str, str], pair: tuple[str, str]) -> str:
    """Draw one picker that stands at the chosen run, or open where none is chosen yet; return the run picked."""
    options = list(labels)
    picked = st.selectbox(
        f"Run {name}",
        options,
        index=options.index(chosen) if chosen else None,
        placeholder="Choose a run",
        format_func=lambda run_id: labels.get(run_id, run_id),
        key=f"compare.{name}.{pair[0]}.{pair[1]}",
    )
    return one_of(picked, options, chosen)


def draw_comparison(first: Side, second: Side) -> None:
    """Draw everything about two runs, from the word on them to their tokens."""
    if first.run == second.run:
        st.info("The same run twice. Choose another.")
    # What is chosen is chosen in one run: in the one that is shown where it is B, else in A.
    own: Own = "second" if session.current_run() == second.run else "first"
    session.show_run((second if own == "second" else first).run)
    theme = current_theme()
    with st.container(key="compare-verdict"):  # its height is kept from the start
        st.html(verdict_html(compare.verdict(first, second), theme))
    with st.container(horizontal=True):
        for name, side in (("A", first), ("B", second)):
            model = model_name(side.diagnosis.provenance.model)
            links.page_link("ask", f"Open {name}, by {model}", run_id=side.run, icon=":material/open_in_full:")
    chosen = draw_chosen((second if own == "second" else first).diagnosis)
    draw_setup(first, second)
    draw_verdicts(first, second)
    draw_numbers(first, second)
    draw_texts(first, second, own, chosen)
    draw_chunks(first, second, own, chosen)


def draw_setup(first: Side, second: Side) -> None:
    """Draw what was asked or installed otherwise."""
    st.header("Settings that differ")
    found = setup_differences(first, second)
    if found:
        draw_rows(compare.setup_table(found), alt="Settings that differ")
    else:
        st.markdown("None.")


def draw_verdicts(first: Side, second: Side) -> None:
    """Draw every method's word in both runs."""
    st.header("What each method says")
    st.html(table_html(compare.verdicts_table(first, second), "Both runs' verdicts"))


def draw_numbers(first: Side, second: Side) -> None:
    """Draw the numbers both runs have, with their intervals and what these allow to say."""
    st.header("Numbers")
    pairs = number_pairs(first, second)
    said = compare.numbers_sentence(pairs)
    st.markdown(as_text(said))
    if not pairs:
        return
    draw_open_tab(
        f"compare.numbers.tab.{first.run}.{second.run}",
        (
            Section(label="Values and intervals", draw=lambda: draw_values(first, second, pairs, said)),
            Section(label="Table", draw=lambda: draw_value_rows(pairs, said)),
        ),
    )


def draw_values(first: Side, second: Side, pairs: Sequence[NumberPair], said: str) -> None:
    """Draw the numbers both runs have as a figure; ``said`` is its finding."""
    if compare.has_figure(pairs):
        figure, key = compare.numbers_figure(pairs, current_theme()), f"compare.numbers.{first.run}.{second.run}"
        draw_figure(figure, key=key, name="compare-numbers", alt=said, panels=True)
    else:
        st.info(compare.NO_NUMBERS)
    st.caption(page_text("notes/compared_intervals"))


def draw_value_rows(pairs: Sequence[NumberPair], said: str) -> None:
    """Draw the numbers both runs have as a table."""
    rows = compare.numbers_table(pairs)
    draw_rows(rows, key="compare.numbers.rows", columns=NUMBERS, alt=said)


@st.fragment
def draw_texts(first: Side, second: Side, own: Own, chosen: Chosen) -> None:
    """Draw one text of both runs aligned token by token; which one is the reader's choice.

    ``own`` is the side in which something is chosen.
    """
    follow_in_fragment()
    st.header("Answers, token by token")
    a, b = generations_of(first.diagnosis), generations_of(second.diagnosis)
    shared = [name for name in a if name in b]
    sides = b if own == "second" else a
    at_first = next((name for name in shared if chosen.is_answer(sides[name])), shared[0])
    key = f"compare.text.{first.run}.{second.run}.{at_first}"
    name = one_of(st.segmented_control("Text", shared, default=at_first, key=key, required=True), shared, at_first)
    pairs = align_tokens(a[name].tokens, b[name].tokens)
    said = compare.tokens_sentence(name, pairs)
    st.markdown(as_text(said))
    places = compare.token_places(pairs, own)
    token = chosen.token_of(sides[name])
    row = places.index(token) if token is not None and token in places else None
    st.html(compare.strip_html(name, pairs, current_theme(), row))
    picks = [None if place is None else Selection(answer=PLACES[name], token=place) for place in places]

    def draw_changes() -> None:
        linked_figure(
            compare.token_figure(name, pairs, current_theme(), row),
            lambda numbers: picks[numbers[0]] if 0 <= numbers[0] < len(picks) else None,
            key=f"compare.tokens.{first.run}.{second.run}.{name}",
            name="compare-tokens",
            alt=said,
        )

    def draw_token_rows() -> None:
        table_key = f"compare.tokens_table.{first.run}.{second.run}.{name}"
        rows = compare.tokens_table(pairs)
        linked_rows(rows, picks, row, key=table_key, columns=compare.TOKEN_COLUMNS, alt=said, height=LIST_HEIGHT)

    draw_open_tab(
        f"compare.tokens.tab.{first.run}.{second.run}",
        (Section(label="Change at each token", draw=draw_changes), Section(label="Table", draw=draw_token_rows)),
    )


def draw_chunks(first: Side, second: Side, own: Own, chosen: Chosen) -> None:
    """Draw the passages in pairs; those that changed in words side by side with the words marked."""
    st.header("Passages")
    pairs = align_chunks(first.diagnosis.hits, second.diagnosis.hits)
    said = compare.chunks_sentence(pairs)
    st.markdown(as_text(said))
    theme = current_theme()
    for pair in pairs:
        if pair.how == "changed" and pair.first is not None and pair.second is not None:
            before, after = first.diagnosis.hits[pair.first], second.diagnosis.hits[pair.second]
            heads = (f"Passage {before.rank} of A", f"Passage {after.rank} of B")
            changed = peers_html(before.passage.text, after.passage.text, heads, theme)
            marked = chosen.chunk is not None and getattr(pair, own) == chosen.chunk
            st.html(framed_html(changed, "passage", theme) if marked else changed)
    if pairs:
        places = [getattr(pair, own) for pair in pairs]
        linked_rows(
            compare.chunks_table(first, second),
            [None if place is None else Selection(chunk=place) for place in places],
            places.index(chosen.chunk) if chosen.chunk is not None and chosen.chunk in places else None,
            key=f"compare.chunks.{first.run}.{second.run}",
            columns=PASSAGE_COLUMNS,
            alt=said,
        )


main()
