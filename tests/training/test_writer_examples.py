"""What the writer learns from: never a test question, one fact a sentence, and the loop's own prompt."""

import random
from dataclasses import replace

import pytest

from engine.core.records import Passage
from engine.methods.profiles import STEP_BY_STEP_EXAMPLES, step_by_step_prompt
from training.cloze import MadeQuestion
from training.multihop import Hop, MultihopRow, for_training, multihop_row
from training.nq_open import OracleRow
from training.reader_examples import Neighbours
from training.statements import statement
from training.writer_examples import (
    Chain,
    absent_reply,
    chains_of,
    cloze_chains,
    concluded,
    musique_chain,
    oracle_chain,
    own_sentence,
    writer_example,
    writer_prompt,
    written_chain,
)

CLOCK = Passage(title="Vesper Clock", text="It was built in 1702. Lyra Quill rebuilt it in 1890.")
QUILL = Passage(title="Lyra Quill", text="She was born in Bremen. Her workshop stood at the harbour.")
ROW = MultihopRow(
    set_name="musique_train", question="Where was the rebuilder of the Vesper Clock born?", answers=("Bremen",),
    passages=(QUILL, CLOCK, Passage(title="Harbour", text="It has two cranes.")), supporting=(1, 0),
    hops=(Hop(question="Who rebuilt the Vesper Clock?", answer="Lyra Quill"),
          Hop(question="Where was #1 born?", answer="Bremen")),
    chain="", test=False,
)  # fmt: skip


def entry(name: str, question: str = "Who?") -> dict[str, object]:
    """Return one line of the multi-hop file."""
    return {"set": name, "question": question, "answers": ["A"], "passages": [{"title": "t", "text": "x"}]}


def test_hotpotqa_is_test_as_a_whole_and_never_learnt_from() -> None:
    rows = tuple(multihop_row(entry("hotpotqa_train", f"Who {n}?")) for n in range(20))
    assert all(row.test for row in rows) and for_training(rows) == ()
    with pytest.raises(ValueError, match="test question"):
        chains_of(rows[:1])


def test_musique_follows_the_split_of_all_questions_and_ircot_may_be_learnt_from() -> None:
    rows = tuple(multihop_row(entry("musique_train", f"Who {n}?")) for n in range(200))
    assert 20 < sum(row.test for row in rows) < 60
    assert not multihop_row(entry("ircot_hotpotqa")).test


def test_single_questions_become_statements_with_the_answers_before_them() -> None:
    chain = musique_chain(ROW)
    assert chain is not None
    assert chain.reply == (
        "Lyra Quill rebuilt the Vesper Clock. Lyra Quill was born in Bremen. So the answer is Bremen."
    )
    assert [passage.title for passage in chain.passages] == ["Vesper Clock", "Lyra Quill"]
    assert [passage.title for passage in chain.others] == ["Harbour"]


def test_a_persons_chain_is_kept_and_closed_in_the_programs_words() -> None:
    row = replace(ROW, hops=(), chain="Lyra Quill rebuilt the Vesper Clock. So the answer is: Lyra Quill.")
    chain = written_chain(row)
    assert chain is not None and chain.reply.endswith("Clock. So the answer is Lyra Quill.")
    assert {passage.title for passage in chain.passages} == {"Vesper Clock", "Lyra Quill"}


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        ("Hello Love >> performer", "Hank Snow", "The performer of Hello Love is Hank Snow."),
        ("McRae >> located in the county", "White", "McRae is located in the county White."),
        ("What company published the journal?", "Acme", "Acme published the journal."),
        ("What country was Signmark from?", "Finland", "Signmark was from Finland."),
        ("when was Hong Kong taken by the british", "1842", "Hong Kong was taken by the british in 1842."),
        ("Where did Ann Lee write it?", "Rome", "Ann Lee wrote it in Rome."),
        ("where did the battle of Lund take place", "near Lund", "The battle of Lund took place near Lund."),
        ("Name a river", "Rhine", None),
    ],
)
def test_a_question_and_its_answer_make_one_statement_or_none(question: str, answer: str, said: str | None) -> None:
    assert statement(question, answer) == said


@pytest.mark.parametrize(
    ("question", "answer", "reply"),
    [
        ("who built the vesper clock", "Ann Lee", "Ann Lee built the Vesper Clock. So the answer is Ann Lee."),
        ("name the clock's year", "1702", "Vesper Clock was built in 1702. So the answer is 1702."),
    ],
)
def test_a_natural_question_is_answered_in_its_own_words_or_by_the_passages_sentence(
    question: str, answer: str, reply: str
) -> None:
    clock = replace(CLOCK, text="It was built in 1702. On the hill the Vesper Clock was built by Ann Lee.")
    others = (Passage(title=f"Harbour {number}", text=f"It has {number} cranes.") for number in range(4))
    rows = [OracleRow(question=question, answers=(answer,), passage=one, split=1) for one in (clock, *others)]
    chain = oracle_chain(random.Random(1), rows, Neighbours(rows), 0, changed=0)
    assert chain is not None and chain.reply == reply and len(chain.others) == 4


def test_the_sentence_with_the_answer_stands_alone() -> None:
    assert own_sentence(CLOCK, ("1702",)) == "Vesper Clock was built in 1702."
    assert own_sentence(QUILL, ("harbour",)) == "Lyra Quill's workshop stood at the harbour."
    assert own_sentence(CLOCK, ("Rome",)) is None


def test_what_the_passages_do_not_hold_has_a_conclusion_of_its_own() -> None:
    assert absent_reply("Who won?") == "The passages do not say who won. So the answer is unknown."
    assert concluded(["A is B.", "A is B."], "B.") == "A is B. So the answer is B."


def test_the_prompt_is_the_loops_own_and_other_examples_take_the_place_of_the_programs() -> None:
    chain = musique_chain(ROW)
    assert chain is not None
    assert writer_prompt("Who?", (CLOCK,), " It", ()) == step_by_step_prompt("Who?", passages=(CLOCK,), begun=" It")
    other = writer_prompt("Who?", (CLOCK,), "", [chain]).text
    assert STEP_BY_STEP_EXAMPLES not in other and f"Answer: {chain.reply}\nQuestion: Who?" in other


def test_examples_over_other_passages_say_so_and_a_beginning_is_part_of_the_prompt() -> None:
    chain = musique_chain(ROW)
    assert chain is not None
    pool = [Chain(question=f"q{n}", reply="r", passages=(), others=(), answers=("x",)) for n in range(9)]
    made = [writer_example(random.Random(seed), chain, pool) for seed in range(200)]
    assert {one.kind for one in made} == {"chain", "absent", "memory"}
    for one in made:
        if one.kind == "chain":
            whole = one.prompt.text.rpartition("Answer:")[2] + one.reply
            assert whole == f" {chain.reply}" and "Vesper Clock:" in one.prompt.text
        elif one.kind == "absent":
            assert one.reply == f" {absent_reply(chain.question)}" and "Bremen" not in one.prompt.text
        else:
            assert "[1]" not in one.prompt.text and one.reply == f" {chain.reply}"


def test_a_question_made_from_a_sentence_is_answered_by_that_sentence() -> None:
    others = (Passage(title=f"Harbour {number}", text=f"It has {number} cranes.") for number in range(4))
    rows = [OracleRow(question="who", answers=("Lyra Quill",), passage=one, split=1) for one in (CLOCK, *others)]
    made = {0: (MadeQuestion(question="when vesper clock built", answer="1702"),), 1: ()}
    (chain,) = cloze_chains(random.Random(1), made, Neighbours(rows), 5)
    assert chain.reply == "Vesper Clock was built in 1702. So the answer is 1702."
    assert [one.title for one in chain.passages] == ["Vesper Clock"] and chain.answers == ("1702",)
    assert len(chain.others) == 4 and cloze_chains(random.Random(1), made, Neighbours(rows), 0) == []
