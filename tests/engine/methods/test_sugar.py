"""SUGAR on scripted samples: the decision, the rounds, and the draws it shares with SePer."""

import math
from dataclasses import replace

import pytest

from engine.backends.language_models.base import Request
from engine.backends.language_models.cached import CachedModel
from engine.core.errors import Cancelled, CorpusError, InputError, NotMeasured
from engine.core.progress import Stage
from engine.core.records import Hit
from engine.core.seeds import derive_seed
from engine.methods import seper, sugar
from engine.methods.seper_records import SeperConfig
from engine.methods.sugar import SugarConfig
from tests.engine.methods.scripted_case import PASSAGES, QUESTION, Events, backends, case

CLOSED_BOOK = "Answer in a few words"
NAMES = ("Ada", "Bo", "Cy", "Dee", "Eve", "Fay", "Gil", "Hal", "Ida", "Jo")


class ShelfOfThree:
    """A corpus of the three passages, found in their order for any query; ``searches`` keeps what was asked."""

    name, content_hash, documents, passages = "shelf", "", (), PASSAGES

    def __init__(self, fail_on: str = "no such query") -> None:
        self.searches: list[tuple[str, int, str]] = []
        self._fail_on = fail_on

    def search(self, query: str, k: int, retriever: str = "hybrid"):
        """Return the first k passages. Raises CorpusError where the query holds the word to fail on."""
        self.searches.append((query, k, retriever))
        if self._fail_on in query:
            raise CorpusError("No passage shares a word with the question.")
        return tuple(Hit(passage=p, rank=i, score=1.0, retriever=retriever) for i, p in enumerate(PASSAGES[:k], 1))


def draw_of(request: Request) -> int:
    """Return which of the first 20 draws of its condition a request is."""
    seeds = [derive_seed(0, "seper", condition, i) for condition in ("with", "without") for i in range(20)]
    return seeds.index(request.seed) % 20


def speaker(memory, reading=("Lyra Quill",), answer="Lyra Quill"):
    """Return a model that draws from ``memory`` closed-book and from ``reading`` over passages, and answers so."""

    def speak(request: Request):
        if request.temperature == 0:
            return "Nobody" if request.prompt.text.startswith(CLOSED_BOOK) else answer
        said = memory if request.prompt.text.startswith(CLOSED_BOOK) else reading
        return [(said[draw_of(request) % len(said)], -1.0, 0.3)]

    return speak


def decided(memory, corpus=None, asked_over=PASSAGES, reading=("Lyra Quill",), **config):
    """Return SUGAR's result over ten samples, and the backends it asked."""
    backend = replace(backends(speaker(memory, reading)), corpus=corpus)
    return sugar.run(case(backend, asked_over), SugarConfig(**config), backend), backend


def test_ten_equal_samples_need_no_lookup_and_the_answer_is_from_memory() -> None:
    shelf = ShelfOfThree()
    result, _ = decided(["Lyra Quill"], shelf)
    assert (result.decision, result.ending) == ("none", "not needed")
    assert result.measured == pytest.approx(0.0)
    assert (result.rounds, shelf.searches) == ((), [])
    assert result.answer.text == result.closed_book_answer.text == "Nobody"


def test_nine_to_one_is_no_lookup_by_the_entropy_and_several_rounds_by_equation_1() -> None:
    memory = ["Lyra Quill"] * 9 + ["Nobody"]
    proper, _ = decided(memory, ShelfOfThree())
    printed, _ = decided(memory, ShelfOfThree(), form="equation_1")
    assert proper.measured == pytest.approx(0.325083, abs=1e-6)
    assert proper.decision == "none"
    assert printed.measured == pytest.approx(1.203973, abs=1e-6)
    assert printed.decision == "multi"
    assert proper.closed_book == printed.closed_book, "both forms are kept in either run"


def test_two_even_meanings_are_one_lookup_with_the_question_as_query() -> None:
    shelf = ShelfOfThree()
    result, _ = decided(["Lyra Quill", "Nobody"], shelf, PASSAGES[:2])
    assert result.measured == pytest.approx(math.log(2))
    assert (result.decision, result.ending) == ("single", "one round")
    assert shelf.searches == [(QUESTION, 2, "hybrid")], "as many passages as the question was asked over"
    assert [hit.passage for hit in result.rounds[0].hits] == list(PASSAGES[:2])
    assert result.rounds[0].after is None, "nothing hangs on it"
    assert result.answer.text == "Lyra Quill"


def test_ten_meanings_are_several_rounds_until_the_entropy_is_low() -> None:
    shelf = ShelfOfThree()
    result, _ = decided(NAMES, shelf, PASSAGES[:1])
    assert result.measured == pytest.approx(math.log(10))
    assert (result.decision, result.ending, len(result.rounds)) == ("multi", "certain enough", 1)
    assert result.rounds[0].after is not None
    assert result.rounds[0].after.entropy == pytest.approx(0.0)
    assert result.closed_book.discrete == pytest.approx(math.log(10))
    assert result.closed_book.predictive == pytest.approx(1.0)


def test_each_further_round_asks_with_the_last_answer_and_reads_only_what_is_new() -> None:
    shelf = ShelfOfThree()
    result, backend = decided(NAMES, shelf, PASSAGES[:1], reading=NAMES, rounds=3)
    assert result.ending == "out of rounds"
    assert [query for query, _, _ in shelf.searches] == [QUESTION, f"{QUESTION} Lyra Quill", f"{QUESTION} Lyra Quill"]
    assert [[hit.passage for hit in one.hits] for one in result.rounds] == [[passage] for passage in PASSAGES]
    assert [one.after is None for one in result.rounds] == [False, False, True], "nothing hangs on the last"
    last = [r.prompt.text for r in backend.model.requests if r.temperature == 0][-1]
    assert all(passage.text in last for passage in PASSAGES)


def test_a_round_that_finds_nothing_new_ends_the_search_and_says_so() -> None:
    result, _ = decided(NAMES, ShelfOfThree(), PASSAGES, reading=NAMES, rounds=5)
    assert (result.ending, len(result.rounds)) == ("nothing new", 2)
    assert result.rounds[1].hits == ()
    assert "read already" in result.rounds[1].reason
    assert result.answer.text == "Lyra Quill", "the last answer there was"


def test_a_search_that_fails_is_an_empty_retrieval_with_its_reason() -> None:
    result, _ = decided(NAMES, ShelfOfThree(fail_on="Vesper"), PASSAGES)
    assert (result.decision, result.ending) == ("multi", "nothing found")
    assert result.rounds[0].reason == "No passage shares a word with the question."
    assert result.rounds[0].answer is None
    assert result.answer.text == "Nobody"


def test_without_a_corpus_a_lookup_is_not_possible_and_the_decision_stands() -> None:
    result, _ = decided(NAMES, None, ())
    assert (result.decision, result.ending, result.rounds) == ("multi", "not possible", ())
    assert "came without a corpus" in result.ending_reason
    assert result.retriever == "none"
    assert result.answer.text == "Nobody"


def test_where_seper_ran_the_samples_of_memory_and_of_round_one_are_free() -> None:
    backend = backends(speaker(NAMES, NAMES))
    cached = replace(backend, model=CachedModel(backend.model), corpus=ShelfOfThree())
    asked = case(cached)
    seper.run(asked, SeperConfig(), cached)
    drawn = len(backend.model.requests)
    result = sugar.run(asked, SugarConfig(rounds=1), cached)
    new = backend.model.requests[drawn:]
    assert len(result.rounds) == 1
    assert [request.temperature for request in new] == [0.0], "only the greedy answer from memory, which a run has too"


def test_the_entropy_is_sepers_own() -> None:
    backend = replace(backends(speaker(["Lyra Quill"] * 7 + ["Nobody"] * 3)), corpus=ShelfOfThree())
    asked = case(backend)
    belief = seper.run(asked, SeperConfig(), backend).without
    result = sugar.run(asked, SugarConfig(), backend)
    assert result.closed_book.belief == belief
    assert result.measured == belief.entropy == pytest.approx(-(0.7 * math.log(0.7) + 0.3 * math.log(0.3)))


def test_an_impossible_sample_makes_equation_1_infinite_and_not_an_error() -> None:
    def speak(request: Request):
        if request.temperature == 0:
            return "Nobody"
        return [("Ada", -1.0, 0.3)] if draw_of(request) else [("Bo", -math.inf, 0.3)]

    backend = backends(speak)
    result = sugar.run(case(backend, ()), SugarConfig(), backend)
    assert result.closed_book.equation_1 == math.inf
    assert result.measured == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("silent", "ending", "rounds"), [(10, "out of rounds", 2), (9, "out of rounds", 2), (1, "certain enough", 1)]
)
def test_samples_that_mostly_state_no_answer_end_no_search(silent: int, ending: str, rounds: int) -> None:
    reading = ["I don't know."] * silent + ["Lyra Quill"] * (10 - silent)
    result, _ = decided(NAMES, ShelfOfThree(), PASSAGES[:1], reading=reading)
    after = result.rounds[0].after
    assert after is not None and after.entropy < result.low
    assert (result.ending, len(result.rounds)) == (ending, rounds)


def test_samples_that_are_all_impossible_are_not_measured() -> None:
    backend = backends(lambda request: [("Ada", -math.inf, 0.3)] if request.temperature else "Ada")
    with pytest.raises(NotMeasured):
        sugar.run(case(backend, ()), SugarConfig(), backend)


def test_one_sample_cannot_disagree_and_decides_nothing() -> None:
    with pytest.raises(NotMeasured):
        decided(NAMES, seper=SeperConfig(samples=1))
    assert decided(NAMES, seper=SeperConfig(samples=2))[0].measured == pytest.approx(math.log(2))


def test_settings_that_cannot_be_used_are_refused_with_the_value() -> None:
    breaches: list[tuple[dict[str, float], str]] = [
        ({"low": 0.9, "high": 0.4}, "0.9.* 0.4"),
        ({"low": -1.0}, "low .*-1.0"),
        ({"rounds": 0}, "rounds .*1.* 10.* 0"),
        ({"rounds": 11}, "rounds .*1.* 10.* 11"),
        ({"passages": 0}, "passages .*1.* 0"),
    ]
    for config, words in breaches:
        with pytest.raises(InputError, match=words):
            decided(NAMES, None, **config)


def test_progress_is_sugars_own_and_it_can_be_stopped_between_rounds() -> None:
    events = Events()
    backend = replace(backends(speaker(NAMES, NAMES), report=events), corpus=ShelfOfThree())
    sugar.run(case(backend, PASSAGES[:1]), SugarConfig(), backend)
    named = {event.method for event in events.seen if isinstance(event, Stage)}
    assert named == {"sugar", "entailment"}

    def stop(event):
        if isinstance(event, Stage) and event.name == "looking up" and event.done == 1:
            raise Cancelled("stopped")

    stopped = replace(backends(speaker(NAMES, NAMES), report=stop), corpus=ShelfOfThree())
    with pytest.raises(Cancelled):
        sugar.run(case(stopped, PASSAGES[:1]), SugarConfig(), stopped)
