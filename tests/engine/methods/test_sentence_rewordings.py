"""Rewordings of single sentences: which are refused, in what order the rest comes, and how the labelled ones fare."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.backends.text import load_text_tools
from engine.methods.profiles import EMBEDDED
from engine.methods.rewrite_checks import check_answer, check_facts, keeps_answer, whole_sentences
from engine.methods.sentence_rewordings import Candidate, SentenceTry, asked_of, ranked, sentence_tries
from tests.engine.methods.scripted_case import backends

LABELLED = Path(__file__).parents[2] / "reference" / "rewordings.jsonl"


@pytest.mark.parametrize(
    ("sentence", "rewording"),
    [
        (
            "The Galerie des Machines was demolished in 1910, but the Eiffel Tower remained.",
            "The Eiffel Tower was demolished in 1910, but the Galerie des Machines was preserved.",
        ),
        (
            "Kyoto is a city on the island of Honshu in Japan.",
            "Kyoto, the capital city of Japan, is a city on the island of Honshu in Japan.",
        ),
        ("Its capital is Selm, a walled town.", "The capital of Selm is a walled town."),
        ("It freezes at about minus 39 degrees Celsius.", "It freezes at minus 39 degrees Celsius."),
        ("Marta did not write the book.", "The book was written by Marta."),
        ("Marta may have written the book.", "The book was written by Marta."),
        ("The picture hangs in the town hall.", "The picture hung in the town hall."),
    ],
)
def test_a_rewording_that_changes_what_is_claimed_is_refused(sentence: str, rewording: str) -> None:
    assert not check_facts(sentence, rewording, load_text_tools()).passed


@pytest.mark.parametrize(
    ("sentence", "rewording"),
    [
        ("Marie Curie discovered radium in 1898.", "In 1898, radium was discovered by Marie Curie."),
        ("John Hunt, a British army officer, led it.", "John Hunt, who was a British army officer, led it."),
        ("The capital of France is Paris.", "Paris is France's capital."),
        ("Harold Godwinson had marched from London.", "It was Harold Godwinson who had marched from London."),
        ("The town began near the sea.", "The town started close to the sea."),
    ],
)
def test_another_voice_order_or_form_states_the_same(sentence: str, rewording: str) -> None:
    check = check_facts(sentence, rewording, load_text_tools())
    assert check.passed, check.detail


def test_what_is_lost_and_new_is_named() -> None:
    check = check_facts("Mills grew beside the river.", "Mills grew beside the harbour.", load_text_tools())
    assert check.detail == "lost: grow – beside – river; new: grow – beside – harbour"


def test_the_sentence_that_holds_the_answer_has_to_be_reworded() -> None:
    text = "Tokyo is the capital of Japan. It stands on the coast."
    tools = load_text_tools()
    assert not check_answer(text, "Tokyo is the capital of Japan. On the coast it stands.", ("Tokyo",), tools).passed
    assert check_answer(text, "Japan's capital is Tokyo. It stands on the coast.", ("Tokyo",), tools).passed
    assert check_answer(text, text, ("Kyoto", "yes"), tools).passed
    endless = f"Tokyo is the capital of {'very' * 400}."
    assert len(check_answer(endless, endless, ("Tokyo",), tools).detail) < 400, "a page quotes it"


def test_a_passage_in_another_language_is_reworded_by_nobody() -> None:
    """The rules made "It is Der who erste Nobelpreis für Physik ging 1901 an …" of it, and it passed every check."""
    german = "Der erste Nobelpreis für Physik ging 1901 an Wilhelm Conrad Röntgen."
    tools = replace(backends(lambda request: "Der Preis"), text=load_text_tools())
    english = "The first Nobel Prize in Physics was awarded in 1901 to Wilhelm Conrad Röntgen."
    (other,), (own,) = sentence_tries([[german], [english]], EMBEDDED, tools, 3, ("Röntgen",))
    assert (other.candidates, other.valid, other.generations) == (0, (), ())
    assert own.candidates > 0


def test_the_most_faithful_comes_first_and_then_the_one_that_changes_most() -> None:
    made = [
        Candidate(text="far", source="rule", changed=0.9, entailment=0.42),
        Candidate(text="near", source="rule", changed=0.1, entailment=0.93),
        Candidate(text="also near", source="rule", changed=0.3, entailment=0.91),
    ]
    assert [one.text for one in ranked(made)] == ["also near", "near", "far"]


def test_the_answer_letter_for_letter_comes_before_more_change_and_structure_before_a_phrase() -> None:
    made = [
        Candidate(text="date", source="rule", rule="date the other way round", changed=0.5, entailment=0.9,
                  keeps_answer=False),
        Candidate(text="phrase", source="rule", rule="another phrase", changed=0.4, entailment=0.9),
        Candidate(text="voice", source="rule", rule="passive to active", changed=0.2, entailment=0.9),
    ]  # fmt: skip
    assert [one.text for one in ranked(made)] == ["voice", "phrase", "date"]


def test_an_answer_is_kept_where_its_sentence_has_it() -> None:
    sentence = "It opened on May 31, 2012."
    assert not keeps_answer(sentence, "It opened on 31 May 2012.", ("May 31, 2012",))
    assert keeps_answer(sentence, "On May 31, 2012, it opened.", ("May 31, 2012",))
    assert keeps_answer(sentence, "It opened on 31 May 2012.", ("Paris",))


def test_a_remnant_without_a_verb_at_the_end_of_a_passage_is_no_sentence() -> None:
    text = "Israel lies to the west. Both Jordan"
    tools = load_text_tools()
    assert whole_sentences(text, tools) == ["Israel lies to the west."]
    assert check_answer(text, text, ("Jordan",), tools).passed
    assert not check_answer(text, text, ("Israel",), tools).passed


def test_words_that_stand_together_in_both_say_the_same_where_a_rule_moved_them() -> None:
    sentence = "Larson wrote to the king of the hill people in 1979."
    moved = "In 1979, Larson wrote to the king of the hill people."
    tools = load_text_tools()
    assert check_facts(sentence, moved, tools, moved=True).passed
    assert not check_facts(sentence, "In 1979, the king wrote to Larson of the hill people.", tools, moved=True).passed


def test_the_model_is_asked_only_where_it_matters() -> None:
    tried_on = backends(lambda request: "")
    good = Candidate(text="x", source="rule")
    texts = ("Rain fell.", "Ann Lee sang.", "Snow fell long.")
    undone = [SentenceTry(original=one, candidates=0, valid=()) for one in texts]
    done = SentenceTry(original="Ann Lee came.", candidates=1, valid=(good,))
    assert asked_of([*undone, done], ("Ann Lee",), tried_on) == [1]
    assert asked_of([undone[0], done], ("Ann Lee",), tried_on) == []
    assert asked_of(undone, (), tried_on) == [2, 1]


def test_the_labelled_rewordings_are_told_apart_as_the_benchmark_says() -> None:
    rows = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
    assert len(rows) >= 300
    assert len({(row["original"], row["rewording"]) for row in rows}) == len(rows)
    tools = load_text_tools()
    fit = [row for row in rows if row["part"] == "fit"]
    passed = [
        check_facts(row["original"], row["rewording"], tools, moved=row["source"] == "rule").passed for row in fit
    ]
    accepted = [row["label"] for row, fine in zip(fit, passed, strict=True) if fine]
    assert accepted.count("changed") <= 0.02 * len(accepted)
    kept = [fine for row, fine in zip(fit, passed, strict=True) if row["label"] == "kept"]
    assert kept.count(False) <= 0.27 * len(kept)
