"""Retrieval timing for one run: every policy on one answer, a threshold to move, and each policy's own answer."""

import streamlit as st

from engine.learning.timing_measured import stored_timing
from engine.methods.timing.base import PolicyRun, PolicyTrace
from engine.methods.timing.method import TimingResult, trace_of
from engine.methods.timing.policies import POLICIES
from pages.shared import session
from pages.shared.details import Section, draw_details, draw_open_tab
from pages.shared.downloads import draw_picture_buttons
from pages.shared.figures import draw_figure
from pages.shared.linked import (
    follow_in_fragment,
    linked_figure,
    linked_grid,
    linked_rows,
    token_rows,
    tokens_with_choice,
)
from pages.shared.method_page import draw_opening, open_method
from pages.shared.resources import shown_errors
from pages.shared.rows import draw_rows
from pages.shared.selection import Chosen, Selection, chosen_in
from pages.shared.sent_values import one_of, some_of
from pages.shared.settings import draw_settings, draw_threshold_slider, settings_of
from pages.shared.texts import draw_formulas
from pages.shared.theme import as_text, current_theme
from pages.shared.variants import draw_other_variant, run_with
from viz.methods import belief_steps, run_claims, timing
from viz.methods.evidence import meeting_html
from viz.methods.lanes_grid import lanes_html, lanes_svg
from viz.methods.staircase import staircase
from viz.methods.swim_lanes import run_lanes
from viz.methods.timing_measured import etc_against_dragin
from viz.methods.timing_text import run_text_html
from viz.methods.views import HEADINGS
from viz.parts.row_table import Column
from viz.parts.tables import table_html
from viz.parts.token_strip import token_strip_html
from viz.runs import prompts

VARIANT_NAMES = {"paper": "the papers", "code": "the released code"}
ANSWER = "timing.generation"
TRACE_COLUMNS = {
    "delay after ETC (tokens)": Column(title="after ETC", help="Delay in tokens"),
}


def draw_page() -> None:
    """Draw the page from top to bottom."""
    diagnosis, result = open_method("timing", TimingResult)
    chosen = chosen_in(diagnosis)
    draw_trace(result, chosen)
    draw_opening(diagnosis, result, origin=timing.origin_sentence(result), variant=VARIANT_NAMES[result.variant])
    if result.no_retrieval:
        st.info(f"**No retrieval possible.** {as_text(result.no_retrieval)}", icon=":material/search_off:")
    with st.container(horizontal=True):
        with draw_formulas("timing", variant=result.variant):
            draw_rows(timing.policies_table(), alt="Every policy")
        draw_other_variant("timing", result.variant, VARIANT_NAMES, "timing.other_variant")
    picks = [timing.run_place(result, place) for place in range(len(result.runs))]
    row = chosen_run(result, picks, chosen)
    draw_details(
        "timing",
        (
            Section(label="Own answers", draw=lambda: draw_runs(result, picks, row, chosen), chosen=row),
            Section(label="Run again", draw=lambda: draw_form(result), for_class=False, is_form=True),
        ),
    )


@st.fragment
def draw_trace(result: TimingResult, chosen: Chosen) -> None:
    """Draw every policy on the answer from memory, with one threshold to move. Only this part is redrawn."""
    follow_in_fragment()
    theme, shown = current_theme(), st.container()  # the figure stands above the threshold it is drawn with
    lane, threshold = draw_threshold(result)
    token, fired = chosen.token_of(result.generation), chosen.trigger[0] if chosen.trigger else ""
    if token is None and chosen.trigger is not None:
        token = timing.trigger_token(result, fired, chosen.trigger[1])
    name = run_key("trace")
    # Room for as many lanes as will come: a sentence alone needs none.
    with shown, st.container(key=f"lanes-{0 if result.not_measured else len(result.lanes)}"):
        linked_grid(
            lanes_html(result, name, lane.policy if lane else "", threshold, (token, fired), HEADINGS["timing-trace"]),
            lambda numbers: mark_pick(result, numbers),
            name=name,
        )
        svg = lanes_svg(result, theme, lane.policy if lane else "", threshold)
        draw_picture_buttons(svg, f"timing-{session.current_run()}")
    draw_open_tab(
        run_key("tab"),
        (
            Section(label="Every policy", draw=lambda: draw_policies(result, chosen, fired)),
            Section(label="One policy's values", draw=lambda: draw_values(result, lane, threshold, token)),
            Section(label="Tokens of the answer", draw=lambda: draw_answer_tokens(result, chosen, token)),
        ),
    )


def draw_policies(result: TimingResult, chosen: Chosen, fired: str) -> None:
    """Draw what every policy does on the answer as a table; ``fired`` is the policy of the chosen trigger."""
    fires = [one.policy for one in result.lanes]
    linked_rows(
        timing.traces_table(result),
        [mark_pick(result, (place, *one.triggers[:1])) for place, one in enumerate(result.lanes)],
        fires.index(fired) if fired in fires and chosen.trigger_of(fired) == 0 else None,
        key=run_key("lanes_table"),
        columns=TRACE_COLUMNS,
        alt="Policies",
    )


def draw_values(result: TimingResult, lane: PolicyTrace | None, threshold: float | None, token: int | None) -> None:
    """Draw the values of the policy whose threshold is moved."""
    if lane is None:
        st.caption("No values stored.")
        return
    st.caption(as_text(f"{timing.policy_title(lane.policy)}: {timing.threshold_words(lane.bar)}."))
    draw_signals(result, lane, threshold, token)


def draw_answer_tokens(result: TimingResult, chosen: Chosen, token: int | None) -> None:
    """Draw the answer from memory token by token."""
    st.html(token_strip_html(result.generation.tokens, current_theme(), "From memory, tinted by entropy", chosen=token))
    token_rows(result.generation, ANSWER, chosen, key=run_key("tokens"), alt="Tokens")


def draw_signals(result: TimingResult, lane: PolicyTrace, threshold: float | None, token: int | None) -> None:
    """Draw every value of one policy as a table whose rows choose the token, and the trigger where one fires there."""
    number = result.lanes.index(lane)
    linked_rows(
        timing.signals_table(lane, threshold),
        [mark_pick(result, (number, place)) for place in range(len(lane.signals))],
        next((place for place, signal in enumerate(lane.signals) if signal.token == token), None),
        key=run_key(f"signals.{lane.policy}"),
        columns={"value": Column(form=".2f")},
        missing="not measured",
        height=400,
        alt="Values",
    )


def mark_pick(result: TimingResult, numbers: tuple[int, ...]) -> Selection | None:
    """Return what a mark of a lane chooses: its token, and the trigger where the run's own threshold fires there."""
    number, place = numbers[:2] if len(numbers) > 1 else (-1, -1)
    if number not in range(len(result.lanes)) or place not in range(len(result.lanes[number].signals)):
        return None
    lane = result.lanes[number]
    trigger = f"{lane.policy}.{lane.triggers.index(place) + 1}" if place in lane.triggers else ""
    token = lane.signals[place].token
    held = token < len(result.generation.tokens)
    return Selection(answer=ANSWER, token=token if held else None, trigger=trigger)


def draw_threshold(result: TimingResult) -> tuple[PolicyTrace | None, float | None]:
    """Draw the policy whose threshold is moved and the slider; return its lane and the threshold, None without one."""
    words = timing.movable(result)
    if not words:
        return None, None
    left, right = st.columns([1, 2])
    chosen = left.selectbox("Threshold of", words, format_func=timing.policy_title, key=run_key("policy"))
    policy = one_of(chosen, words, words[0])
    lane = trace_of(result, policy)
    if lane is None or lane.bar.threshold is None:
        return lane, None
    label, key = timing.threshold_label(lane, result.config), run_key(f"threshold.{policy}")
    with right:
        threshold = draw_threshold_slider(label, timing.threshold_range(lane), lane.bar.threshold, key)
    said = timing.replay_sentence(lane, threshold)
    if threshold != lane.bar.threshold:
        said = f"{said} {timing.run_replay_sentence(result, lane, threshold)}"
    st.markdown(as_text(said.strip()))
    return lane, threshold


def draw_runs(result: TimingResult, picks: list[str], row: int | None, chosen: Chosen) -> None:
    """Draw each policy's own answer as lanes and as a table; the chosen one in detail."""
    draw_measured()
    if not result.runs:
        st.caption("No policy wrote one.")
        return
    with st.container(key="wide-runs"):
        linked_figure(
            run_lanes(result, current_theme(), row),
            lambda numbers: Selection(answer=picks[numbers[0]]) if picks[numbers[0]] else None,
            key=run_key("runs"),
            name="timing-runs",
            alt=timing.runs_sentence(result),
            told=True,
        )
    st.caption(as_text(f"{timing.runs_sentence(result)} {timing.runs_legend(result)}"))
    linked_rows(
        timing.runs_table(result),
        [Selection(answer=place) if place else None for place in picks],
        row,
        key=run_key("run"),
        alt="Own answers",
    )
    draw_run(result, result.runs[row or 0], chosen)


def draw_measured() -> None:
    """Say what was measured of ETC against DRAGIN over many questions, where it was."""
    with shown_errors():
        found = stored_timing()
        if found is not None:
            st.caption(as_text(f"One run ranks no policy. {etc_against_dragin(found)}"))


def chosen_run(result: TimingResult, places: list[str], chosen: Chosen) -> int | None:
    """Return the run whose answer is chosen by name, else the first that wrote the chosen text; None without one."""
    if chosen.selection.answer in places:
        return places.index(chosen.selection.answer)
    wrote = (any(chosen.is_answer(one.generation) for one in run.written) for run in result.runs)
    return next((place for place, held in enumerate(wrote) if held), None)


def draw_run(result: TimingResult, run: PolicyRun, chosen: Chosen) -> None:
    """Draw one run: its text with its lookups, what they found, the staircase, and every continuation."""
    with st.container(border=True):
        st.markdown(f"**{as_text(timing.policy_title(run.policy))}**")
        st.html(run_text_html(result, run, current_theme()))
        st.caption(as_text(" ".join([timing.run_sentence(result, run), *timing.run_notes(run)])))
        if run.written:
            st.html(table_html(timing.kept_table(run), "Continuations"))
        if run.retrievals:
            st.html(table_html(timing.lookups_table(run), "Lookups", digits=3))
        draw_claims(run)
        draw_staircase(run)
        if not run.written:
            return
        with st.expander("Prompts and outputs", icon=":material/terminal:"):
            for number, written in enumerate(run.written):
                st.markdown(as_text(timing.written_name(run, number)))
                st.html(prompts.prompt_html(written.generation, current_theme()))
                last = number == len(run.written) - 1
                tokens_with_choice(written.generation, "Output", chosen, legend=last)


def draw_claims(run: PolicyRun) -> None:
    """Draw what the corpus holds for each claim of a run's answer, with the places where its ends meet."""
    st.caption(as_text(run_claims.claims_sentence(run)))
    claims = run_claims.claims_of(run)
    if not claims:
        return
    with st.expander("Evidence for each claim", icon=":material/join_inner:"):
        for _, claim in claims:
            st.markdown(as_text(run_claims.claim_words(claim)))
            for meeting in claim.meetings:
                st.html(meeting_html(meeting, current_theme()))
        draw_rows(run_claims.claims_table(run), alt="Claims")


def draw_staircase(run: PolicyRun) -> None:
    """Draw SePer at each lookup, or why it was not measured; nothing where the run did not ask for it."""
    if not run.stairs:
        if run.stair_note:
            st.caption(as_text(run.stair_note))
        return
    figure, alt = staircase(run, current_theme()), belief_steps.belief_steps_sentence(run)
    draw_figure(figure, key=run_key(f"stairs.{run.policy}"), name="timing-stairs", alt=alt)
    st.caption(as_text(alt))
    numbers = dict.fromkeys(("SePer", "low", "high", "gain", "gain low", "gain high"), Column(form=".2f"))
    draw_rows(belief_steps.belief_steps_table(run), columns=numbers, alt=alt)


def draw_form(result: TimingResult) -> None:
    """Draw which policies write their own answer in another run, and ask for it.

    What the model cannot serve, by the trace's own word, is not offered and named with its reason.
    """
    reasons = timing.not_served(result)
    with st.form("timing.again", border=False):
        wanted = st.multiselect(
            "Policies",
            [word for word in POLICIES if word not in reasons],
            default=[word for word in result.config.policies if word in POLICIES and word not in reasons],
            format_func=timing.policy_title,
            key=run_key("policies"),
        )
        for sentence in timing.not_served_sentences(result):
            st.caption(as_text(sentence))
        config = result.config
        boxes = settings_of("timing")["Retrievals"]
        for column, box in zip(st.columns(len(boxes)), boxes, strict=True):
            with column:
                config = draw_settings(config, [box], run_key)
        asked = st.form_submit_button("Run it", key="timing.run", icon=":material/play_arrow:")
    if asked:
        policies, most = some_of(wanted, tuple(POLICIES)), config.most_retrievals
        stairs, retriever = config.staircase, config.retriever
        run_with("timing", policies=policies, most_retrievals=most, staircase=stairs, retriever=retriever)


def run_key(name: str) -> str:
    """Return the key of a widget that belongs to the run that is shown."""
    return f"timing.{name}.{session.current_run()}"


draw_page()
