"""DENSE on scripted backends: every number follows from answers that are written here."""

import math
from dataclasses import replace

import pytest

from engine.backends.language_models.base import Request
from engine.core.errors import NotMeasured
from engine.core.records import Passage
from engine.methods.cost import Plan
from engine.methods.dense import load, run, settings_of
from engine.methods.dense_records import DenseConfig
from engine.methods.profiles import EMBEDDED
from tests.engine.methods.scripted_case import PASSAGES, QUESTION, backends, case

REWRITES = {
    PASSAGES[0].text: "In 1702, the Vesper Clock was built. It was rebuilt by Lyra Quill in 1890.",
    PASSAGES[1].text: "It was Lyra Quill who was a clockmaker from Bremen. In 1911, she died.",
    PASSAGES[2].text: "The harbour of Bremen has a long quay and two old cranes.",
}


def asked_to_rewrite(request: Request) -> str | None:
    """Return the passage a whole-chunk rewrite request holds."""
    if not request.prompt.text.startswith("Rewrite this text"):
        return None
    return request.prompt.text.split("\n\n", 1)[1]


def sentence_rewrite(request: Request) -> bool:
    """Return whether one sentence is to be reworded."""
    return "In other words:" in request.prompt.text or request.prompt.text.startswith("Paraphrase:")


def speaker(answer):
    """Return a model that rewrites as above, copies single sentences, and answers questions by ``answer(prompt)``."""

    def speak(request: Request) -> str:
        passage = asked_to_rewrite(request)
        if passage is not None:
            return REWRITES[passage]
        if sentence_rewrite(request):
            return "The same sentence."
        return answer(request.prompt.text)

    return speak


def run_dense(answer, config: DenseConfig | None = None, **options):
    """Return the result over the scripted case."""
    backend = backends(speaker(answer), **options)
    return run(case(backend), config or DenseConfig(similarity_bound=0.3), backend), backend


def test_a_model_that_always_answers_alike_has_entropy_0_and_only_certain_chunks() -> None:
    result, backend = run_dense(lambda prompt: "Lyra Quill")
    assert result.entropy == 0.0
    assert result.share == 0.0
    assert result.uncertain is False
    assert [chunk.label for chunk in result.chunks] == ["certain"] * 3
    assert result.members == (-1, 0, 1, 2)
    answers = [r for r in backend.model.requests if QUESTION in r.prompt.text]
    assert len(answers) == 1 + 3, "the original answer, one per rewrite, and no ablation"


def test_one_deviating_answer_of_four_gives_the_entropy_of_three_to_one() -> None:
    result, _ = run_dense(lambda prompt: "Nobody" if "has a long quay" in prompt else "Lyra Quill")
    expected = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    assert result.entropy == pytest.approx(expected, abs=1e-12)
    assert result.share == pytest.approx(expected / math.log(4), abs=1e-12)
    assert result.uncertain is True
    assert [chunk.weight for chunk in result.chunks] == [1.0, 1.0, 0.0]


def test_an_uncertain_chunk_whose_removal_changes_nothing_is_unnecessary() -> None:
    result, _ = run_dense(lambda prompt: "Nobody" if "has a long quay" in prompt else "Lyra Quill")
    assert [chunk.label for chunk in result.chunks] == ["certain", "certain", "unnecessary"]
    assert result.chunks[2].ablation_weight == 1.0


def test_an_uncertain_chunk_whose_removal_changes_the_answer_is_necessary() -> None:
    def answer(prompt: str) -> str:
        return "Lyra Quill" if PASSAGES[0].text in prompt else "Nobody"

    result, _ = run_dense(answer)
    assert [chunk.label for chunk in result.chunks] == ["necessary", "certain", "certain"]
    assert result.chunks[0].ablation is not None
    assert result.chunks[0].ablation.text == "Nobody"
    pairs = {(judgement.premise, judgement.hypothesis) for judgement in result.judgements}
    assert {("Lyra Quill", "Nobody"), ("Nobody", "Lyra Quill")} <= pairs


def test_a_copied_passage_is_not_measured_and_the_entropy_counts_the_valid_rewrites_only() -> None:
    def speak(request: Request) -> str:
        passage = asked_to_rewrite(request)
        if passage == PASSAGES[1].text:
            return passage
        return speaker(lambda prompt: "Lyra Quill")(request)

    backend = backends(speak)
    result = run(case(backend), DenseConfig(similarity_bound=0.3), backend)
    assert result.valid_rewrites == 2
    assert result.members == (-1, 0, 2)
    assert result.chunks[1].label == "not measured"
    assert "changed (0.0% of the words differ, at least 2% must)" in result.chunks[1].reason
    assert [attempt.source for attempt in result.chunks[1].attempts] == ["whole", "sentences"]


def test_no_valid_rewrite_leaves_the_entropy_unmeasured_and_keeps_every_attempt() -> None:
    backend = backends(lambda request: "Lyra Quill" if QUESTION in request.prompt.text else "Nothing to see.")
    result = run(case(backend), DenseConfig(), backend)
    assert result.entropy is None
    assert result.uncertain is None
    assert "None of the 3 passages could be reworded" in result.not_measured
    assert all(len(chunk.attempts) == 2 for chunk in result.chunks)


def test_a_rewrite_by_hand_replaces_the_models_and_counts_even_if_a_name_is_missing() -> None:
    config = DenseConfig(similarity_bound=0.3, rewrites=((2, "A quay, and cranes."),))
    result, backend = run_dense(lambda prompt: "Lyra Quill", config)
    assert result.chunks[2].rewrite is not None
    assert result.chunks[2].rewrite.source == "hand"
    assert result.chunks[2].label == "certain"
    assert not any(PASSAGES[2].text == asked_to_rewrite(request) for request in backend.model.requests)


def test_a_copy_by_hand_does_not_count_and_only_the_check_that_decides_is_named() -> None:
    config = DenseConfig(similarity_bound=1.1, rewrites=((0, PASSAGES[0].text),))
    result, _ = run_dense(lambda prompt: "Lyra Quill", config)
    assert result.chunks[0].label == "not measured"
    reason = "The rewording by hand does not count: changed (0.0% of the words differ, at least 2% must)."
    assert result.chunks[0].reason == reason
    failed = [check.name for check in result.chunks[0].attempts[-1].checks if not check.passed]
    assert failed == ["changed", "meaning", "answer"]


def test_no_valid_rewrite_of_the_only_passage_is_said_in_the_singular() -> None:
    backend = backends(lambda request: "Lyra Quill" if QUESTION in request.prompt.text else "Nothing to see.")
    result = run(case(backend, PASSAGES[:1]), DenseConfig(), backend)
    assert result.not_measured.startswith("Not even the one passage could be reworded in a way that passes the checks")


def test_one_chunk_only_gives_ln_2_when_its_rewrite_changes_the_answer() -> None:
    def answer(prompt: str) -> str:
        return "Lyra Quill" if PASSAGES[0].text in prompt else "Nobody"

    backend = backends(speaker(answer))
    result = run(case(backend, PASSAGES[:1]), DenseConfig(similarity_bound=0.3), backend)
    assert result.entropy == pytest.approx(math.log(2), abs=1e-12)
    assert result.chunks[0].label == "necessary"


def test_without_passages_there_is_nothing_to_look_at() -> None:
    backend = backends(lambda request: "Lyra Quill")
    with pytest.raises(NotMeasured, match="there are none"):
        run(case(backend, ()), DenseConfig(), backend)


def test_a_passage_longer_than_the_embedder_reads_is_compared_to_its_end() -> None:
    long = Passage(text=" ".join(f"Clock number {number} stands in Bremen." for number in range(130)))
    reworded = " ".join(f"In Bremen stands clock number {number}." for number in range(130))
    by_hand = DenseConfig(rewrites=((0, reworded),))
    backend = backends(speaker(lambda prompt: "Lyra Quill"))
    assert backend.embedder.count_tokens(long.text) > backend.embedder.max_tokens
    result = run(case(backend, passages=(long,)), by_hand, backend)
    assert result.entropy == 0.0
    meaning = next(check for check in result.chunks[0].attempts[0].checks if check.name == "meaning")
    assert meaning.passed and meaning.detail.startswith("similarity 1.00")


def test_what_was_judged_of_an_ablation_is_kept() -> None:
    def answer(prompt: str) -> str:
        if PASSAGES[2].text not in prompt and "has a long quay" not in prompt:
            return "A clockmaker"
        return "Nobody" if "has a long quay" in prompt else "Lyra Quill"

    result, _ = run_dense(answer)
    pairs = {(judgement.premise, judgement.hypothesis) for judgement in result.judgements}
    assert ("Lyra Quill", "A clockmaker") in pairs
    assert result.chunks[2].label == "necessary"


def test_several_rewordings_of_a_chunk_give_the_entropy_an_interval() -> None:
    wordings = iter(
        ("The Vesper Clock was built by Lyra Quill in 1702.", "In 1702, Lyra Quill built the Vesper Clock.")
    ).__next__
    said = {}

    def speak(request: Request) -> str:
        if sentence_rewrite(request):
            return said.setdefault(request.prompt.text, wordings())
        return "Nobody" if "In 1702, Lyra" in request.prompt.text else "Lyra Quill"

    passages = (Passage(title="Vesper Clock", text="Lyra Quill built the Vesper Clock in 1702."),)
    backend = backends(speak)
    given = replace(case(backend, passages), profile=EMBEDDED)
    result = run(given, DenseConfig(similarity_bound=0.3, draws=2), backend)
    assert result.valid_rewrites == 1
    assert len(result.further) == 1
    assert {result.chunks[0].answer.text, result.further[0].answer.text} == {"Lyra Quill", "Nobody"}
    interval = result.entropy_interval
    # One wording keeps the answer (0), the other changes it (ln 2): the middle 95% of these two values.
    assert interval.low == pytest.approx(0.025 * math.log(2), abs=1e-12)
    assert interval.high == pytest.approx(0.975 * math.log(2), abs=1e-12)
    assert result.is_firm is False
    (chunk,) = result.chunks
    assert (chunk.label, chunk.changing, chunk.wordings, chunk.change_share) == ("unclear", 1, 2, 0.5)
    assert chunk.ablation is not None, "one wording that changes the answer is enough to leave the chunk out"


def test_rules_reword_without_asking_the_model_and_each_sentence_says_by_which() -> None:
    asked = []

    def speak(request: Request) -> str:
        if sentence_rewrite(request):
            asked.append(request)
        return "Albert Einstein"

    passages = (Passage(text="The orbit of Mercury was explained by Albert Einstein in 1915."),)
    backend = backends(speak, rules=True)
    result = run(replace(case(backend, passages), profile=EMBEDDED), DenseConfig(draws=1), backend)
    chosen = result.chunks[0].rewrite
    assert not asked
    assert chosen.sentences[0].source == "rule"
    assert chosen.sentences[0].rule
    assert chosen.text != passages[0].text
    assert all(check.passed for check in chosen.checks)


def test_copies_of_a_passage_are_reworded_and_left_out_together() -> None:
    """Alone, rewording one of two copies changes nothing: the other copy still answers."""
    passages = (PASSAGES[0], PASSAGES[2], PASSAGES[0])
    backend = backends(speaker(lambda prompt: "Lyra Quill" if PASSAGES[0].text in prompt else "Bremen"))
    result = run(case(backend, passages), DenseConfig(similarity_bound=0.3), backend)
    assert result.copies == ((0, 2),)
    assert [chunk.label for chunk in result.chunks] == ["necessary", "certain", "necessary"]
    assert [chunk.weight for chunk in result.chunks] == [0.0, 1.0, 0.0]


def test_at_a_temperature_every_answer_is_drawn_with_a_seed_of_its_own_prompt() -> None:
    config = DenseConfig(similarity_bound=0.3, draws=1, temperature=0.7)
    result, backend = run_dense(lambda prompt: "Lyra Quill", config)
    drawn = [request for request in backend.model.requests if request.temperature == 0.7]
    assert len(drawn) == 1 + 3 and len({request.seed for request in drawn}) == 4
    assert all(QUESTION in request.prompt.text for request in drawn), "rewordings stay greedy"
    assert (result.temperature, result.entropy) == (0.7, 0.0)
    _, other = run_dense(lambda prompt: "Lyra Quill", config)
    assert [r.seed for r in other.model.requests if r.temperature] == [request.seed for request in drawn]
    plan = Plan(profile=EMBEDDED, passages=1, passage_tokens=25, question_tokens=5)
    assert load(config, plan).model_calls == load(replace(config, temperature=0.0), plan).model_calls + 1


def test_quick_reading_asks_for_a_changed_answer_in_full_and_takes_sure_others_as_they_are() -> None:
    """Quickly read, chunks 1 and 3 change the answer; read in full, only chunk 1 does."""

    def answer(request: Request) -> str:
        changed = [place for place, passage in enumerate(PASSAGES) if passage.text not in request.prompt.text]
        quick = request.kept is not None
        return "Nobody" if changed and changed[0] in ((0, 2) if quick else (0,)) else "Lyra Quill"

    def speak(request: Request) -> str:
        rewording = asked_to_rewrite(request) or sentence_rewrite(request)
        return speaker(lambda prompt: "")(request) if rewording else answer(request)

    backend = backends(speak, keeps_readings=True)
    result = run(case(backend), DenseConfig(similarity_bound=0.3, reading="quick", draws=1), backend)
    assert result.reading == settings_of(result).reading == "quick"
    assert [chunk.answer.text for chunk in result.chunks] == ["Nobody", "Lyra Quill", "Lyra Quill"]
    assert [chunk.answer.kept for chunk in result.chunks] == [False, True, False]
    answers = [request for request in backend.model.requests if QUESTION in request.prompt.text]
    over = [request for request in answers if request.kept is not None]
    assert len(over) == 3
    (base,) = {request.kept.prompt for request in over}
    assert base == answers[0].prompt, "the prompt over the unchanged passages"
    assert all(
        request.prompt.text[-request.kept.behind :].startswith("\n\nBased on the text above") for request in over
    )
    # The original, three quick ones, two of them again in full, and one without the chunk that changes it.
    assert len(answers) == 1 + 3 + 2 + 1


def test_quick_reading_asks_in_full_where_any_token_of_the_answer_is_unlikely() -> None:
    def spoken(logprob: float):
        def speak(request: Request):
            if asked_to_rewrite(request) or sentence_rewrite(request):
                return speaker(lambda prompt: "")(request)
            return [("Lyra", -0.1, 0.2), (" Quill", logprob if request.kept else -0.1, 0.2)]

        return speak

    for logprob, kept in ((math.log(0.51), True), (math.log(0.49), False)):
        backend = backends(spoken(logprob), keeps_readings=True)
        result = run(case(backend), DenseConfig(similarity_bound=0.3, reading="quick", draws=1), backend)
        assert [chunk.answer.kept for chunk in result.chunks] == [kept] * 3


def test_an_answer_in_doubt_is_read_for_in_full_from_the_start() -> None:
    def speak(request: Request):
        if asked_to_rewrite(request) or sentence_rewrite(request):
            return speaker(lambda prompt: "")(request)
        return [("Lyra", -0.1, 0.2), (" Quill", math.log(0.49), 0.2)]

    backend = backends(speak, keeps_readings=True)
    result = run(case(backend), DenseConfig(similarity_bound=0.3, reading="quick", draws=1), backend)
    assert result.reading == "full"
    assert all(request.kept is None for request in backend.model.requests)


@pytest.mark.parametrize(("able", "temperature"), [(False, 0.0), (True, 0.7)])
def test_what_cannot_be_read_quickly_is_read_in_full_and_says_so(able: bool, temperature: float) -> None:
    config = DenseConfig(similarity_bound=0.3, reading="quick", draws=1, temperature=temperature)
    result, backend = run_dense(lambda prompt: "Lyra Quill", config, keeps_readings=able)
    assert result.reading == "full"
    assert all(request.kept is None for request in backend.model.requests)


def test_the_load_of_quick_reading_grows_with_the_passages_and_that_of_full_reading_with_their_square() -> None:
    """Passages of 100 tokens: k answers read 100 + 45 tokens each, or all k passages each."""
    plans = [Plan(profile=EMBEDDED, passages=k, passage_tokens=100 * k, question_tokens=5) for k in (5, 20)]
    full, quick = (
        [load(DenseConfig(draws=1, reading=reading), plan).prompt_tokens for plan in plans]
        for reading in ("full", "quick")
    )
    assert [one - other for one, other in zip(full, quick, strict=True)] == [5 * (545 - 145), 20 * (2045 - 145)]
