"""What happened in a run: every case by hand-made answers and passages, and because-of only with a measurement."""

from dataclasses import replace

import pytest

from engine.core.records import Hit, JudgedAnswer, Passage
from engine.diagnosis.record import Diagnosis
from tests.pages.page_fixtures import done, whole_diagnosis
from tests.viz.sample_results import dense_full, generation, seper_helped, seper_noise
from tests.viz.sample_uncertainty import chunk_utility
from viz.runs.headline import SENTENCES, case_of, headline, resting_passages

NEITHER, TOKYO, KYOTO = "Canberra is old.", "Tokyo is the capital.", "Kyoto was the capital."


def run_of(
    memory: str, answer: str, golds: tuple[str, ...] = ("Tokyo",), passages: tuple[str, ...] = (NEITHER,)
) -> Diagnosis:
    """Return a run with these answers over these passages, and no method."""
    hits = tuple(
        Hit(passage=Passage(text=text), rank=place, score=1.0, retriever="bm25")
        for place, text in enumerate(passages, start=1)
    )
    asked = {"closed_book": generation(memory), "answer": generation(answer)}
    return replace(whole_diagnosis(golds=golds), hits=hits, outcomes=(), **asked)


CASES = [
    ("kept_right", "Tokyo", "Tokyo", (NEITHER, TOKYO), (1,)),
    ("spoiled", "Tokyo", "Kyoto", (TOKYO, KYOTO), (1,)),
    ("spoiled", "Tokyo", "Kyoto", (NEITHER,), ()),
    ("silenced", "Tokyo", "I do not know", (TOKYO,), ()),
    ("hedged", "Kyoto", "not Tokyo but Kyoto", (TOKYO,), ()),
    ("helped", "Kyoto", "Tokyo", (NEITHER, TOKYO), (1,)),
    ("helped", "Kyoto", "It is Tokyo.", (NEITHER, TOKYO), (1,)),
    ("supplied", "", "Tokyo", (TOKYO,), (0,)),
    ("missed", "Kyoto", "Kyoto", (NEITHER,), ()),
    ("missed", "", "Kyoto", (KYOTO,), ()),
    ("unanswered_missed", "", "...", (NEITHER,), ()),
    ("overlooked", "Nara", "Kyoto", (KYOTO, TOKYO), (1,)),
    ("unanswered_missed", "Kyoto", "", (NEITHER,), ()),
    ("unanswered_overlooked", "", "I do not know", (NEITHER, TOKYO), (1,)),
]


@pytest.mark.parametrize(("case", "memory", "answer", "passages", "told"), CASES)
def test_each_case_has_its_name_and_the_passages_it_speaks_of(
    case: str, memory: str, answer: str, passages: tuple[str, ...], told: tuple[int, ...]
) -> None:
    found = headline(run_of(memory, answer, passages=passages))

    assert (found.case, found.passages) == (case, told)


JUDGED = (JudgedAnswer(text="Edo", meaning=0.9),)


@pytest.mark.parametrize(
    ("case", "memory", "answer"),
    [
        # What only the judge calls right is called so, and no change is built on it.
        ("alike", "Kyoto", "Edo"),
        ("alike", "Tokyo", "Edo"),
        ("right", "Edo", "Tokyo"),
        ("overlooked", "Edo", "Kyoto"),
    ],
)
def test_nothing_is_said_to_have_helped_or_spoiled_by_the_judges_word(case: str, memory: str, answer: str) -> None:
    found = headline(replace(run_of(memory, answer, passages=(TOKYO,)), judged=JUDGED))

    assert found.case == case
    assert (case == "alike") == (found.tone == "middle") == (found.sentence.startswith("Right by the judge, in other"))


@pytest.mark.parametrize(
    ("passages", "where", "told"),
    [
        (("Edo lies east.", TOKYO), ", which passage 1 names", (0,)),
        ((NEITHER, TOKYO), "; passage 2 names a correct answer", (1,)),
        # A passage may say it in other words, as the answer does: it is not said to lack it.
        ((NEITHER,), "", ()),
    ],
)
def test_an_answer_in_other_words_is_held_against_what_the_passages_say(
    passages: tuple[str, ...], where: str, told: tuple[int, ...]
) -> None:
    found = headline(replace(run_of("Kyoto", "Edo", passages=passages), judged=JUDGED))

    assert (found.sentence, found.passages) == (f"Right by the judge, in other words: “Edo”{where}.", told)


def test_without_passages_the_judges_word_is_told_as_such() -> None:
    found = headline(replace(run_of("Kyoto", "Edo", passages=()), judged=JUDGED))

    assert (found.sentence, found.tone) == ("No passages were read: “Edo”, right by the judge.", "middle")


@pytest.mark.parametrize(
    ("case", "memory", "answer"),
    [
        ("changed", "Tokyo", "Kyoto"),
        ("unchanged", "the Tokyo.", "tokyo"),
        ("fell_silent", "Tokyo", ""),
        ("spoke_up", "unknown", "Kyoto"),
        ("never_answered", "", "I do not know"),
    ],
)
def test_without_a_correct_answer_only_the_change_is_told(case: str, memory: str, answer: str) -> None:
    found = headline(run_of(memory, answer, golds=(), passages=(KYOTO,)))

    assert found.case == case
    assert found.tone == "unknown"


@pytest.mark.parametrize(("answer", "tone"), [("Tokyo", "good"), ("Kyoto", "bad"), ("", "middle")])
def test_without_passages_the_tone_is_that_of_the_answer(answer: str, tone: str) -> None:
    found = headline(run_of("Tokyo", answer, passages=()))

    assert (found.case, found.tone) == ("no_passages", tone)


@pytest.mark.parametrize(
    ("gold", "passage", "case"),
    [
        ("New York", "He moved to New\nYork.", "overlooked"),
        ("the Loire", "It lies on the river Loire.", "overlooked"),
        ("1066", "It had 1,066 ships.", "overlooked"),
        ("北京", "北京是首都。", "overlooked"),
        # Where words cannot tell, it is not said that no passage holds it.
        ("20 July 1969", "They landed on July 20, 1969.", "wrong"),
        ("because the ice melted too early", "The melting of the ice came too soon.", "wrong"),
        ("15", "It weighs 1.5 kg.", "missed"),
    ],
)
def test_no_passage_is_said_to_lack_an_answer_that_it_may_hold(gold: str, passage: str, case: str) -> None:
    assert case_of(run_of("Nara", "Nara", golds=(gold,), passages=(passage,))) == case


def test_another_number_is_another_answer() -> None:
    assert case_of(run_of("15", "1.5", golds=(), passages=(NEITHER,))) == "changed"
    assert case_of(run_of("15", "1.5", golds=("1.5",), passages=(NEITHER,))) == "helped"


def test_yes_and_no_stand_anywhere_so_no_passage_is_said_to_hold_them() -> None:
    found = headline(run_of("no idea", "yes", golds=("no",), passages=("There is no doubt, yes.",)))

    assert (found.case, found.passages) == ("wrong", ())
    assert case_of(run_of("yes", "", golds=("no",))) == "unanswered"


FAR = "a big old town in the far west"
HELPED = "Reading helped: “Kyoto” from memory, then “Tokyo”"
ELSEWHERE = "The correct answer is named in passage 2, yet the model says “Kyoto”"


@pytest.mark.parametrize(
    ("memory", "answer", "passages", "sentence"),
    [
        ("Tokyo", "Tokyo", (NEITHER, TOKYO), "Right before and after reading: “Tokyo”, which passage 2 names."),
        ("Kyoto", "Tokyo", (TOKYO, NEITHER, TOKYO), f"{HELPED}, which passages 1 and 3 name."),
        ("Kyoto", "Tokyo", (TOKYO,) * 3, f"{HELPED}, which 3 passages name."),
        ("Kyoto", "Tokyo", (NEITHER,), f"{HELPED}, which no passage names."),
        # A passage with the correct answer does not name the wrong one.
        (
            "Tokyo",
            "Kyoto",
            (TOKYO,),
            "Right from memory, wrong after reading: “Tokyo”, then “Kyoto”, which no passage names.",
        ),
        ("Kyoto", "Kyoto", (NEITHER,), "No passage names the correct answer: “Kyoto” is wrong, as from memory."),
        ("Nara", "Kyoto", (NEITHER,), "No passage names the correct answer: “Kyoto” is wrong."),
        ("Nara", "Kyoto", (KYOTO, TOKYO), f"{ELSEWHERE}, as in passage 1."),
        ("Nara", "Kyoto", (NEITHER, TOKYO), f"{ELSEWHERE}."),
        # One passage holds both: nothing is told from the one and taken from the other.
        ("Nara", "Kyoto", (NEITHER, "Tokyo and Kyoto."), f"{ELSEWHERE}."),
        ("", "I do not know", (NEITHER, TOKYO), "No answer after reading, though passage 2 names it."),
        ("", "I do not know", (TOKYO, TOKYO), "No answer after reading, though passages 1 and 2 name it."),
        ("Tokyo", "Tokyo", (), "No passages were read: “Tokyo”, right."),
        ("Tokyo", "Kyoto", (), "No passages were read: “Kyoto”, wrong."),
        # A long answer is hardly found word for word, so it is not said that no passage names it.
        ("Tokyo", FAR, (NEITHER,), f"Right from memory, wrong after reading: “Tokyo”, then “{FAR}”."),
        (
            "Tokyo",
            "an old harbour town",
            (NEITHER,),
            "Right from memory, wrong after reading: “Tokyo”, then “an old harbour town”, which no passage names.",
        ),
    ],
)
def test_the_sentence_says_which_passages_name_the_answer(
    memory: str, answer: str, passages: tuple[str, ...], sentence: str
) -> None:
    assert headline(run_of(memory, answer, passages=passages)).sentence == sentence


@pytest.mark.parametrize(
    ("memory", "noisy", "clear"),
    [
        ("Kyoto", "Wrong from memory, right after reading: “Kyoto”, then “Tokyo”", HELPED),
        ("", "No answer from memory, right after reading: “Tokyo”", "Reading supplied the answer: “Tokyo”"),
    ],
)
def test_reading_is_not_said_to_have_helped_where_seper_found_no_clear_rise(
    memory: str, noisy: str, clear: str
) -> None:
    run = run_of(memory, "Tokyo", passages=(TOKYO,))
    said = [
        headline(replace(run, outcomes=(done("seper", found),))).sentence for found in (seper_noise(), seper_helped())
    ]
    assert said == [f"{noisy}, which passage 1 names.", f"{clear}, which passage 1 names."]


def test_where_no_correct_answer_is_known_nothing_is_called_right_or_wrong() -> None:
    assert headline(run_of("Tokyo", "Kyoto", golds=(), passages=())).sentence == "No passages were read: “Kyoto”."
    assert headline(run_of("yes", "no", golds=("yes",))).sentence.endswith("“yes”, then “no”.")


def test_one_short_alias_is_enough_to_say_that_no_passage_holds_it() -> None:
    assert case_of(run_of("Nara", "Nara", golds=("Tokyo", FAR))) == "missed"
    assert case_of(run_of("Nara", "Nara", golds=(FAR,))) == "wrong"


MEASURED = {"dense": dense_full(), "chunk_utility": chunk_utility()}


@pytest.mark.parametrize(
    ("memory", "answer", "method", "place", "causal"),
    [
        # DENSE calls passage 2 necessary and passage 1 certain.
        ("Kyoto", "Tokyo", "dense", 1, True),
        ("Kyoto", "Tokyo", "dense", 0, False),
        # Among the others passage 1 raises belief, passage 3 lowers it, of passage 4 it is unclear.
        ("Kyoto", "Tokyo", "chunk_utility", 0, True),
        ("Kyoto", "Tokyo", "chunk_utility", 2, False),
        ("Tokyo", "Kyoto", "chunk_utility", 2, True),
        ("Tokyo", "Kyoto", "chunk_utility", 0, False),
        ("Tokyo", "Kyoto", "chunk_utility", 3, False),
        # What stood before reading rests on no passage, whatever was measured of it.
        ("Tokyo", "Tokyo", "dense", 1, False),
        ("Tokyo", "Tokyo", "chunk_utility", 0, False),
    ],
)
def test_because_of_needs_a_necessary_passage_or_a_utility_that_goes_the_answers_way(
    memory: str, answer: str, method: str, place: int, causal: bool
) -> None:
    passages = [NEITHER] * 4
    passages[place] = f"{answer} it is."
    bare = run_of(memory, answer, passages=tuple(passages))
    result = replace(MEASURED[method], original=generation(answer)) if method == "dense" else MEASURED[method]
    run = replace(bare, outcomes=(done(method, result),))

    assert resting_passages(run, case_of(run)) == ((place,) if causal else ())
    assert headline(run).passages == (place,)
    assert headline(run).sentence.endswith(f", because of passage {place + 1}.") is causal


@pytest.mark.parametrize(
    ("original", "temperature", "causal"),
    [("Tokyo", 0.0, True), (" Tokyo ", 0.0, True), ("Osaka", 0.0, False), ("Tokyo", 1.0, False)],
)
def test_denses_labels_count_only_where_it_looked_at_the_runs_own_answer(
    original: str, temperature: float, causal: bool
) -> None:
    dense = replace(dense_full(), original=generation(original), temperature=temperature)
    run = replace(run_of("Kyoto", "Tokyo", passages=(NEITHER, TOKYO)), outcomes=(done("dense", dense),))
    assert resting_passages(run, case_of(run)) == ((1,) if causal else ())


def test_a_headline_has_at_most_fifteen_words_beside_its_answers() -> None:
    long = "the very long name of a place that nobody ever heard of before today"
    for _, memory, answer, passages, _ in CASES:
        assert len(headline(run_of(memory, answer, passages=passages)).sentence.split()) <= 18
    assert len(headline(run_of(long, long, passages=(NEITHER,))).sentence) < 120
    assert len(SENTENCES) == 20
