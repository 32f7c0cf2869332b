"""What states an answer and what only says that there is none."""

import pytest

from engine.measures.abstention import abstains, clauses, sentences, states_answer


@pytest.mark.parametrize(
    "text",
    [
        "Paris is the capital. The text does not mention when it was founded.",
        "Paris, but the text does not say when it was founded.",
        "I do not know the year, but it is Paris.",
        "The song is No One Knows",
        "Unable to be there, he sent Kofi Annan",
        "As an AI, I have no access to news. The capital is Paris.",
        *("Can't Find My Way Home", "Because the dog can't tell left from right", "It is not in the sea"),
        *("Because the data was not shared", "It can't be found on maps", "I'm not sure, maybe Paris"),
        *("I Won't Dance", "Hard to Say I'm Sorry", "It did not give votes to women", "They did not name him captain"),
        *(
            "No record was broken: the winner was Silva",
            "He won't guess; it is Silva",
            "It was not released until 1912",
        ),
        *("The powers not given to the union go to the states.", "She does not find out until the end of season 2."),
        *("They were not protecting their states", "It addresses issues not mentioned in the constitution"),
        *("The passages mention Silva.", "The text describes Utrecht, and the treaty was signed there"),
        "Sorry",
        "5",
        "北京",
    ],
)
def test_one_clause_that_abstains_does_not_silence_the_others(text: str) -> None:
    assert states_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", " \n", "...", "?", "—", "I don't know.", "No one knows.", "They were unable to say.", "Unknown"),
        *("I'm sorry, but I cannot answer this. Could you give more context?", "It is unclear. The text does not say."),
        *("I can't answer that.", "I can’t find it.", "The question cannot be answered.", "I have no clue."),
        *("Information is unavailable.", "It is impossible to determine.", "Not applicable", "Not in the passages."),
        *("There is nothing about that in the context.", "It does not appear in the passages.", "Not enough context."),
        *(
            "I would rather not guess between Moreno and Silva.",
            "I won't speculate.",
            "Hard to say whether it's Silva.",
        ),
        *(
            "None of the passages names the coach.",
            "Nothing in these passages says who.",
            "The text leaves it open.",
        ),
        *("The passages mention Silva but don't say who the coach is.", "I'm not able to answer this.", "unclear"),
        *(
            "I have not found any record of the coach.",
            "No record of this survives.",
            "I lack the information to answer.",
        ),
        *("The passage states nothing about it.", "The name is not mentioned in the book.", "It is not known by many."),
        *("I'd need more context to answer.", "Whether Silva was the coach is not recorded.", "No way of telling."),
        *("I'm sorry, I don't know.", "Sorry, the passages do not mention it.", "I apologize, I cannot answer that."),
    ],
)
def test_a_text_without_letters_or_with_nothing_but_abstentions_states_none(text: str) -> None:
    assert not states_answer(text)


def test_the_rule_that_the_trained_judge_learnt_with_looks_anywhere() -> None:
    assert abstains("Paris is the capital. The text does not mention when it was founded.")
    assert abstains("Unable to be there, he sent Kofi Annan") and abstains("The song is No One Knows")
    assert not abstains("I can't answer that.")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("J. K. Rowling met Dr. Smith. He left.", 2),
        ("It is 1.5 km. So?", 2),
        ("北京。是。", 2),
        ("one\ntwo", 2),
        ("He met Dr.\nShe left.", 2),
        ("He was No. 5. He left.", 2),
        ("He said No. He left.", 2),
        ("It is 3. 5 left.", 2),
        ("", 0),
    ],
)
def test_a_text_is_its_sentences_and_abbreviations_end_none(text: str, count: int) -> None:
    assert len(sentences(text)) == count and "".join(sentences(text)) == text


def test_a_question_says_something_only_where_nothing_else_does() -> None:
    assert clauses("Who knows? It is Paris.") == ("It is Paris.",)
    assert clauses("Who knows? !!") == ("Who knows?",)
