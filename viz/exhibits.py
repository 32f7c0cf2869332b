"""Everything a method's result is shown by, as a list: each figure with its sentence, each table with its name.

The pages draw the same functions with controls around them; a bundle and the downloads need them all in a row. An
exhibit has a figure, a table, or both: then the table is the figure's text twin.
"""

from engine.methods.chunk_utility import ChunkUtilityResult
from engine.methods.dense import DenseResult
from engine.methods.dense_rag import DenseRagResult
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.quco_rag import QucoResult
from engine.methods.seper import SeperResult
from engine.methods.sugar import SugarResult
from engine.methods.timing.method import TimingResult
from engine.methods.uncertainty import UncertaintyResult
from viz import chunk_utility, dense, dense_rag, entropy_trend, quco_loop, quco_rag, seper, sugar, timing, uncertainty
from viz.agreement_matrix import matrix_sentence, weight_matrix
from viz.belief_bars import belief_bars, beliefs_table
from viz.belief_change import delta_figure
from viz.cooccurrence_network import cooccurrence_network
from viz.entailment_graph import entailment_graph, graph_sentence
from viz.entity_bars import bars_title, entity_bars
from viz.entropy_bar import entropy_bar
from viz.exhibit import Exhibit
from viz.refinement_figure import refinement_figure
from viz.staircase import staircase
from viz.swim_lanes import run_lanes, trace_lanes
from viz.token_strip import tokens_table
from viz.trend_figure import trend_figure


def of_dense(result: DenseResult) -> tuple[Exhibit, ...]:
    """Return DENSE's graph, entropy, matrix and table of chunks."""
    return (
        Exhibit(
            name="dense-graph",
            heading="The answers as a graph",
            sentence=graph_sentence(result),
            draw=lambda theme: entailment_graph(result, theme),
            table=dense.chunk_table(result),
        ),
        Exhibit(
            name="dense-entropy",
            heading="Degree-based semantic entropy",
            sentence=dense.entropy_sentence(result),
            draw=lambda theme: entropy_bar(result, theme),
        ),
        Exhibit(
            name="dense-agreement",
            heading="Agreement of every two answers",
            sentence=matrix_sentence(result),
            draw=lambda theme: weight_matrix(result, theme),
        ),
    )


def of_dense_rag(result: DenseRagResult) -> tuple[Exhibit, ...]:
    """Return DENSE-RAG's contexts as figure and table."""
    return (
        Exhibit(
            name="dense-rag-contexts",
            heading="Context by context",
            sentence=dense_rag.sentence(result),
            draw=lambda theme: refinement_figure(result, theme),
            table=dense_rag.steps_table(result),
        ),
    )


def of_seper(result: SeperResult) -> tuple[Exhibit, ...]:
    """Return SePer's change of belief, the beliefs themselves, and every sample."""
    return (
        Exhibit(
            name="seper-change",
            heading="How far belief in the right answer moved",
            sentence=seper.sentence(result),
            draw=lambda theme: delta_figure(result, theme),
        ),
        Exhibit(
            name="seper-beliefs",
            heading="What the model believes before and after reading",
            sentence=seper.belief_sentence(result),
            draw=lambda theme: belief_bars(result, theme),
            table=beliefs_table(result),
        ),
        Exhibit(name="seper-samples", heading="Every sampled answer", table=seper.samples_table(result)),
    )


def of_entropy_trend(result: EntropyTrendResult) -> tuple[Exhibit, ...]:
    """Return ETC's curves with their words, and the tokens."""
    return (
        Exhibit(
            name="etc-trend",
            heading="The trend of entropy over the answer from memory",
            sentence=entropy_trend.sentence(result),
            draw=lambda theme: trend_figure(result, theme),
            table=entropy_trend.words_table(result),
        ),
        Exhibit(
            name="etc-tokens",
            heading="The step-by-step answer, token by token",
            sentence=entropy_trend.conclusion(result),
            table=tokens_table(result.generation.tokens),
        ),
    )


def of_quco_rag(result: QucoResult) -> tuple[Exhibit, ...]:
    """Return who meets whom, the question's entities, and the loop where there was one."""
    shown = (
        Exhibit(
            name="quco-network",
            heading="Who meets whom in the corpus",
            sentence=quco_rag.sentence(result),
            draw=lambda theme: cooccurrence_network(result, theme),
            table=quco_rag.claims_table(result),
        ),
        Exhibit(
            name="quco-entities",
            heading="How familiar is the question?",
            sentence=bars_title(result),
            draw=lambda theme: entity_bars(result, theme),
            table=quco_rag.entities_table(result),
        ),
    )
    if result.loop is None:
        return shown
    loop = Exhibit(
        name="quco-loop",
        heading="Every sentence of the loop",
        sentence=quco_loop.loop_verdict(result.loop).sentence,
        table=quco_loop.steps_table(result.loop),
    )
    return (*shown, loop)


def of_sugar(result: SugarResult) -> tuple[Exhibit, ...]:
    """Return SUGAR's entropies against its thresholds, the rounds, and the meanings."""
    return (
        Exhibit(
            name="sugar-entropy",
            heading="Semantic entropy against both thresholds",
            sentence=sugar.sentence(result),
            draw=lambda theme: sugar.entropy_figure(result, theme),
            table=sugar.rounds_table(result),
        ),
        Exhibit(
            name="sugar-meanings",
            heading="The meanings of the closed-book answers",
            table=sugar.meanings_table(result.closed_book),
        ),
    )


def of_uncertainty(result: UncertaintyResult) -> tuple[Exhibit, ...]:
    """Return who says uncertain, and the answers of each set."""
    grid = Exhibit(
        name="uncertainty-measures",
        heading="Who says uncertain",
        sentence=uncertainty.sentence(result),
        draw=lambda theme: uncertainty.agreement_figure(result, theme),
        table=uncertainty.readings_table(result),
    )
    sets = (
        Exhibit(
            name=f"uncertainty-{answers.word.replace('_', '-')}",
            heading=uncertainty.set_title(answers),
            table=uncertainty.answers_table(answers),
        )
        for answers in result.sets
        if answers.answers
    )
    return (grid, *sets)


def of_chunk_utility(result: ChunkUtilityResult) -> tuple[Exhibit, ...]:
    """Return what each chunk does to belief."""
    return (
        Exhibit(
            name="chunk-utility",
            heading="What each chunk does to belief in the right answer",
            sentence=chunk_utility.sentence(result),
            draw=lambda theme: chunk_utility.utility_figure(result, theme),
            table=chunk_utility.utility_table(result, {}),
        ),
    )


def of_timing(result: TimingResult) -> tuple[Exhibit, ...]:
    """Return every policy's lane over one answer, the runs of their own, and each staircase of belief."""
    trace = Exhibit(
        name="timing-trace",
        heading="One answer from memory, judged by every policy",
        sentence=timing.trace_sentence(result),
        draw=lambda theme: trace_lanes(result, theme),
        table=timing.traces_table(result),
    )
    own = Exhibit(
        name="timing-runs",
        heading="What each policy writes when it may look things up",
        sentence=timing.runs_sentence(result),
        draw=lambda theme: run_lanes(result, theme),
        table=timing.runs_table(result),
    )
    stairs = (
        Exhibit(
            name=f"timing-stairs-{run.policy.replace('_', '-')}",
            heading=f"Belief at each retrieval of {timing.policy_title(run.policy)}",
            sentence=timing.belief_steps_sentence(run),
            draw=lambda theme, run=run: staircase(run, theme),  # type: ignore[misc]
            table=timing.belief_steps_table(run),
        )
        for run in result.runs
        if run.stairs
    )
    return (trace, *((own,) if result.runs else ()), *stairs)
