"""Guide: what each method asks, how to read its word and its figures, what it cannot say, where things live."""

import streamlit as st

from engine.backends.entailment.measured import judge_quality
from engine.core.errors import RecordError, StorageError
from engine.core.folders import ENVIRONMENT_VARIABLE, data_folder
from engine.learning.growth import question_results_file, stored_growth
from engine.learning.known_truth import stored_scoreboard
from engine.thresholds.fitted import SHIPPED, read_fit
from pages.shared import links
from pages.shared.figures import figure_config, on_ground
from pages.shared.guide_texts import METHODS
from pages.shared.theme import as_text, current_theme, page_style
from viz.calibration import policies_figure, policies_sentence, policies_table, thresholds_table
from viz.growth import (
    DISK_AND_MEMORY,
    OVER_PASSAGES,
    OVER_SAMPLES,
    SEARCH,
    growth_figure,
    growth_table,
    notes_sentence,
    sentence,
    within_target,
)
from viz.judge_quality import (
    agreement_bars,
    agreement_sentence,
    agreement_table,
    reliability_diagram,
    reliability_sentence,
    reliability_table,
)
from viz.known_truth import rules_table, scoreboard_figure, scoreboard_sentence, scoreboard_table

CALIBRATION = """
The papers set their thresholds for larger models. These were fitted to the embedded one on the sample questions: DENSE
and SUGAR so that uncertain tells wrong answers from right ones, the policies so that each looks up about as often as
the others. Choose *fitted* on the Ask page, or set them in the Threshold lab. Fitted on one small corpus, they are a
start for this model and no finding about the papers.

Fewer answers are right here than the six of ten named under *How far to trust it*: these are other questions, over
what the search finds in the sample encyclopaedia, and the answers are written out step by step.
"""
SECTIONS = {
    "signs": "Signs and words",
    "lessons": "Lessons, and showing a class",
    "behind": "Looking behind a number",
    "what-if": "What if",
    "methods": "What each method asks",
    "trust": "How far to trust it",
    "judge": "The judge of two answers",
    "planted": "What is seen of planted defects",
    "failures": "How it goes wrong",
    "labels": "Labels by people",
    "thresholds": "Thresholds fitted to the embedded model",
    "corpus-cost": "How cost grows with the corpus",
    "question-cost": "How cost grows with passages and samples",
    "places": "Where data and models live",
    "papers": "Papers",
}
MODELS = """
The embedded language model has 135 million parameters and was trained for short answers over passages. It is real and
it is small: over five passages of hard test questions about six of ten answers are right (the README says where that
is measured), and to see why the others are not is what this program is for. The papers' thresholds were set for models
of 1.5 to 70 billion parameters; beside every threshold stands whether it is the *paper's* or *fitted*. Any causal
language model and any entailment classifier that is already on this machine can be named instead, under *Model, judge
and seed* on the Ask page. One question is one case: no verdict here says how good a model is in general.
"""

JUDGE = """
Whether two answers say the same decides almost everything here: DENSE's graph, the meanings of SePer. The judge that
comes with the program is a cross-encoder: it reads the question with both answers and gives three probabilities.
Detail that was not asked for leaves *entailment* intact, a wrong answer is a *contradiction*, an answer that there is
no answer is *neutral*. It was trained on people's judgements of answers to Natural Questions, and on pairs made from
them; the answers below are to questions it never saw. It knows little of the world and takes neighbours for equals, so
two short answers without a word in common never count as the same: *Ankara* is kept from *Istanbul*, and *Mark Twain*
from *Samuel Clemens* too. Where it is wrong, look at the answers themselves.
"""

KNOWN_TRUTH = """
Some sample questions bring passages in which something was spoiled on purpose: the answer was taken out, a passage of
the same shape was put first, two passages contradict each other, one comes twice, one says the opposite of what the
world knows, the answer is split over two, or its two ends never meet in the corpus. What is true of them is known, so
one can see which method notices what. Beside them stand questions in which nothing was planted: an alarm that always
rings is no merit. The defects are about an invented island, so that the model cannot know the answers by heart, except
where memory is what is tested.
"""

FAILURES = """
The failure atlas holds one recorded run for each kind of failure: the answer that is nowhere, the passage that was
missed, the distractor, the contradiction, memory that was right, the lookup that came too late, evidence for what is
false, the judge that errs. A run stands there because a rule over its record says so, which the page states. Beside it
stands which method noticed and which had an eye for it and stayed calm. One run a kind ranks no method; it shows what
to look for.
"""

ANNOTATING = """
People say of each lookup whether it was *timely* or *delayed* (a wrong word stood before it; the first one is marked),
whether the answer is right without it, and whether it gained anything; of a whole answer whether a lookup is *missing*;
of passages, pairs of answers and answers what the methods say of them too. A project is made from stored runs. In a
*blind* one neither the policy nor what the run suggests is shown, and a suggestion is never kept as a label.

Everything has a key, which *?* shows and lets you change. The next item is there at once: the browser was sent it
ahead. What you press is kept in the browser until the store has it, also over a reload or a server that is killed; a
key pressed before its item was on the screen is refused, aloud. The same label changed in two tabs is shown twice, and
you choose. Where people differ, somebody *adjudicates* with both reasons in view. *Agreement* is counted while people
label; *Results* are Table 6 of the ETC paper and the methods' own labels against people's, each with interval and n.
"""

LEARNING = """
Nine lessons, ten minutes each, on recorded runs: no model, no network. You predict first; then the sums are done on the
run's own numbers. Your place and your answers are kept, can be saved as CSV, reset, and brought back. Every step has a
link. Teacher's notes are hidden until asked for.

*Present*, in the sidebar, or `?present=1` in any address, draws every page for the last row: larger letters and lines,
no sidebar. Page Up and Page Down, which a presenter's remote sends, turn steps and pages; Escape leaves.
"""

SIGNS = {
    "✔ green": "good news for this question",
    "◐ amber": "in between: needed, one-way, no clear change, worth looking up",
    "✖ red": "bad news, or a failure",
    "? grey": "cannot tell, or not measured: never the same as 0",
    "⇄, = and ≠": "on the Ask page: findings that pull apart, that agree, and that agree and are wrong; the most "
    "telling first",
    "Gold": "an answer that counts as right, and every place where it stands in a passage",
    "Nats": "the unit of entropy and log-probability: natural logarithms",
    "Recorded example": "a real run stored with the program; it opens without any model",
}

PAPERS = """
- **DENSE**: *DENSE-RAG: Measuring and Improving Context Understanding for Consistent Retrieval-Augmented Generation*,
  anonymous authors, under review.
- **SePer**: Dai, Xu, Ye, Liu, Xiong: *SePer: Measure Retrieval Utility Through the Lens of Semantic Perplexity
  Reduction*, ICLR 2025.
- **ETC**: Li, Tian, Xu, Cheng, Zhang, Ye: *Modeling Uncertainty Trends for Timely Retrieval in Dynamic RAG*. Its
  queries are those of DRAGIN: Su et al., ACL 2024.
- **QuCo-RAG**: Min, Zhang, Wu, Cheng: *QuCo-RAG: Quantifying Uncertainty from the Pre-training Corpus for Dynamic
  Retrieval-Augmented Generation*.
- **SUGAR**: Zubkova, Park, Lee: *SUGAR: Leveraging Contextual Confidence for Smarter Retrieval*. From it: an answer
  counts as right where it contains a gold answer.
- **Uncertainty baselines**: Farquhar, Kossen, Kuhn, Gal: *Detecting Hallucinations in Large Language Models Using
  Semantic Entropy* (2024); Lin, Trivedi, Sun: *Generating with Confidence* (2023); Nikitin, Kossen, Gal, Marttinen:
  *Kernel Language Entropy* (2024).
"""
BEHIND = """
**A number.** The controls with a calculator open it: its equation and paper, this run's values in it, its inputs, the
function behind it, and the number computed again. Green: it follows from what is stored. Red: it does not, so the
record was changed. *Not measured* is never 0; a *reading* came from a model, a corpus or a clock and has no parts.

**A prompt.** Every answer keeps the very text that was put to the model. A seal, a hash of prompt, settings and answer
made when it was written, turns red where any of them was changed since. It is no signature: who edits a record can seal
it anew. Older records have none and say so.

**A threshold.** The threshold lab compares the stored numbers with other thresholds, without a model, and lists what
appears and vanishes. Behind the first trigger that changes, the text would have been written anew: that part is grey
and needs a new run.

**What you select.** A passage, answer, token, meaning, trigger or claim, clicked in a figure or selected in a table
(arrow keys, then Shift+Space), is outlined on every page of the run and kept in the address, so it can be sent on. A
chip above the page drops it.
"""

WHAT_IF = """
On the What if page a run is changed and asked again with the same seeds: leave a passage out, edit it, move it, read it
twice, put another in its place or write one; reword one by hand; change the question, the judge, how many passages are
looked up, or how. *Reranked* takes the first 20 hits of the hybrid search and orders them by a second look, token by
token, over an encoder that was not trained for it. Each variant is a stored run, linked to the one it was made from.

Beside the original each difference has a word. *Beyond noise*: 0 lies outside the middle 95% of the difference over
repeated draws. *Within noise*: inside, or smaller than the judge's own error. *Cannot tell*: the noise was not
measured, or all draws were alike. The draws are SePer's stored samples and DENSE's stored rewordings; for the rest the
original can be drawn again with other seeds. What is written greedily, as ETC's answer, does not move with a seed: its
noise stays unknown, and the page says so. Of many numbers, one in twenty is beyond noise by chance alone.
"""


def main() -> None:
    """Draw the guide from top to bottom."""
    page_style()
    st.title("Guide")
    st.markdown(
        "One question goes in. The model answers it from memory and over the passages that were looked up for it, and "
        "several methods say what happened in between. Each asks something else, so they may disagree: no error, "
        "and worth looking at."
    )
    st.markdown(" · ".join(f"[{title}](#{anchor})" for anchor, title in SECTIONS.items()))
    draw_header("signs")
    st.table(SIGNS)
    draw_header("lessons")
    st.markdown(LEARNING)
    links.page_link("lessons", "Open the lessons", icon=":material/school:")
    draw_behind()
    draw_header("what-if")
    st.markdown(WHAT_IF)
    links.page_link("what_if", "Open the What if page", icon=":material/science:")
    draw_methods()
    draw_header("trust")
    st.markdown(MODELS)
    draw_judge()
    draw_known_truth()
    draw_header("failures")
    st.markdown(FAILURES)
    links.page_link("atlas", "Open the failure atlas", icon=":material/arrow_forward:")
    draw_header("labels")
    st.markdown(ANNOTATING)
    links.page_link("annotate", "Open the Annotate page", icon=":material/arrow_forward:")
    draw_calibration()
    draw_growth()
    draw_question_growth()
    draw_places()
    draw_header("papers")
    st.markdown(PAPERS)


def draw_header(anchor: str) -> None:
    """Draw a section's title under the name that the links at the top lead to."""
    st.header(SECTIONS[anchor], anchor=anchor)


def draw_behind() -> None:
    """Say how a number, a prompt and a threshold can be looked behind, with the way to each."""
    draw_header("behind")
    st.markdown(BEHIND)
    with st.container(horizontal=True):
        links.page_link("numbers", "All numbers of a run", icon=":material/calculate:")
        links.page_link("prompts", "Every prompt of a run", icon=":material/terminal:")
        links.page_link("thresholds", "Threshold lab", icon=":material/tune:")


def draw_methods() -> None:
    """Draw what each method asks and how to read it, one tab a method."""
    draw_header("methods")
    for method, tab in zip(METHODS, st.tabs([links.METHOD_TITLES[method] for method in METHODS]), strict=True):
        with tab:
            st.markdown(METHODS[method])
            links.page_link(method, f"Open the {links.METHOD_TITLES[method]} page", icon=":material/arrow_forward:")


def draw_judge() -> None:
    """Say what the judge does and draw how often it agrees with people."""
    draw_header("judge")
    st.markdown(JUDGE)
    quality = judge_quality()
    if quality is None:
        st.info("How often it agrees with people is not measured here: the benchmark's result is missing.")
        return
    theme = current_theme()
    said = agreement_sentence(quality)
    st.markdown(said)
    st.plotly_chart(
        on_ground(agreement_bars(quality, theme)),
        key="judge-agreement",
        config=figure_config("judge-agreement"),
        theme=None,
        alt=said,
    )
    with st.expander("The same as a table"):
        st.dataframe(agreement_table(quality))
    holds = reliability_sentence(quality)
    st.markdown(holds)
    st.plotly_chart(
        on_ground(reliability_diagram(quality, theme)),
        key="judge-reliability",
        config=figure_config("judge-reliability"),
        theme=None,
        alt=holds,
    )
    with st.expander("The same as a table "):
        st.dataframe(reliability_table(quality), hide_index=True)
    st.caption(f"Measured on {as_text(quality.data)}, by `benchmarks/judge.py`.")


def draw_known_truth() -> None:
    """Draw which method saw which planted defect, and by which rule that was decided."""
    draw_header("planted")
    st.markdown(KNOWN_TRUTH)
    try:
        board = stored_scoreboard()
    except RecordError as exc:
        st.error(as_text(str(exc)), icon=":material/error:")
        return
    if board is None:
        st.info("Not measured here: `python -m benchmarks.known_truth` asks the questions and writes the result.")
        return
    theme = current_theme()
    said = scoreboard_sentence(board)
    st.markdown(said)
    st.plotly_chart(
        on_ground(scoreboard_figure(board, theme)),
        key="known-truth",
        config=figure_config("known-truth"),
        theme=None,
        alt=said,
    )
    with st.expander("The scoreboard as a table"):
        st.dataframe(scoreboard_table(board))
    with st.expander("When a method counts as having seen it, question by question"):
        st.dataframe(rules_table(board), hide_index=True)
    st.caption(f"{as_text(board.origin)}, by `benchmarks/known_truth.py`.")


def draw_calibration() -> None:
    """Draw the thresholds that ship for the embedded model, and the policies at an equal number of lookups."""
    draw_header("thresholds")
    st.markdown(CALIBRATION)
    try:
        fit = read_fit(SHIPPED / "embedded.json")
    except RecordError as exc:
        st.info(f"Not measured here: {as_text(str(exc))} `microscope calibrate sample` fits them.")
        return
    said = policies_sentence(fit)
    figure = on_ground(policies_figure(fit, current_theme()))
    st.plotly_chart(figure, key="calibration", config=figure_config("calibration"), theme=None, alt=said)
    st.caption(as_text(said))
    with st.expander("The policies as a table"):
        st.dataframe(policies_table(fit), hide_index=True)
    with st.expander("The fitted thresholds"):
        st.dataframe(thresholds_table(fit), hide_index=True)
    st.caption(f"{as_text(fit.words.capitalize())}, by `microscope calibrate`.")


def draw_growth() -> None:
    """Draw how cost grows with the corpus, and how that was measured."""
    draw_header("corpus-cost")
    try:
        growth = stored_growth()
    except RecordError as exc:
        st.error(as_text(str(exc)), icon=":material/error:")
        return
    if growth is None:
        st.info("Not measured here: `python -m benchmarks.growth_corpus` measures it and writes the result.")
        return
    theme = current_theme()
    st.markdown(as_text(within_target(growth)))
    for place, names in enumerate((SEARCH, DISK_AND_MEMORY)):
        said = sentence(growth, names)
        figure, name = on_ground(growth_figure(growth, names, theme)), f"growth-{place}"
        st.plotly_chart(figure, key=name, config=figure_config(name), theme=None, alt=said)
        st.caption(as_text(said))
    with st.expander("Every cost as a table"):
        st.dataframe(growth_table(growth), hide_index=True, alt="Every cost at every size, with its exponent")
    st.caption(f"{as_text(notes_sentence(growth))} By `benchmarks/growth_corpus.py`.")


def draw_question_growth() -> None:
    """Draw how the cost of one diagnosis grows with what it reads and draws."""
    draw_header("question-cost")
    try:
        growth = stored_growth(question_results_file())
    except RecordError as exc:
        st.error(as_text(str(exc)), icon=":material/error:")
        return
    if growth is None:
        st.info("Not measured here: `python -m benchmarks.growth_question` measures it and writes the result.")
        return
    theme = current_theme()
    for of, names in (("passages read", OVER_PASSAGES), ("samples", OVER_SAMPLES)):
        said = sentence(growth, names, of)
        figure, name = on_ground(growth_figure(growth, names, theme, of)), f"growth-{of.replace(' ', '-')}"
        st.plotly_chart(figure, key=name, config=figure_config(name), theme=None, alt=said)
        st.caption(as_text(said))
    with st.expander("Seconds of every part as a table"):
        st.dataframe(growth_table(growth), hide_index=True, alt="Seconds at every size, with their exponent")
    st.caption(f"{as_text(notes_sentence(growth))} By `benchmarks/growth_question.py`.")


def draw_places() -> None:
    """Say where data and models live, and that nothing leaves this machine."""
    draw_header("places")
    st.markdown(
        f"Runs, labels, uploaded files, indexes and converted weights are in one folder, named by the environment "
        f"variable `{ENVIRONMENT_VARIABLE}`. Nothing is sent anywhere: the models run on this machine. Only where you "
        "name a server as the model do questions and passages go there."
    )
    try:
        st.code(str(data_folder()), language=None)
    except StorageError as exc:
        st.error(as_text(str(exc)), icon=":material/error:")


main()
