"""QuCo-RAG's whole loop on scripted text: the released code's runs, and what happens where nothing can be looked up.

Numbers marked "released code" come from ZhishanQ/QuCo-RAG at 0bf02a4, generate_quco.py, run with stubs in place of its
model, extractor, retriever and corpus; its extraction is the table CLAIMS here.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from engine.backends.corpus_stats.base import CoOccurrence
from engine.backends.language_models.base import Request
from engine.backends.language_models.scripted import ScriptedModel, scripted_generation
from engine.backends.text.base import Entity, TaggedWord, TextSpan, Triplet
from engine.core.errors import Cancelled, CorpusError, InputError
from engine.core.progress import Event, Report, Stage, silent
from engine.core.records import Hit, Passage
from engine.methods.base import Backends, Case, answer_request
from engine.methods.profiles import EMBEDDED, PAPER, step_by_step_prompt
from engine.methods.quco_claims import QucoConfig
from engine.methods.quco_prompts import BACKGROUND, INSTRUCTION, loop_prompt
from engine.methods.quco_rag import QucoResult, run

QUESTION = "q?"
LOOP = QucoConfig(dynamic=True, variant="code", partial_threshold=20)
CLAIMS = {
    "X was directed by Y.": [("X", "directed by", "Y")],
    "Y died in 1990.": [("Y", "died in", "1990")],
    "Y has mother W.": [("Y", "mother", "W")],
    "X was directed by Z.": [("X", "directed by", "Z")],
    "Z is in Q.": [("Z", "is in", "Q")],
    "X was directed by Y in 1990.": [("X", "directed by", "Y"), ("X", "released in", "1990")],
    "Who is Z.": [("Z", "is", None)],
}


class Tools:
    """Text tools with a table of claims; sentences end with a full stop, the question's entities are given."""

    def __init__(self, asked: Sequence[str]) -> None:
        self._asked = asked

    def sentences(self, text: str) -> tuple[TextSpan, ...]:
        found = re.finditer(r"\S[^.]*\.?", text)
        return tuple(TextSpan(text=m.group().strip(), start=m.start(), end=m.end()) for m in found)

    def words(self, text: str) -> tuple[TaggedWord, ...]:
        return ()

    def entities(self, text: str) -> tuple[Entity, ...]:
        return tuple(thing(name) for name in self._asked) if text == QUESTION else ()

    def triplets(self, sentence: str) -> tuple[Triplet, ...]:
        made = CLAIMS.get(sentence, [])
        return tuple(Triplet(head=thing(h), relation=r, tail=None if t is None else thing(t)) for h, r, t in made)


class Counts:
    """A pre-training index with a table of counts; what it does not hold, it could not measure."""

    name, note, documents, kind = "a table", "", None, "pre-training index"

    def __init__(self, **counts: int) -> None:
        self.counts = counts
        self.pairs: list[str] = []

    def count(self, entity: str) -> int | None:
        return self.counts.get(entity.replace(" ", "_"))

    def co_occurrence(self, head: str, tail: str, window: int, share: float | None = None) -> CoOccurrence:
        self.pairs.append(f"{head} AND {tail}")
        count = self.counts.get(f"{head}_AND_{tail}")
        return CoOccurrence(documents=count, meetings=(), reason="" if count is not None else "No reply came.")

    def why_not(self, entity: str) -> str:
        return "" if self.count(entity) is not None else "No reply came."

    def name_counts(self) -> tuple[int, ...]:
        return ()


class Shelf:
    """A corpus that gives one passage per query and keeps what was asked; "nothing" finds nothing."""

    def __init__(self, empty: bool = False) -> None:
        self.asked: list[tuple[str, int, str]] = []
        self._empty = empty

    def search(self, query: str, k: int, retriever: str = "hybrid") -> tuple[Hit, ...]:
        self.asked.append((query, k, retriever))
        if self._empty:
            raise CorpusError(f"Nothing in the corpus fits {query!r}.")
        return (
            Hit(
                passage=Passage(text=f"About {query}\nQuestion: trap", title="T"),
                rank=1,
                score=1.0,
                retriever=retriever,
            ),
        )


def thing(text: str) -> Entity:
    return Entity(text=text, start=0, end=len(text), label="NOUN")


def go(
    texts: Sequence[str],
    counts: Counts,
    config: QucoConfig = LOOP,
    asked: Sequence[str] = (),
    shelf: Shelf | None = None,
    memory: str | None = None,
    report: Report = silent,
) -> tuple[QucoResult, ScriptedModel]:
    """Return the result where the model writes ``texts`` in turn; ``memory`` is read first where it is another text."""
    waiting = list(texts if memory is None else [memory, *texts])
    model = ScriptedModel(lambda request: waiting.pop(0) if waiting else "")
    backends = Backends(
        model=model,
        writer=model,
        rewriter=model,
        judge=None,  # type: ignore[arg-type]
        sentence_judge=None,  # type: ignore[arg-type]
        text=Tools(asked),
        embedder=None,  # type: ignore[arg-type]
        counter=counts,  # type: ignore[arg-type]
        report=report,
        corpus=shelf or Shelf(),  # type: ignore[arg-type]
        retriever="bm25",
    )
    answer = scripted_generation(answer_request(EMBEDDED, QUESTION, ()), "")
    case = Case(question=QUESTION, passages=(), golds=(), answer=answer, profile=EMBEDDED, seed=0)
    return run(case, config, backends), model


def queries(result: QucoResult) -> list[str]:
    assert result.loop is not None
    first = [result.loop.initial.query] if result.loop.initial else []
    return first + [lookup.query for step in result.loop.steps for lookup in step.lookups]


def test_both_stages_run_as_in_the_released_code() -> None:
    counts = Counts(A=10, X_AND_Y=12, Y_AND_W=0)
    texts = ["X was directed by Y. Y has mother W. So the answer is W.", "Y's mother is V. So the answer is V."]
    result, model = go(texts, counts, asked=["A"], memory="From memory. So the answer is M.")
    assert result.loop is not None
    assert result.loop.text == "X was directed by Y. Y's mother is V. So the answer is V."
    assert queries(result) == ["q?", "Y mother"]
    assert (len(result.loop.generations), result.loop.retrievals, result.loop.ending) == (2, 2, "answered")
    assert (result.loop.answer, result.loop.closed_book_answer) == ("V", "M")
    assert [step.decision for step in result.loop.steps] == ["supported", "written anew", "conclusion"]
    failed = result.loop.steps[1]
    assert (failed.text, failed.replacement, failed.rewritten_in) == ("Y has mother W.", "Y's mother is V.", 1)
    assert "[1] T: About q? Question: trap\n" in model.requests[1].prompt.text
    assert model.requests[2].prompt.text.endswith("Question: q?\nAnswer: X was directed by Y.")


def test_a_sentence_written_anew_is_not_verified_again_but_what_follows_is() -> None:
    counts = Counts(X_AND_Y=0, X_AND_Z=0, Z_AND_Q=3)
    result, model = go(["X was directed by Y.", "X was directed by Z. Z is in Q.", "So the answer is Q."], counts)
    assert result.loop is not None
    assert result.loop.text == "X was directed by Z. Z is in Q. So the answer is Q."
    assert queries(result) == ["X directed by"]
    assert len(result.loop.generations) == 3 and result.loop.forced is None
    assert (len(model.requests), result.loop.closed_book_answer) == (4, ""), "from memory it is made to conclude"
    assert "X AND Z" not in counts.pairs
    assert [step.generation for step in result.loop.steps] == [0, 1, 2]


def test_a_pair_that_never_meets_stops_the_text_before_its_sentence() -> None:
    counts = Counts(X_AND_Y=12, Y_AND_1990=0)
    result, _ = go(["X was directed by Y. Y died in 1990. So the answer is 1990."], counts)
    assert result.loop is not None
    assert (result.loop.text, queries(result)) == ("X was directed by Y.", ["Y died in"])
    assert result.loop.ending == "nothing new"
    assert counts.pairs == ["X AND Y", "Y AND 1990"] * 2  # once for the answer from memory, once in the loop


def test_one_query_is_made_from_each_failing_claim() -> None:
    result, _ = go(["X was directed by Y in 1990."], Counts(X_AND_Y=0, X_AND_1990=0))
    assert result.loop is not None
    assert queries(result) == ["X directed by", "X released in"]
    assert [lookup.claim for lookup in result.loop.steps[0].lookups] == [0, 1]
    assert result.loop.retrievals == 2


@pytest.mark.parametrize(("count", "made"), [(19, ["Z is"]), (20, [])])
def test_a_claim_without_a_tail_fails_below_its_threshold_of_twenty(count: int, made: list[str]) -> None:
    result, _ = go(["Who is Z."], Counts(Z=count))
    assert queries(result) == made


def test_the_paper_has_no_rule_for_a_claim_without_a_tail_so_it_never_fails() -> None:
    result, _ = go(["Who is Z."], Counts(Z=0), config=QucoConfig(dynamic=True))
    assert queries(result) == []


def test_the_released_code_drops_the_rest_of_an_answer_that_does_not_know() -> None:
    counts = Counts(X_AND_Y=0)
    result, _ = go(["The text does not mention X. X was directed by Y."], counts)
    assert result.loop is not None
    assert (result.loop.text, queries(result)) == ("", [])
    assert result.loop.steps[0].decision == "dropped"
    assert "“does not”" in result.loop.steps[0].reason


def test_the_released_code_writes_once_more_after_a_text_that_does_not_know() -> None:
    unknown = "The text does not mention X. X was directed by Y."
    result, _ = go([unknown, unknown, "X was directed by Y."], Counts(X_AND_Y=0))
    assert result.loop is not None
    # Released code: 2 generations, 0 retrievals.
    assert (len(result.loop.generations), result.loop.retrievals, result.loop.ending) == (2, 0, "abstained")
    assert [step.decision for step in result.loop.steps] == ["dropped", "dropped"]


def test_what_is_written_after_a_text_that_does_not_know_is_checked_and_can_answer() -> None:
    texts = ["The text does not mention X.", "X was directed by Y. It does not include Z.", "So the answer is Y."]
    result, _ = go(texts, Counts(X_AND_Y=3))
    assert result.loop is not None
    assert (result.loop.text, result.loop.ending) == ("X was directed by Y. So the answer is Y.", "answered")
    decisions = [step.decision for step in result.loop.steps]
    assert decisions == ["dropped", "supported", "dropped", "conclusion"]


def test_the_sentence_with_the_answer_ends_the_text_unverified() -> None:
    result, _ = go(["So the answer is Y. X was directed by Y."], Counts(X_AND_Y=0))
    assert result.loop is not None
    assert (result.loop.text, queries(result)) == ("So the answer is Y.", [])


def test_a_conclusion_that_names_no_answer_is_kept_and_asks_no_corpus() -> None:
    counts = Counts()
    result, _ = go(["Thus, X came first. So the answer is X."], counts)
    assert result.loop is not None
    assert [step.decision for step in result.loop.steps] == ["nothing to check", "conclusion"]
    assert counts.pairs == []


def test_what_could_not_be_counted_is_kept_as_not_measured_and_never_as_supported() -> None:
    result, _ = go(["X was directed by Y."], Counts())
    assert result.loop is not None
    step = result.loop.steps[0]
    assert (result.loop.text, queries(result)) == ("X was directed by Y.", [])
    assert (step.decision, step.reason, step.claims[0].supported) == ("not measured", "No reply came.", None)
    assert (result.supported, result.unsupported) == (0, 0)


@pytest.mark.parametrize(
    ("counts", "asked", "retrieves"),
    [
        ({"A": 10, "B": 1500}, ["A", "B"], True),
        ({"A": 10, "B": 5000}, ["A", "B"], False),
        ({"A": 10, "B": 2500}, ["A", "A", "B"], False),
        ({"A": 500, "B": 1500}, ["A", "B"], False),
        ({}, [], None),
        ({"B": 5}, ["A", "B"], True),
        ({}, ["A", "B"], None),
        ({"A": 0}, ["A"], True),
    ],
)
def test_the_check_before_generation_decides_as_the_released_code_does(
    counts: dict[str, int], asked: list[str], retrieves: bool | None
) -> None:
    result, _ = go(["So the answer is A."], Counts(**counts), asked=asked)
    assert result.pre_check is not None and result.loop is not None
    assert result.pre_check.retrieves is retrieves
    assert (result.loop.initial is not None) is (retrieves is True)
    assert bool(result.pre_check.reason) is (retrieves is None)


def test_each_stage_can_be_switched_off() -> None:
    text = ["X was directed by Y. So the answer is Y."]
    counts = Counts(A=0, X_AND_Y=0)
    no_first, _ = go(text, counts, config=replace(LOOP, initial_check=False), asked=["A"])
    no_second, _ = go(text, counts, config=replace(LOOP, initial_check=False, sentence_check=False), asked=["A"])
    off, _ = go(text, counts, config=replace(LOOP, dynamic=False), asked=["A"])
    assert no_first.pre_check is None and queries(no_first) == ["X directed by"]
    assert no_second.loop is not None and queries(no_second) == []
    assert [step.decision for step in no_second.loop.steps] == ["not checked", "conclusion"]
    assert off.loop is None and off.pre_check is not None and off.pre_check.retrieves is True


def test_the_relation_aware_check_looks_for_the_whole_phrase_where_the_pair_meets() -> None:
    wanted = replace(LOOP, relation_check=True)
    found, _ = go(["X was directed by Y."], Counts(X_AND_Y=4, X_directed_by_Y=1), config=wanted)
    missed, _ = go(["X was directed by Y."], Counts(X_AND_Y=4, X_directed_by_Y=0), config=wanted)
    unknown, _ = go(["X was directed by Y."], Counts(X_AND_Y=4), config=wanted)
    without, _ = go(["X was directed by Y."], Counts(X_AND_Y=4, X_directed_by_Y=0))
    assert [queries(result) for result in (found, missed, unknown, without)] == [[], ["X directed by"], [], []]
    claim = missed.sentences[0].claims[0]
    assert (claim.supported, claim.phrase_count, claim.fails) == (True, 0, True)


def test_passages_of_several_queries_are_read_once_each_and_the_retriever_is_the_runs() -> None:
    shelf = Shelf()
    _, model = go(["X was directed by Y in 1990."], Counts(X_AND_Y=0, X_AND_1990=0), shelf=shelf)
    assert shelf.asked == [("X directed by", 3, "bm25"), ("X released in", 3, "bm25")]
    text = next(request.prompt.text for request in model.requests if "[2]" in request.prompt.text)
    assert text.index("[1] T: About X released in") < text.index("[2] T: About X directed by")


def test_a_corpus_that_finds_nothing_leaves_the_sentence_and_says_why() -> None:
    result, model = go(["X was directed by Y. So the answer is Y."], Counts(X_AND_Y=0), shelf=Shelf(empty=True))
    assert result.loop is not None
    step = result.loop.steps[0]
    assert (step.decision, step.reason) == ("no retrieval", "Nothing in the corpus fits 'X directed by'.")
    assert step.lookups[0].hits == () and step.lookups[0].problem == step.reason
    assert (result.loop.text, len(model.requests)) == ("X was directed by Y. So the answer is Y.", 1)


def test_the_number_of_generations_is_limited() -> None:
    texts = ["X was directed by Y.", "X was directed by Z. Y has mother W."]
    counts = Counts(X_AND_Y=0, Y_AND_W=0)
    result, _ = go(texts, counts, config=replace(LOOP, most_generations=2))
    assert result.loop is not None
    written = (len(result.loop.generations), result.loop.ending, result.loop.text)
    assert written == (2, "limit", "X was directed by Z.")
    assert "limit of 2 generations" in result.loop.steps[-1].reason


def test_a_model_that_repeats_itself_ends_the_loop() -> None:
    result, _ = go(["Z is in Q. Z is in Q.", "Z is in Q."], Counts(Z_AND_Q=1))
    assert result.loop is not None
    written = (result.loop.text, result.loop.ending, len(result.loop.generations))
    assert written == ("Z is in Q.", "nothing new", 2)


def test_a_loop_that_never_concludes_is_made_to_and_says_so() -> None:
    result, model = go(["Z is in Q.", "", " Q."], Counts(Z_AND_Q=1))
    assert result.loop is not None and result.loop.ending == "nothing new"
    assert result.loop.forced is not None and result.loop.answer == "Q"
    assert model.requests[2].prompt.text.endswith("Answer: Z is in Q. So the answer is")


def test_a_last_sentence_that_the_length_limit_cut_is_left_to_the_next_round() -> None:
    long = "Z is in Q. " + "word " * 200
    result, model = go([long, "So the answer is Q."], Counts(Z_AND_Q=1))
    assert result.loop is not None
    assert result.loop.text == "Z is in Q. So the answer is Q."
    assert [step.decision for step in result.loop.steps] == ["supported", "dropped", "conclusion"]
    assert model.requests[1].prompt.text.endswith("Answer: Z is in Q.")


def test_stopping_is_possible_between_sentences() -> None:
    def stop(event: Event) -> None:
        if isinstance(event, Stage) and event.name == "verifying sentences":
            raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        go(["X was directed by Y."], Counts(X_AND_Y=1), report=stop)


@pytest.mark.parametrize(
    "strange",
    [
        {"window": -1},
        {"cooccurrence_threshold": 0},
        {"entity_percentile": 0.0},
        {"passages_per_query": 0},
        {"most_generations": 99},
    ],
)
def test_a_setting_out_of_its_range_is_a_sentence(strange: dict[str, int]) -> None:
    with pytest.raises(InputError, match="QuCo-RAG"):
        go([""], Counts(), config=replace(LOOP, **strange))  # type: ignore[arg-type]


def test_without_passages_and_beginning_the_prompt_is_the_closed_book_one() -> None:
    assert loop_prompt(EMBEDDED, "Why?", (), "") == step_by_step_prompt("Why?")


def test_the_papers_profile_gives_its_instruction_and_order_the_small_one_reads_passages_first() -> None:
    passages = (Passage(text="first"), Passage(text="second"))
    paper, small = (loop_prompt(profile, "Why?", passages, "").text for profile in (PAPER, EMBEDDED))
    assert f"{BACKGROUND}\n[1] first\n[2] second\n\n{INSTRUCTION}\n\nQuestion: Why?\nAnswer:" in paper
    assert small == f"Question: Why?\n{BACKGROUND}\n[1] second\n[2] first\n\n{step_by_step_prompt('Why?').text}"
    assert INSTRUCTION not in small


def test_the_first_request_is_the_shared_one_so_a_cache_writes_it_once() -> None:
    _, model = go(["So the answer is A."], Counts())
    assert [type(request) for request in model.requests] == [Request]
