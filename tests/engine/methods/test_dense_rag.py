"""DENSE-RAG step by step: DENSE and the model say what is written here, so every move follows by hand.

The loop reads of DENSE entropy, its interval, labels and why it was not measured. Most tests script these in the order
of the contexts, without an interval unless they name one; retrieval, cutting, embedding and the stop rules are the real
ones, over six sentences.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace

import pytest

from engine.backends.language_models.scripted import ScriptedModel
from engine.backends.retrieval.base import SemanticCut
from engine.backends.retrieval.corpus import IndexedCorpus, pasted_corpus
from engine.backends.retrieval.scripted import HashedWords
from engine.backends.text import load_text_tools
from engine.core.errors import Cancelled, CorpusError, InputError, ModelError, NotMeasured
from engine.core.progress import Event, Stage, silent
from engine.core.records import Document, Interval, Passage
from engine.diagnosis.request import DiagnosisRequest, with_shared_settings
from engine.methods import dense_rag
from engine.methods.base import Backends, Case
from engine.methods.dense_rag import Arrival, DenseRagConfig, DenseRagResult, run
from engine.methods.dense_records import DenseConfig
from tests.engine.methods.scripted_case import QUESTION, backends, case

SENTENCES = (
    "The clock was built in 1702.",
    "Lyra Quill rebuilt the clock in 1890.",
    "Lyra Quill came from Bremen.",
    "Bremen has two old cranes.",
    "Lyra Quill rebuilt the tower in 1895.",
    "Every winter freezes our harbour.",
)
TOLD = Document(document_id="told", title="", text=" ".join(SENTENCES))
OTHER = Document(document_id="other", title="", text="Ghent cast the bells. Lyra Quill paid for them.")
LOOP = DenseRagConfig(adaptive=False)
# Log-probabilities of "yes", "Yes", "no" and "No".
YES, NO = (-0.1, -9.0, -2.0, -9.0), (-2.0, -9.0, -0.1, -9.0)
Looks = Sequence[tuple[float | None, dict[int, str]] | tuple[float | None, dict[int, str], tuple[float, float]]]


def sentence_corpus() -> IndexedCorpus:
    """Return the two documents with every sentence a passage of its own."""
    whole = pasted_corpus((TOLD, OTHER), "two documents", HashedWords())
    return whole.cut_anew(SemanticCut(similarity=1.0, most_tokens=64), ("told", "other"), load_text_tools())


def scripted(looks: Looks, words: Sequence[tuple[float, ...]] = (), report=silent, corpus=True) -> Backends:
    """Return backends whose model answers "answer 1", "answer 2" … and weighs yes and no as written, in order."""
    spoken, weighed = iter(range(1, 100)), iter(words)
    made = backends(
        lambda request: f"answer {next(spoken)}",
        report=report,
        labels=lambda prompt, labels: next(weighed),
    )
    return replace(made, corpus=sentence_corpus() if corpus else None)


def passages(*numbers: int) -> tuple[Passage, ...]:
    """Return sentences as the passages that were retrieved, with their place in the document."""
    return tuple(Passage(text=SENTENCES[n], document_id="told", start=TOLD.text.index(SENTENCES[n])) for n in numbers)


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch):
    """Return a function that runs DENSE-RAG over sentences, DENSE saying (entropy, {sentence: label}) in order."""

    def play(
        start: Sequence[int],
        looks: Looks,
        words: Sequence[tuple[float, ...]] = (),
        config: DenseRagConfig = LOOP,
        abstaining: int = 0,
        **options,
    ) -> DenseRagResult:
        said, silent_looks = iter(looks), iter([True] * abstaining + [False] * len(looks))

        def measured(asked: Case, settings, used: Backends):
            entropy, labels, *interval = next(said)
            labelled = [labels.get(spoken(p), "certain") for p in asked.passages]
            answers = 1 + sum(label != "not measured" for label in labelled)
            return SimpleNamespace(
                entropy=entropy,
                share=None if entropy is None else entropy / math.log(answers),
                entropy_interval=Interval(low=interval[0][0], high=interval[0][1]) if interval else None,
                chunks=tuple(SimpleNamespace(label=label, changing=None, wordings=None) for label in labelled),
                not_measured="no rewording passed" if entropy is None else "",
                states_nothing=next(silent_looks),
            )

        monkeypatch.setattr(dense_rag.dense, "run", measured)
        used = scripted(looks, words, **options)
        return run(case(used, passages(*start)), config, used)

    return play


def spoken(passage: Passage) -> int:
    """Return which sentence a passage is, -1 for one of the other document."""
    return SENTENCES.index(passage.text) if passage.text in SENTENCES else -1


def contexts(result: DenseRagResult) -> list[list[int]]:
    """Return the sentences of each context, in reading order."""
    return [[spoken(result.chunks[n].passage) for n in step.context] for step in result.steps]


def moved(result: DenseRagResult, place: int) -> tuple[list[int], list[int]]:
    """Return the sentences that came into a context and those that left before it."""
    step = result.steps[place]
    return (
        [spoken(result.chunks[came.chunk].passage) for came in step.came],
        [spoken(result.chunks[left.chunk].passage) for left in step.left],
    )


def test_a_certain_answer_is_left_alone_and_nobody_is_asked_whether_the_context_suffices(played) -> None:
    result = played([1, 2], [(0.2, {})], config=DenseRagConfig())
    assert (result.ended, result.final, len(result.steps)) == ("certain", 0, 1), "0.2 itself is certain: > is strict"
    assert result.steps[0].evaluation is None
    assert [cutting.cut for cutting in result.cuttings] == ["retrieved"]


def test_a_necessary_chunk_brings_in_the_unread_chunk_most_like_it_and_an_unnecessary_one_leaves(played) -> None:
    looks = [(0.6, {1: "necessary", 3: "unnecessary"}), (0.1, {})]
    result = played([1, 2, 3], looks, [NO, YES])
    assert contexts(result) == [[1, 2, 3], [1, 4, 2]], "beside its guide, and not farthest from the question"
    assert moved(result, 1) == ([4], [3])
    (came,) = result.steps[1].came
    assert came.why == "refill" and came.cosine == pytest.approx(5 / 7, abs=1e-6), "five of seven words are shared"
    assert came.guide == result.steps[0].context[0]
    assert [left.why for left in result.steps[1].left] == ["unnecessary"]
    assert (result.ended, result.final) == ("rule", 1)
    assert result.steps[1].answer.text == "answer 2"


def test_a_low_entropy_alone_does_not_stop_algorithm_3(played) -> None:
    looks = [(0.6, {1: "necessary"}), (0.1, {}), (0.05, {})]
    result = played([1, 2], looks, [NO, NO, YES], replace(LOOP, refine="certain"))
    assert [step.evaluation.sufficient for step in result.steps if step.evaluation] == [False, False, True]
    assert (result.ended, result.final) == ("rule", 2)
    assert [step.best for step in result.steps] == [0, 1, 2]


def test_the_text_stops_where_the_context_is_understood_or_suffices(played) -> None:
    either = replace(LOOP, stop_rule="either")
    understood = played([1, 2], [(0.6, {1: "necessary"}), (0.1, {})], [NO, NO], either)
    assert (understood.ended, understood.final, len(understood.steps)) == ("rule", 1, 2)
    enough = played([1, 2], [(0.6, {1: "necessary"}), (0.5, {})], [NO, YES], either)
    assert (enough.ended, enough.final) == ("rule", 1)


def test_without_self_evaluation_the_entropy_alone_stops_and_the_model_is_not_asked(played) -> None:
    looks = [(0.6, {1: "necessary"}), (0.1, {})]
    result = played([1, 2], looks, config=replace(LOOP, self_evaluation=False, stop_rule="either"))
    assert (result.ended, result.final) == ("rule", 1)
    assert all(step.evaluation is None for step in result.steps)


def test_a_sufficient_context_is_not_replaced_by_an_insufficient_one_of_lower_entropy(played) -> None:
    looks = [(0.6, {1: "necessary"}), (0.3, {1: "necessary"}), (0.1, {})]
    result = played([1, 2], looks, [NO, YES, NO])
    assert [step.best for step in result.steps] == [0, 1, 1]
    assert (result.ended, result.final) == ("unchanged", 1), "nothing asked for more, and the best is fallen back on"


def test_a_context_that_nothing_changes_ends_the_search(played) -> None:
    result = played([1, 2], [(0.6, {})], [NO])
    assert (result.ended, result.final, len(result.steps)) == ("unchanged", 0, 1)


def test_a_removed_chunk_never_comes_back_and_an_exhausted_pool_ends_the_search(played) -> None:
    everywhere = dict.fromkeys(range(-1, 6), "necessary")
    looks = [(0.6, {**everywhere, 3: "unnecessary"}), *[(0.6, everywhere)] * 4]
    result = played([1, 2, 3], looks, [NO] * 5)
    assert contexts(result) == [[1, 2, 3], [1, 4, 0, 2], [1, 5, 4, 0, 2]]
    assert result.ended == "exhausted", "all six sentences were read; the other document was not retrieved"


def test_an_emptied_context_ends_the_search_and_is_not_asked_over(played) -> None:
    result = played([1, 2], [(0.6, {1: "unnecessary", 2: "unnecessary"})], [NO])
    assert (result.ended, result.final, len(result.steps)) == ("emptied", 0, 1)


def test_the_number_of_contexts_is_capped(played) -> None:
    looks = [(0.6, {1: "necessary"}), (0.5, {1: "necessary"})]
    result = played([1, 2], looks, [NO, NO], replace(LOOP, most_contexts=2))
    assert (result.ended, result.final, len(result.steps)) == ("cap", 1, 2)


def test_a_full_context_takes_no_more_chunks(played) -> None:
    looks = [(0.6, {1: "necessary", 2: "necessary"}), (0.6, {1: "necessary"})]
    result = played([1, 2], looks, [NO, NO], replace(LOOP, most_chunks=3))
    assert contexts(result) == [[1, 2], [1, 4, 2]]
    assert result.ended == "full"


def test_an_unmeasured_context_cannot_be_best_and_ends_the_search(played) -> None:
    result = played([1, 2], [(0.6, {1: "necessary"}), (None, {})], [NO, YES])
    assert (result.ended, result.final) == ("not measured", 0)
    assert result.steps[1].entropy is None and result.steps[1].not_measured == "no rewording passed"
    assert result.not_measured == ""


def test_an_unmeasured_first_context_leaves_the_whole_method_unmeasured(played) -> None:
    result = played([1, 2], [(None, {})])
    assert result.not_measured == "no rewording passed" and result.ended == "not measured"


def test_a_chunk_whose_label_was_not_measured_stays_and_brings_nothing_in(played) -> None:
    result = played([1, 2], [(0.6, {1: "not measured", 2: "unnecessary"}), (0.5, {})], [NO, NO])
    assert contexts(result) == [[1, 2], [1]]


def test_pruning_only_removes_and_brings_nothing_in(played) -> None:
    looks = [(0.6, {1: "necessary", 2: "unnecessary"}), (0.5, {})]
    result = played([1, 2], looks, [NO, NO], replace(LOOP, refine="prune_only"))
    assert contexts(result) == [[1, 2], [1]]
    assert result.steps[1].came == ()


def test_refilling_on_certain_chunks_takes_them_as_guides(played) -> None:
    looks = [(0.6, {2: "necessary"}), (0.1, {})]
    result = played([1, 2], looks, [NO, YES], replace(LOOP, refine="certain"))
    assert [spoken(result.chunks[came.guide].passage) for came in result.steps[1].came] == [1]
    assert moved(result, 1)[0] == [4]


def test_an_uncertain_answer_has_its_documents_cut_by_meaning_and_retrieved_again(played) -> None:
    config = DenseRagConfig(k=3)
    result = played([1, 2], [(0.6, {}), (0.1, {})], [NO, YES], config)
    first, second = result.steps
    assert (first.kind, second.kind) == ("first", "cut anew")
    assert (first.evaluation.sufficient, second.evaluation.sufficient) == (False, True), "both are candidates"
    assert len(second.context) == 3 and -1 not in contexts(result)[1], "no chunk of a document that was not read"
    assert [left.why for left in second.left] == ["cut anew"] * len(second.left)
    assert [came.rank for came in second.came] == sorted(came.rank or 0 for came in second.came)
    assert [(cutting.cut, cutting.chunks) for cutting in result.cuttings] == [("retrieved", 6), ("semantic", 6)]
    assert (result.ended, result.final) == ("rule", 1)


def test_without_refinement_the_answer_over_the_new_chunks_is_final_whatever_its_entropy(played) -> None:
    result = played([1, 2], [(0.6, {}), (0.9, {})], config=DenseRagConfig(refine="none"))
    assert (result.ended, result.final) == ("not refined", 1)
    assert result.steps[1].evaluation is None


@pytest.mark.parametrize(("cut", "chunks"), [("semantic", 6), ("128/16", 1), ("512/64", 1)])
def test_the_documents_can_be_cut_otherwise_from_the_start(played, cut, chunks) -> None:
    result = played([1, 2], [(0.0, {})], config=DenseRagConfig(first_cut=cut))
    assert [(cutting.cut, cutting.chunks) for cutting in result.cuttings] == [(cut, chunks)]
    assert len(result.steps[0].context) == min(chunks, 5)
    assert result.steps[0].answer.text == "answer 2", "another context, so another answer than the retrieved one's"


def test_a_full_semantic_cut_is_not_cut_by_meaning_again(played) -> None:
    result = played([1, 2], [(0.6, {}), (0.6, {})], [NO], DenseRagConfig(first_cut="semantic", k=2))
    assert [cutting.cut for cutting in result.cuttings] == ["semantic"]
    assert result.steps[0].kind == "first" and result.steps[0].evaluation is not None


def test_without_a_corpus_retrieval_is_not_possible_and_the_context_is_only_pruned(played) -> None:
    looks = [(0.6, {1: "necessary", 2: "unnecessary"}), (0.5, {1: "necessary"})]
    result = played([1, 2], looks, [NO, NO], DenseRagConfig(), corpus=False)
    assert result.cuttings[1].failed == "Nothing can be retrieved again: the question came without a corpus."
    assert contexts(result) == [[1, 2], [1]]
    assert (result.ended, result.final) == ("exhausted", 0), "0.6 of ln 3 is a smaller share than 0.5 of ln 2"


def test_a_search_that_finds_nothing_is_recorded_with_its_reason(played, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(self, query, k, retriever="hybrid"):
        raise CorpusError("No passage shares a word with the question.")

    monkeypatch.setattr(IndexedCorpus, "search", nothing)
    result = played([1, 2], [(0.6, {})], [NO], DenseRagConfig())
    assert result.cuttings[1].failed == "No passage shares a word with the question."
    assert (result.ended, len(result.steps)) == ("unchanged", 1)
    with pytest.raises(NotMeasured, match="could not be cut as asked"):
        played([1, 2], [(0.6, {})], [NO], DenseRagConfig(first_cut="semantic"))


def test_both_words_count_in_both_spellings_and_are_recorded_with_their_shares_of_each_other(played) -> None:
    spelled = tuple(math.log(share) for share in (0.6, 0.25, 0.05, 0.1))
    result = played([1, 2], [(0.6, {})], [spelled])
    evaluation = result.steps[0].evaluation
    assert evaluation is not None
    assert (evaluation.yes, evaluation.no) == pytest.approx((0.85, 0.15), abs=1e-12)
    assert (math.exp(evaluation.yes_logprob), evaluation.spelled_logprobs) == (pytest.approx(0.85), spelled)
    assert evaluation.sufficient and "Only answer yes or no" in evaluation.prompt.text


def test_a_model_that_weighs_a_word_with_nan_is_refused(played) -> None:
    with pytest.raises(ModelError, match="NaN"):
        played([1, 2], [(0.6, {})], [(math.nan, -9.0, -1.0, -9.0)])
    with pytest.raises(NotMeasured):
        played([1, 2], [(0.6, {})], [(-math.inf,) * 4])


def test_two_spellings_that_pass_1_together_are_refused_beyond_rounding(played) -> None:
    """Exp(-0.2) + exp(-1.7) is 1.0014: each was asked for by itself. 0.9 + 0.2 is no probability."""
    spelled = (-0.2, -1.7, -1.7, -1.7)
    evaluation = played([1, 2], [(0.6, {})], [spelled]).steps[0].evaluation
    assert evaluation is not None and evaluation.yes_logprob == pytest.approx(0.0014132, abs=1e-7)
    with pytest.raises(ModelError, match="more than a probability of 1 together"):
        played([1, 2], [(0.6, {})], [(math.log(0.9), math.log(0.2), -1.7, -1.7)])


def test_a_temperature_draws_every_answer_with_a_seed_of_its_prompt(played, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    real = ScriptedModel.generate

    def kept(self, requests, report):
        asked.extend(requests)
        return real(self, requests, report)

    monkeypatch.setattr(ScriptedModel, "generate", kept)
    looks = [(0.6, {1: "necessary"}), (0.1, {})]
    for _ in range(2):
        played([1, 2], looks, [NO, YES], replace(LOOP, temperature=0.5))
    drawn = [request for request in asked if request.temperature == 0.5]
    assert len(drawn) == 4, "the answers over both contexts, twice; the case's own answer stays greedy"
    assert [request.seed for request in drawn[:2]] == [request.seed for request in drawn[2:]]
    assert drawn[0].seed != drawn[1].seed


def test_every_stage_is_told_as_dense_rags_with_the_context_at_work(played) -> None:
    seen: list[Event] = []
    played([1, 2], [(0.6, {}), (0.1, {})], [NO, YES], DenseRagConfig(), report=seen.append)
    stages = [event for event in seen if isinstance(event, Stage)]
    assert {stage.method for stage in stages} == {"dense_rag"}
    assert "context 2, cutting documents anew" in {stage.name for stage in stages}


def test_a_run_can_be_stopped_between_two_pieces_of_work(played) -> None:
    def stop(event: Event) -> None:
        if isinstance(event, Stage) and "suffices" in event.name:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        played([1, 2], [(0.6, {})], [NO], report=stop)


def test_a_setting_out_of_range_is_refused_with_its_name(played) -> None:
    breaches = {
        "most_contexts": 0,
        "similarity": 1.5,
        "temperature": -0.1,
        "k": 0,
        "most_tokens": -1,
        "threshold": math.nan,
    }
    for name, value in breaches.items():
        with pytest.raises(InputError, match=name.replace("_", " ")):
            played([1, 2], [(0.6, {})], [NO], DenseRagConfig(**{name: value}))


def test_contexts_are_compared_by_the_share_of_the_largest_entropy_and_the_first_one_counts(played) -> None:
    # 0.693 nats over 4 answers are half of ln 4; 0.637 over 3 are 58 % of ln 3: the lower entropy is the worse context.
    looks = [(0.637, {1: "unnecessary"}), (0.693, {})]
    result = played([1, 2], looks, [NO, NO], DenseRagConfig(k=3))
    assert [len(step.context) for step in result.steps] == [2, 3]
    assert [step.share for step in result.steps] == pytest.approx([0.5798, 0.4999], abs=1e-4)
    assert (result.final, [step.best for step in result.steps]) == (1, [0, 1])
    back = played([1, 2, 3], [(0.693, {3: "unnecessary"}), (0.637, {})], [NO, NO], replace(LOOP, refine="prune_only"))
    assert ([len(step.context) for step in back.steps], back.final) == ([3, 2], 0)


def test_a_context_whose_interval_meets_the_first_ones_is_never_preferred(played) -> None:
    looks = [(0.6, {1: "necessary"}, (0.3, 0.7)), (0.35, {1: "necessary"}, (0.1, 0.5)), (0.1, {}, (0.0, 0.15))]
    result = played([1, 2], looks, [NO, YES, YES])
    assert [step.best for step in result.steps] == [0, 0, 2]
    assert (result.ended, result.final) == ("rule", 2)


def test_an_answer_that_is_stable_with_some_wordings_only_is_unclear_and_not_called_done(played) -> None:
    result = played([1, 2], [(0.0, {1: "unclear"}, (0.0, 0.5))])
    assert (result.ended, result.final, len(result.steps)) == ("unclear", 0, 1)
    sure = played([1, 2], [(0.0, {}, (0.0, 0.2))])
    assert sure.ended == "certain"


@pytest.mark.parametrize(("unmeasured", "ended"), [((), "certain"), ((3,), "certain"), ((2, 3), "unclear")])
def test_an_answer_over_too_few_valid_rewordings_is_unclear_and_not_called_done(played, unmeasured, ended) -> None:
    result = played([1, 2, 3], [(0.0, dict.fromkeys(unmeasured, "not measured"))])
    assert (result.ended, result.final, len(result.steps)) == (ended, 0, 1)


def test_a_context_with_too_few_valid_rewordings_never_ends_a_search(played) -> None:
    few = dict.fromkeys((2, 3, 4), "not measured")
    for labels, ended in ((few, "unchanged"), ({2: "not measured"}, "rule")):
        result = played([1, 2, 3], [(0.6, {1: "necessary"}), (0.0, labels)], [YES, YES])
        assert (result.ended, len(result.steps)) == (ended, 2)


def test_a_context_that_the_model_denies_with_a_capital_letter_is_not_settled(played) -> None:
    # "yes" is likelier than "no", but "No" is the likeliest of the four.
    denied = (math.log(0.3), math.log(0.05), math.log(0.05), math.log(0.4))
    # The embedded reader also says yes too easily, so it has to be surer than that.
    hardly = (math.log(0.7), math.log(0.01), math.log(0.29), math.log(0.01))
    for words in (denied, hardly):
        result = played([1, 2], [(0.6, {1: "necessary"}), (0.1, {})], [NO, words])
        assert result.steps[1].evaluation is not None and not result.steps[1].evaluation.sufficient
        assert result.ended != "rule"


def test_a_chunk_that_only_some_wordings_call_unnecessary_stays(played) -> None:
    looks = [(0.45, {1: "unclear", 2: "necessary"}), (0.1, {})]
    result = played([1, 2], looks, [NO, YES])
    assert 1 in contexts(result)[1] and result.steps[1].left == ()


def test_a_context_over_which_the_model_only_abstains_is_refined_and_left_for_one_with_an_answer(played) -> None:
    result = played((0, 1), [(0.0, {0: "necessary"}), (0.0, {})], [YES, YES], abstaining=1)
    assert result.ended == "rule" and result.final == 1
    assert [step.states_nothing for step in result.steps] == [True, False]
    assert [step.best for step in result.steps] == [0, 1]


def test_a_context_that_only_abstains_never_ends_a_search(played) -> None:
    result = played((0, 1), [(0.0, {}), (0.0, {})], [YES, YES], abstaining=2)
    assert result.ended == "unchanged" and result.final == 0


def test_in_the_papers_prompts_new_chunks_stand_behind_all_others_as_printed() -> None:
    came = (Arrival(chunk=7, why="refill", guide=1, cosine=0.9), Arrival(chunk=8, why="refill", guide=2, cosine=0.8))
    assert dense_rag.arranged((1, 2, 3), came, best_last=False) == (1, 2, 3, 7, 8)
    assert dense_rag.arranged((1, 2, 3), came, best_last=True) == (1, 7, 2, 8, 3)


def test_it_draws_as_many_wordings_as_dense(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = DiagnosisRequest(question="Who?", dense=DenseConfig(draws=5))
    assert with_shared_settings(asked).dense_rag.draws == 5
    quick = with_shared_settings(replace(asked, dense=DenseConfig(draws=5, reading="quick")))
    assert (quick.dense.reading, quick.uncertainty.dense) == ("quick", DenseConfig(draws=5))
    seen = []
    real = dense_rag.dense.run

    def watched(case, config, used):
        seen.append(config.draws)
        return real(case, config, used)

    monkeypatch.setattr(dense_rag.dense, "run", watched)
    used = replace(backends(lambda request: "Lyra Quill"), corpus=sentence_corpus())
    run(case(used, passages(1, 2)), DenseRagConfig(draws=2), used)
    assert seen == [2]


def test_without_passages_there_is_nothing_to_refine(played) -> None:
    with pytest.raises(NotMeasured, match="there are none"):
        played([], [])


def test_over_the_real_dense_a_model_that_always_answers_alike_is_certain() -> None:
    def speak(request):
        text = request.prompt.text
        return "Lyra Quill" if QUESTION in text else f"Also, {text.split(chr(10) * 2)[-1]}"

    used = replace(backends(speak), corpus=sentence_corpus())
    result = run(case(used, passages(1, 2, 4)), DenseRagConfig(), used)
    assert (result.ended, result.steps[0].entropy, result.steps[0].answer.text) == ("certain", 0.0, "Lyra Quill")


def test_of_two_chunks_as_much_like_a_guide_the_first_comes(played) -> None:
    """Sentences 1 and 4 share two words of five with sentence 2: what a sum of floats leaves decided for 4."""
    result = played([2], [(0.3, {2: "necessary"}), (0.05, {})], [NO, YES])
    assert contexts(result) == [[2], [1, 2]]
