"""QuCo-RAG's evidence: counts, claims, the short answer, and when nothing can be measured."""

import json

import pytest

from engine.backends import corpus_stats
from engine.backends.corpus_stats.base import CoOccurrence, CorpusCounter
from engine.backends.language_models.base import Request
from engine.backends.language_models.scripted import ScriptedModel, scripted_generation
from engine.backends.text import load_text_tools
from engine.core.errors import Cancelled
from engine.core.folders import PROJECT
from engine.core.progress import Event, Report, Stage, silent
from engine.core.records import Document
from engine.methods.base import Backends, Case, answer_request
from engine.methods.profiles import EMBEDDED
from engine.methods.quco_claims import ANSWERS_QUESTION, answer_triplets
from engine.methods.quco_rag import CheckedSentence, QucoConfig, QucoResult, headlines, run
from engine.methods.step_by_step import step_by_step_request

QUESTION = "When did the composer of The Magic Flute die?"
MEMORY = (
    " The Magic Flute was composed by Wolfgang Amadeus Mozart. Wolfgang Amadeus Mozart died in 1801."
    " So the answer is 1801."
)
CORPUS = (
    "The Magic Flute is an opera by Wolfgang Amadeus Mozart. The Magic Flute was first played in 1791.",
    "Wolfgang Amadeus Mozart died on 5 December 1791 in Vienna.",
    "A comet was seen in 1801.",
)


class Deaf:
    """A counter whose corpus never answers."""

    name, note, documents, kind = "a far corpus", "It could not be reached.", 7, "pre-training index"

    def count(self, entity: str) -> int | None:
        return None

    def co_occurrence(self, head: str, tail: str, window: int, share: float | None = None) -> CoOccurrence:
        return CoOccurrence(documents=None, meetings=(), reason="It does not answer.")

    def why_not(self, entity: str) -> str:
        return "It does not answer."

    def name_counts(self) -> tuple[int, ...]:
        return ()


def counter(*texts: str) -> CorpusCounter:
    documents = [Document(document_id=str(i), title=f"Text {i}", text=text) for i, text in enumerate(texts)]
    return corpus_stats.count_documents(documents, "three texts")


def look(
    short: str,
    memory: str = MEMORY,
    question: str = QUESTION,
    counts: CorpusCounter | None = None,
    config: QucoConfig = QucoConfig(),  # noqa: B008
    report: Report = silent,
) -> QucoResult:
    model = ScriptedModel(lambda request: memory)
    backends = Backends(
        model=model,
        writer=model,
        rewriter=model,
        judge=None,  # type: ignore[arg-type]
        sentence_judge=None,  # type: ignore[arg-type]
        text=load_text_tools(),
        embedder=None,  # type: ignore[arg-type]
        counter=counts or counter(*CORPUS),
        report=report,
    )
    answer = scripted_generation(answer_request(EMBEDDED, question, ()), short)
    case = Case(question=question, passages=(), golds=(), answer=answer, profile=EMBEDDED, seed=3)
    result = run(case, config, backends)
    assert model.requests == [step_by_step_request(question, EMBEDDED)]
    return result


def claims(sentence: CheckedSentence) -> list[tuple[str, str, str | None, int | None, bool | None]]:
    return [
        (c.head.entity.text, c.relation, c.tail.entity.text if c.tail else None, c.documents, c.supported)
        for c in sentence.claims
    ]


def test_the_request_is_the_shared_one_whatever_the_seed_of_the_case() -> None:
    request = step_by_step_request("Why?", EMBEDDED)
    assert isinstance(request, Request)
    assert (request.max_tokens, request.stop, request.seed, request.temperature) == (96, ("\nQuestion:", "\n"), 0, 0.0)
    assert request.prompt.text.endswith("\nQuestion: Why?\nAnswer:")


def test_each_sentence_is_checked_and_the_conclusion_claims_nothing() -> None:
    result = look("1791")
    assert [sentence.kind for sentence in result.sentences] == ["fact", "fact", "conclusion", "short answer"]
    assert claims(result.sentences[0]) == [("Magic Flute", "composed by", "Wolfgang Amadeus Mozart", 1, True)]
    assert claims(result.sentences[1]) == [("Wolfgang Amadeus Mozart", "died in", "1801", 0, False)]
    assert claims(result.sentences[2]) == []
    assert claims(result.sentences[3]) == [("The Magic Flute", ANSWERS_QUESTION, "1791", 1, True)]
    assert (result.supported, result.unsupported, result.not_measured) == (2, 1, "")


def test_the_questions_entities_are_counted_and_averaged() -> None:
    result = look("1791", question="Did Wolfgang Amadeus Mozart write The Magic Flute in Vienna?")
    assert [(c.entity.text, c.count) for c in result.entities] == [
        ("Wolfgang Amadeus Mozart", 2),
        ("The Magic Flute", 2),
        ("Vienna", 1),
    ]
    assert result.mean_count == pytest.approx(5 / 3)


def test_meetings_hold_the_place_and_are_cut_to_what_is_shown() -> None:
    many = counter(*["Wolfgang Amadeus Mozart wrote The Magic Flute."] * 9)
    claim = look("1791", counts=many, config=QucoConfig(meetings_shown=4)).sentences[0].claims[0]
    assert (claim.documents, len(claim.meetings)) == (9, 4)
    assert claim.meetings[0].head.text == "Magic Flute" and claim.meetings[0].distance == 5


def test_the_window_decides_what_meets() -> None:
    apart = counter("Wolfgang Amadeus Mozart " + "x " * 97 + "The Magic Flute")
    documents = [
        look("1791", counts=apart, config=QucoConfig(window=window, window_share=0.0)).sentences[0].claims[0].documents
        for window in (100, 101)
    ]
    assert documents == [0, 1]


def test_a_higher_threshold_asks_for_more_documents() -> None:
    result = look("1791", config=QucoConfig(cooccurrence_threshold=2))
    assert result.sentences[0].claims[0].supported is False


def test_a_full_sentence_as_answer_makes_its_own_claims() -> None:
    short = look("Wolfgang Amadeus Mozart died on 5 December 1791.").sentences[-1]
    assert short.kind == "short answer"
    assert claims(short) == [("Wolfgang Amadeus Mozart", "died on", "5 December 1791", 1, True)]


def test_a_short_answer_without_a_name_is_taken_whole() -> None:
    assert claims(look("by a comet").sentences[-1])[0][2] == "by a comet"
    assert look("it was like that back then as they had often said").sentences[-1].claims == ()


@pytest.mark.parametrize(
    "answer",
    [
        "yes",
        "No.",
        "second",
        "The first.",
        "I don't know.",
        "The text does not mention this.",
        "Unknown",
        "It is not known.",
    ],
)
def test_yes_no_and_abstentions_claim_nothing(answer: str) -> None:
    assert look(answer).sentences[-1].claims == ()


def test_an_empty_answer_is_no_sentence() -> None:
    assert [sentence.kind for sentence in look("  ").sentences] == ["fact", "fact", "conclusion"]


def test_a_claim_that_is_a_question_has_only_its_heads_count() -> None:
    claim = look("1791", memory="Who wrote The Magic Flute?").sentences[0].claims[0]
    assert (claim.head.count, claim.tail, claim.documents, claim.supported) == (2, None, None, None)


def test_nothing_to_count_is_not_measured_and_says_so() -> None:
    result = look("yes", memory="So it is.", question="Why?")
    assert (result.mean_count, result.supported, result.unsupported) == (None, 0, 0)
    assert result.not_measured == (
        "The question names nothing that a corpus could count, and the answers claim no pair of names."
    )


def test_no_corpus_and_no_reply_are_not_measured_rather_than_zero() -> None:
    empty, deaf = look("1791", counts=counter()), look("1791", counts=Deaf())
    assert empty.not_measured == "The corpus holds no documents, so there is nothing to count in."
    assert deaf.not_measured == (
        "Nothing that the question or the answers name could be counted in a far corpus. It does not answer."
    )
    for result in (empty, deaf):
        assert {claim.supported for sentence in result.sentences for claim in sentence.claims} == {None}
        assert (result.supported, result.unsupported, result.mean_count) == (0, 0, None)
        assert "unsupported" not in headlines(result), "none was judged: 0 would read as none without evidence"
    assert "unsupported" in headlines(look("1791"))


@pytest.mark.parametrize(
    "text", ["<script>alert('x')</script> {question}", "😀🎉", "ولد محمد علي في مدينة كفالا.", "word " * 10_000]
)
def test_bad_text_is_read_without_an_error(text: str) -> None:
    result = look(text, memory=text, question=text[:500])
    assert result.corpus == "three texts" and result.corpus_documents == 3


def test_progress_is_told_between_sentences_and_stopping_stops() -> None:
    seen: list[Event] = []
    look("1791", report=seen.append)
    stages = [event for event in seen if isinstance(event, Stage)]
    assert all(stage.method == "quco_rag" for stage in stages) and len(stages) == 5

    def stop(event: Event) -> None:
        if isinstance(event, Stage) and event.done == 1:
            raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        look("1791", report=stop)


def test_the_relation_check_is_off_as_it_flags_most_claims_that_articles_state() -> None:
    assert QucoConfig().relation_check is False
    stored = json.loads((PROJECT / "benchmarks" / "results" / "evidence.json").read_text(encoding="utf-8"))
    assert stored["relation_check"]["share"] > 0.15, "once it flags less of the true claims, it may be on"


@pytest.mark.parametrize(
    ("answer", "tails"),
    [
        ("Unsure", []),
        ("Not sure.", []),
        ("Nobody knows", []),
        ("none", []),
        ("Oslo. The text does not mention the year.", ["Oslo"]),
        ("Oslo", ["Oslo"]),
        ("a clockmaker", []),
        ("clockmaker", []),
        ("first woman", []),
        ("British football team", []),
        ("English composer", []),
        ("president", []),
        ("penicillin", ["penicillin"]),
        ("the Polish chemist Marie Meyer", ["Marie Meyer"]),
    ],
)
def test_a_short_answer_claims_what_it_states_and_no_abstention(answer: str, tails: list[str]) -> None:
    tools = load_text_tools()
    asked = tools.entities("Where was Marie Curie born?")
    assert [one.tail.text for one in answer_triplets(answer, asked, tools)] == tails


def test_a_name_inside_the_answer_is_no_evidence_for_it() -> None:
    # Every mention of Charlie Leland Rowland is one of Leland: that the two meet says nothing of the answer.
    tools = load_text_tools()
    asked = tools.entities("Who directed the film that was shot in Leland in 1986?")
    found = answer_triplets("Charlie Leland Rowland", asked, tools)
    assert [(one.head.text, one.tail.text) for one in found if one.tail] == [("1986", "Charlie Leland Rowland")]
    assert answer_triplets("Paris", tools.entities("Where was Paris Hilton born?"), tools) == ()


def test_what_stands_side_by_side_in_the_question_is_no_evidence_for_the_answer() -> None:
    # A corpus that names jaffa cakes names "jaffa" beside "cakes", whatever they are.
    tools, question = load_text_tools(), "is jaffa cakes a biscuit or a cake"
    asked = tools.entities(question)
    assert [one.text for one in asked] == ["jaffa"]
    assert answer_triplets("cakes", asked, tools, question) == ()
    assert [one.tail.text for one in answer_triplets("biscuit", asked, tools, question) if one.tail] == ["biscuit"]
